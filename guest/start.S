/*
 * start.S - every hart starts here, in M-mode.
 *
 * Harts 0 to 3 call start_hart(number), each on its own stack; all others
 * sleep. A program that brings no start_hart() of its own gets the one below:
 * hart 0 goes to main(), hart 1 to second() where the program has one. What
 * start_hart() returns on hart 0 is the status of the run. A trap that the
 * program did not ask for ends the run with status 99.
 */
        .section .text.start, "ax"
        .globl  _start
_start:
        csrr    a0, mhartid
        la      t0, unexpected_trap
        csrw    mtvec, t0
        li      t1, 4
        bgeu    a0, t1, sleep
        la      sp, stacks
        addi    t1, a0, 1
        slli    t1, t1, 12
        add     sp, sp, t1
        mv      s0, a0
        call    start_hart
        beqz    s0, finish
sleep:
        csrw    mie, zero
1:      wfi
        j       1b

        .weak   start_hart
start_hart:
        beqz    a0, 1f
        li      t1, 1
        beq     a0, t1, 2f
        ret
1:      tail    main
2:      tail    second

        .weak   second
second:
        ret

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
