/*
 * test_insn.c - every row of the instruction table, by example.
 *
 * cases.def holds the examples, encode.h the encodings; both were written from
 * the manual. Each example runs in M-mode, in S-mode and in U-mode, the latter
 * two under Sv39, each time in a new world: first by the slow path
 * of translation and decoding, then by the filled caches, then within
 * a longer run, as part of a block.
 * All 32 registers, pc, and the memory around an access are compared. A row
 * with fewer than CASES_WANTED examples fails, so none is added without a test.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/isa.h"
#include "world.h"

enum { CASES_WANTED = 4, TRIALS_MAX = 7 };

/* ---- a trial: one word, before and after ---- */

#define FILL UINT64_C(0xa5a5a5a5a5a5a5a5) /* memory that a trial does not set */

enum { TO_PAGE_END = (int)(PAGE_END - DATA), OUTSIDE = (int)(RAM_BASE + RAM_SIZE - DATA) };
enum { HERE = 1 }; /* a distance that no jump can have: pc stays where it is */

struct trial {
    uint32_t word; /* 0: no trial */
    unsigned reg[2];
    uint64_t value[2];
    unsigned dest;
    uint64_t result;
    int distance; /* of a jump; 0: on to the next instruction */
    bool memory;  /* before and after are the eight bytes at DATA + where */
    int64_t where;
    uint64_t before, after;
    uint64_t cause; /* 0: no trap. Otherwise tval is DATA + where */
};

/* ---- the modes: S and U see RAM and all below it where it is, through gigabyte pages ---- */

enum { PTE_BITS_RWXAD = 0xcf, PTE_BIT_U = 0x10 };
#define IDENTITY_TABLE (RAM_BASE + 0x30000)

static const struct {
    enum privilege mode;
    const char *name;
} modes[] = {{PRIV_M, "M"}, {PRIV_S, "S"}, {PRIV_U, "U"}};

static void map_all_where_it_is(struct world *w, enum privilege mode)
{
    uint64_t bits = PTE_BITS_RWXAD | (mode == PRIV_U ? PTE_BIT_U : 0);

    for (unsigned n = 0; n < 3; n++)
        poke(w, IDENTITY_TABLE + UINT64_C(8) * n, (uint64_t)n << 28 | bits, 8);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | IDENTITY_TABLE >> 12);
}

static struct world world_in_mode(enum privilege mode)
{
    struct world w = world_new();

    if (mode != PRIV_M) {
        map_all_where_it_is(&w, mode);
        enter(w.hart, mode, CODE);
    }
    return w;
}

static uint64_t untouched(unsigned reg)
{
    return reg ? UINT64_C(0xc0de00000000) + reg * UINT64_C(0x10001) : 0;
}

static void set_registers(struct hart *h, const struct trial *t)
{
    for (unsigned reg = 0; reg < 32; reg++)
        hart_set_reg(h, reg, untouched(reg));
    for (unsigned n = 0; n < 2; n++)
        hart_set_reg(h, t->reg[n], t->value[n]);
}

static uint64_t expected_register(const struct trial *t, unsigned reg)
{
    if (reg == ZERO)
        return 0;
    if (reg == t->dest && !t->cause)
        return t->result;
    for (unsigned n = 2; n-- > 0;)
        if (reg == t->reg[n])
            return t->value[n];
    return untouched(reg);
}

static uint64_t expected_pc(const struct trial *t)
{
    if (t->cause)
        return M_VECTOR;
    if (t->distance == HERE)
        return CODE;
    if (t->distance)
        return CODE + (uint64_t)(int64_t)t->distance;
    return CODE + ((t->word & 3) == 3 ? 4 : 2);
}

static bool outside(const struct trial *t)
{
    return t->where >= OUTSIDE;
}

static void set_memory(struct world *w, const struct trial *t)
{
    uint64_t at = DATA + (uint64_t)t->where;

    for (int n = -2; n <= 2; n++)
        poke(w, at + (uint64_t)(8 * n), n ? FILL : t->before, 8);
}

static bool memory_is_right(const struct world *w, const struct trial *t)
{
    uint64_t at = DATA + (uint64_t)t->where;
    bool right = true;

    for (int n = -2; n <= 2; n++)
        right &= peek(w, at + (uint64_t)(8 * n), 8) == (n ? FILL : t->after);
    return right;
}

static bool trap_is_right(struct hart *h, const struct trial *t, enum privilege mode)
{
    return hart_mode(h) == PRIV_M && csr(h, MCAUSE) == t->cause && csr(h, MEPC) == CODE &&
           csr(h, MTVAL) == DATA + (uint64_t)t->where && (csr(h, MSTATUS) >> 11 & 3) == mode;
}

static bool registers_are_right(struct hart *h, const struct trial *t)
{
    bool right = true;

    for (unsigned reg = 0; reg < 32; reg++)
        if (hart_reg(h, reg) != expected_register(t, reg)) {
            print_error("    x%u is %#llx, not %#llx\n", reg, (unsigned long long)hart_reg(h, reg),
                        (unsigned long long)expected_register(t, reg));
            right = false;
        }
    return right;
}

static bool came_out_right(struct world *w, const struct trial *t, enum privilege mode)
{
    struct hart *h = w->hart;
    bool right = registers_are_right(h, t);

    if (hart_pc(h) != expected_pc(t)) {
        print_error("    pc is %#llx, not %#llx (mcause %llu)\n", (unsigned long long)hart_pc(h),
                    (unsigned long long)expected_pc(t), (unsigned long long)csr(h, MCAUSE));
        right = false;
    }
    if (t->memory && !outside(t) && !memory_is_right(w, t)) {
        print_error("    memory is wrong\n");
        right = false;
    }
    if (t->cause ? !trap_is_right(h, t, mode) : hart_mode(h) != mode) {
        print_error("    the trap is wrong\n");
        right = false;
    }
    return right;
}

/* At the target of the word is `j .`, unless that would overwrite the word. */
static bool put_spin(struct world *w, const struct trial *t)
{
    uint64_t at = expected_pc(t);

    if (at == CODE)
        return true;
    if (at > CODE - 4 && at < w->put_at)
        return false;
    poke(w, at, JAL(ZERO, 0), 4);
    return true;
}

static bool run_trial(struct world *w, const struct trial *t, enum privilege mode, uint64_t budget)
{
    uint64_t retired;

    if (hart_mode(w->hart) != mode)
        enter(w->hart, mode, CODE);
    retired = hart_insns(w->hart);
    set_registers(w->hart, t);
    if (t->memory && !outside(t))
        set_memory(w, t);
    run(w, budget);
    if (!came_out_right(w, t, mode))
        return false;
    if (!t->cause && hart_insns(w->hart) != retired + budget) {
        print_error("    %llu instructions were counted\n",
                    (unsigned long long)(hart_insns(w->hart) - retired));
        return false;
    }
    return true;
}

/* Executes it alone, alone again, and as part of a longer run that ends in a loop. */
static bool try_once(const struct trial *t, enum privilege mode)
{
    struct world w = world_in_mode(mode);
    bool right, may_spin;

    put(&w, t->word);
    may_spin = put_spin(&w, t);
    right = run_trial(&w, t, mode, 1) && run_trial(&w, t, mode, 1) &&
            (!may_spin || (run_trial(&w, t, mode, 20) && run_trial(&w, t, mode, 20)));
    world_free(&w);
    return right;
}

/* ---- examples that need code ---- */

/* Jumps of full size. */

static void assert_jump(struct world *w, uint32_t word, uint64_t target, unsigned link)
{
    uint64_t at = exec(w, word);

    assert_int_equal(hart_pc(w->hart), target);
    if (link)
        assert_int_equal(hart_reg(w->hart, link), at + ((word & 3) == 3 ? 4 : 2));
}

static void jal_links_the_next_instruction(struct world *w)
{
    assert_jump(w, JAL(RA, 16), CODE + 16, RA);
}

static void jal_backwards_without_a_link(struct world *w)
{
    assert_jump(w, JAL(ZERO, -16), CODE - 16, ZERO);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    assert_int_equal(hart_reg(w->hart, RA), 0);
}

static void jal_reaches_to_its_limits(struct world *w)
{
    w->put_at = RAM_BASE + 0x80000;
    assert_jump(w, JAL(T0, 0xffffe), RAM_BASE + 0x80000 + 0xffffe, T0);
    w->put_at = RAM_BASE + 0x80000;
    assert_jump(w, JAL(T0, -0x100000), RAM_BASE + 0x80000 - 0x100000, T0);
}

