/* support.S - functions for rows: their end, S-mode, traps. */
        .text
        .option norelax
#define SAVED(op)                                                                                  \
        op ra, 0(sp);   op s0, 8(sp);   op s1, 16(sp);  op s2, 24(sp);  op s3, 32(sp);             \
        op s4, 40(sp);  op s5, 48(sp);  op s6, 56(sp);  op s7, 64(sp);  op s8, 72(sp);             \
        op s9, 80(sp);  op s10, 88(sp); op s11, 96(sp)

/* rows_run(): runs all rows, on a stack at a fixed address: some cores compare page offsets of loads and stores. */
        .globl  rows_run
rows_run:
        addi    sp, sp, -112
        SAVED(sd)
        la      t0, rows_stack_top
        sd      sp, 0(t0)
        mv      sp, t0
        call    rows_body
        ld      sp, 0(sp)
        SAVED(ld)
        addi    sp, sp, 112
        ret

/* row_report: the end of a row. Stores its result and restores M-mode's trap vector. */
        .balign 64
        .globl  row_report
row_report:
        sd      s7, 0(s2)
        sub     a0, s5, s4
        sd      a0, 8(s2)
        sub     a0, s6, s3
        sd      a0, 16(s2)
        la      t0, unexpected_trap
        csrw    mtvec, t0
        fence
        ret

/* translation_on(): turns on Sv39, which affects S-mode only. */
        .globl  translation_on, enter_supervisor, leave_supervisor, row_trap
translation_on:
        la      t0, row_trap
        csrw    mtvec, t0
        la      t0, page_tables
        srli    t0, t0, 12
        li      t1, 8 << 60             # Sv39
        or      t0, t0, t1
        csrw    satp, t0
        sfence.vma
        ret

/* Returns in S-mode, with 0 in a7. */
enter_supervisor:
        li      t0, 0x1800
        csrc    mstatus, t0
        li      t0, 0x800
        csrs    mstatus, t0
        csrw    mepc, ra
        li      a7, 0
        mret

/* Returns in M-mode. */
leave_supervisor:
        li      a7, 1
        ecall
        ret

/* row_trap: continues after the instruction that trapped; in M-mode if a7 is not zero. */
        .balign 64
row_trap:
        bnez    a7, 1f
        csrr    t5, mepc
        addi    t5, t5, 4
        csrw    mepc, t5
        mret
1:      li      t5, 0x1800
        csrs    mstatus, t5
        csrr    t5, mepc
        addi    t5, t5, 4
        csrw    mepc, t5
        mret

        .bss
        .balign 4096
        .skip   4096 + 0x40
rows_stack_top:
        .skip   64
