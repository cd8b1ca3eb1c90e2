# stack-tracer.sh - the deepest kernel stack, and what each function takes of it.
. /suite/lib.sh
enabled=/proc/sys/kernel/stack_tracer_enabled
cat $enabled stack_max_size stack_trace | grep -v echo
echo nosuch_function > stack_trace_filter; cat stack_trace_filter
echo deep_down deep_once fib > stack_trace_filter; cat stack_trace_filter
echo 1 > $enabled; cat $enabled; work_result deep 1; work_result calls 1; echo 0 > $enabled
# Depths and sizes depend on the layout; the rest, and that they fit, do not.
head -n 2 stack_trace | cut -d '(' -f 1; [ $(grep -c deep_down stack_trace) -ge 60 ] && echo sixty times deeper; grep -c deep_once stack_trace
max=$(cat stack_max_size); first=$(grep ' 0) ' stack_trace | cut -c 5-13)
[ $max -eq $first ] && [ $max -gt 500 ] && [ $max -lt 16384 ] && echo the first line has the depth
sum=0
for size in $(grep '[0-9])' stack_trace | cut -c 14-21); do sum=$((sum + size)); done
[ $sum -eq $max ] && echo the sizes are all of it
tail -n 1 stack_trace | cut -d + -f 1 | cut -c 25-
echo 0 > stack_max_size; cat stack_max_size; work_result calls 1; cat stack_max_size
echo 1 > $enabled; work_result calls 1; cat stack_max_size > /max; [ $(cat /max) -gt 0 ] && echo measured again
echo 0 > $enabled; echo > stack_trace_filter; cat stack_trace_filter; echo 0 > stack_max_size; echo x > stack_max_size
reset
