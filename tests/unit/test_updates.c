/*
 * test_updates.c - where an update of code begins and ends, and what the harts do in it.
 */
#include "unit/ftrace_world.h"

enum { HARTS = 3, MAX = 4, FUNCTION = 0x100, LOOP = 0x2000 };

/* Harts in a loop of their own, of two instructions. */
static void build(struct scene *s)
{
    scene_begin(s, HARTS, FETCH_COHERENT);
    scene_complete(s, MAX, NULL);
    poke(&s->w, CODE + LOOP, NOP, 4);
    poke(&s->w, CODE + LOOP + 4, JAL(ZERO, -4), 4);
    s->stamp = 1;
}

static void run_hart(struct scene *s, unsigned hart, uint64_t insns)
{
    struct hart *h = hart_of(s, hart);

    if (!hart_insns(h))
        hart_set_pc(h, CODE + LOOP);
    assert_int_equal(hart_run(h, insns, UINT64_MAX), HART_BUDGET);
}

static void run_all(struct scene *s)
{
    for (unsigned hart = 0; hart < HARTS; hart++)
        run_hart(s, hart, 1);
}

static void store_at(struct scene *s, unsigned hart, uint64_t cycle)
{
    const struct code_write w = {.stamp = ++s->stamp,
                                 .who = {.kind = WRITER_HART, .hart = hart, .cycle = cycle},
                                 .pa = CODE + FUNCTION,
                                 .size = 4};

    pass_store(s, w, 0, NOP);
}

static void store(struct scene *s, unsigned hart)
{
    store_at(s, hart, 10);
}

static void fence(struct scene *s, unsigned hart)
{
    pass_fence(s, hart, hart, s->stamp, 77);
}

static void an_update_ends_when_all_harts_have_fenced_after_its_last_store(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    store(&s, 0);
    fence(&s, 0);
    fence(&s, 1);
    store(&s, 0);
    fence(&s, 2);
    fence(&s, 1);
    assert_int_equal(s.ends, 0);
    assert_false(updates_ended(s.updates, 0, s.stamp));
    fence(&s, 0);
    assert_int_equal(s.ends, 1);
    assert_true(updates_ended(s.updates, 0, s.stamp));
    assert_false(updates_ended(s.updates, 0, s.stamp + 1));
    assert_int_equal(updates_count(s.updates), 1);
    assert_int_equal(updates_get(s.updates, 0)->stores, 2);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_FENCED);
    for (unsigned hart = 0; hart < HARTS; hart++)
        assert_int_equal(updates_hart(s.updates, 0, hart)->fence_cycle, 77);
    wreck(&s);
}

/* An instruction of a hart's loop takes at least a cycle, and its clock is its own. */
static void it_is_known_for_how_long_each_hart_was_stale(void **state)
{
    struct scene s;
    uint64_t cycle[HARTS], length;

    (void)state;
    build(&s);
    run_all(&s);
    updates_set_stopped(s.updates, 2, true);
    for (unsigned hart = 0; hart < HARTS; hart++)
        cycle[hart] = hart_cycles(hart_of(&s, hart));
    store_at(&s, 0, cycle[0]);
    run_hart(&s, 0, 5);
    fence(&s, 0);
    store_at(&s, 0, hart_cycles(hart_of(&s, 0))); /* stale again, at once */
    fence(&s, 0);
    run_hart(&s, 1, 50);
    updates_ipi(s.updates, hart_of(&s, 0), hart_of(&s, (0 + 1) % HARTS));
    updates_ipi(s.updates, hart_of(&s, 1), hart_of(&s, (1 + 1) % HARTS)); /* has no update */
    fence(&s, 1);
    assert_int_equal(s.ends, 1);
    length = hart_cycles(hart_of(&s, 1)) - cycle[1];
    assert_true(length >= 50);
    assert_int_equal(updates_hart(s.updates, 0, 1)->stale_cycles, length);
    length = hart_cycles(hart_of(&s, 0)) - cycle[0];
    assert_int_equal(updates_hart(s.updates, 0, 0)->stale_cycles, length);
    assert_int_equal(updates_get(s.updates, 0)->end_cycle - updates_get(s.updates, 0)->writer.cycle,
                     length);
    assert_int_equal(updates_hart(s.updates, 0, 2)->stale_cycles, 0); /* it was stopped */
    assert_int_equal(updates_hart(s.updates, 0, 0)->fences, 2);
    assert_int_equal(updates_hart(s.updates, 0, 1)->fences, 1);
    assert_int_equal(updates_get(s.updates, 0)->ipis, 1);
    wreck(&s);
}

