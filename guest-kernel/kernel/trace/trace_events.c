/*
 * trace_events.c - events: their fields, and turning them on and off.
 *
 * event_mutex guards the lists of events, of the events of each trace, and their flags.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

DEFINE_MUTEX(event_mutex);
LIST_HEAD(ftrace_events);
LIST_HEAD(ftrace_common_fields);
static LIST_HEAD(ftrace_generic_fields);

extern struct trace_event_call *const __start_ftrace_events[], *const __stop_ftrace_events[];
extern const struct trace_eval_map *const __start_ftrace_eval_maps[],
    *const __stop_ftrace_eval_maps[];

/* ---- fields ---- */

int filter_assign_type(const char *type)
{
    if (!strncmp(type, "__data_loc char", 15))
        return FILTER_DYN_STRING;
    if (!strncmp(type, "__rel_loc char", 14))
        return FILTER_RDYN_STRING;
    if (!strncmp(type, "char[", 5) || !strncmp(type, "unsigned char[", 14))
        return FILTER_STATIC_STRING;
    if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
        return FILTER_PTR_STRING;
    return FILTER_OTHER;
}

static int define_field_in(struct list_head *head, const struct ftrace_event_field *made)
{
    struct ftrace_event_field *field = kmalloc(sizeof(*field));

    if (!field)
        return -ENOMEM;
    *field = *made;
    if (field->filter_type == FILTER_OTHER)
        field->filter_type = filter_assign_type(field->type);
    list_add_tail(&field->link, head);
    return 0;
}

int trace_define_field(struct trace_event_call *call, const char *type, const char *name,
                       int offset, int size, int is_signed, int filter_type)
{
    const struct ftrace_event_field field = {{NULL, NULL}, name, type,     filter_type,
                                             offset,       size, is_signed};

    if (WARN_ON(!call->class))
        return 0;
    return define_field_in(trace_get_fields(call), &field);
}
EXPORT_SYMBOL_GPL(trace_define_field);

#define COMMON_FIELD(type, item)                                                                \
    {                                                                                           \
        {NULL, NULL}, "common_" #item, #type, FILTER_OTHER, offsetof(struct trace_entry, item), \
            sizeof(type), is_signed_type(type)                                                  \
    }

static int define_common_fields(void)
{
    static const struct ftrace_event_field common[] = {
        COMMON_FIELD(unsigned short, type),
        COMMON_FIELD(unsigned char, flags),
        COMMON_FIELD(unsigned char, preempt_count),
        COMMON_FIELD(int, pid),
    };
    static const struct ftrace_event_field generic[] = {
        {{NULL, NULL}, "CPU", "int", FILTER_CPU, 0, 4, 1},
        {{NULL, NULL}, "cpu", "int", FILTER_CPU, 0, 4, 1},
        {{NULL, NULL}, "COMM", "char *", FILTER_COMM, 0, sizeof(char *), 0},
        {{NULL, NULL}, "comm", "char *", FILTER_COMM, 0, sizeof(char *), 0},
    };
    unsigned int i;
    int err = 0;

    for (i = 0; !err && i < ARRAY_SIZE(common); i++)
        err = define_field_in(&ftrace_common_fields, &common[i]);
    for (i = 0; !err && i < ARRAY_SIZE(generic); i++)
        err = define_field_in(&ftrace_generic_fields, &generic[i]);
    return err;
}

static struct ftrace_event_field *find_field_in(struct list_head *head, const char *name)
{
    struct ftrace_event_field *field;

    list_for_each_entry(field, head, link)
        if (!strcmp(field->name, name))
            return field;
    return NULL;
}

struct ftrace_event_field *trace_find_event_field(struct trace_event_call *call, const char *name)
{
    struct ftrace_event_field *field = find_field_in(trace_get_fields(call), name);

    if (!field)
        field = find_field_in(&ftrace_generic_fields, name);
    return field ? field : find_field_in(&ftrace_common_fields, name);
}

