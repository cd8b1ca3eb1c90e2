/*
 * hangs.c - see hangs.h.
 *
 * Times are counted in busy cycles. Those in which a hart waited for an interrupt, or was held up,
 * do not count: it could make no progress then.
 */
#include "ftrace/audit/guest/hangs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clocks.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/foresee.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/guest/guest_evidence.h"
#include "ftrace/audit/guest/sleepers.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"

/*
 * A hart hangs if it was deaf to an interrupt for HANG_CYCLES, a tenth of a second, or had them off
 * for so long, or took nothing but one exception, LOOP_TIMES at least; or if its timer found it at
 * the same place SPIN_SAMPLES times, in SPIN_CYCLES; or if harts for so long all together, each a
 * SHARE of it, were in the kernel and cannot leave the loop that they are in. If nothing can happen
 * any more, FROZEN_CYCLES are enough.
 */
enum {
    HANG_CYCLES = 100 * 1000 * 1000,
    SHARE_CYCLES = HANG_CYCLES / 16,
    FROZEN_CYCLES = 10 * 1000 * 1000,
    SPIN_CYCLES = 500 * 1000 * 1000,
    LOOP_TIMES = 1000,
    SPIN_SAMPLES = 16,
    SPIN_BYTES = 256,
    EPISODE_CYCLES = 5 * 1000 * 1000,
    INSN_CYCLES_MAX = 20, /* fewer instructions than one in 20 cycles: the hart was held up */
};

/* Instructions that are followed: to come back to a state, or to turn interrupts on. */
enum { FOLLOWED_INSNS = 200 * 1000, FOLLOWED_OFF_INSNS = 1000 * 1000 };

/* A loop that ends within so many instructions, ten seconds or more, need not be a hang. */
#define LEFT_INSNS (UINT64_C(10) * 1000 * 1000 * 1000)

/* The same trap with the same registers, again and again. */
struct repeated {
    uint64_t pc, cause, value, registers, first_cycle, last_cycle, last_step, times;
};

/* The places where the timer interrupts a task that keeps its registers. */
struct spin {
    uint64_t tp, sp, registers, low, high, first_cycle, times;
};

struct hart_progress {
    struct repeated repeated;
    struct spin spin;
    uint64_t ipi_cycle;              /* when another hart has last interrupted it */
    uint64_t ipi_sent;               /* the same by the cycles of that hart */
    uint64_t deadline;               /* of the timer, as the firmware was told; 0: none */
    uint64_t trap_cycle, trap_insns; /* its last trap */
    uint64_t on_busy;     /* busy cycles when interrupts were last on, as far as that is known */
    uint64_t kernel_busy; /* when it was last in user mode, waiting, or with another task */
};

struct hangs {
    struct audit *audit;
    struct hart_progress *harts;
    struct sleepers *sleepers;
    uint64_t cause; /* of the finding about a hang; 0: none yet; only at the end of a run */
};

/* How a hart hangs. */
struct hang {
    enum message message;
    uint64_t pc;
    const struct taken *exception; /* NULL: none */
    uint64_t cycles;               /* 0: not said */
};

/* What is known of a hart at the end of a run. */
struct outlook {
    struct foresight next;
    uint64_t kernel, off; /* busy cycles in the kernel; with interrupts off */
    bool is_judged;       /* the others are valid: it executes the kernel's code */
    bool is_off;          /* interrupts are, and will be */
    bool loops;           /* for ever, unless an interrupt or another hart changes something */
};

struct hangs *hangs_new(struct audit *a)
{
    struct hangs *g = xcalloc(1, sizeof *g);

    g->audit = a;
    g->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *g->harts);
    g->sleepers = sleepers_new(a);
    return g;
}

void hangs_free(struct hangs *g)
{
    sleepers_free(g->sleepers);
    free(g->harts);
    free(g);
}

static struct hart_progress *progress_of(const struct hangs *g, const struct hart *h)
{
    return &g->harts[hart_id(h)];
}

static uint64_t busy_cycles(const struct hart *h)
{
    return hart_cycles(h) - hart_idle_cycles(h);
}

/* ---- events ---- */

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

static void note_exception(struct hart_progress *p, const struct trap_event *t)
{
    uint64_t registers = number_of_registers(t->hart, 0), cycle = hart_cycles(t->hart);
    struct repeated *last = &p->repeated;

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
    last->last_step = cluster_steps(hart_cluster(t->hart));
}

