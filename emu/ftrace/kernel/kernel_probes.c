/*
 * kernel_probes.c - see kernel_probes.h.
 *
 * Each return address gets a probe when it is first awaited, and keeps it: a function is called
 * from few places. If there are too many, the oldest ones lose theirs.
 */
#include "ftrace/kernel/kernel_probes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/guest_table.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Calls that are awaited at the same time, and return addresses that have a probe. */
enum { AWAITED_MAX = 64, PLACES_MAX = 64 };

struct awaited {
    uint32_t which;
    uint64_t pa, sp; /* of the return address; at the return */
};

struct place {
    uint64_t pa;
    uint32_t probe;
};

struct kernel_probes {
    struct cluster *cluster;
    size_t names;
    struct probe_owner owner;
    kernel_called *called;
    void *ctx;
    VEC_OF(uint32_t) probes;
    struct probe_owner at_return;
    kernel_called *returned; /* NULL: no return is awaited */
    VEC_OF(struct awaited) awaited;
    VEC_OF(struct place) places; /* oldest first */
    uint64_t left_out;
};

static enum probe_verdict hit(void *ctx, uint32_t which, uint8_t cookie, struct hart *h,
                              uint64_t pc)
{
    struct kernel_probes *k = ctx;

    (void)cookie;
    (void)pc;
    k->called(k->ctx, which, h);
    return PROBE_GO_ON;
}

/* ---- returns ---- */

static void forget_awaited(struct kernel_probes *k, size_t i)
{
    for (; i + 1 < k->awaited.len; i++)
        k->awaited.at[i] = k->awaited.at[i + 1];
    k->awaited.len--;
}

/* Several calls may return to the same place with the same sp, as after a tail call. */
static enum probe_verdict hit_return(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                     uint64_t pc)
{
    struct kernel_probes *k = ctx;
    uint64_t sp = hart_reg(h, REG_SP), pa;

    (void)id;
    (void)cookie;
    if (!k->awaited.len || hart_mode(h) == PRIV_U || !hart_translate(h, pc, ACCESS_FETCH, &pa))
        return PROBE_GO_ON;
    for (size_t i = k->awaited.len; i-- > 0;) {
        const struct awaited call = k->awaited.at[i];

        if (call.pa != pa || call.sp != sp)
            continue;
        forget_awaited(k, i);
        k->returned(k->ctx, call.which, h);
    }
    return PROBE_GO_ON;
}

uint64_t kernel_probes_left_out(const struct kernel_probes *k)
{
    return k->left_out;
}

/* Takes the oldest return address its probe, and forgets the calls that are awaited there. */
static void forget_place(struct kernel_probes *k)
{
    uint64_t pa = k->places.at[0].pa;

    cluster_uproot(k->cluster, k->places.at[0].probe);
    for (size_t i = 0; i + 1 < k->places.len; i++)
        k->places.at[i] = k->places.at[i + 1];
    k->places.len--;
    for (size_t i = k->awaited.len; i-- > 0;)
        if (k->awaited.at[i].pa == pa) {
            forget_awaited(k, i);
            k->left_out++;
        }
}

static void plant_return(struct kernel_probes *k, uint64_t pa)
{
    for (size_t i = 0; i < k->places.len; i++)
        if (k->places.at[i].pa == pa)
            return;
    if (k->places.len == PLACES_MAX)
        forget_place(k);
    VEC_PUSH(&k->places, ((struct place){pa, cluster_plant(k->cluster, pa, &k->at_return, 0)}));
}

void kernel_probes_on_return(struct kernel_probes *k, kernel_called *returned)
{
    k->returned = returned;
}

void kernel_probes_await(struct kernel_probes *k, unsigned which, struct hart *h)
{
    struct awaited call = {.which = which, .sp = hart_reg(h, REG_SP)};

    if (!guest_code(h, hart_reg(h, REG_RA), &call.pa))
        return;
    for (size_t i = 0; i < k->awaited.len; i++)
        if (k->awaited.at[i].sp == call.sp && k->awaited.at[i].which == which)
            forget_awaited(k, i--);
    if (k->awaited.len == AWAITED_MAX) {
        forget_awaited(k, 0);
        k->left_out++;
    }
    VEC_PUSH(&k->awaited, call);
    plant_return(k, call.pa);
}

static void awaited_io(struct state_io *io, struct awaited *call)
{
    STATE_IO(io, call->which);
    STATE_IO(io, call->pa);
    STATE_IO(io, call->sp);
}

void kernel_probes_state_io(struct state_io *io, struct kernel_probes *k)
{
    state_io_section(io, "kernel-probes", 2);
    STATE_IO(io, k->left_out);
    STATE_IO_VEC(io, &k->awaited, AWAITED_MAX, awaited_io);
    for (size_t i = 0; io->loading && i < k->awaited.len; i++) {
        const struct awaited *call = &k->awaited.at[i];

        if (call->which >= k->names || !bus_ram_at(cluster_bus(k->cluster), call->pa) ||
            call->pa % 2)
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else if (!io->error)
            plant_return(k, call->pa);
    }
}

/* ---- functions ---- */

struct kernel_probes *kernel_probes_new(struct cluster *c, const struct image *im,
                                        const struct symbols *symbols, const char *const *names,
                                        size_t count, kernel_called *called, void *ctx)
{
    struct kernel_probes *k = xcalloc(1, sizeof *k);

    *k = (struct kernel_probes){.cluster = c, .names = count, .called = called, .ctx = ctx};
    k->owner = (struct probe_owner){k, NULL, hit};
    k->at_return = (struct probe_owner){k, NULL, hit_return};
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
    for (size_t i = 0; i < k->places.len; i++)
        cluster_uproot(k->cluster, k->places.at[i].probe);
    VEC_FREE(&k->probes);
    VEC_FREE(&k->awaited);
    VEC_FREE(&k->places);
    free(k);
}
