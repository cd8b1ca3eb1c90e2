/*
 * tour.c - the command `tour': walks through the patching of one function's site while the guest
 * switches the tracers `function' and `function_graph' on, with an explanation at each stop.
 *
 * The guest really runs, and the tour only observes: its stops are events and breakpoints of its
 * own, and change nothing in what the guest does.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/installed.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/code.h"
#include "debug/commands/commands.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/commands/tour_store.h"
#include "debug/commands/tour_text.h"
#include "debug/commands/trace.h"
#include "debug/frames/place.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

/* The event that the tour waits for. */
enum stage {
    STAGE_NONE,   /* there is no tour */
    STAGE_START,  /* the site as the compiler left it */
    STAGE_BOOT,   /* the kernel switches it off */
    STAGE_ON,     /* `function' switches it on */
    STAGE_FENCE,  /* the harts execute fence.i */
    STAGE_CALL,   /* the function calls the trampoline */
    STAGE_GRAPH,  /* `function_graph' is switched on */
    STAGE_HOOK,   /* the return address is replaced */
    STAGE_RETURN, /* the function returns to return_to_handler */
    STAGE_BACK,   /* return_to_handler jumps to the true caller */
};

struct tour {
    enum stage stage;
    uint32_t site;
    unsigned stop;         /* number of the last stop */
    bool trampoline_shown; /* the trampoline's call has its new target */
    bool fence_shown;
    unsigned fenced_hart;
    uint64_t slot, caller; /* where the return address is in memory; the true return address */
};

static const struct site *its_site(const struct debugger *d)
{
    return site_get(sites_of(d), d->tour->site);
}

static enum site_layout layout_of(const struct debugger *d)
{
    return site_layout(sites_of(d));
}

static bool has_site_of(const struct debugger *d, enum site_kind kind)
{
    for (uint32_t id = 0; id < site_count(sites_of(d)); id++)
        if (site_get(sites_of(d), id)->kind == kind)
            return true;
    return false;
}

/* ---- printing ---- */

static void say_title(struct debugger *d, const char *format, const char *name)
{
    fprintf(d->out, "---- %u: ", ++d->tour->stop);
    fprintf(d->out, format, name);
    fprintf(d->out, "\n");
}

static void say(struct debugger *d, enum tour_text which)
{
    const char *text = tour_text(which, layout_of(d));
    size_t len = strcspn(text, "\n");

    fprintf(d->out, "    | %.*s\n    | %s\n", (int)len, text, text + len + (text[len] == '\n'));
}

/* ---- conditions of the stages ---- */

static enum site_state state_now(const struct debugger *d, const struct site *s)
{
    uint8_t bytes[SITE_BYTES_MAX];
    uint64_t target;

    if (!selected_read(d, s->va, bytes, s->size))
        return SITE_OTHER;
    return site_state(sites_of(d), s, bytes, &target);
}

static bool wants_site(const struct debugger *d, uint32_t id)
{
    const struct tour *t = d->tour;
    const struct site *s = site_get(sites_of(d), id);

    switch (t->stage) {
    case STAGE_BOOT: return id == t->site;
    case STAGE_ON: return id == t->site || (s->kind == SITE_TRACE_CALL && !t->trampoline_shown);
    case STAGE_GRAPH:
        if (has_site_of(d, SITE_GRAPH_CALL))
            return s->kind == SITE_GRAPH_CALL;
        return id == t->site && state_now(d, s) == SITE_ON;
    default: return false;
    }
}

static bool wants_event(void *ctx, const struct event *e)
{
    const struct debugger *d = ctx;
    const struct tour *t = d->tour;
    const struct code_write *w = &e->code_write;
    uint32_t id;

    if (e->kind == EVENT_FENCE_I)
        return t->stage == STAGE_FENCE &&
               (!t->fence_shown || hart_id(e->fence.hart) != t->fenced_hart);
    id = site_find(sites_of(d), w->pa, w->size);
    if (id != NO_SITE)
        return wants_site(d, id);
    return (t->stage == STAGE_ON || t->stage == STAGE_GRAPH) &&
           site_find_literal(sites_of(d), w->pa, w->size) == t->site;
}

/* Whether the hart comes from the site: one of the link registers has the address after it. */
static bool comes_from_site(void *ctx, unsigned hart)
{
    const struct debugger *d = ctx;
    const struct site *s = its_site(d);
    static const unsigned links[] = {REG_RA, REG_T0};

    for (unsigned i = 0; i < ARRAY_LEN(links); i++) {
        uint64_t back;

        if (!target_get_register(d->target, hart, links[i], &back) && back > s->va &&
            back <= s->va + s->size)
            return true;
    }
    return false;
}

