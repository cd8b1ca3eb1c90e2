# harts.S - runs random programs on several harts at once and prints a hash of what became of each.
#
# Machine mode, at the start of RAM. hartstest.py makes the programs (programs.S, included below) and
# HARTS. All harts run their parts of one program together, in M, S or U mode, with software
# interrupts that they send to each other and timer interrupts; an ecall ends a part. Hart N's hash is of its
# registers and its private memory. Hart 0 adds the hash of what the harts share, and prints all.
#
# What the programs may use: sp the private window + 0x1000, gp what is shared, tp the page table of
# the window; x28 to x31 are zero at the end of each group.

    .equ SHARED,  0x80200000
    .equ PRIVATE, 0x80210000        # 0x4000 bytes of each hart
    .equ TABLES,  0x80280000        # 0x4000 bytes of each hart: three levels
    .equ AREA_SHIFT, 14
    .equ WINDOW,  0xc0000000        # the private pages in S and U mode
    .equ UART,    0x10000000
    .equ FINISHER, 0x100000
    .equ MSIP,    0x2000000
    .equ MTIMECMP, 0x2004000
    .equ MTIME,   0x200bff8
    .include "console.S"

    # A record: entry, mstatus, whether there is paging, whether the timer runs; then x1 to x31, f0 to f31
    .equ R_ENTRY, 0
    .equ R_MSTATUS, 8
    .equ R_PAGING, 16
    .equ R_TIMER, 24
    .equ R_X, 32
    .equ R_F, R_X + 8*32
    .equ R_BYTES, R_F + 8*32

    # A hart's frame
    .equ S_X, 0
    .equ S_HART, 256
    .equ S_RECORD, 264
    .equ S_LEFT, 272
    .equ S_RANDOM, 280
    .equ S_BARRIER, 288
    .equ S_HASH, 296

    # A hart's mailbox, in SHARED + MAILBOXES
    .equ MAILBOXES, 0x400
    .equ MAILBOX_SHIFT, 6
    .equ M_VALUE, 8
    .equ M_ACK, 16
    .equ M_SUM, 24

    .option norelax
    .section .text
    .globl _start
_start:
    csrr t0, mhartid
    li t1, HARTS
1:  bgeu t0, t1, 1b
    la s0, frames
    slli t1, t0, 9
    add s0, s0, t1
    sd t0, S_HART(s0)
    addi t1, t0, 1
    sd t1, S_RANDOM(s0)
    sd zero, S_BARRIER(s0)
    la t1, program_count
    ld t1, 0(t1)
    sd t1, S_LEFT(s0)
    la t1, records
    li t2, R_BYTES
    mul t2, t2, t0
    add t1, t1, t2
    sd t1, S_RECORD(s0)
    csrw mscratch, s0
    la t1, trap
    csrw mtvec, t1
    li t1, -1
    csrw pmpaddr0, t1
    li t1, 0x1f                     # all of memory, for all modes
    csrw pmpcfg0, t1
    li t1, 0x6000                   # FS
    csrs mstatus, t1

next_program:
    jal stop_timer
    ld t0, S_LEFT(s0)
    beqz t0, all_done
    addi t0, t0, -1
    sd t0, S_LEFT(s0)
    ld s1, S_HART(s0)
    ld s2, S_RECORD(s0)
    bnez s1, 1f
    li a0, SHARED                   # hart 0 makes what is shared
    li a1, 0x2000
    jal fill
    li t0, SHARED + 0x200           # locks and mailboxes are empty
    li t1, SHARED + 0x800
2:  sd zero, 0(t0)
    addi t0, t0, 8
    bne t0, t1, 2b
1:  slli t0, s1, AREA_SHIFT
    li a0, PRIVATE
    add a0, a0, t0
    mv s3, a0
    li a1, 0x4000
    jal fill
    li s4, TABLES
    add s4, s4, t0
    jal make_tables
    csrw satp, zero
    ld t0, R_PAGING(s2)
    li t1, 8 << 60
    beqz t0, 1f
    srli t0, s4, 12
    or t0, t0, t1
    csrw satp, t0
    li s3, WINDOW
1:  sfence.vma
    jal barrier
    ld t0, R_ENTRY(s2)
    csrw mepc, t0
    ld t0, R_MSTATUS(s2)
    csrw mstatus, t0
    csrw fcsr, zero
    li t0, 0x88                     # software and timer interrupts
    csrw mie, t0
    ld t0, R_TIMER(s2)
    beqz t0, 1f
    jal next_timer
1:  li t0, 0x1000
    add t0, t0, s3
    sd t0, R_X+8*2(s2)
    li t0, SHARED
    sd t0, R_X+8*3(s2)
    li t0, 0x2000
    add t0, t0, s4
    sd t0, R_X+8*4(s2)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\n, R_F+8*\n(s2)
    .endr
    mv x31, s2
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, R_X+8*\n(x31)
    .endr
    ld x31, R_X+8*31(x31)
    mret

# a0: an area, a1: its bytes
fill:
    li t2, 0x0123456789abcdef
    add a1, a1, a0
1:  sd t2, 0(a0)
    slli t3, t2, 1
    srli t4, t2, 63
    or t2, t3, t4
    addi a0, a0, 8
    bne a0, a1, 1b
    ret

