/*
 * text_map.c - see text_map.h.
 */
#include "ftrace/kernel/text_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"
#include "ftrace/kernel/image_labels.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/ram.h"

struct range {
    uint64_t pa, va, size;
};

/* Of the image, at its own virtual addresses. */
struct image_part {
    uint64_t va, size;
};

struct text_map {
    VEC_OF(struct range) ranges;
    VEC_OF(struct image_part) data;
    struct image_labels *labels;
    struct map added; /* half of the physical address of a module's jump label -> its virtual one */
    VEC_OF(struct text_area) areas; /* in ascending order of address; they do not overlap */
    struct map pages; /* number of a physical page of an area -> of its virtual page */
    struct map by_va; /* and the other way */
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

static void add_data_of_segments(struct text_map *m, const struct image *im)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if (!(s->flags & IMAGE_X))
            VEC_PUSH(&m->data, ((struct image_part){s->va, s->mem_size}));
    }
}

static void add_data_of_symbols(struct text_map *m, const struct symbols *symbols)
{
    static const char *const bounds[][2] = {{"__start_rodata", "__end_rodata"},
                                            {"_sdata", "_edata"}};
    uint64_t start, end;

    for (unsigned i = 0; i < ARRAY_LEN(bounds); i++)
        if (symbols_find(symbols, bounds[i][0], &start) &&
            symbols_find(symbols, bounds[i][1], &end) && end > start)
            VEC_PUSH(&m->data, ((struct image_part){start, end - start}));
}

struct text_map *text_map_new(const struct image *im, const struct symbols *symbols)
{
    struct text_map *m = xcalloc(1, sizeof *m);

    m->is_exact = add_kernels_text(m, im, symbols);
    for (size_t i = 0; !m->is_exact && i < im->text_count; i++)
        add_range(m, im->texts[i].pa, im->texts[i].va, im->texts[i].size);
    if (im->kind == IMAGE_ELF)
        add_data_of_segments(m, im);
    else
        add_data_of_symbols(m, symbols);
    m->labels = image_labels_new(im, symbols);
    return m;
}

void text_map_free(struct text_map *m)
{
    if (!m)
        return;
    VEC_FREE(&m->ranges);
    VEC_FREE(&m->data);
    image_labels_free(m->labels);
    map_free(&m->added);
    VEC_FREE(&m->areas);
    map_free(&m->pages);
    map_free(&m->by_va);
    free(m);
}

const struct image_labels *text_map_labels(const struct text_map *m)
{
    return m->labels;
}

/* ---- areas ---- */

/* The number of areas that begin before the address. */
static size_t areas_before(const struct text_map *m, uint64_t va)
{
    return PARTITION_POINT(i, m->areas.len, m->areas.at[i].va < va);
}

static const struct text_area *area_at(const struct text_map *m, uint64_t va)
{
    size_t i = va == UINT64_MAX ? m->areas.len : areas_before(m, va + 1);
    const struct text_area *a = i ? &m->areas.at[i - 1] : NULL;

    return a && va - a->va < a->size ? a : NULL;
}

static uint64_t first_page(const struct text_area *a)
{
    return a->va / PAGE_BYTES;
}

static uint64_t last_page(const struct text_area *a)
{
    return (a->va + a->size - 1) / PAGE_BYTES;
}

static bool is_page_used(const struct text_map *m, uint64_t page)
{
    size_t i = areas_before(m, (page + 1) * PAGE_BYTES);

    return i && last_page(&m->areas.at[i - 1]) >= page;
}

static void map_page(struct text_map *m, uint64_t va_page, uint64_t pa_page)
{
    uint64_t old;

    if (map_get(&m->by_va, va_page, &old))
        map_remove(&m->pages, old);
    if (map_get(&m->pages, pa_page, &old))
        map_remove(&m->by_va, old);
    map_put(&m->pages, pa_page, va_page);
    map_put(&m->by_va, va_page, pa_page);
}

static void unmap_page(struct text_map *m, uint64_t va_page)
{
    uint64_t pa_page;

    if (!map_get(&m->by_va, va_page, &pa_page))
        return;
    map_remove(&m->by_va, va_page);
    map_remove(&m->pages, pa_page);
}

static void remove_area(struct text_map *m, size_t i)
{
    struct text_area a = m->areas.at[i];

    memmove(&m->areas.at[i], &m->areas.at[i + 1], (m->areas.len - 1 - i) * sizeof a);
    m->areas.len--;
    for (uint64_t page = first_page(&a); page <= last_page(&a); page++)
        if (!is_page_used(m, page))
            unmap_page(m, page);
}

/* Takes out areas that have a byte of this one: their memory is another's now. */
static void remove_overlapping(struct text_map *m, const struct text_area *area)
{
    for (size_t i = areas_before(m, area->va + area->size);
         i && m->areas.at[i - 1].va + m->areas.at[i - 1].size > area->va; i--)
        remove_area(m, i - 1);
}

