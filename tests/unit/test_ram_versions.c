/*
 * test_ram_versions.c - earlier contents of main memory: bytes, stamps, openers, flags and kept
 * copies come back whatever changed them, in every order of taking, restoring and freeing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/state_io.h"
#include "base/versions.h"
#include "mem/ram.h"

#define BASE UINT64_C(0x80000000)

enum { PAGES = 6, CHAIN = 8, KEPT = 6, ACTIONS = 4000 };

/* All that is to come back, as plain values. */
struct page_picture {
    uint8_t bytes[PAGE_BYTES];
    struct ram_page page;
    unsigned copies;
    struct page_copy chain[CHAIN]; /* newest first */
};

struct picture {
    struct page_picture pages[PAGES];
    uint64_t stamp, closed_stamp, first_copy, next_copy;
    uint32_t closings;
};

/* A version of memory with the clock beside it, as snapshots keep them, and what it must give. */
struct kept {
    struct version *version;
    struct state_io clock;
    struct picture *picture;
};

struct world {
    struct ram *r;
    struct rng rng;
    struct kept kept[KEPT];
    unsigned count;
};

/* As the code map does it: the page is kept, then its bytes change. */
static void store_code(void *ctx, uint64_t pa, const uint8_t *bytes, unsigned size,
                       const struct writer *by)
{
    struct ram *r = ctx;

    (void)by;
    ram_keep_page(r, pa);
    memcpy(ram_host(r, pa), bytes, size);
}

static struct world build(uint64_t seed)
{
    struct world w = {.r = ram_new(BASE, PAGES * PAGE_BYTES), .rng = {seed}};

    assert_true(ram_reserve_copies(w.r, COPIES_DEFAULT));
    ram_set_hooks(w.r, (struct ram_hooks){.ctx = w.r, .store_code = store_code});
    return w;
}

static struct picture *look(const struct ram *r)
{
    struct picture *p = calloc(1, sizeof *p);

    for (unsigned n = 0; n < PAGES; n++) {
        struct page_picture *page = &p->pages[n];
        const struct page_copy *copy;

        memcpy(page->bytes, ram_host(r, BASE + n * PAGE_BYTES), PAGE_BYTES);
        page->page = r->pages[n];
        page->page.flags &= RAM_PAGE_STATE;
        page->page.kept = 0; /* belongs to the versions, not to the page */
        copy = ram_copy(r, page->page.copy);
        for (; copy && page->copies < CHAIN; copy = ram_copy(r, copy->older)) {
            page->chain[page->copies] = *copy;
            page->chain[page->copies++].kept = 0;
        }
    }
    p->stamp = r->stamp;
    p->closed_stamp = r->closed_stamp;
    p->closings = r->closings;
    p->first_copy = r->first_copy;
    p->next_copy = r->next_copy;
    return p;
}

static void assert_same(const struct ram *r, const struct picture *expected)
{
    struct picture *now = look(r);

    for (unsigned n = 0; n < PAGES; n++) {
        const struct page_picture *a = &now->pages[n], *b = &expected->pages[n];

        assert_memory_equal(a->bytes, b->bytes, PAGE_BYTES);
        assert_memory_equal(&a->page, &b->page, sizeof a->page);
        assert_int_equal(a->copies, b->copies);
        assert_memory_equal(a->chain, b->chain, sizeof a->chain);
    }
    assert_memory_equal(&now->stamp, &expected->stamp,
                        sizeof *now - offsetof(struct picture, stamp));
    free(now);
}

static void take(struct world *w)
{
    struct kept *k = &w->kept[w->count++];

    k->version = ram_take_version(w->r);
    state_io_save(&k->clock, 0);
    ram_state_io(&k->clock, w->r);
    k->picture = look(w->r);
}

static void restore(struct world *w, unsigned i)
{
    struct kept *k = &w->kept[i];
    struct state_io io;

    ram_restore_version(w->r, k->version);
    state_io_load(&io, k->clock.saved.at, k->clock.saved.len);
    ram_state_io(&io, w->r);
    assert_int_equal(state_io_end(&io), STATE_OK);
    assert_same(w->r, k->picture);
}

