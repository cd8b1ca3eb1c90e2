/*
 * completion.c - a separate program that prints the completion of rvftrace's command line for bash,
 * from the same tables as --help.
 */
#include <stdio.h>
#include <string.h>

static const struct row {
    const char *name;
    const char *arg, *commands, *expected;
} rows[] = {
#define OPT(id, name, short_key, arg, commands, expected, doc) {name, arg, commands, expected},
#include "cli/options.def"
#undef OPT
};

static const struct row report_rows[] = {
#define REPORT_OPT(id, name, short_key, arg, doc) {name, arg, "", NULL},
#include "report/options.def"
#undef REPORT_OPT
};

static const struct row log_rows[] = {
#define LOG_OPT(id, name, short_key, arg, doc) {name, arg, "", NULL},
#include "export/options.def"
#undef LOG_OPT
};

static const struct row view_rows[] = {
#define VIEW_OPT(id, name, short_key, arg, doc) {name, arg, "", NULL},
#include "export/view.def"
#undef VIEW_OPT
};

static const char *const formats[] = {
#define EXPORT(name, text, what) text,
#include "export/format.def"
#undef EXPORT
};

static const char *const rules[] = {
#define RULE(name, text, ...) text,
#include "ftrace/rules.def"
#undef RULE
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static const char head[] =
    "# bash completion of rvftrace, made from the tables of its options: emu/cli/completion.c\n"
    "_rvftrace()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= "
    "words=\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W 'run debug explore report log view cores --help "
    "--version' -- "
    "\"$word\")\n"
    "        return\n"
    "    fi\n"
    "    # bash takes --option=value for three words\n"
    "    if [ \"$word\" = = ]; then\n"
    "        word=\n"
    "    elif [ \"$before\" = = ]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    case ${COMP_WORDS[1]} in\n";

static const char tail[] =
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

static void print_options(const char *command, const struct row *table, size_t count,
                          const char *letter)
{
    printf("    %s) options='", command);
    for (size_t i = 0; i < count; i++)
        if (strstr(table[i].commands, letter))
            printf("--%s ", table[i].name);
    printf("--help%s' ;;\n", *letter ? " --version" : "");
}

/*
 * The values that are words: of "builtin, none, auto, or a file" the first three. Returns how many
 * there are.
 */
static unsigned print_values(const struct row *r)
{
    char text[256], *rest;
    unsigned count = 0;

    snprintf(text, sizeof text, "%s", r->expected ? r->expected : "");
    for (char * or ; (or = strstr(text, " or "));)
        memcpy(or, ",   ", 4);
    for (char *value = strtok_r(text, ",", &rest); value; value = strtok_r(NULL, ",", &rest)) {
        value += strspn(value, " ");
        if (!strncmp(value, "or ", 3))
            value += 3;
        if (*value && !strchr(value, ' '))
            printf("%s%s", count++ ? " " : "", value);
    }
    return count;
}

static int is_choice(const struct row *r)
{
    return !strcmp(r->arg, "X") || !strncmp(r->arg, "MODE", 4);
}

/* What follows an option: one of some words, a file, or something that cannot be completed (-). */
static void print_arguments(void)
{
    puts("    case ${COMP_WORDS[1]}:$before in");
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];

        if (!r->arg || strstr(r->arg, "FILE") || strstr(r->arg, "PATH"))
            continue;
        printf("    run:--%s | debug:--%s | explore:--%s) words='", r->name, r->name, r->name);
        if (!strncmp(r->arg, "RULE", 4))
            for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
                printf("%s%s", k ? " " : "", rules[k]);
        else if (!is_choice(r) || !print_values(r))
            putchar('-');
        puts("' ;;");
    }
    puts("    report:--by) words='function site file module layout run' ;;\n"
         "    report:--of) words='sites trampolines jump-labels' ;;\n"
         "    report:--sort | report:--top | report:--function) words=- ;;\n"
         "    view:--pane) words='details range functions sites update none' ;;\n"
         "    view:--theme) words='light dark' ;;\n"
         "    view:--at | view:--select | view:--go | view:--step | view:--search | view:--scale | "
         "view:--size) words=- ;;\n"
         "    log:--function | log:--hart | log:--task | log:--from | log:--until) words=- ;;");
    printf("    log:--to) words='");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        printf("%s%s", i ? " " : "", formats[i]);
    puts("' ;;");
}

int main(void)
{
    fputs(head, stdout);
    print_options("run", rows, ROWS, "r");
    print_options("debug", rows, ROWS, "d");
    print_options("explore", rows, ROWS, "e");
    print_options("report", report_rows, sizeof report_rows / sizeof report_rows[0], "");
    print_options("log", log_rows, sizeof log_rows / sizeof log_rows[0], "");
    print_options("view", view_rows, sizeof view_rows / sizeof view_rows[0], "");
    puts("    esac");
    print_arguments();
    fputs(tail, stdout);
    return fflush(stdout) || ferror(stdout);
}
