/*
 * test_machine.c - the scheduler: a run is a function of image and seed, however it is
 * divided into pieces, and ends where it is told to.
 */
#include "timer_program.h"

#include <libfdt.h>

#include "machine/plan.h"

enum { SHARED_BYTES = 512 };

/* ---- programs ---- */

/*
 * Harts that count together, divide, record the order in which they
 * came, pause and sleep sometimes, and are interrupted periodically.
 */
static struct board_program busy_program(unsigned ticks)
{
    struct board_program p = {0};
    unsigned slot, loop;

    add_start(&p, &slot);
    loop = add(&p, ADDI(A1, A1, 1));
    add(&p, AMOADD_D(0, A2, A1, S3));
    add(&p, DIV(A3, A2, A1));
    add(&p, ANDI(A4, A2, 0xf8));
    add(&p, ADD(A4, A4, S3));
    add(&p, SD(A0, A4, 64));
    add(&p, MUL(A5, A3, A2));
    add(&p, ANDI(A6, A1, 511));
    add(&p, BNE(A6, ZERO, 12));
    add(&p, PAUSE);
    add(&p, WFI);
    add(&p, JAL(ZERO, distance(p.count, loop)));
    handler_is_here(&p, slot);
    add(&p, LD(T1, S1, 0));
    add(&p, ADDI(T1, T1, ticks));
    add(&p, SD(T1, S0, 0));
    add(&p, ADDI(S2, S2, 1));
    add(&p, XOR(S4, S4, A1));
    add(&p, MRET);
    return p;
}

/* ---- the state of a machine ---- */

struct shot {
    uint64_t regs[HARTS_RUN][32], pc[HARTS_RUN], insns[HARTS_RUN], cycles[HARTS_RUN];
    uint64_t machine_cycles, machine_insns;
    uint8_t shared[SHARED_BYTES];
};

static void take(const struct test_board *b, struct shot *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < cluster_hart_count(machine_cluster(b->m)); i++) {
        const struct hart *h = board_hart(b, i);

        for (unsigned reg = 0; reg < 32; reg++)
            s->regs[i][reg] = hart_reg(h, reg);
        s->pc[i] = hart_pc(h);
        s->insns[i] = hart_insns(h);
        s->cycles[i] = hart_cycles(h);
    }
    s->machine_cycles = machine_cycles(b->m);
    s->machine_insns = machine_insns(b->m);
    assert_true(bus_read(board_bus(b), SHARED, s->shared, SHARED_BYTES));
}

/* Runs a program for `insns` instructions, in pieces. */
static void run_program(const struct board_program *p, struct machine_config config, uint64_t insns,
                        uint64_t piece, struct shot *s)
{
    struct test_board b;

    board_new(&b, p, config);
    for (uint64_t until = piece; until < insns; until += piece) {
        assert_int_equal(machine_run(b.m, until, UINT64_MAX).reason, STOP_INSNS);
        assert_int_equal(machine_insns(b.m), until);
    }
    assert_int_equal(machine_run(b.m, insns, UINT64_MAX).reason, STOP_INSNS);
    take(&b, s);
    board_free(&b);
}

/* Interrupts are rare enough to leave the slices to the seed. */
static void run_busy(struct machine_config config, uint64_t insns, struct shot *s)
{
    const struct board_program p = busy_program(300);

    run_program(&p, config, insns, insns, s);
}

/* ---- claims ---- */

static void a_run_in_pieces_is_the_same_run(void **state)
{
    static const uint64_t pieces[] = {1, 7, 100, 1000, 4999};
    static const unsigned ticks[] = {9, 300};

    (void)state;
    for (unsigned harts = 1; harts <= HARTS_RUN; harts++) {
        const struct board_program p = busy_program(ticks[harts % 2]);
        struct shot whole, cut;

        run_program(&p, config_of(harts, harts), 60000, 60000, &whole);
        assert_true(whole.regs[0][S2] > 1); /* it was interrupted */
        for (unsigned i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
            run_program(&p, config_of(harts, harts), 60000, pieces[i], &cut);
            assert_memory_equal(&whole, &cut, sizeof whole);
        }
    }
}

