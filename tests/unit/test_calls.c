/*
 * test_calls.c - the machine's own record of calls and returns. All tests are made twice: with a
 * listener that hears of each call at once, and with one that reads a feed (cpu/feed.h).
 */
#include "isa/world.h"

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/isa/isa.h"
#include "ftrace/calls/calls.h"
#include "ftrace/calls/return_handlers.h"
#include "ftrace/events/events.h"
#include "machine/site_image.h"

/* Two functions with a site at their entry. Each test writes the code after it. */
enum {
    F = 0x100,
    G = 0x140,
    BODY = SITE_BYTES,
    TRACER = 0x500,
    HANDLER = 0x600,
    BETWEEN = 0x700,
    OTHER_HANDLER = 0x780
};

#define HOME    (M_VECTOR + 32)
#define STACK   (RAM_BASE + 0x80000)
#define TOP     (STACK + 0x3f00)
#define ADDRESS (SITE_VA)

struct scene {
    struct world w;
    struct hart *h;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct ftrace_stream stream;
    struct calls *c;
    struct feed *feed; /* NULL: the listener hears of each call at once */
    char log[1024];    /* calls of the listener: +f.on  +tracer  -returned ... */
};

/* Whether the tests are those with a feed, and what the clocks of all calls add up to in each one.
 */
static bool is_fed;
static uint64_t clocks, clocks_of_test[64];
static unsigned test;

static const char *function_of(const struct call *c)
{
    if (c->kind != CALL_FUNCTION)
        return NULL;
    return c->pc == ADDRESS + F ? "f" : c->pc == ADDRESS + G ? "g" : NULL;
}

static void add_clocks(const struct call_moment *at)
{
    assert_int_equal(at->hart, 0);
    clocks = clocks * 31 + at->clocks.cycle * 7 + at->clocks.insns;
}

static void say(struct scene *s, const char *a, const char *b)
{
    size_t used = strlen(s->log);

    snprintf(s->log + used, sizeof s->log - used, "%s%s ", a, b);
}

static void on_enter(void *ctx, const struct call *c, const struct call_moment *at)
{
    static const char *const states[] = {"init", "off", "on", "other"};
    static const char *const kinds[] = {"", "tracer", "return", "trap"};
    char name[32];

    add_clocks(at);
    assert_int_equal(c->step, at->clocks.insns); /* there is one hart */
    if (!is_fed && c->kind == CALL_FUNCTION)
        assert_string_equal(c->function, function_of(c));
    snprintf(name, sizeof name, "%s.%s", function_of(c) ? function_of(c) : "?", states[c->state]);
    say(ctx, "+", c->kind == CALL_FUNCTION ? name : kinds[c->kind]);
}

static const char *const ends[] = {
    [CALL_CAME_BACK] = "returned", [CALL_ABANDONED] = "abandoned", [CALL_DROPPED] = "abandoned",
    [CALL_STRAYED] = "strayed",    [CALL_LOST] = "lost",           [CALL_UNBALANCED] = "unbalanced",
    [CALL_OPEN] = "open"};

static void on_leave(void *ctx, const struct call *c, const struct call_moment *at,
                     enum call_end how)
{
    add_clocks(at);
    say(ctx, function_of(c) ? function_of(c) : "-", "");
    say(ctx, "-", ends[how]);
}

/* What only the auditor hears of. */
static void on_event(void *ctx, const struct ftrace_event *e)
{
    if (e->call.how == CALL_UNWOUND)
        say(ctx, "!", "unwound");
    if (e->call.how == CALL_UNSENT)
        say(ctx, "!", "unsent");
    else if (e->call.call->kind == CALL_RETURN && e->call.call->pc != ADDRESS + HANDLER)
        say(ctx, "!handler-", ends[e->call.how]);
}

static bool look(void *ctx, struct hart *h)
{
    (void)ctx;
    (void)h;
    return true;
}

static void meet(void *ctx, uint64_t address)
{
    (void)ctx;
    (void)address;
}

