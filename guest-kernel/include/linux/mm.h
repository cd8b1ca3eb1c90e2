/* mm.h - physical pages, and operations on address spaces (mm_types.h). */
#ifndef LINUX_MM_H
#define LINUX_MM_H

#include <asm/page.h>
#include <linux/atomic.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#define MAX_ORDER 11 /* blocks of 1 to 1024 pages */

struct address_space;
struct kmem_cache;

struct page {
    unsigned int order;   /* order of the block that starts here */
    unsigned int flags;   /* PG_* */
    struct list_head lru; /* free list, the cache's list of slabs with free objects, or page LRU */
    union {
        struct {
            struct kmem_cache *slab; /* the cache of a slab (PG_SLAB) */
            void *freelist;          /* first free object of the slab */
            unsigned int inuse;      /* allocated objects of the slab */
        };
        struct {                           /* of the page cache: pagemap.h */
            struct address_space *mapping; /* NULL: not in it any more */
            unsigned long index;
            struct buffer_head *buffers; /* of the page's blocks, or NULL; under the page's lock */
        };
    };
    atomic_t _refcount; /* user page tables that map the page; for the page cache: its users */
};

enum {
    PG_BUDDY = 1,
    PG_SLAB = 2,
    /* Of the page cache; atomics only. */
    PG_LOCKED = 4,
    PG_UPTODATE = 8,
    PG_DIRTY = 16,
    PG_WRITEBACK = 32,
    PG_REFERENCED = 64,
    PG_READAHEAD = 128, /* reaching this page starts the next read-ahead */
    PG_LRU = 256,
};

/*
 * Reserves a range before mem_init(); free_reserved_area() frees it. One range; physical
 * addresses.
 */
void mem_reserve(unsigned long start, unsigned long end);
void free_reserved_area(unsigned long start, unsigned long end);
/* Physical addresses; pages below start are never allocated. */
void mem_init(unsigned long start, unsigned long end);
struct page *alloc_pages(unsigned int order);
void __free_pages(struct page *page, unsigned int order);
void *__get_free_pages(unsigned int order);
void free_pages(void *addr, unsigned int order);
unsigned long nr_free_pages(void);
unsigned long totalram_pages(void);
struct page *virt_to_page(const void *addr);
void *page_address(const struct page *page);
/* The number of a page: its physical address without the bits of the offset. */
unsigned long page_to_pfn(const struct page *page);
struct page *pfn_to_page(unsigned long pfn);

/* References to user pages; alloc_user_page() takes the first. */
static inline int page_count(const struct page *page)
{
    return atomic_read(&page->_refcount);
}

static inline void get_page(struct page *page)
{
    atomic_inc(&page->_refcount);
}

void put_page(struct page *page);

/* kernel/fork.c */
struct mm_struct *mm_alloc(void); /* NULL: no memory */
struct mm_struct *dup_mm(struct mm_struct *oldmm);
void mmput(struct mm_struct *mm);
/* The address space of a task, with a reference; NULL: it has none. */
struct mm_struct *get_task_mm(pid_t pid);
/* fs/proc/task_mmu.c: the name of memory that is of no file, or NULL. */
const char *arch_vma_name(const struct vm_area_struct *vma);

/* mm/memory.c. Errors of handle_mm_fault(); 0: handled. */
enum { VM_FAULT_OOM = 1, VM_FAULT_SIGBUS = 2 };

/*
 * access is VM_READ, VM_WRITE or VM_EXEC and allowed in vma. mmap_lock is held, as in all
 * functions below.
 */
int handle_mm_fault(struct vm_area_struct *vma, unsigned long address, unsigned long access);
/* Maps a page at the address and takes a reference to it. 0 or -ENOMEM. */
int vm_insert_page(struct vm_area_struct *vma, unsigned long addr, struct page *page);
/* The page that is present at the address, if it is of shared memory; else NULL. */
struct page *follow_shared_page(struct mm_struct *mm, unsigned long addr);
int copy_page_range(struct mm_struct *dst, struct mm_struct *src, const struct vm_area_struct *vma);
void zap_page_range(struct mm_struct *mm, unsigned long start, unsigned long end);
void change_protection(struct vm_area_struct *vma);
void free_pgtables(struct mm_struct *mm);

/* mm/mmap.c */
struct vm_area_struct *vm_area_alloc(struct mm_struct *mm, unsigned long start, unsigned long end,
                                     unsigned long flags, struct file *file, loff_t offset);
void insert_vm_struct(struct mm_struct *mm, struct vm_area_struct *vma);
/* The first area that ends above addr, or NULL. */
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr);
/* The area that contains addr, or NULL; a stack is extended down to addr. */
struct vm_area_struct *find_extend_vma(struct mm_struct *mm, unsigned long addr);
int split_vma(struct vm_area_struct *vma, unsigned long addr);
/* Returns the address or -ENOMEM; takes a reference to file. */
unsigned long mmap_region(struct mm_struct *mm, unsigned long addr, unsigned long len,
                          unsigned long vm_flags, struct file *file, loff_t offset);
unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long hint, unsigned long len);
int do_munmap(struct mm_struct *mm, unsigned long start, unsigned long len);
void exit_mmap(struct mm_struct *mm);

enum { STACK_LIMIT = 8 << 20 }; /* RLIMIT_STACK */

#endif
