/*
 * timed_priv.h - the timed engine's side of a hart (docs/architecture.md, "Timing").
 *
 * A block is entered in some state of the pipeline, leaves it in another, and takes cycles for
 * that. The three are a function of block and state alone (timing/pipe.h), which is computed once
 * and kept: a path. States are numbered, so that an entry compares numbers. Paths and numbers are
 * caches. What depends on the run (caches, predictors, values: timing/model.h) is charged when it
 * happens.
 */
#ifndef CPU_TIMED_PRIV_H
#define CPU_TIMED_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cpu/block_priv.h"
#include "timing/model.h"

struct hart;

/* The low bits of a path's key are the number of a state; above them is the hart's token. */
enum { PIPE_ID_BITS = 24 };

#define NO_KEY UINT64_MAX

/*
 * Stall cycles of a path or of a budget in one number: from the lowest bits up those of fetch, of
 * data, and of branches that leave the block.
 */
enum { STALL_BITS = 21, STALLS_MAX = (1 << STALL_BITS) - 1 };
enum { STALLED_DATA = STALL_BITS, STALLED_BRANCH = 2 * STALL_BITS };

struct path_leave {
    uint32_t state;  /* NO_STATE: not computed yet */
    uint32_t cycles; /* with LEAVE_ASK: timed_leave adds the rest */
};
#define NO_STATE  UINT32_MAX
#define LEAVE_ASK UINT32_C(0x80000000)

/*
 * The cycles before an operation in which the hart waited for the operation's bytes, and for
 * memory.
 */
struct path_stalls {
    uint32_t fetch, data;
};

struct path;

/*
 * An edge: the path that follows when the block is left by a link as predicted, with the cost of
 * leaving and of that path together. While its token is the hart's, nothing else is checked.
 */
struct path_edge {
    uint64_t token; /* valid while it is the hart's; NO_KEY: the edge is not known */
    struct path *to;
    int64_t cost;     /* cycles << 32 | insns */
    uint64_t stalled; /* as path.stalled */
};

/* A path through a block, from operation `first` to the block's end. */
struct path {
    uint64_t key; /* token and entry, while all lines of the block can be fetched without a stall;
                     otherwise NO_KEY */
    struct block *block;
    struct path_edge edge[2];             /* by link */
    int64_t cost;                         /* cycles << 32 */
    struct path_leave leave[PIPE_LEAVES]; /* LEAVE_NEXT: at its end */
    uint32_t entry;
    uint16_t first;
    bool led;         /* a branch led to it: pipe_state.led */
    uint64_t stalled; /* for fetch and data: STALLED_... */
    uint64_t
        calm; /* the hart's token, while all lines of the wrong path after it are in the cache */
    struct path *next;          /* the next path of the block */
    struct path_stalls *stalls; /* before each operation, and at the end; follows `before` */
    uint32_t before[];          /* cycles before each operation */
};

/*
 * The timing of a block, in memory in front of it. The index of a path in `recent` is taken from
 * its entry.
 */
enum { RECENT_PATHS = 8 };
struct block_timing {
    struct path *recent[RECENT_PATHS]; /* path_none: none */
    struct path *paths;                /* all; NULL: none */
    uint32_t count;
};

extern const struct path path_none;

static inline struct block_timing *timing_of(struct block *b)
{
    return (struct block_timing *)(void *)b - 1;
}

static inline struct path **recent_path(struct block *b, uint32_t entry)
{
    return &timing_of(b)->recent[entry & (RECENT_PATHS - 1)];
}

static inline uint32_t path_cycles(const struct path *p)
{
    return (uint32_t)(p->cost >> 32);
}

/* The states that have numbers. When there are many, the numbering begins again. */
struct pipe_states {
    VEC_OF(struct pipe_state) at;
    uint32_t *slots; /* hash table of numbers + 1 */
    uint32_t slot_count;
};

/* What is fetched behind a jalr before it jumps (timed_stray.c). */
enum { STRAY_CODES = 64, STRAY_BYTES = 16 };
struct stray_code {
    uint64_t last; /* physical address of the jalr's last byte; 0: empty */
    uint32_t pieces, branches;
    const uint8_t *at;          /* the bytes behind it, on the host... */
    uint8_t bytes[STRAY_BYTES]; /* ... and what they were when the branches were counted */
};

/* The part of a hart that only clusters with a core model have. */
struct timed {
    struct pipe_states states;
    struct stray_code stray[STRAY_CODES];
    /* out of order: the line that was fetched last, while the hart's token is the same */
    uint64_t fetched_line, fetched_token;
};

struct timed *timed_new(void);
void timed_free(struct timed *t);

