/*
 * btf_text.h - descriptions of structs in the form of BTF.
 */
#ifndef TESTS_UNIT_BTF_TEXT_H
#define TESTS_UNIT_BTF_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct described {
    const char *name;
    uint32_t size;
    struct {
        const char *name;
        uint32_t at;
    } members[5];
};

struct btf_text {
    char names[512];
    uint32_t types[256];
    unsigned names_used, types_used;
};

static inline uint32_t put_name(struct btf_text *b, const char *name)
{
    uint32_t at = b->names_used;

    memcpy(b->names + at, name, strlen(name) + 1);
    b->names_used += (unsigned)strlen(name) + 1;
    return at;
}

static inline void put_word(struct btf_text *b, uint32_t word)
{
    b->types[b->types_used++] = word;
}

static inline void put_struct(struct btf_text *b, const struct described *d)
{
    uint32_t count = 0;

    while (count < 5 && d->members[count].name)
        count++;
    put_word(b, put_name(b, d->name));
    put_word(b, 4u << 24 | count);
    put_word(b, d->size);
    for (uint32_t i = 0; i < count; i++) {
        put_word(b, put_name(b, d->members[i].name));
        put_word(b, 1);
        put_word(b, d->members[i].at * 8);
    }
}

/* Puts BTF that describes an int and these structs. */
static inline void put_btf(uint8_t *at, const struct described *structs, size_t count)
{
    struct btf_text b = {.names_used = 1};
    uint32_t header[6] = {0x0001eb9f, 24, 0};

    for (unsigned i = 0; i < 4; i++) /* an int */
        put_word(&b, i == 1 ? 1u << 24 : i == 2 ? 4 : i == 3 ? 32 : 0);
    for (size_t i = 0; i < count; i++)
        put_struct(&b, &structs[i]);
    header[3] = header[4] = b.types_used * 4;
    header[5] = b.names_used;
    memcpy(at, header, sizeof header);
    memcpy(at + sizeof header, b.types, header[3]);
    memcpy(at + sizeof header + header[3], b.names, b.names_used);
}

#endif
