/*
 * entry.S - trap entry and return, and the switch from one task to another.
 *
 * sscratch is zero in the kernel and holds the current task in U-mode, so one swap with tp
 * says where a trap came from. A trap from the kernel continues on its stack, one from U-mode
 * starts at the top of the task's kernel stack.
 *
 * The last word of the frame, just below the interrupted sp, is not written: a call site of
 * layout `pfe16` keeps ra there.
 */
#include <asm/asm-offsets.h>
#include <asm/csr.h>

    .section .entry.text, "ax"
    .option norelax

    .balign 4
    .globl handle_exception
    .type handle_exception, @function
handle_exception:
    csrrw tp, sscratch, tp
    beqz tp, 1f
    sd   sp, TASK_TI_USER_SP(tp)
    ld   sp, TASK_TI_KERNEL_SP(tp)
    j    2f
1:  csrr tp, sscratch
    sd   sp, TASK_TI_USER_SP(tp)
2:  addi sp, sp, -PT_SIZE
    sd   ra, PT_RA(sp)
    sd   gp, PT_GP(sp)
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

    /*
     * Access to user pages, floating point and vectors, if on when the trap came, must be off in
     * the kernel.
     */
    li   t0, SR_SUM | SR_FS | SR_VS
    ld   s0, TASK_TI_USER_SP(tp)
    csrr s1, sscratch
    csrw sscratch, zero
    csrr s2, sepc
    csrrc s3, sstatus, t0
    csrr s4, stval
    csrr s5, scause
    sd   s0, PT_SP(sp)
    sd   s1, PT_TP(sp)
    sd   s2, PT_EPC(sp)
    sd   s3, PT_STATUS(sp)
    sd   s4, PT_BADADDR(sp)
    sd   s5, PT_CAUSE(sp)

    mv   a0, sp
    li   s0, 0              /* a stack walk ends here, unless the kernel was interrupted */
    andi t0, s3, SR_SPP
    beqz t0, 3f
    ld   s0, PT_S0(sp)
3:
#ifdef CONFIG_TRACE_IRQFLAGS
    call __trace_hardirqs_off
    mv   a0, sp
#endif
    la   ra, ret_from_exception
    bltz s5, 4f
    li   t0, EXC_BREAKPOINT
    beq  s5, t0, 5f
    tail do_trap_exception
4:  tail do_irq
5:  tail do_trap_break

/* sp points to the frame. Tasks made by fork or exec enter U-mode here, too. */
    .globl ret_from_exception
    .type ret_from_exception, @function
ret_from_exception:
    csrci sstatus, SR_SIE
#ifdef CONFIG_TRACE_IRQFLAGS
    li   s0, 0
    call __trace_hardirqs_off
#endif
    ld   s0, PT_STATUS(sp)
    andi t0, s0, SR_SPP
    bnez t0, 1f
    li   s0, 0
    mv   a0, sp
    call exit_to_user_mode  /* returns with interrupts off */
#ifdef CONFIG_TRACE_IRQFLAGS
    call __trace_hardirqs_on
#endif
    addi t0, sp, PT_SIZE
    sd   t0, TASK_TI_KERNEL_SP(tp)
    csrw sscratch, tp
#ifdef CONFIG_TRACE_IRQFLAGS
    j    2f
1:  andi t0, s0, SR_SPIE
    li   s0, 0
    beqz t0, 2f
    call __trace_hardirqs_on
2:
#else
1:
#endif
    ld   t0, PT_STATUS(sp)
    ld   t1, PT_EPC(sp)
    csrw sstatus, t0
    csrw sepc, t1
    ld   ra, PT_RA(sp)
    ld   gp, PT_GP(sp)
    ld   tp, PT_TP(sp)      /* from the kernel: the same task, whatever ran in between */
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

/*
 * struct task_struct *__switch_to(prev, next): returns in the context of next, with prev as
 * result.
 */
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

/* First instructions of a kernel thread: s1 is its function, s2 the argument. */
    .globl ret_from_kernel_thread
    .type ret_from_kernel_thread, @function
ret_from_kernel_thread:
    call schedule_tail
    mv   a0, s2
    jalr s1
    mv   a0, zero
    tail do_exit
    .size ret_from_kernel_thread, . - ret_from_kernel_thread

/* The same for a thread whose function turns it into a program; sp points to its frame. */
    .globl ret_from_user_thread
    .type ret_from_user_thread, @function
ret_from_user_thread:
    call schedule_tail
    mv   a0, s2
    jalr s1
    j    ret_from_exception
    .size ret_from_user_thread, . - ret_from_user_thread

/* First instructions of a forked task; sp points to its frame, a copy of its parent's. */
    .globl ret_from_fork
    .type ret_from_fork, @function
ret_from_fork:
    call finish_fork
    j    ret_from_exception
    .size ret_from_fork, . - ret_from_fork