static void harts_that_never_ran_or_are_stopped_need_not_fence(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    run_hart(&s, 1, 1);
    updates_set_stopped(s.updates, 1, true);
    store(&s, 0);
    fence(&s, 0);
    assert_int_equal(s.ends, 1);
    updates_set_stopped(s.updates, 1, false);
    store(&s, 0);
    fence(&s, 0);
    assert_int_equal(s.ends, 1);
    wreck(&s);
}

static void an_announced_update_ends_when_the_kernel_says_so(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    store(&s, 0);
    fence(&s, 0);
    updates_pass_time(s.updates, UINT64_C(10) * QUIET_CYCLES);
    assert_int_equal(s.ends, 0);
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(s.ends, 1);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_ANNOUNCED);
    wreck(&s);
}

static void an_announced_update_whose_end_never_comes_is_over_after_a_second(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    run_hart(&s, 1, 1);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    store(&s, 0);
    updates_pass_time(s.updates, UINT64_C(2) * ABANDONED_CYCLES);
    assert_int_equal(s.ends, 1);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_QUIET);
    store(&s, 0);
    fence(&s, 0);
    fence(&s, 1);
    assert_int_equal(s.ends, 2); /* it is in no announced change */
    wreck(&s);
}

static void run_task(struct scene *s, unsigned hart, uint64_t task)
{
    hart_set_reg(hart_of(s, hart), TP, task);
}

/* Each on a hart of its own; the third hart stores for a task that waits, as in stop_machine. */
static void tasks_announce_changes_of_their_own(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    for (unsigned hart = 0; hart < HARTS; hart++)
        run_task(&s, hart, 0x1000 + hart);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_LABELS);
    assert_true(updates_is_announced(s.updates, hart_of(&s, 0)));
    assert_false(updates_is_announced(s.updates, hart_of(&s, 1)));
    updates_announce_begin(s.updates, hart_of(&s, 1), ANNOUNCED_SITES);
    store(&s, 0);
    store(&s, 1);
    store(&s, 2);
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(s.ends, 1);
    assert_int_equal(s.ended.writer, 0);
    assert_int_equal(s.ended.stores, 1);
    assert_int_equal(s.ended.announced, ANNOUNCED_LABELS);
    assert_false(s.ended.sites);
    assert_ptr_equal(s.ended.hart, hart_of(&s, 0));
    run_task(&s, 0, 0x1001); /* the task was moved there */
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(s.ends, 3);
    assert_false(updates_is_open(s.updates, 1));
    assert_false(updates_is_open(s.updates, 2));
    wreck(&s);
}

static void a_program_has_no_part_in_what_the_kernel_announces(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    run_hart(&s, 1, 1);
    run_task(&s, 0, 0x1000);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    set_mode(&s, 1, PRIV_U, true);
    store(&s, 1);
    fence(&s, 0);
    fence(&s, 1);
    assert_int_equal(s.ends, 1);
    assert_int_equal(s.ended.end, UPDATE_FENCED);
    wreck(&s);
}

static void the_end_of_an_update_says_whether_sites_were_in_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    pass_store(
        &s,
        (struct code_write){.stamp = 5, .who = {.kind = WRITER_HART}, .pa = SITE_PA + F, .size = 4},
        0, NOP);
    store(&s, 0);
    s.stamp = 6;
    fence(&s, 0);
    assert_int_equal(s.ends, 1);
    assert_true(s.ended.sites);
    assert_int_equal(s.ended.first_stamp, 5);
    assert_int_equal(s.ended.stores, 2);
    wreck(&s);
}

/* The kernel believes that it has changed something. */
static void an_announced_change_without_a_store_has_an_end_too(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_LABELS);
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(s.ends, 1);
    assert_int_equal(s.ended.announced, ANNOUNCED_LABELS);
    assert_int_equal(s.ended.stores, 0);
    assert_int_equal(s.ended.stamp, 0);
    assert_int_equal(updates_count(s.updates), 0);
    wreck(&s);
}

