/*
 * skip.c - functions and files that `step' does not go into.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/frames/place.h"
#include "load/line_rows.h"
#include "load/symbols.h"

struct skip {
    unsigned number;
    bool off;
    char *file, *function; /* NULL: any */
    bool file_glob, function_regex;
    regex_t regex;
};

struct skips {
    VEC_OF(struct skip) at;
    unsigned last;
};

static void free_skip(struct skip *s)
{
    free(s->file);
    free(s->function);
    if (s->function_regex)
        regfree(&s->regex);
}

void skips_free(struct debugger *d)
{
    for (size_t i = 0; d->skips && i < d->skips->at.len; i++)
        free_skip(&d->skips->at.at[i]);
    if (d->skips)
        VEC_FREE(&d->skips->at);
    free(d->skips);
}

/* ---- whether a function is skipped ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/*
 * Whether the path is of the file, as in gdb: a name without a directory matches in any directory;
 * else the path must end with it.
 */
static bool is_file(const struct skip *s, const char *path)
{
    size_t len = strlen(path), part = strlen(s->file);

    if (s->file_glob)
        return !fnmatch(s->file, path, FNM_FILE_NAME) || !fnmatch(s->file, base_name(path), 0);
    if (!strchr(s->file, '/'))
        return !strcmp(base_name(path), s->file);
    return len >= part && !strcmp(path + len - part, s->file) &&
           (len == part || path[len - part - 1] == '/' || s->file[0] == '/');
}

static bool is_function(const struct skip *s, const char *name)
{
    if (s->function_regex)
        return !regexec(&s->regex, name, 0, NULL, 0);
    return !strcmp(s->function, name);
}

bool skips_function(const struct debugger *d, uint64_t pc)
{
    uint64_t va = place_canonical(&d->guest, pc);
    const struct symbol *function;
    struct line_row row;
    bool known;

    if (!d->skips || !d->skips->at.len)
        return false;
    function = symbols_function_at(d->config.symbols, va);
    known = line_row_at(d->config.lines, va, &row);
    for (size_t i = 0; i < d->skips->at.len; i++) {
        const struct skip *s = &d->skips->at.at[i];

        if (!s->off && (!s->file || (known && is_file(s, row.file))) &&
            (!s->function || (function && is_function(s, function->name))))
            return true;
    }
    return false;
}

/* ---- the command ---- */

static bool need_default(struct debugger *d, struct line_row *row, const struct symbol **function)
{
    uint64_t va = place_canonical(&d->guest, frame_code(d));

    *function = symbols_function_at(d->config.symbols, va);
    return line_row_at(d->config.lines, va, row);
}

static void add(struct debugger *d, struct skip s)
{
    if (!d->skips)
        d->skips = xcalloc(1, sizeof *d->skips);
    s.number = ++d->skips->last;
    VEC_PUSH(&d->skips->at, s);
    if (s.function)
        fprintf(d->out, "Function%s %s%s%s will be skipped when stepping.\n",
                s.function_regex ? "(s)" : "", s.function, s.file ? " in file " : "",
                s.file ? s.file : "");
    else
        fprintf(d->out, "File%s %s will be skipped when stepping.\n", s.file_glob ? "(s)" : "",
                s.file);
}

static void skip_file(struct debugger *d, const char *args)
{
    const struct symbol *function;
    struct line_row row;

    if (!*args && !need_default(d, &row, &function)) {
        complain(d, "No default file now.");
        return;
    }
    add(d, (struct skip){.file = xstrdup(*args ? args : row.file)});
}

static void skip_function(struct debugger *d, const char *args)
{
    const struct symbol *function;
    struct line_row row;
    uint64_t address;

    if (!*args) {
        (void)need_default(d, &row, &function);
        if (function)
            add(d, (struct skip){.function = xstrdup(function->name)});
        else
            complain(d, "No default function now.");
        return;
    }
    if (symbols_find(d->config.symbols, args, &address))
        add(d, (struct skip){.function = xstrdup(args)});
    else
        complain(d, "Function \"%s\" not defined.", args);
}

