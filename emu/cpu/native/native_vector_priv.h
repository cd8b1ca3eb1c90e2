/*
 * native_vector_priv.h - which vector instructions can be native code, and for what configuration
 * of the vector unit. native.c makes the code.
 *
 * When a block is translated, it is assumed that vtype and vl will be what they are then, or what
 * its vset{i}vl{i} are likely to make of them. A guard in front of the first of the vector
 * instructions that rely on it leaves the block to the interpreter where they are otherwise; it
 * also counts all of them up to the next vset{i}vl{i}, and what was not executed is given back when
 * the block is left before.
 */
#ifndef CPU_NATIVE_VECTOR_PRIV_H
#define CPU_NATIVE_VECTOR_PRIV_H

#include <stdbool.h>
#include <stdint.h>

struct block;
struct hart;
struct uop;

enum { VECTOR_PART_BYTES = 16 }; /* what one stencil computes: VECTOR_PART of stencils.c */

/* What is assumed in front of an operation. */
struct vector_setting {
    uint64_t vtype;
    uint16_t vl;
    bool known;   /* false: no vector instruction here can be native code */
    bool guarded; /* a guard has tested it */
};

void vector_setting_begin(struct vector_setting *v, const struct hart *h);
/*
 * After a vset{i}vl{i} of vtype, where avl elements are likely. False: it cannot be native code.
 */
bool vector_setting_change(struct vector_setting *v, const struct hart *h, uint64_t vtype,
                           uint64_t avl);

/* Whether an operation is a vector instruction, and whether it is a vset{i}vl{i}. */
bool vector_is(unsigned operation);
bool vector_sets(unsigned operation);
bool vector_stores(unsigned operation);
bool vector_accesses(unsigned operation);

/*
 * The parts of the registers that an instruction changes or stores; 0: it cannot be native code.
 * `operation` is a vector instruction that sets nothing; u are its operands.
 */
unsigned vector_parts(const struct vector_setting *v, const struct hart *h, const struct uop *u,
                      unsigned operation);

/*
 * The instructions that a guard in front of operation `from` counts, of the operations before
 * `end`.
 */
unsigned vector_guarded(const struct block *b, unsigned from, unsigned end);
/* Those of them that are not executed when the block's native code is left at operation `at`. */
unsigned vector_guarded_left(const struct block *b, unsigned at);

#endif
