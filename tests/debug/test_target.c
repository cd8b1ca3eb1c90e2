/*
 * test_target.c - the debugger's target layer without a terminal: registers, memory, breakpoints,
 * watchpoints, steps, and the reason of a stop as a value.
 */
#include "machine/board.h"

#include "debug/target.h"
#include "snapshot.h"

enum { HARTS = 2, RUN_INSNS = 3000 };

/* Where the instructions of the program are. */
enum { AT_LOOP = 4, AT_STORE = 8, AT_LOAD = 12, AT_CALL = 20, AT_BACK = 24, AT_FUNCTION = 32 };

#define DATA     (BOARD_RAM + 0x1000)
#define FINISHER UINT64_C(0x100000)

/* Each hart counts in a5, stores and loads the count, and calls a function that counts in a4. */
static struct board_program counting_program(void)
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

static struct bench *bench_with_history(const struct board_program *p, unsigned harts,
                                        uint64_t max_insns, uint64_t history_max)
{
    struct bench *s = calloc(1, sizeof *s);
    struct target_config config = {
        .max_insns = max_insns, .max_cycles = UINT64_MAX, .history_max = history_max};

    board_new(&s->b, p,
              (struct machine_config){
                  .harts = harts, .seed = 1, .firmware = FIRMWARE_NONE, .timing = TIMING_INORDER});
    config.machine = s->b.m;
    s->t = target_new(&config);
    return s;
}

static struct bench *bench_with(const struct board_program *p, unsigned harts, uint64_t max_insns)
{
    return bench_with_history(p, harts, max_insns, 0);
}

static struct bench *bench_new(void)
{
    struct board_program p = counting_program();

    return bench_with(&p, HARTS, RUN_INSNS);
}

static void bench_free(struct bench *s)
{
    target_free(s->t);
    board_free(&s->b);
    free(s);
}

static uint64_t reg(const struct bench *s, unsigned hart, unsigned number)
{
    uint64_t value = 0;

    assert_int_equal(target_get_register(s->t, hart, number, &value), TARGET_OK);
    return value;
}

static void set_reg(const struct bench *s, unsigned hart, const char *name, uint64_t value)
{
    int number = target_find_register(s->t, name);

    assert_true(number >= 0);
    assert_int_equal(target_set_register(s->t, hart, (unsigned)number, value), TARGET_OK);
}

static unsigned add_break(const struct bench *s, struct target_point p)
{
    unsigned number = 0;

    p.address += BOARD_RAM;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
    return number;
}

static void expect_break(const struct target_stop *s, unsigned point)
{
    assert_int_equal(s->reason, TARGET_STOP_BREAKPOINT);
    assert_int_equal(s->point, point);
    assert_true(s->of_hart);
}

/* ---- registers ---- */

static void registers_have_the_numbers_that_gdb_gives_them(void **state)
{
    struct bench *s = bench_new();

    (void)state;
    assert_int_equal(target_find_register(s->t, "zero"), 0);
    assert_int_equal(target_find_register(s->t, "ra"), 1);
    assert_int_equal(target_find_register(s->t, "x31"), 31);
    assert_int_equal(target_find_register(s->t, "fp"), 8);
    assert_int_equal(target_find_register(s->t, "pc"), 32);
    assert_int_equal(target_find_register(s->t, "f0"), 33);
    assert_int_equal(target_find_register(s->t, "fa0"), 43);
    assert_int_equal(target_find_register(s->t, "mstatus"), 65 + 0x300);
    assert_int_equal(target_find_register(s->t, "priv"), 65 + 4096);
    assert_int_equal(target_find_register(s->t, "x32"), -1);
    assert_int_equal(target_find_register(s->t, "nothing"), -1);
    bench_free(s);
}

static void each_register_is_found_by_its_name_and_can_be_read(void **state)
{
    struct bench *s = bench_new();
    struct target_register r;
    unsigned found = 0;
    uint64_t value;

    (void)state;
    for (unsigned number = 0; number < TARGET_REGISTERS; number++) {
        if (!target_register(s->t, number, &r))
            continue;
        found++;
        assert_int_equal(target_find_register(s->t, r.name), number);
        assert_int_equal(target_get_register(s->t, 1, number, &value), TARGET_OK);
        assert_true(r.bits == 64 || r.group == TARGET_VIRTUAL);
    }
    assert_true(found > 65 + 30);
    assert_false(target_register(s->t, TARGET_REGISTERS, &r));
    assert_int_equal(target_get_register(s->t, 0, TARGET_REG_CSR + 0x5ff, &value),
                     TARGET_NO_REGISTER);
    bench_free(s);
}

static void what_cannot_be_written_says_so(void **state)
{
    struct bench *s = bench_new();
    uint64_t value;

    (void)state;
    set_reg(s, 1, "a0", 77);
    set_reg(s, 1, "fs0", 78);
    set_reg(s, 1, "mscratch", 79);
    assert_int_equal(reg(s, 1, 10), 77);
    assert_int_equal(reg(s, 0, 10), 0);
    assert_int_equal(reg(s, 1, TARGET_REG_F0 + 8), 78);
    assert_int_equal(reg(s, 1, TARGET_REG_CSR + 0x340), 79);
    assert_int_equal(target_set_register(s->t, 0, 0, 1), TARGET_READ_ONLY);
    assert_int_equal(target_set_register(s->t, 0, TARGET_REG_PRIV, 1), TARGET_READ_ONLY);
    assert_int_equal(target_set_register(s->t, 0, TARGET_REG_CSR + 0xf14, 1), TARGET_READ_ONLY);
    assert_int_equal(target_set_register(s->t, HARTS, 1, 1), TARGET_NO_HART);
    assert_int_equal(target_get_register(s->t, HARTS, 1, &value), TARGET_NO_HART);
    bench_free(s);
}

/* ---- memory ---- */

