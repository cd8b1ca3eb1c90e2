/*
 * vector_hash.c - hash functions: Zvknha and Zvknhb (SHA-2, FIPS 180-4), Zvksh (SM3, GB/T 32905)
 * and Zvkg (GHASH, NIST SP 800-38D).
 */
#include "base/bits.h"
#include "cpu/hart_priv.h"
#include "cpu/vector/vector_groups.h"

/* ---- SHA-2: the words have 32 or 64 bits; one text for both ---- */

#define ROTATE_RIGHT(x, by)                 ((x) >> (by) | (x) << (8 * sizeof(x) - (by)))
#define THREE_ROTATIONS(x, a, b, c)         (ROTATE_RIGHT(x, a) ^ ROTATE_RIGHT(x, b) ^ ROTATE_RIGHT(x, c))
#define TWO_ROTATIONS_AND_SHIFT(x, a, b, c) (ROTATE_RIGHT(x, a) ^ ROTATE_RIGHT(x, b) ^ (x) >> (c))

#define BIG_SIGMA0_32(x)   THREE_ROTATIONS(x, 2, 13, 22)
#define BIG_SIGMA1_32(x)   THREE_ROTATIONS(x, 6, 11, 25)
#define SMALL_SIGMA0_32(x) TWO_ROTATIONS_AND_SHIFT(x, 7, 18, 3)
#define SMALL_SIGMA1_32(x) TWO_ROTATIONS_AND_SHIFT(x, 17, 19, 10)
#define BIG_SIGMA0_64(x)   THREE_ROTATIONS(x, 28, 34, 39)
#define BIG_SIGMA1_64(x)   THREE_ROTATIONS(x, 14, 18, 41)
#define SMALL_SIGMA0_64(x) TWO_ROTATIONS_AND_SHIFT(x, 1, 8, 7)
#define SMALL_SIGMA1_64(x) TWO_ROTATIONS_AND_SHIFT(x, 19, 61, 6)

#define CHOICE(x, y, z)   (((x) & (y)) ^ (~(x) & (z)))
#define MAJORITY(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))

/*
 * schedule: words 16 to 19 of the message schedule; d has words 0 to 3, s2 words 4 and 9 to 11, s1
 * words 12 to 15. compress: two rounds; s2 has f, e, b and a, d has h, g, d and c, and gets f, e, b
 * and a; the message words, with the rounds' constants, begin at w.
 */
#define SHA2(bits)                                                                           \
    static void schedule_##bits(void *d, const void *s2, const void *s1, unsigned imm)       \
    {                                                                                        \
        vec_u##bits *w = d;                                                                  \
        const vec_u##bits *middle = s2, *late = s1;                                          \
                                                                                             \
        (void)imm;                                                                           \
        for (unsigned n = 0; n < 4; n++) {                                                   \
            uint##bits##_t before2 = n < 2 ? late[n + 2] : w[n - 2];                         \
            uint##bits##_t before7 = n < 3 ? middle[n + 1] : late[0];                        \
            uint##bits##_t before15 = n < 3 ? w[n + 1] : middle[0];                          \
                                                                                             \
            w[n] += SMALL_SIGMA1_##bits(before2) + before7 + SMALL_SIGMA0_##bits(before15);  \
        }                                                                                    \
    }                                                                                        \
                                                                                             \
    static void compress_##bits(vec_u##bits *d, const vec_u##bits *s2, const vec_u##bits *w) \
    {                                                                                        \
        uint##bits##_t f = s2[0], e = s2[1], b = s2[2], a = s2[3];                           \
        uint##bits##_t h = d[0], g = d[1], dd = d[2], c = d[3];                              \
                                                                                             \
        for (unsigned n = 0; n < 2; n++) {                                                   \
            uint##bits##_t t1 = h + BIG_SIGMA1_##bits(e) + CHOICE(e, f, g) + w[n];           \
            uint##bits##_t t2 = BIG_SIGMA0_##bits(a) + MAJORITY(a, b, c);                    \
                                                                                             \
            h = g, g = f, f = e, e = dd + t1;                                                \
            dd = c, c = b, b = a, a = t1 + t2;                                               \
        }                                                                                    \
        d[0] = f, d[1] = e, d[2] = b, d[3] = a;                                              \
    }                                                                                        \
                                                                                             \
    static void compress_low_##bits(void *d, const void *s2, const void *s1, unsigned imm)   \
    {                                                                                        \
        (void)imm;                                                                           \
        compress_##bits(d, s2, s1);                                                          \
    }                                                                                        \
                                                                                             \
    static void compress_high_##bits(void *d, const void *s2, const void *s1, unsigned imm)  \
    {                                                                                        \
        (void)imm;                                                                           \
        compress_##bits(d, s2, (const vec_u##bits *)s1 + 2);                                 \
    }

SHA2(32)
SHA2(64)

/* Words of 64 bits need Zvknhb. */
static bool sha2(struct vop *v, vector_group_fn *fn_32, vector_group_fn *fn_64)
{
    bool wide = v->sew == 3 && hart_has(v->h, EXT_Zvknhb);
    const struct vector_group g = {.fn = wide ? fn_64 : fn_32,
                                   .form = GROUP_VV,
                                   .sew = wide ? 3 : 2,
                                   .elements = 4,
                                   .apart = true,
                                   .apart_1 = true};

    return vop_groups(v, &g);
}

VOP(vsha2ms, vv, sha2(v, schedule_32, schedule_64))
VOP(vsha2cl, vv, sha2(v, compress_low_32, compress_low_64))
VOP(vsha2ch, vv, sha2(v, compress_high_32, compress_high_64))

