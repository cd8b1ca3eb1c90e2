/*
 * stopped.h - for the layouts whose sites are more than one instruction.
 *
 * Sites change under stop_machine(), and a task that was preempted in the middle of a site is
 * moved to an address where both forms can be entered. The table of sites has the addresses
 * that are patched.
 */
#ifndef FTRACE_STOPPED_H
#define FTRACE_STOPPED_H

#define FTRACE_SITES_NEED_STOP_MACHINE 1
#define HAVE_FUNCTION_GRAPH_FP_TEST    1

#ifndef __ASSEMBLY__

struct pt_regs;

static inline unsigned long ftrace_call_adjust(unsigned long addr)
{
    return addr;
}

void ftrace_rewind_site(struct pt_regs *regs);

#endif
#endif
