/*
 * stores.c - see stores.h.
 */
#include "timing/stores.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/state_io.h"
#include "base/vec.h"

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

/* The bytes that one write sends: all eight, a full aligned half or quarter, or one. */
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

/* ---- what the buffer does without a new store ---- */

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

/* An entry's bytes after the answer to its write. */
static uint32_t answered_bytes(uint32_t bytes)
{
    uint8_t changed = changed_of(bytes);
    uint8_t valid = (uint8_t)bytes & (uint8_t)(~sent_of(bytes) | changed);

    return valid | (uint32_t)changed << STORES_CHANGED;
}

static inline struct stores_write *write_at(struct store_buffer *s, uint32_t number)
{
    return &s->writes[number % WRITES_MAX];
}

static inline void answer(struct store_buffer *s, struct stores_progress *p)
{
    const struct stores_write *w = write_at(s, p->head++);
    unsigned at = w->entry;

    p->sending = later(p->sending, w->until);
    if (LIKELY(s->bytes[at] == WHOLE_SENT))
        s->bytes[at] = 0;
    else
        s->bytes[at] = answered_bytes(s->bytes[at]);
    if (!s->bytes[at])
        p->used &= ~(UINT32_C(1) << at);
    else if (changed_of(s->bytes[at]))
        p->ready |= UINT32_C(1) << at;
}

/* Issues the next ready entry in turn. */
static inline void send(struct store_buffer *s, const struct core *core, struct stores_progress *p)
{
    uint32_t in_turn = p->ready & p->turn, bit = in_turn ? in_turn : p->ready;
    struct stores_write *w = write_at(s, p->tail++);
    unsigned at;

    bit &= -bit;
    at = (unsigned)__builtin_ctz(bit);
    p->turn = -(bit << 1);
    p->ready ^= bit;
    *w = (struct stores_write){p->sending++ + core->memory_first + core->store_answer, at};
    if (LIKELY(s->bytes[at] == WHOLE_CHANGED)) {
        s->bytes[at] = WHOLE_SENT;
    } else {
        uint32_t now = bytes_of_write(changed_of(s->bytes[at]));

        s->bytes[at] ^= now << STORES_CHANGED | now << STORES_SENT;
    }
}

/*
 * Does the next event of the buffer and sets its cycle; false: there is none until then. A write
 * that is sent in a cycle counts as sent in the next one.
 */
static inline bool step(struct store_buffer *s, const struct core *core, struct stores_progress *p,
                        uint64_t until, uint64_t *when)
{
    uint64_t answered = p->head != p->tail ? write_at(s, p->head)->until : NEVER;

    if (p->ready && p->tail - p->head < core->store_writes && p->sending < answered) {
        if (until <= p->sending)
            return false;
        *when = p->sending;
        send(s, core, p);
        return true;
    }
    if (until < answered)
        return false;
    *when = answered;
    answer(s, p);
    return true;
}

/* ---- stores ---- */

static inline bool is_of(const struct store_buffer *s, unsigned at, uint64_t doubleword)
{
    return s->progress.used >> at & 1 && s->doubleword[at] == doubleword;
}

/* Marks the tags that may be the doubleword's by their top bits: all that are, and few others. */
static inline uint64_t tags_like(const uint8_t tags[8], uint64_t doubleword)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t other;

    memcpy(&other, tags, sizeof other);
    other ^= (doubleword & UINT8_MAX) * ones;
    return (other - ones) & ~other & ones << 7;
}

enum { NO_ENTRY = STORES_MAX };

/* The entry that has the doubleword, or NO_ENTRY. */
static unsigned entry_of(const struct store_buffer *s, uint64_t doubleword)
{
    for (unsigned i = 0; i < STORES_MAX; i += 8)
        for (uint64_t like = tags_like(s->tags + i, doubleword); like; like &= like - 1) {
            unsigned at = i + (unsigned)__builtin_ctzll(like) / 8;

            if (is_of(s, at, doubleword))
                return at;
        }
    return NO_ENTRY;
}

/*
 * Waits until one of the entries, which are all in use, is free. Returns that cycle, at least
 * `from`; NEVER: no entry becomes free.
 */
