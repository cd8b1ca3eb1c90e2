/*
 * test_decode.c - the instruction table is checked by itself, then the decoder is
 * compared with the manual's encodings written down a second time
 * (tests/isa/encode.h and the layouts below; ISA vol. I, chapters 26 and 34).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../isa/encode.h"
#include "base/compiler.h"
#include "base/rng.h"
#include "cpu/isa/decode.h"

static bool is_compressed(unsigned row)
{
    return insn_size((uint16_t)row_info(row)->match) == 2;
}

static bool fits_row(unsigned row, uint32_t word)
{
    return (word & row_info(row)->mask) == row_info(row)->match;
}

/* ---- the table by itself ---- */

static void no_match_bit_lies_outside_its_mask(void **state)
{
    (void)state;
    for (unsigned r = 0; r < ROW_COUNT; r++)
        if (row_info(r)->match & ~row_info(r)->mask)
            fail_msg("%s", row_info(r)->name);
}

static void every_mask_holds_the_bits_that_say_how_long(void **state)
{
    (void)state;
    for (unsigned r = 0; r < ROW_COUNT; r++) {
        uint32_t wanted = is_compressed(r) ? 0xe003 : 0x7f;

        if ((row_info(r)->mask & wanted) != wanted)
            fail_msg("%s", row_info(r)->name);
        if (is_compressed(r) && row_info(r)->mask >> 16)
            fail_msg("%s is compressed and has a mask of 32 bits", row_info(r)->name);
    }
}

/* Named hints, whose words are also encodings of another instruction, and that one. */
static const unsigned hint_rows[][2] = {
    {ROW_pause, ROW_fence},    {ROW_prefetch_i, ROW_ori}, {ROW_prefetch_r, ROW_ori},
    {ROW_prefetch_w, ROW_ori}, {ROW_ntl_p1, ROW_add},     {ROW_ntl_pall, ROW_add},
    {ROW_ntl_s1, ROW_add},     {ROW_ntl_all, ROW_add},    {ROW_lpad, ROW_auipc},
    {ROW_sspush, ROW_mop_rr},  {ROW_sspopchk, ROW_mop_r}, {ROW_ssrdp, ROW_mop_r},
};

/* What has taken encodings of C that were reserved or hints; test_insn.c has these. */
#define C_ALONE (EXTS_ALL & ~(uint64_t)(EXTS_Zcb | EXTS_Zcmop | EXTS_Zihintntl))

static bool is_hint_of(unsigned hint, unsigned base)
{
    for (size_t n = 0; n < ARRAY_LEN(hint_rows); n++)
        if (hint_rows[n][0] == hint && hint_rows[n][1] == base)
            return true;
    return false;
}

static void no_word_belongs_to_two_full_size_rows_but_a_hints_to_its_base(void **state)
{
    (void)state;
    for (unsigned a = 0; a < ROW_COUNT; a++)
        for (unsigned b = 0; b < a; b++) {
            const struct row_info *x = row_info(a), *y = row_info(b);
            bool share = !((x->match ^ y->match) & x->mask & y->mask);

            if (!is_compressed(a) && !is_compressed(b) && share != is_hint_of(b, a))
                fail_msg("%s and %s", x->name, y->name);
        }
}

/* The row that a word of row r decodes to: r itself, or a named hint in a row before it. */
static unsigned row_meant(unsigned r, uint32_t word)
{
    for (size_t n = 0; n < ARRAY_LEN(hint_rows); n++)
        if (hint_rows[n][1] == r && fits_row(hint_rows[n][0], word))
            return hint_rows[n][0];
    return r;
}

static void without_its_extension_a_hint_is_its_base(void **state)
{
    const uint64_t base_only = EXTS_I | EXTS_Zimop;

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(hint_rows); n++) {
        uint32_t word =
            row_info(hint_rows[n][0])->match | (hint_rows[n][0] == ROW_ssrdp ? 1 << 7 : 0);
        struct insn i;

        assert_true(insn_decode(word, &i));
        assert_int_equal(i.row, hint_rows[n][0]);
        assert_true(insn_decode_for(word, base_only, &i));
        assert_int_equal(i.row, hint_rows[n][1]);
    }
}

static void no_two_rows_have_one_name(void **state)
{
    (void)state;
    for (unsigned a = 0; a < ROW_COUNT; a++)
        for (unsigned b = 0; b < a; b++)
            if (strcmp(row_info(a)->name, row_info(b)->name) == 0)
                fail_msg("%s", row_info(a)->name);
}

