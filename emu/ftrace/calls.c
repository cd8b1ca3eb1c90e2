/*
 * calls.c - see calls.h.
 *
 * A function counts as entered when the last instruction of its site's pair is
 * executed: a task that is interrupted before that may be set back to the start of
 * the site, and must not be counted twice. Each return address gets a probe the
 * first time it is seen; the stack pointer tells which call has returned to it.
 * Modules are not in the image: their sites become known from the trampoline, once
 * they are on.
 */
#include "ftrace/calls.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/decode.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/kernel_probes.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Linux's THREAD_SIZE; stacks are aligned to it. */
enum { STACK_SHIFT = 14, STACK_BYTES = 1 << STACK_SHIFT };

/* A function with variable arguments saves up to eight registers above its frame. */
enum { VARARGS_BYTES = 64 };

/*
 * In a frame, the return address is just below the frame pointer; a site of pfe16 keeps it just
 * below sp, which is its frame, too.
 */
enum { RETURN_BELOW_FRAME = 8 };

/* More open calls than fit on a stack of that size; more stacks than any guest has tasks. */
enum { OPEN_MAX = 4096, STACKS_MAX = 1 << 16 };

/* More return addresses than a kernel has calls of its functions; each has a probe. */
enum { AWAITED_MAX = 1 << 20 };

struct stack {
    uint32_t number;
    uint64_t when;
    VEC_OF(struct call) open;
};

struct calls {
    struct cluster *cluster;
    const struct image *image;
    const struct site_table *sites;
    const struct symbols *symbols;
    struct calls_listener listener;
    bool on_only; /* only functions whose site is on matter */
    struct probe_owner at_site, at_trampoline, at_return, at_handler_end;
    struct kernel_probes *starts; /* where tasks begin */
    uint64_t return_to_handler;   /* 0: the image has none */
    uint64_t return_trampoline;   /* to which kprobes may send a function before; 0: none */
    enum site_state fetched;      /* the state of the site that is being decoded */
    VEC_OF(uint32_t) probes;
    struct map awaited; /* pa of a return address -> its probe */
    uint64_t returns_left_out;
    /* Return addresses that have a probe; a cache, whose entries count only in their epoch. */
    struct {
        uint64_t va, epoch;
    } recent[1024];
    uint64_t epoch; /* of the mappings, from 1 */
    VEC_OF(struct stack) stacks;
    struct map stack_at; /* address / STACK_BYTES -> index */
    struct {
        uint64_t key, index;
    } last; /* the stack that was asked for last; its index is UINT64_MAX if there is none */
    uint32_t stack_count;
    bool dropped; /* some call was ended because there were too many */
};

/* ---- stacks ---- */

/*
 * The innermost call; if none is open, a call that is never over and never returns. Valid until the
 * stack changes.
 */
static inline const struct call *top_of(const struct stack *s)
{
    static const struct call nothing = {.kind = CALL_TRAP, .sp = UINT64_MAX};

    return s->open.len ? &s->open.at[s->open.len - 1] : &nothing;
}

static inline struct call_moment moment(struct stack *s, struct hart *h)
{
    struct call_moment at = {.on = h, .stack = s->number};

    hart_clocks(h, &at.cycle, &at.insns, &at.time);
    at.hart = hart_id(h);
    at.task = hart_reg(h, REG_TP);
    /* Cycle counters of harts differ, and tasks migrate. */
    s->when = at.cycle > s->when ? at.cycle : s->when;
    at.when = s->when;
    return at;
}

/* Whether it is a call of a trampoline, which the traced function does not know of. */
static bool goes_through(const struct call *call)
{
    return call->kind == CALL_TRACER || call->kind == CALL_RETURN;
}

static inline void emit(struct calls *c, enum event_kind kind, struct hart *h,
                        const struct call *call, enum call_end how)
{
    struct event e;

    if (LIKELY(!goes_through(call)) || !cluster_wants(c->cluster, kind))
        return;
    e.kind = kind;
    e.call = (struct call_event){.hart = h, .call = call, .how = (uint8_t)how};
    cluster_emit(c->cluster, &e);
}

