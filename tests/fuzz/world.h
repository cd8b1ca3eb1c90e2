/*
 * world.h - a machine for one input: at most four MiB, a console that hashes its
 * output and takes its input from the fuzzer's, no files.
 */
#ifndef TESTS_FUZZ_WORLD_H
#define TESTS_FUZZ_WORLD_H

#include <stdbool.h>

#include "base/diag.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/scratch.h"
#include "machine/machine.h"

#define WORLD_RAM UINT64_C(0x80000000)

enum { WORLD_BYTES = 4 << 20, WORLD_WAITS_MAX = 1000 };

struct world {
    struct machine *m;
    struct input typed;  /* the console's input */
    uint64_t shown_hash; /* of the console's output */
    unsigned waits;
};

static inline void world_show(void *world, const uint8_t *bytes, size_t len)
{
    struct world *w = world;

    for (size_t i = 0; i < len; i++) /* each byte is read: for the sanitizer */
        w->shown_hash = (w->shown_hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static inline int world_typed(void *world, const struct moment *at)
{
    struct world *w = world;

    (void)at;
    return w->typed.left ? input_byte(&w->typed) : -1;
}

/* Only its timer wakes a guest that waits. */
static inline uint64_t world_wait(void *world, const struct moment *at, uint64_t until)
{
    (void)world;
    (void)at;
    return until;
}

static inline bool world_interrupted(void *world, const struct moment *at)
{
    struct world *w = world;

    (void)at;
    return ++w->waits == WORLD_WAITS_MAX;
}

static inline void world_new(struct world *w, const void *image, size_t size,
                             struct machine_config config)
{
    static const struct diag silent = {.quiet = true};

    config.image = scratch_file(SCRATCH_IMAGE, image, size);
    config.memory = config.memory ? config.memory : WORLD_BYTES;
    config.console = (struct console){.put = world_show,
                                      .get = world_typed,
                                      .wait = world_wait,
                                      .interrupted = world_interrupted,
                                      .ctx = w};
    CHECK(machine_new(&config, &silent, &w->m) == EXIT_PASS);
}

static inline struct hart *world_hart(const struct world *w, unsigned id)
{
    return cluster_hart(machine_cluster(w->m), id);
}

#endif
