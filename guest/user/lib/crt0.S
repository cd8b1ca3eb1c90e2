/* crt0.S - program entry: sp points to argc, followed by argv and the environment. */
    .section .text
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la   gp, __global_pointer$
    .option pop
    ld   a0, 0(sp)
    addi a1, sp, 8
    addi t0, a0, 1
    slli t0, t0, 3
    add  t0, t0, a1         /* after argv's NULL */
    la   t1, environ
    sd   t0, 0(t1)
    call main
    call _exit
    .size _start, . - _start

    .bss
    .globl environ
    .balign 8
environ:
    .dword 0
