/*
 * trace_events_synth.c - synthetic events, which hist triggers record: the file synthetic_events.
 *
 *     NAME TYPE FIELD[; TYPE FIELD]...       adds an event to the system `synthetic`
 *     !NAME                                  removes it
 *
 * TYPE is u8 to u64, s8 to s64, [unsigned] char, int or long, bool, pid_t, gfp_t; `char FIELD[N]`
 * is a string of at most N bytes with its end, `char FIELD[]` one of any length. Numbers take eight
 * bytes of an entry and a string with a size takes 256.
 *
 * synth_event_mutex is taken before event_mutex. Not instrumented.
 */
#include "trace_dynevent.h"
#include "trace_probe.h"
#include "trace_synth.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

enum { STR_VAR_LEN_MAX = 256 };

/* C(error, its text), as in Linux 6.1. */
#define SYNTH_ERRORS                                                                               \
    C(BAD_NAME, "Illegal name")                                                                    \
    C(INVALID_CMD, "Command must be of the form: <name> field[;field] ...")                        \
    C(INVALID_DYN_CMD, "Command must be of the form: s or -:[synthetic/]<name> field[;field] ...") \
    C(EVENT_EXISTS, "Event already exists")                                                        \
    C(TOO_MANY_FIELDS, "Too many fields")                                                          \
    C(INCOMPLETE_TYPE, "Incomplete type")                                                          \
    C(INVALID_TYPE, "Invalid type")                                                                \
    C(INVALID_FIELD, "Invalid field")                                                              \
    C(INVALID_ARRAY_SPEC, "Invalid array specification")

#define C(error, text) SYNTH_ERR_##error,
enum synth_error { SYNTH_ERRORS };
#undef C
#define C(error, text) text,
static const char *const error_texts[] = {SYNTH_ERRORS};
#undef C

struct synth_trace_event {
    struct trace_entry ent;
    u64 fields[];
};

/* A trace in which the event is on. */
struct synth_file {
    struct list_head list;
    struct trace_event_file *file;
};

static DEFINE_MUTEX(synth_event_mutex);
static LIST_HEAD(synth_events);
static const char *last_cmd; /* under synth_event_mutex */

static int synth_err(enum synth_error error, const char *at)
{
    const char *found = at ? strstr(last_cmd, at) : NULL;

    tracing_log_err(&global_trace, "synthetic_events", last_cmd, error_texts, error,
                    found ? found - last_cmd : 0);
    return -EINVAL;
}

struct synth_event *find_synth_event(const char *name)
{
    struct synth_event *event;

    list_for_each_entry(event, &synth_events, list)
        if (!strcmp(event->name, name))
            return event;
    return NULL;
}

/* ---- types ---- */

static const struct {
    const char *name, *fmt;
    unsigned int size;
} types[] = {
    {"s64", "%lld", 8},
    {"u64", "%llu", 8},
    {"s32", "%d", 4},
    {"u32", "%u", 4},
    {"s16", "%d", 2},
    {"u16", "%u", 2},
    {"s8", "%d", 1},
    {"u8", "%u", 1},
    {"char", "%d", 1},
    {"unsigned char", "%u", 1},
    {"int", "%d", 4},
    {"unsigned int", "%u", 4},
    {"long", "%ld", 8},
    {"unsigned long", "%lu", 8},
    {"bool", "%d", sizeof(bool)},
    {"pid_t", "%d", sizeof(pid_t)},
    {"gfp_t", "%x", 4},
};

static const char *format_of(const struct synth_field *field)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(types); i++)
        if (!strcmp(types[i].name, field->type))
            return types[i].fmt;
    return "%s";
}

/* `char[N]`; 0: `char[]`. */
static int string_size(const char *type)
{
    const char *start = strchr(type, '[') + 1, *end = strchr(type, ']');
    char digits[4] = "";
    unsigned long size;

    if (!end || end < start || end[1] || end - start > 3)
        return -EINVAL;
    if (end == start)
        return 0;
    memcpy(digits, start, end - start);
    return kstrtoul(digits, 0, &size) || size > STR_VAR_LEN_MAX ? -EINVAL : (int)size;
}

/* 0: the type is unknown, or it is a string without a size. */
static int size_of_type(const char *type)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(types); i++)
        if (!strcmp(types[i].name, type))
            return types[i].size;
    return strstr(type, "char[") ? string_size(type) : 0;
}

