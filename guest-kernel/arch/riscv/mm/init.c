/*
 * init.c - the kernel's page tables.
 *
 * The root table never changes. From the first instruction with the MMU on, no page is both
 * writable and executable, and kernel text is not writable at any address: it is read-only in
 * the linear map, too.
 *
 * Not instrumented: setup_vm() runs with the MMU off, and the fixmap is used while text is
 * patched.
 */
#include <asm/fixmap.h>
#include <asm/pgtable.h>
#include <asm/setup.h>
#include <linux/compiler.h>
#include <linux/kernel.h>

/* From the linker script: bounds of the image's parts, page-aligned. */
extern char _start[], __data_start[], _etext_aligned[], _end[];

enum { KERNEL_PTES = 4 /* tables of 2 MiB each for the image */, EARLY_TABLES = 24 };

#define LINEAR_SPLITTABLE (16 * PGDIR_SIZE)

/* All are written at boot by one hart, except for fixmap_pte: see set_fixmap(). */
page_table_t swapper_pg_dir __aligned(PAGE_SIZE);
static page_table_t kernel_pmd __aligned(PAGE_SIZE);
static page_table_t kernel_pte[KERNEL_PTES] __aligned(PAGE_SIZE);
static page_table_t fixmap_pmd __aligned(PAGE_SIZE);
static page_table_t fixmap_pte __aligned(PAGE_SIZE);
static page_table_t early_tables[EARLY_TABLES] __aligned(PAGE_SIZE);
static unsigned int early_tables_used;
static unsigned long dtb_phys;

unsigned long va_kernel_pa_offset;

/* Permissions of the page at an offset into the image. */
static unsigned long image_prot(unsigned long offset)
{
    if (offset < (unsigned long)(_etext_aligned - _start))
        return PAGE_KERNEL_EXEC;
    if (offset < (unsigned long)(__data_start - _start))
        return PAGE_KERNEL_READ;
    return PAGE_KERNEL;
}

static pte_t table_entry(const pte_t *table_pa)
{
    return pfn_pte((unsigned long)table_pa, _PAGE_PRESENT);
}

static void map_image(unsigned long image_pa)
{
    unsigned long offset, size = (unsigned long)(_end - _start);
    int i;

    for (i = 0; i < KERNEL_PTES; i++)
        kernel_pmd[pte_index(KERNEL_LINK_ADDR, 1) + i] = table_entry(kernel_pte[i]);
    for (offset = 0; offset < size; offset += PAGE_SIZE)
        kernel_pte[offset / PMD_SIZE][pte_index(offset, 0)] =
            pfn_pte(image_pa + offset, image_prot(offset));
    swapper_pg_dir[pte_index(KERNEL_LINK_ADDR, 2)] = table_entry(kernel_pmd);
}

static void map_fixmap(unsigned long dtb_pa)
{
    unsigned long dtb_block = dtb_pa & ~(PMD_SIZE - 1);
    unsigned int i = pte_index(DTB_EARLY_BASE, 1);

    fixmap_pmd[pte_index(FIXADDR_START, 1)] = table_entry(fixmap_pte);
    fixmap_pmd[i] = pfn_pte(dtb_block, PAGE_KERNEL_READ);
    fixmap_pmd[i + 1] = pfn_pte(dtb_block + PMD_SIZE, PAGE_KERNEL_READ);
    swapper_pg_dir[pte_index(FIXADDR_START, 2)] = table_entry(fixmap_pmd);
}

/* Runs with the MMU off: every address taken here is physical. */
void setup_vm(unsigned long dtb_pa)
{
    unsigned long image_pa = (unsigned long)_start;

    va_kernel_pa_offset = KERNEL_LINK_ADDR - image_pa;
    dtb_phys = dtb_pa;
    map_image(image_pa);
    map_fixmap(dtb_pa);
}

const void *early_dtb(void)
{
    return (const void *)(DTB_EARLY_BASE + (dtb_phys & (PMD_SIZE - 1)));
}

static pte_t *next_table(pte_t *entry)
{
    pte_t *table;

    if (*entry & _PAGE_PRESENT)
        return (pte_t *)(pte_phys(*entry) + va_kernel_pa_offset);
    if (early_tables_used == EARLY_TABLES)
        panic("out of early page tables");
    table = early_tables[early_tables_used++];
    *entry = pfn_pte(__pa(table), _PAGE_PRESENT);
    return table;
}

static void map_linear(unsigned long pa, int level, unsigned long prot)
{
    unsigned long va = (unsigned long)__va(pa);
    pte_t *table = swapper_pg_dir;
    int l;

    for (l = 2; l > level; l--)
        table = next_table(&table[pte_index(va, l)]);
    table[pte_index(va, level)] = pfn_pte(pa, prot);
}

static void map_linear_image(unsigned long pa, unsigned long end)
{
    unsigned long start = __pa(_start), data = __pa(__data_start);

    for (; pa < end; pa += PAGE_SIZE)
        map_linear(pa, 0, pa >= start && pa < data ? PAGE_KERNEL_READ : PAGE_KERNEL);
}

static unsigned long level_size(int level)
{
    return level == 2 ? PGDIR_SIZE : level == 1 ? PMD_SIZE : PAGE_SIZE;
}

/* The highest level whose pages fit here: aligned, not past the end, and not to be split. */
static int largest_level(unsigned long pa, unsigned long end)
{
    int level = pa - PHYS_RAM_BASE >= LINEAR_SPLITTABLE ? 2 : 1;

    while (level && (pa & (level_size(level) - 1) || end - pa < level_size(level)))
        level--;
    return level;
}

/*
 * Maps memory linearly in pages of 2 MiB, which are split when part of one becomes a module's
 * text. Memory above 16 GiB is mapped in pages of 1 GiB, because there are few tables. The
 * firmware's memory below the image stays unmapped: accesses there would fault anyway.
 */
void paging_init(unsigned long memory_start, unsigned long memory_end)
{
    unsigned long pa = max(memory_start, __pa(_start));
    unsigned long image_end = ALIGN(__pa(_end), PMD_SIZE);

    map_linear_image(pa, image_end);
    pa = image_end;
    while (pa < memory_end) {
        int level = largest_level(pa, memory_end);

        map_linear(pa, level, PAGE_KERNEL);
        pa += level_size(level);
    }
    local_flush_tlb_all();
}

/*
 * Each slot has one user at a time: devices set theirs once; the text-poke slots belong to the
 * holder of text_mutex (or to the only hart that runs). So flushing this hart's translation is
 * enough; another hart that patches later flushes its own before it stores.
 */
void set_fixmap(enum fixed_addresses idx, unsigned long phys)
{
    unsigned long va = fix_to_virt(idx);

    fixmap_pte[pte_index(va, 0)] = pfn_pte(phys, PAGE_KERNEL);
    local_flush_tlb_page(va);
}

void *set_fixmap_offset(enum fixed_addresses idx, unsigned long phys)
{
    set_fixmap(idx, phys & PAGE_MASK);
    return (void *)(fix_to_virt(idx) + (phys & ~PAGE_MASK));
}

void clear_fixmap(enum fixed_addresses idx)
{
    unsigned long va = fix_to_virt(idx);

    fixmap_pte[pte_index(va, 0)] = 0;
    local_flush_tlb_page(va);
}
