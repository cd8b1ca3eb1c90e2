/*
 * test_sbi.c - the built-in firmware, call by call (RISC-V SBI specification 2.0).
 */
#include "machine/board.h"

#include "cpu/observer.h"

enum {
    BASE = 0x10,
    TIMER = 0x54494d45,
    IPI = 0x735049,
    RFENCE = 0x52464e43,
    HSM = 0x48534d,
    SRST = 0x53525354,
    DBCN = 0x4442434e,
};

enum { NOT_SUPPORTED = -2, INVALID_PARAM = -3, INVALID_ADDRESS = -5, ALREADY_AVAILABLE = -6 };
enum { ALREADY_STARTED = -7, ALREADY_STOPPED = -8 };
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

static void on_event(void *ctx, const struct event *e)
{
    struct scene *s = ctx;

    s->count[e->kind]++;
    s->last[e->kind] = *e;
    if (e->kind != EVENT_FENCE_I)
        return;
    assert_in_range(s->fence_count, 0, FENCES_MAX - 1);
    s->fence[s->fence_count++] = e->fence;
}

/* A kernel of an ecall, a loop, and a wfi after it. */
static void build(struct scene *s)
{
    struct board_program p = {0};
    const struct listener l = {.ctx = s, .kinds = UINT32_MAX, .on_event = on_event};

    memset(s, 0, sizeof *s);
    add(&p, ECALL);
    add(&p, JAL(ZERO, 0));
    add(&p, WFI);
    board_new(&s->b, &p, (struct machine_config){.harts = HARTS, .seed = 1});
    cluster_listen(machine_cluster(s->b.m), &l);
}

static void wreck(struct scene *s)
{
    board_free(&s->b);
}

static struct hart *prepare(struct scene *s, unsigned hart, uint64_t extension, uint64_t function,
                            uint64_t a, uint64_t b, uint64_t c)
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

static struct answer answer_of(const struct hart *h)
{
    return (struct answer){(int64_t)hart_reg(h, A0), hart_reg(h, A1)};
}

/* One ecall of one hart, without the scheduler. */
static struct answer call_on(struct scene *s, unsigned hart, uint64_t extension, uint64_t function,
                             uint64_t a, uint64_t b, uint64_t c)
{
    struct hart *h = prepare(s, hart, extension, function, a, b, c);

    (void)!hart_run(h, 1, UINT64_MAX);
    return answer_of(h);
}

/* The same through the scheduler, while hart 0 runs alone. */
static struct answer call_scheduled(struct scene *s, uint64_t extension, uint64_t function,
                                    uint64_t a, uint64_t b, uint64_t c)
{
    struct hart *h = prepare(s, 0, extension, function, a, b, c);

    (void)machine_run(s->b.m, machine_insns(s->b.m) + 1, UINT64_MAX);
    return answer_of(h);
}

static struct answer call(struct scene *s, uint64_t extension, uint64_t function, uint64_t a,
                          uint64_t b, uint64_t c)
{
    return call_on(s, 0, extension, function, a, b, c);
}

static bool pending(struct scene *s, unsigned hart, uint64_t bit)
{
    uint64_t mip = 0;

    assert_true(hart_csr(board_hart(&s->b, hart), MIP, &mip));
    return mip & bit;
}

static void start(struct scene *s, unsigned hart)
{
    assert_int_equal(call(s, HSM, 0, hart, BOARD_KERNEL + 4, 0).error, 0);
}

/* ---- base ---- */

static void the_version_is_2_0(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, BASE, 0, 0, 9, 0).error, 0);
    assert_int_equal(call(&s, BASE, 0, 0, 9, 0).value, 2 << 24);
    assert_int_equal(call(&s, BASE, 1, 0, 0, 0).error, 0);
    assert_int_equal(call(&s, BASE, 4, 0, 9, 0).value, 0);
    wreck(&s);
}

static void probing_tells_what_there_is(void **state)
{
    static const uint64_t present[] = {BASE, TIMER, IPI, RFENCE, HSM, PMU, SRST, DBCN, 0, 1, 2, 8};
    static const uint64_t absent[] = {9, 0xf, 0x11, 0x53555350, 0x4e41434c, UINT64_MAX};
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 0; i < sizeof present / sizeof present[0]; i++)
        assert_int_equal(call(&s, BASE, 3, present[i], 0, 0).value, 1);
    for (unsigned i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        assert_int_equal(call(&s, BASE, 3, absent[i], 7, 0).value, 0);
        assert_int_equal(call(&s, BASE, 3, absent[i], 7, 0).error, 0);
    }
    wreck(&s);
}

static void what_is_not_there_is_not_supported(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, 0x12345, 0, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, BASE, 7, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, HSM, 4, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, RFENCE, 3, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, 9, 0, 0, 0, 0).error, NOT_SUPPORTED);
    wreck(&s);
}

