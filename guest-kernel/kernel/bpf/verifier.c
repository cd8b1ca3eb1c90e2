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
 * All programs are of a privileged user: pointers may be compared and stored in maps.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

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

/* ---- registers as operands ---- */

int check_reg_read(struct bpf_verifier_env *env, u32 regno)
{
    if (regno >= MAX_BPF_REG) {
        verbose(env, "R%d is invalid\n", regno);
        return -EINVAL;
    }
    env->changed_regs |= reg_bit(regno);
    if (cur_regs(env)[regno].type == NOT_INIT) {
        verbose(env, "R%d !read_ok\n", regno);
        return -EACCES;
    }
    return 0;
}

/* old: it is also read. The old value stays for the caller to use. */
int check_reg_write(struct bpf_verifier_env *env, u32 regno)
{
    if (regno >= MAX_BPF_REG) {
        verbose(env, "R%d is invalid\n", regno);
        return -EINVAL;
    }
    if (regno == BPF_REG_FP) {
        verbose(env, "frame pointer is read only\n");
        return -EACCES;
    }
    note_reg_written(env, regno);
    return 0;
}

/* ---- the loop over instructions ---- */

static int check_ld_imm(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    const struct bpf_insn_aux_data *aux = &env->aux[env->insn_idx];
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
    if (is_pseudo_func(insn)) {
        mark_pointer(dst, PTR_TO_FUNC);
        dst->mem_size = find_subprog(env, env->insn_idx + insn->imm + 1);
        dst->frameno = cur_func(env)->subprogno;
    } else if (!insn->src_reg) {
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

static int check_jump(struct bpf_verifier_env *env, const struct bpf_insn *insn)
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
        err = insn->src_reg ? check_subprog_call(env, insn, &next)
                            : check_helper_call(env, insn, &next);
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
            if (!err && cur_func(env)->in_callback) {
                err = check_callback_end(env);
                return err ? err : WAY_ENDS;
            }
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

static int check_insn(struct bpf_verifier_env *env, const struct bpf_insn *insn)
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

static int do_check(struct bpf_verifier_env *env)
{
    int len = env->prog->len, next, err;
    bool taken_up = false; /* the way has just been taken up, so its state is not in the log */

    for (;;) {
        if (env->insn_idx >= len) {
            verbose(env, "invalid insn idx %d insn_cnt %d\n", env->insn_idx, len);
            return -EFAULT;
        }
        if (++env->insn_processed > bpf_check_limit) {
            verbose(env, "BPF program is too large. Processed %d insn\n", (int)env->insn_processed);
            return -E2BIG;
        }
        err = env->aux[env->insn_idx].prune_point ? check_visited(env, env->insn_idx) : 0;
        if (err < 0)
            return err;
        if (err) {
            if (log_has(env, 3) && taken_up)
                verbose(env, "\nfrom %d to %d: safe\n", env->prev_insn_idx, env->insn_idx);
            else if (log_has(env, 3))
                verbose(env, "%d: safe\n", env->insn_idx);
            next = WAY_ENDS;
        } else {
            if (!(env->insn_processed & 255))
                err = bpf_verifier_pause();
            if (!err)
                err = note_history(env);
            if (err)
                return err;
            if (log_has(env, 3) && taken_up) {
                verbose(env, "\nfrom %d to %d:", env->prev_insn_idx, env->insn_idx);
                print_state(env, cur_func(env));
            }
            log_insn(env);
            bpf_check_note(env->insn_idx, cur_regs(env), env->aux[env->insn_idx].live);
            env->aux[env->insn_idx].seen = 1;
            next = check_insn(env, &env->prog->insns[env->insn_idx]);
            if (next < WAY_ENDS)
                return next;
        }
        /* Or a function has returned. */
        taken_up = next == WAY_ENDS || env->prog->insns[env->insn_idx].code == (BPF_JMP | BPF_EXIT);
        env->prev_insn_idx = env->insn_idx;
        if (next >= 0) {
            env->insn_idx = next;
            continue;
        }
        way_ends(env->cur->parent);
        log_all_changed(env);
        if (!pop_pending(env))
            return 0;
    }
}

/* ---- after the check ---- */

/* For the compiler. */
static int keep_subprogs(struct bpf_verifier_env *env)
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
static void fix_up(struct bpf_verifier_env *env)
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
        if (insn[i].code == (BPF_JMP | BPF_CALL) && insn[i].imm == BPF_FUNC_tail_call &&
            !insn[i].src_reg)
            insn[i].code = BPF_JMP | BPF_TAIL_CALL;
        if (is_pseudo_func(&insn[i])) {
            u64 addr = (unsigned long)&insn[i + insn[i].imm + 1];

            insn[i].src_reg = 0;
            insn[i].imm = (u32)addr;
            insn[i + 1].imm = addr >> 32;
            env->prog->has_callbacks = true;
        }
        if (calls_callback(&insn[i]))
            insn[i].src_reg = BPF_CALL_LOOP;
        if (insn[i].code == (BPF_JMP | BPF_CALL) && insn[i].src_reg)
            insn[i].off = bpf_round_up(max(env->subprog[s].stack_depth, 1), 32);
    }
    env->prog->stack_depth = env->subprog[0].stack_depth;
}

static int init_main(struct bpf_verifier_env *env)
{
    struct bpf_func_state *func = kmalloc(sizeof(*func));

    if (!func)
        return -ENOMEM;
    init_func_state(func, -1, 0, 0);
    env->cur->frame[0] = func;
    mark_pointer(&func->regs[BPF_REG_1], PTR_TO_CTX);
    log_all_changed(env);
    env->prev_insn_idx = -1;
    return 0;
}

static void free_env(struct bpf_verifier_env *env)
{
    struct bpf_verifier_stack_elem *p;
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
            drop_state(&env->aux[i].states);
    while (env->evicted)
        drop_state(&env->evicted);
    vfree(env->aux);
    vfree(env);
}

static int check_prog(struct bpf_verifier_env *env)
{
    int err = add_subprogs(env);

    if (!err)
        err = check_subprogs(env);
    if (!err)
        err = check_btf_info(env);
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
    struct bpf_verifier_env *env = vmalloc(sizeof(*env));
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
