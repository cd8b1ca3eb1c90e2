/*
 * stores.c - see stores.h.
 */
#include "timing/stores.h"

#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
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

/* A doubleword that was stored whole, before and after it is sent: the common case. */
enum { WHOLE_CHANGED = 0xff | 0xff << STORES_CHANGED, WHOLE_SENT = 0xff | 0xff << STORES_SENT };

static inline uint8_t changed_of(uint32_t bytes)
{
    return (uint8_t)(bytes >> STORES_CHANGED);
}

static inline uint8_t sent_of(uint32_t bytes)
{
    return (uint8_t)(bytes >> STORES_SENT);
}

/* An entry's bytes when what was sent of them is answered. */
static uint32_t answered_bytes(uint32_t bytes)
{
    uint8_t changed = changed_of(bytes);
    uint8_t valid = (uint8_t)bytes & (uint8_t)(~sent_of(bytes) | changed);

    return valid | (uint32_t)changed << STORES_CHANGED;
}

static inline void answer(struct store_buffer *s, unsigned at)
{
    uint32_t bit = UINT32_C(1) << at;

    s->order >>= 8;
    s->count--;
    s->sending = later(s->sending, s->until[at]);
    s->bytes[at] = s->bytes[at] == WHOLE_SENT ? 0 : answered_bytes(s->bytes[at]);
    if (LIKELY(!s->bytes[at]))
        s->used &= ~bit;
    else if (changed_of(s->bytes[at]))
        s->ready |= bit;
}

/* The next entry in turn that has bytes to be sent. */
static inline unsigned next_to_send(const struct store_buffer *s)
{
    uint32_t from_turn = s->ready & (UINT32_MAX << s->turn);

    return (unsigned)__builtin_ctz(from_turn ? from_turn : s->ready);
}

static inline void send(struct store_buffer *s, const struct core *core)
{
    unsigned at = next_to_send(s);
    uint32_t now = WHOLE_CHANGED ^ WHOLE_SENT;

    s->turn = at + 1;
    s->ready ^= UINT32_C(1) << at;
    s->order |= (uint64_t)at << 8 * s->count++;
    s->until[at] = s->sending++ + core->memory_first + core->store_answer;
    if (UNLIKELY(s->bytes[at] != WHOLE_CHANGED)) {
        now = bytes_of_write(changed_of(s->bytes[at]));
        now = now << STORES_CHANGED | now << STORES_SENT;
    }
    s->bytes[at] ^= now;
}

/*
 * The next thing that happens, and when; false: nothing until then. A write that is sent in a cycle
 * has been sent in the next one.
 */
static inline bool step(struct store_buffer *s, const struct core *core, uint64_t until,
                        uint64_t *when)
{
    unsigned at = s->order & (STORES_MAX - 1);
    uint64_t answered = s->count ? s->until[at] : NEVER;

    if (s->ready && s->count < core->store_writes && s->sending < answered) {
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
    answer(s, at);
    return true;
}

/* ---- stores ---- */

static inline bool is_of(const struct store_buffer *s, unsigned at, uint64_t doubleword)
{
    return s->used >> at & 1 && s->doubleword[at] == doubleword;
}

/* Of eight tags those that may be a doubleword's, by their top bits: all that are, and few others.
 */
static inline uint64_t tags_like(const uint8_t tags[8], uint64_t doubleword)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t other;

    memcpy(&other, tags, sizeof other);
    other ^= (doubleword & UINT8_MAX) * ones;
    return (other - ones) & ~other & ones << 7;
}

/* The entry that has the doubleword; -1: none. */
static inline int entry_of(const struct store_buffer *s, const struct core *core,
                           uint64_t doubleword)
{
    for (unsigned i = 0; i < core->store_entries; i += 8)
        for (uint64_t like = tags_like(s->tags + i, doubleword); like; like &= like - 1) {
            unsigned at = i + (unsigned)__builtin_ctzll(like) / 8;

            if (is_of(s, at, doubleword))
                return (int)at;
        }
    return -1;
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
    uint32_t bytes = bytes_of(pa, size);
    int at;

    full = s->accepted[oldest % STORE_QUEUE_MAX];
    if (from >= s->next)
        while (step(s, core, from, &when))
            ;
    at = is_of(s, s->last, doubleword) ? (int)s->last : entry_of(s, core, doubleword);
    if (at < 0) {
        at = free_entry(s, core, &from);
        if (at < 0)
            return 0; /* no state of ours */
        s->doubleword[at] = doubleword;
        s->tags[at] = (uint8_t)doubleword;
        s->used |= UINT32_C(1) << at;
    }
    s->bytes[at] |= bytes | bytes << STORES_CHANGED;
    if (!s->ready)
        s->sending = later(s->sending, from + 1);
    if (!sent_of(s->bytes[at])) {
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

/* Fills in what is derived. */
static void note_entries(struct store_buffer *s)
{
    s->ready = s->used = s->last = 0;
    s->next = 0;
    for (unsigned at = 0; at < STORES_MAX; at++) {
        s->used |= (uint32_t)(s->bytes[at] != 0) << at;
        s->ready |= (uint32_t)(changed_of(s->bytes[at]) && !sent_of(s->bytes[at])) << at;
        s->tags[at] = (uint8_t)s->doubleword[at];
    }
}

void stores_state_io(struct state_io *io, struct store_buffer *s)
{
    for (unsigned i = 0; i < STORES_MAX; i++) {
        STATE_IO(io, s->doubleword[i]);
        STATE_IO(io, s->until[i]);
        STATE_IO(io, s->bytes[i]);
    }
    for (unsigned i = 0; i < STORE_QUEUE_MAX; i++)
        STATE_IO(io, s->accepted[i]);
    STATE_IO_BELOW(io, s->newest, STORE_QUEUE_MAX);
    STATE_IO_BELOW(io, s->count, WRITES_MAX + 1);
    STATE_IO(io, s->order);
    STATE_IO_BELOW(io, s->turn, STORES_MAX + 1);
    STATE_IO(io, s->sending);
    if (io->loading)
        note_entries(s);
}