static void jal_to_itself_stays(struct world *w)
{
    assert_jump(w, JAL(RA, 0), CODE, RA);
}

static void jal_to_a_compressed_boundary(struct world *w)
{
    poke(w, CODE + 6, C_LI(A0, 9), 2);
    assert_jump(w, JAL(RA, 6), CODE + 6, RA);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 9);
    assert_int_equal(hart_pc(w->hart), CODE + 8);
}

static void jalr_links_and_goes(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, JALR(RA, A0, 2046), DATA + 2046, RA);
}

static void jalr_reads_rs1_before_it_writes_rd(struct world *w)
{
    hart_set_reg(w->hart, RA, DATA);
    assert_jump(w, JALR(RA, RA, 4), DATA + 4, RA);
}

static void jalr_clears_bit_0_of_an_odd_target(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA + 1);
    assert_jump(w, JALR(RA, A0, 0), DATA, RA);
    assert_jump(w, JALR(RA, A0, 1), DATA + 2, RA);
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, JALR(RA, A0, -1), DATA - 2, RA);
}

static void jalr_with_a_negative_offset(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, JALR(T0, A0, -2048), DATA - 2048, T0);
}

static void jalr_from_x0_wraps_around(struct world *w)
{
    assert_jump(w, JALR(RA, ZERO, -4), UINT64_C(0xfffffffffffffffc), RA);
}

static void jalr_without_a_link(struct world *w)
{
    hart_set_reg(w->hart, RA, DATA);
    assert_jump(w, JALR(ZERO, RA, 0), DATA, ZERO);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    assert_int_equal(hart_reg(w->hart, RA), DATA);
}

/* Jumps of two bytes. */

static void c_jalr_links_two_bytes_on(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, C_JALR(A0), DATA, RA);
}

static void c_jalr_through_ra(struct world *w)
{
    hart_set_reg(w->hart, RA, DATA);
    assert_jump(w, C_JALR(RA), DATA, RA);
}

static void c_jalr_clears_bit_0_of_an_odd_target(struct world *w)
{
    hart_set_reg(w->hart, T6, DATA + 3);
    assert_jump(w, C_JALR(T6), DATA + 2, RA);
}

static void c_jalr_backwards(struct world *w)
{
    w->put_at = CODE + 0x102;
    hart_set_reg(w->hart, T0, CODE);
    assert_jump(w, C_JALR(T0), CODE, RA);
}

/* Loads and stores. */

static void ld_into_its_own_base(struct world *w)
{
    poke(w, DATA, DATA + 64, 8);
    poke(w, DATA + 64, 0x1234, 8);
    hart_set_reg(w->hart, A0, DATA);
    put(w, LD(A0, A0, 0));
    put(w, LD(A0, A0, 0));
    run(w, 2);
    assert_int_equal(hart_reg(w->hart, A0), 0x1234);
}

static void lw_to_x0_changes_nothing_but_may_fault(struct world *w)
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

static void lb_from_nowhere_is_an_access_fault(struct world *w)
{
    uint64_t at;

    hart_set_reg(w->hart, A0, RAM_BASE + RAM_SIZE + 2047);
    hart_set_reg(w->hart, A1, 77);
    at = exec(w, LB(A1, A0, -2047));
    assert_trapped(w->hart, EXC_LOAD_ACCESS, at, RAM_BASE + RAM_SIZE);
    assert_int_equal(hart_reg(w->hart, A1), 77);
}

static void sd_of_its_own_base(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    exec(w, SD(A0, A0, 8));
    assert_int_equal(peek(w, DATA + 8, 8), DATA);
    assert_int_equal(hart_reg(w->hart, A0), DATA);
}

static void sd_across_the_end_of_memory_writes_nothing(struct world *w)
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

static void sw_of_x0_clears(struct world *w)
{
    poke(w, DATA, FILL, 8);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, SW(ZERO, A0, 4));
    assert_int_equal(peek(w, DATA, 8), FILL & UINT32_MAX);
}

/* Ordering. */

/* A program that patches the instruction after it, with or without a fence.i in between. */
static uint64_t result_of_patching(uint32_t between)
{
    const struct cluster_config config = {.fetch = FETCH_STALE};
    struct world w = world_with(&config, 1);
    uint64_t a1;

    hart_set_reg(w.hart, A0, CODE + 16);
    hart_set_reg(w.hart, A2, ADDI(A1, ZERO, 2));
    put(&w, SW(A2, A0, 0));
    put(&w, between);
    put(&w, ADDI(T0, T0, 1));
    put(&w, JAL(ZERO, 4));
    put(&w, ADDI(A1, ZERO, 1)); /* what is patched */
    hart_set_pc(w.hart, CODE + 16);
    assert_int_equal(hart_run(w.hart, 1, UINT64_MAX),
                     HART_BUDGET); /* now it is in the instruction cache */
    assert_int_equal(hart_reg(w.hart, A1), 1);
    run(&w, 5);
    a1 = hart_reg(w.hart, A1);
    world_free(&w);
    return a1;
}

static void fence_i_makes_a_store_to_code_visible(struct world *w)
{
    (void)w;
    assert_int_equal(result_of_patching(ADDI(ZERO, ZERO, 0)), 1);
    assert_int_equal(result_of_patching(FENCE(0, 15, 15)), 1);
    assert_int_equal(result_of_patching(FENCE_I), 2);
}

static void fence_i_is_allowed_in_every_mode(struct world *w)
{
    enum privilege mode = hart_mode(w->hart);
    uint64_t at = exec(w, FENCE_I);

    assert_int_equal(hart_pc(w->hart), at + 4);
    assert_int_equal(hart_mode(w->hart), mode);
}

/* Instructions that trap. */

/* Executes one word in a mode and expects the trap in M-mode. */
static void assert_word_traps(struct world *w, enum privilege mode, uint32_t word, uint64_t cause,
                              uint64_t tval)
{
    uint64_t at = put(w, word);

    if (hart_mode(w->hart) != mode)
        enter(w->hart, mode, at);
    step_at(w, at);
    assert_trapped(w->hart, cause, at, tval);
    assert_int_equal(csr(w->hart, MSTATUS) >> 11 & 3, mode);
}

static void assert_illegal(struct world *w, enum privilege mode, uint32_t word)
{
    assert_word_traps(w, mode, word, EXC_ILLEGAL, word);
}

static void assert_word_traps_to_s(struct world *w, enum privilege mode, uint32_t word,
                                   uint64_t cause, uint64_t tval)
{
    uint64_t at = put(w, word);

    set_csr(w->hart, MEDELEG, UINT64_C(1) << cause);
    enter(w->hart, mode, at);
    step_at(w, at);
    assert_trapped_to_s(w->hart, cause, at, tval);
    assert_int_equal(csr(w->hart, SSTATUS) >> 8 & 1, mode == PRIV_S);
}

static void ecall_from_u_mode(struct world *w)
{
    assert_word_traps(w, PRIV_U, ECALL, EXC_ECALL_U, 0);
}

static void ecall_from_s_mode(struct world *w)
{
    assert_word_traps(w, PRIV_S, ECALL, EXC_ECALL_S, 0);
}

static void ecall_from_m_mode(struct world *w)
{
    assert_word_traps(w, PRIV_M, ECALL, EXC_ECALL_M, 0);
}

static void ecall_is_not_counted_as_retired(struct world *w)
{
    uint64_t before = csr(w->hart, MINSTRET);

    put(w, ADDI(A0, ZERO, 1));
    put(w, ECALL);
    poke(w, M_VECTOR, CSRRS(A1, MINSTRET, ZERO), 4);
    poke(w, M_VECTOR + 4, JAL(ZERO, 0), 4);
    run(w, 1);
    while (hart_pc(w->hart) != M_VECTOR + 4)
        assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A1), before + 1);
}

static void ecall_delegated_to_s_mode(struct world *w)
{
    assert_word_traps_to_s(w, PRIV_U, ECALL, EXC_ECALL_U, 0);
}

static void firmware_call(void *ctx, struct hart *h)
{
    (*(unsigned *)ctx)++;
    hart_set_reg(h, A0, 42);
}

static void try_firmware(enum privilege mode)
{
    unsigned calls = 0;
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .env = {.ctx = &calls, .firmware_call = firmware_call}};
    struct world w = world_with(&config, 1);

    enter(w.hart, mode, put(&w, ECALL));
    step_at(&w, CODE);
    assert_int_equal(calls, mode == PRIV_S);
    if (mode == PRIV_S) {
        assert_int_equal(hart_reg(w.hart, A0), 42);
        assert_int_equal(hart_pc(w.hart), CODE + 4);
        assert_int_equal(hart_mode(w.hart), PRIV_S);
    } else {
        assert_trapped(w.hart, (uint64_t)EXC_ECALL_U + mode, CODE, 0);
    }
    world_free(&w);
}