/* What was said until now; with a feed, but for what only the auditor hears of. */
static void assert_said(struct scene *s, const char *said)
{
    char expected[sizeof s->log] = "";

    feed_settle(s->feed);
    for (const char *at = said, *end; *at; at = end) {
        end = strchr(at, ' ') + 1;
        if (!is_fed || *at != '!')
            strncat(expected, at, (size_t)(end - at));
    }
    assert_string_equal(s->log, expected);
}

static void forget_said(struct scene *s)
{
    feed_settle(s->feed);
    s->log[0] = '\0';
}

/* In the layout with sites of that many bytes: 8, `pfe8`, or 16, `pfe16`. */
static void build_sites(struct scene *s, unsigned bytes)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_UNIT};
    const struct writer loader = {.kind = WRITER_LOADER};
    struct calls_listener listener = {
        .ctx = s, .look = look, .meet = meet, .enter = on_enter, .leave = on_leave};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    s->h = cluster_hart(s->w.cluster, 0);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_name(s->im, "g", G);
    image_name(s->im, "ftrace_call", TRACER + 4);
    image_name(s->im, "return_to_handler", HANDLER);
    image_name(s->im, "ret_from_fork", BETWEEN);
    image_name(s->im, "hook", OTHER_HANDLER);
    for (uint64_t at = F; at <= G; at += G - F) {
        image_nops(s->im, at, bytes);
        image_site(s->im, at);
        image_word(s->im, at + bytes, JALR(ZERO, T1, 0)); /* to an address that the test chooses */
    }
    image_word(s->im, TRACER, JALR(ZERO, T0, 0));
    image_word(s->im, TRACER + 4, NOP);
    image_word(s->im, TRACER + 8, NOP);
    image_word(s->im, HANDLER, JALR(ZERO, T1, 0));
    image_word(s->im, BETWEEN, JALR(ZERO, T1, 0));
    image_word(s->im, OTHER_HANDLER, NOP);
    image_word(s->im, OTHER_HANDLER + 4, JALR(ZERO, T1, 0));
    image_word(s->im, OTHER_HANDLER + 8, JALR(RA, T1, 0));
    image_word(s->im, OTHER_HANDLER + 12, JALR(ZERO, T1, 0));
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    s->t = image_table(s->im, &s->symbols);
    s->feed = is_fed ? feed_new(s->w.cluster) : NULL;
    listener.feed = s->feed;
    s->c = calls_new(s->w.cluster, &s->im->image, s->t, s->symbols, &s->stream, listener);
    ftrace_listen(&s->stream, &(struct ftrace_listener){s, FTRACE_BIT(FTRACE_CALL_LEFT), on_event});
}

static void build(struct scene *s)
{
    build_sites(s, SITE_BYTES);
    assert_int_equal(site_layout(s->t), LAYOUT_PFE8);
}

static void wreck(struct scene *s)
{
    calls_free(s->c);
    feed_free(s->feed);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void patch(struct scene *s, uint64_t site, uint32_t first, uint32_t second)
{
    poke(&s->w, SITE_PA + site, first, 4);
    poke(&s->w, SITE_PA + site + 4, second, 4);
}

static void switch_on(struct scene *s, uint64_t site)
{
    patch(s, site, AUIPC(T0, 0), JALR(T0, T0, (uint32_t)(TRACER - site)));
}

/* Runs `insns` instructions with this stack pointer; their jumps (through t1) lead to `next`. */
static void go(struct scene *s, uint64_t from, unsigned insns, uint64_t sp, uint64_t next)
{
    hart_set_pc(s->h, from);
    hart_set_reg(s->h, SP, sp);
    hart_set_reg(s->h, T1, next);
    (void)!hart_run(s->h, insns, UINT64_MAX);
}

static void call(struct scene *s, uint64_t function, uint64_t sp, uint64_t back, unsigned insns)
{
    hart_set_reg(s->h, RA, back);
    go(s, ADDRESS + function, insns, sp, back);
}

static void a_call_ends_where_it_comes_back_with_its_stack(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    call(&s, F, TOP, HOME, 4);
    assert_said(&s, "+f.off f -returned ");
    wreck(&s);
}

static void coming_by_with_another_stack_is_no_return(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    call(&s, F, TOP, HOME, 2);
    go(&s, HOME, 1, TOP - 32, HOME);
    assert_said(&s, "+f.off ");
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "+f.off f -returned ");
    wreck(&s);
}

