/*
 * test_target.c - the debugger's target layer without a terminal: registers, memory, steps, and the
 * reason of a stop as a value. test_target_points.c and test_target_back.c have the rest.
 */
#include "debug/target_bench.h"
#include "machine/snapshot.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_have_the_numbers_that_gdb_gives_them),
        cmocka_unit_test(each_register_is_found_by_its_name_and_can_be_read),
        cmocka_unit_test(what_cannot_be_written_says_so),
        cmocka_unit_test(memory_is_written_as_a_whole_or_not_at_all),
        cmocka_unit_test(an_address_is_translated_as_the_hart_does),
        cmocka_unit_test(a_write_by_the_debugger_breaks_a_reservation),
        cmocka_unit_test(a_step_is_one_instruction_of_that_hart),
        cmocka_unit_test(a_step_ends_at_a_breakpoint_on_the_way),
        cmocka_unit_test(a_hart_is_stepped_while_the_others_are_stopped),
        cmocka_unit_test(a_hart_that_waits_is_not_stepped_alone_until_its_pc_is_set),
        cmocka_unit_test(next_takes_a_call_as_one_instruction),
        cmocka_unit_test(a_run_ends_at_its_goal_on_the_stack_that_it_names),
        cmocka_unit_test(a_step_at_the_limit_ends),
        cmocka_unit_test(the_end_of_the_guest_is_a_reason_with_its_status),
        cmocka_unit_test(stops_change_nothing_in_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
