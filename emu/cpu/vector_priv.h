/*
 * vector_priv.h - vector instructions (ISA vol. I, "V" Standard Extension for Vector Operations,
 * Version 1.0). The engine has one path for all of them: vector_operate for those that access
 * registers only, vector_access for loads and stores. vector.def has the rows; the function
 * vop_NAME is what the row NAME does.
 */
#ifndef CPU_VECTOR_PRIV_H
#define CPU_VECTOR_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/isa/isa.h"
#include "cpu/state_priv.h"

struct hart;
struct uop;

/* The most elements of a register group, and its bytes. */
enum { VECTOR_GROUP_BYTES = 8 * VLENB_MAX, VECTOR_ELEMENTS = VECTOR_GROUP_BYTES };

void vector_reset(struct hart *h); /* vlenb by the hart's extensions */

/* Called by the engine. False: the instruction is illegal; nothing has changed or was raised. */
MUST_USE bool vector_operate(struct hart *h, const struct uop *u);
/* The same for a load or store. False: the exception is raised; vstart is its element's index. */
MUST_USE bool vector_access(struct hart *h, const struct uop *u);

/* ---- vtype and vl (vol. I, V, 3.4) ---- */

static inline unsigned vtype_sew(uint64_t vtype) /* log2 of an element's bytes */
{
    return vtype >> 3 & 7;
}

static inline int vtype_lmul(uint64_t vtype) /* log2 of the registers of a group */
{
    return (int)((vtype & 7) ^ 4) - 4;
}

bool vtype_is_legal(uint64_t vtype);

/* The elements of 1 << size bytes of a group of 1 << lmul registers. */
static inline unsigned vector_elements(unsigned vlenb, unsigned size, int lmul)
{
    return lmul >= 0 ? vlenb >> size << lmul : vlenb >> size >> -lmul;
}

static inline unsigned vtype_vlmax(uint64_t vtype, unsigned vlenb)
{
    return vector_elements(vlenb, vtype_sew(vtype), vtype_lmul(vtype));
}

/* What a vset{i}vl{i} does; avl: the elements that the program has. */
static inline void vector_set_length(struct vector_state *s, uint64_t vtype, uint64_t avl,
                                     unsigned vlmax)
{
    s->vtype = vtype;
    s->vl = (uint16_t)(avl < vlmax ? avl : vlmax);
}

struct vop_quick;
const struct vop_quick *vector_quick(const struct uop *u); /* NULL: it has none */
/* The immediate of an instruction that has a struct vop_quick and takes one. */
uint64_t vector_immediate(const struct uop *u);

/* ---- one instruction, while it is executed ---- */

struct vop {
    struct hart *h;
    unsigned op;
    uint8_t rd, rs1, rs2; /* rs1 may be an immediate; an integer rd of x0 is 32 */
    uint8_t nf;           /* the field, 0 to 7 */
    bool vm, long_imm;
    uint16_t config; /* the new vtype, of a vset{i}vli */
    /* from vtype and vl */
    uint8_t sew; /* log2 of an element's bytes */
    int8_t lmul; /* log2 of the registers of a group: -3 to 3 */
    bool vill;
    bool tail_ones, masked_ones; /* what agnostic elements become; false: they stay */
    unsigned vl, vstart, vlenb;
    uint8_t *v;  /* all registers */
    bool raised; /* of a load or store: the exception is raised */
    bool clean;  /* it does not change the state of the vector unit */
};

/* False: illegal, or, of a load or store, an exception that it has raised. */
typedef bool vector_fn(struct vop *v);
#define V(ext, name, match, mask, format, class) vector_fn vop_##name;
#define I(ext, name, match, mask, format, class)
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C

/* Elements in memory order, which may have any type. */
#define VECTOR_TYPE(type) __typeof__(type) __attribute__((may_alias))
typedef VECTOR_TYPE(uint16_t) vec_u16;
typedef VECTOR_TYPE(uint32_t) vec_u32;
typedef VECTOR_TYPE(uint64_t) vec_u64;

static inline uint8_t *vop_reg(const struct vop *v, unsigned reg)
{
    return v->v + (size_t)reg * v->vlenb;
}

static inline bool vop_bit(const uint8_t *mask, unsigned i)
{
    return mask[i / 8] >> i % 8 & 1;
}

static inline void vop_put_bit(uint8_t *mask, unsigned i, bool value)
{
    mask[i / 8] = (uint8_t)((mask[i / 8] & ~(1U << i % 8)) | (unsigned)value << i % 8);
}

static inline bool vop_active(const struct vop *v, unsigned i)
{
    return v->vm || vop_bit(v->v, i);
}

/* Element i of 1 << size bytes. */
static inline uint64_t vop_get(const void *from, unsigned i, unsigned size)
{
    switch (size) {
    case 0: return ((const uint8_t *)from)[i];
    case 1: return ((const vec_u16 *)from)[i];
    case 2: return ((const vec_u32 *)from)[i];
    default: return ((const vec_u64 *)from)[i];
    }
}

static inline int64_t vop_get_signed(const void *from, unsigned i, unsigned size)
{
    unsigned unused = 64 - (8U << size);

    return (int64_t)(vop_get(from, i, size) << unused) >> unused;
}

static inline void vop_put(void *to, unsigned i, unsigned size, uint64_t value)
{
    switch (size) {
    case 0: ((uint8_t *)to)[i] = (uint8_t)value; break;
    case 1: ((vec_u16 *)to)[i] = (uint16_t)value; break;
    case 2: ((vec_u32 *)to)[i] = (uint32_t)value; break;
    default: ((vec_u64 *)to)[i] = value; break;
    }
}

