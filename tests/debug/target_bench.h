/* target_bench.h - the debugger's target layer over a machine whose harts run a small program. */
#ifndef TESTS_DEBUG_TARGET_BENCH_H
#define TESTS_DEBUG_TARGET_BENCH_H

#include "debug/target/target.h"
#include "machine/board.h"

enum { HARTS = 2, RUN_INSNS = 3000 };

/* Where the instructions of the program are. */
enum { AT_LOOP = 4, AT_STORE = 8, AT_LOAD = 12, AT_CALL = 20, AT_BACK = 24, AT_FUNCTION = 32 };

#define DATA     (BOARD_RAM + 0x1000)
#define FINISHER UINT64_C(0x100000)

/* Each hart counts in a5, stores and loads the count, and calls a function that counts in a4. */
static inline struct board_program counting_program(void)
{
    struct board_program p = {0};

    add(&p, AUIPC(S3, 1));
    add(&p, ADDI(A5, A5, 1));
    add(&p, SD(A5, S3, 0));
    add(&p, LD(A2, S3, 0));
    add(&p, AMOADD_D(0, A3, A5, S3));
    add(&p, JAL(RA, AT_FUNCTION - AT_CALL));
    add(&p, JAL(ZERO, AT_LOOP - AT_BACK));
    add(&p, NOP);
    add(&p, ADDI(A4, A4, 1));
    add(&p, JALR(ZERO, RA, 0));
    return p;
}

struct bench {
    struct test_board b;
    struct target *t;
};

static inline struct bench *bench_with_history(const struct board_program *p, unsigned harts,
                                               uint64_t max_insns, uint64_t history_max)
{
    struct bench *s = calloc(1, sizeof *s);
    struct target_config config = {
        .max_insns = max_insns, .max_cycles = UINT64_MAX, .history_max = history_max};

    board_new(&s->b, p,
              (struct machine_config){.harts = harts,
                                      .seed = 1,
                                      .firmware = FIRMWARE_NONE,
                                      .cluster.timing = TIMING_INORDER});
    config.machine = s->b.m;
    s->t = target_new(&config);
    return s;
}

static inline struct bench *bench_with(const struct board_program *p, unsigned harts,
                                       uint64_t max_insns)
{
    return bench_with_history(p, harts, max_insns, 0);
}

static inline struct bench *bench_new(void)
{
    struct board_program p = counting_program();

    return bench_with(&p, HARTS, RUN_INSNS);
}

static inline void bench_free(struct bench *s)
{
    target_free(s->t);
    board_free(&s->b);
    free(s);
}

static inline uint64_t reg(const struct bench *s, unsigned hart, unsigned number)
{
    uint64_t value = 0;

    assert_int_equal(target_get_register(s->t, hart, number, &value), TARGET_OK);
    return value;
}

static inline void set_reg(const struct bench *s, unsigned hart, const char *name, uint64_t value)
{
    int number = target_find_register(s->t, name);

    assert_true(number >= 0);
    assert_int_equal(target_set_register(s->t, hart, (unsigned)number, value), TARGET_OK);
}

static inline unsigned add_break(const struct bench *s, struct target_point p)
{
    unsigned number = 0;

    p.address += BOARD_RAM;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
    return number;
}

static inline void expect_break(const struct target_stop *s, unsigned point)
{
    assert_int_equal(s->reason, TARGET_STOP_BREAKPOINT);
    assert_int_equal(s->point, point);
    assert_true(s->of_hart);
}

/* Hart 0 translates its loads: 0 to 1 GiB leads to the start of RAM. */
static inline void map_first_gib(const struct bench *s)
{
    const uint64_t leaf = BOARD_RAM >> 12 << 10 | 0xcf, table = BOARD_RAM + 0x4000;

    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, table, &leaf, 8), TARGET_OK);
    set_reg(s, 0, "pmpaddr0", UINT64_MAX);
    set_reg(s, 0, "pmpcfg0", 0x1f);
    set_reg(s, 0, "satp", UINT64_C(8) << 60 | table >> 12);
    set_reg(s, 0, "mstatus", 1 << 17 | 1 << 11); /* MPRV, MPP = S */
}

static inline unsigned add_watch(const struct bench *s, struct target_point p)
{
    unsigned number = 0;

    p.address += DATA;
    p.size = p.size ? p.size : 8;
    p.hart = TARGET_ANY_HART;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
    return number;
}

#endif
