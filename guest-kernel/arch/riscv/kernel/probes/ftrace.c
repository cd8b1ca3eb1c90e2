/*
 * ftrace.c - kprobes on call sites: no breakpoint, but an ftrace_ops that all of them share.
 *
 * Not instrumented: sites call it.
 */
#include <asm/kprobes.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "../../../../kernel/trace/trace_recursion.h"

/* The site takes the place of the instruction: after it, epc is after the site. */
static void __kprobes call_handlers(struct kprobe *p, struct kprobe_ctlblk *kcb,
                                    struct pt_regs *regs)
{
    unsigned long after = regs->epc;

    regs->epc = (unsigned long)p->addr;
    set_current_kprobe(p);
    kcb->kprobe_status = KPROBE_HIT_ACTIVE;
    /* A handler that returns another value has set epc. */
    if (!p->pre_handler || !p->pre_handler(p, regs)) {
        regs->epc = (unsigned long)p->addr + MCOUNT_INSN_SIZE;
        if (p->post_handler) {
            kcb->kprobe_status = KPROBE_HIT_SSDONE;
            p->post_handler(p, regs, 0);
        }
        regs->epc = after;
    }
    reset_current_kprobe();
}

void __kprobes kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
                                     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
    struct pt_regs *regs = ftrace_get_regs(fregs);
    struct kprobe *p;
    int bit;

    (void)parent_ip;
    (void)ops;
    preempt_disable();
    bit = ftrace_test_recursion_trylock();
    p = bit < 0 || !regs ? NULL : get_kprobe((void *)ip);
    if (p && !kprobe_disabled(p)) {
        if (kprobe_running())
            kprobes_inc_nmissed_count(p);
        else
            call_handlers(p, get_kprobe_ctlblk(), regs);
    }
    if (bit >= 0)
        ftrace_test_recursion_unlock(bit);
    preempt_enable();
}
