/*
 * log_state.c - see log_state.h.
 */
#include "log/log_state.h"

#include <stdlib.h>

void log_state_init(struct log_state *s, unsigned harts)
{
    *s = (struct log_state){.version = LOG_VERSION, .harts = harts};
    for (unsigned i = 0; i < harts; i++)
        s->hart[i].task = LOG_NONE;
}

/*
 * Forgets the stacks. Only the used ones are cleared: a log may name the last stack in each of its
 * frames, and a frame shall not take more time than its bytes justify.
 */
static void empty_stacks(struct log_state *s)
{
    for (size_t i = 0; i < s->used.len; i++) {
        struct log_stack *stack = &s->stacks.at[s->used.at[i] - 1];

        VEC_FREE(&stack->open);
        *stack = (struct log_stack){0};
    }
    s->used.len = 0;
}

void log_state_free(struct log_state *s)
{
    empty_stacks(s);
    VEC_FREE(&s->stacks);
    VEC_FREE(&s->used);
    VEC_FREE(&s->sites);
}

/* Makes room for stacks up to this number. */
static void add_stacks(struct log_state *s, size_t number)
{
    size_t more = number - s->stacks.len;

    VEC_RESERVE(&s->stacks, more);
    memset(s->stacks.at + s->stacks.len, 0, more * sizeof *s->stacks.at);
    s->stacks.len = number;
}

struct log_stack *log_state_stack(struct log_state *s, uint32_t number)
{
    struct log_stack *stack;

    if (!number || number > LOG_STACKS_MAX)
        return NULL;
    if (UNLIKELY(s->stacks.len < number))
        add_stacks(s, number);
    stack = &s->stacks.at[number - 1];
    if (UNLIKELY(!stack->used)) {
        stack->used = true;
        VEC_PUSH(&s->used, number);
    }
    return stack;
}

uint64_t log_stack_sp(const struct log_stack *s)
{
    return s->open.len ? s->open.at[s->open.len - 1].sp : (s->base + 1) << LOG_STACK_SHIFT;
}

uint64_t log_state_others(const struct log_state *s, unsigned hart)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < s->harts; i++)
        sum += i == hart ? 0 : s->hart[i].insns;
    return sum;
}

/* ---- calls ---- */

static void function_io(struct log_io *io, struct log_call *c)
{
    LOG_IO_ID(io, c->name);
    LOG_IO_ID(io, c->caller);
    LOG_IO(io, c->caller_offset);
    LOG_IO(io, c->tail_of);
    if (c->tail_of)
        LOG_IO_ID(io, c->tail_name);
    else
        c->tail_name = LOG_NONE;
}

void log_call_io(struct log_io *io, struct log_call *c, uint64_t sp)
{
    uint8_t kind = (uint8_t)(c->kind | c->state << 2);

    LOG_IO(io, kind);
    if (io->in && kind >= 16)
        io->in->bad = true;
    c->kind = kind & 3;
    c->state = kind >> 2 & 3;
    LOG_IO_ID(io, c->site);
    LOG_IO(io, c->pc);
    log_io_near(io, &c->back, c->pc);
    log_io_near(io, &c->sp, sp);
    if (c->kind == LOG_FUNCTION)
        function_io(io, c);
    else if (io->in)
        c->name = c->caller = c->tail_name = LOG_NONE;
    if (c->kind == LOG_TRAP_HANDLER)
        LOG_IO(io, c->cause);
}

/* ---- the state ---- */

static void hart_io(struct log_io *io, struct log_hart *h, unsigned version)
{
    LOG_IO(io, h->cycle);
    LOG_IO(io, h->insns);
    log_io_near(io, &h->ahead, 0);
    if (version > 1)
        log_io_near(io, &h->others, 0);
    LOG_IO_ID(io, h->task);
    LOG_IO(io, h->stack);
    LOG_IO(io, h->idle);
    LOG_IO(io, h->stopped);
}

static void open_io(struct log_io *io, const struct log_state *s, struct log_stack *stack)
{
    uint64_t count = stack->open.len;

    log_io_number(io, &count);
    if (io->in && count > LOG_DEPTH_MAX)
        io->in->bad = true;
    for (uint64_t i = 0; i < count && !(io->in && io->in->bad); i++) {
        struct log_call c = io->out ? stack->open.at[i] : (struct log_call){0};
        uint64_t sp = i ? stack->open.at[i - 1].sp : (stack->base + 1) << LOG_STACK_SHIFT;

        log_call_io(io, &c, sp);
        LOG_IO(io, c.hart);
        LOG_IO_ID(io, c.task);
        log_io_near(io, &c.cycle, stack->when);
        log_io_near(io, &c.when, stack->when);
        if (s->version > 1)
            LOG_IO(io, c.step);
        if (io->in && c.hart >= s->harts)
            io->in->bad = true;
        if (io->in)
            VEC_PUSH(&stack->open, c);
    }
}

/* The cycle that all later events of the harts have at least. */
static uint64_t least_cycle(const struct log_state *s)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < s->harts; i++)
        least = s->hart[i].cycle < least ? s->hart[i].cycle : least;
    return least;
}

