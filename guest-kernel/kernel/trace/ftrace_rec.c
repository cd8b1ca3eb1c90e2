/*
 * ftrace_rec.c - a record for each call site, and changing sites as the ops want.
 *
 * Records are in groups, one for the kernel and one for each module, sorted by address. When
 * ops change, each record notes what the ops want of its site; the _EN flags note what the code
 * does. ftrace_replace_code() changes the code of all sites where the two differ.
 *
 * Records are changed under ftrace_lock. To look up an address it is enough to have interrupts
 * off: a group is freed after kick_all_cpus_sync().
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "trace.h"
#include <asm/cacheflush.h>
#include <asm/irqflags.h>
#include <asm/page.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>

struct ftrace_page {
    struct ftrace_page *next;
    struct module *mod; /* NULL: the kernel's */
    unsigned long count;
    struct dyn_ftrace records[];
};

extern unsigned long __start_mcount_loc[], __stop_mcount_loc[];

static struct ftrace_page *ftrace_pages_start; /* under ftrace_lock */

#define for_each_ftrace_page(pg) \
    for (pg = READ_ONCE(ftrace_pages_start); pg; pg = READ_ONCE(pg->next))

#define for_each_ftrace_rec(pg, rec) \
    for_each_ftrace_page(pg)         \
        for (rec = pg->records; rec < pg->records + pg->count; rec++)

/* ---- finding records ---- */

void ftrace_rec_lock(void)
{
    mutex_lock(&ftrace_lock);
}

void ftrace_rec_unlock(void)
{
    mutex_unlock(&ftrace_lock);
}

struct dyn_ftrace *ftrace_rec(unsigned long index)
{
    struct ftrace_page *pg;

    for_each_ftrace_page(pg) {
        if (index < pg->count)
            return &pg->records[index];
        index -= pg->count;
    }
    return NULL;
}

const char *ftrace_rec_name(const struct dyn_ftrace *rec)
{
    unsigned long flags;
    struct ksym sym;
    bool found;

    raw_local_irq_save(flags);
    found = kallsyms_find(rec->ip, &sym);
    raw_local_irq_restore(flags);
    return found ? sym.name : "??"; /* whose module has records while ftrace_lock is held */
}

const struct module *ftrace_rec_module(const struct dyn_ftrace *rec)
{
    const struct ftrace_page *pg;

    for_each_ftrace_page(pg)
        if (rec >= pg->records && rec < pg->records + pg->count)
            return pg->mod;
    return NULL;
}

/* The first record of the group at or after ip; NULL: none. */
static struct dyn_ftrace *first_at_or_after(struct ftrace_page *pg, unsigned long ip)
{
    unsigned long low = 0, high = pg->count;

    while (low < high) {
        unsigned long mid = (low + high) / 2;

        if (pg->records[mid].ip < ip)
            low = mid + 1;
        else
            high = mid;
    }
    return low < pg->count ? &pg->records[low] : NULL;
}

static bool in_function(unsigned long ip, unsigned long func)
{
    unsigned long offset;

    return ip == func || (kallsyms_lookup_size_offset(ip, NULL, &offset) && ip - offset == func);
}

unsigned long ftrace_location(unsigned long ip)
{
    struct ftrace_page *pg;

    for_each_ftrace_page(pg) {
        const struct dyn_ftrace *rec = first_at_or_after(pg, ip);

        if (rec && in_function(rec->ip, ip))
            return rec->ip;
    }
    return 0;
}

/* ---- what the ops want of a site ---- */

/* Returns whether a site can name this ops, so that it is called without the list. */
static bool can_be_named(const struct ftrace_ops *ops)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
    return ftrace_ops_get_func(ops) == ops->func;
#else
    (void)ops;
    return false;
#endif
}

static unsigned long flags_wanted_by(const struct ftrace_ops *ops)
{
    unsigned long flags = 0;

    if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
        flags |= FTRACE_FL_REGS;
    if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
        flags |= FTRACE_FL_IPMODIFY;
    return flags;
}

