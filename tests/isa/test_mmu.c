/*
 * test_mmu.c - address translation: what volume II of the manual says, and that caches of
 * translations cannot be seen.
 */
#include "priv.h"

/* One access to va in a mode; 0 or the cause of the trap, of which tval must be va. */
static uint64_t access_cause(struct world *w, enum privilege mode, uint64_t extra_status,
                             uint64_t va, uint32_t word)
{
    uint64_t at = put(w, word);
    uint64_t pc = mode == PRIV_U ? as_user(at) : at;

    start_hart(w->hart);
    set_csr(w->hart, SATP, SV39(ROOT));
    set_status(w->hart, extra_status);
    enter(w->hart, mode, pc);
    set_status(w->hart, extra_status); /* `enter` clears MPRV */
    hart_set_reg(w->hart, A0, va);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    if (csr(w->hart, MCAUSE) && csr(w->hart, MCAUSE) != EXC_ILLEGAL)
        assert_int_equal(csr(w->hart, MTVAL), va);
    return csr(w->hart, MCAUSE);
}

static const uint32_t load_word = LD(A1, A0, 0), store_word = SD(A1, A0, 0),
                      jump_word = JALR(RA, A0, 0);

/* After each tried word is a zero parcel: a successful access ends in an illegal instruction. */
enum { FINE = EXC_ILLEGAL };

static uint64_t try_pte(struct world *w, enum privilege mode, uint64_t extra_status, uint64_t pte,
                        uint32_t word)
{
    poke(w, LAST, pte, 8);
    return access_cause(w, mode, extra_status, WINDOW + 0x100, word);
}

struct permission {
    const char *what;
    enum privilege mode;
    uint64_t status, flags;
    uint64_t load, store, fetch; /* causes, or FINE */
};

static void permissions_are_those_of_the_manual(void **state)
{
    enum { L = EXC_LOAD_PAGE, S = EXC_STORE_PAGE, F = EXC_FETCH_PAGE };
    static const struct permission all[] = {
        {"all rights", PRIV_S, 0, VAD | RWX, FINE, FINE, FINE},
        {"not valid", PRIV_S, 0, (VAD | RWX) & ~PTE_V, L, S, F},
        {"read only", PRIV_S, 0, VAD | PTE_R, FINE, S, F},
        {"read and write", PRIV_S, 0, VAD | PTE_R | PTE_W, FINE, FINE, F},
        {"execute only", PRIV_S, 0, VAD | PTE_X, L, S, FINE},
        {"execute only, MXR", PRIV_S, STATUS_MXR, VAD | PTE_X, FINE, S, FINE},
        {"read and execute", PRIV_S, 0, VAD | PTE_R | PTE_X, FINE, S, FINE},
        {"write only is reserved", PRIV_S, 0, VAD | PTE_W, L, S, F},
        {"write and execute is reserved", PRIV_S, 0, VAD | PTE_W | PTE_X, L, S, F},
        {"no rights is a pointer, and there is no level left", PRIV_S, 0, PTE_V, L, S, F},
        {"user page from S", PRIV_S, 0, VAD | RWX | PTE_U, L, S, F},
        {"user page from S, SUM", PRIV_S, STATUS_SUM, VAD | RWX | PTE_U, FINE, FINE, F},
        {"user page from S, SUM, read only", PRIV_S, STATUS_SUM, VAD | PTE_R | PTE_U, FINE, S, F},
        {"user page from S, SUM and MXR", PRIV_S, STATUS_SUM | STATUS_MXR, VAD | PTE_X | PTE_U,
         FINE, S, F},
        {"user page from S, MXR alone", PRIV_S, STATUS_MXR, VAD | PTE_X | PTE_U, L, S, F},
        {"user page from U", PRIV_U, 0, VAD | RWX | PTE_U, FINE, FINE, FINE},
        {"user page from U, read only", PRIV_U, 0, VAD | PTE_R | PTE_U, FINE, S, F},
        {"user page from U, execute only", PRIV_U, 0, VAD | PTE_X | PTE_U, L, S, FINE},
        {"user page from U, execute only, MXR", PRIV_U, STATUS_MXR, VAD | PTE_X | PTE_U, FINE, S,
         FINE},
        {"kernel page from U", PRIV_U, 0, VAD | RWX, L, S, F},
        {"kernel page from U, SUM", PRIV_U, STATUS_SUM, VAD | RWX, L, S, F},
        {"global", PRIV_S, 0, VAD | RWX | PTE_G, FINE, FINE, FINE},
        {"M-mode is not translated", PRIV_M, 0, VAD | RWX, EXC_LOAD_ACCESS, EXC_STORE_ACCESS,
         EXC_FETCH_ACCESS},
        {"M-mode as S", PRIV_M, STATUS_MPRV | MPP(PRIV_S), VAD | PTE_R, FINE, S, EXC_FETCH_ACCESS},
        {"M-mode as S, user page", PRIV_M, STATUS_MPRV | MPP(PRIV_S), VAD | RWX | PTE_U, L, S,
         EXC_FETCH_ACCESS},
        {"M-mode as S, user page, SUM", PRIV_M, STATUS_MPRV | MPP(PRIV_S) | STATUS_SUM,
         VAD | RWX | PTE_U, FINE, FINE, EXC_FETCH_ACCESS},
        {"M-mode as U", PRIV_M, STATUS_MPRV, VAD | RWX | PTE_U, FINE, FINE, EXC_FETCH_ACCESS},
        {"M-mode as U, kernel page", PRIV_M, STATUS_MPRV, VAD | RWX, L, S, EXC_FETCH_ACCESS},
        {"M-mode as M", PRIV_M, STATUS_MPRV | MPP(PRIV_M), VAD | RWX, EXC_LOAD_ACCESS,
         EXC_STORE_ACCESS, EXC_FETCH_ACCESS},
    };
    struct world *w = *state;

    build_tables(w);
    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        const struct permission *p = &all[n];
        uint64_t pte = ENTRY(FRAME) | p->flags;
        uint64_t load = try_pte(w, p->mode, p->status, pte, load_word);
        uint64_t store = try_pte(w, p->mode, p->status, pte, store_word);
        uint64_t fetch = try_pte(w, p->mode, p->status, pte, jump_word);

        if (load != p->load || store != p->store || fetch != p->fetch)
            fail_msg("%s: load %d, store %d, fetch %d", p->what, (int)load, (int)store, (int)fetch);
    }
}

