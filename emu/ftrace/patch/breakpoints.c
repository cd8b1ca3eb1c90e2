/*
 * breakpoints.c - see breakpoints.h.
 */
#include "ftrace/patch/breakpoints.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/isa/decode.h"
#include "cpu/observer.h"
#include "mem/bus.h"

/* Breakpoints that are kept, and the adjacent bytes in which one is looked for. */
enum { KEPT_MAX = 1 << 12, RUN_MAX = 8 };

/* Adjacent stores of a hart; size 0: none. Of more than RUN_MAX bytes the old ones are not kept. */
struct run {
    uint64_t pa, size;
    uint8_t old_bytes[RUN_MAX];
    uint64_t put; /* the breakpoint that they are, if has_put */
    bool has_put;
};

struct breakpoints {
    const struct bus *bus;
    struct run *runs; /* by hart */
    unsigned harts;
    VEC_OF(struct breakpoint) kept;
    struct map index; /* pa -> its index in `kept' */
    size_t next;      /* where to look for one that may be forgotten */
    uint64_t in_text; /* how many have in_text */
    uint64_t left_out;
};

struct breakpoints *breakpoints_new(const struct bus *bus, unsigned harts)
{
    struct breakpoints *b = xcalloc(1, sizeof *b);

    b->bus = bus;
    b->harts = harts;
    b->runs = xcalloc(harts, sizeof *b->runs);
    return b;
}

void breakpoints_free(struct breakpoints *b)
{
    VEC_FREE(&b->kept);
    map_free(&b->index);
    free(b->runs);
    free(b);
}

/* The entry of the address, whose size is 0 if there was no breakpoint after all; or NULL. */
static struct breakpoint *entry_of(const struct breakpoints *b, uint64_t pa)
{
    uint64_t at;

    return map_get(&b->index, pa, &at) ? &b->kept.at[at] : NULL;
}

struct breakpoint *breakpoints_at(const struct breakpoints *b, uint64_t pa)
{
    struct breakpoint *known = entry_of(b, pa);

    return known && known->size ? known : NULL;
}

/* The size of the breakpoint that begins with these bytes; 0: none does. */
static unsigned breakpoint_size(const uint8_t *bytes, unsigned room)
{
    uint32_t word = 0;

    memcpy(&word, bytes, room < sizeof word ? room : sizeof word);
    return ebreak_size(word);
}

/* ---- adjacent stores ---- */

static void begin_run(struct run *r, const struct code_write *w)
{
    *r = (struct run){.pa = w->pa, .size = w->size};
    memcpy(r->old_bytes, w->old_bytes, w->size);
}

/* Adds the store to those that it is adjacent to, or begins anew. */
static void add_to_run(struct run *r, const struct code_write *w)
{
    bool after = w->pa == r->pa + r->size, before = w->pa + w->size == r->pa;

    if (!r->size || !(after || before)) {
        begin_run(r, w);
        return;
    }
    if (r->size + w->size <= RUN_MAX) {
        if (before)
            memmove(r->old_bytes + w->size, r->old_bytes, r->size);
        memcpy(r->old_bytes + (before ? 0 : r->size), w->old_bytes, w->size);
    }
    r->size += w->size;
    r->pa = before ? w->pa : r->pa;
}

/* Memory around a run, before it and now. Half of a breakpoint may be what was there already. */
struct around {
    uint64_t pa;
    unsigned size;
    uint8_t before[RUN_MAX + 6], now[RUN_MAX + 6];
};

static bool look_around(const struct breakpoints *b, const struct run *r, struct around *a)
{
    a->pa = align_down(r->pa, 2) - 2;
    a->size = (unsigned)(align_up(r->pa + r->size, 2) + 2 - a->pa);
    if (!bus_read(b->bus, a->pa, a->now, a->size))
        return false;
    memcpy(a->before, a->now, a->size);
    memcpy(a->before + (r->pa - a->pa), r->old_bytes, r->size);
    return true;
}

/* Whether the store has a part of a breakpoint: most stores to code have none. */
static bool has_part(const struct code_write *w)
{
    for (unsigned at = 0; at + 2 <= w->size; at += 2) {
        uint16_t parcel;

        memcpy(&parcel, w->new_bytes + at, sizeof parcel);
        if (parcel_is_of_ebreak(parcel))
            return true;
    }
    return w->size < 2 || (w->pa & 1);
}

static bool changes_only(const struct around *a, unsigned at, unsigned size)
{
    return !memcmp(a->before, a->now, at) && memcmp(a->before + at, a->now + at, size) != 0 &&
           !memcmp(a->before + at + size, a->now + at + size, a->size - at - size);
}

/* Whether all that the run has changed is that there is a breakpoint now. */
static bool find(const struct breakpoints *b, const struct run *r, struct breakpoint *found)
{
    struct around a;

    if (r->size > RUN_MAX || !look_around(b, r, &a))
        return false;
    for (unsigned at = 0; at < a.size; at += 2) {
        unsigned size = breakpoint_size(a.now + at, a.size - at);

        if (!size || !changes_only(&a, at, size))
            continue;
        *found = (struct breakpoint){.pa = a.pa + at, .size = (uint8_t)size, .armed = true};
        memcpy(found->replaced, a.before + at, size);
        return true;
    }
    return false;
}

/* ---- what is kept ---- */

void breakpoints_set_in_text(struct breakpoints *b, struct breakpoint *p, bool in_text)
{
    b->in_text += (uint64_t)in_text - p->in_text;
    p->in_text = in_text;
}

