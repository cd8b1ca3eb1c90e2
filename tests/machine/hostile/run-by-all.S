/*
 * run-by-all.S - MEBIBYTES (4) of code that all harts run, and run again after one of them has
 * changed all of it, without a fence: each hart may still have the old bytes of all that it ran.
 * With TURNS, hart n alone runs the version n of each part, so that no two harts have the same old
 * bytes.
 */
#ifndef MEBIBYTES
#define MEBIBYTES 4
#endif
        .equ    BASE, 0x80800000
        .equ    END, BASE + MEBIBYTES * 0x100000
        .equ    CHUNK, 0x2000
        .equ    PAGE, 0x1000
        .equ    OLD, 0x00010001         /* two times c.nop */
        .equ    NEW, 0x4f814f81         /* two times c.li t6,0 */
        .equ    RETURN, 0x8082

        .globl  _start
_start:
        csrr    s0, mhartid
        la      s1, harts
        li      t0, 1
        amoadd.w zero, t0, (s1)
        /* long enough for all harts to be counted */
        li      t0, 200000
1:      addi    t0, t0, -1
        bnez    t0, 1b
        lw      s2, 0(s1)
        li      s3, 0                   /* arrivals at the next barrier */
        li      s4, BASE
next:   li      s5, CHUNK
        add     s5, s5, s4
#ifdef TURNS
        li      s9, 0                   /* the hart whose turn it is; the last is none's */
turn:   slli    t0, s9, 2               /* c.li t6,s9 */
        slli    t1, t0, 16
        li      a0, NEW
        add     a0, a0, t0
        add     a0, a0, t1
        call    fill
        call    barrier
        bne     s0, s9, 1f
        call    run
1:      call    barrier
        addi    s9, s9, 1
        ble     s9, s2, turn
#else
        li      a0, OLD
        call    fill
        call    barrier
        call    run
        call    barrier
        li      a0, NEW
        call    fill
        call    barrier
        call    run
        call    barrier
#endif
        mv      s4, s5
        li      t0, END
        bltu    s4, t0, next
        bnez    s0, wait
        li      t0, 0x100000
        li      t1, 0x5555
        sw      t1, 0(t0)
wait:   wfi
        j       wait

/* Hart 0 writes a0 to the whole chunk, except for a return at the end of each page. */
fill:   bnez    s0, 3f
        slli    t0, a0, 32
        or      a0, a0, t0
        mv      t0, s4
        li      t2, PAGE - 8
        li      t3, RETURN
1:      add     t1, t0, t2
2:      sd      a0, 0(t0)
        addi    t0, t0, 8
        bltu    t0, t1, 2b
        sw      a0, 0(t0)
        sh      a0, 4(t0)
        sh      t3, 6(t0)
        addi    t0, t0, 8
        bltu    t0, s5, 1b
3:      ret

run:    mv      s6, ra
        mv      s7, s4
        li      s8, PAGE
1:      jalr    s7
        add     s7, s7, s8
        bltu    s7, s5, 1b
        li      t0, -1
        csrw    pmpaddr0, t0
        csrw    pmpaddr0, zero          /* a change drops the blocks, so that only views are left */
        jr      s6

barrier:
        add     s3, s3, s2
        addi    t0, s1, 4
        li      t1, 1
        amoadd.w zero, t1, (t0)
1:      lw      t1, 0(t0)
        bltu    t1, s3, 1b
        ret

        .balign 8
harts:  .word   0, 0                    /* their number, and the arrivals at barriers */
