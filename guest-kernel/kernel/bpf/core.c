/*
 * core.c - runs verified programs: the interpreter.
 *
 * Built for the host with BPF_CHECK, each access to memory is checked, so that a fuzzer finds
 * programs that the verifier should have rejected.
 *
 * Not instrumented: programs run inside the tracers' hooks.
 */
#include <linux/bpf.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

/* Each returns whether to go on. */
#ifdef BPF_CHECK
void bpf_check_stack(void *stack);
bool bpf_check_mem(u64 addr, int size, bool write);
bool bpf_check_step(const struct bpf_insn *insn, const u64 *regs);
#else
static __always_inline void bpf_check_stack(void *stack)
{
    (void)stack;
}

static __always_inline bool bpf_check_mem(u64 addr, int size, bool write)
{
    (void)addr;
    (void)size;
    (void)write;
    return true;
}

static __always_inline bool bpf_check_step(const struct bpf_insn *insn, const u64 *regs)
{
    (void)insn;
    (void)regs;
    return true;
}
#endif

/* The lowest bytes, of a little-endian machine, in the order that is asked for. */
static u64 swap(u64 value, s32 bits, bool big_endian)
{
    u64 result = 0;
    s32 i;

    for (i = 0; i < bits; i += 8)
        result |= (value >> i & 0xff) << (big_endian ? bits - 8 - i : i);
    return result;
}

static u64 alu64(u8 op, u64 a, u64 b)
{
    switch (op) {
    case BPF_ADD: return a + b;
    case BPF_SUB: return a - b;
    case BPF_MUL: return a * b;
    case BPF_DIV: return b ? a / b : 0;
    case BPF_OR: return a | b;
    case BPF_AND: return a & b;
    case BPF_LSH: return a << (b & 63);
    case BPF_RSH: return a >> (b & 63);
    case BPF_NEG: return -a;
    case BPF_MOD: return b ? a % b : a;
    case BPF_XOR: return a ^ b;
    case BPF_MOV: return b;
    default: /* BPF_ARSH */ return (u64)((s64)a >> (b & 63));
    }
}

static u32 alu32(u8 op, u32 a, u32 b)
{
    switch (op) {
    case BPF_LSH: return a << (b & 31);
    case BPF_RSH: return a >> (b & 31);
    case BPF_ARSH: return (u32)((s32)a >> (b & 31));
    default: return (u32)alu64(op, a, b);
    }
}

static bool compare(u8 op, u64 a, u64 b, s64 sa, s64 sb)
{
    switch (op) {
    case BPF_JEQ: return a == b;
    case BPF_JGT: return a > b;
    case BPF_JGE: return a >= b;
    case BPF_JSET: return a & b;
    case BPF_JNE: return a != b;
    case BPF_JSGT: return sa > sb;
    case BPF_JSGE: return sa >= sb;
    case BPF_JLT: return a < b;
    case BPF_JLE: return a <= b;
    case BPF_JSLT: return sa < sb;
    default: /* BPF_JSLE */ return sa <= sb;
    }
}

/* On types of both widths. */
#define ATOMIC(type)                                                                             \
    static u64 atomic_##type(s32 op, type *p, u64 operand, u64 r0)                               \
    {                                                                                            \
        type expected = (type)r0;                                                                \
                                                                                                 \
        switch (op) {                                                                            \
        case BPF_ADD:                                                                            \
        case BPF_ADD | BPF_FETCH: return __atomic_fetch_add(p, (type)operand, __ATOMIC_SEQ_CST); \
        case BPF_AND:                                                                            \
        case BPF_AND | BPF_FETCH: return __atomic_fetch_and(p, (type)operand, __ATOMIC_SEQ_CST); \
        case BPF_OR:                                                                             \
        case BPF_OR | BPF_FETCH: return __atomic_fetch_or(p, (type)operand, __ATOMIC_SEQ_CST);   \
        case BPF_XOR:                                                                            \
        case BPF_XOR | BPF_FETCH: return __atomic_fetch_xor(p, (type)operand, __ATOMIC_SEQ_CST); \
        case BPF_XCHG: return __atomic_exchange_n(p, (type)operand, __ATOMIC_SEQ_CST);           \
        default: /* BPF_CMPXCHG */                                                               \
            __atomic_compare_exchange_n(p, &expected, (type)operand, false, __ATOMIC_SEQ_CST,    \
                                        __ATOMIC_SEQ_CST);                                       \
            return expected;                                                                     \
        }                                                                                        \
    }
ATOMIC(u32)
ATOMIC(u64)

