/*
 * vector.c - the frame of vector instructions: the table of their functions, what they have in
 * common, vset{i}vl{i}. See vector_priv.h.
 */
#include "cpu/vector_priv.h"

#include "base/bits.h"
#include "base/rng.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"
#include "cpu/ops.h"

#define VILL (UINT64_C(1) << 63)

static vector_fn *const functions[] = {
#define V(ext, name, match, mask, format, class) [OP_##name - FIRST_VECTOR_OP] = vop_##name,
#define I(ext, name, match, mask, format, class)
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
};
static const struct vop_quick *const quicks[] = {
#define V(ext, name, match, mask, format, class) [OP_##name - FIRST_VECTOR_OP] = &vop_quick_##name,
#define I(ext, name, match, mask, format, class)
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
};
_Static_assert(sizeof functions / sizeof functions[0] == VECTOR_OPS,
               "vector instructions are the last rows");

void vector_reset(struct hart *h)
{
    h->s.vector = (struct vector_state){
        .vlenb = (uint8_t)(extensions_vlen(h->cluster->config.extensions) / 8),
        .vtype = VILL,
        .executed = 1};
}

/* ---- the frame ---- */

/* By the seed, or always: agnostic elements become all ones (vol. I, V, 3.4.3). */
static void draw_agnostic(struct vop *v, unsigned vtype)
{
    const struct cluster_config *config = &v->h->cluster->config;
    uint64_t draw = UINT64_MAX;

    if (config->agnostic == AGNOSTIC_RANDOM) {
        struct rng r = {config->agnostic_seed ^ v->h->id << 16};

        r.state ^= rng_next(&(struct rng){hart_insns(v->h)});
        draw = rng_next(&r);
    }
    v->tail_ones = bit(vtype, 6) && bit(draw, 0);
    v->masked_ones = bit(vtype, 7) && bit(draw, 1);
}

/* Field by field: a struct that is made elsewhere and copied is loaded before it is stored. */
static ALWAYS_INLINE void begin(struct vop *v, struct hart *h, const struct uop *u)
{
    struct vector_state *s = &h->s.vector;
    unsigned vtype = (unsigned)s->vtype, fields = (unsigned)u->imm;

    s->executed++;
    v->h = h;
    v->op = fields >> IMM_VECTOR_OP_SHIFT;
    v->rd = u->rd;
    v->rs1 = u->rs1;
    v->rs2 = u->rs2;
    v->nf = fields >> IMM_NF_SHIFT & 7;
    v->vm = fields & IMM_VM;
    v->long_imm = fields >> IMM_LONG_SHIFT & 1;
    v->config = fields & 0x7ff;
    v->sew = (uint8_t)vtype_sew(vtype);
    v->lmul = (int8_t)vtype_lmul(vtype);
    v->vill = s->vtype >> 63;
    v->vl = s->vl;
    v->vstart = s->vstart;
    v->vlenb = s->vlenb;
    v->v = s->v;
    v->tail_ones = v->masked_ones = v->raised = v->clean = false;
    if (UNLIKELY(h->cluster->config.agnostic != AGNOSTIC_STAYS))
        draw_agnostic(v, vtype);
}

/* It was executed, or raised an exception. Stores only what changes: the next one loads it. */
static ALWAYS_INLINE void end(const struct vop *v, struct hart *h)
{
    if (UNLIKELY((h->s.csr.mstatus & MSTATUS_VS) != MSTATUS_VS) && !v->clean)
        h->s.csr.mstatus |= MSTATUS_VS;
}

static ALWAYS_INLINE void end_executed(const struct vop *v, struct hart *h)
{
    if (UNLIKELY(h->s.vector.vstart))
        h->s.vector.vstart = 0;
    end(v, h);
}