static void ecall_from_s_mode_goes_to_firmware_if_there_is_one(struct world *w)
{
    (void)w;
    try_firmware(PRIV_S);
    try_firmware(PRIV_U);
    try_firmware(PRIV_M);
}

static void ebreak_in_m_mode_gives_its_address(struct world *w)
{
    assert_word_traps(w, PRIV_M, EBREAK, EXC_BREAKPOINT, CODE);
}

static void ebreak_in_s_mode(struct world *w)
{
    assert_word_traps(w, PRIV_S, EBREAK, EXC_BREAKPOINT, CODE);
}

static void ebreak_in_u_mode(struct world *w)
{
    assert_word_traps(w, PRIV_U, EBREAK, EXC_BREAKPOINT, CODE);
}

static void ebreak_delegated_to_s_mode(struct world *w)
{
    assert_word_traps_to_s(w, PRIV_S, EBREAK, EXC_BREAKPOINT, CODE);
}

static void c_ebreak_in_m_mode_gives_its_address(struct world *w)
{
    w->put_at = CODE + 2;
    assert_word_traps(w, PRIV_M, C_EBREAK, EXC_BREAKPOINT, CODE + 2);
}

static void c_ebreak_in_s_mode(struct world *w)
{
    assert_word_traps(w, PRIV_S, C_EBREAK, EXC_BREAKPOINT, CODE);
}

static void c_ebreak_in_u_mode(struct world *w)
{
    assert_word_traps(w, PRIV_U, C_EBREAK, EXC_BREAKPOINT, CODE);
}

static void c_ebreak_delegated_to_s_mode(struct world *w)
{
    assert_word_traps_to_s(w, PRIV_U, C_EBREAK, EXC_BREAKPOINT, CODE);
}

/* Returns from traps. Fields of mstatus, from vol. II, figure 3.7. */
enum {
    BIT_SIE = 1 << 1,
    BIT_MIE = 1 << 3,
    BIT_SPIE = 1 << 5,
    BIT_MPIE = 1 << 7,
    BIT_SPP = 1 << 8,
    MPP_S = 1 << 11,
    MPP_M = 3 << 11,
    BIT_MPRV = 1 << 17,
    BIT_TVM = 1 << 20,
    BIT_TW = 1 << 21,
    BIT_TSR = 1 << 22,
    STACK_BITS = BIT_SIE | BIT_MIE | BIT_SPIE | BIT_MPIE | BIT_SPP | MPP_M | BIT_MPRV,
};

static void assert_stack(struct hart *h, uint64_t bits)
{
    assert_int_equal(csr(h, MSTATUS) & STACK_BITS, bits);
}

static void mret_goes_to_mpp_and_restores_mie(struct world *w)
{
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, MPP_S | BIT_MPIE);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_stack(w->hart, BIT_MIE | BIT_MPIE);
}

static void mret_sets_mpie_and_mpp_to_u(struct world *w)
{
    set_csr(w->hart, MEPC, DATA + 2);
    set_csr(w->hart, MSTATUS, MPP_M | BIT_MIE);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_M);
    assert_int_equal(hart_pc(w->hart), DATA + 2);
    assert_stack(w->hart, BIT_MPIE);
}

static void mret_is_illegal_in_s_mode(struct world *w)
{
    assert_illegal(w, PRIV_S, MRET);
}

static void mret_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, MRET);
}

static void mret_clears_mprv_when_it_leaves_m_mode(struct world *w)
{
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_MPRV);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_U);
    assert_stack(w->hart, BIT_MPIE);
}

static void mret_to_m_mode_keeps_mprv(struct world *w)
{
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_MPRV | MPP_M);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_M);
    assert_stack(w->hart, BIT_MPRV | BIT_MPIE);
}

static void sret_goes_to_spp_and_restores_sie(struct world *w)
{
    enter(w->hart, PRIV_S, CODE);
    set_csr(w->hart, SEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_SPP | BIT_SPIE);
    exec(w, SRET);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_stack(w->hart, BIT_SIE | BIT_SPIE);
}

static void sret_sets_spie_and_spp_to_u(struct world *w)
{
    enter(w->hart, PRIV_S, CODE);
    set_csr(w->hart, SEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_SIE);
    exec(w, SRET);
    assert_int_equal(hart_mode(w->hart), PRIV_U);
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_stack(w->hart, BIT_SPIE);
}

static void sret_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SRET);
}

static void sret_is_illegal_in_s_mode_under_tsr(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TSR);
    assert_illegal(w, PRIV_S, SRET);
    set_csr(w->hart, SEPC, DATA);
    exec(w, SRET); /* M-mode may */
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_int_equal(hart_mode(w->hart), PRIV_U);
}

static void sret_from_m_mode_clears_mprv(struct world *w)
{
    set_csr(w->hart, SEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_SPP | BIT_MPRV | MPP_M);
    exec(w, SRET);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_stack(w->hart, BIT_SPIE | MPP_M);
}

/* Waiting. */

static void wfi_waits_until_an_interrupt_is_pending(struct world *w)
{
    set_csr(w->hart, MIE, 1 << IRQ_MTI);
    put(w, WFI);
    put(w, ADDI(A0, ZERO, 1));
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 10, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_run(w->hart, 10, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
    assert_int_equal(hart_reg(w->hart, A0), 0);
    hart_set_irq(w->hart, IRQ_MTI, true);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 1); /* mstatus.MIE is off: no trap */
}

static void wfi_goes_on_when_one_is_pending_already(struct world *w)
{
    set_csr(w->hart, MIE, 1 << IRQ_MSI);
    hart_set_irq(w->hart, IRQ_MSI, true);
    put(w, WFI);
    put(w, ADDI(A0, ZERO, 1));
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 1);
}

static void wfi_in_s_mode_is_legal_and_traps_under_tw(struct world *w)
{
    uint64_t at = put(w, WFI);

    enter(w->hart, PRIV_S, at);
    step_at(w, at);
    assert_int_equal(hart_pc(w->hart), at + 4);
    set_csr(w->hart, MSTATUS, BIT_TW);
    hart_set_pc(w->hart, at + 4);
    exec(w, WFI);
    assert_trapped(w->hart, EXC_ILLEGAL, at + 4, WFI);
}

static void wfi_in_u_mode_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_U, WFI);
}

/* Address spaces: one gigabyte at 0x4000_0000 whose mapping can be changed. */

#define ROOT_TABLE (RAM_BASE + 0x20000)
#define NEXT_TABLE (RAM_BASE + 0x21000)
#define LAST_TABLE (RAM_BASE + 0x22000)
#define WINDOW     UINT64_C(0x40000000)

static void map_window(struct world *w, uint64_t pa)
{
    poke(w, LAST_TABLE, pa >> 12 << 10 | PTE_BITS_RWXAD, 8);
}

/* S-mode under Sv39: RAM where it is, and one page of WINDOW. */
static void set_up_paging(struct world *w, uint64_t pa)
{
    poke(w, ROOT_TABLE + 8 * 2, RAM_BASE >> 12 << 10 | PTE_BITS_RWXAD, 8);
    poke(w, ROOT_TABLE + 8 * 1, NEXT_TABLE >> 12 << 10 | 1, 8);
    poke(w, NEXT_TABLE, LAST_TABLE >> 12 << 10 | 1, 8);
    map_window(w, pa);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | ROOT_TABLE >> 12);
    enter(w->hart, PRIV_S, CODE);
}

static void sfence_vma_in_m_mode_does_nothing_visible(struct world *w)
{
    exec(w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(hart_pc(w->hart), CODE + 4);
    exec(w, SFENCE_VMA(A0, A1));
    assert_int_equal(hart_pc(w->hart), CODE + 8);
}

static void sfence_vma_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SFENCE_VMA(ZERO, ZERO));
}

static void sfence_vma_is_illegal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_illegal(w, PRIV_S, SFENCE_VMA(A0, ZERO));
    exec(w, SFENCE_VMA(A0, ZERO)); /* M-mode may */
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

/* Reads through the window, changes its mapping, fences, reads again. */
static void try_remapping(struct world *w, uint32_t fence)
{
    poke(w, DATA, 1, 8);
    poke(w, DATA + 0x1000, 2, 8);
    set_up_paging(w, DATA);
    hart_set_reg(w->hart, A0, WINDOW + DATA % 0x1000);
    exec(w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
    map_window(w, DATA + 0x1000);
    exec(w, fence);
    exec(w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w->hart, A1), 2);
}

