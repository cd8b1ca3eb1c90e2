/*
 * trace_events_filter.c - filters of events: `prev_pid != 0 && (comm ~ "sh*" || cpu == 1)`.
 *
 * A filter is compiled to a list of comparisons. Each says where to go on after it was true and
 * after it was false: to a later comparison, or to the end. So an entry is judged in one pass
 * without a stack, and only what is needed is compared.
 *
 * Filters are written under event_mutex, and read by probes with preemption off.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/glob.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

enum filter_op { OP_GLOB, OP_NE, OP_EQ, OP_LE, OP_LT, OP_GE, OP_GT, OP_BAND, OP_MAX };

/* An operator comes before those that it begins with. */
static const char *const op_names[OP_MAX] = {"~", "!=", "==", "<=", "<", ">=", ">", "&"};

/* C(error, its text), in Linux's order. */
#define FILTER_ERRORS                                                                 \
    C(NONE, "No error")                                                               \
    C(INVALID_OP, "Invalid operator")                                                 \
    C(TOO_MANY_OPEN, "Too many '('")                                                  \
    C(TOO_MANY_CLOSE, "Too few '('")                                                  \
    C(MISSING_QUOTE, "Missing matching quote")                                        \
    C(OPERAND_TOO_LONG, "Operand too long")                                           \
    C(EXPECT_STRING, "Expecting string field")                                        \
    C(EXPECT_DIGIT, "Expecting numeric field")                                        \
    C(ILLEGAL_FIELD_OP, "Illegal operation for field type")                           \
    C(FIELD_NOT_FOUND, "Field not found")                                             \
    C(ILLEGAL_INTVAL, "Illegal integer value")                                        \
    C(BAD_SUBSYS_FILTER, "Couldn't find or set field in one of a subsystem's events") \
    C(TOO_MANY_PREDS, "Too many terms in predicate expression")                       \
    C(INVALID_FILTER, "Meaningless filter expression")                                \
    C(INVALID_VALUE, "Invalid value (did you forget quotes)?")                        \
    C(ERRNO, "Error")                                                                 \
    C(NO_FILTER, "No filter found")

#define C(error, text) FILT_ERR_##error,
enum filter_error { FILTER_ERRORS };
#undef C
#define C(error, text) text,
static const char *const error_texts[] = {FILTER_ERRORS};
#undef C

/* Ends of a filter, in the place of the number of a comparison. */
enum { FILTER_REJECT = -1, FILTER_ACCEPT = -2 };

/* A comparison of a field. */
struct filter_pred {
    enum filter_op op;
    int filter_type;
    int offset, size;
    bool is_signed;
    u64 val;             /* a number, as wide as the field */
    const char *pattern; /* a string, in the filter's text */
    int next[2];         /* the comparison after this one was false, and true */
};

struct event_filter {
    char *filter_string;       /* what the file shows */
    char *text;                /* a copy, in which patterns end with a NUL */
    struct filter_pred *preds; /* NULL: all entries match */
    int nr_preds;
    struct event_filter *next_unused; /* it is to be freed together with this one */
};

enum { MAX_STRING = 256, MAX_NUMBER = 32, MAX_TEXT = 4096 };

/* ---- judging an entry ---- */

static u64 load_number(const void *at, int size, bool is_signed)
{
    u64 val = 0;
    int spare = 64 - 8 * size;

    memcpy(&val, at, size);
    return is_signed ? (u64)((s64)(val << spare) >> spare) : val;
}

static bool match_number(const struct filter_pred *pred, const void *rec)
{
    u64 a = pred->filter_type == FILTER_CPU
                ? (u64)smp_processor_id()
                : load_number((const char *)rec + pred->offset, pred->size, pred->is_signed);
    u64 b = pred->val;
    bool less = pred->is_signed ? (s64)a < (s64)b : a < b;

    switch (pred->op) {
    case OP_NE: return a != b;
    case OP_EQ: return a == b;
    case OP_LE: return less || a == b;
    case OP_LT: return less;
    case OP_GE: return !less;
    case OP_GT: return !less && a != b;
    default: return a & b;
    }
}

/* Finds the string and the size of its field. NULL: a pointer that is not the kernel's. */
static const char *find_string(const struct filter_pred *pred, const void *rec, size_t *size)
{
    const char *at = (const char *)rec + pred->offset;
    u32 place;

    *size = pred->size;
    switch (pred->filter_type) {
    case FILTER_COMM: *size = TASK_COMM_LEN; return current->comm;
    case FILTER_PTR_STRING:
        *size = MAX_STRING;
        at = *(const char *const *)at;
        return (long)at < 0 ? at : NULL;
    case FILTER_DYN_STRING:
        place = *(const u32 *)at;
        *size = place >> 16;
        return (const char *)rec + (place & 0xffff);
    case FILTER_RDYN_STRING: /* from the end of the word */
        place = *(const u32 *)at;
        *size = place >> 16;
        return at + sizeof(place) + (place & 0xffff);
    default:
        if (!*size) /* the last field, which ends with its NUL */
            *size = MAX_TEXT;
        return at;
    }
}

