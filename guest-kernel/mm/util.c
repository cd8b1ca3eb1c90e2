/* util.c - copies of strings in allocated memory. */
#include <linux/slab.h>
#include <linux/string.h>

char *kmemdup_nul(const char *s, size_t len)
{
    char *copy = kmalloc(len + 1);

    if (copy) {
        memcpy(copy, s, len);
        copy[len] = 0;
    }
    return copy;
}

char *kstrdup(const char *s)
{
    return kmemdup_nul(s, strlen(s));
}
