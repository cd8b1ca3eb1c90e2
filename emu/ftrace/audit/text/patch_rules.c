/*
 * patch_rules.c - the rules about stores to code that is known: sites, jump labels, the kernel's
 * text.
 *
 * A store that only some of the harts may see halfway is wrong if another hart may fetch at that
 * moment. Harts that wait in stop_machine have interrupts off; so a hart "may fetch" if it is in
 * U-mode, or in S-mode with interrupts on, or waits for one. A hart that runs with interrupts off
 * is passed over, whatever it does: some store of the kind meets another one soon.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/jump_table.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "mem/bus.h"

/* Another hart's store to text while this one's update is open; stamp 0: none. */
struct text_overlap {
    uint32_t hart;
    uint64_t stamp, pc, cycle, step;
    bool guarded; /* by text_mutex */
};

struct patching_hart {
    struct text_overlap overlap;
    bool is_bare; /* its last store was made without text_mutex, and it has not fenced since */
    struct {
        uint64_t pa, stamp; /* stamp 0: none */
        uint16_t old, new;
    } half; /* its last store of two bytes to text, while another hart could run it */
};

struct patch_rules {
    struct audit *audit;
    struct patching_hart *harts;
    bool lock_seen; /* text_mutex was owned once */
};

/* ---- which harts may fetch ---- */

static bool is_interruptible(const struct hart *h)
{
    return hart_status(h).sstatus & SSTATUS_SIE;
}

static bool may_fetch(const struct audit *a, unsigned hart)
{
    const struct hart *h = cluster_hart(a->config.cluster, hart);

    if (!hart_insns(h) || hart_sync_stamp(h) == UINT64_MAX || hart_mode(h) == PRIV_M)
        return false; /* it has not been started, or is stopped, or in firmware */
    return hart_mode(h) == PRIV_U || hart_waits_for(h) != HART_WAITS_NOT || is_interruptible(h);
}

static uint32_t find_onlooker(const struct audit *a, uint32_t writer)
{
    unsigned harts = cluster_hart_count(a->config.cluster);

    for (uint32_t i = 0; i < harts; i++)
        if (i != writer && may_fetch(a, i))
            return i;
    return NO_HART;
}

uint32_t patch_rules_onlooker(struct audit *a, const struct code_write *w)
{
    if (!a->store.has_onlooker) {
        a->store.onlooker = find_onlooker(a, w->who.hart);
        a->store.has_onlooker = true;
    }
    return a->store.onlooker;
}

/* ---- evidence ---- */

static void add_bytes(struct finding *f, enum fact_label label, uint64_t va, const uint8_t *bytes,
                      unsigned size)
{
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = va;
    fact->size = (uint8_t)size;
    memcpy(fact->bytes, bytes, size);
}

static void add_onlooker(const struct audit *a, struct finding *f, uint32_t onlooker)
{
    const struct hart *h = cluster_hart(a->config.cluster, onlooker);

    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
}

