# functions.sh - the tracer function: each call once, with its caller, in order.
. /suite/lib.sh
workload='fib|ackermann|even|odd|calls_once'
only fib ackermann even odd calls_once
echo function > current_tracer
work_result calls 3
echo 0 > tracing_on
head -n 1 trace
calls_of "$workload"
cut -d : -f 2 trace | grep -E '^ (even|odd|calls_once) <-' | head -n 12
echo stopped records nothing
work_result calls 1
calls_of "$workload"
echo > trace; calls_of "$workload"
echo 1 > tracing_on; work_result calls 1; echo 0 > tracing_on
calls_of "$workload"
echo nop > current_tracer; calls_of "$workload"
echo 1 > tracing_on; work_result calls 1; calls_of "$workload"
reset
