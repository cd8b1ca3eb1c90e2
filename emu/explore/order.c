/*
 * order.c - see order.h.
 */
#include "explore/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "ftrace/audit/order/races.h"
#include "machine/machine.h"

/* ---- equivalence ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + UINT64_C(0x7f4a7c159e3779b9));

    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

static uint64_t label(const struct act *a)
{
    return mix((uint64_t)a->kind << 24 | (uint64_t)a->hart << 16 | (uint64_t)a->other << 8 |
                   a->offset,
               a->place);
}

bool act_is(const struct act *a, const struct act *awaited)
{
    struct act same = *a;

    if (awaited->hart == ANY_HART)
        same.hart = ANY_HART;
    return label(&same) == label(awaited);
}

/*
 * Hashes of what an act depends on: the earlier acts of its hart, and those that conflict with it.
 * Sums stand for sets whose order does not matter.
 */
struct past {
    uint64_t of_hart[HARTS_MAX]; /* the newest act, or message to it */
    uint64_t stores[HARTS_MAX];  /* all stores of the hart */
    uint64_t fences;             /* all fences */
    struct map stored;           /* place -> its newest store */
    struct map executed;         /* place -> the sum of its executions since that store */
};

static uint64_t known(const struct map *m, uint64_t key)
{
    uint64_t value = 0;

    (void)map_get(m, key, &value);
    return value;
}

static uint64_t sum_of_stores(const struct past *p, unsigned but)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < HARTS_MAX; i++)
        sum += i == but ? 0 : p->stores[i];
    return sum;
}

/* Adds an act, and returns its hash. */
static uint64_t add_act(struct past *p, const struct act *a)
{
    uint64_t hash = mix(label(a), p->of_hart[a->hart]);

    switch ((enum act_kind)a->kind) {
    case ACT_EXECUTE:
        hash = mix(mix(hash, known(&p->stored, a->place)), known(&p->stored, PLACE_PAGE | a->page));
        map_put(&p->executed, a->place, known(&p->executed, a->place) + hash);
        map_put(&p->executed, PLACE_PAGE | a->page,
                known(&p->executed, PLACE_PAGE | a->page) + hash);
        break;
    case ACT_STORE:
        hash = mix(mix(hash, known(&p->stored, a->place)), known(&p->executed, a->place));
        hash = mix(hash, p->fences);
        map_put(&p->stored, a->place, hash);
        map_put(&p->executed, a->place, 0);
        p->stores[a->hart] += hash;
        break;
    case ACT_FENCE:
        hash = mix(hash, sum_of_stores(p, a->hart));
        p->fences += hash;
        break;
    default: break;
    }
    if (a->other != a->hart && a->kind != ACT_EXECUTE && a->kind != ACT_STORE) {
        hash = mix(hash, p->of_hart[a->other]);
        p->of_hart[a->other] = mix(p->of_hart[a->other], hash);
    }
    p->of_hart[a->hart] = hash;
    return hash;
}

static void forget(struct past *p)
{
    map_free(&p->stored);
    map_free(&p->executed);
}

uint64_t order_hash(const struct act_list *l)
{
    struct past p = {0};
    uint64_t sum = 0;

    for (size_t i = 0; i < l->acts.len; i++)
        sum += add_act(&p, &l->acts.at[i]);
    forget(&p);
    return sum;
}

/*
 * Returns the hash of the acts up to `second`, if the hart of `first` stalls before that act until
 * `second` was done.
 */
static uint64_t hash_turned(const struct act_list *l, size_t first, size_t second)
{
    const struct act *acts = l->acts.at;
    unsigned hart = acts[first].hart;
    struct past p = {0};
    uint64_t sum = 0;

    for (size_t i = 0; i <= second; i++)
        if (i < first || acts[i].hart != hart)
            sum += add_act(&p, &acts[i]);
    for (size_t i = first; i < second; i++)
        if (acts[i].hart == hart)
            sum += add_act(&p, &acts[i]);
    forget(&p);
    return mix(mix(sum, second), acts[second].hart == hart ? first : 0);
}