static inline unsigned vop_bits(const struct vop *v)
{
    return 8U << v->sew;
}

static inline unsigned vop_vlmax(const struct vop *v)
{
    return vector_elements(v->vlenb, v->sew, v->lmul);
}

/* The function of the row NAME_FORM. */
#define VOP(name, form, call)               \
    bool vop_##name##_##form(struct vop *v) \
    {                                       \
        return call;                        \
    }

/* The other operand as a vector: rs1's register; or the scalar or immediate, vl times. */
enum vop_source { FROM_VECTOR, FROM_SCALAR, FROM_SIGNED, FROM_UNSIGNED, FROM_LONG };
struct vop_room {
    _Alignas(16) uint8_t elements[VECTOR_GROUP_BYTES + 8];
};
const void *vop_source(const struct vop *v, enum vop_source from, struct vop_room *room);

/* ---- vector.c: what is legal ---- */

/* Whether the register can begin a group of 1 << lmul registers. */
static inline bool vop_aligned(unsigned reg, int lmul)
{
    return lmul <= 0 || !(reg & ((1U << lmul) - 1));
}

/* Whether rd can be a destination, masked if the instruction is, of elements of vtype's width. */
static inline bool vop_dest(const struct vop *v, int lmul)
{
    return vop_aligned(v->rd, lmul) && (v->vm || v->rd);
}

/* Whether two groups have a register in common. */
bool vop_overlap(unsigned a, int a_lmul, unsigned b, int b_lmul);
/*
 * Whether rd, whose elements are wider or narrower than those of the source, overlaps it not at
 * all or as is legal (vol. I, V, 5.2). EEWs differ.
 */
bool vop_widens_legally(unsigned rd, int rd_lmul, unsigned rs, int rs_lmul);
bool vop_narrows_legally(unsigned rd, unsigned rs, int rs_lmul, int rd_lmul);

/*
 * A register can be read with one EEW only (vol. I, V, 5.2): a group that is no mask cannot hold
 * the mask of a masked instruction, and no two groups of different EEWs overlap.
 */
static inline bool vop_reads_legally(const struct vop *v, unsigned reg)
{
    return v->vm || reg;
}

/* rd, rs2 and, with `vector`, rs1 are groups of vtype's. */
bool vop_legal(const struct vop *v, bool vector);

/* The same where rd is a mask. */
bool vop_legal_mask(const struct vop *v, bool vector);
/*
 * The same where the elements of rd are twice as wide, and those of rs2 too, or rd is also a
 * source; and where only those of rs2 are.
 */
enum vop_widening { WIDE_RESULT, WIDE_SOURCE, WIDE_SUM };
bool vop_legal_widening(const struct vop *v, bool vector, enum vop_widening how);
bool vop_legal_narrowing(const struct vop *v, bool vector);
/* A reduction to one element of 1 << size bytes, in single registers. */
bool vop_legal_reduction(const struct vop *v, unsigned size);

/* ---- vector_float.c ---- */

/* Whether mstatus.FS is on, vtype's elements are numbers of single or double precision, and frm is
 * legal. */
bool vop_has_float(const struct vop *v);
/* The scalar operand, from its box. */
uint64_t vop_float_scalar(const struct vop *v);

/* ---- vector.c: results ---- */

/*
 * Computes the elements of d from those of s2 and s1, which may be the same memory: element i of
 * d is written after it was read.
 */
typedef void vector_loop(void *d, const void *s2, const void *s1, unsigned n);

/*
 * Runs the loop for rd, whose elements have 1 << size bytes. `apart`: sources of another width,
 * which may overlap rd.
 */
void vop_run(const struct vop *v, vector_loop *loop, unsigned size, const void *s2, const void *s1,
             bool apart);
/*
 * An instruction of elements of vtype's width that is only a loop: vector.c executes it without a
 * struct vop where nothing is special. Rows that are none have no such object.
 */
struct vop_quick {
    vector_loop *const *loops; /* by the width of elements */
    enum vop_source from;
};
#define V(ext, name, match, mask, format, class) \
    extern const struct vop_quick vop_quick_##name __attribute__((weak));
#define I(ext, name, match, mask, format, class)
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
/* A whole instruction of elements of vtype's width, and one whose rd has elements twice as wide. */
bool vop_same_width(struct vop *v, vector_loop *const loops[], enum vop_source from);
bool vop_widening(struct vop *v, vector_loop *const loops[], enum vop_source from,
                  enum vop_widening how);
/* Writes results to the active elements of rd up to vl; the others are as vtype's mask policy says.
 */
void vop_merge(const struct vop *v, const uint8_t *results, unsigned size);
/* Sets the active bits of the mask rd to results, a byte each. */
void vop_merge_mask(const struct vop *v, const uint8_t *results);
/* Agnostic elements of rd's group, whose first ones are vl, or `n`. */
void vop_end(const struct vop *v, unsigned size, unsigned n);
/* The same of a single register in which a scalar was put. */
void vop_end_scalar(const struct vop *v, unsigned size);
/* The same for one masked element. */
static inline void vop_masked(const struct vop *v, uint8_t *d, unsigned i, unsigned size)
{
    if (UNLIKELY(v->masked_ones))
        vop_put(d, i, size, UINT64_MAX);
}
/* The same value vl times. */
void vop_splat(const struct vop *v, void *to, uint64_t value, unsigned size);

#endif
