/*
 * verifier_cfg.c - the shape of a program, without following it: its functions, targets of jumps,
 * instructions that are never reached, maps that it names, which registers are read later, and how
 * deep its stack may become.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

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

int find_subprog(const struct bpf_verifier_env *env, int start)
{
    u32 i;

    for (i = 0; i < env->subprog_cnt; i++)
        if ((int)env->subprog[i].start == start)
            return i;
    return -ENOENT;
}

static int add_subprog(struct bpf_verifier_env *env, int start)
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

int add_subprogs(struct bpf_verifier_env *env)
{
    const struct bpf_insn *insn = env->prog->insns;
    int err = add_subprog(env, 0);
    u32 i;

    for (i = 0; !err && i < env->prog->len; i++)
        if (is_subprog_call(&insn[i]) || is_pseudo_func(&insn[i]))
            err = add_subprog(env, i + insn[i].imm + 1);
    for (i = 0; !err && log_has(env, 2) && i < env->subprog_cnt; i++)
        verbose(env, "func#%d @%d\n", (int)i, (int)env->subprog[i].start);
    return err;
}

int check_subprogs(struct bpf_verifier_env *env)
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

static int use_map(struct bpf_verifier_env *env, struct bpf_map *map)
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
static int resolve_imm64(struct bpf_verifier_env *env, struct bpf_insn *insn,
                         struct bpf_insn_aux_data *aux)
{
    struct bpf_map *map;
    u64 addr;
    u32 off;
    int err;

    if (insn[0].src_reg == 0 || is_pseudo_func(insn))
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

int resolve_pseudo_imm64(struct bpf_verifier_env *env)
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
static int successors(struct bpf_verifier_env *env, int i, int *next)
{
    const struct bpf_insn *insn = &env->prog->insns[i];
    u8 class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);
    int n = 0;

    if (class != BPF_JMP && class != BPF_JMP32) {
        next[n++] = i + 1 + is_ld_imm64(insn);
        if (is_pseudo_func(insn)) {
            next[n++] = i + insn->imm + 1;
            env->aux[i + insn->imm + 1].prune_point = 1;
        }
        return n;
    }
    if (op == BPF_EXIT)
        return 0;
    if (op == BPF_CALL) {
        next[n++] = i + 1;
        if (calls_callback(insn))
            env->aux[i + 1].prune_point = 1;
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

int check_cfg(struct bpf_verifier_env *env)
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
        if (is_ld_imm64(&env->prog->insns[i]) && reached[i + 1]) {
            verbose(env, "jump into the middle of ldimm64 insn %d\n", i);
            err = -EINVAL;
            break;
        }
        if (is_ld_imm64(&env->prog->insns[i]) && reached[i])
            reached[i + 1] = 1;
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
            *def = reg_bit(insn->dst_reg);
        else
            *use = reg_bit(insn->dst_reg);
        if (op != BPF_END && x)
            *use |= reg_bit(insn->src_reg);
        return;
    case BPF_LDX:
        *use = reg_bit(insn->src_reg);
        *def = reg_bit(insn->dst_reg) & ~*use;
        return;
    case BPF_ST: *use = reg_bit(insn->dst_reg); return;
    case BPF_STX:
        *use = reg_bit(insn->dst_reg) | reg_bit(insn->src_reg);
        if (BPF_MODE(insn->code) == BPF_ATOMIC)
            *use |= reg_bit(BPF_REG_0);
        return;
    case BPF_LD: *def = reg_bit(insn->dst_reg); return;
    default:
        if (op == BPF_EXIT) {
            *use = reg_bit(BPF_REG_0);
        } else if (op == BPF_CALL) {
            *use = 0x3e;
            *def = reg_bit(BPF_REG_0);
        } else if (op != BPF_JA) {
            *use = reg_bit(insn->dst_reg) | (x ? reg_bit(insn->src_reg) : 0);
        }
    }
}

void compute_live(struct bpf_verifier_env *env)
{
    bool changed = true;
    int i, k, n, next[2];
    u16 use, def, live;

    while (changed) {
        changed = false;
        for (i = env->prog->len - 1; i >= 0; i--) {
            const struct bpf_insn *insn = &env->prog->insns[i];

            uses_of(insn, &use, &def);
            n = successors(env, i, next);
            if (is_subprog_call(insn) || is_pseudo_func(insn)) /* not of the other function */
                n = 1;
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

/* Bytes that a function and those it calls need; each frame is rounded to 32. */
int check_max_stack_depth(struct bpf_verifier_env *env)
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
            if (is_subprog_call(&insn[i]) || is_pseudo_func(&insn[i]))
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
