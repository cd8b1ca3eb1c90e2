/*
 * test_sleepers.c - which tasks sleep for too long, by the kernel's list of tasks.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/guest/sleepers.h"
#include "ftrace/kernel/tasks.h"
#include "load/lines.h"

/* Where things are in the image, and in a task_struct. */
enum { BTF_AT = 0x800, FIRST_TASK = 0x400, TASK_STEP = 0x80, TASKS = 4 };
enum { STATE = 0, PID = 4, MM = 8, LIST = 0x10, NAME = 0x20, THREAD = 0x30 };
enum { RUNNING = 0, INTERRUPTIBLE = 1, ASLEEP = 2, KILLABLE = 0x102, IDLE = 0x402 };

#define SECOND UINT64_C(1000000000)

static const char names[] =
    "\0task_struct\0__state\0pid\0mm\0tasks\0comm\0thread\0thread_struct\0ra\0sp\0s";

enum {
    NAME_TASK = 1,
    NAME_STATE = 13,
    NAME_PID = 21,
    NAME_MM = 25,
    NAME_TASKS = 28,
    NAME_COMM = 34,
    NAME_THREAD = 39,
    NAME_THREAD_STRUCT = 46,
    NAME_RA = 60,
    NAME_SP = 63,
    NAME_S = 66,
};

#define INFO(kind, parts) ((uint32_t)(kind) << 24 | (parts))

static const uint32_t types[] = {
    NAME_TASK,   INFO(4, 6),
    0x80,        NAME_STATE,
    2,           STATE * 8,
    NAME_PID,    2,
    PID * 8,     NAME_MM,
    2,           MM * 8,
    NAME_TASKS,  2,
    LIST * 8,    NAME_COMM,
    2,           NAME * 8,
    NAME_THREAD, 2,
    THREAD * 8,  NAME_THREAD_STRUCT,
    INFO(4, 3),  0x70,
    NAME_RA,     2,
    0,           NAME_SP,
    2,           8 * 8,
    NAME_S,      2,
    16 * 8,
};

struct world_of_tasks {
    struct scene s;
    struct lines *lines;
    struct tasks *tasks;
    struct sleepers *sleepers;
};

static uint64_t task_at(unsigned i)
{
    return SITE_VA + FIRST_TASK + i * TASK_STEP;
}

static void set_state(struct world_of_tasks *w, unsigned i, uint32_t state)
{
    poke(&w->s.w, task_at(i) + STATE, state, 4);
}

static void put_btf(uint8_t *at)
{
    const uint32_t header[] = {0x0001eb9f, 24, 0, sizeof types, sizeof types, sizeof names};

    memcpy(at, header, sizeof header);
    memcpy(at + sizeof header, types, sizeof types);
    memcpy(at + sizeof header + sizeof types, names, sizeof names);
}

/* Tasks 1 to 3 are programs that run. */
static void build(struct world_of_tasks *w)
{
    const struct writer loader = {.kind = WRITER_LOADER};
    struct audit_config audit = {.findings_max = 1};
    struct scene *s = &w->s;

    scene_begin(s, 1, FETCH_COHERENT);
    image_name(s->im, "init_task", FIRST_TASK);
    put_btf(s->im->bytes + BTF_AT);
    w->lines = lines_new("/no/such/file");
    scene_complete(s, 100, NULL);
    w->tasks = tasks_new(&s->im->image, s->symbols, w->lines);
    audit.tasks = w->tasks;
    audit.sites = s->t;
    audit.log = s->log;
    audit.updates = s->updates;
    audit.cluster = s->w.cluster;
    audit.stream = &s->stream;
    s->audit = audit_new(&audit);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, IMAGE_BYTES, &loader));
    for (unsigned i = 0; i < TASKS; i++) {
        poke(&s->w, task_at(i) + PID, i + 1, 4);
        poke(&s->w, task_at(i) + MM, i ? 0x1234 : 0, 8);
        poke(&s->w, task_at(i) + LIST, task_at((i + 1) % TASKS) + LIST, 8);
        poke(&s->w, task_at(i) + NAME, 'a' + i, 8);
    }
    set_mode(s, 0, PRIV_S, true);
    w->sleepers = sleepers_new(s->audit);
}

static void wreck_all(struct world_of_tasks *w)
{
    sleepers_free(w->sleepers);
    audit_free(w->s.audit);
    w->s.audit = NULL;
    tasks_free(w->tasks);
    lines_free(w->lines);
    wreck(&w->s);
}

/* The timer interrupts the hart once a second. */
static void pass(struct world_of_tasks *w, unsigned seconds)
{
    struct hart *h = hart_of(&w->s, 0);
    const struct trap_event t = {.hart = h, .interrupt = true, .from = PRIV_S, .to = PRIV_S};

    for (unsigned i = 0; i < seconds; i++) {
        hart_advance(h, hart_cycles(h) + SECOND);
        sleepers_trap(w->sleepers, &t);
    }
}

/* The number of the task that has slept longest; 0: none. */
static unsigned longest(struct world_of_tasks *w, bool at_all)
{
    struct sleeping found;

    if (!sleepers_longest(w->sleepers, hart_of(&w->s, 0), at_all, &found))
        return 0;
    assert_true(found.runnable == !peek(&w->s.w, found.tp + STATE, 4));
    return (unsigned)((found.tp - task_at(0)) / TASK_STEP);
}

