# stub.S - runs the cases of a differential test and says what became of each.
#
# Machine mode, at the start of RAM. A case is a record of registers, a mode
# and some code; it runs in S or U mode behind physical memory protection, so
# that nothing it does reaches the stub, or in M mode, where locked entries keep it
# off. Each trap is folded into a hash and its instruction skipped; at the end
# registers and memory are folded in, too, and the hash is printed. For the case
# whose number stands at `dump` everything is printed instead.
#
# A trap that is delegated goes to stvec, where nothing can be fetched: that fault
# comes here, and what S mode has been told is folded in before it returns.
#
# The layout is that of difftest, which fills in the records.

    .equ CODE,     0x80400000       # 4 MiB, R X
    .equ DATA,     0x80200000       # 16 KiB, R W
    .equ TABLES,   0x80300000       # 64 KiB, page tables
    .equ CASES,    0x80800000
    .equ UART,     0x10000000
    .equ FINISHER, 0x100000
    .equ MTIMECMP, 0x2004000
    .equ TRAPS_MAX, 64
    .include "console.S"

    # a record
    .equ R_X, 0
    .equ R_F, 256
    .equ R_FCSR, 512
    .equ R_MSTATUS, 520
    .equ R_SATP, 528
    .equ R_BEGIN, 536
    .equ R_END, 544
    .equ R_PTES, 552                # 16 of the last level
    .equ R_CODE_FLAGS, 680          # of the superpages that map the code
    .equ R_MENVCFG, 688
    .equ R_MEDELEG, 696
    .equ R_MIDELEG, 704
    .equ R_MIE, 712
    .equ R_MIP, 720
    .equ R_STVEC, 728
    .equ R_LINK, 736                # the entry that points to the last level
    .equ R_BYTES, 768

    # what the stub keeps, at mscratch
    .equ S_X, 0
    .equ S_RECORD, 256
    .equ S_HASH, 264
    .equ S_TRAPS, 272
    .equ S_LEFT, 280
    .equ S_NUMBER, 288

    .option norelax
    .section .text
    .globl _start
_start:
    csrr t0, mhartid
1:  bnez t0, 1b
    la t0, trap
    csrw mtvec, t0
    la s0, state
    csrw mscratch, s0
    li t0, MTIMECMP                 # no timer interrupt is pending
    li t1, -1
    sd t1, 0(t0)
    li t0, (CODE >> 2) | 0x7ffff
    csrw pmpaddr0, t0
    la t0, _start                   # the text of the stub
    srli t0, t0, 2
    ori t0, t0, 0x1ff
    csrw pmpaddr1, t0
    la t0, count                    # its data
    srli t0, t0, 2
    ori t0, t0, 0x1ff
    csrw pmpaddr2, t0
    li t0, (CASES >> 2) | 0xfffff   # 8 MiB of records
    csrw pmpaddr3, t0
    li t0, 0x1fffffffffffff         # the rest, RAM and devices, is for nobody
    csrw pmpaddr15, t0
    li t0, UART >> 2                # no more of the devices than it needs, see print
    csrw pmpaddr12, t0
    li t0, FINISHER >> 2
    csrw pmpaddr13, t0
    li t0, 0x1b1b999b9d9d
    csrw pmpcfg0, t0
    li t0, 0x9800000000000000
    csrw pmpcfg2, t0
    li t0, CASES
    sd t0, S_RECORD(s0)
    la t0, count
    ld t0, 0(t0)
    sd t0, S_LEFT(s0)
    sd zero, S_NUMBER(s0)

next_case:
    la s0, state
    ld t0, S_LEFT(s0)
    beqz t0, all_done
    addi t0, t0, -1
    sd t0, S_LEFT(s0)
    ld s1, S_RECORD(s0)
    li t0, 0x9e3779b97f4a7c15
    sd t0, S_HASH(s0)
    sd zero, S_TRAPS(s0)
    # what the last case may have changed; entries 0 to 3 and 15 are locked
    csrw mideleg, zero
    csrw mie, zero
    csrw mip, zero
    csrw mcounteren, zero
    li t0, 0x1b1b999b9d9d
    csrw pmpcfg0, t0
    csrw pmpcfg2, zero
    jal open_memory
    li t0, CASES >> 2               # QEMU 7.2: TOR up to 0 is everything
    .irp n, 6,7,8,9,10,11,14
    csrw pmpaddr\n, t0
    .endr
    # data: a pattern
    li t0, DATA
    li t1, DATA + 0x4000
    li t2, 0x0123456789abcdef
