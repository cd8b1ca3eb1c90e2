/* main.c - runs the rows and the workloads, and prints their results. */
#include "cycles.h"

#define UART 0x10000000UL

enum {
    NOP = 0x13,
    COMPRESSED_NOP = 0x0001,
    CACHE_BYTES_MAX = 512 << 10,
    PTE_LEAF = 0xcf,
    PTE_TABLE = 1
};

struct result results[RESULTS_MAX] __attribute__((aligned(64)));
uint8_t arena[ARENA_BYTES] __attribute__((section(".arena"), aligned(4096)));
/* The root table, the table for the gigabyte of RAM, and those for its first four megabytes. */
uint64_t page_tables[4][512] __attribute__((aligned(4096)));

int main(void);
void ring_random(uint64_t *memory, size_t bytes, size_t stride);
void ring_pages(uint64_t *memory, size_t pages);
extern uint16_t *const patchable_begin[], *const patchable_end[];

/*
 * The compiler fills sites with compressed nops; replaces them by nops of four bytes, as a
 * kernel does at boot.
 */
static void widen_nops(void)
{
    for (uint16_t *const *site = patchable_begin; site != patchable_end; site++)
        for (uint16_t *at = *site; at[0] == COMPRESSED_NOP && at[1] == COMPRESSED_NOP; at += 2) {
            at[0] = NOP;
            at[1] = 0;
        }
    __asm__ volatile("fence.i" ::: "memory");
}

/*
 * Sv39, RAM at its physical addresses: the first four megabytes by pages of 4 KiB, the rest of
 * 2 MiB.
 */
static void fill_page_tables(void)
{
    enum { RAM = 0x80000000 };

    for (uint64_t i = 0; i < 512; i++) {
        page_tables[1][i] = (RAM + (i << 21)) >> 2 | PTE_LEAF;
        page_tables[2][i] = (RAM + (i << 12)) >> 2 | PTE_LEAF;
        page_tables[3][i] = (RAM + (2 << 20) + (i << 12)) >> 2 | PTE_LEAF;
    }
    for (uint64_t i = 0; i < 2; i++)
        page_tables[1][i] = (uint64_t)(uintptr_t)page_tables[2 + i] >> 2 | PTE_TABLE;
    page_tables[0][RAM >> 30] = (uint64_t)(uintptr_t)page_tables[1] >> 2 | PTE_TABLE;
}

/* Stores a pointer every `stride` bytes; they form one cycle in random order. */
void ring_random(uint64_t *memory, size_t bytes, size_t stride)
{
    size_t count = bytes / stride, step = stride / sizeof *memory;
    uint64_t state = 0x2545f4914f6cdd1d;

    for (size_t i = 0; i < count; i++)
        memory[i * step] = i;
    for (size_t i = count - 1; i > 0; i--) { /* Sattolo's algorithm: a single cycle */
        size_t other = (next_random(&state) >> 11) % i;
        uint64_t kept = memory[i * step];

        memory[i * step] = memory[other * step];
        memory[other * step] = kept;
    }
    for (size_t i = 0; i < count; i++)
        memory[i * step] = (uint64_t)(uintptr_t)&memory[memory[i * step] * step];
}

/* Stores a pointer in each page to that in the next, each in a different cache line of its page. */
void ring_pages(uint64_t *memory, size_t pages)
{
    for (size_t i = 0; i < pages; i++) {
        size_t next = i + 1 == pages ? 0 : i + 1;

        memory[i * 512 + i % 64 * 8] = (uint64_t)(uintptr_t)&memory[next * 512 + next % 64 * 8];
    }
}

#define counter(name)                                                    \
    ({                                                                   \
        uint64_t value_;                                                 \
        __asm__ volatile("csrr %0, " #name : "=r"(value_) : : "memory"); \
        value_;                                                          \
    })

static __attribute__((noinline)) void measure(const struct workload *workload,
                                              struct result *result)
{
    uint64_t instructions = counter(minstret), cycles = counter(mcycle);

    result->checksum = workload->run();
    result->cycles = counter(mcycle) - cycles;
    result->instructions = counter(minstret) - instructions;
    result->iterations = 1;
}

/* Evicts the results from the data cache: on RTL they are read from memory. */
static void write_back_results(void)
{
    static volatile uint8_t other[CACHE_BYTES_MAX];

    for (size_t i = 0; i < sizeof other; i += 64)
        (void)other[i];
}

static void put_char(char c)
{
    while (!(*(volatile uint8_t *)(UART + 5) & 0x20))
        ;
    *(volatile uint8_t *)UART = (uint8_t)c;
}

static const char *put_text(const char *text)
{
    while (*text)
        put_char(*text++);
    return text + 1;
}

static void put_number(uint64_t n)
{
    if (n >= 10)
        put_number(n / 10);
    put_char((char)('0' + n % 10));
}

static const char *put_result(const struct result *result, const char *name, const char *more)
{
    put_text("row ");
    name = put_text(name);
    put_text(more);
    for (const uint64_t *n = &result->iterations; n <= &result->instructions; n++) {
        put_char(' ');
        put_number(*n);
    }
    put_char('\n');
    return name;
}

int main(void)
{
    struct result *result = results + row_count;
    const char *name = row_names;

    widen_nops();
    fill_page_tables();
    rows_run();
    for (size_t i = 0; i < workload_count; i++) {
        measure(&workloads[i], result++);
        measure(&workloads[i], result++);
    }
    write_back_results();
    for (size_t i = 0; i < row_count; i++)
        name = put_result(&results[i], name, "");
    for (size_t i = 0; i < workload_count; i++) {
        put_result(&results[row_count + 2 * i], workloads[i].name, "_first workload");
        put_result(&results[row_count + 2 * i + 1], workloads[i].name, " workload");
    }
    return 0;
}
