/* mm_types.h - address spaces. */
#ifndef LINUX_MM_TYPES_H
#define LINUX_MM_TYPES_H

#include <asm/pgtable.h>
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct file;

#define VM_READ      0x0001ul
#define VM_WRITE     0x0002ul
#define VM_EXEC      0x0004ul
#define VM_SHARED    0x0008ul
#define VM_MAYWRITE  0x0020ul /* mprotect may set VM_WRITE */
#define VM_GROWSDOWN 0x0100ul
#define VM_DONTCOPY  0x00020000ul /* fork leaves it out */
#define VM_ACCESS    (VM_READ | VM_WRITE | VM_EXEC)

struct vm_area_struct;

/* Of a mapping that a file has made; open: another area of the same pages. */
struct vm_operations_struct {
    /* The page of a shared file at the address, with a reference for the mapping. NULL: none. */
    struct page *(*fault)(struct vm_area_struct *vma, unsigned long address);
    void (*open)(struct vm_area_struct *vma);
    void (*close)(struct vm_area_struct *vma);
};

/* A range of pages with the same attributes; under the mm's mmap_lock. */
struct vm_area_struct {
    struct list_head vm_list; /* in mm->mmap, by address */
    struct mm_struct *vm_mm;
    unsigned long vm_start, vm_end;
    unsigned long vm_flags;
    struct file *vm_file;                      /* referenced; NULL: anonymous (zeroed) memory */
    const struct vm_operations_struct *vm_ops; /* NULL: none */
    loff_t vm_offset;                          /* offset of vm_start in the file */
};

typedef struct {
    unsigned long cpumask; /* harts that run in this mm now; atomics only */
    unsigned long
        icache_stale_mask; /* harts that must execute fence.i before they run in it; atomics only */
    unsigned long vdso;    /* user address of the vDSO; set by exec */
} mm_context_t;

struct mm_struct {
    atomic_t mm_users; /* number of tasks */
    pte_t *pgd;
    mm_context_t context;
    struct mutex mmap_lock; /* guards the members below and the page tables */
    struct list_head mmap;
    unsigned long start_brk, brk;
    unsigned long total_vm; /* pages in all areas */
};

#endif
