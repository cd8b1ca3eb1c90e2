/*
 * verifier.c - finds out, before a program runs, that it ends and accesses nothing that it may not.
 *
 * A program has no jump backwards, so it ends, and its instructions are verified in their order,
 * each once: with descriptions of values instead of values. Each register and each eight bytes of
 * the stack is a number within bounds, or a pointer to an object with an offset within bounds.
 * Where ways meet, a description covers what any of them has; what is different in kind there
 * cannot be read. So the verifier takes as much time as the program has instructions, and rejects
 * programs that Linux accepts: with loops, functions of their own, and what only the way that was
 * taken would show to be right.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* For programs that test the verifier: the state in which an instruction was verified. */
#ifdef BPF_CHECK
void bpf_check_note(u32 insn_idx, const struct bpf_verifier_state *state);
#else
static void bpf_check_note(u32 insn_idx, const struct bpf_verifier_state *state)
{
    (void)insn_idx;
    (void)state;
}
#endif

int reject(struct bpf_verifier_env *env, int err, const char *fmt, ...)
{
    char text[160];
    va_list args;
    int n;

    if (!env->log)
        return err;
    n = snprintf(text, sizeof(text), "%u: ", env->idx);
    va_start(args, fmt);
    n += vsnprintf(text + n, sizeof(text) - n, fmt, args);
    va_end(args);
    n = min(n, (int)sizeof(text) - 2);
    memcpy(text + n, "\n", 2);
    env->log->write(env->log, text, n + 1);
    return err;
}

const char *reg_type_name(u32 type)
{
    static const char *const names[] = {
        [NOT_INIT] = "?",
        [SCALAR_VALUE] = "scalar",
        [PTR_TO_CTX] = "ctx",
        [CONST_PTR_TO_MAP] = "map_ptr",
        [PTR_TO_MAP_VALUE] = "map_value",
        [PTR_TO_MAP_VALUE_OR_NULL] = "map_value_or_null",
        [PTR_TO_STACK] = "fp",
    };

    return names[type];
}

/* ---- descriptions ---- */

void mark_known(struct bpf_reg_state *reg, u64 value)
{
    *reg = (struct bpf_reg_state){.type = SCALAR_VALUE, .umin = value, .umax = value};
    while (reg->zeros < 63 && !(value >> reg->zeros & 1))
        reg->zeros++;
}

void mark_unknown(struct bpf_reg_state *reg, unsigned int bits)
{
    *reg = (struct bpf_reg_state){.type = SCALAR_VALUE, .umax = U64_MAX >> (64 - bits)};
}

void mark_pointer(struct bpf_reg_state *reg, u32 type, struct bpf_map *map)
{
    *reg = (struct bpf_reg_state){.type = type, .map = map, .zeros = 63};
}

static bool is_value(const struct bpf_reg_state *reg)
{
    return reg->type == PTR_TO_MAP_VALUE || reg->type == PTR_TO_MAP_VALUE_OR_NULL;
}

static bool is_null(const struct bpf_reg_state *reg)
{
    return is_const(reg) && !reg->umin;
}

/* A pointer to the start of a value. */
static bool is_whole_value(const struct bpf_reg_state *reg)
{
    return is_value(reg) && !reg->off && !reg->umax;
}

/* a becomes what is a or b. */
static void merge_reg(struct bpf_reg_state *a, const struct bpf_reg_state *b)
{
    if (a->type == b->type && a->map == b->map && a->off == b->off) {
        a->umin = min(a->umin, b->umin);
        a->umax = max(a->umax, b->umax);
        a->zeros = min(a->zeros, b->zeros);
        if (a->id != b->id)
            a->id = 0;
    } else if (is_whole_value(a) && (is_null(b) || (is_whole_value(b) && a->map == b->map))) {
        mark_pointer(a, PTR_TO_MAP_VALUE_OR_NULL, a->map);
    } else if (is_whole_value(b) && is_null(a)) {
        mark_pointer(a, PTR_TO_MAP_VALUE_OR_NULL, b->map);
    } else {
        memset(a, 0, sizeof(*a));
    }
}

static bool has_number(const struct bpf_stack_slot *slot)
{
    return !slot->spilled || slot->reg.type == SCALAR_VALUE;
}

static void merge_slot(struct bpf_stack_slot *a, const struct bpf_stack_slot *b)
{
    if (a->spilled && b->spilled) {
        merge_reg(&a->reg, &b->reg);
        if (a->reg.type == NOT_INIT)
            memset(a, 0, sizeof(*a));
        return;
    }
    a->written = has_number(a) && has_number(b) ? a->written & b->written : 0;
    a->spilled = false;
}

static void merge_state(struct bpf_verifier_state *a, const struct bpf_verifier_state *b)
{
    u32 i;

    for (i = 0; i < MAX_BPF_REG; i++)
        merge_reg(&a->regs[i], &b->regs[i]);
    for (i = 0; i < BPF_STACK_SLOTS; i++)
        merge_slot(&a->slots[i], &b->slots[i]);
}

/* A way leads to the instruction in this state. */
static int lead_to(struct bpf_verifier_env *env, u32 idx, const struct bpf_verifier_state *state)
{
    struct bpf_verifier_state *old = env->states[idx];

    if (old) {
        merge_state(old, state);
        return 0;
    }
    env->states[idx] = vmalloc(sizeof(*state));
    if (!env->states[idx])
        return -ENOMEM;
    *env->states[idx] = *state;
    return 0;
}

/* ---- registers ---- */

static int check_reg_number(struct bpf_verifier_env *env, u32 regno)
{
    return regno < MAX_BPF_REG ? 0 : reject(env, -EINVAL, "R%u is invalid", regno);
}

int check_reg_read(struct bpf_verifier_env *env, u32 regno)
{
    if (check_reg_number(env, regno))
        return -EINVAL;
    return reg_of(env, regno)->type ? 0 : reject(env, -EACCES, "R%u !read_ok", regno);
}

int check_reg_write(struct bpf_verifier_env *env, u32 regno)
{
    if (check_reg_number(env, regno))
        return -EINVAL;
    return regno != BPF_REG_FP ? 0 : reject(env, -EACCES, "frame pointer is read only");
}

/* ---- the shape of a program ---- */

static bool is_jump(const struct bpf_insn *insn)
{
    u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

    return class == BPF_JMP32 || (class == BPF_JMP && op != BPF_CALL && op != BPF_EXIT);
}

static bool ends_way(const struct bpf_insn *insn)
{
    return insn->code == (BPF_JMP | BPF_EXIT) || insn->code == (BPF_JMP | BPF_JA);
}

static int check_jump(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    s64 target = (s64)env->idx + 1 + insn->off;

    if (target < 0 || target >= env->prog->len)
        return reject(env, -EINVAL, "jump out of range from insn %u to %lld", env->idx,
                      (long long)target);
    if (insn->off < 0)
        return reject(env, -EINVAL, "back-edge from insn %u to %lld", env->idx, (long long)target);
    return 0;
}

static int check_ld_imm64(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    if (env->idx + 1 == env->prog->len || insn[1].code || insn[1].dst_reg || insn[1].src_reg ||
        insn[1].off || insn->off)
        return reject(env, -EINVAL, "invalid bpf_ld_imm64 insn");
    return 0;
}

/* Jumps lead forwards to an instruction, and some way leads to each. */
static int check_shape(struct bpf_verifier_env *env, u8 *reached)
{
    const struct bpf_prog *prog = env->prog;
    int err = 0;

    reached[0] = 1;
    for (env->idx = 0; env->idx < prog->len && !err; env->idx++) {
        const struct bpf_insn *insn = &prog->insns[env->idx];
        u32 next = env->idx + 1;

        if (!reached[env->idx])
            return reject(env, -EINVAL, "unreachable insn %u", env->idx);
        if (is_jump(insn)) {
            err = check_jump(env, insn);
            if (!err)
                reached[next + insn->off] = 1;
        } else if (is_ld_imm64(insn)) {
            err = check_ld_imm64(env, insn);
            next = ++env->idx + 1;
        }
        if (err || ends_way(insn))
            continue;
        if (next >= prog->len)
            return reject(env, -EINVAL, "last insn is not an exit or jmp");
        reached[next] = 1;
    }
    return err;
}

/* No jump leads into a 64-bit immediate. */
static int check_halves(struct bpf_verifier_env *env, const u8 *reached)
{
    const struct bpf_prog *prog = env->prog;

    for (env->idx = 0; env->idx < prog->len; env->idx++)
        if (is_ld_imm64(&prog->insns[env->idx]) && reached[++env->idx])
            return reject(env, -EINVAL, "jump into the middle of ldimm64 insn %u", env->idx);
    return 0;
}

/* ---- instructions ---- */

/* The map of a descriptor, which the program keeps; NULL: there is none. */
static struct bpf_map *use_map(struct bpf_verifier_env *env, u32 fd, int *err)
{
    struct bpf_prog *prog = env->prog;
    struct bpf_map *map = bpf_map_get(fd);
    u32 i;

    if (IS_ERR(map)) {
        *err = reject(env, PTR_ERR(map), "fd %u is not pointing to valid bpf_map", fd);
        return NULL;
    }
    for (i = 0; i < prog->used_map_cnt && prog->used_maps[i] != map; i++)
        ;
    if (i == prog->used_map_cnt && i < MAX_BPF_MAPS) {
        prog->used_maps[prog->used_map_cnt++] = map;
        return map;
    }
    bpf_map_put(map); /* the program has one reference of each */
    if (i < MAX_BPF_MAPS)
        return map;
    *err = reject(env, -E2BIG, "the program has too many maps");
    return NULL;
}

/* The address of a map, or in its only value, takes the place of the descriptor. */
static int take_map(struct bpf_verifier_env *env, struct bpf_insn *insn, struct bpf_reg_state *dst)
{
    int err = 0;
    struct bpf_map *map = use_map(env, insn->imm, &err);
    u32 off = insn[1].imm;
    u64 addr = (unsigned long)map;

    if (err)
        return err;
    mark_pointer(dst, CONST_PTR_TO_MAP, map);
    if (insn->src_reg == BPF_PSEUDO_MAP_VALUE) {
        if (!map->ops->direct_value_addr || map->ops->direct_value_addr(map, &addr, off))
            return reject(env, -EINVAL, "direct value offset of %u is not allowed", off);
        addr += off;
        dst->type = PTR_TO_MAP_VALUE;
        dst->off = (s32)off;
    }
    insn[0].imm = (s32)(u32)addr;
    insn[1].imm = (s32)(addr >> 32);
    return 0;
}

static int take_imm64(struct bpf_verifier_env *env, struct bpf_insn *insn)
{
    struct bpf_reg_state *dst;
    int err = check_reg_write(env, insn->dst_reg);

    if (err)
        return err;
    dst = reg_of(env, insn->dst_reg);
    if (insn->src_reg == BPF_PSEUDO_MAP_VALUE ||
        (insn->src_reg == BPF_PSEUDO_MAP_FD && !insn[1].imm))
        return take_map(env, insn, dst);
    if (insn->src_reg)
        return reject(env, -EINVAL, "unrecognized bpf_ld_imm64 insn");
    mark_known(dst, (u64)(u32)insn[1].imm << 32 | (u32)insn->imm);
    return 0;
}

static int check_exit(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    int err = check_reg_read(env, BPF_REG_0);

    if (insn->imm || insn->src_reg || insn->dst_reg || insn->off)
        return reject(env, -EINVAL, "BPF_EXIT uses reserved fields");
    if (!err && reg_of(env, BPF_REG_0)->type != SCALAR_VALUE)
        err = reject(env, -EACCES, "R0 leaks addr as return value");
    return err;
}

/* Both ways are followed. */
static int follow_condition(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_verifier_state *taken;
    int err = check_reg_read(env, insn->dst_reg);

    if (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg)
        return reject(env, -EINVAL, "BPF_JMP uses reserved fields");
    if (!err && BPF_SRC(insn->code) == BPF_X)
        err = check_reg_read(env, insn->src_reg);
    if (err)
        return err;
    taken = vmalloc(sizeof(*taken));
    if (!taken)
        return -ENOMEM;
    *taken = *env->state;
    apply_condition(taken, insn, true);
    err = lead_to(env, env->idx + 1 + insn->off, taken);
    vfree(taken);
    apply_condition(env->state, insn, false);
    return err;
}

static int check_jmp(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    switch (insn->code) {
    case BPF_JMP | BPF_CALL: return check_helper_call(env, insn);
    case BPF_JMP | BPF_EXIT: return check_exit(env, insn);
    case BPF_JMP | BPF_JA:
        if (insn->imm || insn->src_reg || insn->dst_reg)
            return reject(env, -EINVAL, "BPF_JA uses reserved fields");
        return lead_to(env, env->idx + 1 + insn->off, env->state);
    default: break;
    }
    switch (BPF_OP(insn->code)) {
    case BPF_JEQ:
    case BPF_JGT:
    case BPF_JGE:
    case BPF_JSET:
    case BPF_JNE:
    case BPF_JSGT:
    case BPF_JSGE:
    case BPF_JLT:
    case BPF_JLE:
    case BPF_JSLT:
    case BPF_JSLE: return follow_condition(env, insn);
    default: return reject(env, -EINVAL, "unknown opcode %02x", insn->code);
    }
}

static int check_insn(struct bpf_verifier_env *env, struct bpf_insn *insn)
{
    switch (BPF_CLASS(insn->code)) {
    case BPF_ALU:
    case BPF_ALU64: return check_alu_op(env, insn);
    case BPF_LDX: return check_load(env, insn);
    case BPF_ST:
    case BPF_STX: return check_store(env, insn);
    case BPF_JMP:
    case BPF_JMP32: return check_jmp(env, insn);
    default: break;
    }
    if (is_ld_imm64(insn))
        return take_imm64(env, insn);
    return reject(env, -EINVAL, "unknown opcode %02x", insn->code);
}

/* The state before the present instruction: of the one before it, if it goes on, and of jumps. */
static void enter_insn(struct bpf_verifier_env *env, bool goes_on)
{
    struct bpf_verifier_state *jumped = env->states[env->idx];

    if (jumped && goes_on)
        merge_state(env->state, jumped);
    else if (jumped)
        *env->state = *jumped;
    vfree(jumped);
    env->states[env->idx] = NULL;
    bpf_check_note(env->idx, env->state);
}

static int check_insns(struct bpf_verifier_env *env)
{
    const struct bpf_prog *prog = env->prog;
    bool goes_on = true;
    int err = 0;

    memset(env->state, 0, sizeof(*env->state));
    mark_pointer(reg_of(env, BPF_REG_1), PTR_TO_CTX, NULL);
    mark_pointer(reg_of(env, BPF_REG_FP), PTR_TO_STACK, NULL);
    for (env->idx = 0; env->idx < prog->len && !err; env->idx++) {
        struct bpf_insn *insn = &prog->insns[env->idx];

        enter_insn(env, goes_on);
        err = check_insn(env, insn);
        goes_on = !ends_way(insn);
        if (is_ld_imm64(insn))
            env->idx++;
    }
    return err;
}

static int check_prog(struct bpf_verifier_env *env)
{
    u8 *reached = vmalloc(env->prog->len);
    int err;

    if (!reached)
        return -ENOMEM;
    memset(reached, 0, env->prog->len);
    err = check_shape(env, reached);
    if (!err)
        err = check_halves(env, reached);
    vfree(reached);
    return err ? err : check_insns(env);
}

int bpf_check(struct bpf_prog *prog, struct bpf_verifier_log *log)
{
    struct bpf_verifier_env env = {.prog = prog, .log = log};
    int err = -ENOMEM;
    u32 i;

    env.state = vmalloc(sizeof(*env.state));
    env.states = vmalloc(prog->len * sizeof(*env.states));
    if (env.states)
        memset(env.states, 0, prog->len * sizeof(*env.states));
    if (env.state && env.states)
        err = check_prog(&env);
    for (i = 0; env.states && i < prog->len; i++)
        vfree(env.states[i]);
    vfree(env.states);
    vfree(env.state);
    return err;
}
