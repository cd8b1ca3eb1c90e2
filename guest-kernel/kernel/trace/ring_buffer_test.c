/*
 * ring_buffer_test.c - the ring buffer under stress.
 *
 * On every hart a thread writes continuously and interrupts write on top of it, while one
 * reader consumes, an iterator reads, and the rings are resized. Each record has its source and
 * a number, so the reader detects duplicates, wrong order and torn records, and in the end
 * checks that all events were read or reported lost.
 *
 * Not instrumented.
 */
#include <asm/irqflags.h>
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/ring_buffer.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { RB_TEST_ROUNDS = 9, RB_TEST_SIZE = 4 * BUF_PAGE_SIZE, RB_TEST_MAX_DATA = 300 };
enum rb_test_source { RB_TEST_THREAD, RB_TEST_IRQ, RB_TEST_SOURCES };

struct rb_test_record {
    u32 source;
    u32 size;
    u64 number;
    u64 stamp; /* its time, as the writer knows it */
    u8 data[]; /* each byte is the low byte of number */
};

/* Counters of a hart's writers; used by it with preemption off. */
struct rb_test_writer {
    u64 number[RB_TEST_SOURCES];
    unsigned int random;
    u64 clock;
};

/* State of one reader of a hart's ring. */
struct rb_test_check {
    u64 next[RB_TEST_SOURCES];
    u64 ts;
};

static struct trace_buffer *rb_test_buffer;
static struct rb_test_writer writers[NR_CPUS];
static struct rb_test_check consumed[NR_CPUS];
static unsigned long rb_test_read[NR_CPUS], rb_test_lost[NR_CPUS];
static bool rb_test_stop; /* read by the writing threads */
static struct completion rb_test_done;
static int rb_test_errors;
static struct kunit *rb_test; /* the running case */

/* Reports the first ten errors only, since one mistake may cause many. */
static void rb_test_failed(const char *what, unsigned int cpu, u64 is, u64 should)
{
    if (rb_test_errors++ < 10)
        kunit_fail(rb_test, __FILE__, __LINE__, "CPU %u: %s: %llu, should be %llu", cpu, what, is,
                   should);
}

/* A separate clock for each hart. Every sixteenth step does not fit in an event word. */
static u64 rb_test_clock(void)
{
    struct rb_test_writer *w = &writers[smp_processor_id()];

    w->clock += w->clock % 16 ? 1 : 1ull << 40 | 1;
    return w->clock;
}

/* ---- writing ---- */

static unsigned int rb_test_random(struct rb_test_writer *w)
{
    w->random = w->random * 1103515245 + 12345;
    return w->random >> 16;
}

static void rb_test_write(enum rb_test_source source)
{
    unsigned int size = rb_test_random(&writers[raw_smp_processor_id()]) % RB_TEST_MAX_DATA;
    struct ring_buffer_event *event =
        ring_buffer_lock_reserve(rb_test_buffer, sizeof(struct rb_test_record) + size);
    struct rb_test_writer *w = &writers[smp_processor_id()];
    struct rb_test_record *record;

    if (!event)
        return;
    record = ring_buffer_event_data(event);
    record->source = source;
    record->size = size;
    record->number = w->number[source]++;
    record->stamp = w->clock;
    memset(record->data, (u8)record->number, size);
    if (source == RB_TEST_THREAD) /* interrupts may have written since */
        record->stamp =
            ring_buffer_event_time_stamp(rb_test_buffer, record, sizeof(*record) + size);
    ring_buffer_unlock_commit(rb_test_buffer);
}

static int rb_test_thread(void *unused)
{
    (void)unused;
    while (!READ_ONCE(rb_test_stop))
        rb_test_write(RB_TEST_THREAD);
    complete(&rb_test_done);
    return 0;
}

static void rb_test_interrupt(void *unused)
{
    (void)unused;
    rb_test_write(RB_TEST_IRQ);
}

/* ---- reading ---- */

static void rb_test_check_record(unsigned int cpu, struct rb_test_check *c,
                                 struct ring_buffer_event *event, u64 ts)
{
    const struct rb_test_record *r = ring_buffer_event_data(event);
    unsigned int i, source = r->source < RB_TEST_SOURCES ? r->source : RB_TEST_THREAD;

