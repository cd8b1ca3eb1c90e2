/*
 * verifier_call.c - calls of helpers, with the types of their arguments, and of the program's
 * functions.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>

/* What the arguments of a helper have told so far. */
struct call_meta {
    struct bpf_map *map;
    bool uninit;      /* the last pointer is to memory that the helper fills */
    u64 mem_size;     /* of the record to reserve */
    u64 max_size;     /* of the memory */
    u32 release;      /* id of the record to release */
    int uninit_regno; /* register of memory that is filled */
    int subprog;      /* the function that the helper calls */
};

static int expected(struct bpf_verifier_env *env, int regno, const char *types)
{
    verbose(env, "R%d type=%s expected=%s\n", regno, reg_type_name(cur_regs(env)[regno].type),
            types);
    return -EACCES;
}

static int check_helper_mem(struct bpf_verifier_env *env, int regno, int size, bool zero_ok,
                            bool write, bool uninit)
{
    struct bpf_reg_state *reg = &cur_regs(env)[regno];
    int err;

    switch (reg->type) {
    case PTR_TO_MAP_VALUE:
        err = check_map_flags(env, reg, reg->off, size, write);
        return err ? err
                   : check_region_access(env, regno, reg, 0, size, reg->map->value_size, zero_ok);
    case PTR_TO_MEM: return check_region_access(env, regno, reg, 0, size, reg->mem_size, zero_ok);
    case PTR_TO_STACK: return check_stack_arg(env, regno, reg, size, zero_ok, uninit);
    default:
        if (!size && zero_ok && is_null(reg))
            return 0;
        verbose(env, "R%d type=%s expected=fp\n", regno, reg_type_name(reg->type));
        return -EACCES;
    }
}

static int check_mem_size(struct bpf_verifier_env *env, int regno, bool zero_ok,
                          struct call_meta *meta)
{
    const struct bpf_reg_state *size = &cur_regs(env)[regno];
    bool uninit = meta->uninit && tnum_is_const(size->var_off);
    int err;

    meta->max_size = size->wide.umax;
    if (size->wide.smin < 0) {
        verbose(env, "R%d min value is negative, either use unsigned or 'var &= const'\n", regno);
        return -EACCES;
    }
    if (!size->wide.umin) {
        err = check_helper_mem(env, regno - 1, 0, zero_ok, meta->uninit, uninit);

        if (err)
            return err;
    }
    if (size->wide.umax >= BPF_MAX_VAR_SIZ) {
        verbose(env, "R%d unbounded memory access, use 'var &= const' or 'if (var < const)'\n",
                regno);
        return -EACCES;
    }
    err = check_helper_mem(env, regno - 1, size->wide.umax, zero_ok, meta->uninit, uninit);
    if (!err)
        mark_chain_precise(env, regno);
    return err;
}

static bool is_mem_type(u32 type)
{
    return type == PTR_TO_STACK || type == PTR_TO_MAP_VALUE || type == PTR_TO_MEM;
}

static int check_release_arg(struct bpf_verifier_env *env, int regno, struct call_meta *meta)
{
    const struct bpf_reg_state *reg = &cur_regs(env)[regno];

    if (reg->type != PTR_TO_MEM)
        return expected(env, regno, "alloc_mem");
    if (reg->off || !tnum_equals_const(reg->var_off, 0)) {
        verbose(env, "R%d must have zero offset when passed to release func or trampoline%s\n",
                regno, "");
        return -EINVAL;
    }
    if (!reg->ref_obj_id) {
        verbose(env, "R%d must be referenced when passed to release function\n", regno);
        return -EINVAL;
    }
    meta->release = reg->ref_obj_id;
    return 0;
}

static int check_func_arg(struct bpf_verifier_env *env, int n, const struct bpf_func_proto *proto,
                          struct call_meta *meta)
{
    int regno = BPF_REG_1 + n, err;
    struct bpf_reg_state *reg = &cur_regs(env)[regno];
    enum bpf_arg_type arg = proto->arg_type[n];

