/* mmap.c - the areas of an address space. */
#include <asm/cacheflush.h>
#include <asm/processor.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/syscalls.h>

static unsigned long vma_pages(const struct vm_area_struct *vma)
{
    return (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
}

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm, unsigned long start, unsigned long end,
                                     unsigned long flags, struct file *file, loff_t offset)
{
    struct vm_area_struct *vma = kzalloc(sizeof(*vma));

    if (!vma)
        return NULL;
    vma->vm_mm = mm;
    vma->vm_start = start;
    vma->vm_end = end;
    vma->vm_flags = flags;
    vma->vm_file = file ? get_file(file) : NULL;
    vma->vm_offset = offset;
    return vma;
}

static void vm_area_free(struct vm_area_struct *vma)
{
    if (vma->vm_ops && vma->vm_ops->close)
        vma->vm_ops->close(vma);
    if (vma->vm_file)
        fput(vma->vm_file);
    kfree(vma);
}

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr)
{
    struct vm_area_struct *vma;

    list_for_each_entry(vma, &mm->mmap, vm_list)
        if (vma->vm_end > addr)
            return vma;
    return NULL;
}

void insert_vm_struct(struct mm_struct *mm, struct vm_area_struct *vma)
{
    struct vm_area_struct *next = find_vma(mm, vma->vm_start);

    list_add_tail(&vma->vm_list, next ? &next->vm_list : &mm->mmap);
    mm->total_vm += vma_pages(vma);
}

/* Returns whether no area overlaps [start, end). */
static bool range_is_free(struct mm_struct *mm, unsigned long start, unsigned long end)
{
    struct vm_area_struct *vma = find_vma(mm, start);

    return !vma || vma->vm_start >= end;
}

static int expand_stack(struct vm_area_struct *vma, unsigned long addr)
{
    addr &= PAGE_MASK;
    if (vma->vm_end - addr > STACK_LIMIT || !range_is_free(vma->vm_mm, addr, vma->vm_start))
        return -ENOMEM;
    vma->vm_mm->total_vm += (vma->vm_start - addr) >> PAGE_SHIFT;
    vma->vm_start = addr;
    return 0;
}

struct vm_area_struct *find_extend_vma(struct mm_struct *mm, unsigned long addr)
{
    struct vm_area_struct *vma = find_vma(mm, addr);

    if (!vma || vma->vm_start <= addr)
        return vma;
    return (vma->vm_flags & VM_GROWSDOWN) && !expand_stack(vma, addr) ? vma : NULL;
}

/* Splits an area at addr: vma keeps the lower part, a new area gets the rest. */
int split_vma(struct vm_area_struct *vma, unsigned long addr)
{
    struct vm_area_struct *upper =
        vm_area_alloc(vma->vm_mm, addr, vma->vm_end, vma->vm_flags & ~VM_GROWSDOWN, vma->vm_file,
                      vma->vm_offset + (addr - vma->vm_start));

    if (!upper)
        return -ENOMEM;
    upper->vm_ops = vma->vm_ops;
    if (upper->vm_ops && upper->vm_ops->open)
        upper->vm_ops->open(upper);
    vma->vm_end = addr;
    list_add(&upper->vm_list, &vma->vm_list);
    return 0;
}

int do_munmap(struct mm_struct *mm, unsigned long start, unsigned long len)
{
    unsigned long end = start + ALIGN(len, (unsigned long)PAGE_SIZE);
    struct vm_area_struct *vma;

    if (start & ~PAGE_MASK || !len || start > TASK_SIZE || end > TASK_SIZE || end < start)
        return -EINVAL;
    while ((vma = find_vma(mm, start)) && vma->vm_start < end) {
        if (vma->vm_start < start) {
            if (split_vma(vma, start))
                return -ENOMEM;
            continue;
        }
        if (vma->vm_end > end && split_vma(vma, end))
            return -ENOMEM;
        zap_page_range(mm, vma->vm_start, vma->vm_end);
        mm->total_vm -= vma_pages(vma);
        list_del_init(&vma->vm_list);
        vm_area_free(vma);
    }
    return 0;
}

void exit_mmap(struct mm_struct *mm)
{
    struct vm_area_struct *vma, *next;

    list_for_each_entry_safe(vma, next, &mm->mmap, vm_list) {
        zap_page_range(mm, vma->vm_start, vma->vm_end);
        list_del_init(&vma->vm_list);
        vm_area_free(vma);
    }
    free_pgtables(mm);
}

