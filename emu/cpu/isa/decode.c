/*
 * decode.c - see decode.h. Rows come from insn.def, with one extractor for
 * each operand format (format.def).
 *
 * An extractor returns false when the field values are reserved in its format.
 * Hints (writes to x0 and the like) are legal and decode like any instruction.
 */
#include "cpu/isa/decode.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/compiler.h"
#include "cpu/isa/float.h"

static int32_t simm(uint32_t value, unsigned width)
{
    return (int32_t)sign_extend(value, width);
}

static uint32_t field(uint32_t w, unsigned hi, unsigned lo)
{
    return (uint32_t)bits(w, hi, lo);
}

static void take_rd(uint32_t w, struct insn *i)
{
    i->rd = (uint8_t)field(w, 11, 7);
}

static void take_rs1(uint32_t w, struct insn *i)
{
    i->rs1 = (uint8_t)field(w, 19, 15);
}

static void take_rs2(uint32_t w, struct insn *i)
{
    i->rs2 = (uint8_t)field(w, 24, 20);
}

static bool extract_NONE(uint32_t w, struct insn *i)
{
    (void)w;
    (void)i;
    return true;
}

static bool extract_R(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    take_rs2(w, i);
    return true;
}

static bool extract_I(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    i->imm = simm(field(w, 31, 20), 12);
    return true;
}

static bool extract_LOAD(uint32_t w, struct insn *i)
{
    return extract_I(w, i);
}

static bool extract_JALR(uint32_t w, struct insn *i)
{
    return extract_I(w, i);
}

static bool extract_SHIFT(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    i->imm = (int32_t)field(w, 25, 20);
    return true;
}

static bool extract_SHIFTW(uint32_t w, struct insn *i)
{
    return extract_SHIFT(w, i);
}

static bool extract_S(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    take_rs2(w, i);
    i->imm = simm(field(w, 31, 25) << 5 | field(w, 11, 7), 12);
    return true;
}

static bool extract_B(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    take_rs2(w, i);
    i->imm = simm(field(w, 31, 31) << 12 | field(w, 7, 7) << 11 | field(w, 30, 25) << 5 |
                      field(w, 11, 8) << 1,
                  13);
    return true;
}

static bool extract_U(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->imm = (int32_t)(w & 0xfffff000);
    return true;
}

static bool extract_J(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->imm = simm(field(w, 31, 31) << 20 | field(w, 19, 12) << 12 | field(w, 20, 20) << 11 |
                      field(w, 30, 21) << 1,
                  21);
    return true;
}

/* Unused fields of fences are reserved for finer fences and ignored (Zifencei; I, 2.7). */
static bool extract_FENCE(uint32_t w, struct insn *i)
{
    i->imm = (int32_t)field(w, 31, 20);
    return true;
}

static bool extract_CSR(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    i->imm = (int32_t)field(w, 31, 20);
    return true;
}

static bool extract_CSRI(uint32_t w, struct insn *i)
{
    return extract_CSR(w, i);
}

static bool extract_LR(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    return true;
}

/* The immediate has aq (2) and rl (1). */
static bool extract_AMO(uint32_t w, struct insn *i)
{
    i->imm = (int32_t)bits(w, 26, 25);
    return extract_R(w, i);
}

/* Zacas: rd is also a source. */
static bool extract_CAS(uint32_t w, struct insn *i)
{
    return extract_AMO(w, i);
}

/* Rd and rs2 are the even ones of pairs. */
static bool extract_CAS_PAIRS(uint32_t w, struct insn *i)
{
    return extract_AMO(w, i) && i->rd % 2 == 0 && i->rs2 % 2 == 0;
}

/* Zicfiss */
static bool extract_SSAMOSWAP(uint32_t w, struct insn *i)
{
    return extract_AMO(w, i);
}

static bool extract_SSPUSH(uint32_t w, struct insn *i)
{
    i->rs2 = (uint8_t)field(w, 24, 20);
    return true;
}

static bool extract_SSPOPCHK(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    return true;
}

static bool extract_SSRDP(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    return i->rd != 0;
}

/* Zicfilp: the label is where auipc has its immediate. */
static bool extract_LPAD(uint32_t w, struct insn *i)
{
    return extract_U(w, i);
}

/* Zimop: the immediate is the number in the name. */
static bool extract_MOP_R(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    i->imm = (int32_t)(field(w, 30, 30) << 4 | field(w, 27, 26) << 2 | field(w, 21, 20));
    return true;
}

