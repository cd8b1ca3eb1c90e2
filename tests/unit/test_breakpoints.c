/*
 * test_breakpoints.c - the breakpoints in code: how they are found by their stores, what text
 * counts with, and when they are forgotten.
 */
#include <string.h>

#include "isa/world.h"

#include "base/state_io.h"
#include "cpu/isa/decode.h"
#include "ftrace/patch/breakpoints.h"

enum { PLACE = 0x100, MANY = 5000 };

static const uint32_t old_insn = ADDI(A0, A0, 1);

/* The hart stores over what is there. */
static void store(struct world *w, struct breakpoints *b, uint64_t pa, uint32_t new, unsigned size)
{
    struct code_write e = {.who = {.kind = WRITER_HART}, .pa = pa, .size = size};
    uint64_t old = peek(w, pa, size);

    memcpy(e.old_bytes, &old, size);
    memcpy(e.new_bytes, &new, size);
    poke(w, pa, new, size);
    breakpoints_write(b, &e);
}

static struct breakpoints *begin(struct world *w)
{
    *w = world_new();
    for (uint64_t at = 0; at < 0x1000; at += 4)
        poke(w, CODE + at, old_insn, 4);
    return breakpoints_new(w->bus, 1);
}

static void end(struct world *w, struct breakpoints *b)
{
    breakpoints_free(b);
    world_free(w);
}

static void what_a_breakpoint_replaced_is_kept_when_it_is_removed(void **state)
{
    struct world w;
    struct breakpoints *b = begin(&w);
    struct breakpoint *p;

    (void)state;
    assert_null(breakpoints_at(b, CODE + PLACE));
    store(&w, b, CODE + PLACE, INSN_EBREAK, 4);
    breakpoints_fence(b, 0);
    p = breakpoints_at(b, CODE + PLACE);
    assert_non_null(p);
    assert_true(p->armed && p->size == 4);
    assert_memory_equal(p->replaced, &old_insn, 4);
    store(&w, b, CODE + PLACE, old_insn, 4);
    p = breakpoints_at(b, CODE + PLACE);
    assert_non_null(p);
    assert_false(p->armed);
    assert_memory_equal(p->replaced, &old_insn, 4);
    end(&w, b);
}

static void one_in_code_that_is_copied_is_none(void **state)
{
    struct world w;
    struct breakpoints *b = begin(&w);

    (void)state;
    store(&w, b, CODE + PLACE, INSN_EBREAK, 4);
    store(&w, b, CODE + PLACE + 4, ADDI(A1, A1, 1), 4);
    assert_null(breakpoints_at(b, CODE + PLACE));
    end(&w, b);
}

static void text_counts_with_what_it_was_told_to(void **state)
{
    struct world w;
    struct breakpoints *b = begin(&w);
    struct breakpoint *p;

    (void)state;
    store(&w, b, CODE + PLACE, INSN_EBREAK, 4);
    breakpoints_fence(b, 0);
    assert_false(breakpoints_any_in_text(b));
    p = breakpoints_at(b, CODE + PLACE);
    breakpoints_set_in_text(b, p, true);
    breakpoints_set_in_text(b, p, true);
    assert_true(breakpoints_any_in_text(b));
    /* one that is stored over it replaces what it replaced */
    store(&w, b, CODE + PLACE, ADDI(ZERO, ZERO, 0), 4);
    breakpoints_fence(b, 0);
    store(&w, b, CODE + PLACE, INSN_EBREAK, 4);
    breakpoints_fence(b, 0);
    p = breakpoints_at(b, CODE + PLACE);
    assert_true(p->armed && p->in_text);
    assert_memory_equal(p->replaced, &old_insn, 4);
    breakpoints_set_in_text(b, p, false);
    assert_false(breakpoints_any_in_text(b));
    end(&w, b);
}

static void other_code_in_its_memory_makes_it_forgotten(void **state)
{
    struct world w;
    struct breakpoints *b = begin(&w);

    (void)state;
    store(&w, b, CODE + PLACE, INSN_C_EBREAK, 2);
    breakpoints_fence(b, 0);
    breakpoints_set_in_text(b, breakpoints_at(b, CODE + PLACE), true);
    breakpoints_forget(b, CODE + PLACE + 2, 0x100);
    assert_non_null(breakpoints_at(b, CODE + PLACE));
    breakpoints_forget(b, CODE, PLACE + 2);
    assert_null(breakpoints_at(b, CODE + PLACE));
    assert_false(breakpoints_any_in_text(b));
    end(&w, b);
}

/* Those that text counts with, and that are in memory, stay longest. */
static void there_are_not_too_many(void **state)
{
    struct breakpoint new = {.size = 4};
    struct world w;
    struct breakpoints *b = begin(&w);

    (void)state;
    new.pa = CODE;
    breakpoints_set_in_text(b, breakpoints_keep(b, &new), true);
    for (uint64_t i = 1; i < MANY; i++) {
        new.pa = CODE + 4 * i;
        new.armed = i == 1;
        breakpoints_keep(b, &new);
    }
    assert_non_null(breakpoints_at(b, CODE));
    assert_non_null(breakpoints_at(b, CODE + 4));
    assert_null(breakpoints_at(b, CODE + 8));
    assert_true(breakpoints_left_out(b) == 0);
    end(&w, b);
}

static void they_are_state(void **state)
{
    struct state_io saved = {0}, io = {0};
    struct world w;
    struct breakpoints *b = begin(&w);

    (void)state;
    store(&w, b, CODE + PLACE, INSN_EBREAK, 4);
    breakpoints_set_in_text(b, breakpoints_at(b, CODE + PLACE), true);
    state_io_save(&saved, 0);
    breakpoints_state_io(&saved, b);
    breakpoints_forget(b, CODE, 0x1000);
    state_io_load(&io, saved.saved.at, saved.saved.len);
    breakpoints_state_io(&io, b);
    assert_int_equal(state_io_end(&io), STATE_OK);
    assert_true(breakpoints_any_in_text(b));
    assert_memory_equal(breakpoints_at(b, CODE + PLACE)->replaced, &old_insn, 4);
    breakpoints_set_in_text(b, breakpoints_at(b, CODE + PLACE), false);
    assert_false(breakpoints_any_in_text(b));
    state_io_free(&saved);
    end(&w, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_breakpoint_replaced_is_kept_when_it_is_removed),
        cmocka_unit_test(one_in_code_that_is_copied_is_none),
        cmocka_unit_test(text_counts_with_what_it_was_told_to),
        cmocka_unit_test(other_code_in_its_memory_makes_it_forgotten),
        cmocka_unit_test(there_are_not_too_many),
        cmocka_unit_test(they_are_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