/* What else the auditor must know of functions, and of returns to return_to_handler. */
static void emit_lost(struct calls *c, struct hart *h, const struct call *call, enum call_end how)
{
    const struct event e = {.kind = EVENT_CALL_LEFT,
                            .call = {.hart = h, .call = call, .how = (uint8_t)how}};

    if (cluster_wants(c->cluster, e.kind))
        cluster_emit(c->cluster, &e);
}

static void leave_top(struct calls *c, struct stack *s, struct hart *h, enum call_end how)
{
    const struct call *top = &s->open.at[s->open.len - 1];

    emit(c, EVENT_CALL_LEFT, h, top, how);
    if (c->listener.leave) {
        struct call_moment at = moment(s, h);

        c->listener.leave(c->listener.ctx, top, &at, how);
    }
    s->open.len--;
}

static void leave_down_to(struct calls *c, struct stack *s, size_t len, struct hart *h,
                          enum call_end how)
{
    while (s->open.len > len)
        leave_top(c, s, h, how);
}

static void forget_stacks(struct calls *c, struct hart *h, enum call_end how)
{
    for (size_t i = 0; i < c->stacks.len; i++) {
        leave_down_to(c, &c->stacks.at[i], 0, h, how);
        VEC_FREE(&c->stacks.at[i].open);
    }
    c->stacks.len = 0;
    c->last.index = UINT64_MAX;
    map_clear(&c->stack_at);
}

static void drop_stacks(struct calls *c, struct hart *h)
{
    c->dropped = true;
    forget_stacks(c, h, CALL_DROPPED);
}

/* sp of an empty stack is the address after its end, which must not count as the next stack's. */
static uint64_t stack_key(uint64_t sp)
{
    return (sp - 1) >> STACK_SHIFT;
}

/* The stack that sp points into; NULL: no call was seen on it. */
static inline struct stack *stack_of(struct calls *c, uint64_t sp)
{
    uint64_t key = stack_key(sp), index;

    if (LIKELY(c->last.key == key && c->last.index != UINT64_MAX))
        return &c->stacks.at[c->last.index];
    if (!map_get(&c->stack_at, key, &index))
        return NULL;
    c->last.key = key;
    c->last.index = index;
    return &c->stacks.at[index];
}

static struct stack *make_stack(struct calls *c, uint64_t sp, struct hart *h)
{
    struct stack *s = stack_of(c, sp);

    if (s)
        return s;
    if (c->stacks.len == STACKS_MAX)
        drop_stacks(c, h);
    map_put(&c->stack_at, stack_key(sp), c->stacks.len);
    VEC_PUSH(&c->stacks, ((struct stack){.number = ++c->stack_count}));
    return &c->stacks.at[c->stacks.len - 1];
}

/*
 * Whether `top` must have ended when `next` begins: its frame is below the new one,
 * or at the same address. A tail call also has the frame address of its caller, but
 * then the same return address (or return_to_handler, if that has replaced it).
 */
static inline bool is_over(const struct calls *c, const struct call *top, const struct call *next)
{
    if (top->sp != next->sp)
        return top->sp < next->sp;
    return top->kind == CALL_FUNCTION && next->kind == CALL_FUNCTION && top->back != next->back &&
           next->back != c->return_to_handler;
}

/* Whether a call with that frame may return with that stack pointer. */
static inline bool fits(const struct call *call, uint64_t sp)
{
    return sp - call->sp <= (call->kind == CALL_FUNCTION ? VARARGS_BYTES : 0);
}

/*
 * Whether `top` has made a tail call: it had given its frame back. With variable arguments the
 * frame address of the new one is lower; then the return address, which was replaced before, tells.
 */
static bool is_tail_call(const struct calls *c, const struct call *top, const struct call *next)
{
    return top->kind == CALL_FUNCTION && next->kind == CALL_FUNCTION &&
           (top->sp == next->sp ||
            (next->back == c->return_to_handler && c->return_to_handler && fits(next, top->sp)));
}

