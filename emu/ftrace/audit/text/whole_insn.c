/*
 * whole_insn.c - see whole_insn.h.
 */
#include "ftrace/audit/text/whole_insn.h"

#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"

/* A function longer than this is not walked through. */
enum { FUNCTION_BYTES_MAX = 1 << 20 };

static unsigned word_size(uint32_t word)
{
    return insn_size((uint16_t)word);
}

/*
 * Goes on over whole instructions of the old text from *at until `va` is reached or passed; *last
 * is then the last one that begins before va. False: something there is no instruction.
 */
static bool walk(const struct text_change *c, uint64_t *at, uint64_t va, uint64_t *last)
{
    struct insn i;
    uint32_t word;

    while (*at < va) {
        if (!insn_read(c->before, c->ctx, *at, &word) || !decoder_decode(c->decoder, word, &i))
            return false;
        *last = *at;
        *at += i.size;
    }
    return true;
}

/*
 * Finds the last instruction of the old text that begins at `va` or before. False: not known.
 */
static bool find_insn(const struct text_change *c, uint64_t start, uint64_t va, uint64_t *insn)
{
    uint64_t at = start;

    *insn = start;
    if (!start || va < start || va - start > FUNCTION_BYTES_MAX || !walk(c, &at, va, insn))
        return false;
    if (at == va)
        *insn = va;
    return true;
}

static bool differs(const struct text_change *c, uint64_t va)
{
    uint16_t before, after;

    return c->before(c->ctx, va, &before) && c->after(c->ctx, va, &after) && before != after;
}

/* The first parcel that was changed, and the address after the last one. False: none was. */
static bool changed_range(const struct text_change *c, uint64_t *first, uint64_t *end)
{
    uint64_t from = c->va & ~UINT64_C(1), to = c->va + c->size;

    while (from < to && !differs(c, from))
        from += 2;
    while (to > from && !differs(c, (to - 1) & ~UINT64_C(1)))
        to = (to - 1) & ~UINT64_C(1);
    *first = from;
    *end = (to + 1) & ~UINT64_C(1);
    return from < to;
}

bool change_is_any(const struct text_change *c)
{
    uint64_t first, end;

    return changed_range(c, &first, &end);
}

/* Whether a breakpoint at `va` is all that was changed; *size: the bytes from there on. */
static bool is_breakpoint_at(const struct text_change *c, uint64_t va, uint64_t end, unsigned *size)
{
    uint32_t word;

    if (va % 2 || !insn_read(c->after, c->ctx, va, &word) || !ebreak_size(word) || end > va + 4)
        return false;
    *size = word == INSN_EBREAK || end > va + 2 ? 4 : 2;
    return va + *size <= c->va + c->size;
}

bool change_is_breakpoint(const struct text_change *c, uint64_t *va, unsigned *size)
{
    uint64_t end;

    if (!changed_range(c, va, &end))
        return false;
    if (is_breakpoint_at(c, *va, end, size))
        return true;
    *va = c->va; /* its first half may be the same as before */
    return is_breakpoint_at(c, *va, end, size);
}

static struct change_verdict judge_breakpoint(const struct text_change *c, uint64_t va,
                                              unsigned size)
{
    struct change_verdict v = {CHANGE_WHOLE, va};
    uint32_t old;

    if (!find_insn(c, c->start, va, &v.insn) || !insn_read(c->before, c->ctx, va, &old))
        v.fault = CHANGE_UNKNOWN;
    else if (v.insn != va)
        v.fault = CHANGE_BREAK_INSIDE;
    else if (size > word_size(old))
        v.fault = CHANGE_BREAK_TOO_LONG;
    return v;
}

/* Whether nothing runs on from the instruction to what follows it. */
static bool ends_there(uint32_t word)
{
    struct insn i;

    return word == INSN_C_EBREAK ||
           (insn_decode(word, &i) && i.rd == 0 && (i.op == OP_jal || i.op == OP_jalr));
}

/* Whether all of the instruction was written, and not only a half of it. */
static bool is_written(const struct text_change *c, uint64_t va, unsigned size)
{
    return va >= c->va && va + size <= c->va + c->size;
}

/* Judges the new text from the instruction at `at` until all that was changed is behind it. */
static struct change_verdict judge_new(const struct text_change *c, uint64_t at, uint64_t end)
{
    struct change_verdict v = {CHANGE_WHOLE, at};
    uint64_t old = at;
    uint32_t word = 0;
    struct insn i;

    for (uint64_t next; at < end; at = next) {
        v.insn = at;
        if (!insn_read(c->after, c->ctx, at, &word)) {
            v.fault = CHANGE_UNKNOWN;
            return v;
        }
        next = at + word_size(word);
        if (!is_written(c, at, word_size(word)))
            v.fault = CHANGE_PART;
        else if (!decoder_decode(c->decoder, word, &i))
            v.fault = CHANGE_ILLEGAL;
        if (v.fault != CHANGE_WHOLE)
            return v;
    }
    if (!walk(c, &old, at, &v.insn))
        v.fault = CHANGE_UNKNOWN;
    else if (old != at && !ends_there(word))
        v.fault = CHANGE_REST;
    return v;
}

struct change_verdict change_judge(const struct text_change *c)
{
    uint64_t first, end, insn;
    struct change_verdict v;
    unsigned size;

    if (!changed_range(c, &first, &end))
        return (struct change_verdict){CHANGE_WHOLE, c->va};
    if (change_is_breakpoint(c, &insn, &size))
        return judge_breakpoint(c, insn, size);
    if (!find_insn(c, c->start, first, &insn))
        return (struct change_verdict){CHANGE_UNKNOWN, c->va};
    v = judge_new(c, insn, end);
    if (v.fault == CHANGE_PART && v.insn < first)
        v.insn = insn;
    return v;
}

bool change_next_jump(const struct text_change *c, uint64_t *at, uint64_t *insn, uint64_t *target)
{
    uint64_t end = c->va + c->size, from;
    uint32_t word, next;
    struct insn i, jalr;

    if (!find_insn(c, c->start, c->va, &from))
        return false;
    for (uint64_t va = *at ? *at : from; va < end; va = *at) {
        if (!insn_read(c->after, c->ctx, va, &word) || !decoder_decode(c->decoder, word, &i))
            return false;
        *at = va + i.size;
        *insn = va;
        if (i.op == OP_jal || (i.op >= OP_beq && i.op <= OP_bgeu)) {
            *target = va + (uint64_t)(int64_t)i.imm;
            return true;
        }
        if (i.op == OP_auipc && insn_read(c->after, c->ctx, *at, &next) &&
            decoder_decode(c->decoder, next, &jalr) && insn_is_pair(&i, &jalr)) {
            *at += jalr.size;
            *target = pair_target(va, &i, &jalr);
            return true;
        }
    }
    return false;
}

bool change_begins_insn(const struct text_change *c, uint64_t start, uint64_t va)
{
    uint64_t insn;

    return !find_insn(c, start, va, &insn) || insn == va;
}
