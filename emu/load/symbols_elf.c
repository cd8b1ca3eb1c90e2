/*
 * symbols_elf.c - symbols of an ELF, through libelf. Of a damaged table the
 * symbols that can be read are used, without a message: symbols are optional.
 */
#include <gelf.h>
#include <string.h>

#include "load/symbols_priv.h"

static uint64_t section_end(Elf *elf, size_t index)
{
    Elf_Scn *scn = index < SHN_LORESERVE ? elf_getscn(elf, index) : NULL;
    GElf_Shdr sh;

    return scn && gelf_getshdr(scn, &sh) ? sh.sh_addr + sh.sh_size : UINT64_MAX;
}

static enum symbol_kind kind_of(const GElf_Sym *sym)
{
    if (sym->st_shndx == SHN_ABS)
        return SYMBOL_ABSOLUTE;
    switch (GELF_ST_TYPE(sym->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC: return SYMBOL_FUNC;
    case STT_OBJECT: return SYMBOL_OBJECT;
    default: return SYMBOL_LABEL;
    }
}

static bool is_wanted(const GElf_Sym *sym)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);

    return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_COMMON && type != STT_SECTION &&
           type != STT_FILE && type != STT_TLS;
}

static void add_elf_symbol(struct symbols *s, Elf *elf, const GElf_Sym *sym, const char *name)
{
    unsigned binding = GELF_ST_BIND(sym->st_info);
    struct symbol y = {
        .addr = sym->st_value,
        .kind = kind_of(sym),
        .global = binding != STB_LOCAL,
        .weak = binding == STB_WEAK,
        .end = section_end(elf, sym->st_shndx),
    };

    if (name && is_wanted(sym))
        symbols_add(s, y, sym->st_size, name, strlen(name));
}

static void add_elf_table(struct symbols *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *data = elf_getdata(scn, NULL);

    if (!data || !sh->sh_entsize)
        return;
    for (size_t i = 0; i < data->d_size / sh->sh_entsize; i++) {
        GElf_Sym sym;

        if (gelf_getsym(data, (int)i, &sym))
            add_elf_symbol(s, elf, &sym, elf_strptr(elf, sh->sh_link, sym.st_name));
    }
}

static void add_elf_tables(struct symbols *s, Elf *elf, unsigned type)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr sh;

        if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
            add_elf_table(s, elf, scn, &sh);
    }
}

struct symbols *symbols_from_elf(const uint8_t *bytes, size_t size)
{
    struct symbols *s = symbols_new();
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = elf_memory((char *)bytes, size);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        add_elf_tables(s, elf, SHT_SYMTAB);
        if (!s->entries.len)
            add_elf_tables(s, elf, SHT_DYNSYM);
    }
    elf_end(elf);
    symbols_finish(s);
    return s;
}
