/*
 * verifier.h - what the files of the verifier share.
 *
 *     verifier.c          the loop over instructions, the beginning and the end
 *     verifier_cfg.c      the shape of a program: functions, jumps, what is reached, which
 * registers are read later verifier_scalar.c   numbers: their bounds and known bits, and what
 * arithmetic makes of them verifier_alu.c      arithmetic instructions, also on pointers
 *     verifier_jmp.c      conditional jumps, and what a condition tells of its operands
 *     verifier_mem.c      loads and stores: the stack, values of maps, records, the context
 *     verifier_call.c     helpers, and functions of the program
 *     verifier_callback.c   functions of the program that helpers call
 *     verifier_state.c    states: made, copied, put aside for later
 *     verifier_prune.c    whether a state was verified before
 *     verifier_precision.c   which numbers of a state matter for that
 *     verifier_log.c      the log
 *     verifier_btf.c      functions and lines of the source
 */
#ifndef BPF_VERIFIER_H
#define BPF_VERIFIER_H

#include <linux/bpf_verifier.h>
#include <linux/kernel.h>

#define S64_MIN ((s64)(1ULL << 63))
#define S64_MAX ((s64) ~(1ULL << 63))
#define U64_MAX (~0ULL)
#define U32_MAX (~0U)
#define S32_MAX 0x7fffffff
#define S32_MIN (-S32_MAX - 1)

#define CALL_ARGS 0x3e /* R1 to R5 */

enum {
    MAX_SUBPROGS = 256,
    ID_MAP_SIZE = 600,
};

/* A stored state of an instruction. */
struct bpf_verifier_state_list {
    struct bpf_verifier_state_list *next;
    struct bpf_verifier_state state;
    int miss, hit;
};

/* A way that is still to be followed. */
struct bpf_verifier_stack_elem {
    struct bpf_verifier_stack_elem *next;
    struct bpf_verifier_state state;
    int insn_idx, prev_insn_idx;
};

/* What is known of an instruction. */
struct bpf_insn_aux_data {
    struct bpf_map *map; /* of a 64-bit immediate */
    u32 map_off;
    u8 map_value : 1; /* it is an address of a value */
    u8 prune_point : 1, seen : 1;
    u8 mem_kind; /* kind of pointer of a load or store; must not change */
    u16 live;    /* registers that are read later */
    struct bpf_verifier_state_list *states;
};

/* Programs that test the verifier may have states compared as if all numbers mattered. */
#ifdef BPF_CHECK
extern bool bpf_check_exact;
#else
enum { bpf_check_exact = 0 };
#endif

struct bpf_id_pair {
    u32 old, cur;
};

struct bpf_verifier_env {
    struct bpf_prog *prog;
    struct bpf_verifier_log *log;
    struct bpf_verifier_state *cur;
    struct bpf_verifier_stack_elem *stack;
    u32 stack_size;
    struct bpf_insn_aux_data *aux;
    struct bpf_subprog_info subprog[MAX_SUBPROGS];
    u32 subprog_cnt;
    int insn_idx, prev_insn_idx;
    u32 insn_processed, total_states, peak_states, max_states_per_insn, id_gen;
    u32 prev_insn_processed, jmps_processed, prev_jmps_processed;
    bool strict;
    struct bpf_verifier_state_list
        *evicted; /* not compared any more, but states descend from them */
    const struct bpf_line_info *prev_linfo; /* the line that the log has shown last */
    struct bpf_id_pair idmap[ID_MAP_SIZE];
    u32 idmap_used, tmp_id_gen;
    u16 changed_regs; /* of the present function: not in the log yet */
    u64 changed_slots;
    int line; /* of the log: columns of the instruction in the last line, which has no end yet; or 0
               */
};

static inline bool is_pointer(const struct bpf_reg_state *reg)
{
    return reg->type != NOT_INIT && reg->type != SCALAR_VALUE;
}

static inline bool is_const(const struct bpf_reg_state *reg)
{
    return reg->type == SCALAR_VALUE && tnum_is_const(reg->var_off);
}

static inline bool is_null(const struct bpf_reg_state *reg)
{
    return reg->type == SCALAR_VALUE && tnum_equals_const(reg->var_off, 0);
}

static inline struct bpf_func_state *cur_func(const struct bpf_verifier_env *env)
{
    return env->cur->frame[env->cur->curframe];
}

static inline struct bpf_reg_state *cur_regs(const struct bpf_verifier_env *env)
{
    return cur_func(env)->regs;
}

