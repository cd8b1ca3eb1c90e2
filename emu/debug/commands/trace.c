/*
 * trace.c - the commands about ftrace: sites, patches, findings, and stopping
 * when a site is patched.
 */
#include "debug/commands/trace.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "ftrace/audit/audit.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/report.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"

enum { CODE_MAX = PATCH_BYTES / 2 * (DISASM_MAX + 2) };

const struct site_table *sites_of(const struct debugger *d)
{
    return watch_sites(d->config.ftrace);
}

static const struct patch_log *log_of(const struct debugger *d)
{
    return watch_patches(d->config.ftrace);
}

bool name_matches(const char *glob, const char *name)
{
    return !fnmatch(glob, name, 0);
}

/* ---- harts that have executed fence.i since a patch ---- */

/*
 * Prints a fence. The cycles of two harts are two clocks: the time since the patch is known for the
 * writer's hart only. The steps can be compared.
 */
static void print_fence(struct debugger *d, const struct patch *p, unsigned hart)
{
    const struct patch_fence *f = patch_log_fenced(log_of(d), p, hart);
    bool same_clock = p->who.kind == WRITER_HART && f->requester == p->who.hart;

    fprintf(d->out, "hart %u ", hart);
    if (f->origin == FENCE_REMOTE)
        fprintf(d->out, "remote by %u ", f->requester);
    else
        fprintf(d->out, "fence.i ");
    if (same_clock)
        fprintf(d->out, "%+" PRId64 " cycles", (int64_t)(f->cycle - p->who.cycle));
    else
        fprintf(d->out, "at cycle %" PRIu64 " of hart %u", f->cycle, f->requester);
    fprintf(d->out, ", step %" PRIu64, f->step);
}

/* Finds the hart of the first fence with that stamp or a newer one; false: there is none. */
static bool find_next_fence(const struct debugger *d, const struct patch *p, uint64_t stamp,
                            unsigned *next)
{
    uint64_t first = UINT64_MAX;

    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++) {
        const struct patch_fence *f = patch_log_fenced(log_of(d), p, hart);

        if (!f || f->stamp < stamp || f->stamp >= first)
            continue;
        first = f->stamp;
        *next = hart;
    }
    return first != UINT64_MAX;
}

static const char *unknown_fence(const struct debugger *d, const struct patch *p, unsigned hart)
{
    if (patch_log_has_fenced(log_of(d), p, hart))
        return "fenced, not known when";
    return target_hart(d->target, hart).started ? "not yet" : "not started";
}

/*
 * Prints the fences in their order; then the harts whose first fence is not kept, and those that
 * have not fenced.
 */
static void print_fences(struct debugger *d, const struct patch *p)
{
    const char *before = "    fenced: ";
    uint64_t stamp = 0;
    unsigned next;

    if (p->who.kind == WRITER_DEBUGGER_FENCED) {
        fprintf(d->out, "%sall harts, by the debugger\n", before);
        return;
    }
    while (find_next_fence(d, p, stamp, &next)) {
        fprintf(d->out, "%s", before);
        print_fence(d, p, next);
        stamp = patch_log_fenced(log_of(d), p, next)->stamp + 1; /* no two fences have the same */
        before = "; then ";
    }
    if (stamp)
        before = "; ";
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++) {
        if (patch_log_fenced(log_of(d), p, hart))
            continue;
        fprintf(d->out, "%shart %u %s", before, hart, unknown_fence(d, p, hart));
        before = "; ";
    }
    fprintf(d->out, "\n");
}

/* Prints the harts that may still execute the bytes from before the site's last patch. */
static void print_unfenced(struct debugger *d, uint32_t site)
{
    const struct patch *p = patch_log_last(log_of(d), site);
    const char *before = "; old code possible on hart ";

    for (unsigned hart = 0; p && hart < target_hart_count(d->target); hart++) {
        if (!target_hart(d->target, hart).started || patch_log_has_fenced(log_of(d), p, hart))
            continue;
        fprintf(d->out, "%s%u", before, hart);
        before = ", ";
    }
}

/* ---- sites ---- */

