/*
 * translation_rules.c - the rule about translations that are used after the page table was changed
 * (docs/rules.md).
 *
 * The machine says when a hart uses a translation that is not that of memory any more, and this
 * makes a difference (EVENT_STALE_TRANSLATION). That may be legal: kernels change entries first and
 * flush later, and until then other harts may go on. It is a mistake where the hart has changed the
 * entry itself, where a store goes to another page than the kernel's table says, and where the one
 * that changed the entry is done with it: it has flushed, or its task has returned to user mode.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/fetches/freed_text.h"
#include "mem/ram.h"

enum {
    FLUSHES_KEPT = 1024, /* the newest ones, of all harts */
    STAYS_KEPT = 16,     /* of one hart */
    /* After this many cycles a flush that has begun has ended, also on harts that wait for another.
     */
    FLUSH_CYCLES = 1000 * 1000,
    /* A fence.i right after the store, where an sfence.vma was meant. */
    INSTEAD_CYCLES = 100,
    INSTEAD_BYTES = 64,
    REQUEST_CYCLES = 2000,
    WAITING_KEPT = 64,
};

/* An sfence.vma. */
struct flush {
    uint32_t requester, hart;
    uint64_t pc, cycle;  /* of the requester */
    uint64_t from, size; /* size 0: of all addresses */
    bool one_asid;
    uint16_t asid;
};

/* A fence.i for a hart. */
struct code_fence {
    bool known;
    uint32_t requester;
    uint64_t pc, cycle; /* of the requester */
};

/* The time of a hart from one switch of tasks to the next. */
struct stay {
    uint64_t from; /* the switch was before this cycle */
    uint64_t user; /* the last return to user mode; 0: none */
};

struct translating_hart {
    struct code_fence code_fence;
    struct stay stays[STAYS_KEPT]; /* a ring */
    uint32_t stay;                 /* number of the present one */
    uint32_t switches;
};

/* A use that was legal so far. When the kernel is done with the change, the next one is none. */
struct waiting {
    uint32_t hart;
    struct stale_translation use; /* without its hart */
};

struct translation_rules {
    struct audit *audit;
    bool on;
    VEC_OF(struct waiting) waiting;
    struct translating_hart *harts;
    struct freed_text *freed;
    struct flush flushes[FLUSHES_KEPT]; /* a ring */
    uint64_t flush_count;
    uint64_t left_out; /* uses that could not be judged, or not when the kernel was done */
};

/* ---- what happened before ---- */

static void note_flush(struct translation_rules *r, const struct fence_event *f)
{
    r->flushes[r->flush_count++ % FLUSHES_KEPT] =
        (struct flush){.requester = f->requester,
                       .hart = hart_id(f->hart),
                       .pc = f->pc,
                       .cycle = f->cycle,
                       .from = f->va / PAGE_BYTES * PAGE_BYTES,
                       .size = f->one_address ? PAGE_BYTES : f->size,
                       .one_asid = f->one_asid,
                       .asid = f->asid};
}

static void note_fence(struct translation_rules *r, const struct fence_event *f)
{
    r->harts[hart_id(f->hart)].code_fence = (struct code_fence){
        .known = true, .requester = f->requester, .pc = f->pc, .cycle = f->cycle};
}

static void note_return(struct translation_rules *r, const struct trap_return_event *t)
{
    struct translating_hart *h = &r->harts[hart_id(t->hart)];
    uint32_t switches = r->audit->harts[hart_id(t->hart)].switches;

    if (switches != h->switches) {
        h->switches = switches;
        h->stay++;
        h->stays[h->stay % STAYS_KEPT] = (struct stay){.from = hart_cycles(t->hart)};
    }
    if (t->to == PRIV_U)
        h->stays[h->stay % STAYS_KEPT].user = hart_cycles(t->hart);
}

/*
 * Whether the task that the hart ran at that cycle has returned to user mode since, before another
 * one ran there. False, too, if that is not known.
 */