/* Lays out the fields as the compiler does in the struct of the entry. Once for each class. */
static int define_fields(struct trace_event_call *call)
{
    const struct trace_event_fields *field = call->class->fields_array;
    unsigned int offset = sizeof(struct trace_entry);
    int err = 0;

    if (!list_empty(trace_get_fields(call)))
        return 0;
    for (; !err && field && field->type; field++) {
        if (field->type == TRACE_FUNCTION_TYPE) {
            err = field->define_fields(call);
            continue;
        }
        offset = ALIGN(offset, (unsigned int)field->align);
        err = trace_define_field(call, field->type, field->name, offset, field->size,
                                 field->is_signed, field->filter_type);
        offset += field->size;
    }
    return err;
}

static void destroy_fields(struct trace_event_call *call)
{
    struct list_head *head = trace_get_fields(call);
    struct ftrace_event_field *field, *next;

    list_for_each_entry_safe(field, next, head, link) {
        list_del_init(&field->link);
        kfree(field);
    }
}

/* ---- symbols in formats: tools do not know their numbers ---- */

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Finds the name as a word outside of strings; NULL: it is not there. */
static const char *find_word(const char *fmt, const char *name)
{
    size_t len = strlen(name);
    bool quoted = false;
    char before = 0;

    for (; *fmt; before = *fmt++) {
        if (*fmt == '\\' && fmt[1])
            fmt++;
        else if (*fmt == '"')
            quoted = !quoted;
        else if (!quoted && !is_word(before) && !strncmp(fmt, name, len) && !is_word(fmt[len]))
            return fmt;
    }
    return NULL;
}

/* The new format, in memory that is never freed, like the event. */
static void replace_symbol(struct trace_event_call *call, const struct trace_eval_map *map)
{
    const char *at;

    while ((at = find_word(call->print_fmt, map->eval_string))) {
        size_t size = strlen(call->print_fmt) + 24;
        char *fmt = kmalloc(size);

        if (!fmt)
            return;
        snprintf(fmt, size, "%.*s%ld%s", (int)(at - call->print_fmt), call->print_fmt,
                 (long)map->eval_value, at + strlen(map->eval_string));
        call->print_fmt = fmt;
    }
}

static void update_formats(const struct trace_eval_map *const *map,
                           const struct trace_eval_map *const *stop)
{
    struct trace_event_call *call;

    for (; map < stop; map++)
        list_for_each_entry(call, &ftrace_events, list)
            if (!strcmp(call->class->system, (*map)->system))
                replace_symbol(call, *map);
}

/* ---- on and off ---- */

int trace_event_raw_init(struct trace_event_call *call)
{
    return register_trace_event(&call->event) ? 0 : -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_event_raw_init);

int trace_event_reg(struct trace_event_call *event, enum trace_reg type, void *data)
{
    switch (type) {
    case TRACE_REG_REGISTER: return tracepoint_probe_register(event->tp, event->class->probe, data);
    case TRACE_REG_UNREGISTER:
        tracepoint_probe_unregister(event->tp, event->class->probe, data);
        return 0;
#ifdef CONFIG_PERF_EVENTS
    case TRACE_REG_PERF_REGISTER:
        return event->class->perf_probe
                   ? tracepoint_probe_register(event->tp, event->class->perf_probe, event)
                   : -EINVAL;
    case TRACE_REG_PERF_UNREGISTER:
        tracepoint_probe_unregister(event->tp, event->class->perf_probe, event);
        return 0;
#endif
    default: return -EINVAL;
    }
}
EXPORT_SYMBOL_GPL(trace_event_reg);

static void set_flag(struct trace_event_file *file, unsigned long flag, bool on)
{
    if (on)
        (void)__atomic_fetch_or(&file->flags, flag, __ATOMIC_SEQ_CST);
    else
        (void)__atomic_fetch_and(&file->flags, ~flag, __ATOMIC_SEQ_CST);
}

