/*
 * special.c - see special.h.
 */
#include "isa/insn/special.h"

#define IDENTITY_TABLE (RAM_BASE + 0x30000)

void map_all_where_it_is(struct world *w, enum privilege mode)
{
    uint64_t bits = PTE_BITS_RWXAD | (mode == PRIV_U ? PTE_BIT_U : 0);

    for (unsigned n = 0; n < 3; n++)
        poke(w, IDENTITY_TABLE + UINT64_C(8) * n, (uint64_t)n << 28 | bits, 8);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | IDENTITY_TABLE >> 12);
}

struct world world_in_mode(enum privilege mode)
{
    struct world w = world_new();

    if (mode != PRIV_M) {
        map_all_where_it_is(&w, mode);
        enter(w.hart, mode, CODE);
    }
    return w;
}

void assert_word_traps(struct world *w, enum privilege mode, uint32_t word, uint64_t cause,
                       uint64_t tval)
{
    uint64_t at = put(w, word);

    if (hart_mode(w->hart) != mode)
        enter(w->hart, mode, at);
    step_at(w, at);
    assert_trapped(w->hart, cause, at, tval);
    assert_int_equal(csr(w->hart, MSTATUS) >> 11 & 3, mode);
}

void assert_illegal(struct world *w, enum privilege mode, uint32_t word)
{
    assert_word_traps(w, mode, word, EXC_ILLEGAL, word);
}

void assert_word_traps_to_s(struct world *w, enum privilege mode, uint32_t word, uint64_t cause,
                            uint64_t tval)
{
    uint64_t at = put(w, word);

    set_csr(w->hart, MEDELEG, UINT64_C(1) << cause);
    enter(w->hart, mode, at);
    step_at(w, at);
    assert_trapped_to_s(w->hart, cause, at, tval);
    assert_int_equal(csr(w->hart, SSTATUS) >> 8 & 1, mode == PRIV_S);
}

void map_window(struct world *w, uint64_t pa)
{
    poke(w, LAST_TABLE, pa >> 12 << 10 | PTE_BITS_RWXAD, 8);
}

void set_up_paging(struct world *w, uint64_t pa)
{
    poke(w, ROOT_TABLE + 8 * 2, RAM_BASE >> 12 << 10 | PTE_BITS_RWXAD, 8);
    poke(w, ROOT_TABLE + 8 * 1, NEXT_TABLE >> 12 << 10 | 1, 8);
    poke(w, NEXT_TABLE, LAST_TABLE >> 12 << 10 | 1, 8);
    map_window(w, pa);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | ROOT_TABLE >> 12);
    enter(w->hart, PRIV_S, CODE);
}

void reserve(struct world *w, uint32_t lr, uint64_t value)
{
    poke(w, DATA, value, 8);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, lr);
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

void assert_store_conditional(struct world *w, uint32_t sc, bool succeeds, uint64_t memory)
{
    hart_set_reg(w->hart, A1, 77);
    exec(w, sc);
    assert_int_equal(hart_pc(w->hart), w->put_at);
    assert_int_equal(hart_reg(w->hart, A1), !succeeds);
    assert_int_equal(peek(w, DATA, 8), memory);
}

static void count_waking(void *ctx, struct hart *h)
{
    (void)h;
    ++*(unsigned *)ctx;
}

void make_pair(struct pair *p)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .env = {.ctx = &p->woken, .woken = count_waking}};

    *p = (struct pair){.w = world_with(&config, 2)};
    p->other = cluster_hart(p->w.cluster, 1);
}

void other_hart_executes(struct pair *p, uint32_t word, uint64_t a0)
{
    hart_set_reg(p->other, A0, a0);
    hart_set_pc(p->other, put(&p->w, word));
    assert_int_equal(hart_run(p->other, 1, UINT64_MAX), HART_BUDGET);
}

void assert_legal(struct world *w, enum privilege mode, uint32_t word)
{
    uint64_t at = put(w, word);

    if (hart_mode(w->hart) != mode)
        enter(w->hart, mode, at);
    step_at(w, at);
    assert_int_equal(hart_pc(w->hart), at + 4);
    assert_int_equal(hart_mode(w->hart), mode);
}
