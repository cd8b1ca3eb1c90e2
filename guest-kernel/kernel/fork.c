/* fork.c - creates and destroys tasks and address spaces. */
#include <asm/page.h>
#include <asm/tlbflush.h>
#include <asm/vector.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/ftrace.h>
#include <linux/futex.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>

#define CREATE_TRACE_POINTS
#include <trace/events/task.h>
#undef CREATE_TRACE_POINTS

DEFINE_SPINLOCK(tasklist_lock);
static pid_t last_pid; /* under tasklist_lock */

enum { RESERVED_PIDS = 300, PID_MAX_DEFAULT = 32768, PID_MAX_LIMIT = 4 << 20 };
static int pid_max = PID_MAX_DEFAULT;
static bool reused; /* under tasklist_lock: numbers from here on may be taken */

/* ---- address spaces ---- */

static pte_t *pgd_alloc(void)
{
    pte_t *pgd = __get_free_pages(0);

    if (!pgd)
        return NULL;
    memset(pgd, 0, USER_PTRS_PER_PGD * sizeof(*pgd));
    memcpy(pgd + USER_PTRS_PER_PGD, swapper_pg_dir + USER_PTRS_PER_PGD,
           PAGE_SIZE - USER_PTRS_PER_PGD * sizeof(*pgd));
    return pgd;
}

/*
 * A hart that enters the new mm for the first time may have fetched older contents of its
 * pages: its instruction cache counts as stale on every hart.
 */
struct mm_struct *mm_alloc(void)
{
    struct mm_struct *mm = kzalloc(sizeof(*mm));

    if (!mm)
        return NULL;
    mm->pgd = pgd_alloc();
    if (!mm->pgd) {
        kfree(mm);
        return NULL;
    }
    atomic_set(&mm->mm_users, 1);
    mm->context.icache_stale_mask = ~0UL;
    mutex_init(&mm->mmap_lock);
    INIT_LIST_HEAD(&mm->mmap);
    return mm;
}

void mmput(struct mm_struct *mm)
{
    if (!atomic_dec_and_test(&mm->mm_users))
        return;
    exit_mmap(mm);
    kfree(mm);
}

struct mm_struct *get_task_mm(pid_t pid)
{
    struct mm_struct *mm = NULL;
    const struct task_struct *p;
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p) {
        if (p->pid == pid && p->mm && !task_is_dead(p)) {
            mm = p->mm;
            atomic_inc(&mm->mm_users);
        }
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return mm;
}

static int dup_mmap(struct mm_struct *mm, struct mm_struct *oldmm)
{
    struct vm_area_struct *old, *vma;
    int err = 0;

    list_for_each_entry(old, &oldmm->mmap, vm_list) {
        if (old->vm_flags & VM_DONTCOPY)
            continue;
        vma = vm_area_alloc(mm, old->vm_start, old->vm_end, old->vm_flags, old->vm_file,
                            old->vm_offset);
        if (!vma)
            return -ENOMEM;
        vma->vm_ops = old->vm_ops;
        if (vma->vm_ops && vma->vm_ops->open)
            vma->vm_ops->open(vma);
        insert_vm_struct(mm, vma);
        err = copy_page_range(mm, oldmm, old);
        if (err)
            break;
    }
    return err;
}

struct mm_struct *dup_mm(struct mm_struct *oldmm)
{
    struct mm_struct *mm = mm_alloc();
    int err;

    if (!mm)
        return NULL;
    mutex_lock(&oldmm->mmap_lock);
    mm->start_brk = oldmm->start_brk;
    mm->brk = oldmm->brk;
    mm->context.vdso = oldmm->context.vdso;
    err = dup_mmap(mm, oldmm);
    flush_tlb_mm(oldmm); /* the parent's private pages are write-protected now, too */
    mutex_unlock(&oldmm->mmap_lock);
    if (err) {
        mmput(mm);
        return NULL;
    }
    return mm;
}

/* ---- tasks ---- */

void __set_task_comm(struct task_struct *p, const char *comm, bool exec)
{
    trace_task_rename(p, comm);
    tracing_task_renamed(p);
    strscpy(p->comm, comm, TASK_COMM_LEN);
    perf_event_comm(p, exec);
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
    /*
     * The pages may have held a program's code. QEMU keeps its translations of such a page
     * until all of it is overwritten, and checks each store to the page: a slow stack.
     */
    memset(p->stack, 0, THREAD_SIZE);
    strscpy(p->comm, comm, TASK_COMM_LEN);
    INIT_LIST_HEAD(&p->children);
    INIT_LIST_HEAD(&p->sibling);
    sched_fork(p);
    atomic_set(&p->usage, 1);
    p->cpus_allowed = ~0UL;
    p->curr_ret_stack = p->curr_ret_depth = -1;
    return p;
}

