#!/bin/sh
# tracefs.sh - the files of /sys/kernel/tracing do what Linux's do, on both machines.
. "$(dirname "$0")/lib.sh"

# Lines of the console between the n-th command that begins with a text and the next command.
after() {
    awk -v cmd="# $1" -v nth="${2:-1}" 'on && /^# (echo|cat|head|tail|work|sleep|wait|wc|grep|ls) ?/ { exit }
        on { print } index($0, cmd) == 1 && ++n == nth { on = 1 }' "$out"
}
says() { test "$(after "$1")" = "$2"; }
einval() { says "$1" 'sh: write error: Invalid argument'; }

files_and_options() {
    $1 ${LAYOUT:-mcount} 1 "ls $T; cat $T/trace_options; echo raw > $T/trace_options; cat $T/options/raw;
        echo 0 > $T/options/raw; cat $T/options/raw; echo noraw > $T/trace_options;
        echo nosuch > $T/trace_options; echo nonosuch > $T/trace_options;
        echo 2 > $T/options/raw; echo test_nop_accept > $T/trace_options;
        echo test_nop_refuse > $T/trace_options; echo 1 > $T/options/test_nop_refuse;
        cat $T/options/test_nop_accept $T/options/test_nop_refuse;
        echo funcgraph-cpu > $T/trace_options; ls $T/options | grep funcgraph-cpu;
        echo nomarkers > $T/trace_options; echo x > $T/trace_marker;
        echo function_graph > $T/current_tracer; cat $T/trace_options | grep -c funcgraph"
    claim "$2: README, trace_pipe, options/ and per_cpu/ are there" has_line '^README$' "$out" \
        and has_line '^trace_pipe$' "$out" and has_line '^options$' "$out" and has_line '^per_cpu$' "$out"
    claim "$2: the options are Linux's, in its order" says 'cat /sys/kernel/tracing/trace_options' \
        "$(printf '%s\n' print-parent nosym-offset nosym-addr noverbose noraw nohex nobin trace_printk annotate \
        nouserstacktrace context-info nolatency-format record-cmd norecord-tgid overwrite nodisable_on_free irq-info markers \
        noevent-fork nopause-on-trace function-trace nofunction-fork nodisplay-graph nostacktrace notest_nop_accept notest_nop_refuse)"
    claim "$2: an option is set by its name" says "cat $T/options/raw" 1
    claim "$2: and by its file" test "$(after "cat $T/options/raw" 2)" = 0
    claim "$2: an unknown option is EINVAL" einval 'echo nosuch'
    claim "$2: an unknown one taken back, too" einval 'echo nonosuch'
    claim "$2: an option is 0 or 1" einval 'echo 2'
    claim "$2: a tracer may refuse" einval 'echo test_nop_refuse'
    claim "$2: by whichever file" einval "echo 1 > $T/options/test_nop_refuse"
    claim "$2: or accept" says "cat $T/options/test_nop_accept" "$(printf '1\n0')"
    claim "$2: another tracer's option is not there to be set" einval 'echo funcgraph-cpu'
    claim_line "$2: but has its file" '^funcgraph-cpu$' "$out"
    claim "$2: without markers, trace_marker is EINVAL" einval 'echo x'
    claim "$2: the current tracer's own options are listed" \
        says "cat $T/trace_options | grep -c funcgraph" 10
}

pipe() {
    $1 ${LAYOUT:-mcount} 2 "echo first > $T/trace_marker; cat $T/trace_pipe > /pipe & sleep 0.05;
        echo second > $T/trace_marker; sleep 0.05; cat /pipe | wc -l;
        echo function > $T/current_tracer; echo 0 > $T/tracing_on; wait; wc -l /pipe;
        cat $T/trace | grep -c mark; echo 1 > $T/tracing_on; echo 'tree_*' > $T/set_ftrace_filter;
        echo function > $T/current_tracer; work tree 1; echo 0 > $T/tracing_on;
        cat $T/trace | grep -c tree; head -n 2 $T/trace_pipe | wc -l; cat $T/trace | grep -c tree; cat $T/trace | grep -c tree;
        cat $T/per_cpu/cpu*/stats | grep read"
    claim "$2: trace_pipe gives what was there and waits for more" says 'cat /pipe | wc -l' 2
    claim "$2: meanwhile the tracer cannot be changed" \
        says 'echo function' 'sh: write error: Device or resource busy'
    claim "$2: it ends when tracing is off" says 'wc -l /pipe' '2 /pipe'
    claim "$2: what it gave is gone" says "cat $T/trace | grep -c mark" 0
    claim "$2: reading trace takes nothing" test "$(after "cat $T/trace | grep -c tree" 2)" = \
        "$(after "cat $T/trace | grep -c tree" 3)"
    claim "$2: what is left and what was read is what was there" test \
        "$(after "cat $T/trace | grep -c tree" 1)" -eq \
        $(($(after "cat $T/trace | grep -c tree" 2) + $(after "cat $T/per_cpu/" | awk '{ n += $3 } END { print n }')))
}

