/*
 * test_ooo_loads.c - a core that executes out of order: two loads of the same bytes, of which the
 * younger one is the first to read.
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

enum { ADDRESS = 0x1000, FROM_DIVISION = 5, AT_ONCE = 6 };

#define ORDER "loads.wrong-order = 3\n"
static const char figures[] = "window.entries = 64\nwindow.dispatch = 3\nwindow.retire = 4\n"
                              "window.front = 4\nwindow.fetch-buffer = 32\nports.alu = 2\n"
                              "queue.alu = 8\nqueue.branch = 8\nqueue.memory = 8\n"
                              "queue.writes = 2\nports.float = 2\nqueue.float = 8\n"
                              "queue.loads = 16\nqueue.stores = 12\ndcache.load-misses = 4\n"
                              "dcache.store-misses = 4\nfetch.bytes = 16\nlatency.load = 3\n"
                              "latency.div = 40\ninterval.div = 40\n"
                              "branch.predictor = bimode\nbranch.counters = 16384\n"
                              "branch.choices = 1024\nbranch.history = 22\n"
                              "btb.early-entries = 16\nbtb.entries = 1024\nbtb.holds = direct\n"
                              "indirect.entries = 256\nreturn-stack.depth = 12\n";

static uint64_t step(struct ooo *o, uint64_t now, enum core_class class, unsigned rd,
                     unsigned source, uint64_t va)
{
    const struct ooo_insn i = {
        .op = {.class = (uint8_t) class, .rd = (uint8_t)rd, .source = {(uint8_t)source}, .size = 4},
        .pc = 0x80000000,
        .next = 0x80000004,
        .va = va};

    return now + ooo_step(o, &i, now).cycles;
}

/* The cycle in which the second of two loads retires, the first of which waits for a division. */
static uint64_t two_loads(const char *more, uint64_t second)
{
    struct diag d = {.out = stderr, .program = "test"};
    char text[2048];
    struct core *core;
    struct ooo *o;
    uint64_t now;

    (void)snprintf(text, sizeof text, "%s%s", figures, more);
    core = core_parse(text, "test.core", &d);
    assert_non_null(core);
    o = ooo_new(core);
    now = step(o, 0, CORE_div, FROM_DIVISION, 1, 0);
    now = step(o, now, CORE_load, 7, FROM_DIVISION, ADDRESS);
    now = step(o, now, CORE_load, 8, AT_ONCE, second);
    ooo_free(o);
    core_free(core);
    return now;
}

static void loads_of_the_same_bytes_read_in_order(void **state)
{
    (void)state;
    assert_true(two_loads(ORDER, ADDRESS) > two_loads(ORDER, ADDRESS + 8) + 3);
}

static void other_loads_do_not(void **state)
{
    (void)state;
    assert_int_equal(two_loads(ORDER, ADDRESS + 8), two_loads("", ADDRESS + 8));
    assert_int_equal(two_loads("", ADDRESS), two_loads("", ADDRESS + 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_of_the_same_bytes_read_in_order),
        cmocka_unit_test(other_loads_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
