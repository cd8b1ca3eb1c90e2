/* stacktrace.h - stack traces. */
#ifndef ASM_STACKTRACE_H
#define ASM_STACKTRACE_H

struct pt_regs;

/* Prints the call trace of regs; NULL: of the caller. */
void dump_backtrace(const struct pt_regs *regs);
/*
 * Stores return addresses of the running task, newest first, without the first skip; returns
 * how many.
 */
unsigned int stack_trace_save(unsigned long *store, unsigned int size, unsigned int skip);
/* The same from these registers of the kernel on: their pc, then the callers. */
unsigned int stack_trace_save_regs(const struct pt_regs *regs, unsigned long *store,
                                   unsigned int size);
/*
 * The same for the user stack of the running task: its pc at entry to the kernel, then the
 * callers.
 */
unsigned int stack_trace_save_user(unsigned long *store, unsigned int size);
/* Where the calling function returns to (level 0), or its caller, and so on; 0: there is none. */
unsigned long return_address(unsigned int level);
void show_regs(const struct pt_regs *regs);

#endif
