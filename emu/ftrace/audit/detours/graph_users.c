/*
 * graph_users.c - see graph_users.h.
 *
 * A call is known by its task and the depth of the return stack that its entry there has. While
 * calls are followed, all of them are; when the number of those that may be looked at is used up,
 * all are forgotten. So an entry that is found is of the call that returns, and of no earlier one.
 */
#include "ftrace/audit/detours/graph_users.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/tasks.h"

/* Calls of entry and return functions that are looked at after each change. */
enum { HITS_MAX = 512 };

/* Return functions that one call may have; what is followed at one time. */
enum { RETURNS_MAX = 4, FOLLOWED_MAX = 1024 };

/*
 * Calls of tracers in which the task was switched, that are kept; instructions from the begin of a
 * site until it calls the tracer.
 */
enum { DELAYED_MAX = 64, SITE_INSNS_MAX = 4 };

/* How often each of some return functions has to be, or was called. */
struct tally {
    uint64_t ret[RETURNS_MAX];
    uint32_t count[RETURNS_MAX], len;
    bool odd; /* there are more, or which of them is not known */
};

/* A tracer's detour in which entry functions are called. */
struct asking {
    uint32_t hart;
    uint64_t sp, step;
    struct tally accepted;
};

/* A call of an entry function that has not returned yet; `step' is when its detour began. */
struct question {
    uint32_t hart;
    uint64_t sp, entry, step;
};

/* A call on a return stack. */
struct pushed {
    uint64_t tp;
    int32_t depth;
    struct tally accepted;
};

/* A call that returns. */
struct returning {
    uint32_t hart;
    bool is_known;          /* it was seen when it began */
    uint64_t sp, step, age; /* age: the step of its begin; 0: not known */
    struct tally due, called;
};

/* A registered tracer. */
struct user {
    struct ftrace_graph graph;
    uint64_t absent; /* a step at which it was not registered, before it was */
};

struct graph_users {
    struct audit *audit;
    const struct detour *(*running)(void *ctx, const struct hart *h);
    void *ctx;
    struct probe_owner at_entry, at_answer, at_return;
    VEC_OF(uint32_t) probes;
    VEC_OF(uint64_t) answers; /* addresses to which entry functions return: each has a probe */
    struct user users[FTRACE_GRAPHS_MAX];   /* by place */
    uint64_t registered[FTRACE_GRAPHS_MAX]; /* the steps of the newest registrations, the last first
                                             */
    VEC_OF(struct asking) asking;
    VEC_OF(struct question) questions;
    VEC_OF(struct pushed) pushed;
    VEC_OF(struct returning) returning;
    uint64_t changed, since; /* the steps of the last change, and when the probes were planted */
    uint64_t
        delayed[DELAYED_MAX]; /* the steps of calls of tracers in which the task was switched */
    uint32_t delayed_at;      /* the oldest of these */
    uint32_t hits_left;
    bool armed;
};

/* ---- tallies ---- */

static uint32_t *count_of(struct tally *t, uint64_t ret)
{
    for (uint32_t i = 0; i < t->len; i++)
        if (t->ret[i] == ret)
            return &t->count[i];
    if (t->len == RETURNS_MAX)
        return NULL;
    t->ret[t->len] = ret;
    t->count[t->len] = 0;
    return &t->count[t->len++];
}

static uint32_t counted(const struct tally *t, uint64_t ret)
{
    for (uint32_t i = 0; i < t->len; i++)
        if (t->ret[i] == ret)
            return t->count[i];
    return 0;
}

static void add_to(struct tally *t, uint64_t ret)
{
    uint32_t *count = ret ? count_of(t, ret) : NULL;

    if (count)
        ++*count;
    else
        t->odd = true;
}

/* ---- tracers ---- */

/* The return function of all tracers with this entry function; 0: there are several. */
static uint64_t return_of(const struct graph_users *g, uint64_t entry)
{
    uint64_t ret = 0;

    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        const struct ftrace_graph *user = &g->users[i].graph;

        if (!user->at || user->entry != entry)
            continue;
        if (ret && ret != user->ret)
            return 0;
        ret = user->ret;
    }
    return ret;
}

