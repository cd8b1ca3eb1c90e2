/*
 * input.c - see input.h.
 */
#include "machine/input.h"

#include "base/state_io.h"

void input_log_free(struct input_log *l)
{
    VEC_FREE(&l->answers);
}

static void keep(struct input_log *l, enum input_kind kind, const struct moment *at, uint64_t value)
{
    if (!l->on)
        return;
    VEC_PUSH(&l->answers, ((struct input_answer){kind, *at, value}));
    l->next = l->answers.len;
}

/* The next answer to be repeated; NULL: the console is called. */
static const struct input_answer *due(const struct input_log *l)
{
    return l->next < l->answers.len ? &l->answers.at[l->next] : NULL;
}

static bool is_at(const struct input_answer *a, const struct moment *at)
{
    return a->at.reason == at->reason && a->at.insns == at->insns && a->at.cycles == at->cycles;
}

/*
 * Whether the run has passed the answer's moment without calling the console: then it differs from
 * the run that was recorded (compare recording/replay.c).
 */
static bool is_past(const struct input_answer *a, const struct moment *at)
{
    if (at->insns != a->at.insns)
        return at->insns > a->at.insns;
    return at->reason == POLL_IDLE && a->at.reason == POLL_IDLE && at->cycles > a->at.cycles;
}

static void look_for_another_run(struct input_log *l, const struct moment *at)
{
    while (due(l) && due(l)->kind == INPUT_WAIT && (l->strayed || is_past(due(l), at)))
        l->next++;
    l->strayed = due(l) && (l->strayed || is_past(due(l), at));
}

/* Whether the run that is repeated had an answer for this moment, which is in the log or was none.
 */
static bool is_known(const struct input_log *l, const struct moment *at)
{
    return at->insns < l->known_insns ||
           (at->insns == l->known_insns && at->cycles < l->known_cycles);
}

static int get(struct input_log *l, const struct console *c, const struct moment *at)
{
    int byte;

    look_for_another_run(l, at);
    if (due(l)) {
        struct input_answer *a = &l->answers.at[l->next];

        if (a->kind != INPUT_BYTE || !(l->strayed || is_at(a, at)))
            return -1;
        a->at = *at;
        l->next++;
        return (int)a->value;
    }
    if (is_known(l, at))
        return -1;
    byte = c->get(c->ctx, at);
    if (byte >= 0)
        keep(l, INPUT_BYTE, at, (uint64_t)byte);
    return byte;
}

int input_get(struct input_log *l, const struct console *c, const struct moment *at)
{
    int byte = get(l, c, at);

    l->taken += byte >= 0;
    return byte;
}

/* Repeats a wait. Without a deadline only input can end it, which came in the earlier run. */
static uint64_t wait_again(struct input_log *l, const struct moment *at, uint64_t until)
{
    const struct input_answer *a = due(l);

    if (a->kind == INPUT_WAIT && is_at(a, at)) {
        l->next++;
        return a->value;
    }
    if (until != UINT64_MAX)
        return until;
    l->strayed = true;
    return at->cycles;
}

uint64_t input_wait(struct input_log *l, const struct console *c, const struct moment *at,
                    uint64_t until)
{
    uint64_t cycle;

    look_for_another_run(l, at);
    if (due(l))
        return wait_again(l, at, until);
    if (is_known(l, at) && until != UINT64_MAX)
        return until;
    cycle = c->wait(c->ctx, at, until);
    if (cycle != until)
        keep(l, INPUT_WAIT, at, cycle);
    return cycle;
}

void input_state_io(struct state_io *io, struct input_log *l)
{
    if (io->in_file) {
        if (io->loading) { /* what comes now is new */
            l->next = l->answers.len;
            l->strayed = false;
        }
        return;
    }
    state_io_section(io, "input", 1);
    STATE_IO_BELOW(io, l->next, l->answers.len + 1);
    STATE_IO(io, l->strayed);
}
