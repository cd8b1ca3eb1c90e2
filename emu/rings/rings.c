/*
 * rings.c - see rings.h; the pages. guest-kernel/kernel/trace/ring_buffer_priv.h describes a
 * slot.
 */
#include "load/symbols.h"
#include "rings/rings_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

enum {
    PAGE_HEAD = 16, /* time stamp and commit */
    PAGE_DATA = RING_PAGE - PAGE_HEAD,
    SLOT_FREE = 1,
    SLOT_PAGE_SHIFT = 1,
    SLOT_SEQ_SHIFT = 20,
    TYPE_EXTEND = 30,
};

#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)

enum member {
    ARRAY_BUFFER,
    BUFFER,
    TRACE_MEMBERS,
    RINGS = TRACE_MEMBERS,
    NR_PAGES,
    PAGES,
    SLOTS,
    COMMIT,
    READER_PAGE,
    READING,
    READER_SEQ,
    HEAD,
    CURSOR,
    NEXT_EVENT,
    LOST,
    CURSOR_OFFSET,
    CURSOR_STAMP,
    PAGE_PAGE,
    PAGE_FIRST,
    PAGE_SIZE,
    MEMBERS,
};

static const struct peek_member members[MEMBERS] = {
    [ARRAY_BUFFER] = {"trace_array", "array_buffer"},
    [BUFFER] = {"array_buffer", "buffer"},
    [RINGS] = {"trace_buffer", "cpu"},
    [NR_PAGES] = {"ring_buffer_per_cpu", "nr_pages"},
    [PAGES] = {"ring_buffer_per_cpu", "pages"},
    [SLOTS] = {"ring_buffer_per_cpu", "slots"},
    [COMMIT] = {"ring_buffer_per_cpu", "commit"},
    [READER_PAGE] = {"ring_buffer_per_cpu", "reader_page"},
    [READING] = {"ring_buffer_per_cpu", "reading"},
    [READER_SEQ] = {"ring_buffer_per_cpu", "reader_seq"},
    [HEAD] = {"ring_buffer_per_cpu", "head"},
    [CURSOR] = {"ring_buffer_per_cpu", "cursor"},
    [NEXT_EVENT] = {"ring_buffer_per_cpu", "next_event"},
    [LOST] = {"ring_buffer_per_cpu", "lost"},
    [CURSOR_OFFSET] = {"rb_cursor", "offset"},
    [CURSOR_STAMP] = {"rb_cursor", "stamp"},
    [PAGE_PAGE] = {"buffer_page", "page"},
    [PAGE_FIRST] = {"buffer_page", "first"},
    [PAGE_SIZE] = {"buffer_page", NULL},
};

/* A ring, and the position of its reader. */
struct ring {
    struct peek *peek;
    uint64_t at[MEMBERS];
    uint64_t va, next_event, lost;
    struct log_bytes *pages;
};

static uint64_t get(const struct ring *r, enum member m)
{
    return peek_u64(r->peek, r->va + r->at[m]);
}

