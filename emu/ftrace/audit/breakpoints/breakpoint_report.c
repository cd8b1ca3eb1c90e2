/*
 * breakpoint_report.c - findings about breakpoints, with the trap and where the hart goes on: a
 * part of the family `breakpoint'.
 */
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/breakpoints/breakpoint_priv.h"
#include "ftrace/sites/sites.h"

static void add_code(struct finding *f, enum fact_label label, uint64_t va, uint32_t word,
                     unsigned size)
{
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = va;
    fact->size = (uint8_t)size;
    memcpy(fact->bytes, &word, size);
}

/* Adds a breach, with the trap and where the hart goes on; NULL: it has its evidence already. */
static struct finding *report(struct audit *a, enum rule rule, uint64_t place, const struct hit *d,
                              const struct step *s)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(s->hart),
                             .site = site_find(a->config.sites, d->pa, 1),
                             .pc = d->pc,
                             .cycle = hart_cycles(s->hart),
                             .cause = audit_cause(rule, place)};
    struct finding *f = audit_add(a, &b);
    struct fact *stopped;

    if (!f)
        return NULL;
    add_code(f, LABEL_REPLACED, d->pc, d->word, insn_size((uint16_t)d->word));
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = d->hart;
    stopped->pc = d->pc;
    stopped->cycle = d->cycle;
    stopped->step = d->step;
    if (s->pc) {
        audit_fact_moment(f, LABEL_RESUMED, s->hart, s->pc);
        audit_fact_stack_at(a, f, LABEL_STACK, s->hart, d->pc);
        audit_fact_task(a, f, s->hart);
    }
    return f;
}

/* One finding for each kind of mistake and each kind of instruction that is carried out. */
static uint64_t place_of(enum message why, const struct insn *i)
{
    return (uint64_t)why << 16 | (i ? i->row : UINT16_MAX);
}

/* The first `size' bytes of the slot, as the hart fetches them. */
static void add_slot(struct finding *f, const struct step *s, unsigned size)
{
    struct fact *fact = audit_fact(f, LABEL_SLOT, FACT_BYTES);
    uint64_t pa = 0;

    fact->va = s->pc;
    for (unsigned at = 0; at < size; at += 2) {
        struct hart_parcel p;

        if (!hit_fetch_parcel(s->hart, s->pc + at, at >= s->insn.size, &pa, &p))
            break;
        memcpy(fact->bytes + at, &p.fetched, sizeof p.fetched);
        fact->size = (uint8_t)(at + 2);
    }
}

void hit_report_slot(struct audit *a, enum message why, const struct hit *d, const struct step *s,
                     const struct fetched *wrong)
{
    struct finding *f = report(a, RULE_wrong_slot, place_of(why, NULL), d, s);

    if (!f)
        return;
    if (wrong->writer_known)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = wrong->writer;
    if (wrong->size)
        add_slot(f, s, s->insn.size + 4);
    if (wrong->size && wrong->word != wrong->memory)
        add_code(f, LABEL_IN_MEMORY, wrong->va, wrong->memory, wrong->size);
    audit_fact_message(f, LABEL_WHY, why);
    audit_fact_order(f);
}

void hit_report_elsewhere(struct audit *a, const struct hit *d, const struct step *s,
                          uint64_t expected)
{
    struct finding *f =
        report(a, RULE_wrong_step, place_of(MESSAGE_ELSEWHERE, expected ? &s->insn : NULL), d, s);

    if (!f)
        return;
    if (expected)
        audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = expected;
    audit_fact_message(f, LABEL_WHY, MESSAGE_ELSEWHERE);
    audit_fact_order(f);
}

void hit_report_result(struct audit *a, const struct hit *d, const struct step *s,
                       const struct insn_effect *e)
{
    struct finding *f = report(a, RULE_wrong_step, place_of(MESSAGE_RESULT, &s->insn), d, s);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, e->rd, d->regs[e->rd]);
    audit_fact_register(f, LABEL_AFTER, e->rd, hart_reg(s->hart, e->rd));
    audit_fact_register(f, LABEL_EXPECTED, e->rd, e->value);
    audit_fact_message(f, LABEL_WHY, MESSAGE_RESULT);
    audit_fact_order(f);
}

void hit_report_step(struct audit *a, enum message why, const struct hit *d, const struct step *s)
{
    struct finding *f = report(a, RULE_wrong_step, place_of(why, NULL), d, s);

    if (!f)
        return;
    audit_fact_message(f, LABEL_WHY, why);
    audit_fact_order(f);
}

/* For audit_place_of_register, beside enum call_kind. */
enum { DETOUR_BREAKPOINT = 0x80 };

void hit_report_change(struct audit *a, const struct hit *d, const struct step *s, unsigned reg,
                       uint64_t before, uint64_t after)
{
    enum rule rule = reg >= FACT_SIE ? RULE_clobbered_csr : RULE_clobbered_register;
    struct finding *f = report(a, rule, audit_place_of_register(DETOUR_BREAKPOINT, reg), d, s);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, reg, before);
    audit_fact_register(f, LABEL_AFTER, reg, after);
    audit_fact_order(f);
}

void hit_report_hook(struct audit *a, const struct hit *d, const struct step *s)
{
    struct finding *f = report(a, RULE_hook_without_push, place_of(MESSAGE_NOT_KEPT, NULL), d, s);

    if (!f)
        return;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = d->regs[REG_RA];
    audit_fact_message(f, LABEL_MISSING, MESSAGE_NOT_KEPT);
    audit_fact_order(f);
}