static void a_run_cut_at_cycles_is_the_same_run(void **state)
{
    (void)state;
    for (uint64_t piece = 37; piece < 20000; piece = piece * 5 + 1) {
        const struct board_program p = busy_program(300);
        struct shot whole, cut;
        struct test_board b;
        uint64_t until = 0;

        run_busy(config_of(2, 5), 40000, &whole);
        board_new(&b, &p, config_of(2, 5));
        while (machine_run(b.m, 40000, until += piece).reason == STOP_CYCLES)
            assert_true(machine_insns(b.m) < 40000);
        take(&b, &cut);
        assert_memory_equal(&whole, &cut, sizeof whole);
        board_free(&b);
    }
}

static void the_same_seed_is_the_same_run(void **state)
{
    struct shot first, second;

    (void)state;
    run_busy(config_of(3, 42), 50000, &first);
    run_busy(config_of(3, 42), 50000, &second);
    assert_memory_equal(&first, &second, sizeof first);
}

static void another_seed_is_another_interleaving(void **state)
{
    struct shot first, second;

    (void)state;
    run_busy(config_of(2, 1), 50000, &first);
    run_busy(config_of(2, 2), 50000, &second);
    assert_memory_not_equal(&first, &second, sizeof first);
}

static void a_seed_means_nothing_to_one_hart(void **state)
{
    struct shot first, second;

    (void)state;
    run_busy(config_of(1, 1), 50000, &first);
    run_busy(config_of(1, 2), 50000, &second);
    assert_memory_equal(&first, &second, sizeof first);
}

static void two_machines_do_not_know_of_each_other(void **state)
{
    const struct board_program p = busy_program(300);
    struct test_board one, other;
    struct shot alone, first, second;

    (void)state;
    run_busy(config_of(2, 9), 30000, &alone);
    board_new(&one, &p, config_of(2, 9));
    board_new(&other, &p, config_of(2, 9));
    for (uint64_t until = 1000; until <= 30000; until += 1000) {
        (void)machine_run(one.m, until, UINT64_MAX);
        (void)machine_run(other.m, until, UINT64_MAX);
    }
    take(&one, &first);
    take(&other, &second);
    assert_memory_equal(&first, &alone, sizeof alone);
    assert_memory_equal(&second, &alone, sizeof alone);
    board_free(&one);
    board_free(&other);
}

static void harts_stay_within_some_slices_of_each_other(void **state)
{
    struct shot s;

    (void)state;
    run_busy(config_of(4, 3), 400000, &s);
    for (unsigned i = 1; i < 4; i++) {
        int64_t apart = (int64_t)(s.cycles[i] - s.cycles[0]);

        assert_true(apart < 200000 && apart > -200000);
        assert_true(s.insns[i] > 50000);
    }
}

/* Two harts that add one in turn, and pause until it is their turn. */
static struct board_program turn_taking_program(void)
{
    struct board_program p = {0};
    unsigned loop;

    add(&p, CSRRS(A0, MHARTID, ZERO));
    add(&p, LUI(S3, 0x80000 + SHARED_PAGE));
    add(&p, SLLI(S3, S3, 32));
    add(&p, SRLI(S3, S3, 32));
    loop = add(&p, LD(A2, S3, 0));
    add(&p, ANDI(A3, A2, 1));
    add(&p, BEQ(A3, A0, 12));
    add(&p, PAUSE);
    add(&p, JAL(ZERO, distance(p.count, loop)));
    add(&p, ADDI(A2, A2, 1));
    add(&p, SD(A2, S3, 0));
    add(&p, JAL(ZERO, distance(p.count, loop)));
    return p;
}

/* If slices did not end at a pause, each turn would take some thousand instructions. */
static void who_pauses_gives_way(void **state)
{
    static const uint64_t pieces[] = {1, 7, 100};
    const struct board_program p = turn_taking_program();
    uint64_t turns;
    struct shot whole, cut;

    (void)state;
    run_program(&p, config_of(2, 1), 40000, 40000, &whole);
    memcpy(&turns, whole.shared, sizeof turns);
    assert_in_range(turns, 1000, 10000);
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        run_program(&p, config_of(2, 1), 40000, pieces[i], &cut);
        assert_memory_equal(&cut, &whole, sizeof whole);
    }
}

