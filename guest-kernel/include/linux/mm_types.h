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
#define VM_GROWSDOWN 0x0100ul
#define VM_ACCESS    (VM_READ | VM_WRITE | VM_EXEC)

/* A run of pages of one kind; all of it under the mm's mmap_lock. */
struct vm_area_struct {
    struct list_head vm_list; /* in its mm's mmap, by address */
    struct mm_struct *vm_mm;
    unsigned long vm_start, vm_end;
    unsigned long vm_flags;
    struct file *vm_file; /* referenced; NULL: pages of zeros */
    loff_t vm_offset;     /* where vm_start is in it */
};

typedef struct {
    unsigned long cpumask;           /* harts that run in this mm now; atomically */
    unsigned long icache_stale_mask; /* harts that must fence before they do; atomically */
    unsigned long vdso;              /* where a program finds the vDSO; set by exec */
} mm_context_t;

struct mm_struct {
    atomic_t mm_users; /* tasks */
    pte_t *pgd;
    mm_context_t context;
    struct mutex mmap_lock; /* guards all that follows, and the page tables */
    struct list_head mmap;
    unsigned long start_brk, brk;
    unsigned long total_vm; /* pages in all areas */
};

#endif
