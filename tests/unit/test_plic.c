/*
 * test_plic.c - the interrupt controller: gateways, priorities, claim and completion.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dev/plic.h"

enum { SOURCES = 96, CONTEXTS = 4, PENDING = 0x1000, ENABLE = 0x2000, CONTEXT = 0x200000 };

struct world {
    bool out[CONTEXTS];
    struct plic *p;
    struct device dev;
};

static void set_output(void *ctx, unsigned context, bool level)
{
    ((struct world *)ctx)->out[context] = level;
}

static void build(struct world *w)
{
    struct plic_config config = {
        .base = 0xc000000,
        .source_count = SOURCES,
        .context_count = CONTEXTS,
        .output = {.set = set_output, .ctx = w},
    };

    *w = (struct world){0};
    w->p = plic_new(&config);
    w->dev = plic_device(w->p);
}

static void wreck(struct world *w)
{
    w->dev.free(w->dev.ctx);
}

static uint64_t get(struct world *w, uint64_t offset)
{
    uint64_t value = 0;

    assert_int_equal(w->dev.read(w->dev.ctx, offset, 4, &value), FAULT_NONE);
    return value;
}

static void set(struct world *w, uint64_t offset, uint64_t value)
{
    assert_int_equal(w->dev.write(w->dev.ctx, offset, 4, value), FAULT_NONE);
}

static void enable(struct world *w, unsigned context, unsigned source, unsigned priority)
{
    uint64_t word = ENABLE + 0x80 * context + source / 32 * 4;

    set(w, 4 * source, priority);
    set(w, word, get(w, word) | UINT64_C(1) << source % 32);
}

static void raise_source(struct world *w, unsigned source, bool level)
{
    struct irq_line line = plic_source_line(w->p, source);

    irq_line_set(&line, level);
}

static uint64_t claim(struct world *w, unsigned context)
{
    return get(w, CONTEXT + 0x1000 * context + 4);
}

static void complete(struct world *w, unsigned context, unsigned source)
{
    set(w, CONTEXT + 0x1000 * context + 4, source);
}

static void an_enabled_source_reaches_its_context_only(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    raise_source(&w, 10, true);
    assert_true(w.out[1]);
    assert_false(w.out[0] || w.out[2] || w.out[3]);
    assert_int_equal(get(&w, PENDING), 1 << 10);
    assert_int_equal(claim(&w, 1), 10);
    assert_false(w.out[1]);
    assert_int_equal(get(&w, PENDING), 0);
    wreck(&w);
}

static void a_level_that_stays_high_returns_after_completion_and_not_before(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    raise_source(&w, 10, true);
    assert_int_equal(claim(&w, 1), 10);
    raise_source(&w, 10, true);
    assert_int_equal(claim(&w, 1), 0);
    complete(&w, 1, 10);
    assert_true(w.out[1]);
    assert_int_equal(claim(&w, 1), 10);
    raise_source(&w, 10, false);
    complete(&w, 1, 10);
    assert_false(w.out[1]);
    wreck(&w);
}

static void a_request_survives_the_fall_of_its_level(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    raise_source(&w, 10, true);
    raise_source(&w, 10, false);
    assert_true(w.out[1]);
    assert_int_equal(claim(&w, 1), 10);
    complete(&w, 1, 10);
    assert_int_equal(claim(&w, 1), 0);
    wreck(&w);
}

static void request(struct world *w, unsigned source)
{
    struct irq_line line = plic_source_line(w->p, source);

    irq_line_request(&line);
}

static void a_single_request_does_not_return_after_completion(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    request(&w, 10);
    assert_int_equal(claim(&w, 1), 10);
    complete(&w, 1, 10);
    assert_false(w.out[1]);
    assert_int_equal(claim(&w, 1), 0);
    request(&w, 10);
    assert_int_equal(claim(&w, 1), 10);
    wreck(&w);
}

static void a_single_request_while_in_service_comes_after_completion(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    request(&w, 10);
    assert_int_equal(claim(&w, 1), 10);
    request(&w, 10);
    request(&w, 10);
    assert_int_equal(claim(&w, 1), 0);
    complete(&w, 1, 10);
    assert_int_equal(claim(&w, 1), 10);
    complete(&w, 1, 10);
    assert_int_equal(claim(&w, 1), 0);
    wreck(&w);
}

static void a_single_request_can_be_taken_back_while_in_service(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    raise_source(&w, 10, true);
    assert_int_equal(claim(&w, 1), 10);
    request(&w, 10);
    raise_source(&w, 10, false);
    complete(&w, 1, 10);
    assert_int_equal(claim(&w, 1), 0);
    wreck(&w);
}

static void the_highest_priority_is_claimed_first_then_the_lowest_number(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 0, 40, 2);
    enable(&w, 0, 5, 1);
    enable(&w, 0, 3, 2);
    enable(&w, 0, 96, 7);
    raise_source(&w, 5, true);
    raise_source(&w, 40, true);
    raise_source(&w, 3, true);
    raise_source(&w, 96, true);
    assert_int_equal(claim(&w, 0), 96);
    assert_int_equal(claim(&w, 0), 3);
    assert_int_equal(claim(&w, 0), 40);
    assert_int_equal(claim(&w, 0), 5);
    assert_int_equal(claim(&w, 0), 0);
    wreck(&w);
}

static void a_threshold_masks_the_line_but_not_the_claim(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 3, 8, 3);
    set(&w, CONTEXT + 0x3000, 3);
    raise_source(&w, 8, true);
    assert_false(w.out[3]);
    set(&w, CONTEXT + 0x3000, 2);
    assert_true(w.out[3]);
    set(&w, CONTEXT + 0x3000, 7);
    assert_false(w.out[3]);
    assert_int_equal(get(&w, CONTEXT + 0x3000), 7);
    assert_int_equal(claim(&w, 3), 8);
    wreck(&w);
}

static void priority_zero_never_interrupts(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 0, 8, 0);
    raise_source(&w, 8, true);
    assert_false(w.out[0]);
    assert_int_equal(claim(&w, 0), 0);
    set(&w, 4 * 8, 1);
    assert_true(w.out[0]);
    wreck(&w);
}

static void a_claim_by_one_hart_lowers_the_line_of_the_other(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    enable(&w, 3, 10, 1);
    raise_source(&w, 10, true);
    assert_true(w.out[1] && w.out[3]);
    assert_int_equal(claim(&w, 3), 10);
    assert_false(w.out[1] || w.out[3]);
    assert_int_equal(claim(&w, 1), 0);
    wreck(&w);
}

static void completing_a_source_that_is_not_enabled_is_ignored(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    enable(&w, 1, 10, 1);
    raise_source(&w, 10, true);
    assert_int_equal(claim(&w, 1), 10);
    complete(&w, 0, 10);
    complete(&w, 1, 0);
    complete(&w, 1, 5000);
    assert_false(w.out[1]);
    complete(&w, 1, 10);
    assert_true(w.out[1]);
    wreck(&w);
}

static void registers_keep_only_the_bits_that_mean_something(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, 0, 7); /* source 0 does not exist */
    assert_int_equal(get(&w, 0), 0);
    set(&w, 4 * SOURCES, 0xff);
    assert_int_equal(get(&w, 4 * SOURCES), 7);
    set(&w, 4 * (SOURCES + 1), 7);
    assert_int_equal(get(&w, 4 * (SOURCES + 1)), 0);
    set(&w, ENABLE, 0xffffffff);
    assert_int_equal(get(&w, ENABLE), 0xfffffffe);
    set(&w, ENABLE + 4, 0xffffffff);
    assert_int_equal(get(&w, ENABLE + 4), 0xffffffff);
    set(&w, ENABLE + 12, 0xffffffff); /* sources 96 to 127 */
    assert_int_equal(get(&w, ENABLE + 12), 1);
    set(&w, ENABLE + 16, 0xffffffff);
    assert_int_equal(get(&w, ENABLE + 16), 0);
    set(&w, PENDING, 0xffffffff);
    assert_int_equal(get(&w, PENDING), 0);
    wreck(&w);
}

