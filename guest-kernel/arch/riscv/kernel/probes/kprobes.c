/*
 * kprobes.c - breakpoints in kernel text, and the single step after them.
 *
 * RISC-V has no single-step mode: the instruction's copy is in a slot, with a breakpoint after
 * it. Interrupts stay off from the first breakpoint to the second. A breakpoint is as long as the
 * instruction that it replaces, and the harts are stopped while it is written, because an
 * instruction of four bytes need not be aligned.
 *
 * Not instrumented, and no kprobe may be here: this code runs before a hart's state says that a
 * kprobe is being handled.
 */
#include "decode-insn.h"
#include <asm/cacheflush.h>
#include <asm/patch.h>
#include <asm/ptrace.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>

enum { INSN_EBREAK = 0x00100073, INSN_C_EBREAK = 0x9002 };

u32 __kprobes kprobe_read_insn(const void *addr)
{
    const u16 *parcel = addr;

    return GET_INSN_LENGTH(parcel[0]) == 4 ? parcel[0] | (u32)parcel[1] << 16 : parcel[0];
}

/* Whether an instruction begins at addr: counted from the start of its function. */
static bool is_boundary(unsigned long addr)
{
    unsigned long at, offset;

    if (!kallsyms_lookup_size_offset(addr, NULL, &offset))
        return false;
    for (at = addr - offset; at < addr; at += GET_INSN_LENGTH(*(const u16 *)at))
        ;
    return at == addr;
}

/* Writes the copy and the breakpoint. No hart uses the slot yet. */
static int write_slot(struct kprobe *p)
{
    unsigned int len = GET_INSN_LENGTH(p->opcode);
    u16 *slot = p->ainsn.insn;
    u32 ebreak = INSN_EBREAK;
    int ret;

    mutex_lock(&text_mutex);
    ret = patch_insn_write(slot, &p->opcode, len);
    if (!ret)
        ret = patch_insn_write((char *)slot + len, &ebreak, sizeof(ebreak));
    flush_icache_all();
    mutex_unlock(&text_mutex);
    p->ainsn.restore = (unsigned long)p->addr + len;
    return ret;
}

int arch_prepare_kprobe(struct kprobe *p)
{
    unsigned long addr = (unsigned long)p->addr;

    p->ainsn = (struct arch_specific_insn){0};
    if (addr & 1 || !is_boundary(addr))
        return -EILSEQ;
    p->opcode = kprobe_read_insn(p->addr);
    switch (riscv_probe_decode_insn(p->opcode, &p->ainsn)) {
    case INSN_REJECTED: return -EINVAL;
    case INSN_GOOD_NO_SLOT: return 0;
    case INSN_GOOD: break;
    }
    p->ainsn.insn = get_insn_slot();
    return p->ainsn.insn ? write_slot(p) : -ENOMEM;
}

void arch_remove_kprobe(struct kprobe *p)
{
    if (p->ainsn.insn)
        free_insn_slot(p->ainsn.insn);
    p->ainsn.insn = NULL;
}

static void replace_insn(struct kprobe *p, u32 insn)
{
    BUG_ON(patch_text(p->addr, &insn, GET_INSN_LENGTH(p->opcode)));
}

void arch_arm_kprobe(struct kprobe *p)
{
    replace_insn(p, GET_INSN_LENGTH(p->opcode) == 4 ? INSN_EBREAK : INSN_C_EBREAK);
}

void arch_disarm_kprobe(struct kprobe *p)
{
    replace_insn(p, p->opcode);
}

/* ---- at a breakpoint; interrupts are off ---- */

static __always_inline void disable_irqs_in_step(struct kprobe_ctlblk *kcb, struct pt_regs *regs)
{
    kcb->saved_status = regs->status;
    regs->status &= ~SR_SPIE;
}

static __always_inline void restore_irqs_after_step(struct kprobe_ctlblk *kcb, struct pt_regs *regs)
{
    regs->status = (regs->status & ~SR_SPIE) | (kcb->saved_status & SR_SPIE);
}

