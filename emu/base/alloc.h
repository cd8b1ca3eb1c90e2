/*
 * alloc.h - memory for the emulator's own data. No caller could handle an
 * allocation failure, so these functions print a message and abort. Memory whose
 * size the user chooses (guest RAM) is allocated elsewhere.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size); /* zeroed */
void *xrealloc(void *old, size_t size);
/* Advice to the host: this memory is large and will all be used, so large pages save time. */
void alloc_is_large(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
