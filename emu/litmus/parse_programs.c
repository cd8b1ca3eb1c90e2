/*
 * parse_programs.c - see parse_priv.h: a column of instructions for each hart.
 */
#include "litmus/parse_priv.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { INSN_MAX_CHARS = 100, LINES_MAX = 2000 };

/*
 * The assembler gets the text as it is, together with those of other tests. So it may be neither a
 * directive nor an assignment, a comment or a second statement.
 */
void parse_insn_check(struct parser *p, const char *insn)
{
    static const char others[] = " \t_.,()+-*%<>&|^~$";

    if (!islower((unsigned char)insn[0]))
        lex_problem(p, "`%.20s' is no instruction", insn);
    for (const char *c = insn; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(others, *c))
            lex_problem(p, "an instruction with `%c': `%.40s'", *c, insn);
    if (strlen(insn) > INSN_MAX_CHARS)
        lex_problem(p, "the instruction `%.20s...' has more than %d characters", insn,
                    INSN_MAX_CHARS);
}

/* Takes the text up to one of the separators of columns; *end is the separator. */
static char *take_cell(struct parser *p, char *end)
{
    const char *from = p->at;
    char *cell;

    while (*p->at && *p->at != '|' && *p->at != ';')
        p->at++;
    cell = lex_copy(from, p->at);
    *end = *p->at;
    if (*p->at)
        p->at++;
    return cell;
}

static void check_label(struct parser *p, const struct program *program, const char *label)
{
    if (strlen(label) > NAME_MAX_CHARS)
        lex_problem(p, "the label `%.20s...' has more than %d characters", label, NAME_MAX_CHARS);
    for (size_t i = 0; i < program->lines.len; i++)
        if (program->lines.at[i].label && !strcmp(program->lines.at[i].label, label))
            lex_problem(p, "the label `%s' is there twice", label);
}

/* Adds a cell of a column, which is in that line of the file: labels, each ended by a colon, and an
 * instruction. */
static void add_cell(struct parser *p, struct program *program, const char *cell, unsigned number)
{
    while (!p->problem) {
        struct line line = {.number = number};
        size_t len = 0;

        if (program->lines.len == LINES_MAX)
            lex_problem(p, "a program has at most %d labels and instructions", LINES_MAX);
        while (lex_is_name_char(cell[len]))
            len++;
        if (!len || cell[len] != ':') {
            if (!*cell)
                return;
            parse_insn_check(p, cell);
            line.insn = xstrdup(cell);
            VEC_PUSH(&program->lines, line);
            return;
        }
        line.label = lex_copy(cell, cell + len);
        check_label(p, program, line.label);
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

        if (number != p->test->harts || *rest || !cell[1])
            lex_problem(p, "expected `P%u' in place of `%.20s'", p->test->harts, cell);
        else if (number >= LITMUS_HARTS_MAX)
            lex_problem(p, "a test may have %d harts", LITMUS_HARTS_MAX);
        else
            p->test->harts++;
        free(cell);
    } while (!p->problem && end == '|');
    if (!p->problem && end != ';')
        lex_problem(p, "the line of the harts has no `;'");
}

static const char *const after_programs[] = {"exists",    "~exists", "~ exists", "forall",
                                             "locations", "filter",  "final",    "observed"};

static bool programs_end(struct parser *p)
{
    lex_blanks(p);
    for (size_t i = 0; i < sizeof after_programs / sizeof after_programs[0]; i++) {
        size_t len = strlen(after_programs[i]);

        if (!strncmp(p->at, after_programs[i], len) && !lex_is_name_char(p->at[len]))
            return true;
    }
    return !*p->at;
}

/* A line of the programs, up to its semicolon. */
static void parse_row(struct parser *p)
{
    unsigned hart = 0, number = lex_line(p, p->at);
    char end;

    do {
        char *cell = take_cell(p, &end);

        if (hart < p->test->harts)
            add_cell(p, &p->test->programs[hart], cell, number);
        else if (*cell)
            lex_problem(p, "`%.20s' is in column %u of %u", cell, hart + 1, p->test->harts);
        hart++;
        free(cell);
    } while (!p->problem && end == '|');
    if (!p->problem && end != ';')
        lex_problem(p, "a line of the programs has no `;'");
}

void parse_programs(struct parser *p)
{
    lex_blanks(p);
    parse_head(p);
    while (!p->problem && !programs_end(p))
        parse_row(p);
}
