/*
 * steps.c - stepping by instructions and by lines (target.h).
 *
 * A step runs the machine's own schedule until it is the hart's turn; other harts
 * run as they would without a debugger. So a session does not change what the
 * guest does.
 */
#include "cpu/isa/decode.h"
#include "debug/target/target_priv.h"

/* Returns the stop value of a run of no instructions. */
static struct stop nothing_run(const struct target *t, unsigned hart)
{
    return (struct stop){.reason = STOP_INSNS, .hart = target_hart_at(t, hart)};
}

/* ---- one instruction ---- */

/* Adds goals at the trap vectors in a CSR: a step that traps ends before the handler begins. */
static void add_vector_goals(struct target *t, unsigned hart, const char *csr)
{
    enum { CAUSES = 12, VECTORED = 1 };
    int number = target_find_register(t, csr);
    uint64_t tvec;

    if (number < 0 || target_get_register(t, hart, (unsigned)number, &tvec))
        return;
    for (unsigned cause = 0; cause < (tvec & VECTORED ? CAUSES : 1); cause++) {
        const struct target_goal g = {.space = TARGET_BY_ANY,
                                      .address = (tvec & ~UINT64_C(3)) + UINT64_C(4) * cause,
                                      .hart = hart};

        goal_add(t, hart, &g, false);
    }
}

static void add_step_goals(struct target *t, unsigned hart)
{
    add_vector_goals(t, hart, "stvec");
    add_vector_goals(t, hart, "mtvec");
}

enum progress { STEPPED, TURN, STOPPED_ELSEWHERE };

/* Whether the run ended at a goal. Then the next step must not end here again. */
static bool at_goal(struct target *t, struct stop stop)
{
    if (stop.reason != STOP_PROBE || t->hit != HIT_GOAL)
        return false;
    points_pass(t, stop.hart);
    return true;
}

/* Runs the other harts until h is about to execute its next instruction. */
static enum progress await_turn(struct target *t, struct hart *h, struct stop *stop)
{
    const struct target_goal here = {
        .space = TARGET_BY_ANY, .address = hart_pc(h), .hart = hart_id(h)};

    goal_add(t, hart_id(h), &here, true);
    *stop = resume_until(t, UINT64_MAX);
    goals_drop(t, true);
    if (stop->reason == STOP_PROBE && t->hit == HIT_TURN)
        return TURN;
    return at_goal(t, *stop) ? STEPPED : STOPPED_ELSEWHERE;
}

/*
 * Whether the pc is known at which the hart will continue. If not (firmware has
 * not started it yet), the machine is run one instruction at a time.
 */
static bool can_await(const struct target *t, const struct hart *h)
{
    uint64_t pa;

    return machine_current(t->machine) != h &&
           !target_locate(t, hart_id(h), TARGET_BY_ANY, hart_pc(h), &pa);
}

static enum progress step_once(struct target *t, struct hart *h, struct stop *stop)
{
    uint64_t before = hart_insns(h);

    while (hart_insns(h) == before) {
        if (can_await(t, h)) {
            enum progress p = await_turn(t, h, stop);

            if (p != TURN)
                return p;
        }
        *stop = resume_until(t, machine_insns(t->machine) + 1);
        if (at_goal(t, *stop))
            return STEPPED;
        if (stop->reason != STOP_INSNS || resume_at_limit(t, *stop))
            return STOPPED_ELSEWHERE;
    }
    return STEPPED;
}

/*
 * Turns the end of a step at a breakpoint into a stop at the breakpoint, so that continuing passes
 * it.
 */
static void note_breakpoint(struct target *t, struct target_stop *s)
{
    struct hart *h = target_hart_at(t, s->hart);
    uint64_t pa;
    unsigned number;

    if (s->reason != TARGET_STOP_DONE ||
        target_locate(t, s->hart, TARGET_BY_ANY, hart_pc(h), &pa) != TARGET_OK ||
        !target_has_breakpoint(t, pa))
        return;
    number = points_hit(t, pa, h);
    points_pass(t, h);
    if (!number)
        return;
    s->reason = TARGET_STOP_BREAKPOINT;
    s->point = number;
    resume_delete_temporary(t, number);
}

