/*
 * layout.h - `pfe16`, as in Linux 5.12 to 6.2: sixteen bytes at the entry of each function.
 *
 * The compiler emits eight c.nop there, which become four nops at boot. The call links through
 * ra, so the site itself saves the return address of the function in the word below sp.
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
/* Distance from a site to the return address of its call. */
#define FENTRY_RA_OFFSET 12

/* For entry_caller.S: the link register of a site's call, and its distance from the site. */
#define SITE_LINK        ra
#define SITE_LINK_OFFSET FENTRY_RA_OFFSET
#define SITE_SAVES_RA    /* the site itself stores ra in the word below sp */

#ifndef __ASSEMBLY__

struct dyn_arch_ftrace {
};

#endif
#endif