static bool extract_MOP_RR(uint32_t w, struct insn *i)
{
    i->imm = (int32_t)(field(w, 30, 30) << 2 | field(w, 27, 26));
    return extract_R(w, i);
}

/* Zalasr: no immediate. */
static bool extract_ALOAD(uint32_t w, struct insn *i)
{
    return extract_LR(w, i);
}

static bool extract_ASTORE(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    take_rs2(w, i);
    return true;
}

static bool extract_SFENCE(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    take_rs2(w, i);
    return true;
}

/* One source: rs2's field belongs to the opcode. */
static bool extract_UNARY(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    take_rs1(w, i);
    return true;
}

static bool extract_CBO(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    return true;
}

/* The low five bits of the immediate say which prefetch it is (Zicbop). */
static bool extract_PREFETCH(uint32_t w, struct insn *i)
{
    take_rs1(w, i);
    i->imm = simm(field(w, 31, 25) << 5, 12);
    return true;
}

/* The three-bit register fields of compressed formats name x8 to x15. */
static uint8_t creg(uint32_t w, unsigned lo)
{
    return (uint8_t)(8 + field(w, lo + 2, lo));
}

static int32_t ci_imm(uint32_t w)
{
    return simm(field(w, 12, 12) << 5 | field(w, 6, 2), 6);
}

static bool extract_C_ADDI4SPN(uint32_t w, struct insn *i)
{
    i->rd = creg(w, 2);
    i->rs1 = REG_SP;
    i->imm = (int32_t)(field(w, 12, 11) << 4 | field(w, 10, 7) << 6 | field(w, 6, 6) << 2 |
                       field(w, 5, 5) << 3);
    return i->imm != 0;
}

static int32_t cl_word_offset(uint32_t w)
{
    return (int32_t)(field(w, 12, 10) << 3 | field(w, 6, 6) << 2 | field(w, 5, 5) << 6);
}

static int32_t cl_double_offset(uint32_t w)
{
    return (int32_t)(field(w, 12, 10) << 3 | field(w, 6, 5) << 6);
}

static bool extract_C_LW(uint32_t w, struct insn *i)
{
    i->rd = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = cl_word_offset(w);
    return true;
}

static bool extract_C_LD(uint32_t w, struct insn *i)
{
    i->rd = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = cl_double_offset(w);
    return true;
}

static bool extract_C_SW(uint32_t w, struct insn *i)
{
    i->rs2 = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = cl_word_offset(w);
    return true;
}

static bool extract_C_SD(uint32_t w, struct insn *i)
{
    i->rs2 = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = cl_double_offset(w);
    return true;
}

static bool extract_C_ADDI(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->rs1 = i->rd;
    i->imm = ci_imm(w);
    return true;
}

static bool extract_C_ADDIW(uint32_t w, struct insn *i)
{
    return extract_C_ADDI(w, i) && i->rd != 0;
}

static bool extract_C_LI(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->imm = ci_imm(w);
    return true;
}

static bool extract_C_ADDI16SP(uint32_t w, struct insn *i)
{
    i->rd = REG_SP;
    i->rs1 = REG_SP;
    i->imm = simm(field(w, 12, 12) << 9 | field(w, 6, 6) << 4 | field(w, 5, 5) << 6 |
                      field(w, 4, 3) << 7 | field(w, 2, 2) << 5,
                  10);
    return i->imm != 0;
}

static bool extract_C_LUI(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->imm = (int32_t)((uint32_t)ci_imm(w) << 12);
    return i->imm != 0 && i->rd != REG_SP;
}

static bool extract_C_SHIFT(uint32_t w, struct insn *i)
{
    i->rd = i->rs1 = creg(w, 7);
    i->imm = (int32_t)(field(w, 12, 12) << 5 | field(w, 6, 2));
    return true;
}

static bool extract_C_ANDI(uint32_t w, struct insn *i)
{
    i->rd = i->rs1 = creg(w, 7);
    i->imm = ci_imm(w);
    return true;
}

static bool extract_C_ARITH(uint32_t w, struct insn *i)
{
    i->rd = i->rs1 = creg(w, 7);
    i->rs2 = creg(w, 2);
    return true;
}

