/*
 * completion.c - a separate program that prints the completion of rvftrace's command line for bash,
 * zsh or fish, which its argument names, from the same tables as --help.
 */
#include <core_names.h> /* the build makes it: mk/emu.mk */
#include <stdio.h>
#include <string.h>

#include "base/option_value.h"
#include "cli/options.h"

struct row {
    const char *name;
    int short_key;
    const char *arg, *commands, *doc;
    struct option_value value;
};

/* The functions that set values are not part of this program. */
#undef OWN
#undef ADDS
#define OWN(name, what)  .expected = (what)
#define ADDS(name, what) OWN(name, what)

#define OPTION_OWNER struct options

static const struct row run_rows[] = {
#define OPT(name, short_key, arg, commands, group, standard, value, doc) \
    {name, short_key, arg, commands, doc, {value}},
#include "cli/options.def"
#undef OPT
};

static const struct row report_rows[] = {
#define REPORT_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "", doc, {0}},
#include "commands/report.def"
#undef REPORT_OPT
};

static const struct row log_rows[] = {
#define LOG_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "", doc, {0}},
#include "commands/log.def"
#undef LOG_OPT
};

static const struct row litmus_rows[] = {
#define LITMUS_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "", doc, {0}},
#include "commands/litmus.def"
#undef LITMUS_OPT
};

static const struct row check_trace_rows[] = {
#define CHECK_TRACE_OPT(name, short_key, arg, value, doc) {name, short_key, arg, "", doc, {0}},
#include "commands/check_trace.def"
#undef CHECK_TRACE_OPT
};

static const struct row view_rows[] = {
#define VIEW_OPT(id, name, short_key, arg, doc) {name, short_key, arg, "", doc, {0}},
#include "commands/view.def"
#undef VIEW_OPT
};

#define FORMATS(name, text, what) text " "
#define RULES(name, text, ...)    text " "

static const char formats[] =
#define EXPORT FORMATS
#include "export/format.def"
#undef EXPORT
    ;

static const char rules[] =
#define RULE RULES
#include "ftrace/audit/rules.def"
    ;

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* letter: of the options of the table that the command has; "": all. */
static const struct subcommand {
    const char *name, *letter;
    const struct row *rows;
    size_t count;
    const char *doc;
} commands[] = {
    {"run", "r", run_rows, COUNT(run_rows), "Boot an image and report on its sites"},
    {"debug", "d", run_rows, COUNT(run_rows), "Boot an image in the debugger"},
    {"explore", "e", run_rows, COUNT(run_rows),
     "Try other orders of the harts around changes of code"},
    {"litmus", "", litmus_rows, COUNT(litmus_rows), "All outcomes of litmus tests"},
    {"report", "", report_rows, COUNT(report_rows), "Show reports of runs as tables or as a page"},
    {"log", "", log_rows, COUNT(log_rows), "Show or convert an event log"},
    {"view", "", view_rows, COUNT(view_rows), "Show an event log in a window"},
    {"check-trace", "", check_trace_rows, COUNT(check_trace_rows),
     "Judge the fetches in a trace of instructions"},
    {"cores", "", NULL, 0, "List or check core models"},
};

/* What follows options whose rows do not say it; command NULL: of each command that has it. */
static const struct words {
    const char *command, *option, *words;
} words[] = {
    {NULL, "timing", "inorder unit " CORE_NAMES},
    {"report", "by", "function site file module layout run"},
    {"report", "of", "sites trampolines jump-labels updates"},
    {"litmus", "fetch", "any ordered coherent"},
    {"litmus", "stores", "any prompt"},
    {"litmus", "translate", "any coherent"},
    {"log", "to", formats},
    {"check-trace", "torn", "wrong allowed"},
    {"view", "pane", "details range functions sites update none"},
    {"view", "theme", "light dark"},
};

static int has(const struct subcommand *c, const struct row *r)
{
    return !*c->letter || strstr(r->commands, c->letter);
}

/* ---- what follows an option ---- */

static int takes_file(const struct row *r)
{
    return strstr(r->arg, "FILE") || strstr(r->arg, "PATH") || !strcmp(r->arg, "LOG");
}

static int is_choice(const struct row *r)
{
    return !strcmp(r->arg, "X") || !strncmp(r->arg, "MODE", 4);
}

