/*
 * history.c - going back (target.h): snapshots that are taken as the machine runs, and runs from
 * one of them to an exact instruction.
 *
 * A mark is a snapshot at a number of instructions. The machine's state at a number of instructions
 * does not depend on where it was stopped before, so running from a mark comes to the same state.
 */
#include "cpu/hart.h"
#include "debug/target/target_priv.h"
#include "machine/snapshot.h"

enum {
    MARKS_APART = 1000000, /* instructions between the newest marks */
    MARKS_FINE = 8, /* marks are apart by their distance from the present / MARKS_FINE, or less */
    STEPS = 1000,   /* a search of no more instructions goes one by one */
};

static uint64_t here(const struct target *t)
{
    return machine_insns(t->machine);
}

/* ---- marks ---- */

/* Returns the number of marks at `insns` instructions or fewer. */
static size_t marks_until(const struct history *h, uint64_t insns)
{
    size_t i = h->marks.len;

    while (i && h->marks.at[i - 1].insns > insns)
        i--;
    return i;
}

static void drop_mark(struct target *t, size_t i)
{
    struct history *h = &t->history;

    snapshot_free(t->machine, h->marks.at[i].snapshot);
    free(h->marks.at[i].hart_insns);
    h->marks.len--;
    for (; i < h->marks.len; i++)
        h->marks.at[i] = h->marks.at[i + 1];
}

static void drop_marks(struct target *t)
{
    while (t->history.marks.len)
        drop_mark(t, t->history.marks.len - 1);
}

/*
 * Returns the instructions between the neighbours of a mark: those that a return between them runs
 * when the mark is dropped.
 */
static uint64_t room_of(const struct history *h, size_t i, uint64_t now)
{
    uint64_t after = i + 1 < h->marks.len         ? h->marks.at[i + 1].insns
                     : now > h->marks.at[i].insns ? now
                                                  : h->marks.at[i].insns;

    return after - h->marks.at[i - 1].insns;
}

static uint64_t distance_of(const struct history *h, size_t i, uint64_t now)
{
    uint64_t at = h->marks.at[i].insns;

    return at > now ? at - now : now - at;
}

/* Drops marks that are close together, seen from `now`. The first one stays. */
static void thin_out(struct target *t, uint64_t now)
{
    const struct history *h = &t->history;

    for (size_t i = h->marks.len; i-- > 1;)
        if (i + 1 < h->marks.len && room_of(h, i, now) < distance_of(h, i, now) / MARKS_FINE)
            drop_mark(t, i);
}

/* Returns the index of the mark whose loss costs least. */
static size_t least_mark(const struct history *h, uint64_t now)
{
    size_t best = 1;
    double least = 0;

    for (size_t i = 1; i < h->marks.len; i++) {
        double cost = (double)room_of(h, i, now) / ((double)distance_of(h, i, now) + MARKS_APART);

        if (i == 1 || cost < least) {
            best = i;
            least = cost;
        }
    }
    return best;
}

static void add_mark(struct target *t, uint64_t now)
{
    struct history *h = &t->history;
    size_t i = marks_until(h, here(t));
    struct mark mark = {.insns = here(t), .cycles = machine_cycles(t->machine)};

    h->tried = mark.insns;
    if (i && h->marks.at[i - 1].insns == mark.insns)
        return;
    mark.snapshot = machine_snapshot(t->machine);
    mark.hart_insns = xcalloc(target_hart_count(t), sizeof *mark.hart_insns);
    for (unsigned hart = 0; hart < target_hart_count(t); hart++)
        mark.hart_insns[hart] = hart_insns(target_hart_at(t, hart));
    VEC_PUSH(&h->marks, mark);
    for (size_t k = h->marks.len - 1; k > i; k--)
        h->marks.at[k] = h->marks.at[k - 1];
    h->marks.at[i] = mark;
    thin_out(t, now);
    while (h->marks.len > 1 && machine_snapshots_bytes(t->machine) > t->config.history_max)
        drop_mark(t, least_mark(h, now));
}

/* ---- the run ---- */

bool target_keeps_history(const struct target *t)
{
    return t->config.history_max != 0;
}

