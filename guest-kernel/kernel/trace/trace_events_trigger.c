/*
 * trace_events_trigger.c - triggers: what happens when an event does.
 *
 *     traceon, traceoff             turn the trace on, or off
 *     snapshot                      takes a snapshot of the trace
 *     stacktrace                    records the stack, after the event
 *     enable_event:SYSTEM:EVENT     lets another event be recorded; disable_event: stops that
 *     enable_hist:SYSTEM:EVENT      lets another event's hist triggers count; disable_hist: pauses
 * them hist:...                      counts: trace_events_hist.c
 *
 * Each may have `:COUNT`, the number of times that it acts, and ` if FILTER` for the event's entry;
 * `!` before it removes it. Without a trigger that needs the entry they act before there is one.
 *
 * Probes walk the list with preemption off; event_mutex guards it.
 *
 * Not instrumented.
 */
#include "trace_trigger.h"
#include <asm/stacktrace.h>
#include <linux/errno.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { UNLIMITED = -1, STACK_MAX = 32 };

/* ---- what they do ---- */

static bool may_act(struct event_trigger_data *data)
{
    long n = READ_ONCE(data->count);

    while (n > 0 && !__atomic_compare_exchange_n(&data->count, &n, n - 1, true, __ATOMIC_SEQ_CST,
                                                 __ATOMIC_RELAXED))
        ;
    return n != 0;
}

/* What changes nothing does not count. */
static void set_recording(struct event_trigger_data *data, bool on)
{
    struct trace_buffer *buffer = trace_buffer_of(data->file->tr);

    if (READ_ONCE(buffer->record_on) != on && may_act(data))
        WRITE_ONCE(buffer->record_on, on);
}

static void act_traceon(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    set_recording(data, true);
}

static void act_traceoff(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    set_recording(data, false);
}

static void act_snapshot(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    if (may_act(data))
        tracing_snapshot_instance(data->file->tr);
}

static void act_stacktrace(struct event_trigger_data *data, unsigned int trace_ctx)
{
    enum { SKIPPED = 3 }; /* this, event_triggers_post_call(), trace_event_buffer_commit() */
    unsigned long callers[STACK_MAX];

    if (may_act(data))
        trace_stack(data->file->tr, callers, stack_trace_save(callers, STACK_MAX, SKIPPED),
                    trace_ctx);
}

static void set_soft_disabled(struct event_trigger_data *data, bool disable)
{
    unsigned long *flags = &data->target->flags;

    if (disable == !!(READ_ONCE(*flags) & EVENT_FILE_FL_SOFT_DISABLED) || !may_act(data))
        return;
    if (disable)
        (void)__atomic_fetch_or(flags, EVENT_FILE_FL_SOFT_DISABLED, __ATOMIC_SEQ_CST);
    else
        (void)__atomic_fetch_and(flags, ~(unsigned long)EVENT_FILE_FL_SOFT_DISABLED,
                                 __ATOMIC_SEQ_CST);
}

static void act_enable_event(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    set_soft_disabled(data, false);
}

static void act_disable_event(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    set_soft_disabled(data, true);
}

static void set_hists_paused(struct event_trigger_data *data, bool paused)
{
    struct event_trigger_data *hist;

    if (!may_act(data))
        return;
    list_for_each_entry_rcu(hist, &data->target->triggers, list)
        if (hist->hist)
            WRITE_ONCE(hist->paused, paused);
}

static void act_enable_hist(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    set_hists_paused(data, false);
}

static void act_disable_hist(struct event_trigger_data *data, unsigned int trace_ctx)
{
    (void)trace_ctx;
    set_hists_paused(data, true);
}

static const struct event_command commands[] = {
    {.name = "traceon", .type = ETT_TRACE_ONOFF, .act = act_traceon},
    {.name = "traceoff", .type = ETT_TRACE_ONOFF, .act = act_traceoff},
    {.name = "snapshot", .type = ETT_SNAPSHOT, .act = act_snapshot},
    {.name = "stacktrace", .type = ETT_STACKTRACE, .after = true, .act = act_stacktrace},
    {.name = "enable_event", .type = ETT_EVENT_ENABLE, .act = act_enable_event},
    {.name = "disable_event", .type = ETT_EVENT_ENABLE, .act = act_disable_event},
    {.name = "enable_hist", .type = ETT_HIST_ENABLE, .act = act_enable_hist},
    {.name = "disable_hist", .type = ETT_HIST_ENABLE, .act = act_disable_hist},
    {.name = "hist",
     .type = ETT_EVENT_HIST,
     .act_on = hist_trigger,
     .parse = hist_trigger_parse,
     .print = hist_trigger_print,
     .free = hist_trigger_free},
};

