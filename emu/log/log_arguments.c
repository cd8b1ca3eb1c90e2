/*
 * log_arguments.c - arguments and results of calls as text (log_read.h).
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/log_read.h"
#include "log/log_read_priv.h"

enum { BYTES = 8 };

const struct log_prototype *log_prototype(const struct log *l, uint32_t site)
{
    uint32_t index = site < l->prototype_of.len ? l->prototype_of.at[site] : 0;

    return index ? &l->prototypes.at[index - 1] : NULL;
}

/* The value without the bits that its type does not have. */
static uint64_t narrow(const struct log_type *type, uint64_t value)
{
    unsigned bits = type->size < BYTES ? 8 * type->size : 64;

    if (!bits || bits == 64)
        return value;
    value <<= 64 - bits;
    return type->kind == LOG_SIGNED ? (uint64_t)((int64_t)value >> (64 - bits))
                                    : value >> (64 - bits);
}

/* ---- kinds ---- */

static void print_number(const struct log *l, const struct log_type *type, uint64_t value,
                         char text[LOG_VALUE_MAX])
{
    if (type->enumeration < l->enumerations.len) {
        const struct log_enumeration *e = &l->enumerations.at[type->enumeration];

        for (size_t i = 0; i < e->values.len; i++)
            if (narrow(type, e->values.at[i].value) == value &&
                log_string(l, e->values.at[i].name)) {
                snprintf(text, LOG_VALUE_MAX, "%s", log_string(l, e->values.at[i].name));
                return;
            }
    }
    if (type->kind == LOG_SIGNED)
        snprintf(text, LOG_VALUE_MAX, "%" PRId64, (int64_t)value);
    else
        snprintf(text, LOG_VALUE_MAX, "%" PRIu64, value);
}

/* The name of a function that begins there, or the number. */
static void print_pointer(const struct log *l, uint64_t value, char text[LOG_VALUE_MAX])
{
    const struct log_symbol *s = value ? log_symbol_at(l, value) : NULL;

    if (s && s->function && s->start == value)
        snprintf(text, LOG_VALUE_MAX, "%s", s->name);
    else if (value)
        snprintf(text, LOG_VALUE_MAX, "0x%" PRIx64, value);
    else
        snprintf(text, LOG_VALUE_MAX, "NULL");
}

static void print_string(const struct log_text *t, char text[LOG_VALUE_MAX])
{
    int len = snprintf(text, LOG_VALUE_MAX, "\"");

    for (unsigned i = 0; i < t->len; i++) {
        unsigned char c = (unsigned char)t->bytes[i];
        const char *format = "%c";

        if (c == '"' || c == '\\')
            format = "\\%c";
        else if (!isprint(c))
            format = "\\%03o";
        len += snprintf(text + len, (size_t)(LOG_VALUE_MAX - len), format, c);
    }
    snprintf(text + len, (size_t)(LOG_VALUE_MAX - len), "\"%s", t->cut ? "..." : "");
}

static void print_float(const struct log_type *type, uint64_t value, char text[LOG_VALUE_MAX])
{
    float single;
    double whole;

    memcpy(&single, &value, sizeof single);
    memcpy(&whole, &value, sizeof whole);
    snprintf(text, LOG_VALUE_MAX, "%g", type->size == sizeof single ? (double)single : whole);
}

/* The text of the value with this number; NULL: it is no string, or could not be read. */
static const struct log_text *text_of(const struct log_values *values, unsigned number)
{
    unsigned before = (unsigned)__builtin_popcount(values->texts & ((1U << number) - 1));

    return values->texts >> number & 1 && values->text[before].known ? &values->text[before] : NULL;
}

/* Values from `first' on, as many as the parameter has; values: may be NULL. */
static void print_value(const struct log *l, const struct log_parameter *p,
                        const struct log_values *values, unsigned first, char text[LOG_VALUE_MAX])
{
    uint64_t value;

    if (!values || !p->values || first + p->values > values->count) {
        snprintf(text, LOG_VALUE_MAX, "?");
        return;
    }
    value = narrow(&p->type, values->at[first]);
    if (p->values > 1)
        snprintf(text, LOG_VALUE_MAX, "{0x%" PRIx64 ", 0x%" PRIx64 "}", values->at[first],
                 values->at[first + 1]);
    else if (p->type.kind == LOG_TEXT && text_of(values, first))
        print_string(text_of(values, first), text);
    else if (p->type.kind == LOG_POINTER || p->type.kind == LOG_TEXT)
        print_pointer(l, value, text);
    else if (p->type.kind == LOG_AGGREGATE)
        snprintf(text, LOG_VALUE_MAX, "{0x%" PRIx64 "}", value);
    else if (p->type.kind == LOG_BOOL)
        snprintf(text, LOG_VALUE_MAX, "%s", value ? "true" : "false");
    else if (p->type.kind == LOG_FLOAT)
        print_float(&p->type, value, text);
    else
        print_number(l, &p->type, value, text);
}

/* ---- arguments ---- */

static const struct log_prototype *prototype_of(const struct log *l, const struct log_call *c)
{
    return c->kind == LOG_FUNCTION ? log_prototype(l, c->site) : NULL;
}

unsigned log_argument_count(const struct log *l, const struct log_call *c)
{
    const struct log_prototype *p = prototype_of(l, c);

    return p ? p->count : 0;
}

const char *log_parameter_name(const struct log *l, const struct log_call *c, unsigned number,
                               char text[LOG_VALUE_MAX])
{
    const char *name = log_string(l, prototype_of(l, c)->parameters[number].name);

    snprintf(text, LOG_VALUE_MAX, "arg%u", number + 1);
    return name ? name : text;
}

const char *log_argument(const struct log *l, const struct log_call *c,
                         const struct log_values *values, unsigned number, char text[LOG_VALUE_MAX])
{
    const struct log_prototype *p = prototype_of(l, c);
    unsigned first = 0;

    for (unsigned i = 0; i < number; i++)
        first += p->parameters[i].values;
    print_value(l, &p->parameters[number], values, first, text);
    return text;
}

const char *log_arguments(const struct log *l, const struct log_call *c,
                          const struct log_values *values, char text[LOG_ARGUMENTS_MAX])
{
    unsigned count = log_argument_count(l, c);
    char name[LOG_VALUE_MAX], value[LOG_VALUE_MAX];
    size_t len = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < count && len < LOG_ARGUMENTS_MAX; i++)
        len += (size_t)snprintf(text + len, LOG_ARGUMENTS_MAX - len, "%s%.60s=%s", i ? ", " : "",
                                log_parameter_name(l, c, i, name),
                                log_argument(l, c, values, i, value));
    if (count && prototype_of(l, c)->variadic && len < LOG_ARGUMENTS_MAX)
        snprintf(text + len, LOG_ARGUMENTS_MAX - len, ", ...");
    return text;
}

const char *log_result(const struct log *l, const struct log_call *c,
                       const struct log_values *values, char text[LOG_VALUE_MAX])
{
    const struct log_prototype *p = prototype_of(l, c);

    if (!p || !values || p->result.type.kind == LOG_VOID || !p->result.values)
        return NULL;
    print_value(l, &p->result, values, 0, text);
    return text;
}
