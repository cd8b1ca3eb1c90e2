/*
 * ftrace_probe.c - commands in set_ftrace_filter, such as `function:traceoff`.
 *
 *     function:traceon       each call turns tracing on
 *     function:traceoff:3    three calls turn tracing off; calls while it is off do not count
 *     function:stacktrace:5  five calls record the stack; calls while tracing is off do not
 * count
 *     function:snapshot      each call takes a snapshot of the trace; a limit may be added
 *     function:enable_event:SYSTEM:EVENT    each call makes the event be recorded; disable_event
 *     function:dump          the first call prints the trace of all harts to the console
 *     function:cpudump       the first call prints the trace of its hart
 *
 * Each command is an ops of its own, whose filter is the set of its functions. Probes are
 * looked up with interrupts off.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "trace.h"
#include "trace_recursion.h"
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { PROBE_WORD_MAX = 256 };

struct func_probe {
    struct func_probe *next;
    struct func_probe *next_out;   /* list of removed probes */
    unsigned long ip;              /* 0: its module was unloaded */
    struct trace_event_file *file; /* of enable_event and disable_event, referenced; else NULL */
    bool counted;
    long count; /* atomics only */
};

/* One call of a function that has a probe. */
struct probe_call {
    struct trace_array *tr;
    unsigned long ip, parent_ip;
    unsigned int trace_ctx;
};

/* A command of a trace, whose functions are one ops. */
struct func_command {
    struct trace_array *tr;
    const char *name;
    void (*act)(struct func_probe *p, const struct probe_call *call);
    const char *count; /* not NULL: used instead of the count in the word */
    struct ftrace_ops ops;
    struct func_probe *probes; /* under probe_mutex */
};

/* Taken before ftrace_lock, after event_mutex. */
static DEFINE_MUTEX(probe_mutex);

static void probe_called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                         struct ftrace_regs *fregs);

/* ---- actions of the commands ---- */