double order_count_log10(const struct act_list *l)
{
    uint64_t of_hart[HARTS_MAX] = {0};
    double ln;

    for (size_t i = 0; i < l->acts.len; i++)
        of_hart[l->acts.at[i].hart]++;
    ln = lgamma((double)l->acts.len + 1);
    for (unsigned i = 0; i < HARTS_MAX; i++)
        ln -= lgamma((double)of_hart[i] + 1);
    return ln / log(10);
}

/* Returns the hash of the acts before the one at which a timer interrupts. */
static uint64_t hash_ticked(const struct act_list *l, size_t at)
{
    struct past p = {0};
    uint64_t sum = 0;

    for (size_t i = 0; i < at; i++)
        sum += add_act(&p, &l->acts.at[i]);
    forget(&p);
    return mix(mix(sum, l->acts.at[at].insns), l->acts.at[at].hart);
}

/* ---- turns ---- */

/*
 * Kinds of turns: those that have found most errors come first. Ticks of the TICK_TASKS - 1 tasks
 * that were in a place last are kinds of their own: one of these tasks patches, or waits until it
 * is done, and does neither while it is stopped in the place. OWN_TICK: of the only task that
 * stores to the place later.
 */
enum { TICK_TASKS = 4 };
enum {
    RANK_INSIDE,
    RANK_FETCH,
    RANK_SEND,
    RANK_TICK,
    RANK_FENCE = RANK_TICK + TICK_TASKS,
    RANK_START,
    RANK_OWN_TICK,
    RANK_DATA, /* of accesses to data: enum race_rank, without RACE_OTHER */
    RANK_HELD = RANK_DATA + RACE_OTHER, /* a store is seen late */
    RANK_LATE,                          /* a load is late */
    RANK_TASKS, /* two tasks on one hart: the first is interrupted before its access */
    RANKS
};

/* Limits for turns of the same place and hart. */
enum { TICKS_EACH = 2, TURNS_EACH = 2 };

struct turns {
    const struct act_list *list;
    uint64_t from, window;
    struct turn_list found;
    struct map counts; /* number of turns with the same two acts */
};

static uint64_t count_up(struct turns *t, uint64_t key)
{
    uint64_t n = known(&t->counts, key & INT64_MAX) + 1;

    map_put(&t->counts, key & INT64_MAX, n);
    return n;
}

static void add_turn(struct turns *t, size_t first, size_t second, unsigned rank)
{
    const struct act *a = &t->list->acts.at[first], *b = &t->list->acts.at[second];
    struct turn turn;

    if (a->insns < t->from || count_up(t, mix(label(a), label(b))) > TURNS_EACH)
        return;
    turn = (struct turn){.kind = PLAN_STALL,
                         .hart = a->hart,
                         .at = a->insns,
                         .until = *b,
                         .first = first,
                         .second = second,
                         .rank = rank};
    if (a->hart == b->hart)
        turn.until.hart = ANY_HART;
    VEC_PUSH(&t->found.turns, turn);
}

/* Whether the store is to the place that is executed, or to other code in its page. */
static bool is_at(const struct act *execute, const struct act *store)
{
    return store->place & PLACE_PAGE ? execute->page == store->page
                                     : execute->place == store->place;
}

/*
 * Returns the first act of a hart after it was started, if that is still in the list; else `start`.
 */
static size_t first_of_started(const struct turns *t, size_t start)
{
    const struct act *acts = t->list->acts.at;
    size_t i = start + 1;

    while (i < t->list->acts.len && acts[i].hart != acts[start].other)
        i++;
    return i < t->list->acts.len ? i : start;
}

static bool is_same_task(const struct act *a, const struct act *b)
{
    return a->task && a->task == b->task;
}

/*
 * Whether the store can be done while the hart of the earlier act stalls. It cannot by the same
 * task. By another task of the same hart it can on another hart, if there is one.
 */
static bool can_turn(const struct turns *t, const struct act *a, const struct act *store)
{
    if (a->kind == ACT_EXECUTE && is_same_task(a, store))
        return false;
    if (a->hart != store->hart || a->kind == ACT_START)
        return true;
    return t->list->harts > 1 && a->kind == ACT_EXECUTE && a->offset && is_at(a, store);
}

