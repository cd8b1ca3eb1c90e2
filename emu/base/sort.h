/*
 * sort.h - qsort for arrays that are mostly in order already.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/* As qsort, which copies an array even if nothing is to be done. */
void sort_unless_sorted(void *at, size_t count, size_t size,
                        int (*compare)(const void *a, const void *b));

#endif
