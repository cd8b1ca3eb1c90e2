/*
 * trace_hist.h - shared by the files of hist triggers.
 *
 * A trigger has fields: values, variables and keys, in this order. Each is a tree of hist_fields,
 * which is evaluated for an entry. What a trigger consists of is allocated by hist_alloc(), and
 * freed together with it. Everything but evaluating is under event_mutex.
 */
#ifndef KERNEL_TRACE_HIST_H
#define KERNEL_TRACE_HIST_H

#include "trace_trigger.h"
#include "tracing_map.h"
#include <linux/spinlock.h>
#include <linux/string.h>

struct synth_event;

enum {
    HIST_STR_MAX = 256, /* bytes of a string in a key or a variable */
    HIST_STACKTRACE_DEPTH = 16,
    HIST_KEY_SIZE_MAX = HIST_STR_MAX + HIST_STACKTRACE_DEPTH * sizeof(long),
    HIST_FIELDS_MAX = TRACING_MAP_KEYS_MAX + TRACING_MAP_VALS_MAX + TRACING_MAP_VARS_MAX,
    HIST_ACTIONS_MAX = 8,
    HIST_PARAMS_MAX = 64,
    HIST_SORT_KEYS_MAX = 2,
    HITCOUNT_IDX = 0,
};

/* C(error, its text), as in Linux 6.1. */
#define HIST_ERRORS                                                                        \
    C(NONE, "No error")                                                                    \
    C(DUPLICATE_VAR, "Variable already defined")                                           \
    C(VAR_NOT_UNIQUE,                                                                      \
      "Variable name not unique, need to use fully qualified name (subsys.event.var) for " \
      "variable")                                                                          \
    C(TOO_MANY_VARS, "Too many variables defined")                                         \
    C(MALFORMED_ASSIGNMENT, "Malformed assignment")                                        \
    C(NAMED_MISMATCH,                                                                      \
      "Named hist trigger doesn't match existing named trigger (includes variables)")      \
    C(TRIGGER_EEXIST, "Hist trigger already exists")                                       \
    C(TRIGGER_ENOENT_CLEAR, "Can't clear or continue a nonexistent hist trigger")          \
    C(SET_CLOCK_FAIL, "Couldn't set trace_clock")                                          \
    C(BAD_FIELD_MODIFIER, "Invalid field modifier")                                        \
    C(TOO_MANY_SUBEXPR, "Too many subexpressions (3 max)")                                 \
    C(TIMESTAMP_MISMATCH, "Timestamp units in expression don't match")                     \
    C(TOO_MANY_FIELD_VARS, "Too many field variables defined")                             \
    C(EVENT_FILE_NOT_FOUND, "Event file not found")                                        \
    C(HIST_NOT_FOUND, "Matching event histogram not found")                                \
    C(HIST_CREATE_FAIL, "Couldn't create histogram for field")                             \
    C(SYNTH_VAR_NOT_FOUND, "Couldn't find synthetic variable")                             \
    C(SYNTH_EVENT_NOT_FOUND, "Couldn't find synthetic event")                              \
    C(SYNTH_TYPE_MISMATCH, "Param type doesn't match synthetic event field type")          \
    C(SYNTH_COUNT_MISMATCH, "Param count doesn't match synthetic event field count")       \
    C(FIELD_VAR_PARSE_FAIL, "Couldn't parse field variable")                               \
    C(VAR_CREATE_FIND_FAIL, "Couldn't create or find variable")                            \
    C(ONX_NOT_VAR, "For onmax(x) or onchange(x), x must be a variable")                    \
    C(ONX_VAR_NOT_FOUND, "Couldn't find onmax or onchange variable")                       \
    C(ONX_VAR_CREATE_FAIL, "Couldn't create onmax or onchange variable")                   \
    C(FIELD_VAR_CREATE_FAIL, "Couldn't create field variable")                             \
    C(TOO_MANY_PARAMS, "Too many action params")                                           \
    C(PARAM_NOT_FOUND, "Couldn't find param")                                              \
    C(INVALID_PARAM, "Invalid action param")                                               \
    C(ACTION_NOT_FOUND, "No action found")                                                 \
    C(NO_SAVE_PARAMS, "No params found for save()")                                        \
    C(TOO_MANY_SAVE_ACTIONS, "Can't have more than one save() action per hist")            \
    C(ACTION_MISMATCH, "Handler doesn't support action")                                   \
    C(NO_CLOSING_PAREN, "No closing paren found")                                          \
    C(SUBSYS_NOT_FOUND, "Missing subsystem")                                               \
    C(INVALID_SUBSYS_EVENT, "Invalid subsystem or event name")                             \
    C(INVALID_REF_KEY, "Using variable references in keys not supported")                  \
    C(VAR_NOT_FOUND, "Couldn't find variable")                                             \
    C(FIELD_NOT_FOUND, "Couldn't find field")                                              \
    C(EMPTY_ASSIGNMENT, "Empty assignment")                                                \
    C(INVALID_SORT_MODIFIER, "Invalid sort modifier")                                      \
    C(EMPTY_SORT_FIELD, "Empty sort field")                                                \
    C(TOO_MANY_SORT_FIELDS, "Too many sort fields (Max = 2)")                              \
    C(INVALID_SORT_FIELD, "Sort field must be a key or a val")                             \
    C(INVALID_STR_OPERAND, "String type can not be an operand in expression")              \
    C(EXPECT_NUMBER, "Expecting numeric literal")                                          \
    C(UNARY_MINUS_SUBEXPR, "Unary minus not supported in sub-expressions")                 \
    C(DIVISION_BY_ZERO, "Division by zero")

