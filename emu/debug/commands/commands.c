/*
 * commands.c - finds the command of a line in commands.def, and prints help.
 */
#include "debug/commands/commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "debug/commands/args.h"
#include "debug/commands/context.h"
#include "debug/commands/input.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"

struct command {
    const char *name, *short_name, *arguments, *help;
    bool repeats;
    void (*run)(struct debugger *d, const char *args);
};

static const struct command commands[] = {
#define COMMAND(function, name, short_name, arguments, repeats, help) \
    {name, short_name, arguments, help, repeats, do_##function},
#include "debug/commands/commands.def"
#undef COMMAND
};

/* The rows of commands.def with the classes between them, in the order of `help`. */
struct help_row {
    const char *class, *text; /* NULL: a command */
};

static const struct help_row help_rows[] = {
#define CLASS(name, text)                                             {#name, text},
#define COMMAND(function, name, short_name, arguments, repeats, help) {NULL, NULL},
#include "debug/commands/commands.def"
#undef COMMAND
};

/* ---- finding the command ---- */

/* Returns the length of a command's name: `x/4i', `p*x' and `p$pc' need no space after the name. */
static size_t name_len(const char *at)
{
    size_t len = 0;

    while (isalnum((unsigned char)at[len]) || (at[len] && strchr("-_.", at[len])))
        len++;
    return len ? len : strcspn(at, " \t");
}

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
 * Finds the command with this name or short name, or else the only one whose name begins with the
 * word. *candidates: the number of such names.
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

/* Commands of gdb that are none here, and what to use in their place. */
static const struct {
    const char *word, *hint;
} hints[] = {
    {"shell", "no programs of the host are started from here"},
    {"layout", "there is no text interface; `display/4i $pc' and `list' show code at each stop"},
    {"tui", "there is no text interface; `display/4i $pc' and `list' show code at each stop"},
    {"file", "the image is given when rvftrace is started"},
    {"target", "the machine is here; `rvftrace debug --gdb PORT' is for gdb"},
    {"detach", "`quit' ends the session and the guest"},
    {"return", "`finish' runs to the caller; `set $pc = ADDR' changes the run"},
    {"run", "the guest is loaded and stands still: `continue' runs it, `goto 0' begins anew"},
    {"start", "the guest is loaded and stands still: `tbreak FUNCTION' and `continue'"},
    {"starti", "the guest is loaded and stands before its first instruction"},
    {"jump", "`set $pc = ADDR' and `continue'; this changes the run"},
    {"kill", "`quit' ends the session and the guest"},
};

/* Prints what to use in the place of gdb's command; false: the word is not in `hints'. */
static bool hint_at(struct debugger *d, const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(hints); i++)
        if (len == strlen(hints[i].word) && !strncmp(word, hints[i].word, len)) {
            fprintf(d->out, "`%s' is not a command here: %s\n", hints[i].word, hints[i].hint);
            return true;
        }
    return false;
}

static void offer_name(void *near, const char *name)
{
    nearest_offer(near, name);
}

/* Says that there is no such command, and which one is spelled nearly so. */
static void complain_of_unknown(struct debugger *d, const char *word, size_t len)
{
    char *name = xasprintf("%.*s", (int)len, word);
    struct nearest near = nearest_to(name);

    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        nearest_offer(&near, commands[i].name);
    user_for_each(d, offer_name, &near);
    fprintf(d->out, "`%s` is not a command; %s%s%s`help` lists the commands\n", name,
            near.found ? "did you mean `" : "", near.found ? near.found : "",
            near.found ? "`? " : "");
    free(name);
}

