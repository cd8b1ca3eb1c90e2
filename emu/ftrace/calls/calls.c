/*
 * calls.c - see calls.h: what the probes see. call_stacks.c makes calls of it.
 *
 * A function counts as entered when the last instruction of its site's pair is
 * executed: a task that is interrupted before that may be set back to the start of
 * the site, and must not be counted twice. Each return address gets a probe the
 * first time it is seen.
 * Modules are not in the image: with a listener, their sites become known from the
 * trampoline, once they are on.
 */
#include "ftrace/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/calls/call_stacks.h"
#include "ftrace/calls/call_values.h"
#include "ftrace/calls/calls_priv.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/sites/site_probes.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

/*
 * In a frame, the return address is just below the frame pointer; a site of pfe16 keeps it just
 * below sp, which is its frame, too.
 */
enum { RETURN_BELOW_FRAME = 8 };

/* ---- steps ---- */

/* Emits the event of a call's begin or end, for the auditor. */
static void emit(void *ctx, bool begins, const struct call *call, enum call_end how)
{
    const struct calls *c = ctx;
    const struct ftrace_event e = {.kind = begins ? FTRACE_CALL_ENTERED : FTRACE_CALL_LEFT,
                                   .call = {.hart = c->now, .call = call, .how = (uint8_t)how}};

    if (ftrace_wants(c->stream, e.kind))
        ftrace_emit(c->stream, &e);
}

static struct clocks clocks_of(struct hart *h)
{
    struct clocks clocks;
    uint64_t time;

    hart_clocks(h, &clocks.cycle, &clocks.insns, &time);
    clocks.ahead = time - clocks_ticks(clocks.cycle);
    clocks.others = cluster_steps(hart_cluster(h)) - clocks.insns;
    return clocks;
}

static void follow_recorded(void *ctx, const void *step, size_t size)
{
    const struct calls *c = ctx;

    (void)size;
    call_stacks_follow(c->stacks, step);
}

/* Whether someone asks for all clocks at a call: without a listener cycles and steps are kept. */
static bool listens(const struct calls *c)
{
    return c->listener.enter || c->listener.leave || c->listener.feed;
}

static void follow(struct calls *c, struct hart *h, struct call_step *step)
{
    struct feed *to = c->listener.feed;

    step->hart = hart_id(h);
    if (listens(c))
        step->clocks = clocks_of(h);
    else
        step->clocks =
            (struct clocks){.cycle = hart_cycles(h), .others = cluster_steps(hart_cluster(h))};
    if (to) {
        feed_put(to, follow_recorded, c, step, sizeof *step);
    } else {
        c->now = h;
        call_stacks_follow(c->stacks, step);
    }
}

/* ---- values of registers ---- */

static void take_values(void *ctx, const void *values, size_t size)
{
    const struct calls *c = ctx;

    call_stacks_take_values(c->stacks, values, size);
}

/* Sends the values before the step to which they belong. `texts': how many there are. */
static struct call_values *send_values(struct calls *c, unsigned texts)
{
    return feed_message(c->listener.feed, take_values, c,
                        offsetof(struct call_values, text) + texts * sizeof(struct call_text));
}

/* Sends the arguments of the function that begins. */
static void send_arguments(struct calls *c, struct hart *h, uint32_t site)
{
    const struct call_registers *r = c->listener.registers(c->listener.ctx, site);

    if (r && r->count)
        call_values_read(h, r, send_values(c, (unsigned)__builtin_popcount(r->texts)));
}

static void send_results(struct calls *c, const struct hart *h)
{
    call_values_read_results(h, send_values(c, 0));
}

/*
 * Lets the feed's engine write the next hits. To be called before a step at a probe that the engine
 * may record by itself.
 */
static void look(struct calls *c, struct hart *h)
{
    if (c->listener.feed && c->listener.look(c->listener.ctx, h))
        feed_expect(c->listener.feed, h);
}

/*
 * Reads the hits that the engine has written in place of hit_site and hit_return. An arrival may be
 * one in user mode, if memory of the kernel was freed and is code of a task now; no call returns
 * there, so it ends none.
 */
static const struct feed_hit *read_hits(void *ctx, const struct feed_base *base,
                                        struct feed_place *const *places,
                                        const struct feed_hit *hits, const struct feed_hit *end)
{
    const struct calls *c = ctx;

    return call_stacks_read(c->stacks, base, places, hits, end);
}

