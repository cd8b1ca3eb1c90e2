/*
 * layout.h - `mcount`, as in Linux 4.18 to 5.11: -pg, and the calls are patched.
 *
 * The compiler emits `mv a0,ra` and an auipc/jalr pair to _mcount after each prologue. The pair
 * is patched: eight bytes, on a 2-byte boundary.
 *
 *     off   nop            on   auipc ra, ftrace_caller
 *           nop                 jalr  ra, (ra)
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#include "../stopped.h"

#define MCOUNT_INSN_SIZE 8

/* For pair_sites.c: the prologue has saved ra. */
#define SITE_PAIR_LINK LINK_RA

#ifndef __ASSEMBLY__

void _mcount(void);

#define MCOUNT_ADDR ((unsigned long)_mcount)

struct dyn_arch_ftrace {
};

#endif
#endif