/* Whether prepare_ftrace_return(parent, self, ...) is called for the function. */
static bool is_hook_of_site(void *ctx, unsigned hart)
{
    const struct debugger *d = ctx;
    uint64_t self, start, end;

    return !target_get_register(d->target, hart, REG_A1, &self) &&
           place_function(&d->guest, its_site(d)->va, &start, &end) && self >= start && self < end;
}

/*
 * Whether ftrace_graph_func(ip, parent_ip, ops, fregs) is called for the function: Linux from 6.8
 * on.
 */
static bool is_graph_func_of_site(void *ctx, unsigned hart)
{
    const struct debugger *d = ctx;
    uint64_t ip, start, end;

    return !target_get_register(d->target, hart, REG_A0, &ip) &&
           place_function(&d->guest, its_site(d)->va, &start, &end) && ip >= start && ip < end;
}

/*
 * Finds where the return address is replaced: in one of two functions, which may also be inlined.
 */
static size_t hook_goals(struct debugger *d, struct target_goal g[2])
{
    const struct symbols *symbols = d->config.symbols;
    struct target_goal *next = g;

    g[1] = g[0];
    next->accepts = is_hook_of_site;
    next += symbols_find(symbols, "prepare_ftrace_return", &next->address);
    next->accepts = is_graph_func_of_site;
    next += symbols_find(symbols, "ftrace_graph_func", &next->address);
    return (size_t)(next - g);
}

/*
 * Finds the addresses at which the stage ends. Returns their number; 0: the stage ends by an event
 * only.
 */
static size_t stage_goals(struct debugger *d, struct target_goal g[2])
{
    uint8_t bytes[SITE_BYTES_MAX];
    const struct site *s = its_site(d);
    const struct symbols *symbols = d->config.symbols;

    g[0] = (struct target_goal){.space = TARGET_BY_ANY, .hart = TARGET_ANY_HART, .ctx = d};
    switch (d->tour->stage) {
    case STAGE_FENCE: /* if the function runs before all harts have fenced, the tour goes on */
    case STAGE_CALL:
        g[0].accepts = comes_from_site;
        return selected_read(d, s->va, bytes, s->size) &&
               site_state(sites_of(d), s, bytes, &g[0].address) == SITE_ON;
    case STAGE_HOOK: return hook_goals(d, g);
    case STAGE_RETURN: return symbols_find(symbols, "return_to_handler", &g[0].address);
    case STAGE_BACK: g[0].address = d->tour->caller; return 1;
    default: return 0;
    }
}

/* ---- the stops ---- */

static void show_compiled(struct debugger *d)
{
    uint8_t bytes[SITE_BYTES_MAX];
    const struct site *s = its_site(d);

    say_title(d, "the site of %s, as it was compiled", s->function);
    fprintf(d->out, "    ");
    print_place(d, s->va);
    fprintf(d->out, ", layout %s\n", site_traits(sites_of(d))->name);
    if (selected_read(d, s->va, bytes, s->size))
        tour_print_insns(d, s->va, bytes, s->size);
    say(d, TEXT_COMPILED);
}

static void show_store(struct debugger *d, const struct code_write *w)
{
    struct tour *t = d->tour;
    uint32_t id = site_find(sites_of(d), w->pa, w->size);
    const struct site *s;

    if (id == NO_SITE) {
        say_title(d, "the ftrace_ops of %s", its_site(d)->function);
        tour_print_ops_store(d, w);
        say(d, TEXT_OPS);
        return;
    }
    s = site_get(sites_of(d), id);
    say_title(d, "a store to the site of %s", s->function);
    tour_print_store(d, w, s);
    if (s->kind != SITE_FUNCTION && !tour_calls_function(d, s)) {
        say(d, TEXT_HALF);
    } else if (s->kind == SITE_GRAPH_CALL) {
        say(d, TEXT_GRAPH_CALL);
    } else if (s->kind != SITE_FUNCTION) {
        say(d, TEXT_TRAMPOLINE);
    } else if (t->stage == STAGE_BOOT) {
        say(d, state_now(d, s) == SITE_OFF ? TEXT_OFF : TEXT_BOOT_HALF);
    } else if (t->stage == STAGE_GRAPH) {
        say(d, TEXT_GRAPH);
    } else {
        say(d, tour_calls_function(d, s) ? TEXT_ON : TEXT_HALF);
    }
}

static void show_fence(struct debugger *d, const struct fence_event *f)
{
    char command[NAME_MAX_LEN];

    say_title(d, "fence.i%s", "");
    fprintf(d->out, "    hart %u%s\n", hart_id(f->hart),
            f->origin == FENCE_REMOTE ? ", as the firmware was asked to let it" : "");
    snprintf(command, sizeof command, "0x%" PRIx64, its_site(d)->va);
    do_site(d, command);
    say(d, d->tour->fence_shown ? TEXT_FENCED : TEXT_FENCE);
}

