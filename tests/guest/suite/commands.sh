# commands.sh - a call of a function turns tracing on or off, for good or a number of times.
. /suite/lib.sh
state() { echo "$1: tracing_on $(cat tracing_on)"; }
echo fib ackermann even odd calls_once > set_ftrace_filter
echo 'even:traceoff' >> set_ftrace_filter; sort set_ftrace_filter
echo function > current_tracer; work_result calls 1; state 'after even'
# Nothing behind the call of even is there.
cut -d : -f 2 trace | grep -E '^ (even|odd) <-'
cut -d : -f 2 trace | grep -c '^ fib <-'
echo '!even:traceoff' >> set_ftrace_filter; sort set_ftrace_filter
echo 1 > tracing_on; work_result calls 1; state 'without it'
# Only between the two.
echo > trace; echo 0 > tracing_on
echo 'ackermann:traceon' 'even:traceoff' >> set_ftrace_filter
work_result calls 1; state 'after both'
calls_of 'fib|ackermann|even|odd|calls_once'
echo '!ackermann:traceon' '!even:traceoff' >> set_ftrace_filter
# A count goes down when tracing changes, and not when it is off already.
echo nop > current_tracer; echo > set_ftrace_filter; echo 1 > tracing_on
echo 'calls_once:traceoff:2' > set_ftrace_filter; cat set_ftrace_filter
for n in 1 2 3; do
    work_result calls 2; state "time $n"; grep traceoff set_ftrace_filter; echo 1 > tracing_on
done
echo 'even:traceoff' >> set_ftrace_filter; grep -c traceoff set_ftrace_filter
echo '!calls_once:traceoff' >> set_ftrace_filter; echo $?
echo '!calls_once:traceoff:0' >> set_ftrace_filter; echo '!*:traceoff' >> set_ftrace_filter
cat set_ftrace_filter
# Patterns, and what is refused.
echo 'tree_[fh]*:traceon:7' >> set_ftrace_filter; sort set_ftrace_filter
echo '!tree_*:traceon:0' >> set_ftrace_filter; cat set_ftrace_filter enabled_functions
echo 'nosuchfunction:traceoff' >> set_ftrace_filter
echo 'fib:nosuchcommand' >> set_ftrace_filter
echo 'fib:traceoff:x' >> set_ftrace_filter
echo 'fib:traceoff' >> set_ftrace_notrace
echo '!fib:traceoff' >> set_ftrace_filter
cat set_ftrace_filter
reset
