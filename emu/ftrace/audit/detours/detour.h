/*
 * detour.h - the state of a hart at the begin of a detour, and what of it must be the same at its
 * end.
 *
 * A detour is what a traced function, or its caller, does not know of: the call of a trampoline by
 * a site, whatever the trampoline is, and what a return handler does between the return of a
 * function and its true return address. A trampoline may also call the rest of the function
 * itself (BPF's fexit): then there are two, until the function begins, and after it has returned.
 */
#ifndef FTRACE_DETOUR_H
#define FTRACE_DETOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hart.h"
#include "ftrace/audit/finding.h"
#include "ftrace/audit/rules.h"

struct audit;
struct call;
struct state_io;
struct task_counts;

struct detour {
    uint8_t kind;  /* enum call_kind: TRACER or RETURN */
    bool is_whole; /* RETURN: the registers were taken when the trampoline was called */
    bool has_slot, has_back, has_depth, has_preempt, has_hooks, has_guards;
    uint32_t hart, site;
    uint32_t traps, switches; /* of the hart: audited_hart */
    uint32_t kept;            /* the integer registers that must be the same, a bit each */
    int32_t depth;            /* TRACER: of the task's return stack (tasks.h) */
    int32_t preempt;          /* the task's preempt_count */
    uint64_t sp, back, pc, cycle, step;
    int32_t call_depth, stack_depth,
        paused; /* with has_guards, these and `guards': task_guards.c */
    uint64_t guards;
    uint64_t hooks;         /* TRACER: the first of the task's hooked returns (tasks.h) */
    uint64_t slot;          /* the doubleword below sp */
    uint64_t function_back; /* TRACER: where the traced function returns to */
    struct hart_status status;
    uint64_t regs[32], fregs[32];
};

/* Whether the hart is known to have run no other task since it had run `switches' of them. */
bool detour_is_unswitched(const struct audit *a, const struct hart *h, uint32_t hart,
                          uint32_t switches);

/* The task's preempt_count; false: it is not known. */
bool detour_read_preempt(const struct audit *a, struct hart *h, int32_t *count);

/* Fields of sstatus that have changed: numbers of FACT_REGISTER from FACT_SIE on, and values. */
enum { STATUS_FIELDS = FACT_SATP - FACT_SIE };
struct status_change {
    unsigned fact;
    uint64_t before, after;
};

/* Finds those among `bits' that differ; returns how many. */
unsigned detour_status_changes(uint64_t before, uint64_t after, uint64_t bits,
                               struct status_change found[STATUS_FIELDS]);

/* The address that a site calls, as it is in memory now; 0: it calls nothing. pc: of the site. */
uint64_t detour_target(const struct audit *a, struct hart *h, uint32_t site, uint64_t pc);

/* The numbers of the task that the hart runs; zeroes if they are not known. */
struct task_counts detour_counts(const struct audit *a, struct hart *h);

/*
 * Takes the state at the begin of a detour; `counts' is that of now, here and below. function_back
 * and depth are the caller's.
 */
void detour_take(const struct audit *a, struct hart *h, const struct call *call,
                 const struct task_counts *counts, struct detour *d);

/*
 * The trampoline calls the rest of the function: judges what that gets, and keeps the rest of the
 * state until the trampoline returns to `back', the function's caller.
 */
void detour_call_rest(struct audit *a, struct hart *h, struct detour *d, uint64_t back);

/* The function has returned to the trampoline: takes its result. */
void detour_take_result(const struct audit *a, struct hart *h, const struct call *call,
                        struct detour *d);

/*
 * The detour has ended: reports what is not the same. handler: what it has put in the place of the
 * function's return address; 0: nothing.
 */
void detour_compare(struct audit *a, struct hart *h, const struct detour *d,
                    const struct task_counts *counts, uint64_t handler);

/* The trampoline has returned to the function's caller: the same for what concerns that. */
void detour_compare_return(struct audit *a, struct hart *h, const struct detour *d);

/*
 * Reports that the detour broke a rule, at a place that distinguishes the causes. NULL: the finding
 * has its evidence.
 */
struct finding *detour_report(struct audit *a, enum rule rule, unsigned place,
                              const struct detour *d, struct hart *h);

void detour_state_io(struct state_io *io, struct detour *d);

#endif
