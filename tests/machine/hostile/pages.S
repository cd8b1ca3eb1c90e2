/* pages.S - one store to each of 5,000 pages, with no fence before or after. */
        .globl  _start
_start:
        li      t0, 0x81000000
        li      t1, 5000
        li      t2, 4096
1:      sd      t1, 0(t0)
        add     t0, t0, t2
        addi    t1, t1, -1
        bnez    t1, 1b
        li      t0, 0x100000
        li      t1, 0x5555
        sw      t1, 0(t0)
2:      j       2b
