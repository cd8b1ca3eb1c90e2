/*
 * test.c - see test.h. The file is read once, from left to right: header, start, programs,
 * condition.
 */
#include "litmus/test.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { REGISTER_NONE = 32, TOKEN_MAX = 256 };

/* Bits of a page table entry that a test's entry has unless it says otherwise: D A X W R V. */
enum { ENTRY_V = 1, ENTRY_R = 2, ENTRY_W = 4, ENTRY_X = 8, ENTRY_A = 64, ENTRY_D = 128 };
#define ENTRY_BITS ((uint64_t)(ENTRY_V | ENTRY_R | ENTRY_W | ENTRY_X | ENTRY_A | ENTRY_D))

struct parser {
    struct test *test;
    const char *at;   /* in the text without comments */
    const char *text; /* its start */
    char *problem;    /* the first one; NULL: none */
};

static void PRINTF_LIKE(2, 3) complain(struct parser *p, const char *format, ...)
{
    char text[TOKEN_MAX];
    const char *end = p->at;
    unsigned line = 1;
    va_list args;

    if (p->problem)
        return;
    while (end > p->text && isspace((unsigned char)end[-1]))
        end--;
    for (const char *c = p->text; c < end; c++)
        line += *c == '\n';
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->problem = xasprintf("line %u: %s", line, text);
}

/* ---- characters ---- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static void skip_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* Takes the word if the text goes on with it. */
static bool take(struct parser *p, const char *word)
{
    size_t len = strlen(word);

    skip_blanks(p);
    if (strncmp(p->at, word, len) != 0)
        return false;
    if (is_name_char(word[len - 1]) && is_name_char(p->at[len]))
        return false;
    p->at += len;
    return true;
}

static void expect(struct parser *p, const char *word)
{
    if (!take(p, word))
        complain(p, "expected `%s' before `%.20s'", word, p->at);
}

/* Takes a name; an empty string: there is none. */
static void take_name(struct parser *p, char name[TOKEN_MAX])
{
    size_t len = 0;

    skip_blanks(p);
    while (is_name_char(p->at[len]) && len < TOKEN_MAX - 1)
        len++;
    memcpy(name, p->at, len);
    name[len] = '\0';
    p->at += len;
}

static bool take_number(struct parser *p, uint64_t *value)
{
    char *end;
    bool minus;

    skip_blanks(p);
    minus = *p->at == '-';
    if (!isdigit((unsigned char)p->at[minus]))
        return false;
    *value = strtoull(p->at + minus, &end, 0);
    if (is_name_char(*end))
        return false;
    p->at = end;
    *value = minus ? 0 - *value : *value;
    return true;
}

static char *copy_of(const char *from, const char *to)
{
    char *s;

    while (from < to && isspace((unsigned char)*from))
        from++;
    while (from < to && isspace((unsigned char)to[-1]))
        to--;
    s = xcalloc((size_t)(to - from) + 1, 1);
    memcpy(s, from, (size_t)(to - from));
    return s;
}

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

static size_t location_of(struct parser *p, const char *name)
{
    size_t i = test_find_location(p->test, name);
    struct location l = {.size = 4, .count = 1, .is_signed = true};

    if (i != SIZE_MAX)
        return i;
    l.name = xstrdup(name);
    VEC_PUSH(&p->test->locations, l);
    return p->test->locations.len - 1;
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
        if (!take_number(p, &on) || on > 1)
            complain(p, "expected 0 or 1 for `%s'", name);
        v->number = on ? v->number | entry_bits[i].bit : v->number & ~entry_bits[i].bit;
        return;
    }
    complain(p, "`%s' is no part of a page table entry: expected oa, valid, r, w, x, a or d", name);
}

/* "(oa:PA(x), valid:1)"; the opening parenthesis is taken. */
static void parse_entry(struct parser *p, struct value *v)
{
    char name[TOKEN_MAX];

    v->kind = VALUE_ENTRY;
    v->number = ENTRY_BITS;
    p->test->translated = true;
    do {
        take_name(p, name);
        expect(p, ":");
        if (strcmp(name, "oa") != 0) {
            parse_entry_bit(p, v, name);
            continue;
        }
        expect(p, "PA");
        expect(p, "(");
        take_name(p, name);
        expect(p, ")");
        free(v->name);
        v->name = xstrdup(name);
        location_of(p, name);
    } while (!p->problem && take(p, ","));
    expect(p, ")");
}

