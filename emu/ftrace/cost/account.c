/*
 * account.c - see account.h.
 *
 * Each site has two probes. The first, at the pair, is counted by the block when the pair
 * is nops, and calls back when it is a call. The second, at the instruction after the
 * call, calls back only where a block starts there, because a call returns to the start
 * of a block; a block that runs through nops has it in its middle.
 *
 * With a core model the first probe is also charged with the site's bytes. Those in which a block
 * begins, as the `ld ra` to which the call of `pfe16` returns, or the second half of a site in two
 * pages, are charged from there on; and the `mv a0,ra` of `mcount` by a third probe. A block ends
 * with its page, and is kept while what the hart fetches of the next one changes: so what a site in
 * two pages is, or one behind the page of its `mv`, is found out when the hart comes to it, and
 * what was charged until then is its share.
 *
 * Durations are measured by the clock of a context: a task of the guest, identified by its
 * tp, or the hart where tp is 0. A context's clock runs while a hart runs it, and stops
 * while the task is preempted or moves to another hart. The context of a hart is
 * determined at each event here, and exactly at the kernel's __switch_to if the image has
 * it. Otherwise the time between the last event of one context and the first event
 * of the next belongs to no context.
 */
#include "ftrace/cost/account.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/sites/site_probes.h"

/* If a context has more open calls, the oldest one is dropped: it will not return. */
enum { OPEN_MAX = 512 };

/* If there are more contexts, all are dropped: tasks have ended, or tp does not identify tasks. */
enum { CONTEXTS_MAX = 4096 };

/* The probes of a site, in this order. */
enum { AT_SITE, AT_RESUME, AT_RA_COPY, PROBES_OF_SITE };

struct through {
    uint64_t resumed, sum, min, max;
};

struct counts {
    uint64_t tally[SITE_STATES][PROBE_TALLY]; /* cycles only with a core model */
    uint64_t pending[PROBE_TALLY]; /* charged before it was known in which state the site is */
    struct through init, on;
};

/* An open call, which did not return yet. Times are of its context's clock. */
struct open_call {
    uint32_t site;
    uint8_t state;
    uint64_t sp, time;
    uint64_t away; /* time in traps since then */
};

/* An interrupted pc, until a trap returns to it. */
struct interrupted {
    uint64_t pc, sp, time;
    uint64_t inner; /* time in nested traps, already subtracted */
};

struct context {
    uint64_t ran;   /* its clock: the cycles that it ran until `since` */
    uint64_t since; /* its hart's cycle counter at its last event */
    uint32_t hart;  /* the hart that ran it last */
    VEC_OF(struct open_call) open;
    VEC_OF(struct interrupted) interrupted;
};

struct account {
    struct cluster *cluster;
    const struct site_table *sites;
    struct probe_owner owner;
    struct charge_owner within;
    struct counts *counts; /* of the first `first_count` sites */
    VEC_OF(struct counts *)
    added; /* of each added site; allocated one by one, as blocks point to
              them */
    uint32_t first_count;
    VEC_OF(struct context) contexts;
    struct map context_at; /* task -> index of its context */
    uint32_t *running;     /* by hart: index of the context that it runs, + 1; 0: none */
    struct kernel_probes *at_switch;
    struct site_probes *probes;
};

static struct counts *counts_of(const struct account *a, uint32_t site)
{
    return site < a->first_count ? &a->counts[site] : a->added.at[site - a->first_count];
}

/* ---- contexts ---- */

static void forget_contexts(struct account *a)
{
    for (size_t i = 0; i < a->contexts.len; i++) {
        VEC_FREE(&a->contexts.at[i].open);
        VEC_FREE(&a->contexts.at[i].interrupted);
    }
    a->contexts.len = 0;
    map_clear(&a->context_at);
    for (unsigned i = 0; i < cluster_hart_count(a->cluster); i++)
        a->running[i] = 0;
}

static uint32_t index_of(struct account *a, uint64_t task, const struct hart *h)
{
    /* Hart numbers + 1 are not addresses of tasks; all ones is not a valid key of a map. */
    uint64_t key = task && task != UINT64_MAX ? task : (uint64_t)hart_id(h) + 1, index;

    if (map_get(&a->context_at, key, &index))
        return (uint32_t)index;
    if (a->contexts.len == CONTEXTS_MAX)
        forget_contexts(a);
    map_put(&a->context_at, key, a->contexts.len);
    VEC_PUSH(&a->contexts, ((struct context){0}));
    return (uint32_t)a->contexts.len - 1;
}