static void reserved_bits_of_an_entry_fault(void **state)
{
    struct world *w = *state;
    const uint64_t good = ENTRY(FRAME) | VAD | RWX;

    build_tables(w);
    for (unsigned bit = 54; bit < 61; bit++)
        assert_int_equal(try_pte(w, PRIV_S, 0, good | UINT64_C(1) << bit, load_word),
                         EXC_LOAD_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, good | UINT64_C(3) << 61, load_word), EXC_LOAD_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, good | 3 << 8, load_word), FINE); /* software's own */
}

static void an_address_that_is_not_canonical_faults(void **state)
{
    static const uint64_t wrong[] = {UINT64_C(0x4000000000) + WINDOW, UINT64_C(0x8000000000),
                                     UINT64_C(0xffffff8000000000) - 8,
                                     UINT64_C(0xff00000040000000)};
    struct world *w = *state;

    build_tables(w);
    for (size_t n = 0; n < ARRAY_LEN(wrong); n++) {
        assert_int_equal(access_cause(w, PRIV_S, 0, wrong[n], load_word), EXC_LOAD_PAGE);
        assert_int_equal(access_cause(w, PRIV_S, 0, wrong[n], store_word), EXC_STORE_PAGE);
        assert_int_equal(access_cause(w, PRIV_S, 0, wrong[n], jump_word), EXC_FETCH_PAGE);
    }
}

static void the_upper_half_translates(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, ROOT + 8 * 511, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, DATA, 0x1234, 8);
    assert_int_equal(
        access_cause(w, PRIV_S, 0, UINT64_C(0xffffffffc0000000) + DATA - RAM_BASE, load_word),
        FINE);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
}

static void superpages_translate_and_must_be_aligned(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, DATA, 0x1234, 8);
    poke(w, MIDDLE, ENTRY(RAM_BASE) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW + DATA - RAM_BASE, load_word), FINE);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    poke(w, MIDDLE, ENTRY(FRAME) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), EXC_LOAD_PAGE);
    poke(w, ROOT + 8, ENTRY(RAM_BASE) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW + DATA - RAM_BASE, load_word), FINE);
    poke(w, ROOT + 8, ENTRY(RAM_BASE + 0x200000) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, store_word), EXC_STORE_PAGE);
}

/* ---- code that is mapped elsewhere while it runs ---- */

/* A loop in the window: it counts in `counter` and stores A2 to the window's entry. */
static void put_window_loop(struct world *w, uint64_t frame, unsigned counter)
{
    poke(w, frame, ADDI(counter, counter, 1), 4);
    poke(w, frame + 4, SD(A2, A0, 0), 4);
    poke(w, frame + 8, JAL(ZERO, -8), 4);
}

/* Three rounds of the loop in FRAME, which counts in A1; that of the next page counts in A3. */
static void run_window_loop(struct world *w)
{
    build_tables(w);
    put_window_loop(w, FRAME, A1);
    put_window_loop(w, FRAME + 0x1000, A3);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A0, LAST);
    hart_set_reg(w->hart, A1, 0);
    hart_set_reg(w->hart, A2, ENTRY(FRAME) | RWX | VAD);
    hart_set_reg(w->hart, A3, 0);
    (void)!hart_run(w->hart, 9, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 3);
}

