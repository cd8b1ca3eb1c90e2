/*
 * state_probes.c - compares the kernel's table of kprobes with its code.
 *
 * A place that the table has on has a breakpoint; one that is off, or has left the table, has none;
 * one that gets or loses its breakpoint is in the table then, so that a hart that hits it finds it;
 * and a place in code that was freed is marked as gone. A breakpoint inside of a site is judged
 * when ftrace complains about the site. All places are compared when kprobe_mutex is released,
 * unless that would take long beside what the hart has executed since the last time: then at a
 * later release.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "ftrace/kernel/kprobe_table.h"
#include "ftrace/kernel/text_map.h"
#include "mem/bus.h"

/* Cycles of a hart for each place that is compared; places that are remembered. */
enum { CYCLES_PER_PLACE = 200, PLACES_MAX = 1 << 16 };

enum probe_fault { PROBE_LACKING, PROBE_LEFT, PROBE_GONE, PROBE_SHARED, PROBE_FREED, PROBE_FAULTS };

static const enum message messages[PROBE_FAULTS] = {
    [PROBE_LACKING] = MESSAGE_PROBE_LACKING, [PROBE_LEFT] = MESSAGE_PROBE_LEFT,
    [PROBE_GONE] = MESSAGE_PROBE_GONE,       [PROBE_SHARED] = MESSAGE_PROBE_SHARED,
    [PROBE_FREED] = MESSAGE_PROBE_FREED,
};

struct comparison {
    struct audit *audit;
    struct state_probes *state;
    const struct lock_event *lock;
    struct map now; /* the places of the table -> whether they are on */
    uint64_t count;
};

/* Whether a breakpoint is at the address. False, too: nothing can be read there. */
static bool has_breakpoint(struct hart *h, uint64_t va)
{
    uint32_t word = 0;
    uint16_t low;

    if (!hart_peek(h, va, &low, sizeof low))
        return false;
    word = low;
    if (insn_size(low) == 4 && !hart_peek(h, va, &word, sizeof word))
        return false;
    return ebreak_size(word) == insn_size(low);
}

static bool is_debuggers(const struct comparison *c, uint64_t va)
{
    uint64_t pa;

    return hart_translate(c->lock->hart, va, ACCESS_LOAD, &pa) &&
           audit_by_debugger(c->audit, pa, 4);
}

static void report(const struct comparison *c, uint64_t va, enum probe_fault fault)
{
    struct audit *a = c->audit;
    uint64_t place = audit_function(a, c->lock->caller) ^ (uint64_t)fault << 48;
    enum rule rule = fault == PROBE_FREED ? RULE_names_freed_code : RULE_wrong_probe;
    const struct breach b = {.rule = rule,
                             .hart = hart_id(c->lock->hart),
                             .site = NO_SITE,
                             .pc = va,
                             .cycle = hart_cycles(c->lock->hart),
                             .cause = audit_cause(rule, place)};
    struct finding *f = audit_add(a, &b);
    uint8_t memory[4];
    struct fact *fact;

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    if (hart_peek(c->lock->hart, va, memory, sizeof memory)) {
        fact = audit_fact(f, LABEL_IN_MEMORY, FACT_BYTES);
        fact->va = va;
        fact->size = sizeof memory;
        memcpy(fact->bytes, memory, sizeof memory);
    }
    audit_fact_message(f, LABEL_WRONG, messages[fault]);
    audit_fact_moment(f, LABEL_JUDGED, c->lock->hart, c->lock->caller);
    audit_fact_task(a, f, c->lock->hart);
    audit_fact_order(f);
}

/* Notes whether the place is wrong, and reports it if it was not so before. */
static void judge(const struct comparison *c, uint64_t va, bool wrong, enum probe_fault fault)
{
    struct map *told = &c->state->told;
    uint64_t before = 0;

    if (!map_get(told, va, &before) && (!wrong || told->len == PLACES_MAX)) {
        c->state->left_out += wrong;
        return;
    }
    if (!wrong && before >> PROBE_FREED & 1) {
        map_put(told, va, UINT64_C(1) << PROBE_FREED);
        return;
    }
    if (!wrong) {
        map_remove(told, va);
        return;
    }
    map_put(told, va, before | UINT64_C(1) << fault);
    if (!(before >> fault & 1))
        report(c, va, fault);
}