static bool may_act(struct func_probe *p)
{
    long n = READ_ONCE(p->count);

    while (p->counted && n > 0 &&
           !__atomic_compare_exchange_n(&p->count, &n, n - 1, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
        ;
    return !p->counted || n > 0;
}

static void set_recording(struct func_probe *p, const struct probe_call *call, bool on)
{
    bool *record_on = &trace_buffer_of(call->tr)->record_on;

    if (READ_ONCE(*record_on) != on && may_act(p))
        WRITE_ONCE(*record_on, on);
}

static void act_traceon(struct func_probe *p, const struct probe_call *call)
{
    set_recording(p, call, true);
}

static void act_traceoff(struct func_probe *p, const struct probe_call *call)
{
    set_recording(p, call, false);
}

static void act_stacktrace(struct func_probe *p, const struct probe_call *call)
{
    if (READ_ONCE(trace_buffer_of(call->tr)->record_on) && may_act(p))
        trace_function_stack(call->tr, call->ip, call->parent_ip, call->trace_ctx);
}

static void act_snapshot(struct func_probe *p, const struct probe_call *call)
{
    if (may_act(p))
        tracing_snapshot_instance(call->tr);
}

static void act_dump(struct func_probe *p, const struct probe_call *call)
{
    (void)call;
    if (may_act(p))
        ftrace_dump(DUMP_ALL);
}

static void act_cpudump(struct func_probe *p, const struct probe_call *call)
{
    (void)call;
    if (may_act(p))
        ftrace_dump(DUMP_ORIG);
}

static void set_event_recorded(struct func_probe *p, bool on)
{
    unsigned long *flags = &p->file->flags;

    if (on != !!(READ_ONCE(*flags) & EVENT_FILE_FL_SOFT_DISABLED) || !may_act(p))
        return;
    if (on)
        (void)__atomic_fetch_and(flags, ~(unsigned long)EVENT_FILE_FL_SOFT_DISABLED,
                                 __ATOMIC_SEQ_CST);
    else
        (void)__atomic_fetch_or(flags, EVENT_FILE_FL_SOFT_DISABLED, __ATOMIC_SEQ_CST);
}

static void act_enable_event(struct func_probe *p, const struct probe_call *call)
{
    (void)call;
    set_event_recorded(p, true);
}

static void act_disable_event(struct func_probe *p, const struct probe_call *call)
{
    (void)call;
    set_event_recorded(p, false);
}

/* What a trace gets when a command is first used in it. */
static const struct func_command all_commands[] = {
    {.name = "enable_event", .act = act_enable_event, .ops = {.func = probe_called}},
    {.name = "disable_event", .act = act_disable_event, .ops = {.func = probe_called}},
    {.name = "traceon", .act = act_traceon, .ops = {.func = probe_called}},
    {.name = "traceoff", .act = act_traceoff, .ops = {.func = probe_called}},
    {.name = "stacktrace", .act = act_stacktrace, .ops = {.func = probe_called}},
    {.name = "snapshot", .act = act_snapshot, .ops = {.func = probe_called}},
    {.name = "dump", .act = act_dump, .count = "1", .ops = {.func = probe_called}},
    {.name = "cpudump", .act = act_cpudump, .count = "1", .ops = {.func = probe_called}},
};

/* ---- calls of functions with probes ---- */

static void probe_called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                         struct ftrace_regs *fregs)
{
    struct func_command *c = container_of(op, struct func_command, ops);
    int bit = ftrace_test_recursion_trylock();
    struct probe_call call = {.ip = ip, .parent_ip = parent_ip, .tr = c->tr};
    struct func_probe *p;
    unsigned long flags;

    (void)fregs;
    if (bit < 0)
        return;
    raw_local_irq_save(flags);
    call.trace_ctx = tracing_gen_ctx_flags(flags);
    for (p = READ_ONCE(c->probes); p; p = READ_ONCE(p->next))
        if (p->ip == ip)
            c->act(p, &call);
    raw_local_irq_restore(flags);
    ftrace_test_recursion_unlock(bit);
}

/* ---- adding and removing probes ---- */

static struct func_command *commands_of(struct trace_array *tr)
{
    struct func_command *commands;
    unsigned int i;

    mutex_lock(&probe_mutex);
    commands = tr->commands ? tr->commands : kmalloc(sizeof(all_commands));
    if (commands && !tr->commands)
        memcpy(commands, all_commands, sizeof(all_commands));
    for (i = 0; commands && i < ARRAY_SIZE(all_commands); i++)
        commands[i].tr = tr;
    smp_store_release(&tr->commands, commands);
    mutex_unlock(&probe_mutex);
    return commands;
}

/* NULL: there is no such command; or -ENOMEM. */
static struct func_command *find_command(struct trace_array *tr, const char *name)
{
    struct func_command *commands;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(all_commands) && strcmp(all_commands[i].name, name); i++)
        ;
    if (i == ARRAY_SIZE(all_commands))
        return NULL;
    commands = commands_of(tr);
    return commands ? &commands[i] : ERR_PTR(-ENOMEM);
}

/* Without probes the ops is unregistered, since an empty filter would mean every function. */
static int update_ops(struct func_command *c)
{
    bool registered = c->ops.flags & FTRACE_OPS_FL_ENABLED;
    const struct func_probe *p;
    struct ftrace_hash *hash;
    int ret = 0;

    if (!c->probes)
        return registered ? unregister_ftrace_function(&c->ops) : 0;
    hash = alloc_ftrace_hash();
    if (!hash)
        return -ENOMEM;
    for (p = c->probes; p && !ret; p = p->next)
        ret = ftrace_hash_add(hash, p->ip);
    if (ret) {
        free_ftrace_hash(hash);
        return ret;
    }
    ftrace_ops_init(&c->ops);
    ret = ftrace_hash_move_and_update_ops(&c->ops.func_hash->filter_hash, hash);
    return ret || registered ? ret : register_ftrace_function(&c->ops);
}

/* Words that follow the command. */
struct probe_words {
    struct trace_event_file *file; /* or NULL */
    const char *count;             /* or NULL */
};

/*
 * Unlinks the probes of functions in the set with the same words, but for the number, and those
 * whose function is gone. A hart that reads an unlinked probe still finds the rest of the list.
 */
