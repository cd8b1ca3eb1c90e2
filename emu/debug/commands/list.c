/*
 * list.c - the command `list', and `info line' and `info source': source text and lines.
 */
#include "debug/commands/list.h"

#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/data.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/frames/place.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/sources.h"

/* Returns the number of lines to list. */
static unsigned list_lines(const struct debugger *d)
{
    return d->list_lines ? d->list_lines : LIST_LINES;
}

/* ---- the text of a file ---- */

/* Prints lines [first, last]; returns the last one that exists, 0: none of them does. */
static unsigned print_lines(struct debugger *d, FILE *file, unsigned first, unsigned last,
                            unsigned *count)
{
    char *line = NULL;
    size_t size = 0;
    unsigned n = 0, printed = 0;

    while (getline(&line, &size, file) >= 0) {
        n++;
        if (n < first || n > last)
            continue;
        fprintf(d->out, "%u\t%.*s\n", n, (int)strcspn(line, "\r\n"), line);
        printed = n;
    }
    free(line);
    *count = n;
    return printed;
}

void list_text(struct debugger *d, const struct source_file *f, unsigned line)
{
    FILE *file = source_open(d, f);
    unsigned count;

    if (!file) {
        source_tell_once(d, f);
        return;
    }
    (void)print_lines(d, file, line, line, &count);
    fclose(file);
}

static void show_lines(struct debugger *d, unsigned first, unsigned last)
{
    FILE *file = source_open(d, &d->listing.file);
    unsigned printed, count;

    if (!file) {
        source_complain(d, &d->listing.file);
        return;
    }
    printed = print_lines(d, file, first, last, &count);
    fclose(file);
    if (!printed) {
        complain(d, "Line number %u out of range; %s has %u lines.", first, d->listing.file.name,
                 count);
        return;
    }
    d->listing.first = first;
    d->listing.last = printed;
    d->listing.shown = true;
}

static void show_around(struct debugger *d, unsigned line)
{
    unsigned size = list_lines(d), before = (size + 1) / 2;
    unsigned first = line > before ? line - before : 1;

    show_lines(d, first, first + size - 1);
}

/* ---- places in the source ---- */

struct spot {
    bool given;
    struct source_file file;
    unsigned line;
};

void list_follow(struct debugger *d)
{
    struct source_range r;
    struct stack_frame f;

    d->listing.shown = d->listing.known = false;
    if (stack_frame(d, d->focus.hart, d->focus.frame, &f) && frame_line(&d->guest, &f, &r)) {
        d->listing.file = r.file;
        d->listing.first = d->listing.last = r.line;
        d->listing.known = true;
    }
}

void list_one(struct debugger *d)
{
    FILE *file = d->listing.known ? source_open(d, &d->listing.file) : NULL;
    unsigned count;

    if (!file)
        return;
    (void)print_lines(d, file, d->listing.last, d->listing.last, &count);
    fclose(file);
}

static bool need_file(struct debugger *d)
{
    if (!d->listing.known)
        list_follow(d);
    if (!d->listing.known)
        complain(d, "No symbol table is loaded, or no line is known here.");
    return d->listing.known;
}

/* Reads a line number up to a comma or the end. */
static bool take_line(const char **at, unsigned *line)
{
    size_t len = strspn(*at, "0123456789"), end = len + strspn(*at + len, " \t");

    if (!len || ((*at)[end] && (*at)[end] != ','))
        return false;
    *line = (unsigned)strtoul(*at, NULL, 10);
    *at += end;
    return true;
}

/* Reads FILE:LINE or FILE:FUNCTION. False: the text is neither, and nothing is read. */
static bool take_file(struct debugger *d, const char **at, struct spot *s, bool *failed)
{
    size_t len = strcspn(*at, ":, \t");
    char name[NAME_MAX_LEN];
    const char *after = *at + len + 1;

    if (!len || len >= sizeof name || (*at)[len] != ':' || *after == ':')
        return false;
    snprintf(name, sizeof name, "%.*s", (int)len, *at);
    if (!sources_find(d->info, name, &s->file)) {
        complain(d, "No source file named %s.", name);
        *failed = true;
        return true;
    }
    if (take_line(&after, &s->line)) {
        *at = after;
        return true;
    }
    len = strcspn(after, ", \t");
    snprintf(name, sizeof name, "%.*s", (int)len, after);
    *at = after + len + strspn(after + len, " \t");
    if (!sources_declared(d->info, name, &s->file, &s->line)) {
        complain(d, "Function \"%s\" not defined in \"%s\".", name, s->file.name);
        *failed = true;
    }
    return true;
}

