/*
 * stores.c - see stores.h.
 */
#include "timing/stores.h"

#include <stdbool.h>
#include <string.h>

#include "base/state_io.h"

enum { ALL_BYTES = 0xff };

#define NEVER UINT64_MAX

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint8_t bytes_of(uint64_t pa, unsigned size)
{
    return (uint8_t)(((1U << size) - 1) << (pa & 7) & ALL_BYTES);
}

/* What one write takes of the bytes: all eight, an aligned half or quarter that is full, one. */
static uint8_t bytes_of_write(uint8_t bytes)
{
    unsigned first = (unsigned)__builtin_ctz(bytes);

    if (bytes == 0xff)
        return 0xff;
    if (bytes == 0x0f || bytes == 0xf0)
        return bytes;
    if (bytes == 0x03 << first && first % 2 == 0)
        return bytes;
    return (uint8_t)(1U << first);
}

/* ---- what happens in the buffer by itself ---- */

/* The next entry in turn that has bytes to be sent. */
static unsigned next_to_send(const struct store_buffer *s)
{
    uint32_t from_turn = s->ready & (UINT32_MAX << s->turn);

    return (unsigned)__builtin_ctz(from_turn ? from_turn : s->ready);
}

static inline void answer(struct store_buffer *s)
{
    const struct stores_write *w = &s->writes[s->first];
    struct stores_entry *e = &s->entries[w->entry];

    e->sent = 0;
    e->valid &= (uint8_t)(~w->bytes | e->changed);
    s->used &= ~((uint32_t)!e->valid << w->entry);
    s->ready |= (uint32_t)!!e->changed << w->entry;
    s->sending = later(s->sending, w->until);
    s->first = (s->first + 1) % WRITES_MAX;
    s->count--;
}

static inline void send(struct store_buffer *s, const struct core *core)
{
    struct stores_write *w = &s->writes[(s->first + s->count++) % WRITES_MAX];
    unsigned at = next_to_send(s);
    struct stores_entry *e = &s->entries[at];

    w->bytes = bytes_of_write(e->changed);
    w->entry = (uint8_t)at;
    w->until = s->sending + core->memory_first + core->store_answer;
    e->sent = w->bytes;
    e->changed &= (uint8_t)~w->bytes;
    s->ready &= ~(UINT32_C(1) << at);
    s->sending++;
    s->turn = at + 1 < core->store_entries ? at + 1 : 0;
}

static inline bool can_send(const struct store_buffer *s, const struct core *core)
{
    return s->ready && s->count < core->store_writes;
}

/* The next thing that happens, and when; false: nothing until then. A write that is sent in a cycle
 * has happened in the next one.
 */
static inline bool step(struct store_buffer *s, const struct core *core, uint64_t until,
                        uint64_t *when)
{
    uint64_t answered = s->count ? s->writes[s->first].until : NEVER;

    if (can_send(s, core) && s->sending < answered) {
        s->next = s->sending + 1;
        if (until < s->next)
            return false;
        *when = s->sending;
        send(s, core);
        return true;
    }
    s->next = answered;
    if (until < answered)
        return false;
    *when = answered;
    answer(s);
    return true;
}

/* ---- stores ---- */

static inline bool is_of(const struct store_buffer *s, unsigned at, uint64_t doubleword)
{
    return s->used >> at & 1 && s->entries[at].doubleword == doubleword;
}

/* The tags that may be that of a doubleword, their top bits: all that are, and few others. */
static inline uint64_t tags_like(uint64_t tags, uint64_t doubleword)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t other = tags ^ (doubleword & UINT8_MAX) * ones;

    return (other - ones) & ~other & ones << 7;
}

/* The entry that has the doubleword; -1: none. */
static inline int entry_of(const struct store_buffer *s, uint64_t doubleword)
{
    for (unsigned i = 0; i < STORES_MAX / TAGS; i++)
        for (uint64_t like = tags_like(s->tags[i], doubleword); like; like &= like - 1) {
            unsigned at = i * TAGS + (unsigned)__builtin_ctzll(like) / 8;

            if (is_of(s, at, doubleword))
                return (int)at;
        }
    return -1;
}