static void code_that_maps_itself_elsewhere_goes_on_there(void **state)
{
    struct world *w = *state;

    run_window_loop(w);
    hart_set_reg(w->hart, A2, ENTRY(FRAME + 0x1000) | RWX | VAD);
    (void)!hart_run(w->hart, 12, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 4);
    assert_int_equal(hart_reg(w->hart, A3), 3);
}

static void code_that_another_maps_elsewhere_goes_on_there(void **state)
{
    struct world *w = *state;

    run_window_loop(w);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    hart_set_reg(w->hart, A2, ENTRY(FRAME + 0x1000) | RWX | VAD);
    poke(w, LAST, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    (void)!hart_run(w->hart, 11, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 4);
    assert_int_equal(hart_reg(w->hart, A3), 3);
}

/* Its last executed instruction began in a page that is still there, and ended in one that is not.
 */
static void code_whose_next_page_is_unmapped_faults_behind_it(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    poke(w, FRAME + 0xffe, DIV(A1, A2, A3), 4);
    set_csr(w->hart, MEDELEG, UINT64_C(1) << EXC_FETCH_PAGE);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    hart_set_reg(w->hart, A2, 42);
    hart_set_reg(w->hart, A3, 6);
    (void)!hart_run(w->hart, 1, hart_cycles(w->hart) + 1);
    assert_int_equal(hart_reg(w->hart, A1), 7);
    poke(w, LAST + 8, 0, 8);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped_to_s(w->hart, EXC_FETCH_PAGE, WINDOW + 0x1002, WINDOW + 0x1002);
}

/* ---- adjacent superpages, which share a load span ---- */

#define SUPERPAGE UINT64_C(0x200000)

/* The first word of each identifies it; the window maps the first and the second. */
static void put_superpages(struct world *w, uint64_t second_flags)
{
    build_tables(w);
    for (uint64_t n = 1; n < 4; n++)
        poke(w, RAM_BASE + n * SUPERPAGE, n, 8);
    poke(w, MIDDLE + 8, ENTRY(RAM_BASE + SUPERPAGE) | RWX | VAD, 8);
    poke(w, MIDDLE + 16, ENTRY(RAM_BASE + 2 * SUPERPAGE) | second_flags, 8);
    enter(w->hart, PRIV_S, CODE);
}

static uint64_t loaded_from(struct world *w, uint64_t va)
{
    hart_set_reg(w->hart, A0, va);
    exec(w, load_word);
    return hart_reg(w->hart, A1);
}

static void a_superpage_beside_another_can_be_remapped(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | VAD);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 2);
    poke(w, MIDDLE + 16, ENTRY(RAM_BASE + 3 * SUPERPAGE) | RWX | VAD, 8);
    hart_set_reg(w->hart, A0, WINDOW + 3 * SUPERPAGE - 1);
    exec(w, SFENCE_VMA(A0, ZERO));
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 3);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
}

/* The third begins in RAM and ends after it. */
static void a_superpage_that_memory_ends_in_can_be_remapped(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | VAD);
    poke(w, MIDDLE + 24, ENTRY(RAM_BASE + 3 * SUPERPAGE) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 2);
    assert_int_equal(loaded_from(w, WINDOW + 3 * SUPERPAGE), 3);
    poke(w, MIDDLE + 24, ENTRY(RAM_BASE + SUPERPAGE) | RWX | VAD, 8);
    hart_set_reg(w->hart, A0, WINDOW + 4 * SUPERPAGE - 1);
    exec(w, SFENCE_VMA(A0, ZERO));
    assert_int_equal(loaded_from(w, WINDOW + 3 * SUPERPAGE), 1);
}

/* Nothing comes before physical address 0: the entry for that is reserved. */
static void superpages_do_not_go_round(void **state)
{
    const uint64_t gigabyte = UINT64_C(1) << 30;
    struct world *w = *state;

    build_tables(w);
    poke(w, DATA, 0x1234, 8);
    for (uint64_t n = 0; n < 4; n++)
        poke(w, ROOT + 8 * (5 + n), (ENTRY(gigabyte * n) - ENTRY(gigabyte)) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_int_equal(loaded_from(w, 8 * gigabyte + DATA - RAM_BASE), 0x1234);
    (void)!loaded_from(w, 7 * gigabyte + 0x1000);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_ACCESS);
    start_hart(w->hart);
    set_csr(w->hart, SATP, SV39(ROOT));
    enter(w->hart, PRIV_S, CODE);
    (void)!loaded_from(w, 5 * gigabyte + DATA - RAM_BASE);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
}

static void superpages_side_by_side_may_lie_apart(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | VAD);
    poke(w, MIDDLE + 16, ENTRY(RAM_BASE + 3 * SUPERPAGE) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 3);
    poke(w, MIDDLE + 24, ENTRY(RAM_BASE) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 3);
}

