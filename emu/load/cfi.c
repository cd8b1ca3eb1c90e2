/*
 * cfi.c - see cfi.h. Files may be damaged: no byte outside of an entry is read.
 */
#include "load/cfi.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/vec.h"

/*
 * States that are remembered at the same time; compilers write one. Lists of entries: as the files
 * of a kernel have text in a few sections each, its entries are in so few orders.
 */
enum { REMEMBERED_MAX = 8, LISTS_MAX = 32 };

/* An entry's addresses, and where its instructions and its common entry (CIE) are. */
struct entry {
    uint64_t start, end;
    uint32_t at, size; /* of the instructions */
    uint32_t cie;
};

struct cfi {
    const uint8_t *section;
    size_t size;
    struct {
        VEC_OF(struct entry) entries; /* by address */
    } lists[LISTS_MAX];
    unsigned list_count;
};

/* ---- reading ---- */

struct reader {
    const uint8_t *at, *end;
    bool failed; /* it came to the end, or to what is not read */
};

static uint64_t read_number(struct reader *r, size_t size)
{
    uint64_t value = 0;

    if ((size_t)(r->end - r->at) < size) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, size);
    r->at += size;
    return value;
}

/* ULEB128, of at most 63 bits; *bits: how many it has. */
static uint64_t read_leb(struct reader *r, unsigned *bits)
{
    uint64_t value = 0, byte;

    *bits = 0;
    do {
        byte = read_number(r, 1);
        if (*bits >= 63) {
            r->failed = true;
            return 0;
        }
        value |= (byte & 0x7f) << *bits;
        *bits += 7;
    } while (byte & 0x80);
    return value;
}

static uint64_t read_uleb(struct reader *r)
{
    unsigned bits;

    return read_leb(r, &bits);
}

static int64_t read_sleb(struct reader *r)
{
    unsigned bits;
    uint64_t value = read_leb(r, &bits);

    if (bits && value >> (bits - 1) & 1)
        value |= UINT64_MAX << bits;
    return (int64_t)value;
}

/* ---- common entries ---- */

struct cie {
    uint64_t code_unit;
    int64_t data_unit;
    struct reader instructions;
};

/* An entry's bytes after its length, at that offset. False: it is damaged, or of 64-bit DWARF. */
static bool read_entry(const struct cfi *c, uint64_t offset, struct reader *r)
{
    uint64_t length;

    if (offset >= c->size)
        return false;
    *r = (struct reader){.at = c->section + offset, .end = c->section + c->size};
    length = read_number(r, 4);
    if (r->failed || length > (uint64_t)(r->end - r->at))
        return false;
    r->end = r->at + length;
    return true;
}

enum { CIE_ID = 0xffffffff, ADDRESS_BYTES = 8 };

/* False: it is of a kind that is not read, as with an augmentation. */
static bool read_cie(const struct cfi *c, uint64_t offset, struct cie *cie)
{
    struct reader r;
    uint64_t version;

    if (!read_entry(c, offset, &r) || read_number(&r, 4) != CIE_ID)
        return false;
    version = read_number(&r, 1);
    if ((version != 1 && version != 3 && version != 4) || read_number(&r, 1))
        return false;
    if (version == 4 && (read_number(&r, 1) != ADDRESS_BYTES || read_number(&r, 1)))
        return false;
    cie->code_unit = read_uleb(&r);
    cie->data_unit = read_sleb(&r);
    (void)(version == 1 ? read_number(&r, 1) : read_uleb(&r)); /* the column of ra */
    cie->instructions = r;
    return !r.failed;
}

/* ---- the list ---- */

/* Puts the entry at the end of the first list that is then in order. False: there is none. */
static bool add_to_list(struct cfi *c, const struct entry *e)
{
    for (unsigned i = 0; i < LISTS_MAX; i++) {
        size_t len = c->lists[i].entries.len;

        if (len && c->lists[i].entries.at[len - 1].end > e->start)
            continue;
        VEC_PUSH(&c->lists[i].entries, *e);
        if (i == c->list_count)
            c->list_count++;
        return true;
    }
    return false;
}

