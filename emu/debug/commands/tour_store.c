/*
 * tour_store.c - see tour_store.h.
 */
#include "debug/commands/tour_store.h"

#include <inttypes.h>
#include <string.h>

#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "debug/commands/address.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"
#include "debug/frames/place.h"
#include "ftrace/sites/sites.h"

enum { COLUMN = 44 };

/* Prints the instruction at index `at` of the bytes; returns its size. */
static unsigned column(uint64_t va, const uint8_t *bytes, unsigned size, unsigned at,
                       char text[COLUMN + 1])
{
    struct disasm_names names = {NULL, NULL};
    char insn[DISASM_MAX], hex[16] = "";
    uint16_t low, high = 0;
    unsigned len;

    text[0] = '\0';
    if (at + 2 > size)
        return 0;
    memcpy(&low, bytes + at, sizeof low);
    len = insn_size(low) == 4 && at + 4 <= size ? 4 : 2;
    if (len == 4)
        memcpy(&high, bytes + at + 2, sizeof high);
    (void)disasm(va + at, low | (uint32_t)high << 16, &names, insn);
    for (char *c = insn; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    for (unsigned i = 0; i < len; i++)
        snprintf(hex + 3 * i, sizeof hex - 3 * i, "%02x ", bytes[at + i]);
    snprintf(text, COLUMN + 1, "%-12.12s %s%.27s", hex,
             len == 2 && !strcmp(insn, "nop") ? "c." : "", insn);
    return len;
}

void tour_print_insns(struct debugger *d, uint64_t va, const uint8_t *bytes, unsigned size)
{
    char text[COLUMN + 1];

    for (unsigned at = 0, len = 1; len && at < size; at += len) {
        len = column(va, bytes, size, at, text);
        fprintf(d->out, "    %s\n", text);
    }
}

static void print_columns(struct debugger *d, uint64_t va, const uint8_t *old, const uint8_t *new,
                          unsigned size)
{
    unsigned left = 0, right = 0;

    fprintf(d->out, "    %-*s %s\n", COLUMN, "old", "new");
    while (left < size || right < size) {
        char a[COLUMN + 1], b[COLUMN + 1];
        unsigned a_len = column(va, old, size, left, a), b_len = column(va, new, size, right, b);

        fprintf(d->out, "    %-*s %s\n", COLUMN, a, b);
        left += a_len;
        right += b_len;
    }
}

/*
 * Reads the bytes at [va, va + size) as they were before and after the store, which is in memory.
 */
static bool both_sides(const struct debugger *d, const struct code_write *w, uint64_t va,
                       uint64_t pa, unsigned size, uint8_t *old, uint8_t *new)
{
    if (!selected_read(d, va, new, size))
        return false;
    memcpy(old, new, size);
    for (unsigned i = 0; i < w->size; i++)
        if (w->pa + i >= pa && w->pa + i < pa + size)
            old[w->pa + i - pa] = w->old_bytes[i];
    return true;
}

bool tour_calls_function(const struct debugger *d, const struct site *s)
{
    uint8_t bytes[SITE_BYTES_MAX];
    uint64_t target = 0, start, end;

    return selected_read(d, s->va, bytes, s->size) &&
           site_state(sites_of(d), s, bytes, &target) == SITE_ON && target &&
           place_function(&d->guest, target, &start, &end) && start == target;
}

static void print_target(struct debugger *d, const struct site *s)
{
    uint8_t bytes[SITE_BYTES_MAX];
    uint64_t target = 0;
    char name[NAME_MAX_LEN];

    if (!tour_calls_function(d, s) || !selected_read(d, s->va, bytes, s->size))
        return;
    (void)site_state(sites_of(d), s, bytes, &target);
    place_name(&d->guest, target, name, sizeof name);
    fprintf(d->out, "    it calls %s\n", name);
}

void tour_print_store(struct debugger *d, const struct code_write *w, const struct site *s)
{
    uint8_t old[SITE_BYTES_MAX], new[SITE_BYTES_MAX];

    fprintf(d->out, "    by: ");
    print_writer(d, &w->who);
    fprintf(d->out, "\n");
    if (!both_sides(d, w, s->va, s->pa, s->size, old, new))
        return;
    print_columns(d, s->va, old, new, s->size);
    print_target(d, s);
}

void tour_print_ops_store(struct debugger *d, const struct code_write *w)
{
    uint64_t old = 0, new = 0;
    char was[NAME_MAX_LEN], is[NAME_MAX_LEN];

    memcpy(&old, w->old_bytes, w->size);
    memcpy(&new, w->new_bytes, w->size);
    place_name(&d->guest, old, was, sizeof was);
    place_name(&d->guest, new, is, sizeof is);
    fprintf(d->out, "    by: ");
    print_writer(d, &w->who);
    fprintf(d->out, "\n    old: 0x%" PRIx64 " <%s>\n    new: 0x%" PRIx64 " <%s>\n", old, was, new,
            is);
}
