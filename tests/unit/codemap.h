/* codemap.h - harts that write, fence and call small functions, and the events that this makes. */
#ifndef TESTS_UNIT_CODEMAP_H
#define TESTS_UNIT_CODEMAP_H

#include <string.h>

#include "base/bits.h"
#include "cpu/observer.h"
#include "isa/world.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* One page of code under test, and the two parcels on each side of its end. */
#define FUNC  (RAM_BASE + 0x20000)
#define EDGE  (RAM_BASE + 0x30ffe)
#define FRESH (RAM_BASE + 0x40000)
#define HOME  (M_VECTOR + 32) /* where calls return to: `j .` */

/* Stores and fences that the tests execute on any hart, one instruction each. */
enum { STUB_SB, STUB_SH, STUB_SW, STUB_SD, STUB_AMO, STUB_FENCE, STUBS };

enum { SEEN_MAX = 256 };

struct seen {
    unsigned stale_count, write_count, fence_count;
    struct stale_fetch stale[SEEN_MAX];
    struct code_write write[SEEN_MAX];
    struct fence_event fence[SEEN_MAX];
};

struct scene {
    struct world w;
    struct seen seen;
};

static inline void on_event(void *ctx, const struct event *e)
{
    struct seen *seen = ctx;

    if (e->kind == EVENT_STALE_FETCH) {
        assert_in_range(seen->stale_count, 0, SEEN_MAX - 1);
        seen->stale[seen->stale_count++] = e->stale_fetch;
    } else if (e->kind == EVENT_CODE_WRITE) {
        assert_in_range(seen->write_count, 0, SEEN_MAX - 1);
        seen->write[seen->write_count++] = e->code_write;
    } else {
        assert_in_range(seen->fence_count, 0, SEEN_MAX - 1);
        seen->fence[seen->fence_count++] = e->fence;
    }
}

static inline uint64_t stub(unsigned which)
{
    return CODE + which * 8;
}

static inline void build_with(struct scene *s, const struct cluster_config *config, unsigned harts)
{
    static const uint32_t stores[STUBS] = {
        [STUB_SB] = SB(A1, A0, 0),
        [STUB_SH] = SH(A1, A0, 0),
        [STUB_SW] = SW(A1, A0, 0),
        [STUB_SD] = SD(A1, A0, 0),
        [STUB_AMO] = AMOSWAP_W(0, ZERO, A1, A0),
        [STUB_FENCE] = FENCE_I,
    };
    const struct listener l = {.ctx = &s->seen,
                               .kinds = EVENT_BIT(EVENT_STALE_FETCH) | EVENT_BIT(EVENT_CODE_WRITE) |
                                        EVENT_BIT(EVENT_FENCE_I),
                               .on_event = on_event};

    memset(s, 0, sizeof *s);
    s->w = world_with(config, harts);
    for (unsigned n = 0; n < STUBS; n++) {
        poke(&s->w, stub(n), stores[n], 4);
        poke(&s->w, stub(n) + 4, JAL(ZERO, 0), 4);
    }
    cluster_listen(s->w.cluster, &l);
}

static inline void build(struct scene *s, enum fetch_mode mode, unsigned harts)
{
    const struct cluster_config config = {.fetch = mode, .fetch_seed = 1};

    build_with(s, &config, harts);
}

static inline void wreck(struct scene *s)
{
    world_free(&s->w);
}

/* Loads `li a0,value; ret` at an address, as if the image had it. */
static inline void load_function(struct scene *s, uint64_t at, unsigned value)
{
    poke(&s->w, at, ADDI(A0, ZERO, value), 4);
    poke(&s->w, at + 4, JALR(ZERO, RA, 0), 4);
}

static inline void step_hart(struct hart *h, uint64_t pc, uint64_t insns)
{
    hart_set_pc(h, pc);
    assert_int_equal(hart_run(h, insns, UINT64_MAX), HART_BUDGET);
}

/* Runs two instructions from there, the second of which returns; returns a0. */
static inline uint64_t call(struct scene *s, unsigned hart, uint64_t at)
{
    struct hart *h = cluster_hart(s->w.cluster, hart);

    hart_set_reg(h, RA, HOME);
    step_hart(h, at, 2);
    assert_int_equal(hart_pc(h), HOME);
    return hart_reg(h, A0);
}

static inline void store(struct scene *s, unsigned hart, unsigned which, uint64_t at,
                         uint64_t value)
{
    struct hart *h = cluster_hart(s->w.cluster, hart);

    hart_set_reg(h, A0, at);
    hart_set_reg(h, A1, value);
    step_hart(h, stub(which), 1);
}

/* A debugger writes an instruction that all harts fetch from then on. */
static inline void debugger_writes(struct scene *s, uint64_t at, uint32_t insn)
{
    const struct writer who = {.kind = WRITER_DEBUGGER_FENCED};

    assert_true(bus_write(s->w.bus, at, &insn, sizeof insn, &who));
}

static inline void fence(struct scene *s, unsigned hart)
{
    step_hart(cluster_hart(s->w.cluster, hart), stub(STUB_FENCE), 1);
}

#endif
