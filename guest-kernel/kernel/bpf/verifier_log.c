/* verifier_log.c - the verifier's log: messages, and registers and stacks as text. */
#include "verifier.h"
#include <linux/string.h>

void bpf_log(struct bpf_verifier_log *log, const char *fmt, ...)
{
    char text[320];
    va_list args;
    int n;

    if (!log || !log->level || !log->write)
        return;
    va_start(args, fmt);
    n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log->write(log, text, min(n, (int)sizeof(text) - 1));
}

const char *reg_type_name(u32 type)
{
    switch (type) {
    case NOT_INIT: return "?";
    case SCALAR_VALUE: return "scalar";
    case PTR_TO_CTX: return "ctx";
    case CONST_PTR_TO_MAP: return "map_ptr";
    case PTR_TO_MAP_VALUE: return "map_value";
    case PTR_TO_MAP_VALUE | PTR_MAYBE_NULL: return "map_value_or_null";
    case PTR_TO_STACK: return "fp";
    case PTR_TO_MEM: return "alloc_mem";
    case PTR_TO_FUNC: return "func";
    default: return "alloc_mem_or_null";
    }
}

bool log_has(const struct bpf_verifier_env *env, u32 levels)
{
    return env->log && env->log->level & levels;
}

/* The line of an instruction ends when it is known that nothing has changed. */
static void end_line(struct bpf_verifier_env *env)
{
    if (env->line)
        bpf_log(env->log, "\n");
    env->line = 0;
}

void verbose(struct bpf_verifier_env *env, const char *fmt, ...)
{
    char text[320];
    va_list args;

    if (!env->log || !env->log->level)
        return;
    end_line(env);
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    bpf_log(env->log, "%s", text);
}

#define put(env, ...) bpf_log((env)->log, __VA_ARGS__)

static void print_range(struct bpf_verifier_env *env, const struct bpf_reg_state *reg,
                        const char *sep)
{
    const struct bpf_range *w = &reg->wide, *l = &reg->low;

#define PUT(condition, ...)    \
    if (condition) {           \
        put(env, "%s", sep);   \
        put(env, __VA_ARGS__); \
        sep = ",";             \
    }
    PUT(w->smin != (s64)w->umin && w->smin != S64_MIN, "smin=%lld", w->smin)
    PUT(w->smax != (s64)w->umax && w->smax != S64_MAX, "smax=%lld", w->smax)
    PUT(w->umin, "umin=%llu", w->umin)
    PUT(w->umax != U64_MAX, "umax=%llu", w->umax)
    PUT(!tnum_is_unknown(reg->var_off), "var_off=(0x%llx; 0x%llx)", reg->var_off.value,
        reg->var_off.mask)
    /* Those of the lower half only if they are others. */
    PUT(l->smin != w->smin && l->smin != S32_MIN, "s32_min=%d", (int)l->smin)
    PUT(l->smax != w->smax && l->smax != S32_MAX, "s32_max=%d", (int)l->smax)
    PUT(l->umin != w->umin && l->umin, "u32_min=%d", (int)l->umin)
    PUT(l->umax != w->umax && l->umax != U32_MAX, "u32_max=%d", (int)l->umax)
#undef PUT
}

static void print_reg(struct bpf_verifier_env *env, const struct bpf_reg_state *reg)
{
    const char *sep = "";

    if (is_const(reg)) {
        put(env, "%lld", (s64)reg->var_off.value);
        return;
    }
    if (reg->type == PTR_TO_STACK && tnum_is_const(reg->var_off)) {
        put(env, "fp%lld", (s64)(reg->off + reg->var_off.value));
        return;
    }
    put(env, "%s(", reg_type_name(reg->type));
    if (reg->id) {
        put(env, "id=%d", (int)reg->id);
        sep = ",";
    }
    if (reg->ref_obj_id) {
        put(env, "%sref_obj_id=%d", sep, (int)reg->ref_obj_id);
        sep = ",";
    }
    if (reg->type != SCALAR_VALUE) {
        put(env, "%soff=%d", sep, reg->off);
        sep = ",";
    }
    if (reg->map)
        put(env, "%sks=%d,vs=%d", sep, (int)reg->map->key_size, (int)reg->map->value_size);
    if (tnum_is_const(reg->var_off))
        put(env, "%simm=%llx", sep, reg->var_off.value);
    else
        print_range(env, reg, sep);
    put(env, ")");
}