/* The action of a probe at which nothing of the machine is needed but what a hit has. */
static enum probe_action plain_action(const struct calls *c)
{
    return c->listener.feed && !c->listener.registers ? PROBE_FEED : PROBE_CALL;
}

/* ---- returns ---- */

static struct probe_plan plan_return(void *ctx, uint32_t id, const struct probe_code *code)
{
    const struct calls *c = ctx;

    if (!code->starts_block)
        return (struct probe_plan){.action = PROBE_IGNORE};
    return (struct probe_plan){.action = id == RETURN_OF_TRACER ? PROBE_CALL : plain_action(c),
                               .cookie = CALL_COOKIE_RETURN};
}

void calls_plant(struct calls *c, uint64_t pa, const struct probe_owner *owner, uint32_t id)
{
    VEC_PUSH(&c->probes, cluster_plant(c->cluster, pa, owner, id));
}

void calls_plant_return(struct calls *c, uint64_t pa, uint32_t id)
{
    uint64_t probe = cluster_plant(c->cluster, pa, &c->at_return, id);

    map_put(&c->awaited, pa, probe << 1 | id);
}

/* For an address that the cache does not have. */
static NOINLINE bool await_new(struct calls *c, struct hart *h, uint64_t va, uint32_t id)
{
    uint64_t pa, known;

    if (c->listener.meet)
        c->listener.meet(c->listener.ctx, va - 1);
    if (!guest_code(h, va, &pa))
        return false;
    *ra_slot(c->known, va) = va ^ c->known->key;
    if (map_get(&c->awaited, pa, &known))
        return false;
    if (c->awaited.len < AWAITED_MAX)
        calls_plant_return(c, pa, id);
    else
        c->returns_left_out++;
    return true;
}

/* Plants a probe at the address. False: nothing new can come of it. */
static inline bool await(struct calls *c, struct hart *h, uint64_t va, uint32_t id)
{
    return UNLIKELY(*ra_slot(c->known, va) != (va ^ c->known->key)) && await_new(c, h, va, id);
}

/* ---- return handlers ---- */

/* Where a function returns to if its return address is this one, which was not met before. */
static NOINLINE enum call_hook hook_of_new(struct calls *c, struct hart *h, uint64_t returns_to)
{
    if (!await_new(c, h, returns_to, RETURN_OF_FUNCTION) ||
        !may_be_return_handler(c->symbols, h, returns_to))
        return HOOK_NONE;
    forget_return_handler(&c->handlers, h);
    if (!learn_return_handler(&c->handlers, returns_to)) {
        c->returns_left_out++;
        return HOOK_NONE;
    }
    calls_plant_handler_ends(c, returns_to);
    return HOOK_OTHER;
}

/* The same for any address. */
static inline enum call_hook hook_of(struct calls *c, struct hart *h, uint64_t returns_to)
{
    if (is_return_handler(&c->handlers, returns_to))
        return returns_to == c->return_to_handler ? HOOK_HANDLER : HOOK_OTHER;
    return LIKELY(*ra_slot(c->known, returns_to) == (returns_to ^ c->known->key))
               ? HOOK_NONE
               : hook_of_new(c, h, returns_to);
}

void calls_mapping_changed(struct calls *c)
{
    ra_table_clear(c->known);
}

/* ---- calls ---- */

/* Whether sites come after the prologue, so that the frame and frame pointer exist. */
static bool after_prologue(const struct calls *c)
{
    return c->traits->place == SITE_AFTER_PROLOGUE;
}

/*
 * The return address of the function, at the last instruction of its site or the next one. A call
 * by the site has changed ra, but saved it.
 */
static uint64_t return_address(const struct calls *c, struct hart *h, bool calls)
{
    uint64_t ra = hart_reg(h, REG_RA);

    if (calls && after_prologue(c))
        return hart_reg(h, REG_A0);
    if (calls && c->traits->return_place == RETURN_BELOW_SP &&
        !hart_peek(h, hart_reg(h, REG_SP) - 8, &ra, sizeof ra))
        return 0;
    return ra;
}

static uint64_t frame_of(const struct calls *c, const struct hart *h)
{
    uint64_t sp = hart_reg(h, REG_SP), fp = hart_reg(h, REG_S0);

    return after_prologue(c) && fp >= sp && fp - sp < TASK_STACK_BYTES ? fp : sp;
}

/*
 * Reads where the function of a site returns to after its tracer: from ra, or from where the site
 * or the prologue has stored ra.
 */
