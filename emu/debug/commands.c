/*
 * commands.c - finds the command of a line in commands.def, and reads the
 * arguments that several commands have.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "debug/debugger_priv.h"
#include "load/symbols.h"

struct command {
    const char *name, *short_name, *arguments, *help;
    bool repeats;
    void (*run)(struct debugger *d, const char *args);
};

static const struct command commands[] = {
#define COMMAND(function, name, short_name, arguments, repeats, help) \
    {name, short_name, arguments, help, repeats, do_##function},
#include "debug/commands.def"
#undef COMMAND
};

/* ---- arguments ---- */

bool arg_end(const struct debugger *d, const char *at)
{
    if (!*at)
        return true;
    complain(d, "unexpected argument `%s`", at);
    return false;
}

bool arg_count(struct debugger *d, const char **at, uint64_t *value)
{
    if (**at == '-') {
        complain(d, "invalid count: expected 1 or more");
        return false;
    }
    if (!isdigit((unsigned char)**at) && **at != '$' && **at != '(')
        return true;
    if (!arg_value(d, at, "a count", value))
        return false;
    if (*value)
        return true;
    complain(d, "invalid count: expected 1 or more");
    return false;
}

static size_t word_len(const char *at)
{
    return strcspn(at, " \t");
}

/* The length of a command's name: `x/4i', `p*x' and `p$pc' need no space after it. */
static size_t name_len(const char *at)
{
    size_t len = 0;

    while (isalnum((unsigned char)at[len]) || (at[len] && strchr("-_.", at[len])))
        len++;
    return len ? len : strcspn(at, " \t");
}

static void skip_word(const char **at, size_t len)
{
    *at += len;
    *at += strspn(*at, " \t");
}

bool arg_word(const char **at, char *word, size_t size)
{
    size_t len = word_len(*at);

    if (!len || len >= size)
        return false;
    memcpy(word, *at, len);
    word[len] = '\0';
    skip_word(at, len);
    return true;
}

bool arg_keyword(const char **at, const char *keyword)
{
    size_t len = word_len(*at);

    if (len != strlen(keyword) || strncmp(*at, keyword, len) != 0)
        return false;
    skip_word(at, len);
    return true;
}

bool arg_hart(struct debugger *d, const char **at, uint32_t *hart)
{
    uint64_t value;

    if (!arg_value(d, at, "a hart number", &value))
        return false;
    if (value >= target_hart_count(d->target)) {
        complain(d, "no hart %" PRIu64 ": expected 0 to %u", value,
                 target_hart_count(d->target) - 1);
        return false;
    }
    *hart = (uint32_t)value;
    return true;
}

unsigned arg_unit(const char **at)
{
    if (arg_keyword(at, "b"))
        return 1;
    if (arg_keyword(at, "h"))
        return 2;
    if (arg_keyword(at, "w"))
        return 4;
    if (arg_keyword(at, "d"))
        return 8;
    return 0;
}

/* ---- finding the command ---- */

static bool starts_with(const char *name, const char *word, size_t len)
{
    return !strncmp(name, word, len);
}

static bool is_exactly(const struct command *c, const char *word, size_t len)
{
    return (strlen(c->name) == len && starts_with(c->name, word, len)) ||
           (strlen(c->short_name) == len && starts_with(c->short_name, word, len));
}

/*
 * The command with this name or short name, or else the only one whose name begins with it.
 * *candidates: the number of names that do.
 */
static const struct command *find_command(const char *word, size_t len, unsigned *candidates)
{
    const struct command *found = NULL;

    *candidates = 1;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (is_exactly(&commands[i], word, len))
            return &commands[i];
    *candidates = 0;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (starts_with(commands[i].name, word, len)) {
            found = &commands[i];
            ++*candidates;
        }
    return *candidates == 1 ? found : NULL;
}

static void complain_of(struct debugger *d, const char *word, size_t len, unsigned candidates)
{
    fprintf(d->out, "`%.*s` %s", (int)len, word,
            candidates ? "is ambiguous:" : "is not a command; `help` lists the commands");
    for (size_t i = 0; candidates && i < ARRAY_LEN(commands); i++)
        if (starts_with(commands[i].name, word, len))
            fprintf(d->out, " %s%s", commands[i].name, --candidates ? "," : "");
    fprintf(d->out, "\n");
}

static const struct command *require_command(struct debugger *d, const char *word)
{
    unsigned candidates;
    const struct command *c = find_command(word, name_len(word), &candidates);

    if (!c)
        complain_of(d, word, name_len(word), candidates);
    return c;
}

void command_run(struct debugger *d, const char *line)
{
    const struct command *c = require_command(d, line);

    if (!c)
        return;
    skip_word(&line, name_len(line));
    context_command(d);
    c->run(d, line);
    language_release(d->language);
}

bool command_repeats(const char *line)
{
    unsigned candidates;
    const struct command *c = find_command(line, name_len(line), &candidates);

    return c && c->repeats;
}

void commands_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (starts_with(commands[i].name, prefix, strlen(prefix)))
            found(ctx, commands[i].name);
}

/* ---- help, quit ---- */

static void print_help(struct debugger *d, const struct command *c)
{
    char usage[80];

    snprintf(usage, sizeof usage, "%s %s", c->name, c->arguments);
    fprintf(d->out, "%-4s%-39s %s\n", c->short_name, usage, c->help);
}

static void help_all(struct debugger *d)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        print_help(d, &commands[i]);
    fprintf(d->out,
            "Names may be shortened. EXPR is an expression of C, with $registers, $variables, $1 "
            "and $$ of\n"
            "the values printed before, and ARRAY[2]@4. ADDR is one whose value is an address: a\n"
            "function or an array is its own, so `break schedule` needs no `*`.\n");
}

void do_help(struct debugger *d, const char *args)
{
    const struct command *c;

    if (!*args) {
        help_all(d);
        return;
    }
    c = require_command(d, args);
    if (c)
        print_help(d, c);
}

void do_quit(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        d->quit = true;
}
