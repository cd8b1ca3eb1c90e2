/*
 * test_vector.c - the vector unit: what is switched on and off, configuration, what is illegal,
 * agnostic elements, and loads and stores that trap in the middle. Results of instructions are
 * compared with QEMU's (tests/diff/vectortest.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../isa/encode.h"
#include "base/compiler.h"
#include "cpu/isa/extension.h"
#include "isa/world.h"

enum { VSTART = 0x008, VXSAT = 0x009, VCSR = 0x00f, VL = 0xc20, VTYPE = 0xc21, VLENB = 0xc22 };
enum { VS_SHIFT = 9, FS_SHIFT = 13, OFF = 0, INITIAL = 1, DIRTY = 3 };
#define VILL (UINT64_C(1) << 63)

/* vtype */
enum { E8 = 0, E16 = 8, E32 = 16, E64 = 24, M1 = 0, M2 = 1, M4 = 2, M8 = 3, MF8 = 5, MF2 = 7 };
enum { TA = 0x40, MA = 0x80 };

#define VSETVLI(rd, rs1, vtype) (0x00007057U | (vtype) << 20 | (rs1) << 15 | (rd) << 7)
#define VSETVL(rd, rs1, rs2)    (0x80007057U | (rs2) << 20 | (rs1) << 15 | (rd) << 7)
/* OPIVV, OPIVI: funct6, vm, vs2, vs1 or immediate, vd */
#define OPIVV(f, vm, vs2, vs1, vd) \
    (0x00000057U | (uint32_t)(f) << 26 | (vm) << 25 | (vs2) << 20 | (vs1) << 15 | (vd) << 7)
#define OPMVV(f, vm, vs2, vs1, vd) (OPIVV(f, vm, vs2, vs1, vd) | 2U << 12)
#define OPFVV(f, vm, vs2, vs1, vd) (OPIVV(f, vm, vs2, vs1, vd) | 1U << 12)
#define VADD_VV(vd, vs2, vs1)      OPIVV(0, 1, vs2, vs1, vd)
#define VLE(width, vd, rs1)        (0x02000007U | (width) << 12 | (rs1) << 15 | (vd) << 7)
#define VSE(width, vd, rs1)        (0x02000027U | (width) << 12 | (rs1) << 15 | (vd) << 7)
#define VLE8FF(vd, rs1)            (VLE(0, vd, rs1) | 0x10U << 20)
enum { WIDTH_8 = 0, WIDTH_32 = 6 };

static void set_vs(struct hart *h, uint64_t vs)
{
    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~(UINT64_C(3) << VS_SHIFT)) | vs << VS_SHIFT);
}

static struct world vector_world(uint64_t extensions, enum agnostic_mode agnostic)
{
    const struct cluster_config config = {
        .fetch = FETCH_COHERENT, .extensions = extensions, .agnostic = agnostic};
    struct world w = world_with(&config, 1);

    set_vs(w.hart, INITIAL);
    set_csr(w.hart, MSTATUS, csr(w.hart, MSTATUS) | UINT64_C(3) << FS_SHIFT);
    return w;
}

/* Executes the word with vl as large as vtype permits, or as `avl` says. */
static uint64_t exec_with(struct world *w, uint32_t word, unsigned vtype, uint64_t avl)
{
    hart_set_reg(w->hart, A5, avl);
    (void)exec(w, VSETVLI(T0, A5, vtype));
    return exec(w, word);
}

static const uint8_t *bytes_of(const struct world *w, unsigned reg)
{
    unsigned bytes;

    return hart_vector(w->hart, reg, &bytes);
}

static void fill_register(const struct world *w, unsigned reg, uint8_t value)
{
    uint8_t bytes[128];

    memset(bytes, value, sizeof bytes);
    hart_set_vector(w->hart, reg, bytes);
}

