/*
 * schedule.c - which hart runs next, for how long, and what time it is.
 *
 * Each hart has a cycle counter of its own. Where more than one hart can run, a
 * scheduler (struct scheduler, machine.h) chooses one and the length of its slice;
 * the built-in one takes the hart whose counter is lowest, for a number of cycles
 * drawn from the seed. So the counters stay within a slice of each other, and the
 * interleaving is a function of the seed. When every hart waits, time jumps to the
 * next deadline. A plan (plan.h) makes harts stall and time pass at given instructions.
 *
 * A slice ends early when the hart waits, when a deadline moves, when another hart
 * wakes, or at a pause by which the hart has overtaken another. It runs in portions,
 * each up to the next deadline at most: a hart meets a deadline at its first
 * instruction boundary at or after that cycle. Slice and portion survive the end of a
 * machine_run, so that a run in steps of one instruction is the same run.
 *
 * Deadlines are met by the clock of the hart that they concern: those of a hart that
 * runs by its own counter, those of a hart that waits and those of devices by the
 * machine's time, which is the lowest counter of the harts that can run.
 */
#include <assert.h>

#include "base/bits.h"
#include "base/limits.h"
#include "base/state_io.h"
#include "cpu/feed.h"
#include "cpu/hart.h"
#include "cpu/store_order.h"
#include "dev/aclint.h"
#include "dev/rtc.h"
#include "dev/uart16550.h"
#include "dev/virtio.h"
#include "dev/virtio_console.h"
#include "machine/machine_priv.h"
#include "machine/plan.h"

/* While harts run, the console is called once in this number of cycles. */
enum { POLL_CYCLES = 1 << 20 };

/*
 * A portion is no longer, so that an urgent request is met soon, also where an instruction takes
 * microseconds of the host. Ends of portions are multiples of it: they do not depend on where a run
 * was begun or restored.
 */
enum { PORTION_CYCLES = 1 << 18 };

static struct hart *hart_of(const struct machine *m, unsigned i)
{
    return m->slots[i].hart;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct hart *machine_current(const struct machine *m)
{
    return hart_of(m, m->current);
}

/* ---- time ---- */

static uint64_t cycles_now(const struct machine *m)
{
    uint64_t running = hart_cycles(machine_current(m));

    return running > m->now ? running : m->now;
}

uint64_t schedule_ticks(void *machine)
{
    struct machine *m = machine;
    uint64_t ticks = clocks_ticks(cycles_now(m));

    if (ticks > m->ticks_read) {
        m->ticks_read = ticks;
        feed_interrupt(cluster_feed(m->cluster));
    }
    return m->ticks_read; /* monotonic, also when another hart has read a later time */
}

static uint64_t to_cycles(uint64_t ticks)
{
    return ticks > UINT64_MAX / CYCLES_PER_TICK ? UINT64_MAX : ticks * CYCLES_PER_TICK;
}

void schedule_time_base(void *machine, struct feed_base *base)
{
    const struct machine *m = machine;

    base->time_floor = to_cycles(m->ticks_read);
    base->time_offset = aclint_mtime_at(m->aclint, 0);
}

uint64_t schedule_look_at_ticks(void *machine, uint64_t cycles)
{
    const struct machine *m = machine;
    uint64_t ticks = clocks_ticks(cycles);

    return aclint_mtime_at(m->aclint, ticks > m->ticks_read ? ticks : m->ticks_read);
}

uint64_t schedule_hart_ticks(void *machine, struct hart *h)
{
    struct machine *m = machine;
    uint64_t cycles = hart_cycles(h);

    /* No feed need be told: this hart's next hits are not earlier than what it has read. */
    if (clocks_ticks(cycles) > m->ticks_read)
        m->ticks_read = clocks_ticks(cycles);
    return schedule_look_at_ticks(m, cycles);
}

uint64_t machine_ticks(struct machine *m)
{
    return aclint_mtime(m->aclint);
}

uint64_t machine_cycles(const struct machine *m)
{
    return cycles_now(m);
}

uint64_t machine_insns(const struct machine *m)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < m->config.harts; i++)
        sum += hart_insns(hart_of(m, i));
    return sum;
}