static void forget(struct world *w, unsigned i)
{
    struct kept k = w->kept[i];

    ram_free_version(w->r, k.version);
    state_io_free(&k.clock);
    free(k.picture);
    w->kept[i] = w->kept[--w->count];
}

static void wreck(struct world *w)
{
    while (w->count)
        forget(w, 0);
    ram_free(w->r);
}

static uint64_t pick(struct world *w, uint64_t n)
{
    return rng_below(&w->rng, n);
}

static struct writer some_writer(struct world *w)
{
    return (struct writer){.kind = (enum writer_kind)pick(w, WRITER_LOADER + 1),
                           .hart = (uint32_t)pick(w, 3),
                           .pc = pick(w, 1000),
                           .cycle = pick(w, 1000)};
}

/* One of the things that happen to memory. */
static void change(struct world *w)
{
    struct writer who = some_writer(w);
    uint64_t pa = BASE + pick(w, PAGES) * PAGE_BYTES, value = rng_next(&w->rng);

    switch (pick(w, 8)) {
    case 0: ram_close_pages(w->r); break;
    case 1: ram_flag_page(w->r, pa, RAM_PAGE_CODE); break;
    case 2:
        if (ram_page_at(w->r, pa)->flags & RAM_PAGE_CODE)
            ram_retire_code(w->r, pa, w->r->stamp, &who);
        break;
    case 3: ram_forget_copies(w->r, w->r->stamp - pick(w, 4)); break;
    default: ram_write(w->r, pa + pick(w, PAGE_BYTES - 7), &value, sizeof value, &who); break;
    }
}

static void live(struct world *w)
{
    for (unsigned n = 0; n < ACTIONS; n++)
        switch (pick(w, 40)) {
        case 0:
            if (w->count < KEPT)
                take(w);
            break;
        case 1:
            if (w->count)
                restore(w, (unsigned)pick(w, w->count));
            break;
        case 2:
            if (w->count == KEPT)
                forget(w, (unsigned)pick(w, w->count));
            break;
        default: change(w); break;
        }
    for (unsigned i = 0; i < w->count; i++)
        restore(w, i);
}

static void all_that_is_known_of_memory_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w = build(seed);

        live(&w);
        wreck(&w);
    }
}

static void taking_a_version_changes_nothing_but_the_epoch(void **state)
{
    struct world w = build(1);
    struct picture *before;
    uint64_t epoch;

    (void)state;
    for (unsigned n = 0; n < 100; n++)
        change(&w);
    before = look(w.r);
    epoch = w.r->epoch;
    take(&w);
    assert_same(w.r, before);
    assert_true(w.r->epoch > epoch); /* or a hart's cached store would change a page unseen */
    free(before);
    wreck(&w);
}

static void a_version_takes_memory_for_changed_pages_only(void **state)
{
    static const struct writer hart = {.kind = WRITER_HART};
    struct world w = build(1);
    size_t empty;

    (void)state;
    memset(ram_host(w.r, BASE), 1, PAGE_BYTES); /* a page of zeros takes none */
    take(&w);
    empty = version_bytes(w.kept[0].version);
    assert_true(empty < PAGE_BYTES);
    for (unsigned n = 0; n < 10; n++)
        ram_write(w.r, BASE + 8 * n, "x", 1, &hart);
    assert_true(version_bytes(w.kept[0].version) >= empty + PAGE_BYTES);
    assert_true(version_bytes(w.kept[0].version) < empty + 2 * PAGE_BYTES);
    forget(&w, 0);
    wreck(&w);
}

static void flags_of_observers_stay_as_they_are(void **state)
{
    struct world w = build(1);

    (void)state;
    ram_flag_page(w.r, BASE, RAM_PAGE_CODE);
    take(&w);
    ram_unflag_page(w.r, BASE, RAM_PAGE_CODE);
    ram_flag_page(w.r, BASE, RAM_PAGE_WATCHED_STORES);
    restore(&w, 0);
    assert_int_equal(ram_page_at(w.r, BASE)->flags, RAM_PAGE_CODE | RAM_PAGE_WATCHED_STORES);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_known_of_memory_comes_back),
        cmocka_unit_test(taking_a_version_changes_nothing_but_the_epoch),
        cmocka_unit_test(a_version_takes_memory_for_changed_pages_only),
        cmocka_unit_test(flags_of_observers_stay_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