/* A kernel may fence after it has released the lock: there is time for it. */
static void an_update_ends_some_time_after_its_lock_was_released(void **state)
{
    enum { OWNER = 0x3000, FLAGS = 1 };
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    updates_know_text(s.updates, NULL, DATA);
    poke(&s.w, DATA, OWNER | FLAGS, 8);
    store(&s, 0);
    assert_true(updates_is_guarded(s.updates, 0));
    updates_pass_time(s.updates, 11 + RELEASED_CYCLES);
    assert_int_equal(s.ends, 0);
    poke(&s.w, DATA, 0, 8);
    updates_pass_time(s.updates, 10 + RELEASED_CYCLES);
    assert_int_equal(s.ends, 0);
    updates_pass_time(s.updates, 11 + RELEASED_CYCLES);
    assert_int_equal(s.ends, 1);
    assert_int_equal(s.ended.end, UPDATE_RELEASED);
    assert_string_equal(update_end_name(s.ended.end), "released");
    poke(&s.w, DATA, OWNER, 8);
    store(&s, 0);
    hart_advance(hart_of(&s, 1), 11 + SAME_CYCLES);
    updates_settle(s.updates);
    assert_int_equal(s.ends, 1);
    poke(&s.w, DATA, 0, 8);
    updates_settle(s.updates); /* the run is over */
    assert_int_equal(s.ends, 2);
    wreck(&s);
}

static void more_changes_than_tasks_can_make_are_followed_no_further(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    run_task(&s, 0, 1);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    store(&s, 0);
    for (uint64_t task = 2; task < 100; task++) {
        poke(&s.w, DATA, task, 8); /* the clock goes on */
        run_task(&s, 0, task);
        updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_LABELS);
    }
    assert_false(updates_is_open(s.updates, 0));
    wreck(&s);
}

static void an_update_without_fences_ends_when_it_has_been_quiet(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    store(&s, 0);
    updates_pass_time(s.updates, 10 + QUIET_CYCLES);
    assert_int_equal(s.ends, 0);
    updates_pass_time(s.updates, 11 + QUIET_CYCLES);
    assert_int_equal(s.ends, 1);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_QUIET);
    assert_false(updates_hart(s.updates, 0, 1)->fenced);
    wreck(&s);
}

static void harts_have_updates_of_their_own(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    store(&s, 0);
    fence(&s, 0);
    fence(&s, 2);
    store(&s, 1);
    fence(&s, 1);
    assert_int_equal(s.ends, 1); /* of hart 0 */
    assert_true(updates_ended(s.updates, 0, 2));
    assert_false(updates_ended(s.updates, 1, 3));
    wreck(&s);
}

static void patches_that_are_fenced_one_by_one_are_one_update(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    for (unsigned n = 0; n < 100; n++) {
        store_at(&s, 0, 1000 * n);
        fence(&s, 0);
    }
    assert_int_equal(s.ends, 100);
    assert_int_equal(updates_count(s.updates), 1);
    assert_int_equal(updates_get(s.updates, 0)->stores, 100);
    assert_int_equal(updates_get(s.updates, 0)->rounds, 100);
    store_at(&s, 0, 2 * SAME_CYCLES + 100000);
    fence(&s, 0);
    assert_int_equal(updates_count(s.updates), 2);
    wreck(&s);
}

static void updates_without_end_are_counted(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_hart(&s, 0, 1);
    for (uint64_t n = 0; n < 10; n++) {
        store_at(&s, 0, (n + 1) * 10 * SAME_CYCLES);
        fence(&s, 0);
    }
    assert_int_equal(s.ends, 10);
    assert_int_equal(updates_count(s.updates), MAX);
    assert_int_equal(updates_left_out(s.updates), 10 - MAX);
    wreck(&s);
}

static void what_is_open_at_the_end_is_kept_as_open(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    store(&s, 0);
    updates_finish(s.updates);
    assert_int_equal(s.ends, 0);
    assert_int_equal(updates_count(s.updates), 1);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_OPEN);
    wreck(&s);
}

