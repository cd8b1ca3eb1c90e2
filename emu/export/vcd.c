/*
 * vcd.c - the states of the harts as a value change dump, for GTKWave: mode, task, depth of calls,
 * whether the hart may fetch stale code, and whether it patches code.
 *
 * A dump has one time, and the harts' clocks differ a little: changes are sorted by their cycle.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/export.h"
#include "log/log_state.h"

enum signal { SIGNAL_MODE, SIGNAL_PID, SIGNAL_DEPTH, SIGNAL_STALE, SIGNALS };

/* Values of SIGNAL_MODE. */
enum { MODE_STOPPED, MODE_IDLE, MODE_USER, MODE_KERNEL };

static const struct {
    const char *name;
    unsigned bits;
} signals[] = {[SIGNAL_MODE] = {"mode", 2},
               [SIGNAL_PID] = {"pid", 22},
               [SIGNAL_DEPTH] = {"depth", 10},
               [SIGNAL_STALE] = {"stale", 1}};

struct change {
    uint64_t cycle, order; /* order: among the changes of one cycle */
    uint32_t value;
    uint8_t hart, signal;
};

struct vcd {
    struct export_job *job;
    uint32_t now[LOG_HARTS_MAX][SIGNALS];
    bool user[LOG_HARTS_MAX], idle[LOG_HARTS_MAX];
    VEC_OF(struct change) changes;
};

static void set(struct vcd *v, uint64_t cycle, unsigned hart, enum signal signal, uint32_t value)
{
    value &= (UINT32_C(1) << signals[signal].bits) - 1;
    if (v->now[hart][signal] == value)
        return;
    v->now[hart][signal] = value;
    VEC_PUSH(&v->changes,
             ((struct change){cycle, v->changes.len, value, (uint8_t)hart, (uint8_t)signal}));
}

static void set_mode(struct vcd *v, const struct log_event *e)
{
    unsigned h = e->hart;

    set(v, e->cycle, h, SIGNAL_MODE, v->idle[h] ? MODE_IDLE : v->user[h] ? MODE_USER : MODE_KERNEL);
}

static void begin_stale(struct vcd *v, const struct log_event *e)
{
    const struct log_state *state = log_cursor_state(v->job->source->cursor);

    for (unsigned i = 0; i < state->harts; i++)
        if (state->hart[i].insns && !state->hart[i].stopped)
            set(v, state->hart[i].cycle > e->cycle ? state->hart[i].cycle : e->cycle, i,
                SIGNAL_STALE, 1);
}

static void take(struct vcd *v, const struct log_event *e)
{
    const struct log_task *t = log_task(v->job->log, e->task);

    switch (e->kind) {
    case LOG_CALL:
    case LOG_RETURN:
        v->user[e->hart] = false;
        set(v, e->cycle, e->hart, SIGNAL_DEPTH, e->call.depth + (e->kind == LOG_CALL));
        break;
    case LOG_TRAP: v->user[e->hart] = e->trap.to == 0; break;
    case LOG_TRAP_RETURN: v->user[e->hart] = e->trap_return.to == 0; break;
    case LOG_IDLE: v->idle[e->hart] = true; break;
    case LOG_WOKEN: v->idle[e->hart] = false; break;
    case LOG_STORE: begin_stale(v, e); break;
    case LOG_FENCE_I: set(v, e->cycle, e->hart, SIGNAL_STALE, 0); break;
    case LOG_HART_STOPPED: set(v, e->cycle, e->hart, SIGNAL_MODE, MODE_STOPPED); return;
    default: break;
    }
    set_mode(v, e);
    if (t && t->pid >= 0)
        set(v, e->cycle, e->hart, SIGNAL_PID, (uint32_t)t->pid);
}

static int by_cycle(const void *a, const void *b)
{
    const struct change *left = a, *right = b;

    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    return left->order < right->order ? -1 : 1;
}

/* A name of one or two printable letters. */
static void put_id(unsigned hart, unsigned signal, FILE *out)
{
    unsigned n = hart * SIGNALS + signal;

    fputc('!' + (int)(n % 90), out);
    if (n >= 90)
        fputc('!' + (int)(n / 90), out);
}

static void put_value(uint32_t value, unsigned hart, unsigned signal, FILE *out)
{
    if (signals[signal].bits == 1) {
        fputc(value ? '1' : '0', out);
    } else {
        fputc('b', out);
        for (unsigned bit = signals[signal].bits; bit-- > 0;)
            if (value >> bit || !bit)
                fputc(value >> bit & 1 ? '1' : '0', out);
        fputc(' ', out);
    }
    put_id(hart, signal, out);
    fputc('\n', out);
}

static void put_head(const struct vcd *v, FILE *out)
{
    unsigned harts = log_run(v->job->log)->harts;

    fputs("$version rvftrace $end\n$comment mode: 0 stopped, 1 idle, 2 user, 3 kernel $end\n"
          "$timescale 1 ns $end\n$scope module machine $end\n",
          out);
    for (unsigned hart = 0; hart < harts; hart++) {
        fprintf(out, "$scope module hart%u $end\n", hart);
        for (unsigned s = 0; s < SIGNALS; s++) {
            fprintf(out, "$var wire %u ", signals[s].bits);
            put_id(hart, s, out);
            fprintf(out, " %s $end\n", signals[s].name);
        }
        fputs("$upscope $end\n", out);
    }
    fputs("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n", out);
    for (unsigned hart = 0; hart < harts; hart++)
        for (unsigned s = 0; s < SIGNALS; s++)
            put_value(0, hart, s, out);
    fputs("$end\n", out);
}

void export_vcd(struct export_job *job)
{
    struct vcd v = {.job = job};
    struct log_event e;
    uint64_t time = 0;

    put_head(&v, job->out);
    while (source_next(job->source, &e))
        take(&v, &e);
    if (v.changes.len)
        qsort(v.changes.at, v.changes.len, sizeof *v.changes.at, by_cycle);
    for (size_t i = 0; i < v.changes.len; i++) {
        const struct change *c = &v.changes.at[i];

        if (c->cycle != time)
            fprintf(job->out, "#%" PRIu64 "\n", c->cycle);
        time = c->cycle;
        put_value(c->value, c->hart, c->signal, job->out);
    }
    VEC_FREE(&v.changes);
}