/* Rounding modes 5 and 6, which the mask does not exclude, are illegal (vol. I, 20.2). */
static bool has_reserved_rounding(const struct row_info *info, uint32_t word)
{
    unsigned rm = word >> 12 & 7;

    return op_floating(info->op) != FLOATING_X && !(info->mask & 0x7000) && (rm == 5 || rm == 6);
}

static bool has_odd_pair(const struct row_info *info, uint32_t word)
{
    return info->format == FORMAT_CAS_PAIRS && (word & (1 << 20 | 1 << 7));
}

/* ssrdp to x0 is a may-be-operation still. */
static bool reads_ssp_to_zero(const struct row_info *info, uint32_t word)
{
    return info->format == FORMAT_SSRDP && !(word & 0xf80);
}

static void each_full_size_row_finds_itself_whatever_its_operands(void **state)
{
    struct rng rng = {1};

    (void)state;
    for (unsigned r = 0; r < ROW_COUNT; r++) {
        const struct row_info *info = row_info(r);

        for (unsigned n = 0; n < 2000 && !is_compressed(r); n++) {
            uint32_t free = n == 0 ? 0 : n == 1 ? UINT32_MAX : (uint32_t)rng_next(&rng);
            uint32_t word = info->match | (free & ~info->mask);
            unsigned meant = row_meant(r, word);
            struct insn i;

            if (has_reserved_rounding(info, word) || has_odd_pair(info, word) ||
                reads_ssp_to_zero(info, word))
                continue;
            if (!insn_decode(word, &i) || i.row != meant || i.op != row_info(meant)->op ||
                i.size != 4 || i.word != word)
                fail_msg("%s: %08x", info->name, word);
        }
    }
}

static void each_compressed_row_finds_itself(void **state)
{
    unsigned found[ROW_COUNT] = {0};

    (void)state;
    for (uint32_t parcel = 0; parcel < 0x10000; parcel++) {
        struct insn i;

        if (insn_size((uint16_t)parcel) == 2 && insn_decode(parcel, &i)) {
            found[i.row]++;
            if (!fits_row(i.row, parcel) || i.size != 2 || i.word != parcel)
                fail_msg("%04x as %s", parcel, row_info(i.row)->name);
        }
    }
    for (unsigned r = 0; r < ROW_COUNT; r++)
        if (is_compressed(r) && !found[r])
            fail_msg("%s is never found", row_info(r)->name);
}

/* ---- compressed instructions against the manual ---- */

static unsigned parcel_bits(uint32_t parcel, unsigned hi, unsigned lo)
{
    return parcel >> lo & ((2U << (hi - lo)) - 1);
}

/* Which bit of the immediate each bit of the parcel is, from bit 12 down to bit 2. */
enum { NO = -1, LAYOUT_BITS = 11 };
typedef int8_t layout[LAYOUT_BITS];

static const layout ci = {5, NO, NO, NO, NO, NO, 4, 3, 2, 1, 0};
static const layout ci_lui = {17, NO, NO, NO, NO, NO, 16, 15, 14, 13, 12};
static const layout ci_16sp = {9, NO, NO, NO, NO, NO, 4, 6, 8, 7, 5};
static const layout ci_lwsp = {5, NO, NO, NO, NO, NO, 4, 3, 2, 7, 6};
static const layout ci_ldsp = {5, NO, NO, NO, NO, NO, 4, 3, 8, 7, 6};
static const layout css_sw = {5, 4, 3, 2, 7, 6, NO, NO, NO, NO, NO};
static const layout css_sd = {5, 4, 3, 8, 7, 6, NO, NO, NO, NO, NO};
static const layout ciw = {5, 4, 9, 8, 7, 6, 2, 3, NO, NO, NO};
static const layout cl_w = {5, 4, 3, NO, NO, NO, 2, 6, NO, NO, NO};
static const layout cl_d = {5, 4, 3, NO, NO, NO, 7, 6, NO, NO, NO};
static const layout cb = {8, 4, 3, NO, NO, NO, 7, 6, 2, 1, 5};
static const layout cj = {11, 4, 9, 8, 10, 6, 7, 3, 2, 1, 5};

static int unsigned_imm(uint32_t parcel, const layout where)
{
    int imm = 0;

    for (unsigned n = 0; n < LAYOUT_BITS; n++)
        if (where[n] != NO && parcel >> (12 - n) & 1)
            imm |= 1 << where[n];
    return imm;
}

/* Signed immediates have their sign in bit 12 of the parcel. */
static int signed_imm(uint32_t parcel, const layout where)
{
    int imm = unsigned_imm(parcel, where);

    return parcel & 0x1000 ? imm - (2 << where[0]) : imm;
}

/*
 * The manual's tables 26.3 to 26.6, quadrant by quadrant: the full-size word
 * that a parcel expands to, or 0 where it is reserved or for floating point.
 */
