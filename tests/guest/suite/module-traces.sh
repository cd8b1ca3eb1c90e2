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
# So with the graph tracer's.
insmod $M/trace_sample.ko depth=2
echo sample_branch fib > set_graph_function; echo sample_leaf > set_graph_notrace; rmmod trace_sample
insmod $M/trace_sample.ko depth=2; cat set_graph_function set_graph_notrace; rmmod trace_sample
echo > set_graph_function; echo > set_graph_notrace
# Also where somebody has the file open meanwhile, and writes back what he found.
insmod $M/trace_sample.ko depth=2
echo sample_branch fib > set_graph_function; echo sample_branch even > set_ftrace_filter
exec 3>> set_graph_function; exec 4>> set_ftrace_filter; rmmod trace_sample
insmod $M/trace_sample.ko depth=2; exec 3>&-; exec 4>&-
cat set_graph_function set_ftrace_filter; rmmod trace_sample
echo > set_graph_function; echo fib > set_ftrace_filter
# A command for a module's function goes with it, also where another function comes to lie there.
insmod $M/trace_sample.ko depth=2
echo 'sample_leaf:traceoff' 'odd:traceon' >> set_ftrace_filter; cat set_ftrace_filter
rmmod trace_sample; cat set_ftrace_filter
insmod $M/trace_sample.ko depth=2; echo 1 > tracing_on; cat /proc/trace_sample; cat tracing_on
echo 'even:traceoff' >> set_ftrace_filter; cat /proc/trace_sample; cat tracing_on
cut -d ' ' -f 1 enabled_functions | sort
echo '!*:traceoff' '!*:traceon' >> set_ftrace_filter; rmmod trace_sample; cat set_ftrace_filter
reset
