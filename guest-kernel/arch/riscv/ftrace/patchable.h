/*
 * patchable.h - for the layouts whose sites are c.nop as the compiler emits them.
 *
 * Such sites call nothing; at boot they are turned into what is patched later.
 */
#ifndef FTRACE_PATCHABLE_H
#define FTRACE_PATCHABLE_H

#ifndef __ASSEMBLY__

struct module;
struct dyn_ftrace;

#define MCOUNT_ADDR 0UL

#define ftrace_init_nop ftrace_init_nop
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec);

#endif
#endif
