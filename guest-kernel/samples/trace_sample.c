/*
 * trace_sample.c - a module with functions to trace.
 *
 * `cat /proc/trace_sample` calls a binary tree of functions: `depth` levels of sample_branch(),
 * and sample_leaf() below them, so the number of calls is known. With print=1 each run writes a
 * message to the trace.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("functions to trace");

enum { MAX_DEPTH = 12 };

static unsigned int depth = 2;
module_param(depth, uint, 0444);

static bool print;
static DEFINE_STATIC_KEY_FALSE(prints);
module_param(print, bool, 0444);

static unsigned int walks; /* under the lock of the /proc file */
static struct dentry *proc_file;

__attribute__((noipa)) unsigned int sample_leaf(unsigned int n)
{
    return n + 1;
}
EXPORT_SYMBOL(sample_leaf);

__attribute__((noipa)) static unsigned int sample_branch(unsigned int level, unsigned int n)
{
    if (level == 0)
        return sample_leaf(n);
    n = sample_branch(level - 1, n);
    return sample_branch(level - 1, n);
}

static int sample_show(struct seq_file *m, void *unused)
{
    (void)unused;
    walks++;
    if (static_branch_unlikely(&prints))
        trace_printk("walk %u\n", walks);
    seq_printf(m, "walk %u: %u leaves\n", walks, sample_branch(depth, 0));
    return 0;
}

static int __used sample_init(void)
{
    if (depth > MAX_DEPTH)
        return -EINVAL;
    if (print)
        static_branch_enable(&prints);
    proc_file = proc_create_single("trace_sample", S_IRUGO, NULL, sample_show);
    return proc_file ? 0 : -ENOMEM;
}
module_init(sample_init);

static void __used sample_exit(void)
{
    proc_remove(proc_file);
    pr_info("trace_sample: %u walks\n", walks);
}
module_exit(sample_exit);