/* Begins an unknown future: input and output from here on are new. */
static void nothing_is_known(struct target *t)
{
    struct history *h = &t->history;

    h->known_insns = h->known_cycles = 0;
    h->known_console = machine_console_count(t->machine);
    machine_repeat_input(t->machine, 0, 0);
    machine_mute_console(t->machine, h->known_console);
}

void history_enter(struct target *t, unsigned run)
{
    drop_marks(t);
    t->history.run = run;
    nothing_is_known(t);
}

void history_open(struct target *t)
{
    struct history *h = &t->history;

    if (!target_keeps_history(t))
        return;
    if (h->departed) {
        history_enter(t, ++h->last_run);
        h->departed = false;
    }
    if (!h->marks.len || here(t) < h->marks.at[0].insns)
        add_mark(t, here(t));
}

void history_depart(struct target *t)
{
    t->history.departed = true;
}

void history_free(struct target *t)
{
    struct history *h = &t->history;

    drop_marks(t);
    while (h->checkpoints.len)
        snapshot_free(t->machine, h->checkpoints.at[--h->checkpoints.len].snapshot);
    VEC_FREE(&h->marks);
    VEC_FREE(&h->checkpoints);
}

/* Returns the total of instructions at which the next mark is due as the machine runs on. */
static uint64_t next_mark(const struct target *t)
{
    const struct history *h = &t->history;
    size_t i = marks_until(h, here(t));
    uint64_t last;

    if (!i)
        return UINT64_MAX;
    last = h->marks.at[i - 1].insns;
    if (h->tried > last && h->tried <= here(t))
        last = h->tried;
    return last + MARKS_APART;
}

struct stop history_run(struct target *t, uint64_t max_insns)
{
    for (;;) {
        uint64_t next = next_mark(t);
        struct stop stop =
            machine_run(t->machine, next < max_insns ? next : max_insns, t->config.max_cycles);

        if (stop.reason != STOP_INSNS || next > max_insns)
            return stop;
        add_mark(t, here(t));
    }
}

/* ---- restoring ---- */

static void note_known(struct target *t)
{
    struct history *h = &t->history;
    uint64_t insns = here(t), cycles = machine_cycles(t->machine);
    uint64_t console = machine_console_count(t->machine);

    if (insns > h->known_insns || (insns == h->known_insns && cycles > h->known_cycles)) {
        h->known_insns = insns;
        h->known_cycles = cycles;
    }
    if (console > h->known_console)
        h->known_console = console;
}

void history_restore(struct target *t, const struct snapshot *s)
{
    const struct history *h = &t->history;

    note_known(t);
    t->ended = !machine_restore(t->machine, s);
    machine_repeat_input(t->machine, h->known_insns, h->known_cycles);
    machine_mute_console(t->machine, h->known_console);
    points_pass_none(t);
    watchpoint_follow(t);
}

struct target_stop history_arrive(struct target *t, struct stop stop)
{
    t->accesses.len = 0;
    t->caught.len = 0;
    t->patched = false;
    t->hit = HIT_NONE;
    t->findings_before = target_findings(t);
    return resume_finish(t, stop);
}

static struct stop stop_here(const struct target *t)
{
    return (struct stop){.reason = STOP_INSNS, .hart = machine_current(t->machine)};
}

struct target_stop history_arrive_here(struct target *t)
{
    return history_arrive(t, stop_here(t));
}

static struct target_stop arrive_at_start(struct target *t)
{
    struct target_stop s;

    history_restore(t, t->history.marks.at[0].snapshot);
    s = history_arrive_here(t);
    s.reason = TARGET_STOP_HISTORY;
    return s;
}

/* ---- to an instruction ---- */

struct stop history_run_quietly(struct target *t, uint64_t insns)
{
    struct stop stop;
    size_t findings;

    t->quiet = true;
    do {
        findings = target_findings(t);
        stop = machine_run(t->machine, insns, t->config.max_cycles);
    } while (stop.reason == STOP_ASKED && target_findings(t) > findings);
    t->quiet = false;
    return stop;
}

/*
 * Runs to a total of instructions, and takes marks meanwhile, closer to each other towards the end.
 */
static struct stop approach(struct target *t, uint64_t insns)
{
    struct stop stop = stop_here(t);

