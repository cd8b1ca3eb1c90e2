/*
 * image_labels.c - see image_labels.h.
 */
#include "ftrace/kernel/image_labels.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"
#include "load/image.h"

struct label {
    uint64_t pa;
    uint64_t entry; /* the address of its entry */
};

struct image_labels {
    const struct image *image;
    VEC_OF(struct label) labels;
};

static void add(void *ctx, const struct jump_place *place)
{
    struct image_labels *l = ctx;

    VEC_PUSH(&l->labels, ((struct label){place->pa, place->entry}));
}

static int compare(const void *a, const void *b)
{
    const struct label *x = a, *y = b;

    return x->pa != y->pa ? (x->pa > y->pa) - (x->pa < y->pa)
                          : (x->entry > y->entry) - (x->entry < y->entry);
}

static void drop_repeated(struct image_labels *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->labels.len; i++)
        if (!kept || l->labels.at[i].pa != l->labels.at[kept - 1].pa)
            l->labels.at[kept++] = l->labels.at[i];
    l->labels.len = kept;
}

struct image_labels *image_labels_new(const struct image *im, const struct symbols *symbols)
{
    struct image_labels *l = xcalloc(1, sizeof *l);

    l->image = im;
    VEC_RESERVE_EXACTLY(&l->labels, jump_table_length(im, symbols));
    jump_table_read(im, symbols, add, l);
    sort_unless_sorted(l->labels.at, l->labels.len, sizeof *l->labels.at, compare);
    drop_repeated(l);
    return l;
}

void image_labels_free(struct image_labels *l)
{
    if (!l)
        return;
    VEC_FREE(&l->labels);
    free(l);
}

size_t image_labels_count(const struct image_labels *l)
{
    return l->labels.len;
}

size_t image_labels_from(const struct image_labels *l, uint64_t pa)
{
    return PARTITION_POINT(i, l->labels.len, l->labels.at[i].pa < pa);
}

uint64_t image_labels_pa(const struct image_labels *l, size_t i)
{
    return l->labels.at[i].pa;
}

struct jump_place image_labels_get(const struct image_labels *l, size_t i)
{
    const struct label *label = &l->labels.at[i];
    struct jump_place place;
    struct jump_entry e;
    bool there = image_read(l->image, label->entry, &e, sizeof e);

    assert(there); /* it was read before */
    (void)there;
    place = jump_entry_place(&e, label->entry);
    place.pa = label->pa;
    return place;
}

size_t image_labels_find(const struct image_labels *l, uint64_t pa, unsigned size)
{
    size_t i = image_labels_from(l, (pa - JUMP_LABEL_BYTES + 2) & ~UINT64_C(1));

    return i < l->labels.len && l->labels.at[i].pa < pa + size ? i : SIZE_MAX;
}
