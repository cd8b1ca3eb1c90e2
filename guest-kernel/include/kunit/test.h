/*
 * test.h - tests inside the kernel, in KUnit's words.
 *
 * A suite is a list of cases; a case is a function whose name is a claim.
 * Suites are gathered by the linker, so a file of tests needs to be built in
 * and nothing else.  The shell's command `selftest` runs them.
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
/* One that takes long on many harts: it only runs when it is asked for by name. */
#define kunit_test_suite_slow(suite)                                                             \
    static const struct kunit_suite *const kunit_suite_##suite __used __section(".kunit.slow") = \
        &(suite)

void __printf(4, 5)
    kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...);

/* Runs all suites or the one of that name. 0, -EINVAL for a name that is none, -EIO: a case failed.
 */
int kunit_run(const char *suite);
void proc_kunit_init(void);

#define KUNIT_EXPECT_TRUE(test, cond)                                  \
    ({                                                                 \
        bool kunit_ok_ = (cond);                                       \
        if (!kunit_ok_)                                                \
            kunit_fail(test, __FILE__, __LINE__, "not so: %s", #cond); \
        kunit_ok_;                                                     \
    })
#define KUNIT_EXPECT_FALSE(test, cond) KUNIT_EXPECT_TRUE(test, !(cond))

#define KUNIT_EXPECT_OP(test, left, op, right)                                \
    ({                                                                        \
        long kunit_l_ = (long)(left), kunit_r_ = (long)(right);               \
        if (!(kunit_l_ op kunit_r_))                                          \
            kunit_fail(test, __FILE__, __LINE__, "%s, but it is %ld and %ld", \
                       #left " " #op " " #right, kunit_l_, kunit_r_);         \
        kunit_l_ op kunit_r_;                                                 \
    })
#define KUNIT_EXPECT_EQ(test, left, right) KUNIT_EXPECT_OP(test, left, ==, right)
#define KUNIT_EXPECT_NE(test, left, right) KUNIT_EXPECT_OP(test, left, !=, right)
#define KUNIT_EXPECT_LE(test, left, right) KUNIT_EXPECT_OP(test, left, <=, right)
#define KUNIT_EXPECT_GE(test, left, right) KUNIT_EXPECT_OP(test, left, >=, right)
#define KUNIT_EXPECT_LT(test, left, right) KUNIT_EXPECT_OP(test, left, <, right)
#define KUNIT_EXPECT_GT(test, left, right) KUNIT_EXPECT_OP(test, left, >, right)

#endif
