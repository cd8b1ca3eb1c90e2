/*
 * start.S - the entry: hart 0 calls main() in M-mode, the others sleep.
 *
 * The same image runs on the RTL of cores. Some of them need caches and predictors turned on;
 * accesses to registers that a core does not have trap and are skipped.
 */
#define THEAD            0x5b7 /* mvendorid */
#define CLASS_C910       3     /* bits 18 to 21 of mcpuid; the C906 has 4 */
#define MISALIGNED_LOAD  4     /* mcause */
#define MISALIGNED_STORE 6
#define RESULTS_BYTES    (1024 * 32)
#define CACHE_LINE_BYTES 64

        .section .text.start, "ax"
        .option norelax
        .globl  _start, unexpected_trap
_start:
        csrr    a0, mhartid
        bnez    a0, sleep
        la      t0, skip_instruction
        csrw    mtvec, t0
        csrr    t0, mvendorid
        li      t1, THEAD
        bne     t0, t1, 1f
        li      t0, 0x400000
        csrs    0x7c0, t0               # mxstatus: the extended instructions
        li      t0, 0x200000
        csrc    0x7c0, t0               # its own page attributes off: entries are those of Sv39
        li      t0, 0x30013
        csrs    0x7c2, t0               # mcor: invalidate caches and predictors
        li      t0, 0x17f
        csrs    0x7c1, t0               # mhcr: caches, write-back, write-allocate, predictors
        li      t0, 0x610c
        csrs    0x7c5, t0               # mhint: prefetchers
        csrr    t0, 0xfc0               # mcpuid: the first of several words
        srli    t0, t0, 18
        andi    t0, t0, 15
        addi    t0, t0, -CLASS_C910
        bnez    t0, 1f
        csrsi   0x7f3, 1                # msmpr: fetch sees what the data cache has
        li      t0, 0x438000
        csrs    0x7c0, t0
        li      t0, 0x70013
        csrs    0x7c2, t0
        li      t0, 0x11ff
        csrs    0x7c1, t0
        li      t0, 0x6e30c
        csrs    0x7c5, t0
        li      t0, 0xe0000009
        csrs    0x7c3, t0               # mccr2: the second level and its prefetchers
1:      li      t0, 0x6000              # floating point on
        csrs    mstatus, t0
        csrw    fcsr, zero
        csrw    0x320, zero             # mcountinhibit
        li      t0, 7
        csrw    mcounteren, t0
        li      t0, -1                  # S-mode may use all of memory
        csrw    pmpaddr0, t0
        li      t0, 0x1f
        csrw    pmpcfg0, t0
        csrw    mie, zero
        la      t0, unexpected_trap
        csrw    mtvec, t0
        la      sp, stack_top
        call    main
        j       finish
sleep:
        csrw    mie, zero
1:      wfi
        j       1b

        .balign 4
skip_instruction:
        csrr    t2, mepc
        addi    t2, t2, 4
        csrw    mepc, t2
        mret

/* Skips a misaligned load or store, on cores that do not execute them; any other trap ends the run. */
        .balign 4
unexpected_trap:
        csrrw   t0, mscratch, t0
        csrr    t0, mcause
        addi    t0, t0, -MISALIGNED_LOAD
        beqz    t0, 1f
        addi    t0, t0, MISALIGNED_LOAD - MISALIGNED_STORE
        bnez    t0, 2f
1:      csrr    t0, mepc
        addi    t0, t0, 4               # those in the rows have 4 bytes
        csrw    mepc, t0
        csrrw   t0, mscratch, t0
        mret
2:      li      a0, 99
/* finish(code): ends the run by the test finisher; 0 means passed. */
        .globl  finish
finish:
        csrr    t0, mvendorid
        li      t1, THEAD
        bne     t0, t1, 2f
        la      t0, results             # on RTL they are read from memory
        li      t1, RESULTS_BYTES
        add     t1, t1, t0
1:      .insn   r 0x0b, 0, 1, x0, t0, x5        # th.dcache.cva
        addi    t0, t0, CACHE_LINE_BYTES
        bltu    t0, t1, 1b
        fence
2:      li      t0, 0x100000
        li      t1, 0x5555
        beqz    a0, 1f
        slli    a0, a0, 16
        li      t1, 0x3333
        or      t1, t1, a0
1:      sw      t1, 0(t0)
        j       1b
        .org    0x180                   # the rows begin here: see rows.py

        .bss
        .balign 64
stack:  .skip   64 * 1024
stack_top:
