/*
 * ftrace_ops.c - a module that measures calls of a traced function, by how many ftrace_ops want
 * that function and how many another one; parameters as in Linux's sample of this name.
 *
 *     insmod ftrace_ops.ko nr_ops_relevant=1 nr_ops_irrelevant=100
 *
 * Without `persist' the ops are gone when insmod returns.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("what a call of a traced function takes");

static unsigned int nr_function_calls = 100000;
module_param(nr_function_calls, uint, 0444);

/* Of tracee_relevant(), which is called. */
static unsigned int nr_ops_relevant = 1;
module_param(nr_ops_relevant, uint, 0444);

/* Of tracee_irrelevant(), which is not. */
static unsigned int nr_ops_irrelevant;
module_param(nr_ops_irrelevant, uint, 0444);

static bool save_regs;
module_param(save_regs, bool, 0444);

/* The ops are called with a guard against recursion. */
static bool assist_recursion;
module_param(assist_recursion, bool, 0444);

/* Each of the ops counts its calls, and a wrong number is an error. */
static bool check_count;
module_param(check_count, bool, 0444);

/* They stay until the module is removed. */
static bool persist;
module_param(persist, bool, 0444);

struct sample_ops {
    struct ftrace_ops ops;
    unsigned int count;
};

static struct sample_ops *ops_relevant, *ops_irrelevant;

__attribute__((noipa)) static void tracee_relevant(void)
{
    barrier();
}

__attribute__((noipa)) static void tracee_irrelevant(void)
{
    barrier();
}

static notrace void do_nothing(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                               struct ftrace_regs *fregs)
{
    (void)ip;
    (void)parent_ip;
    (void)op;
    (void)fregs;
}

static notrace void count_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                               struct ftrace_regs *fregs)
{
    (void)ip;
    (void)parent_ip;
    (void)fregs;
    container_of(op, struct sample_ops, ops)->count++;
}

/* Unregisters the first `count' ops, and frees all. */
static void ops_remove(struct sample_ops *ops, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        WARN_ON(unregister_ftrace_function(&ops[i].ops));
        ftrace_free_filter(&ops[i].ops);
    }
    kfree(ops);
}

/* Registers `count' ops of `tracee'. Returns them, or NULL after an error. */
static struct sample_ops *ops_add(void (*tracee)(void), unsigned int count, int *err)
{
    struct sample_ops *ops = kzalloc((count + 1) * sizeof(*ops));

    *err = ops ? 0 : -ENOMEM;
    for (unsigned int i = 0; i < count && !*err; i++) {
        struct ftrace_ops *op = &ops[i].ops;

        op->func = check_count ? count_call : do_nothing;
        op->flags = (save_regs ? FTRACE_OPS_FL_SAVE_REGS : 0) |
                    (assist_recursion ? FTRACE_OPS_FL_RECURSION : 0);
        *err = ftrace_set_filter_ip(op, (unsigned long)tracee, false, false);
        if (!*err)
            *err = register_ftrace_function(op);
        if (*err) {
            ftrace_free_filter(op);
            ops_remove(ops, i);
            ops = NULL;
        }
    }
    return ops;
}

static bool have_count(const struct sample_ops *ops, unsigned int nr, unsigned int count)
{
    for (unsigned int i = 0; i < nr; i++)
        if (check_count && ops[i].count != count) {
            pr_err("ftrace_ops: ops %u of %u was called %u times instead of %u\n", i, nr,
                   ops[i].count, count);
            return false;
        }
    return true;
}

static void measure(void)
{
    ktime_t start = ktime_get();
    u64 took;

    for (unsigned int i = 0; i < nr_function_calls; i++)
        tracee_relevant();
    took = (u64)(ktime_get() - start);
    pr_info("ftrace_ops: %u calls of tracee_relevant, %u ops for it, %u for another: %llu ns, "
            "%llu ns each\n",
            nr_function_calls, nr_ops_relevant, nr_ops_irrelevant, (unsigned long long)took,
            (unsigned long long)took / nr_function_calls);
}

static void remove_all(void)
{
    if (ops_irrelevant)
        ops_remove(ops_irrelevant, nr_ops_irrelevant);
    if (ops_relevant)
        ops_remove(ops_relevant, nr_ops_relevant);
    ops_irrelevant = ops_relevant = NULL;
}

static int __used ftrace_ops_sample_init(void)
{
    int err;

    if (!nr_function_calls)
        return -EINVAL;
    tracee_irrelevant();
    ops_irrelevant = ops_add(tracee_irrelevant, nr_ops_irrelevant, &err);
    if (!err)
        ops_relevant = ops_add(tracee_relevant, nr_ops_relevant, &err);
    if (!err) {
        measure();
        if (!have_count(ops_relevant, nr_ops_relevant, nr_function_calls) ||
            !have_count(ops_irrelevant, nr_ops_irrelevant, 0))
            err = -EINVAL;
    }
    if (err || !persist)
        remove_all();
    return err;
}
module_init(ftrace_ops_sample_init);

static void __used ftrace_ops_sample_exit(void)
{
    remove_all();
}
module_exit(ftrace_ops_sample_exit);
