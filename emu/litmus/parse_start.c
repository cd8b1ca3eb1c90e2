/*
 * parse_start.c - see parse_priv.h: what registers and locations start with, between { and }.
 */
#include "litmus/parse_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { ELEMENTS_MAX = 64 };

static void value_free(struct value *v)
{
    free(v->name);
    *v = (struct value){0};
}

/* "[2]", after the name. */
static void parse_count(struct parser *p, struct location *l)
{
    uint64_t count;

    if (!lex_number(p, &count) || !count || count > ELEMENTS_MAX)
        lex_problem(p, "an array has from 1 to %d elements", ELEMENTS_MAX);
    else
        l->count = (unsigned)count;
    lex_expect(p, "]");
}

/* A location that starts with an address is one for addresses. */
static void check_fits(struct parser *p, struct location *l, const struct value *v)
{
    unsigned bits = 8 * l->size;

    if (v->kind != VALUE_NUMBER && v->kind != VALUE_INSN) {
        l->is_pointer = true;
        l->size = 8;
    } else if (v->kind == VALUE_NUMBER && bits < 64 && v->number >> bits &&
               v->number + (UINT64_C(1) << (bits - 1)) >= UINT64_C(1) << bits) {
        lex_problem(p, "the value does not fit into the %u bytes of `%s'", l->size, l->name);
    }
}

/* "{1, 2}", after the first parenthesis: values of the elements. */
static void parse_elements(struct parser *p, size_t location)
{
    do {
        struct value value;
        struct location *l;

        parse_value(p, &value);
        l = &p->test->locations.at[location];
        if (l->elements.len == l->count)
            lex_problem(p, "`%s' has %u elements", l->name, l->count);
        check_fits(p, l, &value);
        VEC_PUSH(&l->elements, value);
    } while (!p->problem && lex_take(p, ","));
    lex_expect(p, "}");
}

/* The value after the equals sign. */
static void parse_location_value(struct parser *p, size_t location, bool entry)
{
    struct location *l;
    struct value value;

    if (!entry && lex_take(p, "{")) {
        parse_elements(p, location);
        return;
    }
    parse_value(p, &value);
    l = &p->test->locations.at[location];
    if (entry) {
        value_free(&l->entry);
        l->has_entry = true;
        l->entry = value;
        return;
    }
    value_free(&l->start);
    l->start = value;
    check_fits(p, l, &value);
}

static void parse_location_start(struct parser *p, const struct location *type)
{
    char name[TOKEN_MAX];
    bool entry, bracket;
    struct location *l;
    size_t i;

    bracket = lex_take(p, "[");
    lex_name(p, name);
    entry = !strcmp(name, "TTD") || !strcmp(name, "PTE");
    if (entry || !strcmp(name, "PA")) {
        lex_expect(p, "(");
        lex_name(p, name);
        lex_expect(p, ")");
        p->test->translated = true;
    }
    if (!name[0])
        lex_expected(p, "a register or a location");
    i = parse_location(p, name);
    if (p->problem)
        return;
    l = &p->test->locations.at[i];
    if (type) {
        l->size = type->size;
        l->is_signed = type->is_signed;
        l->is_pointer = type->is_pointer;
    }
    if (bracket)
        lex_expect(p, "]");
    else if (lex_take(p, "["))
        parse_count(p, l);
    if (lex_take(p, "="))
        parse_location_value(p, i, entry);
}

void parse_start(struct parser *p)
{
    struct location type;
    struct start start;

    lex_expect(p, "{");
    while (!p->problem && !lex_take(p, "}")) {
        bool typed;

        if (lex_take(p, ";"))
            continue;
        lex_blanks(p);
        if (!*p->at) {
            lex_problem(p, "the start has no closing `}'");
            return;
        }
        typed = parse_type(p, &type);
        if (!parse_register(p, &start.hart, &start.reg)) {
            parse_location_start(p, typed ? &type : NULL);
        } else if (lex_take(p, "=")) {
            parse_value(p, &start.value);
            VEC_PUSH(&p->test->starts, start);
        }
        if (!lex_take(p, ";")) {
            lex_expect(p, "}");
            return;
        }
    }
}
