/*
 * regex.c - regular expressions without back references.
 *
 * A pattern is compiled to instructions for a Thompson NFA: all states are followed at the same
 * time, character by character, so the time is at most the length of the line times REGEX_MAX.
 */
#include "regex.h"
#include "../libc.h"

enum regex_op { RE_CHAR, RE_ANY, RE_CLASS, RE_BEGIN, RE_END, RE_SPLIT, RE_JUMP, RE_MATCH };

struct regex_insn {
    enum regex_op op;
    unsigned char c;
    bool inverted;
    uint64_t set[4]; /* RE_CLASS: one bit per character */
    int x, y;        /* next instructions: RE_JUMP x, RE_SPLIT x and y */
};

enum { REGEX_MAX = 512, NESTING_MAX = 16 };

struct regex {
    struct regex_insn *insn;
    int n;
    bool ignore_case;
    /* While searching: the current and the next states, each once. */
    int *now, *next, *stack;
    int n_now, n_next;
    unsigned int *seen, generation;
};

struct compiler {
    struct regex *re;
    const char *p;
    bool extended, failed;
    int nesting;
};

static void compile_alternatives(struct compiler *c);

static int emit(struct compiler *c, struct regex_insn insn)
{
    if (c->re->n == REGEX_MAX) {
        c->failed = true;
        return 0;
    }
    c->re->insn[c->re->n] = insn;
    return c->re->n++;
}

static unsigned char fold(const struct regex *re, unsigned char c)
{
    return re->ignore_case && c >= 'A' && c <= 'Z' ? c | 32 : c;
}

/* Returns whether there is an operator here; in basic expressions it has a backslash before it. */
static bool at_operator(const struct compiler *c, char op)
{
    return c->extended ? *c->p == op : c->p[0] == '\\' && c->p[1] == op;
}

static void skip_operator(struct compiler *c)
{
    c->p += c->extended ? 1 : 2;
}

static void set_add(struct compiler *c, struct regex_insn *i, unsigned char ch)
{
    ch = fold(c->re, ch);
    i->set[ch / 64] |= 1ull << ch % 64;
}

static bool named_has(const char *name, size_t len, unsigned char ch)
{
    static const struct {
        const char *name, *ranges; /* pairs of first and last */
    } classes[] = {
        {"alpha", "azAZ"},   {"digit", "09"},      {"alnum", "azAZ09"},
        {"upper", "AZ"},     {"lower", "az"},      {"space", "\t\r  "},
        {"blank", "\t\t  "}, {"xdigit", "09afAF"}, {"punct", "!/:@[`{~"},
    };
    unsigned int i;
    const char *r;

    for (i = 0; i < ARRAY_SIZE(classes); i++) {
        if (strlen(classes[i].name) != len || memcmp(classes[i].name, name, len))
            continue;
        for (r = classes[i].ranges; *r; r += 2)
            if (ch >= (unsigned char)r[0] && ch <= (unsigned char)r[1])
                return true;
    }
    return false;
}

/* Adds the class `[:name:]` at p; returns its end, or NULL. */
static const char *named_class(struct compiler *c, struct regex_insn *i, const char *p)
{
    const char *end = p + 2;
    unsigned int ch;

    while (*end && !(end[0] == ':' && end[1] == ']'))
        end++;
    if (!*end)
        return NULL;
    for (ch = 1; ch < 128; ch++)
        if (named_has(p + 2, end - p - 2, ch))
            set_add(c, i, ch);
    return end + 2;
}

static void compile_class(struct compiler *c)
{
    struct regex_insn i = {.op = RE_CLASS};
    const char *p = c->p + 1, *first;

    i.inverted = *p == '^';
    p += i.inverted;
    for (first = p; p && *p && (*p != ']' || p == first);) {
        unsigned int low = (unsigned char)*p, high = low;

        if (p[0] == '[' && p[1] == ':') {
            p = named_class(c, &i, p);
            continue;
        }
        if (p[1] == '-' && p[2] && p[2] != ']') {
            high = (unsigned char)p[2];
            p += 2;
        }
        for (p++; low <= high; low++)
            set_add(c, &i, low);
    }
    if (!p || !*p) {
        c->failed = true;
        return;
    }
    c->p = p + 1;
    emit(c, i);
}

static void compile_group(struct compiler *c)
{
    skip_operator(c);
    if (++c->nesting > NESTING_MAX) {
        c->failed = true;
        return;
    }
    compile_alternatives(c);
    c->nesting--;
    if (at_operator(c, ')'))
        skip_operator(c);
    else
        c->failed = true;
}

