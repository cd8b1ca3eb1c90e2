/*
 * tables.S - a kernel whose tables lie: it tells ftrace of sites at the end of the address space, at
 * both ends of RAM and in devices, of a module whose memory is there, of jump labels and a program
 * of BPF, and then that all of them are gone.
 */
        .option norelax
        .option norvc

        .macro  function name
        .globl  \name
        .type   \name, @function
\name:
        nop
        nop
        ret
        .size   \name, . - \name
        .endm

        .section .text.start, "ax"
        .globl  _start
_start: la      a0, module
        la      a1, table
        la      a2, table_end
        call    ftrace_process_locs
        la      a0, module
        call    do_init_module
        la      a0, module
        call    jump_label_add_module
        la      a0, program
        call    bpf_ksym_add
        la      a0, program
        call    bpf_ksym_del
        la      a0, module
        li      a1, 0
        li      a2, 64
        call    ftrace_free_mem
        la      a0, module
        call    ftrace_release_mod
        li      ra, -2                  /* a traced function that returns to where nothing is */
        la      t0, traced
        la      t1, 1f
        csrw    mtvec, t1
        jr      t0
        .balign 4
1:      li      t0, 0x100000
        li      t1, 0x5555
        sw      t1, 0(t0)
1:      j       1b

        .irp    name, ftrace_process_locs, ftrace_free_mem, ftrace_release_mod, do_init_module, \
                jump_label_add_module, bpf_ksym_add, bpf_ksym_del, traced, ftrace_call
        function \name
        .endr

        .data
        .balign 4096
module: .dword  0, module + 8, module + 8
        .asciz  "m"
        .zero   54
        .dword  -4096, 4096             /* its memory is the last page */
        .dword  -4096 << 1, 8192
        .dword  labels, 2
        .zero   1024
table:  .dword  40, 30, 16, 22, -4, 8, -12, -1, -2, 0x80000000 - 4, 0x87fffffc, 0x10000000
        .dword  traced + 2, 0x83fffffe, 0x7fffffffffffffff
table_end:
labels: .word   -4, -8
        .dword  -16
        .word   0x7fffffff, -1
        .dword  1
program:
        .dword  -4096, -1
        .asciz  "p"
        .zero   128
        .globl  modules
modules:
        .dword  module + 8

        .section .mcloc, "a"
        .balign 8
        .globl  __start_mcount_loc
__start_mcount_loc:
        .dword  traced
        .globl  __stop_mcount_loc
__stop_mcount_loc:
