/*
 * ooo_astray.h - what fetch does after a wrong prediction until that is decided: it goes on where
 * the prediction leads, through code that it knows from before, and reads the tables of the
 * predictor there (ooo_direction.h). Nothing is executed there, and no cache is asked.
 *
 * The code is known as pieces, with the branches and jumps in each that have been executed: a cache
 * of pieces that is indexed by their number. It is state of the machine.
 */
#ifndef TIMING_OOO_ASTRAY_H
#define TIMING_OOO_ASTRAY_H

#include <stdint.h>

#include "timing/core.h"

struct state_io;
struct ooo_insn;
struct ooo_predictor;

enum { ASTRAY_PIECES = 1024, ASTRAY_PIECE_MAX = 16 /* halfwords */ };

struct astray_piece {
    uint64_t number;                   /* its address in pieces; 0: none */
    uint16_t branches, jumps, others;  /* at these halfwords; `others': that jump by a register */
    uint16_t calls, returns;           /* ... of the latter two */
    uint16_t sizes;                    /* those of four bytes */
    int32_t offsets[ASTRAY_PIECE_MAX]; /* from the branch or jump to its target */
    uint32_t unused;                   /* no padding: it is saved as bytes */
};
_Static_assert(sizeof(struct astray_piece) == sizeof(uint64_t) + 6 * sizeof(uint16_t) +
                                                  (ASTRAY_PIECE_MAX + 1) * sizeof(int32_t),
               "no padding");

struct ooo_astray {
    const struct core *core;
    struct astray_piece *pieces;
};

/* Where fetch goes wrong. */
struct astray_start {
    uint64_t pc;    /* the first instruction that is fetched and not executed */
    uint64_t first; /* the cycle in which it may be decoded */
    uint64_t end;   /* ... and in which the wrong prediction is known */
    uint64_t history;
};

/* What a wrong prediction finds there. */
enum astray_end {
    ASTRAY_GOES,  /* fetch goes on */
    ASTRAY_WAITS, /* decode waits, since the buffer before dispatch is full */
};

void astray_init(struct ooo_astray *a, const struct core *core);
void astray_free(struct ooo_astray *a);
void astray_reset(struct ooo_astray *a); /* power-on */
void astray_state_io(struct state_io *io, struct ooo_astray *a);

/* Notes a branch or jump that is executed. */
void astray_note(struct ooo_astray *a, const struct ooo_insn *i);

/* The first branch in the piece of code from that address on, before any jump; 0: none. */
uint64_t astray_first_branch(const struct ooo_astray *a, uint64_t pc);

/* Fetch goes astray, in the cycles from `first' until before `end'. */
enum astray_end astray_go(const struct ooo_astray *a, struct ooo_predictor *p,
                          const struct astray_start *s);

#endif
