/* task_mmu.c - /proc/PID/maps: the areas of a task's address space. */
#include "internal.h"
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>

/* Of what has no file. NULL: it has no name. */
const char *arch_vma_name(const struct vm_area_struct *vma)
{
    const struct mm_struct *mm = vma->vm_mm;

    if (vma->vm_start == mm->context.vdso)
        return "[vdso]";
    if (vma->vm_flags & VM_GROWSDOWN)
        return "[stack]";
    if (!vma->vm_file && vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk && mm->start_brk)
        return "[heap]";
    return NULL;
}

static void show_name(struct seq_file *m, const struct vm_area_struct *vma, size_t line)
{
    enum { NAME_COLUMN = 73 };
    const char *name = arch_vma_name(vma);
    bool has_path = !name && vma->vm_file && vma->vm_file->f_path.dentry;

    if (name || has_path)
        do
            seq_puts(m, " ");
        while (m->count - line < NAME_COLUMN && !seq_has_overflowed(m));
    if (name)
        seq_puts(m, name);
    else if (has_path)
        (void)seq_path(m, &vma->vm_file->f_path, "\n");
    seq_puts(m, "\n");
}

static void show_map(struct seq_file *m, const struct vm_area_struct *vma)
{
    const struct inode *inode = vma->vm_file ? vma->vm_file->f_inode : NULL;
    size_t line = m->count;

    seq_printf(m, "%08lx-%08lx %c%c%c%c %08lx 00:00 %lu ", vma->vm_start, vma->vm_end,
               vma->vm_flags & VM_READ ? 'r' : '-', vma->vm_flags & VM_WRITE ? 'w' : '-',
               vma->vm_flags & VM_EXEC ? 'x' : '-', vma->vm_flags & VM_SHARED ? 's' : 'p',
               inode ? (unsigned long)vma->vm_offset : 0, inode ? (unsigned long)inode->i_ino : 0);
    show_name(m, vma, line);
}

/* A kernel thread has none. */
int proc_maps_show(struct seq_file *m, void *pid)
{
    struct mm_struct *mm = get_task_mm((long)pid);
    const struct vm_area_struct *vma;

    if (!mm)
        return 0;
    mutex_lock(&mm->mmap_lock);
    list_for_each_entry(vma, &mm->mmap, vm_list)
        show_map(m, vma);
    mutex_unlock(&mm->mmap_lock);
    mmput(mm);
    return 0;
}
