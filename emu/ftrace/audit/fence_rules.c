/*
 * fence_rules.c - the rules about fences that were executed, but not as the protocol needs them:
 * the wrong one, too early, or asked for with nothing to order the request after the stores.
 *
 * A missing fence is found by the fetch that comes without it (fetch_rules.c). If there was a fence
 * of another kind, or one before the last store, the breach has the name of that mistake.
 */
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "mem/bus.h"

enum { CSR_SSTATUS = 0x100, SSTATUS_SIE = 2 };

/* A hart that has interrupts off for so long does not take a request in time. */
enum { DEADLOCK_CYCLES = 10 * 1000 * 1000 };

/*
 * A flush of translations that belongs to a store comes that soon after it, in the writer's cycles;
 * one that belongs to another page table that soon after that.
 */
enum { FLUSH_CYCLES = 10 * 1000, SWITCH_CYCLES = 100 };

/* ---- the order of stores and requests ---- */

/* The last store to text of a hart, and its request of a fence.i after it. */
static void add_request(struct finding *f, const struct text_store *last, uint32_t hart,
                        uint64_t pc, uint64_t cycle)
{
    struct fact *fact;

    audit_fact_site(f, last->site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer =
        (struct writer){WRITER_HART, hart, last->pc, last->cycle};
    fact = audit_fact(f, LABEL_REQUESTED, FACT_MOMENT);
    fact->hart = hart;
    fact->pc = pc;
    fact->cycle = cycle;
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
        .cause = audit_cause(RULE_unordered_remote_fence, audit_function(a, r->pc))};
    struct finding *f = audit_add(a, &b);
    struct fact *fact;

    if (!f)
        return;
    add_request(f, last, r->hart, r->pc, r->cycle);
    if (fence->origin == FENCE_LOCAL) { /* in the handler of the interrupt */
        fact = audit_fact(f, LABEL_FENCED, FACT_FENCE);
        fact->hart = fact->requester = hart_id(fence->hart);
        fact->pc = fence->pc;
        fact->cycle = fence->cycle;
    }
    audit_fact_message(f, LABEL_MISSING, MESSAGE_DATA_FENCE);
    audit_fact_order(f);
}

/* Whether the hart has stored to text, and executed nothing since that orders its stores. */
static bool has_unordered_text(const struct audit *a, uint32_t hart)
{
    return a->harts[hart].text.stamp && hart_awaits_order(cluster_hart(a->config.cluster, hart));
}

static void check_fence(struct audit *a, const struct fence_event *f)
{
    struct audited_hart *h = &a->harts[hart_id(f->hart)];
    struct fence_request request = {.hart = f->requester, .pc = f->pc, .cycle = f->cycle};

    if (f->origin == FENCE_LOCAL) {
        if (h->request.taken)
            report_unordered(a, &h->request, f);
        h->request = (struct fence_request){0};
    } else if (f->requester != hart_id(f->hart) && has_unordered_text(a, f->requester)) {
        report_unordered(a, &request, f);
    }
}

/* An interrupt asks for a fence if its handler executes one. */
static void send(struct audit *a, const struct ipi_event *i)
{
    struct fence_request *request = &a->harts[hart_id(i->hart)].request;

    if (!i->sender || i->sender == i->hart || request->taken)
        return;
    *request = (struct fence_request){0};
    if (has_unordered_text(a, hart_id(i->sender)))
        *request = (struct fence_request){.hart = hart_id(i->sender),
                                          .pc = hart_pc(i->sender),
                                          .cycle = hart_cycles(i->sender),
                                          .sent = true};
}

void rule_unordered_remote_fence(struct audit *a, const struct event *e)
{
    switch (e->kind) {
    case EVENT_FENCE_I: check_fence(a, &e->fence); break;
    case EVENT_IPI_SENT: send(a, &e->ipi); break;
    case EVENT_IPI_TAKEN: {
        struct fence_request *request = &a->harts[hart_id(e->ipi.hart)].request;

        request->taken = request->sent;
        break;
    }
    case EVENT_TRAP_RETURN: {
        struct fence_request *request = &a->harts[hart_id(e->trap_return.hart)].request;

        if (request->taken)
            *request = (struct fence_request){0};
        break;
    }
    default: break;
    }
}

/* ---- requests that nobody answers ---- */

static bool has_interrupts_off(struct hart *h)
{
    uint64_t status;

    return hart_mode(h) == PRIV_S && hart_waits_for(h) == HART_WAITS_NOT &&
           hart_csr(h, CSR_SSTATUS, &status) && !(status & SSTATUS_SIE);
}

/* Both harts run with interrupts off: one waits for an answer, the other never sees the question.
 */
static bool is_deadlock(const struct audit *a, uint32_t hart)
{
    const struct fence_wait *w = &a->harts[hart].wait;
    struct hart *h = cluster_hart(a->config.cluster, hart);

    return w->sent && hart_cycles(h) - w->since > DEADLOCK_CYCLES && has_interrupts_off(h) &&
           has_interrupts_off(cluster_hart(a->config.cluster, w->hart)) &&
           updates_is_open(a->config.updates, w->hart);
}

