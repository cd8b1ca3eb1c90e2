# stacks.sh - a walk of the stack begins with the function, whatever its layout's trampoline looks like.
. /suite/lib.sh
only calls_once
echo 1 > options/func_stack_trace; echo function > current_tracer
work_result calls 1; echo 0 > tracing_on
n=$(grep -n '=> calls_once' trace | head -n 1 | cut -d : -f 1)
head -n $((n + 1)) trace | tail -n 2
echo 0 > options/func_stack_trace
reset
