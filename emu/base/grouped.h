/*
 * grouped.h - numbers with digit grouping: 1234567 as "1,234,567".
 */
#ifndef BASE_GROUPED_H
#define BASE_GROUPED_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

enum { GROUPED_MAX = 32 };

static inline const char *grouped(char text[GROUPED_MAX], uint64_t n)
{
    char digits[24];
    unsigned len = (unsigned)snprintf(digits, sizeof digits, "%" PRIu64, n), out = 0;

    for (unsigned i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

#endif
