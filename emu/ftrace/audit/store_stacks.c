/*
 * store_stacks.c - see store_stacks.h.
 */
#include "ftrace/audit/store_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "load/symbols.h"
#include "mem/bus.h"

enum { WINDOW_BYTES = 2048 };

/* The part of the stack in which the return addresses are; 0 bytes: it is too large, or empty. */
struct window {
    uint64_t start;
    unsigned size;
};

/* A stack with which an instruction of a hart has made stores. */
struct known_stack {
    struct store_stack store;
    uint32_t hart;
    uint64_t pc, sp, ra, task;
    uint64_t first, last;         /* cycles of the hart: its first and last store */
    uint64_t slots[STACK_FRAMES]; /* call_stack_take */
    struct window window;         /* follows from the slots */
    uint64_t sum;                 /* of what is in the slots */
};

/* Stores with one stack, with no other store of their instruction between them. */
struct run {
    uint32_t stack; /* its number */
    uint32_t hart;
    uint64_t first, last; /* cycles of the hart */
};

enum { STACKS_MAX = 128, RUNS_MAX = 4096 };

/* The newest ones: rings, numbered from 0 on. */
struct store_stacks {
    struct known_stack stacks[STACKS_MAX];
    struct run runs[RUNS_MAX];
    uint32_t stack_count, run_count; /* ever added */
};

/*
 * In pages of code that are no text there may be data, with a store every few cycles. A stack is
 * found at most once in this time for them.
 */
enum { OTHER_CYCLES = 10 * 1000 };

enum { NONE = UINT32_MAX };

struct store_stacks *store_stacks_new(void)
{
    return xcalloc(1, sizeof(struct store_stacks));
}

void store_stacks_free(struct store_stacks *s)
{
    free(s);
}

static uint32_t kept(uint32_t count, uint32_t max)
{
    return count < max ? count : max;
}

static struct known_stack *stack_at(struct store_stacks *s, uint32_t number)
{
    return &s->stacks[number % STACKS_MAX];
}

/* ---- the patcher ---- */

static bool is_meant(const char *pattern, const char *name)
{
    size_t len = strlen(pattern) - 1;

    return pattern[len] == '*' ? !strncmp(pattern, name, len) : !strcmp(pattern, name);
}

static bool is_primitive(const char *name)
{
#define PRIMITIVE(pattern)       \
    if (is_meant(pattern, name)) \
        return true;
#define OUTERMOST(pattern)
#define RELEASE(pattern)
#include "ftrace/audit/primitives.def"
    return false;
}

/* Whether a function of that name ends changes on behalf of any caller. */
static bool is_release(const char *name)
{
#define PRIMITIVE(pattern)
#define OUTERMOST(pattern)
#define RELEASE(pattern)         \
    if (is_meant(pattern, name)) \
        return true;
#include "ftrace/audit/primitives.def"
    return false;
}

static bool is_outermost(const char *name)
{
#define PRIMITIVE(pattern)
#define RELEASE(pattern)
#define OUTERMOST(pattern)       \
    if (is_meant(pattern, name)) \
        return true;
#include "ftrace/audit/primitives.def"
    return false;
}

static const char *name_of(const struct audit *a, const struct call_stack *stack, unsigned i)
{
    const char *name = symbols_name_at(a->config.symbols, call_stack_code(stack, i), NULL);

    return name ? name : "";
}

/* Whether the frame called the one before it, and is no primitive's last resort. */
static bool has_caller(const struct audit *a, const struct call_stack *stack, unsigned i)
{
    return i + 1 < stack->count && !((stack->exact | stack->user) >> (i + 1) & 1) &&
           !is_outermost(name_of(a, stack, i + 1));
}

/* The frame of the patcher. `by_alias`: the store was not made where the text is run. */
static unsigned find_patcher(const struct audit *a, const struct call_stack *stack, bool by_alias)
{
    unsigned i = 0;

    while (has_caller(a, stack, i) && ((!i && by_alias) || is_primitive(name_of(a, stack, i))))
        i++;
    return i;
}

unsigned store_stacks_ender(const struct audit *a, const struct call_stack *stack)
{
    unsigned i = 0;

    while (has_caller(a, stack, i) &&
           (is_release(name_of(a, stack, i)) || is_primitive(name_of(a, stack, i))))
        i++;
    return i;
}

/* The address of the function with this code; the code's own if that is not known. */
static uint64_t function_of(const struct audit *a, uint64_t code)
{
    uint64_t offset;

    if (symbols_function_at(a->config.symbols, code) ||
        !symbols_name_at(a->config.symbols, code, &offset))
        return audit_function(a, code);
    return code - offset;
}

