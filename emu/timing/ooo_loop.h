/*
 * ooo_loop.h - the loop buffer of a core that executes out of order: a short loop is fetched from
 * it, and not from the cache.
 *
 * The buffer has the loop that ends with one branch backwards, with at most one branch forward in
 * it. Two such branches are remembered. The first time that one is taken, it is; the second time
 * the next round fills the buffer, if all in it fits; after that round the code comes from the
 * buffer, a group of instructions a cycle that ends with the first branch. Both branches of the
 * buffer have a copy of their choice (ooo_direction.h), which follows what they do. All of it is
 * state of the machine.
 */
#ifndef TIMING_OOO_LOOP_H
#define TIMING_OOO_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/core.h"

struct ooo_insn;
struct state_io;

enum {
    LOOP_RECORDS = 2,
    LOOP_BEGINS = 255, /* no group has come from the buffer yet */
    LOOP_CHANGES = 32  /* branches of the buffer that are fetched and not decided */
};

/* The two branches of the loop in the buffer. */
enum loop_branch { LOOP_END, LOOP_FORWARD, LOOP_BRANCHES };

enum loop_state {
    LOOP_NONE,   /* code comes from the cache, */
    LOOP_FILL,   /* ... and into the buffer, too; */
    LOOP_REFILL, /* ... what the branch forward went over before */
    LOOP_ACTIVE, /* code comes from the buffer */
    LOOP_STATES
};

struct loop_record {
    uint64_t pc; /* of the branch backwards; 0: none */
    uint64_t filled;
    uint64_t banned; /* the loop does not fit, or has another one in it */
};

/*
 * What fetch does while code comes from the buffer: it goes round the loop, for nothing, and keeps
 * the tables of directions busy. By cycle of a round: whether it has a branch, and whether it goes
 * to a target.
 */
struct loop_ahead {
    uint64_t from;         /* the cycle in which the first round begins; 0: no round */
    uint64_t cycles;       /* ... of a round */
    uint64_t branches;     /* bits */
    uint64_t jumps, overs; /* ... `overs': those of the branch forward */
};

/* A decided branch of the buffer. */
struct loop_change {
    uint64_t at; /* the cycle in which it is */
    uint8_t branch, taken, wrong, unused[5];
};

struct ooo_loop {
    struct loop_record records[LOOP_RECORDS];
    uint64_t newest; /* of the records */
    uint64_t state;
    uint64_t pcs[LOOP_BRANCHES]; /* of the loop in the buffer, or being filled; 0: none */
    uint64_t start;              /* ... its first instruction */
    uint64_t over;               /* ... the target of its branch forward */
    uint64_t early;              /* ... the first target buffer knows the jump from its end */
    uint64_t whole;              /* the buffer has what the branch forward goes over */
    uint64_t filled;             /* instructions in the round that fills the buffer */
    uint64_t popped;             /* instructions in the present group */
    uint64_t round, groups;      /* groups in this round, and in the last one */
    struct loop_ahead ahead;
    uint64_t choices[LOOP_BRANCHES];
    struct loop_change changes[LOOP_CHANGES]; /* a ring, in program order */
    uint64_t first_change, next_change;
};

void ooo_loop_state_io(struct state_io *io, struct ooo_loop *l);

static inline bool ooo_loop_is_active(const struct ooo_loop *l)
{
    return l->state == LOOP_ACTIVE;
}

/* The pipeline is emptied: the buffer forgets all. */
void ooo_loop_flush(struct ooo_loop *l);

/* Fetch begins anew after a wrong prediction: not from the buffer. */
void ooo_loop_stop(struct ooo_loop *l);

/* An instruction that may not be in the buffer: a jump, or one that needs its address. */
void ooo_loop_note_unfit(struct ooo_loop *l);

/* A branch that was predicted so, by that choice. */
void ooo_loop_note_branch(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i,
                          bool predicted, unsigned choice);

/* A branch is decided in that cycle. */
void ooo_loop_note_decided(struct ooo_loop *l, const struct loop_change *change, uint64_t pc);

/* Code comes from the buffer from that cycle on. */
void ooo_loop_begin(struct ooo_loop *l, const struct core *core, uint64_t cycle);

/* What fetch does in that cycle: bits. */
enum { AHEAD_BRANCH = 1, AHEAD_JUMP = 2, AHEAD_OVER = 4 };
unsigned ooo_loop_ahead(const struct ooo_loop *l, uint64_t cycle);

/* Where it jumps to then; 0: it does not. */
uint64_t ooo_loop_jump(const struct ooo_loop *l, unsigned ahead);

/* The choice of a branch that comes from the buffer in that cycle. */
unsigned ooo_loop_choice(struct ooo_loop *l, uint64_t pc, uint64_t cycle);

#endif
