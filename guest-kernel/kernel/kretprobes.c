/*
 * kretprobes.c - probes of the returns of a function: a kprobe at its entry hooks the return
 * address.
 *
 * Not instrumented: handlers.
 */
#include <asm/ptrace.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

enum { KRETPROBE_MAX_DATA_SIZE = 4096 };

static int __kprobes pre_handler_kretprobe(struct kprobe *p, struct pt_regs *regs)
{
    struct kretprobe *rp = container_of(p, struct kretprobe, kp);
    struct rethook_node *node = rethook_try_get(rp->rh);
    struct kretprobe_instance *ri = container_of(node, struct kretprobe_instance, node);

    if (!node) {
        rp->nmissed++;
        return 0;
    }
    if (rp->entry_handler && rp->entry_handler(ri, regs))
        rethook_recycle(node);
    else
        rethook_hook(node, regs);
    return 0;
}

bool is_kretprobe(const struct kprobe *p)
{
    return p->pre_handler == pre_handler_kretprobe;
}

/* Probes that are hit in the handler are missed, as in that of a kprobe. */
static void __kprobes kretprobe_rethook_handler(struct rethook_node *node, void *data,
                                                struct pt_regs *regs)
{
    struct kretprobe_instance *ri = container_of(node, struct kretprobe_instance, node);
    struct kretprobe *rp = data;
    struct kprobe *running = kprobe_running();
    struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
    unsigned int status = kcb->kprobe_status;

    if (!rp->handler)
        return;
    set_current_kprobe(&rp->kp);
    kcb->kprobe_status = KPROBE_HIT_ACTIVE;
    rp->handler(ri, regs);
    set_current_kprobe(running);
    kcb->kprobe_status = status;
}

static int add_instances(struct kretprobe *rp)
{
    int i;

    for (i = 0; i < rp->maxactive; i++) {
        struct kretprobe_instance *ri = kzalloc(sizeof(*ri) + rp->data_size);

        if (!ri)
            return -ENOMEM;
        rethook_add_node(rp->rh, &ri->node);
    }
    return 0;
}

int register_kretprobe(struct kretprobe *rp)
{
    int ret = kprobe_on_func_entry(rp->kp.addr, rp->kp.symbol_name, rp->kp.offset);

    if (ret)
        return ret;
    if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
        return -E2BIG;
    rp->kp.pre_handler = pre_handler_kretprobe;
    rp->kp.post_handler = NULL;
    if (rp->maxactive <= 0)
        rp->maxactive = max(10, 2 * NR_CPUS);
    rp->rh = rethook_alloc(rp, kretprobe_rethook_handler);
    if (!rp->rh)
        return -ENOMEM;
    rp->nmissed = 0;
    ret = add_instances(rp);
    if (!ret)
        ret = register_kprobe(&rp->kp);
    if (ret)
        rethook_free(rp->rh);
    return ret;
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/* Functions that have not returned yet return through the trampoline, without the handler. */
void unregister_kretprobe(struct kretprobe *rp)
{
    unregister_kprobe(&rp->kp);
    rethook_free(rp->rh);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);
