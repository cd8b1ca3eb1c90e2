/*
 * unwind.c - see unwind.h.
 */
#include "unwind/unwind.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "load/lines_dwarf.h"
#include "load/symbols.h"
#include "unwind/frame_priv.h"

/* ---- the source ---- */

bool unwind_read(const struct unwind_source *s, unsigned hart, uint64_t va, void *to, unsigned len)
{
    return s->read(s->ctx, hart, va, to, len);
}

struct reader {
    const struct unwind_source *source;
    unsigned hart;
};

static bool read_parcel(void *ctx, uint64_t va, uint16_t *parcel)
{
    const struct reader *r = ctx;

    return unwind_read(r->source, r->hart, va, parcel, sizeof *parcel);
}

bool unwind_word(const struct unwind_source *s, unsigned hart, uint64_t va, uint32_t *word)
{
    struct reader r = {s, hart};

    return insn_read(read_parcel, &r, va, word);
}

uint64_t unwind_canonical(const struct unwind_source *s, uint64_t address)
{
    return s->canonical ? s->canonical(s->ctx, address) : address;
}

bool unwind_function(const struct unwind_source *s, uint64_t address, uint64_t *start,
                     uint64_t *end)
{
    uint64_t va = unwind_canonical(s, address);

    if (!symbols_bounds(s->symbols, va, start, end))
        return false;
    *start += address - va;
    *end += address - va;
    return true;
}

/* Returns an address in the frame's instruction: the next one to run, or the call. */
static uint64_t place_of(const struct unwind_source *s, const struct unwound *u)
{
    return unwind_canonical(s, u->pc) - !u->exact;
}

static bool is_known_as(const struct unwind_source *s, unsigned hart, uint64_t code,
                        uint64_t *address)
{
    return s->known_as && s->known_as(s->ctx, hart, code, address);
}

uint64_t unwind_code_of(const struct unwind_source *s, const struct unwound *u)
{
    uint64_t code = place_of(s, u), address;

    return is_known_as(s, u->hart, code, &address) ? address : code;
}

static bool load(const struct unwind_source *s, unsigned hart, uint64_t va, uint64_t *value)
{
    return unwind_read(s, hart, va, value, sizeof *value);
}

/* ---- call frame information ---- */

/* Evaluates the operations that describe frames: a register or the CFA, and an offset. */
static bool simple_value(const struct unwound *u, const Dwarf_Op *ops, size_t count,
                         uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        const Dwarf_Op *op = &ops[i];

        if (op->atom == DW_OP_call_frame_cfa)
            *value = u->cfa;
        else if (op->atom == DW_OP_bregx && op->number < UNWIND_REGS)
            *value = u->reg[op->number] + op->number2;
        else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
            *value = u->reg[op->atom - DW_OP_breg0] + op->number;
        else if (op->atom == DW_OP_plus_uconst)
            *value += op->number;
        else if (op->atom != DW_OP_stack_value)
            return false;
    }
    return true;
}

static void restore_register(const struct unwind_source *s, Dwarf_Frame *frame,
                             const struct unwound *u, unsigned reg, struct unwound *caller)
{
    Dwarf_Op memory[3], *ops;
    size_t count;
    uint64_t value;

    if (dwarf_frame_register(frame, (int)reg, memory, &ops, &count) != 0)
        return;
    if (!count) { /* no rule: the register keeps its value */
        return;
    }
    if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number < UNWIND_REGS) {
        caller->reg[reg] = u->reg[ops[0].number];
        return;
    }
    if (!simple_value(u, ops, count, &value))
        return;
    if (ops[count - 1].atom == DW_OP_stack_value) {
        caller->reg[reg] = value;
    } else if (load(s, u->hart, value, &caller->reg[reg])) {
        caller->at[reg] = value;
        caller->lost &= ~(UINT32_C(1) << reg);
    } else {
        caller->lost |= UINT32_C(1) << reg;
    }
}

/* Whether the rule of ra says that there is no caller. */
static bool has_no_caller(Dwarf_Frame *frame, int ra)
{
    Dwarf_Op memory[3], *ops;
    size_t count;

    return dwarf_frame_register(frame, ra, memory, &ops, &count) == 0 && !count && ops == memory;
}

