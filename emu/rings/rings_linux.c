/*
 * rings_linux.c - see rings.h; the rings of a Linux kernel, as kernel/trace/ring_buffer.c has them
 * in 6.1 to 6.12: a ring of pages in a list, whose pointers have flags in their lowest bits, and a
 * page that was taken out for the reader.
 */
#include <string.h>

#include "base/compiler.h"
#include "load/symbols.h"
#include "rings/rings_priv.h"

enum {
    RING_FLAGS = 3,
    RING_HEAD = 1, /* the pointer to the oldest page of the ring */
    COMMIT_MASK = 0xfffff,
};

enum member {
    BUFFERS,
    NR_PAGES,
    HEAD_PAGE,
    COMMIT_PAGE,
    READER_PAGE,
    OVERRUN,
    LAST_OVERRUN,
    READ_STAMP,
    PAGE_LIST,
    PAGE_READ,
    PAGE_DATA,
    LIST_NEXT,
    LIST_PREV,
    MEMBERS,
};

static const struct peek_member members[MEMBERS] = {
    [BUFFERS] = {"trace_buffer", "buffers"},
    [NR_PAGES] = {"ring_buffer_per_cpu", "nr_pages"},
    [HEAD_PAGE] = {"ring_buffer_per_cpu", "head_page"},
    [COMMIT_PAGE] = {"ring_buffer_per_cpu", "commit_page"},
    [READER_PAGE] = {"ring_buffer_per_cpu", "reader_page"},
    [OVERRUN] = {"ring_buffer_per_cpu", "overrun"},
    [LAST_OVERRUN] = {"ring_buffer_per_cpu", "last_overrun"},
    [READ_STAMP] = {"ring_buffer_per_cpu", "read_stamp"},
    [PAGE_LIST] = {"buffer_page", "list"},
    [PAGE_READ] = {"buffer_page", "read"},
    [PAGE_DATA] = {"buffer_page", "page"},
    [LIST_NEXT] = {"list_head", "next"},
    [LIST_PREV] = {"list_head", "prev"},
};

struct ring {
    struct peek *peek;
    uint64_t at[MEMBERS];
    uint64_t va, lost;
    struct log_bytes *pages;
};

static uint64_t get(const struct ring *r, enum member m)
{
    return peek_u64(r->peek, r->va + r->at[m]);
}

/* The next page of the ring, with the flags of the pointer to it. */
static uint64_t next_of(const struct ring *r, uint64_t page)
{
    return peek_u64(r->peek, page + r->at[PAGE_LIST] + r->at[LIST_NEXT]) - r->at[PAGE_LIST];
}

static bool is_head(const struct ring *r, uint64_t page)
{
    uint64_t before = peek_u64(r->peek, page + r->at[PAGE_LIST] + r->at[LIST_PREV]);

    return (peek_u64(r->peek, before + r->at[LIST_NEXT]) & RING_FLAGS) == RING_HEAD;
}

/* The unread part of a page. */
static void put_page(struct ring *r, uint64_t page)
{
    uint64_t data = peek_u64(r->peek, page + r->at[PAGE_DATA]);
    uint64_t read = peek_u32(r->peek, page + r->at[PAGE_READ]);
    uint64_t commit = peek_u64(r->peek, data + 8) & COMMIT_MASK;

    if (read >= commit || r->peek->bad)
        return;
    ring_put_page(r->peek, r->pages,
                  &(struct ring_part){.data = data,
                                      .offset = read,
                                      .size = commit - read,
                                      .time = read ? get(r, READ_STAMP) : peek_u64(r->peek, data),
                                      .lost = r->lost});
    r->lost = 0;
}

static void put_ring(struct ring *r)
{
    uint64_t reader = get(r, READER_PAGE), commit = get(r, COMMIT_PAGE), page = get(r, HEAD_PAGE);
    uint64_t count = get(r, NR_PAGES);

    r->peek->bad |= count > RING_PAGES_MAX;
    put_page(r, reader);
    if (reader == commit)
        return;
    for (uint64_t n = 0; n < count && !is_head(r, page) && !r->peek->bad; n++)
        page = next_of(r, page) & ~(uint64_t)RING_FLAGS;
    r->lost = get(r, OVERRUN) - get(r, LAST_OVERRUN);
    for (uint64_t n = 0; n <= count && !r->peek->bad; n++) {
        put_page(r, page);
        if (page == commit)
            break;
        page = next_of(r, page) & ~(uint64_t)RING_FLAGS;
    }
}

uint64_t rings_linux_ring(struct peek *p, uint64_t buffer, unsigned hart)
{
    uint64_t at[MEMBERS];

    peek_members(p, members, MEMBERS, at);
    return peek_u64(p, peek_u64(p, buffer + at[BUFFERS]) + 8 * (uint64_t)hart);
}

void rings_linux_pages(struct peek *p, uint64_t buffer, unsigned hart, struct log_bytes *pages)
{
    struct ring r = {.peek = p, .pages = pages};

    peek_members(p, members, MEMBERS, r.at);
    r.va = rings_linux_ring(p, buffer, hart);
    if (r.va && !p->bad)
        put_ring(&r);
}

/* ---- traces ---- */

void rings_linux_traces(struct peek *p, struct ring_traces *traces)
{
    static const struct peek_member of[] = {
        {"trace_array", "list"}, {"trace_array", "name"}, {"list_head", "next"}};
    uint64_t at[ARRAY_LEN(of)], head = peek_symbol(p, "ftrace_trace_arrays"), link;
    uint64_t main = peek_symbol(p, "global_trace");

    peek_members(p, of, ARRAY_LEN(of), at);
    VEC_PUSH(&traces->of, ((struct ring_trace){.va = main}));
    link = peek_u64(p, head + at[2]);
    for (; link != head && traces->of.len < RING_TRACES_MAX && !p->bad;
         link = peek_u64(p, link + at[2])) {
        struct ring_trace t = {.va = link - at[0]};

        if (t.va == main)
            continue;
        if (ring_trace_is_known(traces, t.va)) {
            peek_refuse(p, "the list of traces leads back to itself");
            break;
        }
        t.name = peek_text(p, peek_u64(p, t.va + at[1]));
        VEC_PUSH(&traces->of, t);
    }
}

/* ---- saved_cmdlines ---- */

enum { COMM_BYTES = 16, SAVED_MAX = 1 << 16 };

/* The names are at the target of a pointer, or in later versions after all other members. */
void rings_linux_cmdlines(struct peek *p, uint64_t saved, struct log_bytes *text)
{
    static const struct peek_member of[] = {{"saved_cmdlines_buffer", "map_cmdline_to_pid"},
                                            {"saved_cmdlines_buffer", "cmdline_num"},
                                            {"saved_cmdlines_buffer", "saved_cmdlines"},
                                            {"saved_cmdlines_buffer", NULL}};
    uint64_t at[ARRAY_LEN(of)], pids, names;
    uint32_t count;

    peek_members(p, of, ARRAY_LEN(of), at);
    pids = peek_u64(p, saved + at[0]);
    count = peek_u32(p, saved + at[1]);
    names = at[2] + 8 <= at[3] ? peek_u64(p, saved + at[2]) : saved + at[2];
    for (uint32_t i = 0; i < count && i < SAVED_MAX && !p->bad; i++) {
        uint32_t pid = peek_u32(p, pids + 4 * (uint64_t)i);
        char comm[COMM_BYTES + 1] = {0};

        (void)peek_read(p, names + COMM_BYTES * (uint64_t)i, comm, COMM_BYTES);
        if (pid && pid != UINT32_MAX)
            ring_put_cmdline(text, pid, comm);
    }
}
