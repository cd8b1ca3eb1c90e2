/*
 * causes.c - see causes.h. docs/rules.md says when a finding is the cause of another one.
 */
#include "ftrace/audit/causes.h"

#include "base/compiler.h"
#include "ftrace/audit/audit_priv.h"
#include "mem/ram.h"

/* A guest that fails within this time, a tenth of a second, after an error may do so because of it.
 */
enum { AFTER_CYCLES = 100 * 1000 * 1000 };

enum {
    CODE = 1,
    FENCE = 2,
    STALE = 4,
    RUNNING = 8,
    STACK = 16,
    TABLES = 32,
    MAPPING = 64,
    GUARD = 128
};

static const uint8_t causes[RULE_COUNT] = {
#define CAUSE(rule, kind) [RULE_##rule] = (kind),
#include "ftrace/audit/causes.def"
};

static const uint8_t consequences[RULE_COUNT] = {
#define CONSEQUENCE(rule, kinds) [RULE_##rule] = (kinds),
#include "ftrace/audit/causes.def"
};

/* ---- what code a finding is about ---- */

struct range {
    uint64_t start, end;
};

enum { INSN_BYTES = 4, RANGES_MAX = FACTS_MAX + EXAMPLES_MAX };

struct code {
    struct range at[RANGES_MAX];
    unsigned count;
};

static void add_range(struct code *c, uint64_t start, uint64_t size)
{
    c->at[c->count++] = (struct range){start, start + size};
}

static void add_site(const struct audit *a, struct code *c, uint32_t site)
{
    const struct site *s = site_get(a->config.sites, site);

    add_range(c, s->va, s->size);
}

/* The code that a fact is about. What was patched before a guest noticed something is context. */
static void add_fact(const struct audit *a, struct code *c, const struct fact *fact)
{
    if (fact->label == LABEL_PATCHED)
        return;
    switch (fact->kind) {
    case FACT_SITE: add_site(a, c, fact->site); break;
    case FACT_BYTES: add_range(c, fact->va, fact->size); break;
    case FACT_PLACE: add_range(c, fact->va, INSN_BYTES); break;
    default: break;
    }
}

/* Of stores to code the place of a breach is the function that stores. */
static void add_example(const struct audit *a, struct code *c, const struct example *e)
{
    if (e->site != NO_SITE)
        add_site(a, c, e->site);
    else if (rule_family(e->rule) != FAMILY_patch)
        add_range(c, e->pc, INSN_BYTES);
}

static struct code code_of(const struct audit *a, const struct finding *f)
{
    struct code c = {.count = 0};

    for (unsigned i = 0; i < f->fact_count; i++)
        add_fact(a, &c, &f->facts[i]);
    for (unsigned i = 0; i < f->example_count; i++)
        add_example(a, &c, &f->examples[i]);
    return c;
}

static bool overlaps(const struct code *a, const struct code *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->at[i].start < b->at[k].end && b->at[k].start < a->at[i].end)
                return true;
    return false;
}

/* ---- what a guest was doing when it noticed something ---- */

static bool is_in_function(const struct audit *a, const struct code *c, uint64_t pc)
{
    uint64_t function = audit_function(a, pc);

    for (unsigned i = 0; i < c->count; i++)
        if (audit_function(a, c->at[i].start) == function)
            return true;
    return false;
}

/* The number of facts before those about the last patch. */
static unsigned facts_of_alarm(const struct finding *f)
{
    unsigned count = 0;

    while (count < f->fact_count && f->facts[count].label != LABEL_PATCHED)
        count++;
    return count;
}

/* Whether the hart was in a function with that code, or complains about its site. */
static bool is_in(const struct audit *a, const struct finding *f, const struct code *c)
{
    for (unsigned i = 0; i < facts_of_alarm(f); i++) {
        const struct fact *fact = &f->facts[i];

        if ((fact->kind == FACT_MOMENT && is_in_function(a, c, fact->pc)) ||
            (fact->kind == FACT_PLACE && is_in_function(a, c, fact->va)))
            return true;
    }
    return false;
}

/* Whether it had been called from a function with that code. */
static bool is_called_from(const struct audit *a, const struct finding *f, const struct code *c)
{
    for (unsigned i = 0; i < facts_of_alarm(f); i++) {
        const struct fact *fact = &f->facts[i];

        for (unsigned n = 0; fact->kind == FACT_STACK && n < fact->stack.count; n++)
            if (is_in_function(a, c, call_stack_code(&fact->stack, n)))
                return true;
    }
    return false;
}

/* The store that the finding is about; NULL: that of no hart. */
static const struct writer *finding_store(const struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_STORE && f->facts[i].writer.kind == WRITER_HART)
            return &f->facts[i].writer;
    return NULL;
}

static bool has_label(const struct finding *f, enum fact_label label)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == label)
            return true;
    return false;
}

