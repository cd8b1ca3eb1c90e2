/*
 * test_sites.c - the state that a site's bytes mean, and which sites an image has.
 */
#include "cpu/isa/isa.h"
#include "machine/site_image.h"

struct world {
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
};

enum { MCOUNT = 0x800, F = 0x100, G = 0x200, H = 0x300 };

static void begin(struct world *w)
{
    w->im = image_begin();
    image_name(w->im, "_mcount", MCOUNT);
    image_name(w->im, "f", F);
    image_name(w->im, "g", G);
    image_name(w->im, "h", H);
}

static void build(struct world *w)
{
    w->t = image_table(w->im, &w->symbols);
}

static void wreck(struct world *w)
{
    site_table_free(w->t);
    symbols_free(w->symbols);
    free(w->im);
}

/* The state of two words at an address. */
static enum site_state state_of(const struct world *w, uint64_t va, uint32_t first, uint32_t second,
                                uint64_t *target)
{
    const struct site s = {.va = va, .size = SITE_BYTES, .kind = SITE_FUNCTION};
    uint8_t bytes[SITE_BYTES];

    memcpy(bytes, &first, 4);
    memcpy(bytes + 4, &second, 4);
    return site_state(w->t, &s, bytes, target);
}

static void nops_are_off_and_calls_are_told_by_their_target(void **state)
{
    struct world w;
    uint32_t pair[2];
    uint64_t target = 1;

    (void)state;
    begin(&w);
    build(&w);
    assert_int_equal(site_mcount(w.t), SITE_VA + MCOUNT);
    assert_int_equal(state_of(&w, SITE_VA + F, NOP, NOP, &target), SITE_OFF);
    assert_int_equal(target, 0);
    call_pair(pair, SITE_VA + F, SITE_VA + MCOUNT);
    assert_int_equal(state_of(&w, SITE_VA + F, pair[0], pair[1], &target), SITE_INIT);
    assert_int_equal(target, SITE_VA + MCOUNT);
    call_pair(pair, SITE_VA + F, SITE_VA + H);
    assert_int_equal(state_of(&w, SITE_VA + F, pair[0], pair[1], &target), SITE_ON);
    assert_int_equal(target, SITE_VA + H);
    assert_int_equal(state_of(&w, SITE_VA + F, pair[0], pair[1], NULL), SITE_ON);
    wreck(&w);
}

static void half_a_patch_is_neither(void **state)
{
    struct world w;
    uint32_t pair[2];

    (void)state;
    begin(&w);
    build(&w);
    call_pair(pair, SITE_VA + F, SITE_VA + H);
    assert_int_equal(state_of(&w, SITE_VA + F, NOP, pair[1], NULL), SITE_OTHER);
    assert_int_equal(state_of(&w, SITE_VA + F, pair[0], NOP, NULL), SITE_OTHER);
    assert_int_equal(state_of(&w, SITE_VA + F, pair[1], pair[0], NULL), SITE_OTHER);
    assert_int_equal(state_of(&w, SITE_VA + F, 0, 0, NULL), SITE_OTHER);
    assert_int_equal(state_of(&w, SITE_VA + F, UINT32_MAX, UINT32_MAX, NULL), SITE_OTHER);
    assert_int_equal(state_of(&w, SITE_VA + F, 0x00010001, 0x00010001, NULL), SITE_OTHER);
    /* An auipc and a jalr with different registers are not a pair. */
    assert_int_equal(state_of(&w, SITE_VA + F, pair[0], JALR(RA, T0, 4), NULL), SITE_OTHER);
    assert_int_equal(state_of(&w, SITE_VA + F, LUI(RA, 1), pair[1], NULL), SITE_OTHER);
    wreck(&w);
}

