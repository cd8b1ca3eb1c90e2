/* sort.h - sorting of arrays, in place. */
#ifndef LINUX_SORT_H
#define LINUX_SORT_H

#include <linux/types.h>

typedef int (*cmp_func_t)(const void *a, const void *b);

void sort(void *base, size_t num, size_t size, cmp_func_t cmp_func);

#endif