/* The values that are words: of "builtin, none, auto, or a file" the first three. */
static void expected_words(const struct row *r, char *list, size_t room)
{
    char text[256], *rest;
    size_t used = 0;

    snprintf(text, sizeof text, "%s", r->value.expected ? r->value.expected : "");
    for (char * or ; (or = strstr(text, " or "));)
        memcpy(or, ",   ", 4);
    for (char *value = strtok_r(text, ",", &rest); value; value = strtok_r(NULL, ",", &rest)) {
        value += strspn(value, " ");
        if (!strncmp(value, "or ", 3))
            value += 3;
        if (*value && !strchr(value, ' ') && used < room)
            used += (size_t)snprintf(list + used, room - used, "%s%s", used ? " " : "", value);
    }
}

static void choice_words(const struct row *r, char *list, size_t room)
{
    size_t used = 0;

    for (const struct option_word *word = r->value.words; word->text && used < room; word++)
        used += (size_t)snprintf(list + used, room - used, "%s%s", used ? " " : "", word->text);
}

enum { WORDS_MAX = 4096 };

/* The words that may follow, or "": anything. */
static void list_words(const struct subcommand *c, const struct row *r, char list[WORDS_MAX])
{
    list[0] = '\0';
    for (size_t i = 0; i < COUNT(words); i++)
        if ((!words[i].command || !strcmp(words[i].command, c->name)) &&
            !strcmp(words[i].option, r->name))
            snprintf(list, WORDS_MAX, "%s", words[i].words);
    if (!strncmp(r->arg, "RULE", 4))
        snprintf(list, WORDS_MAX, "%s", rules);
    else if (r->value.words)
        choice_words(r, list, WORDS_MAX);
    else if (!*list && *c->letter && is_choice(r))
        expected_words(r, list, WORDS_MAX);
    while (*list && list[strlen(list) - 1] == ' ')
        list[strlen(list) - 1] = '\0';
}

/* The first sentence of an option's text, without what would end the shells' quotes or brackets. */
static void print_doc(const char *doc)
{
    enum { LONGEST = 90 };
    size_t len = strcspn(doc, ".:;([");

    for (const char *dot = doc + len; *dot == '.' && dot[1] && dot[1] != ' '; dot = doc + len)
        len += 1 + strcspn(dot + 1, ".:;([");
    while (len > LONGEST && doc[len - 1] != ' ')
        len--;
    while (len && (doc[len - 1] == ' ' || doc[len - 1] == ','))
        len--;
    for (size_t i = 0; i < len; i++)
        if (doc[i] == '\'')
            fputs("\u2019", stdout);
        else if (doc[i] != '`' && doc[i] != ']' && doc[i] != '\\')
            putchar(doc[i]);
}

