/*
 * bpf_verifier.h - what the verifier knows of a program at an instruction, and its log.
 */
#ifndef LINUX_BPF_VERIFIER_H
#define LINUX_BPF_VERIFIER_H

#include <linux/bpf.h>
#include <linux/compiler.h>

enum bpf_reg_type {
    NOT_INIT,
    SCALAR_VALUE,
    PTR_TO_CTX,
    CONST_PTR_TO_MAP,
    PTR_TO_MAP_VALUE,
    PTR_TO_MAP_VALUE_OR_NULL,
    PTR_TO_STACK,
};

/*
 * A register. A number is within its bounds. A pointer is at its object's start + off, and one to a
 * value of a map + a number within the bounds.
 */
struct bpf_reg_state {
    u8 type;
    u8 zeros; /* of the number: how many of the lowest bits are 0, at least; 63 at most */
    s32 off;
    u32 id; /* of a value that may be NULL: registers of one id, not 0, are the same */
    u64 umin, umax;
    struct bpf_map *map;
};

/* Eight bytes of the stack. */
struct bpf_stack_slot {
    u8 written;   /* bytes that may be read, as bits */
    bool spilled; /* all of them are this register */
    struct bpf_reg_state reg;
};

enum { BPF_STACK_SLOTS = MAX_BPF_STACK / 8 };

struct bpf_verifier_state {
    struct bpf_reg_state regs[MAX_BPF_REG];
    struct bpf_stack_slot slots[BPF_STACK_SLOTS]; /* the first one is at the highest address */
};

struct bpf_verifier_log {
    void (*write)(struct bpf_verifier_log *log, const char *text, size_t len);
};

/*
 * kernel/bpf/verifier.c: checks the program and prepares it for bpf_prog_run_insns(). 0, or an
 * error, which the log explains, if there is one. prog->used_maps has references in any case.
 */
int bpf_check(struct bpf_prog *prog, struct bpf_verifier_log *log);

/* What it calls: kernel/bpf/map_cmd.c, or a program of the host. */
struct bpf_map *bpf_map_get(u32 fd); /* with a reference, or ERR_PTR */
void bpf_map_put(struct bpf_map *map);

#endif