/* Returns the flags and the count for a record; -EBUSY if two ops have IPMODIFY. */
static long wanted_of(const struct dyn_ftrace *rec)
{
    const struct ftrace_ops *op, *last = NULL;
    unsigned long flags = 0, count = 0;

    for_each_ftrace_op(op) {
        unsigned long wanted = flags_wanted_by(op);

        if (!ops_references_ip(op, rec->ip))
            continue;
        if (flags & wanted & FTRACE_FL_IPMODIFY)
            return -EBUSY;
        flags |= wanted;
        count++;
        last = op;
    }
    if (count == 1 && can_be_named(last))
        flags |= FTRACE_FL_CALL_OPS;
    return flags | count;
}

/* An ops with IPMODIFY must have a filter: else -EINVAL. */
static int check_ipmodify(void)
{
    const struct ftrace_ops *op;
    struct ftrace_page *pg;
    struct dyn_ftrace *rec;

    for_each_ftrace_op(op)
        if ((op->flags & FTRACE_OPS_FL_IPMODIFY) && ftrace_hash_empty(op->func_hash->filter_hash))
            return -EINVAL;
    for_each_ftrace_rec(pg, rec)
        if (wanted_of(rec) == -EBUSY)
            return -EBUSY;
    return 0;
}

#define FTRACE_FL_WANTED (FTRACE_REF_MAX | FTRACE_FL_REGS | FTRACE_FL_IPMODIFY | FTRACE_FL_CALL_OPS)

static void update_wanted(struct dyn_ftrace *rec)
{
    if (!(rec->flags & FTRACE_FL_DISABLED))
        rec->flags = (rec->flags & ~FTRACE_FL_WANTED) | wanted_of(rec);
}

/* ---- changing the code ---- */

enum ftrace_update { FTRACE_UPDATE_IGNORE, MAKE_CALL, MAKE_NOP, MODIFY_CALL };

static unsigned long ftrace_get_addr_new(const struct dyn_ftrace *rec)
{
    return rec->flags & FTRACE_FL_REGS ? FTRACE_REGS_ADDR : FTRACE_ADDR;
}

static unsigned long ftrace_get_addr_curr(const struct dyn_ftrace *rec)
{
    return rec->flags & FTRACE_FL_REGS_EN ? FTRACE_REGS_ADDR : FTRACE_ADDR;
}

/* The _EN flags that the record will have. */
static unsigned long enabled_flags(const struct dyn_ftrace *rec, bool enable)
{
    unsigned long flags = 0;

    if (!enable || !ftrace_rec_count(rec))
        return 0;
    if (rec->flags & FTRACE_FL_REGS)
        flags |= FTRACE_FL_REGS_EN;
    if (rec->flags & FTRACE_FL_CALL_OPS)
        flags |= FTRACE_FL_CALL_OPS_EN;
    return flags | FTRACE_FL_ENABLED;
}

#define FTRACE_FL_EN_MASK (FTRACE_FL_ENABLED | FTRACE_FL_REGS_EN | FTRACE_FL_CALL_OPS_EN)

static enum ftrace_update ftrace_test_record(const struct dyn_ftrace *rec, bool enable)
{
    unsigned long is = rec->flags & FTRACE_FL_EN_MASK, ought = enabled_flags(rec, enable);

    if (rec->flags & FTRACE_FL_DISABLED || is == ought)
        return FTRACE_UPDATE_IGNORE;
    if (!is)
        return MAKE_CALL;
    return ought ? MODIFY_CALL : MAKE_NOP;
}

/* The last operation, for ftrace_bug(); under ftrace_lock. */
static enum ftrace_update ftrace_bug_type;

/* The flags are changed first: the architecture reads them. */
static int replace_rec(struct dyn_ftrace *rec, bool enable)
{
    unsigned long old_addr = ftrace_get_addr_curr(rec);

    ftrace_bug_type = ftrace_test_record(rec, enable);
    if (ftrace_bug_type == FTRACE_UPDATE_IGNORE)
        return 0;
    rec->flags = (rec->flags & ~FTRACE_FL_EN_MASK) | enabled_flags(rec, enable);
    switch (ftrace_bug_type) {
    case MAKE_CALL: return ftrace_make_call(rec, ftrace_get_addr_new(rec));
    case MAKE_NOP: return ftrace_make_nop(NULL, rec, old_addr);
    default: return ftrace_modify_call(rec, old_addr, ftrace_get_addr_new(rec));
    }
}