static struct finding *report(struct audit *a, enum rule rule, const struct code_write *w)
{
    const struct breach b = {.rule = rule,
                             .hart = w->who.hart,
                             .site = a->harts[w->who.hart].text.site,
                             .pc = w->who.pc,
                             .cycle = w->who.cycle,
                             .step = w->who.step,
                             .cause = audit_cause(rule, audit_patcher(a, &w->who))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return NULL;
    audit_fact_site(f, b.site);
    if (b.site == NO_SITE && a->harts[b.hart].text.va)
        audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = a->harts[b.hart].text.va;
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = w->who;
    return f;
}

/* Adds what the store has changed. */
static void add_change(struct audit *a, struct finding *f, const struct code_write *w)
{
    uint64_t va = a->harts[w->who.hart].text.va;

    add_bytes(f, LABEL_OLD, va, w->old_bytes, w->size);
    add_bytes(f, LABEL_NEW, va, w->new_bytes, w->size);
}

/* ---- stores that are seen halfway ---- */

/* What one store must change. */
struct single {
    uint64_t pa;
    unsigned size;
    uint32_t
        literal_of; /* the site before which it is the address of an ops; NO_SITE: it is code */
};

static bool overlaps(const struct code_write *w, const struct single *s)
{
    return w->pa < s->pa + s->size && s->pa < w->pa + w->size;
}

/* The instruction of a site of an atomic layout, the address of an ops before it, or a jump label.
 */
static bool find_single(const struct audit *a, const struct code_write *w, struct single *found)
{
    const struct site_table *t = a->config.sites;
    uint32_t id = a->harts[w->who.hart].text.site;
    const struct site *s = id == NO_SITE ? NULL : site_get(t, id);

    *found = (struct single){.size = JUMP_LABEL_BYTES, .literal_of = NO_SITE};
    if (s && site_is_atomic(t, s) && w->pa + w->size > s->pa + 4) {
        found->pa = s->pa + 4;
        return true;
    }
    found->literal_of = s ? NO_SITE : site_find_literal(t, w->pa, w->size);
    if (found->literal_of != NO_SITE) {
        found->size = site_traits(t)->literal;
        found->pa = (site_get(t, found->literal_of)->pa - found->size) & -UINT64_C(8);
        return overlaps(w, found);
    }
    found->pa = a->config.text ? text_map_jump_label(a->config.text, w->pa, w->size) : 0;
    return found->pa != 0;
}

static bool changes(const struct code_write *w)
{
    return memcmp(w->old_bytes, w->new_bytes, w->size) != 0;
}

/* Whether the hart's store is to text that is known, and changes it while another hart may run it.
 */
static bool is_seen(struct audit *a, const struct code_write *w, uint32_t *by)
{
    if (w->who.kind != WRITER_HART || a->harts[w->who.hart].text.stamp != w->stamp || !changes(w))
        return false;
    *by = patch_rules_onlooker(a, w);
    return *by != NO_HART;
}

static uint64_t number_of(const uint8_t *bytes, unsigned size)
{
    uint64_t number = 0;

    memcpy(&number, bytes, size < sizeof number ? size : sizeof number);
    return number;
}

/* A part of the address of an ops was stored, which a trampoline may read now. */
static void add_literal(struct finding *f, const struct code_write *w, const struct single *s)
{
    audit_fact(f, LABEL_NEAR, FACT_SITE)->site = s->literal_of;
    audit_fact_text(f, LABEL_WRONG,
                    "%u of the %u bytes of the address of an ops before the function: 0x%llx, now "
                    "0x%llx; a trampoline may read it now",
                    w->size, s->size, (unsigned long long)number_of(w->old_bytes, w->size),
                    (unsigned long long)number_of(w->new_bytes, w->size));
}

static void check_split(struct audit *a, const struct code_write *w, uint32_t by)
{
    struct finding *f;
    struct single s;

    if (!find_single(a, w, &s) || (w->pa <= s.pa && w->pa + w->size >= s.pa + s.size))
        return;
    f = report(a, RULE_split_store, w);
    if (!f)
        return;
    if (s.literal_of == NO_SITE)
        add_change(a, f, w);
    else
        add_literal(f, w, &s);
    add_onlooker(a, f, by);
    audit_fact_order(f);
}

static bool is_long(uint16_t parcel)
{
    return (parcel & 3) == 3;
}

/*
 * Two stores of two bytes each, one after the other, to what was one instruction of four bytes, or
 * becomes one.
 */
static bool is_other_half(const struct patch_rules *r, const struct code_write *w, uint16_t old,
                          uint16_t new)
{
    const struct patching_hart *p = &r->harts[w->who.hart];
    bool is_first = w->pa < p->half.pa;

    return p->half.stamp && (w->pa + 2 == p->half.pa || p->half.pa + 2 == w->pa) &&
           p->half.stamp >= updates_begun(r->audit->config.updates, w->who.hart, w->stamp) &&
           (is_first ? is_long(old) || is_long(new) : is_long(p->half.old) || is_long(p->half.new));
}

static void check_halves(struct patch_rules *r, const struct code_write *w, uint32_t by)
{
    struct patching_hart *p = &r->harts[w->who.hart];
    struct finding *f = NULL;
    struct single single;
    uint16_t old, new;

    if (w->size != sizeof old || r->audit->harts[w->who.hart].text.site != NO_SITE ||
        find_single(r->audit, w, &single)) {
        p->half.stamp = 0;
        return;
    }
    memcpy(&old, w->old_bytes, sizeof old);
    memcpy(&new, w->new_bytes, sizeof new);
    if (is_other_half(r, w, old, new))
        f = report(r->audit, RULE_split_store, w);
    p->half.pa = w->pa;
    p->half.stamp = w->stamp;
    p->half.old = old;
    p->half.new = new;
    if (!f)
        return;
    add_change(r->audit, f, w);
    add_onlooker(r->audit, f, by);
    audit_fact_order(f);
}

static void check_alignment(struct audit *a, const struct code_write *w, uint32_t by)
{
    struct finding *f;

    if (w->pa % w->size == 0)
        return;
    f = report(a, RULE_misaligned_patch, w);
    if (!f)
        return;
    add_change(a, f, w);
    add_onlooker(a, f, by);
    audit_fact_order(f);
}

/* Whether a compressed nop became the first half of a longer instruction. */
static bool merges(const struct site *s, const struct code_write *w)
{
    static const uint8_t nop[] = {0x01, 0x00};

    for (unsigned i = 0; i + sizeof nop <= w->size; i += 2)
        if ((w->pa + i - s->pa) % 4 == 0 && !memcmp(&w->old_bytes[i], nop, sizeof nop) &&
            (w->new_bytes[i] & 3) == 3)
            return true;
    return false;
}

static void check_merge(struct audit *a, const struct code_write *w, uint32_t by)
{
    const struct site *s;
    struct finding *f;

    if (a->harts[w->who.hart].text.site == NO_SITE)
        return;
    s = site_get(a->config.sites, a->harts[w->who.hart].text.site);
    if (s->module || !merges(s, w)) /* a module's are merged before it is run */
        return;
    f = report(a, RULE_merge_while_running, w);
    if (!f)
        return;
    add_change(a, f, w);
    add_onlooker(a, f, by);
    audit_fact_order(f);
}

/* ---- what is replaced ---- */

/* Whether the hart's store goes on with what it has begun in this update, as at the end of a page.
 */
static bool continues(const struct audit *a, const struct code_write *w)
{
    const struct text_store *last = &a->harts[w->who.hart].text;

    return last->site == last->site_before &&
           last->stamp_before >= updates_begun(a->config.updates, w->who.hart, w->stamp);
}

/* The patch of a site that the store is part of; or NULL. */
static const struct patch *patch_of(const struct audit *a, const struct code_write *w)
{
    const struct text_store *last = &a->harts[w->who.hart].text;
    const struct patch *p;

    if (w->who.kind != WRITER_HART || last->stamp != w->stamp || last->site == NO_SITE)
        return NULL;
    p = a->store.patch;
    return p && p->stamp == w->stamp ? p : NULL;
}

/* Whether a word of the site that is no breakpoint was changed, too. */
static bool changes_beside(const struct site *s, const struct patch *p)
{
    for (unsigned at = 0; at < s->size; at += 4) {
        struct site word = {.size = 4};

        if (!site_has_breakpoint(&word, p->old_bytes + at) &&
            memcmp(p->old_bytes + at, p->new_bytes + at, 4) != 0)
            return true;
    }
    return false;
}

/*
 * A kprobe's breakpoint in a site comes and goes, and the other words of the site may change
 * meanwhile; but a patch of the site that takes it away is not the kprobe's.
 */
static bool is_unexpected(const struct audit *a, const struct site *s, const struct patch *p,
                          const struct code_write *w)
{
    if (site_has_breakpoint(s, p->old_bytes))
        return !site_has_breakpoint(s, p->new_bytes) && changes_beside(s, p);
    return p->stores == 1 && !continues(a, w) &&
           site_state(a->config.sites, s, p->old_bytes, NULL) == SITE_OTHER;
}

/* A site that holds what no protocol leaves there is overwritten. */
static void check_old(struct audit *a, const struct code_write *w)
{
    const struct patch *p = patch_of(a, w);
    const struct site *s = p ? site_get(a->config.sites, p->site) : NULL;
    struct finding *f;

    if (!s || s->kind != SITE_FUNCTION || (s->module && !state_rules_module_runs(a, p->site)) ||
        !is_unexpected(a, s, p, w))
        return;
    f = report(a, RULE_unexpected_old, w);
    if (f)
        add_bytes(f, LABEL_OLD, s->va, p->old_bytes, p->size);
}

/*
 * The stores to a module's sites while it is loaded are not seen, as no hart has run its code. So
 * what they will replace is judged when the kernel takes up the site.
 */
static void check_taken(struct audit *a, const struct site_taken_event *e)
{
    const struct site *s = site_get(a->config.sites, e->site);
    const struct breach b = {
        .rule = RULE_unexpected_old,
        .hart = hart_id(e->hart),
        .site = e->site,
        .pc = s->va,
        .cycle = hart_cycles(e->hart),
        .cause = audit_cause(RULE_unexpected_old, audit_function(a, hart_pc(e->hart)))};
    uint8_t bytes[SITE_BYTES_MAX];
    struct finding *f;

    if (!bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size) ||
        site_state(a->config.sites, s, bytes, NULL) != SITE_OTHER)
        return;
    f = audit_add(a, &b);
    if (!f)
        return;
    audit_fact_site(f, e->site);
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = s->va;
    add_bytes(f, LABEL_OLD, s->va, bytes, s->size);
    audit_fact_message(f, LABEL_WHY, MESSAGE_TABLE_ODD);
    audit_fact_moment(f, LABEL_JUDGED, e->hart, hart_pc(e->hart));
    audit_fact_order(f);
}

