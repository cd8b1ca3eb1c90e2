/* test.c - runs test suites; prints `ok - SUITE: CASE` or `not ok - SUITE: CASE` for each case. */
#include <kunit/test.h>
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

extern const struct kunit_suite *const __kunit_suites_start[], *const __kunit_suites_slow[],
                                                                   *const __kunit_suites_end[];

static void say(const char *fmt, va_list args)
{
    char line[240];
    int n = vsnprintf(line, sizeof(line), fmt, args);

    console_write(line, min(n, (int)sizeof(line) - 1));
}

static void __printf(1, 2) sayf(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
}

void kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...)
{
    va_list args;

    test->failed = true;
    sayf("# %s:%d: ", file, line);
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
    sayf("\n");
}
EXPORT_SYMBOL(kunit_fail);

/* Returns the number of failed cases. */
static unsigned int run_suite(const struct kunit_suite *suite)
{
    const struct kunit_case *test_case;
    unsigned int failed = 0;

    for (test_case = suite->test_cases; test_case->run_case; test_case++) {
        struct kunit test = {false};

        test_case->run_case(&test);
        sayf("%s - %s: %s\n", test.failed ? "not ok" : "ok", suite->name, test_case->name);
        failed += test.failed;
    }
    return failed;
}

int kunit_run(const char *name)
{
    const struct kunit_suite *const *suite;
    unsigned int failed = 0, ran = 0;

    for (suite = __kunit_suites_start; suite < __kunit_suites_end; suite++) {
        if (name ? strcmp(name, (*suite)->name) : suite >= __kunit_suites_slow)
            continue;
        failed += run_suite(*suite);
        ran++;
    }
    if (!ran)
        return -EINVAL;
    return failed ? -EIO : 0;
}
