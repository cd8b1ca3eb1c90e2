/*
 * decode.h - decodes instruction words. Pure functions; the only decoder of the machine.
 */
#ifndef CPU_DECODE_H
#define CPU_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/isa/isa.h"

/* Bytes of the instruction that starts with this parcel: 2 or 4 (longer forms count as 4). */
static inline unsigned insn_size(uint16_t parcel)
{
    return (parcel & 3) == 3 ? 4 : 2;
}

/*
 * Reads the instruction at an address, by its first parcel and, if it is that long, the second:
 * what is after a short instruction need not be readable. False: `read' could not.
 */
typedef bool insn_read_parcel(void *ctx, uint64_t va, uint16_t *parcel);
bool insn_read(insn_read_parcel *read, void *ctx, uint64_t va, uint32_t *word);

/* The two breakpoints. */
enum { INSN_EBREAK = 0x00100073, INSN_C_EBREAK = 0x9002 };

/* The size of the breakpoint that the word is or begins with; 0: none. */
static inline unsigned ebreak_size(uint32_t word)
{
    return word == INSN_EBREAK ? 4 : (uint16_t)word == INSN_C_EBREAK ? 2 : 0;
}

/* The same for one of its parcels: whether it can be a part of a breakpoint. */
static inline bool parcel_is_of_ebreak(uint16_t parcel)
{
    return parcel == (uint16_t)INSN_EBREAK || parcel == INSN_EBREAK >> 16 ||
           parcel == INSN_C_EBREAK;
}

/*
 * Decodes one instruction; `word` holds it in its low bits, a compressed one
 * in the low half. False: reserved or not implemented, so an illegal
 * instruction; `out` then holds word and size only.
 */
bool insn_decode(uint32_t word, struct insn *out);

/* The same for a hart that has this set of extensions only. */
bool insn_decode_for(uint32_t word, uint64_t extensions, struct insn *out);

/*
 * A decoder for one set of extensions: the same results as insn_decode_for, many times as fast.
 * decoder_new never returns NULL; free it with decoder_free.
 */
struct decoder;
struct decoder *decoder_new(uint64_t extensions);
void decoder_free(struct decoder *d);
bool decoder_decode(const struct decoder *d, uint32_t word, struct insn *out);

/*
 * Whether a hart with this set of extensions implements the instruction. A compressed one also
 * needs the extension of the instruction that it expands to.
 */
bool insn_in(const struct insn *i, uint64_t extensions);

/* Whether it accesses no memory and no CSR, orders no accesses and does not trap: only registers
 * and the pc change. */
bool insn_is_private(const struct insn *i);
/* Whether it is a load or store that acquires or releases (Zalasr). */
bool insn_is_annotated(const struct insn *i);
/* Whether it is an AMO, lr, sc, or another one whose effect on memory is not late. */
bool insn_is_atomic(const struct insn *i);

/*
 * The target of an auipc at pc and a jalr that uses its result; the low
 * immediate is signed (ISA vol. I, 2.5). insn_is_pair must hold for the two.
 */
uint64_t pair_target(uint64_t pc, const struct insn *auipc, const struct insn *jalr);

/* True when the two are auipc REG / jalr LINK, imm(REG). */
bool insn_is_pair(const struct insn *auipc, const struct insn *jalr);

#endif