static void parse_insn_value(struct parser *p, struct value *v)
{
    const char *end;

    expect(p, ":");
    expect(p, "\"");
    end = strchr(p->at, '"');
    if (!end) {
        complain(p, "the instruction has no closing quote");
        return;
    }
    v->kind = VALUE_INSN;
    v->name = copy_of(p->at, end);
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
    if (*end || hart >= LITMUS_HARTS_MAX)
        return false;
    p->at++;
    take_name(p, label);
    v->kind = VALUE_LABEL;
    v->hart = (unsigned)hart;
    v->name = xstrdup(label);
    return true;
}

static void parse_value(struct parser *p, struct value *v)
{
    char name[TOKEN_MAX];

    *v = (struct value){0};
    if (take_number(p, &v->number))
        return;
    if (take(p, "(")) {
        parse_entry(p, v);
        return;
    }
    (void)take(p, "&");
    take_name(p, name);
    if (!strcmp(name, "instr")) {
        parse_insn_value(p, v);
        return;
    }
    if (parse_label_value(p, v, name))
        return;
    if (!strcmp(name, "PTE")) {
        expect(p, "(");
        take_name(p, name);
        expect(p, ")");
        v->kind = VALUE_ENTRY_OF;
        p->test->translated = true;
    } else {
        v->kind = VALUE_LOCATION;
    }
    if (!name[0] || isdigit((unsigned char)name[0])) {
        complain(p, "expected a value before `%.20s'", p->at);
        return;
    }
    v->name = xstrdup(name);
    location_of(p, name);
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

/* Takes a type, if the text goes on with one. */
static bool take_type(struct parser *p, struct location *l)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!take(p, types[i].name))
            continue;
        *l = (struct location){.size = types[i].size, .is_signed = types[i].is_signed, .count = 1};
        while (take(p, "*"))
            l->size = 8, l->is_pointer = true;
        return true;
    }
    return false;
}

/* ---- the start ---- */

/* "1:x5", at its number. */
static bool take_register(struct parser *p, unsigned *hart, unsigned *reg)
{
    const char *start = p->at;
    char name[TOKEN_MAX];
    uint64_t number;

    skip_blanks(p);
    if (*p->at == 'P' && isdigit((unsigned char)p->at[1]))
        p->at++;
    if (!isdigit((unsigned char)*p->at) || !take_number(p, &number) || !take(p, ":")) {
        p->at = start;
        return false;
    }
    take_name(p, name);
    *reg = register_number(name);
    if (*reg == REGISTER_NONE)
        complain(p, "`%s' is no integer register", name);
    if (number >= LITMUS_HARTS_MAX)
        complain(p, "hart %u: a test may have %d harts", (unsigned)number, LITMUS_HARTS_MAX);
    *hart = (unsigned)number;
    return true;
}

static void set_register(struct parser *p, unsigned hart, unsigned reg, struct value value)
{
    VEC_PUSH(&p->test->starts, ((struct start){hart, reg, value}));
}

static void parse_location_start(struct parser *p, const struct location *type)
{
    char name[TOKEN_MAX];
    bool entry, bracket;
    struct location *l;
    struct value value;
    size_t i;

    bracket = take(p, "[");
    take_name(p, name);
    entry = !strcmp(name, "TTD") || !strcmp(name, "PTE");
    if (entry || !strcmp(name, "PA")) {
        expect(p, "(");
        take_name(p, name);
        expect(p, ")");
        p->test->translated = true;
    }
    if (!name[0]) {
        complain(p, "expected a register or a location before `%.20s'", p->at);
        return;
    }
    i = location_of(p, name);
    if (type) {
        char *old = p->test->locations.at[i].name;

        p->test->locations.at[i] = *type;
        p->test->locations.at[i].name = old;
    }
    if (bracket) {
        expect(p, "]");
    } else if (take(p, "[")) {
        uint64_t count;

        if (!take_number(p, &count) || !count || count > 64)
            complain(p, "an array has from 1 to 64 elements");
        else
            p->test->locations.at[i].count = (unsigned)count;
        expect(p, "]");
    }
    if (!take(p, "="))
        return;
    parse_value(p, &value);
    l = &p->test->locations.at[i];
    if (entry) {
        free(l->entry.name);
        l->has_entry = true;
        l->entry = value;
        return;
    }
    free(l->start.name);
    l->start = value;
    if (value.kind != VALUE_NUMBER && value.kind != VALUE_INSN) {
        l->is_pointer = true;
        l->size = 8;
    }
}

