/*
 * test_stale_translation.c - translations that a hart goes on using after the page table was
 * changed, until a fence that covers them (vol. II, 12.2.1).
 */
#include <inttypes.h>

#include "base/state_io.h"
#include "cpu/observer.h"
#include "stale.h"

/* ---- which fence covers which translation ---- */

struct fence_case {
    const char *what;
    uint64_t at, before, after; /* the entry and its values */
    uint64_t asid, va;          /* of the access */
    enum fence_kind fence;
    uint64_t fence_va, fence_asid;
    uint64_t result; /* of the load at va, after all */
};

#define PAGE    LAST, ENTRY(FRAME) | GOOD, ENTRY(FRAME_2) | GOOD
#define GLOBAL  LAST, ENTRY(FRAME) | GOOD | PTE_G, ENTRY(FRAME_2) | GOOD | PTE_G
#define MEGA    MIDDLE, ENTRY(SUPERFRAME) | GOOD, ENTRY(SUPERFRAME_2) | GOOD
#define POINTER MIDDLE, ENTRY(LAST) | PTE_V, ENTRY(LAST_2) | PTE_V

static const struct fence_case fence_cases[] = {
    {"no fence", PAGE, 5, WINDOW, NO_FENCE, 0, 0, OLD},
    {"all", PAGE, 5, WINDOW, FENCE_ALL, 0, 0, NEW},
    {"all, global", GLOBAL, 5, WINDOW, FENCE_ALL, 0, 0, NEW},
    {"its address", PAGE, 5, WINDOW, FENCE_VA, WINDOW, 0, NEW},
    {"another byte of its page", PAGE, 5, WINDOW, FENCE_VA, WINDOW + 0xfff, 0, NEW},
    {"the next page", PAGE, 5, WINDOW, FENCE_VA, WINDOW + 0x1000, 0, OLD},
    {"the page before", PAGE, 5, WINDOW, FENCE_VA, WINDOW - 1, 0, OLD},
    {"its address, global", GLOBAL, 5, WINDOW, FENCE_VA, WINDOW, 0, NEW},
    {"no address", PAGE, 5, WINDOW, FENCE_VA, WINDOW | UINT64_C(1) << 60, 0, OLD},
    {"its address space", PAGE, 5, WINDOW, FENCE_ASID, 0, 5, NEW},
    {"another address space", PAGE, 5, WINDOW, FENCE_ASID, 0, 6, OLD},
    {"its address space, global", GLOBAL, 5, WINDOW, FENCE_ASID, 0, 5, OLD},
    {"both", PAGE, 5, WINDOW, FENCE_VA_ASID, WINDOW, 5, NEW},
    {"both, another address", PAGE, 5, WINDOW, FENCE_VA_ASID, WINDOW + 0x2000, 5, OLD},
    {"both, another address space", PAGE, 5, WINDOW, FENCE_VA_ASID, WINDOW, 6, OLD},
    {"both, global", GLOBAL, 5, WINDOW, FENCE_VA_ASID, WINDOW, 5, OLD},
    {"megapage, none", MEGA, 5, WINDOW, NO_FENCE, 0, 0, OLD},
    {"megapage, any address in it", MEGA, 5, WINDOW, FENCE_VA, WINDOW + 0x1ff000, 0, NEW},
    {"megapage, the next one", MEGA, 5, WINDOW, FENCE_VA, WINDOW + 0x200000, 0, OLD},
    {"pointer, none", POINTER, 5, WINDOW, NO_FENCE, 0, 0, OLD},
    {"pointer, all", POINTER, 5, WINDOW, FENCE_ALL, 0, 0, NEW},
    {"pointer, its address", POINTER, 5, WINDOW, FENCE_VA, WINDOW, 0, OLD},
    {"pointer, its address space", POINTER, 5, WINDOW, FENCE_ASID, 0, 5, NEW},
    {"pointer, another address space", POINTER, 5, WINDOW, FENCE_ASID, 0, 6, OLD},
    {"pointer, address and address space", POINTER, 5, WINDOW, FENCE_VA_ASID, WINDOW, 5, OLD},
    {"pointer, sinval of its address", POINTER, 5, WINDOW, INVAL_VA, WINDOW, 0, OLD},
    {"pointer in the root table, its address", ROOT + 8, ENTRY(MIDDLE) | PTE_V,
     ENTRY(MIDDLE_2) | PTE_V, 5, WINDOW, FENCE_VA, WINDOW, 0, OLD},
    {"pointer in the root table, all", ROOT + 8, ENTRY(MIDDLE) | PTE_V, ENTRY(MIDDLE_2) | PTE_V, 5,
     WINDOW, FENCE_ALL, 0, 0, NEW},
    {"table that becomes a megapage, its address", MIDDLE, ENTRY(LAST) | PTE_V,
     ENTRY(SUPERFRAME_2) | GOOD, 5, WINDOW, FENCE_VA, WINDOW, 0, OLD},
    {"table that becomes a megapage, all", MIDDLE, ENTRY(LAST) | PTE_V, ENTRY(SUPERFRAME_2) | GOOD,
     5, WINDOW, FENCE_ALL, 0, 0, NEW},
    {"table that was taken away, its address", MIDDLE, ENTRY(LAST) | PTE_V, 0, 5, WINDOW, FENCE_VA,
     WINDOW, 0, OLD},
    {"table that was taken away, all", MIDDLE, ENTRY(LAST) | PTE_V, 0, 5, WINDOW, FENCE_ALL, 0, 0,
     NO_CHANGE},
    {"global pointer, all", MIDDLE, ENTRY(LAST) | PTE_V | PTE_G, ENTRY(LAST_2) | PTE_V, 5, WINDOW,
     FENCE_ALL, 0, 0, NEW},
    {"global pointer", MIDDLE, ENTRY(LAST) | PTE_V | PTE_G, ENTRY(LAST_2) | PTE_V, 5, WINDOW,
     FENCE_ASID, 0, 5, OLD},
    {"megapage that is split", MIDDLE, ENTRY(SUPERFRAME) | GOOD, ENTRY(LAST_2) | PTE_V, 5, WINDOW,
     NO_FENCE, 0, 0, OLD},
    {"megapage that was split", MIDDLE, ENTRY(SUPERFRAME) | GOOD, ENTRY(LAST_2) | PTE_V, 5, WINDOW,
     FENCE_VA, WINDOW, 0, NEW},
    {"unmapped", LAST, ENTRY(FRAME) | GOOD, 0, 5, WINDOW, NO_FENCE, 0, 0, OLD},
    {"unmapped, fenced", LAST, ENTRY(FRAME) | GOOD, 0, 5, WINDOW, FENCE_VA, WINDOW, 0, NO_CHANGE},
    {"mapped, without a fence", LAST, 0, ENTRY(FRAME_2) | GOOD, 5, WINDOW, NO_FENCE, 0, 0, NEW},
    {"sinval", PAGE, 5, WINDOW, INVAL_VA, WINDOW, 0, NEW},
    {"sinval of another page", PAGE, 5, WINDOW, INVAL_VA, WINDOW + 0x1000, 0, OLD},
    {"sinval not ordered after the store", PAGE, 5, WINDOW, INVAL_UNORDERED, WINDOW, 0, OLD},
    {"sinval not ended", PAGE, 5, WINDOW, INVAL_NOT_ENDED, WINDOW, 0, OLD},
    {"sinval ended by sfence.vma", PAGE, 5, WINDOW, INVAL_AND_FENCE, WINDOW, 0, NEW},
};

