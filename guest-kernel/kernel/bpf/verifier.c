/*
 * verifier.c - finds out, before a program runs, that it ends and accesses nothing that it may not.
 *
 * First the shape of the program is checked (functions, targets of jumps, unreachable
 * instructions). Then the program is executed with descriptions of values instead of values: each
 * register and each eight bytes of the stack is a number within bounds, or a pointer to an object
 * with an offset within bounds. At a conditional jump both ways are followed, each with what the
 * condition tells of its operands. A way ends where a state that was verified before, at the same
 * instruction, allows all that the present one does. Loops are followed round by round, so they
 * must end within BPF_COMPLEXITY_LIMIT instructions.
 *
 * Of 32-bit operations only the bounds of the 64-bit result are kept. Descriptions are not marked
 * by whether their exact value mattered, so fewer states are recognised than by Linux.
 *
 * All programs are of a privileged user: pointers may be compared and stored in maps.
 */
#include <linux/bpf_verifier.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#define S64_MIN ((s64)(1ULL << 63))
#define S64_MAX ((s64) ~(1ULL << 63))
#define U64_MAX (~0ULL)
#define U32_MAX (~0U)
#define S32_MAX 0x7fffffff
#define S32_MIN (-S32_MAX - 1)

enum {
    MAX_SUBPROGS = 256,
    ID_MAP_SIZE = 600,
    LOOP_STATES =
        8, /* of a loop that is under way: how many are compared to find out that it is endless */
};

/* A stored state of an instruction. */
struct state_list {
    struct state_list *next;
    struct bpf_verifier_state state;
    int miss, hit;
};

/* A way that is still to be followed. */
struct pending {
    struct pending *next;
    struct bpf_verifier_state state;
    int insn_idx, prev_insn_idx;
};

/* What is known of an instruction. */
struct insn_aux {
    struct bpf_map *map; /* of a 64-bit immediate */
    u32 map_off;
    u8 map_value : 1; /* it is an address of a value */
    u8 prune_point : 1, seen : 1;
    u8 mem_kind; /* kind of pointer of a load or store; must not change */
    u16 live;    /* registers that are read later */
    struct state_list *states;
};

struct id_pair {
    u32 old, cur;
};

struct env {
    struct bpf_prog *prog;
    struct bpf_verifier_log *log;
    struct bpf_verifier_state *cur;
    struct pending *stack;
    u32 stack_size;
    struct insn_aux *aux;
    struct bpf_subprog_info subprog[MAX_SUBPROGS];
    u32 subprog_cnt;
    int insn_idx, prev_insn_idx;
    u32 insn_processed, total_states, peak_states, max_states_per_insn, id_gen;
    u32 prev_insn_processed, jmps_processed, prev_jmps_processed;
    bool strict;
    struct id_pair idmap[ID_MAP_SIZE];
    u32 idmap_used;
};

/* Each state in which an instruction was verified, for programs that test it. */
#ifdef BPF_CHECK
void bpf_check_note(int insn_idx, const struct bpf_reg_state *regs, u16 live);
extern u32 bpf_check_limit; /* in place of BPF_COMPLEXITY_LIMIT */
#else
enum { bpf_check_limit = BPF_COMPLEXITY_LIMIT };

static __always_inline void bpf_check_note(int insn_idx, const struct bpf_reg_state *regs, u16 live)
{
    (void)insn_idx;
    (void)regs;
    (void)live;
}
#endif

#define verbose(env, ...) bpf_log((env)->log, __VA_ARGS__)

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

/* ---- descriptions of registers ---- */

static const char *type_name(u32 type)
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

static bool is_pointer(const struct bpf_reg_state *reg)
{
    return reg->type != NOT_INIT && reg->type != SCALAR_VALUE;
}

static bool is_const(const struct bpf_reg_state *reg)
{
    return reg->type == SCALAR_VALUE && tnum_is_const(reg->var_off);
}

static bool is_null(const struct bpf_reg_state *reg)
{
    return reg->type == SCALAR_VALUE && tnum_equals_const(reg->var_off, 0);
}

static void set_const(struct bpf_reg_state *reg, u64 value)
{
    reg->var_off = tnum_const(value);
    reg->smin = reg->smax = value;
    reg->umin = reg->umax = value;
}

static void set_unbounded(struct bpf_reg_state *reg)
{
    reg->smin = S64_MIN;
    reg->smax = S64_MAX;
    reg->umin = 0;
    reg->umax = U64_MAX;
    reg->var_off = tnum_unknown;
}

static void mark_known(struct bpf_reg_state *reg, u64 value)
{
    memset(reg, 0, sizeof(*reg));
    reg->type = SCALAR_VALUE;
    set_const(reg, value);
}

static void mark_unknown(struct bpf_reg_state *reg)
{
    memset(reg, 0, sizeof(*reg));
    reg->type = SCALAR_VALUE;
    set_unbounded(reg);
}

static void mark_not_init(struct bpf_reg_state *reg)
{
    mark_unknown(reg);
    reg->type = NOT_INIT;
}

static void mark_pointer(struct bpf_reg_state *reg, u32 type)
{
    mark_known(reg, 0);
    reg->type = type;
}

/* Draws what each part of the description tells of the others. */
static void sync_bounds(struct bpf_reg_state *reg)
{
    struct tnum t = reg->var_off;
    int i;

    reg->smin = max(reg->smin, (s64)(t.value | (t.mask & (1ULL << 63))));
    reg->smax = min(reg->smax, (s64)(t.value | (t.mask & ~(1ULL << 63))));
    reg->umin = max(reg->umin, t.value);
    reg->umax = min(reg->umax, t.value | t.mask);
    for (i = 0; i < 2; i++) {
        /* Numbers of one sign are in the same order, signed or not. */
        if (reg->smin >= 0 || reg->smax < 0) {
            reg->umin = max(reg->umin, (u64)reg->smin);
            reg->umax = min(reg->umax, (u64)reg->smax);
        }
        if ((s64)reg->umax >= 0 || (s64)reg->umin < 0) {
            reg->smin = max(reg->smin, (s64)reg->umin);
            reg->smax = min(reg->smax, (s64)reg->umax);
        }
    }
    if (reg->umin <= reg->umax)
        reg->var_off = tnum_intersect(t, tnum_range(reg->umin, reg->umax));
}

/* The description of the lowest size bytes, zero-extended. */
static void coerce_to_size(struct bpf_reg_state *reg, int size)
{
    u64 all = size >= 8 ? U64_MAX : (1ULL << (size * 8)) - 1;

    if (size >= 8)
        return;
    reg->var_off = tnum_cast(reg->var_off, size);
    if ((reg->umin & ~all) == (reg->umax & ~all)) {
        reg->umin &= all;
        reg->umax &= all;
    } else {
        reg->umin = 0;
        reg->umax = all;
    }
    reg->smin = reg->umin;
    reg->smax = reg->umax;
    sync_bounds(reg);
}

/* ---- states ---- */

static struct bpf_func_state *cur_func(struct env *env)
{
    return env->cur->frame[env->cur->curframe];
}

static struct bpf_reg_state *cur_regs(struct env *env)
{
    return cur_func(env)->regs;
}

static struct bpf_func_state *func_of(struct env *env, const struct bpf_reg_state *reg)
{
    return env->cur->frame[reg->frameno];
}

static void free_func_state(struct bpf_func_state *func)
{
    if (!func)
        return;
    kfree(func->stack);
    kfree(func);
}

static void free_state_contents(struct bpf_verifier_state *state)
{
    int i;

    for (i = 0; i < MAX_CALL_FRAMES; i++)
        free_func_state(state->frame[i]);
    memset(state->frame, 0, sizeof(state->frame));
}

static struct bpf_func_state *copy_func_state(const struct bpf_func_state *src)
{
    struct bpf_func_state *func = kmalloc(sizeof(*func));

    if (!func)
        return NULL;
    *func = *src;
    func->stack = NULL;
    if (src->nr_slots) {
        func->stack = kmalloc(src->nr_slots * sizeof(*func->stack));
        if (!func->stack) {
            kfree(func);
            return NULL;
        }
        memcpy(func->stack, src->stack, src->nr_slots * sizeof(*func->stack));
    }
    return func;
}

static int copy_state(struct bpf_verifier_state *dst, const struct bpf_verifier_state *src)
{
    u32 i;

    *dst = *src;
    memset(dst->frame, 0, sizeof(dst->frame));
    for (i = 0; i <= src->curframe; i++) {
        dst->frame[i] = copy_func_state(src->frame[i]);
        if (!dst->frame[i]) {
            free_state_contents(dst);
            return -ENOMEM;
        }
    }
    return 0;
}

/* Makes room for the slots up to the one of this number. */
static int grow_stack(struct bpf_func_state *func, u32 slots)
{
    struct bpf_stack_state *stack;

    if (slots <= func->nr_slots)
        return 0;
    stack = kzalloc(slots * sizeof(*stack));
    if (!stack)
        return -ENOMEM;
    if (func->nr_slots)
        memcpy(stack, func->stack, func->nr_slots * sizeof(*stack));
    kfree(func->stack);
    func->stack = stack;
    func->nr_slots = slots;
    return 0;
}

static void init_func_state(struct bpf_func_state *func, int callsite, u32 frameno, u32 subprogno)
{
    int i;

    memset(func, 0, sizeof(*func));
    func->callsite = callsite;
    func->frameno = frameno;
    func->subprogno = subprogno;
    for (i = 0; i < MAX_BPF_REG; i++)
        mark_not_init(&func->regs[i]);
    mark_pointer(&func->regs[BPF_REG_FP], PTR_TO_STACK);
    func->regs[BPF_REG_FP].frameno = frameno;
}

/* Calls fn for each register, and each one that is spilled, of all frames. */
static void for_each_reg(struct bpf_verifier_state *state,
                         void (*fn)(struct bpf_reg_state *reg, const void *arg), const void *arg)
{
    u32 f, i;

    for (f = 0; f <= state->curframe; f++) {
        struct bpf_func_state *func = state->frame[f];

        for (i = 0; i < MAX_BPF_REG; i++)
            fn(&func->regs[i], arg);
        for (i = 0; i < func->nr_slots; i++)
            if (func->stack[i].slot_type[0] == STACK_SPILL)
                fn(&func->stack[i].spilled, arg);
    }
}

/* ---- the log of states ---- */

static void print_reg(struct env *env, const struct bpf_reg_state *reg)
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
    verbose(env, "%s(", type_name(reg->type));
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

static void print_slot(struct env *env, const struct bpf_stack_state *slot, u32 spi)
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

static void print_state(struct env *env, const struct bpf_func_state *func)
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

/* ---- the shape of the program ---- */