static inline enum call_hook read_hook(struct calls *c, struct hart *h, uint64_t *returns_to)
{
    *returns_to = hart_reg(h, REG_RA);
    if (c->traits->return_place == RETURN_IN_RA ||
        hart_peek(h, frame_of(c, h) - RETURN_BELOW_FRAME, returns_to, sizeof *returns_to))
        return hook_of(c, h, *returns_to);
    return HOOK_UNKNOWN;
}

static enum probe_verdict hit_return(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                     uint64_t pc)
{
    struct calls *c = ctx;
    struct call_step step = {.kind = STEP_ARRIVAL, .pc = pc, .sp = hart_reg(h, REG_SP)};

    (void)cookie;
    if (hart_mode(h) == PRIV_U)
        return PROBE_GO_ON;
    if (id == RETURN_OF_TRACER)
        step.hook = read_hook(c, h, &step.returns_to);
    look(c, h);
    if (c->listener.registers && id != RETURN_OF_TRACER)
        send_results(c, h);
    follow(c, h, &step);
    return PROBE_GO_ON;
}

/* The same without a listener. */
static enum probe_verdict hit_return_at_once(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                             uint64_t pc)
{
    struct calls *c = ctx;
    struct call_step step;
    uint64_t sp = hart_reg(h, REG_SP), returns_to = 0;
    enum call_hook hook = HOOK_UNKNOWN;

    (void)cookie;
    if (UNLIKELY(hart_mode(h) == PRIV_U))
        return PROBE_GO_ON;
    c->now = h;
    if (id == RETURN_OF_TRACER) {
        hook = read_hook(c, h, &returns_to);
        if (LIKELY(call_stacks_return_of_tracer(c->stacks, pc, sp, returns_to, hook)))
            return PROBE_GO_ON;
    } else if (call_stacks_return(c->stacks, pc, sp)) {
        return PROBE_GO_ON;
    }
    step = (struct call_step){
        .kind = STEP_ARRIVAL, .pc = pc, .sp = sp, .returns_to = returns_to, .hook = hook};
    follow(c, h, &step);
    return PROBE_GO_ON;
}

static void set_function(struct calls *c, struct hart *h, struct call *function, bool calls)
{
    function->kind = CALL_FUNCTION;
    function->sp = frame_of(c, h);
    function->back = return_address(c, h, calls);
    (void)await(c, h, function->back, RETURN_OF_FUNCTION);
}

/* Follows the call of the trampoline by the site of the function, which has just begun. */
static void call_tracer(struct calls *c, struct hart *h, const struct call *function, uint64_t back)
{
    struct call_step step = {.kind = STEP_TRACER,
                             .call = {.kind = CALL_TRACER,
                                      .site = function->site,
                                      .pc = function->pc,
                                      .back = back,
                                      .sp = hart_reg(h, REG_SP)}};

    (void)await(c, h, back, RETURN_OF_TRACER);
    c->called[hart_id(h)].back = back;
    c->called[hart_id(h)].sp = step.call.sp;
    follow(c, h, &step);
}

/* Without a listener, calls of _mcount before ftrace_init() are of no interest. */
static bool is_wanted(const struct calls *c, const struct site *s)
{
    if (!c->listener.enter)
        return c->fetched == SITE_ON;
    return !c->on_only || site_calls(c->sites, s, c->fetched);
}

/*
 * Each site has two probes. At its start the state is determined from the bytes
 * that are fetched; at its last instruction the call is recorded. For a block that
 * begins in between, the bytes before it are read from memory.
 */
static struct probe_plan plan_site(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct calls *c = ctx;
    const struct site *s = site_get(c->sites, id / 2);
    bool whole = !(id % 2);

    if (s->gone)
        return (struct probe_plan){.action = PROBE_IGNORE};
    if (whole || code->pc - calls_last_offset(c, s) < code->block_pc)
        c->fetched =
            site_state_fetched(c->sites, s, code, whole ? 0 : (int)calls_last_offset(c, s));
    if (whole || !is_wanted(c, s))
        return (struct probe_plan){.action = PROBE_IGNORE};
    if (c->listener.meet)
        c->listener.meet(c->listener.ctx, code->pc - calls_last_offset(c, s));
    return (struct probe_plan){
        .action =
            after_prologue(c) || site_calls(c->sites, s, c->fetched) ? PROBE_CALL : plain_action(c),
        .needs_ra = true,
        .cookie = call_cookie(c->fetched, calls_last_offset(c, s)),
    };
}

