/*
 * context.c - connects the language of expressions (value.h) with the machine: registers, memory
 * and symbols of the hart and frame in d->focus.
 */
#include "debug/commands/context.h"

#include <dwarf.h>
#include <string.h>

#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/frames/place.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/location.h"
#include "load/symbols.h"

/* ---- registers ---- */

static int find_register(void *ctx, const char *name)
{
    const struct debugger *d = ctx;
    int vector = target_find_vector(d->target, name);

    return vector >= 0 ? TARGET_REG_V0 + vector : target_find_register(d->target, name);
}

/* By "RISC-V DWARF Specification", the table of register numbers. */
static int dwarf_register(void *ctx, unsigned number)
{
    const struct debugger *d = ctx;
    unsigned bytes;

    if (number < 32)
        return TARGET_REG_X0 + (int)number;
    if (number < 64)
        return TARGET_REG_F0 + (int)number - 32;
    if (number >= 96 && number < 128)
        return target_vector(d->target, d->focus.hart, number - 96, &bytes)
                   ? TARGET_REG_V0 + (int)number - 96
                   : -1;
    if (number >= 4096 && number < 8192)
        return TARGET_REG_CSR + (int)number - 4096;
    return -1;
}

static void register_kind(void *ctx, unsigned number, unsigned *bits, unsigned *kind)
{
    const struct debugger *d = ctx;
    struct target_register r = {.bits = 64};

    (void)!target_register(d->target, number, &r);
    *bits = r.bits;
    *kind = r.type == TARGET_CODE_POINTER   ? 1
            : r.type == TARGET_DATA_POINTER ? 2
            : r.type == TARGET_DOUBLE       ? 3
                                            : 0;
}

/*
 * Whether frames have values of their own for the register; else all frames have the one of the
 * hart.
 */
static bool is_of_frame(const struct debugger *d, unsigned number)
{
    return (d->focus.frame || (d->task && d->focus.hart == d->selected)) && number <= TARGET_REG_PC;
}

static bool get_register(void *ctx, unsigned number, uint64_t *value)
{
    struct debugger *d = ctx;
    struct stack_frame f;

    if (!is_of_frame(d, number) || !stack_frame(d, d->focus.hart, d->focus.frame, &f))
        return !target_get_register(d->target, d->focus.hart, number, value);
    if (number < UNWIND_REGS && f.u.lost >> number & 1)
        return false;
    *value = number == TARGET_REG_PC ? f.u.pc : f.u.reg[number];
    return true;
}

static bool store(void *ctx, uint64_t address, const void *from, size_t len);

/* Writes a register. That of an outer frame is in memory, where an inner frame has saved it. */
static bool set_register(void *ctx, unsigned number, uint64_t value)
{
    struct debugger *d = ctx;
    struct stack_frame f;
    bool done;

    if (is_of_frame(d, number) && stack_frame(d, d->focus.hart, d->focus.frame, &f)) {
        if (number == TARGET_REG_PC || number == TARGET_REG_X0 + 2)
            return false;
        if (f.u.at[number])
            return store(ctx, f.u.at[number], &value, sizeof value);
    }
    done = !target_set_register(d->target, d->focus.hart, number, value);
    stack_forget(d);
    return done;
}

/* Vector registers are the hart's in all frames. */
static const uint8_t *get_vector(void *ctx, unsigned number, unsigned *bytes)
{
    const struct debugger *d = ctx;

    if (number < TARGET_REG_V0)
        return NULL;
    return target_vector(d->target, d->focus.hart, number - TARGET_REG_V0, bytes);
}

static bool set_vector(void *ctx, unsigned number, const uint8_t *bytes)
{
    const struct debugger *d = ctx;

    return !target_set_vector(d->target, d->focus.hart, number - TARGET_REG_V0, bytes);
}

/* ---- memory ---- */

static bool load(void *ctx, uint64_t address, void *to, size_t len)
{
    const struct debugger *d = ctx;

    return !target_read(d->target, d->focus.hart, TARGET_BY_ANY, address, to, len);
}

static bool store(void *ctx, uint64_t address, const void *from, size_t len)
{
    struct debugger *d = ctx;

    stack_forget(d);
    return !target_write(d->target, d->focus.hart, TARGET_BY_ANY, address, from, len);
}

/* ---- symbols ---- */

/*
 * Whether a symbol is code. A label is, if it is in a section of instructions, or inside a
 * function.
 */
static bool is_code(const struct debugger *d, const struct symbol *s)
{
    if (s->kind != SYMBOL_LABEL)
        return s->kind == SYMBOL_FUNC;
    return debug_is_code(d->info, s->addr) || symbols_function_at(d->config.symbols, s->addr);
}

static bool find_symbol(void *ctx, const char *name, struct plain_symbol *found)
{
    const struct debugger *d = ctx;
    const struct symbol *s;
    uint64_t address;

    if (!symbols_find(d->config.symbols, name, &address))
        return false;
    s = symbols_lookup(d->config.symbols, address);
    *found = (struct plain_symbol){.address = address};
    if (s && s->addr == address) {
        found->size = s->sized ? s->end - s->addr : 0;
        found->code = is_code(d, s);
    }
    return true;
}