static NOINLINE uint64_t wait_for_entry(struct store_buffer *s, const struct core *core,
                                        struct stores_progress *progress, uint64_t from)
{
    uint32_t all = (UINT32_C(1) << core->store_entries) - 1;
    struct stores_progress p = *progress;

    while ((p.used & all) == all) {
        uint64_t when;

        if (!step(s, core, &p, NEVER - 1, &when))
            return NEVER; /* not a state of this buffer */
        from = later(from, when);
    }
    *progress = p;
    return from;
}

/* Puts the newest store into the queue; returns the cycles that it waits for a place. */
static inline uint32_t queue(struct store_buffer *s, const struct core *core, uint64_t from,
                             uint64_t now)
{
    uint32_t newest = (s->newest + 1) % STORE_QUEUE_MAX;
    uint64_t full = s->accepted[(newest - core->store_queue) % STORE_QUEUE_MAX];

    s->newest = newest;
    s->accepted[newest] = from;
    if (!core->store_queue)
        full = from;
    return full > now ? (uint32_t)(full - now) : 0;
}

/* Computes what a store does. `at`: the entry that has its doubleword, or NO_ENTRY; afterwards the
 * entry of the store.
 */
static uint32_t add(struct store_buffer *s, const struct core *core, uint64_t pa, unsigned size,
                    uint64_t now, unsigned *at)
{
    uint64_t from = later(now, s->accepted[s->newest] + 1), when;
    uint32_t bytes = bytes_of(pa, size);
    struct stores_progress *p = &s->progress;

    while (step(s, core, p, from, &when))
        ;
    if (*at == NO_ENTRY || !is_of(s, *at, pa >> 3)) {
        from = wait_for_entry(s, core, p, from);
        if (from == NEVER)
            return 0;
        *at = (unsigned)__builtin_ctz(~p->used);
        s->doubleword[*at] = pa >> 3;
        s->tags[*at] = (uint8_t)(pa >> 3);
        p->used |= UINT32_C(1) << *at;
    }
    s->bytes[*at] |= bytes | bytes << STORES_CHANGED;
    if (!p->ready)
        p->sending = later(p->sending, from + 1);
    if (!sent_of(s->bytes[*at]))
        p->ready |= UINT32_C(1) << *at;
    return queue(s, core, from, now);
}

/* ---- numbered states ---- */

enum { NUMBER_BITS = 24, DELTA_BITS = 24, STEP_BITS = 15, STATE_SLOTS = 1 << 17 };

/* A buffer's state without the doublewords; cycles count from that in which the last store was
 * accepted, and what no longer makes a difference is 0.
 */
struct stores_state {
    uint32_t bytes[STORES_MAX];
    uint32_t until[WRITES_MAX], entry[WRITES_MAX]; /* writes without an answer, the next first */
    uint32_t
        accepted[STORE_QUEUE_MAX]; /* cycles before; without the newest; OLD: any earlier cycle */
    uint32_t count;                /* number of writes */
    uint32_t sending, turn;
    uint32_t unused;
};
_Static_assert(sizeof(struct stores_state) % sizeof(uint64_t) == 0, "hashed by words");

#define OLD UINT32_MAX

/* What a store does. */
struct stores_step {
    uint64_t key; /* 0: none */
    uint32_t number, idle;
    uint32_t used;
    uint32_t entry; /* the store's entry */
    uint32_t delay; /* cycles until the store is accepted */
    uint32_t stall;
};

struct stores_memo {
    struct stores_step steps[1 << STEP_BITS];
    VEC_OF(struct stores_state) states; /* number 1 is the first */
    uint32_t slots[STATE_SLOTS];        /* hash table of numbers; 0: none */
};

/* Computes the derived members. */
static void note_entries(struct store_buffer *s)
{
    struct stores_progress *p = &s->progress;

    p->ready = p->used = 0;
    for (unsigned at = 0; at < STORES_MAX; at++) {
        p->used |= (uint32_t)(s->bytes[at] != 0) << at;
        p->ready |= (uint32_t)(changed_of(s->bytes[at]) && !sent_of(s->bytes[at])) << at;
        s->tags[at] = (uint8_t)s->doubleword[at];
    }
}

static inline uint32_t step_slot(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STEP_BITS));
}

