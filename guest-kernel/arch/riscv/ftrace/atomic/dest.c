/*
 * dest.c - layout `atomic`: what ftrace_caller calls, by way of memory.
 *
 * Not instrumented: ftrace_caller comes right behind a site.
 */
#include <linux/ftrace.h>
#include <linux/smp.h>

/* Written under text_mutex, read by any ftrace_caller. */
ftrace_func_t ftrace_call_dest = ftrace_stub;

/* When it comes back, no hart will call what was there before. */
int ftrace_update_ftrace_func(ftrace_func_t func)
{
    WRITE_ONCE(ftrace_call_dest, func);
    kick_all_cpus_sync();
    return 0;
}
