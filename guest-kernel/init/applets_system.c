/* applets_system.c - commands about tasks, time and the machine. */
#include "applet.h"
#include "shell.h"
#include <asm/page.h>
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/reboot.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workload.h>

static void print_workload(const char *name, void *unused)
{
    (void)unused;
    shell_error("  %s", name);
}

static int put_answer(const char *text, size_t len, void *unused)
{
    (void)unused;
    return put(text, len);
}

static int do_work(int argc, char **argv)
{
    unsigned long iterations = 0;

    if (argc < 2 || argc > 3 || (argc == 3 && kstrtoul(argv[2], 10, &iterations))) {
        usage_error(argv);
        workload_list(print_workload, NULL);
        return STATUS_USAGE;
    }
    if (workload_command(argv[1], iterations, put_answer, NULL)) {
        shell_error("work: no workload called %s", argv[1]);
        return STATUS_ERROR;
    }
    return 0;
}

/* What fails here is this kernel: nothing it does afterwards would be worth much. */
static int do_selftest(int argc, char **argv)
{
    int i = 1, err, status = 0;

    do {
        err = kunit_run(i < argc ? argv[i] : NULL);
        if (err && err != -EINVAL)
            machine_fail();
        if (err) {
            shell_error("selftest: no suite called %s", argv[i]);
            status = STATUS_ERROR;
        }
    } while (++i < argc);
    return status;
}

/* Seconds with up to three decimals. */
static int do_sleep(int argc, char **argv)
{
    unsigned long seconds, millis = 0, scale = 100;
    char *point;

    if (argc != 2)
        return usage_error(argv);
    point = strchr(argv[1], '.');
    if (point)
        *point++ = 0;
    for (; point && *point >= '0' && *point <= '9'; point++, scale /= 10)
        millis += (*point - '0') * scale;
    if (kstrtoul(*argv[1] ? argv[1] : "0", 10, &seconds) || (point && *point))
        return usage_error(argv);
    return msleep_interruptible(seconds * 1000 + millis) ? STATUS_ERROR : 0;
}

static int do_usleep(int argc, char **argv)
{
    unsigned long usecs;

    if (argc != 2 || kstrtoul(argv[1], 10, &usecs))
        return usage_error(argv);
    return msleep_interruptible((usecs + 999) / 1000) ? STATUS_ERROR : 0;
}

static char state_char(const struct task_struct *p)
{
    if (p->on_cpu)
        return 'R';
    switch (p->state) {
    case TASK_INTERRUPTIBLE: return 'S';
    case TASK_UNINTERRUPTIBLE: return 'D';
    case TASK_DEAD: return 'X';
    default: return 'R';
    }
}

/* Answers how long the list is; one that fills the buffer is cut off. */
static int list_tasks(char *text, size_t size)
{
    struct task_struct *p;
    unsigned long flags;
    int n = scnprintf(text, size, "  PID CPU STAT COMMAND\n");

    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(p, &task_list, tasks) n +=
        scnprintf(text + n, size - n, "%5d %3d %c    %s\n", p->pid, p->cpu, state_char(p), p->comm);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return n;
}

/* Collected under the lock, written without it: the console may take its time. */
static int do_ps(int argc, char **argv)
{
    size_t size = PAGE_SIZE;
    char *text = kmalloc(size);
    int n, status;

    (void)argc;
    (void)argv;
    while (text && (n = list_tasks(text, size)) == (int)size - 1) {
        kfree(text);
        size *= 2;
        text = kmalloc(size);
    }
    if (!text)
        return STATUS_ERROR;
    status = put(text, n);
    kfree(text);
    return status;
}

static int do_poweroff(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    machine_power_off();
}

static int help_table(const struct applet *a)
{
    int status = 0;

    for (; a->name && !status; a++)
        status = putf("%s %s\n", a->name, a->usage);
    return status;
}

static int do_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return help_table(shell_applets) || help_table(text_applets) || help_table(file_applets) ||
           help_table(system_applets) || help_table(module_applets);
}

const struct applet system_applets[] = {
    {"help", "", do_help, NULL},
    {"poweroff", "", do_poweroff, NULL},
    {"ps", "", do_ps, NULL},
    {"selftest", "[SUITE...]", do_selftest, NULL},
    {"sleep", "SECONDS", do_sleep, NULL},
    {"usleep", "MICROSECONDS", do_usleep, NULL},
    {"work", "NAME [N]", do_work, NULL},
    {NULL, NULL, NULL, NULL},
};
