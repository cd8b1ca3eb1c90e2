/*
 * misuse.c - a module that makes one programming error, to show that the kernel detects it:
 * insmod misuse.ko what=NAME.
 */
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

MODULE_LICENSE("MIT");
MODULE_DESCRIPTION("programming errors that the kernel detects");

enum { SIZE = 64 };

static char *what = "nothing";
module_param(what, charp, 0444);

static DEFINE_MUTEX(lock);

static void write_past_the_end(void)
{
    char *volatile p = kmalloc(SIZE);

    p[SIZE] = 1;
    kfree(p);
}

static void write_after_free(void)
{
    char *volatile p = kmalloc(SIZE);

    kfree(p);
    p[3] = 1;
    (void)kmalloc(SIZE);
}

static void free_twice(void)
{
    void *volatile p = kmalloc(SIZE);

    kfree(p);
    kfree(p);
}

static void sleep_in_atomic(void)
{
    preempt_disable();
    msleep(1);
}

static void lock_twice(void)
{
    mutex_lock(&lock);
    mutex_lock(&lock);
}

static void write_text(void)
{
    *(volatile unsigned short *)(unsigned long)write_text = 0;
}

static void write_constant(void)
{
    *(volatile char *)"constant" = 'C';
}

static void run_data(void)
{
    static unsigned short ret_insn[] = {0x8082};

    ((void (*)(void))ret_insn)();
}

static const struct {
    const char *name;
    void (*make_error)(void);
} errors[] = {
    {"write-past-the-end", write_past_the_end},
    {"write-after-free", write_after_free},
    {"free-twice", free_twice},
    {"sleep-in-atomic", sleep_in_atomic},
    {"lock-twice", lock_twice},
    {"write-text", write_text},
    {"write-constant", write_constant},
    {"run-data", run_data},
};

static int __used misuse_init(void)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(errors); i++)
        if (!strcmp(errors[i].name, what))
            errors[i].make_error();
    return -EINVAL;
}
module_init(misuse_init);
