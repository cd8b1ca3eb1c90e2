/*
 * hash.h - the 64-bit hash FNV-1a, which identifies files.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Offset basis and prime as in draft-eastlake-fnv, section 5. */
#define FNV1A_START UINT64_C(0xcbf29ce484222325)

/* The hash of the data so far, whose hash is `hash`, followed by these bytes. */
static inline uint64_t fnv1a(uint64_t hash, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
