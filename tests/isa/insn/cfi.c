/*
 * cfi.c - landing pads (Zicfilp) and the shadow stack (Zicfiss). tests/diff/cfitest.py compares
 * random programs with QEMU, which has them from 10 on.
 */
#include "isa/insn/special.h"

enum { SSP = 0x011, MSECCFG = 0x747 };
enum { LANDING_PAD = 2, SHADOW_STACK = 3 }; /* the values of a software check */
#define NOP_WORD ADDI(ZERO, ZERO, 0)
#define LPE      UINT64_C(4) /* of menvcfg and senvcfg */
#define SSE      UINT64_C(8)
#define MLPE     UINT64_C(0x400) /* of mseccfg */
#define SPELP    (UINT64_C(1) << 23)
#define MPELP    (UINT64_C(1) << 41)

enum { PAGE_OF_SHADOW = PTE_BIT_W | PTE_BIT_A | PTE_BIT_D };

static struct world cfi_world(void)
{
    static const struct cluster_config config = {.fetch = FETCH_COHERENT, .extensions = EXTS_ALL};

    return world_with(&config, 1);
}

/* S-mode with an active shadow stack, whose pointer is in the window: a page with these bits. */
static struct world shadow_world(uint64_t bits)
{
    struct world w = cfi_world();

    set_csr(w.hart, MENVCFG, SSE);
    set_up_paging(&w, DATA);
    poke(&w, LAST_TABLE, DATA >> 12 << 10 | bits | 1, 8);
    set_csr(w.hart, SSP, WINDOW + 16);
    hart_set_reg(w.hart, A0, WINDOW + 8);
    hart_set_reg(w.hart, RA, 0x1234);
    hart_set_reg(w.hart, T0, 0x5678);
    return w;
}

#define SHADOW_PAGE (DATA & ~UINT64_C(0xfff))

static void assert_pushes(uint32_t word, uint64_t value)
{
    struct world w = shadow_world(PAGE_OF_SHADOW);

    exec(&w, word);
    assert_int_equal(hart_pc(w.hart), w.put_at);
    assert_int_equal(peek(&w, SHADOW_PAGE + 8, 8), value);
    assert_int_equal(csr(w.hart, SSP), WINDOW + 8);
    world_free(&w);
}

void sspush_stores_below_the_pointer(struct world *unused)
{
    (void)unused;
    assert_pushes(SSPUSH(RA), 0x1234);
    assert_pushes(SSPUSH(T0), 0x5678);
}

void c_sspush_is_sspush_of_ra(struct world *unused)
{
    (void)unused;
    assert_pushes(C_MOP(1), 0x1234);
}

/* Each page that is none of the shadow stack, and the fault there. */
static void assert_faults_elsewhere(uint32_t word, uint64_t tval)
{
    static const struct {
        uint64_t bits, cause;
    } rows[] = {{PTE_BIT_R, EXC_STORE_PAGE},
                {PTE_BIT_R | PTE_BIT_W, EXC_STORE_ACCESS},
                {PTE_BIT_X, EXC_STORE_ACCESS},
                {PTE_BIT_R | PTE_BIT_X, EXC_STORE_ACCESS},
                {PTE_BIT_R | PTE_BIT_W | PTE_BIT_X, EXC_STORE_ACCESS},
                {PTE_BIT_W | PTE_BIT_X, EXC_STORE_PAGE},
                {PTE_BIT_W | PTE_BIT_U, EXC_STORE_PAGE}};

    for (size_t n = 0; n < ARRAY_LEN(rows); n++) {
        struct world w = shadow_world(rows[n].bits | PTE_BIT_A | PTE_BIT_D);
        uint64_t at = exec(&w, word);

        assert_trapped(w.hart, rows[n].cause, at, tval);
        assert_int_equal(csr(w.hart, SSP), WINDOW + 16);
        world_free(&w);
    }
}

void sspush_needs_a_page_of_its_kind(struct world *unused)
{
    (void)unused;
    assert_faults_elsewhere(SSPUSH(RA), WINDOW + 8);
}

void sspopchk_needs_a_page_of_its_kind(struct world *unused)
{
    (void)unused;
    assert_faults_elsewhere(SSPOPCHK(RA), WINDOW + 16);
}

