/*
 * start.S - start on the bare board, in M-mode without translation: harts below 8 get a stack
 * and call board_main(hart, device tree); others sleep.
 */
        .section .text.start, "ax"
        .globl  _start
_start:
        csrr    a0, mhartid
        la      t0, failed
        csrw    mtvec, t0
        li      t1, 8
        bgeu    a0, t1, sleep
        li      t0, 0x6600              # floating point on, and vectors where there are some
        csrs    mstatus, t0
        la      sp, stacks
        addi    t1, a0, 1
        slli    t1, t1, 16
        add     sp, sp, t1
        call    board_main
sleep:
        csrw    mie, zero
1:      wfi
        j       1b

        .balign 4
failed:
        li      t1, 99 << 16 | 0x3333
        j       1f
/* finish(): reports success to the test finisher. */
        .globl  finish
finish:
        li      t1, 0x5555
1:      li      t0, 0x100000
        sw      t1, 0(t0)
        j       1b

        .bss
        .balign 16
stacks: .skip   8 << 16
