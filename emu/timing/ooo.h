/*
 * ooo.h - a core that executes out of order: when each instruction is dispatched, issues, completes
 * and retires, as numbers of cycles. Instructions are given in program order, one at a time, with
 * what only a run knows of them: where they go, and what the caches say of their bytes and data.
 *
 * Structures with room for a number of instructions (the window, queues, buffers) are kept as the
 * cycles in which their entries are free again; an instruction is dispatched when it has all that
 * it needs. It issues in the first cycle in which its operands are there and a port is free;
 * instructions that are older have the choice before it. What cannot trap any more may retire
 * before its result is there.
 *
 * The hart's clock is the cycle of the last retirement, so an instruction takes the cycles from
 * the retirement before it to its own. All is state of the machine.
 */
#ifndef TIMING_OOO_H
#define TIMING_OOO_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/core.h"
#include "timing/ooo_astray.h"
#include "timing/ooo_between.h"
#include "timing/ooo_loop.h"
#include "timing/ooo_predict.h"
#include "timing/pipe.h"

struct state_io;

enum {
    OOO_WINDOW_MAX = 256,
    OOO_BUFFER_MAX = 64,
    OOO_QUEUE_MAX = 32,
    OOO_SLOTS = 256, /* cycles for which the use of a port is noted */
    OOO_GROUPS = 16,
    OOO_WRITES = 32,
};

/* The structures whose entries are instructions. */
enum ooo_queue {
    QUEUE_ALU, /* each of two ports has one */
    QUEUE_ALU_1,
    QUEUE_FLOAT, /* ... */
    QUEUE_FLOAT_1,
    QUEUE_BRANCH,
    QUEUE_MEMORY,
    QUEUE_LOADS,  /* from dispatch to retirement */
    QUEUE_STORES, /* ... to the write into the cache */
    QUEUE_MISSES, /* lines on their way */
    QUEUE_WRITES, /* lines that retired stores wait for */
    QUEUE_VALUES, /* floating-point registers, until the former one is given back */
    QUEUE_FLAGS,  /* ... of flags */
    OOO_QUEUES,
    QUEUE_NONE = OOO_QUEUES,
};

enum ooo_port {
    PORT_ALU,
    PORT_ALU_1,
    PORT_FLOAT,
    PORT_FLOAT_1,
    PORT_BRANCH,
    PORT_LOAD,
    PORT_STORE,
    PORT_PRODUCTS, /* the second ALU's, for the results of products */
    OOO_PORTS
};

/* How an instruction uses the return-address stack. */
enum ooo_link {
    OOO_CALLS = 1,
    OOO_RETURNS = 2,
    OOO_LINKS = OOO_CALLS | OOO_RETURNS,
    OOO_AUIPC = 4 /* no jump, but no part of a loop in the loop buffer either */
};

/* The first target buffer, while a piece of code is decoded. */
enum ooo_early {
    EARLY_IDLE,
    EARLY_WAITS,  /* it learns a jump */
    EARLY_PASSED, /* it has waited in the piece before, and is idle */
    EARLY_STATES
};

struct ooo_insn {
    struct pipe_op op; /* what it is: its class, registers, size of access */
    uint8_t links;     /* enum ooo_link */
    uint64_t pc, next; /* where it is, and the instruction after it */
    uint64_t target;   /* of a branch, also of one that is not taken */
    uint64_t va;       /* of a load or store */
    uint32_t fetch;    /* cycles that its bytes are late */
    uint32_t data;     /* ... that the caches take in addition */
    bool in_memory;    /* ... and the line comes from memory: one after the other */
    uint32_t longer;   /* by its operands' values, in addition to the latency */
    uint32_t shorter;  /* ... a division of floating-point numbers; less than its latency */
};

/* What an instruction takes, all of it for one reason. */
struct ooo_cost {
    uint32_t cycles;
    uint8_t part; /* enum model_part; MODEL_PARTS: issue */
};

struct ooo_store {
    uint64_t from, to;         /* bytes */
    uint64_t count;            /* instructions before it */
    uint64_t issued, data;     /* cycles: its address is known from then on, and its data; */
    uint64_t retired, written; /* ... written: it is in the cache */
};

struct ooo_load {
    uint64_t from, to; /* bytes */
    uint64_t count;    /* instructions before it */
    uint64_t issued, retired;
};

/* Bytes that retired stores have changed, not yet in the cache. */
struct ooo_write {
    uint64_t place; /* number of the aligned piece of memory */
    uint64_t from;  /* cycle */
};