static void with_vs_off_instructions_and_csrs_are_illegal(void **state)
{
    struct world w = vector_world(0, AGNOSTIC_STAYS);
    uint64_t at;

    (void)state;
    set_vs(w.hart, OFF);
    at = exec(&w, VSETVLI(T0, ZERO, E8));
    assert_trapped(w.hart, EXC_ILLEGAL, at, VSETVLI(T0, ZERO, E8));
    at = exec(&w, CSRRS(A0, VLENB, ZERO));
    assert_trapped(w.hart, EXC_ILLEGAL, at, CSRRS(A0, VLENB, ZERO));
    set_vs(w.hart, INITIAL);
    (void)exec(&w, CSRRS(A0, VLENB, ZERO));
    assert_int_equal(hart_reg(w.hart, A0), 16);
    assert_int_equal(csr(w.hart, MSTATUS) >> VS_SHIFT & 3, INITIAL);
    (void)exec(&w, VSETVLI(T0, ZERO, E8));
    assert_int_equal(csr(w.hart, MSTATUS) >> VS_SHIFT & 3, DIRTY);
    world_free(&w);
}

static void without_v_there_are_no_instructions_and_no_state(void **state)
{
    struct world w = vector_world(EXTS_DEFAULT & ~EXTS_VECTOR, AGNOSTIC_STAYS);
    uint64_t at, value;

    (void)state;
    assert_int_equal(csr(w.hart, MSTATUS) >> VS_SHIFT & 3, OFF);
    assert_false(hart_csr(w.hart, VLENB, &value));
    at = exec(&w, VSETVLI(T0, ZERO, E8));
    assert_trapped(w.hart, EXC_ILLEGAL, at, VSETVLI(T0, ZERO, E8));
    world_free(&w);
}

static void a_reserved_vtype_is_vill_and_only_vset_is_legal_then(void **state)
{
    static const unsigned reserved[] = {4, 0x20, E16 | MF8, E64 | MF2, 0x100};
    struct world w = vector_world(0, AGNOSTIC_STAYS);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++) {
        uint64_t at;

        (void)exec(&w, VSETVLI(T0, ZERO, reserved[i]));
        assert_true(csr(w.hart, VTYPE) == VILL);
        assert_int_equal(csr(w.hart, VL), 0);
        at = exec(&w, VADD_VV(8, 8, 8));
        assert_trapped(w.hart, EXC_ILLEGAL, at, VADD_VV(8, 8, 8));
    }
    world_free(&w);
}

static void vl_is_what_fits_into_the_registers(void **state)
{
    static const struct {
        uint64_t extensions;
        unsigned vtype, vlmax;
    } rows[] = {
        {0, E8 | M1, 16},
        {0, E8 | M8, 128},
        {0, E64 | M1, 2},
        {0, E8 | MF8, 2},
        {0, E32 | MF2, 2},
        {EXTS_ALL & ~(uint64_t)(EXTS_Zvl512b | EXTS_Zvl1024b), E8 | M1, 32},
        {EXTS_ALL, E8 | M8, 1024},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w = vector_world(rows[i].extensions, AGNOSTIC_STAYS);

        (void)exec(&w, VSETVLI(T0, ZERO, rows[i].vtype));
        assert_int_equal(hart_reg(w.hart, T0), rows[i].vlmax);
        hart_set_reg(w.hart, A5, rows[i].vlmax - 1);
        (void)exec(&w, VSETVLI(T0, A5, rows[i].vtype));
        assert_int_equal(csr(w.hart, VL), rows[i].vlmax - 1);
        (void)exec(&w, VSETVLI(ZERO, ZERO, rows[i].vtype)); /* keeps vl */
        assert_int_equal(csr(w.hart, VL), rows[i].vlmax - 1);
        world_free(&w);
    }
}

