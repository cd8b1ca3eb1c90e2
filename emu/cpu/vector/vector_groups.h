/*
 * vector_groups.h - vector instructions whose operands are groups of elements (vol. I, "Vector
 * Cryptography Extensions", Element Groups): one row is one function of a group.
 */
#ifndef CPU_VECTOR_GROUPS_H
#define CPU_VECTOR_GROUPS_H

#include "cpu/vector_priv.h"

enum { GROUP_BYTES_MAX = 32 };

/*
 * Computes one group of d, which is also a source, from those of s2 and s1, or the immediate. None
 * is the same memory as another.
 */
typedef void vector_group_fn(void *d, const void *s2, const void *s1, unsigned imm);

/* The other operands of a group. */
enum vop_group_form {
    GROUP_V,     /* vs2 */
    GROUP_VV,    /* vs2 and vs1 */
    GROUP_VI,    /* vs2 and an immediate */
    GROUP_SCALAR /* one group in the register vs2, for all groups */
};

struct vector_group {
    vector_group_fn *fn;
    enum vop_group_form form;
    uint8_t sew;      /* log2 of an element's bytes: vtype has to have it */
    uint8_t elements; /* of a group */
    bool apart;       /* rd may not overlap vs2 */
    bool apart_1;     /* nor vs1 */
};

/* A whole instruction. False: illegal. */
bool vop_groups(struct vop *v, const struct vector_group *g);

static inline uint32_t rotate_left(uint32_t x, unsigned by)
{
    return x << (by & 31) | x >> (-by & 31);
}

#endif
