/*
 * printf.c - the command printf: prints values by a format of C, as in gdb.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/lang/expr.h"

enum { SPEC_MAX = 32, SESSION_TEXT_MAX = 1024 };

/* One conversion: its text, with the length that a value of 64 bits needs. */
struct conversion {
    char text[SPEC_MAX + 4];
    char letter;
};

/* Reads a conversion such as `%-5lx' and moves *at past it. */
static bool read_conversion(struct debugger *d, const char **at, struct conversion *c)
{
    const char *start = *at;
    size_t len = 1 + strspn(start + 1, "-+ #0123456789."), sizes = strspn(start + len, "hlzjt");

    c->letter = start[len + sizes];
    if (!c->letter || !strchr("diuxXocspfgea", c->letter) || len > SPEC_MAX) {
        complain(d, "Bad format string");
        return false;
    }
    snprintf(c->text, sizeof c->text, "%.*s%s%c", (int)len, start,
             strchr("diuxXo", c->letter) ? "l" : "", c->letter);
    *at = start + len + sizes + 1;
    return true;
}

/* Prints a string in the guest's memory, or an array of char. */
static void print_string(struct debugger *d, const struct conversion *c, uint64_t address)
{
    enum { STRING_MAX = 4096 };
    char text[STRING_MAX];
    size_t len = 0;

    while (len + 1 < sizeof text && selected_read(d, address + len, &text[len], 1) && text[len])
        len++;
    text[len] = '\0';
    fprintf(d->out, c->text, text);
}

/* Whether the value is an array that the user has typed or keeps in a variable. */
static bool is_text(struct debugger *d, const struct value *v)
{
    return v->bytes && v->place != VALUE_IN_MEMORY &&
           type_strip(language_types(d->language), v->type)->kind == TYPE_ARRAY;
}

static bool print_one(struct debugger *d, const struct conversion *c, const char **args)
{
    struct expr *e;
    struct value v;
    uint64_t number = 0;
    double fraction = 0;
    bool ok, is_fraction = strchr("fgea", c->letter) != NULL;

    if (**args != ',') {
        complain(d, "Bad format string, missing argument");
        return false;
    }
    *args += 1 + strspn(*args + 1, " \t");
    e = arg_expr(d, args, EXPR_ARGUMENT, "a value");
    if (!e)
        return false;
    ok = expr_evaluate(d->language, e, &v);
    if (ok && c->letter == 's' && is_text(d, &v)) { /* text of the session */
        char text[SESSION_TEXT_MAX];

        snprintf(text, sizeof text, "%.*s", (int)v.size, (const char *)v.bytes);
        fprintf(d->out, c->text, text);
        expr_free(e);
        return true;
    }
    ok = ok && (is_fraction                            ? value_number(d->language, v, &fraction)
                : c->letter == 's' || c->letter == 'p' ? value_address(d->language, v, &number)
                                                       : value_integer(d->language, v, &number));
    if (!ok)
        complain_why(d);
    else if (is_fraction)
        fprintf(d->out, c->text, fraction);
    else if (c->letter == 's')
        print_string(d, c, number);
    else if (c->letter == 'p')
        fprintf(d->out, "0x%" PRIx64, number);
    else if (c->letter == 'c')
        fprintf(d->out, c->text, (int)number);
    else
        fprintf(d->out, c->text, number);
    expr_free(e);
    return ok;
}

/* Returns the end of the text in quotes that begins at `at'; NULL: it has no end. */
static const char *end_of_quotes(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at : NULL;
}

void do_printf(struct debugger *d, const char *args)
{
    const char *at = args, *end = *args == '"' ? end_of_quotes(args) : NULL;
    struct conversion c;

    if (!end) {
        complain(d, *args ? "Bad format string"
                          : "Argument required (format-control string and "
                            "values to print).");
        return;
    }
    args = end + 1 + strspn(end + 1, " \t");
    for (at++; at < end;) {
        char letter[3] = {at[0], at[0] == '\\' ? at[1] : '\0', '\0'};

        if (*at == '%' && at[1] == '%') {
            fputc('%', d->out);
            at += 2;
        } else if (*at == '%') {
            if (!read_conversion(d, &at, &c) || !print_one(d, &c, &args))
                return;
        } else {
            do_echo(d, letter);
            at += letter[1] ? 2 : 1;
        }
    }
    if (*args)
        complain(d, "Wrong number of arguments for specified format-string");
}
