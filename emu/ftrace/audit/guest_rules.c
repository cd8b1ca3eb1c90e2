/*
 * guest_rules.c - the rule about what the guest itself notices, and about its death
 * (docs/rules.md): it panics, warns, reports an exception of its own code, turns ftrace off, or
 * hangs.
 *
 * What the kernel says of itself comes as events (ftrace/kernel/alarms.h). A hang is judged at the
 * end of a run that the guest did not end: by then nothing was said, and nothing more will happen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/sleepers.h"
#include "ftrace/audit/store_stacks.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/patch/updates.h"
#include "load/symbols.h"

/*
 * Alarms of one task on one hart within this time are about one thing: a warning that is printed,
 * an exception that is reported and ends in a panic.
 */
enum { EPISODE_CYCLES = 5 * 1000 * 1000 };

/*
 * A hart hangs if it was deaf to an interrupt for HANG_CYCLES, a tenth of a second, or took
 * nothing but one exception for so long, LOOP_TIMES at least; or if its timer found it at the same
 * place SPIN_SAMPLES times, in SPIN_CYCLES.
 */
enum {
    HANG_CYCLES = 100 * 1000 * 1000,
    SPIN_CYCLES = 500 * 1000 * 1000,
    LOOP_TIMES = 1000,
    SPIN_SAMPLES = 16,
    SPIN_BYTES = 256,
    INSN_CYCLES_MAX = 20, /* a hart that executes has more than one instruction in so many cycles */
};

/* An exception that the kernel's own code has taken. */
struct taken {
    uint64_t pc, cause, value, cycle, step;
};

/* The same trap with the same registers, again and again. */
struct repeated {
    uint64_t pc, cause, value, registers, first_cycle, last_cycle, last_step, times;
};

/* The places where the timer interrupts a task that keeps its registers. */
struct spin {
    uint64_t tp, sp, registers, low, high, first_cycle, times;
};

struct last_alarm {
    bool any;
    uint8_t kind;
    uint64_t task, cycle, cause, place;
};

struct guest_hart {
    struct taken exception; /* cycle 0: none yet */
    struct repeated repeated;
    struct spin spin;
    struct last_alarm alarm;
    uint64_t ipi_cycle;              /* when another hart has last interrupted it */
    uint64_t deadline;               /* of the timer, as the firmware was told; 0: none */
    uint64_t trap_cycle, trap_insns; /* its last trap */
};

struct guest_rules {
    struct audit *audit;
    struct guest_hart *harts;
    struct sleepers *sleepers;
    bool panicked;
    uint64_t hang_cause; /* of the finding about a hang; 0: none yet; only at the end of a run */
};

static struct guest_hart *state_of(const struct guest_rules *r, const struct hart *h)
{
    return &r->harts[hart_id(h)];
}

/* ---- evidence ---- */

static const char *cause_name(uint64_t cause)
{
    static const char *const names[] = {
        [EXC_FETCH_MISALIGNED] = "misaligned fetch", [EXC_FETCH_ACCESS] = "fetch access fault",
        [EXC_ILLEGAL] = "illegal instruction",       [EXC_BREAKPOINT] = "breakpoint",
        [EXC_LOAD_MISALIGNED] = "misaligned load",   [EXC_LOAD_ACCESS] = "load access fault",
        [EXC_STORE_MISALIGNED] = "misaligned store", [EXC_STORE_ACCESS] = "store access fault",
        [EXC_FETCH_PAGE] = "fetch page fault",       [EXC_LOAD_PAGE] = "load page fault",
        [EXC_STORE_PAGE] = "store page fault",
    };

    return cause < ARRAY_LEN(names) && names[cause] ? names[cause] : "exception";
}

