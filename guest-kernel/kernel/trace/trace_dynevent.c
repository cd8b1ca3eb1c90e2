/*
 * trace_dynevent.c - the file dynamic_events: the lines of kprobe_events and synthetic_events in
 * one, and event probes.
 *
 *     p..., r...                          as in kprobe_events
 *     e...                                event probes (trace_eprobe.c)
 *     s:[synthetic/]NAME FIELD[;FIELD]    as in synthetic_events
 *     -:[GROUP/]NAME                      removes events of any kind
 *
 * Not instrumented.
 */
#include "trace_dynevent.h"
#include "trace.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { WRITE_BUFSIZE = 4096 };

/* ---- files of lines that are commands ---- */

int trace_command_open(struct inode *inode, struct file *file,
                       int (*show)(struct seq_file *m, void *data), int (*remove)(void))
{
    int err = 0;

    if ((file->f_flags & O_ACCMODE) != O_RDONLY && (file->f_flags & O_TRUNC))
        err = remove();
    return err ? err : single_open(file, show, inode->i_private);
}

ssize_t trace_parse_run_command(const char *buf, size_t count, loff_t *pos, int (*run)(char *line))
{
    char *text, *rest, *line, *comment;
    int err = 0;

    if (count >= WRITE_BUFSIZE)
        return -EINVAL;
    rest = text = kmemdup_nul(buf, count);
    if (!text)
        return -ENOMEM;
    while (!err && (line = strsep(&rest, "\n"))) {
        comment = strchr(line, '#');
        if (comment)
            *comment = 0;
        line = strstrip(line);
        if (*line)
            err = run(line);
    }
    kfree(text);
    if (err)
        return err;
    *pos += count;
    return count;
}

/* ---- dynamic_events ---- */

static const struct dyn_event_kind *const kinds[] = {&event_probes_kind, &kprobe_events_kind,
                                                     &synth_events_kind};

/* `-:[GROUP/]NAME [WHAT]`; before the name there may be a letter instead, as `!p:`. */
static int remove_line(char *line)
{
    char *event = strsep(&line, " \t"), *group = NULL, *what = line ? strstrip(line) : NULL;
    unsigned int i;
    int err = -ENOENT, one;

    if (event[0] == '-' && event[1] != ':')
        return -EINVAL;
    event = strchr(event, ':');
    if (!event)
        return -EINVAL;
    event++;
    if (strchr(event, '/'))
        group = strsep(&event, "/");
    for (i = 0; i < ARRAY_SIZE(kinds); i++) {
        one = kinds[i]->remove(group, *event ? event : NULL, what && *what ? what : NULL);
        if (one != -ENOENT)
            err = one;
        if (err && err != -ENOENT)
            break;
    }
    return err;
}

static int run_line(char *line)
{
    unsigned int i;

    if (*line == '-' || *line == '!')
        return remove_line(line);
    for (i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strchr(kinds[i]->letters, *line))
            return kinds[i]->create(line);
    return -EINVAL;
}

static int dynamic_events_show(struct seq_file *m, void *unused)
{
    unsigned int i;

    (void)unused;
    for (i = 0; i < ARRAY_SIZE(kinds); i++)
        kinds[i]->show(m);
    return 0;
}

static int remove_all(void)
{
    unsigned int i;
    int err = 0;

    for (i = 0; !err && i < ARRAY_SIZE(kinds); i++)
        err = kinds[i]->remove_all();
    return err;
}

static int dynamic_events_open(struct inode *inode, struct file *file)
{
    return trace_command_open(inode, file, dynamic_events_show, remove_all);
}

static ssize_t dynamic_events_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    return trace_parse_run_command(buf, count, pos, run_line);
}

static const struct file_operations dynamic_events_fops = {
    .open = dynamic_events_open,
    .read = seq_read,
    .write = dynamic_events_write,
    .release = single_release,
};

void trace_create_dynevent_file(void)
{
    tracefs_create_file("dynamic_events", S_IRUGO | S_IWUSR, NULL, NULL, &dynamic_events_fops);
}
