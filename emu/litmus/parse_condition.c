/*
 * parse_condition.c - see parse_priv.h: what is asked of the end, and which places are observed.
 */
#include "litmus/parse_priv.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"

enum { TERMS_MAX = 2000 };

static void observe(struct parser *p, struct place place)
{
    struct test *t = p->test;

    for (size_t i = 0; i < t->observed.len; i++) {
        const struct place *o = &t->observed.at[i];

        if (place_equal(o, &place))
            return;
    }
    VEC_PUSH(&t->observed, place);
}

/* "[2]", of an array, after the first bracket. */
static void parse_element(struct parser *p, struct place *place)
{
    const struct location *l = &p->test->locations.at[place->location];
    uint64_t element;

    if (!lex_number(p, &element)) {
        lex_expected(p, "the number of an element");
        return;
    }
    if (element >= l->count)
        lex_problem(p, "`%s' has %u elements", l->name, l->count);
    place->element = (unsigned)element;
    lex_expect(p, "]");
}

/* "1:x5", "x", "x[2]", "[x]" or "*x". */
static void parse_place(struct parser *p, struct place *place)
{
    char name[TOKEN_MAX];
    bool bracket;

    *place = (struct place){0};
    if (parse_register(p, &place->hart, &place->reg)) {
        place->is_register = true;
        if (place->hart >= p->test->harts)
            lex_problem(p, "there is no hart %u", place->hart);
        return;
    }
    (void)lex_take(p, "*");
    bracket = lex_take(p, "[");
    lex_name(p, name);
    if (!strcmp(name, "PA")) {
        lex_expect(p, "(");
        lex_name(p, name);
        lex_expect(p, ")");
    }
    if (bracket)
        lex_expect(p, "]");
    if (!name[0])
        lex_expected(p, "a register or a location");
    place->location = parse_location(p, name);
    if (!p->problem && !bracket && lex_take(p, "["))
        parse_element(p, place);
}

static struct condition *new_condition(enum condition_kind kind, struct condition *left,
                                       struct condition *right)
{
    struct condition *c = xcalloc(1, sizeof *c);

    c->kind = kind;
    c->left = left;
    c->right = right;
    return c;
}

static struct condition *parse_implication(struct parser *p);

static struct condition *parse_atom(struct parser *p)
{
    struct condition *c;
    bool differs;

    if (++p->terms > TERMS_MAX) /* each of them is a call within the one before */
        lex_problem(p, "the condition has more than %d terms", TERMS_MAX);
    if (p->problem)
        return new_condition(CONDITION_TRUE, NULL, NULL);
    if (lex_take(p, "~") || lex_take(p, "not"))
        return new_condition(CONDITION_NOT, parse_atom(p), NULL);
    if (lex_take(p, "(")) {
        c = parse_implication(p);
        lex_expect(p, ")");
        return c;
    }
    if (lex_take(p, "true"))
        return new_condition(CONDITION_TRUE, NULL, NULL);
    if (lex_take(p, "false"))
        return new_condition(CONDITION_NOT, new_condition(CONDITION_TRUE, NULL, NULL), NULL);
    c = new_condition(CONDITION_EQUAL, NULL, NULL);
    parse_place(p, &c->place);
    differs = lex_take(p, "!=") || lex_take(p, "<>");
    if (!differs && !lex_take(p, "=="))
        lex_expect(p, "=");
    if (!p->problem)
        observe(p, c->place);
    parse_value(p, &c->value);
    return differs ? new_condition(CONDITION_NOT, c, NULL) : c;
}

static struct condition *parse_conjunction(struct parser *p)
{
    struct condition *c = parse_atom(p);

    while (!p->problem && (lex_take(p, "/\\") || lex_take(p, "and")))
        c = new_condition(CONDITION_AND, c, parse_atom(p));
    return c;
}

static struct condition *parse_disjunction(struct parser *p)
{
    struct condition *c = parse_conjunction(p);

    while (!p->problem && (lex_take(p, "\\/") || lex_take(p, "or")))
        c = new_condition(CONDITION_OR, c, parse_conjunction(p));
    return c;
}

static struct condition *parse_implication(struct parser *p)
{
    struct condition *c = parse_disjunction(p);

    if (!p->problem && ++p->terms <= TERMS_MAX && lex_take(p, "=>"))
        return new_condition(CONDITION_IMPLIES, c, parse_implication(p));
    return c;
}

/* "[0:x5; x;]" */
static void parse_locations(struct parser *p)
{
    struct location type;
    struct place place;

    lex_expect(p, "[");
    while (!p->problem && !lex_take(p, "]")) {
        if (lex_take(p, ";"))
            continue;
        (void)parse_type(p, &type);
        parse_place(p, &place);
        if (!p->problem)
            observe(p, place);
    }
}

/* The text of the condition with each run of blanks as one. */
static char *one_line(const char *from, const char *to)
{
    char *s = lex_copy(from, to), *out = s;

    for (const char *c = s; *c; c++) {
        if (isspace((unsigned char)*c) && out > s && out[-1] == ' ')
            continue;
        *out++ = isspace((unsigned char)*c) ? ' ' : *c;
    }
    *out = '\0';
    return s;
}

void parse_condition(struct parser *p)
{
    const char *from;

    for (;;) {
        if (lex_take(p, "locations")) {
            parse_locations(p);
        } else if (lex_take(p, "filter")) {
            p->test->filter = parse_implication(p);
        } else {
            break;
        }
        if (p->problem)
            return;
    }
    (void)lex_take(p, "final");
    lex_blanks(p);
    if (!*p->at && p->test->observed.len) { /* the test only asks which values there are */
        p->test->condition = new_condition(CONDITION_TRUE, NULL, NULL);
        p->test->condition_text = xstrdup("exists (true)");
        return;
    }
    from = p->at;
    if (lex_take(p, "~exists") || lex_take(p, "~ exists"))
        p->test->quantifier = QUANTIFIER_NOT_EXISTS;
    else if (lex_take(p, "forall"))
        p->test->quantifier = QUANTIFIER_FORALL;
    else if (lex_take(p, "exists"))
        p->test->quantifier = QUANTIFIER_EXISTS;
    else
        lex_expected(p, "the condition, exists, ~exists or forall,");
    if (p->problem)
        return;
    p->test->condition = parse_implication(p);
    if (p->problem)
        return;
    p->test->condition_text = one_line(from, p->at);
    lex_blanks(p);
    if (lex_take(p, "locations")) /* herd permits it at either place */
        parse_locations(p);
    lex_blanks(p);
    if (!p->problem && *p->at)
        lex_problem(p, "the test has ended before `%.20s'", p->at);
}