    while (here(t) < insns && stop.reason == STOP_INSNS) {
        uint64_t left = insns - here(t);

        if (left < UINT64_C(2) * MARKS_APART)
            return history_run_quietly(t, insns);
        stop = history_run_quietly(t, here(t) + left / 2);
        if (stop.reason == STOP_INSNS)
            add_mark(t, insns);
    }
    return stop;
}

struct stop history_move(struct target *t, uint64_t insns)
{
    const struct history *h = &t->history;
    const struct mark *m = &h->marks.at[marks_until(h, insns) - 1];

    if (insns <= here(t) || m->insns > here(t))
        history_restore(t, m->snapshot);
    return approach(t, insns);
}

uint64_t target_history_start(struct target *t)
{
    history_open(t);
    return t->history.marks.at[0].insns;
}

struct target_stop target_goto(struct target *t, uint64_t insns)
{
    uint64_t end = insns < t->config.max_insns ? insns : t->config.max_insns;

    if (end < target_history_start(t))
        return arrive_at_start(t);
    return history_arrive(t, history_move(t, end));
}

struct target_stop target_goto_cycle(struct target *t, uint64_t cycles)
{
    uint64_t end = cycles < t->config.max_cycles ? cycles : t->config.max_cycles;
    const struct history *h = &t->history;
    size_t i = 0;
    struct stop stop;
    struct target_stop s;

    (void)target_history_start(t);
    while (i < h->marks.len && h->marks.at[i].cycles <= end)
        i++;
    if (!i)
        return arrive_at_start(t);
    if (machine_cycles(t->machine) > end || h->marks.at[i - 1].insns > here(t))
        history_restore(t, h->marks.at[i - 1].snapshot);
    t->quiet = true;
    do
        stop = machine_run(t->machine, t->config.max_insns, end);
    while (stop.reason == STOP_ASKED && target_findings(t) > 0 && machine_cycles(t->machine) < end);
    t->quiet = false;
    s = history_arrive(t, stop);
    if (stop.reason == STOP_CYCLES)
        s.reason = TARGET_STOP_DONE;
    return s;
}

/* ---- a step back ---- */

/* A place between marks to which a search returns. */
struct foothold {
    uint64_t insns;
    struct snapshot *own; /* NULL: the snapshot is that of the mark */
    const struct snapshot *snapshot;
};

static void stand_here(struct target *t, struct foothold *f)
{
    if (f->own)
        snapshot_free(t->machine, f->own);
    f->own = machine_snapshot(t->machine);
    f->snapshot = f->own;
    f->insns = here(t);
}

/*
 * Runs on one instruction at a time until h has executed more than `want`, and finds the total of
 * instructions before that.
 */
static struct stop find_turn(struct target *t, const struct hart *h, uint64_t want, uint64_t *turn)
{
    struct stop stop = stop_here(t);

    while (hart_insns(h) <= want && stop.reason == STOP_INSNS) {
        *turn = here(t);
        stop = history_run_quietly(t, here(t) + 1);
    }
    return stop;
}

/*
 * Goes to the latest total of instructions at which h has executed `want`: between f, where the
 * machine is, and `high`, where h has executed more.
 */
static struct stop search_turn(struct target *t, const struct hart *h, uint64_t want,
                               struct foothold *f, uint64_t high)
{
    uint64_t turn = f->insns;
    struct stop stop = stop_here(t);

    while (high - f->insns > STEPS) {
        uint64_t middle = f->insns + (high - f->insns) / 2;

        stop = history_run_quietly(t, middle);
        if (stop.reason != STOP_INSNS)
            return stop;
        if (hart_insns(h) <= want) {
            stand_here(t, f);
            if (high - f->insns >= MARKS_APART)
                add_mark(t, high);
        } else {
            history_restore(t, f->snapshot);
            high = middle;
        }
    }
    stop = find_turn(t, h, want, &turn);
    if (hart_insns(h) <= want)
        return stop;
    history_restore(t, f->snapshot);
    return history_run_quietly(t, turn);
}

struct target_stop target_reverse_step(struct target *t, unsigned hart, uint64_t count)
{
    struct history *h = &t->history;
    struct hart *stepped = target_hart_at(t, hart);
    uint64_t done = hart_insns(stepped), high, want = done - count;
    struct foothold f = {0};
    struct target_stop s;
    size_t i;

