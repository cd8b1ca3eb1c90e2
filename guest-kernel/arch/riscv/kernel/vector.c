/* vector.c - see vector.h. */
#include <asm/csr.h>
#include <asm/setup.h>
#include <asm/switch_to.h>
#include <asm/vector.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

extern void __riscv_v_vstate_save(struct riscv_v_ext_state *state, void *registers);
extern void __riscv_v_vstate_restore(const struct riscv_v_ext_state *state, const void *registers);

unsigned long riscv_v_vsize;

/* The device tree tells: without vectors sstatus.VS can be written on QEMU 7.2, but vlenb cannot be
 * read. */
void riscv_v_setup_vsize(void)
{
    if (!(elf_hwcap() & 1ul << ('v' - 'a')))
        return;
    csr_set(sstatus, SR_VS);
    riscv_v_vsize = csr_read(0xc22) * 32; /* vlenb, which the assembler knows only with V */
    csr_clear(sstatus, SR_VS);
}

static void mark_vstate_clean(struct pt_regs *regs)
{
    regs->status = (regs->status & ~SR_VS) | SR_VS_CLEAN;
}

void riscv_v_vstate_save(struct task_struct *task, struct pt_regs *regs)
{
    struct riscv_v_ext_state *state = &task->thread.vstate;

    if ((regs->status & SR_VS) != SR_VS_DIRTY)
        return;
    __riscv_v_vstate_save(state, state->datap);
    mark_vstate_clean(regs);
}

void riscv_v_vstate_restore(struct task_struct *task, struct pt_regs *regs)
{
    const struct riscv_v_ext_state *state = &task->thread.vstate;

    if (!(regs->status & SR_VS))
        return;
    __riscv_v_vstate_restore(state, state->datap);
    mark_vstate_clean(regs);
}

void __switch_to_vector(struct task_struct *prev, struct task_struct *next)
{
    if (!has_vector())
        return;
    if (prev->mm)
        riscv_v_vstate_save(prev, task_pt_regs(prev));
    if (next->mm)
        riscv_v_vstate_restore(next, task_pt_regs(next));
}

void riscv_v_thread_free(struct task_struct *task)
{
    kfree(task->thread.vstate.datap);
    memset(&task->thread.vstate, 0, sizeof(task->thread.vstate));
}

/* ---- the first use ---- */

/* The CSRs of the unit: vstart, vxsat, vxrm and vcsr; vl, vtype and vlenb. */
static bool is_vector_csr(unsigned int csr)
{
    return csr == 0x008 || csr == 0x009 || csr == 0x00a || csr == 0x00f ||
           (csr >= 0xc20 && csr <= 0xc22);
}

/* Loads and stores of vectors have the major opcodes of floating-point ones, and other widths. */
static bool is_vector_width(unsigned int funct3)
{
    return funct3 == 0 || funct3 >= 5;
}

static bool insn_is_vector(u32 insn)
{
    enum { LOAD_FP = 0x07, STORE_FP = 0x27, OP_V = 0x57, OP_VE = 0x77, SYSTEM = 0x73 };
    unsigned int funct3 = insn >> 12 & 7;

    switch (insn & 0x7f) {
    case OP_V:
    case OP_VE: return true;
    case LOAD_FP:
    case STORE_FP: return is_vector_width(funct3);
    case SYSTEM: return (funct3 & 3) != 0 && is_vector_csr(insn >> 20);
    default: return false;
    }
}

/* A machine may leave the instruction out of stval. */
static u32 illegal_insn(const struct pt_regs *regs)
{
    u32 insn = (u32)regs->badaddr;

    if (!insn && copy_from_user(&insn, (const void __user *)regs->epc, sizeof(insn)))
        return 0;
    return insn;
}

bool riscv_v_first_use_handler(struct pt_regs *regs)
{
    if (!has_vector() || regs->status & SR_VS || !insn_is_vector(illegal_insn(regs)))
        return false;
    current->thread.vstate.datap = kzalloc(riscv_v_vsize);
    if (!current->thread.vstate.datap) {
        force_sig(SIGBUS);
        return true;
    }
    preempt_disable();
    regs->status |= SR_VS_INITIAL;
    riscv_v_vstate_restore(current, regs); /* to zero, whatever another program left there */
    preempt_enable();
    return true;
}
