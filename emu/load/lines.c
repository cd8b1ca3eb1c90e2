/*
 * lines.c - see lines.h. Compilation units are found by .debug_aranges where it has the address.
 * Clang does not write that section: for what it lacks, the units' own address ranges are read, all
 * of them once.
 */
#include "load/lines.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vec.h"
#include "load/lines_dwarf.h"

/* A contiguous address range of a compilation unit. */
struct unit_range {
    uint64_t low, high;
    Dwarf_Off die;
};

/* The result for an address; .file is NULL if nothing was found. */
struct known_line {
    uint64_t addr;
    struct line_place place;
};

/* A cache: reports and traces ask for the same few addresses many times, and a search is slow. */
enum { KNOWN_LINES = 4096 };

struct lines {
    char *path;
    bool opened, indexed;
    int fd;
    Dwarf *dwarf;                         /* NULL: not opened, or no DWARF in the file */
    bool has_cfi;                         /* `cfi' was looked for */
    struct cfi *cfi;                      /* NULL: see lines_cfi */
    VEC_OF(struct unit_range) ranges;     /* once indexed */
    VEC_OF(Dwarf_Die) types;              /* structs of the units that were read for them */
    struct map structs;                   /* name_hash -> its index */
    Dwarf_CU *structs_until;              /* the last unit whose structs these are */
    bool all_structs;                     /* there is no other unit */
    struct known_line known[KNOWN_LINES]; /* by the low bits of the address */
};

struct lines *lines_new(const char *path)
{
    struct lines *l = xcalloc(1, sizeof *l);

    l->path = xstrdup(path);
    l->fd = -1;
    return l;
}

void lines_free(struct lines *l)
{
    if (!l)
        return;
    cfi_free(l->cfi);
    dwarf_end(l->dwarf);
    if (l->fd >= 0)
        close(l->fd);
    VEC_FREE(&l->ranges);
    VEC_FREE(&l->types);
    map_free(&l->structs);
    free(l->path);
    free(l);
}

/* Functions that the linker has discarded leave ranges at address 0, which are left out. */
static void add_ranges(struct lines *l, Dwarf_Die *unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t next = 0;

    while ((next = dwarf_ranges(unit, next, &base, &low, &high)) > 0)
        if (low && low < high)
            VEC_PUSH(&l->ranges, ((struct unit_range){low, high, dwarf_dieoffset(unit)}));
}

