/*
 * pageattr.c - the kernel's page tables after boot: new mappings above the image, and
 * permissions.
 *
 * The root's entries exist since boot and do not change, so the root tables of programs, which
 * are copies, need no update.
 */
#include <asm/barrier.h>
#include <asm/set_memory.h>
#include <asm/tlbflush.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static DEFINE_SPINLOCK(page_table_lock); /* guards new tables and changed entries */

static bool is_leaf(pte_t pte)
{
    return pte & (_PAGE_READ | _PAGE_WRITE | _PAGE_EXEC);
}

/* Fills a table with the entries that together equal one large page. */
static void fill_table(pte_t *table, pte_t large, int level)
{
    unsigned long flags = large & ((1 << 10) - 1), size = PAGE_SIZE << 9 * level;
    unsigned int i;

    for (i = 0; i < PTRS_PER_PTE; i++)
        table[i] = is_leaf(large) ? pfn_pte(pte_phys(large) + i * size, flags) : 0;
}

/* Returns the table below an entry; level is that of the table's own entries. */
static pte_t *table_below(pte_t *entry, int level)
{
    pte_t *table;

    if ((*entry & _PAGE_PRESENT) && !is_leaf(*entry))
        return __va(pte_phys(*entry));
    table = __get_free_pages(0);
    if (!table)
        return NULL;
    fill_table(table, *entry, level);
    smp_wmb(); /* a walk that finds the table finds it filled */
    WRITE_ONCE(*entry, pfn_pte(__pa(table), _PAGE_PRESENT));
    return table;
}

/* Returns the last-level entry of va; NULL: no memory for a table. page_table_lock is held. */
static pte_t *kernel_pte_alloc(unsigned long va)
{
    pte_t *root = &swapper_pg_dir[pte_index(va, 2)], *table;

    if (!(*root & _PAGE_PRESENT) || is_leaf(*root))
        return NULL;
    table = table_below(root, 1);
    table = table_below(&table[pte_index(va, 1)], 0);
    return table ? &table[pte_index(va, 0)] : NULL;
}

static int change_page(unsigned long va, pte_t clear, pte_t set)
{
    pte_t *pte = kernel_pte_alloc(va);

    if (!pte)
        return -ENOMEM;
    WRITE_ONCE(*pte, (*pte & ~clear) | set);
    return 0;
}

static int set_page(unsigned long va, pte_t value)
{
    unsigned long flags;
    int err;

    spin_lock_irqsave(&page_table_lock, flags);
    err = change_page(va, ~0UL, value);
    spin_unlock_irqrestore(&page_table_lock, flags);
    return err;
}

int map_kernel_page(unsigned long va, unsigned long phys, unsigned long prot)
{
    return set_page(va, pfn_pte(phys, prot));
}

void unmap_kernel_page(unsigned long va)
{
    set_page(va, 0);
}

unsigned long notrace kernel_virt_to_phys(unsigned long va)
{
    pte_t pte = swapper_pg_dir[pte_index(va, 2)];
    int level = 2;

    while ((pte & _PAGE_PRESENT) && !(pte & (_PAGE_READ | _PAGE_WRITE | _PAGE_EXEC)) && level)
        pte = ((pte_t *)__va(pte_phys(pte)))[pte_index(va, --level)];
    if (!(pte & _PAGE_PRESENT))
        return 0;
    return pte_phys(pte) + (va & ((PAGE_SIZE << 9 * level) - 1));
}

/* Changes permissions of pages, write permission also in the linear map. */
static int change_memory(unsigned long addr, int numpages, pte_t clear, pte_t set)
{
    unsigned long end = addr + numpages * (unsigned long)PAGE_SIZE, va, flags;
    int err = 0;

    spin_lock_irqsave(&page_table_lock, flags);
    for (va = addr; va < end && !err; va += PAGE_SIZE) {
        unsigned long linear = (unsigned long)__va(kernel_virt_to_phys(va));

        err = change_page(va, clear, set);
        if (!err && ((clear | set) & _PAGE_WRITE))
            err = change_page(linear, clear & _PAGE_WRITE, set & _PAGE_WRITE);
    }
    spin_unlock_irqrestore(&page_table_lock, flags);
    flush_tlb_kernel_range(0, ~0UL); /* two ranges; and large pages may have been split */
    return err;
}

int set_memory_ro(unsigned long addr, int numpages)
{
    return change_memory(addr, numpages, _PAGE_WRITE, 0);
}

int set_memory_rw(unsigned long addr, int numpages)
{
    return change_memory(addr, numpages, 0, _PAGE_WRITE);
}

int set_memory_x(unsigned long addr, int numpages)
{
    return change_memory(addr, numpages, 0, _PAGE_EXEC);
}

int set_memory_nx(unsigned long addr, int numpages)
{
    return change_memory(addr, numpages, _PAGE_EXEC, 0);
}

int set_memory_np(unsigned long addr, int numpages)
{
    return change_memory(addr, numpages, _PAGE_PRESENT, 0);
}

int set_memory_p(unsigned long addr, int numpages)
{
    return change_memory(addr, numpages, 0, _PAGE_PRESENT);
}