static void a_recursion_ends_level_by_level(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    call(&s, F, TOP, HOME, 2);
    call(&s, F, TOP - 32, ADDRESS + F + BODY, 2);
    call(&s, F, TOP - 64, ADDRESS + F + BODY, 2);
    go(&s, ADDRESS + F + BODY, 1, TOP - 64, HOME);
    assert_said(&s, "+f.off +f.off +f.off f -returned ");
    go(&s, ADDRESS + F + BODY, 1, TOP - 32, HOME);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "+f.off +f.off +f.off f -returned f -returned f -returned ");
    wreck(&s);
}

static void a_tail_call_comes_back_with_its_caller(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    patch(&s, G, NOP, NOP);
    hart_set_reg(s.h, RA, HOME);
    go(&s, ADDRESS + F, 3, TOP, ADDRESS + G);
    go(&s, ADDRESS + G, 4, TOP, HOME);
    assert_said(&s, "+f.off +g.off g -returned f -returned ");
    wreck(&s);
}

static void who_is_put_back_inside_of_a_site_has_called_once(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    call(&s, F, TOP, HOME,
         1); /* the auipc; then the site is switched off, and the function starts again */
    patch(&s, F, NOP, NOP);
    call(&s, F, TOP, HOME, 4);
    assert_said(&s, "+f.off f -returned ");
    wreck(&s);
}

/* The site that was decoded last from its start is another one, in another state. */
static void who_goes_on_in_the_middle_of_a_site_finds_that_sites_state(void **state)
{
    const uint32_t off[] = {NOP, NOP, NOP, NOP};
    uint32_t on[] = {SD(RA, SP, -8), 0, 0, LD(RA, SP, -8)};
    struct scene s;

    (void)state;
    build_sites(&s, sizeof on);
    assert_int_equal(site_layout(s.t), LAYOUT_PFE16);
    call_pair(on + 1, ADDRESS + G + 4, ADDRESS + TRACER);
    for (unsigned i = 0; i < 4; i++) {
        poke(&s.w, SITE_PA + F + 4 * i, off[i], 4);
        poke(&s.w, SITE_PA + G + 4 * i, on[i], 4);
    }
    call(&s, G, TOP, HOME, 3);
    assert_said(&s, "+g.on +tracer ");
    forget_said(&s);
    hart_set_reg(s.h, RA, HOME);
    go(&s, ADDRESS + F + 4, 5, TOP + 0x4000, HOME);
    assert_said(&s, "+f.off f -returned ");
    wreck(&s);
}

static void the_tracer_has_a_part_of_its_own(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    call(&s, F, TOP, HOME, 5);
    assert_said(&s, "+f.on +tracer - -returned f -returned ");
    wreck(&s);
}

static void a_hooked_call_ends_in_the_handler(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    call(&s, F, TOP, HOME, 3);
    hart_set_reg(s.h, RA, ADDRESS + HANDLER);
    go(&s, hart_pc(s.h), 1, TOP, ADDRESS + HANDLER);
    go(&s, ADDRESS + HANDLER, 2, TOP, HOME);
    assert_said(&s, "+f.on +tracer - -returned f -returned +return - -returned ");
    wreck(&s);
}

static void a_call_that_is_not_hooked_must_not_end_in_the_handler(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    call(&s, F, TOP, HOME, 3);
    go(&s, hart_pc(s.h), 1, TOP, ADDRESS + HANDLER);
    forget_said(&s);
    go(&s, ADDRESS + HANDLER, 1, TOP, HOME);
    assert_said(&s, "!unsent f -returned +return ");
    wreck(&s);
}

/* Calls f, and hooks it. */
static void call_hooked(struct scene *s, uint64_t sp, uint64_t back)
{
    switch_on(s, F);
    call(s, F, sp, back, 3);
    hart_set_reg(s->h, RA, ADDRESS + HANDLER);
    go(s, hart_pc(s->h), 1, sp, HOME);
    forget_said(s);
}

static void a_hooked_call_must_end_in_the_handler(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_hooked(&s, TOP, HOME);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "!unwound f -returned ");
    wreck(&s);
}

