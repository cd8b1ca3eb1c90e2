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
    PIPE_CONTROL = 4,  /* may jump: ends its issue group */
    PIPE_ADD = 8,      /* rd = source[0] + offset */
    PIPE_FLOAT = 16,   /* has a floating-point register */
    PIPE_PAGE = 32,    /* sfence.vma of one page */
    PIPE_ACQUIRE = 64, /* an AMO with aq */
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
        uint8_t until; /* with commit.entries: until it has left the queue in front of the buffer */
    };
    int16_t offset; /* from the present value of the base register */
};

/* An operation between issue and commit. */
struct pipe_flight {
    uint8_t until; /* the cycle after its commit, when its entry is free */
    uint8_t rd;
};

struct pipe_state {
    uint8_t busy[PIPE_REGS]; /* cycles until the result is available, with core->waw_loads */
    uint8_t unit[UNITS];     /* cycles until the unit accepts another operation */
    uint64_t loaded;         /* registers whose result comes from memory, a bit each */
    uint64_t late;           /* those whose result the second ALU can take: core->alu_late */
    uint8_t ahead;           /* cycles by which fetch is ahead of issue */
    uint8_t fresh;           /* the current code was fetched from the target of a jump on */
    uint8_t slot;            /* number of operations that issue in this cycle already */
    uint8_t queued;   /* cycles until a waiting floating-point operation has left the queue */
    uint8_t settling; /* cycles until an operation other than a CSR instruction issues */
    uint8_t led;      /* the last operation was a branch, and core->update_busy */
    uint8_t zero[2];
    uint8_t served[2]; /* cycles until the last two loads or stores have left their unit's queue */
    uint8_t follows;   /* the last of them issued in the cycle before now */
    uint8_t decoded;   /* cycles that the current jump has waited for issue */
    uint8_t
        jumps[2]; /* cycles until the last two predicted jumps no longer stop fetch, newest first */
    uint8_t more_zero[2];
    struct pipe_store
        store[PIPE_STORES]; /* stores that can still delay an operation, newest first */
    struct pipe_flight flight[PIPE_FLIGHT]; /* oldest first; empty entries are last */
};

_Static_assert(sizeof(struct pipe_state) == PIPE_REGS + UNITS + 2 * 8 + 16 +
                                                PIPE_STORES * sizeof(struct pipe_store) +
                                                PIPE_FLIGHT * sizeof(struct pipe_flight),
               "no padding: states are compared as bytes");

/* The cycles of a step, and those of them that are stalls of fetch, data and branches. */
struct pipe_cost {
    uint16_t cycles, fetch, data, branch;
};

/* Makes the state after a jump, or after a stall that has emptied the pipeline. */
void pipe_reset(struct pipe_state *s);

/* Makes the result of the last operation on the floating-point divider come `cycles` earlier. */
void pipe_hasten(struct pipe_state *s, unsigned rd, unsigned cycles);

struct pipe_cost pipe_step(const struct core *core, struct pipe_state *s, const struct pipe_op *op);

/* How control leaves the last operation. */
enum pipe_leave_by {
    LEAVE_NEXT,           /* the next one follows it */
    LEAVE_TAKEN,          /* predicted taken */
    LEAVE_RETURN,         /* predicted return */
    LEAVE_LATE_BRANCH,    /* predicted taken, target not in the target buffer */
    LEAVE_LATE_JUMP,      /* the same for jal */
    LEAVE_DROPPED_TARGET, /* predicted not taken, but the target buffer had a target */
    LEAVE_MISPREDICT,     /* branch */
    LEAVE_WRONG_RETURN,   /* return to another address than predicted */
    LEAVE_EMPTY_RETURN,   /* return while the return stack is empty */
    LEAVE_WRONG_INDIRECT, /* jalr */
    LEAVE_WRONG_CALL,     /* jalr that calls the address in ra */
    LEAVE_FLUSH,          /* the pipeline is emptied and fetches again */
    PIPE_LEAVES
};

struct pipe_cost pipe_leave(const struct core *core, struct pipe_state *s, enum pipe_leave_by how);

#endif
