# pids.sh - whose calls are traced.
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
echo x > set_ftrace_pid; echo 40000 > set_ftrace_pid; cat set_ftrace_pid
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
