/* tree_body.h - a binary search tree, each node from kmalloc(). See workload.h. */

SET_ATTR struct node *FN(tree_node)(u64 key)
{
    struct node *node;

    CALL();
    node = kmalloc(sizeof(*node));
    if (node)
        *node = (struct node){.key = key};
    return node;
}

SET_ATTR struct node *FN(tree_insert)(struct node *root, u64 key)
{
    struct node **child;

    CALL();
    if (!root)
        return FN(tree_node)(key);
    child = key < root->key ? &root->left : &root->right;
    *child = FN(tree_insert)(*child, key);
    return root;
}

SET_ATTR u64 FN(tree_hash)(const struct node *root, u64 hash)
{
    if (!root)
        return hash;
    CALL();
    hash = FN(tree_hash)(root->left, hash);
    hash = mix(hash, root->key);
    CALL();
    return keep(FN(tree_hash)(root->right, hash));
}

SET_ATTR void FN(tree_free)(struct node *root)
{
    if (!root)
        return;
    CALL();
    FN(tree_free)(root->left);
    CALL();
    FN(tree_free)(root->right);
    CALL();
    kfree(root);
    keep(0);
}

SET_ATTR u64 FN(tree_once)(unsigned long round)
{
    struct node *root = NULL;
    u64 key = round, hash;

    for (int i = 0; i < TREE_NODES; i++) {
        key = key * 6364136223846793005ull + 1442695040888963407ull;
        CALL();
        root = FN(tree_insert)(root, key >> 32);
    }
    CALL();
    hash = FN(tree_hash)(root, round);
    CALL();
    FN(tree_free)(root);
    return hash;
}
