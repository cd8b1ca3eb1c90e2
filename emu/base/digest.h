/*
 * digest.h - a 64-bit digest of large contents, which is a hundred times faster than base/hash.h:
 * of files that a snapshot belongs to.
 *
 * Pages of zeroes add nothing, so holes in a file need not be read, and a copy without holes has
 * the same digest. It detects changes, not attacks.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_PAGE_BYTES = 4096 };

/*
 * Adds `len` bytes, the contents from page number `page` on, to the digest so far (0 at the
 * beginning). The pages may come in any order; only the last page of the contents may be
 * incomplete.
 */
uint64_t digest_pages(uint64_t digest, uint64_t page, const uint8_t *bytes, size_t len);

/* Ends the digest of contents of `size` bytes. */
uint64_t digest_end(uint64_t digest, uint64_t size);

#endif