static bool opcode_is_known(u8 code)
{
    u8 op = BPF_OP(code);

    switch (BPF_CLASS(code)) {
    case BPF_ALU:
    case BPF_ALU64:
        if (op == BPF_END)
            return BPF_CLASS(code) == BPF_ALU;
        if (op == BPF_NEG)
            return BPF_SRC(code) == BPF_K;
        return op < BPF_END;
    case BPF_JMP:
        if (op == BPF_JA || op == BPF_CALL || op == BPF_EXIT)
            return BPF_SRC(code) == BPF_K;
        return op <= BPF_JSLE;
    case BPF_JMP32: return op != BPF_JA && op != BPF_CALL && op != BPF_EXIT && op <= BPF_JSLE;
    case BPF_LDX:
    case BPF_ST: return BPF_MODE(code) == BPF_MEM;
    case BPF_STX:
        return BPF_MODE(code) == BPF_MEM || (BPF_MODE(code) == BPF_ATOMIC &&
                                             (BPF_SIZE(code) == BPF_W || BPF_SIZE(code) == BPF_DW));
    default: /* BPF_LD */
        if (BPF_MODE(code) == BPF_ABS || BPF_MODE(code) == BPF_IND)
            return BPF_SIZE(code) != BPF_DW;
        return code == (BPF_LD | BPF_IMM | BPF_DW);
    }
}

static bool is_subprog_call(const struct bpf_insn *insn)
{
    return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static bool is_ld_imm64(const struct bpf_insn *insn)
{
    return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static int find_subprog(const struct env *env, int start)
{
    u32 i;

    for (i = 0; i < env->subprog_cnt; i++)
        if ((int)env->subprog[i].start == start)
            return i;
    return -ENOENT;
}

static int add_subprog(struct env *env, int start)
{
    u32 i;

    if (start < 0 || start >= (int)env->prog->len) {
        verbose(env, "call to invalid destination\n");
        return -EINVAL;
    }
    if (find_subprog(env, start) >= 0)
        return 0;
    if (env->subprog_cnt >= MAX_SUBPROGS) {
        verbose(env, "too many subprograms\n");
        return -E2BIG;
    }
    for (i = env->subprog_cnt++; i && (int)env->subprog[i - 1].start > start; i--)
        env->subprog[i] = env->subprog[i - 1];
    memset(&env->subprog[i], 0, sizeof(env->subprog[i]));
    env->subprog[i].start = start;
    return 0;
}

static int add_subprogs(struct env *env)
{
    const struct bpf_insn *insn = env->prog->insns;
    int err = add_subprog(env, 0);
    u32 i;

    for (i = 0; !err && i < env->prog->len; i++)
        if (is_subprog_call(&insn[i]))
            err = add_subprog(env, i + insn[i].imm + 1);
    return err;
}

static int check_subprogs(struct env *env)
{
    const struct bpf_insn *insn = env->prog->insns;
    int len = env->prog->len, i, cur = 0, start = 0, end;

    end = env->subprog_cnt > 1 ? (int)env->subprog[1].start : len;
    for (i = 0; i < len; i++) {
        u8 code = insn[i].code, class = BPF_CLASS(code);
        int target = i + insn[i].off + 1;

        if ((class == BPF_JMP || class == BPF_JMP32) && BPF_OP(code) != BPF_EXIT &&
            BPF_OP(code) != BPF_CALL && (target < start || target >= end)) {
            verbose(env, "jump out of range from insn %d to %d\n", i, target);
            return -EINVAL;
        }
        if (i != end - 1)
            continue;
        if (code != (BPF_JMP | BPF_EXIT) && code != (BPF_JMP | BPF_JA)) {
            verbose(env, "last insn is not an exit or jmp\n");
            return -EINVAL;
        }
        start = end;
        cur++;
        end = cur + 1 < (int)env->subprog_cnt ? (int)env->subprog[cur + 1].start : len;
    }
    return 0;
}

static int use_map(struct env *env, struct bpf_map *map)
{
    struct bpf_prog *prog = env->prog;
    u32 i;

    for (i = 0; i < prog->used_map_cnt; i++) {
        if (prog->used_maps[i] == map) {
            bpf_map_put(map);
            return 0;
        }
    }
    if (prog->used_map_cnt >= MAX_BPF_MAPS) {
        bpf_map_put(map);
        return -E2BIG;
    }
    prog->used_maps[prog->used_map_cnt++] = map;
    return 0;
}

/* A 64-bit immediate becomes the address of a map or of its values. */
static int resolve_imm64(struct env *env, struct bpf_insn *insn, struct insn_aux *aux)
{
    struct bpf_map *map;
    u64 addr;
    u32 off;
    int err;

    if (insn[0].src_reg == 0)
        return 0;
    if (insn[0].src_reg != BPF_PSEUDO_MAP_FD && insn[0].src_reg != BPF_PSEUDO_MAP_VALUE) {
        verbose(env, "unrecognized bpf_ld_imm64 insn\n");
        return -EINVAL;
    }
    if (insn[0].src_reg == BPF_PSEUDO_MAP_FD && insn[1].imm) {
        verbose(env, "unrecognized bpf_ld_imm64 insn\n");
        return -EINVAL;
    }
    map = bpf_map_get(insn[0].imm);
    if ((unsigned long)map >= (unsigned long)-MAX_ERRNO) {
        verbose(env, "fd %d is not pointing to valid bpf_map\n", insn[0].imm);
        return (int)(long)map;
    }
    aux->map = map;
    err = use_map(env, map);
    if (err)
        return err;
    if (insn[0].src_reg == BPF_PSEUDO_MAP_FD) {
        addr = (unsigned long)map;
    } else {
        off = insn[1].imm;
        if (off >= BPF_MAX_VAR_OFF) {
            verbose(env, "direct value offset of %u is not allowed\n", off);
            return -EINVAL;
        }
        if (!map->ops->direct_value_addr) {
            verbose(env, "no direct value access support for this map type\n");
            return -EINVAL;
        }
        err = map->ops->direct_value_addr(map, &addr, off);
        if (err) {
            verbose(env, "invalid access to map value pointer, value_size=%u off=%u\n",
                    map->value_size, off);
            return err;
        }
        aux->map_off = off;
        aux->map_value = 1;
        addr += off;
    }
    insn[0].imm = (u32)addr;
    insn[1].imm = addr >> 32;
    return 0;
}

static int resolve_pseudo_imm64(struct env *env)
{
    struct bpf_insn *insn = env->prog->insns;
    int len = env->prog->len, i, err;

    for (i = 0; i < len; i++) {
        if (BPF_CLASS(insn[i].code) == BPF_LDX &&
            (BPF_MODE(insn[i].code) != BPF_MEM || insn[i].imm)) {
            verbose(env, "BPF_LDX uses reserved fields\n");
            return -EINVAL;
        }
        if (is_ld_imm64(&insn[i])) {
            if (i == len - 1 || insn[i + 1].code || insn[i + 1].dst_reg || insn[i + 1].src_reg ||
                insn[i + 1].off) {
                verbose(env, "invalid bpf_ld_imm64 insn\n");
                return -EINVAL;
            }
            err = resolve_imm64(env, &insn[i], &env->aux[i]);
            if (err)
                return err;
            i++;
            continue;
        }
        if (!opcode_is_known(insn[i].code)) {
            verbose(env, "unknown opcode %02x\n", insn[i].code);
            return -EINVAL;
        }
    }
    return 0;
}

/* ---- reachability ---- */

/* The instructions that may follow; returns how many. The targets of jumps are prune points. */
static int successors(struct env *env, int i, int *next)
{
    const struct bpf_insn *insn = &env->prog->insns[i];
    u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);
    int n = 0;

    if (class != BPF_JMP && class != BPF_JMP32) {
        next[n++] = i + 1;
        return n;
    }
    if (op == BPF_EXIT)
        return 0;
    if (op == BPF_CALL) {
        next[n++] = i + 1;
        if (is_subprog_call(insn)) {
            next[n++] = i + insn->imm + 1;
            env->aux[i + 1].prune_point = 1;
            env->aux[i + insn->imm + 1].prune_point = 1;
        }
        return n;
    }
    if (op != BPF_JA)
        next[n++] = i + 1;
    next[n++] = i + insn->off + 1;
    env->aux[i + insn->off + 1].prune_point = 1;
    env->aux[i].prune_point = op != BPF_JA || env->aux[i].prune_point;
    return n;
}

static int check_cfg(struct env *env)
{
    int len = env->prog->len, depth = 1, i, n, k, next[2];
    int *todo = vmalloc(sizeof(int) * (len * 2 + 2));
    u8 *reached = vmalloc(len + 1);
    int err = 0;

    if (!todo || !reached) {
        err = -ENOMEM;
        goto out;
    }
    memset(reached, 0, len);
    todo[0] = 0;
    reached[0] = 1;
    while (depth) {
        i = todo[--depth];
        n = successors(env, i, next);
        for (k = 0; k < n; k++) {
            if (next[k] < 0 || next[k] >= len) {
                verbose(env, "jump out of range from insn %d to %d\n", i, next[k]);
                err = -EINVAL;
                goto out;
            }
            if (!reached[next[k]]) {
                reached[next[k]] = 1;
                todo[depth++] = next[k];
            }
        }
    }
    for (i = 0; i < len; i++) {
        if (!reached[i]) {
            verbose(env, "unreachable insn %d\n", i);
            err = -EINVAL;
            break;
        }
    }
out:
    vfree(todo);
    vfree(reached);
    return err;
}

/* ---- which registers are read later ---- */

static u16 bit(int reg)
{
    return 1u << reg;
}

/* Registers that the instruction reads, and the one it sets without reading it. */
static void uses_of(const struct bpf_insn *insn, u16 *use, u16 *def)
{
    u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);
    bool x = BPF_SRC(insn->code) == BPF_X;

    *use = *def = 0;
    switch (class) {
    case BPF_ALU:
    case BPF_ALU64:
        if (op == BPF_MOV)
            *def = bit(insn->dst_reg);
        else
            *use = bit(insn->dst_reg);
        if (op != BPF_END && x)
            *use |= bit(insn->src_reg);
        return;
    case BPF_LDX:
        *use = bit(insn->src_reg);
        *def = bit(insn->dst_reg) & ~*use;
        return;
    case BPF_ST: *use = bit(insn->dst_reg); return;
    case BPF_STX:
        *use = bit(insn->dst_reg) | bit(insn->src_reg);
        if (BPF_MODE(insn->code) == BPF_ATOMIC)
            *use |= bit(BPF_REG_0);
        return;
    case BPF_LD: *def = bit(insn->dst_reg); return;
    default:
        if (op == BPF_EXIT) {
            *use = bit(BPF_REG_0);
        } else if (op == BPF_CALL) {
            *use = 0x3e;
            *def = bit(BPF_REG_0);
        } else if (op != BPF_JA) {
            *use = bit(insn->dst_reg) | (x ? bit(insn->src_reg) : 0);
        }
    }
}

static void compute_live(struct env *env)
{
    bool changed = true;
    int i, k, n, next[2];
    u16 use, def, live;

    while (changed) {
        changed = false;
        for (i = env->prog->len - 1; i >= 0; i--) {
            const struct bpf_insn *insn = &env->prog->insns[i];

            uses_of(insn, &use, &def);
            n = is_subprog_call(insn) ? 1 : successors(env, i, next);
            if (is_subprog_call(insn))
                next[0] = i + 1;
            live = 0;
            for (k = 0; k < n; k++)
                live |= env->aux[next[k]].live;
            live = (live & ~def) | use;
            if (live != env->aux[i].live) {
                env->aux[i].live = live;
                changed = true;
            }
        }
    }
}

/* ---- registers as operands ---- */

