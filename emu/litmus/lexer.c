/*
 * lexer.c - see parse_priv.h: words, names, numbers and comments of the text.
 */
#include "litmus/parse_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* ---- problems ---- */

unsigned lex_line(struct parser *p, const char *at)
{
    for (; p->counted < at; p->counted++)
        p->line += *p->counted == '\n';
    return p->line;
}

void PRINTF_LIKE(2, 3) lex_problem(struct parser *p, const char *format, ...)
{
    char text[TOKEN_MAX];
    const char *end = p->at;
    va_list args;

    if (p->problem)
        return;
    while (end > p->text && isspace((unsigned char)end[-1]))
        end--;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        *c = *c < ' ' || *c > '~' ? ' ' : *c;
    p->problem = xasprintf("%u: %s", lex_line(p, end), text);
}

void lex_expected(struct parser *p, const char *what)
{
    lex_blanks(p);
    if (*p->at)
        lex_problem(p, "expected %s before `%.20s'", what, p->at);
    else
        lex_problem(p, "expected %s at the end of the file", what);
}

/* ---- characters ---- */

bool lex_is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

void lex_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

bool lex_take(struct parser *p, const char *word)
{
    size_t len = strlen(word);

    lex_blanks(p);
    if (strncmp(p->at, word, len) != 0)
        return false;
    if (lex_is_name_char(word[len - 1]) && lex_is_name_char(p->at[len]))
        return false;
    p->at += len;
    return true;
}

void lex_expect(struct parser *p, const char *word)
{
    char quoted[TOKEN_MAX];

    if (lex_take(p, word))
        return;
    snprintf(quoted, sizeof quoted, "`%s'", word);
    lex_expected(p, quoted);
}

void lex_name(struct parser *p, char name[TOKEN_MAX])
{
    size_t len = 0;

    lex_blanks(p);
    while (lex_is_name_char(p->at[len]))
        len++;
    if (len > NAME_MAX_CHARS) {
        lex_problem(p, "the name `%.20s...' has more than %d characters", p->at, NAME_MAX_CHARS);
        len = NAME_MAX_CHARS;
    }
    memcpy(name, p->at, len);
    name[len] = '\0';
    p->at += len;
}

bool lex_number(struct parser *p, uint64_t *value)
{
    const char *digits;
    char *end;
    int base = 10;
    bool minus;

    lex_blanks(p);
    minus = *p->at == '-';
    digits = p->at + minus;
    if (!isdigit((unsigned char)*digits))
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        base = 16, digits += 2;
    else if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B'))
        base = 2, digits += 2;
    if (!isxdigit((unsigned char)*digits))
        return false;
    errno = 0;
    *value = strtoull(digits, &end, base);
    if (lex_is_name_char(*end))
        return false;
    if (errno == ERANGE || (minus && *value > (uint64_t)INT64_MAX + 1))
        lex_problem(p, "the number `%.*s' has more than 64 bits", (int)(end - p->at), p->at);
    p->at = end;
    *value = minus ? 0 - *value : *value;
    return true;
}

char *lex_copy(const char *from, const char *to)
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

/* ---- comments ---- */

char *lex_without_comments(const char *text, const char **open)
{
    char *out = xstrdup(text);
    unsigned depth = 0;
    bool quoted = false;
    size_t start = 0;

    *open = NULL;
    while (out[start] && out[start] != '{') {
        start += strcspn(out + start, "\n");
        start += strspn(out + start, "\n \t\r");
    }
    for (size_t i = start; out[i]; i++) {
        if (!depth && (out[i] == '"' || out[i] == '\n'))
            quoted = out[i] == '"' && !quoted;
        if (!quoted && out[i] == '(' && out[i + 1] == '*') {
            *open = depth++ ? *open : text + i;
            out[i] = out[i + 1] = ' ';
            i++;
        } else if (depth && out[i] == '*' && out[i + 1] == ')') {
            *open = --depth ? *open : NULL;
            out[i] = out[i + 1] = ' ';
            i++;
        } else if (depth && out[i] != '\n') {
            out[i] = ' ';
        }
    }
    return out;
}
