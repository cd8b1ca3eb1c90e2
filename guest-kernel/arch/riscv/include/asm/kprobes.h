/*
 * kprobes.h - what a kprobe needs of the architecture: its copy of the instruction, and the
 * handlers of breakpoints and faults.
 */
#ifndef ASM_KPROBES_H
#define ASM_KPROBES_H

#include <linux/types.h>

struct kprobe;
struct pt_regs;

typedef u32 kprobe_opcode_t;

enum { MAX_INSN_SIZE = 2 }; /* of a slot: the instruction, and a breakpoint after it */

/* How the probed instruction is carried out. */
struct arch_specific_insn {
    u16 *insn;             /* its copy in a slot; NULL: handler simulates it */
    unsigned long restore; /* where the kernel continues after the copy */
    void (*handler)(u32 opcode, unsigned long addr, struct pt_regs *regs);
};

/* A probe that was being handled when another one was hit. */
struct prev_kprobe {
    struct kprobe *kp;
    unsigned int status;
};

/* State of a hart; used by itself only, with interrupts or preemption off. */
struct kprobe_ctlblk {
    unsigned int kprobe_status;
    unsigned long saved_status; /* sstatus before interrupts were turned off for the step */
    struct prev_kprobe prev_kprobe;
};

/* Bytes of the instruction whose first two are insn. */
#define GET_INSN_LENGTH(insn) (((insn)&3) == 3 ? 4u : 2u)

/* The instruction at addr, which need not be a multiple of four. */
u32 kprobe_read_insn(const void *addr);

/* 0, -EILSEQ (no instruction begins there), -EINVAL (cannot be probed) or -ENOMEM. */
int arch_prepare_kprobe(struct kprobe *p);
void arch_remove_kprobe(struct kprobe *p);
void arch_arm_kprobe(struct kprobe *p);
void arch_disarm_kprobe(struct kprobe *p);

/* Both return whether the breakpoint at regs->epc was theirs. Interrupts are off. */
bool kprobe_breakpoint_handler(struct pt_regs *regs);
bool kprobe_single_step_handler(struct pt_regs *regs);
/*
 * Called when an instruction of the kernel has faulted. If that was the copy of a probed one, sets
 * epc to its true address.
 */
void kprobe_page_fault(struct pt_regs *regs);

#endif
