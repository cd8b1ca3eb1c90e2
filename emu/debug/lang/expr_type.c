/*
 * expr_type.c - parses names of types in expressions: `unsigned long *[3]', `struct task_struct',
 * typedefs.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/lang/dwarf.h"
#include "debug/lang/expr_priv.h"

static struct type *parse_type(struct parser *p);

struct words {
    unsigned is_unsigned, is_signed, is_long, is_short, is_char, is_int, is_float, is_double,
        is_bool, is_void;
};

static bool take_type_word(struct parser *p, struct words *w)
{
    static const struct {
        const char *word;
        size_t count;
    } known[] = {
        {"unsigned", offsetof(struct words, is_unsigned)},
        {"signed", offsetof(struct words, is_signed)},
        {"long", offsetof(struct words, is_long)},
        {"short", offsetof(struct words, is_short)},
        {"char", offsetof(struct words, is_char)},
        {"int", offsetof(struct words, is_int)},
        {"float", offsetof(struct words, is_float)},
        {"double", offsetof(struct words, is_double)},
        {"_Bool", offsetof(struct words, is_bool)},
        {"void", offsetof(struct words, is_void)},
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (parser_take_word(p, known[i].word)) {
            ++*(unsigned *)((char *)w + known[i].count);
            return true;
        }
    return false;
}

static struct type *type_of_words(struct parser *p, const struct words *w)
{
    struct types *t = language_types(p->l);
    const char *name = "int";

    if (w->is_void)
        name = "void";
    else if (w->is_bool)
        name = "_Bool";
    else if (w->is_float)
        name = "float";
    else if (w->is_double)
        name = "double";
    else if (w->is_char)
        name = w->is_unsigned ? "unsigned char" : w->is_signed ? "signed char" : "char";
    else if (w->is_short)
        name = w->is_unsigned ? "unsigned short" : "short";
    else if (w->is_long > 1)
        name = w->is_unsigned ? "unsigned long long" : "long long";
    else if (w->is_long)
        name = w->is_unsigned ? "unsigned long" : "long";
    else if (w->is_unsigned)
        name = "unsigned int";
    return type_builtin(t, name);
}

static struct type *parse_tagged(struct parser *p, enum type_kind kind, const char *word)
{
    char name[EXPR_NAME_MAX];
    struct type *type;

    if (!parser_peek_name(p, name))
        return parser_syntax_error(p);
    p->at += strlen(name);
    type = debug_find_type(language_debug(p->l), kind, name);
    if (!type)
        language_fail(p->l, "No %s type named %s.", word, name);
    return type;
}

static bool take_qualifier(struct parser *p, enum type_qualifier *q)
{
    if (parser_take_word(p, "const"))
        *q = QUALIFIER_CONST;
    else if (parser_take_word(p, "volatile"))
        *q = QUALIFIER_VOLATILE;
    else
        return false;
    return true;
}

/* Finds a typedef, unless a variable of the frame hides it. */
static struct type *find_typedef(struct parser *p, const char *name)
{
    const struct language_env *env = language_env(p->l);
    struct frame_scope f = {.pc = 0};
    struct debug_symbol s;

    if (env->frame)
        env->frame(env->ctx, &f);
    if (f.pc && debug_find(language_debug(p->l), f.canonical, f.level, name, &s) &&
        s.class != DEBUG_TYPEDEF)
        return NULL;
    return debug_find_type(language_debug(p->l), TYPE_TYPEDEF, name);
}

bool parse_base(struct parser *p, struct type **type)
{
    enum type_qualifier q[8];
    struct words w = {0};
    char name[EXPR_NAME_MAX];
    unsigned qualifiers = 0;
    bool any = false;

    *type = NULL;
    while (qualifiers < ARRAY_LEN(q) && take_qualifier(p, &q[qualifiers]))
        qualifiers++;
    if (parser_take_word(p, "struct")) {
        *type = parse_tagged(p, TYPE_STRUCT, "struct");
    } else if (parser_take_word(p, "union")) {
        *type = parse_tagged(p, TYPE_UNION, "union");
    } else if (parser_take_word(p, "enum")) {
        *type = parse_tagged(p, TYPE_ENUM, "enum");
    } else {
        while (take_type_word(p, &w))
            any = true;
        if (any)
            *type = type_of_words(p, &w);
        else if (parser_peek_name(p, name) && (*type = find_typedef(p, name)))
            p->at += strlen(name);
        else if (!qualifiers)
            return false;
        else
            (void)parser_syntax_error(p);
    }
    while (qualifiers < ARRAY_LEN(q) && take_qualifier(p, &q[qualifiers]))
        qualifiers++;
    while (*type && qualifiers--)
        *type = type_qualified(language_types(p->l), *type, q[qualifiers]);
    return true;
}

/* Parses parameters in the name of a function's type, after the parenthesis. */
static struct type *parse_parameters(struct parser *p, struct type *result)
{
    struct types *t = language_types(p->l);
    struct type *function = type_function(t, result);

    if (parser_take(p, ")"))
        return function;
    function->prototyped = true;
    do {
        struct type_field f = {.name = NULL};

        if (parser_take(p, "...")) {
            function->variadic = true;
            break;
        }
        f.type = parse_type(p);
        if (!f.type)
            return NULL;
        if (f.type->kind != TYPE_VOID)
            VEC_PUSH(&function->fields, f);
    } while (parser_take(p, ","));
    return parser_take(p, ")") ? function : parser_syntax_error(p);
}

static struct type *parse_dimensions(struct parser *p, struct type *type)
{
    struct types *t = language_types(p->l);
    uint64_t count;
    char *end;

    if (!parser_take(p, "["))
        return type;
    parser_skip_spaces(p);
    count = strtoull(p->at, &end, 0);
    if (end == p->at || count > VALUE_BYTES_MAX)
        return parser_syntax_error(p);
    p->at = end;
    if (!parser_take(p, "]"))
        return parser_syntax_error(p);
    if (!parser_enter(p))
        return NULL;
    type = parse_dimensions(p, type); /* the last dimension is the innermost */
    p->depth--;
    return type ? type_array_of(t, type, count) : NULL;
}

/* Parses pointers, (*)(...), [n] after the base. */
struct type *parse_declarator(struct parser *p, struct type *type)
{
    struct types *t = language_types(p->l);
    enum type_qualifier q;
    unsigned stars = 0;

    while (type && parser_take(p, "*")) {
        if (++stars > PARSER_DEPTH_MAX)
            return parser_syntax_error(p);
        type = type_pointer_to(t, type);
        while (take_qualifier(p, &q))
            type = type_qualified(t, type, q);
    }
    parser_skip_spaces(p);
    if (type && *p->at == '(' && p->at[1 + strspn(p->at + 1, " ")] == '*') {
        stars = 0;
        p->at++;
        while (parser_take(p, "*") && stars < PARSER_DEPTH_MAX)
            stars++;
        if (!parser_take(p, ")") || !parser_take(p, "("))
            return parser_syntax_error(p);
        type = parse_parameters(p, type);
        while (type && stars--)
            type = type_pointer_to(t, type);
    } else if (type && *p->at == '(') {
        p->at++;
        type = parse_parameters(p, type);
    }
    return type ? parse_dimensions(p, type) : NULL;
}

static struct type *parse_type(struct parser *p)
{
    struct type *type;

    if (!parser_enter(p))
        return NULL;
    if (parse_base(p, &type))
        type = type ? parse_declarator(p, type) : NULL;
    else
        type = parser_syntax_error(p);
    p->depth--;
    return type;
}
