/*
 * sbi_scene.h - harts on the built-in firmware, and calls of it (RISC-V SBI specification 3.0).
 */
#ifndef TESTS_UNIT_SBI_SCENE_H
#define TESTS_UNIT_SBI_SCENE_H

#include "machine/board.h"

#include "cpu/isa/extension.h"
#include "cpu/observer.h"

enum {
    BASE = 0x10,
    TIMER = 0x54494d45,
    IPI = 0x735049,
    RFENCE = 0x52464e43,
    HSM = 0x48534d,
    SRST = 0x53525354,
    DBCN = 0x4442434e,
    FWFT = 0x46574654,
};

enum { NOT_SUPPORTED = -2, INVALID_PARAM = -3, DENIED = -4, INVALID_ADDRESS = -5 };
enum { ALREADY_AVAILABLE = -6, ALREADY_STARTED = -7, ALREADY_STOPPED = -8, DENIED_LOCKED = -14 };
enum { STARTED = 0, STOPPED = 1, SUSPENDED = 4 };
enum { PMU = 0x504d55, LEGACY_SHUTDOWN = 8 };
enum {
    SCOUNTEREN = 0x106,
    MIP = 0x344,
    SATP = 0x180,
    STVEC = 0x105,
    SCAUSE = 0x142,
    SSIP = 1 << 1,
    STIP = 1 << 5
};
enum { HARTS = 3, FENCES_MAX = 16 };

#define DATA (BOARD_RAM + 0x300000)

struct scene {
    struct test_board b;
    unsigned fence_count;
    struct fence_event fence[FENCES_MAX];
    unsigned count[EVENT_KINDS]; /* of all events, by kind */
    struct event last[EVENT_KINDS];
};

struct answer {
    int64_t error;
    uint64_t value;
};

static inline void on_event(void *ctx, const struct event *e)
{
    struct scene *s = ctx;

    s->count[e->kind]++;
    s->last[e->kind] = *e;
    if (e->kind != EVENT_FENCE_I)
        return;
    assert_in_range(s->fence_count, 0, FENCES_MAX - 1);
    s->fence[s->fence_count++] = e->fence;
}

/* A kernel of an ecall, a loop, and a wfi after it; on harts with these extensions (NULL: the
 * default). */
static inline void build_with(struct scene *s, const char *isa)
{
    char problem[EXT_TEXT_MAX];
    uint64_t extensions = 0;
    struct board_program p = {0};
    const struct listener l = {.ctx = s, .kinds = UINT32_MAX, .on_event = on_event};

    assert_true(!isa || extensions_parse(isa, &extensions, problem));
    memset(s, 0, sizeof *s);
    add(&p, ECALL);
    add(&p, JAL(ZERO, 0));
    add(&p, WFI);
    board_new(&s->b, &p,
              (struct machine_config){.harts = HARTS, .seed = 1, .cluster.extensions = extensions});
    cluster_listen(machine_cluster(s->b.m), &l);
}

static inline void build(struct scene *s)
{
    build_with(s, NULL);
}

static inline void wreck(struct scene *s)
{
    board_free(&s->b);
}

static inline struct hart *prepare(struct scene *s, unsigned hart, uint64_t extension,
                                   uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
    struct hart *h = board_hart(&s->b, hart);

    hart_set_reg(h, A0, a);
    hart_set_reg(h, A1, b);
    hart_set_reg(h, A2, c);
    hart_set_reg(h, A6, function);
    hart_set_reg(h, A7, extension);
    hart_set_pc(h, BOARD_KERNEL);
    return h;
}

static inline struct answer answer_of(const struct hart *h)
{
    return (struct answer){(int64_t)hart_reg(h, A0), hart_reg(h, A1)};
}

/* One ecall of one hart, without the scheduler. */
static inline struct answer call_on(struct scene *s, unsigned hart, uint64_t extension,
                                    uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
    struct hart *h = prepare(s, hart, extension, function, a, b, c);

    (void)!hart_run(h, 1, UINT64_MAX);
    return answer_of(h);
}

/* The same through the scheduler, while hart 0 runs alone. */
static inline struct answer call_scheduled(struct scene *s, uint64_t extension, uint64_t function,
                                           uint64_t a, uint64_t b, uint64_t c)
{
    struct hart *h = prepare(s, 0, extension, function, a, b, c);

    (void)machine_run(s->b.m, machine_insns(s->b.m) + 1, UINT64_MAX);
    return answer_of(h);
}

static inline struct answer call(struct scene *s, uint64_t extension, uint64_t function, uint64_t a,
                                 uint64_t b, uint64_t c)
{
    return call_on(s, 0, extension, function, a, b, c);
}

static inline bool pending(struct scene *s, unsigned hart, uint64_t bit)
{
    uint64_t mip = 0;

    assert_true(hart_csr(board_hart(&s->b, hart), MIP, &mip));
    return mip & bit;
}

static inline void start(struct scene *s, unsigned hart)
{
    assert_int_equal(call(s, HSM, 0, hart, BOARD_KERNEL + 4, 0).error, 0);
}

#endif
