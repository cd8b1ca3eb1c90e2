/*
 * kprobes.c - registers probes, and calls their handlers.
 *
 * A place has one entry in the table. If several probes are registered there, that is an aggregate,
 * whose handlers call theirs. Handlers find the entry with preemption off; it is freed, and its
 * slot used again, after a grace period.
 *
 * Not instrumented: handlers of sites call it.
 */
#include "kprobes_internal.h"
#include <asm/patch.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

DEFINE_MUTEX(kprobe_mutex);
struct kprobe *kprobe_table[KPROBE_TABLE_SIZE];
bool kprobes_all_disarmed;

struct kprobe *current_kprobe[NR_CPUS];
struct kprobe_ctlblk kprobe_ctlblks[NR_CPUS];

/* ---- the table ---- */

static __always_inline struct kprobe **bucket_of(const void *addr)
{
    return &kprobe_table[((unsigned long)addr >> 1 ^ (unsigned long)addr >> 7) % KPROBE_TABLE_SIZE];
}

struct kprobe *__kprobes get_kprobe(void *addr)
{
    struct kprobe *p = rcu_dereference(*bucket_of(addr));

    while (p && (void *)p->addr != addr)
        p = rcu_dereference(p->hash_next);
    return p;
}

static void hash_add(struct kprobe *p)
{
    struct kprobe **bucket = bucket_of(p->addr);

    p->hash_next = *bucket;
    rcu_assign_pointer(*bucket, p);
}

static struct kprobe **hash_link(struct kprobe *p)
{
    struct kprobe **link = bucket_of(p->addr);

    while (*link != p)
        link = &(*link)->hash_next;
    return link;
}

static void hash_del(struct kprobe *p)
{
    WRITE_ONCE(*hash_link(p), p->hash_next);
}

/* At each moment readers find one of the two. */
static void hash_replace(struct kprobe *old, struct kprobe *new)
{
    new->hash_next = old->hash_next;
    rcu_assign_pointer(*hash_link(old), new);
}

/* ---- aggregates ---- */

static int __kprobes aggr_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
    struct kprobe *kp;

    list_for_each_entry_rcu(kp, &p->list, list) {
        if (kp->pre_handler && !kprobe_disabled(kp) && kp->pre_handler(kp, regs))
            return 1;
    }
    return 0;
}

static void __kprobes aggr_post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
    struct kprobe *kp;

    list_for_each_entry_rcu(kp, &p->list, list) {
        if (kp->post_handler && !kprobe_disabled(kp))
            kp->post_handler(kp, regs, flags);
    }
}

bool is_aggr_kprobe(const struct kprobe *p)
{
    return p->pre_handler == aggr_pre_handler;
}

void __kprobes kprobes_inc_nmissed_count(struct kprobe *p)
{
    struct kprobe *kp;

    if (p->pre_handler != aggr_pre_handler) {
        p->nmissed++;
        return;
    }
    list_for_each_entry_rcu(kp, &p->list, list)
        kp->nmissed++;
}

/* ---- arming ---- */

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

/* The ops of all probes on sites, and of those with a post_handler, which sees another epc. */
static struct ftrace_ops kprobe_ftrace_ops = {.func = kprobe_ftrace_handler,
                                              .flags = FTRACE_OPS_FL_SAVE_REGS};
static struct ftrace_ops kprobe_ipmodify_ops = {
    .func = kprobe_ftrace_handler, .flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY};
static int kprobe_ftrace_enabled, kprobe_ipmodify_enabled; /* under kprobe_mutex */

static struct ftrace_ops *ops_of(const struct kprobe *p, int **enabled)
{
    *enabled = p->post_handler ? &kprobe_ipmodify_enabled : &kprobe_ftrace_enabled;
    return p->post_handler ? &kprobe_ipmodify_ops : &kprobe_ftrace_ops;
}