static uint32_t expand_quadrant_0(uint32_t p)
{
    unsigned low = 8 + parcel_bits(p, 4, 2), high = 8 + parcel_bits(p, 9, 7);

    switch (p >> 13) {
    case 0: return unsigned_imm(p, ciw) ? ADDI(low, SP, unsigned_imm(p, ciw)) : 0;
    case 1: return FLD(low, high, unsigned_imm(p, cl_d));
    case 2: return LW(low, high, unsigned_imm(p, cl_w));
    case 3: return LD(low, high, unsigned_imm(p, cl_d));
    case 5: return FSD(low, high, unsigned_imm(p, cl_d));
    case 6: return SW(low, high, unsigned_imm(p, cl_w));
    case 7: return SD(low, high, unsigned_imm(p, cl_d));
    default: return 0;
    }
}

static uint32_t expand_arithmetic(uint32_t p)
{
    unsigned rd = 8 + parcel_bits(p, 9, 7), rs2 = 8 + parcel_bits(p, 4, 2);

    switch (parcel_bits(p, 11, 10)) {
    case 0: return SRLI(rd, rd, unsigned_imm(p, ci));
    case 1: return SRAI(rd, rd, unsigned_imm(p, ci));
    case 2: return ANDI(rd, rd, signed_imm(p, ci));
    default: break;
    }
    switch (parcel_bits(p, 12, 12) << 2 | parcel_bits(p, 6, 5)) {
    case 0: return SUB(rd, rd, rs2);
    case 1: return XOR(rd, rd, rs2);
    case 2: return OR(rd, rd, rs2);
    case 3: return AND(rd, rd, rs2);
    case 4: return SUBW(rd, rd, rs2);
    case 5: return ADDW(rd, rd, rs2);
    default: return 0;
    }
}

static uint32_t expand_quadrant_1(uint32_t p)
{
    unsigned rd = parcel_bits(p, 11, 7), high = 8 + parcel_bits(p, 9, 7);
    int imm = signed_imm(p, ci);

    switch (p >> 13) {
    case 0: return ADDI(rd, rd, imm);
    case 1: return rd ? ADDIW(rd, rd, imm) : 0;
    case 2: return ADDI(rd, ZERO, imm);
    case 3:
        if (!imm) /* all of nzimm's bits are zero in either layout */
            return 0;
        return rd == SP ? ADDI(SP, SP, signed_imm(p, ci_16sp))
                        : LUI(rd, signed_imm(p, ci_lui) / 4096);
    case 4: return expand_arithmetic(p);
    case 5: return JAL(ZERO, signed_imm(p, cj));
    case 6: return BEQ(high, ZERO, signed_imm(p, cb));
    default: return BNE(high, ZERO, signed_imm(p, cb));
    }
}

static uint32_t expand_jump_or_move(uint32_t p)
{
    unsigned rd = parcel_bits(p, 11, 7), rs2 = parcel_bits(p, 6, 2);

    if (!parcel_bits(p, 12, 12)) {
        if (rs2)
            return ADD(rd, ZERO, rs2);
        return rd ? JALR(ZERO, rd, 0) : 0;
    }
    if (rs2)
        return ADD(rd, rd, rs2);
    return rd ? JALR(RA, rd, 0) : EBREAK;
}

static uint32_t expand_quadrant_2(uint32_t p)
{
    unsigned rd = parcel_bits(p, 11, 7), rs2 = parcel_bits(p, 6, 2);

    switch (p >> 13) {
    case 0: return SLLI(rd, rd, unsigned_imm(p, ci));
    case 2: return rd ? LW(rd, SP, unsigned_imm(p, ci_lwsp)) : 0;
    case 1: return FLD(rd, SP, unsigned_imm(p, ci_ldsp));
    case 3: return rd ? LD(rd, SP, unsigned_imm(p, ci_ldsp)) : 0;
    case 4: return expand_jump_or_move(p);
    case 5: return FSD(rs2, SP, unsigned_imm(p, css_sd));
    case 6: return SW(rs2, SP, unsigned_imm(p, css_sw));
    case 7: return SD(rs2, SP, unsigned_imm(p, css_sd));
    default: return 0;
    }
}

static uint32_t expand(uint32_t parcel)
{
    switch (parcel & 3) {
    case 0: return expand_quadrant_0(parcel);
    case 1: return expand_quadrant_1(parcel);
    default: return expand_quadrant_2(parcel);
    }
}

static bool same_operation(const struct insn *a, const struct insn *b)
{
    return a->op == b->op && a->rd == b->rd && a->rs1 == b->rs1 && a->rs2 == b->rs2 &&
           a->imm == b->imm;
}

