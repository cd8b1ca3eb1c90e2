/*
 * trace_memory.c - see trace_memory.h.
 *
 * Most stores are to data, of which nothing will be fetched. So a parcel keeps its last
 * VERSIONS_OF_DATA contents, and more only in pages from which code was fetched. Contents that come
 * again are one version, from the first time on to the last: this permits more fetches, not fewer.
 */
#include "itrace/trace_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"

enum {
    PAGE_SHIFT = 12,
    PAGE = 1 << PAGE_SHIFT,
    PARCELS = PAGE / 2,
    VERSIONS_OF_DATA = 4,
    VERSIONS_OF_CODE = 1000,
};

/* The former contents of a parcel, the oldest first. */
struct history {
    VEC_OF(struct trace_version) at;
    uint64_t lost; /* when the last one had gone of those that were left out; 0: none was */
};

struct page {
    uint8_t bytes[PAGE];
    uint8_t known[PAGE]; /* 1: the byte is */
    bool code;
    uint64_t left_out;
    struct history *old; /* by parcel; NULL: nothing of the page was changed */
};

struct trace_memory {
    struct map pages; /* by number */
    uint64_t left_out;
    uint64_t last_number; /* the page that was asked for last */
    struct page *last;    /* NULL: none was */
};

struct trace_memory *trace_memory_new(void)
{
    return xcalloc(1, sizeof(struct trace_memory));
}

void trace_memory_free(struct trace_memory *m)
{
    size_t count;
    uint64_t *numbers = map_keys(&m->pages, &count);

    for (size_t i = 0; i < count; i++) {
        struct page *p = map_get_ptr(&m->pages, numbers[i]);

        for (unsigned n = 0; p->old && n < PARCELS; n++)
            VEC_FREE(&p->old[n].at);
        free(p->old);
        free(p);
    }
    free(numbers);
    map_free(&m->pages);
    free(m);
}

static const struct page *find_page(const struct trace_memory *m, uint64_t pa)
{
    uint64_t number = pa >> PAGE_SHIFT;

    return m->last && m->last_number == number ? m->last : map_get_ptr(&m->pages, number);
}

static struct page *page_at(struct trace_memory *m, uint64_t pa)
{
    uint64_t number = pa >> PAGE_SHIFT;
    struct page *p;

    if (m->last && m->last_number == number)
        return m->last;
    p = map_get_ptr(&m->pages, number);
    if (!p) {
        p = xcalloc(1, sizeof *p);
        map_put_ptr(&m->pages, number, p);
    }
    m->last = p;
    m->last_number = number;
    return p;
}

void trace_memory_fill(struct trace_memory *m, uint64_t pa, const uint8_t *bytes, size_t size)
{
    while (size) {
        size_t at = pa % PAGE, part = size < PAGE - at ? size : PAGE - at;
        struct page *p = page_at(m, pa);

        if (bytes)
            memcpy(p->bytes + at, bytes, part);
        else
            memset(p->bytes + at, 0, part);
        memset(p->known + at, 1, part);
        bytes = bytes ? bytes + part : NULL;
        pa += part;
        size -= part;
    }
}

static uint16_t value_at(const struct page *p, unsigned at)
{
    uint16_t value;

    memcpy(&value, p->bytes + at, 2);
    return value;
}

static bool is_known(const struct page *p, unsigned at)
{
    return p->known[at] && p->known[at + 1];
}

/* The present contents, since the newest of the former ones have gone. */
static struct trace_version present(const struct page *p, unsigned at)
{
    const struct history *h = p->old ? &p->old[at / 2] : NULL;

    return (struct trace_version){.from = h && h->at.len ? h->at.at[h->at.len - 1].gone : 0,
                                  .gone = UINT64_MAX,
                                  .value = value_at(p, at),
                                  .known = is_known(p, at)};
}

