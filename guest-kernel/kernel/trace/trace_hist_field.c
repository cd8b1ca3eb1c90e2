/*
 * trace_hist_field.c - fields of hist triggers: fields of entries, variables, numbers, and what is
 * computed of them.
 *
 * An expression is split at its last operator of the lowest precedence, and its parts are parsed in
 * the same way, so that operators of one precedence are applied from left to right.
 *
 * Not instrumented.
 */
#include "trace_hist.h"
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/smp.h>

/* ---- memory, errors ---- */

#define C(error, text) text,
static const char *const error_texts[] = {HIST_ERRORS};
#undef C

static char *last_cmd; /* NULL: there was no memory for it */
static char last_cmd_loc[HIST_STR_MAX];

void *hist_alloc(struct hist_trigger_data *hist, size_t size)
{
    struct hist_chunk *chunk = kzalloc(sizeof(*chunk) + size);

    if (!chunk) {
        hist->err = -ENOMEM;
        return NULL;
    }
    chunk->next = hist->chunks;
    hist->chunks = chunk;
    return chunk->bytes;
}

char *hist_strdup(struct hist_trigger_data *hist, const char *text)
{
    char *copy = hist_alloc(hist, strlen(text) + 1);

    if (copy)
        memcpy(copy, text, strlen(text));
    return copy;
}

void hist_set_last_cmd(const struct trace_event_file *file, const char *text)
{
    size_t size = strlen(text) + sizeof("hist:");

    kfree(last_cmd);
    last_cmd = kmalloc(size);
    if (last_cmd)
        snprintf(last_cmd, size, "hist:%s", text);
    snprintf(last_cmd_loc, sizeof(last_cmd_loc), "hist:%s:%s", file->event_call->class->system,
             trace_event_name(file->event_call));
}

int hist_err(struct hist_trigger_data *hist, enum hist_error error, const char *at)
{
    const char *found = at && last_cmd ? strstr(last_cmd, at) : NULL;

    hist->err = -EINVAL;
    if (last_cmd)
        tracing_log_err(hist->tr, last_cmd_loc, last_cmd, error_texts, error,
                        found ? found - last_cmd : 0);
    return -EINVAL;
}

static struct hist_field *fail(struct hist_trigger_data *hist, enum hist_error error,
                               const char *at)
{
    hist_err(hist, error, at);
    return NULL;
}

static struct hist_field *fail_silently(struct hist_trigger_data *hist, int err)
{
    hist->err = err;
    return NULL;
}

/* ---- evaluating ---- */

#define LOAD(type, at)                     \
    ({                                     \
        type val_;                         \
        memcpy(&val_, (at), sizeof(val_)); \
        (u64)(s64) val_;                   \
    })

static u64 load_number(const struct hist_field *field, const char *rec)
{
    const char *at = rec + field->field->offset;
    bool is_signed = field->field->is_signed;

    switch (field->field->size) {
    case 1: return is_signed ? LOAD(signed char, at) : LOAD(u8, at);
    case 2: return is_signed ? LOAD(short, at) : LOAD(u16, at);
    case 4: return is_signed ? LOAD(s32, at) : LOAD(u32, at);
    default: return LOAD(u64, at);
    }
}

static const char *find_string(const struct hist_field *field, const char *rec)
{
    const char *at = rec + field->field->offset;
    u32 place;

    switch (field->field->filter_type) {
    case FILTER_DYN_STRING: memcpy(&place, at, sizeof(place)); return rec + (place & 0xffff);
    case FILTER_RDYN_STRING: /* from the end of the word */
        memcpy(&place, at, sizeof(place));
        return at + sizeof(place) + (place & 0xffff);
    default: return at;
    }
}

/* The exponent of the power of two that is not less. */
static u64 log2_of(u64 val)
{
    return val ? fls_long(val - 1) : 0;
}

