/*
 * watch.c - see watch.h. Connects the parts; has no logic of its own.
 */
#include "ftrace/watch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/diag.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit.h"
#include "ftrace/calls/calls.h"
#include "ftrace/cost/account.h"
#include "ftrace/cost/jump_labels.h"
#include "ftrace/cost/module_labels.h"
#include "ftrace/cost/trampolines.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/key_labels.h"
#include "ftrace/kernel/kprobe_table.h"
#include "ftrace/kernel/live_text.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/announcers.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/site_check.h"
#include "ftrace/patch/site_sweep.h"
#include "ftrace/patch/updates.h"
#include "ftrace/sites/module_sites.h"
#include "ftrace/sites/site_life.h"
#include "ftrace/sites/sites.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

struct watch {
    struct cluster *cluster;
    struct ftrace_stream *stream, own_stream;
    struct site_table *sites;
    struct tasks *tasks; /* not owned; NULL: none */
    struct site_life *site_life;
    struct module_sites *module_sites;
    struct text_map *text;
    struct live_text *live_text; /* with the audit */
    struct patch_log *patches;
    struct account *account;
    struct trampolines *trampolines; /* these two with the account */
    struct jump_labels *jump_labels;
    struct module_labels *module_labels;
    struct audit *audit;
    struct site_check *site_check; /* these, too, with the audit */
    struct site_sweep *site_sweep;
    struct alarms *alarms;
    struct ftrace_records *records;
    struct key_labels *key_labels;
    struct kprobe_table *kprobes;
    struct kernel_probes *asked_locks, *unlocks, *key_calls;
    uint64_t locks[KERNEL_LOCKS];
    struct calls *calls;    /* for the audit, and for a listener that has no feed */
    struct calls *recorded; /* for a listener that has a feed; NULL: there is none */
    struct updates *updates;
    struct announcers *announcers;
    uint32_t audit_kinds; /* of events that the audit needs; 0: none */
};

static void on_code_write(struct watch *watch, const struct code_write *w)
{
    const struct site *site;
    uint8_t memory[SITE_BYTES_MAX] = {0};
    uint32_t id = site_life_store(watch->site_life, w);
    bool begins;

    site = id == NO_SITE ? NULL : site_get(watch->sites, id);
    if (site)
        (void)!bus_read(cluster_bus(watch->cluster), site->pa, memory, site->size);
    if (site && watch->calls)
        calls_site_stored(watch->calls, id, memory);
    if (site && watch->site_sweep)
        site_sweep_written(watch->site_sweep, id);
    begins = patch_log_write(watch->patches, w, id, memory);
    updates_write(watch->updates, w, id, begins);
}

static void on_fence(struct watch *watch, const struct fence_event *f)
{
    patch_log_fence(watch->patches, hart_id(f->hart), f);
    updates_fence(watch->updates, f);
}

static void on_trap(struct watch *watch, const struct trap_event *t)
{
    updates_pass_time(watch->updates, hart_cycles(t->hart));
    if (watch->account)
        account_trap(watch->account, t);
    if (watch->calls)
        calls_trap(watch->calls, t);
    if (watch->recorded)
        calls_trap(watch->recorded, t);
}

static void on_trap_return(struct watch *watch, const struct trap_return_event *t)
{
    if (watch->account)
        account_trap_return(watch->account, t);
    if (watch->calls)
        calls_trap_return(watch->calls, t);
    if (watch->recorded)
        calls_trap_return(watch->recorded, t);
}

static void on_mapping_changed(const struct watch *w)
{
    if (w->calls)
        calls_mapping_changed(w->calls);
    if (w->recorded)
        calls_mapping_changed(w->recorded);
}

