/*
 * trace_events_hist.c - hist triggers: tables of how often an event has had which values of its
 * fields.
 *
 *     hist:keys=FIELD[,...][:vals=FIELD[,...]][:VAR=EXPR[,...]][:sort=FIELD[,...]][:size=N]
 *         [:name=NAME][:clock=CLOCK][:pause][:cont][:clear][:HANDLER.ACTION] [if FILTER]
 *
 * When the event happens, the variables of others that are referred to must have values for the
 * same key, or nothing is counted; then values are added, variables set, and actions carried out.
 *
 * A trigger may be freed only after those that refer to its variables: they pin it.
 *
 * Not instrumented.
 */
#include "trace_hist.h"
#include <asm/stacktrace.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

LIST_HEAD(hist_triggers);

/* ---- freeing ---- */

static void free_hist(struct hist_trigger_data *hist)
{
    struct hist_chunk *chunk = hist->chunks;

    tracing_map_free(&hist->map);
    while (chunk) {
        struct hist_chunk *next = chunk->next;

        kfree(chunk);
        chunk = next;
    }
    kfree(hist);
}

void hist_unpin(struct hist_trigger_data *hist)
{
    if (--hist->pins == 0 && !hist->users)
        free_hist(hist);
}

/* The instance's entries are made in the ring while a hist that acts uses timestamps. */
static void count_timestamps(struct hist_trigger_data *hist, int change)
{
    WRITE_ONCE(hist->tr->no_filter_buffering_ref, hist->tr->no_filter_buffering_ref + change);
    hist->has_timestamps = change > 0;
}

/* Nobody runs it any more. */
static void destroy_hist(struct hist_trigger_data *hist)
{
    unsigned int i;

    if (hist->has_timestamps)
        count_timestamps(hist, -1);
    for (i = 0; i < hist->n_var_refs; i++)
        if (hist->var_refs[i]->owner != hist)
            hist_unpin(hist->var_refs[i]->owner);
    hist->n_var_refs = 0;
    hist_destroy_actions(hist);
    if (!hist->pins)
        free_hist(hist);
}

/* Another trigger of the same name, whose event is the one that the shared data are of now. */
static struct trace_event_file *other_file_of(const struct hist_trigger_data *hist)
{
    const struct event_trigger_data *data;
    struct trace_event_file *file;

    list_for_each_entry(file, &hist->tr->events, list)
        list_for_each_entry(data, &file->triggers, list)
            if (data->hist == hist)
                return file;
    return hist->file;
}

void hist_trigger_free(struct event_trigger_data *data)
{
    struct hist_trigger_data *hist = data->hist;

    if (!hist)
        return;
    if (--hist->users) {
        hist->file = other_file_of(hist);
        return;
    }
    list_del_init(&hist->list);
    destroy_hist(hist);
}

/* ---- parsing: the words ---- */

static const char *after(const char *word, const char *prefix)
{
    size_t len = strlen(prefix);

    return strncmp(word, prefix, len) ? NULL : word + len;
}

static int parse_size(struct hist_trigger_data *hist, const char *text)
{
    unsigned long size;
    int err = kstrtoul(text, 0, &size);

    if (err)
        return err;
    hist->map.bits = size ? fls_long(size - 1) : 0;
    return hist->map.bits >= TRACING_MAP_BITS_MIN && hist->map.bits <= TRACING_MAP_BITS_MAX
               ? 0
               : -EINVAL;
}

/* `NAME=VALUE` */
static int parse_assignment(struct hist_trigger_data *hist, char *word)
{
    char *value = strchr(word, '=') + 1;

    if (after(word, "key=") || after(word, "keys="))
        hist->keys_str = value;
    else if (after(word, "val=") || after(word, "vals=") || after(word, "values="))
        hist->vals_str = value;
    else if (after(word, "sort="))
        hist->sort_str = value;
    else if (after(word, "name="))
        hist->name = word;
    else if (after(word, "clock="))
        hist->clock = strstrip(value);
    else if (after(word, "size="))
        return parse_size(hist, value);
    else if (hist->n_assignments == TRACING_MAP_VARS_MAX)
        return hist_err(hist, HIST_ERR_TOO_MANY_VARS, word);
    else
        hist->assignments[hist->n_assignments++] = word;
    return 0;
}