static void push(struct calls *c, struct hart *h, struct call *call)
{
    struct stack *s = make_stack(c, call->sp, h);
    struct call_moment at;

    while (is_over(c, top_of(s), call))
        leave_top(c, s, h, CALL_ABANDONED);
    if (s->open.len == OPEN_MAX) {
        c->dropped = true;
        leave_down_to(c, s, 0, h, CALL_DROPPED);
    }
    if (is_tail_call(c, top_of(s), call))
        call->tail_of = top_of(s)->pc;
    at = moment(s, h);
    call->hart = at.hart;
    call->cycle = at.cycle;
    VEC_PUSH(&s->open, *call);
    if (c->listener.enter)
        c->listener.enter(c->listener.ctx, call, &at);
    emit(c, EVENT_CALL_ENTERED, h, call, CALL_OPEN);
}

/* ---- returns ---- */

/* The call that returns to pc. Tail calls return together with their callers: the outermost one. */
static bool find_arrived(const struct stack *s, uint64_t pc, uint64_t sp, size_t *index)
{
    bool found = false;

    for (size_t i = s->open.len; i-- > 0 && s->open.at[i].sp <= sp;)
        if (s->open.at[i].back == pc && fits(&s->open.at[i], sp)) {
            *index = i;
            found = true;
        }
    return found;
}

/* How a call ends when the hart arrives at the return address of an outer one, or its own. */
static enum call_end how_it_ended(const struct call *call, uint64_t pc, uint64_t sp)
{
    if (goes_through(call) && call->back != pc)
        return CALL_STRAYED;
    return fits(call, sp) ? CALL_CAME_BACK : CALL_ABANDONED;
}

/*
 * Where the return address of a function is when its tracer has come back: in ra, or where the site
 * or the prologue has stored it.
 */
static bool read_return(const struct calls *c, struct hart *h, const struct call *function,
                        uint64_t *back)
{
    *back = hart_reg(h, REG_RA);
    return site_layout(c->sites) >= LAYOUT_PFE8 ||
           hart_peek(h, function->sp - RETURN_BELOW_FRAME, back, sizeof *back);
}

/* The tracer has come back, and its function goes on. */
static void note_hook(const struct calls *c, struct stack *s, struct hart *h)
{
    struct call *top = s->open.len ? &s->open.at[s->open.len - 1] : NULL;
    uint64_t back;

    if (c->return_to_handler && top && top->kind == CALL_FUNCTION && read_return(c, h, top, &back))
        top->hook = back == c->return_to_handler ? HOOK_HANDLER : HOOK_NONE;
}

static void come_back(struct calls *c, struct stack *s, size_t index, struct hart *h, uint64_t pc,
                      uint64_t sp)
{
    enum call_kind kind = s->open.at[index].kind;

    while (s->open.len > index) {
        const struct call *top = &s->open.at[s->open.len - 1];

        if (top->kind == CALL_FUNCTION && top->hook == HOOK_HANDLER)
            emit_lost(c, h, top, CALL_UNWOUND);
        leave_top(c, s, h, how_it_ended(top, pc, sp));
    }
    if (kind == CALL_TRACER)
        note_hook(c, s, h);
}

/* Ends the calls whose frames are below sp: nothing can return to them any more. */
static void unwind(struct calls *c, struct stack *s, struct hart *h, uint64_t sp)
{
    for (const struct call *top = top_of(s); top->sp < sp && !fits(top, sp); top = top_of(s)) {
        if (top->kind == CALL_FUNCTION && top->hook == HOOK_HANDLER)
            emit_lost(c, h, top, CALL_UNWOUND);
        leave_top(c, s, h, CALL_ABANDONED);
    }
}

/* Whether a function may return to return_to_handler here without being known to have been sent
 * there. */
static bool may_be_sent(const struct calls *c, const struct call *top, uint64_t sp)
{
    if (top->kind == CALL_FUNCTION && fits(top, sp))
        return top->hook != HOOK_NONE;
    return top->kind == CALL_TRACER || c->dropped;
}

/*
 * Ends all calls of a chain of tail calls. *back: the return address of the outermost one. False:
 * there was none.
 */
static bool leave_chain(struct calls *c, struct stack *s, struct hart *h, uint64_t sp,
                        uint64_t *back)
{
    bool left = false;

    *back = c->return_to_handler;
    for (const struct call *top = top_of(s);
         *back == c->return_to_handler && top->kind == CALL_FUNCTION && fits(top, sp);
         top = top_of(s)) {
        *back = top->back;
        leave_top(c, s, h, CALL_CAME_BACK);
        left = true;
    }
    return left;
}

