/*
 * btf.c - see btf.h. Only little-endian BTF of version 1, the only one that there is.
 */
#include "load/btf.h"

#include <string.h>

#include "load/btf_priv.h"

/* The header: magic, version, flags, its own size; then where types and strings are, after it. */
enum { HEADER_BYTES = 24, TYPES_AT = 8, TYPES_SIZE_AT = 12, NAMES_AT = 16, NAMES_SIZE_AT = 20 };

/* Whether a header is there, with all that it describes in the file. */
static bool take_header(const uint8_t *at, size_t left, struct btf *b)
{
    uint64_t types, names;

    if (left < HEADER_BYTES)
        return false;
    types = (uint64_t)HEADER_BYTES + btf_word(at + TYPES_AT);
    names = (uint64_t)HEADER_BYTES + btf_word(at + NAMES_AT);
    b->types_size = btf_word(at + TYPES_SIZE_AT);
    b->names_size = btf_word(at + NAMES_SIZE_AT);
    if (types + b->types_size > left || names + b->names_size > left || !b->names_size ||
        at[names] || at[names + b->names_size - 1])
        return false;
    b->types = at + types;
    b->names = at + names;
    return true;
}

/* The header of a BTF; NULL: there is none. */
static const uint8_t *find_header(const uint8_t *file, size_t size, struct btf *b)
{
    static const uint8_t magic[] = {0x9f, 0xeb, 1, 0, HEADER_BYTES, 0, 0, 0};
    const uint8_t *at = file, *end = file + size;

    /* memmem takes ten instructions a byte, which is much for a vmlinux that has none. */
    while (end - at >= HEADER_BYTES && (at = memchr(at, magic[0], (size_t)(end - at)))) {
        if (end - at >= HEADER_BYTES && !memcmp(at, magic, sizeof magic) &&
            take_header(at, (size_t)(end - at), b))
            return at;
        at++;
    }
    return NULL;
}

bool btf_find(const uint8_t *file, size_t size, struct btf *b)
{
    return find_header(file, size, b) != NULL;
}

size_t btf_header_at(const uint8_t *file, size_t size)
{
    struct btf b;
    const uint8_t *header = find_header(file, size, &b);

    return header ? (size_t)(header - file) : size;
}

static bool is_named(const struct btf *b, uint32_t name, const char *wanted)
{
    return name < b->names_size && !strcmp((const char *)b->names + name, wanted);
}

bool btf_rest(unsigned kind, uint32_t parts, uint64_t *bytes)
{
    static const uint8_t fixed[BTF_KINDS] = {
        [BTF_INT] = 4, [BTF_ARRAY] = 12, [BTF_VAR] = 4, [BTF_DECL_TAG] = 4};
    static const uint8_t each[BTF_KINDS] = {[BTF_STRUCT] = BTF_MEMBER_BYTES,
                                            [BTF_UNION] = BTF_MEMBER_BYTES,
                                            [BTF_ENUM] = 8,
                                            [BTF_FUNC_PROTO] = 8,
                                            [BTF_DATASEC] = 12,
                                            [BTF_ENUM64] = 12};

    if (!kind || kind >= BTF_KINDS)
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

    for (uint64_t at = 0; at + BTF_TYPE_BYTES <= b->types_size; at += BTF_TYPE_BYTES + rest, n++) {
        const uint8_t *type = b->types + at;
        uint32_t info = btf_word(type + 4);
        unsigned kind = info >> 24 & 0x1f;

        if (!btf_rest(kind, info & 0xffff, &rest) || rest > b->types_size - at - BTF_TYPE_BYTES)
            return NULL;
        if (number ? n == number : kind == BTF_STRUCT && is_named(b, btf_word(type), structure))
            return type;
    }
    return NULL;
}

static bool has_members(const uint8_t *type)
{
    unsigned kind = btf_word(type + 4) >> 24 & 0x1f;

    return kind == BTF_STRUCT || kind == BTF_UNION;
}

/* The most nested structs and unions without a name; and the most that are searched for a member.
 */
enum { NESTED_MAX = 4, LOOKS_MAX = 64 };

/* Finds a member. With the struct's flag, the upper byte of its offset is the size of a bit field.
 */
static bool find_member(const struct btf *b, const uint8_t *type, const char *member,
                        unsigned nested, unsigned *looks, uint64_t *offset)
{
    uint32_t info = btf_word(type + 4);

    for (uint32_t i = 0; i < (info & 0xffff); i++) {
        const uint8_t *m = type + BTF_TYPE_BYTES + (size_t)BTF_MEMBER_BYTES * i, *inner;
        uint32_t bits = btf_word(m + 8) & (info >> 31 ? 0xffffff : UINT32_MAX);

        if (is_named(b, btf_word(m), member)) {
            *offset = bits / 8;
            return true;
        }
        if (!is_named(b, btf_word(m), "") || nested == NESTED_MAX || !btf_word(m + 4) ||
            ++*looks > LOOKS_MAX)
            continue;
        inner = find_type(b, btf_word(m + 4), NULL);
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
    const uint8_t *type = btf_find(file, size, &b) ? find_type(&b, 0, structure) : NULL;
    unsigned looks = 0;

    return type && find_member(&b, type, member, 0, &looks, offset);
}

bool btf_struct_size(const uint8_t *file, size_t size, const char *structure, uint64_t *bytes)
{
    struct btf b;
    const uint8_t *type = btf_find(file, size, &b) ? find_type(&b, 0, structure) : NULL;

    if (type)
        *bytes = btf_word(type + 8);
    return type != NULL;
}
