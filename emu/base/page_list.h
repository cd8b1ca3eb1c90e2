/*
 * page_list.h - where pages of 4 KiB are in the host's memory: contents that are saved and restored
 * apart from the other state, because there is much of them (base/state_io.h).
 */
#ifndef BASE_PAGE_LIST_H
#define BASE_PAGE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"

enum { LISTED_PAGE_BYTES = 4096 };

struct page_list {
    VEC_OF(uint8_t *) pages;
};

static inline bool page_is_zero(const uint8_t *page)
{
    return !page[0] && !memcmp(page, page + 1, LISTED_PAGE_BYTES - 1);
}

#endif
