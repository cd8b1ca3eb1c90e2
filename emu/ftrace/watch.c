/*
 * watch.c - see watch.h. Wiring only: each event goes to those it concerns.
 */
#include "ftrace/watch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/account.h"
#include "ftrace/audit.h"
#include "ftrace/calls.h"
#include "ftrace/patch_log.h"
#include "ftrace/site_life.h"
#include "ftrace/sites.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

struct watch {
    struct cluster *cluster;
    struct site_table *sites;
    struct site_life *site_life;
    struct patch_log *patches;
    struct account *account;
    struct audit *audit;
    struct calls *calls;
    struct probe_owner update_end;
    uint32_t update_end_probe; /* with audit, where the image has the place */
    bool update_end_planted;
};

static void on_code_write(struct watch *watch, const struct code_write *w)
{
    uint32_t site;
    uint8_t memory[SITE_BYTES_MAX] = {0};

    site_life_store(watch->site_life, w);
    site = site_find(watch->sites, w->pa, w->size);
    if (site != NO_SITE)
        (void)!bus_read(cluster_bus(watch->cluster), site_get(watch->sites, site)->pa, memory,
                        site_get(watch->sites, site)->size);
    patch_log_write(watch->patches, w, memory);
}

static void on_trap(struct watch *watch, const struct trap_event *t)
{
    if (watch->account)
        account_trap(watch->account, t);
    if (watch->calls)
        calls_trap(watch->calls, t);
}

static void on_trap_return(struct watch *watch, const struct trap_return_event *t)
{
    if (watch->account)
        account_trap_return(watch->account, t);
    if (watch->calls)
        calls_trap_return(watch->calls, t);
}

static void on_event(void *ctx, const struct event *e)
{
    struct watch *w = ctx;

    if (e->kind == EVENT_CODE_WRITE)
        on_code_write(w, &e->code_write);
    else if (e->kind == EVENT_FENCE_I)
        patch_log_fence(w->patches, hart_id(e->fence.hart), &e->fence);
    else if (e->kind == EVENT_STALE_FETCH)
        audit_stale_fetch(w->audit, &e->stale_fetch);
    else if (e->kind == EVENT_TRAP)
        on_trap(w, &e->trap);
    else
        on_trap_return(w, &e->trap_return);
}

/* Stores to the kernel's text are seen from the first one on, also where nothing was fetched yet.
 */
static void declare_text(struct cluster *c, const struct image *im)
{
    for (size_t i = 0; i < im->text_count; i++)
        cluster_watch_code(c, im->texts[i].pa, im->texts[i].size);
}

static struct probe_plan plan_update_end(void *ctx, uint32_t id, const struct probe_view *view)
{
    (void)ctx;
    (void)id;
    (void)view;
    return (struct probe_plan){.action = PROBE_CALL};
}

static enum probe_verdict on_update_end(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                        uint64_t pc)
{
    struct watch *watch = ctx;

    (void)id;
    (void)cookie;
    (void)h;
    (void)pc;
    audit_update_ended(watch->audit);
    return PROBE_GO_ON;
}

/* Linux calls this function, which gives back text_mutex, when an update of code is done. */
static void plant_update_end(struct watch *w, const struct image *im, const struct symbols *symbols)
{
    uint64_t va, pa;

    if (!symbols_find(symbols, "ftrace_arch_code_modify_post_process", &va) ||
        !image_va_to_pa(im, va, &pa))
        return;
    w->update_end = (struct probe_owner){w, plan_update_end, on_update_end};
    w->update_end_probe = cluster_plant(w->cluster, pa, &w->update_end, 0);
    w->update_end_planted = true;
}

/* The record of calls is a product of its own, so a machine that cannot give one says so. */
static void listen_to_calls(struct watch *w, const struct watch_config *config,
                            const struct diag *d)
{
    if (!config->calls.enter)
        return;
    if (!calls_possible(w->sites))
        diag_warn(d, "%s: has no ftrace sites, so no call of its functions can be seen",
                  config->image->path);
    w->calls = calls_new(config->cluster, config->image, w->sites, config->symbols, config->calls);
}

struct watch *watch_new(const struct watch_config *config, const struct diag *d)
{
    struct watch *w = xcalloc(1, sizeof *w);
    struct listener listener = {.ctx = w,
                                .kinds = EVENT_BIT(EVENT_CODE_WRITE) | EVENT_BIT(EVENT_FENCE_I),
                                .on_event = on_event};

    w->cluster = config->cluster;
    w->sites = site_table_new(config->image, config->symbols, d);
    w->site_life = site_life_new(config->cluster, w->sites, config->image, config->symbols);
    w->patches = patch_log_new(w->sites, cluster_hart_count(config->cluster));
    declare_text(config->cluster, config->image);
    listen_to_calls(w, config, d);
    if (config->account)
        w->account = account_new(config->cluster, w->sites);
    if (w->account || w->calls)
        listener.kinds |= EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN);
    if (config->audit) {
        w->audit = audit_new(w->sites, w->patches, config->listener);
        listener.kinds |= EVENT_BIT(EVENT_STALE_FETCH);
        plant_update_end(w, config->image, config->symbols);
    }
    cluster_listen(config->cluster, &listener);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    if (w->update_end_planted)
        cluster_uproot(w->cluster, w->update_end_probe);
    calls_free(w->calls);
    account_free(w->account);
    audit_free(w->audit);
    patch_log_free(w->patches);
    site_life_free(w->site_life);
    site_table_free(w->sites);
    free(w);
}

void watch_end(struct watch *w)
{
    if (w->calls)
        calls_end(w->calls);
}

const struct site_table *watch_sites(const struct watch *w)
{
    return w->sites;
}

const struct patch_log *watch_patches(const struct watch *w)
{
    return w->patches;
}

struct account *watch_account(const struct watch *w)
{
    return w->account;
}

const struct audit *watch_audit(const struct watch *w)
{
    return w->audit;
}
