/*
 * test_codemap_harts.c - which of several harts may fetch the old bytes, compared with a simple
 * model of many; and what is known of that as state.
 */
#include "unit/codemap.h"

#include "base/rng.h"
#include "base/state_io.h"

/* ---- several harts ---- */

static void a_fence_serves_no_other_hart(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    (void)call(&s, 1, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    fence(&s, 0);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_ptr_equal(s.seen.stale[0].hart, cluster_hart(s.w.cluster, 1));
    assert_int_equal(s.seen.stale[0].who.hart, 0);
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

/* Firmware stops it, and starts it again: nobody says that this empties its cache. */
static void a_hart_that_is_started_has_the_cache_that_it_had(void **state)
{
    struct scene s;
    struct hart *second;

    (void)state;
    build(&s, FETCH_STALE, 2);
    second = cluster_hart(s.w.cluster, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 1, FUNC);
    hart_turn_off(second);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    hart_start(second, CODE, PRIV_M);
    open_memory(second);
    assert_int_equal(s.seen.fence_count, 0);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

/* It is empty, but another hart's store is not fenced for it; what was loaded before is. */
static void a_hart_that_is_started_first_has_fetched_nothing(void **state)
{
    struct scene s;
    struct hart *second;

    (void)state;
    build(&s, FETCH_STALE, 2);
    second = cluster_hart(s.w.cluster, 1);
    load_function(&s, FUNC, 1);
    load_function(&s, FRESH, 5);
    (void)call(&s, 0, FUNC);
    hart_turn_off(second);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    hart_start(second, CODE, PRIV_M);
    open_memory(second);
    assert_int_equal(call(&s, 1, FRESH), 5);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 1);
    assert_false(s.seen.stale[0].fetched_before);
    wreck(&s);
}

static void a_fence_before_the_store_does_not_count(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    (void)call(&s, 1, FUNC);
    fence(&s, 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    wreck(&s);
}

static void a_remote_fence_serves_its_target_alone(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 3);
    load_function(&s, FUNC, 1);
    for (unsigned hart = 0; hart < 3; hart++)
        (void)call(&s, hart, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    cluster_remote_fence(s.w.cluster, cluster_hart(s.w.cluster, 1), s.w.hart);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 2);
    assert_int_equal(s.seen.fence_count, 1);
    assert_int_equal(s.seen.fence[0].origin, FENCE_REMOTE);
    assert_int_equal(s.seen.fence[0].requester, 0);
    assert_ptr_equal(s.seen.fence[0].hart, cluster_hart(s.w.cluster, 1));
    wreck(&s);
}

static void each_hart_sees_the_bytes_that_it_had(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 3);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 2, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    fence(&s, 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 2, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    fence(&s, 2);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 3);
    wreck(&s);
}

/* The firmware of the next test: a remote fence of hart 1. */
static void fence_hart_one(void *ctx, struct hart *h)
{
    struct cluster *c = hart_cluster(h);

    (void)ctx;
    cluster_remote_fence(c, cluster_hart(c, 1), h);
}

static void a_store_behind_the_remote_fence_is_not_covered_by_it(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_STALE,
                                          .env = {.firmware_call = fence_hart_one}};
    struct scene s;

    (void)state;
    build_with(&s, &config, 2);
    s.w.put_at = CODE + 0x100;
    put(&s.w, SW(A1, A0, 0));
    put(&s.w, ECALL);
    put(&s.w, SW(A2, A0, 4)); /* through the same translation */
    hart_set_reg(s.w.hart, A0, FRESH);
    hart_set_reg(s.w.hart, A1, ADDI(A0, ZERO, 1));
    hart_set_reg(s.w.hart, A2, JALR(ZERO, RA, 0));
    enter(s.w.hart, PRIV_S, CODE + 0x100);
    step_hart(s.w.hart, CODE + 0x100, 3);
    assert_int_equal(call(&s, 1, FRESH), 1);
    assert_true(s.seen.stale_count > 0);
    wreck(&s);
}

static void all_harts_fetch_what_a_debugger_writes(void **state)
{
    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_RANDOM; mode++) {
        struct scene s;

        build(&s, (enum fetch_mode)mode, 3);
        load_function(&s, FUNC, 1);
        (void)call(&s, 0, FUNC);
        (void)call(&s, 1, FUNC);
        debugger_writes(&s, FUNC, ADDI(A0, ZERO, 2));
        for (unsigned hart = 0; hart < 3; hart++)
            assert_int_equal(call(&s, hart, FUNC), 2);
        assert_int_equal(s.seen.stale_count, 0);
        assert_int_equal(s.seen.write_count, 1);
        assert_int_equal(s.seen.fence_count, 0);
        wreck(&s);
    }
}