/* One hart waits, one spins, and one runs whose pc is inside of the changed code. */
static void it_is_seen_what_the_others_do(void **state)
{
    const struct update_hart *row;
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    hart_set_pc(hart_of(&s, 2), CODE + FUNCTION + 2);
    store(&s, 0);
    for (unsigned n = 0; n < 5; n++) {
        run_hart(&s, 1, 3);
        store(&s, 0);
    }
    hart_set_pc(hart_of(&s, 2), CODE + LOOP);
    updates_finish(s.updates);
    row = updates_hart(s.updates, 0, 0);
    assert_int_equal(row[0].role, ROLE_WROTE);
    assert_int_equal(row[1].role, ROLE_LOOPED);
    assert_int_equal(row[2].role, ROLE_STOOD);
    assert_false(row[1].inside);
    assert_true(row[2].inside);
    assert_string_equal(update_role_name(row[1].role), "looped");
    wreck(&s);
}

static void a_hart_that_goes_elsewhere_runs_on(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    for (unsigned n = 0; n < 8; n++) {
        hart_set_pc(hart_of(&s, 1), CODE + LOOP + 0x100 * n);
        poke(&s.w, CODE + LOOP + 0x100 * n, NOP, 4);
        run_hart(&s, 1, 1);
        store(&s, 0);
    }
    updates_finish(s.updates);
    assert_int_equal(updates_hart(s.updates, 0, 1)->role, ROLE_RAN);
    wreck(&s);
}

static void stores_by_no_hart_are_no_update(void **state)
{
    const struct code_write w = {.stamp = 9, .who = {.kind = WRITER_DMA}, .pa = CODE, .size = 4};
    struct scene s;

    (void)state;
    build(&s);
    updates_write(s.updates, &w, NO_SITE, false);
    updates_finish(s.updates);
    assert_int_equal(updates_count(s.updates), 0);
    wreck(&s);
}

/* ---- timelines ---- */

static struct writer writer_now(const struct scene *s, unsigned hart)
{
    struct hart *h = cluster_hart(s->w.cluster, hart);

    return (struct writer){.kind = WRITER_HART,
                           .hart = hart,
                           .pc = hart_pc(h),
                           .cycle = hart_cycles(h),
                           .step = cluster_steps(s->w.cluster)};
}

static void store_now(struct scene *s, unsigned hart)
{
    const struct code_write w = {
        .stamp = ++s->stamp, .who = writer_now(s, hart), .pa = CODE + FUNCTION, .size = 4};

    pass_store(s, w, 0, NOP);
}

static void fence_now(struct scene *s, unsigned hart, unsigned requester)
{
    const struct writer by = writer_now(s, requester);
    const struct fence_event f = {.origin = hart == requester ? FENCE_LOCAL : FENCE_REMOTE,
                                  .hart = hart_of(s, hart),
                                  .requester = requester,
                                  .cycle = by.cycle,
                                  .step = by.step,
                                  .stamp = s->stamp};

    patch_log_fence(s->log, hart, &f);
    updates_fence(s->updates, &f);
}

static void fetch_old(struct scene *s, unsigned hart, unsigned writer)
{
    const struct stale_fetch f = {.hart = hart_of(s, hart),
                                  .pc = CODE + FUNCTION,
                                  .who = {.kind = WRITER_HART, .hart = writer},
                                  .agent_known = true,
                                  .stamp = s->stamp};

    updates_stale(s->updates, &f);
}

struct expected {
    enum update_moment_kind kind;
    uint32_t hart, other, count;
};

static void assert_moments(const struct update_moment *moments, unsigned count,
                           const struct expected *expected, unsigned expected_count)
{
    assert_int_equal(count, expected_count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(moments[i].kind, expected[i].kind);
        assert_int_equal(moments[i].hart, expected[i].hart);
        assert_int_equal(moments[i].other, expected[i].other);
        assert_int_equal(moments[i].count, expected[i].count);
        assert_true(!i || moments[i].step >= moments[i - 1].step);
        assert_true(moments[i].last_step >= moments[i].step);
    }
}

static void steps_are_the_instructions_of_all_harts(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    assert_int_equal(cluster_steps(s.w.cluster), HARTS);
    run_hart(&s, 1, 5);
    run_hart(&s, 0, 2);
    assert_int_equal(cluster_steps(s.w.cluster), HARTS + 7);
    assert_int_equal(writer_now(&s, 2).step, HARTS + 7);
    wreck(&s);
}

