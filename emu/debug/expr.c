/*
 * expr.c - a recursive-descent parser of expr.h that makes a tree, and the evaluation of the tree.
 */
#include "debug/expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "debug/dwarf.h"
#include "debug/location.h"

/* Limit for nested operands, which recurse on the host's stack. */
enum { DEPTH_MAX = 64, NODES_MAX = 2000 };

enum node_kind {
    NODE_CONSTANT, /* number or float_number of `type` */
    NODE_STRING,
    NODE_PLACE,    /* a variable with a fixed address, a function, a symbol */
    NODE_VARIABLE, /* of a frame */
    NODE_REGISTER,
    NODE_CONVENIENCE,
    NODE_HISTORY,
    NODE_TYPE,
    NODE_CAST,
    NODE_SIZEOF,
    NODE_NEGATE,
    NODE_PLUS,
    NODE_COMPLEMENT,
    NODE_NOT,
    NODE_DEREFERENCE,
    NODE_ADDRESS,
    NODE_MEMBER,
    NODE_INDEX,
    NODE_REPEAT,
    NODE_BINARY,
    NODE_AND,
    NODE_OR,
    NODE_CHOOSE,
    NODE_COMMA,
    NODE_ASSIGN, /* with `modifies`: a = a op b */
    NODE_STEP,   /* ++ and -- */
};

struct node {
    enum node_kind kind;
    struct node *a, *b, *c;
    struct type *type;
    uint64_t number; /* CONSTANT; PLACE: address; REGISTER, CONVENIENCE: its number; HISTORY */
    double real;     /* CONSTANT of a floating-point type */
    enum value_operator op;
    bool modifies, absolute, after; /* ASSIGN; HISTORY; STEP: x++ */
    char *text;                     /* STRING, MEMBER */
    size_t len;
    struct debug_symbol symbol; /* VARIABLE */
};

struct expr {
    struct node *root;
    VEC_OF(struct node *) nodes;
};

struct parser {
    struct language *l;
    const char *at;
    struct expr *e;
    unsigned depth;
};

static struct node *parse_comma(struct parser *p);
static struct node *parse_assignment(struct parser *p);
static struct node *parse_unary(struct parser *p);
static struct type *parse_type(struct parser *p);

static struct node *node_new(struct parser *p, enum node_kind kind)
{
    struct node *n = xcalloc(1, sizeof *n);

    n->kind = kind;
    VEC_PUSH(&p->e->nodes, n);
    return n;
}

/* Operators in sequence make a tree that is as deep as they are many. */
static bool has_room(struct parser *p)
{
    return p->e->nodes.len < NODES_MAX || language_fail(p->l, "expression is too long");
}

/* Enters a nested part; p->depth must be decremented after it if this is true. */
static bool enter(struct parser *p)
{
    if (p->depth == DEPTH_MAX)
        return language_fail(p->l, "expression is nested too deeply");
    p->depth++;
    return true;
}

static struct node *make(struct parser *p, enum node_kind kind, struct node *a, struct node *b)
{
    struct node *n;

    if (!a || !has_room(p))
        return NULL;
    n = node_new(p, kind);
    n->a = a;
    n->b = b;
    return n;
}

