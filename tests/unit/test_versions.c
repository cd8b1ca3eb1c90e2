/*
 * test_versions.c - versions of an array of pages, in every order of taking, changing,
 * restoring and freeing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/state_io.h"
#include "base/versions.h"

enum { PAGES = 12, BYTES = 8, KEPT = 10 };

struct world {
    uint8_t now[PAGES][BYTES];
    bool broken; /* nothing can be read or written */
    unsigned reads, writes;
    struct versions *versions;
};

/* Pages are of different sizes: the first byte is the number of the others that are used. */
static bool page_io(void *ctx, uint64_t page, struct state_io *io)
{
    struct world *w = ctx;

    w->writes += io->loading;
    w->reads += !io->loading;
    if (w->broken)
        return false;
    if (io->loading)
        memset(w->now[page], 0, BYTES);
    STATE_IO(io, w->now[page][0]);
    state_io_bytes(io, w->now[page] + 1, w->now[page][0] % BYTES);
    return true;
}

static void build(struct world *w)
{
    struct page_store store = {w, BYTES, page_io};

    *w = (struct world){0};
    w->versions = versions_new(&store);
}

static void set(struct world *w, unsigned page, uint8_t value)
{
    memset(w->now[page], 0, BYTES);
    memset(w->now[page], value, 1 + value % BYTES);
}

static void change(struct world *w, unsigned page, uint8_t value)
{
    versions_keep(w->versions, page);
    set(w, page, value);
}

static void a_page_is_copied_once_before_its_first_change(void **state)
{
    struct world w;
    struct version *a;

    (void)state;
    build(&w);
    change(&w, 1, 1);
    assert_int_equal(w.reads, 0); /* no version needs it */
    a = versions_take(w.versions);
    assert_int_equal(w.reads, 0);
    change(&w, 1, 2);
    change(&w, 1, 3);
    change(&w, 2, 3);
    assert_int_equal(w.reads, 2);
    assert_true(versions_restore(w.versions, a));
    assert_int_equal(w.now[1][0], 1);
    assert_int_equal(w.now[2][0], 0);
    assert_int_equal(w.writes, 2);
    versions_free(w.versions);
}

static void a_version_can_be_restored_again_and_again(void **state)
{
    struct world w;
    struct version *a;

    (void)state;
    build(&w);
    change(&w, 3, 7);
    a = versions_take(w.versions);
    for (unsigned i = 0; i < 5; i++) {
        change(&w, 3, (uint8_t)i);
        assert_true(versions_restore(w.versions, a));
        assert_int_equal(w.now[3][0], 7);
    }
    versions_free(w.versions);
}

static void a_later_version_survives_the_restore_of_an_earlier_one(void **state)
{
    struct world w;
    struct version *a, *b;

    (void)state;
    build(&w);
    a = versions_take(w.versions);
    change(&w, 0, 1);
    b = versions_take(w.versions);
    change(&w, 0, 2);
    assert_true(versions_restore(w.versions, a));
    assert_int_equal(w.now[0][0], 0);
    change(&w, 0, 9);
    assert_true(versions_restore(w.versions, b));
    assert_int_equal(w.now[0][0], 1);
    versions_free(w.versions);
}

static void freeing_gives_the_memory_back(void **state)
{
    struct world w;
    struct version *a, *b;

    (void)state;
    build(&w);
    a = versions_take(w.versions);
    change(&w, 0, 1);
    b = versions_take(w.versions);
    change(&w, 0, 2);
    change(&w, 1, 2);
    version_free(w.versions, b);
    assert_true(versions_restore(w.versions, a));
    assert_int_equal(w.now[0][0], 0);
    assert_int_equal(w.now[1][0], 0);
    version_free(w.versions, a);
    assert_false(versions_exist(w.versions));
    assert_int_equal(versions_bytes(w.versions), 0);
    versions_free(w.versions);
}

static void a_page_that_cannot_be_read_or_written_is_said(void **state)
{
    struct world w;
    struct version *a;

    (void)state;
    build(&w);
    a = versions_take(w.versions);
    w.broken = true;
    change(&w, 0, 1);
    w.broken = false;
    assert_false(versions_restore(w.versions, a));
    change(&w, 0, 2);
    w.broken = true;
    assert_false(versions_restore(w.versions, a));
    versions_free(w.versions);
}

/* Compared with full copies. */
static void any_order_gives_what_full_copies_would(void **state)
{
    struct rng r = {1};

    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        struct world w;
        struct version *kept[KEPT] = {0};
        uint8_t copies[KEPT][PAGES][BYTES];

        build(&w);
        for (unsigned step = 0; step < 200; step++) {
            unsigned i = (unsigned)rng_below(&r, KEPT);

            switch (rng_below(&r, 8)) {
            case 0:
                if (kept[i])
                    version_free(w.versions, kept[i]);
                kept[i] = versions_take(w.versions);
                memcpy(copies[i], w.now, sizeof w.now);
                break;
            case 1:
                if (!kept[i])
                    break;
                assert_true(versions_restore(w.versions, kept[i]));
                assert_memory_equal(copies[i], w.now, sizeof w.now);
                break;
            case 2:
                if (kept[i])
                    version_free(w.versions, kept[i]);
                kept[i] = NULL;
                break;
            default: change(&w, (unsigned)rng_below(&r, PAGES), (uint8_t)rng_next(&r)); break;
            }
        }
        for (unsigned i = 0; i < KEPT; i++)
            if (kept[i]) {
                assert_true(versions_restore(w.versions, kept[i]));
                assert_memory_equal(copies[i], w.now, sizeof w.now);
            }
        versions_free(w.versions);
    }
}

/* A caller that keeps a page once in each generation keeps enough. */
static void a_generation_says_when_to_keep_again(void **state)
{
    struct rng r = {2};

    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        struct world w;
        struct version *kept[KEPT] = {0};
        uint8_t copies[KEPT][PAGES][BYTES];
        uint32_t generation[PAGES] = {0};

        build(&w);
        for (unsigned step = 0; step < 200; step++) {
            unsigned i = (unsigned)rng_below(&r, KEPT), page = (unsigned)rng_below(&r, PAGES);

            if (rng_below(&r, 4) == 0 && !kept[i]) {
                kept[i] = versions_take(w.versions);
                memcpy(copies[i], w.now, sizeof w.now);
            } else if (rng_below(&r, 4) == 0 && kept[i]) {
                assert_true(versions_restore(w.versions, kept[i]));
                assert_memory_equal(copies[i], w.now, sizeof w.now);
            } else if (rng_below(&r, 10) == 0 && kept[i]) {
                version_free(w.versions, kept[i]);
                kept[i] = NULL;
            }
            if (generation[page] != versions_generation(w.versions))
                versions_keep(w.versions, page);
            generation[page] = versions_generation(w.versions);
            set(&w, page, (uint8_t)rng_next(&r));
        }
        versions_free(w.versions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_copied_once_before_its_first_change),
        cmocka_unit_test(a_version_can_be_restored_again_and_again),
        cmocka_unit_test(a_later_version_survives_the_restore_of_an_earlier_one),
        cmocka_unit_test(freeing_gives_the_memory_back),
        cmocka_unit_test(a_page_that_cannot_be_read_or_written_is_said),
        cmocka_unit_test(any_order_gives_what_full_copies_would),
        cmocka_unit_test(a_generation_says_when_to_keep_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