static void compile_char(struct compiler *c)
{
    if (*c->p == '\\' && c->p[1])
        c->p++;
    emit(c, (struct regex_insn){.op = RE_CHAR, .c = fold(c->re, *c->p)});
    c->p++;
}

static void compile_single(struct compiler *c, enum regex_op op)
{
    c->p++;
    emit(c, (struct regex_insn){.op = op});
}

/* `$` is an anchor where the pattern or a branch ends. */
static bool at_end_anchor(const struct compiler *c)
{
    struct compiler after = *c;

    if (*c->p != '$')
        return false;
    after.p++;
    return c->extended || !*after.p || at_operator(&after, ')') || at_operator(&after, '|');
}

static void compile_atom(struct compiler *c, bool first)
{
    if (at_operator(c, '('))
        compile_group(c);
    else if (*c->p == '.')
        compile_single(c, RE_ANY);
    else if (*c->p == '[')
        compile_class(c);
    else if (*c->p == '^' && (first || c->extended))
        compile_single(c, RE_BEGIN);
    else if (at_end_anchor(c))
        compile_single(c, RE_END);
    else
        compile_char(c);
}

/* Inserts an instruction at `at` and adjusts the targets of jumps. */
static void insert_insn(struct compiler *c, int at)
{
    struct regex *re = c->re;
    int i;

    if (re->n == REGEX_MAX) {
        c->failed = true;
        return;
    }
    memmove(&re->insn[at + 1], &re->insn[at], (re->n - at) * sizeof(*re->insn));
    re->n++;
    for (i = at + 1; i < re->n; i++) {
        re->insn[i].x += re->insn[i].x >= at;
        re->insn[i].y += re->insn[i].y >= at;
    }
}

/* Repeats the instructions from `start` on as op says. */
static void repeat(struct compiler *c, int start, char op)
{
    struct regex *re = c->re;

    if (op == '+') {
        emit(c, (struct regex_insn){.op = RE_SPLIT, .x = start, .y = re->n + 1});
        return;
    }
    insert_insn(c, start);
    if (c->failed)
        return;
    if (op == '*')
        emit(c, (struct regex_insn){.op = RE_JUMP, .x = start});
    re->insn[start] = (struct regex_insn){.op = RE_SPLIT, .x = start + 1, .y = re->n};
}

/* Takes a repetition operator and returns it as `?`, `+` or `*`; 0: none. */
static char repetition(struct compiler *c)
{
    char op;

    for (op = '?'; op; op = op == '?' ? '+' : 0) {
        if (!at_operator(c, op))
            continue;
        skip_operator(c);
        return op;
    }
    if (*c->p != '*')
        return 0;
    c->p++;
    return '*';
}

struct interval {
    int least, most; /* most < 0: no limit */
};

static int bound(struct compiler *c)
{
    int n = 0;

    for (; *c->p >= '0' && *c->p <= '9'; c->p++)
        n = min(n * 10 + (*c->p - '0'), REGEX_MAX);
    return n;
}

/* Takes `{m}`, `{m,}` or `{m,n}`. Any other brace is an ordinary character; n < m is an error. */
static bool take_interval(struct compiler *c, struct interval *i)
{
    struct compiler ahead = *c;

    if (!at_operator(c, '{'))
        return false;
    skip_operator(&ahead);
    if (*ahead.p < '0' || *ahead.p > '9')
        return false;
    i->least = i->most = bound(&ahead);
    if (*ahead.p == ',') {
        ahead.p++;
        i->most = at_operator(&ahead, '}') ? -1 : bound(&ahead);
    }
    if (!at_operator(&ahead, '}'))
        return false;
    c->failed = i->most >= 0 && i->most < i->least;
    skip_operator(&ahead);
    c->p = ahead.p;
    return true;
}

/* Repeats the atom at `start`, which is compiled once already, by compiling its text again. */
static void repeat_interval(struct compiler *c, int start, const char *atom, struct interval times)
{
    const char *end = c->p;
    int i;

    if (c->re->n == start)
        return; /* an empty atom */
    if (!times.most)
        c->re->n = start;
    else if (!times.least)
        repeat(c, start, times.most < 0 ? '*' : '?');
    for (i = 1; i < max(times.least, times.most) && !c->failed; i++) {
        start = c->re->n;
        c->p = atom;
        compile_atom(c, false);
        if (i >= times.least && !c->failed)
            repeat(c, start, '?');
    }
    if (times.most < 0 && times.least && !c->failed)
        repeat(c, start, '+');
    c->p = end;
}

