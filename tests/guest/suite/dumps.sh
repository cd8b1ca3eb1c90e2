# dumps.sh - what calls of a function can do besides being recorded, and the sysctls of tracing.
. /suite/lib.sh
sysctl=/proc/sys/kernel
cat $sysctl/ftrace_enabled $sysctl/ftrace_dump_on_oops $sysctl/traceoff_on_warning
echo x > $sysctl/ftrace_dump_on_oops; echo 99999999999 > $sysctl/ftrace_dump_on_oops
echo 2 > $sysctl/ftrace_dump_on_oops; cat $sysctl/ftrace_dump_on_oops; echo 0 > $sysctl/ftrace_dump_on_oops

# stacktrace, counted and not; while tracing is off it does not count.
echo calls_once:stacktrace:2 >> set_ftrace_filter; grep stacktrace set_ftrace_filter
echo 0 > tracing_on; work_result calls 1; grep stacktrace set_ftrace_filter
echo 1 > tracing_on; work_result calls 3; grep stacktrace set_ftrace_filter
grep -c 'stack trace' trace; grep '=> calls_once' trace
echo '!calls_once:stacktrace:2' >> set_ftrace_filter; grep -c stacktrace set_ftrace_filter

# dump prints once, turns tracing off and takes the entries out; cpudump the calling hart's.
echo > trace; only fib
echo function > current_tracer
echo calls_once:dump >> set_ftrace_filter; echo calls_once:cpudump:7 >> set_ftrace_filter; grep dump set_ftrace_filter
work_result calls 1; cat tracing_on; grep dump set_ftrace_filter
echo 1 > tracing_on; work_result calls 1; cat tracing_on
echo '!calls_once:dump' >> set_ftrace_filter; echo '!calls_once:cpudump' >> set_ftrace_filter; grep -c dump set_ftrace_filter
only calls_once; echo > trace; work_result calls 2 
echo z > /proc/sysrq-trigger
grep -c calls_once trace; cat tracing_on

# Calls that repeat the last one are counted.
echo 1 > tracing_on; only fib; echo > trace
echo func-no-repeats > trace_options; work_result calls 1; echo nofunc-no-repeats > trace_options
grep -c repeats trace

# ftrace_enabled 0: every site off, and what is registered meanwhile waits.
only calls_once; echo > trace
echo 0 > $sysctl/ftrace_enabled; cat $sysctl/ftrace_enabled; cat enabled_functions
work_result calls 1; grep -c calls_once trace
echo nop > current_tracer; echo function_graph > current_tracer; work_result calls 1; grep -c calls_once trace
echo 7 > $sysctl/ftrace_enabled; cat $sysctl/ftrace_enabled; work_result calls 1; grep -c calls_once trace
echo nop > current_tracer

# The stack of an event, and of the program that caused it.
insmod /lib/modules/trace_sample.ko print=1
echo stacktrace > trace_options; echo userstacktrace > trace_options; echo > trace
cat /proc/trace_sample > /dev/null
grep -c 'walk 1' trace; grep -c 'user stack trace' trace; grep '=> sample_show' trace
echo nostacktrace > trace_options; echo nouserstacktrace > trace_options
rmmod trace_sample
reset
