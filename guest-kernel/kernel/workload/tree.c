/* tree.c - the workload `tree`: a binary tree with nodes from kmalloc(). */
#include "workload.h"
#include <linux/slab.h>

enum { TREE_NODES = 24 };

struct node {
    u64 key;
    struct node *left, *right;
};

#define WORKLOAD_BODY "tree_body.h"
#include "workload_sets.h"

DEFINE_WORKLOAD(tree);
