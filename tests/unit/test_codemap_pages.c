/*
 * test_codemap_pages.c - blocks that patch themselves, pages that are no longer code, and pages
 * that were written before they became code.
 */
#include "unit/codemap.h"

/* ---- a block that patches itself ---- */

/* sw; then `li a2,1`, which the store makes `li a2,2`; with and without fence.i between. */
static void run_self_patching(struct scene *s, enum fetch_mode mode, bool fenced)
{
    uint64_t target;

    build(s, mode, 1);
    s->w.put_at = FUNC;
    put(&s->w, ADDI(S1, S1, 1));
    put(&s->w, SW(A1, A0, 0));
    put(&s->w, fenced ? FENCE_I : ADDI(S1, S1, 1));
    put(&s->w, ADDI(S1, S1, 1));
    target = put(&s->w, ADDI(A2, ZERO, 1));
    put(&s->w, ADDI(S1, S1, 1));
    hart_set_reg(s->w.hart, S1, 0);
    hart_set_reg(s->w.hart, A0, target);
    hart_set_reg(s->w.hart, A1, ADDI(A2, ZERO, 2));
    step_hart(s->w.hart, FUNC, 6);
    assert_int_equal(hart_pc(s->w.hart), target + 8);
    assert_int_equal(hart_reg(s->w.hart, S1), fenced ? 3 : 4);
    assert_int_equal(hart_insns(s->w.hart), 6);
}

static void a_block_that_patches_itself_goes_on_as_the_mode_says(void **state)
{
    struct scene s;

    (void)state;
    run_self_patching(&s, FETCH_STALE, false);
    assert_int_equal(hart_reg(s.w.hart, A2), 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
    run_self_patching(&s, FETCH_COHERENT, false);
    assert_int_equal(hart_reg(s.w.hart, A2), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
    run_self_patching(&s, FETCH_RANDOM, false);
    assert_in_range(hart_reg(s.w.hart, A2), 1, 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_block_that_patches_itself_behind_a_fence_runs_the_new_code(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        struct scene s;

        run_self_patching(&s, (enum fetch_mode)mode, true);
        assert_int_equal(hart_reg(s.w.hart, A2), 2);
        assert_int_equal(s.seen.stale_count, 0);
        wreck(&s);
    }
}

/*
 * Found by fuzzing: a hart decoded anew wherever a budget had ended, further ahead than it would
 * have otherwise, so it had old bytes of what was overwritten that a run in one piece had not.
 */
static void how_far_a_hart_fetches_ahead_is_not_its_budgets_affair(void **state)
{
    enum { AHEAD = 64, INSNS = AHEAD + 1 }; /* after the longest block */

    (void)state;
    for (uint64_t piece = 1; piece <= INSNS; piece++) {
        struct scene s;

        build(&s, FETCH_STALE, 1);
        for (unsigned n = 0; n < AHEAD; n++)
            poke(&s.w, FUNC + 4 * n, n == 7 ? SW(A1, A0, 0) : ADDI(ZERO, ZERO, 0), 4);
        poke(&s.w, FUNC + 4 * AHEAD, ADDI(A2, ZERO, 1), 4);
        hart_set_reg(s.w.hart, A0, FUNC + 4 * AHEAD);
        hart_set_reg(s.w.hart, A1, ADDI(A2, ZERO, 2));
        hart_set_pc(s.w.hart, FUNC);
        for (uint64_t left = INSNS; left; left -= piece < left ? piece : left)
            assert_int_equal(hart_run(s.w.hart, piece < left ? piece : left, UINT64_MAX),
                             HART_BUDGET);
        assert_int_equal(hart_reg(s.w.hart, A2), 2);
        wreck(&s);
    }
}

/* A loop that writes one of its instructions in each iteration, with two versions in turn. */
static void run_restless(enum fetch_mode mode, uint64_t piece, uint64_t *regs)
{
    const uint32_t one = ADDI(S2, S2, 1), other = ADDI(S3, S3, 2);
    struct scene s;
    uint64_t target;

    build(&s, mode, 1);
    s.w.put_at = FUNC;
    put(&s.w, XOR(A1, A1, A2));
    put(&s.w, SW(A1, A0, 0));
    target = put(&s.w, one);
    put(&s.w, JAL(ZERO, -12));
    hart_set_reg(s.w.hart, A0, target);
    hart_set_reg(s.w.hart, A1, one);
    hart_set_reg(s.w.hart, A2, one ^ other);
    hart_set_reg(s.w.hart, S2, 0);
    hart_set_reg(s.w.hart, S3, 0);
    hart_set_pc(s.w.hart, FUNC);
    for (uint64_t left = 64; left; left -= piece < left ? piece : left)
        assert_int_equal(hart_run(s.w.hart, piece < left ? piece : left, UINT64_MAX), HART_BUDGET);
    for (unsigned reg = 0; reg < 32; reg++)
        regs[reg] = hart_reg(s.w.hart, reg);
    wreck(&s);
}

static void how_a_run_is_cut_does_not_show_in_what_is_fetched(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        uint64_t whole[32], cut[32];

        run_restless((enum fetch_mode)mode, 64, whole);
        for (uint64_t piece = 1; piece < 10; piece++) {
            run_restless((enum fetch_mode)mode, piece, cut);
            assert_memory_equal(whole, cut, sizeof whole);
        }
        assert_int_equal(whole[S2], mode == FETCH_STALE      ? 16
                                    : mode == FETCH_COHERENT ? 8
                                                             : whole[S2]);
    }
}

static void a_store_over_its_own_instruction_is_executed_once(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_COHERENT, 1);
    s.w.put_at = FUNC;
    put(&s.w, SW(A1, A0, 0));
    put(&s.w, ADDI(S1, S1, 1));
    hart_set_reg(s.w.hart, A0, FUNC);
    hart_set_reg(s.w.hart, A1, ADDI(S2, S2, 1));
    step_hart(s.w.hart, FUNC, 2);
    assert_int_equal(hart_pc(s.w.hart), FUNC + 8);
    assert_int_equal(hart_reg(s.w.hart, S1), 1);
    assert_int_equal(hart_reg(s.w.hart, S2), 0);
    step_hart(s.w.hart, FUNC, 2);
    assert_int_equal(hart_reg(s.w.hart, S2), 1);
    wreck(&s);
}

/* ---- pages that are no longer code ---- */

static bool is_code(struct scene *s, uint64_t at)
{
    return ram_page_at(bus_ram(s->w.bus), at)->flags & RAM_PAGE_CODE;
}

/* Hart 0 clears the function and, in the same place, writes another one. */
static void replace_function(struct scene *s, uint64_t at, unsigned value)
{
    store(s, 0, STUB_SW, at, 0);
    store(s, 0, STUB_SW, at + 4, 0);
    assert_false(is_code(s, at));
    store(s, 0, STUB_SW, at, ADDI(A0, ZERO, value));
    store(s, 0, STUB_SW, at + 4, JALR(ZERO, RA, 0));
    assert_false(is_code(s, at));
}

static void a_page_is_code_until_it_is_cleared(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 0xff8, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SD, FUNC, 0);
    store(&s, 0, STUB_SW, FUNC + 0xff8, 0);
    assert_true(is_code(&s, FUNC));
    store(&s, 0, STUB_SW, FUNC + 0xffc, 0);
    assert_false(is_code(&s, FUNC));
    wreck(&s);
}