static enum site_state present_state(const struct debugger *d, const struct site *s,
                                     uint64_t *target)
{
    uint8_t bytes[SITE_BYTES_MAX];

    *target = 0;
    if (!selected_read(d, s->va, bytes, s->size))
        return SITE_OTHER;
    return site_state(sites_of(d), s, bytes, target);
}

static void print_state(struct debugger *d, const struct site *s)
{
    uint64_t target;
    enum site_state state = present_state(d, s, &target);
    char name[NAME_MAX_LEN];

    fprintf(d->out, "%s", site_state_name(state));
    if (!target)
        return;
    place_name(&d->guest, target, name, sizeof name);
    if (name[0])
        fprintf(d->out, " -> %s", name);
    else
        fprintf(d->out, " -> 0x%" PRIx64, target);
}

void print_site_note(struct debugger *d, uint64_t va)
{
    uint64_t pa;
    uint32_t id;

    if (!selected_physical(d, va, &pa))
        return;
    id = site_find(sites_of(d), pa, 2);
    if (id == NO_SITE || site_get(sites_of(d), id)->pa != pa)
        return;
    fprintf(d->out, "  ; site: ");
    print_state(d, site_get(sites_of(d), id));
    print_unfenced(d, id);
}

struct site_filter {
    char glob[NAME_MAX_LEN]; /* "": all */
    enum site_state state;   /* SITE_STATES: all */
    bool other_layout;       /* the image has another layout than the wanted one: no site matches */
};

static bool is_layout(const char *word)
{
    for (enum site_layout l = LAYOUT_NONE; l < SITE_LAYOUTS; l++)
        if (!strcmp(word, layout_traits(l)->name))
            return true;
    return false;
}

static bool read_filter(struct debugger *d, const char *args, struct site_filter *f)
{
    char word[NAME_MAX_LEN];

    *f = (struct site_filter){.state = SITE_STATES};
    while (arg_word(&args, word, sizeof word)) {
        enum site_state state = SITE_INIT;

        while (state < SITE_STATES && strcmp(word, site_state_name(state)) != 0)
            state++;
        if (state < SITE_STATES)
            f->state = state;
        else if (is_layout(word))
            f->other_layout = strcmp(word, site_traits(sites_of(d))->name) != 0;
        else
            memcpy(f->glob, word, sizeof word);
    }
    return arg_end(d, args);
}

void print_site(struct debugger *d, uint32_t id)
{
    const struct site *s = site_get(sites_of(d), id);

    print_place(d, s->va);
    fprintf(d->out, "  %s  ", site_kind_name(s->kind));
    print_state(d, s);
    print_unfenced(d, id);
    if (watch_account(d->config.ftrace)) {
        fprintf(d->out, "  ; ");
        print_site_counts(d, id);
    }
    fprintf(d->out, "\n");
}

void do_sites(struct debugger *d, const char *args)
{
    struct site_filter filter;
    size_t shown = 0, all = site_count(sites_of(d));

    if (!read_filter(d, args, &filter))
        return;
    for (uint32_t id = 0; id < all; id++) {
        const struct site *s = site_get(sites_of(d), id);
        uint64_t target;

        if (filter.other_layout || s->gone)
            continue;
        if (filter.glob[0] && !name_matches(filter.glob, s->function))
            continue;
        if (filter.state != SITE_STATES && present_state(d, s, &target) != filter.state)
            continue;
        print_site(d, id);
        shown++;
    }
    fprintf(d->out, "%zu of %zu sites; layout %s\n", shown, all, site_traits(sites_of(d))->name);
}

/* ---- patches ---- */

/* Prints "ftrace_call" or "schedule (+0xa)"; the address if there is no site with this id. */
static void print_site_name(struct debugger *d, uint32_t id)
{
    const struct site *s = site_get(sites_of(d), id);
    uint64_t start, end;

    fprintf(d->out, "%s", s->function[0] ? s->function : "?");
    if (s->kind == SITE_FUNCTION && place_function(&d->guest, s->va, &start, &end))
        fprintf(d->out, " (+0x%" PRIx64 ")", s->va - start);
}

static void print_bytes_of(struct debugger *d, const char *what, uint64_t va, const uint8_t *bytes,
                           unsigned size)
{
    char text[CODE_MAX];

    describe_code(text, sizeof text, d->config.symbols, va, bytes, size);
    fprintf(d->out, "    %s %s\n", what, text);
}

