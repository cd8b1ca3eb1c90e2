/*
 * unwind.c - see unwind.h.
 */
#include "debug/unwind.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/isa.h"
#include "debug/debugger_priv.h"
#include "debug/dwarf.h"
#include "ftrace/calls.h"
#include "ftrace/sites.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

void unwind_first(const struct debugger *d, unsigned hart, struct unwound *u)
{
    *u = (struct unwound){.exact = true};
    (void)!target_get_register(d->target, hart, TARGET_REG_PC, &u->pc);
    for (unsigned i = 0; i < UNWIND_REGS; i++)
        (void)!target_get_register(d->target, hart, i, &u->reg[i]);
    u->user = target_hart(d->target, hart).mode == PRIV_U;
}

/*
 * The first instruction behind the function's site that has the address, if the debug information
 * has the function begin there: what runs in the site, or was called by it, runs in that function.
 */
static bool behind_site(const struct debugger *d, uint64_t code, uint64_t *entry)
{
    const struct site_table *sites = d->config.watch ? watch_sites(d->config.watch) : NULL;
    struct blocks b;
    Dwarf_Addr low;
    uint64_t pa;
    uint32_t id;

    if (!sites || !place_physical(d, code, &pa))
        return false;
    id = site_find(sites, pa, 1);
    if (id == NO_SITE || site_get(sites, id)->kind != SITE_FUNCTION)
        return false;
    *entry = site_get(sites, id)->va + site_get(sites, id)->size;
    return debug_blocks(d->info, *entry, &b) && dwarf_entrypc(&b.at[0], &low) == 0 && low == *entry;
}

/* An address in the instruction that the frame is at, or has called from. */
static uint64_t place_of(const struct debugger *d, const struct unwound *u)
{
    return place_canonical(d, u->pc) - !u->exact;
}

uint64_t unwind_code(const struct debugger *d, const struct unwound *u)
{
    uint64_t code = place_of(d, u), entry;
    struct blocks b;

    if (!debug_blocks(d->info, code, &b) && behind_site(d, code, &entry))
        return entry;
    return code;
}

static bool load(const struct debugger *d, unsigned hart, uint64_t va, uint64_t *value)
{
    return !target_read(d->target, hart, TARGET_BY_ANY, va, value, sizeof *value);
}

/* ---- call frame information ---- */

/* The operations that describe a frame: a register or the CFA, and an offset. */
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

static void restore_register(const struct debugger *d, unsigned hart, Dwarf_Frame *frame,
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
    } else if (load(d, hart, value, &caller->reg[reg])) {
        caller->at[reg] = value;
        caller->lost &= ~(UINT32_C(1) << reg);
    } else {
        caller->lost |= UINT32_C(1) << reg;
    }
}

/* ra has a rule that says that there is no caller. */
static bool has_no_caller(Dwarf_Frame *frame, int ra)
{
    Dwarf_Op memory[3], *ops;
    size_t count;

    return dwarf_frame_register(frame, ra, memory, &ops, &count) == 0 && !count && ops == memory;
}

enum outcome { NOT_KNOWN, NO_CALLER, FOUND };

static enum outcome by_frame_information(const struct debugger *d, unsigned hart, struct unwound *u,
                                         struct unwound *caller)
{
    Dwarf *dwarf = debug_dwarf(d->info);
    Dwarf_CFI *cfi = dwarf ? dwarf_getcfi(dwarf) : NULL;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count;
    enum outcome result = NOT_KNOWN;

    if (!cfi || dwarf_cfi_addrframe(cfi, place_of(d, u), &frame) != 0)
        return NOT_KNOWN;
    if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count &&
        simple_value(u, ops, count, &u->cfa)) {
        u->cfa_known = true;
        *caller = *u;
        caller->exact = false;
        for (unsigned reg = 1; reg < UNWIND_REGS; reg++)
            if (reg != REG_SP)
                restore_register(d, hart, frame, u, reg, caller);
        caller->reg[REG_SP] = u->cfa;
        caller->at[REG_SP] = 0;
        caller->pc = caller->reg[REG_RA];
        result = has_no_caller(frame, REG_RA) && !u->exact ? NO_CALLER : FOUND;
    }
    free(frame);
    return result;
}

/* ---- without it ---- */

/*
 * A traced function that has not begun yet has the arguments that the trampoline restores; what is
 * not restored is not known.
 */
static void find_arguments(const struct debugger *d, const struct unwound *u,
                           struct unwound *caller)
{
    enum { ARGUMENTS = 8 };
    uint64_t entry;

