/* findings.S - stores to code and runs it without a fence, at a new place each time. */
        .globl  _start
_start:
        fence.i
        li      s0, 0x80100000
        li      s1, 0x8ff00000
        li      t1, 0x80828082          /* ret, twice */
        li      t2, 0x80820001          /* nop, ret */
1:      sw      t1, 0(s0)
        jalr    ra, 0(s0)
        sw      t2, 0(s0)
        jalr    ra, 0(s0)
        addi    s0, s0, 4
        bltu    s0, s1, 1b
2:      j       2b