/* The low half is signed: from 0x800 on the high half must be rounded up by 0x1000. */
static void the_sign_of_the_low_half_is_carried(void **state)
{
    static const int64_t distances[] = {0,       2,          0x7fe,   0x7ff,   0x800,      0x801,
                                        0xfff,   0x1000,     0x17ff,  0x1800,  0x1801,     0x7ffff,
                                        0x80000, 0x7ffff7ff, -2,      -0x7ff,  -0x800,     -0x801,
                                        -0x1000, -0x17ff,    -0x1800, -0x1801, -0x7ffff800};
    struct world w;

    (void)state;
    begin(&w);
    build(&w);
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        const uint64_t to = SITE_VA + F + (uint64_t)distances[i];
        uint32_t pair[2];
        uint64_t target;

        call_pair(pair, SITE_VA + F, to);
        assert_int_equal(state_of(&w, SITE_VA + F, pair[0], pair[1], &target),
                         to == SITE_VA + MCOUNT ? SITE_INIT : SITE_ON);
        assert_int_equal(target, to & ~UINT64_C(1)); /* as jalr jumps */
    }
    wreck(&w);
}

static void a_forgotten_carry_leads_elsewhere(void **state)
{
    struct world w;
    uint64_t target;

    (void)state;
    begin(&w);
    build(&w);
    /* 0x900 away, with the high half not rounded up. */
    assert_int_equal(state_of(&w, SITE_VA, AUIPC(RA, 0), JALR(RA, RA, 0x900), &target), SITE_ON);
    assert_int_equal(target, SITE_VA + 0x900 - 0x1000);
    wreck(&w);
}

static void sites_come_in_the_order_of_their_addresses(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_site(w.im, H + 4);
    image_site(w.im, F + 2);
    image_site(w.im, G + 6);
    build(&w);
    assert_int_equal(site_count(w.t), 3);
    assert_int_equal(site_get(w.t, 0)->va, SITE_VA + F + 2);
    assert_string_equal(site_get(w.t, 0)->function, "f");
    assert_int_equal(site_get(w.t, 1)->pa, SITE_PA + G + 6);
    assert_string_equal(site_get(w.t, 2)->function, "h");
    assert_int_equal(site_get(w.t, 2)->kind, SITE_FUNCTION);
    assert_string_equal(w.im->said, "");
    wreck(&w);
}

static void a_site_is_found_by_each_of_its_bytes_and_by_no_other(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_site(w.im, F + 2);
    image_site(w.im, F + 10); /* next to it */
    image_site(w.im, H);
    build(&w);
    assert_int_equal(site_find(w.t, SITE_PA + F + 1, 1), NO_SITE);
    for (unsigned i = 0; i < SITE_BYTES; i++) {
        assert_int_equal(site_find(w.t, SITE_PA + F + 2 + i, 1), 0);
        assert_int_equal(site_find(w.t, SITE_PA + F + 10 + i, 1), 1);
        assert_int_equal(site_find(w.t, SITE_PA + H + i, 1), 2);
    }
    assert_int_equal(site_find(w.t, SITE_PA + F + 18, 1), NO_SITE);
    assert_int_equal(site_find(w.t, SITE_PA + F, 2), NO_SITE);
    assert_int_equal(site_find(w.t, SITE_PA + F, 4), 0);
    assert_int_equal(site_find(w.t, SITE_PA + F + 8, 4), 0); /* the first of two */
    assert_int_equal(site_find(w.t, SITE_PA + H - 4, 8), 2);
    assert_int_equal(site_find(w.t, SITE_PA + H + SITE_BYTES, 8), NO_SITE);
    assert_int_equal(site_find(w.t, 0, 8), NO_SITE);
    assert_int_equal(site_find(w.t, UINT64_MAX - 8, 8), NO_SITE);
    wreck(&w);
}

/* Found by fuzzing: with the end of the table at the end of the address space this was endless.
 */
static void a_table_longer_than_the_file_is_none(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_site(w.im, F);
    w.im->sites = 1U << 28;
    build(&w);
    assert_int_equal(site_count(w.t), 0);
    assert_non_null(strstr(w.im->said, "__mcount_loc is longer than the file"));
    wreck(&w);
}