static void each_superpage_permits_for_itself(void **state)
{
    static const uint64_t not_readable[] = {PTE_X | VAD, RWX | VAD | PTE_U, 0};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(not_readable); n++) {
        start_hart(w->hart);
        put_superpages(w, not_readable[n]);
        assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
        assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE - 8), 0);
        assert_int_equal(csr(w->hart, MCAUSE), 0);
        (void)!loaded_from(w, WINDOW + 2 * SUPERPAGE);
        assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
        assert_int_equal(csr(w->hart, MTVAL), WINDOW + 2 * SUPERPAGE);
    }
}

static void each_superpage_is_marked_when_it_is_used(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | PTE_V);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    assert_int_equal(peek(w, MIDDLE + 16, 8) & PTE_A, 0);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 2);
    assert_int_equal(peek(w, MIDDLE + 16, 8) & PTE_A, PTE_A);
}

static void a_pointer_with_the_bits_of_a_leaf_is_reserved(void **state)
{
    static const uint64_t leaf_bits[] = {PTE_A, PTE_D, PTE_U};
    struct world *w = *state;

    build_tables(w);
    for (size_t n = 0; n < ARRAY_LEN(leaf_bits); n++) {
        poke(w, MIDDLE, ENTRY(LAST) | PTE_V | leaf_bits[n], 8);
        assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), EXC_LOAD_PAGE);
    }
    poke(w, MIDDLE, ENTRY(LAST) | PTE_V | PTE_G, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), FINE);
}

static void a_table_outside_memory_is_an_access_fault(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, MIDDLE, ENTRY(UINT64_C(0x1000)) | PTE_V, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), EXC_LOAD_ACCESS);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, store_word), EXC_STORE_ACCESS);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, jump_word), EXC_FETCH_ACCESS);
}

static void a_frame_outside_memory_is_an_access_fault(void **state)
{
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(UINT64_C(0x1000)) | VAD | RWX, load_word),
                     EXC_LOAD_ACCESS);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(UINT64_C(0x1000)) | VAD | RWX, jump_word),
                     EXC_FETCH_ACCESS);
}

/* The entry of the window after one access to it. */
static uint64_t entry_after(struct world *w, uint64_t flags, uint32_t word)
{
    (void)try_pte(w, PRIV_S, 0, ENTRY(FRAME) | flags, word);
    return peek(w, LAST, 8) & 0x3ff;
}

static void hardware_marks_pages_accessed_and_dirty(void **state)
{
    const uint64_t clear = PTE_V | RWX;
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(entry_after(w, clear, load_word), clear | PTE_A);
    assert_int_equal(entry_after(w, clear, jump_word), clear | PTE_A);
    assert_int_equal(entry_after(w, clear, store_word), clear | PTE_A | PTE_D);
    assert_int_equal(entry_after(w, clear | PTE_A, store_word), clear | PTE_A | PTE_D);
    assert_int_equal(entry_after(w, clear, AMOADD_D(0, A1, A1, A0)), clear | PTE_A | PTE_D);
}

static void an_access_that_faults_marks_nothing(void **state)
{
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(entry_after(w, PTE_V | PTE_R, store_word), PTE_V | PTE_R);
    assert_int_equal(entry_after(w, PTE_V | PTE_X, load_word), PTE_V | PTE_X);
    assert_int_equal(entry_after(w, PTE_V | RWX | PTE_U, load_word), PTE_V | RWX | PTE_U);
}

static void a_store_after_a_load_still_marks_the_page_dirty(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | PTE_V | RWX, 8);
    put(w, load_word);
    put(w, store_word);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(peek(w, LAST, 8) & 0x3ff, PTE_V | RWX | PTE_A);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(peek(w, LAST, 8) & 0x3ff, PTE_V | RWX | PTE_A | PTE_D);
}

static void looking_on_marks_nothing(void **state)
{
    struct world *w = *state;
    uint64_t pa = 0;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | PTE_V | RWX, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_true(hart_translate(w->hart, WINDOW + 0x123, ACCESS_STORE, &pa));
    assert_int_equal(pa, FRAME + 0x123);
    assert_false(hart_translate(w->hart, WINDOW + 0x1000, ACCESS_LOAD, &pa));
    assert_int_equal(peek(w, LAST, 8) & 0x3ff, PTE_V | RWX);
}

