/*
 * site_ops.h - layout `callops`: the literal before each function, the address of its ops.
 *
 * All functions return 0 or a negative error.
 */
#ifndef ARCH_FTRACE_SITE_OPS_H
#define ARCH_FTRACE_SITE_OPS_H

struct dyn_ftrace;

/* Replaces the compiler's nops by the address of ftrace_nop_ops. */
int ftrace_rec_init_ops(const struct dyn_ftrace *rec);
/* Sets the only ops that traces this function, or ftrace_list_ops; before the site is turned on. */
int ftrace_rec_update_ops(const struct dyn_ftrace *rec);
/* Sets ftrace_nop_ops; after the site is turned off. */
int ftrace_rec_set_nop_ops(const struct dyn_ftrace *rec);

#endif