/*
 * A call whose return address was replaced by return_to_handler has ended; the
 * handler will go to the true return address. If that was replaced, too (for the
 * caller of a tail call), it comes here again.
 */
static void arrive_at_handler(struct calls *c, struct stack *s, struct hart *h, uint64_t sp)
{
    const struct call *top;
    struct call handler = {.kind = CALL_RETURN, .site = NO_SITE, .sp = sp};
    bool again;

    unwind(c, s, h, sp);
    handler.pc = c->return_to_handler;
    top = top_of(s);
    again = top->kind == CALL_RETURN && top->sp == sp;
    if (!again && !may_be_sent(c, top, sp))
        emit_lost(c, h, &handler, CALL_UNSENT);

    if (again) {
        handler.back = top->back;
        leave_top(c, s, h, CALL_CAME_BACK);
    }
    if (again || leave_chain(c, s, h, sp, &handler.back))
        push(c, h, &handler);
}

/* Whether the tracer or return handler that runs on this stack comes back with a wrong sp. */
static bool is_unbalanced(const struct stack *s, uint64_t pc)
{
    const struct call *top = top_of(s);

    return goes_through(top) && top->back == pc;
}

/* Whether return_to_handler comes, with its own stack pointer, to where an outer call returns to.
 */
static bool has_strayed(const struct stack *s, uint64_t pc, uint64_t sp)
{
    const struct call *top = top_of(s);

    for (size_t i = s->open.len; top->kind == CALL_RETURN && top->sp == sp && i-- > 0;)
        if (s->open.at[i].kind == CALL_FUNCTION && s->open.at[i].back == pc)
            return true;
    return false;
}

/*
 * Whether return_to_handler, whose frame is gone, has nothing to do at this address. It comes to
 * itself again after a tail call. A function that kprobes has sent to its own trampoline goes on
 * to the caller from there.
 */
static bool is_lost(const struct calls *c, const struct stack *s, uint64_t target, uint64_t sp)
{
    const struct call *top = top_of(s);

    return top->kind == CALL_RETURN && top->sp == sp && top->back != target &&
           target != c->return_to_handler && target != c->return_trampoline &&
           !has_strayed(s, target, sp);
}

/* The last jump of return_to_handler. What is lost may never be seen again: the kernel may panic.
 */
static enum probe_verdict hit_handler_end(void *ctx, uint32_t reg, uint8_t cookie, struct hart *h,
                                          uint64_t pc)
{
    struct calls *c = ctx;
    uint64_t sp = hart_reg(h, REG_SP);
    struct stack *s = stack_of(c, sp);

    (void)cookie;
    (void)pc;
    if (s && is_lost(c, s, hart_reg(h, reg), sp))
        leave_top(c, s, h, CALL_LOST);
    return PROBE_GO_ON;
}

static void arrive(struct calls *c, struct hart *h, uint64_t pc)
{
    uint64_t sp = hart_reg(h, REG_SP);
    struct stack *s = stack_of(c, sp);
    size_t index;

    if (!s || hart_mode(h) == PRIV_U)
        return;
    if (pc == c->return_to_handler)
        arrive_at_handler(c, s, h, sp);
    else if (find_arrived(s, pc, sp, &index))
        come_back(c, s, index, h, pc, sp);
    else if (is_unbalanced(s, pc))
        leave_top(c, s, h, CALL_UNBALANCED);
    else if (has_strayed(s, pc, sp))
        leave_top(c, s, h, CALL_STRAYED);
}

static struct probe_plan plan_return(void *ctx, uint32_t id, const struct probe_view *view)
{
    (void)ctx;
    (void)id;
    return (struct probe_plan){.action = view->starts_block ? PROBE_CALL : PROBE_IGNORE};
}

static enum probe_verdict hit_return(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                     uint64_t pc)
{
    (void)id;
    (void)cookie;
    arrive(ctx, h, pc);
    return PROBE_GO_ON;
}

static void plant(struct calls *c, uint64_t pa, const struct probe_owner *owner, uint32_t id)
{
    VEC_PUSH(&c->probes, cluster_plant(c->cluster, pa, owner, id));
}