    history_open(t);
    if (count > done || h->marks.at[0].hart_insns[hart] > want)
        return arrive_at_start(t);
    if (target_hart_count(t) == 1)
        return history_arrive(t, history_move(t, here(t) - count));
    high = here(t);
    for (i = h->marks.len; h->marks.at[i - 1].hart_insns[hart] > want; i--)
        high = h->marks.at[i - 1].insns;
    f.insns = h->marks.at[i - 1].insns;
    f.snapshot = h->marks.at[i - 1].snapshot;
    history_restore(t, f.snapshot);
    s = history_arrive(t, search_turn(t, stepped, want, &f, high));
    if (f.own)
        snapshot_free(t->machine, f.own);
    if (s.reason == TARGET_STOP_DONE) {
        s.of_hart = true;
        s.hart = hart;
    }
    return s;
}

/* ---- back to a stop ---- */

static struct stop run_plainly(struct target *t, uint64_t max_insns)
{
    return machine_run(t->machine, max_insns, t->config.max_cycles);
}

static bool is_hit(const struct target *t, struct stop stop)
{
    if (stop.reason == STOP_PROBE)
        return t->hit == HIT_POINT;
    return stop.reason == STOP_ASKED && (t->accesses.len || t->caught.len || t->patched ||
                                         target_findings(t) > t->findings_before);
}

/*
 * Runs with the points up to a total of instructions, or to hit number `last`. Returns the number
 * of hits before the total `present`.
 */
static uint64_t count_hits(struct target *t, uint64_t end, uint64_t present, uint64_t last,
                           struct stop *stop)
{
    uint64_t hits = 0;

    do {
        t->findings_before = target_findings(t);
        *stop = resume_run(t, end, run_plainly);
        if (!is_hit(t, *stop)) {
            if (here(t) >= end) /* the guest may have ended there, too */
                stop->reason = STOP_INSNS;
            break;
        }
        hits += here(t) < present;
        if (t->hit != HIT_NONE)
            points_pass(t, stop->hart);
    } while (hits < last);
    return hits;
}

/* Searches from mark to mark, the latest one first. False: there is no hit, or *stop is not one. */
static bool find_hit(struct target *t, uint64_t present, struct stop *stop)
{
    struct history *h = &t->history;
    uint64_t end = present, hits;

    for (size_t i = h->marks.len; i-- > 0;) {
        if (h->marks.at[i].insns >= present)
            continue;
        history_restore(t, h->marks.at[i].snapshot);
        hits = count_hits(t, end, present, UINT64_MAX, stop);
        if (stop->reason != STOP_INSNS)
            return false;
        end = h->marks.at[i].insns;
        if (hits) {
            history_restore(t, h->marks.at[i].snapshot);
            return count_hits(t, present, present, hits, stop) == hits;
        }
    }
    return false;
}

/* The fields of a point that a search must leave unchanged. */
struct counts {
    uint64_t hits, ignore;
};

static struct counts *put_counts_aside(struct target *t)
{
    struct counts *c = xcalloc(t->points.len + 1, sizeof *c);

    for (size_t i = 0; i < t->points.len; i++) {
        c[i] = (struct counts){t->points.at[i].hits, t->points.at[i].ignore};
        t->points.at[i].ignore = 0;
    }
    return c;
}

static void put_counts_back(struct target *t, struct counts *c)
{
    for (size_t i = 0; i < t->points.len; i++) {
        t->points.at[i].hits = c[i].hits;
        t->points.at[i].ignore = c[i].ignore;
    }
    free(c);
}

struct target_stop target_reverse_run(struct target *t)
{
    struct stop stop = {.reason = STOP_INSNS};
    struct counts *counts;
    bool found;

    history_open(t);
    counts = put_counts_aside(t);
    found = find_hit(t, here(t), &stop);
    put_counts_back(t, counts);
    if (found)
        return resume_finish(t, stop);
    return stop.reason == STOP_INSNS ? arrive_at_start(t) : history_arrive(t, stop);
}

/* ---- another run ---- */

struct target_stop target_replaced(struct target *t)
{
    t->ended = false;
    history_depart(t);
    points_pass_none(t);
    watchpoint_follow(t);
    return history_arrive_here(t);
}

size_t target_history_bytes(const struct target *t, size_t *snapshots)
{
    *snapshots = t->history.marks.len;
    return machine_snapshots_bytes(t->machine);
}