static void compile_branch(struct compiler *c)
{
    bool first = true;

    while (*c->p && !c->failed && !at_operator(c, '|') && !(c->nesting && at_operator(c, ')'))) {
        int start = c->re->n;
        bool literal_star = first && *c->p == '*';
        const char *atom = c->p;
        struct interval times;
        char op;

        if (literal_star)
            compile_char(c);
        else
            compile_atom(c, first);
        first = !c->extended && c->re->n == start + 1 && c->re->insn[start].op == RE_BEGIN;
        if (first)
            continue;
        if (!c->failed && take_interval(c, &times))
            repeat_interval(c, start, atom, times);
        while (!c->failed && (op = repetition(c)))
            repeat(c, start, op);
    }
}

static void compile_alternatives(struct compiler *c)
{
    int start = c->re->n;

    compile_branch(c);
    while (!c->failed && at_operator(c, '|')) {
        int jump;

        skip_operator(c);
        insert_insn(c, start);
        if (c->failed)
            return;
        jump = emit(c, (struct regex_insn){.op = RE_JUMP});
        c->re->insn[start] = (struct regex_insn){.op = RE_SPLIT, .x = start + 1, .y = c->re->n};
        compile_branch(c);
        c->re->insn[jump].x = c->re->n;
    }
}

static bool allocate(struct regex *re)
{
    re->insn = malloc(REGEX_MAX * sizeof(*re->insn));
    re->now = malloc(REGEX_MAX * sizeof(*re->now));
    re->next = malloc(REGEX_MAX * sizeof(*re->next));
    re->stack = malloc(2 * REGEX_MAX * sizeof(*re->stack));
    re->seen = calloc(1, REGEX_MAX * sizeof(*re->seen));
    return re->insn && re->now && re->next && re->stack && re->seen;
}

void regex_free(struct regex *re)
{
    free(re->insn);
    free(re->now);
    free(re->next);
    free(re->stack);
    free(re->seen);
    free(re);
}

struct regex *regex_compile(const char *pattern, bool extended, bool ignore_case)
{
    struct compiler c = {.p = pattern, .extended = extended};

    c.re = calloc(1, sizeof(*c.re));
    if (!c.re)
        return ERR_PTR(-ENOMEM);
    if (!allocate(c.re)) {
        regex_free(c.re);
        return ERR_PTR(-ENOMEM);
    }
    c.re->ignore_case = ignore_case;
    compile_alternatives(&c);
    emit(&c, (struct regex_insn){.op = RE_MATCH});
    if (c.failed || *c.p) {
        regex_free(c.re);
        return ERR_PTR(-EINVAL);
    }
    return c.re;
}

/* ---- searching ---- */

struct position {
    bool at_begin, at_end;
};

/* Adds the state pc and all states that it reaches without a character. */
static void add_state(struct regex *re, int pc, struct position pos)
{
    int depth = 0;

    re->stack[depth++] = pc;
    while (depth) {
        const struct regex_insn *i;

        pc = re->stack[--depth];
        if (re->seen[pc] == re->generation)
            continue;
        re->seen[pc] = re->generation;
        i = &re->insn[pc];
        if (i->op == RE_JUMP) {
            re->stack[depth++] = i->x;
        } else if (i->op == RE_SPLIT) {
            re->stack[depth++] = i->x;
            re->stack[depth++] = i->y;
        } else if (i->op == RE_BEGIN || i->op == RE_END) {
            if (i->op == RE_BEGIN ? pos.at_begin : pos.at_end)
                re->stack[depth++] = pc + 1;
        } else {
            re->next[re->n_next++] = pc;
        }
    }
}

static bool takes(const struct regex_insn *i, unsigned char c)
{
    switch (i->op) {
    case RE_CHAR: return i->c == c;
    case RE_ANY: return true;
    case RE_CLASS: return (i->set[c / 64] >> c % 64 & 1) != i->inverted;
    default: return false;
    }
}

/* Makes the next states current; returns true if one of them is a match. */
static bool advance(struct regex *re)
{
    int *states = re->now, i;

    re->now = re->next;
    re->next = states;
    re->n_now = re->n_next;
    re->n_next = 0;
    re->generation++;
    for (i = 0; i < re->n_now; i++)
        if (re->insn[re->now[i]].op == RE_MATCH)
            return true;
    return false;
}

bool regex_search(struct regex *re, const char *line, size_t len)
{
    size_t at;
    int i;

    re->n_next = 0;
    re->generation++;
    add_state(re, 0, (struct position){true, len == 0});
    for (at = 0; !advance(re); at++) {
        unsigned char c;

        if (at == len)
            return false;
        c = fold(re, line[at]);
        for (i = 0; i < re->n_now; i++)
            if (takes(&re->insn[re->now[i]], c))
                add_state(re, re->now[i] + 1, (struct position){false, at + 1 == len});
        add_state(re, 0, (struct position){false, at + 1 == len}); /* a match may begin here, too */
    }
    return true;
}
