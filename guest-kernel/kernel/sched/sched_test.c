/* sched_test.c - which task runs, on which hart, and for how long. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/wait.h>

/* A thread that spins, and notes its run time and the harts it ran on. */
struct runner {
    struct task_struct *task;
    bool stop;
    u64 runtime;
    unsigned long cpus_seen;
    struct completion done;
};

static int runner_thread(void *data)
{
    struct runner *r = data;

    while (!READ_ONCE(r->stop))
        r->cpus_seen |= 1UL << raw_smp_processor_id();
    r->runtime = current->sum_exec_runtime;
    complete(&r->done);
    return 0;
}

static bool make_runner(struct kunit *test, struct runner *r, unsigned long cpus)
{
    *r = (struct runner){0};
    init_completion(&r->done);
    r->task = kthread_create(runner_thread, r, "runner");
    if (!KUNIT_EXPECT_FALSE(test, IS_ERR(r->task)))
        return false;
    r->task->cpus_allowed = cpus;
    return true;
}

static void stop_runner(struct runner *r)
{
    WRITE_ONCE(r->stop, true);
    wait_for_completion(&r->done);
}

static unsigned int last_cpu(void)
{
    return num_online_cpus() - 1;
}

/* nice 0 and nice 5 on one hart: about three to one. */
static void nice_divides_a_hart_by_weight(struct kunit *test)
{
    static struct runner heavy, light;

    if (!make_runner(test, &heavy, 1UL << last_cpu()) ||
        !make_runner(test, &light, 1UL << last_cpu()))
        return;
    set_user_nice(light.task, 5);
    wake_up_new_task(heavy.task);
    wake_up_new_task(light.task);
    msleep(300);
    stop_runner(&heavy);
    stop_runner(&light);
    KUNIT_EXPECT_GT(test, heavy.runtime, 2 * light.runtime);
    KUNIT_EXPECT_LT(test, heavy.runtime, 5 * light.runtime);
    KUNIT_EXPECT_GT(test, light.runtime, 0);
}

/* More threads than harts, all started here: each gets its share of the machine. */
static void work_spreads_over_all_harts(struct kunit *test)
{
    static struct runner runners[2 * NR_CPUS];
    unsigned int i, n = 2 * num_online_cpus();
    unsigned long seen = 0;
    u64 least = ~0ull, most = 0;

    for (i = 0; i < n; i++) {
        if (!make_runner(test, &runners[i], ~0UL))
            return;
        wake_up_new_task(runners[i].task);
    }
    msleep(200);
    for (i = 0; i < n; i++)
        WRITE_ONCE(runners[i].stop, true);
    for (i = 0; i < n; i++) {
        wait_for_completion(&runners[i].done);
        seen |= runners[i].cpus_seen;
        least = min(least, runners[i].runtime);
        most = max(most, runners[i].runtime);
    }
    KUNIT_EXPECT_EQ(test, seen, READ_ONCE(cpu_online_mask));
    KUNIT_EXPECT_LT(test, most, 4 * least);
}

/* One hart: while a SCHED_FIFO task runs, a normal one of any niceness does not. */
static void realtime_goes_before_fair(struct kunit *test)
{
    static struct runner fair, fifo;
    unsigned int cpu = last_cpu();
    struct sched_param param = {.sched_priority = 10}, mine = {.sched_priority = 50}, zero = {0};
    u64 before, after;

    if (!make_runner(test, &fair, 1UL << cpu) || !make_runner(test, &fifo, 1UL << cpu))
        return;
    set_user_nice(fair.task, MIN_NICE);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(fifo.task, SCHED_FIFO, &param), 0);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_FIFO, &mine), 0);
    wake_up_new_task(fair.task);
    msleep(30);
    wake_up_new_task(fifo.task);
    msleep(20);
    before = READ_ONCE(fair.task->sum_exec_runtime);
    msleep(60);
    after = READ_ONCE(fair.task->sum_exec_runtime);
    KUNIT_EXPECT_GT(test, before, 0);
    KUNIT_EXPECT_EQ(test, after - before, 0);
    stop_runner(&fifo);
    stop_runner(&fair);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_NORMAL, &zero), 0);
}

