/* chase.c - follows pointers all over 16 MiB, one cache line each, none twice. */
#include "bench.h"

const char bench_name[] = "chase";
const unsigned long bench_scale = 400;

enum { LINE = 64, NODES = (16 << 20) / LINE };

struct node {
    struct node *next;
    uint64_t value;
    char pad[LINE - 16];
};

/* Links all nodes to one cycle (Sattolo's algorithm). */
static void link_nodes(struct node *nodes)
{
    uint64_t random = 7;

    for (unsigned i = 0; i < NODES; i++) {
        nodes[i].next = &nodes[i];
        nodes[i].value = bench_random(&random);
    }
    for (unsigned i = NODES - 1; i > 0; i--) {
        unsigned j = (unsigned)(bench_random(&random) >> 20) % i;
        struct node *t = nodes[i].next;

        nodes[i].next = nodes[j].next;
        nodes[j].next = t;
    }
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    struct node *n = memory;
    uint64_t sum = 0;

    link_nodes(n);
    while (scale--)
        for (unsigned i = 0; i < NODES; i++) {
            sum += n->value;
            n = n->next;
        }
    return bench_mix(sum, n->value);
}