static void a_call_changes_a0_and_a1_only_and_goes_on_behind(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    h = board_hart(&s.b, 0);
    for (unsigned reg = 1; reg < 32; reg++)
        hart_set_reg(h, reg, 1000 + reg);
    (void)call(&s, BASE, 0, 5, 6, 7);
    for (unsigned reg = 1; reg < 32; reg++)
        if (reg < A0 || (reg > A2 && reg != A6 && reg != A7))
            assert_int_equal(hart_reg(h, reg), 1000 + reg);
    assert_int_equal(hart_reg(h, A2), 7);
    assert_int_equal(hart_reg(h, A6), 0);
    assert_int_equal(hart_reg(h, A7), BASE);
    assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
    assert_int_equal(hart_mode(h), PRIV_S);
    wreck(&s);
}

/* ---- hart state management ---- */

static void harts_start_and_stop(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 2, 0, 0, 0).value, STARTED);
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STOPPED);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL + 4, 0x1234).error, 0);
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STARTED);
    assert_int_equal(call(&s, HSM, 2, 2, 0, 0).value, STOPPED);
    h = board_hart(&s.b, 1);
    assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
    assert_int_equal(hart_reg(h, A0), 1);
    assert_int_equal(hart_reg(h, A1), 0x1234);
    assert_int_equal(hart_mode(h), PRIV_S);
    (void)call_on(&s, 1, HSM, 1, 0, 0, 0);
    assert_int_equal(s.count[EVENT_HART_STOPPED], 1);
    assert_ptr_equal(s.last[EVENT_HART_STOPPED].started.hart, board_hart(&s.b, 1));
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STOPPED);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL + 4, 0).error, 0);
    wreck(&s);
}

static void a_started_hart_begins_without_translation_or_interrupts(void **state)
{
    struct scene s;
    struct hart *h;
    uint64_t value;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(hart_csr(h, SATP, &value));
    assert_int_equal(value, 0);
    assert_true(hart_csr(h, 0x100, &value)); /* sstatus */
    assert_int_equal(value & 2, 0);
    wreck(&s);
}

static void a_hart_runs_once_it_is_started_and_not_before(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    (void)call(&s, BASE, 0, 0, 0, 0);
    (void)machine_run(s.b.m, 10000, UINT64_MAX);
    assert_int_equal(hart_insns(board_hart(&s.b, 1)), 0);
    assert_int_equal(call_scheduled(&s, HSM, 0, 1, BOARD_KERNEL + 4, 0).error, 0);
    (void)machine_run(s.b.m, 30000, UINT64_MAX);
    assert_true(hart_insns(board_hart(&s.b, 1)) > 5000);
    assert_int_equal(hart_insns(board_hart(&s.b, 2)), 0);
    wreck(&s);
}

/* Firmware enters S-mode by mret, and bit 0 of mepc is 0: the hart continues at the even address.
 */
static void a_start_address_loses_its_lowest_bit(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL + 5, 0).error, 0);
    assert_int_equal(hart_pc(board_hart(&s.b, 1)), BOARD_KERNEL + 4);
    wreck(&s);
}

/* ---- suspension ---- */

enum { SIE = 0x104, SSTATUS = 0x100 };
#define NON_RETENTIVE UINT64_C(0x80000000)

static uint64_t status_of(struct scene *s, unsigned hart)
{
    return call(s, HSM, 2, hart, 0, 0).value;
}

static void a_suspended_hart_waits_for_an_interrupt_and_returns(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(hart_set_csr(h, SIE, SSIP));
    (void)prepare(&s, 1, HSM, 3, 0, 0, 0);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    assert_int_equal(status_of(&s, 1), SUSPENDED);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    assert_int_equal(call(&s, IPI, 0, 2, 0, 0).error, 0);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_BUDGET);
    assert_int_equal(status_of(&s, 1), STARTED);
    assert_int_equal(hart_reg(h, A0), 0);
    assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
    wreck(&s);
}

static void without_retention_it_goes_on_elsewhere_with_translation_off(void **state)
{
    /* The type has 32 bits, which the calling convention sign-extends. */
    static const uint64_t types[] = {NON_RETENTIVE, ~UINT64_C(0) << 31};
    struct scene s;

    (void)state;
    for (unsigned n = 0; n < sizeof types / sizeof types[0]; n++) {
        struct hart *h;
        uint64_t value = 1;

        build(&s);
        h = board_hart(&s.b, 0);
        assert_true(hart_set_csr(h, SIE, SSIP));
        assert_true(hart_set_csr(h, SSTATUS, 2));
        (void)prepare(&s, 0, HSM, 3, types[n], BOARD_KERNEL + 4, 77);
        assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
        machine_send_ipi(s.b.m, 0);
        assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
        assert_int_equal(hart_reg(h, A0), 0);
        assert_int_equal(hart_reg(h, A1), 77);
        assert_true(hart_csr(h, SATP, &value));
        assert_int_equal(value, 0);
        assert_true(hart_csr(h, SSTATUS, &value));
        assert_int_equal(value & 2, 0);
        wreck(&s);
    }
}

