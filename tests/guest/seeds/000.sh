# 000.sh - "ftrace 的实现": the function and graph tracers, the latency tracers, struct tracer's calls, the mount on demand.
. /seeds/lib.sh
# The frame: tracers register themselves; debugfs mounts tracefs when the path is looked up.
claim_line 'debugfs mounts tracefs on the first access' '^tracefs /sys/kernel/debug/tracing tracefs ' /proc/mounts
claim_line 'each tracer that is registered can be chosen' '^(.* )?function_graph .*irqsoff function nop$' available_tracers
claim 'an unknown one cannot' sh -c '! echo nothing > current_tracer 2> /x'
# init() when the tracer is chosen, stop() and start() at tracing_on.
echo 0 > tracing_on; echo function > current_tracer; fork_some
claim_no_line 'a tracer that was stopped records nothing' '<-' trace
echo 1 > tracing_on; fork_some; echo 0 > tracing_on
claim_line 'when it is started it does' ' kernel_clone <-__riscv_sys_clone$' trace
claim_line 'an entry is the function and its caller' ' do_exit <-__riscv_sys_exit(_group)?$' trace
claim_no_line 'the tracer is not traced' ' (function_trace_call|ring_buffer_lock_reserve|ftrace_caller) <-' trace
# The graph tracer.
reset; echo kernel_clone > set_graph_function; echo function_graph > current_tracer; fork_some; echo 0 > tracing_on
claim_line 'function_graph shows calls as C' '^ [0-9]\) .* \|  kernel_clone\(\) \{$' trace
claim_line 'calls in a function are further right' '^ [0-9]\) .* \|    copy_process\(\) \{$' trace
claim_line 'a function that calls none has its time' '^ [0-9]\) +[0-9.]+ us +\|  +[a-z_]+\(\);$' trace
claim_line 'the time of the others is at their end' '^ [0-9]\) +[!+# ]*[0-9.]+ us +\|  \}$' trace
echo > set_graph_function; reset
# trace_options: the trace's own, and those of the current tracer with their first values; "no" turns one off.
claim_no_line 'without the tracer its options are not in trace_options' '^(no)?funcgraph-' trace_options
echo function_graph > current_tracer; grep -E '^(no)?(funcgraph-|sleep-time|graph-time)' trace_options | sort > /o
for option in nofuncgraph-overrun funcgraph-cpu funcgraph-overhead nofuncgraph-proc funcgraph-duration nofuncgraph-abstime \
    funcgraph-irqs nofuncgraph-tail sleep-time graph-time; do
    claim_line "function_graph begins with $option" "^$option\$" /o
done
echo funcgraph-tail > trace_options; echo nofuncgraph-cpu > trace_options; echo kernel_clone > set_graph_function; fork_some
claim_line 'an option of the tracer: the name after }' '\|  \} /\* kernel_clone \*/$' trace
claim_no_line 'and without it the hart' '^ [0-9]\).* us ' trace
echo nofuncgraph-tail > trace_options; echo funcgraph-cpu > trace_options; echo > set_graph_function
claim 'set_flag() of the tracer is called by options/, too' sh -c \
    'echo 1 > options/funcgraph-proc && grep -qx funcgraph-proc trace_options && echo 0 > options/funcgraph-proc && grep -qx nofuncgraph-proc trace_options'
claim 'an option that does not exist is refused' sh -c '! echo nosuch > trace_options 2> /x'
reset
# irqsoff, preemptoff, preemptirqsoff.
for tracer in irqsoff preemptoff preemptirqsoff; do
    echo 0 > tracing_max_latency; echo $tracer > current_tracer; fork_some; echo 0 > tracing_on
    claim_line "$tracer: the longest section" "^# latency: [1-9][0-9]* us, #[0-9]+/[0-9]+, CPU#[0-9] \| " trace
    claim_line "$tracer: where it began and ended" '^#  => started at: [a-z_]+$' trace
    claim_line "$tracer: tracing_max_latency is its length" "^# latency: $(cat tracing_max_latency) us" trace
    echo 1 > tracing_on; echo nop > current_tracer
done