static bool has_returned(const struct translation_rules *r, uint32_t hart, uint64_t cycle)
{
    const struct translating_hart *h = &r->harts[hart];

    if (!r->audit->sees_switches)
        return false;
    for (uint32_t n = 0; n < STAYS_KEPT && n <= h->stay; n++) {
        const struct stay *s = &h->stays[(h->stay - n) % STAYS_KEPT];

        if (s->from <= cycle)
            return s->user > cycle;
    }
    return false;
}

/* ---- flushes ---- */

static bool covers(const struct flush *f, const struct stale_translation *s)
{
    uint64_t page = s->va & ~((UINT64_C(1) << s->shift) - 1), bytes = UINT64_C(1) << s->shift;

    if (f->one_asid && (s->global || f->asid != s->asid))
        return false;
    if (s->pointer && f->size && f->size < POINTER_FENCE_BYTES)
        return false;
    return !f->size || f->from - page < bytes || page - f->from < f->size;
}

/* Whether it is about this page: one of everything can be for another reason. */
static bool is_meant(const struct flush *f, const struct stale_translation *s)
{
    return covers(f, s) && (!s->user || f->size || f->one_asid);
}

/* The flush, numbered from 1 on; NULL: it is too long ago, or there was none. */
static const struct flush *flush_at(const struct translation_rules *r, uint64_t number)
{
    bool kept = number && number + FLUSHES_KEPT > r->flush_count;

    return kept ? &r->flushes[(number - 1) % FLUSHES_KEPT] : NULL;
}

/* The first flush that the writer has made or asked for since its change of the entry. */
static const struct flush *writers_flush(const struct translation_rules *r,
                                         const struct stale_translation *s)
{
    const struct flush *found = NULL, *f;

    for (uint64_t n = r->flush_count; (f = flush_at(r, n)) != NULL; n--)
        if (f->requester == s->who.hart && f->cycle >= s->who.cycle && is_meant(f, s))
            found = f;
    return found;
}

/* Whether the writer may have flushed since its change without that being kept. */
static bool has_lost_flushes(const struct translation_rules *r, const struct stale_translation *s)
{
    const struct flush *f;

    for (uint64_t n = r->flush_count; (f = flush_at(r, n)) != NULL; n--)
        if (f->requester == s->who.hart && (f->cycle < s->who.cycle || is_meant(f, s)))
            return false;
    return r->flush_count > FLUSHES_KEPT;
}

/* The last flush of the hart that covers the page, or the last one of any kind. */
static const struct flush *last_flush(const struct translation_rules *r,
                                      const struct stale_translation *s, bool covering)
{
    const struct flush *f;

    for (uint64_t n = r->flush_count; (f = flush_at(r, n)) != NULL; n--)
        if (f->hart == hart_id(s->hart) && (!covering || covers(f, s)))
            return f;
    return NULL;
}

/* ---- judgement ---- */

static bool is_own(const struct stale_translation *s)
{
    return s->writer_known && s->who.kind == WRITER_HART && s->who.hart == hart_id(s->hart);
}

/* Whether the kernel is done with the change: harts that use the old entry now will go on so. */
static bool is_done(const struct translation_rules *r, const struct stale_translation *s)
{
    const struct cluster *c = r->audit->config.cluster;
    const struct flush *flush;

    if (!s->writer_known || s->who.kind != WRITER_HART)
        return false;
    if (has_returned(r, s->who.hart, s->who.cycle))
        return true;
    flush = writers_flush(r, s);
    return flush && hart_cycles(cluster_hart(c, s->who.hart)) - flush->cycle > FLUSH_CYCLES;
}

/*
 * A spurious fault, after rights were added, is legal for programs, and for all if a page has
 * become valid: kernels handle it, by a flush of its address, which helps if it was of a leaf. A
 * kernel that has changed the rights of its own page must not meet the old ones.
 */
