# 000.sh - "ftrace 的实现": the function and graph tracers, the latency tracers, struct tracer's calls, the mount on demand.
. /seeds/lib.sh
# The frame: tracers register themselves; debugfs mounts tracefs when the path is looked up.
claim 'debugfs mounts tracefs on the first access' has /proc/mounts '^tracefs /sys/kernel/debug/tracing tracefs '
claim 'each tracer that is registered can be chosen' has available_tracers '^(.* )?function_graph .*irqsoff function nop$'
claim 'an unknown one cannot' sh -c '! echo nothing > current_tracer 2> /x'
# init() when the tracer is chosen, stop() and start() at tracing_on.
echo 0 > tracing_on; echo function > current_tracer; fork_some
claim 'a tracer that was stopped records nothing' lacks trace '<-'
echo 1 > tracing_on; fork_some; echo 0 > tracing_on
claim 'when it is started it does' has trace ' kernel_clone <-__riscv_sys_clone$'
claim 'an entry is the function and its caller' has trace ' do_exit <-__riscv_sys_exit(_group)?$'
claim 'the tracer is not traced' lacks trace ' (function_trace_call|ring_buffer_lock_reserve|ftrace_caller) <-'
# The graph tracer.
reset; echo kernel_clone > set_graph_function; echo function_graph > current_tracer; fork_some; echo 0 > tracing_on
claim 'function_graph shows calls as C' has trace '^ [0-9]\) .* \|  kernel_clone\(\) \{$'
claim 'calls in a function are further right' has trace '^ [0-9]\) .* \|    copy_process\(\) \{$'
claim 'a function that calls none has its time' has trace '^ [0-9]\) +[0-9.]+ us +\|  +[a-z_]+\(\);$'
claim 'the time of the others is at their end' has trace '^ [0-9]\) +[!+# ]*[0-9.]+ us +\|  \}$'
echo > set_graph_function; reset
# trace_options: the trace's own, and those of the current tracer with their first values; "no" turns one off.
claim 'without the tracer its options are not in trace_options' lacks trace_options '^(no)?funcgraph-'
echo function_graph > current_tracer; grep -E '^(no)?(funcgraph-|sleep-time|graph-time)' trace_options | sort > /o
for option in nofuncgraph-overrun funcgraph-cpu funcgraph-overhead nofuncgraph-proc funcgraph-duration nofuncgraph-abstime \
    funcgraph-irqs nofuncgraph-tail sleep-time graph-time; do
    claim "function_graph begins with $option" has /o "^$option\$"
done
echo funcgraph-tail > trace_options; echo nofuncgraph-cpu > trace_options; echo kernel_clone > set_graph_function; fork_some
claim 'an option of the tracer: the name after }' has trace '\|  \} /\* kernel_clone \*/$'
claim 'and without it the hart' lacks trace '^ [0-9]\).* us '
echo nofuncgraph-tail > trace_options; echo funcgraph-cpu > trace_options; echo > set_graph_function
claim 'set_flag() of the tracer is called by options/, too' sh -c \
    'echo 1 > options/funcgraph-proc && grep -qx funcgraph-proc trace_options && echo 0 > options/funcgraph-proc && grep -qx nofuncgraph-proc trace_options'
claim 'an option that does not exist is refused' sh -c '! echo nosuch > trace_options 2> /x'
reset
# irqsoff, preemptoff, preemptirqsoff.
for tracer in irqsoff preemptoff preemptirqsoff; do
    echo 0 > tracing_max_latency; echo $tracer > current_tracer; fork_some; echo 0 > tracing_on
    claim "$tracer: the longest section" has trace "^# latency: [1-9][0-9]* us, #[0-9]+/[0-9]+, CPU#[0-9] \| "
    claim "$tracer: where it began and ended" has trace '^#  => started at: [a-z_]+$'
    claim "$tracer: tracing_max_latency is its length" has trace "^# latency: $(cat tracing_max_latency) us"
    echo 1 > tracing_on; echo nop > current_tracer
done
