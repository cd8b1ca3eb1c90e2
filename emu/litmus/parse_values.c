/*
 * parse_values.c - see parse_priv.h: registers, locations and what they start with.
 */
#include "litmus/parse_priv.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Bits of a page table entry that a test's entry has unless it says otherwise: D A X W R V. */
enum { ENTRY_V = 1, ENTRY_R = 2, ENTRY_W = 4, ENTRY_X = 8, ENTRY_A = 64, ENTRY_D = 128 };
#define ENTRY_BITS ((uint64_t)(ENTRY_V | ENTRY_R | ENTRY_W | ENTRY_X | ENTRY_A | ENTRY_D))

/* ---- registers and locations ---- */

static const char *const register_names[] = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

unsigned register_number(const char *name)
{
    char *end;
    unsigned long n;

    for (unsigned i = 0; i < REGISTER_NONE; i++)
        if (!strcmp(name, register_names[i]))
            return i;
    if (!strcmp(name, "fp"))
        return 8;
    if (name[0] != 'x' || !isdigit((unsigned char)name[1]))
        return REGISTER_NONE;
    n = strtoul(name + 1, &end, 10);
    return *end || n >= REGISTER_NONE ? REGISTER_NONE : (unsigned)n;
}

size_t test_find_location(const struct test *t, const char *name)
{
    for (size_t i = 0; i < t->locations.len; i++)
        if (!strcmp(t->locations.at[i].name, name))
            return i;
    return SIZE_MAX;
}

size_t parse_location(struct parser *p, const char *name)
{
    size_t i = test_find_location(p->test, name);
    struct location l = {.size = 4, .count = 1, .is_signed = true};

    if (i != SIZE_MAX)
        return i;
    if (!name[0])
        lex_expected(p, "the name of a location");
    else if (isdigit((unsigned char)name[0]))
        lex_problem(p, "`%s' is no name of a location", name);
    else if (p->test->locations.len == LITMUS_LOCATIONS_MAX)
        lex_problem(p, "`%s': a test may have %d locations", name, LITMUS_LOCATIONS_MAX);
    l.name = xstrdup(name);
    VEC_PUSH(&p->test->locations, l);
    return p->test->locations.len - 1;
}

bool parse_register(struct parser *p, unsigned *hart, unsigned *reg)
{
    const char *start = p->at;
    char name[TOKEN_MAX];
    uint64_t number;

    lex_blanks(p);
    if (*p->at == 'P' && isdigit((unsigned char)p->at[1]))
        p->at++;
    if (!isdigit((unsigned char)*p->at) || !lex_number(p, &number) || !lex_take(p, ":")) {
        p->at = start;
        return false;
    }
    lex_name(p, name);
    *reg = register_number(name);
    if (*reg == REGISTER_NONE)
        lex_problem(p, "`%s' is no integer register", name);
    if (number >= LITMUS_HARTS_MAX)
        lex_problem(p, "hart %" PRIu64 ": a test may have %d harts", number, LITMUS_HARTS_MAX);
    *hart = (unsigned)(number % LITMUS_HARTS_MAX);
    return true;
}

/* ---- values ---- */

/* The names of a page table entry's bits in a test: "valid:1", "af:0", "oa:PA(x)". */
static const struct {
    const char *name;
    uint64_t bit;
} entry_bits[] = {
    {"valid", ENTRY_V}, {"v", ENTRY_V}, {"r", ENTRY_R},  {"w", ENTRY_W},
    {"x", ENTRY_X},     {"a", ENTRY_A}, {"af", ENTRY_A}, {"d", ENTRY_D},
};

static void parse_entry_bit(struct parser *p, struct value *v, const char *name)
{
    uint64_t on;

    for (size_t i = 0; i < sizeof entry_bits / sizeof entry_bits[0]; i++) {
        if (strcmp(name, entry_bits[i].name) != 0)
            continue;
        if (!lex_number(p, &on) || on > 1)
            lex_problem(p, "expected 0 or 1 for `%s'", name);
        v->number = on ? v->number | entry_bits[i].bit : v->number & ~entry_bits[i].bit;
        return;
    }
    lex_problem(p, "`%s' is no part of a page table entry: expected oa, valid, r, w, x, a or d",
                name);
}