static void on_event(void *ctx, const struct event *e)
{
    struct watch *w = ctx;

    switch (e->kind) {
    case EVENT_CODE_WRITE: on_code_write(w, &e->code_write); break;
    case EVENT_FENCE_I: on_fence(w, &e->fence); break;
    case EVENT_TRAP: on_trap(w, &e->trap); break;
    case EVENT_TRAP_RETURN: on_trap_return(w, &e->trap_return); break;
    case EVENT_SFENCE_VMA: on_mapping_changed(w); break;
    case EVENT_IPI_SENT:
        if (e->ipi.sender && e->ipi.sender != e->ipi.hart)
            updates_ipi(w->updates, e->ipi.sender, e->ipi.hart);
        break;
    case EVENT_IPI_TAKEN: updates_ipi_taken(w->updates, e->ipi.hart); break;
    case EVENT_STALE_FETCH: updates_stale(w->updates, &e->stale_fetch); break;
    case EVENT_HART_STARTED:
    case EVENT_HART_STOPPED:
        updates_set_stopped(w->updates, hart_id(e->started.hart), e->kind == EVENT_HART_STOPPED);
        break;
    default: break;
    }
    if (w->audit_kinds & EVENT_BIT(e->kind))
        audit_event(w->audit, e);
}

/* Declares the kernel's text as code, so that stores are seen even before the first fetch there. */
static void declare_text(struct cluster *c, const struct image *im)
{
    for (size_t i = 0; i < im->text_count; i++)
        cluster_declare_code(c, im->texts[i].pa, im->texts[i].size);
}

static void on_announced_end(void *ctx, struct hart *h, enum announced what)
{
    struct watch *watch = ctx;

    if (watch->site_sweep && what == ANNOUNCED_SITES)
        site_sweep_update_ended(watch->site_sweep, h);
}

/* The physical address of the lock that guards the kernel's text; 0: not known. */
static uint64_t find_text_mutex(const struct watch_config *config)
{
    uint64_t va, pa;

    return symbols_find(config->symbols, "text_mutex", &va) &&
                   image_va_to_pa(config->image, va, &pa)
               ? pa
               : 0;
}

/* ---- what the kernel believes of its code ---- */

/* A function is called with the address of a lock as its argument. */
static void on_lock(const struct watch *w, enum ftrace_event_kind kind, struct hart *h)
{
    for (unsigned i = 0; i < KERNEL_LOCKS; i++)
        if (w->locks[i] && hart_reg(h, REG_A0) == w->locks[i]) {
            const struct ftrace_event e = {.kind = kind,
                                           .lock = {h, (enum kernel_lock)i, hart_reg(h, REG_RA)}};

            ftrace_emit(w->stream, &e);
        }
}

static void on_asked(void *ctx, unsigned which, struct hart *h)
{
    (void)which;
    on_lock(ctx, FTRACE_LOCK_ASKED, h);
}

static void on_unlock(void *ctx, unsigned which, struct hart *h)
{
    (void)which;
    on_lock(ctx, FTRACE_LOCK_RELEASED, h);
}

static void on_key_call(void *ctx, unsigned which, struct hart *h)
{
    const struct watch *w = ctx;
    const struct ftrace_event e = {
        .kind = FTRACE_KEY_CALLED,
        .key = {.key = hart_reg(h, REG_A0), .hart = h, .caller = hart_reg(h, REG_RA)}};

    (void)which;
    ftrace_emit(w->stream, &e);
}

/* Plants probes where locks are taken or released, and at the functions that change a static key.
 */
static void plant_locks(struct watch *w, const struct image *im, const struct symbols *symbols,
                        bool asked)
{
    static const char *const locks[KERNEL_LOCKS] = {[LOCK_FTRACE] = "ftrace_lock",
                                                    [LOCK_JUMP_LABEL] = "jump_label_mutex",
                                                    [LOCK_KPROBE] = "kprobe_mutex"};
    static const char *const lock[] = {"mutex_lock"}, *const unlock[] = {"mutex_unlock"};
    static const char *const calls[] = {"jump_label_update",
                                        "__jump_label_update",
                                        "static_key_slow_inc",
                                        "static_key_slow_dec",
                                        "static_key_slow_inc_cpuslocked",
                                        "static_key_enable",
                                        "static_key_disable",
                                        "static_key_enable_cpuslocked",
                                        "static_key_disable_cpuslocked"};

    for (unsigned i = 0; i < KERNEL_LOCKS; i++)
        if (!symbols_find(symbols, locks[i], &w->locks[i]))
            w->locks[i] = 0;
    if (asked)
        w->asked_locks = kernel_probes_new(w->cluster, im, symbols, lock, 1, on_asked, w);
    w->unlocks = kernel_probes_new(w->cluster, im, symbols, unlock, 1, on_unlock, w);
    w->key_calls =
        kernel_probes_new(w->cluster, im, symbols, calls, ARRAY_LEN(calls), on_key_call, w);
}

