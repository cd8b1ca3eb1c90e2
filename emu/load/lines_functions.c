/*
 * lines_functions.c - the source lines of many functions: reads the functions of all units once,
 * where a search for each address would walk through its unit's DIEs each time.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/vec.h"
#include "load/lines_dwarf.h"

struct function {
    uint64_t low, high;
    Dwarf_Off die, unit;
};

struct lines_functions {
    struct lines *lines;
    VEC_OF(struct function) all; /* by address */
};

static int compare_functions(const void *left, const void *right)
{
    const struct function *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

/* Functions that the linker has discarded are at address 0. */
static void add_function(struct lines_functions *f, Dwarf_Die *unit, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t next = 0;

    while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0)
        if (low && low < high)
            VEC_PUSH(&f->all,
                     ((struct function){low, high, dwarf_dieoffset(die), dwarf_dieoffset(unit)}));
}

static void add_functions(struct lines_functions *f, Dwarf_Die *unit)
{
    Dwarf_Die die;

    for (int end = dwarf_child(unit, &die); end == 0; end = dwarf_siblingof(&die, &die))
        if (dwarf_tag(&die) == DW_TAG_subprogram)
            add_function(f, unit, &die);
}

struct lines_functions *lines_functions_new(struct lines *l)
{
    struct lines_functions *f = xcalloc(1, sizeof *f);
    Dwarf *dwarf = lines_dwarf(l);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    f->lines = l;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (dwarf_tag(&unit) == DW_TAG_compile_unit)
            add_functions(f, &unit);
    if (f->all.len)
        qsort(f->all.at, f->all.len, sizeof *f->all.at, compare_functions);
    return f;
}

void lines_functions_free(struct lines_functions *f)
{
    if (f)
        VEC_FREE(&f->all);
    free(f);
}

/* The first function that does not end before the address; NULL: none. */
static const struct function *find_function(const struct lines_functions *f, uint64_t addr)
{
    size_t first = PARTITION_POINT(i, f->all.len, f->all.at[i].high <= addr);

    return first < f->all.len ? &f->all.at[first] : NULL;
}

bool lines_functions_die(const struct lines_functions *f, uint64_t addr, uint64_t before,
                         Dwarf_Die *die, uint64_t *low)
{
    const struct function *function = find_function(f, addr);

    if (!function || function->low >= before ||
        !dwarf_offdie(lines_dwarf(f->lines), function->die, die))
        return false;
    *low = function->low;
    return true;
}

bool lines_functions_at(const struct lines_functions *f, uint64_t addr, uint64_t before,
                        struct line_place *place)
{
    const struct function *function = find_function(f, addr);
    Dwarf *dwarf = lines_dwarf(f->lines);
    struct line_place found = {0};
    Dwarf_Die die, unit;
    int line = 0;

    if (!function || function->low >= before || !dwarf_offdie(dwarf, function->die, &die) ||
        !dwarf_offdie(dwarf, function->unit, &unit))
        return false;
    found.function = dwarf_diename(&die);
    if (function->low > addr || !lines_line(&unit, addr, &found)) {
        if (!dwarf_decl_file(&die) || dwarf_decl_line(&die, &line) != 0)
            return false;
        found.file = lines_shorten(dwarf_decl_file(&die), &unit);
        found.line = (unsigned)line;
    }
    *place = found;
    return true;
}