static int parse_word(struct hist_trigger_data *hist, char *word)
{
    const char *equals = strchr(word, '=');

    if (equals)
        return equals[1] ? parse_assignment(hist, word)
                         : hist_err(hist, HIST_ERR_EMPTY_ASSIGNMENT, word);
    if (!strcmp(word, "pause"))
        hist->pause = true;
    else if (!strcmp(word, "cont") || !strcmp(word, "continue"))
        hist->cont = true;
    else if (!strcmp(word, "clear"))
        hist->clear = true;
    else if (hist->n_action_strs < HIST_ACTIONS_MAX &&
             (after(word, "onmatch(") || after(word, "onmax(") || after(word, "onchange(")))
        hist->action_strs[hist->n_action_strs++] = word;
    else
        return -EINVAL;
    return 0;
}

static int parse_words(struct hist_trigger_data *hist, char *text)
{
    char *word, *at;
    int err = 0;

    /* The minus is no operator. */
    for (at = text; (at = strstr(at, ".sym-offset")); at++)
        at[4] = 'X';
    while (!err && (word = strsep(&text, ":")))
        err = parse_word(hist, word);
    return err || hist->keys_str ? err : -EINVAL;
}

/* `NAME=EXPR[,...]` */
static int parse_var_defs(struct hist_trigger_data *hist)
{
    unsigned int i, n;

    for (i = 0; i < hist->n_assignments; i++) {
        char *text = hist->assignments[i], *expr;

        while ((expr = strsep(&text, ","))) {
            const char *name = strsep(&expr, "=");

            if (!expr)
                return hist_err(hist, HIST_ERR_MALFORMED_ASSIGNMENT, name);
            n = hist->n_var_defs;
            if (n == TRACING_MAP_VARS_MAX)
                return hist_err(hist, HIST_ERR_TOO_MANY_VARS, name);
            hist->var_names[n] = name;
            hist->var_exprs[n] = expr;
            hist->n_var_defs++;
        }
    }
    return 0;
}

/* ---- parsing: fields ---- */

static bool has_wrong_modifier(const struct hist_field *field)
{
    unsigned int flags = HIST_FL_GRAPH | HIST_FL_PERCENT | HIST_FL_BUCKET | HIST_FL_LOG2;

    if (field->flags & HIST_FL_VAR)
        return field->flags & flags;
    flags = HIST_FL_BUCKET | HIST_FL_LOG2 | HIST_FL_SYM | HIST_FL_SYM_OFFSET | HIST_FL_SYSCALL;
    return field->flags & flags;
}

/* A value, or a variable. text is changed: errors are about a copy. */
static int create_val(struct hist_trigger_data *hist, const char *text, unsigned int flags,
                      const char *var_name)
{
    char *copy = hist_strdup(hist, text);
    unsigned int n_subexprs = 0;
    struct hist_field *field;

    if (!copy)
        return -ENOMEM;
    field = hist_parse_expr(hist, copy, flags, var_name, &n_subexprs);
    if (!field)
        return hist->err;
    if (has_wrong_modifier(field))
        return hist_err(hist, HIST_ERR_BAD_FIELD_MODIFIER, text);
    hist->fields[hist->n_fields++] = field;
    hist->n_vals++;
    return 0;
}