#define C(error, text) HIST_ERR_##error,
enum hist_error { HIST_ERRORS };
#undef C

/* What a field computes. */
enum hist_fn {
    HIST_FN_COUNTER,
    HIST_FN_CONST,
    HIST_FN_NUMBER, /* of the entry */
    HIST_FN_STRING, /* of the entry: its address */
    HIST_FN_TIMESTAMP,
    HIST_FN_CPU,
    HIST_FN_EXECNAME, /* the name of the task that first had the key */
    HIST_FN_STACKTRACE,
    HIST_FN_VAR_REF,
    HIST_FN_LOG2,
    HIST_FN_BUCKET,
    HIST_FN_NEGATE,
    HIST_FN_PLUS,
    HIST_FN_MINUS,
    HIST_FN_MULT,
    HIST_FN_DIV,
};

enum {
    HIST_FL_KEY = 1 << 0,
    HIST_FL_VAR = 1 << 1,
    HIST_FL_VAR_REF = 1 << 2,
    HIST_FL_ALIAS = 1 << 3, /* a variable that is another one */
    HIST_FL_EXPR = 1 << 4,
    HIST_FL_CONST = 1 << 5,
    HIST_FL_STRING = 1 << 6,
    HIST_FL_TIMESTAMP = 1 << 7,
    HIST_FL_CPU = 1 << 8,
    HIST_FL_STACKTRACE = 1 << 9,
    HIST_FL_HEX = 1 << 10, /* from here on modifiers */
    HIST_FL_SYM = 1 << 11,
    HIST_FL_SYM_OFFSET = 1 << 12,
    HIST_FL_EXECNAME = 1 << 13,
    HIST_FL_SYSCALL = 1 << 14,
    HIST_FL_LOG2 = 1 << 15,
    HIST_FL_BUCKET = 1 << 16,
    HIST_FL_TIMESTAMP_USECS = 1 << 17,
    HIST_FL_PERCENT = 1 << 18,
    HIST_FL_GRAPH = 1 << 19,
};

struct hist_field {
    enum hist_fn fn;
    unsigned int flags;
    const struct ftrace_event_field *field; /* NULL: not of the entry */
    struct hist_field *operands[2];
    const char *type;
    unsigned int size;
    bool is_signed;
    unsigned int offset;   /* in the key */
    unsigned long buckets; /* the width of one */
    u64 constant;
    const char *name;                /* of an expression, or of the variable that is referred to */
    const char *system, *event;      /* of that variable; NULL: not given */
    const char *var_name;            /* of a variable */
    struct hist_trigger_data *owner; /* of the variable, or of the one that is referred to */
    unsigned int var;                /* its number in the owner's map */
    unsigned int slot;               /* of a variable that is a string: its number among those */
    unsigned int ref;                /* of a reference: its number in hist_ctx */
    bool read_once;                  /* the variable has no value any more when it was read */
};

