# 002.sh - "动态函数图跟踪": the dynamic graph tracer: ftrace_graph_call, register_ftrace_graph(), return_to_handler.
. /seeds/lib.sh
echo kernel_clone > set_ftrace_filter; echo function_graph > current_tracer
claim 'with a filter only its sites are turned on' test $(grep -c . enabled_functions) -eq 1
claim_line 'one user' '^kernel_clone \(1\)' enabled_functions
fork_some; echo 0 > tracing_on
claim_line 'only that function is traced, with its time' '^ [0-9]\) .* us +\|  kernel_clone\(\);$' trace
claim 'and no other' sh -c 'test $(grep -c "()" trace) -eq $(grep -c "kernel_clone();" trace)'
echo 1 > tracing_on; echo nop > current_tracer
claim 'without the tracer no site is on' test $(grep -c . enabled_functions) -eq 0
# Function and graph tracer at one site: two users of one ftrace_caller.
echo 1 > function_profile_enabled; echo function > current_tracer
claim_line 'two users of a site are counted' '^kernel_clone \(2\)' enabled_functions
echo 0 > function_profile_enabled; echo nop > current_tracer; reset
# The depth, and the return address of a caller in a stack trace, which is not return_to_handler.
echo 2 > max_graph_depth; echo function_graph > current_tracer; fork_some; echo 0 > tracing_on
claim 'max_graph_depth limits the depth' sh -c 'grep -q "|    [a-z]" trace && ! grep -q "|      [a-z]" trace'
echo 0 > max_graph_depth; echo 1 > tracing_on
echo wake_up_new_task:stacktrace:1 > set_ftrace_filter; echo function_graph > current_tracer; fork_some; echo 0 > tracing_on
claim 'a stack under function_graph has the true callers' sh -c 'grep -q "=> kernel_clone" trace && ! grep -q "=> return_to_handler" trace'
echo '!wake_up_new_task:stacktrace:1' > set_ftrace_filter; reset
claim 'the tracers pass their own tests' selftest tracers
