/*
 * call_stacks.c - see call_stacks.h. The stack pointer shows which call has returned to an address.
 */
#include "ftrace/calls/call_stacks_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ftrace/kernel/tasks.h"

/* A function with variable arguments saves up to eight registers above its frame. */
enum { VARARGS_BYTES = 64 };

/* ---- return handlers ---- */

static inline bool is_handler(const struct call_stacks *c, uint64_t address)
{
    return is_return_handler(&c->config.handlers, address);
}

static enum call_hook hook_of(const struct call_stacks *c, uint64_t handler)
{
    return handler == c->config.return_to_handler ? HOOK_HANDLER : HOOK_OTHER;
}

/* ---- stacks ---- */

/* The innermost call; if none is open, a call that never ends. Valid until the stack changes. */
static inline const struct call *top_of(const struct stack *s)
{
    static const struct call nothing = {.kind = CALL_TRAP, .sp = UINT64_MAX};

    return s->open.len ? &s->open.at[s->open.len - 1] : &nothing;
}

/* Makes the time monotonic on the stack: cycle counters of harts differ, and tasks migrate. */
static inline const struct call_moment *moment(struct call_stacks *c, struct stack *s)
{
    uint64_t cycle = c->now.clocks.cycle;

    c->now.when = s->when = cycle > s->when ? cycle : s->when;
    c->now.stack = s->number;
    return &c->now;
}

/* Whether the call is that of a trampoline, which the traced function does not make itself. */
static inline bool goes_through(const struct call *call)
{
    return call->kind == CALL_TRACER || call->kind == CALL_RETURN;
}

static void emit(const struct call_stacks *c, bool begins, const struct call *call,
                 enum call_end how)
{
    if (c->config.emit)
        c->config.emit(c->config.ctx, begins, call, how);
}

/* Whether listeners are called for it: they know no return handler but return_to_handler. */
static inline bool is_told(const struct call_stacks *c, const struct call *call)
{
    return call->kind != CALL_HOOK &&
           (call->kind != CALL_RETURN || call->pc == c->config.return_to_handler);
}

/* Tells the listener that the innermost call has ended. */
static inline void pop(struct call_stacks *c, struct stack *s, enum call_end how)
{
    const struct call *top = &s->open.at[s->open.len - 1];

    if (UNLIKELY(top->hook == HOOK_CALLED && top->kind == CALL_FUNCTION))
        c->called--;
    if (c->config.listener.leave && is_told(c, top))
        c->config.listener.leave(c->config.listener.ctx, top, moment(c, s), how);
    s->open.len--;
    c->sum--;
}

static inline void leave_top(struct call_stacks *c, struct stack *s, enum call_end how)
{
    const struct call *top = &s->open.at[s->open.len - 1];

    if (UNLIKELY(goes_through(top)))
        emit(c, false, top, how);
    pop(c, s, how);
}

static void leave_down_to(struct call_stacks *c, struct stack *s, size_t len, enum call_end how)
{
    while (s->open.len > len)
        leave_top(c, s, how);
}

static void forget_stacks(struct call_stacks *c, enum call_end how)
{
    for (size_t i = 0; i < c->stacks.len; i++) {
        leave_down_to(c, &c->stacks.at[i], 0, how);
        VEC_FREE(&c->stacks.at[i].open);
    }
    c->stacks.len = c->room = 0;
    c->last.index = UINT64_MAX;
    map_clear(&c->stack_at);
}

static void drop_stacks(struct call_stacks *c)
{
    c->dropped = true;
    c->left_out += c->sum;
    forget_stacks(c, CALL_DROPPED);
}

/* sp of an empty stack is the address after its end, which must not count as the next stack's. */
static uint64_t stack_key(uint64_t sp)
{
    return (sp - 1) >> TASK_STACK_SHIFT;
}

static NOINLINE struct stack *look_up_stack(struct call_stacks *c, uint64_t key)
{
    uint64_t index;

    if (!map_get(&c->stack_at, key, &index))
        return NULL;
    c->last.key = key;
    c->last.index = index;
    return &c->stacks.at[index];
}

