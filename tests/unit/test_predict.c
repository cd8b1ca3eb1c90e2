/*
 * test_predict.c - counters that are read ahead, against a predictor that writes down each branch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "timing/predict.h"

enum { BRANCHES = 200000, TARGETS_MAX = 16 };

/* What one branch did. */
struct written {
    uint32_t counter;
    uint8_t before;
    bool kept, wrong;
};

/* A predictor that is slow and plain. The newest branch comes first. */
struct plain {
    const struct core *core;
    uint8_t *counters;
    uint64_t history, fetched;
    struct written last[2];
    uint64_t targets[TARGETS_MAX];
    unsigned next_target;
};

static struct plain plain_new(const struct core *core)
{
    struct plain p = {.core = core, .counters = xcalloc(core->counters, 1)};

    memset(p.counters, (int)core->counter_start, core->counters);
    for (unsigned i = 0; i < 2; i++)
        p.last[i] = (struct written){.counter = UINT32_MAX, .kept = true};
    return p;
}

/* The bits of a history that choose a counter, one beside the other. */
static uint32_t counter_of(const struct core *core, uint64_t history)
{
    uint32_t number = 0, bits = 0;

    for (uint32_t i = 0; i < core->history; i++) {
        if (core->history_skip && i == core->history_skip)
            continue;
        number |= (uint32_t)(history >> i & 1) << bits++;
    }
    return number & (core->counters - 1);
}

static uint64_t *target_of(struct plain *p, uint64_t pc)
{
    for (unsigned i = 0; i < p->core->btb_entries; i++)
        if (p->targets[i] == pc)
            return &p->targets[i];
    return NULL;
}

/* Into the first free place, or that of the oldest. */
static void put_target(struct plain *p, uint64_t pc)
{
    uint64_t *place = target_of(p, 0);

    if (!place) {
        place = &p->targets[p->next_target];
        p->next_target = (p->next_target + 1) % p->core->btb_entries;
    }
    *place = pc;
}

static enum pipe_leave_by plain_taken(struct plain *p, uint64_t pc)
{
    if (target_of(p, pc))
        return LEAVE_TAKEN;
    put_target(p, pc);
    return LEAVE_LATE_BRANCH;
}

static enum pipe_leave_by plain_not_taken(struct plain *p, uint64_t pc)
{
    uint64_t *target = target_of(p, pc);

    if (!target)
        return LEAVE_NEXT;
    *target = 0;
    return LEAVE_DROPPED_TARGET;
}

static enum pipe_leave_by plain_branch(struct plain *p, uint64_t pc, bool taken, bool led)
{
    uint32_t counter = counter_of(p->core, p->history), fetched = counter_of(p->core, p->fetched);
    unsigned unseen = p->last[0].wrong ? 1 : p->core->read_ahead;
    uint8_t read = p->counters[fetched], learnt;
    struct written w = {.counter = counter, .before = p->counters[counter]};

    for (unsigned i = 0; i < unseen; i++)
        if (p->last[i].counter == fetched)
            read = p->last[i].before;
    learnt = (uint8_t)(taken ? read + (read < 3) : read - (read > 0));
    w.wrong = (read > 1) != taken;
    w.kept = learnt == read || (led && !p->last[0].kept);
    if (!w.kept)
        p->counters[counter] = learnt;
    p->last[1] = p->last[0];
    p->last[0] = w;
    p->fetched = (w.wrong ? p->history : p->fetched) << 1 | taken;
    p->history = p->history << 1 | taken;
    if (!w.wrong)
        return taken ? plain_taken(p, pc) : plain_not_taken(p, pc);
    (void)(taken ? plain_not_taken(p, pc) : plain_taken(p, pc));
    return LEAVE_MISPREDICT;
}

static bool plain_stray(struct plain *p)
{
    bool taken = p->counters[counter_of(p->core, p->fetched)] > 1;

    p->fetched = p->fetched << 1 | taken;
    return taken;
}

#define READ_AHEAD                                                                 \
    "branch.predictor = global\nbranch.stray = 2\nbtb.entries = 8\nbtb.ways = 0\n" \
    "btb.holds = direct\nbtb.before-direction = 1\n"

/*
 * Loops of some branches, of which each has a pattern that changes now and then: counters come to
 * be saturated, histories to be periodic, and targets to be displaced.
 */
static void compare(const char *text, uint64_t seed)
{
    struct diag d = {.out = stderr, .program = "test"};
    char *all = xasprintf("%s%s", READ_AHEAD, text);
    struct core *core = core_parse(all, "test.core", &d);
    struct rng r = {.state = seed};
    struct plain plain;
    struct predictor p;
    uint64_t period = 1, pattern = 0, branches = 1, leaves[PIPE_LEAVES] = {0};

    assert_non_null(core);
    plain = plain_new(core);
    predictor_init(&p, core);
    predictor_reset(&p);
    for (unsigned i = 0; i < BRANCHES; i++) {
        uint64_t random = rng_next(&r), pc = 0x1000 + i % branches * 0x1fe;
        bool taken = pattern >> i % period & 1, led = core->update_busy && random % 4 == 0;
        enum pipe_leave_by by;

        if (random % 101 == 0) {
            period = 1 + (random >> 8) % 4;
            branches = 1 + (random >> 16) % 20;
            pattern = random >> 24;
        }
        if (random >> 32 & 31)
            taken ^= !(random >> 40 & 63);
        if (random % 67 == 0)
            assert_int_equal(predictor_stray_branch(&p), plain_stray(&plain));
        by = led ? predictor_branch_ahead(&p, pc, taken, true)
                 : predictor_branch(&p, pc, taken, &(int32_t){4});
        assert_int_equal(by, plain_branch(&plain, pc, taken, led));
        leaves[by]++;
    }
    for (enum pipe_leave_by by = LEAVE_NEXT; by <= LEAVE_MISPREDICT; by++)
        assert_true(by == LEAVE_RETURN || by == LEAVE_LATE_JUMP || leaves[by] > 100);
    predictor_free(&p);
    free(plain.counters);
    core_free(core);
    free(all);
}

static void two_ahead(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++)
        compare("branch.read-ahead = 2\nbranch.history = 14\nbranch.counters = 8192\n"
                "branch.history-skip = 3\nbranch.update-busy = 1\nbranch.counter-start = 0\n",
                seed);
}

static void two_ahead_with_few_counters(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++)
        compare("branch.read-ahead = 2\nbranch.history = 4\nbranch.counters = 16\n"
                "branch.update-busy = 1\nbranch.counter-start = 0\n",
                seed);
}

static void two_ahead_that_write_at_once(void **state)
{
    (void)state;
    compare("branch.read-ahead = 2\nbranch.history = 6\nbranch.counters = 32\n"
            "branch.history-skip = 2\n",
            5);
}

static void one_ahead(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++)
        compare("branch.read-ahead = 1\nbranch.history = 5\nbranch.counters = 32\n"
                "branch.update-busy = 1\nbranch.counter-start = 3\n",
                seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ahead),
        cmocka_unit_test(two_ahead_with_few_counters),
        cmocka_unit_test(two_ahead_that_write_at_once),
        cmocka_unit_test(one_ahead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