static void a_timeline_has_the_moments_of_all_harts_in_one_order(void **state)
{
    static const struct expected expected[] = {
        {MOMENT_STORE, 0, 0, 3},     {MOMENT_IPI_SENT, 0, 1, 1}, {MOMENT_STALE, 1, 1, 2},
        {MOMENT_IPI_TAKEN, 1, 1, 1}, {MOMENT_FENCE, 1, 1, 1},    {MOMENT_FENCE, 2, 0, 1},
        {MOMENT_FENCE, 0, 0, 1},     {MOMENT_END, 0, 0, 1},
    };
    struct update_moment moments[UPDATE_MOMENTS_MAX];
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    for (unsigned i = 0; i < 3; i++) {
        run_hart(&s, 0, 1);
        if (i)
            fence_now(&s, 0, 0); /* between stores: a part of them */
        store_now(&s, 0);
    }
    updates_ipi(s.updates, hart_of(&s, 0), hart_of(&s, 1));
    run_hart(&s, 1, 4);
    fetch_old(&s, 1, 0);
    run_hart(&s, 1, 1);
    fetch_old(&s, 1, 0);
    updates_ipi_taken(s.updates, hart_of(&s, 1));
    run_hart(&s, 2, 1);
    fence_now(&s, 1, 1);
    fence_now(&s, 2, 0);
    run_hart(&s, 0, 1);
    fence_now(&s, 0, 0);
    assert_int_equal(updates_count(s.updates), 1);
    assert_moments(moments, updates_timeline(s.updates, 0, moments), expected,
                   sizeof expected / sizeof expected[0]);
    assert_int_equal(moments[0].fences, 2);
    assert_int_equal(moments[0].step, HARTS + 1);
    assert_int_equal(moments[0].last_step, HARTS + 3);
    assert_int_equal(updates_get(s.updates, 0)->end_step, cluster_steps(s.w.cluster));
    wreck(&s);
}

static void an_open_update_has_its_timeline_up_to_now(void **state)
{
    static const struct expected expected[] = {{MOMENT_STORE, 1, 1, 1}, {MOMENT_END, 1, 1, 1}};
    struct update_moment moments[UPDATE_MOMENTS_MAX];
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    store_now(&s, 1);
    run_hart(&s, 0, 3);
    assert_moments(moments, updates_open_timeline(s.updates, 1, moments), expected, 2);
    assert_int_equal(moments[1].step, HARTS + 3);
    wreck(&s);
}

static void a_fetch_after_the_end_comes_after_it(void **state)
{
    struct update_moment moments[UPDATE_MOMENTS_MAX];
    struct scene s;
    unsigned count;

    (void)state;
    build(&s);
    run_all(&s);
    store_now(&s, 0);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence_now(&s, hart, hart);
    assert_int_equal(updates_count(s.updates), 1);
    run_hart(&s, 1, 5);
    fetch_old(&s, 1, 0);
    count = updates_timeline(s.updates, 0, moments);
    assert_int_equal(moments[count - 2].kind, MOMENT_END);
    assert_int_equal(moments[count - 1].kind, MOMENT_STALE);
    assert_int_equal(moments[count - 1].step, HARTS + 5);
    fetch_old(&s, 2, 1); /* of another writer */
    assert_int_equal(updates_timeline(s.updates, 0, moments), count);
    wreck(&s);
}

static void of_a_long_timeline_the_first_and_the_last_moments_are_kept(void **state)
{
    enum { ROUNDS = 100 };
    struct update_moment moments[UPDATE_MOMENTS_MAX];
    struct scene s;
    unsigned count;

    (void)state;
    build(&s);
    run_all(&s);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    for (unsigned i = 0; i < ROUNDS; i++) {
        run_hart(&s, 0, 1);
        store_now(&s, 0);
        fence_now(&s, 1, 0);
    }
    updates_announce_end(s.updates, hart_of(&s, 0));
    count = updates_timeline(s.updates, 0, moments);
    assert_int_equal(count, TIMELINE_MAX + 1);
    assert_int_equal(updates_get(s.updates, 0)->moments_left_out, 2 * ROUNDS - TIMELINE_MAX);
    assert_int_equal(moments[0].step, HARTS + 1);
    assert_int_equal(moments[TIMELINE_FIRST - 1].step, HARTS + TIMELINE_FIRST / 2);
    assert_int_equal(moments[TIMELINE_MAX - 1].step, HARTS + ROUNDS);
    wreck(&s);
}

