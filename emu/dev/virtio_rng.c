/*
 * virtio_rng.c - see virtio_rng.h.
 */
#include "dev/virtio_rng.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/state_io.h"

enum { RNG_ID = 4, QUEUES = 1, CHUNK_WORDS = 32 };

/* A larger request is answered in part, which the specification permits. */
enum { BYTES_MAX = VIRTIO_PIECE_BYTES };

/* Serves a request in one piece. */
static bool serve(void *rng, struct virtio *v, unsigned queue, struct virtio_job *job)
{
    uint64_t words[CHUNK_WORDS];
    size_t moved = sizeof words;

    while (moved == sizeof words && job->done < job->chain.writable_bytes &&
           job->done < BYTES_MAX) {
        for (unsigned n = 0; n < CHUNK_WORDS; n++)
            words[n] = rng_next(rng);
        moved = virtio_write(v, &job->chain, job->done, words, sizeof words);
        job->done += moved;
    }
    virtio_give_back(v, queue, &job->chain, (uint32_t)job->done);
    return true;
}

static void notified(void *rng, struct virtio *v, unsigned queue)
{
    (void)rng;
    virtio_serve(v, queue);
}

static void rng_state_io(void *ctx, struct virtio *v, struct state_io *io)
{
    struct rng *rng = ctx;

    (void)v;
    state_io_section(io, "virtio-rng", 1);
    STATE_IO(io, rng->state);
}

struct virtio_kind virtio_rng(uint64_t seed)
{
    struct rng *rng = xcalloc(1, sizeof *rng);

    rng->state = seed;
    return (struct virtio_kind){.id = RNG_ID,
                                .queue_count = QUEUES,
                                .ctx = rng,
                                .notified = notified,
                                .serve = serve,
                                .free = free,
                                .state_io = rng_state_io};
}