/* ---- deadlines ---- */

/* The cycle with which a hart's deadlines are compared (see the top of this file). */
static uint64_t hart_now(const struct machine *m, unsigned i)
{
    uint64_t cycles = hart_cycles(hart_of(m, i));

    return ready_can_run(m, i) && cycles > m->now ? cycles : m->now;
}

/* The cycle at which mtime reaches or reached `time`; UINT64_MAX: never. */
static uint64_t cycle_of_time(const struct machine *m, uint64_t now, uint64_t time)
{
    uint64_t tick, time_now;

    if (time == UINT64_MAX)
        return UINT64_MAX;
    tick = clocks_ticks(now);
    time_now = aclint_mtime_at(m->aclint, tick);
    if (time <= time_now)
        return time_now - time > tick ? 0 : to_cycles(tick - (time_now - time));
    return time - time_now > UINT64_MAX - tick ? UINT64_MAX : to_cycles(tick + (time - time_now));
}

/* The cycle of the next deadline of one hart: its timers, and the limit of its wait. */
static uint64_t hart_deadline(const struct machine *m, unsigned i)
{
    const struct hart_slot *slot = &m->slots[i];
    uint64_t time = least(slot->timer, slot->compare);

    if (slot->stopped)
        return UINT64_MAX;
    if (time != UINT64_MAX)
        time = cycle_of_time(m, hart_now(m, i), time);
    return least(time, hart_wait_limit(slot->hart));
}

/* The cycle of the next deadline of devices and of harts that wait. */
static uint64_t find_deadline(const struct machine *m)
{
    uint64_t tick = least(aclint_next_deadline(m->aclint), rtc_next_deadline(m->rtc)), cycle;

    for (unsigned slot = 0; slot < VIRTIO_SLOTS; slot++)
        tick = least(tick, virtio_next_deadline(m->virtio[slot]));
    cycle = to_cycles(tick);
    for (unsigned i = 0; i < m->config.harts; i++)
        if (!ready_can_run(m, i))
            cycle = least(cycle, hart_deadline(m, i));
    return cycle;
}

/*
 * The cycle of the next deadline that concerns the current hart's portion: of devices,
 * of harts that wait, and its own. Other harts that can run meet theirs when they run.
 */
static uint64_t next_deadline(struct machine *m)
{
    if (!m->due_known)
        m->due = find_deadline(m);
    m->due_known = true;
    return least(m->due, hart_deadline(m, m->current));
}

/* Raises the due timer interrupts of one hart, and ends its wait if that is due. */
static void fire_hart_deadlines(struct machine *m, unsigned i)
{
    struct hart_slot *slot = &m->slots[i];
    uint64_t now = hart_now(m, i);

    m->waking_at = cycle_of_time(m, now, slot->timer);
    if (m->waking_at <= now) {
        slot->timer = UINT64_MAX;
        hart_set_irq(slot->hart, IRQ_STI, true);
    }
    m->waking_at = cycle_of_time(m, now, slot->compare);
    if (m->waking_at <= now) {
        slot->compare = UINT64_MAX;
        hart_set_timer(slot->hart, true);
    }
    m->waking_at = hart_wait_limit(slot->hart);
    if (m->waking_at <= now)
        hart_wake(slot->hart);
    m->waking_at = UINT64_MAX;
}

/* Handles all deadlines that are due, of devices and harts. */
static void fire_deadlines(struct machine *m)
{
    uint64_t tick = clocks_ticks(m->now);

    if (tick > m->ticks_read)
        m->ticks_read = tick;
    aclint_update(m->aclint);
    rtc_update(m->rtc);
    for (unsigned slot = 0; slot < VIRTIO_SLOTS; slot++)
        virtio_update(m->virtio[slot]);
    for (unsigned i = 0; i < m->config.harts; i++)
        if (!m->slots[i].stopped)
            fire_hart_deadlines(m, i);
    m->due_known = false;
}