static void parse_start(struct parser *p)
{
    struct location type;
    struct value value;
    unsigned hart, reg;

    expect(p, "{");
    while (!p->problem && !take(p, "}")) {
        bool typed;

        if (take(p, ";"))
            continue;
        if (!*p->at) {
            complain(p, "the start has no closing `}'");
            return;
        }
        typed = take_type(p, &type);
        if (!take_register(p, &hart, &reg)) {
            parse_location_start(p, typed ? &type : NULL);
        } else if (take(p, "=")) {
            parse_value(p, &value);
            set_register(p, hart, reg, value);
        }
        if (!take(p, ";")) {
            expect(p, "}");
            return;
        }
    }
}

/* ---- the programs ---- */

/* Takes the text up to one of the separators of columns; *end is the separator. */
static char *take_cell(struct parser *p, char *end)
{
    const char *from = p->at;
    char *cell;

    while (*p->at && *p->at != '|' && *p->at != ';')
        p->at++;
    cell = copy_of(from, p->at);
    *end = *p->at;
    if (*p->at)
        p->at++;
    return cell;
}

/* Adds a cell of a column: labels, each ended by a colon, and an instruction. */
static void add_cell(struct program *program, const char *cell)
{
    for (;;) {
        struct line line = {0};
        size_t len = 0;

        while (is_name_char(cell[len]))
            len++;
        if (!len || cell[len] != ':') {
            line.insn = *cell ? xstrdup(cell) : NULL;
            if (line.insn)
                VEC_PUSH(&program->lines, line);
            return;
        }
        line.label = copy_of(cell, cell + len);
        VEC_PUSH(&program->lines, line);
        cell += len + 1;
        while (isspace((unsigned char)*cell))
            cell++;
    }
}

/* "P0 | P1 ;" */
static void parse_head(struct parser *p)
{
    char end;

    do {
        char *cell = take_cell(p, &end), *rest = NULL;
        unsigned long number = cell[0] == 'P' ? strtoul(cell + 1, &rest, 10) : ULONG_MAX;

        if (number != p->test->harts || *rest)
            complain(p, "expected `P%u' in place of `%.20s'", p->test->harts, cell);
        else if (number >= LITMUS_HARTS_MAX)
            complain(p, "a test may have %d harts", LITMUS_HARTS_MAX);
        else
            p->test->harts++;
        free(cell);
    } while (!p->problem && end == '|');
    if (!p->problem && end != ';')
        complain(p, "the line of the harts has no `;'");
}

static const char *const after_programs[] = {"exists",    "~exists", "~ exists", "forall",
                                             "locations", "filter",  "final",    "observed"};

static bool programs_end(struct parser *p)
{
    skip_blanks(p);
    for (size_t i = 0; i < sizeof after_programs / sizeof after_programs[0]; i++) {
        size_t len = strlen(after_programs[i]);

        if (!strncmp(p->at, after_programs[i], len) && !is_name_char(p->at[len]))
            return true;
    }
    return !*p->at;
}

static void parse_programs(struct parser *p)
{
    skip_blanks(p);
    parse_head(p);
    while (!p->problem && !programs_end(p)) {
        unsigned hart = 0;
        char end;

        do {
            char *cell = take_cell(p, &end);

            if (hart < p->test->harts)
                add_cell(&p->test->programs[hart], cell);
            else if (*cell)
                complain(p, "`%.20s' is in column %u of %u", cell, hart + 1, p->test->harts);
            hart++;
            free(cell);
        } while (!p->problem && end == '|');
        if (!p->problem && end != ';')
            complain(p, "a line of the programs has no `;'");
    }
}

/* ---- the condition ---- */

static void observe(struct parser *p, struct place place)
{
    struct test *t = p->test;

    for (size_t i = 0; i < t->observed.len; i++) {
        const struct place *o = &t->observed.at[i];

        if (o->is_register == place.is_register && o->hart == place.hart && o->reg == place.reg &&
            o->location == place.location)
            return;
    }
    VEC_PUSH(&t->observed, place);
}

