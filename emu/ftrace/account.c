/*
 * account.c - see account.h.
 *
 * Two probes a site. The one at the pair counts in the block when the pair is
 * nops, and calls here when it is a call. The one behind the call calls here
 * only where a block starts, for that is where a call comes back to; a block
 * that merely runs through the nops has it in its middle.
 */
#include "ftrace/account.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/isa.h"

/* A stack is taken to be no larger than this when contexts are told apart by sp. */
enum { STACK_SPAN = 16 << 10 };

/* More open calls than that on one hart: the oldest came from contexts that never return. */
enum { OPEN_MAX = 512 };

struct through {
    uint64_t resumed, sum;
    uint32_t min, max;
};

struct counts {
    uint64_t entries[SITE_STATES];
    struct through init, on;
};

/* A call under way: entered, not yet back. */
struct open_call {
    uint32_t site;
    uint8_t state;
    uint64_t sp, cycle;
    uint64_t away; /* cycles spent in traps since */
};

/* An interrupted context, until a trap return comes back to it. */
struct interrupted {
    uint64_t pc, sp, cycle;
    uint64_t inner; /* cycles of traps inside this one, already taken out */
};

struct hart_calls {
    VEC_OF(struct open_call) open;
    VEC_OF(struct interrupted) interrupted;
};

struct account {
    struct cluster *cluster;
    const struct site_table *sites;
    struct probe_owner owner;
    struct counts *counts;         /* of the first `first_count` sites */
    VEC_OF(struct counts *) added; /* of each that has come since: blocks point to counts */
    uint32_t first_count;
    struct hart_calls *harts;
    unsigned hart_count;
    VEC_OF(uint32_t) probes; /* two a site */
};

static struct counts *counts_of(const struct account *a, uint32_t site)
{
    return site < a->first_count ? &a->counts[site] : a->added.at[site - a->first_count];
}

/* ---- probes ---- */

static struct probe_plan plan(void *ctx, uint32_t id, const struct probe_view *view)
{
    struct account *a = ctx;
    uint32_t site = id / 2;
    enum site_state state;

    if (site_get(a->sites, site)->gone)
        return (struct probe_plan){.action = PROBE_IGNORE};
    if (id % 2)
        return (struct probe_plan){.action = view->starts_block ? PROBE_CALL : PROBE_IGNORE};
    state = site_state_fetched(a->sites, site_get(a->sites, site), view, 0);
    if (!site_calls(a->sites, site_get(a->sites, site), state))
        return (struct probe_plan){.action = PROBE_COUNT,
                                   .counter = &counts_of(a, site)->entries[state]};
    return (struct probe_plan){.action = PROBE_CALL, .cookie = (uint8_t)state};
}

static void enter(struct account *a, uint32_t site, enum site_state state, struct hart *h)
{
    struct hart_calls *calls = &a->harts[hart_id(h)];

    counts_of(a, site)->entries[state]++;
    if (calls->open.len == OPEN_MAX) {
        calls->open.len--;
        for (size_t i = 0; i < calls->open.len; i++)
            calls->open.at[i] = calls->open.at[i + 1];
    }
    VEC_PUSH(&calls->open, ((struct open_call){.site = site,
                                               .state = (uint8_t)state,
                                               .sp = hart_reg(h, REG_SP),
                                               .cycle = hart_cycles(h)}));
}

static void add_through(struct through *t, uint64_t cycles)
{
    uint32_t c = cycles > UINT32_MAX ? UINT32_MAX : (uint32_t)cycles;

    if (!t->resumed || c < t->min)
        t->min = c;
    if (c > t->max)
        t->max = c;
    t->resumed++;
    t->sum += cycles;
}

static void resume(struct account *a, uint32_t site, struct hart *h)
{
    struct hart_calls *calls = &a->harts[hart_id(h)];
    uint64_t sp = hart_reg(h, REG_SP);

    for (size_t i = calls->open.len; i-- > 0;) {
        struct open_call *o = &calls->open.at[i];
        struct counts *counts = counts_of(a, site);

        if (o->site != site || o->sp != sp)
            continue;
        add_through(o->state == SITE_INIT ? &counts->init : &counts->on,
                    hart_cycles(h) - o->cycle - o->away);
        for (calls->open.len--; i < calls->open.len; i++)
            calls->open.at[i] = calls->open.at[i + 1];
        return;
    }
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    (void)pc;
    if (id % 2)
        resume(ctx, id / 2, h);
    else
        enter(ctx, id / 2, (enum site_state)cookie, h);
    return PROBE_GO_ON;
}

/* ---- traps are not part of the call ---- */

static bool same_stack(uint64_t outer_sp, uint64_t inner_sp)
{
    return outer_sp >= inner_sp && outer_sp - inner_sp < STACK_SPAN;
}

void account_trap(struct account *a, const struct trap_event *t)
{
    struct hart_calls *calls = &a->harts[hart_id(t->hart)];

    if (!calls->open.len)
        return;
    if (calls->interrupted.len == OPEN_MAX)
        calls->interrupted.len = 0;
    VEC_PUSH(&calls->interrupted,
             ((struct interrupted){
                 .pc = t->epc, .sp = hart_reg(t->hart, REG_SP), .cycle = hart_cycles(t->hart)}));
}