/* A debugger's write is no fence for what the guest has written. */
static void what_the_guest_wrote_beside_it_stays_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 8, 1);
    (void)call(&s, 1, FUNC);
    (void)call(&s, 1, FUNC + 8);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    store(&s, 0, STUB_SW, FUNC + 8, ADDI(A0, ZERO, 2));
    debugger_writes(&s, FUNC + 8, ADDI(A0, ZERO, 2)); /* as memory has it already */
    assert_int_equal(call(&s, 1, FUNC + 8), 2);
    assert_int_equal(s.seen.stale_count, 0);
    assert_int_equal(call(&s, 1, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_int_equal(s.seen.stale[0].who.kind, WRITER_HART);
    store(&s, 0, STUB_SW, FUNC + 8, ADDI(A0, ZERO, 3)); /* the guest's next store is stale again */
    assert_int_equal(call(&s, 1, FUNC + 8), 2);
    assert_int_equal(s.seen.stale_count, 2);
    wreck(&s);
}

static void a_reset_leaves_nothing_stale(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 1);
    load_function(&s, FUNC, 1);
    (void)call(&s, 0, FUNC);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    start_hart(s.w.hart);
    assert_int_equal(call(&s, 0, FUNC), 2);
    assert_int_equal(s.seen.stale_count, 0);
    wreck(&s);
}

/* ---- many harts ---- */

enum { MANY_HARTS = 5, SLOTS = 400 }; /* functions in one page */

/* What each hart must run, by the rules that are told in fetch mode `stale`. */
struct expected {
    unsigned memory[SLOTS];
    unsigned old[MANY_HARTS][SLOTS];
    bool fetched[MANY_HARTS][SLOTS], differs[MANY_HARTS][SLOTS];
    unsigned max; /* different old values of a slot */
    uint64_t left_out;
};

static bool is_first_with(const struct expected *e, unsigned hart, unsigned slot)
{
    for (unsigned h = 0; h < hart; h++)
        if (e->differs[h][slot] && e->old[h][slot] == e->old[hart][slot])
            return false;
    return e->differs[hart][slot];
}

/* Whether the value in memory, which is about to be overwritten, may be an old one. */
static bool has_room(const struct expected *e, unsigned slot)
{
    unsigned different = 0;

    for (unsigned h = 0; h < MANY_HARTS; h++) {
        if (e->differs[h][slot] && e->old[h][slot] == e->memory[slot])
            return true;
        different += is_first_with(e, h, slot);
    }
    return different < e->max;
}

static void expect_store(struct expected *e, unsigned slot, unsigned value)
{
    bool room = has_room(e, slot);

    for (unsigned h = 0; h < MANY_HARTS; h++) {
        if (!e->fetched[h][slot] || e->differs[h][slot] || value == e->memory[slot])
            continue;
        e->old[h][slot] = e->memory[slot];
        e->differs[h][slot] = e->fetched[h][slot] = room;
        e->left_out += !room;
    }
    e->memory[slot] = value;
}

/* All harts fetch what a debugger has written, also if memory had these bytes before. */
static void expect_debugger(struct expected *e, unsigned slot, unsigned value)
{
    for (unsigned h = 0; h < MANY_HARTS; h++)
        e->differs[h][slot] = false;
    e->memory[slot] = value;
}

static unsigned expect_call(struct expected *e, unsigned hart, unsigned slot)
{
    e->fetched[hart][slot] = true;
    return e->differs[hart][slot] ? e->old[hart][slot] : e->memory[slot];
}

/* A restored cluster has the same state, however its harts share the memory for it. */
static void save_and_restore(const struct scene *s)
{
    struct state_io save, load, again;

    state_io_save(&save, 0);
    cluster_state_io(&save, s->w.cluster);
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, s->w.cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_save(&again, 0);
    cluster_state_io(&again, s->w.cluster);
    assert_int_equal(again.saved.len, save.saved.len);
    assert_memory_equal(again.saved.at, save.saved.at, save.saved.len);
    state_io_free(&save);
    state_io_free(&again);
}

/* One random step; stores are often of one of two values, so that harts have equal old bytes, too.
 */