static uint32_t word_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void set64(uint8_t *bytes, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t count_events(const uint8_t *data, size_t size)
{
    uint64_t count = 0;

    for (size_t at = 0; at + 4 <= size;) {
        unsigned type = word_at(data + at) & 31;

        if (type == TYPE_EXTEND) {
            at += 8;
            continue;
        }
        count++;
        at += 4 + (type ? type * 4 : at + 8 <= size ? word_at(data + at + 4) : 0);
    }
    return count;
}

void ring_put_page(struct peek *p, struct log_bytes *pages, const struct ring_part *part)
{
    uint64_t commit = part->size;
    uint8_t *to;

    if (part->offset > PAGE_DATA || part->size > PAGE_DATA - part->offset) {
        p->bad = true;
        return;
    }
    if (!peek_page_once(p, part->data))
        return;
    VEC_RESERVE(pages, RING_PAGE);
    to = pages->at + pages->len;
    memset(to, 0, RING_PAGE);
    (void)peek_read(p, part->data + PAGE_HEAD + part->offset, to + PAGE_HEAD, part->size);
    if (part->lost && PAGE_DATA - commit >= 8) {
        set64(to + PAGE_HEAD + commit, part->lost);
        commit |= MISSED_STORED;
    }
    commit |= part->lost ? MISSED_EVENTS : 0;
    set64(to, part->time);
    set64(to + 8, commit);
    pages->len += RING_PAGE;
}

/* Puts the data of a page from an offset on. `time`: that of its first event. */
static void put_page(struct ring *r, uint64_t page, uint64_t offset, uint64_t time)
{
    struct ring_part part = {page, offset, peek_u64(r->peek, page + 8) - offset, time, r->lost};

    ring_put_page(r->peek, r->pages, &part);
    if (r->peek->bad)
        return;
    r->next_event += count_events(r->pages->at + r->pages->len - PAGE_DATA, part.size);
    r->lost = 0;
}

/* Puts the rest of the page that the guest's reader has taken out. */
static void put_readers_page(struct ring *r)
{
    uint64_t cursor = r->va + r->at[CURSOR];
    uint64_t page = peek_u64(r->peek, get(r, READER_PAGE) + r->at[PAGE_PAGE]);
    uint64_t offset = peek_u32(r->peek, cursor + r->at[CURSOR_OFFSET]);

    if (offset < peek_u64(r->peek, page + 8))
        put_page(r, page, offset, peek_u64(r->peek, cursor + r->at[CURSOR_STAMP]));
}

/* Puts page number seq, if it is still there and not empty. */
static void put_slot(struct ring *r, uint64_t slots, uint64_t pages, uint64_t seq, uint64_t count)
{
    uint64_t slot = peek_u64(r->peek, slots + seq % count * 8), index, header, page, first;

    index = (slot & ((UINT64_C(1) << SLOT_SEQ_SHIFT) - 1)) >> SLOT_PAGE_SHIFT;
    if (slot & SLOT_FREE || slot >> SLOT_SEQ_SHIFT != seq)
        return;
    header = pages + index * r->at[PAGE_SIZE];
    page = peek_u64(r->peek, header + r->at[PAGE_PAGE]);
    first = peek_u64(r->peek, header + r->at[PAGE_FIRST]);
    if (!peek_u64(r->peek, page + 8))
        return;
    r->lost += first - r->next_event;
    r->next_event = first;
    put_page(r, page, 0, peek_u64(r->peek, page));
}

static void put_ring(struct ring *r)
{
    uint64_t slots = get(r, SLOTS), pages = get(r, PAGES), count = get(r, NR_PAGES);
    uint64_t commit = get(r, COMMIT), head = get(r, HEAD);
    uint8_t reading;

    r->next_event = get(r, NEXT_EVENT);
    r->lost = get(r, LOST);
    (void)peek_read(r->peek, r->va + r->at[READING], &reading, 1);
    r->peek->bad |= !count || count > RING_PAGES_MAX;
    if (r->peek->bad)
        return;
    if (reading) {
        put_readers_page(r);
        if (get(r, READER_SEQ) == commit)
            return;
    }
    if (commit >= count && head < commit - count + 1)
        head = commit - count + 1;
    for (uint64_t n = 0; n < count && head + n <= commit && !r->peek->bad; n++)
        put_slot(r, slots, pages, head + n, count);
}

bool rings_are_linux(struct peek *p)
{
    uint64_t va;

    return symbols_find(p->symbols, "ftrace_trace_arrays", &va);
}

bool ring_trace_is_known(const struct ring_traces *traces, uint64_t va)
{
    for (size_t i = 0; i < traces->of.len; i++)
        if (traces->of.at[i].va == va)
            return true;
    return false;
}

void rings_traces(struct peek *p, struct ring_traces *traces)
{
    static const struct peek_member of[] = {{"trace_array", "next"}, {"trace_array", "name"}};
    uint64_t at[ARRAY_LEN(of)];
    struct ring_trace t = {.va = peek_symbol(p, "global_trace")};

    *traces = (struct ring_traces){0};
    if (rings_are_linux(p)) {
        rings_linux_traces(p, traces);
        return;
    }
    peek_members(p, of, ARRAY_LEN(of), at);
    VEC_PUSH(&traces->of, t);
    while (traces->of.len < RING_TRACES_MAX && (t.va = peek_u64(p, t.va + at[0])) && !p->bad) {
        if (ring_trace_is_known(traces, t.va)) {
            peek_refuse(p, "the list of traces leads back to itself");
            break;
        }
        t.name = peek_text(p, peek_u64(p, t.va + at[1]));
        VEC_PUSH(&traces->of, t);
    }
}

void rings_traces_free(struct ring_traces *traces)
{
    for (size_t i = 0; i < traces->of.len; i++)
        free(traces->of.at[i].name);
    VEC_FREE(&traces->of);
}

static uint64_t buffer_of(struct peek *p, const struct ring_trace *trace)
{
    uint64_t at[TRACE_MEMBERS];

    peek_members(p, members, TRACE_MEMBERS, at);
    return peek_u64(p, trace->va + at[ARRAY_BUFFER] + at[BUFFER]);
}

uint64_t rings_ring(struct peek *p, const struct ring_trace *trace, unsigned hart)
{
    uint64_t buffer = buffer_of(p, trace), at[MEMBERS];

    if (rings_are_linux(p))
        return rings_linux_ring(p, buffer, hart);
    peek_members(p, members, MEMBERS, at);
    return peek_u64(p, buffer + at[RINGS] + 8 * (uint64_t)hart);
}

void rings_pages(struct peek *p, const struct ring_trace *trace, unsigned hart,
                 struct log_bytes *pages)
{
    struct ring r = {.peek = p, .pages = pages};

    if (rings_are_linux(p)) {
        rings_linux_pages(p, buffer_of(p, trace), hart, pages);
        return;
    }
    r.va = rings_ring(p, trace, hart);
    peek_members(p, members, MEMBERS, r.at);
    if (r.va && !p->bad)
        put_ring(&r);
}
