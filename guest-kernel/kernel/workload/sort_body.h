/* sort_body.h - merge sort of a list through a function pointer.  See workload.h. */

SET_ATTR int FN(sort_compare)(const struct item *a, const struct item *b)
{
    return a->key < b->key ? -1 : a->key > b->key;
}

SET_ATTR struct item *FN(sort_merge)(struct item *a, struct item *b, compare_fn compare)
{
    struct item head, *tail = &head;

    while (a && b) {
        struct item **least;

        CALL();
        least = compare(b, a) < 0 ? &b : &a;
        tail = tail->next = *least;
        *least = (*least)->next;
    }
    tail->next = a ? a : b;
    return head.next;
}

/* Splits the list in the middle; returns the second half. */
SET_ATTR struct item *FN(sort_split)(struct item *list)
{
    struct item *slow = list, *fast = list->next, *half;

    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    half = slow->next;
    slow->next = NULL;
    return half;
}

SET_ATTR struct item *FN(sort_list)(struct item *list, compare_fn compare)
{
    struct item *half;

    if (!list || !list->next)
        return list;
    CALL();
    half = FN(sort_split)(list);
    CALL();
    list = FN(sort_list)(list, compare);
    CALL();
    half = FN(sort_list)(half, compare);
    CALL();
    return FN(sort_merge)(list, half, compare);
}

/* Returns 0 if the list is out of order; the hash of a sorted list is never 0. */
SET_ATTR u64 FN(sort_hash)(const struct item *list, u64 hash)
{
    for (; list; list = list->next) {
        if (list->next && list->key > list->next->key)
            return 0;
        hash = mix(hash, list->key);
    }
    return hash | 1;
}

SET_ATTR u64 FN(sort_once)(unsigned long round)
{
    struct item items[SORT_ITEMS];
    u64 key = round + 1;

    for (int i = 0; i < SORT_ITEMS; i++) {
        key = key * 6364136223846793005ull + 1442695040888963407ull;
        items[i].key = key >> 40;
        items[i].next = i + 1 < SORT_ITEMS ? &items[i + 1] : NULL;
    }
    CALL();
    CALL();
    return FN(sort_hash)(FN(sort_list)(items, FN(sort_compare)), round);
}