/* Whether a hart's next call may be on the stack without an event that names the stack. */
static bool is_selected(const struct log_state *s, uint64_t number)
{
    for (unsigned i = 0; i < s->harts; i++)
        if (s->hart[i].stack == number)
            return true;
    return false;
}

/*
 * Whether the stack needs an entry in the frame's state. It needs none if it has no open call and
 * its next event names it and has a later cycle.
 */
static void stacks_io(struct log_io *io, struct log_state *s)
{
    uint64_t number = 0, least = least_cycle(s);

    for (size_t i = 0; io->out && i < s->stacks.len; i++) {
        struct log_stack *stack = &s->stacks.at[i];

        if (!stack->base || (!stack->open.len && stack->when <= least && !is_selected(s, i + 1)))
            continue;
        log_put(io->out, i + 1);
        LOG_IO(io, stack->base);
        LOG_IO(io, stack->when);
        open_io(io, s, stack);
    }
    if (io->out)
        log_put(io->out, 0);
    while (io->in && !io->in->bad && (number = log_get(io->in))) {
        struct log_stack *stack =
            number <= LOG_STACKS_MAX ? log_state_stack(s, (uint32_t)number) : NULL;

        if (!stack || stack->open.len) {
            io->in->bad = true;
            return;
        }
        LOG_IO(io, stack->base);
        LOG_IO(io, stack->when);
        open_io(io, s, stack);
    }
}

/* Writes or reads the sites' states as runs of equal ones. */
static void sites_io(struct log_io *io, struct log_bytes *sites)
{
    uint64_t count = sites->len, run;
    uint8_t state = 0;

    log_io_number(io, &count);
    if (io->in && count > LOG_SITES_MAX)
        io->in->bad = true;
    if (io->in)
        sites->len = 0;
    for (uint64_t i = 0; i < count && !(io->in && io->in->bad); i += run) {
        for (run = 0; io->out && i + run < count && sites->at[i + run] == sites->at[i];)
            run++;
        state = io->out ? sites->at[i] : state;
        log_io_number(io, &run);
        LOG_IO(io, state);
        if (io->in && (!run || run > count - i || state >= LOG_SITE_STATES)) {
            io->in->bad = true;
            return;
        }
        VEC_RESERVE(sites, io->in ? run : 0);
        if (io->in) {
            memset(sites->at + sites->len, state, run);
            sites->len += run;
        }
    }
}

void log_state_io(struct log_io *io, struct log_state *s)
{
    if (io->in)
        empty_stacks(s);
    LOG_IO(io, s->current);
    if (io->in && s->current >= s->harts) {
        io->in->bad = true;
        s->current = 0;
    }
    for (unsigned i = 0; i < s->harts; i++)
        hart_io(io, &s->hart[i], s->version);
    stacks_io(io, s);
    sites_io(io, &s->sites);
}

/* ---- other events ---- */

static void trap_io(struct log_io *io, struct log_event *e)
{
    LOG_IO(io, e->trap.interrupt);
    LOG_IO(io, e->trap.cause);
    LOG_IO(io, e->trap.epc);
    LOG_IO(io, e->trap.tval);
    LOG_IO(io, e->trap.from);
    LOG_IO(io, e->trap.to);
}

static void store_io(struct log_io *io, struct log_store *s, unsigned version)
{
    LOG_IO(io, s->writer);
    LOG_IO(io, s->pc);
    LOG_IO(io, s->pa);
    LOG_IO(io, s->va);
    LOG_IO(io, s->size);
    if (s->size > LOG_PATCH_BYTES) {
        io->in->bad = true;
        s->size = 0;
    }
    log_io_bytes(io, s->old_bytes, s->size);
    log_io_bytes(io, s->new_bytes, s->size);
    LOG_IO_ID(io, s->site);
    LOG_IO(io, s->before);
    LOG_IO(io, s->after);
    if (version > 1)
        LOG_IO(io, s->late);
    if (s->before >= LOG_SITE_STATES || s->after >= LOG_SITE_STATES) {
        io->in->bad = true;
        s->before = s->after = LOG_OTHER;
    }
}

static void fence_io(struct log_io *io, struct log_event *e)
{
    LOG_IO(io, e->fence.remote);
    LOG_IO(io, e->fence.requester);
    LOG_IO(io, e->fence.pc);
    LOG_IO(io, e->fence.one_address);
    if (e->fence.one_address)
        LOG_IO(io, e->fence.va);
}

static void stale_io(struct log_io *io, struct log_event *e)
{
    LOG_IO(io, e->stale.pc);
    LOG_IO(io, e->stale.pa);
    LOG_IO(io, e->stale.size);
    log_io_bytes(io, e->stale.old_bytes, sizeof e->stale.old_bytes);
    log_io_bytes(io, e->stale.new_bytes, sizeof e->stale.new_bytes);
    LOG_IO(io, e->stale.old_known);
    LOG_IO(io, e->stale.ran_old);
    LOG_IO(io, e->stale.writer_known);
    LOG_IO(io, e->stale.writer_hart);
    LOG_IO(io, e->stale.writer_pc);
    LOG_IO_ID(io, e->stale.site);
    if (io->in && e->stale.size > 4) {
        io->in->bad = true;
        e->stale.size = 0;
    }
}

