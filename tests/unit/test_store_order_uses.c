/*
 * test_store_order_uses.c - what else than loads of other harts uses memory while stores wait:
 * walks of page tables, fetches, blocks of zeroes; and waiting stores in a saved state. In mode
 * `delayed' a store waits until something demands it.
 */
#include <string.h>

#include "base/state_io.h"
#include "cpu/hart_priv.h"
#include "cpu/store_order.h"
#include "isa/world.h"

#define ROOT  (RAM_BASE + 0x20000) /* Sv39: the gigabyte of RAM, and one that is changed */
#define OTHER (UINT64_C(0x40000000) + (DATA - RAM_BASE))
#define ENTRY (ROOT + 8)
#define PATCH (RAM_BASE + 0x14000) /* in a page that is no code yet */

static struct world late_world(unsigned harts, enum store_mode stores, uint64_t seed)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .translate = TRANSLATE_COHERENT,
                                          .stores = stores,
                                          .stores_seed = seed};

    return world_with(&config, harts);
}

/* A leaf that maps a gigabyte to that of RAM; A and D are set. */
static uint64_t leaf(void)
{
    enum { RIGHTS = 0xcf };

    return RAM_BASE >> 12 << 10 | RIGHTS;
}

static void translate(struct world *w, struct hart *h)
{
    enum { SV39 = 8, MODE_SHIFT = 60 };

    poke(w, ROOT + 16, leaf(), 8);
    open_memory(h);
    set_csr(h, MENVCFG, UINT64_MAX);
    set_csr(h, SATP, (uint64_t)SV39 << MODE_SHIFT | ROOT >> 12);
    enter(h, PRIV_S, CODE);
}

static void run_from(struct hart *h, uint64_t pc, unsigned insns)
{
    hart_set_pc(h, pc);
    assert_int_equal(hart_run(h, insns, UINT64_MAX), HART_BUDGET);
}

/* The hart stores an entry that makes OTHER valid, and loads from there. */
static void begin_mapping(struct world *w)
{
    translate(w, w->hart);
    poke(w, DATA, 7, 8);
    hart_set_reg(w->hart, S0, ENTRY);
    hart_set_reg(w->hart, S1, OTHER);
    hart_set_reg(w->hart, T1, leaf());
    put(w, SD(T1, S0, 0));
}

static void a_walk_does_not_see_an_entry_that_waits(void **state)
{
    struct world w = late_world(1, STORES_DELAYED, 0);

    (void)state;
    begin_mapping(&w);
    put(&w, LD(A0, S1, 0));
    run_from(w.hart, CODE, 2);
    assert_int_equal(csr(w.hart, MCAUSE), EXC_LOAD_PAGE);
    assert_int_equal(hart_waiting_stores(w.hart), 1);
    assert_int_equal(peek(&w, ENTRY, 8), 0);
    world_free(&w);
}

static void a_walk_after_sfence_vma_sees_it(void **state)
{
    struct world w = late_world(1, STORES_DELAYED, 0);

    (void)state;
    begin_mapping(&w);
    put(&w, SFENCE_VMA(ZERO, ZERO));
    put(&w, LD(A0, S1, 0));
    run_from(w.hart, CODE, 3);
    assert_int_equal(hart_reg(w.hart, A0), 7);
    assert_int_equal(hart_waiting_stores(w.hart), 0);
    world_free(&w);
}

static void a_walk_of_another_hart_sees_it_when_it_has_left(void **state)
{
    struct world w = late_world(2, STORES_DELAYED, 0);
    struct hart *other = cluster_hart(w.cluster, 1);

    (void)state;
    begin_mapping(&w);
    translate(&w, other);
    poke(&w, PATCH, LD(A0, S1, 0), 4);
    hart_set_reg(other, S1, OTHER);
    run_from(w.hart, CODE, 1);
    run_from(other, PATCH, 1);
    assert_int_equal(hart_reg(other, A0), 0);
    hart_let_stores_leave(w.hart);
    enter(other, PRIV_S, PATCH);
    run_from(other, PATCH, 1);
    assert_int_equal(hart_reg(other, A0), 7);
    world_free(&w);
}

/* Stores an instruction to PATCH, from where it is then fetched. */
static void begin_patch(struct world *w)
{
    poke(w, PATCH, ADDI(A0, ZERO, 1), 4);
    poke(w, PATCH + 4, JAL(ZERO, 0), 4);
    hart_set_reg(w->hart, S0, PATCH);
    hart_set_reg(w->hart, T1, ADDI(A0, ZERO, 2));
    put(w, SW(T1, S0, 0));
}

static void a_fetch_does_not_see_an_instruction_that_waits(void **state)
{
    struct world w = late_world(1, STORES_DELAYED, 0);

    (void)state;
    begin_patch(&w);
    run_from(w.hart, CODE, 1);
    assert_int_equal(hart_waiting_stores(w.hart), 1);
    run_from(w.hart, PATCH, 1);
    assert_int_equal(hart_reg(w.hart, A0), 1);
    world_free(&w);
}

static void a_fetch_after_fence_i_sees_it(void **state)
{
    struct world w = late_world(1, STORES_DELAYED, 0);

    (void)state;
    begin_patch(&w);
    put(&w, FENCE_I);
    run_from(w.hart, CODE, 2);
    run_from(w.hart, PATCH, 1);
    assert_int_equal(hart_reg(w.hart, A0), 2);
    world_free(&w);
}

/* A machine whose fetches are apart from the order of data, and whose stores wait. */
static struct world apart_world(void)
{
    const struct cluster_config config = {
        .fetch = FETCH_APART, .translate = TRANSLATE_COHERENT, .stores = STORES_DELAYED};