static void show_call(struct debugger *d)
{
    say_title(d, "%s calls the trampoline", its_site(d)->function);
    (void)print_code(d, selected_pc(d), CODE_HERE);
    say(d, TEXT_CALL);
}

static void print_slot(struct debugger *d, const char *what, uint64_t value)
{
    fprintf(d->out, "    %s: ", what);
    print_place(d, value);
    fprintf(d->out, "\n");
}

static bool is_at(const struct debugger *d, const char *name)
{
    uint64_t address;

    return symbols_find(d->config.symbols, name, &address) &&
           place_canonical(&d->guest, selected_pc(d)) == address;
}

/*
 * Returns where the return address is in memory: ftrace_graph_func is given it in fregs, whose
 * members are unknown.
 */
static uint64_t hook_slot(const struct debugger *d)
{
    enum { REGISTERS_MAX = 32 };
    uint64_t parent = selected_register(d, REG_A1), fregs = selected_register(d, REG_A0 + 3), word;

    if (!is_at(d, "ftrace_graph_func"))
        return selected_register(d, REG_A0);
    for (unsigned i = 0; i < REGISTERS_MAX; i++)
        if (selected_read(d, fregs + i * 8, &word, sizeof word) && word == parent)
            return fregs + i * 8;
    return 0;
}

/* Runs to the end of the function that replaces the return address. */
static void show_hook(struct debugger *d)
{
    struct tour *t = d->tour;
    uint64_t now = 0;
    struct target_goal g = {.space = TARGET_BY_ANY,
                            .address = selected_register(d, REG_RA),
                            .hart = TARGET_ANY_HART,
                            .on_stack = true,
                            .sp = selected_register(d, REG_SP)};
    struct target_stop s;

    bool in_registers = is_at(d, "ftrace_graph_func");

    t->slot = hook_slot(d);
    (void)!selected_read(d, t->slot, &t->caller, sizeof t->caller);
    s = target_run(d->target, d->selected, &g);
    d->selected = s.hart;
    (void)!selected_read(d, t->slot, &now, sizeof now);
    say_title(d, "the return address of %s", its_site(d)->function);
    print_slot(d, "old", t->caller);
    print_slot(d, "new", now);
    say(d, in_registers ? TEXT_HOOK_REGISTERS : TEXT_HOOK);
}

static void show_return(struct debugger *d)
{
    say_title(d, "%s returns", its_site(d)->function);
    (void)print_code(d, selected_pc(d), CODE_HERE);
    say(d, TEXT_RETURN);
}

static void show_back(struct debugger *d)
{
    say_title(d, "back in the caller%s", "");
    (void)print_code(d, selected_pc(d), CODE_HERE);
    say(d, TEXT_BACK);
}

/* Whether the store has switched function_graph on. */
static bool graph_is_on(const struct debugger *d, const struct code_write *w)
{
    uint32_t id = site_find(sites_of(d), w->pa, w->size);

    return id != NO_SITE && (site_get(sites_of(d), id)->kind == SITE_FUNCTION ||
                             tour_calls_function(d, site_get(sites_of(d), id)));
}

/* Prints the stop, and the event that the tour waits for next. */
static void show(struct debugger *d, const struct target_stop *s)
{
    struct tour *t = d->tour;
    bool is_store = s->reason == TARGET_STOP_CATCH && s->event->kind == EVENT_CODE_WRITE;

    if (t->stage == STAGE_FENCE && !is_store && s->reason != TARGET_STOP_CATCH)
        t->stage = STAGE_CALL;
    switch (t->stage) {
    case STAGE_NONE: break;
    case STAGE_START:
        show_compiled(d);
        t->stage = state_now(d, its_site(d)) == SITE_INIT ? STAGE_BOOT : STAGE_ON;
        break;
    case STAGE_BOOT:
        show_store(d, &s->event->code_write);
        if (state_now(d, its_site(d)) == SITE_OFF)
            t->stage = STAGE_ON;
        break;
    case STAGE_ON:
        show_store(d, &s->event->code_write);
        t->trampoline_shown = state_now(d, its_site(d)) != SITE_OFF;
        if (tour_calls_function(d, its_site(d)))
            t->stage = STAGE_FENCE;
        break;
    case STAGE_FENCE:
        show_fence(d, &s->event->fence);
        if (t->fence_shown || target_hart_count(d->target) == 1)
            t->stage = STAGE_CALL;
        t->fence_shown = true;
        t->fenced_hart = hart_id(s->event->fence.hart);
        break;
    case STAGE_CALL:
        show_call(d);
        t->stage = STAGE_GRAPH;
        break;
    case STAGE_GRAPH:
        show_store(d, &s->event->code_write);
        if (graph_is_on(d, &s->event->code_write))
            t->stage = STAGE_HOOK;
        break;
    case STAGE_HOOK:
        show_hook(d);
        t->stage = STAGE_RETURN;
        break;
    case STAGE_RETURN:
        show_return(d);
        t->stage = STAGE_BACK;
        break;
    case STAGE_BACK:
        show_back(d);
        t->stage = STAGE_NONE;
        break;
    }
}