static void every_parcel_is_what_the_manual_expands_it_to_or_reserved(void **state)
{
    unsigned decoded = 0;

    (void)state;
    for (uint32_t parcel = 0; parcel < 0x10000; parcel++) {
        struct insn small, full;
        uint32_t word;

        if (insn_size((uint16_t)parcel) == 4)
            continue;
        word = expand(parcel);
        if (insn_decode_for(parcel, C_ALONE, &small) != (word != 0))
            fail_msg("%04x is %s", parcel, word ? "refused" : "taken");
        if (!word)
            continue;
        assert_true(insn_decode_for(word, C_ALONE, &full));
        if (!same_operation(&small, &full))
            fail_msg("%04x: is not %08x", parcel, word);
        decoded++;
    }
    /* By quadrant: 2048 for each funct3, minus reserved ones. */
    assert_int_equal(decoded,
                     (7 * 2048 - 8) + (8 * 2048 - 64 - 32 - 128) + (8 * 2048 - 64 - 64 - 1));
}

static void the_upper_half_does_not_matter_to_a_compressed_instruction(void **state)
{
    struct insn a, b;

    (void)state;
    for (uint32_t parcel = 0; parcel < 0x10000; parcel++)
        if (insn_size((uint16_t)parcel) == 2 && insn_decode(parcel, &a)) {
            assert_true(insn_decode(parcel | 0xffff0000, &b));
            assert_memory_equal(&a, &b, sizeof a);
        }
}

/*
 * Which of the rows that fit a parcel takes it, said once more by the manual's
 * words beside the encodings. With it, "no parcel belongs to two rows" can be
 * tried on every parcel.
 */
static bool row_accepts(unsigned row, uint32_t p)
{
    unsigned rd = parcel_bits(p, 11, 7), rs2 = parcel_bits(p, 6, 2);
    bool imm = p & 0x107c;

    switch (row) {
    case ROW_c_addi4spn: return p & 0x1fe0;
    case ROW_c_addiw:
    case ROW_c_lwsp:
    case ROW_c_ldsp:
    case ROW_c_jr:
    case ROW_c_jalr: return rd;
    case ROW_c_addi16sp: return imm;
    case ROW_c_lui: return imm && rd != SP;
    case ROW_c_mv:
    case ROW_c_add: return rs2;
    default: return true;
    }
}

static void no_parcel_belongs_to_two_rows(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < 0x10000; p++) {
        unsigned owners = 0, owner = ROW_COUNT;
        struct insn i;

        if (insn_size((uint16_t)p) == 4)
            continue;
        for (unsigned r = 0; r < ROW_COUNT; r++)
            if (is_compressed(r) && !(row_info(r)->needs & ~C_ALONE) && fits_row(r, p) &&
                row_accepts(r, p)) {
                owners++;
                owner = r;
            }
        if (owners > 1 || insn_decode_for(p, C_ALONE, &i) != (owners == 1) ||
            (owners && i.row != owner))
            fail_msg("%04x: %u rows, %s", p, owners, owners ? row_info(owner)->name : "none");
    }
}

/* ---- prepared for a set of extensions ---- */

static void expect_same(const struct decoder *d, uint64_t extensions, uint32_t word)
{
    struct insn a, b;
    bool found = insn_decode_for(word, extensions, &a);

    if (decoder_decode(d, word, &b) != found || memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%08x", word);
}

static void a_prepared_decoder_says_the_same(void **state)
{
    static const uint64_t sets[] = {EXTS_ALL, EXTS_I, EXTS_I | EXTS_C,
                                    EXTS_ALL & ~(uint64_t)EXTS_C};
    struct rng rng = {7};

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(sets); n++) {
        struct decoder *d = decoder_new(sets[n]);

        for (uint32_t parcel = 0; parcel < 0x10000; parcel++)
            expect_same(d, sets[n], parcel);
        for (unsigned r = 0; r < ROW_COUNT; r++)
            for (unsigned i = 0; i < 50; i++)
                expect_same(d, sets[n],
                            row_info(r)->match | ((uint32_t)rng_next(&rng) & ~row_info(r)->mask));
        for (unsigned i = 0; i < 20000; i++)
            expect_same(d, sets[n], (uint32_t)rng_next(&rng));
        decoder_free(d);
    }
}

/* ---- full-size instructions against the manual ---- */

struct fields {
    uint32_t word;
    unsigned op;
    int32_t rd, rs1, rs2, imm;
};

