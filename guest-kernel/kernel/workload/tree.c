/* tree.c - the workload `tree`: the memory allocator under a binary tree. */
#include "workload.h"
#include <linux/slab.h>

enum { TREE_NODES = 24 };

struct node {
    u64 key;
    struct node *left, *right;
};

#define FN(name) name
#define CALL()   ((void)0)
#define SET_ATTR static WORKLOAD_FN
#include "tree_body.h"
#undef FN
#undef CALL
#undef SET_ATTR

/* One counting pass at a time: the workload command's mutex. */
static u64 counted;

#define FN(name) counted_##name
#define CALL()   ((void)counted++)
#define SET_ATTR static notrace WORKLOAD_FN
#include "tree_body.h"

u64 tree_run(unsigned long n)
{
    u64 hash = 0;

    for (unsigned long i = 0; i < n; i++)
        hash = mix(hash, tree_once(i));
    return hash;
}

u64 notrace tree_counted_run(unsigned long n, u64 *calls)
{
    u64 hash = 0;

    counted = 0;
    for (unsigned long i = 0; i < n; i++) {
        CALL();
        hash = mix(hash, counted_tree_once(i));
    }
    *calls += counted;
    return hash;
}

const struct workload workload_tree = {
    .name = "tree",
    .run = tree_run,
    .run_counted = tree_counted_run,
    .default_iterations = 10,
};
