/* swaps.S - replaces 300,000 instructions of its text, one store each, with no fence. */
        .option norvc
        .globl  _start
_start:
        la      t0, many
        li      t1, 300000
        li      t2, 0x00100073          /* ebreak */
1:      sw      t2, 0(t0)
        addi    t0, t0, 4
        addi    t1, t1, -1
        bnez    t1, 1b
        li      t0, 0x100000
        li      t1, 0x5555
        sw      t1, 0(t0)
2:      j       2b
many:   .fill   300000, 4, 0x13         /* nop */
