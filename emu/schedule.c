/*
 * schedule.c - whose turn it is, and what time it is.
 *
 * Each hart has its own cycle counter. The one that is furthest behind runs
 * next, for a slice whose length is drawn from the seed; so clocks stay within
 * a slice of each other and the interleaving is a function of the seed. When
 * every hart waits, time jumps to the next deadline.
 *
 * A slice ends early when the hart waits, when a deadline moves, when it wakes
 * another hart, or at a pause by which it has overtaken another. It runs in
 * portions, each short of the next deadline; the clock is looked at between them.
 * Both survive the end of a machine_run, so that a run in steps of one instruction
 * is the same run.
 */
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/hart.h"
#include "dev/aclint.h"
#include "dev/rtc.h"
#include "dev/uart16550.h"
#include "dev/virtio.h"
#include "dev/virtio_console.h"
#include "machine_priv.h"

/* Slice lengths, in instructions: from SLICE_MIN, less than twice that. */
#ifdef STRESS
enum { SLICE_MIN = 1, SLICE_SPREAD = 2 };
#else
enum { SLICE_MIN = 2000, SLICE_SPREAD = 2000 };
#endif

/* A lone hart has nobody to interleave with; it still stops to look for input. */
enum { SLICE_ALONE = 1 << 20, POLL_CYCLES = 1 << 20 };

enum { CPI_GUESS = 4 };

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
    uint64_t ticks = cycles_now(m) / CYCLES_PER_TICK;

    if (ticks > m->ticks_read)
        m->ticks_read = ticks;
    return m->ticks_read; /* no hart sees time go back, whatever another has read */
}

uint64_t schedule_look_at_ticks(void *machine, struct hart *h)
{
    const struct machine *m = machine;
    uint64_t ticks = hart_cycles(h) / CYCLES_PER_TICK;

    return aclint_mtime_at(m->aclint, ticks > m->ticks_read ? ticks : m->ticks_read);
}

