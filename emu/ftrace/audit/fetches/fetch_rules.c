/*
 * fetch_rules.c - the rules about fetches of code that was written since the
 * hart's last fence.i.
 *
 * One stale fetch breaks one rule, chosen by what is known of it and by which hart
 * had to execute or request the fence:
 * - only the page is known to have been written: unfenced-page;
 * - patched code (a site, a swapped instruction, or code that this hart had executed
 *   before): missing-local-fence if the fetching hart wrote the bytes itself, otherwise
 *   missing-remote-fence; wrong-fence if there was a fence of another kind (fence_rules.c), and
 *   premature-fence if there was one before the last store of the update;
 * - anything else (new code, DMA, firmware, a debugger): stale-fetch.
 *
 * If an instruction was swapped by one store (swaps.h) where the kernel is made for both versions,
 * another hart may run either until the update ends; so may the patching hart in the handler of an
 * interrupt after the store. Such a fetch is a note, and becomes an error if the
 * update ends before the hart executes fence.i.
 *
 * A program that replaces one instruction may be about to ask for the fences: the same, until it
 * has done its next thing (program_swaps.h).
 *
 * A hart that was just started has a rule of its own (start_rules.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/fetches/fetch_priv.h"
#include "ftrace/audit/fetches/program_swaps.h"
#include "ftrace/audit/fetches/swaps.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "ftrace/sites/sites.h"

/* Fetches in windows that are tracked at the same time. */
enum { WINDOWS_MAX = 1 << 16 };

/* A fetch during an update: a breach if the update ends before the hart executes fence.i. */
struct window {
    enum rule rule; /* the rule that it breaks then */
    uint32_t hart;
    bool of_program; /* it is open until the program has done the next thing: program_swaps.h */
    uint64_t satp;   /* of the hart then, if it is */
    struct stale_fetch fetch; /* its hart is NULL */
};

struct fetch_rules {
    struct audit *audit;
    struct swaps *swaps;
    struct program_swaps *programs;
    VEC_OF(struct window) windows;
    uint64_t windows_left_out;
    struct last_stale last;
};

static const struct swap *swap_of(const struct fetch_rules *r, const struct stale_fetch *s)
{
    return swaps_find(r->swaps, s, hart_sync_stamp(s->hart));
}

/*
 * Whether it is a site's code. That of a module, written by an instruction that is not known, was
 * written before any hart ran code of its page: it is new, not patched.
 */
static bool is_at_site(const struct audit *a, const struct stale_fetch *s)
{
    uint32_t id = site_find(a->config.sites, s->pa, s->size);

    return id != NO_SITE && (s->writer_known || !site_get(a->config.sites, id)->module);
}

/* Whether the bytes are code: known to the hart, of a site, or a swapped instruction. */
static bool is_patched_code(const struct fetch_rules *r, const struct stale_fetch *s)
{
    return s->evidence == STALE_PARCEL && s->agent_known && s->who.kind == WRITER_HART &&
           (s->fetched_before || is_at_site(r->audit, s) || swap_of(r, s));
}

static bool is_by_itself(const struct stale_fetch *s)
{
    return s->who.hart == hart_id(s->hart);
}

static bool is_breakpoint(const uint8_t *bytes, unsigned size)
{
    uint32_t word = 0;

    memcpy(&word, bytes, size);
    return ebreak_size(word) == size;
}

/*
 * Whether the kernel is made for either version of the instruction. That is known of sites, jump
 * labels and breakpoints. Of other code in its image it is not, and of code elsewhere, as of
 * modules and programs of BPF, only if the kernel changes it by its own protocol. A program has
 * nothing by which it could say so: see is_of_program. Of a kernel that is not known all must be
 * supposed.
 */
static bool is_made_for_both(const struct fetch_rules *r, const struct stale_fetch *s,
                             const struct swap *swap)
{
    const struct audit_config *c = &r->audit->config;

    if (hart_mode(s->hart) == PRIV_U)
        return false;
    if (!c->text || !text_map_is_exact(c->text) || site_find(c->sites, s->pa, s->size) != NO_SITE ||
        text_map_jump_label(c->text, s->pa, s->size) ||
        is_breakpoint(swap->old_bytes, swap->size) || is_breakpoint(swap->new_bytes, swap->size))
        return true;
    return !text_map_has(c->text, s->pa, s->size) && updates_is_guarded(c->updates, s->who.hart);
}

/* Whether the update is still open, so that either version may run. */
static bool is_in_window(const struct fetch_rules *r, const struct stale_fetch *s)
{
    const struct swap *swap = swap_of(r, s);
    uint32_t depth = r->audit->harts[hart_id(s->hart)].depth;

    if (!swap || updates_ended(r->audit->config.updates, s->who.hart, s->stamp) ||
        !is_made_for_both(r, s, swap))
        return false;
    return !is_by_itself(s) || (int32_t)(depth - swap->depth) > 0;
}

/*
 * Whether a program has changed its code, and may be about to ask for the fences. Another thread
 * may run either version meanwhile, on the same hart, too.
 */
