/* linux.c - a workload as a static Linux program; its argument is the scale. */
#include "bench.h"

enum { SYS_WRITE = 64, SYS_EXIT = 93 };

void linux_main(const unsigned long *stack);

static char memory[BENCH_MEMORY] __attribute__((aligned(4096)));

__asm__(".globl _start\n"
        "_start:\n"
        "   .option push\n"
        "   .option norelax\n"
        "   la gp, __global_pointer$\n"
        "   .option pop\n"
        "   mv a0, sp\n"
        "   andi sp, sp, -16\n"
        "   tail linux_main\n");

static long call(long number, long a, const void *b, unsigned long c)
{
    register long a0 __asm__("a0") = a;
    register const void *a1 __asm__("a1") = b;
    register unsigned long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

/* stack: argc, argv..., as the kernel passes them. */
void linux_main(const unsigned long *stack)
{
    struct bench_line report;
    unsigned long scale = bench_scale;

    if (stack[0] > 1)
        scale = bench_option((const char *)stack[2], "", bench_scale);
    bench_report(&report, scale, bench_run(scale, memory));
    call(SYS_EXIT, call(SYS_WRITE, 1, report.text, report.len) != (long)report.len, NULL, 0);
    __builtin_unreachable();
}