/* ---- two harts at once ---- */

/* Who has text_mutex: no task, one that waits, or the one that a hart runs. */
enum lock_state { LOCK_FREE, LOCK_OF_SLEEPER, LOCK_OWN, LOCK_OF_OTHER };

/*
 * Linux's mutex begins with its owner, and so does the guest kernel's; the task is what tp points
 * to. In the low bits are flags.
 */
enum { OWNER_FLAGS = 7 };

/* Who has it when the hart patches. *other: the hart that runs the owner, if it is LOCK_OF_OTHER.
 */
static enum lock_state lock_state(const struct audit *a, uint32_t hart, uint32_t *other)
{
    struct cluster *c = a->config.cluster;
    uint64_t owner;

    if (!bus_read(cluster_bus(c), a->config.text_mutex, &owner, sizeof owner))
        return LOCK_FREE;
    owner &= ~(uint64_t)OWNER_FLAGS;
    if (!owner || owner == hart_reg(cluster_hart(c, hart), REG_TP))
        return owner ? LOCK_OWN : LOCK_FREE;
    for (uint32_t i = 0; i < cluster_hart_count(c); i++) {
        if (hart_reg(cluster_hart(c, i), REG_TP) != owner)
            continue;
        *other = i;
        return LOCK_OF_OTHER;
    }
    return LOCK_OF_SLEEPER;
}