/* Takes out the version with these contents; from: since when they were there first. */
static void take_equal(struct history *h, struct trace_version *v)
{
    for (size_t i = 0; i < h->at.len; i++) {
        const struct trace_version *other = &h->at.at[i];

        if (other->value != v->value || other->known != v->known)
            continue;
        v->from = other->from;
        memmove(&h->at.at[i], &h->at.at[i + 1], (h->at.len - i - 1) * sizeof *other);
        h->at.len--;
        return;
    }
}

static void keep_version(struct trace_memory *m, struct page *p, struct trace_version v,
                         unsigned at)
{
    struct history *h;
    size_t most = p->code ? VERSIONS_OF_CODE : VERSIONS_OF_DATA;

    if (!p->old)
        p->old = xcalloc(PARCELS, sizeof *p->old);
    h = &p->old[at / 2];
    take_equal(h, &v);
    if (h->at.len >= most) {
        h->lost = h->at.at[0].gone;
        memmove(h->at.at, h->at.at + 1, (h->at.len - 1) * sizeof *h->at.at);
        h->at.len--;
        p->left_out++;
        m->left_out += p->code;
    }
    VEC_PUSH(&h->at, v);
}

/* Stores the bytes of one parcel, one or two. */
static void store_parcel(struct trace_memory *m, uint64_t pa, const uint8_t *bytes, unsigned size,
                         const struct trace_store *by)
{
    struct page *p = page_at(m, pa);
    unsigned at = pa % PAGE, even = at & ~1U;
    struct trace_version v = present(p, even);

    memcpy(p->bytes + at, bytes, size);
    memset(p->known + at, 1, size);
    if (v.known && value_at(p, even) == v.value)
        return;
    v.gone = by->time;
    v.end = *by;
    keep_version(m, p, v, even);
}

void trace_memory_store(struct trace_memory *m, uint64_t pa, unsigned size, uint64_t value,
                        const struct trace_store *by)
{
    uint8_t bytes[8];

    memcpy(bytes, &value, sizeof bytes);
    for (unsigned done = 0; done < size;) {
        unsigned part = (pa + done) % 2 || size - done == 1 ? 1 : 2;

        store_parcel(m, pa + done, bytes + done, part, by);
        done += part;
    }
}

bool trace_memory_read(const struct trace_memory *m, uint64_t pa, void *to, size_t size)
{
    uint8_t *bytes = to;

    for (size_t i = 0; i < size; i++) {
        const struct page *p = find_page(m, pa + i);

        if (!p || !p->known[(pa + i) % PAGE])
            return false;
        bytes[i] = p->bytes[(pa + i) % PAGE];
    }
    return true;
}

void trace_memory_versions(const struct trace_memory *m, uint64_t pa,
                           void (*fn)(void *ctx, const struct trace_version *v), void *ctx)
{
    const struct page *p = find_page(m, pa);
    struct trace_version now = {.gone = UINT64_MAX}, lost = {0};
    const struct history *h;
    unsigned at = pa % PAGE;

    if (p)
        now = present(p, at);
    fn(ctx, &now);
    if (!p || !p->old)
        return;
    h = &p->old[at / 2];
    for (size_t i = h->at.len; i-- > 0;)
        fn(ctx, &h->at.at[i]);
    lost.gone = h->lost;
    if (h->lost)
        fn(ctx, &lost);
}

void trace_memory_learn(struct trace_memory *m, uint64_t pa, uint16_t value)
{
    struct page *p = page_at(m, pa);
    unsigned at = pa % PAGE;

    memcpy(p->bytes + at, &value, 2);
    p->known[at] = p->known[at + 1] = 1;
}

void trace_memory_is_code(struct trace_memory *m, uint64_t pa)
{
    struct page *p = page_at(m, pa);

    if (!p->code)
        m->left_out += p->left_out;
    p->code = true;
}

uint64_t trace_memory_left_out(const struct trace_memory *m)
{
    return m->left_out;
}
