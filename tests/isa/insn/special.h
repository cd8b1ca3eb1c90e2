/*
 * special.h - examples of cases.def that need code: their functions, which the other files of this
 * folder hold by class of instruction, and what these have in common. test_insn.c calls them.
 */
#ifndef TESTS_ISA_INSN_SPECIAL_H
#define TESTS_ISA_INSN_SPECIAL_H

#include "base/compiler.h"
#include "cpu/isa/isa.h"
#include "isa/world.h"

#define FILL UINT64_C(0xa5a5a5a5a5a5a5a5) /* memory that an example does not set */

enum { BLOCK = 64 }; /* bytes of a cache block, which is also the line of a reservation */

/* Of a page table entry. */
enum {
    PTE_BIT_R = 2,
    PTE_BIT_W = 4,
    PTE_BIT_X = 8,
    PTE_BIT_U = 16,
    PTE_BIT_A = 64,
    PTE_BIT_D = 128,
    PTE_BITS_RWXAD = 0xcf
};

/* Of mstatus, from vol. II, figure 3.7. */
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
};

/* ---- the examples ---- */

#define RR(...)
#define RI(...)
#define R1(...)
#define ONE(...)
#define BRANCH(...)
#define BRANCH1(...)
#define LOAD(...)
#define LOAD1(...)
#define STORE(...)
#define STORE1(...)
#define AMO(...)
#define AMO_TRAPS(...)
#define SPECIAL(name, function) void function(struct world *w);
#define MODES(name, function)   void function(struct world *w);
#include "isa/cases.def"
#undef RR
#undef RI
#undef R1
#undef ONE
#undef BRANCH
#undef BRANCH1
#undef LOAD
#undef LOAD1
#undef STORE
#undef STORE1
#undef AMO
#undef AMO_TRAPS
#undef SPECIAL
#undef MODES

/* ---- the modes ---- */

/* For S-mode or U-mode: RAM and all below it where it is, through gigabyte pages. */
void map_all_where_it_is(struct world *w, enum privilege mode);
/* A new world in the mode, with that map unless it is M-mode. */
struct world world_in_mode(enum privilege mode);

/* ---- one word in a mode ---- */

/* Executes one word in a mode and expects the trap in M-mode. */
void assert_word_traps(struct world *w, enum privilege mode, uint32_t word, uint64_t cause,
                       uint64_t tval);
/* The same where the trap is delegated to S-mode. */
void assert_word_traps_to_s(struct world *w, enum privilege mode, uint32_t word, uint64_t cause,
                            uint64_t tval);
void assert_illegal(struct world *w, enum privilege mode, uint32_t word);
/* Executes one word in a mode, which must go on to the next. */
void assert_legal(struct world *w, enum privilege mode, uint32_t word);

/* ---- an address space: a page at WINDOW whose mapping can be changed ---- */

#define ROOT_TABLE (RAM_BASE + 0x20000)
#define NEXT_TABLE (RAM_BASE + 0x21000)
#define LAST_TABLE (RAM_BASE + 0x22000)
#define WINDOW     UINT64_C(0x40000000)

void map_window(struct world *w, uint64_t pa);
/* S-mode under Sv39: RAM where it is, and one page of WINDOW. */
void set_up_paging(struct world *w, uint64_t pa);

/* ---- reservations ---- */

/* Stores the value to DATA, and executes `lr`, a load-reserved from A0, which is DATA. */
void reserve(struct world *w, uint32_t lr, uint64_t value);
void assert_store_conditional(struct world *w, uint32_t sc, bool succeeds, uint64_t memory);

/* Two harts and a count of those that were woken. */
struct pair {
    struct world w;
    struct hart *other;
    unsigned woken;
};

void make_pair(struct pair *p);
void other_hart_executes(struct pair *p, uint32_t word, uint64_t a0);

#endif