/* Makes the task the hart's context, if it is not yet, and brings its clock up to date. */
static struct context *run_task(struct account *a, uint64_t task, const struct hart *h)
{
    uint32_t index = index_of(a, task, h), *running = &a->running[hart_id(h)];
    struct context *c = &a->contexts.at[index];
    uint64_t now = hart_cycles(h);

    if (*running == index + 1 && c->hart == hart_id(h))
        c->ran += now - c->since;
    *running = index + 1;
    c->hart = hart_id(h);
    c->since = now;
    return c;
}

static struct context *present_context(struct account *a, const struct hart *h)
{
    return run_task(a, hart_reg(h, REG_TP), h);
}

/* Ends the hart's context when it enters a user program. */
static void leave_context(struct account *a, const struct hart *h)
{
    uint32_t *running = &a->running[hart_id(h)];
    struct context *c = *running ? &a->contexts.at[*running - 1] : NULL;

    if (c && c->hart == hart_id(h))
        c->ran += hart_cycles(h) - c->since;
    *running = 0;
}

/* ---- probes ---- */

/* Whether no block contains the whole site. */
static bool is_in_two_pages(const struct site *s)
{
    return s->pa % PAGE_BYTES + s->size > PAGE_BYTES;
}

/* Whether no block contains both the `mv a0,ra` and the site's first instruction. */
static bool is_apart(const struct site *s)
{
    uint64_t in_page = s->pa % PAGE_BYTES;

    return s->ra_copy && (in_page < s->ra_copy || in_page > PAGE_BYTES - 4);
}

/* Whether cycles are charged to the site before its state is known. */
static bool is_found_late(const struct account *a, const struct site *s)
{
    return cluster_has_core(a->cluster) && (is_apart(s) || is_in_two_pages(s));
}

static enum site_state state_now(const struct account *a, const struct site *s, struct hart *h,
                                 uint64_t pc)
{
    uint8_t bytes[SITE_BYTES_MAX];

    for (unsigned i = 0; i < s->size; i += 2) {
        struct hart_parcel parcel;
        uint64_t pa;

        if (!hart_translate(h, pc + i, ACCESS_FETCH, &pa) || !hart_look_at(h, pa, &parcel))
            return SITE_OTHER;
        bytes[i] = (uint8_t)parcel.fetched;
        bytes[i + 1] = (uint8_t)(parcel.fetched >> 8);
    }
    return site_state(a->sites, s, bytes, NULL);
}

/* Called when a hart comes to the site in this state. */
static void take_pending(struct counts *counts, enum site_state state)
{
    for (unsigned i = 0; i < PROBE_TALLY; i++) {
        counts->tally[state][i] += counts->pending[i];
        counts->pending[i] = 0;
    }
}

static struct probe_plan plan(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct account *a = ctx;
    uint32_t site = id / PROBES_OF_SITE;
    const struct site *s = site_get(a->sites, site);
    enum site_state state;
    struct probe_plan result = {.action = PROBE_CALL};

    if (s->gone)
        return (struct probe_plan){.action = PROBE_IGNORE};
    switch (id % PROBES_OF_SITE) {
    case AT_RESUME:
        return (struct probe_plan){.action = code->starts_block ? PROBE_CALL : PROBE_IGNORE};
    case AT_RA_COPY:
        state = site_state_fetched(a->sites, s, code, -(int)s->ra_copy);
        return (struct probe_plan){.action = PROBE_CHARGE,
                                   .counter = is_found_late(a, s)
                                                  ? counts_of(a, site)->pending
                                                  : counts_of(a, site)->tally[state],
                                   .charged_bytes = 1}; /* the instruction that begins there */
    default: break;
    }
    if (cluster_has_core(a->cluster))
        result.charged_bytes = s->size;
    if (is_in_two_pages(s)) {
        result.counter = counts_of(a, site)->pending;
        return result;
    }
    state = site_state_fetched(a->sites, s, code, 0);
    result.cookie = (uint8_t)state;
    result.counter = counts_of(a, site)->tally[state];
    if (!site_calls(a->sites, s, state) && !is_found_late(a, s))
        result.action = PROBE_COUNT;
    return result;
}

