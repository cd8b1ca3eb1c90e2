/* support.S - functions for rows: their end, S-mode, traps. */
        .text
        .option norelax
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
