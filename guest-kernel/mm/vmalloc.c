/*
 * vmalloc.c - areas of virtually contiguous memory, sorted by address, with an unmapped page
 * after each.
 */
#include <asm/set_memory.h>
#include <asm/tlbflush.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

struct vm_struct {
    struct list_head list;
    unsigned long addr;
    unsigned int nr_pages;
    bool io;       /* maps a device's registers: frees none */
    void *pages[]; /* addresses in the linear map */
};

static DEFINE_MUTEX(vmap_lock);
static LIST_HEAD(vmap_areas); /* under vmap_lock */

bool is_vmalloc_addr(const void *addr)
{
    return (unsigned long)addr >= VMALLOC_START && (unsigned long)addr < VMALLOC_END;
}

/* Places the area in the first gap that is large enough. vmap_lock is held. */
static bool insert_area(struct vm_struct *area)
{
    unsigned long size = (area->nr_pages + 1UL) * PAGE_SIZE, addr = VMALLOC_START;
    struct vm_struct *pos;

    list_for_each_entry(pos, &vmap_areas, list) {
        if (pos->addr - addr >= size)
            break;
        addr = pos->addr + (pos->nr_pages + 1UL) * PAGE_SIZE;
    }
    if (VMALLOC_END - addr < size)
        return false;
    area->addr = addr;
    list_add_tail(&area->list, &pos->list);
    return true;
}

/* Frees the area, which is on no list any more, and its first n pages. */
static void free_area(struct vm_struct *area, unsigned int n)
{
    unsigned int i;

    for (i = 0; i < n; i++)
        unmap_kernel_page(area->addr + i * (unsigned long)PAGE_SIZE);
    flush_tlb_kernel_range(area->addr, area->addr + n * (unsigned long)PAGE_SIZE);
    for (i = 0; i < n && !area->io; i++)
        free_pages(area->pages[i], 0);
    kfree(area);
}

static bool map_area_page(struct vm_struct *area, unsigned int i)
{
    area->pages[i] = __get_free_pages(0);
    if (!area->pages[i])
        return false;
    if (!map_kernel_page(area->addr + i * (unsigned long)PAGE_SIZE, __pa(area->pages[i]),
                         PAGE_KERNEL))
        return true;
    free_pages(area->pages[i], 0);
    return false;
}

/* Maps all pages of the area. Harts may cache invalid entries, too, hence the flush. */
static bool map_area(struct vm_struct *area)
{
    unsigned int i;

    for (i = 0; i < area->nr_pages; i++) {
        if (map_area_page(area, i))
            continue;
        list_del_init(&area->list);
        free_area(area, i);
        return false;
    }
    flush_tlb_kernel_range(area->addr, area->addr + i * (unsigned long)PAGE_SIZE);
    return true;
}

void *vmalloc(size_t size)
{
    unsigned int nr_pages = ALIGN(size, (size_t)PAGE_SIZE) >> PAGE_SHIFT;
    struct vm_struct *area = NULL;
    bool done = false;

    if (size && size < VMALLOC_END - VMALLOC_START)
        area = kzalloc(sizeof(*area) + nr_pages * sizeof(area->pages[0]));
    if (!area)
        return NULL;
    area->nr_pages = nr_pages;
    mutex_lock(&vmap_lock);
    if (insert_area(area))
        done = map_area(area);
    else
        kfree(area);
    mutex_unlock(&vmap_lock);
    return done ? (void *)area->addr : NULL;
}
EXPORT_SYMBOL(vmalloc);

void vfree(const void *addr)
{
    struct vm_struct *area;

    if (!addr)
        return;
    mutex_lock(&vmap_lock);
    list_for_each_entry(area, &vmap_areas, list)
        if (area->addr == (unsigned long)addr)
            break;
    BUG_ON(&area->list == &vmap_areas);
    list_del_init(&area->list);
    free_area(area, area->nr_pages);
    mutex_unlock(&vmap_lock);
}
EXPORT_SYMBOL(vfree);

/* Maps registers from phys on. On failure the area is freed. */
static bool map_there(struct vm_struct *area, unsigned long phys)
{
    unsigned int i;

    for (i = 0; i < area->nr_pages; i++) {
        unsigned long offset = i * (unsigned long)PAGE_SIZE;

        if (!map_kernel_page(area->addr + offset, phys + offset, PAGE_KERNEL))
            continue;
        list_del_init(&area->list);
        free_area(area, i);
        return false;
    }
    flush_tlb_kernel_range(area->addr, area->addr + i * (unsigned long)PAGE_SIZE);
    return true;
}

void *vmap_io(unsigned long phys, unsigned int nr_pages)
{
    struct vm_struct *area = kzalloc(sizeof(*area));
    bool done = false;

    if (!area)
        return NULL;
    area->nr_pages = nr_pages;
    area->io = true;
    mutex_lock(&vmap_lock);
    if (insert_area(area))
        done = map_there(area, phys);
    else
        kfree(area);
    mutex_unlock(&vmap_lock);
    return done ? (void *)area->addr : NULL;
}