/* `known`: the walk was done before, and all was fenced since. */
static uint64_t result_of(const struct fence_case *c, enum translate_mode mode, bool known)
{
    struct world w = stale_world(mode, 0, 1);
    uint64_t result;

    poke(&w, c->at, c->before, 8);
    set_csr(w.hart, SATP, SV39(ROOT) | ASID(c->asid));
    enter(w.hart, PRIV_S, CODE);
    (void)load_at(&w, c->va);
    if (!(c->before & PTE_V))
        enter(w.hart, PRIV_S, CODE); /* the load trapped */
    if (known) {
        exec(&w, SFENCE_VMA(ZERO, ZERO));
        (void)load_at(&w, c->va);
        if (!(c->before & PTE_V))
            enter(w.hart, PRIV_S, CODE);
    }
    store_entry(&w, c->at, c->after);
    hart_set_reg(w.hart, A4, c->fence_va);
    hart_set_reg(w.hart, A5, c->fence_asid);
    execute_fence(&w, c->fence);
    result = load_at(&w, c->va);
    world_free(&w);
    return result;
}

static void a_translation_is_used_until_a_fence_covers_it(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(fence_cases); n++) {
        const struct fence_case *c = &fence_cases[n];
        uint64_t stale = result_of(c, TRANSLATE_STALE, false);
        uint64_t known = result_of(c, TRANSLATE_STALE, true);
        uint64_t coherent = result_of(c, TRANSLATE_COHERENT, false);

        if (stale != c->result || known != stale ||
            coherent != (c->after & PTE_V ? NEW : NO_CHANGE))
            fail_msg("%s: %d, known %d, coherent %d", c->what, (int)stale, (int)known,
                     (int)coherent);
    }
}