sizes() {
    $1 ${LAYOUT:-mcount} 2 "cat $T/buffer_size_kb; cat $T/buffer_total_size_kb; echo 0 > $T/buffer_size_kb;
        echo x > $T/buffer_size_kb; echo 8 > $T/per_cpu/cpu1/buffer_size_kb; cat $T/buffer_size_kb;
        cat $T/per_cpu/cpu1/buffer_size_kb; echo 8 > $T/buffer_size_kb; cat $T/buffer_size_kb;
        cat $T/buffer_total_size_kb; echo 1 > $T/tracing_cpumask; cat $T/tracing_cpumask;
        echo 4 > $T/tracing_cpumask; echo 3 > $T/tracing_cpumask;
        echo 'tree_*' > $T/set_ftrace_filter; echo function > $T/current_tracer; work tree 9;
        cat $T/per_cpu/cpu*/stats | grep overrun; head -n 3 $T/trace;
        echo nooverwrite > $T/trace_options; echo > $T/trace; work tree 9; cat $T/per_cpu/cpu*/stats;
        head -n 13 $T/trace | tail -n 1; echo 64 > $T/buffer_size_kb; echo > $T/free_buffer;
        cat $T/per_cpu/cpu*/stats | grep bytes"
    claim "$2: the buffer is small until it is used" \
        says "cat $T/buffer_size_kb" '7 (expanded: 1408)'
    claim "$2: all harts' together" says "cat $T/buffer_total_size_kb" '14 (expanded: 2816)'
    claim "$2: no buffer at all is EINVAL" einval 'echo 0'
    claim "$2: nor is a word a size" einval "echo x > $T/buffer_size_kb"
    claim "$2: sizes that differ are an X" test "$(after "cat $T/buffer_size_kb" 2)" = X
    claim "$2: one hart's own is told" says "cat $T/per_cpu/cpu1/buffer_size_kb" 8
    claim "$2: sizes that agree are one number" test "$(after "cat $T/buffer_size_kb" 3)" = 8
    claim "$2: and their sum" test "$(after "cat $T/buffer_total_size_kb" 2)" = 16
    claim "$2: tracing_cpumask is hexadecimal" says "cat $T/tracing_cpumask" 1
    claim "$2: a hart that is not there is EOVERFLOW" \
        says 'echo 4' 'sh: write error: Value too large for defined data type'
    claim_line "$2: a full buffer overwrites the oldest" \
        '^overrun: [1-9]' "$out"
    claim "$2: which the header tells" awk '/^# entries-in-buffer\/entries-written: / {
        split($3, n, "/"); good = n[1] < n[2] && n[1] > 0; exit } END { exit !good }' "$out"
    claim_line "$2: with nooverwrite it drops the newest" '^dropped events: [1-9]' "$out"
    claim_line "$2: and the first call is still there" ': tree_run <-' "$out"
    sed -n 's/^bytes: //p' "$out" | tail -n 2 >"$work/bytes"
    claim "$2: free_buffer gives the memory back" awk '$1 > 8160 { bad = 1 } END { exit bad || NR != 2 }' "$work/bytes"
}

