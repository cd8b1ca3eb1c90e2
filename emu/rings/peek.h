/*
 * peek.h - reads the guest kernel's variables in its memory, from outside: by the addresses of
 * symbols, and by debug information for the offsets of members. The guest does not notice it.
 */
#ifndef RINGS_PEEK_H
#define RINGS_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/map.h"

struct cluster;
struct image;
struct lines;
struct symbols;

/* A member of a struct; without a name, the size of the struct. */
struct peek_member {
    const char *structure, *member;
};

/* The offsets of a group of members, looked up once. */
enum { PEEK_OFFSETS = 8, PEEK_MEMBERS = 20 };
struct peek_offsets {
    const struct peek_member *of;
    size_t count;
    uint64_t at[PEEK_MEMBERS];
};

struct peek {
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    uint64_t reads;   /* number of reads so far, limited because a guest's lists may be endless */
    struct map pages; /* of the rings, that were read: addresses */
    struct peek_offsets known[PEEK_OFFSETS]; /* of the groups of members that were asked for */
    size_t known_count;
    bool bad;          /* something was missing: all values read since are zero */
    char missing[96];  /* the missing symbol or member, if it was one */
    const char *wrong; /* what is wrong in the guest's memory, if that is known; else NULL */
};

/*
 * Finds the offset of a member in the debug information, or in the BTF of an image. False: there is
 * no such member.
 */
MUST_USE bool peek_has(const struct peek *p, const struct peek_member *member, uint64_t *at);

/* The same for several members, which must exist; `members' is static. */
void peek_members(struct peek *p, const struct peek_member *members, size_t count, uint64_t *at);

/* Notes what is wrong with the guest's memory, in words; only the first time. All reads fail then.
 */
void peek_refuse(struct peek *p, const char *why);

/* The address of a symbol. */
uint64_t peek_symbol(struct peek *p, const char *name);

/* Reads memory at a kernel's address. False: it is not mapped to RAM; *to is zero then. */
bool peek_read(struct peek *p, uint64_t va, void *to, size_t size);

/* Before a page of a ring is read. False: it was read before, so a list leads back to itself. */
MUST_USE bool peek_page_once(struct peek *p, uint64_t va);

void peek_end(struct peek *p); /* frees what it keeps */

uint64_t peek_u64(struct peek *p, uint64_t va);
uint32_t peek_u32(struct peek *p, uint64_t va);

/* Reads a string, which the caller frees; "" if there is none. */
char *peek_text(struct peek *p, uint64_t va);

#endif
