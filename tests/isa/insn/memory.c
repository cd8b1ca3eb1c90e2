/*
 * memory.c - loads and stores, also across pages of which one is missing.
 */
#include "isa/insn/special.h"

void ld_into_its_own_base(struct world *w)
{
    poke(w, DATA, DATA + 64, 8);
    poke(w, DATA + 64, 0x1234, 8);
    hart_set_reg(w->hart, A0, DATA);
    put(w, LD(A0, A0, 0));
    put(w, LD(A0, A0, 0));
    run(w, 2);
    assert_int_equal(hart_reg(w->hart, A0), 0x1234);
}

void lw_to_x0_changes_nothing_but_may_fault(struct world *w)
{
    uint64_t at;

    hart_set_reg(w->hart, A0, DATA);
    poke(w, DATA, 0x1234, 8);
    exec(w, LW(ZERO, A0, 0));
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    hart_set_reg(w->hart, A0, 0x40);
    at = exec(w, LW(ZERO, A0, 0));
    assert_trapped(w->hart, EXC_LOAD_ACCESS, at, 0x40);
}

void lb_from_nowhere_is_an_access_fault(struct world *w)
{
    uint64_t at;

    hart_set_reg(w->hart, A0, RAM_BASE + RAM_SIZE + 2047);
    hart_set_reg(w->hart, A1, 77);
    at = exec(w, LB(A1, A0, -2047));
    assert_trapped(w->hart, EXC_LOAD_ACCESS, at, RAM_BASE + RAM_SIZE);
    assert_int_equal(hart_reg(w->hart, A1), 77);
}

void sd_of_its_own_base(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    exec(w, SD(A0, A0, 8));
    assert_int_equal(peek(w, DATA + 8, 8), DATA);
    assert_int_equal(hart_reg(w->hart, A0), DATA);
}

void sd_across_the_end_of_memory_writes_nothing(struct world *w)
{
    uint64_t end = RAM_BASE + RAM_SIZE, at;

    poke(w, end - 8, FILL, 8);
    hart_set_reg(w->hart, A0, end - 4);
    at = exec(w, SD(ZERO, A0, 0));
    assert_int_equal(peek(w, end - 8, 8), FILL);
    assert_int_equal(hart_pc(w->hart), M_VECTOR);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_STORE_ACCESS);
    assert_int_equal(csr(w->hart, MEPC), at);
    assert_in_range(csr(w->hart, MTVAL), end - 4, end);
}

void sw_of_x0_clears(struct world *w)
{
    poke(w, DATA, FILL, 8);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, SW(ZERO, A0, 4));
    assert_int_equal(peek(w, DATA, 8), FILL & UINT32_MAX);
}

/* Accesses across pages, in S-mode: the window's first page is there, its second is not. */

void a_load_across_pages_faults_at_the_page_that_is_missing(struct world *w)
{
    static const struct {
        uint32_t word;
        unsigned size;
    } loads[] = {{LD(A1, A0, 0), 8},
                 {LW(A1, A0, 0), 4},
                 {LWU(A1, A0, 0), 4},
                 {LH(A1, A0, 0), 2},
                 {LHU(A1, A0, 0), 2}};

    for (size_t n = 0; n < ARRAY_LEN(loads); n++)
        for (unsigned back = 1; back < loads[n].size; back++) {
            uint64_t at = put(w, loads[n].word);

            start_hart(w->hart);
            set_up_paging(w, DATA);
            hart_set_reg(w->hart, A0, WINDOW + 0x1000 - back);
            hart_set_reg(w->hart, A1, 77);
            step_at(w, at);
            assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW + 0x1000);
            assert_int_equal(hart_reg(w->hart, A1), 77);
            hart_set_reg(w->hart, A0, WINDOW - back); /* the page before is not there, either */
            enter(w->hart, PRIV_S, at);
            step_at(w, at);
            assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW - back);
        }
}

void a_store_across_pages_writes_nothing_if_one_is_missing(struct world *w)
{
    static const struct {
        uint32_t word;
        unsigned size;
    } stores[] = {{SD(A1, A0, 0), 8}, {SW(A1, A0, 0), 4}, {SH(A1, A0, 0), 2}};
    uint64_t page = DATA & ~UINT64_C(0xfff);

    poke(w, page + 0xff8, FILL, 8);
    poke(w, page, FILL, 8);
    for (size_t n = 0; n < ARRAY_LEN(stores); n++)
        for (unsigned back = 1; back < stores[n].size; back++) {
            uint64_t at = put(w, stores[n].word);

            start_hart(w->hart);
            set_up_paging(w, DATA);
            hart_set_reg(w->hart, A0, WINDOW + 0x1000 - back);
            step_at(w, at);
            assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW + 0x1000);
            hart_set_reg(w->hart, A0, WINDOW - back);
            enter(w->hart, PRIV_S, at);
            step_at(w, at);
            assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW - back);
        }
    assert_int_equal(peek(w, page + 0xff8, 8), FILL);
    assert_int_equal(peek(w, page, 8), FILL);
}
