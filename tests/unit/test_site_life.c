/*
 * test_site_life.c - sites that come with modules, and that go with memory that is freed.
 */
#include "isa/world.h"

#include "cpu/cluster.h"
#include "ftrace/cost/account.h"
#include "ftrace/sites/site_life.h"
#include "machine/site_image.h"

/* In the image two functions side by side and the trampoline; outside of it memory for a module. */
enum { F = 0x100, G = F + SITE_BYTES, MCOUNT = 0x400, CALLER = 0x500, F_ID = 0, G_ID = 1 };

#define MODULE (SITE_PA + 0x8000)

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct site_life *life;
    unsigned changes;
    uint32_t changed;
};

static void on_change(void *ctx, uint32_t id)
{
    struct scene *s = ctx;

    s->changes++;
    s->changed = id;
}

static void build_named(struct scene *s, bool known_text)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    const struct writer loader = {.kind = WRITER_LOADER};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_name(s->im, "g", G);
    image_name(s->im, "_mcount", MCOUNT);
    image_name(s->im, "ftrace_caller", CALLER);
    if (known_text) {
        image_name(s->im, "_stext", 0);
        image_name(s->im, "_etext", G);
        image_name(s->im, "free_initmem", 0x600);
    }
    image_site(s->im, F);
    image_site(s->im, G);
    s->t = image_table(s->im, &s->symbols);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    s->life = site_life_new(s->w.cluster, s->t, &s->im->image, s->symbols);
    site_table_listen(s->t, (struct site_listener){on_change, s});
    assert_int_equal(site_count(s->t), 2);
}

static void build(struct scene *s)
{
    build_named(s, false);
}

static void wreck(struct scene *s)
{
    site_life_free(s->life);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

/* A store of the hart: to memory, and as an event. */
static void store(struct scene *s, uint64_t pa, uint64_t value, unsigned size)
{
    struct code_write w = {.who = {.kind = WRITER_HART}, .pa = pa, .size = size};

    assert_true(bus_read(s->w.bus, pa, w.old_bytes, size));
    memcpy(w.new_bytes, &value, size);
    poke(&s->w, pa, value, size);
    site_life_store(s->life, &w);
}

static void store_pair(struct scene *s, uint64_t pa, uint64_t from, uint64_t to)
{
    uint32_t pair[2];

    call_pair(pair, from, to);
    store(s, pa, pair[0], 4);
    store(s, pa + 4, pair[1], 4);
}

static void store_nops(struct scene *s, uint64_t pa)
{
    store(s, pa, NOP, 4);
    store(s, pa + 4, NOP, 4);
}

static void memory_that_is_freed_and_poisoned_has_no_sites(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    store(&s, SITE_PA + F, UINT64_C(0xcccccccccccccccc), 8);
    assert_int_equal(site_find(s.t, SITE_PA + F, 8), NO_SITE);
    assert_true(site_get(s.t, F_ID)->gone);
    assert_int_equal(site_find(s.t, SITE_PA + G, 8), G_ID);
    assert_int_equal(s.changes, 1);
    assert_int_equal(s.changed, F_ID);
    store(&s, SITE_PA + F, 0, 8);
    assert_int_equal(s.changes, 1);
    assert_int_equal(site_count(s.t), 2); /* it keeps its id */
    wreck(&s);
}

/* f is in the text that stays, g behind it; the kernel has free_initmem(). */
static void foreign_bytes_end_only_sites_of_freed_memory(void **state)
{
    enum { FREE_INITMEM = 0x600 };
    struct scene s;

    (void)state;
    build_named(&s, true);
    store(&s, SITE_PA + F, 0, 8);
    assert_int_equal(site_find(s.t, SITE_PA + F, 8), F_ID);
    store(&s, SITE_PA + G, 0, 8);
    assert_int_equal(site_find(s.t, SITE_PA + G, 8), G_ID);
    assert_int_equal(s.changes, 0);
    assert_true(site_life_is_present(s.life, s.w.hart, G_ID));
    poke(&s.w, SITE_PA + FREE_INITMEM, NOP, 4);
    hart_set_pc(s.w.hart, SITE_VA + FREE_INITMEM);
    assert_int_equal(hart_run(s.w.hart, 1, UINT64_MAX), HART_BUDGET);
    store(&s, SITE_PA + F, 0x1111, 8);
    assert_int_equal(s.changes, 0);
    store(&s, SITE_PA + G, 0x1111, 8);
    assert_true(site_get(s.t, G_ID)->gone);
    assert_false(site_life_is_present(s.life, s.w.hart, G_ID));
    assert_true(site_life_is_present(s.life, s.w.hart, F_ID));
    wreck(&s);
}

static void one_store_can_end_two_sites(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    store(&s, SITE_PA + F + 4, 0, 8);
    assert_int_equal(s.changes, 2);
    assert_int_equal(site_find(s.t, SITE_PA + F, 16), NO_SITE);
    wreck(&s);
}

/* Overwrites each form of a site with each other one, byte by byte. */
static void no_step_of_patching_ends_a_site(void **state)
{
    uint32_t forms[4][2] = {{NOP, NOP}, {0x00010001, 0x00010001}};
    struct scene s;

    (void)state;
    build(&s);
    call_pair(forms[2], SITE_VA + F, SITE_VA + MCOUNT);
    call_pair(forms[3], SITE_VA + F, SITE_VA + CALLER);
    for (unsigned a = 0; a < 4; a++)
        for (unsigned b = 0; b < 4; b++)
            for (unsigned piece = 1; piece <= 8; piece *= 2) {
                uint64_t bytes;

                memcpy(&bytes, forms[a], 8);
                poke(&s.w, SITE_PA + F, bytes, 8);
                memcpy(&bytes, forms[b], 8);
                for (unsigned at = 0; at < 8; at += piece)
                    store(&s, SITE_PA + F + at, bytes >> 8 * at, piece);
                assert_false(site_get(s.t, F_ID)->gone);
            }
    assert_int_equal(s.changes, 0);
    wreck(&s);
}

static void a_module_s_function_is_a_site_from_its_first_call_of_the_trampoline_on(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    store_nops(&s, MODULE + 6);
    assert_int_equal(s.changes, 0);
    store_pair(&s, MODULE + 6, MODULE + 6, SITE_VA + CALLER);
    assert_int_equal(s.changes, 1);
    assert_int_equal(s.changed, 2);
    assert_int_equal(site_get(s.t, 2)->va, MODULE + 6);
    assert_int_equal(site_get(s.t, 2)->kind, SITE_FUNCTION);
    assert_int_equal(site_find(s.t, MODULE + 8, 2), 2);
    assert_int_equal(site_find(s.t, SITE_PA + G, 2), G_ID);
    store_nops(&s, MODULE + 6);
    store_pair(&s, MODULE + 6, MODULE + 6, SITE_VA + CALLER);
    assert_int_equal(s.changes, 1);
    wreck(&s);
}

/* In layout mcount: what the site costs has it in every state. */
static void a_copy_of_ra_before_the_pair_belongs_to_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    store(&s, MODULE, ADDI(A0, RA, 0), 4);
    store_nops(&s, MODULE + 4);
    store_pair(&s, MODULE + 4, MODULE + 4, SITE_VA + CALLER);
    assert_true(site_get(s.t, 2)->ra_copy);
    store(&s, MODULE + 18, 0x8506, 2); /* c.mv a0,ra */
    store_nops(&s, MODULE + 20);
    store_pair(&s, MODULE + 20, MODULE + 20, SITE_VA + CALLER);
    assert_true(site_get(s.t, 3)->ra_copy);
    store_nops(&s, MODULE + 40);
    store_pair(&s, MODULE + 40, MODULE + 40, SITE_VA + CALLER);
    assert_false(site_get(s.t, 4)->ra_copy);
    wreck(&s);
}

