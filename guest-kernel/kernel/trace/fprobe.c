/*
 * fprobe.c - probes of the entries and returns of functions: an ftrace_ops for the entries, a
 * rethook for the returns.
 *
 * Not instrumented: sites call it.
 */
#include "ftrace_internal.h"
#include "trace_recursion.h"
#include <linux/export.h>
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

struct fprobe_rethook_node {
    struct rethook_node node;
    unsigned long entry_ip;
    u64 data[]; /* entry_data_size bytes */
};

/* ---- calls and returns ---- */

static void *data_of(const struct fprobe *fp, struct fprobe_rethook_node *fpr)
{
    return fpr && fp->entry_data_size ? fpr->data : NULL;
}

static void __kprobes hook_return(struct rethook_node *node, struct pt_regs *regs)
{
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
    rethook_hook(node, regs);
#else
    rethook_hook_slot(node, (unsigned long *)regs->s0 - 1); /* the function has its frame */
#endif
}

static void __kprobes call_entry(struct fprobe *fp, unsigned long ip, struct pt_regs *regs)
{
    struct fprobe_rethook_node *fpr = NULL;
    struct rethook_node *node;

    if (fp->exit_handler) {
        node = rethook_try_get(fp->rethook);
        if (!node) {
            fp->nmissed++;
            return;
        }
        fpr = container_of(node, struct fprobe_rethook_node, node);
        fpr->entry_ip = ip;
    }
    if (fp->entry_handler)
        fp->entry_handler(fp, ip, regs, data_of(fp, fpr));
    if (fpr)
        hook_return(&fpr->node, regs);
}

static void __kprobes fprobe_handler(unsigned long ip, unsigned long parent_ip,
                                     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
    struct fprobe *fp = container_of(ops, struct fprobe, ops);
    struct pt_regs *regs = ftrace_get_regs(fregs);
    int bit;

    (void)parent_ip;
    if (fprobe_disabled(fp) || !regs)
        return;
    preempt_disable_notrace();
    bit = ftrace_test_recursion_trylock();
    if (bit >= 0) {
        call_entry(fp, ip, regs);
        ftrace_test_recursion_unlock(bit);
    } else {
        fp->nmissed++;
    }
    preempt_enable_notrace();
}

/* A probe that is hit meanwhile is missed, and this is, if one is being handled. */
static void __kprobes fprobe_kprobe_handler(unsigned long ip, unsigned long parent_ip,
                                            struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
    static struct kprobe busy;

    preempt_disable_notrace();
    if (kprobe_running()) {
        container_of(ops, struct fprobe, ops)->nmissed++;
    } else {
        set_current_kprobe(&busy);
        get_kprobe_ctlblk()->kprobe_status = KPROBE_HIT_ACTIVE;
        fprobe_handler(ip, parent_ip, ops, fregs);
        reset_current_kprobe();
    }
    preempt_enable_notrace();
}

static void __kprobes fprobe_exit_handler(struct rethook_node *node, void *data,
                                          struct pt_regs *regs)
{
    struct fprobe_rethook_node *fpr = container_of(node, struct fprobe_rethook_node, node);
    struct fprobe *fp = data;

    if (!fprobe_disabled(fp))
        fp->exit_handler(fp, fpr->entry_ip, regs, data_of(fp, fpr));
}

/* ---- registration ---- */

static void init_fprobe(struct fprobe *fp)
{
    fp->nmissed = 0;
    fp->rethook = NULL;
    fp->ops.func = fprobe_shared_with_kprobes(fp) ? fprobe_kprobe_handler : fprobe_handler;
    /* By the list, also if it is static: the handlers must not get another ops (function_trace_op).
     */
    fp->ops.flags |= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_DYNAMIC;
    ftrace_ops_init(&fp->ops);
}

static int init_rethook(struct fprobe *fp)
{
    int n = fp->nr_maxactive;

    if (!fp->exit_handler)
        return 0;
    if (!n)
        n = ftrace_hash_count(fp->ops.func_hash->filter_hash) * nr_cpu_ids * 2;
    if (n <= 0)
        return -EINVAL;
    fp->rethook = rethook_alloc(fp, fprobe_exit_handler);
    if (!fp->rethook)
        return -ENOMEM;
    while (n--) {
        struct fprobe_rethook_node *fpr = kzalloc(sizeof(*fpr) + fp->entry_data_size);

        if (!fpr)
            return -ENOMEM;
        rethook_add_node(fp->rethook, &fpr->node);
    }
    return 0;
}

static void clean_up(struct fprobe *fp)
{
    if (fp->rethook)
        rethook_free(fp->rethook);
    fp->rethook = NULL;
    ftrace_free_filter(&fp->ops);
}

/* err: of setting the filter. */
static int finish_registration(struct fprobe *fp, int err)
{
    if (!err)
        err = init_rethook(fp);
    if (!err)
        err = register_ftrace_function(&fp->ops);
    if (err)
        clean_up(fp);
    return err;
}

int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
    int err;

    if (!fp || !filter)
        return -EINVAL;
    init_fprobe(fp);
    err = ftrace_set_filter(&fp->ops, filter, false);
    if (!err && notfilter)
        err = ftrace_set_notrace(&fp->ops, notfilter, false);
    return finish_registration(fp, err);
}
EXPORT_SYMBOL_GPL(register_fprobe);

int register_fprobe_ips(struct fprobe *fp, const unsigned long *addrs, int num)
{
    int i, err = 0;

    if (!fp || !addrs || num <= 0)
        return -EINVAL;
    init_fprobe(fp);
    for (i = 0; !err && i < num; i++)
        err = ftrace_set_filter_ip(&fp->ops, addrs[i], false, false);
    return finish_registration(fp, err);
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

int register_fprobe_syms(struct fprobe *fp, const char *const *syms, int num)
{
    unsigned long *addrs;
    int i, err = 0;

    if (!fp || !syms || num <= 0)
        return -EINVAL;
    addrs = kzalloc(num * sizeof(*addrs));
    if (!addrs)
        return -ENOMEM;
    for (i = 0; !err && i < num; i++) {
        addrs[i] = kallsyms_lookup_name(syms[i]);
        err = addrs[i] ? 0 : -ENOENT;
    }
    if (!err)
        err = register_fprobe_ips(fp, addrs, num);
    kfree(addrs);
    return err;
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

int unregister_fprobe(struct fprobe *fp)
{
    int err;

    if (!fp ||
        (fp->ops.saved_func != fprobe_handler && fp->ops.saved_func != fprobe_kprobe_handler))
        return -EINVAL;
    err = unregister_ftrace_function(&fp->ops);
    if (err)
        return err;
    fp->ops.saved_func = NULL;
    clean_up(fp);
    return 0;
}
EXPORT_SYMBOL_GPL(unregister_fprobe);
