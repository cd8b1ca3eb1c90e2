/*
 * trace_events_files.c - the files of events: events/, set_event, available_events.
 *
 * An open file may outlive its event: the event's files are then without i_private, and fail with
 * ENODEV. i_private is read and cleared under event_mutex.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

/* Defines NAME_fops; NAME_show() and NAME_store() get the inode's i_private under event_mutex. */
#define DEFINE_EVENT_FILE(name, write_function)                    \
    static int name##_locked_show(struct seq_file *m, void *inode) \
    {                                                              \
        return show_locked(m, inode, name##_show);                 \
    }                                                              \
    static int name##_open(struct inode *inode, struct file *file) \
    {                                                              \
        return single_open(file, name##_locked_show, inode);       \
    }                                                              \
    static const struct file_operations name##_fops = {            \
        .open = name##_open,                                       \
        .read = seq_read,                                          \
        .write = write_function,                                   \
        .release = single_release,                                 \
    }

static int show_locked(struct seq_file *m, const struct inode *inode,
                       int (*show)(struct seq_file *m, void *data))
{
    int ret;

    mutex_lock(&event_mutex);
    ret = inode->i_private ? show(m, inode->i_private) : -ENODEV;
    mutex_unlock(&event_mutex);
    return ret;
}

/* Writes 0 or 1 to an enable file. */
static ssize_t write_enable(struct file *file, const char *buf, size_t count, loff_t *pos,
                            int (*set)(void *data, bool on))
{
    char text[16];
    unsigned long val;
    int err;

    if (count >= sizeof(text))
        return -EINVAL;
    memcpy(text, buf, count);
    text[count] = 0;
    err = kstrtoul(strstrip(text), 10, &val);
    if (err || val > 1)
        return err ? err : -EINVAL;
    mutex_lock(&event_mutex);
    err = file->f_inode->i_private ? set(file->f_inode->i_private, val) : -ENODEV;
    mutex_unlock(&event_mutex);
    if (err)
        return err;
    *pos += count;
    return count;
}

/* Writes the text of a filter, or of a trigger, to its file. */
static ssize_t write_filter(struct file *file, const char *buf, size_t count, loff_t *pos,
                            int (*apply)(void *data, char *text))
{
    char *text;
    int err;

    if (count >= PAGE_SIZE)
        return -EINVAL;
    text = kmemdup_nul(buf, count);
    if (!text)
        return -ENOMEM;
    mutex_lock(&event_mutex);
    err = file->f_inode->i_private ? apply(file->f_inode->i_private, text) : -ENODEV;
    mutex_unlock(&event_mutex);
    kfree(text);
    if (err)
        return err;
    *pos += count;
    return count;
}

/* ---- SYSTEM/EVENT/enable, filter, trigger, id, format ---- */

static int event_enable_show(struct seq_file *m, void *data)
{
    const struct trace_event_file *file = data;
    bool on = (file->flags & (EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_DISABLED)) ==
              EVENT_FILE_FL_ENABLED;

    seq_printf(m, "%d%s\n", on,
               file->flags & (EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_SOFT_MODE) ? "*" : "");
    return 0;
}

static int set_event_on(void *data, bool on)
{
    struct trace_event_file *file = data;
    int err = tracing_update_buffers(file->tr);

    return err ? err : trace_event_enable_disable(file, on, false);
}

static ssize_t event_enable_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return write_enable(file, buf, count, pos, set_event_on);
}

DEFINE_EVENT_FILE(event_enable, event_enable_write);

static int event_filter_show(struct seq_file *m, void *data)
{
    print_event_filter(data, m);
    return 0;
}

static int set_event_filter(void *data, char *text)
{
    return apply_event_filter(data, text);
}

static ssize_t event_filter_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return write_filter(file, buf, count, pos, set_event_filter);
}

DEFINE_EVENT_FILE(event_filter, event_filter_write);

static int event_trigger_show(struct seq_file *m, void *data)
{
    print_event_triggers(data, m);
    return 0;
}

static int set_event_trigger(void *data, char *text)
{
    return trigger_process_regex(data, text);
}

