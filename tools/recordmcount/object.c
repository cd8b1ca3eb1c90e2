/*
 * object.c - finds the calls of _mcount in an object, and its records if it has some.
 *
 * The relocations give the places of the calls; the bytes must agree. An object with a call that
 * cannot be recorded is refused, because a site that is missing in the table would be noticed only
 * when the kernel does not trace its function.
 */
#include "object.h"
#include "call.h"
#include "recordmcount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* ---- symbols ---- */

static int find_symtab(struct object *o)
{
    struct elf_file *f = &o->file;
    GElf_Shdr header;
    int status = elf_file_symtab(f, &o->symtab, &header);

    if (status || !o->symtab)
        return status;
    o->symbol_names = header.sh_link;
    o->xindex = elf_file_xindex(f, o->symtab);
    return elf_file_data(f, o->symtab, &o->symbols);
}

/* The name of a symbol, "" if it has none; NULL: it is outside of the string table. */
static const char *symbol_name(const struct object *o, const GElf_Sym *s)
{
    return s->st_name ? elf_strptr(o->file.elf, o->symbol_names, s->st_name) : "";
}

static enum rank rank_of(const GElf_Sym *s)
{
    int type = GELF_ST_TYPE(s->st_info);

    if (type == STT_SECTION)
        return SECTION_ANCHOR;
    if (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT)
        return NO_ANCHOR;
    if (GELF_ST_BIND(s->st_info) == STB_LOCAL)
        return LOCAL_ANCHOR;
    /* A weak symbol may be resolved to another object's copy of the function. */
    return GELF_ST_BIND(s->st_info) == STB_GLOBAL ? GLOBAL_ANCHOR : NO_ANCHOR;
}

static void find_anchors(struct object *o)
{
    size_t count = o->symbols->d_size / sizeof(Elf64_Sym);

    for (size_t i = 1; i < count; i++) {
        GElf_Sym s;
        size_t section;
        enum rank rank;

        if (!gelf_getsym(o->symbols, (int)i, &s))
            continue;
        section = elf_file_symbol_section(&o->file, &s, o->xindex, i);
        rank = symbol_name(o, &s) ? rank_of(&s) : NO_ANCHOR;
        if (rank > o->anchors[section].rank)
            o->anchors[section] = (struct anchor){rank, i, s.st_value};
    }
}

/* ---- relocations ---- */

/* A relocation section, and the section that it applies to. */
struct relocations {
    size_t index, target;
    GElf_Shdr header, target_header;
    Elf_Data *data, *text;
    bool has_addends;
    int count;
};

struct relocation {
    uint64_t offset;
    uint32_t type;
    int64_t addend;
    size_t symbol;
    const char *name; /* of the symbol; "": none */
};

static int relocations_open(const struct object *o, size_t index, struct relocations *r)
{
    const struct elf_file *f = &o->file;
    Elf_Scn *scn;
    size_t entry;
    int status = elf_file_section(f, index, &scn, &r->header);

    if (status)
        return status;
    r->index = index;
    r->target = r->header.sh_info;
    r->has_addends = r->header.sh_type == SHT_RELA;
    entry = r->has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    status = elf_file_section(f, r->target, &scn, &r->target_header);
    if (!status)
        status = elf_file_data(f, index, &r->data);
    if (!status && r->target_header.sh_type != SHT_NOBITS)
        status = elf_file_data(f, r->target, &r->text);
    if (status)
        return status;
    if (r->header.sh_link != o->symtab || !o->symtab)
        return elf_file_bad_at(f, index, 0, "relocations without a symbol table; build it again");
    if (r->header.sh_entsize != entry || r->header.sh_size % entry ||
        r->header.sh_size / entry > INT32_MAX)
        return elf_file_bad_at(f, index, 0, "damaged relocations; build it again");
    r->count = (int)(r->header.sh_size / entry);
    return 0;
}

static int relocation_get(const struct object *o, const struct relocations *r, int i,
                          struct relocation *out)
{
    const struct elf_file *f = &o->file;
    GElf_Rela rela = {0};
    GElf_Rel rel;
    GElf_Sym s;
    bool got;

    if (r->has_addends) {
        got = gelf_getrela(r->data, i, &rela);
    } else {
        got = gelf_getrel(r->data, i, &rel);
        if (got)
            rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
    }
    if (!got)
        return elf_file_bad_at(f, r->index, 0, "damaged relocations; build it again");
    *out = (struct relocation){.offset = rela.r_offset,
                               .type = (uint32_t)GELF_R_TYPE(rela.r_info),
                               .addend = rela.r_addend,
                               .symbol = GELF_R_SYM(rela.r_info),
                               .name = ""};
    if (out->symbol == 0)
        return 0;
    if (out->symbol > INT32_MAX || !gelf_getsym(o->symbols, (int)out->symbol, &s))
        return elf_file_bad_at(
            f, r->target, out->offset,
            "a relocation refers to symbol %zu, which does not exist; build it again", out->symbol);
    out->name = symbol_name(o, &s);
    if (!out->name)
        return elf_file_bad_at(f, r->target, out->offset,
                               "the name of symbol %zu is outside of its table; build it again",
                               out->symbol);
    return 0;
}