/* The hart has been woken: a later wfi is not the suspension any more. */
static void a_hart_that_waits_after_its_suspension_is_started(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(hart_set_csr(h, SIE, SSIP));
    (void)prepare(&s, 1, HSM, 3, 0, 0, 0);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    machine_send_ipi(s.b.m, 1);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_BUDGET);
    (void)call_on(&s, 1, 3, 0, 0, 0, 0); /* legacy: clears the IPI */
    hart_set_pc(h, BOARD_KERNEL + 8);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    assert_int_equal(status_of(&s, 1), STARTED);
    wreck(&s);
}

static void a_suspension_of_another_kind_is_refused(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 3, 1, 0, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 3, NON_RETENTIVE + 1, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 3, 0x10000000, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, HSM, 3, NON_RETENTIVE, 0x1000, 0).error, INVALID_ADDRESS);
    assert_int_equal(status_of(&s, 0), STARTED);
    wreck(&s);
}

/* ---- performance monitoring ---- */

static struct answer pmu(struct scene *s, uint64_t function, uint64_t base, uint64_t mask,
                         uint64_t flags, uint64_t event)
{
    struct hart *h = prepare(s, 0, PMU, function, base, mask, flags);

    hart_set_reg(h, A3, event);
    hart_set_reg(h, A4, 0);
    (void)!hart_run(h, 1, UINT64_MAX);
    return answer_of(h);
}

enum { CLEAR = 2, AUTO_START = 4, UINH = 0x20, SINH = 0x40, SET_VALUE = 1, FORGET = 1 };
enum { LOADS = 0x10000, LOAD_MISSES = 0x10001 };
enum {
    ALL_COUNTERS = 0x3ffffff,
    FIXED_COUNTERS = 3,
    FIRMWARE_SET_TIMER = 0xf0005,
    FIRMWARE_IPI_SENT = 0xf0006
};

static void counters_say_what_they_are(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 0, 0, 0, 0, 0).value, 26);
    assert_int_equal(pmu(&s, 1, 0, 0, 0, 0).value, 0xc00 | 63 << 12);
    assert_int_equal(pmu(&s, 1, 1, 0, 0, 0).value, 0xc02 | 63 << 12);
    assert_int_equal(pmu(&s, 1, 2, 0, 0, 0).value, 0xc03 | 63 << 12);
    assert_int_equal(pmu(&s, 1, 9, 0, 0, 0).value, 0xc0a | 63 << 12);
    assert_int_equal(pmu(&s, 1, 10, 0, 0, 0).value, UINT64_C(1) << 63);
    assert_int_equal(pmu(&s, 1, 26, 0, 0, 0).error, INVALID_PARAM);
    wreck(&s);
}

static void a_firmware_counter_counts_its_event_while_it_runs(void **state)
{
    struct scene s;
    uint64_t counter;

    (void)state;
    build(&s);
    counter = pmu(&s, 2, 0, ALL_COUNTERS, CLEAR | AUTO_START, FIRMWARE_IPI_SENT).value;
    assert_in_range(counter, 10, 25);
    (void)call(&s, IPI, 0, 1, 0, 0);
    (void)call(&s, TIMER, 0, UINT64_MAX, 0, 0);
    (void)call(&s, IPI, 0, 1, 0, 0);
    assert_int_equal(pmu(&s, 5, counter, 0, 0, 0).value, 2);
    assert_int_equal(pmu(&s, 6, counter, 0, 0, 0).value, 0);
    assert_int_equal(pmu(&s, 3, counter, 1, 0, 0).error, ALREADY_STARTED);
    assert_int_equal(pmu(&s, 4, counter, 1, 0, 0).error, 0);
    assert_int_equal(pmu(&s, 4, counter, 1, 0, 0).error, ALREADY_STOPPED);
    (void)call(&s, IPI, 0, 1, 0, 0);
    assert_int_equal(pmu(&s, 5, counter, 0, 0, 0).value, 2);
    assert_int_equal(pmu(&s, 3, counter, 1, SET_VALUE, 100).error, 0);
    (void)call(&s, IPI, 0, 1, 0, 0);
    assert_int_equal(pmu(&s, 5, counter, 0, 0, 0).value, 101);
    assert_true(pmu(&s, 2, 0, ALL_COUNTERS, 0, FIRMWARE_SET_TIMER).value != counter);
    wreck(&s);
}

static void cycle_and_instret_match_their_events_only(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, 0, 1).value, 0);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, 0, 1).error, NOT_SUPPORTED); /* taken */
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, UINH, 2).error, NOT_SUPPORTED);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, CLEAR | AUTO_START, 2).value, 1);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, 0, LOADS).error, NOT_SUPPORTED);
    assert_int_equal(pmu(&s, 4, 1, 1, FORGET, 0).error, 0);
    assert_int_equal(pmu(&s, 3, 1, 1, 0, 0).error, INVALID_PARAM); /* not configured any more */
    wreck(&s);
}

