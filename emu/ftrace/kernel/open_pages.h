/*
 * open_pages.h - finds pages of the kernel that can be executed, in the page tables of a hart: its
 * upper half of addresses.
 */
#ifndef FTRACE_OPEN_PAGES_H
#define FTRACE_OPEN_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct bus;

/* A mapping that can be executed, and is not the user's. */
struct open_page {
    uint64_t va, size;
    bool writable; /* too */
};

/* False: that was enough. */
typedef bool open_page_found(void *ctx, const struct open_page *page);

/*
 * Calls found() for each such mapping, in ascending order. `satp`: the register's value. False: not
 * all of the tables were read, as there are too many.
 */
bool open_pages_find(const struct bus *bus, uint64_t satp, open_page_found *found, void *ctx);

#endif
