/* string.c - memory and strings. */
#include "../libc.h"

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (unsigned char)*a - (unsigned char)*b;
}

void *memcpy(void *dst, const void *src, size_t n)
{
    char *to = dst;
    const char *from = src;

    while (n--)
        *to++ = *from++;
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    char *to = dst;

    while (n--)
        *to++ = c;
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

unsigned long strtoul(const char *s)
{
    unsigned long n = 0;

    for (; *s >= '0' && *s <= '9'; s++)
        n = n * 10 + (*s - '0');
    return n;
}
