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

#include "../patchable.h"
#include "../stopped.h"

#define MCOUNT_INSN_SIZE 16
/* From a site to where its call comes back to. */
#define FENTRY_RA_OFFSET 12

#ifndef __ASSEMBLY__

struct dyn_arch_ftrace {
};

#endif
#endif