/* Finds the stack that sp points into; NULL: no call was seen on it. */
static inline struct stack *stack_of(struct call_stacks *c, uint64_t sp)
{
    uint64_t key = stack_key(sp);

    if (LIKELY(c->last.key == key && c->last.index != UINT64_MAX))
        return &c->stacks.at[c->last.index];
    return look_up_stack(c, key);
}

static NOINLINE struct stack *add_stack(struct call_stacks *c, uint64_t sp)
{
    if (c->stacks.len == STACKS_MAX)
        drop_stacks(c);
    map_put(&c->stack_at, stack_key(sp), c->stacks.len);
    VEC_PUSH(&c->stacks, ((struct stack){.number = ++c->stack_count}));
    return &c->stacks.at[c->stacks.len - 1];
}

/*
 * Whether `top` must have ended when `next` begins: its frame is below the new one,
 * or at the same address. A tail call also has the frame address of its caller, but
 * then the same return address (or a return handler, if that has replaced it).
 */
static inline bool is_over(const struct call_stacks *c, const struct call *top,
                           const struct call *next)
{
    if (top->sp != next->sp)
        return top->sp < next->sp;
    return top->kind == CALL_FUNCTION && next->kind == CALL_FUNCTION && top->back != next->back &&
           !is_handler(c, next->back);
}

/* Whether a call with that frame may return with that stack pointer. */
static inline bool fits(const struct call *call, uint64_t sp)
{
    return sp - call->sp <= (call->kind == CALL_FUNCTION ? VARARGS_BYTES : 0);
}

/*
 * Whether `top` has made a tail call, for which it freed its frame. If it has variable arguments,
 * the frame address of the new call is lower; then the return address, which was replaced before,
 * shows it.
 */
static inline bool is_tail_call(const struct call_stacks *c, const struct call *top,
                                const struct call *next)
{
    return top->kind == CALL_FUNCTION && next->kind == CALL_FUNCTION &&
           (top->sp == next->sp || (is_handler(c, next->back) && fits(next, top->sp)));
}

static NOINLINE void drop_stack(struct call_stacks *c, struct stack *s)
{
    c->dropped = true;
    c->left_out += s->open.len;
    leave_down_to(c, s, 0, CALL_DROPPED);
}

/* Gives back the room that is not used. */
static void trim(struct call_stacks *c)
{
    for (size_t i = 0; i < c->stacks.len; i++) {
        struct stack *s = &c->stacks.at[i];

        if (!s->open.len)
            VEC_FREE(&s->open);
        else
            s->open.at = xrealloc(s->open.at, s->open.len * sizeof *s->open.at);
        s->open.cap = s->open.len;
    }
    c->room = c->sum;
}

/* Allots memory for another call. */
static void reserve(struct call_stacks *c, struct stack *s)
{
    size_t before = s->open.cap;

    VEC_RESERVE(&s->open, 1);
    c->room += s->open.cap - before;
    if (c->room > ROOM_MAX) {
        trim(c);
        before = s->open.cap;
        VEC_RESERVE(&s->open, 1);
        c->room += s->open.cap - before;
    }
}

/* Ends calls that must have ended before one that is not simply within the innermost call. */
static NOINLINE void make_way(struct call_stacks *c, struct stack *s, const struct call *call)
{
    while (is_over(c, top_of(s), call))
        leave_top(c, s, CALL_ABANDONED);
    for (size_t i = 0; c->sum >= SUM_MAX && i < c->stacks.len; i++)
        drop_stack(c, &c->stacks.at[i]);
    if (s->open.len == OPEN_MAX)
        drop_stack(c, s);
    reserve(c, s);
}

/* Whether so many calls may begin on the stack before make_way is needed for the room. */
static inline bool has_room(const struct call_stacks *c, const struct stack *s, size_t calls)
{
    return s->open.len + calls <= s->open.cap && s->open.len + calls <= OPEN_MAX &&
           c->sum + calls <= SUM_MAX;
}