static void memory_is_written_as_a_whole_or_not_at_all(void **state)
{
    struct bench *s = bench_new();
    const uint64_t end = BOARD_RAM + (UINT64_C(16) << 20);
    uint64_t value = 0x1122334455667788, read = 0;

    (void)state;
    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, DATA - 3, &value, 8), TARGET_OK);
    assert_int_equal(target_read(s->t, 0, TARGET_BY_PHYSICAL, DATA - 3, &read, 8), TARGET_OK);
    assert_int_equal(read, value);
    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, end - 4, &value, 8),
                     TARGET_NOT_MAPPED);
    assert_int_equal(target_read(s->t, 0, TARGET_BY_PHYSICAL, end - 8, &read, 8), TARGET_OK);
    assert_int_equal(read, 0);
    assert_int_equal(target_read(s->t, 0, TARGET_BY_PHYSICAL, 0x10000000, &read, 1),
                     TARGET_NOT_MAPPED); /* a device */
    assert_int_equal(target_write(s->t, HARTS, TARGET_BY_HART, DATA, &value, 8), TARGET_NO_HART);
    bench_free(s);
}

/* Hart 0 translates its loads: 0 to 1 GiB leads to the start of RAM. */
static void map_first_gib(const struct bench *s)
{
    const uint64_t leaf = BOARD_RAM >> 12 << 10 | 0xcf, table = BOARD_RAM + 0x4000;

    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, table, &leaf, 8), TARGET_OK);
    set_reg(s, 0, "pmpaddr0", UINT64_MAX);
    set_reg(s, 0, "pmpcfg0", 0x1f);
    set_reg(s, 0, "satp", UINT64_C(8) << 60 | table >> 12);
    set_reg(s, 0, "mstatus", 1 << 17 | 1 << 11); /* MPRV, MPP = S */
}

static void an_address_is_translated_as_the_hart_does(void **state)
{
    struct bench *s = bench_new();
    uint64_t value = 42, pa = 0;

    (void)state;
    map_first_gib(s);
    assert_int_equal(target_write(s->t, 0, TARGET_BY_HART, 0x1ffe, &value, 8), TARGET_OK);
    value = 0;
    assert_int_equal(target_read(s->t, 1, TARGET_BY_PHYSICAL, BOARD_RAM + 0x1ffe, &value, 8),
                     TARGET_OK);
    assert_int_equal(value, 42);
    assert_int_equal(target_locate(s->t, 0, TARGET_BY_HART, 0x1ffe, &pa), TARGET_OK);
    assert_int_equal(pa, BOARD_RAM + 0x1ffe);
    assert_int_equal(target_locate(s->t, 1, TARGET_BY_HART, 0x1ffe, &pa), TARGET_NOT_MAPPED);
    assert_int_equal(target_locate(s->t, 1, TARGET_BY_ANY, 0x1ffe, &pa), TARGET_OK);
    assert_int_equal(pa, BOARD_RAM + 0x1ffe);
    bench_free(s);
}

static void a_write_by_the_debugger_breaks_a_reservation(void **state)
{
    struct board_program p = {0};
    struct bench *s;
    uint64_t value = 5;

    (void)state;
    add(&p, AUIPC(S3, 1));
    add(&p, LR_D(0, A0, S3));
    add(&p, SC_D(0, A1, S3, S3));
    s = bench_with(&p, 1, RUN_INSNS);
    target_step(s->t, 0, 2);
    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, DATA, &value, 8), TARGET_OK);
    target_step(s->t, 0, 1);
    assert_int_equal(reg(s, 0, A1), 1);
    bench_free(s);
}

/* ---- breakpoints ---- */

static void a_breakpoint_stops_each_time_a_hart_comes_there(void **state)
{
    struct bench *s = bench_new();
    unsigned number = add_break(
        s, (struct target_point){.address = AT_STORE, .hart = 0, .space = TARGET_BY_PHYSICAL});

    (void)state;
    for (unsigned n = 1; n <= 3; n++) {
        struct target_stop stop = target_run(s->t, TARGET_ANY_HART, NULL);

        expect_break(&stop, number);
        assert_int_equal(stop.hart, 0);
        assert_int_equal(target_hart(s->t, 0).pc, BOARD_RAM + AT_STORE);
        assert_int_equal(reg(s, 0, A5), n);
        assert_int_equal(target_find_point(s->t, number)->hits, n);
    }
    assert_int_equal(target_delete_point(s->t, number), TARGET_OK);
    assert_int_equal(target_delete_point(s->t, number), TARGET_NO_POINT);
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    bench_free(s);
}

static void a_breakpoint_at_the_present_pc_is_passed_on_request_only(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    add_break(s, (struct target_point){.address = 0, .hart = 0, .space = TARGET_BY_ANY});
    add_break(s, (struct target_point){.address = AT_LOAD, .hart = 0, .space = TARGET_BY_ANY});
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    expect_break(&stop, 1);
    stop = target_run(s->t, 0, NULL);
    expect_break(&stop, 2);
    bench_free(s);
}

static void a_temporary_breakpoint_stops_once(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    add_break(s, (struct target_point){.address = AT_LOAD, .hart = 1, .temporary = true});
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    expect_break(&stop, 1);
    assert_int_equal(stop.hart, 1);
    assert_int_equal(target_point_count(s->t), 0);
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    bench_free(s);
}

static void ignored_hits_are_counted_and_do_not_stop(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    add_break(s, (struct target_point){.address = AT_STORE, .hart = 0, .ignore = 4});
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    expect_break(&stop, 1);
    assert_int_equal(reg(s, 0, A5), 5);
    assert_int_equal(target_find_point(s->t, 1)->hits, 5);
    assert_int_equal(target_ignore(s->t, 1, 2), TARGET_OK);
    (void)target_run(s->t, TARGET_ANY_HART, NULL);
    assert_int_equal(reg(s, 0, A5), 8);
    assert_int_equal(target_ignore(s->t, 2, 2), TARGET_NO_POINT);
    bench_free(s);
}

struct condition {
    const struct bench *s;
    uint64_t wanted;
    unsigned released;
};

static bool count_is_wanted(void *ctx, unsigned hart)
{
    const struct condition *c = ctx;

    return reg(c->s, hart, A5) == c->wanted;
}

static void note_release(void *ctx)
{
    struct condition *c = ctx;

    c->released++;
}