static bool extract_C_J(uint32_t w, struct insn *i)
{
    i->imm = simm(field(w, 12, 12) << 11 | field(w, 11, 11) << 4 | field(w, 10, 9) << 8 |
                      field(w, 8, 8) << 10 | field(w, 7, 7) << 6 | field(w, 6, 6) << 7 |
                      field(w, 5, 3) << 1 | field(w, 2, 2) << 5,
                  12);
    return true;
}

static bool extract_C_B(uint32_t w, struct insn *i)
{
    i->rs1 = creg(w, 7);
    i->imm = simm(field(w, 12, 12) << 8 | field(w, 11, 10) << 3 | field(w, 6, 5) << 6 |
                      field(w, 4, 3) << 1 | field(w, 2, 2) << 5,
                  9);
    return true;
}

static bool extract_C_SLLI(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->rs1 = i->rd;
    i->imm = (int32_t)(field(w, 12, 12) << 5 | field(w, 6, 2));
    return true;
}

static bool extract_C_LWSP(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->rs1 = REG_SP;
    i->imm = (int32_t)(field(w, 12, 12) << 5 | field(w, 6, 4) << 2 | field(w, 3, 2) << 6);
    return i->rd != 0;
}

static bool extract_C_LDSP(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->rs1 = REG_SP;
    i->imm = (int32_t)(field(w, 12, 12) << 5 | field(w, 6, 5) << 3 | field(w, 4, 2) << 6);
    return i->rd != 0;
}

static bool extract_C_SWSP(uint32_t w, struct insn *i)
{
    i->rs2 = (uint8_t)field(w, 6, 2);
    i->rs1 = REG_SP;
    i->imm = (int32_t)(field(w, 12, 9) << 2 | field(w, 8, 7) << 6);
    return true;
}

static bool extract_C_SDSP(uint32_t w, struct insn *i)
{
    i->rs2 = (uint8_t)field(w, 6, 2);
    i->rs1 = REG_SP;
    i->imm = (int32_t)(field(w, 12, 10) << 3 | field(w, 9, 7) << 6);
    return true;
}

static bool extract_C_JR(uint32_t w, struct insn *i)
{
    i->rs1 = (uint8_t)field(w, 11, 7);
    return i->rs1 != 0;
}

static bool extract_C_JALR(uint32_t w, struct insn *i)
{
    i->rd = REG_RA;
    return extract_C_JR(w, i);
}

static bool extract_C_MV(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->rs2 = (uint8_t)field(w, 6, 2);
    return i->rs2 != 0;
}

static bool extract_C_ADD(uint32_t w, struct insn *i)
{
    take_rd(w, i);
    i->rs1 = i->rd;
    i->rs2 = (uint8_t)field(w, 6, 2);
    return i->rs2 != 0;
}

/* Zcb: bits 5 and 6 have the offset's bits 1 and 0. */
static bool extract_C_LB(uint32_t w, struct insn *i)
{
    i->rd = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = (int32_t)(field(w, 5, 5) << 1 | field(w, 6, 6));
    return true;
}

static bool extract_C_LH(uint32_t w, struct insn *i)
{
    i->rd = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = (int32_t)(field(w, 5, 5) << 1);
    return true;
}

static bool extract_C_SB(uint32_t w, struct insn *i)
{
    i->rs2 = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = (int32_t)(field(w, 5, 5) << 1 | field(w, 6, 6));
    return true;
}

static bool extract_C_SH(uint32_t w, struct insn *i)
{
    i->rs2 = creg(w, 2);
    i->rs1 = creg(w, 7);
    i->imm = (int32_t)(field(w, 5, 5) << 1);
    return true;
}

static bool extract_C_UNARY(uint32_t w, struct insn *i)
{
    i->rd = i->rs1 = creg(w, 7);
    return true;
}

static bool extract_C_ZEXT_B(uint32_t w, struct insn *i)
{
    i->imm = 0xff;
    return extract_C_UNARY(w, i);
}

static bool extract_C_NOT(uint32_t w, struct insn *i)
{
    i->imm = -1;
    return extract_C_UNARY(w, i);
}

/* Zcmop: without operands it is the addi of a nop. */
static bool extract_C_MOP(uint32_t w, struct insn *i)
{
    return extract_NONE(w, i);
}

static bool extract_C_SSPUSH(uint32_t w, struct insn *i)
{
    (void)w;
    i->rs2 = REG_RA;
    return true;
}

