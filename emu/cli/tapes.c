/*
 * tapes.c - see tapes.h.
 */
#include "cli/tapes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/identity.h"
#include "cli/record.h"
#include "cli/replay.h"

struct tapes {
    const struct options *options;
    const struct diag *diag;
    struct console console;    /* the outermost */
    struct replay *replay;     /* NULL: input is what the host has */
    struct recorder *recorder; /* NULL: nobody writes it down */
};

enum exit_status tapes_new(const struct options *o, const struct console *host,
                           const struct diag *d, struct tapes **out)
{
    struct tapes *t = xcalloc(1, sizeof *t);
    enum exit_status status = EXIT_PASS;

    *t = (struct tapes){.options = o, .diag = d, .console = *host};
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

void tapes_free(struct tapes *t)
{
    if (!t)
        return;
    recorder_free(t->recorder);
    replay_free(t->replay);
    free(t);
}

struct console tapes_console(const struct tapes *t)
{
    return t->console;
}

enum exit_status tapes_begin(struct tapes *t, uint64_t image_hash, enum firmware_kind firmware)
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

uint64_t tapes_limit(const struct tapes *t)
{
    return t->replay ? replay_limit(t->replay) : UINT64_MAX;
}

const struct recorded_end *tapes_reached(const struct tapes *t, uint64_t insns)
{
    return t->replay ? replay_reached(t->replay, insns) : NULL;
}

enum exit_status tapes_end(struct tapes *t, const struct recorded_end *end)
{
    if (t->recorder && !recorder_end(t->recorder, end))
        return EXIT_IO;
    return !t->replay || replay_is_true(t->replay, end) ? EXIT_PASS : EXIT_BAD_FILE;
}