    if (arg == ARG_DONTCARE)
        return 0;
    err = check_reg_read(env, regno);
    if (err || arg == ARG_ANYTHING)
        return err;
    switch (arg) {
    case ARG_CONST_MAP_PTR:
        if (reg->type != CONST_PTR_TO_MAP)
            return expected(env, regno, "map_ptr");
        meta->map = reg->map;
        return 0;
    case ARG_PTR_TO_CTX:
        if (reg->type != PTR_TO_CTX)
            return expected(env, regno, "ctx");
        return check_exact_pointer(env, reg, regno);
    case ARG_PTR_TO_MAP_KEY:
    case ARG_PTR_TO_MAP_VALUE:
        if (reg->type != PTR_TO_STACK && reg->type != PTR_TO_MAP_VALUE)
            return expected(env, regno, "fp, pkt, pkt_meta, map_key, map_value");
        return check_helper_mem(
            env, regno, arg == ARG_PTR_TO_MAP_KEY ? meta->map->key_size : meta->map->value_size,
            false, false, false);
    case ARG_PTR_TO_MEM_OR_NULL:
        if (is_null(reg))
            return 0;
        /* fall through */
    case ARG_PTR_TO_MEM:
    case ARG_PTR_TO_UNINIT_MEM:
        meta->uninit = arg == ARG_PTR_TO_UNINIT_MEM;
        if (!is_mem_type(reg->type) &&
            !(is_null(reg) && proto->arg_type[n + 1] == ARG_CONST_SIZE_OR_ZERO &&
              arg == ARG_PTR_TO_MEM_OR_NULL))
            return expected(env, regno,
                            "fp, pkt, pkt_meta, map_key, map_value, mem, alloc_mem, buf");
        return 0;
    case ARG_CONST_SIZE:
    case ARG_CONST_SIZE_OR_ZERO:
        if (reg->type != SCALAR_VALUE)
            return expected(env, regno, "scalar");
        return check_mem_size(env, regno, arg == ARG_CONST_SIZE_OR_ZERO, meta);
    case ARG_PTR_TO_FUNC:
        if (reg->type != PTR_TO_FUNC)
            return expected(env, regno, "func");
        if (reg->frameno != cur_func(env)->subprogno) { /* its stack was counted there */
            verbose(env, "R%d is of another function\n", regno);
            return -EINVAL;
        }
        meta->subprog = reg->mem_size;
        return 0;
    case ARG_PTR_TO_STACK_OR_NULL:
        if (!is_null(reg) && reg->type != PTR_TO_STACK)
            return expected(env, regno, "fp");
        return 0;
    case ARG_PTR_TO_ALLOC_MEM: return check_release_arg(env, regno, meta);
    default: /* ARG_CONST_ALLOC_SIZE_OR_ZERO */
        if (reg->type != SCALAR_VALUE)
            return expected(env, regno, "scalar");
        if (!tnum_is_const(reg->var_off)) {
            verbose(env, "R%d is not a known constant'\n", regno);
            return -EACCES;
        }
        meta->mem_size = reg->var_off.value;
        mark_chain_precise(env, regno);
        return 0;
    }
}

static void forget_released(struct bpf_reg_state *reg, const void *arg)
{
    if (reg->ref_obj_id && reg->ref_obj_id == *(const u32 *)arg)
        mark_unknown(reg);
}

static void forget_released_reg(struct bpf_verifier_state *state, u32 id)
{
    release_ref(state, id);
    for_each_reg(state, forget_released, &id);
}

void clobber_caller_saved(struct bpf_verifier_env *env, struct bpf_reg_state *regs)
{
    int i;

    for (i = BPF_REG_0; i <= BPF_REG_5; i++)
        mark_not_init(&regs[i]);
    env->changed_regs |= CALL_ARGS | reg_bit(BPF_REG_0);
}

static int set_return_value(struct bpf_verifier_env *env, int func_id,
                            const struct bpf_func_proto *proto, const struct call_meta *meta)
{
    struct bpf_verifier_state *state = env->cur;
    struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];

    switch (proto->ret_type) {
    case RET_VOID: mark_not_init(r0); return 0;
    case RET_PTR_TO_MAP_VALUE_OR_NULL:
        mark_pointer(r0, PTR_TO_MAP_VALUE | PTR_MAYBE_NULL);
        r0->map = meta->map;
        r0->id = ++env->id_gen;
        return 0;
    case RET_PTR_TO_ALLOC_MEM_OR_NULL:
        mark_pointer(r0, PTR_TO_MEM | PTR_MAYBE_NULL);
        r0->mem_size = meta->mem_size;
        r0->id = r0->ref_obj_id = ++env->id_gen;
        if (state->nr_refs >= BPF_MAX_REFS)
            return -ENOMEM;
        state->refs[state->nr_refs].id = r0->id;
        state->refs[state->nr_refs++].insn_idx = env->insn_idx;
        return 0;
    default:
        mark_unknown(r0);
        if (func_id == BPF_FUNC_get_stack || func_id == BPF_FUNC_probe_read_str ||
            func_id == BPF_FUNC_probe_read_kernel_str || func_id == BPF_FUNC_probe_read_user_str) {
            r0->wide.smax = meta->max_size;
            r0->wide.smin = -MAX_ERRNO;
            sync_bounds(r0);
        }
        return 0;
    }
}

/* The program may be left for another one, of which this one's functions know nothing. */
static int check_tail_call(struct bpf_verifier_env *env)
{
    int err;

    if (env->subprog_cnt > 1) {
        verbose(env, "tail_calls are not allowed in programs with bpf-to-bpf calls\n");
        return -EINVAL;
    }
    err = check_leaks(env);
    if (err)
        verbose(env, "tail_call would lead to reference leak\n");
    return err;
}