static void a_task_that_sleeps_for_twenty_seconds_is_found(void **state)
{
    struct world_of_tasks w;

    (void)state;
    build(&w);
    pass(&w, 30);
    assert_int_equal(longest(&w, false), 0);
    set_state(&w, 2, ASLEEP);
    pass(&w, 19);
    assert_int_equal(longest(&w, false), 0);
    assert_int_equal(longest(&w, true), 2);
    pass(&w, 2);
    assert_int_equal(longest(&w, false), 2);
    wreck_all(&w);
}

static void a_task_that_wakes_up_or_waits_for_signals_is_not(void **state)
{
    static const uint32_t states[] = {RUNNING, INTERRUPTIBLE, KILLABLE, IDLE};
    struct world_of_tasks w;

    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        build(&w);
        set_state(&w, 2, ASLEEP);
        pass(&w, 15);
        set_state(&w, 2, states[i]);
        pass(&w, 1);
        set_state(&w, 2, ASLEEP);
        pass(&w, 15);
        assert_int_equal(longest(&w, false), 0);
        wreck_all(&w);
    }
}

/* A long system call that sleeps often is asleep whenever the list is read. */
static void a_task_that_runs_between_two_sleeps_is_not(void **state)
{
    struct world_of_tasks w;

    (void)state;
    build(&w);
    set_state(&w, 2, ASLEEP);
    set_state(&w, 3, ASLEEP);
    for (unsigned i = 0; i < 30; i++) {
        pass(&w, 1);
        sleepers_runs(w.sleepers, task_at(2));
    }
    assert_int_equal(longest(&w, false), 3);
    sleepers_runs(w.sleepers, task_at(3));
    assert_int_equal(longest(&w, false), 0);
    wreck_all(&w);
}

static void a_kernel_thread_may_sleep_for_good(void **state)
{
    struct world_of_tasks w;

    (void)state;
    build(&w);
    poke(&w.s.w, task_at(2) + MM, 0, 8);
    set_state(&w, 2, ASLEEP);
    pass(&w, 30);
    assert_int_equal(longest(&w, true), 0);
    poke(&w.s.w, task_at(2) + PID, 1, 4); /* but not init, which is about to be a program */
    pass(&w, 30);
    assert_int_equal(longest(&w, false), 2);
    wreck_all(&w);
}

static void a_task_that_was_in_its_program_meanwhile_gets_on(void **state)
{
    struct world_of_tasks w;
    struct trap_event t = {.from = PRIV_U, .to = PRIV_S, .cause = EXC_ECALL_U};

    (void)state;
    build(&w);
    set_state(&w, 2, ASLEEP);
    pass(&w, 15);
    t.hart = hart_of(&w.s, 0);
    hart_set_reg(t.hart, 4, task_at(2)); /* the hart is in S-mode here, so tp is the task's */
    sleepers_trap(w.sleepers, &t);
    pass(&w, 15);
    assert_int_equal(longest(&w, false), 0);
    pass(&w, 10);
    assert_int_equal(longest(&w, false), 2);
    wreck_all(&w);
}

/* A kernel thread, too, unless a hart runs it; where switches are not seen that is not known. */
static void a_task_that_could_run_and_does_not_is_found(void **state)
{
    struct world_of_tasks w;

    (void)state;
    build(&w);
    pass(&w, 30);
    assert_int_equal(longest(&w, true), 0);
    wreck_all(&w);
    build(&w);
    w.s.audit->sees_switches = true;
    for (unsigned i = 1; i < TASKS; i++)
        set_state(&w, i, INTERRUPTIBLE);
    poke(&w.s.w, task_at(2) + MM, 0, 8);
    set_state(&w, 2, RUNNING);
    pass(&w, 19);
    assert_int_equal(longest(&w, false), 0);
    pass(&w, 2);
    assert_int_equal(longest(&w, false), 2);
    sleepers_runs(w.sleepers, task_at(2));
    assert_int_equal(longest(&w, false), 0);
    hart_set_reg(hart_of(&w.s, 0), 4, task_at(2)); /* tp */
    pass(&w, 30);
    assert_int_equal(longest(&w, true), 0);
    wreck_all(&w);
}

static void sleepers_are_state(void **state)
{
    struct world_of_tasks w;
    struct state_io saved, loaded;

    (void)state;
    build(&w);
    set_state(&w, 3, ASLEEP);
    pass(&w, 15);
    state_io_save(&saved, 0);
    sleepers_state_io(&saved, w.sleepers);
    sleepers_free(w.sleepers);
    w.sleepers = sleepers_new(w.s.audit);
    state_io_load(&loaded, saved.saved.at, saved.saved.len);
    sleepers_state_io(&loaded, w.sleepers);
    assert_int_equal(state_io_end(&loaded), STATE_OK);
    pass(&w, 10);
    assert_int_equal(longest(&w, false), 3);
    state_io_free(&saved);
    wreck_all(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_that_sleeps_for_twenty_seconds_is_found),
        cmocka_unit_test(a_task_that_wakes_up_or_waits_for_signals_is_not),
        cmocka_unit_test(a_task_that_runs_between_two_sleeps_is_not),
        cmocka_unit_test(a_kernel_thread_may_sleep_for_good),
        cmocka_unit_test(a_task_that_was_in_its_program_meanwhile_gets_on),
        cmocka_unit_test(a_task_that_could_run_and_does_not_is_found),
        cmocka_unit_test(sleepers_are_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
