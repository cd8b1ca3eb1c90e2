/*
 * test_text_rules.c - changes of text: breakpoints that come and go, halves of them, jumps that are
 * mended at boot, what is outside of all places that are known, and what is known of areas that
 * were added.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "ftrace/audit/rules.h"
#include "ftrace/kernel/text_map.h"

enum { HARTS = 2, WRITER = 0, OTHER = 1 };

/* A function without a site: mv, nop, mv, nop, then c.nop. */
enum { H = 0x300, CMV = 0x84aa, CNOP = 0x0001, LATER = 200 * 1000 };

/* Memory outside of the image: a module's text. */
#define MODULE_PA (RAM_BASE + 0x100000)
#define MODULE_VA UINT64_C(0x900000)

#define PAIR(low, high) ((uint64_t)(high) << 32 | (low))

/* Another hart is started. */
static void settle(struct scene *s)
{
    start_hart(hart_of(s, OTHER));
    set_mode(s, OTHER, PRIV_S, false);
}

static struct text_map *build(struct scene *s, bool settled)
{
    struct audit_config audit = {.findings_max = 10};
    struct text_map *text;

    scene_begin(s, HARTS, FETCH_COHERENT);
    image_name(s->im, "_stext", 0);
    image_name(s->im, "h", H);
    image_name(s->im, "i", H + 0x80);
    image_name(s->im, "ftrace_caller", 0x800);
    image_name(s->im, "_etext", 0xf00);
    image_nops(s->im, F, 8);
    image_nops(s->im, G, 8);
    image_nops(s->im, H, 0x80);
    image_nops(s->im, H + 0x80, 0x80);
    image_word(s->im, H, CMV);
    image_word(s->im, H + 2, NOP);
    image_word(s->im, H + 6, CMV);
    image_word(s->im, H + 8, NOP);
    for (unsigned at = 0; at < TEXT_BYTES; at += 8) {
        uint64_t bytes;

        memcpy(&bytes, s->im->bytes + at, 8);
        poke(&s->w, SITE_PA + at, bytes, 8);
    }
    s->t = image_table(s->im, &s->symbols);
    text = text_map_new(&s->im->image, s->symbols);
    symbols_free(s->symbols);
    site_table_free(s->t);
    audit.text = text;
    audit.symbols = image_symbols(s->im, &(struct diag){.out = stderr, .program = "test"});
    scene_complete(s, 100, &audit);
    symbols_free(s->symbols);
    s->symbols = (struct symbols *)(uintptr_t)audit.symbols;
    s->stamp = 10;
    start_hart(hart_of(s, WRITER));
    set_mode(s, WRITER, PRIV_S, false);
    if (settled)
        settle(s);
    return text;
}

static void end(struct scene *s, struct text_map *text)
{
    wreck(s);
    text_map_free(text);
}

static void store_at(struct scene *s, unsigned writer, uint64_t pa, unsigned size, uint64_t new)
{
    const struct code_write w = {.stamp = ++s->stamp,
                                 .who = {.kind = WRITER_HART, .hart = writer, .pc = CODE},
                                 .pa = pa,
                                 .size = size};
    uint64_t old = peek(&s->w, pa, size);

    poke(&s->w, pa, new, size);
    pass_store(s, w, old, new);
}

static void store(struct scene *s, uint64_t offset, unsigned size, uint64_t new)
{
    store_at(s, WRITER, SITE_PA + offset, size, new);
}

static void fence(struct scene *s)
{
    pass_fence(s, WRITER, WRITER, s->stamp, 0);
}

static void trap(struct scene *s, unsigned hart)
{
    pass_event(s, &(struct event){.kind = EVENT_TRAP,
                                  .trap = {.hart = hart_of(s, hart), .from = 1, .to = 1}});
}

static const struct finding *only(const struct scene *s, enum rule rule)
{
    assert_int_equal(audit_count(s->audit), 1);
    assert_int_equal(audit_get(s->audit, 0)->rule, rule);
    return audit_get(s->audit, 0);
}

static void assert_broken(const struct scene *s, enum message message, uint64_t insn)
{
    const struct finding *f = only(s, RULE_broken_instruction);
    unsigned found = 0;

    for (unsigned i = 0; i < f->fact_count; i++) {
        if (f->facts[i].label == LABEL_WHY) {
            assert_int_equal(f->facts[i].message, message);
            found++;
        } else if (f->facts[i].label == LABEL_BEGINS) {
            assert_int_equal(f->facts[i].va, SITE_VA + insn);
            found++;
        }
    }
    assert_int_equal(found, 2);
}

