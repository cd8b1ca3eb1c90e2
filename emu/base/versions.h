/*
 * versions.h - earlier versions of an array of pages (guest memory, a disk), which is stored
 * elsewhere and changes in place.
 *
 * Taking a version copies nothing. A page is copied once, before its first change after that,
 * and all versions that need the copy share it. Any version can be restored at any time, any
 * number of times; the cost depends on the differing pages. The other versions remain valid.
 *
 * Versions form a tree. Each one is described by the pages in which it differs from the next one
 * towards the present contents; restoring a version reverses these links (H. Baker,
 * "Shallow binding makes functional arrays fast", 1991).
 */
#ifndef BASE_VERSIONS_H
#define BASE_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct state_io;

/* The present contents, in pages of any kind and size. A page's number is less than UINT64_MAX. */
struct page_store {
    void *ctx;
    size_t page_bytes; /* about as many are saved of a page */
    /*
     * Saves or restores one page (base/state_io.h), also one that does not exist at present.
     * False: it could not be read or written (a disk); the callback reports the reason.
     */
    bool (*page_io)(void *ctx, uint64_t page, struct state_io *io);
};

struct version;
struct versions;

struct versions *versions_new(const struct page_store *store);
void versions_free(struct versions *v); /* and all versions; NULL is allowed */

/* Takes a version of the present contents. */
struct version *versions_take(struct versions *v);
void version_free(struct versions *v, struct version *version);

/*
 * Restores a version, its pages in no particular order. False: a page could not be read when it
 * had to be copied, or cannot be written now. Then the present contents are a mixture.
 */
MUST_USE bool versions_restore(struct versions *v, const struct version *version);

/* Whether there is any version. Without one, pages need not be kept. */
bool versions_exist(const struct versions *v);

/* Must be called before a page changes. A caller may skip it for a page of this generation. */
void versions_keep(struct versions *v, uint64_t page);

/* Increases when pages must be kept again: with each version taken or restored. From 1 on. */
uint32_t versions_generation(const struct versions *v);

/* Host memory for the copies that this version needs; shared ones are counted in each. */
size_t version_bytes(const struct version *version);
/* The same for all versions together, each copy once. */
size_t versions_bytes(const struct versions *v);

#endif