/* The time CSR is mtime, whichever hart sets it, and stimecmp is compared with it. */
static void looking_at_the_time_is_no_reading_of_it(void **state)
{
    const struct board_program p = busy_program(300);
    struct test_board b;
    uint64_t seen, before;

    (void)state;
    board_new(&b, &p, config_of(2, 1));
    for (uint64_t until = 1000; until <= 20000; until += 1000) {
        struct hart *one, *other;

        assert_int_equal(machine_run(b.m, until, UINT64_MAX).reason, STOP_INSNS);
        one = board_hart(&b, 0);
        other = board_hart(&b, 1);
        before = hart_time(other);
        assert_true(hart_csr(one, 0xc01, &seen));
        assert_int_equal(hart_time(other), before);
        before = hart_time(one);
        assert_true(hart_csr(other, 0xc01, &seen));
        assert_int_equal(hart_time(one), before);
    }
    board_free(&b);
}

/* ndev is the number of the last source. */
static void the_tree_names_every_source_of_the_plic(void **state)
{
    enum { PLIC = 0xc000000 };
    const struct board_program p = busy_program(300);
    struct test_board b;
    size_t size;
    const void *dtb;
    const fdt32_t *ndev;
    uint64_t last, value = 0;

    (void)state;
    board_new(&b, &p, config_of(1, 1));
    dtb = machine_dtb(b.m, &size);
    ndev = fdt_getprop(dtb, fdt_path_offset(dtb, "/soc/plic@c000000"), "riscv,ndev", NULL);
    assert_non_null(ndev);
    last = fdt32_to_cpu(*ndev);
    assert_int_equal(bus_device_store(board_bus(&b), PLIC + 4 * last, 4, 7), FAULT_NONE);
    assert_int_equal(bus_device_store(board_bus(&b), PLIC + 4 * (last + 1), 4, 7), FAULT_NONE);
    assert_int_equal(bus_device_load(board_bus(&b), PLIC + 4 * last, 4, &value), FAULT_NONE);
    assert_int_equal(value, 7);
    assert_int_equal(bus_device_load(board_bus(&b), PLIC + 4 * (last + 1), 4, &value), FAULT_NONE);
    assert_int_equal(value, 0);
    board_free(&b);
}

/* The seeds of /chosen, all bytes: those of the machine's tree. */
struct chosen_seeds {
    uint8_t rng[32], kaslr[8];
    bool has_kaslr;
};

static struct chosen_seeds chosen_seeds(uint64_t seed, bool kaslr)
{
    const struct board_program p = busy_program(300);
    struct machine_config config = config_of(1, seed);
    struct chosen_seeds s = {0};
    struct test_board b;
    size_t size;
    const void *dtb, *value;
    int node, len;

    config.kaslr = kaslr;
    board_new(&b, &p, config);
    dtb = machine_dtb(b.m, &size);
    node = fdt_path_offset(dtb, "/chosen");
    value = fdt_getprop(dtb, node, "rng-seed", &len);
    assert_int_equal(len, sizeof s.rng);
    memcpy(s.rng, value, sizeof s.rng);
    value = fdt_getprop(dtb, node, "kaslr-seed", &len);
    s.has_kaslr = value;
    if (value) {
        assert_int_equal(len, sizeof s.kaslr);
        memcpy(s.kaslr, value, sizeof s.kaslr);
    }
    board_free(&b);
    return s;
}

static void the_guest_gets_random_numbers_of_the_seed(void **state)
{
    struct chosen_seeds one = chosen_seeds(1, false), again = chosen_seeds(1, true);
    struct chosen_seeds two = chosen_seeds(2, true), most = chosen_seeds(UINT64_MAX, true);

    (void)state;
    assert_false(one.has_kaslr);
    assert_true(again.has_kaslr && two.has_kaslr && most.has_kaslr);
    assert_memory_equal(one.rng, again.rng, sizeof one.rng);
    assert_memory_not_equal(one.rng, two.rng, sizeof one.rng);
    assert_memory_not_equal(one.rng, most.rng, sizeof one.rng);
    assert_memory_not_equal(again.kaslr, two.kaslr, sizeof two.kaslr);
    assert_memory_not_equal(again.kaslr, again.rng, sizeof again.kaslr);
}