static uint64_t counter_of(struct scene *s, unsigned number);

enum { HPMCOUNTER3 = 0xc03, MHPMEVENT3 = 0x323, RAW = 0x20000 };

static void programmable_counters_take_the_events_that_there_are(void **state)
{
    const uint64_t uinh = UINT64_C(1) << 60, sinh = UINT64_C(1) << 61;
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, UINH, 1).value, 2); /* cycles */
    assert_int_equal(counter_of(&s, MHPMEVENT3), uinh | 1);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, SINH, LOADS).value, 3);
    assert_int_equal(counter_of(&s, MHPMEVENT3 + 1), sinh | 3);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOAD_MISSES).error,
                     NOT_SUPPORTED);                                            /* no core */
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, RAW).error, NOT_SUPPORTED); /* number 0 */
    for (unsigned n = 4; n < 10; n++)
        assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOADS).value, n);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOADS).error, NOT_SUPPORTED); /* all taken */
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, 1).value, 0); /* what else can count cycles */
    assert_int_equal(pmu(&s, 4, 3, 1, FORGET, 0).error, ALREADY_STOPPED);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOADS).value, 3);
    wreck(&s);
}

static void a_programmable_counter_stands_still_until_it_is_started(void **state)
{
    enum { INSTRUCTIONS = 2 };
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 2, 1, CLEAR, INSTRUCTIONS).value, 2);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, HPMCOUNTER3), 0);
    assert_int_equal(pmu(&s, 3, 2, 1, 0, 0).error, 0);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, HPMCOUNTER3), 3);
    assert_int_equal(pmu(&s, 4, 2, 1, 0, 0).error, 0);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, HPMCOUNTER3), 4); /* with the ecall that stopped it */
    wreck(&s);
}

static uint64_t counter_of(struct scene *s, unsigned number)
{
    uint64_t value = 0;

    assert_true(hart_csr(board_hart(&s->b, 0), number, &value));
    return value;
}

/* The call itself is over when the counter begins, and does not count. */
static void instret_begins_where_it_is_told_to(void **state)
{
    enum { INSTRET = 0xc02, INSTRET_EVENT = 2 };
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 1, 1, CLEAR | AUTO_START, INSTRET_EVENT).value, 1);
    assert_int_equal(counter_of(&s, INSTRET), 0);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, INSTRET), 3);
    wreck(&s);
}

/* Stopped counters and their values do not outlive the stop of the hart. */
static void counters_of_a_hart_that_starts_run(void **state)
{
    enum { CYCLE = 0xc00, CYCLE_EVENT = 1 };
    struct scene s;
    struct hart *h;
    uint64_t value = 0;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    hart_advance(h, 1000);
    hart_set_reg(h, A3, CYCLE_EVENT);
    assert_int_equal(call_on(&s, 1, PMU, 2, 0, 1, AUTO_START).error, 0);
    assert_int_equal(call_on(&s, 1, PMU, 4, 0, 1, 0).error, 0);
    (void)call_on(&s, 1, HSM, 1, 0, 0, 0);
    start(&s, 1);
    assert_true(hart_csr(h, CYCLE, &value));
    assert_int_equal(value, hart_cycles(h));
    wreck(&s);
}

static void masks_beyond_the_counters_are_refused(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned function = 2; function < 5; function++) {
        assert_int_equal(pmu(&s, function, 26, 1, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, 25, 3, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, 0, UINT64_MAX, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, UINT64_MAX, 1, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, 0, 0, 0, 1).error, INVALID_PARAM);
    }
    assert_int_equal(pmu(&s, 2, 0, 1, 0, 1 << 20).error, INVALID_PARAM);
    assert_int_equal(pmu(&s, 5, 0, 0, 0, 0).error, INVALID_PARAM);
    wreck(&s);
}

static void starting_refuses_what_it_cannot_do(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 0, 0, BOARD_KERNEL, 0).error, ALREADY_AVAILABLE);
    assert_int_equal(call(&s, HSM, 0, HARTS, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 0, UINT64_MAX, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 0, UINT64_C(1) << 32, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 0, 1, 0x1000, 0).error, INVALID_ADDRESS);
    assert_int_equal(call(&s, HSM, 2, HARTS, 0, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STOPPED);
    start(&s, 1);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL, 0).error, ALREADY_AVAILABLE);
    wreck(&s);
}

/* ---- interrupts between harts ---- */