    if (!behind_site(d, place_of(d, caller), &entry))
        return;
    for (unsigned reg = REG_A0; reg < REG_A0 + ARGUMENTS; reg++) {
        uint64_t at = 0;
        bool known = frame_restores(d, u, reg, &at) &&
                     place_read(d, at, &caller->reg[reg], sizeof caller->reg[reg]);

        caller->at[reg] = known ? at : 0;
        caller->lost = (caller->lost & ~(UINT32_C(1) << reg)) | (uint32_t)!known << reg;
    }
}

static bool by_code(const struct debugger *d, struct unwound *u, struct unwound *caller)
{
    struct frame f;
    bool scanned = frame_scan(d, u, &f);

    /* A frame that has called another one does not have its return address in ra any more. */
    if ((!scanned || (!u->exact && f.ra == u->pc)) && !frame_chain(d, u, &f))
        return false;
    u->cfa = f.cfa;
    u->cfa_known = true;
    *caller = *u;
    caller->exact = false;
    caller->pc = f.ra;
    caller->reg[REG_RA] = f.callers_ra;
    caller->reg[REG_S0] = f.fp;
    caller->reg[REG_SP] = f.cfa;
    find_arguments(d, u, caller);
    return true;
}

/* ---- traps ---- */

static const char *function_name(const struct debugger *d, uint64_t code)
{
    const struct symbol *s = symbols_function_at(d->config.symbols, code);

    return s ? s->name : NULL;
}

/* Whether the code is the kernel's entry of traps, or the way back. */
static bool is_trap_code(const struct debugger *d, unsigned hart, uint64_t code)
{
    static const char *const names[] = {"handle_exception", "ret_from_exception", "restore_all"};
    const char *name = function_name(d, code), *entry;
    uint64_t stvec = 0;
    int number = target_find_register(d->target, "stvec");

    if (!name)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    if (number >= 0)
        (void)!target_get_register(d->target, hart, (unsigned)number, &stvec);
    entry = function_name(d, place_canonical(d, stvec & ~UINT64_C(3)));
    return entry && !strcmp(name, entry);
}

static uint64_t csr(const struct debugger *d, unsigned hart, const char *name)
{
    int number = target_find_register(d->target, name);
    uint64_t value = 0;

    if (number >= 0)
        (void)!target_get_register(d->target, hart, (unsigned)number, &value);
    return value;
}

/* A member of a struct of the kernel; false: the debug information does not have it. */
static bool find_member(const struct debugger *d, const char *structure, const char *member,
                        uint64_t *offset, uint64_t *size)
{
    struct type *type = debug_find_type(d->info, TYPE_STRUCT, structure);

    if (!type)
        return false;
    type = type_strip(debug_types(d->info), type);
    *size = type->size;
    for (size_t i = 0; i < type->fields.len; i++)
        if (type->fields.at[i].name && !strcmp(type->fields.at[i].name, member)) {
            *offset = type->fields.at[i].offset;
            return true;
        }
    return false;
}

bool unwind_member(const struct debugger *d, const char *structure, const char *member,
                   uint64_t *offset)
{
    uint64_t size;

    return find_member(d, structure, member, offset, &size);
}

/* Where the kernel keeps an interrupted register, in struct pt_regs. */
static uint64_t saved_offset(const struct debugger *d, const char *name, uint64_t otherwise)
{
    uint64_t offset, size;

    return find_member(d, "pt_regs", name, &offset, &size) ? offset : otherwise;
}

/* The registers in memory at `base`: the pc, then x1 to x31. */
static bool load_saved(const struct debugger *d, unsigned hart, uint64_t base,
                       struct unwound *caller)
{
    enum { SPP = 1 << 8 };
    uint64_t status;

    if (!load(d, hart, base + saved_offset(d, "epc", 0), &caller->pc))
        return false;
    for (unsigned reg = 1; reg < UNWIND_REGS; reg++) {
        caller->at[reg] = base + saved_offset(d, reg_name(reg), reg * 8);
        if (!load(d, hart, caller->at[reg], &caller->reg[reg]))
            return false;
    }
    caller->user = load(d, hart, base + saved_offset(d, "status", 256), &status) && !(status & SPP);
    return true;
}

/*
 * The interrupted code. In the entry itself its registers are still in the hart, until they are
 * saved; then sepc and the saved pc are the same.
 */
static bool by_trap(const struct debugger *d, unsigned hart, struct unwound *u,
                    struct unwound *caller)
{
    uint64_t entry = csr(d, hart, "stvec") & ~UINT64_C(3), sepc = csr(d, hart, "sepc");
    bool saved;