/*
 * Returns the name of an address. Labels inside a function, such as ftrace_call, do not hide the
 * name of the function.
 */
static const char *name_at(void *ctx, uint64_t address, uint64_t *offset)
{
    const struct debugger *d = ctx;
    uint64_t va = place_canonical(&d->guest, address);
    const struct symbol *s = symbols_function_at(d->config.symbols, va);

    if (s && s->sized && va < s->end) {
        *offset = va - s->addr;
        return s->name;
    }
    return symbols_name_at(d->config.symbols, va, offset);
}

/* ---- frames ---- */

static void selected_frame(void *ctx, struct frame_scope *scope)
{
    struct debugger *d = ctx;
    struct stack_frame f;

    *scope = (struct frame_scope){.pc = d->focus.scope, .canonical = d->focus.scope};
    if (d->focus.scope)
        return;
    if (!stack_frame(d, d->focus.hart, d->focus.frame, &f))
        return;
    *scope = (struct frame_scope){
        .pc = f.u.pc, .canonical = f.u.user ? 0 : unwind_code(&d->guest, &f.u), .level = f.level};
}

static bool frame_address(void *ctx, uint64_t *cfa)
{
    struct debugger *d = ctx;

    return stack_cfa(d, d->focus.hart, d->focus.frame, cfa);
}

/* ---- the values of parameters at the call ---- */

/* Finds the call in the function that returns to `pc`. */
static bool find_call(Dwarf_Die *outer, uint64_t pc, unsigned depth, Dwarf_Die *call)
{
    enum { DEPTH_MAX = 16 };
    Dwarf_Die child;
    int end = dwarf_child(outer, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        Dwarf_Attribute attr;
        Dwarf_Addr back;

        if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
            unsigned name = tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;

            if (dwarf_formaddr(dwarf_attr(&child, name, &attr), &back) == 0 && back == pc) {
                *call = child;
                return true;
            }
        } else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
                   depth < DEPTH_MAX && find_call(&child, pc, depth + 1, call)) {
            return true;
        }
    }
    return false;
}

/* Finds the expression of the value that a register has at the call. */
static bool find_parameter(Dwarf_Die *call, unsigned dwarf_register, Dwarf_Attribute *value)
{
    Dwarf_Die child;
    int end = dwarf_child(call, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        Dwarf_Attribute attr;
        Dwarf_Op *ops;
        size_t count;

        if (dwarf_attr(&child, DW_AT_location, &attr) &&
            dwarf_getlocation(&attr, &ops, &count) == 0 && count == 1 &&
            ops[0].atom == DW_OP_reg0 + dwarf_register)
            return dwarf_attr(&child, DW_AT_call_value, value) ||
                   dwarf_attr(&child, DW_AT_GNU_call_site_value, value);
    }
    return false;
}

static bool entry_register(void *ctx, unsigned dwarf_register, uint64_t *value)
{
    struct debugger *d = ctx;
    struct focus before = d->focus;
    unsigned number = d->focus.frame;
    struct stack_frame caller;
    struct blocks b;
    Dwarf_Die call;
    Dwarf_Attribute attr;
    bool ok;

    do { /* past the functions that this one is inlined into */
        if (!stack_frame(d, d->focus.hart, ++number, &caller))
            return false;
    } while (caller.level);
    if (caller.u.exact || !debug_blocks(d->info, unwind_code(&d->guest, &caller.u), &b) ||
        !find_call(&b.at[0], place_canonical(&d->guest, caller.u.pc), 0, &call) ||
        !find_parameter(&call, dwarf_register, &attr))
        return false;
    d->focus.frame = number;
    ok = location_call_value(d->language, &attr, value);
    d->focus = before;
    return ok;
}

/* ---- the session's language ---- */

void context_open(struct debugger *d)
{
    const struct language_env env = {
        .ctx = d,
        .find_register = find_register,
        .dwarf_register = dwarf_register,
        .register_kind = register_kind,
        .get_register = get_register,
        .set_register = set_register,
        .get_vector = get_vector,
        .set_vector = set_vector,
        .load = load,
        .store = store,
        .symbol = find_symbol,
        .name_at = name_at,
        .frame = selected_frame,
        .frame_address = frame_address,
        .entry_register = entry_register,
    };

    d->info = debug_info_new(d->config.lines);
    d->language = language_new(&env, d->info);
}

void context_command(struct debugger *d)
{
    stack_forget(d);
    d->focus = (struct focus){.hart = d->selected, .frame = d->frame};
    set_variable(d, "_thread", d->selected + 1);
}

void context_close(struct debugger *d)
{
    language_free(d->language);
    debug_info_free(d->info);
    frame_list_free(&d->stack.list);
}

struct focus context_look(struct debugger *d, unsigned hart)
{
    struct focus before = d->focus;

    d->focus = (struct focus){.hart = hart};
    set_variable(d, "_thread", hart + 1);
    stack_forget(d);
    return before;
}
