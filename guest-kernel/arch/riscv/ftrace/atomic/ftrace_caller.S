/*
 * ftrace_caller.S - layouts `atomic` and `callops`: the trampoline that call sites jump to.
 *
 * The traced function has executed nothing yet: its arguments are in a0 to a7, its return
 * address in ra, its caller's frame pointer in s0. t0 is the return address of the site. The
 * tracer's address is data: no instruction here is ever patched.
 */
#include <asm/ftrace.h>

    .text
    .option norelax

/*
 * A struct ftrace_regs at sp, and above it two frame records, so that a stack walk that starts
 * in the tracer finds the traced function and then its caller:
 *
 *  RECORD+24 ra    RECORD+8 t0
 *  RECORD+16 s0    RECORD   sp of the function
 */
#define RECORD     (FREGS_SIZE + 8)
#define FRAME_SIZE (RECORD + 32)

    .balign 4
    .globl ftrace_caller
    .type ftrace_caller, @function
ftrace_caller:
    addi sp, sp, -FRAME_SIZE
    .irp n, 0,1,2,3,4,5,6,7
    sd   a\n, FREGS_A0+8*\n(sp)
    .endr
    sd   t1, FREGS_T1(sp)
    addi t1, sp, FRAME_SIZE
    sd   t0, FREGS_EPC(sp)
    sd   ra, FREGS_RA(sp)
    sd   t1, FREGS_SP(sp)
    sd   s0, FREGS_S0(sp)
    sd   ra, RECORD+24(sp)
    sd   s0, RECORD+16(sp)
    sd   t0, RECORD+8(sp)
    sd   t1, RECORD(sp)
    addi s0, sp, RECORD+16

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
    /*
     * t0 is the address after the site; the address of the ops is stored before the traced
     * function.
     */
    ld   a2, -(FTRACE_LITERAL_SIZE+MCOUNT_AUIPC_SIZE+MCOUNT_INSN_SIZE)(t0)
    ld   t1, FTRACE_OPS_FUNC(a2)
#else
    la   a2, function_trace_op
    la   t1, ftrace_call_dest
    ld   a2, 0(a2)
    ld   t1, 0(t1)
#endif
    addi a0, t0, -MCOUNT_INSN_SIZE
    mv   a1, ra
    mv   a3, sp
    jalr t1

    .irp n, 0,1,2,3,4,5,6,7
    ld   a\n, FREGS_A0+8*\n(sp)
    .endr
    ld   t0, FREGS_EPC(sp)
    ld   ra, FREGS_RA(sp)
    ld   s0, FREGS_S0(sp)
    ld   t1, FREGS_T1(sp)
    addi sp, sp, FRAME_SIZE
    jr   t0
    .size ftrace_caller, . - ftrace_caller