static void an_ipi_goes_to_the_harts_of_the_mask(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    assert_int_equal(call(&s, IPI, 0, 2, 1, 0).error, 0); /* bit 1, from hart 1: hart 2 */
    assert_false(pending(&s, 0, SSIP));
    assert_false(pending(&s, 1, SSIP));
    assert_true(pending(&s, 2, SSIP));
    assert_int_equal(call(&s, IPI, 0, 3, 0, 0).error, 0);
    assert_true(pending(&s, 0, SSIP));
    assert_true(pending(&s, 1, SSIP));
    wreck(&s);
}

static void an_ipi_to_all_goes_to_all_that_are_started(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    assert_int_equal(call(&s, IPI, 0, 0, UINT64_MAX, 0).error, 0);
    assert_true(pending(&s, 0, SSIP));
    assert_true(pending(&s, 1, SSIP));
    assert_false(pending(&s, 2, SSIP)); /* stopped */
    wreck(&s);
}

static void a_mask_with_harts_that_are_not_there_reaches_nobody(void **state)
{
    static const struct {
        uint64_t mask, base;
    } wrong[] = {{8, 0}, {9, 0}, {UINT64_MAX, 0},     {4, 1},
                 {1, 3}, {0, 3}, {1, UINT64_MAX - 1}, {UINT64_C(1) << 63, 1}};
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(call(&s, IPI, 0, wrong[i].mask, wrong[i].base, 0).error, INVALID_PARAM);
        assert_int_equal(call(&s, RFENCE, 0, wrong[i].mask, wrong[i].base, 0).error, INVALID_PARAM);
    }
    for (unsigned hart = 0; hart < HARTS; hart++)
        assert_false(pending(&s, hart, SSIP));
    assert_int_equal(s.fence_count, 0); /* a start is no fence */
    assert_int_equal(call(&s, IPI, 0, 0, 0, 0).error, 0);
    assert_false(pending(&s, 0, SSIP));
    wreck(&s);
}

/* ---- remote fences ---- */

static void a_remote_fence_is_told_for_each_hart_of_the_mask(void **state)
{
    struct scene s;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    before = s.fence_count;
    assert_int_equal(call(&s, RFENCE, 0, 6, 0, 0).error, 0);
    assert_int_equal(s.fence_count, before + 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct fence_event *f = &s.fence[before + i];

        assert_int_equal(f->origin, FENCE_REMOTE);
        assert_ptr_equal(f->hart, board_hart(&s.b, i + 1));
        assert_int_equal(f->requester, 0);
        assert_int_equal(f->pc, BOARD_KERNEL);
        assert_int_equal(hart_sync_stamp(f->hart), f->stamp);
    }
    wreck(&s);
}

static void a_remote_fence_to_all_includes_oneself(void **state)
{
    struct scene s;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    before = s.fence_count;
    assert_int_equal(call(&s, RFENCE, 0, 0, UINT64_MAX, 0).error, 0);
    assert_int_equal(s.fence_count, before + 2); /* not hart 2: stopped */
    wreck(&s);
}

static void a_remote_sfence_is_no_fence_i(void **state)
{
    struct scene s;
    unsigned before;
    uint64_t stamp;

    (void)state;
    build(&s);
    start(&s, 1);
    before = s.fence_count;
    stamp = hart_sync_stamp(board_hart(&s.b, 1));
    assert_int_equal(call(&s, RFENCE, 1, 2, 0, 0).error, 0);
    assert_int_equal(call(&s, RFENCE, 2, 2, 0, 0).error, 0);
    assert_int_equal(s.fence_count, before);
    assert_int_equal(hart_sync_stamp(board_hart(&s.b, 1)), stamp);
    wreck(&s);
}

static void a_remote_sfence_is_an_event_like_a_local_one(void **state)
{
    struct scene s;
    const struct fence_event *f = &s.last[EVENT_SFENCE_VMA].fence;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    before = s.count[EVENT_SFENCE_VMA];
    assert_int_equal(call(&s, RFENCE, 1, 2, 0, 0).error, 0);
    assert_int_equal(call(&s, RFENCE, 2, 3, 0, 0).error, 0);
    assert_int_equal(s.count[EVENT_SFENCE_VMA], before + 3);
    assert_ptr_equal(f->hart, board_hart(&s.b, 1));
    assert_int_equal(f->origin, FENCE_REMOTE);
    assert_int_equal(f->requester, 0);
    assert_int_equal(f->pc, BOARD_KERNEL);
    wreck(&s);
}

static void what_firmware_does_is_in_the_stream_of_events(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    assert_int_equal(s.count[EVENT_HART_STARTED], 1); /* hart 0 was, before there was a listener */
    assert_ptr_equal(s.last[EVENT_HART_STARTED].started.hart, board_hart(&s.b, 1));
    assert_int_equal(call(&s, IPI, 0, 2, 0, 0).error, 0);
    assert_int_equal(s.count[EVENT_IPI_SENT], 1);
    assert_ptr_equal(s.last[EVENT_IPI_SENT].ipi.hart, board_hart(&s.b, 1));
    assert_ptr_equal(s.last[EVENT_IPI_SENT].ipi.sender, board_hart(&s.b, 0));
    assert_int_equal(s.last[EVENT_IPI_SENT].ipi.interrupt, IRQ_SSI);
    assert_int_equal(s.last[EVENT_SBI_CALL].sbi.extension, IPI);
    assert_int_equal(s.last[EVENT_SBI_CALL].sbi.function, 0);
    assert_ptr_equal(s.last[EVENT_SBI_CALL].sbi.hart, board_hart(&s.b, 0));
    wreck(&s);
}