/* Reads -file FILE, -gfile GLOB, -function NAME, -rfunction REGEX, or their short names. */
static bool take_option(struct debugger *d, const char **args, struct skip *s)
{
    char option[NAME_MAX_LEN], word[NAME_MAX_LEN];
    char **to;

    if (!arg_word(args, option, sizeof option) || !arg_word(args, word, sizeof word)) {
        complain(d, "Missing value for %s option.", option);
        return false;
    }
    s->file_glob |= !strcmp(option, "-gfi") || !strcmp(option, "-gfile");
    if (!strcmp(option, "-fi") || !strcmp(option, "-file") || !strncmp(option, "-gfi", 4))
        to = &s->file;
    else if (!strcmp(option, "-fu") || !strcmp(option, "-function") || !strncmp(option, "-rfu", 4))
        to = &s->function;
    else {
        complain(d, "Invalid skip option: %s", option);
        return false;
    }
    free(*to);
    *to = xstrdup(word);
    if (!strncmp(option, "-rfu", 4)) {
        s->function_regex = !regcomp(&s->regex, word, REG_EXTENDED | REG_NOSUB);
        if (!s->function_regex)
            complain(d, "Invalid regexp: %s", word);
        return s->function_regex;
    }
    return true;
}

static void skip_by_options(struct debugger *d, const char *args)
{
    struct skip s = {0};
    bool ok = true;

    while (ok && *args)
        ok = take_option(d, &args, &s);
    if (ok)
        add(d, s);
    else
        free_skip(&s);
}

/* ---- changing and listing ---- */

enum change { SKIP_DELETE, SKIP_ENABLE, SKIP_DISABLE };

static void change_one(struct skips *k, size_t i, enum change what)
{
    if (what != SKIP_DELETE) {
        k->at.at[i].off = what == SKIP_DISABLE;
        return;
    }
    free_skip(&k->at.at[i]);
    memmove(&k->at.at[i], &k->at.at[i + 1], (--k->at.len - i) * sizeof *k->at.at);
}

static void change(struct debugger *d, const char *args, enum change what)
{
    struct skips *k = d->skips;

    for (size_t i = k && !*args ? k->at.len : 0; i--;)
        change_one(k, i, what);
    while (*args) {
        char *end;
        unsigned long number = strtoul(args, &end, 10);
        bool found = false;

        if (end == args) {
            complain(d, "Arguments must be skiplist numbers.");
            return;
        }
        for (size_t i = k ? k->at.len : 0; i--;)
            if (k->at.at[i].number == number) {
                change_one(k, i, what);
                found = true;
            }
        if (!found)
            complain(d, "No skiplist entries found with number %lu.", number);
        args = end + strspn(end, " \t");
    }
}

void info_skip(struct debugger *d, const char *args)
{
    if (!arg_end(d, args))
        return;
    if (!d->skips || !d->skips->at.len) {
        fprintf(d->out, "Not skipping any files or functions.\n");
        return;
    }
    fprintf(d->out, "Num   Enb Glob %-20s RE Function\n", "File");
    for (size_t i = 0; i < d->skips->at.len; i++) {
        const struct skip *s = &d->skips->at.at[i];

        fprintf(d->out, "%-5u %-3c %4c %-20s %2c %s\n", s->number, s->off ? 'n' : 'y',
                s->file_glob ? 'y' : 'n', s->file ? s->file : "<none>",
                s->function_regex ? 'y' : 'n', s->function ? s->function : "<none>");
    }
}

void do_skip(struct debugger *d, const char *args)
{
    if (arg_keyword(&args, "file"))
        skip_file(d, args);
    else if (arg_keyword(&args, "delete"))
        change(d, args, SKIP_DELETE);
    else if (arg_keyword(&args, "enable"))
        change(d, args, SKIP_ENABLE);
    else if (arg_keyword(&args, "disable"))
        change(d, args, SKIP_DISABLE);
    else if (*args == '-')
        skip_by_options(d, args);
    else {
        (void)arg_keyword(&args, "function");
        skip_function(d, args);
    }
}
