/*
 * updates.c - the commands `updates', `timeline', `cost' and `trampoline': prints what the updates
 * of code changed, what happened meanwhile, and what tracing costs.
 */
#include <inttypes.h>

#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/code.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"
#include "ftrace/cost/account.h"
#include "ftrace/cost/trampolines.h"
#include "ftrace/patch/updates.h"
#include "ftrace/report/report.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"

/* ---- updates ---- */

static void print_update_hart(struct debugger *d, const struct update *u,
                              const struct update_hart *h, unsigned hart)
{
    fprintf(d->out, "    hart %-2u ", hart);
    if (!target_hart(d->target, hart).started) {
        fprintf(d->out, "has not been started\n");
        return;
    }
    fprintf(d->out, "%s%s", update_role_name(h->role),
            h->inside ? " inside of a changed sequence" : "");
    fprintf(d->out, "; %" PRIu64 " fence.i", h->fences);
    if (h->fenced)
        fprintf(d->out, ", the first after the last store at cycle %" PRIu64 ", step %" PRIu64,
                h->fence_cycle, h->fence_step);
    else if (!(u->writer.kind == WRITER_HART && u->writer.hart == hart))
        fprintf(d->out, ", none after the last store");
    if (h->stale_cycles)
        fprintf(d->out, "; could have executed old code for %" PRIu64 " cycles", h->stale_cycles);
    fprintf(d->out, "\n");
}

static void print_update(struct debugger *d, const struct updates *updates, size_t i)
{
    const struct update *u = updates_get(updates, i);

    fprintf(d->out,
            "#%zu %" PRIu64 " stores, %" PRIu64 " patches of sites, in %" PRIu64
            " cycles; ended: %s\n    by:  ",
            i + 1, u->stores, u->patches, u->end_cycle - u->writer.cycle, update_end_name(u->end));
    print_writer(d, &u->writer);
    fprintf(d->out, "\n    all harts had fenced %" PRIu64 " time%s, on %" PRIu64 " interrupt%s\n",
            u->rounds, u->rounds == 1 ? "" : "s", u->ipis, u->ipis == 1 ? "" : "s");
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        print_update_hart(d, u, updates_hart(updates, i, hart), hart);
}

void do_updates(struct debugger *d, const char *args)
{
    const struct updates *updates = watch_updates(d->config.ftrace);
    size_t count = updates_count(updates);
    uint64_t shown = 10;

    if (!arg_count(d, &args, &shown) || !arg_end(d, args))
        return;
    for (size_t i = count > shown ? count - shown : 0; i < count; i++)
        print_update(d, updates, i);
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        if (updates_is_open(updates, hart))
            fprintf(d->out, "hart %u has an update that has not ended\n", hart);
    if (!count)
        fprintf(d->out, "no update has ended so far\n");
}

void do_timeline(struct debugger *d, const char *args)
{
    const struct updates *updates = watch_updates(d->config.ftrace);
    const struct report r = {.cluster = machine_cluster(d->config.machine),
                             .watch = d->config.ftrace,
                             .symbols = d->config.symbols,
                             .lines = d->config.lines};
    uint64_t number = updates_count(updates);

    if (!arg_count(d, &args, &number) || !arg_end(d, args))
        return;
    if (!updates_count(updates)) {
        fprintf(d->out, "no update has ended so far\n");
    } else if (number > updates_count(updates)) {
        complain(d, "there is no update %" PRIu64 "; so far %zu have ended", number,
                 updates_count(updates));
    } else {
        fprintf(d->out, "#%" PRIu64 " a step is an instruction of any hart\n", number);
        report_timeline(&r, (size_t)number - 1, d->out);
    }
}

/* ---- cost ---- */

static bool has_account(const struct debugger *d)
{
    if (watch_account(d->config.ftrace))
        return true;
    complain(d, "cycles are not accounted (--account=off)");
    return false;
}

void do_cost(struct debugger *d, const char *args)
{
    struct report r = {.cluster = machine_cluster(d->config.machine),
                       .watch = d->config.ftrace,
                       .symbols = d->config.symbols,
                       .lines = d->config.lines,
                       .rows = 10};
    uint64_t rows = r.rows;

    if (!arg_count(d, &args, &rows) || !arg_end(d, args) || !has_account(d))
        return;
    r.rows = rows < UINT32_MAX ? (unsigned)rows : UINT32_MAX;
    report_costs(&r, d->out);
}

/* ---- trampolines ---- */

static void print_trampoline(struct debugger *d, const struct trampoline *t)
{
    fprintf(d->out, "%s at ", t->name);
    print_place(d, t->va);
    fprintf(d->out, ", %" PRIu64 " bytes: %" PRIu64 " entries, %" PRIu64 " cycles\n", t->size,
            t->entries, site_cost_sum(t->parts));
    for (uint64_t at = 0, size = 1; at < t->size && size; at += size)
        size = print_code(d, t->va + at, t->va + at == selected_pc(d) ? CODE_HERE : CODE_PLAIN);
}

void do_trampoline(struct debugger *d, const char *args)
{
    const struct trampolines *all = watch_trampolines(d->config.ftrace);
    char name[NAME_MAX_LEN] = "*";
    size_t shown = 0;

    (void)arg_word(&args, name, sizeof name);
    if (!arg_end(d, args) || !has_account(d))
        return;
    for (size_t i = 0; i < trampolines_count(all); i++) {
        struct trampoline t = trampolines_get(all, i);

        if (!name_matches(name, t.name))
            continue;
        print_trampoline(d, &t);
        shown++;
    }
    if (!shown)
        complain(d, "no trampoline matches %s", name);
}