/* ---- breakpoints ---- */

static void breakpoints_come_and_go(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H, 2, C_EBREAK);
    fence(&s);
    store(&s, H + 2, 2, EBREAK & 0xffff); /* in halves, while harts are stopped */
    store(&s, H + 4, 2, EBREAK >> 16);
    fence(&s);
    store(&s, H + 6, 2, C_EBREAK);
    fence(&s);
    store(&s, H, 2, CMV);
    fence(&s);
    store(&s, H + 2, 4, NOP);
    store(&s, H + 6, 2, CMV);
    fence(&s);
    assert_true(is_silent(&s));
    end(&s, text);
}

static void two_breakpoints_side_by_side_are_two(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H, 2, C_EBREAK);
    store(&s, H + 2, 4, EBREAK);
    store(&s, H + 6, 2, C_EBREAK);
    fence(&s);
    store(&s, H + 6, 2, CMV);
    store(&s, H, 2, CMV);
    store(&s, H + 2, 4, NOP);
    fence(&s);
    assert_true(is_silent(&s));
    end(&s, text);
}

static void one_in_the_middle(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H, 2, C_EBREAK); /* does not move where instructions begin */
    fence(&s);
    store(&s, H + 4, 2, C_EBREAK);
    assert_true(is_silent(&s));
    fence(&s);
    assert_broken(&s, MESSAGE_BREAK_INSIDE, H + 2);
    end(&s, text);
}

/* The upper half of a jalr may be the same as a breakpoint. */
static void half_of_an_instruction_is_no_breakpoint(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, false);

    (void)state;
    store(&s, H + 4, 2, C_EBREAK);
    store(&s, H + 2, 2, 0x8067); /* jr -1792(t0) */
    fence(&s);
    assert_true(is_silent(&s));
    store(&s, H + 0x12, 2, C_EBREAK); /* at a c.nop of its own */
    store(&s, H + 0x10, 2, 0x8067);
    fence(&s);
    assert_true(is_silent(&s));
    end(&s, text);
}

/* First the upper halves of two instructions, then their lower ones. */
static void several_changes_may_be_under_way(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, false);

    (void)state;
    for (int64_t half = 2; half >= 0; half -= 2) {
        store(&s, H + 2 + (uint64_t)half, 2, ADDI(A0, A0, 1) >> 8 * half & 0xffff);
        store(&s, H + 8 + (uint64_t)half, 2, ADDI(A0, A0, 2) >> 8 * half & 0xffff);
        store(&s, H + 0x20, 2, CMV); /* one that is complete */
    }
    assert_true(is_silent(&s));
    fence(&s);
    assert_true(is_silent(&s));
    store(&s, H + 4, 2, ADDI(A0, A0, 3) >> 16);
    store(&s, H + 0x40, 2, CMV);
    fence(&s);
    assert_broken(&s, MESSAGE_PART, H + 2);
    end(&s, text);
}

/* A fence for each store: the instruction is complete at the end that the kernel announces. */
static void an_announced_update_ends_with_its_end(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, false);

    (void)state;
    for (unsigned halves = 2; halves > 0; halves--) {
        updates_announce_begin(s.updates, hart_of(&s, WRITER), ANNOUNCED_TEXT);
        store(&s, H + 4, 2, ADDI(A0, A0, halves) >> 16);
        fence(&s);
        if (halves == 2)
            store(&s, H + 2, 2, ADDI(A0, A0, halves) & 0xffff);
        fence(&s);
        assert_true(is_silent(&s));
        updates_announce_end(s.updates, hart_of(&s, WRITER));
        if (halves == 2)
            assert_true(is_silent(&s));
    }
    assert_broken(&s, MESSAGE_PART, H + 2);
    end(&s, text);
}

static void half_of_one_is_judged_when_the_writer_fences(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H + 2, 2, EBREAK & 0xffff);
    pass_fence(&s, OTHER, OTHER, s.stamp, 0); /* another hart's fence is no end */
    assert_true(is_silent(&s));
    fence(&s);
    assert_broken(&s, MESSAGE_PART, H + 2);
    end(&s, text);
}

