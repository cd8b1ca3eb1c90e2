/*
 * log_io.h - numbers and bytes of a log, for both directions: one list of members writes and reads.
 *
 * Numbers are LEB128: seven bits a byte, the lowest first; signed ones as zigzag.
 */
#ifndef LOG_IO_H
#define LOG_IO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/vec.h"

struct log_bytes {
    uint8_t *at;
    size_t len, cap;
};

/* Bytes that are read. */
struct log_in {
    const uint8_t *at, *end;
    bool bad; /* the end was passed, or a value is impossible: all values read since are zero */
};

/* The direction: one of the two is not NULL. */
struct log_io {
    struct log_bytes *out;
    struct log_in *in;
};

enum { LOG_NUMBER_MAX = 10 };

static inline void log_put(struct log_bytes *b, uint64_t value)
{
    uint8_t *to;

    VEC_RESERVE(b, LOG_NUMBER_MAX);
    to = b->at + b->len;
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    b->len = (size_t)(to - b->at);
}

static inline uint64_t log_get(struct log_in *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (UNLIKELY(in->at == in->end)) {
            in->bad = true;
            return 0;
        }
        value |= (uint64_t)(*in->at & 0x7f) << shift;
        if (!(*in->at++ & 0x80))
            return value;
    }
    in->bad = true;
    return 0;
}

/* Zigzag: maps small differences of either sign to small numbers. */
static inline uint64_t log_zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t log_unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

static inline void log_put_bytes(struct log_bytes *b, const void *from, size_t len)
{
    VEC_RESERVE(b, len);
    if (len)
        memcpy(b->at + b->len, from, len);
    b->len += len;
}

static inline const uint8_t *log_get_bytes(struct log_in *in, size_t len)
{
    const uint8_t *at = in->at;

    if ((size_t)(in->end - in->at) < len) {
        in->bad = true;
        in->at = in->end;
        return NULL;
    }
    in->at += len;
    return at;
}

static inline void log_io_number(struct log_io *io, uint64_t *value)
{
    if (io->out)
        log_put(io->out, *value);
    else
        *value = log_get(io->in);
}

/* A member of any unsigned type, or bool; a value that it cannot hold is bad. */
#define LOG_IO(io, member)                     \
    do {                                       \
        uint64_t n_ = (uint64_t)(member);      \
        log_io_number((io), &n_);              \
        if ((io)->in) {                        \
            (member) = (__typeof__(member))n_; \
            if ((uint64_t)(member) != n_)      \
                (io)->in->bad = true;          \
        }                                      \
    } while (0)

/* A member that is the number of a definition: LOG_NONE is written as 0. */
#define LOG_IO_ID(io, member)                   \
    do {                                        \
        uint64_t n_ = (uint32_t)((member) + 1); \
        log_io_number((io), &n_);               \
        if ((io)->in) {                         \
            (member) = (uint32_t)n_ - 1;        \
            if (n_ > UINT32_MAX)                \
                (io)->in->bad = true;           \
        }                                       \
    } while (0)

/* Writes or reads an address that is near to another one. */
static inline void log_io_near(struct log_io *io, uint64_t *value, uint64_t near)
{
    if (io->out)
        log_put(io->out, log_zigzag(*value - near));
    else
        *value = log_unzigzag(log_get(io->in)) + near;
}

static inline void log_io_bytes(struct log_io *io, void *bytes, size_t len)
{
    const uint8_t *from;

    if (io->out) {
        log_put_bytes(io->out, bytes, len);
        return;
    }
    from = log_get_bytes(io->in, len);
    if (from && len)
        memcpy(bytes, from, len);
}

#endif
