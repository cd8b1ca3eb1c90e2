/* board.c - runs a workload on the bare virt board, on as many harts as `harts=` says. */
#include "bench.h"

#define UART 0x10000000UL

enum { HARTS_MAX = 8 };

void board_main(unsigned long hart, const uint8_t *tree);
_Noreturn void finish(void);
extern char _end[];

static uint64_t sums[HARTS_MAX];
static uint32_t done;

static uint32_t tree_word(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Finds the kernel command line: no other property of the device tree contains "scale=". */
static const char *boot_line(const uint8_t *tree)
{
    uint32_t size = tree ? tree_word(tree + 4) : 0;

    if (!size || tree_word(tree) != 0xd00dfeed)
        return "";
    for (uint32_t at = 0; at + 6 < size; at++) {
        const char *text = (const char *)tree + at;

        if (text[0] == 's' && text[1] == 'c' && text[2] == 'a' && text[3] == 'l' &&
            text[4] == 'e' && text[5] == '=')
            return text;
    }
    return "";
}

static void put(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        while (!(*(volatile uint8_t *)(UART + 5) & 0x20))
            ;
        *(volatile uint8_t *)UART = (uint8_t)text[i];
    }
}

static uint64_t all_sums(unsigned long harts)
{
    uint64_t sum = 0;

    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != harts)
        ;
    for (unsigned long i = 0; i < harts; i++)
        sum ^= i ? bench_mix(i, sums[i]) : sums[0];
    return sum;
}

void board_main(unsigned long hart, const uint8_t *tree)
{
    const char *line = boot_line(tree);
    unsigned long scale = bench_option(line, "scale=", bench_scale);
    unsigned long harts = bench_option(line, "harts=", 1);
    struct bench_line report;

    if (hart >= harts)
        return;
    sums[hart] = bench_run(scale, _end + hart * BENCH_MEMORY);
    __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
    if (hart)
        return;
    bench_report(&report, scale, all_sums(harts));
    put(report.text, report.len);
    finish();
}