static void sfence_vma_makes_a_new_mapping_visible(struct world *w)
{
    try_remapping(w, SFENCE_VMA(ZERO, ZERO));
}

static void sfence_vma_of_one_address_makes_its_mapping_visible(struct world *w)
{
    try_remapping(w, SFENCE_VMA(A0, ZERO));
}

static void sfence_vma_of_one_address_covers_its_whole_superpage(struct world *w)
{
    uint64_t first = RAM_BASE, second = RAM_BASE + 0x1000000;

    set_up_paging(w, DATA);
    poke(w, NEXT_TABLE + 8 * 4, first >> 12 << 10 | PTE_BITS_RWXAD, 8); /* two megabytes */
    hart_set_reg(w->hart, A0, WINDOW + 4 * 0x200000 + 0x30000);
    hart_set_reg(w->hart, A2, WINDOW + 4 * 0x200000 + 0x31000);
    exec(w, LD(A1, A0, 0));
    exec(w, LD(A1, A2, 0));
    poke(w, NEXT_TABLE + 8 * 4, second >> 12 << 10 | PTE_BITS_RWXAD, 8); /* no memory there */
    exec(w, SFENCE_VMA(A0, ZERO));
    exec(w, LD(A1, A2, 0));
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_ACCESS);
}

/* More superpages than a hart's list holds; the last one is unmapped. */
static void sfence_vma_of_one_address_covers_one_of_many_superpages(struct world *w)
{
    enum { FIRST = 4, COUNT = 100 };

    set_up_paging(w, DATA);
    for (unsigned n = FIRST; n < FIRST + COUNT; n++) {
        poke(w, NEXT_TABLE + 8 * n, RAM_BASE >> 12 << 10 | PTE_BITS_RWXAD, 8);
        hart_set_reg(w->hart, A0, WINDOW + n * UINT64_C(0x200000));
        hart_set_reg(w->hart, A2, WINDOW + n * UINT64_C(0x200000) + 0x1000 * (n % 50));
        exec(w, LD(A1, A0, 0));
        exec(w, LD(A1, A2, 0));
    }
    poke(w, NEXT_TABLE + UINT64_C(8) * (FIRST + COUNT - 1), 0, 8);
    exec(w, SFENCE_VMA(A0, ZERO));
    exec(w, LD(A1, A2, 0));
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
}

static void sfence_vma_covers_a_superpage_that_became_a_table(struct world *w)
{
    set_up_paging(w, DATA);
    poke(w, NEXT_TABLE + 8 * 4, RAM_BASE >> 12 << 10 | PTE_BITS_RWXAD, 8);
    hart_set_reg(w->hart, A0, WINDOW + 4 * 0x200000);
    hart_set_reg(w->hart, A2, WINDOW + 4 * 0x200000 + 0x1000);
    exec(w, LD(A1, A0, 0));
    exec(w, LD(A1, A2, 0));
    poke(w, NEXT_TABLE + 8 * 4, LAST_TABLE >> 12 << 10 | 1, 8); /* holds its first page only */
    exec(w, SFENCE_VMA(A0, ZERO));
    exec(w, LD(A1, A2, 0));
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
}

/* CSRs. */

static void csrrw_swaps(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    hart_set_reg(w->hart, A1, 0x2222);
    exec(w, CSRRW(A0, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, A0), 0x1111);
    assert_int_equal(hart_reg(w->hart, A1), 0x2222);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x2222);
}

static void csrrw_with_rd_equal_to_rs1(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    hart_set_reg(w->hart, SP, 0x2222);
    exec(w, CSRRW(SP, MSCRATCH, SP));
    assert_int_equal(hart_reg(w->hart, SP), 0x1111);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x2222);
}

static void csrrw_from_x0_writes_zero(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    exec(w, CSRRW(A0, MSCRATCH, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0x1111);
    assert_int_equal(csr(w->hart, MSCRATCH), 0);
}

static void csrrw_to_x0_drops_the_old_value(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    hart_set_reg(w->hart, A1, UINT64_MAX);
    exec(w, CSRRW(ZERO, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    assert_int_equal(csr(w->hart, MSCRATCH), UINT64_MAX);
}

static void csrrw_of_a_read_only_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRW(A0, MHARTID, A1));
    assert_illegal(w, PRIV_M, CSRRW(ZERO, CYCLE, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0);
}

static void csrrw_of_no_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRW(A0, 0x7c0, A1));
    assert_illegal(w, PRIV_M, CSRRS(A0, 0x000, ZERO));
    assert_illegal(w, PRIV_M, CSRRS(A0, 0xc20, ZERO));
    assert_illegal(w, PRIV_M, CSRRS(A0, 0xfff, ZERO));
}

static void csrrs_sets_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x31);
    hart_set_reg(w->hart, A1, 0x8000000000000022);
    exec(w, CSRRS(A0, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, A0), 0x31);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x8000000000000033);
}

static void csrrs_with_x0_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRS(A0, MHARTID, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

static void csrrs_with_another_register_holding_zero_is_a_write(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRS(A0, MHARTID, A1));
}

static void csrrs_with_rd_equal_to_rs1(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x11);
    hart_set_reg(w->hart, A0, 0x22);
    exec(w, CSRRS(A0, MSCRATCH, A0));
    assert_int_equal(hart_reg(w->hart, A0), 0x11);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x33);
}

static void csrrs_of_a_more_privileged_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_S, CSRRS(A0, MSCRATCH, ZERO));
    assert_illegal(w, PRIV_U, CSRRS(A0, MSCRATCH, ZERO));
    assert_illegal(w, PRIV_U, CSRRS(A0, SSCRATCH, ZERO));
    assert_illegal(w, PRIV_S, CSRRS(A0, MHARTID, ZERO));
}

static void csrrc_clears_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, UINT64_MAX);
    hart_set_reg(w->hart, A1, 0x8000000000000001);
    exec(w, CSRRC(A0, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, A0), UINT64_MAX);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x7ffffffffffffffe);
}

static void csrrc_with_x0_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRC(A0, MVENDORID, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

static void csrrc_with_another_register_holding_zero_is_a_write(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRC(A0, MHARTID, A1));
}

static void csrrc_with_rd_equal_to_rs1(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x33);
    hart_set_reg(w->hart, A0, 0x22);
    exec(w, CSRRC(A0, MSCRATCH, A0));
    assert_int_equal(hart_reg(w->hart, A0), 0x33);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x11);
}

static void csrrwi_writes_its_number(struct world *w)
{
    set_csr(w->hart, MSCRATCH, UINT64_MAX);
    exec(w, CSRRWI(A0, MSCRATCH, 31));
    assert_int_equal(hart_reg(w->hart, A0), UINT64_MAX);
    assert_int_equal(csr(w->hart, MSCRATCH), 31);
}

static void csrrwi_of_zero_is_still_a_write(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    exec(w, CSRRWI(A0, MSCRATCH, 0));
    assert_int_equal(hart_reg(w->hart, A0), 0x1111);
    assert_int_equal(csr(w->hart, MSCRATCH), 0);
    assert_illegal(w, PRIV_M, CSRRWI(A0, MHARTID, 0));
}

static void csrrwi_to_x0(struct world *w)
{
    exec(w, CSRRWI(ZERO, MSCRATCH, 5));
    assert_int_equal(csr(w->hart, MSCRATCH), 5);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
}

static void csrrwi_is_not_the_register_of_that_number(struct world *w)
{
    hart_set_reg(w->hart, A0, 0x1111);
    exec(w, CSRRWI(ZERO, MSCRATCH, A0));
    assert_int_equal(csr(w->hart, MSCRATCH), 10);
}

static void csrrsi_sets_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x8000000000000011);
    exec(w, CSRRSI(A0, MSCRATCH, 12));
    assert_int_equal(hart_reg(w->hart, A0), 0x8000000000000011);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x800000000000001d);
}

static void csrrsi_of_zero_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRSI(A0, MHARTID, 0));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

static void csrrsi_of_one_on_a_read_only_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRSI(A0, MHARTID, 1));
}

static void csrrsi_to_x0(struct world *w)
{
    exec(w, CSRRSI(ZERO, MSCRATCH, 5));
    assert_int_equal(csr(w->hart, MSCRATCH), 5);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
}

