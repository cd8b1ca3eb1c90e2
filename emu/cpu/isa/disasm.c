/*
 * disasm.c - see disasm.h. Instructions come from decode.c and format.def,
 * aliases from alias.def, the names of CSRs from csr.def. No encoding is known
 * here but the position of aq and rl in atomic instructions, and of numbers in c.mop.
 *
 * A compressed instruction is written as the one it expands to. Where binutils
 * 2.40 writes `and a0,a0,1` for an andi we keep the manual's name, and comments
 * after '#' are left out (tests/isa/objdump_differences.txt has all differences).
 */
#include "cpu/isa/disasm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/compiler.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/float.h"

/* ---- tables ---- */

static const char *const patterns[] = {
#define F(name, text, floating) text,
#include "cpu/isa/format.def"
#undef F
};

enum { ANY = INT32_MIN, SAME }; /* SAME: it is rs1 */

struct alias {
    unsigned row;
    int32_t rd, rs1, rs2, imm;
    const char *name, *operands;
};

static const struct alias aliases[] = {
#define A(row, rd, rs1, rs2, imm, name, operands) {ROW_##row, rd, rs1, rs2, imm, #name, operands},
#include "cpu/isa/alias.def"
#undef A
};

struct csr_text {
    unsigned number;
    const char *name;
};

static const struct csr_text csrs[] = {
#define FN(ext, name, number)           {number, #name},
#define FIELD(ext, name, number, mask)  {number, #name},
#define CONST(ext, name, number, value) {number, #name},
#define RANGE(ext, prefix, first, last, start, value)
#define BANK(ext, prefix, first, last, start)
#include "cpu/isa/csr.def"
#undef FN
#undef FIELD
#undef CONST
#undef RANGE
#undef BANK
};

/* The names of a RANGE or BANK, by suffix. */
#define NAMES_0_TO_63(p)                                                                      \
    {                                                                                         \
        p "0", p "1", p "2", p "3", p "4", p "5", p "6", p "7", p "8", p "9", p "10", p "11", \
            p "12", p "13", p "14", p "15", p "16", p "17", p "18", p "19", p "20", p "21",   \
            p "22", p "23", p "24", p "25", p "26", p "27", p "28", p "29", p "30", p "31",   \
            p "32", p "33", p "34", p "35", p "36", p "37", p "38", p "39", p "40", p "41",   \
            p "42", p "43", p "44", p "45", p "46", p "47", p "48", p "49", p "50", p "51",   \
            p "52", p "53", p "54", p "55", p "56", p "57", p "58", p "59", p "60", p "61",   \
            p "62", p "63"                                                                    \
    }
enum { SUFFIXES = 64 };

struct csr_range {
    unsigned first, last, start;
    const char *names[SUFFIXES];
};

static const struct csr_range ranges[] = {
#define FN(ext, name, number)
#define FIELD(ext, name, number, mask)
#define CONST(ext, name, number, value)
#define RANGE(ext, prefix, first, last, start, value) {first, last, start, NAMES_0_TO_63(#prefix)},
#define BANK(ext, prefix, first, last, start)         {first, last, start, NAMES_0_TO_63(#prefix)},
#include "cpu/isa/csr.def"
#undef RANGE
#undef BANK
};

#define RANGE(ext, prefix, first, last, start, value) BANK(ext, prefix, first, last, start)
#define BANK(ext, prefix, first, last, start) \
    _Static_assert((start) + (last) - (first) < SUFFIXES, #prefix " has more names than that");
#include "cpu/isa/csr.def"
#undef FN
#undef FIELD
#undef CONST
#undef RANGE
#undef BANK

const char *csr_name(unsigned number)
{
    for (size_t i = 0; i < ARRAY_LEN(csrs); i++)
        if (csrs[i].number == number)
            return csrs[i].name;
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return ranges[i].names[ranges[i].start + number - ranges[i].first];
    return NULL;
}

/* ---- a bounded text ---- */

struct text {
    char *at;
    size_t len, size;
};

/* Appends. Text that does not fit is cut: names of addresses may have any length. */
static void PRINTF_LIKE(2, 3) put(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at + t->len, t->size - t->len, format, args);
    va_end(args);
    assert(n >= 0);
    t->len += (size_t)n < t->size - t->len ? (size_t)n : t->size - t->len - 1;
}

