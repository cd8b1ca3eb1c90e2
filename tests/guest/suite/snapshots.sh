# snapshots.sh - the second set of rings: what was traced until now is kept, and tracing goes on.
. /suite/lib.sh
only fib
marks() { echo "trace: $(grep -c mark trace) snapshot: $(grep -c mark snapshot)"; }
cat snapshot
echo 0 > snapshot; echo one mark > trace_marker; echo 1 > snapshot
marks
echo two mark > trace_marker; echo three mark > trace_marker; marks
grep mark_write snapshot | cut -d : -f 2-; grep mark_write trace | cut -d : -f 2-
echo 1 > snapshot; marks
echo 2 > snapshot; marks; grep allocated snapshot
echo 0 > snapshot; marks; grep freed snapshot
echo x > snapshot; echo 0 > per_cpu/cpu0/snapshot; grep -c 'echo 1' per_cpu/cpu0/snapshot
echo > trace; echo 1 > tracing_on; echo 1 > snapshot; echo 2 > snapshot; echo > trace
echo four mark > trace_marker; for c in per_cpu/cpu*; do echo 1 > $c/snapshot; done
cat per_cpu/cpu*/snapshot | grep -c 'four mark'; cat per_cpu/cpu*/trace | grep -c 'four mark'; echo 0 > snapshot
# By the call of a function; without memory for it, a snapshot ends the trace.
echo 'even:snapshot:1' > set_ftrace_filter; grep snapshot set_ftrace_filter
echo > trace; echo five mark > trace_marker; work_result calls 1
echo six mark > trace_marker; marks
grep 'even:' set_ftrace_filter; echo '!even:snapshot:1' > set_ftrace_filter
echo 'even:snapshot' > set_ftrace_filter; echo 0 > snapshot
echo > trace; echo 1 > tracing_on; work_result calls 1; grep -F '***' trace | cut -d : -f 3; cat tracing_on
echo '!even:snapshot' > set_ftrace_filter; cat set_ftrace_filter; echo 1 > tracing_on; echo > trace
# The largest latency, and the least one that counts.
cat tracing_max_latency tracing_thresh
echo 12 > tracing_max_latency; cat tracing_max_latency; echo 0 > tracing_max_latency; echo x > tracing_thresh
echo 1000000 > tracing_thresh; echo function_graph > current_tracer; work_result tree 1
echo 0 > tracing_on; grep -c 'us' trace; echo 0 > tracing_thresh; echo 1 > tracing_on; echo > trace
only tree_once; echo function_graph > current_tracer; echo nop > current_tracer
echo 1 > tracing_thresh; echo function_graph > current_tracer; work_result tree 1; echo 0 > tracing_on
tail -n 1 trace | cut -d '|' -f 2; echo 0 > tracing_thresh
reset
