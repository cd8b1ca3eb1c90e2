/*
 * user.c - blocks of lines: commands that the user defines (define, document), and if and while.
 */
#include <ctype.h>
#include <string.h>

#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/context.h"
#include "debug/commands/input.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"

enum { DEPTH_MAX = 64, ARGS_MAX = 10 };

struct user_command {
    char *name;
    line_list lines, text; /* its commands; its text for `help' */
};

struct user_commands {
    VEC_OF(struct user_command) at;
    unsigned depth; /* number of nested blocks that run */
};

void block_free(line_list *l)
{
    for (size_t i = 0; i < l->len; i++)
        free(l->at[i]);
    VEC_FREE(l);
}

void user_free(struct debugger *d)
{
    for (size_t i = 0; d->user && i < d->user->at.len; i++) {
        free(d->user->at.at[i].name);
        block_free(&d->user->at.at[i].lines);
        block_free(&d->user->at.at[i].text);
    }
    if (d->user)
        VEC_FREE(&d->user->at);
    free(d->user);
}

static struct user_command *find(const struct debugger *d, const char *name, size_t len)
{
    for (size_t i = 0; d->user && i < d->user->at.len; i++) {
        struct user_command *c = &d->user->at.at[i];

        if (strlen(c->name) == len && !strncmp(c->name, name, len))
            return c;
    }
    return NULL;
}

bool user_has(const struct debugger *d, const char *name, size_t len)
{
    return find(d, name, len) != NULL;
}

void user_for_each(const struct debugger *d, void (*found)(void *ctx, const char *name), void *ctx)
{
    for (size_t i = 0; d->user && i < d->user->at.len; i++)
        found(ctx, d->user->at.at[i].name);
}

/* ---- the lines of a block ---- */

/* Finds the nth word of the arguments; a word in quotes may have spaces. */
static const char *nth_word(const char *args, unsigned n, size_t *len)
{
    for (;; n--) {
        const char *end;

        args += strspn(args, " \t");
        if (*args == '"' || *args == '\'') {
            end = strchr(args + 1, *args);
            end = end ? end + 1 : args + strlen(args);
        } else {
            end = args + strcspn(args, " \t");
        }
        *len = (size_t)(end - args);
        if (!n || !*args)
            return args;
        args = end;
    }
}

static unsigned count_words(const char *args)
{
    unsigned n = 0;
    size_t len;

    while (nth_word(args, n, &len), len)
        n++;
    return n;
}

/* Returns a copy of the line with $arg0 to $arg9 and $argc replaced. */
static char *with_arguments(const char *line, const char *args)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return xstrdup(line);
    while (*line) {
        size_t len;

        if (!strncmp(line, "$argc", 5)) {
            fprintf(to, "%u", count_words(args));
            line += 5;
        } else if (!strncmp(line, "$arg", 4) && isdigit((unsigned char)line[4])) {
            const char *word = nth_word(args, (unsigned)(line[4] - '0'), &len);

            fprintf(to, "%.*s", (int)len, word);
            line += 5;
        } else {
            fputc(*line++, to);
        }
    }
    fclose(to);
    return text;
}

const char *lines_next(struct line_source *s)
{
    if (s->file) {
        if (getline(&s->line, &s->size, s->file) < 0)
            return NULL;
        s->line[strcspn(s->line, "\r\n")] = '\0';
        return s->line + strspn(s->line, " \t");
    }
    if (s->next == s->count)
        return NULL;
    if (!s->args)
        return s->lines[s->next++];
    free(s->line);
    s->line = with_arguments(s->lines[s->next++], s->args);
    return s->line;
}

/* Whether the line is a command whose lines end with an `end' of their own. */
static bool opens_block(const char *line)
{
    static const char *const names[] = {"commands", "define", "document", "if", "while"};
    size_t len = strcspn(line, " \t(");

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (len == strlen(names[i]) && !strncmp(line, names[i], len))
            return true;
    return false;
}

bool block_read(struct debugger *d, line_list *to, size_t *otherwise)
{
    unsigned depth = 1;
    const char *line;

    if (otherwise)
        *otherwise = NO_ELSE;
    while ((line = next_body_line(d)) != NULL) {
        line += strspn(line, " \t");
        depth += opens_block(line);
        if (!strcmp(line, "end") && !--depth)
            return true;
        if (otherwise && depth == 1 && !strcmp(line, "else"))
            *otherwise = to->len;
        else
            VEC_PUSH(to, xstrdup(line));
    }
    return false;
}

/* Reads text up to `end'. */
static bool text_read(struct debugger *d, line_list *to)
{
    const char *line;

    while ((line = next_body_line(d)) != NULL) {
        if (!strcmp(line, "end"))
            return true;
        VEC_PUSH(to, xstrdup(line));
    }
    return false;
}

/* ---- running the lines ---- */

static struct user_commands *commands_of(struct debugger *d)
{
    if (!d->user)
        d->user = xcalloc(1, sizeof *d->user);
    return d->user;
}

