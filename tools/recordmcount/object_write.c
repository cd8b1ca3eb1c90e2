/*
 * object_write.c - adds the records to an object, in a copy that then replaces it.
 *
 * One __mcount_loc is made for each text section, tied to it by SHF_LINK_ORDER
 * and by its section group: when the linker drops the text, the records go too.
 */
#include "call.h"
#include "object.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/*
 * All additions are placed after the end of the file: the extended section names and
 * groups, the records, the section headers. Existing contents keep their offsets.
 */
struct edit {
    const struct object *object;
    Elf *elf;
    uint64_t end_bytes;   /* of the file so far */
    uint64_t name_offset; /* of RELA_NAME among the section names */
    uint8_t *zeros;       /* this and the next two must live until libelf has written them */
    Elf64_Rela *relas;
    Elf32_Word *members;
    bool *grown; /* by section: a group that was extended */
};

static int edit_failed(const struct edit *e)
{
    return elf_file_bad(&e->object->file, "libelf cannot extend it (%s); build it again",
                        elf_errmsg(-1));
}

/* Appends to a section; its offset in the file is set later. */
static int append(const struct edit *e, Elf_Scn *scn, const void *bytes, size_t size, Elf_Type type)
{
    GElf_Shdr header;
    Elf_Data *data = elf_newdata(scn);

    if (!data || !gelf_getshdr(scn, &header))
        return edit_failed(e);
    data->d_buf = (void *)(uintptr_t)bytes;
    data->d_size = size;
    data->d_type = type;
    data->d_version = EV_CURRENT;
    data->d_align = 1;
    data->d_off = (int64_t)header.sh_size;
    header.sh_size += size;
    return gelf_update_shdr(scn, &header) ? 0 : edit_failed(e);
}

static int append_to_old(struct edit *e, size_t section, const void *bytes, size_t size,
                         Elf_Type type)
{
    Elf_Scn *scn = elf_getscn(e->elf, section);
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

    if (!data || !elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY))
        return edit_failed(e);
    e->grown[section] = true;
    return append(e, scn, bytes, size, type);
}

static int place(struct edit *e, Elf_Scn *scn)
{
    GElf_Shdr header;
    uint64_t align;

    if (!scn || !gelf_getshdr(scn, &header))
        return edit_failed(e);
    align = header.sh_addralign > 1 ? header.sh_addralign : 1;
    header.sh_offset = (e->end_bytes + align - 1) / align * align;
    e->end_bytes = header.sh_offset + header.sh_size;
    return gelf_update_shdr(scn, &header) ? 0 : edit_failed(e);
}

static int new_section(struct edit *e, GElf_Shdr header, const void *bytes, Elf_Type type,
                       size_t *index)
{
    Elf_Scn *scn = elf_newscn(e->elf);
    size_t size = header.sh_size;
    int status;

    header.sh_size = 0;
    if (!scn || !gelf_update_shdr(scn, &header))
        return edit_failed(e);
    *index = elf_ndxscn(scn);
    status = append(e, scn, bytes, size, type);
    return status ? status : place(e, scn);
}

static int add_to_group(struct edit *e, size_t text, Elf32_Word members[2], size_t loc, size_t rela)
{
    size_t group = e->object->groups[text];

    if (!group)
        return elf_file_bad_at(&e->object->file, text, 0,
                               "the section claims a group that does not list it; build it again");
    members[0] = (Elf32_Word)loc;
    members[1] = (Elf32_Word)rela;
    return append_to_old(e, group, members, 2 * sizeof *members, ELF_T_WORD);
}

/* Adds the __mcount_loc of one text section, whose sites are [first, first + count). */
static int add_records(struct edit *e, size_t first, size_t count)
{
    const struct object *o = e->object;
    size_t text = o->sites.at[first].section, loc, rela;
    const struct anchor *anchor = &o->anchors[text];
    Elf64_Rela *relas = e->relas + first;
    Elf_Scn *scn;
    GElf_Shdr text_header;
    uint64_t group;
    int status = elf_file_section(&o->file, text, &scn, &text_header);

    if (status)
        return status;
    if (anchor->rank == NO_ANCHOR)
        return elf_file_bad_at(&o->file, text, 0,
                               "no symbol to record the calls against: only weak ones; assemble "
                               "with GNU as");
    for (size_t i = 0; i < count; i++)
        relas[i] = (Elf64_Rela){
            .r_offset = i * SLOT_BYTES,
            .r_info = ELF64_R_INFO((uint64_t)anchor->symbol, R_RISCV_64),
            .r_addend = (int64_t)(o->sites.at[first + i].offset - anchor->value),
        };
    group = text_header.sh_flags & SHF_GROUP;
    status = new_section(e,
                         (GElf_Shdr){.sh_name = (uint32_t)(e->name_offset + strlen(".rela")),
                                     .sh_type = SHT_PROGBITS,
                                     .sh_flags = SHF_ALLOC | SHF_LINK_ORDER | group,
                                     .sh_link = (uint32_t)text,
                                     .sh_addralign = SLOT_BYTES,
                                     .sh_size = count * SLOT_BYTES},
                         e->zeros, ELF_T_BYTE, &loc);
    if (status)
        return status;
    status = new_section(e,
                         (GElf_Shdr){.sh_name = (uint32_t)e->name_offset,
                                     .sh_type = SHT_RELA,
                                     .sh_flags = SHF_INFO_LINK | group,
                                     .sh_link = (uint32_t)o->symtab,
                                     .sh_info = (uint32_t)loc,
                                     .sh_addralign = SLOT_BYTES,
                                     .sh_entsize = sizeof(Elf64_Rela),
                                     .sh_size = count * sizeof(Elf64_Rela)},
                         relas, ELF_T_RELA, &rela);
    if (!status && group)
        status = add_to_group(e, text, e->members + 2 * first, loc, rela);
    return status;
}

