/*
 * cache_block.c - the cache blocks: management (Zicbom) and cbo.zero (Zicboz).
 */
#include "isa/insn/special.h"

#define ADUE        (UINT64_C(1) << 61)      /* of menvcfg: accessed and dirty bits by hardware */
#define CBIE(value) ((uint64_t)(value) << 4) /* of menvcfg and senvcfg (Zicbom, CSR state) */
#define CBCFE       UINT64_C(0x40)
#define CBZE        UINT64_C(0x80)

static const uint32_t management[] = {CBO_INVAL(A0), CBO_CLEAN(A0), CBO_FLUSH(A0)};

static void fill_around(struct world *w, uint64_t block)
{
    for (unsigned at = 0; at < 3 * BLOCK; at += 8)
        poke(w, block - BLOCK + at, FILL, 8);
}

static bool holds(struct world *w, uint64_t from, uint64_t to, uint64_t value)
{
    bool all = true;

    for (uint64_t at = from; at < to; at += 8)
        all &= peek(w, at, 8) == value;
    return all;
}

void cache_block_management_changes_no_memory(struct world *w)
{
    fill_around(w, DATA);
    hart_set_reg(w->hart, A0, DATA + 13);
    for (size_t n = 0; n < ARRAY_LEN(management); n++) {
        exec(w, management[n]);
        assert_int_equal(hart_pc(w->hart), w->put_at);
    }
    assert_true(holds(w, DATA - BLOCK, DATA + 2 * BLOCK, FILL));
}

/* S-mode with the window's page mapped by these bits of its entry besides V. */
static void enter_behind_window(struct world *w, uint64_t bits)
{
    set_csr(w->hart, MENVCFG, ADUE | CBIE(3) | CBCFE | CBZE);
    set_up_paging(w, DATA);
    poke(w, LAST_TABLE, DATA >> 12 << 10 | bits | 1, 8);
    hart_set_reg(w->hart, A0, WINDOW + 13);
}

void cache_block_management_needs_no_more_than_a_load(struct world *w)
{
    enter_behind_window(w, PTE_BIT_R);
    for (size_t n = 0; n < ARRAY_LEN(management); n++) {
        exec(w, management[n]);
        assert_int_equal(hart_pc(w->hart), w->put_at);
    }
    assert_int_equal(peek(w, LAST_TABLE, 8) & 0xff, 1 | PTE_BIT_R | PTE_BIT_A);
}

void cache_block_management_of_no_memory_is_a_store_fault(struct world *w)
{
    for (size_t n = 0; n < ARRAY_LEN(management); n++) {
        uint64_t at = put(w, management[n]);

        start_hart(w->hart);
        enter_behind_window(w, 0);
        step_at(w, at);
        assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW + 13);
        poke(w, LAST_TABLE, PTE_BIT_X | PTE_BIT_A | 1, 8); /* to be executed only */
        enter(w->hart, PRIV_S, at);
        step_at(w, at);
        assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW + 13);
    }
}

static enum fault count_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    (void)offset;
    (void)size;
    *value = 0;
    ++*(unsigned *)ctx;
    return FAULT_NONE;
}

static enum fault count_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    (void)offset;
    (void)size;
    (void)value;
    ++*(unsigned *)ctx;
    return FAULT_NONE;
}

/* On a device cbo.clean, flush and inval are permitted like a load, and access nothing. */
void cache_block_management_reaches_devices_and_no_farther(struct world *w)
{
    static const struct diag silent = {.quiet = true};
    unsigned touched = 0;
    const struct device d = {.name = "test",
                             .base = 0x10000000,
                             .size = 0x100,
                             .sizes = 4,
                             .ctx = &touched,
                             .read = count_read,
                             .write = count_write};

    assert_true(bus_map_device(w->bus, &d, &silent));
    hart_set_reg(w->hart, A0, d.base + 5);
    for (size_t n = 0; n < ARRAY_LEN(management); n++) {
        exec(w, management[n]);
        assert_int_equal(hart_pc(w->hart), w->put_at);
    }
    assert_int_equal(touched, 0);
    for (size_t n = 0; n < ARRAY_LEN(management); n++) {
        uint64_t at;

        start_hart(w->hart);
        hart_set_reg(w->hart, A0, 0x47);
        at = exec(w, management[n]);
        assert_trapped(w->hart, EXC_STORE_ACCESS, at, 0x47);
    }
}

/* Whether a word with DATA in a0 executes in a mode under these two registers. */
static bool legal_under(enum privilege mode, uint64_t menvcfg, uint64_t senvcfg, uint32_t word)
{
    struct world w = world_in_mode(PRIV_M);
    uint64_t at = put(&w, word);
    bool legal;

    set_csr(w.hart, MENVCFG, menvcfg);
    set_csr(w.hart, SENVCFG, senvcfg);
    if (mode != PRIV_M) {
        map_all_where_it_is(&w, mode);
        enter(w.hart, mode, at);
    }
    hart_set_reg(w.hart, A0, DATA);
    step_at(&w, at);
    legal = hart_pc(w.hart) == at + 4;
    if (!legal)
        assert_trapped(w.hart, EXC_ILLEGAL, at, word);
    world_free(&w);
    return legal;
}

static void assert_enabled_by(uint32_t word, uint64_t field)
{
    uint64_t others = (CBIE(3) | CBCFE | CBZE) & ~field;

    assert_true(legal_under(PRIV_M, 0, 0, word));
    assert_false(legal_under(PRIV_S, 0, 0, word));
    assert_false(legal_under(PRIV_S, others, field | others, word));
    assert_true(legal_under(PRIV_S, field, 0, word));
    assert_false(legal_under(PRIV_U, 0, field, word));
    assert_false(legal_under(PRIV_U, field, 0, word));
    assert_false(legal_under(PRIV_U, field | others, others, word));
    assert_true(legal_under(PRIV_U, field, field, word));
}