static void a_condition_is_asked_with_the_registers_of_the_hart(void **state)
{
    struct bench *s = bench_new();
    struct condition c = {s, 9, 0}, other = {s, 12, 0};
    struct target_stop stop;

    (void)state;
    add_break(s, (struct target_point){.address = AT_STORE,
                                       .hart = 1,
                                       .condition = {count_is_wanted, note_release, &c}});
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    expect_break(&stop, 1);
    assert_int_equal(reg(s, 1, A5), 9);
    assert_int_equal(target_find_point(s->t, 1)->hits, 1);
    assert_int_equal(target_set_condition(
                         s->t, 1, (struct target_condition){count_is_wanted, note_release, &other}),
                     TARGET_OK);
    assert_int_equal(c.released, 1);
    (void)target_run(s->t, TARGET_ANY_HART, NULL);
    assert_int_equal(reg(s, 1, A5), 12);
    bench_free(s);
    assert_int_equal(other.released, 1);
}

static void of_two_breakpoints_at_one_place_both_count_and_the_first_is_named(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    add_break(s, (struct target_point){.address = AT_LOAD, .hart = 0, .ignore = 1});
    add_break(s, (struct target_point){.address = AT_LOAD, .hart = 0});
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    expect_break(&stop, 2);
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    expect_break(&stop, 1);
    assert_int_equal(target_find_point(s->t, 1)->hits, 2);
    assert_int_equal(target_find_point(s->t, 2)->hits, 2);
    assert_true(target_has_breakpoint(s->t, BOARD_RAM + AT_LOAD));
    assert_false(target_has_breakpoint(s->t, BOARD_RAM + AT_STORE));
    bench_free(s);
}

static struct probe_plan ignore(void *ctx, uint32_t id, const struct probe_view *view)
{
    (void)ctx;
    (void)id;
    (void)view;
    return (struct probe_plan){.action = PROBE_IGNORE};
}

static void more_points_than_the_limit_are_refused_until_one_is_removed(void **state)
{
    struct bench *s = bench_new();
    struct target_point p = {.hart = TARGET_ANY_HART};
    unsigned number, last;

    (void)state;
    for (unsigned n = 0; n < TARGET_POINTS_MAX; n++) {
        p.address = BOARD_RAM + 2 * n;
        assert_int_equal(target_add_point(s->t, 0, &p, &last), TARGET_OK);
    }
    p.address = BOARD_RAM + 2 * TARGET_POINTS_MAX;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_TOO_MANY);
    assert_int_equal(target_point_count(s->t), TARGET_POINTS_MAX);
    assert_int_equal(target_delete_point(s->t, last), TARGET_OK);
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
    bench_free(s);
}

static void a_breakpoint_where_no_probe_has_room_is_refused(void **state)
{
    static const struct probe_owner others = {.plan = ignore};
    struct bench *s = bench_new();
    struct cluster *c = machine_cluster(s->b.m);
    struct target_point p = {.address = BOARD_RAM + AT_LOAD, .hart = TARGET_ANY_HART};
    uint32_t probes[PROBES_AT_ONE_PLACE];
    unsigned number;

    (void)state;
    for (unsigned n = 0; n < PROBES_AT_ONE_PLACE; n++)
        probes[n] = cluster_plant(c, BOARD_RAM + AT_LOAD, &others, n);
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_NO_ROOM);
    assert_int_equal(target_point_count(s->t), 0);
    cluster_uproot(c, probes[0]);
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
    p.ignore = 1;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK); /* shares the probe */
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_BREAKPOINT);
    bench_free(s);
}

static void a_breakpoint_that_cannot_be_is_refused(void **state)
{
    struct bench *s = bench_new();
    struct target_point p = {.address = BOARD_RAM + 1, .hart = TARGET_ANY_HART};
    unsigned number;

    (void)state;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_ODD_ADDRESS);
    p.address = 0x10;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_NOT_MAPPED);
    p.address = BOARD_RAM;
    p.hart = HARTS;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_NO_HART);
    assert_int_equal(target_point_count(s->t), 0);
    bench_free(s);
}

/* ---- watchpoints ---- */

/* Runs to the next stop at this watchpoint, by hart 0, with the pc after the instruction `at`. */
static struct target_access expect_watch(const struct bench *s, unsigned point, uint64_t at)
{
    struct target_stop stop = target_run(s->t, TARGET_ANY_HART, NULL);

    assert_int_equal(stop.reason, TARGET_STOP_WATCHPOINT);
    assert_int_equal(stop.point, point);
    assert_int_equal(stop.access_count, 1);
    assert_int_equal(stop.accesses[0].who.kind, WRITER_HART);
    assert_int_equal(stop.accesses[0].who.pc, BOARD_RAM + at);
    assert_true(stop.of_hart);
    assert_int_equal(target_hart(s->t, stop.hart).pc, BOARD_RAM + at + 4);
    return stop.accesses[0];
}

static void expect_write(const struct bench *s, unsigned point, uint64_t at, unsigned size,
                         uint64_t old_value, uint64_t new_value)
{
    struct target_access a = expect_watch(s, point, at);

    assert_true(a.write);
    assert_int_equal(a.size, size);
    assert_int_equal(a.old_value, old_value);
    assert_int_equal(a.new_value, new_value);
}

static unsigned add_watch(const struct bench *s, struct target_point p)
{
    unsigned number = 0;

    p.address += DATA;
    p.size = p.size ? p.size : 8;
    p.hart = TARGET_ANY_HART;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
    return number;
}

/* A program whose first instruction is a prologue: s3 is DATA. */
static struct board_program data_program(void)
{
    struct board_program p = {0};

    add(&p, AUIPC(S3, 1));
    return p;
}

static struct bench *one_hart(struct board_program *p)
{
    add(p, JAL(ZERO, 0));
    return bench_with(p, 1, RUN_INSNS);
}