/* Returns hint if that range is free, else the highest gap below TASK_UNMAPPED_BASE, or -ENOMEM. */
unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long hint, unsigned long len)
{
    unsigned long top = TASK_UNMAPPED_BASE;
    struct vm_area_struct *vma;

    hint &= PAGE_MASK;
    if (len > TASK_UNMAPPED_BASE)
        return -ENOMEM;
    if (hint >= MMAP_MIN_ADDR && hint <= TASK_UNMAPPED_BASE - len &&
        range_is_free(mm, hint, hint + len))
        return hint;
    list_for_each_entry_reverse(vma, &mm->mmap, vm_list) {
        if (top >= len && vma->vm_end <= top - len)
            break;
        top = min(top, vma->vm_start);
    }
    return top >= len + MMAP_MIN_ADDR ? top - len : (unsigned long)-ENOMEM;
}

/* Extends the anonymous area that ends at addr if it has the same flags. False: there is none. */
static bool vma_merge(struct mm_struct *mm, unsigned long addr, unsigned long len,
                      unsigned long vm_flags, const struct file *file)
{
    struct vm_area_struct *vma = addr ? find_vma(mm, addr - 1) : NULL;

    if (!vma || vma->vm_end != addr || vma->vm_flags != vm_flags || vma->vm_file || file)
        return false;
    vma->vm_end += len;
    mm->total_vm += len >> PAGE_SHIFT;
    return true;
}

unsigned long mmap_region(struct mm_struct *mm, unsigned long addr, unsigned long len,
                          unsigned long vm_flags, struct file *file, loff_t offset)
{
    struct vm_area_struct *vma;

    if (!(vm_flags & VM_SHARED) || !file || file->f_mode & FMODE_WRITE)
        vm_flags |= VM_MAYWRITE;
    if (vma_merge(mm, addr, len, vm_flags, file))
        return addr;
    vma = vm_area_alloc(mm, addr, addr + len, vm_flags, file, offset);
    if (!vma)
        return -ENOMEM;
    insert_vm_struct(mm, vma);
    if (mm == current->mm) /* else exec says it, when the program has its new name */
        perf_event_mmap(vma);
    return addr;
}

/* Allocates all pages of a shared area now: fork shares only pages that are present. */
static int populate(struct mm_struct *mm, unsigned long addr, unsigned long len)
{
    struct vm_area_struct *vma = find_vma(mm, addr);
    unsigned long end = addr + len;

    for (; addr < end; addr += PAGE_SIZE)
        if (handle_mm_fault(vma, addr, vma->vm_flags & VM_ACCESS))
            return -ENOMEM;
    return 0;
}

static unsigned long do_mmap(struct file *file, unsigned long addr, unsigned long len,
                             unsigned long prot, unsigned long flags, loff_t offset)
{
    struct mm_struct *mm = current->mm;
    unsigned long vm_flags = prot & VM_ACCESS;
    unsigned long ret;

    if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
        if (addr & ~PAGE_MASK)
            return -EINVAL;
        if (addr < MMAP_MIN_ADDR)
            return -EPERM;
        if (addr > TASK_SIZE || len > TASK_SIZE - addr)
            return -ENOMEM;
        if (flags & MAP_FIXED_NOREPLACE && !range_is_free(mm, addr, addr + len))
            return -EEXIST;
        if (do_munmap(mm, addr, len))
            return -ENOMEM;
    } else {
        addr = get_unmapped_area(mm, addr, len);
        if (IS_ERR((void *)addr))
            return addr;
    }
    if ((flags & MAP_TYPE) == MAP_SHARED)
        vm_flags |= VM_SHARED;
    ret = mmap_region(mm, addr, len, vm_flags, file, offset);
    if (ret == addr && file && file->f_op->mmap) {
        int err = file->f_op->mmap(file, find_vma(mm, addr));

        if (err)
            do_munmap(mm, addr, len);
        return err ? (unsigned long)err : addr;
    }
    if (ret == addr && (vm_flags & VM_SHARED) && populate(mm, addr, len)) {
        do_munmap(mm, addr, len);
        return -ENOMEM;
    }
    return ret;
}

/* Regular files can be mapped, and shared if the file does it itself, as others do, too. */
static int check_mapped_file(const struct file *file, unsigned long len, unsigned long prot,
                             unsigned long flags, unsigned long offset)
{
    if (!file)
        return -EBADF;
    if (offset > MAX_LFS_FILESIZE - len)
        return -EOVERFLOW;
    if (!(file->f_mode & FMODE_READ))
        return -EACCES;
    if ((flags & MAP_TYPE) == MAP_SHARED && prot & PROT_WRITE && !(file->f_mode & FMODE_WRITE))
        return -EACCES;
    if (!file->f_op->mmap && (!S_ISREG(file->f_inode->i_mode) || (flags & MAP_TYPE) != MAP_PRIVATE))
        return -ENODEV;
    return prot & PROT_EXEC && path_noexec(&file->f_path) ? -EPERM : 0;
}