static uint64_t va_of(const struct debugger *d, const struct patch *p)
{
    return p->site != NO_SITE ? site_get(sites_of(d), p->site)->va
                              : place_canonical(&d->guest, p->pa);
}

static void print_patch(struct debugger *d, const struct patch *p, size_t number)
{
    char writer[PLACE_MAX];
    uint64_t va = va_of(d, p);

    fprintf(d->out, "#%zu ", number);
    if (p->site != NO_SITE) {
        print_site_name(d, p->site);
        fprintf(d->out, " at ");
    } else if (p->ops_of != NO_SITE) {
        fprintf(d->out, "ops of ");
        print_site_name(d, p->ops_of);
        fprintf(d->out, " at ");
    }
    print_place(d, va);
    fprintf(d->out, ", %u store%s\n", p->stores, p->stores == 1 ? "" : "s");
    describe_writer(writer, d->config.symbols, d->config.lines, &p->who);
    fprintf(d->out, "    by:  %s\n", writer);
    print_bytes_of(d, "old:", va, p->old_bytes, p->size);
    print_bytes_of(d, "new:", va, p->new_bytes, p->size);
    print_fences(d, p);
}

/* Whether the patch's site, or the site of its ops, matches the glob; "" matches all. */
static bool is_meant(const struct debugger *d, const struct patch *p, const char *glob)
{
    uint32_t site = p->site != NO_SITE ? p->site : p->ops_of;

    if (!glob[0])
        return true;
    return site != NO_SITE && name_matches(glob, site_get(sites_of(d), site)->function);
}

/*
 * Returns the index of the count-th last patch that matches, or 0; *found: the number of matches
 * from there on.
 */
static size_t first_of_last(const struct debugger *d, const char *glob, uint64_t count,
                            uint64_t *found)
{
    size_t i = patch_log_count(log_of(d));

    for (*found = 0; i && *found < count; i--)
        *found += is_meant(d, patch_log_get(log_of(d), i - 1), glob);
    return i;
}

/* Reads a glob and a count; a word that begins with a digit is the count. */
static bool read_patch_args(struct debugger *d, const char *args, char glob[NAME_MAX_LEN],
                            uint64_t *count)
{
    glob[0] = '\0';
    if (*args && !strchr("0123456789", *args))
        (void)arg_word(&args, glob, NAME_MAX_LEN);
    return arg_count(d, &args, count) && arg_end(d, args);
}

void do_patches(struct debugger *d, const char *args)
{
    char glob[NAME_MAX_LEN];
    uint64_t count = 10, found;

    if (!read_patch_args(d, args, glob, &count))
        return;
    for (size_t i = first_of_last(d, glob, count, &found); i < patch_log_count(log_of(d)); i++)
        if (is_meant(d, patch_log_get(log_of(d), i), glob))
            print_patch(d, patch_log_get(log_of(d), i), i + 1);
    if (!found)
        fprintf(d->out, "no patches%s%s\n", glob[0] ? " of sites that match " : " so far", glob);
}

/* ---- findings ---- */

static void show_findings(struct debugger *d, const struct audit *a, const char *args)
{
    struct report r = {.cluster = machine_cluster(d->config.machine),
                       .watch = d->config.ftrace,
                       .symbols = d->config.symbols,
                       .lines = d->config.lines};
    bool one = *args != '\0';
    uint64_t number = 0;

    if ((one && !arg_count(d, &args, &number)) || !arg_end(d, args))
        return;
    if (!audit_count(a))
        fprintf(d->out, "no findings so far\n");
    else if (!one)
        report_findings_list(&r, d->out);
    else if (number >= 1 && number <= audit_count(a))
        report_finding(&r, (size_t)number - 1, d->out);
    else
        complain(d, "there is no finding %" PRIu64 "; so far there are %zu", number,
                 audit_count(a));
}

void do_findings(struct debugger *d, const char *args)
{
    const struct audit *a = watch_audit(d->config.ftrace);

    if (a)
        show_findings(d, a, args);
    else
        complain(d, "the auditor is off (--audit=warn switches it on)");
}

/* ---- stopping at patches ---- */

