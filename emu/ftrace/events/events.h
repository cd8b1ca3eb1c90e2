/*
 * events.h - the events of ftrace: what its parts learn from those of the machine (cpu/observer.h).
 *
 * An event is emitted within the event of the machine, or the hit of a probe, from which it was
 * learnt, and listeners get it at once, in the order in which they were added. A kind that no
 * listener needs costs one test. Callbacks may do what those of the machine may.
 */
#ifndef FTRACE_EVENTS_H
#define FTRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct alarm;
struct call;
struct hart;

/* What the kernel changes, as far as the function that announces the change says it. */
enum announced {
    ANNOUNCED_NOTHING, /* the end was not announced */
    ANNOUNCED_SITES,
    ANNOUNCED_LABELS,
    ANNOUNCED_BREAKPOINTS,
    ANNOUNCED_TEXT, /* any code */
};

/*
 * FTRACE_UPDATE_ENDED, from ftrace/patch/updates.c: from here on all harts must fetch what the
 * writer has stored to code up to the stamp. An announced change without any store has an event,
 * too: the kernel believes that it has changed something.
 */
struct update_event {
    uint32_t writer;
    uint64_t stamp;       /* of the last store; 0: there was none */
    uint64_t first_stamp; /* of the first store */
    uint64_t stores;
    uint8_t end;       /* enum update_end (ftrace/patch/updates.h) */
    uint8_t announced; /* enum announced: what the outermost announcement was about */
    bool sites;        /* some store was to a site */
    bool labels;       /* some store was to a jump label */
    struct hart *hart; /* that has announced the end or fenced last; NULL: time has passed */
};

/* FTRACE_SITE_CHANGED, from ftrace/watch.c: the site `id` was added or is gone. */
struct site_event {
    uint32_t id;
};

/*
 * FTRACE_SITE_TAKEN, from ftrace/watch.c: the kernel's ftrace is about to take up a site of a
 * module that it loads, by the module's table. Nothing has patched the site yet.
 */
struct site_taken_event {
    struct hart *hart;
    uint32_t site;
    uint64_t lacking; /* if `site' is NO_SITE: a function that the compiler has prepared for a site,
                         and to which no entry of the table leads */
};

/*
 * FTRACE_SITE_ODD, from ftrace/patch/site_check.c: a hart is about to execute, at a site, what no
 * protocol of ftrace leaves there; or, from ftrace/patch/site_sweep.c, it has ended an update that
 * left that there.
 */
enum site_oddity {
    SITE_SOUND,
    SITE_BYTES_ODD, /* neither nops nor a call */
    SITE_TARGET,    /* a call to where nothing begins that a site may call */
    SITE_CARRY,     /* a call that misses such a place by 0x1000 */
    SITE_RANGE,     /* or by a multiple of 2 GiB, where no code is */
    SITE_BASE, /* a jalr whose register does not have the auipc's value, and so calls elsewhere */
    SITE_LITERAL, /* the trampoline reads data that an update should have replaced; `swept` only */
};

struct site_odd_event {
    struct hart *hart;
    uint32_t site;
    enum site_oddity oddity;
    bool swept;        /* found at the end of an update, which the hart has announced */
    uint64_t pc;       /* of the instruction that is about to be executed, or the site; virtual */
    uint64_t target;   /* virtual; not for SITE_BYTES_ODD; SITE_LITERAL: the value of the data */
    uint64_t meant;    /* SITE_CARRY, SITE_RANGE: the place that it misses; SITE_LITERAL: the right
                          value or 0 */
    uint8_t bytes[16]; /* of the site, as the hart fetches them */
};

/*
 * FTRACE_CALL_ENTERED, FTRACE_CALL_LEFT, from ftrace/calls/calls.c: a site that is on calls the
 * trampoline, or a function returns to return_to_handler; that call has come back, or never will.
 */
struct call_event {
    struct hart *hart;
    const struct call *call; /* ftrace/calls/calls.h; valid during the event */
    uint8_t how;             /* LEFT: enum call_end */
};

/* FTRACE_ALARM, from ftrace/watch.c: the kernel itself has noticed that something is wrong. */
struct alarm_event {
    struct hart *hart;
    const struct alarm *alarm; /* ftrace/kernel/alarms.h; valid during the event */
};