static int create_vals(struct hist_trigger_data *hist)
{
    char *rest = hist->vals_str, *text;
    int err = 0;

    hist->fields[HITCOUNT_IDX] = hist_new_field(hist, HIST_FN_COUNTER, 0);
    if (!hist->fields[HITCOUNT_IDX])
        return -ENOMEM;
    hist->n_vals = hist->n_fields = 1;
    while (!err && (text = strsep(&rest, ",")))
        if (strcmp(text, "hitcount"))
            err = hist->n_vals < TRACING_MAP_VALS_MAX ? create_val(hist, text, 0, NULL) : -EINVAL;
    hist->map.n_sums = hist->n_vals;
    return err;
}

/* A variable of common_pid.execname is a string. */
static void make_execname(struct hist_field *var)
{
    var->fn = HIST_FN_EXECNAME;
    var->flags = HIST_FL_STRING | HIST_FL_VAR | HIST_FL_EXECNAME;
    var->size = HIST_STR_MAX;
    var->is_signed = false;
    var->type = "char[]";
}

static int create_vars(struct hist_trigger_data *hist)
{
    unsigned int i;
    int err;

    for (i = 0; i < hist->n_var_defs; i++) {
        struct hist_field *var;

        if (hist_find_var(hist, hist->var_names[i]) && !hist->remove)
            return hist_err(hist, HIST_ERR_DUPLICATE_VAR, hist->var_names[i]);
        err = create_val(hist, hist->var_exprs[i], HIST_FL_VAR, hist->var_names[i]);
        if (err)
            return err;
        var = hist->fields[hist->n_fields - 1];
        if (var->flags & HIST_FL_EXECNAME)
            make_execname(var);
        hist_give_slot(hist, var);
        var->var = hist->map.n_vars++;
        hist->n_vars++;
    }
    return 0;
}

static int create_key(struct hist_trigger_data *hist, const char *text)
{
    bool is_stack = !strcmp(text, "stacktrace");
    char *copy = hist_strdup(hist, text);
    unsigned int n_subexprs = 0;
    struct hist_field *field;

    if (!copy)
        return -ENOMEM;
    field = is_stack ? hist_new_field(hist, HIST_FN_STACKTRACE, HIST_FL_KEY | HIST_FL_STACKTRACE)
                     : hist_parse_expr(hist, copy, HIST_FL_KEY, NULL, &n_subexprs);
    if (!field)
        return hist->err;
    if (hist_has_vars(field))
        return hist_err(hist, HIST_ERR_INVALID_REF_KEY, text);
    if (is_stack)
        field->size = HIST_STACKTRACE_DEPTH * sizeof(long);
    field->size = ALIGN(field->size, (unsigned int)sizeof(u64));
    field->offset = hist->key_size;
    hist->key_size += field->size;
    hist->fields[hist->n_fields++] = field;
    return hist->key_size > HIST_KEY_SIZE_MAX ? -EINVAL : 0;
}

static int create_keys(struct hist_trigger_data *hist)
{
    char *rest = hist->keys_str, *text;
    int err = 0;

    while (!err && (text = strsep(&rest, ",")))
        err =
            hist->n_fields - hist->n_vals < TRACING_MAP_KEYS_MAX ? create_key(hist, text) : -EINVAL;
    return err;
}

/* ---- parsing: the order ---- */

/* NULL: ascending. */
static int parse_order(struct hist_trigger_data *hist, const char *text, bool *descending)
{
    *descending = text && !strcmp(text, "descending");
    if (!text || *descending || !strcmp(text, "ascending"))
        return 0;
    return hist_err(hist, HIST_ERR_INVALID_SORT_MODIFIER, text);
}

static int create_sort_key(struct hist_trigger_data *hist, char *text, struct hist_sort_key *key)
{
    const char *name = strsep(&text, ".");
    unsigned int i, index = 0;

    if (!*name)
        return hist_err(hist, HIST_ERR_EMPTY_SORT_FIELD, "sort=");
    if (!strcmp(name, "hitcount"))
        return parse_order(hist, text, &key->descending);
    for (i = 1; i < hist->n_fields; i++) {
        if (hist->fields[i]->flags & HIST_FL_VAR)
            continue;
        index++;
        if (strcmp(hist_field_name(hist->fields[i]), name))
            continue;
        key->index = index;
        return parse_order(hist, text, &key->descending);
    }
    return hist_err(hist, HIST_ERR_INVALID_SORT_FIELD, name);
}

