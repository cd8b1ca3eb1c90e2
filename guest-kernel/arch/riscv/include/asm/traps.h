/* traps.h - the trap handlers that entry.S calls, and page faults. */
#ifndef ASM_TRAPS_H
#define ASM_TRAPS_H

struct pt_regs;

void do_irq(struct pt_regs *regs);
void do_trap_exception(struct pt_regs *regs);
/* The same for a breakpoint, which may be a kprobe's. */
void do_trap_break(struct pt_regs *regs);
/*
 * Called with interrupts off at the end of every trap from U-mode, whose registers are regs:
 * reschedules and delivers signals.
 */
void exit_to_user_mode(struct pt_regs *regs);

void do_page_fault(struct pt_regs *regs);
/* Reports an exception in the kernel that cannot be handled, and panics. */
_Noreturn void die(struct pt_regs *regs);

#endif
