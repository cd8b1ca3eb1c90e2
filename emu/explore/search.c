/*
 * search.c - see search.h.
 *
 * The machine stands at the beginning of the window. For each run whose turns are tried there is
 * one process, the walker, which repeats that run and stops where a turn begins; there it makes a
 * process for the turn, which runs on to the end of the window and sends its outcome.
 */
#include "explore/search.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "base/map.h"
#include "explore/acts.h"
#include "explore/last_line.h"
#include "explore/order.h"
#include "explore/outcome.h"
#include "explore/stops.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/order/races.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"
#include "machine/machine.h"
#include "machine/snapshot.h"

enum {
    STALL_MORE = 300 * 1000, /* instructions: the act for which a hart stalls may never come */
    TAIL = 300 * 1000, /* instructions that a run with turns executes after the window's end */
    KEPT_MORE = 10 * 1000 * 1000, /* after that, until a task goes on that was kept in a place */
    DEATH_MAX = 512,
    PART = 50 * 1000,                /* instructions between two checks of the findings */
    HOLD_CYCLES = 200 * 1000 * 1000, /* a task is kept in a place: if longer, it seems to hang */
    FOLLOWED = 16, /* runs of an update with turned acts in which data is followed: it takes time */
};

/* A run whose turns are tried. */
struct node {
    struct plan plan;
    char *stops; /* what its steps do, in words, a line each; NULL: it has none */
    struct turn_list turns;
    uint64_t more; /* turns that were left out, as there were too many */
    uint64_t salt; /* struct outcome */
};

struct search_state {
    const struct search_config *config;
    struct search *done;
    struct discoveries *found;
    struct map orders;               /* order_hash of runs that were made */
    struct map expected;             /* expected order_hash of turns that were taken */
    struct map known;                /* hashes of the keys of findings of the run of the seed */
    struct outcome seed;             /* the run of the seed */
    VEC_OF(struct outcome) outcomes; /* of the present walk */
    VEC_OF(struct node) now, next;
    uint64_t room;     /* turns that may still be tried after those of the present walk */
    unsigned followed; /* runs with turned acts in which data is followed */
    bool stopped;
};

static uint64_t hash_of(const char *key)
{
    return fnv1a(FNV1A_START, (const uint8_t *)key, strlen(key)) >> 1;
}

static uint64_t hash_of_plan(const struct plan *p)
{
    char line[PLAN_LINE];
    uint64_t hash = 0;

    for (size_t i = 0; i < p->steps.len; i++) {
        plan_write_step(line, &p->steps.at[i]);
        hash = hash * 31 + hash_of(line);
    }
    return hash;
}

static void copy_plan(struct plan *to, const struct plan *from)
{
    to->steps.len = 0;
    for (size_t i = 0; i < from->steps.len; i++)
        VEC_PUSH(&to->steps, from->steps.at[i]);
    to->data_from = from->data_from;
    to->data_until = from->data_until;
}

/* ---- one run, in its own process ---- */

struct one_run {
    const struct search_config *config;
    const struct map *known; /* as in struct search_state */
    struct plan plan;
    struct act until;
    bool waiting, met;        /* for `until'; it was done */
    const struct stops *kept; /* of a task that was kept in a place until that was done; or NULL */
};

static void on_act(void *ctx, const struct act *a)
{
    struct one_run *r = ctx;

    if (!r->waiting || !act_is(a, &r->until))
        return;
    r->met = true;
    machine_ask_stop(r->config->machine);
}

static void await_access(const struct one_run *r, bool on)
{
    if (r->until.kind != ACT_ACCESS)
        return;
    if (on)
        act_log_await(r->config->log, &r->until);
    else
        act_log_await_no_more(r->config->log);
}

/* Runs until the act is done for which the last step of the plan lasts, which has begun. */
static struct stop run_step(struct one_run *r)
{
    struct machine *m = r->config->machine;
    struct plan_step *step = &r->plan.steps.at[r->plan.steps.len - 1];
    uint64_t now;
    struct stop stop;

    r->waiting = true;
    act_log_listen(r->config->log, on_act, r);
    await_access(r, true);
    stop =
        machine_run_before(m, (r->until.insns > step->at ? r->until.insns : step->at) + STALL_MORE);
    r->waiting = false;
    await_access(r, false);
    now = machine_insns(m);
    step->until = now > step->at ? now : step->at + 1;
    machine_plan_changed(m);
    return stop;
}