/* Adds the entry at r. Those of functions that the linker has left out are at 0. */
static bool add_entry(struct cfi *c, struct reader *r, uint64_t cie)
{
    uint64_t start = read_number(r, ADDRESS_BYTES), size = read_number(r, ADDRESS_BYTES);
    const struct entry e = {.start = start,
                            .end = start + size,
                            .at = (uint32_t)(r->at - c->section),
                            .size = (uint32_t)(r->end - r->at),
                            .cie = (uint32_t)cie};

    return r->failed || !start || e.end <= e.start || add_to_list(c, &e);
}

static bool list_entries(struct cfi *c)
{
    struct reader r;

    for (uint64_t offset = 0; offset < c->size; offset = (uint64_t)(r.end - c->section)) {
        uint64_t id;

        if (!read_entry(c, offset, &r))
            return false;
        id = read_number(&r, 4);
        if (!r.failed && id != CIE_ID && !add_entry(c, &r, id))
            return false;
    }
    return true;
}

struct cfi *cfi_new(const uint8_t *section, size_t size)
{
    struct cfi *c = xcalloc(1, sizeof *c);

    c->section = section;
    c->size = size;
    if (size < UINT32_MAX && list_entries(c))
        return c;
    cfi_free(c);
    return NULL;
}

void cfi_free(struct cfi *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->list_count; i++)
        VEC_FREE(&c->lists[i].entries);
    free(c);
}

/* ---- the instructions of an entry ---- */

struct run {
    struct reader r;
    const struct cie *cie;
    uint64_t location, pc;
    struct cfi_row row;
    const struct cfi_row *initial; /* after the instructions of the common entry; NULL: these run */
    struct cfi_row remembered[REMEMBERED_MAX];
    unsigned depth;
    bool past; /* what follows holds after the pc */
};

static void advance_to(struct run *run, uint64_t location)
{
    if (run->pc < location)
        run->past = true;
    else
        run->location = location;
}

static void advance(struct run *run, uint64_t delta)
{
    advance_to(run, run->location + delta * run->cie->code_unit);
}

/* Sets the rule of a register; others than those of integers are of no interest. */
static void set_rule(struct run *run, uint64_t reg, enum cfi_rule rule, int64_t value)
{
    if (reg >= CFI_REGISTERS)
        return;
    run->row.registers[reg].rule = rule;
    run->row.registers[reg].value = value;
}

static void restore_rule(struct run *run, uint64_t reg)
{
    if (!run->initial)
        run->r.failed = true;
    else if (reg < CFI_REGISTERS)
        run->row.registers[reg] = run->initial->registers[reg];
}

static void define_cfa(struct run *run, uint64_t reg, int64_t offset)
{
    if (reg >= CFI_REGISTERS)
        run->r.failed = true;
    run->row.cfa_register = reg % CFI_REGISTERS;
    run->row.cfa_offset = offset;
}

static void remember(struct run *run)
{
    if (run->depth == REMEMBERED_MAX)
        run->r.failed = true;
    else
        run->remembered[run->depth++] = run->row;
}

static void restore_remembered(struct run *run)
{
    if (!run->depth)
        run->r.failed = true;
    else
        run->row = run->remembered[--run->depth];
}

/* The operands of most instructions: a register, and a number of data units. */
static int64_t factored(const struct run *run, uint64_t units)
{
    return (int64_t)units * run->cie->data_unit;
}