/* ---- timer ---- */

static void the_timer_rises_when_its_time_comes_and_falls_when_set(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, TIMER, 0, machine_ticks(s.b.m) + 100, 0, 0).error, 0);
    assert_false(pending(&s, 0, STIP));
    (void)machine_run(s.b.m, UINT64_MAX, machine_cycles(s.b.m) + 99 * CYCLES_PER_TICK);
    assert_false(pending(&s, 0, STIP));
    (void)machine_run(s.b.m, UINT64_MAX, machine_cycles(s.b.m) + 2 * CYCLES_PER_TICK);
    assert_true(pending(&s, 0, STIP));
    assert_int_equal(call(&s, TIMER, 0, UINT64_MAX, 0, 0).error, 0);
    assert_false(pending(&s, 0, STIP));
    wreck(&s);
}

static void a_timer_in_the_past_rises_at_once(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    (void)machine_run(s.b.m, 10000, UINT64_MAX);
    assert_int_equal(call_scheduled(&s, TIMER, 0, 0, 0, 0).error, 0);
    (void)machine_run(s.b.m, machine_insns(s.b.m) + 4, UINT64_MAX);
    assert_true(pending(&s, 0, STIP));
    wreck(&s);
}

/* With Sstc there is one timer, by either way of setting it. */
static void firmwares_timer_is_stimecmp(void **state)
{
    enum { STIMECMP = 0x14d };
    struct scene s;
    uint64_t value = 0;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, TIMER, 0, 12345678, 0, 0).error, 0);
    assert_true(hart_csr(board_hart(&s.b, 0), STIMECMP, &value));
    assert_int_equal(value, 12345678);
    assert_int_equal(call(&s, TIMER, 0, 0, 0, 0).error, 0);
    (void)machine_run(s.b.m, machine_insns(s.b.m) + 4, UINT64_MAX);
    assert_true(pending(&s, 0, STIP));
    assert_true(hart_set_csr(board_hart(&s.b, 0), STIMECMP, UINT64_MAX));
    assert_false(pending(&s, 0, STIP));
    wreck(&s);
}

/* ---- console ---- */

static void the_console_writes_what_lies_in_memory(void **state)
{
    const char text[] = "written by the kernel";
    const struct writer loader = {.kind = WRITER_LOADER};
    struct scene s;

    (void)state;
    build(&s);
    assert_true(bus_write(board_bus(&s.b), DATA, text, sizeof text, &loader));
    assert_int_equal(call(&s, DBCN, 0, sizeof text - 1, DATA, 0).error, 0);
    assert_string_equal(s.b.put, text);
    assert_int_equal(call(&s, DBCN, 0, 7, DATA, 0).value, 7);
    assert_int_equal(call(&s, DBCN, 2, '!', 0, 0).error, 0);
    assert_int_equal(call(&s, 1, 99, '?', 0x77, 0).error, 0); /* legacy; a6 is ignored */
    assert_string_equal(s.b.put, "written by the kernelwritten!?");
    assert_int_equal(hart_reg(board_hart(&s.b, 0), A1), 0x77); /* legacy: a0 only */
    wreck(&s);
}

/* Otherwise one call of a hostile kernel could write all of memory. */
static void the_console_writes_a_page_at_most_in_one_call(void **state)
{
    struct scene s;
    struct answer a;

    (void)state;
    build(&s);
    a = call(&s, DBCN, 0, 1 << 20, DATA, 0);
    assert_int_equal(a.error, 0);
    assert_int_equal(a.value, 4096);
    assert_int_equal(s.b.put_len, 4096);
    wreck(&s);
}

static void the_console_refuses_what_is_not_memory(void **state)
{
    static const struct {
        uint64_t length, low, high;
    } wrong[] = {{1, 0x1000, 0},
                 {1, DATA, 1},
                 {UINT64_MAX, DATA, 0},
                 {2, BOARD_RAM + (16 << 20) - 1, 0},
                 {1, BOARD_RAM + (16 << 20), 0},
                 {8, UINT64_MAX - 3, 0}};
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        for (unsigned function = 0; function < 2; function++) {
            struct answer a =
                call(&s, DBCN, function, wrong[i].length, wrong[i].low, wrong[i].high);

            assert_int_equal(a.error, INVALID_PARAM);
        }
    assert_int_equal(s.b.put_len, 0);
    assert_int_equal(call(&s, DBCN, 0, 0, DATA, 0).error, 0);
    wreck(&s);
}

