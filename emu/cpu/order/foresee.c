/*
 * foresee.c - see foresee.h.
 *
 * The meaning of an instruction is that of exec.h, with seams of its own: registers and a few CSRs
 * are copies, and stores go to a map of the doublewords that were stored to.
 *
 * A state is known again by Brent's method: one state is kept, and replaced after 1, 2, 4, 8...
 * instructions. Memory is compared by a number, the sum of a number for each doubleword that is
 * not as in memory.
 */
#include "cpu/foresee.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clocks.h"
#include "base/map.h"
#include "cpu/cluster.h"
#include "cpu/engine_priv.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"

/* Numbers of CSRs. */
enum {
    CSR_SSTATUS = 0x100,
    CSR_SIE = 0x104,
    CSR_STVEC = 0x105,
    CSR_SSCRATCH = 0x140,
    CSR_SEPC = 0x141,
    CSR_SCAUSE = 0x142,
    CSR_STVAL = 0x143,
    CSR_MEDELEG = 0x302,
    CSR_CYCLE = 0xc00,
    CSR_INSTRET = 0xc02,
};

enum { DECODED = 1 << 8, WORDS_MAX = 1 << 14 };

/* Of a loop: what is kept of its instructions, and how often it must have been gone through. */
enum { MARKS = 1 << 15, ROUNDS = 32, ROUND_MARKS = MARKS / ROUNDS };

/* The CSRs that are followed: struct mind has the value of each. */
enum copied { COPY_SSTATUS, COPY_SIE, COPY_SSCRATCH, COPY_SEPC, COPY_SCAUSE, COPY_STVAL, COPIES };

/* All that decides what is executed next. */
struct mind {
    uint64_t x[32], pc;
    uint64_t csr[COPIES];
    uint64_t memory;   /* a number for what was stored */
    uint64_t reserved; /* the address of the lr + 1; 0: none */
};

/* An instruction on which it depends where the hart goes, or which accesses memory. */
struct mark {
    uint64_t pc;
    uint64_t a, b; /* what a branch compares; the address of an access; the target of a jump */
    uint64_t insns;
    uint16_t op;
};

struct view {
    struct mark marks[MARKS]; /* a ring */
    uint64_t mark_count;
    struct hart *hart;
    struct mind now, kept;
    struct map words; /* va / 8 -> what was stored there */
    struct {
        uint64_t pc; /* + 1; 0: none */
        struct insn insn;
    } decoded[DECODED];
    uint64_t next_pc;
    int64_t depth, least_depth; /* of calls */
    struct foresight told;
    bool ends;
};

static void end_with(struct view *v, enum foreseen end)
{
    v->told.end = end;
    v->ends = true;
}

/* ---- exceptions ---- */

static void raise(struct view *v, uint64_t cause, uint64_t value)
{
    uint64_t delegated, vector, status = v->now.csr[COPY_SSTATUS];

    if (!hart_csr(v->hart, CSR_MEDELEG, &delegated) || !(delegated >> cause & 1) ||
        !hart_csr(v->hart, CSR_STVEC, &vector)) {
        end_with(v, FORESEEN_UNKNOWN);
        return;
    }
    v->now.csr[COPY_SEPC] = v->now.pc;
    v->now.csr[COPY_SCAUSE] = cause;
    v->now.csr[COPY_STVAL] = value;
    v->now.csr[COPY_SSTATUS] = (status & ~(SSTATUS_SIE | SSTATUS_SPIE)) | SSTATUS_SPP |
                               (status & SSTATUS_SIE ? SSTATUS_SPIE : 0);
    v->next_pc = vector & ~UINT64_C(3);
}

static void return_from_trap(struct view *v)
{
    uint64_t status = v->now.csr[COPY_SSTATUS];

    if (!(status & SSTATUS_SPP)) {
        end_with(v, FORESEEN_LEAVES);
        return;
    }
    v->now.csr[COPY_SSTATUS] = (status & ~(SSTATUS_SIE | SSTATUS_SPP)) | SSTATUS_SPIE |
                               (status & SSTATUS_SPIE ? SSTATUS_SIE : 0);
    v->next_pc = v->now.csr[COPY_SEPC];
}

