# cfi.S - runs the cases of cfitest.py and prints a hash of what became of each.
#
# Machine mode, at the start of RAM. A case is a record of registers, CSRs and page table entries, and
# some code that runs in U, S or M mode; each trap is folded into the hash and its instruction skipped.
# At the end the registers, the entries and the ends of each page of data are folded in, too. Of the
# case whose number stands at `dump' all of it is printed.
#
# Virtual addresses: the code at UCODE and SCODE, for U and S mode; sixteen pages of data at VDATA, by
# the entries of the record. Nothing is at STVEC, so that what S mode has to handle ends here, too.

    .equ CASES,  0x81000000
    .equ DATA,   0x80300000
    .equ TABLES, 0x80200000         # the root, the table below it, and that of the data
    .equ STATE,  0x80100000         # not in the image: stores to a page of code are slow
    .equ STVEC,  0x7f000000
    .equ UART,   0x10000000
    .equ FINISHER, 0x100000
    .equ PAGES,  16
    .equ ENDS,   256                # bytes at the beginning and at the end of a page
    .equ SSP,    0x011
    .equ MSECCFG, 0x747
    .include "console.S"

    .equ R_SSP, 256
    .equ R_MENVCFG, 264
    .equ R_SENVCFG, 272
    .equ R_MSECCFG, 280
    .equ R_STATUS, 288
    .equ R_MEDELEG, 296
    .equ R_BEGIN, 304
    .equ R_END, 312
    .equ R_DELTA, 320               # from the code's address to the physical one
    .equ R_ENTRIES, 328
    .equ R_BYTES, 512

    .equ S_RECORD, 256
    .equ S_HASH, 264
    .equ S_LEFT, 272
    .equ S_NUMBER, 280
    .equ S_TRAPS, 288

    .option norelax
    .section .text
    .globl _start
_start:
    csrr t0, mhartid
1:  bnez t0, 1b
    li s0, STATE
    csrw mscratch, s0
    la t0, trap
    csrw mtvec, t0
    li t0, STVEC
    csrw stvec, t0
    permit_memory
    li t0, CASES
    sd t0, S_RECORD(s0)
    la t0, count
    ld t0, 0(t0)
    sd t0, S_LEFT(s0)
    sd zero, S_NUMBER(s0)

next_case:
    li s0, STATE
    ld t0, S_LEFT(s0)
    beqz t0, all_done
    addi t0, t0, -1
    sd t0, S_LEFT(s0)
    ld s1, S_RECORD(s0)
    li t0, 0x9e3779b97f4a7c15
    sd t0, S_HASH(s0)
    sd zero, S_TRAPS(s0)
    li t0, DATA - ENDS              # the ends of all pages begin alike
    li t1, DATA + PAGES * 4096
    li t5, 4096 - 2 * ENDS
    li t2, 0x0123456789abcdef
1:  li t3, 2 * ENDS                 # the end of one and the beginning of the next
2:  sd t2, 0(t0)
    addi t0, t0, 8
    addi t3, t3, -8
    bnez t3, 2b
    add t0, t0, t5
    bltu t0, t1, 1b
    li t0, TABLES + 0x2000
    addi t1, s1, R_ENTRIES
    li t2, PAGES
1:  ld t3, 0(t1)
    sd t3, 0(t0)
    addi t1, t1, 8
    addi t0, t0, 8
    addi t2, t2, -1
    bnez t2, 1b
    li t0, 0x8000000000080200       # Sv39
    csrw satp, t0
    sfence.vma
    li t0, -1
    csrw menvcfg, t0                # so that senvcfg can be written
    ld t0, R_SENVCFG(s1)
    csrw senvcfg, t0
    ld t0, R_MENVCFG(s1)
    csrw menvcfg, t0
    ld t0, R_MSECCFG(s1)
    csrw MSECCFG, t0
    ld t0, R_MEDELEG(s1)
    csrw medeleg, t0
    ld t0, R_SSP(s1)
    csrw SSP, t0
    csrw scause, zero
    csrw stval, zero
    csrw sepc, zero
    ld t0, R_BEGIN(s1)
    csrw mepc, t0
    ld t0, R_STATUS(s1)
    csrw mstatus, t0
    mv x31, s1
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, 8*\n(x31)
    .endr
    ld x31, 8*31(x31)
    fence.i
    mret

    .include "fold.S"

