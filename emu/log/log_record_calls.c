/*
 * log_record_calls.c - records tasks and calls. See log_record_priv.h.
 */
#include "log/log_record.h"

#include <stdio.h>
#include <string.h>

#include "base/selection.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/modules.h"
#include "load/symbols.h"
#include "log/log_record_priv.h"
#include "log/log_state.h"
#include "mem/bus.h"

_Static_assert((int)LOG_FUNCTION == (int)CALL_FUNCTION && (int)LOG_TRACER == (int)CALL_TRACER &&
                   (int)LOG_RETURN_HANDLER == (int)CALL_RETURN &&
                   (int)LOG_TRAP_HANDLER == (int)CALL_TRAP,
               "the log has the numbers of enum call_kind");
_Static_assert((int)LOG_STACK_BYTES == (int)TASK_STACK_BYTES,
               "the log divides addresses into stacks");
_Static_assert((uint32_t)LOG_NONE == (uint32_t)NO_SITE, "the log has the numbers of sites");

/* A task as it was last read. */
struct seen_task {
    uint64_t tp, stack;
    int32_t pid;
    char name[TASK_NAME_MAX + 1]; /* empty: not known */
};

/* How many times each hart reads a task again, because its stack is not known. */
enum { LOOKS_MAX = 10000 };

/* ---- tasks ---- */

/* Sets *known if the task's stack is known, too. */
static struct seen_task read_task(struct log_record *r, struct hart *h, uint64_t tp, bool *known)
{
    struct seen_task seen = {.tp = tp, .pid = -1};
    struct task task;

    if (r->config.tasks && tasks_read(r->config.tasks, h, tp, &task)) {
        seen.pid = task.pid;
        seen.stack = task.stack;
        snprintf(seen.name, sizeof seen.name, "%s", task.name);
    }
    *known = seen.stack != 0;
    return seen;
}

/* Runs on the reader's thread. */
static uint32_t define_task(struct log_record *r, const struct seen_task *seen)
{
    const struct log_task defined = {.tp = seen->tp,
                                     .pid = seen->pid,
                                     .name = seen->name[0] ? log_write_string(r->writer, seen->name)
                                                           : LOG_NONE,
                                     .stack = seen->stack};

    return log_write_task(r->writer, &defined);
}

/* The place of the task's name; NULL: it is not known, or the bytes are not in one page. */
static const uint8_t *find_name(const struct log_record *r, struct hart *h, uint64_t tp)
{
    struct ram *ram;
    uint64_t va, pa;

    if (!r->config.tasks || !tasks_name_address(r->config.tasks, tp, &va) ||
        !hart_translate(h, va, ACCESS_LOAD, &pa) || pa % PAGE_BYTES > PAGE_BYTES - TASK_NAME_MAX)
        return NULL;
    ram = bus_ram_at(cluster_bus(r->config.cluster), pa);
    return ram ? ram_host(ram, pa) : NULL;
}

struct hart_task {
    unsigned hart;
    struct seen_task task;
};

static void write_task(void *ctx, const void *hart_task, size_t size)
{
    const struct hart_task *h = hart_task;
    struct log_record *r = ctx;

    (void)size;
    log_write_has_task(r->writer, h->hart, define_task(r, &h->task));
}

/* Sends the hart's task, if it or its name has changed. False: not all of it is known. */
static bool look_at_task(void *ctx, struct hart *h)
{
    struct log_record *r = ctx;
    struct running *now = &r->running[hart_id(h)];
    uint64_t tp = hart_reg(h, REG_TP);
    struct hart_task seen;

    log_record_tell_loss(r);
    if (LIKELY(now->looked && now->known && now->tp == tp && now->name))
        return true;
    now->looked = true;
    now->tp = tp;
    now->name = find_name(r, h, tp);
    if (now->name)
        memcpy(now->was, now->name, sizeof now->was);
    seen = (struct hart_task){hart_id(h), read_task(r, h, tp, &now->known)};
    feed_put(r->feed, write_task, r, &seen, sizeof seen);
    /* The first task gets its stack while the kernel boots; in some kernels it is never found. */
    now->known |= ++now->looks > LOOKS_MAX;
    return now->known;
}

/*
 * Makes the next call read the task again: a name changes within a system call, which ends with a
 * trap return.
 */
void log_record_look_at_name(struct log_record *r, const struct hart *h)
{
    const struct running *now = &r->running[hart_id(h)];
    uint64_t tp = now->tp;

    if (!now->looked || !now->name || !memcmp(now->name, now->was, sizeof now->was))
        return;
    for (unsigned i = 0; i < LOG_HARTS_MAX; i++) /* other harts may have read this task */
        r->running[i].looked &= r->running[i].tp != tp;
    feed_interrupt(r->feed);
}

struct task_switch {
    struct log_event event;
    struct seen_task from, to;
};

static void write_switch(void *ctx, const void *task_switch, size_t size)
{
    const struct task_switch *s = task_switch;
    struct log_record *r = ctx;
    struct log_event e = s->event;

    (void)size;
    e.switched.from = define_task(r, &s->from);
    e.switched.to = define_task(r, &s->to);
    log_write_event(r->writer, &e);
}

void log_record_on_switch(void *ctx, unsigned which, struct hart *h)
{
    struct log_record *r = ctx;
    struct task_switch s = {.event = log_record_event_of(h, LOG_SWITCH)};
    bool known;

    (void)which;
    s.from = read_task(r, h, hart_reg(h, REG_A0), &known);
    s.to = read_task(r, h, hart_reg(h, REG_A1), &known);
    feed_put(r->feed, write_switch, r, &s, sizeof s);
}

