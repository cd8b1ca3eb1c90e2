/*
 * machine_info.c - `info registers', `info vector', `info devices', `info pagetable', `info tlb'.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/isa/disasm.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/lang/dwarf.h"
#include "load/image.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* ---- registers ---- */

enum { NAME_WIDTH = 15 };

static void print_float(struct debugger *d, uint64_t bits)
{
    struct language *l = d->language;
    const struct print_format plain = {.letter = 0};
    struct types *t = language_types(l);

    fprintf(d->out, "{float = ");
    value_print_inside(l, d->out, value_of_bytes(l, type_float(t, 4), &bits, 4), plain, false);
    fprintf(d->out, ", double = ");
    value_print_inside(l, d->out, value_of_bytes(l, type_float(t, 8), &bits, 8), plain, false);
    fprintf(d->out, "}\t(raw 0x%016" PRIx64 ")\n", bits);
}

/* Prints a register as gdb does: in hexadecimal, and as a number or an address. */
static void print_register(struct debugger *d, unsigned number)
{
    const struct print_format plain = {.letter = 0};
    const struct language_env *env = language_env(d->language);
    struct target_register r;
    uint64_t value = 0;

    if (!target_register(d->target, number, &r))
        return;
    fprintf(d->out, "%-*s", NAME_WIDTH, number == TARGET_REG_X0 + 8 ? "fp" : r.name);
    if (!env->get_register(env->ctx, number, &value)) {
        fprintf(d->out, "<not saved>\n");
        return;
    }
    if (r.type == TARGET_DOUBLE) {
        print_float(d, value);
        return;
    }
    fprintf(d->out, "0x%" PRIx64 "\t", value);
    if (number == TARGET_REG_PRIV)
        fprintf(d->out, "prv:%" PRIu64 " [%s]", value,
                value == 3   ? "Machine"
                : value == 1 ? "Supervisor"
                             : "User/Application");
    else
        value_print_inside(d->language, d->out, value_of_register(d->language, number), plain,
                           false);
    fprintf(d->out, "\n");
}

static void print_group(struct debugger *d, enum target_register_group group)
{
    struct target_register r;

    for (unsigned number = TARGET_REG_X0 + 1; number < TARGET_REGISTERS; number++)
        if (target_register(d->target, number, &r) && r.group == group)
            print_register(d, number);
}

/* Prints the registers that all code has, and whether a landing pad is expected, where harts know.
 */
static void print_general(struct debugger *d)
{
    print_group(d, TARGET_GENERAL);
    print_register(d, TARGET_REG_ELP);
}

/* Prints the registers of a group. False: no group has this name. */
static bool print_named_group(struct debugger *d, const char *name)
{
    static const struct {
        const char *name;
        enum target_register_group group;
    } groups[] = {{"general", TARGET_GENERAL}, {"float", TARGET_FLOAT}, {"csr", TARGET_CSR}};

    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        if (!strcmp(name, groups[i].name)) {
            print_group(d, groups[i].group);
            return true;
        }
    return false;
}

/* ---- info vector ---- */

/* A register as one number, its last element first, in groups of 64 bits. */
static void print_vector(struct debugger *d, unsigned reg)
{
    unsigned bytes;
    const uint8_t *v = target_vector(d->target, d->selected, reg, &bytes);

    fprintf(d->out, "v%-3u 0x", reg);
    for (unsigned at = bytes; at > 0; at--)
        fprintf(d->out, "%02x%s", v[at - 1], at > 1 && at % 8 == 1 ? "_" : "");
    fprintf(d->out, "\n");
}

static uint64_t register_named(struct debugger *d, const char *name)
{
    return selected_register(d, (unsigned)target_find_register(d->target, name));
}

static void print_vector_csrs(struct debugger *d)
{
    static const char *const names[] = {"vl", "vstart", "vxrm", "vxsat", "vlenb"};
    uint64_t vtype = register_named(d, "vtype");
    char text[DISASM_MAX] = "vill";

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        fprintf(d->out, "%s %" PRIu64 "  ", names[i], register_named(d, names[i]));
    if (!(vtype >> 63))
        disasm_vtype((unsigned)vtype, text);
    fprintf(d->out, "vtype %s\n", text);
}

void info_vector(struct debugger *d, const char *args)
{
    char name[NAME_MAX_LEN];
    unsigned bytes;

    if (!target_vector(d->target, d->selected, 0, &bytes)) {
        complain(d, "the harts have no vector unit");
        return;
    }
    if (!*args) {
        print_vector_csrs(d);
        for (unsigned reg = 0; reg < 32; reg++)
            print_vector(d, reg);
    }
    while (arg_word(&args, name, sizeof name)) {
        const char *word = name + (name[0] == '$');
        int reg = target_find_vector(d->target, word);

        if (reg < 0) {
            complain(d, "Invalid register `%s'", word);
            return;
        }
        print_vector(d, (unsigned)reg);
    }
}