/*
 * Turns a store, `second`: each other hart stalls before its last execution of the place or fence.
 */
static void turn_store(struct turns *t, size_t second)
{
    const struct act *acts = t->list->acts.at, *store = &acts[second];
    uint64_t fenced = 0, started = 0;
    struct map executed = {0};

    for (size_t i = second; i-- > 0;) {
        const struct act *a = &acts[i];
        uint64_t bit = UINT64_C(1) << a->hart;

        if (a->insns < t->from)
            break;
        if (!can_turn(t, a, store))
            continue;
        if (a->kind == ACT_EXECUTE && is_at(a, store)) {
            uint64_t key = (uint64_t)a->hart << 8 | a->offset;

            if (!known(&executed, key))
                add_turn(t, i, second, a->offset ? RANK_INSIDE : RANK_FETCH);
            map_put(&executed, key, 1);
        } else if (a->kind == ACT_FENCE && a->other == a->hart && !(fenced & bit)) {
            add_turn(t, i, second, RANK_FENCE);
            fenced |= bit;
        } else if (a->kind == ACT_START && a->hart != store->hart && !(started & bit)) {
            add_turn(t, i, second, RANK_START);
            started |= bit;
        }
        if (a->kind == ACT_START && a->other != store->hart) {
            size_t first = first_of_started(t, i);

            if (first != i && first < second)
                add_turn(t, first, second, RANK_START);
        }
    }
    map_free(&executed);
}

/* Turns a message, `second`: its hart stalls inside of each place that it last executed. */
static void turn_message(struct turns *t, size_t second)
{
    const struct act *acts = t->list->acts.at, *message = &acts[second];
    struct map executed = {0};

    for (size_t i = second; i-- > 0;) {
        const struct act *a = &acts[i];
        uint64_t key = (uint64_t)a->place << 8 | a->offset;

        if (a->insns < t->from)
            break;
        if (a->hart != message->other || a->kind != ACT_EXECUTE || !a->offset ||
            known(&executed, key))
            continue;
        add_turn(t, i, second, RANK_SEND);
        map_put(&executed, key, 1);
    }
    map_free(&executed);
}

/*
 * Turns an execution, a fence or a start, `second`: each other hart stalls before its last store
 * that conflicts.
 */
static void turn_store_before(struct turns *t, size_t second)
{
    const struct act *acts = t->list->acts.at, *b = &acts[second];
    uint64_t done = UINT64_C(1) << b->hart;

    for (size_t i = second; i-- > 0;) {
        const struct act *a = &acts[i];

        if (a->insns < t->from)
            break;
        if (a->kind != ACT_STORE || done >> a->hart & 1 || (b->kind == ACT_EXECUTE && !is_at(b, a)))
            continue;
        add_turn(t, i, second, b->kind == ACT_EXECUTE ? RANK_FETCH : RANK_FENCE);
        done |= UINT64_C(1) << a->hart;
    }
}

/*
 * Tasks that store to a place: their number, up to two, and the one that was added first; and the
 * index of the store that was added last, plus 1.
 */
struct storers {
    struct map count, task, store;
};

static void add_storer(struct storers *s, const struct act *store, size_t i)
{
    uint64_t count = known(&s->count, store->place);

    map_put(&s->store, store->place, i + 1);
    if (!count)
        map_put(&s->task, store->place, store->task);
    if (!count || known(&s->task, store->place) != store->task)
        map_put(&s->count, store->place, count ? 2 : 1);
}

/* Whether another task than that of the execution stores to its place, or to code in the page. */
static bool others_store(const struct storers *s, const struct act *a)
{
    const uint32_t places[] = {a->place, PLACE_PAGE | a->page};
    bool any = false;

    for (unsigned i = 0; i < ARRAY_LEN(places); i++)
        any |= known(&s->count, places[i]) > 1 ||
               (known(&s->count, places[i]) && (!a->task || known(&s->task, places[i]) != a->task));
    return any;
}

/* The kind of a tick of the task; `tasks': those that had one so far, the last in the run first. */
static unsigned rank_of_task(struct map *tasks, uint64_t task)
{
    uint64_t number = known(tasks, task >> 1);

    if (!number) {
        number = tasks->len + 1;
        map_put(tasks, task >> 1, number);
    }
    return RANK_TICK + (unsigned)(number < TICK_TASKS ? number : TICK_TASKS) - 1;
}