SYSCALL_DEFINE6(mmap, unsigned long, addr, unsigned long, len, unsigned long, prot, unsigned long,
                flags, int, fd, unsigned long, offset)
{
    unsigned long type = flags & MAP_TYPE;
    struct file *file = NULL;
    long ret = 0;

    if (!len || offset & ~PAGE_MASK || (type != MAP_SHARED && type != MAP_PRIVATE))
        return -EINVAL;
    len = ALIGN(len, (unsigned long)PAGE_SIZE);
    if (!len)
        return -ENOMEM;
    if (!(flags & MAP_ANONYMOUS)) {
        file = fget(fd);
        ret = check_mapped_file(file, len, prot, flags, offset);
    }
    if (!ret) {
        mutex_lock(&current->mm->mmap_lock);
        ret = do_mmap(file, addr, len, prot, flags, offset);
        mutex_unlock(&current->mm->mmap_lock);
    }
    if (file)
        fput(file);
    return ret;
}

SYSCALL_DEFINE2(munmap, unsigned long, addr, size_t, len)
{
    int ret;

    mutex_lock(&current->mm->mmap_lock);
    ret = do_munmap(current->mm, addr, len);
    mutex_unlock(&current->mm->mmap_lock);
    return ret;
}

static int set_brk(struct mm_struct *mm, unsigned long brk)
{
    unsigned long old = ALIGN(mm->brk, (unsigned long)PAGE_SIZE);
    unsigned long new = ALIGN(brk, (unsigned long)PAGE_SIZE);

    if (brk < mm->start_brk || brk > TASK_UNMAPPED_BASE)
        return -EINVAL;
    if (new < old)
        return do_munmap(mm, new, old - new);
    if (new == old)
        return 0;
    if (!range_is_free(mm, old, new))
        return -ENOMEM;
    return mmap_region(mm, old, new - old, VM_READ | VM_WRITE, NULL, 0) == old ? 0 : -ENOMEM;
}

/* Returns the new break, or the old one if the new one is not possible. */
SYSCALL_DEFINE1(brk, unsigned long, brk)
{
    struct mm_struct *mm = current->mm;

    mutex_lock(&mm->mmap_lock);
    if (!set_brk(mm, brk))
        mm->brk = brk;
    brk = mm->brk;
    mutex_unlock(&mm->mmap_lock);
    return brk;
}

/* The whole range must be mapped; areas before a hole are changed nevertheless. */
static int mprotect_range(struct mm_struct *mm, unsigned long start, unsigned long end,
                          unsigned long access)
{
    while (start < end) {
        struct vm_area_struct *vma = find_vma(mm, start);

        if (!vma || vma->vm_start > start)
            return -ENOMEM;
        if (access & VM_EXEC && vma->vm_file && path_noexec(&vma->vm_file->f_path))
            return -EACCES;
        if (access & VM_WRITE && !(vma->vm_flags & VM_MAYWRITE))
            return -EACCES;
        if (vma->vm_start < start) {
            if (split_vma(vma, start))
                return -ENOMEM;
            continue;
        }
        if (vma->vm_end > end && split_vma(vma, end))
            return -ENOMEM;
        vma->vm_flags = (vma->vm_flags & ~VM_ACCESS) | access;
        change_protection(vma);
        start = vma->vm_end;
    }
    return 0;
}

SYSCALL_DEFINE3(mprotect, unsigned long, start, size_t, len, unsigned long, prot)
{
    int ret;

    len = ALIGN(len, (unsigned long)PAGE_SIZE);
    if (start & ~PAGE_MASK || prot & ~VM_ACCESS || len > TASK_SIZE || start > TASK_SIZE - len)
        return -EINVAL;
    mutex_lock(&current->mm->mmap_lock);
    ret = mprotect_range(current->mm, start, start + len, prot);
    mutex_unlock(&current->mm->mmap_lock);
    return ret;
}

/*
 * Makes code that was written as data visible to instruction fetch. Flag 1 restricts that to
 * this thread; since the thread may move to any hart, it changes nothing here.
 */
SYSCALL_DEFINE3(riscv_flush_icache, uintptr_t, start, uintptr_t, end, uintptr_t, flags)
{
    (void)start;
    (void)end;
    if (flags & ~1ul)
        return -EINVAL;
    flush_icache_mm(current->mm);
    return 0;
}
