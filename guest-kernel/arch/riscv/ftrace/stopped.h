/*
 * stopped.h - for the layouts whose sites are more than one instruction.
 *
 * While one changes all harts stand still, and a task that was preempted in the
 * middle of one is moved to where either form can be entered.  The table of
 * sites has the address of what is patched.
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