static void assert_fields(const struct fields *f)
{
    struct insn i;

    assert_true(insn_decode(f->word, &i));
    if (i.op != f->op || i.rd != f->rd || i.rs1 != f->rs1 || i.rs2 != f->rs2 || i.imm != f->imm)
        fail_msg("%08x: %s %u %u %u %d, not op %u %d %d %d %d", f->word, row_info(i.row)->name,
                 i.rd, i.rs1, i.rs2, i.imm, f->op, f->rd, f->rs1, f->rs2, f->imm);
}

static void operands_of_every_format_are_where_the_manual_puts_them(void **state)
{
    struct rng rng = {2};

    (void)state;
    for (unsigned n = 0; n < 20000; n++) {
        int rd = (int)rng_below(&rng, 32), rs1 = (int)rng_below(&rng, 32);
        int rs2 = (int)rng_below(&rng, 32), imm12 = (int)rng_below(&rng, 4096) - 2048;
        int branch = ((int)rng_below(&rng, 4096) - 2048) * 2;
        int jump = ((int)rng_below(&rng, 1 << 20) - (1 << 19)) * 2;
        int upper = (int)rng_below(&rng, 1 << 20) - (1 << 19), shift = (int)rng_below(&rng, 64);
        int number = (int)rng_below(&rng, 4096);

        const struct fields all[] = {
            {LUI(rd, upper), OP_lui, rd, 0, 0, upper * 4096},
            {AUIPC(rd, upper), rd ? OP_auipc : OP_lpad, rd, 0, 0, upper * 4096},
            {JAL(rd, jump), OP_jal, rd, 0, 0, jump},
            {JALR(rd, rs1, imm12), OP_jalr, rd, rs1, 0, imm12},
            {BEQ(rs1, rs2, branch), OP_beq, 0, rs1, rs2, branch},
            {BGEU(rs1, rs2, branch), OP_bgeu, 0, rs1, rs2, branch},
            {LD(rd, rs1, imm12), OP_ld, rd, rs1, 0, imm12},
            {SD(rs2, rs1, imm12), OP_sd, 0, rs1, rs2, imm12},
            {ADDI(rd, rs1, imm12), OP_addi, rd, rs1, 0, imm12},
            {SRAI(rd, rs1, shift), OP_srai, rd, rs1, 0, shift},
            {SRAIW(rd, rs1, shift & 31), OP_sraiw, rd, rs1, 0, shift & 31},
            {SUB(rd, rs1, rs2), OP_sub, rd, rs1, rs2, 0},
            {REMUW(rd, rs1, rs2), OP_remuw, rd, rs1, rs2, 0},
            {FENCE(0, number >> 4 & 15, number & 15 ? number & 15 : 1), OP_fence, 0, 0, 0,
             (number & 240) + (number & 15 ? number & 15 : 1)},
            {CSRRW(rd, number, rs1), OP_csrrw, rd, rs1, 0, number},
            {CSRRCI(rd, number, rs1), OP_csrrci, rd, rs1, 0, number},
            {LR_D(number & 3, rd, rs1), OP_lr_d, rd, rs1, 0, 0},
            {SC_W(number & 3, rd, rs2, rs1), OP_sc_w, rd, rs1, rs2, number & 3},
            {AMOMAXU_D(number & 3, rd, rs2, rs1), OP_amomaxu_d, rd, rs1, rs2, number & 3},
            {SFENCE_VMA(rs1, rs2), OP_sfence_vma, 0, rs1, rs2, 0},
        };
        for (size_t f = 0; f < ARRAY_LEN(all); f++)
            assert_fields(&all[f]);
    }
}

/* ---- illegal words ---- */

struct refusal {
    const char *name;
    uint32_t word;
};

