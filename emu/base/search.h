/*
 * search.h - the binary search.
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/*
 * The number of indices i below `count' for which the condition holds. It must hold for the first
 * ones and for none after them, as `list[i].address <= address' in a list that is sorted by
 * address.
 */
#define PARTITION_POINT(i, count, condition)            \
    ({                                                  \
        size_t low_ = 0, high_ = (count);               \
                                                        \
        while (low_ < high_) {                          \
            const size_t i = low_ + (high_ - low_) / 2; \
                                                        \
            if (condition)                              \
                low_ = i + 1;                           \
            else                                        \
                high_ = i;                              \
        }                                               \
        low_;                                           \
    })

#endif
