/*
 * test_live_text.c - text of modules and of programs of BPF: from when it is complete until it is
 * freed, with the permissions that it has then, and as part of a state.
 */
#include "unit/nop_text.h"

#include "base/state_io.h"
#include "ftrace/kernel/live_text.h"
#include "ftrace/kernel/modules.h"

enum { INIT = 0x100, RELEASE = 0x200, FREE_INIT = 0x300, ADD = 0x400, DEL = 0x500, FREE = 0x600 };

/* Page tables, and the memory that they map behind a gibibyte of RAM at its own address. */
#define ROOT   (RAM_BASE + 0x200000)
#define MIDDLE (RAM_BASE + 0x201000)
#define LAST   (RAM_BASE + 0x202000)
#define MEMORY (RAM_BASE + 0x300000)
#define AREA   UINT64_C(0xc0000000) /* text, read-only data, data with the struct module; program */

enum { TEXT, RODATA, DATA_PAGE, PROGRAM, PAGES };
enum { V = 1, R = 2, W = 4, X = 8, AD = 0xc0 };
enum { NAME_AT = 24, AREAS_AT = NAME_AT + MODULE_NAME_MAX };

#define PAGE(n)  (AREA + (uint64_t)(n)*PAGE_BYTES)
#define MODULE   PAGE(DATA_PAGE)
#define KSYM     (PAGE(DATA_PAGE) + 0x800)
#define FUNCTION (PAGE(PROGRAM) + 0x40)

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct text_map *text;
    struct live_text *live;
    unsigned events, freed;
    struct live_event last;
};

static void on_complete(void *ctx, const struct live_event *e)
{
    struct scene *s = ctx;

    s->events++;
    s->last = *e;
}

static void on_freed(void *ctx, struct hart *h)
{
    struct scene *s = ctx;

    assert_ptr_equal(h, s->w.hart);
    s->freed++;
}

static void map(struct scene *s, unsigned page, unsigned permissions)
{
    uint64_t pa = MEMORY + (uint64_t)page * PAGE_BYTES;

    poke(&s->w, LAST + 8 * page, pa >> 12 << 10 | permissions | V | AD, 8);
    hart_flush_translations(s->w.hart);
}

static uint64_t pa_of(uint64_t va)
{
    return MEMORY + (va - AREA);
}

static void build(struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->im = image_begin();
    image_name(s->im, "do_init_module", INIT);
    image_name(s->im, "ftrace_release_mod", RELEASE);
    image_name(s->im, "ftrace_free_mem", FREE_INIT);
    image_name(s->im, "free_module", FREE);
    image_name(s->im, "bpf_ksym_add", ADD);
    image_name(s->im, "bpf_ksym_del", DEL);
    s->w = world_with_nops(s->im, 0x800, &s->symbols);
    s->text = text_map_new(&s->im->image, s->symbols);
    s->live = live_text_new(s->w.cluster, &s->im->image, s->symbols, s->text,
                            (struct live_listener){on_complete, on_freed, s});
    poke(&s->w, ROOT + 8 * (RAM_BASE >> 30), RAM_BASE >> 12 << 10 | R | W | X | V | AD, 8);
    poke(&s->w, ROOT + 8 * (AREA >> 30), MIDDLE >> 12 << 10 | V, 8);
    poke(&s->w, MIDDLE, LAST >> 12 << 10 | V, 8);
    map(s, TEXT, R | X);
    map(s, RODATA, R);
    map(s, DATA_PAGE, R | W);
    map(s, PROGRAM, R | X);
    poke(&s->w, pa_of(MODULE) + NAME_AT, 'm', 8);
    poke(&s->w, pa_of(MODULE) + AREAS_AT + 80, AREA, 8);
    poke(&s->w, pa_of(MODULE) + AREAS_AT + 88, 3 * PAGE_BYTES, 4);
    poke(&s->w, pa_of(MODULE) + AREAS_AT + 160, PAGE(RODATA), 8); /* two pointers, no area */
    poke(&s->w, pa_of(MODULE) + AREAS_AT + 168, UINT64_C(0x100004f8), 8);
    for (unsigned at = 0; at < PAGE_BYTES; at += 4)
        poke(&s->w, pa_of(PAGE(PROGRAM)) + at, NOP, 4);
    poke(&s->w, pa_of(KSYM), FUNCTION, 8);
    poke(&s->w, pa_of(KSYM) + 8, FUNCTION + 0x20, 8);
    set_csr(s->w.hart, SATP, UINT64_C(8) << 60 | ROOT >> 12);
    enter(s->w.hart, PRIV_S, SITE_VA);
}

static void wreck(struct scene *s)
{
    live_text_free(s->live);
    text_map_free(s->text);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void arrive(struct scene *s, uint64_t va)
{
    hart_set_pc(s->w.hart, va);
    assert_int_equal(hart_run(s->w.hart, 1, UINT64_MAX), HART_BUDGET);
}

static void call(struct scene *s, uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2)
{
    hart_set_reg(s->w.hart, A0, a0);
    hart_set_reg(s->w.hart, A1, a1);
    hart_set_reg(s->w.hart, A2, a2);
    arrive(s, SITE_VA + function);
}

static enum text_kind kind_at(const struct scene *s, uint64_t va)
{
    uint64_t pa = 0;
    enum text_kind kind = text_map_find(s->text, va, &pa);

    assert_int_equal(pa, kind ? pa_of(va) : 0);
    return kind;
}

/* Its text goes when the function begins, and it is told when that has returned. */
static void a_module_is_freed_when_the_kernel_is_done_with_it(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, INIT, MODULE, 0, 0);
    hart_set_reg(s.w.hart, RA, SITE_VA + 0x700);
    call(&s, FREE, MODULE, 0, 0);
    assert_int_equal(kind_at(&s, AREA), TEXT_NONE);
    assert_int_equal(s.freed, 0);
    arrive(&s, SITE_VA + 0x700);
    assert_int_equal(s.freed, 1);
    wreck(&s);
}

