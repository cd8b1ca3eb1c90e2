/* trace_dynevent.h - events that are added and removed by lines of files: those of each kind. */
#ifndef KERNEL_TRACE_DYNEVENT_H
#define KERNEL_TRACE_DYNEVENT_H

#include <linux/seq_file.h>

/* What dynamic_events needs of a kind; each takes the kind's mutex. */
struct dyn_event_kind {
    const char *letters; /* that a line of it begins with */
    int (*create)(char *line);
    /* -ENOENT: there is none. group, what (its place and arguments): NULL: any. */
    int (*remove)(const char *group, const char *event, const char *what);
    int (*remove_all)(void); /* all or none */
    void (*show)(struct seq_file *m);
};

/* For a file of commands. Opening it with O_TRUNC removes all that they have made. */
int trace_command_open(struct inode *inode, struct file *file,
                       int (*show)(struct seq_file *m, void *data), int (*remove)(void));
/*
 * Runs each line, without comments (#) and the blanks around it, until one fails: those before it
 * have been carried out. Returns count, or the error.
 */
ssize_t trace_parse_run_command(const char *buf, size_t count, loff_t *pos, int (*run)(char *line));

extern const struct dyn_event_kind kprobe_events_kind, synth_events_kind, event_probes_kind;

#endif
