/*
 * find.c - the command `find': searches memory for values.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/lang/expr.h"

enum { PIECE = 1 << 12 };

struct search {
    VEC_OF(uint8_t) pattern;
    uint64_t start, size;
    uint64_t most; /* matches */
    char unit;     /* b, h, w, g; 0: by the type of each value */
};

/* Reads size and number, as in `/w' and `/1'. */
static bool arg_search_format(struct debugger *d, const char **at, struct search *s)
{
    char *end;

    while (**at == '/') {
        for (++*at; **at && !isspace((unsigned char)**at) && **at != '/';) {
            if (isdigit((unsigned char)**at)) {
                s->most = strtoull(*at, &end, 10);
                *at = end;
            } else if (strchr("bhwg", **at)) {
                s->unit = *(*at)++;
            } else {
                complain(d, "Invalid size granularity.");
                return false;
            }
        }
        *at += strspn(*at, " \t");
    }
    return true;
}

static bool skip_comma(struct debugger *d, const char **at, const char *missing)
{
    if (**at != ',') {
        complain(d, "%s", missing);
        return false;
    }
    *at += 1 + strspn(*at + 1, " \t");
    return true;
}

static bool arg_argument(struct debugger *d, const char **at, struct value *v)
{
    struct expr *e = arg_expr(d, at, EXPR_ARGUMENT, "an expression");
    bool ok = e && expr_evaluate(d->language, e, v);

    if (e && !ok)
        complain_why(d);
    expr_free(e);
    return ok;
}

static bool arg_address(struct debugger *d, const char **at, uint64_t *address)
{
    struct value v;

    if (!arg_argument(d, at, &v))
        return false;
    if (value_address(d->language, v, address))
        return true;
    complain_why(d);
    return false;
}

/* Reads "START, +LENGTH" or "START, LAST". */
static bool arg_space(struct debugger *d, const char **at, struct search *s)
{
    uint64_t last;
    bool length;

    if (!arg_address(d, at, &s->start) || !skip_comma(d, at, "Missing search parameters."))
        return false;
    length = **at == '+';
    *at += length;
    if (!arg_address(d, at, &last))
        return false;
    if (!length && last < s->start) {
        complain(d, "Invalid search space, end precedes start.");
        return false;
    }
    s->size = length ? last : last - s->start + 1;
    if (length && !last)
        fprintf(d->out, "Empty search range.\n");
    return true;
}

static void add_bytes(struct search *s, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    for (size_t i = 0; i < len; i++)
        VEC_PUSH(&s->pattern, from[i]);
}

/* Adds the bytes of a value. A string counts with the NUL at its end, as in gdb. */
static bool add_value(struct debugger *d, struct search *s, struct value v)
{
    struct types *t = language_types(d->language);
    const struct type *type = type_strip(t, v.type);
    unsigned unit = s->unit == 'b' ? 1 : s->unit == 'h' ? 2 : s->unit == 'w' ? 4 : 8;
    uint64_t number;

    if (s->unit && type_is_scalar(type) && type->kind != TYPE_FLOAT) {
        if (!value_integer(d->language, v, &number))
            return false;
        add_bytes(s, &number, unit);
        return true;
    }
    if (!value_fetch(d->language, &v))
        return false;
    add_bytes(s, v.bytes, type_size(t, v.type));
    return true;
}

static bool arg_pattern(struct debugger *d, const char **at, struct search *s)
{
    struct value v;

    do {
        if (!skip_comma(d, at, "Missing search pattern.") || !arg_argument(d, at, &v))
            return false;
        if (!add_value(d, s, v)) {
            complain_why(d);
            return false;
        }
    } while (**at);
    if (!s->size || s->pattern.len <= s->size)
        return true;
    complain(d, "Search space too small to contain pattern.");
    return false;
}

/* The bytes of memory, as far as they can be read and the search goes. */
struct window {
    uint8_t *bytes;
    uint64_t start;
    size_t len, room;
};

/* Adds memory at the window's end. False: it cannot be read, or the search ends there. */
static bool extend(struct debugger *d, const struct search *s, struct window *w)
{
    uint64_t at = w->start + w->len, left = s->start + s->size - at;
    unsigned len = PIECE - (unsigned)(at % PIECE);

    if (!left)
        return false;
    if (left < len)
        len = (unsigned)left;
    if (w->room < w->len + len)
        w->bytes = xrealloc(w->bytes, w->room = w->len + PIECE);
    if (!selected_read(d, at, w->bytes + w->len, len)) {
        complain(d, "Unable to access %u bytes of target memory at 0x%" PRIx64 ", halting search.",
                 len, at);
        return false;
    }
    w->len += len;
    return true;
}

static void say_found(struct debugger *d, uint64_t address)
{
    fprintf(d->out, "0x%" PRIx64, address);
    print_address_name(d->language, d->out, address);
    fprintf(d->out, "\n");
}

/* Prints each match; returns their number, and the last one's address. */
static uint64_t search(struct debugger *d, const struct search *s, uint64_t *last)
{
    struct window w = {.start = s->start};
    uint64_t found = 0;
    size_t size = s->pattern.len;

    while (size && found < s->most && !user_interrupts(d)) {
        const uint8_t *hit = w.len >= size ? memmem(w.bytes, w.len, s->pattern.at, size) : NULL;
        size_t gone = hit ? (size_t)(hit - w.bytes) + 1 : w.len >= size ? w.len - size + 1 : 0;

        if (hit) {
            *last = w.start + gone - 1;
            say_found(d, *last);
            found++;
        }
        memmove(w.bytes, w.bytes + gone, w.len - gone);
        w.start += gone;
        w.len -= gone;
        if (!hit && !extend(d, s, &w))
            break;
    }
    free(w.bytes);
    return found;
}

static void remember(struct debugger *d, uint64_t found, uint64_t last)
{
    struct types *t = language_types(d->language);

    set_variable(d, "numfound", found);
    if (found)
        (void)!variable_set(d->language, variable_number(d->language, "_"),
                            value_of_int(d->language, type_pointer_to(t, type_void(t)), last));
}

void do_find(struct debugger *d, const char *args)
{
    struct search s = {.most = UINT64_MAX};
    uint64_t found, last = 0;

    if (!*args)
        complain(d, "Missing search parameters.");
    else if (arg_search_format(d, &args, &s) && arg_space(d, &args, &s) &&
             arg_pattern(d, &args, &s)) {
        found = s.size ? search(d, &s, &last) : 0;
        remember(d, found, last);
        if (found)
            fprintf(d->out, "%" PRIu64 " pattern%s found.\n", found, found == 1 ? "" : "s");
        else
            fprintf(d->out, "Pattern not found.\n");
    }
    VEC_FREE(&s.pattern);
}
