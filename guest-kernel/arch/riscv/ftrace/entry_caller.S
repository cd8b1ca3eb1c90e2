/*
 * entry_caller.S - layouts `pfe8` and `pfe16`: the trampoline that call sites jump to.
 *
 * The site is the first code of its function, so the function has executed nothing yet: its
 * arguments are in a0 to a7 and the caller's frame pointer is in s0. SITE_LINK (layout.h) is
 * the link register of the site's call, and SITE_LINK_OFFSET the distance from the site to the
 * address in it:
 *
 *     pfe8   t0; the return address of the traced function is in ra
 *     pfe16  ra; the return address is in the word below sp, where the site
 *            stored it and will load it from
 *
 * In both layouts the trampoline restores ra and returns through t0: if the task was preempted
 * in the tracer, the site's load may have become a nop. The tracer may overwrite the temporary
 * registers of the ABI.
 */
#include "calls.inc"
#include "regs.inc"
#include <asm/ftrace.h>

#ifdef SITE_SAVES_RA
    .macro save_return_address at
    .endm
    .macro return_address reg, at
    ld   \reg, \at(sp)
    .endm
    .macro store_return_address reg, at
    sd   \reg, \at(sp)
    .endm
#else
    .macro save_return_address at
    sd   ra, \at(sp)
    .endm
    .macro return_address reg, at
    mv   \reg, ra
    .endm
    .macro store_return_address reg, at
    .endm
#endif

    .text
    .option norelax

/*
 * Two frame records, so that a stack walk that starts in the tracer finds the traced function
 * and then its caller:
 *
 *  88(sp) return address    72(sp) SITE_LINK             0..56(sp) a0 to a7
 *  80(sp) s0                64(sp) sp of the function
 */
    .balign 4
    .globl ftrace_caller
    .type ftrace_caller, @function
ftrace_caller:
    addi sp, sp, -96
    .irp n, 0,1,2,3,4,5,6,7
    sd   a\n, 8*\n(sp)
    .endr
    save_return_address 88
    sd   s0, 80(sp)
    sd   SITE_LINK, 72(sp)
    addi s0, sp, 96
    sd   s0, 64(sp)
    addi s0, sp, 80

    addi a0, SITE_LINK, -SITE_LINK_OFFSET
    return_address a1, 88
    load_trace_op a2
    li   a3, 0
    patched_call ftrace_call

    ld   a1, 72(sp)
    addi a0, sp, 88
    addi a1, a1, -SITE_LINK_OFFSET
    ld   a2, 80(sp)
    patched_call ftrace_graph_call

    .irp n, 0,1,2,3,4,5,6,7
    ld   a\n, 8*\n(sp)
    .endr
    ld   t0, 72(sp)
    ld   s0, 80(sp)
    ld   ra, 88(sp)
    addi sp, sp, 96
    jr   t0
    .size ftrace_caller, . - ftrace_caller

/* The same with all registers; if the tracer changes epc or ra in them, that takes effect. */
    .balign 4
    .globl ftrace_regs_caller
    .type ftrace_regs_caller, @function
ftrace_regs_caller:
    addi sp, sp, -FRAME_SIZE
    sd   t0, PT_T0(sp)
    save_regs
    sd   SITE_LINK, PT_EPC(sp)
    sd   SITE_LINK, SITE_RA(sp)
    save_return_address RECORD_RA
    return_address a1, RECORD_RA
    sd   a1, PT_RA(sp)
    sd   s0, RECORD_FP(sp)

    addi a0, SITE_LINK, -SITE_LINK_OFFSET
    load_trace_op a2
    mv   a3, sp
    addi s0, sp, RECORD_FP
    patched_call ftrace_regs_call

    ld   a1, SITE_RA(sp)
    addi a0, sp, PT_RA
    addi a1, a1, -SITE_LINK_OFFSET
    ld   a2, PT_S0(sp)
    patched_call ftrace_graph_regs_call

    restore_regs
    ld   ra, PT_RA(sp)
    ld   t0, PT_EPC(sp)
    store_return_address ra, RECORD_RA
    addi sp, sp, FRAME_SIZE
    jr   t0
    .size ftrace_regs_caller, . - ftrace_regs_caller
