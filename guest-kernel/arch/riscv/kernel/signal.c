/*
 * signal.c - signal frames on a program's stack, with the layout of RISC-V Linux.
 *
 * The handler returns to the vDSO, which calls rt_sigreturn(); that restores all registers from
 * the frame, whether the handler changed them or not.
 */
#include <asm/csr.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/switch_to.h>
#include <asm/vdso.h>
#include <asm/vector.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/ramfs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* pc and x1 to x31: the first words of struct pt_regs, in its order. */
enum { NR_GREGS = 32 };

struct siginfo {
    int si_signo, si_errno, si_code, pad[29];
};

/* Of what follows the frame. The size includes these eight bytes. */
struct riscv_ctx_hdr {
    u32 magic, size;
};

enum { RISCV_V_MAGIC = 0x53465457 };

struct sigcontext {
    unsigned long regs[NR_GREGS];
    /* room for quad precision; only the first 33 words are used, and the last one */
    union {
        struct riscv_d_ext_state d;
        u64 q[66];
        struct {
            u64 room[65];
            struct riscv_ctx_hdr first;
        } extension;
    } fpregs;
} __aligned(16);

struct ucontext {
    unsigned long uc_flags;
    struct ucontext *uc_link;
    struct {
        void *ss_sp;
        int ss_flags;
        size_t ss_size;
    } uc_stack;
    u64 uc_sigmask[16]; /* only the first word is used */
    struct sigcontext uc_mcontext;
};

struct rt_sigframe {
    struct siginfo info;
    struct ucontext uc;
};

_Static_assert(offsetof(struct pt_regs, t6) == (NR_GREGS - 1) * sizeof(long),
               "pt_regs does not begin with the registers of a sigcontext");
_Static_assert(sizeof(struct siginfo) == 128, "siginfo is not Linux's");
_Static_assert(offsetof(struct ucontext, uc_mcontext) == 176, "ucontext is not Linux's");

struct file *vdso_file;

/* The registers are saved to the task's struct first: a switch may do the same at any time. */
static void save_fp(struct pt_regs *regs, struct sigcontext *sc)
{
    if (!has_fpu)
        return;
    preempt_disable();
    fstate_save(current, regs);
    preempt_enable();
    sc->fpregs.d = current->thread.fstate;
}

static void restore_fp(struct pt_regs *regs, const struct sigcontext *sc)
{
    if (!has_fpu)
        return;
    preempt_disable();
    current->thread.fstate = sc->fpregs.d;
    regs->status = (regs->status & ~SR_FS) | SR_FS_CLEAN;
    fstate_restore(current, regs);
    preempt_enable();
}

/* What follows the frame of a program whose vector unit is on: its state, its registers, the end.
 */
static unsigned long vector_frame_size(const struct pt_regs *regs)
{
    return regs->status & SR_VS
               ? sizeof(struct riscv_v_ext_state) + riscv_v_vsize + sizeof(struct riscv_ctx_hdr)
               : 0;
}

static unsigned long save_vectors(struct pt_regs *regs, struct sigcontext *sc, void __user *to)
{
    const struct riscv_ctx_hdr end = {0, 0};
    struct riscv_v_ext_state state;
    void *registers = current->thread.vstate.datap;

    if (!(regs->status & SR_VS))
        return 0;
    preempt_disable();
    riscv_v_vstate_save(current, regs);
    preempt_enable();
    sc->fpregs.extension.first = (struct riscv_ctx_hdr){
        RISCV_V_MAGIC, sizeof(struct riscv_ctx_hdr) + sizeof(state) + riscv_v_vsize};
    state = current->thread.vstate;
    state.datap = to + sizeof(state);
    return copy_to_user(to, &state, sizeof(state)) |
           copy_to_user(state.datap, registers, riscv_v_vsize) |
           copy_to_user(state.datap + riscv_v_vsize, &end, sizeof(end));
}

/* A frame without vectors, or made up by a program that has used none, changes nothing. */
static unsigned long restore_vectors(struct pt_regs *regs, const struct sigcontext *sc,
                                     const void __user *from)
{
    void *registers = current->thread.vstate.datap;
    struct riscv_v_ext_state state;

    if (!(regs->status & SR_VS) || sc->fpregs.extension.first.magic != RISCV_V_MAGIC)
        return 0;
    riscv_v_vstate_discard(regs); /* a switch that comes in between does not overwrite them */
    if (copy_from_user(&state, from, sizeof(state)) ||
        copy_from_user(registers, state.datap, riscv_v_vsize))
        return 1;
    preempt_disable();
    state.datap = registers;
    current->thread.vstate = state;
    riscv_v_vstate_restore(current, regs);
    preempt_enable();
    return 0;
}

int setup_rt_frame(struct pt_regs *regs, int sig, int code, unsigned long handler)
{
    struct rt_sigframe *frame = kzalloc(sizeof(*frame));
    struct rt_sigframe __user *to =
        (void *)((regs->sp - sizeof(*frame) - vector_frame_size(regs)) & ~15ul);
    unsigned long failed;

    if (!frame)
        return -EFAULT;
    frame->info.si_signo = sig;
    frame->info.si_code = code;
    frame->uc.uc_sigmask[0] = sigmask_to_save();
    memcpy(frame->uc.uc_mcontext.regs, regs, sizeof(frame->uc.uc_mcontext.regs));
    save_fp(regs, &frame->uc.uc_mcontext);
    failed = save_vectors(regs, &frame->uc.uc_mcontext, to + 1);
    failed |= copy_to_user(to, frame, sizeof(*frame));
    kfree(frame);
    if (failed)
        return -EFAULT;
    regs->epc = handler;
    regs->sp = (unsigned long)to;
    regs->ra = current->mm->context.vdso;
    regs->a0 = sig;
    regs->a1 = (unsigned long)&to->info;
    regs->a2 = (unsigned long)&to->uc;
    return 0;
}

static unsigned long restore_frame(struct pt_regs *regs, const struct ucontext *uc)
{
    memcpy(regs, uc->uc_mcontext.regs, sizeof(uc->uc_mcontext.regs));
    regs->cause = ~0ul; /* whatever a0 is, no system call is restarted */
    restore_fp(regs, &uc->uc_mcontext);
    set_current_blocked(uc->uc_sigmask[0]);
    return regs->a0;
}

/* Returns the frame's a0, since the result of a system call is stored to a0. */
SYSCALL_DEFINE0(rt_sigreturn)
{
    struct pt_regs *regs = task_pt_regs(current);
    struct rt_sigframe __user *frame = (void *)regs->sp;
    struct ucontext *uc = kmalloc(sizeof(*uc));
    unsigned long a0 = 0;

    if (uc && !copy_from_user(uc, &frame->uc, sizeof(*uc)) &&
        !restore_vectors(regs, &uc->uc_mcontext, frame + 1))
        a0 = restore_frame(regs, uc);
    else
        force_sig(SIGSEGV);
    kfree(uc);
    return a0;
}

void vdso_init(void)
{
    static const u32 sigreturn[] = {
        0x08b00893, /* li a7, 139: rt_sigreturn */
        0x00000073, /* ecall */
    };
    struct inode *inode = ramfs_get_file(S_IFREG | S_IRUGO);

    vdso_file = inode ? dentry_open(NULL, inode, O_RDWR) : ERR_PTR(-ENOMEM);
    if (IS_ERR(vdso_file) ||
        file_write(vdso_file, (const char *)sigreturn, sizeof(sigreturn)) != sizeof(sigreturn))
        panic("no memory for the vDSO");
    iput(inode);
}