static void a_handler_that_cannot_run_stops_the_machine(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    struct stop stop;

    (void)state;
    add(&p, ADDI(T0, ZERO, 0x100)); /* not mapped */
    add(&p, CSRRW(ZERO, MTVEC, T0));
    add(&p, ECALL);
    board_new(&b, &p, config_of(2, 1));
    stop = machine_run(b.m, UINT64_MAX, UINT64_MAX);
    assert_int_equal(stop.reason, STOP_STUCK);
    assert_int_equal(hart_pc(stop.hart), 0x100);
    board_free(&b);
}

static void the_limit_of_instructions_is_exact(void **state)
{
    const struct board_program p = busy_program(300);

    (void)state;
    for (unsigned harts = 1; harts <= 3; harts++) {
        struct test_board b;

        board_new(&b, &p, config_of(harts, 1));
        for (uint64_t until = 0; until < 300; until += 13) {
            assert_int_equal(machine_run(b.m, until, UINT64_MAX).reason, STOP_INSNS);
            assert_int_equal(machine_insns(b.m), until);
            assert_int_equal(machine_run(b.m, until, UINT64_MAX).reason, STOP_INSNS);
            assert_int_equal(machine_insns(b.m), until);
        }
        board_free(&b);
    }
}

static void the_limit_of_cycles_is_kept_within_an_instruction(void **state)
{
    struct board_program p = {0};
    struct test_board b;

    (void)state;
    add(&p, ADDI(A1, A1, 1));
    add(&p, ADDI(A1, A1, 1));
    add(&p, JAL(ZERO, -8));
    board_new(&b, &p, config_of(1, 1));
    for (uint64_t until = 10; until < 100000; until = until * 3 + 1) {
        assert_int_equal(machine_run(b.m, UINT64_MAX, until).reason, STOP_CYCLES);
        assert_in_range(machine_cycles(b.m), until, until + 8);
    }
    board_free(&b);
}

static void the_finisher_ends_the_run_with_its_code(void **state)
{
    static const struct {
        uint32_t value;
        enum stop_reason reason;
        unsigned code;
    } ends[] = {{0x5555, STOP_EXIT, 0},
                {0x3333, STOP_EXIT, 0},
                {0x00073333, STOP_EXIT, 7},
                {0x7777, STOP_RESET, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct board_program p = {0};
        struct test_board b;
        struct stop stop;

        add(&p, LUI(T0, 0x100));
        add(&p, LUI(T1, (ends[i].value + 0x800) >> 12));
        add(&p, ADDI(T1, T1, ends[i].value & 0xfff));
        add(&p, SW(T1, T0, 0));
        add(&p, ADDI(S5, S5, 1));
        add(&p, JAL(ZERO, 0));
        board_new(&b, &p, config_of(1, 1));
        stop = machine_run(b.m, UINT64_MAX, UINT64_MAX);
        assert_int_equal(stop.reason, ends[i].reason);
        assert_int_equal(stop.origin, ORIGIN_FINISHER);
        assert_int_equal(stop.code, ends[i].code);
        assert_int_equal(hart_reg(board_hart(&b, 0), S5), 0); /* at once */
        assert_int_equal(machine_run(b.m, UINT64_MAX, UINT64_MAX).reason, ends[i].reason);
        board_free(&b);
    }
}

/* One call at each moment: a machine that called again without end would make no progress. */
static bool want_to_stop(void *ctx, const struct moment *at)
{
    struct test_board *b = ctx;
    bool again = b->stopped_at.insns == at->insns && b->stopped_at.cycles == at->cycles &&
                 b->stopped_at.reason == at->reason;

    b->stopped_at = *at;
    return !again;
}

static void who_interrupts_is_heard_and_changes_nothing(void **state)
{
    const struct board_program p = busy_program(300);
    struct machine_config config = config_of(2, 5);
    struct shot whole, cut;
    struct test_board b;
    unsigned stops = 0;

    (void)state;
    run_busy(config, 1000000, &whole);
    config.console.interrupted = want_to_stop;
    board_new(&b, &p, config);
    while (machine_run(b.m, 1000000, UINT64_MAX).reason == STOP_ASKED)
        stops++;
    take(&b, &cut);
    assert_true(stops > 0);
    assert_memory_equal(&whole, &cut, sizeof whole);
    board_free(&b);
}

/* The console ends each wait half-way, but never has input. */
static uint64_t half_way(void *ctx, const struct moment *at, uint64_t until)
{
    (void)ctx;
    assert_int_equal(at->reason, POLL_IDLE);
    assert_true(at->cycles < until);
    return until == UINT64_MAX ? until : at->cycles + (until - at->cycles + 1) / 2;
}

static void idle_time_in_pieces_is_the_same_time(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= 3; harts++) {
        struct machine_config config = config_of(harts, 9);
        struct shot whole, pieces;

        run_busy(config, 300000, &whole);
        config.console.wait = half_way;
        run_busy(config, 300000, &pieces);
        assert_memory_equal(&whole, &pieces, sizeof whole);
    }
}