static void looking_at_memory_crosses_pages_and_stops_at_holes(void **state)
{
    struct world *w = *state;
    uint8_t seen[16];

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME - 0x2000) | PTE_X | VAD, 8); /* code can be read, too */
    poke(w, FRAME + 0xff8, 0x1122334455667788, 8);
    poke(w, FRAME - 0x2000, 0x99aabbccddeeff00, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_true(hart_peek(w->hart, WINDOW + 0xffd, seen, 8));
    assert_memory_equal(seen, "\x33\x22\x11\x00\xff\xee\xdd\xcc", 8);
    assert_true(hart_peek(w->hart, WINDOW + 0xff8, seen, 8));
    assert_memory_equal(seen, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
    assert_false(hart_peek(w->hart, WINDOW + 0x1ffc, seen, 8));
    assert_true(hart_peek(w->hart, WINDOW + 0x1ffc, seen, 4));
    poke(w, LAST + 8, ENTRY(UINT64_C(0x1000)) | RWX | VAD, 8); /* no memory there */
    assert_false(hart_peek(w->hart, WINDOW + 0xffd, seen, 8));
}

static void an_lr_faults_as_a_load_and_an_amo_as_a_store(void **state)
{
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(try_pte(w, PRIV_S, 0, 0, LR_D(0, A1, A0)), EXC_LOAD_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, 0, SC_D(0, A1, A2, A0)), EXC_STORE_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, 0, AMOADD_D(0, A1, A2, A0)), EXC_STORE_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(FRAME) | VAD | PTE_R, AMOADD_D(0, A1, A2, A0)),
                     EXC_STORE_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(FRAME) | VAD | PTE_R, LR_D(0, A1, A0)), FINE);
}

static void an_access_across_pages_faults_at_the_page_that_is_missing(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW + 0xffd);
    hart_set_reg(w->hart, A1, 77);
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW + 0x1000);
    assert_int_equal(hart_reg(w->hart, A1), 77);
    poke(w, FRAME + 0xff8, 0, 8);
    enter(w->hart, PRIV_S, w->put_at);
    at = exec(w, store_word);
    assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW + 0x1000);
    assert_int_equal(peek(w, FRAME + 0xff8, 8), 0); /* and nothing is half written */
}

static void an_access_across_pages_reaches_both_frames(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME - 0x2000) | RWX | VAD,
         8); /* the next page is elsewhere in memory */
    poke(w, FRAME + 0xff8, 0x1122334455667788, 8);
    poke(w, FRAME - 0x2000, 0x99aabbccddeeff00, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW + 0xffd);
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0xccddeeff00112233);
    hart_set_reg(w->hart, A1, 0x0102030405060708);
    exec(w, store_word);
    assert_int_equal(peek(w, FRAME + 0xff8, 8), 0x0607084455667788);
    assert_int_equal(peek(w, FRAME - 0x2000, 8), 0x99aabb0102030405);
}

static void an_instruction_across_pages_is_fetched_from_both_frames(void **state)
{
    struct world *w = *state;
    const uint32_t word = ADDI(A1, ZERO, 1234);

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME - 0x2000) | RWX | VAD, 8);
    poke(w, FRAME + 0xffe, word, 2);
    poke(w, FRAME - 0x2000, word >> 16, 2);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 1234);
    assert_int_equal(hart_pc(w->hart), WINDOW + 0x1002);
}

static void an_instruction_across_pages_faults_at_its_second_half(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, FRAME + 0xffe, NOP, 2);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_PAGE, WINDOW + 0xffe, WINDOW + 0x1000);
}

static void the_second_half_of_an_instruction_can_be_remapped(void **state)
{
    struct world *w = *state;
    const uint32_t one = ADDI(A1, ZERO, 1), two = ADDI(A1, ZERO, 2);

    build_tables(w);
    poke(w, FRAME + 0xffe, one, 2);
    poke(w, FRAME + 0x1000, one >> 16, 2);
    poke(w, FRAME + 0x2000, two >> 16, 2);
    poke(w, LAST + 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 1);
    poke(w, LAST + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    step_at(w, WINDOW + 0xffe);
    assert_int_equal(hart_reg(w->hart, A1), 2);
}

/* ---- translation and cached blocks ---- */

/* WINDOW's page jumps into the page after it, where a1 is set. */
static void put_two_pages(struct world *w)
{
    build_tables(w);
    poke(w, FRAME, JAL(ZERO, 0x1000), 4);
    poke(w, FRAME + 0x1000, ADDI(A1, ZERO, 1), 4);
    poke(w, FRAME + 0x2000, ADDI(A1, ZERO, 2), 4);
    poke(w, LAST + 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
}

static uint64_t result_of_two_pages(struct world *w)
{
    hart_set_reg(w->hart, A1, 0);
    hart_set_pc(w->hart, WINDOW);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    return hart_reg(w->hart, A1);
}

static void a_jump_into_a_page_that_was_remapped_finds_the_new_one(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(result_of_two_pages(w), 1);
    poke(w, LAST + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(result_of_two_pages(w), 2);
}

/* Whether a translation was cached must make no difference: a snapshot drops them all. */
static void a_changed_entry_is_in_force_before_the_fence(void **state)
{
    struct world *w = *state;
    struct ram *ram = bus_ram(w->bus);

    put_two_pages(w);
    poke(w, FRAME + 0x1008, 0x1111, 8);
    poke(w, FRAME + 0x2008, 0x2222, 8);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A2, LAST + 8);
    hart_set_reg(w->hart, A3, ENTRY(FRAME + 0x2000) | RWX | VAD);
    hart_set_reg(w->hart, A4, ENTRY(FRAME + 0x2000) | VAD | PTE_R);
    hart_set_reg(w->hart, A0, WINDOW + 0x1008);
    exec(w, SD(ZERO, A2, 8)); /* so that the hart has a translation for stores to the table */
    for (unsigned n = 0; n < 3; n++) {
        exec(w, LD(A1, A0, 0));
        assert_int_equal(hart_reg(w->hart, A1), 0x1111);
        exec(w, SD(A1, A0, 0));
        assert_int_equal(result_of_two_pages(w), 1);
    }
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE);
    exec(w, SD(A3, A2, 0));
    exec(w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w->hart, A1), 0x2222);
    assert_int_equal(result_of_two_pages(w), 2);
    exec(w, SD(A4, A2, 0));
    exec(w, LD(A1, A0, 0));
    exec(w, SD(A1, A0, 0));
    assert_trapped(w->hart, EXC_STORE_PAGE, w->put_at - 4, WINDOW + 0x1008);
}