/*
 * A number of 32 bits as a register has it. GCC 12 compares all of the register with what lr.w has
 * extended (its bug 114130), so it must not see that only the lower half counts.
 */
static u64 as_word(u64 value)
{
    s64 word = (s32)value;

    __asm__("" : "+r"(word));
    return word;
}

static void run_atomic(u64 *regs, const struct bpf_insn *insn)
{
    u64 addr = regs[insn->dst_reg] + insn->off, old;
    bool wide = BPF_SIZE(insn->code) == BPF_DW;

    if (!bpf_check_mem(addr, wide ? 8 : 4, true))
        return;
    if (wide)
        old = atomic_u64(insn->imm, (u64 *)(unsigned long)addr, regs[insn->src_reg], regs[0]);
    else
        old = atomic_u32(insn->imm, (u32 *)(unsigned long)addr, regs[insn->src_reg],
                         as_word(regs[0]));
    if (insn->imm == BPF_CMPXCHG)
        regs[0] = old;
    else if (insn->imm & BPF_FETCH)
        regs[insn->src_reg] = old;
}

#define AT(type, addr) (*(type *)(unsigned long)(addr))

static const u8 bytes_of[] = {4, 2, 1, 8};

static u64 load(u8 size, u64 addr)
{
    if (!bpf_check_mem(addr, bytes_of[size >> 3], false))
        return 0;
    switch (size) {
    case BPF_B: return AT(const u8, addr);
    case BPF_H: return AT(const u16, addr);
    case BPF_W: return AT(const u32, addr);
    default: return AT(const u64, addr);
    }
}

static void store(u8 size, u64 addr, u64 value)
{
    if (!bpf_check_mem(addr, bytes_of[size >> 3], true))
        return;
    switch (size) {
    case BPF_B: AT(u8, addr) = value; return;
    case BPF_H: AT(u16, addr) = value; return;
    case BPF_W: AT(u32, addr) = value; return;
    default: AT(u64, addr) = value;
    }
}

static __always_inline u64 run_insns(const struct bpf_prog *prog, const void *ctx)
{
    u64 stack[MAX_BPF_STACK / sizeof(u64)], regs[MAX_BPF_REG] = {0};
    const struct bpf_insn *insn = prog->insns;

    bpf_check_stack(stack);
    regs[BPF_REG_1] = (unsigned long)ctx;
    regs[BPF_REG_FP] = (unsigned long)(stack + MAX_BPF_STACK / sizeof(u64));
    for (;; insn++) {
        u8 code = insn->code, op = BPF_OP(code);
        u64 *dst = &regs[insn->dst_reg];
        u64 operand = BPF_SRC(code) == BPF_X ? regs[insn->src_reg] : (u64)(s64)insn->imm;

        if (!bpf_check_step(insn, regs))
            return 0;
        switch (BPF_CLASS(code)) {
        case BPF_ALU64: *dst = alu64(op, *dst, operand); continue;
        case BPF_ALU:
            *dst = op == BPF_END ? swap(*dst, insn->imm, BPF_SRC(code) == BPF_TO_BE)
                                 : alu32(op, *dst, operand);
            continue;
        case BPF_LDX: *dst = load(BPF_SIZE(code), regs[insn->src_reg] + insn->off); continue;
        case BPF_ST: store(BPF_SIZE(code), *dst + insn->off, (s64)insn->imm); continue;
        case BPF_STX:
            if (BPF_MODE(code) == BPF_ATOMIC)
                run_atomic(regs, insn);
            else
                store(BPF_SIZE(code), *dst + insn->off, regs[insn->src_reg]);
            continue;
        case BPF_LD: /* a 64-bit immediate */
            *dst = (u64)(u32)insn[1].imm << 32 | (u32)insn->imm;
            insn++;
            continue;
        case BPF_JMP32:
            if (compare(op, (u32)*dst, (u32)operand, (s32)*dst, (s32)operand))
                insn += insn->off;
            continue;
        default: break;
        }
        if (op == BPF_EXIT)
            return regs[0];
        if (op == BPF_CALL)
            regs[0] = bpf_helper_funcs[insn->imm](regs[1], regs[2], regs[3], regs[4], regs[5]);
        else if (op == BPF_JA || compare(op, *dst, operand, *dst, operand))
            insn += insn->off;
    }
}

#ifdef BPF_CHECK
u64 bpf_prog_run_insns(const struct bpf_prog *prog, const void *ctx)
{
    return run_insns(prog, ctx);
}
#else
u64 __bpf_prog_run(const void *ctx, const struct bpf_prog *prog)
{
    return run_insns(prog, ctx);
}
#endif
