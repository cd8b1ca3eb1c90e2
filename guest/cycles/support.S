/* support.S - what the rows need beside their bodies: their end, S-mode, traps. */
        .text
        .option norelax
/* The end of a row: stores its result, and puts M-mode back as it was. */
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

/* translation_on(): for S-mode; M-mode does not notice. */
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

/* Goes on after the instruction: where the trap came from, or with a7 set in M-mode. */
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
