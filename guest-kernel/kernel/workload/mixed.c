/* mixed.c - the workload `mixed`: calls, tree and sort, one after the other. */
#include "workload.h"

static u64 mixed_run(unsigned long n)
{
    u64 hash = calls_run(n);

    hash = mix(hash, tree_run(n));
    return mix(hash, sort_run(n));
}

static u64 notrace mixed_counted_run(unsigned long n, u64 *calls)
{
    u64 hash = calls_counted_run(n, calls);

    hash = mix(hash, tree_counted_run(n, calls));
    hash = mix(hash, sort_counted_run(n, calls));
    *calls += 3;
    return hash;
}

const struct workload workload_mixed = {
    .name = "mixed",
    .run = mixed_run,
    .run_counted = mixed_counted_run,
    .default_iterations = 10,
};
