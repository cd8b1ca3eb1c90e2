/*
 * below_sp.c - see below_sp.h.
 */
#include "ftrace/audit/detours/below_sp.h"

#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/code_walk.h"

enum { CSR_SSTATUS = 0x100 };

/*
 * After an instruction that matters: the list of a way through the code, from its last one back to
 * the begin. Addresses are relative to sp at the begin.
 */
struct moment {
    uint32_t before; /* the index of the one before */
    bool is_lost;    /* sp is not known any more */
    bool is_guarded; /* the code itself has turned interrupts off */
    uint8_t size;    /* of what the instruction has stored; 0: nothing */
    int32_t sp, at;  /* at: where it was stored */
    uint64_t pc;
};

struct walk {
    VEC_OF(struct moment) moments;
    bool is_slot_kept; /* the layout's sites keep the return address below sp */
    uint64_t pc;       /* what is found: the store or the load; 0: nothing */
    enum message message;
};

static uint8_t accessed_bytes(const struct insn *i)
{
    switch (i->op) {
    case OP_sb:
    case OP_lb:
    case OP_lbu: return 1;
    case OP_sh:
    case OP_lh:
    case OP_lhu: return 2;
    case OP_sw:
    case OP_lw:
    case OP_lwu:
    case OP_fsw:
    case OP_flw: return 4;
    default: return 8;
    }
}

static bool overlaps(int32_t a, int32_t size, int32_t b, int32_t other)
{
    return a < b + other && b < a + size;
}

/*
 * Whether a trap may come while what was stored at [at, at + size) is below sp. Linux 5.12 to 6.2,
 * whose sites keep a word below sp, also moves sp over a whole frame and back: only what is below
 * sp when it is stored is judged there.
 */
static uint64_t exposed_store(const struct walk *w, uint32_t last, int32_t at, int32_t size)
{
    bool is_exposed = false;

    for (uint32_t n = last; n; n = w->moments.at[n].before) {
        const struct moment *m = &w->moments.at[n];
        bool is_store = m->size && overlaps(m->at, m->size, at, size);

        if (m->sp > at && !m->is_guarded && (is_store || !w->is_slot_kept))
            is_exposed = true;
        if (is_store)
            return is_exposed ? m->pc : 0;
    }
    return 0;
}

static void judge_load(struct walk *w, uint64_t pc, uint32_t last, const struct insn *i)
{
    const struct moment *m = &w->moments.at[last];
    int32_t at = m->sp + i->imm;
    uint64_t store;

    if (w->pc)
        return;
    if (i->imm < 0) {
        if (m->is_guarded || w->is_slot_kept)
            return;
        w->pc = pc;
        w->message = MESSAGE_LOADS_BELOW;
        return;
    }
    store = exposed_store(w, last, at, accessed_bytes(i));
    if (!store)
        return;
    w->pc = store;
    w->message = MESSAGE_STORES_BELOW;
}

/* Whether interrupts are off after the instruction, if it writes sstatus. */
static bool guarded_after(const struct insn *i, bool before)
{
    if (op_class(i->op) != CLASS_CSR || i->imm != CSR_SSTATUS)
        return before;
    switch (i->op) {
    case OP_csrrci: return before || (i->rs1 & SSTATUS_SIE);
    case OP_csrrc: return before;
    case OP_csrrsi: return before && !(i->rs1 & SSTATUS_SIE);
    case OP_csrrs: return before && i->rs1 == REG_ZERO;
    default: return false; /* the value is not known */
    }
}

static uint32_t note(void *ctx, uint64_t pc, const struct insn *i, uint32_t last)
{
    struct walk *w = ctx;
    struct moment m = w->moments.at[last];
    bool was_guarded = m.is_guarded;
    int32_t sp = m.sp;

    if (m.is_lost)
        return last;
    m.before = last;
    m.pc = pc;
    m.size = 0;
    if (op_class(i->op) == CLASS_LOAD && i->rs1 == REG_SP)
        judge_load(w, pc, last, i);
    if (op_class(i->op) == CLASS_STORE && i->rs1 == REG_SP) {
        m.size = accessed_bytes(i);
        m.at = sp + i->imm;
    }
    m.is_guarded = guarded_after(i, was_guarded);
    if (op_targets(i) >> REG_SP & 1) {
        m.is_lost = i->op != OP_addi || i->rs1 != REG_SP;
        m.sp += i->imm;
    }
    if (!m.size && m.sp == sp && !m.is_lost && m.is_guarded == was_guarded)
        return last;
    VEC_PUSH(&w->moments, m);
    return (uint32_t)w->moments.len - 1;
}

static void report(struct audit *a, struct hart *h, uint64_t va, const struct walk *w)
{
    const struct breach b = {.rule = RULE_below_sp,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = w->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_below_sp, audit_function(a, va))};
    struct finding *f = audit_add(a, &b);
    struct fact *bytes;
    uint32_t word = 0;

    if (!f)
        return;
    (void)!hart_peek_insn(h, w->pc, &word);
    audit_fact(f, LABEL_DETOUR, FACT_PLACE)->va = va;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = w->pc;
    bytes = audit_fact(f, LABEL_IN_MEMORY, FACT_BYTES);
    bytes->va = w->pc;
    bytes->size = (uint8_t)insn_size((uint16_t)word);
    (void)!hart_peek(h, w->pc, bytes->bytes, bytes->size);
    audit_fact_message(f, LABEL_WRONG, w->message);
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

bool below_sp_judge(struct audit *a, struct hart *h, uint64_t va)
{
    struct walk w = {.is_slot_kept = a->traits->return_place == RETURN_BELOW_SP};
    bool is_told = true;

    VEC_PUSH(&w.moments, (struct moment){.pc = va});
    code_walk(&(struct code_walk){.through_calls = true, .step = note, .ctx = &w}, h, va);
    if (w.pc && hart_status(h).sstatus & SSTATUS_SIE)
        report(a, h, va, &w);
    else
        is_told = !w.pc;
    VEC_FREE(&w.moments);
    return is_told;
}