static int check_reg_read(struct env *env, u32 regno)
{
    if (regno >= MAX_BPF_REG) {
        verbose(env, "R%d is invalid\n", regno);
        return -EINVAL;
    }
    if (cur_regs(env)[regno].type == NOT_INIT) {
        verbose(env, "R%d !read_ok\n", regno);
        return -EACCES;
    }
    return 0;
}

/* old: it is also read. The old value stays for the caller to use. */
static int check_reg_write(struct env *env, u32 regno)
{
    if (regno >= MAX_BPF_REG) {
        verbose(env, "R%d is invalid\n", regno);
        return -EINVAL;
    }
    if (regno == BPF_REG_FP) {
        verbose(env, "frame pointer is read only\n");
        return -EACCES;
    }
    return 0;
}

/* ---- the stack ---- */

static u8 *slot_byte(struct bpf_func_state *func, int off)
{
    u32 byte = -off - 1;

    return byte / 8 < func->nr_slots ? &func->stack[byte / 8].slot_type[byte % 8] : NULL;
}

/* A slot that held a register holds bytes of which nothing is known. */
static void scrub_slot(struct bpf_stack_state *slot)
{
    int i;

    if (slot->slot_type[0] == STACK_SPILL)
        for (i = 0; i < 8; i++)
            slot->slot_type[i] = STACK_MISC;
    mark_not_init(&slot->spilled);
}

static int stack_write_fixed(struct env *env, struct bpf_func_state *func, int off, int size,
                             const struct bpf_reg_state *value)
{
    u32 spi = (u32)(-off - 1) / 8;
    struct bpf_stack_state *slot;
    bool zero = value && is_null(value);
    int i, err = grow_stack(func, spi + 1);

    if (err)
        return err;
    slot = &func->stack[spi];
    if (value && size == 8 && off % 8 == 0 && value->type != NOT_INIT) {
        if (value->type == PTR_TO_STACK && func != cur_func(env)) {
            verbose(env, "cannot spill pointers to stack into stack frame of the caller\n");
            return -EINVAL;
        }
        slot->spilled = *value;
        for (i = 0; i < 8; i++)
            slot->slot_type[i] = STACK_SPILL;
        return 0;
    }
    if (value && is_pointer(value)) {
        verbose(env, "invalid size of register spill\n");
        return -EACCES;
    }
    scrub_slot(slot);
    for (i = 0; i < size; i++)
        *slot_byte(func, off + i) = zero ? STACK_ZERO : STACK_MISC;
    return 0;
}

/* A store somewhere within [min, max). */
static int stack_write_var(struct bpf_func_state *func, int min_off, int max_off)
{
    int i, err = grow_stack(func, (u32)(-min_off - 1) / 8 + 1);

    if (err)
        return err;
    for (i = min_off; i < max_off; i++) {
        struct bpf_stack_state *slot = &func->stack[(u32)(-i - 1) / 8];

        scrub_slot(slot);
        *slot_byte(func, i) = STACK_MISC;
    }
    return 0;
}

static int bad_stack_read(struct env *env, int off, int at, int size)
{
    verbose(env, "invalid read from stack off %d+%d size %d\n", off, at, size);
    return -EACCES;
}

/* A load of size bytes at off into *dst (NULL: an atomic operation that needs no value). */
static int stack_read_fixed(struct env *env, struct bpf_func_state *func, int off, int size,
                            struct bpf_reg_state *dst)
{
    u32 spi = (u32)(-off - 1) / 8;
    struct bpf_stack_state *slot = spi < func->nr_slots ? &func->stack[spi] : NULL;
    bool zero = true;
    int i;

    if (slot && slot->slot_type[0] == STACK_SPILL) {
        if (size == 8 && off % 8 == 0) {
            if (dst)
                *dst = slot->spilled;
            return 0;
        }
        if (slot->spilled.type != SCALAR_VALUE) {
            verbose(env, "invalid size of register fill\n");
            return -EACCES;
        }
        if (dst)
            mark_unknown(dst);
        if (dst && off % 8 == 0 && is_const(&slot->spilled))
            mark_known(dst, tnum_cast(slot->spilled.var_off, size).value);
        return 0;
    }
    for (i = 0; i < size; i++) {
        const u8 *type = slot_byte(func, off + i);

        if (!type || *type == STACK_INVALID)
            return bad_stack_read(env, off, i, size);
        zero &= *type == STACK_ZERO;
    }
    if (dst && zero)
        mark_known(dst, 0);
    else if (dst)
        mark_unknown(dst);
    return 0;
}

static int stack_range(struct env *env, int regno, const struct bpf_reg_state *reg, int off,
                       int size, const char *what, int *min_off, int *max_off)
{
    s64 lo, hi;

    if (tnum_is_const(reg->var_off)) {
        lo = hi = (s64)reg->var_off.value + reg->off + off;
    } else {
        if (reg->smax >= BPF_MAX_VAR_OFF || reg->smin <= -BPF_MAX_VAR_OFF) {
            verbose(env, "invalid unbounded variable-offset%s stack R%d\n", what, regno);
            return -EACCES;
        }
        lo = reg->smin + reg->off + off;
        hi = reg->smax + reg->off + off;
    }
    if (lo >= -MAX_BPF_STACK && hi + (size ? size : 1) - 1 < 0 && lo < 0) {
        *min_off = lo;
        *max_off = hi + size;
        return 0;
    }
    if (tnum_is_const(reg->var_off))
        verbose(env, "invalid%s stack R%d off=%lld size=%d\n", what, regno, lo, size);
    else
        verbose(env, "invalid variable-offset%s stack R%d var_off=(0x%llx; 0x%llx) size=%d\n", what,
                regno, reg->var_off.value, reg->var_off.mask, size);
    return -EACCES;
}

static void note_stack_depth(struct env *env, struct bpf_func_state *func, int off)
{
    struct bpf_subprog_info *subprog = &env->subprog[func->subprogno];

    if (subprog->stack_depth < -off)
        subprog->stack_depth = -off;
}

/* For a helper: bytes [reg, reg + size), which it fills (uninit), or reads and may write. */
static int check_stack_arg(struct env *env, int regno, struct bpf_reg_state *reg, int size,
                           bool zero_ok, bool uninit)
{
    struct bpf_func_state *func = func_of(env, reg);
    bool fixed = tnum_is_const(reg->var_off);
    int min_off, max_off, i, err;

    if (!size && !zero_ok) {
        verbose(env, "invalid zero-sized read\n");
        return -EACCES;
    }
    err = stack_range(env, regno, reg, 0, size, " indirect access to", &min_off, &max_off);
    if (err)
        return err;
    note_stack_depth(env, func, min_off);
    if (uninit && fixed)
        return stack_write_var(func, min_off, max_off);
    for (i = min_off; i < max_off; i++) {
        u8 *type = slot_byte(func, i);

        if (!type || *type == STACK_INVALID) {
            if (fixed)
                verbose(env, "invalid indirect read from stack R%d off %d+%d size %d\n", regno,
                        min_off, i - min_off, size);
            else
                verbose(env,
                        "invalid indirect read from stack R%d var_off (0x%llx; 0x%llx)+%d size "
                        "%d\n",
                        regno, reg->var_off.value, reg->var_off.mask, i - min_off, size);
            return -EACCES;
        }
    }
    /* The helper may write what it reads. */
    return max_off > min_off ? stack_write_var(func, min_off, max_off) : 0;
}

/* ---- memory ---- */

/* Bytes [off, off + size) of an object of mem_size bytes. */
static int check_region(struct env *env, int regno, const struct bpf_reg_state *reg, s64 off,
                        int size, u32 mem_size, bool zero_ok)
{
    bool size_ok = size > 0 || (!size && zero_ok);

    if (off >= 0 && size_ok && (u64)off + size <= mem_size)
        return 0;
    if (reg->type == PTR_TO_MAP_VALUE)
        verbose(env, "invalid access to map value, value_size=%d off=%lld size=%d\n", (int)mem_size,
                off, size);
    else
        verbose(env, "invalid access to memory, mem_size=%u off=%lld size=%d\n", mem_size, off,
                size);
    (void)regno;
    return -EACCES;
}

static int check_region_access(struct env *env, int regno, const struct bpf_reg_state *reg, int off,
                               int size, u32 mem_size, bool zero_ok)
{
    int err;

    off += reg->off;
    if (reg->smin < 0 && (reg->smin == S64_MIN || off + reg->smin != (s64)(s32)(off + reg->smin) ||
                          reg->smin + off < 0)) {
        verbose(env,
                "R%d min value is negative, either use unsigned index or do a if (index >=0) "
                "check.\n",
                regno);
        return -EACCES;
    }
    err = check_region(env, regno, reg, reg->smin + off, size, mem_size, zero_ok);
    if (err) {
        verbose(env, "R%d min value is outside of the allowed memory range\n", regno);
        return err;
    }
    if (reg->umax >= BPF_MAX_VAR_OFF) {
        verbose(env, "R%d unbounded memory access, make sure to bounds check any such access\n",
                regno);
        return -EACCES;
    }
    err = check_region(env, regno, reg, reg->umax + off, size, mem_size, zero_ok);
    if (err)
        verbose(env, "R%d max value is outside of the allowed memory range\n", regno);
    return err;
}

static int check_map_flags(struct env *env, const struct bpf_reg_state *reg, int off, int size,
                           bool write)
{
    u32 flags = reg->map->map_flags;

    if (write ? flags & BPF_F_RDONLY_PROG : flags & BPF_F_WRONLY_PROG) {
        verbose(env, "%s map forbidden, value_size=%d off=%d size=%d\n",
                write ? "write into" : "read from", (int)reg->map->value_size, off, size);
        return -EACCES;
    }
    return 0;
}

/* A pointer that must be exactly the one that the program was given. */
static int check_exact_pointer(struct env *env, const struct bpf_reg_state *reg, int regno)
{
    if (reg->off < 0) {
        verbose(env, "negative offset %s ptr R%d off=%d disallowed\n", type_name(reg->type), regno,
                reg->off);
        return -EACCES;
    }
    if (reg->off) {
        verbose(env, "dereference of modified %s ptr R%d off=%d disallowed\n", type_name(reg->type),
                regno, reg->off);
        return -EACCES;
    }
    if (!tnum_equals_const(reg->var_off, 0)) {
        verbose(env, "variable %s access var_off=(0x%llx; 0x%llx) disallowed\n",
                type_name(reg->type), reg->var_off.value, reg->var_off.mask);
        return -EACCES;
    }
    return 0;
}

static int check_alignment(struct env *env, const struct bpf_reg_state *reg, int off, int size)
{
    bool stack = reg->type == PTR_TO_STACK;
    s64 at = (s64)reg->off + off;

    if (!stack && !env->strict)
        return 0;
    if (size == 1 || tnum_is_aligned(tnum_add(reg->var_off, tnum_const(at)), size))
        return 0;
    verbose(env, "misaligned %saccess off (0x%llx; 0x%llx)+%d+%d size %d\n",
            stack                           ? "stack "
            : reg->type == PTR_TO_MAP_VALUE ? "value "
            : reg->type == PTR_TO_CTX       ? "context "
                                            : "",
            reg->var_off.value, reg->var_off.mask, reg->off, off, size);
    return -EACCES;
}

static int check_ctx_access(struct env *env, int regno, const struct bpf_reg_state *reg, int off,
                            int size, bool write)
{
    int err = check_exact_pointer(env, reg, regno);

    if (err)
        return err;
    if (!bpf_ctx_access_ok(env->prog->type, off, size, write)) {
        verbose(env, "invalid bpf_context access off=%d size=%d\n", off, size);
        return -EACCES;
    }
    if (env->prog->max_ctx_offset < (u32)(off + size))
        env->prog->max_ctx_offset = off + size;
    return 0;
}

static int check_stack_access(struct env *env, int regno, const struct bpf_reg_state *reg, int off,
                              int size, bool write, const struct bpf_reg_state *value,
                              struct bpf_reg_state *dst)
{
    struct bpf_func_state *func = func_of(env, reg);
    int min_off, max_off, i, err;

    err = stack_range(env, regno, reg, off, size, write ? " write to" : " read from", &min_off,
                      &max_off);
    if (err)
        return err;
    note_stack_depth(env, func, min_off);
    if (tnum_is_const(reg->var_off))
        return write ? stack_write_fixed(env, func, min_off, size, value)
                     : stack_read_fixed(env, func, min_off, size, dst);
    if (write)
        return stack_write_var(func, min_off, max_off);
    for (i = min_off; i < max_off; i++) {
        const u8 *type = slot_byte(func, i);

        if (!type || *type == STACK_INVALID) {
            verbose(env, "invalid read from stack R%d var_off (0x%llx; 0x%llx)+%d size %d\n", regno,
                    reg->var_off.value, reg->var_off.mask, i - min_off, size);
            return -EACCES;
        }
    }
    if (dst)
        mark_unknown(dst);
    return 0;
}

/* A load from a value that never changes gives a known number. */
static bool read_const_value(const struct bpf_reg_state *reg, int off, int size,
                             struct bpf_reg_state *dst)
{
    u64 addr, value = 0;
    int at = reg->off + off + (int)reg->var_off.value;

    if (!bpf_map_is_rdonly(reg->map) || !tnum_is_const(reg->var_off) ||
        !reg->map->ops->direct_value_addr || reg->map->ops->direct_value_addr(reg->map, &addr, at))
        return false;
    memcpy(&value, (const void *)(unsigned long)(addr + at), size);
    mark_known(dst, value);
    return true;
}

/*
 * A load or store through a register. value: what is stored, NULL: a number. dst: where a load
 * puts its description, NULL: nowhere.
 */
static int check_mem_access(struct env *env, int regno, int off, int bpf_size, bool write,
                            const struct bpf_reg_state *value, struct bpf_reg_state *dst)
{
    static const int sizes[] = {4, 2, 1, 8};
    struct bpf_reg_state ptr = cur_regs(env)[regno], *reg = &ptr;
    int size = sizes[bpf_size >> 3], err;

    err = check_alignment(env, reg, off, size);
    if (err)
        return err;
    switch (reg->type) {
    case PTR_TO_MAP_VALUE:
        err = check_map_flags(env, reg, reg->off + off, size, write);
        if (!err)
            err = check_region_access(env, regno, reg, off, size, reg->map->value_size, false);
        if (!err && dst && !read_const_value(reg, off, size, dst))
            mark_unknown(dst);
        break;
    case PTR_TO_MEM:
        err = check_region_access(env, regno, reg, off, size, reg->mem_size, false);
        if (!err && dst)
            mark_unknown(dst);
        break;
    case PTR_TO_CTX:
        err = check_ctx_access(env, regno, reg, off, size, write);
        if (!err && dst)
            mark_unknown(dst);
        break;
    case PTR_TO_STACK:
        err = check_stack_access(env, regno, reg, off, size, write, value, dst);
        break;
    default:
        verbose(env, "R%d invalid mem access '%s'\n", regno, type_name(reg->type));
        return -EACCES;
    }
    if (!err && dst && size < 8 && dst->type == SCALAR_VALUE)
        coerce_to_size(dst, size);
    return err;
}

/* The same instruction must always access the same kind of memory. */
static int check_mem_kind(struct env *env, int regno)
{
    struct insn_aux *aux = &env->aux[env->insn_idx];
    u8 kind = cur_regs(env)[regno].type & 0xff;
    bool special = kind == PTR_TO_CTX;

    if (!aux->mem_kind)
        aux->mem_kind = kind;
    if (aux->mem_kind != kind && (special || aux->mem_kind == PTR_TO_CTX)) {
        verbose(env, "same insn cannot be used with different pointers\n");
        return -EINVAL;
    }
    return 0;
}

static int check_load(struct env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state value;
    int err = check_reg_read(env, insn->src_reg);

    if (!err)
        err = check_reg_write(env, insn->dst_reg);
    if (!err)
        err = check_mem_access(env, insn->src_reg, insn->off, BPF_SIZE(insn->code), false, NULL,
                               &value);
    if (!err)
        err = check_mem_kind(env, insn->src_reg);
    if (!err)
        cur_regs(env)[insn->dst_reg] = value;
    return err;
}

static int check_atomic(struct env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *regs = cur_regs(env), value, fetched;
    int size = BPF_SIZE(insn->code), load = -1, err;
    s32 op = insn->imm & ~BPF_FETCH;

    if (!(insn->imm == BPF_XCHG || insn->imm == BPF_CMPXCHG || op == BPF_ADD || op == BPF_AND ||
          op == BPF_OR || op == BPF_XOR)) {
        verbose(env, "BPF_ATOMIC uses invalid atomic opcode %02x\n", insn->imm);
        return -EINVAL;
    }
    if (size != BPF_W && size != BPF_DW) {
        verbose(env, "invalid atomic operand size\n");
        return -EINVAL;
    }
    err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_read(env, insn->dst_reg);
    if (!err && insn->imm == BPF_CMPXCHG)
        err = check_reg_read(env, BPF_REG_0);
    if (err)
        return err;
    if (regs[insn->dst_reg].type == PTR_TO_CTX) {
        verbose(env, "BPF_ATOMIC stores into R%d %s is not allowed\n", insn->dst_reg,
                type_name(regs[insn->dst_reg].type));
        return -EACCES;
    }
    if (insn->imm & BPF_FETCH) {
        load = insn->imm == BPF_CMPXCHG ? BPF_REG_0 : insn->src_reg;
        err = check_reg_write(env, load);
        if (err)
            return err;
    }
    mark_unknown(&value);
    err = check_mem_access(env, insn->dst_reg, insn->off, size, false, NULL, &fetched);
    if (!err)
        err = check_mem_access(env, insn->dst_reg, insn->off, size, true, &value, NULL);
    if (err || load < 0)
        return err;
    mark_unknown(&fetched);
    if (size == BPF_W)
        coerce_to_size(&fetched, 4);
    regs[load] = fetched;
    return 0;
}

static int check_store(struct env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state value;
    int err;

    if (BPF_CLASS(insn->code) == BPF_ST) {
        if (BPF_MODE(insn->code) != BPF_MEM || insn->src_reg) {
            verbose(env, "BPF_ST uses reserved fields\n");
            return -EINVAL;
        }
        mark_known(&value, (s64)insn->imm);
    } else {
        if (BPF_MODE(insn->code) == BPF_ATOMIC)
            return check_atomic(env, insn);
        if (BPF_MODE(insn->code) != BPF_MEM || insn->imm) {
            verbose(env, "BPF_STX uses reserved fields\n");
            return -EINVAL;
        }
        err = check_reg_read(env, insn->src_reg);
        if (err)
            return err;
        value = cur_regs(env)[insn->src_reg];
        /* The bytes that are stored do not share the register's later refinements. */
        if (value.type == SCALAR_VALUE)
            value.id = 0;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_CLASS(insn->code) == BPF_ST && cur_regs(env)[insn->dst_reg].type == PTR_TO_CTX) {
        verbose(env, "BPF_ST stores into R%d %s is not allowed\n", insn->dst_reg,
                type_name(PTR_TO_CTX));
        return -EACCES;
    }
    err = check_mem_access(env, insn->dst_reg, insn->off, BPF_SIZE(insn->code), true, &value, NULL);
    return err ? err : check_mem_kind(env, insn->dst_reg);
}

/* ---- arithmetic ---- */

/* Whether a pointer with this offset stays far from wrapping. */
static bool sane_offset(struct env *env, const struct bpf_reg_state *reg, u32 type)
{
    bool known = tnum_is_const(reg->var_off);
    s64 val = reg->var_off.value;

    if (known && (val >= BPF_MAX_VAR_OFF || val <= -BPF_MAX_VAR_OFF)) {
        verbose(env, "math between %s pointer and %lld is not allowed\n", type_name(type), val);
        return false;
    }
    if (reg->off >= BPF_MAX_VAR_OFF || reg->off <= -BPF_MAX_VAR_OFF) {
        verbose(env, "%s pointer offset %d is not allowed\n", type_name(type), reg->off);
        return false;
    }
    if (reg->smin == S64_MIN) {
        verbose(env,
                "math between %s pointer and register with unbounded min value is not allowed\n",
                type_name(type));
        return false;
    }
    if (reg->smin >= BPF_MAX_VAR_OFF || reg->smin <= -BPF_MAX_VAR_OFF) {
        verbose(env, "value %lld makes %s pointer be out of bounds\n", reg->smin, type_name(type));
        return false;
    }
    return true;
}

static bool add_overflows(s64 a, s64 b)
{
    s64 sum;

    return __builtin_add_overflow(a, b, &sum);
}

static bool sub_overflows(s64 a, s64 b)
{
    s64 difference;

    return __builtin_sub_overflow(a, b, &difference);
}

static void scalar_add(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    if (add_overflows(dst->smin, src->smin) || add_overflows(dst->smax, src->smax)) {
        dst->smin = S64_MIN;
        dst->smax = S64_MAX;
    } else {
        dst->smin += src->smin;
        dst->smax += src->smax;
    }
    if (dst->umin + src->umin < src->umin || dst->umax + src->umax < src->umax) {
        dst->umin = 0;
        dst->umax = U64_MAX;
    } else {
        dst->umin += src->umin;
        dst->umax += src->umax;
    }
    dst->var_off = tnum_add(dst->var_off, src->var_off);
}

static void scalar_sub(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    if (sub_overflows(dst->smin, src->smax) || sub_overflows(dst->smax, src->smin)) {
        dst->smin = S64_MIN;
        dst->smax = S64_MAX;
    } else {
        dst->smin -= src->smax;
        dst->smax -= src->smin;
    }
    if (dst->umin < src->umax) {
        dst->umin = 0;
        dst->umax = U64_MAX;
    } else {
        dst->umin -= src->umax;
        dst->umax -= src->umin;
    }
    dst->var_off = tnum_sub(dst->var_off, src->var_off);
}

static void unbound(struct bpf_reg_state *dst)
{
    dst->smin = S64_MIN;
    dst->smax = S64_MAX;
    dst->umin = 0;
    dst->umax = U64_MAX;
}

static void scalar_mul(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    dst->var_off = tnum_mul(dst->var_off, src->var_off);
    if (dst->umax > U32_MAX || src->umax > U32_MAX) {
        unbound(dst);
        return;
    }
    dst->umin *= src->umin;
    dst->umax *= src->umax;
    dst->smin = S64_MIN;
    dst->smax = S64_MAX;
}