static void skip_spaces(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static void *syntax_error(struct parser *p)
{
    skip_spaces(p);
    language_fail(p->l, "A syntax error in expression, near `%.200s'.", p->at);
    return NULL;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool take(struct parser *p, const char *token)
{
    skip_spaces(p);
    if (strncmp(p->at, token, strlen(token)) != 0)
        return false;
    p->at += strlen(token);
    return true;
}

/* A name as the next token; false: there is none, and nothing is taken. */
static bool peek_name(struct parser *p, char name[EXPR_NAME_MAX])
{
    size_t len = 0;

    skip_spaces(p);
    if (!is_name_start(*p->at))
        return false;
    while (is_name_char(p->at[len]))
        len++;
    if (len >= EXPR_NAME_MAX)
        return false;
    memcpy(name, p->at, len);
    name[len] = '\0';
    return true;
}

static bool take_word(struct parser *p, const char *word)
{
    char name[EXPR_NAME_MAX];

    if (!peek_name(p, name) || strcmp(name, word) != 0)
        return false;
    p->at += strlen(word);
    return true;
}

/* ---- names of types ---- */

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
        if (take_word(p, known[i].word)) {
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

    if (!peek_name(p, name))
        return syntax_error(p);
    p->at += strlen(name);
    type = debug_find_type(language_debug(p->l), kind, name);
    if (!type)
        language_fail(p->l, "No %s type named %s.", word, name);
    return type;
}

static bool take_qualifier(struct parser *p, enum type_qualifier *q)
{
    if (take_word(p, "const"))
        *q = QUALIFIER_CONST;
    else if (take_word(p, "volatile"))
        *q = QUALIFIER_VOLATILE;
    else
        return false;
    return true;
}

/* A variable of the frame hides a typedef of the same name. */
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

/* Whether a type begins here; *type NULL: there was an error. */
static bool parse_base(struct parser *p, struct type **type)
{
    enum type_qualifier q[8];
    struct words w = {0};
    char name[EXPR_NAME_MAX];
    unsigned qualifiers = 0;
    bool any = false;

    *type = NULL;
    while (qualifiers < ARRAY_LEN(q) && take_qualifier(p, &q[qualifiers]))
        qualifiers++;
    if (take_word(p, "struct")) {
        *type = parse_tagged(p, TYPE_STRUCT, "struct");
    } else if (take_word(p, "union")) {
        *type = parse_tagged(p, TYPE_UNION, "union");
    } else if (take_word(p, "enum")) {
        *type = parse_tagged(p, TYPE_ENUM, "enum");
    } else {
        while (take_type_word(p, &w))
            any = true;
        if (any)
            *type = type_of_words(p, &w);
        else if (peek_name(p, name) && (*type = find_typedef(p, name)))
            p->at += strlen(name);
        else if (!qualifiers)
            return false;
        else
            (void)syntax_error(p);
    }
    while (qualifiers < ARRAY_LEN(q) && take_qualifier(p, &q[qualifiers]))
        qualifiers++;
    while (*type && qualifiers--)
        *type = type_qualified(language_types(p->l), *type, q[qualifiers]);
    return true;
}

/* Parameters in the name of a function's type, after the parenthesis. */
static struct type *parse_parameters(struct parser *p, struct type *result)
{
    struct types *t = language_types(p->l);
    struct type *function = type_function(t, result);

    if (take(p, ")"))
        return function;
    function->prototyped = true;
    do {
        struct type_field f = {.name = NULL};

        if (take(p, "...")) {
            function->variadic = true;
            break;
        }
        f.type = parse_type(p);
        if (!f.type)
            return NULL;
        if (f.type->kind != TYPE_VOID)
            VEC_PUSH(&function->fields, f);
    } while (take(p, ","));
    return take(p, ")") ? function : syntax_error(p);
}

static struct type *parse_dimensions(struct parser *p, struct type *type)
{
    struct types *t = language_types(p->l);
    uint64_t count;
    char *end;

    if (!take(p, "["))
        return type;
    skip_spaces(p);
    count = strtoull(p->at, &end, 0);
    if (end == p->at || count > VALUE_BYTES_MAX)
        return syntax_error(p);
    p->at = end;
    if (!take(p, "]"))
        return syntax_error(p);
    if (!enter(p))
        return NULL;
    type = parse_dimensions(p, type); /* the last dimension is the innermost */
    p->depth--;
    return type ? type_array_of(t, type, count) : NULL;
}

/* Pointers, (*)(...), [n] after the base. */
static struct type *parse_declarator(struct parser *p, struct type *type)
{
    struct types *t = language_types(p->l);
    enum type_qualifier q;
    unsigned stars = 0;

    while (type && take(p, "*")) {
        if (++stars > DEPTH_MAX)
            return syntax_error(p);
        type = type_pointer_to(t, type);
        while (take_qualifier(p, &q))
            type = type_qualified(t, type, q);
    }
    skip_spaces(p);
    if (type && *p->at == '(' && p->at[1 + strspn(p->at + 1, " ")] == '*') {
        stars = 0;
        p->at++;
        while (take(p, "*") && stars < DEPTH_MAX)
            stars++;
        if (!take(p, ")") || !take(p, "("))
            return syntax_error(p);
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

    if (!enter(p))
        return NULL;
    if (parse_base(p, &type))
        type = type ? parse_declarator(p, type) : NULL;
    else
        type = syntax_error(p);
    p->depth--;
    return type;
}

/* ---- operands ---- */

static struct node *constant(struct parser *p, struct type *type, uint64_t number)
{
    struct node *n = node_new(p, NODE_CONSTANT);

    n->type = type;
    n->number = number;
    return n;
}

/* The type of a number, by C's rules: a hexadecimal one may be unsigned without a suffix. */
static struct type *type_of_number(struct parser *p, uint64_t number, bool decimal, unsigned longs,
                                   bool is_unsigned)
{
    struct types *t = language_types(p->l);

    if (!longs && !is_unsigned && number <= INT32_MAX)
        return type_builtin(t, "int");
    if (!longs && (is_unsigned || !decimal) && number <= UINT32_MAX)
        return type_builtin(t, "unsigned int");
    if (!is_unsigned && number <= INT64_MAX)
        return type_builtin(t, longs > 1 ? "long long" : "long");
    return type_builtin(t, longs > 1 ? "unsigned long long" : "unsigned long");
}

static struct node *invalid_number(struct parser *p, const char *text, size_t len)
{
    language_fail(p->l, "Invalid number \"%.*s\".", (int)(len < 80 ? len : 80), text);
    return NULL;
}

static struct node *parse_real(struct parser *p, size_t len)
{
    struct node *n = node_new(p, NODE_CONSTANT);
    char *end, last;

    n->real = strtod(p->at, &end);
    last = end < p->at + len ? *end : '\0';
    if (end + (last != '\0') != p->at + len || (last && !strchr("fFlL", last)))
        return invalid_number(p, p->at, len);
    n->type = type_float(language_types(p->l), last == 'f' || last == 'F' ? 4 : 8);
    p->at += len;
    return n;
}

static unsigned digit_value(char c)
{
    return isdigit((unsigned char)c)    ? (unsigned)(c - '0')
           : isxdigit((unsigned char)c) ? (unsigned)(tolower((unsigned char)c) - 'a' + 10)
                                        : 99;
}

static struct node *parse_integer(struct parser *p, size_t len)
{
    const char *text = p->at, *at = text, *end = text + len;
    unsigned base = 10, longs = 0;
    bool is_unsigned = false;
    uint64_t number = 0;

    if (len > 1 && *at == '0') {
        base = tolower((unsigned char)at[1]) == 'x'   ? 16
               : tolower((unsigned char)at[1]) == 'b' ? 2
                                                      : 8;
        at += base == 8 ? 1 : 2;
        if (at == end)
            return invalid_number(p, text, len);
    }
    for (; at < end && digit_value(*at) < base; at++)
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, digit_value(*at), &number)) {
            language_fail(p->l, "Numeric constant too large.");
            return NULL;
        }
    for (; at < end; at++) {
        if (strchr("uU", *at) && !is_unsigned)
            is_unsigned = true;
        else if (strchr("lL", *at) && longs < 2)
            longs++;
        else
            return invalid_number(p, text, len);
    }
    p->at = end;
    return constant(p, type_of_number(p, number, base == 10, longs, is_unsigned), number);
}

static struct node *parse_number(struct parser *p)
{
    size_t len = 0;
    bool real = false, hex = p->at[0] == '0' && tolower((unsigned char)p->at[1]) == 'x';

    for (;; len++) {
        char c = p->at[len];

        if (c == '.' || (!hex && tolower((unsigned char)c) == 'e' && len))
            real = true;
        else if ((c == '+' || c == '-') && real && tolower((unsigned char)p->at[len - 1]) == 'e')
            continue;
        else if (!isalnum((unsigned char)c) && c != '_')
            break;
    }
    return real && !hex ? parse_real(p, len) : parse_integer(p, len);
}

/* One character of a literal; false: the literal ends too early. */
static bool take_char(struct parser *p, char *c)
{
    static const char escapes[] = "nrtbfave0", values[] = "\n\r\t\b\f\a\v\033";
    const char *known;
    unsigned number = 0;

    if (!*p->at)
        return false;
    *c = *p->at++;
    if (*c != '\\')
        return true;
    if (!*p->at)
        return false;
    if (*p->at >= '0' && *p->at <= '7') {
        for (unsigned i = 0; i < 3 && *p->at >= '0' && *p->at <= '7'; i++)
            number = number * 8 + (unsigned)(*p->at++ - '0');
        *c = (char)number;
    } else if (*p->at == 'x') {
        for (p->at++; isxdigit((unsigned char)*p->at); p->at++)
            number = number * 16 + digit_value(*p->at);
        *c = (char)number;
    } else {
        known = strchr(escapes, *p->at);
        *c = known && *known != '0' ? values[known - escapes] : *p->at;
        p->at++;
    }
    return true;
}

static struct node *parse_string(struct parser *p)
{
    struct node *n = node_new(p, NODE_STRING);

    p->at++;
    n->text = xcalloc(1, strlen(p->at) + 1);
    while (*p->at && *p->at != '"')
        if (!take_char(p, &n->text[n->len++]))
            break;
    if (*p->at != '"') {
        language_fail(p->l, "Unterminated string in expression.");
        return NULL;
    }
    p->at++;
    n->type =
        type_array_of(language_types(p->l), type_builtin(language_types(p->l), "char"), ++n->len);
    return n;
}

static struct node *place_node(struct parser *p, struct type *type, uint64_t address)
{
    struct node *n = node_new(p, NODE_PLACE);

    n->type = type;
    n->number = address;
    return n;
}

static struct node *plain_symbol_node(struct parser *p, const struct plain_symbol *s)
{
    struct types *t = language_types(p->l);

    return place_node(p, type_no_debug(t, s->code ? TYPE_NO_CODE : TYPE_NO_DATA), s->address);
}

static struct node *symbol_node(struct parser *p, const struct debug_symbol *s)
{
    struct node *n;

    if (s->class == DEBUG_CONSTANT)
        return constant(p, s->type, (uint64_t)s->value);
    if (s->class == DEBUG_TYPEDEF) {
        n = node_new(p, NODE_TYPE);
        n->type = s->type;
        return n;
    }
    if (s->fixed)
        return place_node(p, s->type, s->address);
    n = node_new(p, NODE_VARIABLE);
    n->type = s->type;
    n->symbol = *s;
    return n;
}

static struct node *find_name(struct parser *p, const char *name)
{
    const struct language_env *env = language_env(p->l);
    struct frame_scope f = {.pc = 0};
    struct plain_symbol plain;
    struct debug_symbol s;
    struct type *type;

    if (env->frame)
        env->frame(env->ctx, &f);
    if (debug_find(language_debug(p->l), f.canonical, f.level, name, &s))
        return symbol_node(p, &s);
    if (!env->symbol(env->ctx, name, &plain))
        return NULL;
    /* Defined where there is no debug information, but declared where there is. */
    type = debug_find_declared(language_debug(p->l), name);
    return type ? place_node(p, type, plain.address) : plain_symbol_node(p, &plain);
}

/* Symbols such as `schedule.part.0' have dots in them, which are no members. */
static struct node *parse_dotted(struct parser *p)
{
    const struct language_env *env = language_env(p->l);
    struct plain_symbol s;
    char name[EXPR_NAME_MAX];
    size_t len = 0;

    while (is_name_char(p->at[len]) || p->at[len] == '.')
        len++;
    for (; len && len < sizeof name; len--) {
        snprintf(name, sizeof name, "%.*s", (int)len, p->at);
        if (strchr(name, '.') && env->symbol(env->ctx, name, &s)) {
            p->at += len;
            return plain_symbol_node(p, &s);
        }
    }
    return NULL;
}

/* A variable of a function is where it is in the selected frame, if that is one of the function. */
static bool is_in_frame(struct parser *p, struct debug_symbol *s)
{
    const struct language_env *env = language_env(p->l);
    struct frame_scope f = {.pc = 0};

    if (s->fixed)
        return true;
    if (env->frame)
        env->frame(env->ctx, &f);
    return debug_is_in(language_debug(p->l), f.canonical, &s->die);
}

/* FUNCTION::NAME or 'FILE'::NAME, at the colons. */
static struct node *parse_scoped(struct parser *p, const char *scope)
{
    char name[EXPR_NAME_MAX];
    struct debug_symbol s;
    bool known;

    p->at += 2;
    if (!peek_name(p, name))
        return syntax_error(p);
    if (!debug_find_in(language_debug(p->l), scope, name, &s, &known)) {
        if (known)
            language_fail(p->l, "No symbol \"%s\" in specified context.", name);
        else
            language_fail(p->l, "No symbol \"%s\" in current context.", scope);
        return NULL;
    }
    if (!is_in_frame(p, &s)) {
        language_fail(p->l,
                      "`%s' is a variable of %s, which is not the selected frame's function; "
                      "`frame function %s' selects one of it.",
                      name, scope, scope);
        return NULL;
    }
    p->at += strlen(name);
    return symbol_node(p, &s);
}

static struct node *parse_name(struct parser *p)
{
    char name[EXPR_NAME_MAX];
    struct node *n;

    if (!peek_name(p, name) && *p->at != '.')
        return syntax_error(p);
    if (*p->at != '.' && !strncmp(p->at + strlen(name), "::", 2)) {
        p->at += strlen(name);
        return parse_scoped(p, name);
    }
    n = *p->at == '.' ? NULL : find_name(p, name);
    if (n)
        p->at += strlen(name);
    else
        n = parse_dotted(p);
    if (!n && *p->at == '.')
        return syntax_error(p);
    if (!n)
        language_fail(p->l, "No symbol \"%s\" in current context.", name);
    return n;
}

/* 'c', or a name in quotes. */
static struct node *parse_quoted(struct parser *p)
{
    const char *start = ++p->at, *end;
    char c, name[EXPR_NAME_MAX];
    struct node *n;

    if (*start == '\'') {
        language_fail(p->l, "Empty character constant.");
        return NULL;
    }
    if (take_char(p, &c) && *p->at == '\'') {
        p->at++;
        return constant(p, type_builtin(language_types(p->l), "char"), (uint8_t)c);
    }
    end = strchr(start, '\'');
    snprintf(name, sizeof name, "%.*s", end ? (int)(end - start) : 0, start);
    if (end && end - start < EXPR_NAME_MAX && !strncmp(end, "'::", 3)) {
        p->at = end + 1;
        return parse_scoped(p, name);
    }
    n = end && end - start < EXPR_NAME_MAX ? find_name(p, name) : NULL;
    if (!n)
        language_fail(
            p->l, end ? "No symbol \"%s\" in current context." : "Unmatched single quote.%s", name);
    p->at = end ? end + 1 : start;
    return n;
}

/* $1 $ $$ $$2 */
static struct node *parse_history(struct parser *p, const char *text, size_t len)
{
    struct node *n = node_new(p, NODE_HISTORY);
    unsigned dollars = len > 1 && text[1] == '$' ? 2 : 1;

    n->absolute = dollars == 1 && len > 1;
    n->number = len > dollars ? strtoull(text + dollars, NULL, 10) : dollars - 1;
    p->at += len;
    return n;
}

static bool is_history(const char *text, size_t len)
{
    size_t at = len > 1 && text[1] == '$' ? 2 : 1;

    for (; at < len; at++)
        if (!isdigit((unsigned char)text[at]))
            return false;
    return true;
}

static struct node *parse_dollar(struct parser *p)
{
    const struct language_env *env = language_env(p->l);
    char name[EXPR_NAME_MAX];
    struct node *n;
    size_t len = 1;
    int number;

    while (is_name_char(p->at[len]))
        len++;
    if (len >= sizeof name) {
        language_fail(p->l, "name is too long");
        return NULL;
    }
    if (is_history(p->at, len))
        return parse_history(p, p->at, len);
    snprintf(name, sizeof name, "%.*s", (int)len - 1, p->at + 1);
    p->at += len;
    number = env->find_register(env->ctx, name);
    n = node_new(p, number >= 0 ? NODE_REGISTER : NODE_CONVENIENCE);
    n->number = number >= 0 ? (unsigned)number : variable_number(p->l, name);
    return n;
}

static struct node *parse_type_node(struct parser *p, struct type *type)
{
    struct node *n;

    type = type ? parse_declarator(p, type) : NULL;
    if (!type)
        return NULL;
    n = node_new(p, NODE_TYPE);
    n->type = type;
    return n;
}

/* ( ): a cast, or an expression. */
static struct node *parse_parentheses(struct parser *p)
{
    struct type *type;
    struct node *n, *cast;

    p->at++;
    if (!parse_base(p, &type)) {
        n = parse_comma(p);
        return n && !take(p, ")") ? syntax_error(p) : n;
    }
    n = parse_type_node(p, type);
    if (!n)
        return NULL;
    if (!take(p, ")"))
        return syntax_error(p);
    skip_spaces(p);
    if (!*p->at || strchr("),]", *p->at)) /* sizeof (int), whatis (int) */
        return n;
    cast = make(p, NODE_CAST, parse_unary(p), NULL);
    if (cast)
        cast->type = n->type;
    return cast;
}

static struct node *parse_primary(struct parser *p)
{
    struct type *type;

    skip_spaces(p);
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return parse_number(p);
    switch (*p->at) {
    case '"': return parse_string(p);
    case '\'': return parse_quoted(p);
    case '$': return parse_dollar(p);
    case '(': return parse_parentheses(p);
    default: break;
    }
    if (parse_base(p, &type))
        return parse_type_node(p, type);
    return parse_name(p);
}

static struct node *parse_member(struct parser *p, struct node *of)
{
    char name[EXPR_NAME_MAX];
    struct node *n;

    if (!peek_name(p, name))
        return syntax_error(p);
    p->at += strlen(name);
    n = make(p, NODE_MEMBER, of, NULL);
    if (n)
        n->text = xstrdup(name);
    return n;
}

static struct node *step_node(struct parser *p, struct node *of, bool up, bool after)
{
    struct node *n = make(p, NODE_STEP, of, NULL);

    if (n) {
        n->op = up ? VALUE_ADD : VALUE_SUBTRACT;
        n->after = after;
    }
    return n;
}

static struct node *parse_postfix(struct parser *p)
{
    struct node *n = parse_primary(p);

    while (n) {
        skip_spaces(p);
        if (take(p, "->") || (*p->at == '.' && p->at[1] != '.' && take(p, "."))) {
            n = parse_member(p, n);
        } else if (take(p, "[")) {
            struct node *index = parse_comma(p);

            if (!index)
                return NULL;
            if (!take(p, "]"))
                return syntax_error(p);
            n = make(p, NODE_INDEX, n, index);
        } else if (take(p, "++")) {
            n = step_node(p, n, true, true);
        } else if (take(p, "--")) {
            n = step_node(p, n, false, true);
        } else if (*p->at == '(' && (n->kind == NODE_PLACE || n->kind == NODE_MEMBER)) {
            language_fail(
                p->l, "Functions of the guest are not called: that would change the run. In gdb, "
                      "`target remote' and `print' call them.");
            return NULL;
        } else {
            break;
        }
    }
    return n;
}

/* sizeof (type) ends at the parenthesis: it is no cast of what follows. */
static struct node *parse_sizeof(struct parser *p)
{
    const char *start = p->at;
    struct type *type;
    struct node *n;

    if (!take(p, "(") || !parse_base(p, &type)) {
        p->at = start;
        return parse_unary(p);
    }
    n = parse_type_node(p, type);
    return n && !take(p, ")") ? syntax_error(p) : n;
}

static struct node *parse_unary(struct parser *p)
{
    struct node *n;

    if (!enter(p))
        return NULL;
    if (take_word(p, "sizeof"))
        n = make(p, NODE_SIZEOF, parse_sizeof(p), NULL);
    else if (take(p, "++"))
        n = step_node(p, parse_unary(p), true, false);
    else if (take(p, "--"))
        n = step_node(p, parse_unary(p), false, false);
    else if (take(p, "-"))
        n = make(p, NODE_NEGATE, parse_unary(p), NULL);
    else if (take(p, "+"))
        n = make(p, NODE_PLUS, parse_unary(p), NULL);
    else if (take(p, "~"))
        n = make(p, NODE_COMPLEMENT, parse_unary(p), NULL);
    else if (take(p, "!"))
        n = make(p, NODE_NOT, parse_unary(p), NULL);
    else if (take(p, "*"))
        n = make(p, NODE_DEREFERENCE, parse_unary(p), NULL);
    else if (take(p, "&"))
        n = make(p, NODE_ADDRESS, parse_unary(p), NULL);
    else
        n = parse_postfix(p);
    p->depth--;
    return n;
}

/* ---- operators ---- */

struct operation {
    const char *text;
    enum node_kind kind;
    enum value_operator op;
    unsigned strength;
};

/* A longer operator comes before its prefixes: "||" before "|". */
static const struct operation operations[] = {
    {"||", NODE_OR, 0, 0},
    {"&&", NODE_AND, 0, 1},
    {"|", NODE_BINARY, VALUE_OR, 2},
    {"^", NODE_BINARY, VALUE_XOR, 3},
    {"&", NODE_BINARY, VALUE_AND, 4},
    {"==", NODE_BINARY, VALUE_EQUAL, 5},
    {"!=", NODE_BINARY, VALUE_DIFFERENT, 5},
    {"<<", NODE_BINARY, VALUE_LEFT, 7},
    {">>", NODE_BINARY, VALUE_RIGHT, 7},
    {"<=", NODE_BINARY, VALUE_AT_MOST, 6},
    {">=", NODE_BINARY, VALUE_AT_LEAST, 6},
    {"<", NODE_BINARY, VALUE_LESS, 6},
    {">", NODE_BINARY, VALUE_GREATER, 6},
    {"@", NODE_REPEAT, 0, 8},
    {"+", NODE_BINARY, VALUE_ADD, 9},
    {"-", NODE_BINARY, VALUE_SUBTRACT, 9},
    {"*", NODE_BINARY, VALUE_MULTIPLY, 10},
    {"/", NODE_BINARY, VALUE_DIVIDE, 10},
    {"%", NODE_BINARY, VALUE_REMAINDER, 10},
};

static const struct operation *operation_at(const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(operations); i++)
        if (!strncmp(text, operations[i].text, strlen(operations[i].text)))
            return &operations[i];
    return NULL;
}