static void report_deadlock(struct audit *a, uint32_t hart)
{
    const struct fence_wait *w = &a->harts[hart].wait;
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
    add_request(f, last, w->hart, w->pc, w->cycle);
    audit_fact_moment(f, LABEL_WAITING, asks, hart_pc(asks));
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    audit_fact_message(f, LABEL_MISSING, MESSAGE_INTERRUPTS_OFF);
    audit_fact_order(f);
}

static void look_for_deadlocks(struct audit *a)
{
    for (uint32_t i = 0; i < cluster_hart_count(a->config.cluster); i++)
        if (is_deadlock(a, i)) {
            report_deadlock(a, i);
            a->harts[i].wait.sent = false;
        }
}

/* A hart whose update is open sends an interrupt to another one. */
static void begin_wait(struct audit *a, const struct ipi_event *i)
{
    struct fence_wait *w = &a->harts[hart_id(i->hart)].wait;

    if (!i->sender || i->sender == i->hart || w->sent ||
        !updates_is_open(a->config.updates, hart_id(i->sender)))
        return;
    *w = (struct fence_wait){.hart = hart_id(i->sender),
                             .pc = hart_pc(i->sender),
                             .cycle = hart_cycles(i->sender),
                             .since = hart_cycles(i->hart),
                             .sent = true};
    a->waits = true;
}

/* In a deadlock of two harts nothing happens any more; it is seen by a third one, or at the end. */
void rule_fence_deadlock(struct audit *a, const struct event *e)
{
    switch (e->kind) {
    case EVENT_IPI_SENT: begin_wait(a, &e->ipi); break;
    case EVENT_IPI_TAKEN: a->harts[hart_id(e->ipi.hart)].wait.sent = false; break;
    default:
        if (a->waits)
            look_for_deadlocks(a);
        break;
    }
}

void fence_rules_end(struct audit *a)
{
    look_for_deadlocks(a);
}

/* ---- fences of the wrong kind ---- */

static bool is_code(const struct audit *a, struct hart *h, uint64_t va)
{
    uint64_t pa;

    return hart_translate(h, va, ACCESS_FETCH, &pa) &&
           bus_ram_at(cluster_bus(a->config.cluster), pa);
}

/* The hart's own sfence.vma: of all addresses, or of one where code is, and not of the alias. */
static bool covers_code(const struct audit *a, const struct fence_event *f)
{
    uint64_t alias = a->harts[f->requester].text.alias;

    return !f->one_address ||
           (f->va / PAGE_BYTES != alias / PAGE_BYTES && is_code(a, f->hart, f->va));
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
static bool has_switched(const struct audit *a, const struct fence_event *f)
{
    const struct audited_hart *h = &a->harts[f->requester];

    return h->satp_cycle && f->cycle - h->satp_cycle <= SWITCH_CYCLES;
}

/*
 * Remembers a flush of translations that may have been meant for code: the writer's first one after
 * its store, except of the address through which it wrote, which is no code.
 */
void rule_wrong_fence(struct audit *a, const struct event *e)
{
    const struct fence_event *f = &e->fence;
    const struct text_store *text;
    struct hart *requester;

    if (e->kind == EVENT_SATP) {
        a->harts[hart_id(e->satp.hart)].satp_cycle = hart_cycles(e->satp.hart);
        return;
    }
    text = &a->harts[f->requester].text;
    requester = cluster_hart(a->config.cluster, f->requester);
    if (has_switched(a, f) || !text->stamp || f->cycle - text->cycle > FLUSH_CYCLES)
        return;
    if (f->origin == FENCE_LOCAL ? covers_code(a, f) : request_covers_code(a, requester))
        a->harts[hart_id(f->hart)].flush = (struct text_flush){
            .requester = f->requester, .stamp = clock_now(a), .pc = f->pc, .cycle = f->cycle};
}

const struct text_flush *audit_flush_instead(const struct audit *a, const struct stale_fetch *s)
{
    const struct text_flush *flush = &a->harts[hart_id(s->hart)].flush;
    bool is_one = s->agent_known && s->who.kind == WRITER_HART && flush->stamp >= s->stamp &&
                  flush->requester == s->who.hart;

    return is_one ? flush : NULL;
}

/* ---- */

enum rule audit_name_fence(const struct audit *a, enum rule rule, const struct stale_fetch *s)
{
    const struct patch_fence *last = patch_log_last_fence(a->config.log, hart_id(s->hart));

    if (audit_flush_instead(a, s))
        return RULE_wrong_fence;
    if (last && last->stamp < s->stamp &&
        last->stamp >= updates_begun(a->config.updates, s->who.hart, s->stamp))
        return RULE_premature_fence;
    return rule;
}

/* ---- state ---- */

void fence_rules_state_io(struct state_io *io, struct audited_hart *h)
{
    STATE_IO(io, h->request.hart);
    STATE_IO(io, h->request.pc);
    STATE_IO(io, h->request.cycle);
    STATE_IO(io, h->request.sent);
    STATE_IO(io, h->request.taken);
    STATE_IO(io, h->satp_cycle);
    STATE_IO(io, h->wait.hart);
    STATE_IO(io, h->wait.pc);
    STATE_IO(io, h->wait.cycle);
    STATE_IO(io, h->wait.since);
    STATE_IO(io, h->wait.sent);
    STATE_IO(io, h->flush.requester);
    STATE_IO(io, h->flush.stamp);
    STATE_IO(io, h->flush.pc);
    STATE_IO(io, h->flush.cycle);
}
