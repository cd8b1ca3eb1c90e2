/* verifier_call.c - calls of helpers: their arguments, and what they leave behind. */
#include "verifier.h"
#include <linux/errno.h>

/* What is known of the arguments of a call so far. */
struct call_args {
    struct bpf_map *map;
};

static int check_map_arg(struct bpf_verifier_env *env, u32 regno, int func_id,
                         struct call_args *args)
{
    const struct bpf_reg_state *reg = reg_of(env, regno);

    if (reg->type != CONST_PTR_TO_MAP)
        return reject(env, -EACCES, "R%u type=%s expected=map_ptr", regno,
                      reg_type_name(reg->type));
    args->map = reg->map;
    if (!bpf_map_func_compatible(reg->map->map_type, func_id))
        return reject(env, -EINVAL, "cannot pass map_type %u into func %s#%d", reg->map->map_type,
                      bpf_func_name(func_id), func_id);
    return 0;
}

/* The size of the memory of the register before; fills: the helper writes it. */
static int check_size_arg(struct bpf_verifier_env *env, u32 regno, bool zero_ok, bool fills)
{
    const struct bpf_reg_state *reg = reg_of(env, regno);

    if (reg->type != SCALAR_VALUE)
        return reject(env, -EACCES, "R%u type=%s expected=scalar", regno, reg_type_name(reg->type));
    if (!reg->umin && !zero_ok)
        return reject(env, -EACCES, "R%u invalid zero-sized read", regno);
    if (reg->umax >= BPF_MAX_VAR_OFF)
        return reject(env, -EACCES,
                      "R%u unbounded memory access, use 'var &= const' or "
                      "'if (var < const)'",
                      regno);
    return check_mem_arg(env, regno - 1, reg->umax, fills, is_const(reg));
}

static int check_arg(struct bpf_verifier_env *env, const struct bpf_func_proto *proto, u32 i,
                     int func_id, struct call_args *args)
{
    u32 regno = BPF_REG_1 + i;
    int err = proto->arg_type[i] == ARG_DONTCARE ? 0 : check_reg_read(env, regno);

    if (err)
        return err;
    switch (proto->arg_type[i]) {
    case ARG_CONST_MAP_PTR: return check_map_arg(env, regno, func_id, args);
    case ARG_PTR_TO_MAP_KEY: return check_mem_arg(env, regno, args->map->key_size, false, true);
    case ARG_PTR_TO_MAP_VALUE: return check_mem_arg(env, regno, args->map->value_size, false, true);
    case ARG_CONST_SIZE:
    case ARG_CONST_SIZE_OR_ZERO:
        return check_size_arg(env, regno, proto->arg_type[i] == ARG_CONST_SIZE_OR_ZERO,
                              proto->arg_type[i - 1] == ARG_PTR_TO_UNINIT_MEM);
    case ARG_PTR_TO_CTX:
        if (reg_of(env, regno)->type != PTR_TO_CTX)
            return reject(env, -EACCES, "R%u type=%s expected=ctx", regno,
                          reg_type_name(reg_of(env, regno)->type));
        return 0;
    default: return 0; /* memory is checked with its size */
    }
}

/* Of a value of a map each call has an id: the number of its instruction, which runs once. */
static void set_result(struct bpf_verifier_env *env, const struct bpf_func_proto *proto,
                       const struct call_args *args)
{
    struct bpf_reg_state *r0 = reg_of(env, BPF_REG_0);
    u32 i;

    for (i = BPF_REG_1; i <= BPF_REG_5; i++)
        *reg_of(env, i) = (struct bpf_reg_state){.type = NOT_INIT};
    if (proto->ret_type == RET_INTEGER) {
        mark_unknown(r0, 64);
        return;
    }
    mark_pointer(r0, PTR_TO_MAP_VALUE_OR_NULL, args->map);
    r0->id = env->idx;
}

int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    const struct bpf_func_proto *proto = bpf_get_func_proto(insn->imm);
    struct call_args args = {NULL};
    int err = 0;
    u32 i;

    if (insn->off || insn->dst_reg || insn->src_reg)
        return reject(env, -EINVAL, "BPF_CALL uses reserved fields");
    if (!proto)
        return reject(env, -EINVAL, "unknown func %s#%d", bpf_func_name(insn->imm), insn->imm);
    if (proto->gpl_only && !env->prog->gpl_compatible)
        return reject(env, -EINVAL,
                      "cannot call GPL-restricted function from non-GPL compatible "
                      "program");
    for (i = 0; i < ARRAY_SIZE(proto->arg_type) && !err; i++)
        err = check_arg(env, proto, i, insn->imm, &args);
    if (!err)
        set_result(env, proto, &args);
    return err;
}