static void what_was_not_used_is_not_stale(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(load_at(&w, WINDOW), NEW);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    store_entry(&w, LAST, ENTRY(FRAME) | GOOD); /* after the fence it was not used */
    assert_int_equal(load_at(&w, WINDOW), OLD);
    world_free(&w);
}

static void an_entry_that_is_restored_is_current_again(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, 0);
    store_entry(&w, LAST, ENTRY(FRAME) | GOOD);
    hart_set_reg(w.hart, A0, WINDOW + 8);
    exec(&w, SD(A3, A0, 0));
    assert_int_equal(peek(&w, FRAME + 8, 8), ENTRY(FRAME) | GOOD);
    world_free(&w);
}

/* ---- satp ---- */

static void an_address_space_with_the_same_number_has_the_same_translations(void **state)
{
    static const struct {
        uint64_t asid, global, result;
    } all[] = {{5, 0, OLD}, {6, 0, NEW}, {6, PTE_G, OLD}};

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        struct world w = stale_world(TRANSLATE_STALE, 0, 1);

        begin(&w);
        poke(&w, LAST, ENTRY(FRAME) | GOOD | all[n].global, 8);
        assert_int_equal(load_at(&w, WINDOW), OLD);
        put_satp(&w, SV39(ROOT_2) | ASID(all[n].asid));
        assert_int_equal(load_at(&w, WINDOW), all[n].result);
        exec(&w, SFENCE_VMA(ZERO, ZERO));
        assert_int_equal(load_at(&w, WINDOW), NEW);
        world_free(&w);
    }
}

/* The same where the hart has done both walks before. */
static void it_has_them_where_its_own_walks_are_known(void **state)
{
    const struct {
        uint64_t asid, global, result;
    } all[] = {{5, 0, OLD}, {6, 0, NEW}, {6, PTE_G, OLD}};

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        struct world w = stale_world(TRANSLATE_STALE, 0, 1);

        begin(&w);
        poke(&w, LAST, ENTRY(FRAME) | GOOD | all[n].global, 8);
        for (unsigned times = 0; times < 3; times++) {
            put_satp(&w, SV39(ROOT) | ASID(5));
            exec(&w, SFENCE_VMA(ZERO, ZERO));
            assert_int_equal(load_at(&w, WINDOW), OLD);
            put_satp(&w, SV39(ROOT_2) | ASID(all[n].asid));
            assert_int_equal(load_at(&w, WINDOW), all[n].result);
            exec(&w, SFENCE_VMA(ZERO, ZERO));
            assert_int_equal(load_at(&w, WINDOW), NEW);
        }
        world_free(&w);
    }
}

/* The page of the code is the same in both; then the first page that is not is looked at. */
static void a_known_walk_of_another_root_does_not_hide_what_was_used(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    poke(&w, LAST_2 + 8, ENTRY(FRAME_2 + 0x1000) | GOOD, 8);
    poke(&w, LAST + 8, ENTRY(FRAME + 0x1000) | GOOD, 8);
    for (unsigned times = 0; times < 3; times++) {
        put_satp(&w, SV39(ROOT_2) | ASID(5));
        exec(&w, SFENCE_VMA(ZERO, ZERO));
        assert_int_equal(load_at(&w, WINDOW + 0x1000), NEW);
        put_satp(&w, SV39(ROOT) | ASID(5));
        exec(&w, SFENCE_VMA(ZERO, ZERO));
        assert_int_equal(load_at(&w, WINDOW), OLD);
        put_satp(&w, SV39(ROOT_2) | ASID(5));
        assert_int_equal(load_at(&w, WINDOW + 0x1000), OLD); /* by the pointer of the first root */
    }
    world_free(&w);
}

