/* elf.c - sections, symbols and relocations of an object file of BPF. */
#include "bpf.h"

enum { EM_BPF = 247, SHT_REL = 9 };

static bool inside(const struct object *o, uint64_t at, uint64_t size)
{
    return at <= o->file.size && size <= o->file.size - at;
}

static void check_sections(const struct object *o, const char *path)
{
    unsigned int i;

    for (i = 0; i < o->nr_sections; i++) {
        const Elf64_Shdr *s = &o->sections[i];

        if (s->sh_type != SHT_NOBITS && !inside(o, s->sh_offset, s->sh_size))
            fail(path, "a section is not within the file");
        if (s->sh_link >= o->nr_sections)
            fail(path, "a section is linked to none");
        /* So that names end. */
        if (s->sh_type == SHT_STRTAB && s->sh_size &&
            o->file.at[s->sh_offset + s->sh_size - 1] != 0)
            fail(path, "a table of names has no end");
    }
}

static void find_symbols(struct object *o, const char *path)
{
    unsigned int i;

    for (i = 0; i < o->nr_sections; i++) {
        const Elf64_Shdr *s = &o->sections[i];

        if (s->sh_type != SHT_SYMTAB)
            continue;
        if (o->sections[s->sh_link].sh_type != SHT_STRTAB || s->sh_offset % 8)
            fail(path, "symbols have no names");
        o->symbols = (const Elf64_Sym *)(o->file.at + s->sh_offset);
        o->nr_symbols = s->sh_size / sizeof(*o->symbols);
        o->strings = o->file.at + o->sections[s->sh_link].sh_offset;
        for (i = 0; i < o->nr_symbols; i++)
            if (o->symbols[i].st_name >= o->sections[s->sh_link].sh_size)
                fail(path, "a symbol has no name");
        return;
    }
    fail(path, "there are no symbols");
}

void open_object(struct object *o, const char *path)
{
    const Elf64_Ehdr *e;

    o->file = contents(path);
    if (!o->file.at)
        fail(path, "cannot be read");
    e = (const Elf64_Ehdr *)o->file.at;
    if (o->file.size < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
        e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_ident[EI_DATA] != ELFDATA2LSB ||
        e->e_type != ET_REL || e->e_machine != EM_BPF)
        fail(path, "is no object of clang -target bpf");
    if (e->e_shoff % 8 || e->e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(o, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)) ||
        e->e_shstrndx >= e->e_shnum)
        fail(path, "its sections are not within the file");
    o->sections = (const Elf64_Shdr *)(o->file.at + e->e_shoff);
    o->nr_sections = e->e_shnum;
    check_sections(o, path);
    if (o->sections[e->e_shstrndx].sh_type != SHT_STRTAB)
        fail(path, "sections have no names");
    find_symbols(o, path);
}

const char *section_name(const struct object *o, unsigned int section)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)o->file.at;
    const Elf64_Shdr *names = &o->sections[e->e_shstrndx];
    uint32_t at = o->sections[section].sh_name;

    return at < names->sh_size ? o->file.at + names->sh_offset + at : "";
}

unsigned int find_section(const struct object *o, const char *name)
{
    unsigned int i;

    for (i = 1; i < o->nr_sections; i++)
        if (!strcmp(section_name(o, i), name))
            return i;
    return 0;
}

const char *section_data(const struct object *o, unsigned int section)
{
    return o->file.at + o->sections[section].sh_offset;
}

const char *symbol_name(const struct object *o, const Elf64_Sym *symbol)
{
    return o->strings + symbol->st_name;
}

const Elf64_Rel *relocations(const struct object *o, unsigned int section, unsigned int *count)
{
    unsigned int i;

    *count = 0;
    for (i = 1; i < o->nr_sections; i++) {
        const Elf64_Shdr *s = &o->sections[i];

        if (s->sh_type != SHT_REL || s->sh_info != section || s->sh_offset % 8)
            continue;
        *count = s->sh_size / sizeof(Elf64_Rel);
        return (const Elf64_Rel *)section_data(o, i);
    }
    return NULL;
}