static void a_store_after_the_end_continues_the_timeline(void **state)
{
    struct update_moment moments[UPDATE_MOMENTS_MAX];
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    for (unsigned i = 0; i < 2; i++) {
        run_hart(&s, 0, 1);
        store_now(&s, 0);
        for (unsigned hart = HARTS; hart-- > 0;)
            fence_now(&s, hart, hart);
    }
    assert_int_equal(updates_count(s.updates), 1);
    assert_int_equal(updates_get(s.updates, 0)->rounds, 2);
    /* The writer's fence is between its two stores, as the others' are not. */
    assert_int_equal(updates_timeline(s.updates, 0, moments), 2 * (1 + HARTS) + 1);
    assert_int_equal(moments[1 + HARTS].kind, MOMENT_STORE);
    assert_int_equal(moments[1 + HARTS].step, HARTS + 2);
    wreck(&s);
}

static void an_update_is_found_by_its_stores(void **state)
{
    struct writer first, last, other;
    struct scene s;

    (void)state;
    build(&s);
    run_all(&s);
    first = writer_now(&s, 0);
    store_now(&s, 0);
    run_hart(&s, 0, 3);
    last = writer_now(&s, 0);
    store_now(&s, 0);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence_now(&s, hart, hart);
    assert_int_equal(updates_find(s.updates, &first), 0);
    assert_int_equal(updates_find(s.updates, &last), 0);
    other = last;
    other.hart = 1;
    assert_true(updates_find(s.updates, &other) == UPDATE_NONE);
    last.step++;
    assert_true(updates_find(s.updates, &last) == UPDATE_NONE);
    first.step--;
    assert_true(updates_find(s.updates, &first) == UPDATE_NONE);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_ends_when_all_harts_have_fenced_after_its_last_store),
        cmocka_unit_test(harts_that_never_ran_or_are_stopped_need_not_fence),
        cmocka_unit_test(an_announced_update_ends_when_the_kernel_says_so),
        cmocka_unit_test(an_announced_update_whose_end_never_comes_is_over_after_a_second),
        cmocka_unit_test(tasks_announce_changes_of_their_own),
        cmocka_unit_test(a_program_has_no_part_in_what_the_kernel_announces),
        cmocka_unit_test(the_end_of_an_update_says_whether_sites_were_in_it),
        cmocka_unit_test(an_announced_change_without_a_store_has_an_end_too),
        cmocka_unit_test(an_update_ends_some_time_after_its_lock_was_released),
        cmocka_unit_test(more_changes_than_tasks_can_make_are_followed_no_further),
        cmocka_unit_test(an_update_without_fences_ends_when_it_has_been_quiet),
        cmocka_unit_test(harts_have_updates_of_their_own),
        cmocka_unit_test(patches_that_are_fenced_one_by_one_are_one_update),
        cmocka_unit_test(updates_without_end_are_counted),
        cmocka_unit_test(what_is_open_at_the_end_is_kept_as_open),
        cmocka_unit_test(it_is_seen_what_the_others_do),
        cmocka_unit_test(a_hart_that_goes_elsewhere_runs_on),
        cmocka_unit_test(stores_by_no_hart_are_no_update),
        cmocka_unit_test(it_is_known_for_how_long_each_hart_was_stale),
        cmocka_unit_test(steps_are_the_instructions_of_all_harts),
        cmocka_unit_test(a_timeline_has_the_moments_of_all_harts_in_one_order),
        cmocka_unit_test(an_open_update_has_its_timeline_up_to_now),
        cmocka_unit_test(a_fetch_after_the_end_comes_after_it),
        cmocka_unit_test(of_a_long_timeline_the_first_and_the_last_moments_are_kept),
        cmocka_unit_test(a_store_after_the_end_continues_the_timeline),
        cmocka_unit_test(an_update_is_found_by_its_stores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
