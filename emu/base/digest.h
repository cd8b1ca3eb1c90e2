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
 * The digest so far (0 at the beginning) with the contents from page number `page` on; `len` bytes,
 * of which only the last page of all may be incomplete. The pages may come in any order.
 */
uint64_t digest_pages(uint64_t digest, uint64_t page, const uint8_t *bytes, size_t len);

/* The end: contents of `size` bytes. */
uint64_t digest_end(uint64_t digest, uint64_t size);

#endif
