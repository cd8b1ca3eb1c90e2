/*
 * nearest.c - see nearest.h.
 */
#include "base/nearest.h"

#include <string.h>

enum { LENGTH_MAX = 63 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/*
 * How many letters to insert, remove, replace, or exchange with the next one. A row of the table
 * has the distances of one beginning of `a' to each beginning of `b', and needs only the two before
 * it.
 */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned rows[3][LENGTH_MAX + 1];

    for (unsigned j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_len; i++) {
        const unsigned *before = rows[(i + 1) % 3], *above = rows[(i - 1) % 3];
        unsigned *row = rows[i % 3];

        row[0] = i;
        for (unsigned j = 1; j <= b_len; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = row[j] < before[j - 2] + 1 ? row[j] : before[j - 2] + 1;
        }
    }
    return rows[a_len % 3][b_len];
}

void nearest_offer(struct nearest *n, const char *name)
{
    size_t wrong = strlen(n->wrong), len = strlen(name);
    unsigned most = n->found ? n->distance - 1 : (unsigned)(wrong + 2) / 3, d;

    if (wrong > LENGTH_MAX || len > LENGTH_MAX || (wrong > len ? wrong - len : len - wrong) > most)
        return;
    d = distance(n->wrong, wrong, name, len);
    if (d > most || d >= wrong)
        return;
    n->found = name;
    n->distance = d;
}
