/*
 * isa.h - the instruction set: an enum for each of the tables insn.def, format.def
 * and class.def, and the decoded instruction.
 */
#ifndef CPU_ISA_H
#define CPU_ISA_H

#include <stdint.h>

#include "cpu/isa/extension.h"

/* Operations: the full-size rows. A compressed instruction is the operation it expands to. */
enum op {
#define I(ext, name, match, mask, format, class) OP_##name,
#define C(ext, name, match, mask, format, base)
#include "cpu/isa/insn.def"
#undef I
#undef C
    OP_COUNT,
};

/* Encodings, compressed ones included: the rows of insn.def, in order. */
enum row {
#define I(ext, name, match, mask, format, class) ROW_##name,
#define C(ext, name, match, mask, format, base)  ROW_##name,
#include "cpu/isa/insn.def"
#undef I
#undef C
    ROW_COUNT,
};

enum format {
#define F(name, text, floating) FORMAT_##name,
#include "cpu/isa/format.def"
#undef F
    FORMAT_COUNT,
};

enum timing_class {
#define T(name, issue, data, branch, end) CLASS_##name,
#include "cpu/isa/class.def"
#undef T
    CLASS_COUNT,
};

/* The integer registers that the calling convention, SBI calls and ftrace use by name. */
enum {
    REG_ZERO = 0,
    REG_RA = 1,
    REG_SP = 2,
    REG_GP = 3,
    REG_TP = 4,
    REG_T0 = 5,
    REG_S0 = 8,
    REG_A0 = 10,
    REG_A1 = 11,
    REG_A2 = 12,
    REG_A6 = 16,
    REG_A7 = 17,
    REG_T1 = 6
};

/* How an instruction uses the floating-point state. */
enum floating {
    FLOATING_X,  /* not at all */
    FLOATING_FU, /* uses it */
    FLOATING_FW, /* rd is a floating-point register */
    FLOATING_V,  /* a vector instruction: it checks that itself; rd is no integer register */
};

/*
 * imm of an instruction that rounds: bits 15 to 0 are the mask float_look_at() of its rounding
 * mode, by which the engine decides if the host may compute it (float_ops.h); then the rounding
 * mode (float.h); then the number of rs3.
 */
enum { IMM_LOOK_AT = 0xffff, IMM_ROUNDING_SHIFT = 16, IMM_RS3_SHIFT = 24 };

static inline unsigned imm_rounding(int32_t imm)
{
    return (unsigned)imm >> IMM_ROUNDING_SHIFT & 7;
}

/*
 * imm of a vector instruction: bits 31 to 16 number the operation, from FIRST_VECTOR_OP on; below
 * are the fields of the word that are in no register's place: bit 0 is vm, bits 3 to 1 are nf, bit
 * 4 the sixth bit of a long immediate; or, of a vset{i}vli, the new vtype.
 */
enum { FIRST_VECTOR_OP = OP_vsetvli, VECTOR_OPS = OP_COUNT - FIRST_VECTOR_OP };
enum { IMM_VECTOR_OP_SHIFT = 16, IMM_VM = 1, IMM_NF_SHIFT = 1, IMM_LONG_SHIFT = 4 };

struct insn {
    uint16_t op;  /* enum op */
    uint16_t row; /* enum row: how it was encoded */
    uint8_t rd, rs1, rs2;
    uint8_t size;  /* bytes: 2 or 4 */
    int32_t imm;   /* immediate, shift amount, CSR number, fence sets or rounding, by format */
    uint32_t word; /* as in memory; a compressed one in the low half */
};

/* The constants of a row of insn.def. */
struct row_info {
    const char *name; /* as in insn.def: '_' stands for '.' */
    uint32_t match, mask;
    uint8_t format; /* enum format */
    uint16_t op;    /* enum op: its own, or that of the instruction it expands to */
    uint64_t needs; /* set of extensions (enum extension_set) */
};

const struct row_info *row_info(unsigned row); /* row < ROW_COUNT */
const struct row_info *op_info(unsigned op); /* the full-size row of an operation; op < OP_COUNT */
enum timing_class op_class(unsigned op);     /* op < OP_COUNT */
enum floating op_floating(unsigned op);      /* op < OP_COUNT */
bool op_reads_rd(unsigned op);               /* a compare and swap; op < OP_COUNT */
/* The integer registers that an instruction reads, and those that it writes, a bit each. */
uint32_t op_sources(const struct insn *i);
uint32_t op_targets(const struct insn *i);
const char *freg_name(unsigned reg); /* of a floating-point register; reg < 32 */
const char *reg_name(unsigned reg);  /* ABI name; reg < 32 */

#endif