/*
 * Names in the tables are C identifiers: '_' stands for '.', and N for "segN" in the name of a
 * vector instruction with N fields.
 */
static void put_mnemonic(struct text *t, const char *name, const struct insn *i)
{
    unsigned fields = 1 + (unsigned)bits((uint32_t)i->imm, IMM_NF_SHIFT + 2, IMM_NF_SHIFT);

    for (; *name; name++)
        if (*name != 'N')
            put(t, "%c", *name == '_' ? '.' : *name);
        else if (fields > 1)
            put(t, "seg%u", fields);
}

/* ---- operands ---- */

static void put_address(struct text *t, uint64_t address, const struct disasm_names *names)
{
    char name[DISASM_MAX] = "";

    if (names)
        names->name(names->ctx, address, name, sizeof name);
    if (name[0])
        put(t, "%" PRIx64 " <%s>", address, name);
    else
        put(t, "0x%" PRIx64, address);
}

static void put_csr(struct text *t, unsigned number)
{
    const char *name = csr_name(number);

    if (name)
        put(t, "%s", name);
    else
        put(t, "0x%x", number);
}

/* The predecessor or successor set of a fence: input, output, reads, writes. */
static void put_fence_set(struct text *t, unsigned set)
{
    static const char letters[] = "wroi";

    for (unsigned n = 4; n-- > 0;)
        if (set >> n & 1)
            put(t, "%c", letters[n]);
    if (!set)
        put(t, "unknown");
}

/* A comma and the rounding mode, unless it is `unsaid`, the default that is not written. */
static void put_rounding(struct text *t, unsigned rounding, unsigned unsaid)
{
    static const char *const names[8] = {"rne", "rtz", "rdn", "rup", "rmm", "5", "6", "dyn"};

    if (rounding != unsaid)
        put(t, ",%s", names[rounding]);
}

static void put_constant(struct text *t, unsigned index)
{
    union {
        uint64_t pattern;
        double value;
    } u = {float_constant(FLOAT_D, index)};

    if (index == 1)
        put(t, "min");
    else if (index >= 30)
        put(t, index == 30 ? "inf" : "nan");
    else
        put(t, "%.12g%s", u.value, u.value == (double)(int)u.value ? ".0" : "");
}

/* As e32,m1,ta,ma; a reserved value as a number. */
static void put_vtype(struct text *t, unsigned vtype)
{
    static const char *const lmuls[] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    unsigned lmul = vtype & 7, sew = vtype >> 3 & 7;

    if (!lmuls[lmul] || sew > 3 || vtype >> 8)
        put(t, "%u", vtype);
    else
        put(t, "e%u,%s,%s,%s", 8U << sew, lmuls[lmul], vtype & 0x40 ? "ta" : "tu",
            vtype & 0x80 ? "ma" : "mu");
}

