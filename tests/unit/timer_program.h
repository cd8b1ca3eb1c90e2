/* timer_program.h - the beginning of a program whose timer interrupts it, and the machine that runs
 * it. */
#ifndef TESTS_UNIT_TIMER_PROGRAM_H
#define TESTS_UNIT_TIMER_PROGRAM_H

#include "machine/board.h"

enum { MSTATUS = 0x300, MIE = 0x304, MTVEC = 0x305, MHARTID = 0xf14, TIME = 0xc01 };
enum { STIMECMP = 0x14d, MENVCFG = 0x30a, MIP = 0x344 };
enum { SHARED_PAGE = 1, HARTS_RUN = 4 };

#define SHARED (BOARD_RAM + (SHARED_PAGE << 12))

/* S0: this hart's mtimecmp, S1: mtime, S3: the shared page; the timer is set and enabled. */
static inline void add_start(struct board_program *p, unsigned *handler_slot)
{
    add(p, CSRRS(A0, MHARTID, ZERO));
    *handler_slot = add(p, AUIPC(T0, 0));
    add(p, NOP);
    add(p, CSRRW(ZERO, MTVEC, T0));
    add(p, LUI(S0, 0x2004));
    add(p, SLLI(T1, A0, 3));
    add(p, ADD(S0, S0, T1));
    add(p, LUI(S1, 0x200c));
    add(p, ADDI(S1, S1, -8));
    add(p, LUI(S3, 0x80000 + SHARED_PAGE));
    add(p, SLLI(S3, S3, 32)); /* lui extends the sign */
    add(p, SRLI(S3, S3, 32));
    add(p, LD(T1, S1, 0));
    add(p, ADDI(T1, T1, 5));
    add(p, SD(T1, S0, 0));
    add(p, ADDI(T1, ZERO, 0x80));
    add(p, CSRRS(ZERO, MIE, T1));
    add(p, CSRRSI(ZERO, MSTATUS, 8));
}

/* The handler begins at the end of the program: fills in the slot that add_start left. */
static inline void handler_is_here(struct board_program *p, unsigned slot)
{
    p->words[slot + 1] = ADDI(T0, T0, distance(slot, p->count));
}

static inline struct machine_config config_of(unsigned harts, uint64_t seed)
{
    return (struct machine_config){
        .harts = harts, .seed = seed, .firmware = FIRMWARE_NONE, .cluster.timing = TIMING_INORDER};
}

#endif
