/*
 * contract_stage.h - for tests of what a detour must leave as it was: a hart at a site, in a
 * trampoline, in a return handler. The test is the trampoline: it changes the hart between begin
 * and end.
 */
#ifndef TESTS_UNIT_CONTRACT_STAGE_H
#define TESTS_UNIT_CONTRACT_STAGE_H

#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "cpu/isa/isa.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/report/describe.h"

/* Code in the text, as offsets; and a trampoline that was made at run time. */
enum { BODY = SITE_BYTES, TRACER = 0x500, HANDLER = 0x600, SWITCH = 0x680, BACK = 0x700 };
#define MADE       (RAM_BASE + 0x40000)
#define STACK      (RAM_BASE + 0x80000)
#define TOP        (STACK + 0x3f00)
#define VA(offset) (SITE_VA + (offset))

enum { RETURNED = 8 /* to the trampoline that was made */, FRAME = 64, SETTLED = 1 };

struct stage {
    struct scene s;
    struct hart *h;
    struct calls *calls;
    struct text_map *text;
};

/* The function f reads a0 and a1, g nothing. */
static inline void write_code(struct site_image *im)
{
    image_nops(im, F, SITE_BYTES);
    image_nops(im, G, SITE_BYTES);
    image_word(im, F + BODY, ADD(A0, A0, A1));
    image_word(im, F + BODY + 4, JALR(ZERO, RA, 0));
    image_word(im, G + BODY, JALR(ZERO, RA, 0));
    image_word(im, TRACER, JALR(RA, T1, 0)); /* a call, and the return to the site */
    image_word(im, TRACER + 4, JALR(ZERO, T0, 0));
    image_word(im, HANDLER, NOP);
    image_word(im, HANDLER + 4, JALR(ZERO, RA, 0));
    image_word(im, SWITCH, JALR(ZERO, RA, 0));
    image_word(im, BACK, JAL(ZERO, 0));
}

static inline void build(struct stage *t)
{
    const struct writer loader = {.kind = WRITER_LOADER};
    struct audit_config config = {.findings_max = 20};
    struct scene *s = &t->s;

    memset(t, 0, sizeof *t);
    scene_begin(s, 1, FETCH_COHERENT);
    image_name(s->im, "_stext", 0);
    image_name(s->im, "_etext", TEXT_BYTES);
    image_name(s->im, "ftrace_caller", TRACER);
    image_name(s->im, "ftrace_call", TRACER + 4);
    image_name(s->im, "return_to_handler", HANDLER);
    image_name(s->im, "__switch_to", SWITCH);
    image_name(s->im, "back", BACK);
    write_code(s->im);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, TEXT_BYTES, &loader));
    config.image = &s->im->image;
    scene_complete(s, 10, NULL);
    config.text = t->text = text_map_new(config.image, s->symbols);
    scene_audit(s, &config);
    t->calls = calls_new(s->w.cluster, &s->im->image, s->t, s->symbols, &s->stream,
                         (struct calls_listener){0});
    t->h = s->w.hart;
    poke(&s->w, MADE, NOP, 4);
    poke(&s->w, MADE + 4, JALR(RA, T1, 0), 4);
    poke(&s->w, MADE + RETURNED, JALR(ZERO, T0, 0), 4);
    assert_int_equal(site_layout(s->t), LAYOUT_PFE8);
}

static inline void take_down(struct stage *t)
{
    calls_free(t->calls);
    text_map_free(t->text);
    wreck(&t->s);
}

static inline void go_on(struct stage *t, uint64_t insns)
{
    assert_int_equal(hart_run(t->h, insns, UINT64_MAX), HART_BUDGET);
}

/* Calls a function, whose site calls the trampoline; the hart is there afterwards. */
static inline void call(struct stage *t, uint64_t function, uint64_t trampoline)
{
    uint32_t pair[2];

    call_pair(pair, VA(function), trampoline);
    poke(&t->s.w, VA(function), (pair[0] & ~UINT32_C(0xf80)) | T0 << 7, 4);
    poke(&t->s.w, VA(function) + 4, (pair[1] & ~UINT32_C(0xfff80)) | T0 << 15 | T0 << 7, 4);
    for (unsigned reg = 5; reg < 32; reg++)
        hart_set_reg(t->h, reg, reg * 0x1111);
    hart_set_reg(t->h, SP, TOP);
    hart_set_reg(t->h, RA, VA(BACK));
    hart_set_pc(t->h, VA(function));
    go_on(t, 2);
    assert_int_equal(hart_pc(t->h), trampoline);
}

/* The trampoline returns to the site of f, which goes on. */
static inline void come_back(struct stage *t)
{
    hart_set_pc(t->h, VA(F + BODY));
    go_on(t, SETTLED);
}

/* The function returns to the handler; the hart is there. */
static inline void hook_and_return(struct stage *t, uint64_t handler)
{
    call(t, F, VA(TRACER));
    hart_set_reg(t->h, RA, handler);
    come_back(t);
    hart_set_pc(t->h, handler);
    go_on(t, SETTLED);
}

/* The handler returns to the function's caller. */
static inline void return_to_caller(struct stage *t)
{
    hart_set_pc(t->h, VA(BACK));
    go_on(t, SETTLED);
}

static inline void assert_silent(struct stage *t)
{
    assert_int_equal(audit_count(t->s.audit), 0);
}

/* The register of the finding, or the last one. */
static const char *changed(const struct stage *t, size_t finding)
{
    const struct finding *f = audit_get(t->s.audit, finding);

    for (unsigned i = f->fact_count; i-- > 0;)
        if (f->facts[i].kind == FACT_REGISTER)
            return fact_register_name(&f->facts[i]);
    return "";
}

static inline void assert_changed(struct stage *t, enum rule rule, const char *reg)
{
    assert_int_equal(audit_count(t->s.audit), 1);
    assert_int_equal(audit_get(t->s.audit, 0)->rule, rule);
    assert_string_equal(changed(t, 0), reg);
}

static inline void pass_trap(struct stage *t, bool interrupt, uint64_t cause)
{
    const struct event e = {.kind = EVENT_TRAP,
                            .trap = {.hart = t->h,
                                     .interrupt = interrupt,
                                     .cause = cause,
                                     .epc = hart_pc(t->h),
                                     .from = PRIV_S,
                                     .to = PRIV_S}};

    pass_event(&t->s, &e);
    pass_event(&t->s, &(struct event){
                          .kind = EVENT_TRAP_RETURN,
                          .trap_return = {
                              .hart = t->h, .pc = hart_pc(t->h), .from = PRIV_S, .to = PRIV_S}});
}

static inline void pass_switch(struct stage *t)
{
    hart_set_pc(t->h, VA(SWITCH));
    go_on(t, 1);
}

#endif
