/*
 * place.c - see place.h.
 */
#include "debug/frames/place.h"

#include <stdio.h>

#include "debug/frames/guest.h"
#include "debug/target/target.h"
#include "load/symbols.h"

/* ---- names ---- */

uint64_t place_canonical(const struct guest *g, uint64_t address)
{
    uint64_t va;

    if (symbols_at(g->symbols, address, NULL) || !target_image_address(g->target, address, &va))
        return address;
    return va;
}

void place_name(const struct guest *g, uint64_t address, char *text, size_t size)
{
    symbols_text_at(g->symbols, place_canonical(g, address), text, size);
}

static void name_for_disasm(void *ctx, uint64_t address, char *text, size_t size)
{
    place_name(ctx, address, text, size);
}

struct disasm_names place_names(const struct guest *g)
{
    return (struct disasm_names){name_for_disasm, (struct guest *)g};
}

bool place_function(const struct guest *g, uint64_t address, uint64_t *start, uint64_t *end)
{
    uint64_t va = place_canonical(g, address);

    if (!symbols_bounds(g->symbols, va, start, end))
        return false;
    *start += address - va;
    *end += address - va;
    return true;
}

/* ---- memory ---- */

bool place_read(const struct guest *g, unsigned hart, uint64_t va, void *to, unsigned len)
{
    return !target_read(g->target, hart, TARGET_BY_ANY, va, to, len);
}

bool place_physical(const struct guest *g, unsigned hart, uint64_t va, uint64_t *pa)
{
    return !target_locate(g->target, hart, TARGET_BY_ANY, va, pa);
}

bool place_word(const struct guest *g, unsigned hart, uint64_t va, uint32_t *word)
{
    return target_read_insn(g->target, hart, va, word);
}