/*
 * Whether the kernel may tell the tracer of all returns: Linux uses the bit of the first place as a
 * mark of entries that are no tail calls, and sets it always.
 */
static bool is_told_always(const struct graph_users *g, uint64_t ret)
{
    return g->users[0].graph.is_linux && g->users[0].graph.at && g->users[0].graph.ret == ret;
}

/*
 * Whether each place may have been taken since that step: places are taken in turn, so an entry of
 * a return stack that is older than that may name the place of a tracer of today.
 */
static bool all_places_taken(const struct graph_users *g, uint64_t step)
{
    unsigned taken = 0;

    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        taken += g->registered[i] > step;
        taken +=
            g->users[i].graph.at && g->users[i].absent <= step; /* it has its place all the time */
    }
    return taken >= FTRACE_GRAPHS_MAX;
}

/*
 * Whether the tracer of the function that began at that step may have got on long after it: its
 * entry function may be one that was registered meanwhile.
 */
static bool is_delayed(const struct graph_users *g, uint64_t step)
{
    for (unsigned i = 0; i < DELAYED_MAX; i++)
        if (g->delayed[i] && g->delayed[i] - step <= SITE_INSNS_MAX)
            return true;
    return false;
}

void graph_users_delayed(struct graph_users *g, const struct detour *d)
{
    g->delayed[g->delayed_at] = d->step;
    g->delayed_at = (g->delayed_at + 1) % DELAYED_MAX;
}

/* Whether no tracer with this return function was registered at that step. */
static bool is_younger(const struct graph_users *g, uint64_t ret, uint64_t step)
{
    bool any = false;

    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        const struct user *user = &g->users[i];

        if (!user->graph.at || user->graph.ret != ret)
            continue;
        if (user->absent <= step)
            return false;
        any = true;
    }
    return any && !all_places_taken(g, step) && !is_delayed(g, step);
}

/* ---- begin and end ---- */

static void forget(struct graph_users *g)
{
    for (size_t i = 0; i < g->probes.len; i++)
        cluster_uproot(g->audit->config.cluster, g->probes.at[i]);
    g->probes.len = g->answers.len = 0;
    g->asking.len = g->questions.len = g->pushed.len = g->returning.len = 0;
    g->armed = false;
}

static void note_registration(struct graph_users *g, uint64_t step)
{
    memmove(&g->registered[1], &g->registered[0], sizeof g->registered - sizeof *g->registered);
    g->registered[0] = step;
}

void graph_users_changed(struct graph_users *g, struct hart *h)
{
    struct ftrace_records *records = g->audit->config.records;
    struct ftrace_graph now[FTRACE_GRAPHS_MAX];

    if (!records || !ftrace_records_known(records) || !ftrace_records_graphs(records, h, now))
        return;
    forget(g);
    g->hits_left = HITS_MAX;
    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        struct user *user = &g->users[i];

        if (now[i].at != user->graph.at) {
            user->absent = g->changed;
            if (now[i].at)
                note_registration(g, cluster_steps(g->audit->config.cluster));
        }
        user->graph = now[i];
    }
    g->changed = cluster_steps(g->audit->config.cluster);
}

bool graph_users_follows(const struct graph_users *g)
{
    return g->hits_left;
}

/* Counts a call that is looked at; false: they were too many. */
static bool take_hit(struct graph_users *g)
{
    if (!g->hits_left)
        return false;
    g->hits_left--;
    if (g->hits_left)
        return true;
    forget(g);
    return false;
}

static void plant(struct graph_users *g, struct hart *h, uint64_t va, struct probe_owner *owner)
{
    uint64_t pa;

    if (hart_translate(h, va, ACCESS_FETCH, &pa))
        VEC_PUSH(&g->probes, cluster_plant(g->audit->config.cluster, pa, owner, 0));
}

/* Whether a tracer in a place before this one has the same function. */
static bool is_entry_before(const struct graph_users *g, unsigned place)
{
    for (unsigned i = 0; i < place; i++)
        if (g->users[i].graph.at && g->users[i].graph.entry == g->users[place].graph.entry)
            return true;
    return false;
}

