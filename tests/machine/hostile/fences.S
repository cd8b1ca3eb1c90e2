/* fences.S - stores to its own code and fences, in turns, without end. */
        .option norvc
        .globl  _start
_start:
        csrr    t0, mhartid
1:      bnez    t0, 1b
        la      t0, slot
        li      t1, 0x00150513          /* addi a0,a0,1 */
        li      t2, 0x00250513          /* addi a0,a0,2 */
2:      sw      t1, 0(t0)
        fence.i
slot:   addi    a0, a0, 1
        sw      t2, 0(t0)
        fence.i
        j       2b