static void csrrci_clears_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, UINT64_MAX);
    exec(w, CSRRCI(A0, MSCRATCH, 17));
    assert_int_equal(hart_reg(w->hart, A0), UINT64_MAX);
    assert_int_equal(csr(w->hart, MSCRATCH), UINT64_MAX - 17);
}

static void csrrci_of_zero_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRCI(A0, MHARTID, 0));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

static void csrrci_of_one_on_a_read_only_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRCI(A0, MHARTID, 1));
}

static void csrrci_to_x0(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 15);
    exec(w, CSRRCI(ZERO, MSCRATCH, 5));
    assert_int_equal(csr(w->hart, MSCRATCH), 10);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
}

/* Reservations. */

static void reserve(struct world *w, uint32_t lr, uint64_t value)
{
    poke(w, DATA, value, 8);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, lr);
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

static void lr_w_sign_extends(struct world *w)
{
    reserve(w, LR_W(0, A1, A0), 0x1234567880000001);
    assert_int_equal(hart_reg(w->hart, A1), 0xffffffff80000001);
    reserve(w, LR_W(2, A1, A0), 0xffffffff7fffffff);
    assert_int_equal(hart_reg(w->hart, A1), 0x7fffffff);
}

static void assert_atomic_traps(struct world *w, uint32_t word, uint64_t address, uint64_t cause)
{
    hart_set_reg(w->hart, A0, address);
    assert_word_traps(w, hart_mode(w->hart), word, cause, address);
}

static void lr_w_misaligned_traps(struct world *w)
{
    assert_atomic_traps(w, LR_W(0, A1, A0), DATA + 2, EXC_LOAD_MISALIGNED);
}

static void lr_w_from_nowhere_is_an_access_fault(struct world *w)
{
    assert_atomic_traps(w, LR_W(0, A1, A0), 0x40, EXC_LOAD_ACCESS);
}

static void lr_w_reads_its_base_before_it_writes_it(struct world *w)
{
    reserve(w, LR_W(0, A0, A0), 77);
    assert_int_equal(hart_reg(w->hart, A0), 77);
}

static void lr_d_loads_eight_bytes(struct world *w)
{
    reserve(w, LR_D(0, A1, A0), 0x8877665544332211);
    assert_int_equal(hart_reg(w->hart, A1), 0x8877665544332211);
}

static void lr_d_misaligned_traps(struct world *w)
{
    assert_atomic_traps(w, LR_D(0, A1, A0), DATA + 4, EXC_LOAD_MISALIGNED);
}

static void lr_d_with_every_ordering(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        reserve(w, LR_D(aqrl, A1, A0), 100 + aqrl);
        assert_int_equal(hart_reg(w->hart, A1), 100 + aqrl);
    }
}

static void assert_store_conditional(struct world *w, uint32_t sc, bool succeeds, uint64_t memory)
{
    hart_set_reg(w->hart, A1, 77);
    exec(w, sc);
    assert_int_equal(hart_pc(w->hart), w->put_at);
    assert_int_equal(hart_reg(w->hart, A1), !succeeds);
    assert_int_equal(peek(w, DATA, 8), memory);
}

static void lr_d_to_x0_still_reserves(struct world *w)
{
    reserve(w, LR_D(0, ZERO, A0), 5);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    hart_set_reg(w->hart, A2, 6);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), true, 6);
}

static void sc_w_stores_and_gives_zero(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        reserve(w, LR_W(0, A3, A0), 5);
        hart_set_reg(w->hart, A2, 6);
        assert_store_conditional(w, SC_W(aqrl, A1, A2, A0), true, 6);
    }
}

static void sc_w_without_a_reservation_stores_nothing(struct world *w)
{
    poke(w, DATA, 5, 8);
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A2, 6);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 5);
}

static void sc_w_elsewhere_stores_nothing(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    poke(w, DATA + 0x100, FILL, 8);
    hart_set_reg(w->hart, A0, DATA + 0x100);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 5);
    assert_int_equal(peek(w, DATA + 0x100, 8), FILL);
    hart_set_reg(w->hart, A0, DATA); /* and the attempt has used the reservation up */
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 5);
}

static void sc_w_succeeds_once_only(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    hart_set_reg(w->hart, A2, 6);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), true, 6);
    hart_set_reg(w->hart, A2, 7);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 6);
}

static void sc_w_misaligned_traps(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    assert_atomic_traps(w, SC_W(0, A1, A2, A0), DATA + 1, EXC_STORE_MISALIGNED);
    assert_int_equal(peek(w, DATA, 8), 5);
}

static void sc_w_leaves_the_upper_half(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), FILL);
    hart_set_reg(w->hart, A2, 0x1122334455667788);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), true, 0xa5a5a5a555667788);
}

static void sc_d_stores_and_gives_zero(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        reserve(w, LR_D(0, A3, A0), FILL);
        hart_set_reg(w->hart, A2, 0x1122334455667788);
        assert_store_conditional(w, SC_D(aqrl, A1, A2, A0), true, 0x1122334455667788);
    }
}

static void sc_d_without_a_reservation_stores_nothing(struct world *w)
{
    poke(w, DATA, 5, 8);
    hart_set_reg(w->hart, A0, DATA);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 5);
}

static void sc_d_with_rd_equal_to_rs2(struct world *w)
{
    reserve(w, LR_D(0, A3, A0), 5);
    assert_store_conditional(w, SC_D(0, A1, A1, A0), true, 77);
}

static void sc_d_misaligned_traps_without_a_reservation(struct world *w)
{
    assert_atomic_traps(w, SC_D(0, A1, A2, A0), DATA + 4, EXC_STORE_MISALIGNED);
}

/* Hints. */

static uint64_t cycles_of_pause(enum timing_model timing)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = timing};
    struct world w = world_with(&config, 1);
    uint64_t before = hart_cycles(w.hart), cycles;

    exec(&w, PAUSE);
    cycles = hart_cycles(w.hart) - before;
    world_free(&w);
    return cycles;
}

static void pause_takes_its_time(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_of_pause(TIMING_INORDER), 32);
}

static void pause_takes_one_cycle_where_all_do(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_of_pause(TIMING_UNIT), 1);
}

/* A block of four pauses, each with an instruction after it. */
static void pause_ends_a_run_from_a_cycle_on(struct world *w)
{
    uint64_t begin = w->put_at;

    for (unsigned i = 0; i < 4; i++) {
        put(w, PAUSE);
        put(w, ADDI(A4, A4, 1));
    }
    hart_set_pc(w->hart, begin);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    hart_yield_from(w->hart, hart_cycles(w->hart) + 1);
    assert_int_equal(hart_run(w->hart, 6, UINT64_MAX),
                     HART_PAUSED); /* the third one is late enough */
    assert_int_equal(hart_pc(w->hart), begin + 20);
    assert_int_equal(hart_reg(w->hart, A4), 2);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 3);
    hart_yield_from(w->hart, UINT64_MAX);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 4);
}

/* Executes a word on a hart that has the base instructions only. */
static uint64_t cycles_on_a_bare_hart(uint32_t word)
{
    const struct cluster_config config = {.extensions = EXTS_I | EXTS_S | EXTS_Zicsr,
                                          .timing = TIMING_INORDER};
    struct world w = world_with(&config, 1);
    uint64_t before = hart_cycles(w.hart), cycles;

    exec(&w, word);
    assert_int_equal(hart_pc(w.hart), CODE + 4);
    cycles = hart_cycles(w.hart) - before;
    world_free(&w);
    return cycles;
}

static void pause_is_a_fence_without_its_extension(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_on_a_bare_hart(PAUSE), cycles_on_a_bare_hart(FENCE(0, 15, 15)));
}

static void prefetches_are_an_ori_without_their_extension(struct world *w)
{
    (void)w;
    assert_int_equal(cycles_on_a_bare_hart(PREFETCH_I(A0, 0)), 1);
    assert_int_equal(cycles_on_a_bare_hart(PREFETCH_R(A0, 0)), 1);
    assert_int_equal(cycles_on_a_bare_hart(PREFETCH_W(A0, 0)), 1);
}

/* Cache blocks. */

enum { BLOCK = 64, PTE_BIT_R = 2, PTE_BIT_W = 4, PTE_BIT_X = 8, PTE_BIT_A = 64, PTE_BIT_D = 128 };
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

static void cache_block_management_changes_no_memory(struct world *w)
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

static void cache_block_management_needs_no_more_than_a_load(struct world *w)
{
    enter_behind_window(w, PTE_BIT_R);
    for (size_t n = 0; n < ARRAY_LEN(management); n++) {
        exec(w, management[n]);
        assert_int_equal(hart_pc(w->hart), w->put_at);
    }
    assert_int_equal(peek(w, LAST_TABLE, 8) & 0xff, 1 | PTE_BIT_R | PTE_BIT_A);
}

