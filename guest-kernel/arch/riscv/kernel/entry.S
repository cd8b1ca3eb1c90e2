/*
 * entry.S - traps, and the switch from one task to another.
 *
 * sscratch is zero in the kernel.  There is no U-mode yet, so a trap always
 * finds a kernel stack in sp and the current task in tp.
 */
#include <asm/asm-offsets.h>
#include <asm/csr.h>

    .text
    .option norelax

    .balign 4
    .globl handle_exception
    .type handle_exception, @function
handle_exception:
    addi sp, sp, -PT_SIZE
    sd   ra, PT_RA(sp)
    sd   gp, PT_GP(sp)
    sd   tp, PT_TP(sp)
    sd   t0, PT_T0(sp)
    sd   t1, PT_T0+8(sp)
    sd   t2, PT_T0+16(sp)
    sd   s0, PT_S0(sp)
    sd   s1, PT_S0+8(sp)
    .irp n, 0,1,2,3,4,5,6,7
    sd   a\n, PT_A0+8*\n(sp)
    .endr
    .irp n, 2,3,4,5,6,7,8,9,10,11
    sd   s\n, PT_S2+8*(\n-2)(sp)
    .endr
    .irp n, 3,4,5,6
    sd   t\n, PT_T3+8*(\n-3)(sp)
    .endr
    addi t0, sp, PT_SIZE
    csrr t1, sepc
    csrr t2, sstatus
    csrr t3, stval
    csrr t4, scause
    sd   t0, PT_SP(sp)
    sd   t1, PT_EPC(sp)
    sd   t2, PT_STATUS(sp)
    sd   t3, PT_BADADDR(sp)
    sd   t4, PT_CAUSE(sp)

    mv   a0, sp
    la   ra, ret_from_exception
    bltz t4, 1f
    tail do_trap_exception
1:  tail do_irq

    .globl ret_from_exception
    .type ret_from_exception, @function
ret_from_exception:
    csrci sstatus, SR_SIE
    ld   t0, PT_STATUS(sp)
    ld   t1, PT_EPC(sp)
    csrw sstatus, t0
    csrw sepc, t1
    ld   ra, PT_RA(sp)
    ld   gp, PT_GP(sp)
    /* not tp: the task may have been preempted, but it is still itself */
    ld   t0, PT_T0(sp)
    ld   t1, PT_T0+8(sp)
    ld   t2, PT_T0+16(sp)
    ld   s0, PT_S0(sp)
    ld   s1, PT_S0+8(sp)
    .irp n, 0,1,2,3,4,5,6,7
    ld   a\n, PT_A0+8*\n(sp)
    .endr
    .irp n, 2,3,4,5,6,7,8,9,10,11
    ld   s\n, PT_S2+8*(\n-2)(sp)
    .endr
    .irp n, 3,4,5,6
    ld   t\n, PT_T3+8*(\n-3)(sp)
    .endr
    ld   sp, PT_SP(sp)
    sret
    .size handle_exception, . - handle_exception

/* struct task_struct *__switch_to(prev, next): returns prev, in next's life. */
    .globl __switch_to
    .type __switch_to, @function
__switch_to:
    sd   ra, TASK_THREAD_RA(a0)
    sd   sp, TASK_THREAD_SP(a0)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    sd   s\n, TASK_THREAD_S0+8*\n(a0)
    .endr
    ld   ra, TASK_THREAD_RA(a1)
    ld   sp, TASK_THREAD_SP(a1)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    ld   s\n, TASK_THREAD_S0+8*\n(a1)
    .endr
    mv   tp, a1
    ret
    .size __switch_to, . - __switch_to

/* A new thread's first instructions: s1 is its function, s2 the argument. */
    .globl ret_from_kernel_thread
    .type ret_from_kernel_thread, @function
ret_from_kernel_thread:
    call schedule_tail
    mv   a0, s2
    jalr s1
    tail do_exit
    .size ret_from_kernel_thread, . - ret_from_kernel_thread
