/*
 * hart.c - creation, reset, registers and fences of a hart.
 */
#include "cpu/hart.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/csr_bits.h"
#include "cpu/feed.h"
#include "cpu/fetch_view_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/store_order_priv.h"
#include "cpu/used_translations_priv.h"
#include "cpu/vector_priv.h"
#include "cpu/walk_used_priv.h"
#include "mem/bus.h"

static void add_model(struct hart *h)
{
    struct cluster *c = h->cluster;

    h->s.model = model_new(c->timing->shared);
    h->cache.timed = timed_new();
    if (h->s.model->ooo) {
        h->cache.labels = engine_ooo_table();
        h->cache.run = engine_run_ooo;
        return;
    }
    h->cache.labels = engine_timed_table();
    h->cache.run = engine_run_timed;
    h->cache.issue_shift = c->timing->shared->core->issue_width - 1;
}

static void add_order(struct hart *h)
{
    store_order_forget(h->cluster); /* what is kept of words has room for the harts so far */
    h->s.order = hart_order_new();
    h->cache.labels = engine_ordered_table();
    h->cache.run = engine_run_ordered;
}

void hart_keep_order(struct hart *h, bool on)
{
    hart_drop_all_caches(h); /* blocks are made for one of the engines */
    if (on) {
        add_order(h);
        hart_order_reset(h);
        return;
    }
    free(h->s.order);
    h->s.order = NULL;
    h->cache.labels = engine_table();
    h->cache.run = engine_run;
}

/*
 * Zeroes are empty entries of the caches, but where page 0 or pc 0 belongs. So nothing else of them
 * is written, and they cost the host no memory before they are filled.
 */
static void empty_new_caches(struct hart *h)
{
    for (unsigned i = 0; i < TLB_CONTEXTS; i++) {
        h->cache.tlbs[i].load.page[0] = no_page(0);
        h->cache.tlbs[i].store.page[0] = no_page(0);
        h->cache.tlbs[i].fetch.page[0] = no_page(0);
    }
    for (unsigned mode = 0; mode < ARRAY_LEN(h->cache.jumps); mode++)
        jump_slot(h->cache.jumps[mode], 0)->pc = NO_PC;
    h->cache.store_walks_filled = (1U << TLB_CONTEXTS) - 1;
}

struct hart *hart_new(struct cluster *c, unsigned id)
{
    struct hart *h = xcalloc(1, sizeof *h);

    h->s.yield_from = UINT64_MAX;
    h->cluster = c;
    h->id = id;
    h->cache.labels = engine_table();
    h->cache.run = engine_run;
    h->cache.fetched_ops = UINT_MAX;
    if (c->timing)
        add_model(h);
    if (c->config.translate != TRANSLATE_COHERENT)
        h->s.used = used_new(c->config.used_max, c->ram);
    if (h->s.used)
        h->cache.known_walks = known_walks_new();
    if (c->order)
        add_order(h);
    empty_new_caches(h);
    hart_reset(h, 0, PRIV_M);
    return h;
}

void hart_free(struct hart *h)
{
    hart_discard_blocks(h);
    map_free(&h->cache.blocks);
    fetch_views_free(h);
    VEC_FREE(&h->cache.suspects);
    timed_free(h->cache.timed);
    model_free(h->s.model);
    used_free(h->s.used);
    free(h->cache.known_walks);
    free(h->s.order);
    free(h);
}

/* All of the reset but its fence. */
static void reset_state(struct hart *h, uint64_t pc, enum privilege mode)
{
    if (h->s.model)
        model_restart(h->s.model);
    if (h->s.order)
        hart_order_reset(h);
    memset(h->s.x, 0, sizeof h->s.x);
    memset(h->s.f, 0, sizeof h->s.f);
    h->s.fflags = h->s.frm = 0;
    vector_reset(h);
    h->s.cycle_offset = h->s.insn_offset = 0; /* the counters run, and were not written */
    memset(&h->s.csr, 0, sizeof h->s.csr);
    h->s.csr.mstatus = MSTATUS_UXL_64 | MSTATUS_SXL_64;
    h->s.pc = align_down(pc, 2);
    h->s.mode = mode;
    h->cache.uop = NULL;
    h->s.waiting = HART_WAITS_NOT;
    h->s.off = false;
    h->s.landing_expected = false;
    h->s.reserved = false;
    h->s.irq_soft = 0;
    h->s.timer_due = false;
    h->s.csr.stimecmp = UINT64_MAX;
    h->s.csr.menvcfg =
        (hart_has(h, EXT_Svadu) ? MENVCFG_ADUE : 0) | (hart_has(h, EXT_Svpbmt) ? MENVCFG_PBMTE : 0);
    pmp_reset(h);
    hpm_reset(h);
    h->s.trap_repeats = 0;
    h->s.nested = (struct nested_traps){.open = false};
    h->s.last_trap_pc = h->s.last_trap_insns = UINT64_MAX;
    hart_flush_translations(h);
    hart_forget_walks(h);
    hart_forget_cut(h);
    hart_update_context(h);
    hart_update_interrupts(h);
}

