/*
 * flow_rules.c - the rules about control-flow integrity (docs/rules.md): a return address that the
 * shadow stack does not have, and an indirect jump to code without a landing pad.
 *
 * The hart finds both, and raises a software check, which takes the kernel down. A finding says
 * what the exception does not: which of the two addresses a tracer has put there, and who has
 * replaced the landing pad.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/guest/guest_evidence.h"
#include "ftrace/calls/return_handlers.h"

enum { CSR_SSP = 0x011, PAD_ALIGNMENT = 4 };

struct flow_rules {
    struct audit *audit;
};

/* The site of the function that has the address; NO_SITE: the image knows none. */
static uint32_t site_of_function(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t start = audit_function(a, va), pa;
    uint32_t i, id;

    if (!hart_translate(h, start, ACCESS_FETCH, &pa))
        return NO_SITE;
    i = site_first_of_image(a->config.sites, pa);
    if (i >= site_count(a->config.sites))
        return NO_SITE;
    id = site_of_image(a->config.sites, i);
    return audit_function(a, site_get(a->config.sites, id)->va) == start ? id : NO_SITE;
}

/* A breach at the exception, of the function of its pc. NULL: it has its evidence already. */
static struct finding *add_breach(struct audit *a, enum rule rule, const struct trap_event *t,
                                  uint32_t site)
{
    const struct breach b = {.rule = rule,
                             .hart = hart_id(t->hart),
                             .site = site,
                             .pc = t->epc,
                             .cycle = hart_cycles(t->hart),
                             .cause = audit_cause(rule, audit_function(a, t->epc))};
    struct finding *f = audit_add(a, &b);

    if (f && site != NO_SITE)
        audit_fact_site(f, site);
    return f;
}

/* ---- the shadow stack ---- */

/* Which of the two addresses a tracer or probe has put in the place of a return address. */
static enum message replaced_one(const struct audit *a, struct hart *h, uint64_t link,
                                 uint64_t entry)
{
    if (may_be_return_handler(a->config.symbols, h, link))
        return MESSAGE_SHADOW_KEPT;
    if (may_be_return_handler(a->config.symbols, h, entry))
        return MESSAGE_SHADOW_LEFT;
    return MESSAGE_SHADOW_OTHER;
}

/* An sspopchk has compared its register with the newest entry. */
static void check_return(struct audit *a, const struct trap_event *t)
{
    uint64_t ssp = 0, entry, link;
    struct finding *f;
    struct insn insn;
    uint32_t word;

    if (!hart_peek_insn(t->hart, t->epc, &word) || !insn_decode(word, &insn) ||
        insn.op != OP_sspopchk || !hart_csr(t->hart, CSR_SSP, &ssp) ||
        !hart_peek(t->hart, ssp, &entry, sizeof entry))
        return;
    f = add_breach(a, RULE_shadow_stack_mismatch, t, site_of_function(a, t->hart, t->epc));
    if (!f)
        return;
    link = hart_reg(t->hart, insn.rs1);
    audit_fact_moment(f, LABEL_STOPPED, t->hart, t->epc);
    audit_fact(f, LABEL_RETURNS, FACT_PLACE)->va = link;
    audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = entry;
    audit_fact_message(f, LABEL_WHY, replaced_one(a, t->hart, link, entry));
}

/* ---- landing pads ---- */

static bool is_pad(uint32_t word)
{
    struct insn insn;

    return insn_decode(word, &insn) && insn.op == OP_lpad;
}

/* Why the hart does not land there. `replaced': by the last store to text. */
static enum message why_not(uint32_t word, uint64_t pc, bool replaced)
{
    if (!is_pad(word))
        return replaced ? MESSAGE_PAD_REPLACED : MESSAGE_PAD_NONE;
    return pc % PAD_ALIGNMENT ? MESSAGE_PAD_ALIGNMENT : MESSAGE_PAD_LABEL;
}

/* The newest of the harts' last stores to text, if it was to this instruction; NULL: it was not. */
static const struct text_store *store_at(const struct audit *a, uint64_t pa, uint32_t *hart)
{
    const struct text_store *last = guest_evidence_last_patch(a, hart);

    return last && last->pa / PAD_ALIGNMENT == pa / PAD_ALIGNMENT ? last : NULL;
}

/* An indirect jump has arrived where its landing pad is not. */
static void check_landing(struct audit *a, const struct trap_event *t)
{
    const struct text_store *store;
    uint32_t word, site, writer;
    struct finding *f;
    struct fact *fact;
    uint64_t pa;

    if (!hart_peek_insn(t->hart, t->epc, &word) ||
        !hart_translate(t->hart, t->epc, ACCESS_FETCH, &pa))
        return;
    site = site_find(a->config.sites, pa, PAD_ALIGNMENT);
    f = add_breach(a, RULE_missing_landing_pad, t, site);
    if (!f)
        return;
    store = store_at(a, pa, &writer);
    if (store)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = text_store_writer(store, writer);
    audit_fact_moment(f, LABEL_REACHED, t->hart, t->epc);
    fact = audit_fact(f, LABEL_EXECUTED, FACT_BYTES);
    fact->va = t->epc;
    fact->size = (uint8_t)insn_size((uint16_t)word);
    memcpy(fact->bytes, &word, fact->size);
    audit_fact_message(f, LABEL_WHY, why_not(word, t->epc, store));
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct flow_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    return r;
}

static void on_event(void *rules, const struct event *e)
{
    const struct flow_rules *r = rules;
    const struct trap_event *t = &e->trap;

    if (t->interrupt || t->cause != EXC_SOFTWARE_CHECK || t->from != PRIV_S)
        return;
    if (t->tval == CHECK_SHADOW_STACK)
        check_return(r->audit, t);
    else if (t->tval == CHECK_LANDING_PAD)
        check_landing(r->audit, t);
}

static void state_io(struct state_io *io, void *rules)
{
    (void)rules;
    state_io_section(io, "flow-rules", 1);
}

const struct rule_family flow_family = {
    .create = create, .destroy = free, .event = on_event, .state_io = state_io};