forms() {
    $1 ${LAYOUT:-mcount} 1 "cat $T/trace_clock; echo nosuch > $T/trace_clock; echo tree_once > $T/set_ftrace_filter;
        echo function > $T/current_tracer; work tree 1; echo 0 > $T/tracing_on;
        tail -n 1 $T/trace; echo noprint-parent > $T/trace_options; tail -n 1 $T/trace;
        echo sym-offset > $T/trace_options; tail -n 1 $T/trace; echo sym-addr > $T/trace_options;
        tail -n 1 $T/trace; echo nosym-offset > $T/trace_options; echo nosym-addr > $T/trace_options;
        echo print-parent > $T/trace_options; echo noirq-info > $T/trace_options; cat $T/trace;
        echo irq-info > $T/trace_options; echo raw > $T/trace_options; tail -n 1 $T/trace;
        echo hex > $T/trace_options; tail -n 1 $T/trace; echo nohex > $T/trace_options;
        echo noraw > $T/trace_options; echo latency-format > $T/trace_options; cat $T/trace;
        echo verbose > $T/trace_options; tail -n 1 $T/trace; echo noverbose > $T/trace_options;
        echo nocontext-info > $T/trace_options; tail -n 1 $T/trace;
        echo nolatency-format > $T/trace_options; echo context-info > $T/trace_options;
        echo counter > $T/trace_clock; echo 1 > $T/tracing_on; work tree 1; tail -n 1 $T/trace;
        cat $T/trace_clock; cat $T/per_cpu/cpu0/trace | grep -c tree_once;
        echo 1 > $T/options/func_stack_trace; echo > $T/trace; work tree 1; echo 0 > $T/tracing_on;
        tail -n 6 $T/trace; cat $T/saved_cmdlines; cat $T/saved_cmdlines_size;
        echo 0 > $T/saved_cmdlines_size; echo 4 > $T/saved_cmdlines_size; cat $T/saved_cmdlines"
    claim "$2: the clocks, the one in use in brackets" says "cat $T/trace_clock" \
        '[local] global counter uptime perf mono mono_raw boot tai'
    claim "$2: an unknown clock is EINVAL" einval "echo nosuch > $T/trace_clock"
    claim_line "$2: a line of function" \
        '^ +tree-[0-9]+ +\[000\] \.{5} +[0-9]+\.[0-9]{6}: tree_once <-tree_run$' "$out"
    claim_line "$2: without print-parent" '^ +tree-.*[0-9]: tree_once$' "$out"
    claim_line "$2: with sym-offset" '[0-9]: tree_once\+0x[0-9a-f]+(/0x[0-9a-f]+)?$' "$out"
    claim_line "$2: with sym-addr" '[0-9]: tree_once\+0x[0-9a-f/x]+ <ffffffff[0-9a-f]{8}>$' "$out"
    claim_line "$2: without irq-info, a narrower header" \
        '^#           TASK-PID     CPU#     TIMESTAMP  FUNCTION$' "$out"
    claim_line "$2: and lines" '^ +tree-[0-9]+ +\[000\]  +[0-9]+\.[0-9]{6}: tree_once <-tree_run$' "$out"
    claim_line "$2: raw" '^[0-9]+ 0 [0-9]+ ffffffff[0-9a-f]{8} ffffffff[0-9a-f]{8}$' "$out"
    claim_line "$2: hex" '^[0-9a-f]{8} 00000000 [0-9a-f]{16} ffffffff[0-9a-f]{8} ffffffff[0-9a-f]{8} $' "$out"
    claim_line "$2: latency-format has its header" '^# function latency trace v1\.1\.5 on ' "$out"
    claim_line "$2: and its lines" '^ +tree-[0-9]+ +0\.{5} +[0-9]+us[ +!]: tree_once <-tree_run$' "$out"
    claim_line "$2: verbose" '^ +tree +[0-9]+ +0 0 00000000 [0-9a-f]{8} \[[0-9a-f]{8}\] [0-9]+\.[0-9]{3}ms \(\+[0-9]+\.[0-9]{3}ms\): tree_once <-tree_run$' "$out"
    claim_line "$2: without context-info, the entry alone" '^tree_once <-tree_run$' "$out"
    claim_line "$2: stamps of the clock counter are numbers" \
        '^ +tree-[0-9]+ +\[000\] \.{5} +[0-9]+: tree_once <-tree_run$' "$out"
    grep -A 3 ': <stack trace>' "$out" | head -n 4 | sed -n 's/^ => //p' | tr '\n' ' ' >"$work/stack"
    claim_line "$2: func_stack_trace shows the way" '^tree_once tree_run workload' "$work/stack"
    claim_line "$2: names of tasks are kept" '^[0-9]+ tree$' "$out"
    claim "$2: at least one" einval "echo 0 > $T/saved_cmdlines_size"
}

