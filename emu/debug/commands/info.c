/*
 * info.c - finds the subject of `info' in info.def.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/data.h"
#include "debug/commands/points.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"

struct subject {
    const char *name, *arguments, *help;
    void (*show)(struct debugger *d, const char *args);
};

static const struct subject subjects[] = {
#define INFO(function, name, arguments, help) {name, arguments, help, info_##function},
#include "debug/commands/info.def"
#undef INFO
};

static const struct subject *find_subject(const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        if (!strncmp(subjects[i].name, word, len))
            return &subjects[i];
    return NULL;
}

static void print_subject(struct debugger *d, const struct subject *s)
{
    char usage[80];

    snprintf(usage, sizeof usage, "info %s %s", s->name, s->arguments);
    fprintf(d->out, "    %-39s %s\n", usage, s->help);
}

void info_help(struct debugger *d)
{
    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        print_subject(d, &subjects[i]);
}

void info_apropos(struct debugger *d, const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        if (strcasestr(subjects[i].name, word) || strcasestr(subjects[i].help, word))
            print_subject(d, &subjects[i]);
}

void info_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx)
{
    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        if (!strncmp(subjects[i].name, prefix, strlen(prefix)))
            found(ctx, subjects[i].name);
}

void info_breakpoints(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        print_points(d);
}

void info_watchpoints(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        print_watchpoints(d);
}

void info_checkpoints(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        print_checkpoints(d);
}

void info_display(struct debugger *d, const char *args)
{
    if (arg_end(d, args))
        data_list_displays(d);
}

static void complain_of_subject(const struct debugger *d, const char *word, size_t len)
{
    char *name = xasprintf("%.*s", (int)len, word);
    struct nearest near = nearest_to(name);

    for (size_t i = 0; i < ARRAY_LEN(subjects); i++)
        nearest_offer(&near, subjects[i].name);
    complain(d, "Undefined info command: \"%s\".  %s%s%sTry \"help info\".", name,
             near.found ? "Did you mean \"" : "", near.found ? near.found : "",
             near.found ? "\"?  " : "");
    free(name);
}

void do_info(struct debugger *d, const char *args)
{
    size_t len = strcspn(args, " \t/");
    const struct subject *s = len ? find_subject(args, len) : NULL;

    if (!len) {
        info_help(d);
        return;
    }
    if (!s) {
        complain_of_subject(d, args, len);
        return;
    }
    s->show(d, args + len + strspn(args + len, " \t"));
}