static void entries_outside_of_text_are_left_out_and_said(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_site(w.im, F);
    image_site(w.im, TEXT_BYTES);     /* data */
    image_site(w.im, TEXT_BYTES - 4); /* half of it */
    image_site(w.im, F + 1);          /* odd */
    image_site(w.im, (uint64_t)-SITE_VA);
    image_site(w.im, TEXT_BYTES - 8); /* the last that fits */
    build(&w);
    assert_int_equal(site_count(w.t), 2);
    assert_non_null(strstr(w.im->said, "3 entries of __mcount_loc lead to no ftrace site"));
    assert_non_null(strstr(w.im->said, " (not in its text), 0x80020ffc"));
    assert_non_null(strstr(w.im->said, "0x80020101 f+0x1 (an odd address)"));
    assert_non_null(strstr(w.im->said, "1 entries of __mcount_loc are 0"));
    wreck(&w);
}

static void of_entries_that_overlap_one_is_a_site(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_site(w.im, F);
    image_site(w.im, F + 4);
    image_site(w.im, F);
    image_site(w.im, F + 8);
    build(&w);
    assert_int_equal(site_count(w.t), 2);
    assert_non_null(strstr(w.im->said, "2 ftrace sites overlap others"));
    site_remove(w.t, 1);
    assert_int_equal(site_find(w.t, SITE_PA + F + 8, 8), NO_SITE);
    assert_int_equal(site_find(w.t, SITE_PA + F, 8), 0);
    wreck(&w);
}

/* As of an Image and symbols of two different builds; it was taken for layout mcount. */
static void entries_that_lead_to_no_site_say_nothing_of_the_layout(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    for (uint64_t at = G; at <= H; at += H - G) {
        image_word(w.im, at, ADDI(A0, A0, 1)); /* neither nops nor a call */
        image_site(w.im, at);
    }
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_NONE);
    assert_int_equal(site_count(w.t), 0);
    assert_non_null(strstr(w.im->said, "2 entries of __mcount_loc lead to no ftrace site"));
    assert_non_null(strstr(w.im->said, "nokaslr"));
    wreck(&w);
}

/* Its table is filled in by the kernel itself, from relocations; the file has zeroes there. */
static void the_sites_of_a_relocatable_kernel_come_from_its_relocations(void **state)
{
    static const uint64_t functions[] = {F, G, H};
    const uint64_t relocations = TABLE_AT + 0x100;
    struct world w;

    (void)state;
    begin(&w);
    for (unsigned i = 0; i < 3; i++) {
        Elf64_Rela r = {.r_offset = SITE_VA + TABLE_AT + 8 * i,
                        .r_info = ELF64_R_INFO(0, R_RISCV_RELATIVE),
                        .r_addend = (int64_t)(SITE_VA + functions[i])};

        image_nops(w.im, functions[i], 8);
        memcpy(w.im->bytes + relocations + i * sizeof r, &r, sizeof r);
    }
    w.im->sites = 3;
    image_name(w.im, "__rela_dyn_start", relocations);
    image_name(w.im, "__rela_dyn_end", relocations + 3 * sizeof(Elf64_Rela));
    image_name(w.im, "ftrace_call", 0x420);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_PFE8);
    assert_int_equal(site_count(w.t), 4);
    assert_int_equal(site_get(w.t, 0)->va, SITE_VA + F);
    assert_string_equal(w.im->said, "");
    wreck(&w);
}

static void the_trampolines_calls_are_sites_of_their_own_kind(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_name(w.im, "ftrace_caller", 0x400);
    image_name(w.im, "ftrace_call", 0x420);
    image_name(w.im, "ftrace_graph_call", 0x430);
    image_site(w.im, F);
    build(&w);
    assert_int_equal(site_count(w.t), 3);
    assert_int_equal(site_get(w.t, 1)->kind, SITE_TRACE_CALL);
    assert_string_equal(site_get(w.t, 1)->function, "ftrace_call");
    assert_int_equal(site_get(w.t, 2)->kind, SITE_GRAPH_CALL);
    assert_int_equal(site_get(w.t, 2)->va, SITE_VA + 0x430);
    assert_false(site_get(w.t, 1)->ra_copy);
    wreck(&w);
}