void text_map_add_area(struct text_map *m, const struct text_area *area, const uint64_t *pages)
{
    size_t i;

    remove_overlapping(m, area);
    for (uint64_t page = first_page(area); page <= last_page(area); page++)
        map_page(m, page, pages[page - first_page(area)] / PAGE_BYTES);
    i = areas_before(m, area->va);
    VEC_PUSH(&m->areas, *area);
    memmove(&m->areas.at[i + 1], &m->areas.at[i], (m->areas.len - 1 - i) * sizeof *area);
    m->areas.at[i] = *area;
}

void text_map_remove_areas(struct text_map *m, uint64_t owner, uint64_t start, uint64_t end)
{
    for (size_t i = areas_before(m, start); i < m->areas.len && m->areas.at[i].va < end;)
        if (m->areas.at[i].owner == owner)
            remove_area(m, i);
        else
            i++;
}

size_t text_map_area_count(const struct text_map *m)
{
    return m->areas.len;
}

const struct text_area *text_map_area(const struct text_map *m, size_t i)
{
    return &m->areas.at[i];
}

/* The virtual address of a byte of an area; 0: it is in none. */
static uint64_t area_va(const struct text_map *m, uint64_t pa)
{
    uint64_t page, va;

    if (!m->areas.len || !map_get(&m->pages, pa / PAGE_BYTES, &page))
        return 0;
    va = page * PAGE_BYTES + pa % PAGE_BYTES;
    return area_at(m, va) ? va : 0;
}

bool text_map_range(const struct text_map *m, size_t i, uint64_t *va, uint64_t *size)
{
    if (i >= m->ranges.len)
        return false;
    *va = m->ranges.at[i].va;
    *size = m->ranges.at[i].size;
    return true;
}

enum text_kind text_map_find(const struct text_map *m, uint64_t va, uint64_t *pa)
{
    const struct text_area *a;
    uint64_t page;

    for (size_t i = 0; i < m->ranges.len; i++)
        if (va - m->ranges.at[i].va < m->ranges.at[i].size) {
            *pa = m->ranges.at[i].pa + (va - m->ranges.at[i].va);
            return TEXT_IMAGE;
        }
    a = m->areas.len && map_get(&m->by_va, va / PAGE_BYTES, &page) ? area_at(m, va) : NULL;
    if (!a)
        return TEXT_NONE;
    *pa = page * PAGE_BYTES + va % PAGE_BYTES;
    return a->kind;
}

static bool range_has(const struct range *r, uint64_t pa, uint64_t size)
{
    return pa >= r->pa && pa - r->pa <= r->size && size <= r->size - (pa - r->pa);
}

static const struct range *range_with(const struct text_map *m, uint64_t pa, uint64_t size)
{
    for (size_t i = 0; i < m->ranges.len; i++)
        if (range_has(&m->ranges.at[i], pa, size))
            return &m->ranges.at[i];
    return NULL;
}

/* The label of a module that has a byte in [pa, pa + size); 0: none. */
static uint64_t added_label(const struct text_map *m, uint64_t pa, unsigned size)
{
    uint64_t ignored;

    for (uint64_t at = (pa - JUMP_LABEL_BYTES + 2) & ~UINT64_C(1); at < pa + size; at += 2)
        if (map_get(&m->added, at / 2, &ignored))
            return at;
    return 0;
}

bool text_map_has(const struct text_map *m, uint64_t pa, uint64_t size)
{
    uint64_t label;

    if (range_with(m, pa, size) || (area_va(m, pa) && area_va(m, pa + size - 1)))
        return true;
    label = size <= JUMP_LABEL_BYTES ? added_label(m, pa, (unsigned)size) : 0;
    return label && pa >= label && pa + size <= label + JUMP_LABEL_BYTES;
}

uint64_t text_map_va(const struct text_map *m, uint64_t pa)
{
    const struct range *r = range_with(m, pa, 1);
    uint64_t label, va;

    if (r)
        return r->va + (pa - r->pa);
    label = added_label(m, pa, 1);
    return label && map_get(&m->added, label / 2, &va) ? va + (pa - label) : area_va(m, pa);
}

bool text_map_is_data(const struct text_map *m, uint64_t va, uint64_t size)
{
    for (size_t i = 0; i < m->data.len; i++) {
        const struct image_part *d = &m->data.at[i];

        if (va >= d->va && va - d->va <= d->size && size <= d->size - (va - d->va))
            return true;
    }
    return false;
}

bool text_map_is_exact(const struct text_map *m)
{
    return m->is_exact;
}

uint64_t text_map_jump_label(const struct text_map *m, uint64_t pa, unsigned size)
{
    size_t label = image_labels_find(m->labels, pa, size);

    return label != SIZE_MAX ? image_labels_pa(m->labels, label) : added_label(m, pa, size);
}

uint64_t text_map_module_label(const struct text_map *m, uint64_t pa, unsigned size)
{
    return added_label(m, pa, size);
}
