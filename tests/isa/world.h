/*
 * world.h - a small world for one test: a megabyte of RAM, a hart or two at
 * CODE, trap handlers that loop. Built through the public headers only.
 */
#ifndef TESTS_ISA_WORLD_H
#define TESTS_ISA_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/diag.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "encode.h"
#include "mem/bus.h"
#include "mem/ram.h"

#define RAM_BASE UINT64_C(0x80000000)
#define RAM_SIZE UINT64_C(0x700000)
#define M_VECTOR (RAM_BASE + 0x100) /* of mtvec; there and after it is `j .` */
#define S_VECTOR (RAM_BASE + 0x200) /* of stvec, the same */
#define CODE     (RAM_BASE + 0x1000)
#define DATA     (RAM_BASE + 0x10800) /* in the middle of a page */
#define PAGE_END (RAM_BASE + 0x12000) /* a page boundary with data on both sides */

/* CSR numbers, from the manual's list (vol. II, 2.2), not from csr.def. */
enum {
    SSTATUS = 0x100,
    SIE = 0x104,
    STVEC = 0x105,
    SCOUNTEREN = 0x106,
    SENVCFG = 0x10a,
    SSTATEEN0 = 0x10c,
    SSCRATCH = 0x140,
    SEPC = 0x141,
    SCAUSE = 0x142,
    STVAL = 0x143,
    SIP = 0x144,
    SATP = 0x180,
    MSTATUS = 0x300,
    MISA = 0x301,
    MEDELEG = 0x302,
    MIDELEG = 0x303,
    MIE = 0x304,
    MTVEC = 0x305,
    MCOUNTEREN = 0x306,
    MENVCFG = 0x30a,
    MSTATEEN0 = 0x30c,
    MSCRATCH = 0x340,
    MEPC = 0x341,
    MCAUSE = 0x342,
    MTVAL = 0x343,
    MIP = 0x344,
    MCYCLE = 0xb00,
    MINSTRET = 0xb02,
    CYCLE = 0xc00,
    TIME = 0xc01,
    INSTRET = 0xc02,
    HPMCOUNTER3 = 0xc03,
    MVENDORID = 0xf11,
    MHARTID = 0xf14,
    PMPCFG0 = 0x3a0,
    PMPADDR0 = 0x3b0,
};

enum { CAUSE_INTERRUPT_BIT = 63 };
#define INTERRUPT(number) (UINT64_C(1) << CAUSE_INTERRUPT_BIT | (number))

struct world {
    struct bus *bus;
    struct cluster *cluster;
    struct hart *hart; /* the first one */
    uint64_t put_at;   /* where put() writes next */
};

static inline void poke(struct world *w, uint64_t pa, uint64_t value, unsigned size)
{
    const struct writer loader = {.kind = WRITER_LOADER};

    assert_true(bus_write(w->bus, pa, &value, size, &loader));
}

static inline uint64_t peek(const struct world *w, uint64_t pa, unsigned size)
{
    uint64_t value = 0;

    assert_true(bus_read(w->bus, pa, &value, size));
    return value;
}

/* Adds an instruction to the program at CODE; returns its address. */
static inline uint64_t put(struct world *w, uint32_t word)
{
    uint64_t at = w->put_at;
    unsigned size = (word & 3) == 3 ? 4 : 2;

    poke(w, at, word, size);
    w->put_at += size;
    return at;
}

static inline uint64_t csr(struct hart *h, unsigned number)
{
    uint64_t value = 0;

    assert_true(hart_csr(h, number, &value));
    return value;
}

static inline void set_csr(struct hart *h, unsigned number, uint64_t value)
{
    assert_true(hart_set_csr(h, number, value));
}

/* Physical memory protection as firmware leaves it: one entry that permits everything. */
static inline void open_memory(struct hart *h)
{
    enum { NAPOT_RWX = 0x1f };

    set_csr(h, PMPADDR0, UINT64_MAX);
    set_csr(h, PMPCFG0, NAPOT_RWX);
}