void info_registers(struct debugger *d, const char *args)
{
    char name[NAME_MAX_LEN];
    int number;

    if (!*args)
        print_general(d);
    while (arg_word(&args, name, sizeof name)) {
        const char *word = name + (name[0] == '$');

        if (!strcmp(word, "all")) {
            print_general(d);
            print_group(d, TARGET_FLOAT);
            print_group(d, TARGET_CSR);
            continue;
        }
        if (print_named_group(d, word))
            continue;
        number = target_find_register(d->target, word);
        if (number < 0) {
            complain(d, "Invalid register `%s'", word);
            return;
        }
        print_register(d, (unsigned)number);
    }
}

void info_all_registers(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        info_registers(d, "all");
}

/* ---- the image ---- */

static void print_section(void *ctx, const char *name, uint64_t start, uint64_t size)
{
    struct debugger *d = ctx;

    fprintf(d->out, "\t0x%016" PRIx64 " - 0x%016" PRIx64 " is %s\n", start, start + size, name);
}

/* Lists the sections of the image; of a raw image, the segment that was loaded. */
void info_files(struct debugger *d, const char *args)
{
    const struct image *im = machine_image(d->config.machine);

    if (!arg_end(d, args))
        return;
    fprintf(d->out, "\tEntry point: 0x%" PRIx64 "\n", im->entry_va);
    if (debug_each_section(d->info, print_section, d))
        return;
    for (size_t i = 0; i < im->segment_count; i++)
        print_section(d, "loaded", im->segments[i].va, im->segments[i].mem_size);
}

/* ---- devices ---- */

void info_devices(struct debugger *d, const char *args)
{
    const struct bus *b = cluster_bus(machine_cluster(d->config.machine));
    const struct device *dev;

    if (!arg_end(d, args))
        return;
    fprintf(d->out, "first address       last address        device\n");
    fprintf(d->out, "0x%016" PRIx64 "  0x%016" PRIx64 "  RAM, %" PRIu64 " MiB\n", bus_ram(b)->base,
            bus_ram(b)->base + bus_ram(b)->size - 1, bus_ram(b)->size >> 20);
    for (size_t i = 0; (dev = bus_device(b, i)); i++)
        fprintf(d->out, "0x%016" PRIx64 "  0x%016" PRIx64 "  %s\n", dev->base,
                dev->base + dev->size - 1, dev->name);
}

/* ---- page tables ---- */

enum { PAGE_BITS = 12, INDEX_BITS = 9, ENTRIES = 1 << INDEX_BITS };
enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_FLAGS = 0xff };

struct page_table {
    unsigned levels;
    uint64_t root, satp;
};

static bool find_table(struct debugger *d, struct page_table *t)
{
    int number = target_find_register(d->target, "satp");
    uint64_t mode;

    *t = (struct page_table){.levels = 0};
    if (number >= 0)
        (void)!target_get_register(d->target, d->selected, (unsigned)number, &t->satp);
    mode = t->satp >> 60;
    t->levels = mode == 8 ? 3 : mode == 9 ? 4 : mode == 10 ? 5 : 0;
    t->root = (t->satp & ((UINT64_C(1) << 44) - 1)) << PAGE_BITS;
    if (!t->levels)
        complain(d, "hart %u translates nothing: satp is 0x%" PRIx64, d->selected, t->satp);
    return t->levels != 0;
}

static const char *flags_text(uint64_t pte, char text[9])
{
    static const char letters[] = "dagu"
                                  "xwrv";

    for (unsigned i = 0; i < 8; i++)
        text[i] = pte >> (7 - i) & 1 ? letters[i] : '-';
    text[8] = '\0';
    return text;
}

static bool load_entry(struct debugger *d, uint64_t pa, uint64_t *pte)
{
    return !target_read(d->target, d->selected, TARGET_BY_PHYSICAL, pa, pte, sizeof *pte);
}

static uint64_t target_of(uint64_t pte)
{
    return (pte >> 10 & ((UINT64_C(1) << 44) - 1)) << PAGE_BITS;
}

static void print_size_of_page(struct debugger *d, unsigned level)
{
    static const char *const sizes[] = {"4 KiB", "2 MiB", "1 GiB", "512 GiB", "256 TiB"};

    fprintf(d->out, "page of %s", sizes[level]);
}