static bool is_signed_name(const char *type)
{
    return type[0] != 'u' && strcmp(type, "gfp_t");
}

/* ---- recording ---- */

static const char *string_of(u64 value)
{
    return (const char *)(unsigned long)value;
}

/* The bytes that strings without a size take, with their ends. */
static unsigned int dynamic_size(const struct synth_event *event, const u64 *values,
                                 const unsigned int *indexes)
{
    unsigned int i, size = 0;

    for (i = 0; i < event->n_fields; i++)
        if (event->fields[i].is_dynamic)
            size += strnlen(string_of(values[indexes[i]]), STR_VAR_LEN_MAX - 1) + 1;
    return size;
}

/* Returns the bytes taken at `at'; another hart may change the string meanwhile. */
static unsigned int store_string(struct synth_trace_event *entry, u64 *field, unsigned int at,
                                 unsigned int room, const char *text)
{
    unsigned int len = min((unsigned int)strnlen(text, STR_VAR_LEN_MAX - 1) + 1, room);

    *field = 0;
    if (len)
        strscpy((char *)entry + at, text, len);
    *(u32 *)field = len << 16 | at;
    return len;
}

static void store_number(u64 *to, unsigned int size, u64 value)
{
    *to = 0;
    memcpy(to, &value, size);
}

static void store_fields(const struct synth_event *event, struct synth_trace_event *entry,
                         unsigned int dynamic, const u64 *values, const unsigned int *indexes)
{
    unsigned int i, at = event->size, end = event->size + dynamic;
    u64 *to = entry->fields;

    for (i = 0; i < event->n_fields; i++) {
        const struct synth_field *field = &event->fields[i];
        u64 value = values[indexes[i]];

        if (field->is_dynamic) {
            at += store_string(entry, to++, at, end - at, string_of(value));
        } else if (field->is_string) {
            strscpy((char *)to, string_of(value), STR_VAR_LEN_MAX);
            to += STR_VAR_LEN_MAX / sizeof(u64);
        } else {
            store_number(to++, field->size, value);
        }
    }
}

void trace_synth(struct synth_event *event, const u64 *values, const unsigned int *indexes)
{
    struct synth_file *on;

    list_for_each_entry_rcu(on, &event->files, list) {
        unsigned int dynamic = dynamic_size(event, values, indexes);
        struct trace_event_buffer fbuffer;
        struct synth_trace_event *entry;

        if (trace_trigger_soft_disabled(on->file))
            continue;
        entry = trace_event_buffer_reserve(&fbuffer, on->file, event->size + dynamic);
        if (!entry)
            continue;
        store_fields(event, entry, dynamic, values, indexes);
        trace_event_buffer_commit(&fbuffer);
    }
}

/* ---- printing ---- */

static void print_number(struct trace_seq *s, const char *fmt, unsigned int size, u64 val)
{
    if (size == 8)
        trace_seq_printf(s, fmt, val);
    else
        trace_seq_printf(s, fmt, size == 1 ? (u8)val : size == 2 ? (u16)val : (u32)val);
}

static enum print_line_t print_synth_event(struct trace_iterator *iter, int flags,
                                           struct trace_event *te)
{
    const struct synth_event *event = container_of(te, struct synth_event, call.event);
    const struct synth_trace_event *entry = (const void *)iter->ent;
    const u64 *at = entry->fields;
    struct trace_seq *s = &iter->seq;
    unsigned int i;

    (void)flags;
    trace_seq_printf(s, "%s: ", event->name);
    for (i = 0; i < event->n_fields; i++) {
        const struct synth_field *field = &event->fields[i];
        const char *fmt = format_of(field);

        if (iter->tr->trace_flags & TRACE_ITER_VERBOSE)
            trace_seq_printf(s, "%s ", fmt);
        trace_seq_printf(s, "%s=", field->name);
        if (field->is_dynamic)
            trace_seq_printf(s, "%s", (const char *)entry + (*at & 0xffff));
        else if (field->is_string)
            trace_seq_printf(s, "%s", (const char *)at);
        else
            print_number(s, fmt, field->size, *at);
        if (i + 1 < event->n_fields)
            trace_seq_putc(s, ' ');
        if (!strcmp(field->type, "gfp_t"))
            trace_seq_printf(s, " (0x%llx)", *at);
        at += field->is_string && !field->is_dynamic ? STR_VAR_LEN_MAX / sizeof(u64) : 1;
    }
    trace_seq_putc(s, '\n');
    return trace_handle_return(s);
}

