/*
 * fence_rules.c - the rules about fences that were executed or asked for, but not as the protocol
 * needs them: the wrong one, or with nothing to order the request after the stores.
 *
 * A missing fence is found by the fetch that comes without it (fetch_rules.c), which asks here for
 * a fence of another kind. If no such fetch comes before the run ends, it is found here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/fetches/fetch_priv.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "mem/bus.h"

enum { CSR_SSTATUS = 0x100 };

/* A hart that has interrupts off for longer does not take a request in time. */
enum { DEADLOCK_CYCLES = 10 * 1000 * 1000 };

/*
 * A flush of translations that belongs to a store comes at most this long after it, in the writer's
 * cycles; one that belongs to another page table, after the switch to that.
 */
enum { FLUSH_CYCLES = 10 * 1000, SWITCH_CYCLES = 100 };

/* A request for a fence.i to another hart: by an interrupt, whose handler has been entered. */
struct fence_request {
    uint32_t hart; /* that asks */
    uint64_t pc, cycle, step;
    bool sent, taken;
};

/* An interrupt to a hart by one whose update is open, which is not taken yet. */
struct fence_wait {
    uint32_t hart; /* that has sent it */
    uint64_t pc, cycle, step;
    uint64_t since; /* the cycle of the hart that should take it */
    bool sent;
};

struct fenced_hart {
    struct fence_request request; /* to this hart */
    struct text_flush flush;
    struct fence_wait wait;
    struct fence_call call; /* by this hart */
    uint64_t satp_cycle;    /* when it was given another page table; 0: never */
};

struct fence_rules {
    struct audit *audit;
    struct fenced_hart *harts;
    bool waits; /* some hart's wait.sent may be set */
};

/* ---- the order of stores and requests ---- */

