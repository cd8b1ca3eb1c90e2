/*
 * test_whole_insn.c - a change of text replaces whole instructions, or it is judged to be wrong,
 * whatever the instructions, and however the function begins.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/isa/decode.h"
#include "cpu/isa/extension.h"
#include "ftrace/audit/text/whole_insn.h"

#include "isa/encode.h"

enum { START = 0x1000, PARCELS = 64 };
enum { CNOP = 0x0001, NOP4 = 0x13 };

struct text {
    uint16_t before[PARCELS], after[PARCELS];
    struct text_change change;
};

static bool read_parcel(const uint16_t *text, uint64_t va, uint16_t *parcel)
{
    if (va < START || va - START >= 2 * PARCELS)
        return false;
    *parcel = text[(va - START) / 2];
    return true;
}

static bool before(void *ctx, uint64_t va, uint16_t *parcel)
{
    return read_parcel(((const struct text *)ctx)->before, va, parcel);
}

static bool after(void *ctx, uint64_t va, uint16_t *parcel)
{
    return read_parcel(((const struct text *)ctx)->after, va, parcel);
}

static struct decoder *decoder;

static int make_decoder(void **state)
{
    (void)state;
    decoder = decoder_new(EXTS_ALL);
    return 0;
}

static int free_decoder(void **state)
{
    (void)state;
    decoder_free(decoder);
    return 0;
}

/* A function: c.nop at 0, nop at 2, c.nop at 6, nop at 8 and 12, then c.nop. */
static void begin(struct text *t)
{
    static const uint16_t insns[] = {CNOP, NOP4, 0, CNOP, NOP4, 0, NOP4, 0};

    for (unsigned i = 0; i < PARCELS; i++)
        t->before[i] = t->after[i] = i < 8 ? insns[i] : CNOP;
    t->change = (struct text_change){.start = START,
                                     .end = START + 2 * PARCELS,
                                     .before = before,
                                     .after = after,
                                     .ctx = t,
                                     .decoder = decoder};
}

static void write(struct text *t, unsigned at, unsigned size, uint64_t bytes)
{
    memcpy((uint8_t *)t->after + at, &bytes, size);
    t->change.va = START + at;
    t->change.size = size;
}

/* Judges one change, and the instruction that it names, as an offset. */
static enum change_fault fault(unsigned at, unsigned size, uint64_t bytes, unsigned *insn)
{
    struct text t;
    struct change_verdict v;

    begin(&t);
    write(&t, at, size, bytes);
    v = change_judge(&t.change);
    *insn = (unsigned)(v.insn - START);
    return v.fault;
}

static void assert_fault(enum change_fault expected, unsigned at, unsigned size, uint64_t bytes,
                         unsigned where)
{
    unsigned insn;

    assert_int_equal(fault(at, size, bytes, &insn), expected);
    assert_int_equal(insn, where);
}

static void assert_whole(unsigned at, unsigned size, uint64_t bytes)
{
    unsigned insn;

    assert_int_equal(fault(at, size, bytes, &insn), CHANGE_WHOLE);
}

#define PAIR(low, high) ((uint64_t)(high) << 32 | (low))

static void breakpoints(void **state)
{
    (void)state;
    assert_whole(0, 2, C_EBREAK);
    assert_whole(2, 4, EBREAK);
    assert_whole(2, 2, C_EBREAK); /* in front of the rest of a longer one */
    assert_whole(2, 4, C_EBREAK);
    assert_fault(CHANGE_BREAK_INSIDE, 4, 2, C_EBREAK, 2);
    assert_fault(CHANGE_BREAK_INSIDE, 4, 4, EBREAK, 2);
    assert_fault(CHANGE_BREAK_INSIDE, 10, 4, EBREAK, 8);
    assert_fault(CHANGE_BREAK_TOO_LONG, 0, 4, EBREAK, 0);
    assert_fault(CHANGE_BREAK_TOO_LONG, 6, 4, C_EBREAK, 6);
    assert_fault(CHANGE_BREAK_TOO_LONG, 20, 4, EBREAK, 20); /* over two whole ones */
}

static void halves_of_breakpoints(void **state)
{
    (void)state;
    assert_fault(CHANGE_PART, 2, 2, EBREAK & 0xffff, 2);
    assert_fault(CHANGE_PART, 4, 2, EBREAK >> 16, 2);
    assert_fault(CHANGE_PART, 0, 2, EBREAK & 0xffff, 0);
}

static void a_store_may_be_wider_than_the_breakpoint(void **state)
{
    (void)state;
    assert_whole(0, 8, PAIR(CNOP | C_EBREAK << 16, CNOP << 16));
    assert_whole(4, 4, C_EBREAK << 16);
    assert_fault(CHANGE_BREAK_INSIDE, 2, 4, NOP4 | (uint32_t)C_EBREAK << 16, 2);
}