static void a_module_s_text_is_what_can_be_executed(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(kind_at(&s, AREA), TEXT_NONE);
    call(&s, INIT, MODULE, 0, 0);
    assert_int_equal(kind_at(&s, AREA), TEXT_MODULE);
    assert_int_equal(kind_at(&s, AREA + PAGE_BYTES - 2), TEXT_MODULE);
    assert_int_equal(kind_at(&s, PAGE(RODATA)), TEXT_NONE);
    assert_int_equal(kind_at(&s, PAGE(DATA_PAGE)), TEXT_NONE);
    assert_int_equal(kind_at(&s, PAGE(PROGRAM)), TEXT_NONE);
    assert_int_equal(s.events, 1);
    assert_int_equal(s.last.kind, TEXT_MODULE);
    assert_int_equal(s.last.va, AREA);
    assert_int_equal(s.last.size, PAGE_BYTES);
    assert_int_equal(s.last.writable, 0);
    call(&s, FREE_INIT, MODULE, PAGE(RODATA), PAGE(PAGES)); /* other memory of it */
    assert_int_equal(kind_at(&s, AREA), TEXT_MODULE);
    call(&s, RELEASE, MODULE + 8, 0, 0); /* another module */
    assert_int_equal(kind_at(&s, AREA), TEXT_MODULE);
    call(&s, RELEASE, MODULE, 0, 0);
    assert_int_equal(kind_at(&s, AREA), TEXT_NONE);
    wreck(&s);
}

static void text_that_can_be_written_is_told_of(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    map(&s, TEXT, R | W | X);
    call(&s, INIT, MODULE, 0, 0);
    assert_int_equal(s.events, 1);
    assert_int_equal(s.last.writable, AREA);
    assert_int_equal(kind_at(&s, AREA), TEXT_NONE);
    wreck(&s);
}

static void a_kernel_that_protects_nothing_has_no_text_of_modules(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    map(&s, TEXT, R | W | X);
    map(&s, RODATA, R | W | X);
    map(&s, DATA_PAGE, R | W | X);
    call(&s, INIT, MODULE, 0, 0);
    assert_int_equal(s.events, 0);
    assert_int_equal(kind_at(&s, AREA), TEXT_NONE);
    wreck(&s);
}

static void a_program_is_complete_when_it_is_run(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, ADD, KSYM, 0, 0);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_NONE);
    arrive(&s, FUNCTION + 4); /* not from its beginning */
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_NONE);
    arrive(&s, FUNCTION);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_BPF);
    assert_int_equal(kind_at(&s, FUNCTION + 0x1e), TEXT_BPF);
    assert_int_equal(kind_at(&s, FUNCTION + 0x20), TEXT_NONE);
    assert_int_equal(kind_at(&s, FUNCTION - 2), TEXT_NONE);
    arrive(&s, FUNCTION);
    assert_int_equal(s.events, 1);
    assert_int_equal(s.last.kind, TEXT_BPF);
    assert_int_equal(s.last.va, FUNCTION);
    call(&s, DEL, KSYM, 0, 0);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_NONE);
    call(&s, ADD, KSYM, 0, 0);
    call(&s, DEL, KSYM, 0, 0);
    arrive(&s, FUNCTION);
    assert_int_equal(s.events, 1);
    wreck(&s);
}

static void it_is_part_of_a_state(void **state)
{
    struct state_io before = {0}, waiting = {0}, with = {0}, again = {0}, io = {0};
    struct scene s;

    (void)state;
    build(&s);
    state_io_save(&before, 0);
    live_text_state_io(&before, s.live);
    call(&s, ADD, KSYM, 0, 0);
    state_io_save(&waiting, 0);
    live_text_state_io(&waiting, s.live);
    arrive(&s, FUNCTION);
    call(&s, INIT, MODULE, 0, 0);
    state_io_save(&with, 0);
    live_text_state_io(&with, s.live);
    state_io_load(&io, before.saved.at, before.saved.len);
    live_text_state_io(&io, s.live);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_NONE);
    assert_int_equal(kind_at(&s, AREA), TEXT_NONE);
    state_io_load(&io, with.saved.at, with.saved.len);
    live_text_state_io(&io, s.live);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_BPF);
    assert_int_equal(kind_at(&s, AREA), TEXT_MODULE);
    state_io_save(&again, 0);
    live_text_state_io(&again, s.live);
    assert_int_equal(again.saved.len, with.saved.len);
    assert_memory_equal(again.saved.at, with.saved.at, with.saved.len);
    state_io_load(&io, waiting.saved.at, waiting.saved.len);
    live_text_state_io(&io, s.live);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_NONE);
    s.events = 0;
    arrive(&s, FUNCTION);
    assert_int_equal(s.events, 1);
    assert_int_equal(kind_at(&s, FUNCTION), TEXT_BPF);
    state_io_free(&before);
    state_io_free(&waiting);
    state_io_free(&with);
    state_io_free(&again);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_is_freed_when_the_kernel_is_done_with_it),
        cmocka_unit_test(a_module_s_text_is_what_can_be_executed),
        cmocka_unit_test(text_that_can_be_written_is_told_of),
        cmocka_unit_test(a_kernel_that_protects_nothing_has_no_text_of_modules),
        cmocka_unit_test(a_program_is_complete_when_it_is_run),
        cmocka_unit_test(it_is_part_of_a_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