static void plant_return(struct calls *c, uint64_t pa)
{
    map_put(&c->awaited, pa, cluster_plant(c->cluster, pa, &c->at_return, 0));
}

static void await(struct calls *c, struct hart *h, uint64_t va)
{
    size_t slot = va / 2 % ARRAY_LEN(c->recent);
    uint64_t pa, known;

    if (c->recent[slot].va == va && c->recent[slot].epoch == c->epoch)
        return;
    if (!hart_translate(h, va, ACCESS_FETCH, &pa))
        return;
    c->recent[slot].va = va;
    c->recent[slot].epoch = c->epoch;
    if (map_get(&c->awaited, pa, &known))
        return;
    if (c->awaited.len < AWAITED_MAX)
        plant_return(c, pa);
    else
        c->returns_left_out++;
}

void calls_mapping_changed(struct calls *c)
{
    c->epoch++;
}

/* ---- calls ---- */

/* Whether sites come after the prologue, so that the frame and frame pointer exist. */
static bool after_prologue(const struct calls *c)
{
    return site_layout(c->sites) <= LAYOUT_MCOUNT;
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
    if (calls && site_layout(c->sites) == LAYOUT_PFE16 &&
        !hart_peek(h, hart_reg(h, REG_SP) - 8, &ra, sizeof ra))
        return 0;
    return ra;
}

static uint64_t frame_of(const struct calls *c, const struct hart *h)
{
    uint64_t sp = hart_reg(h, REG_SP), fp = hart_reg(h, REG_S0);

    return after_prologue(c) && fp >= sp && fp - sp < STACK_BYTES ? fp : sp;
}

static void enter_tracer(struct calls *c, struct hart *h, const struct call *function,
                         uint64_t back)
{
    struct call tracer = {.kind = CALL_TRACER,
                          .site = function->site,
                          .pc = function->pc,
                          .back = back,
                          .sp = hart_reg(h, REG_SP)};

    await(c, h, back);
    push(c, h, &tracer);
}

static void enter_function(struct calls *c, struct hart *h, struct call *function, bool calls)
{
    function->kind = CALL_FUNCTION;
    function->sp = frame_of(c, h);
    function->back = return_address(c, h, calls);
    if (c->return_to_handler && function->back == c->return_to_handler)
        function->hook = HOOK_HANDLER;
    await(c, h, function->back);
    push(c, h, function);
}

