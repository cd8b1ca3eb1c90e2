/*
 * elf.c - ELF images, through libelf. The header is checked here first, because
 * libelf's error messages do not say what is wrong.
 */
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/image_priv.h"

bool elf_is_elf(const struct file *f)
{
    return f->size >= SELFMAG && memcmp(f->bytes, ELFMAG, SELFMAG) == 0;
}

static enum exit_status refuse(const struct image *im, const struct diag *d, const char *why)
{
    diag_error(d, "%s: %s", im->path, why);
    return EXIT_BAD_FILE;
}

/* The error in the identification and type, with a remedy; NULL: there is none. */
static const char *wrong_header(const struct file *f)
{
    Elf64_Ehdr h;

    if (f->size < EI_NIDENT)
        return "is a truncated ELF, it ends within the header; copy it again";
    if (f->bytes[EI_CLASS] != ELFCLASS64)
        return "is a 32-bit ELF; build it for RV64 (-march=rv64gc)";
    if (f->bytes[EI_DATA] != ELFDATA2LSB)
        return "is a big-endian ELF; build it for little-endian RISC-V";
    if (f->size < sizeof h)
        return "is a truncated ELF, it ends within the header; copy it again";
    memcpy(&h, f->bytes, sizeof h);
    if (h.e_machine != EM_RISCV)
        return "is an ELF for another machine; build it for RISC-V (riscv64-unknown-elf-gcc)";
    if (h.e_type == ET_REL)
        return "is an object file; link it first";
    if (h.e_type != ET_EXEC && h.e_type != ET_DYN)
        return "is neither an executable nor a shared ELF; give a linked image";
    return NULL;
}

/* Whether `count` entries of `size` bytes at `offset` lie within the file. */
static bool within(const struct file *f, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset <= f->size && count * size <= f->size - offset; /* both below 2^16 */
}

static const char *wrong_tables(const struct file *f)
{
    Elf64_Ehdr h;

    memcpy(&h, f->bytes, sizeof h);
    if (!h.e_phnum || h.e_phentsize != sizeof(Elf64_Phdr))
        return "has no segments to load; link it as an executable";
    if (!within(f, h.e_phoff, h.e_phnum, h.e_phentsize))
        return "is a truncated ELF, its program headers lie beyond its end; copy it again";
    if (!within(f, h.e_shoff, h.e_shnum, h.e_shentsize))
        return "is a truncated ELF, its section headers lie beyond its end; copy it again";
    return NULL;
}

static enum exit_status add_segment(struct image *im, const GElf_Phdr *p, unsigned index,
                                    const struct diag *d)
{
    if (p->p_offset > im->file.size || p->p_filesz > im->file.size - p->p_offset) {
        diag_error(d, "%s: is a truncated ELF, segment %u lies beyond its end; copy it again",
                   im->path, index);
        return EXIT_BAD_FILE;
    }
    if (p->p_memsz < p->p_filesz || p->p_paddr + p->p_memsz < p->p_paddr ||
        p->p_vaddr + p->p_memsz < p->p_vaddr) {
        diag_error(d, "%s: segment %u has impossible sizes; link it anew", im->path, index);
        return EXIT_BAD_FILE;
    }
    image_add_segment(im, (struct image_segment){
                              .pa = p->p_paddr,
                              .va = p->p_vaddr,
                              .offset = p->p_offset,
                              .file_size = p->p_filesz,
                              .mem_size = p->p_memsz,
                              .flags = p->p_flags & (IMAGE_R | IMAGE_W | IMAGE_X),
                              .index = index,
                          });
    return EXIT_PASS;
}

static enum exit_status read_segments(struct image *im, Elf *elf, const struct diag *d)
{
    size_t count = 0;

    if (elf_getphdrnum(elf, &count) != 0)
        return refuse(im, d, "has damaged program headers; link it anew");
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;
        enum exit_status status;

        if (!gelf_getphdr(elf, (int)i, &p))
            return refuse(im, d, "has damaged program headers; link it anew");
        if (p.p_type != PT_LOAD || !p.p_memsz)
            continue;
        status = add_segment(im, &p, (unsigned)i, d);
        if (status != EXIT_PASS)
            return status;
    }
    if (!im->segment_count)
        return refuse(im, d, "has no segments to load; link it as an executable");
    return EXIT_PASS;
}

/*
 * Moves vmlinux to its load address. Its physical addresses are relative to its own start, which
 * begins with the Image header, so it goes where an Image with that header goes. False: a segment
 * would wrap around.
 */
static bool place_linux(struct image *im, uint64_t raw_base)
{
    const struct image_segment *first = &im->segments[0];
    uint64_t pa, shift;

    for (size_t i = 1; i < im->segment_count; i++)
        if (im->segments[i].va < first->va)
            first = &im->segments[i];
    if (!raw_linux_place(im->file.bytes + first->offset, first->file_size, raw_base, &pa))
        return true;
    shift = pa - first->pa;
    for (size_t i = 0; i < im->segment_count; i++) {
        struct image_segment *s = &im->segments[i];

        s->pa += shift;
        if (s->mem_size > UINT64_MAX - s->pa)
            return false;
    }
    return true;
}