static int compare_ranges(const void *left, const void *right)
{
    const struct unit_range *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

static void index_units(struct lines *l)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    l->indexed = true;
    while (dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (dwarf_tag(&unit) == DW_TAG_compile_unit)
            add_ranges(l, &unit);
    if (l->ranges.len)
        qsort(l->ranges.at, l->ranges.len, sizeof *l->ranges.at, compare_ranges);
}

static void open_dwarf(struct lines *l)
{
    l->opened = true;
    /* O_NONBLOCK: if the symbols came through a FIFO, open() would wait for a second writer. */
    l->fd = open(l->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (l->fd < 0)
        return;
    l->dwarf = dwarf_begin(l->fd, DWARF_C_READ);
}

/* The unit that holds addr. Ranges of one program do not overlap. */
bool lines_unit(struct lines *l, uint64_t addr, Dwarf_Die *unit)
{
    size_t begun;

    if (dwarf_addrdie(l->dwarf, addr, unit))
        return true;
    if (!l->indexed)
        index_units(l);
    begun = PARTITION_POINT(i, l->ranges.len, l->ranges.at[i].low <= addr);
    return begun && addr < l->ranges.at[begun - 1].high &&
           dwarf_offdie(l->dwarf, l->ranges.at[begun - 1].die, unit);
}

const char *lines_shorten(const char *file, Dwarf_Die *unit)
{
    Dwarf_Attribute attr;
    const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
    size_t len = dir ? strlen(dir) : 0;

    if (len && strncmp(file, dir, len) == 0 && file[len] == '/')
        file += len + 1;
    while (file[0] == '.' && file[1] == '/')
        file += 2;
    return file;
}

bool lines_line(Dwarf_Die *unit, uint64_t addr, struct line_place *place)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0, column = 0;

    if (!file || dwarf_lineno(line, &number) != 0)
        return false;
    (void)dwarf_linecol(line, &column); /* stays 0 if not known */
    place->file = lines_shorten(file, unit);
    place->line = (unsigned)number;
    place->column = (unsigned)column;
    return true;
}

/*
 * The DIEs that contain addr, innermost first. dwarf_getscopes alone would go
 * from an inlined function to its definition's scopes instead of its caller's.
 * Returns the count; *scopes is from malloc.
 */
int lines_scopes(Dwarf_Die *unit, uint64_t addr, Dwarf_Die **scopes)
{
    Dwarf_Die *by_address = NULL;
    int count = dwarf_getscopes(unit, addr, &by_address);

    *scopes = NULL;
    if (count > 0)
        count = dwarf_getscopes_die(&by_address[0], scopes);
    free(by_address);
    return count;
}

/* `*function': the DIE, if the name was found. */
static void find_functions(Dwarf_Die *unit, uint64_t addr, struct line_place *place,
                           Dwarf_Die *function)
{
    Dwarf_Die *scopes;
    int count = lines_scopes(unit, addr, &scopes);

    for (int i = 0; i < count && !place->function; i++) {
        int tag = dwarf_tag(&scopes[i]);

        if (tag == DW_TAG_subprogram) {
            *function = scopes[i];
            place->function = dwarf_diename(function);
        } else if (tag == DW_TAG_inlined_subroutine && !place->inlined) {
            place->inlined = dwarf_diename(&scopes[i]);
        }
    }
    free(scopes);
}

static void find_place(struct lines *l, uint64_t addr, struct line_place *place)
{
    Dwarf_Die unit, function;

    if (lines_unit(l, addr, &unit) && lines_line(&unit, addr, place))
        find_functions(&unit, addr, place, &function);
    else
        place->file = NULL;
}

bool lines_known(struct lines *l)
{
    if (l && !l->opened)
        open_dwarf(l);
    return l && l->dwarf;
}

Dwarf *lines_dwarf(struct lines *l)
{
    return lines_known(l) ? l->dwarf : NULL;
}

/* Finds a section with contents that are not compressed; NULL: there is none. */
static const Elf_Data *find_section(Elf *elf, const char *wanted)
{
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        const char *name;

        if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS ||
            header.sh_flags & SHF_COMPRESSED)
            continue;
        name = elf_strptr(elf, names, header.sh_name);
        if (name && !strcmp(name, wanted))
            return elf_rawdata(scn, NULL);
    }
    return NULL;
}

/* Whether addresses and numbers in its sections are as cfi.c reads them. */
static bool is_linked(Elf *elf)
{
    GElf_Ehdr header;

    return gelf_getehdr(elf, &header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type != ET_REL;
}

const struct cfi *lines_cfi(struct lines *l)
{
    const Elf_Data *data = NULL;

    if (!lines_known(l) || l->has_cfi)
        return l ? l->cfi : NULL;
    l->has_cfi = true;
    if (is_linked(dwarf_getelf(l->dwarf)))
        data = find_section(dwarf_getelf(l->dwarf), ".debug_frame");
    if (data && data->d_buf)
        l->cfi = cfi_new(data->d_buf, data->d_size);
    return l->cfi;
}

bool lines_at(struct lines *l, uint64_t addr, struct line_place *place)
{
    struct known_line *k;

    if (!lines_known(l))
        return false;
    k = &l->known[addr / 2 % KNOWN_LINES];
    if (k->addr != addr) {
        *k = (struct known_line){.addr = addr};
        find_place(l, addr, &k->place);
    }
    if (!k->place.file)
        return false;
    *place = k->place;
    return true;
}

bool lines_of_function(struct lines *l, uint64_t addr, struct line_place *place)
{
    struct line_place found = {0};
    Dwarf_Die unit, function;
    int line = 0;

    if (!lines_known(l) || !lines_unit(l, addr, &unit))
        return false;
    find_functions(&unit, addr, &found, &function);
    if (!found.function || !dwarf_decl_file(&function) || dwarf_decl_line(&function, &line) != 0)
        return false;
    found.file = lines_shorten(dwarf_decl_file(&function), &unit);
    found.line = (unsigned)line;
    found.inlined = NULL;
    *place = found;
    return true;
}

bool lines_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file_name, unsigned *number)
{
    Dwarf_Attribute attr;
    Dwarf_Files *files;
    Dwarf_Word file, line;
    const char *name;
    size_t count;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return false;
    name = dwarf_filesrc(files, file, NULL, NULL);
    if (!name)
        return false;
    *file_name = lines_shorten(name, unit);
    *number = (unsigned)line;
    return true;
}

