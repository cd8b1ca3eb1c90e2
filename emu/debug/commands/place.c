/*
 * place.c - addresses: their names, source lines and contents.
 *
 * Before the kernel has enabled translation, no hart can translate the addresses
 * of its symbols. The image gives their physical addresses, so names, memory and
 * breakpoints work from the first instruction (TARGET_BY_ANY).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/decode.h"
#include "debug/commands/debugger_priv.h"
#include "load/line_rows.h"
#include "load/lines.h"
#include "load/symbols.h"

/* ---- names ---- */

uint64_t place_canonical(const struct debugger *d, uint64_t address)
{
    uint64_t va;

    if (symbols_at(d->config.symbols, address, NULL) ||
        !target_image_address(d->target, address, &va))
        return address;
    return va;
}

void place_name(const struct debugger *d, uint64_t address, char *text, size_t size)
{
    uint64_t offset = 0;
    const char *name = symbols_name_at(d->config.symbols, place_canonical(d, address), &offset);

    if (!name)
        snprintf(text, size, "%s", "");
    else if (offset)
        snprintf(text, size, "%s+0x%" PRIx64, name, offset);
    else
        snprintf(text, size, "%s", name);
}

static void name_for_disasm(void *ctx, uint64_t address, char *text, size_t size)
{
    place_name(ctx, address, text, size);
}

struct disasm_names place_names(struct debugger *d)
{
    return (struct disasm_names){name_for_disasm, d};
}

void print_place(const struct debugger *d, uint64_t address)
{
    char name[NAME_MAX_LEN];

    place_name(d, address, name, sizeof name);
    fprintf(d->out, "0x%016" PRIx64, address);
    if (name[0])
        fprintf(d->out, " <%s>", name);
}

/* The function around one without a size, which is a label in it, as ftrace_call in ftrace_caller.
 */
static const struct symbol *around_label(const struct debugger *d, const struct symbol *label,
                                         uint64_t va)
{
    const struct symbol *s = label;

    while (s && !s->size && s->addr)
        s = symbols_function_at(d->config.symbols, s->addr - 1);
    return s && s->size && va - s->addr < s->size ? s : label;
}

/* Whether the address is in the function that begins at start. */
static bool is_within(const struct debugger *d, uint64_t start, uint64_t va)
{
    uint64_t offset;

    return symbols_name_at(d->config.symbols, va, &offset) && va - offset == start;
}

/* Of a module, or a program of BPF: only names are known, so the end is looked for. */
static bool named_function(const struct debugger *d, uint64_t va, uint64_t *start, uint64_t *end)
{
    enum { BYTES_MAX = 1 << 16 };
    uint64_t offset, low = va, high = va + BYTES_MAX;

    if (!symbols_name_at(d->config.symbols, va, &offset))
        return false;
    *start = va - offset;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (is_within(d, *start, middle))
            low = middle;
        else
            high = middle;
    }
    *end = high;
    return true;
}

bool place_function(const struct debugger *d, uint64_t address, uint64_t *start, uint64_t *end)
{
    uint64_t va = place_canonical(d, address);
    const struct symbol *s = symbols_function_at(d->config.symbols, va);

    s = around_label(d, s, va);
    if (!s)
        s = symbols_lookup(d->config.symbols, va);
    if (!s && !named_function(d, va, start, end))
        return false;
    *start = (s ? s->addr : *start) + (address - va);
    *end = (s ? s->end : *end) + (address - va);
    return true;
}

/* ---- sources ---- */

static bool line_at(const struct debugger *d, uint64_t address, struct line_place *place)
{
    struct line_row row;

    if (d->call.shown && d->call.pc == address && selected_pc(d) == address) {
        *place = (struct line_place){.file = d->call.file, .line = d->call.line};
        return true;
    }
    if (!line_row_at(d->config.lines, place_canonical(d, address), &row))
        return false;
    *place = (struct line_place){.file = row.file, .line = row.line};
    return true;
}

bool place_line(const struct debugger *d, uint64_t address, char *text, size_t size)
{
    struct line_place place;

    if (!line_at(d, address, &place))
        return false;
    snprintf(text, size, "%s:%u", place.file, place.line);
    return true;
}

void print_source(const struct debugger *d, uint64_t address)
{
    struct line_place place;
    char *line = NULL;
    size_t size = 0;
    ssize_t len = 0;
    FILE *f;

    if (!line_at(d, address, &place))
        return;
    f = fopen(place.file, "r");
    for (unsigned n = 0; f && n < place.line && len >= 0; n++)
        len = getline(&line, &size, f);
    if (f && len > 0)
        fprintf(d->out, "   %.*s\n", (int)strcspn(line, "\r\n"), line);
    free(line);
    if (f)
        fclose(f);
}

/* ---- memory ---- */

bool place_read(const struct debugger *d, uint64_t va, void *to, unsigned len)
{
    return !target_read(d->target, d->selected, TARGET_BY_ANY, va, to, len);
}

bool place_physical(const struct debugger *d, uint64_t va, uint64_t *pa)
{
    return !target_locate(d->target, d->selected, TARGET_BY_ANY, va, pa);
}

bool place_word(const struct debugger *d, uint64_t va, uint32_t *word)
{
    uint16_t low, high = 0;

    if (!place_read(d, va, &low, sizeof low))
        return false;
    if (insn_size(low) == 4 && !place_read(d, va + 2, &high, sizeof high))
        return false;
    *word = low | (uint32_t)high << 16;
    return true;
}

void complain_of_address(const struct debugger *d, enum target_error error, uint64_t address)
{
    switch (error) {
    case TARGET_ODD_ADDRESS:
        complain(d, "0x%" PRIx64 " is odd: expected an even instruction address", address);
        break;
    case TARGET_NOT_MAPPED:
        complain(d, "0x%" PRIx64 " is not mapped on any hart and not in RAM", address);
        break;
    case TARGET_BAD_SIZE:
        complain(d, "invalid size: expected 1 to %d bytes", TARGET_WATCH_MAX);
        break;
    case TARGET_NO_ROOM:
        complain(d, "too many probes at 0x%" PRIx64 ": the limit is %d", address,
                 PROBES_AT_ONE_PLACE);
        break;
    case TARGET_TOO_MANY:
        complain(d, "%d breakpoints and watchpoints are set, which is the limit: delete one",
                 TARGET_POINTS_MAX);
        break;
    default: complain(d, "0x%" PRIx64 " cannot be used", address); break;
    }
}

/* ---- registers ---- */

uint64_t selected_register(const struct debugger *d, unsigned number)
{
    uint64_t value = 0;

    (void)!target_get_register(d->target, d->selected, number, &value);
    return value;
}

uint64_t selected_pc(const struct debugger *d)
{
    return selected_register(d, TARGET_REG_PC);
}