/*
 * Adds the stalls of paths to the model's parts: at each new budget, before their sum can overflow.
 */
void timed_settle(struct hart *h);

/* Charges the hart for what firmware has made it execute, before it continues. */
void timed_pay(struct hart *h);
/*
 * Called around each run of the engine: gives the model's pipeline state a number, and stores the
 * state again.
 */
void timed_begin(struct hart *h);
void timed_end(struct hart *h);

/* build.c, block.c: memory for a block with its timing, and back. */
void *timed_alloc_block(size_t size);
void timed_free_block(struct block *b);
void timed_discard_paths(struct block *b);
void timed_forget_edges(
    const struct block_link *link); /* drops the edges of the paths that the link continues */

/* The index in path.leave for leaving by a link as predicted. */
static inline enum pipe_leave_by edge_leave(unsigned slot)
{
    return slot == LINK_TAKEN ? LEAVE_TAKEN : LEAVE_NEXT;
}

/* Learns the edge of the hart's path in block b by that link; false: it cannot be known yet. */
bool timed_learn_edge(struct hart *h, struct block *b, unsigned slot);

/* Returns the path for entering the block b; NULL: some line of it must be fetched first. */
struct path *timed_enter(struct hart *h, struct block *b);
/*
 * Fetches operation `first`, at which the hart is to continue; this may take cycles. Sets the
 * hart's path and the number of operations that can be fetched without a stall. False: the limits
 * of the run end before the operation.
 */
bool timed_dispatch(struct hart *h, struct block *b, unsigned first);

/*
 * Called when the hart leaves the block as `how` says, at operation `at`, its last: completes the
 * path's entry for that, counts the cycles that fetch stalls, and returns them.
 */
uint32_t timed_leave(struct hart *h, const struct block *b, unsigned at, enum pipe_leave_by how);
/* Predicts the branches that are fetched after a jalr, whose last byte is at this physical address,
 * before it jumps: those in as many more pieces of what is fetched at once. */
void timed_stray(struct hart *h, uint64_t last, unsigned pieces);
/* Returns how a system instruction leaves its block. */
struct path_leave timed_system(struct hart *h, const struct uop *u);
/* Called when the hart leaves the block before operation `at`. */
void timed_leave_block(struct hart *h, const struct block *b, unsigned at);

/* The slow sides of the engine's seams; each returns the cycles of the stall. */
uint32_t timed_load(struct hart *h, uint64_t va, unsigned size);
uint32_t timed_store(struct hart *h, uint64_t va, unsigned size, uint64_t now);
/* An atomic operation that memory executes; `reserves`: lr. */
uint32_t timed_atomic(struct hart *h, uint64_t va, bool reserves, uint64_t now);

/*
 * Makes the result of a floating-point division, the last operation, available `cycles` cycles
 * earlier.
 */
void timed_hasten(struct hart *h, unsigned rd, uint32_t cycles);

/* Architectural events. */
void timed_update_context(struct hart *h); /* the translation of fetches has changed */
void timed_trap(struct hart *h);
void timed_fence_i(struct hart *h);
void timed_sfence(struct hart *h, const uint64_t *va); /* of that page; NULL: of all */
void timed_satp(struct hart *h);
/*
 * Called when firmware makes the hart, which is not running, execute a fence: CORE_fence_i or
 * CORE_sfence.
 */
void timed_remote_fence(struct hart *h, enum core_class fence);
/* Drops translations to the host's memory. */
void timed_drop_translations(struct hart *h);

/* The position of the data context's number (enum tlb_context) in the filter's tags. */
enum { TIMED_CONTEXT_SHIFT = 58 };

/* What an operation of this kind is to a core model, but for its address. */
struct pipe_op timed_op(const struct hart *h, const struct uop *u, unsigned kind, unsigned size);
/* Fetches the page and the lines of one operation; returns the cycles. */
uint32_t timed_fetch(struct hart *h, const struct block *b, unsigned at);

/*
 * timed_ooo.c: a core that executes out of order. Its blocks have a UOP_ORDER in front of each
 * instruction, which has the instruction's registers and properties.
 */
void timed_ooo_operands(const struct hart *h, const struct insn *i, struct uop *order);
/*
 * Executes the instruction after the UOP_ORDER in the model, before the engine does. `now`: the
 * hart's clock; returns the cycles.
 */
uint32_t timed_ooo_step(struct hart *h, const struct block *b, const struct uop *order,
                        uint64_t now);

/* timed_class.c: sets the class of each operation (cpu/isa/isa.h). */
void timed_set_classes(uint8_t class[]);

#endif