void hart_reset(struct hart *h, uint64_t pc, enum privilege mode)
{
    struct writer me;

    reset_state(h, pc, mode);
    used_forget_all(h);
    me = hart_writer(h);
    hart_fence_i(h, FENCE_LOCAL, &me);
}

void hart_start(struct hart *h, uint64_t pc, enum privilege mode)
{
    reset_state(h, pc, mode);
}

enum privilege hart_data_mode(const struct hart *h)
{
    if (h->s.mode == PRIV_M && (h->s.csr.mstatus & MSTATUS_MPRV))
        return (enum privilege)get_field(h->s.csr.mstatus, MSTATUS_MPP);
    return h->s.mode;
}

void hart_update_context(struct hart *h)
{
    enum privilege data = hart_data_mode(h);
    enum tlb_context context = data == PRIV_M ? TLB_MACHINE : TLB_BARE;

    if (data == PRIV_U && h->s.csr.satp >> SATP_MODE_SHIFT)
        context = TLB_USER;
    else if (data == PRIV_S && h->s.csr.satp >> SATP_MODE_SHIFT)
        context = h->s.csr.mstatus & MSTATUS_SUM ? TLB_SUPER_SUM : TLB_SUPER;
    h->cache.tlb = &h->cache.tlbs[context];
    h->cache.loads = &h->cache.load_spans[context];
    h->cache.jump = h->cache.jumps[h->s.mode == PRIV_M ? 2 : h->s.mode];
    h->cache.returns = h->cache.return_stacks[h->s.mode == PRIV_M ? 2 : h->s.mode];
    if (h->s.model)
        timed_update_context(h);
}

void hart_update_interrupts(struct hart *h)
{
    if (hart_due_interrupts(h))
        h->s.exit_requests |= EXIT_INTERRUPT;
    else
        h->s.exit_requests &= ~(uint32_t)EXIT_INTERRUPT;
    if (h->s.waiting && hart_irq_pending(h))
        hart_wake(h);
}

void hart_set_irq(struct hart *h, enum interrupt irq, bool level)
{
    uint32_t *bank = irq == IRQ_SSI || irq == IRQ_STI ? &h->s.irq_soft : &h->s.irq_lines;

    if (level)
        *bank |= 1U << irq;
    else
        *bank &= ~(1U << irq);
    hart_update_interrupts(h);
}

void hart_set_timer(struct hart *h, bool due)
{
    h->s.timer_due = due;
    hart_update_interrupts(h);
}

bool hart_irq_pending(const struct hart *h)
{
    return (hart_mip(h) & h->s.csr.mie) != 0;
}

uint64_t hart_oldest_sync_stamp(const struct cluster *c)
{
    uint64_t oldest = UINT64_MAX;

    for (size_t i = 0; i < c->harts.len; i++)
        if (hart_sync_stamp(c->harts.at[i]) < oldest)
            oldest = hart_sync_stamp(c->harts.at[i]);
    return oldest;
}

/* Executes a fence.i, for the hart's own instruction or at firmware's request. */
void hart_fence_i(struct hart *h, enum fence_origin origin, const struct writer *by)
{
    struct cluster *c = h->cluster;

    if (h->s.order)
        store_order_fence_i(h, origin == FENCE_LOCAL);
    hart_discard_suspects(h);
    hart_forget_cut(h);
    fetch_views_synchronize(h);
    if (h->s.model)
        timed_fence_i(h);
    h->s.sync_stamp = h->s.fetch_floor = c->ram->stamp;
    ram_forget_copies(c->ram, hart_oldest_sync_stamp(c));
    ram_close_pages(c->ram);
    hart_flush_stores(h);
    hart_emit_fence(h, EVENT_FENCE_I, origin, by);
}