static int replace_page(struct ftrace_page *pg, bool enable)
{
    struct dyn_ftrace *rec;

    for (rec = pg->records; rec < pg->records + pg->count; rec++) {
        int failed = replace_rec(rec, enable);

        if (failed) {
            ftrace_bug(failed, rec);
            return failed;
        }
    }
    return 0;
}

/* Stops at the first site whose code is not what was expected. */
void ftrace_replace_code(bool enable)
{
    struct ftrace_page *pg;

    for_each_ftrace_page(pg)
        if (ftrace_disabled || replace_page(pg, enable))
            return;
}

int ftrace_hash_rec_update(int *command)
{
    struct ftrace_page *pg;
    struct dyn_ftrace *rec;
    int ret = check_ipmodify();

    if (ret)
        return ret;
    for_each_ftrace_rec(pg, rec) {
        update_wanted(rec);
        if (ftrace_test_record(rec, true) != FTRACE_UPDATE_IGNORE)
            *command |= FTRACE_UPDATE_CALLS;
    }
    return 0;
}

/* ---- reporting errors ---- */

static void print_ip_ins(const char *fmt, const u8 *bytes)
{
    char text[3 * MCOUNT_INSN_SIZE + 1];
    int i, n = 0;

    for (i = 0; i < MCOUNT_INSN_SIZE; i++)
        n += scnprintf(text + n, sizeof(text) - n, "%s%02x", i ? ":" : "", bytes[i]);
    pr_info("%s%s\n", fmt, text);
}

static void print_bug_type(void)
{
    switch (ftrace_bug_type) {
    case FTRACE_UPDATE_IGNORE: pr_info("Initializing ftrace call sites\n"); break;
    case MAKE_NOP: pr_info("Setting ftrace call site to NOP\n"); break;
    case MAKE_CALL: pr_info("Setting ftrace call site to call ftrace function\n"); break;
    case MODIFY_CALL:
        pr_info("Updating ftrace call site to call a different ftrace function\n");
        break;
    }
}

static void print_failure(int failed)
{
    switch (failed) {
    case -EFAULT: pr_info("ftrace faulted on modifying\n"); break;
    case -EINVAL: pr_info("ftrace failed to modify\n"); break;
    case -EPERM: pr_info("ftrace faulted on writing\n"); break;
    default: pr_info("ftrace faulted on unknown error\n"); break;
    }
}

void ftrace_bug(int failed, const struct dyn_ftrace *rec)
{
    pr_info("------------[ ftrace bug ]------------\n");
    print_failure(failed);
    pr_info("[<%016lx>] %pS\n", rec->ip, (void *)rec->ip);
    if (failed == -EINVAL) {
        print_ip_ins(" actual:   ", (const u8 *)rec->ip);
        if (ftrace_expected)
            print_ip_ins(" expected: ", ftrace_expected);
    }
    print_bug_type();
    pr_info("ftrace record flags: %lx\n", rec->flags);
    pr_info(" (%lu)%s%s\n", ftrace_rec_count(rec), rec->flags & FTRACE_FL_REGS ? " R" : "  ",
            rec->flags & FTRACE_FL_CALL_OPS ? " O" : "  ");
    pr_info(" expected tramp: %lx\n", ftrace_get_addr_curr(rec));
    ftrace_kill();
}

/* ---- changing all code ---- */

static int update_ftrace_func(ftrace_func_t func)
{
    static ftrace_func_t save_func = ftrace_stub; /* under text_mutex */

    if (func == save_func)
        return 0;
    save_func = func;
    return ftrace_update_ftrace_func(func);
}

static void ftrace_sync_ipi(void *info)
{
    (void)info;
    smp_rmb();
}

/* No hart may run the new function with the old ops. Under stop_machine() none can. */
static void publish_function_trace_op(void)
{
    WRITE_ONCE(function_trace_op, set_function_trace_op);
    smp_wmb();
    if (!irqs_disabled())
        on_each_cpu(ftrace_sync_ipi, NULL);
}

