/*
 * fuzz_litmus.c - litmus tests, and logs and verdicts that they are compared with. What is accepted
 * is laid out as an image, with a nop for each instruction in place of the assembler's code; its
 * condition has a value in any state, and a state that is written is read as the same one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz/check.h"
#include "fuzz/scratch.h"
#include "litmus/condition.h"
#include "litmus/expect.h"
#include "litmus/image.h"
#include "litmus/test.h"

enum { INSN_NOP = 0x13 };

static void make_code(const struct test *t, struct assembled *code)
{
    for (unsigned h = 0; h < t->harts; h++) {
        size_t lines = t->programs[h].lines.len;
        struct code *c = &code->codes[h];
        uint32_t nop = INSN_NOP;

        c->bytes = xcalloc(lines + 1, 4);
        c->offsets = xcalloc(lines + 1, sizeof *c->offsets);
        for (size_t i = 0; i < lines; i++) {
            c->offsets[i] = (uint32_t)c->size;
            if (!t->programs[h].lines.at[i].insn)
                continue;
            memcpy(c->bytes + c->size, &nop, 4);
            c->size += 4;
        }
    }
}

/* Any state: the places have the numbers that they were named with. */
static void try_state(const struct test_image *i, uint64_t seed)
{
    size_t count = i->test->observed.len;
    uint64_t *values = xcalloc(count + 1, sizeof *values);
    struct final_state s = {.values = values, .faults = (uint8_t)seed & 1};
    char *text, *again;

    for (size_t n = 0; n < count; n++)
        values[n] = seed ? seed * (n + 1) : n;
    (void)condition_holds(i, i->test->condition, &s);
    if (i->test->filter)
        (void)condition_holds(i, i->test->filter, &s);
    text = final_state_text(i, &s);
    s.faults = 0;
    free(text);
    text = final_state_text(i, &s);
    again = final_state_normalize(i, text);
    CHECK(!count || (again && !strcmp(again, text)));
    free(again);
    free(text);
    free(values);
}

static void try_test(const char *text)
{
    char *problem = NULL;
    struct test *t = test_parse("fuzz.litmus", text, &problem);
    struct assembled code = {.problem = NULL};
    struct test_image *i;

    CHECK(!t == (problem != NULL));
    CHECK(!problem || (!strchr(problem, '\n') && problem[0] >= '1' && problem[0] <= '9'));
    free(problem);
    if (t && test_is_riscv(t)) {
        make_code(t, &code);
        i = test_image_new(t, &code, false, &problem);
        if (i) {
            try_state(i, 0);
            try_state(i, UINT64_C(0x8000000080000001));
        } else {
            free(problem);
        }
        test_image_free(i);
        assembled_free(&code);
    }
    test_delete(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct diag quiet = {.quiet = true, .program = "fuzz"};
    char *text = xasprintf("%.*s", (int)size, (const char *)bytes);
    struct expectations *e = NULL;
    struct diag d = quiet;

    d.out = fopen("/dev/null", "w");
    try_test(text);
    if (expectations_read(&e, scratch_file(SCRATCH_COMMANDS, bytes, size), &d) == EXIT_PASS)
        CHECK(e != NULL);
    expectations_free(e);
    fclose(d.out);
    free(text);
    return 0;
}
