/*
 * tracer_arguments.c - see tracer_arguments.h.
 */
#include "ftrace/audit/detours/tracer_arguments.h"

#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"
#include "load/symbols.h"

/* Where records have the address of the site's second instruction: from the first one. */
enum { SECOND_INSN = 4 };

/* A frame record, right below what s0 points to: the caller's s0, and the return address. */
enum { RECORD_S0 = 16, RECORD_RA = 8 };

/* A trampoline makes two: for the traced function, and for its caller. */
enum { RECORDS_MAX = 4 };

static void report(struct audit *a, struct hart *h, uint64_t pc, const struct detour *d,
                   unsigned reg, uint64_t expected)
{
    struct finding *f = detour_report(a, RULE_wrong_arguments, reg, d, h);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = pc;
    audit_fact_register(f, LABEL_WRONG, reg, hart_reg(h, reg));
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = expected;
    audit_fact_order(f);
}

static void judge_addresses(struct audit *a, struct hart *h, uint64_t pc, const struct detour *d,
                            const struct site *s)
{
    bool at_once = a->traits->patching == PATCHED_AT_ONCE;
    uint64_t ip = hart_reg(h, REG_A0);

    if (ip != s->va && !(at_once && ip - s->va == SECOND_INSN))
        report(a, h, pc, d, REG_A0, s->va);
    if (d->has_back && hart_reg(h, REG_A1) != d->function_back)
        report(a, h, pc, d, REG_A1, d->function_back);
}

/* ---- the frame record ---- */

/* Whether the address is in the part of the stack that the trampoline has taken. */
static bool is_in_frame(struct hart *h, const struct detour *d, uint64_t va)
{
    return va > hart_reg(h, REG_SP) && va <= d->sp && va % sizeof va == 0;
}

/* Whether frame records in the trampoline's frame lead from s0 to that of the traced function. */
static bool leads_back(struct hart *h, const struct detour *d)
{
    uint64_t at = hart_reg(h, REG_S0), next, back, pa;

    for (unsigned i = 0; i < RECORDS_MAX; i++) {
        if (!hart_peek(h, at - RECORD_S0, &next, sizeof next) ||
            !hart_peek(h, at - RECORD_RA, &back, sizeof back) ||
            !hart_translate(h, back, ACCESS_FETCH, &pa))
            return false;
        if (next == d->regs[REG_S0])
            return true;
        if (next <= at || !is_in_frame(h, d, next))
            return false;
        at = next;
    }
    return false;
}

/* A trampoline that makes no frame record leaves s0 as it is. */
static void judge_frame(struct audit *a, struct hart *h, uint64_t pc, const struct detour *d)
{
    uint64_t s0 = hart_reg(h, REG_S0);
    struct finding *f;

    if (s0 == d->regs[REG_S0] || !is_in_frame(h, d, s0) || leads_back(h, d))
        return;
    f = detour_report(a, RULE_wrong_arguments, REG_S0, d, h);
    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = pc;
    audit_fact_register(f, LABEL_WRONG, REG_S0, s0);
    audit_fact_message(f, LABEL_WHY, MESSAGE_FRAME_RECORD);
    audit_fact_order(f);
}

/* ---- the registers ---- */

/* gp, tp, s0 to a7, s2 to s11: what struct pt_regs must have as at the site. */
static const uint32_t kept_in_regs = UINT32_C(0x0ffc0000) | UINT32_C(0x0003ff00) | 3U << REG_GP;

/*
 * ftrace_regs_caller passes all registers (struct pt_regs, which begins with the pc, ra, sp and so
 * on by number) in a3. Its sp may be that of the frame, as in Linux.
 */
static void judge_registers(struct audit *a, struct hart *h, uint64_t pc, const struct detour *d)
{
    uint64_t regs = hart_reg(h, REG_A0 + 3), trampoline, value;
    struct finding *f;

    if (!a->config.symbols || !symbols_find(a->config.symbols, "ftrace_regs_caller", &trampoline) ||
        detour_target(a, h, d->site, d->pc) != trampoline || regs < hart_reg(h, REG_SP) ||
        regs >= d->sp)
        return;
    for (uint32_t left = kept_in_regs; left; left &= left - 1) {
        unsigned reg = (unsigned)__builtin_ctz(left);

        if (!hart_peek(h, regs + sizeof value * reg, &value, sizeof value) || value == d->regs[reg])
            continue;
        f = detour_report(a, RULE_wrong_arguments, REG_A0 + 3, d, h);
        if (!f)
            return;
        audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = pc;
        audit_fact_register(f, LABEL_BEFORE, reg, d->regs[reg]);
        audit_fact_register(f, LABEL_WRONG, reg, value);
        audit_fact_order(f);
        return;
    }
}

/*
 * A tracer gets the address of the site's record, and where the function returns to. Other
 * functions, which get neither, are known by a first argument that is far from the site.
 */
void tracer_arguments_judge(struct audit *a, struct hart *h, uint64_t pc, const struct detour *d)
{
    const struct site *s =
        d->kind == CALL_TRACER && d->site != NO_SITE ? site_get(a->config.sites, d->site) : NULL;

    if (!s || hart_reg(h, REG_A0) - s->va > s->size)
        return;
    judge_addresses(a, h, pc, d, s);
    judge_frame(a, h, pc, d);
    judge_registers(a, h, pc, d);
}
