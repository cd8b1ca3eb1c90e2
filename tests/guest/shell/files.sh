# files.sh - redirections, pipes, globs, and the tree.
mkdir -p a/b/c; cd a; echo 1 > one; echo 2 >> one; cat one; cat < one; wc -l < one
echo err 2>/dev/null 1>&2; ls nonexistent 2>/dev/null || echo failed
{ echo out; echo err >&2; } 2>&1 | sort
echo x > two; echo y > .hidden; touch t1 t2 t3; echo t*; echo t[12] t[!1] .h*; echo nomatch*; echo "t*" 't?' t\*
echo */; echo b/*; for f in t?; do echo "<$f>"; done; v='t*'; echo $v "$v"
ls; ls -a | head -n 3; ls -d b; mkdir b 2>/dev/null; echo $?
mv two b/; ls b; mv b/two b/2; cat b/2; cp one b; cat b/one; mv one three; ls
rm t?; ls; rmdir b 2>/dev/null; echo $?; rm -r b; ls
cat <<E
text $((1+1)) \$x "quoted" `echo sub`
  $(echo two
echo lines)
E
cat <<'E'
$not `expanded`
E
cat <<-E | tr a-z A-Z 2>/dev/null || :
E
cat <<A; cat <<B
first
A
second
B
seq 20 | sed -n 1p 2>/dev/null >/dev/null || :
seq 1000 | cat | cat | cat | cat | cat | cat | tail -n 1
seq 3000 | wc -c; seq 3000 | wc -l; seq 10 | head -n 3 | tail -n 1; yes | head -n 2
exec 3>log; echo to three >&3; echo again 1>&3; exec 3>&-; cat log
{ echo moved; } 3>&1 >/dev/null | cat; echo $( { echo swapped >&3; } 3>&1 )
exec 4<log; read l <&4; echo $l; read l <&4; echo $l; read l <&4; echo $?; exec 4<&-
echo body > f; cat f - f < log; > f; wc -c < f; : > g; [ -s g ]; echo $?
cd ..; pwd | grep -c /; cd a; cd ../a/./..; [ -d a ] && echo dir; [ -f a/f ] && echo file
dd if=/dev/zero bs=1k count=3 2>/dev/null | wc -c
dd if=/dev/zero of=z bs=100 count=5 2>/dev/null; wc -c < z; cat /dev/null | wc -c; rm z
(cd a; echo inner > in); cat a/in; unset v; echo ${v:-gone}
rm -rf a; ls
