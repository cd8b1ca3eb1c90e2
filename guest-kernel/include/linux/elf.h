/* elf.h - the parts of an ELF file that say how a program lies in memory. */
#ifndef LINUX_ELF_H
#define LINUX_ELF_H

#include <linux/types.h>

#define ELFMAG      "\177ELF"
#define SELFMAG     4
#define EI_CLASS    4
#define EI_DATA     5
#define EI_NIDENT   16
#define ELFCLASS64  2
#define ELFDATA2LSB 1

enum { ET_REL = 1, ET_EXEC = 2, ET_DYN = 3 };
enum { EM_RISCV = 243 };
enum { PT_LOAD = 1, PT_INTERP = 3 };
enum { PF_X = 1, PF_W = 2, PF_R = 4 };

typedef struct {
    unsigned char e_ident[EI_NIDENT];
    u16 e_type, e_machine;
    u32 e_version;
    u64 e_entry, e_phoff, e_shoff;
    u32 e_flags;
    u16 e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

typedef struct {
    u32 p_type, p_flags;
    u64 p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
} Elf64_Phdr;

/* What a program finds behind its environment. */
enum {
    AT_NULL = 0,
    AT_PHDR = 3,
    AT_PHENT = 4,
    AT_PHNUM = 5,
    AT_PAGESZ = 6,
    AT_BASE = 7,
    AT_FLAGS = 8,
    AT_ENTRY = 9,
    AT_UID = 11,
    AT_EUID = 12,
    AT_GID = 13,
    AT_EGID = 14,
    AT_CLKTCK = 17,
    AT_SECURE = 23,
    AT_RANDOM = 25,
    AT_EXECFN = 31,
};

#endif
