/*
 * ftrace.h - call sites, what the layouts have in common.
 *
 * <layout.h> is the one in arch/riscv/ftrace/LAYOUT and describes the form of a site.
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
 * Called before an interrupt leads to preemption: the task will continue at regs->epc later,
 * and stop_machine() may patch the code there in the meantime. Moves epc out of the middle of a
 * site.
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
