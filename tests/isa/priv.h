/*
 * priv.h - for the tests of what volume II of the manual says: bits of mstatus, page tables, and a
 * world for each test.
 */
#ifndef TESTS_ISA_PRIV_H
#define TESTS_ISA_PRIV_H

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "world.h"

/* mstatus, from vol. II, figure 3.7. */
#define STATUS_SIE  (UINT64_C(1) << 1)
#define STATUS_MIE  (UINT64_C(1) << 3)
#define STATUS_SPIE (UINT64_C(1) << 5)
#define STATUS_MPIE (UINT64_C(1) << 7)
#define STATUS_SPP  (UINT64_C(1) << 8)
#define STATUS_MPP  (UINT64_C(3) << 11)
#define STATUS_MPRV (UINT64_C(1) << 17)
#define STATUS_SUM  (UINT64_C(1) << 18)
#define STATUS_MXR  (UINT64_C(1) << 19)
#define STATUS_TVM  (UINT64_C(1) << 20)
#define MPP(mode)   ((uint64_t)(mode) << 11)

#define ILLEGAL_WORD UINT32_C(0xffffffff)
#define NOP          ADDI(ZERO, ZERO, 0)

static inline void set_status(struct hart *h, uint64_t bits)
{
    set_csr(h, MSTATUS, csr(h, MSTATUS) | bits);
}

static inline uint64_t status(struct hart *h, uint64_t mask)
{
    return csr(h, MSTATUS) & mask;
}

static inline int set_up(void **state)
{
    struct world *w = malloc(sizeof *w);

    assert_non_null(w);
    *w = world_new();
    *state = w;
    return 0;
}

static inline int tear_down(void **state)
{
    world_free(*state);
    free(*state);
    return 0;
}
static inline void put_nops(struct world *w, unsigned count)
{
    while (count--)
        put(w, NOP);
}

/* ---- translation ---- */

enum {
    PTE_V = 1 << 0,
    PTE_R = 1 << 1,
    PTE_W = 1 << 2,
    PTE_X = 1 << 3,
    PTE_U = 1 << 4,
    PTE_G = 1 << 5,
    PTE_A = 1 << 6,
    PTE_D = 1 << 7,
    RWX = PTE_R | PTE_W | PTE_X,
    VAD = PTE_V | PTE_A | PTE_D,
};

/*
 * Three tables. RAM stands where it is for S-mode, and at USER for U-mode, as
 * one gigabyte each. WINDOW goes through all levels; its last entry is what the
 * tests change.
 */
#define ROOT      (RAM_BASE + 0x40000)
#define MIDDLE    (RAM_BASE + 0x41000)
#define LAST      (RAM_BASE + 0x42000)
#define FRAME     (RAM_BASE + 0x50000) /* what the window shows */
#define WINDOW    UINT64_C(0x40000000)
#define USER      UINT64_C(0x100000000)
#define SV39(pa)  (UINT64_C(8) << 60 | (pa) >> 12)
#define ENTRY(pa) ((pa) >> 12 << 10)

static inline uint64_t as_user(uint64_t pa)
{
    return pa - RAM_BASE + USER;
}

static inline void build_tables(struct world *w)
{
    poke(w, ROOT + 8 * 1, ENTRY(MIDDLE) | PTE_V, 8);
    poke(w, ROOT + 8 * 2, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, ROOT + 8 * 4, ENTRY(RAM_BASE) | RWX | VAD | PTE_U, 8);
    poke(w, MIDDLE, ENTRY(LAST) | PTE_V, 8);
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD, 8);
    set_csr(w->hart, SATP, SV39(ROOT));
}

#define ALONE(test)    cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define TOGETHER(test) cmocka_unit_test_setup_teardown(test, set_up_two, tear_down)

#endif