/* += and the like are no operators here. */
static bool assigns(const struct operation *op, const char *text)
{
    return op->kind == NODE_BINARY && (op->op < VALUE_EQUAL) && text[strlen(op->text)] == '=' &&
           text[strlen(op->text) + 1] != '=';
}

/* Operands joined by operators of at least the precedence `weakest` (precedence climbing). */
static struct node *parse_binary(struct parser *p, unsigned weakest)
{
    struct node *left = parse_unary(p), *right, *n;
    const struct operation *op;

    while (left) {
        skip_spaces(p);
        op = operation_at(p->at);
        if (!op || op->strength < weakest || assigns(op, p->at))
            break;
        p->at += strlen(op->text);
        right = parse_binary(p, op->strength + 1);
        if (!right)
            return NULL;
        n = make(p, op->kind, left, right);
        if (n)
            n->op = op->op;
        left = n;
    }
    return left;
}

static struct node *parse_choice(struct parser *p)
{
    struct node *n = parse_binary(p, 0), *yes, *no;

    if (!n || !take(p, "?"))
        return n;
    yes = parse_comma(p);
    if (!yes)
        return NULL;
    if (!take(p, ":"))
        return syntax_error(p);
    no = parse_assignment(p);
    if (!no)
        return NULL;
    n = make(p, NODE_CHOOSE, n, yes);
    if (n)
        n->c = no;
    return n;
}

