/*
 * hart.c - a hart's life, its registers, and its fences.
 */
#include "cpu/hart.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cpu/cpu_priv.h"
#include "cpu/csr_bits.h"
#include "mem/bus.h"

struct hart *hart_new(struct cluster *c, unsigned id)
{
    struct hart *h = xcalloc(1, sizeof *h);

    h->yield_from = UINT64_MAX;
    h->cluster = c;
    h->id = id;
    h->labels = engine_table();
    h->jump_fills.len = h->store_fills.len = h->other_fills.len =
        FILLS_LOST; /* zeroes are no entries */
    hart_reset(h, 0, PRIV_M);
    return h;
}

void hart_free(struct hart *h)
{
    hart_discard_blocks(h);
    map_free(&h->blocks);
    map_free(&h->view);
    map_free(&h->reported);
    VEC_FREE(&h->suspects);
    free(h);
}

void hart_reset(struct hart *h, uint64_t pc, enum privilege mode)
{
    struct writer me;

    memset(h->x, 0, sizeof h->x);
    memset(h->f, 0, sizeof h->f);
    h->fflags = h->frm = 0;
    h->cycle_offset = h->insn_offset = 0; /* the counters run, and were not written */
    memset(&h->csr, 0, sizeof h->csr);
    h->csr.mstatus = MSTATUS_UXL_64 | MSTATUS_SXL_64;
    h->pc = align_down(pc, 2);
    h->mode = mode;
    h->uop = NULL;
    h->waiting = HART_WAITS_NOT;
    h->reserved = false;
    h->irq_soft = 0;
    h->timer_due = false;
    h->csr.stimecmp = UINT64_MAX;
    h->csr.menvcfg =
        (hart_has(h, EXT_Svadu) ? MENVCFG_ADUE : 0) | (hart_has(h, EXT_Svpbmt) ? MENVCFG_PBMTE : 0);
    pmp_reset(h);
    h->trap_repeats = 0;
    h->last_trap_pc = h->last_trap_insns = UINT64_MAX;
    hart_flush_translations(h);
    me = hart_writer(h);
    hart_fence_i(h, FENCE_LOCAL, &me);
    hart_update_context(h);
    hart_update_attention(h);
}

enum privilege hart_data_mode(const struct hart *h)
{
    if (h->mode == PRIV_M && (h->csr.mstatus & MSTATUS_MPRV))
        return (enum privilege)get_field(h->csr.mstatus, MSTATUS_MPP);
    return h->mode;
}

void hart_update_context(struct hart *h)
{
    enum privilege data = hart_data_mode(h);
    enum tlb_context context = data == PRIV_M ? TLB_MACHINE : TLB_BARE;

    if (data == PRIV_U && h->csr.satp >> SATP_MODE_SHIFT)
        context = TLB_USER;
    else if (data == PRIV_S && h->csr.satp >> SATP_MODE_SHIFT)
        context = h->csr.mstatus & MSTATUS_SUM ? TLB_SUPER_SUM : TLB_SUPER;
    h->tlb = &h->tlbs[context];
    h->loads = &h->load_spans[context];
    h->jump = h->jumps[h->mode == PRIV_M ? 2 : h->mode];
    h->calls = h->kept_calls[h->mode == PRIV_M ? 2 : h->mode];
}

uint64_t hart_mip(const struct hart *h)
{
    return h->irq_lines | h->irq_soft | (uint64_t)h->timer_due << IRQ_STI;
}

void hart_update_attention(struct hart *h)
{
    if (hart_due_interrupts(h))
        h->attention |= ATTEND_IRQ;
    else
        h->attention &= ~(uint32_t)ATTEND_IRQ;
}

void hart_set_irq(struct hart *h, enum interrupt irq, bool level)
{
    uint32_t *bank = irq == IRQ_SSI || irq == IRQ_STI ? &h->irq_soft : &h->irq_lines;

    if (level)
        *bank |= 1U << irq;
    else
        *bank &= ~(1U << irq);
    hart_update_attention(h);
}

void hart_set_timer(struct hart *h, bool due)
{
    h->timer_due = due;
    hart_update_attention(h);
}

bool hart_irq_pending(const struct hart *h)
{
    return (hart_mip(h) & h->csr.mie) != 0;
}

