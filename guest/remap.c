/*
 * remap.c - a page is mapped elsewhere by a store to its page table: what a load sees before the
 * store, between it and sfence.vma, and after that. In between the ISA permits both pages.
 */
#include "virt.h"

#define WINDOW 0x40000000UL

enum { V = 1, R = 2, W = 4, A = 64, D = 128, SHIFT = 10, PAGE = 4096, ENTRIES = 512 };

static uint64_t root[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t middle[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t leaf[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t page[2][ENTRIES] __attribute__((aligned(PAGE)));

static uint64_t entry(const volatile void *to, uint64_t flags)
{
    return ((uintptr_t)to >> 12) << SHIFT | flags | V;
}

/* Loads as S-mode would: by the page table (mstatus.MPRV). */
static uint64_t load_as_supervisor(uint64_t va)
{
    uint64_t value;

    __asm__ volatile("csrs mstatus, %1\n"
                     "ld %0, (%2)\n"
                     "csrc mstatus, %1"
                     : "=&r"(value)
                     : "r"(1UL << 17 | 1UL << 11), "r"(va)
                     : "memory");
    return value;
}

static void put_digit(const char *before, uint64_t digit)
{
    put_text(before);
    put_char((char)('0' + digit));
}

int main(void)
{
    page[0][0] = 1;
    page[1][0] = 2;
    root[1] = entry(middle, 0);
    middle[0] = entry(leaf, 0);
    leaf[0] = entry(page[0], R | W | A | D);
    csr_write(pmpaddr0, ~0UL >> 10);
    csr_write(pmpcfg0, 0x1fUL);
    csr_write(satp, 8UL << 60 | (uintptr_t)root >> 12);
    __asm__ volatile("csrc mstatus, %0\n"
                     "sfence.vma" ::"r"(3UL << 11)
                     : "memory");
    put_digit("before ", load_as_supervisor(WINDOW));
    leaf[0] = entry(page[1], R | W | A | D);
    put_digit(", unfenced ", load_as_supervisor(WINDOW));
    __asm__ volatile("sfence.vma" ::: "memory");
    put_digit(", fenced ", load_as_supervisor(WINDOW));
    put_char('\n');
    return 0;
}
