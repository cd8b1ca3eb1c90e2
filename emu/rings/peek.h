/*
 * peek.h - the guest kernel's variables, read out of its memory from outside: symbols tell where
 * they are, debug information where their members are. The guest does not notice it.
 */
#ifndef RINGS_PEEK_H
#define RINGS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct cluster;
struct image;
struct lines;
struct symbols;

struct peek {
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    uint32_t reads;   /* so far: a guest whose lists have no end is not read for ever */
    bool bad;         /* something was not there: what was read since is zero */
    char missing[96]; /* what, if it is a symbol or a member */
};

/* A member of a struct; without a name, the size of the struct. */
struct peek_member {
    const char *structure, *member;
};

/* Finds where a member is: in the debug information, or in the BTF of an image. False: it is not
 * there. */
MUST_USE bool peek_has(const struct peek *p, const struct peek_member *member, uint64_t *at);

/* The same of some, which must be there. */
void peek_members(struct peek *p, const struct peek_member *members, size_t count, uint64_t *at);

/* The address of a symbol. */
uint64_t peek_symbol(struct peek *p, const char *name);

/* Memory at a kernel's address. False: it is not mapped to RAM; *to is zero then. */
bool peek_read(struct peek *p, uint64_t va, void *to, size_t size);

uint64_t peek_u64(struct peek *p, uint64_t va);
uint32_t peek_u32(struct peek *p, uint64_t va);

/* A string, from malloc; "" if there is none. */
char *peek_text(struct peek *p, uint64_t va);

#endif