/* ---- waking ---- */

void schedule_end_slice(struct machine *m)
{
    m->slice_over = true;
    m->due_known = false;
    hart_ask_stop(machine_current(m));
}

/* The hart's clock moves on to the time at which it was woken. */
void schedule_woken(struct machine *m, unsigned hart)
{
    uint64_t now = cycles_now(m);

    m->due_known = false;
    hart_advance(hart_of(m, hart), least(m->waking_at, now));
    ready_forget(m, hart);
    if (hart != m->current)
        schedule_end_slice(m); /* the slice was chosen when fewer harts could run */
}

/* ---- choosing ---- */

static bool is_stalled(const struct machine *m, unsigned hart)
{
    return m->stalled >> hart & 1;
}

static bool any_ready(struct machine *m)
{
    return ready_harts(m)->count != 0;
}

/* The built-in scheduler: the hart whose clock is lowest, for a length drawn from the seed. */
static struct slice choose_by_seed(struct machine *m)
{
    return (struct slice){.hart = ready_harts(m)->hart,
                          .cycles = limits.slice_min + rng_below(&m->rng, limits.slice_spread),
                          .insns = UINT64_MAX};
}

/* Asks the scheduler of the configuration. */
static struct slice choose_outside(struct machine *m)
{
    const struct scheduler *s = &m->config.scheduler;
    struct schedule_option options[HARTS_MAX];
    struct schedule_point point = {.options = options, .insns = machine_insns(m)};
    struct slice slice;

    for (unsigned i = 0; i < m->config.harts; i++)
        if (ready_can_run(m, i) && !is_stalled(m, i))
            options[point.count++] = (struct schedule_option){i, hart_cycles(hart_of(m, i))};
    slice = s->choose(s->ctx, &point);
    assert(slice.hart < m->config.harts && ready_can_run(m, slice.hart));
    assert(slice.cycles && slice.insns);
    return slice;
}

/* Chooses the next hart. If only one can run, it runs until another wakes. */
static struct slice choose(struct machine *m)
{
    if (ready_harts(m)->count == 1)
        return (struct slice){ready_harts(m)->hart, UINT64_MAX, UINT64_MAX};
    return m->config.scheduler.choose ? choose_outside(m) : choose_by_seed(m);
}

/* ---- input ---- */

static bool wants_input(const struct machine *m)
{
    return m->virtio_console ? virtio_console_wants_input(m->virtio_console)
                             : uart_wants_input(m->uart);
}

static bool receive(struct machine *m, uint8_t byte)
{
    return m->virtio_console ? virtio_console_receive(m->virtio_console, byte)
                             : uart_receive(m->uart, byte);
}

static struct moment moment_of(const struct machine *m, enum poll_reason reason)
{
    return (struct moment){reason, machine_insns(m), cycles_now(m), wants_input(m)};
}

/* Asks the console whether the machine must stop, and for input. */
static void offer_input(struct machine *m, enum poll_reason reason)
{
    const struct console *c = &m->config.console;
    const struct moment at = moment_of(m, reason);

    if (c->interrupted && c->interrupted(c->ctx, &at))
        m->asked = true;
    while (c->get && wants_input(m)) {
        int byte = input_get(&m->input, c, &at);

        if (byte < 0 || !receive(m, (uint8_t)byte))
            break;
    }
}

int schedule_read_console(struct machine *m)
{
    const struct console *c = &m->config.console;
    const struct moment at = moment_of(m, POLL_GUEST);

    return c->get ? input_get(&m->input, c, &at) : -1;
}

/* ---- idle time ---- */

enum idle { IDLE_OVER, IDLE_ENDLESS, IDLE_STOPPED };

/*
 * Moves time on to the deadline, to `limit`, or as far as the console allows. False:
 * there is no deadline, and there will be no input. While earlier input still waits for the guest,
 * the console is not asked for more: the earlier input did not wake the guest, and there is no
 * room.
 */
