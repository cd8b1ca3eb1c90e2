/*
 * alloc.h - memory for our own small needs. Running out of it is not an error
 * that any caller could mend, so these say so and abort; what the user sizes
 * (guest RAM) does not come from here.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size); /* zeroed */
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