/* ---- a scheduler of the configuration ---- */

struct hart_chooser {
    unsigned asked;
    uint64_t insns; /* of each slice */
};

/* The harts in turn. */
static struct slice choose_in_turn(void *ctx, const struct schedule_point *at)
{
    struct hart_chooser *c = ctx;

    assert_in_range(at->count, 2, HARTS_RUN);
    for (unsigned i = 1; i < at->count; i++)
        assert_true(at->options[i].hart > at->options[i - 1].hart);
    return (struct slice){at->options[c->asked++ % at->count].hart, UINT64_MAX, c->insns};
}

static void a_scheduler_may_be_given_and_decides(void **state)
{
    struct board_program p = {0};
    struct shot s;

    (void)state;
    add(&p, ADDI(A1, A1, 1));
    add(&p, JAL(ZERO, -4));
    for (uint64_t insns = 1; insns < 500; insns = insns * 5 + 2) {
        struct hart_chooser c = {.insns = insns};
        struct machine_config config = config_of(3, 1);

        config.scheduler = (struct scheduler){choose_in_turn, &c};
        run_program(&p, config, 9 * insns, 9 * insns, &s);
        assert_in_range(c.asked, 9, 10); /* the tenth slice is not begun */
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(s.insns[i], 3 * insns);
    }
}

static void a_run_in_pieces_asks_a_scheduler_the_same(void **state)
{
    static const uint64_t pieces[] = {1, 7, 1000};
    const struct board_program p = busy_program(300);
    struct hart_chooser whole_by = {.insns = 37};
    struct machine_config config = config_of(3, 1);
    struct shot whole, cut;

    (void)state;
    config.scheduler = (struct scheduler){choose_in_turn, &whole_by};
    run_program(&p, config, 40000, 40000, &whole);
    assert_true(whole_by.asked > 1000);
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct hart_chooser by = {.insns = 37};

        config.scheduler.ctx = &by;
        run_program(&p, config, 40000, pieces[i], &cut);
        assert_int_equal(by.asked, whole_by.asked);
        assert_memory_equal(&cut, &whole, sizeof whole);
    }
}

/* ---- plans ---- */

/* Runs with the plan from the beginning; or without it up to its step, where it is given then. */
static void run_with_plan(const struct plan *plan, bool late, struct shot *s)
{
    static const struct plan none;
    const struct board_program p = busy_program(300);
    struct machine_config config = config_of(3, 1);
    struct test_board b;

    config.plan = late ? &none : plan;
    board_new(&b, &p, config);
    if (late) {
        (void)machine_run_before(b.m, plan->steps.at[0].at);
        machine_follow(b.m, plan);
    }
    (void)machine_run(b.m, plan->steps.at[0].at + 3000, UINT64_MAX);
    take(&b, s);
    board_free(&b);
}