static struct node *parse_modification(struct parser *p)
{
    struct node *left = parse_choice(p), *right, *n;
    const struct operation *op;

    if (!left)
        return NULL;
    skip_spaces(p);
    op = operation_at(p->at);
    if (op && assigns(op, p->at))
        p->at += strlen(op->text);
    else
        op = NULL;
    if (*p->at != '=' || p->at[1] == '=')
        return left;
    p->at++;
    right = parse_assignment(p);
    n = right ? make(p, NODE_ASSIGN, left, right) : NULL;
    if (n && op) {
        n->modifies = true;
        n->op = op->op;
    }
    return n;
}

static struct node *parse_assignment(struct parser *p)
{
    struct node *n;

    if (!enter(p))
        return NULL;
    n = parse_modification(p);
    p->depth--;
    return n;
}

static struct node *parse_comma(struct parser *p)
{
    struct node *n = parse_assignment(p), *right;

    while (n && take(p, ",")) {
        right = parse_assignment(p);
        n = right ? make(p, NODE_COMMA, n, right) : NULL;
    }
    return n;
}

struct expr *expr_parse(struct language *l, const char **text, enum expr_extent extent)
{
    struct parser p = {.l = l, .at = *text, .e = xcalloc(1, sizeof(struct expr))};

    p.e->root = extent == EXPR_ARGUMENT ? parse_assignment(&p) : parse_comma(&p);
    skip_spaces(&p);
    if (p.e->root && extent == EXPR_WHOLE && *p.at)
        p.e->root = syntax_error(&p);
    if (!p.e->root) {
        expr_free(p.e);
        return NULL;
    }
    *text = p.at;
    return p.e;
}