static bool is_spurious(const struct stale_translation *s)
{
    enum { PTE_V = 1 };

    return s->old_faults && !s->pointer && (s->user || !(s->old_pte & PTE_V));
}

/*
 * What user mode may see of its pages is legal until the
 * kernel is done, on the hart of the change, too: the kernel may run another thread there before it
 * flushes. A table that harts may still walk must not be used for something else.
 */
static bool is_mistake(const struct translation_rules *r, const struct stale_translation *s)
{
    if (s->reused)
        return true;
    if (is_spurious(s))
        return false;
    if (s->other_root) /* an address space with other tables and the same number */
        return s->user;
    if (!s->writer_known)
        return false;
    if (!s->user && is_own(s))
        return true;
    if (!s->user && s->access == ACCESS_STORE && !s->new_faults && !s->old_faults)
        return true;
    return is_done(r, s);
}

/* The fence.i that the writer has executed, or asked for, where an sfence.vma was needed. */
static const struct code_fence *fence_instead(const struct translation_rules *r,
                                              const struct stale_translation *s)
{
    const struct code_fence *f = &r->harts[hart_id(s->hart)].code_fence;
    uint64_t after = f->cycle - s->who.cycle;

    if (!s->writer_known || !f->known || f->requester != s->who.hart)
        return NULL;
    if (is_own(s))
        return after <= INSTEAD_CYCLES && f->pc - s->who.pc + INSTEAD_BYTES <= 2 * INSTEAD_BYTES
                   ? f
                   : NULL;
    return after <= REQUEST_CYCLES && !writers_flush(r, s) ? f : NULL;
}

/* ---- evidence ---- */

static void add_entry(struct finding *f, const struct stale_translation *s)
{
    static const char *const sizes[] = {"4 KiB", "2 MiB", "1 GiB", "512 GiB", "256 TiB"};
    uint64_t va = s->va & ~((UINT64_C(1) << s->shift) - 1);

    audit_fact_text(
        f, LABEL_ENTRY,
        "%s of %s at 0x%llx, in the table at 0x%llx: 0x%llx was used, 0x%llx is there now",
        s->pointer ? "pointer to the table" : "translation", sizes[(s->shift - 12) / 9],
        (unsigned long long)va, (unsigned long long)s->pte_pa, (unsigned long long)s->old_pte,
        (unsigned long long)s->new_pte);
}

static void add_flush(struct finding *f, const struct flush *flush)
{
    struct fact *fact;

    if (!flush)
        return;
    fact = audit_fact(f, LABEL_FLUSHED, FACT_FENCE);
    fact->hart = flush->hart;
    fact->requester = flush->requester;
    fact->pc = flush->pc;
    fact->cycle = flush->cycle;
}

static void add_use(struct finding *f, const struct stale_translation *s)
{
    static const char *const words[] = {
        [ACCESS_LOAD] = "read from", [ACCESS_STORE] = "stored to", [ACCESS_FETCH] = "fetched from"};

    if (s->old_faults)
        audit_fact_text(f, LABEL_REACHED,
                        "0x%llx is a page fault; the page table leads to 0x%llx now",
                        (unsigned long long)s->va, (unsigned long long)s->new_pa);
    else if (s->new_faults)
        audit_fact_text(f, LABEL_REACHED,
                        "0x%llx is %s 0x%llx; the page table does not permit it now",
                        (unsigned long long)s->va, words[s->access], (unsigned long long)s->old_pa);
    else
        audit_fact_text(f, LABEL_REACHED, "0x%llx is %s 0x%llx; the page table leads to 0x%llx now",
                        (unsigned long long)s->va, words[s->access], (unsigned long long)s->old_pa,
                        (unsigned long long)s->new_pa);
}

