/*
 * test_changes.c - what an update has changed: sites by their states before and after, and other
 * places.
 */
#include "isa/world.h"

#include "base/state_io.h"
#include "cpu/observer.h"
#include "ftrace/patch/changes.h"
#include "machine/site_image.h"

/* Functions f, g, h and k, the sites 0 to 3, and code that is no site. */
enum { F = 0x100, STEP = 0x40, SITES = 4, MCOUNT = 0x400, CALLER = 0x500, OTHER = 0x800 };

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct changes c;
    struct change_log log;
};

static uint64_t site_pa(uint32_t id)
{
    return SITE_PA + F + id * STEP;
}

static void build(struct scene *s)
{
    static const char *const names[SITES] = {"f", "g", "h", "k"};
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    const struct writer loader = {.kind = WRITER_LOADER};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    s->im = image_begin();
    for (uint32_t id = 0; id < SITES; id++) {
        image_name(s->im, names[id], F + id * STEP);
        image_site(s->im, F + id * STEP);
    }
    image_name(s->im, "_mcount", MCOUNT);
    image_name(s->im, "ftrace_caller", CALLER);
    s->t = image_table(s->im, &s->symbols);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    assert_int_equal(site_count(s->t), SITES);
}

static void wreck(struct scene *s)
{
    changes_free(&s->c);
    change_log_free(&s->log);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void store(struct scene *s, uint64_t pa, uint64_t value, unsigned size, bool begins)
{
    struct code_write w = {.who = {.kind = WRITER_HART}, .pa = pa, .size = size};

    assert_true(bus_read(s->w.bus, pa, w.old_bytes, size));
    memcpy(w.new_bytes, &value, size);
    poke(&s->w, pa, value, size);
    changes_write(&s->c, s->t, s->w.bus, &w, site_find(s->t, pa, size), begins);
}

static void switch_off(struct scene *s, uint32_t id)
{
    store(s, site_pa(id), NOP, 4, true);
    store(s, site_pa(id) + 4, NOP, 4, false);
}

static void switch_on(struct scene *s, uint32_t id)
{
    uint32_t pair[2];

    call_pair(pair, site_pa(id), SITE_PA + CALLER);
    store(s, site_pa(id), pair[0], 4, true);
    store(s, site_pa(id) + 4, pair[1], 4, false);
}

/* The update ends. */
static struct change_ranges end(struct scene *s)
{
    struct change_ranges r = change_log_add(&s->log, s->t, &s->c);

    changes_clear(&s->c);
    return r;
}

static void assert_group(const struct change_group *g, enum site_state from, enum site_state to,
                         uint32_t count, uint32_t runs)
{
    assert_false(g->is_ops);
    assert_int_equal(g->from, from);
    assert_int_equal(g->to, to);
    assert_int_equal(g->count, count);
    assert_int_equal(g->runs, runs);
    assert_int_equal(g->unlisted, 0);
}

static void assert_run(const struct scene *s, const struct change_group *g, uint32_t n,
                       uint32_t first, uint32_t last)
{
    assert_int_equal(s->log.runs.at[g->first_run + n].first, first);
    assert_int_equal(s->log.runs.at[g->first_run + n].last, last);
}

static void sites_that_change_alike_are_one_group_of_runs(void **state)
{
    static const uint32_t nops[2] = {NOP, NOP};
    const struct change_group *g;
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    switch_off(&s, 3);
    switch_off(&s, 0);
    switch_off(&s, 1);
    r = end(&s);
    assert_int_equal(r.groups, 1);
    assert_int_equal(r.places, 0);
    g = &s.log.groups.at[r.first_group];
    assert_group(g, SITE_INIT, SITE_OFF, 3, 2);
    assert_run(&s, g, 0, 0, 1);
    assert_run(&s, g, 1, 3, 3);
    assert_int_equal(g->example.site, 0);
    assert_memory_equal(g->example.old_bytes, s.im->bytes + F, SITE_BYTES);
    assert_memory_equal(g->example.new_bytes, nops, SITE_BYTES);
    wreck(&s);
}

static void each_change_of_state_is_a_group_of_its_own(void **state)
{
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    switch_off(&s, 1);
    (void)end(&s);
    switch_off(&s, 0);
    switch_on(&s, 1);
    switch_on(&s, 2);
    store(&s, site_pa(3), NOP, 4, true); /* half of a patch */
    r = end(&s);
    assert_int_equal(r.groups, 4);
    assert_group(&s.log.groups.at[r.first_group], SITE_INIT, SITE_OFF, 1, 1);
    assert_group(&s.log.groups.at[r.first_group + 1], SITE_INIT, SITE_ON, 1, 1);
    assert_group(&s.log.groups.at[r.first_group + 2], SITE_INIT, SITE_OTHER, 1, 1);
    assert_group(&s.log.groups.at[r.first_group + 3], SITE_OFF, SITE_ON, 1, 1);
    assert_run(&s, &s.log.groups.at[r.first_group + 3], 0, 1, 1);
    wreck(&s);
}

static void a_site_that_is_patched_again_counts_once_from_its_first_state_to_its_last(void **state)
{
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, 0);
    switch_on(&s, 1);
    switch_off(&s, 0);
    r = end(&s);
    assert_int_equal(r.groups, 2);
    assert_group(&s.log.groups.at[0], SITE_INIT, SITE_OFF, 1, 1);
    assert_group(&s.log.groups.at[1], SITE_INIT, SITE_ON, 1, 1);
    assert_run(&s, &s.log.groups.at[1], 0, 1, 1);
    wreck(&s);
}

