/*
 * page_alloc.c - the buddy allocator.
 *
 * Each order has a list of free blocks of 2^order pages. The page frame number of a block's
 * buddy differs in the bit of its order; two free buddies are merged to a block of the next
 * order.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <trace/events/kmem.h>

/* zone_lock guards the lists, the counter, and the PG_BUDDY state of pages. */
static DEFINE_SPINLOCK(zone_lock);
static struct list_head free_area[MAX_ORDER];
static unsigned long free_pages_count;

/* One struct page for each page frame from PHYS_RAM_BASE on; set once at boot. */
static struct page *mem_map;
static unsigned long first_pfn, end_pfn;
static unsigned long reserved_pfn, reserved_end_pfn; /* nothing if equal */

/* The index in mem_map; also first_pfn and the like count from there. */
static unsigned long page_index(const struct page *page)
{
    return page - mem_map;
}

unsigned long page_to_pfn(const struct page *page)
{
    return page_index(page) + (PHYS_RAM_BASE >> PAGE_SHIFT);
}

struct page *pfn_to_page(unsigned long pfn)
{
    return &mem_map[pfn - (PHYS_RAM_BASE >> PAGE_SHIFT)];
}

void *page_address(const struct page *page)
{
    return __va(PHYS_RAM_BASE + (page_index(page) << PAGE_SHIFT));
}

struct page *virt_to_page(const void *addr)
{
    return &mem_map[(__pa(addr) - PHYS_RAM_BASE) >> PAGE_SHIFT];
}

static void add_to_free_list(struct page *page, unsigned int order)
{
    page->flags |= PG_BUDDY;
    page->order = order;
    list_add(&page->lru, &free_area[order]);
}

static void del_from_free_list(struct page *page)
{
    page->flags &= ~PG_BUDDY;
    list_del_init(&page->lru);
}

static struct page *find_buddy(struct page *page, unsigned int order)
{
    unsigned long pfn = page_index(page) ^ (1UL << order);
    struct page *buddy = &mem_map[pfn];

    if (pfn < first_pfn || pfn >= end_pfn)
        return NULL;
    return (buddy->flags & PG_BUDDY) && buddy->order == order ? buddy : NULL;
}

static void free_one_block(struct page *page, unsigned int order)
{
    struct page *buddy;

    while (order < MAX_ORDER - 1 && (buddy = find_buddy(page, order))) {
        del_from_free_list(buddy);
        page = min(page, buddy);
        order++;
    }
    add_to_free_list(page, order);
}

/* Splits a block down to the order wanted; the upper halves become free blocks. */
static void expand(struct page *page, unsigned int have, unsigned int want)
{
    while (have > want) {
        have--;
        add_to_free_list(page + (1UL << have), have);
    }
}

static struct page *rmqueue(unsigned int order)
{
    unsigned int have;

    for (have = order; have < MAX_ORDER; have++) {
        struct page *page;

        if (list_empty(&free_area[have]))
            continue;
        page = list_first_entry(&free_area[have], struct page, lru);
        del_from_free_list(page);
        expand(page, have, order);
        page->order = order;
        free_pages_count -= 1UL << order;
        trace_mm_page_alloc_zone_locked(page, order);
        return page;
    }
    return NULL;
}

struct page *alloc_pages(unsigned int order)
{
    struct page *page;
    unsigned long flags;

    spin_lock_irqsave(&zone_lock, flags);
    page = rmqueue(order);
    spin_unlock_irqrestore(&zone_lock, flags);
    trace_mm_page_alloc(page, order);
    return page;
}

void __free_pages(struct page *page, unsigned int order)
{
    unsigned long flags;

    trace_mm_page_free(page, order);
    spin_lock_irqsave(&zone_lock, flags);
    BUG_ON(page->flags & PG_BUDDY);
    free_pages_count += 1UL << order;
    free_one_block(page, order);
    spin_unlock_irqrestore(&zone_lock, flags);
}

unsigned long totalram_pages(void)
{
    return end_pfn;
}

unsigned long nr_free_pages(void)
{
    return READ_ONCE(free_pages_count);
}

void *__get_free_pages(unsigned int order)
{
    struct page *page = alloc_pages(order);

    return page ? page_address(page) : NULL;
}

void free_pages(void *addr, unsigned int order)
{
    __free_pages(virt_to_page(addr), order);
}

/* The order of the largest block that is aligned at pfn and does not reach beyond end. */
static unsigned int boot_block_order(unsigned long pfn, unsigned long end)
{
    unsigned int order = 0;

    while (order < MAX_ORDER - 1 && !(pfn & (1UL << order)) && pfn + (2UL << order) <= end)
        order++;
    return order;
}

static void free_pfn_range(unsigned long pfn, unsigned long end)
{
    while (pfn < end) {
        unsigned int order = boot_block_order(pfn, end);

        __free_pages(&mem_map[pfn], order);
        pfn += 1UL << order;
    }
}

static void free_boot_memory(void)
{
    if (reserved_pfn == reserved_end_pfn) {
        free_pfn_range(first_pfn, end_pfn);
        return;
    }
    if (reserved_pfn < first_pfn || reserved_end_pfn > end_pfn)
        panic("the initrd lies outside of free memory");
    free_pfn_range(first_pfn, reserved_pfn);
    free_pfn_range(reserved_end_pfn, end_pfn);
}

static unsigned long pfn_up(unsigned long phys)
{
    return (phys - PHYS_RAM_BASE + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

void mem_reserve(unsigned long start, unsigned long end)
{
    if (start >= end)
        return;
    reserved_pfn = (start - PHYS_RAM_BASE) >> PAGE_SHIFT;
    reserved_end_pfn = pfn_up(end);
}

void free_reserved_area(unsigned long start, unsigned long end)
{
    free_pfn_range((start - PHYS_RAM_BASE) >> PAGE_SHIFT, pfn_up(end));
}

/* Sets up the free lists for [start, end). mem_map takes the first pages of the range. */
void mem_init(unsigned long start, unsigned long end)
{
    unsigned long map_bytes;
    unsigned int order;

    for (order = 0; order < MAX_ORDER; order++)
        INIT_LIST_HEAD(&free_area[order]);
    end_pfn = (end - PHYS_RAM_BASE) >> PAGE_SHIFT;
    map_bytes = ALIGN(end_pfn * sizeof(struct page), (unsigned long)PAGE_SIZE);
    mem_map = __va(start);
    memset(mem_map, 0, map_bytes);
    first_pfn = (start + map_bytes - PHYS_RAM_BASE) >> PAGE_SHIFT;
    free_boot_memory();
    pr_info("Memory: %luK/%luK available\n", free_pages_count * (PAGE_SIZE / 1024),
            end_pfn * (PAGE_SIZE / 1024));
}
