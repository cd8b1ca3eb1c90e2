/*
 * updates.h - follows updates of code: the stores of one hart from the first one until the update
 * ends, and what the other harts do in that time.
 *
 * An update ends when the kernel announces it (announcers.def); without an announcement when every
 * running hart has fenced after its last store; if that does not happen, when the kernel has
 * released the lock of its text, text_mutex, RELEASED_CYCLES ago; and if it has no such lock,
 * QUIET_CYCLES after the last store. If a kernel has all harts fence after each of many stores,
 * they are one update: a store within SAME_CYCLES after the end continues the last update.
 *
 * A task announces the begin and the end of a change. What it stores in between, on any hart, ends
 * with it, and so does what other tasks of the kernel store in that time that have announced
 * nothing themselves: they may do it on its behalf, as in stop_machine.
 */
#ifndef FTRACE_UPDATES_H
#define FTRACE_UPDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ftrace/events/events.h"
#include "ftrace/patch/changes.h"
#include "ftrace/patch/timeline.h"
#include "mem/ram.h"

struct cluster;
struct code_write;
struct ftrace_stream;
struct hart;
struct patch_log;
struct site_table;
struct state_io;
struct text_map;
struct updates;

/*
 * QUIET_CYCLES: ten milliseconds of the guest's time; RELEASED_CYCLES: one millisecond, as the
 * kernel may fence after it has released the lock; SAME_CYCLES: a tenth of one. ABANDONED_CYCLES:
 * one second, after which an announced change without a further store is over, although its end was
 * never announced: an error has led past it, or its task is gone.
 */
enum {
    ABANDONED_CYCLES = 1000 * 1000 * 1000,
    QUIET_CYCLES = 10 * 1000 * 1000,
    RELEASED_CYCLES = 1000 * 1000,
    SAME_CYCLES = 100 * 1000,
};

enum update_end {
    UPDATE_OPEN,      /* not ended */
    UPDATE_ANNOUNCED, /* the kernel has announced the end */
    UPDATE_FENCED,    /* all harts have fenced */
    UPDATE_QUIET,     /* no store for QUIET_CYCLES, or ABANDONED_CYCLES in an announced change */
    UPDATE_RELEASED,  /* the lock was released, while some hart did not fence */
};

struct update {
    uint64_t first_stamp, last_stamp; /* of its stores */
    struct writer writer;             /* of the first store */
    uint64_t last_cycle, end_cycle;   /* of the writer, at the last store and at the end */
    uint64_t last_step, end_step;     /* cluster_steps, the same */
    uint64_t stores, patches;         /* stores in all; patches of sites begun */
    uint64_t rounds;                  /* times that all harts had fenced */
    uint64_t ipis;                    /* interrupts that the writer has sent to other harts */
    enum update_end end;
    struct change_ranges changed; /* in updates_changes(), once the run is over */
    /* Of a kept one, for updates_timeline(). */
    uint32_t first_moment, moments;
    uint64_t moments_left_out;
};

/* What a hart did during an update, determined at each store of the update. */
enum update_role { ROLE_WROTE, ROLE_STOOD, ROLE_LOOPED, ROLE_RAN };

struct update_hart {
    enum update_role role; /* LOOPED: in at most LOOP_BYTES of code, at each of several stores */
    bool inside;           /* its pc was within an instruction sequence that a store changed */
    bool fenced;           /* since the last store */
    uint64_t fence_cycle;  /* of the first such fence, and its step */
    uint64_t fence_step;
    uint64_t fences;       /* fence.i in the update */
    bool stale;            /* a store was made after its last fence */
    uint64_t stale_since;  /* if stale: its cycle at the first such store */
    uint64_t stale_cycles; /* total cycles in which it was stale */
    uint64_t low, high;    /* lowest and highest pc */
    uint64_t insns;        /* at the first store */
    uint32_t looks;
};

enum { LOOP_BYTES = 64 };

/*
 * Keeps at most `max` updates and counts the others. Emits FTRACE_UPDATE_ENDED. All must outlive
 * it.
 */
struct updates *updates_new(struct cluster *c, const struct site_table *sites,
                            const struct patch_log *log, size_t max,
                            const struct ftrace_stream *stream);
void updates_free(struct updates *u);

/*
 * Gives it the places of jump labels, NULL: not known, which must outlive it, and the physical
 * address of text_mutex, 0: not known.
 */
