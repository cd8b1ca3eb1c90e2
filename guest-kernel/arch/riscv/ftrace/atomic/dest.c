/*
 * dest.c - layout `atomic`: the function that ftrace_caller calls, in a variable.
 *
 * Not instrumented: every traced function enters ftrace_caller, which reads it.
 */
#include <linux/ftrace.h>
#include <linux/smp.h>

/* Written under text_mutex, read by ftrace_caller on any hart. */
ftrace_func_t ftrace_call_dest = ftrace_stub;

/* After its return no hart will call the previous function any more. */
int ftrace_update_ftrace_func(ftrace_func_t func)
{
    WRITE_ONCE(ftrace_call_dest, func);
    kick_all_cpus_sync();
    return 0;
}
