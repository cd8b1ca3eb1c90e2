/* process.c - the registers of tasks: for a new program, in a fork, at a switch. */
#include <asm/csr.h>
#include <asm/page.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/switch_to.h>
#include <asm/vector.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/string.h>

extern void __fstate_save(struct riscv_d_ext_state *fstate);
extern void __fstate_restore(const struct riscv_d_ext_state *fstate);
extern void ret_from_fork(void);
extern void ret_from_kernel_thread(void);
extern void ret_from_user_thread(void);

bool has_fpu;

/* Without a floating-point unit sstatus.FS is read-only zero. */
void fpu_init(void)
{
    csr_set(sstatus, SR_FS);
    has_fpu = csr_read(sstatus) & SR_FS;
    csr_clear(sstatus, SR_FS);
}

/* Called on each hart. */
void enable_user_counters(void)
{
    csr_write(scounteren, SCOUNTEREN_CY | SCOUNTEREN_TM | SCOUNTEREN_IR);
}

struct pt_regs *task_pt_regs(const struct task_struct *p)
{
    return (struct pt_regs *)((char *)p->stack + THREAD_SIZE) - 1;
}

static void mark_fstate_clean(struct pt_regs *regs)
{
    regs->status = (regs->status & ~SR_FS) | SR_FS_CLEAN;
}

void fstate_save(struct task_struct *task, struct pt_regs *regs)
{
    if ((regs->status & SR_FS) != SR_FS_DIRTY)
        return;
    __fstate_save(&task->thread.fstate);
    mark_fstate_clean(regs);
}

void fstate_restore(struct task_struct *task, struct pt_regs *regs)
{
    if (!(regs->status & SR_FS))
        return;
    __fstate_restore(&task->thread.fstate);
    mark_fstate_clean(regs);
}

void __switch_to_fpu(struct task_struct *prev, struct task_struct *next)
{
    if (!has_fpu)
        return;
    if (prev->mm)
        fstate_save(prev, task_pt_regs(prev));
    if (next->mm)
        fstate_restore(next, task_pt_regs(next));
}

/*
 * Clears all registers, so that nothing of the previous program is left in them; but a7 has the
 * number of the system call, which ends only now and is traced then.
 */
void start_thread(struct pt_regs *regs, unsigned long pc, unsigned long sp)
{
    unsigned long nr = regs->a7;

    memset(regs, 0, sizeof(*regs));
    regs->a7 = nr;
    regs->epc = pc;
    regs->sp = sp;
    regs->status = SR_SPIE;
    riscv_v_thread_free(current); /* the unit is off in the new registers */
    if (!has_fpu)
        return;
    regs->status |= SR_FS_INITIAL;
    memset(&current->thread.fstate, 0, sizeof(current->thread.fstate));
    preempt_disable();
    fstate_restore(current, regs);
    preempt_enable();
}

/*
 * Makes the new task look as if it had called __switch_to(). It continues in one of entry.S's
 * ret_from_*: a kernel thread that runs fn, a thread that fn turns into a program, or a copy of
 * the parent with result 0.
 */
void copy_thread(struct task_struct *p, const struct kernel_clone_args *args)
{
    struct pt_regs *childregs = task_pt_regs(p);

    if (args->kthread) {
        p->thread.ra = (unsigned long)ret_from_kernel_thread;
        p->thread.sp = (unsigned long)(childregs + 1);
    } else if (args->fn) {
        p->thread.ra = (unsigned long)ret_from_user_thread;
        p->thread.sp = (unsigned long)childregs;
    } else {
        *childregs = *task_pt_regs(current);
        childregs->a0 = 0;
        childregs->status &= ~SR_VS; /* a system call keeps no vectors */
        if (args->stack)
            childregs->sp = args->stack;
        if (args->flags & CLONE_SETTLS)
            childregs->tp = args->tls;
        p->thread.ra = (unsigned long)ret_from_fork;
        p->thread.sp = (unsigned long)childregs;
    }
    p->thread.s[1] = (unsigned long)args->fn;
    p->thread.s[2] = (unsigned long)args->fn_arg;
}

/* Copies the floating-point registers of the parent to the child. */
void arch_dup_task_struct(struct task_struct *p)
{
    preempt_disable();
    if (has_fpu && current->mm)
        fstate_save(current, task_pt_regs(current));
    preempt_enable();
    p->thread.fstate = current->thread.fstate;
}
