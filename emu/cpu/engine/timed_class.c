/*
 * timed_class.c - which class of a core model (timing/class.def) each operation belongs to.
 */
#include "cpu/isa/isa.h"
#include "cpu/timed_priv.h"

static bool is_format(unsigned op, enum format format)
{
    return op_info(op)->format == format;
}

/* The class of a move, comparison or conversion, which class.def has as one class. */
static enum core_class class_of_float_move(unsigned op)
{
    if (is_format(op, FORMAT_FCMP))
        return CORE_fcompare;
    if (is_format(op, FORMAT_FTO) || is_format(op, FORMAT_FOF) || is_format(op, FORMAT_FLI))
        return CORE_fmove;
    return CORE_fconvert;
}

static bool is_min_or_max(unsigned op)
{
    return op == OP_fmin_s || op == OP_fmax_s || op == OP_fmin_d || op == OP_fmax_d;
}

static enum core_class class_of_amo(unsigned op)
{
    if (op == OP_lr_w || op == OP_lr_d)
        return CORE_lr;
    return op == OP_sc_w || op == OP_sc_d ? CORE_sc : CORE_amo;
}

static enum core_class class_of_op(unsigned op)
{
    bool is_fma = is_format(op, FORMAT_FR4_RM), is_minmax = is_min_or_max(op);

    switch (op_class(op)) {
    case CLASS_ALU: return CORE_alu;
    case CLASS_MUL: return CORE_mul;
    case CLASS_DIV: return CORE_div;
    case CLASS_FMOVE: return class_of_float_move(op);
    case CLASS_FADD:
        return is_minmax ? CORE_fminmax : is_format(op, FORMAT_FR) ? CORE_fmove : CORE_fadd;
    case CLASS_FADD_D:
        return is_minmax ? CORE_fminmax_d : is_format(op, FORMAT_FR) ? CORE_fmove : CORE_fadd_d;
    case CLASS_FMUL: return is_fma ? CORE_fma : CORE_fmul;
    case CLASS_FMUL_D: return is_fma ? CORE_fma_d : CORE_fmul_d;
    case CLASS_FDIV: return op == OP_fdiv_d ? CORE_fdiv_d : CORE_fdiv;
    case CLASS_FSQRT: return CORE_fsqrt;
    case CLASS_FSQRT_D: return CORE_fsqrt_d;
    case CLASS_LOAD: return CORE_load;
    case CLASS_STORE: return CORE_store;
    case CLASS_AMO: return class_of_amo(op);
    case CLASS_FENCE: return CORE_fence;
    case CLASS_PAUSE: return CORE_pause;
    case CLASS_CBO: return CORE_cbo;
    case CLASS_SHADOW: return op == OP_ssrdp ? CORE_alu : CORE_amo;
    case CLASS_BRANCH: return CORE_branch;
    case CLASS_JUMP: return CORE_jump;
    case CLASS_JUMP_INDIRECT: return CORE_jump_indirect;
    case CLASS_CSR: return CORE_csr_write;
    case CLASS_FENCE_I: return CORE_fence_i;
    case CLASS_FENCE_VMA: return CORE_sfence;
    case CLASS_VSET: /* no core model has a vector unit */
    case CLASS_VECTOR:
    case CLASS_VMUL:
    case CLASS_VDIV:
    case CLASS_VFLOAT:
    case CLASS_VFDIV:
    case CLASS_VLOAD:
    case CLASS_VSTORE:
    case CLASS_SYSTEM:
    case CLASS_COUNT: break;
    }
    return CORE_system;
}

void timed_set_classes(uint8_t class[])
{
    for (unsigned op = 0; op < OP_COUNT; op++)
        class[op] = (uint8_t)class_of_op(op);
}