1:  sd t2, 0(t0)
    slli t3, t2, 1
    srli t4, t2, 63
    or t2, t3, t4
    addi t0, t0, 8
    bne t0, t1, 1b
    # tables: gigabyte 2 -> superpages of the code, sixteen pages of data
    li t0, TABLES
    li t1, ((TABLES + 0x1000) >> 12 << 10) | 1
    sd t1, 16(t0)
    li t0, TABLES + 0x1000
    ld t2, R_CODE_FLAGS(s1)
    li t1, CODE >> 12 << 10
    or t1, t1, t2
    sd t1, 16(t0)
    li t1, (CODE + 0x200000) >> 12 << 10
    or t1, t1, t2
    sd t1, 24(t0)
    ld t1, R_LINK(s1)
    sd t1, 8(t0)
    li t0, TABLES + 0x3000          # the roots of Sv48 and Sv57
    li t1, (TABLES >> 12 << 10) | 1
    sd t1, 0(t0)
    li t0, TABLES + 0x4000
    li t1, ((TABLES + 0x3000) >> 12 << 10) | 1
    sd t1, 0(t0)
    li t0, TABLES + 0x2000
    addi t1, s1, R_PTES
    li t2, 16
1:  ld t3, 0(t1)
    sd t3, 0(t0)
    addi t1, t1, 8
    addi t0, t0, 8
    addi t2, t2, -1
    bnez t2, 1b
    # the rest of the state
    li t0, 0x6000
    csrs mstatus, t0
    ld t0, R_FCSR(s1)
    csrw fcsr, t0
    addi t0, s1, R_F
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\n, 8*\n(t0)
    .endr
    ld t0, R_SATP(s1)
    csrw satp, t0
    sfence.vma
    ld t0, R_MSTATUS(s1)
    csrw mstatus, t0
    ld t0, R_MENVCFG(s1)
    csrw menvcfg, t0
    csrw mcause, zero
    csrw mtval, zero
    csrw sscratch, zero
    csrw sepc, zero
    csrw scause, zero
    csrw stval, zero
    csrw scounteren, zero
    csrw senvcfg, zero
    ld t0, R_STVEC(s1)
    csrw stvec, t0
    ld t0, R_MEDELEG(s1)
    csrw medeleg, t0
    ld t0, R_MIDELEG(s1)
    csrw mideleg, t0
    ld t0, R_MIE(s1)
    csrw mie, t0
    ld t0, R_MIP(s1)
    csrw mip, t0
    ld t0, R_BEGIN(s1)
    csrw mepc, t0
    fence.i
    mv x31, s1
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, 8*\n(x31)
    .endr
    ld x31, 8*31(x31)
    mret

    .balign 4
trap:
    csrrw x31, mscratch, x31
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    sd x\n, S_X+8*\n(x31)
    .endr
    mv s0, x31
    # whether an lr before the trap lets an sc after it succeed is the machine's choice: none does
    sc.d zero, zero, (s0)
    csrr t0, mscratch
    sd t0, S_X+8*31(s0)
    csrw mscratch, s0
    ld s1, S_RECORD(s0)
    csrr s2, mepc
    csrr s3, mcause
    csrr s4, mtval
    csrr s5, mstatus
    li t0, 0x1800
    and s5, s5, t0
    li s6, 0                        # M mode was told
    ld t0, R_BEGIN(s1)
    bltu s2, t0, outside
    ld t0, R_END(s1)
    bgtu s2, t0, outside
told:
    ld t0, R_BEGIN(s1)
    ld t1, R_END(s1)
    beq s2, t1, at_end
1:  bltz s3, interrupt
    # QEMU 7.2 calls an AMO that faults a load where it is not readable: make both a store
    bltu s2, t0, 1f
    bgeu s2, t1, 1f
    lbu t0, 0(s2)
    andi t0, t0, 0x7f
    li t1, 0x2f
    bne t0, t1, 1f
    li t0, 12
    beq s3, t0, 1f
    ori s3, s3, 2
1:  li t0, 0x1800                   # QEMU 7.2 rounds the address of a hole down: M mode reaches them
    bne s5, t0, 1f
    ori t0, s3, 2
    li t1, 7
    bne t0, t1, 1f
    srli t0, s4, 28                 # and it wraps round at the end of all addresses
    li t1, 8
    beq t0, t1, 1f
    li s4, 0
1:  li t0, 2                        # QEMU 7.2: zero for an illegal CSR access
    beq s3, t0, 1f
    li t0, 3                        # the address or zero, as one likes (vol. II, 3.1.16)
    bne s3, t0, 2f
1:  li s4, 0
2:  jal tell
    ld t0, R_BEGIN(s1)
    bltu s2, t0, finish
    ld t0, R_END(s1)
    bgeu s2, t0, finish
    # a fetch that faults would fault again
    li t0, 1
    beq s3, t0, finish
    li t0, 12
    beq s3, t0, finish
    beqz s3, finish
    lhu t0, 0(s2)
    andi t0, t0, 3
    addi s2, s2, 2
    li t1, 3
    bne t0, t1, resume
    addi s2, s2, 2
resume:
    beqz s6, 1f
    csrw scause, s3                 # as made equal above
    csrw stval, s4
    csrr t0, mstatus                # what sret would do
    andi t1, t0, 0x100
    slli t1, t1, 3                  # SPP to MPP
    andi t2, t0, 0x20
    srli t2, t2, 4                  # SPIE to SIE
    li t3, 0x1902
    not t3, t3
    and t0, t0, t3
    or t0, t0, t1
    or t0, t0, t2
    ori t0, t0, 0x20
    csrw mstatus, t0
