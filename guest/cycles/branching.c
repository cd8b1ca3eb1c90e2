/* branching.c - workloads whose time is mostly that of branches which are hard to predict. */
#include "cycles.h"

enum { PERMUTED = 5, DATES = 60, BRACKETS = 400, BRACKET_DEPTH = 24, TOKEN_BYTES = 500 };

/* ---- perms: permutations by recursion, and a weighted sum of each ---- */

static uint64_t permute(uint8_t *items, unsigned from)
{
    uint64_t sum = 0;

    if (from == PERMUTED) {
        for (unsigned i = 0; i < PERMUTED; i++)
            sum += (uint64_t)items[i] << (4 * i);
        return sum % 1009;
    }
    for (unsigned i = from; i < PERMUTED; i++) {
        uint8_t kept = items[from];

        items[from] = items[i];
        items[i] = kept;
        sum += permute(items, from + 1);
        items[i] = items[from];
        items[from] = kept;
    }
    return sum;
}

uint64_t perms_run(void)
{
    for (unsigned i = 0; i < PERMUTED; i++)
        arena[i] = (uint8_t)(i + 1);
    return permute(arena, 0);
}

/* ---- dates: days by years and months ---- */

static int is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* The date of a day that is counted from the first of January 1970. */
static uint64_t date_of(unsigned day)
{
    static const uint8_t lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned year = 1970, month = 0;

    for (;;) {
        unsigned days = is_leap(year) ? 366 : 365;

        if (day < days)
            break;
        day -= days;
        year++;
    }
    for (;;) {
        unsigned days = lengths[month] + (month == 1 && is_leap(year));

        if (day < days)
            break;
        day -= days;
        month++;
    }
    return year * 10000 + (month + 1) * 100 + day + 1;
}

uint64_t dates_run(void)
{
    uint64_t state = 19700101, sum = 0;

    for (unsigned i = 0; i < DATES; i++)
        sum = sum * 31 + date_of(next_random(&state) % 12000);
    return sum;
}

/* ---- stackm: matching brackets ---- */

static size_t make_brackets(char *text)
{
    static const char open[4] = "([{<", closing[4] = ")]}>";
    uint64_t state = 77777;
    unsigned depth = 0;
    char stack[BRACKET_DEPTH];
    size_t at = 0;

    while (at < BRACKETS) {
        unsigned kind = next_random(&state) >> 20 & 3;

        if (depth == 0 || (depth < BRACKET_DEPTH && next_random(&state) >> 30 & 1)) {
            text[at++] = open[kind];
            stack[depth++] = closing[kind];
        } else {
            text[at++] = stack[--depth];
        }
    }
    text[at] = 0;
    return at;
}

/* How far the text's brackets match. */
static size_t match_brackets(const char *text)
{
    char stack[BRACKET_DEPTH];
    unsigned depth = 0;
    size_t at = 0;

    for (; text[at]; at++) {
        char c = text[at];

        if (c == '(' || c == '[' || c == '{' || c == '<') {
            stack[depth++] = c == '(' ? ')' : (char)(c + 2);
        } else {
            if (depth == 0 || stack[depth - 1] != c)
                break;
            depth--;
        }
    }
    return at;
}

uint64_t stackm_run(void)
{
    char *text = (char *)arena;
    size_t bytes = make_brackets(text);
    uint64_t sum = 0;

    for (unsigned round = 0; round < 4; round++) {
        sum = sum * 1009 + match_brackets(text);
        text[bytes - 1 - 90 * round] = ')';
    }
    return sum;
}

/* ---- tokens: a scanner ---- */

enum kind { KIND_END, KIND_SPACE, KIND_LETTER, KIND_DIGIT, KIND_SIGN, KIND_QUOTE, KIND_NOTE };

static enum kind class_of(char c)
{
    if (c == 0)
        return KIND_END;
    if (c == ' ' || c == '\n')
        return KIND_SPACE;
    if ((c >= 'a' && c <= 'z') || c == '_')
        return KIND_LETTER;
    if (c >= '0' && c <= '9')
        return KIND_DIGIT;
    if (c == '"')
        return KIND_QUOTE;
    if (c == '#')
        return KIND_NOTE;
    return KIND_SIGN;
}

static void make_source(char *text)
{
    static const char words[] =
        "if x1 >= 10 { y = \"ab c\" ; } # z\nwhile (count_2 < 355) count_2 += 17 * x1;\n";
    uint64_t state = 990099;
    size_t at = 0;

    while (at < TOKEN_BYTES) {
        size_t from = next_random(&state) % (sizeof words - 12),
               bytes = 3 + next_random(&state) % 9;

        for (size_t i = 0; i < bytes; i++)
            text[at++] = words[from + i];
        text[at++] = next_random(&state) & 4 ? ' ' : '\n';
    }
    text[at] = 0;
}

static uint64_t scan(const char *c)
{
    uint64_t sum = 0;

    for (;;) {
        uint64_t value = 0;

        switch (class_of(*c)) {
        case KIND_END: return sum;
        case KIND_SPACE: c++; continue;
        case KIND_LETTER:
            while (class_of(*c) == KIND_LETTER || class_of(*c) == KIND_DIGIT)
                value = value * 31 + (uint8_t)*c++;
            break;
        case KIND_DIGIT:
            while (class_of(*c) == KIND_DIGIT)
                value = value * 10 + (uint8_t)(*c++ - '0');
            break;
        case KIND_SIGN:
            value = (uint8_t)*c++;
            if (*c == '=')
                value += 256, c++;
            break;
        case KIND_QUOTE:
            for (c++; *c && *c != '"' && *c != '\n'; c++)
                value += (uint8_t)*c;
            c += *c == '"';
            break;
        case KIND_NOTE:
            while (*c && *c != '\n')
                c++;
            value = 1;
            break;
        }
        sum = sum * 17 + value;
    }
}

uint64_t tokens_run(void)
{
    make_source((char *)arena);
    return scan((const char *)arena);
}