/* ---- memory ---- */

static uint64_t mix(uint64_t place, uint64_t value)
{
    uint64_t n = (place * UINT64_C(0x9e3779b97f4a7c15)) ^ (value + UINT64_C(0x632be59bd9b4e019));

    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

/* The doubleword `place`, as in memory. False: that is not RAM. */
static bool read_memory(const struct view *v, uint64_t place, uint64_t *value)
{
    return hart_peek(v->hart, place * 8, value, sizeof *value);
}

static bool read_word(const struct view *v, uint64_t place, uint64_t *value)
{
    return map_get(&v->words, place, value) || read_memory(v, place, value);
}

/* Whether the access is permitted; otherwise raises what it raises. */
static bool may_access(struct view *v, uint64_t va, enum access access)
{
    uint64_t pa;

    if (hart_translate(v->hart, va, access, &pa))
        return true;
    raise(v, access == ACCESS_LOAD ? EXC_LOAD_PAGE : EXC_STORE_PAGE, va);
    return false;
}

static bool load(struct view *v, uint64_t va, void *to, unsigned size)
{
    uint8_t bytes[16];
    uint64_t word;

    for (unsigned i = 0; i * 8 < va % 8 + size; i++) {
        if (!read_word(v, va / 8 + i, &word)) {
            if (may_access(v, va, ACCESS_LOAD))
                end_with(v, FORESEEN_UNKNOWN); /* a device */
            return false;
        }
        memcpy(bytes + (size_t)i * 8, &word, sizeof word);
    }
    memcpy(to, bytes + va % 8, size);
    return true;
}

/* Stores a doubleword, and counts it in the number of memory. */
static bool store_word(struct view *v, uint64_t place, uint64_t value)
{
    uint64_t memory, before;

    if (!read_memory(v, place, &memory) || v->words.len == WORDS_MAX)
        return false;
    if (map_get(&v->words, place, &before) && before != memory)
        v->now.memory -= mix(place, before);
    if (value != memory)
        v->now.memory += mix(place, value);
    map_put(&v->words, place, value);
    return true;
}

static bool store(struct view *v, uint64_t va, const void *from, unsigned size)
{
    uint8_t bytes[16];
    uint64_t word;
    unsigned words = (unsigned)(va % 8 + size + 7) / 8;

    if (!may_access(v, va, ACCESS_STORE))
        return false;
    for (unsigned i = 0; i < words; i++) {
        if (!read_word(v, va / 8 + i, &word)) {
            end_with(v, FORESEEN_UNKNOWN);
            return false;
        }
        memcpy(bytes + (size_t)i * 8, &word, sizeof word);
    }
    memcpy(bytes + va % 8, from, size);
    for (unsigned i = 0; i < words; i++) {
        memcpy(&word, bytes + (size_t)i * 8, sizeof word);
        if (!store_word(v, va / 8 + i, word)) {
            end_with(v, FORESEEN_UNKNOWN);
            return false;
        }
    }
    return true;
}

/* ---- CSRs ---- */

static int copy_of(unsigned number)
{
    switch (number) {
    case CSR_SSTATUS: return COPY_SSTATUS;
    case CSR_SIE: return COPY_SIE;
    case CSR_SSCRATCH: return COPY_SSCRATCH;
    case CSR_SEPC: return COPY_SEPC;
    case CSR_SCAUSE: return COPY_SCAUSE;
    case CSR_STVAL: return COPY_STVAL;
    default: return -1;
    }
}

/* Clocks go on: a state that depends on one comes only once. */
static bool read_csr(struct view *v, unsigned number, uint64_t *value)
{
    int copy = copy_of(number);

    if (copy >= 0) {
        *value = v->now.csr[copy];
        return true;
    }
    if (!hart_csr(v->hart, number, value))
        return false;
    if (number >= CSR_CYCLE && number <= CSR_INSTRET) {
        *value += number == CSR_CYCLE + 1 ? v->told.insns / CYCLES_PER_TICK : v->told.insns;
        v->kept = v->now;
        v->kept.pc = UINT64_MAX;
    }
    return true;
}

static void access_csr(struct view *v, const struct insn *i, enum csr_write kind, uint64_t operand)
{
    unsigned number = (unsigned)i->imm & 0xfff;
    int copy = copy_of(number);
    uint64_t old, new;

    if (!read_csr(v, number, &old)) {
        end_with(v, FORESEEN_UNKNOWN);
        return;
    }
    new = kind == CSR_WRITE ? operand : kind == CSR_SET ? old | operand : old & ~operand;
    if (copy >= 0)
        v->now.csr[copy] = new;
    else if ((kind == CSR_WRITE || operand) && new != old)
        end_with(v, FORESEEN_UNKNOWN);
    v->now.x[i->rd] = old;
}

/* ---- instructions ---- */

/* Calls go deeper and returns back; a jump to ra is a return. */
static void follow_jump(struct view *v, const struct insn *i)
{
    if (i->rd == REG_RA)
        v->depth++;
    else if (i->op == OP_jalr && i->rd == REG_ZERO && i->rs1 == REG_RA)
        v->depth--;
}

static void note_depth(struct view *v)
{
    if (v->depth >= v->least_depth)
        return;
    v->least_depth = v->depth;
    v->told.outer_pc = v->next_pc;
}

/* Keeps what is needed to recognise a loop, before the instruction is executed. */
static void keep_mark(struct view *v, const struct insn *i)
{
    uint64_t a = v->now.x[i->rs1], b = 0;

    switch (i->op) {
    case OP_beq:
    case OP_bne:
    case OP_blt:
    case OP_bge:
    case OP_bltu:
    case OP_bgeu: b = v->now.x[i->rs2]; break;
    case OP_jalr: break;
    case OP_sret: a = v->now.csr[COPY_SEPC]; break;
    case OP_jal:
    case OP_ebreak: a = 0; break;
    default:
        if (insn_is_private(i))
            return;
        a += (uint64_t)(int64_t)i->imm;
        break;
    }
    v->marks[v->mark_count++ % MARKS] = (struct mark){v->now.pc, a, b, v->told.insns, i->op};
}

#define RD                           v->now.x[i->rd]
#define S1                           v->now.x[i->rs1]
#define S2                           v->now.x[i->rs2]
#define IMM                          ((int64_t)i->imm)
#define PC                           v->now.pc
#define NEXT_PC                      (v->now.pc + i->size)
#define TAKEN_PC                     (v->now.pc + (uint64_t)IMM)
#define SEXT32(value)                ((uint64_t)(int64_t)(int32_t)(value))
#define ZEXT32(value)                ((uint64_t)(uint32_t)(value))
#define ON_JUMP(target, before)      ((void)0)
#define ON_JUMP_INDIRECT(target)     ((void)0)
#define ON_MULTIPLY(a, b)            ((void)0)
#define ON_DIVIDE(a, b, sign, which) ((void)0)
#define BRANCH(condition)          \
    do {                           \
        if (condition)             \
            v->next_pc = TAKEN_PC; \
    } while (0)
#define FOLLOW_AFTER(slot, before) \
    do {                           \
        v->next_pc = TAKEN_PC;     \
        before;                    \
    } while (0)
#define JUMP_AFTER(target, before) \
    do {                           \
        v->next_pc = target;       \
        before;                    \
    } while (0)
#define LOAD_AT(type, va)                        \
    do {                                         \
        type loaded;                             \
                                                 \
        if (load(v, va, &loaded, sizeof loaded)) \
            RD = (uint64_t)(int64_t)loaded;      \
    } while (0)
#define LOAD(type) LOAD_AT(type, S1 + (uint64_t)IMM)
#define STORE(type)                                                 \
    do {                                                            \
        type stored = (type)S2;                                     \
                                                                    \
        (void)store(v, S1 + (uint64_t)IMM, &stored, sizeof stored); \
    } while (0)
#define LOAD_ALIGNED(type) LOAD_AT(type, S1)
#define STORE_ALIGNED(type)                         \
    do {                                            \
        type stored = (type)S2;                     \
                                                    \
        (void)store(v, S1, &stored, sizeof stored); \
    } while (0)
#define LOAD_RESERVED(type)       \
    do {                          \
        v->now.reserved = S1 + 1; \
        LOAD_AT(type, S1);        \
    } while (0)
#define STORE_CONDITIONAL(type)                                \
    do {                                                       \
        type stored = (type)S2;                                \
        bool reserved = v->now.reserved == S1 + 1;             \
                                                               \
        v->now.reserved = 0;                                   \
        if (!reserved || store(v, S1, &stored, sizeof stored)) \
            RD = !reserved;                                    \
    } while (0)
#define ATOMIC(type, expression)            \
    do {                                    \
        type old, arg = (type)S2, new;      \
        uint64_t va = S1;                   \
                                            \
        if (!load(v, va, &old, sizeof old)) \
            break;                          \
        new = (type)(expression);           \
        if (store(v, va, &new, sizeof new)) \
            RD = (uint64_t)(int64_t)old;    \
    } while (0)

#define COMPARE_AND_SWAP(type) ATOMIC(type, old == (type)RD ? arg : old)

/* The rows of insn.def that are followed by exec.h. */
/* clang-format off */
#define FOLLOWED(X)                                                                       \
    X(lui) X(auipc) X(beq) X(bne) X(blt) X(bge) X(bltu) X(bgeu)                           \
    X(lb) X(lh) X(lw) X(ld) X(lbu) X(lhu) X(lwu) X(sb) X(sh) X(sw) X(sd)                  \
    X(addi) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai)               \
    X(add) X(sub) X(sll) X(slt) X(sltu) X(xor) X(srl) X(sra) X(or) X(and)                 \
    X(addiw) X(slliw) X(srliw) X(sraiw) X(addw) X(subw) X(sllw) X(srlw) X(sraw)           \
    X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu)                       \
    X(mulw) X(divw) X(divuw) X(remw) X(remuw)                                             \
    X(lr_w) X(sc_w) X(amoswap_w) X(amoadd_w) X(amoxor_w) X(amoand_w) X(amoor_w)           \
    X(amomin_w) X(amomax_w) X(amominu_w) X(amomaxu_w)                                     \
    X(lr_d) X(sc_d) X(amoswap_d) X(amoadd_d) X(amoxor_d) X(amoand_d) X(amoor_d)           \
    X(amomin_d) X(amomax_d) X(amominu_d) X(amomaxu_d)                                     \
    X(amoswap_b) X(amoadd_b) X(amoxor_b) X(amoand_b) X(amoor_b)                           \
    X(amomin_b) X(amomax_b) X(amominu_b) X(amomaxu_b)                                     \
    X(amoswap_h) X(amoadd_h) X(amoxor_h) X(amoand_h) X(amoor_h)                           \
    X(amomin_h) X(amomax_h) X(amominu_h) X(amomaxu_h)                                     \
    X(amocas_b) X(amocas_h) X(amocas_w) X(amocas_d)                                       \
    X(ntl_p1) X(ntl_pall) X(ntl_s1) X(ntl_all) X(mop_r) X(mop_rr)                         \
    X(lb_aq) X(lb_aqrl) X(lh_aq) X(lh_aqrl) X(lw_aq) X(lw_aqrl) X(ld_aq) X(ld_aqrl)       \
    X(sb_rl) X(sb_aqrl) X(sh_rl) X(sh_aqrl) X(sw_rl) X(sw_aqrl) X(sd_rl) X(sd_aqrl)       \
    X(add_uw) X(sh1add) X(sh2add) X(sh3add) X(sh1add_uw) X(sh2add_uw) X(sh3add_uw)        \
    X(slli_uw) X(andn) X(orn) X(xnor) X(clz) X(ctz) X(cpop) X(clzw) X(ctzw) X(cpopw)      \
    X(min) X(minu) X(max) X(maxu) X(sext_b) X(sext_h) X(zext_h) X(rol) X(ror) X(rori)     \
    X(rolw) X(rorw) X(roriw) X(orc_b) X(rev8) X(bclr) X(bclri) X(bext) X(bexti) X(binv)   \
    X(binvi) X(bset) X(bseti) X(czero_eqz) X(czero_nez)
