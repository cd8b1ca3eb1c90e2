/*
 * trampoline_calls.c - see trampoline_calls.h.
 */
#include "ftrace/audit/detours/trampoline_calls.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/below_sp.h"
#include "ftrace/audit/detours/code_walk.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/audit/detours/tracer_arguments.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/kernel/text_map.h"
#include "mem/bus.h"

/* What the calling convention wants of sp at each call. */
enum { STACK_ALIGNMENT = 16 };

/* More than a kernel has trampolines at one time. */
enum { TARGETS_MAX = 1 << 12, PLACES_MAX = 1 << 14 };

/* Of generated text that is searched for calls: no program is longer. */
enum { GENERATED_BYTES_MAX = 1 << 20 };

/* Of a place: it needs no probe any more; it is in generated text. The higher bits are its probe.
 */
enum { JUDGED = 1, GENERATED = 2, PROBE_SHIFT = 2 };

struct trampoline_calls {
    struct audit *audit;
    const struct detour *(*running)(void *ctx, const struct hart *h);
    void *ctx;
    struct probe_owner owner;
    struct map targets;     /* virtual address -> what its code is, as a number */
    struct map places;      /* physical address of a call -> probe << PROBE_SHIFT | bits */
    VEC_OF(uint64_t) spent; /* places whose probe is not needed any more */
    uint64_t left_out;
};

/* ---- probes ---- */

static struct probe_plan plan(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct insn i;
    uint32_t word = 0;

    (void)ctx;
    (void)id;
    for (unsigned n = 0; n < sizeof word && n < code->size; n++)
        word |= (uint32_t)code->bytes[n] << 8 * n;
    return (struct probe_plan){.action = insn_decode(word, &i) && insn_is_call(&i) ? PROBE_CALL
                                                                                   : PROBE_IGNORE};
}

static void report(struct trampoline_calls *t, struct hart *h, const struct detour *d)
{
    struct finding *f = detour_report(t->audit, RULE_misaligned_stack, d->kind, d, h);

    if (!f)
        return;
    audit_fact_register(f, LABEL_BEFORE, REG_SP, d->sp);
    audit_fact_register(f, LABEL_AFTER, REG_SP, hart_reg(h, REG_SP));
    audit_fact_order(f);
}

/* The program in generated text has called with that sp. */
static void report_generated(struct trampoline_calls *t, struct hart *h, uint64_t pc)
{
    const struct breach b = {.rule = RULE_misaligned_stack,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_misaligned_stack, GENERATED)};
    struct finding *f = audit_add(t->audit, &b);

    if (!f)
        return;
    audit_fact_moment(f, LABEL_CALLED, h, pc);
    audit_fact_register(f, LABEL_AFTER, REG_SP, hart_reg(h, REG_SP));
    audit_fact_task(t->audit, f, h);
    audit_fact_order(f);
}

static void judge(struct trampoline_calls *t, struct hart *h, uint64_t pc, bool generated)
{
    if (hart_reg(h, REG_SP) % STACK_ALIGNMENT == 0)
        return;
    if (generated)
        report_generated(t, h, pc);
    else
        report(t, h, t->running(t->ctx, h));
}

/* The detour must have begun with the alignment that the function's caller has to keep. */
static bool is_within(const struct detour *d, uint64_t sp)
{
    return d && d->sp % STACK_ALIGNMENT == 0 && d->sp - sp < TASK_STACK_BYTES;
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct trampoline_calls *t = ctx;
    uint64_t pa, place;

    (void)id;
    (void)cookie;
    if (hart_mode(h) == PRIV_U || !hart_translate(h, pc, ACCESS_FETCH, &pa) ||
        !map_get(&t->places, pa, &place) || place & JUDGED)
        return PROBE_GO_ON;
    if (!(place & GENERATED) && !is_within(t->running(t->ctx, h), hart_reg(h, REG_SP)))
        return PROBE_GO_ON;
    map_put(&t->places, pa, place | JUDGED);
    VEC_PUSH(&t->spent, pa);
    judge(t, h, pc, place & GENERATED);
    if (!(place & GENERATED))
        tracer_arguments_judge(t->audit, h, pc, t->running(t->ctx, h));
    return PROBE_GO_ON;
}

static void plant(struct trampoline_calls *t, uint64_t pa, unsigned generated)
{
    uint64_t place;

    if (map_get(&t->places, pa, &place) && !(place & JUDGED))
        return;
    if (t->places.len == PLACES_MAX) {
        t->left_out++;
        return;
    }
    map_put(&t->places, pa,
            (uint64_t)cluster_plant(t->audit->config.cluster, pa, &t->owner, 0) << PROBE_SHIFT |
                generated);
}

/* Takes away the probes of the calls that were judged since: not during their own hit. */
static void uproot_spent(struct trampoline_calls *t)
{
    uint64_t place;

    for (size_t i = 0; i < t->spent.len; i++)
        if (map_get(&t->places, t->spent.at[i], &place) && place & JUDGED) {
            cluster_uproot(t->audit->config.cluster, (uint32_t)(place >> PROBE_SHIFT));
            map_put(&t->places, t->spent.at[i], (uint64_t)CLUSTER_NO_PROBE << PROBE_SHIFT | JUDGED);
        }
    t->spent.len = 0;
}

/* ---- code ---- */

