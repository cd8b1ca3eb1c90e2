/*
 * registers.c - the harts' registers by number and by name (target.h).
 *
 * The numbers are those of gdb (its riscv-tdep.h) and of its target
 * descriptions: x0 to x31, pc, f0 to f31, the CSRs, the privilege mode; and the expected landing
 * pad (ELP) after it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/isa/disasm.h"
#include "cpu/isa/extension.h"
#include "cpu/isa/isa.h"
#include "debug/target/target_priv.h"

enum { XLEN = 64 };

static bool has_floats(const struct target *t)
{
    return cluster_extensions(t->cluster) >> EXT_F & 1;
}

static enum target_register_type general_type(unsigned reg)
{
    switch (reg) {
    case REG_RA: return TARGET_CODE_POINTER;
    case REG_SP:
    case REG_GP:
    case REG_TP:
    case REG_S0: return TARGET_DATA_POINTER;
    default: return TARGET_INT;
    }
}

/*
 * Whether a CSR is writable, by the top two bits of its number: 3 means read-only (ISA vol. II,
 * 2.1).
 */
static bool csr_is_writable(unsigned csr)
{
    return csr >> 10 != 3;
}

/* Describes a CSR by hart 0: all harts have the same ones. */
static bool describe_csr(const struct target *t, unsigned csr, struct target_register *r)
{
    uint64_t value;

    *r = (struct target_register){
        .name = csr_name(csr), .bits = XLEN, .group = TARGET_CSR, .writable = csr_is_writable(csr)};
    return r->name && hart_csr(target_hart_at(t, 0), csr, &value);
}

/* Describes what a hart keeps in no register. */
static bool describe_virtual(const struct target *t, unsigned number, struct target_register *r)
{
    *r = (struct target_register){
        .name = number == TARGET_REG_PRIV ? "priv" : "elp", .bits = 8, .group = TARGET_VIRTUAL};
    return number == TARGET_REG_PRIV ||
           (number == TARGET_REG_ELP && cluster_extensions(t->cluster) & EXTS_Zicfilp);
}

bool target_register(const struct target *t, unsigned number, struct target_register *r)
{
    if (number < TARGET_REG_PC) {
        *r = (struct target_register){.name = reg_name(number),
                                      .bits = XLEN,
                                      .type = general_type(number),
                                      .writable = number != REG_ZERO};
        return true;
    }
    if (number == TARGET_REG_PC) {
        *r = (struct target_register){
            .name = "pc", .bits = XLEN, .type = TARGET_CODE_POINTER, .writable = true};
        return true;
    }
    if (number < TARGET_REG_CSR) {
        *r = (struct target_register){.name = freg_name(number - TARGET_REG_F0),
                                      .bits = XLEN,
                                      .group = TARGET_FLOAT,
                                      .type = TARGET_DOUBLE,
                                      .writable = true};
        return has_floats(t);
    }
    if (number < TARGET_REG_PRIV)
        return describe_csr(t, number - TARGET_REG_CSR, r);
    return describe_virtual(t, number, r);
}

/* ---- by name ---- */

/* Returns the number in "x7" for the prefix 'x'; -1: the name has another form. */
static int numbered(const char *name, char prefix)
{
    char *end;
    unsigned long number;

    if (name[0] != prefix || name[1] < '0' || name[1] > '9')
        return -1;
    number = strtoul(name + 1, &end, 10);
    return !*end && number < 32 ? (int)number : -1;
}

/* Returns the number of a register that is not a CSR; -1: not found. */
static int find_plain(const char *name)
{
    int number = numbered(name, 'x');

    if (number >= 0)
        return TARGET_REG_X0 + number;
    number = numbered(name, 'f');
    if (number >= 0)
        return TARGET_REG_F0 + number;
    for (unsigned i = 0; i < 32; i++) {
        if (!strcmp(name, reg_name(i)))
            return (int)(TARGET_REG_X0 + i);
        if (!strcmp(name, freg_name(i)))
            return (int)(TARGET_REG_F0 + i);
    }
    if (!strcmp(name, "fp"))
        return TARGET_REG_X0 + REG_S0;
    if (!strcmp(name, "pc"))
        return TARGET_REG_PC;
    if (!strcmp(name, "elp"))
        return TARGET_REG_ELP;
    return strcmp(name, "priv") != 0 ? -1 : TARGET_REG_PRIV;
}

