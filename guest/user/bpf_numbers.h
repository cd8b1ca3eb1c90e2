/*
 * bpf_numbers.h - the random numbers of the fuzzers of BPF, on the host and inside the guest. Each
 * file that includes it has a sequence of its own.
 */
#ifndef USER_BPF_NUMBERS_H
#define USER_BPF_NUMBERS_H

#include <linux/types.h>

static u64 random_state = 88172645463325252ull;

static inline u64 random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Begins the sequence with that number. */
static inline void random_seed(u64 seed)
{
    random_state = seed * 2654435769u + 88172645463325252ull;
    random_bits();
    random_bits();
}

/* Numbers near the edges of their ranges, more often than not. */
static inline u64 random_number(void)
{
    static const u64 edges[] = {0,
                                1,
                                7,
                                8,
                                63,
                                64,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                0x100000000,
                                0x7fffffffffffffff,
                                0x8000000000000000};
    u64 r = random_bits();

    switch (r & 7) {
    case 0: return random_bits();
    case 1: return random_bits() & 0xffffffff;
    case 2: return -(random_bits() & 0xff);
    case 3: return edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))];
    case 4: return -edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))];
    case 5: return edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))] - 1;
    default: return random_bits() & 0x7f;
    }
}

#endif