static void what_was_cleared_is_what_a_hart_has_until_its_fence(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    (void)call(&s, 1, FUNC);
    replace_function(&s, FUNC, 2);
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1); /* the return is the same as it was */
    assert_true(s.seen.stale[0].fetched_before);
    assert_int_equal(s.seen.stale[0].who.hart, 0);
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

/* xv6 fills each page that is freed with ones, and each that is allocated with fives. */
static void a_page_is_code_until_it_is_filled_with_one_byte(void **state)
{
    const uint64_t fives = UINT64_C(0x0505050505050505);
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    (void)call(&s, 1, FUNC);
    for (unsigned at = 0; at < 0x1000; at += 8) {
        assert_true(is_code(&s, FUNC));
        store(&s, 0, STUB_SD, FUNC + at, fives);
    }
    assert_false(is_code(&s, FUNC));
    load_function(&s, FUNC, 2);
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_cleared_page_can_become_code_and_be_cleared_again(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    for (unsigned value = 2; value < 6; value++) {
        assert_int_equal(call(&s, 0, FUNC), value - 1);
        replace_function(&s, FUNC, value);
        fence(&s, 0);
    }
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

/* Linux frees its init text, and a program's data comes to lie there. */
static void declared_code_is_code_until_it_is_cleared(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    cluster_declare_code(s.w.cluster, FUNC, 8);
    store(&s, 0, STUB_SD, FUNC, 1);
    assert_true(is_code(&s, FUNC));
    store(&s, 0, STUB_SD, FUNC, 0);
    assert_false(is_code(&s, FUNC));
    store(&s, 0, STUB_SD, FUNC, 1);
    assert_int_equal(s.seen.write_count, 2);
    wreck(&s);
}

static void a_page_that_a_device_clears_and_fills_at_once_has_what_it_brought(void **state)
{
    const struct writer disk = {.kind = WRITER_DMA};
    uint8_t bytes[0x30] = {0}, memory[sizeof bytes];
    struct scene s;

    (void)state;
    memset(bytes + 0x11, 0xa5, 0x1d);
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    assert_true(bus_write(s.w.bus, FUNC, bytes, sizeof bytes, &disk));
    assert_false(is_code(&s, FUNC));
    assert_true(bus_read(s.w.bus, FUNC, memory, sizeof memory));
    assert_memory_equal(memory, bytes, sizeof bytes);
    wreck(&s);
}

static void a_block_that_clears_its_own_page_goes_on(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    poke(&s.w, FUNC, SD(ZERO, A0, 0), 4);
    poke(&s.w, FUNC + 4, ADDI(A2, ZERO, 3), 4);
    hart_set_reg(s.w.hart, A0, FUNC);
    step_hart(s.w.hart, FUNC, 2);
    assert_int_equal(hart_reg(s.w.hart, A2), 3);
    assert_int_equal(hart_pc(s.w.hart), FUNC + 8);
    wreck(&s);
}

/* ---- pages that were written before they became code ---- */

static void data_stored_beside_code_makes_the_code_not_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FRESH, 7);
    store(&s, 0, STUB_SD, FRESH + 0x800, 1);
    assert_int_equal(call(&s, 0, FRESH), 7);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

static void code_between_two_fences_of_others_is_stale_for_who_never_fenced(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FRESH, 1);
    store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 2));
    fence(&s, 0);
    store(&s, 0, STUB_SD, FRESH + 0x800, 1); /* the page is opened again, with the new code in it */
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FRESH), 2);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FRESH), 2);
    assert_int_equal(s.seen.stale_count, 1); /* one instruction: `ret` was not written */
    assert_int_equal(s.seen.stale[0].evidence, STALE_PARCEL);
    assert_int_equal(s.seen.stale[0].old_bytes[2], 0x10);
    assert_int_equal(s.seen.stale[0].new_bytes[2], 0x20);
    assert_true(s.seen.stale[0].agent_known);
    assert_int_equal(s.seen.stale[0].who.hart, 0);
    wreck(&s);
}

