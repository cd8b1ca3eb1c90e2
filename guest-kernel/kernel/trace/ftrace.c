/*
 * ftrace.c - which call sites are on, and what they call.
 *
 * Every site has a record, sorted by address.  Each enabled ftrace_ops counts
 * in the records its filter selects; a site is on while its count is not zero.
 * Sites call ftrace_caller, which calls ftrace_trace_function: the function of
 * the only ops, or one that goes through the list of them.
 *
 * Not instrumented.
 */
#include <asm/irqflags.h>
#include <asm/page.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/string.h>

extern const unsigned long __start_mcount_loc[], __stop_mcount_loc[];

/* Made at boot; flags of the records under ftrace_lock. */
static struct dyn_ftrace *ftrace_recs;
static unsigned long ftrace_nr_recs;

/* Guards ops, filters and records. Taken before the architecture's text_mutex. */
static DEFINE_MUTEX(ftrace_lock);
static bool ftrace_disabled; /* something went wrong: touch no code any more */

struct ftrace_ops ftrace_list_end = {.func = ftrace_stub, .flags = FTRACE_OPS_FL_STUB};
struct ftrace_ops *ftrace_ops_list = &ftrace_list_end;
ftrace_func_t ftrace_trace_function = ftrace_stub;
struct ftrace_ops *function_trace_op = &ftrace_list_end;
static struct ftrace_ops *set_function_trace_op = &ftrace_list_end;

struct ftrace_ops global_ops = {.func = ftrace_stub};

/* ---- records ---- */

struct dyn_ftrace *ftrace_rec(unsigned long index)
{
    return index < ftrace_nr_recs ? &ftrace_recs[index] : NULL;
}

const char *ftrace_rec_name(const struct dyn_ftrace *rec)
{
    const char *name = kallsyms_lookup(rec->ip, NULL, NULL);

    return name ? name : "??";
}

static long rec_index(unsigned long ip)
{
    unsigned long low = 0, high = ftrace_nr_recs;

    while (low < high) {
        unsigned long mid = (low + high) / 2;

        if (ftrace_recs[mid].ip == ip)
            return mid;
        if (ftrace_recs[mid].ip < ip)
            low = mid + 1;
        else
            high = mid;
    }
    return -1;
}

unsigned long ftrace_location(unsigned long ip)
{
    return rec_index(ip) < 0 ? 0 : ip;
}

/* ---- sets of records ---- */

static size_t hash_size(void)
{
    return sizeof(struct ftrace_hash) + (ftrace_nr_recs + 63) / 64 * sizeof(unsigned long);
}

struct ftrace_hash *alloc_ftrace_hash(void)
{
    return kzalloc(hash_size());
}

struct ftrace_hash *copy_ftrace_hash(const struct ftrace_hash *from)
{
    struct ftrace_hash *hash = alloc_ftrace_hash();

    if (hash && from)
        memcpy(hash, from, hash_size());
    return hash;
}

void free_ftrace_hash(struct ftrace_hash *hash)
{
    kfree(hash);
}

static bool hash_empty(const struct ftrace_hash *hash)
{
    return !hash || !hash->count;
}

bool ftrace_hash_test(const struct ftrace_hash *hash, unsigned long index)
{
    return !hash_empty(hash) && (hash->bits[index / 64] >> index % 64 & 1);
}

bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip)
{
    long index = hash_empty(hash) ? -1 : rec_index(ip);

    return index >= 0 && ftrace_hash_test(hash, index);
}

static void hash_assign(struct ftrace_hash *hash, unsigned long index, bool in)
{
    bool was_in = hash->bits[index / 64] >> index % 64 & 1;

    if (was_in == in)
        return;
    hash->bits[index / 64] ^= 1UL << index % 64;
    hash->count += in ? 1 : -1;
}

int ftrace_match_records(struct ftrace_hash *hash, const char *glob)
{
    bool add = *glob != '!', found = false;
    unsigned long i;

    glob += !add;
    for (i = 0; i < ftrace_nr_recs; i++) {
        if (!glob_match(glob, ftrace_rec_name(&ftrace_recs[i])))
            continue;
        hash_assign(hash, i, add);
        found = true;
    }
    return found ? 0 : -EINVAL;
}

/* ---- ops ---- */

static struct ftrace_ops_hash *ops_hash(struct ftrace_ops *ops)
{
    return ops->func_hash ? ops->func_hash : &ops->local_hash;
}

struct ftrace_hash *ftrace_ops_filter(struct ftrace_ops *ops)
{
    return ops_hash(ops)->filter_hash;
}

/* Interrupts off while it looks: that is what whoever replaces the set waits for. */
bool ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip)
{
    const struct ftrace_hash *filter;
    unsigned long flags;
    bool wanted;

    local_irq_save(flags);
    filter = READ_ONCE(ops_hash(ops)->filter_hash);
    wanted = hash_empty(filter) || ftrace_lookup_ip(filter, ip);
    local_irq_restore(flags);
    return wanted;
}

