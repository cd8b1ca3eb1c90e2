/*
 * slow.S - every hart writes a function into each page of 32 MiB, fences and runs it, then another:
 * each instruction takes the host long, and it never ends.
 */
        .globl  _start
_start: li      t2, 0x00008067          /* ret */
        li      t3, 0x00100513          /* li a0, 1 */
        li      s1, 0x1000
        csrr    t0, mhartid
        andi    t0, t0, 7
        slli    t0, t0, 22
1:      li      t1, 0x80400000
        add     t1, t1, t0
        li      s2, 0x400000
        add     s2, s2, t1
2:      sw      t2, 0(t1)
        fence.i
        jalr    ra, t1
        sw      t3, 0(t1)
        sw      t2, 4(t1)
        jalr    ra, t1
        add     t1, t1, s1
        bltu    t1, s2, 2b
        j       1b