/* What the last flush of the hart was about, if it does not cover the page. */
static void add_missing(struct finding *f, const struct translation_rules *r,
                        const struct stale_translation *s)
{
    const struct flush *last = last_flush(r, s, false);
    char other[80] = "";

    if (last && last->size)
        snprintf(other, sizeof other, "; its last one was of 0x%llx",
                 (unsigned long long)last->from);
    else if (last && last->one_asid)
        snprintf(other, sizeof other, "; its last one was of address space %u", last->asid);
    if (s->pointer)
        audit_fact_text(f, LABEL_MISSING,
                        "an sfence.vma of all addresses on hart %u after that store (one of an "
                        "address does not cover pointers)%s",
                        hart_id(s->hart), other);
    else
        audit_fact_text(f, LABEL_MISSING, "an sfence.vma of 0x%llx on hart %u after that store%s",
                        (unsigned long long)s->va, hart_id(s->hart), other);
}

static void report(const struct translation_rules *r, const struct stale_translation *s)
{
    struct audit *a = r->audit;
    const struct code_fence *instead = fence_instead(r, s);
    struct breach b = {.rule = instead ? RULE_wrong_fence : RULE_stale_translation,
                       .hart = hart_id(s->hart),
                       .site = NO_SITE,
                       .pc = s->pc,
                       .cycle = s->cycle};
    struct finding *f;
    struct fact *fact;

    b.cause = audit_cause(b.rule, audit_function(a, s->writer_known ? s->who.pc : s->pc));
    f = audit_add(a, &b);
    if (!f)
        return;
    add_entry(f, s);
    add_flush(f, last_flush(r, s, true));
    if (s->writer_known)
        audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = s->who;
    else
        audit_fact_message(f, LABEL_WRITTEN, MESSAGE_OTHER_TABLE);
    if (s->reused)
        audit_fact(f, LABEL_REPLACED, FACT_STORE)->writer = s->reuser;
    if (instead) {
        fact = audit_fact(f, LABEL_FENCED, FACT_FENCE);
        fact->hart = hart_id(s->hart);
        fact->requester = instead->requester;
        fact->pc = instead->pc;
        fact->cycle = instead->cycle;
    }
    audit_fact_task(a, f, s->hart);
    fact = audit_fact(f, LABEL_USED, FACT_MOMENT);
    fact->hart = hart_id(s->hart);
    fact->pc = s->pc;
    fact->cycle = s->cycle;
    add_use(f, s);
    add_missing(f, r, s);
    audit_fact_order(f);
}

/* ---- uses that are legal until the kernel is done ---- */

static void wait_for_end(struct translation_rules *r, const struct stale_translation *s)
{
    struct waiting w = {.hart = hart_id(s->hart), .use = *s};

    if (is_spurious(s) || s->other_root)
        return;
    if (!s->writer_known || has_lost_flushes(r, s)) {
        r->left_out++;
        return;
    }
    w.use.hart = NULL;
    for (size_t i = 0; i < r->waiting.len; i++)
        if (r->waiting.at[i].hart == w.hart && r->waiting.at[i].use.pte_pa == s->pte_pa &&
            r->waiting.at[i].use.access == s->access) {
            r->waiting.at[i] = w;
            return;
        }
    if (r->waiting.len == WAITING_KEPT)
        r->left_out++;
    else
        VEC_PUSH(&r->waiting, w);
}

/* Lets the machine tell again of uses of entries with whose change the kernel is done. */
static void look_at_waiting(struct translation_rules *r)
{
    for (size_t i = 0; i < r->waiting.len;) {
        const struct waiting *w = &r->waiting.at[i];
        struct hart *h = cluster_hart(r->audit->config.cluster, w->hart);

        if (hart_uses_translation(h, w->use.pte_pa, w->use.va) && !is_done(r, &w->use)) {
            i++;
            continue;
        }
        hart_tell_translation_again(h, w->use.pte_pa, w->use.va);
        r->waiting.at[i] = r->waiting.at[--r->waiting.len];
    }
}