static void add_exception(struct finding *f, const struct hart *h, const struct taken *e)
{
    struct fact *fact = audit_fact(f, LABEL_EXCEPTION, FACT_MOMENT);

    fact->hart = hart_id(h);
    fact->pc = e->pc;
    fact->cycle = e->cycle;
    fact->step = e->step;
    audit_fact_text(f, LABEL_CAUSE, "%s on 0x%" PRIx64, cause_name(e->cause), e->value);
}

/* The last store to text, of all harts; NULL: there was none. */
static const struct text_store *last_patch(const struct audit *a, uint32_t *hart)
{
    const struct text_store *last = NULL;

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        const struct text_store *one = &a->harts[i].text;

        if (one->stamp && (!last || one->stamp > last->stamp)) {
            last = one;
            *hart = i;
        }
    }
    return last;
}

static void add_stack_of_patch(const struct audit *a, struct finding *f, const struct writer *who)
{
    const struct store_stack *store = store_stacks_of(a->stores, who);

    if (store && store->stack.count > 1)
        audit_fact(f, LABEL_STACK, FACT_STACK)->stack = store->stack;
}

static void add_last_patch(const struct audit *a, struct finding *f)
{
    uint32_t hart;
    const struct text_store *last = last_patch(a, &hart);
    struct writer who;
    struct fact *fact;

    if (!last)
        return;
    if (last->site != NO_SITE) {
        fact = audit_fact(f, LABEL_PATCHED, FACT_SITE);
        fact->site = last->site;
    } else {
        fact = audit_fact(f, LABEL_PATCHED, FACT_PLACE);
        fact->va = last->va;
    }
    fact = audit_fact(f, LABEL_WRITTEN, FACT_MOMENT);
    fact->hart = hart;
    fact->pc = last->pc;
    fact->cycle = last->cycle;
    fact->step = last->step;
    who = text_store_writer(last, hart);
    add_stack_of_patch(a, f, &who);
}

/* The updates that no fence and no announcement has ended yet. */
static void add_updates(const struct audit *a, struct finding *f)
{
    char text[FACT_WORDS_MAX];
    size_t used = 0;

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        const struct update *u = updates_open(a->config.updates, i);

        if (u && used < sizeof text)
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "%sby hart %u, open since cycle %" PRIu64 ": %" PRIu64 " store%s", used ? "; " : "",
                i, u->writer.cycle, u->stores, u->stores == 1 ? "" : "s");
    }
    if (used)
        audit_fact_text(f, LABEL_UPDATE, "%s", text);
}

/* The functions whose return addresses are those of return_to_handler now. */
struct hooked {
    uint64_t stack;        /* of the task, or 0 */
    unsigned here, all;    /* on that stack; on all stacks */
    const char *innermost; /* of those on the stack */
};

static void count_hooked(void *ctx, const struct call *call)
{
    struct hooked *h = ctx;

    if (call->kind != CALL_FUNCTION || call->hook != HOOK_HANDLER)
        return;
    h->all++;
    if (!h->stack || call->sp - h->stack > TASK_STACK_BYTES)
        return;
    h->here++;
    h->innermost = call->function;
}

static void add_returns(const struct audit *a, struct finding *f, struct hart *h)
{
    struct hooked hooked = {0};
    struct task task;

    if (a->config.tasks && tasks_read(a->config.tasks, h, call_stack_task(h), &task))
        hooked.stack = task.stack;
    calls_each(a->config.calls, count_hooked, &hooked);
    if (hooked.all)
        audit_fact_text(f, LABEL_RETURNS,
                        "%u return address%s replaced, %u of them of this task%s%.60s", hooked.all,
                        hooked.all == 1 ? " is" : "es are", hooked.here,
                        hooked.innermost ? ", the innermost of " : "",
                        hooked.innermost ? hooked.innermost : "");
}

static void add_surroundings(const struct audit *a, struct finding *f, struct hart *h)
{
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact_task(a, f, h);
    add_last_patch(a, f);
    add_updates(a, f);
    add_returns(a, f, h);
    audit_fact_order(f);
}

