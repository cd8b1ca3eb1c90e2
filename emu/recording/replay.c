/*
 * replay.c - see replay.h.
 *
 * The machine polls its console at moments that depend only on its own state and on the length of
 * its idle waits. So a byte is due when the moment is exactly the recorded one. If the moment has
 * passed, the run differs from the recorded one.
 */
#include "recording/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "recording/line_file.h"

static const struct line_format format = {.magic = RECORDING_MAGIC,
                                          .version = RECORDING_VERSION,
                                          .name = "a recording",
                                          .source = "a file written by --record",
                                          .made = "recorded",
                                          .remedy = "record the run again"};

struct input_line {
    struct recorded_input input;
    unsigned line; /* in the file */
};

struct replay {
    struct line_file file;
    struct console inner;
    VEC_OF(struct input_line) inputs;
    size_t next; /* of the inputs */
    struct recorded_end end;
    bool has_end;
    bool diverged; /* the run differs from the recorded one */
};

/* ---- the position in the recording ---- */

static const struct recorded_input *due(const struct replay *r)
{
    return r->next < r->inputs.len ? &r->inputs.at[r->next].input : NULL;
}

static bool is_at(const struct recorded_input *e, const struct moment *at)
{
    return e->at.reason == at->reason && e->at.insns == at->insns && e->at.cycles == at->cycles;
}

/* Outside of a wait cycles are not compared, because each hart has a clock of its own. */
static bool is_past(const struct recorded_input *e, const struct moment *at)
{
    if (e->at.insns != at->insns)
        return at->insns > e->at.insns;
    return at->reason == POLL_IDLE && e->at.reason == POLL_IDLE && at->cycles > e->at.cycles;
}

static bool is_stop_here(const struct replay *r, const struct moment *at)
{
    return !due(r) && r->has_end && !r->end.by_guest && at->insns >= r->end.insns &&
           (at->reason != POLL_IDLE || at->cycles >= r->end.cycles);
}

/* ---- the console ---- */

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    const struct replay *r = ctx;

    r->inner.put(r->inner.ctx, bytes, len);
}

static int get(void *ctx, const struct moment *at)
{
    struct replay *r = ctx;
    const struct recorded_input *e = due(r);

    if (!e)
        return r->has_end ? -1 : r->inner.get(r->inner.ctx, at);
    if (!is_at(e, at)) {
        r->diverged |= is_past(e, at);
        return -1;
    }
    r->next++;
    return e->byte;
}

/* A byte that is due at this moment was offered before the wait, and the guest did not take it. */
static uint64_t wait_for_byte(struct replay *r, const struct moment *at, uint64_t until)
{
    const struct recorded_input *e = due(r);
    bool here = e->at.reason == POLL_IDLE && e->at.insns == at->insns && e->at.cycles < until;

    if ((here && e->at.cycles <= at->cycles) || (!here && until == UINT64_MAX)) {
        r->diverged = true;
        return at->cycles;
    }
    return here ? e->at.cycles : until;
}

static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    struct replay *r = ctx;

    if (due(r))
        return wait_for_byte(r, at, until);
    if (!r->has_end)
        return r->inner.wait(r->inner.ctx, at, until);
    if (!r->end.by_guest && r->end.insns == at->insns && r->end.cycles < until)
        return r->end.cycles > at->cycles ? r->end.cycles : at->cycles;
    return until;
}

static bool interrupted(void *ctx, const struct moment *at)
{
    struct replay *r = ctx;

    r->diverged |= due(r) && is_past(due(r), at);
    return r->inner.interrupted(r->inner.ctx, at) || r->diverged || is_stop_here(r, at);
}

struct console replay_console(struct replay *r)
{
    return (struct console){.put = put,
                            .get = get,
                            .wait = wait_for_input,
                            .interrupted = interrupted,
                            .urgent = r->inner.urgent,
                            .ctx = r};
}

/* ---- the end ---- */

uint64_t replay_limit(const struct replay *r)
{
    return r->has_end && !r->end.by_guest ? r->end.insns : UINT64_MAX;
}

const struct recorded_end *replay_reached(const struct replay *r, uint64_t insns)
{
    return !due(r) && !r->diverged && insns >= replay_limit(r) ? &r->end : NULL;
}

static bool say_diverged(const struct replay *r, unsigned line, uint64_t insns)
{
    diag_error(r->file.diag,
               "%s:%u: the run differs from the recorded one at instruction %" PRIu64
               "; replay with the rvftrace that recorded it",
               r->file.path, line, insns);
    return false;
}

bool replay_is_true(const struct replay *r, const struct recorded_end *end)
{
    if (due(r) && (r->diverged || end->by_guest))
        return say_diverged(r, r->inputs.at[r->next].line, end->insns);
    if (end->by_guest && r->has_end && (end->insns != r->end.insns || end->cycles != r->end.cycles))
        return say_diverged(r, r->file.lines, end->insns);
    return true;
}

enum exit_status replay_check(const struct replay *r, const struct identity *i)
{
    return line_file_check(&r->file, i);
}

bool replay_is_of_restored(const struct replay *r)
{
    for (size_t i = 0; i < r->file.identity.len; i++)
        if (!strncmp(r->file.identity.at[i].text, IDENTITY_RESTORE, strlen(IDENTITY_RESTORE)))
            return true;
    return false;
}

void replay_skip(struct replay *r, uint64_t count)
{
    r->next = count < r->inputs.len ? (size_t)count : r->inputs.len;
}

/* ---- reading ---- */

static bool take_input(struct replay *r, const struct recorded_input *e)
{
    if (r->inputs.len && e->at.insns < r->inputs.at[r->inputs.len - 1].input.at.insns)
        return line_file_refuse(&r->file, "goes back in time");
    VEC_PUSH(&r->inputs, ((struct input_line){*e, r->file.lines}));
    return true;
}

static bool take_end(struct replay *r)
{
    r->has_end = true;
    if (r->inputs.len && r->end.insns < r->inputs.at[r->inputs.len - 1].input.at.insns)
        return line_file_refuse(&r->file, "goes back in time");
    return true;
}

static bool take_line(void *ctx, const char *line)
{
    struct replay *r = ctx;
    struct recorded_input e;

    if (r->has_end)
        return line_file_refuse(&r->file, "comes after the end");
    if (recording_read_input(line, &e))
        return take_input(r, &e);
    if (recording_read_end(line, &r->end))
        return take_end(r);
    return line_file_refuse(&r->file, "is not a line of a recording");
}

enum exit_status replay_new(const char *path, const struct console *inner, const struct diag *d,
                            struct replay **out)
{
    struct replay *r = xcalloc(1, sizeof *r);
    enum exit_status status;

    *r = (struct replay){
        .inner = *inner,
        .file = {.format = &format, .path = path, .diag = d, .take = take_line, .ctx = r}};
    status = line_file_read(&r->file);
    if (status != EXIT_PASS) {
        replay_free(r);
        r = NULL;
    }
    *out = r;
    return status;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    line_file_free(&r->file);
    VEC_FREE(&r->inputs);
    free(r);
}