/* A and D of a leaf do not change what it says; of a pointer they make it reserved. */
static void a_used_pointer_that_gets_the_bits_of_a_leaf_is_in_force_no_more(void **state)
{
    static const uint64_t leaf_bits[] = {PTE_A, PTE_D};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(leaf_bits); n++) {
        put_two_pages(w);
        enter(w->hart, PRIV_S, WINDOW);
        hart_set_reg(w->hart, A0, WINDOW + 0x1008);
        exec(w, LD(A1, A0, 0));
        exec(w, LD(A1, A0, 0));
        poke(w, MIDDLE, ENTRY(LAST) | PTE_V | leaf_bits[n], 8);
        exec(w, LD(A1, A0, 0));
        assert_trapped(w->hart, EXC_LOAD_PAGE, w->put_at - 4, WINDOW + 0x1008);
    }
}

/* Stores to what was a page table once are as fast as others. */
static void a_page_table_that_became_data_is_an_ordinary_page(void **state)
{
    struct world *w = *state;
    struct ram *ram = bus_ram(w->bus);

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A0, WINDOW);
    exec(w, LD(A1, A0, 0));
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE);
    poke(w, LAST + 16, ENTRY(FRAME) | VAD, 8); /* no translation came from it */
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD | PTE_G, 8);
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE); /* it is an entry */
    exec(w, LD(A1, A0, 0));
    poke(w, LAST, 0x1234, 8); /* it is none */
    assert_int_equal(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE, 0);
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD, 8);
    exec(w, LD(A1, A0, 0));
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE);
}

/* The window shows the table that leads to it; the first store leads it elsewhere. */
static void a_store_that_moves_its_own_page_is_the_last_one_to_it(void **state)
{
    const uint64_t other = LAST + 0x1000;
    struct world *w = *state;

    build_tables(w);
    poke(w, LAST, ENTRY(MIDDLE) | RWX | VAD, 8);
    poke(w, other, ENTRY(FRAME) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    hart_set_reg(w->hart, A1, ENTRY(other) | PTE_V);
    exec(w, SD(A1, A0, 0));
    exec(w, SD(A1, A0, 8));
    assert_int_equal(peek(w, MIDDLE + 8, 8), 0);
    assert_int_equal(peek(w, FRAME + 8, 8), ENTRY(other) | PTE_V);
}

static void one_table_may_translate_two_ranges(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, MIDDLE + 8, ENTRY(LAST) | PTE_V, 8);
    poke(w, FRAME, 1, 8);
    poke(w, FRAME + 0x1000, 2, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_int_equal(loaded_from(w, WINDOW), 1);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    poke(w, LAST, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW), 2);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 2);
}

static void a_jump_into_a_page_that_was_unmapped_faults(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(result_of_two_pages(w), 1);
    poke(w, LAST + 8, 0, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(result_of_two_pages(w), 0);
    assert_trapped(w->hart, EXC_FETCH_PAGE, WINDOW + 0x1000, WINDOW + 0x1000);
}

static void running_on_into_a_page_that_was_remapped_finds_the_new_one(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    poke(w, FRAME + 0xffc, NOP, 4);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++) {
        hart_set_pc(w->hart, WINDOW + 0xffc);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_int_equal(hart_reg(w->hart, A1), 1);
    }
    poke(w, LAST + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    hart_set_pc(w->hart, WINDOW + 0xffc);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 2);
}

/* Address spaces that share a page but not the one it jumps to; their ASIDs differ. */
static void another_address_space_has_its_own_jumps(void **state)
{
    struct world *w = *state;
    const uint64_t other_root = RAM_BASE + 0x44000, other_middle = RAM_BASE + 0x45000;
    const uint64_t other_last = RAM_BASE + 0x46000;

    put_two_pages(w);
    poke(w, other_root + 8 * 1, ENTRY(other_middle) | PTE_V, 8);
    poke(w, other_root + 8 * 2, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, other_middle, ENTRY(other_last) | PTE_V, 8);
    poke(w, other_last, ENTRY(FRAME) | RWX | VAD, 8);
    poke(w, other_last + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A2, SV39(ROOT) | UINT64_C(1) << 44);
    hart_set_reg(w->hart, A3, SV39(other_root) | UINT64_C(2) << 44);
    for (unsigned n = 0; n < 3; n++) {
        exec(w, CSRRW(ZERO, SATP, A2));
        assert_int_equal(result_of_two_pages(w), 1);
        exec(w, CSRRW(ZERO, SATP, A3));
        assert_int_equal(result_of_two_pages(w), 2);
    }
}