static void an_image_without_a_table_has_no_sites(void **state)
{
    struct site_image *im = image_begin();
    const struct diag silent = {.quiet = true};
    struct site_table *t = site_table_new(&im->image, NULL, &silent);

    (void)state;
    assert_int_equal(site_count(t), 0);
    assert_int_equal(site_mcount(t), 0);
    assert_int_equal(site_find(t, SITE_PA, 8), NO_SITE);
    site_table_free(t);
    site_table_free(NULL);
    free(im);
}

/* f, g and h with a number of bytes of nops, the table's entries `before` bytes before them. */
static void begin_patchable(struct world *w, unsigned nops, unsigned before)
{
    static const uint64_t functions[] = {F, G, H};

    begin(w);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        image_nops(w->im, functions[i] - before, nops);
        image_site(w->im, functions[i] - before);
    }
}

static enum site_state state_of_site(const struct world *w, uint32_t id, uint64_t *target)
{
    const struct site *s = site_get(w->t, id);

    return site_state(w->t, s, w->im->bytes + (s->va - SITE_VA), target);
}

static void pair_through_t0(struct world *w, uint64_t offset, uint64_t to)
{
    const uint64_t distance = to - offset;

    image_word(w->im, offset, AUIPC(T0, (uint32_t)((distance + 0x800) >> 12)));
    image_word(w->im, offset + 4, JALR(T0, T0, (uint32_t)(distance & 0xfff)));
}

static void eight_bytes_of_nops_and_a_patched_trampoline_are_pfe8(void **state)
{
    struct world w;
    uint64_t target;

    (void)state;
    begin_patchable(&w, 8, 0);
    image_nops(w.im, G, 16); /* g has more nops of its own */
    image_name(w.im, "ftrace_call", 0x420);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_PFE8);
    assert_int_equal(site_get(w.t, 0)->size, 8);
    assert_false(site_is_atomic(w.t, site_get(w.t, 0)));
    assert_int_equal(state_of_site(&w, 0, NULL), SITE_INIT);
    assert_false(site_calls(w.t, site_get(w.t, 0), SITE_INIT));
    image_word(w.im, F, NOP);
    assert_int_equal(state_of_site(&w, 0, NULL), SITE_OTHER);
    image_word(w.im, F + 4, NOP);
    assert_int_equal(state_of_site(&w, 0, NULL), SITE_OFF);
    pair_through_t0(&w, F, H + 0x840);
    assert_int_equal(state_of_site(&w, 0, &target), SITE_ON);
    assert_int_equal(target, SITE_VA + H + 0x840);
    assert_int_equal(site_resume_offset(w.t, site_get(w.t, 0)), 8);
    wreck(&w);
}

static void the_same_without_a_patched_trampoline_is_atomic(void **state)
{
    struct world w;
    uint64_t target;

    (void)state;
    begin_patchable(&w, 8, 0);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_ATOMIC);
    assert_true(site_is_atomic(w.t, site_get(w.t, 1)));
    assert_int_equal(state_of_site(&w, 1, NULL), SITE_INIT);
    image_word(w.im, G, AUIPC(T0, 1));
    image_word(w.im, G + 4, NOP);
    assert_int_equal(state_of_site(&w, 1, NULL), SITE_OFF);
    image_word(w.im, G + 4, JALR(T0, T0, 0x10));
    assert_int_equal(state_of_site(&w, 1, &target), SITE_ON);
    assert_int_equal(target, SITE_VA + G + 0x1010);
    image_word(w.im, G, NOP);
    image_word(w.im, G + 4, NOP);
    assert_int_equal(state_of_site(&w, 1, NULL), SITE_OTHER); /* the auipc never goes */
    wreck(&w);
}

