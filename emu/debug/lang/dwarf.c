/*
 * dwarf.c - sections, names and scopes out of DWARF (dwarf.h).
 */
#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/lang/dwarf_priv.h"
#include "load/lines_dwarf.h"

enum { NAME_BUCKETS = 1 << 16 };

struct debug_info *debug_info_new(struct lines *lines)
{
    struct debug_info *i = xcalloc(1, sizeof *i);

    i->lines = lines;
    i->types = types_new((struct types_reader){i, dwarf_fill_type, dwarf_complete_type});
    return i;
}

void debug_info_free(struct debug_info *i)
{
    if (!i)
        return;
    types_free(i->types);
    free(i->buckets);
    free(i->known);
    VEC_FREE(&i->names);
    free(i);
}

struct types *debug_types(struct debug_info *i)
{
    return i->types;
}

Dwarf *debug_dwarf(struct debug_info *i)
{
    return lines_dwarf(i->lines);
}

struct lines *debug_lines(struct debug_info *i)
{
    return i->lines;
}

/* ---- sections ---- */

static Elf_Scn *section_at(struct debug_info *i, uint64_t address, GElf_Shdr *header)
{
    Dwarf *dwarf = debug_dwarf(i);
    Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
    Elf_Scn *s = NULL;

    while (elf && (s = elf_nextscn(elf, s)))
        if (gelf_getshdr(s, header) && (header->sh_flags & SHF_ALLOC) &&
            address >= header->sh_addr && address - header->sh_addr < header->sh_size)
            return s;
    return NULL;
}

bool debug_is_code(struct debug_info *i, uint64_t address)
{
    GElf_Shdr header;

    return section_at(i, address, &header) && (header.sh_flags & SHF_EXECINSTR);
}

const char *debug_section(struct debug_info *i, uint64_t address)
{
    GElf_Shdr header;
    Elf *elf;
    size_t strings;

    if (!section_at(i, address, &header))
        return NULL;
    elf = dwarf_getelf(debug_dwarf(i));
    return elf_getshdrstrndx(elf, &strings) == 0 ? elf_strptr(elf, strings, header.sh_name) : NULL;
}

bool debug_each_section(struct debug_info *i,
                        void (*found)(void *ctx, const char *name, uint64_t start, uint64_t size),
                        void *ctx)
{
    Elf *elf = debug_dwarf(i) ? dwarf_getelf(debug_dwarf(i)) : NULL;
    Elf_Scn *s = NULL;
    size_t strings;
    bool any = false;

    if (!elf || elf_getshdrstrndx(elf, &strings) != 0)
        return false;
    while ((s = elf_nextscn(elf, s)) != NULL) {
        GElf_Shdr h;

        if (!gelf_getshdr(s, &h) || !(h.sh_flags & SHF_ALLOC) || !h.sh_size)
            continue;
        found(ctx, elf_strptr(elf, strings, h.sh_name), h.sh_addr, h.sh_size);
        any = true;
    }
    return any;
}

/* ---- the index of names ---- */

static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;

    while (*name)
        h = (h ^ (uint8_t)*name++) * 16777619u;
    return h % NAME_BUCKETS;
}

static void add_name(struct debug_info *i, Dwarf_Die *die, int tag)
{
    const char *name = dwarf_diename(die);
    uint32_t *bucket;

    if (!name)
        return;
    bucket = &i->buckets[hash(name)];
    VEC_PUSH(&i->names, ((struct name){name, dwarf_dieoffset(die), *bucket, (uint16_t)tag}));
    *bucket = (uint32_t)i->names.len;
}

static void add_enumerators(struct debug_info *i, Dwarf_Die *type)
{
    Dwarf_Die child;
    int end = dwarf_child(type, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child))
        add_name(i, &child, DW_TAG_enumerator);
}

static void index_unit(struct debug_info *i, Dwarf_Die *unit)
{
    Dwarf_Die child;
    int end = dwarf_child(unit, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);

        switch (tag) {
        case DW_TAG_enumeration_type: add_enumerators(i, &child); /* fall through */
        case DW_TAG_base_type:
        case DW_TAG_typedef:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_variable:
        case DW_TAG_subprogram: add_name(i, &child, tag); break;
        default: break;
        }
    }
}