static void scalar_bitwise(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op)
{
    u64 least = max(dst->umin, src->umin), greatest = min(dst->umax, src->umax);

    if (op == BPF_AND)
        dst->var_off = tnum_and(dst->var_off, src->var_off);
    else if (op == BPF_OR)
        dst->var_off = tnum_or(dst->var_off, src->var_off);
    else
        dst->var_off = tnum_xor(dst->var_off, src->var_off);
    unbound(dst);
    if (op == BPF_AND)
        dst->umax = greatest;
    else if (op == BPF_OR)
        dst->umin = least;
}

/* The shift is known, and less than the width. */
static void scalar_shift(struct bpf_reg_state *dst, u8 op, u8 shift, u8 bits)
{
    u64 umin = dst->umin, umax = dst->umax;
    s64 smin = dst->smin, smax = dst->smax;

    unbound(dst);
    if (op == BPF_LSH) {
        dst->var_off = tnum_lshift(dst->var_off, shift);
        if (!shift || umax <= U64_MAX >> shift) {
            dst->umin = umin << shift;
            dst->umax = umax << shift;
        }
    } else if (op == BPF_RSH) {
        dst->var_off = tnum_rshift(dst->var_off, shift);
        dst->umin = umin >> shift;
        dst->umax = umax >> shift;
    } else if (bits == 64) {
        dst->var_off = tnum_arshift(dst->var_off, shift, 64);
        dst->smin = smin >> shift;
        dst->smax = smax >> shift;
    } else {
        dst->var_off = tnum_arshift(dst->var_off, shift, 32);
    }
}

static void adjust_scalar(struct bpf_reg_state *dst, struct bpf_reg_state src, u8 op, bool wide)
{
    u8 bits = wide ? 64 : 32;

    if (!wide) {
        coerce_to_size(dst, 4);
        coerce_to_size(&src, 4);
    }
    dst->id = 0;
    switch (op) {
    case BPF_ADD: scalar_add(dst, &src); break;
    case BPF_SUB: scalar_sub(dst, &src); break;
    case BPF_MUL: scalar_mul(dst, &src); break;
    case BPF_AND:
    case BPF_OR:
    case BPF_XOR: scalar_bitwise(dst, &src, op); break;
    case BPF_LSH:
    case BPF_RSH:
    case BPF_ARSH:
        if (tnum_is_const(src.var_off) && src.var_off.value < bits)
            scalar_shift(dst, op, src.var_off.value, bits);
        else
            mark_unknown(dst);
        break;
    default: mark_unknown(dst);
    }
    sync_bounds(dst);
    if (!wide)
        coerce_to_size(dst, 4);
}

static const char *op_text(u8 op)
{
    static const char *const text[] = {
        "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=", "endian"};

    return text[op >> 4];
}

static int check_pointer_op(struct env *env, int dst, const struct bpf_reg_state *ptr, u8 op,
                            bool wide)
{
    if (!wide) {
        verbose(env, "R%d 32-bit pointer arithmetic prohibited\n", dst);
        return -EACCES;
    }
    if (ptr->type & PTR_MAYBE_NULL) {
        verbose(env, "R%d pointer arithmetic on %s prohibited, null-check it first\n", dst,
                type_name(ptr->type));
        return -EACCES;
    }
    if (op == BPF_AND || op == BPF_OR || op == BPF_XOR) {
        verbose(env, "R%d bitwise operator %s on pointer prohibited\n", dst, op_text(op));
        return -EACCES;
    }
    if (op != BPF_ADD && op != BPF_SUB) {
        verbose(env, "R%d pointer arithmetic with %s operator prohibited\n", dst, op_text(op));
        return -EACCES;
    }
    return 0;
}

/* dst = ptr op num, where either may be in the register dst. */
static int adjust_pointer(struct env *env, int dst, struct bpf_reg_state ptr,
                          struct bpf_reg_state num, u8 op, bool wide, bool dst_is_ptr)
{
    struct bpf_reg_state *reg = &cur_regs(env)[dst];
    bool known = tnum_is_const(num.var_off);
    s64 sum;
    int err;

    if (num.smin > num.smax || num.umin > num.umax) { /* this way is never taken */
        mark_unknown(reg);
        return 0;
    }
    err = check_pointer_op(env, dst, &ptr, op, wide);
    if (err)
        return err;
    if (ptr.type == CONST_PTR_TO_MAP && !(known && !num.var_off.value && op == BPF_ADD)) {
        verbose(env, "R%d pointer arithmetic on %s prohibited\n", dst, type_name(ptr.type));
        return -EACCES;
    }
    if (op == BPF_SUB && !dst_is_ptr) {
        verbose(env, "R%d tried to subtract pointer from scalar\n", dst);
        return -EACCES;
    }
    if (op == BPF_SUB && ptr.type == PTR_TO_STACK) {
        verbose(env, "R%d subtraction from stack pointer prohibited\n", dst);
        return -EACCES;
    }
    if (!sane_offset(env, &num, ptr.type) || !sane_offset(env, &ptr, ptr.type))
        return -EINVAL;
    *reg = ptr;
    num.id = 0;
    sum = op == BPF_ADD ? ptr.off + num.smin : ptr.off - num.smin;
    if (known && sum == (s32)sum) {
        reg->off = sum;
    } else {
        if (op == BPF_ADD)
            scalar_add(reg, &num);
        else
            scalar_sub(reg, &num);
    }
    sync_bounds(reg);
    if (!sane_offset(env, reg, ptr.type))
        return -EINVAL;
    return 0;
}

static int adjust_reg(struct env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg], imm, src;
    bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
    u8 op = BPF_OP(insn->code);

    if (BPF_SRC(insn->code) == BPF_X) {
        src = cur_regs(env)[insn->src_reg];
    } else {
        mark_known(&imm, (s64)insn->imm);
        src = imm;
    }
    if (is_pointer(dst) && is_pointer(&src)) {
        if (op == BPF_SUB && wide) {
            mark_unknown(dst);
            return 0;
        }
        verbose(env, "R%d pointer %s pointer prohibited\n", insn->dst_reg, op_text(op));
        return -EACCES;
    }
    if (is_pointer(dst))
        return adjust_pointer(env, insn->dst_reg, *dst, src, op, wide, true);
    if (is_pointer(&src))
        return adjust_pointer(env, insn->dst_reg, src, *dst, op, wide, false);
    adjust_scalar(dst, src, op, wide);
    return 0;
}

static int check_mov(struct env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst = &cur_regs(env)[insn->dst_reg], *src;
    bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
    int err = 0;

    if (insn->off || (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg)) {
        verbose(env, "BPF_MOV uses reserved fields\n");
        return -EINVAL;
    }
    if (BPF_SRC(insn->code) == BPF_X)
        err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_write(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_SRC(insn->code) == BPF_K) {
        mark_known(dst, wide ? (u64)(s64)insn->imm : (u32)insn->imm);
        return 0;
    }
    src = &cur_regs(env)[insn->src_reg];
    if (wide) {
        if (src->type == SCALAR_VALUE && !src->id && !is_const(src))
            src->id = ++env->id_gen;
        *dst = *src;
        return 0;
    }
    if (is_pointer(src)) {
        mark_unknown(dst);
    } else {
        *dst = *src;
        dst->id = 0;
    }
    coerce_to_size(dst, 4);
    return 0;
}

static int check_end_or_neg(struct env *env, const struct bpf_insn *insn)
{
    bool neg = BPF_OP(insn->code) == BPF_NEG;
    struct bpf_reg_state *dst, zero;
    int err;

    if (neg ? BPF_SRC(insn->code) != BPF_K || insn->src_reg || insn->off || insn->imm
            : insn->src_reg || insn->off ||
                  (insn->imm != 16 && insn->imm != 32 && insn->imm != 64) ||
                  BPF_CLASS(insn->code) == BPF_ALU64) {
        verbose(env, neg ? "BPF_NEG uses reserved fields\n" : "BPF_END uses reserved fields\n");
        return -EINVAL;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    dst = &cur_regs(env)[insn->dst_reg];
    if (is_pointer(dst) && insn->dst_reg != BPF_REG_FP) {
        verbose(env, "R%d pointer arithmetic prohibited\n", insn->dst_reg);
        return -EACCES;
    }
    err = check_reg_write(env, insn->dst_reg);
    if (err)
        return err;
    if (neg) {
        mark_known(&zero, 0);
        adjust_scalar(&zero, *dst, BPF_SUB, BPF_CLASS(insn->code) == BPF_ALU64);
        *dst = zero;
    } else {
        mark_unknown(dst);
        if (insn->imm < 64)
            coerce_to_size(dst, insn->imm / 8);
    }
    return 0;
}

static int check_alu_op(struct env *env, const struct bpf_insn *insn)
{
    u8 op = BPF_OP(insn->code);
    bool x = BPF_SRC(insn->code) == BPF_X;
    int bits = BPF_CLASS(insn->code) == BPF_ALU64 ? 64 : 32, err = 0;

    if (op == BPF_END || op == BPF_NEG)
        return check_end_or_neg(env, insn);
    if (op == BPF_MOV)
        return check_mov(env, insn);
    if (op > BPF_END) {
        verbose(env, "invalid BPF_ALU opcode %x\n", op);
        return -EINVAL;
    }
    if (insn->off || (x ? insn->imm : insn->src_reg)) {
        verbose(env, "BPF_ALU uses reserved fields\n");
        return -EINVAL;
    }
    if (x)
        err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if ((op == BPF_MOD || op == BPF_DIV) && !x && !insn->imm) {
        verbose(env, "div by zero\n");
        return -EINVAL;
    }
    if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && !x &&
        (insn->imm < 0 || insn->imm >= bits)) {
        verbose(env, "invalid shift %d\n", insn->imm);
        return -EINVAL;
    }
    err = check_reg_write(env, insn->dst_reg);
    return err ? err : adjust_reg(env, insn);
}

/* ---- conditional jumps ---- */

/* 1: always, 0: never, -1: unknown. Of numbers of 64 bits. */
static int branch_outcome(const struct bpf_reg_state *reg, u64 val, u8 op)
{
    s64 sval = val;

    switch (op) {
    case BPF_JEQ:
    case BPF_JNE:
        if (tnum_equals_const(reg->var_off, val))
            return op == BPF_JEQ;
        if (val < reg->umin || val > reg->umax || sval < reg->smin || sval > reg->smax ||
            (reg->var_off.value ^ val) & ~reg->var_off.mask)
            return op == BPF_JNE;
        return -1;
    case BPF_JSET:
        if (reg->var_off.value & val)
            return 1;
        return (reg->var_off.value | reg->var_off.mask) & val ? -1 : 0;
    case BPF_JGT: return reg->umin > val ? 1 : reg->umax <= val ? 0 : -1;
    case BPF_JGE: return reg->umin >= val ? 1 : reg->umax < val ? 0 : -1;
    case BPF_JLT: return reg->umax < val ? 1 : reg->umin >= val ? 0 : -1;
    case BPF_JLE: return reg->umax <= val ? 1 : reg->umin > val ? 0 : -1;
    case BPF_JSGT: return reg->smin > sval ? 1 : reg->smax <= sval ? 0 : -1;
    case BPF_JSGE: return reg->smin >= sval ? 1 : reg->smax < sval ? 0 : -1;
    case BPF_JSLT: return reg->smax < sval ? 1 : reg->smin >= sval ? 0 : -1;
    default: /* BPF_JSLE */ return reg->smax <= sval ? 1 : reg->smin > sval ? 0 : -1;
    }
}

