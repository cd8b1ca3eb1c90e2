/*
 * test_mmu_random.c - random page tables and accesses, on two harts of two worlds. One hart drops
 * all its cached translations before each access; the other keeps them. Whatever is done without an
 * sfence.vma, they must not differ: a run may not depend on what is cached
 * (cpu/translation/walk.c).
 */
#include "cpu/hart_priv.h"
#include "priv.h"

enum { WORLDS = 2, ROUNDS = 24, STEPS = 300, ENTRIES = 16, FRAMES = 48, CODE_AT = 0x10 };

/* One root, two tables of the middle level, four of the last: TABLE(0) to TABLE(6). */
enum { MIDDLES = 1, LASTS = 3, TABLES = 7 };
#define TABLE(n)    (RAM_BASE + 0x40000 + UINT64_C(0x1000) * (n))
#define FRAME_AT(n) (RAM_BASE + 0x50000 + UINT64_C(0x1000) * (n))
#define PTE_NAPOT   (UINT64_C(1) << 63)
#define ADUE        (UINT64_C(1) << 61)

struct pair {
    struct world w[WORLDS]; /* the second one's hart keeps no translation */
    uint64_t random;
};

static uint32_t below(struct pair *p, uint32_t n)
{
    p->random = p->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(p->random >> 33) % n;
}

static bool one_in(struct pair *p, uint32_t n)
{
    return !below(p, n);
}

/* ---- entries ---- */

static uint64_t random_flags(struct pair *p)
{
    uint64_t flags = PTE_V;

    flags |= one_in(p, 8) ? 0 : PTE_A;
    flags |= one_in(p, 4) ? 0 : PTE_D;
    flags |= one_in(p, 10) ? 0 : PTE_R;
    flags |= one_in(p, 4) ? 0 : PTE_W;
    flags |= one_in(p, 3) ? 0 : PTE_X;
    return flags | (one_in(p, 12) ? PTE_U : 0);
}

static uint64_t random_leaf(struct pair *p, unsigned table)
{
    uint64_t flags = random_flags(p);

    if (table < MIDDLES)
        return ENTRY(RAM_BASE) | flags;
    if (table < LASTS)
        return ENTRY(RAM_BASE + UINT64_C(0x200000) * below(p, 3)) | flags;
    if (one_in(p, 3)) /* 64 KiB */
        return ENTRY(FRAME_AT(16 * below(p, 3)) + 0x8000) | flags | PTE_NAPOT;
    return ENTRY(FRAME_AT(below(p, FRAMES))) | flags;
}

static uint64_t random_entry(struct pair *p, unsigned table)
{
    if (one_in(p, 12))
        return below(p, 4) * UINT64_C(2); /* not valid */
    if (one_in(p, 40))
        return (uint64_t)below(p, UINT32_MAX) << 32 | below(p, UINT32_MAX);
    if (table < LASTS && !one_in(p, 3)) {
        unsigned from = table < MIDDLES ? MIDDLES : LASTS, to = table < MIDDLES ? LASTS : TABLES;

        if (one_in(p, 30))
            from = 0; /* also of another level */
        return ENTRY(TABLE(from + below(p, to - from))) | PTE_V;
    }
    return random_leaf(p, table);
}

static void poke_both(struct pair *p, uint64_t pa, uint64_t value, unsigned size)
{
    for (unsigned k = 0; k < WORLDS; k++)
        poke(&p->w[k], pa, value, size);
}

/* The root's entry 2 maps RAM where it is; no step changes it. */
static void change_entries(struct pair *p)
{
    unsigned table = below(p, TABLES), count = table >= LASTS && one_in(p, 3) ? ENTRIES : 1;
    unsigned first = count > 1 ? 0 : below(p, table < MIDDLES ? 2 : ENTRIES);
    uint64_t entry = random_entry(p, table);

    for (unsigned n = first; n < first + count; n++)
        poke_both(p, TABLE(table) + 8 * n, entry, 8);
}

/* ---- accesses ---- */

static const uint32_t accesses[] = {LD(A1, A0, 0),      LW(A1, A0, 0),           SD(A2, A0, 0),
                                    JALR(RA, A0, 0),    AMOADD_D(0, A1, A2, A0), LR_D(0, A1, A0),
                                    SC_D(0, A1, A2, A0)};

struct attempt {
    uint32_t word;
    uint64_t address, value;
};

