/*
 * kernel_probes.c - see kernel_probes.h.
 */
#include "ftrace/kernel/kernel_probes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "load/image.h"
#include "load/symbols.h"

struct kernel_probes {
    struct cluster *cluster;
    struct probe_owner owner;
    kernel_called *called;
    void *ctx;
    VEC_OF(uint32_t) probes;
};

static struct probe_plan plan(void *ctx, uint32_t which, const struct probe_code *code)
{
    (void)ctx;
    (void)which;
    (void)code;
    return (struct probe_plan){.action = PROBE_CALL};
}

static enum probe_verdict hit(void *ctx, uint32_t which, uint8_t cookie, struct hart *h,
                              uint64_t pc)
{
    struct kernel_probes *k = ctx;

    (void)cookie;
    (void)pc;
    k->called(k->ctx, which, h);
    return PROBE_GO_ON;
}

struct kernel_probes *kernel_probes_new(struct cluster *c, const struct image *im,
                                        const struct symbols *symbols, const char *const *names,
                                        size_t count, kernel_called *called, void *ctx)
{
    struct kernel_probes *k = xcalloc(1, sizeof *k);

    *k = (struct kernel_probes){.cluster = c, .called = called, .ctx = ctx};
    k->owner = (struct probe_owner){k, plan, hit};
    for (size_t i = 0; i < count; i++) {
        uint64_t va, pa;

        if (names[i] && symbols_find(symbols, names[i], &va) && image_va_to_pa(im, va, &pa))
            VEC_PUSH(&k->probes, cluster_plant(c, pa, &k->owner, (uint32_t)i));
    }
    return k;
}

struct kernel_probes *kernel_probes_at_switch(struct cluster *c, const struct image *im,
                                              const struct symbols *symbols, kernel_called *called,
                                              void *ctx)
{
    static const char *const names[] = {"__switch_to"};

    return kernel_probes_new(c, im, symbols, names, 1, called, ctx);
}

void kernel_probes_free(struct kernel_probes *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->probes.len; i++)
        cluster_uproot(k->cluster, k->probes.at[i]);
    VEC_FREE(&k->probes);
    free(k);
}
