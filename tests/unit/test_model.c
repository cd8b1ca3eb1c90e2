/*
 * test_model.c - caches, translation buffers, predictors, the store buffer, divisions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/state_io.h"
#include "timing/model.h"

struct world {
    struct core *core;
    struct shared_model *shared;
    struct model *m[2];
};

static struct world make(const char *text)
{
    struct diag d = {.out = stderr, .program = "test"};
    struct world w = {.core = core_parse(text, "test.core", &d)};

    assert_non_null(w.core);
    w.shared = shared_model_new(w.core);
    w.m[0] = model_new(w.shared);
    w.m[1] = model_new(w.shared);
    return w;
}

static void drop(struct world *w)
{
    model_free(w->m[0]);
    model_free(w->m[1]);
    shared_model_free(w->shared);
    core_free(w->core);
}

/* A branch backward and one forward, taken or not, that are not right behind another. */
static enum pipe_leave_by backward(struct predictor *p, uint64_t pc, bool taken)
{
    return predictor_branch(p, pc, taken, &(int32_t){-4});
}

static enum pipe_leave_by forward(struct predictor *p, uint64_t pc, bool taken)
{
    return predictor_branch(p, pc, taken, &(int32_t){4});
}

/* A cache of one set: fills it with 0 to ways - 1, uses 0 again, and puts one more in. */
static uint64_t displaced(enum core_replacement policy, uint32_t ways)
{
    struct cache c;
    uint64_t gone, note;

    cache_init(&c, ways, 0, policy);
    for (uint64_t key = 0; key < ways; key++) {
        assert_true(cache_put(&c, key, &gone, &note) >= 0);
        assert_true(gone == CACHE_EMPTY);
    }
    assert_true(cache_find(&c, 0) >= 0);
    assert_true(cache_put(&c, 100, &gone, &note) >= 0);
    assert_true(cache_find(&c, 100) >= 0);
    assert_true(cache_peek(&c, gone) < 0);
    cache_free(&c);
    return gone;
}

static void replacement_is_what_the_core_says(void **state)
{
    (void)state;
    assert_int_equal(displaced(REPLACEMENT_fifo, 4), 0);
    assert_int_equal(displaced(REPLACEMENT_lru, 4), 1);
    assert_int_equal(displaced(REPLACEMENT_plru, 4), 2);
    assert_in_range(displaced(REPLACEMENT_random, 4), 0, 3);
}

static void a_set_holds_its_ways_and_no_more(void **state)
{
    struct cache c;
    uint64_t gone, note;

    (void)state;
    cache_init(&c, 8, 2, REPLACEMENT_fifo);
    for (uint64_t key = 0; key < 8; key++)
        (void)cache_put(&c, key, &gone, &note);
    for (uint64_t key = 0; key < 8; key++)
        assert_true(cache_peek(&c, key) >= 0);
    (void)cache_put(&c, 12, &gone, &note); /* of set 0, which has 0 and 4 */
    assert_int_equal(gone, 0);
    cache_remove(&c, 12);
    assert_true(cache_peek(&c, 12) < 0);
    cache_free(&c);
}

#define SMALL                                                                         \
    "memory.first = 20\nmemory.beat = 1\nmemory.width = 8\ndcache.size = 256\n"       \
    "dcache.ways = 2\ndcache.line = 64\ndcache.replacement = fifo\ndcache.miss = 3\n" \
    "dcache.take-over = 11\ndcache.write-back = 5\n"

static void a_miss_costs_a_line_and_a_hit_nothing(void **state)
{
    struct world w = make(SMALL);

    (void)state;
    assert_int_equal(model_load(w.m[0], 0x1000), 3 + 20 + 7);
    assert_int_equal(model_load(w.m[0], 0x1038), 0);
    assert_int_equal(model_load(w.m[0], 0x1040), 30);
    drop(&w);
}

static void a_changed_line_is_written_back(void **state)
{
    struct world w = make(SMALL);

    (void)state;
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 0), 30);
    assert_int_equal(model_store(w.m[0], 0x1008, 8, 0), 0);
    (void)model_load(w.m[0], 0x2000);
    assert_int_equal(model_load(w.m[0], 0x3000), 35); /* displaces 0x1000 */
    assert_int_equal(model_load(w.m[0], 0x4000), 30); /* displaces 0x2000, which was only read */
    drop(&w);
}

