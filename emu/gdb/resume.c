/*
 * resume.c - the packets that run the machine, forwards and backwards, and the reply of a stop.
 *
 * The machine always runs its own schedule: if gdb asks for one hart only, as it does to step over
 * a breakpoint, the others run as they would without gdb. Thus the guest does the same with gdb and
 * without, unless `monitor lock-harts on' was given.
 */
#include <inttypes.h>
#include <string.h>

#include "cpu/isa/isa.h"
#include "gdb/server_priv.h"

/* The actions that gdb wants of each hart. */
struct wish {
    char action[HARTS_MAX]; /* 'c', 's', 'r': within a range; 0: nothing */
    uint64_t from, to;      /* of 'r' */
};

/* ---- running ---- */

static bool must_stop_at_once(const struct gdb_server *g)
{
    return memchr(g->input + g->input_at, 3, g->input_len - g->input_at) != NULL;
}

static void begin_running(struct gdb_server *g)
{
    debugger_before_run(g->debugger);
    g->running = true;
    if (g->config.resuming)
        g->config.resuming(g->config.ctx);
}

static void end_running(struct gdb_server *g, struct target_stop stop)
{
    if (g->running && g->config.stopped)
        g->config.stopped(g->config.ctx);
    g->running = false;
    g->stop = stop;
    debugger_after_run(g->debugger, &stop);
    if (stop.of_hart)
        g->selected = stop.hart;
}

/* ---- a step ---- */

static uint64_t register_of(const struct gdb_server *g, unsigned hart, const char *name)
{
    int number = target_find_register(g->target, name);
    uint64_t value = 0;

    if (number >= 0)
        (void)!target_get_register(g->target, hart, (unsigned)number, &value);
    return value;
}

/* Whether the hart is about to begin a trap handler because of an interrupt at pc. */
static bool is_interrupted(const struct gdb_server *g, unsigned hart, uint64_t pc)
{
    bool by_m = target_hart(g->target, hart).mode == PRIV_M;
    uint64_t cause = register_of(g, hart, by_m ? "mcause" : "scause");
    uint64_t from = register_of(g, hart, by_m ? "mepc" : "sepc");

    return cause >> 63 && from == pc;
}

/*
 * Steps one instruction. If an interrupt comes first, its handler runs until it has returned,
 * perhaps on another hart: gdb's commands by source line do not expect to be in a handler.
 */
static struct target_stop step(struct gdb_server *g, unsigned hart)
{
    for (;;) {
        const struct target_hart before = target_hart(g->target, hart);
        const struct target_goal back = {.space = TARGET_BY_ANY,
                                         .address = before.pc,
                                         .hart = TARGET_ANY_HART,
                                         .on_stack = true,
                                         .sp = register_of(g, hart, "sp")};
        struct target_stop s = target_step(g->target, hart, 1);

        if (s.reason != TARGET_STOP_DONE || !(g->steps_are & STEP_NO_IRQ) ||
            target_hart(g->target, hart).insns != before.insns || !before.started ||
            !is_interrupted(g, hart, before.pc))
            return s;
        s = target_run(g->target, hart, &back);
        if (s.reason != TARGET_STOP_DONE)
            return s;
        hart = s.hart;
    }
}

/* Steps while the pc is in the range, and at least once. */
static struct target_stop step_in_range(struct gdb_server *g, unsigned hart, const struct wish *w)
{
    struct target_stop s;
    size_t findings = 0;

    do {
        s = step(g, hart);
        s.findings = findings += s.findings;
        if (s.reason != TARGET_STOP_DONE || s.hart != hart || has_point_at_pc(g, hart))
            break;
    } while (target_hart(g->target, hart).pc >= w->from && target_hart(g->target, hart).pc < w->to);
    return s;
}

/* ---- selection of harts ---- */

static bool is_step(char action)
{
    return action == 's' || action == 'r';
}