enum outcome { NOT_KNOWN, NO_CALLER, FOUND };

/* The frame, whose CFA is known now, has a caller; its registers are those of the frame at first.
 */
static void begin_caller(struct unwound *u, struct unwound *caller)
{
    u->cfa_known = true;
    *caller = *u;
    caller->exact = false;
}

static void end_caller(const struct unwound *u, struct unwound *caller)
{
    caller->reg[REG_SP] = u->cfa;
    caller->at[REG_SP] = 0;
    caller->pc = caller->reg[REG_RA];
    caller->pc_at = caller->at[REG_RA];
}

/* By libdw, which reads all that there can be. */
static enum outcome by_libdw(const struct unwind_source *s, struct unwound *u,
                             struct unwound *caller)
{
    Dwarf *dwarf = lines_dwarf(s->lines);
    Dwarf_CFI *cfi = dwarf ? dwarf_getcfi(dwarf) : NULL;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count;
    enum outcome result = NOT_KNOWN;

    if (!cfi || dwarf_cfi_addrframe(cfi, place_of(s, u), &frame) != 0)
        return NOT_KNOWN;
    if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count &&
        simple_value(u, ops, count, &u->cfa)) {
        begin_caller(u, caller);
        for (unsigned reg = 1; reg < UNWIND_REGS; reg++)
            if (reg != REG_SP)
                restore_register(s, frame, u, reg, caller);
        end_caller(u, caller);
        result = has_no_caller(frame, REG_RA) && !u->exact ? NO_CALLER : FOUND;
    }
    free(frame);
    return result;
}

static void apply_rule(const struct unwind_source *s, const struct unwound *u,
                       const struct cfi_row *row, unsigned reg, struct unwound *caller)
{
    uint64_t value = (uint64_t)row->registers[reg].value;

    switch (row->registers[reg].rule) {
    case CFI_IN_REGISTER:
        if (value < UNWIND_REGS)
            caller->reg[reg] = u->reg[value];
        break;
    case CFI_FROM_CFA: caller->reg[reg] = u->cfa + value; break;
    case CFI_IN_MEMORY:
        if (load(s, u->hart, u->cfa + value, &caller->reg[reg])) {
            caller->at[reg] = u->cfa + value;
            caller->lost &= ~(UINT32_C(1) << reg);
        } else {
            caller->lost |= UINT32_C(1) << reg;
        }
        break;
    case CFI_UNSPECIFIED:
    case CFI_SAME:
    case CFI_UNDEFINED: break; /* the register keeps its value */
    }
}

static enum outcome by_frame_information(const struct unwind_source *s, struct unwound *u,
                                         struct unwound *caller)
{
    const struct cfi *cfi = lines_cfi(s->lines);
    struct cfi_row row;

    _Static_assert((int)CFI_REGISTERS == (int)UNWIND_REGS, "the same registers");
    switch (cfi ? cfi_find(cfi, place_of(s, u), &row) : CFI_OTHER) {
    case CFI_NONE: return NOT_KNOWN;
    case CFI_OTHER: return by_libdw(s, u, caller);
    case CFI_FOUND: break;
    }
    u->cfa = u->reg[row.cfa_register] + (uint64_t)row.cfa_offset;
    begin_caller(u, caller);
    for (unsigned reg = 1; reg < UNWIND_REGS; reg++)
        if (reg != REG_SP)
            apply_rule(s, u, &row, reg, caller);
    end_caller(u, caller);
    return row.registers[REG_RA].rule == CFI_UNDEFINED && !u->exact ? NO_CALLER : FOUND;
}

/* ---- without call frame information ---- */

/*
 * Finds the arguments of a traced function whose trampoline still runs: the trampoline restores
 * them. An argument that it does not restore is unknown.
 */
static void find_arguments(const struct unwind_source *s, const struct unwound *u,
                           struct unwound *caller)
{
    enum { ARGUMENTS = 8 };
    uint64_t entry;

