/*
 * native.c - a workload as a program of the host, for the time without emulation; its argument
 * is the scale.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bench.h"

enum { HUGE_PAGE = 2 << 20 };

/* Uses huge pages if the host has them, since emulators do so, too. */
static void *get_memory(void)
{
    char *p = mmap(NULL, BENCH_MEMORY + HUGE_PAGE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        perror("native: no memory");
        exit(EXIT_FAILURE);
    }
    p += -(uintptr_t)p % HUGE_PAGE;
    (void)madvise(p, BENCH_MEMORY, MADV_HUGEPAGE);
    return p;
}

int main(int argc, char **argv)
{
    unsigned long scale = argc > 1 ? bench_option(argv[1], "", bench_scale) : bench_scale;
    struct bench_line report;

    bench_report(&report, scale, bench_run(scale, get_memory()));
    if (fwrite(report.text, 1, report.len, stdout) != report.len || fflush(stdout)) {
        perror("native: cannot print");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