void stores_init(struct store_buffer *s)
{
    *s = (struct store_buffer){.memo = xcalloc(1, sizeof *s->memo)};
}

void stores_free(struct store_buffer *s)
{
    if (s->memo)
        VEC_FREE(&s->memo->states);
    free(s->memo);
    s->memo = NULL;
}

void stores_reset(struct store_buffer *s)
{
    *s = (struct store_buffer){.memo = s->memo};
}

static struct stores_state state_of(const struct store_buffer *s, uint64_t now)
{
    uint64_t since = s->accepted[s->newest];
    const struct stores_progress *p = &s->progress;
    struct stores_state state = {.count = p->tail - p->head, .turn = p->turn};

    memcpy(state.bytes, s->bytes, sizeof state.bytes);
    for (uint32_t i = 0; i < state.count; i++) {
        const struct stores_write *w = &s->writes[(p->head + i) % WRITES_MAX];

        state.until[i] = (uint32_t)(w->until - since);
        state.entry[i] = w->entry;
    }
    for (uint32_t i = 1; i < STORE_QUEUE_MAX; i++) {
        uint64_t accepted = s->accepted[(s->newest - i) % STORE_QUEUE_MAX];

        state.accepted[i] = accepted > now ? (uint32_t)(since - accepted) : OLD;
    }
    state.sending = p->sending > since ? (uint32_t)(p->sending - since) : 0;
    return state;
}

/* Expands the state that has a number into the members. */
static void settle(struct store_buffer *s)
{
    struct stores_progress *p = &s->progress;
    const struct stores_state *state;

    if (!s->number)
        return;
    state = &s->memo->states.at[s->number - 1];
    memcpy(s->bytes, state->bytes, sizeof s->bytes);
    *p = (struct stores_progress){
        .sending = s->since + state->sending, .tail = state->count, .turn = state->turn};
    for (uint32_t i = 0; i < state->count; i++)
        s->writes[i] = (struct stores_write){s->since + state->until[i], state->entry[i]};
    s->newest = 0;
    s->accepted[0] = s->since;
    for (uint32_t i = 1; i < STORE_QUEUE_MAX; i++)
        s->accepted[STORE_QUEUE_MAX - i] =
            state->accepted[i] == OLD ? 0 : s->since - state->accepted[i];
    s->number = 0;
    note_entries(s);
}