print:
    print_hex t3
    ret

    .balign 4
trap:
    csrrw x31, mscratch, x31
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    sd x\n, 8*\n(x31)
    .endr
    mv s0, x31
    csrrw x31, mscratch, x31
    sd x31, 8*31(s0)
    ld s1, S_RECORD(s0)
    csrr s5, mstatus
    li t0, 0x20000                  # MPRV off; the handler must not be translated
    csrc mstatus, t0
    csrr s2, mepc
    csrr s3, mcause
    csrr s4, mtval
    li t0, 3                        # of ebreak: the address or zero, either is legal
    bne s3, t0, 1f
    li s4, 0
1:  ld t0, R_END(s1)
    beq s2, t0, ended
    ld t0, S_TRAPS(s0)
    addi t0, t0, 1
    sd t0, S_TRAPS(s0)
    li t1, 40
    bgtu t0, t1, ended
    .irp reg, s2, s3, s4
    mv a0, \reg
    jal fold
    .endr
    li t0, 0x20000801900            # MPELP, SPELP, MPP, SPP
    and a0, s5, t0
    jal fold
    csrr a0, SSP
    jal fold
    li t0, STVEC
    bne s2, t0, 2f
    .irp reg, sepc, scause, stval   # a trap of S mode, whose handler is not there
    csrr a0, \reg
    jal fold
    .endr
    csrr s2, sepc
    li t0, 0x20000801800
    not t0, t0
    and s6, s5, t0
    andi t0, s5, 0x100              # MPP and MPELP become SPP and SPELP
    slli t0, t0, 3
    or s6, s6, t0
    srli t0, s5, 23
    andi t0, t0, 1
    slli t0, t0, 41
    or s5, s6, t0
2:  ld t0, R_BEGIN(s1)              # a jump to anywhere ends the case
    bltu s2, t0, ended
    ld t0, R_END(s1)
    bgeu s2, t0, ended
    ld t0, R_DELTA(s1)              # skip the instruction
    add t0, s2, t0
    lhu t0, 0(t0)
    andi t0, t0, 3
    addi t0, t0, -3
    seqz t0, t0
    slli t0, t0, 1
    addi s2, s2, 2
    add s2, s2, t0
    csrw mepc, s2
    ld t0, S_HASH(s0)               # sometimes the expectation is forgotten
    andi t0, t0, 3
    beqz t0, 3f
    li t0, 0x20000000000
    not t0, t0
    and s5, s5, t0
3:  csrw mstatus, s5
    mv x31, s0
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, 8*\n(x31)
    .endr
    ld x31, 8*31(x31)
    mret

ended:
    li t0, 0x20000801900
    and a0, s5, t0
    jal fold
    csrr a0, SSP
    jal fold
    csrr a0, senvcfg
    jal fold
    csrr a0, MSECCFG
    jal fold
    addi s2, s0, 8
    addi s3, s0, 256
    jal fold_all
    li s2, TABLES + 0x2000
    addi s3, s2, PAGES * 8
    jal fold_all
    li s5, DATA
    li s6, DATA + PAGES * 4096
1:  mv s2, s5
    addi s3, s2, ENDS
    jal fold_all
    li s2, 4096 - ENDS
    add s2, s5, s2
    addi s3, s2, ENDS
    jal fold_all
    li t0, 4096
    add s5, s5, t0
    bne s5, s6, 1b
    ld a0, S_HASH(s0)
    jal print
    ld t0, S_RECORD(s0)
    addi t0, t0, R_BYTES
    sd t0, S_RECORD(s0)
    ld t0, S_NUMBER(s0)
    addi t0, t0, 1
    sd t0, S_NUMBER(s0)
    j next_case

all_done:
    power_off

    .balign 8
count: .dword 0
dump:  .dword 0