static void a_store_by_one_hart_takes_the_line_from_the_other(void **state)
{
    struct world w = make(SMALL);

    (void)state;
    (void)model_load(w.m[0], 0x1000);
    (void)model_load(w.m[1], 0x1000);
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 0), 11); /* shared: the other loses it */
    assert_int_equal(model_load(w.m[1], 0x1000), 11 + 30);
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 0), 11); /* it was read meanwhile */
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 0), 0);
    drop(&w);
}

static void what_passes_the_filter_would_have_cost_nothing(void **state)
{
    struct world w = make(SMALL);
    uint64_t *load = &w.m[0]->filter.loads[0x1000 >> 6 & w.m[0]->filter_mask];
    uint64_t *store = &w.m[0]->filter.stores[0x1000 >> 6 & w.m[0]->filter_mask];

    (void)state;
    (void)model_store(w.m[0], 0x1000, 8, 0);
    model_filter_load(w.m[0], 0x1000, NULL, 0x1000);
    model_filter_store(w.m[0], 0x1000, 0x1000, NULL, 0x1000);
    assert_int_equal(*load, 0x1000);
    (void)model_load(w.m[1], 0x1000); /* shared now */
    assert_int_equal(*load, 0x1000);
    assert_int_equal(*store, FILTER_NONE);
    (void)model_load(w.m[0], 0x2000);
    (void)model_load(w.m[0], 0x3000); /* displaces it */
    assert_int_equal(*load, FILTER_NONE);
    drop(&w);
}

static void a_fence_of_a_page_leaves_the_others(void **state)
{
    struct world w = make("tlb2.entries = 16\n");
    struct model *m = w.m[0];
    struct model_page small = {.va = 0x203000, .shift = 12, .asid = 1};
    struct model_page other = {.va = 0x204000, .shift = 12, .asid = 2, .global = true};
    struct model_page large = {.va = 0x200000, .shift = 21, .asid = 2};
    uint32_t cycles;

    (void)state;
    model_put_page(m, &m->dtlb, &small);
    model_put_page(m, &m->dtlb, &other);
    model_put_page(m, &m->itlb, &large);
    model_sfence_page(m, 0x203ff8); /* in two of them */
    assert_false(model_has_page(m, &m->dtlb, 0x203000, 1));
    assert_false(model_take_page(m, &m->dtlb, 0x203000, 1, &cycles));
    assert_false(model_has_page(m, &m->itlb, 0x201000, 2));
    assert_true(model_has_page(m, &m->dtlb, 0x204000, 1));
    model_put_page(m, &m->itlb, &large);
    model_sfence_page(m, 0x400000);
    assert_true(model_has_page(m, &m->itlb, 0x203000, 2));
    drop(&w);
}

static void what_a_device_writes_is_in_no_cache(void **state)
{
    struct world w = make(SMALL);
    uint64_t *load = &w.m[0]->filter.loads[0x1040 >> 6 & w.m[0]->filter_mask];

    (void)state;
    for (uint64_t pa = 0x1000; pa < 0x1100; pa += 64) {
        (void)model_load(w.m[0], pa);
        (void)model_load(w.m[1], pa);
    }
    model_filter_load(w.m[0], 0x1040, NULL, 0x1040);
    model_device_writes(w.shared, 0x107f, 2);
    assert_int_equal(*load, FILTER_NONE);
    for (unsigned hart = 0; hart < 2; hart++) {
        assert_int_equal(model_load(w.m[hart], 0x1000), 0);
        assert_int_equal(model_load(w.m[hart], 0x10c0), 0);
        assert_int_not_equal(model_load(w.m[hart], 0x1040), 0);
        assert_int_not_equal(model_load(w.m[hart], 0x1080), 0);
    }
    drop(&w);
}

static void a_second_level_keeps_what_the_first_loses(void **state)
{
    struct world w = make(SMALL "l2.size = 64K\nl2.ways = 4\nl2.latency = 9\nl2.miss = 2\n");

    (void)state;
    assert_int_equal(model_load(w.m[0], 0x1000), 3 + 9 + 2 + 27);
    (void)model_load(w.m[0], 0x2000);
    (void)model_load(w.m[0], 0x3000);
    assert_int_equal(model_load(w.m[0], 0x1000), 3 + 9);
    assert_int_equal(model_load(w.m[1], 0x3000), 3 + 9); /* all harts have it */
    drop(&w);
}

static void a_stride_is_fetched_ahead(void **state)
{
    struct world w = make(SMALL "dcache.prefetch = stride\ndcache.prefetch-lines = 1\n");

    (void)state;
    assert_int_equal(model_load(w.m[0], 0x1000), 30);
    assert_int_equal(model_load(w.m[0], 0x1040), 30);
    assert_int_equal(model_load(w.m[0], 0x1080), 30); /* twice the same step */
    assert_int_equal(model_load(w.m[0], 0x10c0), 0);
    drop(&w);
}