static void a_site_that_is_patched_without_end_takes_no_memory_without_end(void **state)
{
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned n = 0; n < 20000; n++) {
        switch_on(&s, n % 2);
        switch_off(&s, n % 2);
        assert_in_range(s.c.sites.len, 1, 4096);
    }
    r = end(&s);
    assert_int_equal(r.groups, 1);
    assert_group(&s.log.groups.at[0], SITE_INIT, SITE_OFF, 2, 1);
    wreck(&s);
}

static void stores_side_by_side_are_one_place(void **state)
{
    const struct place_change *p;
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    store(&s, SITE_PA + OTHER + 4, 0x11111111, 4, false);
    store(&s, SITE_PA + OTHER, 0x22222222, 4, false);
    store(&s, SITE_PA + OTHER + 2, 0x3333, 2, false);
    store(&s, SITE_PA + OTHER + 16, 0x44444444, 4, false);
    r = end(&s);
    assert_int_equal(r.groups, 0);
    assert_int_equal(r.places, 2);
    assert_int_equal(r.left_out, 0);
    p = &s.log.places.at[r.first_place];
    assert_int_equal(p[0].pa, SITE_PA + OTHER);
    assert_int_equal(p[0].size, 8);
    assert_int_equal(p[0].stores, 3);
    assert_memory_equal(p[0].old_bytes, "\0\0\0\0\0\0\0\0", 8);
    assert_memory_equal(p[0].new_bytes, "\x22\x22\x33\x33\x11\x11\x11\x11", 8);
    assert_int_equal(p[1].pa, SITE_PA + OTHER + 16);
    assert_int_equal(p[1].stores, 1);
    wreck(&s);
}

static void a_long_place_has_its_size_and_no_bytes(void **state)
{
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned at = 0; at < 256; at += 8)
        store(&s, SITE_PA + OTHER + at, at + 1, 8, false);
    r = end(&s);
    assert_int_equal(r.places, 1);
    assert_int_equal(s.log.places.at[0].size, 256);
    assert_int_equal(s.log.places.at[0].stores, 32);
    wreck(&s);
}

static void places_without_end_are_counted(void **state)
{
    enum { KEPT = 64, STORES = 100 };
    struct change_ranges r;
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned n = 0; n < STORES; n++)
        store(&s, SITE_PA + OTHER + 16 * n, n, 8, false);
    r = end(&s);
    assert_int_equal(r.places, KEPT);
    assert_int_equal(r.left_out, STORES - KEPT);
    wreck(&s);
}

/* ---- state ---- */

static void save(struct scene *s, struct state_io *io)
{
    state_io_save(io, 0);
    changes_state_io(io, &s->c, s->t);
    change_log_state_io(io, &s->log, s->t);
}

static enum state_error restore(struct scene *s, const uint8_t *data, size_t size)
{
    struct state_io io;

    state_io_load(&io, data, size);
    changes_state_io(&io, &s->c, s->t);
    change_log_state_io(&io, &s->log, s->t);
    return state_io_end(&io);
}

static void all_of_it_survives_being_saved_and_restored(void **state)
{
    struct scene s, other;
    struct state_io io, again;

    (void)state;
    build(&s);
    build(&other);
    switch_off(&s, 0);
    switch_on(&s, 2);
    (void)end(&s);
    switch_on(&s, 1);
    store(&s, SITE_PA + OTHER, 1, 8, false);
    save(&s, &io);
    assert_int_equal(restore(&other, io.saved.at, io.saved.len), STATE_OK);
    save(&other, &again);
    assert_int_equal(again.saved.len, io.saved.len);
    assert_memory_equal(again.saved.at, io.saved.at, io.saved.len);
    assert_int_equal(other.log.groups.len, 2);
    state_io_free(&io);
    state_io_free(&again);
    wreck(&s);
    wreck(&other);
}

static void a_state_of_more_sites_than_there_are_is_refused(void **state)
{
    struct scene s;
    struct state_io io;

    (void)state;
    build(&s);
    switch_on(&s, 1);
    s.c.sites.at[0].site = SITES;
    save(&s, &io);
    s.c.sites.at[0].site = 1;
    assert_int_equal(restore(&s, io.saved.at, io.saved.len), STATE_OUT_OF_RANGE);
    state_io_free(&io);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_that_change_alike_are_one_group_of_runs),
        cmocka_unit_test(each_change_of_state_is_a_group_of_its_own),
        cmocka_unit_test(a_site_that_is_patched_again_counts_once_from_its_first_state_to_its_last),
        cmocka_unit_test(a_site_that_is_patched_without_end_takes_no_memory_without_end),
        cmocka_unit_test(stores_side_by_side_are_one_place),
        cmocka_unit_test(a_long_place_has_its_size_and_no_bytes),
        cmocka_unit_test(places_without_end_are_counted),
        cmocka_unit_test(all_of_it_survives_being_saved_and_restored),
        cmocka_unit_test(a_state_of_more_sites_than_there_are_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
