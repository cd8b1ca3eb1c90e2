/*
 * patcher.S - a guest for tests of the debugger: bare M-mode, with a minimal
 * ftrace. Hart 0 calls `work`, turns its site from the call of _mcount
 * into nops and then into a call of ftrace_caller, points ftrace_call at a
 * tracer, calls `work` again, and ends the run with status 0. Other harts wait.
 *
 *     riscv64-unknown-elf-gcc -march=rv64imac_zicsr_zifencei -mabi=lp64 -mno-relax \
 *         -nostdlib -g -Ttext=0x80000000 -o patcher.elf patcher.S
 */
.macro frame
    addi    sp, sp, -16
    sd      ra, 8(sp)
    sd      s0, 0(sp)
    addi    s0, sp, 16
.endm

.macro leave
    ld      ra, 8(sp)
    ld      s0, 0(sp)
    addi    sp, sp, 16
    ret
.endm

.macro function name
    .globl  \name
    .type   \name, @function
\name:
.endm

.macro end name
    .size   \name, . - \name
.endm

    .text
    .option norelax

function _start
    csrr    t0, mhartid
    bnez    t0, idle
    la      sp, stack_top
    li      s0, 0
    call    main
    li      t0, 0x100000            /* the test finisher */
    li      t1, 0x5555
    sw      t1, 0(t0)
1:  j       1b
end _start

function idle
    wfi
    j       idle
end idle

function main
    frame
    call    work
    la      a0, work_site
    la      a1, nops
    call    patch_site
    la      a0, ftrace_call
    la      a1, call_tracer
    call    patch_site
    la      a0, work_site
    la      a1, call_caller
    call    patch_site
    call    work
    leave
end main

/* A function that calls another, as compiled by gcc -pg. */
function work
    frame
    mv      a0, ra
work_site:
    call    _mcount
    li      a0, 3
    call    leaf
    leave
end work

function leaf
    addi    a0, a0, 4
    ret
end leaf

/* a0: the site, a1: eight bytes for it. Four stores of two bytes, as the alignment is 2. */
function patch_site
    frame
    lhu     t0, 0(a1)
    lhu     t1, 2(a1)
    lhu     t2, 4(a1)
    lhu     t3, 6(a1)
    sh      t0, 0(a0)
    sh      t1, 2(a0)
    sh      t2, 4(a0)
    sh      t3, 6(a0)
    call    flush
    leave
end patch_site

/* Takes long enough for the other harts to run. */
function flush
    fence.i
    li      t0, 4000
1:  addi    t0, t0, -1
    bnez    t0, 1b
    ret
end flush

function _mcount
    ret
end _mcount

function ftrace_caller
    frame
    .globl ftrace_call
ftrace_call:
    call    ftrace_stub
    leave
end ftrace_caller

function ftrace_stub
    ret
end ftrace_stub

function tracer
    ret
end tracer

/* auipc ra, hi; jalr ra, lo(ra), encoded to call `target` from `site`. */
.macro pair site target
    .set    .Ldistance, \target - \site
    .word   0x00000097 + ((.Ldistance + 0x800) & 0xfffff000)
    .word   0x000080e7 + ((.Ldistance & 0xfff) << 20)
.endm

    .section .rodata
    .balign 8
nops:
    .word   0x00000013, 0x00000013
call_tracer:
    pair    ftrace_call, tracer
call_caller:
    pair    work_site, ftrace_caller

    .globl  __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
    .dword  work_site
__stop_mcount_loc:

    .bss
    .balign 16
    .space  1024
stack_top:
