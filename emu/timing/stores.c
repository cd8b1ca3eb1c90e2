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

static void note_ready(struct store_buffer *s, uint32_t at)
{
    const struct stores_entry *e = &s->entries[at];

    s->ready &= ~(UINT32_C(1) << at);
    if (e->changed && !e->sent)
        s->ready |= UINT32_C(1) << at;
}

/* The next entry in turn that has bytes to be sent; -1: none. */
static int next_to_send(const struct store_buffer *s)
{
    uint32_t from_turn = s->ready & (UINT32_MAX << s->turn);

    if (!s->ready)
        return -1;
    return __builtin_ctz(from_turn ? from_turn : s->ready);
}

static struct stores_write *next_answer(struct store_buffer *s)
{
    return s->count ? &s->writes[s->first] : NULL;
}

static void answer(struct store_buffer *s, struct stores_write *w)
{
    struct stores_entry *e = &s->entries[w->entry];

    e->sent = 0;
    e->valid &= (uint8_t)(~w->bytes | e->changed);
    s->sending = later(s->sending, w->until);
    s->first = (s->first + 1) % WRITES_MAX;
    s->count--;
    note_ready(s, w->entry);
}

static void send(struct store_buffer *s, const struct core *core, int at)
{
    struct stores_write *w = &s->writes[(s->first + s->count++) % WRITES_MAX];
    struct stores_entry *e = &s->entries[at];

    w->bytes = bytes_of_write(e->changed);
    w->entry = (uint8_t)at;
    w->until = s->sending + core->memory_first + core->store_answer;
    e->sent = w->bytes;
    e->changed &= (uint8_t)~w->bytes;
    s->sending++;
    s->turn = (uint32_t)at + 1 < core->store_entries ? (uint32_t)at + 1 : 0;
    note_ready(s, (uint32_t)at);
}

/* The next thing that happens until then, and when; false: nothing. */
static bool step(struct store_buffer *s, const struct core *core, uint64_t until, uint64_t *when)
{
    struct stores_write *w;
    uint64_t answered, sent;
    int at;

    if (until < s->next)
        return false;
    w = next_answer(s);
    at = s->count < core->store_writes ? next_to_send(s) : -1;
    answered = w ? w->until : NEVER;
    sent = at >= 0 ? s->sending : NEVER;
    s->next = answered <= sent ? answered : sent + 1;
    if (until < s->next)
        return false;
    *when = answered <= sent ? answered : sent;
    if (answered <= sent)
        answer(s, w);
    else
        send(s, core, at);
    return true;
}

static int entry_for(const struct store_buffer *s, const struct core *core, uint64_t doubleword)
{
    const struct stores_entry *last = &s->entries[s->last];
    int at = -1;

    if (last->valid && last->doubleword == doubleword)
        return (int)s->last;
    for (uint32_t i = 0; i < core->store_entries; i++) {
        if (s->entries[i].valid && s->entries[i].doubleword == doubleword)
            return (int)i;
        if (!s->entries[i].valid && at < 0)
            at = (int)i;
    }
    return at;
}

/* The cycle in which the buffer takes the store at the front of the queue, and its entry. */
static uint64_t accept(struct store_buffer *s, const struct core *core, uint64_t doubleword,
                       uint64_t from, int *at)
{
    uint64_t when = from;

    while (step(s, core, from, &when))
        ;
    *at = entry_for(s, core, doubleword);
    while (*at < 0 && step(s, core, NEVER - 1, &when)) {
        from = later(from, when);
        *at = entry_for(s, core, doubleword);
    }
    return from;
}

uint32_t stores_add(struct store_buffer *s, const struct core *core, uint64_t pa, unsigned size,
                    uint64_t now)
{
    uint64_t from = later(now, s->accepted[s->newest] + 1), full;
    uint32_t oldest = s->newest + STORE_QUEUE_MAX + 1 - core->store_queue;
    uint8_t bytes = bytes_of(pa, size);
    struct stores_entry *e;
    int at;

    full = s->accepted[oldest % STORE_QUEUE_MAX];
    from = accept(s, core, pa >> 3, from, &at);
    if (at < 0)
        return 0; /* no state of ours */
    e = &s->entries[at];
    e->doubleword = pa >> 3;
    e->valid |= bytes;
    e->changed |= bytes;
    if (!s->ready)
        s->sending = later(s->sending, from + 1);
    if (!e->sent && !(s->ready >> at & 1)) {
        s->ready |= UINT32_C(1) << at;
        if (s->next > s->sending + 1)
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
    if (io->loading) {
        for (uint32_t i = 0; i < STORES_MAX; i++)
            note_ready(s, i);
        s->last = 0;
        s->next = 0;
    }
}