/* An interrupt between the two halves, whose handler fences for another hart. */
static void a_fence_in_a_trap_is_no_end(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H + 2, 2, EBREAK & 0xffff);
    trap(&s, WRITER);
    fence(&s);
    assert_true(is_silent(&s));
    store(&s, H + 4, 2, EBREAK >> 16);
    fence(&s);
    assert_true(is_silent(&s));
    end(&s, text);
}

static void half_of_one_is_judged_at_the_end_of_the_run(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H + 2, 2, EBREAK & 0xffff);
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL}); /* perhaps in the middle of the change */
    assert_true(is_silent(&s));
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_broken(&s, MESSAGE_PART, H + 2);
    end(&s, text);
}

static void half_of_one_is_judged_when_a_hart_fetches_it(void **state)
{
    struct event e = {.kind = EVENT_STALE_FETCH};
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H + 2, 2, EBREAK & 0xffff);
    e.stale_fetch = (struct stale_fetch){.hart = hart_of(&s, OTHER),
                                         .pc = SITE_VA + H + 2,
                                         .pa = SITE_PA + H + 2,
                                         .size = 4,
                                         .stamp = s.stamp,
                                         .who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                         .writer_known = true};
    pass_event(&s, &e);
    assert_int_equal(audit_get(s.audit, audit_count(s.audit) - 1)->rule, RULE_broken_instruction);
    end(&s, text);
}

static void what_it_has_replaced_must_come_back(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H + 2, 4, EBREAK);
    fence(&s);
    store(&s, H + 2, 2, NOP);
    fence(&s);
    assert_broken(&s, MESSAGE_NOT_RESTORED, H + 2);
    end(&s, text);
    text = build(&s, true);
    store(&s, H, 2, C_EBREAK);
    fence(&s);
    store(&s, H, 2, CNOP); /* a whole one, but another */
    fence(&s);
    assert_broken(&s, MESSAGE_NOT_RESTORED, H);
    end(&s, text);
}

static void one_in_a_site(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, F, 2, C_EBREAK);
    fence(&s);
    store(&s, F, 2, CNOP);
    fence(&s);
    assert_true(is_silent(&s));
    store(&s, F, 4, EBREAK); /* over two c.nop */
    fence(&s);
    assert_broken(&s, MESSAGE_BREAK_TOO_LONG, F);
    end(&s, text);
}

/* ---- other changes ---- */

static void what_no_mechanism_changes(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H + 2, 4, ADDI(A0, A0, 1));
    fence(&s);
    only(&s, RULE_stray_patch);
    end(&s, text);
    text = build(&s, false); /* at boot it may */
    store(&s, H + 2, 4, ADDI(A0, A0, 1));
    fence(&s);
    assert_true(is_silent(&s));
    end(&s, text);
}

static void broken_ones_are_no_less_broken_at_boot(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, false);

    (void)state;
    store(&s, H + 6, 4, ADDI(A0, A0, 1));
    fence(&s);
    assert_broken(&s, MESSAGE_REST, H + 8);
    end(&s, text);
}

/* Stores that begin in a site and end behind it. */
static void what_is_beside_a_site_is_no_site(void **state)
{
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    poke(&s.w, SITE_PA + F + 8, NOP, 4);
    store(&s, F + 4, 8, (uint64_t)0x200282e7 << 32 | 0x297);
    fence(&s);
    only(&s, RULE_stray_patch);
    assert_int_equal(audit_get(s.audit, 0)->facts[0].va, SITE_VA + F + 8);
    end(&s, text);
}

/* RAM at its own address, by one leaf. */
static void translate(struct scene *s, unsigned hart)
{
    const uint64_t root = RAM_BASE + 0x200000, leaf = (RAM_BASE >> 12) << 10 | 0xcf;

    poke(&s->w, root + 8 * (RAM_BASE >> 30), leaf, 8);
    set_csr(hart_of(s, hart), SATP, UINT64_C(8) << 60 | root >> 12);
}

