/*
 * text_map.c - see text_map.h.
 */
#include "ftrace/text_map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "ftrace/jump_table.h"
#include "load/image.h"
#include "load/symbols.h"

struct range {
    uint64_t pa, va, size;
};

struct text_map {
    VEC_OF(struct range) ranges;
    struct map labels; /* half of the physical address of a jump label -> 0 */
    bool is_exact;
};

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

/* By the kernel's symbols; false: it has none. */
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

bool text_map_has(const struct text_map *m, uint64_t pa, uint64_t size)
{
    return range_with(m, pa, size) != NULL;
}

uint64_t text_map_va(const struct text_map *m, uint64_t pa)
{
    const struct range *r = range_with(m, pa, 1);

    return r ? r->va + (pa - r->pa) : 0;
}

bool text_map_is_exact(const struct text_map *m)
{
    return m->is_exact;
}

uint64_t text_map_jump_label(const struct text_map *m, uint64_t pa, unsigned size)
{
    uint64_t ignored;

    for (uint64_t at = (pa - JUMP_LABEL_BYTES + 2) & ~UINT64_C(1); at < pa + size; at += 2)
        if (map_get(&m->labels, at / 2, &ignored))
            return at;
    return 0;
}
