/*
 * audit.c - see audit.h. The rules are in rules.def and the files *_rules.c.
 */
#include "ftrace/audit/audit.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/extension.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/evidence.h"
#include "ftrace/audit/store_stacks.h"
#include "ftrace/audit/text_stores.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/breakpoints.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/sites.h"
#include "load/image.h"
#include "load/symbols.h"

static const struct rule_family *const families[] = {
#define FAMILY(name, events) &name##_family,
#include "ftrace/audit/rules.def"
};

/* The family gets the events of these kinds. */
static void list_user(struct audit *a, unsigned id, uint32_t kinds, uint32_t ftrace_kinds)
{
    const struct rule_family *f = families[id];

    kinds |= kinds & EVENT_BIT(EVENT_TRAP) ? EVENT_BIT(EVENT_KERNEL_TRAP) : 0;
    kinds |= kinds & EVENT_BIT(EVENT_TRAP_RETURN) ? EVENT_BIT(EVENT_KERNEL_RETURN) : 0;
    assert(f->event || !kinds);
    assert(f->ftrace_event || !ftrace_kinds);
    for (unsigned kind = 0; kind < RULE_EVENTS; kind++)
        if (kinds & EVENT_BIT(kind))
            a->users[kind][a->user_count[kind]++] = (struct event_user){f->event, a->rules[id]};
    for (unsigned kind = 0; kind < FTRACE_EVENT_KINDS; kind++)
        if (ftrace_kinds & FTRACE_BIT(kind))
            a->ftrace_users[kind][a->ftrace_user_count[kind]++] =
                (struct ftrace_event_user){f->ftrace_event, a->rules[id]};
    a->kinds |= kinds & (EVENT_BIT(EVENT_KINDS) - 1);
}

/*
 * Creates the families, and lists for each kind of event those that need it. Returns the kinds of
 * ftrace's events that some family needs.
 */
static uint32_t create_families(struct audit *a)
{
    uint32_t all_ftrace_kinds = 0;

    for (unsigned id = 0; id < RULE_FAMILIES; id++) {
        uint32_t kinds = rule_family_events(id), ftrace_kinds = rule_family_ftrace_events(id);

        for (unsigned rule = 0; rule < RULE_COUNT; rule++)
            if (rule_family((enum rule)rule) == id) {
                kinds |= rule_events((enum rule)rule);
                ftrace_kinds |= rule_ftrace_events((enum rule)rule);
            }
        a->rules[id] = families[id]->create(a);
        list_user(a, id, kinds, ftrace_kinds);
        all_ftrace_kinds |= ftrace_kinds;
    }
    return all_ftrace_kinds;
}

static void on_ftrace_event(void *ctx, const struct ftrace_event *e);

struct audit *audit_new(const struct audit_config *config)
{
    struct audit *a = xcalloc(1, sizeof *a);
    struct ftrace_listener listener = {.ctx = a, .on_event = on_ftrace_event};

    a->config = *config;
    a->decoder = decoder_new(EXTS_ALL);
    a->traits = site_traits(config->sites);
    a->stores = store_stacks_new();
    a->breakpoints =
        breakpoints_new(cluster_bus(config->cluster), cluster_hart_count(config->cluster));
    a->harts = xcalloc(cluster_hart_count(config->cluster), sizeof *a->harts);
    a->store_insns = xcalloc(STORE_INSNS, sizeof *a->store_insns);
    listener.kinds = create_families(a);
    ftrace_listen(config->stream, &listener);
    return a;
}

void audit_free(struct audit *a)
{
    if (!a)
        return;
    ftrace_unlisten(a->config.stream, a);
    for (unsigned id = 0; id < RULE_FAMILIES; id++)
        families[id]->destroy(a->rules[id]);
    VEC_FREE(&a->noted);
    VEC_FREE(&a->findings);
    map_free(&a->index);
    map_free(&a->debugged);
    decoder_free(a->decoder);
    store_stacks_free(a->stores);
    breakpoints_free(a->breakpoints);
    free(a->harts);
    free(a->store_insns);
    free(a);
}

/* ---- breaches ---- */

