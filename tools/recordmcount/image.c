/*
 * image.c - reads a linked kernel by its program headers, as a loader does.
 */
#include "image.h"
#include "call.h"
#include "recordmcount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

int image_out_of_memory(const struct image *m)
{
    return elf_file_fail(m->file.path, EX_SOFTWARE, "out of memory; link a smaller kernel");
}

/* ---- addresses ---- */

const struct segment *image_segment_at(const struct image *m, uint64_t address, uint64_t size_bytes)
{
    for (size_t i = 0; i < m->segment_count; i++) {
        const struct segment *s = &m->segments[i];

        if (address >= s->address && s->size_bytes >= size_bytes &&
            address - s->address <= s->size_bytes - size_bytes)
            return s;
    }
    return NULL;
}

size_t image_section_at(const struct image *m, uint64_t address, uint64_t *offset)
{
    for (size_t i = 1; i < m->file.sections; i++) {
        Elf_Scn *scn = elf_getscn(m->file.elf, i);
        GElf_Shdr h;

        if (!scn || !gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_ALLOC))
            continue;
        if (address >= h.sh_addr && address - h.sh_addr < h.sh_size) {
            *offset = address - h.sh_addr;
            return i;
        }
    }
    *offset = address;
    return 0;
}

static const struct function *function_at(const struct image *m, uint64_t address)
{
    size_t low = 0, high = m->function_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (m->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &m->functions[low - 1] : NULL;
}

/* ---- reading the image ---- */

static int read_segments(struct image *m)
{
    struct elf_file *f = &m->file;
    size_t count;

    if (elf_getphdrnum(f->elf, &count) != 0 || count == 0)
        return elf_file_bad(f, "no program headers; give a linked kernel");
    m->segments = calloc(count, sizeof *m->segments);
    if (!m->segments)
        return image_out_of_memory(m);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;

        if (i > INT32_MAX || !gelf_getphdr(f->elf, (int)i, &p))
            return elf_file_bad(f, "damaged program headers; link it again");
        if (p.p_type != PT_LOAD)
            continue;
        if (p.p_offset > f->size_bytes || f->size_bytes - p.p_offset < p.p_filesz)
            return elf_file_bad(f, "segment %zu reaches past the end of the file; link it again",
                                i);
        m->segments[m->segment_count++] = (struct segment){.address = p.p_vaddr,
                                                           .size_bytes = p.p_filesz,
                                                           .bytes = m->raw + p.p_offset,
                                                           .executable = p.p_flags & PF_X};
    }
    return 0;
}

static int note_wanted(const struct image *m, struct wanted *w, const char *name, const GElf_Sym *s)
{
    if (strcmp(name, w->name) != 0)
        return 0;
    if (w->found && w->value != s->st_value)
        return elf_file_bad(&m->file, "two symbols %s with different addresses; rename one", name);
    w->found = true;
    w->value = s->st_value;
    return 0;
}

static bool may_name_code(const GElf_Sym *s, const char *name)
{
    int type = GELF_ST_TYPE(s->st_info);

    return (type == STT_FUNC || type == STT_NOTYPE) && *name && *name != '$' &&
           strncmp(name, ".L", 2) != 0;
}

static int read_symbols_of(struct image *m, size_t section, const GElf_Shdr *header)
{
    struct elf_file *f = &m->file;
    Elf_Data *data;
    size_t count;
    int status = elf_file_data(f, section, &data);

    if (status)
        return status;
    count = data->d_size / sizeof(Elf64_Sym);
    m->functions = calloc(count ? count : 1, sizeof *m->functions);
    if (!m->functions)
        return image_out_of_memory(m);
    for (size_t i = 1; i < count; i++) {
        GElf_Sym s;
        const char *name;

        if (!gelf_getsym(data, (int)i, &s) || s.st_shndx == SHN_UNDEF)
            continue;
        name = elf_strptr(f->elf, header->sh_link, s.st_name);
        if (!name)
            return elf_file_bad_at(f, section, i * sizeof(Elf64_Sym),
                                   "the name of symbol %zu is outside of its table; link it again",
                                   i);
        status = note_wanted(m, &m->start, name, &s);
        if (!status)
            status = note_wanted(m, &m->stop, name, &s);
        if (!status)
            status = note_wanted(m, &m->mcount, name, &s);
        if (status)
            return status;
        if (s.st_shndx != SHN_ABS && may_name_code(&s, name))
            m->functions[m->function_count++] = (struct function){
                s.st_value, s.st_size, name,
                2 * (GELF_ST_TYPE(s.st_info) == STT_FUNC) + (GELF_ST_BIND(s.st_info) != STB_LOCAL)};
    }
    return 0;
}