static enum probe_verdict hit_site(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                   uint64_t pc)
{
    struct calls *c = ctx;
    const struct site *s = site_get(c->sites, id / 2);
    bool calls = site_calls(c->sites, s, call_cookie_state(cookie));
    struct call_step step = {.kind = STEP_FUNCTION,
                             .call = {.function = s->function[0] ? s->function : NULL,
                                      .site = id / 2,
                                      .pc = pc - call_cookie_offset(cookie),
                                      .state = call_cookie_state(cookie)}};

    look(c, h);
    set_function(c, h, &step.call, calls);
    if (c->listener.registers)
        send_arguments(c, h, id / 2);
    follow(c, h, &step);
    if (calls)
        call_tracer(c, h, &step.call, step.call.pc + site_resume_offset(c->sites, s));
    return PROBE_GO_ON;
}

/* The same for a site that is on, without a listener. */
static enum probe_verdict hit_site_at_once(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                           uint64_t pc)
{
    struct calls *c = ctx;
    const struct traced_call t = {.hart = hart_id(h),
                                  .cycle = hart_cycles(h),
                                  .step = cluster_steps(hart_cluster(h)),
                                  .site = id / 2,
                                  .state = call_cookie_state(cookie),
                                  .pc = pc - call_cookie_offset(cookie),
                                  .back = return_address(c, h, true),
                                  .sp = frame_of(c, h),
                                  .tracer_back = pc + 4, /* the site's last instruction calls */
                                  .tracer_sp = hart_reg(h, REG_SP)};

    (void)await(c, h, t.back, RETURN_OF_FUNCTION);
    (void)await(c, h, t.tracer_back, RETURN_OF_TRACER);
    c->called[t.hart].back = t.tracer_back;
    c->called[t.hart].sp = t.tracer_sp;
    c->now = h;
    call_stacks_trace(c->stacks, &t);
    return PROBE_GO_ON;
}

/* ---- trampolines and tasks ---- */

/* Begins a function whose site was not recorded, when its call reaches the trampoline. */
static void enter_unknown(struct calls *c, struct hart *h, uint64_t back)
{
    uint64_t pc = back - SITE_BYTES - c->traits->pair;
    const struct symbol *symbol = symbols_function_at(c->symbols, pc);
    struct call_step step = {
        .kind = STEP_TRAMPOLINE,
        .call = {.function = symbol ? symbol->name : NULL,
                 .site = NO_SITE,
                 .pc = pc,
                 .state = c->traits->patching == PATCHED_NEVER ? SITE_INIT : SITE_ON},
        .tracer_back = back,
        .tracer_sp = hart_reg(h, REG_SP)};

    look(c, h);
    if (c->listener.meet)
        c->listener.meet(c->listener.ctx, pc);
    set_function(c, h, &step.call, true);
    (void)await(c, h, back, RETURN_OF_TRACER);
    follow(c, h, &step);
}

/* Called when a task begins: calls of an earlier task on the same stack have ended. */
static void begin_task(void *ctx, unsigned which, struct hart *h)
{
    struct call_step step = {.kind = STEP_TASK_BEGINS, .sp = hart_reg(h, REG_SP)};

    (void)which;
    follow(ctx, h, &step);
}

static enum probe_verdict hit_trampoline(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                         uint64_t pc)
{
    struct calls *c = ctx;
    uint64_t back = hart_reg(h, c->traits->link);
    unsigned hart = hart_id(h);

    (void)id;
    (void)cookie;
    (void)pc;
    if (UNLIKELY(c->called[hart].back != back || c->called[hart].sp != hart_reg(h, REG_SP)))
        enter_unknown(c, h, back);
    c->called[hart].back = 0;
    return PROBE_GO_ON;
}

/* The last jump of a return handler. */
static enum probe_verdict hit_handler_end(void *ctx, uint32_t reg, uint8_t cookie, struct hart *h,
                                          uint64_t pc)
{
    struct call_step step = {
        .kind = STEP_HANDLER_END, .sp = hart_reg(h, REG_SP), .call = {.back = hart_reg(h, reg)}};

    (void)cookie;
    (void)pc;
    follow(ctx, h, &step);
    return PROBE_GO_ON;
}

/* ---- traps ---- */