/* Reads *ADDRESS. */
static bool take_address(struct debugger *d, const char **at, struct spot *s)
{
    struct source_range r;
    struct blocks b;
    uint64_t address;
    char name[NAME_MAX_LEN];

    ++*at;
    if (!arg_value(d, at, "an address", &address))
        return false;
    address = place_canonical(&d->guest, address);
    if (!sources_at(d->info, address, &r)) {
        complain(d, "No line is known for address 0x%" PRIx64 ".", address);
        return false;
    }
    place_name(&d->guest, address, name, sizeof name);
    name[strcspn(name, "+")] = '\0';
    if (debug_blocks(d->info, address, &b))
        fprintf(d->out, "0x%" PRIx64 " is in %s (%s:%u).\n", address,
                dwarf_diename(&b.at[debug_function_of(&b, 0)]), r.file.name, r.line);
    else
        fprintf(d->out, "0x%" PRIx64 " is at %s:%u.\n", address, r.file.name, r.line);
    s->file = r.file;
    s->line = r.line;
    return true;
}

static bool take_function(struct debugger *d, const char **at, struct spot *s)
{
    char name[NAME_MAX_LEN];
    size_t len = strcspn(*at, ", \t");

    snprintf(name, sizeof name, "%.*s", (int)len, *at);
    *at += len + strspn(*at + len, " \t");
    if (sources_declared(d->info, name, &s->file, &s->line))
        return true;
    complain(d, "Function \"%s\" not defined.", name);
    return false;
}

/* Reads +N and -N, which count from the last listed line. */
static bool take_offset(struct debugger *d, const char **at, struct spot *s)
{
    bool back = **at == '-';
    unsigned offset;

    ++*at;
    if (!need_file(d) || !take_line(at, &offset)) {
        complain(d, "expected a number of lines");
        return false;
    }
    s->file = d->listing.file;
    s->line =
        back ? d->listing.first > offset ? d->listing.first - offset : 1 : d->listing.last + offset;
    return true;
}

static bool take_spot(struct debugger *d, const char **at, struct spot *s)
{
    bool failed = false;

    *s = (struct spot){.given = **at && **at != ','};
    if (!s->given)
        return true;
    if (**at == '*')
        return take_address(d, at, s);
    if (**at == '+' || **at == '-')
        return take_offset(d, at, s);
    if (take_line(at, &s->line)) {
        if (!need_file(d))
            return false;
        s->file = d->listing.file;
        return true;
    }
    if (take_file(d, at, s, &failed))
        return !failed;
    return take_function(d, at, s);
}

/* ---- list ---- */

static void list_next(struct debugger *d)
{
    if (!need_file(d))
        return;
    if (d->listing.shown)
        show_lines(d, d->listing.last + 1, d->listing.last + list_lines(d));
    else
        show_around(d, d->listing.last);
}

static void list_back(struct debugger *d)
{
    unsigned first;

    if (!need_file(d))
        return;
    if (d->listing.shown && d->listing.first == 1) {
        complain(d, "Already at the start of %s.", d->listing.file.name);
        return;
    }
    first = d->listing.first > list_lines(d) ? d->listing.first - list_lines(d) : 1;
    show_lines(d, first, d->listing.first - 1);
}

static void list_range(struct debugger *d, const struct spot *from, const struct spot *to)
{
    unsigned first = from->line, last = to->line;

    if (!from->given && !to->given) {
        list_next(d);
        return;
    }
    if (!from->given)
        first = last >= list_lines(d) ? last - list_lines(d) + 1 : 1;
    if (!to->given)
        last = first + list_lines(d) - 1;
    d->listing.file = from->given ? from->file : to->file;
    d->listing.known = true;
    if (last < first)
        complain(d, "Second line number is before the first.");
    else
        show_lines(d, first, last);
}

void do_list(struct debugger *d, const char *args)
{
    struct spot from, to = {.given = false};
    bool range;

    if (!*args || d->repeated) {
        list_next(d);
        return;
    }
    if (!strcmp(args, "-")) {
        list_back(d);
        return;
    }
    if (!take_spot(d, &args, &from))
        return;
    range = *args == ',';
    if (range) {
        args += 1 + strspn(args + 1, " \t");
        if (*args == '+' && from.given) { /* +N counts from the first line */
            d->listing.file = from.file;
            d->listing.last = from.line;
            d->listing.known = true;
        }
        if (!take_spot(d, &args, &to))
            return;
    }
    if (!arg_end(d, args))
        return;
    if (range) {
        list_range(d, &from, &to);
        return;
    }
    d->listing.file = from.file;
    d->listing.known = true;
    show_around(d, from.line);
}

/* ---- search ---- */

