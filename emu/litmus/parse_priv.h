/*
 * parse_priv.h - the reader of a litmus test: words of its text (lexer.c), values, registers and
 * locations (parse_values.c), and its sections from left to right: the start (parse_start.c), the
 * programs (parse_programs.c) and the condition (parse_condition.c). test.c calls them in turn.
 *
 * The first problem counts. After it the functions may return anything, and take no more text.
 */
#ifndef LITMUS_PARSE_PRIV_H
#define LITMUS_PARSE_PRIV_H

#include "base/compiler.h"
#include "litmus/test.h"

enum { REGISTER_NONE = 32, NAME_MAX_CHARS = 100, TOKEN_MAX = 256 };

struct parser {
    struct test *test;
    const char *at;      /* in the text without comments */
    const char *text;    /* its start */
    const char *counted; /* up to there line_at has counted lines */
    unsigned line;       /* the one there */
    unsigned terms;      /* of conditions, and parentheses and negations in them */
    char *problem;       /* the first one; NULL: none */
};

/* ---- lexer.c ---- */

/* The problem, after the line of the last character that was taken: "3: expected ...". */
void PRINTF_LIKE(2, 3) lex_problem(struct parser *p, const char *format, ...);
/* The problem that the text does not go on with that. */
void lex_expected(struct parser *p, const char *what);
/* The number of the line with the character, which is not before that of an earlier call. */
unsigned lex_line(struct parser *p, const char *at);

bool lex_is_name_char(char c);
void lex_blanks(struct parser *p);
/* Takes the word if the text goes on with it. */
bool lex_take(struct parser *p, const char *word);
/* The same; it is a problem if the text does not. */
void lex_expect(struct parser *p, const char *word);
/* Takes a name; an empty string: there is none. */
void lex_name(struct parser *p, char name[TOKEN_MAX]);
/* Takes a number: decimal, 0x or 0b. */
bool lex_number(struct parser *p, uint64_t *value);
/* The text without the blanks around it; the caller frees it. */
char *lex_copy(const char *from, const char *to);
/*
 * The text with blanks in place of comments, (* like (* this *) *), outside of quotes. Before the
 * start's line, which begins with `{', comments are as they are: what is in them is passed over
 * with the lines of the header. *open: the first character of a comment that has no end; NULL:
 * there is none.
 */
char *lex_without_comments(const char *text, const char **open);

/* ---- parse_values.c ---- */

/* The index of the location, which is added if it is new. */
size_t parse_location(struct parser *p, const char *name);
void parse_value(struct parser *p, struct value *v);
/* Takes a type, if the text goes on with one. */
bool parse_type(struct parser *p, struct location *l);
/* Takes "1:x5" or "P1:x5", if the text goes on with one. */
bool parse_register(struct parser *p, unsigned *hart, unsigned *reg);
/* It is a problem if this is no text of an instruction but more than that. */
void parse_insn_check(struct parser *p, const char *insn);

/* ---- the sections ---- */

void parse_start(struct parser *p);
void parse_programs(struct parser *p);
void parse_condition(struct parser *p);

#endif
