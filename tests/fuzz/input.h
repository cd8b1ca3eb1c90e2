/*
 * input.h - reads numbers from a fuzzer's bytes. After the end all are 0, so that
 * every input is valid.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct input {
    const uint8_t *at;
    size_t left;
};

/* Fills `to`; returns how many of its bytes came from the input. */
static inline size_t input_bytes(struct input *in, void *to, size_t len)
{
    size_t have = len < in->left ? len : in->left;

    memset(to, 0, len);
    if (have)
        memcpy(to, in->at, have);
    in->at += have;
    in->left -= have;
    return have;
}

/* A number of `bytes` bytes, at most 8, little-endian. */
static inline uint64_t input_number(struct input *in, size_t bytes)
{
    uint64_t value = 0;

    (void)input_bytes(in, &value, bytes); /* hosts we support are little-endian */
    return value;
}

static inline uint8_t input_byte(struct input *in)
{
    return (uint8_t)input_number(in, 1);
}

/* Below n, which is 1 to 256; takes one byte. */
static inline uint8_t input_below(struct input *in, unsigned n)
{
    return (uint8_t)(input_byte(in) % n);
}

#endif
