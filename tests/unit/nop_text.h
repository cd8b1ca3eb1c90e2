/*
 * nop_text.h - a world whose kernel is nops with names, for what listens to calls of the kernel's
 * functions.
 */
#ifndef TESTS_UNIT_NOP_TEXT_H
#define TESTS_UNIT_NOP_TEXT_H

#include "isa/world.h"
#include "machine/site_image.h"
#include "mem/bus.h"

/* One hart and the image, whose text gets nops up to `end`; *symbols has the image's names. */
static inline struct world world_with_nops(struct site_image *im, uint64_t end,
                                           struct symbols **symbols)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    const struct writer loader = {.kind = WRITER_LOADER};
    const struct diag silent = {.quiet = true};
    struct world w = world_with(&config, 1);

    for (uint64_t at = 0; at < end; at += 4)
        image_word(im, at, NOP);
    *symbols = image_symbols(im, &silent);
    assert_true(bus_write(w.bus, SITE_PA, im->bytes, TEXT_BYTES, &loader));
    return w;
}

#endif
