/*
 * resume.c - running, stepping, and the reason of the stop as a value (target.h).
 *
 * A step runs the machine's own schedule until it is the hart's turn; other harts
 * run as they would without a debugger. So a session does not change what the
 * guest does.
 */
#include "cpu/decode.h"
#include "debug/target_priv.h"

/* ---- running ---- */

/*
 * A run may take several calls of machine_run: after an access to a watchpoint whose condition is
 * false it is continued.
 */
static void begin_piece(struct target *t)
{
    t->hit = HIT_NONE;
    t->hit_point = 0;
    t->patched = false;
    t->accesses.len = 0;
}

static bool passes_watchpoint(struct target *t, struct stop stop)
{
    return t->accesses.len && !watch_decide(t, hart_id(stop.hart)) && stop.reason == STOP_ASKED &&
           !t->patched && target_findings(t) == t->findings_before;
}

struct stop resume_run(struct target *t, uint64_t max_insns,
                       struct stop (*machine)(struct target *t, uint64_t max_insns))
{
    struct stop stop;

    if (max_insns > t->config.max_insns)
        max_insns = t->config.max_insns;
    do {
        begin_piece(t);
        stop = machine(t, max_insns);
    } while (passes_watchpoint(t, stop));
    return stop;
}

static struct stop run(struct target *t, uint64_t max_insns)
{
    return resume_run(t, max_insns, history_run);
}

static struct stop run_freely(struct target *t)
{
    return run(t, UINT64_MAX);
}

void resume_begin(struct target *t, unsigned from_hart)
{
    history_open(t);
    t->findings_before = target_findings(t);
    watch_follow(t); /* the user may have changed registers or memory */
    if (from_hart < target_hart_count(t))
        points_pass(t, target_hart_at(t, from_hart));
}

/* ---- the reason of a stop ---- */

static bool at_limit(const struct target *t, struct stop stop)
{
    return stop.reason == STOP_CYCLES ||
           (stop.reason == STOP_INSNS && machine_insns(t->machine) >= t->config.max_insns);
}

/* The reason of a stop by a probe: one of this target, or of another owner. */
static void explain_probe(const struct target *t, struct target_stop *s)
{
    s->of_hart = true;
    switch (t->hit) {
    case HIT_NONE: s->reason = TARGET_STOP_PROBE; break;
    case HIT_POINT:
        s->reason = TARGET_STOP_BREAKPOINT;
        s->point = t->hit_point;
        break;
    case HIT_GOAL:
    case HIT_TURN: s->reason = TARGET_STOP_DONE; break;
    }
}

/* The reason of a stop on request: by this target, by the auditor, or by the user. */
static void explain_request(const struct target *t, struct target_stop *s)
{
    if (s->access_count) {
        const struct writer *who = &s->accesses[0].who;

        s->reason = TARGET_STOP_WATCHPOINT;
        s->point = s->accesses[0].point;
        s->of_hart = true; /* a write by a device counts for the hart that is running */
        s->hart = who->kind == WRITER_HART ? who->hart : s->hart;
    } else if (t->patched) {
        s->reason = TARGET_STOP_PATCH;
        s->of_hart = true;
    } else {
        s->reason = s->findings ? TARGET_STOP_FINDING : TARGET_STOP_INTERRUPTED;
    }
}

static void explain_end(struct target_stop *s, enum target_stop_reason reason)
{
    s->reason = reason;
    s->of_hart = reason != TARGET_STOP_ASLEEP;
    s->code = s->machine.code;
}

static struct target_stop explain(const struct target *t, struct stop stop)
{
    struct target_stop s = {.hart = hart_id(stop.hart),
                            .machine = stop,
                            .patched = t->patched,
                            .site = t->patched_site,
                            .writer = t->patched_by,
                            .accesses = t->accesses.at,
                            .access_count = t->accesses.len,
                            .findings = target_findings(t) - t->findings_before};

    switch (stop.reason) {
    case STOP_PROBE: explain_probe(t, &s); break;
    case STOP_ASKED: explain_request(t, &s); break;
    case STOP_INSNS:
    case STOP_CYCLES: s.reason = at_limit(t, stop) ? TARGET_STOP_LIMIT : TARGET_STOP_DONE; break;
    case STOP_EXIT: explain_end(&s, TARGET_STOP_EXIT); break;
    case STOP_RESET: explain_end(&s, TARGET_STOP_RESET); break;
    case STOP_STUCK: explain_end(&s, TARGET_STOP_STUCK); break;
    case STOP_ASLEEP: explain_end(&s, TARGET_STOP_ASLEEP); break;
    }
    return s;
}

static bool ends_guest(enum target_stop_reason reason)
{
    return reason == TARGET_STOP_EXIT || reason == TARGET_STOP_RESET || reason == TARGET_STOP_STUCK;
}

static void delete_temporary(struct target *t, unsigned number)
{
    const struct target_point *p = target_find_point(t, number);

    if (p && p->temporary)
        (void)!target_delete_point(t, number);
}

struct target_stop resume_finish(struct target *t, struct stop stop)
{
    struct target_stop s = explain(t, stop);

    goals_drop(t, false);
    t->ended = t->ended || ends_guest(s.reason);
    if (t->hit != HIT_NONE)
        points_pass(t, stop.hart);
    delete_temporary(t, s.point);
    for (size_t i = 0; i < s.access_count; i++)
        delete_temporary(t, s.accesses[i].point);
    return s;
}

/* The stop value of a run of no instructions. */
static struct stop nothing_run(const struct target *t, unsigned hart)
{
    return (struct stop){.reason = STOP_INSNS, .hart = target_hart_at(t, hart)};
}

bool target_ended(const struct target *t)
{
    return t->ended;
}

struct target_stop target_run(struct target *t, unsigned from_hart, const struct target_goal *goal)
{
    unsigned reader = from_hart < target_hart_count(t) ? from_hart : target_current_hart(t);

    resume_begin(t, from_hart);
    if (goal)
        goal_add(t, reader, goal, false);
    return resume_finish(t, run_freely(t));
}

/* ---- one instruction ---- */

/* Goals at the trap vectors in a CSR: a step that traps ends before the handler begins. */
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
    *stop = run_freely(t);
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
        *stop = run(t, machine_insns(t->machine) + 1);
        if (at_goal(t, *stop))
            return STEPPED;
        if (stop->reason != STOP_INSNS || at_limit(t, *stop))
            return STOPPED_ELSEWHERE;
    }
    return STEPPED;
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
        begin_piece(t);
        stop = machine_run_alone(t->machine, hart, end - target_hart(t, hart).insns);
    } while (passes_watchpoint(t, stop));
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
    uint16_t low, high = 0;

    if (target_read(t, hart, TARGET_BY_ANY, pc, &low, sizeof low))
        return false;
    if (insn_size(low) == 4 && target_read(t, hart, TARGET_BY_ANY, pc + 2, &high, sizeof high))
        return false;
    if (!insn_decode(low | (uint32_t)high << 16, &i))
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
    *stop = run_freely(t);
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