static int create_sort_keys(struct hist_trigger_data *hist)
{
    char *rest = hist->sort_str, *text;
    unsigned int n = 0;
    int err = 0;

    hist->n_sort_keys = 1; /* hitcount */
    while (!err && (text = strsep(&rest, ","))) {
        if (!*text)
            return hist_err(hist, HIST_ERR_EMPTY_SORT_FIELD, "sort=");
        if (n == HIST_SORT_KEYS_MAX - 1 && rest)
            return hist_err(hist, HIST_ERR_TOO_MANY_SORT_FIELDS, "sort=");
        err = create_sort_key(hist, text, &hist->sort_keys[n++]);
        hist->n_sort_keys = n;
    }
    return err;
}

/* ---- a trigger's data ---- */

static int create_fields(struct hist_trigger_data *hist)
{
    int err = hist_parse_actions(hist);

    if (!err)
        err = parse_var_defs(hist);
    if (!err)
        err = create_vals(hist);
    if (!err)
        err = create_vars(hist);
    if (!err)
        err = create_keys(hist);
    return err ? err : create_sort_keys(hist);
}

/* NULL: *err is the error. */
static struct hist_trigger_data *create_hist(struct trace_event_file *file, bool remove,
                                             const char *text, int *err)
{
    struct hist_trigger_data *hist = kzalloc(sizeof(*hist));
    char *copy;

    *err = -ENOMEM;
    if (!hist)
        return NULL;
    INIT_LIST_HEAD(&hist->list);
    hist->file = file;
    hist->tr = file->tr;
    hist->remove = remove;
    hist->err = -EINVAL;
    hist->clock = "global";
    hist->map.bits = TRACING_MAP_BITS_DEFAULT;
    copy = hist_strdup(hist, text);
    *err = copy ? parse_words(hist, copy) : -ENOMEM;
    if (!*err)
        *err = create_fields(hist);
    if (!*err)
        return hist;
    destroy_hist(hist);
    return NULL;
}

static void init_elt(struct tracing_map_elt *elt, void *private)
{
    char *comm = private;

    (void)elt;
    if (current->pid)
        memcpy(comm, current->comm, TASK_COMM_LEN);
    else
        strscpy(comm, "<idle>", TASK_COMM_LEN);
}

static int init_map(struct hist_trigger_data *hist)
{
    if (hist->n_slots > HIST_PARAMS_MAX)
        return -EINVAL;
    hist->map.key_size = hist->key_size;
    hist->map.init_elt = hist->has_execname ? init_elt : NULL;
    hist->map.private_size =
        (hist->has_execname ? TASK_COMM_LEN : 0) + hist->n_slots * HIST_STR_MAX;
    return tracing_map_init(&hist->map);
}

/* ---- comparing ---- */

static bool is_same_field(const struct ftrace_event_field *a, const struct ftrace_event_field *b)
{
    return a == b || (a && b && !strcmp(a->name, b->name) && !strcmp(a->type, b->type) &&
                      a->size == b->size && a->is_signed == b->is_signed);
}

static bool fields_match(const struct hist_field *a, const struct hist_field *b)
{
    return a->flags == b->flags && is_same_field(a->field, b->field) && a->offset == b->offset &&
           a->size == b->size && a->is_signed == b->is_signed && !a->var_name == !b->var_name &&
           (!a->var_name || !strcmp(a->var_name, b->var_name));
}