static bool is_within(void *ctx, uint64_t pa)
{
    const struct account *a = ctx;
    uint32_t site = site_find(a->sites, pa, 1);

    return site != NO_SITE && site_get(a->sites, site)->pa != pa;
}

static struct charge plan_within(void *ctx, const struct probe_code *code)
{
    struct account *a = ctx;
    uint32_t site = site_find(a->sites, code->pa, 1);
    const struct site *s = site_get(a->sites, site);
    unsigned offset = (unsigned)(code->pa - s->pa);
    enum site_state state = site_state_fetched(a->sites, s, code, (int)offset);

    return (struct charge){counts_of(a, site)->tally[state], s->size - offset};
}

static void drop_call(struct context *c, size_t index)
{
    for (c->open.len--; index < c->open.len; index++)
        c->open.at[index] = c->open.at[index + 1];
}

static void enter(struct account *a, uint32_t site, enum site_state state, struct hart *h)
{
    struct context *c = present_context(a, h);

    if (!cluster_has_core(a->cluster)) /* else its block counts it */
        counts_of(a, site)->tally[state][TALLY_ENTRIES]++;
    if (c->open.len == OPEN_MAX)
        drop_call(c, 0);
    VEC_PUSH(
        &c->open,
        ((struct open_call){
            .site = site, .state = (uint8_t)state, .sp = hart_reg(h, REG_SP), .time = c->ran}));
}

static void add_through(struct through *t, uint64_t cycles)
{
    if (!t->resumed || cycles < t->min)
        t->min = cycles;
    if (cycles > t->max)
        t->max = cycles;
    t->resumed++;
    t->sum += cycles;
}

static void resume(struct account *a, uint32_t site, struct hart *h)
{
    struct context *c = present_context(a, h);
    uint64_t sp = hart_reg(h, REG_SP);

    for (size_t i = c->open.len; i-- > 0;) {
        const struct open_call *o = &c->open.at[i];
        struct counts *counts = counts_of(a, site);

        if (o->site != site || o->sp != sp)
            continue;
        add_through(o->state == SITE_INIT ? &counts->init : &counts->on,
                    c->ran - o->time - o->away);
        drop_call(c, i);
        return;
    }
}

static void reach(struct account *a, uint32_t site, enum site_state state, struct hart *h,
                  uint64_t pc)
{
    const struct site *s = site_get(a->sites, site);

    if (is_in_two_pages(s))
        state = state_now(a, s, h, pc);
    if (is_found_late(a, s))
        take_pending(counts_of(a, site), state);
    if (site_calls(a->sites, s, state))
        enter(a, site, state, h);
    else if (!cluster_has_core(a->cluster)) /* it is in two pages */
        counts_of(a, site)->tally[state][TALLY_ENTRIES]++;
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    if (id % PROBES_OF_SITE == AT_RESUME)
        resume(ctx, id / PROBES_OF_SITE, h);
    else
        reach(ctx, id / PROBES_OF_SITE, (enum site_state)cookie, h, pc);
    return PROBE_GO_ON;
}

static void on_switch(void *ctx, unsigned which, struct hart *h)
{
    struct account *a = ctx;

    (void)which;
    (void)present_context(a, h);
    (void)run_task(a, hart_reg(h, REG_A1), h);
}

/* ---- traps: their time is subtracted from open calls ---- */

/* Whether the stack pointers are so near to each other that they are taken for one stack's. */
static bool same_stack(uint64_t outer_sp, uint64_t inner_sp)
{
    return outer_sp >= inner_sp && outer_sp - inner_sp < TASK_STACK_BYTES;
}

void account_trap(struct account *a, const struct trap_event *t)
{
    struct context *c;

    if (t->from == PRIV_U)
        return;
    c = present_context(a, t->hart);
    if (!c->open.len)
        return;
    if (c->interrupted.len == OPEN_MAX)
        c->interrupted.len = 0;
    VEC_PUSH(&c->interrupted,
             ((struct interrupted){.pc = t->epc, .sp = hart_reg(t->hart, REG_SP), .time = c->ran}));
}