/* The cycles in which the entries of a structure are free: a ring that begins with the first one.
 */
struct ooo_room {
    uint64_t at[OOO_QUEUE_MAX];
    uint64_t first;
};

struct ooo {
    const struct core *core;
    struct ooo_predictor predictor;
    struct ooo_astray astray;
    uint64_t ready[PIPE_REGS]; /* stamps (ooo.c): when a register's value can be used; */
    uint64_t sums;             /* registers that an fma wrote last: bits */
    uint64_t replayed;         /* ... a load that issued again */
    uint64_t fetched;          /* ... of the piece of code that was decoded last; */
    uint64_t entered;          /* ... it enters the buffer before dispatch */
    uint64_t arrived;          /* the cycle from which on it waited for that, decoded */
    uint64_t piece;            /* its number; OOO_NO_PIECE: the next one begins anew */
    uint64_t gap;              /* cycles of fetch lost before it */
    uint64_t from;             /* where fetch began after the last jump, */
    uint64_t masked;           /* ... without asking the first target buffer, */
    uint64_t early;            /* ... which is in that state: enum ooo_early */
    uint64_t jump_in_piece;    /* the present piece has had a branch or jump */
    uint64_t called, returned; /* the last call and the last return were fetched */
    uint64_t return_target;    /* where the latter went */
    uint64_t table_written;    /* the table of indirect targets is, in that cycle of fetch */
    uint64_t looked_up;        /* ... is read for the last call, return or indirect jump */
    uint64_t jumps_from;       /* calls, returns and indirect jumps are fetched from then on */
    struct ooo_loop loop;
    bool from_loop;              /* the last branch came from it */
    uint64_t groups[OOO_GROUPS]; /* a ring: cycles in which something was dispatched, */
    uint64_t next_group;         /* ... and how many of them there were */
    uint64_t dispatched; /* ... of the last instruction, or the earliest time for the next */
    uint64_t in_dispatch, in_retire; /* instructions, entries, in the cycle of the last one */
    uint64_t twos;                   /* ... of those, dispatched as two operations */
    uint64_t in_queue[OOO_QUEUES];   /* ... dispatched to the queues for memory and branches */
    uint64_t in_group[OOO_QUEUES];   /* ... dispatched to each queue of the ALUs and the FPUs */
    uint64_t retired;                /* the last one: the hart's clock */
    uint64_t count;                  /* of instructions */
    uint64_t in_window;              /* ... and of entries of the window */
    uint64_t folded;                 /* operations that share the last entry; 0: it is for one */
    uint64_t window[OOO_WINDOW_MAX]; /* by number of the entry: cycles of retirement */
    uint64_t buffer[OOO_BUFFER_MAX]; /* by number of the halfword: cycles in which it is left */
    uint64_t halfwords;              /* fetched */
    uint64_t left;                   /* the last cycle in which something left the buffer */
    struct ooo_room rooms[OOO_QUEUES];
    uint64_t divider, float_divider;        /* until these are free */
    uint64_t memory;                        /* until memory has sent what was asked for */
    uint64_t written;                       /* the last store */
    struct ooo_store stores[OOO_QUEUE_MAX]; /* a ring; the newest is before `next_store' */
    uint64_t next_store;
    struct ooo_write writes[OOO_WRITES]; /* a ring: they wait for a cycle of the cache */
    uint64_t first_write, next_write;
    uint64_t stream,
        stream_end;      /* bytes of stores that follow each other, and the next one's place */
    uint64_t last_write; /* the cycle of the last one that does not wait any more */
    struct ooo_load loads[OOO_QUEUE_MAX]; /* as stores */
    uint64_t next_load;
    uint64_t last_load; /* the cycle until which any of them have issued */
    struct ooo_between between;
    uint32_t slots[OOO_PORTS][OOO_SLOTS]; /* low bits of cycles in use, by cycle */

    /* what the core's figures say */
    unsigned fetch_shift;
    uint8_t entries[OOO_QUEUES];
};

#define OOO_NO_PIECE UINT64_MAX

struct ooo *ooo_new(const struct core *core);
void ooo_free(struct ooo *o);
void ooo_reset(struct ooo *o); /* power-on */
void ooo_state_io(struct state_io *io, struct ooo *o);

/* Executes the next instruction. `now`: the hart's clock, after which it retires. */
struct ooo_cost ooo_step(struct ooo *o, const struct ooo_insn *i, uint64_t now);

/* The pipeline is emptied, and fetches again: a trap, or the hart has stood still. */
void ooo_flush(struct ooo *o, uint64_t now);

#endif