static uint32_t slot_of(const struct stores_state *state)
{
    const uint64_t *words = (const uint64_t *)(const void *)state;
    uint64_t hash = FNV1A_START;

    for (unsigned i = 0; i < sizeof *state / sizeof *words; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return (uint32_t)(hash >> 40) % STATE_SLOTS;
}

static uint32_t number_of(struct stores_memo *m, const struct stores_state *state)
{
    uint32_t slot = slot_of(state);

    for (; m->slots[slot]; slot = (slot + 1) % STATE_SLOTS)
        if (!memcmp(&m->states.at[m->slots[slot] - 1], state, sizeof *state))
            return m->slots[slot];
    VEC_PUSH(&m->states, *state);
    return m->slots[slot] = (uint32_t)m->states.len;
}

static void forget(struct stores_memo *m)
{
    memset(m->steps, 0, sizeof m->steps);
    memset(m->slots, 0, sizeof m->slots);
    m->states.len = 0;
}

/* Cycles from the last store until all stores are written. */
static uint64_t idle_after(const struct store_buffer *s, const struct core *core)
{
    uint64_t since = s->accepted[s->newest], last = since + 1, when;
    struct store_buffer copy = *s;

    while (step(&copy, core, &copy.progress, NEVER - 1, &when))
        last = later(last, when);
    return last - since;
}

/* Gives the state after a store a number; `now`: no store comes earlier. False: its cycles are too
 * many for a number.
 */
static bool give_number(struct store_buffer *s, const struct core *core, uint64_t now)
{
    struct stores_state state = state_of(s, now);
    uint64_t idle = idle_after(s, core), since = s->accepted[s->newest];

    if (idle >> (DELTA_BITS - 1) || (since > now && (since - now) >> (DELTA_BITS - 1)))
        return false;
    s->number = number_of(s->memo, &state);
    s->since = since;
    s->idle = (uint32_t)idle;
    return true;
}

static NOINLINE uint32_t add_and_note(struct store_buffer *s, const struct core *core, uint64_t pa,
                                      unsigned size, uint64_t now, uint64_t key)
{
    unsigned at = entry_of(s, pa >> 3);
    struct stores_memo *m = s->memo;
    bool had_number = s->number;
    uint32_t stall;

    settle(s);
    stall = add(s, core, pa, size, now, &at);
    if (m->states.len >= limits.store_states) {
        forget(m);
        had_number = false;
    }
    if (at != NO_ENTRY && give_number(s, core, now + stall) && had_number)
        m->steps[step_slot(key)] = (struct stores_step){
            key, s->number, s->idle, s->progress.used, at, (uint32_t)(s->since - now), stall};
    return stall;
}

/* `entry`: the one that has the doubleword. */
static ALWAYS_INLINE uint32_t add_at(struct store_buffer *s, const struct core *core, uint64_t pa,
                                     unsigned size, uint64_t now, unsigned entry)
{
    uint64_t doubleword = pa >> 3, key;
    int64_t delta = (int64_t)(now - s->since), idle = s->idle;
    const struct stores_step *step;

    delta = delta < idle ? delta : idle;
    key = (uint64_t)s->number << (64 - NUMBER_BITS) |
          ((uint64_t)delta & ((1U << DELTA_BITS) - 1)) << 16 | entry << 8 | size << 3 | (pa & 7);
    step = &s->memo->steps[step_slot(key)];
    if (UNLIKELY(step->key != key))
        return add_and_note(s, core, pa, size, now, key);
    s->number = step->number;
    s->idle = step->idle;
    s->since = now + step->delay;
    s->progress.used = step->used;
    entry = step->entry;
    s->doubleword[entry] = doubleword;
    s->tags[entry] = (uint8_t)doubleword;
    return step->stall;
}

static NOINLINE uint32_t look_and_add(struct store_buffer *s, const struct core *core, uint64_t pa,
                                      unsigned size, uint64_t now)
{
    return add_at(s, core, pa, size, now, entry_of(s, pa >> 3));
}

uint32_t stores_add(struct store_buffer *s, const struct core *core, uint64_t pa, unsigned size,
                    uint64_t now)
{
    uint64_t like = tags_like(s->tags, pa >> 3);
    unsigned entry = NO_ENTRY;

    if (like) {
        entry = (unsigned)__builtin_ctzll(like) / 8;
        if (UNLIKELY(!is_of(s, entry, pa >> 3)))
            return look_and_add(s, core, pa, size, now);
    } else if (core->store_entries > 8) {
        return look_and_add(s, core, pa, size, now);
    }
    return add_at(s, core, pa, size, now, entry);
}

uint32_t stores_drain(struct store_buffer *s, const struct core *core, uint64_t now)
{
    uint64_t last = now, when;

    if (s->number && now >= s->since + s->idle)
        return 0;
    settle(s);
    while (step(s, core, &s->progress, NEVER - 1, &when))
        last = later(last, when);
    return (uint32_t)(last - now);
}

void stores_state_io(struct state_io *io, struct store_buffer *s)
{
    if (io->loading)
        s->number = 0;
    else
        settle(s);
    for (unsigned i = 0; i < STORES_MAX; i++) {
        STATE_IO(io, s->doubleword[i]);
        STATE_IO(io, s->bytes[i]);
    }
    for (unsigned i = 0; i < WRITES_MAX; i++) {
        STATE_IO(io, s->writes[i].until);
        STATE_IO_BELOW(io, s->writes[i].entry, STORES_MAX);
    }
    STATE_IO(io, s->progress.sending);
    STATE_IO(io, s->progress.head);
    STATE_IO(io, s->progress.tail);
    if (s->progress.tail - s->progress.head > WRITES_MAX)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO(io, s->progress.turn);
    for (unsigned i = 0; i < STORE_QUEUE_MAX; i++)
        STATE_IO(io, s->accepted[i]);
    STATE_IO_BELOW(io, s->newest, STORE_QUEUE_MAX);
    if (io->loading)
        note_entries(s);
}