# s4: the tables, s2: the record. Gigabytes 0 (devices) and 2 (RAM) are themselves, 3 has the private pages
make_tables:
    ld t0, R_MSTATUS(s2)
    li t1, 0x1800
    and t0, t0, t1
    seqz t0, t0
    slli t0, t0, 4                  # U
    ori t1, t0, 0xc7                # D, A, W, R, V
    sd t1, 0(s4)
    li t1, 0x20000000 | 0xcf
    or t1, t1, t0
    sd t1, 16(s4)
    li t2, 0x1000
    add t3, s4, t2
    srli t1, t3, 2
    ori t1, t1, 1
    sd t1, 24(s4)
    add t4, t3, t2
    srli t1, t4, 2
    ori t1, t1, 1
    sd t1, 0(t3)
    srli t1, s3, 2
    ori t1, t1, 0xc7
    or t1, t1, t0
    sd t1, 0(t4)
    addi t1, t1, 0x400
    sd t1, 8(t4)
    addi t1, t1, 0x400
    sd t1, 16(t4)
    addi t1, t1, 0x400
    sd t1, 24(t4)
    ret

# Waits for all harts; s0: the frame
barrier:
    ld t2, S_BARRIER(s0)
    addi t2, t2, HARTS
    sd t2, S_BARRIER(s0)
    la t0, arrived
    li t1, 1
    fence rw, rw
    amoadd.w zero, t1, (t0)
1:  lw t1, 0(t0)
    blt t1, t2, 1b
    fence rw, rw
    ret

# The next timer interrupt, in 16 to 143 ticks; s0: the frame
next_timer:
    ld t0, S_RANDOM(s0)
    li t1, 0x5851f42d4c957f2d
    mul t0, t0, t1
    addi t0, t0, 1
    sd t0, S_RANDOM(s0)
    srli t0, t0, 57
    addi t0, t0, 16
    li t1, MTIME
    ld t1, 0(t1)
    add t0, t0, t1
    j set_timer
stop_timer:
    li t0, -1
set_timer:
    ld t1, S_HART(s0)
    slli t1, t1, 3
    li t2, MTIMECMP
    add t1, t1, t2
    sd t0, 0(t1)
    fence iorw, iorw
    ret

    .balign 4
trap:
    csrrw x31, mscratch, x31
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    sd x\n, S_X+8*\n(x31)
    .endr
    mv s0, x31
    csrr t0, mscratch
    sd t0, S_X+8*31(s0)
    csrw mscratch, s0
    csrr t0, mcause
    bgez t0, ended
    slli t0, t0, 1
    srli t0, t0, 1
    li t1, 3
    beq t0, t1, software
    jal next_timer
    j resume

# Takes the value out of the mailbox and says so: the sender waits for it
software:
    ld t1, S_HART(s0)
    slli t0, t1, 2
    li t2, MSIP
    add t0, t0, t2
    sw zero, 0(t0)
    fence iorw, iorw
    slli t1, t1, MAILBOX_SHIFT
    li t2, SHARED + MAILBOXES
    add t1, t1, t2
    ld t2, M_VALUE(t1)
    ld t3, M_SUM(t1)
    add t3, t3, t2
    sd t3, M_SUM(t1)
    fence rw, rw
    li t2, 1
    sd t2, M_ACK(t1)
resume:
    mv x31, s0
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, S_X+8*\n(x31)
    .endr
    ld x31, S_X+8*31(x31)
    mret

ended:
    ld s2, S_RECORD(s0)
    li s4, 0x9e3779b97f4a7c15
    csrr a0, mcause
    jal fold
    csrr a0, mepc
    jal fold
    csrr a0, fcsr
    jal fold
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld a0, S_X+8*\n(s0)
    jal fold
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fmv.x.d a0, f\n
    jal fold
    .endr
    ld t0, S_HART(s0)
    slli t0, t0, AREA_SHIFT
    li s5, PRIVATE
    add s5, s5, t0
    li s6, 0x4000
    jal fold_area
    sd s4, S_HASH(s0)
    csrsi mstatus, 8                # others may still send interrupts
    jal barrier
    csrci mstatus, 8
    ld t0, S_HART(s0)
    bnez t0, 1f
    jal print_all
1:  jal barrier
    li t0, R_BYTES * HARTS
    add s2, s2, t0
    sd s2, S_RECORD(s0)
    j next_program

# a0 into the hash
fold:
    xor s4, s4, a0
    li t0, 0x9e3779b97f4a7c15
    mul s4, s4, t0
    srli t0, s4, 31
    xor s4, s4, t0
    ret

# s5: an area, s6: its bytes
fold_area:
    mv s7, ra
    add s6, s6, s5
1:  ld a0, 0(s5)
    jal fold
    addi s5, s5, 8
    bne s5, s6, 1b
    jr s7

# The hash of each hart, and of what is shared
print_all:
    mv s8, ra
    la s9, frames
    li s10, HARTS
1:  ld a0, S_HASH(s9)
    jal print
    addi s9, s9, 512
    addi s10, s10, -1
    bnez s10, 1b
    li s4, 0
    li s5, SHARED
    li s6, 0x2000
    jal fold_area
    mv a0, s4
    jal print
    jr s8

# a0 as a line of hex
print:
    print_hex t3
    ret

all_done:
    jal barrier
    ld t0, S_HART(s0)
1:  bnez t0, 1b
    power_off

    .balign 64
arrived: .dword 0
    .balign 512
frames: .skip 512 * HARTS

    .balign 4
    .option rvc
    .include "programs.S"