static bool match_string(const struct filter_pred *pred, const void *rec)
{
    const char *pattern = pred->pattern;
    size_t len;
    const char *string = find_string(pred, rec, &len);
    bool inverted = pred->op == OP_NE, match;

    if (!string)
        return false;
    len = strnlen(string, len);
    if (pred->op == OP_GLOB) {
        inverted = *pattern == '!';
        match = glob_match_len(pattern + inverted, string, len);
    } else {
        match = strlen(pattern) == len && !memcmp(pattern, string, len);
    }
    return match != inverted;
}

int filter_match_preds(const struct event_filter *filter, const void *rec)
{
    int at = 0;

    if (!filter || !filter->preds)
        return 1;
    while (at >= 0) {
        const struct filter_pred *pred = &filter->preds[at];

        at = pred->next[pred->pattern ? match_string(pred, rec) : match_number(pred, rec)];
    }
    return at == FILTER_ACCEPT;
}

/* ---- compiling: terms ---- */

/*
 * A part of the expression. Its exits that give 0 or 1 are in two chains: an exit is the number of
 * the comparison times two, plus which of next[]; next[] has the next exit, NO_EXIT at the end.
 */
struct fragment {
    int first, exits[2];
};

enum { NO_EXIT = -1 };

struct filter_parser {
    struct trace_event_call *call;
    struct event_filter *filter;
    enum filter_error error;
    int pos, error_pos;
    int nr_ops, nr_parts; /* what stands to the left and is not yet combined */
    char *ops;            /* `(`, `!`, `&`, `|` */
    struct fragment *parts;
};

