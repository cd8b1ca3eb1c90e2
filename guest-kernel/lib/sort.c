/* sort.c - heapsort: allocates no memory, and is O(n log n) for every input. */
#include <linux/sort.h>

static void swap_bytes(char *a, char *b, size_t n)
{
    while (n--) {
        char c = *a;

        *a++ = *b;
        *b++ = c;
    }
}

/* Restores the heap order at i; all elements after i are in heap order already. */
static void sift_down(char *base, size_t i, size_t num, size_t size, cmp_func_t cmp_func)
{
    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= num)
            return;
        if (child + 1 < num && cmp_func(base + child * size, base + (child + 1) * size) < 0)
            child++;
        if (cmp_func(base + i * size, base + child * size) >= 0)
            return;
        swap_bytes(base + i * size, base + child * size, size);
        i = child;
    }
}

void sort(void *base, size_t num, size_t size, cmp_func_t cmp_func)
{
    size_t i;

    for (i = num / 2; i--;)
        sift_down(base, i, num, size, cmp_func);
    for (i = num; i-- > 1;) {
        swap_bytes(base, (char *)base + i * size, size);
        sift_down(base, 0, i, size, cmp_func);
    }
}