static bool has_target(const struct event_command *cmd)
{
    return cmd->type & (ETT_EVENT_ENABLE | ETT_HIST_ENABLE);
}

/* ---- when an event happens ---- */

unsigned int event_triggers_call(struct trace_event_file *file, const void *rec, u64 ts,
                                 unsigned int trace_ctx)
{
    struct event_trigger_data *data;
    unsigned int after = 0;

    list_for_each_entry_rcu(data, &file->triggers, list) {
        if (READ_ONCE(data->paused) ||
            (rec && data->filter && !filter_match_preds(data->filter, rec)))
            continue;
        if (rec && data->cmd->after)
            after |= data->cmd->type;
        else if (rec && data->cmd->act_on)
            data->cmd->act_on(data, rec, ts);
        else if (rec || !(data->filter || data->cmd->after || data->cmd->act_on))
            data->cmd->act(data, trace_ctx);
    }
    return after;
}

noinline void event_triggers_post_call(struct trace_event_file *file, unsigned int after,
                                       unsigned int trace_ctx)
{
    struct event_trigger_data *data;

    list_for_each_entry_rcu(data, &file->triggers, list)
        if (data->cmd->after && (data->cmd->type & after))
            data->cmd->act(data, trace_ctx);
}

/* ---- adding and removing ---- */

static void set_flag(struct trace_event_file *file, unsigned long flag, bool on)
{
    if (on)
        (void)__atomic_fetch_or(&file->flags, flag, __ATOMIC_SEQ_CST);
    else
        (void)__atomic_fetch_and(&file->flags, ~flag, __ATOMIC_SEQ_CST);
}

static void update_cond_flag(struct trace_event_file *file)
{
    const struct event_trigger_data *data;
    bool cond = false;

    list_for_each_entry(data, &file->triggers, list)
        cond |= data->filter || data->cmd->after || data->cmd->act_on;
    set_flag(file, EVENT_FILE_FL_TRIGGER_COND, cond);
}

static int trigger_enable_disable(struct trace_event_file *file, bool enable)
{
    if (enable ? atomic_add_return(1, &file->tm_ref) > 1 : atomic_add_return(-1, &file->tm_ref) > 0)
        return 0;
    set_flag(file, EVENT_FILE_FL_TRIGGER_MODE, enable);
    return trace_event_enable_disable(file, enable, true);
}

void free_trigger(struct event_trigger_data *data)
{
    if (data->target) {
        trace_event_enable_disable(data->target, false, true);
        trace_event_put_ref(data->target->event_call);
    }
    if (data->cmd->free)
        data->cmd->free(data);
    free_event_filter(data->filter);
    kfree(data->filter_str);
    kfree(data);
}

void unlink_trigger(struct event_trigger_data *data)
{
    list_del_rcu(&data->list);
    trigger_enable_disable(data->file, false);
    update_cond_flag(data->file);
    tracepoint_synchronize_unregister();
    free_trigger(data);
}

void clear_event_triggers(struct trace_event_file *file)
{
    while (!list_empty(&file->triggers))
        unlink_trigger(list_entry(file->triggers.next, struct event_trigger_data, list));
}

/* One of the same type that is there already; of an event that is turned on or off: for that. */
static struct event_trigger_data *find_same(struct trace_event_file *file,
                                            const struct event_command *cmd,
                                            const struct trace_event_file *target)
{
    struct event_trigger_data *data;

    list_for_each_entry(data, &file->triggers, list) {
        if (data->cmd->type == cmd->type && data->target == target)
            return data;
    }
    return NULL;
}

int set_trigger_filter(struct event_trigger_data *data, char *text)
{
    char *word = strsep(&text, " \t");

    if (strcmp(word, "if") || !text)
        return -EINVAL;
    data->filter_str = kstrdup(text);
    if (!data->filter_str)
        return -ENOMEM;
    return create_event_filter(data->file->tr, data->file->event_call, text, true, &data->filter);
}

static int parse_count(struct event_trigger_data *data, const char *text)
{
    unsigned long n;
    int err = *text ? kstrtoul(text, 0, &n) : -EINVAL;

    if (!err)
        data->count = n;
    return err;
}

static int get_target(struct event_trigger_data *data, struct trace_event_file *target)
{
    int err = 0;

    if (!target)
        return 0;
    if (!trace_event_try_get_ref(target->event_call))
        return -EBUSY;
    err = trace_event_enable_disable(target, true, true);
    if (err)
        trace_event_put_ref(target->event_call);
    else
        data->target = target;
    return err;
}

