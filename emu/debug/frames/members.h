/*
 * members.h - where the guest's kernel has the members of its structs.
 */
#ifndef DEBUG_MEMBERS_H
#define DEBUG_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct guest;
struct members;

/* The answers that were found until now; struct guest has a pointer to them. */
struct members *members_new(void);
void members_free(struct members *m);

/*
 * Find the offset of a member of a struct of the guest's kernel, and the size of such a struct, by
 * the kernel's debug information or its BTF. False: unknown. The names must live as long as the
 * guest.
 */
MUST_USE bool member_find(const struct guest *g, const char *structure, const char *member,
                          uint64_t *offset);
MUST_USE bool struct_size(const struct guest *g, const char *structure, uint64_t *size);

#endif