static void every_word_of_the_device_can_be_touched(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    for (uint64_t offset = 0; offset < w.dev.size; offset += 4) {
        set(&w, offset, 0xffffffff);
        get(&w, offset);
    }
    assert_false(w.out[0] || w.out[1] || w.out[2] || w.out[3]);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_enabled_source_reaches_its_context_only),
        cmocka_unit_test(a_level_that_stays_high_returns_after_completion_and_not_before),
        cmocka_unit_test(a_request_survives_the_fall_of_its_level),
        cmocka_unit_test(a_single_request_does_not_return_after_completion),
        cmocka_unit_test(a_single_request_while_in_service_comes_after_completion),
        cmocka_unit_test(a_single_request_can_be_taken_back_while_in_service),
        cmocka_unit_test(the_highest_priority_is_claimed_first_then_the_lowest_number),
        cmocka_unit_test(a_threshold_masks_the_line_but_not_the_claim),
        cmocka_unit_test(priority_zero_never_interrupts),
        cmocka_unit_test(a_claim_by_one_hart_lowers_the_line_of_the_other),
        cmocka_unit_test(completing_a_source_that_is_not_enabled_is_ignored),
        cmocka_unit_test(registers_keep_only_the_bits_that_mean_something),
        cmocka_unit_test(every_word_of_the_device_can_be_touched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