static struct func_probe *remove_probes(struct func_command *c, const struct ftrace_hash *set,
                                        const struct probe_words *words)
{
    struct func_probe **link = &c->probes, *out = NULL;

    while (*link) {
        struct func_probe *p = *link;

        if (p->ip && (p->counted != (words->count != NULL) || p->file != words->file ||
                      !ftrace_lookup_ip(set, p->ip))) {
            link = &p->next;
            continue;
        }
        WRITE_ONCE(*link, p->next);
        p->next_out = out;
        out = p;
    }
    return out;
}

/* While a command may make an event be recorded, its probe is on. event_mutex is held. */
static int get_event(struct trace_event_file *file)
{
    int err = trace_event_try_get_ref(file->event_call) ? 0 : -EBUSY;

    if (err)
        return err;
    err = trace_event_enable_disable(file, true, true);
    if (err)
        trace_event_put_ref(file->event_call);
    return err;
}

static void put_event(struct trace_event_file *file)
{
    trace_event_enable_disable(file, false, true);
    trace_event_put_ref(file->event_call);
}

static void free_probes(struct func_probe *p)
{
    if (p)
        kick_all_cpus_sync();
    while (p) {
        struct func_probe *next = p->next_out;

        if (p->file)
            put_event(p->file);
        kfree(p);
        p = next;
    }
}

static int add_probes(struct func_command *c, const struct ftrace_hash *set,
                      const struct probe_words *words, long count)
{
    const struct dyn_ftrace *rec;
    unsigned long i;
    int ret = 0;

    ftrace_rec_lock();
    for (i = 0; !ret && (rec = ftrace_rec(i)); i++) {
        struct func_probe *p;

        if (!ftrace_lookup_ip(set, rec->ip))
            continue;
        p = kzalloc(sizeof(*p));
        if (p) {
            *p = (struct func_probe){.next = c->probes,
                                     .ip = rec->ip,
                                     .file = words->file,
                                     .counted = words->count != NULL,
                                     .count = count};
            smp_store_release(&c->probes, p);
        }
        ret = p ? 0 : -ENOMEM;
    }
    ftrace_rec_unlock();
    return ret;
}

/* The same; each of the new probes has a reference to the event, if there is one. */
static int add_event_probes(struct func_command *c, const struct ftrace_hash *set,
                            const struct probe_words *words, long count)
{
    struct func_probe *before = c->probes, *p;
    int ret = words->file ? get_event(words->file) : 0;

    if (ret)
        return ret;
    ret = add_probes(c, set, words, count);
    if (!words->file)
        return ret;
    for (p = c->probes; p != before; p = p->next)
        WARN_ON(get_event(words->file)); /* it is on already */
    put_event(words->file);
    return ret;
}

/* Removes the old probes of these functions and, with add, adds new ones. */
static int replace_probes(struct func_command *c, const struct ftrace_hash *set, bool add,
                          const struct probe_words *words)
{
    unsigned long n = 0;
    int err, ret = add && words->count ? kstrtoul(words->count, 10, &n) : 0;
    struct func_probe *old;

    if (ret)
        return ret;
    mutex_lock(&probe_mutex);
    old = remove_probes(c, set, words);
    if (add)
        ret = add_event_probes(c, set, words, n);
    else if (!old)
        ret = -EINVAL;
    err = update_ops(c);
    mutex_unlock(&probe_mutex);
    free_probes(old);
    return ret ? ret : err;
}

bool ftrace_is_command(const char *word)
{
    const char *command = strchr(word, ':');

    return command && strncmp(command, ":mod:", 5);
}

static int alloc_snapshot(struct trace_array *tr)
{
    int ret;

    mutex_lock(&trace_types_lock);
    ret = tracing_alloc_snapshot_instance(tr);
    mutex_unlock(&trace_types_lock);
    return ret;
}

/* Takes `SYSTEM:EVENT` and the number from the words. */
static int get_words(struct trace_array *tr, const struct func_command *c, char *rest,
                     struct probe_words *words)
{
    bool wants_event = c->act == act_enable_event || c->act == act_disable_event;
    char *system, *event;