void updates_know_text(struct updates *u, const struct text_map *text, uint64_t text_mutex);

/*
 * Adds a store to code, which is in memory already. `site`: the first one that it hits, or NO_SITE;
 * `begins_patch`: it is the first store of a patch of that site.
 */
void updates_write(struct updates *u, const struct code_write *w, uint32_t site, bool begins_patch);

/* Must be called after a hart's fence, which must be in the patch log already. */
void updates_fence(struct updates *u, const struct fence_event *f);

/* Must be called when the hart has sent an interrupt to another one, and when that takes it. */
void updates_ipi(struct updates *u, const struct hart *sender, const struct hart *to);
void updates_ipi_taken(struct updates *u, const struct hart *h);

/* Must be called when a hart has fetched what was there before a store. */
void updates_stale(struct updates *u, const struct stale_fetch *s);

/* Sets whether the hart is stopped, so that it need not fence before it is started again. */
void updates_set_stopped(struct updates *u, unsigned hart, bool stopped);

/*
 * Must be called when the task that the hart runs announces the begin of a change, which may take
 * more than one fence, and its end. A second begin without an end begins again; an end without a
 * begin does nothing.
 */
void updates_announce_begin(struct updates *u, struct hart *h, enum announced what);
void updates_announce_end(struct updates *u, struct hart *h);

/* Whether the task that the hart runs has announced a begin, and not the end. */
bool updates_is_announced(const struct updates *u, const struct hart *h);

/* Must be called as time passes: the cycle counter of some hart has reached `cycle`. */
void updates_pass_time(struct updates *u, uint64_t cycle);

/* Whether the update that the writer's store was part of has ended. */
bool updates_ended(const struct updates *u, uint32_t writer, uint64_t stamp);

/*
 * The stamp from which on fences count for the update that contained the writer's store: that of
 * the kernel's announcement, or of the update's first store after all harts had fenced. UINT64_MAX:
 * not known.
 */
uint64_t updates_begun(const struct updates *u, uint32_t writer, uint64_t stamp);

/*
 * The stamp of the announcement of the writer's newest update, if that contains the store;
 * UINT64_MAX: there was none.
 */
uint64_t updates_announced_at(const struct updates *u, uint32_t writer, uint64_t stamp);

/* Whether the hart has an open update. */
bool updates_is_open(const struct updates *u, uint32_t writer);

/* The hart's open update; NULL: it has none. */
const struct update *updates_open(const struct updates *u, uint32_t writer);

/* Whether the writer's open update was announced, or made with the lock of text. */
bool updates_is_guarded(const struct updates *u, uint32_t writer);

/* Saves or restores all updates, open or ended. */
void updates_state_io(struct state_io *io, struct updates *u);

/*
 * At the end of the run: first ends the updates whose lock was released. Then the open ones are
 * kept as they are.
 */
void updates_settle(struct updates *u);
void updates_finish(struct updates *u);

size_t updates_count(const struct updates *u); /* kept, ended or not, in order of their ends */
const struct update *updates_get(const struct updates *u, size_t i);
const struct update_hart *updates_hart(const struct updates *u, size_t i, unsigned hart);
uint64_t updates_left_out(const struct updates *u);
/* The number of announced changes that were taken for ended because there were too many. */
uint64_t updates_sections_left_out(const struct updates *u);
const struct change_log *updates_changes(const struct updates *u);

/*
 * What happened in the update, in order of the steps: its end, too, and fetches after it of what
 * was there before. Returns how many moments there are.
 */
enum { LATE_MAX = 8, UPDATE_MOMENTS_MAX = TIMELINE_MAX + LATE_MAX + 1 };
unsigned updates_timeline(const struct updates *u, size_t i,
                          struct update_moment moments[UPDATE_MOMENTS_MAX]);

/* The same of the hart's open update, up to now. */
unsigned updates_open_timeline(const struct updates *u, uint32_t writer,
                               struct update_moment moments[UPDATE_MOMENTS_MAX]);

/* The kept update that has made this store of a hart; UPDATE_NONE: there is none. */
#define UPDATE_NONE SIZE_MAX
size_t updates_find(const struct updates *u, const struct writer *who);

const char *update_end_name(enum update_end end);    /* "announced" */
const char *update_role_name(enum update_role role); /* "stood" */

#endif