/*
 * The order is Linux's. While sites change, ftrace_call calls the list function, which is right
 * for every set of ops. The final function is set when all sites are changed, and the graph
 * caller last.
 */
void ftrace_modify_all_code(int command)
{
    bool update = command & FTRACE_UPDATE_TRACE_FUNC;
    int err = 0;

    if (update)
        err = update_ftrace_func(ftrace_ops_list_func);
    if (!err && (command & FTRACE_UPDATE_CALLS))
        ftrace_replace_code(true);
    else if (!err && (command & FTRACE_DISABLE_CALLS))
        ftrace_replace_code(false);
    if (!err && update && ftrace_trace_function != ftrace_ops_list_func) {
        publish_function_trace_op();
        err = update_ftrace_func(ftrace_trace_function);
    }
    if (!err && (command & FTRACE_START_FUNC_RET))
        err = ftrace_enable_ftrace_graph_caller();
    else if (!err && (command & FTRACE_STOP_FUNC_RET))
        err = ftrace_disable_ftrace_graph_caller();
    if (WARN_ON(err))
        ftrace_kill();
}

void ftrace_run_update_code(int command)
{
    if (ftrace_disabled)
        return;
    ftrace_arch_code_modify_prepare();
    arch_ftrace_update_code(command);
    ftrace_arch_code_modify_post_process();
}

/* ---- sites that name their ops ---- */

struct ftrace_ops *ftrace_find_unique_ops(const struct dyn_ftrace *rec)
{
    struct ftrace_ops *op;

    for_each_ftrace_op(op)
        if (ops_references_ip(op, rec->ip))
            return op;
    return NULL;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS

struct ftrace_ops ftrace_list_ops = {
    .func = ftrace_ops_list_func,
    .flags = FTRACE_OPS_FL_STUB,
    INIT_OPS_HASH(ftrace_list_ops),
};

struct ftrace_ops ftrace_nop_ops = {
    .func = ftrace_stub,
    .flags = FTRACE_OPS_FL_STUB,
    INIT_OPS_HASH(ftrace_nop_ops),
};

#endif

/* ---- adding and removing sites ---- */

static int cmp_ips(const void *a, const void *b)
{
    unsigned long ip_a = *(const unsigned long *)a, ip_b = *(const unsigned long *)b;

    return ip_a < ip_b ? -1 : ip_a > ip_b;
}

static struct ftrace_page *ftrace_allocate_pages(struct module *mod, const unsigned long *ips,
                                                 unsigned long count)
{
    struct ftrace_page *pg = kzalloc(sizeof(*pg) + count * sizeof(pg->records[0]));
    unsigned long i;

    if (!pg)
        return NULL;
    pg->mod = mod;
    pg->count = count;
    for (i = 0; i < count; i++) {
        pg->records[i].ip = ftrace_call_adjust(ips[i]);
        pg->records[i].flags = mod ? FTRACE_FL_DISABLED : 0;
    }
    return pg;
}

/*
 * Turns new sites, as the linker left them, into nops. No hart runs them yet, so none has to be
 * stopped.
 */
static int ftrace_update_code(struct ftrace_page *pg)
{
    struct dyn_ftrace *rec;
    int failed = 0;

    ftrace_bug_type = FTRACE_UPDATE_IGNORE;
    ftrace_arch_code_modify_prepare();
    for (rec = pg->records; !failed && rec < pg->records + pg->count; rec++) {
        failed = ftrace_init_nop(pg->mod, rec);
        if (failed)
            ftrace_bug(failed, rec);
    }
    ftrace_arch_code_modify_post_process();
    return failed;
}

static int ftrace_process_locs(struct module *mod, unsigned long *start, unsigned long *end)
{
    struct ftrace_page *pg;
    int ret = -ENOMEM;

    if (start == end)
        return 0;
    if (mod) /* the kernel's table is sorted by the build and read-only */
        sort(start, end - start, sizeof(*start), cmp_ips);
    pg = ftrace_allocate_pages(mod, start, end - start);
    if (!pg)
        return ret;
    mutex_lock(&ftrace_lock);
    ret = ftrace_disabled ? -ENODEV : ftrace_update_code(pg);
    if (!ret) {
        struct ftrace_page **last = &ftrace_pages_start;

        while (*last)
            last = &(*last)->next;
        __atomic_store_n(last, pg, __ATOMIC_RELEASE);
    }
    mutex_unlock(&ftrace_lock);
    if (ret)
        kfree(pg);
    return ret;
}

void ftrace_module_init(struct module *mod)
{
    unsigned long *start = mod->ftrace_callsites;

    if (ftrace_process_locs(mod, start, start + mod->num_ftrace_callsites))
        pr_info("ftrace: cannot trace module %s\n", mod->name);
    else
        process_cached_mods(mod->name);
}

static struct ftrace_page **find_module_page(const struct module *mod)
{
    struct ftrace_page **p = &ftrace_pages_start;

