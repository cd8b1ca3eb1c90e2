/*
 * test_litmus.c - the parts of litmus tests that need no machine: parser, condition, assembler,
 * expectations, and the lines of schedules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "litmus/assemble.h"
#include "litmus/condition.h"
#include "litmus/expect.h"
#include "litmus/image.h"
#include "litmus/test.h"
#include "machine/plan.h"

static const struct diag quiet = {.out = NULL, .program = "test", .quiet = true};

static struct test *parse(const char *text)
{
    char *problem;
    struct test *t = test_parse("file", text, &problem);

    if (!t)
        fail_msg("%s", problem);
    return t;
}

static void refuses(const char *text, const char *why)
{
    char *problem = NULL;
    struct test *t = test_parse("file", text, &problem);

    assert_null(t);
    assert_non_null(problem);
    if (!strstr(problem, why))
        fail_msg("`%s' does not say `%s'", problem, why);
    free(problem);
}

static const char two_harts[] = "RISCV two (* a comment *)\n"
                                "Orig=PodWW {\n"
                                "{ uint64_t x=5; int *p = &x; [y]=P1:spot;\n"
                                "  0:t0=instr:\"li s0, 2\"; 1:a0=-1; 1:x11=0x10; }\n"
                                " P0           | P1 ;\n"
                                " sd t0,0(a0)  | spot: nop ; (* P1 | ; *)\n"
                                "              | ret ;\n"
                                "locations [p; 0:x6;]\n"
                                "~exists (x=2 \\/ ~(1:a0=-1 /\\ y=P1:spot)) \n";

static void a_test_has_what_its_file_says(void **state)
{
    struct test *t = parse(two_harts);

    (void)state;
    assert_string_equal(t->name, "two (* a comment *)");
    assert_int_equal(t->harts, 2);
    assert_int_equal(t->locations.len, 3);
    assert_int_equal(t->locations.at[0].size, 8);
    assert_int_equal(t->locations.at[0].start.number, 5);
    assert_int_equal(t->locations.at[2].start.kind, VALUE_LABEL);
    assert_int_equal(t->starts.len, 3);
    assert_int_equal(t->starts.at[0].value.kind, VALUE_INSN);
    assert_true(t->starts.at[1].value.number == UINT64_MAX);
    assert_int_equal(t->programs[0].lines.len, 1);
    assert_int_equal(t->programs[1].lines.len, 3); /* the label, nop, ret */
    assert_string_equal(t->programs[1].lines.at[0].label, "spot");
    assert_int_equal(t->quantifier, QUANTIFIER_NOT_EXISTS);
    assert_int_equal(t->observed.len, 5); /* p, 0:x6, x, 1:a0, y */
    test_delete(t);
}

static void a_malformed_test_is_refused_with_its_line(void **state)
{
    (void)state;
    refuses("RISCV t\n{ 0:x5=1;\n", "2: ");
    refuses("RISCV t\n{ 0:x5=; }\n P0 ;\n nop ;\nexists (x=1)\n", "2: expected a value");
    refuses("RISCV t\n{ }\n P0 ;\n nop | nop ;\nexists (x=1)\n", "column 2 of 1");
    refuses("RISCV t\n{ }\n P1 ;\n nop ;\nexists (x=1)\n", "expected `P0'");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nexists (1:x5=1)\n", "there is no hart 1");
    refuses("RISCV t\n{ 3:x5=1; }\n P0 ;\n nop ;\nexists (x=1)\n", "there is no hart 3");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\n", "4: expected the condition");
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    refuses("RISCV t\n{ x=0x1ffffffff; }\n P0 ;\n nop ;\nexists (x=1)\n", "2: the value does not");
    refuses("RISCV t\n{ uint8_t x=256; }\n P0 ;\n nop ;\nexists (x=1)\n", "1 bytes of `x'");
    refuses("RISCV t\n{ 0:x5=18446744073709551616; }\n P0 ;\n", "2: the number");
    refuses("RISCV t\n{ 0:x5=-9223372036854775809; }\n P0 ;\n", "2: the number");
    refuses("RISCV t\n{ int x[2]={1,2,3}; }\n P0 ;\n", "`x' has 2 elements");
    refuses("RISCV t\n{ int x[65]; }\n P0 ;\n", "from 1 to 64 elements");
    refuses("RISCV t\n{ int x[2]; }\n P0 ;\n nop ;\nexists (x[2]=1)\n", "`x' has 2 elements");
    refuses("RISCV t\n{ 99999999999999999999:x5=1; }\n P0 ;\n", "64 bits");
    refuses("RISCV t\n{ 8:x5=1; }\n P0 ;\n", "a test may have 8 harts");
    refuses("RISCV t\n{ 0:x5=P8:there; }\n P0 ;\n", "a test may have 8 harts");
    refuses("RISCV t\n{ 5=1; }\n P0 ;\n", "`5' is no name of a location");
}

