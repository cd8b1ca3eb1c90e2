# filters.sh - sets of functions: patterns, taking away, adding, reading piece by piece.
. /suite/lib.sh
show() { echo "$1: $(cat set_ftrace_filter | sort | tr_lines)"; }
tr_lines() { while read -r word; do echo -n "$word "; done; }
try() { echo "$1" > set_ftrace_filter; show "$1"; }
cat set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace
try 'tree_*'
try '*ackermann'
try '*ree_has*'
try 'tree_[fi]*'
try 'tree_?od?'
try 'tree_[!fihr]*'
try 'tree_[^fihr]*'
try 'e*ven'
try 'fib even odd'
echo 'calls_*' >> set_ftrace_filter; show 'and calls_*'
echo '!calls_r*' '!fib' >> set_ftrace_filter; show 'less calls_r* and fib'
echo '!nothing_here' >> set_ftrace_filter; echo $?
echo nosuchfunction > set_ftrace_filter; echo $?; show 'a name that is none'
echo fib nosuchfunction > set_ftrace_filter; echo $?; show 'a name, and one that is none'
echo 'fib:nonsense' > set_ftrace_filter; echo $?
echo 0 > set_ftrace_filter; echo $?
# A number is a place in the list.
n=$(grep -n -x fib available_filter_functions | cut -d : -f 1)
echo $n > set_ftrace_filter; show 'fib by its place'
echo 99999999 > set_ftrace_filter; echo $?
# However it is read, it reads the same.
echo 'tree_*' 'sort_*' > set_ftrace_filter
cat set_ftrace_filter > /whole
dd if=set_ftrace_filter of=/bytes bs=1 2> /dev/null; dd if=set_ftrace_filter of=/chunks bs=100 2> /dev/null
[ "$(cat /whole)" = "$(cat /bytes)" ] && [ "$(cat /whole)" = "$(cat /chunks)" ] && echo the same in any pieces
sort available_filter_functions > /all; sort -u /all > /unique
[ $(wc -l < /all) -gt 500 ] && echo hundreds of functions can be traced
cat available_filter_functions > set_ftrace_filter
[ $(wc -l < set_ftrace_filter) = $(wc -l < /all) ] && echo all of them fit into a set
# Both sets at once, and what is really patched.
echo 'tree_*' > set_ftrace_filter; echo '*_free' '*_once' > set_ftrace_notrace
sort set_ftrace_notrace | grep tree
cat enabled_functions
echo function > current_tracer
sort enabled_functions | cut -d ' ' -f 1,2
work_result tree 1; echo 0 > tracing_on
calls_of 'tree_[a-z]*' | cut -c 9- | cut -d '<' -f 1 | sort -u
# A change takes effect at once.
echo tree_hash > set_ftrace_filter; echo > set_ftrace_notrace
cut -d ' ' -f 1,2 enabled_functions
echo nop > current_tracer; cat enabled_functions
reset
