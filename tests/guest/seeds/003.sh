# 003.sh - "Ftrace": the use of the function tracer, of the latency tracers, the stack tracer, profiling and events.
. /seeds/lib.sh
claim 'debugfs can be mounted anywhere' sh -c 'mkdir /debug && mount -t debugfs nodev /debug && test -f /debug/tracing/trace && umount /debug/tracing && umount /debug'
for tracer in function_graph wakeup_rt wakeup preemptirqsoff preemptoff irqsoff function nop; do
    claim_line "available_tracers has $tracer" "(^| )$tracer( |$)" available_tracers
done
claim 'the current one is nop' is current_tracer nop
# The function tracer, with a filter, on one hart.
echo 0 > tracing_on; echo function > current_tracer; echo do_page_fault > set_ftrace_filter; echo 1 > tracing_cpumask
echo 1 > tracing_on; fork_some; echo 0 > tracing_on
claim 'only the chosen function is recorded' sh -c 'grep -q "<-" trace && ! grep "<-" trace | grep -qv " do_page_fault <-"'
claim_line 'an entry is task, hart, flags, time, function and caller' \
    '^ +[^ ]+-[0-9]+ +\[000\] [d.][N.][h.][.0-9][.0-9]? +[0-9.]+: do_page_fault <-[a-z_]+$' trace
claim_no_line 'only the chosen hart recorded' '\[001\]' trace
claim 'trace_pipe gives the same, once' sh -c 'cat trace > /t; cat trace_pipe > /p; test $(grep -c "<-" /t) = $(grep -c "<-" /p) && ! grep -q "<-" trace'
echo 3 > tracing_cpumask; reset
# Control files.
echo 'do_*' > set_ftrace_filter; echo do_filp_open > set_ftrace_notrace; echo function > current_tracer; fork_some; echo 0 > tracing_on
claim_line 'a pattern chooses several functions' '^do_munmap$' set_ftrace_filter
claim_no_line 'set_ftrace_notrace wins over set_ftrace_filter' ' do_filp_open <-' trace
claim_line 'and only over what it names' ' do_(munmap|exit|wait|truncate|trap_exception) <-' trace
claim 'what is not in available_filter_functions is refused' sh -c '! echo function_trace_call > set_ftrace_filter 2> /x'
reset
echo 64 > buffer_size_kb
claim 'buffer_size_kb is the size for each hart' is buffer_size_kb 64
# A task's number, also a large one.
echo 1000000 2000000 > set_ftrace_pid
claim 'set_ftrace_pid takes any number of a process' sh -c 'test "$(cat set_ftrace_pid)" = "$(echo 1000000; echo 2000000)"'
echo > set_ftrace_pid
# The stack tracer.
echo 1 > /proc/sys/kernel/stack_tracer_enabled; fork_some; echo 0 > /proc/sys/kernel/stack_tracer_enabled
claim_line 'stack_trace has the deepest stack' '^        Depth    Size   Location    \([1-9][0-9]* entries\)$' stack_trace
claim_line 'with the size of each frame' '^  0\) +[0-9]+ +[0-9]+   [a-z_0-9]+\+0x[0-9a-f]+/0x[0-9a-f]+$' stack_trace
claim_line 'its first line is the maximum' "^  0\) +$(cat stack_max_size) " stack_trace
# The profiler of functions: hits, time, average, variance, the longest first.
echo 'do_*' > set_ftrace_filter; echo 1 > function_profile_enabled; fork_some; echo 0 > function_profile_enabled
claim_line 'trace_stat/function0 has the columns' '^  Function +Hit +Time +Avg +s\^2$' trace_stat/function0
claim_line 'it counts calls and their time' '^  do_[a-z_]+ +[1-9][0-9]* +[0-9.]+ us +[0-9.]+ us +[0-9.]+ us *$' trace_stat/function0
claim 'the longest is first' sh -c 'grep do_ trace_stat/function0 | { last=999999999; while read name hit time rest; do [ ${time%.*} -le $last ] || exit 1; last=${time%.*}; done; }'
reset