int target_find_register(const struct target *t, const char *name)
{
    struct target_register r;
    int number = find_plain(name);

    if (number >= 0)
        return target_register(t, (unsigned)number, &r) ? number : -1;
    for (unsigned csr = 0; csr < TARGET_REG_PRIV - TARGET_REG_CSR; csr++) {
        const char *known = csr_name(csr);

        if (known && !strcmp(known, name) && target_register(t, TARGET_REG_CSR + csr, &r))
            return (int)(TARGET_REG_CSR + csr);
    }
    return -1;
}

/* ---- values ---- */

static enum target_error check(const struct target *t, unsigned hart, unsigned number,
                               struct target_register *r)
{
    if (hart >= target_hart_count(t))
        return TARGET_NO_HART;
    return target_register(t, number, r) ? TARGET_OK : TARGET_NO_REGISTER;
}

enum target_error target_get_register(const struct target *t, unsigned hart, unsigned number,
                                      uint64_t *value)
{
    struct target_register r;
    struct hart *h = target_hart_at(t, hart);
    enum target_error error = check(t, hart, number, &r);

    if (error)
        return error;
    if (number < TARGET_REG_PC)
        *value = hart_reg(h, number);
    else if (number == TARGET_REG_PC)
        *value = hart_pc(h);
    else if (number < TARGET_REG_CSR)
        *value = hart_freg(h, number - TARGET_REG_F0);
    else if (number == TARGET_REG_PRIV)
        *value = hart_mode(h);
    else if (number == TARGET_REG_ELP)
        *value = hart_expects_landing(h);
    else if (!hart_csr(h, number - TARGET_REG_CSR, value))
        return TARGET_NO_REGISTER;
    return TARGET_OK;
}

enum target_error target_set_register(struct target *t, unsigned hart, unsigned number,
                                      uint64_t value)
{
    struct target_register r;
    struct hart *h = target_hart_at(t, hart);
    enum target_error error = check(t, hart, number, &r);

    if (error || !r.writable)
        return error ? error : TARGET_READ_ONLY;
    if (number < TARGET_REG_PC)
        hart_set_reg(h, number, value);
    else if (number == TARGET_REG_PC)
        hart_set_pc(h, value);
    else if (number < TARGET_REG_CSR)
        hart_set_freg(h, number - TARGET_REG_F0, value);
    else if (!hart_set_csr(h, number - TARGET_REG_CSR, value))
        return TARGET_NO_REGISTER;
    history_depart(t);
    return TARGET_OK;
}

/* ---- vectors ---- */

int target_find_vector(const struct target *t, const char *name)
{
    unsigned bytes;
    char *end;
    unsigned long reg;

    if (name[0] != 'v' || !isdigit((unsigned char)name[1]) || !target_vector(t, 0, 0, &bytes))
        return -1;
    reg = strtoul(name + 1, &end, 10);
    return *end || reg > 31 ? -1 : (int)reg;
}

const uint8_t *target_vector(const struct target *t, unsigned hart, unsigned reg, unsigned *bytes)
{
    *bytes = 0;
    return hart < target_hart_count(t) ? hart_vector(target_hart_at(t, hart), reg, bytes) : NULL;
}

enum target_error target_set_vector(struct target *t, unsigned hart, unsigned reg,
                                    const uint8_t *from)
{
    unsigned bytes;

    if (!target_vector(t, hart, reg, &bytes))
        return TARGET_NO_REGISTER;
    hart_set_vector(target_hart_at(t, hart), reg, from);
    history_depart(t);
    return TARGET_OK;
}