static int add_all_records(struct edit *e)
{
    const struct site_list *l = &e->object->sites;
    size_t next;

    for (size_t first = 0; first < l->count; first = next) {
        int status;

        for (next = first + 1; next < l->count; next++)
            if (l->at[next].section != l->at[first].section)
                break;
        status = add_records(e, first, next - first);
        if (status)
            return status;
    }
    return 0;
}

static int place_grown(struct edit *e)
{
    for (size_t i = 1; i < e->object->file.sections; i++) {
        int status = e->grown[i] ? place(e, elf_getscn(e->elf, i)) : 0;

        if (status)
            return status;
    }
    return 0;
}

static int edit_write(struct edit *e)
{
    GElf_Ehdr header;

    if (!gelf_getehdr(e->elf, &header))
        return edit_failed(e);
    header.e_shoff = (e->end_bytes + 7) / 8 * 8;
    if (!gelf_update_ehdr(e->elf, &header) || elf_update(e->elf, ELF_C_NULL) < 0)
        return edit_failed(e);
    if (elf_update(e->elf, ELF_C_WRITE) < 0)
        return elf_file_fail(e->object->file.path, EX_IOERR,
                             "cannot write a copy beside it (%s); check the space", elf_errmsg(-1));
    return 0;
}

static int edit_run(struct edit *e)
{
    const struct elf_file *f = &e->object->file;
    Elf_Scn *names = elf_getscn(e->elf, f->names);
    GElf_Shdr header;
    int status;

    if (!names || !gelf_getshdr(names, &header))
        return edit_failed(e);
    if (header.sh_size > UINT32_MAX - sizeof RELA_NAME)
        return elf_file_bad(f, "too many section names; split the object");
    e->name_offset = header.sh_size;
    status = append_to_old(e, f->names, RELA_NAME, sizeof RELA_NAME, ELF_T_BYTE);
    if (!status)
        status = add_all_records(e);
    if (!status)
        status = place_grown(e);
    return status ? status : edit_write(e);
}

static int add_sections(const struct object *o, int fd)
{
    struct edit e = {
        .object = o,
        .elf = elf_begin(fd, ELF_C_RDWR, NULL),
        .end_bytes = o->file.size_bytes,
        .zeros = calloc(o->sites.count, SLOT_BYTES),
        .relas = calloc(o->sites.count, sizeof *e.relas),
        .members = calloc(o->sites.count, 2 * sizeof *e.members),
        .grown = calloc(o->file.sections, sizeof *e.grown),
    };
    int status;

    if (!e.zeros || !e.relas || !e.members || !e.grown)
        status = elf_file_fail(o->file.path, EX_SOFTWARE, "out of memory; give a smaller file");
    /* Without ELF_F_DIRTY, libelf 0.188 writes section headers from uninitialised memory. */
    else if (!e.elf || !elf_flagelf(e.elf, ELF_C_SET, ELF_F_LAYOUT | ELF_F_DIRTY))
        status = edit_failed(&e);
    else
        status = edit_run(&e);
    elf_end(e.elf);
    free(e.zeros);
    free(e.relas);
    free(e.members);
    free(e.grown);
    return status;
}

/* Reads the copy back: it must have the same sites as the original, and their records. */
static int check_written(const struct object *o, const char *path)
{
    struct object again;
    int status = object_open(&again, path, o->symbol, SILENT);

    if (!status)
        status = object_check_records(&again);
    if (!status && !site_lists_equal(&again.sites, &o->sites))
        status = EX_SOFTWARE;
    object_close(&again);
    if (status)
        return elf_file_fail(o->file.path, EX_SOFTWARE,
                             "the records do not read back; the object is unchanged, report this "
                             "as a fault of recordmcount");
    return 0;
}

int object_extend(const struct object *o)
{
    struct replacement r;
    int status = replacement_begin(&r, &o->file);

    if (status)
        return status;
    status = add_sections(o, r.fd);
    if (!status)
        status = check_written(o, r.path);
    if (status) {
        replacement_abandon(&r);
        return status;
    }
    return replacement_commit(&r);
}