static int event_on(struct trace_event_file *file, bool soft_disable)
{
    struct trace_event_call *call = file->event_call;
    int err = 0;

    if (!soft_disable)
        set_flag(file, EVENT_FILE_FL_SOFT_DISABLED, false);
    else if (atomic_add_return(1, &file->sm_ref) == 1)
        set_flag(file, EVENT_FILE_FL_SOFT_MODE, true);
    if (file->flags & EVENT_FILE_FL_ENABLED)
        return 0;
    if (soft_disable) {
        set_flag(file, EVENT_FILE_FL_SOFT_DISABLED, true);
        err = trace_buffered_event_enable();
    }
    if (!err)
        err = call->class->reg(call, TRACE_REG_REGISTER, file);
    if (err) {
        pr_info("event trace: Could not enable event %s\n", trace_event_name(call));
        if (soft_disable && atomic_add_return(-1, &file->sm_ref) == 0)
            set_flag(file, EVENT_FILE_FL_SOFT_MODE | EVENT_FILE_FL_SOFT_DISABLED, false);
        return err;
    }
    set_flag(file, EVENT_FILE_FL_ENABLED, true);
    set_flag(file, EVENT_FILE_FL_WAS_ENABLED, true);
    return 0;
}

static int event_off(struct trace_event_file *file, bool soft_disable)
{
    struct trace_event_call *call = file->event_call;
    bool disable = !(file->flags & EVENT_FILE_FL_SOFT_MODE);
    int err = 0;

    if (soft_disable) {
        if (atomic_add_return(-1, &file->sm_ref) > 0)
            return 0;
        disable = file->flags & EVENT_FILE_FL_SOFT_DISABLED;
        set_flag(file, EVENT_FILE_FL_SOFT_MODE, false);
    }
    if (disable && (file->flags & EVENT_FILE_FL_ENABLED)) {
        set_flag(file, EVENT_FILE_FL_ENABLED, false);
        err = call->class->reg(call, TRACE_REG_UNREGISTER, file);
        WARN_ON(err);
    }
    set_flag(file, EVENT_FILE_FL_SOFT_DISABLED, file->flags & EVENT_FILE_FL_SOFT_MODE);
    return err;
}

int trace_event_enable_disable(struct trace_event_file *file, bool enable, bool soft_disable)
{
    return enable ? event_on(file, soft_disable) : event_off(file, soft_disable);
}

static bool can_be_turned_on(const struct trace_event_call *call)
{
    return trace_event_name(call) && call->class->reg &&
           !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);
}

/* NULL matches everything; match is a system or an event. */
static bool is_meant(const struct trace_event_call *call, const char *match, const char *sub,
                     const char *event)
{
    const char *name = trace_event_name(call), *system = call->class->system;

    if (match && strcmp(match, name) && strcmp(match, system))
        return false;
    return (!sub || !strcmp(sub, system)) && (!event || !strcmp(event, name));
}

/* The first error is returned, but the rest is tried. */
static int set_clr_events(struct trace_array *tr, const char *match, const char *sub,
                          const char *event, int set)
{
    struct trace_event_file *file;
    int ret = -EINVAL, first = 0;

    list_for_each_entry(file, &tr->events, list) {
        if (!can_be_turned_on(file->event_call) || !is_meant(file->event_call, match, sub, event))
            continue;
        ret = trace_event_enable_disable(file, set, false);
        if (ret && !first)
            first = ret;
    }
    return first ? first : ret;
}

/* `SYSTEM:EVENT`, `SYSTEM:`, `:EVENT`, or the name of either; `*` means all. */
int ftrace_set_clr_event(struct trace_array *tr, char *word, int set)
{
    char *match = strsep(&word, ":"), *sub = NULL, *event = NULL;
    int ret;

    if (word) {
        sub = *match && strcmp(match, "*") ? match : NULL;
        event = *word && strcmp(word, "*") ? word : NULL;
        match = NULL;
    }
    mutex_lock(&event_mutex);
    ret = set_clr_events(tr, match, sub, event, set);
    mutex_unlock(&event_mutex);
    if (word)
        word[-1] = ':'; /* restored for messages */
    return ret;
}

void ftrace_clear_events(struct trace_array *tr)
{
    struct trace_event_file *file;

    mutex_lock(&event_mutex);
    list_for_each_entry(file, &tr->events, list)
        trace_event_enable_disable(file, false, false);
    mutex_unlock(&event_mutex);
}

int trace_array_set_clr_event(struct trace_array *tr, const char *system, const char *event,
                              bool enable)
{
    int ret;

    if (!tr)
        return -ENOENT;
    mutex_lock(&event_mutex);
    ret = set_clr_events(tr, NULL, system, event, enable);
    mutex_unlock(&event_mutex);
    return ret;
}
EXPORT_SYMBOL_GPL(trace_array_set_clr_event);

