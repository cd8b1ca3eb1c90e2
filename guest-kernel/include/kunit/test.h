/*
 * test.h - tests inside the kernel, with KUnit's names.
 *
 * A suite is a list of cases; a case is a function whose name states what must hold. The linker
 * collects the suites, so a file of tests only has to be built in. The shell's command
 * `selftest` runs them.
 */
#ifndef KUNIT_TEST_H
#define KUNIT_TEST_H

#include <linux/compiler.h>
#include <linux/types.h>

struct kunit {
    bool failed;
};

struct kunit_case {
    void (*run_case)(struct kunit *test);
    const char *name;
};

struct kunit_suite {
    const char *name;
    const struct kunit_case *test_cases; /* the last one is empty */
};

#define KUNIT_CASE(fn) \
    {                  \
        fn, #fn        \
    }

#define kunit_test_suite(suite) \
    static const struct kunit_suite *const kunit_suite_##suite __used __section(".kunit") = &(suite)
/* A suite that takes long on many harts: runs only when requested by name. */
#define kunit_test_suite_slow(suite)                                                             \
    static const struct kunit_suite *const kunit_suite_##suite __used __section(".kunit.slow") = \
        &(suite)

void __printf(4, 5)
    kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...);

/*
 * Runs all suites that are not slow, or the one with that name. Returns 0, -EINVAL (no such
 * suite) or -EIO (a case failed).
 */
int kunit_run(const char *suite);
void proc_kunit_init(void);

#define KUNIT_EXPECT_TRUE(test, cond)                                   \
    ({                                                                  \
        bool kunit_ok_ = (cond);                                        \
        if (!kunit_ok_)                                                 \
            kunit_fail(test, __FILE__, __LINE__, "expected %s", #cond); \
        kunit_ok_;                                                      \
    })
#define KUNIT_EXPECT_FALSE(test, cond) KUNIT_EXPECT_TRUE(test, !(cond))

#define KUNIT_EXPECT_OP(test, left, op, right)                                   \
    ({                                                                           \
        long kunit_l_ = (long)(left), kunit_r_ = (long)(right);                  \
        if (!(kunit_l_ op kunit_r_))                                             \
            kunit_fail(test, __FILE__, __LINE__, "expected %s, got %ld and %ld", \
                       #left " " #op " " #right, kunit_l_, kunit_r_);            \
        kunit_l_ op kunit_r_;                                                    \
    })
#define KUNIT_EXPECT_EQ(test, left, right) KUNIT_EXPECT_OP(test, left, ==, right)
#define KUNIT_EXPECT_NE(test, left, right) KUNIT_EXPECT_OP(test, left, !=, right)
#define KUNIT_EXPECT_LE(test, left, right) KUNIT_EXPECT_OP(test, left, <=, right)
#define KUNIT_EXPECT_GE(test, left, right) KUNIT_EXPECT_OP(test, left, >=, right)
#define KUNIT_EXPECT_LT(test, left, right) KUNIT_EXPECT_OP(test, left, <, right)
#define KUNIT_EXPECT_GT(test, left, right) KUNIT_EXPECT_OP(test, left, >, right)

#endif