static bool is_breakpoint(const struct trap_event *t)
{
    return !t->interrupt && t->cause == EXC_BREAKPOINT;
}

/*
 * At the return from a trap: if it is that of a breakpoint whose handler has replaced the value of
 * ra, as those of kretprobes do at the entry of a function.
 */
static void read_hook_of_breakpoint(struct calls *c, struct hart *h, struct call_step *step)
{
    uint64_t former;

    if (!ra_traps_return(&c->ra_traps[hart_id(h)], h, &former))
        return;
    step->returns_to = hart_reg(h, REG_RA);
    step->hook = hook_of(c, h, step->returns_to);
    if (is_hooked(step->hook))
        (void)await(c, h, former, RETURN_OF_FUNCTION);
}

void calls_trap(struct calls *c, const struct trap_event *t)
{
    struct call_step step;

    if (t->from != PRIV_S || t->to != PRIV_S)
        return;
    step = (struct call_step){.kind = STEP_TRAP,
                              .call = {.kind = CALL_TRAP,
                                       .site = NO_SITE,
                                       .pc = t->epc,
                                       .back = t->epc,
                                       .sp = hart_reg(t->hart, REG_SP),
                                       .cause = t->cause | (uint64_t)t->interrupt << 63,
                                       .handler = hart_reg(t->hart, REG_RA)}};
    if (is_breakpoint(t))
        ra_traps_take(&c->ra_traps[hart_id(t->hart)], t);
    look(c, t->hart);
    follow(c, t->hart, &step);
}

void calls_trap_return(struct calls *c, const struct trap_return_event *t)
{
    struct call_step step;

    if (t->from != PRIV_S || t->to != PRIV_S)
        return;
    step = (struct call_step){.kind = STEP_TRAP_RETURN, .sp = hart_reg(t->hart, REG_SP)};
    read_hook_of_breakpoint(c, t->hart, &step);
    follow(c, t->hart, &step);
}

/* ---- creation ---- */

static void plant_at(struct calls *c, const char *label, const struct probe_owner *owner)
{
    uint64_t va, pa;

    if (symbols_find(c->symbols, label, &va) && image_va_to_pa(c->image, va, &pa))
        calls_plant(c, pa, owner, 0);
}

/* Linux's kretprobes have had three names for theirs. */
static void plant_at_handlers(struct calls *c)
{
    static const char *const names[] = {"return_to_handler", "arch_rethook_trampoline",
                                        "__kretprobe_trampoline", "kretprobe_trampoline"};
    uint64_t va, pa;

    for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
        if (!symbols_find(c->symbols, names[i], &va) || !image_va_to_pa(c->image, va, &pa) ||
            !learn_return_handler(&c->handlers, va))
            continue;
        c->handlers.named = c->handlers.count;
        c->return_to_handler = i ? c->return_to_handler : va;
        calls_plant_handler_ends(c, va);
        calls_plant_return(c, pa,
                           RETURN_OF_FUNCTION); /* after those: the last one planted comes first */
    }
}

static void plant_all(struct calls *c)
{
    static const char *const starts[] = {"ret_from_fork", "ret_from_kernel_thread",
                                         "ret_from_user_thread", "ret_from_fork_kernel_asm",
                                         "ret_from_fork_user_asm"};

    c->first_count = (uint32_t)site_count(c->sites);
    c->starts = kernel_probes_new(c->cluster, c->image, c->symbols, starts, ARRAY_LEN(starts),
                                  begin_task, c);
    if (c->listener.stores_told)
        c->is_planted = xcalloc(c->first_count, sizeof *c->is_planted);
    calls_plant_image(c);
    if (c->traits->patching == PATCHED_NEVER)
        plant_at(c, "_mcount", &c->at_trampoline);
    plant_at(c, "ftrace_caller", &c->at_trampoline);
    plant_at(c, "ftrace_regs_caller", &c->at_trampoline);
    plant_at_handlers(c);
}

void calls_name(void *ctx, struct call *call)
{
    const struct calls *c = ctx;
    const struct symbol *symbol;

    if (call->kind != CALL_FUNCTION || call->function)
        return;
    if (call->site != NO_SITE) {
        const char *name = site_get(c->sites, call->site)->function;

        call->function = name[0] ? name : NULL;
        return;
    }
    symbol = symbols_function_at(c->symbols, call->pc);
    call->function = symbol ? symbol->name : NULL;
}