/* A hart at CODE in M-mode whose traps go to the two vectors. */
static inline void start_hart(struct hart *h)
{
    hart_reset(h, CODE, PRIV_M);
    set_csr(h, MTVEC, M_VECTOR);
    set_csr(h, STVEC, S_VECTOR);
    open_memory(h);
}

/* Continues at pc in another mode, as by mret; all other state stays. */
static inline void enter(struct hart *h, enum privilege mode, uint64_t pc)
{
    const uint64_t mpp = UINT64_C(3) << 11, mpie = UINT64_C(1) << 7, mie = UINT64_C(1) << 3;
    uint64_t status = csr(h, MSTATUS) & ~(mpp | mpie);

    set_csr(h, MSTATUS, status | (uint64_t)mode << 11 | (status & mie) << 4);
    set_csr(h, MEPC, pc);
    hart_set_pc(h, RAM_BASE); /* the address of an mret */
    assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_mode(h), mode);
    assert_int_equal(hart_pc(h), pc);
}

static inline void fill_vector(struct world *w, uint64_t at)
{
    for (unsigned n = 0; n < 16; n++)
        poke(w, at + 4 * n, JAL(ZERO, 0), 4);
}

static inline struct world world_with(const struct cluster_config *config, unsigned harts)
{
    static const struct diag silent = {.quiet = true};
    struct world w = {.bus = bus_new(), .put_at = CODE};
    struct cluster_config with_bus = *config;
    struct ram *ram = ram_new(RAM_BASE, RAM_SIZE);

    assert_non_null(ram);
    assert_true(ram_reserve_copies(ram, COPIES_DEFAULT));
    assert_true(bus_map_ram(w.bus, ram, &silent));
    with_bus.bus = w.bus;
    w.cluster = cluster_new(&with_bus);
    poke(&w, RAM_BASE, MRET, 4);
    fill_vector(&w, M_VECTOR);
    fill_vector(&w, S_VECTOR);
    for (unsigned n = 0; n < harts; n++)
        start_hart(cluster_add_hart(w.cluster));
    w.hart = cluster_hart(w.cluster, 0);
    return w;
}

/*
 * Fetches see every write at once: the tests write their programs while the hart
 * runs. The tests of stale fetches select another mode.
 */
static inline struct world world_new(void)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};

    return world_with(&config, 1);
}

static inline void world_free(struct world *w)
{
    cluster_free(w->cluster);
    bus_free(w->bus);
}

/* Executes one instruction at pc (or takes the trap that it raises). */
static inline void step_at(struct world *w, uint64_t pc)
{
    hart_set_pc(w->hart, pc);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
}

/* Adds an instruction to the program and executes it, in the present mode; returns its address. */
static inline uint64_t exec(struct world *w, uint32_t word)
{
    uint64_t at = put(w, word);

    step_at(w, at);
    return at;
}

/* Runs the program that put() wrote, up to the given number of instructions. */
static inline void run(struct world *w, uint64_t insns)
{
    hart_set_pc(w->hart, CODE);
    (void)!hart_run(w->hart, insns, UINT64_MAX);
}

/* Checks the CSRs that a trap to S-mode has set. */
static inline void assert_trapped_to_s(struct hart *h, uint64_t cause, uint64_t epc, uint64_t tval)
{
    assert_int_equal(hart_mode(h), PRIV_S);
    assert_int_equal(hart_pc(h), S_VECTOR);
    assert_int_equal(csr(h, SCAUSE), cause);
    assert_int_equal(csr(h, SEPC), epc);
    assert_int_equal(csr(h, STVAL), tval);
}

/* Checks the CSRs that a trap to M-mode has set. */
static inline void assert_trapped(struct hart *h, uint64_t cause, uint64_t epc, uint64_t tval)
{
    assert_int_equal(hart_mode(h), PRIV_M);
    assert_int_equal(hart_pc(h), M_VECTOR);
    assert_int_equal(csr(h, MCAUSE), cause);
    assert_int_equal(csr(h, MEPC), epc);
    assert_int_equal(csr(h, MTVAL), tval);
}

#endif