/* Of equals, SCHED_FIFO lets the first run to its end; SCHED_RR takes turns of 100 ms. */
static void round_robin_takes_turns_and_fifo_does_not(struct kunit *test)
{
    static struct runner first, second;
    struct sched_param param = {.sched_priority = 10}, mine = {.sched_priority = 50}, zero = {0};
    int policies[] = {SCHED_FIFO, SCHED_RR}, i;

    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_FIFO, &mine), 0);
    for (i = 0; i < 2; i++) {
        u64 ran;

        if (!make_runner(test, &first, 1UL << last_cpu()) ||
            !make_runner(test, &second, 1UL << last_cpu()))
            break;
        KUNIT_EXPECT_EQ(test, sched_setscheduler(first.task, policies[i], &param), 0);
        KUNIT_EXPECT_EQ(test, sched_setscheduler(second.task, policies[i], &param), 0);
        wake_up_new_task(first.task);
        wake_up_new_task(second.task);
        msleep(250);
        ran = READ_ONCE(second.task->sum_exec_runtime);
        if (policies[i] == SCHED_FIFO)
            KUNIT_EXPECT_EQ(test, ran, 0);
        else
            KUNIT_EXPECT_GT(test, ran, 50 * NSEC_PER_MSEC);
        stop_runner(&first);
        stop_runner(&second);
    }
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_NORMAL, &zero), 0);
}

/*
 * As many real-time tasks as harts, all queued on one: each gets its own hart, except for the
 * time that the threads which start and stop them take.
 */
static void realtime_is_pulled_to_other_harts(struct kunit *test)
{
    static struct runner runners[NR_CPUS];
    struct sched_param param = {.sched_priority = 10}, mine = {.sched_priority = 50}, zero = {0};
    unsigned int i, n = num_online_cpus();
    unsigned long cpus = 0;

    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_FIFO, &mine), 0);
    for (i = 0; i < n; i++) {
        if (!make_runner(test, &runners[i], 1))
            return;
        KUNIT_EXPECT_EQ(test, sched_setscheduler(runners[i].task, SCHED_FIFO, &param), 0);
        wake_up_new_task(runners[i].task);
    }
    for (i = 0; i < n; i++)
        set_cpus_allowed_ptr(runners[i].task, ~0UL);
    msleep(100);
    for (i = 0; i < n; i++)
        cpus |= 1UL << READ_ONCE(runners[i].task->cpu);
    for (i = 0; i < n; i++)
        stop_runner(&runners[i]);
    KUNIT_EXPECT_EQ(test, cpus, READ_ONCE(cpu_online_mask));
    for (i = 0; i < n; i++)
        KUNIT_EXPECT_GT(test, runners[i].runtime, 50 * NSEC_PER_MSEC);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_NORMAL, &zero), 0);
}

/* A fair task that waits for a real-time task moves to a hart that runs none. */
static void a_fair_task_moves_away_from_realtime(struct kunit *test)
{
    static struct runner fifo, fair;
    struct sched_param param = {.sched_priority = 10}, mine = {.sched_priority = 50}, zero = {0};

    if (num_online_cpus() == 1)
        return;
    if (!make_runner(test, &fifo, 1UL << last_cpu()) ||
        !make_runner(test, &fair, 1UL << last_cpu()))
        return;
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_FIFO, &mine), 0);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(fifo.task, SCHED_FIFO, &param), 0);
    wake_up_new_task(fifo.task);
    wake_up_new_task(fair.task);
    set_cpus_allowed_ptr(fair.task, ~0UL);
    msleep(100);
    stop_runner(&fair);
    stop_runner(&fifo);
    KUNIT_EXPECT_GT(test, fair.runtime, 20 * NSEC_PER_MSEC);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_NORMAL, &zero), 0);
}

static void an_invalid_priority_is_refused(struct kunit *test)
{
    struct sched_param zero = {0}, one = {.sched_priority = 1}, high = {.sched_priority = 100};

    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_FIFO, &zero), -EINVAL);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_RR, &high), -EINVAL);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, SCHED_NORMAL, &one), -EINVAL);
    KUNIT_EXPECT_EQ(test, sched_setscheduler(current, 77, &one), -EINVAL);
}

static void a_task_goes_where_it_is_allowed(struct kunit *test)
{
    static struct runner r;
    unsigned int cpu;

    if (!make_runner(test, &r, ~0UL))
        return;
    wake_up_new_task(r.task);
    for_each_online_cpu(cpu) {
        KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(r.task, 1UL << cpu), 0);
        msleep(30);
        KUNIT_EXPECT_EQ(test, READ_ONCE(r.task->cpu), cpu);
        KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, 1UL << cpu), 0);
        yield();
        KUNIT_EXPECT_EQ(test, raw_smp_processor_id(), cpu);
    }
    KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, ~READ_ONCE(cpu_online_mask)), -EINVAL);
    KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, ~0UL), 0);
    stop_runner(&r);
}

static int stoppable_thread(void *data)
{
    (void)data;
    while (!kthread_should_stop())
        schedule_timeout_interruptible(MAX_SCHEDULE_TIMEOUT);
    return 42;
}