/* The value names that location. */
static void set_location(struct parser *p, struct value *v, const char *name)
{
    if (p->problem)
        return;
    v->name = xstrdup(name);
    parse_location(p, name);
}

/* "(oa:PA(x), valid:1)"; the opening parenthesis is taken. */
static void parse_entry(struct parser *p, struct value *v)
{
    char name[TOKEN_MAX];

    v->kind = VALUE_ENTRY;
    v->number = ENTRY_BITS;
    p->test->translated = true;
    do {
        lex_name(p, name);
        lex_expect(p, ":");
        if (strcmp(name, "oa") != 0) {
            parse_entry_bit(p, v, name);
            continue;
        }
        lex_expect(p, "PA");
        lex_expect(p, "(");
        lex_name(p, name);
        lex_expect(p, ")");
        free(v->name);
        v->name = NULL;
        set_location(p, v, name);
    } while (!p->problem && lex_take(p, ","));
    lex_expect(p, ")");
}

static void parse_insn_value(struct parser *p, struct value *v)
{
    const char *end;

    lex_expect(p, ":");
    lex_expect(p, "\"");
    end = strchr(p->at, '"');
    if (!end) {
        lex_problem(p, "the instruction has no closing quote");
        return;
    }
    v->kind = VALUE_INSN;
    p->test->fetches = true;
    v->name = lex_copy(p->at, end);
    parse_insn_check(p, v->name);
    p->at = end + 1;
}

/* "P1:mod", at "P1". */
static bool parse_label_value(struct parser *p, struct value *v, const char *name)
{
    char label[TOKEN_MAX], *end;
    unsigned long hart;

    if (name[0] != 'P' || !isdigit((unsigned char)name[1]) || *p->at != ':')
        return false;
    hart = strtoul(name + 1, &end, 10);
    if (*end)
        return false;
    if (hart >= LITMUS_HARTS_MAX)
        lex_problem(p, "`%s': a test may have %d harts", name, LITMUS_HARTS_MAX);
    p->at++;
    lex_name(p, label);
    v->kind = VALUE_LABEL;
    p->test->fetches = true;
    v->hart = (unsigned)(hart % LITMUS_HARTS_MAX);
    v->name = xstrdup(label);
    if (!label[0])
        lex_expected(p, "a label");
    return true;
}

void parse_value(struct parser *p, struct value *v)
{
    char name[TOKEN_MAX];

    *v = (struct value){0};
    if (lex_number(p, &v->number))
        return;
    if (lex_take(p, "(")) {
        parse_entry(p, v);
        return;
    }
    (void)lex_take(p, "&");
    lex_name(p, name);
    if (!strcmp(name, "instr")) {
        parse_insn_value(p, v);
        return;
    }
    if (parse_label_value(p, v, name))
        return;
    if (!strcmp(name, "PTE")) {
        lex_expect(p, "(");
        lex_name(p, name);
        lex_expect(p, ")");
        v->kind = VALUE_ENTRY_OF;
        p->test->translated = true;
    } else {
        v->kind = VALUE_LOCATION;
    }
    if (!name[0]) {
        lex_expected(p, "a value");
        return;
    }
    set_location(p, v, name);
    if (v->kind == VALUE_LOCATION && lex_take(p, "+") && !lex_number(p, &v->number))
        lex_expected(p, "a number of bytes");
}

/* ---- types ---- */

static const struct {
    const char *name;
    unsigned size;
    bool is_signed;
} types[] = {
    {"int", 4, true},       {"int8_t", 1, true},    {"int16_t", 2, true},    {"int32_t", 4, true},
    {"int64_t", 8, true},   {"uint8_t", 1, false},  {"uint16_t", 2, false},  {"uint32_t", 4, false},
    {"uint64_t", 8, false}, {"unsigned", 4, false}, {"long", 8, true},       {"char", 1, true},
    {"short", 2, true},     {"intptr_t", 8, true},  {"uintptr_t", 8, false}, {"size_t", 8, false},
    {"ins_t", 4, false},    {"instr_t", 4, false},
};

bool parse_type(struct parser *p, struct location *l)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!lex_take(p, types[i].name))
            continue;
        *l = (struct location){.size = types[i].size, .is_signed = types[i].is_signed, .count = 1};
        while (lex_take(p, "*"))
            l->size = 8, l->is_pointer = true;
        return true;
    }
    return false;
}
