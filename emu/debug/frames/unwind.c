/*
 * unwind.c - see unwind.h.
 */
#include "debug/frames/unwind.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/isa.h"
#include "debug/frames/frame.h"
#include "debug/frames/guest.h"
#include "debug/frames/members.h"
#include "debug/frames/place.h"
#include "debug/frames/return_stack.h"
#include "debug/lang/dwarf.h"
#include "debug/target/target.h"
#include "ftrace/calls/calls.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

void unwind_first(const struct guest *g, unsigned hart, struct unwound *u)
{
    *u = (struct unwound){.exact = true, .hart = hart};
    (void)!target_get_register(g->target, hart, TARGET_REG_PC, &u->pc);
    for (unsigned i = 0; i < UNWIND_REGS; i++)
        (void)!target_get_register(g->target, hart, i, &u->reg[i]);
    u->user = target_hart(g->target, hart).mode == PRIV_U;
}

/*
 * Finds the first instruction after the site that contains the address, if the debug information
 * has the function begin there: code in the site, and what the site calls, belongs to that
 * function.
 */
static bool behind_site(const struct guest *g, unsigned hart, uint64_t code, uint64_t *entry)
{
    const struct site_table *sites = g->ftrace ? watch_sites(g->ftrace) : NULL;
    struct blocks b;
    Dwarf_Addr low;
    uint64_t pa;
    uint32_t id;

    if (!sites || !place_physical(g, hart, code, &pa))
        return false;
    id = site_find(sites, pa, 1);
    if (id == NO_SITE || site_get(sites, id)->kind != SITE_FUNCTION)
        return false;
    *entry = site_get(sites, id)->va + site_get(sites, id)->size;
    return debug_blocks(g->info, *entry, &b) && dwarf_entrypc(&b.at[0], &low) == 0 && low == *entry;
}

/* Returns an address in the frame's instruction: the next one to run, or the call. */
static uint64_t place_of(const struct guest *g, const struct unwound *u)
{
    return place_canonical(g, u->pc) - !u->exact;
}

uint64_t unwind_code(const struct guest *g, const struct unwound *u)
{
    uint64_t code = place_of(g, u), entry;
    struct blocks b;

    if (!debug_blocks(g->info, code, &b) && behind_site(g, u->hart, code, &entry))
        return entry;
    return code;
}

static bool load(const struct guest *g, unsigned hart, uint64_t va, uint64_t *value)
{
    return !target_read(g->target, hart, TARGET_BY_ANY, va, value, sizeof *value);
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

static void restore_register(const struct guest *g, Dwarf_Frame *frame, const struct unwound *u,
                             unsigned reg, struct unwound *caller)
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
    } else if (load(g, u->hart, value, &caller->reg[reg])) {
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

static enum outcome by_frame_information(const struct guest *g, struct unwound *u,
                                         struct unwound *caller)
{
    Dwarf *dwarf = debug_dwarf(g->info);
    Dwarf_CFI *cfi = dwarf ? dwarf_getcfi(dwarf) : NULL;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count;
    enum outcome result = NOT_KNOWN;

    if (!cfi || dwarf_cfi_addrframe(cfi, place_of(g, u), &frame) != 0)
        return NOT_KNOWN;
    if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count &&
        simple_value(u, ops, count, &u->cfa)) {
        u->cfa_known = true;
        *caller = *u;
        caller->exact = false;
        for (unsigned reg = 1; reg < UNWIND_REGS; reg++)
            if (reg != REG_SP)
                restore_register(g, frame, u, reg, caller);
        caller->reg[REG_SP] = u->cfa;
        caller->at[REG_SP] = 0;
        caller->pc = caller->reg[REG_RA];
        result = has_no_caller(frame, REG_RA) && !u->exact ? NO_CALLER : FOUND;
    }
    free(frame);
    return result;
}

/* ---- without call frame information ---- */

/*
 * Finds the arguments of a traced function whose trampoline still runs: the trampoline restores
 * them. An argument that it does not restore is unknown.
 */
static void find_arguments(const struct guest *g, const struct unwound *u, struct unwound *caller)
{
    enum { ARGUMENTS = 8 };
    uint64_t entry;

    if (!behind_site(g, u->hart, place_of(g, caller), &entry))
        return;
    for (unsigned reg = REG_A0; reg < REG_A0 + ARGUMENTS; reg++) {
        uint64_t at = 0;
        bool known = frame_restores(g, u, reg, &at);

        if (known && at)
            known = place_read(g, u->hart, at, &caller->reg[reg], sizeof caller->reg[reg]);
        else if (known)
            known = !(u->lost >> reg & 1); /* still in the register */

        caller->at[reg] = known ? at : 0;
        caller->lost = (caller->lost & ~(UINT32_C(1) << reg)) | (uint32_t)!known << reg;
    }
}