    *caller = *u;
    caller->lost = 0;
    saved = (!u->exact || u->pc != entry) && load_saved(d, hart, u->reg[REG_SP], caller) &&
            (!u->exact || caller->pc == sepc);
    if (!saved) {
        if (!u->exact)
            return false;
        memcpy(caller->reg, u->reg, sizeof caller->reg);
        memcpy(caller->at, u->at, sizeof caller->at);
        caller->pc = sepc;
        caller->user = !(csr(d, hart, "sstatus") >> 8 & 1);
    }
    u->cfa = caller->reg[REG_SP];
    u->cfa_known = true;
    caller->exact = true;
    return caller->pc != 0;
}

/* ---- the graph tracer ---- */

static uint64_t handler_address(const struct debugger *d)
{
    uint64_t address;

    return symbols_find(d->config.symbols, "return_to_handler", &address) ? address : 0;
}

/* The entry of the task's return stack that is `back` entries below its top. */
static bool from_return_stack(const struct debugger *d, unsigned hart, uint64_t task, unsigned back,
                              uint64_t *address)
{
    uint64_t stack_at, top_at, ret_at, size, entry, stack, top;
    int64_t index;

    if (!find_member(d, "task_struct", "ret_stack", &stack_at, &size) ||
        !find_member(d, "task_struct", "curr_ret_stack", &top_at, &size) ||
        !find_member(d, "ftrace_ret_stack", "ret", &ret_at, &entry) ||
        !load(d, hart, task + stack_at, &stack) || !load(d, hart, task + top_at, &top) || !stack)
        return false;
    index = (int64_t)(int32_t)top - (int64_t)back;
    return index >= 0 && load(d, hart, stack + (uint64_t)index * entry + ret_at, address) &&
           *address != 0;
}

/*
 * Where a function really returns to whose return address is that of the tracer's handler: by the
 * machine's record of calls, or else by the kernel's own return stack.
 */
static bool true_return(const struct debugger *d, unsigned hart, const struct unwound *caller,
                        uint64_t cfa, uint64_t *back)
{
    struct call call;

    if (d->config.watch && calls_open_at(watch_calls(d->config.watch), CALL_FUNCTION, cfa, &call)) {
        *back = call.back;
        return true;
    }
    return from_return_stack(d, hart, caller->reg[REG_TP], caller->handlers, back);
}

static void see_through_handler(const struct debugger *d, unsigned hart, const struct unwound *u,
                                struct unwound *caller)
{
    uint64_t handler = handler_address(d), back;

    if (!handler || place_canonical(d, caller->pc) != handler || caller->exact)
        return;
    if (true_return(d, hart, caller, u->cfa, &back))
        caller->pc = back;
    caller->handlers++;
}

/* In the handler itself: the function has returned, with the sp that its caller had. */
static bool by_handler(const struct debugger *d, unsigned hart, struct unwound *u,
                       struct unwound *caller)
{
    const char *name = function_name(d, unwind_code(d, u));
    struct frame f;

    if (!name || strcmp(name, "return_to_handler") != 0)
        return false;
    (void)!frame_scan(d, u, &f);
    u->cfa = f.cfa;
    u->cfa_known = true;
    *caller = *u;
    caller->exact = false;
    caller->reg[REG_SP] = f.cfa;
    if (f.fp)
        caller->reg[REG_S0] = f.fp;
    if (!true_return(d, hart, caller, f.cfa, &caller->pc))
        return false;
    caller->handlers++;
    return true;
}

/* ---- the caller ---- */

static bool is_plausible(const struct debugger *d, const struct unwound *u,
                         const struct unwound *caller)
{
    const char *name;
    uint64_t offset;

    if (!caller->pc || (caller->pc == u->pc && caller->reg[REG_SP] == u->reg[REG_SP]))
        return false;
    if (caller->user)
        return true;
    name = symbols_name_at(d->config.symbols, unwind_code(d, caller), &offset);
    return name != NULL && (caller->reg[REG_SP] >= u->reg[REG_SP] || caller->exact);
}

bool unwind_caller(const struct debugger *d, unsigned hart, struct unwound *u,
                   struct unwound *caller)
{
    bool found;

    *caller = *u;
    if (u->user && !symbols_function_at(d->config.symbols, unwind_code(d, u)))
        return false;
    if (is_trap_code(d, hart, unwind_code(d, u))) {
        found = by_trap(d, hart, u, caller);
    } else if (by_handler(d, hart, u, caller)) {
        found = true;
    } else {
        switch (by_frame_information(d, hart, u, caller)) {
        case NO_CALLER: return false;
        case FOUND: found = true; break;
        default: found = by_code(d, u, caller); break;
        }
        if (found)
            see_through_handler(d, hart, u, caller);
    }
    caller->cfa_known = false; /* its own */
    caller->cfa = 0;
    return found && is_plausible(d, u, caller);
}