/* The last store to text of a hart, and its request of a fence.i after it. */
static void add_request(struct finding *f, const struct text_store *last, uint32_t hart,
                        uint64_t pc, uint64_t cycle, uint64_t step)
{
    struct fact *fact;

    audit_fact_site(f, last->site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = text_store_writer(last, hart);
    fact = audit_fact(f, LABEL_REQUESTED, FACT_MOMENT);
    fact->hart = hart;
    fact->pc = pc;
    fact->cycle = cycle;
    fact->step = step;
}

static void report_unordered(struct audit *a, const struct fence_request *r,
                             const struct fence_event *fence)
{
    const struct text_store *last = &a->harts[r->hart].text;
    const struct breach b = {
        .rule = RULE_unordered_remote_fence,
        .hart = r->hart,
        .site = last->site,
        .pc = r->pc,
        .cycle = r->cycle,
        .step = r->step,
        .cause = audit_cause(RULE_unordered_remote_fence, audit_function(a, r->pc))};
    struct finding *f = audit_add(a, &b);
    struct fact *fact;

    if (!f)
        return;
    add_request(f, last, r->hart, r->pc, r->cycle, r->step);
    if (fence->origin == FENCE_LOCAL) { /* in the handler of the interrupt */
        fact = audit_fact(f, LABEL_FENCED, FACT_FENCE);
        fact->hart = fact->requester = hart_id(fence->hart);
        fact->pc = fence->pc;
        fact->cycle = fence->cycle;
        fact->step = fence->step;
    }
    audit_fact_message(f, LABEL_MISSING, MESSAGE_DATA_FENCE);
    audit_fact_order(f);
}

/* Whether the hart has stored to text, and executed nothing since that orders its stores. */
static bool has_unordered_text(const struct audit *a, uint32_t hart)
{
    return a->harts[hart].text.stamp && hart_awaits_order(cluster_hart(a->config.cluster, hart));
}

static void check_fence(struct fence_rules *r, const struct fence_event *f)
{
    struct fenced_hart *h = &r->harts[hart_id(f->hart)];
    struct fence_request request = {
        .hart = f->requester, .pc = f->pc, .cycle = f->cycle, .step = f->step};

    if (f->origin == FENCE_LOCAL) {
        if (h->request.taken)
            report_unordered(r->audit, &h->request, f);
        h->request = (struct fence_request){0};
    } else if (f->requester != hart_id(f->hart) && has_unordered_text(r->audit, f->requester)) {
        report_unordered(r->audit, &request, f);
    }
}

/* An interrupt asks for a fence if its handler executes one. */
static void send(struct fence_rules *r, const struct ipi_event *i)
{
    struct fence_request *request = &r->harts[hart_id(i->hart)].request;

    if (!i->sender || i->sender == i->hart || request->taken)
        return;
    *request = (struct fence_request){0};
    if (has_unordered_text(r->audit, hart_id(i->sender)))
        *request = (struct fence_request){.hart = hart_id(i->sender),
                                          .pc = hart_pc(i->sender),
                                          .cycle = hart_cycles(i->sender),
                                          .step = cluster_steps(r->audit->config.cluster),
                                          .sent = true};
}

/* The hart takes the interrupt. */
static void take(struct fence_rules *r, const struct hart *h)
{
    struct fence_request *request = &r->harts[hart_id(h)].request;

    request->taken = request->sent;
}

/* The hart returns from a handler: that of the request, if the hart has taken that. */
static void leave_handler(struct fence_rules *r, const struct hart *h)
{
    struct fence_request *request = &r->harts[hart_id(h)].request;

    if (request->taken)
        *request = (struct fence_request){0};
}

/* ---- requests that no hart answers ---- */

static bool has_interrupts_off(struct hart *h)
{
    uint64_t status;

    return hart_mode(h) == PRIV_S && hart_waits_for(h) == HART_WAITS_NOT &&
           hart_csr(h, CSR_SSTATUS, &status) && !(status & SSTATUS_SIE);
}

/* Both harts run with interrupts off: one waits for an answer, the other never sees the question.
 */
static bool is_deadlock(const struct fence_rules *r, uint32_t hart)
{
    const struct audit *a = r->audit;
    const struct fence_wait *w = &r->harts[hart].wait;
    struct hart *h = cluster_hart(a->config.cluster, hart);

    return w->sent && hart_cycles(h) - w->since > DEADLOCK_CYCLES && has_interrupts_off(h) &&
           has_interrupts_off(cluster_hart(a->config.cluster, w->hart)) &&
           updates_is_open(a->config.updates, w->hart);
}

static void report_deadlock(const struct fence_rules *r, uint32_t hart)
{
    struct audit *a = r->audit;
    const struct fence_wait *w = &r->harts[hart].wait;
    const struct text_store *last = &a->harts[w->hart].text;
    const struct hart *asks = cluster_hart(a->config.cluster, w->hart);
    const struct hart *h = cluster_hart(a->config.cluster, hart);
    const struct breach b = {.rule = RULE_fence_deadlock,
                             .hart = hart,
                             .site = last->site,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_fence_deadlock, audit_function(a, w->pc))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    add_request(f, last, w->hart, w->pc, w->cycle, w->step);
    audit_fact_moment(f, LABEL_WAITING, asks, hart_pc(asks));
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    audit_fact_message(f, LABEL_MISSING, MESSAGE_INTERRUPTS_OFF);
    audit_fact_order(f);
}

static void look_for_deadlocks(struct fence_rules *r)
{
    for (uint32_t i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        if (is_deadlock(r, i)) {
            report_deadlock(r, i);
            r->harts[i].wait.sent = false;
        }
}

/* A hart whose update is open sends an interrupt to another one. */
static void begin_wait(struct fence_rules *r, const struct ipi_event *i)
{
    struct fence_wait *w = &r->harts[hart_id(i->hart)].wait;

    if (!i->sender || i->sender == i->hart || w->sent ||
        !updates_is_open(r->audit->config.updates, hart_id(i->sender)))
        return;
    *w = (struct fence_wait){.hart = hart_id(i->sender),
                             .pc = hart_pc(i->sender),
                             .cycle = hart_cycles(i->sender),
                             .step = cluster_steps(r->audit->config.cluster),
                             .since = hart_cycles(i->hart),
                             .sent = true};
    r->waits = true;
}

/* ---- fences of the wrong kind ---- */

static bool is_code(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t pa;

    return hart_translate(h, va, ACCESS_FETCH, &pa) &&
           bus_ram_at(cluster_bus(a->config.cluster), pa);
}

/* Whether the hart has stored to text through this page, other than the text's own. */
static bool is_alias(const struct text_store *t, uint64_t va)
{
    for (unsigned i = 0; i < ALIASES_MAX; i++)
        if (t->aliases[i].stamp && t->aliases[i].va / PAGE_BYTES == va / PAGE_BYTES)
            return true;
    return false;
}

/* The hart's own sfence.vma: of all addresses, or of one where code is, and not of an alias. */
static bool covers_code(const struct audit *a, const struct fence_event *f)
{
    return !f->one_address ||
           (!is_alias(&a->harts[f->requester].text, f->va) && is_code(a, f->hart, f->va));
}

/* The same of a request to firmware (SBI, RFENCE): a2 and a3 are start and size; 0, 0 is all. */
static bool request_covers_code(const struct audit *a, struct hart *h)
{
    uint64_t start = hart_reg(h, REG_A0 + 2), size = hart_reg(h, REG_A0 + 3);

    return (!start && !size) || size > UINT64_MAX / 2 || is_code(a, h, start);
}

static uint64_t clock_now(const struct audit *a)
{
    return bus_ram(cluster_bus(a->config.cluster))->stamp;
}

/* Whether the hart has just been given another page table, as at a switch of address spaces. */
static bool has_switched(const struct fence_rules *r, const struct fence_event *f)
{
    uint64_t satp_cycle = r->harts[f->requester].satp_cycle;

    return satp_cycle && f->cycle - satp_cycle <= SWITCH_CYCLES;
}

/*
 * Remembers a flush of translations that may have been meant for code: the writer's first one after
 * its store, except of the address through which it wrote, which is no code.
 */
static void note_flush(struct fence_rules *r, const struct fence_event *f)
{
    const struct audit *a = r->audit;
    const struct text_store *text = &a->harts[f->requester].text;
    struct hart *requester = cluster_hart(a->config.cluster, f->requester);

    if (has_switched(r, f) || !text->stamp || f->cycle - text->cycle > FLUSH_CYCLES)
        return;
    if (f->origin == FENCE_LOCAL ? covers_code(a, f) : request_covers_code(a, requester))
        r->harts[hart_id(f->hart)].flush = (struct text_flush){.requester = f->requester,
                                                               .stamp = clock_now(a),
                                                               .pc = f->pc,
                                                               .cycle = f->cycle,
                                                               .step = f->step};
}

static void note_call(struct fence_rules *r, const struct sbi_event *e)
{
    enum { SBI_RFENCE = 0x52464e43, REMOTE_FENCE_I = 0 };

    if (e->extension == SBI_RFENCE && e->function == REMOTE_FENCE_I)
        r->harts[hart_id(e->hart)].call =
            (struct fence_call){.stamp = clock_now(r->audit),
                                .pc = hart_pc(e->hart),
                                .cycle = hart_cycles(e->hart),
                                .step = cluster_steps(r->audit->config.cluster),
                                .mask = hart_reg(e->hart, REG_A0),
                                .base = hart_reg(e->hart, REG_A0 + 1)};
}

const struct fence_call *fence_rules_call(const struct audit *a, uint32_t hart)
{
    const struct fence_rules *r = a->rules[FAMILY_fence];

    return &r->harts[hart].call;
}

const struct text_flush *fence_rules_flush_instead(const struct audit *a,
                                                   const struct stale_fetch *s)
{
    const struct fence_rules *r = a->rules[FAMILY_fence];
    const struct text_flush *flush = &r->harts[hart_id(s->hart)].flush;
    bool is_one = s->agent_known && s->who.kind == WRITER_HART && flush->stamp >= s->stamp &&
                  flush->requester == s->who.hart;

    return is_one ? flush : NULL;
}

/* ---- updates that no fence has ended ---- */

/*
 * A kernel that announces nothing, and has no known lock, has done with an update that has had no
 * store for so long.
 */
enum { OPEN_CYCLES = 100 * 1000 };

/* Code that a hart has in an old version when the run ends. */
struct old_code {
    uint32_t hart;
    uint64_t pa;
    struct hart_parcel parcel;
};

struct old_list {
    const struct audit *audit;
    const struct hart *hart;
    VEC_OF(struct old_code) all;
};

/* Whether the bytes are code of the kernel that is in use: of its text, or of a site. */
static bool is_live_text(const struct audit *a, uint64_t pa)
{
    return (a->config.text && text_map_has(a->config.text, pa, 2)) ||
           site_find(a->config.sites, pa, 2) != NO_SITE;
}

/* Whether the writer has done with the update of the store: it does not just go on to a fence. */
static bool is_done(const struct audit *a, const struct writer *who, uint64_t stamp)
{
    const struct updates *u = a->config.updates;
    uint64_t now = 0, cycle;

    if (updates_ended(u, who->hart, stamp))
        return true;
    if (updates_is_guarded(u, who->hart))
        return false;
    for (uint32_t i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        cycle = hart_cycles(cluster_hart(a->config.cluster, i));
        now = cycle > now ? cycle : now;
    }
    return now > who->cycle && now - who->cycle > OPEN_CYCLES;
}

static void note_old(void *ctx, uint64_t pa)
{
    struct old_list *list = ctx;
    struct old_code old = {.hart = hart_id(list->hart), .pa = pa};

    if (hart_look_at(list->hart, pa, &old.parcel) && old.parcel.stale && old.parcel.old_known &&
        old.parcel.writer_known && old.parcel.who.kind == WRITER_HART &&
        is_live_text(list->audit, pa) && is_done(list->audit, &old.parcel.who, old.parcel.stamp))
        VEC_PUSH(&list->all, old);
}

static int by_stamp(const void *a, const void *b)
{
    const struct old_code *x = a, *y = b;

    if (x->parcel.stamp != y->parcel.stamp)
        return x->parcel.stamp < y->parcel.stamp ? -1 : 1;
    if (x->hart != y->hart)
        return x->hart < y->hart ? -1 : 1;
    return (x->pa > y->pa) - (x->pa < y->pa);
}

static void add_versions(struct finding *f, uint64_t va, const struct old_code *old, size_t count)
{
    struct fact *former = audit_fact(f, LABEL_OLD, FACT_BYTES);
    struct fact *memory = audit_fact(f, LABEL_IN_MEMORY, FACT_BYTES);

    former->va = memory->va = va;
    former->size = memory->size = (uint8_t)(2 * count);
    for (size_t i = 0; i < count; i++) {
        memcpy(former->bytes + 2 * i, &old[i].parcel.former, 2);
        memcpy(memory->bytes + 2 * i, &old[i].parcel.memory, 2);
    }
}

/* The number of the first ones that are side by side, of one hart and one store. */
static size_t count_adjacent(const struct old_code *old, size_t left)
{
    size_t n = 1;

    while (n < left && n < FACT_BYTES_MAX / 2 && old[n].hart == old->hart &&
           old[n].parcel.stamp == old->parcel.stamp && old[n].pa == old->pa + 2 * n)
        n++;
    return n;
}

/* Reports the code at these places, which are side by side. */
static void report_old(struct audit *a, const struct old_code *old, size_t count)
{
    const struct hart *h = cluster_hart(a->config.cluster, old->hart);
    const struct patch_fence *last = patch_log_last_fence(a->config.log, old->hart);
    uint32_t site = site_find(a->config.sites, old->pa, 2);
    uint64_t va = site == NO_SITE ? text_map_va(a->config.text, old->pa)
                                  : site_get(a->config.sites, site)->va +
                                        (old->pa - site_get(a->config.sites, site)->pa);
    const struct breach b = {.rule = RULE_open_update,
                             .hart = old->hart,
                             .site = site,
                             .pc = va,
                             .cycle = hart_cycles(h),
                             .cause =
                                 audit_cause(RULE_open_update, audit_patcher(a, &old->parcel.who))};
    struct finding *f = audit_add(a, &b);
    struct fact *fact;

    if (!f)
        return;
    audit_fact_site(f, site);
    if (last) {
        fact = audit_fact(f, LABEL_FENCED, FACT_FENCE);
        fact->hart = old->hart;
        fact->requester = last->requester;
        fact->pc = last->pc;
        fact->cycle = last->cycle;
        fact->step = last->step;
    }
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = old->parcel.who;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    add_versions(f, va, old, count);
    audit_fact_message(f, LABEL_EXECUTED,
                       hart_has_fetched_stale(h, old->pa) ? MESSAGE_RUN : MESSAGE_NOT_RUN);
    fact = audit_fact(f, LABEL_MISSING, FACT_UNFENCED);
    fact->hart = old->hart;
    if (!last)
        fact->message = MESSAGE_NEVER;
    audit_fact_order(f);
}

/* Whether a missing fence was found already, by what came of it. */
static bool is_known_to_miss_fences(const struct audit *a)
{
    for (size_t i = 0; i < a->findings.len; i++) {
        enum rule rule = a->findings.at[i].rule;

        if ((rule_family(rule) == FAMILY_fetch && rule_severity(rule) == SEVERITY_error) ||
            rule == RULE_wrong_fence || rule == RULE_fence_deadlock)
            return true;
    }
    return false;
}

/*
 * At the end of the run: code that a hart has in an old version, although its writer has done with
 * the update. Nothing has come of it so far. A hart that is in its firmware fetches nothing.
 */
static void look_for_old(struct audit *a)
{
    struct old_list list = {.audit = a};

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        list.hart = cluster_hart(a->config.cluster, i);
        if (hart_sync_stamp(list.hart) != UINT64_MAX &&
            !(a->harts[i].left_m_mode && hart_mode(list.hart) == PRIV_M))
            hart_each_old(list.hart, note_old, &list);
    }
    if (list.all.len && !is_known_to_miss_fences(a)) {
        qsort(list.all.at, list.all.len, sizeof *list.all.at, by_stamp);
        for (size_t i = 0, count; i < list.all.len; i += count) {
            count = count_adjacent(&list.all.at[i], list.all.len - i);
            report_old(a, &list.all.at[i], count);
        }
    }
    VEC_FREE(&list.all);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct fence_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    return r;
}

static void destroy(void *rules)
{
    struct fence_rules *r = rules;

    free(r->harts);
    free(r);
}

/* In a deadlock of two harts nothing happens any more: a trap of a third one shows it, or the end.
 */
static void on_event(void *rules, const struct event *e)
{
    struct fence_rules *r = rules;

    switch (e->kind) {
    case EVENT_FENCE_I: check_fence(r, &e->fence); break;
    case EVENT_SFENCE_VMA: note_flush(r, &e->fence); break;
    case EVENT_SBI_CALL: note_call(r, &e->sbi); break;
    case EVENT_SATP: r->harts[hart_id(e->satp.hart)].satp_cycle = hart_cycles(e->satp.hart); break;
    case EVENT_IPI_SENT:
        send(r, &e->ipi);
        begin_wait(r, &e->ipi);
        break;
    case EVENT_IPI_TAKEN:
        take(r, e->ipi.hart);
        r->harts[hart_id(e->ipi.hart)].wait.sent = false;
        break;
    case EVENT_TRAP:
        if (r->waits)
            look_for_deadlocks(r);
        break;
    case EVENT_TRAP_RETURN: leave_handler(r, e->trap_return.hart); break;
    default: break;
    }
}

static void end(void *rules)
{
    struct fence_rules *r = rules;

    look_for_deadlocks(r);
    look_for_old(r->audit);
}

static void hart_io(struct state_io *io, struct fenced_hart *h)
{
    STATE_IO(io, h->request.hart);
    STATE_IO(io, h->request.pc);
    STATE_IO(io, h->request.cycle);
    STATE_IO(io, h->request.step);
    STATE_IO(io, h->request.sent);
    STATE_IO(io, h->request.taken);
    STATE_IO(io, h->satp_cycle);
    STATE_IO(io, h->wait.hart);
    STATE_IO(io, h->wait.pc);
    STATE_IO(io, h->wait.cycle);
    STATE_IO(io, h->wait.step);
    STATE_IO(io, h->wait.since);
    STATE_IO(io, h->wait.sent);
    STATE_IO(io, h->call.stamp);
    STATE_IO(io, h->call.pc);
    STATE_IO(io, h->call.cycle);
    STATE_IO(io, h->call.step);
    STATE_IO(io, h->call.mask);
    STATE_IO(io, h->call.base);
    STATE_IO(io, h->flush.requester);
    STATE_IO(io, h->flush.stamp);
    STATE_IO(io, h->flush.pc);
    STATE_IO(io, h->flush.cycle);
    STATE_IO(io, h->flush.step);
}

static void state_io(struct state_io *io, void *rules)
{
    struct fence_rules *r = rules;

    state_io_section(io, "fence-rules", 3);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        hart_io(io, &r->harts[i]);
    STATE_IO(io, r->waits);
}

const struct rule_family fence_family = {
    .create = create, .destroy = destroy, .event = on_event, .end = end, .state_io = state_io};