static void print_slot(struct bpf_verifier_env *env, const struct bpf_func_state *func, u32 spi)
{
    static const char letters[] = {'?', 'r', 'm', '0'};
    const struct bpf_stack_state *slot = &func->stack[spi];
    const struct bpf_reg_state *reg = &slot->spilled;
    char types[9];
    int i;

    for (i = 0; i < 8; i++)
        types[i] = letters[slot->slot_type[i]];
    types[8] = 0;
    if (!strcmp(types, "????????"))
        return;
    put(env, " fp%d%s=", -(int)(spi + 1) * 8, func->slots_written >> spi & 1 ? "_w" : "");
    if (!bpf_is_spilled(slot))
        put(env, "%s", types);
    else if (reg->type != SCALAR_VALUE)
        put(env, "%s", reg_type_name(reg->type));
    else if (reg->precise)
        put(env, "P");
    if (bpf_is_spilled(slot) && is_const(reg))
        put(env, "%lld", (s64)reg->var_off.value);
}

static void print_parts(struct bpf_verifier_env *env, const struct bpf_func_state *func, u16 regs,
                        u64 slots)
{
    const struct bpf_verifier_state *state = env->cur;
    u32 i;

    if (func->frameno)
        put(env, " frame%d:", (int)func->frameno);
    for (i = 0; i < MAX_BPF_REG; i++) {
        const struct bpf_reg_state *reg = &func->regs[i];

        if (reg->type == NOT_INIT || !(regs & reg_bit(i)))
            continue;
        put(env, " R%d%s=%s", (int)i, func->regs_written & reg_bit(i) ? "_w" : "",
            reg->precise ? "P" : "");
        print_reg(env, reg);
    }
    for (i = 0; i < func->nr_slots; i++)
        if (slots >> i & 1)
            print_slot(env, func, i);
    for (i = 0; i < state->nr_refs; i++)
        put(env, "%s%d", i ? "," : " refs=", (int)state->refs[i].id);
    put(env, "\n");
}

void print_state(struct bpf_verifier_env *env, const struct bpf_func_state *func)
{
    end_line(env);
    print_parts(env, func, 0xffff, ~0ULL);
}

void log_changes(struct bpf_verifier_env *env)
{
    int columns = env->line + 1, until = max(columns + 4, 40);

    if (env->line) {
        for (until = (until + 7) / 8 * 8 - 1; columns < until; columns++)
            put(env, " ");
        put(env, ";");
    } else {
        put(env, "%d:", env->insn_idx);
    }
    env->line = 0;
    print_parts(env, cur_func(env), env->changed_regs, env->changed_slots);
    env->changed_regs = 0;
    env->changed_slots = 0;
}

void log_all_changed(struct bpf_verifier_env *env)
{
    env->changed_regs = 0xffff;
    env->changed_slots = ~0ULL;
}

static int put_insn(struct bpf_verifier_env *env, int insn_idx)
{
    const struct bpf_insn *insn = &env->prog->insns[insn_idx];
    char text[80], number[16];

    bpf_disasm(insn, text, sizeof(text));
    put(env, "%d: (%02x) %s", insn_idx, insn->code, text);
    return snprintf(number, sizeof(number), "%d: (ff) ", insn_idx) + strlen(text);
}

void log_insn(struct bpf_verifier_env *env)
{
    if (!log_has(env, 3))
        return;
    if (env->changed_regs || env->changed_slots)
        log_changes(env);
    log_line(env, env->insn_idx);
    end_line(env);
    env->line = put_insn(env, env->insn_idx);
}

void log_search(struct bpf_verifier_env *env, int last, int first)
{
    if (log_has(env, 2))
        verbose(env, "last_idx %d first_idx %d\n", last, first);
}

void log_back_over(struct bpf_verifier_env *env, int insn_idx, u16 regs, u64 slots)
{
    if (!log_has(env, 2))
        return;
    verbose(env, "regs=%x stack=%llx before ", regs, slots);
    put_insn(env, insn_idx);
    put(env, "\n");
}

void log_marks(struct bpf_verifier_env *env, const struct bpf_verifier_state *st, u16 regs,
               u64 slots, bool marked)
{
    if (!log_has(env, 2))
        return;
    verbose(env, "parent %s regs=%x stack=%llx marks:", marked ? "didn't have" : "already had",
            regs, slots);
    print_parts(env, st->frame[st->curframe], 0xffff, ~0ULL);
}
