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
    default: return "alloc_mem_or_null";
    }
}

static void print_reg(struct bpf_verifier_env *env, const struct bpf_reg_state *reg)
{
    const char *sep = "";

    if (is_const(reg)) {
        verbose(env, "%lld", (s64)reg->var_off.value);
        return;
    }
    if (reg->type == PTR_TO_STACK && tnum_is_const(reg->var_off)) {
        verbose(env, "fp%lld", (s64)(reg->off + reg->var_off.value));
        return;
    }
    verbose(env, "%s(", reg_type_name(reg->type));
    if (reg->type != SCALAR_VALUE) {
        verbose(env, "off=%d", reg->off);
        sep = ",";
        if (reg->map)
            verbose(env, ",ks=%d,vs=%d", (int)reg->map->key_size, (int)reg->map->value_size);
        if (tnum_is_const(reg->var_off)) {
            verbose(env, ",imm=%lld)", (s64)reg->var_off.value);
            return;
        }
    }
    if (reg->id) {
        verbose(env, "%sid=%d", sep, (int)reg->id);
        sep = ",";
    }
    if (reg->smin != S64_MIN && reg->smin != (s64)reg->umin) {
        verbose(env, "%ssmin=%lld", sep, reg->smin);
        sep = ",";
    }
    if (reg->smax != S64_MAX && reg->smax != (s64)reg->umax) {
        verbose(env, "%ssmax=%lld", sep, reg->smax);
        sep = ",";
    }
    if (reg->umin) {
        verbose(env, "%sumin=%llu", sep, reg->umin);
        sep = ",";
    }
    if (reg->umax != U64_MAX) {
        verbose(env, "%sumax=%llu", sep, reg->umax);
        sep = ",";
    }
    if (!tnum_is_unknown(reg->var_off))
        verbose(env, "%svar_off=(0x%llx; 0x%llx)", sep, reg->var_off.value, reg->var_off.mask);
    verbose(env, ")");
}

static void print_slot(struct bpf_verifier_env *env, const struct bpf_stack_state *slot, u32 spi)
{
    static const char letters[] = {'?', 'r', 'm', '0'};
    char types[9];
    int i;

    for (i = 0; i < 8; i++)
        types[i] = letters[slot->slot_type[7 - i]];
    types[8] = 0;
    if (!strcmp(types, "????????"))
        return;
    if (slot->slot_type[0] == STACK_SPILL) {
        verbose(env, " fp%d=", -(int)(spi + 1) * 8);
        print_reg(env, &slot->spilled);
    } else {
        verbose(env, " fp%d=%s", -(int)(spi + 1) * 8, types);
    }
}

void print_state(struct bpf_verifier_env *env, const struct bpf_func_state *func)
{
    u32 i;

    if (func->frameno)
        verbose(env, " frame%d:", (int)func->frameno);
    for (i = 0; i < MAX_BPF_REG; i++) {
        if (func->regs[i].type == NOT_INIT)
            continue;
        verbose(env, " R%d=", (int)i);
        print_reg(env, &func->regs[i]);
    }
    for (i = 0; i < func->nr_slots; i++)
        print_slot(env, &func->stack[i], i);
    verbose(env, "\n");
}