/* The assembler gets the instructions of many tests as one file. */
static void only_instructions_reach_the_assembler(void **state)
{
    (void)state;
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\n .rept 99 ;\nexists (x=1)\n", "5: `.rept 99'");
    refuses("RISCV t\n{ }\n P0 ;\n nop /* ;\nexists (x=1)\n", "4: an instruction with `/'");
    refuses("RISCV t\n{ }\n P0 ;\n x = 5 ;\nexists (x=1)\n", "an instruction with `='");
    refuses("RISCV t\n{ }\n P0 ;\n nop # ;\nexists (x=1)\n", "an instruction with `#'");
    refuses("RISCV t\n{ 0:x5=instr:\"nop; nop\"; }\n P0 ;\n", "2: an instruction with `;'");
    refuses("RISCV t\n{ }\n P0 ;\n a: nop ;\n a: nop ;\nexists (x=1)\n", "5: the label `a' is");
}

static void sections_that_do_not_end_are_refused(void **state)
{
    (void)state;
    refuses("RISCV", "1: expected an architecture");
    refuses("", "expected an architecture");
    refuses("RISCV t\n(* { \n", "there is no `{'");
    refuses("RISCV t\n{ (* x=1; }\n P0 ;\n nop ;\nexists (x=1)\n", "2: the comment has no end");
    refuses("RISCV t\n{ 0:x5=instr:\"nop; }\n P0 ;\n", "2: the instruction has no closing quote");
    refuses("RISCV t\n{ }\n P0 ;\n nop", "4: a line of the programs has no `;'");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nexists", "5: expected a register or a location");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nexists (x=1 /\\", "5: expected a register");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nlocations [x; ", "5: expected a register");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nfilter (x=1", "5: expected `)'");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nexists (x=1) and more\n", "5: expected");
    refuses("RISCV t\n{ }\n P0 ;\n nop ;\nexists (x=1))\n", "5: the test has ended before `)");
}

static void a_condition_has_an_end_to_its_depth(void **state)
{
    char *text = test_malloc(40000);
    size_t len = (size_t)sprintf(text, "RISCV t\n{ }\n P0 ;\n nop ;\nexists ");

    (void)state;
    memset(text + len, '(', 30000);
    text[len + 30000] = '\0';
    refuses(text, "5: the condition has more than 2000 terms");
    memset(text + len, '~', 30000);
    refuses(text, "5: the condition has more than 2000 terms");
    test_free(text);
}

static void lines_may_end_as_on_windows(void **state)
{
    struct test *t = parse("RISCV t\r\nVariant=vm\r\n{ x=1; }\r\n P0 ;\r\n nop ;\r\n"
                           "~exists\r\n(x=2)\r\n");

    (void)state;
    assert_string_equal(t->name, "t");
    assert_true(t->translated);
    assert_string_equal(t->programs[0].lines.at[0].insn, "nop");
    assert_int_equal(t->quantifier, QUANTIFIER_NOT_EXISTS);
    test_delete(t);
}

static void numbers_are_decimal_hexadecimal_or_binary(void **state)
{
    struct test *t =
        parse("RISCV t\n{ uint64_t x=18446744073709551615; int8_t y=-128; int16_t z=0xffff;"
              " 0:x5=010; 0:x6=0b101; 0:x7=-0x8000000000000000; }\n P0 ;\n nop ;\n"
              "exists (x=1)\n");

    (void)state;
    assert_true(t->locations.at[0].start.number == UINT64_MAX);
    assert_true(t->starts.at[0].value.number == 10);
    assert_true(t->starts.at[1].value.number == 5);
    assert_true(t->starts.at[2].value.number == UINT64_C(1) << 63);
    test_delete(t);
}

/* The test's image; the caller frees the three. */
static struct test_image *build(struct test *t, struct assembled *code)
{
    struct test_image *i;
    char *problem;

    memset(code, 0, sizeof *code);
    assert_int_equal(assemble(&t, 1, NULL, &quiet, code), EXIT_PASS);
    if (code->problem)
        fail_msg("%s", code->problem);
    i = test_image_new(t, code, false, &problem);
    if (!i)
        fail_msg("%s", problem);
    return i;
}