/* Returns the hart to step, that of the last stop before others; ANY_THREAD: none. */
static unsigned stepped_hart(const struct gdb_server *g, const struct wish *w)
{
    if (is_step(w->action[g->selected]))
        return g->selected;
    for (unsigned i = 0; i < target_hart_count(g->target); i++)
        if (is_step(w->action[i]))
            return i;
    return ANY_THREAD;
}

/* Returns the only hart that is to run; ANY_THREAD: there are several. */
static unsigned only_hart(const struct gdb_server *g, const struct wish *w)
{
    unsigned only = ANY_THREAD, count = 0;

    for (unsigned i = 0; i < target_hart_count(g->target); i++)
        if (w->action[i]) {
            only = i;
            count++;
        }
    return count == 1 ? only : ANY_THREAD;
}

static struct target_stop run_wish(struct gdb_server *g, const struct wish *w)
{
    unsigned stepped = stepped_hart(g, w), only = only_hart(g, w);

    if (g->harts_locked && only != ANY_THREAD)
        return target_step_alone(g->target, only, is_step(w->action[only]) ? 1 : UINT64_MAX);
    if (stepped == ANY_THREAD)
        return target_run(g->target, TARGET_ANY_HART, NULL);
    if (w->action[stepped] == 'r')
        return step_in_range(g, stepped, w);
    return step(g, stepped);
}

/* ---- the reply of a stop ---- */

/*
 * Whether gdb knows the reason of the stop; else its user reads the text of the built-in debugger.
 */
static bool is_known_to_gdb(const struct gdb_server *g, const struct target_stop *s)
{
    switch (s->reason) {
    case TARGET_STOP_DONE:
    case TARGET_STOP_INTERRUPTED:
    case TARGET_STOP_HISTORY: return true;
    case TARGET_STOP_BREAKPOINT:
    case TARGET_STOP_WATCHPOINT: return point_of(g, s->point) != NULL;
    default: return false;
    }
}

static void explain(struct gdb_server *g)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (!out)
        return;
    debugger_explain(g->debugger, !is_known_to_gdb(g, &g->stop), out);
    fclose(out);
    send_console(g, text, len);
    free(text);
}

static void reply_point(struct gdb_server *g, const struct gdb_point *p, uint64_t offset)
{
    switch (p->type) {
    case '0': reply_print(&g->reply, "swbreak:;"); break;
    case '1': reply_print(&g->reply, "hwbreak:;"); break;
    default:
        reply_print(&g->reply, "%swatch:%" PRIx64 ";",
                    p->type == '2'   ? ""
                    : p->type == '3' ? "r"
                                     : "a",
                    p->address + offset);
        break;
    }
}

static void reply_reason(struct gdb_server *g)
{
    const struct target_stop *s = &g->stop;
    const struct gdb_point *p = point_of(g, s->point);

    if (s->reason == TARGET_STOP_HISTORY)
        reply_print(&g->reply, "replaylog:begin;");
    else if (s->reason == TARGET_STOP_BREAKPOINT && p)
        reply_point(g, p, 0);
    else if (s->reason == TARGET_STOP_WATCHPOINT && p && s->access_count)
        reply_point(g, p, s->accesses[0].offset);
}

/* Appends the registers that gdb needs at each stop. */
static void reply_first_registers(struct gdb_server *g)
{
    static const unsigned numbers[] = {TARGET_REG_PC, REG_SP, REG_RA, REG_S0};

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        reply_print(&g->reply, "%02x:", numbers[i]);
        reply_register(g, g->selected, numbers[i]);
        reply_print(&g->reply, ";");
    }
}

static void reply_stop_with(struct gdb_server *g, unsigned signal, bool reason)
{
    reply_print(&g->reply, "T%02x", signal);
    if (reason)
        reply_reason(g);
    reply_first_registers(g);
    reply_print(&g->reply, "thread:");
    reply_thread(g, g->selected);
    reply_print(&g->reply, ";");
}