static void sixteen_bytes_of_nops_are_pfe16(void **state)
{
    struct world w;
    uint64_t target;

    (void)state;
    begin_patchable(&w, 16, 0);
    image_name(w.im, "ftrace_call", 0x420);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_PFE16);
    assert_int_equal(site_get(w.t, 1)->size, 16); /* 0 is f, then g; the trampoline is last */
    assert_int_equal(site_get(w.t, 3)->size, 8);
    assert_int_equal(site_find(w.t, SITE_PA + G + 15, 1), 1);
    assert_int_equal(site_find(w.t, SITE_PA + G + 16, 1), NO_SITE);
    assert_int_equal(state_of_site(&w, 1, NULL), SITE_INIT);
    for (unsigned at = 0; at < 16; at += 4)
        image_word(w.im, G + at, NOP);
    assert_int_equal(state_of_site(&w, 1, NULL), SITE_OFF);
    image_word(w.im, G, SD(RA, SP, -8));
    image_call(w.im, G + 4, H);
    assert_int_equal(state_of_site(&w, 1, NULL), SITE_OTHER);
    image_word(w.im, G + 12, LD(RA, SP, -8));
    assert_int_equal(state_of_site(&w, 1, &target), SITE_ON);
    assert_int_equal(target, SITE_VA + H);
    assert_int_equal(site_resume_offset(w.t, site_get(w.t, 1)), 12);
    wreck(&w);
}

static void nops_before_the_function_are_callops(void **state)
{
    struct world w;

    (void)state;
    begin_patchable(&w, 16, 8);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_CALLOPS);
    assert_int_equal(site_get(w.t, 0)->va, SITE_VA + F);
    assert_string_equal(site_get(w.t, 0)->function, "f");
    assert_int_equal(site_get(w.t, 0)->size, 8);
    assert_true(site_is_atomic(w.t, site_get(w.t, 0)));
    assert_int_equal(site_find(w.t, SITE_PA + F - 1, 1), NO_SITE);
    assert_int_equal(site_find_literal(w.t, SITE_PA + F - 8, 8), 0);
    assert_int_equal(site_find_literal(w.t, SITE_PA + G - 1, 1), 1);
    assert_int_equal(site_find_literal(w.t, SITE_PA + F, 8), NO_SITE);
    wreck(&w);
}

static void calls_without_a_table_are_static_and_no_calls_no_layout(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_STATIC);
    wreck(&w);
    w.im = image_begin();
    image_name(w.im, "f", F);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_NONE);
    wreck(&w);
    begin(&w);
    image_call(w.im, F, MCOUNT);
    image_site(w.im, F);
    build(&w);
    assert_int_equal(site_layout(w.t), LAYOUT_MCOUNT);
    wreck(&w);
}

/* A row of layout.def whose columns contradict each other. */
static void each_layout_has_its_pair_in_its_site_and_links_by_what_ra_leaves_free(void **state)
{
    (void)state;
    for (enum site_layout layout = LAYOUT_NONE; layout < SITE_LAYOUTS; layout++) {
        const struct layout_traits *t = layout_traits(layout);

        assert_in_range(t->size, t->pair + SITE_BYTES, SITE_BYTES_MAX);
        assert_int_equal(t->link == REG_T0, t->return_place == RETURN_IN_RA);
        assert_int_equal(t->place == SITE_AFTER_PROLOGUE, t->return_place == RETURN_IN_FRAME);
        assert_int_equal(t->tracer == TRACER_BY_SITE, t->literal != 0);
        assert_int_equal(t->size > SITE_BYTES, t->return_place == RETURN_BELOW_SP);
    }
    assert_string_equal(layout_traits(LAYOUT_CALLOPS)->name, "callops");
}

