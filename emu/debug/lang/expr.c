/*
 * expr.c - a recursive-descent parser of expr.h that makes a tree: its tokens, and the operators.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/lang/expr_priv.h"

enum { NODES_MAX = 2000 };

static struct node *parse_assignment(struct parser *p);

struct node *node_new(struct parser *p, enum node_kind kind)
{
    struct node *n = xcalloc(1, sizeof *n);

    n->kind = kind;
    VEC_PUSH(&p->e->nodes, n);
    return n;
}

/* Whether another operator fits: n operators in sequence make a tree of depth n. */
bool parser_has_room(struct parser *p)
{
    return p->e->nodes.len < NODES_MAX || language_fail(p->l, "expression is too long");
}

/* Enters a nested part; p->depth must be decremented after it if this is true. */
bool parser_enter(struct parser *p)
{
    if (p->depth == PARSER_DEPTH_MAX)
        return language_fail(p->l, "expression is nested too deeply");
    p->depth++;
    return true;
}

struct node *node_make(struct parser *p, enum node_kind kind, struct node *a, struct node *b)
{
    struct node *n;

    if (!a || !parser_has_room(p))
        return NULL;
    n = node_new(p, kind);
    n->a = a;
    n->b = b;
    return n;
}

void parser_skip_spaces(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

void *parser_syntax_error(struct parser *p)
{
    parser_skip_spaces(p);
    language_fail(p->l, "A syntax error in expression, near `%.200s'.", p->at);
    return NULL;
}

static bool parser_starts_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

bool parser_continues_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool parser_take(struct parser *p, const char *token)
{
    parser_skip_spaces(p);
    if (strncmp(p->at, token, strlen(token)) != 0)
        return false;
    p->at += strlen(token);
    return true;
}

/* Copies the name that is the next token; false: there is none. */
bool parser_peek_name(struct parser *p, char name[EXPR_NAME_MAX])
{
    size_t len = 0;

    parser_skip_spaces(p);
    if (!parser_starts_name(*p->at))
        return false;
    while (parser_continues_name(p->at[len]))
        len++;
    if (len >= EXPR_NAME_MAX)
        return false;
    memcpy(name, p->at, len);
    name[len] = '\0';
    return true;
}

bool parser_take_word(struct parser *p, const char *word)
{
    char name[EXPR_NAME_MAX];

    if (!parser_peek_name(p, name) || strcmp(name, word) != 0)
        return false;
    p->at += strlen(word);
    return true;
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

/* Whether the text is an assignment such as +=, and not the operator. */
static bool assigns(const struct operation *op, const char *text)
{
    return op->kind == NODE_BINARY && (op->op < VALUE_EQUAL) && text[strlen(op->text)] == '=' &&
           text[strlen(op->text) + 1] != '=';
}

/*
 * Parses operands joined by operators of at least the precedence `weakest` (precedence climbing).
 */
static struct node *parse_binary(struct parser *p, unsigned weakest)
{
    struct node *left = parse_unary(p), *right, *n;
    const struct operation *op;

    while (left) {
        parser_skip_spaces(p);
        op = operation_at(p->at);
        if (!op || op->strength < weakest || assigns(op, p->at))
            break;
        p->at += strlen(op->text);
        right = parse_binary(p, op->strength + 1);
        if (!right)
            return NULL;
        n = node_make(p, op->kind, left, right);
        if (n)
            n->op = op->op;
        left = n;
    }
    return left;
}

static struct node *parse_choice(struct parser *p)
{
    struct node *n = parse_binary(p, 0), *yes, *no;

    if (!n || !parser_take(p, "?"))
        return n;
    yes = parse_comma(p);
    if (!yes)
        return NULL;
    if (!parser_take(p, ":"))
        return parser_syntax_error(p);
    no = parse_assignment(p);
    if (!no)
        return NULL;
    n = node_make(p, NODE_CHOOSE, n, yes);
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
    parser_skip_spaces(p);
    op = operation_at(p->at);
    if (op && assigns(op, p->at))
        p->at += strlen(op->text);
    else
        op = NULL;
    if (*p->at != '=' || p->at[1] == '=')
        return left;
    p->at++;
    right = parse_assignment(p);
    n = right ? node_make(p, NODE_ASSIGN, left, right) : NULL;
    if (n && op) {
        n->modifies = true;
        n->op = op->op;
    }
    return n;
}

static struct node *parse_assignment(struct parser *p)
{
    struct node *n;

    if (!parser_enter(p))
        return NULL;
    n = parse_modification(p);
    p->depth--;
    return n;
}

struct node *parse_comma(struct parser *p)
{
    struct node *n = parse_assignment(p), *right;

    while (n && parser_take(p, ",")) {
        right = parse_assignment(p);
        n = right ? node_make(p, NODE_COMMA, n, right) : NULL;
    }
    return n;
}

struct expr *expr_parse(struct language *l, const char **text, enum expr_extent extent)
{
    struct parser p = {.l = l, .at = *text, .e = xcalloc(1, sizeof(struct expr))};

    p.e->root = extent == EXPR_ARGUMENT ? parse_assignment(&p) : parse_comma(&p);
    parser_skip_spaces(&p);
    if (p.e->root && extent == EXPR_WHOLE && *p.at)
        p.e->root = parser_syntax_error(&p);
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
