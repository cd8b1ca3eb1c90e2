# programs.sh - programs in U-mode, by themselves and in pipelines.
hello
hello | cat | wc -l
forktest | grep -v '^ok'; forktest | grep -c '^ok'
memtest | grep -v '^ok'; memtest | grep -c '^ok'
fptest | grep -v '^ok'; fptest | grep -c '^ok'
nosuchprogram; echo $?
/bin/hello > /said & wait; cat /said
/bin; echo $?