void cbo_inval_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_INVAL(A0), CBIE(3));
    assert_enabled_by(CBO_INVAL(A0), CBIE(1)); /* as a flush */
}

void cbie_keeps_no_reserved_value(struct world *w)
{
    set_csr(w->hart, MENVCFG, CBIE(1));
    set_csr(w->hart, MENVCFG, CBIE(2) | CBCFE);
    assert_int_equal(csr(w->hart, MENVCFG) & 0xf0, CBIE(1) | CBCFE);
    set_csr(w->hart, SENVCFG, CBIE(2) | CBZE);
    assert_int_equal(csr(w->hart, SENVCFG) & 0xf0, CBZE);
}

/* A hart that has cbo.zero and no other. */
void envcfg_has_no_fields_for_what_is_not_there(struct world *unused)
{
    const struct cluster_config config = {.extensions = EXTS_I | EXTS_S | EXTS_Zicsr | EXTS_Zicboz};
    struct world w = world_with(&config, 1);

    (void)unused;
    set_csr(w.hart, MENVCFG, CBIE(3) | CBCFE | CBZE);
    set_csr(w.hart, SENVCFG, CBIE(3) | CBCFE | CBZE);
    assert_int_equal(csr(w.hart, MENVCFG) & 0xf0, CBZE);
    assert_int_equal(csr(w.hart, SENVCFG) & 0xf0, CBZE);
    assert_illegal(&w, PRIV_M, CBO_CLEAN(A0));
    world_free(&w);
}

void cbo_clean_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_CLEAN(A0), CBCFE);
}

void cbo_flush_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_FLUSH(A0), CBCFE);
}

void cbo_zero_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_ZERO(A0), CBZE);
}

/* Twice: the second time through what the first left cached. */
void cbo_zero_clears_the_block_around_its_address(struct world *w)
{
    for (unsigned offset = 0; offset < BLOCK; offset += 21) {
        fill_around(w, DATA);
        hart_set_reg(w->hart, A0, DATA + offset);
        exec(w, CBO_ZERO(A0));
        assert_int_equal(hart_pc(w->hart), w->put_at);
        assert_true(holds(w, DATA - BLOCK, DATA, FILL));
        assert_true(holds(w, DATA, DATA + BLOCK, 0));
        assert_true(holds(w, DATA + BLOCK, DATA + 2 * BLOCK, FILL));
    }
}

void cbo_zero_needs_the_permission_of_a_store(struct world *w)
{
    uint64_t page = DATA & ~UINT64_C(0xfff), at;

    poke(w, page, FILL, 8);
    enter_behind_window(w, PTE_BIT_R | PTE_BIT_A);
    at = exec(w, CBO_ZERO(A0));
    assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW + 13);
    assert_int_equal(peek(w, page, 8), FILL);
    poke(w, LAST_TABLE, DATA >> 12 << 10 | PTE_BIT_R | PTE_BIT_W | 1, 8);
    enter(w->hart, PRIV_S, at);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    exec(w, CBO_ZERO(A0));
    assert_int_equal(hart_pc(w->hart), w->put_at);
    assert_int_equal(peek(w, page, 8), 0);
    assert_int_equal(peek(w, LAST_TABLE, 8) & (PTE_BIT_A | PTE_BIT_D), PTE_BIT_A | PTE_BIT_D);
}

void cbo_zero_outside_of_memory_is_an_access_fault(struct world *w)
{
    uint64_t at;

    hart_set_reg(w->hart, A0, RAM_BASE + RAM_SIZE + 1);
    at = exec(w, CBO_ZERO(A0));
    assert_trapped(w->hart, EXC_STORE_ACCESS, at, RAM_BASE + RAM_SIZE + 1);
}

/* A watch on the page (HTIF) is called for the whole block. */
static void note_watched(void *ctx, const struct event *e)
{
    *(unsigned *)ctx += e->access.size;
}

void cbo_zero_is_seen_by_who_watches_the_page(struct world *w)
{
    unsigned seen = 0;
    const struct listener l = {
        .ctx = &seen, .kinds = EVENT_BIT(EVENT_ACCESS), .on_event = note_watched};

    cluster_listen(w->cluster, &l);
    cluster_watch_memory(w->cluster, DATA, BLOCK, false);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, CBO_ZERO(A0));
    exec(w, CBO_ZERO(A0));
    assert_int_equal(seen, 2 * BLOCK);
}

/* The old code runs until the fence.i; then there are zeros, which are illegal. */
void cbo_zero_of_code_is_seen_after_fence_i(struct world *unused)
{
    const struct cluster_config config = {.fetch = FETCH_STALE};
    struct world w = world_with(&config, 1);
    uint64_t at = RAM_BASE + 0x40000;

    (void)unused;
    put(&w, CBO_ZERO(A0)); /* all of it before the first fetch */
    put(&w, FENCE_I);
    poke(&w, at + 8, ADDI(A1, A1, 1), 4);
    step_at(&w, at + 8);
    hart_set_reg(w.hart, A0, at + 60);
    step_at(&w, CODE);
    assert_int_equal(peek(&w, at + 8, 4), 0);
    step_at(&w, at + 8);
    assert_int_equal(hart_reg(w.hart, A1), 2);
    step_at(&w, CODE + 4);
    step_at(&w, at + 8);
    assert_trapped(w.hart, EXC_ILLEGAL, at + 8, 0);
    world_free(&w);
}