static void step_many(struct scene *s, struct expected *e, struct rng *rng, unsigned fence_once_in)
{
    unsigned hart = (unsigned)(rng_next(rng) % MANY_HARTS);
    unsigned slot = (unsigned)(rng_next(rng) % SLOTS);
    unsigned value = (unsigned)(rng_next(rng) % (rng_next(rng) % 4 ? 2 : 1000));
    uint64_t at = FUNC + 8 * slot;

    s->seen.stale_count = s->seen.write_count = s->seen.fence_count = 0;
    if (rng_next(rng) % fence_once_in == 0) {
        fence(s, hart);
        memset(e->differs[hart], 0, sizeof e->differs[hart]);
    } else if (rng_next(rng) % 16 == 0) {
        debugger_writes(s, at, ADDI(A0, ZERO, value));
        expect_debugger(e, slot, value);
    } else if (rng_next(rng) % 2) {
        store(s, hart, STUB_SW, at, ADDI(A0, ZERO, value));
        expect_store(e, slot, value);
    } else {
        assert_int_equal(call(s, hart, at), expect_call(e, hart, slot));
    }
}

/* Returns how many old values were left out; at most `max` of a slot are kept. */
static uint64_t run_many(unsigned max, unsigned fence_once_in)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = max};
    struct rng rng = {max + fence_once_in};
    struct expected e = {.max = max};
    struct scene s;

    build_with(&s, &config, MANY_HARTS);
    for (unsigned slot = 0; slot < SLOTS; slot++)
        load_function(&s, FUNC + 8 * slot, 0);
    for (unsigned n = 0; n < 20000; n++) {
        step_many(&s, &e, &rng, fence_once_in);
        if (n % 2500 == 2499)
            save_and_restore(&s);
    }
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, e.left_out);
    wreck(&s);
    return e.left_out;
}

static void each_of_many_harts_runs_what_it_had_however_they_share_it(void **state)
{
    (void)state;
    for (unsigned fence_once_in = 100; fence_once_in <= 100000; fence_once_in *= 10) {
        assert_int_equal(run_many(MANY_HARTS, fence_once_in), 0);
        assert_true(run_many(1, fence_once_in) > run_many(2, fence_once_in));
        assert_true(run_many(3, fence_once_in) > 0 || fence_once_in < 1000);
    }
}

/* The third hart's old bytes would be the third ones: it runs the new ones, which is reported. */
static void a_hart_for_whose_old_bytes_there_is_no_room_runs_the_new_ones(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = 2};
    struct scene s;

    (void)state;
    build_with(&s, &config, 3);
    load_function(&s, FUNC, 1);
    for (unsigned hart = 0; hart < 3; hart++) {
        assert_int_equal(call(&s, hart, FUNC), hart + 1);
        store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, hart + 2));
    }
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    s.seen.stale_count = 0;
    assert_int_equal(call(&s, 2, FUNC), 4);
    assert_int_equal(s.seen.stale_count, 1);
    assert_int_equal(s.seen.stale[0].chosen, FETCHED_NEW);
    assert_false(s.seen.stale[0].fetched_before);
    assert_true(s.seen.stale[0].old_known);
    assert_true(s.seen.stale[0].writer_known);
    fence(&s, 0); /* frees its old bytes */
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 5));
    assert_int_equal(call(&s, 2, FUNC), 4);
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, 1);
    wreck(&s);
}

/* An aligned word is fetched at once: never with one half of the old bytes and one of the new. */
static void of_a_word_both_halves_are_left_out(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = 1};
    struct scene s;

    (void)state;
    build_with(&s, &config, 2);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SH, FUNC + 2, ADDI(A0, ZERO, 2) >> 16);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 0, STUB_SH, FUNC, ADDI(A1, ZERO, 0) & 0xffff);
    hart_set_reg(cluster_hart(s.w.cluster, 1), A0, 9);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 0, STUB_SH, FUNC + 2, ADDI(A1, ZERO, 3) >> 16);
    assert_int_equal(cluster_left_out(s.w.cluster).old_code, 1);
    hart_set_reg(cluster_hart(s.w.cluster, 1), A0, 9);
    assert_int_equal(call(&s, 1, FUNC), 9);
    assert_int_equal(hart_reg(cluster_hart(s.w.cluster, 1), A1), 3);
    assert_int_equal(call(&s, 0, FUNC), 1);
    wreck(&s);
}

/* Restores the state of a cluster with old_code_max 2 in one that has 1, as if it were of that one.
 */
static enum state_error restore_with_less(const struct scene *s, struct scene *less)
{
    /* The number of harts, whether the order of stores is kept, and old_code_max. */
    static const uint8_t harts_and_max[] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    struct state_io save, load;
    uint8_t *at;

    state_io_save(&save, 0);
    cluster_state_io(&save, s->w.cluster);
    at = memmem(save.saved.at, save.saved.len, harts_and_max, sizeof harts_and_max);
    assert_non_null(at);
    at[sizeof harts_and_max - 1] = 1;
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, less->w.cluster);
    state_io_free(&save);
    return state_io_end(&load);
}