static void put_operand(struct text *t, char letter, uint64_t pc, const struct insn *i,
                        const struct disasm_names *names)
{
    unsigned uimm = (unsigned)i->imm;

    switch (letter) {
    case 'd': put(t, "%s", reg_name(i->rd)); break;
    case 's': put(t, "%s", reg_name(i->rs1)); break;
    case 't': put(t, "%s", reg_name(i->rs2)); break;
    case 'D': put(t, "%s", freg_name(i->rd)); break;
    case 'S': put(t, "%s", freg_name(i->rs1)); break;
    case 'T': put(t, "%s", freg_name(i->rs2)); break;
    case 'R': put(t, "%s", freg_name(uimm >> IMM_RS3_SHIFT)); break;
    case 'm': put_rounding(t, imm_rounding(i->imm), ROUND_DYNAMIC); break;
    case 'M': put_rounding(t, imm_rounding(i->imm), ROUND_NEAREST_EVEN); break;
    case 'l': put_constant(t, i->rs1); break;
    case 'i': put(t, "%" PRId32, i->imm); break;
    case 'h': put(t, "0x%x", uimm); break;
    case 'u': put(t, "0x%x", uimm >> 12); break;
    case 'b': put_address(t, pc + (uint64_t)(int64_t)i->imm, names); break;
    case 'c': put_csr(t, uimm); break;
    case 'z': put(t, "%u", i->rs1); break;
    case 'v': put(t, "v%u", i->rd); break;
    case 'w': put(t, "v%u", i->rs2); break;
    case 'x': put(t, "v%u", i->rs1); break;
    case 'k': put(t, "%d", (int)sign_extend(i->rs1, 5)); break;
    case 'n': put(t, "%u", i->rs1); break;
    case 'q': put(t, "%u", i->rs1 | (unsigned)bit(uimm, IMM_LONG_SHIFT) << 5); break;
    case 'o': put(t, "v0"); break;
    case 'y': put(t, "%s", uimm & IMM_VM ? "" : ",v0.t"); break;
    case 'e': put_vtype(t, uimm & 0x7ff); break;
    case 'f':
        put_fence_set(t, uimm >> 4 & 15);
        put(t, ",");
        put_fence_set(t, uimm & 15);
        break;
    default: put(t, "%c", letter); break;
    }
}

/* ---- instructions ---- */

static bool fits(int32_t wanted, int32_t is)
{
    return wanted == ANY || wanted == is;
}

static bool alias_applies(const struct alias *a, const struct insn *i)
{
    return (a->row == i->row || row_info(a->row) == op_info(i->op)) &&
           fits(a->rd == SAME ? i->rs1 : a->rd, i->rd) && fits(a->rs1, i->rs1) &&
           fits(a->rs2 == SAME ? i->rs1 : a->rs2, i->rs2) && fits(a->imm, i->imm);
}

static const struct alias *alias_of(const struct insn *i)
{
    for (size_t n = 0; n < ARRAY_LEN(aliases); n++)
        if (alias_applies(&aliases[n], i))
            return &aliases[n];
    return NULL;
}

/* What the word adds to the name: acquire and release in bits 26 and 25, the number of a
 * may-be-operation. */
static void put_suffix(struct text *t, const struct insn *i)
{
    static const char *const ordering[] = {"", ".rl", ".aq", ".aqrl"};

    switch (row_info(i->row)->format) {
    case FORMAT_AMO:
    case FORMAT_CAS:
    case FORMAT_CAS_PAIRS:
    case FORMAT_SSAMOSWAP:
    case FORMAT_LR: put(t, "%s", ordering[bits(i->word, 26, 25)]); break;
    case FORMAT_MOP_R:
    case FORMAT_MOP_RR: put(t, ".%d", (int)i->imm); break;
    case FORMAT_C_MOP: put(t, ".%u", (unsigned)bits(i->word, 10, 8) * 2 + 1); break;
    default: break;
    }
}

static void put_insn(struct text *t, uint64_t pc, const struct insn *i,
                     const struct disasm_names *names)
{
    const struct row_info *info = op_info(i->op);
    const struct alias *alias = alias_of(i);
    const char *pattern = alias ? alias->operands : patterns[info->format];

    put_mnemonic(t, alias ? alias->name : info->name, i);
    put_suffix(t, i);
    if (pattern[0])
        put(t, "\t");
    for (; *pattern; pattern++)
        put_operand(t, *pattern, pc, i, names);
}

unsigned disasm(uint64_t pc, uint32_t word, const struct disasm_names *names, char text[DISASM_MAX])
{
    struct text t = {.at = text, .size = DISASM_MAX};
    struct insn i;

    if (insn_decode(word, &i))
        put_insn(&t, pc, &i, names);
    else
        put(&t, ".%ubyte\t0x%x", (unsigned)i.size, i.word);
    return i.size;
}

void disasm_vtype(unsigned vtype, char text[DISASM_MAX])
{
    struct text t = {.at = text, .size = DISASM_MAX};

    put_vtype(&t, vtype);
}
