/*
 * plan.h - a plan: where a run departs from the schedule of its seed.
 *
 * Its steps are at exact numbers of instructions, of all harts together since power-on. A stalled
 * hart executes nothing for a while, as though its next instruction took that long; the others go
 * on as the seed decides. At a tick time passes for all harts until the next timer of one of them
 * is due, so that it may be interrupted at that very instruction. Both can happen on hardware,
 * where nothing says how long an instruction takes. An answer is one to a question of
 * cpu/choice.h, which the seed answers otherwise; with answers in the plan, questions that it does
 * not mention have the promptest answer. A store that leaves is one that waits in a hart's buffer.
 *
 * Two more let others see data late, as RVWMO permits, also in a prompt machine: what one
 * instruction of a hart stores is held back, and loads of a hart by one instruction return the
 * oldest value that is permitted, of those since the step began.
 *
 * Same image, options, seed and plan: the same run, to the last cycle.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "cpu/choice.h"

enum plan_kind { PLAN_STALL, PLAN_TICK, PLAN_ANSWER, PLAN_LEAVE, PLAN_HOLD, PLAN_LATE };

struct plan_step {
    enum plan_kind kind;
    unsigned hart;
    uint64_t at;
    uint64_t until;          /* STALL, HOLD, LATE: above `at`; UINT64_MAX: not known yet */
    uint64_t pc;             /* LATE: of the instruction */
    bool again;              /* PLAN_TICK: interrupts the task of the step before once more */
    enum choice_kind choice; /* PLAN_ANSWER: of the question */
    unsigned answer;         /* PLAN_ANSWER; PLAN_LEAVE: which of the stores that may leave */
};

struct plan {
    VEC_OF(struct plan_step) steps; /* in order of `at` */
    /*
     * From `data_from` until `data_until` the harts' instructions are events
     * (cluster_record_insns), by which the auditor follows their accesses to data. Both 0: never.
     * Does not change the run.
     */
    uint64_t data_from, data_until;
};

/* The number of steps without those that do `again` what the one before did. */
size_t plan_depth(const struct plan *p);

/* The harts that are stalled after `insns` instructions of the machine, a bit each. */
uint64_t plan_stalled(const struct plan *p, uint64_t insns);

/* Whether a step of this kind lasts from `at' until `until'. */
bool plan_lasts(enum plan_kind kind);

/* Whether some data are seen late after `insns` instructions of the machine. */
bool plan_is_late(const struct plan *p, uint64_t insns);

/* Whether it has answers or stores that leave. */
bool plan_chooses(const struct plan *p);

/*
 * The answer to a question that is the `number`-th, from 0 on, at that instruction; 0 if it is not
 * in the plan.
 */
unsigned plan_answer(const struct plan *p, uint64_t insns, unsigned number, enum choice_kind kind,
                     unsigned hart);

/* The next number of instructions at which a step begins or ends; UINT64_MAX: none. */
uint64_t plan_next(const struct plan *p, uint64_t insns);

/* Whether accesses to data are followed after `insns` instructions of the machine. */
bool plan_follows_data(const struct plan *p, uint64_t insns);

/* The next number of instructions at which that changes; UINT64_MAX: none. */
uint64_t plan_next_data(const struct plan *p, uint64_t insns);

enum { PLAN_LINE = 128 };

/* A step as a line, without a newline: "tick hart 0 at 4230001". */
void plan_write_step(char line[PLAN_LINE], const struct plan_step *step);

/* False: it is not exactly such a line. */
bool plan_read_step(const char *line, struct plan_step *step);

/* The same for data_from and data_until: "data from 4230001 until 4730001". */
void plan_write_data(char line[PLAN_LINE], const struct plan *p);
bool plan_read_data(const char *line, struct plan *p);

#endif