static void index_names(struct debug_info *i)
{
    Dwarf *dwarf = debug_dwarf(i);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    i->indexed = true;
    if (!dwarf)
        return;
    i->buckets = xcalloc(NAME_BUCKETS, sizeof *i->buckets);
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (dwarf_tag(&unit) == DW_TAG_compile_unit)
            index_unit(i, &unit);
}

uint32_t dwarf_first_name(struct debug_info *i, const char *name)
{
    if (!i->indexed)
        index_names(i);
    return i->buckets ? i->buckets[hash(name)] : 0;
}

void debug_each_name(struct debug_info *i,
                     void (*found)(void *ctx, Dwarf_Die *die, int tag, const char *name), void *ctx)
{
    Dwarf_Die die;

    (void)dwarf_first_name(i, "");
    for (size_t n = 0; n < i->names.len; n++)
        if (dwarf_offdie(debug_dwarf(i), i->names.at[n].die, &die))
            found(ctx, &die, i->names.at[n].tag, i->names.at[n].name);
}

/* ---- scopes ---- */

/* Finds the child that contains pc and is a function or a block; false: none. */
static bool block_inside(Dwarf_Die *outer, uint64_t pc, Dwarf_Die *inner)
{
    int end = dwarf_child(outer, inner);

    for (; end == 0; end = dwarf_siblingof(inner, inner))
        switch (dwarf_tag(inner)) {
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
            if (dwarf_haspc(inner, pc) == 1)
                return true;
            break;
        default: break;
        }
    return false;
}

bool debug_blocks(struct debug_info *i, uint64_t pc, struct blocks *b)
{
    Dwarf_Die *outer;

    if (pc && i->blocks_pc == pc) {
        *b = i->blocks;
        return b->count != 0;
    }
    b->count = 0;
    if (!pc || !debug_dwarf(i) || !lines_unit(i->lines, pc, &b->unit))
        return false;
    outer = &b->unit;
    while (b->count < BLOCKS_MAX && block_inside(outer, pc, &b->at[b->count]))
        outer = &b->at[b->count++];
    i->blocks_pc = pc;
    i->blocks = *b;
    return b->count != 0;
}

unsigned debug_inlined(const struct blocks *b)
{
    unsigned inlined = 0;
    Dwarf_Die die;

    for (unsigned n = 0; n < b->count; n++) {
        die = b->at[n];
        inlined += dwarf_tag(&die) == DW_TAG_inlined_subroutine;
    }
    return inlined;
}

unsigned debug_function_of(const struct blocks *b, unsigned level)
{
    unsigned n = b->count;
    Dwarf_Die die;

    while (n > 1) {
        die = b->at[--n];
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && !level--)
            return n;
    }
    return 0;
}

/* ---- symbols ---- */

/* Finds the fixed address of a variable, whose location is DW_OP_addr alone. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attr) ||
        dwarf_getlocation(&attr, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_addr)
        return false;
    *address = ops[0].number;
    return true;
}

static bool is_definition(Dwarf_Die *die, int tag)
{
    Dwarf_Addr low;

    if (tag == DW_TAG_subprogram)
        return dwarf_entrypc(die, &low) == 0;
    return dwarf_hasattr_integrate(die, DW_AT_location) ||
           dwarf_hasattr_integrate(die, DW_AT_const_value);
}

bool debug_symbol_of(struct debug_info *i, Dwarf_Die *die, struct debug_symbol *s)
{
    int tag = dwarf_tag(die);

    *s = (struct debug_symbol){.name = dwarf_diename(die), .die = *die};
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine: {
        Dwarf_Addr low = 0;

        s->class = DEBUG_FUNCTION;
        s->type = dwarf_type_from(i, die);
        s->fixed = dwarf_entrypc(die, &low) == 0;
        s->address = low;
        break;
    }
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
        s->class = DEBUG_VARIABLE;
        s->type = debug_type_of(i, die);
        s->fixed = fixed_address(die, &s->address);
        break;
    case DW_TAG_typedef:
    case DW_TAG_base_type:
        s->class = DEBUG_TYPEDEF;
        s->type = dwarf_type_from(i, die);
        break;
    case DW_TAG_enumerator: s->class = DEBUG_CONSTANT; break;
    default: return false;
    }
    return s->name && (s->type || s->class == DEBUG_CONSTANT);
}

/*
 * Makes the symbol of an enumerator. Its enum is the DIE around it, which libdw finds from the top
 * of the unit.
 */
