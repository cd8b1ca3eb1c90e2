/* start.S - every hart starts here, in M-mode, and has a stack of its own; see legal.h. */
        .section .text.start, "ax"
        .globl  _start
_start:
        csrr    a0, mhartid
        la      t0, unexpected_trap
        csrw    mtvec, t0
        la      sp, stacks
        addi    t1, a0, 1
        slli    t1, t1, 12
        add     sp, sp, t1
        call    start_hart
        j       finish

        .balign 4
unexpected_trap:
        li      a0, 99
        j       finish

/* finish(code): through the test finisher; 0 is a pass. */
        .globl  finish
finish:
        li      t0, 0x100000
        li      t1, 0x5555
        beqz    a0, 1f
        slli    a0, a0, 16
        li      t1, 0x3333
        or      t1, t1, a0
1:      sw      t1, 0(t0)
        j       1b

        .bss
        .balign 16
stacks: .skip   4 * 4096
