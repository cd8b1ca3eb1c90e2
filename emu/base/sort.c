/*
 * sort.c - see sort.h.
 */
#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>

void sort_unless_sorted(void *at, size_t count, size_t size,
                        int (*compare)(const void *a, const void *b))
{
    const uint8_t *item = at;

    for (size_t i = 1; i < count; i++, item += size)
        if (compare(item, item + size) > 0) {
            qsort(at, count, size, compare);
            return;
        }
}
