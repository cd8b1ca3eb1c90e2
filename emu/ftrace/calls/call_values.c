/*
 * call_values.c - see call_values.h.
 */
#include "ftrace/calls/call_values.h"

#include <string.h>

#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "load/prototypes.h"
#include "mem/ram.h"

/* Reads what is in one page, or in two. */
static void read_text(struct hart *h, uint64_t va, struct call_text *t)
{
    uint64_t left = PAGE_BYTES - va % PAGE_BYTES;
    unsigned first = left < CALL_TEXT_BYTES ? (unsigned)left : CALL_TEXT_BYTES;

    t->known = hart_peek(h, va, t->bytes, first);
    t->len = 0;
    t->cut = false;
    if (!t->known)
        return;
    t->len = (uint8_t)strnlen(t->bytes, first);
    if (t->len == first && first < CALL_TEXT_BYTES &&
        hart_peek(h, va + first, t->bytes + first, CALL_TEXT_BYTES - first))
        t->len = (uint8_t)strnlen(t->bytes, CALL_TEXT_BYTES);
    t->cut = t->len == CALL_TEXT_BYTES;
}

static uint64_t value_of(const struct hart *h, unsigned number)
{
    return number < REGISTER_F0 ? hart_reg(h, number) : hart_freg(h, number - REGISTER_F0);
}

void call_values_read(struct hart *h, const struct call_registers *r, struct call_values *v)
{
    unsigned texts = 0;

    v->count = r->count;
    v->texts = r->texts;
    for (unsigned i = 0; i < r->count; i++) {
        v->at[i] = value_of(h, r->numbers[i]);
        if (r->texts >> i & 1)
            read_text(h, v->at[i], &v->text[texts++]);
    }
}

void call_values_read_results(const struct hart *h, struct call_values *v)
{
    v->count = CALL_RESULTS;
    v->texts = 0;
    v->at[CALL_RESULT_A0] = hart_reg(h, REG_A0);
    v->at[CALL_RESULT_A1] = hart_reg(h, REG_A1);
    v->at[CALL_RESULT_FA0] = hart_freg(h, REG_A0);
}
