/* kernel.h - small arithmetic and the formatted printing of strings. */
#ifndef LINUX_KERNEL_H
#define LINUX_KERNEL_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <stdarg.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN(x, a)   (((x) + (a)-1) & ~((__typeof__(x))(a)-1))
#define min(a, b)     ((a) < (b) ? (a) : (b))
#define max(a, b)     ((a) > (b) ? (a) : (b))

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args);
int __printf(3, 4) snprintf(char *buf, size_t size, const char *fmt, ...);
/* Like snprintf, but answers what was stored rather than what was wanted. */
int __printf(3, 4) scnprintf(char *buf, size_t size, const char *fmt, ...);

/* 0, -EINVAL (not a number) or -ERANGE; one trailing newline is allowed. */
int __must_check kstrtoul(const char *s, unsigned int base, unsigned long *res);

/* At the start of whatever may sleep: it must not be called where that is forbidden. */
void __might_sleep(const char *file, int line);
#define might_sleep() __might_sleep(__FILE__, __LINE__)

_Noreturn void __printf(1, 2) panic(const char *fmt, ...);

#endif