/* The same of the lower halves: reg must have the upper half zero for signed ones. */
static int branch_outcome32(struct bpf_reg_state reg, u32 val, u8 op)
{
    bool is_signed = op == BPF_JSGT || op == BPF_JSGE || op == BPF_JSLT || op == BPF_JSLE;

    coerce_to_size(&reg, 4);
    if (!is_signed)
        return branch_outcome(&reg, val, op);
    if (reg.umax > S32_MAX) {
        if (!is_const(&reg))
            return -1;
        mark_known(&reg, (s64)(s32)reg.var_off.value);
    }
    return branch_outcome(&reg, (s64)(s32)val, op);
}

static u8 flip(u8 op)
{
    switch (op) {
    case BPF_JGT: return BPF_JLT;
    case BPF_JGE: return BPF_JLE;
    case BPF_JLT: return BPF_JGT;
    case BPF_JLE: return BPF_JGE;
    case BPF_JSGT: return BPF_JSLT;
    case BPF_JSGE: return BPF_JSLE;
    case BPF_JSLT: return BPF_JSGT;
    case BPF_JSLE: return BPF_JSGE;
    default: return op;
    }
}

/* The condition that holds if op does not; 0: that tells nothing as simple. */
static u8 negate(u8 op)
{
    switch (op) {
    case BPF_JEQ: return BPF_JNE;
    case BPF_JNE: return BPF_JEQ;
    case BPF_JGT: return BPF_JLE;
    case BPF_JGE: return BPF_JLT;
    case BPF_JLT: return BPF_JGE;
    case BPF_JLE: return BPF_JGT;
    case BPF_JSGT: return BPF_JSLE;
    case BPF_JSGE: return BPF_JSLT;
    case BPF_JSLT: return BPF_JSGE;
    case BPF_JSLE: return BPF_JSGT;
    default: return 0;
    }
}

/* Refines reg by `reg op val`, which holds. */
static void refine64(struct bpf_reg_state *reg, u64 val, u8 op)
{
    s64 sval = val;

    switch (op) {
    case BPF_JEQ: set_const(reg, val); return;
    case BPF_JGT:
        if (val != U64_MAX)
            reg->umin = max(reg->umin, val + 1);
        break;
    case BPF_JGE: reg->umin = max(reg->umin, val); break;
    case BPF_JLT:
        if (val)
            reg->umax = min(reg->umax, val - 1);
        break;
    case BPF_JLE: reg->umax = min(reg->umax, val); break;
    case BPF_JSGT:
        if (sval != S64_MAX)
            reg->smin = max(reg->smin, sval + 1);
        break;
    case BPF_JSGE: reg->smin = max(reg->smin, sval); break;
    case BPF_JSLT:
        if (sval != S64_MIN)
            reg->smax = min(reg->smax, sval - 1);
        break;
    case BPF_JSLE: reg->smax = min(reg->smax, sval); break;
    case BPF_JNE: /* only at the edges of the range */
        if (reg->umin == val && val != U64_MAX)
            reg->umin++;
        if (reg->umax == val && val)
            reg->umax--;
        break;
    case BPF_JSET: /* a single bit must be set */
        if (val && !(val & (val - 1)))
            reg->var_off = tnum_or(reg->var_off, tnum_const(val));
        break;
    default: break;
    }
    sync_bounds(reg);
}

/* `reg op val` of the lower halves. */
static void refine32(struct bpf_reg_state *reg, u32 val, u8 op)
{
    bool is_signed = op == BPF_JSGT || op == BPF_JSGE || op == BPF_JSLT || op == BPF_JSLE;

    if (op == BPF_JEQ) {
        reg->var_off = tnum_intersect(reg->var_off, TNUM(val, 0xffffffff00000000ULL));
        sync_bounds(reg);
        return;
    }
    /* Else only if the register is the lower half, and a signed comparison is one of its range. */
    if (reg->umax > U32_MAX)
        return;
    if (is_signed) {
        if (reg->umax > S32_MAX)
            return;
        refine64(reg, (s64)(s32)val, op);
        return;
    }
    refine64(reg, val, op);
}

/* What a condition, which holds, tells of reg; of its negation, for BPF_JSET. */
static void refine(struct bpf_reg_state *reg, u64 val, u8 op, bool wide, bool holds)
{
    if (reg->type != SCALAR_VALUE)
        return;
    if (op == BPF_JSET && !holds) {
        u64 zero = wide ? val : (u32)val;

        reg->var_off = tnum_and(reg->var_off, tnum_const(~zero));
        sync_bounds(reg);
        return;
    }
    if (!holds)
        op = negate(op);
    if (wide)
        refine64(reg, val, op);
    else
        refine32(reg, val, op);
}

static void copy_equal(struct bpf_reg_state *reg, const void *known)
{
    const struct bpf_reg_state *from = known;

    if (reg->type == SCALAR_VALUE && reg->id == from->id)
        *reg = *from;
}

static void spread_equal(struct bpf_verifier_state *state, const struct bpf_reg_state *reg)
{
    struct bpf_reg_state known = *reg;

    if (known.type == SCALAR_VALUE && known.id)
        for_each_reg(state, copy_equal, &known);
}

struct null_check {
    u32 id;
    bool null;
};

static void decide_null(struct bpf_reg_state *reg, const void *arg)
{
    const struct null_check *check = arg;

    if (!(reg->type & PTR_MAYBE_NULL) || reg->id != check->id)
        return;
    if (check->null) {
        mark_known(reg, 0);
        return;
    }
    reg->type &= ~PTR_MAYBE_NULL;
    if (!reg->ref_obj_id)
        reg->id = 0;
}

static void release_ref(struct bpf_verifier_state *state, u32 id)
{
    u32 i;

    for (i = 0; i < state->nr_refs; i++)
        if (state->refs[i].id == id) {
            state->refs[i] = state->refs[--state->nr_refs];
            return;
        }
}

/* The pointer is compared with NULL; a record that was not reserved need not be released. */
static void mark_null(struct bpf_verifier_state *state, u32 regno, bool null)
{
    const struct bpf_reg_state *reg = &state->frame[state->curframe]->regs[regno];
    struct null_check check = {reg->id, null};

    if (null && reg->ref_obj_id)
        release_ref(state, reg->ref_obj_id);
    for_each_reg(state, decide_null, &check);
}

static int push_pending(struct env *env, int insn_idx, struct bpf_verifier_state **state)
{
    struct pending *p = kzalloc(sizeof(*p));
    int err = -ENOMEM;

    if (p)
        err = copy_state(&p->state, env->cur);
    if (err) {
        kfree(p);
        return err;
    }
    p->insn_idx = insn_idx;
    p->prev_insn_idx = env->insn_idx;
    p->next = env->stack;
    env->stack = p;
    if (p->state.parent)
        p->state.parent->branches++;
    if (++env->stack_size > 8192) {
        verbose(env, "The sequence of %d jumps is too complex.\n", (int)env->stack_size);
        return -E2BIG;
    }
    *state = &p->state;
    return 0;
}

static bool is_not_null(const struct bpf_reg_state *reg)
{
    return is_pointer(reg) && !(reg->type & PTR_MAYBE_NULL);
}

/* The condition as one of a register and a constant: -1 unknown, else whether it holds. */
static int known_outcome(const struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op,
                         bool wide)
{
    if (dst->type == SCALAR_VALUE && is_const(src))
        return wide ? branch_outcome(dst, src->var_off.value, op)
                    : branch_outcome32(*dst, src->var_off.value, op);
    if (src->type == SCALAR_VALUE && is_const(dst) && op != BPF_JSET)
        return wide ? branch_outcome(src, dst->var_off.value, flip(op))
                    : branch_outcome32(*src, dst->var_off.value, flip(op));
    if (is_not_null(dst) && is_null(src) && wide) {
        if (op == BPF_JEQ)
            return 0;
        if (op == BPF_JNE)
            return 1;
    }
    return -1;
}

static void refine_state(struct bpf_verifier_state *state, const struct bpf_insn *insn,
                         struct bpf_reg_state src, bool holds)
{
    struct bpf_reg_state *regs = state->frame[state->curframe]->regs;
    struct bpf_reg_state *dst = &regs[insn->dst_reg], old = *dst;
    bool wide = BPF_CLASS(insn->code) == BPF_JMP, x = BPF_SRC(insn->code) == BPF_X;
    u8 op = BPF_OP(insn->code);

    if (dst->type & PTR_MAYBE_NULL && is_null(&src) && wide && (op == BPF_JEQ || op == BPF_JNE)) {
        mark_null(state, insn->dst_reg, (op == BPF_JEQ) == holds);
        return;
    }
    if (is_const(&src)) {
        refine(dst, src.var_off.value, op, wide, holds);
        spread_equal(state, dst);
    } else if (x && src.type == SCALAR_VALUE && is_const(&old) && op != BPF_JSET) {
        refine(&regs[insn->src_reg], old.var_off.value, flip(op), wide, holds);
        spread_equal(state, &regs[insn->src_reg]);
    }
}

/* Returns 1 if only the jump is possible, 0 to go on with the next instruction, or an error. */
static int check_cond_jump(struct env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst, src;
    struct bpf_verifier_state *other;
    bool wide = BPF_CLASS(insn->code) == BPF_JMP;
    int err, outcome;

    if (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg) {
        verbose(env, wide ? "BPF_JMP uses reserved fields\n" : "BPF_JMP32 uses reserved fields\n");
        return -EINVAL;
    }
    if (BPF_SRC(insn->code) == BPF_X) {
        err = check_reg_read(env, insn->src_reg);
        if (err)
            return err;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_SRC(insn->code) == BPF_X)
        src = cur_regs(env)[insn->src_reg];
    else
        mark_known(&src, (s64)insn->imm);
    dst = &cur_regs(env)[insn->dst_reg];
    outcome = known_outcome(dst, &src, BPF_OP(insn->code), wide);
    if (outcome >= 0)
        return outcome;
    err = push_pending(env, env->insn_idx + insn->off + 1, &other);
    if (err)
        return err;
    refine_state(other, insn, src, true);
    refine_state(env->cur, insn, src, false);
    if (env->log && env->log->level & 2)
        print_state(env, cur_func(env));
    return 0;
}

/* ---- calls ---- */

/* What the arguments of a helper have told so far. */
struct call_meta {
    struct bpf_map *map;
    bool uninit;      /* the last pointer is to memory that the helper fills */
    u64 mem_size;     /* of the record to reserve */
    u64 max_size;     /* of the memory */
    u32 release;      /* id of the record to release */
    int uninit_regno; /* register of memory that is filled */
};

static int expected(struct env *env, int regno, const char *types)
{
    verbose(env, "R%d type=%s expected=%s\n", regno, type_name(cur_regs(env)[regno].type), types);
    return -EACCES;
}

static int check_helper_mem(struct env *env, int regno, int size, bool zero_ok, bool write,
                            bool uninit)
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
        verbose(env, "R%d type=%s expected=fp\n", regno, type_name(reg->type));
        return -EACCES;
    }
}

