/*
 * kernel_members.h - where the kernel's structs have their members: by its debug information
 * (DWARF), or by the BTF that is part of it.
 */
#ifndef FTRACE_KERNEL_MEMBERS_H
#define FTRACE_KERNEL_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct image;
struct lines;

/* The offset of a member in bytes. False: it is not known, or there is none. */
MUST_USE bool kernel_member(const struct image *im, struct lines *lines, const char *structure,
                            const char *member, uint64_t *offset);

/* The size of a struct in bytes. False: it is not known. */
MUST_USE bool kernel_struct_size(const struct image *im, struct lines *lines, const char *structure,
                                 uint64_t *bytes);

#endif