/*
 * Runs until the task that the last step of the plan has interrupted is no longer kept in its
 * place: what is awaited was done, or does not come. Whenever the task is about to go on there, a
 * timer interrupts it again.
 */
static struct stop run_hold(struct one_run *r, struct stops *stops)
{
    struct machine *m = r->config->machine;
    uint64_t begun = machine_cycles(m), at = machine_insns(m), expected = r->until.insns;
    /* other tasks run in between, so what is awaited comes later than in the run before */
    uint64_t last = expected + STALL_MORE + (expected > at ? (expected - at) / 2 : 0);
    unsigned ticks = 0, hart;
    struct stop stop;

    r->waiting = true;
    act_log_listen(r->config->log, on_act, r);
    await_access(r, true);
    stops_hold(stops, true);
    do {
        stop = machine_run_before(m, last);
        if (stop.reason != STOP_ASKED || r->met || !stops_came_back(stops, &hart))
            break;
        VEC_PUSH(&r->plan.steps, ((struct plan_step){.kind = PLAN_TICK,
                                                     .hart = hart,
                                                     .at = machine_insns(m),
                                                     .until = UINT64_MAX,
                                                     .again = true}));
        machine_plan_changed(m);
    } while (++ticks < HOLD_TICKS && machine_cycles(m) - begun < HOLD_CYCLES);
    stops_hold(stops, false);
    await_access(r, false);
    r->waiting = false;
    r->kept = r->met ? stops : NULL;
    return stop;
}

static bool goes_on(struct stop stop)
{
    return stop.reason == STOP_INSNS || stop.reason == STOP_ASKED;
}

/* Whether the auditor has a finding that the run of the seed does not have. */
static bool has_news(const struct one_run *r)
{
    struct outcome o = {0};
    uint64_t seen;
    bool news = false;

    outcome_take_findings(&o, r->config->report);
    for (size_t i = 0; i < o.findings.len; i++)
        news |= !map_get(r->known, hash_of(o.findings.at[i].key), &seen);
    outcome_free(&o);
    return news;
}

/* Whether a task is still kept where it was stopped. */
static bool is_kept(const struct one_run *r)
{
    return r->kept && !stops_went_on(r->kept);
}

/*
 * Runs to TAIL and the lengths of the stalls after the end of the window, and until the task that
 * was kept in a place goes on; with turns, only until there is a new finding.
 */
static struct stop run_to_end(const struct one_run *r)
{
    const struct audit *a = watch_audit(r->config->report->watch);
    struct machine *m = r->config->machine;
    uint64_t end = r->config->end + TAIL, now = machine_insns(m), last;
    size_t count = 0;
    bool news = false;
    struct stop stop;

    for (size_t i = 0; i < r->plan.steps.len; i++)
        if (r->plan.steps.at[i].kind == PLAN_STALL)
            end += r->plan.steps.at[i].until - r->plan.steps.at[i].at;
    if (end < now + TAIL) /* a task was kept in its place for longer */
        end = now + TAIL;
    last = end + KEPT_MORE;
    do {
        now = machine_insns(m);
        stop = machine_run(m, now + PART < end ? now + PART : end, UINT64_MAX);
        if (r->plan.steps.len && audit_count(a) != count)
            news = has_news(r);
        count = audit_count(a);
        if (is_kept(r) && machine_insns(m) >= end && end < last)
            end += PART;
    } while (goes_on(stop) && machine_insns(m) < end && !news);
    return stop;
}

static char *died_of(const struct search_config *c, struct stop stop)
{
    char text[MACHINE_STUCK_TEXT];

    if (stop.reason == STOP_ASLEEP)
        return xstrdup("every hart waits for an interrupt that nothing can raise");
    if (stop.reason == STOP_EXIT)
        return xasprintf("it ended itself with status %u and `%s'", stop.code,
                         last_line(c->last_line));
    if (stop.reason != STOP_STUCK)
        return xstrdup("");
    machine_describe_stuck(c->machine, stop.hart, text);
    return xstrdup(text);
}