/* clang-format on */

#define CASE(name) \
    case OP_##name: DO_##name; break;

static void execute(struct view *v, const struct insn *i)
{
    switch (i->op) {
        FOLLOWED(CASE)
    case OP_jal: DO_jal; break;
    case OP_jalr: {
        DO_jalr;
        break;
    }
    case OP_csrrw: access_csr(v, i, CSR_WRITE, S1); break;
    case OP_csrrs: access_csr(v, i, CSR_SET, S1); break;
    case OP_csrrc: access_csr(v, i, CSR_CLEAR, S1); break;
    case OP_csrrwi: access_csr(v, i, CSR_WRITE, i->rs1); break;
    case OP_csrrsi: access_csr(v, i, CSR_SET, i->rs1); break;
    case OP_csrrci: access_csr(v, i, CSR_CLEAR, i->rs1); break;
    case OP_fence:
    case OP_fence_i:
    case OP_pause:
    case OP_sfence_vma:
    case OP_sinval_vma:
    case OP_sfence_w_inval:
    case OP_sfence_inval_ir:
    case OP_wrs_nto:
    case OP_wrs_sto:
    case OP_prefetch_i:
    case OP_prefetch_r:
    case OP_prefetch_w: break;
    case OP_ebreak: raise(v, EXC_BREAKPOINT, v->now.pc); break;
    case OP_ecall: /* it succeeds */
        v->told.calls_firmware = true;
        v->now.x[REG_A0] = v->now.x[REG_A1] = 0;
        break;
    case OP_sret: return_from_trap(v); break;
    case OP_wfi: end_with(v, FORESEEN_WAITS); break;
    default: end_with(v, FORESEEN_UNKNOWN); break;
    }
}