void hart_emit_fence(struct hart *h, enum event_kind kind, enum fence_origin origin,
                     const struct writer *by)
{
    struct event e;

    if (!is_wanted(h->cluster, kind))
        return;
    e = (struct event){.kind = kind,
                       .fence = {.origin = origin,
                                 .hart = h,
                                 .requester = by->hart,
                                 .pc = by->pc,
                                 .cycle = by->cycle,
                                 .step = by->step,
                                 .stamp = h->s.sync_stamp}};
    cluster_emit(h->cluster, &e);
}

void hart_emit_flush(struct hart *h, const uint64_t *va, const uint64_t *asid)
{
    struct event e;
    struct writer by;

    if (!is_wanted(h->cluster, EVENT_SFENCE_VMA))
        return;
    by = hart_writer(h);
    e = (struct event){.kind = EVENT_SFENCE_VMA,
                       .fence = {.origin = FENCE_LOCAL,
                                 .hart = h,
                                 .requester = by.hart,
                                 .pc = by.pc,
                                 .cycle = by.cycle,
                                 .step = by.step,
                                 .stamp = h->s.sync_stamp,
                                 .one_address = va != NULL,
                                 .va = va ? *va : 0,
                                 .one_asid = asid != NULL,
                                 .asid = asid ? (uint16_t)*asid : 0}};
    cluster_emit(h->cluster, &e);
}

enum { DROPS_OFTEN = 1 << 14 }; /* chances before drops become rarer */

/*
 * Drops become rarer as a run grows, else long runs would take hours: their number grows with the
 * logarithm of the number of chances.
 */
void hart_drop_some_caches(struct hart *h)
{
    unsigned rarer = 1 + (unsigned)(h->cache.drop_chances++ / DROPS_OFTEN);

    if (hart_drops_caches(h, 32 * rarer))
        hart_discard_blocks(h);
    if (hart_drops_caches(h, 16 * rarer))
        hart_drop_jumps(h);
    if (hart_drops_caches(h, 8 * rarer))
        hart_flush_tlb(h);
    if (hart_drops_caches(h, 8 * rarer))
        hart_forget_walks(h);
}

struct writer hart_writer(const struct hart *h)
{
    return (struct writer){.kind = WRITER_HART,
                           .hart = h->id,
                           .pc = hart_pc(h),
                           .cycle = hart_cycles(h),
                           .step = cluster_steps(h->cluster)};
}

enum hart_wait hart_waits_for(const struct hart *h)
{
    bool store_came = !h->s.reserved || h->s.cycles >= h->s.wait_limit;

    if (LIKELY(!h->s.waiting) || hart_irq_pending(h) ||
        (h->s.waiting == HART_WAITS_STORE && store_came))
        return HART_WAITS_NOT;
    return h->s.waiting;
}

bool hart_is_in_wait(const struct hart *h)
{
    return h->s.waiting != HART_WAITS_NOT;
}

uint64_t hart_wait_limit(const struct hart *h)
{
    return h->s.waiting == HART_WAITS_STORE ? h->s.wait_limit : UINT64_MAX;
}

void hart_emit_wait(struct hart *h, enum event_kind kind)
{
    const struct event e = {.kind = kind, .started = {h}};

    if (is_wanted(h->cluster, kind))
        cluster_emit(h->cluster, &e);
}

void hart_wake(struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;

    if (!h->s.waiting)
        return;
    h->s.waiting = HART_WAITS_NOT;
    if (env->woken)
        env->woken(env->ctx, h);
    hart_emit_wait(h, EVENT_HART_WOKEN);
}