static bool is_of_program(const struct fetch_rules *r, const struct stale_fetch *s)
{
    return hart_mode(s->hart) == PRIV_U &&
           program_swaps_is_open(r->programs, s->who.hart, s->stamp) &&
           (!is_by_itself(s) || !program_swaps_runs(r->programs, s->hart));
}

/* Whether that is a change of a part of one instruction, which no hart has run before. */
static bool is_part_of_program(const struct fetch_rules *r, const struct stale_fetch *s)
{
    return is_of_program(r, s) &&
           program_swaps_change(r->programs, s, hart_sync_stamp(s->hart)) == PROGRAM_CHANGE_PART;
}

static void open_window(struct fetch_rules *r, const struct stale_fetch *s, bool of_program)
{
    struct window w = {.rule =
                           is_by_itself(s) ? RULE_missing_local_fence : RULE_missing_remote_fence,
                       .hart = hart_id(s->hart),
                       .of_program = of_program,
                       .satp = hart_status(s->hart).satp,
                       .fetch = *s};

    if (r->windows.len == WINDOWS_MAX) {
        r->windows_left_out++;
        return;
    }
    w.fetch.hart = NULL;
    VEC_PUSH(&r->windows, w);
}

static bool has_fenced(const struct audit *a, const struct window *w)
{
    const struct patch_fence *f = patch_log_last_fence(a->config.log, w->hart);

    return f && f->stamp >= w->fetch.stamp;
}

static bool is_of(const struct window *w, const struct update_event *u)
{
    return w->fetch.who.hart == u->writer && w->fetch.stamp <= u->stamp;
}

/* ---- breaches ---- */

static void report(struct fetch_rules *r, enum rule rule, const struct stale_fetch *s)
{
    stale_evidence_report(r->audit, &r->last, rule, s);
}

/*
 * Whether the fence belongs to the update, and came before its last store: it is in the update, or
 * the writer has asked for it after it had announced the update.
 */
static bool is_premature(const struct updates *u, const struct patch_fence *f,
                         const struct stale_fetch *s)
{
    return f && f->stamp < s->stamp &&
           (f->stamp >= updates_begun(u, s->who.hart, s->stamp) ||
            (f->requester == s->who.hart &&
             f->stamp >= updates_announced_at(u, s->who.hart, s->stamp)));
}

/* The breach of a rule about a missing fence: of that rule, unless there was a wrong fence. */
static void report_unfenced(struct fetch_rules *r, enum rule rule, const struct stale_fetch *s)
{
    const struct audit_config *c = &r->audit->config;

    if (fence_rules_flush_instead(r->audit, s))
        rule = RULE_wrong_fence;
    else if (is_premature(c->updates, patch_log_last_fence(c->log, hart_id(s->hart)), s))
        rule = RULE_premature_fence;
    report(r, rule, s);
}

/* At the end of an update: reports the fetches whose hart lacks a fence.i since. */
static void close_windows(struct fetch_rules *r, enum rule rule, const struct update_event *u)
{
    size_t left = 0;

    for (size_t i = 0; i < r->windows.len; i++) {
        struct window w = r->windows.at[i];

        if (w.rule != rule || w.of_program || !is_of(&w, u)) {
            r->windows.at[left++] = w;
            continue;
        }
        w.fetch.hart = cluster_hart(r->audit->config.cluster, w.hart);
        if (!has_fenced(r->audit, &w))
            report_unfenced(r, rule, &w.fetch);
    }
    r->windows.len = left;
}

/*
 * A hart that the kernel did not ask for a fence may run another program by now, and get its fence
 * when it comes back to this one.
 */
static bool runs_on(const struct window *w, struct hart *h)
{
    return hart_mode(h) == PRIV_U && hart_status(h).satp == w->satp;
}

/* The writer's program has come to the end of its change. */
static void close_program(struct fetch_rules *r, uint32_t writer, enum program_end end)
{
    size_t left = 0;

    if (end == PROGRAM_GOES_ON)
        return;
    for (size_t i = 0; i < r->windows.len; i++) {
        struct window w = r->windows.at[i];

        if (!w.of_program || w.fetch.who.hart != writer) {
            r->windows.at[left++] = w;
            continue;
        }
        w.fetch.hart = cluster_hart(r->audit->config.cluster, w.hart);
        if (!has_fenced(r->audit, &w) && (end == PROGRAM_LEFT || runs_on(&w, w.fetch.hart)))
            report_unfenced(r, w.rule, &w.fetch);
    }
    r->windows.len = left;
}

/*
 * Another thread runs code of a program whose change is open: the rule for how it was changed.
 * False: in no way that has one.
 */
static bool rule_of_change(const struct fetch_rules *r, const struct stale_fetch *s,
                           enum rule *rule)
{
    bool is_one = swap_of(r, s);

