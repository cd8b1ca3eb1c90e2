/*
 * btf_priv.h - the layout of BTF, for the files that read it. Only little-endian BTF of version 1,
 * the only one that there is.
 */
#ifndef LOAD_BTF_PRIV_H
#define LOAD_BTF_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

enum btf_kind {
    BTF_INT = 1,
    BTF_POINTER,
    BTF_ARRAY,
    BTF_STRUCT,
    BTF_UNION,
    BTF_ENUM,
    BTF_FORWARD,
    BTF_TYPEDEF,
    BTF_VOLATILE,
    BTF_CONST,
    BTF_RESTRICT,
    BTF_FUNC,
    BTF_FUNC_PROTO,
    BTF_VAR,
    BTF_DATASEC,
    BTF_FLOAT,
    BTF_DECL_TAG,
    BTF_TYPE_TAG,
    BTF_ENUM64,
    BTF_KINDS,
};

/* A type is name, info and size or another type; then come its parts: for a struct the members. */
enum { BTF_TYPE_BYTES = 12, BTF_MEMBER_BYTES = 12 };

/* Types have numbers from 1, in order. */
struct btf {
    const uint8_t *types, *names;
    uint32_t types_size, names_size;
};

static inline uint32_t btf_word(const uint8_t *p)
{
    uint32_t w;

    memcpy(&w, p, sizeof w);
    return w;
}

/* The parts of the second word of a type. */
static inline unsigned btf_kind(const uint8_t *type)
{
    return btf_word(type + 4) >> 24 & 0x1f;
}
static inline uint32_t btf_parts(const uint8_t *type)
{
    return btf_word(type + 4) & 0xffff;
}

/* Finds the BTF in a file. False: there is none. */
MUST_USE bool btf_find(const uint8_t *file, size_t size, struct btf *b);

/* Where in the file it begins; `size`: there is none. */
size_t btf_header_at(const uint8_t *file, size_t size);

/* The bytes after the three words of a type with `parts` parts; false: an unknown kind. */
MUST_USE bool btf_rest(unsigned kind, uint32_t parts, uint64_t *bytes);

#endif
