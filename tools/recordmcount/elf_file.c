/*
 * elf_file.c - opens, checks and replaces a RISC-V ELF file, and prints errors about it.
 *
 * Knows ELF and the file system, nothing of _mcount. Deliberately shares no code
 * with emu/load: two readers of one format check each other.
 */
#include "elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

enum { COPY_CHUNK_BYTES = 65536 };

/* Prints a message of one line: control characters in names from the file are replaced. */
static void print_line(const char *path, const char *place, const char *what)
{
    char *line = NULL;

    if (asprintf(&line, "recordmcount: %s: %s%s", path, place, what) < 0) {
        fputs("recordmcount: out of memory\n", stderr);
        return;
    }
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "%s\n", line);
    free(line);
}

__attribute__((format(printf, 3, 0))) static void
print_formatted(const char *path, const char *place, const char *format, va_list args)
{
    char *what = NULL;

    if (vasprintf(&what, format, args) < 0)
        what = NULL;
    print_line(path, place, what ? what : "out of memory");
    free(what);
}

int elf_file_fail(const char *path, int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_formatted(path, "", format, args);
    va_end(args);
    return status;
}

int elf_file_bad(const struct elf_file *f, const char *format, ...)
{
    va_list args;

    if (f->voice == SILENT)
        return EX_DATAERR;
    va_start(args, format);
    print_formatted(f->path, "", format, args);
    va_end(args);
    return EX_DATAERR;
}

int elf_file_bad_at(const struct elf_file *f, size_t section, uint64_t offset, const char *format,
                    ...)
{
    const char *name = elf_file_section_name(f, section);
    char *place = NULL;
    va_list args;
    int n;

    if (f->voice == SILENT)
        return EX_DATAERR;
    if (*name)
        n = asprintf(&place, "%s+0x%jx: ", name, (uintmax_t)offset);
    else
        n = asprintf(&place, "section %zu+0x%jx: ", section, (uintmax_t)offset);
    va_start(args, format);
    print_formatted(f->path, n < 0 ? "" : place, format, args);
    va_end(args);
    if (n >= 0)
        free(place);
    return EX_DATAERR;
}

/* ---- opening ---- */

static int status_of_open(int error)
{
    return error == ENOENT || error == ENOTDIR ? EX_NOINPUT : EX_IOERR;
}

static int check_is_riscv(struct elf_file *f)
{
    if (f->size_bytes == 0)
        return elf_file_bad(f, "the file is empty; build it again");
    if (elf_kind(f->elf) == ELF_K_AR)
        return elf_file_bad(f, "an archive; give its members one by one, before archiving");
    if (elf_kind(f->elf) != ELF_K_ELF)
        return elf_file_bad(f, "not an ELF file; give an object compiled for RISC-V");
    if (!gelf_getehdr(f->elf, &f->header))
        return elf_file_bad(f, "damaged ELF header (%s); build it again", elf_errmsg(-1));
    if (f->header.e_ident[EI_DATA] != ELFDATA2LSB)
        return elf_file_bad(f, "big-endian; give a little-endian RISC-V file");
    if (f->header.e_machine != EM_RISCV)
        return elf_file_bad(f, "for another machine (e_machine %u); give a file for RISC-V (%d)",
                            (unsigned)f->header.e_machine, EM_RISCV);
    if (gelf_getclass(f->elf) != ELFCLASS64)
        return elf_file_bad(f, "32-bit; compile for rv64");
    return 0;
}

