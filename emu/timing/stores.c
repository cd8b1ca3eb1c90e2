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

/* The next entry in turn that has bytes to be sent; -1: none. */
static int next_to_send(const struct store_buffer *s, const struct core *core)
{
    for (uint32_t i = 0; i < core->store_entries; i++) {
        uint32_t at = (s->turn + i) % core->store_entries;

        if (s->entries[at].changed && !s->entries[at].sent)
            return (int)at;
    }
    return -1;
}

static struct stores_write *next_answer(struct store_buffer *s, const struct core *core)
{
    struct stores_write *first = NULL;

    for (uint32_t i = 0; i < core->store_writes; i++)
        if (s->writes[i].bytes && (!first || s->writes[i].until < first->until))
            first = &s->writes[i];
    return first;
}

static struct stores_write *free_write(struct store_buffer *s, const struct core *core)
{
    for (uint32_t i = 0; i < core->store_writes; i++)
        if (!s->writes[i].bytes)
            return &s->writes[i];
    return NULL;
}

static void answer(struct store_buffer *s, struct stores_write *w)
{
    struct stores_entry *e = &s->entries[w->entry];

    e->sent = 0;
    e->valid &= (uint8_t)(~w->bytes | e->changed);
    s->sending = later(s->sending, w->until);
    w->bytes = 0;
}

static void send(struct store_buffer *s, const struct core *core, struct stores_write *w, int at)
{
    struct stores_entry *e = &s->entries[at];

    w->bytes = bytes_of_write(e->changed);
    w->entry = (uint8_t)at;
    w->until = s->sending + core->memory_first + core->store_answer;
    e->sent = w->bytes;
    e->changed &= (uint8_t)~w->bytes;
    s->sending++;
    s->turn = ((uint32_t)at + 1) % core->store_entries;
}

/* The next thing that happens until then, and when; false: nothing. */
static bool step(struct store_buffer *s, const struct core *core, uint64_t until, uint64_t *when)
{
    struct stores_write *w = next_answer(s, core), *place = free_write(s, core);
    int at = place ? next_to_send(s, core) : -1;
    uint64_t answered = w ? w->until : NEVER, sent = at >= 0 ? s->sending : NEVER;

    if (answered > until && sent >= until)
        return false;
    *when = answered <= sent ? answered : sent;
    if (answered <= sent)
        answer(s, w);
    else
        send(s, core, place, at);
    return true;
}

static int entry_for(const struct store_buffer *s, const struct core *core, uint64_t doubleword)
{
    int at = -1;

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
    uint64_t full = core->store_queue ? s->accepted[core->store_queue - 1] : now, from;
    uint8_t bytes = bytes_of(pa, size);
    bool idle;
    int at;

    from = accept(s, core, pa >> 3, later(now, s->accepted[0] + 1), &at);
    if (at < 0)
        return 0; /* no state of ours */
    idle = next_to_send(s, core) < 0;
    s->entries[at].doubleword = pa >> 3;
    s->entries[at].valid |= bytes;
    s->entries[at].changed |= bytes;
    if (idle)
        s->sending = later(s->sending, from + 1);
    memmove(&s->accepted[1], &s->accepted[0], sizeof s->accepted - sizeof s->accepted[0]);
    s->accepted[0] = from;
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
    STATE_IO(io, s->sending);
    STATE_IO_BELOW(io, s->turn, STORES_MAX);
}
