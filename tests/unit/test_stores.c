/*
 * test_stores.c - the store buffer, which looks up what it has worked out before, beside a plain
 * one that goes from cycle to cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/state_io.h"
#include "timing/stores.h"

/* ---- the plain one ---- */

enum { HISTORY = 1 << 16 };

struct plain {
    const struct core *core;
    struct {
        uint64_t doubleword;
        unsigned valid, changed, sent;
    } entries[STORES_MAX];
    struct {
        uint64_t until;
        unsigned entry;
    } sent[HISTORY];
    unsigned answered, sent_count;
    uint64_t accepted[HISTORY];
    unsigned stores;
    unsigned turn;
    uint64_t cycle, hold; /* nothing is sent before `hold` */
};

static bool is_ready(const struct plain *p, unsigned at)
{
    return p->entries[at].changed && !p->entries[at].sent;
}

static int next_ready(const struct plain *p)
{
    for (unsigned i = 0; i < p->core->store_entries; i++) {
        unsigned at = (p->turn + i) % p->core->store_entries;

        if (is_ready(p, at))
            return (int)at;
    }
    return -1;
}

/* All, the lower or upper half, an aligned quarter if nothing else has changed; or one byte. */
static unsigned one_write(unsigned changed)
{
    static const unsigned whole[] = {0xff, 0x0f, 0xf0, 0x03, 0x0c, 0x30, 0xc0};
    unsigned bit = 1;

    for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++)
        if (changed == whole[i])
            return changed;
    while (!(changed & bit))
        bit <<= 1;
    return bit;
}

static void plain_send(struct plain *p)
{
    int at = next_ready(p);

    if (at < 0 || p->cycle < p->hold || p->sent_count - p->answered == p->core->store_writes)
        return;
    assert_true(p->sent_count < HISTORY);
    p->entries[at].sent = one_write(p->entries[at].changed);
    p->entries[at].changed &= ~p->entries[at].sent;
    p->sent[p->sent_count].entry = (unsigned)at;
    p->sent[p->sent_count++].until = p->cycle + p->core->memory_first + p->core->store_answer;
    p->turn = ((unsigned)at + 1) % p->core->store_entries;
}

/* True: something was answered at the start of the next cycle. */
static bool plain_next_cycle(struct plain *p)
{
    unsigned before = p->answered;

    plain_send(p);
    p->cycle++;
    while (p->answered < p->sent_count && p->sent[p->answered].until <= p->cycle) {
        unsigned at = p->sent[p->answered++].entry;

        p->entries[at].valid &= ~p->entries[at].sent | p->entries[at].changed;
        p->entries[at].sent = 0;
    }
    return p->answered != before;
}

static int plain_find(const struct plain *p, uint64_t doubleword)
{
    for (unsigned i = 0; i < p->core->store_entries; i++)
        if (p->entries[i].valid && p->entries[i].doubleword == doubleword)
            return (int)i;
    for (unsigned i = 0; i < p->core->store_entries; i++)
        if (!p->entries[i].valid)
            return (int)i;
    return -1;
}

static uint32_t plain_add(struct plain *p, uint64_t pa, unsigned size, uint64_t now)
{
    uint64_t from = now, full;
    int at;

    if (p->stores && p->accepted[p->stores - 1] + 1 > from)
        from = p->accepted[p->stores - 1] + 1;
    while (p->cycle < from)
        (void)plain_next_cycle(p);
    while ((at = plain_find(p, pa / 8)) < 0)
        (void)plain_next_cycle(p);
    if (next_ready(p) < 0)
        p->hold = p->cycle + 1;
    p->entries[at].doubleword = pa / 8;
    for (unsigned byte = pa % 8; byte < pa % 8 + size && byte < 8; byte++) {
        p->entries[at].valid |= 1U << byte;
        p->entries[at].changed |= 1U << byte;
    }
    assert_true(p->stores < HISTORY);
    p->accepted[p->stores++] = p->cycle;
    if (p->stores <= p->core->store_queue)
        return 0;
    full = p->accepted[p->stores - 1 - p->core->store_queue];
    return full > now ? (uint32_t)(full - now) : 0;
}

static uint32_t plain_drain(struct plain *p, uint64_t now)
{
    uint64_t last = now;

    while (next_ready(p) >= 0 || p->answered != p->sent_count)
        if (plain_next_cycle(p) && p->cycle > last)
            last = p->cycle;
    return (uint32_t)(last - now);
}

/* ---- both ---- */

struct pair {
    struct core core;
    struct plain *plain;
    struct store_buffer buffer;
    struct rng rng;
    uint64_t now;
};