void expr_free(struct expr *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->nodes.len; i++) {
        free(e->nodes.at[i]->text);
        free(e->nodes.at[i]);
    }
    VEC_FREE(&e->nodes);
    free(e);
}

struct type *expr_type_name(const struct expr *e)
{
    return e->root->kind == NODE_TYPE ? e->root->type : NULL;
}

/* ---- evaluation ---- */

static bool evaluate(struct language *l, const struct node *n, struct value *out);

static bool evaluate_variable(struct language *l, const struct node *n, struct value *out)
{
    struct debug_symbol s = n->symbol;

    return variable_read(l, &s, out);
}

static bool evaluate_sizeof(struct language *l, const struct node *n, struct value *out)
{
    struct types *t = language_types(l);
    struct value of = {.type = n->a->type};
    bool before = language_types_only(l, true), ok;

    ok = n->a->kind == NODE_TYPE || evaluate(l, n->a, &of);
    language_types_only(l, before);
    if (!ok)
        return false;
    if (type_strip(t, of.type)->kind == TYPE_NO_DATA)
        return language_fail(l, "a variable without debug information has unknown type; cast it to "
                                "its declared type");
    *out = value_of_int(l, type_builtin(t, "int"), type_size(t, of.type)); /* as gdb has it */
    return true;
}

