/*
 * points.c - the breakpoints and watchpoints of gdb.
 *
 * They are points of the target layer, and not in the guest's memory. To step over a breakpoint,
 * gdb takes it back, steps one hart, and sets it again. Meanwhile other harts may run, as the
 * schedule has it, and must not miss the breakpoint; so one that gdb has taken back is kept until
 * the machine runs for another reason. The hart that steps passes it in any case.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "gdb/server_priv.h"

static const struct {
    char type;
    enum target_point_kind kind;
} kinds[] = {
    {'0', TARGET_BREAK},      {'1', TARGET_BREAK},        {'2', TARGET_WATCH_WRITE},
    {'3', TARGET_WATCH_READ}, {'4', TARGET_WATCH_ACCESS},
};

/* Reads "TYPE,ADDRESS,KIND"; conditions and commands may follow, but this server offers none. */
static bool take_point(const char *at, struct gdb_point *p, enum target_point_kind *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (take_char(&at, kinds[i].type)) {
            p->type = kinds[i].type;
            *kind = kinds[i].kind;
            return take_char(&at, ',') && take_number(&at, &p->address) && take_char(&at, ',') &&
                   take_number(&at, &p->kind) && (!*at || *at == ';');
        }
    return false;
}

static bool is_same(const struct gdb_point *a, const struct gdb_point *b)
{
    return a->type == b->type && a->address == b->address && a->kind == b->kind;
}

static struct gdb_point *find(struct gdb_server *g, const struct gdb_point *p)
{
    for (size_t i = 0; i < g->points.len; i++)
        if (is_same(&g->points.at[i], p))
            return &g->points.at[i];
    return NULL;
}

/* ---- breakpoints where nothing is mapped ---- */

struct fault_catch {
    struct gdb_server *server;
    uint64_t address;
};

struct late_condition {
    const struct gdb_server *server;
    uint64_t address;
};

/*
 * Whether the hart comes to the place by the breakpoint's address: the memory may belong to another
 * program now.
 */
static bool is_at_address(void *ctx, unsigned hart)
{
    const struct late_condition *c = ctx;

    return target_hart(c->server->target, hart).pc == c->address;
}

static bool has_place(const struct gdb_point *p, uint64_t pa)
{
    for (unsigned i = 0; i < p->places; i++)
        if (p->pas[i] == pa)
            return true;
    return false;
}

static void drop_place(struct gdb_server *g, struct gdb_point *p, unsigned i)
{
    (void)!target_delete_point(g->target, p->numbers[i]);
    p->places--;
    for (; i < p->places; i++) {
        p->numbers[i] = p->numbers[i + 1];
        p->pas[i] = p->pas[i + 1];
    }
}

static void add_place(struct gdb_server *g, struct gdb_point *p, uint64_t pa)
{
    struct late_condition *c = xcalloc(1, sizeof *c);
    const struct target_point point = {.kind = TARGET_BREAK,
                                       .space = TARGET_BY_PHYSICAL,
                                       .address = pa,
                                       .hart = TARGET_ANY_HART,
                                       .condition = {is_at_address, free, c}};
    unsigned number;

    *c = (struct late_condition){g, p->address};
    if (p->places == POINT_PLACES_MAX)
        drop_place(g, p, 0);
    if (target_add_point(g->target, 0, &point, &number)) {
        free(c);
        return;
    }
    p->numbers[p->places] = number;
    p->pas[p->places++] = pa;
}

static void find_places(struct gdb_server *g, struct gdb_point *p)
{
    uint64_t pa;

    for (unsigned hart = 0; hart < target_hart_count(g->target); hart++)
        if (!target_locate(g->target, hart, TARGET_BY_HART, p->address, &pa) && !has_place(p, pa))
            add_place(g, p, pa);
}

static void follow(void *ctx)
{
    struct gdb_server *g = ctx;

    for (size_t i = 0; i < g->points.len; i++)
        if (g->points.at[i].late)
            find_places(g, &g->points.at[i]);
}

/* ---- breakpoints where nothing can be executed ---- */

/*
 * Whether the event is the fault at the breakpoint of a call by gdb. gdb calls a function of the
 * guest with a return address on the stack, and a breakpoint there. The hart cannot fetch from the
 * stack, so the fault is caught, and the run goes back to before it.
 */
static bool is_fault_at_address(void *ctx, const struct event *e)
{
    const struct fault_catch *c = ctx;

    if (e->trap.interrupt || e->trap.epc != c->address || e->trap.tval != c->address)
        return false;
    c->server->fault_insns = target_insns(c->server->target);
    return true;
}

/*
 * Adds the point that catches the fault, as the last of the places; without it the fault is the
 * guest's.
 */
