/*
 * ftrace_caller.S - layout `pfe16`: where a patched call site goes.
 *
 * Nothing of the function has run but its site: the arguments are in a0 to a7,
 * the caller's frame pointer in s0, the return address in the word below sp;
 * ra is where the site goes on.  Which registers the tracer may spoil is the
 * ABI's: t0 to t6.
 *
 * The site will load ra from below sp.  We give it back in ra all the same,
 * and leave through t0: a task that was preempted in the tracer may find nops
 * where the load was.
 */
#include "../calls.inc"
#include "../regs.inc"
#include <asm/ftrace.h>

    .text
    .option norelax

/*
 * Two frame records, so that a walk of the stack from the tracer meets the
 * traced function and then its caller:
 *
 *  88(sp) return address, by the site    72(sp) ra       0..56(sp) a0 to a7
 *  80(sp) s0                             64(sp) sp of the function
 */
    .balign 4
    .globl ftrace_caller
    .type ftrace_caller, @function
ftrace_caller:
    addi sp, sp, -96
    .irp n, 0,1,2,3,4,5,6,7
    sd   a\n, 8*\n(sp)
    .endr
    sd   s0, 80(sp)
    sd   ra, 72(sp)
    addi s0, sp, 96
    sd   s0, 64(sp)
    addi s0, sp, 80

    addi a0, ra, -FENTRY_RA_OFFSET
    ld   a1, 88(sp)
    la   a2, function_trace_op
    ld   a2, 0(a2)
    li   a3, 0
    patched_call ftrace_call

    ld   a1, 72(sp)
    addi a0, sp, 88
    addi a1, a1, -FENTRY_RA_OFFSET
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

/* The same with all registers; what a tracer makes of epc and ra is obeyed. */
    .balign 4
    .globl ftrace_regs_caller
    .type ftrace_regs_caller, @function
ftrace_regs_caller:
    addi sp, sp, -FRAME_SIZE
    sd   t0, PT_T0(sp)
    save_regs
    ld   t0, RECORD_RA(sp)
    sd   ra, PT_EPC(sp)
    sd   t0, PT_RA(sp)
    sd   ra, SITE_RA(sp)
    sd   s0, RECORD_FP(sp)

    addi a0, ra, -FENTRY_RA_OFFSET
    mv   a1, t0
    la   a2, function_trace_op
    ld   a2, 0(a2)
    mv   a3, sp
    addi s0, sp, RECORD_FP
    patched_call ftrace_regs_call

    ld   a1, SITE_RA(sp)
    addi a0, sp, PT_RA
    addi a1, a1, -FENTRY_RA_OFFSET
    ld   a2, PT_S0(sp)
    patched_call ftrace_graph_regs_call

    restore_regs
    ld   ra, PT_RA(sp)
    ld   t0, PT_EPC(sp)
    sd   ra, RECORD_RA(sp)
    addi sp, sp, FRAME_SIZE
    jr   t0
    .size ftrace_regs_caller, . - ftrace_regs_caller
