/*
 * native_pieces_priv.h - what the native code of a block is made of: copies of stencils, which
 * native_pieces.c chooses, and native.c gives a place and writes.
 */
#ifndef CPU_NATIVE_PIECES_PRIV_H
#define CPU_NATIVE_PIECES_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hart_priv.h"
#include "cpu/native/native_vector_priv.h"

/* Whether this build has stencils for the host's processor. */
#if (defined __x86_64__ || defined __aarch64__) && defined __linux__ && \
    !defined __SANITIZE_ADDRESS__ && !defined __clang__ && !defined NO_NATIVE
#define HAS_STENCILS
#endif

/* Places of operands, beside the pinned registers. */
enum { PLACE_MEMORY = 6, PLACE_NONE = 7, PLACES = 8 };

/* One copy of a stencil. Addresses are offsets in the memory for code. */
struct piece {
    uint16_t stencil;
    uint16_t op;  /* in the block */
    uint8_t reg;  /* the guest register to copy, for spill, fill and copies */
    bool is_copy; /* addi of 0 from `from' to `reg' */
    uint8_t from;
    uint8_t part;  /* of a vector instruction: which 16 bytes of each register group */
    uint16_t vl;   /* of a guard and of vset{i}vl{i}: the length, or the most; */
    uint8_t vtype; /* and vtype */
    uint32_t at, cold, next;
    uint32_t other; /* what a load does that finds nothing: a piece, until it has a place */
};

enum { PIECES_MAX = 640 };

/* What an integer register will hold, if the block is entered with the present registers. */
struct guess {
    uint64_t value;
    bool unknown;
};

struct translation {
    struct native_code *code;
    const uint8_t *places; /* of the guest registers: a pinned one's number, or PLACE_MEMORY */
    bool fuses_floats;     /* the host has the fused multiply-add */
    bool has_vectors;      /* and the instructions of the stencils for vectors */
    struct block *block;
    struct guess guesses[REG_SINK + 1];
    struct vector_setting vectors;
    struct piece pieces[PIECES_MAX];
    unsigned count;
    bool full;
    uint32_t exit, far; /* where hole_exit and hole_far lead to */
    uint8_t *constants; /* where the next one is written, behind the code */
};

/* Begins the translation of its block: what is known of registers and of the vector unit. */
void pieces_begin(struct translation *t);
struct piece *pieces_add(struct translation *t, unsigned stencil, unsigned op);
/*
 * Adds the pieces of an operation; all before it were added. False: it is left to the interpreter,
 * with all that follow.
 */
bool pieces_add_op(struct translation *t, unsigned op);
/*
 * Adds those after the block's `own': loads by the other of their two ways, with jumps back, and
 * what is to be done where that fails, too.
 */
void pieces_add_rest(struct translation *t, unsigned own);

/* ---- operations of a block ---- */

_Static_assert(OP_bgeu == OP_beq + 5, "the branches are in sequence");

static inline bool block_is_branch(unsigned kind)
{
    return kind >= OP_beq && kind <= OP_bgeu;
}

static inline uint64_t block_pc_of(const struct block *b, unsigned op)
{
    return b->pc + b->ops[op].at * 2U;
}

static inline uint64_t block_target_of(const struct block *b, unsigned op)
{
    return block_pc_of(b, op) + (uint64_t)(int64_t)b->ops[op].imm;
}

/* Whether the block never has a link to this address (may_link in block.c). */
static inline bool block_is_far(const struct block *b, uint64_t target)
{
    return !same_page(b->pc, target) || b->pa_second;
}

#endif