static ssize_t event_trigger_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return write_filter(file, buf, count, pos, set_event_trigger);
}

static int event_trigger_locked_show(struct seq_file *m, void *inode)
{
    return show_locked(m, inode, event_trigger_show);
}

/* Opening the file with O_TRUNC removes hist triggers and enable_hist, and no others. */
static int event_trigger_open(struct inode *inode, struct file *file)
{
    if ((file->f_flags & O_ACCMODE) != O_RDONLY && (file->f_flags & O_TRUNC)) {
        mutex_lock(&event_mutex);
        if (inode->i_private)
            hist_unregister_all(inode->i_private);
        mutex_unlock(&event_mutex);
    }
    return single_open(file, event_trigger_locked_show, inode);
}

static const struct file_operations event_trigger_fops = {
    .open = event_trigger_open,
    .read = seq_read,
    .write = event_trigger_write,
    .release = single_release,
};

DEFINE_EVENT_FILE(event_hist, NULL);

static int event_id_show(struct seq_file *m, void *data)
{
    const struct trace_event_call *call = data;

    seq_printf(m, "%d\n", call->event.type);
    return 0;
}

DEFINE_EVENT_FILE(event_id, NULL);

/* The length of an array is after the name, as in C; only TRACE_EVENT() has told it. */
static void show_field(struct seq_file *m, const struct ftrace_event_field *field, bool is_dynamic)
{
    const char *array = strchr(field->type, '[');

    if (!strncmp(field->type, "__data_loc", 10) || !strncmp(field->type, "__rel_loc", 9))
        array = NULL;
    seq_printf(m, "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
               array ? (int)(array - field->type) : (int)strlen(field->type), field->type,
               field->name,
               !array       ? ""
               : is_dynamic ? "[]"
                            : array,
               field->offset, field->size, !!field->is_signed);
}

static int event_format_show(struct seq_file *m, void *data)
{
    struct trace_event_call *call = data;
    const struct ftrace_event_field *field;

    seq_printf(m, "name: %s\nID: %d\nformat:\n", trace_event_name(call), call->event.type);
    list_for_each_entry(field, &ftrace_common_fields, link)
        show_field(m, field, false);
    seq_puts(m, "\n");
    list_for_each_entry(field, trace_get_fields(call), link)
        show_field(m, field, trace_event_is_dynamic(call));
    seq_printf(m, "\nprint fmt: %s\n", call->print_fmt);
    return 0;
}

DEFINE_EVENT_FILE(event_format, NULL);

/* ---- SYSTEM/enable, SYSTEM/filter, enable ---- */

/* One character for the events of a system (NULL: of all): none, off, on, some of each. */
static char enabled_of(const struct trace_array *tr, const char *system)
{
    const struct trace_event_file *file;
    unsigned int seen = 0;

    list_for_each_entry(file, &tr->events, list) {
        const struct trace_event_call *call = file->event_call;

        if ((call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) || !call->class->reg ||
            (system && strcmp(system, call->class->system)))
            continue;
        seen |= 1u << !!(file->flags & EVENT_FILE_FL_ENABLED);
    }
    return "?01X"[seen];
}

static int set_all(struct trace_array *tr, const char *system, bool on)
{
    struct trace_event_file *file;
    int ret = -EINVAL, err = tracing_update_buffers(tr);

    if (err)
        return err;
    list_for_each_entry(file, &tr->events, list) {
        const struct trace_event_call *call = file->event_call;

        if ((call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) || !call->class->reg ||
            (system && strcmp(system, call->class->system)))
            continue;
        ret = trace_event_enable_disable(file, on, false);
        err = err ? err : ret;
    }
    return err ? err : ret;
}

static int system_enable_show(struct seq_file *m, void *data)
{
    const struct trace_subsystem_dir *dir = data;

    seq_printf(m, "%c\n", enabled_of(dir->tr, dir->subsystem->name));
    return 0;
}

static int set_system_on(void *data, bool on)
{
    const struct trace_subsystem_dir *dir = data;

    return set_all(dir->tr, dir->subsystem->name, on);
}