static void assert_pops(uint32_t word, uint64_t value)
{
    struct world w = shadow_world(PAGE_OF_SHADOW);
    uint64_t at;

    poke(&w, SHADOW_PAGE + 16, value, 8);
    exec(&w, word);
    assert_int_equal(hart_pc(w.hart), w.put_at);
    assert_int_equal(csr(w.hart, SSP), WINDOW + 24);
    poke(&w, SHADOW_PAGE + 24, value + 1, 8);
    at = exec(&w, word);
    assert_trapped(w.hart, EXC_SOFTWARE_CHECK, at, SHADOW_STACK);
    assert_int_equal(csr(w.hart, SSP), WINDOW + 24);
    world_free(&w);
}

void sspopchk_compares_and_pops(struct world *unused)
{
    (void)unused;
    assert_pops(SSPOPCHK(RA), 0x1234);
    assert_pops(SSPOPCHK(T0), 0x5678);
}

void c_sspopchk_is_sspopchk_of_t0(struct world *unused)
{
    (void)unused;
    assert_pops(C_MOP(5), 0x5678);
}

void shadow_stack_is_written_by_nothing_else(struct world *unused)
{
    static const uint32_t words[] = {SD(A1, A0, 0), AMOADD_D(0, A1, A2, A0), CBO_ZERO(A0),
                                     CBO_CLEAN(A0)};

    (void)unused;
    for (size_t n = 0; n < ARRAY_LEN(words); n++) {
        struct world w = shadow_world(PAGE_OF_SHADOW);
        uint64_t at;

        set_csr(w.hart, MENVCFG, SSE | 0xf0);
        exec(&w, SSPUSH(RA)); /* nothing that it leaves cached permits a store */
        at = exec(&w, words[n]);
        assert_trapped(w.hart, EXC_STORE_ACCESS, at, WINDOW + 8);
        world_free(&w);
    }
}

void shadow_stack_is_read_by_loads_and_not_fetched(struct world *unused)
{
    struct world w = shadow_world(PAGE_OF_SHADOW);

    (void)unused;
    exec(&w, SSPUSH(RA));
    exec(&w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w.hart, A1), 0x1234);
    exec(&w, JALR(ZERO, A0, 0));
    step_at(&w, WINDOW + 8);
    assert_trapped(w.hart, EXC_FETCH_ACCESS, WINDOW + 8, WINDOW + 8);
    world_free(&w);
}

/* With menvcfg.SSE clear, the page's encoding is reserved at once. */
void shadow_stack_that_is_not_active_is_a_may_be_operation(struct world *unused)
{
    static const uint32_t words[] = {SSPUSH(RA), SSPOPCHK(T0), C_MOP(1), C_MOP(5)};
    struct world w = shadow_world(PAGE_OF_SHADOW);
    uint64_t at;

    (void)unused;
    exec(&w, LD(A1, A0, 0));
    assert_int_equal(hart_pc(w.hart), w.put_at);
    set_csr(w.hart, MENVCFG, 0);
    for (size_t n = 0; n < ARRAY_LEN(words); n++)
        exec(&w, words[n]);
    assert_int_equal(hart_pc(w.hart), w.put_at);
    assert_int_equal(csr(w.hart, SSP), WINDOW + 16);
    at = exec(&w, LD(A1, A0, 0));
    assert_trapped(w.hart, EXC_LOAD_PAGE, at, WINDOW + 8);
    world_free(&w);
}

void ssrdp_reads_the_pointer(struct world *unused)
{
    struct world w = shadow_world(PAGE_OF_SHADOW);

    (void)unused;
    exec(&w, SSRDP(A3));
    assert_int_equal(hart_reg(w.hart, A3), WINDOW + 16);
    world_free(&w);
}

