#!/bin/sh
# qemu-traces.sh - the two tracers say what was called, in Linux's format, and leave no trace behind.
. "$(dirname "$0")/lib.sh"

calls_functions='fib ackermann even odd calls_once'

# all_match FILE PATTERN: each line of the file matches, and there are some.
all_match() { test -s "$1" && line_count "$(wc -l <"$1")" "$2" "$1"; }
# entries-in-buffer of the n-th trace shown
entries() { sed -n 's|^# entries-in-buffer/entries-written: \([0-9]*\)/.*|\1|p' "$out" | sed -n "$1p"; }

run_guest mcount 1 "cat $T/available_tracers; cat $T/current_tracer;
    echo $calls_functions > $T/set_ftrace_filter; cat $T/set_ftrace_filter;
    echo function > $T/current_tracer; work calls 3; cat $T/trace"
sed -n '/^# tracer: function$/,$p' "$out" | sed 1,12d >"$work/entries"
grep ': calls_once <-' "$work/entries" >"$work/once"
claim_line 'the tracers are those of every kernel' '^blk mmiotrace function_graph wakeup_dl wakeup_rt wakeup function nop$' "$out"
claim_line 'no tracer is on at boot' '^nop$' "$out"
claim 'the filter reads as it was set' test "$(grep -Ecx 'fib|ackermann|even|odd|calls_once' "$out")" -eq 5
claim 'function records each call of the workload, and none besides' \
    test "$(entries 1)" = "$(work_field calls calls)"
claim 'each line is task-pid [cpu] flags time: callee <-caller' \
    all_match "$work/entries" '^ +calls-[0-9]+ +\[000\] [.d][.n][.h][.0-9][.] +[0-9]+\.[0-9]{6}: [a-z_]+ <-[a-z_]+$'
claim 'the caller is the caller' \
    all_match "$work/once" '<-calls_run'
awk '{ print $4 }' "$work/entries" >"$work/stamps"
claim 'stamps never go back' sort -cn "$work/stamps"

run_guest mcount 1 "echo $calls_functions > $T/set_ftrace_filter;
    echo function_graph > $T/current_tracer; work calls 2; cat $T/trace"
sed -n '/^# tracer: function_graph$/,$p' "$out" | sed 1,4d >"$work/graph"
claim 'function_graph records each call once' \
    test "$(grep -c '();$\|() {$' "$work/graph")" = "$(work_field calls calls)"
claim 'every open brace is closed' \
    test "$(grep -c '{$' "$work/graph")" = "$(grep -c '}$' "$work/graph")"
claim 'each line is cpu) duration | indented call' \
    all_match "$work/graph" '^ 0\) ([ +!#*@$] [0-9.]{5,8} us +|  ==========> |  <========== | {14})\|(  ( *)([a-z_]+\(\)(;| \{)|\})| *)$'
claim 'indentation follows the braces' awk '
    { text = substr($0, index($0, "|") + 3); match(text, /^ */); indent = RLENGTH / 2 }
    /}$/ { depth-- }
    indent != depth { print NR ": " $0; bad = 1 }
    /{$/ { depth++ }
    END { exit bad }' "$work/graph"

run_guest mcount 1 "work calls 20; echo function > $T/current_tracer; echo nop > $T/current_tracer;
    echo function_graph > $T/current_tracer; echo nop > $T/current_tracer;
    echo function > $T/current_tracer; work calls 20; echo nop > $T/current_tracer; echo > $T/trace;
    work calls 20; cat $T/trace" -icount shift=0
{ read -r first && read -r second && read -r third; } <<END
$(work_field calls insns)
END
claim 'off again, a call records nothing' test "$(entries 1)" = 0
claim 'off again, the workload costs what it cost before' \
    test "$(((first - third) * 50))" -lt "$first" -a "$(((third - first) * 50))" -lt "$first"
claim 'on, it costs more' \
    test "$second" -gt $((first * 3))

run_guest mcount 1 "echo bogus > $T/current_tracer; echo nosuchfunction > $T/set_ftrace_filter;
    echo x > $T/tracing_on; echo x > $T/available_tracers; cat $T/trace_marker; cat $T/nothing; cat $T"
claim 'an unknown tracer, function or number is EINVAL' \
    test "$(grep -cx 'sh: write error: Invalid argument' "$out")" -eq 3
claim_line 'a file that cannot be written is EACCES' \
    "^sh: cannot open $T/available_tracers: Permission denied$" "$out"
claim_line 'a file that cannot be read is EACCES' \
    "^sh: cannot open $T/trace_marker: Permission denied$" "$out"
claim_line 'a file that is not there is ENOENT' \
    "^sh: cannot open $T/nothing: No such file or directory$" "$out"
claim_line 'a directory is EISDIR' "^sh: cannot open $T: Is a directory$" "$out"

run_guest mcount 1 "echo 'tree_*' > $T/set_ftrace_filter; echo '!tree_free' >> $T/set_ftrace_filter;
    cat $T/set_ftrace_filter; echo > $T/set_ftrace_filter; cat $T/set_ftrace_filter;
    echo tree_insert > $T/set_graph_function; echo 2 > $T/max_graph_depth;
    echo function_graph > $T/current_tracer; echo hello > $T/trace_marker; work tree 1;
    echo 0 > $T/tracing_on; cat $T/trace"
sed -n '/# CPU/,$p' "$out" | grep '|  [a-z]' >"$work/outer"
claim_line 'a pattern selects' '^tree_node$' "$out"
claim_no_line 'a pattern with ! takes away' '^tree_free$' "$out"
claim_line 'an empty filter means all functions' '^#### all functions enabled ####$' "$out"
claim_line 'a mark appears as a comment' '\|  /\* hello \*/$' "$out"
claim 'max_graph_depth and set_graph_function limit the graph' \
    all_match "$work/outer" 'tree_insert' and no_line '\|  {6,}[a-z}]' "$out"

BOOTARGS='ftrace=function_graph ftrace_filter=tree_*,__kmalloc ftrace_graph_filter=tree_node'
run_guest mcount 2 "work tree 1; echo 0 > $T/tracing_on; cat $T/trace; cat $T/set_graph_function"
claim_line 'ftrace= starts a tracer at boot' "^\[.*\] Starting tracer 'function_graph'$" "$out"
claim 'ftrace_filter= and ftrace_graph_filter= select' \
    has_line '  tree_node\(\) \{' "$out" and no_line 'tree_insert\(\)' "$out"
finish
