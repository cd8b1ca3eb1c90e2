/* sort.c - the workload `sort`: calls through a pointer, and a tail call. */
#include "workload.h"

enum { SORT_ITEMS = 32 };

struct item {
    u64 key;
    struct item *next;
};

typedef int (*compare_fn)(const struct item *a, const struct item *b);

#define FN(name) name
#define CALL()   ((void)0)
#define SET_ATTR static WORKLOAD_FN
#include "sort_body.h"
#undef FN
#undef CALL
#undef SET_ATTR

/* One counting pass at a time: the workload command's mutex. */
static u64 counted;

#define FN(name) counted_##name
#define CALL()   ((void)counted++)
#define SET_ATTR static notrace WORKLOAD_FN
#include "sort_body.h"

u64 sort_run(unsigned long n)
{
    u64 hash = 0;

    for (unsigned long i = 0; i < n; i++)
        hash = mix(hash, sort_once(i));
    return hash;
}

u64 notrace sort_counted_run(unsigned long n, u64 *calls)
{
    u64 hash = 0;

    counted = 0;
    for (unsigned long i = 0; i < n; i++) {
        CALL();
        hash = mix(hash, counted_sort_once(i));
    }
    *calls += counted;
    return hash;
}

const struct workload workload_sort = {
    .name = "sort",
    .run = sort_run,
    .run_counted = sort_counted_run,
    .default_iterations = 10,
};
