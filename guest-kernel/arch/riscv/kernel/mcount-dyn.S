/*
 * mcount-dyn.S - where a patched call site goes.
 *
 * A site stands behind the prologue of its function, and is a call as any
 * other: the compiler keeps nothing in caller-saved registers across it.  So
 * no argument register needs saving here.  What the tracers need is in the
 * traced function's frame: its return address at -8(s0), its caller's frame
 * pointer at -16(s0).
 *
 * The labels ftrace_call and ftrace_graph_call mark pairs that are patched
 * themselves; neither may be compressed or relaxed.
 */
#include <asm/ftrace.h>

    .text
    .option norelax

/* What the compiler calls at every site, until ftrace_init() has been there. */
    .balign 4
    .globl _mcount
    .type _mcount, @function
_mcount:
    ret
    .size _mcount, . - _mcount

/* The tracer that does nothing. */
    .balign 4
    .globl ftrace_stub
    .type ftrace_stub, @function
ftrace_stub:
    ret
    .size ftrace_stub, . - ftrace_stub

/*
 *  40(sp) ra: the site, behind its jalr     24(sp) address of the return address
 *  32(sp) s0 of the traced function         16(sp) frame pointer of its caller
 *                                            8(sp) the site
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
    la   a2, function_trace_op
    ld   a2, 0(a2)
    li   a3, 0
    .globl ftrace_call
    .type ftrace_call, @function
ftrace_call:
    .option push
    .option norvc
    call ftrace_stub
    .option pop

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
    .globl ftrace_graph_call
    .type ftrace_graph_call, @function
ftrace_graph_call:
    .option push
    .option norvc
    call ftrace_stub
    .option pop
    ld   s0, 0(sp)
    ld   ra, 8(sp)
    addi sp, sp, 16
    ret
    .size ftrace_graph_caller, . - ftrace_graph_caller

/*
 * A hooked function returns here: a0 and a1 hold its result, s0 is its
 * caller's frame pointer again.  After a tail call the address we are told to
 * go to is this one once more, for the function that made the tail call.
 */
    .balign 4
    .globl return_to_handler
    .type return_to_handler, @function
return_to_handler:
    addi sp, sp, -32
    sd   s0, 16(sp)
    sd   a0, 8(sp)
    sd   a1, 0(sp)
    mv   a0, s0
    addi s0, sp, 32
    call ftrace_return_to_handler
    mv   a2, a0
    ld   a1, 0(sp)
    ld   a0, 8(sp)
    ld   s0, 16(sp)
    addi sp, sp, 32
    jr   a2
    .size return_to_handler, . - return_to_handler