static int arm_kprobe_ftrace(struct kprobe *p)
{
    unsigned long addr = (unsigned long)p->addr;
    int *enabled, ret;
    struct ftrace_ops *ops = ops_of(p, &enabled);

    ret = ftrace_set_filter_ip(ops, addr, false, false);
    if (!ret && *enabled == 0)
        ret = register_ftrace_function(ops);
    if (ret)
        ftrace_set_filter_ip(ops, addr, true, false);
    else
        ++*enabled;
    return ret;
}

/* An empty filter would mean all functions, so the last one is removed after the ops. */
static int disarm_kprobe_ftrace(struct kprobe *p)
{
    int *enabled, ret = 0;
    struct ftrace_ops *ops = ops_of(p, &enabled);

    if (*enabled == 1)
        ret = unregister_ftrace_function(ops);
    if (ret)
        return ret;
    --*enabled;
    return ftrace_set_filter_ip(ops, (unsigned long)p->addr, true, false);
}

#else

static int arm_kprobe_ftrace(struct kprobe *p)
{
    (void)p;
    return -ENODEV;
}

static int disarm_kprobe_ftrace(struct kprobe *p)
{
    (void)p;
    return -ENODEV;
}

#endif

static int arm_kprobe(struct kprobe *p)
{
    if (kprobe_ftrace(p))
        return arm_kprobe_ftrace(p);
    arch_arm_kprobe(p);
    return 0;
}

static int disarm_kprobe(struct kprobe *p)
{
    if (kprobe_ftrace(p))
        return disarm_kprobe_ftrace(p);
    arch_disarm_kprobe(p);
    return 0;
}

static int for_each_armed(int (*fn)(struct kprobe *p))
{
    struct kprobe *p;
    unsigned int i;
    int ret = 0, err;

    for (i = 0; i < KPROBE_TABLE_SIZE; i++)
        for (p = kprobe_table[i]; p; p = p->hash_next) {
            if (kprobe_disabled(p))
                continue;
            err = fn(p);
            ret = ret ? ret : err;
        }
    return ret;
}

int arm_all_kprobes(void)
{
    int ret = 0;

    mutex_lock(&kprobe_mutex);
    if (kprobes_all_disarmed) {
        kprobes_all_disarmed = false;
        ret = for_each_armed(arm_kprobe);
        printk("Kprobes globally enabled\n");
    }
    mutex_unlock(&kprobe_mutex);
    return ret;
}

int disarm_all_kprobes(void)
{
    int ret = 0;

    mutex_lock(&kprobe_mutex);
    if (!kprobes_all_disarmed) {
        kprobes_all_disarmed = true;
        ret = for_each_armed(disarm_kprobe);
        printk("Kprobes globally disabled\n");
    }
    mutex_unlock(&kprobe_mutex);
    return ret;
}

/* ---- the place ---- */

#ifdef CONFIG_DYNAMIC_FTRACE

static bool is_site(unsigned long addr)
{
    bool found;

    ftrace_rec_lock();
    found = ftrace_location(addr) == addr;
    ftrace_rec_unlock();
    return found;
}

/* Whether addr is in the data before a function, which belongs to its site. */
static bool in_literal(unsigned long addr)
{
    bool found = false;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
    unsigned long off;

    for (off = 2; off <= FTRACE_LITERAL_SIZE; off += 2)
        found = found || is_site(addr + off + MCOUNT_AUIPC_SIZE);
#else
    (void)addr;
#endif
    return found;
}

/*
 * On a site: by ftrace. The other bytes of a site, and data before the function, are changed with
 * the site and cannot be probed.
 */
static int check_ftrace_location(struct kprobe *p)
{
    unsigned long addr = (unsigned long)p->addr, off;

    if (is_site(addr)) {
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
        p->flags |= KPROBE_FLAG_FTRACE;
        return 0;
#else
        return -EINVAL;
#endif
    }
    for (off = 2; off < MCOUNT_INSN_SIZE; off += 2)
        if (is_site(addr - off))
            return -EILSEQ;
    return in_literal(addr) ? -EILSEQ : 0;
}

