/*
 * test_vector_crypto.c - vector bit manipulation and cryptography: one result for each instruction
 * and width, as QEMU has it, and what is illegal. tests/diff/vectortest.py compares random ones
 * with a QEMU that has these extensions, which that of Debian 12 has not.
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

#define VSETVLI(rs1, vtype) (0x00007057U | (uint32_t)(vtype) << 20 | (rs1) << 15)
/* OP-VE, OPMVV: not masked */
#define OPVE(f, vs2, vs1, vd) \
    (0x02002077U | (uint32_t)(f) << 26 | (vs2) << 20 | (vs1) << 15 | (vd) << 7)
#define VAESEM_VS(vd, vs2)    OPVE(0x29, vs2, 2, vd)
#define VSM3ME(vd, vs2, vs1)  OPVE(0x20, vs2, vs1, vd)
#define VSHA2MS(vd, vs2, vs1) OPVE(0x2d, vs2, vs1, vd)
enum { E32 = 16, E64 = 24, M1 = 0, M2 = 1, MF2 = 7, AGNOSTIC = 0xc0 };
enum { VSTART = 0x008 };

static const struct result {
    const char *name;
    uint32_t word;
    unsigned sew;
    uint64_t v8[4];
} results[] = {
#define R(name, word, sew, a, b, c, d) {#name, word, sew, {a, b, c, d}},
#include "isa/vector_results.def"
#undef R
};

/* The doubleword n of all registers. */
static uint64_t pattern(unsigned n)
{
    uint64_t x = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

static struct world crypto_world(uint64_t extensions)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .extensions = extensions};
    struct world w = world_with(&config, 1);

    set_csr(w.hart, MSTATUS, csr(w.hart, MSTATUS) | 3U << 9);
    for (unsigned n = 0; n < 32; n++) {
        uint8_t bytes[128] = {0};

        memcpy(bytes, &(uint64_t){pattern(2 * n)}, 8);
        memcpy(bytes + 8, &(uint64_t){pattern(2 * n + 1)}, 8);
        hart_set_vector(w.hart, n, bytes);
    }
    hart_set_reg(w.hart, A0, UINT64_C(0x123456789abcdef5));
    return w;
}

/* The cause that the instruction traps with, or zero. */
static uint64_t cause_of(struct world *w, uint32_t word)
{
    set_csr(w->hart, MCAUSE, 0);
    (void)exec(w, word);
    return csr(w->hart, MCAUSE);
}

static uint64_t exec_with(struct world *w, uint32_t word, unsigned vtype, uint64_t avl)
{
    hart_set_reg(w->hart, A5, avl);
    (void)exec(w, VSETVLI(A5, vtype));
    return cause_of(w, word);
}

static void each_instruction_computes_what_qemu_does(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(results); n++) {
        struct world w = crypto_world(EXTS_DEFAULT);
        unsigned bytes;

        print_message("# %s, elements of %u bytes\n", results[n].name, 1U << results[n].sew);
        assert_int_equal(
            exec_with(&w, results[n].word, results[n].sew << 3 | M2 | AGNOSTIC, UINT64_MAX), 0);
        for (unsigned reg = 0; reg < 2; reg++)
            assert_memory_equal(hart_vector(w.hart, 8 + reg, &bytes), &results[n].v8[2L * reg], 16);
        world_free(&w);
    }
}

static void without_its_extension_each_is_illegal(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(results); n++) {
        struct world w = crypto_world(EXTS_DEFAULT & (~EXTS_VECTOR | EXTS_V | EXTS_Zvl128b));

        assert_int_equal(exec_with(&w, results[n].word, results[n].sew << 3 | M2, UINT64_MAX),
                         EXC_ILLEGAL);
        world_free(&w);
    }
}

static void sha_512_needs_zvknhb(void **state)
{
    struct world w = crypto_world(EXTS_DEFAULT & ~(uint64_t)EXTS_Zvknhb);

    (void)state;
    assert_int_equal(exec_with(&w, VSHA2MS(8, 4, 12), E32 | M2, UINT64_MAX), 0);
    assert_int_equal(exec_with(&w, VSHA2MS(8, 4, 12), E64 | M2, UINT64_MAX), EXC_ILLEGAL);
    world_free(&w);
}

static void vl_and_vstart_are_of_whole_groups(void **state)
{
    struct world w = crypto_world(EXTS_DEFAULT);

    (void)state;
    assert_int_equal(exec_with(&w, VAESEM_VS(8, 4), E32 | M2, 4), 0);
    assert_int_equal(exec_with(&w, VAESEM_VS(8, 4), E32 | M2, 0), 0);
    assert_int_equal(exec_with(&w, VAESEM_VS(8, 4), E32 | M2, 5), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VSM3ME(8, 4, 12), E32 | M2, 4), EXC_ILLEGAL);
    (void)exec_with(&w, VAESEM_VS(8, 4), E32 | M2, 8);
    set_csr(w.hart, VSTART, 2);
    assert_int_equal(cause_of(&w, VAESEM_VS(8, 4)), EXC_ILLEGAL);
    set_csr(w.hart, VSTART, 4);
    assert_int_equal(cause_of(&w, VAESEM_VS(8, 4)), 0);
    world_free(&w);
}

static void a_register_group_holds_a_group_of_elements(void **state)
{
    struct world w = crypto_world(EXTS_DEFAULT), long_w = crypto_world(EXTS_DEFAULT | EXTS_Zvl256b);

    (void)state;
    assert_int_equal(exec_with(&w, VSM3ME(8, 4, 12), E32 | M1, 0), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VSM3ME(8, 4, 12), E32 | M2, 0), 0);
    assert_int_equal(exec_with(&w, VSHA2MS(8, 4, 12), E64 | M1, 0), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VSHA2MS(8, 4, 12), E32 | MF2, 0), EXC_ILLEGAL);
    assert_int_equal(exec_with(&long_w, VSHA2MS(8, 4, 12), E32 | MF2, 4), 0);
    world_free(&w);
    world_free(&long_w);
}

static void results_are_apart_from_sources_that_are_still_read(void **state)
{
    struct world w = crypto_world(EXTS_DEFAULT);

    (void)state;
    assert_int_equal(exec_with(&w, VAESEM_VS(8, 9), E32 | M2, 8), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VAESEM_VS(8, 7), E32 | M2, 8), 0);
    assert_int_equal(exec_with(&w, VSHA2MS(8, 8, 12), E32 | M2, 8), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VSHA2MS(8, 4, 8), E32 | M2, 8), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VSM3ME(8, 8, 12), E32 | M2, 8), EXC_ILLEGAL);
    assert_int_equal(exec_with(&w, VSM3ME(8, 4, 8), E32 | M2, 8), 0);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_computes_what_qemu_does),
        cmocka_unit_test(without_its_extension_each_is_illegal),
        cmocka_unit_test(sha_512_needs_zvknhb),
        cmocka_unit_test(vl_and_vstart_are_of_whole_groups),
        cmocka_unit_test(a_register_group_holds_a_group_of_elements),
        cmocka_unit_test(results_are_apart_from_sources_that_are_still_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
