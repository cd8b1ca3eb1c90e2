/*
 * run.c - the commands that let the machine run, and why it stopped.
 *
 * A command runs the machine's own schedule: `step` waits until it is the
 * hart's turn, and other harts run as they would have. So a session changes
 * nothing in what the guest does.
 */
#include <inttypes.h>

#include "cpu/decode.h"
#include "debug/debugger_priv.h"

/* ---- running ---- */

static struct stop run(struct debugger *d, uint64_t max_insns)
{
    d->points.was_hit = false;
    d->patches.was_hit = false;
    if (max_insns > d->config.max_insns)
        max_insns = d->config.max_insns;
    return machine_run(d->machine, max_insns, d->config.max_cycles);
}

bool at_limit(const struct debugger *d, struct stop stop)
{
    return stop.reason == STOP_CYCLES ||
           (stop.reason == STOP_INSNS && machine_insns(d->machine) >= d->config.max_insns);
}

static struct stop run_freely(struct debugger *d)
{
    return run(d, UINT64_MAX);
}

void remember_registers(struct debugger *d)
{
    for (unsigned i = 0; i < hart_count(d); i++) {
        struct hart *h = cluster_hart(d->cluster, i);

        for (unsigned reg = 0; reg < 32; reg++)
            d->before[i].value[reg] = hart_reg(h, reg);
        d->before[i].value[32] = hart_pc(h);
    }
}

enum input_use { GIVE_INPUT, KEEP_INPUT };

/* False: there is nothing left to run. */
static bool resume(struct debugger *d, enum input_use use)
{
    if (d->ended) {
        complain(d, "the guest has ended; there is nothing to run");
        return false;
    }
    remember_registers(d);
    d->findings_before = count_findings(d);
    points_pass(d, d->view);
    fflush(d->out);
    if (d->config.resuming)
        d->config.resuming(d->config.ctx, use == KEEP_INPUT);
    return true;
}

static bool hit_kind(const struct debugger *d, struct stop stop, enum point_kind kind)
{
    return stop.reason == STOP_PROBE && d->points.was_hit && d->points.hit.kind == kind;
}

/* ---- why it stopped ---- */

static void say_ended(struct debugger *d, struct stop stop)
{
    char why[MACHINE_STUCK_TEXT];

    d->ended = stop.reason != STOP_ASLEEP;
    switch (stop.reason) {
    case STOP_EXIT: fprintf(d->out, "the guest has ended with status %u\n", stop.code); break;
    case STOP_RESET: fprintf(d->out, "the guest asks for a reboot\n"); break;
    case STOP_STUCK:
        machine_describe_stuck(d->machine, stop.hart, why);
        fprintf(d->out, "%s\n", why);
        break;
    default: fprintf(d->out, "every hart waits for an interrupt that nothing can raise\n"); break;
    }
}

static void say_point(struct debugger *d, struct stop stop, const char *done)
{
    const struct point *p = &d->points.hit;

    if (!d->points.was_hit)
        fprintf(d->out, "probe, hart %u\n", hart_id(stop.hart));
    else if (p->number)
        fprintf(d->out, "breakpoint %u, hart %u\n", p->number, hart_id(stop.hart));
    else if (p->kind != POINT_PATCH)
        fprintf(d->out, "%s, hart %u\n", done, hart_id(stop.hart));
    if (d->points.was_hit && p->kind == POINT_ONCE)
        (void)!point_delete(d, p->number);
}

/* By Ctrl-C; by the auditor, if findings end a run; by a patch, which has been shown. */
static void say_asked(struct debugger *d, struct stop stop)
{
    if (!d->patches.was_hit && count_findings(d) == d->findings_before)
        fprintf(d->out, "interrupted in hart %u\n", hart_id(stop.hart));
}

static void say_findings(struct debugger *d)
{
    size_t more = count_findings(d) - d->findings_before;

    if (more)
        fprintf(d->out, "%zu new finding%s; `findings` shows %s\n", more, more == 1 ? "" : "s",
                more == 1 ? "it" : "them");
}

/* A replay has come to where the recorded run was stopped. */
static bool say_recorded(struct debugger *d, struct stop stop)
{
    const char *word = NULL;

    if (d->config.recorded_stop && (stop.reason == STOP_ASKED || at_limit(d, stop)))
        word = d->config.recorded_stop(d->config.ctx);
    if (word)
        fprintf(d->out, "here the recorded run was stopped (%s)\n", word);
    return word != NULL;
}

