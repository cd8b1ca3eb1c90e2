# pids.sh - whose calls and events are traced; thread groups, binary marks.
. /suite/lib.sh
workload='fib|ackermann|even|odd|calls_once'
only fib ackermann even odd calls_once
some() {
    echo 0 > tracing_on
    [ $(calls_of "$workload" | wc -l) -gt 0 ] && echo "$1: traced" || echo "$1: not traced"
    echo > trace; echo 1 > tracing_on
}
cat set_ftrace_pid set_ftrace_notrace_pid
echo 17 99 > set_ftrace_pid; cat set_ftrace_pid; echo 3 >> set_ftrace_pid; cat set_ftrace_pid
echo x > set_ftrace_pid; echo 5000000 > set_ftrace_pid; cat set_ftrace_pid
echo 1 > set_ftrace_pid; echo function > current_tracer
work_result calls 1; some 'another task'
echo > set_ftrace_pid; work_result calls 1; some 'no pid in the set'
echo 1 > options/function-fork; echo $$ > set_ftrace_pid
work_result calls 1; some 'a child of that task'
echo 0 > options/function-fork; echo > set_ftrace_pid
echo $$ > set_ftrace_notrace_pid; work_result calls 1; some 'all but its parent'
echo 1 > options/function-fork; echo > set_ftrace_notrace_pid; echo $$ > set_ftrace_notrace_pid
work_result calls 1; some 'all but its family'
echo 0 > options/function-fork
reset
# Of events: sched_switch is of two tasks, and recorded if one of them is in the set.
echo nop > current_tracer; echo > trace
only_mine() { grep -v '^#' trace | grep -v "pid=$$ " | grep -v -- "-$$ " | grep -c .; }
mine() { grep -v '^#' trace | grep -e "-$$ " | grep -v sched_ | grep -c .; }
echo x > set_event_pid; echo 17 99 > set_event_pid; echo 3 >> set_event_pid; cat set_event_pid; echo > set_event_pid
echo $$ > set_event_pid; echo sched:sched_switch syscalls:sys_enter_write > set_event; sleep 0.005
work_result calls 1; echo 0 > tracing_on; echo "of others: $(only_mine)"
grep -q "sched_switch.*prev_pid=$$ .*next_pid=[0-9]" trace && echo 'switches from it'
echo > set_event_pid; cat set_event_pid; echo > trace; echo $$ > set_event_notrace_pid; echo 1 > options/event-fork
echo 1 > tracing_on; work_result calls 1; echo 0 > tracing_on; echo "of it: $(mine)"
grep -c 'sys_write(' trace; echo 0 > options/event-fork; echo > set_event_notrace_pid; echo > set_event
echo 1 > options/record-tgid; echo 1 > tracing_on; echo hello > trace_marker; printf 'abcd\001' > trace_marker_raw
grep -c "^$$ $$\$" saved_tgids; cut -d : -f 2- trace | tail -n 2; tail -n 1 trace | grep -c -e "-$$ *( *$$) \["
printf 'abc' > trace_marker_raw
for n in 101 x 0; do echo $n > buffer_percent; done; cat buffer_percent timestamp_mode; echo 50 > buffer_percent
echo 0 > options/record-tgid
reset