static void a_translation_outlives_the_stay_in_another_address_space(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    put_satp(&w, SV39(ROOT_2) | ASID(6));
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    put_satp(&w, SV39(ROOT) | ASID(5));
    assert_int_equal(load_at(&w, WINDOW), OLD);
    put_satp(&w, 0);
    assert_int_equal(load_at(&w, FRAME_2), NEW); /* Bare takes effect at once */
    put_satp(&w, SV39(ROOT) | ASID(5));
    assert_int_equal(load_at(&w, WINDOW), OLD);
    world_free(&w);
}

/* ---- 64 KiB mappings ---- */

static void set_napot(struct world *w, uint64_t frame)
{
    for (unsigned n = 0; n < 16; n++)
        poke(w, LAST + 8 * n, ENTRY(frame + 0x8000) | GOOD | PTE_NAPOT, 8);
}

static void pages_of_a_64k_mapping_are_used_one_by_one_and_fenced_together(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    set_napot(&w, FRAME);
    assert_int_equal(load_at(&w, WINDOW + 0x1000), OLD);
    assert_int_equal(load_at(&w, WINDOW + 0x3000), OLD);
    set_napot(&w, FRAME_2);
    assert_int_equal(load_at(&w, WINDOW + 0x1000), OLD);
    assert_int_equal(load_at(&w, WINDOW + 0x2000), NEW);
    hart_set_reg(w.hart, A4, WINDOW + 0xf000);
    exec(&w, SFENCE_VMA(A4, ZERO));
    assert_int_equal(load_at(&w, WINDOW + 0x1000), NEW);
    assert_int_equal(load_at(&w, WINDOW + 0x3000), NEW);
    world_free(&w);
}

/* ---- permissions ---- */

static void a_store_goes_where_the_old_entry_leads(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    assert_int_equal(store_cause(&w, WINDOW, 1), 0);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(store_cause(&w, WINDOW, 77), 0);
    assert_int_equal(peek(&w, FRAME + 8, 8), 77);
    assert_int_equal(peek(&w, FRAME_2 + 8, 8), 0);
    world_free(&w);
}

static void the_old_permissions_hold(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    assert_int_equal(store_cause(&w, WINDOW, 1), 0);
    store_entry(&w, LAST, ENTRY(FRAME) | VAD | PTE_R);
    assert_int_equal(store_cause(&w, WINDOW, 2), 0);
    assert_int_equal(peek(&w, FRAME + 8, 8), 2);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME) | GOOD);
    assert_int_equal(store_cause(&w, WINDOW, 3), EXC_STORE_PAGE); /* a spurious fault */
    enter(w.hart, PRIV_S, CODE);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(store_cause(&w, WINDOW, 4), 0);
    world_free(&w);
}

static void mode_sum_and_mxr_are_those_of_now(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    poke(&w, LAST, ENTRY(FRAME) | VAD | PTE_X | PTE_U, 8);
    set_status(w.hart, STATUS_SUM | STATUS_MXR);
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    hart_set_reg(w.hart, A2, STATUS_MXR);
    exec(&w, CSRRC(ZERO, SSTATUS, A2));
    assert_int_equal(load_at(&w, WINDOW), 0);
    assert_int_equal(csr(w.hart, MCAUSE), EXC_LOAD_PAGE);
    enter(w.hart, PRIV_S, CODE);
    exec(&w, CSRRS(ZERO, SSTATUS, A2));
    assert_int_equal(load_at(&w, WINDOW), OLD);
    hart_set_reg(w.hart, A2, STATUS_SUM);
    exec(&w, CSRRC(ZERO, SSTATUS, A2));
    assert_int_equal(load_at(&w, WINDOW), 0);
    world_free(&w);
}

static void m_mode_uses_them_with_mprv_only(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    set_csr(w.hart, SATP, SV39(ROOT) | ASID(5));
    set_status(w.hart, STATUS_MPRV | MPP(PRIV_S));
    assert_int_equal(load_at(&w, WINDOW), OLD);
    poke(&w, LAST, ENTRY(FRAME_2) | GOOD, 8);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    hart_set_reg(w.hart, A4, WINDOW);
    exec(&w, SFENCE_VMA(A4, ZERO));
    assert_int_equal(load_at(&w, WINDOW), NEW);
    world_free(&w);
}