/* ---- running ---- */

/* Returns the kinds of event that the stage waits for, as bits. */
static uint32_t stage_events(enum stage stage)
{
    switch (stage) {
    case STAGE_BOOT:
    case STAGE_ON:
    case STAGE_GRAPH: return EVENT_BIT(EVENT_CODE_WRITE);
    case STAGE_FENCE: return EVENT_BIT(EVENT_FENCE_I);
    default: return 0;
    }
}

static void say_off_course(struct debugger *d)
{
    char document[DOCUMENT_NAME];

    if (!target_ended(d->target)) {
        fprintf(d->out, "the tour was interrupted; `tour' goes on with it\n");
        return;
    }
    fprintf(d->out,
            "the guest has ended before the tour has: it shall switch `function' and then "
            "`function_graph'\non, and call %s in both (%s)\n",
            its_site(d)->function, installed_document("tour.md", document));
    d->tour->stage = STAGE_NONE;
}

static void go_on(struct debugger *d)
{
    const struct target_point p = {
        .kind = TARGET_CATCH,
        .hart = TARGET_ANY_HART,
        .catch = {.kinds = stage_events(d->tour->stage), .wants = wants_event, .ctx = d}};
    struct target_goal g[2];
    size_t goals = stage_goals(d, g);
    unsigned number = 0;
    struct target_stop s;

    if (!resume(d, GIVE_INPUT))
        return;
    (void)!target_add_point(d->target, d->selected, &p, &number);
    s = target_run_to(d->target, d->selected, g, goals);
    (void)!target_delete_point(d->target, number);
    if (s.reason != TARGET_STOP_DONE && (s.reason != TARGET_STOP_CATCH || s.point != number)) {
        if (report_stop(d, s, "tour"))
            say_off_course(d);
        return;
    }
    d->last = s;
    d->selected = s.hart;
    stack_reset(d);
    show(d, &s);
    if (d->config.stopped)
        d->config.stopped(d->config.ctx);
}

/* ---- the command ---- */

static uint32_t find_site(const struct debugger *d, const char *function)
{
    for (uint32_t id = 0; id < site_count(sites_of(d)); id++) {
        const struct site *s = site_get(sites_of(d), id);

        if (s->kind == SITE_FUNCTION && !s->gone && !strcmp(s->function, function))
            return id;
    }
    return NO_SITE;
}

/* Returns the site of a function of the guest kernel's workload, or of one that every Linux has. */
static uint32_t usual_site(const struct debugger *d)
{
    static const char *const names[] = {"fib", "schedule"};
    uint32_t found = NO_SITE;

    for (unsigned i = 0; i < ARRAY_LEN(names) && found == NO_SITE; i++)
        found = find_site(d, names[i]);
    return found;
}

static bool has_patched_sites(const struct debugger *d)
{
    return sites_are_patched(watch_sites(d->config.ftrace));
}

static void begin_tour(struct debugger *d, const char *args)
{
    char name[NAME_MAX_LEN];
    bool named = arg_word(&args, name, sizeof name);
    uint32_t site;

    if (!arg_end(d, args))
        return;
    site = named ? find_site(d, name) : usual_site(d);
    if (site == NO_SITE && !named && !has_patched_sites(d)) {
        complain(d, "this kernel patches no sites of functions: its layout is %s",
                 site_traits(watch_sites(d->config.ftrace))->name);
        return;
    }
    if (site == NO_SITE) {
        complain(d, "there is no site of %s", named ? name : "fib or schedule: name a function");
        return;
    }
    if (state_now(d, site_get(sites_of(d), site)) != SITE_INIT) {
        complain(d,
                 "the site of %s is not any more as it was compiled; begin the tour before the "
                 "kernel changes it (`goto 0')",
                 site_get(sites_of(d), site)->function);
        return;
    }
    free(d->tour);
    d->tour = xcalloc(1, sizeof *d->tour);
    d->tour->site = site;
    d->tour->stage = STAGE_START;
    show(d, &d->last);
    fprintf(d->out, "    (`tour' or, at a terminal, an empty line goes on; `tour stop' ends it)\n");
}

void do_tour(struct debugger *d, const char *args)
{
    bool active = d->tour && d->tour->stage != STAGE_NONE;

    if (arg_keyword(&args, "patching") && !(active && d->repeated))
        begin_tour(d, args);
    else if (active && arg_keyword(&args, "stop"))
        d->tour->stage = STAGE_NONE;
    else if (active)
        go_on(d);
    else
        complain(d, "`tour patching [FUNCTION]' begins a tour");
}