static struct example example_of(const struct audit *a, const struct breach *b)
{
    return (struct example){.rule = b->rule,
                            .hart = b->hart,
                            .site = b->site,
                            .pc = b->pc,
                            .cycle = b->cycle,
                            .step = b->step ? b->step : cluster_steps(a->config.cluster)};
}

static void add_example(struct finding *f, const struct example *e)
{
    for (unsigned i = 0; i < f->example_count; i++)
        if (f->examples[i].pc == e->pc && f->examples[i].hart == e->hart)
            return;
    if (f->example_count < EXAMPLES_MAX)
        f->examples[f->example_count++] = *e;
}

/* Listeners look at the findings, so the events are emitted when their evidence is complete. */
static void note_event(struct audit *a, uint64_t finding, const struct breach *b)
{
    VEC_PUSH(&a->noted,
             ((struct noted){.event = {(uint32_t)finding, (uint8_t)b->rule}, .hart = b->hart}));
}

static bool is_noted_before(const struct audit *a, size_t i)
{
    size_t first = 0;

    while (a->noted.at[first].event.finding != a->noted.at[i].event.finding)
        first++;
    return first < i;
}

static void emit_noted(struct audit *a)
{
    for (size_t i = 0; i < a->noted.len; i++) {
        const struct noted *n = &a->noted.at[i];
        const struct ftrace_event e = {.kind = FTRACE_FINDING, .finding = n->event};

        if (n->event.finding != NO_FINDING && !is_noted_before(a, i))
            evidence_complete(a, &a->findings.at[n->event.finding], n->hart);
        ftrace_emit(a->config.stream, &e);
    }
    a->noted.len = 0;
}

struct finding *audit_known(struct audit *a, uint64_t cause)
{
    uint64_t known;

    return map_get(&a->index, cause, &known) ? &a->findings.at[known] : NULL;
}

/* The finding for the cause of this breach, created if it is new; NULL: there are too many. */
static struct finding *finding_of(struct audit *a, const struct breach *b)
{
    struct finding *f = audit_known(a, b->cause);

    if (f)
        return f;
    if (a->findings.len >= a->config.findings_max) {
        a->left_out[rule_severity(b->rule)]++;
        note_event(a, NO_FINDING, b);
        return NULL;
    }
    map_put(&a->index, b->cause, a->findings.len);
    VEC_PUSH(&a->findings, ((struct finding){.rule = b->rule, .caused_by = NO_FINDING}));
    return &a->findings.at[a->findings.len - 1];
}

uint64_t audit_cause(enum rule rule, uint64_t place)
{
    return (uint64_t)rule << 56 | (place & (UINT64_MAX >> 8));
}

uint64_t audit_function(const struct audit *a, uint64_t pc)
{
    const struct symbol *function =
        a->config.symbols ? symbols_function_at(a->config.symbols, pc) : NULL;

    return function ? function->addr : pc;
}

uint64_t audit_linked(const struct audit *a, uint64_t address)
{
    uint64_t va;

    if (!a->config.image || symbols_at(a->config.symbols, address, NULL) ||
        !image_pa_to_va(a->config.image, address, &va))
        return address;
    return va;
}

bool audit_is_settled(const struct audit *a)
{
    unsigned running = 0;

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++)
        running += hart_insns(cluster_hart(a->config.cluster, i)) > 0 &&
                   hart_mode(cluster_hart(a->config.cluster, i)) != PRIV_M;
    return a->user_mode || running > 1;
}

bool audit_translates(struct hart *h)
{
    enum { CSR_SATP = 0x180, MODE_SHIFT = 60 };
    uint64_t satp;

    return hart_mode(h) == PRIV_S && hart_csr(h, CSR_SATP, &satp) && satp >> MODE_SHIFT;
}

bool audit_maps_text(const struct audit *a, struct hart *h)
{
    uint64_t va, size, pa;

    if (!a->config.text || !audit_translates(h))
        return false;
    for (size_t i = 0; text_map_range(a->config.text, i, &va, &size); i++)
        if (!hart_translate(h, va, ACCESS_LOAD, &pa) ||
            !hart_translate(h, va + size - 1, ACCESS_LOAD, &pa))
            return false;
    return true;
}

