/* linux_program.h - the start of a static Linux program without a C library, and its system calls.
 */
#ifndef GUEST_LINUX_PROGRAM_H
#define GUEST_LINUX_PROGRAM_H

enum { SYS_WRITE = 64, SYS_EXIT = 93 };

/* The program. stack: argc, argv..., as the kernel passes them. Does not return. */
void linux_main(const unsigned long *stack);

__asm__(".globl _start\n"
        "_start:\n"
        "   .option push\n"
        "   .option norelax\n"
        "   la gp, __global_pointer$\n"
        "   .option pop\n"
        "   mv a0, sp\n"
        "   andi sp, sp, -16\n"
        "   tail linux_main\n");

/* A system call with four arguments; the fifth and the sixth are -1 and 0, as mmap() of no file
 * wants them. */
static inline long linux_call(long number, long a, long b, long c, long d)
{
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = -1;
    register long a5 __asm__("a5") = 0;
    register long a7 __asm__("a7") = number;

    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
                     : "memory");
    return a0;
}

#endif
