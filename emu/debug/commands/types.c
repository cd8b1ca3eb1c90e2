/*
 * types.c - the commands that show types: ptype and whatis.
 */
#include <ctype.h>
#include <string.h>

#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/lang/expr.h"

/* Removes one level of a typedef's name, for `whatis NAME'. */
static struct type *unrolled(struct type *type)
{
    return type->kind == TYPE_TYPEDEF && type->target ? type->target : type;
}

/* How `ptype' shows a type, by its flags. */
struct type_style {
    bool whole, layout, hex;
};

/* Reads the flags /o and /x; those that gdb has for C++ change nothing. */
static bool arg_type_style(struct debugger *d, const char **at, struct type_style *style)
{
    while (**at == '/') {
        for (++*at; isalpha((unsigned char)**at); ++*at) {
            style->layout |= **at == 'o';
            style->hex |= **at == 'x';
            if (!strchr("oxdmMtTr", **at)) {
                complain(d, "unrecognized flag '%c'", **at);
                return false;
            }
        }
        *at += strspn(*at, " \t");
    }
    return true;
}

static void show_type(struct debugger *d, const char *args, struct type_style style)
{
    bool whole = style.whole;
    struct types *t = language_types(d->language);
    struct type *type;
    struct value v;
    struct expr *e;

    if (!arg_type_style(d, &args, &style))
        return;
    if (!*args) {
        (void)!value_recall(d->language, false, 0, &v);
        type = v.type;
        e = NULL;
    } else {
        e = arg_expr(d, &args, EXPR_WHOLE, "an expression or a type");
        if (!e)
            return;
        type = expr_type_name(e);
        if (type)
            type = whole ? type : unrolled(type);
        else if (expr_evaluate_type(d->language, e, &v))
            type = v.type;
        else
            complain_why(d);
        expr_free(e);
    }
    if (!type || (whole && style.layout && type_print_layout(t, d->out, type, style.hex)))
        return;
    fprintf(d->out, "type = ");
    type_print(t, d->out, whole ? type_unalias(t, type) : type, NULL, whole ? 1 : -1, 0);
    fprintf(d->out, "\n");
}

void do_ptype(struct debugger *d, const char *args)
{
    show_type(d, args, (struct type_style){.whole = true});
}

void do_whatis(struct debugger *d, const char *args)
{
    show_type(d, args, (struct type_style){.whole = false});
}
