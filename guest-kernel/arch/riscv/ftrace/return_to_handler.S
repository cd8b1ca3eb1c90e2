/*
 * return_to_handler.S - return_to_handler, where functions return to under the graph tracer,
 * and ftrace_stub, the tracer that does nothing.
 */
    .text
    .option norelax

/*
 * a0 and a1 hold the function's result, s0 is its caller's frame pointer again. After a tail
 * call the original return address may be return_to_handler itself, for the function that made
 * the tail call.
 */
    .balign 4
    .globl return_to_handler
    .type return_to_handler, @function
return_to_handler:
    addi sp, sp, -32
    sd   s0, 16(sp)
    sd   a0, 8(sp)
    sd   a1, 0(sp)
    mv   a1, a0
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

    .balign 4
    .globl ftrace_stub
    .type ftrace_stub, @function
ftrace_stub:
    ret
    .size ftrace_stub, . - ftrace_stub
