/*
 * cluster.c - see cluster.h.
 */
#include "cpu/cluster.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/state_io.h"
#include "base/versions.h"
#include "cpu/codemap_priv.h"
#include "cpu/fetch_view_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/insn_events_priv.h"
#include "cpu/isa/decode.h"
#include "cpu/store_order_priv.h"
#include "cpu/used_translations_priv.h"
#include "mem/bus.h"

static const struct op_cost inorder_costs[] = {
#define T(name, issue, data, branch, end) {issue, data, branch},
#include "cpu/isa/class.def"
#undef T
};

unsigned op_cost_sum(struct op_cost cost)
{
    return (unsigned)cost.issue + cost.data + cost.branch;
}

struct op_cost cluster_op_cost(const struct cluster *c, unsigned op)
{
    return c->cost[op];
}

bool cluster_has_core(const struct cluster *c)
{
    return c->timing != NULL;
}

static void set_costs(struct cluster *c)
{
    if (c->config.timing == TIMING_CORE) {
        c->timing = xcalloc(1, sizeof *c->timing);
        c->timing->shared = shared_model_new(c->config.core);
        timed_set_classes(c->timing->class);
        return;
    }
    for (unsigned op = 0; op < OP_COUNT; op++)
        c->cost[op] = c->config.timing == TIMING_UNIT ? (struct op_cost){.issue = 1}
                                                      : inorder_costs[op_class(op)];
}

static bool overlaps_reservation(const struct hart *h, uint64_t pa, uint64_t size)
{
    return pa < h->s.reserved_line + LINE_BYTES && h->s.reserved_line < pa + size;
}

/* A store to the line of a reservation by any writer but its own hart breaks it. */
static void break_reservations(struct cluster *c, uint64_t pa, uint64_t size,
                               const struct writer *by)
{
    bool any = false;

    for (size_t i = 0; i < c->harts.len; i++) {
        struct hart *h = c->harts.at[i];
        bool own = by->kind == WRITER_HART && by->hart == h->id;

        if (!h->s.reserved || !same_page(h->s.reserved_line, pa))
            continue;
        if (!own && overlaps_reservation(h, pa, size))
            hart_drop_reservation(h);
        any |= h->s.reserved;
    }
    ram_keep_page(c->ram, pa);
    if (!any)
        ram_page_at(c->ram, pa)->flags &= ~(uint32_t)RAM_PAGE_RESERVED;
}

static void before_write(void *cluster, uint64_t pa, uint64_t size, const struct writer *by)
{
    struct cluster *c = cluster;

    break_reservations(c, pa, size, by);
    if (by->kind == WRITER_DEBUGGER_FENCED)
        fetch_views_refresh(c, pa, size);
    if (c->order && by->kind != WRITER_HART)
        store_order_other_write(c, NULL, pa, size);
    if (c->timing && by->kind == WRITER_DMA)
        model_device_writes(c->timing->shared, pa, size);
}

uint64_t cluster_default_extensions(const struct cluster_config *config)
{
    return config->timing == TIMING_CORE ? EXTS_DEFAULT & ~EXTS_VECTOR : EXTS_DEFAULT;
}

struct cluster *cluster_new(const struct cluster_config *config)
{
    struct cluster *c = xcalloc(1, sizeof *c);