graph() {
    $1 ${LAYOUT:-mcount} 1 "echo 'tree_*' > $T/set_ftrace_filter; echo tree_node > $T/set_graph_notrace;
        cat $T/set_graph_notrace; echo tree_once > $T/set_graph_function;
        echo function_graph > $T/current_tracer; work tree 1; echo 0 > $T/tracing_on;
        grep -c tree_node $T/trace; grep -c tree_insert $T/trace;
        echo 1 > $T/options/funcgraph-abstime; head -n 5 $T/trace; echo 1 > $T/options/funcgraph-proc;
        head -n 5 $T/trace; echo 0 > $T/options/funcgraph-abstime; echo 0 > $T/options/funcgraph-cpu;
        echo 0 > $T/options/funcgraph-duration; head -n 5 $T/trace; echo 0 > $T/options/funcgraph-proc;
        echo 1 > $T/options/funcgraph-tail; echo 1 > $T/options/funcgraph-overrun; tail -n 2 $T/trace;
        echo 1 > $T/options/funcgraph-cpu; echo 0 > $T/options/funcgraph-overhead; head -n 5 $T/trace;
        echo latency-format > $T/trace_options; head -n 18 $T/trace; echo nocontext-info > $T/trace_options;
        head -n 3 $T/trace; echo > $T/set_graph_notrace; cat $T/set_graph_notrace;
        echo 1 > $T/options/funcgraph-retval; echo context-info > $T/trace_options;
        echo nolatency-format > $T/trace_options; echo > $T/trace;
        echo do_filp_open > $T/set_ftrace_filter; echo > $T/set_graph_function;
        echo 1 > $T/tracing_on; cat /nosuch; echo 0 > $T/tracing_on; grep '= -' $T/trace;
        echo 1 > $T/options/funcgraph-retval-hex; grep '= 0xf' $T/trace"
    claim "$2: set_graph_notrace keeps a function and its calls out" says 'grep -c tree_node' 0
    claim "$2: but nothing else" test "$(after 'grep -c tree_insert')" -gt 10
    claim_line "$2: funcgraph-abstime" '^ +[0-9]+\.[0-9]{6} \|   0\) ' "$out"
    claim_line "$2: with funcgraph-proc" \
        '^#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS$' "$out"
    claim_line "$2: and its lines" \
        '^ +[0-9]+\.[0-9]{6} \|   0\)     tree-[0-9] +\|               \|  tree_once\(\) \{$' "$out"
    claim_line "$2: without funcgraph-cpu and funcgraph-duration" '^    tree-[0-9] +\| tree_once\(\) \{$' "$out"
    claim "$2: funcgraph-tail and funcgraph-overrun" says "tail -n 2 $T/trace" \
        "$(printf '} /* tree_once */\n (Overruns: 0)')"
    claim_line "$2: latency-format" '^# function_graph latency trace v1\.1\.5 on ' "$out"
    claim_line "$2: has its columns" '^ 0\)  \.{5}\| tree_once\(\) \{$' "$out"
    claim "$2: without context-info, the calls alone" says "head -n 3 $T/trace" \
        "$(printf '# tracer: function_graph\n#\ntree_once() {')"
    claim_line "$2: funcgraph-retval shows an error as a number" \
        'do_filp_open\(\); /\* = -2 \*/$' "$out"
    claim_line "$2: unless funcgraph-retval-hex" \
        'do_filp_open\(\); /\* = 0xfffffffffffffffe \*/$' "$out"
    claim "$2: nothing disabled" test "$(after "cat $T/set_graph_notrace" 2)" = \
        '#### no functions disabled ####'
}