/* A variable that the value is copied to. */
struct hist_copy {
    struct hist_field *var, *val;
};

struct hist_sort_key {
    unsigned int index; /* among the fields that are no variables */
    bool descending;
};

enum hist_handler { HANDLER_ONMATCH, HANDLER_ONMAX, HANDLER_ONCHANGE };
enum hist_action_id { ACTION_TRACE, ACTION_SAVE, ACTION_SNAPSHOT };

struct hist_action {
    enum hist_handler handler;
    enum hist_action_id id;
    const char *name;
    const char *system, *event;             /* of onmatch */
    const char *var_str;                    /* of onmax, onchange: `$VAR` */
    struct hist_field *var_ref, *track_var; /* that variable, and its value so far */
    unsigned int n_params;
    const char *params[HIST_PARAMS_MAX];
    bool use_trace_keyword;
    const char *synth_name;
    struct synth_event *synth;
    unsigned int refs[HIST_PARAMS_MAX]; /* of the parameters */
};

/* The last conditional snapshot of an onmax() or onchange(). */
struct hist_snapshot {
    struct hist_action *action; /* NULL: there is none */
    bool updated;
    u64 value;
    u64 key[HIST_KEY_SIZE_MAX / sizeof(u64)];
    char comm[TASK_COMM_LEN];
};

/* A trigger that was made for a field of another event. */
struct hist_field_trigger {
    const char *system, *event, *cmd;
};

struct hist_chunk {
    struct hist_chunk *next;
    u64 bytes[];
};

struct hist_trigger_data {
    struct list_head list; /* of those that are in use */
    struct hist_chunk *chunks;
    struct trace_array *tr;
    struct trace_event_file *file;
    int users; /* triggers: those of one name share it */
    int pins;  /* references from others to its variables */
    int err;   /* of the function that has failed */

    /* What the command says. */
    bool remove, pause, cont, clear;
    char *keys_str, *vals_str, *sort_str, *name;
    const char *clock;
    unsigned int n_assignments, n_action_strs, n_var_defs;
    char *assignments[TRACING_MAP_VARS_MAX], *action_strs[HIST_ACTIONS_MAX];
    const char *var_names[TRACING_MAP_VARS_MAX], *var_exprs[TRACING_MAP_VARS_MAX];

    struct hist_field *fields[HIST_FIELDS_MAX];
    unsigned int n_vals; /* with the variables */
    unsigned int n_vars, n_fields;
    unsigned int key_size;
    unsigned int n_sort_keys;
    struct hist_sort_key sort_keys[HIST_SORT_KEYS_MAX];
    bool has_execname, uses_timestamps, ts_in_usecs;
    bool has_timestamps;  /* counted in no_filter_buffering_ref */
    unsigned int n_slots; /* strings */
    struct hist_field *var_refs[TRACING_MAP_VARS_MAX];
    unsigned int n_var_refs;
    unsigned int n_actions;
    struct hist_action *actions[HIST_ACTIONS_MAX];
    unsigned int n_field_vars, n_save_vars, n_field_triggers;
    struct hist_copy field_vars[HIST_PARAMS_MAX], save_vars[HIST_PARAMS_MAX];
    struct hist_field_trigger field_triggers[HIST_PARAMS_MAX];
    struct tracing_map map;
    spinlock_t track_lock; /* of what onmax, onchange have; arch_spin_*, with interrupts off */
    struct hist_snapshot *snapshot;
};

/* What fields are evaluated for. */
struct hist_ctx {
    struct hist_trigger_data *hist;
    struct tracing_map_elt *elt; /* NULL: not yet known */
    const char *rec;
    u64 ts;
    u64 refs[TRACING_MAP_VARS_MAX]; /* values of variables */
};

#define for_each_hist_val(field, i, hist) \
    for ((i) = 0; (i) < (hist)->n_vals && ((field) = (hist)->fields[i]); (i)++)
#define for_each_hist_key(field, i, hist) \
    for ((i) = (hist)->n_vals; (i) < (hist)->n_fields && ((field) = (hist)->fields[i]); (i)++)

