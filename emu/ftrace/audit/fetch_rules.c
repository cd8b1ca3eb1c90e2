/*
 * fetch_rules.c - the rules about fetches of code that was written since the
 * hart's last fence.i.
 *
 * One stale fetch breaks one rule, chosen by what is known of it and by which hart
 * had to execute or request the fence:
 * - only the page is known to have been written: unfenced-page;
 * - patched code (a site, a swapped instruction, or code that this hart had executed
 *   before): missing-local-fence if the fetching hart wrote the bytes itself, otherwise
 *   missing-remote-fence; wrong-fence or premature-fence if there was a fence, but not the one that
 *   was needed (fence_rules.c);
 * - anything else (new code, DMA, firmware, a debugger): stale-fetch.
 *
 * If an instruction was swapped by one store (swaps.h), another hart may run either
 * version until the update ends; so may the patching hart in the handler of an
 * interrupt after the store. Such a fetch is a note, and becomes an error if the hart
 * has not fenced when the update ends.
 */
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "ftrace/sites/sites.h"

/* Fetches in windows that are tracked at the same time. */
enum { WINDOWS_MAX = 1 << 16 };

static const struct swap *swap_of(const struct audit *a, const struct stale_fetch *s)
{
    return swaps_find(a->swaps, s, hart_sync_stamp(s->hart));
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

/* A swapped instruction is code even if this hart has not run it and it is not a site. */
static bool is_patched_code(const struct audit *a, const struct stale_fetch *s)
{
    return s->evidence == STALE_PARCEL && s->agent_known && s->who.kind == WRITER_HART &&
           (s->fetched_before || is_at_site(a, s) || swap_of(a, s));
}

static bool is_by_itself(const struct stale_fetch *s)
{
    return s->who.hart == hart_id(s->hart);
}

/* Whether either version may run, because the update has not ended. */
static bool is_in_window(const struct audit *a, const struct stale_fetch *s)
{
    const struct swap *swap = swap_of(a, s);
    uint32_t depth = a->harts[hart_id(s->hart)].depth;

    if (!swap || updates_ended(a->config.updates, s->who.hart, s->stamp))
        return false;
    return !is_by_itself(s) || (int32_t)(depth - swap->depth) > 0;
}

static void open_window(struct audit *a, const struct stale_fetch *s)
{
    struct window w = {.rule =
                           is_by_itself(s) ? RULE_missing_local_fence : RULE_missing_remote_fence,
                       .hart = hart_id(s->hart),
                       .fetch = *s};

    if (a->windows.len == WINDOWS_MAX) {
        a->windows_left_out++;
        return;
    }
    w.fetch.hart = NULL;
    VEC_PUSH(&a->windows, w);
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

/* At the end of an update: reports its windows whose hart has not fenced. */
static void close_windows(struct audit *a, enum rule rule, const struct update_event *u)
{
    size_t left = 0;

    for (size_t i = 0; i < a->windows.len; i++) {
        struct window w = a->windows.at[i];

        if (w.rule != rule || !is_of(&w, u)) {
            a->windows.at[left++] = w;
            continue;
        }
        w.fetch.hart = cluster_hart(a->config.cluster, w.hart);
        if (!has_fenced(a, &w))
            audit_stale(a, audit_name_fence(a, rule, &w.fetch), &w.fetch);
    }
    a->windows.len = left;
}

/* ---- the rules ---- */

void rule_stale_fetch(struct audit *a, const struct event *e)
{
    const struct stale_fetch *s = &e->stale_fetch;

    if (s->evidence == STALE_PARCEL && !is_patched_code(a, s))
        audit_stale(a, RULE_stale_fetch, s);
}

void rule_unfenced_page(struct audit *a, const struct event *e)
{
    const struct stale_fetch *s = &e->stale_fetch;

    if (s->evidence == STALE_PAGE_ONLY)
        audit_stale(a, RULE_unfenced_page, s);
}

/* The two rules about patched code: for the hart's own stores and for those of others. */
static void check_patched_code(struct audit *a, enum rule rule, const struct event *e)
{
    const struct stale_fetch *s = &e->stale_fetch;
    bool own = rule == RULE_missing_local_fence;

    if (e->kind == EVENT_UPDATE_ENDED)
        close_windows(a, rule, &e->update);
    else if (is_patched_code(a, s) && is_by_itself(s) == own && !is_in_window(a, s))
        audit_stale(a, audit_name_fence(a, rule, s), s);
}

void rule_missing_local_fence(struct audit *a, const struct event *e)
{
    check_patched_code(a, RULE_missing_local_fence, e);
}

void rule_missing_remote_fence(struct audit *a, const struct event *e)
{
    check_patched_code(a, RULE_missing_remote_fence, e);
}

void rule_patch_window(struct audit *a, const struct event *e)
{
    const struct stale_fetch *s = &e->stale_fetch;

    if (!is_patched_code(a, s) || !is_in_window(a, s))
        return;
    audit_stale(a, RULE_patch_window, s);
    open_window(a, s);
}