static int check_mem_size(struct env *env, int regno, bool zero_ok, struct call_meta *meta)
{
    const struct bpf_reg_state *size = &cur_regs(env)[regno];
    bool uninit = meta->uninit && tnum_is_const(size->var_off);

    meta->max_size = size->umax;
    if (size->smin < 0) {
        verbose(env, "R%d min value is negative, either use unsigned or 'var &= const'\n", regno);
        return -EACCES;
    }
    if (!size->umin) {
        int err = check_helper_mem(env, regno - 1, 0, zero_ok, meta->uninit, uninit);

        if (err)
            return err;
    }
    if (size->umax >= BPF_MAX_VAR_SIZ) {
        verbose(env, "R%d unbounded memory access, use 'var &= const' or 'if (var < const)'\n",
                regno);
        return -EACCES;
    }
    return check_helper_mem(env, regno - 1, size->umax, zero_ok, meta->uninit, uninit);
}

static bool is_mem_type(u32 type)
{
    return type == PTR_TO_STACK || type == PTR_TO_MAP_VALUE || type == PTR_TO_MEM;
}

static int check_release_arg(struct env *env, int regno, struct call_meta *meta)
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

static int check_func_arg(struct env *env, int n, const struct bpf_func_proto *proto,
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
    case ARG_PTR_TO_ALLOC_MEM: return check_release_arg(env, regno, meta);
    default: /* ARG_CONST_ALLOC_SIZE_OR_ZERO */
        if (reg->type != SCALAR_VALUE)
            return expected(env, regno, "scalar");
        if (!tnum_is_const(reg->var_off)) {
            verbose(env, "R%d is not a known constant'\n", regno);
            return -EACCES;
        }
        meta->mem_size = reg->var_off.value;
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

static void clobber_caller_saved(struct bpf_reg_state *regs)
{
    int i;

    for (i = BPF_REG_0; i <= BPF_REG_5; i++)
        mark_not_init(&regs[i]);
}

static int set_return_value(struct env *env, int func_id, const struct bpf_func_proto *proto,
                            const struct call_meta *meta)
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
            r0->smax = meta->max_size;
            r0->smin = -MAX_ERRNO;
            sync_bounds(r0);
        }
        return 0;
    }
}

static int check_helper_call(struct env *env, const struct bpf_insn *insn)
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
    if (func_id == BPF_FUNC_get_stackid || func_id == BPF_FUNC_get_stack)
        env->prog->needs_stack = true;
    if (meta.release)
        forget_released_reg(env->cur, meta.release);
    clobber_caller_saved(cur_regs(env));
    return set_return_value(env, func_id, proto, &meta);
}

static int check_subprog_call(struct env *env, const struct bpf_insn *insn, int *next)
{
    struct bpf_verifier_state *state = env->cur;
    struct bpf_func_state *caller = cur_func(env), *callee;
    int target = env->insn_idx + insn->imm + 1, subprog = find_subprog(env, target), i;

    if (state->curframe + 1 >= MAX_CALL_FRAMES) {
        verbose(env, "the call stack of %d frames is too deep\n", (int)state->curframe + 2);
        return -E2BIG;
    }
    if (subprog < 0)
        return -EFAULT;
    callee = kmalloc(sizeof(*callee));
    if (!callee)
        return -ENOMEM;
    init_func_state(callee, env->insn_idx, state->curframe + 1, subprog);
    for (i = BPF_REG_1; i <= BPF_REG_5; i++)
        callee->regs[i] = caller->regs[i];
    clobber_caller_saved(caller->regs);
    state->frame[++state->curframe] = callee;
    *next = target;
    if (env->log && env->log->level & 1) {
        verbose(env, "caller:\n");
        print_state(env, caller);
        verbose(env, "callee:\n");
        print_state(env, callee);
    }
    return 0;
}

static int return_to_caller(struct env *env, int *next)
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
    state->frame[state->curframe--] = NULL;
    free_func_state(callee);
    if (env->log && env->log->level & 1) {
        verbose(env, "to caller at %d:\n", *next);
        print_state(env, caller);
    }
    return 0;
}

static int check_leaks(struct env *env)
{
    u32 i;

    for (i = 0; i < env->cur->nr_refs; i++)
        verbose(env, "Unreleased reference id=%d alloc_insn=%d\n", (int)env->cur->refs[i].id,
                env->cur->refs[i].insn_idx);
    return env->cur->nr_refs ? -EINVAL : 0;
}

/* ---- states that were verified before ---- */

/* The ids of two states stand for the same equalities. */
static bool ids_match(struct env *env, u32 old, u32 cur)
{
    u32 i;

    if (!old && !cur)
        return true;
    if (!old || !cur)
        return false;
    for (i = 0; i < env->idmap_used; i++)
        if (env->idmap[i].old == old || env->idmap[i].cur == cur)
            return env->idmap[i].old == old && env->idmap[i].cur == cur;
    if (env->idmap_used >= ID_MAP_SIZE)
        return false;
    env->idmap[env->idmap_used].old = old;
    env->idmap[env->idmap_used++].cur = cur;
    return true;
}

static bool range_within(const struct bpf_reg_state *old, const struct bpf_reg_state *cur)
{
    return old->umin <= cur->umin && old->umax >= cur->umax && old->smin <= cur->smin &&
           old->smax >= cur->smax && tnum_in(old->var_off, cur->var_off);
}

/* What is safe with old is safe with cur. */
static bool reg_is_covered(struct env *env, const struct bpf_reg_state *old,
                           const struct bpf_reg_state *cur)
{
    if (old->type == NOT_INIT)
        return true;
    if (cur->type == NOT_INIT)
        return false;
    if (old->type == SCALAR_VALUE) {
        if (cur->type != SCALAR_VALUE || !range_within(old, cur))
            return false;
        return !old->id || ids_match(env, old->id, cur->id);
    }
    return old->type == cur->type && old->map == cur->map && old->mem_size == cur->mem_size &&
           old->off == cur->off && old->frameno == cur->frameno && range_within(old, cur) &&
           ids_match(env, old->id, cur->id) && ids_match(env, old->ref_obj_id, cur->ref_obj_id);
}

static bool slot_is_covered(struct env *env, const struct bpf_stack_state *old,
                            const struct bpf_stack_state *cur)
{
    int i;

    for (i = 0; i < 8; i++) {
        u8 a = old->slot_type[i], b = cur ? cur->slot_type[i] : STACK_INVALID;

        if (a == STACK_INVALID)
            continue;
        if (a == STACK_MISC && (b == STACK_MISC || b == STACK_ZERO))
            continue;
        if (a != b)
            return false;
        if (a == STACK_SPILL)
            return reg_is_covered(env, &old->spilled, &cur->spilled);
    }
    return true;
}

static bool func_is_covered(struct env *env, const struct bpf_func_state *old,
                            const struct bpf_func_state *cur, u16 live)
{
    u32 i;

    if (old->callsite != cur->callsite || old->subprogno != cur->subprogno)
        return false;
    for (i = 0; i < MAX_BPF_REG; i++)
        if (live & bit(i) && !reg_is_covered(env, &old->regs[i], &cur->regs[i]))
            return false;
    for (i = 0; i < old->nr_slots; i++)
        if (!slot_is_covered(env, &old->stack[i], i < cur->nr_slots ? &cur->stack[i] : NULL))
            return false;
    return true;
}

static bool state_is_covered(struct env *env, const struct bpf_verifier_state *old,
                             const struct bpf_verifier_state *cur, int insn_idx)
{
    u32 i;

    if (old->curframe != cur->curframe || old->nr_refs != cur->nr_refs)
        return false;
    env->idmap_used = 0;
    for (i = 0; i < old->nr_refs; i++)
        if (!ids_match(env, old->refs[i].id, cur->refs[i].id))
            return false;
    for (i = 0; i <= old->curframe; i++) {
        u16 live = i == old->curframe ? env->aux[insn_idx].live
                                      : env->aux[old->frame[i + 1]->callsite + 1].live & 0x3c0;

        if (!func_is_covered(env, old->frame[i], cur->frame[i], live))
            return false;
    }
    return true;
}

/* Nothing changed since old, so a loop that led here does not end. */
static bool state_is_same(struct env *env, const struct bpf_verifier_state *old,
                          const struct bpf_verifier_state *cur, int insn_idx)
{
    return state_is_covered(env, old, cur, insn_idx) && state_is_covered(env, cur, old, insn_idx);
}

/* A way from the state ends: the states that led to it have one less. */
static void way_ends(struct bpf_verifier_state *state)
{
    for (; state; state = state->parent)
        if (--state->branches)
            return;
}

static struct state_list *store_state(struct env *env, int insn_idx)
{
    struct state_list *sl = kzalloc(sizeof(*sl));

    if (!sl)
        return NULL;
    if (copy_state(&sl->state, env->cur)) {
        kfree(sl);
        return NULL;
    }
    sl->next = env->aux[insn_idx].states;
    env->aux[insn_idx].states = sl;
    sl->state.branches = 1;
    env->cur->parent = &sl->state;
    env->total_states++;
    env->peak_states = max(env->peak_states, env->total_states);
    return sl;
}

static void drop_state(struct env *env, struct state_list **link)
{
    struct state_list *sl = *link;

    *link = sl->next;
    free_state_contents(&sl->state);
    kfree(sl);
    env->total_states--;
}

/* 1: the state is covered by an earlier one. 0: go on. Else an error. */
static int check_visited(struct env *env, int insn_idx)
{
    struct state_list **link = &env->aux[insn_idx].states, *sl;
    u32 states = 0, looping = 0;
    bool add = env->prog->prog_flags & BPF_F_TEST_STATE_FREQ;

    if (env->jmps_processed - env->prev_jmps_processed >= 2 &&
        env->insn_processed - env->prev_insn_processed >= 8)
        add = true;
    while ((sl = *link)) {
        states++;
        if (sl->state.branches) {
            if (++looping <= LOOP_STATES && state_is_same(env, &sl->state, env->cur, insn_idx)) {
                verbose(env, "infinite loop detected at insn %d\n", insn_idx);
                return -EINVAL;
            }
            /* In a loop, do not store a state for each short round, and ever fewer of them. */
            if ((env->jmps_processed - env->prev_jmps_processed < 20 &&
                 env->insn_processed - env->prev_insn_processed < 100) ||
                env->insn_processed - env->prev_insn_processed < looping * 8)
                add = false;
        } else if (state_is_covered(env, &sl->state, env->cur, insn_idx)) {
            sl->hit++;
            return 1;
        } else {
            sl->miss++;
            /* A state that never helps costs time. None that is in use descends from it. */
            if (sl->miss > sl->hit * 3 + 3) {
                drop_state(env, link);
                continue;
            }
        }
        link = &sl->next;
    }
    env->max_states_per_insn = max(env->max_states_per_insn, states);
    if (!add)
        return 0;
    env->prev_jmps_processed = env->jmps_processed;
    env->prev_insn_processed = env->insn_processed;
    return store_state(env, insn_idx) ? 0 : -ENOMEM;
}

/* ---- the loop over instructions ---- */

