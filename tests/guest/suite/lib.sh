# lib.sh - for the guest's scripts: where the tracer's files are, and which parts of a trace are the same each time.
T=/sys/kernel/tracing
cd $T 2>/dev/null

# Whether sites are patched, so that there are sets of them.
dynamic() { [ -e $T/set_ftrace_filter ]; }
# Which functions a tracer is to see; where there are no sets it sees all.
only() { dynamic && echo "$@" > $T/set_ftrace_filter; true; }
# What the last trace has of these functions (a regular expression): callee and caller, how often.
calls_of() { cut -d : -f 2 $T/trace | grep -E "^ ($1) <-" | sort | uniq -c; }
# `work`, without what depends on the machine.
work_result() { work "$@" | cut -d ' ' -f 1-5; }
# As after boot.
reset() {
    echo nop > current_tracer
    dynamic && for f in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace; do
        echo > $f
    done
    echo > set_ftrace_pid; echo > set_ftrace_notrace_pid
    echo 0 > max_graph_depth; echo 1 > tracing_on; echo > trace
}
