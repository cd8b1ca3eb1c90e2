/*
 * flow.S - a kernel of a few functions with landing pads and a shadow stack, whose tracer replaces a return
 * address, for tests/machine/flow.sh.
 *
 * As it is, it makes no mistake. KEEP_ENTRY: the tracer replaces the return address in the frame, and not the entry
 * of the shadow stack. LOSE_ENTRY: it puts back the return address, and not the entry. NO_PAD: the tracer is called by an
 * address and has no landing pad. OVER_PAD: the function's landing pad is patched.
 *
 * The shadow stack is reached through a second mapping of the same memory, in pages with W alone.
 */
#define SSP 0x011
#define ALIAS 0xc0000000
#define RAM 0x80000000

#define LPAD .word 0x00000017
#define SSPUSH_RA .word 0xce104073
#define SSPOPCHK_RA .word 0xcdc0c073
#define SSAMOSWAP_D(rd, rs2, rs1) .insn r 0x2f, 3, 0x24, rd, rs1, rs2

    .globl _start, _stext, _etext
_stext:
_start:
    la sp, stack_top
    li a0, 1                        # FWFT: LANDING_PAD, then SHADOW_STACK
    call ask_feature
    li a0, 2
    call ask_feature
    la t0, tables
    srli t1, t0, 12
    li t2, 8 << 60                  # Sv39
    or t1, t1, t2
    csrw satp, t1
    sfence.vma
    la t0, shadow_top
    li t1, ALIAS - RAM
    add t0, t0, t1
    csrw SSP, t0
    la t0, trap
    csrw stvec, t0

#ifdef OVER_PAD
    la t0, work
    li t1, 0x13                     # nop
    sw t1, (t0)
    fence.i
#endif
    la a0, work
    jalr a0                         # by a register that needs a landing pad
    li a1, 3                        # what work returns
    sub a0, a0, a1
    bnez a0, trap
end:
    li a7, 0x53525354               # SRST: shutdown
    li a6, 0
    li a0, 0
    li a1, 0
    ecall
ask_feature:
    li a7, 0x46574654
    li a6, 0
    li a1, 1
    li a2, 0
    ecall
    bnez a0, trap
    ret

    .balign 4
    .type trap, @function
trap:
    LPAD
    li a7, 0x53525354
    li a6, 0
    li a0, 0
    li a1, 7                        # the status of the run
    ecall

/* What a compiler makes of a function that is traced by _mcount. */
    .balign 4
    .type work, @function
work:
    LPAD
    SSPUSH_RA
    addi sp, sp, -16
    sd ra, 8(sp)
site:
    call _mcount
    li a0, 3
    ld ra, 8(sp)
    addi sp, sp, 16
    SSPOPCHK_RA
    ret
    .size work, . - work

    .type _mcount, @function
_mcount:
    la t3, tracer
    jr t3
    .size _mcount, . - _mcount

    .balign 4
    .type tracer, @function
tracer:
#ifndef NO_PAD
    LPAD
#endif
    ld t3, 8(sp)
    la t4, kept
    sd t3, (t4)
    la t5, return_to_handler
    csrr t6, SSP
#ifndef KEEP_ENTRY
    SSAMOSWAP_D(t2, t5, t6)
#endif
#ifndef LOSE_ENTRY
    sd t5, 8(sp)
#endif
    ret
    .size tracer, . - tracer

    .globl return_to_handler
    .type return_to_handler, @function
return_to_handler:
    la t4, kept
    ld ra, (t4)
    ret
    .size return_to_handler, . - return_to_handler

_etext:
    .data
    .balign 4096
tables:                             # all of RAM, and once more for the shadow stack
    .dword 0, 0, (RAM >> 2) | 0xcf, (RAM >> 2) | 0xc5
    .fill 508, 8, 0
    .balign 4096
    .fill 4096, 1, 0
shadow_top:
    .fill 4096, 1, 0
stack_top:
kept:
    .dword 0
    .balign 8
    .globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
    .dword site
__stop_mcount_loc:
