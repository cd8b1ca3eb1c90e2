/*
 * tag.c - the tag of a program: the first bytes of the SHA-1 of its text, by which the same program
 * is known on any kernel.
 *
 * Numbers of descriptors are taken as 0.
 */
#include "syscall.h"
#include <linux/bpf.h>
#include <linux/string.h>

enum { SHA1_BLOCK = 64, SHA1_WORDS = 5 };

static u32 rol(u32 x, unsigned int n)
{
    return x << n | x >> (32 - n);
}

static u32 big_endian(const u8 *p)
{
    return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* FIPS 180-4, 6.1.2. */
static void sha1_block(u32 *h, const u8 *block)
{
    u32 w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], t;

    for (t = 0; t < 16; t++)
        w[t] = big_endian(block + 4 * t);
    for (; t < 80; t++)
        w[t] = rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (t = 0; t < 80; t++) {
        static const u32 k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        u32 f = t < 20              ? (b & c) | (~b & d)
                : t >= 40 && t < 60 ? (b & c) | (b & d) | (c & d)
                                    : b ^ c ^ d;
        u32 next = rol(a, 5) + f + e + k[t / 20] + w[t];

        e = d;
        d = c;
        c = rol(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

struct sha1 {
    u32 h[SHA1_WORDS];
    u8 block[SHA1_BLOCK];
    u64 size; /* bytes so far */
};

static void sha1_byte(struct sha1 *s, u8 byte)
{
    s->block[s->size++ % SHA1_BLOCK] = byte;
    if (s->size % SHA1_BLOCK == 0)
        sha1_block(s->h, s->block);
}

static void sha1_end(struct sha1 *s)
{
    u64 bits = s->size * 8;
    int i;

    sha1_byte(s, 0x80);
    while (s->size % SHA1_BLOCK != SHA1_BLOCK - 8)
        sha1_byte(s, 0);
    for (i = 56; i >= 0; i -= 8)
        sha1_byte(s, bits >> i);
}

/* The second half of an address of a map, whose first half was the instruction before. */
static bool is_second_half(const struct bpf_insn *insn)
{
    return !insn->code && !insn->dst_reg && !insn->src_reg && !insn->off;
}

void bpf_prog_calc_tag(struct bpf_prog *prog)
{
    struct sha1 s = {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
    bool in_address = false;
    u32 i, k;

    for (i = 0; i < prog->len; i++) {
        struct bpf_insn insn = prog->insns[i];

        if (!in_address && insn.code == (BPF_LD | BPF_IMM | BPF_DW) &&
            (insn.src_reg == BPF_PSEUDO_MAP_FD || insn.src_reg == BPF_PSEUDO_MAP_VALUE)) {
            in_address = true;
            insn.imm = 0;
        } else {
            if (in_address && is_second_half(&insn))
                insn.imm = 0;
            in_address = false;
        }
        for (k = 0; k < sizeof(insn); k++)
            sha1_byte(&s, ((const u8 *)&insn)[k]);
    }
    sha1_end(&s);
    for (i = 0; i < BPF_TAG_SIZE; i++)
        prog->tag[i] = s.h[i / 4] >> (24 - i % 4 * 8);
}
