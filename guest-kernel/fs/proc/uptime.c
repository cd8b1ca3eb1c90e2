/* uptime.c - /proc/uptime: seconds since power-on, and those that all harts together were idle. */
#include "internal.h"
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>

static int uptime_proc_show(struct seq_file *m, void *unused)
{
    const u64 centisecond = NSEC_PER_SEC / 100;
    u64 now = sched_clock(), idle = init_task.sum_exec_runtime;
    const struct task_struct *p;
    unsigned long flags;

    (void)unused;
    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p)
        idle += is_idle_task(p) ? p->sum_exec_runtime : 0;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    seq_printf(m, "%llu.%02llu %llu.%02llu\n", now / NSEC_PER_SEC, now / centisecond % 100,
               idle / NSEC_PER_SEC, idle / centisecond % 100);
    return 0;
}

void proc_uptime_init(void)
{
    proc_create_single("uptime", S_IRUGO, NULL, uptime_proc_show);
}
