/* trace_selftest_dynamic.c - two functions to be traced by the tests, which nothing else calls. */
#include "trace_selftest.h"

/* Neither inlined nor cloned. */
#define noinline_noclone noinline __attribute__((noclone))

noinline_noclone int trace_selftest_dynamic_test_func(void)
{
    barrier();
    return 0;
}

noinline_noclone int trace_selftest_dynamic_test_func2(void)
{
    barrier();
    return 0;
}
