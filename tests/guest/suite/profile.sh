# profile.sh - how often each function was called, on all harts together.
. /suite/lib.sh
only fib ackermann even odd calls_once
# What each hart counted of a function.
hits() {
    sum=0
    for n in $(cat trace_stat/function* | grep "^  $1 " | cut -c 33-45); do sum=$((sum + n)); done
    echo "$1 $sum"
}
echo 1 > function_profile_enabled; cat function_profile_enabled
work_result calls 2
echo 0 > function_profile_enabled; cat function_profile_enabled
head -n 2 trace_stat/function0
for name in fib ackermann even odd calls_once; do hits $name; done
# A tracer beside it sees the same calls.
echo function > current_tracer; echo 1 > function_profile_enabled
work_result calls 2; echo 0 > function_profile_enabled; echo 0 > tracing_on
for name in fib ackermann even odd calls_once; do
    hits $name; grep -c ": $name <-" trace
done
reset