/*
 * What another task does next to the place of the execution, or to code in its page: its store.
 * Returns kind ACT_KINDS if only the same task stores to it.
 */
static struct act next_store(const struct turns *t, const struct storers *s, const struct act *a)
{
    const uint32_t places[] = {a->place, PLACE_PAGE | a->page};
    struct act until = {.kind = ACT_KINDS};

    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        size_t n = known(&s->store, places[i]);

        if (!n || is_same_task(a, &t->list->acts.at[n - 1]) ||
            (until.kind != ACT_KINDS && until.insns < t->list->acts.at[n - 1].insns))
            continue;
        until = t->list->acts.at[n - 1];
        until.hart = ANY_HART;
    }
    return until;
}

static void add_tick(struct turns *t, size_t i, unsigned rank, struct act until)
{
    const struct act *a = &t->list->acts.at[i];

    if (count_up(t, mix(mix(label(a), a->task), rank)) <= TICKS_EACH)
        VEC_PUSH(&t->found.turns, ((struct turn){.kind = PLAN_TICK,
                                                 .hart = a->hart,
                                                 .at = a->insns,
                                                 .until = until,
                                                 .first = i,
                                                 .rank = rank}));
}

/*
 * Adds timers: a task inside of a place is preempted, if the place is stored to later, and kept
 * there until another task has done so.
 */
static void turn_timers(struct turns *t)
{
    const struct act *acts = t->list->acts.at;
    struct storers storers = {0};
    struct map tasks = {0};

    for (size_t i = t->list->acts.len; i-- > 0;) {
        const struct act *a = &acts[i];

        if (a->insns < t->from)
            break;
        if (a->kind == ACT_STORE && a->insns >= t->window)
            add_storer(&storers, a, i);
        if (a->kind != ACT_EXECUTE || !a->offset || a->masked)
            continue;
        if (others_store(&storers, a))
            add_tick(t, i, rank_of_task(&tasks, a->task), next_store(t, &storers, a));
        else if (known(&storers.count, a->place) || known(&storers.count, PLACE_PAGE | a->page))
            add_tick(t, i, RANK_OWN_TICK, (struct act){.kind = ACT_KINDS});
    }
    map_free(&storers.count);
    map_free(&storers.task);
    map_free(&storers.store);
    map_free(&tasks);
}

/* ---- accesses to data ---- */

static struct act act_of(const struct race *race)
{
    return (struct act){.insns = race->second.step,
                        .kind = ACT_ACCESS,
                        .hart = (uint8_t)race->second.hart,
                        .other = race->second.store,
                        .place = (uint32_t)(race->pa / ACT_WORD_BYTES),
                        .page = (uint32_t)(race->pa >> 12),
                        .task = race->second.task,
                        .va = race->va};
}

static void add_access_turn(struct turns *t, struct turn turn, const struct race *race)
{
    turn.order = mix(mix(mix(race->first.pc, race->first.step), label(&turn.until)), turn.kind);
    VEC_PUSH(&t->found.turns, turn);
}

/*
 * A load that comes after a store, and that nothing orders, may be before it in two more ways: the
 * store is seen late, or the load is older. Only where code that is changed leads to one of them.
 */
static void turn_lateness(struct turns *t, const struct race *race)
{
    struct turn turn = {.kind = PLAN_HOLD,
                        .hart = race->first.hart,
                        .at = race->first.step,
                        .until = act_of(race),
                        .rank = RANK_HELD};

    if (!race->first.store || race->second.store || race->rank != RACE_OF_DETOUR)
        return;
    add_access_turn(t, turn, race);
    turn.kind = PLAN_LATE;
    turn.hart = race->second.hart;
    turn.pc = race->second.pc;
    turn.rank = RANK_LATE;
    add_access_turn(t, turn, race);
}

