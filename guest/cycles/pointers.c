/* pointers.c - workloads on linked structures, and an interpreter. */
#include "cycles.h"

enum { NODES = 400, KEYS = 250, HEAPED = 350, STEPS = 200 };

struct node {
    struct node *next;
    uint64_t value;
    uint64_t padding[2];
};

static struct node *merge(struct node *a, struct node *b)
{
    struct node head = {0}, *last = &head;

    while (a && b) {
        struct node **from = a->value <= b->value ? &a : &b;

        last->next = *from;
        last = *from;
        *from = last->next;
    }
    last->next = a ? a : b;
    return head.next;
}

static struct node *merge_sort(struct node *list, size_t n)
{
    struct node *middle = list;

    if (n < 2) {
        if (list)
            list->next = NULL;
        return list;
    }
    for (size_t i = 0; i < n / 2; i++)
        middle = middle->next;
    middle = merge_sort(middle, n - n / 2);
    return merge(merge_sort(list, n / 2), middle);
}

uint64_t list_run(void)
{
    struct node *nodes = (void *)arena, *list = NULL;
    uint64_t state = 777, sum = 0;

    for (size_t i = 0; i < NODES; i++) {
        struct node *one = &nodes[i * 7 % NODES];

        one->value = next_random(&state) >> 40;
        one->next = list;
        list = one;
    }
    for (int walk = 0; walk < 4; walk++)
        for (struct node *one = list; one; one = one->next)
            sum += one->value;
    list = merge_sort(list, NODES);
    for (struct node *one = list; one->next; one = one->next)
        sum += one->value <= one->next->value;
    return sum;
}

struct branch {
    struct branch *child[2];
    uint64_t key;
};

static struct branch *tree_insert(struct branch *tree, struct branch *one)
{
    struct branch **at = &tree;

    while (*at)
        at = &(*at)->child[one->key > (*at)->key];
    *at = one;
    return tree;
}

static __attribute__((noinline)) uint64_t tree_depth_sum(const struct branch *tree, uint64_t depth)
{
    if (!tree)
        return 0;
    return depth + tree_depth_sum(tree->child[0], depth + 1) +
           tree_depth_sum(tree->child[1], depth + 1);
}

uint64_t tree_run(void)
{
    struct branch *branches = (void *)arena, *tree = NULL;
    uint64_t state = 31337, sum = 0;

    for (size_t i = 0; i < KEYS; i++) {
        branches[i] = (struct branch){.key = next_random(&state) % (2 * KEYS)};
        tree = tree_insert(tree, &branches[i]);
    }
    for (uint64_t key = 0; key < 2 * KEYS; key++) {
        const struct branch *at = tree;

        while (at && at->key != key)
            at = at->child[key > at->key];
        sum += at != NULL;
    }
    return sum + tree_depth_sum(tree, 1);
}

static void sift_down(uint64_t *heap, size_t n, size_t at)
{
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        uint64_t kept = heap[at];

        if (child + 1 < n && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= kept)
            return;
        heap[at] = heap[child];
        heap[child] = kept;
        at = child;
    }
}

uint64_t heap_run(void)
{
    uint64_t *heap = (void *)arena, state = 5, sum = 0;

    for (size_t i = 0; i < HEAPED; i++)
        heap[i] = next_random(&state) >> 32;
    for (size_t i = HEAPED / 2; i-- > 0;)
        sift_down(heap, HEAPED, i);
    for (size_t n = HEAPED; n > 1; n--) {
        uint64_t top = heap[0];

        heap[0] = heap[n - 1];
        heap[n - 1] = top;
        sift_down(heap, n - 1, 0);
        sum = sum * 3 + top;
    }
    return sum;
}

/* An interpreter of a machine with one register, one counter and a few memory cells. */
enum operation {
    LOAD,
    STORE,
    ADD,
    SUBTRACT,
    XOR,
    SHIFT,
    CONSTANT,
    NEXT_CELL,
    LOOP,
    SKIP_ODD,
    HALT
};

static const uint8_t program[] = {
    CONSTANT, 9, STORE, 0, LOAD,      0, ADD,  1, STORE,    1, XOR,   0, SHIFT, 1, SKIP_ODD, 0,
    ADD,      2, STORE, 2, NEXT_CELL, 0, LOAD, 2, SUBTRACT, 0, STORE, 0, LOOP,  4, HALT,     0};

uint64_t interpreter_run(void)
{
    uint64_t *cells = (void *)arena, a = 0;
    unsigned at = 0, base = 0, left = STEPS;

    for (size_t i = 0; i < 64; i++)
        cells[i] = i * 3;
    for (;;) {
        unsigned operand = program[at + 1];
        uint64_t *cell = &cells[(base + operand) & 63];

        switch ((enum operation)program[at]) {
        case LOAD: a = *cell; break;
        case STORE: *cell = a; break;
        case ADD: a += *cell; break;
        case SUBTRACT: a -= *cell; break;
        case XOR: a ^= *cell << 1; break;
        case SHIFT: a = a >> operand | a << 63; break;
        case CONSTANT: a = operand; break;
        case NEXT_CELL: base++; break;
        case SKIP_ODD: at += a & 1 ? 2 : 0; break;
        case LOOP:
            if (--left)
                at = operand - 2;
            break;
        case HALT: return a;
        }
        at += 2;
    }
}
