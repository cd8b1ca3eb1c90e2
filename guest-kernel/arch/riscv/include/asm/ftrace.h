/*
 * ftrace.h - call sites.
 *
 * What a site looks like is the layout's: <layout.h> is the one in
 * arch/riscv/ftrace/LAYOUT.  Here is what the layouts have in common.
 */
#ifndef ASM_FTRACE_H
#define ASM_FTRACE_H

#ifdef CONFIG_FUNCTION_TRACER

#include <layout.h>

#ifndef __ASSEMBLY__

void ftrace_caller(void);
void ftrace_regs_caller(void);
void return_to_handler(void);
void prepare_ftrace_return(unsigned long *parent, unsigned long self_addr,
                           unsigned long frame_pointer);

#endif
#endif

#ifndef __ASSEMBLY__

struct pt_regs;

/*
 * An interrupt is about to lead to preemption: the task will stay parked at
 * regs->epc while, perhaps, stop_machine patches the very instructions there.
 * Moves it to where any of their forms can be entered.
 */
#ifdef FTRACE_SITES_NEED_STOP_MACHINE
void ftrace_rewind_pair(struct pt_regs *regs);
#else
static inline void ftrace_rewind_pair(struct pt_regs *regs)
{
    (void)regs;
}
#endif

#endif
#endif