static void the_console_reads_what_there_is(void **state)
{
    struct scene s;
    char got[8] = "";

    (void)state;
    build(&s);
    assert_int_equal(call(&s, DBCN, 1, 8, DATA, 0).value, 0);
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, -1); /* legacy getchar */
    s.b.input = "abcdef";
    assert_int_equal(call(&s, DBCN, 1, 4, DATA, 0).value, 4);
    assert_true(bus_read(board_bus(&s.b), DATA, got, 4));
    assert_string_equal(got, "abcd");
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'e');
    assert_int_equal(call(&s, DBCN, 1, 4, DATA, 0).value, 1);
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, -1);
    wreck(&s);
}

/* Bytes that the UART has received are also returned to a kernel that asks the firmware. */
static void what_the_receiver_took_in_is_read_first(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    s.b.input = "xyz";
    (void)machine_run(s.b.m, 3000000, UINT64_MAX);
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'x');
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'y');
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'z');
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, -1);
    wreck(&s);
}

/* ---- legacy masks ---- */

static void legacy_masks_are_read_from_memory(void **state)
{
    const uint64_t mask = 4;
    const struct writer loader = {.kind = WRITER_LOADER};
    struct scene s;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    assert_true(bus_write(board_bus(&s.b), DATA, &mask, sizeof mask, &loader));
    assert_int_equal(call(&s, 4, 0, DATA, 0, 0).error, 0);
    assert_true(pending(&s, 2, SSIP));
    assert_false(pending(&s, 1, SSIP));
    before = s.fence_count;
    assert_int_equal(call(&s, 5, 0, DATA, 0, 0).error, 0);
    assert_int_equal(s.fence_count, before + 1);
    assert_ptr_equal(s.fence[before].hart, board_hart(&s.b, 2));
    assert_int_equal(call(&s, 4, 0, 0, 0, 0).error, 0); /* no mask: all */
    assert_true(pending(&s, 1, SSIP));
    assert_int_equal(call_on(&s, 1, 3, 0, 0, 0, 0).error, 0); /* clear */
    assert_false(pending(&s, 1, SSIP));
    assert_true(call(&s, 4, 0, 0x10, 0, 0).error < 0);
    wreck(&s);
}

/* Linux without its PMU driver does not set scounteren, but its vDSO reads the time. */
static void user_programs_may_read_cycle_time_and_instret(void **state)
{
    struct scene s;
    uint64_t enabled = 0;

    (void)state;
    build(&s);
    assert_true(hart_csr(board_hart(&s.b, 0), SCOUNTEREN, &enabled));
    assert_int_equal(enabled, 7);
    start(&s, 1);
    assert_true(hart_csr(board_hart(&s.b, 1), SCOUNTEREN, &enabled));
    assert_int_equal(enabled, 7);
    wreck(&s);
}

/* ---- the end ---- */

static void the_end_has_the_status_that_was_asked_for(void **state)
{
    static const struct {
        uint64_t extension, type, reason;
        enum stop_reason stop;
        unsigned code;
    } ends[] = {{SRST, 0, 0, STOP_EXIT, 0},           {SRST, 0, 1, STOP_EXIT, 1},
                {SRST, 0, 42, STOP_EXIT, 42},         {SRST, 0, 1 << 20, STOP_EXIT, 255},
                {SRST, 1, 0, STOP_RESET, 0},          {SRST, 2, 0, STOP_RESET, 0},
                {LEGACY_SHUTDOWN, 0, 0, STOP_EXIT, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct scene s;
        struct stop stop;

        build(&s);
        (void)call(&s, ends[i].extension, 0, ends[i].type, ends[i].reason, 0);
        stop = machine_run(s.b.m, UINT64_MAX, UINT64_MAX);
        assert_int_equal(stop.reason, ends[i].stop);
        assert_int_equal(stop.origin, ends[i].extension == LEGACY_SHUTDOWN ? ORIGIN_SBI_LEGACY
                                                                           : ORIGIN_SBI_RESET);
        if (stop.reason == STOP_EXIT)
            assert_int_equal(stop.code, ends[i].code);
        wreck(&s);
    }
}

static void an_unknown_kind_of_reset_is_refused(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, SRST, 0, 3, 0, 0).error, INVALID_PARAM);
    assert_int_equal(machine_run(s.b.m, 100, UINT64_MAX).reason, STOP_INSNS);
    wreck(&s);
}

/* ---- who may call ---- */