static void when_too_many_pages_were_opened_only_the_page_is_known(void **state)
{
    static const struct writer disk = {.kind = WRITER_DMA};
    struct scene s;
    struct ram *ram;

    (void)state;
    build(&s, FETCH_STALE, 1);
    ram = bus_ram(s.w.bus);
    load_function(&s, FRESH, 1);
    for (unsigned n = 0; n <= COPIES_DEFAULT; n++) {
        uint64_t page = RAM_BASE + 0x100000 + n % 1500 * PAGE_BYTES;

        ram_write(ram, n ? page : FRESH + 0x800, &n, sizeof n, &disk);
        if (n % 1500 == 0)
            ram_close_pages(ram); /* a fence.i, as by another hart */
    }
    assert_int_equal(call(&s, 0, FRESH), 1);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.stale[0].evidence, STALE_PAGE_ONLY);
    assert_false(s.seen.stale[0].old_known);
    assert_false(s.seen.stale[0].agent_known);
    assert_int_equal(cluster_left_out(s.w.cluster).page_copies, 1);
    wreck(&s);
}

static void of_a_page_that_is_written_all_the_time_only_the_page_is_known(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FRESH, 1);
    for (unsigned n = 0; n <= STREAK_MAX; n++) {
        store(&s, 0, STUB_SD, FRESH + 0x800, n);
        fence(&s, 0);
    }
    store(&s, 0, STUB_SD, FRESH + 0x800, 1);
    assert_int_equal(call(&s, 0, FRESH), 1);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.stale[0].evidence, STALE_PAGE_ONLY);
    wreck(&s);
}

static void of_a_store_long_ago_the_writer_is_forgotten_and_not_the_store(void **state)
{
    struct scene s;
    struct ram *ram;
    const struct writer disk = {.kind = WRITER_DMA};

    (void)state;
    build(&s, FETCH_STALE, 1);
    ram = bus_ram(s.w.bus);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    cluster_declare_code(s.w.cluster, FRESH, 8);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    for (unsigned n = 0; n < 1 << 16; n++) {
        uint64_t value = n + 1;

        s.seen.write_count = 0;
        ram_write(ram, FRESH, &value, sizeof value, &disk);
    }
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_true(s.seen.stale[0].old_known); /* by the hart itself */
    assert_false(s.seen.stale[0].writer_known);
    wreck(&s);
}

/* ---- what a debugger writes ---- */

static void debugger_writes_function(struct scene *s, uint64_t at, unsigned value)
{
    debugger_writes(s, at, ADDI(A0, ZERO, value));
    debugger_writes(s, at + 4, JALR(ZERO, RA, 0));
}

