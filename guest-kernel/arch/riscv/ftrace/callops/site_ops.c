/*
 * site_ops.c - layout `callops`: writes the address of a site's ops; see site_ops.h.
 *
 * Not instrumented, like sites.c.
 */
#include "site_ops.h"
#include "../code.h"
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <asm/patch.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/ftrace.h>

_Static_assert(__builtin_offsetof(struct ftrace_ops, func) == FTRACE_OPS_FUNC, "FTRACE_OPS_FUNC");

static const u16 compiled[] = {CNOP2, CNOP2, CNOP2, CNOP2};

static unsigned long literal_of(const struct dyn_ftrace *rec)
{
    return rec->ip - MCOUNT_AUIPC_SIZE - FTRACE_LITERAL_SIZE;
}

/* One store: a hart reads the old ops or the new. It is data, so it needs no fence.i. */
static int set_ops(const struct dyn_ftrace *rec, const struct ftrace_ops *ops)
{
    unsigned long flags;
    int ret;

    raw_local_irq_save(flags);
    ret = patch_insn_write((void *)literal_of(rec), &ops, sizeof(ops)) ? -EPERM : 0;
    smp_wmb();
    raw_local_irq_restore(flags);
    return ret;
}

int ftrace_rec_init_ops(const struct dyn_ftrace *rec)
{
    int ret = literal_of(rec) % sizeof(void *) ? -EINVAL : 0;

    if (!ret)
        ret = check_code(literal_of(rec), compiled, sizeof(compiled));
    return ret ? ret : set_ops(rec, &ftrace_nop_ops);
}

int ftrace_rec_update_ops(const struct dyn_ftrace *rec)
{
    const struct ftrace_ops *ops = &ftrace_list_ops;

    if (rec->flags & FTRACE_FL_CALL_OPS_EN)
        ops = ftrace_find_unique_ops(rec);
    return WARN_ON(!ops) ? -EINVAL : set_ops(rec, ops);
}

int ftrace_rec_set_nop_ops(const struct dyn_ftrace *rec)
{
    return set_ops(rec, &ftrace_nop_ops);
}

/* There is no common function: each site has its own ops. */
int ftrace_update_ftrace_func(ftrace_func_t func)
{
    (void)func;
    return 0;
}