static void a_condition_is_evaluated_with_names_of_addresses(void **state)
{
    struct test *t = parse(two_harts);
    struct assembled code;
    struct test_image *i = build(t, &code);
    uint64_t spot, values[] = {0, 3, 1, UINT64_MAX, 0};
    struct final_state s = {.values = values};
    char *text, *again;

    (void)state;
    assert_true(test_image_label(i, 1, "spot", &spot));
    values[4] = spot;
    assert_false(condition_holds(i, t->condition, &s)); /* y is the label, 1:a0 is -1 */
    values[4] = spot + 4;
    assert_true(condition_holds(i, t->condition, &s));
    values[4] = spot;
    values[2] = 2;
    assert_true(condition_holds(i, t->condition, &s)); /* x=2 */
    text = final_state_text(i, &s);
    assert_string_equal(text, "p=0; 0:x6=3; x=2; 1:x10=-1; y=P1:spot;");
    again = final_state_normalize(i, "[y]=P1:spot; 1:a0=-1; 0:t1=0x3; p=0; x=2; other=4;");
    assert_string_equal(again, text);
    free(again);
    assert_null(final_state_normalize(i, "x=2; y=1;"));
    free(text);
    test_image_free(i);
    assembled_free(&code);
    test_delete(t);
}

static void arrays_have_elements_and_addresses_offsets(void **state)
{
    struct test *t =
        parse("RISCV t\n{ uint16_t x[3]={1,2}; int y[2]=7; 0:a0=x+4; }\n P0 ;\n nop ;\n"
              "exists (x[2]=5 /\\ y[1]=7 /\\ y[1]=8)\n");
    struct assembled code;
    struct test_image *i = build(t, &code);
    struct final_state s = {.values = (uint64_t[]){5, 7}};
    uint16_t elements[3];
    char *text;

    (void)state;
    memcpy(elements, i->bytes + (i->pa[0] - IMAGE_BASE), sizeof elements);
    assert_int_equal(elements[0], 1);
    assert_int_equal(elements[1], 2);
    assert_int_equal(elements[2], 0);
    assert_true(test_image_value(i, &t->starts.at[0].value, 0, 10) == i->va[0] + 4);
    text = final_state_text(i, &s);
    assert_string_equal(text, "x[2]=5; y[1]=7;");
    free(text);
    assert_false(condition_holds(i, t->condition, &s));
    test_image_free(i);
    assembled_free(&code);
    test_delete(t);
}

static void jumps_that_are_values_lead_to_their_labels(void **state)
{
    struct test *t = parse("RISCV jump\n{ 0:a0=P1:here; 0:t0=instr:\"j there\"; }\n"
                           " P0 | P1 ;\n sw t0,0(a0) | nop ;\n | here: nop ;\n | nop ;\n"
                           " | there: nop ;\nexists (1:x5=0)\n");
    struct assembled code;
    struct test_image *i = build(t, &code);

    (void)state;
    assert_int_equal(insn_offset((uint32_t)test_image_value(i, &t->starts.at[1].value, 0, 5)), 8);
    test_image_free(i);
    assembled_free(&code);
    test_delete(t);
}

static void offsets_of_jumps_are_read_as_they_are_written(void **state)
{
    static const int64_t offsets[] = {0, 2, -2, 4, -4, 2046, -2048, 4094, -4096};

    (void)state;
    for (size_t n = 0; n < sizeof offsets / sizeof offsets[0]; n++) {
        assert_int_equal(insn_offset(insn_move(0x6f, offsets[n])), offsets[n]);
        assert_int_equal(insn_offset(insn_move(0x00b50063, offsets[n])), offsets[n]);
        assert_int_equal(insn_move(insn_move(0x00b50063, offsets[n]), -offsets[n]), 0x00b50063);
    }
    assert_int_equal(insn_move(0x13, 8), 0x13); /* nop */
}

static uint32_t word_of(const char *insn)
{
    char *text = NULL;
    struct assembled code;
    struct test_image *i;
    struct test *t;
    uint32_t word;

    assert_true(asprintf(&text, "RISCV t\n{ }\n P0 ;\n %s ;\nexists (0:x1=0)\n", insn) > 0);
    t = parse(text);
    i = build(t, &code);
    assert_int_equal(code.codes[0].size, 4);
    memcpy(&word, code.codes[0].bytes, 4);
    test_image_free(i);
    assembled_free(&code);
    test_delete(t);
    free(text);
    return word;
}

/* Zalasr, which the assembler does not know. */
static void accesses_that_acquire_and_release_are_assembled(void **state)
{
    (void)state;
    assert_int_equal(word_of("lw.aq x5,0(x6)"), 0x340322af);
    assert_int_equal(word_of("ld.aq x5,(x6)"), 0x340332af);
    assert_int_equal(word_of("lb.aq.rl x5,(x6)"), 0x360302af);
    assert_int_equal(word_of("sw.aq.rl x5,0(x6)"), 0x3e53202f);
    assert_int_equal(word_of("sh.rl x5,0(x6)"), 0x3a53102f);
    assert_int_equal(word_of("amoswap.w.aq.rl x0,x5,(x6)"), 0x0e53202f);
}

