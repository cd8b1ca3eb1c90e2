/*
 * fuzz_recording.c - recordings, valid or not. An accepted one is replayed to a machine
 * that takes each byte, and to one that behaves differently.
 */
#include "fuzz/check.h"
#include "fuzz/scratch.h"
#include "recording/replay.h"

enum { WAITS_MAX = 200 };

static int no_input(void *ctx, const struct moment *at)
{
    (void)ctx;
    (void)at;
    return -1;
}

static uint64_t no_wait(void *ctx, const struct moment *at, uint64_t until)
{
    (void)ctx;
    (void)at;
    return until;
}

static bool no_wish(void *ctx, const struct moment *at)
{
    (void)ctx;
    (void)at;
    return false;
}

static void check_wait(const struct console *c, struct moment *at, uint64_t until)
{
    uint64_t cycle = c->wait(c->ctx, at, until);

    CHECK(cycle >= at->cycles && cycle <= until);
    at->cycles = cycle;
}

/* Waits at every instruction up to `insns`, and takes all input. */
static void play(struct replay *r, uint64_t step)
{
    const struct console c = replay_console(r);
    struct moment at = {.reason = POLL_IDLE};
    struct recorded_end end = {.by_guest = true};
    bool is_true;

    for (unsigned n = 0; n < WAITS_MAX && !c.interrupted(c.ctx, &at); n++) {
        while (c.get(c.ctx, &at) >= 0)
            ;
        check_wait(&c, &at, at.cycles + step);
        at.insns += n & 1;
    }
    end.insns = at.insns;
    end.cycles = at.cycles;
    is_true = replay_is_true(r, &end);
    (void)is_true; /* either is right */
    CHECK(!replay_reached(r, at.insns) || at.insns >= replay_limit(r));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct console inside = {.get = no_input, .wait = no_wait, .interrupted = no_wish};
    struct diag d = {.out = fopen("/dev/null", "w"), .program = "fuzz"};
    const char *path = scratch_file(SCRATCH_RECORDING, bytes, size);
    struct replay *r;

    for (uint64_t step = 1; step < 1 << 20; step *= 1000) {
        enum exit_status status = replay_new(path, &inside, &d, &r);

        CHECK(status == EXIT_PASS || (status == EXIT_BAD_FILE && !r));
        if (status == EXIT_PASS)
            play(r, step);
        replay_free(r);
    }
    fclose(d.out);
    return 0;
}
