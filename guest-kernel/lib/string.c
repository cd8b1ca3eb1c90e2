/*
 * string.c - memory and string functions.
 *
 * Not instrumented, since tracers and the code that patches sites use them. Compiled so that
 * GCC does not replace a loop here by a call of the same function.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/string.h>

#define BOTH_ALIGNED(a, b) ((((unsigned long)(a) | (unsigned long)(b)) & 7) == 0)

void *memcpy(void *dst, const void *src, size_t n)
{
    char *d = dst;
    const char *s = src;

    if (BOTH_ALIGNED(d, s))
        for (; n >= 8; n -= 8, d += 8, s += 8)
            *(unsigned long *)d = *(const unsigned long *)s;
    while (n--)
        *d++ = *s++;
    return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
    char *d = dst;
    const char *s = src;

    if (d <= s || d >= s + n)
        return memcpy(dst, src, n);
    while (n--)
        d[n] = s[n];
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    char *d = dst;
    unsigned long pattern = (unsigned char)c * 0x0101010101010101UL;

    for (; n && ((unsigned long)d & 7); n--)
        *d++ = c;
    for (; n >= 32; n -= 32, d += 32) {
        ((unsigned long *)d)[0] = pattern;
        ((unsigned long *)d)[1] = pattern;
        ((unsigned long *)d)[2] = pattern;
        ((unsigned long *)d)[3] = pattern;
    }
    while (n--)
        *d++ = c;
    return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

size_t strnlen(const char *s, size_t max)
{
    size_t n = 0;

    while (n < max && s[n])
        n++;
    return n;
}

size_t strlen(const char *s)
{
    return strnlen(s, (size_t)-1);
}
EXPORT_SYMBOL(strlen);

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++)
        if (*a != *b || !*a)
            return (unsigned char)*a - (unsigned char)*b;
    return 0;
}
EXPORT_SYMBOL(strncmp);

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, (size_t)-1);
}
EXPORT_SYMBOL(strcmp);

char *strchr(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (!*s)
            return NULL;
    return (char *)s;
}
EXPORT_SYMBOL(strchr);

char *strrchr(const char *s, int c)
{
    const char *last = NULL;

    do
        if (*s == (char)c)
            last = s;
    while (*s++);
    return (char *)last;
}

char *strstr(const char *s, const char *sub)
{
    size_t len = strlen(sub);

    for (; strncmp(s, sub, len); s++)
        if (!*s)
            return NULL;
    return (char *)s;
}

ssize_t strscpy(char *dst, const char *src, size_t size)
{
    size_t n = strnlen(src, size);

    if (!size)
        return -E2BIG;
    memcpy(dst, src, n < size ? n : size - 1);
    dst[n < size ? n : size - 1] = 0;
    return n < size ? (ssize_t)n : -E2BIG;
}
EXPORT_SYMBOL(strscpy);

char *strsep(char **s, const char *delim)
{
    char *field = *s, *p;

    if (!field)
        return NULL;
    for (p = field; *p && !strchr(delim, *p); p++)
        ;
    *s = *p ? p + 1 : NULL;
    *p = 0;
    return field;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char *strstrip(char *s)
{
    size_t n;

    while (is_space(*s))
        s++;
    for (n = strlen(s); n && is_space(s[n - 1]); n--)
        s[n - 1] = 0;
    return s;
}