/* Also where a slice of the seed begins at the very step. */
static void a_plan_may_be_given_at_its_first_step(void **state)
{
    /* Making 5,000 boards takes most of the time; 7 meets both kinds of steps on all harts. */
    const char *suite = getenv("SUITE");
    const uint64_t stride = suite && !strcmp(suite, "all") ? 1 : 7;
    struct shot plain, early, late;
    unsigned differ = 0, compared = 0;

    (void)state;
    for (uint64_t at = 9000; at < 11500; at += stride) {
        struct plan_step step = {.kind = at % 2 ? PLAN_STALL : PLAN_TICK,
                                 .hart = (unsigned)(at / 2 % 3),
                                 .at = at,
                                 .until = at + 700};
        const struct plan plan = {.steps = {&step, 1, 1}};

        run_with_plan(&plan, false, &early);
        run_with_plan(&plan, true, &late);
        assert_memory_equal(&early, &late, sizeof early);
        if (at % 10)
            continue;
        run_busy(config_of(3, 1), at + 3000, &plain);
        differ += memcmp(&plain, &early, sizeof plain) != 0;
        compared++;
    }
    assert_true(differ > compared * 4 / 10); /* steps have effects */
}

static void a_stalled_hart_executes_nothing(void **state)
{
    struct plan_step step = {.kind = PLAN_STALL, .hart = 1, .at = 5000, .until = 9000};
    struct machine_config config = config_of(3, 1);
    const struct plan plan = {.steps = {&step, 1, 1}};
    struct shot before, during;

    (void)state;
    config.plan = &plan;
    run_busy(config, 5000, &before);
    run_busy(config, 8999, &during);
    assert_int_equal(before.insns[1], during.insns[1]);
    assert_true(before.insns[0] < during.insns[0]);
}

static void firmware_is_chosen_by_where_the_image_lies(void **state)
{
    const struct board_program p = busy_program(300);
    struct machine_config config = config_of(1, 1);
    struct test_board b;

    (void)state;
    board_new(&b, &p, config);
    assert_int_equal(machine_firmware(b.m), FIRMWARE_NONE);
    assert_int_equal(hart_pc(board_hart(&b, 0)), BOARD_RAM);
    assert_int_equal(hart_mode(board_hart(&b, 0)), PRIV_M);
    board_free(&b);
    config.firmware = FIRMWARE_AUTO;
    board_new(&b, &p, config);
    assert_int_equal(machine_firmware(b.m), FIRMWARE_BUILTIN); /* raw: a kernel */
    assert_int_equal(hart_pc(board_hart(&b, 0)), BOARD_KERNEL);
    assert_int_equal(hart_mode(board_hart(&b, 0)), PRIV_S);
    board_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_in_pieces_is_the_same_run),
        cmocka_unit_test(a_run_cut_at_cycles_is_the_same_run),
        cmocka_unit_test(the_same_seed_is_the_same_run),
        cmocka_unit_test(another_seed_is_another_interleaving),
        cmocka_unit_test(a_seed_means_nothing_to_one_hart),
        cmocka_unit_test(two_machines_do_not_know_of_each_other),
        cmocka_unit_test(harts_stay_within_some_slices_of_each_other),
        cmocka_unit_test(who_pauses_gives_way),
        cmocka_unit_test(looking_at_the_time_is_no_reading_of_it),
        cmocka_unit_test(the_guest_gets_random_numbers_of_the_seed),
        cmocka_unit_test(the_tree_names_every_source_of_the_plic),
        cmocka_unit_test(a_handler_that_cannot_run_stops_the_machine),
        cmocka_unit_test(the_limit_of_instructions_is_exact),
        cmocka_unit_test(the_limit_of_cycles_is_kept_within_an_instruction),
        cmocka_unit_test(the_finisher_ends_the_run_with_its_code),
        cmocka_unit_test(who_interrupts_is_heard_and_changes_nothing),
        cmocka_unit_test(idle_time_in_pieces_is_the_same_time),
        cmocka_unit_test(a_scheduler_may_be_given_and_decides),
        cmocka_unit_test(a_run_in_pieces_asks_a_scheduler_the_same),
        cmocka_unit_test(a_plan_may_be_given_at_its_first_step),
        cmocka_unit_test(a_stalled_hart_executes_nothing),
        cmocka_unit_test(firmware_is_chosen_by_where_the_image_lies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
