/* trace_instances_test.c - instances of the kernel's own. */
#include "trace.h"
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/trace.h>

#define NAME "kunit_trace"
#define PATH "/sys/kernel/tracing/instances/" NAME

static unsigned long entries_of(const struct trace_array *tr)
{
    unsigned long total, entries;

    trace_buffer_entries(&tr->array_buffer, &total, &entries);
    return entries;
}

static void an_instance_is_made_once(struct kunit *test)
{
    struct trace_array *tr = trace_array_get_by_name(NAME);

    KUNIT_EXPECT_TRUE(test, tr);
    KUNIT_EXPECT_TRUE(test, trace_array_get_by_name(NAME) == tr);
    KUNIT_EXPECT_EQ(test, do_mkdirat(AT_FDCWD, PATH, 0755), -EEXIST);
    KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -EBUSY);
    trace_array_put(tr);
    KUNIT_EXPECT_EQ(test, do_rmdir(AT_FDCWD, PATH), -EBUSY);
    trace_array_put(tr);
    KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
    KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), -ENODEV);
    KUNIT_EXPECT_EQ(test, trace_array_destroy(NULL), -EINVAL);
    KUNIT_EXPECT_EQ(test, do_rmdir(AT_FDCWD, PATH), -ENOENT);
}

static void its_events_and_messages_are_its_own(struct kunit *test)
{
    struct trace_array *tr = trace_array_get_by_name(NAME);
    unsigned long here = (unsigned long)its_events_and_messages_are_its_own;
    unsigned long before = entries_of(&global_trace), after;

    KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "no_such", true), -EINVAL);
    KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, "sched", "sched_switch", true), 0);
    schedule_timeout_uninterruptible(2);
    KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(tr, NULL, NULL, false), 0);
    after = entries_of(tr);
    KUNIT_EXPECT_TRUE(test, after >= 2);
    KUNIT_EXPECT_EQ(test, trace_array_printk(tr, here, "%s", "hello"), 5);
    KUNIT_EXPECT_EQ(test, trace_array_printk(NULL, here, "%s", "hello"), -ENOENT);
    KUNIT_EXPECT_EQ(test, entries_of(tr), after + 1);
    KUNIT_EXPECT_EQ(test, entries_of(&global_trace), before);
    trace_array_put(tr);
    KUNIT_EXPECT_EQ(test, do_rmdir(AT_FDCWD, PATH), 0);
}

static void an_open_file_keeps_it(struct kunit *test)
{
    struct trace_array *tr = trace_array_get_by_name(NAME);
    struct file *file = filp_open(PATH "/trace_pipe", O_RDONLY | O_NONBLOCK, 0);
    struct file *dir = filp_open(PATH, O_RDONLY | O_DIRECTORY, 0);
    char text[4];

    trace_array_put(tr);
    KUNIT_EXPECT_FALSE(test, IS_ERR(file));
    KUNIT_EXPECT_EQ(test, do_rmdir(AT_FDCWD, PATH), -EBUSY);
    KUNIT_EXPECT_EQ(test, file_read(file, text, sizeof(text)), -EAGAIN);
    filp_close(file);
    KUNIT_EXPECT_EQ(test, do_rmdir(AT_FDCWD, PATH), 0); /* an open directory does not keep it */
    KUNIT_EXPECT_TRUE(test, IS_ERR(filp_open(PATH "/trace", O_RDONLY, 0)));
    filp_close(dir);
}

/* Without a table poll() says what is ready, and the next entry wakes who waits for the rings. */
static void poll_says_whether_there_are_entries(struct kunit *test)
{
    struct trace_array *tr = trace_array_get_by_name(NAME);
    unsigned long here = (unsigned long)poll_says_whether_there_are_entries;
    struct file *pipe = filp_open(PATH "/trace_pipe", O_RDONLY, 0), *raw;
    char path[96], text[4];

    preempt_disable();
    snprintf(path, sizeof(path), PATH "/per_cpu/cpu%u/trace_pipe_raw", smp_processor_id());
    preempt_enable();
    raw = filp_open(path, O_RDONLY, 0);
    KUNIT_EXPECT_EQ(test, pipe->f_op->poll(pipe, NULL), 0);
    KUNIT_EXPECT_EQ(test, raw->f_op->poll(raw, NULL), 0);
    KUNIT_EXPECT_TRUE(test, trace_buffer_of(tr)->waiters_pending);
    KUNIT_EXPECT_EQ(test, trace_array_printk(tr, here, "%s", "hello"), 5);
    KUNIT_EXPECT_EQ(test, pipe->f_op->poll(pipe, NULL), POLLIN | POLLRDNORM);
    KUNIT_EXPECT_EQ(test, file_read(pipe, text, sizeof(text)), 4);
    KUNIT_EXPECT_TRUE(test, ring_buffer_empty(trace_buffer_of(tr)));
    KUNIT_EXPECT_EQ(test, pipe->f_op->poll(pipe, NULL), POLLIN | POLLRDNORM); /* the rest of it */
    filp_close(pipe);
    filp_close(raw);
    trace_array_put(tr);
    KUNIT_EXPECT_EQ(test, do_rmdir(AT_FDCWD, PATH), 0);
}

static const struct kunit_case trace_instances_cases[] = {
    KUNIT_CASE(an_instance_is_made_once),
    KUNIT_CASE(its_events_and_messages_are_its_own),
    KUNIT_CASE(an_open_file_keeps_it),
    KUNIT_CASE(poll_says_whether_there_are_entries),
    {},
};

static const struct kunit_suite trace_instances_suite = {"trace_instances", trace_instances_cases};
kunit_test_suite(trace_instances_suite);
