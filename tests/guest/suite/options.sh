# options.sh - each option is a name in trace_options and a file in options/, and both say the same.
. /suite/lib.sh
cat trace_options
for option in $(ls options); do
    was=$(cat options/$option)
    echo 2 > options/$option 2> /dev/null && echo "$option takes a 2"
    echo 1 > options/$option 2> /dev/null; one=$(cat options/$option)
    echo 0 > options/$option; zero=$(cat options/$option)
    echo $was > options/$option
    echo "$option: was $was, takes $one $zero, is $(cat options/$option)"
done
echo sym-addr > trace_options; cat options/sym-addr; echo nosym-addr > trace_options; cat options/sym-addr
echo nosuch > trace_options; echo nonosuch > trace_options; echo test_nop_refuse > trace_options
echo funcgraph-tail > trace_options
echo function_graph > current_tracer; echo funcgraph-tail > trace_options; cat options/funcgraph-tail
grep funcgraph trace_options; echo nofuncgraph-tail > trace_options
only calls_once; echo function > current_tracer; work_result calls 1; echo 0 > tracing_on
last() { grep 'calls_once' trace | head -n 1; }
last
for option in noprint-parent sym-offset latency-format verbose noverbose nolatency-format nosym-offset nocontext-info; do
    echo $option > trace_options; echo "$option:"; last
done
echo context-info > trace_options; echo print-parent > trace_options; echo noirq-info > trace_options
grep CPU# trace; last; echo irq-info > trace_options
# An idle hart that has work to do: need-resched of the task alone, as preempt_count has no bit for it on RISC-V.
only __schedule; echo > trace; echo 1 > tracing_on; sleep 0.005; echo 0 > tracing_on
grep '__schedule <-cpu_startup_entry' trace | cut -c 32-35 | sort -u
echo nomarkers > trace_options; echo x > trace_marker; echo markers > trace_options
reset