static inline void set_tag(struct store_buffer *s, unsigned at)
{
    unsigned shift = at % TAGS * 8;
    uint64_t *tags = &s->tags[at / TAGS];

    *tags &= ~((uint64_t)UINT8_MAX << shift);
    *tags |= (s->entries[at].doubleword & UINT8_MAX) << shift;
}

/*
 * An entry for a doubleword that has none; `from` becomes the cycle in which it is free. -1: there
 * will never be one.
 */
static inline int free_entry(struct store_buffer *s, const struct core *core, uint64_t *from)
{
    uint32_t all = (UINT32_C(1) << core->store_entries) - 1;

    while ((s->used & all) == all) {
        uint64_t when;

        if (!step(s, core, NEVER - 1, &when))
            return -1;
        *from = later(*from, when);
    }
    return __builtin_ctz(~s->used & all);
}

uint32_t stores_add(struct store_buffer *s, const struct core *core, uint64_t pa, unsigned size,
                    uint64_t now)
{
    uint64_t from = later(now, s->accepted[s->newest] + 1), full, doubleword = pa >> 3, when;
    uint32_t oldest = s->newest + STORE_QUEUE_MAX + 1 - core->store_queue;
    uint8_t bytes = bytes_of(pa, size);
    struct stores_entry *e;
    int at;

    full = s->accepted[oldest % STORE_QUEUE_MAX];
    if (from >= s->next)
        while (step(s, core, from, &when))
            ;
    at = is_of(s, s->last, doubleword) ? (int)s->last : entry_of(s, doubleword);
    if (at < 0) {
        at = free_entry(s, core, &from);
        if (at < 0)
            return 0; /* no state of ours */
        s->entries[at].doubleword = doubleword;
        s->used |= UINT32_C(1) << at;
        set_tag(s, (unsigned)at);
    }
    e = &s->entries[at];
    e->valid |= bytes;
    e->changed |= bytes;
    if (!s->ready)
        s->sending = later(s->sending, from + 1);
    if (!e->sent) {
        s->ready |= UINT32_C(1) << at;
        if (s->count < core->store_writes && s->next > s->sending + 1)
            s->next = s->sending + 1;
    }
    s->last = (uint32_t)at;
    s->newest = (s->newest + 1) % STORE_QUEUE_MAX;
    s->accepted[s->newest] = from;
    if (!core->store_queue)
        full = from;
    return full > now ? (uint32_t)(full - now) : 0;
}

uint32_t stores_drain(struct store_buffer *s, const struct core *core, uint64_t now)
{
    uint64_t last = now, when;

    while (step(s, core, NEVER - 1, &when))
        last = later(last, when);
    return (uint32_t)(last - now);
}

/* Fills in what is derived from the entries. */
static void note_entries(struct store_buffer *s)
{
    s->ready = s->used = s->last = 0;
    s->next = 0;
    for (unsigned at = 0; at < STORES_MAX; at++) {
        const struct stores_entry *e = &s->entries[at];

        s->used |= (uint32_t)!!e->valid << at;
        s->ready |= (uint32_t)(e->changed && !e->sent) << at;
        set_tag(s, at);
    }
}

void stores_state_io(struct state_io *io, struct store_buffer *s)
{
    for (unsigned i = 0; i < STORES_MAX; i++) {
        STATE_IO(io, s->entries[i].doubleword);
        STATE_IO(io, s->entries[i].valid);
        STATE_IO(io, s->entries[i].changed);
        STATE_IO(io, s->entries[i].sent);
    }
    for (unsigned i = 0; i < WRITES_MAX; i++) {
        STATE_IO(io, s->writes[i].until);
        STATE_IO_BELOW(io, s->writes[i].entry, STORES_MAX);
        STATE_IO(io, s->writes[i].bytes);
    }
    for (unsigned i = 0; i < STORE_QUEUE_MAX; i++)
        STATE_IO(io, s->accepted[i]);
    STATE_IO_BELOW(io, s->newest, STORE_QUEUE_MAX);
    STATE_IO_BELOW(io, s->first, WRITES_MAX);
    STATE_IO_BELOW(io, s->count, WRITES_MAX + 1);
    STATE_IO_BELOW(io, s->turn, STORES_MAX);
    STATE_IO(io, s->sending);
    if (io->loading)
        note_entries(s);
}