static bool filters_match(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool hists_match(const struct hist_trigger_data *a, const struct hist_trigger_data *b)
{
    unsigned int i;

    if (a->n_vals != b->n_vals || a->n_fields != b->n_fields || a->n_sort_keys != b->n_sort_keys)
        return false;
    for (i = 0; i < a->n_fields; i++)
        if (!fields_match(a->fields[i], b->fields[i]))
            return false;
    for (i = 0; i < a->n_sort_keys; i++)
        if (a->sort_keys[i].index != b->sort_keys[i].index ||
            a->sort_keys[i].descending != b->sort_keys[i].descending)
            return false;
    return hist_actions_match(a, b);
}

/* The data that triggers of a name share; NULL: there is none of this name. */
static struct hist_trigger_data *find_named(const char *name)
{
    struct hist_trigger_data *hist;

    list_for_each_entry(hist, &hist_triggers, list)
        if (hist->name && !strcmp(hist->name, name))
            return hist;
    return NULL;
}

/* The event's trigger that is like a new one; named: what that has the name of. */
static struct event_trigger_data *find_match(const struct event_trigger_data *data,
                                             const struct hist_trigger_data *named)
{
    struct event_trigger_data *other;

    list_for_each_entry(other, &data->file->triggers, list) {
        if (other->hist && (named ? other->hist == named : !other->hist->name) &&
            hists_match(data->hist, other->hist) &&
            filters_match(data->filter_str, other->filter_str))
            return other;
    }
    return NULL;
}

static bool is_referred_to(const struct hist_trigger_data *hist)
{
    const struct hist_trigger_data *other;
    unsigned int i;

    list_for_each_entry(other, &hist_triggers, list) {
        for (i = 0; other != hist && i < other->n_var_refs; i++)
            if (other->var_refs[i]->owner == hist)
                return true;
    }
    return false;
}

/* ---- pause, cont, clear ---- */

static void pause_all(struct hist_trigger_data *hist, bool *was_paused, bool pause)
{
    struct event_trigger_data *data;
    struct trace_event_file *file;
    unsigned int i = 0;

    list_for_each_entry(file, &hist->tr->events, list)
        list_for_each_entry(data, &file->triggers, list) {
            if (data->hist != hist || (int)i == hist->users)
                continue;
            if (pause)
                was_paused[i] = data->paused;
            WRITE_ONCE(data->paused, pause || was_paused[i]);
            i++;
        }
}

/* Nothing is counted meanwhile. */
static int clear_hist(struct hist_trigger_data *hist)
{
    bool *was_paused = kzalloc(hist->users * sizeof(bool));

    if (!was_paused)
        return -ENOMEM;
    pause_all(hist, was_paused, true);
    tracepoint_synchronize_unregister();
    tracing_map_clear(&hist->map);
    pause_all(hist, was_paused, false);
    kfree(was_paused);
    return 0;
}

/* True: there is such a trigger, and it was told. */
static bool update_existing(const struct event_trigger_data *data,
                            const struct hist_trigger_data *named, int *err)
{
    const struct hist_trigger_data *hist = data->hist;
    struct event_trigger_data *old;

    if (!hist->pause && !hist->cont && !hist->clear)
        return false;
    if (hist->name && (!named || !hists_match(hist, named)))
        return false;
    old = find_match(data, named);
    if (!old)
        return false;
    if (hist->pause)
        WRITE_ONCE(old->paused, true);
    else if (hist->cont)
        WRITE_ONCE(old->paused, false);
    else
        *err = clear_hist(old->hist);
    return true;
}

/* ---- adding and removing ---- */

static int check_new(const struct event_trigger_data *data, const struct hist_trigger_data *named)
{
    struct hist_trigger_data *hist = data->hist;

    if (named && !hists_match(hist, named))
        return hist_err(hist, HIST_ERR_NAMED_MISMATCH, hist->name);
    if ((named || !hist->name) && find_match(data, named)) {
        hist_err(hist, HIST_ERR_TRIGGER_EEXIST, NULL);
        return -EEXIST;
    }
    if (hist->cont || hist->clear) {
        hist_err(hist, HIST_ERR_TRIGGER_ENOENT_CLEAR, NULL);
        return -ENOENT;
    }
    return 0;
}

/* Each hart has seen the count when the clock is set. */
static int start_timestamps(struct hist_trigger_data *hist)
{
    if (!hist->uses_timestamps)
        return 0;
    count_timestamps(hist, 1);
    if (!tracing_set_clock(hist->tr, hist->clock))
        return 0;
    return hist_err(hist, HIST_ERR_SET_CLOCK_FAIL, hist->clock);
}

/* The trigger is data's from here on, also after an error. */
static int add_hist(struct event_trigger_data *data, struct hist_trigger_data *named)
{
    struct hist_trigger_data *hist = data->hist;
    int err = 0;

    if (!named) {
        err = hist_create_actions(hist);
        if (!err)
            err = init_map(hist);
    }
    if (!err)
        err = check_new(data, named);
    if (!err)
        err = start_timestamps(hist);
    if (err)
        return err;
    data->paused = hist->pause;
    if (named) {
        destroy_hist(hist);
        data->hist = named;
    } else {
        list_add_tail(&hist->list, &hist_triggers);
    }
    data->hist->users++;
    err = link_trigger(data);
    if (err) {
        hist_trigger_free(data);
        data->hist = NULL;
    }
    return err;
}

static int remove_hist(const struct event_trigger_data *data, const struct hist_trigger_data *named)
{
    struct event_trigger_data *old = data->hist->name && !named ? NULL : find_match(data, named);

    if (!old)
        return 0;
    if (is_referred_to(old->hist))
        return -EBUSY;
    unlink_trigger(old);
    return 0;
}

/* Splits the filter off. NULL: there is none; an error if there is nothing else. */
static int split_filter(char *text, char **filter)
{
    char *at = text;

    *filter = NULL;
    while ((at = strstr(at, "if"))) {
        if (at == text)
            return -EINVAL;
        if ((at[-1] == ' ' || at[-1] == '\t') && strlen(at) <= sizeof("if"))
            return -EINVAL;
        if ((at[-1] == ' ' || at[-1] == '\t') && (at[2] == ' ' || at[2] == '\t')) {
            at[-1] = 0;
            *filter = at;
            return 0;
        }
        at++;
    }
    return 0;
}

int hist_trigger_command(struct trace_event_file *file, bool remove, char *text)
{
    struct hist_trigger_data *hist, *named;
    struct event_trigger_data *data;
    char *filter;
    int err = split_filter(text, &filter);

    if (err)
        return err;
    hist = create_hist(file, remove, strstrip(text), &err);
    if (!hist)
        return err;
    data = alloc_trigger(file, find_trigger_command("hist"));
    if (!data) {
        destroy_hist(hist);
        return -ENOMEM;
    }
    data->hist = hist;
    err = filter ? set_trigger_filter(data, strstrip(filter)) : 0;
    named = hist->name ? find_named(hist->name) : NULL;
    if (!err && remove)
        err = remove_hist(data, named);
    else if (!err && !update_existing(data, named, &err)) {
        err = add_hist(data, named);
        if (!err)
            return 0;
    }
    if (data->hist)
        destroy_hist(data->hist);
    data->hist = NULL;
    free_trigger(data);
    return err;
}

int hist_trigger_parse(struct trace_event_file *file, bool remove, char *text)
{
    if (!text)
        return -EINVAL;
    hist_set_last_cmd(file, text);
    return hist_trigger_command(file, remove, text);
}

void hist_unregister_all(struct trace_event_file *file)
{
    struct event_trigger_data *data, *next;
    bool busy = false;

    list_for_each_entry(data, &file->triggers, list)
        busy |= data->hist && is_referred_to(data->hist);
again:
    list_for_each_entry_safe(data, next, &file->triggers, list) {
        if (data->cmd->type != ETT_HIST_ENABLE && (!data->hist || busy))
            continue;
        unlink_trigger(data);
        goto again; /* others that were made for it may have gone, too */
    }
}

/* ---- when the event happens ---- */

/* The size of the text and its end, at most; the key is zeroed. */
static void add_string(char *to, const struct hist_field *field, const char *rec, const char *text)
{
    size_t size = field->field->size;
    u32 place;

    if (field->field->filter_type != FILTER_STATIC_STRING) {
        memcpy(&place, rec + field->field->offset, sizeof(place));
        size = place >> 16;
    }
    size = min(size, (size_t)field->size - 1);
    memcpy(to, text, strnlen(text, size));
}

/* This, hist_trigger(), event_triggers_call(), trace_event_buffer_commit(), the probe. */
static noinline void add_stack(u64 *key)
{
    enum { SKIPPED = 5 };
    unsigned long callers[HIST_STACKTRACE_DEPTH];
    unsigned int n = stack_trace_save(callers, HIST_STACKTRACE_DEPTH, SKIPPED);

    memcpy(key, callers, n * sizeof(callers[0]));
}

static __always_inline void make_key(const struct hist_ctx *ctx, u64 *key)
{
    const struct hist_field *field;
    unsigned int i;

    memset(key, 0, ctx->hist->key_size);
    for_each_hist_key(field, i, ctx->hist) {
        u64 *at = key + field->offset / sizeof(u64);

        if (field->flags & HIST_FL_STACKTRACE)
            add_stack(at);
        else if (field->fn == HIST_FN_STRING)
            add_string((char *)at, field, ctx->rec,
                       (const char *)(unsigned long)hist_eval(field, ctx));
        else
            *at = hist_eval(field, ctx);
    }
}

/*
 * own: the variables of this trigger, or those of others, which may have only the first of the
 * keys. False: one has no value.
 */
static bool resolve_refs(struct hist_ctx *ctx, const u64 *key, bool own)
{
    unsigned int i;

    for (i = 0; i < ctx->hist->n_var_refs; i++) {
        const struct hist_field *ref = ctx->hist->var_refs[i];
        struct tracing_map *map = &ref->owner->map;
        struct tracing_map_elt *elt = ctx->elt;

        if (own != (ref->owner == ctx->hist))
            continue;
        if (!own)
            elt = map->key_size <= ctx->hist->key_size ? tracing_map_lookup(map, key) : NULL;
        if (!elt || !tracing_map_get_var(map, elt, ref->var, !own && ref->read_once, &ctx->refs[i]))
            return false;
    }
    return true;
}

static void update(const struct hist_ctx *ctx)
{
    struct hist_trigger_data *hist = ctx->hist;
    const struct hist_field *field;
    unsigned int i;

    for_each_hist_val(field, i, hist) {
        u64 value = hist_eval(field, ctx);

        if (field->flags & HIST_FL_VAR)
            hist_set_var(ctx, field, value);
        else
            (void)__atomic_fetch_add(tracing_map_sum(ctx->elt, i), value, __ATOMIC_RELAXED);
    }
    for (i = 0; i < hist->n_field_vars; i++)
        hist_set_var(ctx, hist->field_vars[i].var, hist_eval(hist->field_vars[i].val, ctx));
}

noinline void hist_trigger(struct event_trigger_data *data, const void *rec, u64 ts)
{
    struct hist_ctx ctx = {.hist = data->hist, .rec = rec, .ts = ts};
    u64 key[HIST_KEY_SIZE_MAX / sizeof(u64)];

    if (ctx.hist->ts_in_usecs && trace_clock_in_ns(ctx.hist->tr))
        ctx.ts = ns2usecs(ctx.ts);
    make_key(&ctx, key);
    if (!resolve_refs(&ctx, key, false))
        return;
    ctx.elt = tracing_map_insert(&ctx.hist->map, key);
    if (!ctx.elt)
        return;
    update(&ctx);
    if (resolve_refs(&ctx, key, true))
        hist_run_actions(&ctx, key);
}
