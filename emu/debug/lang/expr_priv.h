/*
 * expr_priv.h - the tree of an expression and its parser, for the files of expr.h:
 *
 *     expr.c           tokens and operators
 *     expr_type.c      names of types
 *     expr_operand.c   numbers, texts, names, and what is written before and after an operand
 *     expr_evaluate.c  the value of a tree
 */
#ifndef DEBUG_EXPR_PRIV_H
#define DEBUG_EXPR_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/expr.h"

/* Limit for nested operands, which recurse on the host's stack. */
enum { PARSER_DEPTH_MAX = 64 };

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

/* ---- the parser; NULL and false: language_why has the reason, but for the tokens ---- */

struct node *node_new(struct parser *p, enum node_kind kind);
/* Makes a node with these operands; NULL: there is no first operand, or no room. */
struct node *node_make(struct parser *p, enum node_kind kind, struct node *a, struct node *b);
bool parser_has_room(struct parser *p);
/* Enters a nested part; p->depth must be decremented after it if this is true. */
bool parser_enter(struct parser *p);
void *parser_syntax_error(struct parser *p); /* NULL */

void parser_skip_spaces(struct parser *p);
/* Reads the token or the word; false: the text continues otherwise. */
bool parser_take(struct parser *p, const char *token);
bool parser_take_word(struct parser *p, const char *word);
/* Copies the name that is the next token; false: there is none. */
bool parser_peek_name(struct parser *p, char name[EXPR_NAME_MAX]);
bool parser_continues_name(char c); /* whether the character can be in a name */

/* Parse all of an expression; an operand with the operators before and after it. */
struct node *parse_comma(struct parser *p);
struct node *parse_unary(struct parser *p);

/* Parses the words of a type. False: no type begins here. *type NULL: there was an error. */
bool parse_base(struct parser *p, struct type **type);
/* Parses the rest of a type: pointers, dimensions, parameters. */
struct type *parse_declarator(struct parser *p, struct type *type);

#endif
