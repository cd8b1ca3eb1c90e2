/*
 * data.c - the commands that show values of expressions: print, output, x, display; and set.
 */
#include "debug/commands/data.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/code.h"
#include "debug/commands/commands.h"
#include "debug/commands/context.h"
#include "debug/commands/session.h"
#include "debug/lang/expr.h"

struct display {
    unsigned number;
    char *text;
    struct expr *expr;
    struct print_format format; /* letter 0: as print shows it */
    bool off;
};

struct data {
    struct print_format x; /* of the last `x': letter and size are the default of the next */
    uint64_t next;         /* where `x' continues */
    VEC_OF(struct display) displays;
    unsigned last_display;
};

void data_open(struct debugger *d)
{
    d->data = xcalloc(1, sizeof *d->data);
    d->data->x = (struct print_format){.letter = 'x', .size = 'w', .count = 1};
}

static void free_display(struct display *at)
{
    free(at->text);
    expr_free(at->expr);
}

void data_close(struct debugger *d)
{
    for (size_t i = 0; i < d->data->displays.len; i++)
        free_display(&d->data->displays.at[i]);
    VEC_FREE(&d->data->displays);
    free(d->data);
}

/* ---- formats ---- */

static bool take_letter(struct debugger *d, struct print_format *f, char letter)
{
    if (strchr("bhwg", letter)) {
        f->size = letter;
    } else if (strchr("xduotzcafsir", letter)) {
        f->letter = letter == 'r' ? f->letter : letter;
    } else {
        complain(d, "Undefined output format \"%c\".", letter);
        return false;
    }
    return true;
}

bool arg_format(struct debugger *d, const char **at, struct print_format *f)
{
    char *end;

    f->count = 1;
    if (**at != '/')
        return true;
    ++*at;
    if (**at == '-' || isdigit((unsigned char)**at)) {
        f->count = strtoll(*at, &end, 10);
        *at = end;
    }
    while (isalpha((unsigned char)**at))
        if (!take_letter(d, f, *(*at)++))
            return false;
    *at += strspn(*at, " \t");
    return true;
}

/* Reads a format for one value. */
static bool arg_plain_format(struct debugger *d, const char **at, struct print_format *f,
                             const char *command)
{
    *f = (struct print_format){.letter = 0};
    if (!arg_format(d, at, f))
        return false;
    if (f->size)
        complain(d, "Size letters are meaningless in \"%s\" command.", command);
    else if (f->count != 1)
        complain(d, "Item count other than 1 is meaningless in \"%s\" command.", command);
    else if (f->letter == 'i')
        complain(d, "Format letter \"i\" is meaningless in \"%s\" command.", command);
    else
        return true;
    return false;
}

/* ---- print ---- */

static bool evaluate_text(struct debugger *d, const char *args, struct value *v)
{
    struct expr *e;
    bool ok;

    if (!*args)
        return value_recall(d->language, false, 0, v);
    e = arg_expr(d, &args, EXPR_WHOLE, "an expression");
    if (!e)
        return false;
    ok = expr_evaluate(d->language, e, v) || complain_why(d);
    expr_free(e);
    return ok;
}

static void print_value(struct debugger *d, struct value v, struct print_format f)
{
    if (!value_print(d->language, d->out, v, f))
        fprintf(d->out, "%s", language_why(d->language));
}

/* Reads a number, or `unlimited'. */
static bool arg_limit(struct debugger *d, const char **at, unsigned *limit)
{
    uint64_t value = 0;

    if (arg_keyword(at, "unlimited")) {
        *limit = UINT32_MAX;
        return true;
    }
    if (isdigit((unsigned char)**at)) {
        char *end;

        value = strtoull(*at, &end, 10);
        *at = end + strspn(end, " \t");
    } else {
        complain(d, "integer or \"unlimited\" expected.");
        return false;
    }
    *limit = !value || value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
    return true;
}