static struct audit *new_audit(const struct watch *w, const struct watch_config *config)
{
    const struct audit_config audit = {.tasks = w->tasks,
                                       .programs = config->programs,
                                       .sites = w->sites,
                                       .symbols = config->symbols,
                                       .image = config->image,
                                       .lines = config->lines,
                                       .log = w->patches,
                                       .updates = w->updates,
                                       .calls = w->calls,
                                       .text = w->text,
                                       .text_mutex = find_text_mutex(config),
                                       .records = w->records,
                                       .labels = w->key_labels,
                                       .kprobes = w->kprobes,
                                       .module_sites = w->module_sites,
                                       .cluster = config->cluster,
                                       .stream = w->stream,
                                       .findings_max = config->findings_max};

    return audit_new(&audit);
}

static struct calls *new_calls(const struct watch *w, const struct watch_config *config,
                               struct calls_listener listener)
{
    return calls_new(config->cluster, config->image, w->sites, config->symbols, w->stream,
                     listener);
}

/*
 * Starts the record of calls: for the audit, or because the user asked for it. The audit must hear
 * of a call as it happens, and so does not follow calls by a feed.
 */
static void listen_to_calls(struct watch *w, const struct watch_config *config,
                            const struct diag *d)
{
    /* Calls that no patching turns on or off are not audited. */
    bool audited = config->audit && sites_are_patched(w->sites);

    if (config->calls.enter && !calls_possible(w->sites))
        diag_warn(d, "%s: has no ftrace sites, so no call of its functions can be seen",
                  config->image->path);
    if (config->calls.feed)
        w->recorded = new_calls(w, config, config->calls);
    else if (config->calls.enter)
        w->calls = new_calls(w, config, config->calls);
    if (!w->calls && audited)
        w->calls = new_calls(w, config, (struct calls_listener){.stores_told = true});
}

static void count_costs(struct watch *w, const struct watch_config *config)
{
    w->account = account_new(config->cluster, config->image, config->symbols, w->sites);
    w->trampolines = trampolines_new(config->cluster, config->image, config->symbols);
    w->jump_labels = jump_labels_new(config->cluster, text_map_labels(w->text), config->symbols);
}

static void on_sites_changed(void *ctx, uint32_t id)
{
    const struct watch *w = ctx;
    const struct ftrace_event e = {.kind = FTRACE_SITE_CHANGED, .site = {id}};

    if (w->calls)
        calls_site_changed(w->calls, id);
    if (w->recorded)
        calls_mapping_changed(w->recorded); /* addresses that it knows may be other code now */
    if (ftrace_wants(w->stream, e.kind))
        ftrace_emit(w->stream, &e);
}

static void on_site_taken(void *ctx, struct hart *h, uint32_t id, uint64_t lacking)
{
    const struct watch *w = ctx;
    const struct ftrace_event e = {.kind = FTRACE_SITE_TAKEN, .taken = {h, id, lacking}};

    if (ftrace_wants(w->stream, e.kind))
        ftrace_emit(w->stream, &e);
}

static void on_alarm(void *ctx, struct hart *h, const struct alarm *alarm)
{
    const struct watch *w = ctx;
    const struct ftrace_event e = {.kind = FTRACE_ALARM, .alarm = {h, alarm}};

    ftrace_emit(w->stream, &e);
}

static void on_module_freed(void *ctx, struct hart *h)
{
    const struct watch *w = ctx;
    const struct ftrace_event e = {.kind = FTRACE_MODULE_FREED, .text = {.hart = h}};

    ftrace_emit(w->stream, &e);
}

static void on_text_complete(void *ctx, const struct live_event *live)
{
    const struct watch *w = ctx;
    const struct ftrace_event e = {.kind = FTRACE_TEXT_LIVE,
                                   .text = {.hart = live->hart,
                                            .of_module = live->kind == TEXT_MODULE,
                                            .va = live->va,
                                            .size = live->size,
                                            .writable = live->writable}};

    if (ftrace_wants(w->stream, e.kind))
        ftrace_emit(w->stream, &e);
    if (live->kind == TEXT_MODULE) /* its stores were not seen: it was no code yet */
        site_sweep_range(w->site_sweep, live->hart, live->va, live->size);
}