static void cache_block_management_of_no_memory_is_a_store_fault(struct world *w)
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
static void cache_block_management_reaches_devices_and_no_farther(struct world *w)
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

static void cbo_inval_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_INVAL(A0), CBIE(3));
    assert_enabled_by(CBO_INVAL(A0), CBIE(1)); /* as a flush */
}

static void cbie_keeps_no_reserved_value(struct world *w)
{
    set_csr(w->hart, MENVCFG, CBIE(1));
    set_csr(w->hart, MENVCFG, CBIE(2) | CBCFE);
    assert_int_equal(csr(w->hart, MENVCFG) & 0xf0, CBIE(1) | CBCFE);
    set_csr(w->hart, SENVCFG, CBIE(2) | CBZE);
    assert_int_equal(csr(w->hart, SENVCFG) & 0xf0, CBZE);
}

/* A hart that has cbo.zero and no other. */
static void envcfg_has_no_fields_for_what_is_not_there(struct world *unused)
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

static void cbo_clean_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_CLEAN(A0), CBCFE);
}

static void cbo_flush_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_FLUSH(A0), CBCFE);
}

static void cbo_zero_is_legal_where_envcfg_says_so(struct world *w)
{
    (void)w;
    assert_enabled_by(CBO_ZERO(A0), CBZE);
}

/* Twice: the second time through what the first left cached. */
static void cbo_zero_clears_the_block_around_its_address(struct world *w)
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

static void cbo_zero_needs_the_permission_of_a_store(struct world *w)
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

static void cbo_zero_outside_of_memory_is_an_access_fault(struct world *w)
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

static void cbo_zero_is_seen_by_who_watches_the_page(struct world *w)
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
static void cbo_zero_of_code_is_seen_after_fence_i(struct world *unused)
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

/* Two harts and a count of those that were woken. */
struct pair {
    struct world w;
    struct hart *other;
    unsigned woken;
};

static void count_waking(void *ctx, struct hart *h)
{
    (void)h;
    ++*(unsigned *)ctx;
}

static void make_pair(struct pair *p)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .env = {.ctx = &p->woken, .woken = count_waking}};

    *p = (struct pair){.w = world_with(&config, 2)};
    p->other = cluster_hart(p->w.cluster, 1);
}

static void other_hart_executes(struct pair *p, uint32_t word, uint64_t a0)
{
    hart_set_reg(p->other, A0, a0);
    hart_set_pc(p->other, put(&p->w, word));
    assert_int_equal(hart_run(p->other, 1, UINT64_MAX), HART_BUDGET);
}

static void cbo_zero_breaks_another_harts_reservation(struct world *unused)
{
    struct pair p;

    (void)unused;
    make_pair(&p);
    reserve(&p.w, LR_D(0, A3, A0), 5);
    other_hart_executes(&p, CBO_ZERO(A0), DATA + 60);
    hart_set_reg(p.w.hart, A2, 6);
    assert_store_conditional(&p.w, SC_D(0, A1, A2, A0), false, 0);
    world_free(&p.w);
}

/* The same once the address is in the translation caches, where no slow path is taken. */

static void warm(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A2, 0);
    exec(w, AMOADD_D(0, ZERO, A2, A0));
    exec(w, LR_D(0, A3, A0));
    exec(w, SC_D(0, A1, A2, A0));
}

static void lr_and_sc_mean_the_same_with_a_cached_translation(struct world *w)
{
    warm(w);
    lr_w_sign_extends(w);
    reserve(w, LR_D(0, A3, A0), 5);
    assert_int_equal(hart_reg(w->hart, A3), 5);
    hart_set_reg(w->hart, A2, 0x1122334455667788);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), true, 0x55667788);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 0x55667788); /* used up */
    reserve(w, LR_D(0, A3, A0), 5);
    hart_set_reg(w->hart, A0, DATA + BLOCK); /* another line of the page */
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 5);
    hart_set_reg(w->hart, A0, DATA);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 5);
    reserve(w, LR_D(0, A3, A0), 5);
    hart_set_reg(w->hart, A0, DATA + 8); /* the same line */
    assert_store_conditional(w, SC_D(0, A1, A2, A0), true, 5);
    assert_int_equal(peek(w, DATA + 8, 8), 0x1122334455667788);
    reserve(w, LR_D(0, ZERO, A0), 5);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), true, 0x1122334455667788);
    assert_atomic_traps(w, LR_D(0, A1, A0), DATA + 4, EXC_LOAD_MISALIGNED);
    assert_atomic_traps(w, SC_D(0, A1, A2, A0), DATA + 4, EXC_STORE_MISALIGNED);
}

static void assert_conditional_fails(struct pair *p, bool fails)
{
    hart_set_reg(p->w.hart, A2, 6);
    hart_set_reg(p->w.hart, A1, 77);
    exec(&p->w, SC_D(0, A1, A2, A0));
    assert_int_equal(hart_reg(p->w.hart, A1), fails);
}

static void breaks_the_reservation(struct pair *p, uint32_t word, uint64_t at, bool breaks)
{
    reserve(&p->w, LR_D(0, A3, A0), 5);
    other_hart_executes(p, word, at);
    assert_conditional_fails(p, breaks);
}

static void reservations_are_exact_between_harts_with_cached_translations(struct world *unused)
{
    struct pair p;
    struct world other;

    (void)unused;
    make_pair(&p);
    for (unsigned round = 0; round < 3; round++) {
        warm(&p.w);
        other = p.w;
        other.hart = p.other;
        warm(&other);
        p.w.put_at = other.put_at;
        breaks_the_reservation(&p, AMOADD_D(0, ZERO, A2, A0), DATA, true);
        breaks_the_reservation(&p, AMOSWAP_W(0, ZERO, A2, A0), DATA + BLOCK - 4, true);
        breaks_the_reservation(&p, AMOADD_D(0, ZERO, A2, A0), DATA + BLOCK, false);
        breaks_the_reservation(&p, SD(A0, A0, 0), DATA + 8, true);
        breaks_the_reservation(&p, LR_D(0, A3, A0), DATA, false);
        reserve(&p.w, LR_D(0, A3, A0), 5);
        other_hart_executes(&p, LR_D(0, A3, A0), DATA + 8);
        other_hart_executes(&p, SC_D(0, A1, A2, A0), DATA + 8);
        assert_int_equal(hart_reg(p.other, A1), 0);
        assert_conditional_fails(&p, true);
        breaks_the_reservation(&p, SC_D(0, A1, A2, A0), DATA, false); /* it fails */
    }
    world_free(&p.w);
}

/* Waiting for a reservation. */

static enum hart_stop step(struct world *w, uint32_t word)
{
    hart_set_pc(w->hart, put(w, word));
    return hart_run(w->hart, 1, UINT64_MAX);
}

static void goes_on_without_a_reservation(struct world *w, uint32_t word)
{
    assert_int_equal(step(w, word), HART_BUDGET);
    assert_int_equal(hart_pc(w->hart), w->put_at);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, LR_W(0, A1, A0));
    exec(w, SC_W(0, A1, A2, A0)); /* uses it up */
    assert_int_equal(step(w, word), HART_BUDGET);
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

static void wrs_nto_without_a_reservation_goes_on(struct world *w)
{
    goes_on_without_a_reservation(w, WRS_NTO);
}

static void wrs_sto_without_a_reservation_goes_on(struct world *w)
{
    goes_on_without_a_reservation(w, WRS_STO);
}