/* Subtracts the time since the interruption from all calls that were open then. */
static void take_out(struct context *c, size_t index)
{
    struct interrupted gone = c->interrupted.at[index];
    uint64_t whole = c->ran - gone.time;

    for (size_t i = 0; i < c->open.len; i++)
        if (c->open.at[i].time <= gone.time && same_stack(c->open.at[i].sp, gone.sp))
            c->open.at[i].away += whole - gone.inner;
    for (size_t i = index; i-- > 0;)
        if (same_stack(c->interrupted.at[i].sp, gone.sp)) {
            c->interrupted.at[i].inner += whole;
            break;
        }
    for (c->interrupted.len--; index < c->interrupted.len; index++)
        c->interrupted.at[index] = c->interrupted.at[index + 1];
}

void account_trap_return(struct account *a, const struct trap_return_event *t)
{
    uint64_t sp = hart_reg(t->hart, REG_SP);
    struct context *c;

    if (t->to == PRIV_U) {
        leave_context(a, t->hart);
        return;
    }
    c = present_context(a, t->hart);
    for (size_t i = c->interrupted.len; i-- > 0;) {
        const struct interrupted *in = &c->interrupted.at[i];

        /* A handler that emulates an instruction returns to the next one. */
        if (in->sp == sp && (in->pc == t->pc || in->pc + 4 == t->pc)) {
            take_out(c, i);
            return;
        }
    }
}

/* ---- probes of the sites ---- */

static bool place(void *ctx, const struct site *s, unsigned which, uint64_t *pa)
{
    const struct account *a = ctx;

    *pa = which == AT_SITE     ? s->pa
          : which == AT_RESUME ? s->pa + site_resume_offset(a->sites, s)
                               : s->pa - s->ra_copy;
    return which != AT_RA_COPY || (s->ra_copy && cluster_has_core(a->cluster));
}

static void on_change(void *ctx, uint32_t id)
{
    struct account *a = ctx;

    if (!site_get(a->sites, id)->gone)
        VEC_PUSH(&a->added, xcalloc(1, sizeof(struct counts)));
    site_probes_changed(a->probes, id);
}

struct account *account_new(struct cluster *c, const struct image *im,
                            const struct symbols *symbols, struct site_table *sites)
{
    struct account *a = xcalloc(1, sizeof *a);
    uint32_t count = (uint32_t)site_count(sites);

    a->cluster = c;
    a->sites = sites;
    a->owner = (struct probe_owner){a, plan, hit};
    a->within = (struct charge_owner){a, is_within, plan_within};
    a->counts = xcalloc(count, sizeof *a->counts);
    a->running = xcalloc(cluster_hart_count(c), sizeof *a->running);
    a->first_count = count;
    a->probes = site_probes_new(&(struct site_probes_config){.cluster = c,
                                                             .sites = sites,
                                                             .owner = &a->owner,
                                                             .per_site = PROBES_OF_SITE,
                                                             .place = place,
                                                             .ctx = a});
    if (cluster_has_core(c))
        cluster_charge(c, &a->within);
    site_table_listen(sites, (struct site_listener){on_change, a});
    a->at_switch = kernel_probes_at_switch(c, im, symbols, on_switch, a);
    return a;
}

void account_free(struct account *a)
{
    if (!a)
        return;
    cluster_uncharge(a->cluster, &a->within);
    site_probes_free(a->probes);
    for (size_t i = 0; i < a->added.len; i++)
        free(a->added.at[i]);
    VEC_FREE(&a->added);
    kernel_probes_free(a->at_switch);
    forget_contexts(a);
    VEC_FREE(&a->contexts);
    map_free(&a->context_at);
    free(a->counts);
    free(a->running);
    free(a);
}

static void add_cost(struct site_cost *cost, const struct cluster *c, unsigned op)
{
    struct op_cost one = cluster_op_cost(c, op);

    cost->issue += one.issue;
    cost->data += one.data;
    cost->branch += one.branch;
}

/* The operations of a site in this state; the list ends with OP_COUNT. */
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
    if (state == SITE_INIT) /* compressed nops */
        return end - s->size / 2;
    if (site_is_atomic(a->sites, s))
        return half;
    return end - s->size / 4;
}

/* `mv a0,ra` before the pair is charged in every state. */
static struct site_cost cost_of(const struct account *a, uint32_t site, enum site_state state)
{
    const struct site *s = site_get(a->sites, site);
    struct site_cost cost = {0};

    if (s->ra_copy)
        add_cost(&cost, a->cluster, OP_addi);
    for (const unsigned *op = ops_of(a, s, state); *op != OP_COUNT; op++)
        add_cost(&cost, a->cluster, *op);
    return cost;
}