static ssize_t system_enable_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return write_enable(file, buf, count, pos, set_system_on);
}

DEFINE_EVENT_FILE(system_enable, system_enable_write);

static int system_filter_show(struct seq_file *m, void *data)
{
    const struct trace_subsystem_dir *dir = data;

    print_subsystem_event_filter(dir->subsystem, m);
    return 0;
}

static int set_system_filter(void *data, char *text)
{
    return apply_subsystem_event_filter(data, text);
}

static ssize_t system_filter_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return write_filter(file, buf, count, pos, set_system_filter);
}

DEFINE_EVENT_FILE(system_filter, system_filter_write);

static int all_enable_show(struct seq_file *m, void *data)
{
    seq_printf(m, "%c\n", enabled_of(data, NULL));
    return 0;
}

static int set_all_on(void *data, bool on)
{
    return set_all(data, NULL, on);
}

static ssize_t all_enable_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return write_enable(file, buf, count, pos, set_all_on);
}

DEFINE_EVENT_FILE(all_enable, all_enable_write);

/* ---- directories ---- */

/* Files that are open get no event any more. */
static void clear_private(struct dentry *dir)
{
    struct dentry *child;
    loff_t at;

    for (at = 0; (child = d_next_child(dir, at)); dput(child)) {
        child->d_inode->i_private = NULL;
        at = child->d_offset + 1;
    }
}

static struct trace_subsystem_dir *find_system(const struct trace_array *tr, const char *name)
{
    struct trace_subsystem_dir *dir;

    list_for_each_entry(dir, &tr->systems, list)
        if (!strcmp(dir->subsystem->name, name))
            return dir;
    return NULL;
}

static void free_system(struct trace_subsystem_dir *dir)
{
    if (dir->subsystem) {
        free_event_filter(dir->subsystem->filter);
        kfree(dir->subsystem->name);
    }
    kfree(dir->subsystem);
    kfree(dir);
}

/* The events of the system `ftrace` are those of the tracers: they cannot be turned on here. */
static struct trace_subsystem_dir *create_system(struct trace_array *tr, const char *name)
{
    struct trace_subsystem_dir *dir = kzalloc(sizeof(*dir));

    if (!dir)
        return NULL;
    dir->subsystem = kzalloc(sizeof(*dir->subsystem));
    if (dir->subsystem)
        dir->subsystem->name = kstrdup(name);
    if (dir->subsystem && dir->subsystem->name)
        dir->entry = tracefs_create_dir(name, tr->event_dir);
    if (!dir->entry) {
        free_system(dir);
        return NULL;
    }
    dir->tr = tr;
    if (strcmp(name, "ftrace")) {
        tracefs_create_file("filter", RW, dir->entry, dir, &system_filter_fops);
        tracefs_create_file("enable", RW, dir->entry, dir, &system_enable_fops);
    }
    list_add_tail(&dir->list, &tr->systems);
    return dir;
}

/* An event of the class may have the name of the system itself; both are directories, then. */
int event_create_dir(struct trace_event_file *file)
{
    struct trace_event_call *call = file->event_call;
    struct trace_subsystem_dir *dir = find_system(file->tr, call->class->system);
    bool can_enable = call->class->reg && !(call->flags & TRACE_EVENT_FL_IGNORE_ENABLE);

    if (!dir)
        dir = create_system(file->tr, call->class->system);
    if (dir)
        file->dir = tracefs_create_dir(trace_event_name(call), dir->entry);
    if (!file->dir)
        return -ENOMEM;
    file->system = dir;
    dir->nr_events++;
    if (can_enable)
        tracefs_create_file("enable", RW, file->dir, file, &event_enable_fops);
    if (can_enable)
        tracefs_create_file("filter", RW, file->dir, file, &event_filter_fops);
    if (can_enable || call->event.type == TRACE_PRINT) /* that of trace_marker */
        tracefs_create_file("trigger", RW, file->dir, file, &event_trigger_fops);
    if (can_enable || call->event.type == TRACE_PRINT)
        tracefs_create_file("hist", RO, file->dir, file, &event_hist_fops);
    if (call->event.type && call->class->reg)
        tracefs_create_file("id", RO, file->dir, call, &event_id_fops);
    tracefs_create_file("format", RO, file->dir, call, &event_format_fops);
    return 0;
}