#define STORES "dcache.write = through\nstores.entries = 2\nstores.answer = 4\n"

static void a_full_store_buffer_stalls_until_memory_answers(void **state)
{
    struct world w = make(STORES);

    (void)state;
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 100), 0); /* sent in 101, answered in 125 */
    assert_int_equal(model_store(w.m[0], 0x1008, 8, 102), 0); /* sent in 125, answered in 149 */
    assert_int_equal(model_store(w.m[0], 0x1010, 8, 103), 22);
    assert_int_equal(model_drain_stores(w.m[0], 130), 43); /* sent in 149, answered in 173 */
    assert_int_equal(model_drain_stores(w.m[0], 500), 0);
    drop(&w);
}

static void stores_merge_with_any_entry_of_their_doubleword(void **state)
{
    struct world w = make(STORES "stores.writes = 2\n");

    (void)state;
    assert_int_equal(model_store(w.m[0], 0x1000, 4, 100), 0);
    assert_int_equal(model_store(w.m[0], 0x1008, 8, 102), 0);
    assert_int_equal(model_store(w.m[0], 0x1004, 4, 104), 0);
    assert_int_equal(model_store(w.m[0], 0x1008, 8, 106), 0);
    /* both are sent again when their first write has been answered, in 125 and 127 */
    assert_int_equal(model_store(w.m[0], 0x1010, 8, 110), 39);
    drop(&w);
}

static void a_write_takes_bytes_that_are_aligned(void **state)
{
    struct world w = make(STORES);

    (void)state;
    assert_int_equal(model_store(w.m[0], 0x1000, 1, 100), 0);
    assert_int_equal(model_drain_stores(w.m[0], 100), 25);
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 200), 0);
    assert_int_equal(model_store(w.m[0], 0x1001, 1, 202), 0); /* two writes, as the next */
    assert_int_equal(model_store(w.m[0], 0x1004, 1, 203), 0);
    assert_int_equal(model_drain_stores(w.m[0], 204), 201 + 3 * 24 - 204);
    drop(&w);
}

static void a_queue_in_front_of_the_store_buffer_takes_some(void **state)
{
    struct world w = make(STORES "stores.queue = 2\n");

    (void)state;
    assert_int_equal(model_store(w.m[0], 0x1000, 8, 100), 0);
    assert_int_equal(model_store(w.m[0], 0x1008, 8, 101), 0);
    assert_int_equal(model_store(w.m[0], 0x1010, 8, 102), 0); /* in the buffer from 125 on */
    assert_int_equal(model_store(w.m[0], 0x1018, 8, 103), 0); /* from 149 on */
    assert_int_equal(model_store(w.m[0], 0x1020, 8, 104), 21);
    drop(&w);
}

static void memory_does_atomic_operations_when_the_stores_are_written(void **state)
{
    struct world w = make(STORES "dcache.size = 512\ndcache.ways = 2\namo.in-memory = 1\n");

    (void)state;
    assert_true(model_load(w.m[0], 0x1000) > 0);
    assert_int_equal(model_load(w.m[0], 0x1000), 0);
    assert_int_equal(model_store(w.m[0], 0x1008, 8, 100), 0);
    assert_int_equal(model_atomic(w.m[0], 0x1000, 105), 20);
    assert_true(model_load(w.m[0], 0x1000) > 0);
    drop(&w);
}

static void fence_i_empties_the_instruction_cache(void **state)
{
    struct world w = make("icache.size = 512\nicache.ways = 2\nicache.prefetch = next-line\n");
    uint64_t epoch;

    (void)state;
    assert_int_equal(model_fetch_missing(w.m[0], 0x1000), 27);
    assert_int_equal(model_fetch_missing(w.m[0], 0x1000), 27); /* it was not brought */
    assert_int_equal(model_fetch_line(w.m[0], 0x1000), 27);
    assert_int_equal(model_fetch_missing(w.m[0], 0x1004), 0);
    assert_true(model_has_line(w.m[0], 0x1040)); /* the next one came along */
    epoch = w.m[0]->fetch_epoch;
    model_fence_i(w.m[0]);
    assert_true(w.m[0]->fetch_epoch != epoch);
    assert_false(model_has_line(w.m[0], 0x1000));
    drop(&w);
}