static void all_of_a_pair_may_come_with_one_store(void **state)
{
    struct scene s;
    uint32_t pair[2];
    uint64_t both;

    (void)state;
    build(&s);
    store_nops(&s, MODULE);
    call_pair(pair, MODULE, SITE_VA + CALLER);
    memcpy(&both, pair, sizeof both);
    store(&s, MODULE, both, 8);
    assert_int_equal(s.changes, 1);
    assert_int_equal(site_find(s.t, MODULE, 8), 2);
    wreck(&s);
}

static void a_pair_may_come_in_parcels(void **state)
{
    struct scene s;
    uint32_t pair[2];
    uint64_t both;

    (void)state;
    build(&s);
    store_nops(&s, MODULE + 2);
    call_pair(pair, MODULE + 2, SITE_VA + CALLER);
    memcpy(&both, pair, sizeof both);
    for (unsigned at = 0; at < 8; at += 2)
        store(&s, MODULE + 2 + at, both >> 8 * at & 0xffff, 2);
    assert_int_equal(s.changes, 1);
    assert_int_equal(site_find(s.t, MODULE + 2, 8), 2);
    wreck(&s);
}

static void an_id_is_not_used_again(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    for (uint32_t id = 2; id < 5; id++) {
        store_nops(&s, MODULE);
        store_pair(&s, MODULE, MODULE, SITE_VA + CALLER);
        assert_int_equal(site_find(s.t, MODULE, 8), id);
        store(&s, MODULE, UINT64_C(0xffffffff80001234), 8); /* unloaded, and used for data */
        assert_int_equal(site_find(s.t, MODULE, 8), NO_SITE);
    }
    assert_int_equal(site_count(s.t), 5);
    assert_int_equal(s.changes, 6);
    wreck(&s);
}