static void kthread_stop_returns_the_threads_result(struct kunit *test)
{
    struct task_struct *p = kthread_run(stoppable_thread, NULL, "stoppable");

    msleep(10);
    if (KUNIT_EXPECT_FALSE(test, IS_ERR(p)))
        KUNIT_EXPECT_EQ(test, kthread_stop(p), 42);
}

struct sleepers {
    struct wait_queue_head wq;
    bool condition;
    bool exclusive;
    atomic_t waiting, woken;
};

static int sleeper_thread(void *data)
{
    struct sleepers *s = data;
    DEFINE_WAIT(wait);

    wait.exclusive = s->exclusive;
    prepare_to_wait(&s->wq, &wait, TASK_UNINTERRUPTIBLE);
    atomic_inc(&s->waiting);
    schedule();
    atomic_inc(&s->woken);
    finish_wait(&s->wq, &wait);
    return 0;
}

enum { SLEEPERS = 5 };

static void start_sleepers(struct sleepers *s, bool exclusive)
{
    int i;

    init_waitqueue_head(&s->wq);
    s->exclusive = exclusive;
    atomic_set(&s->waiting, 0);
    atomic_set(&s->woken, 0);
    for (i = 0; i < SLEEPERS; i++)
        (void)kthread_run(sleeper_thread, s, "sleeper");
    while (atomic_read(&s->waiting) < SLEEPERS)
        msleep(1);
    msleep(20);
}

static void a_wake_up_wakes_all_sleepers_but_one_exclusive(struct kunit *test)
{
    static struct sleepers s;
    int i;

    start_sleepers(&s, false);
    KUNIT_EXPECT_EQ(test, atomic_read(&s.woken), 0);
    wake_up(&s.wq);
    msleep(20);
    KUNIT_EXPECT_EQ(test, atomic_read(&s.woken), SLEEPERS);

    start_sleepers(&s, true);
    for (i = 1; i <= SLEEPERS; i++) {
        wake_up(&s.wq);
        msleep(20);
        KUNIT_EXPECT_EQ(test, atomic_read(&s.woken), i);
    }
}

static void waiting_with_a_timeout_ends_at_the_timeout(struct kunit *test)
{
    DECLARE_WAIT_QUEUE_HEAD(wq);
    DECLARE_COMPLETION_ONSTACK(never);
    unsigned long start = jiffies;

    KUNIT_EXPECT_EQ(test, wait_event_timeout(wq, false, 3), 0);
    KUNIT_EXPECT_GE(test, jiffies - start, 3);
    KUNIT_EXPECT_EQ(test, wait_event_timeout(wq, true, 3), 3);
    KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&never, 2), 0);
    complete(&never);
    KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&never, 2), 0);
}

/* ---- SCHED_DEADLINE ---- */

static struct sched_attr deadline_of(u64 runtime_ms, u64 deadline_ms, u64 period_ms)
{
    return (struct sched_attr){.sched_policy = SCHED_DEADLINE,
                               .sched_runtime = runtime_ms * NSEC_PER_MSEC,
                               .sched_deadline = deadline_ms * NSEC_PER_MSEC,
                               .sched_period = period_ms * NSEC_PER_MSEC};
}

static void deadlines_that_make_no_sense_are_refused(struct kunit *test)
{
    struct sched_attr attr = deadline_of(10, 5, 20), now;

    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), -EINVAL);
    attr = deadline_of(10, 30, 20);
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), -EINVAL);
    attr = deadline_of(0, 10, 10);
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), -EINVAL);
    attr = deadline_of(1, 5000, 5000);
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), -EINVAL);
    attr = deadline_of(1, 10, 0);
    attr.sched_priority = 1;
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), -EINVAL);
    attr.sched_priority = 0;
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), 0);
    KUNIT_EXPECT_EQ(test, current->prio, -1);
    sched_getattr(current, &now);
    KUNIT_EXPECT_EQ(test, now.sched_policy, SCHED_DEADLINE);
    KUNIT_EXPECT_EQ(test, now.sched_runtime, NSEC_PER_MSEC);
    KUNIT_EXPECT_EQ(test, now.sched_period, 10 * NSEC_PER_MSEC);
    KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(current, 1), num_online_cpus() > 1 ? -EBUSY : 0);
    attr = (struct sched_attr){.sched_policy = SCHED_NORMAL};
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &attr), 0);
    KUNIT_EXPECT_EQ(test, current->prio, DEFAULT_PRIO);
}