uint64_t audit_patcher(const struct audit *a, const struct writer *who)
{
    const struct store_stack *store = store_stacks_of(a->stores, who);

    return store ? store->patcher : audit_function(a, who->pc);
}

struct finding *audit_add(struct audit *a, const struct breach *b)
{
    struct finding *f = finding_of(a, b);
    bool graver;

    if (!f)
        return NULL;
    graver = !f->count || rule_severity(b->rule) > rule_severity(f->rule);
    f->count++;
    f->by_rule[b->rule]++;
    f->harts |= UINT64_C(1) << (b->hart & 63);
    f->last = example_of(a, b);
    f->last_task = call_stack_task(cluster_hart(a->config.cluster, b->hart));
    add_example(f, &f->last);
    if (!graver)
        return NULL;
    f->rule = b->rule;
    f->fact_count = 0;
    note_event(a, (uint64_t)(f - a->findings.at), b);
    return f;
}

/* ---- events ---- */

/* Events that the auditor itself needs, in addition to those of the rules. */
enum {
    OWN_EVENTS =
        1 << EVENT_CODE_WRITE | 1 << EVENT_FENCE_I | 1 << EVENT_TRAP | 1 << EVENT_TRAP_RETURN
};

uint32_t audit_events(const struct audit *a)
{
    return OWN_EVENTS | a->kinds;
}

static void follow_trap_return(struct audit *a, const struct trap_return_event *t)
{
    struct audited_hart *h = &a->harts[hart_id(t->hart)];

    h->depth--;
    a->user_mode |= t->to == PRIV_U;
    if (t->from != PRIV_M || t->to == PRIV_M || h->left_m_mode)
        return;
    h->left_m_mode = true;
    h->fenced = false;
}

static void follow(struct audit *a, const struct event *e)
{
    switch (e->kind) {
    case EVENT_CODE_WRITE:
        text_stores_follow(a, &e->code_write);
        breakpoints_write(a->breakpoints, &e->code_write);
        break;
    case EVENT_FENCE_I:
        a->harts[hart_id(e->fence.hart)].fenced = true;
        breakpoints_fence(a->breakpoints, hart_id(e->fence.hart));
        break;
    case EVENT_TRAP:
        a->harts[hart_id(e->trap.hart)].depth++;
        a->harts[hart_id(e->trap.hart)].traps++;
        break;
    case EVENT_TRAP_RETURN: follow_trap_return(a, &e->trap_return); break;
    default: break;
    }
}

enum { DEBUGGED_MAX = 1 << 14 };

bool audit_by_debugger(const struct audit *a, uint64_t pa, uint64_t size)
{
    uint64_t ignored;

    for (uint64_t at = pa / 2; a->debugged.len && at < (pa + size + 1) / 2; at++)
        if (map_get(&a->debugged, at, &ignored))
            return true;
    return false;
}

/* After the rules have had the store: they may ask what it replaces. */
static void note_debugger(struct audit *a, const struct code_write *w)
{
    bool by_debugger = w->who.kind == WRITER_DEBUGGER_FENCED;

    for (uint64_t at = w->pa / 2;
         (by_debugger || a->debugged.len) && at < (w->pa + w->size + 1) / 2; at++) {
        if (!by_debugger) {
            map_remove(&a->debugged, at);
            continue;
        }
        if (a->debugged.len == DEBUGGED_MAX)
            map_clear(&a->debugged);
        map_put(&a->debugged, at, 1);
    }
}

/* Which list of users has those who need the event. */
static unsigned list_for(const struct event *e)
{
    if (e->kind == EVENT_TRAP && e->trap.from != PRIV_U)
        return EVENT_KERNEL_TRAP;
    if (e->kind == EVENT_TRAP_RETURN && e->trap_return.to != PRIV_U)
        return EVENT_KERNEL_RETURN;
    return e->kind;
}

void audit_event(struct audit *a, const struct event *e)
{
    unsigned list = list_for(e);
    const struct event_user *user = a->users[list], *end = user + a->user_count[list];

    follow(a, e);
    for (; user < end; user++)
        user->event(user->rules, e);
    if (e->kind == EVENT_CODE_WRITE || e->kind == EVENT_CODE_SAME)
        note_debugger(a, &e->code_write);
    if (UNLIKELY(a->noted.len))
        emit_noted(a);
}