static struct finding *add_breach(const struct guest_rules *r, const struct hart *h, uint64_t pc,
                                  uint64_t cause)
{
    const struct breach b = {.rule = RULE_guest_noticed,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = pc,
                             .cycle = hart_cycles(h),
                             .cause = cause};

    return audit_add(r->audit, &b);
}

/* ---- what the kernel says ---- */

/* Whether the hart's last alarm was raised by the same task, not long ago. */
static bool is_recent(const struct last_alarm *last, const struct hart *h)
{
    return last->any && last->task == hart_reg(h, REG_TP) &&
           hart_cycles(h) - last->cycle <= EPISODE_CYCLES;
}

/* Two warnings at different places are two causes, however close they are. */
static uint64_t cause_of(const struct guest_rules *r, const struct hart *h,
                         const struct alarm *alarm, uint64_t place)
{
    const struct last_alarm *last = &state_of(r, h)->alarm;

    if (is_recent(last, h) && (alarm->kind != ALARM_WARNING || last->kind != ALARM_WARNING))
        return last->cause;
    return audit_cause(RULE_guest_noticed, audit_function(r->audit, place));
}

static void report_alarm(const struct guest_rules *r, struct hart *h, const struct alarm *alarm,
                         uint64_t place, uint64_t cause)
{
    const struct taken *exception = &state_of(r, h)->exception;
    struct finding *f = add_breach(r, h, place, cause);

    if (!f)
        return;
    if (!alarm->place && exception->cycle)
        add_exception(f, h, exception);
    audit_fact_text(f, LABEL_SAID, "%s%s%s", alarm->function, alarm->text[0] ? ": " : "()",
                    alarm->text);
    audit_fact_moment(f, LABEL_CALLED, h, alarm->caller);
    if (alarm->place && alarm->place != alarm->caller)
        audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = alarm->place;
    if (alarm->site)
        audit_fact(f, LABEL_SITE, FACT_PLACE)->va = alarm->site;
    add_surroundings(r->audit, f, h);
}

/*
 * Linux prints the message of a warning, and then traps, by which it learns the line from its table
 * of bugs: whether this is that trap. The two are in one function, one after the other.
 */
static bool is_line_of_last(const struct last_alarm *last, const struct hart *h,
                            const struct alarm *alarm, uint64_t place)
{
    enum { NEAR_BYTES = 64 };

    return is_recent(last, h) && last->kind == ALARM_WARNING && alarm->kind == ALARM_WARNING &&
           alarm->text[0] && place > last->place && place - last->place <= NEAR_BYTES;
}

static void add_line(const struct guest_rules *r, uint64_t cause, const struct alarm *alarm)
{
    struct finding *f = audit_known(r->audit, cause);

    if (!f || f->fact_count == FACTS_MAX)
        return;
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_PLACE)
            return;
    audit_fact_text(f, LABEL_PLACE, "%s", alarm->text);
}

static void on_alarm(struct guest_rules *r, struct hart *h, const struct alarm *alarm)
{
    struct guest_hart *state = state_of(r, h);
    uint64_t place = alarm->place             ? alarm->place
                     : state->exception.cycle ? state->exception.pc
                                              : alarm->caller;
    uint64_t cause;

    /* After a panic there is no more to be said; and a warning is printed after it was raised. */
    if (r->panicked || (is_recent(&state->alarm, h) && (alarm->nested || alarm->printed)))
        return;
    if (is_line_of_last(&state->alarm, h, alarm, place)) {
        add_line(r, state->alarm.cause, alarm);
        return;
    }
    cause = cause_of(r, h, alarm, place);
    report_alarm(r, h, alarm, place, cause);
    state->alarm = (struct last_alarm){.any = true,
                                       .kind = (uint8_t)alarm->kind,
                                       .task = hart_reg(h, REG_TP),
                                       .cycle = hart_cycles(h),
                                       .cause = cause,
                                       .place = place};
    r->panicked |= alarm->kind == ALARM_PANIC;
}