static int function_compare(const void *va, const void *vb)
{
    const struct function *a = va, *b = vb;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight - b->weight;
    return strcmp(b->name, a->name);
}

static int read_symbols(struct image *m)
{
    struct elf_file *f = &m->file;
    GElf_Shdr header;
    size_t index;
    int status = elf_file_symtab(f, &index, &header);

    if (status)
        return status;
    if (!index)
        return elf_file_bad(f, "no symbol table; do not strip it before this step");
    status = read_symbols_of(m, index, &header);
    if (status)
        return status;
    qsort(m->functions, m->function_count, sizeof *m->functions, function_compare);
    return 0;
}

static int read_table(struct image *m)
{
    const struct elf_file *f = &m->file;
    uint64_t start = m->start.value, size = m->stop.value - start;
    const struct segment *s;

    if (!m->start.found || !m->stop.found)
        return elf_file_bad(f,
                            "no symbol %s; put " START_NAME " and " STOP_NAME
                            " around *(__mcount_loc) in the linker script",
                            m->start.found ? STOP_NAME : START_NAME);
    if (m->stop.value < start || size % SLOT_BYTES)
        return elf_file_bad(f,
                            STOP_NAME " (0x%" PRIx64
                                      ") is not a whole number of entries after " START_NAME
                                      " (0x%" PRIx64 "); correct the linker script",
                            m->stop.value, start);
    if (size == 0)
        return 0;
    s = image_segment_at(m, start, size);
    if (!s)
        return elf_file_bad(f,
                            "the table at 0x%" PRIx64 " is in no segment of the file; correct the "
                            "linker script",
                            start);
    m->count = size / SLOT_BYTES;
    m->table = calloc(m->count, sizeof *m->table);
    if (!m->table)
        return image_out_of_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const uint8_t *slot = s->bytes + (start - s->address) + i * SLOT_BYTES;

        m->table[i] = call_word(slot) | (uint64_t)call_word(slot + 4) << 32;
    }
    return 0;
}

int image_open(struct image *m, const char *path, const char *symbol)
{
    size_t size;
    int status;

    *m = (struct image){
        .symbol = symbol, .start.name = START_NAME, .stop.name = STOP_NAME, .mcount.name = symbol};
    status = elf_file_open(&m->file, path, ALOUD);
    if (status)
        return status;
    m->raw = (const uint8_t *)elf_rawfile(m->file.elf, &size);
    if (!m->raw || size < m->file.size_bytes)
        return elf_file_fail(path, EX_IOERR, "cannot read (%s); check the disk", elf_errmsg(-1));
    if (m->file.header.e_type != ET_EXEC && m->file.header.e_type != ET_DYN)
        return elf_file_bad(&m->file, "not a linked kernel; link the objects first");
    status = read_segments(m);
    if (!status)
        status = read_symbols(m);
    if (!status)
        status = read_table(m);
    return status;
}

void image_close(struct image *m)
{
    free(m->segments);
    free(m->functions);
    free(m->table);
    elf_file_close(&m->file);
}

/* ---- listing ---- */

static void print_site(const struct image *m, uint64_t site)
{
    const struct function *f = function_at(m, site);

    if (f)
        printf("0x%016" PRIx64 " %s+0x%" PRIx64 "\n", site, f->name, site - f->address);
    else
        printf("0x%016" PRIx64 " ?\n", site);
}

int image_list(const char *path, const struct request *request)
{
    struct image m;
    int status = image_open(&m, path, request->symbol);

    for (size_t i = 0; !status && i < m.count; i++)
        print_site(&m, m.table[i]);
    if (!status && request->verbose)
        printf("%s: %zu sites\n", path, m.count);
    image_close(&m);
    return status;
}
