/*
 * lifetime_rules.c - the rule about code that was freed while a hart or task was in it
 * (docs/rules.md).
 *
 * Freed code cannot be fetched any more, or it is something else. Either way a hart that is in it,
 * or a task that comes back to it, takes an exception there. That there was code before is known
 * by the sites in its page, because the kernel told that it was a program of BPF, because a trap
 * had stopped the task there, or because the hart was in that page when its translations were
 * changed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/text/program_runs.h"
#include "ftrace/audit/text/text_users.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Contexts outside of the kernel's image that are tracked at the same time. */
enum { AWAY_MAX = 1 << 10 };

/* Areas of text at the same time; if there are more, all are forgotten. */
enum { TEXTS_MAX = 1 << 12 };

/* The last sfence.vma for a hart. */
struct mapping_change {
    bool known;
    uint32_t requester;
    uint64_t pc, cycle, step; /* of the requester */
    uint64_t at;              /* where the hart was */
};

struct lifetime_hart {
    struct mapping_change mapping;
    struct away resumed; /* the last context that continued there; pc 0: another one */
};

struct lifetime_rules {
    struct audit *audit;
    struct lifetime_hart *harts;
    struct program_runs *programs;
    struct kernel_probes *at_free; /* NULL: its function is not known */
    VEC_OF(struct away) away;
    struct map texts; /* as keys: the first pages of modules and programs that were not freed yet */
};

/* scause of the exceptions that a hart takes in freed code. */
enum { FETCH_ACCESS_FAULT = 1, ILLEGAL_INSTRUCTION = 2, FETCH_PAGE_FAULT = 12 };

static bool is_same_page(uint64_t a, uint64_t b)
{
    return a / PAGE_BYTES == b / PAGE_BYTES;
}

/* ---- contexts that a trap stopped in a module ---- */

static void stop(struct lifetime_rules *r, const struct trap_event *t)
{
    const struct symbols *symbols = r->audit->config.symbols;
    const struct away away = {.hart = hart_id(t->hart),
                              .pc = t->epc,
                              .sp = hart_reg(t->hart, REG_SP),
                              .cycle = hart_cycles(t->hart),
                              .step = cluster_steps(r->audit->config.cluster)};

    if (!symbols || symbols_function_at(symbols, t->epc))
        return;
    if (r->away.len < AWAY_MAX)
        VEC_PUSH(&r->away, away);
}

/* The context that continues now becomes the hart's last one. */
static void resume(struct lifetime_rules *r, const struct trap_return_event *t)
{
    struct away *last = &r->harts[hart_id(t->hart)].resumed;
    uint64_t sp = hart_reg(t->hart, REG_SP);

    *last = (struct away){0};
    for (size_t i = r->away.len; i-- > 0;)
        if (r->away.at[i].sp == sp) {
            if (r->away.at[i].pc == t->pc)
                *last = r->away.at[i];
            r->away.at[i] = r->away.at[--r->away.len];
        }
}

/* ---- the breach ---- */

static void add_fence(struct finding *f, const struct mapping_change *m, uint32_t hart)
{
    struct fact *fact;

    if (!m->known)
        return;
    fact = audit_fact(f, LABEL_UNMAPPED, FACT_FENCE);
    fact->hart = hart;
    fact->requester = m->requester;
    fact->pc = m->pc;
    fact->cycle = m->cycle;
    fact->step = m->step;
}

static void add_stopped(struct finding *f, const struct away *stopped)
{
    struct fact *fact = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);

    fact->hart = stopped->hart;
    fact->pc = stopped->pc;
    fact->cycle = stopped->cycle;
    fact->step = stopped->step;
}

/* Whether the hart is where the last context that it continued had been stopped. */
static bool is_resumed(const struct lifetime_hart *h, const struct trap_event *t)
{
    return h->resumed.pc && h->resumed.pc == t->epc && h->resumed.sp == hart_reg(t->hart, REG_SP);
}

static void report(const struct lifetime_rules *r, const struct trap_event *t, uint32_t site)
{
    struct audit *a = r->audit;
    uint32_t hart = hart_id(t->hart);
    const struct lifetime_hart *h = &r->harts[hart];
    const struct breach b = {.rule = RULE_use_after_free,
                             .hart = hart,
                             .site = site,
                             .pc = t->epc,
                             .cycle = hart_cycles(t->hart),
                             .cause = audit_cause(RULE_use_after_free, t->epc / PAGE_BYTES)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, site);
    audit_fact_task(a, f, t->hart);
    if (is_resumed(h, t))
        add_stopped(f, &h->resumed);
    add_fence(f, &h->mapping, hart);
    audit_fact_moment(f, is_resumed(h, t) ? LABEL_RESUMED : LABEL_FETCHED, t->hart, t->epc);
    audit_fact_order(f);
}

static bool can_be_freed(const struct trap_event *t)
{
    return !t->interrupt && (t->cause == FETCH_PAGE_FAULT || t->cause == FETCH_ACCESS_FAULT ||
                             t->cause == ILLEGAL_INSTRUCTION);
}