static struct site_cost times(struct site_cost cost, uint64_t n)
{
    return (struct site_cost){cost.issue * n, cost.fetch * n, cost.data * n, cost.branch * n};
}

static struct site_cost per(struct site_cost cost, uint64_t n)
{
    if (!n)
        return (struct site_cost){0};
    return (struct site_cost){(cost.issue + n / 2) / n, (cost.fetch + n / 2) / n,
                              (cost.data + n / 2) / n, (cost.branch + n / 2) / n};
}

struct state_account account_get(const struct account *a, uint32_t site, enum site_state state)
{
    const struct counts *counts = counts_of(a, site);
    const struct through *t = state == SITE_INIT ? &counts->init : &counts->on;
    const uint64_t *tally = counts->tally[state];
    struct state_account result = {.entries = tally[TALLY_ENTRIES]};

    if (cluster_has_core(a->cluster)) {
        result.parts = site_cost_of_tally(tally);
        result.cost = per(result.parts, result.entries);
    } else {
        result.cost = cost_of(a, site, state);
        result.parts = times(result.cost, result.entries);
    }
    result.cycles = site_cost_sum(result.parts);
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
    return (unsigned)(sizeof(struct site) + sizeof(struct counts));
}

/* ---- state ---- */

/* Saved as raw bytes, because there are many; they hold numbers only. */
_Static_assert(sizeof(struct counts) == ((SITE_STATES + 1) * PROBE_TALLY + 2 * 4) * 8,
               "no padding");

static void open_call_io(struct state_io *io, struct open_call *o)
{
    STATE_IO(io, o->site);
    STATE_IO_BELOW(io, o->state, SITE_STATES);
    STATE_IO(io, o->sp);
    STATE_IO(io, o->time);
    STATE_IO(io, o->away);
}

static void interrupted_io(struct state_io *io, struct interrupted *i)
{
    STATE_IO(io, i->pc);
    STATE_IO(io, i->sp);
    STATE_IO(io, i->time);
    STATE_IO(io, i->inner);
}

static void context_io(struct state_io *io, struct context *c)
{
    STATE_IO(io, c->ran);
    STATE_IO(io, c->since);
    STATE_IO(io, c->hart);
    STATE_IO_VEC(io, &c->open, OPEN_MAX, open_call_io);
    STATE_IO_VEC(io, &c->interrupted, OPEN_MAX, interrupted_io);
}

static void contexts_io(struct state_io *io, struct account *a)
{
    if (io->loading)
        forget_contexts(a);
    STATE_IO_VEC(io, &a->contexts, CONTEXTS_MAX, context_io);
    state_io_map(io, &a->context_at);
    for (size_t i = 0; i < a->context_at.cap; i++)
        if (a->context_at.slots[i].key != UINT64_MAX &&
            a->context_at.slots[i].value >= a->contexts.len)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    for (unsigned i = 0; i < cluster_hart_count(a->cluster); i++)
        STATE_IO_BELOW(io, a->running[i], a->contexts.len + 1);
}

static void added_io(struct state_io *io, struct account *a)
{
    size_t count = site_count(a->sites) - a->first_count;

    while (io->loading && a->added.len)
        free(a->added.at[--a->added.len]);
    for (size_t i = 0; i < count; i++) {
        if (io->loading)
            VEC_PUSH(&a->added, xcalloc(1, sizeof(struct counts)));
        state_io_bytes(io, a->added.at[i], sizeof(struct counts));
    }
    if (io->loading) /* the table may have had others since the state was saved */
        site_probes_restored(a->probes);
}

/* A kernel has tens of thousands of sites, and most of them were never executed. */
static void counts_io(struct state_io *io, struct counts *counts)
{
    static const struct counts none;
    bool was_used = memcmp(counts, &none, sizeof none) != 0, used = was_used;

    STATE_IO(io, used);
    if (used)
        state_io_bytes(io, counts, sizeof *counts);
    else if (was_used)
        *counts = none;
}

void account_state_io(struct state_io *io, struct account *a)
{
    state_io_section(io, "account", 5);
    STATE_IO_SAME(io, a->first_count);
    for (uint32_t i = 0; i < a->first_count; i++)
        counts_io(io, &a->counts[i]);
    added_io(io, a);
    contexts_io(io, a);
}
