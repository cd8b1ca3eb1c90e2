/*
 * condition.c - see condition.h.
 */
#include "litmus/condition.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { VALUE_TEXT = 128, INSN_MAX_NUMBER = 1 << 16 };

static size_t index_of(const struct test *t, const struct place *p)
{
    size_t i = 0;

    while (i < t->observed.len && !place_equal(&t->observed.at[i], p))
        i++;
    return i;
}

/* The value as the place holds it: its low bytes, extended. */
static uint64_t as_in(const struct test_image *i, const struct place *p, uint64_t value)
{
    const struct location *l;
    unsigned shift;

    if (p->is_register)
        return value;
    l = &i->test->locations.at[p->location];
    shift = 64 - 8 * l->size;
    return l->is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static bool equals(const struct test_image *i, const struct condition *c,
                   const struct final_state *s)
{
    uint64_t value = s->values[index_of(i->test, &c->place)];
    uint64_t expected =
        test_image_value(i, &c->value, c->place.hart, c->place.is_register ? c->place.reg : 32);

    if (c->value.kind == VALUE_INSN)
        return (uint32_t)value == (uint32_t)expected;
    return as_in(i, &c->place, value) == as_in(i, &c->place, expected);
}

bool condition_holds(const struct test_image *i, const struct condition *c,
                     const struct final_state *s)
{
    switch (c->kind) {
    case CONDITION_TRUE: return true;
    case CONDITION_EQUAL: return equals(i, c, s);
    case CONDITION_NOT: return !condition_holds(i, c->left, s);
    case CONDITION_AND: return condition_holds(i, c->left, s) && condition_holds(i, c->right, s);
    case CONDITION_OR: return condition_holds(i, c->left, s) || condition_holds(i, c->right, s);
    case CONDITION_IMPLIES:
        return !condition_holds(i, c->left, s) || condition_holds(i, c->right, s);
    }
    return false;
}

/* ---- as text ---- */

static void place_text(const struct test *t, const struct place *p, char text[VALUE_TEXT])
{
    if (p->is_register)
        snprintf(text, VALUE_TEXT, "%u:x%u", p->hart, p->reg);
    else if (t->locations.at[p->location].count > 1)
        snprintf(text, VALUE_TEXT, "%s[%u]", t->locations.at[p->location].name, p->element);
    else
        snprintf(text, VALUE_TEXT, "%s", t->locations.at[p->location].name);
}

/* "P1:mod"; false: no program has a label there. */
static bool label_text(const struct test_image *i, uint64_t value, char text[VALUE_TEXT])
{
    for (unsigned h = 0; h < i->test->harts; h++) {
        const struct program *p = &i->test->programs[h];

        for (size_t n = 0; n < p->lines.len; n++) {
            if (!p->lines.at[n].label || i->harts[h].start + i->code->codes[h].offsets[n] != value)
                continue;
            snprintf(text, VALUE_TEXT, "P%u:%s", h, p->lines.at[n].label);
            return true;
        }
    }
    return false;
}

/* instr:"nop", of the instructions that the test names as values. */
static bool insn_text(const struct test_image *i, const struct place *place, uint64_t value,
                      char text[VALUE_TEXT])
{
    const struct assembled *a = i->code;

    for (size_t n = 0; n < a->insn_texts.len; n++) {
        struct value v = {.kind = VALUE_INSN, .name = a->insn_texts.at[n]};

        if ((uint32_t)test_image_value(i, &v, place->hart, place->reg) != (uint32_t)value &&
            (uint32_t)test_image_value(i, &v, 0, 32) != (uint32_t)value)
            continue;
        snprintf(text, VALUE_TEXT, "instr:\"%s\"", a->insn_texts.at[n]);
        return true;
    }
    return false;
}

static void number_text(uint64_t value, char text[VALUE_TEXT])
{
    if (value + INT32_MAX + 1 <= UINT32_MAX)
        snprintf(text, VALUE_TEXT, "%" PRId64, (int64_t)value);
    else
        snprintf(text, VALUE_TEXT, "0x%" PRIx64, value);
}

static void value_text(const struct test_image *i, const struct place *p, uint64_t value,
                       char text[VALUE_TEXT])
{
    for (size_t n = 0; n < i->test->locations.len; n++)
        if (value == i->va[n]) {
            snprintf(text, VALUE_TEXT, "%s", i->test->locations.at[n].name);
            return;
        }
    if (!label_text(i, value, text) && !(value > INSN_MAX_NUMBER && insn_text(i, p, value, text)) &&
        !(value == 0x13 && insn_text(i, p, value, text)))
        number_text(as_in(i, p, value), text);
}

struct text {
    VEC_OF(char) chars;
};

static void add_text(struct text *t, const char *s)
{
    for (; *s; s++)
        VEC_PUSH(&t->chars, *s);
}

static char *text_end(struct text *t)
{
    VEC_PUSH(&t->chars, '\0');
    return t->chars.at;
}

char *final_state_text(const struct test_image *i, const struct final_state *s)
{
    struct text t = {0};
    char part[VALUE_TEXT];

    for (size_t n = 0; n < i->test->observed.len; n++) {
        const struct place *p = &i->test->observed.at[n];

        add_text(&t, n ? " " : "");
        place_text(i->test, p, part);
        add_text(&t, part);
        add_text(&t, "=");
        value_text(i, p, s->values[n], part);
        add_text(&t, part);
        add_text(&t, ";");
    }
    for (unsigned h = 0; h < i->test->harts; h++) {
        snprintf(part, sizeof part, " fault(P%u);", h);
        if (s->faults >> h & 1)
            add_text(&t, part);
    }
    return text_end(&t);
}

/* ---- of other programs ---- */

/* Takes "NAME=VALUE;" from the text; false: there is none. */
static bool take_part(const char **text, char name[VALUE_TEXT], char value[VALUE_TEXT])
{
    const char *from = *text, *equals_sign, *end;
    bool quoted = false;

    while (isspace((unsigned char)*from))
        from++;
    equals_sign = strchr(from, '=');
    if (!equals_sign)
        return false;
    for (end = equals_sign; *end && (quoted || *end != ';'); end++)
        quoted ^= *end == '"';
    if (*end != ';' || equals_sign - from >= VALUE_TEXT || end - equals_sign >= VALUE_TEXT)
        return false;
    snprintf(name, VALUE_TEXT, "%.*s", (int)(equals_sign - from), from);
    snprintf(value, VALUE_TEXT, "%.*s", (int)(end - equals_sign - 1), equals_sign + 1);
    *text = end + 1;
    return true;
}

/* Whether the name, "0:x5", "0:a0", "x" or "[x]", is that of the place. */
static bool names_place(const struct test *t, const char *name, const struct place *p)
{
    const char *colon = strchr(name, ':');
    char bare[VALUE_TEXT], own[VALUE_TEXT];

    if (colon)
        return p->is_register && strtoul(name + (name[0] == 'P'), NULL, 10) == p->hart &&
               register_number(colon + 1) == p->reg;
    snprintf(bare, sizeof bare, "%s", name + (name[0] == '['));
    if (bare[0] && bare[strlen(bare) - 1] == ']')
        bare[strlen(bare) - 1] = '\0';
    place_text(t, p, own);
    return !p->is_register && (!strcmp(name, own) || !strcmp(bare, own));
}

static void normal_value(const struct test_image *i, const struct place *p, const char *value,
                         char text[VALUE_TEXT])
{
    char *end;
    uint64_t number = strtoull(value + (value[0] == '-'), &end, 0);

    if (end == value || *end) {
        snprintf(text, VALUE_TEXT, "%s", value);
        return;
    }
    number_text(as_in(i, p, value[0] == '-' ? 0 - number : number), text);
}

char *final_state_normalize(const struct test_image *i, const char *text)
{
    const struct test *t = i->test;
    char name[VALUE_TEXT], value[VALUE_TEXT];
    char(*parts)[VALUE_TEXT] = xcalloc(t->observed.len + 1, sizeof *parts);
    struct text out = {0};
    bool whole = true;

    while (take_part(&text, name, value))
        for (size_t n = 0; n < t->observed.len; n++)
            if (names_place(t, name, &t->observed.at[n]))
                normal_value(i, &t->observed.at[n], value, parts[n]);
    for (size_t n = 0; n < t->observed.len; n++) {
        whole &= parts[n][0] != '\0';
        add_text(&out, n ? " " : "");
        place_text(t, &t->observed.at[n], name);
        add_text(&out, name);
        add_text(&out, "=");
        add_text(&out, parts[n]);
        add_text(&out, ";");
    }
    free(parts);
    if (!whole)
        VEC_FREE(&out.chars);
    return whole ? text_end(&out) : NULL;
}
