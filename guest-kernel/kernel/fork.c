/* fork.c - making tasks, and unmaking them. */
#include <asm/page.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

DEFINE_SPINLOCK(tasklist_lock);
LIST_HEAD(task_list);  /* under tasklist_lock */
static pid_t last_pid; /* under tasklist_lock */

void set_task_comm(struct task_struct *p, const char *comm)
{
    strscpy(p->comm, comm, TASK_COMM_LEN);
}

static struct task_struct *alloc_task(const char *comm)
{
    struct task_struct *p = kzalloc(sizeof(*p));

    if (!p)
        return NULL;
    p->stack = __get_free_pages(THREAD_SIZE_ORDER);
    if (!p->stack) {
        kfree(p);
        return NULL;
    }
    set_task_comm(p, comm);
    sched_fork(p);
    atomic_set(&p->usage, 1);
    p->cpus_allowed = ~0UL;
    p->curr_ret_stack = p->curr_ret_depth = -1;
    return p;
}

static void link_task(struct task_struct *p, bool with_pid)
{
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    if (with_pid)
        p->pid = ++last_pid;
    list_add_tail(&p->tasks, &task_list);
    spin_unlock_irqrestore(&tasklist_lock, flags);
}

/*
 * A new task looks as if it had just called __switch_to(): it comes back in
 * ret_from_kernel_thread, which finds fn and data in saved registers.
 */
struct task_struct *copy_kernel_thread(int (*fn)(void *), void *data, const char *comm)
{
    struct task_struct *p = alloc_task(comm);

    if (!p)
        return NULL;
    p->thread.ra = (unsigned long)ret_from_kernel_thread;
    p->thread.sp = (unsigned long)p->stack + THREAD_SIZE;
    p->thread.s[1] = (unsigned long)fn;
    p->thread.s[2] = (unsigned long)data;
    p->files = get_files_struct(&init_files);
    p->fs = get_fs_struct(&init_fs);
    link_task(p, true);
    ftrace_graph_init_task(p);
    ftrace_pid_fork(current, p);
    return p;
}

struct task_struct *fork_idle(unsigned int cpu)
{
    char comm[TASK_COMM_LEN];
    struct task_struct *idle;

    snprintf(comm, sizeof(comm), "swapper/%u", cpu);
    idle = alloc_task(comm);
    BUG_ON(!idle);
    init_idle(idle, cpu);
    link_task(idle, false);
    ftrace_graph_init_task(idle);
    return idle;
}

static void free_task(struct task_struct *p)
{
    unsigned long flags;

    ftrace_pid_exit(p);
    spin_lock_irqsave(&tasklist_lock, flags);
    list_del_init(&p->tasks);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    free_pages(p->stack, THREAD_SIZE_ORDER);
    ftrace_graph_exit_task(p);
    free_kthread_struct(p);
    kfree(p);
}

void put_task_struct(struct task_struct *p)
{
    if (atomic_dec_and_test(&p->usage))
        free_task(p);
}