/* Fills in the hash and the turns of the acts of the run, whose plan is complete. */
static void take_acts(struct outcome *o, const struct search_config *c, uint64_t room)
{
    const struct act_list *acts = act_log_list(c->log);
    const struct audit *audit = watch_audit(c->report->watch);
    struct data_races races = {.salt = o->salt};
    uint64_t from = 0;
    size_t more = 0;

    for (size_t i = 0; i < o->plan.steps.len; i++) {
        const struct plan_step *step = &o->plan.steps.at[i];
        uint64_t end = plan_lasts(step->kind) ? step->until : step->at + 1;

        from = end > from ? end : from;
    }
    races.at = audit_races(audit, &races.count);
    o->races = races.count + audit_races_left_out(audit);
    o->acts = acts->acts.len;
    o->full = act_log_is_full(c->log);
    /* Runs whose acts are not all kept are equivalent to no other. */
    o->order = order_hash(acts) + o->salt + (o->full ? hash_of_plan(&o->plan) : 0);
    if (plan_depth(&o->plan) >= c->steps)
        return;
    o->interleavings = order_count_log10(acts);
    o->turns = order_turns(acts, &races, from, c->begin, room, &more);
    o->more_turns = more + audit_races_left_out(audit);
}

/* The lines of the plan's steps, one each but for those that do again what the one before did. */
static char *describe_stops(const struct one_run *r, const struct node *from,
                            const struct stops *stops)
{
    const struct plan_step *step = &r->plan.steps.at[r->plan.steps.len - 1];
    const struct act *met = r->met ? &r->until : NULL;
    char text[STOP_TEXT];

    if (step->kind == PLAN_TICK)
        stops_describe_tick(stops, met, text);
    else if (step->kind == PLAN_STALL)
        stops_describe_stall(stops, met, step->until - step->at, text);
    else
        stops_describe_late(stops, step, met, text);
    return from->stops ? xasprintf("%s\n%s", from->stops, text) : xstrdup(text);
}

/* Has data followed from the beginning of the window on, or not at all. */
static void follow_data(struct plan *plan, const struct search_config *c, bool on)
{
    plan->data_from = on ? c->begin : 0;
    plan->data_until = on ? UINT64_MAX : 0;
}

/* Takes the turn (NULL: none), runs, and sends the outcome. The machine stands at the turn. */
static void run_turn(const struct search_state *s, const struct node *from, const struct turn *turn,
                     uint64_t index, struct channel *out)
{
    const struct search_config *c = s->config;
    struct one_run r = {.config = c, .known = &s->known};
    struct outcome o = {0};
    struct stop stop = {.reason = STOP_INSNS};
    struct stops *stops = turn ? stops_new(c->machine, c->report, turn->hart) : NULL;

    last_line_clear(c->last_line); /* another run has written the line */
    copy_plan(&r.plan, &from->plan);
    if (turn)
        VEC_PUSH(&r.plan.steps, ((struct plan_step){.kind = turn->kind,
                                                    .hart = turn->hart,
                                                    .at = turn->at,
                                                    .until = UINT64_MAX,
                                                    .pc = turn->pc}));
    follow_data(&r.plan, c, !turn || turn->follow);
    machine_follow(c->machine, &r.plan);
    if (turn)
        r.until = turn->until;
    if (turn && plan_lasts(turn->kind))
        stop = run_step(&r);
    else if (turn && r.until.kind != ACT_KINDS)
        stop = run_hold(&r, stops);
    if (goes_on(stop))
        stop = run_to_end(&r);
    o.index = index;
    o.stops = stops ? describe_stops(&r, from, stops) : xstrdup("");
    if (r.plan.data_until)
        r.plan.data_until = machine_insns(c->machine) + 1;
    o.plan = r.plan;
    o.salt = from->salt + (turn && turn->until.kind == ACT_ACCESS ? turn->order : 0);
    take_acts(&o, c, s->room);
    o.reason = stop.reason;
    o.code = stop.code;
    o.died = died_of(c, stop);
    outcome_take_findings(&o, c->report);
    channel_send(out, &o);
}

/* ---- the walker ---- */