static void a_store_stops_after_it_with_the_old_and_the_new_value(void **state)
{
    struct board_program p = data_program();
    struct bench *s;

    (void)state;
    add(&p, ADDI(A5, ZERO, 0x123));
    add(&p, SD(A5, S3, 0));
    add(&p, SB(A5, S3, 1));
    add(&p, SD(ZERO, S3, 8)); /* next to it */
    add(&p, SW(A5, S3, -2));
    s = one_hart(&p);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE});
    expect_write(s, 1, 8, 8, 0, 0x123);
    expect_write(s, 1, 12, 1, 1, 0x23);
    expect_write(s, 1, 20, 2, 0x2323, 0); /* the upper half of the store */
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_LIMIT);
    assert_int_equal(target_find_point(s->t, 1)->hits, 3);
    bench_free(s);
}

static void a_load_from_a_span_stops_and_its_register_is_loaded(void **state)
{
    struct board_program p = data_program();
    struct bench *s;
    uint64_t value = 0x55;
    struct target_access a;

    (void)state;
    for (unsigned n = 0; n < 3; n++) /* from the second one on there is a span of all memory */
        add(&p, LD(A6, S3, -2048));
    add(&p, LD(A5, S3, 0));
    add(&p, LD(A7, S3, 0));
    s = one_hart(&p);
    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, DATA, &value, 8), TARGET_OK);
    target_step(s->t, 0, 3);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_READ});
    for (unsigned n = 0; n < 2; n++) {
        a = expect_watch(s, 1, 16 + 4 * n);
        assert_true(a.read && !a.write);
        assert_int_equal(a.old_value, 0x55);
        assert_int_equal(reg(s, 0, n ? A7 : A5), 0x55);
    }
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_LIMIT);
    bench_free(s);
}

static void atomic_operations_load_and_store(void **state)
{
    struct board_program p = data_program();
    struct bench *s;
    struct target_access a;

    (void)state;
    add(&p, ADDI(A5, ZERO, 7));
    add(&p, AMOADD_D(0, A6, A5, S3));
    add(&p, AMOSWAP_W(0, A6, A5, S3));
    s = one_hart(&p);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_READ});
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE, .on_change = true});
    a = (struct target_access){0};
    for (unsigned n = 0; n < 2; n++) {
        struct target_stop stop = target_run(s->t, 0, NULL);

        assert_int_equal(stop.reason, TARGET_STOP_WATCHPOINT);
        assert_int_equal(stop.access_count, n ? 1 : 2); /* the swap changes nothing */
        a = stop.accesses[0];
        assert_int_equal(a.point, 1);
        assert_true(a.read && a.write);
    }
    assert_int_equal(a.new_value, 7);
    assert_int_equal(target_find_point(s->t, 2)->hits, 1);
    bench_free(s);
}

static void lr_loads_and_a_successful_sc_stores(void **state)
{
    struct board_program p = data_program();
    struct bench *s;

    (void)state;
    add(&p, SC_D(0, A6, S3, S3)); /* fails: no reservation */
    add(&p, LR_D(0, A6, S3));
    add(&p, SC_D(0, A6, S3, S3));
    s = one_hart(&p);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_ACCESS});
    assert_false(expect_watch(s, 1, 8).write);
    expect_write(s, 1, 12, 8, 0, DATA);
    assert_int_equal(reg(s, 0, A6), 0);
    bench_free(s);
}

static void floating_point_stores_and_blocks_of_zeroes_are_seen(void **state)
{
    enum { CBO_ZERO = 0x0049a00f }; /* of s3 */
    struct board_program p = data_program();
    struct bench *s;

    (void)state;
    add(&p, FSD(1, S3, 0));
    add(&p, FLD(2, S3, 0));
    add(&p, CBO_ZERO);
    s = one_hart(&p);
    set_reg(s, 0, "mstatus", 3 << 13);
    set_reg(s, 0, "ft1", 0x3ff0000000000000);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_ACCESS});
    expect_write(s, 1, 4, 8, 0, 0x3ff0000000000000);
    assert_int_equal(expect_watch(s, 1, 8).read, true);
    expect_write(s, 1, 12, 8, 0x3ff0000000000000, 0);
    bench_free(s);
}

static void a_misaligned_store_over_two_watched_pages_hits_both(void **state)
{
    struct board_program p = data_program();
    struct bench *s;
    struct target_stop stop;

    (void)state;
    add(&p, ADDI(A5, ZERO, -1));
    add(&p, SD(A5, S3, -3));
    add(&p, LD(A6, S3, -3));
    s = one_hart(&p);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_ACCESS, .address = (uint64_t)-3});
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE, .address = 4, .size = 1});
    stop = target_run(s->t, 0, NULL);
    assert_int_equal(stop.reason, TARGET_STOP_WATCHPOINT);
    assert_int_equal(stop.access_count, 3);
    assert_int_equal(stop.accesses[0].size, 3);
    assert_int_equal(stop.accesses[0].offset, 0);
    assert_int_equal(stop.accesses[1].size, 5);
    assert_int_equal(stop.accesses[1].offset, 3);
    assert_int_equal(stop.accesses[1].new_value, 0xffffffffff);
    assert_int_equal(stop.accesses[2].point, 2);
    assert_int_equal(target_find_point(s->t, 1)->hits, 1);
    stop = target_run(s->t, 0, NULL);
    assert_int_equal(stop.access_count, 2); /* the load */
    assert_int_equal(reg(s, 0, A6), UINT64_MAX);
    bench_free(s);
}

static void each_operation_of_a_fused_pair_stops_by_itself(void **state)
{
    struct board_program p = data_program();
    struct bench *s;

    (void)state;
    for (unsigned n = 0; n < 4; n++)
        add(&p, LD((unsigned)A4 + n, S3, 8 * n));
    for (unsigned n = 0; n < 4; n++)
        add(&p, SD(S3, S3, 8 * n));
    add(&p, ADDI(A4, S3, 8));
    add(&p, LD(A4, A4, 8));
    add(&p, ADDI(A4, A4, 1));
    s = one_hart(&p);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_ACCESS, .size = 32});
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(expect_watch(s, 1, 4 + 4 * n).offset, 8 * n);
    for (unsigned n = 0; n < 4; n++)
        expect_write(s, 1, 20 + 4 * n, 8, 0, DATA);
    (void)expect_watch(s, 1, 40);
    assert_int_equal(reg(s, 0, A4), DATA);
    target_step(s->t, 0, 1);
    assert_int_equal(reg(s, 0, A4), DATA + 1);
    bench_free(s);
}

