/*
 * breakpoint_scene.h - a scene in which a kernel sets breakpoints over its own instructions, and
 * harts run into them.
 */
#ifndef TESTS_UNIT_BREAKPOINT_SCENE_H
#define TESTS_UNIT_BREAKPOINT_SCENE_H

#include "unit/btf_text.h"
#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"

enum { HARTS = 2, WRITER = 0, OTHER = 1 };

/* A place within f, and a slot where nothing has a name. */
#define PLACE (SITE_PA + F + 0x20)
#define SLOT  (CODE + 0x800)

/* Where the kernel describes its tasks, in the image; and preempt_count, in a task. */
enum { BTF_AT = 0x1100, PREEMPT_AT = 8 };

enum { STATUS_SIE = 1 << 1, STATUS_SUM = 1 << 18 };

static inline unsigned size_of(uint32_t word)
{
    return (word & 3) == 3 ? 4 : 2;
}

static inline void build_with(struct scene *s, enum fetch_mode fetch)
{
    static const struct described task = {"task_struct", 64, {{"preempt_count", PREEMPT_AT}}};
    struct audit_config audit = {.findings_max = 20};

    scene_begin(s, HARTS, fetch);
    image_name(s->im, "ftrace_caller", 0x800);
    image_name(s->im, "handler", 0xe00);
    image_name(s->im, "__switch_to", 0xf00);
    image_nops(s->im, F, 8);
    image_nops(s->im, G, 8);
    put_btf(s->im->bytes + BTF_AT, &task, 1);
    scene_complete(s, 100, NULL);
    s->tasks = tasks_new(&s->im->image, s->symbols, NULL);
    audit.tasks = s->tasks;
    audit.sites = s->t;
    audit.symbols = s->symbols;
    audit.image = &s->im->image;
    audit.log = s->log;
    audit.updates = s->updates;
    audit.cluster = s->w.cluster;
    audit.stream = &s->stream;
    s->audit = audit_new(&audit);
    for (unsigned hart = 0; hart < HARTS; hart++)
        set_mode(s, hart, PRIV_S, true);
}

static inline void build(struct scene *s)
{
    build_with(s, FETCH_COHERENT);
}

/* A store that is in memory already, as the event comes. */
static inline void store(struct scene *s, uint64_t pa, uint32_t old, uint32_t new, unsigned size)
{
    const struct code_write w = {.stamp = ++s->stamp,
                                 .who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                 .pa = pa,
                                 .size = size};

    poke(&s->w, pa, new, size);
    pass_store(s, w, old, new);
}

static inline void fence(struct scene *s)
{
    pass_fence(s, WRITER, WRITER, s->stamp, 0);
}

/* A breakpoint over the instruction. */
static inline void plant(struct scene *s, uint64_t pa, uint32_t word)
{
    poke(&s->w, pa, word, size_of(word));
    store(s, pa, word, size_of(word) == 4 ? EBREAK : C_EBREAK, size_of(word));
    fence(s);
}

static inline void fill_slot(struct scene *s, uint32_t word, uint32_t next)
{
    poke(&s->w, SLOT, word, size_of(word));
    poke(&s->w, SLOT + size_of(word), next, size_of(next));
}

static inline void set_interrupts(struct hart *h, bool on)
{
    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~(uint64_t)STATUS_SIE) | (on ? STATUS_SIE : 0));
}

static inline void trap_by(struct scene *s, unsigned hart, uint64_t pc, uint64_t cause)
{
    const struct event e = {
        .kind = EVENT_TRAP,
        .trap = {
            .hart = hart_of(s, hart), .cause = cause, .epc = pc, .from = PRIV_S, .to = PRIV_S}};

    pass_event(s, &e);
    set_interrupts(e.trap.hart, false);
}

static inline void trap(struct scene *s, uint64_t pc)
{
    trap_by(s, 0, pc, EXC_BREAKPOINT);
}

/* The handler goes on at pc, with interrupts on or off. */
static inline void go_on_with(struct scene *s, unsigned hart, uint64_t pc, bool interrupts)
{
    const struct event e = {
        .kind = EVENT_TRAP_RETURN,
        .trap_return = {.hart = hart_of(s, hart), .pc = pc, .from = PRIV_S, .to = PRIV_S}};

    set_interrupts(e.trap_return.hart, interrupts);
    pass_event(s, &e);
}

static inline void go_on(struct scene *s, uint64_t pc)
{
    go_on_with(s, 0, pc, true);
}

/* The reason that the only finding gives. */
static inline enum message why(const struct scene *s)
{
    const struct finding *f = audit_get(s->audit, 0);

    assert_int_equal(audit_count(s->audit), 1);
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_WHY)
            return f->facts[i].message;
    return MESSAGE_NONE;
}

static inline void set_registers(struct scene *s)
{
    for (unsigned reg = 1; reg < 32; reg++)
        hart_set_reg(hart_of(s, 0), reg, DATA + 0x100 * reg);
}

#endif