/* The whole meaning of fence.i, for its own instruction and for firmware's requests. */
void hart_fence_i(struct hart *h, enum fence_origin origin, const struct writer *by)
{
    struct cluster *c = h->cluster;

    hart_discard_suspects(h);
    map_clear(&h->view);
    map_clear(&h->reported);
    h->sync_stamp = c->ram->stamp;
    ram_close_pages(c->ram);
    hart_flush_stores(h);
    hart_tell_fence(h, EVENT_FENCE_I, origin, by);
}

void hart_tell_fence(struct hart *h, enum event_kind kind, enum fence_origin origin,
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
                                 .stamp = h->sync_stamp}};
    cluster_emit(h->cluster, &e);
}

struct writer hart_writer(const struct hart *h)
{
    return (struct writer){
        .kind = WRITER_HART, .hart = h->id, .pc = hart_pc(h), .cycle = hart_cycles(h)};
}

enum hart_wait hart_waits_for(const struct hart *h)
{
    bool store_came = !h->reserved || h->cycles >= h->wait_limit;

    if (hart_irq_pending(h) || (h->waiting == HART_WAITS_STORE && store_came))
        return HART_WAITS_NOT;
    return h->waiting;
}

uint64_t hart_wait_limit(const struct hart *h)
{
    return h->waiting == HART_WAITS_STORE ? h->wait_limit : UINT64_MAX;
}

enum hart_stop hart_run(struct hart *h, uint64_t insns)
{
    enum hart_stop stop;

    if (hart_waits_for(h) != HART_WAITS_NOT)
        return HART_WAITING;
    h->waiting = HART_WAITS_NOT;
    h->paused = false;
    if (h->store_epoch != h->cluster->ram->epoch)
        hart_flush_stores(h);
    h->budget = h->left = insns > INT64_MAX ? INT64_MAX : (int64_t)insns;
    stop = engine_run(h);
    h->insns += (uint64_t)(h->budget - h->left);
    h->budget = h->left = 0;
    if (h->reserved && h->cluster->harts.len > 1)
        ram_flag_page(h->cluster->ram, h->reserved_line, RAM_PAGE_RESERVED);
    return stop;
}

void hart_yield_from(struct hart *h, uint64_t cycle)
{
    h->yield_from = cycle;
}

void hart_ask_stop(struct hart *h)
{
    h->attention |= ATTEND_STOP;
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
    return h->uop ? h->block->pc + h->uop->at * 2U : h->pc;
}

void hart_set_pc(struct hart *h, uint64_t pc)
{
    h->pc = align_down(pc, 2);
    h->waiting = HART_WAITS_NOT;
    hart_forget_cut(h);
}

uint64_t hart_reg(const struct hart *h, unsigned reg)
{
    return h->x[reg];
}

void hart_set_reg(struct hart *h, unsigned reg, uint64_t value)
{
    if (reg)
        h->x[reg] = value;
}

uint64_t hart_freg(const struct hart *h, unsigned reg)
{
    return h->f[reg];
}

void hart_set_freg(struct hart *h, unsigned reg, uint64_t value)
{
    h->f[reg] = value;
}

enum privilege hart_mode(const struct hart *h)
{
    return h->mode;
}

uint64_t hart_cycles(const struct hart *h)
{
    if (!h->uop)
        return h->cycles;
    return h->cycles -
           (block_cycles(h->block) - h->block->notes[h->uop - h->block->ops].cycles_before);
}

uint64_t hart_insns(const struct hart *h)
{
    uint64_t given = h->insns + (uint64_t)(h->budget - h->left);

    if (!h->uop)
        return given;
    return given - (block_insns(h->block) - h->block->notes[h->uop - h->block->ops].insns_before);
}

void hart_advance(struct hart *h, uint64_t to_cycle)
{
    if (to_cycle <= h->cycles)
        return;
    h->idle_cycles += to_cycle - h->cycles;
    h->cycles = to_cycle;
}

uint64_t hart_idle_cycles(const struct hart *h)
{
    return h->idle_cycles;
}

void hart_flush_translations(struct hart *h)
{
    hart_flush_tlb(h);
    hart_flush_jumps(h);
}

void hart_drop_reservation(struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;

    h->reserved = false;
    if (h->waiting == HART_WAITS_STORE && env->wake)
        env->wake(env->ctx, h);
}

uint64_t hart_sync_stamp(const struct hart *h)
{
    return h->sync_stamp;
}
