# 004.sh - the kernel's guide to porting ftrace: each part that an architecture provides, here by what it makes possible.
. /seeds/lib.sh
claim 'the sites are known: available_filter_functions' test $(grep -c . available_filter_functions) -gt 500
claim 'ftrace_make_call() and ftrace_make_nop(): a site is turned on and off' sh -c \
    'echo kernel_clone > set_ftrace_filter; echo function > current_tracer; grep -c . enabled_functions > /a; echo nop > current_tracer; grep -c . enabled_functions > /b; test $(cat /a) = 1 && test $(cat /b) = 0'
claim 'ftrace_update_ftrace_func(): the tracer of a site that is on is exchanged' sh -c \
    'echo function > current_tracer; echo 1 > options/func_stack_trace; (cat /proc/version) > /x; echo 0 > tracing_on; grep -q " => kernel_clone" trace'
echo 0 > options/func_stack_trace; reset
claim 'HAVE_FUNCTION_GRAPH_TRACER: return_to_handler gives the time of a call' sh -c \
    'echo kernel_clone > set_ftrace_filter; echo function_graph > current_tracer; (cat /proc/version) > /x; echo 0 > tracing_on; grep -q "us .*kernel_clone();" trace'
reset
claim 'HAVE_SYSCALL_TRACEPOINTS: events of system calls' sh -c \
    'echo 1 > events/syscalls/sys_enter_openat/enable; cat /proc/version > /x; echo 0 > events/syscalls/enable; grep -q "sys_openat(dfd: " trace'
claim 'raw_syscalls, by number' sh -c \
    'echo 1 > events/raw_syscalls/enable; cat /proc/version > /x; echo 0 > events/raw_syscalls/enable; grep -q "sys_enter: NR 63 (" trace'
reset
claim_no_line 'what may not be traced is not offered' '^(ftrace_caller|return_to_handler|patch_insn_write)$' available_filter_functions