static void waits_for_a_store(uint32_t word)
{
    struct pair p;

    make_pair(&p);
    reserve(&p.w, LR_W(0, A3, A0), 5);
    put(&p.w, word);
    put(&p.w, ADDI(A4, ZERO, 1));
    hart_set_pc(p.w.hart, p.w.put_at - 8);
    assert_int_equal(hart_run(p.w.hart, 9, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_pc(p.w.hart), p.w.put_at - 4);
    other_hart_executes(&p, SD(A0, A0, 0), DATA + BLOCK);
    assert_int_equal(p.woken, 0);
    assert_int_equal(hart_waits_for(p.w.hart), HART_WAITS_STORE);
    assert_int_equal(hart_run(p.w.hart, 9, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_reg(p.w.hart, A4), 0);
    other_hart_executes(&p, SB(A0, A0, 0), DATA + BLOCK - 1);
    assert_int_equal(p.woken, 1);
    assert_int_equal(hart_waits_for(p.w.hart), HART_WAITS_NOT);
    assert_int_equal(hart_run(p.w.hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(p.w.hart, A4), 1);
    world_free(&p.w);
}

static void wrs_nto_waits_for_a_store_of_another_hart(struct world *w)
{
    (void)w;
    waits_for_a_store(WRS_NTO);
}

static void wrs_sto_waits_for_a_store_of_another_hart(struct world *w)
{
    (void)w;
    waits_for_a_store(WRS_STO);
}

static void ends_with_an_interrupt(struct world *w, uint32_t word)
{
    set_csr(w->hart, MIE, 1 << IRQ_MSI);
    reserve(w, LR_W(0, A3, A0), 5);
    put(w, ADDI(A4, ZERO, 1));
    w->put_at -= 4;
    poke(w, w->put_at + 4, ADDI(A4, ZERO, 1), 4);
    assert_int_equal(step(w, word), HART_WAITING);
    hart_set_irq(w->hart, IRQ_MTI, true); /* that one is not enabled in mie */
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
    hart_set_irq(w->hart, IRQ_MSI, true);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 1); /* mstatus.MIE is off: no trap */
    w->put_at += 4;
    assert_int_equal(step(w, word), HART_BUDGET); /* and none begins while one is pending */
}

static void wrs_nto_ends_with_an_interrupt(struct world *w)
{
    ends_with_an_interrupt(w, WRS_NTO);
}

static void wrs_sto_ends_with_an_interrupt(struct world *w)
{
    ends_with_an_interrupt(w, WRS_STO);
}

static void wrs_nto_waits_for_ever(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    assert_int_equal(step(w, WRS_NTO), HART_WAITING);
    assert_true(hart_wait_limit(w->hart) == UINT64_MAX);
    hart_advance(w->hart, hart_cycles(w->hart) + 1000000000);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
}

static void wrs_nto_that_would_wait_is_illegal_under_tw(struct world *w)
{
    uint64_t at;

    reserve(w, LR_W(0, A3, A0), 5);
    set_csr(w->hart, MSTATUS, BIT_TW);
    assert_int_equal(step(w, WRS_NTO), HART_WAITING); /* M-mode may */
    at = put(w, WRS_NTO);
    enter(w->hart, PRIV_S, at);
    step_at(w, at);
    assert_trapped(w->hart, EXC_ILLEGAL, at, WRS_NTO);
    enter(w->hart, PRIV_U, at);
    step_at(w, at);
    assert_trapped(w->hart, EXC_ILLEGAL, at, WRS_NTO);
    exec(w, SC_W(0, A1, A2, A0));
    enter(w->hart, PRIV_S, at);
    step_at(w, at);
    assert_int_equal(hart_pc(w->hart), at + 4); /* nothing to wait for */
}

static void wrs_sto_ends_after_a_while(struct world *w)
{
    uint64_t began;

    reserve(w, LR_W(0, A3, A0), 5);
    began = hart_cycles(w->hart);
    assert_int_equal(step(w, WRS_STO), HART_WAITING);
    assert_in_range(hart_wait_limit(w->hart), began + 1, began + 10000);
    hart_advance(w->hart, hart_wait_limit(w->hart) - 1);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
    hart_advance(w->hart, hart_wait_limit(w->hart));
    put(w, ADDI(A4, ZERO, 1));
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 1);
    assert_true(hart_wait_limit(w->hart) == UINT64_MAX);
}

static void wrs_sto_may_wait_under_tw(struct world *w)
{
    uint64_t at;

    reserve(w, LR_W(0, A3, A0), 5);
    set_csr(w->hart, MSTATUS, BIT_TW);
    at = put(w, WRS_STO);
    enter(w->hart, PRIV_U, at);
    hart_set_pc(w->hart, at);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
}

/* Finer fences. */

static void sinval_vma_makes_a_new_mapping_visible(struct world *w)
{
    try_remapping(w, SINVAL_VMA(ZERO, ZERO));
}

static void sinval_vma_of_one_address_makes_its_mapping_visible(struct world *w)
{
    try_remapping(w, SINVAL_VMA(A0, ZERO));
}

static void sinval_vma_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SINVAL_VMA(ZERO, ZERO));
}

static void sinval_vma_is_illegal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_illegal(w, PRIV_S, SINVAL_VMA(A0, A1));
    exec(w, SINVAL_VMA(A0, A1)); /* M-mode may */
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

static void assert_legal(struct world *w, enum privilege mode, uint32_t word)
{
    uint64_t at = put(w, word);

    if (hart_mode(w->hart) != mode)
        enter(w->hart, mode, at);
    step_at(w, at);
    assert_int_equal(hart_pc(w->hart), at + 4);
    assert_int_equal(hart_mode(w->hart), mode);
}

static void sfence_w_inval_is_legal_in_m_mode(struct world *w)
{
    assert_legal(w, PRIV_M, SFENCE_W_INVAL);
}

static void sfence_w_inval_is_legal_in_s_mode(struct world *w)
{
    assert_legal(w, PRIV_S, SFENCE_W_INVAL);
}

static void sfence_w_inval_is_legal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_legal(w, PRIV_S, SFENCE_W_INVAL);
}

static void sfence_w_inval_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SFENCE_W_INVAL);
}

static void sfence_inval_ir_is_legal_in_m_mode(struct world *w)
{
    assert_legal(w, PRIV_M, SFENCE_INVAL_IR);
}

static void sfence_inval_ir_is_legal_in_s_mode(struct world *w)
{
    assert_legal(w, PRIV_S, SFENCE_INVAL_IR);
}

static void sfence_inval_ir_is_legal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_legal(w, PRIV_S, SFENCE_INVAL_IR);
}

static void sfence_inval_ir_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SFENCE_INVAL_IR);
}

/* Accesses across pages, in S-mode: the window's first page is there, its second is not. */

static void a_load_across_pages_faults_at_the_page_that_is_missing(struct world *w)
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

static void a_store_across_pages_writes_nothing_if_one_is_missing(struct world *w)
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

/* The set is the whole line; the manual lets an SC of another size succeed within it. */
static void sc_w_within_the_line_of_lr_d_succeeds(struct world *w)
{
    reserve(w, LR_D(0, A3, A0), 5);
    hart_set_reg(w->hart, A2, 6);
    hart_set_reg(w->hart, A0, DATA + 60);
    exec(w, SC_W(0, A1, A2, A0));
    assert_int_equal(hart_reg(w->hart, A1), 0);
    assert_int_equal(peek(w, DATA + 60, 4), 6);
}

/* ---- the table of cases ---- */

struct insn_case {
    unsigned row;
    const char *text;
    struct trial trials[TRIALS_MAX];
    void (*special)(struct world *w);
    bool in_every_mode; /* of `special`; trials always are */
};

#define U(v)                 ((uint64_t)(v))
#define SAME(a, b, word)     (U(a) == U(b) ? (word) : 0)
#define REGS(r1, v1, r2, v2) .reg = {r1, r2}, .value = {U(v1), U(v2)}
#define MEMORY(at, old, new) .memory = true, .where = (at), .before = U(old), .after = U(new)

#define TRIAL(code, rd, r, ...)                                   \
    {                                                             \
        .word = (code), .dest = (rd), .result = U(r), __VA_ARGS__ \
    }

#define RR(name, CODE_OF, a, b, r)                                            \
    {ROW_##name,                                                              \
     #name " of " #a " and " #b,                                              \
     {TRIAL(CODE_OF(A0, A1, A2), A0, r, REGS(A1, a, A2, b)),                  \
      TRIAL(CODE_OF(A1, A1, A2), A1, r, REGS(A1, a, A2, b)),                  \
      TRIAL(CODE_OF(A2, A1, A2), A2, r, REGS(A1, a, A2, b)),                  \
      TRIAL(CODE_OF(ZERO, A1, A2), ZERO, 0, REGS(A1, a, A2, b)),              \
      TRIAL(SAME(a, b, CODE_OF(A1, A1, A1)), A1, r, REGS(A1, a, ZERO, 0)),    \
      TRIAL(SAME(a, 0, CODE_OF(T6, ZERO, A2)), T6, r, REGS(ZERO, 0, A2, b)),  \
      TRIAL(SAME(b, 0, CODE_OF(T6, A1, ZERO)), T6, r, REGS(A1, a, ZERO, 0))}, \
     NULL,                                                                    \
     true},
