/*
 * pipe.h - the pipeline of a core: when each operation issues, as a function of the pipeline's
 * state and the operation alone. Caches, predictors and values, which only a run knows, are not
 * part of it: what they cost stalls the whole pipeline.
 *
 * Times in a state are cycles from now on; now is the earliest cycle in which the next operation
 * can issue. Two states that behave alike from here on are the same bytes.
 */
#ifndef TIMING_PIPE_H
#define TIMING_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/core.h"

/* Registers: 0 none, 1 to 31 integer, 32 to 63 floating point. */
enum {
    PIPE_REGS = 64,
    PIPE_SOURCES = 3,
    PIPE_STORES = 4,
    PIPE_FLIGHT = 8, /* most of commit.entries */
};

enum pipe_flag {
    PIPE_LOAD = 1,
    PIPE_STORE = 2,
    PIPE_CONTROL = 4, /* may jump: ends its issue group */
    PIPE_ADD = 8,     /* rd = source[0] + offset */
    PIPE_FLOAT = 16,  /* has a floating-point register */
    PIPE_PAGE = 32,   /* sfence.vma of one page */
};

struct pipe_op {
    uint8_t class; /* enum core_class */
    uint8_t rd, source[PIPE_SOURCES];
    uint8_t size;   /* bytes of the instruction */
    uint8_t flags;  /* enum pipe_flag */
    uint8_t pc;     /* its lowest bits */
    uint8_t narrow; /* a load or store: of 8 >> narrow bytes */
    int16_t offset; /* of a load, store or addition, to source[0] */
};

struct pipe_store {
    uint8_t base : 5, narrow : 2, atomic : 1; /* base: register; 0: none; atomic: of an AMO */
    union {
        uint8_t age;   /* cycles since it issued */
        uint8_t until; /* with commit.entries: it has left the queue in front of the buffer */
    };
    int16_t offset; /* from what the register holds now */
};

/* An operation that has issued and has not committed. */
struct pipe_flight {
    uint8_t until; /* its entry is free: the cycle after its commit */
    uint8_t rd;
};

struct pipe_state {
    uint8_t busy[PIPE_REGS]; /* until the result is there, and core->waw */
    uint8_t unit[UNITS];     /* until it takes another operation */
    uint64_t loaded;         /* registers of which the result comes from memory */
    uint64_t late;           /* ... of which the second ALU can have it: core->alu_late */
    uint8_t ahead;           /* of issue, cycles that fetch is */
    uint8_t fresh;           /* the code at hand is fetched from a jump's target on */
    uint8_t slot;            /* operations that issue in this cycle already */
    uint8_t queued;          /* until a floating-point operation that waits has left its place */
    uint8_t settling;        /* until an operation that is no CSR instruction issues */
    uint8_t led;             /* the last operation was a branch, and core->update_busy */
    uint8_t zero[2];
    uint8_t served[2]; /* until the last two loads or stores have left their unit's queue */
    uint8_t follows;   /* the last of them issued in the cycle before now */
    uint8_t decoded;   /* cycles that the jump at hand has waited to issue */
    uint8_t jumps[2];  /* until the last two predicted jumps hold fetch no longer, newest first */
    uint8_t more_zero[2];
    struct pipe_store store[PIPE_STORES];   /* the newest first, of those that matter still */
    struct pipe_flight flight[PIPE_FLIGHT]; /* the oldest first; empty ones are last */
};

_Static_assert(sizeof(struct pipe_state) == PIPE_REGS + UNITS + 2 * 8 + 16 +
                                                PIPE_STORES * sizeof(struct pipe_store) +
                                                PIPE_FLIGHT * sizeof(struct pipe_flight),
               "no padding: states are compared as bytes");

/* What a step took: all that now has moved on by, and of that the stalls. */
struct pipe_cost {
    uint16_t cycles, fetch, data, branch;
};

/* After a jump, or a stall in which everything has come to rest. */
void pipe_reset(struct pipe_state *s);

/* The result of the last operation on the floating-point divider comes so much earlier. */
void pipe_hasten(struct pipe_state *s, unsigned rd, unsigned cycles);

struct pipe_cost pipe_step(const struct core *core, struct pipe_state *s, const struct pipe_op *op);

/* How control leaves the last operation. */
enum pipe_leave_by {
    LEAVE_NEXT,           /* the next one follows it */
    LEAVE_TAKEN,          /* predicted taken */
    LEAVE_RETURN,         /* predicted return */
    LEAVE_LATE_BRANCH,    /* predicted taken, target not in the target buffer */
    LEAVE_LATE_JUMP,      /* the same of jal */
    LEAVE_DROPPED_TARGET, /* predicted not taken, but the target buffer had a target */
    LEAVE_MISPREDICT,     /* branch */
    LEAVE_WRONG_RETURN,   /* return, to another place than predicted */
    LEAVE_EMPTY_RETURN,   /* return, for which the return stack has nothing */
    LEAVE_WRONG_INDIRECT, /* jalr */
    LEAVE_WRONG_CALL,     /* jalr by way of ra that calls */
    LEAVE_FLUSH,          /* the pipeline is emptied, and fetches anew */
    PIPE_LEAVES
};

struct pipe_cost pipe_leave(const struct core *core, struct pipe_state *s, enum pipe_leave_by how);

#endif