static void a_handler_that_jumps_to_where_nobody_returns_to_is_lost_at_once(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_hooked(&s, TOP, HOME);
    go(&s, ADDRESS + HANDLER, 1, TOP, ADDRESS + BETWEEN);
    assert_said(&s, "f -returned +return - -lost ");
    wreck(&s);
}

static void a_handler_may_jump_to_where_an_outer_call_returns_to(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, G, NOP, NOP);
    call(&s, G, TOP, HOME, 2);
    call_hooked(&s, TOP - 128, ADDRESS + BETWEEN);
    forget_said(&s);
    go(&s, ADDRESS + HANDLER, 2, TOP - 128, HOME);
    assert_said(&s, "f -returned +return - -strayed ");
    wreck(&s);
}

static void a_hooked_call_must_not_be_left_by_one_around_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, G, NOP, NOP);
    call(&s, G, TOP, HOME, 2);
    call_hooked(&s, TOP - 128, ADDRESS + BETWEEN);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "!unwound f -abandoned g -returned ");
    wreck(&s);
}

static void a_hooked_call_must_not_be_left_by_a_hooked_one_around_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_hooked(&s, TOP, HOME);
    call_hooked(&s, TOP - 128, ADDRESS + BETWEEN);
    go(&s, ADDRESS + HANDLER, 2, TOP, HOME);
    assert_said(&s, "!unwound f -abandoned f -returned +return - -returned ");
    wreck(&s);
}

/* As do_exit(), whose stack is used again from its top. */
static void a_hooked_call_may_never_return(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_hooked(&s, TOP - 128, HOME);
    call(&s, F, TOP, HOME, 3);
    assert_said(&s, "f -abandoned +f.on +tracer ");
    wreck(&s);
}

/* f is hooked and tail-calls g, which is hooked, too: return_to_handler runs twice. */
static void two_hooked_calls_end_in_the_handler_one_after_the_other(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    patch(&s, G, NOP, NOP);
    call(&s, F, TOP, HOME, 3);
    hart_set_reg(s.h, RA, ADDRESS + HANDLER);
    go(&s, hart_pc(s.h), 1, TOP, ADDRESS + G);
    go(&s, ADDRESS + G, 2, TOP, HOME);
    forget_said(&s);
    go(&s, ADDRESS + HANDLER, 1, TOP, ADDRESS + HANDLER);
    go(&s, ADDRESS + HANDLER, 2, TOP, HOME);
    assert_said(&s, "g -returned f -returned +return - -returned +return - -returned ");
    wreck(&s);
}

/* ---- other return handlers ---- */

/* Programs of BPF come and go; the handlers of those that are gone make room. */
static void handlers_whose_code_was_freed_are_forgotten(void **state)
{
    enum { NAMED = 2, TABLE = 0x40000 };
    struct return_handlers h = {.named = NAMED};
    struct world w = world_new();

    (void)state;
    for (unsigned i = 0; i < RETURN_HANDLERS_MAX; i++) {
        forget_return_handler(&h, w.hart); /* there is room */
        assert_true(learn_return_handler(&h, CODE + 8 * i));
    }
    forget_return_handler(&h, w.hart); /* all are in use */
    assert_int_equal(h.count, RETURN_HANDLERS_MAX);
    assert_false(learn_return_handler(&h, DATA));
    set_csr(w.hart, SATP, UINT64_C(8) << 60 | (RAM_BASE + TABLE) / 4096); /* none is mapped */
    enter(w.hart, PRIV_S, CODE);
    forget_return_handler(&h, w.hart);
    assert_int_equal(h.count, RETURN_HANDLERS_MAX - 1);
    assert_true(is_return_handler(&h, CODE + 8 * (NAMED - 1)));
    assert_false(is_return_handler(&h, CODE + 8 * NAMED)); /* the oldest that was learnt */
    assert_true(learn_return_handler(&h, DATA));
    forget_return_handler(&h, NULL);
    assert_false(is_return_handler(&h, CODE + 8 * (NAMED + 1)));
    assert_true(learn_return_handler(&h, DATA + 8));
    world_free(&w);
}