bool state_probes_named_freed(const struct state_probes *s, uint64_t va)
{
    uint64_t told;

    return map_get(&s->told, va, &told) && told >> PROBE_FREED & 1;
}

/* Whether the entry names code that was freed, which is judged. */
static bool judge_freed(const struct comparison *c, const struct kprobe_entry *e)
{
    if (e->gone || e->va == UINT64_MAX || !state_named_freed(c->audit, c->lock->hart, e->va))
        return false;
    judge(c, e->va, true, PROBE_FREED);
    return true;
}

static void compare_entry(void *ctx, const struct kprobe_entry *e)
{
    struct comparison *c = ctx;
    bool has;

    c->count++;
    if (judge_freed(c, e))
        return;
    if (e->va == UINT64_MAX || e->by_ftrace || c->now.len == PLACES_MAX)
        return;
    map_put(&c->now, e->va, e->on && !e->gone);
    if (e->gone || is_debuggers(c, e->va))
        return;
    has = has_breakpoint(c->lock->hart, e->va);
    if (e->wanted && !e->on)
        judge(c, e->va, true, PROBE_SHARED);
    else
        judge(c, e->va, e->on != has, e->on ? PROBE_LACKING : PROBE_LEFT);
}

/* Whether the code is sure to be the same as when it had a probe. */
static bool stays(const struct comparison *c, uint64_t va)
{
    uint64_t pa;

    return c->audit->config.text && text_map_find(c->audit->config.text, va, &pa) == TEXT_IMAGE;
}

/* The places that had a probe, and are in the table no more. */
static void compare_gone(const struct comparison *c)
{
    size_t count;
    uint64_t *before = map_keys(&c->state->armed, &count), ignored;

    for (size_t i = 0; i < count; i++)
        if (!map_get(&c->now, before[i], &ignored) && stays(c, before[i]) &&
            !is_debuggers(c, before[i]))
            judge(c, before[i], has_breakpoint(c->lock->hart, before[i]), PROBE_GONE);
    free(before);
}

static void note_armed(const struct comparison *c)
{
    size_t count;
    uint64_t *now = map_keys(&c->now, &count), on;

    map_clear(&c->state->armed);
    for (size_t i = 0; i < count; i++)
        if (map_get(&c->now, now[i], &on) && on)
            map_put(&c->state->armed, now[i], 1);
    free(now);
}

/* Whether the hart has executed so much that the comparison takes little beside it. */
static bool is_time(struct state_probes *s, uint64_t cycle)
{
    if (cycle < s->scanned_at) /* another hart's cycles */
        s->scanned_at = cycle;
    return !s->count || cycle - s->scanned_at >= CYCLES_PER_PLACE * s->count;
}

void state_probes_compare(struct audit *a, struct state_probes *s, const struct lock_event *lock)
{
    struct comparison c = {.audit = a, .state = s, .lock = lock};
    bool none;

    if (!a->config.kprobes || !is_time(s, hart_cycles(lock->hart)))
        return;
    if (!kprobe_table_read(a->config.kprobes, lock->hart, &none, compare_entry, &c)) {
        s->left_out++;
    } else if (!none) {
        compare_gone(&c);
        note_armed(&c);
    }
    s->count = c.count;
    s->scanned_at = hart_cycles(lock->hart);
    map_free(&c.now);
}

static void look_at_entry(void *ctx, const struct kprobe_entry *e)
{
    (void)judge_freed(ctx, e);
}

void state_probes_freed(struct audit *a, struct state_probes *s, struct hart *h)
{
    const struct lock_event at = {h, LOCK_KPROBE, hart_pc(h)};
    struct comparison c = {.audit = a, .state = s, .lock = &at};
    bool none;

    if (a->config.kprobes && audit_lock_is_free(a, h, "kprobe_mutex") &&
        !kprobe_table_read(a->config.kprobes, h, &none, look_at_entry, &c))
        s->left_out++;
}

/* ---- breakpoints without an entry ---- */

/* The code around a store, from two bytes before it to two bytes behind it, before or after it. */
enum { AROUND = 2, AROUND_MAX = 8 };