static void a_page_is_found_by_its_size_and_address_space(void **state)
{
    struct world w = make("dtlb.entries = 2\ntlb2.entries = 8\ntlb2.ways = 2\ntlb2.latency = 4\n"
                          "tlb.replacement = fifo\n");
    struct model *m = w.m[0];
    struct model_page small = {.va = 0x1000, .shift = 12, .asid = 1};
    struct model_page large = {.va = 0x40000000, .shift = 21, .asid = 1, .global = true};
    uint32_t cycles;

    (void)state;
    model_put_page(m, &m->dtlb, &small);
    model_put_page(m, &m->dtlb, &large);
    assert_true(model_has_page(m, &m->dtlb, 0x1fff, 1));
    assert_false(model_has_page(m, &m->dtlb, 0x1fff, 2));
    assert_true(model_has_page(m, &m->dtlb, 0x401fffff, 2));
    assert_false(model_has_page(m, &m->dtlb, 0x40200000, 2));
    small.va = 0x2000;
    model_put_page(m, &m->dtlb, &small);
    assert_false(model_has_page(m, &m->dtlb, 0x1000, 1));
    assert_true(model_take_page(m, &m->dtlb, 0x1000, 1, &cycles));
    assert_int_equal(cycles, 4);
    assert_true(model_has_page(m, &m->dtlb, 0x1000, 1));
    model_sfence(m);
    assert_false(model_take_page(m, &m->dtlb, 0x1000, 1, &cycles));
    drop(&w);
}

/* Of the last hundred outcomes of a branch with a pattern, those that were not predicted. */
static unsigned wrong_of(const char *predictor, const char *pattern)
{
    struct world w = make(predictor);
    unsigned wrong = 0, period = (unsigned)strlen(pattern);

    for (unsigned i = 0; i < 400; i++)
        if (backward(&w.m[0]->predictor, 0x1000, pattern[i % period] == 'T') == LEAVE_MISPREDICT)
            wrong += i >= 300;
    drop(&w);
    return wrong;
}

static void predictors_learn_what_they_can(void **state)
{
    static const char bimodal[] = "branch.predictor = bimodal\nbranch.counters = 128\n";
    static const char gshare[] =
        "branch.predictor = gshare\nbranch.counters = 1024\nbranch.history = 8\n";
    static const char global[] =
        "branch.predictor = global\nbranch.counters = 256\nbranch.history = 8\n";

    (void)state;
    assert_int_equal(wrong_of("branch.predictor = not-taken\n", "TN"), 50);
    assert_int_equal(wrong_of("branch.predictor = bimodal\nbranch.counter-bits = 1\n", "TTTN"), 50);
    assert_int_equal(wrong_of("branch.predictor = backward\n", "TTTN"), 25);
    assert_int_equal(wrong_of(bimodal, "T"), 0);
    assert_int_equal(wrong_of(bimodal, "TTTN"), 25);
    assert_int_equal(wrong_of(gshare, "TN"), 0);
    assert_int_equal(wrong_of(gshare, "TTTN"), 0);
    assert_int_equal(wrong_of(global, "TTNTN"), 0);
}

static void a_target_buffer_of_n_holds_n(void **state)
{
    struct world w = make("btb.entries = 4\nbtb.ways = 0\nbtb.holds = direct\n");

    (void)state;
    for (uint64_t pc = 0; pc < 32; pc += 8)
        assert_int_equal(predictor_jump(&w.m[0]->predictor, pc, pc + 64), LEAVE_LATE_JUMP);
    for (uint64_t pc = 0; pc < 32; pc += 8)
        assert_int_equal(predictor_jump(&w.m[0]->predictor, pc, pc + 64), LEAVE_TAKEN);
    for (unsigned i = 0; i < 2; i++)
        for (uint64_t pc = 0; pc < 40; pc += 8) /* five, first in first out: none is there */
            (void)predictor_jump(&w.m[0]->predictor, pc, pc + 64);
    assert_int_equal(predictor_jump(&w.m[0]->predictor, 0, 0 + 64), LEAVE_LATE_JUMP);
    drop(&w);
}

static void a_target_of_which_low_bits_are_held_is_in_the_same_region(void **state)
{
    struct world w =
        make("btb.entries = 4\nbtb.ways = 0\nbtb.holds = direct\nbtb.address-bits = 16\n");

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(predictor_jump(&w.m[0]->predictor, 0x1fff0, 0x10000),
                         i ? LEAVE_TAKEN : LEAVE_LATE_JUMP);
        assert_int_equal(predictor_jump(&w.m[0]->predictor, 0x1fff4, 0x20000), LEAVE_LATE_JUMP);
    }
    drop(&w);
}

