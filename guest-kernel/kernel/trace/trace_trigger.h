/* trace_trigger.h - triggers of events: shared by the files of those that are more than a word. */
#ifndef KERNEL_TRACE_TRIGGER_H
#define KERNEL_TRACE_TRIGGER_H

#include "trace.h"

/* Types of commands; but for hist an event may have one of each, such as traceon or traceoff. */
enum {
    ETT_TRACE_ONOFF = 1,
    ETT_SNAPSHOT = 2,
    ETT_STACKTRACE = 4,
    ETT_EVENT_ENABLE = 8,
    ETT_EVENT_HIST = 16,
    ETT_HIST_ENABLE = 32,
    ETT_EVENT_EPROBE = 64,
};

struct hist_trigger_data;

struct event_trigger_data {
    struct list_head list; /* triggers of the event */
    const struct event_command *cmd;
    struct trace_event_file *file; /* its event */
    long count;                    /* left; changed by atomics */
    struct event_filter *filter;   /* NULL: none */
    char *filter_str;
    struct trace_event_file *target;   /* of enable_event and its like */
    struct hist_trigger_data *hist;    /* of hist */
    const struct trace_eprobe *eprobe; /* of an event probe, with its event */
    struct trace_event_file *eprobe_file;
    bool paused;
};

struct event_command {
    const char *name;
    unsigned int type;
    bool after; /* acts after the event was recorded */
    void (*act)(struct event_trigger_data *data, unsigned int trace_ctx);
    /* Instead of act(), for a command that needs the entry. */
    void (*act_on)(struct event_trigger_data *data, const void *rec, u64 ts);
    /* For a command that is not NAME[:COUNT][ if FILTER]; text is what follows the name. */
    int (*parse)(struct trace_event_file *file, bool remove, char *text);
    void (*print)(struct seq_file *m, const struct event_trigger_data *data);
    void (*free)(struct event_trigger_data *data); /* after a grace period */
};

/* NULL: there is none of this name. */
const struct event_command *find_trigger_command(const char *name);
/* A trigger of the event, not yet linked; NULL: no memory. All of these are under event_mutex. */
struct event_trigger_data *alloc_trigger(struct trace_event_file *file,
                                         const struct event_command *cmd);
/* text begins with `if`. */
int set_trigger_filter(struct event_trigger_data *data, char *text);
/* From now on it acts. 0 or an error. */
int link_trigger(struct event_trigger_data *data);
/* Waits until it does not act any more, and frees it. */
void unlink_trigger(struct event_trigger_data *data);
void free_trigger(struct event_trigger_data *data);

/* ---- hist: trace_events_hist.c ---- */

void hist_trigger(struct event_trigger_data *data, const void *rec, u64 ts);
int hist_trigger_parse(struct trace_event_file *file, bool remove, char *text);
void hist_trigger_print(struct seq_file *m, const struct event_trigger_data *data);
void hist_trigger_free(struct event_trigger_data *data);

#endif
