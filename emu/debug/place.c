/*
 * place.c - addresses: what they are called, what lies there, and where in
 * physical memory that is.
 *
 * Before the kernel has switched translation on its symbols name addresses
 * that no hart can translate. The image knows where they lie, so names, memory
 * and breakpoints work from the first instruction.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/decode.h"
#include "debug/debugger_priv.h"
#include "load/image.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* ---- names ---- */

uint64_t place_canonical(const struct debugger *d, uint64_t address)
{
    uint64_t va;

    if (symbols_at(d->config.symbols, address, NULL) ||
        !image_pa_to_va(machine_image(d->machine), address, &va))
        return address;
    return va;
}

void place_name(const struct debugger *d, uint64_t address, char *text, size_t size)
{
    uint64_t offset = 0;
    const char *name = symbols_at(d->config.symbols, place_canonical(d, address), &offset);

    if (!name)
        snprintf(text, size, "%s", "");
    else if (offset)
        snprintf(text, size, "%s+0x%" PRIx64, name, offset);
    else
        snprintf(text, size, "%s", name);
}

static void name_for_disasm(void *ctx, uint64_t address, char *text, size_t size)
{
    place_name(ctx, address, text, size);
}

struct disasm_names place_names(struct debugger *d)
{
    return (struct disasm_names){name_for_disasm, d};
}

void print_place(const struct debugger *d, uint64_t address)
{
    char name[NAME_MAX_LEN];

    place_name(d, address, name, sizeof name);
    fprintf(d->out, "0x%016" PRIx64, address);
    if (name[0])
        fprintf(d->out, " <%s>", name);
}

bool place_function(const struct debugger *d, uint64_t address, uint64_t *start, uint64_t *end)
{
    uint64_t va = place_canonical(d, address);
    const struct symbol *s = symbols_function_at(d->config.symbols, va);

    if (!s)
        s = symbols_lookup(d->config.symbols, va);
    if (!s)
        return false;
    *start = s->addr + (address - va);
    *end = s->end + (address - va);
    return true;
}

/* ---- sources ---- */

static bool line_at(const struct debugger *d, uint64_t address, struct line_place *place)
{
    return lines_at(d->config.lines, place_canonical(d, address), place) && place->file &&
           place->line;
}

bool place_line(const struct debugger *d, uint64_t address, char *text, size_t size)
{
    struct line_place place;

    if (!line_at(d, address, &place))
        return false;
    snprintf(text, size, "%s:%u", place.file, place.line);
    return true;
}

void print_source(const struct debugger *d, uint64_t address)
{
    struct line_place place;
    char *line = NULL;
    size_t size = 0;
    ssize_t len = 0;
    FILE *f;

    if (!line_at(d, address, &place))
        return;
    f = fopen(place.file, "r");
    for (unsigned n = 0; f && n < place.line && len >= 0; n++)
        len = getline(&line, &size, f);
    if (f && len > 0)
        fprintf(d->out, "   %.*s\n", (int)strcspn(line, "\r\n"), line);
    free(line);
    if (f)
        fclose(f);
}

/* ---- memory ---- */

static bool read_by_any(const struct debugger *d, uint64_t va, void *to, unsigned len)
{
    if (hart_peek(d->view, va, to, len))
        return true;
    for (unsigned i = 0; i < hart_count(d); i++)
        if (hart_peek(cluster_hart(d->cluster, i), va, to, len))
            return true;
    return false;
}

/* Where an address lies that no hart maps: as the image says, or else as if it were physical. */
static uint64_t unmapped_physical(const struct debugger *d, uint64_t address)
{
    uint64_t pa;

    return image_va_to_pa(machine_image(d->machine), address, &pa) ? pa : address;
}

bool place_read(const struct debugger *d, uint64_t va, void *to, unsigned len)
{
    return read_by_any(d, va, to, len) ||
           bus_read(cluster_bus(d->cluster), unmapped_physical(d, va), to, len);
}

/* Code need not be readable, only executable. */
static bool translate(struct hart *h, uint64_t va, uint64_t *pa)
{
    uint8_t parcel[2];

    if (!hart_peek(h, va, parcel, sizeof parcel)) /* untranslated, every address has a pa */
        return false;
    return hart_translate(h, va, ACCESS_FETCH, pa) || hart_translate(h, va, ACCESS_LOAD, pa);
}

bool place_physical(const struct debugger *d, uint64_t va, uint64_t *pa)
{
    uint8_t parcel[2];

    if (translate(d->view, va, pa))
        return true;
    for (unsigned i = 0; i < hart_count(d); i++)
        if (translate(cluster_hart(d->cluster, i), va, pa))
            return true;
    *pa = unmapped_physical(d, va);
    return bus_read(cluster_bus(d->cluster), *pa, parcel, sizeof parcel);
}

bool place_word(const struct debugger *d, uint64_t va, uint32_t *word)
{
    uint16_t low, high = 0;

    if (!place_read(d, va, &low, sizeof low))
        return false;
    if (insn_size(low) == 4 && !place_read(d, va + 2, &high, sizeof high))
        return false;
    *word = low | (uint32_t)high << 16;
    return true;
}

/* ---- registers ---- */

/* The register's number, or -1. */
static int integer_register(const char *name)
{
    char *end;
    unsigned long number;

    if (!strcmp(name, "fp"))
        return REG_S0;
    for (unsigned i = 0; i < 32; i++)
        if (!strcmp(name, reg_name(i)))
            return (int)i;
    if (name[0] != 'x' || name[1] < '0' || name[1] > '9')
        return -1;
    number = strtoul(name + 1, &end, 10);
    return !*end && number < 32 ? (int)number : -1;
}

/* By ABI name or as f0 to f31; -1: no such register. */
static int float_register(const char *name)
{
    char *end;
    unsigned long number;

    for (unsigned i = 0; i < 32; i++)
        if (!strcmp(name, freg_name(i)))
            return (int)i;
    if (name[0] != 'f' || name[1] < '0' || name[1] > '9')
        return -1;
    number = strtoul(name + 1, &end, 10);
    return !*end && number < 32 ? (int)number : -1;
}

enum { CSR_NUMBERS = 4096 };

static bool find_csr(const char *name, unsigned *number)
{
    for (*number = 0; *number < CSR_NUMBERS; ++*number) {
        const char *known = csr_name(*number);

        if (known && !strcmp(known, name))
            return true;
    }
    return false;
}

bool register_get(struct hart *h, const char *name, uint64_t *value)
{
    int reg = integer_register(name);
    unsigned csr;

    if (!strcmp(name, "pc")) {
        *value = hart_pc(h);
        return true;
    }
    if (reg >= 0) {
        *value = hart_reg(h, (unsigned)reg);
        return true;
    }
    reg = float_register(name);
    if (reg >= 0) {
        *value = hart_freg(h, (unsigned)reg);
        return true;
    }
    return find_csr(name, &csr) && hart_csr(h, csr, value);
}

bool register_set(struct hart *h, const char *name, uint64_t value)
{
    int reg = integer_register(name);
    unsigned csr;

    if (!strcmp(name, "pc")) {
        hart_set_pc(h, value);
        return true;
    }
    if (reg >= 0) {
        hart_set_reg(h, (unsigned)reg, value);
        return true;
    }
    reg = float_register(name);
    if (reg >= 0) {
        hart_set_freg(h, (unsigned)reg, value);
        return true;
    }
    return find_csr(name, &csr) && hart_set_csr(h, csr, value);
}
