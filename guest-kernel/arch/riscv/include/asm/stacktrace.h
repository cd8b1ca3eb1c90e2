/* stacktrace.h - walking the frames of a stack. */
#ifndef ASM_STACKTRACE_H
#define ASM_STACKTRACE_H

struct pt_regs;

void dump_backtrace(const struct pt_regs *regs);
void show_regs(const struct pt_regs *regs);

#endif
