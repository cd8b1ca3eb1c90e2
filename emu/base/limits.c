/*
 * limits.c - the limits of each build (mk/emu.mk): STRESS has small ones, DROP_CACHES drops caches.
 */
#include "base/limits.h"

#include <limits.h>

#ifdef STRESS
const struct limits limits = {
    .translations = 3,
    .store_walks = 2,
    .bare_span = 4 << 12,
    .jumps = 4,
    .blocks = 16,
    .block_insns = 3,
    .native_bytes = 1 << 14,
    .native_warmth = 2,
    .pipe_states = 16,
    .paths = 2,
    .store_states = 16,
    .stores_waiting = 3,
    .writes_kept = 16,
    .slice_min = 1,
    .slice_spread = 4,
};
#else
const struct limits limits = {
#ifdef DROP_CACHES
    .drops = true,
#endif
    .translations = UINT_MAX,
    .store_walks = 64,
    .bare_span = UINT64_C(1) << 40, /* all of memory */
    .jumps = UINT_MAX,
    .blocks = 1 << 17,
    .block_insns = 64,
    .native_bytes = 1 << 25,
    .native_warmth = 32,
    .pipe_states = 1 << 16,
    .paths = 24,
    .store_states = 1 << 15,
    .stores_waiting = 32,
    .writes_kept = 1024,
    .slice_min = 3000,
    .slice_spread = 3000,
};
#endif
