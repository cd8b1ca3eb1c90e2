/*
 * layout.h - `atomic`, as in Linux since 6.16: one aligned store turns a site on or off.
 *
 * The compiler emits four c.nop at the entry of each function, on a 4-byte boundary. At boot
 * the first two become an auipc for good; only the other word changes. It is one instruction,
 * replaced by one store, so no hart has to be stopped, and a hart may safely run the old one
 * for a while. t0 is free at a function's entry.
 *
 *     off   auipc t0, ftrace_caller      on   auipc t0, ftrace_caller
 *           nop                               jalr  t0, (t0)
 *
 * rec->ip is the address of the second instruction.
 */
#ifndef FTRACE_LAYOUT_ATOMIC_H
#define FTRACE_LAYOUT_ATOMIC_H

#include "../patchable.h"

#define MCOUNT_INSN_SIZE  4
#define MCOUNT_AUIPC_SIZE 4
/* Bytes between the address in the table and the function. */
#ifndef FTRACE_LITERAL_SIZE
#define FTRACE_LITERAL_SIZE 0
#endif

#ifndef __ASSEMBLY__

struct dyn_ftrace;
struct ftrace_ops;

static inline unsigned long ftrace_call_adjust(unsigned long addr)
{
    return addr + FTRACE_LITERAL_SIZE + MCOUNT_AUIPC_SIZE;
}

struct dyn_arch_ftrace {
};

/*
 * What ftrace_caller saves for every tracer: the arguments and the return, but not all
 * registers.
 */
#define ftrace_regs ftrace_regs
struct ftrace_regs {
    unsigned long epc; /* where the traced function continues */
    unsigned long ra, sp, s0, t1;
    unsigned long a0, a1, a2, a3, a4, a5, a6, a7;
};

#define arch_ftrace_get_regs(fregs) ((void)(fregs), (struct pt_regs *)0)

static inline void ftrace_regs_set_instruction_pointer(struct ftrace_regs *fregs, unsigned long ip)
{
    fregs->epc = ip;
}

/* The graph tracer is called like any other ftrace_ops. */
#define ftrace_graph_func ftrace_graph_func
void ftrace_graph_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                       struct ftrace_regs *fregs);

#endif

/* Offsets for ftrace_caller.S; sites.c checks them. */
#define FREGS_EPC  0
#define FREGS_RA   8
#define FREGS_SP   16
#define FREGS_S0   24
#define FREGS_T1   32
#define FREGS_A0   40
#define FREGS_SIZE 104

#endif