static bool is_return_before(const struct graph_users *g, unsigned place)
{
    for (unsigned i = 0; i < place; i++)
        if (g->users[i].graph.at && g->users[i].graph.ret == g->users[place].graph.ret)
            return true;
    return false;
}

static void plant_all(struct graph_users *g, struct hart *h)
{
    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        const struct ftrace_graph *user = &g->users[i].graph;

        if (user->at && !is_entry_before(g, i))
            plant(g, h, user->entry, &g->at_entry);
        if (user->at && !is_return_before(g, i))
            plant(g, h, user->ret, &g->at_return);
    }
    for (size_t i = 0; i < g->answers.len; i++)
        plant(g, h, g->answers.at[i], &g->at_answer);
}

static void arm(struct graph_users *g, struct hart *h, bool anew)
{
    if (!audit_translates(h))
        return;
    plant_all(g, h);
    g->armed = true;
    if (anew)
        g->since = cluster_steps(g->audit->config.cluster);
    if (!g->probes.len) /* no graph tracer is registered */
        g->hits_left = 0;
}

/* ---- entry functions ---- */

static struct asking *asking_in(struct graph_users *g, const struct detour *d)
{
    for (size_t i = g->asking.len; i-- > 0;)
        if (g->asking.at[i].sp == d->sp && g->asking.at[i].step == d->step)
            return &g->asking.at[i];
    return NULL;
}

static void plant_answer(struct graph_users *g, struct hart *h, uint64_t va)
{
    for (size_t i = 0; i < g->answers.len; i++)
        if (g->answers.at[i] == va)
            return;
    VEC_PUSH(&g->answers, va);
    plant(g, h, va, &g->at_answer);
}

/* An entry function is called. */
static enum probe_verdict hit_entry(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                    uint64_t pc)
{
    struct graph_users *g = ctx;
    const struct detour *d = g->running(g->ctx, h);

    (void)id;
    (void)cookie;
    if (!d || d->kind != CALL_TRACER || d->step < g->since || !take_hit(g) ||
        g->asking.len == FOLLOWED_MAX || g->questions.len == FOLLOWED_MAX)
        return PROBE_GO_ON;
    if (!asking_in(g, d))
        VEC_PUSH(&g->asking, ((struct asking){.hart = d->hart, .sp = d->sp, .step = d->step}));
    VEC_PUSH(&g->questions,
             ((struct question){
                 .hart = hart_id(h), .sp = hart_reg(h, REG_SP), .entry = pc, .step = d->step}));
    plant_answer(g, h, hart_reg(h, REG_RA));
    return PROBE_GO_ON;
}

static bool take_question(struct graph_users *g, const struct hart *h, struct question *q)
{
    for (size_t i = g->questions.len; i-- > 0;)
        if (g->questions.at[i].hart == hart_id(h) && g->questions.at[i].sp == hart_reg(h, REG_SP)) {
            *q = g->questions.at[i];
            g->questions.at[i] = g->questions.at[--g->questions.len];
            return true;
        }
    return false;
}

/* It has returned: whether it accepts the call is the result, an int. */
static enum probe_verdict hit_answer(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                     uint64_t pc)
{
    struct graph_users *g = ctx;
    struct question q;

    (void)id;
    (void)cookie;
    (void)pc;
    if (!take_question(g, h, &q) || !(uint32_t)hart_reg(h, REG_A0))
        return PROBE_GO_ON;
    for (size_t i = g->asking.len; i-- > 0;)
        if (g->asking.at[i].step == q.step && g->asking.at[i].hart == q.hart) {
            add_to(&g->asking.at[i].accepted, return_of(g, q.entry));
            break;
        }
    return PROBE_GO_ON;
}

/* ---- breaches ---- */

static void report(struct graph_users *g, struct hart *h, const struct detour *d, uint64_t ret,
                   enum message wrong)
{
    struct finding *f = detour_report(g->audit, RULE_wrong_tracer, wrong, d, h);

    if (!f)
        return;
    audit_fact_message(f, LABEL_WRONG, wrong);
    if (ret)
        audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = ret;
    audit_fact_task(g->audit, f, h);
    audit_fact_order(f);
}

/* ---- return functions ---- */