static int check_ld_imm(struct env *env, const struct bpf_insn *insn)
{
    const struct insn_aux *aux = &env->aux[env->insn_idx];
    struct bpf_reg_state *dst;
    int err;

    if (BPF_SIZE(insn->code) != BPF_DW) {
        verbose(env, "invalid BPF_LD_IMM insn\n");
        return -EINVAL;
    }
    if (insn->off) {
        verbose(env, "BPF_LD_IMM64 uses reserved fields\n");
        return -EINVAL;
    }
    err = check_reg_write(env, insn->dst_reg);
    if (err)
        return err;
    dst = &cur_regs(env)[insn->dst_reg];
    if (!insn->src_reg) {
        mark_known(dst, (u64)(u32)insn[1].imm << 32 | (u32)insn->imm);
    } else {
        mark_pointer(dst, aux->map_value ? PTR_TO_MAP_VALUE : CONST_PTR_TO_MAP);
        dst->map = aux->map;
        dst->off = aux->map_off;
    }
    return 0;
}

/* Returns the next instruction, -1 if the way ends here, or an error below -1. */
enum { WAY_ENDS = -1 };

static int check_jump(struct env *env, const struct bpf_insn *insn)
{
    bool jmp = BPF_CLASS(insn->code) == BPF_JMP;
    int next = env->insn_idx + 1, err;

    env->jmps_processed++;
    switch (BPF_OP(insn->code)) {
    case BPF_CALL:
        if (!jmp || BPF_SRC(insn->code) != BPF_K || insn->off ||
            (insn->src_reg && insn->src_reg != BPF_PSEUDO_CALL) || insn->dst_reg) {
            verbose(env, "BPF_CALL uses reserved fields\n");
            return -EINVAL;
        }
        err = insn->src_reg ? check_subprog_call(env, insn, &next) : check_helper_call(env, insn);
        return err ? err : next;
    case BPF_JA:
        if (!jmp || BPF_SRC(insn->code) != BPF_K || insn->imm || insn->src_reg || insn->dst_reg) {
            verbose(env, "BPF_JA uses reserved fields\n");
            return -EINVAL;
        }
        return next + insn->off;
    case BPF_EXIT:
        if (!jmp || BPF_SRC(insn->code) != BPF_K || insn->imm || insn->src_reg || insn->dst_reg) {
            verbose(env, "BPF_EXIT uses reserved fields\n");
            return -EINVAL;
        }
        if (env->cur->curframe) {
            err = check_reg_read(env, BPF_REG_0);
            if (!err)
                err = return_to_caller(env, &next);
            return err ? err : next;
        }
        err = check_leaks(env);
        if (!err)
            err = check_reg_read(env, BPF_REG_0);
        return err ? err : WAY_ENDS;
    default: err = check_cond_jump(env, insn); return err < 0 ? err : err ? next + insn->off : next;
    }
}

static int check_insn(struct env *env, const struct bpf_insn *insn)
{
    int next = env->insn_idx + 1, err;

    switch (BPF_CLASS(insn->code)) {
    case BPF_ALU:
    case BPF_ALU64: err = check_alu_op(env, insn); break;
    case BPF_LDX: err = check_load(env, insn); break;
    case BPF_ST:
    case BPF_STX: err = check_store(env, insn); break;
    case BPF_JMP:
    case BPF_JMP32: return check_jump(env, insn);
    default:
        if (BPF_MODE(insn->code) == BPF_ABS || BPF_MODE(insn->code) == BPF_IND) {
            verbose(env, "BPF_LD_[ABS|IND] instructions not allowed for this program type\n");
            return -EINVAL;
        }
        err = check_ld_imm(env, insn);
        next++;
    }
    return err ? err : next;
}

/* Takes up the last way that was left; false: none. */
static bool pop_pending(struct env *env)
{
    struct pending *p = env->stack;

    if (!p)
        return false;
    free_state_contents(env->cur);
    *env->cur = p->state;
    env->insn_idx = p->insn_idx;
    env->prev_insn_idx = p->prev_insn_idx;
    env->stack = p->next;
    env->stack_size--;
    kfree(p);
    return true;
}

static void log_insn(struct env *env, const struct bpf_insn *insn)
{
    char text[80];

    if (!env->log || !(env->log->level & 3))
        return;
    if (env->log->level & 2) {
        verbose(env, "%d:", env->insn_idx);
        print_state(env, cur_func(env));
    }
    bpf_disasm(insn, text, sizeof(text));
    verbose(env, "%d: (%02x) %s\n", env->insn_idx, insn->code, text);
}

static void log_safe(struct env *env)
{
    if (!env->log || !(env->log->level & 3))
        return;
    verbose(env, "from %d to %d: safe\n", env->prev_insn_idx, env->insn_idx);
}

static int do_check(struct env *env)
{
    int len = env->prog->len, next, err;

    for (;;) {
        const struct bpf_insn *insn = &env->prog->insns[env->insn_idx];

        if (env->insn_idx >= len) {
            verbose(env, "invalid insn idx %d insn_cnt %d\n", env->insn_idx, len);
            return -EFAULT;
        }
        if (++env->insn_processed > bpf_check_limit) {
            verbose(env, "BPF program is too large. Processed %d insn\n", (int)env->insn_processed);
            return -E2BIG;
        }
        if (env->aux[env->insn_idx].prune_point) {
            err = check_visited(env, env->insn_idx);
            if (err < 0)
                return err;
            if (err) {
                log_safe(env);
                next = WAY_ENDS;
                goto way_done;
            }
        }
        if (!(env->insn_processed & 255)) {
            err = bpf_verifier_pause();
            if (err)
                return err;
        }
        log_insn(env, insn);
        bpf_check_note(env->insn_idx, cur_regs(env), env->aux[env->insn_idx].live);
        env->aux[env->insn_idx].seen = 1;
        next = check_insn(env, insn);
        if (next < WAY_ENDS)
            return next;
    way_done:
        env->prev_insn_idx = env->insn_idx;
        if (next >= 0) {
            env->insn_idx = next;
            continue;
        }
        way_ends(env->cur->parent);
        if (!pop_pending(env))
            return 0;
        if (env->log && env->log->level & 3) {
            verbose(env, "\nfrom %d to %d:", env->prev_insn_idx, env->insn_idx);
            print_state(env, cur_func(env));
        }
    }
}

/* ---- after the check ---- */

/* Bytes that a function and those it calls need; each frame is rounded to 32. */
static int check_max_stack_depth(struct env *env)
{
    int ret_insn[MAX_CALL_FRAMES], ret_prog[MAX_CALL_FRAMES];
    int depth = 0, frame = 0, idx = 0, i = 0, end;
    const struct bpf_insn *insn = env->prog->insns;

    for (;;) {
        depth += bpf_round_up(max(env->subprog[idx].stack_depth, 1), 32);
        if (depth > MAX_BPF_STACK) {
            verbose(env, "combined stack size of %d calls is %d. Too large\n", frame + 1, depth);
            return -EACCES;
        }
    resume:
        end = idx + 1 < (int)env->subprog_cnt ? env->subprog[idx + 1].start : env->prog->len;
        for (; i < end; i++)
            if (is_subprog_call(&insn[i]))
                break;
        if (i < end) {
            ret_insn[frame] = i + 1;
            ret_prog[frame] = idx;
            i = i + insn[i].imm + 1;
            idx = find_subprog(env, i);
            if (++frame >= MAX_CALL_FRAMES) {
                verbose(env, "the call stack of %d frames is too deep !\n", frame);
                return -E2BIG;
            }
            continue;
        }
        if (!frame)
            return 0;
        depth -= bpf_round_up(max(env->subprog[idx].stack_depth, 1), 32);
        frame--;
        i = ret_insn[frame];
        idx = ret_prog[frame];
        goto resume;
    }
}

/* For the compiler. */
static int keep_subprogs(struct env *env)
{
    struct bpf_prog *prog = env->prog;

    prog->subprogs = kmalloc(env->subprog_cnt * sizeof(*prog->subprogs));
    if (!prog->subprogs)
        return -ENOMEM;
    memcpy(prog->subprogs, env->subprog, env->subprog_cnt * sizeof(*prog->subprogs));
    prog->subprog_cnt = env->subprog_cnt;
    return 0;
}

/* For the interpreter: a call has the size of its own frame in off. */
static void fix_up(struct env *env)
{
    struct bpf_insn *insn = env->prog->insns;
    u32 i, s = 0;

    for (i = 0; i < env->prog->len; i++) {
        if (s + 1 < env->subprog_cnt && i >= env->subprog[s + 1].start)
            s++;
        /* Code that cannot be reached in any run must not do anything if it is. */
        if (!env->aux[i].seen && !(i && is_ld_imm64(&insn[i - 1]) && env->aux[i - 1].seen)) {
            memset(&insn[i], 0, sizeof(insn[i]));
            insn[i].code = BPF_JMP | BPF_JA;
            insn[i].off = -1;
            continue;
        }
        if (is_subprog_call(&insn[i]))
            insn[i].off = bpf_round_up(max(env->subprog[s].stack_depth, 1), 32);
    }
    env->prog->stack_depth = env->subprog[0].stack_depth;
}

static int init_main(struct env *env)
{
    struct bpf_func_state *func = kmalloc(sizeof(*func));

    if (!func)
        return -ENOMEM;
    init_func_state(func, -1, 0, 0);
    env->cur->frame[0] = func;
    mark_pointer(&func->regs[BPF_REG_1], PTR_TO_CTX);
    return 0;
}

static void free_env(struct env *env)
{
    struct pending *p;
    u32 i;

    while ((p = env->stack)) {
        env->stack = p->next;
        free_state_contents(&p->state);
        kfree(p);
    }
    if (env->cur)
        free_state_contents(env->cur);
    kfree(env->cur);
    for (i = 0; env->aux && i < env->prog->len; i++)
        while (env->aux[i].states)
            drop_state(env, &env->aux[i].states);
    vfree(env->aux);
    vfree(env);
}

static int check_prog(struct env *env)
{
    int err = add_subprogs(env);

    if (!err)
        err = check_subprogs(env);
    if (!err)
        err = resolve_pseudo_imm64(env);
    if (!err)
        err = check_cfg(env);
    if (err)
        return err;
    compute_live(env);
    err = init_main(env);
    if (!err)
        err = do_check(env);
    if (!err)
        err = check_max_stack_depth(env);
    if (!err)
        err = keep_subprogs(env);
    if (!err)
        fix_up(env);
    return err;
}

int bpf_check(struct bpf_prog *prog, struct bpf_verifier_log *log)
{
    struct env *env = vmalloc(sizeof(*env));
    int err = -ENOMEM;

    if (!env)
        return -ENOMEM;
    memset(env, 0, sizeof(*env));
    env->prog = prog;
    env->log = log;
    env->strict = !(prog->prog_flags & BPF_F_ANY_ALIGNMENT);
    env->aux = vmalloc((prog->len + 1) * sizeof(*env->aux));
    env->cur = kzalloc(sizeof(*env->cur));
    if (env->aux)
        memset(env->aux, 0, (prog->len + 1) * sizeof(*env->aux));
    if (env->aux && env->cur)
        err = check_prog(env);
    verbose(env,
            "processed %d insns (limit %d) max_states_per_insn %d total_states %d peak_states %d "
            "mark_read %d\n",
            (int)env->insn_processed, BPF_COMPLEXITY_LIMIT, (int)env->max_states_per_insn,
            (int)env->total_states, (int)env->peak_states, 0);
    prog->verified_insns = env->insn_processed;
    free_env(env);
    return err;
}