/* The value in each of n bytes, in elements of 1 << size bytes; some bytes more are written. */
static ALWAYS_INLINE void splat(void *to, uint64_t value, unsigned size, size_t n)
{
    static const uint64_t ones[] = {UINT64_C(0x0101010101010101), UINT64_C(0x0001000100010001),
                                    UINT64_C(0x0000000100000001), 1};
    static const uint64_t element[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
    uint64_t pattern = (value & element[size]) * ones[size];
    vec_u64 *words = to;

    for (size_t i = 0; i < n; i += 16) {
        *words++ = pattern;
        *words++ = pattern;
    }
}

/* The immediate in place of rs1. */
static ALWAYS_INLINE uint64_t immediate(enum vop_source from, unsigned rs1, bool sixth_bit)
{
    switch (from) {
    case FROM_SIGNED: return (uint64_t)((int64_t)(rs1 ^ 16) - 16);
    case FROM_LONG: return rs1 | (unsigned)sixth_bit << 5;
    default: return rs1;
    }
}

const struct vop_quick *vector_quick(const struct uop *u)
{
    return quicks[(unsigned)u->imm >> IMM_VECTOR_OP_SHIFT];
}

uint64_t vector_immediate(const struct uop *u)
{
    return immediate(vector_quick(u)->from, u->rs1, (unsigned)u->imm >> IMM_LONG_SHIFT & 1);
}

/*
 * An instruction that is a loop, with no mask, from element 0 on; the unit's state is dirty
 * already. False: it is otherwise, or illegal, and nothing is done.
 */
static ALWAYS_INLINE bool operate_quickly(struct hart *h, const struct uop *u)
{
    struct vector_state *s = &h->s.vector;
    unsigned fields = (unsigned)u->imm, vtype = (unsigned)s->vtype, group = vtype & 7,
             size = vtype >> 3 & 7;
    unsigned misaligned = group < 4 ? (1U << group) - 1 : 0;
    const struct vop_quick *q = vector_quick(u);
    struct vop_room room;
    const void *s1 = room.elements;

    if (!q || UNLIKELY(!(fields & IMM_VM) || s->vstart || s->vtype >> 63 ||
                       h->cluster->config.agnostic != AGNOSTIC_STAYS ||
                       (h->s.csr.mstatus & MSTATUS_VS) != MSTATUS_VS))
        return false;
    if (q->from == FROM_VECTOR) {
        misaligned &= u->rd | u->rs2 | u->rs1;
        s1 = s->v + (size_t)u->rs1 * s->vlenb;
    } else {
        uint64_t value = q->from == FROM_SCALAR
                             ? h->s.x[u->rs1]
                             : immediate(q->from, u->rs1, fields >> IMM_LONG_SHIFT & 1);

        misaligned &= u->rd | u->rs2;
        splat(room.elements, value, size, (size_t)s->vl << size);
    }
    if (UNLIKELY(misaligned))
        return false;
    s->executed++;
    q->loops[size](s->v + (size_t)u->rd * s->vlenb, s->v + (size_t)u->rs2 * s->vlenb, s1, s->vl);
    return true;
}

bool vector_operate(struct hart *h, const struct uop *u)
{
    struct vop v;

    if (operate_quickly(h, u))
        return true;
    if (UNLIKELY(!(h->s.csr.mstatus & MSTATUS_VS)))
        return false;
    begin(&v, h, u);
    if (v.vill && v.op >= OP_vadd_vv - FIRST_VECTOR_OP)
        return false;
    if (!functions[v.op](&v))
        return false;
    end_executed(&v, h);
    return true;
}

bool vector_access(struct hart *h, const struct uop *u)
{
    struct vop v;

    begin(&v, h, u);
    if ((h->s.csr.mstatus & MSTATUS_VS) && LIKELY(functions[v.op](&v))) {
        end_executed(&v, h);
        return true;
    }
    if (!v.raised)
        return hart_op_illegal(h, u);
    end(&v, h);
    return false;
}

/* ---- vset{i}vl{i} (vol. I, V, 6) ---- */

/* The smallest fraction of a register still holds one element of 64 bits' share. */
bool vtype_is_legal(uint64_t vtype)
{
    unsigned sew = vtype_sew(vtype);
    int lmul = vtype_lmul(vtype);

    return !(vtype >> 8) && lmul != -4 && sew <= 3 && (int)sew <= 3 + lmul;
}

enum { KEEP_VL = -1 };

static bool configure(struct vop *v, uint64_t vtype, uint64_t avl)
{
    struct vector_state *s = &v->h->s.vector;

    if (!vtype_is_legal(vtype))
        vector_set_length(s, VILL, 0, 0);
    else
        vector_set_length(s, vtype, avl, vtype_vlmax(vtype, v->vlenb));
    v->h->s.x[v->rd] = s->vl;
    return true;
}

/* The application's vector length: x0 means the most, or, with rd x0, the present one. */
static uint64_t length_of(const struct vop *v)
{
    if (v->rs1)
        return v->h->s.x[v->rs1];
    return v->rd != 32 ? UINT64_MAX : v->h->s.vector.vl;
}

bool vop_vsetvli(struct vop *v)
{
    return configure(v, v->config, length_of(v));
}

bool vop_vsetivli(struct vop *v)
{
    return configure(v, v->config, v->rs1);
}

bool vop_vsetvl(struct vop *v)
{
    return configure(v, v->h->s.x[v->rs2], length_of(v));
}

/* ---- what is legal ---- */

static unsigned group(int lmul)
{
    return lmul > 0 ? 1U << lmul : 1;
}

bool vop_overlap(unsigned a, int a_lmul, unsigned b, int b_lmul)
{
    return a < b + group(b_lmul) && b < a + group(a_lmul);
}

bool vop_widens_legally(unsigned rd, int rd_lmul, unsigned rs, int rs_lmul)
{
    if (!vop_overlap(rd, rd_lmul, rs, rs_lmul))
        return true;
    return rs_lmul >= 0 && rs + group(rs_lmul) == rd + group(rd_lmul) && rs != rd;
}

bool vop_narrows_legally(unsigned rd, unsigned rs, int rs_lmul, int rd_lmul)
{
    return rd == rs || !vop_overlap(rd, rd_lmul, rs, rs_lmul);
}

bool vop_legal(const struct vop *v, bool vector)
{
    return vop_dest(v, v->lmul) && vop_aligned(v->rs2, v->lmul) && vop_reads_legally(v, v->rs2) &&
           (!vector || (vop_aligned(v->rs1, v->lmul) && vop_reads_legally(v, v->rs1)));
}

bool vop_legal_mask(const struct vop *v, bool vector)
{
    return vop_aligned(v->rs2, v->lmul) && vop_reads_legally(v, v->rs2) &&
           vop_narrows_legally(v->rd, v->rs2, v->lmul, 0) &&
           (!vector || (vop_aligned(v->rs1, v->lmul) && vop_reads_legally(v, v->rs1) &&
                        vop_narrows_legally(v->rd, v->rs1, v->lmul, 0)));
}

/* Whether rd, which may be a source, too, is apart from a narrower source or overlaps it legally.
 */
static bool wide_enough(const struct vop *v, unsigned rs, bool adds)
{
    return adds ? !vop_overlap(v->rd, v->lmul + 1, rs, v->lmul)
                : vop_widens_legally(v->rd, v->lmul + 1, rs, v->lmul);
}

bool vop_legal_widening(const struct vop *v, bool vector, enum vop_widening how)
{
    int lmul = v->lmul + 1;
    bool wide = how == WIDE_SOURCE, adds = how == WIDE_SUM;

    if (v->sew == 3 || lmul > 3 || !vop_dest(v, lmul) || !vop_reads_legally(v, v->rs2) ||
        !vop_aligned(v->rs2, wide ? lmul : v->lmul) || (!wide && !wide_enough(v, v->rs2, adds)))
        return false;
    return !vector ||
           (vop_aligned(v->rs1, v->lmul) && vop_reads_legally(v, v->rs1) &&
            wide_enough(v, v->rs1, adds) && !(wide && vop_overlap(v->rs2, lmul, v->rs1, v->lmul)));
}

bool vop_legal_narrowing(const struct vop *v, bool vector)
{
    int lmul = v->lmul + 1;

    return v->sew < 3 && lmul <= 3 && vop_dest(v, v->lmul) && vop_aligned(v->rs2, lmul) &&
           vop_reads_legally(v, v->rs2) && vop_narrows_legally(v->rd, v->rs2, lmul, v->lmul) &&
           (!vector || (vop_aligned(v->rs1, v->lmul) && vop_reads_legally(v, v->rs1) &&
                        !vop_overlap(v->rs2, lmul, v->rs1, v->lmul)));
}

/* It cannot begin in the middle. */
bool vop_legal_reduction(const struct vop *v, unsigned size)
{
    return size <= 3 && !v->vstart && vop_aligned(v->rs2, v->lmul) &&
           vop_reads_legally(v, v->rs2) && vop_reads_legally(v, v->rs1) &&
           (size == v->sew || !vop_overlap(v->rs2, v->lmul, v->rs1, 0));
}

/* ---- results ---- */

void vop_run(const struct vop *v, vector_loop *loop, unsigned size, const void *s2, const void *s1,
             bool apart)
{
    _Alignas(16) uint8_t results[VECTOR_GROUP_BYTES];
    uint8_t *d = vop_reg(v, v->rd);

    if (v->vstart >= v->vl)
        return;
    if (LIKELY(v->vm && !v->vstart && !apart)) {
        loop(d, s2, s1, v->vl);
    } else {
        memcpy(results, d, (size_t)v->vl << size);
        loop(results, s2, s1, v->vl);
        vop_merge(v, results, size);
    }
    vop_end(v, size, v->vl);
}

bool vop_same_width(struct vop *v, vector_loop *const loops[], enum vop_source from)
{
    struct vop_room room;
    const void *s1;

    if (UNLIKELY(!vop_legal(v, from == FROM_VECTOR)))
        return false;
    s1 = from == FROM_VECTOR ? vop_reg(v, v->rs1) : vop_source(v, from, &room);
    if (LIKELY(v->vm && !v->vstart && !v->tail_ones))
        loops[v->sew](vop_reg(v, v->rd), vop_reg(v, v->rs2), s1, v->vl);
    else
        vop_run(v, loops[v->sew], v->sew, vop_reg(v, v->rs2), s1, false);
    return true;
}

bool vop_widening(struct vop *v, vector_loop *const loops[], enum vop_source from,
                  enum vop_widening how)
{
    struct vop_room room;

    if (!vop_legal_widening(v, from == FROM_VECTOR, how))
        return false;
    vop_run(v, loops[v->sew], v->sew + 1, vop_reg(v, v->rs2), vop_source(v, from, &room), true);
    return true;
}

void vop_merge(const struct vop *v, const uint8_t *results, unsigned size)
{
    uint8_t *d = vop_reg(v, v->rd);

    if (v->vm) {
        if (v->vstart < v->vl)
            memcpy(d + ((size_t)v->vstart << size), results + ((size_t)v->vstart << size),
                   (size_t)(v->vl - v->vstart) << size);
        return;
    }
    for (unsigned i = v->vstart; i < v->vl; i++)
        if (vop_bit(v->v, i))
            vop_put(d, i, size, vop_get(results, i, size));
        else
            vop_masked(v, d, i, size);
}

/* A mask's tail is always agnostic. */
void vop_merge_mask(const struct vop *v, const uint8_t *results)
{
    uint8_t *d = vop_reg(v, v->rd);

    for (unsigned i = v->vstart; i < v->vl; i++)
        if (vop_active(v, i))
            vop_put_bit(d, i, results[i]);
        else if (v->masked_ones)
            vop_put_bit(d, i, true);
}

void vop_end_scalar(const struct vop *v, unsigned size)
{
    size_t from = (size_t)1 << size;

    if (UNLIKELY(v->tail_ones))
        memset(vop_reg(v, v->rd) + from, 0xff, v->vlenb - from);
}

void vop_end(const struct vop *v, unsigned size, unsigned n)
{
    uint8_t *d = vop_reg(v, v->rd);
    size_t from = (size_t)n << size, end = v->vlenb;

    if (LIKELY(!v->tail_ones) || v->vstart >= v->vl)
        return;
    while (end < (size_t)vop_vlmax(v) << size)
        end *= 2;
    if (from < end)
        memset(d + from, 0xff, end - from);
}

void vop_splat(const struct vop *v, void *to, uint64_t value, unsigned size)
{
    splat(to, value, size, (size_t)v->vl << size);
}

static uint64_t scalar_of(const struct vop *v, enum vop_source from)
{
    return from == FROM_SCALAR ? v->h->s.x[v->rs1] : immediate(from, v->rs1, v->long_imm);
}

const void *vop_source(const struct vop *v, enum vop_source from, struct vop_room *room)
{
    if (from == FROM_VECTOR)
        return vop_reg(v, v->rs1);
    vop_splat(v, room->elements, scalar_of(v, from), v->sew);
    return room->elements;
}