static struct returning *returning_in(struct graph_users *g, const struct detour *d)
{
    for (size_t i = g->returning.len; i-- > 0;)
        if (g->returning.at[i].sp == d->sp && g->returning.at[i].step == d->step)
            return &g->returning.at[i];
    return NULL;
}

static void judge_return(struct graph_users *g, struct hart *h, const struct detour *d,
                         struct returning *r, uint64_t pc)
{
    add_to(&r->called, pc);
    if (r->is_known && !r->due.odd &&
        counted(&r->called, pc) > counted(&r->due, pc) + is_told_always(g, pc))
        report(g, h, d, pc, MESSAGE_RETURN_UNWANTED);
    else if (!r->is_known && r->age && !is_told_always(g, pc) && is_younger(g, pc, r->age))
        report(g, h, d, pc, MESSAGE_RETURN_OLDER);
}

/* A return function is called. */
static enum probe_verdict hit_return(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                     uint64_t pc)
{
    struct graph_users *g = ctx;
    const struct detour *d = g->running(g->ctx, h);
    struct returning *r = d && d->kind == CALL_RETURN && take_hit(g) ? returning_in(g, d) : NULL;

    (void)id;
    (void)cookie;
    if (r)
        judge_return(g, h, d, r, pc);
    return PROBE_GO_ON;
}

/* ---- detours ---- */

/* Takes the call with this entry on the task's return stack; false: its begin was not seen. */
static bool take_pushed(struct graph_users *g, uint64_t tp, int32_t depth, struct tally *accepted)
{
    for (size_t i = g->pushed.len; i-- > 0;)
        if (g->pushed.at[i].tp == tp && g->pushed.at[i].depth == depth) {
            *accepted = g->pushed.at[i].accepted;
            g->pushed.at[i] = g->pushed.at[--g->pushed.len];
            return true;
        }
    return false;
}

void graph_users_enter(struct graph_users *g, struct hart *h, const struct call *call,
                       const struct detour *d, const struct task_counts *counts)
{
    struct returning r = {.hart = d->hart, .sp = d->sp, .step = d->step, .age = call->called_step};

    if (!g->armed)
        arm(g, h, !g->since || g->since <= g->changed);
    if (d->kind != CALL_RETURN || !g->armed || !counts->has_depth ||
        g->returning.len == FOLLOWED_MAX)
        return;
    r.is_known = take_pushed(g, d->regs[REG_TP], counts->depth, &r.due);
    VEC_PUSH(&g->returning, r);
}

/* Notes what was accepted, if the call is on the return stack now. */
static void note_pushed(struct graph_users *g, struct hart *h, const struct detour *d,
                        const struct task_counts *counts)
{
    struct asking *a = asking_in(g, d);
    struct tally accepted;

    if (!d->has_depth || !counts->has_depth || counts->depth <= d->depth) {
        if (a)
            *a = g->asking.at[--g->asking.len];
        return;
    }
    (void)take_pushed(g, d->regs[REG_TP], counts->depth, &accepted); /* an older one */
    if (!a)
        return;
    accepted = a->accepted;
    *a = g->asking.at[--g->asking.len];
    if (!accepted.len && !accepted.odd)
        report(g, h, d, 0, MESSAGE_RETURN_NOBODY);
    if (g->pushed.len < FOLLOWED_MAX)
        VEC_PUSH(&g->pushed, ((struct pushed){d->regs[REG_TP], counts->depth, accepted}));
}

static void judge_end(struct graph_users *g, struct hart *h, const struct detour *d,
                      const struct returning *r)
{
    for (uint32_t i = 0; i < r->due.len; i++)
        if (counted(&r->called, r->due.ret[i]) < r->due.count[i]) {
            report(g, h, d, r->due.ret[i], MESSAGE_RETURN_LEFT_OUT);
            return;
        }
}

void graph_users_leave(struct graph_users *g, struct hart *h, const struct detour *d,
                       const struct task_counts *counts, bool alone)
{
    struct returning *r, ended;

    if (!g->armed)
        return;
    if (d->kind == CALL_TRACER) {
        if (d->step >= g->since)
            note_pushed(g, h, d, counts);
        return;
    }
    r = returning_in(g, d);
    if (!r)
        return;
    ended = *r;
    *r = g->returning.at[--g->returning.len];
    if (ended.is_known && !ended.due.odd && !ended.called.odd && alone &&
        detour_is_unswitched(g->audit, h, d->hart, d->switches))
        judge_end(g, h, d, &ended);
}