/* Those that are a whole byte. What is not read: the rest, mostly expressions. */
static void run_long(struct run *run, uint64_t opcode)
{
    struct reader *r = &run->r;
    uint64_t reg;

    switch (opcode) {
    case DW_CFA_nop: break;
    case DW_CFA_set_loc: advance_to(run, read_number(r, ADDRESS_BYTES)); break;
    case DW_CFA_advance_loc1: advance(run, read_number(r, 1)); break;
    case DW_CFA_advance_loc2: advance(run, read_number(r, 2)); break;
    case DW_CFA_advance_loc4: advance(run, read_number(r, 4)); break;
    case DW_CFA_offset_extended:
        reg = read_uleb(r);
        set_rule(run, reg, CFI_IN_MEMORY, factored(run, read_uleb(r)));
        break;
    case DW_CFA_offset_extended_sf:
        reg = read_uleb(r);
        set_rule(run, reg, CFI_IN_MEMORY, factored(run, (uint64_t)read_sleb(r)));
        break;
    case DW_CFA_val_offset:
        reg = read_uleb(r);
        set_rule(run, reg, CFI_FROM_CFA, factored(run, read_uleb(r)));
        break;
    case DW_CFA_val_offset_sf:
        reg = read_uleb(r);
        set_rule(run, reg, CFI_FROM_CFA, factored(run, (uint64_t)read_sleb(r)));
        break;
    case DW_CFA_restore_extended: restore_rule(run, read_uleb(r)); break;
    case DW_CFA_undefined: set_rule(run, read_uleb(r), CFI_UNDEFINED, 0); break;
    case DW_CFA_same_value: set_rule(run, read_uleb(r), CFI_SAME, 0); break;
    case DW_CFA_register:
        reg = read_uleb(r);
        set_rule(run, reg, CFI_IN_REGISTER, (int64_t)read_uleb(r));
        break;
    case DW_CFA_remember_state: remember(run); break;
    case DW_CFA_restore_state: restore_remembered(run); break;
    case DW_CFA_def_cfa:
        reg = read_uleb(r);
        define_cfa(run, reg, (int64_t)read_uleb(r));
        break;
    case DW_CFA_def_cfa_sf:
        reg = read_uleb(r);
        define_cfa(run, reg, factored(run, (uint64_t)read_sleb(r)));
        break;
    case DW_CFA_def_cfa_register: define_cfa(run, read_uleb(r), run->row.cfa_offset); break;
    case DW_CFA_def_cfa_offset: run->row.cfa_offset = (int64_t)read_uleb(r); break;
    case DW_CFA_def_cfa_offset_sf:
        run->row.cfa_offset = factored(run, (uint64_t)read_sleb(r));
        break;
    case DW_CFA_GNU_args_size: (void)read_uleb(r); break;
    default: r->failed = true; break;
    }
}

/* Runs the instructions until one holds after the pc. False: not all of them could be read. */
static bool run_all(struct run *run, struct reader instructions)
{
    run->r = instructions;
    while (run->r.at < run->r.end && !run->past && !run->r.failed) {
        uint64_t opcode = read_number(&run->r, 1), low = opcode & 0x3f;

        switch (opcode & 0xc0) {
        case DW_CFA_advance_loc: advance(run, low); break;
        case DW_CFA_offset:
            set_rule(run, low, CFI_IN_MEMORY, factored(run, read_uleb(&run->r)));
            break;
        case DW_CFA_restore: restore_rule(run, low); break;
        default: run_long(run, opcode); break;
        }
    }
    return !run->r.failed;
}

/* Finds the entry of the address. CFI_OTHER: there are several, among which libdw chooses. */
static enum cfi_answer find_entry(const struct cfi *c, uint64_t pc, const struct entry **found)
{
    *found = NULL;
    for (unsigned list = 0; list < c->list_count; list++) {
        size_t count = c->lists[list].entries.len;
        const struct entry *at = c->lists[list].entries.at;
        size_t next = PARTITION_POINT(i, count, at[i].start <= pc);

        if (!next || pc >= at[next - 1].end)
            continue;
        if (*found)
            return CFI_OTHER;
        *found = &at[next - 1];
    }
    return *found ? CFI_FOUND : CFI_NONE;
}

enum cfi_answer cfi_find(const struct cfi *c, uint64_t pc, struct cfi_row *row)
{
    const struct entry *e;
    enum cfi_answer answer = find_entry(c, pc, &e);
    struct cie cie;
    struct cfi_row initial;
    struct run run;

    if (answer != CFI_FOUND)
        return answer;
    if (!read_cie(c, e->cie, &cie))
        return CFI_OTHER;
    memset(&run.row, 0, sizeof run.row);
    run.row.cfa_register = CFI_REGISTERS; /* not defined yet */
    run.cie = &cie;
    run.location = e->start;
    run.pc = pc;
    run.initial = NULL;
    run.depth = 0;
    run.past = false;
    if (!run_all(&run, cie.instructions))
        return CFI_OTHER;
    initial = run.row;
    run.initial = &initial;
    if (!run_all(&run, (struct reader){c->section + e->at, c->section + e->at + e->size, false}) ||
        run.row.cfa_register == CFI_REGISTERS)
        return CFI_OTHER;
    *row = run.row;
    return CFI_FOUND;
}