/* ---- A and D ---- */

static void dirty_is_set_in_memory_only(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    poke(&w, LAST, ENTRY(FRAME) | PTE_V | RWX, 8);
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    assert_int_equal(peek(&w, LAST, 8), ENTRY(FRAME) | PTE_V | RWX | PTE_A);
    assert_int_equal(store_cause(&w, WINDOW, 1), 0);
    assert_int_equal(peek(&w, LAST, 8), ENTRY(FRAME) | GOOD);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    poke(&w, LAST, ENTRY(FRAME) | PTE_V | RWX | PTE_A, 8);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | PTE_V | RWX | PTE_A);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    /* The comparison with memory fails: the walk begins again (step 9). */
    assert_int_equal(store_cause(&w, WINDOW, 5), 0);
    assert_int_equal(peek(&w, FRAME_2 + 8, 8), 5);
    assert_int_equal(peek(&w, LAST, 8), ENTRY(FRAME_2) | GOOD);
    world_free(&w);
}

static void a_and_d_that_were_cleared_are_set_again_after_the_fence(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    begin(&w);
    assert_int_equal(store_cause(&w, WINDOW, 1), 0);
    store_entry(&w, LAST, ENTRY(FRAME) | PTE_V | RWX);
    assert_int_equal(store_cause(&w, WINDOW, 2), 0);
    assert_int_equal(peek(&w, LAST, 8), ENTRY(FRAME) | PTE_V | RWX);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(store_cause(&w, WINDOW, 3), 0);
    assert_int_equal(peek(&w, LAST, 8), ENTRY(FRAME) | GOOD);
    world_free(&w);
}

/* ---- fetches ---- */

static uint64_t result_of_window(struct world *w)
{
    hart_set_reg(w->hart, A1, 0);
    hart_set_pc(w->hart, WINDOW + 0x100);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    return hart_reg(w->hart, A1);
}

static void code_runs_where_the_old_entry_leads(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);

    (void)state;
    poke(&w, FRAME + 0x100, ADDI(A1, ZERO, OLD), 4);
    poke(&w, FRAME_2 + 0x100, ADDI(A1, ZERO, NEW), 4);
    begin(&w);
    assert_int_equal(result_of_window(&w), OLD);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(result_of_window(&w), OLD);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(result_of_window(&w), NEW);
    world_free(&w);
}

/* ---- how many are kept ---- */

static void the_oldest_leaves(void **state)
{
    enum { MAX = 16 };
    struct world w = stale_world(TRANSLATE_STALE, MAX, 1);

    (void)state;
    for (unsigned n = 1; n < 32; n++)
        poke(&w, LAST + 8 * n, ENTRY(FRAME) | GOOD, 8);
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    /* One is the code's, two are pointers, which come back when they have left. */
    for (unsigned n = 1; n < MAX - 3; n++) {
        assert_int_equal(load_at(&w, WINDOW + 0x1000 * n), OLD);
        assert_int_equal(load_at(&w, WINDOW), OLD);
    }
    for (unsigned n = MAX; n < MAX + 8; n++)
        assert_int_equal(load_at(&w, WINDOW + 0x1000 * n), OLD);
    assert_int_equal(load_at(&w, WINDOW), NEW);
    world_free(&w);
}

/* ---- fences for another hart, and its start ---- */

struct flush_case {
    struct remote_flush flush;
    uint64_t result;
};

/* An entry is changed from one value to another, and another hart asks for the fence. */
static void fence_by_firmware(const struct flush_case *c, uint64_t at, uint64_t before,
                              uint64_t after)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 2);

    poke(&w, at, before, 8);
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    poke(&w, at, after, 8);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    cluster_remote_sfence_vma(w.cluster, w.hart, cluster_hart(w.cluster, 1), &c->flush);
    if (load_at(&w, WINDOW) != c->result)
        fail_msg("from %" PRIx64 ", size %" PRIx64, c->flush.from, c->flush.size);
    world_free(&w);
}

