/*
 * language.c - what outlives a command, which is the history of values and the variables; and the
 * memory of the present command (value.h).
 */
#include "debug/lang/value_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

struct block {
    struct block *next;
    uint64_t bytes[]; /* aligned for everything that is kept here */
};

struct variable {
    char *name;
    struct value value; /* with bytes that belong to the variable */
};

struct language {
    struct language_env env;
    struct debug_info *info;
    struct block *blocks;
    VEC_OF(struct value) history; /* with bytes that belong to the history */
    VEC_OF(struct variable) variables;
    struct type *code_pointer; /* of registers such as pc; made when needed */
    struct type *vector;       /* of vector registers; made when needed */
    bool types_only;
    struct print_options options;
    char why[LANGUAGE_WHY_MAX];
};

struct language *language_new(const struct language_env *env, struct debug_info *info)
{
    struct language *l = xcalloc(1, sizeof *l);

    l->env = *env;
    l->info = info;
    l->options = (struct print_options){.elements = 200, .repeats = 10};
    return l;
}

struct print_options *language_options(struct language *l)
{
    return &l->options;
}

void language_free(struct language *l)
{
    if (!l)
        return;
    language_release(l);
    for (size_t i = 0; i < l->history.len; i++)
        free((void *)(uintptr_t)l->history.at[i].bytes);
    for (size_t i = 0; i < l->variables.len; i++) {
        free((void *)(uintptr_t)l->variables.at[i].value.bytes);
        free(l->variables.at[i].name);
    }
    VEC_FREE(&l->history);
    VEC_FREE(&l->variables);
    free(l);
}

const struct language_env *language_env(const struct language *l)
{
    return &l->env;
}

struct debug_info *language_debug(const struct language *l)
{
    return l->info;
}

struct types *language_types(const struct language *l)
{
    return debug_types(l->info);
}

const char *language_why(const struct language *l)
{
    return l->why;
}

bool language_fail(struct language *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(l->why, sizeof l->why, format, args);
    va_end(args);
    return false;
}

void *language_alloc(struct language *l, size_t size)
{
    struct block *b = xcalloc(1, sizeof *b + size);

    b->next = l->blocks;
    l->blocks = b;
    return b->bytes;
}

void language_release(struct language *l)
{
    struct block *b;

    while ((b = l->blocks)) {
        l->blocks = b->next;
        free(b);
    }
}

bool language_types_only(struct language *l, bool on)
{
    bool before = l->types_only;

    l->types_only = on;
    return before;
}

bool language_types_only_now(const struct language *l)
{
    return l->types_only;
}

struct type *language_code_pointer(struct language *l)
{
    struct types *t = language_types(l);

    if (!l->code_pointer)
        l->code_pointer = type_pointer_to(t, type_function(t, type_void(t)));
    return l->code_pointer;
}

struct type *language_vector_type(struct language *l, unsigned bytes)
{
    static const char *const names[] = {"u8", "u16", "u32", "u64", "f32", "f64"};
    struct types *t = language_types(l);
    struct type *elements[] = {type_new(t, TYPE_INT, "uint8_t", 1),
                               type_int(t, 2, false),
                               type_int(t, 4, false),
                               type_int(t, 8, false),
                               type_float(t, 4),
                               type_float(t, 8)};

    if (l->vector)
        return l->vector;
    l->vector = type_new(t, TYPE_UNION, "vector_register", bytes);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct type_field f = {
            .name = names[i], .type = type_array_of(t, elements[i], bytes / elements[i]->size)};

        VEC_PUSH(&l->vector->fields, f);
    }
    return l->vector;
}

/* ---- history and variables ---- */

/* Gives the value bytes of its own in place of those of the command. */
static bool keep(struct language *l, struct value *v)
{
    uint8_t *bytes;

    if (v->lost || value_strip(l, v->type)->kind == TYPE_VOID ||
        value_strip(l, v->type)->kind == TYPE_FUNCTION ||
        value_strip(l, v->type)->kind == TYPE_NO_CODE) {
        v->bytes = NULL;
        return true;
    }
    if (!value_fetch(l, v))
        return false;
    bytes = xcalloc(1, v->size + 8);
    memcpy(bytes, v->bytes, v->size);
    v->bytes = bytes;
    return true;
}

bool value_record(struct language *l, struct value *v, unsigned *number)
{
    struct value kept = *v;

    if (!keep(l, &kept))
        return false;
    v->bytes = kept.bytes;
    v->size = kept.size;
    VEC_PUSH(&l->history, kept);
    *number = (unsigned)l->history.len;
    return true;
}

unsigned value_history_count(const struct language *l)
{
    return (unsigned)l->history.len;
}

bool value_recall(struct language *l, bool absolute, uint64_t number, struct value *out)
{
    uint64_t last = l->history.len, at = absolute ? number : last - number;

    if (!last || (!absolute && number >= last)) {
        *out = (struct value){.type = type_void(language_types(l))};
        return true;
    }
    if (!at || at > last)
        return language_fail(l, "History has not yet reached $%" PRIu64 ".", at);
    *out = l->history.at[at - 1];
    return true;
}

unsigned variable_number(struct language *l, const char *name)
{
    for (size_t i = 0; i < l->variables.len; i++)
        if (!strcmp(l->variables.at[i].name, name))
            return (unsigned)i;
    VEC_PUSH(&l->variables,
             ((struct variable){xstrdup(name), {.type = type_void(language_types(l))}}));
    return (unsigned)l->variables.len - 1;
}

struct value variable_value(struct language *l, unsigned number)
{
    struct value v = l->variables.at[number].value;

    if (v.bytes) /* a copy: an assignment must not change a value in use */
        v = value_of_bytes(l, v.type, v.bytes, v.size);
    v.place = VALUE_IN_VARIABLE;
    v.number = number;
    return v;
}

bool variable_set(struct language *l, unsigned number, struct value v)
{
    struct value *kept = &l->variables.at[number].value;
    uint64_t bits;

    if (v.bit_size && value_integer(l, v, &bits))
        v = value_of_int(l, v.type, bits);
    if (!keep(l, &v))
        return false;
    free((void *)(uintptr_t)kept->bytes);
    if (v.place != VALUE_IN_MEMORY || v.bytes) { /* a function stays where it is */
        v.place = VALUE_COMPUTED;
        v.offset = 0;
    }
    *kept = v;
    return true;
}

void variables_each(struct language *l, void (*found)(void *ctx, const char *name, struct value v),
                    void *ctx)
{
    for (size_t i = l->variables.len; i-- > 0;)
        if (value_strip(l, l->variables.at[i].value.type)->kind != TYPE_VOID)
            found(ctx, l->variables.at[i].name, variable_value(l, (unsigned)i));
}