static void reserved_encodings_are_refused(void **state)
{
    static const struct refusal reserved[] = {
        {"all zero", 0x00000000},
        {"all one", 0xffffffff},
        {"48-bit prefix", 0x0000001f},
        {"64-bit prefix", 0x0000003f},
        {"192-bit prefix", 0x0000707f},
        {"c.addi4spn with zero", 0x0000},
        {"c.addi4spn a0 with zero", 0x0008},
        {"quadrant 0, funct3 4", 0x8000},
        {"c.addiw to x0", C_ADDIW(ZERO, 1)},
        {"c.lui with zero", C_LUI(A0, 0)},
        {"c.lui x0 with zero", C_LUI(ZERO, 0)},
        {"c.addi16sp with zero", C_ADDI16SP(0)},
        {"c.subw's neighbour 10", 0x9c41},
        {"c.subw's neighbour 11", 0x9c61},
        {"c.lwsp to x0", C_LWSP(ZERO, 4)},
        {"c.ldsp to x0", C_LDSP(ZERO, 8)},
        {"c.jr x0", C_JR(ZERO)},
        {"branch funct3 2", B_TYPE(8, A1, A0, 2, 0x63)},
        {"branch funct3 3", B_TYPE(8, A1, A0, 3, 0x63)},
        {"jalr funct3 1", I_TYPE(0, A0, 1, RA, 0x67)},
        {"load funct3 7", I_TYPE(0, A0, 7, A1, 0x03)},
        {"store funct3 4", S_TYPE(0, A1, A0, 4, 0x23)},
        {"store funct3 7", S_TYPE(0, A1, A0, 7, 0x23)},
        {"slli with bit 26", I_TYPE(0x040, A0, 1, A1, 0x13)},
        {"slli with bit 30", I_TYPE(0x400, A0, 1, A1, 0x13)},
        {"srli with bit 29", I_TYPE(0x200, A0, 5, A1, 0x13)},
        {"srai with bit 31", I_TYPE(0xc00, A0, 5, A1, 0x13)},
        {"slliw by 32", I_TYPE(0x020, A0, 1, A1, 0x1b)},
        {"srliw by 32", I_TYPE(0x020, A0, 5, A1, 0x1b)},
        {"sraiw by 32", I_TYPE(0x420, A0, 5, A1, 0x1b)},
        {"addiw funct3 2", I_TYPE(0, A0, 2, A1, 0x1b)},
        {"add with funct7 2", R_TYPE(2, A2, A1, 0, A0, 0x33)},
        {"sll with funct7 0x20", R_TYPE(0x20, A2, A1, 1, A0, 0x33)},
        {"mulh's place in 32 bits", R_TYPE(1, A2, A1, 1, A0, 0x3b)},
        {"addw funct3 2", R_TYPE(0, A2, A1, 2, A0, 0x3b)},
        {"cbo with rd", I_TYPE(0, A0, 2, A1, 0x0f)},
        {"cbo 3", I_TYPE(3, A0, 2, ZERO, 0x0f)},
        {"cbo 5", I_TYPE(5, A0, 2, ZERO, 0x0f)},
        {"misc-mem funct3 3", I_TYPE(0, A0, 3, ZERO, 0x0f)},
        {"clz's neighbour 3", I_TYPE(0x603, A0, 1, A1, 0x13)},
        {"clzw's neighbour 3", I_TYPE(0x603, A0, 1, A1, 0x1b)},
        {"sext.b of words", I_TYPE(0x604, A0, 1, A1, 0x1b)},
        {"rev8 of 32 bits", I_TYPE(0x698, A0, 5, A1, 0x13)},
        {"orc.b's neighbour 6", I_TYPE(0x286, A0, 5, A1, 0x13)},
        {"zext.h of 32 bits", R_TYPE(0x04, 0, A0, 4, A1, 0x33)},
        {"zext.h with rs2", R_TYPE(0x04, A2, A0, 4, A1, 0x3b)},
        {"roriw by 32", I_TYPE(0x620, A0, 5, A1, 0x1b)},
        {"clmul of words", R_TYPE(0x05, A2, A1, 1, A0, 0x3b)},
        {"sh1add's neighbour", R_TYPE(0x10, A2, A1, 1, A0, 0x33)},
        {"czero's neighbour", R_TYPE(0x07, A2, A1, 6, A0, 0x33)},
        {"wrs.nto with rd", I_TYPE(0x00d, ZERO, 0, A0, 0x73)},
        {"wrs.sto with rs1", I_TYPE(0x01d, A0, 0, ZERO, 0x73)},
        {"sinval.vma with rd", R_TYPE(0x0b, A1, A0, 0, A2, 0x73)},
        {"sfence.w.inval with rs1", R_TYPE(0x0c, 0, A0, 0, 0, 0x73)},
        {"sfence.inval.ir's neighbour", R_TYPE(0x0c, 2, 0, 0, 0, 0x73)},
        {"lr.w with rs2", A_TYPE(2, 0, A1, A0, 2, A2)},
        {"lr.d with rs2", A_TYPE(2, 3, A1, A0, 3, A2)},
        {"amo of 128 bits", A_TYPE(0, 0, A1, A0, 4, A2)},
        {"amo funct5 6", A_TYPE(0x06, 0, A1, A0, 4, A2)},
        {"amo funct5 0x1e", A_TYPE(0x1e, 0, A1, A0, 3, A2)},
        {"system funct3 4", I_TYPE(0, A0, 4, A1, 0x73)},
        {"ecall with rd", I_TYPE(0, ZERO, 0, A0, 0x73)},
        {"ecall with rs1", I_TYPE(0, A0, 0, ZERO, 0x73)},
        {"ebreak with rd", I_TYPE(1, ZERO, 0, A0, 0x73)},
        {"uret", R_TYPE(0x00, 2, 0, 0, 0, 0x73)},
        {"sret with rs1", R_TYPE(0x08, 2, A0, 0, 0, 0x73)},
        {"mret with rd", R_TYPE(0x18, 2, 0, 0, A0, 0x73)},
        {"wfi with rd", R_TYPE(0x08, 5, 0, 0, A0, 0x73)},
        {"sfence.vma with rd", R_TYPE(0x09, A1, A0, 0, A2, 0x73)},
        {"fadd.s in rounding mode 5", R_TYPE(0, A2, A1, 5, A0, 0x53)},
        {"fmadd.d in rounding mode 6", R_TYPE(1, A2, A1, 6, A0, 0x43)},
        {"fadd of 128 bits", R_TYPE(3, A2, A1, 0, A0, 0x53)},
        {"fsqrt.s with rs2", R_TYPE(0x2c, 1, A1, 0, A0, 0x53)},
        {"fsgnj.s funct3 3", R_TYPE(0x10, A2, A1, 3, A0, 0x53)},
        {"fcvt.s.s", R_TYPE(0x20, 0, A1, 0, A0, 0x53)},
        {"flq", I_TYPE(0, A1, 4, A0, 0x07)},
        {"custom-0", 0x0000000b},
        {"reserved opcode 0x6b", 0x0000006b},
        {"opcode 0x77", 0x00000077},
    };
    struct insn i;

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(reserved); n++) {
        if (insn_decode_for(reserved[n].word, C_ALONE, &i))
            fail_msg("%s (%08x) is %s", reserved[n].name, reserved[n].word, row_info(i.row)->name);
        assert_int_equal(i.size, insn_size((uint16_t)reserved[n].word));
    }
}