void ssrdp_without_an_active_shadow_stack_is_zero(struct world *unused)
{
    struct world w = shadow_world(PAGE_OF_SHADOW);

    (void)unused;
    set_csr(w.hart, MENVCFG, 0);
    hart_set_reg(w.hart, A3, 77);
    exec(&w, SSRDP(A3));
    assert_int_equal(hart_reg(w.hart, A3), 0);
    world_free(&w);
    w = cfi_world();
    set_csr(w.hart, MENVCFG, SSE);
    set_csr(w.hart, SSP, 16);
    hart_set_reg(w.hart, A3, 77);
    exec(&w, SSRDP(A3)); /* in M-mode it is never active */
    assert_int_equal(hart_reg(w.hart, A3), 0);
    world_free(&w);
}

void ssp_is_there_where_the_shadow_stack_is(struct world *unused)
{
    const uint32_t word = CSRRS(A3, SSP, ZERO);
    struct world w = shadow_world(PAGE_OF_SHADOW);

    (void)unused;
    exec(&w, word);
    assert_int_equal(hart_reg(w.hart, A3), WINDOW + 16);
    exec(&w, CSRRWI(ZERO, SSP, 31));
    assert_int_equal(csr(w.hart, SSP), 24);
    set_csr(w.hart, MENVCFG, 0);
    assert_illegal(&w, PRIV_S, word);
    world_free(&w);
    w = world_new();
    assert_illegal(&w, PRIV_M, word); /* without the extension */
    world_free(&w);
}

static void assert_swaps(uint32_t word, uint64_t memory, uint64_t rd, uint64_t after)
{
    struct world w = shadow_world(PAGE_OF_SHADOW);

    poke(&w, SHADOW_PAGE + 8, memory, 8);
    hart_set_reg(w.hart, A2, 0x1122334455667788);
    exec(&w, word);
    assert_int_equal(hart_pc(w.hart), w.put_at);
    assert_int_equal(hart_reg(w.hart, A1), rd);
    assert_int_equal(peek(&w, SHADOW_PAGE + 8, 8), after);
    assert_int_equal(csr(w.hart, SSP), WINDOW + 16);
    world_free(&w);
}

void ssamoswap_d_exchanges_an_entry(struct world *unused)
{
    (void)unused;
    assert_swaps(SSAMOSWAP_D(0, A1, A2, A0), 0x99aabbccddeeff00, 0x99aabbccddeeff00,
                 0x1122334455667788);
    assert_swaps(SSAMOSWAP_D(3, A1, ZERO, A0), 5, 5, 0);
}

void ssamoswap_w_exchanges_a_word(struct world *unused)
{
    (void)unused;
    assert_swaps(SSAMOSWAP_W(0, A1, A2, A0), 0x99aabbccddeeff00, 0xffffffffddeeff00,
                 0x99aabbcc55667788);
}

void ssamoswap_needs_alignment_and_an_active_shadow_stack(struct world *unused)
{
    static const uint32_t words[] = {SSAMOSWAP_W(0, A1, A2, A0), SSAMOSWAP_D(0, A1, A2, A0)};

    (void)unused;
    for (size_t n = 0; n < ARRAY_LEN(words); n++) {
        struct world w = shadow_world(PAGE_OF_SHADOW);
        uint64_t at;

        hart_set_reg(w.hart, A0, WINDOW + 6);
        at = exec(&w, words[n]);
        assert_trapped(w.hart, EXC_STORE_MISALIGNED, at, WINDOW + 6);
        hart_set_reg(w.hart, A0, WINDOW + 8);
        enter(w.hart, PRIV_S, at);
        set_csr(w.hart, MENVCFG, 0);
        assert_illegal(&w, PRIV_S, words[n]);
        at = exec(&w, words[n]);
        assert_trapped(w.hart, EXC_STORE_ACCESS, at, WINDOW + 8); /* in M-mode it is legal */
        world_free(&w);
    }
}

void ssamoswap_needs_a_page_of_its_kind(struct world *unused)
{
    (void)unused;
    assert_faults_elsewhere(SSAMOSWAP_D(0, A1, A2, A0), WINDOW + 8);
    assert_faults_elsewhere(SSAMOSWAP_W(0, A1, A2, A0), WINDOW + 8);
}

/* ---- landing pads: M-mode, which enforces them ---- */

/* Jumps from the register's value to the next word but one, which the hart then executes, too. */
static struct world jumping_world(unsigned reg, uint32_t jump, uint32_t target)
{
    struct world w = cfi_world();