static unsigned last_offset(const struct calls *c, const struct site *s)
{
    return site_resume_offset(c->sites, s) - 4;
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
static struct probe_plan plan_site(void *ctx, uint32_t id, const struct probe_view *view)
{
    struct calls *c = ctx;
    const struct site *s = site_get(c->sites, id / 2);
    bool whole = !(id % 2);

    if (s->gone)
        return (struct probe_plan){.action = PROBE_IGNORE};
    if (whole || view->pc - last_offset(c, s) < view->block_pc)
        c->fetched = site_state_fetched(c->sites, s, view, whole ? 0 : (int)last_offset(c, s));
    if (whole || !is_wanted(c, s))
        return (struct probe_plan){.action = PROBE_IGNORE};
    return (struct probe_plan){.action = PROBE_CALL, .cookie = (uint8_t)c->fetched};
}

static enum probe_verdict hit_site(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                   uint64_t pc)
{
    struct calls *c = ctx;
    const struct site *s = site_get(c->sites, id / 2);
    bool calls = site_calls(c->sites, s, cookie);
    struct call function = {.function = s->function[0] ? s->function : NULL,
                            .site = id / 2,
                            .pc = pc - last_offset(c, s),
                            .state = cookie};

    enter_function(c, h, &function, calls);
    if (calls)
        enter_tracer(c, h, &function, function.pc + site_resume_offset(c->sites, s));
    return PROBE_GO_ON;
}

/* ---- sites of modules, which the table does not have ---- */

/* Whether the call that has entered the trampoline was recorded at its site. */
static bool is_known(struct calls *c, const struct hart *h, uint64_t back)
{
    uint64_t sp = hart_reg(h, REG_SP);
    const struct stack *s = stack_of(c, sp);
    const struct call *top = s ? top_of(s) : NULL;

    return top && top->kind == CALL_TRACER && top->back == back && top->sp == sp;
}

static void enter_unknown(struct calls *c, struct hart *h, uint64_t back)
{
    enum site_layout layout = site_layout(c->sites);
    uint64_t pc = back - (layout == LAYOUT_PFE16 ? 12 : SITE_BYTES);
    const struct symbol *symbol = symbols_function_at(c->symbols, pc);
    struct call function = {.function = symbol ? symbol->name : NULL,
                            .site = NO_SITE,
                            .pc = pc,
                            .state = layout == LAYOUT_STATIC ? SITE_INIT : SITE_ON};

    enter_function(c, h, &function, true);
    enter_tracer(c, h, &function, back);
}

/* A task begins: calls of an earlier task on the same stack have ended. */
static void begin_task(void *ctx, unsigned which, struct hart *h)
{
    struct calls *c = ctx;
    struct stack *s = stack_of(c, hart_reg(h, REG_SP));

    (void)which;
    if (s)
        leave_down_to(c, s, 0, h, CALL_ABANDONED);
}

static struct probe_plan plan_always(void *ctx, uint32_t id, const struct probe_view *view)
{
    (void)ctx;
    (void)id;
    (void)view;
    return (struct probe_plan){.action = PROBE_CALL};
}

static enum probe_verdict hit_trampoline(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                         uint64_t pc)
{
    struct calls *c = ctx;
    uint64_t back = hart_reg(h, site_layout(c->sites) >= LAYOUT_PFE8 ? REG_T0 : REG_RA);

    (void)id;
    (void)cookie;
    (void)pc;
    if (!is_known(c, h, back))
        enter_unknown(c, h, back);
    return PROBE_GO_ON;
}

/* ---- traps ---- */

void calls_trap(struct calls *c, const struct trap_event *t)
{
    struct call trap = {.kind = CALL_TRAP,
                        .site = NO_SITE,
                        .pc = t->epc,
                        .back = t->epc,
                        .sp = hart_reg(t->hart, REG_SP),
                        .cause = t->cause | (uint64_t)t->interrupt << 63};

    if (t->from == PRIV_S && t->to == PRIV_S)
        push(c, t->hart, &trap);
}

/* The handler may return to another pc, but the stack pointer is the same as at the trap. */
void calls_trap_return(struct calls *c, const struct trap_return_event *t)
{
    uint64_t sp = hart_reg(t->hart, REG_SP);
    struct stack *s = t->from == PRIV_S && t->to == PRIV_S ? stack_of(c, sp) : NULL;

    for (size_t i = s ? s->open.len : 0; i-- > 0 && s->open.at[i].sp <= sp;)
        if (s->open.at[i].kind == CALL_TRAP && s->open.at[i].sp == sp) {
            come_back(c, s, i, t->hart, s->open.at[i].back, sp);
            return;
        }
}

/* ---- creation ---- */

static void plant_at(struct calls *c, const char *label, const struct probe_owner *owner)
{
    uint64_t va, pa;

    if (symbols_find(c->symbols, label, &va) && image_va_to_pa(c->image, va, &pa))
        plant(c, pa, owner, 0);
}

/* Only jumps by a register that are not the second half of a pair: what that calls comes back. */
static void plant_at_handler_end(struct calls *c)
{
    const struct symbol *handler = symbols_function_at(c->symbols, c->return_to_handler);
    struct insn i, before = {0};
    uint64_t pa;

    for (uint64_t va = c->return_to_handler; handler && va < handler->end; va += i.size) {
        uint32_t word = 0;

        if (!image_read(c->image, va, &word, 2) ||
            (insn_size((uint16_t)word) == 4 && !image_read(c->image, va, &word, 4)))
            return;
        (void)insn_decode(word, &i);
        if (i.op == OP_jalr && !i.imm && !insn_is_pair(&before, &i) &&
            image_va_to_pa(c->image, va, &pa))
            plant(c, pa, &c->at_handler_end, i.rs1);
        before = i;
    }
}

static void plant_all(struct calls *c)
{
    static const char *const starts[] = {"ret_from_fork", "ret_from_kernel_thread",
                                         "ret_from_user_thread", "ret_from_fork_kernel_asm",
                                         "ret_from_fork_user_asm"};
    uint64_t pa;

    c->starts = kernel_probes_new(c->cluster, c->image, c->symbols, starts, ARRAY_LEN(starts),
                                  begin_task, c);
    for (uint32_t i = 0; i < site_count(c->sites); i++) {
        const struct site *s = site_get(c->sites, i);

        if (s->kind != SITE_FUNCTION)
            continue;
        plant(c, s->pa, &c->at_site, 2 * i);
        plant(c, s->pa + last_offset(c, s), &c->at_site, 2 * i + 1);
    }
    if (site_layout(c->sites) == LAYOUT_STATIC)
        plant_at(c, "_mcount", &c->at_trampoline);
    plant_at(c, "ftrace_caller", &c->at_trampoline);
    plant_at(c, "ftrace_regs_caller", &c->at_trampoline);
    if (!symbols_find(c->symbols, "return_to_handler", &c->return_to_handler) ||
        !image_va_to_pa(c->image, c->return_to_handler, &pa))
        return;
    if (!symbols_find(c->symbols, "arch_rethook_trampoline", &c->return_trampoline) &&
        !symbols_find(c->symbols, "__kretprobe_trampoline", &c->return_trampoline))
        c->return_trampoline = 0;
    plant_at_handler_end(c);
    plant_return(c, pa); /* of two probes at one place, the last one planted comes first */
}

bool calls_open_at(const struct calls *c, enum call_kind kind, uint64_t sp, struct call *found)
{
    uint64_t index;

    if (!c || !map_get(&c->stack_at, stack_key(sp), &index))
        return false;
    for (size_t i = c->stacks.at[index].open.len; i-- > 0;) {
        const struct call *call = &c->stacks.at[index].open.at[i];

        if (call->kind == kind && call->sp == sp) {
            *found = *call;
            return true;
        }
    }
    return false;
}

void calls_each(const struct calls *c, void (*found)(void *ctx, const struct call *call), void *ctx)
{
    for (size_t s = 0; c && s < c->stacks.len; s++)
        for (size_t i = 0; i < c->stacks.at[s].open.len; i++)
            found(ctx, &c->stacks.at[s].open.at[i]);
}

bool calls_possible(const struct site_table *sites)
{
    return site_layout(sites) != LAYOUT_NONE;
}

struct calls *calls_new(struct cluster *cluster, const struct image *im,
                        const struct site_table *sites, const struct symbols *symbols,
                        struct calls_listener listener)
{
    struct calls *c = xcalloc(1, sizeof *c);

    *c = (struct calls){.cluster = cluster,
                        .image = im,
                        .sites = sites,
                        .symbols = symbols,
                        .epoch = 1,
                        .last = {.index = UINT64_MAX},
                        .listener = listener,
                        .on_only = !listener.enter || listener.on_only,
                        .at_site = {c, plan_site, hit_site},
                        .at_trampoline = {c, plan_always, hit_trampoline},
                        .at_return = {c, plan_return, hit_return},
                        .at_handler_end = {c, plan_always, hit_handler_end}};
    plant_all(c);
    return c;
}

void calls_end(struct calls *c)
{
    forget_stacks(c, cluster_hart(c->cluster, 0), CALL_OPEN);
}

uint64_t calls_returns_left_out(const struct calls *c)
{
    return c->returns_left_out;
}

static void uproot_returns(struct calls *c)
{
    for (size_t i = 0; i < c->awaited.cap; i++)
        if (c->awaited.slots[i].key != UINT64_MAX)
            cluster_uproot(c->cluster, (uint32_t)c->awaited.slots[i].value);
}

void calls_free(struct calls *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->probes.len; i++)
        cluster_uproot(c->cluster, c->probes.at[i]);
    VEC_FREE(&c->probes);
    kernel_probes_free(c->starts);
    uproot_returns(c);
    for (size_t i = 0; i < c->stacks.len; i++)
        VEC_FREE(&c->stacks.at[i].open);
    VEC_FREE(&c->stacks);
    map_free(&c->awaited);
    map_free(&c->stack_at);
    free(c);
}

