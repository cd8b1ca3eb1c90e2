/* deep.S - a traced function that calls itself for ever, with 16 bytes of stack each time, of which it writes none. */
        .option norelax
        .option norvc
        .section .text.start, "ax"
        .globl  _start
_start: li      sp, 0x7000000000000000
        j       deeper
        .balign 8
        .globl  deeper
        .type   deeper, @function
deeper: nop
        nop
        addi    sp, sp, -16
        jal     ra, deeper
        .size   deeper, . - deeper
        .globl  ftrace_call
        .type   ftrace_call, @function
ftrace_call:
        nop
        nop
        ret
        .size   ftrace_call, . - ftrace_call
        .section .mcloc, "a"
        .balign 8
        .globl  __start_mcount_loc
__start_mcount_loc:
        .dword  deeper
        .globl  __stop_mcount_loc
__stop_mcount_loc:
