/*
 * ooo_direction.h - the direction of branches on a core that executes out of order (bi-mode): two
 * tables of counters by history, of branches that are mostly not taken and mostly taken, and a
 * third table, of choices by address, which says to which of the two a branch belongs.
 *
 * The tables have one port. A branch that is fetched reads them, as does a jump of fetch; what a
 * decided branch changes waits in a buffer for a cycle in which nothing is read. A change for which
 * the buffer has no room is lost. A core may read a row of counters two branches before it needs
 * it. All of it is state of the machine.
 */
#ifndef TIMING_OOO_DIRECTION_H
#define TIMING_OOO_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/core.h"

struct state_io;

enum {
    DIRECTION_ROW = 16,     /* counters of each table that are read together */
    DIRECTION_BLOCK = 8,    /* choices that are read together */
    DIRECTION_CHANGES = 32, /* branches under way: fetched, and what they change not written */
};

struct ooo_branch {
    uint64_t pc, from; /* `from': by which the first target buffer knows it */
    uint64_t target;
    uint64_t arrived, fetched, decided; /* cycles: decoded from the first to the second of them */
    bool taken;
    bool in_loop;   /* from the loop buffer, which has a copy of its choice */
    uint8_t choice; /* ... that one */
};

/* Rows that have been read and are not used yet. */
enum direction_row {
    ROW_NEXT, /* of the next branch, */
    ROW_LOOP, /* ... if that comes from the loop buffer; */
    ROW_LAST, /* ... of the branch after it: the last one that was read */
    DIRECTION_ROWS,
    DIRECTION_AHEAD = 2
};

/* What a branch changes: the values that it has read, counted. */
struct direction_change {
    uint64_t at;    /* the cycle in which the branch is decided */
    uint32_t index; /* of the counter in the table, of the choice */
    uint32_t choice_index;
    uint32_t history; /* before the branch */
    uint8_t table, counter, choice;
    uint8_t taken;
};

struct ooo_direction {
    const struct core *core;
    uint8_t *counters[2];
    uint8_t *choices;
    uint64_t history; /* of the branches, the newest lowest */
    uint64_t passed;  /* of the cycles until then it is known whether the tables were read */
    struct direction_change changes[DIRECTION_CHANGES]; /* a ring, in program order */
    uint64_t first_change, next_change;
    uint8_t rows[DIRECTION_ROWS][2][DIRECTION_ROW];
    uint64_t predicted;             /* the cycle in which a row was read last */
    uint8_t block[DIRECTION_BLOCK]; /* choices that were read together, of a block of code */
    uint64_t piece;                 /* of code that is decoded, */
    uint8_t choice, choice_before;  /* ... its choice, and that of the piece before */
    uint64_t found;                 /* the piece whose choice is in the buffer of changes, */
    uint8_t found_choice;           /* ... this one */
};

void direction_init(struct ooo_direction *d, const struct core *core);
void direction_free(struct ooo_direction *d);
void direction_reset(struct ooo_direction *d); /* power-on */
void direction_state_io(struct state_io *io, struct ooo_direction *d);

/* The tables are read in that cycle, and not in those between the last such cycle and it. */
void direction_read_at(struct ooo_direction *d, uint64_t cycle);

/* The same for all cycles from the first to the last. */
void direction_read_during(struct ooo_direction *d, uint64_t first, uint64_t last);

/* Fetch leaves for that address in that cycle: the choices of the block of code there are read. */
void direction_go_to(struct ooo_direction *d, uint64_t cycle, uint64_t pc);

/* The piece of code at that address begins to be decoded. */
void direction_arrive(struct ooo_direction *d, uint64_t pc);

/* What a branch was predicted by. */
struct ooo_direction_guess {
    bool taken;
    bool sure; /* its counter cannot become surer */
    uint8_t choice;
};

/* Predicts a branch, and learns what it did. */
struct ooo_direction_guess direction_predict(struct ooo_direction *d, const struct ooo_branch *b);

/*
 * Fetch begins anew in that cycle, and reads the rows of the next two branches. `in_loop': its
 * address after a wrong prediction while code came from the loop buffer, and fetch had no branch;
 * otherwise 0.
 */
void direction_restart(struct ooo_direction *d, uint64_t cycle, uint64_t in_loop);

/*
 * A cycle in which code comes from the loop buffer. The tables may be in use: by a branch of the
 * loop, which reads the row of the branch two after it, by a branch in fetch, and by a jump of
 * fetch.
 */
struct direction_cycle {
    uint64_t cycle;
    bool branch, fetched;
    uint64_t jumped;  /* the jump's target; 0: none */
    uint64_t history; /* before the branch */
};
void direction_pass_loop(struct ooo_direction *d, const struct direction_cycle *c);

/* Whether changes that are decided by then are not written. */
bool direction_waits(struct ooo_direction *d, uint64_t cycle);

/*
 * A branch with that history and choice comes from the loop buffer, on a way that the program does
 * not take: its prediction, by its row; and the rows are moved on.
 */
bool direction_pop(struct ooo_direction *d, uint64_t history, uint64_t pc, unsigned choice);

/*
 * Fetch has a branch in that cycle that the program does not execute now. Its prediction, which
 * stays in the history.
 */
bool direction_stray(struct ooo_direction *d, uint64_t pc, uint64_t cycle);

/* The same prediction, and nothing changes. */
bool direction_peek(const struct ooo_direction *d, uint64_t pc);

/* The history after a branch. */
uint64_t direction_history(const struct ooo_direction *d, uint64_t history, bool taken);

#endif
