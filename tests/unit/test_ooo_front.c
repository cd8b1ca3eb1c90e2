/*
 * test_ooo_front.c - a core that executes out of order: what the first target buffer learns,
 * returns that read the return-address stack too early, and entries of the window.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/diag.h"
#include "timing/core.h"
#include "timing/ooo.h"

enum { A = 0x1000, B = 0x2000, C = 0x3000, ROUNDS = 12, DIVIDED = 5, STAMP = 2 };

static const char figures[] = "window.entries = 8\nwindow.fold = 3\nwindow.dispatch = 3\n"
                              "window.retire = 3\nwindow.front = 4\nwindow.fetch-buffer = 32\n"
                              "ports.alu = 2\nqueue.alu = 32\nqueue.branch = 8\nqueue.memory = 32\n"
                              "queue.writes = 4\nports.float = 2\nqueue.float = 8\n"
                              "queue.loads = 32\nqueue.stores = 12\ndcache.load-misses = 4\n"
                              "dcache.store-misses = 4\nfetch.bytes = 16\nlatency.div = 90\n"
                              "interval.div = 90\nbranch.predictor = bimode\n"
                              "branch.counters = 16384\nbranch.choices = 1024\n"
                              "branch.history = 22\nbranch.taken = 1\nbtb.early-entries = 16\n"
                              "btb.entries = 1024\nbtb.holds = direct\nindirect.entries = 256\n"
                              "indirect.taken = 3\nreturn.taken = 2\nreturn-stack.depth = 12\n";

struct run {
    struct core *core;
    struct ooo *o;
    uint64_t now;
};

static struct run start(void)
{
    struct diag d = {.out = stderr, .program = "test"};
    struct run r = {.core = core_parse(figures, "test.core", &d)};

    assert_non_null(r.core);
    r.o = ooo_new(r.core);
    return r;
}

static void end(struct run *r)
{
    ooo_free(r->o);
    core_free(r->core);
}

/* The target buffer knows the words of jumps, so only the first one is late. */
static void jump(struct run *r, enum core_class class, unsigned links, uint64_t pc, uint64_t next)
{
    const struct ooo_insn i = {.op = {.class = (uint8_t) class, .size = 4},
                               .links = (uint8_t)links,
                               .pc = pc,
                               .next = next,
                               .target = next};

    r->now += ooo_step(r->o, &i, r->now).cycles;
}

/* The cycle in which an operation is dispatched. */
static uint64_t dispatch(struct run *r, enum core_class class, uint64_t pc, unsigned source)
{
    const struct ooo_insn i = {
        .op = {.class = (uint8_t) class, .rd = 7, .source = {(uint8_t)source}, .size = 2},
        .pc = pc,
        .next = pc + 2,
        .va = 0x8000 + 8 * pc};

    r->now += ooo_step(r->o, &i, r->now).cycles;
    return r->o->dispatched >> STAMP;
}

/* ---- the first target buffer ---- */

/* A jump right after one that it knows is not learned; the one after that has a change of fetch. */
static void a_jump_after_a_known_one_is_not_learned(void **state)
{
    struct run r = start();

    (void)state;
    for (unsigned n = 0; n < ROUNDS; n++)
        jump(&r, CORE_jump, 0, A, A);
    assert_true(ooo_is_early(&r.o->predictor, A));
    for (unsigned n = 0; n < ROUNDS; n++) {
        jump(&r, CORE_jump, 0, A, C);
        jump(&r, CORE_jump, 0, C, A);
    }
    assert_false(ooo_is_early(&r.o->predictor, C));
    for (unsigned n = 0; n < ROUNDS; n++)
        jump(&r, CORE_jump, 0, C, C);
    assert_true(ooo_is_early(&r.o->predictor, C));
    end(&r);
}

/* Fetch comes to B + at; whether the buffer learns the jump at the begin of the next piece. */
static bool learns_in_second_piece(uint64_t at)
{
    struct run r = start();
    bool learned;

    for (unsigned n = 0; n < ROUNDS; n++) {
        jump(&r, CORE_jump_indirect, 0, A, B + at);
        for (uint64_t pc = B + at; pc < B + 16; pc += 2)
            (void)dispatch(&r, CORE_alu, pc, 0);
        jump(&r, CORE_jump, 0, B + 16, A);
    }
    learned = ooo_is_early(&r.o->predictor, B + 16);
    end(&r);
    return learned;
}

