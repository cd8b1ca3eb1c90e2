/*
 * usercopy.c - the functions of uaccess.h: they check the range, arch/riscv/lib/uaccess.S
 * copies.
 */
#include <asm/processor.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>

unsigned long __asm_copy_to_user(void __user *to, const void *from, unsigned long n);
unsigned long __asm_copy_from_user(void *to, const void __user *from, unsigned long n);
unsigned long __clear_user(void __user *to, unsigned long n);

static bool access_ok(const void __user *addr, unsigned long size)
{
    return size <= TASK_SIZE && (unsigned long)addr <= TASK_SIZE - size;
}

unsigned long copy_to_user(void __user *to, const void *from, unsigned long n)
{
    return access_ok(to, n) ? __asm_copy_to_user(to, from, n) : n;
}

unsigned long copy_from_user(void *to, const void __user *from, unsigned long n)
{
    unsigned long left = access_ok(from, n) ? __asm_copy_from_user(to, from, n) : n;

    if (unlikely(left))
        memset((char *)to + n - left, 0, left);
    return left;
}

unsigned long clear_user(void __user *to, unsigned long n)
{
    return access_ok(to, n) ? __clear_user(to, n) : n;
}

/* Copies in pieces that do not cross a page, so that no byte after the NUL has to be accessible. */
long strncpy_from_user(char *dst, const char __user *src, long size)
{
    enum { PIECE = 64 };
    long done = 0;

    while (done < size) {
        long n = min(size - done, (long)(PIECE - (unsigned long)(src + done) % PIECE));
        size_t len;

        if (copy_from_user(dst + done, src + done, n))
            return -EFAULT;
        len = strnlen(dst + done, n);
        done += len;
        if (len < (size_t)n)
            return done;
    }
    return size;
}