/* The tracer of f, or the handler of a breakpoint, has put this address into ra. */
static void call_replaced(struct scene *s, uint64_t sp, uint64_t back, uint64_t handler)
{
    switch_on(s, F);
    call(s, F, sp, back, 3);
    hart_set_reg(s->h, RA, handler);
    go(s, hart_pc(s->h), 1, sp, HOME);
    forget_said(s);
}

static void a_handler_without_a_known_name_is_learnt(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_replaced(&s, TOP, HOME, ADDRESS + OTHER_HANDLER);
    go(&s, ADDRESS + OTHER_HANDLER, 3, TOP, HOME);
    assert_said(&s, "f -returned !handler-returned ");
    wreck(&s);
}

static void the_rest_of_a_function_that_has_made_a_call_is_no_handler(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_replaced(&s, TOP, HOME, ADDRESS + OTHER_HANDLER + 12);
    go(&s, ADDRESS + OTHER_HANDLER + 12, 1, TOP, HOME);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "f -returned ");
    wreck(&s);
}

static void a_learnt_handler_must_return_to_the_address_that_it_has_replaced(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_replaced(&s, TOP, HOME, ADDRESS + OTHER_HANDLER);
    go(&s, ADDRESS + OTHER_HANDLER, 2, TOP, ADDRESS + BETWEEN);
    assert_said(&s, "f -returned !handler-lost ");
    wreck(&s);
}

static void a_call_with_a_learnt_handler_must_end_there(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_replaced(&s, TOP, HOME, ADDRESS + OTHER_HANDLER);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "!unwound f -returned ");
    wreck(&s);
}

/* One tracer has hooked f, then another one: the address of the last handler is in ra. */
static void a_handler_may_return_to_another_one(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call_replaced(&s, TOP - 256, HOME, ADDRESS + OTHER_HANDLER);
    go(&s, ADDRESS + OTHER_HANDLER, 3, TOP - 256, HOME);
    call_hooked(&s, TOP, HOME);
    go(&s, ADDRESS + HANDLER, 1, TOP, ADDRESS + OTHER_HANDLER);
    go(&s, ADDRESS + OTHER_HANDLER, 3, TOP, HOME);
    assert_said(&s, "f -returned +return - -returned !handler-returned ");
    wreck(&s);
}

/* A breakpoint at an address, whose handler replaces the value of ra. */
static void hook_by_breakpoint(struct scene *s, uint64_t pc, uint64_t sp, uint64_t handler)
{
    struct trap_event trap = {
        .hart = s->h, .cause = EXC_BREAKPOINT, .epc = pc, .from = PRIV_S, .to = PRIV_S};

    hart_set_reg(s->h, SP, sp);
    calls_trap(s->c, &trap);
    hart_set_reg(s->h, RA, handler);
    calls_trap_return(
        s->c, &(struct trap_return_event){.hart = s->h, .pc = pc, .from = PRIV_S, .to = PRIV_S});
}

static void the_handler_of_a_breakpoint_replaces_a_return_address_too(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    hart_set_reg(s.h, RA, HOME);
    hook_by_breakpoint(&s, ADDRESS + BETWEEN, TOP, ADDRESS + OTHER_HANDLER);
    go(&s, ADDRESS + OTHER_HANDLER, 3, TOP, HOME);
    assert_said(&s, "+trap - -returned !handler-returned ");
    wreck(&s);
}

static void what_a_breakpoint_simulates_replaces_no_return_address(void **state)
{
    static const uint64_t values[] = {BETWEEN + 2, BETWEEN + 4, BETWEEN + 0x1000};
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 0; i < ARRAY_LEN(values); i++) {
        hart_set_reg(s.h, RA, HOME);
        hook_by_breakpoint(&s, ADDRESS + BETWEEN, TOP, ADDRESS + values[i]);
        forget_said(&s);
        go(&s, ADDRESS + values[i], 1, TOP, HOME);
        assert_said(&s, "");
    }
    wreck(&s);
}