static bool is_ebreak(const uint8_t *bytes, unsigned size)
{
    uint32_t word = 0;

    memcpy(&word, bytes, size);
    return ebreak_size(word) == size;
}

/*
 * Whether a store makes a breakpoint of what was none, or the other way round. A breakpoint of four
 * bytes may be written by two stores. `last': the store's address; *va: the breakpoint's.
 */
static bool turns_breakpoint(struct hart *h, const struct code_write *w, uint64_t last,
                             uint64_t *va)
{
    uint8_t old[AROUND_MAX] = {0}, new[AROUND_MAX] = {0};

    if (is_ebreak(w->old_bytes, w->size) != is_ebreak(w->new_bytes, w->size)) {
        *va = last;
        return true;
    }
    if (w->size != 2 || !hart_peek(h, last - AROUND, new, w->size + 2 * AROUND))
        return false;
    memcpy(new + AROUND, w->new_bytes, w->size);
    memcpy(old, new, sizeof old);
    memcpy(old + AROUND, w->old_bytes, w->size);
    for (unsigned at = 0; at <= AROUND; at += AROUND)
        if (is_ebreak(old + at, 4) != is_ebreak(new + at, 4)) {
            *va = last - AROUND + at;
            return true;
        }
    return false;
}

static void report_unlisted(struct audit *a, const struct code_write *w, uint64_t va)
{
    const struct breach b = {.rule = RULE_wrong_probe,
                             .hart = w->who.hart,
                             .site = NO_SITE,
                             .pc = w->who.pc,
                             .cycle = w->who.cycle,
                             .step = w->who.step,
                             .cause = audit_cause(RULE_wrong_probe, MESSAGE_PROBE_UNLISTED)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = w->who;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_PROBE_UNLISTED);
    audit_fact_order(f);
}

void state_probes_store(struct audit *a, const struct code_write *w)
{
    const struct text_store *last = w->who.kind == WRITER_HART ? &a->harts[w->who.hart].text : NULL;
    struct hart *h;
    uint64_t va;

    if ((w->size != 2 && w->size != 4) || !a->config.kprobes || !last || last->stamp != w->stamp ||
        !last->va)
        return;
    h = cluster_hart(a->config.cluster, w->who.hart);
    if (!turns_breakpoint(h, w, last->va, &va))
        return;
    if (audit_lock_is_taken(a, h, "kprobe_mutex") && audit_translates(h) &&
        !kprobe_table_lists(a->config.kprobes, h, va))
        report_unlisted(a, w, va);
}

/* ---- breakpoints in sites ---- */

/*
 * Whether an instruction of the site other than its first one is a breakpoint. Linux permits a
 * probe there; but ftrace compares and writes a site as a whole.
 */
static bool is_probed_inside(const struct audit *a, const struct site *s)
{
    uint8_t now[SITE_BYTES_MAX + 2] = {0};
    unsigned at;

    if (s->gone || !bus_read(cluster_bus(a->config.cluster), s->pa, now, s->size))
        return false;
    at = insn_size((uint16_t)(now[0] | now[1] << 8));
    while (at + 2 <= s->size) {
        uint32_t word;

        memcpy(&word, now + at, sizeof word);
        if (ebreak_size(word) == insn_size((uint16_t)word))
            return true;
        at += insn_size((uint16_t)word);
    }
    return false;
}

void state_probes_alarm(struct audit *a, struct hart *h, uint64_t ip, uint64_t caller)
{
    struct breach b = {.rule = RULE_wrong_probe,
                       .hart = hart_id(h),
                       .site = NO_SITE,
                       .pc = ip,
                       .cycle = hart_cycles(h),
                       .cause = audit_cause(RULE_wrong_probe, MESSAGE_PROBE_IN_SITE)};
    struct finding *f;
    uint64_t pa;

    if (ip && hart_translate(h, ip, ACCESS_LOAD, &pa))
        b.site = site_find(a->config.sites, pa, 1);
    if (b.site == NO_SITE || !is_probed_inside(a, site_get(a->config.sites, b.site)))
        return;
    f = audit_add(a, &b);
    if (!f)
        return;
    audit_fact_site(f, b.site);
    audit_fact_message(f, LABEL_WRONG, MESSAGE_PROBE_IN_SITE);
    audit_fact_moment(f, LABEL_JUDGED, h, caller);
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}