static void whole_instructions(void **state)
{
    (void)state;
    assert_whole(2, 4, ADDI(A0, A0, 1));
    assert_whole(8, 8, PAIR(AUIPC(RA, 0), JALR(RA, RA, 8)));
    assert_whole(2, 4, PAIR(CNOP | CNOP << 16, 0));  /* split */
    assert_whole(16, 8, PAIR(NOP4, NOP4));           /* merged */
    assert_whole(0, 6, PAIR(ADDI(A0, A0, 1), CNOP)); /* other boundaries in between */
    assert_whole(8, 2, 0xa001);                      /* c.j in front */
    assert_whole(0, 0, 0);                           /* nothing */
}

static void parts_of_instructions(void **state)
{
    (void)state;
    assert_fault(CHANGE_PART, 4, 2, 0x0010, 2);
    assert_fault(CHANGE_PART, 8, 2, ADDI(A0, A0, 1) & 0xffff, 8);
    assert_fault(CHANGE_PART, 10, 4, ADDI(A0, A0, 1), 8);
    assert_fault(CHANGE_PART, 0, 2, ADDI(A0, A0, 1) & 0xffff, 0);
    assert_fault(CHANGE_REST, 8, 2, 0x0505, 8);          /* c.addi over a half */
    assert_fault(CHANGE_REST, 6, 4, ADDI(A0, A0, 1), 8); /* the half behind is left */
    assert_fault(CHANGE_REST, 0, 4, ADDI(A0, A0, 1), 2);
}

static void no_instructions(void **state)
{
    (void)state;
    assert_fault(CHANGE_ILLEGAL, 0, 2, 0, 0);
    assert_fault(CHANGE_ILLEGAL, 8, 8, PAIR(NOP4, UINT32_MAX), 12);
}

static void what_is_not_known_is_not_judged(void **state)
{
    struct text t;

    (void)state;
    begin(&t);
    t.change.start = 0;
    write(&t, 4, 2, C_EBREAK);
    assert_int_equal(change_judge(&t.change).fault, CHANGE_UNKNOWN);
    begin(&t);
    t.before[0] = t.after[0] = 0; /* data before the place */
    write(&t, 4, 2, C_EBREAK);
    assert_int_equal(change_judge(&t.change).fault, CHANGE_UNKNOWN);
}

static void only_what_differs_is_a_change(void **state)
{
    struct text t;

    (void)state;
    begin(&t);
    write(&t, 2, 4, NOP4);
    assert_false(change_is_any(&t.change));
    write(&t, 2, 4, ADDI(A0, A0, 0));
    assert_true(change_is_any(&t.change));
    write(&t, 2, 8, PAIR(ADDI(A0, A0, 2), CNOP | NOP4 << 16)); /* its first parcel is the same */
    assert_int_equal(change_judge(&t.change).fault, CHANGE_WHOLE);
}

static void jumps_are_found_with_their_targets(void **state)
{
    uint64_t at = 0, insn, target;
    struct text t;

    (void)state;
    begin(&t);
    write(&t, 8, 8, PAIR(AUIPC(RA, 1), JALR(RA, RA, -8)));
    write(&t, 2, 4, JAL(0, 14));
    t.change.va = START;
    t.change.size = 2 * PARCELS;
    assert_true(change_next_jump(&t.change, &at, &insn, &target));
    assert_int_equal(insn, START + 2);
    assert_int_equal(target, START + 16);
    assert_true(change_next_jump(&t.change, &at, &insn, &target));
    assert_int_equal(insn, START + 8);
    assert_int_equal(target, START + 8 + 0x1000 - 8);
    assert_false(change_next_jump(&t.change, &at, &insn, &target));
}

static void an_instruction_begins_where_the_old_text_has_one(void **state)
{
    struct text t;

    (void)state;
    begin(&t);
    assert_true(change_begins_insn(&t.change, START, START));
    assert_true(change_begins_insn(&t.change, START, START + 2));
    assert_false(change_begins_insn(&t.change, START, START + 4));
    assert_true(change_begins_insn(&t.change, START, START + 12));
    assert_false(change_begins_insn(&t.change, START, START + 14));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoints),
        cmocka_unit_test(halves_of_breakpoints),
        cmocka_unit_test(a_store_may_be_wider_than_the_breakpoint),
        cmocka_unit_test(whole_instructions),
        cmocka_unit_test(parts_of_instructions),
        cmocka_unit_test(no_instructions),
        cmocka_unit_test(what_is_not_known_is_not_judged),
        cmocka_unit_test(only_what_differs_is_a_change),
        cmocka_unit_test(jumps_are_found_with_their_targets),
        cmocka_unit_test(an_instruction_begins_where_the_old_text_has_one),
    };

    return cmocka_run_group_tests(tests, make_decoder, free_decoder);
}
