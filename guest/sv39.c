/*
 * sv39.c - virtual memory: S-mode runs a page of code at a high address and patches it through
 * a second mapping, as kernels with read-only text do. fence.i covers both, since it works on
 * physical memory.
 */
#include "version.h"
#include "virt.h"

#define HIGH  0xffffffc000000000UL /* where the code is run: readable, executable */
#define ALIAS 0xffffffd000000000UL /* where it is written: readable, writable */

enum { V = 1, R = 2, W = 4, X = 8, A = 64, D = 128, SHIFT = 10, PAGE = 4096, ENTRIES = 512 };

static uint64_t root[ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t middle[2][ENTRIES] __attribute__((aligned(PAGE)));
static uint64_t leaf[2][ENTRIES] __attribute__((aligned(PAGE)));

static uint64_t entry(const volatile void *page, uint64_t flags)
{
    return ((uintptr_t)page >> 12) << SHIFT | flags | V;
}

/* Maps a 4 KiB page at va, using the n-th pair of tables. */
static void map_page(unsigned n, uint64_t va, uint64_t pa, uint64_t flags)
{
    root[va >> 30 & 511] = entry(middle[n], 0);
    middle[n][va >> 21 & 511] = entry(leaf[n], 0);
    leaf[n][va >> 12 & 511] = entry((void *)pa, flags | A | D);
}

static void map_all(void)
{
    uint64_t page = (uintptr_t)version & ~(PAGE - 1UL);

    root[0] = entry((void *)0UL, R | W | A | D); /* devices */
    root[2] = entry((void *)0x80000000UL, R | W | X | A | D);
    map_page(0, HIGH, page, R | X);
    map_page(1, ALIAS, page, R | W);
    csr_write(satp, 8UL << 60 | (uintptr_t)root >> 12);
    __asm__ volatile("sfence.vma" ::: "memory");
}

/* Gives S-mode access to all memory. On a hart without PMP the writes trap, and are not needed. */
static void open_memory(void)
{
    unsigned long old;

    __asm__ volatile("la %0, 1f\n"
                     "csrrw %0, mtvec, %0\n"
                     "csrw pmpaddr0, %1\n"
                     "csrw pmpcfg0, %2\n"
                     ".balign 4\n"
                     "1: csrw mtvec, %0"
                     : "=&r"(old)
                     : "r"(~0UL >> 10), "r"(0x1fUL)
                     : "memory");
}

static void enter_supervisor(void)
{
    csr_clear(mstatus, 3UL << 11);
    csr_set(mstatus, 1UL << 11);
    __asm__ volatile("la t0, 1f\n"
                     "csrw mepc, t0\n"
                     "mret\n"
                     ".balign 4\n"
                     "1:"
                     :
                     :
                     : "t0", "memory");
}

int main(void)
{
    uint64_t offset = (uintptr_t)version % PAGE;
    unsigned long (*high)(void) = (unsigned long (*)(void))(HIGH + offset);

    map_all();
    open_memory();
    enter_supervisor();
    put_number("at its high address: version", high());
    REG32(ALIAS + offset) = LI_A0_2;
    fence_i();
    put_number("patched through an alias: version", high());
    put_number("and at its low address: version", version());
    return 0;
}