static int64_t up_to_int64_max(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

enum hart_stop hart_run(struct hart *h, uint64_t insns, uint64_t until_cycle)
{
    enum hart_stop stop;

    if (hart_waits_for(h) != HART_WAITS_NOT)
        return HART_WAITING;
    if (h->s.waiting) {
        h->s.waiting = HART_WAITS_NOT;
        hart_emit_wait(h, EVENT_HART_WOKEN);
    }
    (void)hpm_check(h);
    h->s.paused = false;
    if (h->cache.store_epoch != h->cluster->ram->epoch)
        hart_flush_stores(h);
    h->s.insns_budget = h->s.insns_left = up_to_int64_max(insns);
    h->s.until = up_to_int64_max(until_cycle);
    h->cluster->insns_other = h->cluster->insns - h->s.insns;
    h->cluster->running = h;
    hpm_begin_run(h);
    feed_interrupt(h->cluster->feed);
    do
        stop = h->cache.run(h);
    while (hpm_check(h) && stop == HART_BUDGET && h->s.insns_left > 0 &&
           (int64_t)h->s.cycles < h->s.until);
    hpm_end_run(h);
    h->s.insns += (uint64_t)(h->s.insns_budget - h->s.insns_left);
    h->s.insns_budget = h->s.insns_left = 0;
    h->cluster->running = NULL;
    h->cluster->insns = h->cluster->insns_other + h->s.insns;
    if (h->s.reserved && h->cluster->harts.len > 1)
        ram_flag_page(h->cluster->ram, h->s.reserved_line, RAM_PAGE_RESERVED);
    return stop;
}

void hart_yield_from(struct hart *h, uint64_t cycle)
{
    h->s.yield_from = cycle;
}

void hart_ask_stop(struct hart *h)
{
    h->s.exit_requests |= EXIT_STOP;
}

unsigned hart_id(const struct hart *h)
{
    return h->id;
}

struct cluster *hart_cluster(const struct hart *h)
{
    return h->cluster;
}

uint64_t hart_pc(const struct hart *h)
{
    return h->cache.uop ? h->cache.block->pc + h->cache.uop->at * 2U : h->s.pc;
}

void hart_set_pc(struct hart *h, uint64_t pc)
{
    h->s.pc = align_down(pc, 2);
    hart_wake(h);
    hart_forget_cut(h);
}

void hart_set_reg(struct hart *h, unsigned reg, uint64_t value)
{
    if (reg)
        h->s.x[reg] = value;
    if (reg == REG_TP)
        feed_interrupt(h->cluster->feed);
}

const uint8_t *hart_vector(const struct hart *h, unsigned reg, unsigned *bytes)
{
    const struct vector_state *s = &h->s.vector;

    *bytes = s->vlenb;
    return s->vlenb ? s->v + (size_t)reg * s->vlenb : NULL;
}

void hart_set_vector(struct hart *h, unsigned reg, const uint8_t *from)
{
    struct vector_state *s = &h->s.vector;

    memcpy(s->v + (size_t)reg * s->vlenb, from, s->vlenb);
    s->executed++;
}

struct hart_vectors hart_vectors(const struct hart *h)
{
    const struct vector_state *s = &h->s.vector;

    return (struct hart_vectors){.vl = s->vl,
                                 .vtype = s->vtype,
                                 .vstart = s->vstart,
                                 .vcsr = (uint64_t)s->vxrm << 1 | s->vxsat,
                                 .executed = s->executed,
                                 .stores = s->stores,
                                 .on = h->s.csr.mstatus & MSTATUS_VS,
                                 .dirty = (h->s.csr.mstatus & MSTATUS_VS) == MSTATUS_VS};
}

bool hart_float_is_on(const struct hart *h)
{
    return h->s.csr.mstatus & MSTATUS_FS;
}

/* Without VS. */
enum { STATUS_SHOWN = SSTATUS_WRITABLE & ~MSTATUS_VS };
_Static_assert(STATUS_SHOWN == (SSTATUS_SIE | SSTATUS_SPIE | SSTATUS_SPP | SSTATUS_FS |
                                SSTATUS_SUM | SSTATUS_MXR),
               "hart.h has all fields");

struct hart_status hart_status(const struct hart *h)
{
    return (struct hart_status){.sstatus = h->s.csr.mstatus & STATUS_SHOWN,
                                .satp = h->s.csr.satp,
                                .vectors = h->s.vector.executed << 2 |
                                           get_field(h->s.csr.mstatus, MSTATUS_VS),
                                .fcsr = (uint32_t)h->s.frm << 5 | h->s.fflags};
}

bool hart_is_masked(const struct hart *h)
{
    return h->s.mode == PRIV_M || (h->s.mode == PRIV_S && !(h->s.csr.mstatus & SSTATUS_SIE));
}

void hart_set_freg(struct hart *h, unsigned reg, uint64_t value)
{
    h->s.f[reg] = value;
}

bool hart_expects_landing(const struct hart *h)
{
    return h->s.landing_expected;
}

enum privilege hart_mode(const struct hart *h)
{
    return h->s.mode;
}

uint64_t hart_cycles(const struct hart *h)
{
    if (!h->cache.uop)
        return h->s.cycles;
    return h->s.cycles -
           (hart_block_cycles(h, h->cache.block) -
            hart_cycles_before(h, h->cache.block, (unsigned)(h->cache.uop - h->cache.block->ops)));
}

uint64_t hart_native_insns(const struct hart *h)
{
    return h->cache.native.insns;
}

uint64_t hart_insns(const struct hart *h)
{
    uint64_t given = h->s.insns + (uint64_t)(h->s.insns_budget - h->s.insns_left);

    if (!h->cache.uop)
        return given;
    return given - (block_insns(h->cache.block) -
                    h->cache.block->notes[h->cache.uop - h->cache.block->ops].insns_before);
}

void hart_advance(struct hart *h, uint64_t to_cycle)
{
    if (to_cycle <= h->s.cycles)
        return;
    h->s.idle_cycles += to_cycle - h->s.cycles;
    h->s.cycles = to_cycle;
}

bool hart_parts(const struct hart *h, struct hart_parts *parts)
{
    const struct model *m = h->s.model;

    if (!m)
        return false;
    *parts = (struct hart_parts){.fetch = m->parts[PART_FETCH],
                                 .data = m->parts[PART_DATA],
                                 .branch = m->parts[PART_BRANCH]};
    parts->issue = h->s.cycles - h->s.idle_cycles - parts->fetch - parts->data - parts->branch;
    return true;
}

uint64_t hart_idle_cycles(const struct hart *h)
{
    return h->s.idle_cycles;
}

void hart_flush_translations(struct hart *h)
{
    hart_flush_tlb(h);
    hart_flush_jumps(h);
    if (h->s.model)
        timed_sfence(h, NULL);
}

void hart_drop_reservation(struct hart *h)
{
    h->s.reserved = false;
    if (h->s.waiting == HART_WAITS_STORE)
        hart_wake(h);
}

void hart_await_order(struct hart *h)
{
    h->s.unordered = true;
}

bool hart_awaits_order(const struct hart *h)
{
    return h->s.unordered;
}

uint64_t hart_sync_stamp(const struct hart *h)
{
    return h->s.off ? UINT64_MAX : h->s.sync_stamp;
}

/*
 * Nothing is stale for a hart that has never run: it has fetched nothing. One that has run keeps
 * what it has fetched.
 */
void hart_turn_off(struct hart *h)
{
    h->s.off = true;
    hart_let_stores_leave(h);
    if (!h->s.insns)
        h->s.sync_stamp = h->s.fetch_floor = h->cluster->ram->stamp;
}

/* ---- state ---- */

static void registers_io(struct state_io *io, struct hart_state *s)
{
    for (unsigned i = 0; i < 32; i++)
        STATE_IO(io, s->x[i]);
    for (unsigned i = 0; i < ARRAY_LEN(s->f); i++)
        STATE_IO(io, s->f[i]);
    STATE_IO_BELOW(io, s->fflags, 32);
    STATE_IO_BELOW(io, s->frm, 8);
    STATE_IO(io, s->pc);
    STATE_IO_BELOW(io, s->mode, PRIV_M + 1);
    if (s->mode == 2)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    state_io_bytes(io, &s->csr, sizeof s->csr); /* of 64-bit numbers only */
}

static void vector_io(struct state_io *io, struct vector_state *v)
{
    STATE_IO(io, v->vtype);
    STATE_IO_BELOW(io, v->vl, VLENB_MAX * 8 + 1);
    STATE_IO_BELOW(io, v->vstart, VLENB_MAX * 8);
    STATE_IO_BELOW(io, v->vxrm, 4);
    STATE_IO_BELOW(io, v->vxsat, 2);
    STATE_IO(io, v->executed);
    STATE_IO(io, v->stores);
    state_io_bytes(io, v->v, 32 * (size_t)v->vlenb);
}

static void counters_io(struct state_io *io, struct hart_state *s)
{
    STATE_IO(io, s->cycles);
    STATE_IO(io, s->insns);
    STATE_IO(io, s->idle_cycles);
    STATE_IO(io, s->insn_offset);
    STATE_IO(io, s->cycle_offset);
}

static void waiting_io(struct state_io *io, struct hart_state *s)
{
    STATE_IO(io, s->exit_requests);
    STATE_IO(io, s->irq_lines);
    STATE_IO(io, s->irq_soft);
    STATE_IO(io, s->timer_due);
    STATE_IO(io, s->landing_expected);
    STATE_IO(io, s->reserved);
    STATE_IO(io, s->reserved_line);
    STATE_IO(io, s->unordered);
    STATE_IO(io, s->yield_from);
    STATE_IO(io, s->paused);
    STATE_IO_BELOW(io, s->waiting, HART_WAITS_STORE + 1);
    STATE_IO(io, s->wait_limit);
    STATE_IO(io, s->off);
}

static void exception_io(struct state_io *io, struct hart_exception *e)
{
    STATE_IO(io, e->pc);
    STATE_IO(io, e->cause);
    STATE_IO(io, e->tval);
    STATE_IO_BELOW(io, e->mode, PRIV_M + 1);
    STATE_IO(io, e->insns);
}

static void nested_io(struct state_io *io, struct nested_traps *n)
{
    exception_io(io, &n->first);
    exception_io(io, &n->last);
    STATE_IO(io, n->insns);
    STATE_IO_BELOW(io, n->handler, PRIV_M + 1);
    STATE_IO(io, n->open);
    STATE_IO_BELOW(io, n->places, NESTED_PLACES + 1);
    for (unsigned i = 0; i < NESTED_PLACES; i++)
        STATE_IO(io, n->pc[i]);
    STATE_IO(io, n->count);
    STATE_IO(io, n->same);
    STATE_IO(io, n->sample_pc);
    STATE_IO(io, n->sample_tval);
    for (unsigned i = 0; i < ARRAY_LEN(n->sample_x); i++)
        STATE_IO(io, n->sample_x[i]);
}

static void traps_io(struct state_io *io, struct hart_state *s)
{
    STATE_IO(io, s->cause);
    STATE_IO(io, s->tval);
    STATE_IO(io, s->last_trap_pc);
    STATE_IO(io, s->last_trap_insns);
    STATE_IO(io, s->trap_repeats);
    exception_io(io, &s->first_exception);
    nested_io(io, &s->nested);
}

static void cut_io(struct state_io *io, struct cut *cut)
{
    if (!cut->valid)
        *cut = (struct cut){0}; /* equal states are saved alike, whatever was cut before */
    STATE_IO(io, cut->valid);
    STATE_IO(io, cut->size);
    STATE_IO(io, cut->insn);
    STATE_IO(io, cut->pc);
    STATE_IO(io, cut->pa);
}

void hart_drop_all_caches(struct hart *h)
{
    hart_discard_blocks(h);
    hart_drop_jumps(h);
    hart_flush_tlb(h);
    hart_forget_walks(h);
}

void hart_state_io(struct state_io *io, struct hart *h)
{
    assert(!h->cache.uop && !h->s.insns_budget && !h->s.insns_left);
    if (io->loading)
        hart_drop_all_caches(h);
    state_io_section(io, "hart", 10);
    registers_io(io, &h->s);
    if (h->s.vector.vlenb)
        vector_io(io, &h->s.vector);
    counters_io(io, &h->s);
    hpm_state_io(io, h);
    waiting_io(io, &h->s);
    traps_io(io, &h->s);
    pmp_state_io(io, h);
    if (h->s.model)
        model_state_io(io, h->s.model);
    STATE_IO(io, h->s.sync_stamp);
    STATE_IO(io, h->s.fetch_floor);
    cut_io(io, &h->s.cut);
    fetch_views_state_io(io, h);
    if (h->s.used)
        used_state_io(io, h);
    if (h->s.order)
        hart_order_state_io(io, h);
    if (io->loading)
        hart_update_context(h);
}