int trace_set_clr_event(const char *system, const char *event, int set)
{
    int ret;

    mutex_lock(&event_mutex);
    ret = set_clr_events(&global_trace, NULL, system, event, set);
    mutex_unlock(&event_mutex);
    return ret;
}
EXPORT_SYMBOL_GPL(trace_set_clr_event);

/* ---- events of traces ---- */

struct trace_event_file *__find_event_file(struct trace_array *tr, const char *system,
                                           const char *event)
{
    struct trace_event_file *file;

    list_for_each_entry(file, &tr->events, list) {
        const struct trace_event_call *call = file->event_call;
        const char *name = trace_event_name(call);

        if (name && call->class->reg && !strcmp(event, name) &&
            !strcmp(system, call->class->system))
            return file;
    }
    return NULL;
}

struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
                                         const char *event)
{
    struct trace_event_file *file = __find_event_file(tr, system, event);

    return file && !(file->event_call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) ? file : NULL;
}

static int add_event_to_tracer(struct trace_event_call *call, struct trace_array *tr)
{
    struct trace_event_file *file = kzalloc(sizeof(*file));
    int err;

    if (!file)
        return -ENOMEM;
    file->event_call = call;
    file->tr = tr;
    INIT_LIST_HEAD(&file->triggers);
    if (trace_event_has_pids(tr))
        file->flags = EVENT_FILE_FL_PID_FILTER;
    list_add_tail(&file->list, &tr->events);
    err = event_create_dir(file);
    if (!err)
        return 0;
    pr_info("Could not create directory for event %s\n", trace_event_name(call));
    list_del_init(&file->list);
    kfree(file);
    return err;
}

/* Its probe is not attached any more. Then a grace period must pass before it is freed. */
static void unlink_event_file(struct trace_event_file *file)
{
    list_del_init(&file->list);
    event_remove_dir(file);
}

static void free_event_file(struct trace_event_file *file)
{
    free_event_filter(file->filter);
    kfree(file);
}

static void remove_event_from_tracer(struct trace_event_file *file)
{
    clear_event_triggers(file);
    trace_event_enable_disable(file, false, false);
    unlink_event_file(file);
    tracepoint_synchronize_unregister();
    free_event_file(file);
}

/* ---- all traces; under event_mutex ---- */

static int register_event(struct trace_event_call *call, struct module *mod)
{
    int err = call->class->raw_init ? call->class->raw_init(call) : 0;

    if (!err)
        err = define_fields(call);
    if (err) {
        pr_info("Could not initialize trace event %s\n", trace_event_name(call));
        return err;
    }
    if (!trace_event_is_dynamic(call))
        call->module = mod;
    list_add_tail(&call->list, &ftrace_events);
    return 0;
}

static int add_event_to_tracers(struct trace_event_call *call)
{
    struct trace_array *tr;
    int err = 0;

    for_each_trace_array(tr)
        if (!err && tr->event_dir)
            err = add_event_to_tracer(call, tr);
    return err;
}

static struct trace_event_file *file_of(struct trace_array *tr, const struct trace_event_call *call)
{
    struct trace_event_file *file;

    list_for_each_entry(file, &tr->events, list)
        if (file->event_call == call)
            return file;
    return NULL;
}

/* Removes it from all traces. */
static void remove_call(struct trace_event_call *call)
{
    struct trace_event_file *file;
    struct trace_array *tr;

    for_each_trace_array(tr) {
        file = file_of(tr, call);
        if (file)
            remove_event_from_tracer(file);
    }
    list_del_init(&call->list);
    if (call->event.type)
        unregister_trace_event(&call->event);
    if (call->class->fields_array || !list_empty(trace_get_fields(call)))
        destroy_fields(call);
}

int trace_add_event_call(struct trace_event_call *call)
{
    int err;

    mutex_lock(&event_mutex);
    err = register_event(call, NULL);
    if (!err)
        err = add_event_to_tracers(call);
    mutex_unlock(&event_mutex);
    return err;
}
EXPORT_SYMBOL_GPL(trace_add_event_call);