/* Registers in which a loop has what it reads: t0 to t6. */
enum { TEMPORARIES = 7 << 5 | (int)(15U << 28) };

static void note_interrupt(struct hart_progress *p, const struct trap_event *t)
{
    uint64_t tp = hart_reg(t->hart, REG_TP), sp = hart_reg(t->hart, REG_SP);
    uint64_t registers = number_of_registers(t->hart, (uint32_t)TEMPORARIES);
    struct spin *s = &p->spin;
    uint64_t low = t->epc < s->low ? t->epc : s->low, high = t->epc > s->high ? t->epc : s->high;

    if (!s->times || s->tp != tp || s->sp != sp || s->registers != registers ||
        high - low > SPIN_BYTES)
        *s = (struct spin){tp, sp, registers, t->epc, t->epc, hart_cycles(t->hart), 0};
    else
        s->low = low, s->high = high;
    s->times++;
}

void hangs_trap(struct hangs *g, const struct trap_event *t)
{
    struct hart_progress *p = progress_of(g, t->hart);

    p->trap_cycle = hart_cycles(t->hart);
    p->trap_insns = hart_insns(t->hart);
    sleepers_trap(g->sleepers, t);
    if (t->from == PRIV_U) {
        p->spin.times = 0;
        p->kernel_busy = p->on_busy = busy_cycles(t->hart);
    } else if (hart_status(t->hart).sstatus & SSTATUS_SIE) {
        p->on_busy = busy_cycles(t->hart);
    }
    if (t->to != PRIV_S)
        return;
    if (t->interrupt && t->from == PRIV_S)
        note_interrupt(p, t);
    else if (!t->interrupt && !is_call_of_kernel(t->cause))
        note_exception(p, t);
    else if (!t->interrupt)
        p->repeated.times = 0; /* a program gets on, if only with its own signals */
}

void hangs_wait(struct hangs *g, const struct hart *h)
{
    struct hart_progress *p = progress_of(g, h);

    p->spin.times = 0;
    p->repeated.times = 0; /* as in an idle loop with a kprobe */
    p->kernel_busy = p->on_busy = busy_cycles(h);
}

/* A call that sets the timer: by the extension TIME, or the legacy one. */
void hangs_sbi_call(struct hangs *g, const struct sbi_event *e)
{
    enum { EXTENSION_TIME = 0x54494d45, EXTENSION_SET_TIMER = 0 };

    if ((e->extension == EXTENSION_TIME && !e->function) || e->extension == EXTENSION_SET_TIMER)
        progress_of(g, e->hart)->deadline = hart_reg(e->hart, REG_A0);
}

void hangs_ipi_sent(struct hangs *g, const struct ipi_event *e)
{
    struct hart_progress *p = progress_of(g, e->hart);

    p->ipi_cycle = hart_cycles(e->hart);
    p->ipi_sent = hart_cycles(e->sender ? e->sender : e->hart);
}

void hangs_switch(struct hangs *g, const struct hart *h, uint64_t tp)
{
    progress_of(g, h)->kernel_busy = busy_cycles(h);
    sleepers_runs(g->sleepers, tp);
}

/* ---- interrupts ---- */

/* Numbers of CSRs. */
enum { CSR_SSTATUS = 0x100, CSR_SIE = 0x104, CSR_SIP = 0x144, CSR_STIMECMP = 0x14d };

static uint64_t read_csr(struct hart *h, unsigned number)
{
    uint64_t value;

    return hart_csr(h, number, &value) ? value : 0;
}

static bool interrupts_are_on(struct hart *h)
{
    return read_csr(h, CSR_SSTATUS) & SSTATUS_SIE;
}

static uint64_t deadline_of(const struct hart_progress *p, struct hart *h)
{
    return p->deadline ? p->deadline : read_csr(h, CSR_STIMECMP);
}

/* The cycles for which the hart's timer is overdue; 0: it is not, or that is not known. */
static uint64_t timer_overdue(const struct hart_progress *p, struct hart *h)
{
    uint64_t deadline = deadline_of(p, h), now = hart_time(h);

    return deadline && deadline < now ? (now - deadline) * CYCLES_PER_TICK : 0;
}

/*
 * The cycles for which the hart, in the kernel with interrupts off, has not taken an interrupt that
 * is enabled.
 */