/* Makes a process that ends with the search, and that keys of the terminal do not reach. */
static pid_t make_process(void)
{
    static const int of_terminal[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU};
    pid_t parent = getpid(), made;

    fflush(NULL);
    made = fork();
    if (made == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(0);
        for (size_t i = 0; i < ARRAY_LEN(of_terminal); i++)
            signal(of_terminal[i], SIG_IGN);
    }
    return made;
}

static void walk(const struct search_state *s, const struct node *from, const struct turn *turns,
                 size_t count, struct channel *out)
{
    const struct search_config *c = s->config;
    struct plan plan = {0};
    unsigned running = 0;
    bool follow = false;

    for (size_t i = 0; i < count; i++)
        follow |= turns[i].follow;
    copy_plan(&plan, &from->plan);
    follow_data(&plan, c, follow);
    machine_follow(c->machine, &plan);
    for (size_t i = 0; i < count; i++) {
        struct stop stop = machine_run_before(c->machine, turns[i].at);
        pid_t made;

        if (stop.reason != STOP_INSNS || machine_insns(c->machine) != turns[i].at)
            break;
        if (running == c->jobs && wait(NULL) > 0)
            running--;
        made = make_process();
        if (made == 0) {
            run_turn(s, from, &turns[i], i, out);
            _exit(0);
        }
        running += made > 0;
    }
    while (wait(NULL) > 0)
        ;
}

/* ---- outcomes ---- */

static uint64_t stalled_insns(const struct plan *p)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < p->steps.len; i++)
        if (plan_lasts(p->steps.at[i].kind))
            sum += p->steps.at[i].until - p->steps.at[i].at;
    return sum;
}

static bool is_shorter(const struct plan *a, const struct plan *b)
{
    if (plan_depth(a) != plan_depth(b))
        return plan_depth(a) < plan_depth(b);
    if (stalled_insns(a) != stalled_insns(b))
        return stalled_insns(a) < stalled_insns(b);
    return a->steps.len < b->steps.len;
}

static struct discovery *discovery_with(struct discoveries *d, const char *key)
{
    for (size_t i = 0; i < d->list.len; i++)
        if (!strcmp(d->list.at[i].key, key))
            return &d->list.at[i];
    return NULL;
}

/* The rules about data need a run that follows data, which takes longer. */
static bool needs_data(unsigned rule)
{
    return rule_family((enum rule)rule) == FAMILY_publish;
}

static void take_plan(struct discovery *d, const struct search_state *s, const struct outcome *o)
{
    copy_plan(&d->plan, &o->plan);
    if (d->update != s->config->update)
        d->first = o == &s->seed ? 0 : s->done->runs + 1;
    d->update = s->config->update;
    if (d->died || !needs_data(d->rule))
        d->plan.data_from = d->plan.data_until = 0;
}

static void discover(struct search_state *s, const struct outcome *o, bool died, unsigned rule,
                     const char *key, const char *text)
{
    struct discovery *d = discovery_with(s->found, key);

    if (!d) {
        VEC_PUSH(&s->found->list, ((struct discovery){.died = died,
                                                      .rule = (enum rule)rule,
                                                      .key = xstrdup(key),
                                                      .text = xstrdup(text),
                                                      .stops = xstrdup(o->stops)}));
        d = &s->found->list.at[s->found->list.len - 1];
        take_plan(d, s, o);
    } else if (is_shorter(&o->plan, &d->plan)) {
        free(d->text);
        free(d->stops);
        d->text = xstrdup(text);
        d->stops = xstrdup(o->stops);
        take_plan(d, s, o);
    }
    d->runs += o != &s->seed;
}

/* Copies the text of a death without its numbers, which are times and addresses. */
static void death_key(char key[DEATH_MAX], const char *died)
{
    size_t len = 0;

    for (; *died && len < DEATH_MAX - 1; died++)
        if (*died < '0' || *died > '9')
            key[len++] = *died;
    key[len] = '\0';
}

/* Adds the discoveries of a run. True: there are some. */
static bool take_discoveries(struct search_state *s, const struct outcome *o)
{
    char key[DEATH_MAX];
    bool any = false;
    bool as_seed = o->reason == s->seed.reason && o->code == s->seed.code;

    for (size_t i = 0; i < o->findings.len; i++) {
        const struct outcome_finding *f = &o->findings.at[i];
        uint64_t seen;

        if (map_get(&s->known, hash_of(f->key), &seen))
            continue;
        discover(s, o, false, f->rule, f->key, f->text);
        any = true;
    }
    if (any || as_seed || !o->died[0] || (o->reason == STOP_EXIT && !o->code))
        return any;
    death_key(key, o->died);
    discover(s, o, true, 0, key, o->died);
    return true;
}

