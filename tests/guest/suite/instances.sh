# instances.sh - traces beside the main one: events, functions and settings of their own.
. /suite/lib.sh
cd instances
mkdir one two; ls; mkdir one; rmdir three
ls one; cat one/available_tracers one/current_tracer one/set_event; ls one/options | grep -c -e record-cmd -e trace_printk
# One event, three consumers, each with its own filter; the main trace has none of it.
echo 'next_pid == 0' > two/events/sched/sched_switch/filter
echo 1 > one/events/sched/sched_switch/enable; echo sched:sched_switch > two/set_event
sleep 0.005
echo 0 > one/events/enable; echo > two/set_event; cat two/set_event
some() { [ $(grep -c $1 $2) -gt 0 ] && echo "$2: $1" || echo "$2: no $1"; }
some next_pid=[1-9] one/trace; some next_pid=0 two/trace; some next_pid=[1-9] two/trace; some sched_switch ../trace
echo 0 > one/tracing_on; cat one/tracing_on two/tracing_on ../tracing_on; echo 1 > one/tracing_on
echo > one/trace; echo > two/trace; echo hello > one/trace_marker; for i in one two; do grep -c hello $i/trace; done
# Two function tracers with two filters.
echo calls_once > one/set_ftrace_filter; echo fib > two/set_ftrace_filter; cat one/set_ftrace_filter ../set_ftrace_filter
echo function > one/current_tracer; echo function > two/current_tracer; echo function_graph > two/current_tracer
work_result calls 1
for i in one two; do cut -d : -f 2 $i/trace | grep -E '^ (calls_once|fib) <-' | sort -u; done
echo nop > one/current_tracer; echo > one/set_ftrace_filter
echo 17 > one/set_ftrace_pid; cat one/set_ftrace_pid two/set_ftrace_pid; echo 5 > one/set_event_pid; cat one/set_event_pid two/set_event_pid
# A command acts on its own trace.
echo calls_once:traceoff > one/set_ftrace_filter; grep traceoff one/set_ftrace_filter ../set_ftrace_filter
work_result calls 1; cat one/tracing_on two/tracing_on
# A mistake is in its own log; a snapshot is of its own rings.
echo 'prev_pid == x' > one/events/sched/sched_switch/filter 2> /dev/null; grep -c 'prev_pid == x' one/error_log ../error_log
echo 1 > one/tracing_on; echo before > one/trace_marker; echo 1 > one/snapshot; grep -c before one/snapshot one/trace two/snapshot
echo wakeup > one/current_tracer && cat one/current_tracer ../current_tracer
# It stays while a file in it is open.
sleep 0.05 < one/trace_pipe & sleep 0.01; rmdir one; wait; rmdir one; echo $?
echo 'stacktrace if next_pid == 0' > two/events/sched/sched_switch/trigger; echo 1 > two/events/enable
sleep 0.003; rmdir two; echo $?; ls; cat two/trace; cat ../set_ftrace_filter
# Made, used and removed by several tasks at once.
again() { n=0; while [ $n -lt 3 ]; do mkdir $1; echo 1 > $1/events/sched/enable; rmdir $1; n=$((n + 1)); done 2> /dev/null; }
reads() { n=0; while [ $n -lt 20 ]; do cat a/trace; n=$((n + 1)); done > /dev/null 2>&1; }
again a & again a & again b & reads &
wait; rmdir a b 2> /dev/null; ls
cd ..; reset