/* Prints one level of the walk. True: the walk continues at *table. */
static bool walk_level(struct debugger *d, uint64_t va, unsigned level, uint64_t *table)
{
    unsigned shift = PAGE_BITS + level * INDEX_BITS;
    uint64_t index = va >> shift & (ENTRIES - 1), at = *table + index * 8, pte = 0;
    uint64_t offset = va & ((UINT64_C(1) << shift) - 1);
    char text[9];

    fprintf(d->out, "level %u: entry %3" PRIu64 " at 0x%" PRIx64 ": ", level, index, at);
    if (!load_entry(d, at, &pte)) {
        fprintf(d->out, "not in RAM\n");
        return false;
    }
    fprintf(d->out, "0x%016" PRIx64 " %s ", pte, flags_text(pte, text));
    if (!(pte & PTE_V)) {
        fprintf(d->out, "not valid\n");
        return false;
    }
    if (pte & (PTE_R | PTE_W | PTE_X)) {
        print_size_of_page(d, level);
        fprintf(d->out, " at 0x%" PRIx64 "\n0x%" PRIx64 " is at physical 0x%" PRIx64 "\n",
                target_of(pte), va, target_of(pte) + offset);
        return false;
    }
    *table = target_of(pte);
    fprintf(d->out, "table at 0x%" PRIx64 "\n", *table);
    return level != 0;
}

void info_pagetable(struct debugger *d, const char *args)
{
    struct page_table t;
    uint64_t va, table;
    unsigned level;

    if (!arg_value(d, &args, "an address", &va) || !arg_end(d, args) || !find_table(d, &t))
        return;
    fprintf(d->out, "satp 0x%016" PRIx64 ": Sv%u, table at 0x%" PRIx64 "\n", t.satp,
            PAGE_BITS + t.levels * INDEX_BITS, t.root);
    table = t.root;
    for (level = t.levels; level-- > 0;)
        if (!walk_level(d, va, level, &table))
            break;
}

/* Pages that continue each other in both address spaces, with the same flags. */
struct mapping {
    uint64_t va, pa, size, flags;
};

static void print_mapping(struct debugger *d, const struct mapping *m)
{
    char text[9];

    if (m->size)
        fprintf(d->out, "0x%016" PRIx64 "  0x%016" PRIx64 "  %12" PRIu64 " KiB  %s\n", m->va, m->pa,
                m->size >> 10, flags_text(m->flags, text));
}

static void add_page(struct debugger *d, struct mapping *m, const struct mapping *page)
{
    if (m->size && m->va + m->size == page->va && m->pa + m->size == page->pa &&
        m->flags == page->flags) {
        m->size += page->size;
        return;
    }
    print_mapping(d, m);
    *m = *page;
}

/*
 * Lists the mappings of a table. There are five levels at most: a table that refers to itself would
 * be listed without end.
 */
static void list_table(struct debugger *d, uint64_t table, uint64_t va, unsigned level,
                       struct mapping *m, unsigned *tables_left)
{
    unsigned shift = PAGE_BITS + level * INDEX_BITS;
    uint64_t pte;

    for (uint64_t i = 0; i < ENTRIES; i++) {
        uint64_t from = va + (i << shift);

        if (!load_entry(d, table + i * 8, &pte) || !(pte & PTE_V))
            continue;
        if (pte & (PTE_R | PTE_W | PTE_X))
            add_page(d, m,
                     &(struct mapping){from, target_of(pte), UINT64_C(1) << shift,
                                       pte & PTE_FLAGS & ~UINT64_C(0xc0)});
        else if (level && *tables_left) {
            --*tables_left;
            list_table(d, target_of(pte), from, level - 1, m, tables_left);
        }
    }
}

void info_tlb(struct debugger *d, const char *args)
{
    struct mapping last = {.size = 0};
    unsigned top, tables_left = 1 << 16;
    struct page_table t;

    if (!arg_end(d, args) || !find_table(d, &t))
        return;
    fprintf(d->out, "virtual             physical                    size  flags\n");
    top = PAGE_BITS + t.levels * INDEX_BITS;
    for (uint64_t i = 0; i < ENTRIES; i++) { /* the upper half has its sign extended */
        uint64_t va = i << (top - INDEX_BITS), pte;

        if (i >= ENTRIES / 2)
            va |= UINT64_MAX << top;
        if (!load_entry(d, t.root + i * 8, &pte) || !(pte & PTE_V))
            continue;
        if (pte & (PTE_R | PTE_W | PTE_X))
            add_page(d, &last,
                     &(struct mapping){va, target_of(pte), UINT64_C(1) << (top - INDEX_BITS),
                                       pte & PTE_FLAGS & ~UINT64_C(0xc0)});
        else
            list_table(d, target_of(pte), va, t.levels - 2, &last, &tables_left);
    }
    print_mapping(d, &last);
}
