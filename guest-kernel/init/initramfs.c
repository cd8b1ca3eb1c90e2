/*
 * initramfs.c - cpio archives (newc) as the first contents of the root directory.
 *
 * The archive linked into the kernel is unpacked first, then the boot loader's, whose files
 * replace those of the same name. Directories, regular files and symbolic links are unpacked, other
 * file types are skipped. One memory area may hold several archives with zero bytes between them.
 */
#include <asm/page.h>
#include <asm/setup.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/initrd.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/of_fdt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Page-aligned in the image (vmlinux.lds), so that their pages can be freed. */
extern const char __initramfs_start[], __initramfs_end[];

enum { HEADER_SIZE = 110, MAGIC_SIZE = 6, FIELD_SIZE = 8, CPIO_ALIGN = 4 };

/* The header fields that are used, by index. */
enum { FIELD_MODE = 1, FIELD_FILESIZE = 6, FIELD_NAMESIZE = 11 };

struct archive {
    const char *start, *p, *end;
    const char *error; /* NULL: none yet */
};

struct entry {
    const char *name; /* ends with a NUL */
    const char *body;
    size_t size;
    umode_t mode;
};

static unsigned long header_field(const char *header, int field)
{
    char text[FIELD_SIZE + 1];
    unsigned long value;

    memcpy(text, header + MAGIC_SIZE + field * FIELD_SIZE, FIELD_SIZE);
    text[FIELD_SIZE] = 0;
    return kstrtoul(text, 16, &value) ? 0 : value;
}

/* Takes size bytes and the padding after them; NULL if fewer are left. */
static const char *take(struct archive *a, size_t size)
{
    const char *p = a->p;

    if ((size_t)(a->end - p) < size)
        return NULL;
    a->p +=
        min(ALIGN(p - a->start + size, (size_t)CPIO_ALIGN) - (p - a->start), (size_t)(a->end - p));
    return p;
}

static bool read_entry(struct archive *a, struct entry *e)
{
    const char *header = a->p, *name;
    size_t namesize;

    if (a->end - a->p < HEADER_SIZE || memcmp(header, "070701", MAGIC_SIZE)) {
        a->error = "no cpio magic";
        return false;
    }
    namesize = header_field(header, FIELD_NAMESIZE);
    name = take(a, HEADER_SIZE + namesize);
    e->mode = header_field(header, FIELD_MODE);
    e->size = header_field(header, FIELD_FILESIZE);
    e->body = name ? take(a, e->size) : NULL;
    if (!e->body || !namesize || name[HEADER_SIZE + namesize - 1]) {
        a->error = "broken header";
        return false;
    }
    e->name = name + HEADER_SIZE;
    return true;
}

static int write_file(const struct entry *e)
{
    struct file *file = filp_open(e->name, O_WRONLY | O_CREAT | O_TRUNC, e->mode);
    ssize_t n;

    if (IS_ERR(file))
        return PTR_ERR(file);
    n = file_write(file, e->body, e->size);
    filp_close(file);
    return n == (ssize_t)e->size ? 0 : n < 0 ? n : -ENOSPC;
}

/* The target is the contents, without a NUL. An existing name is replaced. */
static int make_link(const struct entry *e)
{
    char *target = kmemdup_nul(e->body, e->size);
    int err = target ? do_symlinkat(target, AT_FDCWD, e->name) : -ENOMEM;

    if (err == -EEXIST && !do_unlinkat(AT_FDCWD, e->name))
        err = do_symlinkat(target, AT_FDCWD, e->name);
    kfree(target);
    return err;
}

static void unpack_entry(struct archive *a, const struct entry *e)
{
    int err = 0;

    if (S_ISDIR(e->mode))
        err = do_mkdirat(AT_FDCWD, e->name, e->mode);
    else if (S_ISLNK(e->mode))
        err = make_link(e);
    else if (S_ISREG(e->mode))
        err = write_file(e);
    if (err && err != -EEXIST) {
        pr_err("initramfs: %s: %s\n", e->name, strerror(-err));
        a->error = "write error";
    }
}

static void unpack_to_rootfs(struct archive *a)
{
    struct entry e;

    while (a->p < a->end && !a->error) {
        if (!*a->p)
            a->p++;
        else if (read_entry(a, &e) && strcmp(e.name, "TRAILER!!!"))
            unpack_entry(a, &e);
    }
}

/* Unpacks the archives in the physical range [start, end), then frees its pages. */
static void unpack_area(unsigned long start, unsigned long end)
{
    struct archive a;

    if (start >= end)
        return;
    a = (struct archive){__va(start), __va(start), __va(end), NULL};
    unpack_to_rootfs(&a);
    if (a.error)
        pr_err("Initramfs unpacking failed: %s\n", a.error);
    free_reserved_area(start, end);
}

void populate_rootfs(void)
{
    unsigned long start = machine_info.initrd_start, end = machine_info.initrd_end;

    unpack_area(__pa(__initramfs_start), __pa(__initramfs_end));
    if (start >= end)
        return;
    unpack_area(start, end);
    pr_info("Freeing initrd memory: %luK\n", (end - start) / 1024);
}