static void on_ftrace_event(void *ctx, const struct ftrace_event *e)
{
    struct audit *a = ctx;

    for (unsigned i = 0; i < a->ftrace_user_count[e->kind]; i++)
        a->ftrace_users[e->kind][i].event(a->ftrace_users[e->kind][i].rules, e);
    if (UNLIKELY(a->noted.len))
        emit_noted(a);
}

void audit_end(struct audit *a, struct run_end end)
{
    a->end = end;
    for (unsigned id = 0; id < RULE_FAMILIES; id++)
        if (families[id]->end)
            families[id]->end(a->rules[id]);
    emit_noted(a);
}

/* ---- results ---- */

size_t audit_count(const struct audit *a)
{
    return a->findings.len;
}

const struct finding *audit_get(const struct audit *a, size_t i)
{
    return &a->findings.at[i];
}

size_t audit_count_at_least(const struct audit *a, enum severity severity)
{
    size_t count = 0;

    for (size_t i = 0; i < a->findings.len; i++)
        count += rule_severity(a->findings.at[i].rule) >= severity;
    return count;
}

uint64_t audit_left_out(const struct audit *a, enum severity severity)
{
    return a->left_out[severity];
}

uint64_t audit_windows_left_out(const struct audit *a)
{
    return fetch_rules_windows_left_out(a->rules[FAMILY_fetch]);
}

uint64_t audit_contexts_left_out(const struct audit *a)
{
    return site_rules_left_out(a->rules[FAMILY_site]) +
           contract_rules_left_out(a->rules[FAMILY_contract]) +
           slot_rules_left_out(a->rules[FAMILY_slot]) +
           breakpoint_rules_left_out(a->rules[FAMILY_breakpoint]);
}

uint64_t audit_changes_left_out(const struct audit *a)
{
    return text_rules_left_out(a->rules[FAMILY_text]);
}

uint64_t audit_translations_left_out(const struct audit *a)
{
    return translation_rules_left_out(a->rules[FAMILY_translation]);
}

uint64_t audit_states_left_out(const struct audit *a)
{
    return state_rules_left_out(a->rules[FAMILY_state]);
}

uint64_t audit_labels_left_out(const struct audit *a)
{
    return state_rules_labels_left_out(a->rules[FAMILY_state]);
}

uint64_t audit_swaps_left_out(const struct audit *a)
{
    return fetch_rules_swaps_left_out(a->rules[FAMILY_fetch]);
}

/* ---- state ---- */

static void fact_io(struct state_io *io, struct fact *f)
{
    STATE_IO_BELOW(io, f->label, LABELS);
    STATE_IO_BELOW(io, f->kind, FACT_KINDS);
    STATE_IO_BELOW(io, f->message, MESSAGES);
    STATE_IO(io, f->site);
    STATE_IO(io, f->hart);
    STATE_IO(io, f->requester);
    STATE_IO(io, f->pc);
    STATE_IO(io, f->va);
    STATE_IO(io, f->cycle);
    STATE_IO(io, f->step);
    STATE_IO(io, f->pid);
    writer_state_io(io, &f->writer);
    STATE_IO_BELOW(io, f->size, f->kind == FACT_REGISTER ? FACT_REGISTERS : FACT_BYTES_MAX + 1);
    state_io_bytes(io, f->bytes, sizeof f->bytes);
    state_io_bytes(io, f->text, sizeof f->text);
    if (io->loading)
        f->text[FACT_WORDS_MAX - 1] = '\0';
    if (io->loading && f->kind == FACT_TASK)
        f->bytes[FACT_BYTES_MAX - 1] = 0;
    if (f->kind == FACT_STACK)
        call_stack_state_io(io, &f->stack);
}

static void example_io(struct state_io *io, struct example *e)
{
    STATE_IO_BELOW(io, e->rule, RULE_COUNT);
    STATE_IO(io, e->hart);
    STATE_IO(io, e->site);
    STATE_IO(io, e->pc);
    STATE_IO(io, e->cycle);
    STATE_IO(io, e->step);
}