static void code_of_a_debugger_is_not_stale_where_no_code_was(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 1)); /* opens the page */
    store(&s, 0, STUB_SW, FRESH + 8, ADDI(A0, ZERO, 1));
    debugger_writes_function(&s, FRESH, 7);
    debugger_writes(&s, FRESH + 12, JALR(ZERO, RA, 0));
    assert_int_equal(call(&s, 1, FRESH), 7);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FRESH + 8), 1); /* the guest's own is */
    assert_int_equal(s.seen.stale_count, 1);
    assert_int_equal(s.seen.stale[0].pa, FRESH + 8);
    wreck(&s);
}

static void a_debuggers_write_to_a_page_that_was_never_written_is_not_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    debugger_writes_function(&s, FRESH, 7);
    assert_int_equal(call(&s, 0, FRESH), 7);
    store(&s, 0, STUB_SW, FRESH, ADDI(A0, ZERO, 8));
    assert_int_equal(call(&s, 0, FRESH), 7);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

/* The page was code, and harts keep what they have fetched of it until their fences. */
static void a_debugger_can_fill_a_page_that_the_guest_has_cleared(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 8, 1);
    (void)call(&s, 1, FUNC);
    (void)call(&s, 1, FUNC + 8);
    store(&s, 0, STUB_SD, FUNC, 0);
    store(&s, 0, STUB_SD, FUNC + 8, 0);
    assert_false(is_code(&s, FUNC));
    debugger_writes_function(&s, FUNC, 2);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 1, FUNC + 8), 1);
    wreck(&s);
}

static void a_page_that_a_debugger_clears_stays_code(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    debugger_writes(&s, FUNC, 0);
    debugger_writes(&s, FUNC + 4, 0);
    assert_true(is_code(&s, FUNC));
    debugger_writes_function(&s, FUNC, 2);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

static void a_debugger_can_write_half_an_instruction_or_across_pages(void **state)
{
    const struct writer who = {.kind = WRITER_DEBUGGER_FENCED};
    const uint32_t old = ADDI(A0, ZERO, 0x111), new = ADDI(A0, ZERO, 0x122);
    const uint8_t byte = (uint8_t)(new >> 16);
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    poke(&s.w, EDGE, old, 4);
    poke(&s.w, EDGE + 4, JALR(ZERO, RA, 0), 4);
    assert_int_equal(call(&s, 0, EDGE), 0x111);
    debugger_writes(&s, EDGE, new);
    assert_int_equal(call(&s, 0, EDGE), 0x122);
    debugger_writes(&s, EDGE, old);
    assert_int_equal(call(&s, 0, EDGE), 0x111);
    assert_true(bus_write(s.w.bus, EDGE + 2, &byte, 1, &who));
    assert_int_equal(call(&s, 0, EDGE), ((old & 0xff000000U) | (new & 0x00ff0000U)) >> 20);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_patches_itself_goes_on_as_the_mode_says),
        cmocka_unit_test(a_block_that_patches_itself_behind_a_fence_runs_the_new_code),
        cmocka_unit_test(how_far_a_hart_fetches_ahead_is_not_its_budgets_affair),
        cmocka_unit_test(how_a_run_is_cut_does_not_show_in_what_is_fetched),
        cmocka_unit_test(a_store_over_its_own_instruction_is_executed_once),
        cmocka_unit_test(a_page_is_code_until_it_is_cleared),
        cmocka_unit_test(what_was_cleared_is_what_a_hart_has_until_its_fence),
        cmocka_unit_test(a_page_is_code_until_it_is_filled_with_one_byte),
        cmocka_unit_test(a_cleared_page_can_become_code_and_be_cleared_again),
        cmocka_unit_test(declared_code_is_code_until_it_is_cleared),
        cmocka_unit_test(a_page_that_a_device_clears_and_fills_at_once_has_what_it_brought),
        cmocka_unit_test(a_block_that_clears_its_own_page_goes_on),
        cmocka_unit_test(data_stored_beside_code_makes_the_code_not_stale),
        cmocka_unit_test(code_between_two_fences_of_others_is_stale_for_who_never_fenced),
        cmocka_unit_test(when_too_many_pages_were_opened_only_the_page_is_known),
        cmocka_unit_test(of_a_page_that_is_written_all_the_time_only_the_page_is_known),
        cmocka_unit_test(of_a_store_long_ago_the_writer_is_forgotten_and_not_the_store),
        cmocka_unit_test(code_of_a_debugger_is_not_stale_where_no_code_was),
        cmocka_unit_test(a_debuggers_write_to_a_page_that_was_never_written_is_not_stale),
        cmocka_unit_test(a_debugger_can_fill_a_page_that_the_guest_has_cleared),
        cmocka_unit_test(a_page_that_a_debugger_clears_stays_code),
        cmocka_unit_test(a_debugger_can_write_half_an_instruction_or_across_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
