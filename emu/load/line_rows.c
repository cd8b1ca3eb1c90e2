/*
 * line_rows.c - see line_rows.h.
 */
#include "load/line_rows.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "load/lines_dwarf.h"

/* ---- rows ---- */

static uint64_t address_of(Dwarf_Lines *lines, size_t i)
{
    Dwarf_Addr addr = 0;

    (void)dwarf_lineaddr(dwarf_onesrcline(lines, i), &addr);
    return addr;
}

static unsigned line_of(Dwarf_Lines *lines, size_t i)
{
    int line = 0;

    return dwarf_lineno(dwarf_onesrcline(lines, i), &line) == 0 && line > 0 ? (unsigned)line : 0;
}

static const char *file_of(Dwarf_Lines *lines, size_t i)
{
    return dwarf_linesrc(dwarf_onesrcline(lines, i), NULL, NULL);
}

static bool begins_statement(Dwarf_Lines *lines, size_t i)
{
    bool begins = false;

    return dwarf_linebeginstatement(dwarf_onesrcline(lines, i), &begins) == 0 && begins;
}

static bool ends_sequence(Dwarf_Lines *lines, size_t i)
{
    bool ends = true;

    return dwarf_lineendsequence(dwarf_onesrcline(lines, i), &ends) != 0 || ends;
}

/* The number of rows at or before the address. */
static size_t rows_until(Dwarf_Lines *lines, size_t count, uint64_t addr)
{
    return PARTITION_POINT(i, count, address_of(lines, i) <= addr);
}

/* The best of several rows at one address: the last, or the last that begins a statement. */
static size_t best_of(Dwarf_Lines *lines, size_t i)
{
    uint64_t start = address_of(lines, i);

    for (size_t k = i + 1; k-- && address_of(lines, k) == start;)
        if (begins_statement(lines, k) && !ends_sequence(lines, k))
            return k;
    return i;
}

bool line_row_at(struct lines *l, uint64_t addr, struct line_row *row)
{
    Dwarf_Lines *lines;
    Dwarf_Die unit;
    size_t count, next, i;
    const char *file;

    if (!lines_dwarf(l) || !lines_unit(l, addr, &unit) ||
        dwarf_getsrclines(&unit, &lines, &count) != 0)
        return false;
    next = rows_until(lines, count, addr);
    if (!next || ends_sequence(lines, next - 1))
        return false;
    i = best_of(lines, next - 1);
    file = file_of(lines, i);
    if (!file || !line_of(lines, i))
        return false;
    *row = (struct line_row){.file = lines_shorten(file, &unit),
                             .line = line_of(lines, i),
                             .start = address_of(lines, i),
                             .end = next < count ? address_of(lines, next) : addr + 1,
                             .begins = begins_statement(lines, i)};
    return true;
}

uint64_t line_rows_entry(struct lines *l, uint64_t start, uint64_t end)
{
    enum { SITE_MAX = 16 }; /* bytes */
    struct line_row row;

    for (uint64_t at = start; at < end && at <= start + SITE_MAX; at += 2)
        if (line_row_at(l, at, &row))
            return at;
    return start;
}

/* The row with the address and those after it of the same line. */
static bool rows_of_line(struct lines *l, uint64_t addr, struct line_row *row)
{
    struct line_row next;

    if (!line_row_at(l, addr, row))
        return false;
    while (line_row_at(l, row->end, &next) && next.line == row->line && next.file == row->file)
        row->end = next.end;
    return true;
}

/* Two rows at the start of a function: its prologue has no instructions. */
static bool has_no_prologue(struct lines *l, uint64_t start)
{
    Dwarf_Lines *lines;
    Dwarf_Die unit;
    size_t count, first, next;
    unsigned discriminator = 0;

    if (!lines_unit(l, start, &unit) || dwarf_getsrclines(&unit, &lines, &count) != 0)
        return false;
    next = rows_until(lines, count, start);
    for (first = next; first && address_of(lines, first - 1) == start;)
        first--;
    while (first < next && !line_of(lines, first))
        first++;
    if (next < first + 2 || !line_of(lines, first + 1))
        return false;
    (void)dwarf_linediscriminator(dwarf_onesrcline(lines, first + 1), &discriminator);
    return line_of(lines, first) != line_of(lines, first + 1) || !discriminator;
}

static bool is_assembly(const char *file)
{
    size_t len = strlen(file);

    return len > 2 && (!strcmp(file + len - 2, ".S") || !strcmp(file + len - 2, ".s"));
}

uint64_t line_rows_body(struct lines *l, uint64_t start, uint64_t end)
{
    struct line_row row, next;

    if (!rows_of_line(l, start, &row) || row.end >= end)
        return start;
    if (!is_assembly(row.file) && has_no_prologue(l, start))
        return start;
    while (row.end < end && rows_of_line(l, row.end, &next) && next.line < row.line &&
           next.file == row.file)
        row = next;
    return row.end < end ? row.end : start;
}

/* ---- inlined functions ---- */

unsigned line_rows_inlined(struct lines *l, uint64_t addr, uint64_t inlined[INLINED_MAX])
{
    Dwarf_Die unit, *scopes = NULL;
    unsigned found = 0;
    int count = 0;

    if (lines_dwarf(l) && lines_unit(l, addr, &unit))
        count = lines_scopes(&unit, addr, &scopes);
    while (count-- > 0 && found < INLINED_MAX)
        if (dwarf_tag(&scopes[count]) == DW_TAG_inlined_subroutine)
            inlined[found++] = dwarf_dieoffset(&scopes[count]);
    free(scopes);
    return found;
}