    if (!is_known_as(s, u->hart, place_of(s, caller), &entry))
        return;
    for (unsigned reg = REG_A0; reg < REG_A0 + ARGUMENTS; reg++) {
        uint64_t at = 0;
        bool known = frame_restores(s, u, reg, &at);

        if (known && at)
            known = load(s, u->hart, at, &caller->reg[reg]);
        else if (known)
            known = !(u->lost >> reg & 1); /* still in the register */

        caller->at[reg] = known ? at : 0;
        caller->lost = (caller->lost & ~(UINT32_C(1) << reg)) | (uint32_t)!known << reg;
    }
}

static bool by_code(const struct unwind_source *s, struct unwound *u, struct unwound *caller)
{
    struct frame f;
    bool scanned = frame_scan(s, u, &f);

    /* In a frame that has called another one, ra is no longer the return address. */
    if ((!scanned || (!u->exact && f.ra == u->pc)) && !frame_chain(s, u, &f))
        return false;
    u->cfa = f.cfa;
    u->cfa_known = true;
    *caller = *u;
    caller->exact = false;
    caller->pc = f.ra;
    caller->pc_at = f.ra_at;
    caller->reg[REG_RA] = f.callers_ra;
    caller->reg[REG_S0] = f.fp;
    caller->reg[REG_SP] = f.cfa;
    find_arguments(s, u, caller);
    return true;
}

/* ---- traps ---- */

static const char *function_name(const struct unwind_source *s, uint64_t code)
{
    const struct symbol *f = symbols_function_at(s->symbols, code);

    return f ? f->name : NULL;
}

static uint64_t csr(const struct unwind_source *s, unsigned hart, enum unwind_csr number)
{
    return s->csr(s->ctx, hart, number);
}

/* Whether the code is the kernel's entry of traps or its return from them. */
static bool is_trap_code(const struct unwind_source *s, unsigned hart, uint64_t code)
{
    static const char *const names[] = {"handle_exception", "ret_from_exception", "restore_all"};
    const char *name = function_name(s, code), *entry;

    if (!name)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    entry = function_name(s, unwind_canonical(s, csr(s, hart, UNWIND_STVEC) & ~UINT64_C(3)));
    return entry && !strcmp(name, entry);
}

/* Returns the offset in struct pt_regs at which the kernel saves a register. */
static uint64_t saved_offset(const struct unwind_source *s, const char *name, uint64_t otherwise)
{
    uint64_t offset;

    return s->saved_at && s->saved_at(s->ctx, name, &offset) ? offset : otherwise;
}

/* Reads the saved registers at `base`: the pc, then x1 to x31. */
static bool load_saved(const struct unwind_source *s, uint64_t base, struct unwound *caller)
{
    enum { SPP = 1 << 8 };
    uint64_t status;

    if (!load(s, caller->hart, base + saved_offset(s, "epc", 0), &caller->pc))
        return false;
    for (unsigned reg = 1; reg < UNWIND_REGS; reg++) {
        caller->at[reg] = base + saved_offset(s, reg_name(reg), reg * 8);
        if (!load(s, caller->hart, caller->at[reg], &caller->reg[reg]))
            return false;
    }
    caller->user =
        load(s, caller->hart, base + saved_offset(s, "status", 256), &status) && !(status & SPP);
    return true;
}

/*
 * Finds the frame of the interrupted code. In the entry of traps its registers are still in the
 * hart, until they are saved; then sepc and the saved pc are the same.
 */
static bool by_trap(const struct unwind_source *s, struct unwound *u, struct unwound *caller)
{
    uint64_t entry = csr(s, u->hart, UNWIND_STVEC) & ~UINT64_C(3),
             sepc = csr(s, u->hart, UNWIND_SEPC);
    bool saved;

    *caller = *u;
    caller->pc_at = 0;
    caller->lost = 0;
    saved = (!u->exact || u->pc != entry) && load_saved(s, u->reg[REG_SP], caller) &&
            (!u->exact || caller->pc == sepc);
    if (!saved) {
        if (!u->exact)
            return false;
        memcpy(caller->reg, u->reg, sizeof caller->reg);
        memcpy(caller->at, u->at, sizeof caller->at);
        caller->pc = sepc;
        caller->user = !(csr(s, u->hart, UNWIND_SSTATUS) >> 8 & 1);
    }
    u->cfa = caller->reg[REG_SP];
    u->cfa_known = true;
    caller->exact = true;
    return caller->pc != 0;
}