/* ---- SM3: words are big-endian ---- */

enum { SM3_WORDS = 8 };

static inline uint32_t big_endian(const vec_u32 *words, unsigned n)
{
    return __builtin_bswap32(words[n]);
}

/* The permutations P0 and P1. */
static inline uint32_t permute(uint32_t x, unsigned a, unsigned b)
{
    return x ^ rotate_left(x, a) ^ rotate_left(x, b);
}

/* Words 16 to 23 of the message, of words 0 to 7 in s1 and 8 to 15 in s2. */
static void sm3_expand(void *d, const void *s2, const void *s1, unsigned imm)
{
    uint32_t w[3 * SM3_WORDS];

    (void)imm;
    for (unsigned n = 0; n < SM3_WORDS; n++) {
        w[n] = big_endian(s1, n);
        w[SM3_WORDS + n] = big_endian(s2, n);
    }
    for (unsigned n = 2 * SM3_WORDS; n < 3 * SM3_WORDS; n++)
        w[n] = permute(w[n - 16] ^ w[n - 9] ^ rotate_left(w[n - 3], 15), 15, 23) ^
               rotate_left(w[n - 13], 7) ^ w[n - 6];
    for (unsigned n = 0; n < SM3_WORDS; n++)
        ((vec_u32 *)d)[n] = __builtin_bswap32(w[2 * SM3_WORDS + n]);
}

struct sm3_state {
    uint32_t a, b, c, d, e, f, g, h;
};

static void sm3_round(struct sm3_state *s, unsigned round, uint32_t w, uint32_t w_4)
{
    bool early = round < 16;
    uint32_t constant = rotate_left(early ? 0x79cc4519 : 0x7a879d8a, round);
    uint32_t turned = rotate_left(s->a, 12);
    uint32_t ss1 = rotate_left(turned + s->e + constant, 7);
    uint32_t ff = early ? s->a ^ s->b ^ s->c : MAJORITY(s->a, s->b, s->c);
    uint32_t gg = early ? s->e ^ s->f ^ s->g : CHOICE(s->e, s->f, s->g);
    uint32_t tt1 = ff + s->d + (ss1 ^ turned) + (w ^ w_4);
    uint32_t tt2 = gg + s->h + ss1 + w;

    s->d = s->c, s->c = rotate_left(s->b, 9), s->b = s->a, s->a = tt1;
    s->h = s->g, s->g = rotate_left(s->f, 19), s->f = s->e, s->e = permute(tt2, 9, 17);
}

/* Rounds 2 imm and 2 imm + 1; d has the state, s2 the message words from 2 imm on. */
static void sm3_compress(void *d, const void *s2, const void *s1, unsigned imm)
{
    vec_u32 *words = d;
    struct sm3_state s = {big_endian(d, 0), big_endian(d, 1), big_endian(d, 2), big_endian(d, 3),
                          big_endian(d, 4), big_endian(d, 5), big_endian(d, 6), big_endian(d, 7)};

    (void)s1;
    for (unsigned n = 0; n < 2; n++)
        sm3_round(&s, 2 * imm + n, big_endian(s2, n), big_endian(s2, n + 4));
    memcpy(words, &s, sizeof s);
    for (unsigned n = 0; n < SM3_WORDS; n++)
        words[n] = __builtin_bswap32(words[n]);
}

#define SM3(name, suffix, group_form, function)                           \
    VOP(name, suffix,                                                     \
        vop_groups(v, &(const struct vector_group){.fn = (function),      \
                                                   .form = (group_form),  \
                                                   .sew = 2,              \
                                                   .elements = SM3_WORDS, \
                                                   .apart = true}))

SM3(vsm3me, vv, GROUP_VV, sm3_expand)
SM3(vsm3c, vi, GROUP_VI, sm3_compress)

/* ---- GHASH: products of polynomials whose lowest coefficient is the top bit of byte 0 ---- */

typedef unsigned __int128 polynomial;

static polynomial polynomial_of(const void *group)
{
    polynomial p;

    memcpy(&p, group, sizeof p);
    return p;
}

/* Each byte's bits in the other order. */
static polynomial usual_order(polynomial p)
{
    return (polynomial)reverse_bits_in_bytes((uint64_t)(p >> 64)) << 64 |
           reverse_bits_in_bytes((uint64_t)p);
}

/* d: the product of (d + s1) and s2, modulo x^128 + x^7 + x^2 + x + 1. */
static void ghash_multiply(void *d, polynomial s1, const void *s2)
{
    polynomial factor = usual_order(polynomial_of(d) ^ s1), h = usual_order(polynomial_of(s2));
    polynomial product = 0;

    /* A branch on each bit of the factor would be mispredicted half of the time. */
    for (unsigned n = 0; n < 128; n++) {
        product ^= h & -(factor & 1);
        factor >>= 1;
        h = h << 1 ^ (-(h >> 127) & 0x87);
    }
    product = usual_order(product);
    memcpy(d, &product, sizeof product);
}

static void ghash_round(void *d, const void *s2, const void *s1, unsigned imm)
{
    (void)imm;
    ghash_multiply(d, polynomial_of(s1), s2);
}

static void ghash_product(void *d, const void *s2, const void *s1, unsigned imm)
{
    (void)s1, (void)imm;
    ghash_multiply(d, 0, s2);
}

#define GHASH(name, group_form, function)           \
    VOP(name, vv,                                   \
        vop_groups(v, &(const struct vector_group){ \
                          .fn = (function), .form = (group_form), .sew = 2, .elements = 4}))

GHASH(vghsh, GROUP_VV, ghash_round)
GHASH(vgmul, GROUP_V, ghash_product)
