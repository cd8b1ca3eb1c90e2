# absent.sh - what a kernel cannot do, it does not have.
ls /sys/kernel/tracing
cat /sys/kernel/tracing/current_tracer
echo function > /sys/kernel/tracing/current_tracer; echo $?
cat /sys/kernel/tracing/set_ftrace_filter
echo fib > /sys/kernel/tracing/set_ftrace_filter; echo $?
cat /sys/kernel/tracing/available_filter_functions /sys/kernel/tracing/enabled_functions
echo :mod:trace_sample > /sys/kernel/tracing/set_graph_function; echo $?