/* Begins a call for which there is room, within the innermost one, `top'. */
static ALWAYS_INLINE void begin_call(struct call_stacks *c, struct stack *s, const struct call *top,
                                     const struct call *call)
{
    struct call *pushed = &s->open.at[s->open.len++];

    c->sum++;
    *pushed = *call;
    if (UNLIKELY(is_tail_call(c, top, call)))
        pushed->tail_of = top->pc;
    pushed->hart = c->now.hart;
    pushed->cycle = c->now.clocks.cycle;
    pushed->step = clocks_step(&c->now.clocks);
    if (call->kind == CALL_FUNCTION && UNLIKELY(is_handler(c, call->back))) {
        pushed->hook = hook_of(c, call->back);
        pushed->handler = call->back;
    }
    if (c->config.listener.enter && is_told(c, call))
        c->config.listener.enter(c->config.listener.ctx, pushed, moment(c, s));
    if (UNLIKELY(goes_through(call)))
        emit(c, true, pushed, CALL_OPEN);
}

static inline void push(struct call_stacks *c, const struct call *call)
{
    struct stack *s = stack_of(c, call->sp);
    const struct call *top;

    if (UNLIKELY(!s))
        s = add_stack(c, call->sp);
    top = top_of(s);
    if (UNLIKELY(is_over(c, top, call) || !has_room(c, s, 1))) {
        make_way(c, s, call);
        top = top_of(s);
    }
    begin_call(c, s, top, call);
}

/* ---- returns ---- */

/*
 * Finds the call that returns to pc: the outermost one, as tail calls return together with their
 * callers.
 */
static inline bool find_arrived(const struct stack *s, uint64_t pc, uint64_t sp, size_t *index)
{
    bool found = false;

    for (size_t i = s->open.len; i-- > 0 && s->open.at[i].sp <= sp;)
        if (s->open.at[i].back == pc && fits(&s->open.at[i], sp)) {
            *index = i;
            found = true;
        }
    return found;
}

/*
 * Returns how a call ends when the hart arrives at its return address, or at that of an outer call.
 */
static enum call_end how_it_ended(const struct call *call, uint64_t pc, uint64_t sp)
{
    if (goes_through(call) && call->back != pc)
        return CALL_STRAYED;
    return fits(call, sp) ? CALL_CAME_BACK : CALL_ABANDONED;
}

/* Whether the call was to return by a return handler. */
static bool is_sent(const struct call *call)
{
    return (call->kind == CALL_FUNCTION || call->kind == CALL_HOOK) && is_hooked(call->hook);
}

/* Ends the calls from the index on, at the return address of that one. */
static void come_back(struct call_stacks *c, struct stack *s, size_t index, uint64_t pc,
                      uint64_t sp)
{
    while (s->open.len > index) {
        const struct call *top = &s->open.at[s->open.len - 1];

        if (is_sent(top))
            emit(c, false, top, CALL_UNWOUND);
        leave_top(c, s, how_it_ended(top, pc, sp));
    }
}

/* Sets where the function continues after its tracer, or whether that is known. */
static inline void set_hook(struct call_stacks *c, struct call *call, uint64_t returns_to,
                            enum call_hook hook)
{
    call->hook = hook;
    call->handler = is_hooked(hook) ? returns_to : 0;
    if (is_hooked(hook) && !is_handler(c, returns_to)) {
        forget_return_handler(&c->config.handlers, NULL);
        (void)learn_return_handler(&c->config.handlers, returns_to);
    }
}

/* The same at an arrival. If a tracer has come back, its function continues. */
static void arrive_back(struct call_stacks *c, struct stack *s, size_t index,
                        const struct call_step *step)
{
    struct call *call = &s->open.at[index];
    bool hooks = call->kind == CALL_TRACER && step->hook != HOOK_UNKNOWN;

    if (hooks && is_hooked(step->hook))
        call->handler = step->returns_to;
    come_back(c, s, index, step->pc, step->sp);
    if (hooks && index && s->open.at[index - 1].kind == CALL_FUNCTION)
        set_hook(c, &s->open.at[index - 1], step->returns_to, step->hook);
}

