/*
 * storm.S - every hart is interrupted all the time: by its timer, which is due again at once, and by other harts, of which
 * each interrupts another one then. In between it computes in all its registers, and looks whether they are what they
 * were.
 *
 * The status is 0 when every hart has had its interrupts from the timer, 1 if a register was lost. Up to 64 harts.
 */
        .equ    TIMERS, 200             /* interrupts of each hart's timer */
        .equ    CLINT, 0x2000000        /* msip of hart N: + 4 N */
        .equ    MTIMECMP, 0x2004000     /* of hart N: + 8 N */
        .equ    MTIME, 0x200bff8
        .equ    FINISHER, 0x100000
        .equ    HARTS_MAX, 64

        .text
        .globl  _start
_start: la      t0, trap
        csrw    mtvec, t0
        csrr    t1, mhartid
        li      t2, HARTS_MAX
        bgeu    t1, t2, sleep
        la      t0, started
        li      t2, 1
        amoadd.w zero, t2, (t0)
        slli    t2, t1, 6
        la      t0, records
        add     t0, t0, t2
        csrw    mscratch, t0            /* 64 bytes: saved t0 to t3, timers had, number */
        sd      t1, 40(t0)
        slli    t2, t1, 3
        li      t3, MTIMECMP
        add     t2, t2, t3
        sd      zero, 0(t2)             /* due */
        li      t2, 0x88                /* MTIE, MSIE */
        csrw    mie, t2
        csrsi   mstatus, 8

        /* Each register is its number times s0, and is it after interrupts, too. */
        li      s0, 0
work:   addi    s0, s0, 1
        .irp    r, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
        li      x\r, \r
        mul     x\r, x\r, s0
        .endr
        .irp    r, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
        li      x31, \r
        mul     x31, x31, s0
        bne     x\r, x31, lost
        .endr
        la      t0, finished
        lw      t1, 0(t0)
        la      t0, started
        lw      t2, 0(t0)
        bne     t1, t2, work
        li      t1, 0x5555
        j       end
lost:   li      t1, 0x13333
end:    li      t0, FINISHER
        sw      t1, 0(t0)
sleep:  wfi
        j       sleep

        .balign 4
trap:   csrrw   t0, mscratch, t0
        sd      t1, 0(t0)
        sd      t2, 8(t0)
        sd      t3, 16(t0)
        csrr    t1, mcause
        bgez    t1, lost
        ld      t2, 40(t0)              /* this hart */
        slli    t1, t1, 1
        srli    t1, t1, 1
        addi    t1, t1, -7
        beqz    t1, timer

        slli    t1, t2, 2               /* from another hart: taken, no more */
        li      t3, CLINT
        add     t1, t1, t3
        sw      zero, 0(t1)
        j       back

        /* An interrupt to a hart that is another one each time, or to this one. */
timer:  ld      t3, 32(t0)
        slli    t1, t2, 2
        add     t3, t3, t1
        add     t3, t3, t2
        la      t1, started
        lw      t1, 0(t1)
        remu    t3, t3, t1
        slli    t3, t3, 2
        li      t1, CLINT
        add     t3, t3, t1
        li      t1, 1
        sw      t1, 0(t3)
        slli    t3, t2, 3
        li      t1, MTIMECMP
        add     t3, t3, t1
        ld      t1, 32(t0)
        addi    t1, t1, 1
        sd      t1, 32(t0)
        addi    t1, t1, -TIMERS
        beqz    t1, enough
        li      t1, MTIME
        ld      t1, 0(t1)
        andi    t2, t2, 3               /* due at once, or up to three ticks later */
        add     t1, t1, t2
        sd      t1, 0(t3)
        j       back
enough: li      t1, -1
        sd      t1, 0(t3)
        li      t1, 1
        la      t3, finished
        amoadd.w zero, t1, (t3)
back:   ld      t1, 0(t0)
        ld      t2, 8(t0)
        ld      t3, 16(t0)
        csrrw   t0, mscratch, t0
        mret

        .data
        .balign 64
records: .skip  64 * HARTS_MAX
started: .word  0
finished: .word 0
