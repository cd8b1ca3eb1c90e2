/*
 * text_map.c - see text_map.h.
 */
#include "ftrace/kernel/text_map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "ftrace/kernel/jump_table.h"
#include "load/image.h"
#include "load/symbols.h"

struct range {
    uint64_t pa, va, size;
};

struct text_map {
    VEC_OF(struct range) ranges;
    struct map labels; /* half of the physical address of a jump label of the image -> 0 */
    struct map added;  /* the same of a module -> the virtual address */
    bool is_exact;
};

void text_map_add_label(struct text_map *m, uint64_t va, uint64_t pa)
{
    map_put(&m->added, pa / 2, va);
}

void text_map_remove_label(struct text_map *m, uint64_t pa)
{
    map_remove(&m->added, pa / 2);
}

static void add_label(void *ctx, const struct jump_place *place)
{
    struct text_map *m = ctx;

    map_put(&m->labels, place->pa / 2, 0);
}

static void add_range(struct text_map *m, uint64_t pa, uint64_t va, uint64_t size)
{
    const struct range r = {pa, va, size};

    VEC_PUSH(&m->ranges, r);
}

/* Finds the text by the kernel's symbols; false: it has none. */
static bool add_kernels_text(struct text_map *m, const struct image *im,
                             const struct symbols *symbols)
{
    uint64_t start, end, pa;

    if (!symbols_find(symbols, "_stext", &start) || !symbols_find(symbols, "_etext", &end) ||
        end <= start || !image_va_to_pa(im, start, &pa))
        return false;
    add_range(m, pa, start, end - start);
    return true;
}

struct text_map *text_map_new(const struct image *im, const struct symbols *symbols)
{
    struct text_map *m = xcalloc(1, sizeof *m);

    m->is_exact = add_kernels_text(m, im, symbols);
    for (size_t i = 0; !m->is_exact && i < im->text_count; i++)
        add_range(m, im->texts[i].pa, im->texts[i].va, im->texts[i].size);
    jump_table_read(im, symbols, add_label, m);
    return m;
}

void text_map_free(struct text_map *m)
{
    if (!m)
        return;
    VEC_FREE(&m->ranges);
    map_free(&m->labels);
    map_free(&m->added);
    free(m);
}

static const struct range *range_with(const struct text_map *m, uint64_t pa, uint64_t size)
{
    for (size_t i = 0; i < m->ranges.len; i++) {
        const struct range *r = &m->ranges.at[i];

        if (pa >= r->pa && pa - r->pa <= r->size && size <= r->size - (pa - r->pa))
            return r;
    }
    return NULL;
}

/* The label that has a byte in [pa, pa + size); 0: none. */
static uint64_t label_in(const struct map *labels, uint64_t pa, unsigned size)
{
    uint64_t ignored;

    for (uint64_t at = (pa - JUMP_LABEL_BYTES + 2) & ~UINT64_C(1); at < pa + size; at += 2)
        if (map_get(labels, at / 2, &ignored))
            return at;
    return 0;
}

bool text_map_has(const struct text_map *m, uint64_t pa, uint64_t size)
{
    uint64_t label;

    if (range_with(m, pa, size))
        return true;
    label = size <= JUMP_LABEL_BYTES ? label_in(&m->added, pa, (unsigned)size) : 0;
    return label && pa >= label && pa + size <= label + JUMP_LABEL_BYTES;
}

uint64_t text_map_va(const struct text_map *m, uint64_t pa)
{
    const struct range *r = range_with(m, pa, 1);
    uint64_t label, va;

    if (r)
        return r->va + (pa - r->pa);
    label = label_in(&m->added, pa, 1);
    return label && map_get(&m->added, label / 2, &va) ? va + (pa - label) : 0;
}

bool text_map_is_exact(const struct text_map *m)
{
    return m->is_exact;
}

uint64_t text_map_jump_label(const struct text_map *m, uint64_t pa, unsigned size)
{
    uint64_t label = label_in(&m->labels, pa, size);

    return label ? label : label_in(&m->added, pa, size);
}

uint64_t text_map_module_label(const struct text_map *m, uint64_t pa, unsigned size)
{
    return label_in(&m->added, pa, size);
}
