/*
 * uaccess.h - access to user memory.
 *
 * A pointer to user memory is marked __user and must not be dereferenced. Any address may be
 * invalid, and access may sleep. The copy functions return the number of bytes that could not be
 * copied.
 */
#ifndef LINUX_UACCESS_H
#define LINUX_UACCESS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

unsigned long __must_check copy_to_user(void __user *to, const void *from, unsigned long n);
/* Bytes that could not be copied are set to zero. */
unsigned long __must_check copy_from_user(void *to, const void __user *from, unsigned long n);
unsigned long __must_check clear_user(void __user *to, unsigned long n);
/* Returns the length without the NUL, size if there is no NUL in size bytes, or -EFAULT. */
long strncpy_from_user(char *dst, const char __user *src, long size);

#define put_user(x, ptr)                                                 \
    ({                                                                   \
        __typeof__(*(ptr)) user_value_ = (x);                            \
        copy_to_user((ptr), &user_value_, sizeof(*(ptr))) ? -EFAULT : 0; \
    })
#define get_user(x, ptr) (copy_from_user(&(x), (ptr), sizeof(*(ptr))) ? -EFAULT : 0)

#endif
