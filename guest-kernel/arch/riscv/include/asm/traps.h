/* traps.h - what entry.S calls, and what that calls. */
#ifndef ASM_TRAPS_H
#define ASM_TRAPS_H

struct pt_regs;

void do_irq(struct pt_regs *regs);
void do_trap_exception(struct pt_regs *regs);
/* With interrupts off, at the end of every trap from U-mode, whose registers are regs. */
void exit_to_user_mode(struct pt_regs *regs);

void do_page_fault(struct pt_regs *regs);
/* The kernel did something that it cannot go on from. */
_Noreturn void die(struct pt_regs *regs);

#endif
