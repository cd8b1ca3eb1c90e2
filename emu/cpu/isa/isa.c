/*
 * isa.c - the tables of isa.h.
 */
#include "cpu/isa/isa.h"

#include <string.h>

#include <stddef.h>

static const uint8_t classes[] = {
#define I(ext, name, match, mask, format, class) CLASS_##class,
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
};

static const struct row_info rows[] = {
#define I(ext, name, match, mask, format, class) \
    {#name, match, mask, FORMAT_##format, OP_##name, EXTS_##ext},
#define C(ext, name, match, mask, format, base) \
    {#name, match, mask, FORMAT_##format, OP_##base, EXTS_##ext},
#include "cpu/isa/insn.def"
#undef I
#undef C
};

static const uint16_t row_of_op[] = {
#define I(ext, name, match, mask, format, class) ROW_##name,
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
};

static const char *const freg_names[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

static const uint8_t floatings[] = {
#define F(name, text, floating) FLOATING_##floating,
#include "cpu/isa/format.def"
#undef F
};

static const char *const operand_texts[] = {
#define F(name, text, floating) text,
#include "cpu/isa/format.def"
#undef F
};

static const char *const reg_names[32] = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

const struct row_info *row_info(unsigned row)
{
    return &rows[row];
}

const struct row_info *op_info(unsigned op)
{
    return &rows[row_of_op[op]];
}

enum timing_class op_class(unsigned op)
{
    return (enum timing_class)classes[op];
}

enum floating op_floating(unsigned op)
{
    return (enum floating)floatings[op_info(op)->format];
}

/* The register, or the pair that begins with it: of x0 all is zero. */
static uint32_t registers_at(const struct insn *i, unsigned reg)
{
    return (op_info(i->op)->format == FORMAT_CAS_PAIRS && reg ? UINT32_C(3) : UINT32_C(1)) << reg;
}

bool op_reads_rd(unsigned op)
{
    return op_info(op)->format == FORMAT_CAS || op_info(op)->format == FORMAT_CAS_PAIRS;
}

uint32_t op_sources(const struct insn *i)
{
    const char *operands = operand_texts[op_info(i->op)->format];

    return (strchr(operands, 's') ? UINT32_C(1) << i->rs1 : 0) |
           (strchr(operands, 't') ? registers_at(i, i->rs2) : 0) |
           (op_reads_rd(i->op) ? registers_at(i, i->rd) : 0);
}

uint32_t op_targets(const struct insn *i)
{
    return strchr(operand_texts[op_info(i->op)->format], 'd') ? registers_at(i, i->rd) : 0;
}

const char *freg_name(unsigned reg)
{
    return freg_names[reg];
}

const char *reg_name(unsigned reg)
{
    return reg_names[reg];
}
