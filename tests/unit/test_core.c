/*
 * test_core.c - core files: what is read, and what is refused, with its line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timing/core.h"

static char message[512];

static struct core *parse(const char *text)
{
    FILE *out = fmemopen(message, sizeof message, "w");
    struct diag d = {.out = out, .program = "test"};
    struct core *core;

    memset(message, 0, sizeof message);
    core = core_parse(text, "my.core", &d);
    fclose(out);
    return core;
}

static void a_file_sets_numbers_words_and_the_title(void **state)
{
    struct core *c = parse("# a core\n"
                           "core.title = One of mine  # by me\n"
                           "latency.load = 4 # [1]\n"
                           "\n"
                           "interval.fence_i = 800\n"
                           "dcache.size = 8K\n"
                           "  dcache.write=through\n"
                           "icache.prefetch = next-line");

    (void)state;
    assert_non_null(c);
    assert_string_equal(c->title, "One of mine");
    assert_int_equal(c->latency[CORE_load], 4);
    assert_int_equal(c->interval[CORE_fence_i], 800);
    assert_int_equal(c->dcache.size, 8192);
    assert_int_equal(c->write, WRITE_through);
    assert_int_equal(c->icache.prefetch, PREFETCH_next_line);
    assert_int_equal(c->latency[CORE_alu], 1);
    assert_int_equal(c->issue_width, 1);
    assert_string_equal(core_confidence_name(c), "documents");
    core_free(c);
}

static void an_empty_file_is_a_core(void **state)
{
    struct core *c = parse("");

    (void)state;
    assert_non_null(c);
    core_free(c);
}

static void other_bytes_are_another_core(void **state)
{
    struct core *a = parse("latency.load = 2\n"), *b = parse("latency.load = 3\n");

    (void)state;
    assert_true(a->hash != b->hash);
    core_free(a);
    core_free(b);
}

static void figures_and_estimates_are_counted(void **state)
{
    struct core *c = parse("core.title = A core # [E]\n"
                           "latency.load = 2 # [E] nothing is known\n"
                           "latency.mul = 2 #[E]\n"
                           "# latency.div = 2 # [E]\n"
                           "latency.alu = 1 # [M] and [E]\n"
                           "trap = 4");

    (void)state;
    assert_int_equal(c->figures, 4);
    assert_int_equal(c->estimates, 2);
    core_free(c);
}

static void what_is_wrong_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"latency.laod = 2\n", "my.core:1: unknown key `latency.laod'"},
        {"\n\nlatency load\n", "my.core:3: expected KEY = VALUE # SOURCE"},
        {"latency.load = two\n", "my.core:1: latency.load: invalid value `two': expected a number"},
        {"latency.load = -2\n", "invalid value `-2'"},
        {"latency.load = 201\n", "expected a number from 0 to 200"},
        {"latency.load = 99999999999999999999\n", "invalid value `99999999999999999999'"},
        {"latency.load =\n", "invalid value `'"},
        {"interval.alu = 0\n", "expected a number from 1 to 200"},
        {"latency.load = 2\nlatency.load = 3\n",
         "my.core:2: latency.load is already set in line 1"},
        {"dcache.write = behind\n", "invalid value `behind': expected back or through"},
        {"icache.prefetch = next_line\n", "expected none, next-line or stride"},
        {"dcache.size = 3000\n", "my.core:1: dcache.size: size, ways and line"},
        {"icache.size = 64\nicache.ways = 1\n",
         "my.core:1: icache.size: expected at least two sets"},
        {"dcache.line = 48\n", "dcache.line: expected a power of two"},
        {"dcache.size = 6K\ndcache.ways = 3\ndcache.replacement = plru\n", "plru needs"},
        {"dcache.line = 128\nl2.size = 64K\nl2.ways = 1\n", "my.core:3: l2.line"},
        {"fetch.bytes = 6\n", "fetch.bytes: expected a power of two"},
        {"branch.counters = 100\n", "branch.counters: expected a power of two"},
        {"branch.history = 4\n", "only gshare and global have a history"},
        {"branch.predictor = gshare\n", "gshare and global need branch.history"},
        {"branch.read-ahead = 2\n", "only global and bimode know the counter so early"},
        {"window.entries = 8\nbranch.predictor = bimode\nbranch.history = 9\n"
         "branch.read-ahead = 1\n",
         "bimode reads no counter or two ahead"},
        {"window.entries = 8\nbranch.predictor = bimode\nbranch.history = 9\n"
         "branch.counters = 8\n",
         "my.core:4: branch.counters: bimode has at least 16"},
        {"branch.update-busy = 1\n", "only with branch.read-ahead"},
        {"branch.history-skip = 3\n", "only with branch.read-ahead"},
        {"branch.predictor = global\nbranch.history = 3\nbranch.read-ahead = 2\n"
         "branch.history-skip = 3\n",
         "expected less than branch.history"},
        {"branch.predictor = bimodal\nbranch.history-hash = 3\n",
         "branch.history-hash: only with gshare"},
        {"branch.predictor = gshare\nbranch.history = 17\nbranch.history-hash = 3\n",
         "branch.history: expected at most 16 with branch.history-hash"},
        {"btb.before-direction = 1\n", "needs a target buffer that holds direct targets"},
        {"btb.entries = 12\nbtb.ways = 1\n", "btb.entries: entries and ways"},
        {"stores.entries = 4\n", "only with dcache.write = through"},
        {"return-stack.depth = 2\nreturn-stack.overflow-loses = 2\n", "expected less than"},
        {"icache.size = 256\nicache.ways = 2\nicache.line = 64\nicache.prefetch = next-line\n"
         "icache.prefetch-lines = 4\n",
         "my.core:5: icache.prefetch-lines: expected less than there are sets"},
        {"core.confidence = sure\n", "expected documents or rtl"},
        {"itlb.entries = 12\ntlb.replacement = plru\n", "plru needs"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct core *c = parse(rows[i].text);

        if (c || !strstr(message, rows[i].says))
            fail_msg("%s: said `%s', expected `%s'", rows[i].text, message, rows[i].says);
        assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1); /* one line */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_sets_numbers_words_and_the_title),
        cmocka_unit_test(an_empty_file_is_a_core),
        cmocka_unit_test(other_bytes_are_another_core),
        cmocka_unit_test(figures_and_estimates_are_counted),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
