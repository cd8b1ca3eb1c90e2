/* rcu_test.c - which tasks grace periods wait for. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

/* A task that spins until release is set or, if spin_msecs is not 0, for so long. */
struct section {
    bool entered, release, left;
    bool reader; /* holds rcu_read_lock(); else only busy, like a task preempted in a trampoline */
    unsigned int spin_msecs;
    struct completion done;
};

static int section_thread(void *data)
{
    struct section *s = data;
    u64 end = sched_clock() + s->spin_msecs * NSEC_PER_MSEC;

    if (s->reader)
        rcu_read_lock();
    WRITE_ONCE(s->entered, true);
    while (!READ_ONCE(s->release) && (!s->spin_msecs || sched_clock() < end))
        cpu_relax();
    WRITE_ONCE(s->left, true);
    if (s->reader)
        rcu_read_unlock();
    complete(&s->done);
    return 0;
}

/* Returns when the task has entered; on one hart a reader has left again by then. */
static bool enter_section(struct kunit *test, struct section *s)
{
    struct task_struct *p = kthread_create(section_thread, s, "section");

    init_completion(&s->done);
    if (!KUNIT_EXPECT_FALSE(test, IS_ERR(p)))
        return false;
    wake_up_new_task(p);
    while (!READ_ONCE(s->entered))
        msleep(1);
    return true;
}

static void synchronize_rcu_waits_for_a_reader(struct kunit *test)
{
    struct section s = {.reader = true, .spin_msecs = 40};

    if (!enter_section(test, &s))
        return;
    synchronize_rcu();
    KUNIT_EXPECT_TRUE(test, READ_ONCE(s.left));
    wait_for_completion(&s.done);
}

static void synchronize_rcu_does_not_wait_for_a_busy_task(struct kunit *test)
{
    struct section s = {.reader = false};

    if (!enter_section(test, &s))
        return;
    synchronize_rcu();
    KUNIT_EXPECT_FALSE(test, READ_ONCE(s.left));
    WRITE_ONCE(s.release, true);
    wait_for_completion(&s.done);
}

/* Longer than a slice, so on one hart it has been preempted before it leaves. */
static void synchronize_rcu_tasks_waits_for_a_preempted_task(struct kunit *test)
{
    struct section s = {.reader = false, .spin_msecs = 60};

    if (!enter_section(test, &s))
        return;
    synchronize_rcu_tasks();
    KUNIT_EXPECT_TRUE(test, READ_ONCE(s.left));
    wait_for_completion(&s.done);
}

static int sleeping_thread(void *data)
{
    struct section *s = data;

    WRITE_ONCE(s->entered, true);
    while (!READ_ONCE(s->release))
        msleep(1);
    complete(&s->done);
    return 0;
}

/* The sleeper is released after the grace period: if this waited for it, the test would not end. */
static void synchronize_rcu_tasks_does_not_wait_for_a_sleeper(struct kunit *test)
{
    struct section s = {.reader = false};
    struct task_struct *p = kthread_create(sleeping_thread, &s, "sleeper");

    init_completion(&s.done);
    if (!KUNIT_EXPECT_FALSE(test, IS_ERR(p)))
        return;
    wake_up_new_task(p);
    while (!READ_ONCE(s.entered))
        msleep(1);
    synchronize_rcu_tasks();
    WRITE_ONCE(s.release, true);
    wait_for_completion(&s.done);
}

/* A task that sleeps, is woken, checks stop, and sleeps again. */
struct blinker {
    struct completion wake, done;
    bool stop;
};

static int blinker_thread(void *data)
{
    struct blinker *b = data;

    do
        wait_for_completion(&b->wake);
    while (!READ_ONCE(b->stop));
    complete(&b->done);
    return 0;
}

/* One for each hart except this one. */
static unsigned int start_blinkers(struct blinker *b)
{
    unsigned int n;

    for (n = 0; n < num_online_cpus() - 1; n++) {
        struct task_struct *p = kthread_create(blinker_thread, &b[n], "blinker/%u", n);

        if (IS_ERR(p))
            break;
        init_completion(&b[n].wake);
        init_completion(&b[n].done);
        b[n].stop = false;
        wake_up_new_task(p);
    }
    return n;
}

/*
 * An idle hart does not switch tasks by itself. A request that comes while a hart switches to
 * idle must be satisfied by this switch or cause another; if it is lost, the grace period never
 * ends.
 */
static void synchronize_rcu_ends_whenever_a_hart_falls_asleep(struct kunit *test)
{
    enum { DELAYS = 300, SPINS = 4 };
    static struct blinker blinkers[NR_CPUS];
    unsigned int n = start_blinkers(blinkers), delay, i, spins;

    KUNIT_EXPECT_EQ(test, n, num_online_cpus() - 1);
    for (delay = 0; delay < DELAYS; delay++) {
        for (i = 0; i < n; i++)
            complete(&blinkers[i].wake);
        for (spins = 0; spins < delay * SPINS; spins++)
            cpu_relax();
        synchronize_rcu();
    }
    for (i = 0; i < n; i++) {
        WRITE_ONCE(blinkers[i].stop, true);
        complete(&blinkers[i].wake);
        wait_for_completion(&blinkers[i].done);
    }
}

static const struct kunit_case rcu_cases[] = {
    KUNIT_CASE(synchronize_rcu_waits_for_a_reader),
    KUNIT_CASE(synchronize_rcu_does_not_wait_for_a_busy_task),
    KUNIT_CASE(synchronize_rcu_ends_whenever_a_hart_falls_asleep),
    KUNIT_CASE(synchronize_rcu_tasks_waits_for_a_preempted_task),
    KUNIT_CASE(synchronize_rcu_tasks_does_not_wait_for_a_sleeper),
    {},
};

static const struct kunit_suite rcu_suite = {"rcu", rcu_cases};
kunit_test_suite(rcu_suite);
