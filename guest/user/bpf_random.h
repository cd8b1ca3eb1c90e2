/*
 * bpf_random.h - random programs that often make sense: the generator follows which registers hold
 * what, as long as no jump is taken. For the fuzzer on the host (tests/bpf/fuzz.c), which writes
 * those that are accepted for bpfjit.
 *
 * The descriptors are of an array of one value of 64 bytes, and a hash of such values with keys of
 * 8 bytes.
 */
#ifndef USER_BPF_RANDOM_H
#define USER_BPF_RANDOM_H

#include "bpf_insn.h"
#include "bpf_numbers.h"
#include <linux/string.h>

enum { RANDOM_MAP = 50, RANDOM_INSNS = 256 };

enum { NOTHING, NUMBER, CTX, VALUE_PTR, STACK_PTR };

static struct bpf_insn insns[RANDOM_INSNS];
static unsigned int len;
static u8 holds_what[11];
static unsigned int to_end[RANDOM_INSNS], nr_to_end; /* jumps to the end */

static unsigned int below(unsigned int n)
{
    return random_bits() % n;
}

static void put(struct bpf_insn insn)
{
    if (len < RANDOM_INSNS - 16)
        insns[len++] = insn;
}

#define EMIT(...) put((struct bpf_insn)__VA_ARGS__)

static void put_pair(struct bpf_insn a, struct bpf_insn b)
{
    put(a);
    put(b);
}

#define EMIT2(...)                                     \
    do {                                               \
        const struct bpf_insn pair_[] = {__VA_ARGS__}; \
        put_pair(pair_[0], pair_[1]);                  \
    } while (0)

/* A register that holds this, or any. */
static int reg_with(u8 what)
{
    unsigned int i, start = below(10);

    for (i = 0; i < 10; i++)
        if (holds_what[(start + i) % 10] == what)
            return (start + i) % 10;
    return start;
}

static void jump_to_end(struct bpf_insn insn)
{
    to_end[nr_to_end++] = len;
    put(insn);
}

static const u8 conditions[] = {BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
                                BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE};
static const u8 operations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND,
                                BPF_LSH, BPF_RSH, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH};
static const u8 sizes[] = {BPF_B, BPF_H, BPF_W, BPF_DW};

static s32 small_number(void)
{
    switch (below(6)) {
    case 0: return (s32)random_number();
    case 1: return -(s32)below(16);
    case 2: return 1 << below(31);
    default: return below(70);
    }
}

static void arithmetic(void)
{
    u8 class = below(3) ? BPF_ALU64 : BPF_ALU, op = operations[below(sizeof(operations))];
    int dst = reg_with(NUMBER), src = reg_with(NUMBER);
    bool shift = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;

    if (below(2)) {
        EMIT(BPF_INSN(class | op | BPF_X, dst, src, 0, 0));
    } else {
        s32 imm = shift ? (s32)below(class == BPF_ALU ? 32 : 64) : small_number();

        if ((op == BPF_DIV || op == BPF_MOD) && !imm)
            imm = 3;
        EMIT(BPF_INSN(class | op | BPF_K, dst, 0, 0, imm));
    }
    holds_what[dst] = NUMBER;
}

static void condition(void)
{
    u8 class = below(3) ? BPF_JMP : BPF_JMP32, op = conditions[below(sizeof(conditions))];
    int dst = reg_with(NUMBER), src = reg_with(NUMBER);
    struct bpf_insn k = BPF_INSN(class | op | BPF_K, dst, 0, (short)below(4), small_number());
    struct bpf_insn x = BPF_INSN(class | op | BPF_X, dst, src, (short)below(4), 0);

    if (below(3) == 0)
        put(below(2) ? k : x);
    else
        jump_to_end(below(2) ? k : x);
}