static void take_outcome(struct search_state *s, struct outcome *o)
{
    uint64_t order = o->order & INT64_MAX, seen;
    struct node node = {.plan = o->plan,
                        .stops = o->stops,
                        .turns = o->turns,
                        .more = o->more_turns,
                        .salt = o->salt};
    bool found = take_discoveries(s, o);

    s->done->runs++;
    if (map_get(&s->orders, order, &seen)) {
        s->done->same++;
        return;
    }
    map_put(&s->orders, order, 1);
    if (found || !node.turns.turns.len)
        return;
    o->plan = (struct plan){0};
    o->stops = NULL;
    o->turns = (struct turn_list){0};
    VEC_PUSH(&s->next, node);
}

static int by_index(const void *a, const void *b)
{
    const struct outcome *s = a, *t = b;

    return (s->index > t->index) - (s->index < t->index);
}

/* Takes the outcomes in the order of their turns, whichever process was faster. */
static void take_outcomes(struct search_state *s)
{
    if (s->outcomes.len)
        qsort(s->outcomes.at, s->outcomes.len, sizeof *s->outcomes.at, by_index);
    for (size_t i = 0; i < s->outcomes.len; i++) {
        take_outcome(s, &s->outcomes.at[i]);
        outcome_free(&s->outcomes.at[i]);
    }
    s->outcomes.len = 0;
}

static bool must_stop(struct search_state *s)
{
    if (!s->stopped && s->config->stop &&
        s->config->stop(s->config->ctx, s->done, s->outcomes.len, &s->done->bound))
        s->stopped = true;
    return s->stopped;
}

/* Makes a process that calls walk(), and receives the outcomes. */
static bool run_walk(struct search_state *s, const struct node *from, const struct turn *turns,
                     size_t count)
{
    struct channel channel;
    struct outcome o;
    pid_t walker;

    if (!channel_open(&channel))
        return false;
    walker = make_process();
    if (walker == 0) {
        if (turns)
            walk(s, from, turns, count, &channel);
        else
            run_turn(s, from, NULL, 0, &channel);
        _exit(0);
    }
    channel_close_write(&channel);
    while (walker > 0 && !must_stop(s)) {
        if (!channel_wait(&channel))
            continue;
        if (!channel_receive(&channel, &o))
            break;
        VEC_PUSH(&s->outcomes, o);
    }
    if (walker > 0) {
        kill(walker, SIGKILL); /* if the search was stopped; its processes die with it */
        (void)waitpid(walker, NULL, 0);
    }
    channel_close(&channel);
    return walker > 0;
}

/* ---- levels ---- */

static int by_place(const void *a, const void *b)
{
    const struct turn *s = a, *t = b;

    return (s->at > t->at) - (s->at < t->at);
}

/* Chooses the turns of a node to be run: not equivalent ones, and not too many. */
static struct turn_list choose_turns(struct search_state *s, const struct node *node)
{
    struct turn_list chosen = {0};
    uint64_t room = s->config->runs - s->done->runs, seen;

    s->done->turns += node->more;
    s->done->left += node->more;
    for (size_t i = 0; i < node->turns.turns.len; i++) {
        struct turn *t = &node->turns.turns.at[i];
        uint64_t order = t->order & INT64_MAX;

        s->done->turns++;
        if (map_get(&s->expected, order, &seen)) {
            s->done->equivalent++;
        } else if (chosen.turns.len >= room) {
            s->done->left++;
        } else {
            map_put(&s->expected, order, 1);
            t->follow = t->until.kind == ACT_ACCESS || s->followed < FOLLOWED;
            s->followed += t->until.kind != ACT_ACCESS && t->follow;
            VEC_PUSH(&chosen.turns, *t);
        }
    }
    if (chosen.turns.len)
        qsort(chosen.turns.at, chosen.turns.len, sizeof *chosen.turns.at, by_place);
    return chosen;
}

