/* test_target_points.c - breakpoints and watchpoints of the debugger's target layer. */
#include "debug/target_bench.h"

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

static struct probe_plan ignore(void *ctx, uint32_t id, const struct probe_code *code)
{
    (void)ctx;
    (void)id;
    (void)code;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