static void look_up(void)
{
    bool hash = below(2);

    EMIT(ST_MEM(BPF_DW, R10, -8, 0));
    EMIT(MOV64_REG(R2, R10));
    EMIT(ALU64_IMM(BPF_ADD, R2, -8));
    EMIT2(LD_MAP_FD(R1, RANDOM_MAP + hash));
    EMIT(CALL(BPF_FUNC_map_lookup_elem));
    if (below(16))
        jump_to_end((struct bpf_insn)JMP_IMM(BPF_JEQ, R0, 0, 0));
    memset(holds_what, NOTHING, 6);
    holds_what[0] = VALUE_PTR;
    if (below(2)) {
        int dst = 7 + below(3);

        EMIT(MOV64_REG(dst, R0));
        holds_what[dst] = VALUE_PTR;
    }
}

/* Restricts a number, most often to what fits into a value. */
static void restrict_number(int reg)
{
    switch (below(7)) {
    case 0: EMIT(ALU64_IMM(BPF_AND, reg, below(2) ? 63 : (s32)below(80))); return;
    case 1: jump_to_end((struct bpf_insn)JMP_IMM(BPF_JGT, reg, (s32)below(70), 0)); return;
    case 2:
        jump_to_end((struct bpf_insn)JMP_IMM(BPF_JSGT, reg, (s32)below(70), 0));
        jump_to_end((struct bpf_insn)JMP_IMM(BPF_JSLT, reg, -(s32)below(2), 0));
        return;
    case 3: EMIT(ALU64_IMM(BPF_RSH, reg, 58 + below(6))); return;
    case 4:
        jump_to_end((struct bpf_insn)JMP32_IMM(BPF_JGT, reg, (s32)below(70), 0));
        if (below(2))
            EMIT(ALU32_REG(BPF_MOV, reg, reg));
        return;
    case 5: EMIT(ALU32_IMM(BPF_AND, reg, below(64))); return;
    default: jump_to_end((struct bpf_insn)JMP_IMM(BPF_JGE, reg, (s32)below(66), 0));
    }
}

static void access_value(void)
{
    int ptr = reg_with(VALUE_PTR), idx = reg_with(NUMBER), tmp = (idx + 1 + below(5)) % 6;
    u8 size = below(2) ? BPF_B : sizes[below(4)];
    short off = below(4) ? (short)below(8) : (short)(below(140) - 70);

    if (holds_what[ptr] != VALUE_PTR) {
        look_up();
        ptr = R0;
    }
    if (size != BPF_B && below(8)) {
        EMIT(ALU64_IMM(BPF_AND, idx, 8 * below(9)));
        off &= ~7;
    } else if (below(8)) {
        restrict_number(idx);
    }
    EMIT(MOV64_REG(tmp, ptr));
    holds_what[tmp] = VALUE_PTR;
    EMIT(BPF_INSN(BPF_ALU64 | (below(8) ? BPF_ADD : BPF_SUB) | BPF_X, tmp, idx, 0, 0));
    switch (below(4)) {
    case 0: EMIT(ST_MEM(size, tmp, off, small_number())); break;
    case 1: EMIT(STX_MEM(size, tmp, reg_with(NUMBER), off)); break;
    case 2:
        EMIT(ATOMIC_OP((below(2) ? BPF_W : BPF_DW), (below(2) ? BPF_ADD : BPF_CMPXCHG), tmp,
                       reg_with(NUMBER), 0));
        break;
    default: EMIT(LDX_MEM(size, idx, tmp, off)); holds_what[idx] = NUMBER;
    }
}

static void access_stack(void)
{
    static const s32 bits[] = {16, 32, 64};
    u8 size = sizes[below(4)];
    int bytes = size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
    int reg = below(8) ? reg_with(NUMBER) : (int)below(10);
    short off = -(short)((1 + below(64 / bytes)) * bytes);

    switch (below(5)) {
    case 0: EMIT(ST_MEM(size, R10, off, small_number())); return;
    case 1: EMIT(STX_MEM(size, R10, reg, off)); return;
    case 2: EMIT(STX_MEM(BPF_DW, R10, reg, -8 * (short)(1 + below(8)))); return;
    case 3:
        reg = reg_with(NUMBER);
        EMIT(ENDIAN((below(2) ? BPF_TO_BE : BPF_TO_LE), reg, bits[below(3)]));
        return;
    default: EMIT(LDX_MEM(size, reg, R10, off)); holds_what[reg] = NUMBER;
    }
}

