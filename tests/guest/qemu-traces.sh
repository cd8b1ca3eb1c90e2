#!/bin/sh
# qemu-traces.sh - the two tracers say what was called, in Linux's format, and leave no trace behind.
. "$(dirname "$0")/lib.sh"

calls_functions='fib ackermann even odd calls_once'

# entries-in-buffer of the n-th trace shown
entries() { sed -n 's|^# entries-in-buffer/entries-written: \([0-9]*\)/.*|\1|p' "$out" | sed -n "$1p"; }

run_guest mcount 1 "cat $T/available_tracers; cat $T/current_tracer;
    echo $calls_functions > $T/set_ftrace_filter; cat $T/set_ftrace_filter;
    echo function > $T/current_tracer; work calls 3; cat $T/trace"
sed -n '/^# tracer: function$/,$p' "$out" >"$work_dir/trace"
check 'the tracers are those of every kernel' console_has 'blk mmiotrace function_graph wakeup_dl wakeup_rt wakeup function nop'
check 'no tracer is on at boot' console_has nop
check 'the filter reads as it was set' test "$(grep -Ecx 'fib|ackermann|even|odd|calls_once' "$out")" -eq 5
check 'function records each call of the workload, and none besides' \
    test "$(entries 1)" = "$(work_field calls calls)"
check 'each line is task-pid [cpu] flags time: callee <-caller' \
    sh -c "! sed 1,12d '$work_dir/trace' | grep -Evx ' +calls-[0-9]+ +\[000\] [.d][.n][.h][.0-9][.] +[0-9]+\.[0-9]{6}: [a-z_]+ <-[a-z_]+'"
check 'the caller is the caller' \
    sh -c "! sed 1,12d '$work_dir/trace' | grep -E ': calls_once <-' | grep -v '<-calls_run'"
check 'stamps never go back' sh -c "sed 1,12d '$work_dir/trace' | awk '{print \$4}' | sort -cn"

run_guest mcount 1 "echo $calls_functions > $T/set_ftrace_filter;
    echo function_graph > $T/current_tracer; work calls 2; cat $T/trace"
sed -n '/^# tracer: function_graph$/,$p' "$out" | sed 1,4d >"$work_dir/graph"
check 'function_graph records each call once' \
    test "$(grep -c '();$\|() {$' "$work_dir/graph")" = "$(work_field calls calls)"
check 'every open brace is closed' \
    test "$(grep -c '{$' "$work_dir/graph")" = "$(grep -c '}$' "$work_dir/graph")"
check 'each line is cpu) duration | indented call' \
    sh -c "! grep -Evx ' 0\) ([ +!#*@\$] [0-9.]{5,8} us +|  ==========> |  <========== | {14})\|(  ( *)([a-z_]+\(\)(;| \{)|\})| *)' '$work_dir/graph'"
check 'indentation follows the braces' awk '
    { text = substr($0, index($0, "|") + 3); match(text, /^ */); indent = RLENGTH / 2 }
    /}$/ { depth-- }
    indent != depth { print NR ": " $0; bad = 1 }
    /{$/ { depth++ }
    END { exit bad }' "$work_dir/graph"

run_guest mcount 1 "work calls 20; echo function > $T/current_tracer; echo nop > $T/current_tracer;
    echo function_graph > $T/current_tracer; echo nop > $T/current_tracer;
    echo function > $T/current_tracer; work calls 20; echo nop > $T/current_tracer; echo > $T/trace;
    work calls 20; cat $T/trace" -icount shift=0
check 'off again, a call records nothing' test "$(entries 1)" = 0
check 'off again, the workload costs what it cost before' \
    sh -c "set -- $(work_field calls insns | tr '\n' ' '); d=\$((\$1 - \$3)); [ \${d#-} -lt \$((\$1 / 50)) ]"
check 'on, it costs more' \
    sh -c "set -- $(work_field calls insns | tr '\n' ' '); [ \$2 -gt \$((\$1 * 3)) ]"

run_guest mcount 1 "echo bogus > $T/current_tracer; echo nosuchfunction > $T/set_ftrace_filter;
    echo x > $T/tracing_on; echo x > $T/available_tracers; cat $T/trace_marker; cat $T/nothing; cat $T"
check 'an unknown tracer, function or number is EINVAL' \
    test "$(grep -cx 'sh: write error: Invalid argument' "$out")" -eq 3
check 'a file that cannot be written is EACCES' \
    console_has "sh: cannot open $T/available_tracers: Permission denied"
check 'a file that cannot be read is EACCES' \
    console_has "sh: cannot open $T/trace_marker: Permission denied"
check 'a file that is not there is ENOENT' \
    console_has "sh: cannot open $T/nothing: No such file or directory"
check 'a directory is EISDIR' console_has "sh: cannot open $T: Is a directory"

run_guest mcount 1 "echo 'tree_*' > $T/set_ftrace_filter; echo '!tree_free' >> $T/set_ftrace_filter;
    cat $T/set_ftrace_filter; echo > $T/set_ftrace_filter; cat $T/set_ftrace_filter;
    echo tree_insert > $T/set_graph_function; echo 2 > $T/max_graph_depth;
    echo function_graph > $T/current_tracer; echo hello > $T/trace_marker; work tree 1;
    echo 0 > $T/tracing_on; cat $T/trace"
check 'a pattern selects' console_has tree_node
check 'a pattern with ! takes away' sh -c "! grep -qx tree_free '$out'"
check 'an empty filter means all functions' console_has '#### all functions enabled ####'
check 'a mark appears as a comment' console_has '.*\|  /\* hello \*/'
check 'max_graph_depth and set_graph_function limit the graph' \
    sh -c "sed -n '/# CPU/,\$p' '$out' | grep '|  [a-z]' | grep -vq 'tree_insert' && exit 1; ! grep -Eq '\|  {6,}[a-z}]' '$out'"

BOOTARGS='ftrace=function_graph ftrace_filter=tree_*,kmalloc ftrace_graph_filter=tree_node'
run_guest mcount 2 "work tree 1; echo 0 > $T/tracing_on; cat $T/trace; cat $T/set_graph_function"
check 'ftrace= starts a tracer at boot' console_has "\[.*\] Starting tracer 'function_graph'"
check 'ftrace_filter= and ftrace_graph_filter= select' \
    sh -c "grep -q '  tree_node() {' '$out' && ! grep -q 'tree_insert()' '$out'"
finish
