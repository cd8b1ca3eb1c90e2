/* radix-tree.c - see radix-tree.h. */
#include <linux/errno.h>
#include <linux/radix-tree.h>
#include <linux/slab.h>

enum { MAP_SHIFT = 6, MAP_SIZE = 1 << MAP_SHIFT, MAP_MASK = MAP_SIZE - 1, MAX_HEIGHT = 11 };

struct radix_tree_node {
    unsigned int count; /* slots in use */
    void *slots[MAP_SIZE];
};

/* Is the index within a tree of this height? */
static bool fits(unsigned int height, unsigned long index)
{
    return height >= MAX_HEIGHT || !(index >> (height * MAP_SHIFT));
}

static unsigned int slot_of(unsigned long index, unsigned int level)
{
    return index >> (level * MAP_SHIFT) & MAP_MASK;
}

/* Adds levels above the root until the index fits. */
static int grow(struct radix_tree_root *root, unsigned long index)
{
    while (!root->height || !fits(root->height, index)) {
        struct radix_tree_node *node = kzalloc(sizeof(*node));

        if (!node)
            return -ENOMEM;
        if (root->rnode) {
            node->slots[0] = root->rnode;
            node->count = 1;
        }
        root->rnode = node;
        root->height++;
    }
    return 0;
}

int radix_tree_insert(struct radix_tree_root *root, unsigned long index, void *item)
{
    struct radix_tree_node *node;
    unsigned int level;
    int err = grow(root, index);

    if (err)
        return err;
    node = root->rnode;
    for (level = root->height - 1; level; level--) {
        void **slot = &node->slots[slot_of(index, level)];

        if (!*slot) {
            *slot = kzalloc(sizeof(*node));
            if (!*slot)
                return -ENOMEM;
            node->count++;
        }
        node = *slot;
    }
    if (node->slots[slot_of(index, 0)])
        return -EEXIST;
    node->slots[slot_of(index, 0)] = item;
    node->count++;
    return 0;
}

void *radix_tree_lookup(const struct radix_tree_root *root, unsigned long index)
{
    const struct radix_tree_node *node = root->rnode;
    unsigned int level = root->height;

    if (!node || !fits(root->height, index))
        return NULL;
    while (node && --level)
        node = node->slots[slot_of(index, level)];
    return node ? node->slots[slot_of(index, 0)] : NULL;
}

void *radix_tree_delete(struct radix_tree_root *root, unsigned long index)
{
    struct radix_tree_node *path[MAX_HEIGHT], *node = root->rnode;
    unsigned int level;
    void *item = radix_tree_lookup(root, index);

    if (!item)
        return NULL;
    for (level = root->height; level--;) {
        path[level] = node;
        node = node->slots[slot_of(index, level)];
    }
    for (level = 0; level < root->height; level++) {
        path[level]->slots[slot_of(index, level)] = NULL;
        if (--path[level]->count)
            return item;
        kfree(path[level]);
    }
    *root = (struct radix_tree_root){0, NULL};
    return item;
}

/* Advances *index to the first one that the given subtree has no more. */
static void skip_subtree(unsigned long *index, unsigned int level)
{
    *index = ((*index >> (level * MAP_SHIFT)) + 1) << (level * MAP_SHIFT);
}

void *radix_tree_next(const struct radix_tree_root *root, unsigned long *index)
{
    while (root->rnode && fits(root->height, *index)) {
        const struct radix_tree_node *node = root->rnode;
        unsigned int level = root->height - 1;

        while (level && node->slots[slot_of(*index, level)])
            node = node->slots[slot_of(*index, level--)];
        if (!level && node->slots[slot_of(*index, 0)])
            return node->slots[slot_of(*index, 0)];
        skip_subtree(index, level);
        if (!*index)
            break;
    }
    return NULL;
}