static void say_why(struct debugger *d, struct stop stop, const char *done)
{
    if (say_recorded(d, stop))
        return;
    switch (stop.reason) {
    case STOP_PROBE: say_point(d, stop, done); break;
    case STOP_ASKED: say_asked(d, stop); break;
    case STOP_INSNS:
    case STOP_CYCLES:
        fprintf(d->out, "%s, hart %u\n", at_limit(d, stop) ? "the limit of this run" : done,
                hart_id(d->view));
        break;
    default: say_ended(d, stop); break;
    }
}

/* A stop that happened to one hart shows that hart; any other leaves the view alone. */
static bool moves_view(const struct debugger *d, struct stop stop)
{
    switch (stop.reason) {
    case STOP_PROBE:
    case STOP_STUCK:
    case STOP_EXIT:
    case STOP_RESET: return true;
    case STOP_ASKED: return d->patches.was_hit;
    default: return false;
    }
}

void report_stop(struct debugger *d, struct stop stop, const char *done)
{
    char line[NAME_MAX_LEN];

    d->last = stop;
    if (d->config.stopped)
        d->config.stopped(d->config.ctx);
    if (moves_view(d, stop))
        d->view = stop.hart;
    points_drop(d, POINT_GOAL);
    points_drop(d, POINT_TURN);
    points_drop(d, POINT_PATCH);
    if (d->config.interactive && d->config.over && d->config.over(d->config.ctx))
        return; /* who leaves does not want to see where */
    fprintf(d->out, "%s", d->config.colour ? "\033[1m" : "");
    if (d->patches.was_hit)
        print_patch_stop(d);
    say_why(d, stop, done);
    say_findings(d);
    fprintf(d->out, "%s", d->config.colour ? "\033[0m" : "");
    points_pass(d, d->view);
    (void)print_code(d, hart_pc(d->view), CODE_HERE);
    if (place_line(d, hart_pc(d->view), line, sizeof line))
        fprintf(d->out, "   %s\n", line);
    print_source(d, hart_pc(d->view));
}

/* ---- goals ---- */

static void add_goal(struct debugger *d, struct point p)
{
    if (place_physical(d, p.va, &p.pa))
        point_add(d, p);
}

/* A trap takes the hart to a vector; a step ends there, before the handler has begun. */
static void add_vector_goals(struct debugger *d, struct hart *h, const char *csr)
{
    enum { CAUSES = 12 };
    uint64_t tvec;

    if (!register_get(h, csr, &tvec))
        return;
    for (unsigned cause = 0; cause < (tvec & 1 ? CAUSES : 1); cause++)
        add_goal(d, (struct point){.kind = POINT_GOAL,
                                   .va = (tvec & ~UINT64_C(3)) + 4 * cause,
                                   .hart = hart_id(h)});
}

static void add_step_goals(struct debugger *d, struct hart *h)
{
    add_vector_goals(d, h, "stvec");
    add_vector_goals(d, h, "mtvec");
}

/* ---- step ---- */

enum progress { STEPPED, TURN, HINDERED };

/* Nothing of the handler has run yet: the next step must not end here again. */
static bool at_vector(struct debugger *d, struct stop stop)
{
    if (!hit_kind(d, stop, POINT_GOAL))
        return false;
    points_pass(d, stop.hart);
    return true;
}

/* Lets the others run until h is about to execute something. */
static enum progress await_turn(struct debugger *d, struct hart *h, struct stop *stop)
{
    add_goal(d, (struct point){.kind = POINT_TURN, .va = hart_pc(h), .hart = hart_id(h)});
    *stop = run_freely(d);
    points_drop(d, POINT_TURN);
    if (hit_kind(d, *stop, POINT_TURN))
        return TURN;
    return at_vector(d, *stop) ? STEPPED : HINDERED;
}

/*
 * A hart that has not been started stands nowhere, and nobody knows where it
 * will begin: then the schedule is walked through one instruction at a time.
 */
static bool can_await(const struct debugger *d, struct hart *h)
{
    uint64_t pa;

    return machine_current(d->machine) != h && place_physical(d, hart_pc(h), &pa);
}

static enum progress step_once(struct debugger *d, struct hart *h, struct stop *stop)
{
    uint64_t before = hart_insns(h);

    while (hart_insns(h) == before) {
        if (can_await(d, h)) {
            enum progress p = await_turn(d, h, stop);

            if (p != TURN)
                return p;
        }
        *stop = run(d, machine_insns(d->machine) + 1);
        if (at_vector(d, *stop))
            return STEPPED;
        if (stop->reason != STOP_INSNS || d->patches.was_hit)
            return HINDERED;
    }
    return STEPPED;
}