static bool moves_code(uint32_t type)
{
    return type == R_RISCV_RELAX || type == R_RISCV_ALIGN;
}

static bool is_text(const GElf_Shdr *h)
{
    return h->sh_type == SHT_PROGBITS && (h->sh_flags & SHF_ALLOC) && (h->sh_flags & SHF_EXECINSTR);
}

/* Takes a relocation to _mcount as the call of a site. If it is not one, the object is refused. */
static int take_site(struct object *o, const struct relocations *rs, const struct relocation *r)
{
    const struct elf_file *f = &o->file;
    const uint8_t *bytes;

    if (!is_text(&rs->target_header) || !rs->has_addends ||
        (r->type != R_RISCV_CALL && r->type != R_RISCV_CALL_PLT))
        return elf_file_bad_at(
            f, rs->target, r->offset,
            "%s is used by a relocation of type %" PRIu32
            ", which is not a call that can be recorded; compile without -pg and leave the "
            "object out of recordmcount",
            o->symbol, r->type);
    if (r->addend)
        return elf_file_bad_at(f, rs->target, r->offset,
                               "the call goes to %s%+" PRId64 "; call %s itself", o->symbol,
                               r->addend, o->symbol);
    if (r->offset > rs->text->d_size || rs->text->d_size - r->offset < CALL_BYTES)
        return elf_file_bad_at(f, rs->target, r->offset,
                               "the call of %s reaches past the section; build it again",
                               o->symbol);
    bytes = (const uint8_t *)rs->text->d_buf + r->offset;
    if (!call_is_pair(bytes))
        return elf_file_bad_at(f, rs->target, r->offset,
                               "%08" PRIx32 " %08" PRIx32 " is not auipc ra, jalr ra: no call of "
                               "%s that can be patched; compile with gcc -pg and no tail calls "
                               "of %s",
                               call_word(bytes), call_word(bytes + 4), o->symbol, o->symbol);
    return site_list_add(&o->sites, f->path, (struct site){rs->target, r->offset});
}

static int collect_sites(struct object *o, const struct relocations *rs)
{
    /* Relocations of debug information are not calls. */
    if (!(rs->target_header.sh_flags & SHF_ALLOC))
        return 0;
    for (int i = 0; i < rs->count; i++) {
        struct relocation r;
        int status = relocation_get(o, rs, i, &r);

        if (!status && strcmp(r.name, o->symbol) == 0)
            status = take_site(o, rs, &r);
        if (status)
            return status;
    }
    return 0;
}

/*
 * Refuses sections in which the linker would move or change the eight bytes of a
 * call. An instruction that is relaxed moves all code after it in the section, and
 * the linker does not adjust records that are offsets from the section's start.
 */
static int check_text_is_fixed(struct object *o, const struct relocations *rs)
{
    const struct site_list *l = &o->sites;

    if (!site_list_has_section(l, rs->target))
        return 0;
    for (int i = 0; i < rs->count; i++) {
        struct relocation r;
        int status = relocation_get(o, rs, i, &r);
        const struct site *s;

        if (status)
            return status;
        s = site_list_find(l, (struct site){rs->target, r.offset});
        if (moves_code(r.type))
            return elf_file_bad_at(&o->file, rs->target, r.offset,
                                   s ? "the linker may shrink this call of %s; compile with "
                                       "-mno-relax"
                                     : "the linker may shrink this code and move the calls of %s "
                                       "after it; compile with -mno-relax",
                                   o->symbol);
        if (s && r.type != R_RISCV_NONE &&
            (r.offset != s->offset || strcmp(r.name, o->symbol) != 0))
            return elf_file_bad_at(&o->file, rs->target, r.offset,
                                   "a second relocation (type %" PRIu32 ") changes this call of "
                                   "%s; build it again",
                                   r.type, o->symbol);
    }
    return 0;
}

static int check_no_overlap(const struct object *o)
{
    const struct site_list *l = &o->sites;

    for (size_t i = 1; i < l->count; i++)
        if (l->at[i].section == l->at[i - 1].section &&
            l->at[i].offset - l->at[i - 1].offset < CALL_BYTES)
            return elf_file_bad_at(&o->file, l->at[i].section, l->at[i].offset,
                                   "two calls of %s overlap; build it again", o->symbol);
    return 0;
}

static int for_each_relocations(struct object *o,
                                int (*visit)(struct object *, const struct relocations *))
{
    const struct elf_file *f = &o->file;

    for (size_t i = 1; i < f->sections; i++) {
        struct relocations r = {0};
        Elf_Scn *scn;
        GElf_Shdr header;
        int status = elf_file_section(f, i, &scn, &header);

        if (!status && (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)) {
            status = relocations_open(o, i, &r);
            if (!status)
                status = visit(o, &r);
        }
        if (status)
            return status;
    }
    return 0;
}

/* ---- existing records ---- */

static bool is_record_section(const struct elf_file *f, size_t index)
{
    return strcmp(elf_file_section_name(f, index), LOC_NAME) == 0;
}