static void registers_that_overlap_or_are_not_aligned_are_illegal(void **state)
{
    static const struct {
        uint32_t word;
        unsigned vtype;
        bool legal;
    } rows[] = {
        {OPIVV(0, 1, 8, 12, 16), E8 | M4, true},    /* vadd.vv */
        {OPIVV(0, 1, 8, 12, 18), E8 | M4, false},   /* vd is no group */
        {OPIVV(0, 1, 8, 13, 16), E8 | M4, false},   /* vs1 is none */
        {OPIVV(0, 0, 8, 12, 0), E8 | M4, false},    /* vd holds the mask */
        {OPIVV(0, 0, 0, 12, 16), E8 | M4, false},   /* so does vs2 */
        {OPMVV(0x31, 1, 9, 9, 8), E8 | M1, true},   /* vwadd.vv: highest part of vd */
        {OPMVV(0x31, 1, 8, 9, 8), E8 | M1, false},  /* lowest part */
        {OPMVV(0x31, 1, 8, 9, 8), E64 | M1, false}, /* wider than 64 bits */
        {OPMVV(0x3d, 1, 9, 9, 8), E8 | M1, false},  /* vwmacc.vv reads vd, too */
        {OPIVV(0x2c, 1, 8, 12, 8), E8 | M1, true},  /* vnsrl.wv: lowest part of vs2 */
        {OPIVV(0x2c, 1, 8, 12, 9), E8 | M1, false}, /* highest part */
        {OPIVV(0x0c, 1, 8, 9, 8), E8 | M1, false},  /* vrgather.vv over vs2 */
        {OPMVV(0x17, 1, 8, 9, 9), E8 | M1, false},  /* vcompress.vm over vs1 */
        {OPMVV(0x17, 1, 8, 8, 9), E8 | M1, false},  /* whose vs1 is vs2 */
        {OPFVV(0, 1, 8, 9, 10), E16 | M1, false},   /* vfadd.vv of half precision */
        {OPFVV(0, 1, 8, 9, 10), E32 | M1, true},
        {VLE(WIDTH_32, 8, A0), E8 | M2, true},   /* EMUL 8 */
        {VLE(WIDTH_32, 8, A0), E8 | M4, false},  /* EMUL 16 */
        {VLE(WIDTH_32, 12, A0), E8 | M2, false}, /* no group of 8 */
    };
    struct world w = vector_world(0, AGNOSTIC_STAYS);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t at;

        hart_set_reg(w.hart, A0, DATA);
        set_csr(w.hart, MCAUSE, 0);
        at = exec_with(&w, rows[i].word, rows[i].vtype, 1);
        if (rows[i].legal)
            assert_int_equal(csr(w.hart, MCAUSE), 0);
        else
            assert_trapped(w.hart, EXC_ILLEGAL, at, rows[i].word);
    }
    world_free(&w);
}

