/*
 * alias.c - the command `alias': other names of commands, with arguments that come first.
 */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"

struct alias {
    char *name, *text;
};

struct aliases {
    VEC_OF(struct alias) at;
};

void aliases_free(struct debugger *d)
{
    for (size_t i = 0; d->aliases && i < d->aliases->at.len; i++) {
        free(d->aliases->at.at[i].name);
        free(d->aliases->at.at[i].text);
    }
    if (d->aliases)
        VEC_FREE(&d->aliases->at);
    free(d->aliases);
}

/* Returns the command in full: the alias's text, and the rest of the line. */
char *alias_expand(const struct debugger *d, const char *line, size_t len)
{
    for (size_t i = 0; d->aliases && i < d->aliases->at.len; i++) {
        const struct alias *a = &d->aliases->at.at[i];

        if (strlen(a->name) == len && !strncmp(a->name, line, len))
            return xasprintf("%s%s%s", a->text, line[len] == '/' || !line[len] ? "" : " ",
                             line + len + strspn(line + len, " \t"));
    }
    return NULL;
}

void aliases_for_each(const struct debugger *d, void (*found)(void *ctx, const char *name),
                      void *ctx)
{
    for (size_t i = 0; d->aliases && i < d->aliases->at.len; i++)
        found(ctx, d->aliases->at.at[i].name);
}

static void cut_end(char *text)
{
    size_t len = strlen(text);

    while (len && isspace((unsigned char)text[len - 1]))
        text[--len] = '\0';
}

static void add(struct debugger *d, const char *name, const char *text)
{
    struct alias a = {xstrdup(name), xstrdup(text)};

    if (!d->aliases)
        d->aliases = xcalloc(1, sizeof *d->aliases);
    VEC_PUSH(&d->aliases->at, a);
}

void do_alias(struct debugger *d, const char *args)
{
    char name[NAME_MAX_LEN] = "", *known;
    const char *equals;

    while (arg_keyword(&args, "-a") || arg_keyword(&args, "--"))
        ;
    equals = strchr(args, '=');
    if (equals && equals - args < NAME_MAX_LEN) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - args), args);
        cut_end(name);
        args = equals + 1 + strspn(equals + 1, " \t");
    }
    if (!*name || !*args) {
        complain(d, "Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]");
        return;
    }
    known = alias_expand(d, name, strlen(name));
    if (known || command_is_known(name))
        complain(d, "Alias %s is the name of an existing command", name);
    else if (name[strspn(name,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")])
        complain(d, "Invalid command name: %s", name);
    else if (!command_fits(d, args))
        complain(d, "Undefined command: \"%.*s\".  Try \"help\".", (int)strcspn(args, " \t/"),
                 args);
    else
        add(d, name, args);
    free(known);
}
