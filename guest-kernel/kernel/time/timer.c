/* timer.c - sleeping: each hart's tick wakes those who went to sleep there. */
#include <asm/timex.h>
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

struct sleeper {
    struct list_head entry;
    struct task_struct *task;
    u64 expires; /* by the time register */
    bool fired;  /* under the base's lock */
};

struct timer_base {
    spinlock_t lock;
    struct list_head sleepers; /* under lock, earliest first */
};

static struct timer_base timer_bases[NR_CPUS];

void init_timers(void)
{
    unsigned int cpu;

    for (cpu = 0; cpu < NR_CPUS; cpu++)
        INIT_LIST_HEAD(&timer_bases[cpu].sleepers);
}

static void enqueue_sleeper(struct timer_base *base, struct sleeper *s)
{
    struct sleeper *pos;

    list_for_each_entry(pos, &base->sleepers, entry) if (pos->expires > s->expires) break;
    list_add_tail(&s->entry, &pos->entry);
}

void run_local_timers(void)
{
    struct timer_base *base = &timer_bases[smp_processor_id()];
    struct sleeper *s, *next;

    spin_lock(&base->lock);
    list_for_each_entry_safe(s, next, &base->sleepers, entry)
    {
        struct task_struct *task = s->task;

        if (s->expires > get_time())
            break;
        list_del_init(&s->entry);
        WRITE_ONCE(s->fired, true);
        wake_up_process(task);
    }
    spin_unlock(&base->lock);
}

void msleep(unsigned int msecs)
{
    struct sleeper self = {.task = current, .expires = get_time() + msecs * riscv_timebase / 1000};
    struct timer_base *base;
    unsigned long flags;

    local_irq_save(flags);
    base = &timer_bases[smp_processor_id()];
    spin_lock(&base->lock);
    enqueue_sleeper(base, &self);
    set_current_state(TASK_UNINTERRUPTIBLE);
    spin_unlock(&base->lock);
    local_irq_restore(flags);
    while (!READ_ONCE(self.fired)) {
        schedule();
        set_current_state(TASK_UNINTERRUPTIBLE);
    }
    set_current_state(TASK_RUNNING);
    /* The tick may still be at waking us: it holds the lock until it is done with this task. */
    spin_lock_irqsave(&base->lock, flags);
    spin_unlock_irqrestore(&base->lock, flags);
}
