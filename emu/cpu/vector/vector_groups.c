/*
 * vector_groups.c - see vector_groups.h.
 */
#include "cpu/vector/vector_groups.h"

/* Whether vl and vstart are of whole groups, and a register group holds one. */
static bool whole_groups(const struct vop *v, const struct vector_group *g)
{
    return v->sew == g->sew && vop_vlmax(v) >= g->elements && v->vl % g->elements == 0 &&
           v->vstart % g->elements == 0;
}

static bool is_legal(const struct vop *v, const struct vector_group *g)
{
    int s2_lmul = g->form == GROUP_SCALAR ? 0 : v->lmul;

    if (!whole_groups(v, g) || !vop_aligned(v->rd, v->lmul) || !vop_aligned(v->rs2, s2_lmul) ||
        (g->apart && vop_overlap(v->rd, v->lmul, v->rs2, s2_lmul)))
        return false;
    return g->form != GROUP_VV || (vop_aligned(v->rs1, v->lmul) &&
                                   !(g->apart_1 && vop_overlap(v->rd, v->lmul, v->rs1, v->lmul)));
}

bool vop_groups(struct vop *v, const struct vector_group *g)
{
    size_t bytes = (size_t)g->elements << g->sew;
    const uint8_t *s2 = vop_reg(v, v->rs2), *s1 = vop_reg(v, v->rs1);
    uint8_t *d = vop_reg(v, v->rd);

    if (!is_legal(v, g))
        return false;
    for (size_t i = v->vstart / g->elements; i < v->vl / g->elements; i++) {
        _Alignas(8) uint8_t result[GROUP_BYTES_MAX];

        memcpy(result, d + i * bytes, bytes);
        g->fn(result, g->form == GROUP_SCALAR ? s2 : s2 + i * bytes,
              g->form == GROUP_VV ? s1 + i * bytes : NULL, v->rs1);
        memcpy(d + i * bytes, result, bytes);
    }
    vop_end(v, v->sew, v->vl);
    return true;
}