1:  li t0, 0x20000                  # QEMU 7.2 keeps what it reached before an mret: MPRV off
    csrc mstatus, t0
    csrw mcause, s3
    csrw mtval, s4
    csrw mepc, s2
    mv x31, s0
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, S_X+8*\n(x31)
    .endr
    ld x31, S_X+8*31(x31)
    mret

at_end:                             # the ebreak there, unless an interrupt comes first
    bltz s3, interrupt
    csrw stval, zero                # the address or zero, as above
    j finish

interrupt:                          # has no instruction to skip
    li t0, 1
    sll t0, t0, s3
    csrc mip, t0
    jal tell
    j resume

outside:                            # is it the vector of S mode, which cannot be fetched?
    csrr t0, sepc
    beqz t0, told
    ld t1, R_BEGIN(s1)
    bltu t0, t1, told
    ld t1, R_END(s1)
    bgtu t0, t1, told
    li t1, 12
    beq s3, t1, 1f
    li t1, 1
    bne s3, t1, told
1:  mv a0, s3
    jal fold
    mv a0, s2
    jal fold
    csrr s2, sepc
    csrr s3, scause
    csrr s4, stval
    csrr s5, mstatus
    andi s5, s5, 0x122              # SPP, SPIE, SIE
    li s6, 1
    j told

# cause, pc, value and mode; too many are enough
tell:
    mv s7, ra
    mv a0, s3
    jal fold
    mv a0, s2
    jal fold
    mv a0, s4
    jal fold
    mv a0, s5
    jal fold
    ld t0, S_TRAPS(s0)
    addi t0, t0, 1
    sd t0, S_TRAPS(s0)
    li t1, TRAPS_MAX
    bgeu t0, t1, finish
    jr s7

finish:
    li t0, 0x6000
    csrs mstatus, t0
    li t0, 0x20000                  # MPRV off
    csrc mstatus, t0
    jal open_memory
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld a0, S_X+8*\n(s0)
    jal fold
    .endr
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fmv.x.d a0, f\n
    jal fold
    .endr
    csrr a0, fcsr
    jal fold
    csrr a0, sscratch
    jal fold
    csrr a0, sepc
    andi a0, a0, -2                 # QEMU 7.2 keeps bit 0
    jal fold
    csrr a0, scause
    jal fold
    csrr a0, stval
    jal fold
    csrr a0, stvec
    jal fold
    csrr a0, mie
    jal fold
    csrr a0, medeleg
    jal fold
    csrr a0, mideleg
    jal fold
    csrr a0, satp
    jal fold
    csrr a0, mip
    jal fold
    csrr a0, sstatus
    li t0, 0x8000000000006600       # FS and SD: QEMU 7.2 is late with them; VS: it keeps one
    not t0, t0
    and a0, a0, t0
    jal fold
    li s4, TABLES + 0x2000
    li s5, 16
1:  ld a0, 0(s4)
    jal fold
    addi s4, s4, 8
    addi s5, s5, -1
    bnez s5, 1b
    li s4, DATA
    li s5, DATA + 0x4000
    li s6, 0                        # memory: one value, or a dump would have no end
1:  ld t0, 0(s4)
    xor s6, s6, t0
    li t1, 0x2545f4914f6cdd1d
    mul s6, s6, t1
    srli t1, s6, 29
    xor s6, s6, t1
    addi s4, s4, 8
    bne s4, s5, 1b
    mv a0, s6
    jal fold
    ld a0, S_HASH(s0)
    jal print
    ld t0, S_RECORD(s0)
    addi t0, t0, R_BYTES
    sd t0, S_RECORD(s0)
    ld t0, S_NUMBER(s0)
    addi t0, t0, 1
    sd t0, S_NUMBER(s0)
    csrw satp, zero
    j next_case

# data and tables, by entries that a case in M mode may have changed
open_memory:
    li t0, (DATA >> 2) | 0x7ff
    csrw pmpaddr4, t0
    li t0, (TABLES >> 2) | 0x1fff
    csrw pmpaddr5, t0
    ret

# a0 into the hash; printed if this is the case that somebody wants to see
fold:
    ld t0, S_HASH(s0)
    xor t0, t0, a0
    li t1, 0x9e3779b97f4a7c15
    mul t0, t0, t1
    srli t1, t0, 31
    xor t0, t0, t1
    sd t0, S_HASH(s0)
    la t0, dump
    ld t0, 0(t0)
    ld t1, S_NUMBER(s0)
    beq t0, t1, print
    ret

# a0 as a line of hex; only meanwhile the devices can be reached
print:
    li t2, 0x101000000000
    csrs pmpcfg2, t2
    print_hex t3
    li t2, 0x101000000000
    csrc pmpcfg2, t2
    ret

all_done:
    li t2, 0x101000000000
    csrs pmpcfg2, t2
    power_off

    .balign 4096
    .globl count, dump
count: .dword 0
dump:  .dword -1
    .balign 16
state: .skip 512