    if (r->source != source)
        rb_test_failed("source", cpu, r->source, source);
    if (ALIGN(sizeof(*r) + r->size, 4) != ring_buffer_event_length(event))
        rb_test_failed("size", cpu, sizeof(*r) + r->size, ring_buffer_event_length(event));
    if (r->number < c->next[source])
        rb_test_failed("number came late", cpu, r->number, c->next[source]);
    if (ts < c->ts)
        rb_test_failed("time went back", cpu, ts, c->ts);
    if (ts != r->stamp)
        rb_test_failed("stamp", cpu, ts, r->stamp);
    for (i = 0; i < r->size && i < RB_TEST_MAX_DATA && r->data[i] == (u8)r->number; i++)
        ;
    if (i != r->size)
        rb_test_failed("torn at byte", cpu, i, r->size);
    c->next[source] = r->number + 1;
    c->ts = ts;
}

static void rb_test_consume(unsigned int cpu)
{
    struct ring_buffer_event *event;
    unsigned long lost, n;
    u64 ts;

    for (n = 0; n < 200 && (event = ring_buffer_consume(rb_test_buffer, cpu, &ts, &lost)); n++) {
        rb_test_check_record(cpu, &consumed[cpu], event, ts);
        rb_test_lost[cpu] += lost;
    }
    rb_test_read[cpu] += n;
}

static void rb_test_iterate(unsigned int cpu)
{
    struct ring_buffer_iter *iter = ring_buffer_read_start(rb_test_buffer, cpu);
    struct rb_test_check check = {.ts = 0};
    struct ring_buffer_event *event;
    u64 ts;

    while (iter && (event = ring_buffer_iter_peek(iter, &ts))) {
        rb_test_check_record(cpu, &check, event, ts);
        ring_buffer_iter_advance(iter);
    }
    ring_buffer_read_finish(iter);
}

/* Shrinking a ring loses its oldest pages: not done where nothing may be lost. */
static unsigned long rb_test_size(int round, bool overwrite)
{
    return RB_TEST_SIZE * (1 + (overwrite ? 2 - round % 2 : round / 3));
}

static void rb_test_round(int round, bool overwrite)
{
    unsigned int cpu;

    msleep(1); /* lets the writer run if there is one hart */
    for_each_online_cpu(cpu) {
        on_each_cpu(rb_test_interrupt, NULL);
        rb_test_iterate(cpu);
        rb_test_consume(cpu);
    }
    if (round % 3 == 2 &&
        ring_buffer_resize(rb_test_buffer, rb_test_size(round, overwrite), RING_BUFFER_ALL_CPUS))
        rb_test_failed("resizing", 0, 1, 0);
}

/* After all writers have ended, the counts must match. */
static void rb_test_balance(unsigned int cpu, bool overwrite)
{
    u64 written = writers[cpu].number[RB_TEST_THREAD] + writers[cpu].number[RB_TEST_IRQ];
    struct ring_buffer_stats stats;
    unsigned long before;

    do {
        before = rb_test_read[cpu];
        rb_test_consume(cpu);
    } while (rb_test_read[cpu] != before);
    ring_buffer_stats_cpu(rb_test_buffer, cpu, &stats);
    if (rb_test_read[cpu] + rb_test_lost[cpu] != written)
        rb_test_failed("read and lost", cpu, rb_test_read[cpu] + rb_test_lost[cpu], written);
    if (stats.overrun != rb_test_lost[cpu])
        rb_test_failed("lost", cpu, rb_test_lost[cpu], stats.overrun);
    if (stats.entries)
        rb_test_failed("entries left", cpu, stats.entries, 0);
    if (stats.bytes)
        rb_test_failed("bytes left", cpu, stats.bytes, 0);
    if (!overwrite && stats.overrun)
        rb_test_failed("overwritten", cpu, stats.overrun, 0);
    if (!writers[cpu].number[RB_TEST_THREAD] || !rb_test_read[cpu])
        rb_test_failed("events", cpu, rb_test_read[cpu], 1);
    pr_info("ring buffer: CPU %u: %lu read, %lu lost, %lu dropped\n", cpu, rb_test_read[cpu],
            rb_test_lost[cpu], stats.dropped);
}

static unsigned int rb_test_start_threads(void)
{
    unsigned int cpu, n = 0;

    for_each_online_cpu(cpu) {
        struct task_struct *p = kthread_create(rb_test_thread, NULL, "rbtester/%u", cpu);

        if (IS_ERR(p))
            continue;
        kthread_bind(p, cpu);
        wake_up_new_task(p);
        n++;
    }
    return n;
}