/* Several ops: each hears of the functions it asked for. */
static void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                 struct ftrace_regs *fregs)
{
    for (op = READ_ONCE(ftrace_ops_list); op != &ftrace_list_end; op = READ_ONCE(op->next))
        if (!(op->flags & FTRACE_OPS_FL_STUB) && ftrace_ops_test(op, ip))
            op->func(ip, parent_ip, op, fregs);
}

static void update_ftrace_function(void)
{
    struct ftrace_ops *first = ftrace_ops_list;

    set_function_trace_op = first;
    if (first == &ftrace_list_end || first->next == &ftrace_list_end)
        ftrace_trace_function = first->func;
    else
        ftrace_trace_function = ftrace_ops_list_func;
    update_function_graph_func();
}

static void add_ftrace_ops(struct ftrace_ops *ops)
{
    ops->next = ftrace_ops_list;
    __atomic_store_n(&ftrace_ops_list, ops, __ATOMIC_RELEASE);
    ops->flags |= FTRACE_OPS_FL_ENABLED;
}

static int remove_ftrace_ops(struct ftrace_ops *ops)
{
    struct ftrace_ops **p = &ftrace_ops_list;

    while (*p != ops && *p != &ftrace_list_end)
        p = &(*p)->next;
    if (*p != ops)
        return -ENOENT;
    *p = ops->next;
    ops->flags &= ~FTRACE_OPS_FL_ENABLED;
    return 0;
}

/* Adds one to (or takes one from) the count of each record the filter selects. */
static void hash_rec_update(const struct ftrace_hash *filter, bool inc)
{
    unsigned long i;

    for (i = 0; i < ftrace_nr_recs; i++) {
        if (!hash_empty(filter) && !ftrace_hash_test(filter, i))
            continue;
        WARN_ON(!inc && !ftrace_rec_count(&ftrace_recs[i]));
        ftrace_recs[i].flags += inc ? 1 : -1UL;
    }
}

/* ---- patching ---- */

static void print_bytes(const char *what, const void *bytes)
{
    const u8 *b = bytes;

    printk("%s%02x:%02x:%02x:%02x:%02x:%02x:%02x:%02x\n", what, b[0], b[1], b[2], b[3], b[4], b[5],
           b[6], b[7]);
}

void ftrace_bug(int failed, const struct dyn_ftrace *rec)
{
    switch (failed) {
    case -EFAULT: printk("ftrace faulted on modifying %pS\n", (void *)rec->ip); break;
    case -EINVAL:
        printk("ftrace failed to modify %pS\n", (void *)rec->ip);
        print_bytes(" actual:   ", (void *)rec->ip);
        if (ftrace_expected)
            print_bytes(" expected: ", ftrace_expected);
        break;
    case -EPERM: printk("ftrace faulted on writing %pS\n", (void *)rec->ip); break;
    default: printk("ftrace faulted on unknown error %d at %pS\n", failed, (void *)rec->ip); break;
    }
    ftrace_kill();
}

void ftrace_kill(void)
{
    ftrace_disabled = true;
    ftrace_trace_function = ftrace_stub;
}

static int replace_rec(struct dyn_ftrace *rec, bool enable)
{
    bool want = enable && ftrace_rec_count(rec), have = rec->flags & FTRACE_FL_ENABLED;
    int ret;

    if (want == have)
        return 0;
    ret = want ? ftrace_make_call(rec, FTRACE_ADDR) : ftrace_make_nop(NULL, rec, FTRACE_ADDR);
    if (!ret)
        rec->flags ^= FTRACE_FL_ENABLED;
    return ret;
}

static int ftrace_replace_code(bool enable)
{
    unsigned long i;

    for (i = 0; i < ftrace_nr_recs; i++) {
        int failed = replace_rec(&ftrace_recs[i], enable);

        if (failed) {
            ftrace_bug(failed, &ftrace_recs[i]);
            return failed;
        }
    }
    return 0;
}

/*
 * The order is Linux's.  While sites change, ftrace_call goes to the list
 * function, which is right for any set of ops; the one that is right for the
 * new set alone comes when all sites are in place, and the graph caller last,
 * when there is something below it.
 */
void ftrace_modify_all_code(int command)
{
    bool update = command & FTRACE_UPDATE_TRACE_FUNC;
    int err = 0;

    if (update)
        err = ftrace_update_ftrace_func(ftrace_ops_list_func);
    if (!err && (command & FTRACE_UPDATE_CALLS))
        err = ftrace_replace_code(true);
    else if (!err && (command & FTRACE_DISABLE_CALLS))
        err = ftrace_replace_code(false);
    if (!err && update && ftrace_trace_function != ftrace_ops_list_func) {
        function_trace_op = set_function_trace_op;
        err = ftrace_update_ftrace_func(ftrace_trace_function);
    }
    if (!err && (command & FTRACE_START_FUNC_RET))
        err = ftrace_enable_ftrace_graph_caller();
    else if (!err && (command & FTRACE_STOP_FUNC_RET))
        err = ftrace_disable_ftrace_graph_caller();
    if (WARN_ON(err))
        ftrace_kill();
}

