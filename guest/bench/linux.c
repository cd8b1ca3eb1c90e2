/* linux.c - a workload as a static Linux program; its argument is the scale. */
#include "../linux_program.h"
#include "bench.h"

static char memory[BENCH_MEMORY] __attribute__((aligned(4096)));

void linux_main(const unsigned long *stack)
{
    struct bench_line report;
    unsigned long scale = bench_scale;

    if (stack[0] > 1)
        scale = bench_option((const char *)stack[2], "", bench_scale);
    bench_report(&report, scale, bench_run(scale, memory));
    linux_call(SYS_EXIT,
               linux_call(SYS_WRITE, 1, (long)report.text, (long)report.len, 0) != (long)report.len,
               0, 0, 0);
    __builtin_unreachable();
}