/*
 * Whether the hart, or the task that it runs, was in that page before. A hart that changes its own
 * translations knows what it does: kernels enable them so.
 */
static bool was_there(const struct lifetime_rules *r, const struct trap_event *t)
{
    uint32_t hart = hart_id(t->hart);
    const struct lifetime_hart *h = &r->harts[hart];

    return is_resumed(h, t) || (h->mapping.known && h->mapping.requester != hart &&
                                is_same_page(h->mapping.at, t->epc));
}

static void trap(struct lifetime_rules *r, const struct trap_event *t)
{
    const struct audit *a = r->audit;
    uint32_t site;

    if (t->from != PRIV_S)
        return;
    if (!can_be_freed(t)) {
        stop(r, t);
        return;
    }
    site = site_freeable_near(a->config.sites, t->epc, t->cause == ILLEGAL_INSTRUCTION);
    if (site != NO_SITE || (t->cause != ILLEGAL_INSTRUCTION && was_there(r, t)) ||
        (a->config.programs && bpf_text_is_gone(a->config.programs, t->epc)))
        report(r, t, site);
}

static void note_mapping(struct lifetime_rules *r, const struct fence_event *f)
{
    r->harts[hart_id(f->hart)].mapping = (struct mapping_change){.known = true,
                                                                 .requester = f->requester,
                                                                 .at = hart_pc(f->hart),
                                                                 .pc = f->pc,
                                                                 .cycle = f->cycle,
                                                                 .step = f->step};
}

/* ---- text that is freed ---- */

/* Whether the memory at va has text, or had it until its rights were taken away. */
static bool has_text(struct lifetime_rules *r, struct hart *h, uint64_t va)
{
    const struct bus *bus = cluster_bus(r->audit->config.cluster);
    uint64_t pa, known;
    bool has = map_get(&r->texts, va / PAGE_BYTES, &known);

    if (has)
        map_remove(&r->texts, va / PAGE_BYTES);
    return has || (hart_translate(h, va, ACCESS_LOAD, &pa) && bus_ram_at(bus, pa) &&
                   ram_page_at(bus_ram(bus), pa)->flags & RAM_PAGE_CODE);
}

/* vfree(address) is called. */
static void on_free(void *ctx, unsigned which, struct hart *h)
{
    struct lifetime_rules *r = ctx;
    uint64_t va = hart_reg(h, REG_A0);

    (void)which;
    if (!va)
        return;
    if (!program_runs_freed(r->programs, h, va) && has_text(r, h, va))
        text_users_judge(r->audit, h, va, r->away.at, r->away.len);
}

static void text_is_live(struct lifetime_rules *r, const struct text_event *text)
{
    if (r->texts.len == TEXTS_MAX)
        map_clear(&r->texts);
    map_put(&r->texts, text->va / PAGE_BYTES, 0);
    if (!text->of_module)
        program_runs_begin(r->programs, text);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    static const char *const names[] = {"vfree"};
    struct lifetime_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    r->programs = program_runs_new(a);
    if (a->config.image && a->config.symbols)
        r->at_free = kernel_probes_new(a->config.cluster, a->config.image, a->config.symbols, names,
                                       ARRAY_LEN(names), on_free, r);
    return r;
}

static void destroy(void *rules)
{
    struct lifetime_rules *r = rules;

    program_runs_free(r->programs);
    kernel_probes_free(r->at_free);
    VEC_FREE(&r->away);
    map_free(&r->texts);
    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct lifetime_rules *r = rules;

    if (e->kind == EVENT_SFENCE_VMA) {
        note_mapping(r, &e->fence);
    } else if (e->kind == EVENT_TRAP) {
        trap(r, &e->trap);
        program_runs_trap(r->programs, &e->trap);
    } else {
        if (e->trap_return.to == PRIV_S)
            resume(r, &e->trap_return);
        program_runs_trap_return(r->programs, &e->trap_return);
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    text_is_live(rules, &e->text);
}

static void away_io(struct state_io *io, struct away *w)
{
    STATE_IO(io, w->hart);
    STATE_IO(io, w->pc);
    STATE_IO(io, w->sp);
    STATE_IO(io, w->cycle);
    STATE_IO(io, w->step);
}

static void hart_io(struct state_io *io, struct lifetime_hart *h)
{
    away_io(io, &h->resumed);
    STATE_IO(io, h->mapping.known);
    STATE_IO(io, h->mapping.requester);
    STATE_IO(io, h->mapping.pc);
    STATE_IO(io, h->mapping.at);
    STATE_IO(io, h->mapping.cycle);
    STATE_IO(io, h->mapping.step);
}

static void state_io(struct state_io *io, void *rules)
{
    struct lifetime_rules *r = rules;

    state_io_section(io, "lifetime-rules", 4);
    STATE_IO_VEC(io, &r->away, AWAY_MAX, away_io);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        hart_io(io, &r->harts[i]);
    program_runs_state_io(io, r->programs);
    state_io_map(io, &r->texts);
}

const struct rule_family lifetime_family = {.create = create,
                                            .destroy = destroy,
                                            .event = on_event,
                                            .ftrace_event = on_ftrace_event,
                                            .state_io = state_io};