static int modify_code_stopped(void *data)
{
    ftrace_modify_all_code(*(int *)data);
    return 0;
}

void ftrace_run_stop_machine(int command)
{
    stop_machine(modify_code_stopped, &command);
}

void __weak arch_ftrace_update_code(int command)
{
    ftrace_run_stop_machine(command);
}

static void ftrace_run_update_code(int command)
{
    if (ftrace_disabled)
        return;
    ftrace_arch_code_modify_prepare();
    arch_ftrace_update_code(command);
    ftrace_arch_code_modify_post_process();
}

static void startup_enable(int command, ftrace_func_t before)
{
    update_ftrace_function();
    if (before != ftrace_trace_function || function_trace_op != set_function_trace_op)
        command |= FTRACE_UPDATE_TRACE_FUNC;
    ftrace_run_update_code(command | FTRACE_UPDATE_CALLS);
}

int ftrace_startup(struct ftrace_ops *ops, int command)
{
    int ret = -EBUSY;

    mutex_lock(&ftrace_lock);
    if (ftrace_disabled)
        ret = -ENODEV;
    else if (!(ops->flags & FTRACE_OPS_FL_ENABLED)) {
        add_ftrace_ops(ops);
        hash_rec_update(ftrace_ops_filter(ops), true);
        startup_enable(command, ftrace_trace_function);
        ret = 0;
    }
    mutex_unlock(&ftrace_lock);
    return ret;
}

int ftrace_shutdown(struct ftrace_ops *ops, int command)
{
    int ret;

    mutex_lock(&ftrace_lock);
    ret = ftrace_disabled ? -ENODEV : remove_ftrace_ops(ops);
    if (!ret) {
        hash_rec_update(ftrace_ops_filter(ops), false);
        startup_enable(command, ftrace_trace_function);
    }
    mutex_unlock(&ftrace_lock);
    return ret;
}

int register_ftrace_function(struct ftrace_ops *ops)
{
    return ftrace_startup(ops, 0);
}

int unregister_ftrace_function(struct ftrace_ops *ops)
{
    return ftrace_shutdown(ops, 0);
}

/* ---- filters ---- */

/* How many enabled ops look at this hash. */
static int users_of(const struct ftrace_ops_hash *oh)
{
    struct ftrace_ops *op;
    int n = 0;

    for (op = ftrace_ops_list; op != &ftrace_list_end; op = op->next)
        n += ops_hash(op) == oh;
    return n;
}

int ftrace_hash_move_and_update_ops(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
    struct ftrace_ops_hash *oh = ops_hash(ops);
    struct ftrace_hash *old;
    int n, i;

    mutex_lock(&ftrace_lock);
    old = oh->filter_hash;
    n = users_of(oh);
    for (i = 0; i < n; i++) {
        hash_rec_update(hash, true);
        hash_rec_update(old, false);
    }
    WRITE_ONCE(oh->filter_hash, hash);
    if (n)
        ftrace_run_update_code(FTRACE_UPDATE_CALLS);
    mutex_unlock(&ftrace_lock);
    kick_all_cpus_sync(); /* ftrace_ops_test() may have been looking at the old set */
    free_ftrace_hash(old);
    return 0;
}

int ftrace_set_filter(struct ftrace_ops *ops, const char *glob, bool reset)
{
    struct ftrace_hash *hash = copy_ftrace_hash(reset ? NULL : ftrace_ops_filter(ops));
    int ret;

    if (!hash)
        return -ENOMEM;
    ret = ftrace_match_records(hash, glob);
    if (ret) {
        free_ftrace_hash(hash);
        return ret;
    }
    return ftrace_hash_move_and_update_ops(ops, hash);
}

/* ---- boot ---- */

static int init_record(struct dyn_ftrace *rec, unsigned long ip)
{
    *rec = (struct dyn_ftrace){.ip = ftrace_call_adjust(ip)};
    return ftrace_init_nop(NULL, rec);
}

/* All sites still call _mcount. One hart, interrupts off: nothing to stop. */
void ftrace_init(void)
{
    unsigned long i, count = __stop_mcount_loc - __start_mcount_loc;
    int failed = ftrace_dyn_arch_init();

    ftrace_recs = kmalloc(count * sizeof(*ftrace_recs));
    if (WARN_ON(failed || !ftrace_recs)) {
        ftrace_disabled = true;
        return;
    }
    for (i = 0; i < count; i++) {
        failed = init_record(&ftrace_recs[i], __start_mcount_loc[i]);
        if (failed) {
            ftrace_bug(failed, &ftrace_recs[i]);
            return;
        }
    }
    ftrace_nr_recs = count;
    pr_info("ftrace: allocating %lu entries in %lu pages\n", count,
            (count * sizeof(*ftrace_recs) + PAGE_SIZE - 1) / PAGE_SIZE);
}