static void jumps_are_judged_when_the_kernel_is_settled(void **state)
{
    for (unsigned mended = 0; mended < 2; mended++) {
        struct scene s;
        struct text_map *text = build(&s, false);

        (void)state;
        store(&s, H + 8, 4, JAL(0, -4)); /* into the nop at 2 */
        fence(&s);
        if (mended)
            store(&s, H + 8, 4, JAL(0, -6));
        fence(&s);
        translate(&s, WRITER);
        trap(&s, WRITER);
        assert_true(is_silent(&s));
        settle(&s);
        set_csr(hart_of(&s, OTHER), SATP, UINT64_C(8) << 60 | (RAM_BASE + 0x201000) >> 12);
        trap(&s, OTHER); /* it is being started, with a page table that has no text */
        assert_true(is_silent(&s));
        trap(&s, WRITER);
        if (mended)
            assert_true(is_silent(&s));
        else
            assert_broken(&s, MESSAGE_TARGET, H + 8);
        end(&s, text);
    }
}

/* ---- areas ---- */

static void text_that_was_added_is_judged_until_it_is_removed(void **state)
{
    const struct text_area area = {TEXT_BPF, MODULE_VA, 0x1000, 0};
    const uint64_t page = MODULE_PA;
    struct scene s;
    struct text_map *text = build(&s, true);
    uint64_t pa;

    (void)state;
    poke(&s.w, MODULE_PA, NOP, 4);
    store_at(&s, WRITER, MODULE_PA, 4, ADDI(A0, A0, 1));
    fence(&s);
    assert_true(is_silent(&s));
    text_map_add_area(text, &area, &page);
    assert_int_equal(text_map_find(text, MODULE_VA + 4, &pa), TEXT_BPF);
    assert_int_equal(pa, MODULE_PA + 4);
    assert_int_equal(text_map_va(text, MODULE_PA + 4), MODULE_VA + 4);
    poke(&s.w, MODULE_PA, NOP, 4);
    store_at(&s, WRITER, MODULE_PA, 4, JAL(0, 4)); /* programs are linked so */
    fence(&s);
    assert_true(is_silent(&s));
    store_at(&s, WRITER, MODULE_PA, 4, ADDI(A0, A0, 1));
    fence(&s);
    only(&s, RULE_stray_patch);
    text_map_remove_areas(text, 0, MODULE_VA, MODULE_VA + 1);
    assert_int_equal(text_map_find(text, MODULE_VA, &pa), TEXT_NONE);
    assert_int_equal(text_map_va(text, MODULE_PA), 0);
    end(&s, text);
}

static void areas_are_found_in_whatever_order_they_came(void **state)
{
    enum { AREAS = 7, STEP = 0x600 }; /* some begin in the page in which another one ends */
    const uint64_t pages[] = {MODULE_PA, MODULE_PA + 0x1000, MODULE_PA + 0x2000,
                              MODULE_PA + 0x3000};
    struct scene s;
    struct text_map *text = build(&s, true);
    uint64_t pa;

    (void)state;
    for (unsigned i = 0; i < AREAS; i++) {
        uint64_t offset = STEP * (i * 3 % AREAS);
        const struct text_area area = {TEXT_BPF, MODULE_VA + offset, STEP - 0x100, 0};

        text_map_add_area(text, &area, &pages[offset / 0x1000]);
    }
    for (uint64_t at = 0; at < AREAS * STEP; at += 0x80) {
        bool inside = at % STEP < STEP - 0x100;

        assert_int_equal(text_map_find(text, MODULE_VA + at, &pa), inside ? TEXT_BPF : TEXT_NONE);
        assert_int_equal(text_map_va(text, MODULE_PA + at), inside ? MODULE_VA + at : 0);
    }
    text_map_remove_areas(text, 0, MODULE_VA + STEP, MODULE_VA + 3 * STEP);
    assert_int_equal(text_map_area_count(text), AREAS - 2);
    assert_int_equal(text_map_find(text, MODULE_VA + STEP, &pa), TEXT_NONE);
    assert_int_equal(text_map_find(text, MODULE_VA, &pa), TEXT_BPF);
    assert_int_equal(text_map_find(text, MODULE_VA + 3 * STEP, &pa), TEXT_BPF);
    assert_int_equal(text_map_find(text, MODULE_VA - 2, &pa), TEXT_NONE);
    {
        const struct text_area all = {TEXT_MODULE, MODULE_VA, 0x3000, 1};

        text_map_add_area(text, &all, pages); /* the memory of the others is its own now */
    }
    assert_int_equal(text_map_area_count(text), 1);
    assert_int_equal(text_map_find(text, MODULE_VA + STEP, &pa), TEXT_MODULE);
    end(&s, text);
}

