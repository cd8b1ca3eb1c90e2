/*
 * module.c - relocations of modules, as gcc emits them with -mno-relax and -mcmodel=medany.
 *
 * There is no PLT or GOT: modules are loaded within the reach of auipc and jalr from the
 * kernel.
 */
#include "../../../kernel/module/internal.h"
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>

static u32 read32(const void *p)
{
    u32 value;

    memcpy(&value, p, sizeof(value));
    return value;
}

static void write32(void *p, u32 value)
{
    memcpy(p, &value, sizeof(value));
}

/* Returns n bits of value from bit lo on, shifted to bit at. */
static u32 field(u64 value, unsigned int lo, unsigned int n, unsigned int at)
{
    return (u32)(value >> lo & ((1u << n) - 1)) << at;
}

static bool fits(s64 value, unsigned int bits)
{
    return value >= -(1ll << (bits - 1)) && value < 1ll << (bits - 1);
}

/* The lower twelve bits are sign-extended by jalr and loads: the upper part compensates for it. */
static u32 hi20(s64 offset)
{
    return (u32)(offset + 0x800) & 0xfffff000;
}

static void set_u(void *loc, s64 offset)
{
    write32(loc, (read32(loc) & 0xfff) | hi20(offset));
}

static void set_i(void *loc, s64 offset)
{
    write32(loc, (read32(loc) & 0xfffff) | field(offset, 0, 12, 20));
}

static void set_s(void *loc, s64 offset)
{
    write32(loc, (read32(loc) & 0x1fff07f) | field(offset, 5, 7, 25) | field(offset, 0, 5, 7));
}

static void set_b(void *loc, s64 offset)
{
    write32(loc, (read32(loc) & 0x1fff07f) | field(offset, 12, 1, 31) | field(offset, 5, 6, 25) |
                     field(offset, 1, 4, 8) | field(offset, 11, 1, 7));
}

static void set_j(void *loc, s64 offset)
{
    write32(loc, (read32(loc) & 0xfff) | field(offset, 20, 1, 31) | field(offset, 1, 10, 21) |
                     field(offset, 11, 1, 20) | field(offset, 12, 8, 12));
}

static void set_cb(void *loc, s64 offset)
{
    u16 insn = *(u16 *)loc & 0xe383;

    *(u16 *)loc = insn | field(offset, 8, 1, 12) | field(offset, 3, 2, 10) |
                  field(offset, 6, 2, 5) | field(offset, 1, 2, 3) | field(offset, 5, 1, 2);
}

static void set_cj(void *loc, s64 offset)
{
    u16 insn = *(u16 *)loc & 0xe003;

    *(u16 *)loc = insn | field(offset, 11, 1, 12) | field(offset, 4, 1, 11) |
                  field(offset, 8, 2, 9) | field(offset, 10, 1, 8) | field(offset, 6, 1, 7) |
                  field(offset, 7, 1, 6) | field(offset, 1, 3, 3) | field(offset, 5, 1, 2);
}

/* Sets a pc-relative branch or jump with an offset of this number of bits, if it fits. */
static int set_branch(void *loc, s64 offset, unsigned int bits, void (*set)(void *, s64))
{
    if (!fits(offset, bits) || (offset & 1))
        return -ERANGE;
    set(loc, offset);
    return 0;
}

static int set_upper(void *loc, s64 offset)
{
    if (!fits(offset + 0x800, 32))
        return -ERANGE;
    set_u(loc, offset);
    return 0;
}

static int set_call(void *loc, s64 offset)
{
    int err = set_upper(loc, offset);

    if (!err)
        set_i((char *)loc + 4, offset);
    return err;
}

static void add(void *loc, size_t size, u64 value)
{
    u64 old = 0;

    memcpy(&old, loc, size);
    old += value;
    memcpy(loc, &old, size);
}

static void *place_of(const struct load_info *info, unsigned int relsec, const Elf64_Rela *rel)
{
    return (char *)info->sechdrs[info->sechdrs[relsec].sh_info].sh_addr + rel->r_offset;
}

static u64 value_of(const struct load_info *info, const Elf64_Rela *rel)
{
    return info->symtab[ELF64_R_SYM(rel->r_info)].st_value + rel->r_addend;
}

/*
 * Finds the offset of a LO12 relocation: its symbol is the auipc, and the HI20 relocation there
 * has the offset.
 */