static bool extract_C_SSPOPCHK(uint32_t w, struct insn *i)
{
    (void)w;
    i->rs1 = REG_T0;
    return true;
}

/* ---- floating point: the rounding mode in imm's low bits, rs3 above them (isa.h) ---- */

/* Modes 5 and 6 are reserved (vol. I, 20.2). */
static bool take_rounding(uint32_t w, struct insn *i)
{
    unsigned rounding = field(w, 14, 12);

    i->imm = (int32_t)(rounding << IMM_ROUNDING_SHIFT | float_look_at(rounding));
    return rounding != 5 && rounding != 6;
}

static bool extract_FLOAD(uint32_t w, struct insn *i)
{
    return extract_I(w, i);
}

static bool extract_FSTORE(uint32_t w, struct insn *i)
{
    return extract_S(w, i);
}

static bool extract_FR(uint32_t w, struct insn *i)
{
    return extract_R(w, i);
}

static bool extract_FR_RM(uint32_t w, struct insn *i)
{
    return extract_R(w, i) && take_rounding(w, i);
}

static bool extract_FR4_RM(uint32_t w, struct insn *i)
{
    if (!extract_FR_RM(w, i))
        return false;
    i->imm |= (int32_t)(field(w, 31, 27) << IMM_RS3_SHIFT);
    return true;
}

static bool extract_FCMP(uint32_t w, struct insn *i)
{
    return extract_R(w, i);
}

static bool extract_FTO(uint32_t w, struct insn *i)
{
    return extract_UNARY(w, i);
}

static bool extract_FOF(uint32_t w, struct insn *i)
{
    return extract_UNARY(w, i);
}

static bool extract_FLI(uint32_t w, struct insn *i)
{
    return extract_UNARY(w, i);
}

static bool extract_F1_RM(uint32_t w, struct insn *i)
{
    return extract_UNARY(w, i) && take_rounding(w, i);
}

static bool extract_F1_EXACT(uint32_t w, struct insn *i)
{
    return extract_F1_RM(w, i);
}

static bool extract_FTO_RM(uint32_t w, struct insn *i)
{
    return extract_F1_RM(w, i);
}

static bool extract_FTO_RTZ(uint32_t w, struct insn *i)
{
    return extract_F1_RM(w, i);
}

static bool extract_FOF_RM(uint32_t w, struct insn *i)
{
    return extract_F1_RM(w, i);
}

static bool extract_FOF_EXACT(uint32_t w, struct insn *i)
{
    return extract_F1_RM(w, i);
}

static bool extract_C_FLD(uint32_t w, struct insn *i)
{
    return extract_C_LD(w, i);
}

static bool extract_C_FSD(uint32_t w, struct insn *i)
{
    return extract_C_SD(w, i);
}

/* Unlike c.ldsp it may load register 0. */
static bool extract_C_FLDSP(uint32_t w, struct insn *i)
{
    (void)extract_C_LDSP(w, i);
    return true;
}

static bool extract_C_FSDSP(uint32_t w, struct insn *i)
{
    return extract_C_SDSP(w, i);
}

/* ---- vectors: see isa.h; an immediate is in rs1's place ---- */

static bool take_vector(uint32_t w, struct insn *i, unsigned fields)
{
    i->rd = (uint8_t)field(w, 11, 7);
    i->rs1 = (uint8_t)field(w, 19, 15);
    i->rs2 = (uint8_t)field(w, 24, 20);
    i->imm = (int32_t)((unsigned)(i->op - FIRST_VECTOR_OP) << IMM_VECTOR_OP_SHIFT | fields);
    return true;
}

static bool extract_vector(uint32_t w, struct insn *i)
{
    return take_vector(w, i,
                       field(w, 25, 25) | field(w, 31, 29) << IMM_NF_SHIFT |
                           field(w, 26, 26) << IMM_LONG_SHIFT);
}

static bool extract_VSETVLI(uint32_t w, struct insn *i)
{
    return take_vector(w, i, field(w, 30, 20));
}

static bool extract_VSETIVLI(uint32_t w, struct insn *i)
{
    return take_vector(w, i, field(w, 29, 20));
}