static bool is_entered_at(Dwarf_Die *inlined, uint64_t addr)
{
    Dwarf_Addr base, entry, end;

    if (dwarf_entrypc(inlined, &entry) == 0)
        return entry == addr;
    return dwarf_ranges(inlined, 0, &base, &entry, &end) > 0 && entry == addr;
}

bool line_rows_call(struct lines *l, uint64_t addr, unsigned depth, struct line_row *row)
{
    Dwarf_Die unit, *scopes = NULL;
    struct line_row call = {.line = 0};
    bool found = false;
    int count = 0;

    if (lines_dwarf(l) && lines_unit(l, addr, &unit))
        count = lines_scopes(&unit, addr, &scopes);
    while (count-- > 0)
        if (dwarf_tag(&scopes[count]) == DW_TAG_inlined_subroutine && !depth--) {
            found = is_entered_at(&scopes[count], addr) &&
                    lines_call(&unit, &scopes[count], &call.file, &call.line);
            break;
        }
    free(scopes);
    if (found)
        *row = call;
    return found;
}

/* The innermost function at the address, inlined or not; 0: not known. */
static uint64_t function_at(Dwarf_Die *unit, uint64_t addr)
{
    Dwarf_Die *scopes;
    int count = lines_scopes(unit, addr, &scopes);
    uint64_t found = 0;

    for (int i = 0; i < count && !found; i++) {
        int tag = dwarf_tag(&scopes[i]);

        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram)
            found = dwarf_dieoffset(&scopes[i]);
    }
    free(scopes);
    return found;
}

/* ---- from a line to addresses ---- */

/* Whether `name` is `file`, or the end of it after a `/'. */
static bool names_file(const char *file, const char *name)
{
    size_t have = strlen(file), want = strlen(name);

    return have >= want && !strcmp(file + have - want, name) &&
           (have == want || file[have - want - 1] == '/');
}

struct place {
    uint64_t addr, function;
};

typedef VEC_OF(struct place) place_list;

struct search {
    const char *file;
    unsigned line; /* wanted; then that of the places, or 0 */
    unsigned found_line;
    place_list places;
};

static void note_place(struct search *s, Dwarf_Die *unit, unsigned line, uint64_t addr)
{
    struct place p = {.addr = addr};

    if (s->found_line && line > s->found_line)
        return;
    if (line < s->found_line)
        s->places.len = 0;
    s->found_line = line;
    p.function = function_at(unit, addr);
    for (size_t i = 0; i < s->places.len; i++)
        if (s->places.at[i].function == p.function) {
            if (addr < s->places.at[i].addr)
                s->places.at[i].addr = addr;
            return;
        }
    VEC_PUSH(&s->places, p);
}

static void search_rows(struct search *s, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t count;

    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        unsigned line = line_of(lines, i);
        const char *file = line >= s->line ? file_of(lines, i) : NULL;

        if (file && address_of(lines, i) && !ends_sequence(lines, i) &&
            begins_statement(lines, i) && names_file(file, s->file))
            note_place(s, unit, line, address_of(lines, i));
    }
}

static bool has_file(Dwarf_Die *unit, const char *name)
{
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(unit, &files, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *file = dwarf_filesrc(files, i, NULL, NULL);

        if (file && names_file(file, name))
            return true;
    }
    return false;
}

static bool is_named_after(Dwarf_Die *unit, const char *name)
{
    const char *source = dwarf_diename(unit);

    return source && names_file(source, name);
}

/*
 * Calls back for the units that have code of the file: if some are compiled from it, only those
 * (to read the file lists of all takes seconds for Linux). Ends when the callback returns false.
 */
static void for_each_unit(Dwarf *dwarf, const char *name,
                          bool (*visit)(struct search *s, Dwarf_Die *unit), struct search *s)
{
    Dwarf_Die unit;
    bool found = false;

    for (int all = 0; all < 2 && !found; all++)
        for (Dwarf_CU *cu = NULL; dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0;) {
            if (all ? !has_file(&unit, name) : !is_named_after(&unit, name))
                continue;
            found = true;
            if (!visit(s, &unit))
                return;
        }
}

static bool visit_rows(struct search *s, Dwarf_Die *unit)
{
    search_rows(s, unit);
    return true;
}

static bool note_file(struct search *s, Dwarf_Die *unit)
{
    (void)unit;
    s->found_line = 1;
    return false;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return (a->addr > b->addr) - (a->addr < b->addr);
}

size_t line_rows_find(struct lines *l, const char *file, unsigned *line, uint64_t *addresses,
                      size_t max)
{
    struct search s = {.file = file, .line = *line};
    size_t count;

    if (lines_dwarf(l))
        for_each_unit(lines_dwarf(l), file, visit_rows, &s);
    if (s.places.len)
        qsort(s.places.at, s.places.len, sizeof *s.places.at, compare_places);
    count = s.places.len < max ? s.places.len : max;
    for (size_t i = 0; i < count; i++)
        addresses[i] = s.places.at[i].addr;
    if (count)
        *line = s.found_line;
    VEC_FREE(&s.places);
    return count;
}

bool line_rows_has_file(struct lines *l, const char *file)
{
    struct search s = {.file = file};

    if (lines_dwarf(l))
        for_each_unit(lines_dwarf(l), file, note_file, &s);
    return s.found_line != 0;
}
