/*
 * type.c - makes types, and prints them as C declares them.
 */
#include "debug/lang/type.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

/* The arithmetic types of C on RV64. The debug information has other names for some of them. */
struct builtin {
    const char *name, *dwarf_name;
    enum type_kind kind;
    unsigned size;
    bool is_signed, is_char;
};

static const struct builtin builtins[] = {
    {"char", "char", TYPE_INT, 1, false, true},
    {"signed char", "signed char", TYPE_INT, 1, true, true},
    {"unsigned char", "unsigned char", TYPE_INT, 1, false, true},
    {"short", "short int", TYPE_INT, 2, true, false},
    {"unsigned short", "short unsigned int", TYPE_INT, 2, false, false},
    {"int", "int", TYPE_INT, 4, true, false},
    {"unsigned int", "unsigned int", TYPE_INT, 4, false, false},
    {"long", "long int", TYPE_INT, 8, true, false},
    {"unsigned long", "long unsigned int", TYPE_INT, 8, false, false},
    {"long long", "long long int", TYPE_INT, 8, true, false},
    {"unsigned long long", "long long unsigned int", TYPE_INT, 8, false, false},
    {"int8_t", "int8_t", TYPE_INT, 1, true, false},
    {"int16_t", "int16_t", TYPE_INT, 2, true, false},
    {"int32_t", "int32_t", TYPE_INT, 4, true, false},
    {"int64_t", "int64_t", TYPE_INT, 8, true, false},
    {"float", "float", TYPE_FLOAT, 4, true, false},
    {"double", "double", TYPE_FLOAT, 8, true, false},
};

enum { BUILTINS = ARRAY_LEN(builtins) };

struct types {
    struct types_reader reader;
    VEC_OF(struct type *) all;
    struct type *nothing, *boolean, *no_data, *no_code;
    struct type *builtins[BUILTINS];
};

struct types *types_new(struct types_reader reader)
{
    struct types *t = xcalloc(1, sizeof *t);

    t->reader = reader;
    t->nothing = type_new(t, TYPE_VOID, "void", 1);
    t->boolean = type_new(t, TYPE_INT, "_Bool", 1);
    t->boolean->is_bool = true;
    t->no_data = type_new(t, TYPE_NO_DATA, "<data variable, no debug info>", 0);
    t->no_code = type_new(t, TYPE_NO_CODE, "<text variable, no debug info>", 1);
    return t;
}

void types_free(struct types *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->all.len; i++) {
        VEC_FREE(&t->all.at[i]->fields);
        VEC_FREE(&t->all.at[i]->values);
        free(t->all.at[i]);
    }
    VEC_FREE(&t->all);
    free(t);
}

struct type *type_new(struct types *t, enum type_kind kind, const char *name, uint64_t size)
{
    struct type *made = xcalloc(1, sizeof *made);

    made->kind = kind;
    made->name = name;
    made->size = size;
    for (size_t i = 0; name && i < ARRAY_LEN(builtins) && kind == TYPE_INT; i++)
        if (!strcmp(name, builtins[i].dwarf_name))
            made->name = builtins[i].name;
    VEC_PUSH(&t->all, made);
    return made;
}

struct type *type_void(struct types *t)
{
    return t->nothing;
}

static struct type *from_builtin(struct types *t, size_t index)
{
    const struct builtin *b = &builtins[index];
    struct type *made;

    if (t->builtins[index])
        return t->builtins[index];
    made = t->builtins[index] = type_new(t, b->kind, b->name, b->size);
    made->is_signed = b->is_signed;
    made->is_char = b->is_char;
    return made;
}

struct type *type_builtin(struct types *t, const char *name)
{
    if (!strcmp(name, "_Bool"))
        return t->boolean;
    if (!strcmp(name, "void"))
        return t->nothing;
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
        if (!strcmp(name, builtins[i].name))
            return from_builtin(t, i);
    return NULL;
}

struct type *type_int(struct types *t, unsigned size, bool is_signed)
{
    switch (size) {
    case 1: return type_builtin(t, is_signed ? "signed char" : "unsigned char");
    case 2: return type_builtin(t, is_signed ? "short" : "unsigned short");
    case 4: return type_builtin(t, is_signed ? "int" : "unsigned int");
    default: return type_builtin(t, is_signed ? "long" : "unsigned long");
    }
}

struct type *type_float(struct types *t, unsigned size)
{
    return type_builtin(t, size == 4 ? "float" : "double");
}

struct type *type_no_debug(struct types *t, enum type_kind kind)
{
    return kind == TYPE_NO_CODE ? t->no_code : t->no_data;
}

struct type *type_pointer_to(struct types *t, struct type *target)
{
    if (!target->pointer) {
        target->pointer = type_new(t, TYPE_POINTER, NULL, 8);
        target->pointer->target = target;
    }
    return target->pointer;
}

struct type *type_array_of(struct types *t, struct type *element, uint64_t count)
{
    struct type *made = type_new(t, TYPE_ARRAY, NULL, 0);