#define extract_VSETVL extract_vector
#define extract_VL     extract_vector
#define extract_VLS    extract_vector
#define extract_VLX    extract_vector
#define extract_VVV    extract_vector
#define extract_VVX    extract_vector
#define extract_VVI    extract_vector
#define extract_VVU    extract_vector
#define extract_VV6    extract_vector
#define extract_VVF    extract_vector
#define extract_VVVM   extract_vector
#define extract_VVXM   extract_vector
#define extract_VVIM   extract_vector
#define extract_VVFM   extract_vector
#define extract_VMAV   extract_vector
#define extract_VMAX   extract_vector
#define extract_VMAF   extract_vector
#define extract_VUNARY extract_vector
#define extract_VWHOLE extract_vector
#define extract_VID    extract_vector
#define extract_VMVV   extract_vector
#define extract_VMVX   extract_vector
#define extract_VMVI   extract_vector
#define extract_VMVF   extract_vector
#define extract_VCOUNT extract_vector
#define extract_VTOX   extract_vector
#define extract_VTOF   extract_vector

static bool (*const extractors[])(uint32_t w, struct insn *i) = {
#define F(name, text, floating) extract_##name,
#include "cpu/isa/format.def"
#undef F
};

static bool row_takes(unsigned row, uint32_t word, struct insn *out)
{
    const struct row_info *info = row_info(row);

    if ((word & info->mask) != info->match)
        return false;
    *out = (struct insn){
        .op = info->op,
        .row = (uint16_t)row,
        .size = (uint8_t)insn_size((uint16_t)word),
        .word = word,
    };
    return extractors[info->format](word, out);
}

/* The word without the bytes after its instruction. */
static uint32_t trimmed(uint32_t word)
{
    return insn_size((uint16_t)word) == 2 ? word & 0xffff : word;
}

static bool is_longer(uint32_t word)
{
    return (word & 0x1f) == 0x1f; /* than 32 bits: not implemented */
}

static struct insn not_an_insn(uint32_t word)
{
    return (struct insn){.size = (uint8_t)insn_size((uint16_t)word), .word = word};
}

/*
 * The bits that decide about each row, apart from the rest of it, so that the compiler compares a
 * word with several rows at once. The table is filled up with zeroes.
 */
enum {
    ROWS_AT_ONCE = 16,
    ROWS_ROUND = (ROW_COUNT + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE * ROWS_AT_ONCE
};
static const uint32_t row_masks[ROWS_ROUND] = {
#define I(ext, name, match, mask, format, class) mask,
#define C(ext, name, match, mask, format, base)  mask,
#include "cpu/isa/insn.def"
#undef I
#undef C
};
static const uint32_t row_matches[ROWS_ROUND] = {
#define I(ext, name, match, mask, format, class) match,
#define C(ext, name, match, mask, format, base)  match,
#include "cpu/isa/insn.def"
#undef I
#undef C
};

/* Whether one of the rows from `row` on may take the word. */
static bool one_may_take(unsigned row, uint32_t word)
{
    const uint32_t *masks = row_masks + row, *matches = row_matches + row;
    uint32_t taken = 0;

    for (unsigned i = 0; i < ROWS_AT_ONCE; i++)
        taken |= (uint32_t)((word & masks[i]) == matches[i]);
    return taken;
}

bool insn_decode_for(uint32_t word, uint64_t extensions, struct insn *out)
{
    word = trimmed(word);
    for (unsigned first = 0; first < ROW_COUNT && !is_longer(word); first += ROWS_AT_ONCE) {
        if (!one_may_take(first, word))
            continue;
        for (unsigned row = first; row < first + ROWS_AT_ONCE && row < ROW_COUNT; row++)
            if (row_takes(row, word, out) && insn_in(out, extensions))
                return true;
    }
    *out = not_an_insn(word);
    return false;
}

bool insn_read(insn_read_parcel *read, void *ctx, uint64_t va, uint32_t *word)
{
    uint16_t low, high = 0;

    if (!read(ctx, va, &low) || (insn_size(low) == 4 && !read(ctx, va + 2, &high)))
        return false;
    *word = (uint32_t)high << 16 | low;
    return true;
}

bool insn_decode(uint32_t word, struct insn *out)
{
    return insn_decode_for(word, EXTS_ALL, out);
}

static bool row_in(unsigned row, uint64_t extensions)
{
    return !((row_info(row)->needs | op_info(row_info(row)->op)->needs) & ~extensions);
}

bool insn_in(const struct insn *i, uint64_t extensions)
{
    return row_in(i->row, extensions);
}

/* ---- decoders: the rows sorted into buckets ---- */

/* Words that agree in opcode and funct3 share a bucket (vol. I, 2.2 and 27.3). */
enum { BUCKETS_SHORT = 32, BUCKETS_LONG = 256, BUCKETS = BUCKETS_SHORT + BUCKETS_LONG };

struct decoder {
    uint16_t first[BUCKETS + 1]; /* into rows, of each bucket */
    uint16_t *rows;              /* in the table's order */
};

static unsigned bucket_of(uint32_t word)
{
    if (insn_size((uint16_t)word) == 2)
        return (unsigned)(bits(word, 15, 13) << 2 | bits(word, 1, 0));
    return BUCKETS_SHORT + (unsigned)(bits(word, 14, 12) << 5 | bits(word, 6, 2));
}

/*
 * The buckets that may hold words of a row; returns how many. Of the bits that select a bucket,
 * each that is not in the row's mask may have either value.
 */
static unsigned buckets_of(const struct row_info *row, uint16_t list[BUCKETS])
{
    uint32_t open = (insn_size((uint16_t)row->match) == 2 ? 0xe003 : 0x707f) & ~row->mask;
    uint32_t value = 0;
    unsigned count = 0;

    do {
        list[count++] = (uint16_t)bucket_of(row->match | value);
        value = ((value | ~open) + 1) & open; /* the next number that has no other bits */
    } while (value);
    return count;
}

struct decoder *decoder_new(uint64_t extensions)
{
    struct decoder *d = xcalloc(1, sizeof *d);
    uint16_t list[BUCKETS], end[BUCKETS];