static bool constant_of(struct debug_info *i, Dwarf_Die *die, struct debug_symbol *s)
{
    Dwarf_Die unit, child, value;
    int end = dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL)
                  ? dwarf_child(&unit, &child)
                  : 1;

    *s = (struct debug_symbol){.class = DEBUG_CONSTANT, .name = dwarf_diename(die), .die = *die};
    s->value = dwarf_enumerator_value(die);
    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        int more = dwarf_tag(&child) == DW_TAG_enumeration_type ? dwarf_child(&child, &value) : 1;

        for (; more == 0; more = dwarf_siblingof(&value, &value))
            if (dwarf_dieoffset(&value) == dwarf_dieoffset(die)) {
                s->type = dwarf_type_from(i, &child);
                return true;
            }
    }
    return false;
}

static bool found_in_block(struct debug_info *i, Dwarf_Die *block, const char *name,
                           struct debug_symbol *s)
{
    Dwarf_Die child;
    int end = dwarf_child(block, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        const char *its;
        int tag = dwarf_tag(&child);

        if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
            continue;
        its = dwarf_diename(&child);
        if (its && !strcmp(its, name) && !dwarf_hasattr(&child, DW_AT_declaration) &&
            debug_symbol_of(i, &child, s)) {
            s->local = true;
            return true;
        }
    }
    return false;
}

/*
 * Searches the blocks of one frame: those inside its function and outside of the next inlined one.
 */
static bool found_in_frame(struct debug_info *i, const struct blocks *b, unsigned level,
                           const char *name, struct debug_symbol *s)
{
    unsigned first = debug_function_of(b, level);
    unsigned last = level ? debug_function_of(b, level - 1) : b->count;

    while (last-- > first) {
        Dwarf_Die block = b->at[last];

        if (found_in_block(i, &block, name, s))
            return true;
    }
    return false;
}

static bool is_symbol_tag(int tag)
{
    return tag == DW_TAG_variable || tag == DW_TAG_subprogram || tag == DW_TAG_enumerator ||
           tag == DW_TAG_typedef || tag == DW_TAG_base_type;
}

/*
 * Returns how good a match is: best in the unit of the scope, else one that other files see, too.
 */
static unsigned rank(Dwarf_Die *die, int tag, const Dwarf_Die *unit)
{
    if ((tag == DW_TAG_variable || tag == DW_TAG_subprogram) && !is_definition(die, tag))
        return 0;
    if (unit && die->cu == unit->cu)
        return 3;
    return dwarf_flag(die, DW_AT_external) ? 2 : 1;
}

static bool found_in_units(struct debug_info *i, const Dwarf_Die *unit, const char *name,
                           struct debug_symbol *s)
{
    Dwarf_Die die, best;
    unsigned best_rank = 0;
    int best_tag = 0;

    for (uint32_t n = dwarf_first_name(i, name); n; n = i->names.at[n - 1].next) {
        const struct name *at = &i->names.at[n - 1];
        unsigned its;

        if (!is_symbol_tag(at->tag) || strcmp(at->name, name) != 0 ||
            !dwarf_offdie(debug_dwarf(i), at->die, &die))
            continue;
        its = rank(&die, at->tag, unit);
        if (its && its >= best_rank) /* the list is in reverse order */
            best = die, best_rank = its, best_tag = at->tag;
    }
    if (!best_rank)
        return false;
    return best_tag == DW_TAG_enumerator ? constant_of(i, &best, s) : debug_symbol_of(i, &best, s);
}

/* ---- the scope of FUNCTION::NAME and FILE::NAME ---- */