/* The instruction at the pc; NULL: an exception was raised. */
static const struct insn *decode(struct view *v)
{
    uint64_t pc = v->now.pc, pa;
    unsigned at = (unsigned)(pc / 2) % DECODED;
    uint32_t word;

    if (v->decoded[at].pc == pc + 1)
        return &v->decoded[at].insn;
    if (!hart_translate(v->hart, pc, ACCESS_FETCH, &pa) || !hart_peek_insn(v->hart, pc, &word)) {
        raise(v, EXC_FETCH_PAGE, pc);
        return NULL;
    }
    v->decoded[at].pc = 0;
    if (!insn_decode_for(word, cluster_extensions(hart_cluster(v->hart)), &v->decoded[at].insn)) {
        raise(v, EXC_ILLEGAL, word);
        return NULL;
    }
    v->decoded[at].pc = pc + 1;
    return &v->decoded[at].insn;
}

static void step(struct view *v)
{
    const struct insn *i = decode(v);

    v->told.interrupts |= (v->now.csr[COPY_SSTATUS] & SSTATUS_SIE) != 0;
    if (i) {
        v->next_pc = v->now.pc + i->size;
        keep_mark(v, i);
        if (i->op == OP_jal || i->op == OP_jalr)
            follow_jump(v, i);
        execute(v, i);
        v->now.x[REG_ZERO] = 0;
        note_depth(v);
    }
    v->now.pc = v->next_pc;
    v->told.insns++;
}