/* Ends a step; the stop concerns the hart that was stepped. */
static struct target_stop finish_steps(struct target *t, struct stop stop, enum progress p,
                                       struct hart *h)
{
    struct target_stop s;

    if (p == STEPPED)
        stop = (struct stop){.reason = stop.reason, .hart = h};
    s = resume_finish(t, stop);
    s.of_hart = s.of_hart || s.reason == TARGET_STOP_DONE;
    note_breakpoint(t, &s);
    return s;
}

struct target_stop target_step(struct target *t, unsigned hart, uint64_t count)
{
    struct hart *h = target_hart_at(t, hart);
    struct stop stop = nothing_run(t, hart);
    enum progress p = STEPPED;

    resume_begin(t, hart);
    add_step_goals(t, hart);
    while (count-- && p == STEPPED)
        p = step_once(t, h, &stop);
    return finish_steps(t, stop, p, h);
}

static uint64_t insns_left(const struct target *t)
{
    uint64_t done = machine_insns(t->machine);

    return done < t->config.max_insns ? t->config.max_insns - done : 0;
}

struct target_stop target_step_alone(struct target *t, unsigned hart, uint64_t count)
{
    uint64_t end;
    struct stop stop;
    struct target_stop s;

    resume_begin(t, hart);
    add_step_goals(t, hart);
    end = target_hart(t, hart).insns + (count < insns_left(t) ? count : insns_left(t));
    do {
        resume_begin_piece(t);
        stop = machine_run_alone(t->machine, hart, end - target_hart(t, hart).insns);
    } while (resume_passes(t, stop));
    history_depart(t);
    s = finish_steps(t, stop, stop.reason == STOP_INSNS ? STEPPED : STOPPED_ELSEWHERE,
                     target_hart_at(t, hart));
    if (s.reason == TARGET_STOP_ASLEEP)
        s.reason = TARGET_STOP_WAITING;
    return s;
}

/* ---- over calls ---- */

/* Whether the instruction at pc is a call or an ecall; *back: its return address. */
static bool is_call(const struct target *t, unsigned hart, uint64_t pc, uint64_t *back)
{
    struct insn i;
    uint32_t word;

    if (!target_read_insn(t, hart, pc, &word) || !insn_decode(word, &i))
        return false;
    *back = pc + i.size;
    if (i.op == OP_ecall)
        return true;
    return (i.op == OP_jal || i.op == OP_jalr) && (i.rd == REG_RA || i.rd == REG_T0);
}

/*
 * Runs until the call has returned to `back`. The stack pointer identifies the thread, which may
 * return on another hart.
 */
static enum progress run_to_return(struct target *t, struct hart *h, uint64_t back,
                                   struct stop *stop)
{
    const struct target_goal g = {.space = TARGET_BY_ANY,
                                  .address = back,
                                  .hart = TARGET_ANY_HART,
                                  .on_stack = true,
                                  .sp = hart_reg(h, REG_SP)};

    goal_add(t, hart_id(h), &g, false);
    *stop = resume_until(t, UINT64_MAX);
    return at_goal(t, *stop) ? STEPPED : STOPPED_ELSEWHERE;
}

static enum progress next_once(struct target *t, struct hart **h, struct stop *stop)
{
    uint64_t back;
    enum progress p;

    if (is_call(t, hart_id(*h), hart_pc(*h), &back)) {
        p = run_to_return(t, *h, back, stop);
        *h = stop->hart;
    } else {
        add_step_goals(t, hart_id(*h));
        p = step_once(t, *h, stop);
    }
    goals_drop(t, false);
    return p;
}

struct target_stop target_next(struct target *t, unsigned hart, uint64_t count)
{
    struct hart *h = target_hart_at(t, hart);
    struct stop stop = nothing_run(t, hart);
    enum progress p = STEPPED;

    resume_begin(t, hart);
    while (count-- && p == STEPPED)
        p = next_once(t, &h, &stop);
    return finish_steps(t, stop, p, h);
}

/* ---- by lines ---- */