int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn, int *next)
{
    int func_id = insn->imm, i, err;
    const struct bpf_func_proto *proto = bpf_get_func_proto(env->prog->type, func_id);
    struct call_meta meta = {0};

    if (func_id < 0 || func_id >= __BPF_FUNC_MAX_ID) {
        verbose(env, "invalid func unknown#%d\n", func_id);
        return -EINVAL;
    }
    if (!proto) {
        verbose(env, "unknown func %s#%d\n", bpf_func_name(func_id), func_id);
        return -EINVAL;
    }
    if (proto->gpl_only && !env->prog->gpl_compatible) {
        verbose(env, "cannot call GPL-restricted function from non-GPL compatible program\n");
        return -EINVAL;
    }
    for (i = 0; i < 5; i++) {
        err = check_func_arg(env, i, proto, &meta);
        if (err)
            return err;
    }
    if (meta.map && !bpf_map_func_compatible(meta.map->map_type, func_id)) {
        verbose(env, "cannot pass map_type %d into func %s#%d\n", (int)meta.map->map_type,
                bpf_func_name(func_id), func_id);
        return -EINVAL;
    }
    if (meta.map && func_id == BPF_FUNC_map_lookup_elem &&
        meta.map->map_flags & BPF_F_WRONLY_PROG) {
        verbose(env, "write into map forbidden\n");
        return -EACCES;
    }
    if (meta.map && meta.map->map_flags & BPF_F_RDONLY_PROG &&
        (func_id == BPF_FUNC_map_update_elem || func_id == BPF_FUNC_map_delete_elem)) {
        verbose(env, "write into map forbidden\n");
        return -EACCES;
    }
    if (func_id == BPF_FUNC_tail_call) {
        err = check_tail_call(env);
        if (err)
            return err;
    }
    if (func_id == BPF_FUNC_get_stackid || func_id == BPF_FUNC_get_stack)
        env->prog->needs_stack = true;
    if (calls_callback(insn))
        return check_callback_call(env, meta.subprog, next);
    if (meta.release)
        forget_released_reg(env->cur, meta.release);
    clobber_caller_saved(env, cur_regs(env));
    cur_func(env)->regs_written |= CALL_ARGS | reg_bit(BPF_REG_0);
    return set_return_value(env, func_id, proto, &meta);
}

struct bpf_func_state *enter_function(struct bpf_verifier_env *env, int subprog, int *err)
{
    struct bpf_verifier_state *state = env->cur;
    struct bpf_func_state *callee;

    *err = -E2BIG;
    if (state->curframe + 1 >= MAX_CALL_FRAMES) {
        verbose(env, "the call stack of %d frames is too deep\n", (int)state->curframe + 2);
        return NULL;
    }
    *err = subprog < 0 ? -EFAULT : -ENOMEM;
    callee = subprog < 0 ? NULL : kmalloc(sizeof(*callee));
    if (!callee)
        return NULL;
    init_func_state(callee, env->insn_idx, state->curframe + 1, subprog);
    state->frame[++state->curframe] = callee;
    log_all_changed(env);
    *err = 0;
    return callee;
}

void log_entry(struct bpf_verifier_env *env)
{
    if (!log_has(env, 3))
        return;
    verbose(env, "caller:\n");
    print_state(env, env->cur->frame[env->cur->curframe - 1]);
    verbose(env, "callee:\n");
    print_state(env, cur_func(env));
}

int check_subprog_call(struct bpf_verifier_env *env, const struct bpf_insn *insn, int *next)
{
    struct bpf_func_state *caller = cur_func(env), *callee;
    int target = env->insn_idx + insn->imm + 1, err, i;

    callee = enter_function(env, find_subprog(env, target), &err);
    if (!callee)
        return err;
    for (i = BPF_REG_1; i <= BPF_REG_5; i++)
        callee->regs[i] = caller->regs[i];
    callee->regs_written = caller->regs_written & CALL_ARGS;
    clobber_caller_saved(env, caller->regs);
    caller->regs_written |= CALL_ARGS | reg_bit(BPF_REG_0);
    *next = target;
    log_entry(env);
    return 0;
}

int return_to_caller(struct bpf_verifier_env *env, int *next)
{
    struct bpf_verifier_state *state = env->cur;
    struct bpf_func_state *callee = cur_func(env), *caller = state->frame[state->curframe - 1];
    struct bpf_reg_state *r0 = &callee->regs[BPF_REG_0];

    if (r0->type == PTR_TO_STACK) {
        verbose(env, "cannot return stack pointer to the caller\n");
        return -EINVAL;
    }
    caller->regs[BPF_REG_0] = *r0;
    *next = callee->callsite + 1;
    if (log_has(env, 3)) {
        verbose(env, "returning from callee:\n");
        print_state(env, callee);
        verbose(env, "to caller at %d:\n", *next);
        print_state(env, caller);
    }
    state->frame[state->curframe--] = NULL;
    free_func_state(callee);
    return 0;
}

int check_leaks(struct bpf_verifier_env *env)
{
    u32 i;

    for (i = 0; i < env->cur->nr_refs; i++)
        verbose(env, "Unreleased reference id=%d alloc_insn=%d\n", (int)env->cur->refs[i].id,
                env->cur->refs[i].insn_idx);
    return env->cur->nr_refs ? -EINVAL : 0;
}
