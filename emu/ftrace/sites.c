/*
 * sites.c - see sites.h.
 */
#include "ftrace/sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cpu/decode.h"
#include "load/image.h"
#include "load/symbols.h"

/* `mv a0,ra`, as GCC puts it before the call of _mcount: compressed and not. */
enum { C_MV_A0_RA = 0x8506, MV_A0_RA = 0x00008513, NOP = 0x00000013 };

/* Longer than any prologue: what is that far from its function's start is not looked at. */
enum { PROLOGUE_MAX = 256 };

struct site_table {
    VEC_OF(struct site) sites; /* by va */
    uint32_t *by_pa;           /* ids */
    uint64_t mcount;
};

/* ---- what the bytes mean ---- */

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

enum site_state site_state(const struct site_table *t, uint64_t va, const uint8_t bytes[SITE_BYTES],
                           uint64_t *target)
{
    struct insn auipc, jalr;
    uint64_t to;

    if (target)
        *target = 0;
    if (word_at(bytes) == NOP && word_at(bytes + 4) == NOP)
        return SITE_OFF;
    if (!insn_decode(word_at(bytes), &auipc) || !insn_decode(word_at(bytes + 4), &jalr) ||
        !insn_is_pair(&auipc, &jalr))
        return SITE_OTHER;
    to = pair_target(va, &auipc, &jalr);
    if (target)
        *target = to;
    return to == t->mcount ? SITE_INIT : SITE_ON;
}

const char *site_state_name(enum site_state state)
{
    static const char *const names[] = {"init", "off", "on", "other"};

    return names[state];
}

const char *site_kind_name(enum site_kind kind)
{
    static const char *const names[] = {"function", "ftrace_call", "ftrace_graph_call"};

    return names[kind];
}

/* ---- reading the image ---- */

/* Bytes at a virtual address, as the file has them; false: it has none there. */
static bool read_image(const struct image *im, uint64_t va, void *to, size_t len)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if (va < s->va || va - s->va >= s->file_size || len > s->file_size - (va - s->va))
            continue;
        memcpy(to, im->file.bytes + s->offset + (va - s->va), len);
        return true;
    }
    return false;
}

static bool is_text(const struct image *im, uint64_t va)
{
    for (size_t i = 0; i < im->text_count; i++)
        if (va >= im->texts[i].va && va - im->texts[i].va < im->texts[i].size &&
            SITE_BYTES <= im->texts[i].size - (va - im->texts[i].va))
            return true;
    return false;
}

/*
 * Whether the function sets a0 to ra on its straight way to the pair. GCC may
 * schedule prologue stores in between, so all of the way is looked at.
 */
static bool passes_ra(const struct image *im, uint64_t function, uint64_t va)
{
    bool passes = false;

    for (uint64_t at = function; at < va;) {
        struct insn i;
        uint32_t word = 0;

        if (va - at > PROLOGUE_MAX || !read_image(im, at, &word, va - at < 4 ? 2 : 4))
            return false;
        (void)!insn_decode(word, &i); /* what is no instruction has a size all the same */
        if (i.size == 2 ? (word & 0xffff) == C_MV_A0_RA : word == MV_A0_RA)
            passes = true;
        at += i.size;
    }
    return passes;
}

static bool add_site(struct site_table *t, const struct image *im, uint64_t va, enum site_kind kind,
                     const struct symbol *function)
{
    struct site s = {.va = va, .kind = kind, .function = function ? function->name : ""};

    if (va % 2 || !is_text(im, va) || !image_va_to_pa(im, va, &s.pa))
        return false;
    if (kind == SITE_FUNCTION && function)
        s.passes_ra = passes_ra(im, function->addr, va);
    VEC_PUSH(&t->sites, s);
    return true;
}

static void add_functions(struct site_table *t, const struct image *im,
                          const struct symbols *symbols, const struct diag *d)
{
    uint64_t at, stop, va;
    size_t refused = 0;

    if (!symbols_find(symbols, "__start_mcount_loc", &at) ||
        !symbols_find(symbols, "__stop_mcount_loc", &stop))
        return;
    if (stop < at || stop - at > im->file.size) {
        diag_warn(d, "%s: __mcount_loc is longer than the file; no sites", im->path);
        return;
    }
    for (; stop - at >= sizeof va; at += sizeof va) {
        if (!read_image(im, at, &va, sizeof va) ||
            !add_site(t, im, va, SITE_FUNCTION, symbols_function_at(symbols, va)))
            refused++;
    }
    if (refused)
        diag_warn(d, "%s: %zu entries of __mcount_loc do not lie in its text; left out", im->path,
                  refused);
}

static void add_trampoline(struct site_table *t, const struct image *im,
                           const struct symbols *symbols)
{
    static const struct symbol trace_call = {.name = "ftrace_call"};
    static const struct symbol graph_call = {.name = "ftrace_graph_call"};
    uint64_t va;

    if (symbols_find(symbols, trace_call.name, &va))
        (void)add_site(t, im, va, SITE_TRACE_CALL, &trace_call);
    if (symbols_find(symbols, graph_call.name, &va))
        (void)add_site(t, im, va, SITE_GRAPH_CALL, &graph_call);
}

/* ---- order and search ---- */

static int compare_va(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    return (x->va > y->va) - (x->va < y->va);
}

static int compare_pa(const void *a, const void *b, void *table)
{
    const struct site_table *t = table;
    uint64_t x = t->sites.at[*(const uint32_t *)a].pa;
    uint64_t y = t->sites.at[*(const uint32_t *)b].pa;

    return (x > y) - (x < y);
}

static void put_in_order(struct site_table *t)
{
    if (t->sites.len)
        qsort(t->sites.at, t->sites.len, sizeof *t->sites.at, compare_va);
    t->by_pa = xmalloc(t->sites.len * sizeof *t->by_pa);
    for (uint32_t i = 0; i < t->sites.len; i++)
        t->by_pa[i] = i;
    if (t->sites.len)
        qsort_r(t->by_pa, t->sites.len, sizeof *t->by_pa, compare_pa, t);
}

struct site_table *site_table_new(const struct image *im, const struct symbols *symbols,
                                  const struct diag *d)
{
    struct site_table *t = xcalloc(1, sizeof *t);

    (void)!symbols_find(symbols, "_mcount", &t->mcount);
    add_functions(t, im, symbols, d);
    add_trampoline(t, im, symbols);
    put_in_order(t);
    return t;
}

void site_table_free(struct site_table *t)
{
    if (!t)
        return;
    VEC_FREE(&t->sites);
    free(t->by_pa);
    free(t);
}

size_t site_count(const struct site_table *t)
{
    return t->sites.len;
}

const struct site *site_get(const struct site_table *t, uint32_t id)
{
    return &t->sites.at[id];
}

uint64_t site_mcount(const struct site_table *t)
{
    return t->mcount;
}

uint32_t site_find(const struct site_table *t, uint64_t pa, unsigned size)
{
    size_t low = 0, high = t->sites.len;

    /* The first site that ends behind pa. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->sites.at[t->by_pa[middle]].pa + SITE_BYTES <= pa)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == t->sites.len || t->sites.at[t->by_pa[low]].pa >= pa + size)
        return NO_SITE;
    return t->by_pa[low];
}