int trace_remove_event_call(struct trace_event_call *call)
{
    const struct trace_event_file *file;
    struct trace_array *tr;
    int err = 0;

    mutex_lock(&event_mutex);
    for_each_trace_array(tr) {
        file = file_of(tr, call);
        if (file && (file->flags & (EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_MODE)))
            err = -EBUSY;
    }
    if (!err)
        remove_call(call);
    mutex_unlock(&event_mutex);
    return err;
}
EXPORT_SYMBOL_GPL(trace_remove_event_call);

bool trace_event_try_get_ref(struct trace_event_call *call)
{
    if (!trace_event_is_dynamic(call))
        return try_module_get(call->module);
    atomic_inc(&call->refcnt);
    return true;
}

void trace_event_put_ref(struct trace_event_call *call)
{
    if (trace_event_is_dynamic(call))
        atomic_dec(&call->refcnt);
    else
        module_put(call->module);
}

/* ---- modules ---- */

static void add_module(struct module *mod)
{
    unsigned int i;

    mutex_lock(&event_mutex);
    for (i = 0; i < mod->num_trace_events; i++)
        register_event(mod->trace_events[i], mod);
    update_formats(mod->trace_evals, mod->trace_evals + mod->num_trace_evals);
    for (i = 0; i < mod->num_trace_events; i++)
        add_event_to_tracers(mod->trace_events[i]);
    mutex_unlock(&event_mutex);
}

static bool was_on(struct trace_array *tr, const struct module *mod)
{
    const struct trace_event_file *file;
    unsigned int i;

    for (i = 0; i < mod->num_trace_events; i++) {
        file = file_of(tr, mod->trace_events[i]);
        if (file && (file->flags & EVENT_FILE_FL_WAS_ENABLED))
            return true;
    }
    return false;
}

/*
 * If one of them was on, the rings may have entries whose type could be given to another event:
 * they are emptied.
 */
static void remove_module(struct module *mod)
{
    struct trace_array *tr;
    unsigned int i;

    mutex_lock(&event_mutex);
    for_each_trace_array(tr)
        tr->clear_trace = was_on(tr, mod);
    for (i = 0; i < mod->num_trace_events; i++)
        remove_call(mod->trace_events[i]);
    mutex_lock(&trace_types_lock);
    for_each_trace_array(tr)
        if (tr->clear_trace)
            tracing_reset_online_cpus(&tr->array_buffer);
    mutex_unlock(&trace_types_lock);
    mutex_unlock(&event_mutex);
}

static int module_changed(struct notifier_block *nb, unsigned long state, void *data)
{
    (void)nb;
    if (state == MODULE_STATE_COMING)
        add_module(data);
    else if (state == MODULE_STATE_GOING)
        remove_module(data);
    return NOTIFY_OK;
}

/* ---- boot ---- */

int event_trace_add_tracer(struct dentry *parent, struct trace_array *tr)
{
    struct trace_event_call *call;
    int err;

    INIT_LIST_HEAD(&tr->systems);
    INIT_LIST_HEAD(&tr->events);
    err = event_create_toplevel_files(parent, tr);
    list_for_each_entry(call, &ftrace_events, list)
        if (!err)
            err = add_event_to_tracer(call, tr);
    tr->trace_marker_file = __find_event_file(tr, "ftrace", "print");
    return err;
}

void event_trace_del_tracer(struct trace_array *tr)
{
    struct trace_event_file *file, *next;

    list_for_each_entry(file, &tr->events, list) {
        clear_event_triggers(file);
        trace_event_enable_disable(file, false, false);
    }
    tracepoint_synchronize_unregister();
    list_for_each_entry_safe(file, next, &tr->events, list) {
        unlink_event_file(file);
        free_event_file(file);
    }
    tracefs_remove(tr->event_dir);
}

void event_trace_init(void)
{
    static struct notifier_block modules = {.notifier_call = module_changed};
    struct trace_event_call *const *call;

    BUG_ON(define_common_fields());
    for (call = __start_ftrace_events; call < __stop_ftrace_events; call++)
        register_event(*call, NULL);
    update_formats(__start_ftrace_eval_maps, __stop_ftrace_eval_maps);
    mutex_lock(&event_mutex);
    if (event_trace_add_tracer(NULL, &global_trace))
        panic("No memory for the files of events: 5 MiB are needed");
    mutex_unlock(&event_mutex);
    register_module_notifier(&modules);
}