/* Reads the records of a __mcount_loc. Refuses one that recordmcount did not write. */
static int read_records(const struct object *o, const struct relocations *rs, struct site_list *to)
{
    const struct elf_file *f = &o->file;

    for (int i = 0; i < rs->count; i++) {
        struct relocation r;
        GElf_Sym s;
        struct site site;
        int status = relocation_get(o, rs, i, &r);

        if (status)
            return status;
        if (r.type != R_RISCV_64 || r.offset != (uint64_t)i * SLOT_BYTES || !r.symbol ||
            !gelf_getsym(o->symbols, (int)r.symbol, &s))
            return elf_file_bad_at(f, rs->target, r.offset,
                                   "not a record of recordmcount; build the object again");
        site.section = elf_file_symbol_section(f, &s, o->xindex, r.symbol);
        site.offset = s.st_value + (uint64_t)r.addend;
        status = site_list_add(to, f->path, site);
        if (status)
            return status;
    }
    if (rs->target_header.sh_size != (uint64_t)rs->count * SLOT_BYTES)
        return elf_file_bad_at(f, rs->target, 0,
                               "records without relocations; build the object again");
    return 0;
}

static int read_all_records(const struct object *o, struct site_list *to)
{
    const struct elf_file *f = &o->file;

    for (size_t i = 1; i < f->sections; i++) {
        struct relocations r = {0};
        Elf_Scn *scn;
        GElf_Shdr header;
        int status = elf_file_section(f, i, &scn, &header);

        if (!status && header.sh_type == SHT_RELA && is_record_section(f, header.sh_info)) {
            status = relocations_open(o, i, &r);
            if (!status)
                status = read_records(o, &r, to);
        }
        if (status)
            return status;
    }
    return 0;
}

bool object_has_records(const struct object *o)
{
    for (size_t i = 1; i < o->file.sections; i++)
        if (is_record_section(&o->file, i))
            return true;
    return false;
}

int object_check_records(const struct object *o)
{
    struct site_list found = {0};
    int status = read_all_records(o, &found);

    site_list_sort(&found);
    if (!status && !site_lists_equal(&found, &o->sites))
        status = elf_file_bad(&o->file,
                              LOC_NAME " exists, but its %zu calls are not the %zu of the code; "
                                       "build the object again",
                              found.count, o->sites.count);
    free(found.at);
    return status;
}

/* ---- reading an object ---- */

static int find_groups(struct object *o)
{
    const struct elf_file *f = &o->file;

    for (size_t i = 1; i < f->sections; i++) {
        Elf_Scn *scn;
        GElf_Shdr header;
        Elf_Data *data;
        int status = elf_file_section(f, i, &scn, &header);

        if (status)
            return status;
        if (header.sh_type != SHT_GROUP)
            continue;
        status = elf_file_data(f, i, &data);
        if (status)
            return status;
        for (size_t at = sizeof(Elf32_Word); at + sizeof(Elf32_Word) <= data->d_size;
             at += sizeof(Elf32_Word)) {
            Elf32_Word member;

            memcpy(&member, (const char *)data->d_buf + at, sizeof member);
            if (member < f->sections)
                o->groups[member] = i;
        }
    }
    return 0;
}

static int object_scan(struct object *o)
{
    struct elf_file *f = &o->file;
    int status;

    if (f->header.e_type != ET_REL)
        return elf_file_bad(f, "not a relocatable object; give a .o file, or use --sort for a "
                               "linked kernel");
    o->anchors = calloc(f->sections, sizeof *o->anchors);
    o->groups = calloc(f->sections, sizeof *o->groups);
    if (!o->anchors || !o->groups)
        return elf_file_fail(f->path, EX_SOFTWARE, "out of memory; give a smaller file");
    status = find_symtab(o);
    if (!status)
        status = find_groups(o);
    if (!status)
        status = for_each_relocations(o, collect_sites);
    if (status)
        return status;
    site_list_sort(&o->sites);
    status = check_no_overlap(o);
    if (!status)
        status = for_each_relocations(o, check_text_is_fixed);
    if (!status && o->symtab)
        find_anchors(o);
    return status;
}

int object_open(struct object *o, const char *path, const char *symbol, enum voice voice)
{
    int status;

    *o = (struct object){.symbol = symbol};
    status = elf_file_open(&o->file, path, voice);
    return status ? status : object_scan(o);
}

void object_close(struct object *o)
{
    free(o->sites.at);
    free(o->anchors);
    free(o->groups);
    elf_file_close(&o->file);
}

int object_record(const char *path, const struct request *request)
{
    struct object o;
    const char *outcome = "recorded";
    int status = object_open(&o, path, request->symbol, ALOUD);

    if (!status && object_has_records(&o)) {
        outcome = "already recorded";
        status = object_check_records(&o);
    } else if (!status && o.sites.count) {
        status = object_extend(&o);
    }
    if (!status && request->verbose)
        printf("%s: %zu sites %s\n", path, o.sites.count, outcome);
    object_close(&o);
    return status;
}