/* As a trampoline of BPF for fexit: with a frame, it calls the instruction after the site. */
static void a_trampoline_may_call_the_rest_of_its_function(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    call(&s, F, TOP, HOME, 2);
    hart_set_reg(s.h, RA, ADDRESS + OTHER_HANDLER + 12);
    go(&s, ADDRESS + F + BODY, 1, TOP - 64, ADDRESS + OTHER_HANDLER + 12);
    go(&s, ADDRESS + OTHER_HANDLER + 12, 1, TOP - 64, HOME);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "+f.on +tracer - -returned f -returned !handler-returned ");
    wreck(&s);
}

static void a_trampoline_that_called_the_rest_must_give_back_its_frame(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    switch_on(&s, F);
    call(&s, F, TOP, HOME, 2);
    hart_set_reg(s.h, RA, ADDRESS + OTHER_HANDLER + 12);
    go(&s, ADDRESS + F + BODY, 1, TOP - 64, ADDRESS + OTHER_HANDLER + 12);
    go(&s, ADDRESS + OTHER_HANDLER + 12, 1, TOP - 64, HOME);
    go(&s, HOME, 1, TOP - 16, HOME);
    assert_said(&s, "+f.on +tracer - -returned f -returned !handler-unbalanced ");
    wreck(&s);
}

static void what_lies_below_a_new_call_is_over(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    patch(&s, G, NOP, NOP);
    call(&s, F, TOP - 64, HOME, 2);
    call(&s, G, TOP, HOME, 2);
    assert_said(&s, "+f.off f -abandoned +g.off ");
    wreck(&s);
}

static void a_new_task_has_nothing_of_the_old_one(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    call(&s, F, TOP, HOME, 2);
    go(&s, ADDRESS + BETWEEN, 1, TOP - 64, HOME);
    assert_said(&s, "+f.off f -abandoned ");
    wreck(&s);
}

static void stacks_do_not_mind_one_another(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    patch(&s, G, NOP, NOP);
    call(&s, F, TOP - 64, HOME, 2);
    call(&s, G, TOP + 0x4000, HOME, 2);
    go(&s, HOME, 1, TOP - 64, HOME);
    assert_said(&s, "+f.off +g.off f -returned ");
    wreck(&s);
}

static void the_end_of_the_run_ends_what_is_open(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    call(&s, F, TOP, HOME, 2);
    calls_end(s.c);
    assert_said(&s, "+f.off f -open ");
    wreck(&s);
}

/* Each call comes from another place. */
static void return_addresses_without_end_are_not_kept_without_end(void **state)
{
    enum { MAX = 1 << 20, MORE = 10, HANDLERS_OWN = 1 };
    const uint64_t places = RAM_BASE + 0x200000, last = places + 4 * (MAX + MORE);
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    for (uint64_t back = places; back < last; back += 4) {
        forget_said(&s);
        call(&s, F, TOP, back, 2);
    }
    assert_int_equal(calls_returns_left_out(s.c), MORE + HANDLERS_OWN);
    assert_said(&s, "f -abandoned +f.off ");
    forget_said(&s);
    go(&s, last - 4, 1, TOP, HOME);
    assert_said(&s, ""); /* that it has returned is not seen */
    call(&s, F, TOP, places, 2);
    go(&s, places, 1, TOP, HOME);
    assert_said(&s, "f -abandoned +f.off f -returned ");
    wreck(&s);
}

/* Early code of a kernel runs at its physical addresses, which are not those of its symbols. */
static void an_open_call_keeps_its_name_wherever_the_function_runs(void **state)
{
    struct state_io saved, loaded;
    struct scene s;

    (void)state;
    build(&s);
    patch(&s, F, NOP, NOP);
    s.im->segment.va += UINT64_C(1) << 32;
    symbols_hide_below(s.symbols, s.im->segment.va);
    call(&s, F, TOP, HOME, 2);
    state_io_save(&saved, 0);
    calls_state_io(&saved, s.c);
    state_io_load(&loaded, saved.saved.at, saved.saved.len);
    calls_state_io(&loaded, s.c);
    assert_int_equal(state_io_end(&loaded), STATE_OK);
    go(&s, HOME, 1, TOP, HOME);
    assert_said(&s, "+f.off f -returned ");
    state_io_free(&saved);
    wreck(&s);
}