static bool evaluate_truth(struct language *l, const struct node *n, bool *is_true)
{
    struct value v;

    return evaluate(l, n, &v) && value_is_true(l, v, is_true);
}

static bool evaluate_logic(struct language *l, const struct node *n, struct value *out)
{
    bool is_true;

    if (!evaluate_truth(l, n->a, &is_true))
        return false;
    if (n->kind == NODE_NOT)
        is_true = !is_true;
    else if (is_true == (n->kind == NODE_AND) && !evaluate_truth(l, n->b, &is_true))
        return false;
    *out = value_of_int(l, type_builtin(language_types(l), "int"), is_true);
    return true;
}

static bool evaluate_assignment(struct language *l, const struct node *n, struct value *out)
{
    struct value to, from, result;

    if (!evaluate(l, n->a, &to) || !evaluate(l, n->b, &from))
        return false;
    if (n->modifies) {
        if (!value_binary(l, n->op, to, from, &result))
            return false;
        from = result;
    }
    if (language_types_only_now(l)) {
        *out = to;
        return true;
    }
    return value_assign(l, to, from, out);
}

static bool evaluate_step(struct language *l, const struct node *n, struct value *out)
{
    struct value v, changed, one = value_of_int(l, type_builtin(language_types(l), "int"), 1);

    if (!evaluate(l, n->a, &v) || !value_fetch(l, &v) || !value_binary(l, n->op, v, one, &changed))
        return false;
    if (language_types_only_now(l)) {
        *out = v;
        return true;
    }
    if (!value_assign(l, v, changed, out))
        return false;
    if (n->after)
        *out = v;
    return true;
}

