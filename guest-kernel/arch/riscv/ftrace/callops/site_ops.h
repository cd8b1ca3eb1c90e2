/* site_ops.h - layout `callops`: the literal before each function, which names its ops. */
#ifndef ARCH_FTRACE_SITE_OPS_H
#define ARCH_FTRACE_SITE_OPS_H

struct dyn_ftrace;

/* From the compiler's nops to ftrace_nop_ops. */
int ftrace_rec_init_ops(const struct dyn_ftrace *rec);
/* To the only ops that wants this function, or to the list; before the site calls. */
int ftrace_rec_update_ops(const struct dyn_ftrace *rec);
/* When the site does not call any more. */
int ftrace_rec_set_nop_ops(const struct dyn_ftrace *rec);

#endif
