/*
 * target_priv.h - internal to the target layer (target.h).
 *
 *     target.c      harts and memory
 *     registers.c   the table of registers
 *     points.c      breakpoints and goals, by probes
 *     watchpoints.c watchpoints, by watched pages
 *     catchpoints.c catchpoints, by events
 *     resume.c      running, and the reason of a stop
 *     steps.c       stepping by instructions and by lines
 *     history.c     snapshots as the machine runs; going back
 *     checkpoints.c snapshots that the user keeps
 *     trail.c       the last instructions of a hart; back to a place, and to the last write
 */
#ifndef DEBUG_TARGET_PRIV_H
#define DEBUG_TARGET_PRIV_H

#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/observer.h"
#include "debug/target/target.h"
#include "ftrace/events/events.h"

/* A temporary stop at which a step, a next or a finish ends; front ends do not see it. */
struct goal {
    uint64_t pa;
    uint32_t hart; /* only this one, or TARGET_ANY_HART */
    bool on_stack; /* only with this sp */
    bool turn;     /* stops also before the instruction at which the hart is now */
    uint64_t sp;
    bool (*accepts)(void *ctx, unsigned hart); /* NULL: always */
    void *ctx;
};

/*
 * A physical address with points or goals. They share one probe, as an instruction takes only
 * PROBES_AT_ONE_PLACE of them.
 */
struct spot {
    uint64_t pa;
    uint32_t probe;
    unsigned users; /* points and goals here; 0: free */
};

/* The part of a watchpoint that is in one page. */
struct watchpoint_piece {
    unsigned number; /* of the point */
    uint64_t pa, size;
    uint64_t offset; /* from the watchpoint's first byte */
};

typedef VEC_OF(struct watchpoint_piece) piece_list;

/* The instruction before which a hart was stopped; resuming does not stop there again. */
struct passed {
    uint64_t pc, insns;
};

/* Why a probe stopped the machine. */
enum hit { HIT_NONE, HIT_POINT, HIT_GOAL, HIT_TURN };

/* A snapshot that was taken as the machine ran. */
struct mark {
    struct snapshot *snapshot;
    uint64_t insns;       /* of all harts */
    uint64_t cycles;      /* of the machine */
    uint64_t *hart_insns; /* by hart */
};

struct kept_place {
    struct target_checkpoint place;
    struct snapshot *snapshot;
    unsigned run; /* history.run when it was taken */
};

struct history {
    VEC_OF(struct mark) marks; /* by insns */
    uint64_t tried; /* total of instructions at which the last mark was taken, which may have been
                       dropped at once */
    VEC_OF(struct kept_place) checkpoints;
    unsigned last_checkpoint;
    unsigned run; /* number of the run to which the marks belong: each change of the run makes
                     another one */
    unsigned last_run;
    bool departed; /* the run was changed; the marks are of no use any more */
    /* How far this run was run: after going back, all up to here is repeated. */
    uint64_t known_insns, known_cycles, known_console;
};

/* An event that a catchpoint wants: of the machine or of ftrace. */
struct caught {
    unsigned point, hart;
    bool is_ftrace;
    struct event event;
    struct ftrace_event ftrace_event;
};

/* The events that the target needs in any case. */
enum {
    TARGET_EVENTS =
        1 << EVENT_CODE_WRITE | 1 << EVENT_ACCESS | 1 << EVENT_SATP | 1 << EVENT_SFENCE_VMA
};

struct target {
    struct target_config config;
    struct history history;
    bool unfenced; /* autofence is off */
    bool quiet;    /* points and caught patches do nothing */
    struct machine *machine;
    struct cluster *cluster;
    struct probe_owner owner;
    VEC_OF(struct target_point) points;
    VEC_OF(struct goal) goals;
    VEC_OF(struct spot) spots;
    piece_list pieces;     /* those of a watchpoint in the order of their offsets */
    struct passed *passed; /* by hart */
    unsigned last_number;
    bool ended;

    /* What happened since the last resume. */
    enum hit hit;
    unsigned hit_point;
    VEC_OF(struct target_access) accesses;
    VEC_OF(struct caught) caught;
    bool patched;
    uint32_t patched_site;
    struct writer patched_by;
    size_t findings_before, findings_piece; /* since the resume; since the last machine_run */

    void (*changed)(void *ctx); /* target_follow; NULL: none */
    void *changed_ctx;

