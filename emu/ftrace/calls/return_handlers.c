/*
 * return_handlers.c - see return_handlers.h.
 */
#include "ftrace/calls/return_handlers.h"

#include <string.h>

#include "base/state_io.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "cpu/observer.h"
#include "load/symbols.h"

bool learn_return_handler(struct return_handlers *h, uint64_t address)
{
    if (h->count == RETURN_HANDLERS_MAX || is_return_handler(h, address))
        return false;
    h->at[h->count++] = address;
    return true;
}

void forget_return_handler(struct return_handlers *handlers, struct hart *h)
{
    unsigned i = handlers->named;
    uint64_t pa;

    if (handlers->count < RETURN_HANDLERS_MAX)
        return;
    while (i < handlers->count && h && hart_translate(h, handlers->at[i], ACCESS_FETCH, &pa))
        i++;
    if (i == handlers->count)
        return;
    memmove(&handlers->at[i], &handlers->at[i + 1],
            (handlers->count - i - 1) * sizeof handlers->at[0]);
    handlers->count--;
}

void return_handlers_state_io(struct state_io *io, struct return_handlers *h)
{
    STATE_IO_BELOW(io, h->count, RETURN_HANDLERS_MAX + 1);
    for (unsigned i = 0; i < h->count; i++)
        STATE_IO(io, h->at[i]);
}

/* Whether the instruction before this address is a call, which returns to it. */
static bool follows_call(struct hart *h, uint64_t va)
{
    uint32_t word = 0;
    struct insn i;

    if (hart_peek(h, va - 4, &word, 4) && insn_size((uint16_t)word) == 4 && insn_decode(word, &i) &&
        (i.op == OP_jal || i.op == OP_jalr) && i.rd != REG_ZERO)
        return true;
    word = 0;
    return hart_peek(h, va - 2, &word, 2) && insn_size((uint16_t)word) == 2 &&
           insn_decode(word, &i) && (i.op == OP_jal || i.op == OP_jalr) && i.rd != REG_ZERO;
}

bool may_be_return_handler(const struct symbols *symbols, struct hart *h, uint64_t va)
{
    const struct symbol *symbol = symbols_function_at(symbols, va);
    uint64_t pa;

    if (!hart_translate(h, va, ACCESS_FETCH, &pa))
        return false;
    return symbol ? symbol->addr == va : !follows_call(h, va);
}

/* ---- breakpoints ---- */

void ra_traps_take(struct ra_traps *b, const struct trap_event *t)
{
    if (b->count == RA_TRAPS_MAX)
        memmove(b->at, b->at + 1, --b->count * sizeof *b->at);
    b->at[b->count].pc = t->epc;
    b->at[b->count].sp = hart_reg(t->hart, REG_SP);
    b->at[b->count++].ra = hart_reg(t->hart, REG_RA);
}

/* A value that an instruction at pc, which the handler has simulated, may have put into ra. */
static bool is_simulated(uint64_t pc, uint64_t ra)
{
    return ra - pc == 2 || ra - pc == 4 || !((ra - pc) & 0xfff);
}

bool ra_traps_return(struct ra_traps *b, const struct hart *h, uint64_t *former)
{
    uint64_t sp = hart_reg(h, REG_SP), ra = hart_reg(h, REG_RA);
    unsigned i = b->count;

    while (i > 0 && b->at[i - 1].sp != sp)
        i--;
    if (!i)
        return false;
    b->count = --i;
    *former = b->at[i].ra;
    return ra != *former && !is_simulated(b->at[i].pc, ra);
}

void ra_traps_state_io(struct state_io *io, struct ra_traps *b)
{
    STATE_IO_BELOW(io, b->count, RA_TRAPS_MAX + 1);
    for (unsigned i = 0; i < b->count; i++) {
        STATE_IO(io, b->at[i].pc);
        STATE_IO(io, b->at[i].sp);
        STATE_IO(io, b->at[i].ra);
    }
}