static bool evaluate_pair(struct language *l, const struct node *n, struct value *out)
{
    struct value a, b;

    if (!evaluate(l, n->a, &a) || !evaluate(l, n->b, &b))
        return false;
    switch (n->kind) {
    case NODE_INDEX: return value_index(l, a, b, out);
    case NODE_REPEAT: return value_repeat(l, a, b, out);
    case NODE_COMMA: *out = b; return true;
    default: return value_binary(l, n->op, a, b, out);
    }
}

static bool evaluate_one(struct language *l, const struct node *n, struct value *out)
{
    struct value a;

    if (!evaluate(l, n->a, &a))
        return false;
    switch (n->kind) {
    case NODE_CAST: return value_cast(l, n->type, a, out);
    case NODE_NEGATE: return value_negate(l, a, out);
    case NODE_COMPLEMENT: return value_complement(l, a, out);
    case NODE_DEREFERENCE: return value_dereference(l, a, out);
    case NODE_ADDRESS: return value_address_of(l, a, out);
    case NODE_MEMBER: return value_member(l, a, n->text, out);
    default: *out = a; return true;
    }
}

static bool evaluate(struct language *l, const struct node *n, struct value *out)
{
    bool is_true;

    switch (n->kind) {
    case NODE_CONSTANT:
        *out = type_strip(language_types(l), n->type)->kind == TYPE_FLOAT
                   ? value_of_float(l, n->type, n->real)
                   : value_of_int(l, n->type, n->number);
        return true;
    case NODE_STRING: *out = value_of_bytes(l, n->type, n->text, n->len); return true;
    case NODE_PLACE: *out = value_at(n->type, n->number); return true;
    case NODE_VARIABLE: return evaluate_variable(l, n, out);
    case NODE_REGISTER: *out = value_of_register(l, (unsigned)n->number); return true;
    case NODE_CONVENIENCE: *out = variable_value(l, (unsigned)n->number); return true;
    case NODE_HISTORY: return value_recall(l, n->absolute, n->number, out);
    case NODE_TYPE: return language_fail(l, "Attempt to use a type name as an expression");
    case NODE_SIZEOF: return evaluate_sizeof(l, n, out);
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT: return evaluate_logic(l, n, out);
    case NODE_CHOOSE:
        return evaluate_truth(l, n->a, &is_true) && evaluate(l, is_true ? n->b : n->c, out);
    case NODE_ASSIGN: return evaluate_assignment(l, n, out);
    case NODE_STEP: return evaluate_step(l, n, out);
    case NODE_INDEX:
    case NODE_REPEAT:
    case NODE_BINARY:
    case NODE_COMMA: return evaluate_pair(l, n, out);
    default: return evaluate_one(l, n, out);
    }
}

bool expr_evaluate(struct language *l, const struct expr *e, struct value *out)
{
    return evaluate(l, e->root, out);
}

bool expr_evaluate_type(struct language *l, const struct expr *e, struct value *out)
{
    bool before = language_types_only(l, true), ok = evaluate(l, e->root, out);

    language_types_only(l, before);
    return ok;
}
