/*
 * bpf_verifier.h - what the verifier knows of a program at an instruction, and its log.
 */
#ifndef LINUX_BPF_VERIFIER_H
#define LINUX_BPF_VERIFIER_H

#include <linux/bpf.h>
#include <linux/compiler.h>
#include <linux/tnum.h>

/* Offsets of pointers and sizes of memory stay far below 32 bits, so sums of them do not wrap. */
#define BPF_MAX_VAR_OFF (1 << 29)
#define BPF_MAX_VAR_SIZ (1 << 29)

enum bpf_reg_type {
    NOT_INIT,
    SCALAR_VALUE,
    PTR_TO_CTX,
    CONST_PTR_TO_MAP,
    PTR_TO_MAP_VALUE,
    PTR_TO_STACK,
    PTR_TO_MEM,  /* a record of a ring buffer */
    PTR_TO_FUNC, /* of the program; its number is in mem_size, that of the function that names it in
                    frameno */
    PTR_MAYBE_NULL = 0x100, /* with PTR_TO_MAP_VALUE or PTR_TO_MEM */
};

/* Bounds of a number, with its sign and without. */
struct bpf_range {
    s64 smin, smax;
    u64 umin, umax;
};

/* A register. A pointer is at its object's start + off + the scalar that the rest describes. */
struct bpf_reg_state {
    u32 type;
    s32 off;
    struct bpf_map *map;
    u32 mem_size;
    u32 frameno;
    u32 id;         /* registers of the same id, not 0, have the same value */
    u32 ref_obj_id; /* of a record that has to be released; or 0 */
    struct tnum var_off;
    struct bpf_range wide,
        low;      /* of the whole number, and of its lower half as a number of 32 bits */
    bool precise; /* in a stored state: what was found out depends on the number's bounds */
};

enum bpf_stack_slot_type { STACK_INVALID, STACK_SPILL, STACK_MISC, STACK_ZERO };

/*
 * Eight bytes of a stack; slot_type[0] is of the byte at the highest address. A register of less
 * than eight bytes is spilled to those at the lowest addresses.
 */
struct bpf_stack_state {
    struct bpf_reg_state spilled;
    u8 slot_type[8];
};

static inline bool bpf_is_spilled(const struct bpf_stack_state *slot)
{
    return slot->slot_type[7] == STACK_SPILL;
}

struct bpf_func_state {
    struct bpf_reg_state regs[MAX_BPF_REG];
    int callsite; /* the call in the caller */
    u32 frameno, subprogno;
    u32 callback; /* a helper calls it: the id of the state at its beginning, when there is one */
    bool in_callback;
    struct bpf_verifier_state *callback_entry;
    u32 nr_slots;      /* allocated ones; the others are STACK_INVALID */
    u16 regs_written;  /* since the last state was stored */
    u64 slots_written; /* likewise, all eight bytes */
    u64 slots_read;    /* in a stored state: which may be read later */
    struct bpf_stack_state *stack;
};

/* An instruction that was followed. */
struct bpf_history {
    u32 insn_idx;
    u16 linked; /* registers that a condition told something of, as they are equal */
    u8 frame;   /* which function of the calls */
    u8 flags;
    u8 slot_frame, slot; /* where a register was spilled or filled */
};

enum { BPF_HISTORY_SLOT = 1, BPF_HISTORY_LINKED_FAR = 2 /* others than registers of the frame */ };

#define BPF_MAX_REFS 16 /* records that are reserved at a time */

struct bpf_verifier_state {
    struct bpf_func_state *frame[MAX_CALL_FRAMES];
    u32 curframe;
    struct bpf_verifier_state *parent; /* the last one stored on the way here */
    u32 branches;                      /* ways from here that are not verified yet */
    struct bpf_history *history;       /* instructions since the parent */
    u32 nr_history, max_history;
    int first_insn_idx, last_insn_idx;
    u32 nr_refs;
    struct {
        u32 id;
        int insn_idx;
    } refs[BPF_MAX_REFS];
};

struct bpf_verifier_log {
    u32 level; /* 1: instructions, 2: states, too; 4: only statistics */
    void (*write)(struct bpf_verifier_log *log, const char *text, size_t len);
    void *priv;
};

/* Appends to the log, if there is one. */
void __printf(2, 3) bpf_log(struct bpf_verifier_log *log, const char *fmt, ...);

/* kernel/bpf/disasm.c: an instruction as text, as `llvm-objdump -d` has it. */
void bpf_disasm(const struct bpf_insn *insn, char *buf, size_t size);

/*
 * kernel/bpf/verifier.c: checks the program and prepares it for bpf_prog_run_insns(). 0, or an
 * error, which the log explains. prog->used_maps has references in any case.
 */
int bpf_check(struct bpf_prog *prog, struct bpf_verifier_log *log);

/* What it calls: kernel/bpf/map_cmd.c and prog_cmd.c, or a program of the host. */
struct bpf_map *bpf_map_get(u32 fd); /* with a reference, or ERR_PTR */
void bpf_map_put(struct bpf_map *map);
int bpf_verifier_pause(void); /* lets others run; -EAGAIN: give up */

#endif
