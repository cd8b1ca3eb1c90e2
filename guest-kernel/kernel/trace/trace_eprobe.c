/*
 * trace_eprobe.c - event probes: events that are made of another event's fields, and of memory that
 * these point to.
 *
 *     e[:[GRP/][EVENT]] SYSTEM.EVENT|SYSTEM/EVENT [ARGS] [if FILTER]      in dynamic_events
 *
 * While one is on, it is a trigger of the other event, which need not be recorded itself.
 * trace_probe_mutex guards the list; it is taken before event_mutex.
 *
 * Not instrumented: handlers.
 */
#include "trace_dynevent.h"
#include "trace_probe.h"
#include "trace_trigger.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#define EPROBE_EVENT_SYSTEM "eprobes"

struct trace_eprobe {
    struct list_head list;
    char *group, *event;
    char *source_group, *source_event;
    struct trace_event_call *source; /* with a reference */
    char *filter;                    /* `if ...`; NULL: none */
    struct trace_probe tp;
    struct trace_event_class class;
    struct trace_event_call call;
};

static LIST_HEAD(trace_eprobes);

/* ---- the other event happens ---- */

static void eprobe_trigger(struct event_trigger_data *data, const void *rec, u64 ts)
{
    const struct trace_eprobe *ep = data->eprobe;
    struct trace_event_file *file = data->eprobe_file;
    unsigned int dsize;
    struct trace_event_buffer fbuffer;
    char *entry;

    (void)ts;
    if (trace_trigger_soft_disabled(file))
        return;
    dsize = trace_probe_data_size(&ep->tp, rec);
    entry = trace_event_buffer_reserve(&fbuffer, file,
                                       sizeof(struct trace_entry) + ep->tp.size + dsize);
    if (!entry)
        return;
    trace_probe_store_args(&ep->tp, rec, entry, sizeof(struct trace_entry), dsize);
    trace_event_buffer_commit(&fbuffer);
}

/* It is not one that was written to the file `trigger`. */
static void eprobe_trigger_print(struct seq_file *m, const struct event_trigger_data *data)
{
    (void)m;
    (void)data;
}

static const struct event_command eprobe_command = {.name = "eprobe",
                                                    .type = ETT_EVENT_EPROBE,
                                                    .act_on = eprobe_trigger,
                                                    .print = eprobe_trigger_print};

/* ---- on and off; event_mutex is held ---- */

static int set_filter(struct event_trigger_data *data, const char *filter)
{
    char *copy = kstrdup(filter);
    int err = copy ? set_trigger_filter(data, copy) : -ENOMEM;

    kfree(copy);
    return err;
}

static int enable_eprobe(struct trace_eprobe *ep, struct trace_event_file *file)
{
    struct trace_event_file *source = find_event_file(file->tr, ep->source_group, ep->source_event);
    struct event_trigger_data *data = source ? alloc_trigger(source, &eprobe_command) : NULL;
    int err = 0;

    if (!data)
        return source ? -ENOMEM : -ENOENT;
    data->eprobe = ep;
    data->eprobe_file = file;
    if (ep->filter)
        err = set_filter(data, ep->filter);
    if (!err)
        err = link_trigger(data);
    if (err)
        free_trigger(data);
    return err;
}

static int disable_eprobe(const struct trace_eprobe *ep, const struct trace_event_file *file)
{
    struct trace_event_file *source = find_event_file(file->tr, ep->source_group, ep->source_event);
    struct event_trigger_data *data, *next;

    if (source)
        list_for_each_entry_safe(data, next, &source->triggers, list) {
            if (data->eprobe == ep && data->eprobe_file == file)
                unlink_trigger(data);
        }
    return 0;
}

static int eprobe_register(struct trace_event_call *call, enum trace_reg type, void *data)
{
    struct trace_eprobe *ep = container_of(call, struct trace_eprobe, call);

    switch (type) {
    case TRACE_REG_REGISTER: return enable_eprobe(ep, data);
    case TRACE_REG_UNREGISTER: return disable_eprobe(ep, data);
    default: return -EINVAL; /* not for events of perf */
    }
}

static int eprobe_define_fields(struct trace_event_call *call)
{
    const struct trace_eprobe *ep = container_of(call, struct trace_eprobe, call);

    return trace_probe_define_fields(call, &ep->tp, sizeof(struct trace_entry));
}

