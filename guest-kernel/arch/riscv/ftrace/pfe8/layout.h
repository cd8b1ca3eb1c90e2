/*
 * layout.h - `pfe8`, as in Linux 6.3 to 6.15: eight bytes at the entry of each function.
 *
 * The compiler leaves four c.nop there, which boot merges to two nops.  The
 * call links through t0, which nobody needs at a function's entry, so that ra
 * keeps the way back to the caller.
 *
 *     off   nop            on   auipc t0, ftrace_caller
 *           nop                 jalr  t0, (t0)
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#define MCOUNT_INSN_SIZE               8
#define FTRACE_SITES_NEED_STOP_MACHINE 1
#define HAVE_FUNCTION_GRAPH_FP_TEST    1

#ifndef __ASSEMBLY__

struct pt_regs;
struct module;
struct dyn_ftrace;

/* As compiled a site calls nothing. */
#define MCOUNT_ADDR 0UL

static inline unsigned long ftrace_call_adjust(unsigned long addr)
{
    return addr;
}

struct dyn_arch_ftrace {
};

#define ftrace_init_nop ftrace_init_nop
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec);

void ftrace_rewind_site(struct pt_regs *regs);

#endif
#endif