int link_trigger(struct event_trigger_data *data)
{
    struct trace_event_file *file = data->file;
    int err;

    if (data->hist)
        list_add_tail_rcu(&data->list, &file->triggers);
    else
        list_add_rcu(&data->list, &file->triggers);
    update_cond_flag(file);
    err = trigger_enable_disable(file, true);
    if (!err)
        return 0;
    list_del_rcu(&data->list);
    update_cond_flag(file);
    atomic_add_return(-1, &file->tm_ref);
    set_flag(file, EVENT_FILE_FL_TRIGGER_MODE, false);
    tracepoint_synchronize_unregister();
    return err;
}

static int alloc_snapshot(struct trace_array *tr)
{
    int err;

    mutex_lock(&trace_types_lock);
    err = tracing_alloc_snapshot_instance(tr);
    mutex_unlock(&trace_types_lock);
    return err;
}

struct event_trigger_data *alloc_trigger(struct trace_event_file *file,
                                         const struct event_command *cmd)
{
    struct event_trigger_data *data;

    if (trace_buffered_event_enable())
        return NULL;
    data = kzalloc(sizeof(*data));
    if (!data)
        return NULL;
    data->cmd = cmd;
    data->file = file;
    data->count = UNLIMITED;
    return data;
}

/* count, filter: NULL: none. */
static int add_trigger(struct trace_event_file *file, const struct event_command *cmd,
                       struct trace_event_file *target, const char *count, char *filter)
{
    struct event_trigger_data *data = alloc_trigger(file, cmd);
    int err = 0;

    if (!data)
        return -ENOMEM;
    if (count)
        err = parse_count(data, count);
    if (!err && filter)
        err = set_trigger_filter(data, filter);
    if (!err && find_same(file, cmd, target))
        err = -EEXIST;
    if (!err && cmd->type == ETT_SNAPSHOT)
        err = alloc_snapshot(file->tr);
    if (!err)
        err = get_target(data, target);
    if (!err)
        err = link_trigger(data);
    if (err)
        free_trigger(data);
    return err;
}

const struct event_command *find_trigger_command(const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(commands); i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

/* NULL: nothing but blanks. */
static char *rest_of(char *text)
{
    while (text && (*text == ' ' || *text == '\t'))
        text++;
    return text && *text ? text : NULL;
}

/* `NAME[:SYSTEM:EVENT][:COUNT][ if FILTER]`; removing one that is not there is no error. */
int trigger_process_regex(struct trace_event_file *file, char *text)
{
    char *rest = strstrip(text), *name = strsep(&rest, ": \t"), *count = NULL;
    bool remove = *name == '!';
    const struct event_command *cmd = find_trigger_command(name + remove);
    struct trace_event_file *target = NULL;
    struct event_trigger_data *old;

    rest = rest_of(rest);
    if (!cmd || (has_target(cmd) && !rest))
        return -EINVAL;
    if (cmd->parse)
        return cmd->parse(file, remove, rest);
    if (rest && (has_target(cmd) || (*rest >= '0' && *rest <= '9')))
        count = strsep(&rest, " \t");
    rest = rest_of(rest);
    if (has_target(cmd)) {
        const char *system = strsep(&count, ":"), *event = strsep(&count, ":");

        target = event ? find_event_file(file->tr, system, event) : NULL;
        if (!target)
            return -EINVAL;
    }
    if (!remove)
        return add_trigger(file, cmd, target, count, rest);
    old = find_same(file, cmd, target);
    if (old)
        unlink_trigger(old);
    return 0;
}

/* ---- the file ---- */

static void show_trigger(struct seq_file *m, const struct event_trigger_data *data)
{
    long count = READ_ONCE(data->count);

    seq_puts(m, data->cmd->name);
    if (data->target)
        seq_printf(m, ":%s:%s", data->target->event_call->class->system,
                   trace_event_name(data->target->event_call));
    if (count == UNLIMITED)
        seq_puts(m, ":unlimited");
    else
        seq_printf(m, ":count=%ld", count);
    if (data->filter_str)
        seq_printf(m, " if %s", data->filter_str);
    seq_puts(m, "\n");
}

void print_event_triggers(const struct trace_event_file *file, struct seq_file *m)
{
    const struct event_trigger_data *data;
    unsigned int i;

    list_for_each_entry(data, &file->triggers, list) {
        if (data->cmd->print)
            data->cmd->print(m, data);
        else
            show_trigger(m, data);
    }
    if (!list_empty(&file->triggers))
        return;
    seq_puts(m, "# Available triggers:\n#");
    for (i = 0; i < ARRAY_SIZE(commands); i++)
        seq_printf(m, " %s", commands[i].name);
    seq_puts(m, "\n");
}