/* Replies with the guest's exit status, when gdb wants to continue after the end. */
static void reply_exit(struct gdb_server *g)
{
    const char *process = g->ids_have_process ? ";process:1" : "";

    if (g->stop.reason == TARGET_STOP_EXIT || g->stop.reason == TARGET_STOP_RESET)
        reply_print(&g->reply, "W%02x%s", g->stop.code & 0xff, process);
    else
        reply_print(&g->reply, "X%02x%s", (unsigned)SIGNAL_TERM, process);
    g->killed = true;
    if (!g->extended)
        end_session(g, GDB_KILLED);
}

void reply_stop(struct gdb_server *g)
{
    take_interrupts(g);
    if (g->ended)
        return;
    if (g->config.over && g->config.over(g->config.ctx)) {
        g->stop.reason = TARGET_STOP_LIMIT;
        reply_exit(g);
        end_session(g, GDB_KILLED);
        return;
    }
    show_rest(g);
    explain(g);
    reply_stop_with(g, g->stop.reason == TARGET_STOP_INTERRUPTED ? SIGNAL_INT : SIGNAL_TRAP, true);
}

void packet_why(struct gdb_server *g, const char *args)
{
    (void)args;
    if (g->killed)
        reply_exit(g);
    else
        reply_stop_with(g, SIGNAL_TRAP, false);
}

/* ---- packets ---- */

/* Whether every hart that runs executes one instruction, as when gdb steps over a breakpoint. */
static bool is_single_step(const struct gdb_server *g, const struct wish *w)
{
    unsigned only = only_hart(g, w);

    return only != ANY_THREAD && w->action[only] == 's';
}

/*
 * Whether the step is the one after a watchpoint. gdb assumes that a watchpoint of RISC-V stops
 * before the access; so it takes the watchpoint back and steps once, to compare the value. Here the
 * access has been made already, and the step does nothing.
 */
static bool is_step_over_watch(const struct gdb_server *g, const struct wish *w)
{
    const struct gdb_point *p = point_of(g, g->watch_met);

    return p && p->withdrawn && is_single_step(g, w) && only_hart(g, w) == g->selected;
}

static struct target_stop run_packet(struct gdb_server *g, const struct wish *w)
{
    struct target_stop stop = {.reason = TARGET_STOP_DONE, .hart = g->selected};

    if (is_step_over_watch(g, w))
        return stop;
    points_drop(g, is_single_step(g, w) ? DROP_WITHDRAWN_WATCHES : DROP_WITHDRAWN);
    begin_running(g);
    if (must_stop_at_once(g)) {
        stop.reason = TARGET_STOP_INTERRUPTED;
    } else {
        stop = run_wish(g, w);
        points_settle(g, &stop);
    }
    return stop;
}

static void resume(struct gdb_server *g, const struct wish *w)
{
    if (target_ended(g->target)) {
        reply_exit(g);
        return;
    }
    end_running(g, run_packet(g, w));
    reply_stop(g);
    g->watch_met = g->stop.reason == TARGET_STOP_WATCHPOINT ? g->stop.point : 0;
}

/* Resumes the harts that `H c' has selected, or the one of the last stop. */
static void resume_selected(struct gdb_server *g, char action)
{
    struct wish w = {.action = {0}};

    if (g->resumed < target_hart_count(g->target) || is_step(action))
        w.action[g->resumed < target_hart_count(g->target) ? g->resumed : g->selected] = action;
    for (unsigned i = 0; i < target_hart_count(g->target); i++)
        if (g->resumed >= target_hart_count(g->target) && !w.action[i])
            w.action[i] = 'c';
    resume(g, &w);
}

/* Reads "[ADDRESS]", where the hart continues. False: an error was replied. */
static bool take_new_pc(struct gdb_server *g, const char *args)
{
    uint64_t pc;

    if (!*args)
        return true;
    if (take_number(&args, &pc) && !*args &&
        !target_set_register(g->target, g->selected, TARGET_REG_PC, pc))
        return true;
    reply_error(g, ERROR_INVALID);
    return false;
}

