/* kthread.c - threads with a name made by a format. */
#include <linux/errno.h>
#include <linux/kthread.h>

struct task_struct *kthread_create(int (*fn)(void *), void *data, const char *namefmt, ...)
{
    char comm[TASK_COMM_LEN];
    struct task_struct *p;
    va_list args;

    va_start(args, namefmt);
    vsnprintf(comm, sizeof(comm), namefmt, args);
    va_end(args);
    p = copy_kernel_thread(fn, data, comm);
    return p ? p : ERR_PTR(-ENOMEM);
}

void kthread_bind(struct task_struct *p, unsigned int cpu)
{
    p->cpus_allowed = 1UL << cpu;
    p->cpu = cpu;
}
