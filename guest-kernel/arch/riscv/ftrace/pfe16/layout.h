/*
 * layout.h - `pfe16`, as in Linux 5.12 to 6.2: sixteen bytes at the entry of each function.
 *
 * The compiler leaves eight c.nop there, which boot merges to four nops.  The
 * call links through ra, so the site itself keeps the way back to the caller,
 * in the word below sp.
 *
 *     off   nop            on   sd    ra, -8(sp)
 *           nop                 auipc ra, ftrace_caller
 *           nop                 jalr  ra, (ra)
 *           nop                 ld    ra, -8(sp)
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#define MCOUNT_INSN_SIZE 16
/* From a site to where its call comes back to. */
#define FENTRY_RA_OFFSET               12
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