static bool by_code(const struct guest *g, struct unwound *u, struct unwound *caller)
{
    struct frame f;
    bool scanned = frame_scan(g, u, &f);

    /* In a frame that has called another one, ra is no longer the return address. */
    if ((!scanned || (!u->exact && f.ra == u->pc)) && !frame_chain(g, u, &f))
        return false;
    u->cfa = f.cfa;
    u->cfa_known = true;
    *caller = *u;
    caller->exact = false;
    caller->pc = f.ra;
    caller->reg[REG_RA] = f.callers_ra;
    caller->reg[REG_S0] = f.fp;
    caller->reg[REG_SP] = f.cfa;
    find_arguments(g, u, caller);
    return true;
}

/* ---- traps ---- */

static const char *function_name(const struct guest *g, uint64_t code)
{
    const struct symbol *s = symbols_function_at(g->symbols, code);

    return s ? s->name : NULL;
}

/* Whether the code is the kernel's entry of traps or its return from them. */
static bool is_trap_code(const struct guest *g, unsigned hart, uint64_t code)
{
    static const char *const names[] = {"handle_exception", "ret_from_exception", "restore_all"};
    const char *name = function_name(g, code), *entry;
    uint64_t stvec = 0;
    int number = target_find_register(g->target, "stvec");

    if (!name)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    if (number >= 0)
        (void)!target_get_register(g->target, hart, (unsigned)number, &stvec);
    entry = function_name(g, place_canonical(g, stvec & ~UINT64_C(3)));
    return entry && !strcmp(name, entry);
}

static uint64_t csr(const struct guest *g, unsigned hart, const char *name)
{
    int number = target_find_register(g->target, name);
    uint64_t value = 0;

    if (number >= 0)
        (void)!target_get_register(g->target, hart, (unsigned)number, &value);
    return value;
}

/* Returns the offset in struct pt_regs at which the kernel saves a register. */
static uint64_t saved_offset(const struct guest *g, const char *name, uint64_t otherwise)
{
    uint64_t offset;

    return member_find(g, "pt_regs", name, &offset) ? offset : otherwise;
}

/* Reads the saved registers at `base`: the pc, then x1 to x31. */
static bool load_saved(const struct guest *g, uint64_t base, struct unwound *caller)
{
    enum { SPP = 1 << 8 };
    uint64_t status;

    if (!load(g, caller->hart, base + saved_offset(g, "epc", 0), &caller->pc))
        return false;
    for (unsigned reg = 1; reg < UNWIND_REGS; reg++) {
        caller->at[reg] = base + saved_offset(g, reg_name(reg), reg * 8);
        if (!load(g, caller->hart, caller->at[reg], &caller->reg[reg]))
            return false;
    }
    caller->user =
        load(g, caller->hart, base + saved_offset(g, "status", 256), &status) && !(status & SPP);
    return true;
}

/*
 * Finds the frame of the interrupted code. In the entry of traps its registers are still in the
 * hart, until they are saved; then sepc and the saved pc are the same.
 */
static bool by_trap(const struct guest *g, struct unwound *u, struct unwound *caller)
{
    uint64_t entry = csr(g, u->hart, "stvec") & ~UINT64_C(3), sepc = csr(g, u->hart, "sepc");
    bool saved;

    *caller = *u;
    caller->lost = 0;
    saved = (!u->exact || u->pc != entry) && load_saved(g, u->reg[REG_SP], caller) &&
            (!u->exact || caller->pc == sepc);
    if (!saved) {
        if (!u->exact)
            return false;
        memcpy(caller->reg, u->reg, sizeof caller->reg);
        memcpy(caller->at, u->at, sizeof caller->at);
        caller->pc = sepc;
        caller->user = !(csr(g, u->hart, "sstatus") >> 8 & 1);
    }
    u->cfa = caller->reg[REG_SP];
    u->cfa_known = true;
    caller->exact = true;
    return caller->pc != 0;
}

/* ---- the graph tracer ---- */

static uint64_t handler_address(const struct guest *g)
{
    uint64_t address;

    return symbols_find(g->symbols, "return_to_handler", &address) ? address : 0;
}

/* Whether the entry of a return stack is of the function that the code is in. */
static bool is_entry_of(const struct guest *g, const struct return_entry *e, uint64_t code)
{
    const struct symbol *s = symbols_function_at(g->symbols, code);

    return s && s == symbols_function_at(g->symbols, place_canonical(g, e->function));
}

