/* site_ops.h - layout `atomic`: a site does not name its ops; ftrace_call_dest is used for all. */
#ifndef ARCH_FTRACE_SITE_OPS_H
#define ARCH_FTRACE_SITE_OPS_H

struct dyn_ftrace;

static inline int ftrace_rec_init_ops(const struct dyn_ftrace *rec)
{
    (void)rec;
    return 0;
}

static inline int ftrace_rec_update_ops(const struct dyn_ftrace *rec)
{
    (void)rec;
    return 0;
}

static inline int ftrace_rec_set_nop_ops(const struct dyn_ftrace *rec)
{
    (void)rec;
    return 0;
}

#endif
