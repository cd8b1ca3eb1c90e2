/*
 * uaccess.h - memory of the program that made the system call.
 *
 * A pointer into U-mode's half is marked __user: it is not to be followed but by these.
 * Any address may be bad, and touching it may sleep.  The copies answer how
 * many bytes they could not copy.
 */
#ifndef LINUX_UACCESS_H
#define LINUX_UACCESS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

unsigned long __must_check copy_to_user(void __user *to, const void *from, unsigned long n);
/* What could not be copied is zero. */
unsigned long __must_check copy_from_user(void *to, const void __user *from, unsigned long n);
unsigned long __must_check clear_user(void __user *to, unsigned long n);
/* Length without the end, size if there was none in that many bytes; or -EFAULT. */
long strncpy_from_user(char *dst, const char __user *src, long size);

#define put_user(x, ptr)                                                 \
    ({                                                                   \
        __typeof__(*(ptr)) user_value_ = (x);                            \
        copy_to_user((ptr), &user_value_, sizeof(*(ptr))) ? -EFAULT : 0; \
    })
#define get_user(x, ptr) (copy_from_user(&(x), (ptr), sizeof(*(ptr))) ? -EFAULT : 0)

#endif