/* vadd.vi v8,v8,1,v0.t with vl 2 of 4 words: elements 0 masked, 2 and 3 in the tail. */
static void agnostic_elements_stay_or_become_ones(void **state)
{
    static const struct {
        enum agnostic_mode mode;
        unsigned vtype;
        uint32_t elements[4];
    } rows[] = {
        {AGNOSTIC_STAYS, E32 | TA | MA, {0x11111111, 0x11111112, 0x11111111, 0x11111111}},
        {AGNOSTIC_ONES, E32 | TA | MA, {UINT32_MAX, 0x11111112, UINT32_MAX, UINT32_MAX}},
        {AGNOSTIC_ONES, E32 | TA, {0x11111111, 0x11111112, UINT32_MAX, UINT32_MAX}},
        {AGNOSTIC_ONES, E32 | MA, {UINT32_MAX, 0x11111112, 0x11111111, 0x11111111}},
        {AGNOSTIC_ONES, E32, {0x11111111, 0x11111112, 0x11111111, 0x11111111}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w = vector_world(0, rows[i].mode);

        fill_register(&w, 0, 2);
        fill_register(&w, 8, 0x11);
        (void)exec_with(&w, OPIVV(0, 0, 8, 1, 8) | 3U << 12, rows[i].vtype, 2);
        assert_memory_equal(bytes_of(&w, 8), rows[i].elements, 16);
        world_free(&w);
    }
}

/* The last bytes of RAM, beyond which accesses fault. */
static void a_load_that_traps_goes_on_at_vstart(void **state)
{
    struct world w = vector_world(0, AGNOSTIC_STAYS);
    uint64_t at;

    (void)state;
    poke(&w, RAM_BASE + RAM_SIZE - 8, UINT64_C(0x0807060504030201), 8);
    fill_register(&w, 8, 0xee);
    hart_set_reg(w.hart, A0, RAM_BASE + RAM_SIZE - 8);
    at = exec_with(&w, VLE(WIDTH_32, 8, A0), E32, 4);
    assert_trapped(w.hart, EXC_LOAD_ACCESS, at, RAM_BASE + RAM_SIZE);
    assert_int_equal(csr(w.hart, VSTART), 2);
    assert_memory_equal(bytes_of(&w, 8), "\1\2\3\4\5\6\7\10\xee\xee\xee\xee", 12);
    poke(&w, DATA + 8, UINT64_C(0x100f0e0d0c0b0a09), 8);
    hart_set_reg(w.hart, A0, DATA);
    (void)exec(&w, VLE(WIDTH_32, 8, A0));
    assert_int_equal(csr(w.hart, VSTART), 0);
    assert_memory_equal(bytes_of(&w, 8), "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16);
    world_free(&w);
}

static void a_store_that_traps_has_stored_the_elements_before(void **state)
{
    struct world w = vector_world(0, AGNOSTIC_STAYS);
    uint64_t at;

    (void)state;
    fill_register(&w, 8, 0x5a);
    hart_set_reg(w.hart, A0, RAM_BASE + RAM_SIZE - 6);
    at = exec_with(&w, VSE(WIDTH_8, 8, A0), E8, 16);
    assert_trapped(w.hart, EXC_STORE_ACCESS, at, RAM_BASE + RAM_SIZE);
    assert_int_equal(csr(w.hart, VSTART), 6);
    assert_true(peek(&w, RAM_BASE + RAM_SIZE - 8, 8) >> 16 == UINT64_C(0x5a5a5a5a5a5a));
    world_free(&w);
}

static void fault_only_first_shortens_vl_but_for_its_first_element(void **state)
{
    struct world w = vector_world(0, AGNOSTIC_STAYS);
    uint64_t at;

    (void)state;
    hart_set_reg(w.hart, A0, RAM_BASE + RAM_SIZE - 5);
    set_csr(w.hart, MCAUSE, 0);
    (void)exec_with(&w, VLE8FF(8, A0), E8, 16);
    assert_int_equal(csr(w.hart, MCAUSE), 0);
    assert_int_equal(csr(w.hart, VL), 5);
    hart_set_reg(w.hart, A0, RAM_BASE + RAM_SIZE);
    at = exec_with(&w, VLE8FF(8, A0), E8, 16);
    assert_trapped(w.hart, EXC_LOAD_ACCESS, at, RAM_BASE + RAM_SIZE);
    world_free(&w);
}

/* The code after the store is in the block that runs. */
static void a_vector_store_to_code_changes_it(void **state)
{
    struct world w = vector_world(0, AGNOSTIC_STAYS);
    const uint32_t li = ADDI(A1, ZERO, 7);
    uint8_t code[16];
    uint64_t at = put(&w, VSETVLI(T0, ZERO, E32));

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        memcpy(code + 4 * i, &li, 4);
    hart_set_vector(w.hart, 8, code);
    poke(&w, at + 4, VSE(WIDTH_32, 8, A0), 4);
    for (unsigned i = 0; i < 4; i++)
        poke(&w, at + 8 + 4 * i, ADDI(A1, ZERO, 1), 4);
    hart_set_reg(w.hart, A0, at + 8);
    enter(w.hart, PRIV_M, at);
    (void)!hart_run(w.hart, 3, UINT64_MAX);
    assert_int_equal(hart_reg(w.hart, A1), 7);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_vs_off_instructions_and_csrs_are_illegal),
        cmocka_unit_test(without_v_there_are_no_instructions_and_no_state),
        cmocka_unit_test(a_reserved_vtype_is_vill_and_only_vset_is_legal_then),
        cmocka_unit_test(vl_is_what_fits_into_the_registers),
        cmocka_unit_test(registers_that_overlap_or_are_not_aligned_are_illegal),
        cmocka_unit_test(agnostic_elements_stay_or_become_ones),
        cmocka_unit_test(a_load_that_traps_goes_on_at_vstart),
        cmocka_unit_test(a_store_that_traps_has_stored_the_elements_before),
        cmocka_unit_test(fault_only_first_shortens_vl_but_for_its_first_element),
        cmocka_unit_test(a_vector_store_to_code_changes_it),
    };

    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