/*
 * Finds the return address in the kernel's return stack: that of the entry `back` entries below the
 * top; or of an entry beside it whose function has this code, if the tracer is pushing or popping.
 * code 0: the function is unknown. A tail call has several entries; the last one has the address.
 */
static bool from_return_stack(const struct guest *g, const struct unwound *u, unsigned back,
                              uint64_t code, uint64_t *address)
{
    static const int beside[] = {0, -1, 1};
    struct return_stack s;
    int64_t top, at;

    if (!return_stack_read(g, u->hart, u->reg[REG_TP], &s))
        return false;
    top = at = (int64_t)s.depth - 1 - (int64_t)back;
    for (size_t i = 0; code && i < ARRAY_LEN(beside); i++) {
        int64_t n = top + beside[i];

        if (n >= 0 && n < (int64_t)s.depth && is_entry_of(g, &s.at[n], code)) {
            at = n;
            break;
        }
    }
    while (at >= 0 && at < (int64_t)s.depth && s.at[at].back == handler_address(g))
        at--;
    if (at < 0 || at >= (int64_t)s.depth)
        return false;
    *address = s.at[at].back;
    return *address != 0;
}

/*
 * Finds, in the machine's record of calls, the true return address of a function that returns to
 * the tracer's handler.
 */
static bool from_record(const struct guest *g, uint64_t cfa, uint64_t *back)
{
    struct call call;

    if (!g->ftrace || !calls_open_at(watch_calls(g->ftrace), CALL_FUNCTION, cfa, &call))
        return false;
    *back = call.back;
    return true;
}

static void see_through_handler(const struct guest *g, const struct unwound *u,
                                struct unwound *caller)
{
    uint64_t handler = handler_address(g), back;

    if (!handler || place_canonical(g, caller->pc) != handler || caller->exact)
        return;
    if (from_record(g, u->cfa, &back) ||
        from_return_stack(g, caller, caller->handlers, unwind_code(g, u), &back))
        caller->pc = back;
    caller->handlers++;
}

/*
 * Finds the caller of the function that has returned to the handler, in which the hart is; sp is
 * that of the caller. When the tracer has returned, the entry is no longer on the return stack, and
 * a register has the address.
 */
static bool by_handler(const struct guest *g, struct unwound *u, struct unwound *caller)
{
    const char *name = function_name(g, unwind_code(g, u));
    struct frame f;

    if (!name || strcmp(name, "return_to_handler") != 0 || !frame_last_jump(g, u, &f))
        return false;
    u->cfa = f.cfa;
    u->cfa_known = true;
    *caller = *u;
    caller->exact = false;
    caller->reg[REG_SP] = f.cfa;
    caller->reg[REG_S0] = f.fp;
    if (from_record(g, f.cfa, &caller->pc)) {
        caller->handlers += f.ra == 0;
        return true;
    }
    caller->pc = f.ra;
    if (f.ra)
        return true;
    return from_return_stack(g, caller, caller->handlers++, 0, &caller->pc);
}

/* ---- the caller ---- */

/*
 * Whether the address is in code, by its symbol. Modules and programs of BPF have only names of
 * functions.
 */
static bool is_code(const struct guest *g, uint64_t code)
{
    const struct symbol *s = symbols_lookup(g->symbols, code);

    return s ? s->kind != SYMBOL_OBJECT : symbols_name_at(g->symbols, code, NULL) != NULL;
}

static bool is_plausible(const struct guest *g, const struct unwound *u,
                         const struct unwound *caller)
{
    if (!caller->pc || (caller->pc == u->pc && caller->reg[REG_SP] == u->reg[REG_SP]))
        return false;
    if (caller->user)
        return true;
    return is_code(g, unwind_code(g, caller)) &&
           (caller->reg[REG_SP] >= u->reg[REG_SP] || caller->exact);
}

bool unwind_caller(const struct guest *g, struct unwound *u, struct unwound *caller)
{
    bool found;

    *caller = *u;
    if (u->user && !symbols_function_at(g->symbols, unwind_code(g, u)))
        return false;
    if (is_trap_code(g, u->hart, unwind_code(g, u))) {
        found = by_trap(g, u, caller);
    } else if (by_handler(g, u, caller)) {
        found = true;
    } else {
        switch (by_frame_information(g, u, caller)) {
        case NO_CALLER: return false;
        case FOUND: found = true; break;
        default: found = by_code(g, u, caller); break;
        }
        if (found)
            see_through_handler(g, u, caller);
    }
    caller->cfa_known = false; /* the caller's CFA */
    caller->cfa = 0;
    return found && is_plausible(g, u, caller);
}