/* ---- calls ---- */

struct met {
    uint64_t address, offset;
    char name[MODULE_NAME_MAX + MODULE_FUNCTION_MAX + 1]; /* empty: not known */
};

static void keep_name(void *ctx, const void *met, size_t size)
{
    const struct met *m = met;
    struct log_record *r = ctx;
    struct named named = {LOG_NONE, m->offset};
    uint64_t index;

    (void)size;
    if (m->name[0])
        named.string = log_write_string(r->writer, m->name);
    if (!map_get(&r->named_at, m->address, &index)) {
        index = r->named.len;
        map_put(&r->named_at, m->address, index);
        VEC_PUSH(&r->named, named);
    }
    r->named.at[index] = named;
}

/* Reads a name that the symbols do not have from the guest's memory, where it must be read now. */
static void meet(void *ctx, uint64_t address)
{
    struct log_record *r = ctx;
    struct met m = {.address = address};
    const char *name;
    uint64_t known;

    if (address == UINT64_MAX || symbols_at(r->config.symbols, address, NULL) ||
        map_get(&r->met, address, &known))
        return;
    map_put(&r->met, address, 0);
    name = symbols_name_at(r->config.symbols, address, &m.offset);
    snprintf(m.name, sizeof m.name, "%s", name ? name : "");
    feed_put(r->feed, keep_name, r, &m, sizeof m);
}

/* Names the function with an address, by all names that are known. */
static uint32_t name_at(const struct log_record *r, uint64_t address, uint64_t *offset)
{
    const char *name = symbols_at(r->config.symbols, address, offset);
    uint64_t index;

    if (name)
        return log_write_string(r->writer, name);
    if (address == UINT64_MAX || !map_get(&r->named_at, address, &index))
        return LOG_NONE;
    *offset = r->named.at[index].offset;
    return r->named.at[index].string;
}

/*
 * Names the caller by the address just before the return address: after the call of a function that
 * does not return, the next function may begin.
 */
void log_record_name_call(void *ctx, struct log_call *c)
{
    struct log_record *r = ctx;
    const struct symbol *symbol = NULL;
    uint64_t offset = 0;

    if (c->site != LOG_NONE && r->site_names.at[c->site] != LOG_NONE)
        c->name = r->site_names.at[c->site];
    else if (c->site == LOG_NONE && (symbol = symbols_function_at(r->config.symbols, c->pc)))
        c->name = log_write_string(r->writer, symbol->name);
    else
        c->name = name_at(r, c->pc, &offset);
    c->caller = name_at(r, c->back - 1, &offset);
    c->caller_offset = offset + 1;
    if (c->tail_of)
        c->tail_name = name_at(r, c->tail_of, &offset);
}

/* Whether a call of this moment is recorded: by its time and its task. */
static bool is_wanted(struct log_record *r, const struct call_moment *at)
{
    const struct selection *selected = r->config.selected;

    return !selected || (selection_has_time(selected, at->clocks.cycle, clocks_step(&at->clocks)) &&
                         (!selected->task ||
                          log_record_wants_task(r, log_written_task_of(r->writer, at->hart))));
}

static void on_enter(void *ctx, const struct call *c, const struct call_moment *at)
{
    struct log_record *r = ctx;

    if (!is_wanted(r, at))
        return;
    if (c->kind == CALL_FUNCTION && UNLIKELY(at->values != NULL))
        log_record_arguments(r, at->values);
    r->call.kind = (uint8_t)c->kind;
    r->call.state = (uint8_t)c->state;
    r->call.site = c->site;
    r->call.pc = c->pc;
    r->call.back = c->back;
    r->call.sp = c->sp;
    r->call.tail_of = c->tail_of;
    r->call.cause = c->cause;
    log_write_call(r->writer, at->hart, &at->clocks, at->stack, &r->call);
}

static void on_leave(void *ctx, const struct call *c, const struct call_moment *at,
                     enum call_end how)
{
    static const uint8_t ends[] = {
        [CALL_CAME_BACK] = LOG_RETURNED, [CALL_ABANDONED] = LOG_ABANDONED,
        [CALL_STRAYED] = LOG_STRAYED,    [CALL_UNBALANCED] = LOG_UNBALANCED,
        [CALL_LOST] = LOG_LOST,          [CALL_UNWOUND] = LOG_ABANDONED,
        [CALL_UNSENT] = LOG_ABANDONED,   [CALL_DROPPED] = LOG_DROPPED,
        [CALL_OPEN] = LOG_OPEN};
    struct log_record *r = ctx;

    if (r->config.selected && !log_write_is_innermost(r->writer, at->stack, c->pc, c->sp))
        return;
    if (how == CALL_CAME_BACK && c->kind == CALL_FUNCTION && UNLIKELY(at->values != NULL))
        log_record_results(r, c->site, at->values);
    /* There is no event for a call that began before the log. */
    (void)log_write_return(r->writer, at->hart, &at->clocks, at->stack,
                           (enum log_call_end)ends[how]);
}

struct calls_listener log_record_calls(struct log_record *r, bool on_only)
{
    return (struct calls_listener){.ctx = r,
                                   .on_only = on_only,
                                   .feed = r->feed,
                                   .look = look_at_task,
                                   .meet = meet,
                                   .registers = r->config.values ? log_record_registers : NULL,
                                   .enter = on_enter,
                                   .leave = on_leave};
}
