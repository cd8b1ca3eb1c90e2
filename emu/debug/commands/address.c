/*
 * address.c - see address.h.
 */
#include "debug/commands/address.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cluster.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "load/line_rows.h"
#include "load/lines.h"

void print_place(const struct debugger *d, uint64_t address)
{
    char name[NAME_MAX_LEN];

    place_name(&d->guest, address, name, sizeof name);
    fprintf(d->out, "0x%016" PRIx64, address);
    if (name[0])
        fprintf(d->out, " <%s>", name);
}

/* ---- sources ---- */

static bool line_at(const struct debugger *d, uint64_t address, struct line_place *place)
{
    struct line_row row;

    if (d->call.shown && d->call.pc == address && selected_pc(d) == address) {
        *place = (struct line_place){.file = d->call.file, .line = d->call.line};
        return true;
    }
    if (!line_row_at(d->config.lines, place_canonical(&d->guest, address), &row))
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

/* ---- memory ---- */

bool selected_read(const struct debugger *d, uint64_t va, void *to, unsigned len)
{
    return place_read(&d->guest, d->selected, va, to, len);
}

bool selected_physical(const struct debugger *d, uint64_t va, uint64_t *pa)
{
    return place_physical(&d->guest, d->selected, va, pa);
}

bool selected_word(const struct debugger *d, uint64_t va, uint32_t *word)
{
    return place_word(&d->guest, d->selected, va, word);
}
