/*
 * model.h - a log as the viewer needs it: lanes with rows, marks, sites, functions.
 *
 * The log is read once from its beginning to its end, in steps, so that a picture can be drawn
 * meanwhile. The memory does not grow with the calls: the levels of the rows have a limit
 * (levels.h), and each frame of the log has the state that is needed to read it again by itself.
 * Stores to code, fences, findings and updates are kept one by one.
 */
#ifndef VIEW_MODEL_H
#define VIEW_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "follow.h"
#include "levels.h"
#include "log/log_read.h"

/* What a span shows: a kind in the high bits and a number. */
enum what_kind {
    WHAT_FUNCTION, /* number: a name */
    WHAT_TRACER,
    WHAT_TRAP,
    WHAT_TASK, /* number: a task of the log */
    WHAT_USER,
    WHAT_IDLE,
    WHAT_HART,
};
#define WHAT(kind, id)  ((uint32_t)(kind) << 28 | (uint32_t)(id))
#define WHAT_KIND(what) ((enum what_kind)((what) >> 28))
#define WHAT_ID(what)   ((what)&0xfffffff)
#define WHAT_NO_ID      0xfffffff
#define WHAT_NONE       UINT32_MAX

enum { DEPTH_MAX = 64 };

struct row {
    uint32_t lane, depth;
    struct levels levels;
    uint64_t busy;      /* cycles of its spans */
    uint64_t open_from; /* begin of the open span; open: whether there is one */
    uint32_t open_what;
    bool open;
};

/*
 * A hart, or a task. Depth 0 shows a hart's mode or task, or the hart that a task is on; the calls
 * follow.
 */
struct lane {
    bool is_task;
    uint32_t id; /* the hart, or the task's last number */
    uint64_t cycles;
    VEC_OF(uint32_t) rows; /* by depth */
};

struct name {
    char *text;
    uint64_t calls[LOG_SITE_STATES]; /* by state of the site */
    uint64_t own;                    /* cycles */
    uint32_t colour;
};

enum mark_kind {
    MARK_STORE,
    MARK_FENCE,
    MARK_STALE,
    MARK_FINDING,
    MARK_UPDATE,
    MARK_CONSOLE,
    MARK_KINDS
};

struct mark {
    uint64_t cycle, step; /* step: if the log has them */
    uint32_t ref;         /* into stores, ...; of its kind */
    uint32_t task;
    uint8_t kind, hart;
};

/* A fetch or a translation. */
struct stale_info {
    uint64_t pc, pa, writer_pc;
    uint32_t site;
    uint8_t size, old_bytes[4], new_bytes[4], writer_hart;
    bool old_known, ran_old, writer_known;
    /* of a stale translation, where these take the place of bytes, pa and site */
    bool is_translation, old_faults, new_faults;
    uint8_t access;
    uint64_t va, old_pa, new_pa;
};

struct fence_info {
    uint64_t pc;
    uint32_t requester;
    bool remote;
};

struct finding_info {
    uint64_t cycle;
    uint8_t hart;
    uint32_t number, rule, severity, text, site;
    uint64_t pc;
};

struct update_info {
    uint32_t writer;
    uint8_t end;
    uint64_t first, last, stores, patches, rounds, ipis;
    struct log_update_hart *hart; /* of each */
};

/* From a store to code to the hart's next fence.i. */
struct window {
    uint64_t from, to; /* to UINT64_MAX: the hart did not fence */
};

struct site_change {
    uint64_t cycle;
    uint8_t state;
};

struct site {
    uint64_t calls[LOG_SITE_STATES];
    uint64_t patches;
    VEC_OF(struct site_change) changes;
};

/* A frame of the log, so that it can be read again by itself. */
struct frame {
    uint64_t first, last;
    uint32_t events;
    struct follow_hart *hart; /* of each, when it begins */
    uint64_t *names;          /* a bit for each function that is called in it */
    uint32_t name_count;
};

struct model {
    char *path;
    struct log *log;
    struct log_cursor *cursor;
    struct follow follow;
    struct level_pool pool;
    size_t frame;  /* that is read next */
    uint64_t left; /* events of the present one that were not read yet */
    uint64_t events;
    uint64_t first, last; /* cycles */
    bool done;            /* all that is there was read */
    bool live;            /* more may come */
    bool is_cached;       /* it comes from a cache (cache.h) */
    char *problem;        /* one line; NULL: none */
    uint64_t kinds[LOG_KINDS];