/* Reads -pretty [on|off], -elements N and -repeats N, up to `--'. */
static bool arg_print_options(struct debugger *d, const char **at)
{
    struct print_options *o = language_options(d->language);

    while (**at == '-' && isalpha((unsigned char)(*at)[1])) {
        if (arg_keyword(at, "-pretty")) {
            o->pretty = !arg_keyword(at, "off");
            (void)arg_keyword(at, "on");
        } else if (arg_keyword(at, "-elements")) {
            if (!arg_limit(d, at, &o->elements))
                return false;
        } else if (arg_keyword(at, "-repeats")) {
            if (!arg_limit(d, at, &o->repeats))
                return false;
        } else {
            return true; /* a minus sign that belongs to the expression */
        }
    }
    (void)arg_keyword(at, "--");
    return true;
}

static void print_text_of(struct debugger *d, const char *args);

void do_print(struct debugger *d, const char *args)
{
    struct print_options before = *language_options(d->language);

    if (arg_print_options(d, &args))
        print_text_of(d, args);
    *language_options(d->language) = before;
}

static void print_text_of(struct debugger *d, const char *args)
{
    struct print_format f;
    struct value v;
    unsigned number;

    if (!arg_plain_format(d, &args, &f, "print") || !evaluate_text(d, args, &v))
        return;
    if (type_strip(language_types(d->language), v.type)->kind == TYPE_NO_DATA) {
        complain(d, "'%s' has unknown type; cast it to its declared type", args);
        return;
    }
    if (!value_record(d->language, &v, &number)) {
        complain_why(d);
        return;
    }
    fprintf(d->out, "$%u = ", number);
    print_value(d, v, f);
    fprintf(d->out, "\n");
}

void do_call(struct debugger *d, const char *args)
{
    struct print_format f;
    const char *at = args;
    struct value v;

    if (!arg_plain_format(d, &at, &f, "call") || !evaluate_text(d, at, &v))
        return;
    if (type_strip(language_types(d->language), v.type)->kind != TYPE_VOID)
        do_print(d, args);
}

void do_output(struct debugger *d, const char *args)
{
    struct print_format f;
    struct value v;

    if (arg_plain_format(d, &args, &f, "output") && evaluate_text(d, args, &v))
        print_value(d, v, f);
}

void do_echo(struct debugger *d, const char *args)
{
    static const char letters[] = "nrtabe\\", values[] = "\n\r\t\a\b\033\\";

    for (; *args; args++) {
        const char *known = *args == '\\' && args[1] ? strchr(letters, args[1]) : NULL;

        if (known)
            fputc(values[known - letters], d->out);
        else if (*args != '\\' || args[1])
            fputc(*args == '\\' ? args[1] : *args, d->out);
        args += *args == '\\' && args[1];
    }
}

/* ---- x ---- */

static unsigned unit_of(char size)
{
    return size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : 8;
}

/* Returns the unit of a letter if none was given. */
static char default_unit(char letter, char last)
{
    switch (letter) {
    case 'a': return 'g';
    case 'c':
    case 'i':
    case 's': return 'b';
    case 'f': return last == 'w' ? 'w' : 'g';
    default: return last;
    }
}

static unsigned units_in_line(const struct print_format *f)
{
    if (f->letter == 's' || f->letter == 'i')
        return 1;
    if (f->letter == 'a')
        return 2;
    return f->size == 'w' ? 4 : f->size == 'g' ? 2 : 8;
}

static void print_label(struct debugger *d, uint64_t address)
{
    fprintf(d->out, "0x%" PRIx64, address);
    print_address_name(d->language, d->out, address);
    fprintf(d->out, ":");
}

static struct type *unit_type(struct debugger *d, const struct print_format *f)
{
    static const char *const names[] = {"int8_t", "int16_t", "", "int32_t", "", "", "", "int64_t"};
    struct types *t = language_types(d->language);
    unsigned size = unit_of(f->size);

    if (f->letter == 'f' && size >= 4)
        return type_float(t, size);
    return type_builtin(t, names[size - 1]);
}