static bool is_in(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');

    return !strcmp(slash ? slash + 1 : file, name);
}

bool lines_outside(struct lines *l, uint64_t addr, const char *name, struct line_place *place)
{
    struct line_place found;
    Dwarf_Die unit, *scopes;
    int count;

    if (!lines_at(l, addr, &found) || !lines_unit(l, addr, &unit))
        return false;
    count = lines_scopes(&unit, addr, &scopes);
    for (int i = 0; i < count && is_in(found.file, name); i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
            if (lines_call(&unit, &scopes[i], &found.file, &found.line))
                found.column = 0;
    free(scopes);
    *place = found;
    return true;
}

/* ---- types ---- */

static bool is_named(Dwarf_Die *die, int tag, const char *name)
{
    const char *its = dwarf_tag(die) == tag ? dwarf_diename(die) : NULL;

    return its && !strcmp(its, name);
}

static uint64_t name_hash(const char *name)
{
    return fnv1a(FNV1A_START, (const uint8_t *)name, strlen(name)) >> 1;
}

/* Adds the unit's structs that are complete, not only declared. The first of a name counts. */
static void index_structs(struct lines *l, Dwarf_Die *unit)
{
    Dwarf_Die child;
    uint64_t known;

    for (int end = dwarf_child(unit, &child); end == 0; end = dwarf_siblingof(&child, &child)) {
        const char *name =
            dwarf_tag(&child) == DW_TAG_structure_type ? dwarf_diename(&child) : NULL;

        if (!name || map_get(&l->structs, name_hash(name), &known) ||
            dwarf_hasattr(&child, DW_AT_declaration))
            continue;
        map_put(&l->structs, name_hash(name), l->types.len);
        VEC_PUSH(&l->types, child);
    }
}

/* Reads units only until one has the struct, and each of them only once. */
static bool find_struct(struct lines *l, const char *name, Dwarf_Die *type)
{
    uint64_t key = name_hash(name), at;
    Dwarf_Die unit;

    if (!lines_known(l))
        return false;
    while (!map_get(&l->structs, key, &at)) {
        if (l->all_structs || dwarf_get_units(l->dwarf, l->structs_until, &l->structs_until, NULL,
                                              NULL, &unit, NULL) != 0) {
            l->all_structs = true;
            return false;
        }
        index_structs(l, &unit);
    }
    *type = l->types.at[at];
    return is_named(type, DW_TAG_structure_type, name);
}

void lines_read_structs(struct lines *l, uint64_t addr)
{
    Dwarf_Die unit;

    if (lines_known(l) && lines_unit(l, addr, &unit))
        index_structs(l, &unit);
}

/* Where a member begins; those of a union need not say it. */
static uint64_t member_offset(Dwarf_Die *member)
{
    Dwarf_Attribute attr;
    Dwarf_Word at;

    return dwarf_formudata(dwarf_attr(member, DW_AT_data_member_location, &attr), &at) ? 0 : at;
}

/* Structs and unions without a name within others. */
enum { NESTED_MAX = 4 };

static bool find_member(Dwarf_Die *type, const char *name, unsigned nested, uint64_t *offset)
{
    Dwarf_Die member, inner;
    Dwarf_Attribute attr;

    if (dwarf_child(type, &member) != 0)
        return false;
    do {
        if (is_named(&member, DW_TAG_member, name)) {
            *offset = member_offset(&member);
            return true;
        }
        if (dwarf_tag(&member) == DW_TAG_member && !dwarf_diename(&member) && nested < NESTED_MAX &&
            dwarf_formref_die(dwarf_attr(&member, DW_AT_type, &attr), &inner) &&
            find_member(&inner, name, nested + 1, offset)) {
            *offset += member_offset(&member);
            return true;
        }
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

bool lines_member(struct lines *l, const char *structure, const char *member, uint64_t *offset)
{
    Dwarf_Die type;

    return find_struct(l, structure, &type) && find_member(&type, member, 0, offset);
}

bool lines_struct_size(struct lines *l, const char *structure, uint64_t *size)
{
    Dwarf_Die type;
    int bytes;

    if (!find_struct(l, structure, &type))
        return false;
    bytes = dwarf_bytesize(&type);
    *size = bytes > 0 ? (uint64_t)bytes : 0;
    return bytes > 0;
}