static int fail(struct filter_parser *p, enum filter_error error, int pos)
{
    p->error = error;
    p->error_pos = pos;
    return -EINVAL;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static char skip_spaces(struct filter_parser *p)
{
    while (is_space(p->filter->text[p->pos]))
        p->pos++;
    return p->filter->text[p->pos];
}

/* For a mistake in a comparison Linux shows the place one character to the right of it. */
static int fail_pred(struct filter_parser *p, enum filter_error error, int pos)
{
    return fail(p, error, pos + 1);
}

static struct ftrace_event_field *parse_field(struct filter_parser *p)
{
    struct ftrace_event_field *field;
    char *name = p->filter->text + p->pos, *end = name, after;

    while (is_alnum(*end) || *end == '_')
        end++;
    p->pos += end - name;
    after = *end;
    *end = 0;
    field = trace_find_event_field(p->call, name);
    *end = after;
    if (!field)
        fail_pred(p, FILT_ERR_FIELD_NOT_FOUND, p->pos);
    return field;
}

static int parse_op(struct filter_parser *p)
{
    const char *text = p->filter->text + p->pos;
    int op;

    for (op = 0; op < OP_MAX && strncmp(text, op_names[op], strlen(op_names[op])); op++)
        ;
    if (op == OP_MAX)
        return fail_pred(p, FILT_ERR_INVALID_OP, p->pos);
    p->pos += strlen(op_names[op]);
    return op;
}

static bool is_string_field(const struct filter_pred *pred)
{
    return pred->filter_type != FILTER_OTHER && pred->filter_type != FILTER_CPU;
}

/* That the quote has its other one was checked before. */
static int parse_string(struct filter_parser *p, struct filter_pred *pred)
{
    char *text = p->filter->text, quote = text[p->pos];
    int start = p->pos + 1;

    if (pred->op != OP_NE && pred->op != OP_EQ && pred->op != OP_GLOB)
        return fail_pred(p, FILT_ERR_ILLEGAL_FIELD_OP, p->pos);
    if (!is_string_field(pred))
        return fail_pred(p, FILT_ERR_EXPECT_DIGIT, p->pos);
    for (p->pos = start; text[p->pos] != quote; p->pos++)
        ;
    if (p->pos - start >= MAX_STRING)
        return fail_pred(p, FILT_ERR_OPERAND_TOO_LONG, p->pos);
    text[p->pos++] = 0;
    pred->pattern = text + start;
    return 0;
}

/* A sign is only for signed fields. */
static int convert_number(const char *s, bool is_signed, u64 *val)
{
    bool negative = is_signed && *s == '-';
    unsigned long magnitude;
    int err = kstrtoul(s + negative, 0, &magnitude);

    if (err)
        return err;
    if (is_signed && magnitude > (1UL << 63) - !negative)
        return -ERANGE;
    *val = negative ? -magnitude : magnitude;
    return 0;
}

static int parse_number(struct filter_parser *p, struct filter_pred *pred)
{
    const char *text = p->filter->text;
    char number[MAX_NUMBER];
    int start = p->pos;

    if (is_string_field(pred))
        return fail_pred(p, FILT_ERR_EXPECT_STRING, p->pos);
    if (pred->op == OP_GLOB || pred->size > 8 || (pred->size & (pred->size - 1)))
        return fail_pred(p, FILT_ERR_ILLEGAL_FIELD_OP, p->pos);
    p->pos += text[p->pos] == '-';
    while (is_alnum(text[p->pos]))
        p->pos++;
    if (p->pos - start >= MAX_NUMBER)
        return fail_pred(p, FILT_ERR_OPERAND_TOO_LONG, p->pos);
    memcpy(number, text + start, p->pos - start);
    number[p->pos - start] = 0;
    if (convert_number(number, pred->is_signed, &pred->val))
        return fail_pred(p, FILT_ERR_ILLEGAL_INTVAL, start);
    pred->val = load_number(&pred->val, pred->size, pred->is_signed);
    return 0;
}

static int parse_value(struct filter_parser *p, struct filter_pred *pred)
{
    char c = skip_spaces(p);

    if (c == '\'' || c == '"')
        return parse_string(p, pred);
    if (is_digit(c) || c == '-')
        return parse_number(p, pred);
    return fail_pred(p, FILT_ERR_INVALID_VALUE, p->pos);
}

/* Adds the comparison as a part of its own. */
static int parse_pred(struct filter_parser *p)
{
    int n = p->filter->nr_preds, op;
    struct filter_pred *pred = &p->filter->preds[n];
    const struct ftrace_event_field *field = parse_field(p);

    if (!field)
        return -EINVAL;
    skip_spaces(p);
    op = parse_op(p);
    if (op < 0)
        return op;
    *pred = (struct filter_pred){.op = op,
                                 .filter_type = field->filter_type,
                                 .offset = field->offset,
                                 .size = field->size,
                                 .is_signed = field->is_signed,
                                 .next = {NO_EXIT, NO_EXIT}};
    p->parts[p->nr_parts++] = (struct fragment){n, {n * 2, n * 2 + 1}};
    p->filter->nr_preds++;
    return parse_value(p, pred);
}

/* ---- compiling: operators ---- */

static int *exit_at(struct filter_parser *p, int exit)
{
    return &p->filter->preds[exit / 2].next[exit % 2];
}

static void lead_exits(struct filter_parser *p, int exit, int to)
{
    while (exit != NO_EXIT) {
        int *at = exit_at(p, exit);

        exit = *at;
        *at = to;
    }
}

static int join_exits(struct filter_parser *p, int a, int b)
{
    int *end = exit_at(p, a);

    while (*end != NO_EXIT)
        end = exit_at(p, *end);
    *end = b;
    return a;
}

static char top_op(const struct filter_parser *p)
{
    return p->nr_ops ? p->ops[p->nr_ops - 1] : 0;
}

/* `&&` goes on with its right side after 1, `||` after 0; every part has both kinds of exits. */
static void combine(struct filter_parser *p)
{
    bool go_on = p->ops[--p->nr_ops] == '&';
    const struct fragment *b = &p->parts[--p->nr_parts];
    struct fragment *a = &p->parts[p->nr_parts - 1];

    lead_exits(p, a->exits[go_on], b->first);
    a->exits[go_on] = b->exits[go_on];
    a->exits[!go_on] = join_exits(p, a->exits[!go_on], b->exits[!go_on]);
}

static void apply_nots(struct filter_parser *p)
{
    struct fragment *part = &p->parts[p->nr_parts - 1];

    for (; top_op(p) == '!'; p->nr_ops--) {
        int exits = part->exits[0];

        part->exits[0] = part->exits[1];
        part->exits[1] = exits;
    }
}

/* `(`, `!`, and a comparison. */
static int parse_operand(struct filter_parser *p)
{
    const char *text = p->filter->text;
    char c;
    int err;

    while ((c = skip_spaces(p)) == '(' || (c == '!' && text[p->pos + 1] != '=')) {
        p->ops[p->nr_ops++] = c;
        p->pos++;
    }
    if (!c || c == ')')
        return fail(p, c ? FILT_ERR_INVALID_FILTER : FILT_ERR_NO_FILTER, p->pos);
    err = parse_pred(p);
    if (!err)
        apply_nots(p);
    return err;
}

/* What may follow an operand. Returns 1 if an operator wants another one, 0 at the end. */
static int parse_after_operand(struct filter_parser *p)
{
    const char *text = p->filter->text;
    char c;

    for (; (c = skip_spaces(p)) == ')'; p->pos++) {
        while (top_op(p) != '(')
            combine(p);
        p->nr_ops--;
        apply_nots(p);
    }
    if (c && ((c != '&' && c != '|') || text[p->pos + 1] != c))
        return fail(p, FILT_ERR_TOO_MANY_PREDS, p->pos);
    while (top_op(p) == '&' || (top_op(p) == '|' && c != '&'))
        combine(p);
    if (!c)
        return 0;
    p->ops[p->nr_ops++] = c;
    p->pos += 2;
    return 1;
}

static int parse_expression(struct filter_parser *p)
{
    int err;

    do {
        err = parse_operand(p);
        if (!err)
            err = parse_after_operand(p);
    } while (err > 0);
    if (err)
        return err;
    lead_exits(p, p->parts[0].exits[0], FILTER_REJECT);
    lead_exits(p, p->parts[0].exits[1], FILTER_ACCEPT);
    return 0;
}

/* Finds the last `(` that opens this level, and the level at the end; fails if it is below 0. */
static int check_level(struct filter_parser *p, int level, int *opened)
{
    const char *text = p->filter->text;
    int i, depth = 0, quote = -1;

    for (i = 0; text[i]; i++) {
        if (quote >= 0) {
            if (text[i] == text[quote])
                quote = -1;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = i;
        } else if (text[i] == '(' && ++depth == level) {
            *opened = i;
        } else if (text[i] == ')' && --depth < 0) {
            return fail(p, FILT_ERR_TOO_MANY_CLOSE, i);
        }
    }
    return quote >= 0 ? fail(p, FILT_ERR_MISSING_QUOTE, quote) : depth;
}

static int check_parens(struct filter_parser *p)
{
    int opened = 0, depth = check_level(p, 0, &opened);

    if (depth <= 0)
        return depth;
    check_level(p, depth, &opened);
    return fail(p, FILT_ERR_TOO_MANY_OPEN, opened);
}

/* No expression has more comparisons than this. */
static int count_preds(const char *text)
{
    int n = 1;

    for (; *text; text++)
        n += (*text == '&' || *text == '|') && text[1] == *text;
    return n;
}

static int process_preds(struct filter_parser *p)
{
    struct event_filter *filter = p->filter;
    int n = count_preds(filter->text), err = check_parens(p);

    if (err)
        return err;
    if (!skip_spaces(p))
        return -EINVAL;
    p->ops = kmalloc(strlen(filter->text) + 1);
    p->parts = kmalloc(n * sizeof(*p->parts));
    filter->preds = kmalloc(n * sizeof(*filter->preds));
    err = p->ops && p->parts && filter->preds ? parse_expression(p) : -ENOMEM;
    kfree(p->ops);
    kfree(p->parts);
    if (err) {
        kfree(filter->preds);
        filter->preds = NULL;
    }
    return err;
}

/* ---- filters ---- */

void free_event_filter(struct event_filter *filter)
{
    if (!filter)
        return;
    kfree(filter->preds);
    kfree(filter->text);
    kfree(filter->filter_string);
    kfree(filter);
}

/* Shows the place of the error below the text, in the filter and in error_log. */
static void append_error(struct trace_array *tr, const struct filter_parser *p)
{
    struct event_filter *filter = p->filter;
    const char *text = filter->filter_string;
    int len = strlen(text), pos = p->error_pos < len ? p->error_pos : len;
    size_t size = 2 * len + 128;
    char *message = kmalloc(size);

    if (!message)
        return;
    if (p->error)
        snprintf(message, size, "%s\n%*s\nparse_error: %s\n", text, pos ? pos + 1 : 0, "^",
                 error_texts[p->error]);
    else
        snprintf(message, size, "%s\nError: (%d)\n", text, 0);
    tracing_log_err(tr, "event filter parse error", text, error_texts,
                    p->error ? p->error : FILT_ERR_ERRNO, p->error ? p->error_pos : 0);
    kfree(filter->filter_string);
    filter->filter_string = message;
}

/* A filter without comparisons. */
static struct event_filter *new_filter(const char *text)
{
    struct event_filter *filter = kzalloc(sizeof(*filter));

    if (!filter)
        return NULL;
    filter->filter_string = kstrdup(text);
    filter->text = kstrdup(text);
    if (filter->filter_string && filter->text)
        return filter;
    free_event_filter(filter);
    return NULL;
}

int create_event_filter(struct trace_array *tr, struct trace_event_call *call, const char *text,
                        bool set_str, struct event_filter **filterp)
{
    struct filter_parser p = {.call = call, .filter = new_filter(text)};
    int err;

    *filterp = p.filter;
    if (!p.filter)
        return -ENOMEM;
    err = process_preds(&p);
    if (err && set_str)
        append_error(tr, &p);
    return err;
}

/* ---- filters of events ---- */

static void set_filtered(struct trace_event_file *file, bool on)
{
    if (on)
        (void)__atomic_fetch_or(&file->flags, EVENT_FILE_FL_FILTERED, __ATOMIC_SEQ_CST);
    else
        (void)__atomic_fetch_and(&file->flags, ~(unsigned long)EVENT_FILE_FL_FILTERED,
                                 __ATOMIC_SEQ_CST);
}

/* Returns the old filter, which may be freed after a grace period. */
static struct event_filter *exchange_filter(struct trace_event_file *file,
                                            struct event_filter *filter, bool filtered)
{
    struct event_filter *old = file->filter;

    if (!filtered)
        set_filtered(file, false);
    rcu_assign_pointer(file->filter, filter);
    if (filtered)
        set_filtered(file, true);
    return old;
}

static void free_unused_filter(struct event_filter *filter)
{
    if (!filter)
        return;
    tracepoint_synchronize_unregister();
    free_event_filter(filter);
}

int apply_event_filter(struct trace_event_file *file, char *text)
{
    struct event_filter *filter;
    int err = trace_buffered_event_enable();

    if (err)
        return err;
    if (!strcmp(strstrip(text), "0")) {
        free_unused_filter(exchange_filter(file, NULL, false));
        return 0;
    }
    err = create_event_filter(file->tr, file->event_call, text, true, &filter);
    if (filter)
        free_unused_filter(exchange_filter(file, filter, !err));
    return err;
}

void print_event_filter(const struct trace_event_file *file, struct seq_file *m)
{
    seq_printf(m, "%s\n", file->filter ? file->filter->filter_string : "none");
}

/* ---- filters of systems ---- */

static void bad_for_event(struct trace_array *tr, struct event_filter *filter)
{
    const struct filter_parser p = {.filter = filter, .error = FILT_ERR_BAD_SUBSYS_FILTER};

    append_error(tr, &p);
}

/* Replaces the event's filter; NULL: removes it. The old one is added to *unused. */
static int set_filter_of_system(struct trace_event_file *file, const char *text,
                                struct event_filter **unused)
{
    struct event_filter *filter = NULL, *old;
    int err = 0;

    if (text) {
        err = create_event_filter(file->tr, file->event_call, text, false, &filter);
        if (!filter)
            return err;
        if (err)
            bad_for_event(file->tr, filter);
    }
    old = exchange_filter(file, filter, filter && !err);
    if (old) {
        old->next_unused = *unused;
        *unused = old;
    }
    return err;
}

/* It is an error if no event takes the filter. */
static int set_filters(struct trace_subsystem_dir *dir, const char *text)
{
    struct event_filter *unused = NULL, *next;
    struct trace_event_file *file;
    int ret = -EINVAL;

    list_for_each_entry(file, &dir->tr->events, list) {
        if (file->system == dir && !set_filter_of_system(file, text, &unused))
            ret = 0;
    }
    if (unused)
        tracepoint_synchronize_unregister();
    for (; unused; unused = next) {
        next = unused->next_unused;
        free_event_filter(unused);
    }
    return ret;
}

int apply_subsystem_event_filter(struct trace_subsystem_dir *dir, char *text)
{
    struct event_filter **filter = &dir->subsystem->filter;
    int err = trace_buffered_event_enable();

    if (err)
        return err;
    if (!strcmp(strstrip(text), "0"))
        text = NULL;
    err = set_filters(dir, text);
    free_event_filter(*filter); /* only shown: no probe reads it */
    *filter = NULL;
    if (err && text)
        *filter = new_filter(text);
    if (*filter)
        bad_for_event(dir->tr, *filter);
    return text ? err : 0;
}

void print_subsystem_event_filter(const struct event_subsystem *system, struct seq_file *m)
{
    if (system->filter)
        seq_printf(m, "%s\n", system->filter->filter_string);
    else
        seq_puts(
            m, "### global filter ###\n"
               "# A filter written here is set for each event of the system that has its fields.\n"
               "# If there is none, an error is shown here.\n");
}
