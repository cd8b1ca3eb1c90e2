/* sort.c - the workload `sort`: calls through a pointer, and a tail call. */
#include "workload.h"

enum { SORT_ITEMS = 32 };

struct item {
    u64 key;
    struct item *next;
};

typedef int (*compare_fn)(const struct item *a, const struct item *b);

#define WORKLOAD_BODY "sort_body.h"
#include "workload_sets.h"

DEFINE_WORKLOAD(sort);
