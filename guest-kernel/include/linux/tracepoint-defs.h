/* tracepoint-defs.h - struct tracepoint, for headers that cannot include tracepoint.h. */
#ifndef LINUX_TRACEPOINT_DEFS_H
#define LINUX_TRACEPOINT_DEFS_H

#include <linux/jump_label.h>

/* A probe: func takes data, and then the tracepoint's arguments. */
struct tracepoint_func {
    void *func; /* NULL ends the array */
    void *data;
    int prio;
};

struct tracepoint {
    const char *name;
    struct static_key key;   /* true while there is a probe */
    int (*regfunc)(void);    /* called before the first probe is added, if not NULL */
    void (*unregfunc)(void); /* called after the last one was removed, if not NULL */
    /* By priority, highest first; NULL: none. Readers have preemption off. */
    struct tracepoint_func *funcs;
};

#ifdef CONFIG_TRACEPOINTS

/* For a header that only asks whether a tracepoint is on. */
#define DECLARE_TRACEPOINT(tp) extern struct tracepoint __tracepoint_##tp
#define tracepoint_enabled(tp) static_key_false(&__tracepoint_##tp.key)

#else

#define DECLARE_TRACEPOINT(tp)
#define tracepoint_enabled(tp) false

#endif

#endif