static void catch_fault(struct gdb_server *g, struct gdb_point *p)
{
    struct fault_catch *c = xcalloc(1, sizeof *c);
    const struct target_point point = {.kind = TARGET_CATCH,
                                       .hart = TARGET_ANY_HART,
                                       .catch = {.kinds = EVENT_BIT(EVENT_TRAP),
                                                 .wants = is_fault_at_address,
                                                 .release = free,
                                                 .ctx = c}};

    *c = (struct fault_catch){g, p->address};
    if (target_add_point(g->target, g->selected, &point, &p->numbers[p->places]))
        free(c);
    else
        p->places++;
}

void points_settle(struct gdb_server *g, struct target_stop *s)
{
    const struct gdb_point *p = point_of(g, s->point);
    unsigned hart = s->hart;

    if (s->reason != TARGET_STOP_CATCH || !p)
        return;
    *s = target_goto(g->target, g->fault_insns);
    if (s->reason == TARGET_STOP_DONE && target_hart(g->target, hart).pc == p->address) {
        s->reason = TARGET_STOP_BREAKPOINT;
        s->point = p->numbers[0];
    }
    s->hart = hart;
    s->of_hart = true;
}

/* Whether the address is in the lower half, where each program has memory of its own. */
static bool is_of_program(const struct gdb_server *g, uint64_t address)
{
    return !(address >> 63) && !(address & 1) && space_of_memory(g) == TARGET_BY_HART;
}

/*
 * Adds the point. gdb compares the old and the new value of a write itself, so writes that change
 * nothing need not stop the machine.
 */
static enum target_error add(struct gdb_server *g, struct gdb_point *p, enum target_point_kind kind)
{
    const struct target_point point = {.kind = kind,
                                       .space = g->physical ? TARGET_BY_PHYSICAL : TARGET_BY_ANY,
                                       .address = p->address,
                                       .size = kind == TARGET_BREAK ? 0 : p->kind,
                                       .hart = TARGET_ANY_HART,
                                       .on_change = kind == TARGET_WATCH_WRITE};
    enum target_error error = TARGET_NOT_MAPPED;

    if (kind != TARGET_BREAK || !is_of_program(g, p->address))
        error = target_add_point(g->target, g->selected, &point, &p->numbers[0]);
    p->places = !error;
    p->late = error == TARGET_NOT_MAPPED && kind == TARGET_BREAK && !g->physical;
    if (!error && kind == TARGET_BREAK && target_keeps_history(g->target) &&
        space_of_memory(g) == TARGET_BY_HART &&
        !target_can_fetch(g->target, g->selected, p->address))
        catch_fault(g, p);
    if (!p->late)
        return error;
    find_places(g, p);
    target_follow(g->target, follow, g);
    return TARGET_OK;
}

void packet_insert_point(struct gdb_server *g, const char *args)
{
    struct gdb_point p = {0}, *known;
    enum target_point_kind kind;

    if (!take_point(args, &p, &kind)) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    known = find(g, &p);
    if (known) {
        known->withdrawn = false;
    } else if (add(g, &p, kind)) {
        reply_error(g, ERROR_INVALID);
        return;
    } else {
        VEC_PUSH(&g->points, p);
    }
    reply_ok(g);
}

void packet_remove_point(struct gdb_server *g, const char *args)
{
    struct gdb_point p = {0}, *known;
    enum target_point_kind kind;

    if (!take_point(args, &p, &kind)) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    known = find(g, &p);
    if (known)
        known->withdrawn = true;
    reply_ok(g);
}

static bool is_break(const struct gdb_point *p)
{
    return p->type == '0' || p->type == '1';
}

static bool is_dropped(const struct gdb_point *p, enum drop which)
{
    return which == DROP_ALL || (p->withdrawn && (which == DROP_WITHDRAWN || !is_break(p)));
}

void points_drop(struct gdb_server *g, enum drop which)
{
    size_t kept = 0;

    for (size_t i = 0; i < g->points.len; i++)
        if (is_dropped(&g->points.at[i], which))
            while (g->points.at[i].places)
                drop_place(g, &g->points.at[i], 0);
        else
            g->points.at[kept++] = g->points.at[i];
    g->points.len = kept;
    if (!kept)
        target_follow(g->target, NULL, NULL);
}

const struct gdb_point *point_of(const struct gdb_server *g, unsigned number)
{
    for (size_t i = 0; i < g->points.len; i++)
        for (unsigned k = 0; k < g->points.at[i].places; k++)
            if (g->points.at[i].numbers[k] == number)
                return &g->points.at[i];
    return NULL;
}

bool has_point_at_pc(const struct gdb_server *g, unsigned hart)
{
    uint64_t pc = target_hart(g->target, hart).pc;

    for (size_t i = 0; i < g->points.len; i++)
        if (is_break(&g->points.at[i]) && !g->points.at[i].withdrawn &&
            g->points.at[i].address == pc)
            return true;
    return false;
}
