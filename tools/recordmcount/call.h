/*
 * call.h - recognises the eight bytes of `call _mcount`, auipc ra and jalr ra,(ra), and nops in its
 * place. Pure functions of the bytes.
 */
#ifndef RECORDMCOUNT_CALL_H
#define RECORDMCOUNT_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum { CALL_BYTES = 8, SLOT_BYTES = 8 };

static inline uint32_t call_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline bool call_is_pair(const uint8_t bytes[CALL_BYTES])
{
    uint32_t auipc = call_word(bytes), jalr = call_word(bytes + 4);

    return (auipc & 0xfff) == 0x097 && (jalr & 0xfffff) == 0x080e7;
}

/* Whether the bytes are nops, compressed or not, and the last one ends exactly at the end. */
static inline bool call_is_nops(const uint8_t *bytes, unsigned size_bytes)
{
    unsigned at = 0;

    while (at < size_bytes) {
        if (bytes[at] == 0x01 && bytes[at + 1] == 0x00)
            at += 2;
        else if (size_bytes - at >= 4 && call_word(bytes + at) == 0x00000013)
            at += 4;
        else
            return false;
    }
    return true;
}

/* The target of the pair at `pc`. Both immediates are signed. */
static inline uint64_t call_target(uint64_t pc, const uint8_t bytes[CALL_BYTES])
{
    uint64_t high = call_word(bytes) & 0xfffff000, low = call_word(bytes + 4) >> 20;

    high = (high ^ 0x80000000) - 0x80000000;
    low = (low ^ 0x800) - 0x800;
    return (pc + high + low) & ~UINT64_C(1);
}

#endif
