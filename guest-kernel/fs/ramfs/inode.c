/*
 * inode.c - ramfs: directories are dentries, files are pages.
 *
 * i_private is the table of a file's pages, as long as the largest offset written requires;
 * pages that were not written are missing and read as zeros. All under the file's i_rwsem. A shared
 * mapping has references to the pages; unlike in Linux it keeps those that the file loses by
 * truncation.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/ramfs.h>
#include <linux/slab.h>
#include <linux/string.h>

struct ramfs_pages {
    size_t nr;
    char **page;
};

/* The number of pages that one kmalloc() can list. */
#define RAMFS_MAX_PAGES ((PAGE_SIZE << (MAX_ORDER - 1)) / sizeof(char *))

/* Memory that files may not use, so that the kernel can still run, if only to remove files. */
enum { RESERVE_MAX_PAGES = 1024, RESERVE_PART = 16 };

static unsigned long reserved_pages(void)
{
    return min(totalram_pages() / RESERVE_PART, (unsigned long)RESERVE_MAX_PAGES);
}

static struct ramfs_pages *pages_of(const struct inode *inode)
{
    return inode->i_private;
}

static int grow_table(struct ramfs_pages *pages, size_t nr)
{
    size_t room = max(pages->nr * 2, nr);
    char **table;

    if (nr > RAMFS_MAX_PAGES)
        return -EFBIG;
    room = min(room, (size_t)RAMFS_MAX_PAGES);
    table = kzalloc(room * sizeof(*table));
    if (!table)
        return -ENOSPC;
    memcpy(table, pages->page, pages->nr * sizeof(*table));
    kfree(pages->page);
    *pages = (struct ramfs_pages){room, table};
    return 0;
}

static char *new_page(void)
{
    struct page *page = alloc_pages(0);

    if (!page)
        return NULL;
    atomic_set(&page->_refcount, 1);
    return memset(page_address(page), 0, PAGE_SIZE);
}

/* Returns the page to write to, allocated if missing, or ERR_PTR(). */
static char *page_for_write(struct ramfs_pages *pages, size_t index)
{
    int err = index < pages->nr ? 0 : grow_table(pages, index + 1);

    if (err)
        return ERR_PTR(err);
    if (!pages->page[index] && nr_free_pages() > reserved_pages())
        pages->page[index] = new_page();
    return pages->page[index] ? pages->page[index] : ERR_PTR(-ENOSPC);
}

static ssize_t read_locked(const struct inode *inode, char *buf, size_t count, loff_t pos)
{
    const struct ramfs_pages *pages = pages_of(inode);
    size_t done = 0;

    if (pos < 0)
        return -EINVAL;
    count = pos < inode->i_size ? min(count, (size_t)(inode->i_size - pos)) : 0;
    while (done < count) {
        size_t index = (pos + done) / PAGE_SIZE, offset = (pos + done) % PAGE_SIZE;
        size_t n = min(count - done, PAGE_SIZE - offset);

        if (index < pages->nr && pages->page[index])
            memcpy(buf + done, pages->page[index] + offset, n);
        else
            memset(buf + done, 0, n);
        done += n;
    }
    return done;
}

static ssize_t ramfs_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    ssize_t n;

    inode_lock(file->f_inode);
    n = read_locked(file->f_inode, buf, count, *pos);
    inode_unlock(file->f_inode);
    if (n > 0)
        *pos += n;
    return n;
}

static ssize_t write_locked(struct inode *inode, const char *buf, size_t count, loff_t pos)
{
    size_t done = 0;

    if (pos < 0)
        return -EINVAL;
    while (done < count) {
        size_t offset = (pos + done) % PAGE_SIZE, n = min(count - done, PAGE_SIZE - offset);
        char *page = page_for_write(pages_of(inode), (pos + done) / PAGE_SIZE);

        if (IS_ERR(page))
            return done ? (ssize_t)done : PTR_ERR(page);
        memcpy(page + offset, buf + done, n);
        done += n;
        inode->i_size = max(inode->i_size, (loff_t)(pos + done));
    }
    return done;
}

static ssize_t ramfs_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct inode *inode = file->f_inode;
    ssize_t n;

    inode_lock(inode);
    if (file->f_flags & O_APPEND)
        *pos = inode->i_size;
    n = write_locked(inode, buf, count, *pos);
    inode_unlock(inode);
    if (n > 0)
        *pos += n;
    return n;
}

/* Frees the pages after the new end, and clears the rest of the last page. */
static int ramfs_truncate(struct inode *inode, loff_t size)
{
    struct ramfs_pages *pages = pages_of(inode);
    size_t index = (size + PAGE_SIZE - 1) / PAGE_SIZE, offset = size % PAGE_SIZE;

    if (offset && index - 1 < pages->nr && pages->page[index - 1])
        memset(pages->page[index - 1] + offset, 0, PAGE_SIZE - offset);
    for (; index < pages->nr; index++) {
        if (pages->page[index])
            put_page(virt_to_page(pages->page[index]));
        pages->page[index] = NULL;
    }
    inode->i_size = size;
    return 0;
}