/* Ends the calls whose frames are below sp: they cannot be returned to. */
static void unwind(struct call_stacks *c, struct stack *s, uint64_t sp)
{
    for (const struct call *top = top_of(s); top->sp < sp && !fits(top, sp); top = top_of(s)) {
        if (is_sent(top))
            emit(c, false, top, CALL_UNWOUND);
        leave_top(c, s, CALL_ABANDONED);
    }
}

/*
 * Whether a function may return to this handler here although no call is known whose return address
 * was replaced. All ways by which return_to_handler gets there are seen. Of another handler it is
 * known only that the tracer of this very function did not put it there.
 */
static bool may_be_sent(const struct call_stacks *c, const struct call *top, uint64_t pc,
                        uint64_t sp)
{
    if (top->kind == CALL_FUNCTION && fits(top, sp))
        return top->hook != HOOK_NONE;
    return top->kind == CALL_TRACER || c->dropped || pc != c->config.return_to_handler;
}

/*
 * Ends all calls of a chain of tail calls that return to this handler. *back: the return address of
 * the outermost one; *step: of the only one, or 0. False: there was none.
 */
static bool leave_chain(struct call_stacks *c, struct stack *s, uint64_t pc, uint64_t sp,
                        uint64_t *back, uint64_t *step)
{
    bool left = false;

    *back = pc;
    *step = 0;
    for (const struct call *top = top_of(s);
         *back == pc && (top->kind == CALL_FUNCTION || top->kind == CALL_HOOK) && fits(top, sp);
         top = top_of(s)) {
        *back = top->back;
        *step = left ? 0 : top->step;
        leave_top(c, s, CALL_CAME_BACK);
        left = true;
    }
    return left;
}

/*
 * Begins the call of a return handler, after one whose return address it replaced has ended: it
 * will jump to the true return address. If that was replaced, too, it comes to the handler that did
 * so: to the same one for the caller of a tail call, or to another one that had replaced the
 * address before.
 */
static void arrive_at_handler(struct call_stacks *c, struct stack *s, uint64_t pc, uint64_t sp)
{
    struct call handler = {.kind = CALL_RETURN, .site = NO_SITE, .pc = pc, .sp = sp};
    const struct call *top;
    bool passed_on, again;

    unwind(c, s, sp);
    top = top_of(s);
    passed_on = top->kind == CALL_RETURN && top->sp == sp;
    again = passed_on && top->back != pc;
    if (!passed_on && !may_be_sent(c, top, pc, sp))
        emit(c, false, &handler, CALL_UNSENT);

    handler.back = top->back;
    if (passed_on)
        leave_top(c, s, CALL_CAME_BACK);
    if (again || leave_chain(c, s, pc, sp, &handler.back, &handler.called_step))
        push(c, &handler);
}

/* ---- trampolines that call the rest of the function ---- */

/*
 * Whether the trampoline calls its function: it jumps to the instruction after the site with a
 * frame of its own and another return address.
 */
static bool is_calling(const struct stack *s, const struct call_step *step)
{
    const struct call *top = top_of(s);

    return top->kind == CALL_TRACER && top->back == step->pc && step->sp < top->sp &&
           step->returns_to && s->open.len > 1 && top[-1].kind == CALL_FUNCTION &&
           top[-1].back != step->returns_to && !is_hooked(step->hook);
}

static void call_rest(struct call_stacks *c, struct stack *s, const struct call_step *step)
{
    struct call *function = &s->open.at[s->open.len - 2];

    emit(c, false, top_of(s), CALL_CALLED);
    pop(c, s, CALL_CAME_BACK);
    function->hook = HOOK_CALLED;
    function->handler = step->returns_to;
    function->handler_sp = step->sp;
    c->called++;
}