static void add_text_section(struct image *im, const GElf_Shdr *sh)
{
    uint64_t code = SHF_EXECINSTR | SHF_ALLOC, pa, last;

    if ((sh->sh_flags & code) != code || !sh->sh_size)
        return;
    if (image_va_to_pa(im, sh->sh_addr, &pa) &&
        image_va_to_pa(im, sh->sh_addr + sh->sh_size - 1, &last) && last - pa == sh->sh_size - 1)
        image_add_text(im, (struct image_text){pa, sh->sh_addr, sh->sh_size});
}

static void note_host_symbol(struct image *im, const char *name, const GElf_Sym *sym)
{
    if (!name || sym->st_shndx == SHN_UNDEF)
        return;
    if (strcmp(name, "tohost") == 0)
        im->has_tohost = image_va_to_pa(im, sym->st_value, &im->tohost);
    else if (strcmp(name, "fromhost") == 0)
        im->has_fromhost = image_va_to_pa(im, sym->st_value, &im->fromhost);
}

static void read_host_symbols(struct image *im, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *data = elf_getdata(scn, NULL);

    if (!data || !sh->sh_entsize)
        return;
    for (size_t i = 0; i < data->d_size / sh->sh_entsize; i++) {
        GElf_Sym sym;

        if (gelf_getsym(data, (int)i, &sym))
            note_host_symbol(im, elf_strptr(elf, sh->sh_link, sym.st_name), &sym);
    }
}

/* Sections are optional: an ELF without them, or with damaged ones, can still be loaded. */
static void read_sections(struct image *im, Elf *elf)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr sh;

        if (!gelf_getshdr(scn, &sh))
            continue;
        add_text_section(im, &sh);
        if (sh.sh_type == SHT_SYMTAB)
            read_host_symbols(im, elf, scn, &sh);
    }
}

/* Linkers put the ELF's headers into the first segment if there is room before its sections. */
static void find_headers(struct image *im, Elf *elf)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        struct image_segment *s = &im->segments[i];
        uint64_t lowest = s->va + s->file_size;

        for (Elf_Scn *scn = NULL; s->offset == 0 && (scn = elf_nextscn(elf, scn));) {
            GElf_Shdr sh;

            if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_ALLOC) && sh.sh_addr >= s->va &&
                sh.sh_addr < lowest)
                lowest = sh.sh_addr;
        }
        if (s->offset == 0 && lowest < s->va + s->file_size)
            s->headers = lowest - s->va;
    }
}

static enum exit_status read_elf(struct image *im, Elf *elf, uint64_t raw_base,
                                 const struct diag *d)
{
    GElf_Ehdr h;
    enum exit_status status;

    if (!gelf_getehdr(elf, &h))
        return refuse(im, d, "has a damaged ELF header; link it anew");
    status = read_segments(im, elf, d);
    if (status != EXIT_PASS)
        return status;
    if (!place_linux(im, raw_base))
        return refuse(im, d, "has a Linux header with impossible sizes; build it anew");
    im->kind = IMAGE_ELF;
    im->entry = im->entry_va = h.e_entry;
    (void)image_va_to_pa(im, h.e_entry, &im->entry); /* stays as it is outside of the segments */
    read_sections(im, elf);
    find_headers(im, elf);
    return EXIT_PASS;
}

enum exit_status elf_read_image(struct image *im, uint64_t raw_base, const struct diag *d)
{
    const char *wrong = wrong_header(&im->file);
    enum exit_status status;
    Elf *elf;

    if (!wrong)
        wrong = wrong_tables(&im->file);
    if (wrong)
        return refuse(im, d, wrong);
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)im->file.bytes, im->file.size);
    if (!elf)
        return refuse(im, d, "has a damaged ELF header; link it anew");
    status = read_elf(im, elf, raw_base, d);
    elf_end(elf);
    return status;
}

/* Whether a byte of the file's range is in a segment. */
static bool is_loaded(const struct image *im, uint64_t offset, uint64_t size)
{
    for (size_t i = 0; i < im->segment_count; i++) {
        const struct image_segment *s = &im->segments[i];

        if (offset < s->offset + s->file_size && s->offset < offset + size)
            return true;
    }
    return false;
}

/* Gives whole pages back to the host; they are zero from then on. */
static void give_back(uint8_t *bytes, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    from = ((uintptr_t)bytes + page - 1) & -page,
                    end = ((uintptr_t)bytes + size) & -page;

    if (from < end)
        (void)madvise((void *)from, end - from, MADV_DONTNEED); /* an error leaves it as it is */
}

static void forget_section(struct image *im, Elf_Scn *scn)
{
    GElf_Shdr sh;

    if (gelf_getshdr(scn, &sh) && sh.sh_offset <= im->file.size &&
        sh.sh_size <= im->file.size - sh.sh_offset && !is_loaded(im, sh.sh_offset, sh.sh_size))
        give_back(im->file.bytes + sh.sh_offset, sh.sh_size);
}

void elf_forget_names(struct image *im)
{
    Elf *elf = elf_memory((char *)im->file.bytes, im->file.size);
    size_t names;

    if (elf && !elf_getshdrstrndx(elf, &names))
        for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
            GElf_Shdr sh;
            const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

            if (!name || sh.sh_type == SHT_NOBITS || elf_ndxscn(scn) == names)
                continue;
            if (sh.sh_type == SHT_SYMTAB || !strcmp(name, ".strtab") ||
                !strncmp(name, ".debug_", 7))
                forget_section(im, scn);
        }
    elf_end(elf);
}
