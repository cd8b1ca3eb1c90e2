/*
 * layout.h - `mcount`, as in Linux 4.18 to 5.11: -pg, and the calls patched.
 *
 * The compiler emits `mv a0,ra` and an auipc/jalr pair to _mcount behind each
 * prologue.  The pair is what is patched: eight bytes, on a 2-byte boundary.
 *
 *     off   nop            on   auipc ra, ftrace_caller
 *           nop                 jalr  ra, (ra)
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#define MCOUNT_INSN_SIZE               8
#define FTRACE_SITES_NEED_STOP_MACHINE 1
#define HAVE_FUNCTION_GRAPH_FP_TEST    1

#ifndef __ASSEMBLY__

struct pt_regs;

void _mcount(void);

#define MCOUNT_ADDR ((unsigned long)_mcount)

/* The table has the address of the pair itself, and nothing more is to be known of it. */
static inline unsigned long ftrace_call_adjust(unsigned long addr)
{
    return addr;
}

struct dyn_arch_ftrace {
};

void ftrace_rewind_site(struct pt_regs *regs);

#endif
#endif
