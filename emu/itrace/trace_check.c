/*
 * trace_check.c - see trace_check.h.
 */
#include "itrace/trace_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "itrace/commit_line.h"
#include "itrace/trace_pages.h"
#include "load/image.h"

enum { PLACES_MAX = 100 * 1000, HARTS = 4096, CSR_SATP = 0x180, FENCE_I = 0x100f };

struct trace_hart {
    bool seen;
    uint64_t fence; /* line of its last fence.i */
    uint64_t satp;
};

struct trace_check {
    const struct image *image;
    struct trace_memory *memory;
    struct trace_pages *pages;
    VEC_OF(struct trace_hart) harts;
    VEC_OF(struct trace_place) places;
    struct map place_at; /* hash of pc, word, hart and verdict -> number */
    struct trace_check_counts counts;
    uint64_t first_pc;
};

struct trace_check *trace_check_new(const struct image *im)
{
    struct trace_check *c = xcalloc(1, sizeof *c);

    c->image = im;
    c->memory = trace_memory_new();
    c->pages = trace_pages_new(c->memory);
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        trace_memory_fill(c->memory, s->pa + s->file_size, NULL, s->mem_size - s->file_size);
        trace_memory_fill(c->memory, s->pa, im->file.bytes + s->offset, s->file_size);
    }
    return c;
}

void trace_check_free(struct trace_check *c)
{
    trace_pages_free(c->pages);
    trace_memory_free(c->memory);
    VEC_FREE(&c->harts);
    VEC_FREE(&c->places);
    map_free(&c->place_at);
    free(c);
}

static struct trace_hart *hart_of(struct trace_check *c, unsigned number)
{
    struct trace_hart *h;

    while (c->harts.len <= number)
        VEC_PUSH(&c->harts, (struct trace_hart){.seen = false});
    h = &c->harts.at[number];
    if (!h->seen)
        c->counts.harts++;
    h->seen = true;
    return h;
}

/*
 * By the page tables of the trace; if these are not known, as the image has it: a trace may begin
 * when translation is on already.
 */
static bool translate(struct trace_check *c, const struct trace_hart *h, unsigned mode, uint64_t va,
                      uint64_t *pa)
{
    *pa = va;
    if (mode == 3)
        return true;
    if (!h->satp && !image_covers(c->image, va) && image_va_to_pa(c->image, va, pa))
        return true;
    if (trace_pages_walk(c->pages, h->satp, va, pa))
        return true;
    if (image_va_to_pa(c->image, va, pa))
        return true;
    c->counts.not_translated++;
    return false;
}

/* ---- verdicts ---- */

/* What a parcel can be that was fetched. */
struct parcel_search {
    uint16_t value;
    uint64_t since; /* line of the fence */
    bool fresh, unknown;
    VEC_OF(struct trace_version) found; /* that the hart may still have */
    struct trace_version gone;          /* the newest that it may not have; from > gone: none */
    bool has_gone;
};