bool calls_open_at(const struct calls *c, enum call_kind kind, uint64_t sp, struct call *found)
{
    if (!c)
        return false;
    feed_settle(c->listener.feed);
    if (!call_stacks_open_at(c->stacks, kind, sp, found))
        return false;
    calls_name((void *)(uintptr_t)c, found);
    return true;
}

struct question {
    const struct calls *calls;
    void (*found)(void *ctx, const struct call *call);
    void *ctx;
};

static void answer(void *ctx, struct call *call)
{
    const struct question *q = ctx;

    calls_name((void *)(uintptr_t)q->calls, call);
    q->found(q->ctx, call);
}

void calls_each(const struct calls *c, void (*found)(void *ctx, const struct call *call), void *ctx)
{
    struct question q = {c, found, ctx};

    if (!c)
        return;
    feed_settle(c->listener.feed);
    call_stacks_each(c->stacks, answer, &q);
}

bool calls_possible(const struct site_table *sites)
{
    return site_traits(sites)->patching != PATCHED_NO_SITES;
}

/* Must be called when addresses are known and probes are planted. */
static struct call_stacks *new_stacks(struct calls *c)
{
    const struct call_stacks_config config = {.return_to_handler = c->return_to_handler,
                                              .handlers = c->handlers,
                                              .listener = c->listener,
                                              .emit = c->listener.feed ? NULL : emit,
                                              .ctx = c};

    return call_stacks_new(&config);
}

struct calls *calls_new(struct cluster *cluster, const struct image *im,
                        const struct site_table *sites, const struct symbols *symbols,
                        const struct ftrace_stream *stream, struct calls_listener listener)
{
    struct calls *c = xcalloc(1, sizeof *c);

    *c = (struct calls){.cluster = cluster,
                        .stream = stream,
                        .image = im,
                        .sites = sites,
                        .traits = site_traits(sites),
                        .symbols = symbols,
                        .listener = listener,
                        .on_only = !listener.enter || listener.on_only,
                        .at_site = {c, plan_site, hit_site},
                        .at_trampoline = {c, NULL, hit_trampoline},
                        .at_return = {c, plan_return, hit_return},
                        .at_handler_end = {c, NULL, hit_handler_end}};
    if (!listens(c)) {
        c->at_site.hit = hit_site_at_once;
        c->at_return.hit = hit_return_at_once;
    }
    c->called = xcalloc(cluster_hart_count(cluster), sizeof *c->called);
    c->ra_traps = xcalloc(cluster_hart_count(cluster), sizeof *c->ra_traps);
    if (listener.feed)
        c->known = feed_read_hits(listener.feed, (struct feed_reader){c, read_hits});
    else
        c->known = c->own = xcalloc(1, sizeof *c->own);
    ra_table_clear(c->known);
    plant_all(c);
    c->stacks = new_stacks(c);
    return c;
}

void calls_end(struct calls *c)
{
    struct hart *h = cluster_hart(c->cluster, 0);
    struct clocks clocks = clocks_of(h);

    feed_settle(c->listener.feed);
    c->now = h;
    call_stacks_end(c->stacks, hart_id(h), &clocks);
}

uint64_t calls_returns_left_out(const struct calls *c)
{
    return c->returns_left_out;
}

uint64_t calls_open_left_out(const struct calls *c)
{
    feed_settle(c->listener.feed);
    return call_stacks_left_out(c->stacks);
}

static void uproot_returns(struct calls *c)
{
    for (size_t i = 0; i < c->awaited.cap; i++)
        if (c->awaited.slots[i].key != UINT64_MAX)
            cluster_uproot(c->cluster, (uint32_t)(c->awaited.slots[i].value >> 1));
}

void calls_free(struct calls *c)
{
    if (!c)
        return;
    feed_settle(c->listener.feed);
    for (size_t i = 0; i < c->probes.len; i++)
        cluster_uproot(c->cluster, c->probes.at[i]);
    VEC_FREE(&c->probes);
    site_probes_free(c->at_all);
    calls_uproot_sites(c, 0, c->site_probes.len);
    VEC_FREE(&c->site_probes);
    calls_uproot_handler_ends(c);
    VEC_FREE(&c->handler_ends);
    kernel_probes_free(c->starts);
    uproot_returns(c);
    call_stacks_free(c->stacks);
    map_free(&c->awaited);
    free(c->called);
    free(c->is_planted);
    free(c->ra_traps);
    free(c->own);
    free(c);
}