/* ---- the whole, and its state ---- */

struct graph_users *
graph_users_new(struct audit *a, const struct detour *(*running)(void *ctx, const struct hart *h),
                void *ctx)
{
    struct graph_users *g = xcalloc(1, sizeof *g);

    g->audit = a;
    g->running = running;
    g->ctx = ctx;
    g->at_entry = (struct probe_owner){g, NULL, hit_entry};
    g->at_answer = (struct probe_owner){g, NULL, hit_answer};
    g->at_return = (struct probe_owner){g, NULL, hit_return};
    return g;
}

void graph_users_free(struct graph_users *g)
{
    if (!g)
        return;
    forget(g);
    VEC_FREE(&g->probes);
    VEC_FREE(&g->answers);
    VEC_FREE(&g->asking);
    VEC_FREE(&g->questions);
    VEC_FREE(&g->pushed);
    VEC_FREE(&g->returning);
    free(g);
}

static void tally_io(struct state_io *io, struct tally *t)
{
    STATE_IO_BELOW(io, t->len, RETURNS_MAX + 1);
    STATE_IO(io, t->odd);
    for (uint32_t i = 0; i < RETURNS_MAX; i++) {
        STATE_IO(io, t->ret[i]);
        STATE_IO(io, t->count[i]);
    }
}

static void asking_io(struct state_io *io, struct asking *a)
{
    STATE_IO(io, a->hart);
    STATE_IO(io, a->sp);
    STATE_IO(io, a->step);
    tally_io(io, &a->accepted);
}

static void question_io(struct state_io *io, struct question *q)
{
    STATE_IO(io, q->hart);
    STATE_IO(io, q->sp);
    STATE_IO(io, q->entry);
    STATE_IO(io, q->step);
}

static void pushed_io(struct state_io *io, struct pushed *p)
{
    STATE_IO(io, p->tp);
    STATE_IO(io, p->depth);
    tally_io(io, &p->accepted);
}

static void returning_io(struct state_io *io, struct returning *r)
{
    STATE_IO(io, r->hart);
    STATE_IO(io, r->is_known);
    STATE_IO(io, r->sp);
    STATE_IO(io, r->step);
    STATE_IO(io, r->age);
    tally_io(io, &r->due);
    tally_io(io, &r->called);
}

static void answer_io(struct state_io *io, uint64_t *va)
{
    STATE_IO(io, *va);
}

/* Probes are planted again at the next detour. */
void graph_users_state_io(struct state_io *io, struct graph_users *g)
{
    state_io_section(io, "graph users", 2);
    if (io->loading)
        forget(g);
    for (unsigned i = 0; i < FTRACE_GRAPHS_MAX; i++) {
        STATE_IO(io, g->users[i].graph.at);
        STATE_IO(io, g->users[i].graph.entry);
        STATE_IO(io, g->users[i].graph.ret);
        STATE_IO(io, g->users[i].graph.is_linux);
        STATE_IO(io, g->users[i].absent);
        STATE_IO(io, g->registered[i]);
    }
    STATE_IO(io, g->changed);
    STATE_IO(io, g->since);
    STATE_IO(io, g->hits_left);
    for (unsigned i = 0; i < DELAYED_MAX; i++)
        STATE_IO(io, g->delayed[i]);
    STATE_IO_BELOW(io, g->delayed_at, DELAYED_MAX);
    STATE_IO_VEC(io, &g->answers, FOLLOWED_MAX, answer_io);
    STATE_IO_VEC(io, &g->asking, FOLLOWED_MAX, asking_io);
    STATE_IO_VEC(io, &g->questions, FOLLOWED_MAX, question_io);
    STATE_IO_VEC(io, &g->pushed, FOLLOWED_MAX, pushed_io);
    STATE_IO_VEC(io, &g->returning, FOLLOWED_MAX, returning_io);
}