static void look_at(void *search, const struct trace_version *v)
{
    struct parcel_search *s = search;
    bool may_have = v->gone > s->since;

    if (!v->known)
        s->unknown |= may_have;
    else if (v->value == s->value && may_have)
        VEC_PUSH(&s->found, *v);
    else if (v->value == s->value && !s->has_gone) {
        s->has_gone = true;
        s->gone = *v;
    }
    s->fresh |= v->known && v->value == s->value && v->gone == UINT64_MAX;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether there was a moment, since the fence, at which both were there. */
static bool are_of_one_moment(const struct parcel_search *a, const struct parcel_search *b)
{
    for (size_t i = 0; i < a->found.len; i++)
        for (size_t k = 0; k < b->found.len; k++) {
            const struct trace_version *x = &a->found.at[i], *y = &b->found.at[k];

            if (later(x->from, y->from) < (x->gone < y->gone ? x->gone : y->gone))
                return true;
        }
    return false;
}

/* The store after which the parcel is stale. */
static struct trace_store store_of(const struct parcel_search *s)
{
    if (s->fresh)
        return (struct trace_store){0};
    return s->found.len ? s->found.at[0].end : s->gone.end;
}

static enum verdict judge(const struct parcel_search *s, unsigned count, bool aligned)
{
    bool fresh = true, found = true, unknown = false, gone = false;

    for (unsigned i = 0; i < count; i++) {
        fresh &= s[i].fresh;
        found &= s[i].found.len > 0;
        unknown |= s[i].unknown && !s[i].found.len;
        gone |= s[i].has_gone && !s[i].found.len;
    }
    if (fresh)
        return VERDICT_FRESH;
    if (unknown)
        return VERDICT_UNKNOWN;
    if (found && count == 2 && aligned && !are_of_one_moment(&s[0], &s[1]))
        return s[0].unknown || s[1].unknown ? VERDICT_UNKNOWN : VERDICT_TORN;
    if (found)
        return VERDICT_STALE;
    for (unsigned i = 0; i < count; i++)
        if (!s[i].found.len && !s[i].has_gone)
            return VERDICT_NEVER;
    return gone ? VERDICT_FENCED : VERDICT_NEVER;
}

static void add_place(struct trace_check *c, const struct trace_place *p)
{
    uint64_t key = (p->pc * UINT64_C(0x9e3779b97f4a7c15)) ^
                   ((uint64_t)p->fetched * UINT64_C(0xff51afd7ed558ccd)) ^
                   ((uint64_t)p->hart << 8 | (uint64_t)p->verdict);
    uint64_t number;

    key &= ~(UINT64_C(1) << 63);
    if (map_get(&c->place_at, key, &number)) {
        c->places.at[number].count++;
        return;
    }
    if (c->places.len == PLACES_MAX) {
        c->counts.left_out++;
        return;
    }
    map_put(&c->place_at, key, c->places.len);
    VEC_PUSH(&c->places, *p);
}

/* Most fetches are of what memory has. */
static bool is_fresh(const struct trace_check *c, uint64_t pa, uint32_t word, unsigned size)
{
    uint32_t now = 0;

    return trace_memory_read(c->memory, pa, &now, size) && now == word;
}

static void check_fetch(struct trace_check *c, const struct trace_hart *h,
                        const struct commit_line *head, const uint64_t pa[2])
{
    struct parcel_search s[2] = {{0}};
    unsigned count = head->size / 2;
    bool aligned = head->pc % 4 == 0;
    struct trace_place place = {.hart = head->hart,
                                .size = head->size,
                                .pc = head->pc,
                                .pa = pa[0],
                                .fetched = head->word,
                                .line = c->counts.lines,
                                .count = 1,
                                .fence = h->fence};

    for (unsigned i = 0; i < count; i++) {
        uint16_t now = 0;
        bool known = trace_memory_read(c->memory, pa[i], &now, 2);

        s[i].value = (uint16_t)(head->word >> 16 * i);
        s[i].since = h->fence;
        trace_memory_versions(c->memory, pa[i], look_at, &s[i]);
        if (!known)
            trace_memory_learn(c->memory, pa[i], s[i].value);
        place.memory |= (uint32_t)(known ? now : 0) << 16 * i;
        if (!s[i].fresh)
            place.store = store_of(&s[i]);
    }
    place.verdict = judge(s, count, aligned);
    c->counts.verdicts[place.verdict]++;
    if (place.verdict != VERDICT_FRESH)
        add_place(c, &place);
    for (unsigned i = 0; i < count; i++)
        VEC_FREE(&s[i].found);
}

static void take_fetch(struct trace_check *c, const struct trace_hart *h,
                       const struct commit_line *head)
{
    uint64_t pa[2] = {0};

    for (unsigned i = 0; i < head->size / 2; i++)
        if (i && (head->pc & 4095) != 4094)
            pa[i] = pa[0] + 2;
        else if (!translate(c, h, head->mode, head->pc + 2 * i, &pa[i])) {
            c->counts.verdicts[VERDICT_UNKNOWN]++;
            return;
        }
    trace_memory_is_code(c->memory, pa[0]);
    if ((head->size == 2 || pa[1] == pa[0] + 2) && is_fresh(c, pa[0], head->word, head->size))
        c->counts.verdicts[VERDICT_FRESH]++;
    else
        check_fetch(c, h, head, pa);
}

/* ---- effects ---- */

static void take_store(struct trace_check *c, const struct trace_hart *h,
                       const struct commit_line *head, const struct commit_item *item)
{
    const struct trace_store by = {.time = c->counts.lines, .pc = head->pc, .hart = head->hart};
    unsigned first = item->size;
    uint64_t pa;

    c->counts.stores++;
    if ((item->va & 4095) + item->size > 4096)
        first = 4096 - (unsigned)(item->va & 4095);
    for (unsigned done = 0; done < item->size;) {
        unsigned part = done ? item->size - first : first;

        if (translate(c, h, head->mode, item->va + done, &pa)) {
            trace_pages_stored(c->pages, pa);
            trace_memory_store(c->memory, pa, part, item->value >> 8 * done, &by);
        }
        done += part;
    }
}

/* `core   1: >>>>  fence.i': firmware has executed it for the hart. */
static void take_note(struct trace_check *c, const char *line)
{
    unsigned hart;
    int end = 0;

    if (sscanf(line, "core %u: >>>> fence.i%n", &hart, &end) == 1 && end && hart < HARTS) {
        hart_of(c, hart)->fence = c->counts.lines;
        c->counts.fences++;
    }
}

void trace_check_line(struct trace_check *c, const char *line)
{
    struct commit_line head;
    struct commit_item item;
    struct trace_hart *h;
    const char *rest;

    c->counts.lines++;
    if (!commit_read(line, &head, &rest) || head.hart >= HARTS) {
        if (!strncmp(line, "core", 4))
            take_note(c, line);
        return;
    }
    h = hart_of(c, head.hart);
    if (!c->counts.insns++)
        c->first_pc = head.pc;
    take_fetch(c, h, &head);
    while (commit_next(&rest, &item)) {
        if (item.kind == COMMIT_STORE)
            take_store(c, h, &head, &item);
        else if (item.kind == COMMIT_CSR && item.number == CSR_SATP)
            h->satp = item.value;
    }
    if (head.size == 4 && (head.word & 0x707f) == FENCE_I) {
        h->fence = c->counts.lines;
        c->counts.fences++;
    }
}

struct trace_check_counts trace_check_counts(const struct trace_check *c)
{
    struct trace_check_counts counts = c->counts;

    counts.left_out += trace_memory_left_out(c->memory);
    return counts;
}

size_t trace_check_places(const struct trace_check *c, const struct trace_place **places)
{
    *places = c->places.at;
    return c->places.len;
}

bool trace_check_first(const struct trace_check *c, uint64_t *pc)
{
    *pc = c->first_pc;
    return c->counts.insns > 0;
}