static void complain_of(struct debugger *d, const char *word, size_t len, unsigned candidates)
{
    *d->failed = true;
    if (!candidates && hint_at(d, word, len))
        return;
    if (!candidates) {
        complain_of_unknown(d, word, len);
        return;
    }
    fprintf(d->out, "`%.*s` is ambiguous:", (int)len, word);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
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

bool command_is_known(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (is_exactly(&commands[i], name, strlen(name)))
            return true;
    return false;
}

bool command_fits(const struct debugger *d, const char *line)
{
    unsigned candidates;

    return find_command(line, name_len(line), &candidates) || user_has(d, line, name_len(line));
}

static void run_plain(struct debugger *d, const char *line)
{
    const struct command *c;

    if (user_run(d, line, name_len(line)))
        return;
    c = require_command(d, line);
    if (!c)
        return;
    line += name_len(line);
    line += strspn(line, " \t");
    context_command(d);
    c->run(d, line);
    language_release(d->language);
}

void command_run(struct debugger *d, const char *line)
{
    char *meant = alias_expand(d, line, name_len(line));

    run_plain(d, meant ? meant : line);
    free(meant);
}

void command_meant(const struct debugger *d, const char *word, size_t len, char *name, size_t size)
{
    char *meant = alias_expand(d, word, len);
    unsigned candidates;
    const struct command *c = meant ? find_command(meant, name_len(meant), &candidates)
                                    : find_command(word, len, &candidates);

    if (c)
        snprintf(name, size, "%s", c->name);
    else
        snprintf(name, size, "%.*s", (int)len, word);
    free(meant);
}

bool command_repeats(const struct debugger *d, const char *line)
{
    char *meant = alias_expand(d, line, name_len(line));
    const struct command *c;
    unsigned candidates;

    line = meant ? meant : line;
    c = find_command(line, name_len(line), &candidates);
    free(meant);
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

/* Prints the commands of a class, or of all (NULL). False: there is no such class. */
static bool help_class(struct debugger *d, const char *name, size_t len)
{
    const struct command *c = commands;
    bool in_class = false, found = false;

    for (size_t i = 0; i < ARRAY_LEN(help_rows); i++) {
        if (help_rows[i].class) {
            in_class = !name || (len && !strncmp(help_rows[i].class, name, len));
            found |= in_class;
            if (in_class)
                fprintf(d->out, "%s%s -- %s\n", i && !name ? "\n" : "", help_rows[i].class,
                        help_rows[i].text);
            continue;
        }
        if (in_class)
            print_help(d, c);
        c++;
    }
    return found;
}

static void help_all(struct debugger *d)
{
    (void)help_class(d, NULL, 0);
    fprintf(d->out,
            "\nNames may be shortened. EXPR is an expression of C, with $registers, $variables, $1 "
            "and $$ of\n"
            "the values printed before, and ARRAY[2]@4. ADDR is one whose value is an address: a\n"
            "function or an array is its own, so `break schedule` needs no `*`.\n");
}

void do_help(struct debugger *d, const char *args)
{
    size_t len = strcspn(args, " \t");
    const struct command *c;
    unsigned candidates;
    bool found = false;
    char *meant;

    if (!*args || !strcmp(args, "all")) {
        help_all(d);
        return;
    }
    user_help(d, false, args, len, &found);
    if (found)
        return;
    meant = alias_expand(d, args, len);
    if (meant) {
        do_help(d, meant);
        free(meant);
        return;
    }
    c = find_command(args, len, &candidates);
    if (!c && help_class(d, args, len))
        return;
    c = c ? c : require_command(d, args);
    if (c)
        print_help(d, c);
    if (c && c->run == do_info)
        info_help(d);
}

static bool mentions(const char *text, const char *word)
{
    return text && strcasestr(text, word);
}

void do_apropos(struct debugger *d, const char *args)
{
    if (!*args) {
        complain(d, "expected a word");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (mentions(commands[i].name, args) || mentions(commands[i].help, args))
            print_help(d, &commands[i]);
    info_apropos(d, args);
}

/* ---- files of commands ---- */

static void run_file(struct debugger *d, FILE *f)
{
    struct line_source from = {.outer = d->lines, .file = f};
    const char *command;

    d->failure = false;
    d->lines = &from;
    while (!session_over(d) && !d->failure && (command = lines_next(&from)) != NULL) {
        char *line = xstrdup(command); /* the command may read further ones */

        if (*line && *line != '#')
            command_run(d, line);
        free(line);
        run_actions(d);
    }
    d->lines = from.outer;
    free(from.line);
}

void do_source(struct debugger *d, const char *args)
{
    enum { DEPTH_MAX = 8 };
    FILE *f;

    if (!*args || d->source_depth == DEPTH_MAX) {
        complain(d, *args ? "files of commands are nested too deeply"
                          : "source command requires file name of file to source.");
        return;
    }
    f = open_commands(args);
    if (!f) {
        complain(d, "%s: %s.", args, strerror(errno));
        return;
    }
    d->source_depth++;
    run_file(d, f);
    d->source_depth--;
    fclose(f);
}

void do_quit(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        d->quit = true;
}
