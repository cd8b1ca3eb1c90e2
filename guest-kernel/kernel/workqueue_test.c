/* workqueue_test.c - work runs on the right hart, at the right time, once, and can be cancelled. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

struct counted {
    struct work_struct work;
    struct delayed_work dwork;
    atomic_t runs;
    unsigned long cpus;
    unsigned int left; /* how many times it queues itself again */
    unsigned int msecs;
    bool overlapped, running;
};

static void count_run(struct counted *c)
{
    c->overlapped |= READ_ONCE(c->running);
    WRITE_ONCE(c->running, true);
    c->cpus |= 1UL << raw_smp_processor_id();
    if (c->msecs)
        msleep(c->msecs);
    WRITE_ONCE(c->running, false);
    atomic_inc(&c->runs);
}

static void counted_fn(struct work_struct *work)
{
    struct counted *c = container_of(work, struct counted, work);

    count_run(c);
    if (c->left && c->left--)
        schedule_work(work);
}

static void delayed_fn(struct work_struct *work)
{
    count_run(container_of(to_delayed_work(work), struct counted, dwork));
}

static void init_counted(struct counted *c)
{
    *c = (struct counted){0};
    INIT_WORK(&c->work, counted_fn);
    INIT_DELAYED_WORK(&c->dwork, delayed_fn);
}

static void work_runs_on_the_hart_it_was_queued_on(struct kunit *test)
{
    static struct counted c[NR_CPUS];
    unsigned int cpu;

    for_each_online_cpu(cpu) {
        init_counted(&c[cpu]);
        KUNIT_EXPECT_TRUE(test, queue_work_on(cpu, system_wq, &c[cpu].work));
    }
    for_each_online_cpu(cpu) {
        flush_work(&c[cpu].work);
        KUNIT_EXPECT_EQ(test, atomic_read(&c[cpu].runs), 1);
        KUNIT_EXPECT_EQ(test, c[cpu].cpus, 1UL << cpu);
    }
}

/* Waiting work is not queued twice; running work may be queued once more, to run after itself. */
static void work_is_queued_once_and_never_overlaps_itself(struct kunit *test)
{
    static struct counted c;
    unsigned int cpu;

    init_counted(&c);
    c.msecs = 20;
    KUNIT_EXPECT_TRUE(test, schedule_work(&c.work));
    msleep(5);
    KUNIT_EXPECT_TRUE(test, queue_work_on(num_online_cpus() - 1, system_wq, &c.work));
    for_each_online_cpu(cpu)
        KUNIT_EXPECT_FALSE(test, queue_work_on(cpu, system_wq, &c.work));
    flush_work(&c.work);
    KUNIT_EXPECT_EQ(test, atomic_read(&c.runs), 2);
    KUNIT_EXPECT_FALSE(test, c.overlapped);
}

static void work_may_queue_itself(struct kunit *test)
{
    static struct counted c;

    init_counted(&c);
    c.left = 9;
    schedule_work(&c.work);
    while (atomic_read(&c.runs) < 10)
        msleep(1);
    flush_work(&c.work);
    KUNIT_EXPECT_EQ(test, atomic_read(&c.runs), 10);
}

static void delayed_work_waits_and_can_be_cancelled(struct kunit *test)
{
    static struct counted c;
    unsigned long start = jiffies;

    init_counted(&c);
    KUNIT_EXPECT_TRUE(test, schedule_delayed_work(&c.dwork, 3));
    KUNIT_EXPECT_FALSE(test, schedule_delayed_work(&c.dwork, 1));
    while (!atomic_read(&c.runs))
        msleep(1);
    KUNIT_EXPECT_GE(test, jiffies - start, 3);
    flush_work(&c.dwork.work);

    KUNIT_EXPECT_TRUE(test, schedule_delayed_work(&c.dwork, 3));
    KUNIT_EXPECT_TRUE(test, cancel_delayed_work_sync(&c.dwork));
    KUNIT_EXPECT_FALSE(test, cancel_delayed_work_sync(&c.dwork));
    msleep(50);
    KUNIT_EXPECT_EQ(test, atomic_read(&c.runs), 1);
}

/* The test's own queue: destroy_workqueue() runs everything that is queued. */
static void a_queue_ends_empty(struct kunit *test)
{
    static struct counted c[16];
    struct workqueue_struct *wq = alloc_workqueue("test");
    unsigned int i;

    if (!KUNIT_EXPECT_TRUE(test, wq))
        return;
    for (i = 0; i < ARRAY_SIZE(c); i++) {
        init_counted(&c[i]);
        queue_work_on(i % num_online_cpus(), wq, &c[i].work);
    }
    flush_workqueue(wq);
    for (i = 0; i < ARRAY_SIZE(c); i++)
        KUNIT_EXPECT_EQ(test, atomic_read(&c[i].runs), 1);
    for (i = 0; i < ARRAY_SIZE(c); i++)
        queue_work_on(i % num_online_cpus(), wq, &c[i].work);
    destroy_workqueue(wq);
    for (i = 0; i < ARRAY_SIZE(c); i++)
        KUNIT_EXPECT_EQ(test, atomic_read(&c[i].runs), 2);
}

static atomic_t harts_seen;

static void see_hart(struct work_struct *work)
{
    (void)work;
    atomic_add_return(1 << raw_smp_processor_id(), &harts_seen);
}

static void schedule_on_each_cpu_runs_once_on_each(struct kunit *test)
{
    atomic_set(&harts_seen, 0);
    KUNIT_EXPECT_EQ(test, schedule_on_each_cpu(see_hart), 0);
    KUNIT_EXPECT_EQ(test, atomic_read(&harts_seen), READ_ONCE(cpu_online_mask));
}

static const struct kunit_case workqueue_cases[] = {
    KUNIT_CASE(work_runs_on_the_hart_it_was_queued_on),
    KUNIT_CASE(work_is_queued_once_and_never_overlaps_itself),
    KUNIT_CASE(work_may_queue_itself),
    KUNIT_CASE(delayed_work_waits_and_can_be_cancelled),
    KUNIT_CASE(a_queue_ends_empty),
    KUNIT_CASE(schedule_on_each_cpu_runs_once_on_each),
    {},
};

static const struct kunit_suite workqueue_suite = {"workqueue", workqueue_cases};
kunit_test_suite(workqueue_suite);