/* ---- state ---- */

/* The name that the function had when it was entered; names are not saved in the state. */
static const char *name_of(const struct calls *c, const struct call *function)
{
    const struct symbol *symbol;

    if (function->site != NO_SITE) {
        const char *name = site_get(c->sites, function->site)->function;

        return name[0] ? name : NULL;
    }
    symbol = symbols_function_at(c->symbols, function->pc);
    return symbol ? symbol->name : NULL;
}

static void call_io(struct state_io *io, struct call *call)
{
    STATE_IO_BELOW(io, call->kind, CALL_TRAP + 1);
    STATE_IO_BELOW(io, call->state, SITE_STATES);
    STATE_IO(io, call->site);
    STATE_IO(io, call->pc);
    STATE_IO(io, call->back);
    STATE_IO(io, call->sp);
    STATE_IO(io, call->cause);
    STATE_IO_BELOW(io, call->hook, HOOK_HANDLER + 1);
    STATE_IO(io, call->hart);
    STATE_IO(io, call->cycle);
}

static void stack_io(struct state_io *io, struct stack *s)
{
    STATE_IO(io, s->number);
    STATE_IO(io, s->when);
    STATE_IO_VEC(io, &s->open, OPEN_MAX, call_io);
}

static void free_stacks(struct calls *c)
{
    for (size_t i = 0; i < c->stacks.len; i++)
        VEC_FREE(&c->stacks.at[i].open);
    c->stacks.len = 0;
    c->last.index = UINT64_MAX;
}

