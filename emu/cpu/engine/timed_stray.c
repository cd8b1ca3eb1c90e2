/*
 * timed_stray.c - the branches behind a jalr that a core fetches and predicts before it jumps.
 *
 * Which of the bytes there are branches is looked up by the bytes themselves, so a store to them
 * needs no notice.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/hart_priv.h"
#include "cpu/timed_priv.h"

static struct stray_code *stray_code(struct timed *t, uint64_t last)
{
    return &t->stray[last / 2 % STRAY_CODES];
}

/* `insn`: the first two bytes of an instruction. */
static bool is_branch(uint16_t insn)
{
    return (insn & 0x7f) == 0x63 || (insn & 0xc003) == 0xc001;
}

static bool always_jumps(uint16_t insn)
{
    return (insn & 0x7f) == 0x6f || (insn & 0xe003) == 0xa001;
}

/*
 * The number of branches that are fetched from pa on, before `end`, a jump that is always taken, or
 * the end of the page.
 */
static unsigned count_branches(const uint8_t *code, uint64_t pa, uint64_t end)
{
    unsigned count = 0;

    while (pa < end && pa % PAGE_BYTES) {
        uint16_t insn = (uint16_t)(code[0] | code[1] << 8);
        unsigned size = (insn & 3) == 3 ? 4 : 2;

        pa += size;
        code += size;
        if (pa > end || always_jumps(insn))
            break;
        count += is_branch(insn);
    }
    return count;
}

/*
 * The number of branches after the jalr that ends at `last`, in as many pieces. Remembers it, if
 * the bytes that can be branches are few, and in the page of the next one.
 */
static NOINLINE unsigned find_branches(struct hart *h, uint64_t last, unsigned pieces)
{
    const struct ram *ram = h->cluster->ram;
    uint64_t pa = last + 1, bytes = h->s.model->core->fetch_bytes;
    uint64_t end = align_down(last, bytes) + bytes * (pieces + 1);
    struct stray_code *code = stray_code(h->cache.timed, last);

    if (!ram_has(ram, pa, end - pa))
        return 0;
    *code = (struct stray_code){.last = last,
                                .pieces = pieces,
                                .branches = count_branches(ram_host(ram, pa), pa, end),
                                .at = ram_host(ram, pa)};
    if (end - pa > STRAY_BYTES || pa % PAGE_BYTES > PAGE_BYTES - STRAY_BYTES)
        code->last = 0;
    else
        memcpy(code->bytes, code->at, STRAY_BYTES);
    return code->branches;
}

void timed_stray(struct hart *h, uint64_t last, unsigned pieces)
{
    const struct stray_code *code = stray_code(h->cache.timed, last);
    struct predictor *p = &h->s.model->predictor;
    unsigned branches;

    if (LIKELY(code->last == last && code->pieces == pieces) &&
        LIKELY(!memcmp(code->bytes, code->at, STRAY_BYTES)))
        branches = code->branches;
    else
        branches = find_branches(h, last, pieces);
    while (branches-- && !predictor_stray_branch(p))
        ;
}