    while (*p && (*p)->mod != mod)
        p = &(*p)->next;
    return p;
}

bool ftrace_knows_module(const char *name)
{
    const struct ftrace_page *pg;
    bool known = false;

    mutex_lock(&ftrace_lock);
    for_each_ftrace_page(pg)
        known |= pg->mod && !strcmp(pg->mod->name, name);
    mutex_unlock(&ftrace_lock);
    return known;
}

/* Includes the sites of a module. It has not run yet, so no hart has to be stopped. */
static void enable_page(struct ftrace_page *pg)
{
    struct dyn_ftrace *rec;

    for (rec = pg->records; rec < pg->records + pg->count; rec++) {
        rec->flags &= ~FTRACE_FL_DISABLED;
        update_wanted(rec);
    }
    ftrace_arch_code_modify_prepare();
    replace_page(pg, ftrace_enabled);
    flush_icache_all();
    ftrace_arch_code_modify_post_process();
}

void ftrace_module_enable(struct module *mod)
{
    struct ftrace_page *pg;

    mutex_lock(&ftrace_lock);
    pg = *find_module_page(mod);
    if (pg && !ftrace_disabled)
        enable_page(pg);
    mutex_unlock(&ftrace_lock);
}

static void forget_ips(struct ftrace_ops_hash *hash, const struct ftrace_page *pg)
{
    unsigned long i;

    for (i = 0; i < pg->count; i++) {
        ftrace_hash_forget(hash->filter_hash, pg->records[i].ip);
        ftrace_hash_forget(hash->notrace_hash, pg->records[i].ip);
    }
}

/* Another module may later have sites at these addresses, which no filter has asked for. */
static void clear_mod_from_hashes(const struct ftrace_page *pg)
{
    const struct ftrace_ops *op, *sub;
    const struct trace_array *tr;
    unsigned long i;

    for (i = 0; i < pg->count; i++) {
        ftrace_forget_probes(pg->records[i].ip);
        ftrace_files_forget(pg->records[i].ip);
    }
    for_each_trace_array(tr)
        forget_ips(tr->ops->func_hash, pg); /* also those that are not in use */
    for_each_ftrace_op(op) {
        forget_ips(op->func_hash, pg);
        for (sub = op->subops; sub; sub = sub->next_subop)
            forget_ips(sub->func_hash, pg);
    }
}

void ftrace_release_mod(struct module *mod)
{
    struct ftrace_page **p, *pg;

    ftrace_filters_lock();
    mutex_lock(&ftrace_lock);
    p = find_module_page(mod);
    pg = *p;
    if (pg) {
        WRITE_ONCE(*p, pg->next);
        clear_mod_from_hashes(pg);
    }
    mutex_unlock(&ftrace_lock);
    ftrace_filters_unlock();
    if (!pg)
        return;
    kick_all_cpus_sync();
    kfree(pg);
}

/* Called while all sites still are as compiled: one hart, interrupts off, nothing to stop. */
void ftrace_init(void)
{
    unsigned long count = __stop_mcount_loc - __start_mcount_loc;

    if (ftrace_process_locs(NULL, __start_mcount_loc, __stop_mcount_loc)) {
        ftrace_kill();
        return;
    }
    pr_info("ftrace: allocating %lu entries in %lu pages\n", count,
            (count * sizeof(struct dyn_ftrace) + PAGE_SIZE - 1) / PAGE_SIZE);
}