    *words = (struct probe_words){.count = NULL};
    if (wants_event) {
        system = strsep(&rest, ":");
        event = strsep(&rest, ":");
        words->file = event ? find_event_file(tr, system, event) : NULL;
    }
    words->count = c->count ? c->count : rest;
    return wants_event && !words->file ? -EINVAL : 0;
}

static int run_command(struct trace_array *tr, struct func_command *c,
                       const struct ftrace_hash *set, bool add, char *rest)
{
    struct probe_words words;
    int ret;

    mutex_lock(&event_mutex);
    ret = get_words(tr, c, rest, &words);
    if (!ret)
        ret = replace_probes(c, set, add, &words);
    mutex_unlock(&event_mutex);
    return ret;
}

int ftrace_process_command(struct trace_array *tr, const char *word)
{
    char text[PROBE_WORD_MAX], *rest = text, *functions, *name;
    struct func_command *c;
    struct ftrace_hash *set;
    bool add = *word != '!';
    int ret;

    if (strscpy(text, word + !add, sizeof(text)) < 0)
        return -EINVAL;
    functions = strsep(&rest, ":");
    name = strsep(&rest, ":");
    c = name ? find_command(tr, name) : NULL;
    if (!c || IS_ERR(c))
        return c ? PTR_ERR(c) : -EINVAL;
    set = alloc_ftrace_hash();
    if (!set)
        return -ENOMEM;
    ret = ftrace_match_records(set, functions);
    if (!ret && add && c->act == act_snapshot)
        ret = alloc_snapshot(tr);
    if (!ret)
        ret = run_command(tr, c, set, add, rest);
    free_ftrace_hash(set);
    return ret;
}

void ftrace_forget_probes(unsigned long ip)
{
    const struct trace_array *tr;
    struct func_probe *p;
    unsigned long flags;
    unsigned int i;

    raw_local_irq_save(flags);
    for_each_trace_array(tr) {
        const struct func_command *c = READ_ONCE(tr->commands);

        for (i = 0; c && i < ARRAY_SIZE(all_commands); i++)
            for (p = READ_ONCE(c[i].probes); p; p = READ_ONCE(p->next))
                if (p->ip == ip)
                    WRITE_ONCE(p->ip, 0);
    }
    raw_local_irq_restore(flags);
}

void ftrace_clear_commands(struct trace_array *tr)
{
    struct func_probe *p;
    unsigned int i;

    for (i = 0; tr->commands && i < ARRAY_SIZE(all_commands); i++) {
        struct func_command *c = &tr->commands[i];

        if (c->ops.flags & FTRACE_OPS_FL_ENABLED)
            unregister_ftrace_function(&c->ops);
        free_ftrace_hash(c->ops.local_hash.filter_hash);
        while ((p = c->probes)) {
            c->probes = p->next;
            if (p->file)
                put_event(p->file);
            kfree(p);
        }
    }
    kfree(tr->commands);
    tr->commands = NULL;
    ftrace_clear_mods(&tr->ops->local_hash.filter_hash);
    ftrace_clear_mods(&tr->ops->local_hash.notrace_hash);
}

static void show_probes(struct seq_file *m, const struct func_command *c)
{
    const struct func_probe *p;

    for (p = c->probes; p; p = p->next) {
        if (!p->ip)
            continue;
        seq_printf(m, "%ps:%s:", (void *)p->ip, c->name);
        if (p->file)
            seq_printf(m, "%s:%s:", p->file->event_call->class->system,
                       trace_event_name(p->file->event_call));
        if (p->counted)
            seq_printf(m, "count=%ld\n", READ_ONCE(p->count));
        else
            seq_puts(m, "unlimited\n");
    }
}

void ftrace_show_probes(struct seq_file *m, const struct trace_array *tr)
{
    unsigned int i;

    mutex_lock(&probe_mutex);
    for (i = 0; tr->commands && i < ARRAY_SIZE(all_commands); i++)
        show_probes(m, &tr->commands[i]);
    mutex_unlock(&probe_mutex);
}