static bool is_within(uint64_t before, uint64_t now)
{
    return before <= now && now - before <= AFTER_CYCLES;
}

static bool has_same_task(const struct finding *a, const struct finding *b)
{
    return a->harts & b->harts || (a->last_task && a->last_task == b->last_task);
}

/* A hang has begun long before it is found, at the end of the run. */
static bool is_shortly_after(const struct finding *cause, const struct finding *f)
{
    return has_label(f, LABEL_HANGS) || is_within(cause->last.cycle, f->last.cycle) ||
           is_within(f->last.cycle, cause->last.cycle);
}

/* Whether the code of the finding was stored by a hart shortly before it noticed something. */
static bool was_stored_before(const struct finding *cause, const struct finding *f)
{
    for (unsigned i = 0; i < cause->fact_count; i++) {
        const struct fact *fact = &cause->facts[i];

        if (fact->kind == FACT_STORE && fact->writer.kind == WRITER_HART &&
            fact->writer.hart == f->examples[0].hart &&
            is_within(fact->writer.cycle, f->examples[0].cycle))
            return true;
    }
    return false;
}

/* Whether the two are about stores by one hart in one function, shortly one after the other. */
static bool is_same_update(const struct audit *a, const struct finding *cause,
                           const struct finding *f)
{
    const struct writer *before = finding_store(cause), *now = finding_store(f);

    return before && now && before->hart == now->hart &&
           audit_function(a, before->pc) == audit_function(a, now->pc) &&
           (is_within(before->cycle, now->cycle) || is_within(now->cycle, before->cycle));
}

/* ---- causes ---- */

static bool has_register(const struct finding *f, unsigned reg)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_REGISTER && f->facts[i].size == reg)
            return true;
    return false;
}

/* Whether what the same task does afterwards comes of it, whatever code that is. */
static bool is_of_task(const struct finding *cause, unsigned kinds)
{
    return (kinds & STACK) || (kinds & TABLES && has_register(cause, FACT_SATP)) ||
           (kinds & GUARD && has_register(cause, FACT_RECURSION));
}

/*
 * Whether the cause explains tracers that are called wrongly at sites that it does not list. It is
 * wrong records, old names of ops or old code of the same hart, in more places than it lists.
 */
static bool is_of_many(const struct finding *cause, const struct finding *f, unsigned kinds)
{
    bool of_ops = cause->rule == RULE_wrong_record || cause->rule == RULE_stale_literal;

    return f->rule == RULE_wrong_tracer && cause->count > cause->example_count &&
           (of_ops || (kinds & STALE && cause->harts & f->harts)) && is_shortly_after(cause, f);
}

static bool has_message(const struct finding *f, enum message message)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].message == message)
            return true;
    return false;
}

/* Whether a tracer gets what the kernel has noted as its ops, and that is none. */
static bool is_of_trace_op(const struct finding *cause, const struct finding *f)
{
    return cause->rule == RULE_stale_literal && has_message(cause, MESSAGE_TRACE_OP) &&
           f->rule == RULE_wrong_arguments && has_message(f, MESSAGE_NO_OPS);
}

static bool explains(const struct audit *a, const struct finding *cause, const struct finding *f)
{
    const struct code code = code_of(a, cause);
    unsigned kinds;

    if (f->rule == RULE_guest_noticed)
        return causes[cause->rule] && is_in(a, f, &code);
    if (cause->rule == RULE_stray_patch && f->rule == RULE_wrong_label)
        return false; /* it is the other way round */
    if (is_of_trace_op(cause, f))
        return true;
    kinds = causes[cause->rule] & consequences[f->rule];
    if (kinds) {
        const struct code consequence = code_of(a, f);

        return (!(kinds & (TABLES | GUARD)) && overlaps(&code, &consequence)) ||
               (causes[cause->rule] == RUNNING && is_same_update(a, cause, f)) ||
               is_of_many(cause, f, kinds) ||
               (is_of_task(cause, kinds) && has_same_task(cause, f) && is_shortly_after(cause, f));
    }
    return false;
}

/* Whether a task went on in the middle of a site that was changed meanwhile. */
static bool has_gone_on(const struct finding *cause)
{
    return cause->rule == RULE_hart_inside && has_label(cause, LABEL_RESUMED);
}

/* The register that has changed; NULL: there is none. */
static const struct fact *register_of(const struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_REGISTER && f->facts[i].label == LABEL_AFTER)
            return &f->facts[i];
    return NULL;
}

static bool is_change(const struct finding *f)
{
    return f->rule == RULE_clobbered_register || f->rule == RULE_clobbered_csr;
}

/* Whether one detour has come back with both changes, the first time that either was seen. */
static bool is_same_detour(const struct finding *cause, const struct finding *f)
{
    const struct example *first = &cause->examples[0], *other = &f->examples[0];

    return is_change(cause) && is_change(f) && cause->caused_by == NO_FINDING &&
           first->step == other->step && first->hart == other->hart && first->pc == other->pc;
}