static void a_watchpoint_for_changes_passes_stores_of_the_same_value(void **state)
{
    struct board_program p = data_program();
    struct bench *s;

    (void)state;
    add(&p, SD(ZERO, S3, 0));
    add(&p, SD(S3, S3, 0));
    s = one_hart(&p);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE, .on_change = true});
    expect_write(s, 1, 8, 8, 0, DATA);
    bench_free(s);
}

static void a_watchpoint_of_virtual_memory_sees_every_alias(void **state)
{
    struct board_program p = data_program();
    struct bench *s;
    uint64_t pa;

    (void)state;
    add(&p, SD(S3, S3, 0)); /* at 0x1000, translated */
    add(&p, CSRRW(ZERO, 0x300, ZERO));
    add(&p, AUIPC(S3, 1));
    add(&p, SD(ZERO, S3, -12));
    s = one_hart(&p);
    target_step(s->t, 0, 1);
    map_first_gib(s);
    set_reg(s, 0, "s3", 0x1000);
    assert_int_equal(target_add_point(s->t, 0,
                                      &(struct target_point){.kind = TARGET_WATCH_WRITE,
                                                             .space = TARGET_BY_HART,
                                                             .address = 0x1000,
                                                             .size = 8,
                                                             .hart = TARGET_ANY_HART},
                                      &(unsigned){0}),
                     TARGET_OK);
    pa = target_find_point(s->t, 1)->pa;
    assert_int_equal(pa, DATA);
    expect_write(s, 1, 4, 8, 0, 0x1000);
    expect_write(s, 1, 16, 8, 0x1000, 0);
    bench_free(s);
}

static void the_walk_of_page_tables_that_sets_a_bit_is_a_write(void **state)
{
    const uint64_t leaf = BOARD_RAM >> 12 << 10 | 0x0f; /* neither accessed nor dirty */
    struct board_program p = data_program();
    struct bench *s;

    (void)state;
    add(&p, SD(S3, S3, 0));
    s = one_hart(&p);
    target_step(s->t, 0, 1);
    map_first_gib(s);
    set_reg(s, 0, "s3", 0x2000);
    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, BOARD_RAM + 0x4000, &leaf, 8),
                     TARGET_OK);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE, .address = 0x3000});
    expect_write(s, 1, 4, 8, leaf, leaf | 0xc0);
    bench_free(s);
}

static void a_condition_of_a_watchpoint_is_asked_after_the_instruction(void **state)
{
    struct bench *s = bench_new();
    struct condition c = {s, 9, 0};
    struct target_stop stop;

    (void)state;
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_READ,
                                       .condition = {count_is_wanted, note_release, &c}});
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    assert_int_equal(stop.reason, TARGET_STOP_WATCHPOINT);
    assert_int_equal(reg(s, stop.hart, A5), 9);
    assert_int_equal(reg(s, stop.hart, A2), stop.accesses[0].old_value);
    assert_int_equal(target_find_point(s->t, 1)->hits, 1);
    assert_int_equal(target_delete_point(s->t, 1), TARGET_OK);
    assert_int_equal(c.released, 1);
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_LIMIT);
    bench_free(s);
}

static void writes_of_the_debugger_and_of_others_beside_it_do_not_stop(void **state)
{
    struct bench *s = bench_new();
    uint64_t value = 1;

    (void)state;
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_ACCESS, .address = 16});
    assert_int_equal(target_write(s->t, 0, TARGET_BY_PHYSICAL, DATA + 16, &value, 8), TARGET_OK);
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_LIMIT);
    assert_int_equal(target_find_point(s->t, 1)->hits, 0);
    bench_free(s);
}

static void a_watchpoint_that_cannot_be_is_refused(void **state)
{
    struct bench *s = bench_new();
    struct target_point p = {
        .kind = TARGET_WATCH_READ, .address = DATA, .hart = TARGET_ANY_HART, .size = 0};
    unsigned number;

    (void)state;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_BAD_SIZE);
    p.size = TARGET_WATCH_MAX + 1;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_BAD_SIZE);
    p.size = 8;
    p.address = UINT64_MAX - 3;
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_BAD_SIZE);
    p.address = BOARD_RAM + (UINT64_C(16) << 20) - 4; /* the second half is not RAM */
    assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_NOT_MAPPED);
    assert_int_equal(target_point_count(s->t), 0);
    bench_free(s);
}

/* ---- steps and goals ---- */

static void a_step_is_one_instruction_of_that_hart(void **state)
{
    struct board_program p = counting_program();
    struct bench *s = bench_with(&p, HARTS, UINT64_MAX);

    (void)state;
    for (unsigned n = 1; n <= 40; n++) {
        unsigned hart = n % HARTS;
        uint64_t before = target_hart(s->t, hart).insns;
        struct target_stop stop = target_step(s->t, hart, 1);

        assert_int_equal(stop.reason, TARGET_STOP_DONE);
        assert_int_equal(stop.hart, hart);
        assert_int_equal(target_hart(s->t, hart).insns, before + 1);
    }
    bench_free(s);
}

static void a_step_ends_at_a_breakpoint_on_the_way(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    add_break(s, (struct target_point){.address = AT_FUNCTION, .hart = 0});
    stop = target_step(s->t, 0, 100);
    expect_break(&stop, 1);
    assert_int_equal(target_hart(s->t, 0).pc, BOARD_RAM + AT_FUNCTION);
    bench_free(s);
}