#else

static int check_ftrace_location(struct kprobe *p)
{
    (void)p;
    return 0;
}

#endif

static int check_kprobe_address_safe(struct kprobe *p)
{
    unsigned long addr = (unsigned long)p->addr;

    if (!(core_kernel_text(addr) || is_module_text_address(addr)) ||
        within_kprobe_blacklist(addr) || jump_label_text_reserved(p->addr, p->addr))
        return -EINVAL;
    return check_ftrace_location(p);
}

/* Sets *addr to the place; 0 or a negative error. */
static int kprobe_addr(const void *at, const char *symbol_name, unsigned long offset,
                       unsigned long *addr)
{
    unsigned long start = (unsigned long)at;

    if (!symbol_name == !at)
        return -EINVAL;
    if (symbol_name) {
        start = kallsyms_lookup_name(symbol_name);
        if (!start)
            return -ENOENT;
    }
    *addr = start + offset;
    if (!*addr)
        return -EINVAL;
    /* An offset may lead into another function. */
    return kallsyms_lookup_size_offset(*addr, NULL, NULL) ? 0 : -ENOENT;
}

int kprobe_on_func_entry(kprobe_opcode_t *at, const char *sym, unsigned long offset)
{
    unsigned long addr, from_start = 0;
    int ret = kprobe_addr(at, sym, offset, &addr);

    if (ret)
        return ret;
    kallsyms_lookup_size_offset(addr, NULL, &from_start);
    return from_start ? -EINVAL : 0;
}

/* ---- registration; kprobe_mutex is held ---- */

/* The table's entry for a registered probe; NULL: it is not registered. */
static struct kprobe *entry_of(struct kprobe *p)
{
    struct kprobe *ap = get_kprobe(p->addr), *kp;

    if (!ap || ap == p)
        return ap;
    list_for_each_entry(kp, &ap->list, list)
        if (kp == p)
            return ap;
    return NULL;
}

static int prepare_kprobe(struct kprobe *p)
{
    return kprobe_ftrace(p) ? 0 : arch_prepare_kprobe(p);
}

static void remove_kprobe(struct kprobe *p)
{
    if (!kprobe_ftrace(p))
        arch_remove_kprobe(p);
}

static int enable_entry(struct kprobe *ap)
{
    int ret = 0;

    if (!kprobe_disabled(ap))
        return 0;
    ap->flags &= ~KPROBE_FLAG_DISABLED;
    if (!kprobes_all_disarmed)
        ret = arm_kprobe(ap);
    if (ret)
        ap->flags |= KPROBE_FLAG_DISABLED;
    return ret;
}

static int disable_entry(struct kprobe *ap)
{
    int ret = 0;

    if (kprobe_disabled(ap))
        return 0;
    if (!kprobes_all_disarmed)
        ret = disarm_kprobe(ap);
    if (!ret)
        ap->flags |= KPROBE_FLAG_DISABLED;
    return ret;
}

/* Turns the only probe of a place into the first of an aggregate. */
static struct kprobe *make_aggregate(struct kprobe *p)
{
    struct kprobe *ap = kzalloc(sizeof(*ap));

    if (!ap)
        return NULL;
    ap->addr = p->addr;
    ap->opcode = p->opcode;
    ap->ainsn = p->ainsn;
    ap->flags = p->flags;
    ap->pre_handler = aggr_pre_handler;
    /* What a probe with a post_handler needs of a site is settled when it is armed. */
    if (p->post_handler || !kprobe_ftrace(p))
        ap->post_handler = aggr_post_handler;
    INIT_LIST_HEAD(&ap->list);
    list_add_tail_rcu(&p->list, &ap->list);
    hash_replace(p, ap);
    return ap;
}