static void translation_io(struct log_io *io, struct log_event *e)
{
    LOG_IO(io, e->translation.pc);
    LOG_IO(io, e->translation.va);
    LOG_IO(io, e->translation.access);
    LOG_IO(io, e->translation.mode);
    LOG_IO(io, e->translation.shift);
    LOG_IO(io, e->translation.old_faults);
    LOG_IO(io, e->translation.new_faults);
    LOG_IO(io, e->translation.used_old);
    LOG_IO(io, e->translation.global);
    LOG_IO(io, e->translation.asid);
    LOG_IO(io, e->translation.pte_pa);
    LOG_IO(io, e->translation.old_pte);
    log_io_near(io, &e->translation.new_pte, e->translation.old_pte);
    LOG_IO(io, e->translation.old_pa);
    log_io_near(io, &e->translation.new_pa, e->translation.old_pa);
    LOG_IO(io, e->translation.writer_known);
    LOG_IO(io, e->translation.writer_hart);
    LOG_IO(io, e->translation.writer_pc);
}

static void update_io(struct log_io *io, struct log_event *e, unsigned harts)
{
    LOG_IO(io, e->update.writer);
    LOG_IO(io, e->update.end);
    LOG_IO(io, e->update.first);
    LOG_IO(io, e->update.last);
    LOG_IO(io, e->update.stores);
    LOG_IO(io, e->update.patches);
    LOG_IO(io, e->update.rounds);
    LOG_IO(io, e->update.ipis);
    for (unsigned i = 0; i < harts; i++) {
        LOG_IO(io, e->update.hart[i].role);
        LOG_IO(io, e->update.hart[i].fences);
        LOG_IO(io, e->update.hart[i].stale_cycles);
    }
}

static void finding_io(struct log_io *io, struct log_event *e)
{
    LOG_IO(io, e->finding.number);
    LOG_IO_ID(io, e->finding.rule);
    LOG_IO_ID(io, e->finding.severity);
    LOG_IO_ID(io, e->finding.text);
    LOG_IO_ID(io, e->finding.site);
    LOG_IO(io, e->finding.pc);
}

static void console_io(struct log_io *io, struct log_event *e)
{
    uint64_t len = e->console.len;

    log_io_number(io, &len);
    if (io->out)
        log_put_bytes(io->out, e->console.bytes, len);
    else
        e->console.bytes = log_get_bytes(io->in, len);
    e->console.len = e->console.bytes ? len : 0;
}

void log_event_io(struct log_io *io, struct log_event *e, const struct log_state *s)
{
    switch (e->kind) {
    case LOG_TRAP: trap_io(io, e); break;
    case LOG_TRAP_RETURN:
        LOG_IO(io, e->trap_return.pc);
        LOG_IO(io, e->trap_return.from);
        LOG_IO(io, e->trap_return.to);
        break;
    case LOG_STORE: store_io(io, &e->store, s->version); break;
    case LOG_FENCE_I:
    case LOG_SFENCE_VMA: fence_io(io, e); break;
    case LOG_STALE: stale_io(io, e); break;
    case LOG_UPDATE: update_io(io, e, s->harts); break;
    case LOG_FINDING: finding_io(io, e); break;
    case LOG_IPI_SENT:
    case LOG_IPI_TAKEN:
        LOG_IO(io, e->ipi.hart);
        LOG_IO(io, e->ipi.interrupt);
        break;
    case LOG_SBI:
        LOG_IO(io, e->sbi.extension);
        LOG_IO(io, e->sbi.function);
        break;
    case LOG_SWITCH:
        LOG_IO_ID(io, e->switched.from);
        LOG_IO_ID(io, e->switched.to);
        break;
    case LOG_CONSOLE: console_io(io, e); break;
    case LOG_SITE:
        LOG_IO_ID(io, e->site.site);
        LOG_IO(io, e->site.gone);
        break;
    case LOG_STALE_TRANSLATION: translation_io(io, e); break;
    default: break;
    }
}

static void set_site(struct log_state *s, uint32_t site, uint8_t state)
{
    if (site >= LOG_SITES_MAX)
        return;
    if (s->sites.len <= site) {
        size_t more = site + 1 - s->sites.len;

        VEC_RESERVE(&s->sites, more);
        memset(s->sites.at + s->sites.len, LOG_OTHER, more);
        s->sites.len += more;
    }
    s->sites.at[site] = state;
}

void log_state_follow(struct log_state *s, const struct log_event *e)
{
    struct log_hart *h = &s->hart[e->hart];

    switch (e->kind) {
    case LOG_STORE:
        if (e->store.site != LOG_NONE)
            set_site(s, e->store.site, e->store.after);
        break;
    case LOG_SWITCH: h->task = e->switched.to; break;
    case LOG_IDLE: h->idle = true; break;
    case LOG_WOKEN: h->idle = false; break;
    case LOG_HART_STARTED: h->stopped = false; break;
    case LOG_HART_STOPPED: h->stopped = true; break;
    default: break;
    }
}
