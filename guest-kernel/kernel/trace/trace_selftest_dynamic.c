/* trace_selftest_dynamic.c - two functions to be traced by the tests, which nothing else calls. */
#include "trace_selftest.h"

/* Made, and called, as it stands here. */
#define called_as_written noinline __attribute__((noclone))

called_as_written int trace_selftest_dynamic_test_func(void)
{
    barrier();
    return 0;
}

called_as_written int trace_selftest_dynamic_test_func2(void)
{
    barrier();
    return 0;
}