/* Checks that libelf does not make: e_shentsize, and that the section headers lie in the file. */
static int check_has_sections(struct elf_file *f)
{
    Elf_Scn *scn;
    GElf_Shdr names;

    if (elf_getshdrnum(f->elf, &f->sections) != 0)
        return elf_file_bad(f, "damaged section header table (%s); build it again", elf_errmsg(-1));
    if (f->sections == 0)
        return elf_file_bad(f, "no section headers; build it again and do not strip it");
    if (f->header.e_shentsize != sizeof(Elf64_Shdr) || f->header.e_shoff > f->size_bytes ||
        (f->size_bytes - f->header.e_shoff) / sizeof(Elf64_Shdr) < f->sections)
        return elf_file_bad(f, "section header table outside the file; build it again");
    if (elf_getshdrstrndx(f->elf, &f->names) != 0 || f->names == 0)
        return elf_file_bad(f, "no section names; build it again");
    scn = elf_getscn(f->elf, f->names);
    if (!scn || !gelf_getshdr(scn, &names) || names.sh_type != SHT_STRTAB ||
        (names.sh_flags & SHF_COMPRESSED))
        return elf_file_bad(f, "no section names; build it again");
    return 0;
}

/* Checks all sections once, so that no other function meets one outside of the file. */
static int check_sections_lie_inside(struct elf_file *f)
{
    for (size_t i = 1; i < f->sections; i++) {
        Elf_Scn *scn;
        GElf_Shdr header;
        int status = elf_file_section(f, i, &scn, &header);

        if (status)
            return status;
        if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL)
            continue;
        if (header.sh_offset > f->size_bytes || f->size_bytes - header.sh_offset < header.sh_size)
            return elf_file_bad_at(f, i, 0,
                                   "the section reaches past the end of the file; "
                                   "build it again");
    }
    return 0;
}

static int open_regular(struct elf_file *f)
{
    struct stat st;

    f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return elf_file_fail(f->path, status_of_open(errno), "cannot open: %s; check the path",
                             strerror(errno));
    if (fstat(f->fd, &st) != 0)
        return elf_file_fail(f->path, EX_IOERR, "cannot stat: %s; check the disk", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return elf_file_bad(f, "not a regular file; give an object file");
    f->mode = st.st_mode & 07777;
    f->size_bytes = (uint64_t)st.st_size;
    return 0;
}

int elf_file_open(struct elf_file *f, const char *path, enum voice voice)
{
    int status;

    *f = (struct elf_file){.path = path, .voice = voice, .fd = -1};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return elf_file_fail(path, EX_SOFTWARE, "libelf is too old; rebuild recordmcount");
    status = open_regular(f);
    if (!status) {
        f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
        if (!f->elf && f->size_bytes)
            status = elf_file_bad(f, "libelf cannot read it (%s); build it again", elf_errmsg(-1));
    }
    if (!status)
        status = check_is_riscv(f);
    if (!status)
        status = check_has_sections(f);
    if (!status)
        status = check_sections_lie_inside(f);
    if (status)
        elf_file_close(f);
    return status;
}

void elf_file_close(struct elf_file *f)
{
    elf_end(f->elf);
    f->elf = NULL;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

/* ---- sections and symbols ---- */

int elf_file_section(const struct elf_file *f, size_t index, Elf_Scn **scn, GElf_Shdr *header)
{
    *scn = index && index < f->sections ? elf_getscn(f->elf, index) : NULL;
    if (!*scn || !gelf_getshdr(*scn, header))
        return elf_file_bad(f, "a reference to section %zu, which does not exist; build it again",
                            index);
    return 0;
}

int elf_file_data(const struct elf_file *f, size_t index, Elf_Data **data)
{
    Elf_Scn *scn = elf_getscn(f->elf, index);

    *data = scn ? elf_getdata(scn, NULL) : NULL;
    if (!*data || ((*data)->d_size && !(*data)->d_buf))
        return elf_file_bad_at(f, index, 0, "libelf cannot read the section (%s); build it again",
                               elf_errmsg(-1));
    return 0;
}

int elf_file_symtab(const struct elf_file *f, size_t *index, GElf_Shdr *header)
{
    *index = 0;
    for (size_t i = 1; i < f->sections; i++) {
        Elf_Scn *scn;
        GElf_Shdr at;
        int status = elf_file_section(f, i, &scn, &at);

        if (status)
            return status;
        if (at.sh_type != SHT_SYMTAB)
            continue;
        if (*index)
            return elf_file_bad_at(f, i, 0, "a second symbol table; build it again");
        *index = i;
        *header = at;
    }
    return 0;
}

const char *elf_file_section_name(const struct elf_file *f, size_t index)
{
    Elf_Scn *scn = elf_getscn(f->elf, index);
    GElf_Shdr header;
    const char *name = NULL;

    if (scn && gelf_getshdr(scn, &header))
        name = elf_strptr(f->elf, f->names, header.sh_name);
    return name ? name : "";
}

size_t elf_file_symbol_section(const struct elf_file *f, const GElf_Sym *symbol, Elf_Data *xindex,
                               size_t number)
{
    size_t section = symbol->st_shndx;

    if (section == SHN_XINDEX) {
        Elf32_Word wide = 0;

        if (!xindex || number >= xindex->d_size / sizeof(Elf32_Word))
            return 0;
        memcpy(&wide, (const char *)xindex->d_buf + number * sizeof wide, sizeof wide);
        section = wide;
    } else if (section >= SHN_LORESERVE) {
        return 0;
    }
    return section < f->sections ? section : 0;
}

Elf_Data *elf_file_xindex(const struct elf_file *f, size_t symtab)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr header;

    while ((scn = elf_nextscn(f->elf, scn)))
        if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
            header.sh_link == symtab)
            return elf_getdata(scn, NULL);
    return NULL;
}