/* Under tasklist_lock, so that no task is forgotten when the events of system calls change. */
static void syscall_tracepoint_update(struct task_struct *p)
{
    p->flags |= READ_ONCE(current->flags) & 1UL << TIF_SYSCALL_TRACEPOINT;
}

/* The number after the last one; after pid_max, the lowest that is free. Under tasklist_lock. */
static pid_t alloc_pid(void)
{
    const struct task_struct *p;
    bool taken;

    do {
        reused |= last_pid >= pid_max - 1;
        last_pid = last_pid < pid_max - 1 ? last_pid + 1 : RESERVED_PIDS;
        taken = false;
        if (!reused)
            break;
        for_each_process(p) {
            taken |= p->pid == last_pid || p->pgrp == last_pid || p->session == last_pid;
        }
    } while (taken);
    return last_pid;
}

/* A task with a parent gets a second reference, which wait4() drops. */
static void link_task(struct task_struct *p, struct task_struct *parent, bool with_pid)
{
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    if (with_pid)
        p->pid = alloc_pid();
    list_add_tail(&p->tasks, &init_task.tasks);
    syscall_tracepoint_update(p);
    p->parent = parent;
    if (parent) {
        get_task_struct(p);
        list_add_tail(&p->sibling, &parent->children);
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
}

static int copy_mm(struct task_struct *p, unsigned long clone_flags)
{
    struct mm_struct *oldmm = current->mm;

    if (!oldmm) /* current is a kernel thread: exec will create the mm */
        return 0;
    if (clone_flags & CLONE_VM) {
        atomic_inc(&oldmm->mm_users);
        p->mm = oldmm;
    } else {
        p->mm = dup_mm(oldmm);
    }
    return p->mm ? 0 : -ENOMEM;
}

/* Inherits affinity, nice value, policy and priority. Called before p is first woken. */
static void copy_sched(struct task_struct *p)
{
    struct sched_param param = {current->rt_priority};

    p->cpus_allowed = current->cpus_allowed;
    set_user_nice(p, PRIO_TO_NICE(current->static_prio));
    if (current->policy != SCHED_DEADLINE) /* its child begins as an ordinary task */
        sched_setscheduler(p, current->policy, &param);
}

static int copy_signals(struct task_struct *p)
{
    if (current->sighand) {
        p->sighand = copy_sighand(current->sighand);
        if (!p->sighand)
            return -ENOMEM;
    }
    p->pgrp = current->pgrp;
    p->session = current->session;
    p->sig_allowed = ~0ull;
    p->sig_blocked = current->sig_blocked;
    p->sig_ignored = current->sig_ignored;
    return 0;
}

static int copy_resources(struct task_struct *p, unsigned long clone_flags)
{
    p->files =
        clone_flags & CLONE_FILES ? get_files_struct(current->files) : dup_fd(current->files);
    p->fs = clone_flags & CLONE_FS ? get_fs_struct(current->fs) : copy_fs_struct(current->fs);
    if (!p->files || !p->fs || copy_signals(p))
        return -ENOMEM;
    if (!is_idle_task(current)) /* init, which the idle task creates, keeps the defaults */
        copy_sched(p);
    arch_dup_task_struct(p);
    if (perf_event_init_task(p))
        return -ENOMEM;
    return copy_mm(p, clone_flags);
}

static void drop_resources(struct task_struct *p)
{
    perf_event_free_task(p);
    if (p->fs)
        exit_fs(p);
    if (p->files)
        exit_files(p);
    exit_sighand(p);
    free_pages(p->stack, THREAD_SIZE_ORDER);
    kfree(p);
}

struct task_struct *copy_process(const struct kernel_clone_args *args)
{
    struct task_struct *p = alloc_task(args->comm ? args->comm : current->comm);

    if (!p)
        return ERR_PTR(-ENOMEM);
    if (args->kthread) {
        p->files = get_files_struct(&init_files);
        p->fs = get_fs_struct(&init_fs);
    } else if (copy_resources(p, args->flags)) {
        drop_resources(p);
        return ERR_PTR(-ENOMEM);
    }
    p->exit_signal = args->exit_signal;
    copy_thread(p, args);
    link_task(p, args->kthread ? NULL : current, true);
    ftrace_graph_init_task(p);
    ftrace_pid_fork(current, p);
    trace_task_newtask(p, args->flags);
    return p;
}

struct task_struct *copy_kernel_thread(int (*fn)(void *), void *data, const char *comm)
{
    struct kernel_clone_args args = {.fn = fn, .fn_arg = data, .comm = comm, .kthread = true};
    struct task_struct *p = copy_process(&args);

    return IS_ERR(p) ? NULL : p;
}

struct task_struct *fork_idle(unsigned int cpu)
{
    char comm[TASK_COMM_LEN];
    struct task_struct *idle;

    snprintf(comm, sizeof(comm), "swapper/%u", cpu);
    idle = alloc_task(comm);
    BUG_ON(!idle);
    init_idle(idle, cpu);
    link_task(idle, NULL, false);
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
    exit_sighand(p);
    free_pages(p->stack, THREAD_SIZE_ORDER);
    ftrace_graph_exit_task(p);
    rethook_flush_task(p);
    free_kthread_struct(p);
    riscv_v_thread_free(p);
    kfree(p);
}

void put_task_struct(struct task_struct *p)
{
    if (!atomic_dec_and_test(&p->usage))
        return;
    trace_sched_process_free(p);
    free_task(p);
}
EXPORT_SYMBOL(put_task_struct);

/* ---- clone ---- */

/*
 * Returns the child's pid, or a negative error. The child may have ended by then; pids are not
 * reused.
 */
pid_t kernel_clone(const struct kernel_clone_args *args)
{
    struct completion vfork;
    bool refused =
        current->policy == SCHED_DEADLINE && !(current->dl.flags & SCHED_FLAG_RESET_ON_FORK);
    struct task_struct *p = refused ? ERR_PTR(-EAGAIN) : copy_process(args);
    pid_t pid;

    if (IS_ERR(p))
        return PTR_ERR(p);
    pid = p->pid;
    if (args->flags & CLONE_CHILD_SETTID)
        p->set_child_tid = args->child_tid;
    if (args->flags & CLONE_CHILD_CLEARTID)
        p->clear_child_tid = args->child_tid;
    if (args->flags & CLONE_PARENT_SETTID)
        (void)put_user(pid, args->parent_tid);
    if (args->flags & CLONE_VFORK) {
        init_completion(&vfork);
        p->vfork_done = &vfork;
    }
    trace_sched_process_fork(current, p);
    perf_event_fork(p);
    wake_up_new_task(p);
    if (args->flags & CLONE_VFORK)
        wait_for_completion(&vfork);
    return pid;
}

/* Runs first in the child, before it goes to U-mode. */
void finish_fork(struct task_struct *prev)
{
    schedule_tail(prev);
    if (current->set_child_tid)
        (void)put_user(current->pid, current->set_child_tid);
}

pid_t user_mode_thread(int (*fn)(void *), void *arg, unsigned long flags)
{
    struct kernel_clone_args args = {.flags = flags, .fn = fn, .fn_arg = arg};

    return kernel_clone(&args);
}

void exit_mm_release(struct task_struct *p)
{
    struct completion *vfork = p->vfork_done;

    if (p->clear_child_tid && !put_user(0, p->clear_child_tid))
        futex_wake_tid((u32 __user *)p->clear_child_tid);
    p->clear_child_tid = NULL;
    if (vfork) {
        p->vfork_done = NULL;
        complete(vfork);
    }
}

/* Creates processes only: threads (CLONE_THREAD) would have to share signals and exit together. */
SYSCALL_DEFINE5(clone, unsigned long, clone_flags, unsigned long, newsp, int __user *,
                parent_tidptr, unsigned long, tls, int __user *, child_tidptr)
{
    const unsigned long known = CSIGNAL | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_VFORK |
                                CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |
                                CLONE_CHILD_CLEARTID;
    struct kernel_clone_args args = {
        .flags = clone_flags & ~CSIGNAL,
        .exit_signal = clone_flags & CSIGNAL,
        .stack = newsp,
        .tls = tls,
        .parent_tid = parent_tidptr,
        .child_tid = child_tidptr,
    };

    if (clone_flags & ~known || args.exit_signal > _NSIG)
        return -EINVAL;
    return kernel_clone(&args);
}

SYSCALL_DEFINE1(set_tid_address, int __user *, tidptr)
{
    current->clear_child_tid = tidptr;
    return current->pid;
}

static int set_pid_max(const struct ctl_table *table, int value)
{
    if (value <= RESERVED_PIDS || value > PID_MAX_LIMIT)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    return 0;
}

static int set_last_pid(const struct ctl_table *table, int value)
{
    unsigned long flags;

    if (value < 0 || value >= READ_ONCE(pid_max))
        return -EINVAL;
    spin_lock_irqsave(&tasklist_lock, flags);
    *table->data = value;
    reused = true;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return 0;
}

static const struct ctl_table pid_sysctls[] = {
    {"pid_max", &pid_max, set_pid_max},
    {"ns_last_pid", &last_pid, set_last_pid},
};

void pid_sysctls_init(void)
{
    register_sysctl("kernel", pid_sysctls, ARRAY_SIZE(pid_sysctls));
}
