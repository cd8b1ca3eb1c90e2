/*
 * log_write_events.c - calls and events (see log_write.h).
 *
 * A call is looked up in a table of those that were the same but for their times; in a frame it is
 * defined once and then a small number. So is its stack pointer, as the distance from that of the
 * call around it.
 */
#include "log/log_write.h"

#include "log/log_write_priv.h"

/* Cycles after which a frame is written, however few its events. */
enum { FRAME_CYCLES = 1000 * 1000 * 1000 };

static inline void put_reserved(struct log_writer *w, enum log_column column, uint64_t value)
{
    uint8_t *to = w->to[column];

    for (; UNLIKELY(value >= 0x80); value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    w->to[column] = to;
}

static inline void put_code(struct log_writer *w, uint64_t code)
{
    put_reserved(w, LOG_COLUMN_CODES, code);
}

static void put_detail(struct log_writer *w, uint64_t value)
{
    log_put(&w->column[LOG_COLUMN_DETAILS], value);
}

/*
 * The next event is of another hart. What the other harts have executed since their last events has
 * some nine bits that nothing predicts: the lowest eight are in a column of their own.
 */
static NOINLINE void change_hart(struct log_writer *w, unsigned hart, uint64_t others)
{
    uint64_t since = others - log_state_others(&w->state, hart);

    put_code(w, LOG_CODE_HART);
    put_detail(w, hart + (since >> 8) * w->state.harts);
    *w->to[LOG_COLUMN_STEPS]++ = (uint8_t)since;
    w->state.hart[hart].others = others;
    w->state.current = hart;
}

/* Other harts have executed instructions, without an event. */
static NOINLINE void add_others(struct log_writer *w, struct log_hart *h, uint64_t others)
{
    put_code(w, LOG_CODE_STEP);
    put_detail(w, log_zigzag(others - h->others));
    h->others = others;
}

static inline struct log_hart *select_hart(struct log_writer *w, unsigned hart, uint64_t others)
{
    struct log_hart *h = &w->state.hart[hart];

    if (UNLIKELY(w->state.current != hart))
        change_hart(w, hart, others);
    else if (UNLIKELY(h->others != others))
        add_others(w, h, others);
    return h;
}

static NOINLINE void begin_hart(struct log_writer *w, unsigned hart, uint64_t cycle)
{
    w->harts |= UINT64_C(1) << hart;
    if (cycle >= w->first)
        return;
    w->first = cycle;
    w->until = cycle > UINT64_MAX - FRAME_CYCLES ? UINT64_MAX : cycle + FRAME_CYCLES;
}

/* Writes an event except for its details. */
static inline void put_event(struct log_writer *w, struct log_hart *h, unsigned hart, uint64_t code,
                             const struct clocks *now)
{
    const struct clocks at = *now;
    uint64_t insns = at.insns - h->insns, cycles = at.cycle - h->cycle, ahead = at.ahead - h->ahead;

    h->insns = at.insns;
    h->cycle = at.cycle;
    h->ahead = at.ahead;
    if (UNLIKELY(!(w->harts >> hart & 1)))
        begin_hart(w, hart, at.cycle);
    w->events++;
    w->in_frame++;
    put_code(w, code);
    put_reserved(w, LOG_COLUMN_INSNS, log_zigzag(insns));
    put_reserved(w, LOG_COLUMN_CYCLES, log_zigzag(cycles - insns));
    put_reserved(w, LOG_COLUMN_TIME, log_zigzag(ahead));
}

void log_write_has_task(struct log_writer *w, unsigned hart, uint32_t task)
{
    struct log_hart *h = &w->state.hart[hart];

    if (h->task == task)
        return;
    if (w->state.current != hart)
        change_hart(w, hart, log_state_others(&w->state, hart)); /* the next event knows more */
    put_code(w, LOG_CODE_TASK);
    put_detail(w, (uint32_t)(task + 1));
    h->task = task;
    log_writer_reserve(w); /* no event may follow */
}

uint32_t log_written_task_of(const struct log_writer *w, unsigned hart)
{
    return w->state.hart[hart].task;
}

void log_written_task(const struct log_writer *w, uint32_t task, const char **name, int32_t *pid)
{
    const struct log_task *t = &w->tasks.at[task];

    *name = t->name == LOG_NONE ? NULL : interned_text(&w->strings, t->name);
    *pid = t->pid;
}

/* The open calls of the stack with this number; NULL: the number is too high. */
static inline struct open_calls *stack_of(struct log_writer *w, uint32_t number)
{
    if (UNLIKELY(number - 1 >= w->stacks.len)) {
        if (!number || number > LOG_STACKS_MAX)
            return NULL;
        while (w->stacks.len < number)
            VEC_PUSH(&w->stacks, (struct open_calls){0});
    }
    return &w->stacks.at[number - 1];
}

static NOINLINE struct open_calls *select_other(struct log_writer *w, struct log_hart *h,
                                                uint32_t number, uint64_t base)
{
    struct open_calls *stack = stack_of(w, number);

    if (!stack)
        return NULL;
    put_code(w, LOG_CODE_STACK);
    put_detail(w, number);
    put_detail(w, base);
    stack->base = base;
    h->stack = number;
    return stack;
}

/* The stack, selected for the event; NULL: its number is too high. */
static inline struct open_calls *select_stack(struct log_writer *w, struct log_hart *h,
                                              uint32_t number, uint64_t base)
{
    if (LIKELY(h->stack == number && number <= w->stacks.len &&
               w->stacks.at[number - 1].base == base))
        return &w->stacks.at[number - 1];
    return select_other(w, h, number, base);
}

/* The stack pointer of `known' is relative to `sp'. */
static inline bool is_same(const struct log_call *known, const struct log_call *c, uint64_t sp)
{
    return known->pc == c->pc && known->back == c->back && known->sp + sp == c->sp &&
           known->site == c->site && known->kind == c->kind && known->state == c->state &&
           known->tail_of == c->tail_of;
}

static inline uint64_t hash_of(const struct log_call *c, uint64_t sp)
{
    uint64_t hash = c->pc * UINT64_C(0x9e3779b97f4a7c15) ^ c->back * UINT64_C(0xc2b2ae3d27d4eb4f);

    hash ^= ((c->sp - sp) << 8 ^ c->tail_of << 3 ^ c->kind ^ (uint64_t)c->state << 2) *
            UINT64_C(0x165667b19e3779f9);
    hash ^= hash >> 31;
    return hash - (hash == UINT64_MAX);
}

static uint32_t add_known(struct log_writer *w, const struct log_call *c, uint64_t sp)
{
    struct known *k;

    VEC_PUSH(&w->known, (struct known){.call = *c});
    k = &w->known.at[w->known.len - 1];
    k->call.sp = c->sp - sp;
    k->call.name = k->call.caller = k->call.tail_name = LOG_NONE;
    if (c->kind == LOG_FUNCTION)
        w->config.name(w->config.ctx, &k->call);
    return (uint32_t)w->known.len - 1;
}

/* The slot of a call in `recent'. */
static inline uint32_t *recent_slot(struct log_writer *w, const struct log_call *c, uint64_t sp)
{
    uint64_t mixed = (c->pc ^ c->back << 7 ^ (c->sp - sp) << 17 ^ c->tail_of << 3 ^ c->kind) *
                     UINT64_C(0x9e3779b97f4a7c15);

    return &w->recent[mixed >> (64 - RECENT_BITS)];
}

static NOINLINE struct known *look_up_known(struct log_writer *w, const struct log_call *c,
                                            uint64_t sp, uint32_t *recent)
{
    uint64_t hash = hash_of(c, sp), index;

    for (; map_get(&w->known_at, hash, &index); hash = hash + 1 == UINT64_MAX ? 0 : hash + 1)
        if (is_same(&w->known.at[index].call, c, sp)) {
            *recent = (uint32_t)index;
            return &w->known.at[index];
        }
    map_put(&w->known_at, hash, w->known.len);
    *recent = add_known(w, c, sp);
    return &w->known.at[*recent];
}

/* Finds the call in the table, or adds it. */
static inline struct known *find_known(struct log_writer *w, const struct log_call *c, uint64_t sp)
{
    uint32_t *recent = recent_slot(w, c, sp);

    if (LIKELY(*recent < w->known.len && is_same(&w->known.at[*recent].call, c, sp)))
        return &w->known.at[*recent];
    return look_up_known(w, c, sp, recent);
}

/* Writes the code of a call that is new in the frame. */
static uint64_t put_call(struct log_writer *w, const struct log_call *call, uint64_t sp)
{
    struct log_io io = {.out = &w->column[LOG_COLUMN_DETAILS]};
    struct log_call c = *call;

    log_call_io(&io, &c, sp);
    return LOG_CODE_CALL;
}

static NOINLINE uint64_t define_known(struct log_writer *w, struct known *k)
{
    k->frame = w->frame;
    k->number = w->known_in_frame++;
    return put_call(w, &k->call, 0);
}

/* Writes the call's code. *index: the call's index. */
static inline uint64_t put_known(struct log_writer *w, const struct log_call *c, uint64_t sp,
                                 uint32_t *index)
{
    struct known *k = find_known(w, c, sp);

    *index = (uint32_t)(k - w->known.at);
    return LIKELY(k->frame == w->frame) ? LOG_CODE_KNOWN + (uint64_t)k->number : define_known(w, k);
}

/* The same for a trap. *number: its index in the traps. */
static NOINLINE uint64_t put_trap(struct log_writer *w, const struct log_call *c, uint64_t sp,
                                  uint32_t *number)
{
    uint32_t index = (uint32_t)w->traps.len;

    if (w->unused_traps.len)
        index = w->unused_traps.at[--w->unused_traps.len];
    else
        VEC_PUSH(&w->traps, *c);
    w->traps.at[index] = *c;
    *number = index;
    return put_call(w, c, sp);
}

static inline void make_later(struct open_calls *stack, uint64_t cycle)
{
    stack->when = cycle > stack->when ? cycle : stack->when;
}

void log_write_values(struct log_writer *w, const struct log_values *v)
{
    w->values = v;
}

/* Writes the values of a call, or that there are none. */
static NOINLINE void put_values(struct log_writer *w, uint32_t site, bool result)
{
    struct log_io io = {.out = &w->column[LOG_COLUMN_VALUES]};
    struct log_values v = {0};

    if (w->values)
        v = *w->values;
    log_values_io(&io, w->last, site, result, &v);
    w->values = NULL;
}

void log_write_call(struct log_writer *w, unsigned hart, const struct clocks *now, uint32_t number,
                    const struct log_call *call)
{
    struct log_hart *h = select_hart(w, hart, now->others);
    uint64_t base = (call->sp - 1) >> LOG_STACK_SHIFT, sp;
    struct open_calls *stack = select_stack(w, h, number, base);
    struct open_call *o;
    uint32_t defined;
    uint64_t code;

    if (UNLIKELY(!stack || stack->open.len == LOG_DEPTH_MAX)) {
        w->values = NULL;
        log_writer_reserve(w);
        return;
    }
    sp = stack->open.len ? stack->open.at[stack->open.len - 1].sp : (base + 1) << LOG_STACK_SHIFT;
    VEC_RESERVE(&stack->open, 1);
    code = UNLIKELY(call->kind == LOG_TRAP_HANDLER) ? put_trap(w, call, sp, &defined)
                                                    : put_known(w, call, sp, &defined);
    make_later(stack, now->cycle);
    o = &stack->open.at[stack->open.len++];
    o->defined = defined;
    o->trap = call->kind == LOG_TRAP_HANDLER;
    o->sp = call->sp;
    o->hart = (uint8_t)hart;
    o->task = h->task;
    o->cycle = now->cycle;
    o->when = stack->when;
    o->step = clocks_step(now);
    if (UNLIKELY(w->last))
        put_values(w, call->site, false);
    put_event(w, h, hart, code, now);
    log_writer_end_event(w, now->cycle);
}

bool log_write_return(struct log_writer *w, unsigned hart, const struct clocks *now,
                      uint32_t number, enum log_call_end end)
{
    struct open_calls *stack = stack_of(w, number);
    struct open_call top;
    struct log_hart *h;

    if (UNLIKELY(!stack || !stack->open.len)) {
        w->values = NULL;
        return false;
    }
    h = select_hart(w, hart, now->others);
    (void)select_stack(w, h, number, stack->base);
    make_later(stack, now->cycle);
    top = stack->open.at[--stack->open.len];
    VEC_SHRINK(&stack->open);
    if (UNLIKELY(w->last))
        put_values(w, open_call_definition(w, &top)->site, true);
    put_event(w, h, hart, LOG_CODE_RETURN + (uint64_t)end, now);
    if (UNLIKELY(top.trap))
        VEC_PUSH(&w->unused_traps, top.defined);
    log_writer_end_event(w, now->cycle);
    return true;
}

bool log_write_is_innermost(const struct log_writer *w, uint32_t number, uint64_t pc, uint64_t sp)
{
    const struct open_calls *stack =
        number && number <= w->stacks.len ? &w->stacks.at[number - 1] : NULL;
    const struct open_call *top;

    if (!stack || !stack->open.len)
        return false;
    top = &stack->open.at[stack->open.len - 1];
    return top->sp == sp && open_call_definition(w, top)->pc == pc;
}

void log_write_event(struct log_writer *w, struct log_event *e)
{
    const struct clocks now = log_clocks(e);
    struct log_io io = {.out = &w->column[LOG_COLUMN_DETAILS]};

    put_event(w, select_hart(w, e->hart, now.others), e->hart, LOG_CODE_EVENT + (uint64_t)e->kind,
              &now);
    log_event_io(&io, e, &w->state);
    log_state_follow(&w->state, e);
    log_writer_end_event(w, e->cycle);
}