static const struct trace_event_fields eprobe_fields[] = {
    {.type = TRACE_FUNCTION_TYPE, .define_fields = eprobe_define_fields}, {}};

static enum print_line_t print_eprobe_event(struct trace_iterator *iter, int flags,
                                            struct trace_event *event)
{
    const struct trace_eprobe *ep = container_of(event, struct trace_eprobe, call.event);
    struct trace_seq *s = &iter->seq;

    (void)flags;
    trace_seq_printf(s, "%s: (%s.%s)", ep->event, ep->source_group, ep->source_event);
    trace_probe_print_args(s, &ep->tp, iter->ent, sizeof(struct trace_entry));
    trace_seq_putc(s, '\n');
    return trace_handle_return(s);
}

static const struct trace_event_functions eprobe_funcs = {.trace = print_eprobe_event};

/* ---- adding and removing; trace_probe_mutex is held ---- */

static void free_eprobe(struct trace_eprobe *ep)
{
    trace_probe_free_args(&ep->tp);
    if (ep->source)
        trace_event_put_ref(ep->source);
    kfree(ep->call.print_fmt);
    kfree(ep->filter);
    kfree(ep->group);
    kfree(ep->event);
    kfree(ep->source_group);
    kfree(ep->source_event);
    kfree(ep);
}

static int register_eprobe(struct trace_eprobe *ep)
{
    struct trace_event_call *call = &ep->call;
    int err;

    if (trace_probe_event_exists(ep->group, ep->event))
        return -EEXIST;
    INIT_LIST_HEAD(&ep->class.fields);
    ep->class.system = ep->group;
    ep->class.reg = eprobe_register;
    ep->class.raw_init = trace_event_raw_init;
    ep->class.fields_array = eprobe_fields;
    call->class = &ep->class;
    call->name = ep->event;
    call->flags = TRACE_EVENT_FL_EPROBE | TRACE_EVENT_FL_DYNAMIC;
    call->event.funcs = &eprobe_funcs;
    call->print_fmt = trace_probe_print_fmt(&ep->tp, "", "");
    if (!call->print_fmt)
        return -ENOMEM;
    err = trace_add_event_call(call);
    if (!err)
        list_add_tail(&ep->list, &trace_eprobes);
    return err;
}

static int unregister_eprobe(struct trace_eprobe *ep)
{
    int err = READ_ONCE(ep->call.refcnt.counter) ? -EBUSY : trace_remove_event_call(&ep->call);

    if (err)
        return err;
    list_del_init(&ep->list);
    free_eprobe(ep);
    return 0;
}

/* ---- a line ---- */

/* Sets trace_probe_log to the word of the line. */
static void log_word(const char *line, const char *word)
{
    trace_probe_log.text = word;
    trace_probe_log.pos = word - line;
}

/* The event whose fields are used, with a reference. */
static int find_source(struct trace_eprobe *ep, const char *word)
{
    const struct trace_event_file *file;
    int err = trace_probe_parse_event_name(word, &ep->source_group, &ep->source_event);

    if (err || !ep->source_group || !ep->source_event)
        return trace_probe_log_err(word, PROBE_ERR_NO_EVENT_INFO);
    mutex_lock(&event_mutex);
    file = find_event_file(&global_trace, ep->source_group, ep->source_event);
    if (file && !(file->event_call->flags & TRACE_EVENT_FL_EPROBE) &&
        trace_event_try_get_ref(file->event_call))
        ep->source = file->event_call;
    mutex_unlock(&event_mutex);
    if (ep->source)
        return 0;
    trace_probe_log_err(word, PROBE_ERR_BAD_ATTACH_EVENT);
    return -ENODEV;
}

/* rest: what follows `if`. */
static int parse_filter(struct trace_eprobe *ep, char *rest)
{
    struct event_filter *filter = NULL;
    int err;

    if (!rest || !*rest)
        return trace_probe_log_err(trace_probe_log.text + strlen("if "), PROBE_ERR_NO_EP_FILTER);
    ep->filter = kmalloc(strlen(rest) + sizeof("if "));
    if (!ep->filter)
        return -ENOMEM;
    snprintf(ep->filter, strlen(rest) + sizeof("if "), "if %s", rest);
    mutex_lock(&event_mutex);
    err = create_event_filter(&global_trace, ep->source, rest, true, &filter);
    mutex_unlock(&event_mutex);
    free_event_filter(filter);
    return err;
}