static bool is_same(const struct mind *a, const struct mind *b)
{
    return a->pc == b->pc && !memcmp(a, b, sizeof *a);
}

static void copy_hart(struct view *v)
{
    static const unsigned numbers[COPIES] = {
        [COPY_SSTATUS] = CSR_SSTATUS, [COPY_SIE] = CSR_SIE,       [COPY_SSCRATCH] = CSR_SSCRATCH,
        [COPY_SEPC] = CSR_SEPC,       [COPY_SCAUSE] = CSR_SCAUSE, [COPY_STVAL] = CSR_STVAL};

    memcpy(v->now.x, hart_regs(v->hart), sizeof v->now.x);
    v->now.pc = hart_pc(v->hart);
    for (unsigned i = 0; i < COPIES; i++)
        if (!hart_csr(v->hart, numbers[i], &v->now.csr[i]))
            v->now.csr[i] = 0;
}

/* ---- loops ---- */

/* The mark that was kept `back` marks before the last one. */
static const struct mark *mark_before(const struct view *v, uint64_t back)
{
    return &v->marks[(v->mark_count - 1 - back) % MARKS];
}

static bool is_branch(unsigned op)
{
    return op == OP_beq || op == OP_bne || op == OP_blt || op == OP_bge || op == OP_bltu ||
           op == OP_bgeu;
}

