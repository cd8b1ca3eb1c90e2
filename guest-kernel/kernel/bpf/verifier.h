/*
 * verifier.h - what the files of the verifier share.
 *
 *     verifier.c        the shape of a program, the loop over its instructions, where ways meet
 *     verifier_alu.c    numbers: arithmetic, and what a condition says of its operands
 *     verifier_mem.c    loads and stores: the stack, values of maps, the context
 *     verifier_call.c   calls of helpers
 */
#ifndef BPF_VERIFIER_H
#define BPF_VERIFIER_H

#include <linux/bpf_verifier.h>
#include <linux/kernel.h>

#define U64_MAX (~0ull)
#define U32_MAX (~0u)
#define S64_MAX (U64_MAX >> 1)
#define S32_MAX (U32_MAX >> 1)

/* Offsets of pointers stay far below 32 bits, so that sums of them do not wrap. */
#define BPF_MAX_VAR_OFF (1 << 29)

/* What is known of a program while it is verified. */
struct bpf_verifier_env {
    struct bpf_prog *prog;
    struct bpf_verifier_log *log;
    u32 idx;                            /* the present instruction */
    struct bpf_verifier_state *state;   /* before it */
    struct bpf_verifier_state **states; /* by instruction: of the jumps to it so far, or NULL */
};

static inline struct bpf_reg_state *reg_of(const struct bpf_verifier_env *env, u32 regno)
{
    return &env->state->regs[regno];
}

static inline bool is_const(const struct bpf_reg_state *reg)
{
    return reg->type == SCALAR_VALUE && reg->umin == reg->umax;
}

static inline bool is_ld_imm64(const struct bpf_insn *insn)
{
    return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* ---- verifier.c ---- */

/* A message of the log, after the number of the instruction. Returns the error. */
int __printf(3, 4) reject(struct bpf_verifier_env *env, int err, const char *fmt, ...);
/* Whether an instruction may read or write the register: 0 or an error. */
int check_reg_read(struct bpf_verifier_env *env, u32 regno);
int check_reg_write(struct bpf_verifier_env *env, u32 regno);
const char *reg_type_name(u32 type);
/* A number with this as its only possible value; a number whose bits above the lowest are 0. */
void mark_known(struct bpf_reg_state *reg, u64 value);
void mark_unknown(struct bpf_reg_state *reg, unsigned int bits);
void mark_pointer(struct bpf_reg_state *reg, u32 type, struct bpf_map *map);

/* ---- verifier_alu.c ---- */

/* An arithmetic instruction: 0 or an error. */
int check_alu_op(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/* What the state is if the condition holds, or does not. Both operands can be read. */
void apply_condition(struct bpf_verifier_state *state, const struct bpf_insn *insn, bool holds);

/* ---- verifier_mem.c ---- */

/* A load or a store, also an atomic operation: 0 or an error. */
int check_load(struct bpf_verifier_env *env, const struct bpf_insn *insn);
int check_store(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/*
 * For a helper: bytes [reg, reg + size), which it fills, or only reads. always: if it fills them,
 * it writes all of them.
 */
int check_mem_arg(struct bpf_verifier_env *env, u32 regno, u32 size, bool fills, bool always);

/* ---- verifier_call.c ---- */

int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn);

#endif