static void a_call_by_jalr_at_2_mod_4_leaves_a_wrong_address(void **state)
{
    struct world w =
        make("btb.holds = direct\nreturn-stack.depth = 4\nreturn-stack.split-wrong = 1\n");

    (void)state;
    for (uint64_t pc = 0x12; pc <= 0x14; pc += 2) {
        predictor_call(&w.m[0]->predictor, 0, pc + 4, 0);
        assert_int_equal(predictor_jump_indirect(&w.m[0]->predictor, pc, 0x100, true, true),
                         LEAVE_WRONG_CALL);
        assert_int_equal(predictor_return(&w.m[0]->predictor, 0, pc + 4),
                         pc & 2 ? LEAVE_WRONG_RETURN : LEAVE_RETURN);
    }
    predictor_call(&w.m[0]->predictor, 0, 0x14, 0); /* of two bytes */
    assert_int_equal(predictor_jump_indirect(&w.m[0]->predictor, 0x12, 0x100, true, false),
                     LEAVE_WRONG_INDIRECT);
    assert_int_equal(predictor_return(&w.m[0]->predictor, 0, 0x14), LEAVE_RETURN);
    drop(&w);
}

/* A function at 0x200 that returns in its first piece of code is called at 0x100 and 0x180. */
static void a_return_in_the_target_buffer_is_predicted_before_its_call(void **state)
{
    struct world w = make("btb.entries = 4\nbtb.ways = 0\nbtb.holds = all\nfetch.bytes = 4\n"
                          "return-stack.depth = 4\nreturn-stack.in-buffer = 1\n");
    struct predictor *p = &w.m[0]->predictor;

    (void)state;
    for (unsigned i = 0; i < 3; i++) { /* the stack is empty before: the last target is right */
        predictor_call(p, 0x100, 0x104, 0x200);
        (void)predictor_jump(p, 0x100, 0x200);
        assert_int_equal(predictor_return(p, 0x202, 0x104), i ? LEAVE_RETURN : LEAVE_LATE_JUMP);
    }
    predictor_call(p, 0x80, 0x84, 0x100);
    (void)predictor_jump(p, 0x80, 0x100);
    for (unsigned i = 0; i < 3; i++) { /* now there is an outer call, which it takes for its own */
        predictor_call(p, 0x100, 0x104, 0x200);
        (void)predictor_jump(p, 0x100, 0x200);
        assert_int_equal(predictor_return(p, 0x202, 0x104), LEAVE_WRONG_RETURN);
    }
    predictor_call(p, 0x180, 0x184, 0x200); /* not in the buffer */
    (void)predictor_jump(p, 0x180, 0x200);
    assert_int_equal(predictor_return(p, 0x202, 0x184), LEAVE_RETURN);
    predictor_call(p, 0x180, 0x184, 0x200);
    (void)predictor_jump(p, 0x180, 0x200);
    assert_int_equal(predictor_return(p, 0x204, 0x184), LEAVE_LATE_JUMP); /* a piece later */
    drop(&w);
}

static void a_branch_that_is_only_fetched_shifts_the_history_until_a_misprediction(void **state)
{
    struct world w = make("branch.predictor = global\nbranch.counters = 16\nbranch.history = 4\n"
                          "branch.read-ahead = 2\nbranch.counter-bits = 2\nbranch.stray = 1\n"
                          "branch.counter-start = 0\n");
    struct model *m = w.m[0];

    (void)state;
    for (unsigned i = 0; i < 32; i++) /* always taken: learnt for a history of ones */
        (void)forward(&m->predictor, 0x100, true);
    assert_int_not_equal(forward(&m->predictor, 0x100, true), LEAVE_MISPREDICT);
    m->predictor.astray = true;
    m->predictor.fetched_history = 2; /* for which nothing is known */
    assert_false(predictor_stray_branch(&m->predictor));
    assert_int_equal(m->predictor.fetched_history, 4);
    assert_int_equal(m->predictor.history & 15, 15);
    assert_int_equal(forward(&m->predictor, 0x100, true), LEAVE_MISPREDICT);
    assert_false(m->predictor.astray);
    for (unsigned i = 0; i < 8;
         i++) /* what was read for the other history was written for this one */
        (void)forward(&m->predictor, 0x100, true);
    assert_int_not_equal(forward(&m->predictor, 0x100, true), LEAVE_MISPREDICT);
    assert_true(predictor_stray_branch(&m->predictor));
    drop(&w);
}