/* The function that returns to its trampoline by this arrival. */
static bool find_called(const struct call_stacks *c, const struct stack *s, uint64_t pc,
                        uint64_t sp, size_t *index)
{
    for (size_t i = c->called ? s->open.len : 0; i-- > 0;) {
        const struct call *call = &s->open.at[i];

        if (call->kind == CALL_FUNCTION && call->hook == HOOK_CALLED && call->handler == pc &&
            call->handler_sp == sp) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* The function at the index has returned to the trampoline, which will return to its caller. */
static void arrive_in_trampoline(struct call_stacks *c, struct stack *s, size_t index, uint64_t pc,
                                 uint64_t sp)
{
    struct call rest;

    come_back(c, s, index + 1, pc, sp);
    rest = *top_of(s);
    pop(c, s, CALL_CAME_BACK);
    rest = (struct call){.kind = CALL_RETURN,
                         .site = rest.site,
                         .pc = pc,
                         .sp = rest.sp,
                         .back = rest.back,
                         .hook = HOOK_CALLED};
    push(c, &rest);
}

/* ---- other returns ---- */

/* Whether the tracer or return handler that runs on this stack returns with a wrong sp. */
static bool is_unbalanced(const struct stack *s, uint64_t pc)
{
    const struct call *top = top_of(s);

    return goes_through(top) && top->back == pc;
}

/*
 * Whether a return handler jumps, with its own stack pointer, to the return address of an outer
 * call.
 */
static bool has_strayed(const struct stack *s, uint64_t pc, uint64_t sp)
{
    const struct call *top = top_of(s);

    for (size_t i = s->open.len; top->kind == CALL_RETURN && top->sp == sp && i-- > 0;)
        if ((s->open.at[i].kind == CALL_FUNCTION || s->open.at[i].kind == CALL_HOOK) &&
            s->open.at[i].back == pc)
            return true;
    return false;
}

/*
 * Whether it is a mistake that a return handler, whose frame is gone, jumps to this address. It may
 * jump to itself again, after a tail call, or to another handler.
 */
static bool is_lost(const struct call_stacks *c, const struct stack *s, uint64_t target,
                    uint64_t sp)
{
    const struct call *top = top_of(s);

    return top->kind == CALL_RETURN && top->sp == sp && top->back != target &&
           !is_handler(c, target) && !has_strayed(s, target, sp);
}

/* Reports a lost return at once: the kernel may panic next. */
static void end_handler(struct call_stacks *c, uint64_t target, uint64_t sp)
{
    struct stack *s = stack_of(c, sp);

    if (s && is_lost(c, s, target, sp))
        leave_top(c, s, CALL_LOST);
}

static NOINLINE void arrive_otherwise(struct call_stacks *c, struct stack *s,
                                      const struct call_step *step)
{
    uint64_t pc = step->pc, sp = step->sp;
    size_t index;

    if (is_handler(c, pc))
        arrive_at_handler(c, s, pc, sp);
    else if (find_called(c, s, pc, sp, &index))
        arrive_in_trampoline(c, s, index, pc, sp);
    else if (find_arrived(s, pc, sp, &index))
        arrive_back(c, s, index, step);
    else if (is_calling(s, step))
        call_rest(c, s, step);
    else if (is_unbalanced(s, pc))
        leave_top(c, s, CALL_UNBALANCED);
    else if (has_strayed(s, pc, sp))
        leave_top(c, s, CALL_STRAYED);
}

/*
 * Whether exactly the innermost call has returned, and it is a function whose return address was
 * not replaced.
 */
static inline bool is_plain_return(const struct stack *s, uint64_t pc, uint64_t sp)
{
    const struct call *top = top_of(s);

    if (top->back != pc || top->sp != sp || top->kind != CALL_FUNCTION || top->handler)
        return false;
    return s->open.len == 1 || top[-1].sp > sp;
}

/* step: NULL if it has no more than this. */
static inline void arrive(struct call_stacks *c, uint64_t pc, uint64_t sp,
                          const struct call_step *step)
{
    struct stack *s = stack_of(c, sp);

    if (UNLIKELY(!s))
        return;
    if (LIKELY(is_plain_return(s, pc, sp) && !is_handler(c, pc)))
        leave_top(c, s, CALL_CAME_BACK);
    else
        arrive_otherwise(c, s, step ? step : &(struct call_step){.pc = pc, .sp = sp});
}

/* ---- the frequent steps ---- */

static inline struct call function_of(const struct traced_call *t)
{
    return (struct call){.kind = CALL_FUNCTION,
                         .state = t->state,
                         .site = t->site,
                         .pc = t->pc,
                         .back = t->back,
                         .sp = t->sp};
}

static inline struct call tracer_of(const struct traced_call *t)
{
    return (struct call){.kind = CALL_TRACER,
                         .site = t->site,
                         .pc = t->pc,
                         .back = t->tracer_back,
                         .sp = t->tracer_sp};
}

static NOINLINE void trace_otherwise(struct call_stacks *c, const struct traced_call *t)
{
    const struct call function = function_of(t), tracer = tracer_of(t);

    push(c, &function);
    push(c, &tracer);
}

void call_stacks_trace(struct call_stacks *c, const struct traced_call *t)
{
    const struct call function = function_of(t), tracer = tracer_of(t);
    struct stack *s = stack_of(c, t->sp);

    c->now.hart = t->hart;
    c->now.clocks = (struct clocks){.cycle = t->cycle, .others = t->step};
    if (UNLIKELY(!s || !has_room(c, s, 2) || stack_key(t->tracer_sp) != stack_key(t->sp) ||
                 t->tracer_sp > t->sp || is_over(c, top_of(s), &function))) {
        trace_otherwise(c, t);
        return;
    }
    begin_call(c, s, top_of(s), &function);
    begin_call(c, s, top_of(s), &tracer);
}

bool call_stacks_return(struct call_stacks *c, uint64_t pc, uint64_t sp)
{
    struct stack *s = stack_of(c, sp);
    size_t index;

    if (UNLIKELY(!s))
        return true;
    if (UNLIKELY(is_handler(c, pc)))
        return false;
    if (LIKELY(is_plain_return(s, pc, sp)))
        leave_top(c, s, CALL_CAME_BACK);
    else if (c->called || !find_arrived(s, pc, sp, &index))
        return false;
    else
        come_back(c, s, index, pc, sp);
    return true;
}

/* Whether exactly the innermost call has returned, and it is that of the tracer of a function. */
static inline bool is_plain_return_of_tracer(const struct stack *s, uint64_t pc, uint64_t sp)
{
    const struct call *top = top_of(s);

    if (top->back != pc || top->sp != sp || top->kind != CALL_TRACER || s->open.len < 2 ||
        top[-1].kind != CALL_FUNCTION || top[-1].back == pc)
        return false;
    return s->open.len == 2 || top[-2].sp > sp;
}

bool call_stacks_return_of_tracer(struct call_stacks *c, uint64_t pc, uint64_t sp,
                                  uint64_t returns_to, enum call_hook hook)
{
    struct stack *s = stack_of(c, sp);
    struct call *call;

    if (UNLIKELY(!s || c->called || !is_plain_return_of_tracer(s, pc, sp) || is_handler(c, pc)))
        return false;
    call = &s->open.at[s->open.len - 1];
    if (is_hooked(hook))
        call->handler = returns_to;
    leave_top(c, s, CALL_CAME_BACK);
    if (hook != HOOK_UNKNOWN)
        set_hook(c, &call[-1], returns_to, hook);
    return true;
}

/* ---- steps ---- */

/* Whether the call of the trampoline was recorded at its site. */
static bool is_known(struct call_stacks *c, uint64_t back, uint64_t sp)
{
    const struct stack *s = stack_of(c, sp);
    const struct call *top = s ? top_of(s) : NULL;

    return top && top->kind == CALL_TRACER && top->back == back && top->sp == sp;
}

static void enter_trampoline(struct call_stacks *c, const struct call_step *step)
{
    struct call function = step->call;
    struct call tracer = {.kind = CALL_TRACER,
                          .site = function.site,
                          .pc = function.pc,
                          .back = step->tracer_back,
                          .sp = step->tracer_sp};

    if (is_known(c, step->tracer_back, step->tracer_sp))
        return;
    push(c, &function);
    push(c, &tracer);
}

/* Begins a call whose return address the handler of a breakpoint, which has ended, has replaced. */
static void hook_by_breakpoint(struct call_stacks *c, const struct call *trap,
                               const struct call_step *step)
{
    struct call hooked = {
        .kind = CALL_HOOK, .site = NO_SITE, .pc = trap->pc, .back = trap->handler, .sp = trap->sp};

    set_hook(c, &hooked, step->returns_to, step->hook);
    push(c, &hooked);
}

/*
 * Ends the call of a trap handler. It may return to another pc, but the stack pointer is the same
 * as at the trap.
 */
static void return_from_trap(struct call_stacks *c, const struct call_step *step)
{
    uint64_t sp = step->sp;
    struct stack *s = stack_of(c, sp);

    for (size_t i = s ? s->open.len : 0; i-- > 0 && s->open.at[i].sp <= sp;)
        if (s->open.at[i].kind == CALL_TRAP && s->open.at[i].sp == sp) {
            const struct call trap = s->open.at[i];

            come_back(c, s, i, trap.back, sp);
            if (is_hooked(step->hook) && step->returns_to != trap.handler)
                hook_by_breakpoint(c, &trap, step);
            return;
        }
}

/* Ends the calls of an earlier task on the same stack. */
static void begin_task(struct call_stacks *c, uint64_t sp)
{
    struct stack *s = stack_of(c, sp);

    if (s)
        leave_down_to(c, s, 0, CALL_ABANDONED);
}

static inline void set_now(struct call_stacks *c, unsigned hart, const struct clocks *clocks)
{
    c->now.hart = hart;
    c->now.clocks = *clocks;
}

void call_stacks_follow(struct call_stacks *c, const struct call_step *step)
{
    set_now(c, step->hart, &step->clocks);
    switch (step->kind) {
    case STEP_FUNCTION:
    case STEP_TRACER:
    case STEP_TRAP: push(c, &step->call); break;
    case STEP_TRAMPOLINE: enter_trampoline(c, step); break;
    case STEP_ARRIVAL: arrive(c, step->pc, step->sp, step); break;
    case STEP_HANDLER_END: end_handler(c, step->call.back, step->sp); break;
    case STEP_TRAP_RETURN: return_from_trap(c, step); break;
    case STEP_TASK_BEGINS: begin_task(c, step->sp); break;
    }
    c->now.values = NULL;
}

void call_stacks_take_values(struct call_stacks *c, const void *values, size_t size)
{
    memcpy(&c->values, values, size);
    c->now.values = &c->values;
}

const struct feed_hit *call_stacks_read(struct call_stacks *c, const struct feed_base *base,
                                        struct feed_place *const *places,
                                        const struct feed_hit *hits, const struct feed_hit *end)
{
    const struct feed_hit *hit;

    for (hit = hits; hit != end && hit->place != FEED_MESSAGE; hit++) {
        const struct feed_place *place = feed_place(places, hit->place);

        c->now.hart = place->hart;
        c->now.clocks = feed_clocks(base, place, hit);
        if (place->cookie == CALL_COOKIE_RETURN)
            arrive(c, place->pc, hit->sp, NULL);
        else
            push(c, &(struct call){.kind = CALL_FUNCTION,
                                   .site = place->id / 2,
                                   .pc = place->pc - call_cookie_offset(place->cookie),
                                   .state = call_cookie_state(place->cookie),
                                   .back = hit->ra,
                                   .sp = hit->sp});
    }
    return hit;
}

void call_stacks_end(struct call_stacks *c, unsigned hart, const struct clocks *clocks)
{
    set_now(c, hart, clocks);
    forget_stacks(c, CALL_OPEN);
}

/* ---- questions ---- */

bool call_stacks_open_at(const struct call_stacks *c, enum call_kind kind, uint64_t sp,
                         struct call *found)
{
    uint64_t index;

    if (!map_get(&c->stack_at, stack_key(sp), &index))
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

void call_stacks_each(const struct call_stacks *c, void (*found)(void *ctx, struct call *call),
                      void *ctx)
{
    for (size_t s = 0; s < c->stacks.len; s++)
        for (size_t i = 0; i < c->stacks.at[s].open.len; i++)
            found(ctx, &c->stacks.at[s].open.at[i]);
}
