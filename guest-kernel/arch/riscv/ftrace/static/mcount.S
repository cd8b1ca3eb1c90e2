/*
 * mcount.S - layout `static`: _mcount, which every function calls.
 *
 * A site is an ordinary call: the compiler keeps nothing in caller-saved registers across it.
 * The tracers' arguments are in the traced function's frame: its return address at -8(s0), its
 * caller's frame pointer at -16(s0).
 */
    .text
    .option norelax

/* Without a tracer: seventeen instructions here, and three at the site. */
    .balign 4
    .globl _mcount
    .type _mcount, @function
_mcount:
    la   t0, ftrace_stub
    la   t1, ftrace_graph_return
    ld   t1, 0(t1)
    la   t2, ftrace_graph_entry
    ld   t2, 0(t2)
    la   t3, ftrace_graph_entry_stub
    la   t4, ftrace_trace_function
    ld   t4, 0(t4)
    bne  t1, t0, 1f
    bne  t2, t3, 1f
    bne  t4, t0, 2f
    ret

/*
 * 40(sp) ra: the site, after its call      24(sp) address of the return address
 * 32(sp) s0 of the traced function         16(sp) frame pointer of its caller
 *                                           8(sp) 1 if there is a graph tracer
 */
1:  li   t5, 1
    j    3f
2:  li   t5, 0
3:  addi sp, sp, -48
    addi t1, s0, -8
    ld   t2, -16(s0)
    sd   ra, 40(sp)
    sd   s0, 32(sp)
    sd   t1, 24(sp)
    sd   t2, 16(sp)
    sd   t5, 8(sp)
    addi s0, sp, 48

    /* With several ops this calls the function that walks the list; without any, ftrace_stub. */
    mv   a0, ra
    ld   a1, 0(t1)
    la   a2, function_trace_op
    ld   a2, 0(a2)
    li   a3, 0
    jalr t4

    ld   t5, 8(sp)
    beqz t5, 4f
    ld   a0, 24(sp)
    ld   a1, 40(sp)
    ld   a2, 16(sp)
    call prepare_ftrace_return
4:  ld   s0, 32(sp)
    ld   ra, 40(sp)
    addi sp, sp, 48
    ret
    .size _mcount, . - _mcount
