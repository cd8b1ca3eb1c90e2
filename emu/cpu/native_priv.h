/*
 * native_priv.h - native code of blocks: copies of stencils, made at run time (native.c).
 *
 * stencils.c is compiled for the host when rvftrace is built, from exec.h and operations.inc, like
 * the engines: a function for each operation and for each combination of places where its operands
 * can be. They are never called. What differs from block to block (immediates, addresses, the next
 * operation) they take from the addresses of symbols that do not exist, the holes, so the
 * assembler's relocations say where these are in the host's instructions. mk/stencils.py makes a
 * table of all that. The native code of a block is a copy of one stencil after another, with the
 * holes filled.
 *
 * Native code has only the fast paths. Whatever is rare, it leaves to the interpreter, which
 * continues at the same operation of the same block with the same budget, as if it had interpreted
 * all operations before it. So native code calls nothing, nothing can ask about the hart while it
 * runs, and no path is exact in its own way.
 *
 * While native code runs, some guest registers are in registers of the host (NATIVE_PINNED).
 */
#ifndef CPU_NATIVE_PRIV_H
#define CPU_NATIVE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

struct block;
struct cluster;
struct hart;
struct native_code;
struct uop;

/* The guest registers that are pinned to registers of the host, in the order of these. */
#define NATIVE_PINNED        \
    {                        \
        15, 14, 10, 8, 2, 13 \
    }
enum { PINNED = 6 };

/* What native code and the engine exchange when one enters the other. */
struct native_state {
    int64_t budget;
    const void *start; /* the block's native code, which is entered */
    uint64_t span_starts;
    void *stack;           /* of the host, before native code was entered */
    const void *leave;     /* where native code returns to */
    struct block *block;   /* in which the engine continues */
    const struct uop *uop; /* ... at this operation */
    uint64_t last;         /* what was written last to an integer register (label_last) */
    uint32_t at;           /* its number; NATIVE_ENTERS: the block is entered by a jump */
    unsigned top;          /* of the return-address stack */
    uint64_t insns;        /* executed as native code: hart_native_insns */
    bool unguarded;        /* the operation is a vector instruction, and its guard has found another
                              configuration than that for which the block was translated */
};

enum { NATIVE_ENTERS = UINT32_MAX };

/* NULL: this host or build has no native code; *why is then set. */
struct native_code *native_new(struct cluster *c, const char **why);
void native_free(struct native_code *n); /* NULL is allowed */

/* Makes the new block of a hart be translated, now or when it has been entered often. */
void native_watch(struct block *b);
/* Translates the block if it can be; otherwise it stays interpreted. */
void native_translate(struct block *b);
/* The block will not be entered as native code again. */
void native_drop(struct block *b);
/*
 * Runs native code, beginning with that of b. h->cache.native has the budget and `top`, and where
 * to continue afterwards; the label in the engine for that is returned.
 */
const void *native_run(struct hart *h, struct block *b);

#endif