static void rb_test_mode(bool overwrite)
{
    unsigned int cpu, threads;
    int round;

    memset(writers, 0, sizeof(writers));
    memset(consumed, 0, sizeof(consumed));
    memset(rb_test_read, 0, sizeof(rb_test_read));
    memset(rb_test_lost, 0, sizeof(rb_test_lost));
    rb_test_buffer = ring_buffer_alloc(RB_TEST_SIZE, overwrite);
    if (!rb_test_buffer) {
        rb_test_failed("memory", 0, 0, 1);
        return;
    }
    ring_buffer_set_clock(rb_test_buffer, rb_test_clock);
    WRITE_ONCE(rb_test_stop, false);
    init_completion(&rb_test_done);
    threads = rb_test_start_threads();
    for (round = 0; round < RB_TEST_ROUNDS; round++)
        rb_test_round(round, overwrite);
    WRITE_ONCE(rb_test_stop, true);
    while (threads--)
        wait_for_completion(&rb_test_done);
    for_each_online_cpu(cpu)
        rb_test_balance(cpu, overwrite);
    ring_buffer_free(rb_test_buffer);
}

static void a_ring_that_overwrites_reports_all_losses(struct kunit *test)
{
    rb_test = test;
    rb_test_mode(true);
}

static void a_ring_that_does_not_overwrite_loses_nothing(struct kunit *test)
{
    rb_test = test;
    rb_test_mode(false);
}

static void a_reader_that_starts_first_sees_the_right_time(struct kunit *test)
{
    struct ring_buffer_event *event;
    unsigned int cpu;
    unsigned long lost;
    u64 ts;

    rb_test_buffer = ring_buffer_alloc(RB_TEST_SIZE, true);
    if (!KUNIT_EXPECT_TRUE(test, rb_test_buffer))
        return;
    memset(writers, 0, sizeof(writers));
    ring_buffer_set_clock(rb_test_buffer, rb_test_clock);
    for_each_online_cpu(cpu)
        KUNIT_EXPECT_FALSE(test, ring_buffer_peek(rb_test_buffer, cpu, &ts, &lost));
    on_each_cpu(rb_test_interrupt, NULL);
    for_each_online_cpu(cpu) {
        event = ring_buffer_consume(rb_test_buffer, cpu, &ts, &lost);
        if (KUNIT_EXPECT_TRUE(test, event))
            KUNIT_EXPECT_EQ(test, ts,
                            ((struct rb_test_record *)ring_buffer_event_data(event))->stamp);
    }
    ring_buffer_free(rb_test_buffer);
}

/* Pages from ring_buffer_read_page() are what a trace.dat file contains. */
static void a_page_says_how_many_events_were_lost_before_it(struct kunit *test)
{
    static struct buffer_data_page page;
    struct ring_buffer_event *first;
    unsigned long end, flags;
    u64 lost;

    memset(writers, 0, sizeof(writers));
    rb_test_buffer = ring_buffer_alloc(RB_TEST_SIZE, true);
    if (!KUNIT_EXPECT_TRUE(test, rb_test_buffer))
        return;
    raw_local_irq_save(flags);
    while (writers[smp_processor_id()].number[RB_TEST_THREAD] < 200)
        rb_test_write(RB_TEST_THREAD);
    KUNIT_EXPECT_TRUE(test, ring_buffer_read_page(rb_test_buffer, smp_processor_id(), &page));
    raw_local_irq_restore(flags);
    KUNIT_EXPECT_TRUE(test, page.commit & RB_MISSED_EVENTS);
    end = page.commit & ~(RB_MISSED_EVENTS | RB_MISSED_STORED);
    first = (void *)page.data;
    memcpy(&lost, page.data + end, sizeof(lost));
    if (KUNIT_EXPECT_LE(test, end, BUF_PAGE_SIZE) && page.commit & RB_MISSED_STORED)
        KUNIT_EXPECT_EQ(test, lost,
                        ((struct rb_test_record *)ring_buffer_event_data(first))->number);
    ring_buffer_free(rb_test_buffer);
}

static const struct kunit_case ring_buffer_cases[] = {
    KUNIT_CASE(a_reader_that_starts_first_sees_the_right_time),
    KUNIT_CASE(a_page_says_how_many_events_were_lost_before_it),
    KUNIT_CASE(a_ring_that_overwrites_reports_all_losses),
    KUNIT_CASE(a_ring_that_does_not_overwrite_loses_nothing),
    {},
};

static const struct kunit_suite ring_buffer_suite = {"ring_buffer", ring_buffer_cases};
kunit_test_suite(ring_buffer_suite);
