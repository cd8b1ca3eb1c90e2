# flow.sh - what runs when: lists, conditions, loops, functions, status.
true && echo and; false && echo not; false || echo or; true || echo not
! false; echo $?; ! true; echo $?
if false; then echo 1; elif true; then echo 2; else echo 3; fi
if false; then echo 1; fi; echo $?
i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i -eq 2 ] && continue; [ $i -eq 4 ] && break; echo $i; done; echo $i
i=3; until [ $i -eq 0 ]; do echo $i; i=$((i-1)); done
for a in 1 2; do for b in x y; do [ $b = y ] && continue 2; echo $a$b; done; done
for a in 1 2; do for b in x y; do break 2; done; echo never; done
for v in; do echo never; done
for word in abc a.c '*' '' 'x y'; do
    case $word in
    '') echo empty ;;
    a.*) echo dot ;;
    a*|b*) echo letter ;;
    '*') echo star ;;
    *" "*) echo blank ;;
    esac
done
case x in y) echo no;; esac; echo $?
f() { [ $1 -gt 0 ] || return 7; echo $1; f $(($1 - 1)); }
f 3; echo $?
g() { x=global; echo "$# $1"; shift; echo $1; }
g p q; echo $x; set -- outer; g i j; echo $1
(x=sub; exit 3); echo $? $x
{ echo in; echo group; } | wc -l
(echo a; (echo b; echo c) | tail -n 1; exit 2); echo $?
echo one | { read a; echo "<$a>"; }
printf 'a b c\nd e\n' | while read x y; do echo "$y,$x"; done
seq 3 | while read n; do echo $((n*n)); done
eval 'echo $x'; eval "y=$((1+1))"; echo $y
false | true; echo $?; true | false; echo $?
sh -c 'echo $0 $1; exit 5' name arg; echo $?
nosuchcommand 2>/dev/null; echo $?
x=1; x=2 eval 'echo $x'
(set -e; true; false || true; if false; then :; fi; false; echo never); echo $?
sleep 0.05 & pid=$!; wait $pid; echo $?
(exit 9) & wait $!; echo $?
test 1 -lt 2 -a a != b && echo yes; [ ! a = b ] && echo yes; [ -z "" ] && [ -n x ] && echo yes
[ 5 -ge 6 -o -d / ] && echo yes; [ "(" = "(" ] && echo yes; [ ]; echo $?; [ -e /nonexistent ]; echo $?
(exit 7); status=$? again=$?; echo $status $again $?; false; status=$?; echo $status
x=$(exit 4); echo $?; $(exit 3); echo $?; x=$(exit 4) y=$(true); echo $?; (exit 6); x=1; echo $?
(exit 5); eval 'echo $?'; (exit 5); eval; echo $?; (exit 5); echo $(echo $?); (exit 5); x=$(); echo $?
(exit 5); (echo $?); (exit 5) || { echo $?; }; (exit 5); case $? in 5) echo five;; esac
(exit 5); : $(echo $? > status); cat status; rm status; (exit 5); echo out > /dev/null $?; echo $?