    *rule = RULE_patch_window;
    switch (program_swaps_change(r->programs, s, hart_sync_stamp(s->hart))) {
    case PROGRAM_CHANGE_OTHER: return is_one;
    case PROGRAM_CHANGE_PART: return true;
    case PROGRAM_CHANGE_HALVES: *rule = RULE_split_store; return true;
    case PROGRAM_CHANGE_PAIR: *rule = RULE_split_store; return is_one;
    case PROGRAM_CHANGE_BOTH: *rule = RULE_split_store; return s->fetched_before;
    case PROGRAM_CHANGE_MISALIGNED: *rule = RULE_misaligned_patch; return true;
    case PROGRAM_CHANGE_MERGED: *rule = RULE_merge_while_running; return true;
    }
    return false;
}

static void check_fetch(struct fetch_rules *r, const struct stale_fetch *s)
{
    enum rule rule;

    if (start_rules_take(r->audit, s))
        return;
    if (s->evidence == STALE_PAGE_ONLY) {
        report(r, RULE_unfenced_page, s);
    } else if (!is_patched_code(r, s) && !is_part_of_program(r, s)) {
        report(r, RULE_stale_fetch, s);
    } else if (is_in_window(r, s)) {
        report(r, RULE_patch_window, s);
        open_window(r, s, false);
    } else if (is_of_program(r, s) && rule_of_change(r, s, &rule)) {
        report(r, rule, s);
        open_window(r, s, true);
    } else {
        report_unfenced(r, is_by_itself(s) ? RULE_missing_local_fence : RULE_missing_remote_fence,
                        s);
    }
}

/* ---- swaps ---- */

static void follow_store(struct fetch_rules *r, const struct code_write *w)
{
    bool by_hart = w->who.kind == WRITER_HART;

    swaps_write(r->swaps, w, by_hart ? r->audit->harts[w->who.hart].depth : 0);
    if (by_hart)
        program_swaps_store(r->programs, w, cluster_hart(r->audit->config.cluster, w->who.hart));
}

/* Drops swaps that every hart has fenced since: no fetch of them can be stale. */
static void forget_swaps(struct fetch_rules *r)
{
    const struct cluster *c = r->audit->config.cluster;
    uint64_t known = UINT64_MAX;

    for (unsigned i = 0; i < cluster_hart_count(c); i++) {
        uint64_t stamp = hart_sync_stamp(cluster_hart(c, i));

        known = stamp < known ? stamp : known;
    }
    swaps_forget(r->swaps, known);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct fetch_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->swaps = swaps_new();
    r->programs = program_swaps_new(cluster_hart_count(a->config.cluster));
    return r;
}

static void destroy(void *rules)
{
    struct fetch_rules *r = rules;

    swaps_free(r->swaps);
    program_swaps_free(r->programs);
    VEC_FREE(&r->windows);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct fetch_rules *r = rules;

    switch (e->kind) {
    case EVENT_STALE_FETCH: check_fetch(r, &e->stale_fetch); break;
    case EVENT_CODE_WRITE: follow_store(r, &e->code_write); break;
    case EVENT_TRAP: program_swaps_trap(r->programs, &e->trap); break;
    case EVENT_TRAP_RETURN:
        close_program(r, hart_id(e->trap_return.hart),
                      program_swaps_return(r->programs, &e->trap_return));
        break;
    case EVENT_FENCE_I:
        close_program(r, hart_id(e->fence.hart), program_swaps_fence(r->programs, &e->fence));
        forget_swaps(r);
        break;
    default: break;
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    if (e->kind != FTRACE_UPDATE_ENDED)
        return;
    close_windows(rules, RULE_missing_local_fence, &e->update);
    close_windows(rules, RULE_missing_remote_fence, &e->update);
}

/* Programs that never came to the end of a change. */
static void end(void *rules)
{
    struct fetch_rules *r = rules;

    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        close_program(r, i, PROGRAM_FENCED);
}

uint64_t fetch_rules_windows_left_out(const struct fetch_rules *r)
{
    return r->windows_left_out;
}

uint64_t fetch_rules_swaps_left_out(const struct fetch_rules *r)
{
    return swaps_left_out(r->swaps);
}

static void window_io(struct state_io *io, struct window *w)
{
    STATE_IO_BELOW(io, w->rule, RULE_COUNT);
    STATE_IO(io, w->hart);
    STATE_IO(io, w->of_program);
    STATE_IO(io, w->satp);
    stale_fetch_state_io(io, &w->fetch);
}

static void state_io(struct state_io *io, void *rules)
{
    struct fetch_rules *r = rules;
    unsigned harts = cluster_hart_count(r->audit->config.cluster);

    state_io_section(io, "fetch-rules", 8);
    STATE_IO_VEC(io, &r->windows, SIZE_MAX, window_io);
    STATE_IO(io, r->windows_left_out);
    for (size_t i = 0; i < r->windows.len; i++)
        if (r->windows.at[i].hart >= harts || r->windows.at[i].fetch.who.hart >= harts)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    stale_evidence_state_io(io, &r->last);
    swaps_state_io(io, r->swaps);
    program_swaps_state_io(io, r->programs);
}

const struct rule_family fetch_family = {.create = create,
                                         .destroy = destroy,
                                         .event = on_event,
                                         .ftrace_event = on_ftrace_event,
                                         .end = end,
                                         .state_io = state_io};
