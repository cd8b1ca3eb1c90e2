/* kthread.c - kernel threads: created with a formatted name, stopped on request. */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <trace/events/sched.h>

struct kthread {
    int (*threadfn)(void *data);
    void *data;
    bool should_stop;
    int result; /* valid when exited is complete */
    struct completion exited;
};

static int kthread(void *arg)
{
    struct kthread *self = arg;

    self->result = self->threadfn(self->data);
    complete(&self->exited);
    return self->result;
}

struct task_struct *kthread_create(int (*fn)(void *), void *data, const char *namefmt, ...)
{
    struct kthread *self = kzalloc(sizeof(*self));
    char comm[TASK_COMM_LEN];
    struct task_struct *p;
    va_list args;

    if (!self)
        return ERR_PTR(-ENOMEM);
    self->threadfn = fn;
    self->data = data;
    init_completion(&self->exited);
    va_start(args, namefmt);
    vsnprintf(comm, sizeof(comm), namefmt, args);
    va_end(args);
    p = copy_kernel_thread(kthread, self, comm);
    if (!p) {
        kfree(self);
        return ERR_PTR(-ENOMEM);
    }
    p->kthread = self;
    return p;
}
EXPORT_SYMBOL(kthread_create);

void kthread_bind(struct task_struct *p, unsigned int cpu)
{
    p->cpus_allowed = 1UL << cpu;
    p->cpu = cpu;
}

bool kthread_should_stop(void)
{
    return READ_ONCE(current->kthread->should_stop);
}
EXPORT_SYMBOL(kthread_should_stop);

int kthread_stop(struct task_struct *p)
{
    int result;

    trace_sched_kthread_stop(p);
    get_task_struct(p);
    WRITE_ONCE(p->kthread->should_stop, true);
    wake_up_process(p);
    wait_for_completion(&p->kthread->exited);
    result = p->kthread->result;
    put_task_struct(p);
    trace_sched_kthread_stop_ret(result);
    return result;
}
EXPORT_SYMBOL(kthread_stop);

/* Called when the task is freed; kthread_stop() may use the struct until then. */
void free_kthread_struct(struct task_struct *p)
{
    kfree(p->kthread);
}