static void report_overlap(struct audit *a, const struct text_overlap *o,
                           const struct code_write *w)
{
    struct finding *f = report(a, RULE_concurrent_patchers, w);
    struct fact *fact;

    if (!f)
        return;
    fact = audit_fact(f, LABEL_BETWEEN, FACT_STORE);
    fact->writer = (struct writer){
        .kind = WRITER_HART, .hart = o->hart, .pc = o->pc, .cycle = o->cycle, .step = o->step};
    audit_fact_message(f, LABEL_MISSING, o->guarded ? MESSAGE_LOCK_HERE : MESSAGE_LOCK_THERE);
    audit_fact_order(f);
}

/* How long a store without the lock counts as under way, if its hart does not fence. */
enum { BARE_CYCLES = 10 * 1000 };

/* The store was made without text_mutex, which the task of another hart has now. */
static void report_other_owner(struct audit *a, const struct code_write *w, uint32_t other)
{
    struct finding *f = report(a, RULE_concurrent_patchers, w);
    const struct hart *h = cluster_hart(a->config.cluster, other);

    if (!f)
        return;
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    audit_fact_message(f, LABEL_MISSING, MESSAGE_LOCK_OTHER);
    audit_fact_order(f);
}

/* Whether the hart stored to text without the lock a moment ago, and has not fenced since. */
static bool is_bare(const struct patch_rules *r, uint32_t hart)
{
    const struct text_store *last = &r->audit->harts[hart].text;

    return r->harts[hart].is_bare &&
           hart_cycles(cluster_hart(r->audit->config.cluster, hart)) - last->cycle < BARE_CYCLES;
}