/* Hints are legal and do nothing: code generators rely on it. */
static void hints_are_instructions(void **state)
{
    static const struct refusal hints[] = {
        {"c.nop with immediate", C_ADDI(ZERO, 5)},
        {"c.addi by zero", C_ADDI(A0, 0)},
        {"c.li to x0", C_LI(ZERO, 5)},
        {"c.lui to x0", C_LUI(ZERO, 5)},
        {"c.mv to x0", C_MV(ZERO, A0)},
        {"c.add to x0", C_ADD(ZERO, A0)},
        {"c.slli of x0", C_SLLI(ZERO, 5)},
        {"c.slli by zero", C_SLLI(A0, 0)},
        {"c.srli by zero", C_SRLI(A0, 0)},
        {"c.srai by zero", C_SRAI(A0, 0)},
        {"lui to x0", LUI(ZERO, 5)},
        {"slti to x0", SLTI(ZERO, A0, 5)},
        {"pause", FENCE(0, 1, 0)},
        {"prefetch's neighbour 2", I_TYPE(2, A0, 6, ZERO, 0x13)},
        {"fence with a reserved mode", FENCE(5, 3, 3)},
        {"fence with rd and rs1", I_TYPE(0x0ff, A0, 0, A1, 0x0f)},
        {"fence.i with reserved fields", I_TYPE(0x123, A0, 1, A1, 0x0f)},
    };
    struct insn i;

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(hints); n++)
        if (!insn_decode(hints[n].word, &i))
            fail_msg("%s (%08x)", hints[n].name, hints[n].word);
}

static void what_is_refused_leaves_word_and_size_only(void **state)
{
    const struct insn full = {.size = 4, .word = 0xffffffff}, small = {.size = 2, .word = 0x8002};
    struct insn i;

    (void)state;
    memset(&i, 0xa5, sizeof i);
    assert_false(insn_decode(0xffffffff, &i));
    assert_memory_equal(&i, &full, sizeof i);
    memset(&i, 0xa5, sizeof i);
    assert_false(insn_decode(0xdead8002, &i));
    assert_memory_equal(&i, &small, sizeof i);
}

/* ---- call pairs ---- */

static uint64_t target_of(uint64_t pc, uint32_t upper, uint32_t lower)
{
    struct insn auipc, jalr;

    assert_true(insn_decode(upper, &auipc));
    assert_true(insn_decode(lower, &jalr));
    assert_true(insn_is_pair(&auipc, &jalr));
    return pair_target(pc, &auipc, &jalr);
}

static void the_sign_of_the_low_half_is_carried_into_a_pairs_target(void **state)
{
    (void)state;
    assert_int_equal(target_of(0x80001000, AUIPC(RA, 2), JALR(RA, RA, 0x10)), 0x80003010);
    assert_int_equal(target_of(0x80001000, AUIPC(RA, 2), JALR(RA, RA, 0x7ff)), 0x800037fe);
    assert_int_equal(target_of(0x80001000, AUIPC(RA, 3), JALR(RA, RA, -0x800)), 0x80003800);
    assert_int_equal(target_of(0x80001000, AUIPC(RA, 0), JALR(RA, RA, -4)), 0x80000ffc);
    assert_int_equal(target_of(0x80001000, AUIPC(RA, 0xfffff), JALR(RA, RA, -1)), 0x7ffffffe);
}