/*
 * A difference of two numbers grows by `step` in each round. Whether it changes its sign in one of
 * the next `rounds`; with `touches`, whether it is exactly 0 after one of them.
 */
static bool crosses(__int128 difference, __int128 step, uint64_t rounds, bool touches)
{
    __int128 then = difference + step * (__int128)rounds;

    if (touches) /* steps may also jump over 0 */
        return step && difference % step == 0 && -(difference / step) > 0 &&
               -(difference / step) <= (__int128)rounds;
    return (difference < 0) != (then < 0);
}

/*
 * Each round of the loop adds step_a and step_b to the two numbers that the branch compares.
 * Whether it goes the other way in one of the next `rounds`.
 */
static bool will_leave(const struct mark *m, uint64_t step_a, uint64_t step_b, uint64_t rounds)
{
    __int128 step = (__int128)(int64_t)step_a - (int64_t)step_b;
    bool is_signed = m->op == OP_blt || m->op == OP_bge, equal = m->op == OP_beq || m->op == OP_bne;
    __int128 difference = is_signed || equal ? (__int128)(int64_t)m->a - (int64_t)m->b
                                             : (__int128)m->a - (__int128)m->b;

    if (equal && !difference)
        return step != 0;
    return crosses(difference, step, rounds, equal);
}

/*
 * A loop: the newest marks are ROUNDS times the same `round` marks, with numbers that change by the
 * same steps. Whether they are, and no branch leaves the loop in the next leave_insns instructions.
 */
static bool is_loop(const struct view *v, uint64_t round, uint64_t leave_insns)
{
    uint64_t insns = mark_before(v, 0)->insns - mark_before(v, round)->insns;
    uint64_t rounds = leave_insns / (insns ? insns : 1);

    for (uint64_t back = 0; back < round * (ROUNDS - 2); back++) {
        const struct mark *m = mark_before(v, back), *before = mark_before(v, back + round);
        const struct mark *first = mark_before(v, back + 2 * round);
        uint64_t step_a = m->a - before->a, step_b = m->b - before->b;

        if (m->pc != before->pc || before->pc != first->pc || before->a - first->a != step_a ||
            before->b - first->b != step_b || (!is_branch(m->op) && step_a))
            return false;
        if (back < round && is_branch(m->op) && will_leave(m, step_a, step_b, rounds))
            return false;
    }
    return true;
}

static bool circles(const struct view *v, uint64_t leave_insns)
{
    for (uint64_t round = 1; round <= ROUND_MARKS && round * ROUNDS <= v->mark_count; round++)
        if (mark_before(v, round)->pc == mark_before(v, 0)->pc && is_loop(v, round, leave_insns))
            return true;
    return false;
}

struct foresight hart_foresee(struct hart *h, uint64_t insns, uint64_t leave_insns)
{
    struct view *v = xcalloc(1, sizeof *v);
    struct foresight told;

    v->hart = h;
    copy_hart(v);
    v->kept = v->now;
    v->told = (struct foresight){.end = FORESEEN_GOES_ON, .outer_pc = v->now.pc};
    while (!v->ends && v->told.insns < insns) {
        step(v);
        if (!v->ends && is_same(&v->now, &v->kept))
            end_with(v, FORESEEN_REPEATS);
        else if (!(v->told.insns & (v->told.insns - 1)))
            v->kept = v->now;
    }
    if (!v->ends && circles(v, leave_insns))
        end_with(v, FORESEEN_CIRCLES);
    told = v->told;
    map_free(&v->words);
    free(v);
    return told;
}