static void call_helper(void)
{
    static const int plain[] = {BPF_FUNC_ktime_get_ns, BPF_FUNC_get_prandom_u32,
                                BPF_FUNC_get_smp_processor_id};
    s32 size = below(3) ? 8 : (s32)below(40);

    switch (below(3)) {
    case 0: /* memory that is filled */
        EMIT(MOV64_REG(R1, R10));
        EMIT(ALU64_IMM(BPF_ADD, R1, -(s32)(8 + below(5) * 8)));
        if (below(2)) {
            EMIT(MOV64_IMM(R2, size));
        } else {
            EMIT(MOV64_REG(R2, reg_with(NUMBER)));
            EMIT(ALU64_IMM(BPF_AND, R2, below(32)));
        }
        EMIT(MOV64_IMM(R3, 0));
        EMIT(CALL((below(2) ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_kernel_str)));
        break;
    default: EMIT(CALL(plain[below((sizeof(plain) / sizeof(plain[0])))]));
    }
    memset(holds_what, NOTHING, 6);
    holds_what[0] = NUMBER;
}

static void move(void)
{
    int dst = below(10), src = below(8) ? reg_with(below(2) ? NUMBER : VALUE_PTR) : (int)below(10);

    EMIT(MOV64_REG(dst, src));
    holds_what[dst] = holds_what[src];
}

static void make_program(void)
{
    unsigned int pieces = 2 + below(14), i, words = below(3) ? 12 : 2;

    len = nr_to_end = 0;
    memset(holds_what, NOTHING, sizeof(holds_what));
    EMIT(MOV64_REG(R6, R1));
    holds_what[6] = CTX;
    for (i = 7; i < 10; i++) {
        u8 size = below(2) ? BPF_DW : sizes[below(4)];

        EMIT(LDX_MEM(size, i, R1, (short)(below(words) * 8)));
        holds_what[i] = NUMBER;
    }
    EMIT(MOV64_IMM(R0, small_number()));
    holds_what[0] = NUMBER;
    for (i = 1; i <= 8 && below(16); i++)
        EMIT(ST_MEM(BPF_DW, R10, -8 * (short)i, small_number()));
    for (i = 0; i < pieces; i++) {
        switch (below(12)) {
        case 0: look_up(); break;
        case 1:
        case 2: condition(); break;
        case 3:
        case 4: access_value(); break;
        case 5:
        case 6: access_stack(); break;
        case 7: call_helper(); break;
        case 8: move(); break;
        default: arithmetic();
        }
    }
    for (i = 0; i < nr_to_end; i++)
        if (to_end[i] < len)
            insns[to_end[i]].off = len - to_end[i] - 1;
    EMIT(MOV64_IMM(R0, 0));
    EMIT(EXIT());
}

static void mutate(void)
{
    unsigned int n = 1 + below(2);

    while (n--) {
        struct bpf_insn *insn = &insns[below(len)];

        switch (below(6)) {
        case 0: insn->code = random_bits(); break;
        case 1: insn->dst_reg = random_bits(); break;
        case 2: insn->src_reg = random_bits(); break;
        case 3: insn->off = (short)(random_bits() & 15) - 8; break;
        case 4: insn->imm = small_number(); break;
        default: *insn = insns[below(len)];
        }
    }
}

/* The program of this number: insns, len. */
static void random_program(u64 number)
{
    random_seed(number);
    make_program();
    if (below(8) == 0)
        mutate();
}

#endif