/* M-mode has run the code already; S-mode may not. */
static void what_one_mode_may_execute_another_may_not(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, FRAME, JAL(ZERO, 0x1000), 4);
    poke(w, FRAME + 0x1000, ADDI(A1, ZERO, 1), 4);
    for (unsigned n = 0; n < 3; n++) {
        hart_set_pc(w->hart, FRAME);
        assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_reg(w->hart, A1), 1);
    }
    /* The same virtual addresses, but the second page is not executable. */
    poke(w, ROOT + 8 * 2, ENTRY(MIDDLE) | PTE_V, 8);
    poke(w, MIDDLE, ENTRY(LAST) | PTE_V, 8);
    for (uint64_t pa = RAM_BASE; pa < RAM_BASE + RAM_SIZE; pa += PAGE_BYTES)
        poke(w, LAST + (pa - RAM_BASE) / PAGE_BYTES * 8,
             ENTRY(pa) | VAD | PTE_R | (pa == FRAME + 0x1000 ? 0 : PTE_X), 8);
    set_csr(w->hart, SATP, SV39(ROOT));
    hart_set_reg(w->hart, A1, 0);
    enter(w->hart, PRIV_S, FRAME);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_PAGE, FRAME + 0x1000, FRAME + 0x1000);
    assert_int_equal(hart_reg(w->hart, A1), 0);
}

static void u_mode_may_not_execute_what_s_mode_just_did(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(result_of_two_pages(w), 1);
    start_hart(w->hart);
    set_csr(w->hart, SATP, SV39(ROOT));
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD | PTE_U, 8);
    enter(w->hart, PRIV_U, WINDOW);
    assert_int_equal(result_of_two_pages(w), 0);
    assert_trapped(w->hart, EXC_FETCH_PAGE, WINDOW + 0x1000, WINDOW + 0x1000);
}

/* One virtual address, three meanings; without a flush in between. */
static void each_mode_fetches_through_its_own_translation(void **state)
{
    struct world *w = *state;
    const uint64_t va = FRAME; /* M-mode's, by physical address */

    build_tables(w);
    poke(w, ROOT + 8 * 2, ENTRY(MIDDLE) | PTE_V, 8);
    poke(w, LAST + (FRAME - RAM_BASE) / PAGE_BYTES * 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    set_csr(w->hart, SATP, SV39(ROOT));
    poke(w, FRAME, ADDI(A1, ZERO, 1), 4);
    poke(w, FRAME + 4, ECALL, 4);
    poke(w, FRAME + 0x1000, ADDI(A1, ZERO, 2), 4);
    poke(w, FRAME + 0x1004, ECALL, 4);
    for (unsigned n = 0; n < 3; n++) {
        enter(w->hart, PRIV_S, va);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_trapped(w->hart, EXC_ECALL_S, va + 4, 0);
        assert_int_equal(hart_reg(w->hart, A1), 2);
        hart_set_pc(w->hart, va);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_trapped(w->hart, EXC_ECALL_M, va + 4, 0);
        assert_int_equal(hart_reg(w->hart, A1), 1);
        enter(w->hart, PRIV_U, va);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_trapped(w->hart, EXC_FETCH_PAGE, va, va);
        assert_int_equal(hart_reg(w->hart, A1), 1);
    }
}

static void mprv_and_sum_take_effect_at_once(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD | PTE_U, 8);
    poke(w, FRAME, 0x1234, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    hart_set_reg(w->hart, A2, STATUS_SUM);
    exec(w, CSRRS(ZERO, SSTATUS, A2));
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    exec(w, CSRRC(ZERO, SSTATUS, A2));
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW);
    hart_set_reg(w->hart, A2, STATUS_MPRV | STATUS_SUM); /* mpp is S after the trap */
    hart_set_reg(w->hart, A1, 0);
    exec(w, CSRRS(ZERO, MSTATUS, A2));
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    exec(w, CSRRC(ZERO, MSTATUS, A2));
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_ACCESS, at, WINDOW);
}

static void mxr_takes_effect_at_once(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | PTE_X | VAD, 8);
    poke(w, FRAME, 0x1234, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    hart_set_reg(w->hart, A2, STATUS_MXR);
    exec(w, CSRRS(ZERO, SSTATUS, A2));
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    exec(w, CSRRC(ZERO, SSTATUS, A2));
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW);
}

