/* mm.h - physical pages. */
#ifndef LINUX_MM_H
#define LINUX_MM_H

#include <asm/page.h>
#include <linux/types.h>

#define MAX_ORDER 11 /* blocks of 1 to 1024 pages */

struct kmem_cache;

struct page {
    unsigned int order;      /* of the block this page heads */
    unsigned int flags;      /* PG_* */
    struct list_head lru;    /* free list, or the cache's list of partly used slabs */
    struct kmem_cache *slab; /* whose slab this is, when PG_SLAB */
    void *freelist;          /* first free object of the slab */
    unsigned int inuse;      /* objects handed out */
};

enum { PG_BUDDY = 1, PG_SLAB = 2 };

/* Before mem_init(): frames in use until free_reserved_area(). One area; physical. */
void mem_reserve(unsigned long start, unsigned long end);
void free_reserved_area(unsigned long start, unsigned long end);
/* start and end are physical; frames below start are never handed out */
void mem_init(unsigned long start, unsigned long end);
struct page *alloc_pages(unsigned int order);
void __free_pages(struct page *page, unsigned int order);
void *__get_free_pages(unsigned int order);
void free_pages(void *addr, unsigned int order);
unsigned long nr_free_pages(void);
struct page *virt_to_page(const void *addr);
void *page_address(const struct page *page);

#endif
