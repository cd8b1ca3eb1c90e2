/* radix-tree.h - pointers by index, in a tree of 64-way nodes. The user locks. */
#ifndef LINUX_RADIX_TREE_H
#define LINUX_RADIX_TREE_H

#include <linux/types.h>

struct radix_tree_node;

struct radix_tree_root {
    unsigned int height; /* levels of nodes; 0: empty */
    struct radix_tree_node *rnode;
};

int radix_tree_insert(struct radix_tree_root *root, unsigned long index, void *item);
void *radix_tree_lookup(const struct radix_tree_root *root, unsigned long index); /* or NULL */
/* Removes and returns the item, or NULL. */
void *radix_tree_delete(struct radix_tree_root *root, unsigned long index);
/* The first item at *index or above, whose index is stored to *index; NULL: none. */
void *radix_tree_next(const struct radix_tree_root *root, unsigned long *index);

#endif