/* ---- replacing ---- */

static int copy_bytes(int from, int to, uint64_t size_bytes)
{
    char chunk[COPY_CHUNK_BYTES];
    uint64_t done = 0;

    while (done < size_bytes) {
        ssize_t n = pread(from, chunk, sizeof chunk, (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        for (ssize_t put = 0; put < n;) {
            ssize_t m = write(to, chunk + put, (size_t)(n - put));

            if (m < 0 && errno == EINTR)
                continue;
            if (m < 0)
                return -1;
            put += m;
        }
        done += (uint64_t)n;
    }
    return 0;
}

int replacement_begin(struct replacement *r, const struct elf_file *f)
{
    *r = (struct replacement){.file = f, .fd = -1};
    r->target = realpath(f->path, NULL);
    if (!r->target)
        return elf_file_fail(f->path, EX_IOERR, "cannot resolve: %s; check the path",
                             strerror(errno));
    if (asprintf(&r->path, "%s.XXXXXX", r->target) < 0) {
        r->path = NULL;
        replacement_abandon(r);
        return elf_file_fail(f->path, EX_SOFTWARE, "out of memory");
    }
    r->fd = mkostemp(r->path, O_CLOEXEC);
    if (r->fd < 0 || fchmod(r->fd, f->mode) != 0 || copy_bytes(f->fd, r->fd, f->size_bytes) != 0) {
        int error = errno;

        replacement_abandon(r);
        return elf_file_fail(f->path, EX_IOERR,
                             "cannot write a copy beside it: %s; check space and permissions",
                             strerror(error));
    }
    return 0;
}

static void replacement_free(struct replacement *r)
{
    free(r->path);
    free(r->target);
    *r = (struct replacement){.fd = -1};
}

int replacement_commit(struct replacement *r)
{
    const char *path = r->file->path;
    int failed = close(r->fd) != 0;

    r->fd = -1;
    if (failed || rename(r->path, r->target) != 0) {
        int error = errno;

        unlink(r->path);
        replacement_free(r);
        return elf_file_fail(path, EX_IOERR, "cannot replace: %s; check space and permissions",
                             strerror(error));
    }
    replacement_free(r);
    return 0;
}

void replacement_abandon(struct replacement *r)
{
    if (r->fd >= 0) {
        close(r->fd);
        unlink(r->path);
    }
    replacement_free(r);
}