/* Runs lines up to the first that fails. False: one has failed, or the session ends. */
static bool run_lines(struct debugger *d, char *const *lines, size_t count, const char *args)
{
    struct line_source from = {.outer = d->lines, .lines = lines, .count = count, .args = args};
    struct user_commands *user = commands_of(d);
    const char *next;

    if (user->depth == DEPTH_MAX) {
        complain(d, "Max user call depth exceeded -- command aborted.");
        return false;
    }
    user->depth++;
    d->lines = &from;
    d->failure = false;
    while (!session_over(d) && !d->failure && (next = lines_next(&from)) != NULL) {
        char *line = xstrdup(next); /* the command may read further lines */

        if (*line && *line != '#') {
            context_command(d);
            command_run(d, line);
        }
        free(line);
        run_actions(d);
    }
    d->lines = from.outer;
    free(from.line);
    user->depth--;
    return !d->failure && !session_over(d);
}

bool user_run(struct debugger *d, const char *line, size_t len)
{
    const struct user_command *c = find(d, line, len);
    line_list copy = {0}; /* the command may be defined anew by itself */

    if (!c)
        return false;
    for (size_t i = 0; i < c->lines.len; i++)
        VEC_PUSH(&copy, xstrdup(c->lines.at[i]));
    (void)!run_lines(d, copy.at, copy.len, line + len);
    block_free(&copy);
    return true;
}

bool user_interrupts(struct debugger *d)
{
    if (!d->config.interrupted || !d->config.interrupted(d->config.ctx))
        return false;
    complain(d, "Quit");
    return true;
}

static bool is_true(struct debugger *d, const char *args, bool *yes)
{
    uint64_t value;

    if (!arg_value(d, &args, "a condition", &value) || !arg_end(d, args))
        return false;
    *yes = value != 0;
    return true;
}

static bool read_condition(struct debugger *d, const char *args, line_list *body, size_t *otherwise)
{
    if (!*args) {
        complain(d, "if/while commands require arguments.");
        return false;
    }
    if (!d->in && !d->lines) {
        complain(d, "lines are read from the debugger's input only");
        return false;
    }
    return block_read(d, body, otherwise);
}

void do_if(struct debugger *d, const char *args)
{
    line_list body = {0};
    char *condition = xstrdup(args);
    size_t otherwise, first, end;
    bool yes;

    if (read_condition(d, condition, &body, &otherwise) && is_true(d, condition, &yes)) {
        first = yes ? 0 : otherwise == NO_ELSE ? body.len : otherwise;
        end = yes && otherwise != NO_ELSE ? otherwise : body.len;
        (void)!run_lines(d, body.at + first, end - first, NULL);
    }
    block_free(&body);
    free(condition);
}

void do_while(struct debugger *d, const char *args)
{
    line_list body = {0};
    char *condition = xstrdup(args);
    bool yes;

    if (read_condition(d, condition, &body, NULL)) {
        d->interrupted = false;
        while (!user_interrupts(d) && is_true(d, condition, &yes) && yes && !d->interrupted)
            if (!run_lines(d, body.at, body.len, NULL))
                break;
    }
    block_free(&body);
    free(condition);
}

/* ---- defining commands ---- */

static bool is_name(const char *name)
{
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-.")] == '\0';
}

void do_define(struct debugger *d, const char *args)
{
    struct user_command *c = find(d, args, strlen(args)), new = {0};
    line_list lines = {0};
    char *name;

    if (!is_name(args) || (!d->in && !d->lines)) {
        complain(d, is_name(args) ? "lines are read from the debugger's input only"
                                  : "expected a name for the command");
        return;
    }
    name = xstrdup(args);
    if (!block_read(d, &lines, NULL)) {
        complain(d, "the lines of `%s' have no `end'", name);
        block_free(&lines);
        free(name);
        return;
    }
    if (c) {
        free(name);
        block_free(&c->lines);
        c->lines = lines;
        return;
    }
    new.name = name;
    new.lines = lines;
    VEC_PUSH(&commands_of(d)->at, new);
}

void do_document(struct debugger *d, const char *args)
{
    struct user_command *c = find(d, args, strlen(args));
    line_list text = {0};

    if (!c) {
        complain(d, "Undefined command: \"%s\".  Try \"help\".", args);
        return;
    }
    (void)!text_read(d, &text);
    block_free(&c->text);
    c->text = text;
}

void user_help(struct debugger *d, bool all, const char *name, size_t len, bool *found)
{
    const struct user_command *c = all ? NULL : find(d, name, len);

    *found = c != NULL;
    for (size_t i = 0; c && i < c->text.len; i++)
        fprintf(d->out, "%s\n", c->text.at[i]);
    if (c && !c->text.len)
        fprintf(d->out, "User-defined.\n");
    for (size_t i = 0; all && d->user && i < d->user->at.len; i++) {
        const struct user_command *u = &d->user->at.at[i];

        fprintf(d->out, "User command \"%s\":\n", u->name);
        for (size_t k = 0; k < u->lines.len; k++)
            fprintf(d->out, "  %s\n", u->lines.at[k]);
        fprintf(d->out, "\n");
    }
}