/* Whether a switch or an interrupt finds the same register changed that a detour has lost. */
static bool is_found_again(const struct finding *cause, const struct finding *f)
{
    const struct fact *lost = register_of(cause), *again = register_of(f);

    return is_change(cause) && cause->rule == f->rule && has_label(cause, LABEL_DETOUR) &&
           !has_label(f, LABEL_DETOUR) && lost && again && lost->size == again->size &&
           is_within(cause->last.cycle, f->last.cycle);
}

/* Whether a tracer gets the ops that its trampoline should have been told not to call any more. */
static bool is_of_old_tracer(const struct finding *cause, const struct finding *f)
{
    return cause->rule == RULE_stale_literal && f->rule == RULE_wrong_arguments &&
           has_message(f, MESSAGE_NO_OPS);
}

/* Whether it is a detour of a task that goes on with a wrong stack. */
static bool is_on_wrong_stack(const struct finding *cause, const struct finding *f)
{
    return cause->rule == RULE_unbalanced_stack && rule_family(f->rule) == FAMILY_contract &&
           has_same_task(cause, f) && is_shortly_after(cause, f);
}

/* Whether it is about a store of the function that has used an old translation: it went astray. */
static bool is_stored_astray(const struct audit *a, const struct finding *cause,
                             const struct finding *f)
{
    const struct example *use = &cause->examples[0];
    const struct writer *store = finding_store(f);

    return cause->rule == RULE_stale_translation && store && store->hart == use->hart &&
           audit_function(a, store->pc) == audit_function(a, use->pc) &&
           is_within(use->cycle, store->cycle);
}

/* What a hart does after an error of its own, or in code that is wrong, may come of it. */
static bool may_explain(const struct audit *a, const struct finding *cause, const struct finding *f)
{
    const struct code code = code_of(a, cause);
    bool is_error = rule_severity(cause->rule) == SEVERITY_error || has_gone_on(cause);

    if (f->rule != RULE_guest_noticed)
        return is_same_detour(cause, f) || is_found_again(cause, f) || is_of_old_tracer(cause, f) ||
               is_on_wrong_stack(cause, f) || is_stored_astray(a, cause, f);
    return (is_error && has_same_task(cause, f) && is_shortly_after(cause, f)) ||
           ((is_error || causes[cause->rule]) && is_called_from(a, f, &code));
}

/* Whether a hart went on in the page, to which an old translation led it. */
static bool has_gone_to(const struct finding *f, uint64_t page)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_RESUMED && f->facts[i].kind == FACT_MOMENT &&
            f->facts[i].pc >> PAGE_SHIFT == page)
            return true;
    return false;
}

/*
 * The guest may notice that code is wrong before a hart runs it, and a jump label is known to be
 * wrong only when its key has its value, long after the store; a hart that an old translation leads
 * to another page is seen there before it uses it. Those findings follow from this new one.
 */
static bool explains_early(const struct audit *a, const struct finding *cause,
                           const struct finding *f)
{
    if (f->caused_by != NO_FINDING)
        return false;
    if (f->rule == RULE_guest_noticed)
        return was_stored_before(cause, f);
    if (cause->rule == RULE_stale_translation && f->rule == RULE_wrong_slot)
        return has_gone_to(f, cause->examples[0].pc >> PAGE_SHIFT);
    if (f->rule == RULE_stray_patch && cause->rule == RULE_wrong_label) {
        const struct code code = code_of(a, cause), stored = code_of(a, f);

        return overlaps(&code, &stored);
    }
    return false;
}

static void find_early(const struct audit *a, uint32_t index)
{
    const struct finding *cause = &a->findings.at[index];

    if (cause->rule == RULE_guest_noticed || rule_severity(cause->rule) != SEVERITY_error)
        return;
    for (uint32_t i = 0; i < index; i++) {
        struct finding *f = &a->findings.at[i];

        if (explains_early(a, cause, f))
            f->caused_by = index;
    }
}

void cause_find(const struct audit *a, struct finding *f)
{
    uint32_t index = (uint32_t)(f - a->findings.at);

    f->caused_by = NO_FINDING;
    f->explained = false;
    for (uint32_t i = index; i-- > 0 && !f->explained;) {
        const struct finding *cause = &a->findings.at[i];

        if ((cause->rule == f->rule && !is_same_detour(cause, f) && !is_found_again(cause, f)) ||
            rule_severity(cause->rule) == SEVERITY_note)
            continue;
        if (explains(a, cause, f)) {
            f->caused_by = i;
            f->explained = true;
        } else if (f->caused_by == NO_FINDING && may_explain(a, cause, f)) {
            f->caused_by = i;
        }
    }
    find_early(a, index);
}