/* 90 % of each hart, and then 10 % more of one. */
static void more_than_the_harts_can_do_is_refused(struct kunit *test)
{
    const struct sched_attr most = deadline_of(90, 100, 100), more = deadline_of(10, 100, 100);
    unsigned int i, n = num_online_cpus();
    static struct runner r[NR_CPUS + 1];

    for (i = 0; i <= n; i++)
        if (!make_runner(test, &r[i], ~0UL))
            return;
    for (i = 0; i < n; i++)
        KUNIT_EXPECT_EQ(test, sched_setattr(r[i].task, &most), 0);
    KUNIT_EXPECT_EQ(test, sched_setattr(r[n].task, &most), -EBUSY);
    if (n == 1)
        KUNIT_EXPECT_EQ(test, sched_setattr(r[n].task, &more), -EBUSY);
    for (i = 0; i <= n; i++) {
        WRITE_ONCE(r[i].stop, true);
        wake_up_new_task(r[i].task);
        wait_for_completion(&r[i].done);
    }
    msleep(20); /* they have ended, and given theirs back */
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &most), 0);
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &(struct sched_attr){0}), 0);
}

/* 5 ms of each 20 ms, though nobody else wants to run; what a tick notices late is taken from the
 * next. */
static void a_deadline_task_gets_its_share_and_no_more(struct kunit *test)
{
    const struct sched_attr attr = deadline_of(5, 20, 20);
    static struct runner r;

    if (!make_runner(test, &r, ~0UL))
        return;
    KUNIT_EXPECT_EQ(test, sched_setattr(r.task, &attr), 0);
    wake_up_new_task(r.task);
    msleep(400);
    stop_runner(&r);
    KUNIT_EXPECT_GT(test, r.runtime, 80 * NSEC_PER_MSEC);
    KUNIT_EXPECT_LT(test, r.runtime, 130 * NSEC_PER_MSEC);
    msleep(40); /* it may be throttled before it ends, and gives its share back then */
}

/* On one hart: this task has the earliest deadline, so both wait until it sleeps. */
static void the_earlier_deadline_goes_first(struct kunit *test)
{
    const struct sched_attr mine = deadline_of(2, 4, 40), soon = deadline_of(40, 60, 100),
                            later = deadline_of(40, 95, 100);
    static struct runner first, second;

    if (num_online_cpus() > 1 || !make_runner(test, &first, 1) || !make_runner(test, &second, 1))
        return;
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &mine), 0);
    KUNIT_EXPECT_EQ(test, sched_setattr(first.task, &later), 0);
    KUNIT_EXPECT_EQ(test, sched_setattr(second.task, &soon), 0);
    wake_up_new_task(first.task);
    wake_up_new_task(second.task);
    KUNIT_EXPECT_EQ(test, READ_ONCE(first.task->sum_exec_runtime), 0);
    msleep(5);
    KUNIT_EXPECT_EQ(test, READ_ONCE(first.task->sum_exec_runtime), 0);
    KUNIT_EXPECT_GT(test, READ_ONCE(second.task->sum_exec_runtime), 0);
    KUNIT_EXPECT_EQ(test, sched_setattr(current, &(struct sched_attr){0}), 0);
    stop_runner(&second);
    stop_runner(&first);
}

static const struct kunit_case sched_cases[] = {
    KUNIT_CASE(nice_divides_a_hart_by_weight),
    KUNIT_CASE(work_spreads_over_all_harts),
    KUNIT_CASE(realtime_goes_before_fair),
    KUNIT_CASE(round_robin_takes_turns_and_fifo_does_not),
    KUNIT_CASE(realtime_is_pulled_to_other_harts),
    KUNIT_CASE(a_fair_task_moves_away_from_realtime),
    KUNIT_CASE(an_invalid_priority_is_refused),
    KUNIT_CASE(a_task_goes_where_it_is_allowed),
    KUNIT_CASE(kthread_stop_returns_the_threads_result),
    KUNIT_CASE(a_wake_up_wakes_all_sleepers_but_one_exclusive),
    KUNIT_CASE(waiting_with_a_timeout_ends_at_the_timeout),
    {},
};

static const struct kunit_suite sched_suite = {"sched", sched_cases};
kunit_test_suite(sched_suite);

static const struct kunit_case deadline_cases[] = {
    KUNIT_CASE(deadlines_that_make_no_sense_are_refused),
    KUNIT_CASE(more_than_the_harts_can_do_is_refused),
    KUNIT_CASE(a_deadline_task_gets_its_share_and_no_more),
    KUNIT_CASE(the_earlier_deadline_goes_first),
    {},
};

static const struct kunit_suite deadline_suite = {"deadline", deadline_cases};
kunit_test_suite(deadline_suite);
