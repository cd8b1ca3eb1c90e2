/*
 * fuzz_baseline.c - files of known findings, valid or not. Each line of an accepted one is a line
 * of a baseline again, with the same text.
 */
#include <string.h>

#include "base/alloc.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/finding_key.h"
#include "fuzz/check.h"

enum { LINES_MAX = 64 };

static void check_line(const char *line, const struct diag *d)
{
    char *text = xasprintf("rvftrace-baseline 2\n%s\n", line);
    struct baseline *b = NULL;
    unsigned number;
    size_t at = 0;

    CHECK(baseline_parse("line", text, strlen(text), d, &b) == EXIT_PASS);
    CHECK(!strcmp(baseline_gone(b, &at, &number), line) && number == 2);
    CHECK(!baseline_gone(b, &at, &number));
    baseline_free(b);
    free(text);
}

/* A finding of every rule, of unknown code: lines that have it are gone no more. */
static void check_mark(struct baseline *b)
{
    struct finding_key key = {.writer = KEY_UNKNOWN, .place_count = 1, .places = {KEY_UNKNOWN}};

    for (unsigned rule = 0; rule < RULE_COUNT; rule++) {
        size_t before = 0, after = 0, at;
        unsigned number;

        key.rule = (enum rule)rule;
        for (at = 0; baseline_gone(b, &at, &number);)
            before++;
        baseline_mark(b, &key);
        for (at = 0; baseline_gone(b, &at, &number);)
            after++;
        CHECK(baseline_has(b, &key) == (after < before));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct diag d = {.out = fopen("/dev/null", "w"), .program = "fuzz"};
    struct baseline *b = NULL;
    enum exit_status status = baseline_parse("input", (const char *)bytes, size, &d, &b);
    const char *line;
    unsigned number, last = 1;
    size_t at = 0;

    CHECK(status == EXIT_PASS ? b != NULL : status == EXIT_BAD_FILE && !b);
    for (unsigned n = 0; b && n < LINES_MAX && (line = baseline_gone(b, &at, &number)); n++) {
        CHECK(number > last);
        last = number;
        check_line(line, &d);
    }
    if (b)
        check_mark(b);
    baseline_free(b);
    fclose(d.out);
    return 0;
}