/* The time since the context was interrupted belongs to none of its open calls. */
static void take_out(struct hart_calls *calls, size_t index, uint64_t now)
{
    struct interrupted gone = calls->interrupted.at[index];
    uint64_t whole = now - gone.cycle;

    for (size_t i = 0; i < calls->open.len; i++)
        if (calls->open.at[i].cycle <= gone.cycle && same_stack(calls->open.at[i].sp, gone.sp))
            calls->open.at[i].away += whole - gone.inner;
    for (size_t i = index; i-- > 0;)
        if (same_stack(calls->interrupted.at[i].sp, gone.sp)) {
            calls->interrupted.at[i].inner += whole;
            break;
        }
    for (calls->interrupted.len--; index < calls->interrupted.len; index++)
        calls->interrupted.at[index] = calls->interrupted.at[index + 1];
}

void account_trap_return(struct account *a, const struct trap_return_event *t)
{
    struct hart_calls *calls = &a->harts[hart_id(t->hart)];
    uint64_t sp = hart_reg(t->hart, REG_SP);

    for (size_t i = calls->interrupted.len; i-- > 0;) {
        const struct interrupted *in = &calls->interrupted.at[i];

        /* A handler that emulates an instruction returns behind it. */
        if (in->sp == sp && (in->pc == t->pc || in->pc + 4 == t->pc)) {
            take_out(calls, i, hart_cycles(t->hart));
            return;
        }
    }
}

/* ---- life ---- */

static void plant(struct account *a, uint32_t site)
{
    const struct site *s = site_get(a->sites, site);
    uint64_t resume = s->pa + site_resume_offset(a->sites, s);

    VEC_PUSH(&a->probes, cluster_plant(a->cluster, s->pa, &a->owner, 2 * site));
    VEC_PUSH(&a->probes, cluster_plant(a->cluster, resume, &a->owner, 2 * site + 1));
}

/* Of one that is gone the blocks are decoded anew, for it was stored to, and then it is ignored. */
static void on_change(void *ctx, uint32_t id)
{
    struct account *a = ctx;

    if (site_get(a->sites, id)->gone)
        return;
    VEC_PUSH(&a->added, xcalloc(1, sizeof(struct counts)));
    plant(a, id);
}

struct account *account_new(struct cluster *c, struct site_table *sites)
{
    struct account *a = xcalloc(1, sizeof *a);
    uint32_t count = (uint32_t)site_count(sites);

    a->cluster = c;
    a->sites = sites;
    a->owner = (struct probe_owner){a, plan, hit};
    a->counts = xcalloc(count, sizeof *a->counts);
    a->hart_count = cluster_hart_count(c);
    a->harts = xcalloc(a->hart_count, sizeof *a->harts);
    a->first_count = count;
    for (uint32_t i = 0; i < count; i++)
        plant(a, i);
    site_table_listen(sites, (struct site_listener){on_change, a});
    return a;
}

void account_free(struct account *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->probes.len; i++)
        cluster_uproot(a->cluster, a->probes.at[i]);
    for (size_t i = 0; i < a->added.len; i++)
        free(a->added.at[i]);
    VEC_FREE(&a->added);
    for (unsigned i = 0; i < a->hart_count; i++) {
        VEC_FREE(&a->harts[i].open);
        VEC_FREE(&a->harts[i].interrupted);
    }
    free(a->counts);
    VEC_FREE(&a->probes);
    free(a->harts);
    free(a);
}

static void add_cost(struct site_cost *cost, const struct cluster *c, unsigned op)
{
    struct op_cost one = cluster_op_cost(c, op);

    cost->issue = (uint16_t)(cost->issue + one.issue);
    cost->data = (uint16_t)(cost->data + one.data);
    cost->branch = (uint16_t)(cost->branch + one.branch);
}

/* The instructions of a site, in its state, up to the end of the list. */
static const unsigned *ops_of(const struct account *a, const struct site *s, enum site_state state)
{
    static const unsigned nops[] = {OP_addi, OP_addi, OP_addi, OP_addi, OP_addi,
                                    OP_addi, OP_addi, OP_addi, OP_COUNT};
    static const unsigned call[] = {OP_auipc, OP_jalr, OP_COUNT};
    static const unsigned half[] = {OP_auipc, OP_addi, OP_COUNT};
    static const unsigned saved[] = {OP_sd, OP_auipc, OP_jalr, OP_ld, OP_COUNT};
    const unsigned *end = nops + ARRAY_LEN(nops) - 1;

    if (site_calls(a->sites, s, state))
        return s->size == SITE_BYTES ? call : saved;
    if (state == SITE_INIT) /* compressed */
        return end - s->size / 2;
    if (site_is_atomic(a->sites, s))
        return half;
    return end - s->size / 4;
}

/* `mv a0,ra` belongs to a function's site in every state. */
static struct site_cost cost_of(const struct account *a, uint32_t site, enum site_state state)
{
    const struct site *s = site_get(a->sites, site);
    struct site_cost cost = {0};

    if (s->passes_ra)
        add_cost(&cost, a->cluster, OP_addi);
    for (const unsigned *op = ops_of(a, s, state); *op != OP_COUNT; op++)
        add_cost(&cost, a->cluster, *op);
    return cost;
}

struct state_account account_get(const struct account *a, uint32_t site, enum site_state state)
{
    const struct counts *counts = counts_of(a, site);
    const struct through *t = state == SITE_INIT ? &counts->init : &counts->on;
    struct state_account result = {.entries = counts->entries[state],
                                   .cost = cost_of(a, site, state)};

    result.cycles = result.entries * (uint64_t)(result.cost.issue + result.cost.fetch +
                                                result.cost.data + result.cost.branch);
    if (state == SITE_INIT || state == SITE_ON) {
        result.resumed = t->resumed;
        result.through_sum = t->sum;
        result.through_min = t->min;
        result.through_max = t->max;
    }
    return result;
}

unsigned account_bytes_per_site(void)
{
    return (unsigned)(sizeof(struct site) + sizeof(struct counts) + 2 * cluster_probe_bytes());
}
