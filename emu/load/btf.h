/*
 * btf.h - Linux's own description of its types, BTF (Documentation/bpf/btf.rst): as far as the
 * members of its structs are needed.
 *
 * A kernel that has it keeps it in its memory, so it is also in a raw Image, which has no DWARF. It
 * is found by its header.
 */
#ifndef LOAD_BTF_H
#define LOAD_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/*
 * The offset in bytes of a member of a struct, from the BTF somewhere in a file. False: there is
 * none, it is damaged, or it does not have that member.
 */
MUST_USE bool btf_member(const uint8_t *file, size_t size, const char *structure,
                         const char *member, uint64_t *offset);

/* The size of a struct in bytes, as sizeof has it. False: as above. */
MUST_USE bool btf_struct_size(const uint8_t *file, size_t size, const char *structure,
                              uint64_t *bytes);

#endif