static void free_node(struct node *n)
{
    free(n->stops);
    VEC_FREE(&n->turns.turns);
    VEC_FREE(&n->plan.steps);
}

static bool run_level(struct search_state *s)
{
    bool ok = true;

    for (size_t i = 0; i < s->now.len; i++) {
        struct turn_list chosen = choose_turns(s, &s->now.at[i]);
        uint64_t before = s->done->runs;

        s->room = s->config->runs - s->done->runs - chosen.turns.len;
        if (chosen.turns.len && !s->stopped)
            ok &= run_walk(s, &s->now.at[i], chosen.turns.at, chosen.turns.len);
        if (!s->stopped)
            s->done->lost += chosen.turns.len - s->outcomes.len;
        take_outcomes(s);
        s->done->left += chosen.turns.len - (s->done->runs - before);
        VEC_FREE(&chosen.turns);
        free_node(&s->now.at[i]);
    }
    s->now.len = 0;
    return ok;
}

static void next_level(struct search_state *s)
{
    for (size_t i = 0; i < s->next.len; i++)
        VEC_PUSH(&s->now, s->next.at[i]);
    s->next.len = 0;
}

/* Runs the window as the seed has it, and begins with the turns of that run. */
static bool run_seed(struct search_state *s)
{
    const struct node none = {0};
    struct node node;

    s->room = s->config->runs;

    if (!run_walk(s, &none, NULL, 0) || s->stopped || s->outcomes.len != 1)
        return false;
    s->seed = s->outcomes.at[0];
    s->outcomes.len = 0;
    for (size_t i = 0; i < s->seed.findings.len; i++) {
        const struct outcome_finding *f = &s->seed.findings.at[i];

        map_put(&s->known, hash_of(f->key), 1);
        if (needs_data(f->rule)) /* the run of the seed outside of this window does not show it */
            discover(s, &s->seed, false, f->rule, f->key, f->text);
    }
    s->done->acts = s->seed.acts;
    s->done->acts_left_out = s->seed.full;
    s->done->interleavings = s->seed.interleavings;
    map_put(&s->orders, s->seed.order & INT64_MAX, 1);
    s->done->races = s->seed.races;
    node = (struct node){.plan = s->seed.plan, .turns = s->seed.turns, .more = s->seed.more_turns};
    s->seed.plan = (struct plan){0};
    s->seed.turns = (struct turn_list){0};
    VEC_PUSH(&s->now, node);
    return true;
}

static void free_state(struct search_state *s)
{
    for (size_t i = 0; i < s->now.len; i++)
        free_node(&s->now.at[i]);
    for (size_t i = 0; i < s->next.len; i++)
        free_node(&s->next.at[i]);
    VEC_FREE(&s->now);
    VEC_FREE(&s->outcomes);
    VEC_FREE(&s->next);
    map_free(&s->orders);
    map_free(&s->expected);
    map_free(&s->known);
    outcome_free(&s->seed);
}

bool search_window(const struct search_config *config, struct search *done,
                   struct discoveries *found)
{
    struct search_state s = {.config = config, .done = done, .found = found};
    bool ok;

    *done = (struct search){.bound = BOUND_STEPS};
    if (!machine_restore(config->machine, config->start))
        return false;
    act_log_begin(config->log, config->sites, config->site_count, config->begin);
    ok = run_seed(&s);
    for (unsigned step = 1; ok && step <= config->steps && s.now.len; step++) {
        ok = run_level(&s);
        next_level(&s);
    }
    if (!s.stopped && done->left)
        done->bound = BOUND_RUNS;
    act_log_end(config->log);
    ok = machine_restore(config->machine, config->start) && (ok || s.stopped);
    free_state(&s);
    return ok;
}

void discovery_free(struct discovery *d)
{
    free(d->key);
    free(d->text);
    free(d->stops);
    VEC_FREE(&d->plan.steps);
}

void discoveries_free(struct discoveries *d)
{
    for (size_t i = 0; i < d->list.len; i++)
        discovery_free(&d->list.at[i]);
    VEC_FREE(&d->list);
}

const char *search_bound_text(enum search_bound b)
{
    static const char *const texts[BOUNDS] = {"the number of steps", "the number of interleavings",
                                              "the time", "a request to stop"};

    return texts[b];
}
