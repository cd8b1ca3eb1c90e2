/*
 * unwind.c - see unwind.h.
 */
#include "debug/frames/unwind.h"

#include <dwarf.h>

#include "base/compiler.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
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
#include "machine/machine.h"

void unwind_first(const struct guest *g, unsigned hart, struct unwound *u)
{
    *u = (struct unwound){.exact = true, .hart = hart};
    (void)!target_get_register(g->target, hart, TARGET_REG_PC, &u->pc);
    for (unsigned i = 0; i < UNWIND_REGS; i++)
        (void)!target_get_register(g->target, hart, i, &u->reg[i]);
    u->user = target_hart(g->target, hart).mode == PRIV_U;
}

/* ---- the source ---- */

static bool read_memory(void *ctx, unsigned hart, uint64_t va, void *to, unsigned len)
{
    return place_read(ctx, hart, va, to, len);
}

static uint64_t read_csr(void *ctx, unsigned hart, enum unwind_csr csr)
{
    const struct guest *g = ctx;
    uint64_t value;

    return hart_csr(cluster_hart(machine_cluster(g->machine), hart), csr, &value) ? value : 0;
}

static uint64_t canonical(void *ctx, uint64_t address)
{
    return place_canonical(ctx, address);
}

/*
 * The first instruction after the site that contains the address, if the debug information has the
 * function begin there: code in the site, and what the site calls, belongs to that function.
 */
static bool known_as(void *ctx, unsigned hart, uint64_t code, uint64_t *address)
{
    const struct guest *g = ctx;
    const struct site_table *sites = g->ftrace ? watch_sites(g->ftrace) : NULL;
    struct blocks b;
    Dwarf_Addr low;
    uint64_t pa;
    uint32_t id;

    if (!sites || debug_blocks(g->info, code, &b) || !place_physical(g, hart, code, &pa))
        return false;
    id = site_find(sites, pa, 1);
    if (id == NO_SITE || site_get(sites, id)->kind != SITE_FUNCTION)
        return false;
    *address = site_get(sites, id)->va + site_get(sites, id)->size;
    return debug_blocks(g->info, *address, &b) && dwarf_entrypc(&b.at[0], &low) == 0 &&
           low == *address;
}

static bool saved_at(void *ctx, const char *reg, uint64_t *offset)
{
    return member_find(ctx, "pt_regs", reg, offset);
}

static bool replaced(void *ctx, uint64_t sp, uint64_t *address)
{
    const struct guest *g = ctx;
    struct call call;

    if (!g->ftrace || !calls_open_at(watch_calls(g->ftrace), CALL_FUNCTION, sp, &call))
        return false;
    *address = call.back;
    return true;
}

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
static bool on_return_stack(void *ctx, const struct unwound *u, unsigned back, uint64_t code,
                            uint64_t *address)
{
    static const int beside[] = {0, -1, 1};
    const struct guest *g = ctx;
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

static struct unwind_source source_of(const struct guest *g)
{
    return (struct unwind_source){.ctx = (void *)(uintptr_t)g, /* the functions only read it */
                                  .symbols = g->symbols,
                                  .lines = debug_lines(g->info),
                                  .read = read_memory,
                                  .csr = read_csr,
                                  .canonical = canonical,
                                  .known_as = known_as,
                                  .saved_at = saved_at,
                                  .replaced = replaced,
                                  .on_return_stack = on_return_stack};
}

/* ---- frames ---- */

bool unwind_caller(const struct guest *g, struct unwound *u, struct unwound *caller)
{
    const struct unwind_source s = source_of(g);

    return unwind_step(&s, u, caller);
}

uint64_t unwind_code(const struct guest *g, const struct unwound *u)
{
    const struct unwind_source s = source_of(g);

    return unwind_code_of(&s, u);
}

bool unwind_innermost(const struct guest *g, unsigned hart, struct innermost *f)
{
    struct unwound u, caller;

    unwind_first(g, hart, &u);
    if (!unwind_caller(g, &u, &caller)) {
        *f = (struct innermost){.pc = u.pc, .cfa = u.cfa};
        return false;
    }
    *f = (struct innermost){.pc = u.pc, .ra = caller.pc, .cfa = caller.reg[REG_SP]};
    return true;
}