static void a_pairs_target_wraps_and_reaches_two_gigabytes(void **state)
{
    const uint64_t kernel = UINT64_C(0xffffffff80000000);

    (void)state;
    assert_int_equal(target_of(kernel, AUIPC(T0, 0x80000), JALR(T0, T0, 0)),
                     UINT64_C(0xffffffff00000000));
    assert_int_equal(target_of(kernel, AUIPC(T0, 0x7ffff), JALR(T0, T0, 0x7ff)),
                     UINT64_C(0xfffffffffffff7fe));
    assert_int_equal(target_of(0, AUIPC(RA, 0), JALR(RA, RA, -8)), UINT64_C(0xfffffffffffffff8));
}

static bool is_pair(uint32_t upper, uint32_t lower)
{
    struct insn a, b;

    return insn_decode(upper, &a) && insn_decode(lower, &b) && insn_is_pair(&a, &b);
}

static void a_pair_is_auipc_and_the_linking_jalr_that_uses_it(void **state)
{
    (void)state;
    assert_true(is_pair(AUIPC(RA, 1), JALR(RA, RA, 4)));
    assert_true(is_pair(AUIPC(T0, 1), JALR(T0, T0, 4)));
    assert_true(is_pair(AUIPC(T1, 1), JALR(RA, T1, 4)));
    assert_false(is_pair(AUIPC(T1, 1), JALR(ZERO, T1, 4))); /* a tail call links nothing */
    assert_false(is_pair(AUIPC(RA, 1), JALR(RA, T0, 4)));
    assert_false(is_pair(LUI(RA, 1), JALR(RA, RA, 4)));
    assert_false(is_pair(AUIPC(RA, 1), ADDI(RA, RA, 4)));
    assert_false(is_pair(AUIPC(RA, 1), C_JALR(RA)));
}

/* Code that ends at READABLE_END. */
enum { READABLE_END = 8 };
static const uint16_t readable[] = {0x0013, 0x0000, 0x0001, 0x0013};

static bool read_parcel(void *ctx, uint64_t va, uint16_t *parcel)
{
    unsigned *reads = ctx;

    ++*reads;
    if (va + 2 > READABLE_END)
        return false;
    *parcel = readable[va / 2];
    return true;
}

static void of_an_instruction_only_its_own_bytes_are_read(void **state)
{
    unsigned reads = 0;
    uint32_t word;

    (void)state;
    assert_true(insn_read(read_parcel, &reads, 0, &word));
    assert_int_equal(word, 0x00000013);
    assert_int_equal(reads, 2);
    assert_true(insn_read(read_parcel, &reads, 4, &word));
    assert_int_equal(word, 0x0001);
    assert_int_equal(reads, 3);
    assert_false(insn_read(read_parcel, &reads, 6, &word)); /* its second half cannot be read */
    assert_false(insn_read(read_parcel, &reads, READABLE_END, &word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_match_bit_lies_outside_its_mask),
        cmocka_unit_test(every_mask_holds_the_bits_that_say_how_long),
        cmocka_unit_test(no_word_belongs_to_two_full_size_rows_but_a_hints_to_its_base),
        cmocka_unit_test(without_its_extension_a_hint_is_its_base),
        cmocka_unit_test(no_two_rows_have_one_name),
        cmocka_unit_test(each_full_size_row_finds_itself_whatever_its_operands),
        cmocka_unit_test(each_compressed_row_finds_itself),
        cmocka_unit_test(every_parcel_is_what_the_manual_expands_it_to_or_reserved),
        cmocka_unit_test(the_upper_half_does_not_matter_to_a_compressed_instruction),
        cmocka_unit_test(no_parcel_belongs_to_two_rows),
        cmocka_unit_test(operands_of_every_format_are_where_the_manual_puts_them),
        cmocka_unit_test(reserved_encodings_are_refused),
        cmocka_unit_test(hints_are_instructions),
        cmocka_unit_test(a_prepared_decoder_says_the_same),
        cmocka_unit_test(what_is_refused_leaves_word_and_size_only),
        cmocka_unit_test(the_sign_of_the_low_half_is_carried_into_a_pairs_target),
        cmocka_unit_test(a_pairs_target_wraps_and_reaches_two_gigabytes),
        cmocka_unit_test(a_pair_is_auipc_and_the_linking_jalr_that_uses_it),
        cmocka_unit_test(of_an_instruction_only_its_own_bytes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
