/*
 * ftrace_caller.S - layout `mcount`: the trampoline that call sites jump to.
 *
 * A site comes after the prologue of its function and is an ordinary call: the compiler keeps
 * nothing in caller-saved registers across it, so no argument registers are saved here. The
 * tracers' arguments are in the traced function's frame: its return address at -8(s0), its
 * caller's frame pointer at -16(s0).
 */
#include "../calls.inc"
#include "../regs.inc"
#include <asm/ftrace.h>

    .text
    .option norelax

/* Called at every site until ftrace_init() has replaced the calls by nops. */
    .balign 4
    .globl _mcount
    .type _mcount, @function
_mcount:
    ret
    .size _mcount, . - _mcount

/*
 * 40(sp) ra: the site, after its jalr      24(sp) address of the return address
 * 32(sp) s0 of the traced function         16(sp) frame pointer of its caller
 *                                           8(sp) the site
 */
    .balign 4
    .globl ftrace_caller
    .type ftrace_caller, @function
ftrace_caller:
    addi sp, sp, -48
    sd   ra, 40(sp)
    sd   s0, 32(sp)
    addi t0, s0, -8
    ld   t1, -16(s0)
    addi t2, ra, -MCOUNT_INSN_SIZE
    sd   t0, 24(sp)
    sd   t1, 16(sp)
    sd   t2, 8(sp)
    addi s0, sp, 48

    mv   a0, t2
    ld   a1, 0(t0)
    load_trace_op a2
    li   a3, 0
    patched_call ftrace_call

    ld   a0, 24(sp)
    ld   a1, 8(sp)
    ld   a2, 16(sp)
    call ftrace_graph_caller

    ld   s0, 32(sp)
    ld   ra, 40(sp)
    addi sp, sp, 48
    ret
    .size ftrace_caller, . - ftrace_caller

/* prepare_ftrace_return(address of the return address, site, caller's frame pointer) */
    .balign 4
    .globl ftrace_graph_caller
    .type ftrace_graph_caller, @function
ftrace_graph_caller:
    addi sp, sp, -16
    sd   s0, 0(sp)
    sd   ra, 8(sp)
    addi s0, sp, 16
    patched_call ftrace_graph_call
    ld   s0, 0(sp)
    ld   ra, 8(sp)
    addi sp, sp, 16
    ret
    .size ftrace_graph_caller, . - ftrace_graph_caller

/*
 * The same with all registers, for tracers that request them. The traced function has its frame
 * already, so its caller's ra and s0 are in that. epc is where the site continues; if the
 * tracer changes it, that takes effect.
 */
    .balign 4
    .globl ftrace_regs_caller
    .type ftrace_regs_caller, @function
ftrace_regs_caller:
    addi sp, sp, -FRAME_SIZE
    sd   t0, PT_T0(sp)
    save_regs
    ld   t0, -8(s0)
    sd   ra, PT_EPC(sp)
    sd   t0, PT_RA(sp)
    sd   ra, RECORD_RA(sp)
    sd   s0, RECORD_FP(sp)

    addi a0, ra, -MCOUNT_INSN_SIZE
    mv   a1, t0
    load_trace_op a2
    mv   a3, sp
    addi s0, sp, FRAME_SIZE
    patched_call ftrace_regs_call

    ld   t0, PT_S0(sp)
    ld   a1, RECORD_RA(sp)
    addi a0, t0, -8
    addi a1, a1, -MCOUNT_INSN_SIZE
    ld   a2, -16(t0)
    patched_call ftrace_graph_regs_call

    restore_regs
    ld   ra, PT_RA(sp)
    ld   t0, PT_EPC(sp)
    addi sp, sp, FRAME_SIZE
    jr   t0
    .size ftrace_regs_caller, . - ftrace_regs_caller