static void a_state_with_too_many_old_bytes_is_refused(void **state)
{
    struct cluster_config config = {.fetch = FETCH_STALE, .old_code_max = 2};
    struct scene s, less;

    (void)state;
    build_with(&s, &config, 2);
    config.old_code_max = 1;
    build_with(&less, &config, 2);
    load_function(&s, FUNC, 1);
    for (unsigned n = 0; n < 4; n++) /* as many records of stores as there will be */
        store(&less, 0, STUB_SW, stub(STUB_SB), n);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(restore_with_less(&s, &less), STATE_OK);
    assert_int_equal(call(&s, 1, FUNC), 2);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    assert_int_equal(restore_with_less(&s, &less), STATE_OUT_OF_RANGE);
    wreck(&less);
    wreck(&s);
}

/* Harts 1 and 2 have equal views, with other old bytes than hart 0; then they are different again.
 */
static void harts_that_had_the_same_bytes_can_part(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 3);
    load_function(&s, FUNC, 1);
    load_function(&s, FUNC + 8, 7);
    load_function(&s, FRESH, 8);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 2);
    store(&s, 0, STUB_SW, FUNC, ADDI(A0, ZERO, 3));
    for (unsigned hart = 0; hart < 3; hart++)
        assert_int_equal(call(&s, hart, FRESH), 8);
    assert_int_equal(call(&s, 1, FUNC + 8), 7);
    fence(&s, 2);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(call(&s, 1, FUNC), 2);
    assert_int_equal(call(&s, 2, FUNC), 3);
    wreck(&s);
}

/* ---- state ---- */

static void what_is_known_of_a_store_is_state(void **state)
{
    struct scene s;
    struct state_io save, load;

    (void)state;
    build(&s, FETCH_STALE, 2);
    load_function(&s, FUNC, 1);
    assert_int_equal(call(&s, 0, FUNC), 1);
    store(&s, 1, STUB_SW, FUNC, ADDI(A0, ZERO, 2));
    state_io_save(&save, 0);
    cluster_code_state_io(&save, s.w.cluster);
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_code_state_io(&load, s.w.cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_free(&save);
    assert_int_equal(call(&s, 0, FUNC), 1);
    assert_int_equal(s.seen.stale_count, 1);
    assert_true(s.seen.stale[0].writer_known);
    assert_int_equal(s.seen.stale[0].who.hart, 1);
    assert_int_equal(s.seen.stale[0].who.pc, stub(STUB_SW));
    wreck(&s);
}

static void for_a_hart_that_is_off_no_copies_are_kept(void **state)
{
    struct scene s;

    (void)state;
    build(&s, FETCH_STALE, 2);
    assert_true(ram_reserve_copies(bus_ram(s.w.bus), 4));
    hart_turn_off(cluster_hart(s.w.cluster, 1));
    for (uint64_t n = 0; n < 16; n++) {
        store(&s, 0, STUB_SD, FRESH + n * PAGE_BYTES, 1);
        fence(&s, 0);
    }
    assert_int_equal(cluster_left_out(s.w.cluster).page_copies, 0);
    hart_reset(cluster_hart(s.w.cluster, 1), CODE, PRIV_M);
    for (uint64_t n = 0; n < 16; n++) {
        store(&s, 0, STUB_SD, FRESH + n * PAGE_BYTES, 2);
        fence(&s, 0);
    }
    assert_int_equal(cluster_left_out(s.w.cluster).page_copies, 12);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_serves_no_other_hart),
        cmocka_unit_test(a_hart_that_is_started_has_the_cache_that_it_had),
        cmocka_unit_test(a_hart_that_is_started_first_has_fetched_nothing),
        cmocka_unit_test(a_fence_before_the_store_does_not_count),
        cmocka_unit_test(a_remote_fence_serves_its_target_alone),
        cmocka_unit_test(each_hart_sees_the_bytes_that_it_had),
        cmocka_unit_test(a_store_behind_the_remote_fence_is_not_covered_by_it),
        cmocka_unit_test(all_harts_fetch_what_a_debugger_writes),
        cmocka_unit_test(what_the_guest_wrote_beside_it_stays_stale),
        cmocka_unit_test(a_reset_leaves_nothing_stale),
        cmocka_unit_test(each_of_many_harts_runs_what_it_had_however_they_share_it),
        cmocka_unit_test(a_hart_for_whose_old_bytes_there_is_no_room_runs_the_new_ones),
        cmocka_unit_test(of_a_word_both_halves_are_left_out),
        cmocka_unit_test(a_state_with_too_many_old_bytes_is_refused),
        cmocka_unit_test(harts_that_had_the_same_bytes_can_part),
        cmocka_unit_test(what_is_known_of_a_store_is_state),
        cmocka_unit_test(for_a_hart_that_is_off_no_copies_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