static void a_fence_by_firmware_covers_its_range(void **state)
{
    static const struct flush_case of_page[] = {
        {{.size = UINT64_MAX}, NEW},
        {{.from = WINDOW, .size = 0x1000}, NEW},
        {{.from = WINDOW - 0x3000, .size = 0x3001}, NEW},
        {{.from = WINDOW - 0x3000, .size = 0x3000}, OLD},
        {{.from = WINDOW + 0x1000, .size = 0x100000}, OLD},
        {{.from = WINDOW, .size = 0x1000, .one_asid = true, .asid = 5}, NEW},
        {{.from = WINDOW, .size = 0x1000, .one_asid = true, .asid = 4}, OLD},
        {{.size = UINT64_MAX, .one_asid = true, .asid = 4}, OLD},
        {{.from = WINDOW + 0x800}, NEW}, /* one address */
        {{.from = WINDOW + 0x1000}, OLD},
        {{.from = UINT64_MAX - 0xfff, .size = 0x1000}, OLD},
    };
    static const struct flush_case of_megapage[] = {
        {{.from = WINDOW + 0x1ff000, .size = 0x1000}, NEW},
        {{.from = WINDOW + 0x1ff000, .size = 0x3000}, NEW},
        {{.from = WINDOW - 0x1000, .size = 0x2000}, NEW},
        {{.from = WINDOW - 0x1000, .size = 0x1000}, OLD},
        {{.from = WINDOW + 0x200000, .size = 0x3000}, OLD},
        {{.from = WINDOW - 0x3000, .size = 0x3001}, NEW},
    };

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(of_page); n++)
        fence_by_firmware(&of_page[n], PAGE);
    for (size_t n = 0; n < ARRAY_LEN(of_megapage); n++)
        fence_by_firmware(&of_megapage[n], MEGA);
}

static void a_start_keeps_them_and_a_reset_does_not(void **state)
{
    (void)state;
    for (unsigned reset = 0; reset < 2; reset++) {
        struct world w = stale_world(TRANSLATE_STALE, 0, 1);

        begin(&w);
        assert_int_equal(load_at(&w, WINDOW), OLD);
        poke(&w, LAST, ENTRY(FRAME_2) | GOOD, 8);
        if (reset)
            hart_reset(w.hart, CODE, PRIV_M);
        else
            hart_start(w.hart, CODE, PRIV_M);
        set_csr(w.hart, MTVEC, M_VECTOR);
        open_memory(w.hart);
        begin(&w);
        assert_int_equal(load_at(&w, WINDOW), reset ? NEW : OLD);
        world_free(&w);
    }
}

/* ---- entries that were invalid ---- */

static void an_invalid_entry_is_kept_where_the_mode_says_so(void **state)
{
    (void)state;
    for (unsigned mode = TRANSLATE_STALE; mode <= TRANSLATE_INVALID; mode++) {
        struct world w = stale_world((enum translate_mode)mode, 0, 1);

        poke(&w, LAST, 0, 8);
        begin(&w);
        assert_int_equal(load_at(&w, WINDOW), 0);
        enter(w.hart, PRIV_S, CODE);
        store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
        assert_int_equal(load_at(&w, WINDOW), mode == TRANSLATE_INVALID ? 0 : NEW);
        if (mode == TRANSLATE_INVALID)
            enter(w.hart, PRIV_S, CODE);
        hart_set_reg(w.hart, A4, WINDOW);
        exec(&w, SFENCE_VMA(A4, ZERO));
        assert_int_equal(load_at(&w, WINDOW), NEW);
        world_free(&w);
    }
}

/* ---- random ---- */

static void random_mode_has_both_until_the_fence(void **state)
{
    unsigned old = 0, new = 0;
    struct world w = stale_world(TRANSLATE_RANDOM, 0, 1);

    (void)state;
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    for (unsigned n = 0; n < 64; n++) {
        uint64_t value = load_at(&w, WINDOW);

        old += value == OLD;
        new += value == NEW;
    }
    assert_int_equal(old + new, 64);
    assert_true(old > 8 && new > 8);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    for (unsigned n = 0; n < 32; n++)
        assert_int_equal(load_at(&w, WINDOW), NEW);
    world_free(&w);
}

/* ---- state ---- */

