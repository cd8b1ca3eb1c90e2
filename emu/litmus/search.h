/*
 * search.h - all executions of a litmus test on a machine, by trying every choice that the machine
 * leaves open: which hart executes its next instruction, and what the ISA permits it to see.
 *
 * The machine is put back to the start of the test for each execution and repeats the choices of
 * an earlier one up to the last that has another answer left. Where it comes to a state from which
 * all was tried, the execution ends.
 */
#ifndef LITMUS_SEARCH_H
#define LITMUS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cpu/choice.h"
#include "litmus/condition.h"
#include "litmus/image.h"
#include "machine/machine.h"

/* A part of an execution: some instructions of a hart, the answer to a question, or a store that
 * leaves the hart's buffer. */
enum move_kind { MOVE_RUN, MOVE_ANSWER, MOVE_LEAVE };

struct move {
    enum move_kind what;
    uint8_t hart;
    uint8_t kind;    /* enum choice_kind, of an answer */
    uint16_t answer; /* MOVE_LEAVE: the number of the store */
    uint64_t insns;  /* of all harts since power-on, before it */
    uint64_t more;   /* instructions that the hart executes */
};

struct moves {
    VEC_OF(struct move) list;
};

/* A final state. */
struct outcome {
    char *text;          /* final_state_text */
    bool holds;          /* the condition holds in it */
    uint64_t executions; /* that have ended in it */
    struct moves moves;  /* of the first of them */
};

struct outcomes {
    VEC_OF(struct outcome) list; /* by their texts */
    uint64_t executions;         /* that were run, to an end or to a state that was known */
    uint64_t states;             /* different ones between the steps */
    bool cut;                    /* some execution was too long, or there were too many */
    enum fetch_mode fetch;       /* that the harts had */
};

struct search_limits {
    uint64_t executions; /* of a test at most */
    unsigned steps;      /* instructions of one execution at most */
};

/*
 * Tries the executions of the test; `path' is its image as a file, and the machine is made as in
 * `config', which has no image. A test that does not speak of fetches (test.h), and writes no code,
 * is run with FETCH_APART. EXIT_PASS: done. Else a message was given.
 */
MUST_USE enum exit_status search_test(const struct test_image *image, const char *path,
                                      const struct machine_config *config,
                                      const struct search_limits *limits, const struct diag *d,
                                      struct outcomes *out);
void outcomes_free(struct outcomes *o);

#endif