uint64_t schedule_hart_ticks(void *machine, struct hart *h)
{
    struct machine *m = machine;
    uint64_t ticks = hart_cycles(h) / CYCLES_PER_TICK;

    if (ticks > m->ticks_read)
        m->ticks_read = ticks;
    return schedule_look_at_ticks(m, h);
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

static uint64_t to_cycles(uint64_t ticks)
{
    return ticks > UINT64_MAX / CYCLES_PER_TICK ? UINT64_MAX : ticks * CYCLES_PER_TICK;
}

/* The cycle at which some hart has waited long enough. */
static uint64_t next_wait_limit(const struct machine *m)
{
    uint64_t cycle = UINT64_MAX;

    for (unsigned i = 0; i < m->config.harts; i++)
        if (!m->slots[i].stopped && m->slots[i].waiting)
            cycle = least(cycle, hart_wait_limit(hart_of(m, i)));
    return cycle;
}

/* The time at which some hart has a timer of its own; UINT64_MAX: none has. */
static uint64_t next_timer(const struct machine *m)
{
    uint64_t time = UINT64_MAX;

    for (unsigned i = 0; i < m->config.harts; i++)
        if (!m->slots[i].stopped)
            time = least(time, least(m->slots[i].timer, m->slots[i].compare));
    return time;
}

/* The cycle at which some device or timer wants to act. */
static uint64_t next_deadline(const struct machine *m)
{
    uint64_t tick = least(aclint_next_deadline(m->aclint), rtc_next_deadline(m->rtc));

    for (unsigned slot = 0; slot < VIRTIO_SLOTS; slot++)
        tick = least(tick, virtio_next_deadline(m->virtio[slot]));
    tick = least(tick, aclint_deadline(m->aclint, next_timer(m)));
    return least(to_cycles(tick), next_wait_limit(m));
}

static void end_long_waits(struct machine *m)
{
    for (unsigned i = 0; i < m->config.harts; i++)
        if (hart_wait_limit(hart_of(m, i)) <= m->now)
            schedule_wake(m, i);
}

/* Lets everything that is due at m->now happen. */
static void fire_deadlines(struct machine *m)
{
    uint64_t tick = m->now / CYCLES_PER_TICK, time = aclint_mtime_at(m->aclint, tick);

    if (tick > m->ticks_read)
        m->ticks_read = tick;
    aclint_update(m->aclint);
    rtc_update(m->rtc);
    for (unsigned slot = 0; slot < VIRTIO_SLOTS; slot++)
        virtio_update(m->virtio[slot]);
    for (unsigned i = 0; i < m->config.harts; i++) {
        struct hart_slot *slot = &m->slots[i];

        if (slot->stopped)
            continue;
        if (slot->timer <= time) {
            slot->timer = UINT64_MAX;
            hart_set_irq(slot->hart, IRQ_STI, true);
            schedule_wake(m, i);
        }
        if (slot->compare <= time) {
            slot->compare = UINT64_MAX;
            hart_set_timer(slot->hart, true);
            schedule_wake(m, i);
        }
    }
    end_long_waits(m);
    m->due_known = false;
}

/* ---- waking and choosing ---- */

void schedule_cut(struct machine *m)
{
    m->cut = true;
    m->due_known = false;
    hart_ask_stop(machine_current(m));
}

void schedule_wake(struct machine *m, unsigned hart)
{
    struct hart_slot *slot = &m->slots[hart];

    if (slot->stopped || !slot->waiting)
        return;
    slot->waiting = false;
    m->turn.known = m->due_known = false;
    hart_advance(slot->hart, cycles_now(m));
    if (hart != m->current)
        schedule_cut(m); /* the slice was measured for fewer harts */
}

static struct turn choose(const struct machine *m)
{
    struct turn t = {.known = true, .next = UINT64_MAX};
    uint64_t first = UINT64_MAX;

    for (unsigned i = 0; i < m->config.harts; i++) {
        uint64_t cycles;

        if (m->slots[i].stopped || m->slots[i].waiting)
            continue;
        cycles = hart_cycles(hart_of(m, i));
        if (!t.runnable || cycles < first) {
            t.hart = i;
            t.next = first;
            first = cycles;
        } else {
            t.next = least(t.next, cycles);
        }
        t.runnable++;
    }
    return t;
}

static const struct turn *turn(struct machine *m)
{
    if (!m->turn.known)
        m->turn = choose(m);
    return &m->turn;
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
    return (struct moment){reason, machine_insns(m), cycles_now(m)};
}

/* Looks at the outside world: somebody may want to stop, or have typed. */
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

/* Time moves to the deadline, or as far as the console lets it. False: nobody will ever run. */
static bool sleep_until(struct machine *m, uint64_t deadline)
{
    const struct console *c = &m->config.console;
    const struct moment at = moment_of(m, POLL_IDLE);
    uint64_t cycle = deadline;

    /* What the guest has not taken yet did not wake it, and more cannot come in. */
    if (c->wait && (deadline != UINT64_MAX || wants_input(m)))
        cycle = input_wait(&m->input, c, &at, deadline);
    if (cycle == UINT64_MAX)
        return false;
    m->now = cycle;
    return true;
}

static bool anyone_runnable(struct machine *m)
{
    return turn(m)->runnable != 0;
}

/* Moves time on until somebody can run. False: every hart sleeps for ever. */
static bool pass_idle_time(struct machine *m)
{
    while (!anyone_runnable(m)) {
        uint64_t deadline;

        m->now = cycles_now(m); /* who fell asleep last may have been ahead */
        offer_input(m, POLL_IDLE);
        if (m->asked || anyone_runnable(m))
            return true;
        deadline = next_deadline(m);
        if (deadline > m->now && !sleep_until(m, deadline))
            return false;
        if (m->now >= deadline)
            fire_deadlines(m);
    }
    return true;
}

/* ---- the loop ---- */

static struct stop stop_because(const struct machine *m, enum stop_reason reason)
{
    return (struct stop){.reason = reason, .hart = machine_current(m)};
}

/* Picks the hart for a new slice and its length. False: nobody can ever run. */
static bool begin_slice(struct machine *m)
{
    if (!pass_idle_time(m))
        return false;
    m->current = turn(m)->hart;
    if (!anyone_runnable(m))
        return true; /* asked to stop while asleep */
    m->cut = false;  /* who woke meanwhile is counted */
    m->slice_left =
        turn(m)->runnable == 1 ? SLICE_ALONE : SLICE_MIN + rng_below(&m->rng, SLICE_SPREAD);
    hart_yield_from(machine_current(m), turn(m)->next);
    return true;
}

/*
 * Instructions that fit before a cycle: code that takes CPI_GUESS cycles an
 * instruction or less does not pass it, and comes to it in a few steps. A hart
 * that is past it already waits for the others, who get there after its slice.
 */
static uint64_t insns_until(const struct machine *m, uint64_t cycle)
{
    uint64_t now = hart_cycles(machine_current(m));

    return cycle > now ? (cycle - now) / CPI_GUESS + 1 : UINT64_MAX;
}

/* The machine's time, also between two looks at the clock. */
static uint64_t present(struct machine *m)
{
    uint64_t least_cycles = hart_cycles(hart_of(m, turn(m)->hart));

    return anyone_runnable(m) && least_cycles > m->now ? least_cycles : m->now;
}

/*
 * Every so often while harts run. Who waits is looked after elsewhere: so these
 * moments are the same whether or not somebody interrupted the run in between.
 */
static void look_outside(struct machine *m)
{
    if (m->now - m->polled_at < POLL_CYCLES || !anyone_runnable(m))
        return;
    m->polled_at = m->now;
    offer_input(m, POLL_CLOCK);
}

static void account_time(struct machine *m)
{
    m->now = present(m);
    /* Devices do not count what the running hart has passed already among the next ones. */
    if (m->due <= cycles_now(m) || (!m->due_known && next_deadline(m) <= m->now))
        fire_deadlines(m);
    look_outside(m);
}

/* A new slice, and a look at the clock before it. */
static void end_slice(struct machine *m)
{
    m->slice_left = m->portion_left = 0;
    m->cut = false;
}

/* So much of the current portion. True: the machine stops, as *stop says. */
static bool run_hart(struct machine *m, uint64_t insns, struct stop *stop)
{
    struct hart *h = machine_current(m);
    uint64_t before = hart_insns(h);
    enum hart_stop why = hart_run(h, insns);
    uint64_t done = hart_insns(h) - before;

    m->turn.known = false;
    m->slice_left -= least(done, m->slice_left);
    m->portion_left -= least(done, m->portion_left);
    switch (why) {
    case HART_BUDGET: break;
    case HART_WAITING:
        m->slots[m->current].waiting = true;
        m->due_known = false;
        end_slice(m);
        break;
    case HART_PAUSED: end_slice(m); break;
    case HART_ASKED: break; /* by us, or by somebody who only looks on */
    case HART_PROBE: *stop = stop_because(m, STOP_PROBE); return true;
    case HART_STUCK: *stop = stop_because(m, STOP_STUCK); return true;
    }
    if (m->slots[m->current].stopped)
        end_slice(m);
    return false;
}

/* The clock is looked at between portions and nowhere else, so a run may be cut anywhere. */
static uint64_t begin_portion(struct machine *m)
{
    if (!m->portion_left) {
        if (!m->due_known || m->due <= cycles_now(m))
            m->due = next_deadline(m);
        m->due_known = true;
        m->portion_left = least(m->slice_left, insns_until(m, m->due));
    }
    return m->portion_left;
}

static uint64_t insns_left(const struct machine *m, uint64_t max_insns)
{
    uint64_t done = machine_insns(m);

    return done < max_insns ? max_insns - done : 0;
}

struct stop machine_run(struct machine *m, uint64_t max_insns, uint64_t max_cycles)
{
    struct stop stop;
    uint64_t left;

    for (;;) {
        if (m->ended)
            return m->end;
        if (m->asked) {
            m->asked = false;
            return stop_because(m, STOP_ASKED);
        }
        if (m->portion_left == 0)
            account_time(m);
        if (m->cut)
            end_slice(m);
        if (m->slice_left == 0 && !begin_slice(m))
            return stop_because(m, STOP_ASLEEP);
        if (m->slice_left == 0)
            continue;
        left = max_insns == UINT64_MAX ? UINT64_MAX : insns_left(m, max_insns);
        if (!left)
            return stop_because(m, STOP_INSNS);
        if (present(m) >= max_cycles)
            return stop_because(m, STOP_CYCLES);
        left = least(left, insns_until(m, max_cycles));
        if (run_hart(m, least(begin_portion(m), left), &stop))
            return stop;
    }
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
    STATE_IO(io, slot->waiting);
    STATE_IO(io, slot->timer);
    STATE_IO(io, slot->compare);
}

static void turn_state_io(struct state_io *io, const struct machine *m, struct turn *t)
{
    STATE_IO(io, t->known);
    STATE_IO_BELOW(io, t->hart, m->config.harts);
    STATE_IO_BELOW(io, t->runnable, m->config.harts + 1);
    STATE_IO(io, t->next);
}

/* `hart` is known by its number. */
static void stop_state_io(struct state_io *io, const struct machine *m, struct stop *stop)
{
    unsigned hart = stop->hart ? hart_id(stop->hart) : 0;

    STATE_IO_BELOW(io, stop->reason, STOP_ASLEEP + 1);
    STATE_IO(io, stop->origin);
    STATE_IO(io, stop->code);
    STATE_IO_BELOW(io, hart, m->config.harts);
    stop->hart = hart_of(m, hart);
}

/* A wish to stop (`asked`) comes from outside, and is not part of the state. */
void schedule_state_io(struct state_io *io, struct machine *m)
{
    state_io_section(io, "schedule", 1);
    STATE_IO_SAME(io, m->config.harts);
    STATE_IO(io, m->rng.state);
    for (unsigned i = 0; i < m->config.harts; i++)
        slot_state_io(io, &m->slots[i]);
    STATE_IO_BELOW(io, m->current, m->config.harts);
    STATE_IO(io, m->slice_left);
    STATE_IO(io, m->portion_left);
    STATE_IO(io, m->due);
    STATE_IO(io, m->due_known);
    turn_state_io(io, m, &m->turn);
    STATE_IO(io, m->now);
    STATE_IO(io, m->ticks_read);
    STATE_IO(io, m->polled_at);
    STATE_IO(io, m->cut);
    STATE_IO(io, m->ended);
    stop_state_io(io, m, &m->end);
}