/* On a site: the aggregate's ops changes with its first post_handler, so it is off meanwhile. */
static int add_post_handler(struct kprobe *ap)
{
    bool armed = !kprobe_disabled(ap);
    int ret = armed ? disable_entry(ap) : 0;

    if (ret)
        return ret;
    ap->post_handler = aggr_post_handler;
    ret = armed ? enable_entry(ap) : 0;
    if (ret) {
        ap->post_handler = NULL;
        enable_entry(ap);
    }
    return ret;
}

static int register_aggr_kprobe(struct kprobe *old, struct kprobe *p)
{
    struct kprobe *ap = old;
    int ret = 0;

    if (kprobe_gone(old))
        return -EINVAL;
    if (!is_aggr_kprobe(old))
        ap = make_aggregate(old);
    if (!ap)
        return -ENOMEM;
    if (p->post_handler && !ap->post_handler)
        ret = add_post_handler(ap);
    if (ret)
        return ret;
    p->opcode = ap->opcode;
    p->ainsn = ap->ainsn;
    p->flags |= ap->flags & KPROBE_FLAG_FTRACE;
    list_add_tail_rcu(&p->list, &ap->list);
    if (kprobe_disabled(p))
        return 0;
    ret = enable_entry(ap);
    if (ret)
        list_del_rcu(&p->list);
    return ret;
}

static int register_first(struct kprobe *p)
{
    int ret = prepare_kprobe(p);

    if (ret) {
        remove_kprobe(p);
        return ret;
    }
    hash_add(p);
    if (kprobes_all_disarmed || kprobe_disabled(p))
        return 0;
    ret = arm_kprobe(p);
    if (ret) {
        hash_del(p);
        synchronize_rcu();
        remove_kprobe(p);
    }
    return ret;
}

/* The module cannot be unloaded while a probe is added to its text. */
static int get_probed_module(unsigned long addr, struct module **mod)
{
    int ret = 0;

    preempt_disable();
    *mod = __module_text_address(addr);
    if (*mod && !try_module_get(*mod)) {
        *mod = NULL;
        ret = -ENOENT;
    }
    preempt_enable();
    return ret;
}

int register_kprobe(struct kprobe *p)
{
    struct module *mod = NULL;
    struct kprobe *old;
    unsigned long addr, from_start = 0;
    int ret = kprobe_addr(p->addr, p->symbol_name, p->offset, &addr);

    if (ret)
        return ret;
    p->addr = (kprobe_opcode_t *)addr;
    mutex_lock(&kprobe_mutex);
    if (WARN_ON(entry_of(p)))
        ret = -EINVAL;
    mutex_unlock(&kprobe_mutex);
    if (ret)
        return ret;
    kallsyms_lookup_size_offset(addr, NULL, &from_start);
    p->flags &= KPROBE_FLAG_DISABLED;
    if (!from_start)
        p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
    p->nmissed = 0;
    INIT_LIST_HEAD(&p->list);
    ret = check_kprobe_address_safe(p);
    if (!ret)
        ret = get_probed_module(addr, &mod);
    if (ret)
        return ret;
    mutex_lock(&kprobe_mutex);
    old = get_kprobe(p->addr);
    ret = old ? register_aggr_kprobe(old, p) : register_first(p);
    mutex_unlock(&kprobe_mutex);
    module_put(mod);
    return ret;
}
EXPORT_SYMBOL_GPL(register_kprobe);

/* ---- removal ---- */

static bool all_disabled(const struct kprobe *ap)
{
    const struct kprobe *kp;

    list_for_each_entry(kp, &ap->list, list)
        if (!kprobe_disabled(kp))
            return false;
    return true;
}

static int disable_one(struct kprobe *p)
{
    struct kprobe *ap = entry_of(p);

    if (!ap)
        return -EINVAL;
    if (ap == p)
        return disable_entry(p);
    p->flags |= KPROBE_FLAG_DISABLED;
    return all_disabled(ap) ? disable_entry(ap) : 0;
}