    set_csr(w.hart, MSECCFG, MLPE);
    hart_set_reg(w.hart, 7, 0x12345abc);
    hart_set_reg(w.hart, reg, CODE + 8);
    poke(&w, CODE + 8, target, 4);
    exec(&w, jump);
    assert_int_equal(hart_pc(w.hart), CODE + 8);
    step_at(&w, CODE + 8);
    return w;
}

static void assert_lands(uint32_t target)
{
    struct world w = jumping_world(A0, JALR(RA, A0, 0), target);

    assert_int_equal(hart_pc(w.hart), CODE + 12);
    exec(&w, NOP_WORD); /* nothing is expected any more */
    assert_int_equal(hart_pc(w.hart), w.put_at);
    world_free(&w);
}

static void assert_misses(uint32_t target)
{
    struct world w = jumping_world(A0, JALR(ZERO, A0, 0), target);

    assert_trapped(w.hart, EXC_SOFTWARE_CHECK, CODE + 8, LANDING_PAD);
    assert_true(csr(w.hart, MSTATUS) & MPELP);
    world_free(&w);
}

void lpad_ends_an_indirect_jump(struct world *unused)
{
    (void)unused;
    assert_lands(LPAD(0));
    assert_lands(LPAD(0x12345));
}

void lpad_with_another_label_is_refused(struct world *unused)
{
    (void)unused;
    assert_misses(LPAD(0x12344));
}

void what_is_no_lpad_is_refused(struct world *unused)
{
    (void)unused;
    assert_misses(NOP_WORD);
    assert_misses(0); /* also illegal, which comes second */
    assert_misses(AUIPC(A0, 0));
}

/* Returns, and jumps by x7. */
void lpad_is_not_needed_by_guarded_jumps(struct world *unused)
{
    static const unsigned registers[] = {RA, T0, 7};

    (void)unused;
    for (size_t n = 0; n < ARRAY_LEN(registers); n++) {
        struct world w = jumping_world(registers[n], JALR(A1, registers[n], 0), NOP_WORD);

        assert_int_equal(hart_pc(w.hart), CODE + 12);
        world_free(&w);
    }
}

void lpad_is_not_needed_where_it_is_not_enforced(struct world *unused)
{
    struct world w = cfi_world();

    (void)unused;
    set_csr(w.hart, MENVCFG, LPE); /* of S-mode */
    hart_set_reg(w.hart, A0, CODE + 8);
    poke(&w, CODE + 8, NOP_WORD, 4);
    exec(&w, JALR(ZERO, A0, 0));
    step_at(&w, CODE + 8);
    assert_int_equal(hart_pc(w.hart), CODE + 12);
    world_free(&w);
}

/* The fetch of the target faults first; the return from this trap expects the lpad again. */
void lpad_is_expected_again_after_a_trap(struct world *unused)
{
    struct world w = cfi_world();

    (void)unused;
    set_csr(w.hart, MENVCFG, LPE);
    set_csr(w.hart, MEDELEG, UINT64_C(1) << EXC_FETCH_PAGE);
    set_up_paging(&w, CODE);
    poke(&w, LAST_TABLE, 0, 8);
    hart_set_reg(w.hart, A0, WINDOW);
    exec(&w, JALR(ZERO, A0, 0));
    step_at(&w, WINDOW);
    assert_trapped_to_s(w.hart, EXC_FETCH_PAGE, WINDOW, WINDOW);
    assert_true(csr(w.hart, SSTATUS) & SPELP);
    map_window(&w, DATA);
    poke(&w, SHADOW_PAGE, LPAD(0), 4);
    poke(&w, SHADOW_PAGE + 4, NOP_WORD, 4);
    exec(&w, SRET);
    assert_int_equal(hart_pc(w.hart), WINDOW);
    assert_false(csr(w.hart, SSTATUS) & SPELP);
    poke(&w, SHADOW_PAGE, NOP_WORD, 4);
    step_at(&w, WINDOW);
    assert_trapped(w.hart, EXC_SOFTWARE_CHECK, WINDOW, LANDING_PAD);
    world_free(&w);
}
