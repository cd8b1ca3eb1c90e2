# graph.sh - the tracer function_graph: calls drawn as C, cut down to what one wants to see.
. /suite/lib.sh
drawn() { grep -v '^#' trace; }
once() {
    echo > trace; echo 1 > tracing_on; work_result calls 1 > /dev/null; echo 0 > tracing_on
}
echo function_graph > current_tracer; echo 0 > tracing_on
echo 0 > options/funcgraph-duration; echo 0 > options/funcgraph-cpu; echo 0 > options/funcgraph-irqs
echo even odd calls_once > set_ftrace_filter
head -n 4 trace
once; drawn
echo 3 > max_graph_depth; once; drawn; echo 0 > max_graph_depth
echo 1 > options/funcgraph-tail; echo 2 > max_graph_depth; once; drawn
echo 0 > options/funcgraph-tail; echo 0 > max_graph_depth
echo odd > set_graph_function; cat set_graph_function; once; drawn; echo > set_graph_function
echo odd > set_graph_notrace; cat set_graph_notrace; once; drawn; echo > set_graph_notrace
echo nosuchfunction > set_graph_function; cat set_graph_function
# Only the filtered function can be a leaf that is drawn.
echo ackermann > set_ftrace_filter; once
drawn | grep -v ackermann | grep -v '^ *}' | wc -l
drawn | grep -c '{'; drawn | grep -c '}'; drawn | grep -c ';'
# What a function returns.
echo even > set_ftrace_filter; echo 1 > options/funcgraph-retval; once
drawn | grep '= '; echo 0 > options/funcgraph-retval
# With times, each line has its place; the times are the machine's own.
echo 1 > options/funcgraph-duration; echo 1 > options/funcgraph-cpu
echo odd > set_ftrace_filter; once; cat trace
for option in abstime proc overrun; do
    echo 1 > options/funcgraph-$option; head -n 4 trace; echo 0 > options/funcgraph-$option
done
reset
echo 1 > options/funcgraph-irqs