enum { PROLOGUE_STEPS = 1000 }; /* the most instructions from a function's start to its body */

/* Runs from the first instruction of a trap handler to where the trap returns. */
static enum progress run_through_trap(struct target *t, struct hart *h, struct stop *stop)
{
    enum { CAUSE_ECALL_U = EXC_ECALL_U, CAUSE_ECALL_M = EXC_ECALL_M, ECALL_BYTES = 4 };
    bool machine_mode = hart_mode(h) == PRIV_M;
    int epc_csr = target_find_register(t, machine_mode ? "mepc" : "sepc");
    int cause_csr = target_find_register(t, machine_mode ? "mcause" : "scause");
    uint64_t epc = 0, cause = 0;

    (void)!target_get_register(t, hart_id(h), (unsigned)epc_csr, &epc);
    (void)!target_get_register(t, hart_id(h), (unsigned)cause_csr, &cause);
    if (cause >= CAUSE_ECALL_U && cause <= CAUSE_ECALL_M)
        epc += ECALL_BYTES;
    return run_to_return(t, h, epc, stop);
}

/* Runs one instruction, with the handler of a trap that comes before or by it. */
static enum progress step_through(struct target *t, struct hart **h, struct stop *stop)
{
    uint64_t pc = hart_pc(*h), insns = hart_insns(*h);
    enum progress p;

    add_step_goals(t, hart_id(*h));
    p = step_once(t, *h, stop);
    goals_drop(t, false);
    if (p != STEPPED || hart_insns(*h) != insns || hart_pc(*h) == pc)
        return p;
    p = run_through_trap(t, *h, stop);
    *h = stop->hart;
    goals_drop(t, false);
    return p;
}

static enum progress over_call(struct target *t, struct hart **h, uint64_t back, struct stop *stop)
{
    enum progress p = run_to_return(t, *h, back, stop);

    *h = stop->hart;
    goals_drop(t, false);
    return p;
}

/* Runs from a function's first instruction to its body. */
static enum progress run_into(struct target *t, struct hart **h, uint64_t body, struct stop *stop)
{
    enum progress p = STEPPED;
    uint64_t back;

    for (unsigned i = 0; i < PROLOGUE_STEPS && p == STEPPED && hart_pc(*h) != body; i++) {
        if (is_call(t, hart_id(*h), hart_pc(*h), &back))
            p = over_call(t, h, back, stop);
        else
            p = step_through(t, h, stop);
    }
    return p;
}

/*
 * Runs one instruction, or a call up to its return. *over: a function was entered, and the step
 * ends there.
 */
static enum progress line_piece(struct target *t, struct hart **h, const struct target_lines *lines,
                                struct stop *stop, bool *over)
{
    uint64_t back, pc = hart_pc(*h), sp = hart_reg(*h, REG_SP), body = 0;
    bool call = is_call(t, hart_id(*h), pc, &back);
    enum progress p;

    if (call && !lines->enters)
        return over_call(t, h, back, stop);
    p = step_through(t, h, stop);
    if (!call || p != STEPPED || hart_pc(*h) == back || hart_pc(*h) == pc ||
        hart_reg(*h, REG_SP) != sp)
        return p;
    body = lines->enters(lines->ctx, hart_id(*h), hart_pc(*h));
    if (!body)
        return over_call(t, h, back, stop);
    *over = true;
    return run_into(t, h, body, stop);
}

struct target_stop target_step_lines(struct target *t, unsigned hart,
                                     const struct target_lines *lines)
{
    struct hart *h = target_hart_at(t, hart);
    struct stop stop = nothing_run(t, hart);
    uint64_t low = lines->low, high = lines->high, pc;
    enum progress p = STEPPED;
    bool over = false;

    resume_begin(t, hart);
    while (p == STEPPED && !over) {
        p = line_piece(t, &h, lines, &stop, &over);
        pc = hart_pc(h);
        if (p == STEPPED && !over && (pc < low || pc >= high))
            over = lines->ends(lines->ctx, hart_id(h), pc, &low, &high);
    }
    return finish_steps(t, stop, p, h);
}