static void finding_io(struct state_io *io, struct finding *f)
{
    STATE_IO_BELOW(io, f->rule, RULE_COUNT);
    STATE_IO(io, f->count);
    for (unsigned i = 0; i < RULE_COUNT; i++)
        STATE_IO(io, f->by_rule[i]);
    STATE_IO(io, f->harts);
    STATE_IO_BELOW(io, f->example_count, EXAMPLES_MAX + 1);
    for (unsigned i = 0; i < f->example_count; i++)
        example_io(io, &f->examples[i]);
    example_io(io, &f->last);
    STATE_IO(io, f->last_task);
    STATE_IO(io, f->caused_by);
    STATE_IO(io, f->explained);
    STATE_IO_BELOW(io, f->fact_count, FACTS_MAX + 1);
    for (unsigned i = 0; i < f->fact_count; i++)
        fact_io(io, &f->facts[i]);
}

static void hart_io(struct state_io *io, struct audited_hart *h)
{
    STATE_IO(io, h->depth);
    STATE_IO(io, h->traps);
    STATE_IO(io, h->switches);
    STATE_IO(io, h->left_m_mode);
    STATE_IO(io, h->fenced);
    STATE_IO(io, h->text.stamp);
    STATE_IO(io, h->text.pa);
    STATE_IO(io, h->text.pc);
    STATE_IO(io, h->text.cycle);
    STATE_IO(io, h->text.step);
    STATE_IO(io, h->text.va);
    STATE_IO(io, h->text.looked_pa);
    STATE_IO(io, h->text.looked_cycle);
    STATE_IO(io, h->text.through_alias);
    for (unsigned i = 0; i < ALIASES_MAX; i++) {
        STATE_IO(io, h->text.aliases[i].va);
        STATE_IO(io, h->text.aliases[i].stamp);
    }
    STATE_IO(io, h->text.site);
    STATE_IO(io, h->text.site_before);
    STATE_IO(io, h->text.stamp_before);
}

static bool is_site(const struct audit *a, uint32_t site)
{
    return site < site_count(a->config.sites);
}

/* No finding follows from itself, also not by way of others. */
static bool may_follow(const struct audit *a, const struct finding *f, size_t index)
{
    if (f->caused_by == NO_FINDING || f->caused_by < index)
        return true;
    return (f->rule == RULE_guest_noticed || f->rule == RULE_stray_patch) &&
           f->caused_by < a->findings.len &&
           a->findings.at[f->caused_by].rule != RULE_guest_noticed && !f->explained;
}

static void check_finding(struct state_io *io, const struct audit *a, const struct finding *f,
                          size_t index)
{
    bool good = f->example_count >= 1 && may_follow(a, f, index);

    for (unsigned i = 0; i < f->example_count; i++)
        good = good && (f->examples[i].site == NO_SITE || is_site(a, f->examples[i].site));
    for (unsigned i = 0; i < f->fact_count; i++)
        good = good && (f->facts[i].kind != FACT_SITE || is_site(a, f->facts[i].site));
    if (!good)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

static void check(struct state_io *io, const struct audit *a)
{
    for (size_t i = 0; i < a->findings.len; i++)
        check_finding(io, a, &a->findings.at[i], i);
    for (size_t i = 0; i < a->index.cap; i++)
        if (a->index.slots[i].key != UINT64_MAX && a->index.slots[i].value >= a->findings.len)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

void audit_state_io(struct state_io *io, struct audit *a)
{
    unsigned harts = cluster_hart_count(a->config.cluster);

    state_io_section(io, "audit", 14);
    STATE_IO_SAME(io, harts);
    STATE_IO_VEC(io, &a->findings, a->config.findings_max, finding_io);
    state_io_map(io, &a->index);
    for (unsigned i = 0; i < SEVERITIES; i++)
        STATE_IO(io, a->left_out[i]);
    for (unsigned i = 0; i < harts; i++)
        hart_io(io, &a->harts[i]);
    STATE_IO(io, a->user_mode);
    state_io_map(io, &a->debugged);
    store_stacks_state_io(io, a->stores);
    breakpoints_state_io(io, a->breakpoints);
    check(io, a);
    for (unsigned id = 0; id < RULE_FAMILIES; id++)
        families[id]->state_io(io, a->rules[id]);
}