    bool (*patch_wanted)(void *ctx, uint32_t site); /* NULL: patches do not stop */
    void *patch_ctx;
};

static inline struct hart *target_hart_at(const struct target *t, unsigned hart)
{
    return cluster_hart(t->cluster, hart);
}

/* ---- points.c ---- */

void points_init(struct target *t);
void points_free(struct target *t);
/* Adds a goal; one that cannot be located is left out, and the run ends for another reason. */
void goal_add(struct target *t, unsigned from_hart, const struct target_goal *g, bool turn);
void goals_drop(struct target *t, bool turns_only);
/* Makes the hart execute its next instruction even if a point is there. */
void points_pass(struct target *t, struct hart *h);
/*
 * Returns the number of the first breakpoint at `pa` that stops, 0 for none. All breakpoints there
 * count the hit.
 */
unsigned points_hit(struct target *t, uint64_t pa, const struct hart *h);
/* Counts a hit if the condition holds. True: the point stops the machine. */
bool point_hit(struct target_point *p, unsigned hart);

struct target_point *points_find(struct target *t, unsigned number); /* NULL: there is none */

void points_pass_none(struct target *t); /* after a restore */

/* ---- resume.c ---- */

/* Begins a run; runs up to a total of instructions, where points stop the machine. */
void resume_begin(struct target *t, unsigned from_hart);
struct stop resume_run(struct target *t, uint64_t max_insns,
                       struct stop (*machine)(struct target *t, uint64_t max_insns));
/* The same, taking snapshots meanwhile. */
struct stop resume_until(struct target *t, uint64_t max_insns);
/*
 * To be called before and after machine_run. True after it: nothing that it met stops the run, so
 * that it is called again.
 */
void resume_begin_piece(struct target *t);
MUST_USE bool resume_passes(struct target *t, struct stop stop);
/* Whether the limit of target_config has stopped the machine. */
MUST_USE bool resume_at_limit(const struct target *t, struct stop stop);
/* Deletes the point if it is temporary. */
void resume_delete_temporary(struct target *t, unsigned number);
/* Ends a run: drops its goals and returns the reason of the stop. */
struct target_stop resume_finish(struct target *t, struct stop stop);

/* ---- history.c ---- */

/* Calls machine_run, and takes snapshots meanwhile. */
struct stop history_run(struct target *t, uint64_t max_insns);
void history_open(struct target *t); /* before a run: takes the first snapshot if there is none */
void history_depart(struct target *t);
/* Goes to a total of instructions that is not before the first snapshot. */
struct stop history_move(struct target *t, uint64_t insns);
/* Runs forwards; only the user, a limit or the guest's end stops the machine earlier. */
struct stop history_run_quietly(struct target *t, uint64_t insns);
/* Ends a return: findings that were repeated meanwhile are no new ones. */
struct target_stop history_arrive(struct target *t, struct stop stop);
/* The same where the machine is. */
struct target_stop history_arrive_here(struct target *t);
/*
 * Restores a snapshot. After an error of a disk's file, which was reported, the machine cannot run
 * any more.
 */
void history_restore(struct target *t, const struct snapshot *s);
/* Goes over to another run: the marks are not of that one, and its input and output are new. */
void history_enter(struct target *t, unsigned run);
void history_free(struct target *t);

/* ---- catchpoints.c ---- */

/*
 * Listens to the kinds of events that the catchpoints need; to be called after each change of
 * these.
 */
void catch_listen(struct target *t);
void catch_note(struct target *t, const struct event *e);
/* The callback of a struct ftrace_listener. */
void catch_note_ftrace(void *target, const struct ftrace_event *e);
/* Counts the hits, and drops the events of points that do not stop. False: none is left. */
MUST_USE bool catch_decide(struct target *t);

/* ---- watchpoints.c ---- */

/* Fills in p->pa; the point itself is not added yet. */
MUST_USE enum target_error watchpoint_set(struct target *t, struct target_point *p,
                                          unsigned number);
void watchpoint_clear(struct target *t, const struct target_point *p);
/* Finds the memory of all watchpoints anew, after a change of a mapping. */
void watchpoint_follow(struct target *t);
void watchpoint_note(struct target *t, const struct access_event *e);
/* Counts the hits, and drops the accesses to points that do not stop. False: none is left. */
MUST_USE bool watchpoint_decide(struct target *t, unsigned current);

#endif