static struct pair make(uint64_t seed)
{
    struct pair p = {.plain = calloc(1, sizeof *p.plain), .rng = {seed}, .now = 100};
    uint64_t r = rng_next(&p.rng);

    assert_non_null(p.plain);
    p.core = (struct core){.store_entries = seed % 4 ? 1 + (uint32_t)r % STORES_MAX : 8,
                           .store_writes = 1 + (uint32_t)(r >> 8) % WRITES_MAX,
                           .store_queue = (uint32_t)(r >> 16) % STORE_QUEUE_MAX,
                           .store_answer = (uint32_t)(r >> 24) % 5,
                           .memory_first = 1 + (uint32_t)(r >> 32) % 30};
    stores_init(&p.buffer);
    return p;
}

static void begin(struct pair *p)
{
    memset(p->plain, 0, sizeof *p->plain);
    p->plain->core = &p->core;
    p->plain->cycle = p->now;
}

static void end(struct pair *p)
{
    stores_free(&p->buffer);
    free(p->plain);
}

static void both_add(struct pair *p, uint64_t pa, unsigned size)
{
    uint32_t stall = plain_add(p->plain, pa, size, p->now);

    assert_int_equal(stores_add(&p->buffer, &p->core, pa, size, p->now), stall);
    p->now += stall;
}

static void both_drain(struct pair *p)
{
    uint32_t stall = plain_drain(p->plain, p->now);

    assert_int_equal(stores_drain(&p->buffer, &p->core, p->now), stall);
    p->now += stall;
}

/* The buffer goes on from a saved state, with nothing that it has worked out. */
static void restore(struct pair *p)
{
    struct state_io saved, loaded;
    struct store_buffer other;

    stores_init(&other);
    state_io_save(&saved, 0);
    state_io_section(&saved, "stores", 1);
    stores_state_io(&saved, &p->buffer);
    state_io_load(&loaded, saved.saved.at, saved.saved.len);
    state_io_section(&loaded, "stores", 1);
    stores_state_io(&loaded, &other);
    assert_int_equal(state_io_end(&loaded), STATE_OK);
    state_io_free(&saved);
    stores_free(&p->buffer);
    p->buffer = other;
}

/* Rounds of one short program: stores with gaps, as a loop makes them. */
static void loops_take_what_they_take_from_cycle_to_cycle(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct pair p = make(seed);

        begin(&p);
        for (unsigned program = 0; program < 6; program++) {
            uint64_t start = rng_next(&p.rng), stride = rng_below(&p.rng, 3) * 8;

            for (unsigned round = 0; round < 40; round++) {
                struct rng same = {start};

                for (uint64_t left = 1 + rng_below(&same, 12); left; left--) {
                    unsigned size = 1U << rng_below(&same, 4);
                    uint64_t pa = 0x1000 + rng_below(&same, 24) * size + round * stride;

                    both_add(&p, pa, size);
                    p.now += 1 + rng_below(&same, rng_below(&same, 8) ? 3 : 80);
                }
            }
        }
        end(&p);
    }
}

static void any_stores_take_what_they_take_from_cycle_to_cycle(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 160; seed++) {
        struct pair p = make(seed);

        begin(&p);
        for (unsigned i = 0; i < 2000; i++) {
            uint64_t r = rng_next(&p.rng);
            unsigned size = 1U << (r & 3);

            if (r >> 10 & 1)
                p.now += r >> 12 & (r >> 20 & 7 ? 3 : 127);
            if (!(r >> 24 & 127))
                both_drain(&p);
            if (!(r >> 32 & 255))
                restore(&p);
            both_add(&p, 0x2000 + ((r >> 40) % 40) * 4 + (r >> 50) % 3, size);
        }
        both_drain(&p);
        end(&p);
    }
}

static void a_state_that_is_restored_is_the_same_bytes(void **state)
{
    struct state_io saved[2];
    struct pair p = make(4);

    (void)state;
    begin(&p);
    for (unsigned i = 0; i < 100; i++)
        both_add(&p, 0x3000 + i % 7 * 8, 8);
    for (unsigned i = 0; i < 2; i++) {
        state_io_save(&saved[i], 0);
        state_io_section(&saved[i], "stores", 1);
        stores_state_io(&saved[i], &p.buffer);
        restore(&p);
    }
    assert_int_equal(saved[0].saved.len, saved[1].saved.len);
    assert_memory_equal(saved[0].saved.at, saved[1].saved.at, saved[0].saved.len);
    for (unsigned i = 0; i < 2; i++)
        state_io_free(&saved[i]);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_take_what_they_take_from_cycle_to_cycle),
        cmocka_unit_test(any_stores_take_what_they_take_from_cycle_to_cycle),
        cmocka_unit_test(a_state_that_is_restored_is_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
