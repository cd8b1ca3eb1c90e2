/*
 * memory.c - user page tables.
 *
 * A page is allocated when it is first touched: zeroed, or filled from a file. Every page is
 * private to its mm until fork; then both tables share it without write permission, and the
 * first write makes a copy.
 *
 * All functions are called under mmap_lock. Other harts that run in the same mm walk the tables
 * without it: an entry is complete when it is stored, and a page is freed only when no hart can
 * have its translation.
 */
#include <asm/cacheflush.h>
#include <asm/tlbflush.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/string.h>

static struct page *pte_page(pte_t pte)
{
    return virt_to_page(__va(pte_phys(pte)));
}

static void set_pte(pte_t *ptep, pte_t pte)
{
    smp_wmb(); /* the contents of the page or table are visible before the entry */
    WRITE_ONCE(*ptep, pte);
}

/* RISC-V reserves the encoding writable and not readable, so writable pages are readable. */
static unsigned long vm_get_page_prot(unsigned long vm_flags)
{
    unsigned long prot = _PAGE_USER | _PAGE_ACCESSED | _PAGE_DIRTY;

    if (!(vm_flags & VM_ACCESS))
        return prot | _PAGE_PROT_NONE;
    prot |= _PAGE_PRESENT;
    if (vm_flags & (VM_READ | VM_WRITE))
        prot |= _PAGE_READ;
    if (vm_flags & VM_WRITE)
        prot |= _PAGE_WRITE;
    if (vm_flags & VM_EXEC)
        prot |= _PAGE_EXEC;
    return prot;
}

static pte_t *table_below(pte_t *entry, bool make)
{
    void *table;

    if (!pte_none(*entry))
        return __va(pte_phys(*entry));
    if (!make)
        return NULL;
    table = __get_free_pages(0);
    if (!table)
        return NULL;
    memset(table, 0, PAGE_SIZE);
    set_pte(entry, pfn_pte(__pa(table), _PAGE_PRESENT));
    return table;
}

/* Returns the last-level entry of addr. NULL: there is no table (make: no memory for one). */
static pte_t *walk_pgd(pte_t *pgd, unsigned long addr, bool make)
{
    pte_t *table = pgd;
    int level;

    for (level = 2; table && level > 0; level--)
        table = table_below(&table[pte_index(addr, level)], make);
    return table ? &table[pte_index(addr, 0)] : NULL;
}

/* Returns the entry of the first present page in [*addr, end) and sets *addr to it. NULL: none. */
static pte_t *next_page(struct mm_struct *mm, unsigned long *addr, unsigned long end)
{
    while (*addr < end) {
        pte_t *ptep = walk_pgd(mm->pgd, *addr, false);

        if (ptep && pte_present(*ptep))
            return ptep;
        *addr = ptep ? *addr + PAGE_SIZE : (*addr & ~(PMD_SIZE - 1)) + PMD_SIZE;
    }
    return NULL;
}

static struct page *alloc_user_page(void)
{
    struct page *page = alloc_pages(0);

    if (page)
        atomic_set(&page->_refcount, 1);
    return page;
}

void put_page(struct page *page)
{
    if (atomic_dec_and_test(&page->_refcount))
        __free_pages(page, 0);
}

/* ---- faults ---- */

/* Reads the page's part of the file; the rest beyond the end of the file is zero. */
static int fill_page(struct vm_area_struct *vma, unsigned long address, struct page *page)
{
    loff_t pos = vma->vm_offset + (address - vma->vm_start);
    char *to = page_address(page);
    ssize_t n;

    memset(to, 0, PAGE_SIZE);
    if (!vma->vm_file)
        return 0;
    n = kernel_read(vma->vm_file, to, PAGE_SIZE, &pos);
    return n > 0 ? 0 : VM_FAULT_SIGBUS;
}

/*
 * After a new mapping: for code, every hart that runs this mm executes fence.i, now or when it
 * switches to the mm.
 */
static void update_mmu_cache(struct vm_area_struct *vma, unsigned long address)
{
    local_flush_tlb_page(address);
    if (vma->vm_flags & VM_EXEC)
        flush_icache_mm(vma->vm_mm);
}

/* A shared page of a file, beyond whose end there is none. */
static int do_shared_fault(struct vm_area_struct *vma, unsigned long address, pte_t *ptep)
{
    struct page *page = vma->vm_ops->fault(vma, address);

    if (!page)
        return VM_FAULT_SIGBUS;
    set_pte(ptep, pfn_pte(__pa(page_address(page)), vm_get_page_prot(vma->vm_flags)));
    update_mmu_cache(vma, address);
    return 0;
}

static int do_no_page(struct vm_area_struct *vma, unsigned long address, pte_t *ptep)
{
    struct page *page = alloc_user_page();
    int ret;

    if (!page)
        return VM_FAULT_OOM;
    ret = fill_page(vma, address, page);
    if (ret) {
        put_page(page);
        return ret;
    }
    set_pte(ptep, pfn_pte(__pa(page_address(page)), vm_get_page_prot(vma->vm_flags)));
    update_mmu_cache(vma, address);
    return 0;
}

