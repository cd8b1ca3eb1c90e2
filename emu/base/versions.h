/*
 * versions.h - earlier versions of an array of pages (guest memory, a disk), which is kept
 * elsewhere and changes in place.
 *
 * Taking a version copies nothing. A page is copied before its first change after that, once,
 * and the copy is shared by all versions that need it. Any version can be restored at any time,
 * any number of times; restoring costs what differs. The other versions remain as they were.
 *
 * Versions form a tree. Each one is described by the pages in which it differs from the next one
 * on the way to the present contents; restoring a version turns that way round (H. Baker,
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
     * Saves or restores one page (base/state_io.h), also one that is not there yet or no longer.
     * False: it could not be read or written (a disk); the call-back reports the reason.
     */
    bool (*page_io)(void *ctx, uint64_t page, struct state_io *io);
};

struct version;
struct versions;

struct versions *versions_new(const struct page_store *store);
void versions_free(struct versions *v); /* and all versions; NULL is allowed */

/* The present contents become a version. */
struct version *versions_take(struct versions *v);
void version_free(struct versions *v, struct version *version);

/*
 * False: a page could not be read when it was to be kept, or cannot be written now. Then the
 * present contents are a mixture. Pages are restored in no particular order.
 */
MUST_USE bool versions_restore(struct versions *v, const struct version *version);

/* Whether there is any version: without one, nothing need be kept. */
bool versions_exist(const struct versions *v);

/* Must be called before a page changes. A caller may skip it for a page of this generation. */
void versions_keep(struct versions *v, uint64_t page);

/* Increases whenever pages must be kept anew: with each version taken or restored. From 1 on. */
uint32_t versions_generation(const struct versions *v);

/* Host memory for the copies that this version needs; shared ones are counted in each. */
size_t version_bytes(const struct version *version);
/* The same for all versions together, each copy once. */
size_t versions_bytes(const struct versions *v);

#endif