static void other_calls_are_no_sites(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    store_nops(&s, MODULE);
    store_pair(&s, MODULE, MODULE, SITE_VA + F); /* of a function */
    store_nops(&s, MODULE);
    store_pair(&s, MODULE, MODULE + 0x1000, SITE_VA + CALLER); /* right in another page only */
    store_nops(&s, MODULE);
    store_pair(&s, MODULE, MODULE + 4, SITE_VA + CALLER); /* and here nowhere */
    store_nops(&s, SITE_PA + 0x200);
    store_pair(&s, SITE_PA + 0x200, SITE_VA + 0x200,
               SITE_VA + CALLER); /* the image has its table */
    assert_int_equal(s.changes, 0);
    wreck(&s);
}

static void what_a_site_costs_is_counted_from_then_on(void **state)
{
    struct scene s;
    struct account *a;
    struct hart *h;

    (void)state;
    build(&s);
    a = account_new(s.w.cluster, &s.im->image, s.symbols, s.t);
    h = cluster_hart(s.w.cluster, 0);
    store_nops(&s, MODULE);
    store(&s, MODULE + 8, JALR(ZERO, T1, 0), 4);
    store_pair(&s, MODULE, MODULE, SITE_VA + CALLER);
    poke(&s.w, SITE_PA + CALLER, JALR(ZERO, RA, 0), 4);
    hart_set_reg(h, T1, MODULE);
    hart_set_pc(h, MODULE);
    assert_int_equal(hart_run(h, 8, UINT64_MAX),
                     HART_BUDGET); /* twice: a pair, a return, a return */
    assert_int_equal(account_get(a, 2, SITE_ON).entries, 2);
    assert_int_equal(account_get(a, 2, SITE_ON).resumed, 2);
    store_nops(&s, MODULE);
    assert_int_equal(hart_run(h, 3, UINT64_MAX), HART_BUDGET);
    assert_int_equal(account_get(a, 2, SITE_OFF).entries, 1);
    account_free(a);
    wreck(&s);
}

/* A module that is loaded and unloaded again and again, to the same place. */
static void a_site_is_counted_however_many_were_there_before(void **state)
{
    struct scene s;
    struct account *a;
    struct hart *h;
    uint32_t id;

    (void)state;
    build(&s);
    a = account_new(s.w.cluster, &s.im->image, s.symbols, s.t);
    h = cluster_hart(s.w.cluster, 0);
    poke(&s.w, SITE_PA + CALLER, JALR(ZERO, RA, 0), 4);
    for (unsigned n = 0; n < 2 * PROBES_AT_ONE_PLACE; n++) {
        store(&s, MODULE, UINT64_C(0xffffffff80001234), 8);
        store_nops(&s, MODULE);
        store(&s, MODULE + 8, JALR(ZERO, T1, 0), 4);
        store_pair(&s, MODULE, MODULE, SITE_VA + CALLER);
        hart_set_reg(h, T1, MODULE);
        hart_set_pc(h, MODULE);
        assert_int_equal(hart_run(h, 4, UINT64_MAX), HART_BUDGET);
        id = site_find(s.t, MODULE, 8);
        assert_int_equal(id, 2 + n);
        assert_int_equal(account_get(a, id, SITE_ON).entries, 1);
        assert_int_equal(account_get(a, id, SITE_ON).resumed, 1);
    }
    account_free(a);
    wreck(&s);
}

static void sites_without_end_are_not_added_without_end(void **state)
{
    enum { MAX = 1 << 18, MORE = 10 };
    struct scene s;

    (void)state;
    build(&s);
    for (uint64_t i = 0; i < MAX + MORE; i++) {
        uint64_t pa = MODULE + i * SITE_BYTES;

        store_pair(&s, pa, pa, SITE_PA + CALLER);
    }
    assert_int_equal(site_count(s.t), 2 + MAX);
    assert_int_equal(site_life_left_out(s.life), MORE);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_is_freed_and_poisoned_has_no_sites),
        cmocka_unit_test(foreign_bytes_end_only_sites_of_freed_memory),
        cmocka_unit_test(one_store_can_end_two_sites),
        cmocka_unit_test(no_step_of_patching_ends_a_site),
        cmocka_unit_test(a_module_s_function_is_a_site_from_its_first_call_of_the_trampoline_on),
        cmocka_unit_test(a_copy_of_ra_before_the_pair_belongs_to_it),
        cmocka_unit_test(all_of_a_pair_may_come_with_one_store),
        cmocka_unit_test(a_pair_may_come_in_parcels),
        cmocka_unit_test(an_id_is_not_used_again),
        cmocka_unit_test(other_calls_are_no_sites),
        cmocka_unit_test(what_a_site_costs_is_counted_from_then_on),
        cmocka_unit_test(a_site_is_counted_however_many_were_there_before),
        cmocka_unit_test(sites_without_end_are_not_added_without_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
