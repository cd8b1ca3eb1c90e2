# text.sh - the commands that work on text.
text() { printf 'apple 3\nBanana 10\ncherry 2\n\napple pie 7\n'; }
text | grep apple; text | grep -v apple; text | grep -c a; text | grep -n '^a'; text | grep -i banana
text | grep '[0-9]$' | wc -l; text | grep -E '(an)+a|pie'; text | grep 'an*a' ; text | grep '^$' | wc -l
text | grep -E '^(apple|cherry) [0-9]+$'; text | grep -q cherry; echo $?; text | grep -q none; echo $?
counts() { printf '%s\n' b ab aab aaab aaaab xaxa; }
counts | grep -xE 'a{2}b'; counts | grep -xE 'a{0,1}b'; counts | grep -xE 'a{3,}b'; counts | grep -x 'a\{1,2\}b'
counts | grep -xE '(xa){2}'; counts | grep -xE '(x|a){4}'; counts | grep -xE 'a{0}b'; counts | grep -xE 'a{0,}b' | wc -l
counts | grep -xE '[a]{2,3}b{1}'; counts | grep -xE '(a{2}){2}b'; echo 'a{2}' | grep 'a{2}'; echo 'f() {' | grep -E '\(\) {'
text > one; text > two; grep cherry one two; grep -h cherry one two; grep -hc a one two; rm one two
text | grep 'a.*p'; text | grep -F '.'; echo $?; text | grep -x 'cherry 2'; text | grep -E 'e?r{0}y' 2>/dev/null | wc -l | grep -c .
echo 'a*b' | grep 'a\*b'; echo 'a+b' | grep 'a+b'; echo aab | grep -E 'a+b'; echo 'x(y)' | grep '(y)'; echo ab | grep '\(a\|x\)b'
echo 'foo.bar' | grep 'foo\.bar'; echo fooxbar | grep 'foo\.bar'; echo $?; echo '[x]' | grep '\[x]'; echo 'a]b' | grep '[]]'
echo 'tab' | grep '[[:alpha:]]*b$'; echo 42 | grep -E '^[[:digit:]]+$'; echo ac | grep -E 'ab?c'; echo '$5' | grep '\$5'; echo 'a^b' | grep 'a^b'
seq 5 | sort -r | head -n 2; text | sort | head -n 2; printf '10\n9\n100\n' | sort -n; printf 'b\na\nb\n' | sort -u
printf 'a\na\nb\na\n' | uniq; printf 'a\na\nb\n' | uniq -c
printf 'a:b:c\nd:e\nnone\n' | cut -d : -f 2; printf 'a:b:c\n' | cut -d: -f1,3; echo abcdef | cut -c 2-4; printf 'a:b:c:d\n' | cut -d : -f 2-
seq 10 | tail -n 2; seq 3 | tail -n 10; seq 2 4; seq 1 3 9; seq 3 | head -n 0; printf 'no end' | tail -n 1; echo
printf 'a b\nc\n' | wc -w; printf 'x' | wc -l; printf 'x y z' | wc -w; echo tee | tee copy; cat copy; rm copy