static inline bool is_subprog_call(const struct bpf_insn *insn)
{
    return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

/* The address of a function of the program. */
static inline bool is_pseudo_func(const struct bpf_insn *insn)
{
    return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC;
}

/* A call of a helper that calls a function of the program. */
static inline bool calls_callback(const struct bpf_insn *insn)
{
    return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == BPF_FUNC_loop;
}

static inline bool is_ld_imm64(const struct bpf_insn *insn)
{
    return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* A register, or all eight bytes of a slot, have another content. */
static inline void note_reg_written(struct bpf_verifier_env *env, int regno)
{
    cur_func(env)->regs_written |= 1u << regno;
    env->changed_regs |= 1u << regno;
}

/* A set with this register in it. */
static inline u16 reg_bit(int reg)
{
    return 1u << reg;
}

/* ---- verifier.c ---- */

/* Whether an instruction may read or write the register: 0 or an error. */
int check_reg_read(struct bpf_verifier_env *env, u32 regno);
int check_reg_write(struct bpf_verifier_env *env, u32 regno);

/* ---- verifier_cfg.c ---- */

/* The number of the function that begins there, or -ENOENT. */
int find_subprog(const struct bpf_verifier_env *env, int start);
/* Finds the program's functions. */
int add_subprogs(struct bpf_verifier_env *env);
/* No jump leaves its function, and none runs into the next one. */
int check_subprogs(struct bpf_verifier_env *env);
/* Known opcodes only; descriptors of maps become addresses. */
int resolve_pseudo_imm64(struct bpf_verifier_env *env);
/* Each instruction is reached. Marks where states are compared. */
int check_cfg(struct bpf_verifier_env *env);
/* Of each instruction, which registers are read later. */
void compute_live(struct bpf_verifier_env *env);
/* The stacks of the functions that call each other have room together. */
int check_max_stack_depth(struct bpf_verifier_env *env);

/* ---- verifier_scalar.c ---- */

/* The lower half, zero-extended; a number with another lower half. */
struct tnum tnum_subreg(struct tnum a);
struct tnum tnum_with_subreg(struct tnum a, struct tnum low);
/* Sets the number alone, not the type. */
void set_const(struct bpf_reg_state *reg, u64 value);
/* The register holds this number, any number, nothing, or a pointer to the start of an object. */
void mark_known(struct bpf_reg_state *reg, u64 value);
void mark_unknown(struct bpf_reg_state *reg);
void mark_not_init(struct bpf_reg_state *reg);
void mark_pointer(struct bpf_reg_state *reg, u32 type);
/* Draws what each part of the description tells of the others. */
void sync_bounds(struct bpf_reg_state *reg);
/* The description of the lowest size bytes, zero-extended. */
void coerce_to_size(struct bpf_reg_state *reg, int size);
/* Of numbers, or of the variable parts of pointers; sync_bounds() has to follow. */
void scalar_add(struct bpf_reg_state *dst, const struct bpf_reg_state *src);
void scalar_sub(struct bpf_reg_state *dst, const struct bpf_reg_state *src);
/* An arithmetic operation on numbers. */
void adjust_scalar(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op, bool wide);
/* Nothing is known of it. */
bool is_unbounded(const struct bpf_reg_state *reg);
/* `reg op val`, of the whole numbers or of the lower halves: 1 always, 0 never, -1 unknown. */
int branch_outcome(const struct bpf_reg_state *reg, u64 val, u8 op, bool wide);
/* What it tells that this holds, or does not. */
void refine_scalar(struct bpf_reg_state *reg, u64 val, u8 op, bool wide, bool holds);
/* Both are the same number. */
void refine_equal(struct bpf_reg_state *a, struct bpf_reg_state *b);
/* The condition that holds if op does not; 0: that tells nothing as simple. */
u8 negate_condition(u8 op);

/* ---- verifier_alu.c, verifier_jmp.c, verifier_mem.c ---- */

/* An arithmetic instruction: 0 or an error. */
int check_alu_op(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/* Returns 1 if only the jump is possible, 0 to go on with the next instruction, or an error. */
int check_cond_jump(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/* The reference with this id is not held any more. */
void release_ref(struct bpf_verifier_state *state, u32 id);
/* A load or a store, also an atomic operation. */
int check_load(struct bpf_verifier_env *env, const struct bpf_insn *insn);
int check_store(struct bpf_verifier_env *env, const struct bpf_insn *insn);
/* For a helper: bytes [reg, reg + size), which it fills (uninit), or reads and may write. */
int check_stack_arg(struct bpf_verifier_env *env, int regno, struct bpf_reg_state *reg, int size,
                    bool zero_ok, bool uninit);
/* Bytes from the pointer plus off are within the object of mem_size bytes. */
int check_region_access(struct bpf_verifier_env *env, int regno, const struct bpf_reg_state *reg,
                        int off, int size, u32 mem_size, bool zero_ok);
/* The map's flags allow it. */
int check_map_flags(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int off,
                    int size, bool write);
/* A pointer that must be exactly the one that the program was given. */
int check_exact_pointer(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int regno);

/* ---- verifier_call.c ---- */

/* *next is changed if the helper calls a function of the program. */
int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn, int *next);
/* A function of the program is entered or left; *next is where to go on. */
int check_subprog_call(struct bpf_verifier_env *env, const struct bpf_insn *insn, int *next);
int return_to_caller(struct bpf_verifier_env *env, int *next);
/* A new function is entered, whose registers the caller of this sets. NULL: it cannot be. */
struct bpf_func_state *enter_function(struct bpf_verifier_env *env, int subprog, int *err);
/* Logs that. */
void log_entry(struct bpf_verifier_env *env);
/* What a call does to the caller's registers. */
void clobber_caller_saved(struct bpf_verifier_env *env, struct bpf_reg_state *regs);
/* At the end nothing is held. */
int check_leaks(struct bpf_verifier_env *env);

/* ---- verifier_callback.c ---- */

/* A helper's call of a function of the program, of which it is not known how often it happens. */
int check_callback_call(struct bpf_verifier_env *env, int subprog, int *next);
/* Its end, where this way ends, too: 0 or an error. */
int check_callback_end(struct bpf_verifier_env *env);

/* ---- verifier_state.c ---- */

int copy_state(struct bpf_verifier_state *dst, const struct bpf_verifier_state *src);
void free_func_state(struct bpf_func_state *func);
void free_state_contents(struct bpf_verifier_state *state);
/* Makes room for the slots up to the one of this number. */
int grow_stack(struct bpf_func_state *func, u32 slots);
void init_func_state(struct bpf_func_state *func, int callsite, u32 frameno, u32 subprogno);
/* Calls fn for each register, and each one that is spilled, of all frames. */
void for_each_reg(struct bpf_verifier_state *state,
                  void (*fn)(struct bpf_reg_state *reg, const void *arg), const void *arg);
/* Puts a copy of the state aside, to be followed from this instruction. */
int push_pending(struct bpf_verifier_env *env, int insn_idx, struct bpf_verifier_state **state);
/* Takes up the last way that was left; false: none. */
bool pop_pending(struct bpf_verifier_env *env);

/* ---- verifier_precision.c ---- */

/* Notes that the present instruction is followed: 0 or -ENOMEM. */
int note_history(struct bpf_verifier_env *env);
/* What was noted, to add to it. */
struct bpf_history *last_history(struct bpf_verifier_env *env);
/* The bounds of the register, if it is a number, have decided something. */
void mark_chain_precise(struct bpf_verifier_env *env, int regno);
/* What matters in a stored state matters in the present one, which it covers. */
void propagate_precision(struct bpf_verifier_env *env, const struct bpf_verifier_state *old);
/* A slot of the stack is read: in which states it matters. */
void mark_slot_read(struct bpf_verifier_env *env, u32 frame, u32 slot);
void propagate_reads(struct bpf_verifier_env *env, const struct bpf_verifier_state *old);

/* ---- verifier_prune.c ---- */

/* 1: the state is covered by an earlier one. 0: go on. Else an error. */
int check_visited(struct bpf_verifier_env *env, int insn_idx);
/* A way from the state ends: the states that led to it have one less. */
void way_ends(struct bpf_verifier_state *state);
/* Whether a slot that is safe as old is so as cur, which may be NULL; exact: with all numbers. */
bool slot_is_covered(struct bpf_verifier_env *env, const struct bpf_stack_state *old,
                     const struct bpf_stack_state *cur, bool exact);
/* Forgets a stored state. */
void drop_state(struct bpf_verifier_state_list **link);

/* ---- verifier_btf.c ---- */

/* What the program says of its functions and lines. */
int check_btf_info(struct bpf_verifier_env *env);
/* The line of the instruction, if it is another one than before. */
void log_line(struct bpf_verifier_env *env, int insn_idx);

/* ---- verifier_log.c ---- */

/* A message of the log, in a line of its own. */
void __printf(2, 3) verbose(struct bpf_verifier_env *env, const char *fmt, ...);
bool log_has(const struct bpf_verifier_env *env, u32 levels);
/* An instruction is followed. */
void log_insn(struct bpf_verifier_env *env);
/* What has changed in the function since the last line, behind the instruction. */
void log_changes(struct bpf_verifier_env *env);
/* The function is another one, or the way is. */
void log_all_changed(struct bpf_verifier_env *env);
/* For each step of verifier_precision.c. */
void log_search(struct bpf_verifier_env *env, int last, int first);
void log_back_over(struct bpf_verifier_env *env, int insn_idx, u16 regs, u64 slots);
void log_marks(struct bpf_verifier_env *env, const struct bpf_verifier_state *st, u16 regs,
               u64 slots, bool marked);
/* As the log names a type of registers. */
const char *reg_type_name(u32 type);
/* All that is known in a function, in a line. */
void print_state(struct bpf_verifier_env *env, const struct bpf_func_state *func);

#endif