/* ---- next ---- */

/* What a call or an ecall comes back to. */
static bool is_call(const struct debugger *d, uint64_t pc, uint64_t *back)
{
    struct insn i;
    uint32_t word;

    if (!place_word(d, pc, &word) || !insn_decode(word, &i))
        return false;
    *back = pc + i.size;
    if (i.op == OP_ecall)
        return true;
    return (i.op == OP_jal || i.op == OP_jalr) && (i.rd == REG_RA || i.rd == REG_T0);
}

static enum progress run_to_goal(struct debugger *d, struct stop *stop)
{
    *stop = run_freely(d);
    return hit_kind(d, *stop, POINT_GOAL) ? STEPPED : HINDERED;
}

static enum progress next_once(struct debugger *d, struct hart *h, struct stop *stop)
{
    uint64_t back;
    enum progress p;

    if (is_call(d, hart_pc(h), &back)) {
        add_goal(d, (struct point){.kind = POINT_GOAL,
                                   .va = back,
                                   .hart = ANY_HART,
                                   .on_stack = true,
                                   .sp = hart_reg(h, REG_SP)});
        p = run_to_goal(d, stop);
    } else {
        add_step_goals(d, h);
        p = step_once(d, h, stop);
    }
    points_drop(d, POINT_GOAL);
    return p;
}

/* ---- commands ---- */

void do_continue(struct debugger *d, const char *args)
{
    if (!arg_end(d, args) || !resume(d, GIVE_INPUT))
        return;
    report_stop(d, run_freely(d), "continue");
}

void do_step(struct debugger *d, const char *args)
{
    uint64_t count = 1;
    struct stop stop = {.reason = STOP_INSNS, .hart = d->view};
    enum progress p = STEPPED;

    if (!arg_count(d, &args, &count) || !arg_end(d, args) || !resume(d, KEEP_INPUT))
        return;
    add_step_goals(d, d->view);
    while (count-- && p == STEPPED)
        p = step_once(d, d->view, &stop);
    report_stop(d, stop, "step");
}

void do_next(struct debugger *d, const char *args)
{
    uint64_t count = 1;
    struct stop stop = {.reason = STOP_INSNS, .hart = d->view};
    enum progress p = STEPPED;

    if (!arg_count(d, &args, &count) || !arg_end(d, args) || !resume(d, KEEP_INPUT))
        return;
    while (count-- && p == STEPPED) {
        p = next_once(d, d->view, &stop);
        if (p == STEPPED && stop.reason == STOP_PROBE) /* the thread may have moved */
            d->view = stop.hart;
    }
    report_stop(d, stop, "next");
}

void do_finish(struct debugger *d, const char *args)
{
    struct frame f;
    struct stop stop;

    if (!arg_end(d, args))
        return;
    if (!frame_innermost(d, &f)) {
        complain(d, "it cannot be told where this function returns to");
        return;
    }
    if (!resume(d, GIVE_INPUT))
        return;
    fprintf(d->out, "until it returns to ");
    print_place(d, f.ra);
    fprintf(d->out, "\n");
    fflush(d->out);
    add_goal(d,
             (struct point){
                 .kind = POINT_GOAL, .va = f.ra, .hart = ANY_HART, .on_stack = true, .sp = f.cfa});
    stop = run_freely(d);
    report_stop(d, stop, "finish");
    if (hit_kind(d, stop, POINT_GOAL))
        fprintf(d->out, "   a0 = 0x%" PRIx64 "\n", hart_reg(d->view, REG_A0));
}

void do_until(struct debugger *d, const char *args)
{
    struct point p = {.kind = POINT_GOAL, .hart = ANY_HART};

    if (!arg_value(d, &args, "an address", &p.va) || !arg_end(d, args))
        return;
    if (!place_physical(d, p.va, &p.pa)) {
        complain(d, "0x%" PRIx64 " is not mapped on any hart, and no memory", p.va);
        return;
    }
    if (!resume(d, GIVE_INPUT))
        return;
    point_add(d, p);
    report_stop(d, run_freely(d), "until");
}

void do_hart(struct debugger *d, const char *args)
{
    uint32_t hart = hart_id(d->view);

    if (*args && (!arg_hart(d, &args, &hart) || !arg_end(d, args)))
        return;
    d->view = cluster_hart(d->cluster, hart);
    if (!hart_started(d->view)) {
        fprintf(d->out, "hart %u has not been started\n", hart);
        return;
    }
    fprintf(d->out, "hart %u\n", hart);
    (void)print_code(d, hart_pc(d->view), CODE_HERE);
}