    c->config = *config;
    if (!c->config.extensions)
        c->config.extensions = cluster_default_extensions(config);
    if (!c->config.pmp_entries)
        c->config.pmp_entries = PMP_ENTRIES;
    if (!c->config.code_writes_max)
        c->config.code_writes_max = CODE_WRITES_DEFAULT;
    if (!c->config.old_code_max)
        c->config.old_code_max = OLD_CODE_DEFAULT;
    if (!c->config.used_max)
        c->config.used_max = USED_DEFAULT;
    c->writes_kept = xcalloc(c->config.code_writes_max / WRITE_CHUNK + 1, sizeof *c->writes_kept);
    c->ram = bus_ram(config->bus);
    c->decoder = decoder_new(c->config.extensions);
    set_costs(c);
    if (c->config.stores != STORES_PROMPT) {
        assert(!c->timing);
        c->order = store_order_new();
        c->wanted = INSN_ORDER;
    }
    if (c->config.extensions & EXTS_Zicfilp)
        c->wanted |= INSN_LANDING;
    if (c->timing)
        c->not_native = "a core model has an engine of its own";
    else if (c->order)
        c->not_native = "--stores delayed and random have an engine of their own";
    else if (c->config.engine != ENGINE_INTERPRETER)
        c->native = native_new(c, &c->not_native);
    c->free_probe = NO_PROBE;
    ram_set_hooks(c->ram, (struct ram_hooks){.ctx = c,
                                             .store_code = codemap_store,
                                             .before_write = before_write,
                                             .accessed = memwatch_accessed,
                                             .table_written = walk_table_written});
    return c;
}

const char *cluster_not_translated(const struct cluster *c)
{
    return c->config.engine == ENGINE_TRANSLATED ? c->not_native : NULL;
}

void cluster_free(struct cluster *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->harts.len; i++)
        hart_free(c->harts.at[i]);
    codemap_free(c);
    native_free(c->native);
    decoder_free(c->decoder);
    VEC_FREE(&c->page_views.views);
    map_free(&c->table_ranges);
    probes_free(c);
    VEC_FREE(&c->watched);
    VEC_FREE(&c->harts);
    if (c->timing)
        shared_model_free(c->timing->shared);
    free(c->timing);
    store_order_free(c->order);
    free(c);
}

struct hart *cluster_add_hart(struct cluster *c)
{
    struct hart *h = hart_new(c, (unsigned)c->harts.len);

    VEC_PUSH(&c->harts, h);
    return h;
}

unsigned cluster_hart_count(const struct cluster *c)
{
    return (unsigned)c->harts.len;
}

struct hart *cluster_hart(const struct cluster *c, unsigned id)
{
    return id < c->harts.len ? c->harts.at[id] : NULL;
}

enum translate_mode cluster_translate_mode(const struct cluster *c)
{
    return c->config.translate;
}

uint64_t cluster_extensions(const struct cluster *c)
{
    return c->config.extensions;
}

const struct decoder *cluster_decoder(const struct cluster *c)
{
    return c->decoder;
}

struct bus *cluster_bus(const struct cluster *c)
{
    return c->config.bus;
}

struct feed *cluster_feed(const struct cluster *c)
{
    return c->feed;
}

/* A listener to all kinds may have bits that are no kind: one of these is INSN_ORDER. */
static void want(struct cluster *c, uint32_t kinds)
{
    kinds &= EVENT_BIT(EVENT_KINDS) - 1;
    if (!c->records_insns && !c->traces_insns)
        kinds &= ~EVENT_BIT(EVENT_INSN);
    if (c->order)
        kinds |= INSN_ORDER;
    kinds |= c->wanted & INSN_LANDING;
    if ((kinds ^ c->wanted) & (INSN_EVENTS | EVENT_BIT(EVENT_CSR_WRITE)))
        for (size_t i = 0; i < c->harts.len; i++)
            c->harts.at[i]->s.exit_requests |= EXIT_BLOCKS;
    c->wanted = kinds;
}

void cluster_listen(struct cluster *c, const struct listener *l)
{
    assert(c->listener_count < LISTENERS_MAX);
    c->listeners[c->listener_count++] = *l;
    want(c, c->wanted | l->kinds);
}

void cluster_listen_to(struct cluster *c, const void *ctx, uint32_t kinds)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < c->listener_count; i++) {
        if (c->listeners[i].ctx == ctx)
            c->listeners[i].kinds = kinds;
        all |= c->listeners[i].kinds;
    }
    want(c, all);
}