static void name_calls(struct state_io *io, struct calls *c)
{
    for (size_t i = 0; i < c->stacks.len; i++)
        for (size_t n = 0; n < c->stacks.at[i].open.len; n++) {
            struct call *call = &c->stacks.at[i].open.at[n];

            if (call->site != NO_SITE && call->site >= site_count(c->sites))
                state_io_fail(io, STATE_OUT_OF_RANGE);
            else if (call->kind == CALL_FUNCTION)
                call->function = name_of(c, call);
        }
}

static void check_stacks(struct state_io *io, const struct calls *c)
{
    for (size_t i = 0; i < c->stack_at.cap; i++)
        if (c->stack_at.slots[i].key != UINT64_MAX && c->stack_at.slots[i].value >= c->stacks.len)
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

/* Restores the probes at return addresses: plants those of the state, removes all others. */
static void load_awaited(struct state_io *io, struct calls *c)
{
    struct map before = c->awaited;
    uint64_t pa = 0, probe;

    c->awaited = (struct map){0};
    for (size_t left = state_io_count(io, 0, AWAITED_MAX); left && !io->error; left--) {
        STATE_IO(io, pa);
        if (!bus_ram_at(cluster_bus(c->cluster), pa) || pa % 2 || map_get(&c->awaited, pa, &probe))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else if (!io->error && map_get(&before, pa, &probe))
            map_put(&c->awaited, pa, probe);
        else if (!io->error)
            plant_return(c, pa);
    }
    for (size_t i = 0; i < before.cap; i++)
        if (before.slots[i].key != UINT64_MAX && !map_get(&c->awaited, before.slots[i].key, &probe))
            cluster_uproot(c->cluster, (uint32_t)before.slots[i].value);
    map_free(&before);
}

static void save_awaited(struct state_io *io, const struct calls *c)
{
    size_t count;
    uint64_t *at = map_keys(&c->awaited, &count);

    (void)state_io_count(io, count, AWAITED_MAX);
    for (size_t i = 0; i < count; i++)
        STATE_IO(io, at[i]);
    free(at);
}

void calls_state_io(struct state_io *io, struct calls *c)
{
    state_io_section(io, "calls", 3);
    STATE_IO(io, c->dropped);
    STATE_IO(io, c->fetched);
    STATE_IO(io, c->returns_left_out);
    STATE_IO(io, c->stack_count);
    if (io->loading)
        free_stacks(c);
    STATE_IO_VEC(io, &c->stacks, STACKS_MAX, stack_io);
    state_io_map(io, &c->stack_at);
    if (io->loading) {
        calls_mapping_changed(c);
        check_stacks(io, c);
        name_calls(io, c);
        load_awaited(io, c);
    } else {
        save_awaited(io, c);
    }
    if (c->listener.state_io)
        c->listener.state_io(c->listener.ctx, io);
}
