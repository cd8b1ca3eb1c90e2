# module-traces.sh - a module's functions are traced as the kernel's own, while it is there.
. /suite/lib.sh
M=/lib/modules
echo :mod:trace_sample > set_ftrace_filter; cat set_ftrace_filter
insmod $M/trace_sample.ko depth=2
sort set_ftrace_filter
grep sample_ available_filter_functions | sort
echo function > current_tracer; cat /proc/trace_sample; echo 0 > tracing_on
calls_of 'sample_[a-z]* .trace_sample.'
echo 1 > tracing_on; echo function_graph > current_tracer; echo 0 > options/funcgraph-duration
echo 0 > options/funcgraph-cpu; cat /proc/trace_sample; echo 0 > tracing_on; grep sample_ trace
echo 1 > options/funcgraph-duration; echo 1 > options/funcgraph-cpu
echo 'sample_leaf:mod:trace_sample' > set_ftrace_filter; cat set_ftrace_filter
rmmod trace_sample; grep -c sample_ available_filter_functions
# What is left of the set names nothing, and is not `all functions`.
cat set_ftrace_filter; echo function > current_tracer; cat enabled_functions; echo nop > current_tracer
echo fib >> set_ftrace_filter; cat set_ftrace_filter
reset