static void a_hart_is_stepped_while_the_others_are_stopped(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    for (unsigned n = 1; n <= 20; n++) {
        stop = target_step_alone(s->t, 1, 3);
        assert_int_equal(stop.reason, TARGET_STOP_DONE);
        assert_int_equal(stop.hart, 1);
        assert_true(stop.of_hart);
        assert_int_equal(target_hart(s->t, 1).insns, 3 * n);
        assert_int_equal(target_hart(s->t, 0).insns, 0);
    }
    add_break(s, (struct target_point){.address = AT_FUNCTION, .hart = 1});
    stop = target_step_alone(s->t, 1, 100);
    expect_break(&stop, 1);
    assert_int_equal(target_delete_point(s->t, 1), TARGET_OK);
    add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE, .ignore = 3});
    stop = target_step_alone(s->t, 1, 100);
    assert_int_equal(stop.reason, TARGET_STOP_WATCHPOINT);
    assert_int_equal(target_hart(s->t, 0).insns, 0);
    assert_int_equal(target_delete_point(s->t, 2), TARGET_OK);
    assert_int_equal(target_step_alone(s->t, 0, UINT64_MAX).reason, TARGET_STOP_LIMIT);
    assert_int_equal(target_insns(s->t), RUN_INSNS);
    bench_free(s);
}

static void a_hart_that_waits_is_not_stepped_alone_until_its_pc_is_set(void **state)
{
    struct board_program p = {0};
    struct bench *s;

    (void)state;
    add(&p, WFI);
    add(&p, ADDI(A5, A5, 1));
    add(&p, JAL(ZERO, -4));
    s = bench_with(&p, HARTS, RUN_INSNS);
    assert_int_equal(target_step_alone(s->t, 1, 5).reason, TARGET_STOP_WAITING);
    assert_int_equal(target_step_alone(s->t, 1, 1).reason, TARGET_STOP_WAITING);
    assert_int_equal(target_hart(s->t, 1).waits, HART_WAITS_INTERRUPT);
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_ASLEEP);
    set_reg(s, 1, "pc", BOARD_RAM + 4);
    assert_int_equal(target_step_alone(s->t, 1, 1).reason, TARGET_STOP_DONE);
    assert_int_equal(reg(s, 1, A5), 1);
    assert_int_equal(target_run(s->t, 0, NULL).reason, TARGET_STOP_LIMIT);
    assert_true(reg(s, 1, A5) > 100);
    bench_free(s);
}

static void next_takes_a_call_as_one_instruction(void **state)
{
    struct bench *s = bench_new();
    struct target_stop stop;

    (void)state;
    target_step(s->t, 0, 5);
    assert_int_equal(target_hart(s->t, 0).pc, BOARD_RAM + AT_CALL);
    stop = target_next(s->t, 0, 1);
    assert_int_equal(stop.reason, TARGET_STOP_DONE);
    assert_int_equal(target_hart(s->t, 0).pc, BOARD_RAM + AT_BACK);
    assert_int_equal(reg(s, 0, A4), 1);
    stop = target_next(s->t, 0, 1);
    assert_int_equal(target_hart(s->t, 0).pc, BOARD_RAM + AT_LOOP);
    bench_free(s);
}

static void a_run_ends_at_its_goal_on_the_stack_that_it_names(void **state)
{
    struct bench *s = bench_new();
    struct target_goal goal = {.space = TARGET_BY_ANY,
                               .address = BOARD_RAM + AT_BACK,
                               .hart = TARGET_ANY_HART,
                               .on_stack = true,
                               .sp = 0x4000};
    struct target_stop stop;

    (void)state;
    set_reg(s, 1, "sp", 0x4000);
    stop = target_run(s->t, 0, &goal);
    assert_int_equal(stop.reason, TARGET_STOP_DONE);
    assert_true(stop.of_hart);
    assert_int_equal(stop.hart, 1);
    goal.sp = 0x5000;
    assert_int_equal(target_run(s->t, 0, &goal).reason, TARGET_STOP_LIMIT);
    bench_free(s);
}

static void a_step_at_the_limit_ends(void **state)
{
    struct bench *s = bench_new();

    (void)state;
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        assert_int_equal(target_step(s->t, hart, 1).reason, TARGET_STOP_LIMIT);
        assert_int_equal(target_next(s->t, hart, 3).reason, TARGET_STOP_LIMIT);
    }
    bench_free(s);
}

static void the_end_of_the_guest_is_a_reason_with_its_status(void **state)
{
    struct board_program p = {0};
    struct bench *s;
    struct target_stop stop;

    (void)state;
    add(&p, LUI(T0, FINISHER >> 12));
    add(&p, LUI(T1, 0x73));
    add(&p, ADDI(T1, T1, 0x333));
    add(&p, SW(T1, T0, 0));
    add(&p, JAL(ZERO, 0));
    s = bench_with(&p, 1, RUN_INSNS);
    assert_false(target_ended(s->t));
    stop = target_run(s->t, 0, NULL);
    assert_int_equal(stop.reason, TARGET_STOP_EXIT);
    assert_int_equal(stop.code, 7);
    assert_true(target_ended(s->t));
    bench_free(s);
}

static void stops_change_nothing_in_the_run(void **state)
{
    struct bench *plain = bench_new(), *busy = bench_new();
    struct target_stop stop;

    (void)state;
    (void)target_run(plain->t, TARGET_ANY_HART, NULL);
    add_break(busy, (struct target_point){.address = AT_LOAD, .hart = TARGET_ANY_HART});
    add_break(busy, (struct target_point){.address = AT_FUNCTION, .hart = 1, .ignore = 3});
    add_watch(busy, (struct target_point){.kind = TARGET_WATCH_ACCESS, .ignore = 100});
    add_watch(busy, (struct target_point){.kind = TARGET_WATCH_WRITE, .on_change = true});
    do {
        stop = target_run(busy->t, 0, NULL);
        target_step(busy->t, stop.hart, 2);
        target_next(busy->t, !stop.hart, 1);
        if (stop.reason == TARGET_STOP_WATCHPOINT && stop.accesses[0].new_value % 16 == 3) {
            (void)!target_delete_point(busy->t, stop.accesses[0].point);
            add_watch(busy, (struct target_point){.kind = TARGET_WATCH_READ});
        }
    } while (stop.reason != TARGET_STOP_LIMIT);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        struct target_hart a = target_hart(plain->t, hart), b = target_hart(busy->t, hart);

        assert_int_equal(a.pc, b.pc);
        assert_int_equal(a.insns, b.insns);
        assert_int_equal(a.cycles, b.cycles);
        for (unsigned number = 0; number < TARGET_REG_PC; number++)
            assert_int_equal(reg(plain, hart, number), reg(busy, hart, number));
    }
    assert_int_equal(target_insns(plain->t), RUN_INSNS);
    assert_int_equal(target_cycles(plain->t), target_cycles(busy->t));
    bench_free(plain);
    bench_free(busy);
}

