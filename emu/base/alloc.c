/*
 * alloc.c - see alloc.h.
 */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/new_file.h"

static void *checked(void *p)
{
    if (!p) {
        static const char words[] =
            "rvftrace: error: out of the host's memory; give the process more "
            "(ulimit -v), or a smaller --memory\n";

        (void)!write(STDERR_FILENO, words, sizeof words - 1);
        (void)new_files_remove();
        _exit(EXIT_INTERNAL);
    }
    return p;
}

void *xmalloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t size)
{
    return checked(realloc(old, size ? size : 1));
}

/* Asks for whole large pages only: other data may share the first and the last one. */
void alloc_is_large(void *p, size_t size)
{
    const uintptr_t large = (uintptr_t)2 << 20, from = ((uintptr_t)p + large - 1) / large * large,
                    end = ((uintptr_t)p + size) / large * large;

    if (from < end)
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE); /* an error does not matter */
}

char *xstrdup(const char *s)
{
    return checked(strdup(s));
}

char *xasprintf(const char *format, ...)
{
    va_list args;
    char *s = NULL;

    va_start(args, format);
    if (vasprintf(&s, format, args) < 0)
        s = NULL;
    va_end(args);
    return checked(s);
}
