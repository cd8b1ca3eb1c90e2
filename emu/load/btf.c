/*
 * btf.c - see btf.h. Only little-endian BTF of version 1, the only one that there is.
 */
#include "load/btf.h"

#include <string.h>

/* The header: magic, version, flags, its own size; then where types and strings are, after it. */
enum { HEADER_BYTES = 24, TYPES_AT = 8, TYPES_SIZE_AT = 12, NAMES_AT = 16, NAMES_SIZE_AT = 20 };

/* BTF_KIND_: what follows the three words of a type is of this kind's size. */
enum kind {
    KIND_INT = 1,
    KIND_ARRAY = 3,
    KIND_STRUCT = 4,
    KIND_UNION = 5,
    KIND_ENUM = 6,
    KIND_FUNC_PROTO = 13,
    KIND_VAR = 14,
    KIND_DATASEC = 15,
    KIND_DECL_TAG = 17,
    KIND_ENUM64 = 19,
    KINDS = 20,
};

/* A type is name, info and size; then come its parts: for a struct the members. */
enum { TYPE_BYTES = 12, MEMBER_BYTES = 12 };

struct btf {
    const uint8_t *types, *names;
    uint32_t types_size, names_size;
};

static uint32_t word_at(const uint8_t *p)
{
    uint32_t w;

    memcpy(&w, p, sizeof w);
    return w;
}

/* Whether a header is there, with all that it describes in the file. */
static bool take_header(const uint8_t *at, size_t left, struct btf *b)
{
    uint64_t types, names;

    if (left < HEADER_BYTES)
        return false;
    types = (uint64_t)HEADER_BYTES + word_at(at + TYPES_AT);
    names = (uint64_t)HEADER_BYTES + word_at(at + NAMES_AT);
    b->types_size = word_at(at + TYPES_SIZE_AT);
    b->names_size = word_at(at + NAMES_SIZE_AT);
    if (types + b->types_size > left || names + b->names_size > left || !b->names_size ||
        at[names] || at[names + b->names_size - 1])
        return false;
    b->types = at + types;
    b->names = at + names;
    return true;
}

static bool find_btf(const uint8_t *file, size_t size, struct btf *b)
{
    static const uint8_t magic[] = {0x9f, 0xeb, 1, 0, HEADER_BYTES, 0, 0, 0};
    const uint8_t *at = file, *end = file + size;

    /* memmem takes ten instructions a byte, which is much for a vmlinux that has none. */
    while (end - at >= HEADER_BYTES && (at = memchr(at, magic[0], (size_t)(end - at)))) {
        if (end - at >= HEADER_BYTES && !memcmp(at, magic, sizeof magic) &&
            take_header(at, (size_t)(end - at), b))
            return true;
        at++;
    }
    return false;
}

static bool is_named(const struct btf *b, uint32_t name, const char *wanted)
{
    return name < b->names_size && !strcmp((const char *)b->names + name, wanted);
}

/* The bytes after the three words of a type with `parts` parts; false: an unknown kind. */
static bool rest_of(unsigned kind, uint32_t parts, uint64_t *bytes)
{
    static const uint8_t fixed[KINDS] = {
        [KIND_INT] = 4, [KIND_ARRAY] = 12, [KIND_VAR] = 4, [KIND_DECL_TAG] = 4};
    static const uint8_t each[KINDS] = {
        [KIND_STRUCT] = MEMBER_BYTES, [KIND_UNION] = MEMBER_BYTES, [KIND_ENUM] = 8,
        [KIND_FUNC_PROTO] = 8,        [KIND_DATASEC] = 12,         [KIND_ENUM64] = 12};

    if (!kind || kind >= KINDS)
        return false;
    *bytes = fixed[kind] + (uint64_t)each[kind] * parts;
    return true;
}

/*
 * The three words of the type with the number, from 1; number 0: of the struct with the name. NULL:
 * there is none, or the BTF is damaged.
 */
static const uint8_t *find_type(const struct btf *b, uint32_t number, const char *structure)
{
    uint64_t rest;
    uint32_t n = 1;

    for (uint64_t at = 0; at + TYPE_BYTES <= b->types_size; at += TYPE_BYTES + rest, n++) {
        const uint8_t *type = b->types + at;
        uint32_t info = word_at(type + 4);
        unsigned kind = info >> 24 & 0x1f;

        if (!rest_of(kind, info & 0xffff, &rest) || rest > b->types_size - at - TYPE_BYTES)
            return NULL;
        if (number ? n == number : kind == KIND_STRUCT && is_named(b, word_at(type), structure))
            return type;
    }
    return NULL;
}

static bool has_members(const uint8_t *type)
{
    unsigned kind = word_at(type + 4) >> 24 & 0x1f;

    return kind == KIND_STRUCT || kind == KIND_UNION;
}

/* The most nested structs and unions without a name; and the most that are searched for a member.
 */
enum { NESTED_MAX = 4, LOOKS_MAX = 64 };

/* Finds a member. With the struct's flag, the upper byte of its offset is the size of a bit field.
 */
static bool find_member(const struct btf *b, const uint8_t *type, const char *member,
                        unsigned nested, unsigned *looks, uint64_t *offset)
{
    uint32_t info = word_at(type + 4);

    for (uint32_t i = 0; i < (info & 0xffff); i++) {
        const uint8_t *m = type + TYPE_BYTES + (size_t)MEMBER_BYTES * i, *inner;
        uint32_t bits = word_at(m + 8) & (info >> 31 ? 0xffffff : UINT32_MAX);

        if (is_named(b, word_at(m), member)) {
            *offset = bits / 8;
            return true;
        }
        if (!is_named(b, word_at(m), "") || nested == NESTED_MAX || !word_at(m + 4) ||
            ++*looks > LOOKS_MAX)
            continue;
        inner = find_type(b, word_at(m + 4), NULL);
        if (inner && has_members(inner) &&
            find_member(b, inner, member, nested + 1, looks, offset)) {
            *offset += bits / 8;
            return true;
        }
    }
    return false;
}

bool btf_member(const uint8_t *file, size_t size, const char *structure, const char *member,
                uint64_t *offset)
{
    struct btf b;
    const uint8_t *type = find_btf(file, size, &b) ? find_type(&b, 0, structure) : NULL;
    unsigned looks = 0;

    return type && find_member(&b, type, member, 0, &looks, offset);
}

bool btf_struct_size(const uint8_t *file, size_t size, const char *structure, uint64_t *bytes)
{
    struct btf b;
    const uint8_t *type = find_btf(file, size, &b) ? find_type(&b, 0, structure) : NULL;

    if (type)
        *bytes = word_at(type + 8);
    return type != NULL;
}
