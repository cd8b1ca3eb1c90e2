# mmu.S - runs programs about address translation and prints a hash of what each has seen.
#
# Machine mode, at the start of RAM. A program is a list of records of eight doublewords, which
# mmutest.py makes: it builds page tables, fences, sets satp, and executes single instructions in U,
# S or M mode, which may load or store. After each instruction comes an ebreak, so that every one
# ends in a trap; the trap's CSRs and the value loaded are folded into the hash. Of the program
# whose number is in `dump` they are printed, too.
#
# Registers: s0 the record, s1 the hash, s2 the number of the program. The programs use a0 to a2
# only.

    .equ DATA,     0x80200000       # 16 pages
    .equ TABLES,   0x80300000       # 16 tables
    .equ TEMPLATE, 0x80400000       # of the data
    .equ RECORDS,  0x80800000
    .equ UART,     0x10000000
    .equ FINISHER, 0x100000
    .equ STVEC,    -4096            # no program maps this page
    .include "console.S"

    .option norelax
    .option norvc                   # the tables of jumps have four bytes each
    .section .text
    .globl _start
_start:
    csrr t0, mhartid
1:  bnez t0, 1b
    la t0, trap
    csrw mtvec, t0
    li t0, STVEC
    csrw stvec, t0
    li s0, RECORDS - 64
    li s2, 0

next:
    addi s0, s0, 64
    ld t0, 0(s0)
    la t1, kinds
    slli t0, t0, 2
    add t1, t1, t0
    jr t1

    .balign 4
kinds:
    j all_done
    j begin
    j entry
    j fence
    j set_satp
    j execute
    j execute_as_machine
    j fold_memory
    j end
    j pmp_address
    j pmp_cfg

begin:                              # menvcfg, medeleg
    csrw satp, zero
    csrw pmpcfg0, zero
    csrw pmpcfg2, zero
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    csrw pmpaddr\n, zero
    .endr
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f                     # all of memory, for all modes
    csrw pmpcfg0, t0
    ld t0, 8(s0)
    csrw menvcfg, t0
    ld t0, 16(s0)
    csrw medeleg, t0
    li s1, 0
    li t0, TABLES
    li t1, TABLES + 0x10000
1:  sd zero, 0(t0)
    addi t0, t0, 8
    bne t0, t1, 1b
    li t0, DATA
    li t1, DATA + 0x10000
    li t2, TEMPLATE
1:  ld t3, 0(t2)
    sd t3, 0(t0)
    addi t0, t0, 8
    addi t2, t2, 8
    bne t0, t1, 1b
    sfence.vma
    fence.i
    j next

entry:                              # address, value
    ld t0, 8(s0)
    ld t1, 16(s0)
    sd t1, 0(t0)
    j next

fence:                              # form, address, address space
    ld t0, 8(s0)
    ld t1, 16(s0)
    ld t2, 24(s0)
    la t3, fences
    slli t0, t0, 4
    add t3, t3, t0
    jr t3
    .balign 16
fences:
    sfence.vma
    j next
    .balign 16
    sfence.vma t1
    j next
    .balign 16
    sfence.vma zero, t2
    j next
    .balign 16
    sfence.vma t1, t2
    j next
    .balign 16
    .insn r 0x73, 0, 0x0c, x0, x0, x0   # sfence.w.inval
    .insn r 0x73, 0, 0x0b, x0, x0, x0   # sinval.vma
    .insn r 0x73, 0, 0x0c, x0, x0, x1   # sfence.inval.ir
    j next
    .balign 16
    .insn r 0x73, 0, 0x0c, x0, x0, x0
    .insn r 0x73, 0, 0x0b, x0, t1, x0
    .insn r 0x73, 0, 0x0c, x0, x0, x1
    j next
    .balign 16
    .insn r 0x73, 0, 0x0c, x0, x0, x0
    .insn r 0x73, 0, 0x0b, x0, x0, t2
    .insn r 0x73, 0, 0x0c, x0, x0, x1
    j next
    .balign 16
    .insn r 0x73, 0, 0x0c, x0, x0, x0
    .insn r 0x73, 0, 0x0b, x0, t1, t2
    .insn r 0x73, 0, 0x0c, x0, x0, x1
    j next

set_satp:                           # value
    ld t0, 8(s0)
    csrw satp, t0
    csrr a0, satp
    jal fold
    j next

pmp_address:                        # number, value
    ld t0, 8(s0)
    ld t1, 16(s0)
    la t2, addresses
    slli t0, t0, 4
    add t2, t2, t0
    jr t2
    .balign 16
addresses:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    csrw pmpaddr\n, t1
    csrr a0, pmpaddr\n
    j fold_and_next
    .balign 16
    .endr

pmp_cfg:                            # half, value
    ld t0, 8(s0)
    ld t1, 16(s0)
    bnez t0, 1f
    csrw pmpcfg0, t1
    csrr a0, pmpcfg0
    j fold_and_next
1:  csrw pmpcfg2, t1
    csrr a0, pmpcfg2
fold_and_next:
    jal fold
    j next

    .macro prepare                  # mstatus, pc, a1, a2
    fence.i
    csrw scause, zero
    csrw stval, zero
    csrw sepc, zero
    ld t0, 8(s0)
    ld t1, 16(s0)
    ld a1, 24(s0)
    ld a2, 32(s0)
    li a0, 0
    .endm

execute:
    prepare
    csrw mepc, t1
    csrw mstatus, t0
    mret

execute_as_machine:                 # mret would set MPP
    prepare
    csrw mstatus, t0
    jr t1

    .balign 4
trap:
    li t0, 0x20000                  # MPRV off
    csrc mstatus, t0
    csrr t3, mcause
    csrr t4, mtval
    li t0, 3                        # of ebreak: the address or zero, either is legal
    bne t3, t0, 1f
    li t4, 0
1:  jal fold
    mv a0, t3
    jal fold
    csrr a0, mepc
    jal fold
    mv a0, t4
    jal fold
    csrr a0, mstatus
    li t0, 0x1800
    and a0, a0, t0
    jal fold
    csrr a0, scause
    jal fold
    csrr a0, sepc
    jal fold
    csrr a0, stval
    jal fold
    j next

fold_memory:                        # address, number of doublewords
    ld t3, 8(s0)
    ld t4, 16(s0)
1:  ld a0, 0(t3)
    jal fold
    addi t3, t3, 8
    addi t4, t4, -1
    bnez t4, 1b
    j next

end:
    mv a0, s1
    jal print
    addi s2, s2, 1
    j next

# a0 into the hash; printed if this is the program to be shown
fold:
    xor s1, s1, a0
    li t0, 0x9e3779b97f4a7c15
    mul s1, s1, t0
    srli t0, s1, 31
    xor s1, s1, t0
    la t0, dump
    ld t0, 0(t0)
    beq t0, s2, print
    ret

# a0 as a line of hex
print:
    print_hex t5
    ret

all_done:
    power_off

    .balign 8
    .globl dump
dump: .dword -1