static void ramfs_evict(struct inode *inode)
{
    struct ramfs_pages *pages = pages_of(inode);

    ramfs_truncate(inode, 0);
    kfree(pages->page);
    kfree(pages);
}

/* ---- shared mappings ---- */

static struct page *ramfs_fault(struct vm_area_struct *vma, unsigned long address)
{
    struct inode *inode = vma->vm_file->f_inode;
    loff_t pos = vma->vm_offset + (address - vma->vm_start);
    char *page = ERR_PTR(-EFAULT);

    inode_lock(inode);
    if (pos < inode->i_size)
        page = page_for_write(pages_of(inode), pos / PAGE_SIZE);
    if (!IS_ERR(page))
        get_page(virt_to_page(page));
    inode_unlock(inode);
    return IS_ERR(page) ? NULL : virt_to_page(page);
}

static const struct vm_operations_struct ramfs_vm_ops = {.fault = ramfs_fault};

static int ramfs_mmap(struct file *file, struct vm_area_struct *vma)
{
    (void)file;
    if (vma->vm_flags & VM_SHARED)
        vma->vm_ops = &ramfs_vm_ops;
    return 0;
}

static const struct inode_operations ramfs_file_inode_operations = {
    .truncate = ramfs_truncate,
    .evict = ramfs_evict,
};

static const struct file_operations ramfs_file_operations = {
    .llseek = generic_file_llseek,
    .read = ramfs_read,
    .write = ramfs_write,
    .mmap = ramfs_mmap,
};

struct inode *ramfs_get_file(umode_t mode)
{
    struct ramfs_pages *pages = kzalloc(sizeof(*pages));
    struct inode *inode = pages ? new_inode(mode) : NULL;

    if (!inode) {
        kfree(pages);
        return NULL;
    }
    inode->i_private = pages;
    inode->i_op = &ramfs_file_inode_operations;
    inode->i_fop = &ramfs_file_operations;
    return inode;
}

static const struct inode_operations ramfs_dir_inode_operations;

static struct inode *ramfs_get_dir(umode_t mode)
{
    struct inode *inode = new_inode(mode);

    if (inode) {
        inode->i_op = &ramfs_dir_inode_operations;
        inode->i_fop = &simple_dir_operations;
    }
    return inode;
}

static int ramfs_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
    struct inode *inode = ramfs_get_file(mode);

    (void)dir;
    if (!inode)
        return -ENOSPC;
    d_add(dentry, inode);
    return 0;
}

static int ramfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
    struct inode *inode = ramfs_get_dir(mode);

    if (!inode)
        return -ENOSPC;
    d_add(dentry, inode);
    dir->i_nlink++;
    return 0;
}

static int ramfs_get_link(struct inode *inode, char *buf)
{
    strscpy(buf, inode->i_private, PATH_MAX);
    return inode->i_size;
}

static void ramfs_evict_link(struct inode *inode)
{
    kfree(inode->i_private);
}

static const struct inode_operations ramfs_link_inode_operations = {
    .get_link = ramfs_get_link,
    .evict = ramfs_evict_link,
};

static int ramfs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
    size_t len = strlen(target);
    char *copy = kmemdup_nul(target, len);
    struct inode *inode = copy ? new_inode(S_IFLNK | 0777) : NULL;

    (void)dir;
    if (!inode) {
        kfree(copy);
        return -ENOSPC;
    }
    inode->i_private = copy;
    inode->i_size = len;
    inode->i_op = &ramfs_link_inode_operations;
    inode->i_fop = &simple_dir_operations; /* never opened */
    d_add(dentry, inode);
    return 0;
}

static const struct inode_operations ramfs_dir_inode_operations = {
    .create = ramfs_create,
    .mkdir = ramfs_mkdir,
    .symlink = ramfs_symlink,
    .link = simple_link,
    .unlink = simple_unlink,
    .rmdir = simple_rmdir,
    .rename = simple_rename,
};

int ramfs_fill_super(struct super_block *sb)
{
    return d_make_root(sb, ramfs_get_dir(S_IFDIR | sb->s_mode));
}

static struct file_system_type ramfs_fs_type = {
    .name = "ramfs",
    .fs_flags = FS_MODE_OPTION,
    .root_mode = 0755,
    .fill_super = ramfs_fill_super,
};

/* As in a Linux without CONFIG_SHMEM, tmpfs is a ramfs. */
static struct file_system_type tmpfs_fs_type = {
    .name = "tmpfs",
    .magic = 0x01021994,
    .fs_flags = FS_MODE_OPTION,
    .root_mode = 0755,
    .fill_super = ramfs_fill_super,
};

void ramfs_init(void)
{
    register_filesystem(&tmpfs_fs_type);
    register_filesystem(&ramfs_fs_type);
}
