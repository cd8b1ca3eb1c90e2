/*
 * verifier_btf.c - what a program says of its functions and lines: checked, and lines shown in the
 * log.
 */
#include "verifier.h"
#include <linux/btf.h>
#include <linux/errno.h>

/* A record of each function, in their order. */
static int check_functions(struct bpf_verifier_env *env)
{
    const struct bpf_prog *prog = env->prog;
    u32 i;

    if (prog->func_info_cnt != env->subprog_cnt) {
        verbose(env, "number of funcs in func_info doesn't match number of subprogs\n");
        return -EINVAL;
    }
    for (i = 0; i < prog->func_info_cnt; i++) {
        const struct bpf_func_info *f = &prog->func_info[i];
        const struct btf_type *t = btf_type_by_id(prog->btf, f->type_id);

        if (!i && f->insn_off) {
            verbose(env, "nonzero insn_off %u for the first func info record", f->insn_off);
            return -EINVAL;
        }
        if (i && f->insn_off <= f[-1].insn_off) {
            verbose(env, "same or smaller insn offset (%u) than previous func info record (%u)",
                    f->insn_off, f[-1].insn_off);
            return -EINVAL;
        }
        if (f->insn_off != env->subprog[i].start) {
            verbose(env, "func_info BTF section doesn't match subprog layout in BPF program\n");
            return -EINVAL;
        }
        if (!t || btf_kind(t) != BTF_KIND_FUNC) {
            verbose(env, "invalid type id %d in func info", (int)f->type_id);
            return -EINVAL;
        }
    }
    return 0;
}

static int check_line(struct bpf_verifier_env *env, u32 i)
{
    const struct bpf_prog *prog = env->prog;
    const struct bpf_line_info *l = &prog->linfo[i];
    u32 prev = i ? l[-1].insn_off : 0;

    if ((i && l->insn_off <= prev) || l->insn_off >= prog->len) {
        verbose(env, "Invalid line_info[%u].insn_off:%u (prev_offset:%u prog->len:%u)\n", i,
                l->insn_off, prev, prog->len);
        return -EINVAL;
    }
    if (!prog->insns[l->insn_off].code) {
        verbose(env, "Invalid insn code at line_info[%u].insn_off\n", i);
        return -EINVAL;
    }
    if (!btf_name_by_offset(prog->btf, l->line_off) ||
        !btf_name_by_offset(prog->btf, l->file_name_off)) {
        verbose(env, "Invalid line_info[%u].line_off or .file_name_off\n", i);
        return -EINVAL;
    }
    return 0;
}

/* A function begins with a line. */
static int check_lines(struct bpf_verifier_env *env)
{
    const struct bpf_prog *prog = env->prog;
    u32 i, s = 0;
    int err;

    for (i = 0; i < prog->nr_linfo; i++) {
        u32 at = prog->linfo[i].insn_off;

        err = check_line(env, i);
        if (err)
            return err;
        if (s == env->subprog_cnt || at < env->subprog[s].start)
            continue;
        if (at != env->subprog[s].start) {
            verbose(env, "missing bpf_line_info for func#%u\n", s);
            return -EINVAL;
        }
        s++;
    }
    if (s == env->subprog_cnt)
        return 0;
    verbose(env, "missing bpf_line_info for %u funcs starting from func#%u\n", env->subprog_cnt - s,
            s);
    return -EINVAL;
}

int check_btf_info(struct bpf_verifier_env *env)
{
    int err = env->prog->func_info_cnt ? check_functions(env) : 0;

    return err || !env->prog->nr_linfo ? err : check_lines(env);
}

void log_line(struct bpf_verifier_env *env, int insn_idx)
{
    const struct bpf_prog *prog = env->prog;
    const struct bpf_line_info *line = NULL;
    const char *text;
    u32 i;

    for (i = 0; i < prog->nr_linfo && prog->linfo[i].insn_off <= (u32)insn_idx; i++)
        line = &prog->linfo[i];
    if (!line || line == env->prev_linfo)
        return;
    env->prev_linfo = line;
    text = btf_name_by_offset(prog->btf, line->line_off);
    while (*text == ' ' || *text == '\t')
        text++;
    verbose(env, "; %s\n", text);
}