static const struct trace_event_functions synth_funcs = {.trace = print_synth_event};

/* Returns the length. */
static size_t write_print_fmt(const struct synth_event *event, char *text, size_t size)
{
    unsigned int i;
    size_t len = scnprintf(text, size, "\"");

    for (i = 0; i < event->n_fields; i++)
        len += scnprintf(text + len, size - len, "%s=%s%s", event->fields[i].name,
                         format_of(&event->fields[i]), i + 1 < event->n_fields ? ", " : "");
    len += scnprintf(text + len, size - len, "\"");
    for (i = 0; i < event->n_fields; i++)
        len += scnprintf(text + len, size - len,
                         event->fields[i].is_dynamic ? ", __get_str(%s)" : ", REC->%s",
                         event->fields[i].name);
    return len;
}

static int make_print_fmt(struct synth_event *event)
{
    enum { EACH = 32 };
    size_t size = EACH;
    unsigned int i;
    char *text;

    for (i = 0; i < event->n_fields; i++)
        size += EACH + 2 * strlen(event->fields[i].name);
    text = kmalloc(size);
    if (!text)
        return -ENOMEM;
    write_print_fmt(event, text, size);
    event->call.print_fmt = text;
    return 0;
}

/* ---- the event ---- */

static int enable_synth(struct synth_event *event, struct trace_event_file *file)
{
    struct synth_file *on = kzalloc(sizeof(*on));

    if (!on)
        return -ENOMEM;
    on->file = file;
    list_add_tail_rcu(&on->list, &event->files);
    return 0;
}

static void disable_synth(struct synth_event *event, const struct trace_event_file *file)
{
    struct synth_file *on, *next;

    list_for_each_entry_safe(on, next, &event->files, list) {
        if (on->file != file)
            continue;
        list_del_rcu(&on->list);
        tracepoint_synchronize_unregister();
        kfree(on);
    }
}

static int synth_register(struct trace_event_call *call, enum trace_reg type, void *data)
{
    struct synth_event *event = container_of(call, struct synth_event, call);

    if (type > TRACE_REG_UNREGISTER)
        return -EINVAL; /* not for perf */
    if (type == TRACE_REG_REGISTER)
        return enable_synth(event, data);
    disable_synth(event, data);
    return 0;
}

static int define_synth_fields(struct trace_event_call *call)
{
    struct synth_event *event = container_of(call, struct synth_event, call);
    unsigned int i, offset = offsetof(struct synth_trace_event, fields);
    int err = 0;

    for (i = 0; !err && i < event->n_fields; i++) {
        const struct synth_field *field = &event->fields[i];

        err = trace_define_field(call, field->type, field->name, offset, field->size,
                                 field->is_signed, FILTER_OTHER);
        offset += field->is_string && !field->is_dynamic ? (unsigned int)STR_VAR_LEN_MAX
                                                         : (unsigned int)sizeof(u64);
    }
    event->size = offset;
    return err;
}

static const struct trace_event_fields synth_fields[] = {
    {.type = TRACE_FUNCTION_TYPE, .define_fields = define_synth_fields}, {}};

static void free_synth_event(struct synth_event *event)
{
    unsigned int i;

    for (i = 0; i < event->n_fields; i++) {
        kfree(event->fields[i].type);
        kfree(event->fields[i].name);
    }
    kfree(event->call.print_fmt);
    kfree(event->name);
    kfree(event);
}

static int register_synth_event(struct synth_event *event)
{
    int err = make_print_fmt(event);

    if (err)
        return err;
    INIT_LIST_HEAD(&event->class.fields);
    event->class.system = "synthetic";
    event->class.reg = synth_register;
    event->class.raw_init = trace_event_raw_init;
    event->class.fields_array = synth_fields;
    event->call.class = &event->class;
    event->call.name = event->name;
    event->call.flags = TRACE_EVENT_FL_DYNAMIC;
    event->call.event.funcs = &synth_funcs;
    err = trace_add_event_call(&event->call);
    if (err)
        return err;
    mutex_lock(&event_mutex);
    list_add_tail(&event->list, &synth_events);
    mutex_unlock(&event_mutex);
    return 0;
}

/* Nobody finds it any more, unless it is in use. */
static int unlink_synth_event(struct synth_event *event)
{
    int err = 0;

    mutex_lock(&event_mutex);
    if (READ_ONCE(event->call.refcnt.counter) || !list_empty(&event->files))
        err = -EBUSY;
    else
        list_del_init(&event->list);
    mutex_unlock(&event_mutex);
    return err;
}

