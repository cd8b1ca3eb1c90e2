/* causes.S - a thousand functions, each of which changes one instruction and runs it without a
 * fence. */
        .option norvc

        .macro  cause from
        .type   change\@, @function
change\@:
        sh      \from, 2(t0)
        jal     ra, slot
        .size   change\@, . - change\@
        .endm

        .globl  _start
_start:
        fence.i
        la      t0, slot
        li      t1, 0x15                /* addi a0,a0,1: its upper half */
        li      t2, 0x25                /* addi a0,a0,2 */
        .rept   500
        cause   t2
        cause   t1
        .endr
        li      t0, 0x100000
        li      t1, 0x5555
        sw      t1, 0(t0)
1:      j       1b
        .balign 4096
slot:   addi    a0, a0, 1
        ret
