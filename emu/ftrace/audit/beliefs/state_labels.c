/*
 * state_labels.c - compares jump labels with their static keys.
 *
 * A kernel has thousands of labels, and tracepoints turn hundreds of keys on one after the other.
 * So when jump_label_mutex is released, the labels of those keys are compared that were named in a
 * call, or of which some label was written. All of them are compared only when the hart has
 * executed much since the last time; that finds a key whose change changed nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "ftrace/kernel/jump_table.h"
#include "ftrace/kernel/key_labels.h"
#include "ftrace/kernel/text_map.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Cycles of a hart for each label that is compared without a reason. */
enum { CYCLES_PER_LABEL = 1000 };

/* Keys that are remembered for the next comparison, and labels that were reported. */
enum { KEYS_MAX = 1 << 12, TOLD_MAX = 1 << 16 };

/* The kernel passes the address of the key: UINT64_MAX, no key of a map, is none. */
static void note_key(void *ctx, uint64_t key)
{
    struct state_labels *s = ctx;
    uint64_t noted;

    if (key == UINT64_MAX || map_get(&s->keys, key, &noted))
        return;
    if (s->keys.len < KEYS_MAX)
        map_put(&s->keys, key, 1);
    else
        s->left_out++;
}

void state_labels_store(const struct audit *a, struct state_labels *s, const struct code_write *w)
{
    uint64_t key = a->config.labels ? key_labels_key_at(a->config.labels, w->pa, w->size) : 0;

    if (key)
        note_key(s, key);
}

/* ---- one label ---- */

/*
 * For audit_cause: what goes wrong with the labels of one key, or with all of them, goes wrong in
 * the same function and in the same way.
 */
static uint64_t place_of(const struct audit *a, const struct lock_event *lock,
                         const struct label_state *state)
{
    enum { NOP = 0x13 };
    enum { JUMPS, STAYS_NOP, JUMPS_ELSEWHERE, WAYS };
    unsigned way = !state->jumps ? JUMPS : state->insn == NOP ? STAYS_NOP : JUMPS_ELSEWHERE;

    return audit_function(a, lock->caller) * WAYS + way;
}

static void report(struct audit *a, const struct lock_event *lock, const struct jump_place *p,
                   const struct label_state *state)
{
    const struct breach b = {.rule = RULE_wrong_label,
                             .hart = hart_id(lock->hart),
                             .site = NO_SITE,
                             .pc = p->va,
                             .cycle = hart_cycles(lock->hart),
                             .cause = audit_cause(RULE_wrong_label, place_of(a, lock, state))};
    struct finding *f = audit_add(a, &b);
    struct fact *fact;

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = p->va;
    fact = audit_fact(f, LABEL_IN_MEMORY, FACT_BYTES);
    fact->va = p->va;
    fact->size = sizeof state->insn;
    memcpy(fact->bytes, &state->insn, sizeof state->insn);
    fact = audit_fact(f, LABEL_KEY, FACT_KEY);
    fact->va = p->key;
    fact->pid = (int32_t)state->count;
    if (state->jumps)
        audit_fact(f, LABEL_EXPECTED, FACT_JUMP)->va = p->target;
    else
        audit_fact_message(f, LABEL_EXPECTED, MESSAGE_NOP);
    audit_fact_moment(f, LABEL_JUDGED, lock->hart, lock->caller);
    audit_fact_task(a, f, lock->hart);
    audit_fact_order(f);
}

/* Labels in code that only booting needs are not patched when that is over. */
static bool is_judged(const struct audit *a, const struct key_label *l)
{
    return !l->loader && a->config.text && text_map_has(a->config.text, l->place.pa, 2);
}

struct comparison {
    struct audit *a;
    struct state_labels *s;
    const struct lock_event *lock;
};