/* Whether words may follow, or a file. */
static int or_file(const struct row *r)
{
    return r->value.expected && strstr(r->value.expected, "file");
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion of rvftrace, made from the tables of its options: emu/manual/completion.c\n"
    "_rvftrace()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= "
    "words=\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W '";

static const char bash_commands[] = "--help --version' -- \"$word\")\n"
                                    "        return\n"
                                    "    fi\n"
                                    "    # bash takes --option=value for three words\n"
                                    "    if [ \"$word\" = = ]; then\n"
                                    "        word=\n"
                                    "    elif [ \"$before\" = = ]; then\n"
                                    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                    "    fi\n"
                                    "    case ${COMP_WORDS[1]} in\n";

static const char bash_tail[] =
    "    esac\n"
    "    if [ -n \"$words\" ]; then\n"
    "        [ \"$words\" = - ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
    "    elif [ \"${word:0:1}\" = - ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
    "    fi\n"
    "    if [ \"$words\" != - ] && [ ${#COMPREPLY[@]} -eq 0 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
    "    fi\n"
    "}\n"
    "complete -o filenames -F _rvftrace rvftrace\n";

static void bash_options(const struct subcommand *c)
{
    printf("    %s) options='", c->name);
    for (size_t i = 0; i < c->count; i++)
        if (has(c, &c->rows[i]))
            printf("--%s ", c->rows[i].name);
    printf("--help%s' ;;\n", *c->letter ? " --version" : "");
}

/* What follows an option: one of some words, a file, or something that cannot be completed (-). */
static void bash_arguments(const struct subcommand *c)
{
    char list[WORDS_MAX];

    for (size_t i = 0; i < c->count; i++) {
        const struct row *r = &c->rows[i];

        if (!r->arg || takes_file(r) || !has(c, r))
            continue;
        list_words(c, r, list);
        printf("    %s:--%s) words='%s' ;;\n", c->name, r->name, *list ? list : "-");
    }
}

static void print_bash(void)
{
    fputs(bash_head, stdout);
    for (size_t i = 0; i < COUNT(commands); i++)
        printf("%s ", commands[i].name);
    fputs(bash_commands, stdout);
    for (size_t i = 0; i < COUNT(commands); i++)
        if (commands[i].count)
            bash_options(&commands[i]);
    puts("    esac\n    case ${COMP_WORDS[1]}:$before in");
    for (size_t i = 0; i < COUNT(commands); i++)
        bash_arguments(&commands[i]);
    puts("    cores:cores) words='" CORE_NAMES "' ;;");
    fputs(bash_tail, stdout);
}

/* ---- zsh ---- */

/* The rest of an option's line, behind its name. */
static void zsh_values(const struct subcommand *c, const struct row *r)
{
    char list[WORDS_MAX];

    putchar('[');
    print_doc(r->doc);
    putchar(']');
    if (r->arg) {
        list_words(c, r, list);
        printf(":%s:", r->arg);
        if (*list && or_file(r))
            printf(" _alternative \"words:word:(%s)\" \"files:file:_files\"", list);
        else if (*list)
            printf("(%s)", list);
        else if (takes_file(r))
            fputs("_files", stdout);
    }
    putchar('\'');
}

static void zsh_option(const struct subcommand *c, const struct row *r)
{
    if (r->short_key) {
        printf(" \\\n        '*-%c%s", r->short_key, r->arg ? "+" : "");
        zsh_values(c, r);
    }
    printf(" \\\n        '*--%s%s", r->name, r->arg ? "=" : "");
    zsh_values(c, r);
}

static void print_zsh(void)
{
    puts("#compdef rvftrace\n"
         "# zsh completion of rvftrace, made from the tables of its options: "
         "emu/manual/completion.c\n"
         "local -a commands\n"
         "if (( CURRENT == 2 )); then\n"
         "    commands=(");
    for (size_t i = 0; i < COUNT(commands); i++)
        printf("        '%s:%s'\n", commands[i].name, commands[i].doc);
    puts("        '--help:Print a summary' '--version:Print the version'\n"
         "    )\n"
         "    _describe command commands\n"
         "    return\n"
         "fi\n"
         "shift words\n"
         "(( CURRENT-- ))\n"
         "case $words[1] in");
    for (size_t i = 0; i < COUNT(commands); i++) {
        const struct subcommand *c = &commands[i];

        printf("%s)\n    _arguments -s", c->name);
        for (size_t n = 0; n < c->count; n++)
            if (has(c, &c->rows[n]))
                zsh_option(c, &c->rows[n]);
        printf(" \\\n        '(- *)--help[Print a summary and exit]' '*:%s' ;;\n",
               c->count ? "file:_files"
                        : "core:_alternative \"cores:core:(" CORE_NAMES
                          ")\" \"files:file:_files\"");
    }
    puts("esac");
}

/* ---- fish ---- */

static void fish_option(const struct subcommand *c, const struct row *r)
{
    char list[WORDS_MAX] = "";

    printf("complete -c rvftrace -n '__fish_seen_subcommand_from %s' -l %s", c->name, r->name);
    if (r->short_key)
        printf(" -s %c", r->short_key);
    if (r->arg)
        list_words(c, r, list);
    if (*list && !or_file(r))
        printf(" -x -a '%s'", list);
    else if (*list)
        printf(" -r -F -a '%s'", list);
    else if (r->arg)
        printf(takes_file(r) ? " -r -F" : " -x");
    printf(" -d '");
    print_doc(r->doc);
    puts("'");
}

static void print_fish(void)
{
    puts("# fish completion of rvftrace, made from the tables of its options: "
         "emu/manual/completion.c");
    for (size_t i = 0; i < COUNT(commands); i++)
        printf("complete -c rvftrace -n __fish_use_subcommand -f -a %s -d '%s'\n", commands[i].name,
               commands[i].doc);
    puts(
        "complete -c rvftrace -l help -d 'Print a summary and exit'\n"
        "complete -c rvftrace -n __fish_use_subcommand -l version -d 'Print the version and exit'");
    puts("complete -c rvftrace -n '__fish_seen_subcommand_from cores' -a '" CORE_NAMES "'");
    for (size_t i = 0; i < COUNT(commands); i++)
        for (size_t n = 0; n < commands[i].count; n++)
            if (has(&commands[i], &commands[i].rows[n]))
                fish_option(&commands[i], &commands[i].rows[n]);
}

int main(int argc, char **argv)
{
    const char *shell = argc == 2 ? argv[1] : "";

    if (!strcmp(shell, "bash"))
        print_bash();
    else if (!strcmp(shell, "zsh"))
        print_zsh();
    else if (!strcmp(shell, "fish"))
        print_fish();
    else
        return 64;
    return fflush(stdout) || ferror(stdout);
}