/* In a prompt machine, in whose buffers nothing waits, or is to be kept. */
static void switch_store_order(struct cluster *c, bool on)
{
    if (c->config.stores != STORES_PROMPT || c->timing || on == (c->order != NULL))
        return;
    if (on)
        c->order = store_order_new();
    for (size_t i = 0; i < c->harts.len; i++)
        hart_keep_order(c->harts.at[i], on);
    if (!on) {
        store_order_free(c->order);
        c->order = NULL;
    }
    c->wanted = (c->wanted & ~INSN_ORDER) | (on ? INSN_ORDER : 0);
}

void cluster_keep_store_order(struct cluster *c, bool on)
{
    if (c->config.stores == STORES_PROMPT && !on)
        cluster_let_stores_leave(c);
    switch_store_order(c, on);
}

static void set_insn_events(struct cluster *c, bool *flag, bool on)
{
    uint32_t all = 0;

    if (on == *flag)
        return;
    *flag = on;
    for (unsigned i = 0; i < c->listener_count; i++)
        all |= c->listeners[i].kinds;
    want(c, all);
}

void cluster_record_insns(struct cluster *c, bool on)
{
    set_insn_events(c, &c->records_insns, on);
}

void cluster_trace_insns(struct cluster *c, bool on)
{
    set_insn_events(c, &c->traces_insns, on);
}

bool cluster_traces_insns(const struct cluster *c)
{
    return c->traces_insns;
}

bool cluster_records_insns(const struct cluster *c)
{
    return c->records_insns;
}

bool cluster_wants(const struct cluster *c, enum event_kind kind)
{
    return is_wanted(c, kind);
}

void cluster_emit(const struct cluster *c, const struct event *e)
{
    for (unsigned i = 0; i < c->listener_count; i++)
        if (c->listeners[i].kinds & EVENT_BIT(e->kind))
            c->listeners[i].on_event(c->listeners[i].ctx, e);
}

void cluster_discard_blocks(const struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++)
        hart_discard_blocks(c->harts.at[i]);
}

void cluster_charge(struct cluster *c, const struct charge_owner *owner)
{
    assert(c->charge_owner_count < CHARGE_OWNERS_MAX);
    c->charge_owners[c->charge_owner_count++] = owner;
    cluster_discard_blocks(c);
}

void cluster_uncharge(struct cluster *c, const struct charge_owner *owner)
{
    unsigned at = 0;

    while (at < c->charge_owner_count && c->charge_owners[at] != owner)
        at++;
    if (at == c->charge_owner_count)
        return;
    c->charge_owners[at] = c->charge_owners[--c->charge_owner_count];
    cluster_discard_blocks(c);
}

void cluster_remote_fence(struct cluster *c, struct hart *target, struct hart *requester)
{
    struct writer by = hart_writer(requester);

    (void)c;
    by.pc -= 4; /* the requester's pc is already after the ecall */
    hart_fence_i(target, FENCE_REMOTE, &by);
    if (target->s.model && target != requester)
        timed_remote_fence(target, CORE_fence_i);
}

static void emit_remote_flush(const struct cluster *c, struct hart *target, const struct writer *by,
                              const struct remote_flush *flush)
{
    const struct event e = {.kind = EVENT_SFENCE_VMA,
                            .fence = {.origin = FENCE_REMOTE,
                                      .hart = target,
                                      .requester = by->hart,
                                      .pc = by->pc,
                                      .cycle = by->cycle,
                                      .stamp = target->s.sync_stamp,
                                      .va = flush->from,
                                      .size = flush->size == UINT64_MAX ? 0 : flush->size,
                                      .one_asid = flush->one_asid,
                                      .asid = flush->asid}};

    if (is_wanted(c, EVENT_SFENCE_VMA))
        cluster_emit(c, &e);
}