    for (unsigned row = 0; row < ROW_COUNT; row++)
        for (unsigned n = row_in(row, extensions) ? buckets_of(row_info(row), list) : 0; n--;)
            d->first[list[n] + 1]++;
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        d->first[bucket + 1] = (uint16_t)(d->first[bucket + 1] + d->first[bucket]);
        end[bucket] = d->first[bucket];
    }
    d->rows = xcalloc(d->first[BUCKETS], sizeof *d->rows);
    for (unsigned row = 0; row < ROW_COUNT; row++)
        for (unsigned n = row_in(row, extensions) ? buckets_of(row_info(row), list) : 0; n--;)
            d->rows[end[list[n]]++] = (uint16_t)row;
    return d;
}

void decoder_free(struct decoder *d)
{
    if (!d)
        return;
    free(d->rows);
    free(d);
}

bool decoder_decode(const struct decoder *d, uint32_t word, struct insn *out)
{
    unsigned bucket;

    word = trimmed(word);
    bucket = bucket_of(word);
    for (unsigned i = d->first[bucket]; i < d->first[bucket + 1] && !is_longer(word); i++)
        if (row_takes(d->rows[i], word, out))
            return true;
    *out = not_an_insn(word);
    return false;
}

bool insn_is_pair(const struct insn *auipc, const struct insn *jalr)
{
    return auipc->op == OP_auipc && jalr->op == OP_jalr && jalr->rs1 == auipc->rd &&
           jalr->rd != REG_ZERO && jalr->size == 4;
}

uint64_t pair_target(uint64_t pc, const struct insn *auipc, const struct insn *jalr)
{
    uint64_t sum = pc + (uint64_t)(int64_t)auipc->imm + (uint64_t)(int64_t)jalr->imm;

    return sum & ~UINT64_C(1); /* as jalr jumps */
}

bool insn_is_private(const struct insn *i)
{
    switch (op_class(i->op)) {
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_AMO:
    case CLASS_FENCE:
    case CLASS_PAUSE:
    case CLASS_CBO:
    case CLASS_CSR:
    case CLASS_FENCE_I:
    case CLASS_FENCE_VMA:
    case CLASS_VLOAD:
    case CLASS_VSTORE:
    case CLASS_SHADOW:
    case CLASS_SYSTEM: return false;
    default: return op_floating(i->op) != FLOATING_V; /* these may trap */
    }
}

bool insn_is_annotated(const struct insn *i)
{
    unsigned format = op_info(i->op)->format;

    return format == FORMAT_ALOAD || format == FORMAT_ASTORE;
}

bool insn_is_atomic(const struct insn *i)
{
    switch (op_class(i->op)) {
    case CLASS_AMO:
    case CLASS_CBO:
    case CLASS_SHADOW:
    case CLASS_SYSTEM:
    case CLASS_CSR:
    case CLASS_FENCE_VMA: return true;
    default: return false;
    }
}