static int parse_args(struct trace_eprobe *ep, const char *line, char *rest)
{
    char *word;
    int err = 0;

    trace_probe_log.source = ep->source;
    while (!err && (word = strsep(&rest, " \t"))) {
        log_word(line, word);
        if (!strcmp(word, "if"))
            return parse_filter(ep, rest ? strstrip(rest) : NULL);
        if (*word)
            err = trace_probe_add_arg(&ep->tp, word, 0);
        if (err == -ENOENT) {
            log_word(line, word);
            trace_probe_log_err(word, PROBE_ERR_BAD_ATTACH_ARG);
        }
    }
    return err;
}

static int parse_eprobe(struct trace_eprobe *ep, char *line)
{
    char *rest = line, *head = strsep(&rest, " \t"), *source = strsep(&rest, " \t");
    int err = 0;

    log_word(line, head);
    if (head[1] == ':')
        err = trace_probe_parse_event_name(head + 2, &ep->group, &ep->event);
    else if (head[1])
        err = -EINVAL;
    if (!err && !source)
        err = -EINVAL;
    if (err)
        return err;
    log_word(line, source);
    err = find_source(ep, source);
    if (!err)
        err = parse_args(ep, line, rest);
    if (!err && !ep->group)
        ep->group = kstrdup(EPROBE_EVENT_SYSTEM);
    if (!err && !ep->event)
        ep->event = kstrdup(ep->source_event);
    return err || (ep->group && ep->event) ? err : -ENOMEM;
}

static int create_eprobe(char *line)
{
    struct trace_eprobe *ep = kzalloc(sizeof(*ep));
    char *command = kstrdup(line);
    int err = -ENOMEM;

    mutex_lock(&trace_probe_mutex);
    trace_probe_log = (struct trace_probe_log){.command = command, .name = "event_probe"};
    if (ep && command)
        err = parse_eprobe(ep, line);
    if (!err)
        err = register_eprobe(ep);
    if (err == -EEXIST) {
        log_word(line, line);
        trace_probe_log_err(line, PROBE_ERR_EVENT_EXIST);
    }
    if (err && ep)
        free_eprobe(ep);
    mutex_unlock(&trace_probe_mutex);
    kfree(command);
    return err;
}

/* what: `SYSTEM.EVENT`, or with `/`, and arguments; NULL: any. */
static bool is_described(const struct trace_eprobe *ep, const char *what)
{
    size_t group = strlen(ep->source_group), event = strlen(ep->source_event);

    if (!what)
        return true;
    if (strncmp(what, ep->source_group, group) || (what[group] != '.' && what[group] != '/') ||
        strncmp(what + group + 1, ep->source_event, event))
        return false;
    return trace_probe_match_args(&ep->tp, what + group + 1 + event);
}

static int remove_eprobes(const char *group, const char *event, const char *what)
{
    struct trace_eprobe *ep, *next;
    int err = -ENOENT;

    mutex_lock(&trace_probe_mutex);
    list_for_each_entry_safe(ep, next, &trace_eprobes, list) {
        if ((group && strcmp(group, ep->group)) || (event && strcmp(event, ep->event)) ||
            !is_described(ep, what))
            continue;
        err = unregister_eprobe(ep);
        if (err)
            break;
    }
    mutex_unlock(&trace_probe_mutex);
    return err;
}

static int remove_all_eprobes(void)
{
    int err = remove_eprobes(NULL, NULL, NULL);

    return err == -ENOENT ? 0 : err;
}

static void show_eprobes(struct seq_file *m)
{
    const struct trace_eprobe *ep;
    unsigned int i;

    mutex_lock(&trace_probe_mutex);
    list_for_each_entry(ep, &trace_eprobes, list) {
        seq_printf(m, "e:%s/%s %s.%s", ep->group, ep->event, ep->source_group, ep->source_event);
        for (i = 0; i < ep->tp.nr_args; i++)
            seq_printf(m, " %s=%s", ep->tp.args[i]->name, ep->tp.args[i]->comm);
        seq_puts(m, "\n");
    }
    mutex_unlock(&trace_probe_mutex);
}

const struct dyn_event_kind event_probes_kind = {
    .letters = "e",
    .create = create_eprobe,
    .remove = remove_eprobes,
    .remove_all = remove_all_eprobes,
    .show = show_eprobes,
};
