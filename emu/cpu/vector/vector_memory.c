/*
 * vector_memory.c - vector loads and stores (vol. I, V, 7). Elements are accessed in their order,
 * each as by a scalar load or store; where a page's bytes are known to be accessible and nothing
 * looks at the accesses, a row of elements is copied at once. An exception leaves vstart at its
 * element.
 */
#include "cpu/hart_priv.h"
#include "cpu/store_order_priv.h"
#include "cpu/vector_priv.h"

/* ---- access to memory ---- */

/* Of the `len` bytes at va, those that can be loaded from the host's memory at once; 0: none. */
static unsigned readable(const struct hart *h, uint64_t va, unsigned len, const uint8_t **host)
{
    const struct translations *t = &h->cache.tlb->load;
    const struct span *span = h->cache.loads;
    uint64_t at = va - span->from;
    unsigned slot = tlb_slot(va);

    if (at < span->starts) {
        uint64_t room = span->starts + LOAD_MAX - 1 - at;

        *host = span->host + at;
        return len < room ? len : (unsigned)room;
    }
    at = va - t->page[slot];
    if (at >= PAGE_BYTES)
        return 0;
    *host = t->host[slot] + at;
    return len < PAGE_BYTES - at ? len : (unsigned)(PAGE_BYTES - at);
}

static unsigned writable(const struct hart *h, uint64_t va, unsigned len, uint8_t **host)
{
    const struct translations *t = &h->cache.tlb->store;
    unsigned slot = tlb_slot(va);
    uint64_t at = va - t->page[slot];

    if (at >= PAGE_BYTES)
        return 0;
    *host = t->host[slot] + at;
    return len < PAGE_BYTES - at ? len : (unsigned)(PAGE_BYTES - at);
}

static bool load(struct vop *v, uint64_t va, unsigned size, void *to, unsigned i)
{
    const uint8_t *host;
    uint64_t value;
    bool done;

    if (UNLIKELY(v->h->s.order)) {
        done = store_order_load_element(v->h, va, 1U << size, &value);
    } else if (LIKELY(readable(v->h, va, 1U << size, &host) == 1U << size)) {
        memcpy((uint8_t *)to + ((size_t)i << size), host, (size_t)1 << size);
        return true;
    } else {
        done = hart_load(v->h, va, 1U << size, &value);
    }
    if (done)
        vop_put(to, i, size, value);
    return done;
}

static bool store(struct vop *v, uint64_t va, unsigned size, const void *from, unsigned i)
{
    uint8_t *host;

    if (UNLIKELY(v->h->s.order))
        return store_order_store(v->h, va, 1U << size, vop_get(from, i, size));
    if (LIKELY(writable(v->h, va, 1U << size, &host) == 1U << size)) {
        memcpy(host, (const uint8_t *)from + ((size_t)i << size), (size_t)1 << size);
        return true;
    }
    return hart_store(v->h, va, 1U << size, vop_get(from, i, size));
}

