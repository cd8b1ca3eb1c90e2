/* locking_test.c - spin locks exclude other harts and interrupts; mutexes are fair. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

/*
 * Rounds of all contenders together. Few, because on a host with fewer processors than the
 * guest has harts each round may cost a time slice.
 */
enum { CONTENDERS_PER_CPU = 2, ROUNDS = 4096, MUTEX_ROUNDS = 512, QUEUERS = 6 };

/*
 * Limit of additional rounds while no timer interrupt has come: a fast host may finish the
 * other rounds before the first one.
 */
enum { MAX_EXTRA_ROUNDS = 1 << 20 };

struct contest {
    spinlock_t lock;
    struct mutex mutex;
    unsigned long spin_count, mutex_count, irq_count; /* each under its lock; not atomic */
    unsigned int threads;
    atomic_t left, rounds;
    struct completion done;
    struct hrtimer timer;
};

/* An increment with a delay between load and store: without the lock counts would be lost. */
static void count_slowly(unsigned long *count)
{
    unsigned long seen = READ_ONCE(*count);
    int i;

    for (i = 0; i < 5; i++)
        barrier();
    WRITE_ONCE(*count, seen + 1);
}

static int contender_thread(void *data)
{
    struct contest *c = data;
    unsigned long flags;
    unsigned int i;

    for (i = 0; i < ROUNDS / c->threads || (!READ_ONCE(c->irq_count) && i < MAX_EXTRA_ROUNDS);
         i++) {
        spin_lock_irqsave(&c->lock, flags);
        count_slowly(&c->spin_count);
        spin_unlock_irqrestore(&c->lock, flags);
        atomic_inc(&c->rounds);
    }
    for (i = 0; i < MUTEX_ROUNDS / c->threads; i++) {
        mutex_lock(&c->mutex);
        count_slowly(&c->mutex_count);
        if (i % 16 == 0)
            yield();
        mutex_unlock(&c->mutex);
    }
    if (atomic_dec_and_test(&c->left))
        complete(&c->done);
    return 0;
}

/* The same counter from the timer interrupt. */
static enum hrtimer_restart count_in_interrupt(struct hrtimer *timer)
{
    struct contest *c = container_of(timer, struct contest, timer);

    spin_lock(&c->lock);
    count_slowly(&c->spin_count);
    c->irq_count++;
    spin_unlock(&c->lock);
    hrtimer_forward_now(timer, us_to_ktime(200));
    return HRTIMER_RESTART;
}

static void locks_lose_no_count(struct kunit *test)
{
    static struct contest c;
    unsigned int i, n = CONTENDERS_PER_CPU * num_online_cpus();

    c = (struct contest){0};
    mutex_init(&c.mutex);
    init_completion(&c.done);
    c.threads = n;
    atomic_set(&c.left, n);
    hrtimer_init(&c.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
    c.timer.function = count_in_interrupt;
    hrtimer_start(&c.timer, us_to_ktime(200), HRTIMER_MODE_REL);
    for (i = 0; i < n; i++)
        (void)kthread_run(contender_thread, &c, "contender/%u", i);
    wait_for_completion(&c.done);
    hrtimer_cancel(&c.timer);
    KUNIT_EXPECT_GT(test, c.irq_count, 0);
    KUNIT_EXPECT_EQ(test, c.spin_count, atomic_read(&c.rounds) + c.irq_count);
    KUNIT_EXPECT_GE(test, atomic_read(&c.rounds), ROUNDS / n * n);
    KUNIT_EXPECT_EQ(test, c.mutex_count, MUTEX_ROUNDS / n * n);
}

struct queue {
    struct mutex mutex;
    atomic_t arrived;
    int order[QUEUERS]; /* numbers of the threads, in the order in which they got the mutex */
    int served;         /* under mutex */
    struct completion done;
};

struct queuer {
    struct queue *queue;
    int number;
};

static int queuer_thread(void *data)
{
    struct queuer *q = data;
    struct queue *queue = q->queue;
    bool last;

    atomic_inc(&queue->arrived);
    mutex_lock(&queue->mutex);
    queue->order[queue->served++] = q->number;
    last = queue->served == QUEUERS;
    mutex_unlock(&queue->mutex);
    if (last)
        complete(&queue->done);
    return 0;
}

static void a_mutex_goes_to_the_longest_waiter(struct kunit *test)
{
    static struct queue queue;
    static struct queuer queuers[QUEUERS];
    int i;

    queue = (struct queue){0};
    mutex_init(&queue.mutex);
    init_completion(&queue.done);
    mutex_lock(&queue.mutex);
    for (i = 0; i < QUEUERS; i++) {
        queuers[i] = (struct queuer){&queue, i};
        (void)kthread_run(queuer_thread, &queuers[i], "queuer/%d", i);
        while (atomic_read(&queue.arrived) <= i)
            msleep(1);
        msleep(5);
    }
    KUNIT_EXPECT_FALSE(test, mutex_trylock(&queue.mutex));
    mutex_unlock(&queue.mutex);
    wait_for_completion(&queue.done);
    for (i = 0; i < QUEUERS; i++)
        KUNIT_EXPECT_EQ(test, queue.order[i], i);
    KUNIT_EXPECT_TRUE(test, mutex_trylock(&queue.mutex));
    mutex_unlock(&queue.mutex);
}

static const struct kunit_case locking_cases[] = {
    KUNIT_CASE(locks_lose_no_count),
    KUNIT_CASE(a_mutex_goes_to_the_longest_waiter),
    {},
};

static const struct kunit_suite locking_suite = {"locking", locking_cases};
kunit_test_suite(locking_suite);
