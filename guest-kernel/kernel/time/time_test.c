/* time_test.c - timers expire in time, as often as requested, and not after cancellation. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/timer.h>

enum { TIMERS = 32, STORM_MSECS = 60 };

static void clocks_agree_and_never_go_back(struct kunit *test)
{
    ktime_t start = ktime_get(), last = start, now;
    unsigned long first_jiffy = jiffies;
    unsigned int cpu;

    for_each_online_cpu(cpu) {
        set_cpus_allowed_ptr(current, 1UL << cpu);
        yield();
        now = ktime_get();
        KUNIT_EXPECT_GE(test, now, last);
        last = now;
    }
    set_cpus_allowed_ptr(current, ~0UL);
    msleep(25);
    KUNIT_EXPECT_GE(test, ktime_get() - last, ms_to_ktime(25));
    KUNIT_EXPECT_GE(test, jiffies - first_jiffy, 2);
}

struct shot {
    struct hrtimer timer;
    ktime_t fired;
    bool in_hardirq;
    struct completion done;
};

static enum hrtimer_restart shoot(struct hrtimer *timer)
{
    struct shot *shot = container_of(timer, struct shot, timer);

    shot->fired = ktime_get();
    shot->in_hardirq = in_hardirq();
    complete(&shot->done);
    return HRTIMER_NORESTART;
}

/* Timers started in arbitrary order: none expires early, all expire. */
static void timers_go_off_at_their_time(struct kunit *test)
{
    static struct shot shots[TIMERS];
    ktime_t start = ktime_get(), due[TIMERS];
    unsigned int i;

    for (i = 0; i < TIMERS; i++) {
        due[i] = start + us_to_ktime(2000 + i * 7 % TIMERS * 400);
        init_completion(&shots[i].done);
        hrtimer_init(&shots[i].timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
        shots[i].timer.function = shoot;
        hrtimer_start(&shots[i].timer, due[i], HRTIMER_MODE_ABS);
    }
    for (i = 0; i < TIMERS; i++) {
        wait_for_completion(&shots[i].done);
        KUNIT_EXPECT_GE(test, shots[i].fired, due[i]);
        KUNIT_EXPECT_TRUE(test, shots[i].in_hardirq);
    }
}

/* Sleeps much shorter than a tick. */
static void short_sleeps_are_short(struct kunit *test)
{
    ktime_t start = ktime_get();
    int i;

    for (i = 0; i < 20; i++)
        usleep_range(100, 200);
    KUNIT_EXPECT_GE(test, ktime_get() - start, us_to_ktime(20 * 100));
    KUNIT_EXPECT_LT(test, ktime_get() - start, ms_to_ktime(10 * 20 - 10));
}

static void a_cancelled_timer_does_not_go_off(struct kunit *test)
{
    static struct shot shot;

    init_completion(&shot.done);
    hrtimer_init(&shot.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
    shot.timer.function = shoot;
    KUNIT_EXPECT_FALSE(test, hrtimer_start(&shot.timer, ms_to_ktime(5), HRTIMER_MODE_REL));
    KUNIT_EXPECT_TRUE(test, hrtimer_start(&shot.timer, ms_to_ktime(10), HRTIMER_MODE_REL));
    KUNIT_EXPECT_TRUE(test, hrtimer_active(&shot.timer));
    KUNIT_EXPECT_TRUE(test, hrtimer_cancel(&shot.timer));
    KUNIT_EXPECT_FALSE(test, hrtimer_cancel(&shot.timer));
    msleep(20);
    KUNIT_EXPECT_FALSE(test, completion_done(&shot.done));
}

struct periodic {
    struct timer_list timer;
    unsigned int count;
    unsigned long last;
    bool early;
};

static void again(struct timer_list *timer)
{
    struct periodic *p = from_timer(p, timer, timer);

    p->early |= time_before(jiffies, timer->expires);
    p->count++;
    mod_timer(timer, timer->expires + 1);
}

static void a_periodic_timer_keeps_its_period(struct kunit *test)
{
    static struct periodic p;

    p.count = 0;
    timer_setup(&p.timer, again);
    mod_timer(&p.timer, jiffies + 1);
    msleep(105);
    del_timer_sync(&p.timer);
    KUNIT_EXPECT_GE(test, p.count, 9);
    KUNIT_EXPECT_LE(test, p.count, 30); /* on a busy host the test runs late, so more periods fit */
    KUNIT_EXPECT_FALSE(test, p.early);
    p.count = 0;
    msleep(30);
    KUNIT_EXPECT_EQ(test, p.count, 0);
}

/* Threads on all harts start and cancel the same timers. */
struct storm {
    struct hrtimer timers[4];
    bool stop;
    atomic_t fired, left;
    struct completion done;
};

static struct storm storm;

static enum hrtimer_restart storm_shot(struct hrtimer *timer)
{
    (void)timer;
    atomic_inc(&storm.fired);
    return HRTIMER_NORESTART;
}

static int storm_thread(void *data)
{
    unsigned int i = (unsigned long)data;

    for (; !READ_ONCE(storm.stop); i = i * 5 + 1) {
        struct hrtimer *timer = &storm.timers[i / 16 % ARRAY_SIZE(storm.timers)];

        if (i / 64 % 3)
            hrtimer_start(timer, us_to_ktime(i / 256 % 300), HRTIMER_MODE_REL);
        else
            hrtimer_cancel(timer);
        if (i / 1024 % 8 == 0)
            usleep_range(50, 100);
    }
    if (atomic_dec_and_test(&storm.left))
        complete(&storm.done);
    return 0;
}

static void timers_may_be_started_and_cancelled_on_all_harts(struct kunit *test)
{
    unsigned int i, n = num_online_cpus() + 1;

    init_completion(&storm.done);
    storm.stop = false;
    atomic_set(&storm.fired, 0);
    atomic_set(&storm.left, n);
    for (i = 0; i < ARRAY_SIZE(storm.timers); i++) {
        hrtimer_init(&storm.timers[i], CLOCK_MONOTONIC, HRTIMER_MODE_REL);
        storm.timers[i].function = storm_shot;
    }
    for (i = 0; i < n; i++)
        (void)kthread_run(storm_thread, (void *)(i + 1UL), "storm/%u", i);
    msleep(STORM_MSECS);
    WRITE_ONCE(storm.stop, true);
    wait_for_completion(&storm.done);
    for (i = 0; i < ARRAY_SIZE(storm.timers); i++) {
        hrtimer_cancel(&storm.timers[i]);
        KUNIT_EXPECT_FALSE(test, hrtimer_active(&storm.timers[i]));
    }
    KUNIT_EXPECT_GT(test, atomic_read(&storm.fired), 0);
}

static const struct kunit_case time_cases[] = {
    KUNIT_CASE(clocks_agree_and_never_go_back),
    KUNIT_CASE(timers_go_off_at_their_time),
    KUNIT_CASE(short_sleeps_are_short),
    KUNIT_CASE(a_cancelled_timer_does_not_go_off),
    KUNIT_CASE(a_periodic_timer_keeps_its_period),
    KUNIT_CASE(timers_may_be_started_and_cancelled_on_all_harts),
    {},
};

static const struct kunit_suite time_suite = {"time", time_cases};
kunit_test_suite(time_suite);