/*
 * FTRACE_LOCK_RELEASED, from ftrace/watch.c: a hart is about to release a lock of the kernel, so
 * what the lock guards is in order. FTRACE_LOCK_ASKED: it is about to take the lock, or to wait for
 * it; only with watch_config.asked_locks.
 */
enum kernel_lock { LOCK_FTRACE, LOCK_JUMP_LABEL, LOCK_KPROBE, KERNEL_LOCKS };

struct lock_event {
    struct hart *hart;
    enum kernel_lock lock;
    uint64_t caller; /* the address to which the call returns */
};

/* FTRACE_KEY_CALLED, from ftrace/watch.c: the kernel is asked to change this static key. */
struct key_event {
    uint64_t key;
    struct hart *hart;
    uint64_t caller; /* the address to which the call returns */
};

/*
 * FTRACE_FINDING, from ftrace/audit/audit.c: a new finding, or one whose severity has risen. Its
 * evidence is complete. Also a breach that is in no finding, because there are too many.
 */
struct finding_event {
    uint32_t finding; /* its index (ftrace/audit/finding.h); NO_FINDING: none */
    uint8_t rule;     /* enum rule (ftrace/audit/rules.h) of the breach */
};

/*
 * FTRACE_TEXT_LIVE, from ftrace/kernel/live_text.c by way of ftrace/watch.c: text of a module or of
 * a program of BPF is complete. FTRACE_MODULE_FREED, from there: the kernel has freed a module and
 * its text, and is done with it.
 */
struct text_event {
    struct hart *hart; /* which has its mappings; MODULE_FREED has nothing else */
    bool of_module;
    uint64_t va, size;
    uint64_t writable; /* the first page of it that can be written and executed; 0: there is none */
};

enum ftrace_event_kind {
    FTRACE_UPDATE_ENDED,
    FTRACE_SITE_CHANGED,
    FTRACE_SITE_TAKEN,
    FTRACE_SITE_ODD,
    FTRACE_CALL_ENTERED,
    FTRACE_CALL_LEFT,
    FTRACE_ALARM,
    FTRACE_LOCK_ASKED,
    FTRACE_LOCK_RELEASED,
    FTRACE_KEY_CALLED,
    FTRACE_FINDING,
    FTRACE_TEXT_LIVE,
    FTRACE_MODULE_FREED,
    FTRACE_EVENT_KINDS,
};

struct ftrace_event {
    enum ftrace_event_kind kind;
    union {
        struct update_event update;
        struct site_event site;
        struct site_taken_event taken;
        struct site_odd_event site_odd;
        struct call_event call; /* CALL_ENTERED, CALL_LEFT */
        struct alarm_event alarm;
        struct lock_event lock;
        struct key_event key;
        struct finding_event finding;
        struct text_event text;
    };
};

/* A set of kinds. */
#define FTRACE_BIT(kind) (UINT32_C(1) << (kind))

/* A callback for the events of the kinds in `kinds`. */
struct ftrace_listener {
    void *ctx;
    uint32_t kinds; /* FTRACE_BIT of each */
    void (*on_event)(void *ctx, const struct ftrace_event *e);
};

/* A run has four at most: the session, the log, the auditor, and the debugger or explore. */
enum { FTRACE_LISTENERS_MAX = 8 };

/* All zeroes: a stream without listeners. Its members are for the functions below. */
struct ftrace_stream {
    uint32_t wanted; /* FTRACE_BIT of each kind that some listener needs */
    uint8_t
        listening[FTRACE_EVENT_KINDS]; /* for each kind, the listeners that need it, a bit each */
    unsigned count;
    struct ftrace_listener listeners[FTRACE_LISTENERS_MAX];
};

void ftrace_listen(struct ftrace_stream *s, const struct ftrace_listener *l);

/* Other kinds from now on for the listener with that ctx. */
void ftrace_listen_to(struct ftrace_stream *s, const void *ctx, uint32_t kinds);

/* Removes the listeners with that ctx. The stream must not be emitting an event. */
void ftrace_unlisten(struct ftrace_stream *s, const void *ctx);

/* Whether some listener needs events of the kind. If not, they need not be emitted. */
static inline bool ftrace_wants(const struct ftrace_stream *s, enum ftrace_event_kind kind)
{
    return s->wanted & FTRACE_BIT(kind);
}

/* Calls the listeners that need the event. */
void ftrace_emit(const struct ftrace_stream *s, const struct ftrace_event *e);

#endif
