/*
 * world.h - a machine for one input: four MiB if not less, a console that takes
 * note of what it is given and says what the input says, nothing on disk.
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
#include "machine.h"

#define WORLD_RAM UINT64_C(0x80000000)

enum { WORLD_BYTES = 4 << 20, WORLD_WAITS_MAX = 1000 };

struct world {
    struct machine *m;
    struct input typed;  /* what the console says */
    uint64_t shown_hash; /* of what it was given */
    unsigned waits;
};

static inline void world_show(void *world, const uint8_t *bytes, size_t len)
{
    struct world *w = world;

    for (size_t i = 0; i < len; i++) /* each byte is read: the sanitizer looks on */
        w->shown_hash = (w->shown_hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static inline int world_typed(void *world, const struct moment *at)
{
    struct world *w = world;

    (void)at;
    return w->typed.left ? input_byte(&w->typed) : -1;
}

/* A guest that sleeps is woken by its timer or by nobody. */
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
    config.console = (struct console){world_show, world_typed, world_wait, world_interrupted, w};
    CHECK(machine_new(&config, &silent, &w->m) == EXIT_PASS);
}

static inline struct hart *world_hart(const struct world *w, unsigned id)
{
    return cluster_hart(machine_cluster(w->m), id);
}

#endif
