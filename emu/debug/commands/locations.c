/*
 * locations.c - reads the places in code that commands take: FILE:LINE, LINE, +N, -N,
 * FILE:FUNCTION, FUNCTION, *ADDR, ADDR.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/lang/dwarf.h"
#include "load/line_rows.h"
#include "load/lines.h"

/* Reads "FILE:LINE"; a file's name has no space and no `:'. */
static bool read_file_line(const char **at, char file[NAME_MAX_LEN], unsigned *line)
{
    size_t len = strcspn(*at, ": \t");
    char *end;
    unsigned long value;

    if (!len || len >= NAME_MAX_LEN || (*at)[len] != ':' || !isdigit((unsigned char)(*at)[len + 1]))
        return false;
    value = strtoul(*at + len + 1, &end, 10);
    if (value > UINT32_MAX || (*end && !isspace((unsigned char)*end)))
        return false;
    memcpy(file, *at, len);
    file[len] = '\0';
    *line = (unsigned)value;
    *at = end + strspn(end, " \t");
    return true;
}

/* Reads a decimal number alone: a line of the file in which the selected hart is. */
static bool read_line(const struct debugger *d, const char **at, char file[NAME_MAX_LEN],
                      unsigned *line)
{
    size_t len = strspn(*at, "0123456789");
    struct line_place here;

    if (!len || len > 6 || ((*at)[len] && !isspace((unsigned char)(*at)[len])) ||
        !lines_at(d->config.lines, place_canonical(&d->guest, selected_pc(d)), &here) ||
        strlen(here.file) >= NAME_MAX_LEN)
        return false;
    *line = (unsigned)strtoul(*at, NULL, 10);
    strcpy(file, here.file);
    *at += len + strspn(*at + len, " \t");
    return true;
}

/* Reads +N and -N, counted from the present line. */
static bool read_offset(struct debugger *d, const char **at, char file[NAME_MAX_LEN],
                        unsigned *line)
{
    size_t len = strspn(*at + 1, "0123456789");
    struct line_place here;
    unsigned offset;

    if ((**at != '+' && **at != '-') || !len || len > 6 ||
        ((*at)[1 + len] && !isspace((unsigned char)(*at)[1 + len])) ||
        !lines_at(d->config.lines, place_canonical(&d->guest, selected_pc(d)), &here) ||
        strlen(here.file) >= NAME_MAX_LEN)
        return false;
    offset = (unsigned)strtoul(*at + 1, NULL, 10);
    *line = **at == '+' ? here.line + offset : here.line > offset ? here.line - offset : 1;
    strcpy(file, here.file);
    *at += 1 + len + strspn(*at + 1 + len, " \t");
    return true;
}

/*
 * Reads FILE:FUNCTION. False: the text is none, and nothing is read; *failed: a message was
 * printed.
 */
static bool read_file_function(struct debugger *d, const char **at, uint64_t *address, bool *failed)
{
    size_t len = strcspn(*at, ": \t"), end;
    char file[NAME_MAX_LEN], name[NAME_MAX_LEN];
    struct debug_symbol s;
    const char *after = *at + len + 1;
    bool known;

    *failed = false;
    if (!len || len >= sizeof file || (*at)[len] != ':' || *after == ':' || !strchr(*at, '.'))
        return false;
    end = strcspn(after, " \t");
    snprintf(file, sizeof file, "%.*s", (int)len, *at);
    snprintf(name, sizeof name, "%.*s", (int)end, after);
    if (debug_find_in(d->info, file, name, &s, &known) && s.class == DEBUG_FUNCTION) {
        *address = s.address;
    } else if (known || strchr(file, '.')) {
        complain(d,
                 known ? "Function \"%s\" not defined in \"%s\"." : "No source file named %.0s%s.",
                 name, file);
        *failed = true;
    } else {
        return false;
    }
    *at = after + end + strspn(after + end, " \t");
    return true;
}

static bool find_line(struct debugger *d, const char *file, unsigned line,
                      uint64_t places[PLACES_MAX], size_t *count)
{
    unsigned wanted = line;

    *count = line_rows_find(d->config.lines, file, &line, places, PLACES_MAX);
    if (*count)
        return true;
    if (line_rows_has_file(d->config.lines, file))
        complain(d, "no line %u or after it has code in %s", wanted, file);
    else
        complain(d, "no source file named %s", file);
    return false;
}

static bool check_address(const struct debugger *d, uint64_t address)
{
    uint64_t pa;

    if (address & 1)
        complain_of_address(d, TARGET_ODD_ADDRESS, address);
    else if (!selected_physical(d, address, &pa))
        complain_of_address(d, TARGET_NOT_MAPPED, address);
    else
        return true;
    return false;
}

bool arg_places(struct debugger *d, const char **at, uint64_t places[PLACES_MAX], size_t *count)
{
    char file[NAME_MAX_LEN];
    unsigned line;
    bool failed;

    if (read_file_line(at, file, &line) || read_line(d, at, file, &line) ||
        read_offset(d, at, file, &line))
        return find_line(d, file, line, places, count);
    *count = 1;
    if (read_file_function(d, at, &places[0], &failed))
        return !failed && check_address(d, places[0]);
    *at += **at == '*'; /* *ADDR is the address itself here, as gdb has it */
    return arg_value(d, at, "a location", &places[0]) && check_address(d, places[0]);
}
