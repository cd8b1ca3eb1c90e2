/*
 * vector_permute.c - instructions that move elements to other places (vol. I, V, 16).
 */
#include "cpu/float_ops.h"
#include "cpu/hart_priv.h"
#include "cpu/vector_priv.h"

/* ---- element 0 and a scalar ---- */

bool vop_vmv_x_s(struct vop *v)
{
    v->h->s.x[v->rd] = (uint64_t)vop_get_signed(vop_reg(v, v->rs2), 0, v->sew);
    v->clean = true;
    return true;
}

static bool put_first(struct vop *v, uint64_t value)
{
    if (v->vstart < v->vl) {
        vop_put(vop_reg(v, v->rd), 0, v->sew, value);
        vop_end_scalar(v, v->sew);
    }
    return true;
}

bool vop_vmv_s_x(struct vop *v)
{
    return put_first(v, v->h->s.x[v->rs1]);
}

bool vop_vfmv_f_s(struct vop *v)
{
    uint64_t value = vop_get(vop_reg(v, v->rs2), 0, v->sew);

    if (!vop_has_float(v))
        return false;
    v->h->s.f[v->rd] = float_box(v->sew == 3 ? FLOAT_D : FLOAT_S, value);
    v->clean = true;
    return true;
}

bool vop_vfmv_s_f(struct vop *v)
{
    return vop_has_float(v) && put_first(v, vop_float_scalar(v));
}

/* ---- slides ---- */

static bool slide_up(struct vop *v, uint64_t by)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);

    if (!vop_legal(v, false) || vop_overlap(v->rd, v->lmul, v->rs2, v->lmul))
        return false;
    for (uint64_t i = by > v->vstart ? by : v->vstart; i < v->vl; i++)
        if (vop_active(v, (unsigned)i))
            vop_put(d, (unsigned)i, v->sew, vop_get(s2, (unsigned)(i - by), v->sew));
        else
            vop_masked(v, d, (unsigned)i, v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}

/* Beyond the group are zeroes. */
static bool slide_down(struct vop *v, uint64_t by)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);
    unsigned vlmax = vop_vlmax(v);

    if (!vop_legal(v, false))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        if (vop_active(v, i))
            vop_put(d, i, v->sew,
                    by < vlmax && i + by < vlmax ? vop_get(s2, i + (unsigned)by, v->sew) : 0);
        else
            vop_masked(v, d, i, v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}

VOP(vslideup, vx, slide_up(v, v->h->s.x[v->rs1]))
VOP(vslideup, vi, slide_up(v, v->rs1))
VOP(vslidedown, vx, slide_down(v, v->h->s.x[v->rs1]))
VOP(vslidedown, vi, slide_down(v, v->rs1))

static bool slide_one(struct vop *v, bool up, uint64_t scalar)
{
    const uint8_t *s2 = vop_reg(v, v->rs2);
    uint8_t *d = vop_reg(v, v->rd);

    if (!vop_legal(v, false) || (up && vop_overlap(v->rd, v->lmul, v->rs2, v->lmul)))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        if (!vop_active(v, i))
            vop_masked(v, d, i, v->sew);
        else if (up ? i == 0 : i + 1 == v->vl)
            vop_put(d, i, v->sew, scalar);
        else
            vop_put(d, i, v->sew, vop_get(s2, up ? i - 1 : i + 1, v->sew));
    vop_end(v, v->sew, v->vl);
    return true;
}

VOP(vslide1up, vx, slide_one(v, true, v->h->s.x[v->rs1]))
VOP(vslide1down, vx, slide_one(v, false, v->h->s.x[v->rs1]))
VOP(vfslide1up, vf, vop_has_float(v) && slide_one(v, true, vop_float_scalar(v)))
VOP(vfslide1down, vf, vop_has_float(v) && slide_one(v, false, vop_float_scalar(v)))

/* ---- gather ---- */

/* Indices of 1 << size bytes in rs1's group of `lmul`. */
static bool gather(struct vop *v, unsigned size, int lmul)
{
    const uint8_t *s2 = vop_reg(v, v->rs2), *s1 = vop_reg(v, v->rs1);
    uint8_t *d = vop_reg(v, v->rd);
    unsigned vlmax = vop_vlmax(v);

    if (lmul < -3 || lmul > 3 || !vop_legal(v, false) || !vop_aligned(v->rs1, lmul) ||
        !vop_reads_legally(v, v->rs1) ||
        (size != v->sew && vop_overlap(v->rs2, v->lmul, v->rs1, lmul)) ||
        vop_overlap(v->rd, v->lmul, v->rs2, v->lmul) || vop_overlap(v->rd, v->lmul, v->rs1, lmul))
        return false;
    for (unsigned i = v->vstart; i < v->vl; i++)
        if (vop_active(v, i)) {
            uint64_t index = vop_get(s1, i, size);

            vop_put(d, i, v->sew, index < vlmax ? vop_get(s2, (unsigned)index, v->sew) : 0);
        } else {
            vop_masked(v, d, i, v->sew);
        }
    vop_end(v, v->sew, v->vl);
    return true;
}

VOP(vrgather, vv, gather(v, v->sew, v->lmul))
VOP(vrgatherei16, vv, gather(v, 1, v->lmul + 1 - v->sew))

/* One index for all elements. */
static bool gather_one(struct vop *v, uint64_t index)
{
    struct vop_room room;

    if (!vop_legal(v, false) || vop_overlap(v->rd, v->lmul, v->rs2, v->lmul))
        return false;
    vop_splat(v, room.elements,
              index < vop_vlmax(v) ? vop_get(vop_reg(v, v->rs2), (unsigned)index, v->sew) : 0,
              v->sew);
    vop_merge(v, room.elements, v->sew);
    vop_end(v, v->sew, v->vl);
    return true;
}

VOP(vrgather, vx, gather_one(v, v->h->s.x[v->rs1]))
VOP(vrgather, vi, gather_one(v, v->rs1))

/* ---- compress, whole registers ---- */

bool vop_vcompress_vm(struct vop *v)
{
    const uint8_t *s2 = vop_reg(v, v->rs2), *chosen = vop_reg(v, v->rs1);
    uint8_t *d = vop_reg(v, v->rd);
    unsigned count = 0;

    if (v->vstart || !vop_legal(v, false) || vop_overlap(v->rd, v->lmul, v->rs2, v->lmul) ||
        vop_overlap(v->rd, v->lmul, v->rs1, 0) || vop_overlap(v->rs2, v->lmul, v->rs1, 0))
        return false;
    for (unsigned i = 0; i < v->vl; i++)
        if (vop_bit(chosen, i))
            vop_put(d, count++, v->sew, vop_get(s2, i, v->sew));
    vop_end(v, v->sew, count);
    return true;
}

/* vstart counts elements of vtype's width. */
static bool move_whole(struct vop *v, int lmul)
{
    size_t from = (size_t)v->vstart << v->sew, bytes = (size_t)v->vlenb << lmul;

    if (!vop_aligned(v->rd, lmul) || !vop_aligned(v->rs2, lmul))
        return false;
    if (from < bytes)
        memmove(vop_reg(v, v->rd) + from, vop_reg(v, v->rs2) + from, bytes - from);
    return true;
}

VOP(vmv1r, v, move_whole(v, 0))
VOP(vmv2r, v, move_whole(v, 1))
VOP(vmv4r, v, move_whole(v, 2))
VOP(vmv8r, v, move_whole(v, 3))
