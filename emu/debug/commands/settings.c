/*
 * settings.c - the commands set and show.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/list.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/lang/expr.h"

enum { LIST_LINES_MAX = 1000000 };

static bool arg_switch(const char *args, bool *on)
{
    *on = !*args || !strcmp(args, "on") || !strcmp(args, "1");
    return *on || !strcmp(args, "off") || !strcmp(args, "0");
}

static void set_print(struct debugger *d, const char *args)
{
    struct print_options *o = language_options(d->language);
    bool pretty = arg_keyword(&args, "pretty");
    unsigned *number = NULL;
    char *end;

    if (pretty) {
        if (!arg_switch(args, &o->pretty))
            complain(d, "\"on\" or \"off\" expected.");
        return;
    }
    if (arg_keyword(&args, "elements"))
        number = &o->elements;
    else if (arg_keyword(&args, "repeats"))
        number = &o->repeats;
    if (!number) {
        complain(d, "set print: expected pretty, elements or repeats");
        return;
    }
    if (!strcmp(args, "unlimited") || !strcmp(args, "0")) {
        *number = UINT32_MAX;
        return;
    }
    *number = (unsigned)strtoul(args, &end, 0);
    if (*end || !*args || !*number)
        complain(d, "expected a number, or \"unlimited\"");
}

static void set_value(struct debugger *d, const char *args)
{
    struct expr *e = arg_expr(d, &args, EXPR_WHOLE, "an expression, such as $a0 = 1");
    struct value v;

    if (e && !expr_evaluate(d->language, e, &v))
        complain_why(d);
    expr_free(e);
}

/* Whether it is a setting of gdb that scripts make, and that means nothing here. */
static bool is_ignored_setting(const char *args)
{
    static const char *const names[] = {"confirm",
                                        "pagination",
                                        "width",
                                        "height",
                                        "verbose",
                                        "logging",
                                        "history",
                                        "python",
                                        "style",
                                        "trace-commands",
                                        "disassemble-next-line",
                                        "auto-load",
                                        "architecture",
                                        "remotetimeout"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (arg_keyword(&args, names[i]))
            return true;
    return false;
}

static void set_listsize(struct debugger *d, const char *args)
{
    char *end;
    unsigned long lines = strtoul(args, &end, 10);

    if (!strcmp(args, "unlimited"))
        d->list_lines = LIST_LINES_MAX;
    else if (end == args || *end || !lines || lines > LIST_LINES_MAX)
        complain(d, "expected a number of lines");
    else
        d->list_lines = (unsigned)lines;
}

static void set_autofence(const struct debugger *d, const char *args)
{
    bool on;

    if (arg_switch(args, &on))
        target_set_autofence(d->target, on);
    else
        complain(d, "\"on\" or \"off\" expected.");
}

void do_set(struct debugger *d, const char *args)
{
    if (arg_keyword(&args, "listsize"))
        set_listsize(d, args);
    else if (arg_keyword(&args, "autofence"))
        set_autofence(d, args);
    else if (arg_keyword(&args, "print") || arg_keyword(&args, "p"))
        set_print(d, args);
    else if (arg_keyword(&args, "var") || arg_keyword(&args, "variable") ||
             !is_ignored_setting(args))
        set_value(d, args);
}

/* ---- show ---- */

static void show_number(const struct debugger *d, const char *what, unsigned number)
{
    if (number == UINT32_MAX)
        fprintf(d->out, "%s is unlimited.\n", what);
    else
        fprintf(d->out, "%s is %u.\n", what, number);
}

static void show_print(struct debugger *d, const char *args)
{
    const struct print_options *o = language_options(d->language);

    if (!strcmp(args, "pretty"))
        fprintf(d->out, "Pretty formatting of structures is %s.\n", o->pretty ? "on" : "off");
    else if (!strcmp(args, "elements"))
        show_number(d, "Limit on string chars or array elements to print", o->elements);
    else if (!strcmp(args, "repeats"))
        show_number(d, "Threshold for repeated print elements", o->repeats);
    else
        complain(d, "show print: expected pretty, elements or repeats");
}

/* Prints the last ten values of the history. */
static void show_values(struct debugger *d)
{
    enum { SHOWN = 10 };
    const struct print_format plain = {.count = 1};
    unsigned count = value_history_count(d->language);
    struct value v;

    for (unsigned n = count > SHOWN ? count - SHOWN + 1 : 1; n <= count; n++) {
        if (!value_recall(d->language, true, n, &v))
            continue;
        fprintf(d->out, "$%u = ", n);
        if (!value_print(d->language, d->out, v, plain))
            fprintf(d->out, "%s", language_why(d->language));
        fprintf(d->out, "\n");
    }
}

static void show_variable(void *ctx, const char *name, struct value v)
{
    const struct print_format plain = {.count = 1};
    struct debugger *d = ctx;

    fprintf(d->out, "$%s = ", name);
    if (!value_print(d->language, d->out, v, plain))
        fprintf(d->out, "%s", language_why(d->language));
    fprintf(d->out, "\n");
}

void do_show(struct debugger *d, const char *args)
{
    bool found;

    if (arg_keyword(&args, "print") || arg_keyword(&args, "p"))
        show_print(d, args);
    else if (!strcmp(args, "listsize"))
        fprintf(d->out, "Number of source lines listed by default is %u.\n",
                d->list_lines ? d->list_lines : LIST_LINES);
    else if (!strcmp(args, "directories"))
        source_path_show(d);
    else if (!strcmp(args, "autofence"))
        fprintf(d->out, "autofence is %s: %s.\n", target_autofence(d->target) ? "on" : "off",
                target_autofence(d->target)
                    ? "all harts fetch the code that the debugger writes"
                    : "code that the debugger writes is stale until the guest's fence.i");
    else if (!strcmp(args, "values"))
        show_values(d);
    else if (!strcmp(args, "convenience") || !strcmp(args, "conv"))
        variables_each(d->language, show_variable, d);
    else if (!strcmp(args, "user"))
        user_help(d, true, "", 0, &found);
    else
        complain(d, "expected print pretty, print elements, print repeats, listsize, directories, "
                    "autofence, values, convenience or user");
}

void do_monitor(struct debugger *d, const char *args)
{
    if (*args)
        command_run(d, args);
    else
        complain(d, "expected a command");
}

/* Reads the harts of `thread apply'; false: a message was printed. */
static bool arg_harts(struct debugger *d, const char **args, bool wanted[])
{
    unsigned count = target_hart_count(d->target);
    bool all = arg_keyword(args, "all"), any = false;

    for (unsigned hart = 0; all && hart < count; hart++)
        wanted[hart] = target_hart(d->target, hart).started;
    while (!all && isdigit((unsigned char)**args)) {
        uint32_t hart;

        if (!arg_thread(d, args, &hart))
            return false;
        wanted[hart] = any = true;
    }
    if ((all || any) && **args)
        return true;
    complain(d, "expected: thread apply all COMMAND, or thread apply N... COMMAND");
    return false;
}

static void apply(struct debugger *d, const char *args)
{
    unsigned selected = d->selected, count = target_hart_count(d->target);
    bool *wanted = xcalloc(count, sizeof *wanted);
    char *command = arg_harts(d, &args, wanted) ? xstrdup(args) : NULL;

    for (unsigned hart = 0; command && hart < count; hart++) {
        if (!wanted[hart])
            continue;
        d->selected = hart;
        stack_reset(d);
        fprintf(d->out, "\nhart %u:\n", hart);
        command_run(d, command);
    }
    d->selected = selected;
    stack_reset(d);
    free(command);
    free(wanted);
}

void do_thread(struct debugger *d, const char *args)
{
    uint32_t hart = d->selected;
    char number[16];

    if (arg_keyword(&args, "apply")) {
        apply(d, args);
        return;
    }
    if (*args && (!arg_thread(d, &args, &hart) || !arg_end(d, args)))
        return;
    snprintf(number, sizeof number, "%u", hart);
    do_hart(d, number);
}
