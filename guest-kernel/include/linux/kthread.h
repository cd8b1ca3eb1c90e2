/* kthread.h - making kernel threads. */
#ifndef LINUX_KTHREAD_H
#define LINUX_KTHREAD_H

#include <linux/sched.h>

/* Made but not yet running: wake it with wake_up_new_task(). ERR_PTR on failure. */
struct task_struct *__printf(3, 4)
    kthread_create(int (*fn)(void *), void *data, const char *namefmt, ...);
/* Between kthread_create() and wake_up_new_task() only. */
void kthread_bind(struct task_struct *p, unsigned int cpu);

#endif