bool breakpoints_any_in_text(const struct breakpoints *b)
{
    return b->in_text != 0;
}

static bool is_needed(const struct breakpoint *p)
{
    return p->armed || p->in_text;
}

/* The place of a new one: of one that is not needed, if there are too many. */
static size_t make_room(struct breakpoints *b)
{
    if (b->kept.len < KEPT_MAX) {
        VEC_PUSH(&b->kept, (struct breakpoint){0});
        return b->kept.len - 1;
    }
    for (size_t i = 0; i < KEPT_MAX && is_needed(&b->kept.at[b->next]); i++)
        b->next = (b->next + 1) % KEPT_MAX;
    b->left_out += is_needed(&b->kept.at[b->next]);
    breakpoints_set_in_text(b, &b->kept.at[b->next], false);
    map_remove(&b->index, b->kept.at[b->next].pa);
    return b->next;
}

/* What text counts with stays below a breakpoint that is stored over another one. */
struct breakpoint *breakpoints_keep(struct breakpoints *b, const struct breakpoint *new)
{
    struct breakpoint *known = entry_of(b, new->pa);

    if (known && known->in_text) {
        known->armed = new->armed &&new->size == known->size;
        known->notes = known->count = 0;
        return known;
    }
    if (!known) {
        size_t at = make_room(b);

        map_put(&b->index, new->pa, at);
        known = &b->kept.at[at];
    }
    *known = *new;
    return known;
}

void breakpoints_keep_old(struct breakpoints *b, uint64_t pa, uint32_t replaced)
{
    struct breakpoint old = {.pa = pa, .armed = true};
    uint8_t now[4];
    unsigned room = bus_read(b->bus, pa, now, 4) ? 4 : bus_read(b->bus, pa, now, 2) ? 2 : 0;

    old.size = room ? (uint8_t)breakpoint_size(now, room) : 0;
    if (!old.size)
        return;
    memcpy(old.replaced, &replaced, old.size);
    breakpoints_set_in_text(b, breakpoints_keep(b, &old), true);
}

static void forget(struct breakpoints *b, uint64_t pa)
{
    struct breakpoint *known = entry_of(b, pa);

    if (!known)
        return;
    breakpoints_set_in_text(b, known, false);
    *known = (struct breakpoint){.pa = pa};
}

void breakpoints_forget(struct breakpoints *b, uint64_t pa, uint64_t size)
{
    for (uint64_t at = align_up(pa, 2); b->index.len && at < pa + size; at += 2)
        forget(b, at);
}

/* Sets of each breakpoint that the store may have changed whether it is in memory. */
static void look_at_kept(const struct breakpoints *b, const struct code_write *w)
{
    for (uint64_t pa = align_down(w->pa, 2) - 2; pa < w->pa + w->size; pa += 2) {
        struct breakpoint *known = breakpoints_at(b, pa);
        uint8_t now[4];

        if (known)
            known->armed = bus_read(b->bus, pa, now, known->size) &&
                           breakpoint_size(now, known->size) == known->size;
    }
}

void breakpoints_write(struct breakpoints *b, const struct code_write *w)
{
    struct breakpoint found;
    struct run *r;

    if (b->index.len)
        look_at_kept(b, w);
    if (w->who.kind != WRITER_HART || w->who.hart >= b->harts)
        return;
    r = &b->runs[w->who.hart];
    add_to_run(r, w);
    if (has_part(w) && find(b, r, &found)) {
        breakpoints_keep(b, &found);
        r->put = found.pa;
        r->has_put = true;
    } else if (r->has_put) {
        forget(b, r->put);
        r->has_put = false;
    }
}

void breakpoints_fence(struct breakpoints *b, unsigned hart)
{
    b->runs[hart].size = 0;
    b->runs[hart].has_put = false;
}

uint64_t breakpoints_left_out(const struct breakpoints *b)
{
    return b->left_out;
}

/* ---- state ---- */

static void breakpoint_io(struct state_io *io, struct breakpoint *p)
{
    STATE_IO(io, p->pa);
    STATE_IO_BELOW(io, p->size, sizeof p->replaced + 1);
    state_io_bytes(io, p->replaced, sizeof p->replaced);
    STATE_IO(io, p->armed);
    STATE_IO(io, p->in_text);
    STATE_IO(io, p->notes);
    STATE_IO(io, p->count);
}

static void run_io(struct state_io *io, struct run *r)
{
    STATE_IO(io, r->pa);
    STATE_IO(io, r->size);
    state_io_bytes(io, r->old_bytes, sizeof r->old_bytes);
    STATE_IO(io, r->put);
    STATE_IO(io, r->has_put);
}

void breakpoints_state_io(struct state_io *io, struct breakpoints *b)
{
    state_io_section(io, "breakpoints", 2);
    STATE_IO_VEC(io, &b->kept, KEPT_MAX, breakpoint_io);
    for (unsigned i = 0; i < b->harts; i++)
        run_io(io, &b->runs[i]);
    STATE_IO_BELOW(io, b->next, KEPT_MAX);
    STATE_IO(io, b->left_out);
    if (!io->loading)
        return;
    map_clear(&b->index);
    b->in_text = 0;
    for (size_t i = 0; i < b->kept.len; i++) {
        map_put(&b->index, b->kept.at[i].pa, i);
        b->in_text += b->kept.at[i].in_text;
    }
}
