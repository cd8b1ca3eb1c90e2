/*
 * arguments.c - see arguments.h.
 */
#include "base/arguments.h"

#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"

enum { KEY_BASE = 1000 };

struct parse {
    const struct arguments *arguments;
    void *owner;
    const struct diag *diag;
    bool has_file, done;
};

/* A line of the help, whose texts of options begin in a column of their own. */
static void put_wrapped(const char *line, FILE *out)
{
    enum { COLUMNS = 79, TEXT_COLUMN = 29 };
    int indent = line[0] == ' ' ? TEXT_COLUMN : 0, column = 0;

    while ((int)strlen(line) + column > COLUMNS) {
        int end = COLUMNS - column;

        while (end > 0 && line[end] != ' ')
            end--;
        if (!end || line[end - 1] == ' ') /* an option, and no text as long as that */
            break;
        fprintf(out, "%.*s\n%*s", end, line, indent, "");
        line += end + 1;
        column = indent;
    }
    fprintf(out, "%s\n", line);
}

/*
 * Where argp breaks the lines it indents some of them twice, or not, as its buffer happens to be
 * full. So it is given lines without end, which are broken here.
 */
void arguments_show_help(const struct argp *argp, const char *command)
{
    char *text = NULL, *rest, *line;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out || setenv("ARGP_HELP_FMT", "rmargin=100000", 1))
        abort();
    argp_help(argp, out, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK,
              (char *)(uintptr_t)command);
    fclose(out);
    for (rest = text; (line = strsep(&rest, "\n")) && (*line || rest);)
        put_wrapped(line, stdout);
    free(text);
}

/* ---- names of options, before argp sees them ---- */

/* An option ends the table if it has neither name nor text. */
static bool is_last(const struct argp_option *o)
{
    return !o->name && !o->key && !o->doc;
}

/* The option of this name, or the only one that begins so. *many: several do. NULL: none or many.
 */
static const struct argp_option *find_long(const struct argp_option *o, const char *name,
                                           size_t len, bool *many)
{
    const struct argp_option *found = NULL;

    *many = false;
    for (; !is_last(o); o++) {
        if (!o->name || strncmp(o->name, name, len) != 0)
            continue;
        if (!o->name[len]) {
            *many = false;
            return o;
        }
        *many |= found != NULL;
        found = o;
    }
    return *many ? NULL : found;
}

static const struct argp_option *find_short(const struct argp_option *o, int key)
{
    while (!is_last(o) && o->key != key)
        o++;
    return is_last(o) ? NULL : o;
}

static void refuse_name(const struct argp_option *options, const char *name, const char *command,
                        const struct diag *d)
{
    struct nearest near = nearest_to(name);

    for (const struct argp_option *o = options; !is_last(o); o++)
        if (o->name && !(o->flags & OPTION_HIDDEN))
            nearest_offer(&near, o->name);
    diag_error(d, "no option --%s; %s%s%ssee %s --help", name, near.found ? "did you mean --" : "",
               near.found ? near.found : "", near.found ? "? " : "", command);
}

/* Letters behind one `-'. True: the last one takes the next word. */
static bool takes_next_word(const struct argp_option *options, const char *letters)
{
    for (; *letters; letters++) {
        const struct argp_option *o = find_short(options, (unsigned char)*letters);

        if (!o || o->arg)
            return o && !letters[1];
    }
    return false;
}

bool arguments_check_names(const struct argp_option *options, int argc, char **argv,
                           const char *command, const struct diag *d)
{
    static char help[] = "--help";

    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i];
        const struct argp_option *o;
        bool many;

        if (!strcmp(word, "-h")) {
            argv[i] = help;
        } else if (!strncmp(word, "--", 2)) {
            char *name = xasprintf("%.*s", (int)strcspn(word + 2, "="), word + 2);

            o = find_long(options, name, strlen(name), &many);
            if (!o && !many)
                refuse_name(options, name, command, d);
            free(name);
            if (!o && !many)
                return false;
            i += o && o->arg && !strchr(word, '=');
        } else if (word[0] == '-' && word[1]) {
            i += takes_next_word(options, word + 1);
        }
    }
    return true;
}

static error_t take_option(const struct parse *p, const struct argument_row *row, const char *arg)
{
    char problem[OPTION_PROBLEM_MAX];

    if (option_value_set(&row->value, p->owner, arg, problem))
        return 0;
    diag_error(p->diag, "--%s: invalid value `%s': %s", row->name, arg, problem);
    return EINVAL;
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
    static char name[] = "rvftrace";
    struct parse *p = state->input;
    const struct arguments *a = p->arguments;

    for (size_t i = 0; key && i < a->count; i++)
        if (key == a->rows[i].short_key || key == KEY_BASE + (int)i)
            return take_option(p, &a->rows[i], arg);
    switch (key) {
    case ARGP_KEY_INIT:
        state->name = name;
        state->err_stream = NULL; /* getopt has printed its line */
        return 0;
    case '?':
        p->done = true;
        arguments_show_help(state->root_argp, a->command);
        return ECANCELED;
    case ARGP_KEY_ARG: p->has_file = true; return a->file(p->owner, arg) ? 0 : EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum exit_status arguments_parse(const struct arguments *a, void *owner, const struct diag *diag,
                                 int argc, char **argv, bool *done)
{
    struct argp_option *options = xcalloc(a->count + 2, sizeof *options);
    struct argp argp = {options, parse_key, a->files, a->intro, NULL, NULL, NULL};
    struct parse p = {.arguments = a, .owner = owner, .diag = diag};
    char program_name[] = "rvftrace: error"; /* getopt begins its messages with argv[0] */
    char *command = argv[1];
    error_t error;

    for (size_t i = 0; i < a->count; i++)
        options[i] = (struct argp_option){.name = a->rows[i].name,
                                          .key = a->rows[i].short_key ? a->rows[i].short_key
                                                                      : KEY_BASE + (int)i,
                                          .arg = a->rows[i].arg,
                                          .doc = a->rows[i].doc};
    options[a->count] = (struct argp_option){
        .name = "help", .key = '?', .doc = "Print this and exit.", .group = -1};
    if (!arguments_check_names(options, argc, argv, a->command, diag)) {
        free(options);
        return EXIT_USAGE;
    }
    argv[1] = program_name;
    error = argp_parse(&argp, argc - 1, argv + 1, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &p);
    argv[1] = command;
    free(options);
    *done = p.done;
    if (p.done)
        return EXIT_PASS;
    if (!error && !p.has_file)
        diag_error(diag, "%s", a->no_file);
    return error || !p.has_file ? EXIT_USAGE : EXIT_PASS;
}