void packet_continue(struct gdb_server *g, const char *args)
{
    if (take_new_pc(g, args))
        resume_selected(g, 'c');
}

void packet_step(struct gdb_server *g, const char *args)
{
    if (take_new_pc(g, args))
        resume_selected(g, 's');
}

/* Skips the signal of "SIGNAL[;ADDRESS]": the guest has no signals. */
static bool skip_signal(const char **at)
{
    uint64_t signal;

    if (!take_number(at, &signal))
        return false;
    (void)!take_char(at, ';');
    return true;
}

void packet_continue_with(struct gdb_server *g, const char *args)
{
    if (skip_signal(&args))
        packet_continue(g, args);
    else
        reply_error(g, ERROR_INVALID);
}

void packet_step_with(struct gdb_server *g, const char *args)
{
    if (skip_signal(&args))
        packet_step(g, args);
    else
        reply_error(g, ERROR_INVALID);
}

/* Reads "c", "s", "C05", "S05" or "r FROM,TO". */
static bool take_action(const char **at, struct wish *w, char *action)
{
    if (take_char(at, 'c') || take_char(at, 's')) {
        *action = (*at)[-1];
        return true;
    }
    if (take_char(at, 'C') || take_char(at, 'S')) {
        *action = (*at)[-1] == 'C' ? 'c' : 's';
        return skip_signal(at);
    }
    *action = 'r';
    return take_char(at, 'r') && take_number(at, &w->from) && take_char(at, ',') &&
           take_number(at, &w->to);
}

/* Reads ";ACTION[:THREAD]"; the first action that matches a hart is the hart's. */
static bool take_wish(const struct gdb_server *g, const char **at, struct wish *w)
{
    unsigned hart = ALL_THREADS;
    char action;

    if (!take_char(at, ';') || !take_action(at, w, &action))
        return false;
    if (take_char(at, ':') && !take_thread(g, at, &hart))
        return false;
    for (unsigned i = 0; i < target_hart_count(g->target); i++)
        if ((hart == ALL_THREADS || hart == i || (hart == ANY_THREAD && i == g->selected)) &&
            !w->action[i])
            w->action[i] = action;
    return true;
}

void packet_resume_threads(struct gdb_server *g, const char *args)
{
    struct wish w = {.action = {0}};

    do {
        if (!take_wish(g, &args, &w)) {
            reply_error(g, ERROR_INVALID);
            return;
        }
    } while (*args);
    resume(g, &w);
}

/* ---- backwards ---- */

void packet_backwards(struct gdb_server *g, const char *args)
{
    bool to_step = !strcmp(args, "s");
    unsigned hart = g->resumed < target_hart_count(g->target) ? g->resumed : g->selected;
    struct target_stop stop;

    if ((!to_step && strcmp(args, "c") != 0) || !target_keeps_history(g->target)) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    points_drop(g, DROP_WITHDRAWN);
    begin_running(g);
    stop = to_step ? target_reverse_step(g->target, hart, 1) : target_reverse_run(g->target);
    points_settle(g, &stop);
    end_running(g, stop);
    reply_stop(g);
}

bool gdb_run_free(struct gdb_server *g)
{
    if (target_ended(g->target))
        return false;
    begin_running(g);
    end_running(g, target_run(g->target, TARGET_ANY_HART, NULL));
    return g->stop.reason == TARGET_STOP_INTERRUPTED &&
           !(g->config.over && g->config.over(g->config.ctx));
}

/* `run' in gdb: goes back to the beginning of the history. gdb then asks for the state. */
void packet_restart(struct gdb_server *g, const char *args)
{
    (void)args;
    if (!target_keeps_history(g->target))
        return;
    begin_running(g);
    end_running(g, target_goto(g->target, target_history_start(g->target)));
    g->selected = target_current_hart(g->target);
}