/*
 * A hart stores, then another one, then the first one again, all in one update of it: either they
 * had the lock in turn, or at one of the stores neither its task nor one that waits had it.
 */
static void check_between(struct patch_rules *r, const struct code_write *w, bool guarded)
{
    struct audit *a = r->audit;
    struct text_overlap *overlap = &r->harts[w->who.hart].overlap;
    uint64_t begun = updates_begun(a->config.updates, w->who.hart, w->stamp);

    if (overlap->stamp > begun && r->lock_seen && !(guarded && overlap->guarded))
        report_overlap(a, overlap, w);
    overlap->stamp = 0;
}

/*
 * Another hart has stored without the lock, and is not at its fence yet: it is still in what the
 * lock must keep others out of.
 */
static void check_bare(struct patch_rules *r, const struct code_write *w)
{
    struct audit *a = r->audit;

    for (uint32_t i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        const struct code_write other = {.who = text_store_writer(&a->harts[i].text, i)};

        if (i == w->who.hart || !is_bare(r, i))
            continue;
        r->harts[i].is_bare = false;
        report_other_owner(a, &other, w->who.hart);
    }
}

static void note_store(struct patch_rules *r, const struct code_write *w, bool guarded)
{
    for (uint32_t i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        if (i != w->who.hart && updates_is_open(r->audit->config.updates, i))
            r->harts[i].overlap = (struct text_overlap){.hart = w->who.hart,
                                                        .stamp = w->stamp,
                                                        .pc = w->who.pc,
                                                        .cycle = w->who.cycle,
                                                        .step = w->who.step,
                                                        .guarded = guarded};
}

/* Whether a hart can run the site where it was: its memory was not given to something else. */
static bool is_still_there(const struct audit *a, const struct site *s, uint32_t hart)
{
    struct hart *h = cluster_hart(a->config.cluster, hart);
    uint64_t pa;

    return !audit_translates(h) || (hart_translate(h, s->va, ACCESS_FETCH, &pa) && pa == s->pa);
}

/*
 * Whether the store is to code that is run: not to a module that is still being loaded, or is gone
 * although the kernel still lists its sites.
 */
static bool is_of_running_code(const struct audit *a, const struct code_write *w)
{
    uint32_t id = a->harts[w->who.hart].text.site;
    const struct site *s = id == NO_SITE ? NULL : site_get(a->config.sites, id);

    return !s || !s->module ||
           (state_rules_module_runs(a, id) && is_still_there(a, s, w->who.hart));
}

/* Whether something else may happen on some hart before the present store's hart fences. */
static bool may_interleave(struct audit *a, const struct code_write *w)
{
    return is_interruptible(cluster_hart(a->config.cluster, w->who.hart)) ||
           patch_rules_onlooker(a, w) != NO_HART;
}

/* Other stores to text were made with the lock, and this one by a task that does not have it. */
static void report_bare(struct audit *a, const struct code_write *w)
{
    struct finding *f;

    if (!audit_is_settled(a) || !changes(w) || !may_interleave(a, w))
        return;
    f = report(a, RULE_concurrent_patchers, w);
    if (!f)
        return;
    audit_fact_message(f, LABEL_MISSING, MESSAGE_LOCK_BARE);
    audit_fact_order(f);
}

/*
 * Harts must not be between the mapping of text and the fence at the same time, whatever they
 * change. text_mutex keeps others out if the hart's own task is the owner, or if the owner runs on
 * no hart, as one that waits for stop_machine to patch on its behalf, and the hart takes no
 * interrupts. A kernel that does not use text_mutex in the form that is known is not judged.
 */
static void check_overlap(struct patch_rules *r, const struct code_write *w)
{
    struct audit *a = r->audit;
    enum lock_state lock;
    uint32_t other;
    bool guarded;

    if (w->who.kind != WRITER_HART || a->harts[w->who.hart].text.stamp != w->stamp ||
        !a->config.text_mutex)
        return;
    lock = lock_state(a, w->who.hart, &other);
    guarded = lock == LOCK_OWN || (lock == LOCK_OF_SLEEPER &&
                                   !is_interruptible(cluster_hart(a->config.cluster, w->who.hart)));
    r->lock_seen |= lock == LOCK_OWN;
    r->harts[w->who.hart].is_bare = !guarded && r->lock_seen && is_of_running_code(a, w);
    check_between(r, w, guarded);
    check_bare(r, w);
    if (r->harts[w->who.hart].is_bare && lock == LOCK_OF_OTHER) {
        r->harts[w->who.hart].is_bare = false;
        report_other_owner(a, w, other);
    } else if (r->harts[w->who.hart].is_bare) {
        report_bare(a, w);
    }
    note_store(r, w, guarded);
}

/*
 * The fence after a store without the lock. Stores to text that is not run yet, as of a new
 * program, are not seen; but the lock is, which another hart has got in between.
 */
static void check_fence(struct patch_rules *r, uint32_t hart)
{
    const struct code_write w = {.who = text_store_writer(&r->audit->harts[hart].text, hart)};
    uint32_t other;

    if (is_bare(r, hart) && lock_state(r->audit, hart, &other) == LOCK_OF_OTHER)
        report_other_owner(r->audit, &w, other);
    r->harts[hart].is_bare = false;
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct patch_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    return r;
}

static void destroy(void *rules)
{
    struct patch_rules *r = rules;

    free(r->harts);
    free(r);
}

static void check_store(struct patch_rules *r, const struct code_write *w)
{
    uint32_t by;

    if (is_seen(r->audit, w, &by)) {
        check_split(r->audit, w, by);
        check_halves(r, w, by);
        check_alignment(r->audit, w, by);
        check_merge(r->audit, w, by);
    }
    check_old(r->audit, w);
    check_overlap(r, w);
}

static void on_event(void *rules, const struct event *e)
{
    struct patch_rules *r = rules;

    if (e->kind == EVENT_CODE_WRITE)
        check_store(r, &e->code_write);
    else if (r->harts[hart_id(e->fence.hart)].is_bare)
        check_fence(r, hart_id(e->fence.hart));
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    const struct patch_rules *r = rules;

    if (e->taken.site != NO_SITE)
        check_taken(r->audit, &e->taken);
}

static void hart_io(struct state_io *io, struct patching_hart *h)
{
    STATE_IO(io, h->overlap.hart);
    STATE_IO(io, h->overlap.stamp);
    STATE_IO(io, h->overlap.pc);
    STATE_IO(io, h->overlap.cycle);
    STATE_IO(io, h->overlap.step);
    STATE_IO(io, h->overlap.guarded);
    STATE_IO(io, h->is_bare);
    STATE_IO(io, h->half.pa);
    STATE_IO(io, h->half.stamp);
    STATE_IO(io, h->half.old);
    STATE_IO(io, h->half.new);
}

static void state_io(struct state_io *io, void *rules)
{
    struct patch_rules *r = rules;

    state_io_section(io, "patch-rules", 5);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        hart_io(io, &r->harts[i]);
    STATE_IO(io, r->lock_seen);
}

const struct rule_family patch_family = {
    .create = create,
    .destroy = destroy,
    .event = on_event,
    .ftrace_event = on_ftrace_event,
    .state_io = state_io,
};