struct watch *watch_new(const struct watch_config *config, const struct diag *d)
{
    struct watch *w = xcalloc(1, sizeof *w);
    struct listener listener = {.ctx = w,
                                .kinds = EVENT_BIT(EVENT_CODE_WRITE) | EVENT_BIT(EVENT_FENCE_I) |
                                         EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN) |
                                         EVENT_BIT(EVENT_SFENCE_VMA) | EVENT_BIT(EVENT_IPI_SENT) |
                                         EVENT_BIT(EVENT_IPI_TAKEN) | EVENT_BIT(EVENT_STALE_FETCH) |
                                         EVENT_BIT(EVENT_HART_STARTED) |
                                         EVENT_BIT(EVENT_HART_STOPPED),
                                .on_event = on_event};

    w->cluster = config->cluster;
    w->stream = config->stream ? config->stream : &w->own_stream;
    w->tasks = config->tasks;
    w->sites = site_table_new(config->image, config->symbols, d);
    site_table_listen(w->sites, (struct site_listener){on_sites_changed, w});
    w->site_life = site_life_new(config->cluster, w->sites, config->image, config->symbols);
    w->module_sites =
        module_sites_new(config->cluster, config->image, config->symbols, w->sites, w->site_life);
    module_sites_listen(w->module_sites, on_site_taken, w);
    w->text = text_map_new(config->image, config->symbols);
    w->patches = patch_log_new(w->sites, cluster_hart_count(config->cluster), config->patches_max);
    w->updates = updates_new(config->cluster, w->sites, w->patches, config->updates_max, w->stream);
    updates_know_text(w->updates, w->text, find_text_mutex(config));
    listen_to_calls(w, config, d);
    if (config->account)
        count_costs(w, config);
    if (config->audit) {
        w->records =
            ftrace_records_new(config->cluster, config->image, config->symbols, config->lines);
        w->key_labels = key_labels_new(config->cluster, text_map_labels(w->text));
        w->kprobes = kprobe_table_new(config->image, config->symbols, config->lines);
        plant_locks(w, config->image, config->symbols, config->asked_locks);
    }
    w->module_labels = module_labels_new(config->cluster, config->image, config->symbols, w->text,
                                         w->jump_labels, w->key_labels);
    if (config->audit) {
        w->live_text = live_text_new(config->cluster, config->image, config->symbols, w->text,
                                     (struct live_listener){on_text_complete, on_module_freed, w});
        w->audit = new_audit(w, config);
        w->site_check =
            site_check_new(config->cluster, w->sites, config->image, config->symbols, w->stream);
        w->site_sweep =
            site_sweep_new(config->cluster, w->sites, w->site_check, config->symbols, w->stream);
        w->alarms = alarms_new(config->cluster, config->image, config->symbols, on_alarm, w);
        w->audit_kinds = audit_events(w->audit);
        listener.kinds |= w->audit_kinds;
    }
    w->announcers = announcers_new(config->cluster, config->image, config->symbols, w->updates,
                                   on_announced_end, w);
    declare_text(config->cluster, config->image); /* after all probes: in code they cost more */
    cluster_listen(config->cluster, &listener);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    announcers_free(w->announcers);
    calls_free(w->calls);
    calls_free(w->recorded);
    account_free(w->account);
    trampolines_free(w->trampolines);
    module_labels_free(w->module_labels);
    jump_labels_free(w->jump_labels);
    site_sweep_free(w->site_sweep);
    site_check_free(w->site_check);
    alarms_free(w->alarms);
    audit_free(w->audit);
    live_text_free(w->live_text);
    kernel_probes_free(w->asked_locks);
    kernel_probes_free(w->unlocks);
    kernel_probes_free(w->key_calls);
    ftrace_records_free(w->records);
    key_labels_free(w->key_labels);
    kprobe_table_free(w->kprobes);
    updates_free(w->updates);
    patch_log_free(w->patches);
    module_sites_free(w->module_sites);
    site_life_free(w->site_life);
    text_map_free(w->text);
    site_table_free(w->sites);
    free(w);
}

/* A file may be restored by a run that records calls while the one that has written it did not. */
static void recorded_state_io(struct state_io *io, struct watch *w)
{
    bool saved = w->recorded != NULL;

    state_io_section(io, "recorded calls", 1);
    STATE_IO(io, saved);
    if (w->recorded && saved)
        calls_state_io(io, w->recorded);
    else if (w->recorded)
        calls_forget(w->recorded);
    else if (saved)
        calls_state_skip(io, w->sites);
}