static u64 eval_operands(const struct hist_field *field, const struct hist_ctx *ctx)
{
    u64 a = hist_eval(field->operands[0], ctx), b;

    if (field->fn == HIST_FN_LOG2)
        return log2_of(a);
    if (field->fn == HIST_FN_BUCKET)
        return a - a % field->buckets;
    if (field->fn == HIST_FN_NEGATE)
        return -a;
    b = hist_eval(field->operands[1], ctx);
    switch (field->fn) {
    case HIST_FN_PLUS: return a + b;
    case HIST_FN_MINUS: return a - b;
    case HIST_FN_MULT: return a * b;
    default: return b ? a / b : -1ULL;
    }
}

u64 hist_eval(const struct hist_field *field, const struct hist_ctx *ctx)
{
    switch (field->fn) {
    case HIST_FN_COUNTER: return 1;
    case HIST_FN_CONST: return field->constant;
    case HIST_FN_NUMBER: return load_number(field, ctx->rec);
    case HIST_FN_STRING: return (unsigned long)find_string(field, ctx->rec);
    case HIST_FN_TIMESTAMP: return ctx->ts;
    case HIST_FN_CPU: return smp_processor_id();
    case HIST_FN_EXECNAME: return (unsigned long)hist_elt_comm(ctx->hist, ctx->elt);
    case HIST_FN_STACKTRACE: return 0; /* hist_trigger() makes the key of it */
    case HIST_FN_VAR_REF: return ctx->refs[field->ref];
    default: return eval_operands(field, ctx);
    }
}

void hist_set_var(const struct hist_ctx *ctx, const struct hist_field *var, u64 value)
{
    if (var->flags & HIST_FL_STRING) {
        char *slot = hist_elt_string(ctx->hist, ctx->elt, var->slot);

        strscpy(slot, (const char *)(unsigned long)value,
                min((unsigned int)HIST_STR_MAX, var->size));
        value = (unsigned long)slot;
    }
    tracing_map_set_var(&ctx->hist->map, ctx->elt, var->var, value);
}

/* ---- names ---- */

/* Of another event's variable: the name is valid until the next call. */
const char *hist_field_name(const struct hist_field *field)
{
    static char full_name[HIST_STR_MAX];

    if (field->field)
        return field->field->name;
    if (field->flags & (HIST_FL_LOG2 | HIST_FL_BUCKET | HIST_FL_ALIAS))
        return hist_field_name(field->operands[0]);
    if (field->flags & HIST_FL_CPU)
        return "common_cpu";
    if (field->flags & (HIST_FL_EXPR | HIST_FL_VAR_REF)) {
        if (!field->system)
            return field->name ? field->name : "";
        snprintf(full_name, sizeof(full_name), "%s.%s.%s", field->system, field->event,
                 field->name);
        return full_name;
    }
    return field->flags & HIST_FL_TIMESTAMP ? "common_timestamp" : "";
}

const char *hist_modifier_name(const struct hist_field *field)
{
    static const char *const names[] = {"hex",  "sym",     "sym-offset", "execname", "syscall",
                                        "log2", "buckets", "usecs",      "percent",  "graph"};
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(names); i++)
        if (field->flags & (HIST_FL_HEX << i))
            return names[i];
    return NULL;
}

/* Adds the operand's text to that of its expression. */
static void add_operand(char *text, size_t size, const struct hist_field *field)
{
    const char *modifier = NULL;
    size_t len = strlen(text);

    if (!(field->flags & HIST_FL_VAR_REF))
        modifier = hist_modifier_name(field);
    if (field->flags & HIST_FL_CONST)
        snprintf(text + len, size - len, "%llu", field->constant);
    else
        snprintf(text + len, size - len, "%s%s%s%s", field->flags & HIST_FL_VAR_REF ? "$" : "",
                 hist_field_name(field), modifier ? "." : "", modifier ? modifier : "");
}

/* op: `-` with one operand: unary. */
static void name_expr(struct hist_trigger_data *hist, struct hist_field *expr, char op)
{
    char text[HIST_STR_MAX] = "";
    size_t len;

    if (expr->flags & HIST_FL_CONST) {
        add_operand(text, sizeof(text), expr);
    } else if (!expr->operands[1]) {
        snprintf(text, sizeof(text), "-(");
        add_operand(text, sizeof(text), expr->operands[0]);
        len = strlen(text);
        snprintf(text + len, sizeof(text) - len, ")");
    } else {
        add_operand(text, sizeof(text), expr->operands[0]);
        len = strlen(text);
        snprintf(text + len, sizeof(text) - len, "%c", op);
        add_operand(text, sizeof(text), expr->operands[1]);
    }
    expr->name = hist_strdup(hist, text);
}