enum { SCOPE_DEPTH_MAX = 32 };

static bool found_below(struct debug_info *i, Dwarf_Die *block, const char *name, unsigned depth,
                        struct debug_symbol *s)
{
    Dwarf_Die child;
    int end;

    if (found_in_block(i, block, name, s))
        return true;
    for (end = dwarf_child(block, &child); end == 0; end = dwarf_siblingof(&child, &child))
        if (dwarf_tag(&child) == DW_TAG_lexical_block && depth < SCOPE_DEPTH_MAX &&
            found_below(i, &child, name, depth + 1, s))
            return true;
    return false;
}

/* Whether the path ends with `end', after a `/'. */
static bool is_end_of_path(const char *path, const char *end)
{
    size_t whole = strlen(path), len = strlen(end);

    return whole >= len && !strcmp(path + whole - len, end) &&
           (whole == len || path[whole - len - 1] == '/');
}

static bool found_in_file(struct debug_info *i, const char *file, const char *name,
                          struct debug_symbol *s)
{
    Dwarf_Die die, unit;

    for (uint32_t n = dwarf_first_name(i, name); n; n = i->names.at[n - 1].next) {
        const struct name *at = &i->names.at[n - 1];

        if ((at->tag == DW_TAG_variable || at->tag == DW_TAG_subprogram) &&
            !strcmp(at->name, name) && dwarf_offdie(debug_dwarf(i), at->die, &die) &&
            is_definition(&die, at->tag) && dwarf_diecu(&die, &unit, NULL, NULL) &&
            dwarf_diename(&unit) && is_end_of_path(dwarf_diename(&unit), file))
            return debug_symbol_of(i, &die, s);
    }
    return false;
}

static bool has_file(struct debug_info *i, const char *file)
{
    Dwarf *dwarf = debug_dwarf(i);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        if (dwarf_diename(&unit) && is_end_of_path(dwarf_diename(&unit), file))
            return true;
    return false;
}

bool debug_find_in(struct debug_info *i, const char *scope, const char *name,
                   struct debug_symbol *s, bool *known)
{
    struct debug_symbol function;

    *known = true;
    if (debug_find(i, 0, 0, scope, &function) && function.class == DEBUG_FUNCTION)
        return found_below(i, &function.die, name, 0, s);
    *known = has_file(i, scope);
    return *known && found_in_file(i, scope, name, s);
}

bool debug_is_in(struct debug_info *i, uint64_t pc, Dwarf_Die *die)
{
    struct blocks b;
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    Dwarf_Off wanted = dwarf_dieoffset(die);

    if (!debug_blocks(i, pc, &b) || !b.count)
        return false;
    while ((offset = dwarf_ranges(&b.at[0], offset, &base, &low, &high)) > 0)
        if (pc >= low && pc < high) {
            Dwarf_Die after;

            /* The DIEs of a function are between its own and the next one. */
            return wanted > dwarf_dieoffset(&b.at[0]) &&
                   (dwarf_siblingof(&b.at[0], &after) != 0 || wanted < dwarf_dieoffset(&after));
        }
    return false;
}

struct type *debug_find_declared(struct debug_info *i, const char *name)
{
    struct debug_symbol s;
    Dwarf_Die die;

    for (uint32_t n = dwarf_first_name(i, name); n; n = i->names.at[n - 1].next) {
        const struct name *at = &i->names.at[n - 1];

        if ((at->tag == DW_TAG_variable || at->tag == DW_TAG_subprogram) &&
            !strcmp(at->name, name) && dwarf_offdie(debug_dwarf(i), at->die, &die) &&
            dwarf_flag(&die, DW_AT_declaration) && debug_symbol_of(i, &die, &s))
            return s.type;
    }
    return NULL;
}

bool debug_find(struct debug_info *i, uint64_t pc, unsigned level, const char *name,
                struct debug_symbol *s)
{
    struct blocks b = {.count = 0};
    bool scoped = debug_blocks(i, pc, &b);

    if (scoped && found_in_frame(i, &b, level, name, s))
        return true;
    return found_in_units(i, scoped ? &b.unit : NULL, name, s);
}