static void all_registers_may_be_handed_over_too(void **state)
{
    struct world w;

    (void)state;
    begin_patchable(&w, 8, 0);
    image_name(w.im, "ftrace_call", 0x420);
    image_name(w.im, "ftrace_graph_call", 0x428);
    image_name(w.im, "ftrace_regs_call", 0x440);
    image_name(w.im, "ftrace_graph_regs_call", 0x448);
    image_call(w.im, 0x440, G);
    build(&w);
    assert_int_equal(site_count(w.t), 7);
    assert_int_equal(site_get(w.t, 5)->kind, SITE_REGS_CALL);
    assert_string_equal(site_get(w.t, 6)->function, "ftrace_graph_regs_call");
    assert_int_equal(state_of_site(&w, 5, NULL), SITE_ON);
    assert_true(site_calls(w.t, site_get(w.t, 5), SITE_ON));
    wreck(&w);
}

static void a_copy_of_ra_on_the_way_belongs_to_the_site(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    image_word(w.im, F, C_ADDI(SP, -16)); /* frame, mv a0,ra compressed, a store between */
    image_word(w.im, F + 2, C_MV(A0, RA));
    image_word(w.im, F + 4, C_SDSP(RA, 8));
    image_site(w.im, F + 6);
    image_word(w.im, G, ADDI(A0, RA, 0)); /* mv a0,ra in four bytes */
    image_site(w.im, G + 4);
    image_word(w.im, H, ADDI(A1, RA, 0)); /* another register */
    image_site(w.im, H + 4);
    build(&w);
    assert_true(site_get(w.t, 0)->ra_copy);
    assert_true(site_get(w.t, 1)->ra_copy);
    assert_false(site_get(w.t, 2)->ra_copy);
    wreck(&w);
}

static void states_and_kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(site_state_name(SITE_INIT), "init");
    assert_string_equal(site_state_name(SITE_OFF), "off");
    assert_string_equal(site_state_name(SITE_ON), "on");
    assert_string_equal(site_state_name(SITE_OTHER), "other");
    assert_string_equal(site_kind_name(SITE_GRAPH_CALL), "ftrace_graph_call");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nops_are_off_and_calls_are_told_by_their_target),
        cmocka_unit_test(half_a_patch_is_neither),
        cmocka_unit_test(the_sign_of_the_low_half_is_carried),
        cmocka_unit_test(a_forgotten_carry_leads_elsewhere),
        cmocka_unit_test(sites_come_in_the_order_of_their_addresses),
        cmocka_unit_test(a_site_is_found_by_each_of_its_bytes_and_by_no_other),
        cmocka_unit_test(entries_outside_of_text_are_left_out_and_said),
        cmocka_unit_test(of_entries_that_overlap_one_is_a_site),
        cmocka_unit_test(a_table_longer_than_the_file_is_none),
        cmocka_unit_test(entries_that_lead_to_no_site_say_nothing_of_the_layout),
        cmocka_unit_test(the_sites_of_a_relocatable_kernel_come_from_its_relocations),
        cmocka_unit_test(the_trampolines_calls_are_sites_of_their_own_kind),
        cmocka_unit_test(an_image_without_a_table_has_no_sites),
        cmocka_unit_test(a_copy_of_ra_on_the_way_belongs_to_the_site),
        cmocka_unit_test(eight_bytes_of_nops_and_a_patched_trampoline_are_pfe8),
        cmocka_unit_test(the_same_without_a_patched_trampoline_is_atomic),
        cmocka_unit_test(sixteen_bytes_of_nops_are_pfe16),
        cmocka_unit_test(nops_before_the_function_are_callops),
        cmocka_unit_test(calls_without_a_table_are_static_and_no_calls_no_layout),
        cmocka_unit_test(each_layout_has_its_pair_in_its_site_and_links_by_what_ra_leaves_free),
        cmocka_unit_test(all_registers_may_be_handed_over_too),
        cmocka_unit_test(states_and_kinds_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
