/*
 * elf_file.h - opens, checks and replaces a RISC-V ELF file, and prints errors about it.
 *
 * A function that returns int returns 0, or an exit status of sysexits.h after it
 * has printed a message of one line.
 */
#ifndef RECORDMCOUNT_ELF_FILE_H
#define RECORDMCOUNT_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MUST_USE        __attribute__((warn_unused_result))
#define PRINTF_LIKE(at) __attribute__((format(printf, at, (at) + 1)))

/* SILENT: no messages about the file, because the caller prints its own. */
enum voice { ALOUD, SILENT };

struct elf_file {
    const char *path;
    enum voice voice;
    int fd;
    mode_t mode;
    uint64_t size_bytes;
    Elf *elf;
    GElf_Ehdr header;
    size_t sections; /* number of sections; may be more than 0xff00 */
    size_t names;    /* the section that holds the section names */
};

/* Opens a 64-bit little-endian RISC-V ELF file with section headers; refuses all others. */
MUST_USE int elf_file_open(struct elf_file *f, const char *path, enum voice voice);
void elf_file_close(struct elf_file *f);

/* A section by index; EX_DATAERR: it does not exist or its header is invalid. */
MUST_USE int elf_file_section(const struct elf_file *f, size_t index, Elf_Scn **scn,
                              GElf_Shdr *header);
/* The data of a section, as libelf converts it for the section's type. */
MUST_USE int elf_file_data(const struct elf_file *f, size_t index, Elf_Data **data);
/* The name of a section, never NULL. (elf_file_bad_at prints "section N" if it is damaged.) */
const char *elf_file_section_name(const struct elf_file *f, size_t index);
/* The symbol table: *index is 0 if there is none; EX_DATAERR: there is more than one. */
MUST_USE int elf_file_symtab(const struct elf_file *f, size_t *index, GElf_Shdr *header);
/* The section of a symbol, with SHN_XINDEX resolved; 0: it has none. */
size_t elf_file_symbol_section(const struct elf_file *f, const GElf_Sym *symbol, Elf_Data *xindex,
                               size_t number);
/* The SHT_SYMTAB_SHNDX data that belongs to symbol table `symtab`, or NULL. */
Elf_Data *elf_file_xindex(const struct elf_file *f, size_t symtab);

/* Prints an error, `what; remedy`, and returns EX_DATAERR. */
PRINTF_LIKE(2) int elf_file_bad(const struct elf_file *f, const char *format, ...);
PRINTF_LIKE(4)
int elf_file_bad_at(const struct elf_file *f, size_t section, uint64_t offset, const char *format,
                    ...);
PRINTF_LIKE(3) int elf_file_fail(const char *path, int status, const char *format, ...);

/* A copy in the file's directory, to be edited through `fd`. It then replaces the file or is
 * removed. */
struct replacement {
    const struct elf_file *file;
    char *target; /* the file itself, with symbolic links resolved */
    char *path;
    int fd;
};

MUST_USE int replacement_begin(struct replacement *r, const struct elf_file *f);
MUST_USE int replacement_commit(struct replacement *r);
void replacement_abandon(struct replacement *r);

#endif