static struct attempt random_access(struct pair *p)
{
    struct attempt a = {.word = accesses[below(p, ARRAY_LEN(accesses))],
                        .value = one_in(p, 2) ? random_entry(p, LASTS) : below(p, 1000)};
    unsigned table = below(p, TABLES);

    a.address = WINDOW * below(p, 2) + UINT64_C(0x200000) * below(p, 6) +
                UINT64_C(0x1000) * below(p, ENTRIES + 1);
    if (a.word == JALR(RA, A0, 0)) {
        a.address += CODE_AT;
    } else if (one_in(p, 8) && table >= MIDDLES) { /* the guest changes an entry itself */
        a.word = SD(A2, A0, 0);
        a.address = TABLE(table) + 8 * below(p, ENTRIES);
    } else {
        a.address += one_in(p, 6) ? 0xff9 + below(p, 7) : 8 * below(p, 512);
    }
    return a;
}

/* What an access has left. */
struct outcome {
    uint64_t cause, address, result, pc, link;
};

static struct outcome make_access(struct world *w, const struct attempt *a)
{
    struct hart *h = w->hart;

    poke(w, CODE, a->word, 4);
    set_csr(h, MCAUSE, 0);
    set_csr(h, MTVAL, 0);
    if (hart_mode(h) == PRIV_M)
        enter(h, PRIV_S, CODE);
    hart_set_pc(h, CODE);
    hart_set_reg(h, A0, a->address);
    hart_set_reg(h, A1, 0);
    hart_set_reg(h, A2, a->value);
    hart_set_reg(h, RA, 0);
    (void)!hart_run(h, a->word == JALR(RA, A0, 0) ? 2 : 1, UINT64_MAX);
    return (struct outcome){csr(h, MCAUSE), csr(h, MTVAL), hart_reg(h, A1), hart_pc(h),
                            hart_reg(h, RA)};
}

static void drop_translations(struct hart *h)
{
    hart_flush_tlb(h);
    hart_flush_jumps(h);
}

static void access_in_both(struct pair *p, unsigned round, unsigned step)
{
    struct attempt a = random_access(p);
    struct outcome kept = make_access(&p->w[0], &a), dropped;

    drop_translations(p->w[1].hart);
    dropped = make_access(&p->w[1], &a);
    if (memcmp(&kept, &dropped, sizeof kept) != 0)
        fail_msg("round %u, step %u: %08x at %#llx: cause %d and %d, result %#llx and %#llx", round,
                 step, (unsigned)a.word, (unsigned long long)a.address, (int)kept.cause,
                 (int)dropped.cause, (unsigned long long)kept.result,
                 (unsigned long long)dropped.result);
}

/* ---- rounds ---- */

/* Each frame has a function that returns its number. */
static void fill_memory(struct pair *p)
{
    for (unsigned table = 0; table < TABLES; table++)
        for (unsigned n = 0; n < ENTRIES; n++)
            poke_both(p, TABLE(table) + 8 * n, random_entry(p, table), 8);
    poke_both(p, TABLE(0) + 8 * 2, ENTRY(RAM_BASE) | RWX | VAD, 8);
    for (unsigned n = 0; n < FRAMES; n++) {
        poke_both(p, FRAME_AT(n) + CODE_AT, ADDI(A1, ZERO, n + 1), 4);
        poke_both(p, FRAME_AT(n) + CODE_AT + 4, JALR(ZERO, RA, 0), 4);
    }
}

static void begin(struct pair *p, unsigned round)
{
    uint64_t menvcfg;

    *p = (struct pair){.w = {world_new(), world_new()}, .random = round};
    fill_memory(p);
    menvcfg = one_in(p, 2) ? ADUE : 0;
    for (unsigned k = 0; k < WORLDS; k++) {
        set_csr(p->w[k].hart, MENVCFG, menvcfg);
        set_csr(p->w[k].hart, SATP, SV39(TABLE(0)));
    }
}

static void assert_same_memory(const struct pair *p)
{
    for (uint64_t pa = TABLE(0); pa < FRAME_AT(FRAMES); pa += 8)
        assert_int_equal(peek(&p->w[0], pa, 8), peek(&p->w[1], pa, 8));
}

static void no_access_depends_on_what_is_cached(void **state)
{
    (void)state;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        struct pair p;

        begin(&p, round);
        for (unsigned step = 0; step < STEPS; step++) {
            if (one_in(&p, 3))
                change_entries(&p);
            access_in_both(&p, round, step);
        }
        assert_same_memory(&p);
        for (unsigned k = 0; k < WORLDS; k++)
            world_free(&p.w[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_access_depends_on_what_is_cached)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