/* ---- traps ---- */

/* A number for the values of the registers but those in `without`, a bit each. */
static uint64_t number_of_registers(const struct hart *h, uint32_t without)
{
    const uint64_t *regs = hart_regs(h);
    uint64_t number = 0;

    for (unsigned i = 1; i < 32; i++)
        if (!(without >> i & 1))
            number = (number ^ regs[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ number >> 32;
    return number;
}

static bool is_call_of_kernel(uint64_t cause)
{
    return cause == EXC_ECALL_U || cause == EXC_ECALL_S || cause == EXC_ECALL_M;
}

static void note_exception(struct guest_hart *state, const struct trap_event *t)
{
    uint64_t registers = number_of_registers(t->hart, 0), cycle = hart_cycles(t->hart);
    uint64_t step = cluster_steps(hart_cluster(t->hart));
    struct repeated *last = &state->repeated;

    if (t->from == PRIV_S)
        state->exception = (struct taken){t->epc, t->cause, t->tval, cycle, step};
    /* A program may be at a breakpoint as often as it likes. */
    if (t->from == PRIV_U && t->cause == EXC_BREAKPOINT)
        return;
    if (!last->times || last->pc != t->epc || last->cause != t->cause ||
        last->registers != registers)
        *last = (struct repeated){
            .pc = t->epc, .cause = t->cause, .registers = registers, .first_cycle = cycle};
    last->value = t->tval;
    last->times++;
    last->last_cycle = cycle;
    last->last_step = step;
}

/* Registers in which a loop has what it reads: t0 to t6. */
enum { TEMPORARIES = 7 << 5 | (int)(15U << 28) };

static void note_interrupt(struct guest_hart *state, const struct trap_event *t)
{
    uint64_t tp = hart_reg(t->hart, REG_TP), sp = hart_reg(t->hart, REG_SP);
    uint64_t registers = number_of_registers(t->hart, (uint32_t)TEMPORARIES);
    struct spin *s = &state->spin;
    uint64_t low = t->epc < s->low ? t->epc : s->low, high = t->epc > s->high ? t->epc : s->high;

    if (!s->times || s->tp != tp || s->sp != sp || s->registers != registers ||
        high - low > SPIN_BYTES)
        *s = (struct spin){tp, sp, registers, t->epc, t->epc, hart_cycles(t->hart), 0};
    else
        s->low = low, s->high = high;
    s->times++;
}

static void on_trap(const struct guest_rules *r, const struct trap_event *t)
{
    struct guest_hart *state = state_of(r, t->hart);

    state->trap_cycle = hart_cycles(t->hart);
    state->trap_insns = hart_insns(t->hart);
    sleepers_trap(r->sleepers, t);
    if (t->from == PRIV_U)
        state->spin.times = 0;
    if (t->to != PRIV_S)
        return;
    if (t->interrupt && t->from == PRIV_S)
        note_interrupt(state, t);
    else if (!t->interrupt && !is_call_of_kernel(t->cause))
        note_exception(state, t);
    else if (!t->interrupt)
        state->repeated.times = 0; /* a program gets on, if only with its own signals */
}

/* ---- hangs ---- */

/* Numbers of CSRs, and bits in them. */
enum { CSR_SSTATUS = 0x100, CSR_SIE = 0x104, CSR_SIP = 0x144, CSR_STIMECMP = 0x14d };
enum { CYCLES_OF_TICK = 100 };

static uint64_t read_csr(struct hart *h, unsigned number)
{
    uint64_t value;

    return hart_csr(h, number, &value) ? value : 0;
}

/* The cycles for which the hart's timer is overdue; 0: it is not, or that is not known. */
static uint64_t timer_overdue(const struct guest_hart *state, struct hart *h)
{
    uint64_t deadline = state->deadline ? state->deadline : read_csr(h, CSR_STIMECMP);
    uint64_t now = hart_time(h);

    return deadline && deadline < now ? (now - deadline) * CYCLES_OF_TICK : 0;
}

/*
 * The cycles for which the hart, in the kernel with interrupts off, has not taken an interrupt that
 * is enabled.
 */
static uint64_t deaf_for(const struct guest_hart *state, struct hart *h)
{
    uint64_t pending = read_csr(h, CSR_SIE) & read_csr(h, CSR_SIP), cycles = 0;

    if (hart_mode(h) != PRIV_S || hart_waits_for(h) != HART_WAITS_NOT ||
        read_csr(h, CSR_SSTATUS) & SSTATUS_SIE)
        return 0;
    if (pending >> IRQ_STI & 1)
        cycles = timer_overdue(state, h);
    if (pending >> IRQ_SSI & 1 && state->ipi_cycle && hart_cycles(h) - state->ipi_cycle > cycles &&
        hart_cycles(h) > state->ipi_cycle)
        cycles = hart_cycles(h) - state->ipi_cycle;
    return cycles;
}

/* Whether the hart has executed for so long, not been held up. */
static bool has_executed(const struct guest_hart *state, const struct hart *h, uint64_t cycles)
{
    return hart_insns(h) - state->trap_insns > cycles / INSN_CYCLES_MAX;
}

/* Whether some hart has changed text within that time: then they wait for something that goes on.
 */
static bool is_patching(const struct audit *a, uint64_t cycles)
{
    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        const struct text_store *last = &a->harts[i].text;

        if (last->stamp && hart_cycles(cluster_hart(a->config.cluster, i)) - last->cycle < cycles)
            return true;
    }
    return false;
}

/* How a hart hangs; message MESSAGE_NONE: it does not. */
struct hang {
    enum message message;
    uint64_t pc;
    const struct taken *exception; /* NULL: none */
};

/* All harts that hang at the end of a run are one finding: they wait for each other. */
static void report_hang(struct guest_rules *r, struct hart *h, const struct hang *hang)
{
    struct finding *f;

    if (!r->hang_cause)
        r->hang_cause = audit_cause(RULE_guest_noticed, audit_function(r->audit, hang->pc));
    f = add_breach(r, h, hang->pc, r->hang_cause);
    if (!f)
        return;
    if (hang->exception)
        add_exception(f, h, hang->exception);
    audit_fact_message(f, LABEL_HANGS, hang->message);
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    add_surroundings(r->audit, f, h);
}

static bool is_in_trap_loop(const struct guest_hart *state, const struct hart *h)
{
    const struct repeated *l = &state->repeated;
    uint64_t cycles = l->last_cycle - l->first_cycle;

    return l->times >= LOOP_TIMES && cycles >= HANG_CYCLES &&
           hart_cycles(h) - l->last_cycle <= 2 * (cycles / l->times) + EPISODE_CYCLES;
}

static bool is_deaf(const struct guest_rules *r, struct hart *h)
{
    const struct guest_hart *state = state_of(r, h);

    return deaf_for(state, h) >= HANG_CYCLES && has_executed(state, h, HANG_CYCLES) &&
           !is_patching(r->audit, HANG_CYCLES);
}

static bool is_spinning(const struct guest_hart *state, const struct hart *h)
{
    const struct spin *s = &state->spin;

    return s->times >= SPIN_SAMPLES && hart_cycles(h) - s->first_cycle >= SPIN_CYCLES &&
           hart_mode(h) == PRIV_S && hart_waits_for(h) == HART_WAITS_NOT;
}

static void judge_trap_loop(struct guest_rules *r, struct hart *h)
{
    const struct guest_hart *state = state_of(r, h);
    const struct repeated *l = &state->repeated;
    const struct taken taken = {l->pc, l->cause, l->value, l->last_cycle, l->last_step};

    if (is_in_trap_loop(state, h))
        report_hang(r, h, &(struct hang){MESSAGE_TRAP_LOOP, l->pc, &taken});
}

static void judge_wait(struct guest_rules *r, struct hart *h)
{
    if (is_in_trap_loop(state_of(r, h), h))
        return;
    if (is_deaf(r, h))
        report_hang(r, h, &(struct hang){MESSAGE_DEAF, hart_pc(h), NULL});
    else if (is_spinning(state_of(r, h), h))
        report_hang(r, h, &(struct hang){MESSAGE_SPINS, hart_pc(h), NULL});
}

static void judge_stuck(struct guest_rules *r, struct hart *h)
{
    struct hart_exception e = hart_unhandled_exception(h);
    const struct taken taken = {e.pc, e.cause, e.tval, hart_cycles(h),
                                cluster_steps(hart_cluster(h))};

    report_hang(r, h, &(struct hang){MESSAGE_HANDLER_TRAPS, e.pc, &taken});
}

/*
 * Whether the kernel has come so far that code was changed, or a program has run. An image that
 * dies before is mostly not for this machine, and the message about the end of the run says why.
 */
static bool has_begun(const struct audit *a)
{
    uint32_t hart;

    return a->user_mode || last_patch(a, &hart);
}

/* Functions in which tasks wait on behalf of their callers, by parts of their names. */
static bool is_to_wait(const struct audit *a, uint64_t pc)
{
    static const char *const parts[] = {"sched", "switch", "wait", "sleep",
                                        "mutex", "lock",   "down", "timeout"};
    const struct symbol *function = symbols_function_at(a->config.symbols, pc);

    for (size_t i = 0; function && i < ARRAY_LEN(parts); i++)
        if (strstr(function->name, parts[i]))
            return true;
    return false;
}

/* The code that waits. */
static uint64_t place_of_wait(const struct audit *a, const struct call_stack *stack)
{
    for (unsigned i = 0; i < stack->count; i++)
        if (!is_to_wait(a, call_stack_code(stack, i)))
            return call_stack_code(stack, i);
    return stack->at[0];
}

static void report_sleeper(const struct guest_rules *r, struct hart *h, uint64_t tp,
                           uint64_t cycles)
{
    const struct audit *a = r->audit;
    struct call_stack stack = {0};
    struct finding *f;
    struct task task;
    uint64_t pc;

    if (!tasks_read(a->config.tasks, h, tp, &task) || !call_stack_of_sleeper(a, h, tp, &stack))
        return;
    pc = place_of_wait(a, &stack);
    f = add_breach(r, h, pc, audit_cause(RULE_guest_noticed, audit_function(a, pc)));
    if (!f)
        return;
    audit_fact_text(f, LABEL_HANGS,
                    "task %s, pid %" PRId32 ", asleep in the kernel for %" PRIu64
                    " million cycles, and no signal wakes it",
                    task.name, task.pid, cycles / 1000000);
    audit_fact(f, LABEL_STACK, FACT_STACK)->stack = stack;
    add_last_patch(a, f);
    add_updates(a, f);
    add_returns(a, f, h);
}

void guest_rules_task_runs(const struct audit *a, uint64_t tp)
{
    const struct guest_rules *r = a->rules[FAMILY_guest];

    sleepers_runs(r->sleepers, tp);
}

/* If all harts wait and nothing can wake them, a task that sleeps will do so for good. */
static void judge_sleepers(const struct guest_rules *r)
{
    struct cluster *c = r->audit->config.cluster;
    struct hart *h = cluster_hart(c, 0);
    uint64_t tp, cycles;

    for (unsigned i = 1; i < cluster_hart_count(c) && hart_mode(h) != PRIV_S; i++)
        h = cluster_hart(c, i);
    if (sleepers_longest(r->sleepers, h, r->audit->end.how == RUN_ASLEEP, &tp, &cycles))
        report_sleeper(r, h, tp, cycles);
}

/* The harts in trap loops come first: others may wait for these. */
static void end(void *rules)
{
    struct guest_rules *r = rules;
    struct cluster *c = r->audit->config.cluster;
    const struct run_end *how = &r->audit->end;

    r->hang_cause = 0;
    if (r->panicked || how->how == RUN_OVER || !has_begun(r->audit))
        return;
    if (how->how == RUN_STUCK)
        judge_stuck(r, how->hart);
    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        judge_trap_loop(r, cluster_hart(c, i));
    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        judge_wait(r, cluster_hart(c, i));
    if (!r->hang_cause)
        judge_sleepers(r);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct guest_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    r->sleepers = sleepers_new(a);
    return r;
}

static void destroy(void *rules)
{
    struct guest_rules *r = rules;

    sleepers_free(r->sleepers);
    free(r->harts);
    free(r);
}

/* A call that sets the timer: by the extension TIME, or the legacy one. */
static void note_deadline(const struct guest_rules *r, const struct sbi_event *e)
{
    enum { EXTENSION_TIME = 0x54494d45, EXTENSION_SET_TIMER = 0 };

    if ((e->extension == EXTENSION_TIME && !e->function) || e->extension == EXTENSION_SET_TIMER)
        state_of(r, e->hart)->deadline = hart_reg(e->hart, REG_A0);
}

static void on_event(void *rules, const struct event *e)
{
    struct guest_rules *r = rules;

    switch (e->kind) {
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    case EVENT_HART_WAITS:
        state_of(r, e->started.hart)->spin.times = 0;
        state_of(r, e->started.hart)->repeated.times = 0; /* as in an idle loop with a kprobe */
        break;
    case EVENT_SBI_CALL: note_deadline(r, &e->sbi); break;
    case EVENT_IPI_SENT: state_of(r, e->ipi.hart)->ipi_cycle = hart_cycles(e->ipi.hart); break;
    default: break;
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    on_alarm(rules, e->alarm.hart, e->alarm.alarm);
}

static void hart_io(struct state_io *io, struct guest_hart *h)
{
    STATE_IO(io, h->exception.pc);
    STATE_IO(io, h->exception.cause);
    STATE_IO(io, h->exception.value);
    STATE_IO(io, h->exception.cycle);
    STATE_IO(io, h->exception.step);
    STATE_IO(io, h->repeated.pc);
    STATE_IO(io, h->repeated.cause);
    STATE_IO(io, h->repeated.value);
    STATE_IO(io, h->repeated.registers);
    STATE_IO(io, h->repeated.first_cycle);
    STATE_IO(io, h->repeated.last_cycle);
    STATE_IO(io, h->repeated.last_step);
    STATE_IO(io, h->repeated.times);
    STATE_IO(io, h->spin.tp);
    STATE_IO(io, h->spin.sp);
    STATE_IO(io, h->spin.registers);
    STATE_IO(io, h->spin.low);
    STATE_IO(io, h->spin.high);
    STATE_IO(io, h->spin.first_cycle);
    STATE_IO(io, h->spin.times);
    STATE_IO(io, h->alarm.any);
    STATE_IO_BELOW(io, h->alarm.kind, ALARM_KINDS);
    STATE_IO(io, h->alarm.task);
    STATE_IO(io, h->alarm.cycle);
    STATE_IO(io, h->alarm.cause);
    STATE_IO(io, h->alarm.place);
    STATE_IO(io, h->ipi_cycle);
    STATE_IO(io, h->deadline);
    STATE_IO(io, h->trap_cycle);
    STATE_IO(io, h->trap_insns);
}

static void state_io(struct state_io *io, void *rules)
{
    struct guest_rules *r = rules;

    state_io_section(io, "guest-rules", 3);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        hart_io(io, &r->harts[i]);
    STATE_IO(io, r->panicked);
    sleepers_state_io(io, r->sleepers);
}

const struct rule_family guest_family = {.create = create,
                                         .destroy = destroy,
                                         .event = on_event,
                                         .ftrace_event = on_ftrace_event,
                                         .end = end,
                                         .state_io = state_io};