    return world_with(&config, 1);
}

static void fence_i_leaves_data_waiting_where_fetches_are_apart(void **state)
{
    struct world w = apart_world();

    (void)state;
    hart_set_reg(w.hart, S0, DATA);
    hart_set_reg(w.hart, T1, 7);
    put(&w, SW(T1, S0, 0));
    put(&w, FENCE_I);
    run_from(w.hart, CODE, 2);
    assert_int_equal(hart_waiting_stores(w.hart), 1);
    assert_int_equal(peek(&w, DATA, 4), 0);
    world_free(&w);
}

static void a_fetch_after_fence_i_sees_it_there_too(void **state)
{
    struct world w = apart_world();

    (void)state;
    begin_patch(&w);
    put(&w, FENCE_I);
    run_from(w.hart, CODE, 2);
    assert_int_equal(hart_waiting_stores(w.hart), 1);
    run_from(w.hart, PATCH, 1);
    assert_int_equal(hart_reg(w.hart, A0), 2);
    assert_int_equal(hart_waiting_stores(w.hart), 0);
    world_free(&w);
}

static void an_amo_that_waits_is_seen_by_its_hart_and_in_memory_when_it_has_left(void **state)
{
    struct world w = late_world(1, STORES_DELAYED, 0);
    uint64_t seen;

    (void)state;
    poke(&w, DATA, 40, 8);
    hart_set_reg(w.hart, S0, DATA);
    hart_set_reg(w.hart, T1, 2);
    put(&w, AMOADD_W(0, ZERO, T1, S0));
    run_from(w.hart, CODE, 1);
    assert_int_equal(hart_waiting_stores(w.hart), 1);
    assert_int_equal(peek(&w, DATA, 8), 40);
    assert_true(hart_read(w.hart, DATA, &seen, sizeof seen));
    assert_int_equal(seen, 42);
    hart_let_store_leave(w.hart, 0);
    assert_int_equal(peek(&w, DATA, 8), 42);
    world_free(&w);
}

/* ---- saved states ---- */

/* Two harts that count in one place and copy what they see to another, with all kinds of accesses.
 */
static void begin_counting(struct world *w)
{
    static const uint32_t code[] = {
        AMOADD_W(0, ZERO, T1, S0), LW(A0, S0, 0),   SW(A0, S1, 0),  LW(A1, S1, 4), SW(A1, S0, 4),
        ADD(A2, A2, A0),           ADD(A2, A2, A1), ADDI(T1, T1, 1)};
    const unsigned count = sizeof code / sizeof code[0];

    for (unsigned i = 0; i < count; i++)
        put(w, code[i]);
    put(w, JAL(ZERO, -(int)(4 * count)));
    for (unsigned i = 0; i < 2; i++) {
        hart_set_reg(cluster_hart(w->cluster, i), S0, DATA);
        hart_set_reg(cluster_hart(w->cluster, i), S1, DATA + 0x100);
        hart_set_reg(cluster_hart(w->cluster, i), T1, 1 + i);
        hart_set_pc(cluster_hart(w->cluster, i), CODE);
    }
}

static void count_on(struct world *w, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        for (unsigned n = 0; n < 2; n++)
            assert_int_equal(hart_run(cluster_hart(w->cluster, n), 3 + i % 5, UINT64_MAX),
                             HART_BUDGET);
}

static uint64_t result_of(const struct world *w)
{
    uint64_t sum = cluster_store_order_hash(w->cluster);

    for (unsigned n = 0; n < 2; n++)
        sum = sum * 31 + hart_reg(cluster_hart(w->cluster, n), A2);
    return sum * 31 + peek(w, DATA, 8);
}

static void copy_to(const struct world *from, struct world *to)
{
    struct state_io save, load;

    memcpy(ram_host(bus_ram(to->bus), RAM_BASE), ram_host(bus_ram(from->bus), RAM_BASE), RAM_SIZE);
    state_io_save(&save, 1 << 16);
    cluster_state_io(&save, from->cluster);
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, to->cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_free(&save);
}

static void a_state_that_is_saved_while_stores_wait_goes_on_alike(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 6; seed++) {
        struct world w = late_world(2, STORES_RANDOM, seed),
                     copy = late_world(2, STORES_RANDOM, seed),
                     again = late_world(2, STORES_RANDOM, seed);

        begin_counting(&w);
        begin_counting(&copy);
        begin_counting(&again);
        count_on(&w, 40);
        copy_to(&w, &copy);
        count_on(&w, 40);
        count_on(&copy, 40);
        count_on(&again, 40);
        count_on(&again, 40);
        assert_true(result_of(&w) == result_of(&copy));
        assert_true(result_of(&w) == result_of(&again));
        world_free(&w);
        world_free(&copy);
        world_free(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_does_not_see_an_entry_that_waits),
        cmocka_unit_test(a_walk_after_sfence_vma_sees_it),
        cmocka_unit_test(a_walk_of_another_hart_sees_it_when_it_has_left),
        cmocka_unit_test(a_fetch_does_not_see_an_instruction_that_waits),
        cmocka_unit_test(a_fetch_after_fence_i_sees_it),
        cmocka_unit_test(fence_i_leaves_data_waiting_where_fetches_are_apart),
        cmocka_unit_test(a_fetch_after_fence_i_sees_it_there_too),
        cmocka_unit_test(an_amo_that_waits_is_seen_by_its_hart_and_in_memory_when_it_has_left),
        cmocka_unit_test(a_state_that_is_saved_while_stores_wait_goes_on_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