/* ---- stores ---- */

static struct window window_of(const struct known_stack *k)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (unsigned i = 0; i < k->store.stack.count; i++) {
        if (k->slots[i] && k->slots[i] < low)
            low = k->slots[i];
        if (k->slots[i] > high)
            high = k->slots[i];
    }
    if (!high || high - low > WINDOW_BYTES - sizeof(uint64_t))
        return (struct window){0};
    return (struct window){low, (unsigned)(high - low + sizeof(uint64_t))};
}

/* A number that changes with the return addresses in memory. */
static uint64_t sum_of_slots(const struct known_stack *k, struct hart *h)
{
    const struct window w = k->window;
    const uint8_t *near = w.size ? hart_peek_at(h, w.start, w.size) : NULL;
    uint64_t sum = 0;

    for (unsigned i = 0; i < k->store.stack.count; i++) {
        uint64_t value;

        if (!k->slots[i])
            continue;
        if (near)
            memcpy(&value, near + (k->slots[i] - w.start), sizeof value);
        else if (!hart_peek(h, k->slots[i], &value, sizeof value))
            continue;
        sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
}

/* Linux's mutex begins with its owner, and so does the guest kernel's; in its low bits are flags.
 */
uint64_t store_stacks_owner(const struct audit *a)
{
    enum { OWNER_FLAGS = 7 };
    uint64_t owner;

    return a->config.text_mutex && bus_read(cluster_bus(a->config.cluster), a->config.text_mutex,
                                            &owner, sizeof owner)
               ? owner & ~(uint64_t)OWNER_FLAGS
               : 0;
}

static uint64_t asker_of(const struct audit *a, struct hart *h)
{
    uint64_t owner = store_stacks_owner(a);

    return owner == call_stack_task(h) ? 0 : owner;
}

/* A store that a hart is executing: with its stack, and on behalf of whom. */
struct storing {
    const struct writer *who;
    struct hart *h;
    uint64_t text_va, asker;
};

static bool has_stack(const struct known_stack *k, const struct storing *s)
{
    return k->hart == s->who->hart && k->pc == s->who->pc && k->sp == hart_reg(s->h, REG_SP) &&
           k->ra == hart_reg(s->h, REG_RA) && k->task == call_stack_task(s->h) &&
           k->store.asker == s->asker && (!s->text_va || k->sum == sum_of_slots(k, s->h));
}

/*
 * Finds the number of the stack that the store has; NONE: it is not known yet. *newest is that of
 * the newest stack of this instruction.
 */
static uint32_t find_stack(struct store_stacks *s, const struct storing *now, uint32_t *newest)
{
    *newest = NONE;
    for (uint32_t back = 1; back <= kept(s->stack_count, STACKS_MAX); back++) {
        uint32_t number = s->stack_count - back;
        const struct known_stack *k = stack_at(s, number);

        if (has_stack(k, now))
            return number;
        if (*newest == NONE && k->hart == now->who->hart && k->pc == now->who->pc)
            *newest = number;
    }
    return NONE;
}

/* Distinguishes the addresses of programs by their names. */
static uint64_t program_number(const struct task *task)
{
    enum { USER_ADDRESS_BITS = 39 };
    uint64_t n = 0;

    for (const char *c = task->name; *c; c++)
        n = n * 31 + (unsigned char)*c;
    return n << USER_ADDRESS_BITS;
}

static uint32_t new_stack(const struct audit *a, struct store_stacks *s, const struct code_write *w,
                          const struct storing *now)
{
    struct hart *h = now->h;
    uint64_t text_va = now->text_va, address = text_va ? audit_store_address(a, h, w) : 0;
    struct known_stack *k = stack_at(s, s->stack_count);
    struct store_stack *store = &k->store;

    *k = (struct known_stack){.hart = w->who.hart,
                              .pc = w->who.pc,
                              .sp = hart_reg(h, REG_SP),
                              .ra = hart_reg(h, REG_RA),
                              .task = call_stack_task(h),
                              .first = w->who.cycle};
    store->asker = now->asker;
    call_stack_take(a, h, hart_pc(h), &store->stack, k->slots);
    k->window = window_of(k);
    k->sum = sum_of_slots(k, h);
    store->stack.patcher = (uint8_t)find_patcher(a, &store->stack, address && address != text_va);
    store->patcher = function_of(a, call_stack_code(&store->stack, store->stack.patcher));
    if (!a->config.tasks || !tasks_read(a->config.tasks, h, k->task, &store->task))
        store->task = (struct task){.pid = -1};
    if (store->stack.user & 1)
        store->patcher ^= program_number(&store->task);
    return s->stack_count++;
}

/* The newest run of stores by this instruction of the hart; NULL: none is near. */
static struct run *newest_run(struct store_stacks *s, const struct writer *who)
{
    enum { NEAR = 8 };

    for (uint32_t back = 1; back <= kept(s->run_count, NEAR); back++) {
        struct run *r = &s->runs[(s->run_count - back) % RUNS_MAX];

        if (r->hart == who->hart && stack_at(s, r->stack)->pc == who->pc)
            return r;
    }
    return NULL;
}

static void add_to_run(struct store_stacks *s, uint32_t stack, const struct writer *who)
{
    struct run *r = newest_run(s, who);

    if (!r || r->stack != stack) {
        r = &s->runs[s->run_count++ % RUNS_MAX];
        *r = (struct run){.stack = stack, .hart = who->hart, .first = who->cycle};
    }
    r->last = who->cycle;
    stack_at(s, stack)->last = who->cycle;
}

void store_stacks_add(const struct audit *a, struct store_stacks *s, const struct code_write *w,
                      uint64_t text_va)
{
    const struct writer *who = &w->who;
    struct hart *h = cluster_hart(a->config.cluster, who->hart);
    const struct storing now = {
        .who = who, .h = h, .text_va = text_va, .asker = text_va ? asker_of(a, h) : 0};
    uint32_t newest, stack = find_stack(s, &now, &newest);

    if (stack == NONE && !text_va && newest != NONE &&
        who->cycle - stack_at(s, newest)->last < OTHER_CYCLES)
        return;
    if (stack == NONE)
        stack = new_stack(a, s, w, &now);
    add_to_run(s, stack, who);
}

static bool is_between(const struct writer *who, uint64_t first, uint64_t last)
{
    return who->cycle >= first && who->cycle <= last;
}

static bool is_stack_kept(const struct store_stacks *s, uint32_t number)
{
    return s->stack_count - number <= STACKS_MAX;
}

const struct store_stack *store_stacks_of(const struct store_stacks *s, const struct writer *who)
{
    if (who->kind != WRITER_HART)
        return NULL;
    for (uint32_t back = 1; back <= kept(s->run_count, RUNS_MAX); back++) {
        const struct run *r = &s->runs[(s->run_count - back) % RUNS_MAX];
        const struct known_stack *k = &s->stacks[r->stack % STACKS_MAX];

        if (r->hart == who->hart && is_between(who, r->first, r->last) && k->pc == who->pc &&
            is_stack_kept(s, r->stack))
            return &k->store;
    }
    /* Its run was dropped: a stack that the instruction had before and after. */
    for (uint32_t back = 1; back <= kept(s->stack_count, STACKS_MAX); back++) {
        const struct known_stack *k = &s->stacks[(s->stack_count - back) % STACKS_MAX];

        if (k->hart == who->hart && k->pc == who->pc && is_between(who, k->first, k->last))
            return &k->store;
    }
    return NULL;
}

/* ---- state ---- */

static void stack_io(struct state_io *io, struct known_stack *k)
{
    call_stack_state_io(io, &k->store.stack);
    state_io_bytes(io, k->store.task.name, sizeof k->store.task.name);
    if (io->loading)
        k->store.task.name[TASK_NAME_MAX - 1] = '\0';
    STATE_IO(io, k->store.task.pid);
    STATE_IO(io, k->store.patcher);
    STATE_IO(io, k->store.asker);
    STATE_IO(io, k->hart);
    STATE_IO(io, k->pc);
    STATE_IO(io, k->sp);
    STATE_IO(io, k->ra);
    STATE_IO(io, k->task);
    STATE_IO(io, k->first);
    STATE_IO(io, k->last);
    STATE_IO(io, k->sum);
    for (unsigned i = 0; i < STACK_FRAMES; i++)
        STATE_IO(io, k->slots[i]);
    if (io->loading)
        k->window = window_of(k);
}

static void run_io(struct state_io *io, struct run *r)
{
    STATE_IO(io, r->stack);
    STATE_IO(io, r->hart);
    STATE_IO(io, r->first);
    STATE_IO(io, r->last);
}

void store_stacks_state_io(struct state_io *io, struct store_stacks *s)
{
    STATE_IO(io, s->stack_count);
    for (uint32_t i = 0; i < kept(s->stack_count, STACKS_MAX); i++)
        stack_io(io, &s->stacks[i]);
    STATE_IO(io, s->run_count);
    for (uint32_t i = 0; i < kept(s->run_count, RUNS_MAX); i++)
        run_io(io, &s->runs[i]);
}