static void compare(void *ctx, const struct key_label *l)
{
    const struct comparison *c = ctx;
    struct audit *a = c->a;
    struct state_labels *s = c->s;
    const struct lock_event *lock = c->lock;
    struct label_state state;
    uint64_t told;

    if (!is_judged(a, l) || audit_by_debugger(a, l->place.pa, JUMP_LABEL_BYTES) ||
        !key_label_read(a->config.labels, lock->hart, l, &state))
        return;
    if (state.holds) {
        map_remove(&s->told, l->place.va);
        return;
    }
    if (map_get(&s->told, l->place.va, &told))
        return;
    if (s->told.len == TOLD_MAX) {
        s->left_out++;
        return;
    }
    map_put(&s->told, l->place.va, 1);
    report(a, lock, &l->place, &state);
}

/* ---- those that may have changed ---- */

static void compare_key(struct audit *a, struct state_labels *s, const struct lock_event *lock,
                        uint64_t key)
{
    key_labels_of_key(a->config.labels, key, compare, &(struct comparison){a, s, lock});
}

static void compare_noted(struct audit *a, struct state_labels *s, const struct lock_event *lock)
{
    size_t count;
    uint64_t *keys = map_keys(&s->keys, &count);

    for (size_t i = 0; i < count; i++)
        compare_key(a, s, lock, keys[i]);
    free(keys);
}

static bool is_free(const struct audit *a, struct hart *h)
{
    return audit_lock_is_free(a, h, "jump_label_mutex");
}

/*
 * The kernel is asked to change the key. What an earlier call has left is judged before, as that
 * one may have needed no lock.
 */
void state_labels_called(struct audit *a, struct state_labels *s, const struct key_event *e)
{
    const struct lock_event at = {e->hart, LOCK_JUMP_LABEL, e->caller};
    uint64_t noted;

    if (!a->config.labels)
        return;
    if (e->hart && e->key != UINT64_MAX && map_get(&s->keys, e->key, &noted) && is_free(a, e->hart))
        compare_key(a, s, &at, e->key);
    note_key(s, e->key);
}

/* Whether the hart has executed so much that comparing all labels takes little beside it. */
static bool is_time_for_all(struct state_labels *s, const struct key_labels *labels, uint64_t cycle)
{
    uint64_t needed = CYCLES_PER_LABEL * (uint64_t)key_labels_count(labels);

    if (cycle < s->scanned_at) /* another hart's cycles */
        s->scanned_at = cycle;
    if (cycle - s->scanned_at < needed)
        return false;
    s->scanned_at = cycle;
    return true;
}

void state_labels_compare(struct audit *a, struct state_labels *s, const struct lock_event *lock)
{
    struct key_labels *labels = a->config.labels;

    if (!labels)
        return;
    key_labels_complete(labels, hart_reg(lock->hart, REG_TP), note_key, s);
    compare_noted(a, s, lock);
    map_clear(&s->keys);
    if (is_time_for_all(s, labels, hart_cycles(lock->hart)))
        key_labels_each(labels, compare, &(struct comparison){a, s, lock});
}

/* Those of a module's keys were changed before that, if at all. */
void state_labels_live(struct audit *a, struct state_labels *s, struct hart *h)
{
    const struct lock_event at = {h, LOCK_JUMP_LABEL, hart_pc(h)};

    if (!a->config.labels)
        return;
    key_labels_complete(a->config.labels, hart_reg(h, REG_TP), note_key, s);
    if (is_free(a, h))
        compare_noted(a, s, &at);
}

/* Of a module: the kernel may never have been told of its labels. */
static void compare_of_module(void *ctx, const struct key_label *l)
{
    const struct comparison *c = ctx;
    uint64_t pa;

    if (c->a->config.text && text_map_find(c->a->config.text, l->place.va, &pa) != TEXT_IMAGE)
        compare(ctx, l);
}

/*
 * The run has ended: what the last calls have left, and modules, if the kernel is not about to
 * change it.
 */
void state_labels_end(struct audit *a, struct state_labels *s)
{
    struct hart *h = audit_hart_in_kernel(a);
    struct lock_event at = {.lock = LOCK_JUMP_LABEL};

    if (!a->config.labels || !h || !is_free(a, h))
        return;
    at.hart = h;
    at.caller = hart_pc(h);
    compare_noted(a, s, &at);
    key_labels_each(a->config.labels, compare_of_module, &(struct comparison){a, s, &at});
}
