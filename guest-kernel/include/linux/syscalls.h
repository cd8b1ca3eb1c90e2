/*
 * syscalls.h - definition of system calls.
 *
 * SYSCALL_DEFINE2(dup3, int, fd, int, newfd) { ... } defines __riscv_sys_dup3(), the function
 * in the table, which tracers show. It takes the arguments from the caller's registers, a0
 * first. Names and types of the arguments are also those of the call's events.
 */
#ifndef LINUX_SYSCALLS_H
#define LINUX_SYSCALLS_H

#include <asm/ptrace.h>
#include <linux/compiler.h>
#include <trace/syscall.h>

#define __SYSCALL_DEFINE(name, params, args)             \
    static long __do_sys_##name params;                  \
    long __riscv_sys_##name(const struct pt_regs *regs); \
    long __riscv_sys_##name(const struct pt_regs *regs)  \
    {                                                    \
        (void)regs;                                      \
        return __do_sys_##name args;                     \
    }                                                    \
    static __always_inline long __do_sys_##name params

#define SYSCALL_DEFINE0(name) \
    SYSCALL_METADATA(name, 0) \
    __SYSCALL_DEFINE(name, (void), ())
#define SYSCALL_DEFINE1(name, t1, p1) \
    SYSCALL_METADATA(name, 1, t1, p1) \
    __SYSCALL_DEFINE(name, (t1 p1), ((t1)regs->a0))
#define SYSCALL_DEFINE2(name, t1, p1, t2, p2) \
    SYSCALL_METADATA(name, 2, t1, p1, t2, p2) \
    __SYSCALL_DEFINE(name, (t1 p1, t2 p2), ((t1)regs->a0, (t2)regs->a1))
#define SYSCALL_DEFINE3(name, t1, p1, t2, p2, t3, p3) \
    SYSCALL_METADATA(name, 3, t1, p1, t2, p2, t3, p3) \
    __SYSCALL_DEFINE(name, (t1 p1, t2 p2, t3 p3), ((t1)regs->a0, (t2)regs->a1, (t3)regs->a2))
#define SYSCALL_DEFINE4(name, t1, p1, t2, p2, t3, p3, t4, p4) \
    SYSCALL_METADATA(name, 4, t1, p1, t2, p2, t3, p3, t4, p4) \
    __SYSCALL_DEFINE(name, (t1 p1, t2 p2, t3 p3, t4 p4),      \
                     ((t1)regs->a0, (t2)regs->a1, (t3)regs->a2, (t4)regs->a3))
#define SYSCALL_DEFINE5(name, t1, p1, t2, p2, t3, p3, t4, p4, t5, p5) \
    SYSCALL_METADATA(name, 5, t1, p1, t2, p2, t3, p3, t4, p4, t5, p5) \
    __SYSCALL_DEFINE(name, (t1 p1, t2 p2, t3 p3, t4 p4, t5 p5),       \
                     ((t1)regs->a0, (t2)regs->a1, (t3)regs->a2, (t4)regs->a3, (t5)regs->a4))
#define SYSCALL_DEFINE6(name, t1, p1, t2, p2, t3, p3, t4, p4, t5, p5, t6, p6) \
    SYSCALL_METADATA(name, 6, t1, p1, t2, p2, t3, p3, t4, p4, t5, p5, t6, p6) \
    __SYSCALL_DEFINE(                                                         \
        name, (t1 p1, t2 p2, t3 p3, t4 p4, t5 p5, t6 p6),                     \
        ((t1)regs->a0, (t2)regs->a1, (t3)regs->a2, (t4)regs->a3, (t5)regs->a4, (t6)regs->a5))

#endif