static bool sleep_until(struct machine *m, uint64_t deadline, uint64_t limit)
{
    const struct console *c = &m->config.console;
    const struct moment at = moment_of(m, POLL_IDLE);
    uint64_t cycle = deadline == UINT64_MAX ? deadline : least(deadline, limit);

    if (c->wait && (deadline != UINT64_MAX || wants_input(m)))
        cycle = input_wait(&m->input, c, &at, cycle);
    if (cycle == UINT64_MAX)
        return false;
    m->now = cycle;
    return true;
}

/*
 * Moves time on until a hart can run (IDLE_OVER), or until the machine must stop or
 * time reaches `limit` (IDLE_STOPPED). IDLE_ENDLESS: no hart will ever run again.
 */
static enum idle pass_idle_time(struct machine *m, uint64_t limit)
{
    while (!any_ready(m)) {
        uint64_t deadline;

        m->now = cycles_now(m); /* the last hart that began to wait may be ahead of m->now */
        offer_input(m, POLL_IDLE);
        if (any_ready(m))
            break;
        if (m->asked)
            return IDLE_STOPPED;
        deadline = next_deadline(m);
        if (deadline > m->now) {
            if (m->now >= limit)
                return IDLE_STOPPED;
            if (!sleep_until(m, deadline, limit))
                return IDLE_ENDLESS;
        }
        if (m->now >= deadline)
            fire_deadlines(m);
    }
    return IDLE_OVER;
}

/* ---- the loop ---- */

static struct stop stop_because(const struct machine *m, enum stop_reason reason)
{
    return (struct stop){.reason = reason, .hart = machine_current(m)};
}