static void a_jump_in_the_second_piece_is_learned_from_a_second_half(void **state)
{
    (void)state;
    assert_false(learns_in_second_piece(0));
    assert_true(learns_in_second_piece(8));
}

/* ---- branches ---- */

/* The cycle in which the piece after one with so many branches, none of which is taken, is fetched.
 */
static uint64_t fetched_after(unsigned branches)
{
    struct run r = start();
    uint64_t fetched;

    for (unsigned n = 0; n < 8; n++) {
        const uint64_t pc = A + 2 * n;
        const struct ooo_insn i = {
            .op = {.class = n < branches ? CORE_branch : CORE_alu, .size = 2},
            .pc = pc,
            .next = pc + 2,
            .target = B};

        r.now += ooo_step(r.o, &i, r.now).cycles;
    }
    (void)dispatch(&r, CORE_alu, A + 16, 0);
    fetched = r.o->fetched >> STAMP;
    end(&r);
    return fetched;
}

static void one_branch_of_a_piece_is_decoded_a_cycle(void **state)
{
    (void)state;
    assert_int_equal(fetched_after(1), fetched_after(0));
    assert_int_equal(fetched_after(3), fetched_after(1) + 2);
}

/* ---- returns ---- */

/* A function at B calls one at C, and returns right after it, `apart' bytes later. */
static uint64_t wrong_returns(uint64_t apart)
{
    struct run r = start();
    uint64_t before = 0;

    for (unsigned n = 0; n < 2 * ROUNDS; n++) {
        if (n == ROUNDS)
            before = r.o->predictor.wrong;
        jump(&r, CORE_jump, OOO_CALLS, A, B);
        jump(&r, CORE_jump_indirect, OOO_CALLS, B, C);
        jump(&r, CORE_jump_indirect, OOO_RETURNS, C, B + 4);
        for (uint64_t pc = B + 4; pc < B + 4 + apart; pc += 2)
            (void)dispatch(&r, CORE_alu, pc, 0);
        jump(&r, CORE_jump_indirect, OOO_RETURNS, B + 4 + apart, A + 4);
        jump(&r, CORE_jump, 0, A + 4, A);
    }
    before = r.o->predictor.wrong - before;
    end(&r);
    return before;
}

static void a_return_fetched_right_after_a_return_is_mispredicted(void **state)
{
    (void)state;
    assert_int_equal(wrong_returns(0), ROUNDS);
    assert_int_equal(wrong_returns(28), 0);
}

/* ---- the window ---- */

/* How many operations are dispatched while the first one waits for a division. */
static unsigned in_window(enum core_class class)
{
    struct run r = start();
    struct ooo_insn div = {
        .op = {.class = CORE_div, .rd = DIVIDED, .source = {1}, .size = 4}, .pc = A, .next = A + 4};
    uint64_t first, pc = A + 4;
    unsigned count = 0;

    r.now += ooo_step(r.o, &div, 0).cycles;
    first = dispatch(&r, CORE_alu, pc, DIVIDED);
    while (dispatch(&r, class, pc += 2, 0) < first + 60)
        count++;
    end(&r);
    return count;
}

/* Eight entries, of which the last group may have one more: three operations share one, loads do
 * not. */
static void operations_share_entries_of_the_window_and_loads_do_not(void **state)
{
    (void)state;
    assert_in_range(in_window(CORE_load), 7, 10);
    assert_in_range(in_window(CORE_alu), 18, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_after_a_known_one_is_not_learned),
        cmocka_unit_test(a_jump_in_the_second_piece_is_learned_from_a_second_half),
        cmocka_unit_test(one_branch_of_a_piece_is_decoded_a_cycle),
        cmocka_unit_test(a_return_fetched_right_after_a_return_is_mispredicted),
        cmocka_unit_test(operations_share_entries_of_the_window_and_loads_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