static uint64_t deaf_for(const struct hart_progress *p, struct hart *h)
{
    uint64_t pending = read_csr(h, CSR_SIE) & read_csr(h, CSR_SIP), cycles = 0;

    if (hart_mode(h) != PRIV_S || hart_waits_for(h) != HART_WAITS_NOT || interrupts_are_on(h))
        return 0;
    if (pending >> IRQ_STI & 1)
        cycles = timer_overdue(p, h);
    if (pending >> IRQ_SSI & 1 && p->ipi_cycle && hart_cycles(h) - p->ipi_cycle > cycles &&
        hart_cycles(h) > p->ipi_cycle)
        cycles = hart_cycles(h) - p->ipi_cycle;
    return cycles;
}

/* Whether the hart has executed for so long, not been held up. */
static bool has_executed(const struct hart_progress *p, const struct hart *h, uint64_t cycles)
{
    return hart_insns(h) - p->trap_insns > cycles / INSN_CYCLES_MAX;
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

/* ---- findings ---- */

/* All harts that hang at the end of a run are one finding: they wait for each other. */
static void report_hang(struct hangs *g, struct hart *h, const struct hang *hang)
{
    struct finding *f;

    if (!g->cause)
        g->cause = audit_cause(RULE_guest_noticed, audit_function(g->audit, hang->pc));
    f = guest_evidence_begin(g->audit, h, hang->pc, g->cause);
    if (!f)
        return;
    if (hang->exception)
        guest_evidence_exception(f, h, hang->exception);
    audit_fact_message(f, LABEL_HANGS, hang->message);
    if (hang->cycles)
        audit_fact_text(f, LABEL_HANGS, "for %" PRIu64 " million cycles in which it executed",
                        hang->cycles / 1000000);
    if (hang->cycles && audit_function(g->audit, hart_pc(h)) != audit_function(g->audit, hang->pc))
        audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = hang->pc;
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    guest_evidence_end(g->audit, f, h);
}

static bool is_in_trap_loop(const struct hart_progress *p, const struct hart *h)
{
    const struct repeated *l = &p->repeated;
    uint64_t cycles = l->last_cycle - l->first_cycle;

    return l->times >= LOOP_TIMES && cycles >= HANG_CYCLES &&
           hart_cycles(h) - l->last_cycle <= 2 * (cycles / l->times) + EPISODE_CYCLES;
}

static void judge_trap_loop(struct hangs *g, struct hart *h)
{
    const struct hart_progress *p = progress_of(g, h);
    const struct repeated *l = &p->repeated;
    const struct taken taken = {l->pc, l->cause, l->value, l->last_cycle, l->last_step};

    if (is_in_trap_loop(p, h))
        report_hang(g, h, &(struct hang){MESSAGE_TRAP_LOOP, l->pc, &taken, 0});
}

static void judge_stuck(struct hangs *g, struct hart *h)
{
    struct hart_exception e = hart_unhandled_exception(h);
    const struct taken taken = {e.pc, e.cause, e.tval, hart_cycles(h),
                                cluster_steps(hart_cluster(h))};

    report_hang(g, h, &(struct hang){MESSAGE_HANDLER_TRAPS, e.pc, &taken, 0});
}

/* ---- what harts would do next ---- */

/* Whether it runs a task other than an idle one, which may look for work in a loop. */
static bool has_work(const struct audit *a, struct hart *h)
{
    struct task task;

    return a->config.tasks && tasks_read(a->config.tasks, h, call_stack_task(h), &task) &&
           task.pid > 0;
}

static bool loops(const struct foresight *next)
{
    return next->end == FORESEEN_REPEATS || next->end == FORESEEN_CIRCLES;
}

static struct outlook look_ahead(const struct hangs *g, struct hart *h)
{
    const struct hart_progress *p = progress_of(g, h);
    struct outlook o = {.kernel = busy_cycles(h) - p->kernel_busy,
                        .off = busy_cycles(h) - p->on_busy};
    bool off = !interrupts_are_on(h);

    if (!audit_translates(h) || hart_waits_for(h) != HART_WAITS_NOT || o.kernel < SHARE_CYCLES ||
        (!off && !has_work(g->audit, h)))
        return o;
    o.is_judged = true;
    o.next = hart_foresee(h, off && o.off >= HANG_CYCLES ? FOLLOWED_OFF_INSNS : FOLLOWED_INSNS,
                          LEFT_INSNS);
    o.loops =
        loops(&o.next) && !o.next.calls_firmware && (!o.next.interrupts || has_work(g->audit, h));
    o.is_off = !o.next.interrupts && (loops(&o.next) || o.next.end == FORESEEN_GOES_ON);
    return o;
}

/* Whether the hart is not started, or waits and has set no timer. */
static bool is_at_rest(const struct hangs *g, struct hart *h)
{
    bool timer = read_csr(h, CSR_SIE) >> IRQ_STI & 1;
    uint64_t deadline = deadline_of(progress_of(g, h), h);

    return hart_sync_stamp(h) == UINT64_MAX ||
           (hart_waits_for(h) != HART_WAITS_NOT &&
            (!timer || !deadline || deadline >= UINT64_MAX / CYCLES_PER_TICK));
}

/* Whether nothing can change any more: each hart loops with interrupts off, or is at rest. */
static bool is_frozen(const struct hangs *g, const struct outlook *harts)
{
    const struct cluster *c = g->audit->config.cluster;

    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (!(harts[i].loops && harts[i].is_off) && !is_at_rest(g, cluster_hart(c, i)))
            return false;
    return true;
}

/* The harts that are in loops, as those of the others permit. */
static void judge_loops(struct hangs *g, const struct outlook *harts)
{
    const struct cluster *c = g->audit->config.cluster;
    bool frozen = is_frozen(g, harts), patching = is_patching(g->audit, HANG_CYCLES);
    uint64_t all = 0;

    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (harts[i].loops)
            all += harts[i].kernel;
    for (unsigned i = 0; i < cluster_hart_count(c); i++) {
        struct hart *h = cluster_hart(c, i);
        const struct outlook *o = &harts[i];

        if (!o->is_judged || is_in_trap_loop(progress_of(g, h), h))
            continue;
        if (o->loops &&
            ((frozen && o->kernel >= FROZEN_CYCLES) || (all >= HANG_CYCLES && !patching)))
            report_hang(g, h,
                        &(struct hang){o->is_off ? MESSAGE_LOOPS_OFF : MESSAGE_LOOPS,
                                       o->next.outer_pc, NULL, o->kernel});
        else if (o->is_off && o->off >= HANG_CYCLES && !patching && audit_is_settled(g->audit))
            report_hang(g, h, &(struct hang){MESSAGE_OFF, o->next.outer_pc, NULL, o->off});
    }
}

/* ---- harts that wait ---- */

static bool is_deaf(const struct hangs *g, struct hart *h)
{
    const struct hart_progress *p = progress_of(g, h);

    return deaf_for(p, h) >= HANG_CYCLES && has_executed(p, h, HANG_CYCLES) &&
           !is_patching(g->audit, HANG_CYCLES);
}

static bool is_spinning(const struct hart_progress *p, const struct hart *h)
{
    const struct spin *s = &p->spin;

    return s->times >= SPIN_SAMPLES && hart_cycles(h) - s->first_cycle >= SPIN_CYCLES &&
           hart_mode(h) == PRIV_S && hart_waits_for(h) == HART_WAITS_NOT;
}

static uint64_t latest_cycle(const struct cluster *c)
{
    uint64_t latest = 0;

    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (hart_cycles(cluster_hart(c, i)) > latest)
            latest = hart_cycles(cluster_hart(c, i));
    return latest;
}

/* Whether it waits for an interrupt, has not enabled those by other harts, and one was sent. */
static bool waits_deaf(const struct hangs *g, struct hart *h)
{
    const struct hart_progress *p = progress_of(g, h);
    const struct cluster *c = g->audit->config.cluster;

    return audit_translates(h) && hart_waits_for(h) == HART_WAITS_INTERRUPT && p->ipi_sent &&
           (read_csr(h, CSR_SIP) & ~read_csr(h, CSR_SIE)) >> IRQ_SSI & 1 &&
           latest_cycle(c) - p->ipi_sent >= HANG_CYCLES;
}

static void judge_wait(struct hangs *g, struct hart *h)
{
    if (is_in_trap_loop(progress_of(g, h), h))
        return;
    if (is_deaf(g, h))
        report_hang(g, h, &(struct hang){MESSAGE_DEAF, hart_pc(h), NULL, 0});
    else if (is_spinning(progress_of(g, h), h))
        report_hang(g, h, &(struct hang){MESSAGE_SPINS, hart_pc(h), NULL, 0});
    else if (waits_deaf(g, h))
        report_hang(g, h, &(struct hang){MESSAGE_WAITS_DEAF, hart_pc(h), NULL, 0});
}

/* ---- tasks ---- */

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

static void report_sleeper(const struct hangs *g, struct hart *h, const struct sleeping *s)
{
    struct audit *a = g->audit;
    struct call_stack stack = {0};
    struct finding *f;
    struct task task;
    uint64_t pc;

    if (!tasks_read(a->config.tasks, h, s->tp, &task) ||
        !call_stack_of_sleeper(a, h, s->tp, &stack))
        return;
    pc = place_of_wait(a, &stack);
    f = guest_evidence_begin(a, h, pc, audit_cause(RULE_guest_noticed, audit_function(a, pc)));
    if (!f)
        return;
    if (s->runnable)
        audit_fact_text(f, LABEL_HANGS,
                        "task %s, pid %" PRId32 ", which could run, but no hart has run it for "
                        "%" PRIu64 " million cycles",
                        task.name, task.pid, s->cycles / 1000000);
    else
        audit_fact_text(f, LABEL_HANGS,
                        "task %s, pid %" PRId32 ", asleep in the kernel for %" PRIu64
                        " million cycles, and no signal wakes it",
                        task.name, task.pid, s->cycles / 1000000);
    audit_fact(f, LABEL_STACK, FACT_STACK)->stack = stack;
    guest_evidence_state(a, f, h);
}

/* If all harts wait and nothing can wake them, a task that sleeps will do so for good. */
static void judge_sleepers(const struct hangs *g)
{
    struct cluster *c = g->audit->config.cluster;
    struct hart *h = cluster_hart(c, 0);
    struct sleeping longest;

    for (unsigned i = 1; i < cluster_hart_count(c) && hart_mode(h) != PRIV_S; i++)
        h = cluster_hart(c, i);
    if (sleepers_longest(g->sleepers, h, g->audit->end.how == RUN_ASLEEP, &longest))
        report_sleeper(g, h, &longest);
}

/* The harts in trap loops come first: others may wait for these. */
void hangs_judge(struct hangs *g)
{
    struct cluster *c = g->audit->config.cluster;
    unsigned count = cluster_hart_count(c);
    struct outlook *outlooks = xcalloc(count, sizeof *outlooks);

    g->cause = 0;
    if (g->audit->end.how == RUN_STUCK)
        judge_stuck(g, g->audit->end.hart);
    for (unsigned i = 0; i < count; i++)
        judge_trap_loop(g, cluster_hart(c, i));
    for (unsigned i = 0; i < count; i++)
        judge_wait(g, cluster_hart(c, i));
    for (unsigned i = 0; i < count; i++)
        outlooks[i] = look_ahead(g, cluster_hart(c, i));
    judge_loops(g, outlooks);
    if (!g->cause)
        judge_sleepers(g);
    free(outlooks);
}

/* ---- state ---- */

static void progress_io(struct state_io *io, struct hart_progress *p)
{
    STATE_IO(io, p->repeated.pc);
    STATE_IO(io, p->repeated.cause);
    STATE_IO(io, p->repeated.value);
    STATE_IO(io, p->repeated.registers);
    STATE_IO(io, p->repeated.first_cycle);
    STATE_IO(io, p->repeated.last_cycle);
    STATE_IO(io, p->repeated.last_step);
    STATE_IO(io, p->repeated.times);
    STATE_IO(io, p->spin.tp);
    STATE_IO(io, p->spin.sp);
    STATE_IO(io, p->spin.registers);
    STATE_IO(io, p->spin.low);
    STATE_IO(io, p->spin.high);
    STATE_IO(io, p->spin.first_cycle);
    STATE_IO(io, p->spin.times);
    STATE_IO(io, p->ipi_cycle);
    STATE_IO(io, p->ipi_sent);
    STATE_IO(io, p->deadline);
    STATE_IO(io, p->trap_cycle);
    STATE_IO(io, p->trap_insns);
    STATE_IO(io, p->on_busy);
    STATE_IO(io, p->kernel_busy);
}

void hangs_state_io(struct state_io *io, struct hangs *g)
{
    state_io_section(io, "hangs", 1);
    for (unsigned i = 0; i < cluster_hart_count(g->audit->config.cluster); i++)
        progress_io(io, &g->harts[i]);
    sleepers_state_io(io, g->sleepers);
}