    made->target = element;
    made->count = count;
    made->bounded = true;
    if (__builtin_mul_overflow(count, type_size(t, element), &made->size))
        made->size = UINT64_MAX;
    return made;
}

struct type *type_function(struct types *t, struct type *result)
{
    struct type *made = type_new(t, TYPE_FUNCTION, NULL, 1);

    made->target = result;
    return made;
}

struct type *type_qualified(struct types *t, struct type *of, enum type_qualifier qualifier)
{
    struct type *made = type_new(t, TYPE_QUALIFIED, NULL, of->size);

    made->target = of;
    made->qualifier = qualifier;
    return made;
}

/* ---- properties of types ---- */

static struct type *completed(struct types *t, struct type *type)
{
    struct type *whole = NULL;

    if (type->declared && type->name && t->reader.complete)
        whole = t->reader.complete(t->reader.ctx, type->kind, type->name);
    if (whole)
        type = whole;
    if (!type->filled && type->origin) {
        type->filled = true; /* set first, for types that contain pointers to themselves */
        t->reader.fill(t->reader.ctx, type);
    }
    return type;
}

struct type *type_strip(struct types *t, struct type *type)
{
    while (type && (type->kind == TYPE_TYPEDEF || type->kind == TYPE_QUALIFIED))
        type = type->target;
    return type ? completed(t, type) : t->nothing;
}

struct type *type_unalias(struct types *t, struct type *type)
{
    while (type && type->kind == TYPE_TYPEDEF)
        type = type->target;
    if (type && type->kind == TYPE_QUALIFIED && type->target) {
        struct type *inner = type_unalias(t, type->target);

        return inner == type->target ? type : type_qualified(t, inner, type->qualifier);
    }
    return type ? completed(t, type) : t->nothing;
}

uint64_t type_size(struct types *t, struct type *type)
{
    type = type_strip(t, type);
    if (type->kind == TYPE_ARRAY && !type->size) {
        uint64_t size;

        return __builtin_mul_overflow(type->count, type_size(t, type->target), &size) ? UINT64_MAX
                                                                                      : size;
    }
    return type->size;
}

bool type_is_integer(const struct type *stripped)
{
    return stripped->kind == TYPE_INT || stripped->kind == TYPE_ENUM;
}

bool type_is_scalar(const struct type *stripped)
{
    return type_is_integer(stripped) || stripped->kind == TYPE_POINTER ||
           stripped->kind == TYPE_FLOAT;
}

/* Whether the type is char, as gdb sees it: typedefs of char, such as u8, are numbers. */
bool type_is_text(struct types *t, struct type *type)
{
    const struct type *stripped = type_strip(t, type);

    return stripped->kind == TYPE_INT && stripped->is_char;
}

/* ---- declarations in C ---- */

static void print_margin(FILE *out, unsigned indent)
{
    fprintf(out, "%*s", (int)indent, "");
}

static const char *const qualifier_names[] = {
    [QUALIFIER_CONST] = "const",
    [QUALIFIER_VOLATILE] = "volatile",
    [QUALIFIER_RESTRICT] = "restrict",
    [QUALIFIER_ATOMIC] = "_Atomic",
};

/* Whether `type` is written after a name in parentheses: (*name)(...), (*name)[...]. */
static bool is_declared_inside(const struct type *type)
{
    while (type && type->kind == TYPE_QUALIFIED)
        type = type->target;
    return type && (type->kind == TYPE_FUNCTION || type->kind == TYPE_ARRAY);
}

/* Returns the type that the declaration begins with: without pointers, arrays and functions. */
static struct type *base_of(struct types *t, struct type *type)
{
    while (type) {
        switch (type->kind) {
        case TYPE_POINTER:
        case TYPE_ARRAY:
        case TYPE_FUNCTION: type = type->target; continue;
        case TYPE_QUALIFIED: {
            const struct type *in = type->target;

            while (in && in->kind == TYPE_QUALIFIED)
                in = in->target;
            if (in && (in->kind == TYPE_POINTER || in->kind == TYPE_ARRAY)) {
                type = type->target;
                continue;
            }
            return type;
        }
        default: return type;
        }
    }
    return t->nothing;
}

static void print_prefix(struct types *t, FILE *out, const struct type *type, bool *spaced)
{
    if (!type)
        return;
    switch (type->kind) {
    case TYPE_POINTER:
        print_prefix(t, out, type->target, spaced);
        if (!*spaced)
            fputc(' ', out);
        *spaced = true;
        fputs(is_declared_inside(type->target) ? "(*" : "*", out);
        break;
    case TYPE_ARRAY:
    case TYPE_FUNCTION: print_prefix(t, out, type->target, spaced); break;
    case TYPE_QUALIFIED:
        print_prefix(t, out, type->target, spaced);
        if (*spaced) {
            fprintf(out, " %s", qualifier_names[type->qualifier]);
            *spaced = false;
        }
        break;
    default: break;
    }
}

