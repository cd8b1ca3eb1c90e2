/* stacktrace.h - walking the frames of a stack. */
#ifndef ASM_STACKTRACE_H
#define ASM_STACKTRACE_H

struct pt_regs;

void dump_backtrace(const struct pt_regs *regs);
/* Return addresses of the running task, the newest first, without the first skip. */
unsigned int stack_trace_save(unsigned long *store, unsigned int size, unsigned int skip);
/* Of the program of the running task: where it entered the kernel, then its callers. */
unsigned int stack_trace_save_user(unsigned long *store, unsigned int size);
void show_regs(const struct pt_regs *regs);

#endif