/* ---- the graph tracer ---- */

static uint64_t handler_address(const struct unwind_source *s)
{
    uint64_t address;

    return symbols_find(s->symbols, "return_to_handler", &address) ? address : 0;
}

static bool is_replaced(const struct unwind_source *s, uint64_t sp, uint64_t *address)
{
    return s->replaced && s->replaced(s->ctx, sp, address);
}

static bool from_return_stack(const struct unwind_source *s, const struct unwound *u, unsigned back,
                              uint64_t code, uint64_t *address)
{
    return s->on_return_stack && s->on_return_stack(s->ctx, u, back, code, address);
}

static void see_through_handler(const struct unwind_source *s, const struct unwound *u,
                                struct unwound *caller)
{
    uint64_t handler = handler_address(s), back;

    if (!handler || unwind_canonical(s, caller->pc) != handler || caller->exact)
        return;
    if (is_replaced(s, u->cfa, &back) ||
        from_return_stack(s, caller, caller->handlers, unwind_code_of(s, u), &back))
        caller->pc = back;
    caller->handlers++;
}

/*
 * Finds the caller of the function that has returned to the handler, in which the hart is; sp is
 * that of the caller. When the tracer has returned, the entry is no longer on the return stack, and
 * a register has the address.
 */
static bool by_handler(const struct unwind_source *s, struct unwound *u, struct unwound *caller)
{
    const char *name = function_name(s, unwind_code_of(s, u));
    struct frame f;

    if (!name || strcmp(name, "return_to_handler") != 0 || !frame_last_jump(s, u, &f))
        return false;
    u->cfa = f.cfa;
    u->cfa_known = true;
    *caller = *u;
    caller->pc_at = 0;
    caller->exact = false;
    caller->reg[REG_SP] = f.cfa;
    caller->reg[REG_S0] = f.fp;
    if (is_replaced(s, f.cfa, &caller->pc)) {
        caller->handlers += f.ra == 0;
        return true;
    }
    caller->pc = f.ra;
    if (f.ra)
        return true;
    return from_return_stack(s, caller, caller->handlers++, 0, &caller->pc);
}

/* ---- the caller ---- */

/*
 * Whether the address is in code, by its symbol. Modules and programs of BPF have only names of
 * functions.
 */
static bool is_code(const struct unwind_source *s, uint64_t code)
{
    const struct symbol *symbol = symbols_lookup(s->symbols, code);

    return symbol ? symbol->kind != SYMBOL_OBJECT : symbols_name_at(s->symbols, code, NULL) != NULL;
}

static bool is_plausible(const struct unwind_source *s, const struct unwound *u,
                         const struct unwound *caller)
{
    if (!caller->pc || (caller->pc == u->pc && caller->reg[REG_SP] == u->reg[REG_SP]))
        return false;
    if (caller->user)
        return true;
    return is_code(s, unwind_code_of(s, caller)) &&
           (caller->reg[REG_SP] >= u->reg[REG_SP] || caller->exact);
}

bool unwind_step(const struct unwind_source *s, struct unwound *u, struct unwound *caller)
{
    bool found;

    *caller = *u;
    if (u->user && !symbols_function_at(s->symbols, unwind_code_of(s, u)))
        return false;
    if (is_trap_code(s, u->hart, unwind_code_of(s, u))) {
        found = by_trap(s, u, caller);
    } else if (by_handler(s, u, caller)) {
        found = true;
    } else {
        switch (by_frame_information(s, u, caller)) {
        case NO_CALLER: return false;
        case FOUND: found = true; break;
        default: found = by_code(s, u, caller); break;
        }
        if (found)
            see_through_handler(s, u, caller);
    }
    caller->cfa_known = false; /* the caller's CFA */
    caller->cfa = 0;
    return found && is_plausible(s, u, caller);
}