static void print_parameters(struct types *t, FILE *out, struct type *f)
{
    fputc('(', out);
    f = type_strip(t, f);
    for (size_t i = 0; i < f->fields.len; i++) {
        if (i)
            fputs(", ", out);
        type_print(t, out, f->fields.at[i].type, NULL, 0, 0);
    }
    if (f->variadic)
        fputs(f->fields.len ? ", ..." : "...", out);
    else if (!f->fields.len && f->prototyped)
        fputs("void", out);
    fputc(')', out);
}

static void print_suffix(struct types *t, FILE *out, struct type *type, bool pointed)
{
    if (!type)
        return;
    switch (type->kind) {
    case TYPE_POINTER: print_suffix(t, out, type->target, true); break;
    case TYPE_QUALIFIED: print_suffix(t, out, type->target, pointed); break;
    case TYPE_ARRAY:
        if (pointed)
            fputc(')', out);
        fputc('[', out);
        if (type->bounded)
            fprintf(out, "%" PRIu64, type->count);
        fputc(']', out);
        print_suffix(t, out, type->target, false);
        break;
    case TYPE_FUNCTION:
        if (pointed)
            fputc(')', out);
        print_parameters(t, out, type);
        print_suffix(t, out, type->target, false);
        break;
    default: break;
    }
}

static void print_members(struct types *t, FILE *out, struct type *s, int show, unsigned indent)
{
    if (!s->fields.len)
        fprintf(out, "%*s%s\n", (int)indent + 4, "", "<no data fields>");
    for (size_t i = 0; i < s->fields.len; i++) {
        const struct type_field *f = &s->fields.at[i];

        print_margin(out, indent + 4);
        type_print(t, out, f->type, f->name, show - 1, indent + 4);
        if (f->bit_size)
            fprintf(out, " : %u", f->bit_size);
        fputs(";\n", out);
    }
    print_margin(out, indent);
    fputc('}', out);
}

static void print_enumerators(FILE *out, const struct type *e)
{
    int64_t next = 0;

    for (size_t i = 0; i < e->values.len; i++) {
        fprintf(out, "%s%s", i ? ", " : "", e->values.at[i].name);
        if (e->values.at[i].value != next)
            fprintf(out, " = %" PRId64, e->values.at[i].value);
        next = e->values.at[i].value + 1;
    }
    fputc('}', out);
}

static void print_tagged(struct types *t, FILE *out, struct type *type, int show, unsigned indent)
{
    fputs(type->kind == TYPE_ENUM ? "enum " : type->kind == TYPE_UNION ? "union " : "struct ", out);
    if (type->name) {
        fputs(type->name, out);
        if (show > 0)
            fputc(' ', out);
    }
    if (show < 0 && !type->name) {
        fputs("{...}", out);
    } else if (show > 0 || !type->name) {
        type = completed(t, type);
        fputs(type->kind == TYPE_ENUM ? "{" : "{\n", out);
        if (type->kind == TYPE_ENUM)
            print_enumerators(out, type);
        else if (type->declared)
            fprintf(out, "%*s%s\n%*s}", (int)indent + 4, "", "<incomplete type>", (int)indent, "");
        else
            print_members(t, out, type, show, indent);
    }
}

/* Prints the qualifiers in the order of the enum. */
static void print_qualifiers(FILE *out, const struct type *type)
{
    bool has[ARRAY_LEN(qualifier_names)] = {false};

    for (; type && type->kind == TYPE_QUALIFIED; type = type->target)
        has[type->qualifier] = true;
    for (size_t i = 0; i < ARRAY_LEN(has); i++)
        if (has[i] && i != QUALIFIER_RESTRICT)
            fprintf(out, "%s ", qualifier_names[i]);
}

static void print_base(struct types *t, FILE *out, struct type *type, int show, unsigned indent)
{
    switch (type->kind) {
    case TYPE_QUALIFIED:
        print_qualifiers(out, type);
        while (type && type->kind == TYPE_QUALIFIED)
            type = type->target;
        print_base(t, out, type ? type : t->nothing, show, indent);
        break;
    case TYPE_STRUCT:
    case TYPE_UNION:
    case TYPE_ENUM: print_tagged(t, out, type, show, indent); break;
    case TYPE_TYPEDEF:
        if (show > 0 && type->target) {
            print_base(t, out, type->target, show, indent);
            break;
        }
        fputs(type->name ? type->name : "<unknown type>", out);
        break;
    default: fputs(type->name ? type->name : "<unknown type>", out); break;
    }
}

void type_print(struct types *t, FILE *out, struct type *type, const char *name, int show,
                unsigned indent)
{
    bool spaced = false, derived;

    if (!type)
        type = t->nothing;
    derived = base_of(t, type) != type;
    print_base(t, out, base_of(t, type), show, indent);
    if (derived && !name && (type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION)) {
        /* `int [3]', `void (void)', but `char *[3]' */
        print_prefix(t, out, type, &spaced);
        if (!spaced)
            fputc(' ', out);
    } else {
        print_prefix(t, out, type, &spaced);
    }
    if (name)
        fprintf(out, "%s%s", spaced ? "" : " ", name);
    print_suffix(t, out, type, false);
}
