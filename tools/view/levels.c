/*
 * levels.c - see levels.h.
 */
#include "levels.h"

#include "base/search.h"

/* Neighbours whose cover differs by less than this become one cell. */
enum { COVER_STEP = 12, FEW_CELLS = 256 };

static void push(struct cells *c, uint64_t at, uint64_t len, uint32_t what, uint64_t cover)
{
    struct cell *last = c->run.len ? &c->run.at[c->run.len - 1] : NULL;

    cover = cover > COVER_FULL ? COVER_FULL : cover < 1 ? 1 : cover;
    if (last && last->what == what && (uint64_t)last->at + last->len == at &&
        last->cover + COVER_STEP > cover && cover + COVER_STEP > last->cover) {
        last->len += (uint32_t)len;
        return;
    }
    VEC_PUSH(&c->run, ((struct cell){(uint32_t)at, (uint32_t)len, what, (uint32_t)cover}));
}

/* `full' is what covers a whole bucket. */
static void flush(struct cells *to, struct bucket *b, uint64_t full)
{
    if (b->covered)
        push(to, b->at, 1, b->what, b->covered * COVER_FULL / full);
    b->covered = b->weight = 0;
}

/* The one with most of the bucket wins, if it has the half of it; else one of the larger ones. */
static void cover(struct cells *to, struct bucket *b, uint64_t full, uint64_t at, uint64_t weight,
                  uint32_t what)
{
    if (b->at != at)
        flush(to, b, full);
    b->at = at;
    b->covered += weight;
    if (b->what == what) {
        b->weight += weight;
    } else if (b->weight >= weight) {
        b->weight -= weight;
    } else {
        b->weight = weight - b->weight;
        b->what = what;
    }
}

void levels_add(struct levels *l, struct level_pool *p, uint64_t from, uint64_t to, uint32_t what)
{
    uint64_t full = UINT64_C(1) << p->shift, first, last;
    struct cells *base = &l->level[0];
    size_t before = base->run.len;

    from = from < l->end ? l->end : from;
    if (to <= from)
        return;
    l->end = to;
    first = from >> p->shift;
    last = (to - 1) >> p->shift;
    if (first == last) {
        cover(base, &l->bucket, full, first, to - from, what);
    } else {
        cover(base, &l->bucket, full, first, ((first + 1) << p->shift) - from, what);
        flush(base, &l->bucket, full);
        if (last > first + 1)
            push(base, first + 1, last - first - 1, what, COVER_FULL);
        cover(base, &l->bucket, full, last, to - (last << p->shift), what);
    }
    p->cells += base->run.len - before;
}

/* The cells of `from' in buckets that are 2^shift times as long. */
static void reduce(const struct cells *from, struct cells *to, unsigned shift)
{
    uint64_t full = (uint64_t)COVER_FULL << shift;
    struct bucket b = {0};

    for (size_t i = 0; i < from->run.len; i++) {
        const struct cell *c = &from->run.at[i];
        uint64_t at = c->at, end = at + c->len;
        uint64_t first = at >> shift, last = (end - 1) >> shift;

        if (first == last) {
            cover(to, &b, full, first, c->len * (uint64_t)c->cover, c->what);
            continue;
        }
        cover(to, &b, full, first, (((first + 1) << shift) - at) * c->cover, c->what);
        flush(to, &b, full);
        if (last > first + 1)
            push(to, first + 1, last - first - 1, c->what, c->cover);
        cover(to, &b, full, last, (end - (last << shift)) * c->cover, c->what);
    }
    flush(to, &b, full);
}

void levels_coarsen(struct levels *l, struct level_pool *p)
{
    struct cells new = {0};
    uint64_t full = UINT64_C(1) << p->shift;
    struct bucket b = l->bucket;

    reduce(&l->level[0], &new, 1);
    p->cells -= l->level[0].run.len;
    p->cells += new.run.len;
    VEC_FREE(&l->level[0].run);
    l->level[0] = new;
    l->bucket = (struct bucket){.at = b.at >> 1};
    if (!b.covered)
        return;
    /* Its other half may be in the last cell already; it takes that over. */
    if (new.run.len) {
        struct cell *last = &l->level[0].run.at[new.run.len - 1];

        if ((uint64_t)last->at + last->len == l->bucket.at + 1) {
            l->bucket.covered = l->bucket.weight = full * 2 * last->cover / COVER_FULL;
            l->bucket.what = last->what;
            if (!--last->len) {
                l->level[0].run.len--;
                p->cells--;
            }
        }
    }
    cover(&l->level[0], &l->bucket, full * 2, b.at >> 1, b.covered, b.what);
}

void levels_finish(struct levels *l, const struct level_pool *p)
{
    (void)p;
    for (unsigned i = 1; i < l->count; i++)
        VEC_FREE(&l->level[i].run);
    l->count = 1;
    while (l->count < LEVELS_MAX && l->level[l->count - 1].run.len > FEW_CELLS) {
        reduce(&l->level[l->count - 1], &l->level[l->count], LEVEL_SHIFT);
        l->count++;
    }
}

void levels_free(struct levels *l)
{
    for (unsigned i = 0; i < LEVELS_MAX; i++)
        VEC_FREE(&l->level[i].run);
}

size_t cells_find(const struct cells *c, uint64_t bucket)
{
    return PARTITION_POINT(i, c->run.len, (uint64_t)c->run.at[i].at + c->run.at[i].len <= bucket);
}