/* Takes p out of the table. Returns the entry to free after a grace period, or NULL. */
static struct kprobe *unregister_top(struct kprobe *p)
{
    struct kprobe *ap = entry_of(p);

    if (!ap)
        return NULL;
    if (ap == p) {
        WARN_ON(disable_one(p));
        hash_del(p);
        return p;
    }
    WARN_ON(disable_one(p));
    list_del_rcu(&p->list);
    if (!list_empty(&ap->list))
        return NULL;
    hash_del(ap);
    return ap;
}

/* A gone probe's instruction does not exist any more, but its slot does. */
static void unregister_bottom(struct kprobe *p, struct kprobe *entry)
{
    if (entry)
        remove_kprobe(entry);
    if (entry && entry != p)
        kfree(entry);
    p->ainsn.insn = NULL;
    INIT_LIST_HEAD(&p->list);
}

void unregister_kprobe(struct kprobe *p)
{
    struct kprobe *entry;

    mutex_lock(&kprobe_mutex);
    entry = unregister_top(p);
    mutex_unlock(&kprobe_mutex);
    synchronize_rcu();
    mutex_lock(&kprobe_mutex);
    unregister_bottom(p, entry);
    mutex_unlock(&kprobe_mutex);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

void unregister_kprobes(struct kprobe **kps, int num)
{
    int i;

    for (i = 0; i < num; i++)
        unregister_kprobe(kps[i]);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

int register_kprobes(struct kprobe **kps, int num)
{
    int i, ret = num > 0 ? 0 : -EINVAL;

    for (i = 0; i < num && !ret; i++)
        ret = register_kprobe(kps[i]);
    if (ret && i > 1)
        unregister_kprobes(kps, i - 1);
    return ret;
}
EXPORT_SYMBOL_GPL(register_kprobes);

int disable_kprobe(struct kprobe *p)
{
    int ret;

    mutex_lock(&kprobe_mutex);
    ret = disable_one(p);
    mutex_unlock(&kprobe_mutex);
    return ret;
}
EXPORT_SYMBOL_GPL(disable_kprobe);

int enable_kprobe(struct kprobe *p)
{
    struct kprobe *ap;
    int ret = 0;

    mutex_lock(&kprobe_mutex);
    ap = entry_of(p);
    if (!ap || kprobe_gone(p))
        ret = -EINVAL;
    else if (ap != p)
        p->flags &= ~KPROBE_FLAG_DISABLED;
    if (!ret)
        ret = enable_entry(ap);
    mutex_unlock(&kprobe_mutex);
    return ret;
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/* The breakpoint goes with the text; an ops must forget the site. */
static void kill_kprobe(struct kprobe *p)
{
    struct kprobe *kp;

    if (kprobe_ftrace(p) && !kprobe_disabled(p) && !kprobes_all_disarmed)
        disarm_kprobe_ftrace(p);
    p->flags |= KPROBE_FLAG_GONE;
    if (is_aggr_kprobe(p))
        list_for_each_entry(kp, &p->list, list)
            kp->flags |= KPROBE_FLAG_GONE;
}

void kprobes_module_going(const struct module *mod)
{
    unsigned long start = (unsigned long)mod->core_base, end = start + mod->text_size;
    struct kprobe *p;
    unsigned int i;

    mutex_lock(&kprobe_mutex);
    for (i = 0; i < KPROBE_TABLE_SIZE; i++)
        for (p = kprobe_table[i]; p; p = p->hash_next)
            if ((unsigned long)p->addr >= start && (unsigned long)p->addr < end && !kprobe_gone(p))
                kill_kprobe(p);
    mutex_unlock(&kprobe_mutex);
}

void kprobes_init(void)
{
    kprobe_blacklist_init();
    kprobes_create_files();
}
