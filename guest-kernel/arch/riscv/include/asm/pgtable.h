/* pgtable.h - Sv39 page table entries. */
#ifndef ASM_PGTABLE_H
#define ASM_PGTABLE_H

#include <asm/page.h>

enum {
    _PAGE_PRESENT = 1 << 0,
    _PAGE_READ = 1 << 1,
    _PAGE_WRITE = 1 << 2,
    _PAGE_EXEC = 1 << 3,
    _PAGE_USER = 1 << 4,
    _PAGE_GLOBAL = 1 << 5,
    _PAGE_ACCESSED = 1 << 6,
    _PAGE_DIRTY = 1 << 7,
    /* In an entry without _PAGE_PRESENT: a page is there, but no access is permitted. */
    _PAGE_PROT_NONE = _PAGE_GLOBAL,
};

/* A and D are set in advance, so that no hart traps to have them set. */
#define _PAGE_KERNEL_BASE (_PAGE_PRESENT | _PAGE_READ | _PAGE_GLOBAL | _PAGE_ACCESSED | _PAGE_DIRTY)
#define PAGE_KERNEL       (_PAGE_KERNEL_BASE | _PAGE_WRITE)
#define PAGE_KERNEL_READ  _PAGE_KERNEL_BASE
#define PAGE_KERNEL_EXEC  (_PAGE_KERNEL_BASE | _PAGE_EXEC)

#define PTRS_PER_PTE      512
#define USER_PTRS_PER_PGD (PTRS_PER_PTE / 2) /* the upper half of a root table maps the kernel */
#define PMD_SIZE          (PAGE_SIZE * 512UL)
#define PGDIR_SIZE        (PMD_SIZE * 512UL)

typedef unsigned long pte_t;
typedef pte_t page_table_t[PTRS_PER_PTE];

/* Level 2 is the root (1 GiB per entry), level 0 the last level (4 KiB per entry). */
static inline unsigned int pte_index(unsigned long va, int level)
{
    return (va >> (PAGE_SHIFT + 9 * level)) & (PTRS_PER_PTE - 1);
}

static inline pte_t pfn_pte(unsigned long phys, unsigned long prot)
{
    return (phys >> PAGE_SHIFT) << 10 | prot;
}

static inline unsigned long pte_phys(pte_t pte)
{
    return (pte >> 10) << PAGE_SHIFT;
}

static inline bool pte_none(pte_t pte)
{
    return !pte;
}

/* Returns whether the entry holds a page, accessible or not. */
static inline bool pte_present(pte_t pte)
{
    return pte & (_PAGE_PRESENT | _PAGE_PROT_NONE);
}

static inline bool pte_write(pte_t pte)
{
    return pte & _PAGE_WRITE;
}

static inline pte_t pte_wrprotect(pte_t pte)
{
    return pte & ~(pte_t)_PAGE_WRITE;
}

/* Returns the entry with other permissions. */
static inline pte_t pte_modify(pte_t pte, unsigned long prot)
{
    return pfn_pte(pte_phys(pte), prot);
}

static inline void local_flush_tlb_page(unsigned long addr)
{
    __asm__ __volatile__("sfence.vma %0" ::"r"(addr) : "memory");
}

static inline void local_flush_tlb_all(void)
{
    __asm__ __volatile__("sfence.vma" ::: "memory");
}

/* Programs use ASID 0; the kernel's translations are global and stay. */
static inline void local_flush_tlb_user(void)
{
    __asm__ __volatile__("sfence.vma zero, %0" ::"r"(0) : "memory");
}

extern page_table_t swapper_pg_dir;

void setup_vm(unsigned long dtb_pa);
void paging_init(unsigned long memory_start, unsigned long memory_end);

#endif
