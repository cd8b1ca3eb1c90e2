/*
 * record_replay.c - see record_replay.h.
 */
#include "cli/record_replay.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/identity.h"
#include "cli/record.h"
#include "cli/replay.h"

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

enum exit_status record_replay_begin(struct record_replay *t, uint64_t image_hash,
                                     enum firmware_kind firmware)
{
    struct identity identity;
    enum exit_status status;

    if (!t->replay && !t->recorder)
        return EXIT_PASS;
    status = identity_new(t->options, image_hash, firmware, t->diag, &identity);
    if (status != EXIT_PASS)
        return status;
    if (t->replay)
        status = replay_check(t->replay, &identity);
    if (t->recorder && status == EXIT_PASS)
        status = recorder_begin(t->recorder, t->options->image, &identity);
    identity_free(&identity);
    return status;
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
