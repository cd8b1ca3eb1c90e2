/*
 * callback_sample.c - a module with functions that the kernel calls: a probe at the tracepoint of
 * kfree(), and a notifier of modules.
 *
 * When it is removed it says how often they were called.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/tracepoint.h>
#include <trace/events/kmem.h>

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("callbacks in a module");

static atomic_t frees, changes;

static void count_free(void *data, unsigned long call_site, const void *ptr)
{
    (void)data;
    (void)call_site;
    (void)ptr;
    atomic_inc(&frees);
}

static int count_change(struct notifier_block *nb, unsigned long action, void *data)
{
    (void)nb;
    (void)action;
    (void)data;
    atomic_inc(&changes);
    return NOTIFY_OK;
}

static struct notifier_block notifier = {.notifier_call = count_change};

static int __used callback_sample_init(void)
{
    int err = register_module_notifier(&notifier);

    if (err)
        return err;
    err = register_trace_kfree(count_free, NULL);
    if (err)
        unregister_module_notifier(&notifier);
    return err;
}
module_init(callback_sample_init);

static void __used callback_sample_exit(void)
{
    unregister_trace_kfree(count_free, NULL);
    unregister_module_notifier(&notifier);
    tracepoint_synchronize_unregister();
    pr_info("callback_sample: kfree() was called%s, modules changed%s\n",
            atomic_read(&frees) ? "" : " never", atomic_read(&changes) ? "" : " never");
}
module_exit(callback_sample_exit);