/* ---- memory and errors: trace_hist_field.c ---- */

/* Zeroed memory of the trigger; NULL: none, and hist->err is set. */
void *hist_alloc(struct hist_trigger_data *hist, size_t size);
char *hist_strdup(struct hist_trigger_data *hist, const char *text);
/* The command that errors are logged for. */
void hist_set_last_cmd(const struct trace_event_file *file, const char *text);
/* Logs the error at the first place of these words in the command (NULL: its begin). -EINVAL. */
int hist_err(struct hist_trigger_data *hist, enum hist_error error, const char *at);

/* ---- fields: trace_hist_field.c; NULL: an error, which is in hist->err ---- */

struct hist_field *hist_parse_expr(struct hist_trigger_data *hist, char *text, unsigned int flags,
                                   const char *var_name, unsigned int *n_subexprs);
/* A field of the entry, a variable or a number. */
struct hist_field *hist_parse_atom(struct hist_trigger_data *hist, char *text, unsigned int flags,
                                   const char *var_name);
struct hist_field *hist_new_field(struct hist_trigger_data *hist, enum hist_fn fn,
                                  unsigned int flags);
struct hist_field *hist_make_ref(struct hist_trigger_data *hist, struct hist_field *var,
                                 const char *system, const char *event);
/* A variable of the trigger itself; no error if there is none. */
struct hist_field *hist_find_own_var(struct hist_trigger_data *hist, const char *name);
/* ... or of another trigger of the same event. */
struct hist_field *hist_find_var(struct hist_trigger_data *hist, const char *name);
/* A variable of another event, or of any if system is NULL. */
struct hist_field *hist_find_event_var(struct hist_trigger_data *hist, const char *system,
                                       const char *event, const char *name);
bool hist_has_vars(const struct hist_field *field);
/* Takes over the string for the variable. */
void hist_give_slot(struct hist_trigger_data *hist, struct hist_field *var);
u64 hist_eval(const struct hist_field *field, const struct hist_ctx *ctx);
const char *hist_field_name(const struct hist_field *field);
/* The modifier's name; NULL: there is none. */
const char *hist_modifier_name(const struct hist_field *field);

/* ---- elements ---- */

static inline char *hist_elt_comm(const struct hist_trigger_data *hist, struct tracing_map_elt *elt)
{
    return tracing_map_private(&hist->map, elt);
}

static inline char *hist_elt_string(const struct hist_trigger_data *hist,
                                    struct tracing_map_elt *elt, unsigned int slot)
{
    char *bytes = tracing_map_private(&hist->map, elt);

    return bytes + (hist->has_execname ? TASK_COMM_LEN : 0) + (size_t)slot * HIST_STR_MAX;
}

/* Sets the variable to the value; a string is copied. */
void hist_set_var(const struct hist_ctx *ctx, const struct hist_field *var, u64 value);

/* ---- actions: trace_hist_action.c; 0 or an error ---- */

int hist_parse_actions(struct hist_trigger_data *hist);
int hist_create_actions(struct hist_trigger_data *hist);
void hist_destroy_actions(struct hist_trigger_data *hist);
bool hist_actions_match(const struct hist_trigger_data *a, const struct hist_trigger_data *b);
void hist_run_actions(const struct hist_ctx *ctx, const u64 *key);
void hist_print_action_specs(struct seq_file *m, const struct hist_trigger_data *hist);
/* What onmax() and onchange() have in an element. */
void hist_print_tracked(struct seq_file *m, struct hist_trigger_data *hist,
                        struct tracing_map_elt *elt);
void hist_print_snapshot(struct seq_file *m, struct hist_trigger_data *hist);

/* ---- triggers: trace_events_hist.c ---- */

extern struct list_head hist_triggers; /* hist_trigger_data in use */

/* Adds or removes a trigger; text is what follows `hist:`. */
int hist_trigger_command(struct trace_event_file *file, bool remove, char *text);
void hist_unpin(struct hist_trigger_data *hist);

/* ---- files: trace_hist_print.c ---- */

void hist_print_key(struct seq_file *m, const struct hist_trigger_data *hist, const u64 *key,
                    const char *comm);

#endif
