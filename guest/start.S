/*
 * start.S - start of every hart, in M-mode, with its number in a0.
 *
 * Hart 0 calls main(), hart 1 calls second() if the program has one; all others sleep. The
 * result of main() is the exit status of the run. An unexpected trap ends the run with status
 * 99.
 */
        .section .text.start, "ax"
        .globl  _start
_start:
        csrr    a0, mhartid
        la      t0, unexpected_trap
        csrw    mtvec, t0
        li      t1, 2
        bgeu    a0, t1, sleep
        la      sp, stacks
        addi    t1, a0, 1
        slli    t1, t1, 12
        add     sp, sp, t1
        bnez    a0, 1f
        call    main
        j       finish
1:      call    second
sleep:
        csrw    mie, zero
1:      wfi
        j       1b

        .weak   second
second:
        ret

        .balign 4
unexpected_trap:
        li      a0, 99
        j       finish

/* finish(code): ends the run through the test finisher; 0 is success. */
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
stacks: .skip   2 * 4096