/* The library's is a call, and looks at the size first. */
static inline void copy(uint8_t *to, const uint8_t *from, size_t n)
{
    for (; n >= 16; n -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    if (n)
        memcpy(to, from, n);
}

/* The exception of element i has been raised. */
static bool trap(struct vop *v, unsigned i)
{
    v->h->s.vector.vstart = (uint16_t)i;
    v->raised = true;
    v->clean = false;
    return false;
}

/* ---- contiguous elements, none of them masked: `count` of them, from vstart on ---- */

static bool load_row(struct vop *v, uint64_t base, unsigned size, unsigned count)
{
    uint8_t *d = vop_reg(v, v->rd);

    for (unsigned i = v->vstart; i < count;) {
        uint64_t va = base + ((uint64_t)i << size);
        const uint8_t *host;
        unsigned whole = v->h->s.order ? 0 : readable(v->h, va, (count - i) << size, &host) >> size;

        if (LIKELY(whole)) {
            copy(d + ((size_t)i << size), host, (size_t)whole << size);
            i += whole;
        } else if (load(v, va, size, d, i)) {
            i++;
        } else {
            return trap(v, i);
        }
    }
    return true;
}

static bool store_row(struct vop *v, uint64_t base, unsigned size, unsigned count)
{
    const uint8_t *s = vop_reg(v, v->rd);

    for (unsigned i = v->vstart; i < count;) {
        uint64_t va = base + ((uint64_t)i << size);
        uint8_t *host;
        unsigned whole = v->h->s.order ? 0 : writable(v->h, va, (count - i) << size, &host) >> size;

        if (LIKELY(whole)) {
            copy(host, s + ((size_t)i << size), (size_t)whole << size);
            i += whole;
        } else if (store(v, va, size, s, i)) {
            i++;
        } else {
            return trap(v, i);
        }
    }
    return true;
}

/* ---- segments of fields: element i of field k is in register rd + k * group ---- */

struct segments {
    unsigned size; /* log2 of the bytes of an element */
    int lmul;      /* of a field's registers */
    bool stores;
    bool first_only; /* an exception of another element than the first shortens vl */
};

static uint8_t *field_of(const struct vop *v, const struct segments *s, unsigned k)
{
    return vop_reg(v, v->rd + (s->lmul > 0 ? k << s->lmul : k));
}

/* A masked element of a load is agnostic, too. */
static void skip(const struct vop *v, const struct segments *s, unsigned i)
{
    for (unsigned k = 0; k <= v->nf && !s->stores; k++)
        vop_masked(v, field_of(v, s, k), i, s->size);
}

static bool access_segment(struct vop *v, const struct segments *s, unsigned i, uint64_t va)
{
    for (unsigned k = 0; k <= v->nf; k++) {
        uint64_t at = va + ((uint64_t)k << s->size);

        if (s->stores ? !store(v, at, s->size, field_of(v, s, k), i)
                      : !load(v, at, s->size, field_of(v, s, k), i))
            return false;
    }
    return true;
}

static void end_load(const struct vop *v, const struct segments *s, unsigned n)
{
    struct vop one = *v;

    for (unsigned k = 0; k <= v->nf && v->tail_ones && !s->stores; k++) {
        one.rd = (uint8_t)(v->rd + (s->lmul > 0 ? k << s->lmul : k));
        vop_end(&one, s->size, n);
    }
}

/* Whether the elements can be in the registers. */
static bool fields_fit(const struct vop *v, const struct segments *s)
{
    unsigned group = s->lmul > 0 ? 1U << s->lmul : 1;

    return s->lmul >= -3 && s->lmul <= 3 && vop_aligned(v->rd, s->lmul) &&
           group * (v->nf + 1U) <= 8 && v->rd + group * (v->nf + 1U) <= 32 && (v->vm || v->rd);
}

/* Whether element i, which has raised an exception, ends the instruction without it. */
static bool ends_early(struct vop *v, const struct segments *s, unsigned i)
{
    if (!s->first_only || !i)
        return false;
    v->h->s.vector.vl = (uint16_t)i;
    return true;
}

static bool access_strided(struct vop *v, const struct segments *s, uint64_t stride)
{
    uint64_t base = v->h->s.x[v->rs1];

    for (unsigned i = v->vstart; i < v->vl; i++) {
        if (!vop_active(v, i)) {
            skip(v, s, i);
            continue;
        }
        if (UNLIKELY(!access_segment(v, s, i, base + i * stride)))
            return ends_early(v, s, i) || trap(v, i);
    }
    end_load(v, s, v->vl);
    return true;
}

static void begin_access(struct vop *v, bool stores)
{
    v->clean = stores;
    v->h->s.vector.stores += stores;
    if (UNLIKELY(v->h->s.order))
        store_order_begin_vector(v->h);
}

static struct segments segments_of(const struct vop *v, unsigned size, bool stores)
{
    return (struct segments){.size = size, .lmul = (int)size - v->sew + v->lmul, .stores = stores};
}

/* ---- unit-stride and strided ---- */

/* All elements of one field. */
static bool access_row(struct vop *v, unsigned size, bool stores)
{
    int lmul = (int)size - v->sew + v->lmul;
    uint64_t base = v->h->s.x[v->rs1];

    if (lmul < -3 || lmul > 3 || !vop_aligned(v->rd, lmul))
        return false;
    begin_access(v, stores);
    if (stores)
        return store_row(v, base, size, v->vl);
    if (UNLIKELY(!load_row(v, base, size, v->vl)))
        return false;
    vop_end(v, size, v->vl);
    return true;
}

static bool unit_stride(struct vop *v, unsigned size, bool stores)
{
    struct segments s;

    if (LIKELY(v->vm && !v->nf && !v->vill))
        return access_row(v, size, stores);
    s = segments_of(v, size, stores);
    if (v->vill || !fields_fit(v, &s))
        return false;
    begin_access(v, stores);
    return access_strided(v, &s, (v->nf + UINT64_C(1)) << size);
}

/*
 * Loads all elements, none of them masked, if they are contiguous in the host's memory. False:
 * nothing was loaded.
 */
static bool load_at_once(struct vop *v, unsigned size)
{
    uint64_t va = v->h->s.x[v->rs1] + ((uint64_t)v->vstart << size);
    const uint8_t *host;
    unsigned bytes;

    if (v->vstart >= v->vl || v->h->s.order)
        return false;
    bytes = (v->vl - v->vstart) << size;
    if (readable(v->h, va, bytes, &host) < bytes)
        return false;
    memcpy(vop_reg(v, v->rd) + ((size_t)v->vstart << size), host, bytes);
    return true;
}

static bool first_only(struct vop *v, unsigned size)
{
    struct segments s = segments_of(v, size, false);

    s.first_only = true;
    if (v->vill || !fields_fit(v, &s))
        return false;
    begin_access(v, false);
    if (LIKELY(v->vm && !v->nf && load_at_once(v, size))) {
        end_load(v, &s, v->vl);
        return true;
    }
    return access_strided(v, &s, (v->nf + UINT64_C(1)) << size);
}

static bool strided(struct vop *v, unsigned size, bool stores)
{
    struct segments s = segments_of(v, size, stores);

    if (v->vill || !fields_fit(v, &s))
        return false;
    begin_access(v, stores);
    return access_strided(v, &s, v->h->s.x[v->rs2]);
}

/* ---- indexed ---- */

/* Whether no field is in the way of the indices, which are still to be read (vol. I, V, 7.8). */
static bool indices_stay(const struct vop *v, unsigned size, int lmul)
{
    int fields = v->lmul > 0 ? v->lmul : 0;

    for (unsigned k = 0; k <= v->nf; k++)
        if (v->nf && vop_overlap(v->rd + (k << fields), v->lmul, v->rs2, lmul))
            return false;
    if (v->nf || size == v->sew)
        return true;
    return size > v->sew ? vop_narrows_legally(v->rd, v->rs2, lmul, v->lmul)
                         : vop_widens_legally(v->rd, v->lmul, v->rs2, lmul);
}

/* Whether no register holds indices and data of different widths. */
static bool data_apart(const struct vop *v, unsigned size, int lmul)
{
    int fields = v->lmul > 0 ? v->lmul : 0;

    for (unsigned k = 0; k <= v->nf && size != v->sew; k++)
        if (vop_overlap(v->rd + (k << fields), v->lmul, v->rs2, lmul))
            return false;
    return true;
}

static bool indexed(struct vop *v, unsigned size, bool stores)
{
    struct segments s = {.size = v->sew, .lmul = v->lmul, .stores = stores};
    int lmul = (int)size - v->sew + v->lmul;
    uint64_t base = v->h->s.x[v->rs1];

    if (v->vill || lmul < -3 || lmul > 3 || !fields_fit(v, &s) || !vop_aligned(v->rs2, lmul) ||
        !vop_reads_legally(v, v->rs2) ||
        (stores ? !data_apart(v, size, lmul) : !indices_stay(v, size, lmul)))
        return false;
    begin_access(v, stores);
    for (unsigned i = v->vstart; i < v->vl; i++) {
        if (!vop_active(v, i)) {
            skip(v, &s, i);
            continue;
        }
        if (!access_segment(v, &s, i, base + vop_get(vop_reg(v, v->rs2), i, size)))
            return trap(v, i);
    }
    end_load(v, &s, v->vl);
    return true;
}

#define WIDTHS(letter, stores)                         \
    VOP(v##letter##Ne8, v, unit_stride(v, 0, stores))  \
    VOP(v##letter##Ne16, v, unit_stride(v, 1, stores)) \
    VOP(v##letter##Ne32, v, unit_stride(v, 2, stores)) \
    VOP(v##letter##Ne64, v, unit_stride(v, 3, stores)) \
    VOP(v##letter##sNe8, v, strided(v, 0, stores))     \
    VOP(v##letter##sNe16, v, strided(v, 1, stores))    \
    VOP(v##letter##sNe32, v, strided(v, 2, stores))    \
    VOP(v##letter##sNe64, v, strided(v, 3, stores))    \
    VOP(v##letter##uxNei8, v, indexed(v, 0, stores))   \
    VOP(v##letter##uxNei16, v, indexed(v, 1, stores))  \
    VOP(v##letter##uxNei32, v, indexed(v, 2, stores))  \
    VOP(v##letter##uxNei64, v, indexed(v, 3, stores))  \
    VOP(v##letter##oxNei8, v, indexed(v, 0, stores))   \
    VOP(v##letter##oxNei16, v, indexed(v, 1, stores))  \
    VOP(v##letter##oxNei32, v, indexed(v, 2, stores))  \
    VOP(v##letter##oxNei64, v, indexed(v, 3, stores))

WIDTHS(l, false)
WIDTHS(s, true)
VOP(vlNe8ff, v, first_only(v, 0))
VOP(vlNe16ff, v, first_only(v, 1))
VOP(vlNe32ff, v, first_only(v, 2))
VOP(vlNe64ff, v, first_only(v, 3))

/* ---- masks and whole registers: vl and vtype do not matter, or not as they are ---- */

static bool mask_access(struct vop *v, bool stores)
{
    unsigned bytes = (v->vl + 7) / 8;

    if (v->vill)
        return false;
    begin_access(v, stores);
    return stores ? store_row(v, v->h->s.x[v->rs1], 0, bytes)
                  : load_row(v, v->h->s.x[v->rs1], 0, bytes);
}

VOP(vlm, v, mask_access(v, false))
VOP(vsm, v, mask_access(v, true))

static bool whole(struct vop *v, int lmul, unsigned size, bool stores)
{
    unsigned count = vector_elements(v->vlenb, size, lmul);

    if (!vop_aligned(v->rd, lmul))
        return false;
    begin_access(v, stores);
    return stores ? store_row(v, v->h->s.x[v->rs1], size, count)
                  : load_row(v, v->h->s.x[v->rs1], size, count);
}

#define WHOLE(count, lmul)                            \
    VOP(vl##count##re8, v, whole(v, lmul, 0, false))  \
    VOP(vl##count##re16, v, whole(v, lmul, 1, false)) \
    VOP(vl##count##re32, v, whole(v, lmul, 2, false)) \
    VOP(vl##count##re64, v, whole(v, lmul, 3, false)) \
    VOP(vs##count##r, v, whole(v, lmul, 0, true))

WHOLE(1, 0)
WHOLE(2, 1)
WHOLE(4, 2)
WHOLE(8, 3)