static void a_user_programs_ecall_is_the_kernels(void **state)
{
    struct scene s;
    struct hart *h;
    uint64_t cause;

    (void)state;
    build(&s);
    h = board_hart(&s.b, 0);
    assert_true(hart_set_csr(h, STVEC, BOARD_KERNEL + 4));
    assert_true(hart_set_csr(h, 0x141, BOARD_KERNEL)); /* sepc */
    assert_true(hart_set_csr(h, 0x100, 0));            /* spp: user */
    assert_true(bus_write(board_bus(&s.b), DATA, &(uint32_t){SRET}, 4,
                          &(struct writer){.kind = WRITER_LOADER}));
    hart_set_pc(h, DATA);
    (void)!hart_run(h, 1, UINT64_MAX);
    assert_int_equal(hart_mode(h), PRIV_U);
    (void)call(&s, BASE, 0, 1, 2, 3);
    assert_int_equal(hart_mode(h), PRIV_S);
    assert_true(hart_csr(h, SCAUSE, &cause));
    assert_int_equal(cause, EXC_ECALL_U);
    assert_int_equal(hart_reg(h, A0), 1);
    wreck(&s);
}

/* A write of the firmware for one hart is a store to the others. */
static void console_input_breaks_the_reservations_of_others(void **state)
{
    static const uint32_t code[] = {LR_D(0, A2, A0), SC_D(0, A3, A2, A0)};
    const struct writer loader = {.kind = WRITER_LOADER};
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(bus_write(board_bus(&s.b), DATA + 0x100, code, sizeof code, &loader));
    for (unsigned typed = 0; typed < 2; typed++) {
        s.b.input = typed ? "x" : "";
        hart_set_reg(h, A0, DATA);
        hart_set_pc(h, DATA + 0x100);
        assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
        assert_int_equal(call(&s, DBCN, 1, 1, DATA, 0).value, typed);
        assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_reg(h, A3), typed);
    }
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_2_0),
        cmocka_unit_test(probing_tells_what_there_is),
        cmocka_unit_test(what_is_not_there_is_not_supported),
        cmocka_unit_test(a_call_changes_a0_and_a1_only_and_goes_on_behind),
        cmocka_unit_test(harts_start_and_stop),
        cmocka_unit_test(a_started_hart_begins_without_translation_or_interrupts),
        cmocka_unit_test(a_hart_runs_once_it_is_started_and_not_before),
        cmocka_unit_test(a_start_address_loses_its_lowest_bit),
        cmocka_unit_test(a_suspended_hart_waits_for_an_interrupt_and_returns),
        cmocka_unit_test(without_retention_it_goes_on_elsewhere_with_translation_off),
        cmocka_unit_test(a_hart_that_waits_after_its_suspension_is_started),
        cmocka_unit_test(a_suspension_of_another_kind_is_refused),
        cmocka_unit_test(counters_say_what_they_are),
        cmocka_unit_test(a_firmware_counter_counts_its_event_while_it_runs),
        cmocka_unit_test(cycle_and_instret_match_their_events_only),
        cmocka_unit_test(programmable_counters_take_the_events_that_there_are),
        cmocka_unit_test(a_programmable_counter_stands_still_until_it_is_started),
        cmocka_unit_test(instret_begins_where_it_is_told_to),
        cmocka_unit_test(counters_of_a_hart_that_starts_run),
        cmocka_unit_test(masks_beyond_the_counters_are_refused),
        cmocka_unit_test(starting_refuses_what_it_cannot_do),
        cmocka_unit_test(an_ipi_goes_to_the_harts_of_the_mask),
        cmocka_unit_test(an_ipi_to_all_goes_to_all_that_are_started),
        cmocka_unit_test(a_mask_with_harts_that_are_not_there_reaches_nobody),
        cmocka_unit_test(a_remote_fence_is_told_for_each_hart_of_the_mask),
        cmocka_unit_test(a_remote_fence_to_all_includes_oneself),
        cmocka_unit_test(a_remote_sfence_is_no_fence_i),
        cmocka_unit_test(a_remote_sfence_is_an_event_like_a_local_one),
        cmocka_unit_test(what_firmware_does_is_in_the_stream_of_events),
        cmocka_unit_test(the_timer_rises_when_its_time_comes_and_falls_when_set),
        cmocka_unit_test(a_timer_in_the_past_rises_at_once),
        cmocka_unit_test(firmwares_timer_is_stimecmp),
        cmocka_unit_test(the_console_writes_what_lies_in_memory),
        cmocka_unit_test(the_console_writes_a_page_at_most_in_one_call),
        cmocka_unit_test(the_console_refuses_what_is_not_memory),
        cmocka_unit_test(the_console_reads_what_there_is),
        cmocka_unit_test(console_input_breaks_the_reservations_of_others),
        cmocka_unit_test(what_the_receiver_took_in_is_read_first),
        cmocka_unit_test(legacy_masks_are_read_from_memory),
        cmocka_unit_test(user_programs_may_read_cycle_time_and_instret),
        cmocka_unit_test(the_end_has_the_status_that_was_asked_for),
        cmocka_unit_test(an_unknown_kind_of_reset_is_refused),
        cmocka_unit_test(a_user_programs_ecall_is_the_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
