/*
 * event_sample.c - a module with events of its own, which come and go with it.
 *
 * Each line that is read from /proc/event_sample is an event. The module also uses a static key of
 * the kernel: the file says whether somebody traces kfree().
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <trace/events/kmem.h>
#define CREATE_TRACE_POINTS
#include "event_sample.h"

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("events of a module");

enum { LINES = 6 };

static struct dentry *proc_file;

static int sample_show(struct seq_file *m, void *unused)
{
    static const char *const texts[] = {"none", "one", "two", "three", "four", "five"};
    int i;

    (void)unused;
    seq_printf(m, "kfree is %s\n", trace_kfree_enabled() ? "traced" : "not traced");
    for (i = 0; i < LINES; i++) {
        u8 digits[] = {i / 10, i % 10};

        trace_sample_line(i, texts[i], digits, sizeof(digits));
        trace_sample_third(i);
        seq_printf(m, "%d %s\n", i, texts[i]);
    }
    return 0;
}

static int __used event_sample_init(void)
{
    proc_file = proc_create_single("event_sample", S_IRUGO, NULL, sample_show);
    return proc_file ? 0 : -ENOMEM;
}
module_init(event_sample_init);

static void __used event_sample_exit(void)
{
    proc_remove(proc_file);
}
module_exit(event_sample_exit);
