/* sample_user.c - a module that uses a symbol of another module. */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/printk.h>

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("a user of trace_sample");

unsigned int sample_leaf(unsigned int n);

static int start = 41;
module_param(start, int, 0444);
static bool fail;
module_param(fail, bool, 0444);
static char *greeting = "the leaf answers";
module_param(greeting, charp, 0444);

static int __used user_init(void)
{
    pr_info("sample_user: %s %u\n", greeting, sample_leaf(start));
    return fail ? -ENODEV : 0;
}
module_init(user_init);

static void __used user_exit(void)
{
    pr_info("sample_user: the leaf answered %u\n", sample_leaf(start));
}
module_exit(user_exit);