/* Returns the number of the line that matches; 0: none. */
static unsigned find_line(FILE *file, const regex_t *wanted, unsigned from, bool back)
{
    char *line = NULL;
    size_t size = 0;
    unsigned n = 0, found = 0;

    while (getline(&line, &size, file) >= 0 && (back || !found)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (++n != 0 && (back ? n < from : n > from) && !regexec(wanted, line, 0, NULL, 0))
            found = n;
    }
    free(line);
    return found;
}

static void search_file(struct debugger *d, const regex_t *wanted, bool back)
{
    unsigned found, count, from = back ? d->listing.first : d->listing.last;
    FILE *file = source_open(d, &d->listing.file);

    if (!file) {
        source_complain(d, &d->listing.file);
        return;
    }
    found = find_line(file, wanted, from, back);
    rewind(file);
    if (found) {
        (void)print_lines(d, file, found, found, &count);
        set_variable(d, "_", found);
        d->listing.first = d->listing.last = found;
        d->listing.shown = false; /* `list' shows the lines around the match */
    } else {
        complain(d, "Expression not found");
    }
    fclose(file);
}

static void search(struct debugger *d, const char *args, bool back)
{
    regex_t wanted;

    if (regcomp(&wanted, args, REG_NOSUB)) {
        complain(d, "Invalid regexp: %s", args);
        return;
    }
    if (need_file(d))
        search_file(d, &wanted, back);
    regfree(&wanted);
}

void do_forward_search(struct debugger *d, const char *args)
{
    search(d, args, false);
}

void do_reverse_search(struct debugger *d, const char *args)
{
    search(d, args, true);
}

/* ---- info line, info source ---- */

/* Finds the code of a function, an address or a line. */
static bool range_of(struct debugger *d, const char *args, struct source_range *r, unsigned *wanted)
{
    struct spot s;
    uint64_t address;
    struct debug_symbol symbol;
    bool lines = isdigit((unsigned char)*args) || strchr(args, ':');

    if (!lines && *args != '*' && debug_find(d->info, 0, 0, args, &symbol) &&
        symbol.class == DEBUG_FUNCTION && symbol.fixed)
        return sources_at(d->info, symbol.address, r);
    if (*args == '*' || !lines) {
        args += *args == '*';
        if (!arg_value(d, &args, "an address", &address))
            return false;
        if (sources_at(d->info, place_canonical(&d->guest, address), r)) {
            r->start += address - place_canonical(&d->guest, address);
            r->end += address - place_canonical(&d->guest, address);
            return true;
        }
        fprintf(d->out, "No line number information available for address 0x%" PRIx64, address);
        print_address_name(d->language, d->out, address);
        fprintf(d->out, "\n");
        return false;
    }
    if (!take_spot(d, &args, &s))
        return false;
    *wanted = s.line;
    if (sources_line(d->info, &s.file, &s.line, r))
        return true;
    complain(d, "Line %u of \"%s\" has no code, and none after it.", *wanted, s.file.name);
    return false;
}

void info_line(struct debugger *d, const char *args)
{
    struct source_range r;
    struct value pc;
    unsigned wanted = 0;

    if (*args ? !range_of(d, args, &r, &wanted) : !sources_at(d->info, frame_code(d), &r))
        return;
    if (wanted && wanted != r.line)
        fprintf(d->out, "Line %u of \"%s\" is at address 0x%" PRIx64, wanted, r.file.name, r.start);
    else
        fprintf(d->out, "Line %u of \"%s\" starts at address 0x%" PRIx64, r.line, r.file.name,
                r.start);
    print_address_name(d->language, d->out, r.start);
    if (wanted && wanted != r.line) {
        fprintf(d->out, " but contains no code.\n");
    } else {
        fprintf(d->out, " and ends at 0x%" PRIx64, r.end);
        print_address_name(d->language, d->out, r.end);
        fprintf(d->out, ".\n");
    }
    pc = value_of_int(
        d->language,
        type_pointer_to(language_types(d->language), type_void(language_types(d->language))),
        r.start);
    (void)!variable_set(d->language, variable_number(d->language, "_"), pc);
    data_continue_at(d, r.start, 'i');
}

void info_source(struct debugger *d, const char *args)
{
    FILE *file;
    unsigned count;

    if (!arg_end(d, args) || !need_file(d))
        return;
    fprintf(d->out, "Current source file is %s\n", d->listing.file.name);
    if (d->listing.file.directory)
        fprintf(d->out, "Compilation directory is %s\n", d->listing.file.directory);
    file = source_open(d, &d->listing.file);
    if (!file)
        return;
    (void)print_lines(d, file, 0, 0, &count);
    fclose(file);
    fprintf(d->out, "Contains %u line%s.\n", count, count == 1 ? "" : "s");
    fprintf(d->out, "Source language is c.\n");
}
