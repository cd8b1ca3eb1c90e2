/* calls.c - the workload `calls`: fib, ackermann, and mutual recursion. */
#include "workload.h"

#define FN(name) name
#define CALL()   ((void)0)
#define SET_ATTR static WORKLOAD_FN
#include "calls_body.h"
#undef FN
#undef CALL
#undef SET_ATTR

/* One counting pass at a time: the workload command's mutex. */
static u64 counted;

#define FN(name) counted_##name
#define CALL()   ((void)counted++)
#define SET_ATTR static notrace WORKLOAD_FN
#include "calls_body.h"

u64 calls_run(unsigned long n)
{
    u64 hash = 0;

    for (unsigned long i = 0; i < n; i++)
        hash = mix(hash, calls_once(i));
    return hash;
}

u64 notrace calls_counted_run(unsigned long n, u64 *calls)
{
    u64 hash = 0;

    counted = 0;
    for (unsigned long i = 0; i < n; i++) {
        CALL();
        hash = mix(hash, counted_calls_once(i));
    }
    *calls += counted;
    return hash;
}

const struct workload workload_calls = {
    .name = "calls",
    .run = calls_run,
    .run_counted = calls_counted_run,
    .default_iterations = 10,
};