/* Sets `$_' and `$__' after `x'. */
static void remember_examined(struct debugger *d, struct value v)
{
    struct language *l = d->language;
    struct value pointer = value_of_int(l, type_pointer_to(language_types(l), v.type), v.address);

    (void)!variable_set(l, variable_number(l, "_"), pointer);
    (void)!variable_set(l, variable_number(l, "__"), v);
}

static bool print_unit(struct debugger *d, uint64_t address, struct print_format f)
{
    struct value v = value_at(unit_type(d, &f), address);

    if (f.letter == 'x')
        f.letter = 'z'; /* with leading zeroes */
    if (!value_fetch(d->language, &v))
        return complain_why(d);
    if (f.letter == 'f')
        f.letter = f.size = 0;
    value_print_inside(d->language, d->out, v, f, false);
    remember_examined(d, v);
    return true;
}

static uint64_t print_string(struct debugger *d, uint64_t address)
{
    struct print_options *o = language_options(d->language);
    uint8_t *text = xmalloc((size_t)o->elements + 1);
    size_t len = 0;
    bool readable;

    while ((readable = selected_read(d, address + len, &text[len], 1)) && text[len] &&
           len < o->elements)
        len++;
    if (!len && !readable)
        complain(d, "<error: Cannot access memory at address 0x%" PRIx64 ">", address);
    else
        print_text(d->language, d->out, text, len, readable && text[len]);
    if (len || readable)
        fprintf(d->out, "\n");
    address += len + (readable && !text[len]);
    free(text);
    return address;
}

static bool examine_line(struct debugger *d, const struct print_format *f, unsigned units,
                         uint64_t *at)
{
    unsigned size;

    if (f->letter == 'i') {
        size = print_instruction(d, *at);
        remember_examined(d, value_at(type_builtin(language_types(d->language), "int8_t"), *at));
        *at += size;
        return size != 0;
    }
    print_label(d, *at);
    if (f->letter == 's') {
        fprintf(d->out, "\t");
        *at = print_string(d, *at);
        return true;
    }
    for (; units--; *at += unit_of(f->size)) {
        fprintf(d->out, "\t");
        if (!print_unit(d, *at, *f))
            return false;
    }
    fprintf(d->out, "\n");
    return true;
}

static void examine(struct debugger *d, const struct print_format *f, uint64_t *at)
{
    int64_t left = f->count;

    if (left < 0 && f->letter == 'i') {
        uint64_t end = *at;

        left = -left;
        *at = instructions_before(d, end, (uint64_t)left);
        for (uint64_t va = *at; va < end;) {
            unsigned size = print_instruction(d, va);

            if (!size)
                return;
            va += size;
        }
        return;
    }
    if (left < 0 && f->letter != 's') {
        left = -left;
        *at -= (uint64_t)left * unit_of(f->size);
    }
    while (left > 0) {
        unsigned units = units_in_line(f);

        if ((int64_t)units > left)
            units = (unsigned)left;
        if (!examine_line(d, f, units, at))
            return;
        left -= units;
    }
}

static bool arg_examine_format(struct debugger *d, const char **args, struct print_format *f)
{
    struct print_format given = {.letter = 0};

    if (!arg_format(d, args, &given))
        return false;
    *f = given;
    f->letter = given.letter ? given.letter : d->data->x.letter;
    f->size = given.size ? given.size : default_unit(f->letter, d->data->x.size);
    return true;
}

void do_x(struct debugger *d, const char *args)
{
    struct print_format f;
    uint64_t at = d->data->next;
    bool plain = !*args;

    if (!arg_examine_format(d, &args, &f))
        return;
    if (*args && !d->repeated && (!arg_value(d, &args, "an address", &at) || !arg_end(d, args)))
        return;
    if (plain)
        f.count = d->data->x.count; /* the count of the last `x' */
    examine(d, &f, &at);
    d->data->next = at;
    d->data->x.count = f.count;
    d->data->x.letter = f.letter;
    if (f.letter != 's' && f.letter != 'i')
        d->data->x.size = f.size;
}

void data_continue_at(struct debugger *d, uint64_t address, char letter)
{
    d->data->next = address;
    d->data->x.letter = letter;
}

