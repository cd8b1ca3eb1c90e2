/* kthread.h - kernel threads. */
#ifndef LINUX_KTHREAD_H
#define LINUX_KTHREAD_H

#include <linux/sched.h>

/* Creates a thread that does not run until wake_up_new_task(). ERR_PTR() on failure. */
struct task_struct *__printf(3, 4)
    kthread_create(int (*fn)(void *), void *data, const char *namefmt, ...);
/* Binds a thread to a hart; only before it is first woken. */
void kthread_bind(struct task_struct *p, unsigned int cpu);

#define kthread_run(fn, data, ...)                                            \
    ({                                                                        \
        struct task_struct *kthread_ = kthread_create(fn, data, __VA_ARGS__); \
        if (!IS_ERR(kthread_))                                                \
            wake_up_new_task(kthread_);                                       \
        kthread_;                                                             \
    })

/* Called by the thread: returns whether it should end. */
bool kthread_should_stop(void);
/*
 * Makes kthread_should_stop() true, wakes the thread and returns its result when it has ended.
 * The thread must not end before the call.
 */
int kthread_stop(struct task_struct *p);
void free_kthread_struct(struct task_struct *p);

#endif
