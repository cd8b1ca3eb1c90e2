/*
 * elf_file.h - one RISC-V ELF file: opened and judged, complained about, replaced.
 *
 * A function that returns int returns 0 or an exit status of sysexits.h, and
 * in the second case has already told the user why, in one line.
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

/* SILENT: what is wrong with the file is not told, for the caller has something better to say. */
enum voice { ALOUD, SILENT };

struct elf_file {
    const char *path;
    enum voice voice;
    int fd;
    mode_t mode;
    uint64_t size_bytes;
    Elf *elf;
    GElf_Ehdr header;
    size_t sections; /* their number, past 0xff00 too */
    size_t names;    /* the section that holds the section names */
};

/* Accepts a 64-bit little-endian RISC-V ELF file with section headers, nothing else. */
MUST_USE int elf_file_open(struct elf_file *f, const char *path, enum voice voice);
void elf_file_close(struct elf_file *f);

/* A section by index; EX_DATAERR when there is none or its header is nonsense. */
MUST_USE int elf_file_section(const struct elf_file *f, size_t index, Elf_Scn **scn,
                              GElf_Shdr *header);
/* The bytes of a section, in the form libelf gives to its type. */
MUST_USE int elf_file_data(const struct elf_file *f, size_t index, Elf_Data **data);
/* Never NULL; a damaged name reads "section N" through elf_file_bad_at only. */
const char *elf_file_section_name(const struct elf_file *f, size_t index);
/* The one symbol table: its index, or 0 where there is none; EX_DATAERR when there are two. */
MUST_USE int elf_file_symtab(const struct elf_file *f, size_t *index, GElf_Shdr *header);
/* The section a symbol lives in (SHN_XINDEX resolved), 0 when it lives in none. */
size_t elf_file_symbol_section(const struct elf_file *f, const GElf_Sym *symbol, Elf_Data *xindex,
                               size_t number);
/* The SHT_SYMTAB_SHNDX data that belongs to symbol table `symtab`, or NULL. */
Elf_Data *elf_file_xindex(const struct elf_file *f, size_t symtab);

/* `what; remedy`: the line, and EX_DATAERR. */
PRINTF_LIKE(2) int elf_file_bad(const struct elf_file *f, const char *format, ...);
PRINTF_LIKE(4)
int elf_file_bad_at(const struct elf_file *f, size_t section, uint64_t offset, const char *format,
                    ...);
PRINTF_LIKE(3) int elf_file_fail(const char *path, int status, const char *format, ...);

/* A copy beside the file, to be edited through `fd`, which then takes the file's place or goes. */
struct replacement {
    const struct elf_file *file;
    char *target; /* the file itself, behind symbolic links */
    char *path;
    int fd;
};

MUST_USE int replacement_begin(struct replacement *r, const struct elf_file *f);
MUST_USE int replacement_commit(struct replacement *r);
void replacement_abandon(struct replacement *r);

#endif
