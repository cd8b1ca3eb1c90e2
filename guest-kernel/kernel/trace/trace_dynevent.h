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

extern const struct dyn_event_kind kprobe_events_kind, synth_events_kind;

#endif