static int remove_synth_event(struct synth_event *event)
{
    int err = unlink_synth_event(event);

    if (err)
        return err;
    err = trace_remove_event_call(&event->call);
    if (!err) {
        free_synth_event(event);
        return 0;
    }
    mutex_lock(&event_mutex);
    list_add_tail(&event->list, &synth_events);
    mutex_unlock(&event_mutex);
    return err;
}

/* All or none. */
static int release_all(void)
{
    struct synth_event *event, *next;
    int err = 0;

    mutex_lock(&synth_event_mutex);
    list_for_each_entry(event, &synth_events, list)
        if (READ_ONCE(event->call.refcnt.counter) || !list_empty(&event->files))
            err = -EBUSY;
    list_for_each_entry_safe(event, next, &synth_events, list)
        err = err ? err : remove_synth_event(event);
    mutex_unlock(&synth_event_mutex);
    return err;
}

/* ---- lines ---- */

/* The next word; NULL: none. */
static char *next_word(char **text)
{
    char *word;

    while ((word = strsep(text, " \t\n")) && !*word)
        ;
    return word;
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = kmalloc(size);

    if (text)
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

static int set_type(struct synth_field *field, const char *prefix, const char *type,
                    const char *name, const char *array)
{
    const char *whole = field->type = join(prefix, type, array);
    int size = whole ? size_of_type(whole) : -ENOMEM;

    if (!whole)
        return -ENOMEM;
    field->is_string = strstr(whole, "char[");
    if (size < 0)
        return *array ? synth_err(SYNTH_ERR_INVALID_ARRAY_SPEC, name)
                      : synth_err(SYNTH_ERR_INVALID_TYPE, type);
    if (!size && !field->is_string)
        return synth_err(SYNTH_ERR_INVALID_TYPE, type);
    field->size = size;
    field->is_signed = is_signed_name(whole);
    if (size)
        return 0;
    field->is_dynamic = true;
    field->size = sizeof(u64);
    field->type = join("__data_loc ", whole, "");
    kfree(whole);
    return field->type ? 0 : -ENOMEM;
}

/* `[unsigned] TYPE NAME[ARRAY]`; type is the first word. */
static int parse_field(struct synth_field *field, const char *type, char **rest)
{
    const char *prefix = "", *name = next_word(rest), *array;

    if (!strcmp(type, "unsigned")) {
        prefix = "unsigned ";
        type = name;
        name = type ? next_word(rest) : NULL;
        if (!name)
            return synth_err(SYNTH_ERR_INCOMPLETE_TYPE, "unsigned");
    }
    if (!name)
        return synth_err(SYNTH_ERR_INVALID_FIELD, type);
    array = strchr(name, '[');
    field->name = kmemdup_nul(name, array ? (size_t)(array - name) : strlen(name));
    if (!field->name)
        return -ENOMEM;
    if (!is_good_name(field->name))
        return synth_err(SYNTH_ERR_BAD_NAME, name);
    return set_type(field, prefix, type, name, array ? array : "");
}

static int parse_fields(struct synth_event *event, char *text)
{
    char *part, *type;
    int err = 0;

    while (!err && (part = strsep(&text, ";")))
        while (!err && (type = next_word(&part))) {
            if (event->n_fields == SYNTH_FIELDS_MAX)
                return synth_err(SYNTH_ERR_TOO_MANY_FIELDS, NULL);
            err = parse_field(&event->fields[event->n_fields++], type, &part);
        }
    return err || event->n_fields ? err : synth_err(SYNTH_ERR_INVALID_CMD, NULL);
}

static int create_synth_event(const char *name, char *fields)
{
    struct synth_event *event;
    int err;

    if (!is_good_name(name))
        return synth_err(SYNTH_ERR_BAD_NAME, name);
    if (find_synth_event(name)) {
        synth_err(SYNTH_ERR_EVENT_EXISTS, name);
        return -EEXIST;
    }
    event = kzalloc(sizeof(*event));
    if (!event)
        return -ENOMEM;
    INIT_LIST_HEAD(&event->files);
    event->name = kstrdup(name);
    err = event->name ? parse_fields(event, fields) : -ENOMEM;
    if (!err)
        err = register_synth_event(event);
    if (err)
        free_synth_event(event);
    return err;
}

/* Whether what is before the first `;` is a name, a type and a field. */
static bool has_first_field(const char *command)
{
    char *copy = kstrdup(command), *rest = copy, *first = strsep(&rest, ";");
    unsigned int n = 0;

    while (first && next_word(&first))
        n++;
    kfree(copy);
    return n >= 3;
}

static int run_command(char *line)
{
    struct synth_event *event;
    const char *name;

    if (*line != '!' && !has_first_field(line))
        return synth_err(SYNTH_ERR_INVALID_CMD, NULL);
    name = strsep(&line, " \t");
    if (*name != '!')
        return create_synth_event(name, line);
    event = find_synth_event(name + 1);
    return event ? remove_synth_event(event) : -ENOENT;
}

/* `s:[synthetic/]NAME FIELDS` */
static int run_dyn_command(char *line)
{
    char *name = strsep(&line, " \t"), *command;
    int err;

    if (name[1] != ':')
        return -EINVAL;
    name += strlen("s:");
    if (!line)
        return synth_err(SYNTH_ERR_INVALID_CMD, NULL);
    if (strchr(name, '/')) {
        if (strncmp(name, "synthetic/", strlen("synthetic/")))
            return synth_err(SYNTH_ERR_INVALID_DYN_CMD, NULL);
        name += strlen("synthetic/");
    }
    command = join(name, " ", line);
    if (!command)
        return -ENOMEM;
    err = has_first_field(command) ? create_synth_event(name, line)
                                   : synth_err(SYNTH_ERR_INVALID_CMD, NULL);
    kfree(command);
    return err;
}

/* Errors are logged for the line. */
static int run_with_log(char *line, int (*run)(char *line))
{
    char *copy = kstrdup(line);
    int err;

    if (!copy)
        return -ENOMEM;
    mutex_lock(&synth_event_mutex);
    last_cmd = copy;
    err = run(line);
    last_cmd = NULL;
    mutex_unlock(&synth_event_mutex);
    kfree(copy);
    return err;
}

static int run_line(char *line)
{
    return run_with_log(line, run_command);
}

/* ---- for dynamic_events ---- */

static int create_dyn(char *line)
{
    return run_with_log(line, run_dyn_command);
}

static int remove_dyn(const char *group, const char *name, const char *what)
{
    struct synth_event *event, *next;
    int err = -ENOENT;

    (void)what;
    if (group && strcmp(group, "synthetic"))
        return -ENOENT;
    mutex_lock(&synth_event_mutex);
    list_for_each_entry_safe(event, next, &synth_events, list) {
        if (name && strcmp(name, event->name))
            continue;
        err = remove_synth_event(event);
        if (err)
            break;
    }
    mutex_unlock(&synth_event_mutex);
    return err;
}

/* ---- the file ---- */

/* prefix: before each name. */
static void show_all(struct seq_file *m, const char *prefix)
{
    const struct synth_event *event;
    unsigned int i;

    mutex_lock(&synth_event_mutex);
    list_for_each_entry(event, &synth_events, list) {
        seq_printf(m, "%s%s\t", prefix, event->name);
        for (i = 0; i < event->n_fields; i++) {
            const struct synth_field *field = &event->fields[i];

            seq_printf(m, "%s %s%s", field->type + (field->is_dynamic ? strlen("__data_loc ") : 0),
                       field->name, i + 1 < event->n_fields ? "; " : "\n");
        }
    }
    mutex_unlock(&synth_event_mutex);
}

static int synthetic_events_show(struct seq_file *m, void *unused)
{
    (void)unused;
    show_all(m, "");
    return 0;
}

static void show_dyn(struct seq_file *m)
{
    show_all(m, "s:synthetic/");
}

const struct dyn_event_kind synth_events_kind = {
    .letters = "s",
    .create = create_dyn,
    .remove = remove_dyn,
    .remove_all = release_all,
    .show = show_dyn,
};

static int synthetic_events_open(struct inode *inode, struct file *file)
{
    return trace_command_open(inode, file, synthetic_events_show, release_all);
}

static ssize_t synthetic_events_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    return trace_parse_run_command(buf, count, pos, run_line);
}

static const struct file_operations synthetic_events_fops = {
    .open = synthetic_events_open,
    .read = seq_read,
    .write = synthetic_events_write,
    .release = single_release,
};

void trace_create_synth_file(void)
{
    tracefs_create_file("synthetic_events", S_IRUGO | S_IWUSR, NULL, NULL, &synthetic_events_fops);
}
