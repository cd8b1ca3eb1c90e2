/* syscalls.c - init_module, finit_module and delete_module. */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* The size of the largest kmalloc(). */
#define MODULE_MAX_BYTES (PAGE_SIZE << (MAX_ORDER - 1))

/* Loads the module with the parameters in the user string uargs. */
static int load_with_args(const void *image, size_t len, const char __user *uargs)
{
    char *args = kmalloc(PAGE_SIZE);
    long n = args ? strncpy_from_user(args, uargs, PAGE_SIZE) : -ENOMEM;
    int err = n < 0 ? n : n >= (long)PAGE_SIZE ? -EINVAL : load_module(image, len, args);

    kfree(args);
    return err;
}

SYSCALL_DEFINE3(init_module, void __user *, umod, unsigned long, len, const char __user *, uargs)
{
    void *image;
    int err;

    if (!len)
        return -ENOEXEC;
    if (len > MODULE_MAX_BYTES)
        return -ENOMEM;
    image = kmalloc(len);
    if (!image)
        return -ENOMEM;
    err = copy_from_user(image, umod, len) ? -EFAULT : load_with_args(image, len, uargs);
    kfree(image);
    return err;
}

SYSCALL_DEFINE3(finit_module, int, fd, const char __user *, uargs, int, flags)
{
    struct file *file = fget(fd);
    void *image = NULL;
    size_t len = 0;
    int err;

    if (!file)
        return -EBADF;
    err = flags ? -EINVAL : kernel_read_file(file, &image, &len);
    if (!err)
        err = load_with_args(image, len, uargs);
    kfree(image);
    fput(file);
    return err;
}

/* Flags are ignored; as with O_NONBLOCK, a module in use is refused with -EWOULDBLOCK. */
SYSCALL_DEFINE2(delete_module, const char __user *, name_user, unsigned int, flags)
{
    char name[MODULE_NAME_LEN];
    long n = strncpy_from_user(name, name_user, sizeof(name));

    (void)flags;
    if (n < 0)
        return n;
    return n >= (long)sizeof(name) ? -ENOENT : delete_module(name);
}