/* Handles a write to a page shared by fork: copies it, unless this is the last reference. */
static int do_wp_page(struct vm_area_struct *vma, unsigned long address, pte_t *ptep)
{
    unsigned long prot = vm_get_page_prot(vma->vm_flags);
    struct page *old = pte_page(*ptep), *page;

    if (page_count(old) == 1) {
        set_pte(ptep, pte_modify(*ptep, prot));
        flush_tlb_page(vma->vm_mm, address);
        return 0;
    }
    page = alloc_user_page();
    if (!page)
        return VM_FAULT_OOM;
    memcpy(page_address(page), page_address(old), PAGE_SIZE);
    set_pte(ptep, pfn_pte(__pa(page_address(page)), prot));
    flush_tlb_page(vma->vm_mm, address);
    update_mmu_cache(vma, address);
    put_page(old);
    return 0;
}

int handle_mm_fault(struct vm_area_struct *vma, unsigned long address, unsigned long access)
{
    pte_t *ptep = walk_pgd(vma->vm_mm->pgd, address, true);

    address &= PAGE_MASK;
    if (!ptep)
        return VM_FAULT_OOM;
    if (!pte_present(*ptep))
        return vma->vm_ops && vma->vm_ops->fault ? do_shared_fault(vma, address, ptep)
                                                 : do_no_page(vma, address, ptep);
    if (access == VM_WRITE && !pte_write(*ptep))
        return do_wp_page(vma, address, ptep);
    local_flush_tlb_page(address); /* another hart has handled the same fault */
    return 0;
}

int vm_insert_page(struct vm_area_struct *vma, unsigned long addr, struct page *page)
{
    pte_t *ptep = walk_pgd(vma->vm_mm->pgd, addr, true);

    if (!ptep)
        return -ENOMEM;
    get_page(page);
    set_pte(ptep, pfn_pte(__pa(page_address(page)), vm_get_page_prot(vma->vm_flags)));
    local_flush_tlb_page(addr);
    return 0;
}

struct page *follow_shared_page(struct mm_struct *mm, unsigned long addr)
{
    struct vm_area_struct *vma = find_vma(mm, addr);
    pte_t *ptep;

    if (!vma || vma->vm_start > addr || !(vma->vm_flags & VM_SHARED))
        return NULL;
    ptep = walk_pgd(mm->pgd, addr, false);
    return ptep && pte_present(*ptep) ? pte_page(*ptep) : NULL;
}

/* ---- ranges ---- */

static bool is_cow_mapping(const struct vm_area_struct *vma)
{
    return (vma->vm_flags & (VM_SHARED | VM_WRITE)) == VM_WRITE;
}

/*
 * Shares the area's pages with dst, for fork. The caller flushes src's translations, some of
 * which become read-only.
 */
int copy_page_range(struct mm_struct *dst, struct mm_struct *src, const struct vm_area_struct *vma)
{
    unsigned long addr = vma->vm_start;
    pte_t *from, *to;

    for (; (from = next_page(src, &addr, vma->vm_end)); addr += PAGE_SIZE) {
        to = walk_pgd(dst->pgd, addr, true);
        if (!to)
            return -ENOMEM;
        if (is_cow_mapping(vma))
            set_pte(from, pte_wrprotect(*from));
        get_page(pte_page(*from));
        set_pte(to, *from);
    }
    return 0;
}

/* Pages taken out of the tables; they are freed when no hart has their translations. */
struct mmu_gather {
    struct mm_struct *mm;
    unsigned long start; /* start of the range to flush */
    unsigned int nr;
    struct page *pages[64];
};

static void tlb_flush_mmu(struct mmu_gather *tlb, unsigned long end)
{
    if (!tlb->nr)
        return;
    flush_tlb_range(tlb->mm, tlb->start, end);
    while (tlb->nr)
        put_page(tlb->pages[--tlb->nr]);
}

void zap_page_range(struct mm_struct *mm, unsigned long start, unsigned long end)
{
    struct mmu_gather tlb = {.mm = mm, .start = start};
    unsigned long addr = start;
    pte_t *ptep;

    for (; (ptep = next_page(mm, &addr, end)); addr += PAGE_SIZE) {
        if (!tlb.nr)
            tlb.start = addr;
        tlb.pages[tlb.nr++] = pte_page(*ptep);
        set_pte(ptep, 0);
        if (tlb.nr == ARRAY_SIZE(tlb.pages))
            tlb_flush_mmu(&tlb, addr + PAGE_SIZE);
    }
    tlb_flush_mmu(&tlb, end);
}

/* Gives the area's present pages its new permissions; shared pages stay write-protected. */
void change_protection(struct vm_area_struct *vma)
{
    unsigned long prot = vm_get_page_prot(vma->vm_flags), addr = vma->vm_start;
    pte_t *ptep;

    for (; (ptep = next_page(vma->vm_mm, &addr, vma->vm_end)); addr += PAGE_SIZE) {
        pte_t pte = pte_modify(*ptep, prot);

        if (is_cow_mapping(vma) && page_count(pte_page(pte)) > 1)
            pte = pte_wrprotect(pte);
        set_pte(ptep, pte);
    }
    flush_tlb_range(vma->vm_mm, vma->vm_start, vma->vm_end);
    if (vma->vm_flags & VM_EXEC)
        flush_icache_mm(vma->vm_mm);
}

static void free_table(pte_t *table, int level, unsigned int entries)
{
    unsigned int i;

    for (i = 0; level && i < entries; i++)
        if (!pte_none(table[i]))
            free_table(__va(pte_phys(table[i])), level - 1, PTRS_PER_PTE);
    free_pages(table, 0);
}

/* Frees all tables with the root. They map no page any more, and no hart uses them. */
void free_pgtables(struct mm_struct *mm)
{
    BUG_ON(mm->context.cpumask);
    free_table(mm->pgd, 2, USER_PTRS_PER_PGD);
}