/* ---- display ---- */

static void show_display(struct debugger *d, struct display *at)
{
    struct print_format f = at->format;
    struct value v;
    uint64_t address;
    bool ok = expr_evaluate(d->language, at->expr, &v);

    fprintf(d->out, "%u: ", at->number);
    if (f.letter == 'i' || f.letter == 's' || f.size) {
        fprintf(d->out, "x/");
        if (f.count != 1)
            fprintf(d->out, "%" PRId64, f.count);
        fprintf(d->out, "%c%s %s\n", f.letter,
                f.size && f.letter != 'i' && f.letter != 's' ? (char[]){f.size, 0} : "", at->text);
        if (ok && value_address(d->language, v, &address))
            examine(d, &f, &address);
        else
            complain_why(d);
        return;
    }
    if (f.letter)
        fprintf(d->out, "/%c ", f.letter);
    fprintf(d->out, "%s = ", at->text);
    if (ok && value_print(d->language, d->out, v, f))
        fprintf(d->out, "\n");
    else
        fprintf(d->out, "<error: %s>\n", language_why(d->language));
}

void data_show_displays(struct debugger *d)
{
    context_command(d);
    for (size_t i = 0; i < d->data->displays.len; i++)
        if (!d->data->displays.at[i].off)
            show_display(d, &d->data->displays.at[i]);
    language_release(d->language);
}

static bool arg_display_format(struct debugger *d, const char **args, struct print_format *f)
{
    *f = (struct print_format){.letter = 0};
    if (!arg_format(d, args, f))
        return false;
    if (!f->letter && (f->size || f->count != 1))
        f->letter = 'x';
    if ((f->letter && f->count != 1) || f->letter == 'i' || f->letter == 's')
        f->size = f->size ? f->size : default_unit(f->letter, 'w');
    return true;
}

void do_display(struct debugger *d, const char *args)
{
    struct display new = {.number = 0};
    const char *text;

    if (!*args) {
        data_show_displays(d);
        return;
    }
    if (!arg_display_format(d, &args, &new.format))
        return;
    text = args;
    new.expr = arg_expr(d, &args, EXPR_WHOLE, "an expression");
    if (!new.expr)
        return;
    new.number = ++d->data->last_display;
    new.text = xstrdup(text);
    VEC_PUSH(&d->data->displays, new);
    show_display(d, &d->data->displays.at[d->data->displays.len - 1]);
}

static bool delete_display(struct debugger *d, uint64_t number)
{
    for (size_t i = 0; i < d->data->displays.len; i++)
        if (d->data->displays.at[i].number == number) {
            free_display(&d->data->displays.at[i]);
            memmove(&d->data->displays.at[i], &d->data->displays.at[i + 1],
                    (--d->data->displays.len - i) * sizeof *d->data->displays.at);
            return true;
        }
    complain(d, "Could not find display number %" PRIu64 ".", number);
    return false;
}

void do_undisplay(struct debugger *d, const char *args)
{
    uint64_t number;

    while (!*args && d->data->displays.len)
        (void)!delete_display(d, d->data->displays.at[0].number);
    while (*args)
        if (!arg_value(d, &args, "the number of a display", &number) || !delete_display(d, number))
            return;
}

void data_list_displays(struct debugger *d)
{
    if (!d->data->displays.len) {
        fprintf(d->out, "There are no auto-display expressions now.\n");
        return;
    }
    fprintf(d->out, "Auto-display expressions now in effect:\nNum Enb Expression\n");
    for (size_t i = 0; i < d->data->displays.len; i++) {
        const struct display *at = &d->data->displays.at[i];

        fprintf(d->out, "%u:   %c  ", at->number, at->off ? 'n' : 'y');
        if (at->format.size)
            fprintf(d->out, "/%" PRId64 "%c%c ", at->format.count, at->format.size,
                    at->format.letter);
        else if (at->format.letter)
            fprintf(d->out, "/%c ", at->format.letter);
        fprintf(d->out, "%s\n", at->text);
    }
}
