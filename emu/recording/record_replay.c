/*
 * record_replay.c - see record_replay.h.
 */
#include "recording/record_replay.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/identity.h"
#include "recording/record.h"
#include "recording/replay.h"

struct record_replay {
    const struct options *options;
    const struct diag *diag;
    struct console console;    /* the outermost */
    struct replay *replay;     /* NULL: no --replay */
    struct recorder *recorder; /* NULL: no --record */
};

enum exit_status record_replay_new(const struct options *o, const struct console *host,
                                   const struct diag *d, struct record_replay **out)
{
    struct record_replay *t = xcalloc(1, sizeof *t);
    enum exit_status status = EXIT_PASS;

    *t = (struct record_replay){.options = o, .diag = d, .console = *host};
    *out = t;
    if (o->replay)
        status = replay_new(o->replay, &t->console, d, &t->replay);
    if (t->replay)
        t->console = replay_console(t->replay);
    if (o->record) {
        t->recorder = recorder_new(o->record, &t->console, d);
        t->console = recorder_console(t->recorder);
    }
    return status;
}

void record_replay_free(struct record_replay *t)
{
    if (!t)
        return;
    recorder_free(t->recorder);
    replay_free(t->replay);
    free(t);
}

struct console record_replay_console(const struct record_replay *t)
{
    return t->console;
}

static enum exit_status identity_of(const struct record_replay *t, const struct options *o,
                                    uint64_t image_hash, enum firmware_kind firmware,
                                    struct identity *out)
{
    return identity_new(o, IDENTITY_OF_RECORDING, image_hash, firmware, t->diag, out);
}

/* The recording of a run from power-on is also that of the same run from a snapshot on. */
static enum exit_status begin_replay(struct record_replay *t, uint64_t image_hash,
                                     enum firmware_kind firmware)
{
    struct options o = *t->options;
    struct identity identity;
    enum exit_status status;

    if (!replay_is_of_restored(t->replay))
        o.restore = NULL;
    status = identity_of(t, &o, image_hash, firmware, &identity);
    if (status != EXIT_PASS)
        return status;
    status = replay_check(t->replay, &identity);
    identity_free(&identity);
    return status;
}

static enum exit_status begin_recording(struct record_replay *t, uint64_t image_hash,
                                        enum firmware_kind firmware)
{
    struct identity identity;
    enum exit_status status = identity_of(t, t->options, image_hash, firmware, &identity);

    if (status != EXIT_PASS)
        return status;
    status = recorder_begin(t->recorder, t->options->machine.image, &identity);
    identity_free(&identity);
    return status;
}

enum exit_status record_replay_begin(struct record_replay *t, uint64_t image_hash,
                                     enum firmware_kind firmware)
{
    enum exit_status status = t->replay ? begin_replay(t, image_hash, firmware) : EXIT_PASS;

    return status == EXIT_PASS && t->recorder ? begin_recording(t, image_hash, firmware) : status;
}

void record_replay_restored(struct record_replay *t, uint64_t input_count)
{
    if (t->replay && !replay_is_of_restored(t->replay))
        replay_skip(t->replay, input_count);
}

uint64_t record_replay_limit(const struct record_replay *t)
{
    return t->replay ? replay_limit(t->replay) : UINT64_MAX;
}

const struct recorded_end *record_replay_reached(const struct record_replay *t, uint64_t insns)
{
    return t->replay ? replay_reached(t->replay, insns) : NULL;
}

enum exit_status record_replay_end(struct record_replay *t, const struct recorded_end *end)
{
    if (t->recorder && !recorder_end(t->recorder, end))
        return EXIT_IO;
    return !t->replay || replay_is_true(t->replay, end) ? EXIT_PASS : EXIT_BAD_FILE;
}