    VEC_OF(struct lane) lanes; /* harts first */
    VEC_OF(struct row) rows;
    VEC_OF(uint32_t) task_lane; /* of each task of the log, plus 1; 0: not known yet */
    struct map lane_of;         /* tp and pid -> lane */
    VEC_OF(struct name) names;
    VEC_OF(uint32_t) string_name; /* of each string, plus 1 */
    struct map name_of;           /* other calls */
    VEC_OF(struct frame) frames;
    struct frame building; /* names of the present frame */

    VEC_OF(struct mark) marks;                           /* in order of cycle, when done */
    VEC_OF(uint32_t) by_hart[LOG_HARTS_MAX][MARK_KINDS]; /* the marks of each, likewise */
    VEC_OF(struct log_store) stores;
    VEC_OF(struct fence_info) fences;
    VEC_OF(struct stale_info) stales;
    VEC_OF(struct finding_info) findings;
    VEC_OF(struct update_info) updates;
    VEC_OF(char *) texts; /* of the console */
    VEC_OF(struct window) windows[LOG_HARTS_MAX];
    VEC_OF(struct site) sites;
    VEC_OF(uint8_t) start; /* states of sites before the first event, as far as the log has them */
};

enum { MODEL_CELLS = 12 << 20 }; /* at most, in level 0: 192 MiB */

/* EXIT_PASS: it can be read with model_step. Otherwise a message was given. */
MUST_USE enum exit_status model_open(const char *path, bool live, const struct diag *d,
                                     struct model **out);
void model_close(struct model *m); /* NULL is allowed */

/*
 * For cache.c: returns the colour of a name; sets the lane of a task; completes a model whose parts
 * were read from a cache; and empties a model.
 */
uint32_t model_colour(const char *text);
void model_know_task(struct model *m, uint32_t task);
void model_finish_cached(struct model *m);
void model_forget(struct model *m);

/* Reads up to `events` events. False: all was read. */
bool model_step(struct model *m, unsigned events);

/*
 * Looks whether a log that is being written has grown, so that model_step can continue. False: it
 * did not grow, or its new contents do not continue those that were read.
 */
bool model_more(struct model *m, const struct diag *d);

/* From 0 to 1. */
double model_progress(const struct model *m);

/* Finds the row of a lane at this depth, or makes it; LOG_NONE: too deep. */
uint32_t model_row(struct model *m, uint32_t lane, size_t depth);
uint32_t model_task_lane(struct model *m, uint32_t task);

/* The `what' of a call's span. */
uint32_t model_call(struct model *m, const struct log_call *c);

/* The text of a span or a lane. */
const char *model_text(const struct model *m, uint32_t what, char text[LOG_PLACE_MAX]);
const char *model_lane_text(const struct model *m, uint32_t lane, char text[LOG_PLACE_MAX]);

/* The first mark at or after the cycle; marks.len: none. */
size_t model_mark_from(const struct model *m, uint64_t cycle);
/* The same among those of a hart and kind: an index into by_hart. */
size_t model_hart_mark_from(const struct model *m, unsigned hart, enum mark_kind kind,
                            uint64_t cycle);

/* The first window of the hart that ends after the cycle. */
size_t model_window_from(const struct model *m, unsigned hart, uint64_t cycle);

/* The state of a site when the log begins, and at that cycle. */
unsigned model_site_start(const struct model *m, uint32_t site);
unsigned model_site_state(const struct model *m, uint32_t site, uint64_t cycle);

/*
 * The bytes of the site that a store changes, before and after it. They are known from stores, or
 * from the code that the log begins with. If some are not known, or the store is to no site, they
 * are those of the store only.
 */
struct site_bytes {
    uint64_t address;
    unsigned size;
    uint8_t before[16], after[16];
};
void model_site_bytes(const struct model *m, size_t store, struct site_bytes *b);

/* Frames that may have events of these cycles: *end is the first one after them. */
void model_frames(const struct model *m, uint64_t from, uint64_t to, size_t *begin, size_t *end);

/* The next call of that function after the cycle, or the last one before it. False: none. */
struct found_call {
    uint64_t cycle, end; /* end UINT64_MAX: in a later frame */
    uint32_t hart, stack, depth;
};
bool model_find_call(struct model *m, uint32_t name, uint64_t cycle, bool back,
                     struct found_call *found);

#endif
