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

/* The letters to insert, remove or replace, row by row of the table of beginnings. */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned row[LENGTH_MAX + 1];

    for (unsigned j = 0; j <= b_len; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a_len; i++) {
        unsigned corner = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= b_len; j++) {
            unsigned replaced = corner + (a[i - 1] != b[j - 1]);

            corner = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, replaced);
        }
    }
    return row[b_len];
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