/* "1:x5", "x", "[x]" or "*x". */
static void parse_place(struct parser *p, struct place *place)
{
    char name[TOKEN_MAX];
    bool bracket;
    size_t i;

    *place = (struct place){0};
    if (take_register(p, &place->hart, &place->reg)) {
        place->is_register = true;
        if (place->hart >= p->test->harts)
            complain(p, "there is no hart %u", place->hart);
        return;
    }
    (void)take(p, "*");
    bracket = take(p, "[");
    take_name(p, name);
    if (!strcmp(name, "PA")) {
        expect(p, "(");
        take_name(p, name);
        expect(p, ")");
    }
    if (bracket)
        expect(p, "]");
    if (!name[0]) {
        complain(p, "expected a register or a location before `%.20s'", p->at);
        return;
    }
    i = location_of(p, name);
    place->location = i;
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

    if (p->problem)
        return new_condition(CONDITION_TRUE, NULL, NULL);
    if (take(p, "~") || take(p, "not"))
        return new_condition(CONDITION_NOT, parse_atom(p), NULL);
    if (take(p, "(")) {
        c = parse_implication(p);
        expect(p, ")");
        return c;
    }
    if (take(p, "true"))
        return new_condition(CONDITION_TRUE, NULL, NULL);
    if (take(p, "false"))
        return new_condition(CONDITION_NOT, new_condition(CONDITION_TRUE, NULL, NULL), NULL);
    c = new_condition(CONDITION_EQUAL, NULL, NULL);
    parse_place(p, &c->place);
    differs = take(p, "!=") || take(p, "<>");
    if (!differs && !take(p, "=="))
        expect(p, "=");
    if (!p->problem)
        observe(p, c->place);
    parse_value(p, &c->value);
    return differs ? new_condition(CONDITION_NOT, c, NULL) : c;
}

static struct condition *parse_conjunction(struct parser *p)
{
    struct condition *c = parse_atom(p);

    while (!p->problem && (take(p, "/\\") || take(p, "and")))
        c = new_condition(CONDITION_AND, c, parse_atom(p));
    return c;
}

static struct condition *parse_disjunction(struct parser *p)
{
    struct condition *c = parse_conjunction(p);

    while (!p->problem && (take(p, "\\/") || take(p, "or")))
        c = new_condition(CONDITION_OR, c, parse_conjunction(p));
    return c;
}

static struct condition *parse_implication(struct parser *p)
{
    struct condition *c = parse_disjunction(p);

    if (!p->problem && take(p, "=>"))
        return new_condition(CONDITION_IMPLIES, c, parse_implication(p));
    return c;
}

/* "[0:x5; x;]" */
static void parse_locations(struct parser *p)
{
    struct location type;
    struct place place;

    expect(p, "[");
    while (!p->problem && !take(p, "]")) {
        if (take(p, ";"))
            continue;
        (void)take_type(p, &type);
        parse_place(p, &place);
        if (!p->problem)
            observe(p, place);
    }
}

/* The text of the condition with each run of blanks as one. */
static char *one_line(const char *from, const char *to)
{
    char *s = copy_of(from, to), *out = s;

    for (const char *c = s; *c; c++) {
        if (isspace((unsigned char)*c) && out > s && out[-1] == ' ')
            continue;
        *out++ = isspace((unsigned char)*c) ? ' ' : *c;
    }
    *out = '\0';
    return s;
}

static void parse_condition(struct parser *p)
{
    const char *from;

    for (;;) {
        if (take(p, "locations")) {
            parse_locations(p);
        } else if (take(p, "filter")) {
            p->test->filter = parse_implication(p);
        } else {
            break;
        }
        if (p->problem)
            return;
    }
    (void)take(p, "final");
    skip_blanks(p);
    from = p->at;
    if (take(p, "~exists") || take(p, "~ exists"))
        p->test->quantifier = QUANTIFIER_NOT_EXISTS;
    else if (take(p, "forall"))
        p->test->quantifier = QUANTIFIER_FORALL;
    else if (take(p, "exists"))
        p->test->quantifier = QUANTIFIER_EXISTS;
    else if (!*p->at && p->test->observed.len)
        from = "exists (true)"; /* the test only asks which values there are */
    else if (!*p->at)
        complain(p, "there is no condition: expected exists, ~exists or forall");
    else
        complain(p, "expected exists, ~exists or forall before `%.20s'", p->at);
    if (p->problem)
        return;
    if (!*p->at) {
        p->test->condition = new_condition(CONDITION_TRUE, NULL, NULL);
        p->test->condition_text = xstrdup(from);
        return;
    }
    p->test->condition = parse_implication(p);
    if (p->problem)
        return;
    p->test->condition_text = one_line(from, p->at);
    skip_blanks(p);
    if (take(p, "locations")) /* herd permits it at either place */
        parse_locations(p);
}