static void a_restored_hart_uses_them_too(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);
    struct state_io save, load, again;

    (void)state;
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    store_entry(&w, LAST, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    state_io_save(&save, 0);
    cluster_state_io(&save, w.cluster);
    exec(&w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(load_at(&w, WINDOW), NEW);
    state_io_load(&load, save.saved.at, save.saved.len);
    cluster_state_io(&load, w.cluster);
    assert_int_equal(state_io_end(&load), STATE_OK);
    state_io_save(&again, 0);
    cluster_state_io(&again, w.cluster);
    assert_int_equal(again.saved.len, save.saved.len);
    assert_memory_equal(again.saved.at, save.saved.at, save.saved.len);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    state_io_free(&save);
    state_io_free(&again);
    world_free(&w);
}

/* ---- events ---- */

static void a_use_is_told_once_for_each_change_and_kind_of_access(void **state)
{
    struct world w = stale_world(TRANSLATE_STALE, 0, 1);
    struct told told = {0};
    const struct listener l = {&told, EVENT_BIT(EVENT_STALE_TRANSLATION), on_told};
    uint64_t stored_at;

    (void)state;
    cluster_listen(w.cluster, &l);
    begin(&w);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    hart_set_reg(w.hart, A2, LAST);
    hart_set_reg(w.hart, A3, ENTRY(FRAME_2) | GOOD);
    stored_at = exec(&w, SD(A3, A2, 0));
    assert_int_equal(told.count, 0);
    assert_int_equal(load_at(&w, WINDOW + 8), 0);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.last.access, ACCESS_LOAD);
    assert_int_equal(told.last.va, WINDOW + 8);
    assert_int_equal(told.last.pte_pa, LAST);
    assert_int_equal(told.last.old_pte, ENTRY(FRAME) | GOOD);
    assert_int_equal(told.last.new_pte, ENTRY(FRAME_2) | GOOD);
    assert_int_equal(told.last.old_pa, FRAME + 8);
    assert_int_equal(told.last.new_pa, FRAME_2 + 8);
    assert_true(told.last.chose_old && told.last.writer_known && !told.last.new_faults);
    assert_int_equal(told.last.who.pc, stored_at);
    assert_int_equal(told.last.asid, 5);
    assert_int_equal(store_cause(&w, WINDOW, 3), 0);
    assert_int_equal(told.count, 2);
    assert_int_equal(told.last.access, ACCESS_STORE);
    store_entry(&w, LAST, 0);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    assert_int_equal(told.count, 3);
    assert_true(told.last.new_faults);
    /* The same page with fewer rights, which this access does not need: no difference. */
    store_entry(&w, LAST, ENTRY(FRAME) | VAD | PTE_R);
    assert_int_equal(load_at(&w, WINDOW), OLD);
    assert_int_equal(told.count, 3);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_translation_is_used_until_a_fence_covers_it),
        cmocka_unit_test(what_was_not_used_is_not_stale),
        cmocka_unit_test(an_entry_that_is_restored_is_current_again),
        cmocka_unit_test(an_address_space_with_the_same_number_has_the_same_translations),
        cmocka_unit_test(it_has_them_where_its_own_walks_are_known),
        cmocka_unit_test(a_known_walk_of_another_root_does_not_hide_what_was_used),
        cmocka_unit_test(a_translation_outlives_the_stay_in_another_address_space),
        cmocka_unit_test(pages_of_a_64k_mapping_are_used_one_by_one_and_fenced_together),
        cmocka_unit_test(a_store_goes_where_the_old_entry_leads),
        cmocka_unit_test(the_old_permissions_hold),
        cmocka_unit_test(mode_sum_and_mxr_are_those_of_now),
        cmocka_unit_test(m_mode_uses_them_with_mprv_only),
        cmocka_unit_test(dirty_is_set_in_memory_only),
        cmocka_unit_test(a_and_d_that_were_cleared_are_set_again_after_the_fence),
        cmocka_unit_test(code_runs_where_the_old_entry_leads),
        cmocka_unit_test(the_oldest_leaves),
        cmocka_unit_test(a_fence_by_firmware_covers_its_range),
        cmocka_unit_test(a_start_keeps_them_and_a_reset_does_not),
        cmocka_unit_test(an_invalid_entry_is_kept_where_the_mode_says_so),
        cmocka_unit_test(random_mode_has_both_until_the_fence),
        cmocka_unit_test(a_restored_hart_uses_them_too),
        cmocka_unit_test(a_use_is_told_once_for_each_change_and_kind_of_access),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
