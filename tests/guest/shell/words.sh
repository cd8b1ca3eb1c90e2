# words.sh - quotes, parameters, arithmetic, command substitution, fields.
x=5 y='two words' empty=
echo "$x" '$x' "a\"b" a\ b 'it'"'"s
echo ${x}y "${y}" $y ${#y} ${empty:-default} ${unset-unset} "${x:+set}" ${unset:=made} $unset
f=/a/b.c.d
echo ${f##*/} ${f%.*} ${f%%.*} ${f#*/} ${f#nothing}
echo $((1+2*3)) $(( (1+2)*3 )) $((x<<2|1)) $((x>4&&x<6)) $((x==5?10:20)) $((-7/2)) $((-7%3)) $((0x1f)) $((~0)) $((!x))
blanks='  7'; echo $((blanks+1)) $((017)); echo "[$!]"
z=$((y2=x*2)); echo $z $y2
echo $(echo one; echo two) "$(echo one; echo two)" `echo three`
echo "$(echo "nested $(echo "deep  $x")")"
count() { echo $#; }
count $y; count "$y"; count $empty; count "$empty"; count '' a; count $(seq 3)
set -- a 'b c' d
count $@; count "$@"; count "$*"; echo "$*"; echo "<$1><$2><$#>"
for i in "$@"; do echo "[$i]"; done
for i; do echo "{$i}"; done
shift; echo $1 $#
shift 2; count "$@"
IFS=:; p=a:b::c; count $p; for i in $p; do echo "<$i>"; done
set -- 1 2; echo "$*"; unset IFS
echo "tab	kept" ; printf '%s-%d-%x|%5s|%-5s|\n' str 42 255 ab cd
printf '%s\n' 1 2 3; printf 'no newline'; echo
printf '%03d %c%%\n' 7 xyz
echo a#b # a comment
echo \$x "\$x" '\$x' "a\
b"
echo {a} a=b ~x "#"