static __always_inline void restore_previous_kprobe(struct kprobe_ctlblk *kcb)
{
    set_current_kprobe(kcb->prev_kprobe.kp);
    kcb->kprobe_status = kcb->prev_kprobe.status;
}

static void __kprobes post_kprobe_handler(struct kprobe *p, struct kprobe_ctlblk *kcb,
                                          struct pt_regs *regs)
{
    if (p->ainsn.restore)
        regs->epc = p->ainsn.restore;
    if (kcb->kprobe_status == KPROBE_REENTER) {
        restore_previous_kprobe(kcb);
        return;
    }
    kcb->kprobe_status = KPROBE_HIT_SSDONE;
    if (p->post_handler)
        p->post_handler(p, regs, 0);
    reset_current_kprobe();
}

static void __kprobes setup_singlestep(struct kprobe *p, struct pt_regs *regs,
                                       struct kprobe_ctlblk *kcb)
{
    if (p->ainsn.insn) {
        disable_irqs_in_step(kcb, regs);
        regs->epc = (unsigned long)p->ainsn.insn;
    } else {
        p->ainsn.handler(p->opcode, (unsigned long)p->addr, regs);
        post_kprobe_handler(p, kcb, regs);
    }
}

/*
 * A probe was hit while another one was handled: its handlers are not called. In the middle of a
 * step that cannot be, unless there is a probe in the code that steps.
 */
static void __kprobes reenter_kprobe(struct kprobe *p, struct pt_regs *regs,
                                     struct kprobe_ctlblk *kcb)
{
    if (kcb->kprobe_status == KPROBE_HIT_SS || kcb->kprobe_status == KPROBE_REENTER)
        panic("Failed to recover from reentered kprobes: %pS", (void *)p->addr);
    kprobes_inc_nmissed_count(p);
    kcb->prev_kprobe = (struct prev_kprobe){kprobe_running(), kcb->kprobe_status};
    set_current_kprobe(p);
    kcb->kprobe_status = KPROBE_REENTER;
    setup_singlestep(p, regs, kcb);
}

bool __kprobes kprobe_breakpoint_handler(struct pt_regs *regs)
{
    struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
    struct kprobe *p = get_kprobe((void *)regs->epc);

    if (!p)
        return false;
    if (kprobe_running()) {
        reenter_kprobe(p, regs, kcb);
        return true;
    }
    set_current_kprobe(p);
    kcb->kprobe_status = KPROBE_HIT_ACTIVE;
    /* A handler that returns another value has set epc, and no step is wanted. */
    if (p->pre_handler && p->pre_handler(p, regs)) {
        reset_current_kprobe();
        return true;
    }
    kcb->kprobe_status = KPROBE_HIT_SS;
    setup_singlestep(p, regs, kcb);
    return true;
}

static __always_inline bool is_stepping(const struct kprobe_ctlblk *kcb)
{
    return kcb->kprobe_status == KPROBE_HIT_SS || kcb->kprobe_status == KPROBE_REENTER;
}

bool __kprobes kprobe_single_step_handler(struct pt_regs *regs)
{
    struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
    struct kprobe *p = kprobe_running();

    if (!p || !is_stepping(kcb) || !p->ainsn.insn ||
        regs->epc != (unsigned long)p->ainsn.insn + GET_INSN_LENGTH(p->opcode))
        return false;
    restore_irqs_after_step(kcb, regs);
    post_kprobe_handler(p, kcb, regs);
    return true;
}

/* The instruction is run again from its own address, with its breakpoint, once the fault is mended.
 */
static void __kprobes abort_step(struct kprobe *p, struct kprobe_ctlblk *kcb, struct pt_regs *regs)
{
    regs->epc = (unsigned long)p->addr;
    restore_irqs_after_step(kcb, regs);
    if (kcb->kprobe_status == KPROBE_REENTER)
        restore_previous_kprobe(kcb);
    else
        reset_current_kprobe();
}

void __kprobes kprobe_page_fault(struct pt_regs *regs)
{
    struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
    struct kprobe *p = kprobe_running();

    if (p && is_stepping(kcb) && p->ainsn.insn && regs->epc == (unsigned long)p->ainsn.insn)
        abort_step(p, kcb, regs);
}
