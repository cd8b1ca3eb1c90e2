/*
 * sources.c - source files and lines out of DWARF.
 */
#include "debug/lang/sources.h"

#include <dwarf.h>
#include <string.h>

#include "debug/lang/dwarf.h"
#include "load/lines_dwarf.h"

static const char *directory_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attr;

    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

/*
 * Returns the file with its name as in the debug information, which is mostly relative; libdw makes
 * it absolute.
 */
struct source_file sources_file(Dwarf_Die *unit, const char *name)
{
    struct source_file f = {name, directory_of(unit)};
    size_t len = f.directory ? strlen(f.directory) : 0;

    if (len && !strncmp(name, f.directory, len) && name[len] == '/')
        f.name += len + 1;
    while (f.name[0] == '.' && f.name[1] == '/')
        f.name += 2;
    return f;
}

static bool unit_at(struct debug_info *i, uint64_t pc, Dwarf_Die *unit)
{
    return pc && debug_dwarf(i) && lines_unit(debug_lines(i), pc, unit);
}

static uint64_t address_of(Dwarf_Line *line)
{
    Dwarf_Addr address = 0;

    return dwarf_lineaddr(line, &address) == 0 ? address : 0;
}

static int number_of(Dwarf_Line *line)
{
    int number = 0;

    return dwarf_lineno(line, &number) == 0 ? number : 0;
}

static bool ends(Dwarf_Line *line)
{
    bool flag = false;

    return dwarf_lineendsequence(line, &flag) == 0 && flag;
}

/* Fills in the range. Rows of the same line that follow each other are one range, as in gdb. */
static void fill_range(Dwarf_Lines *lines, size_t count, size_t at, Dwarf_Die *unit,
                       struct source_range *r)
{
    Dwarf_Line *line = dwarf_onesrcline(lines, at);
    size_t next = at + 1;

    r->file = sources_file(unit, dwarf_linesrc(line, NULL, NULL));
    r->line = (unsigned)number_of(line);
    r->start = address_of(line);
    while (next < count && address_of(dwarf_onesrcline(lines, next)) == r->start)
        next++;
    r->end = next < count ? address_of(dwarf_onesrcline(lines, next)) : r->start;
}

bool sources_at(struct debug_info *i, uint64_t pc, struct source_range *r)
{
    Dwarf_Die unit;
    Dwarf_Lines *lines;
    size_t count, best = SIZE_MAX;

    if (!unit_at(i, pc, &unit) || dwarf_getsrclines(&unit, &lines, &count) != 0)
        return false;
    for (size_t n = 0; n + 1 < count; n++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, n);

        if (ends(line) || !number_of(line) || !dwarf_linesrc(line, NULL, NULL))
            continue;
        if (address_of(line) <= pc && pc < address_of(dwarf_onesrcline(lines, n + 1)))
            best = n;
    }
    if (best == SIZE_MAX)
        return false;
    fill_range(lines, count, best, &unit, r);
    return true;
}

static bool declared_at(Dwarf_Die *die, struct source_file *file, unsigned *line)
{
    Dwarf_Die unit;
    int number;

    if (!dwarf_decl_file(die) || dwarf_decl_line(die, &number) != 0 ||
        !dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
        return false;
    *file = sources_file(&unit, dwarf_decl_file(die));
    *line = (unsigned)number;
    return true;
}

bool sources_declared(struct debug_info *i, const char *name, struct source_file *file,
                      unsigned *line)
{
    struct source_range r;
    struct debug_symbol s;

    if (!debug_find(i, 0, 0, name, &s))
        return false;
    if (s.class != DEBUG_FUNCTION || !s.fixed || !sources_at(i, s.address, &r))
        return declared_at(&s.die, file, line);
    *file = r.file;
    *line = r.line;
    return true;
}

/* ---- files by name ---- */

static bool is_name_of(const char *path, const char *name)
{
    size_t len = strlen(path), end = strlen(name);

    return len >= end && !strcmp(path + len - end, name) &&
           (len == end || path[len - end - 1] == '/' || name[0] == '/');
}

/* Searches all files of a unit's line table, where headers are. */
static bool find_in_unit(Dwarf_Die *unit, const char *name, struct source_file *file)
{
    Dwarf_Files *files;
    size_t count;

    if (dwarf_getsrcfiles(unit, &files, &count) != 0)
        return false;
    for (size_t n = 0; n < count; n++) {
        const char *path = dwarf_filesrc(files, n, NULL, NULL);

        if (path && is_name_of(path, name)) {
            *file = sources_file(unit, path);
            return true;
        }
    }
    return false;
}

bool sources_find(struct debug_info *i, const char *name, struct source_file *file)
{
    Dwarf *dwarf = debug_dwarf(i);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    const char *path;

    if (!dwarf)
        return false;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if ((path = dwarf_diename(&unit)) && is_name_of(path, name)) {
            *file = sources_file(&unit, path);
            return true;
        }
    cu = NULL;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (find_in_unit(&unit, name, file))
            return true;
    return false;
}

/* Finds the best row of the unit for a line: that of the nearest line not before it. */
static bool line_in_unit(Dwarf_Die *unit, const struct source_file *file, unsigned wanted,
                         unsigned *best, struct source_range *r)
{
    Dwarf_Lines *lines;
    size_t count;
    bool found = false;

    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    for (size_t n = 0; n < count; n++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, n);
        unsigned number = (unsigned)number_of(line);
        const char *path;
        bool statement = false;

        if (number < wanted || number >= *best || ends(line))
            continue;
        path = dwarf_linesrc(line, NULL, NULL);
        if (!path || strcmp(sources_file(unit, path).name, file->name) != 0 ||
            dwarf_linebeginstatement(line, &statement) != 0 || !statement)
            continue;
        *best = number;
        fill_range(lines, count, n, unit, r);
        found = true;
    }
    return found;
}

bool sources_line(struct debug_info *i, const struct source_file *file, unsigned *line,
                  struct source_range *r)
{
    Dwarf *dwarf = debug_dwarf(i);
    unsigned best = UINT32_MAX;
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    bool found = false, own;

    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
        const char *path = dwarf_diename(&unit);

        own = path && !strcmp(sources_file(&unit, path).name, file->name);
        if (line_in_unit(&unit, file, *line, &best, r))
            found = true;
        if (own && found)
            break;
    }
    *line = found ? best : *line;
    return found;
}