static void judge(struct translation_rules *r, const struct stale_translation *s)
{
    if (is_mistake(r, s))
        report(r, s);
    else
        wait_for_end(r, s);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct translation_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->on = cluster_translate_mode(a->config.cluster) != TRANSLATE_COHERENT;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    r->freed = freed_text_new(a);
    return r;
}

static void destroy(void *rules)
{
    struct translation_rules *r = rules;

    VEC_FREE(&r->waiting);
    freed_text_free(r->freed);
    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct translation_rules *r = rules;

    if (!r->on)
        return;
    switch (e->kind) {
    case EVENT_STALE_TRANSLATION: judge(r, e->stale_translation); break;
    case EVENT_SFENCE_VMA: note_flush(r, &e->fence); break;
    case EVENT_FENCE_I: note_fence(r, &e->fence); break;
    case EVENT_TRAP_RETURN:
        note_return(r, &e->trap_return);
        if (r->waiting.len)
            look_at_waiting(r);
        break;
    default: break;
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    struct translation_rules *r = rules;

    if (r->on)
        freed_text_live(r->freed, &e->text);
}

static void flush_io(struct state_io *io, struct flush *f)
{
    STATE_IO(io, f->requester);
    STATE_IO(io, f->hart);
    STATE_IO(io, f->pc);
    STATE_IO(io, f->cycle);
    STATE_IO(io, f->from);
    STATE_IO(io, f->size);
    STATE_IO(io, f->one_asid);
    STATE_IO(io, f->asid);
}

static void waiting_io(struct state_io *io, struct waiting *w)
{
    struct stale_translation *s = &w->use;

    STATE_IO(io, w->hart);
    STATE_IO_BELOW(io, s->access, ACCESS_FETCH + 1);
    STATE_IO(io, s->va);
    STATE_IO(io, s->pte_pa);
    STATE_IO_BELOW(io, s->shift, 64);
    STATE_IO(io, s->old_pte);
    STATE_IO(io, s->pointer);
    STATE_IO(io, s->user);
    STATE_IO(io, s->global);
    STATE_IO(io, s->asid);
    STATE_IO(io, s->writer_known);
    writer_state_io(io, &s->who);
}

static void hart_io(struct state_io *io, struct translating_hart *h)
{
    STATE_IO(io, h->code_fence.known);
    STATE_IO(io, h->code_fence.requester);
    STATE_IO(io, h->code_fence.pc);
    STATE_IO(io, h->code_fence.cycle);
    for (unsigned i = 0; i < STAYS_KEPT; i++) {
        STATE_IO(io, h->stays[i].from);
        STATE_IO(io, h->stays[i].user);
    }
    STATE_IO(io, h->stay);
    STATE_IO(io, h->switches);
}

static void state_io(struct state_io *io, void *rules)
{
    struct translation_rules *r = rules;

    state_io_section(io, "translation-rules", 3);
    if (!r->on)
        return;
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        hart_io(io, &r->harts[i]);
    STATE_IO_VEC(io, &r->waiting, WAITING_KEPT, waiting_io);
    for (size_t i = 0; i < r->waiting.len; i++)
        if (r->waiting.at[i].hart >= cluster_hart_count(r->audit->config.cluster))
            state_io_fail(io, STATE_OUT_OF_RANGE);
    freed_text_state_io(io, r->freed);
    STATE_IO(io, r->left_out);
    STATE_IO(io, r->flush_count);
    for (uint64_t i = 0; i < FLUSHES_KEPT && i < r->flush_count; i++)
        flush_io(io, &r->flushes[i]);
}

uint64_t translation_rules_left_out(const struct translation_rules *r)
{
    return r->left_out;
}

const struct rule_family translation_family = {.create = create,
                                               .destroy = destroy,
                                               .event = on_event,
                                               .ftrace_event = on_ftrace_event,
                                               .state_io = state_io};