static uint64_t bits_of(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static void an_exact_quotient_is_early_by_its_bits(void **state)
{
    struct world w = make("latency.fdiv_d = 33\nlatency.fsqrt_d = 33\nfloat.divide-exact = 6\n");
    static const struct {
        bool root;
        double a, b;
        uint32_t cycles;
    } rows[] = {{false, 3, 3, 6},  {false, 1, 4, 6},   {false, 3, 2, 7},  {false, 7, 4, 7},
                {false, 9, 8, 8},  {false, 33, 32, 9}, {false, 3, 7, 33}, {false, 21, 7, 7},
                {true, 4, 0, 6},   {true, 9, 0, 7},    {true, 49, 0, 7},  {true, 121, 0, 8},
                {true, 2, 0, 33},  {true, 8, 0, 33},   {true, 3, 0, 33},  {true, 0.25, 0, 6},
                {false, 1, 3, 33}, {true, 18, 0, 33}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(33 - model_float_early(w.shared->core, rows[i].root, true,
                                                bits_of(rows[i].a), bits_of(rows[i].b)),
                         rows[i].cycles);
    drop(&w);
}

static void an_indirect_jump_is_predicted_where_it_went(void **state)
{
    struct world w = make("btb.entries = 4\nbtb.holds = indirect\n");

    (void)state;
    assert_int_equal(predictor_jump_indirect(&w.m[0]->predictor, 0x10, 0x100, true, true),
                     LEAVE_WRONG_CALL);
    assert_int_equal(predictor_jump_indirect(&w.m[0]->predictor, 0x10, 0x100, true, true),
                     LEAVE_TAKEN);
    assert_int_equal(predictor_jump_indirect(&w.m[0]->predictor, 0x10, 0x200, false, false),
                     LEAVE_WRONG_INDIRECT);
    assert_int_equal(predictor_jump_indirect(&w.m[0]->predictor, 0x10, 0x200, false, false),
                     LEAVE_TAKEN);
    assert_int_equal(predictor_jump(&w.m[0]->predictor, 0x20, 0x20 + 64),
                     LEAVE_TAKEN); /* its target is in the instruction */
    drop(&w);
}

/* Calls to a depth and back; how many returns were predicted. */
static unsigned predicted_returns(struct model *m, unsigned depth)
{
    unsigned predicted = 0;

    for (unsigned i = 0; i < depth; i++)
        predictor_call(&m->predictor, 0, 0x1000 + 8 * i, 0);
    for (unsigned i = depth; i-- > 0;)
        predicted += predictor_return(&m->predictor, 0, 0x1000 + 8 * i) == LEAVE_RETURN;
    return predicted;
}

static void a_return_stack_of_n_predicts_n_returns(void **state)
{
    struct world w = make("return-stack.depth = 4\n");
    struct world loses = make("return-stack.depth = 4\nreturn-stack.overflow-loses = 1\n");

    (void)state;
    assert_int_equal(predicted_returns(w.m[0], 3), 3);
    assert_int_equal(predicted_returns(w.m[0], 4), 4);
    assert_int_equal(predicted_returns(w.m[0], 9), 4);
    assert_int_equal(predicted_returns(loses.m[0], 4), 4);
    assert_int_equal(predicted_returns(loses.m[0], 5), 3);
    assert_int_equal(predicted_returns(loses.m[0], 4), 4);
    assert_int_equal(predictor_return(&w.m[0]->predictor, 0, 0x1000), LEAVE_EMPTY_RETURN);
    predictor_call(&w.m[0]->predictor, 0, 0x2000, 0);
    assert_int_equal(predictor_return(&w.m[0]->predictor, 0, 0x2004), LEAVE_WRONG_RETURN);
    assert_int_equal(predictor_return(&w.m[0]->predictor, 0, 0x2004), LEAVE_EMPTY_RETURN);
    drop(&w);
    drop(&loses);
}

static void a_division_takes_the_bits_of_its_quotient(void **state)
{
    struct world w = make("latency.div = 2\ndivide.base = 3\ndivide.bits = 1\ndivide.repeat = 2\n");
    struct model *m = w.m[0];

    (void)state;
    assert_int_equal(model_divide(m, 100, 7, true, 0), 3 + 4 - 2);
    assert_int_equal(model_divide(m, 100, 7, true, 0), 0); /* the same again */
    assert_int_equal(model_divide(m, 100, 7, true, 1), 0); /* its remainder is known, too */
    assert_int_equal(model_divide(m, (uint64_t)-100, 7, true, 0), 5);
    assert_int_equal(model_divide(m, (uint64_t)-100, 7, false, 2), 3 + 61 - 2);
    assert_int_equal(model_divide(m, 0, 3, true, 0), 0);
    drop(&w);
}

static void a_quotient_of_0_takes_what_the_core_says(void **state)
{
    struct world w = make("latency.div = 2\ndivide.base = 3\ndivide.smaller = 60\n");

    (void)state;
    assert_int_equal(model_divide(w.m[0], 2, 7, true, 0), 60 - 2);
    assert_int_equal(model_divide(w.m[0], 7, 7, true, 0), 3 - 2);
    drop(&w);
}

static void a_wide_product_takes_longer(void **state)
{
    struct world w = make("multiply.wide = 3\n");

    (void)state;
    assert_int_equal(model_multiply(w.m[0], 7, (uint64_t)-7), 0);
    assert_int_equal(model_multiply(w.m[0], 7, UINT64_C(1) << 31), 3);
    drop(&w);
}

static void a_restored_model_goes_on_like_the_saved_one(void **state)
{
    struct world w = make(SMALL "icache.size = 512\nicache.ways = 2\nbranch.predictor = bimodal\n"
                                "btb.entries = 4\nreturn-stack.depth = 4\n");
    struct world other = make(SMALL "dcache.prefetch = stride\n");
    struct state_io io, load;

    (void)state;
    for (uint64_t pa = 0x1000; pa < 0x1400; pa += 40) {
        (void)model_store(w.m[0], pa, 8, pa);
        (void)model_fetch_line(w.m[0], pa);
        (void)backward(&w.m[0]->predictor, pa, pa & 8);
    }
    predictor_call(&w.m[0]->predictor, 0, 0x1234, 0);
    state_io_save(&io, 0);
    model_state_io(&io, w.m[0]);
    state_io_load(&load, io.saved.at, io.saved.len);
    model_state_io(&load, w.m[1]);
    assert_int_equal(state_io_end(&load), STATE_OK);
    for (uint64_t pa = 0x1000; pa < 0x1400; pa += 64)
        assert_int_equal(cache_peek(&w.m[0]->dcache, pa >> 6),
                         cache_peek(&w.m[1]->dcache, pa >> 6));
    assert_int_equal(predictor_return(&w.m[1]->predictor, 0, 0x1234), LEAVE_RETURN);
    state_io_load(&load, io.saved.at, io.saved.len);
    model_state_io(&load, other.m[0]); /* of another core */
    assert_int_not_equal(state_io_end(&load), STATE_OK);
    state_io_free(&io);
    drop(&w);
    drop(&other);
}

/* How a branch that is taken each time leaves, from power-on, until it is predicted. */
static unsigned learned_after(const char *text)
{
    struct world w = make(text);
    unsigned wrong = 0;

    for (unsigned i = 0; i < 64; i++)
        wrong += backward(&w.m[0]->predictor, 0x1000, true) == LEAVE_MISPREDICT;
    drop(&w);
    return wrong;
}

#define GLOBAL "branch.predictor = global\nbranch.history = 4\nbranch.counters = 16\n"

static void counters_are_read_before_the_branches_ahead_have_changed_them(void **state)
{
    (void)state;
    /* Histories 0, 1, 3, 7 once each, then that of all ones until its counter is 2. */
    assert_int_equal(learned_after(GLOBAL "branch.counter-start = 0\n"), 6);
    assert_int_equal(learned_after(GLOBAL "branch.counter-start = 0\nbranch.read-ahead = 2\n"), 8);
}

static void a_branch_right_behind_one_that_learns_learns_nothing(void **state)
{
    struct world w = make(GLOBAL "branch.counter-start = 0\nbranch.read-ahead = 2\n"
                                 "branch.update-busy = 1\n");
    struct model *m = w.m[0];

    (void)state;
    (void)backward(&m->predictor, 0x1000, true);
    (void)predictor_branch_ahead(&m->predictor, 0x1004, true, true);
    (void)predictor_branch_ahead(&m->predictor, 0x1008, true, true);
    assert_int_equal(m->predictor.counters[0] & COUNTER_MAX, 1);
    assert_int_equal(m->predictor.counters[1] & COUNTER_MAX, 0);
    assert_int_equal(m->predictor.counters[3] & COUNTER_MAX, 1);
    drop(&w);
}

static void a_bit_of_the_history_may_choose_no_counter(void **state)
{
    struct world w = make(GLOBAL "branch.counter-start = 0\nbranch.read-ahead = 2\n"
                                 "branch.history-skip = 2\n");
    struct model *m = w.m[0];

    (void)state;
    m->predictor.history = 4;
    (void)backward(&m->predictor, 0x1000, true);
    assert_int_equal(m->predictor.counters[0] & COUNTER_MAX, 1);
    m->predictor.history = 9;
    (void)backward(&m->predictor, 0x1000, true);
    assert_int_equal(m->predictor.counters[9] & COUNTER_MAX, 1);
    drop(&w);
}

static void a_target_that_is_fetched_in_vain_is_dropped(void **state)
{
    struct world w = make("btb.entries = 4\nbtb.ways = 0\nbtb.holds = direct\n"
                          "btb.before-direction = 1\nbranch.predictor = bimodal\n"
                          "branch.counters = 16\nbranch.counter-start = 3\n");
    struct model *m = w.m[0];

    (void)state;
    assert_int_equal(backward(&m->predictor, 0x1000, true), LEAVE_LATE_BRANCH);
    assert_int_equal(backward(&m->predictor, 0x1000, true), LEAVE_TAKEN);
    assert_int_equal(backward(&m->predictor, 0x1000, false), LEAVE_MISPREDICT);
    assert_int_equal(backward(&m->predictor, 0x1000, false), LEAVE_MISPREDICT);
    assert_int_equal(backward(&m->predictor, 0x1000, false), LEAVE_DROPPED_TARGET);
    assert_int_equal(backward(&m->predictor, 0x1000, false), LEAVE_NEXT);
    m->predictor.counters[predictor_counter(&m->predictor, 0x1000)] = 3;
    assert_int_equal(backward(&m->predictor, 0x1000, true), LEAVE_LATE_BRANCH);
    drop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replacement_is_what_the_core_says),
        cmocka_unit_test(a_set_holds_its_ways_and_no_more),
        cmocka_unit_test(a_miss_costs_a_line_and_a_hit_nothing),
        cmocka_unit_test(a_changed_line_is_written_back),
        cmocka_unit_test(a_store_by_one_hart_takes_the_line_from_the_other),
        cmocka_unit_test(what_passes_the_filter_would_have_cost_nothing),
        cmocka_unit_test(a_fence_of_a_page_leaves_the_others),
        cmocka_unit_test(what_a_device_writes_is_in_no_cache),
        cmocka_unit_test(a_second_level_keeps_what_the_first_loses),
        cmocka_unit_test(a_stride_is_fetched_ahead),
        cmocka_unit_test(a_full_store_buffer_stalls_until_memory_answers),
        cmocka_unit_test(stores_merge_with_any_entry_of_their_doubleword),
        cmocka_unit_test(a_write_takes_bytes_that_are_aligned),
        cmocka_unit_test(a_queue_in_front_of_the_store_buffer_takes_some),
        cmocka_unit_test(memory_does_atomic_operations_when_the_stores_are_written),
        cmocka_unit_test(fence_i_empties_the_instruction_cache),
        cmocka_unit_test(a_page_is_found_by_its_size_and_address_space),
        cmocka_unit_test(predictors_learn_what_they_can),
        cmocka_unit_test(a_target_buffer_of_n_holds_n),
        cmocka_unit_test(a_target_of_which_low_bits_are_held_is_in_the_same_region),
        cmocka_unit_test(a_call_by_jalr_at_2_mod_4_leaves_a_wrong_address),
        cmocka_unit_test(a_return_in_the_target_buffer_is_predicted_before_its_call),
        cmocka_unit_test(a_branch_that_is_only_fetched_shifts_the_history_until_a_misprediction),
        cmocka_unit_test(an_exact_quotient_is_early_by_its_bits),
        cmocka_unit_test(an_indirect_jump_is_predicted_where_it_went),
        cmocka_unit_test(a_return_stack_of_n_predicts_n_returns),
        cmocka_unit_test(a_division_takes_the_bits_of_its_quotient),
        cmocka_unit_test(a_quotient_of_0_takes_what_the_core_says),
        cmocka_unit_test(a_wide_product_takes_longer),
        cmocka_unit_test(a_restored_model_goes_on_like_the_saved_one),
        cmocka_unit_test(counters_are_read_before_the_branches_ahead_have_changed_them),
        cmocka_unit_test(a_branch_right_behind_one_that_learns_learns_nothing),
        cmocka_unit_test(a_bit_of_the_history_may_choose_no_counter),
        cmocka_unit_test(a_target_that_is_fetched_in_vain_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