static void what_replaces_the_code_of_a_debugger_is_not_judged(void **state)
{
    const struct code_write w = {
        .who = {.kind = WRITER_DEBUGGER_FENCED}, .stamp = 11, .pa = SITE_PA + H + 2, .size = 4};
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    pass_store(&s, w, NOP, ADDI(A0, A0, 1));
    s.stamp = w.stamp;
    store(&s, H + 2, 4, ADDI(A0, A0, 2));
    fence(&s);
    assert_true(is_silent(&s));
    store(&s, H + 2, 4, ADDI(A0, A0, 3)); /* the other one was the hart's */
    fence(&s);
    only(&s, RULE_stray_patch);
    end(&s, text);
}

/* Sites of a module that are in two pages are not all known. */
static void nops_of_a_module_become_a_call(void **state)
{
    const struct text_area area = {TEXT_MODULE, MODULE_VA, 0x1000, 1};
    const uint64_t page = MODULE_PA, call = PAIR(0x297, 0x200282e7);
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    text_map_add_area(text, &area, &page);
    poke(&s.w, MODULE_PA, PAIR(NOP, NOP), 8);
    store_at(&s, WRITER, MODULE_PA, 8, call);
    fence(&s);
    store_at(&s, WRITER, MODULE_PA, 8, PAIR(NOP, NOP));
    fence(&s);
    assert_true(is_silent(&s));
    poke(&s.w, MODULE_PA, PAIR(ADDI(A0, A0, 1), NOP), 8);
    store_at(&s, WRITER, MODULE_PA, 8, call); /* where there were none */
    fence(&s);
    only(&s, RULE_stray_patch);
    end(&s, text);
}

/* ---- state ---- */

static void open_changes_and_breakpoints_are_part_of_a_state(void **state)
{
    struct state_io saved = {0}, again = {0}, io = {0};
    struct scene s;
    struct text_map *text = build(&s, true);

    (void)state;
    store(&s, H, 2, C_EBREAK);
    fence(&s);
    store(&s, H + 2, 2, EBREAK & 0xffff);
    state_io_save(&saved, 0);
    audit_state_io(&saved, s.audit);
    store(&s, H, 2, CMV);
    fence(&s);
    state_io_load(&io, saved.saved.at, saved.saved.len);
    audit_state_io(&io, s.audit);
    assert_true(is_silent(&s));
    state_io_save(&again, 0);
    audit_state_io(&again, s.audit);
    assert_int_equal(again.saved.len, saved.saved.len);
    assert_memory_equal(again.saved.at, saved.saved.at, saved.saved.len);
    poke(&s.w, SITE_PA + H, C_EBREAK, 2);
    fence(&s);
    assert_broken(&s, MESSAGE_PART, H + 2);
    state_io_free(&saved);
    state_io_free(&again);
    end(&s, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoints_come_and_go),
        cmocka_unit_test(two_breakpoints_side_by_side_are_two),
        cmocka_unit_test(one_in_the_middle),
        cmocka_unit_test(half_of_an_instruction_is_no_breakpoint),
        cmocka_unit_test(several_changes_may_be_under_way),
        cmocka_unit_test(an_announced_update_ends_with_its_end),
        cmocka_unit_test(half_of_one_is_judged_when_the_writer_fences),
        cmocka_unit_test(a_fence_in_a_trap_is_no_end),
        cmocka_unit_test(half_of_one_is_judged_at_the_end_of_the_run),
        cmocka_unit_test(half_of_one_is_judged_when_a_hart_fetches_it),
        cmocka_unit_test(what_it_has_replaced_must_come_back),
        cmocka_unit_test(one_in_a_site),
        cmocka_unit_test(what_no_mechanism_changes),
        cmocka_unit_test(broken_ones_are_no_less_broken_at_boot),
        cmocka_unit_test(what_is_beside_a_site_is_no_site),
        cmocka_unit_test(jumps_are_judged_when_the_kernel_is_settled),
        cmocka_unit_test(text_that_was_added_is_judged_until_it_is_removed),
        cmocka_unit_test(areas_are_found_in_whatever_order_they_came),
        cmocka_unit_test(what_replaces_the_code_of_a_debugger_is_not_judged),
        cmocka_unit_test(nops_of_a_module_become_a_call),
        cmocka_unit_test(open_changes_and_breakpoints_are_part_of_a_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
