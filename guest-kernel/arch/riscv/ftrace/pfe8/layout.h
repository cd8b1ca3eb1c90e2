/*
 * layout.h - `pfe8`, as in Linux 6.3 to 6.15: eight bytes at the entry of each function.
 *
 * The compiler emits four c.nop there, which become two nops at boot. The call links through
 * t0, which is free at a function's entry, so ra keeps the return address of the function.
 *
 *     off   nop            on   auipc t0, ftrace_caller
 *           nop                 jalr  t0, (t0)
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#include "../patchable.h"
#include "../stopped.h"

#define MCOUNT_INSN_SIZE 8

/* For pair_sites.c: the link register of a site's pair. */
#define SITE_PAIR_LINK LINK_T0

/* For entry_caller.S: the link register of a site's call, and its distance from the site. */
#define SITE_LINK        t0
#define SITE_LINK_OFFSET MCOUNT_INSN_SIZE

#ifndef __ASSEMBLY__

struct dyn_arch_ftrace {
};

#endif
#endif
