/*
 * ooo_predict.h - how a core that fetches far ahead predicts: the direction of branches
 * (ooo_direction.h), two levels of target buffers, a return-address stack, a table of indirect
 * targets by path. All of it is state of the machine.
 */
#ifndef TIMING_OOO_PREDICT_H
#define TIMING_OOO_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/core.h"
#include "timing/ooo_direction.h"
#include "timing/return_stack.h"

struct state_io;

enum { OOO_PATH = 4 };

/* What fetch does with an instruction that may jump. */
enum ooo_guess {
    GUESS_NEXT,   /* goes on after it */
    GUESS_EARLY,  /* goes to its target: by the first target buffer */
    GUESS_TAKEN,  /* by the second one; to a return address that the first one asks for */
    GUESS_LATE,   /* as soon as it is decoded */
    GUESS_LEAVES, /* goes on after it, and not from the loop buffer any more */
    GUESS_WRONG,  /* elsewhere */
};

/*
 * An entry of the first target buffer: fetch, which has come to a piece of code at `from', goes on
 * at the target. An entry that a branch has made is not used before that was taken surely again,
 * and is removed when the branch is no longer sure or goes on after itself.
 */
struct ooo_early_jump {
    uint64_t from, target; /* from OOO_NOWHERE: none */
    uint8_t used, returns; /* returns: to the address on the stack */
    uint8_t unused[6];
};

struct ooo_predictor {
    const struct core *core;
    struct ooo_direction direction;
    uint64_t *targets;            /* of indirect jumps */
    struct ooo_early_jump *early; /* the first target buffer: a ring, */
    uint64_t next_early;          /* ... in which this one makes room, */
    uint64_t learns;              /* ... which learns one now */
    uint64_t *btb;                /* jumps, by word of code */
    uint64_t piece_history;       /* of the branches, before the present piece of code */
    uint64_t path[OOO_PATH];      /* of the indirect jumps, the newest first */
    struct return_stack returns;
    uint64_t wrong; /* number of wrong predictions */
};

void ooo_predictor_init(struct ooo_predictor *p, const struct core *core);
void ooo_predictor_free(struct ooo_predictor *p);
void ooo_predictor_reset(struct ooo_predictor *p);
void ooo_predictor_state_io(struct state_io *io, struct ooo_predictor *p);

/*
 * Each predicts an instruction, and learns what it did. `from': the address from which fetch has
 * come to it; OOO_NOWHERE: the first target buffer is not asked.
 */
#define OOO_NOWHERE UINT64_MAX
/* *by: what the branch was predicted by. */
enum ooo_guess ooo_predict_branch(struct ooo_predictor *p, const struct ooo_branch *b,
                                  struct ooo_direction_guess *by);
enum ooo_guess ooo_predict_jump(struct ooo_predictor *p, uint64_t pc, uint64_t target,
                                uint64_t from);
enum ooo_guess ooo_predict_return(struct ooo_predictor *p, uint64_t from, uint64_t target);
/* `lost': the table was written in the cycle in which it was to be read. */
enum ooo_guess ooo_predict_indirect(struct ooo_predictor *p, uint64_t target, bool lost);

/* Where an indirect jump is predicted to go now; 0: that is not known. */
uint64_t ooo_predicted_target(const struct ooo_predictor *p);

/* Whether the first target buffer knows a jump to which fetch came from there. */
bool ooo_is_early(const struct ooo_predictor *p, uint64_t from);

/*
 * Fetch, which has come to a piece of code from there, goes on after it. Whether it has gone
 * elsewhere before, by the first target buffer, which forgets that.
 */
bool ooo_predict_no_jump(struct ooo_predictor *p, uint64_t from);

/* Fetch begins with another piece of code. */
static inline void ooo_predict_piece(struct ooo_predictor *p)
{
    p->piece_history = p->direction.history;
}

#endif
