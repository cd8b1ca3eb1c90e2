/*
 * jump_table.c - see jump_table.h.
 */
#include "ftrace/kernel/jump_table.h"

#include <stddef.h>

#include "cpu/isa/decode.h"
#include "load/image.h"
#include "load/symbols.h"

/* Bits of an entry's key that say how its condition was written; the rest is an address. */
enum { KEY_BRANCH = 1, KEY_INIT = 2, KEY_FLAGS = KEY_BRANCH | KEY_INIT };

_Static_assert(sizeof(struct jump_entry) == JUMP_ENTRY_BYTES, "as Linux has it");

struct jump_place jump_entry_place(const struct jump_entry *e, uint64_t at)
{
    uint64_t key = at + offsetof(struct jump_entry, key) + (uint64_t)e->key;

    return (struct jump_place){.va = at + (uint64_t)(int64_t)e->code,
                               .key = key & ~(uint64_t)KEY_FLAGS,
                               .target = at + offsetof(struct jump_entry, target) +
                                         (uint64_t)(int64_t)e->target,
                               .entry = at,
                               .branch = key & KEY_BRANCH,
                               .init = key & KEY_INIT};
}

bool jump_insn_is_nop(uint32_t insn)
{
    return insn == 0x00000013;
}

bool jump_insn_is_jump(uint32_t insn)
{
    return (insn & 0xfff) == 0x06f;
}

bool jump_insn_fits(uint32_t insn, uint64_t va, uint64_t target)
{
    struct insn jump;

    if (!jump_insn_is_jump(insn))
        return jump_insn_is_nop(insn);
    return insn_decode(insn, &jump) && va + (uint64_t)(int64_t)jump.imm == target;
}

/* Finds the table; false: there is none. */
static bool find_table(const struct symbols *symbols, uint64_t *start, uint64_t *stop)
{
    return symbols_find(symbols, "__start___jump_table", start) &&
           symbols_find(symbols, "__stop___jump_table", stop) && *stop > *start;
}

size_t jump_table_length(const struct image *im, const struct symbols *symbols)
{
    uint64_t start, stop;

    if (!find_table(symbols, &start, &stop))
        return 0;
    if (stop - start > im->file.size)
        return im->file.size / JUMP_ENTRY_BYTES;
    return (stop - start) / JUMP_ENTRY_BYTES;
}

void jump_table_read(const struct image *im, const struct symbols *symbols,
                     void (*add)(void *ctx, const struct jump_place *place), void *ctx)
{
    uint64_t at, stop;
    struct jump_entry e;

    if (!find_table(symbols, &at, &stop))
        return;
    for (; at < stop && stop - at >= sizeof e && image_read(im, at, &e, sizeof e); at += sizeof e) {
        struct jump_place p = jump_entry_place(&e, at);

        if (p.va % 2 == 0 && image_is_text(im, p.va, JUMP_LABEL_BYTES) &&
            image_va_to_pa(im, p.va, &p.pa))
            add(ctx, &p);
    }
}
