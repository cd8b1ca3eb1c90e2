/*
 * insn_effect.c - see insn_effect.h.
 */
#include "ftrace/audit/breakpoints/insn_effect.h"

#include "cpu/isa/isa.h"

static bool is_branch(const struct insn *i)
{
    switch (i->op) {
    case OP_beq:
    case OP_bne:
    case OP_blt:
    case OP_bge:
    case OP_bltu:
    case OP_bgeu: return true;
    default: return false;
    }
}

bool insn_uses_pc(const struct insn *i)
{
    return i->op == OP_auipc || i->op == OP_jal || i->op == OP_jalr || is_branch(i);
}

static bool is_taken(const struct insn *i, uint64_t a, uint64_t b)
{
    switch (i->op) {
    case OP_beq: return a == b;
    case OP_bne: return a != b;
    case OP_blt: return (int64_t)a < (int64_t)b;
    case OP_bge: return (int64_t)a >= (int64_t)b;
    case OP_bltu: return a < b;
    default: return a >= b;
    }
}

static uint64_t of_word(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

/* The result of an arithmetic instruction. False: it is none of these. */
static bool compute(const struct insn *i, uint64_t a, uint64_t b, uint64_t *value)
{
    uint64_t imm = (uint64_t)(int64_t)i->imm;

    switch (i->op) {
    case OP_lui: *value = imm; return true;
    case OP_addi: *value = a + imm; return true;
    case OP_andi: *value = a & imm; return true;
    case OP_ori: *value = a | imm; return true;
    case OP_xori: *value = a ^ imm; return true;
    case OP_slti: *value = (int64_t)a < (int64_t)imm; return true;
    case OP_sltiu: *value = a < imm; return true;
    case OP_slli: *value = a << (imm & 63); return true;
    case OP_srli: *value = a >> (imm & 63); return true;
    case OP_add: *value = a + b; return true;
    case OP_sub: *value = a - b; return true;
    case OP_and: *value = a & b; return true;
    case OP_or: *value = a | b; return true;
    case OP_xor: *value = a ^ b; return true;
    case OP_slt: *value = (int64_t)a < (int64_t)b; return true;
    case OP_sltu: *value = a < b; return true;
    case OP_addiw: *value = of_word(a + imm); return true;
    case OP_addw: *value = of_word(a + b); return true;
    case OP_subw: *value = of_word(a - b); return true;
    default: return false;
    }
}

bool insn_effect(const struct insn *i, uint64_t pc, const uint64_t *regs, struct insn_effect *e)
{
    uint64_t imm = (uint64_t)(int64_t)i->imm, next = pc + i->size;

    *e = (struct insn_effect){.pc = next};
    if (is_branch(i)) {
        e->pc = is_taken(i, regs[i->rs1], regs[i->rs2]) ? pc + imm : next;
        return true;
    }
    e->rd = i->rd;
    switch (i->op) {
    case OP_lpad:
    case OP_auipc: e->value = pc + imm; return true;
    case OP_jal:
        e->value = next;
        e->pc = pc + imm;
        return true;
    case OP_jalr:
        e->value = next;
        e->pc = (regs[i->rs1] + imm) & ~UINT64_C(1);
        return true;
    default: return compute(i, regs[i->rs1], regs[i->rs2], &e->value);
    }
}