void cluster_remote_sfence_vma(struct cluster *c, struct hart *target, struct hart *requester,
                               const struct remote_flush *flush)
{
    struct writer by = hart_writer(requester);
    bool all = flush->size == UINT64_MAX;

    by.pc -= 4; /* as above */
    if (target->s.used)
        used_fence(target, (struct used_scope){.all_addresses = all,
                                               .all_asids = !flush->one_asid,
                                               .from = align_down(flush->from, PAGE_BYTES),
                                               .size = flush->size,
                                               .asid = flush->asid});
    hart_let_stores_leave(target);
    hart_forget_cut(target);
    if (target->s.model)
        timed_sfence(target, NULL);
    if (target->s.model && target != requester)
        timed_remote_fence(target, CORE_sfence);
    emit_remote_flush(c, target, &by, flush);
}

struct cluster_left_out cluster_left_out(const struct cluster *c)
{
    return (struct cluster_left_out){c->writes_left_out, c->ram->copies_left_out,
                                     c->old_code_left_out};
}

static void pointer_writes_io(struct state_io *io, struct cluster *c)
{
    STATE_IO(io, c->table_clock);
    STATE_IO(io, c->pointer_write_count);
    for (unsigned i = 0; i < POINTER_WRITES; i++) {
        STATE_IO(io, c->pointer_writes[i].pte_pa);
        STATE_IO(io, c->pointer_writes[i].clock);
        writer_state_io(io, &c->pointer_writes[i].who);
    }
}

uint64_t cluster_steps(const struct cluster *c)
{
    return c->running ? c->insns_other + hart_insns(c->running) : c->insns;
}

static void count_steps(struct cluster *c)
{
    c->running = NULL;
    c->insns = 0;
    for (size_t i = 0; i < c->harts.len; i++)
        c->insns += hart_insns(c->harts.at[i]);
}

void cluster_state_io(struct state_io *io, struct cluster *c)
{
    bool kept = c->order != NULL;

    state_io_section(io, "cluster", 5);
    STATE_IO_SAME(io, c->harts.len);
    STATE_IO(io, kept);
    if (io->loading)
        switch_store_order(c, kept); /* memory is restored elsewhere: what waits is dropped */
    if (kept != (c->order != NULL))
        state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO_SAME(io, c->config.old_code_max);
    STATE_IO(io, c->old_code_left_out);
    STATE_IO_SAME(io, c->config.translate);
    if (c->config.translate != TRANSLATE_COHERENT)
        pointer_writes_io(io, c);
    if (io->loading)
        fetch_views_remove(c);
    for (size_t i = 0; i < c->harts.len; i++)
        hart_state_io(io, c->harts.at[i]);
    if (io->loading)
        count_steps(c);
    if (c->order)
        store_order_state_io(io, c);
    if (c->timing)
        shared_model_state_io(io, c->timing->shared);
    STATE_IO_SAME(io, c->config.code_writes_max);
    STATE_IO_BELOW(io, c->writes.len, c->writes.cap + 1);
    STATE_IO_BELOW(io, c->oldest_write, c->config.code_writes_max);
    STATE_IO(io, c->writes_left_out);
}

/* Needed before the code map is restored, whose pages list blocks. */
static void drop_all_caches(struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++)
        hart_drop_all_caches(c->harts.at[i]);
}

void cluster_code_state_io(struct state_io *io, struct cluster *c)
{
    if (io->loading)
        drop_all_caches(c);
    codemap_state_io(io, c);
}

struct version *cluster_take_code_version(struct cluster *c)
{
    return codemap_take_version(c);
}

void cluster_restore_code_version(struct cluster *c, const struct version *v)
{
    drop_all_caches(c);
    codemap_restore_version(c, v);
}

void cluster_free_code_version(struct cluster *c, struct version *v)
{
    version_free(c->code_versions, v);
}

size_t cluster_code_versions_bytes(const struct cluster *c)
{
    return c->code_versions ? versions_bytes(c->code_versions) : 0;
}