static void a_fault_can_be_delegated_and_shows_the_address(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    poke(w, LAST, 0, 8);
    set_csr(w->hart, MEDELEG, 1 << EXC_STORE_PAGE | 1 << EXC_LOAD_PAGE | 1 << EXC_FETCH_PAGE);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW + 0x7ff);
    at = exec(w, SD(A1, A0, -0x7f8));
    assert_trapped_to_s(w->hart, EXC_STORE_PAGE, at, WINDOW + 7);
    at = exec(w, LB(A1, A0, 1));
    assert_trapped_to_s(w->hart, EXC_LOAD_PAGE, at, WINDOW + 0x800);
    put(w, JALR(RA, A0, 1));
    hart_set_pc(w->hart, w->put_at - 4);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    assert_trapped_to_s(w->hart, EXC_FETCH_PAGE, WINDOW + 0x800, WINDOW + 0x800);
}

/* Longer addresses: the same tables one and two levels further down. */
static void sv48_and_sv57_walk_more_levels(void **state)
{
    struct world *w = *state;
    const uint64_t above = RAM_BASE + 0x47000, top = RAM_BASE + 0x48000;

    build_tables(w);
    poke(w, above, ENTRY(ROOT) | PTE_V, 8);
    poke(w, top, ENTRY(above) | PTE_V, 8);
    poke(w, FRAME, 0x1234, 8);
    for (unsigned mode = 9; mode <= 10; mode++) {
        start_hart(w->hart);
        set_csr(w->hart, SATP, (uint64_t)mode << 60 | (mode == 9 ? above : top) >> 12);
        enter(w->hart, PRIV_S, w->put_at);
        hart_set_reg(w->hart, A0, WINDOW);
        hart_set_reg(w->hart, A1, 0);
        exec(w, load_word);
        assert_int_equal(hart_reg(w->hart, A1), 0x1234);
        hart_set_reg(w->hart, A0, WINDOW + (UINT64_C(1) << (mode == 9 ? 47 : 56)));
        exec(w, load_word);
        assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(permissions_are_those_of_the_manual),
        ALONE(reserved_bits_of_an_entry_fault),
        ALONE(an_address_that_is_not_canonical_faults),
        ALONE(the_upper_half_translates),
        ALONE(superpages_translate_and_must_be_aligned),
        ALONE(code_that_maps_itself_elsewhere_goes_on_there),
        ALONE(code_that_another_maps_elsewhere_goes_on_there),
        ALONE(code_whose_next_page_is_unmapped_faults_behind_it),
        ALONE(a_superpage_beside_another_can_be_remapped),
        ALONE(a_superpage_that_memory_ends_in_can_be_remapped),
        ALONE(superpages_do_not_go_round),
        ALONE(superpages_side_by_side_may_lie_apart),
        ALONE(each_superpage_permits_for_itself),
        ALONE(each_superpage_is_marked_when_it_is_used),
        ALONE(a_pointer_with_the_bits_of_a_leaf_is_reserved),
        ALONE(a_table_outside_memory_is_an_access_fault),
        ALONE(a_frame_outside_memory_is_an_access_fault),
        ALONE(hardware_marks_pages_accessed_and_dirty),
        ALONE(an_access_that_faults_marks_nothing),
        ALONE(a_store_after_a_load_still_marks_the_page_dirty),
        ALONE(looking_on_marks_nothing),
        ALONE(looking_at_memory_crosses_pages_and_stops_at_holes),
        ALONE(an_lr_faults_as_a_load_and_an_amo_as_a_store),
        ALONE(an_access_across_pages_faults_at_the_page_that_is_missing),
        ALONE(an_access_across_pages_reaches_both_frames),
        ALONE(an_instruction_across_pages_is_fetched_from_both_frames),
        ALONE(an_instruction_across_pages_faults_at_its_second_half),
        ALONE(the_second_half_of_an_instruction_can_be_remapped),
        ALONE(a_jump_into_a_page_that_was_remapped_finds_the_new_one),
        ALONE(a_changed_entry_is_in_force_before_the_fence),
        ALONE(a_used_pointer_that_gets_the_bits_of_a_leaf_is_in_force_no_more),
        ALONE(a_page_table_that_became_data_is_an_ordinary_page),
        ALONE(one_table_may_translate_two_ranges),
        ALONE(a_store_that_moves_its_own_page_is_the_last_one_to_it),
        ALONE(a_jump_into_a_page_that_was_unmapped_faults),
        ALONE(running_on_into_a_page_that_was_remapped_finds_the_new_one),
        ALONE(another_address_space_has_its_own_jumps),
        ALONE(what_one_mode_may_execute_another_may_not),
        ALONE(u_mode_may_not_execute_what_s_mode_just_did),
        ALONE(each_mode_fetches_through_its_own_translation),
        ALONE(mprv_and_sum_take_effect_at_once),
        ALONE(mxr_takes_effect_at_once),
        ALONE(a_fault_can_be_delegated_and_shows_the_address),
        ALONE(sv48_and_sv57_walk_more_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