/* ---- the whole ---- */

/*
 * The text with blanks in place of comments, (* like (* this *) *), outside of quotes. Before the
 * start's line, which begins with `{', comments are as they are: what is in them is passed over
 * with the lines of the header.
 */
static char *without_comments(const char *text)
{
    char *out = xstrdup(text);
    unsigned depth = 0;
    bool quoted = false;
    size_t start = 0;

    while (out[start] && out[start] != '{') {
        start += strcspn(out + start, "\n");
        start += strspn(out + start, "\n \t\r");
    }
    for (size_t i = start; out[i]; i++) {
        if (!depth && out[i] == '"')
            quoted = !quoted;
        if (!quoted && out[i] == '(' && out[i + 1] == '*') {
            depth++;
            out[i] = out[i + 1] = ' ';
        } else if (depth && out[i] == '*' && out[i + 1] == ')') {
            depth--;
            out[i] = out[i + 1] = ' ';
        } else if (depth && out[i] != '\n') {
            out[i] = ' ';
        }
    }
    return out;
}

/* The architecture, the name, and lines up to the start, of which only Variant= counts. */
static void parse_header(struct parser *p)
{
    const char *end;
    char arch[TOKEN_MAX];

    take_name(p, arch);
    p->test->arch = xstrdup(arch);
    end = p->at + strcspn(p->at, "\n");
    p->test->name = copy_of(p->at, end);
    p->at = end;
    if (!p->test->name[0])
        complain(p, "expected an architecture and the name of the test");
    if (p->problem || !test_is_riscv(p->test))
        return;
    for (;;) {
        skip_blanks(p);
        if (!*p->at) {
            complain(p, "there is no `{'");
            return;
        }
        if (*p->at == '{')
            return;
        end = p->at + strcspn(p->at, "\n");
        if (!strncmp(p->at, "Variant=", 8)) {
            char *variants = copy_of(p->at + 8, end);

            p->test->translated |= strstr(variants, "vm") != NULL;
            free(variants);
        }
        p->at = end;
    }
}

bool test_is_riscv(const struct test *t)
{
    return !strcmp(t->arch, "RISCV");
}

struct test *test_parse(const char *path, const char *text, char **problem)
{
    struct parser p = {.test = xcalloc(1, sizeof(struct test))};
    char *plain = without_comments(text);

    p.at = p.text = plain;
    p.test->path = xstrdup(path);
    parse_header(&p);
    if (!p.problem && test_is_riscv(p.test)) {
        parse_start(&p);
        if (!p.problem)
            parse_programs(&p);
        if (!p.problem)
            parse_condition(&p);
        for (size_t i = 0; i < p.test->starts.len && !p.problem; i++)
            if (p.test->starts.at[i].hart >= p.test->harts)
                complain(&p, "there is no hart %u", p.test->starts.at[i].hart);
    }
    free(plain);
    *problem = p.problem;
    if (p.problem) {
        test_delete(p.test);
        return NULL;
    }
    return p.test;
}

static void condition_free(struct condition *c)
{
    if (!c)
        return;
    condition_free(c->left);
    condition_free(c->right);
    free(c->value.name);
    free(c);
}

void test_delete(struct test *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->locations.len; i++) {
        free(t->locations.at[i].name);
        free(t->locations.at[i].start.name);
        free(t->locations.at[i].entry.name);
    }
    for (size_t i = 0; i < t->starts.len; i++)
        free(t->starts.at[i].value.name);
    for (unsigned h = 0; h < LITMUS_HARTS_MAX; h++) {
        for (size_t i = 0; i < t->programs[h].lines.len; i++) {
            free(t->programs[h].lines.at[i].label);
            free(t->programs[h].lines.at[i].insn);
        }
        VEC_FREE(&t->programs[h].lines);
    }
    condition_free(t->condition);
    condition_free(t->filter);
    free(t->condition_text);
    VEC_FREE(&t->locations);
    VEC_FREE(&t->starts);
    VEC_FREE(&t->observed);
    free(t->path);
    free(t->name);
    free(t->arch);
    free(t);
}
