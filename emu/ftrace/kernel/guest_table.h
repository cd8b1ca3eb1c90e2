/*
 * guest_table.h - what a guest's tables name, checked before anything believes it.
 *
 * The tables of a kernel (sites, jump labels, symbols, areas of modules, programs of BPF, tasks)
 * are the guest's memory: a number in them can be anything. An address that comes from one of them
 * is asked for here first, so that what is kept is in RAM, does not wrap and has a size that can
 * be. What is kept can then be added up without a further check: the last page of the address space
 * is in no range.
 */
#ifndef FTRACE_GUEST_TABLE_H
#define FTRACE_GUEST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/hart.h"

/* Whether [va, va + size) can be a range: it is not empty, has at most `max` bytes, and does not
 * wrap. */
MUST_USE bool guest_range(uint64_t va, uint64_t size, uint64_t max);

/*
 * Finds what a table names: `size` bytes, at most a page, at `va` as the hart maps it for an
 * access. False: they are not mapped, or *pa to *pa + size is not RAM.
 */
MUST_USE bool guest_place(struct hart *h, uint64_t va, unsigned size, enum access access,
                          uint64_t *pa);

/* The same for code: the address is even, and there is an instruction at it. */
MUST_USE bool guest_code(struct hart *h, uint64_t va, uint64_t *pa);

/* Whether a place found by other means is RAM as a whole. */
MUST_USE bool guest_is_ram(struct hart *h, uint64_t pa, uint64_t size);

/* The number of entries of a table in [start, end). False: it is not one, or has too many. */
MUST_USE bool guest_entries(uint64_t start, uint64_t end, unsigned entry, uint64_t max,
                            uint64_t *count);

/* Reads the guest's memory as the hart maps it; false: not all of it is mapped to RAM. */
MUST_USE bool guest_read(struct hart *h, uint64_t va, void *to, size_t len);

#endif