static int paired_offset(const struct load_info *info, unsigned int relsec, u64 hi_addr,
                         s64 *offset)
{
    const Elf64_Shdr *s = &info->sechdrs[relsec];
    const Elf64_Rela *rel = (const Elf64_Rela *)(info->image + s->sh_offset);
    u64 i;

    for (i = 0; i < s->sh_size / sizeof(*rel); i++) {
        if (ELF64_R_TYPE(rel[i].r_info) != R_RISCV_PCREL_HI20 ||
            (u64)place_of(info, relsec, &rel[i]) != hi_addr)
            continue;
        *offset = value_of(info, &rel[i]) - hi_addr;
        return 0;
    }
    return -ENOEXEC;
}

static int set_paired(const struct load_info *info, unsigned int relsec, void *loc, u64 hi_addr,
                      void (*set)(void *, s64))
{
    s64 offset;
    int err = paired_offset(info, relsec, hi_addr, &offset);

    if (!err)
        set(loc, offset);
    return err;
}

static int relocate(const struct load_info *info, unsigned int relsec, const Elf64_Rela *rel)
{
    void *loc = place_of(info, relsec, rel);
    u64 value = value_of(info, rel);
    s64 offset = value - (u64)loc;

    switch (ELF64_R_TYPE(rel->r_info)) {
    case R_RISCV_NONE:
    case R_RISCV_RELAX: return 0;
    case R_RISCV_32: write32(loc, value); return value == (u32)value ? 0 : -ERANGE;
    case R_RISCV_64: memcpy(loc, &value, sizeof(value)); return 0;
    case R_RISCV_BRANCH: return set_branch(loc, offset, 13, set_b);
    case R_RISCV_JAL: return set_branch(loc, offset, 21, set_j);
    case R_RISCV_RVC_BRANCH: return set_branch(loc, offset, 9, set_cb);
    case R_RISCV_RVC_JUMP: return set_branch(loc, offset, 12, set_cj);
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT: return set_call(loc, offset);
    case R_RISCV_PCREL_HI20: return set_upper(loc, offset);
    case R_RISCV_PCREL_LO12_I: return set_paired(info, relsec, loc, value, set_i);
    case R_RISCV_PCREL_LO12_S: return set_paired(info, relsec, loc, value, set_s);
    case R_RISCV_ADD32: add(loc, 4, value); return 0;
    case R_RISCV_ADD64: add(loc, 8, value); return 0;
    case R_RISCV_SUB32: add(loc, 4, -value); return 0;
    case R_RISCV_SUB64: add(loc, 8, -value); return 0;
    default: return -ENOEXEC;
    }
}

/* Number of bytes that a relocation changes. */
static unsigned int width_of(u32 type)
{
    switch (type) {
    case R_RISCV_NONE:
    case R_RISCV_RELAX: return 0;
    case R_RISCV_RVC_BRANCH:
    case R_RISCV_RVC_JUMP: return 2;
    case R_RISCV_64:
    case R_RISCV_ADD64:
    case R_RISCV_SUB64:
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT: return 8;
    default: return 4;
    }
}

static bool is_sane(const struct load_info *info, unsigned int relsec, const Elf64_Rela *rel)
{
    const Elf64_Shdr *target = &info->sechdrs[info->sechdrs[relsec].sh_info];

    return ELF64_R_SYM(rel->r_info) < info->num_syms && target->sh_type != SHT_NOBITS &&
           rel->r_offset <= target->sh_size &&
           target->sh_size - rel->r_offset >= width_of(ELF64_R_TYPE(rel->r_info));
}

int apply_relocate_add(const struct load_info *info, unsigned int relsec, const char *modname)
{
    const Elf64_Shdr *s = &info->sechdrs[relsec];
    const Elf64_Rela *rel = (const Elf64_Rela *)(info->image + s->sh_offset);
    u64 i;
    int err = 0;

    for (i = 0; i < s->sh_size / sizeof(*rel) && !err; i++) {
        err = is_sane(info, relsec, &rel[i]) ? relocate(info, relsec, &rel[i]) : -ENOEXEC;
        if (err)
            printk("%s: relocation %u at 0x%llx of section %u: error %d\n", modname,
                   ELF64_R_TYPE(rel[i].r_info), rel[i].r_offset, s->sh_info, err);
    }
    return err;
}
