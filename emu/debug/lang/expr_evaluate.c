/*
 * expr_evaluate.c - evaluates the tree of an expression.
 */
#include "debug/lang/expr_priv.h"
#include "debug/lang/location.h"

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