static uint64_t sum_up_to_max(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Time passes until the next timer of the hart is due, if it has one. */
static void pass_time_to_timer(struct machine *m, unsigned hart)
{
    uint64_t due = hart_deadline(m, hart), now = hart_now(m, hart);

    if (due == UINT64_MAX || due <= now)
        return;
    for (unsigned i = 0; i < m->config.harts; i++)
        if (ready_can_run(m, i))
            hart_advance(hart_of(m, i), hart_cycles(hart_of(m, i)) + (due - now));
    m->due_known = false;
}

/* Begins or ends what the step makes others see late, at its instruction. */
static void follow_late_step(struct machine *m, const struct plan_step *step, uint64_t insns)
{
    bool begins = step->at >= m->planned && step->at <= insns && insns < step->until;
    bool ends = step->until >= m->planned && step->until <= insns;
    struct hart *h = hart_of(m, step->hart);

    if (step->kind == PLAN_HOLD && begins)
        hart_hold_next_store(h);
    else if (step->kind == PLAN_HOLD && ends)
        hart_let_stores_leave(h);
    else if (step->kind == PLAN_LATE && (begins || ends))
        hart_load_late(h, begins ? step->pc : 0);
}

/*
 * Begins and ends what the plan has up to the present instruction. The clock of a hart whose stall
 * has ended has gone on. A slice ends where the plan has something (begin_slice), so that nothing
 * of it is met late.
 */
static void follow_plan(struct machine *m)
{
    const struct plan *plan = m->config.plan;
    uint64_t insns = machine_insns(m), stalled = plan_stalled(plan, insns);

    for (unsigned i = 0; i < m->config.harts; i++)
        if (is_stalled(m, i) && !(stalled >> i & 1) && ready_can_run(m, i))
            hart_advance(hart_of(m, i), m->now);
    m->stalled = stalled;
    if (plan_is_late(plan, insns))
        cluster_keep_store_order(m->cluster, true);
    for (size_t i = 0; i < plan->steps.len; i++)
        if (plan->steps.at[i].hart < m->config.harts)
            follow_late_step(m, &plan->steps.at[i], insns);
    if (!plan_is_late(plan, insns))
        cluster_keep_store_order(m->cluster, false);
    for (size_t i = 0; i < plan->steps.len; i++) {
        const struct plan_step *step = &plan->steps.at[i];

        if (step->at < m->planned || step->at > insns)
            continue;
        if (step->kind == PLAN_TICK)
            pass_time_to_timer(m, step->hart);
        else if (step->kind == PLAN_LEAVE && step->hart < m->config.harts)
            hart_let_store_leave(hart_of(m, step->hart), step->answer);
    }
    m->planned = insns + 1;
    ready_forget_all(m);
}

unsigned schedule_answer(void *machine, enum choice_kind kind, unsigned hart, unsigned count)
{
    struct machine *m = machine;
    uint64_t insns = machine_insns(m);
    unsigned answer;

    if (m->asked_at != insns)
        m->questions = 0;
    m->asked_at = insns;
    answer = plan_answer(m->config.plan, insns, m->questions++, kind, hart);
    return answer < count ? answer : 0;
}

/*
 * Accesses to data are followed from here on, or not. Returns the instructions until that changes:
 * it ends no slice, so that the run stays the same.
 */
static uint64_t follow_data(struct machine *m)
{
    const struct plan *plan = m->config.plan;
    uint64_t insns = machine_insns(m), next = plan_next_data(plan, insns);

    cluster_record_insns(m->cluster, m->config.follow_data || plan_follows_data(plan, insns));
    return next == UINT64_MAX ? next : next - insns;
}

void machine_follow(struct machine *m, const struct plan *plan)
{
    m->config.plan = plan;
    machine_plan_changed(m);
}

/* The present slice ends where it would have if it had begun with this plan. */
void machine_plan_changed(struct machine *m)
{
    uint64_t now = machine_insns(m), next = plan_next(m->config.plan, now - 1);

    (void)follow_data(m);
    if (next == now)
        m->slice_over = true;
    else if (next != UINT64_MAX)
        m->slice_insns = least(m->slice_insns, next - now);
}

static void begin_slice(struct machine *m)
{
    struct slice slice;

    if (m->config.plan)
        follow_plan(m);
    slice = choose(m);
    if (m->config.plan)
        slice.insns =
            least(slice.insns, plan_next(m->config.plan, machine_insns(m)) - machine_insns(m));
    m->slice_over = false; /* the choice included all harts that have woken */
    m->current = slice.hart;
    m->slice_end = sum_up_to_max(hart_cycles(machine_current(m)), slice.cycles);
    m->slice_insns = slice.insns;
    m->portion_end = 0;
    m->in_slice = true;
    hart_yield_from(machine_current(m),
                    slice.hart == ready_harts(m)->hart ? ready_harts(m)->next : UINT64_MAX);
}

/*
 * Has instructions traced in portions that are near the selected time. A hart executes less than
 * eight instructions in a cycle.
 */
static void follow_insn_trace(struct machine *m)
{
    enum { INSNS_IN_CYCLE = 8 };
    const struct span *cycles = &m->config.trace_cycles, *steps = &m->config.trace_steps;
    uint64_t now = hart_cycles(machine_current(m)), insns;

    if (!m->config.trace_insns)
        return;
    insns = machine_insns(m);
    cluster_trace_insns(m->cluster,
                        now <= cycles->to && m->portion_end >= cycles->from && insns <= steps->to &&
                            sum_up_to_max(insns, INSNS_IN_CYCLE * (m->portion_end - now)) >=
                                steps->from);
}

/*
 * Sets the end of the current hart's portion: the first deadline that is ahead of its
 * clock. A deadline of another hart that its clock has passed is handled at the end of
 * its slice.
 */
static void begin_portion(struct machine *m)
{
    uint64_t now = hart_cycles(machine_current(m)), poll = m->polled_at + POLL_CYCLES;
    uint64_t due = next_deadline(m);

    if (due <= now) { /* a deadline of the current hart that has passed while another ran */
        fire_deadlines(m);
        due = next_deadline(m);
    }
    m->portion_end = m->slice_end;
    if (due > now)
        m->portion_end = least(m->portion_end, due);
    if (poll > now)
        m->portion_end = least(m->portion_end, poll);
    m->portion_end = least(m->portion_end, (now | (PORTION_CYCLES - 1)) + 1);
    follow_insn_trace(m);
}

/* The machine's time: the lowest clock of the harts that can run. Monotonic. */
static uint64_t present(struct machine *m)
{
    uint64_t lowest = hart_cycles(hart_of(m, ready_harts(m)->hart));

    return any_ready(m) && lowest > m->now ? lowest : m->now;
}

/*
 * Calls the console every POLL_CYCLES while harts run. While all wait, pass_idle_time calls
 * it. So the moments of the calls do not depend on how the run is divided into pieces.
 */
static void look_outside(struct machine *m)
{
    if (m->now - m->polled_at < POLL_CYCLES || !any_ready(m))
        return;
    m->polled_at = m->now;
    offer_input(m, POLL_CLOCK);
}

/* Asks the console whether the machine must stop, if that is urgent. */
static void look_if_urgent(struct machine *m)
{
    const struct console *c = &m->config.console;
    const struct moment at = moment_of(m, POLL_CLOCK);

    if (c->interrupted(c->ctx, &at))
        m->asked = true;
}

static bool is_urgent(const struct machine *m)
{
    const struct console *c = &m->config.console;

    return c->urgent && c->interrupted && atomic_load_explicit(c->urgent, memory_order_relaxed);
}

/* Between two portions: updates the machine's time and handles deadlines. */
static void account_time(struct machine *m)
{
    m->now = present(m);
    if (next_deadline(m) <= cycles_now(m))
        fire_deadlines(m);
    look_outside(m);
}

static bool slice_is_over(const struct machine *m)
{
    return !m->in_slice || m->slice_over || !m->slice_insns ||
           hart_cycles(machine_current(m)) >= m->slice_end;
}

static bool portion_is_over(const struct machine *m)
{
    return slice_is_over(m) || hart_cycles(machine_current(m)) >= m->portion_end;
}

/* Runs the current hart up to the end of its portion. True: the machine stops; *stop: why. */
static bool run_hart(struct machine *m, uint64_t insns, uint64_t until, struct stop *stop)
{
    struct hart *h = machine_current(m);
    uint64_t before = hart_insns(h);
    enum hart_stop why = hart_run(h, least(insns, m->slice_insns), until);

    ready_forget(m, m->current);
    if (m->slice_insns != UINT64_MAX)
        m->slice_insns -= hart_insns(h) - before;
    switch (why) {
    case HART_BUDGET: break;
    case HART_WAITING:
        m->due_known = false;
        m->in_slice = false;
        break;
    case HART_PAUSED: m->in_slice = false; break;
    case HART_ASKED: break; /* an exit request that does not stop the machine */
    case HART_PROBE: *stop = stop_because(m, STOP_PROBE); return true;
    case HART_STUCK: *stop = stop_because(m, STOP_STUCK); return true;
    }
    if (m->slots[m->current].stopped)
        m->in_slice = false;
    return false;
}

static uint64_t insns_left(const struct machine *m, uint64_t max_insns)
{
    uint64_t done;

    if (max_insns == UINT64_MAX)
        return UINT64_MAX;
    done = machine_insns(m);
    return done < max_insns ? max_insns - done : 0;
}

struct stop machine_run(struct machine *m, uint64_t max_insns, uint64_t max_cycles)
{
    struct stop stop;
    uint64_t left;

    for (;;) {
        if (m->ended)
            return m->end;
        if (UNLIKELY(is_urgent(m)))
            look_if_urgent(m);
        if (m->asked) {
            m->asked = false;
            return stop_because(m, STOP_ASKED);
        }
        if (m->stops_before && !insns_left(m, max_insns))
            return stop_because(m, STOP_INSNS);
        if (portion_is_over(m)) {
            account_time(m);
            if (slice_is_over(m))
                m->in_slice = false;
            m->portion_end = 0;
        }
        if (!m->in_slice) {
            switch (pass_idle_time(m, max_cycles)) {
            case IDLE_ENDLESS: return stop_because(m, STOP_ASLEEP);
            case IDLE_STOPPED:
                if (m->asked)
                    continue;
                return stop_because(m, STOP_CYCLES);
            case IDLE_OVER: break;
            }
            begin_slice(m);
        }
        left = insns_left(m, max_insns);
        if (!left)
            return stop_because(m, STOP_INSNS);
        if (cycles_now(m) >= max_cycles)
            return stop_because(m, STOP_CYCLES);
        if (!m->portion_end)
            begin_portion(m);
        if (m->config.plan && m->config.plan->data_until)
            left = least(left, follow_data(m));
        if (run_hart(m, left, least(m->portion_end, max_cycles), &stop))
            return stop;
    }
}

struct stop machine_run_before(struct machine *m, uint64_t max_insns)
{
    struct stop stop;

    m->stops_before = true;
    stop = machine_run(m, max_insns, UINT64_MAX);
    m->stops_before = false;
    return stop;
}

/* Afterwards the other harts' clocks are lower; the scheduler lets these harts catch up. */
static struct stop run_alone(struct machine *m, uint64_t insns)
{
    struct hart *h = machine_current(m);
    uint64_t end = hart_insns(h) + insns;
    struct stop stop;

    while (ready_can_run(m, m->current) && hart_insns(h) < end) {
        if (run_hart(m, end - hart_insns(h), UINT64_MAX, &stop))
            return stop;
        if (m->ended)
            return m->end;
        if (m->asked) {
            m->asked = false;
            return stop_because(m, STOP_ASKED);
        }
    }
    return stop_because(m, hart_insns(h) < end ? STOP_ASLEEP : STOP_INSNS);
}

struct stop machine_run_alone(struct machine *m, unsigned hart, uint64_t insns)
{
    struct stop stop;

    if (m->ended)
        return m->end;
    m->current = hart;
    m->slice_insns = UINT64_MAX;
    hart_yield_from(machine_current(m), UINT64_MAX);
    stop = run_alone(m, insns);
    m->in_slice = false;
    m->portion_end = 0;
    ready_forget_all(m);
    m->due_known = false;
    return stop;
}

void machine_ask_stop(struct machine *m)
{
    m->asked = true;
    hart_ask_stop(machine_current(m));
}

/* ---- state ---- */

static void slot_state_io(struct state_io *io, struct hart_slot *slot)
{
    STATE_IO(io, slot->stopped);
    STATE_IO(io, slot->timer);
    STATE_IO(io, slot->compare);
}

/* The member `hart` is saved as its number. */
static void stop_state_io(struct state_io *io, const struct machine *m, struct stop *stop)
{
    unsigned hart = stop->hart ? hart_id(stop->hart) : 0;

    STATE_IO_BELOW(io, stop->reason, STOP_ASLEEP + 1);
    STATE_IO(io, stop->origin);
    STATE_IO(io, stop->code);
    STATE_IO_BELOW(io, hart, m->config.harts);
    stop->hart = hart_of(m, hart);
}

/* A request to stop (`asked`) comes from outside and is not part of the state. */
void schedule_state_io(struct state_io *io, struct machine *m)
{
    state_io_section(io, "schedule", 3);
    STATE_IO_SAME(io, m->config.harts);
    STATE_IO(io, m->rng.state);
    for (unsigned i = 0; i < m->config.harts; i++)
        slot_state_io(io, &m->slots[i]);
    STATE_IO_BELOW(io, m->current, m->config.harts);
    STATE_IO(io, m->in_slice);
    STATE_IO(io, m->slice_over);
    STATE_IO(io, m->slice_end);
    STATE_IO(io, m->slice_insns);
    STATE_IO(io, m->portion_end);
    STATE_IO(io, m->due);
    STATE_IO(io, m->due_known);
    STATE_IO(io, m->waking_at);
    STATE_IO(io, m->asked_at);
    STATE_IO(io, m->questions);
    ready_state_io(io, m);
    STATE_IO(io, m->now);
    STATE_IO(io, m->ticks_read);
    STATE_IO(io, m->polled_at);
    STATE_IO(io, m->stalled);
    STATE_IO(io, m->planned);
    STATE_IO(io, m->ended);
    stop_state_io(io, m, &m->end);
}