/* ---- making fields ---- */

struct hist_field *hist_new_field(struct hist_trigger_data *hist, enum hist_fn fn,
                                  unsigned int flags)
{
    struct hist_field *field = hist_alloc(hist, sizeof(*field));

    if (!field)
        return NULL;
    field->fn = fn;
    field->flags = flags;
    field->type = "u64";
    field->size = sizeof(u64);
    field->owner = hist;
    return field;
}

static bool is_string_field(const struct ftrace_event_field *field)
{
    return field->filter_type == FILTER_STATIC_STRING || field->filter_type == FILTER_DYN_STRING ||
           field->filter_type == FILTER_RDYN_STRING;
}

static bool is_number_size(int size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct hist_field *make_entry_field(struct hist_trigger_data *hist,
                                           const struct ftrace_event_field *field,
                                           unsigned int flags)
{
    bool is_string = is_string_field(field);
    struct hist_field *made;

    if (field->filter_type == FILTER_TRACE_FN || (!is_string && !is_number_size(field->size)))
        return fail_silently(hist, -ENOMEM); /* what Linux returns */
    made = hist_new_field(hist, is_string ? HIST_FN_STRING : HIST_FN_NUMBER, flags);
    if (!made)
        return NULL;
    made->field = field;
    made->type = hist_strdup(hist, field->type);
    made->size = field->size;
    if (is_string)
        made->flags |= HIST_FL_STRING;
    else
        made->is_signed = field->is_signed;
    if (is_string && field->filter_type != FILTER_STATIC_STRING)
        made->size = HIST_STR_MAX;
    return made->type ? made : NULL;
}

static struct hist_field *make_field(struct hist_trigger_data *hist,
                                     const struct ftrace_event_field *field, unsigned int flags,
                                     unsigned long buckets)
{
    struct hist_field *made;

    if (flags & (HIST_FL_LOG2 | HIST_FL_BUCKET)) {
        struct hist_field *operand =
            make_field(hist, field, flags & ~(HIST_FL_LOG2 | HIST_FL_BUCKET), 0);

        made = operand ? hist_new_field(hist, flags & HIST_FL_LOG2 ? HIST_FN_LOG2 : HIST_FN_BUCKET,
                                        flags)
                       : NULL;
        if (!made)
            return NULL;
        made->operands[0] = operand;
        made->field = operand->field;
        made->size = operand->size;
        made->type = operand->type;
        made->buckets = buckets;
        return made;
    }
    if (flags & HIST_FL_TIMESTAMP)
        return hist_new_field(hist, HIST_FN_TIMESTAMP, flags);
    if (!(flags & HIST_FL_CPU))
        return make_entry_field(hist, field, flags);
    made = hist_new_field(hist, HIST_FN_CPU, flags);
    if (made) {
        made->type = "unsigned int";
        made->size = sizeof(int);
        made->field = field;
    }
    return made;
}

void hist_give_slot(struct hist_trigger_data *hist, struct hist_field *var)
{
    if (var->flags & HIST_FL_STRING)
        var->slot = hist->n_slots++;
}

/* ---- variables ---- */

struct hist_field *hist_find_own_var(struct hist_trigger_data *hist, const char *name)
{
    unsigned int i;

    for (i = 0; i < hist->n_fields; i++) {
        struct hist_field *field = hist->fields[i];

        if (field && (field->flags & HIST_FL_VAR) && !strcmp(field->var_name, name))
            return field;
    }
    return NULL;
}

static struct hist_field *find_file_var(const struct trace_event_file *file, const char *name)
{
    const struct event_trigger_data *data;

    list_for_each_entry(data, &file->triggers, list) {
        struct hist_field *var = data->hist ? hist_find_own_var(data->hist, name) : NULL;

        if (var)
            return var;
    }
    return NULL;
}

struct hist_field *hist_find_var(struct hist_trigger_data *hist, const char *name)
{
    struct hist_field *var = hist_find_own_var(hist, name);

    return var ? var : find_file_var(hist->file, name);
}

/* The event that has a variable of this name, if only one has. */
static const struct trace_event_file *find_var_file(struct hist_trigger_data *hist,
                                                    const char *name)
{
    const struct trace_event_file *found = NULL;
    struct hist_trigger_data *other;

    list_for_each_entry(other, &hist_triggers, list) {
        if (other->file == found || other->tr != hist->tr || !hist_find_own_var(other, name))
            continue;
        if (found) {
            hist_err(hist, HIST_ERR_VAR_NOT_UNIQUE, name);
            return NULL;
        }
        found = other->file;
    }
    return found;
}

/* A variable of an event of an onmatch(); *ok: there are not two. */
static struct hist_field *find_match_var(struct hist_trigger_data *hist, const char *name, bool *ok)
{
    struct hist_field *found = NULL;
    unsigned int i;

    for (i = 0; i < hist->n_actions; i++) {
        const struct hist_action *action = hist->actions[i];
        const struct trace_event_file *file;
        struct hist_field *var;

        if (action->handler != HANDLER_ONMATCH)
            continue;
        file = __find_event_file(hist->tr, action->system, action->event);
        var = file ? find_file_var(file, name) : NULL;
        if (var && found) {
            hist_err(hist, HIST_ERR_VAR_NOT_UNIQUE, name);
            *ok = false;
            return NULL;
        }
        found = var ? var : found;
    }
    return found;
}

struct hist_field *hist_find_event_var(struct hist_trigger_data *hist, const char *system,
                                       const char *event, const char *name)
{
    const struct trace_event_file *file;
    struct hist_field *var;
    bool ok = true;

    if (!system) {
        var = find_match_var(hist, name, &ok);
        if (var || !ok)
            return var;
    }
    file = system ? __find_event_file(hist->tr, system, event) : find_var_file(hist, name);
    return file ? find_file_var(file, name) : NULL;
}

struct hist_field *hist_make_ref(struct hist_trigger_data *hist, struct hist_field *var,
                                 const char *system, const char *event)
{
    const char *name = var->var_name ? var->var_name : var->name;
    struct hist_field *ref;
    unsigned int i;

    for (i = 0; i < hist->n_var_refs; i++) {
        ref = hist->var_refs[i];
        if (ref->var == var->var && ref->owner == var->owner)
            return ref;
    }
    if (hist->n_var_refs == TRACING_MAP_VARS_MAX)
        return fail_silently(hist, -ENOMEM);
    ref = hist_new_field(hist, HIST_FN_VAR_REF, HIST_FL_VAR_REF);
    if (!ref)
        return NULL;
    ref->flags |= var->flags & (HIST_FL_TIMESTAMP | HIST_FL_TIMESTAMP_USECS);
    ref->var = var->var;
    ref->size = var->size;
    ref->is_signed = var->is_signed;
    ref->type = hist_strdup(hist, var->type);
    ref->name = hist_strdup(hist, name);
    ref->system = system ? hist_strdup(hist, system) : NULL;
    ref->event = event ? hist_strdup(hist, event) : NULL;
    if (!ref->type || !ref->name || (system && !ref->system) || (event && !ref->event))
        return NULL;
    ref->owner = var->owner;
    if (var->owner != hist)
        var->owner->pins++;
    ref->ref = hist->n_var_refs;
    hist->var_refs[hist->n_var_refs++] = ref;
    return ref;
}

bool hist_has_vars(const struct hist_field *field)
{
    return field && ((field->flags & (HIST_FL_VAR | HIST_FL_VAR_REF)) ||
                     hist_has_vars(field->operands[0]) || hist_has_vars(field->operands[1]));
}

/* ---- parsing: atoms ---- */

static bool is_var_ref(const char *text)
{
    return text[0] == '$' && text[1];
}

static bool has_operator(const char *text)
{
    for (; *text; text++)
        if (strchr("+-*/", *text))
            return true;
    return false;
}

/* The field that one of the command's own variables is; NULL: it is not just a field. */
static const char *find_own_field(const struct hist_trigger_data *hist, const char *system,
                                  const char *event, const char *text)
{
    const struct trace_event_call *call = hist->file->event_call;
    unsigned int i;

    if (system && (strcmp(system, call->class->system) || strcmp(event, trace_event_name(call))))
        return NULL;
    for (i = 0; is_var_ref(text) && i < hist->n_var_defs; i++)
        if (!strcmp(text + 1, hist->var_names[i]) && !has_operator(hist->var_exprs[i]) &&
            !is_var_ref(hist->var_exprs[i]))
            return hist->var_exprs[i];
    return NULL;
}

/* `bucket=N`, `buckets=N` */
static bool parse_buckets(const char *modifier, unsigned long *buckets)
{
    modifier += strlen("bucket");
    modifier += *modifier == 's';
    return *modifier == '=' && !kstrtoul(modifier + 1, 0, buckets) && *buckets;
}

/* 0: it is not one, or not allowed here. */
static unsigned int parse_modifier(const char *name, const char *modifier, unsigned int flags,
                                   unsigned long *buckets)
{
    bool is_value = !(flags & (HIST_FL_VAR | HIST_FL_KEY));

    if (!strcmp(modifier, "hex"))
        return HIST_FL_HEX;
    if (!strcmp(modifier, "sym"))
        return HIST_FL_SYM;
    if (!strcmp(modifier, "symXoffset"))
        return HIST_FL_SYM_OFFSET;
    if (!strcmp(modifier, "execname") && !strcmp(name, "common_pid"))
        return HIST_FL_EXECNAME;
    if (!strcmp(modifier, "syscall"))
        return HIST_FL_SYSCALL;
    if (!strcmp(modifier, "log2"))
        return HIST_FL_LOG2;
    if (!strcmp(modifier, "usecs"))
        return HIST_FL_TIMESTAMP_USECS;
    if (!strncmp(modifier, "bucket", 6))
        return parse_buckets(modifier, buckets) ? HIST_FL_BUCKET : 0;
    if (!strncmp(modifier, "percent", 7))
        return is_value ? HIST_FL_PERCENT : 0;
    if (!strncmp(modifier, "graph", 5))
        return is_value ? HIST_FL_GRAPH : 0;
    return 0;
}

/* `FIELD[.MODIFIER]` */
static struct hist_field *parse_field(struct hist_trigger_data *hist, char *text,
                                      unsigned int flags)
{
    struct ftrace_event_field *field = NULL;
    char *modifier = text, *name = strsep(&modifier, ".");
    unsigned long buckets = 0;
    struct hist_field *made;

    if (modifier) {
        unsigned int flag = parse_modifier(name, modifier, flags, &buckets);

        if (!flag)
            return fail(hist, HIST_ERR_BAD_FIELD_MODIFIER, modifier);
        flags |= flag;
    }
    if (!strcmp(name, "common_timestamp")) {
        flags |= HIST_FL_TIMESTAMP;
        hist->uses_timestamps = true;
        hist->ts_in_usecs |= !!(flags & HIST_FL_TIMESTAMP_USECS);
    } else if (!strcmp(name, "common_cpu")) {
        flags |= HIST_FL_CPU;
    } else {
        field = trace_find_event_field(hist->file->event_call, name);
        if (!field || field->filter_type == FILTER_COMM)
            return fail(hist, HIST_ERR_FIELD_NOT_FOUND, name);
        if (field->filter_type == FILTER_CPU)
            flags |= HIST_FL_CPU;
    }
    made = make_field(hist, field, flags, buckets);
    hist->has_execname |= !!(flags & HIST_FL_EXECNAME);
    return made;
}

static struct hist_field *make_alias(struct hist_trigger_data *hist, struct hist_field *ref,
                                     const char *var_name)
{
    struct hist_field *alias = hist_new_field(
        hist, HIST_FN_VAR_REF,
        HIST_FL_ALIAS | HIST_FL_VAR | (ref->flags & (HIST_FL_TIMESTAMP | HIST_FL_TIMESTAMP_USECS)));

    if (!alias)
        return NULL;
    alias->operands[0] = ref;
    alias->ref = ref->ref;
    alias->size = ref->size;
    alias->is_signed = ref->is_signed;
    alias->type = ref->type;
    alias->name = ref->name;
    alias->system = ref->system;
    alias->event = ref->event;
    alias->var_name = var_name;
    return alias;
}

static struct hist_field *parse_var_ref(struct hist_trigger_data *hist, const char *system,
                                        const char *event, const char *text)
{
    struct hist_field *var = hist_find_event_var(hist, system, event, text + 1), *ref;

    ref = var ? hist_make_ref(hist, var, system, event) : NULL;
    return ref ? ref : fail(hist, HIST_ERR_VAR_NOT_FOUND, text + 1);
}

static struct hist_field *parse_const(struct hist_trigger_data *hist, const char *text,
                                      unsigned int flags)
{
    struct hist_field *field;
    unsigned long constant;

    if (kstrtoul(text, 0, &constant))
        return fail(hist, HIST_ERR_EXPECT_NUMBER, text);
    field = hist_new_field(hist, HIST_FN_CONST, flags | HIST_FL_CONST);
    if (field)
        field->constant = constant;
    return field;
}

static struct hist_field *with_name(struct hist_field *field, const char *var_name)
{
    if (field)
        field->var_name = var_name;
    return field;
}

struct hist_field *hist_parse_atom(struct hist_trigger_data *hist, char *text, unsigned int flags,
                                   const char *var_name)
{
    const char *system = NULL, *event = NULL, *own;
    struct hist_field *ref;
    char *dot;

    if (text[0] >= '0' && text[0] <= '9')
        return with_name(parse_const(hist, text, flags), var_name);
    dot = strchr(text, '.');
    if (dot && strchr(dot + 1, '.')) {
        system = strsep(&text, ".");
        event = strsep(&text, ".");
    }
    own = find_own_field(hist, system, event, text);
    if (own) {
        text = hist_strdup(hist, own);
        if (!text)
            return NULL;
    } else if (is_var_ref(text)) {
        ref = parse_var_ref(hist, system, event, text);
        if (ref)
            return var_name ? make_alias(hist, ref, var_name) : ref;
    }
    return with_name(parse_field(hist, text, flags), var_name);
}

/* ---- parsing: expressions ---- */

static char *last_of(char *a, char *b)
{
    return a > b ? a : b;
}

/* Where to split; NULL: there is no operator. The text itself: a unary minus. */
static char *find_root_operator(char *text)
{
    char *minus = strrchr(text, '-'), *at;

    if (minus == text)
        return text;
    at = last_of(minus, strrchr(text, '+'));
    return at ? at : last_of(strrchr(text, '*'), strrchr(text, '/'));
}

/* `-(EXPR)` */
static struct hist_field *parse_unary(struct hist_trigger_data *hist, char *text,
                                      unsigned int flags, const char *var_name,
                                      unsigned int *n_subexprs)
{
    struct hist_field *expr, *operand;
    char *end;

    if (++*n_subexprs > 3)
        return fail(hist, HIST_ERR_TOO_MANY_SUBEXPR, text);
    text++;
    end = strrchr(text, ')');
    if (!strchr(text, '(') || !end)
        return fail_silently(hist, -EINVAL);
    text++;
    if (end[1])
        return fail(hist, HIST_ERR_UNARY_MINUS_SUBEXPR, text);
    *end = 0;
    operand = hist_parse_expr(hist, text, 0, NULL, n_subexprs);
    if (!operand)
        return NULL;
    if (operand->flags & HIST_FL_STRING)
        return fail(hist, HIST_ERR_INVALID_STR_OPERAND, text);
    expr = hist_new_field(hist, HIST_FN_NEGATE, flags | HIST_FL_EXPR);
    if (!expr)
        return NULL;
    expr->flags |= operand->flags & (HIST_FL_TIMESTAMP | HIST_FL_TIMESTAMP_USECS);
    expr->operands[0] = operand;
    expr->size = operand->size;
    expr->is_signed = operand->is_signed;
    expr->type = operand->type;
    expr->var_name = var_name;
    name_expr(hist, expr, '-');
    return expr->name ? expr : NULL;
}

/* The variable that an operand refers to, or the operand itself. */
static const struct hist_field *origin_of(const struct hist_field *operand)
{
    const struct hist_field *var = NULL;

    if (operand->flags & (HIST_FL_VAR_REF | HIST_FL_ALIAS))
        var = hist_find_own_var(operand->owner, operand->name);
    return var ? var : operand;
}

static enum hist_fn fn_of(char op)
{
    switch (op) {
    case '+': return HIST_FN_PLUS;
    case '-': return HIST_FN_MINUS;
    case '*': return HIST_FN_MULT;
    default: return HIST_FN_DIV;
    }
}

static struct hist_field *parse_operand(struct hist_trigger_data *hist, char *text,
                                        unsigned int *n_subexprs)
{
    struct hist_field *operand = hist_parse_expr(hist, text, 0, NULL, n_subexprs);

    if (operand && (operand->flags & HIST_FL_STRING))
        return fail(hist, HIST_ERR_INVALID_STR_OPERAND, text);
    return operand;
}

static struct hist_field *combine(struct hist_trigger_data *hist, struct hist_field *a, char op,
                                  struct hist_field *b, unsigned int flags, const char *b_text)
{
    const struct hist_field *from_a = origin_of(a), *from_b = origin_of(b);
    unsigned int both = from_a->flags & from_b->flags;
    struct hist_field *expr;

    if ((from_a->flags ^ from_b->flags) & HIST_FL_TIMESTAMP_USECS)
        return fail(hist, HIST_ERR_TIMESTAMP_MISMATCH, NULL);
    if (op == '/' && (from_b->flags & HIST_FL_CONST) && !from_b->constant) {
        hist_err(hist, HIST_ERR_DIVISION_BY_ZERO, b_text);
        return fail_silently(hist, -EDOM);
    }
    flags |= both & HIST_FL_CONST ? HIST_FL_CONST : HIST_FL_EXPR;
    flags |= a->flags & (HIST_FL_TIMESTAMP | HIST_FL_TIMESTAMP_USECS);
    expr = hist_new_field(hist, fn_of(op), flags);
    if (!expr)
        return NULL;
    a->read_once = b->read_once = true;
    if (both & HIST_FL_CONST) {
        struct hist_field *left = hist_new_field(hist, HIST_FN_CONST, 0);
        struct hist_field *right = hist_new_field(hist, HIST_FN_CONST, 0);

        if (!left || !right)
            return NULL;
        left->constant = from_a->constant;
        right->constant = from_b->constant;
        expr->operands[0] = left;
        expr->operands[1] = right;
        expr->constant = hist_eval(expr, NULL);
        expr->fn = HIST_FN_CONST;
        expr->operands[0] = expr->operands[1] = NULL;
        return expr;
    }
    expr->operands[0] = a;
    expr->operands[1] = b;
    expr->size = a->size;
    expr->is_signed = a->is_signed;
    expr->type = a->type;
    return expr;
}

struct hist_field *hist_parse_expr(struct hist_trigger_data *hist, char *text, unsigned int flags,
                                   const char *var_name, unsigned int *n_subexprs)
{
    struct hist_field *a, *b, *expr;
    char *at, op;

    if (*n_subexprs > 3)
        return fail(hist, HIST_ERR_TOO_MANY_SUBEXPR, text);
    at = find_root_operator(text);
    if (!at)
        return hist_parse_atom(hist, text, flags, var_name);
    if (at == text && *at == '-')
        return parse_unary(hist, text, flags, var_name, n_subexprs);
    ++*n_subexprs;
    op = *at;
    *at++ = 0;
    if (!*text || !*at)
        return fail_silently(hist, -EINVAL);
    a = parse_operand(hist, text, n_subexprs);
    b = a ? parse_operand(hist, at, n_subexprs) : NULL;
    expr = b ? combine(hist, a, op, b, flags, at) : NULL;
    if (!expr)
        return NULL;
    expr->var_name = var_name;
    name_expr(hist, expr, op);
    return expr->name ? expr : NULL;
}
