/* kthread.h - making kernel threads, and stopping them. */
#ifndef LINUX_KTHREAD_H
#define LINUX_KTHREAD_H

#include <linux/sched.h>

/* Made but not yet running: wake it with wake_up_new_task(). ERR_PTR on failure. */
struct task_struct *__printf(3, 4)
    kthread_create(int (*fn)(void *), void *data, const char *namefmt, ...);
/* Between kthread_create() and wake_up_new_task() only. */
void kthread_bind(struct task_struct *p, unsigned int cpu);

#define kthread_run(fn, data, ...)                                            \
    ({                                                                        \
        struct task_struct *kthread_ = kthread_create(fn, data, __VA_ARGS__); \
        if (!IS_ERR(kthread_))                                                \
            wake_up_new_task(kthread_);                                       \
        kthread_;                                                             \
    })

/* For the thread: it has been asked to return. */
bool kthread_should_stop(void);
/* Asks for that, wakes the thread, and answers what it returned. It must not end by itself before.
 */
int kthread_stop(struct task_struct *p);
void free_kthread_struct(struct task_struct *p);

#endif
