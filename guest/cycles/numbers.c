/* numbers.c - workloads on arrays of integers. */
#include "cycles.h"

enum { SORTED = 700, SMALL = 12, SIEVED = 6000, QUEENS = 7, EDGE = 16 };

static void insertion_sort(uint32_t *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t one = v[i];
        size_t at = i;

        for (; at > 0 && v[at - 1] > one; at--)
            v[at] = v[at - 1];
        v[at] = one;
    }
}

static size_t partition(uint32_t *v, size_t n)
{
    uint32_t pivot = v[n / 2];
    size_t low = 0, high = n - 1;

    for (;;) {
        while (v[low] < pivot)
            low++;
        while (v[high] > pivot)
            high--;
        if (low >= high)
            return high + 1;
        uint32_t kept = v[low];
        v[low++] = v[high];
        v[high--] = kept;
    }
}

static void quick_sort(uint32_t *v, size_t n)
{
    while (n > SMALL) {
        size_t left = partition(v, n);

        quick_sort(v, left);
        v += left;
        n -= left;
    }
    insertion_sort(v, n);
}

uint64_t sort_run(void)
{
    uint32_t *v = (uint32_t *)(void *)arena;
    uint64_t state = 88172645463325252, sum = 0;

    for (size_t i = 0; i < SORTED; i++)
        v[i] = (uint32_t)(next_random(&state) >> 20);
    quick_sort(v, SORTED);
    for (size_t i = 1; i < SORTED; i++)
        sum += v[i - 1] <= v[i];
    return sum;
}

uint64_t sieve_run(void)
{
    uint64_t count = 0;

    for (size_t i = 0; i < SIEVED; i++)
        arena[i] = 1;
    for (size_t i = 2; i < SIEVED; i++) {
        if (!arena[i])
            continue;
        count++;
        for (size_t at = i * i; at < SIEVED; at += i)
            arena[at] = 0;
    }
    return count;
}

static __attribute__((noinline)) uint64_t place(unsigned row, unsigned columns, unsigned left,
                                                unsigned right)
{
    uint64_t count = 0;

    if (row == QUEENS)
        return 1;
    for (unsigned open = ~(columns | left | right) & ((1u << QUEENS) - 1); open; open &= open - 1) {
        unsigned bit = open & -open;

        count += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

uint64_t queens_run(void)
{
    return place(0, 0, 0, 0);
}

uint64_t matrix_run(void)
{
    int32_t(*a)[EDGE] = (void *)arena, (*b)[EDGE] = a + EDGE, (*c)[EDGE] = b + EDGE;
    uint64_t sum = 0;

    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            a[i][j] = i * 7 + j;
            b[i][j] = j * 5 - i;
        }
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            int32_t dot = 0;

            for (int k = 0; k < EDGE; k++)
                dot += a[i][k] * b[k][j];
            c[i][j] = dot;
        }
    for (int i = 0; i < EDGE; i++)
        sum += (uint64_t)c[i][EDGE - 1 - i];
    return sum;
}
