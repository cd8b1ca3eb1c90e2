/* elf.h - ELF structures and constants, as far as the loaders of programs and modules need them. */
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

typedef struct {
    u32 sh_name, sh_type;
    u64 sh_flags, sh_addr, sh_offset, sh_size;
    u32 sh_link, sh_info;
    u64 sh_addralign, sh_entsize;
} Elf64_Shdr;

typedef struct {
    u32 st_name;
    unsigned char st_info, st_other;
    u16 st_shndx;
    u64 st_value, st_size;
} Elf64_Sym;

typedef struct {
    u64 r_offset, r_info;
    s64 r_addend;
} Elf64_Rela;

enum { SHT_SYMTAB = 2, SHT_STRTAB = 3, SHT_RELA = 4, SHT_NOBITS = 8 };
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXECINSTR = 4 };
enum { SHN_UNDEF = 0, SHN_ABS = 0xfff1 };
enum { STB_WEAK = 2, STT_FUNC = 2 };

#define ELF64_ST_BIND(info) ((info) >> 4)
#define ELF64_ST_TYPE(info) ((info)&15)
#define ELF64_R_SYM(info)   ((u32)((info) >> 32))
#define ELF64_R_TYPE(info)  ((u32)(info))

/* Relocation types of the RISC-V psABI. */
enum {
    R_RISCV_NONE = 0,
    R_RISCV_32 = 1,
    R_RISCV_64 = 2,
    R_RISCV_BRANCH = 16,
    R_RISCV_JAL = 17,
    R_RISCV_CALL = 18,
    R_RISCV_CALL_PLT = 19,
    R_RISCV_PCREL_HI20 = 23,
    R_RISCV_PCREL_LO12_I = 24,
    R_RISCV_PCREL_LO12_S = 25,
    R_RISCV_HI20 = 26,
    R_RISCV_LO12_I = 27,
    R_RISCV_LO12_S = 28,
    R_RISCV_ADD32 = 35,
    R_RISCV_ADD64 = 36,
    R_RISCV_SUB32 = 39,
    R_RISCV_SUB64 = 40,
    R_RISCV_RVC_BRANCH = 44,
    R_RISCV_RVC_JUMP = 45,
    R_RISCV_RELAX = 51,
};

/* Types of the auxiliary vector. */
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
    AT_HWCAP = 16,
    AT_CLKTCK = 17,
    AT_SECURE = 23,
    AT_RANDOM = 25,
    AT_EXECFN = 31,
};

#endif