/* ---- going back ---- */

enum { LONG_RUN = 6000000, JUMPS = 12, HISTORY = 64 << 20 };

static struct bench *long_bench(unsigned harts, uint64_t history_max)
{
    struct board_program p = counting_program();

    return bench_with_history(&p, harts, LONG_RUN, history_max);
}

static uint64_t data_of(const struct bench *s)
{
    uint64_t value = 0;

    assert_int_equal(target_read(s->t, 0, TARGET_BY_PHYSICAL, DATA, &value, sizeof value),
                     TARGET_OK);
    return value;
}

/* The state is that of another machine that was run there in one piece. */
static void expect_state_of_plain_run(const struct bench *s, unsigned harts)
{
    struct bench *plain = long_bench(harts, 0);

    (void)machine_run(plain->b.m, target_insns(s->t), UINT64_MAX);
    assert_int_equal(target_insns(plain->t), target_insns(s->t));
    assert_int_equal(target_cycles(plain->t), target_cycles(s->t));
    assert_int_equal(machine_state_hash(plain->b.m), machine_state_hash(s->b.m));
    assert_int_equal(data_of(plain), data_of(s));
    bench_free(plain);
}

static void a_jump_to_an_instruction_finds_the_state_that_the_run_had_there(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);
        struct target_stop stop;

        add_break(s, (struct target_point){.address = AT_CALL, .hart = TARGET_ANY_HART});
        for (unsigned i = 0; i < JUMPS; i++) {
            uint64_t to;

            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            to = (random >> 33) % (i % 2 ? LONG_RUN : LONG_RUN / 100);
            stop = target_goto(s->t, to);
            assert_int_equal(stop.reason, TARGET_STOP_DONE);
            assert_int_equal(target_insns(s->t), to);
            expect_state_of_plain_run(s, harts);
        }
        assert_int_equal(target_goto(s->t, LONG_RUN + 1).reason, TARGET_STOP_LIMIT);
        assert_int_equal(target_insns(s->t), LONG_RUN);
        bench_free(s);
    }
}

static void a_step_back_undoes_a_step_of_that_hart(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);
        unsigned hart = harts - 1;

        assert_int_equal(target_goto(s->t, LONG_RUN / 2).reason, TARGET_STOP_DONE);
        for (unsigned count = 1; count < 3000; count = count * 3 + 1) {
            struct target_hart before = target_hart(s->t, hart);
            uint64_t a5 = reg(s, hart, A5), a4 = reg(s, hart, A4);
            struct target_stop stop;

            assert_int_equal(target_step(s->t, hart, count).reason, TARGET_STOP_DONE);
            assert_int_equal(target_hart(s->t, hart).insns, before.insns + count);
            stop = target_reverse_step(s->t, hart, count);
            assert_int_equal(stop.reason, TARGET_STOP_DONE);
            assert_int_equal(stop.hart, hart);
            assert_int_equal(target_hart(s->t, hart).insns, before.insns);
            assert_int_equal(target_hart(s->t, hart).pc, before.pc);
            assert_int_equal(reg(s, hart, A5), a5);
            assert_int_equal(reg(s, hart, A4), a4);
            /* The very instruction before which it stopped is the next one of the machine. */
            (void)target_goto(s->t, target_insns(s->t) + 1);
            assert_int_equal(target_hart(s->t, hart).insns, before.insns + 1);
        }
        assert_int_equal(target_reverse_step(s->t, hart, LONG_RUN).reason, TARGET_STOP_HISTORY);
        assert_int_equal(target_insns(s->t), 0);
        bench_free(s);
    }
}

static bool a4_is_round(void *ctx, unsigned hart)
{
    const struct bench *s = ctx;

    return reg(s, hart, A4) % 20000 == 7;
}

enum { STOPS = 5 };

/* Runs to the last of some stops, then back through all of them, and on to the end. */
static void expect_stops_again_backwards(struct bench *s, enum target_stop_reason reason,
                                         unsigned harts)
{
    uint64_t at[STOPS];
    struct target_stop stop;

    for (unsigned i = 0; i < STOPS; i++) {
        stop = target_run(s->t, TARGET_ANY_HART, NULL);
        assert_int_equal(stop.reason, reason);
        at[i] = target_insns(s->t);
    }
    for (unsigned i = STOPS - 1; i-- > 0;) {
        stop = target_reverse_run(s->t);
        assert_int_equal(stop.reason, reason);
        assert_int_equal(stop.point, 1);
        assert_int_equal(target_insns(s->t), at[i]);
    }
    assert_int_equal(target_find_point(s->t, 1)->hits, STOPS);
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    assert_int_equal(stop.reason, reason);
    assert_int_equal(target_insns(s->t), at[1]);
    assert_int_equal(target_delete_point(s->t, 1), TARGET_OK);
    assert_int_equal(target_reverse_run(s->t).reason, TARGET_STOP_HISTORY);
    assert_int_equal(target_insns(s->t), 0);
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    expect_state_of_plain_run(s, harts);
}

static void back_to_the_last_hit_of_a_breakpoint(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);

        add_break(s, (struct target_point){.address = AT_FUNCTION,
                                           .hart = harts - 1,
                                           .condition = {.holds = a4_is_round, .ctx = s}});
        expect_stops_again_backwards(s, TARGET_STOP_BREAKPOINT, harts);
        bench_free(s);
    }
}

static bool data_is_round(void *ctx, unsigned hart)
{
    (void)hart;
    return data_of(ctx) % 20000 == 8;
}