/* Whether the store is one to stop at. The patch log has recorded it already. */
static bool is_wanted(void *ctx, uint32_t site)
{
    const struct debugger *d = ctx;
    const char *function = site_get(sites_of(d), site)->function;
    const struct patch *last = patch_log_last(log_of(d), site);
    bool first = last && last->stores == 1;

    for (size_t i = 0; i < d->patch_patterns.len; i++) {
        const struct patch_pattern *p = &d->patch_patterns.at[i];

        if (name_matches(p->glob, function) && (first || p->each_store))
            return true;
    }
    return false;
}

static void forget_patterns(struct debugger *d)
{
    target_catch_patches(d->target, NULL, NULL);
    for (size_t i = 0; i < d->patch_patterns.len; i++)
        free(d->patch_patterns.at[i].glob);
    d->patch_patterns.len = 0;
}

void trace_free(struct debugger *d)
{
    forget_patterns(d);
    VEC_FREE(&d->patch_patterns);
}

void print_writer(struct debugger *d, const struct writer *who)
{
    char writer[PLACE_MAX];

    describe_writer(writer, d->config.symbols, d->config.lines, who);
    fprintf(d->out, "%s", writer);
}

static void print_store(struct debugger *d, uint32_t site, const struct writer *who)
{
    const struct patch *p = patch_log_last(log_of(d), site);
    const struct site *s = site_get(sites_of(d), site);

    fprintf(d->out, "patch of site ");
    print_site_name(d, site);
    fprintf(d->out, ", store %u\n    by:  ", p->stores);
    print_writer(d, who);
    fprintf(d->out, "\n");
    print_bytes_of(d, "was:", s->va, p->old_bytes, p->size);
    print_bytes_of(d, "is: ", s->va, p->new_bytes, p->size);
}

void print_patch_stop(struct debugger *d, const struct target_stop *stop)
{
    print_store(d, stop->site, &stop->writer);
}

void print_patch_store(struct debugger *d, const struct code_write *w)
{
    print_store(d, site_find(sites_of(d), w->pa, w->size), &w->who);
}

static size_t count_sites(const struct debugger *d, const char *glob)
{
    size_t count = 0;

    for (uint32_t id = 0; id < site_count(sites_of(d)); id++)
        count += name_matches(glob, site_get(sites_of(d), id)->function);
    return count;
}

/* Sites that any pattern matches. */
static size_t count_watched(const struct debugger *d)
{
    size_t count = 0;

    for (uint32_t id = 0; id < site_count(sites_of(d)); id++) {
        bool watched = false;

        for (size_t i = 0; i < d->patch_patterns.len && !watched; i++)
            watched =
                name_matches(d->patch_patterns.at[i].glob, site_get(sites_of(d), id)->function);
        count += watched;
    }
    return count;
}

/* Patterns add up. One that is there already is changed to stop as it was asked for last. */
static void add_pattern(struct debugger *d, const char *glob, bool stores)
{
    for (size_t i = 0; i < d->patch_patterns.len; i++) {
        struct patch_pattern *p = &d->patch_patterns.at[i];

        if (!strcmp(p->glob, glob)) {
            p->each_store = stores;
            return;
        }
    }
    VEC_PUSH(&d->patch_patterns, ((struct patch_pattern){xstrdup(glob), stores}));
}

void do_watch_patch(struct debugger *d, const char *args)
{
    char glob[NAME_MAX_LEN] = "*";
    bool stores;
    size_t sites;

    if (arg_keyword(&args, "off") && arg_end(d, args)) {
        forget_patterns(d);
        return;
    }
    (void)arg_word(&args, glob, sizeof glob);
    stores = arg_keyword(&args, "stores");
    if (!arg_end(d, args))
        return;
    sites = count_sites(d, glob);
    if (!sites) {
        complain(d, "no site matches %s", glob);
        return;
    }
    add_pattern(d, glob, stores);
    target_catch_patches(d->target, is_wanted, d);
    fprintf(d->out, "watching %zu site%s", sites, sites == 1 ? "" : "s");
    if (d->patch_patterns.len > 1)
        fprintf(d->out, ", %zu with those of before (watch-patch off forgets all)",
                count_watched(d));
    fprintf(d->out, "\n");
}