void watch_state_io(void *watch, struct state_io *io)
{
    struct watch *w = watch;

    site_table_state_io(io, w->sites); /* first, as the other parts refer to its sites */
    site_life_state_io(io, w->site_life);
    module_sites_state_io(io, w->module_sites);
    if (w->tasks)
        tasks_state_io(io, w->tasks);
    if (w->account)
        account_state_io(io, w->account);
    if (w->trampolines)
        trampolines_state_io(io, w->trampolines);
    if (w->jump_labels)
        jump_labels_state_io(io, w->jump_labels);
    module_labels_state_io(io, w->module_labels);
    if (w->key_labels)
        key_labels_state_io(io, w->key_labels);
    if (w->calls)
        calls_state_io(io, w->calls);
    recorded_state_io(io, w);
    patch_log_state_io(io, w->patches);
    updates_state_io(io, w->updates);
    announcers_state_io(io, w->announcers);
    if (w->live_text)
        live_text_state_io(io, w->live_text);
    if (w->audit)
        audit_state_io(io, w->audit);
    if (w->site_check)
        site_check_state_io(io, w->site_check);
    if (w->site_sweep)
        site_sweep_state_io(io, w->site_sweep);
}

/* Whether the update that wrote the site has ended, and the site is still one. */
static bool is_due(void *ctx, uint32_t id)
{
    const struct watch *w = ctx;
    const struct patch *p = patch_log_last(w->patches, id);
    struct hart *h = cluster_hart(w->cluster, 0);

    return p && p->who.kind == WRITER_HART && site_life_is_present(w->site_life, h, id) &&
           updates_ended(w->updates, p->who.hart, p->stamp);
}

void watch_end(struct watch *w, struct run_end end)
{
    updates_settle(w->updates);
    if (w->site_sweep)
        site_sweep_run_ended(w->site_sweep, cluster_hart(w->cluster, 0), is_due, w);
    if (w->audit)
        audit_end(w->audit, end);
    updates_finish(w->updates);
    if (w->calls)
        calls_end(w->calls);
    if (w->recorded)
        calls_end(w->recorded);
}

/* The labels of modules are in two tables, of the costs and of the audit. */
static uint64_t labels_left_out(const struct watch *w)
{
    uint64_t costs = w->jump_labels ? jump_labels_left_out(w->jump_labels) : 0;
    uint64_t keys = w->key_labels ? key_labels_left_out(w->key_labels) : 0;

    return costs > keys ? costs : keys;
}

struct watch_left_out watch_left_out(const struct watch *w)
{
    const struct calls *calls = watch_calls(w);

    return (struct watch_left_out){
        .returns = calls ? calls_returns_left_out(calls) : 0,
        .calls = calls ? calls_open_left_out(calls) : 0,
        .swaps = w->audit ? audit_swaps_left_out(w->audit) : 0,
        .texts = w->live_text ? live_text_left_out(w->live_text) : 0,
        .sites = site_life_left_out(w->site_life) + module_sites_left_out(w->module_sites),
        .labels = labels_left_out(w),
        .announced = announcers_left_out(w->announcers) + updates_sections_left_out(w->updates)};
}

struct ftrace_stream *watch_stream(const struct watch *w)
{
    return w->stream;
}

const struct site_table *watch_sites(const struct watch *w)
{
    return w->sites;
}

const struct patch_log *watch_patches(const struct watch *w)
{
    return w->patches;
}

const struct updates *watch_updates(const struct watch *w)
{
    return w->updates;
}

struct account *watch_account(const struct watch *w)
{
    return w->account;
}

const struct jump_labels *watch_jump_labels(const struct watch *w)
{
    return w->jump_labels;
}

const struct trampolines *watch_trampolines(const struct watch *w)
{
    return w->trampolines;
}

const struct calls *watch_calls(const struct watch *w)
{
    return w->recorded ? w->recorded : w->calls;
}

struct tasks *watch_tasks(const struct watch *w)
{
    return w->tasks;
}

const struct audit *watch_audit(const struct watch *w)
{
    return w->audit;
}