/* In the state, the call's site stands before its pc. */
static void a_state_with_a_site_that_is_not_there_is_refused(void **state)
{
    struct state_io saved, loaded;
    uint32_t site;
    unsigned refused = 0;
    struct scene s;

    (void)state;
    build(&s);
    site = site_find(s.t, SITE_PA + G, SITE_BYTES);
    patch(&s, G, NOP, NOP);
    call(&s, G, TOP, HOME, 2);
    state_io_save(&saved, 0);
    calls_state_io(&saved, s.c);
    for (size_t at = 0; at + 12 <= saved.saved.len; at++) {
        uint64_t pc = SITE_VA + G;

        if (memcmp(saved.saved.at + at, &site, 4) != 0 ||
            memcmp(saved.saved.at + at + 4, &pc, 8) != 0)
            continue;
        site = (uint32_t)site_count(s.t);
        memcpy(saved.saved.at + at, &site, 4);
        state_io_load(&loaded, saved.saved.at, saved.saved.len);
        calls_state_io(&loaded, s.c);
        refused += loaded.error == STATE_OUT_OF_RANGE;
        break;
    }
    assert_int_equal(refused, 1);
    state_io_free(&saved);
    wreck(&s);
}

static int begin_test(void **state)
{
    (void)state;
    clocks = 0;
    return 0;
}

static int end_test(void **state)
{
    (void)state;
    if (!is_fed)
        clocks_of_test[test] = clocks;
    assert_int_equal(clocks, clocks_of_test[test]);
    test++;
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_ends_where_it_comes_back_with_its_stack),
        TEST(coming_by_with_another_stack_is_no_return),
        TEST(a_recursion_ends_level_by_level),
        TEST(a_tail_call_comes_back_with_its_caller),
        TEST(who_is_put_back_inside_of_a_site_has_called_once),
        TEST(who_goes_on_in_the_middle_of_a_site_finds_that_sites_state),
        TEST(the_tracer_has_a_part_of_its_own),
        TEST(a_hooked_call_ends_in_the_handler),
        TEST(a_call_that_is_not_hooked_must_not_end_in_the_handler),
        TEST(a_hooked_call_must_end_in_the_handler),
        TEST(a_handler_that_jumps_to_where_nobody_returns_to_is_lost_at_once),
        TEST(a_handler_may_jump_to_where_an_outer_call_returns_to),
        TEST(a_hooked_call_must_not_be_left_by_one_around_it),
        TEST(a_hooked_call_must_not_be_left_by_a_hooked_one_around_it),
        TEST(a_hooked_call_may_never_return),
        TEST(two_hooked_calls_end_in_the_handler_one_after_the_other),
        TEST(handlers_whose_code_was_freed_are_forgotten),
        TEST(a_handler_without_a_known_name_is_learnt),
        TEST(the_rest_of_a_function_that_has_made_a_call_is_no_handler),
        TEST(a_learnt_handler_must_return_to_the_address_that_it_has_replaced),
        TEST(a_call_with_a_learnt_handler_must_end_there),
        TEST(a_handler_may_return_to_another_one),
        TEST(the_handler_of_a_breakpoint_replaces_a_return_address_too),
        TEST(what_a_breakpoint_simulates_replaces_no_return_address),
        TEST(a_trampoline_may_call_the_rest_of_its_function),
        TEST(a_trampoline_that_called_the_rest_must_give_back_its_frame),
        TEST(what_lies_below_a_new_call_is_over),
        TEST(a_new_task_has_nothing_of_the_old_one),
        TEST(stacks_do_not_mind_one_another),
        TEST(the_end_of_the_run_ends_what_is_open),
        TEST(an_open_call_keeps_its_name_wherever_the_function_runs),
        TEST(a_state_with_a_site_that_is_not_there_is_refused),
    };
    /* A million calls: once is enough, as what is kept does not depend on the feed. */
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(return_addresses_without_end_are_not_kept_without_end),
    };

    int failed = cmocka_run_group_tests_name("calls", tests, NULL, NULL) +
                 cmocka_run_group_tests_name("a million calls", long_tests, NULL, NULL);

    is_fed = true;
    test = 0;
    return failed + cmocka_run_group_tests_name("calls by a feed", tests, NULL, NULL);
}