#define RI(name, CODE_OF, a, imm, r)                                             \
    {ROW_##name,                                                                 \
     #name " of " #a " and " #imm,                                               \
     {TRIAL(CODE_OF(A0, A1, imm), A0, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(A1, A1, imm), A1, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(ZERO, A1, imm), ZERO, 0, REGS(A1, a, ZERO, 0)),              \
      TRIAL(SAME(a, 0, CODE_OF(T6, ZERO, imm)), T6, r, REGS(ZERO, 0, ZERO, 0))}, \
     NULL,                                                                       \
     true},
#define R1(name, CODE_OF, a, r)                                             \
    {ROW_##name,                                                            \
     #name " of " #a,                                                       \
     {TRIAL(CODE_OF(A0, A1), A0, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(A1, A1), A1, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(ZERO, A1), ZERO, 0, REGS(A1, a, ZERO, 0)),              \
      TRIAL(SAME(a, 0, CODE_OF(T6, ZERO)), T6, r, REGS(ZERO, 0, ZERO, 0))}, \
     NULL,                                                                  \
     true},
#define ONE(name, code, r1, v1, r2, v2, rd, r) \
    {ROW_##name, #code, {TRIAL(code, rd, r, REGS(r1, v1, r2, v2))}, NULL, true},
#define GOES(taken, to) .distance = (taken) ? (to) : 0
#define BRANCH(name, CODE_OF, a, b, taken)                                                     \
    {ROW_##name,                                                                               \
     #name " of " #a " and " #b,                                                               \
     {TRIAL(CODE_OF(A1, A2, 8), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, 8)),                  \
      TRIAL(CODE_OF(A1, A2, -16), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, -16)),              \
      TRIAL(CODE_OF(A1, A2, 4094), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, 4094)),            \
      TRIAL(CODE_OF(A1, A2, -4096), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, -4096)),          \
      TRIAL(SAME(a, b, CODE_OF(A1, A1, 6)), ZERO, 0, REGS(A1, a, ZERO, 0), GOES(taken, 6)),    \
      TRIAL(SAME(a, 0, CODE_OF(ZERO, A2, 6)), ZERO, 0, REGS(ZERO, 0, A2, b), GOES(taken, 6)),  \
      TRIAL(SAME(b, 0, CODE_OF(A1, ZERO, 6)), ZERO, 0, REGS(A1, a, ZERO, 0), GOES(taken, 6))}, \
     NULL,                                                                                     \
     true},
#define BRANCH1(name, code, r1, v1, to)                               \
    {ROW_##name,                                                      \
     #code " of " #v1,                                                \
     {TRIAL(code, ZERO, 0, REGS(r1, v1, ZERO, 0), .distance = (to))}, \
     NULL,                                                            \
     true},
#define BASE(at, imm) (DATA + U(at) - U(imm))
#define LOAD(name, CODE_OF, bytes, at, imm, r)                             \
    {ROW_##name,                                                           \
     #name " of " #bytes " at " #at,                                       \
     {TRIAL(CODE_OF(A0, A1, imm), A0, r, REGS(A1, BASE(at, imm), ZERO, 0), \
            MEMORY(at, bytes, bytes)),                                     \
      TRIAL(CODE_OF(A1, A1, imm), A1, r, REGS(A1, BASE(at, imm), ZERO, 0), \
            MEMORY(at, bytes, bytes))},                                    \
     NULL,                                                                 \
     true},
#define LOAD1(name, code, base, at, imm, bytes, rd, r)                                   \
    {ROW_##name,                                                                         \
     #code " of " #bytes " at " #at,                                                     \
     {TRIAL(code, rd, r, REGS(base, BASE(at, imm), ZERO, 0), MEMORY(at, bytes, bytes))}, \
     NULL,                                                                               \
     true},
#define STORE(name, CODE_OF, v, at, imm, bytes)                                            \
    {ROW_##name,                                                                           \
     #name " of " #v " at " #at,                                                           \
     {TRIAL(CODE_OF(A2, A1, imm), ZERO, 0, REGS(A1, BASE(at, imm), A2, v),                 \
            MEMORY(at, FILL, bytes)),                                                      \
      TRIAL(SAME(v, 0, CODE_OF(ZERO, A1, imm)), ZERO, 0, REGS(A1, BASE(at, imm), ZERO, 0), \
            MEMORY(at, FILL, bytes))},                                                     \
     NULL,                                                                                 \
     true},
#define STORE1(name, code, base, at, imm, reg2, v, bytes)                                 \
    {ROW_##name,                                                                          \
     #code " of " #v " at " #at,                                                          \
     {TRIAL(code, ZERO, 0, REGS(base, BASE(at, imm), reg2, v), MEMORY(at, FILL, bytes))}, \
     NULL,                                                                                \
     true},
#define AMO_TRIAL(code, rd, r, v, old, new) \
    TRIAL(code, rd, r, REGS(A1, DATA, A2, v), MEMORY(0, old, new))
#define AMO(name, CODE_OF, old, v, r, new)                        \
    {ROW_##name,                                                  \
     #name " of " #old " and " #v,                                \
     {AMO_TRIAL(CODE_OF(0, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(1, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(2, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(3, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(0, A2, A2, A1), A2, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(0, A1, A2, A1), A1, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(0, ZERO, A2, A1), ZERO, 0, v, old, new)}, \
     NULL,                                                        \
     true},
#define AMO_TRAPS(name, CODE_OF, at, why)                                   \
    {ROW_##name,                                                            \
     #name " at " #at,                                                      \
     {TRIAL(CODE_OF(0, A0, A2, A1), ZERO, 0, REGS(A1, DATA + U(at), A2, 1), \
            MEMORY(at, FILL, FILL), .cause = (why))},                       \
     NULL,                                                                  \
     true},
#define SPECIAL(name, function) {ROW_##name, #function, {{0}}, function, true},
#define MODES(name, function)   {ROW_##name, #function, {{0}}, function, false},

static const struct insn_case cases[] = {
#include "cases.def"
};

/* One test for each row. The world of a special case stays when an assertion ends the case. */
struct row_test {
    unsigned row;
    bool world_stands;
    struct world world;
    char *name;
};

static void run_special(struct row_test *t, const struct insn_case *c)
{
    for (size_t m = 0; m < (c->in_every_mode ? ARRAY_LEN(modes) : 1); m++) {
        t->world = world_in_mode(modes[m].mode);
        t->world_stands = true;
        c->special(&t->world);
        t->world_stands = false;
        world_free(&t->world);
    }
}

static bool run_trials(const struct insn_case *c)
{
    bool right = true;

    for (unsigned n = 0; n < TRIALS_MAX; n++)
        for (size_t m = 0; m < ARRAY_LEN(modes) && c->trials[n].word; m++)
            if (!try_once(&c->trials[n], modes[m].mode)) {
                print_error("  %s (word %08x) in %s-mode\n", c->text, (unsigned)c->trials[n].word,
                            modes[m].name);
                right = false;
            }
    return right;
}

static void run_row(void **state)
{
    struct row_test *t = *state;
    const char *name = row_info(t->row)->name;
    unsigned found = 0, wrong = 0;

    for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
        if (cases[n].row != t->row)
            continue;
        found++;
        if (cases[n].special)
            run_special(t, &cases[n]);
        else
            wrong += !run_trials(&cases[n]);
    }
    if (found < CASES_WANTED)
        fail_msg("%s has %u cases, not %d", name, found, CASES_WANTED);
    if (wrong)
        fail_msg("%s: %u of %u cases are wrong", name, wrong, found);
}

static int end_row(void **state)
{
    struct row_test *t = *state;

    if (t->world_stands)
        world_free(&t->world);
    return 0;
}

static const char *const claims[ROW_COUNT] = {
#define I(ext, name, match, mask, format, class) [ROW_##name] = #name "_does_what_the_manual_says",
#define C(ext, name, match, mask, format, base)  [ROW_##name] = #name "_does_what_the_manual_says",
#include "cpu/insn.def"
#undef I
#undef C
};

int main(void)
{
    struct CMUnitTest tests[ROW_COUNT];
    struct row_test rows[ROW_COUNT];
    size_t count = 0;

    memset(tests, 0, sizeof tests);
    for (unsigned row = 0; row < ROW_COUNT; row++) {
        rows[row] = (struct row_test){.row = row};
        if (op_floating(row_info(row)->op) != FLOATING_X)
            continue; /* test_float_insn.c */
        tests[count++] = (struct CMUnitTest){.name = claims[row],
                                             .test_func = run_row,
                                             .teardown_func = end_row,
                                             .initial_state = &rows[row]};
    }
    return _cmocka_run_group_tests("every integer row of insn.def", tests, count, NULL, NULL);
}