static void expectations_are_read_from_lists_and_logs(void **state)
{
    static const char text[] = "Test A Allowed\nStates 2\n3     *>0:x5=1; x=2;\n0:x5=0; x=2;\nOk\n"
                               "Witnesses\nObservation A Sometimes 3 1\n\nTest B Required\n"
                               "Histogram (1 states)\n7 :>0:x5=1;\nObservation B Never 0 7\n";
    char log[] = "/tmp/test_litmus-XXXXXX", list[] = "/tmp/test_litmus-XXXXXX";
    struct expectations *e = NULL;
    const struct expectation *x;
    int fd = mkstemp(log);

    (void)state;
    assert_true(write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(fd);
    fd = mkstemp(list);
    assert_true(write(fd, "# all\nB  Allow\nC Forbidden\n", 26) == 26);
    close(fd);
    assert_int_equal(expectations_read(&e, log, &quiet), EXIT_PASS);
    x = expectations_find(e, "A");
    assert_int_equal(x->states.len, 2);
    assert_string_equal(x->states.at[0], "0:x5=1; x=2;");
    assert_int_equal(x->verdict, VERDICT_ALLOW);
    assert_int_equal(expectations_find(e, "B")->verdict, VERDICT_FORBID);
    assert_int_equal(expectations_read(&e, list, &quiet), EXIT_PASS);
    assert_int_equal(expectations_find(e, "B")->verdict, VERDICT_ALLOW);
    assert_int_equal(expectations_find(e, "B")->states.len, 0);
    assert_int_equal(expectations_find(e, "C")->verdict, VERDICT_FORBID);
    assert_null(expectations_find(e, "D"));
    expectations_free(e);
    unlink(log);
    unlink(list);
}

static void lines_of_schedules_are_read_as_they_are_written(void **state)
{
    static const char *const lines[] = {"tick hart 0 at 5", "stall hart 1 from 5 until 9",
                                        "answer hart 1 at 101 fetch 2", "answer hart 0 at 7 load 1",
                                        "leave hart 2 at 30 store 1"};
    struct plan_step step;
    char text[PLAN_LINE];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        step = (struct plan_step){0};
        assert_true(plan_read_step(lines[i], &step));
        plan_write_step(text, &step);
        assert_string_equal(text, lines[i]);
    }
    assert_false(plan_read_step("answer hart 1 at 101 frob 2", &step));
    assert_false(plan_read_step("leave hart 1 at 101 store x", &step));
}

static void answers_of_a_plan_are_taken_in_their_order(void **state)
{
    struct plan_step steps[] = {
        {.kind = PLAN_ANSWER, .hart = 1, .at = 9, .choice = CHOICE_FETCH, .answer = 2},
        {.kind = PLAN_ANSWER, .hart = 1, .at = 9, .choice = CHOICE_LOAD_VALUE, .answer = 1},
        {.kind = PLAN_ANSWER, .hart = 0, .at = 10, .choice = CHOICE_FETCH, .answer = 3}};
    const struct plan p = {.steps = {steps, 3, 3}};

    (void)state;
    assert_true(plan_chooses(&p));
    assert_int_equal(plan_answer(&p, 9, 0, CHOICE_FETCH, 1), 2);
    assert_int_equal(plan_answer(&p, 9, 1, CHOICE_LOAD_VALUE, 1), 1);
    assert_int_equal(plan_answer(&p, 9, 0, CHOICE_LOAD_VALUE, 1), 0); /* another question */
    assert_int_equal(plan_answer(&p, 9, 2, CHOICE_FETCH, 1), 0);
    assert_int_equal(plan_answer(&p, 10, 0, CHOICE_FETCH, 0), 3);
    assert_true(plan_next(&p, 9) == UINT64_MAX); /* nothing begins at an answer */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_has_what_its_file_says),
        cmocka_unit_test(a_malformed_test_is_refused_with_its_line),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(only_instructions_reach_the_assembler),
        cmocka_unit_test(sections_that_do_not_end_are_refused),
        cmocka_unit_test(a_condition_has_an_end_to_its_depth),
        cmocka_unit_test(lines_may_end_as_on_windows),
        cmocka_unit_test(numbers_are_decimal_hexadecimal_or_binary),
        cmocka_unit_test(arrays_have_elements_and_addresses_offsets),
        cmocka_unit_test(a_condition_is_evaluated_with_names_of_addresses),
        cmocka_unit_test(jumps_that_are_values_lead_to_their_labels),
        cmocka_unit_test(offsets_of_jumps_are_read_as_they_are_written),
        cmocka_unit_test(accesses_that_acquire_and_release_are_assembled),
        cmocka_unit_test(expectations_are_read_from_lists_and_logs),
        cmocka_unit_test(lines_of_schedules_are_read_as_they_are_written),
        cmocka_unit_test(answers_of_a_plan_are_taken_in_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