void event_remove_dir(struct trace_event_file *file)
{
    struct trace_subsystem_dir *dir = file->system;

    clear_private(file->dir);
    tracefs_remove(file->dir);
    if (--dir->nr_events)
        return;
    clear_private(dir->entry);
    tracefs_remove(dir->entry);
    list_del_init(&dir->list);
    free_system(dir);
}

/* ---- header_page, header_event ---- */

static int header_page_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_printf(m,
               "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
               "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
               "\tfield: char data;\toffset:%d;\tsize:%d;\tsigned:0;\n",
               BUF_PAGE_HDR_SIZE, (int)BUF_PAGE_SIZE);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(header_page);

static int header_event_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_printf(m,
               "# compressed entry header\n"
               "\ttype_len    :    5 bits\n"
               "\ttime_delta  :   27 bits\n"
               "\tarray       :   32 bits\n\n"
               "\tpadding     : type == %d\n"
               "\ttime_extend : type == %d\n"
               "\ttime_stamp : type == %d\n"
               "\tdata max type_len  == %d\n",
               RINGBUF_TYPE_PADDING, RINGBUF_TYPE_TIME_EXTEND, RINGBUF_TYPE_TIME_STAMP,
               RINGBUF_TYPE_DATA_TYPE_LEN_MAX);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(header_event);

/* ---- available_events, set_event ---- */

static int show_names(struct seq_file *m, const struct trace_array *tr, bool only_enabled)
{
    const struct trace_event_file *file;

    mutex_lock(&event_mutex);
    list_for_each_entry(file, &tr->events, list) {
        const struct trace_event_call *call = file->event_call;

        if (!call->class->reg || (call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) ||
            (only_enabled && !(file->flags & EVENT_FILE_FL_ENABLED)))
            continue;
        seq_printf(m, "%s:%s\n", call->class->system, trace_event_name(call));
    }
    mutex_unlock(&event_mutex);
    return 0;
}

static int available_events_show(struct seq_file *m, void *tr)
{
    return show_names(m, tr, false);
}

DEFINE_SHOW_ATTRIBUTE(available_events);

static int set_event_show(struct seq_file *m, void *tr)
{
    return show_names(m, tr, true);
}

/* Opening the file with O_TRUNC turns all events off. */
static int set_event_open(struct inode *inode, struct file *file)
{
    if ((file->f_flags & O_ACCMODE) != O_RDONLY && (file->f_flags & O_TRUNC))
        ftrace_clear_events(inode->i_private);
    return single_open(file, set_event_show, inode->i_private);
}

/* Words with blanks between them; `!` before one turns it off. */
static int set_event_store(void *tr, char *text)
{
    char *word;
    int err = tracing_update_buffers(tr);

    while (!err && (word = strsep(&text, " \t\n")))
        if (*word)
            err = ftrace_set_clr_event(tr, word + (*word == '!'), *word != '!');
    return err;
}

static ssize_t set_event_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return trace_write_text(file, buf, count, pos, set_event_store);
}

static const struct file_operations set_event_fops = {
    .open = set_event_open,
    .read = seq_read,
    .write = set_event_write,
    .release = single_release,
};

int event_create_toplevel_files(struct dentry *parent, struct trace_array *tr)
{
    tr->event_dir = tracefs_create_dir("events", parent);
    if (!tr->event_dir)
        return -ENOMEM;
    if (tr == &global_trace)
        tracefs_create_file("available_events", RO, parent, tr, &available_events_fops);
    tracefs_create_file("set_event", RW, parent, tr, &set_event_fops);
    tracefs_create_file("enable", RW, tr->event_dir, tr, &all_enable_fops);
    tracefs_create_file("header_page", RO, tr->event_dir, NULL, &header_page_fops);
    tracefs_create_file("header_event", RO, tr->event_dir, NULL, &header_event_fops);
    return 0;
}