struct found {
    uint64_t code; /* a number that depends on all of the instructions */
    VEC_OF(uint64_t) calls;
};

static uint32_t note_call(void *ctx, uint64_t pc, const struct insn *i, uint32_t state)
{
    struct found *f = ctx;

    f->code = (f->code ^ i->word ^ pc << 32) * UINT64_C(0x9e3779b97f4a7c15);
    if (insn_is_call(i))
        VEC_PUSH(&f->calls, pc);
    return state;
}

/* The kernel's own trampolines change at their sites only. */
static bool is_of_kernel(const struct trampoline_calls *t, struct hart *h, uint64_t va)
{
    const struct text_map *text = t->audit->config.text;
    uint64_t pa;

    return text && hart_translate(h, va, ACCESS_FETCH, &pa) && text_map_has(text, pa, 2);
}

void trampoline_calls_meet(struct trampoline_calls *t, struct hart *h, uint64_t va)
{
    struct found f = {.code = va};
    uint64_t known, pa;

    if (UNLIKELY(t->spent.len))
        uproot_spent(t);
    if (map_get(&t->targets, va, &known) && is_of_kernel(t, h, va))
        return;
    code_walk(&(struct code_walk){.through_calls = true, .step = note_call, .ctx = &f}, h, va);
    if (map_get(&t->targets, va, &known) && known == f.code) {
        VEC_FREE(&f.calls);
        return;
    }
    if (t->targets.len == TARGETS_MAX)
        map_clear(&t->targets);
    if (below_sp_judge(t->audit, h, va))
        map_put(&t->targets, va, f.code);
    for (size_t i = 0; i < f.calls.len; i++)
        if (hart_translate(h, f.calls.at[i], ACCESS_FETCH, &pa))
            plant(t, pa, 0);
    VEC_FREE(&f.calls);
}

/* Text that is entered with an odd sp is not at fault. */
void trampoline_calls_generated(struct trampoline_calls *t, struct hart *h, uint64_t va,
                                uint64_t size)
{
    uint64_t end = va + (size < GENERATED_BYTES_MAX ? size : GENERATED_BYTES_MAX), pa;
    struct insn i;
    uint32_t word;

    if (UNLIKELY(t->spent.len))
        uproot_spent(t);
    if (hart_reg(h, REG_SP) % STACK_ALIGNMENT)
        return;
    for (; va < end && hart_peek_insn(h, va, &word); va += insn_size((uint16_t)word))
        if (insn_decode(word, &i) && insn_is_call(&i) && hart_translate(h, va, ACCESS_FETCH, &pa))
            plant(t, pa, GENERATED);
}

void trampoline_calls_changed(struct trampoline_calls *t)
{
    map_clear(&t->targets);
}

uint64_t trampoline_calls_left_out(const struct trampoline_calls *t)
{
    return t->left_out;
}

/* ---- begin and end, state ---- */

struct trampoline_calls *
trampoline_calls_new(struct audit *a,
                     const struct detour *(*running)(void *ctx, const struct hart *h), void *ctx)
{
    struct trampoline_calls *t = xcalloc(1, sizeof *t);

    *t = (struct trampoline_calls){
        .audit = a, .running = running, .ctx = ctx, .owner = {t, plan, hit}};
    return t;
}

static void uproot_all(struct trampoline_calls *t)
{
    for (size_t i = 0; i < t->places.cap; i++)
        if (t->places.slots[i].key != UINT64_MAX)
            cluster_uproot(t->audit->config.cluster,
                           (uint32_t)(t->places.slots[i].value >> PROBE_SHIFT));
}

void trampoline_calls_free(struct trampoline_calls *t)
{
    if (!t)
        return;
    uproot_all(t);
    map_free(&t->targets);
    map_free(&t->places);
    VEC_FREE(&t->spent);
    free(t);
}

static void save_places(struct state_io *io, const struct trampoline_calls *t)
{
    size_t count;
    uint64_t *at = map_keys(&t->places, &count);

    (void)state_io_count(io, count, PLACES_MAX);
    for (size_t i = 0; i < count; i++) {
        uint64_t place = 0;

        (void)map_get(&t->places, at[i], &place);
        place &= JUDGED | GENERATED;
        STATE_IO(io, at[i]);
        STATE_IO(io, place);
    }
    free(at);
}

static void load_places(struct state_io *io, struct trampoline_calls *t)
{
    uint64_t pa = 0, place = 0;

    uproot_all(t);
    map_clear(&t->places);
    t->spent.len = 0;
    for (size_t left = state_io_count(io, 0, PLACES_MAX); left && !io->error; left--) {
        STATE_IO(io, pa);
        STATE_IO(io, place);
        if (!bus_ram_at(cluster_bus(t->audit->config.cluster), pa))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else if (!io->error && place & JUDGED)
            map_put(&t->places, pa, (uint64_t)CLUSTER_NO_PROBE << PROBE_SHIFT | JUDGED);
        else if (!io->error)
            plant(t, pa, place & GENERATED);
    }
}

void trampoline_calls_state_io(struct state_io *io, struct trampoline_calls *t)
{
    state_io_section(io, "trampoline calls", 2);
    STATE_IO(io, t->left_out);
    state_io_map(io, &t->targets);
    if (io->loading)
        load_places(io, t);
    else
        save_places(io, t);
}