/* Two tasks on one hart: a timer comes before the access of the first one. */
static void turn_tasks(struct turns *t, const struct race *race)
{
    struct turn turn = {.kind = PLAN_TICK,
                        .hart = race->first.hart,
                        .at = race->first.step,
                        .until = act_of(race),
                        .rank = RANK_TASKS};

    turn.until.hart = ANY_HART;
    if (!race->first.masked && race->rank == RACE_OF_DETOUR)
        add_access_turn(t, turn, race);
}

static void turn_races(struct turns *t, const struct data_races *races, size_t *more)
{
    for (size_t i = 0; i < races->count; i++) {
        const struct race *race = &races->at[i];
        struct turn turn = {.kind = PLAN_STALL,
                            .hart = race->first.hart,
                            .at = race->first.step,
                            .until = act_of(race),
                            .rank = RANK_DATA + race->rank};

        if (race->first.step < t->from)
            continue;
        if (race->first.hart == race->second.hart) {
            turn_tasks(t, race);
            continue;
        }
        if (race->rank == RACE_OTHER) {
            ++*more;
            continue;
        }
        add_access_turn(t, turn, race);
        turn_lateness(t, race);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct turn *s = a, *t = b;

    return (s->at > t->at) - (s->at < t->at);
}

static int by_key(const void *a, const void *b)
{
    const struct turn *s = a, *t = b;

    return (s->key > t->key) - (s->key < t->key);
}

/* Returns the bits in reverse order, which makes successive numbers differ much. */
static uint64_t reversed(uint64_t n, unsigned bits)
{
    uint64_t r = 0;

    for (unsigned i = 0; i < bits; i++)
        r |= (n >> i & 1) << (bits - 1 - i);
    return r;
}

/* Sorts the turns: one of each kind in turn, and those of one kind spread over the run. */
static void sort_turns(struct turn_list *l)
{
    uint64_t count[RANKS] = {0}, of[RANKS] = {0};

    if (!l->turns.len)
        return;
    qsort(l->turns.at, l->turns.len, sizeof *l->turns.at, by_place);
    for (size_t i = 0; i < l->turns.len; i++)
        of[l->turns.at[i].rank]++;
    for (size_t i = 0; i < l->turns.len; i++) {
        struct turn *t = &l->turns.at[i];
        unsigned bits = 0;

        while (of[t->rank] >> bits)
            bits++;
        t->key = reversed(count[t->rank]++, bits) << (32 - bits) << 8 | t->rank;
    }
    qsort(l->turns.at, l->turns.len, sizeof *l->turns.at, by_key);
}

static void find_turns(struct turns *t)
{
    const struct act_list *l = t->list;

    for (size_t i = 0; i < l->acts.len; i++) {
        const struct act *a = &l->acts.at[i];

        if (a->insns < t->from || a->insns < t->window)
            continue;
        switch ((enum act_kind)a->kind) {
        case ACT_STORE: turn_store(t, i); break;
        case ACT_EXECUTE:
        case ACT_START: turn_store_before(t, i); break;
        case ACT_SEND: turn_message(t, i); break;
        case ACT_FENCE:
            turn_store_before(t, i);
            if (a->other != a->hart)
                turn_message(t, i);
            break;
        default: break;
        }
    }
    turn_timers(t);
}

static uint64_t order_of(const struct act_list *l, const struct turn *turn)
{
    if (turn->until.kind == ACT_ACCESS)
        return turn->order;
    return turn->kind == PLAN_STALL ? hash_turned(l, turn->first, turn->second)
                                    : hash_ticked(l, turn->first);
}

struct turn_list order_turns(const struct act_list *l, const struct data_races *races,
                             uint64_t from, uint64_t window, size_t max, size_t *more)
{
    struct turns t = {.list = l, .from = from, .window = window};
    size_t left_out = 0;

    find_turns(&t);
    turn_races(&t, races, &left_out);
    map_free(&t.counts);
    sort_turns(&t.found);
    *more = t.found.turns.len > max ? t.found.turns.len - max : 0;
    t.found.turns.len -= *more;
    *more += left_out;
    for (size_t i = 0; i < t.found.turns.len; i++) {
        struct turn *turn = &t.found.turns.at[i];

        turn->order = order_of(l, turn) + races->salt;
    }
    return t.found;
}
