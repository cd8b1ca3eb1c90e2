/*
 * digest.c - see digest.h. Four lanes, because a multiplication takes longer than it takes to begin
 * the next.
 */
#include "base/digest.h"

#include <string.h>

enum { LANES = 4 };

/* Odd, and with about as many ones as zeroes. */
static const uint64_t FACTOR = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t product = (a ^ b) * FACTOR;

    return product ^ product >> 32;
}

static uint64_t digest_page(const uint8_t *bytes)
{
    uint64_t lanes[LANES] = {1, 2, 3, 4}, words[LANES], digest = 0;

    for (size_t at = 0; at < DIGEST_PAGE_BYTES; at += sizeof words) {
        memcpy(words, bytes + at, sizeof words);
        for (unsigned i = 0; i < LANES; i++)
            lanes[i] = mix(lanes[i], words[i]);
    }
    for (unsigned i = 0; i < LANES; i++)
        digest = mix(digest, lanes[i]);
    return digest;
}

static int is_zero(const uint8_t *bytes)
{
    return !bytes[0] && !memcmp(bytes, bytes + 1, DIGEST_PAGE_BYTES - 1);
}

uint64_t digest_pages(uint64_t digest, uint64_t page, const uint8_t *bytes, size_t len)
{
    for (; len; page++) {
        uint8_t last[DIGEST_PAGE_BYTES] = {0};
        const uint8_t *whole = bytes;
        size_t piece = len < DIGEST_PAGE_BYTES ? len : DIGEST_PAGE_BYTES;

        if (piece < DIGEST_PAGE_BYTES)
            whole = memcpy(last, bytes, piece);
        if (!is_zero(whole))
            digest += mix(mix(page + 1, 0), digest_page(whole));
        bytes += piece;
        len -= piece;
    }
    return digest;
}

uint64_t digest_end(uint64_t digest, uint64_t size)
{
    return mix(mix(digest, size), FACTOR);
}