tasks() {
    BOOTARGS='ftrace=function ftrace_filter=tree_*,fib ftrace_notrace=tree_hash trace_buf_size=64k trace_options=sym-addr,nosuch trace_clock=global'
    $1 ${LAYOUT:-mcount} 1 "cat $T/set_ftrace_filter | wc -l; cat $T/set_ftrace_notrace; cat $T/buffer_size_kb;
        cat $T/trace_clock; cat $T/options/sym-addr; cat $T/enabled_functions;
        cat $T/set_ftrace_pid; echo 1 > $T/set_ftrace_pid; echo 17 99 >> $T/set_ftrace_pid;
        cat $T/set_ftrace_pid; work tree 1; grep -c tree $T/trace; echo x > $T/set_ftrace_pid;
        echo 5000000 > $T/set_ftrace_pid; echo > $T/set_ftrace_pid; work tree 1;
        grep -c tree_hash $T/trace; grep -c tree_once $T/trace; echo 1 > $T/options/function-fork;
        echo 1 > $T/set_ftrace_pid; echo > $T/trace; work tree 1; grep -c tree_once $T/trace;
        cat $T/available_filter_functions > /all; cat /all > $T/set_ftrace_filter;
        wc -l < /all; wc -l < $T/set_ftrace_filter; echo -n __kmalloc > $T/set_ftrace_filter;
        cat $T/set_ftrace_filter"
    BOOTARGS=
    claim "$2: ftrace_notrace=" says "cat $T/set_ftrace_notrace" tree_hash
    claim "$2: trace_buf_size=" says "cat $T/buffer_size_kb" 64
    claim "$2: trace_clock=" says "cat $T/trace_clock" \
        'local [global] counter uptime perf mono mono_raw boot tai'
    claim "$2: trace_options=" says "cat $T/options/sym-addr" 1
    claim_line "$2: what is none of those is told" "^\[.*\] ftrace: no option 'nosuch'$" "$out"
    claim_line "$2: enabled_functions counts who wants one" '^tree_once \(1\) +O? *$' "$out"
    claim_no_line "$2: and leaves out the others" '^tree_hash \(' "$out"
    claim "$2: no pids" says "cat $T/set_ftrace_pid" 'no pid'
    claim "$2: pids are added" test "$(after "cat $T/set_ftrace_pid" 2)" = "$(printf '1\n17\n99')"
    claim "$2: other tasks are not traced" says "grep -c tree $T/trace" 0
    claim "$2: a word is no pid" einval "echo x > $T/set_ftrace_pid"
    claim "$2: nor is one that no task has" einval 'echo 5000000'
    claim "$2: set_ftrace_notrace leaves a function out" says "grep -c tree_hash $T/trace" 0
    claim "$2: and no other" test "$(after "grep -c tree_once $T/trace")" -gt 0
    claim "$2: function-fork goes on with the children" \
        test "$(after "grep -c tree_once $T/trace" 2)" -gt 0
    claim "$2: a filter may be written in many pieces" \
        test "$(after 'wc -l < /all')" = "$(after "wc -l < $T/set_ftrace_filter")"
    claim "$2: its last word needs no newline" \
        test "$(after "cat $T/set_ftrace_filter" 2)" = __kmalloc
}

profile_and_pages() {
    case $1 in run_guest) options=$own_time ;; *) options= ;; esac
    $1 ${LAYOUT:-mcount} 1 "echo 'tree_*' > $T/set_ftrace_filter; echo 1 > $T/function_profile_enabled;
        work tree 1; echo 0 > $T/function_profile_enabled; head -n 3 $T/trace_stat/function0;
        grep tree_once $T/trace_stat/function0; grep tree_run $T/trace_stat/function0;
        echo function_graph > $T/current_tracer; echo nograph-time > $T/trace_options;
        echo 1 > $T/function_profile_enabled; work tree 1; grep -c 'tree_' $T/trace_stat/function0;
        grep tree_run $T/trace_stat/function0; echo 0 > $T/tracing_on;
        cat $T/per_cpu/cpu0/trace_pipe_raw | wc -c; cat $T/trace | wc -l" $options
    claim_line "$2: the profiler counts calls" '^  tree_once +1    [0-9.]+ us +[0-9.]+ us +0\.000 us +$' "$out"
    claim "$2: a function's time holds that of those it calls" \
        test "$(after 'grep tree_run' | awk '{ print int($3) }')" -gt \
        "$(after 'grep tree_once' | awk '{ print int($3) - 1 }')"
    claim "$2: but not with nograph-time" \
        test "$(after 'grep tree_run' 2 | awk '{ print int($3) }')" -lt \
        "$(after 'grep tree_run' | awk '{ print int($3) }')"
    claim "$2: tracer and profiler see the same functions" test "$(after 'grep -c')" -ge 5
    claim "$2: trace_pipe_raw gives whole pages" \
        test $(($(after "cat $T/per_cpu/cpu0/trace_pipe_raw") % 4096)) -eq 0
    claim "$2: and takes them" says "cat $T/trace | wc -l" 4
}

for run in ${RUNS:-run_guest run_on_rvftrace}; do
    for group in files_and_options pipe sizes forms graph tasks profile_and_pages; do
        $group $run "$(echo "$run" | sed 's/run_guest/QEMU/; s/run_on_//')"
    done
done
finish