static void back_to_the_last_hit_of_a_watchpoint(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);
        const struct target_point p = {.kind = TARGET_WATCH_WRITE,
                                       .space = TARGET_BY_PHYSICAL,
                                       .address = DATA,
                                       .size = 8,
                                       .hart = TARGET_ANY_HART,
                                       .condition = {.holds = data_is_round, .ctx = s}};
        unsigned number;

        assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
        expect_stops_again_backwards(s, TARGET_STOP_WATCHPOINT, harts);
        bench_free(s);
    }
}

static void after_a_change_of_the_run_the_history_begins_anew(void **state)
{
    struct bench *s = long_bench(HARTS, HISTORY);
    struct target_stop stop;
    unsigned before;

    (void)state;
    (void)target_goto(s->t, LONG_RUN / 2);
    before = target_checkpoint(s->t);
    (void)target_goto(s->t, LONG_RUN / 4);
    set_reg(s, 0, "a4", 12345);
    assert_int_equal(target_history_start(s->t), LONG_RUN / 4);
    (void)target_goto(s->t, LONG_RUN / 3);
    assert_int_equal(target_goto(s->t, LONG_RUN / 4).reason, TARGET_STOP_DONE);
    assert_int_equal(reg(s, 0, A4), 12345);
    assert_int_equal(target_goto(s->t, 1).reason, TARGET_STOP_HISTORY);
    assert_int_equal(target_insns(s->t), LONG_RUN / 4);
    assert_true(target_restart(s->t, before, &stop));
    assert_int_equal(target_insns(s->t), LONG_RUN / 2);
    expect_state_of_plain_run(s, HARTS);
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    expect_state_of_plain_run(s, HARTS);
    assert_true(target_delete_checkpoint(s->t, before));
    assert_false(target_restart(s->t, before, &stop));
    bench_free(s);
}

static void the_history_keeps_within_its_memory(void **state)
{
    struct bench *roomy = long_bench(HARTS, HISTORY), *small = long_bench(HARTS, 1);
    size_t more, few, bytes;

    (void)state;
    (void)target_run(roomy->t, TARGET_ANY_HART, NULL);
    (void)target_run(small->t, TARGET_ANY_HART, NULL);
    bytes = target_history_bytes(roomy->t, &more);
    assert_in_range(bytes, 1, HISTORY);
    assert_true(target_history_bytes(small->t, &few) < bytes);
    assert_true(more > 4);
    assert_int_equal(few, 1);
    assert_int_equal(target_goto(small->t, LONG_RUN / 2).reason, TARGET_STOP_DONE);
    expect_state_of_plain_run(small, HARTS);
    bench_free(roomy);
    bench_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_the_numbers_that_gdb_gives_them),
        cmocka_unit_test(each_register_is_found_by_its_name_and_can_be_read),
        cmocka_unit_test(what_cannot_be_written_says_so),
        cmocka_unit_test(memory_is_written_as_a_whole_or_not_at_all),
        cmocka_unit_test(an_address_is_translated_as_the_hart_does),
        cmocka_unit_test(a_write_by_the_debugger_breaks_a_reservation),
        cmocka_unit_test(a_breakpoint_stops_each_time_a_hart_comes_there),
        cmocka_unit_test(a_breakpoint_at_the_present_pc_is_passed_on_request_only),
        cmocka_unit_test(a_temporary_breakpoint_stops_once),
        cmocka_unit_test(ignored_hits_are_counted_and_do_not_stop),
        cmocka_unit_test(a_condition_is_asked_with_the_registers_of_the_hart),
        cmocka_unit_test(of_two_breakpoints_at_one_place_both_count_and_the_first_is_named),
        cmocka_unit_test(more_points_than_the_limit_are_refused_until_one_is_removed),
        cmocka_unit_test(a_breakpoint_where_no_probe_has_room_is_refused),
        cmocka_unit_test(a_breakpoint_that_cannot_be_is_refused),
        cmocka_unit_test(a_store_stops_after_it_with_the_old_and_the_new_value),
        cmocka_unit_test(a_load_from_a_span_stops_and_its_register_is_loaded),
        cmocka_unit_test(atomic_operations_load_and_store),
        cmocka_unit_test(lr_loads_and_a_successful_sc_stores),
        cmocka_unit_test(floating_point_stores_and_blocks_of_zeroes_are_seen),
        cmocka_unit_test(a_misaligned_store_over_two_watched_pages_hits_both),
        cmocka_unit_test(each_operation_of_a_fused_pair_stops_by_itself),
        cmocka_unit_test(a_watchpoint_for_changes_passes_stores_of_the_same_value),
        cmocka_unit_test(a_watchpoint_of_virtual_memory_sees_every_alias),
        cmocka_unit_test(the_walk_of_page_tables_that_sets_a_bit_is_a_write),
        cmocka_unit_test(a_condition_of_a_watchpoint_is_asked_after_the_instruction),
        cmocka_unit_test(writes_of_the_debugger_and_of_others_beside_it_do_not_stop),
        cmocka_unit_test(a_watchpoint_that_cannot_be_is_refused),
        cmocka_unit_test(a_step_is_one_instruction_of_that_hart),
        cmocka_unit_test(a_step_ends_at_a_breakpoint_on_the_way),
        cmocka_unit_test(a_hart_is_stepped_while_the_others_are_stopped),
        cmocka_unit_test(a_hart_that_waits_is_not_stepped_alone_until_its_pc_is_set),
        cmocka_unit_test(next_takes_a_call_as_one_instruction),
        cmocka_unit_test(a_run_ends_at_its_goal_on_the_stack_that_it_names),
        cmocka_unit_test(a_step_at_the_limit_ends),
        cmocka_unit_test(the_end_of_the_guest_is_a_reason_with_its_status),
        cmocka_unit_test(stops_change_nothing_in_the_run),
        cmocka_unit_test(a_jump_to_an_instruction_finds_the_state_that_the_run_had_there),
        cmocka_unit_test(a_step_back_undoes_a_step_of_that_hart),
        cmocka_unit_test(back_to_the_last_hit_of_a_breakpoint),
        cmocka_unit_test(back_to_the_last_hit_of_a_watchpoint),
        cmocka_unit_test(after_a_change_of_the_run_the_history_begins_anew),
        cmocka_unit_test(the_history_keeps_within_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
