/*
 * trace_hist_action.c - what hist triggers do besides counting: `onmatch(SYSTEM.EVENT).ACTION`,
 * `onmax($VAR).ACTION` and `onchange($VAR).ACTION`. An action is `trace(SYNTH,ARGS)` or
 * `SYNTH(ARGS)`, which record a synthetic event, `save(FIELDS)`, or `snapshot()`.
 *
 * Actions take their parameters from variables. For a field a variable is made: in the trigger
 * itself, or, for a field of the event of onmatch(), in a trigger of that event which is made for
 * it.
 *
 * Not instrumented.
 */
#include "trace_hist.h"
#include "trace_synth.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/slab.h>

/* Of all traces; under event_mutex. NULL: nobody takes conditional snapshots. */
static struct hist_trigger_data *snapshot_owner;

/* ---- parsing ---- */

static int parse_params(struct hist_trigger_data *hist, struct hist_action *action, char *text)
{
    bool first = true;
    char *param;

    while ((param = strsep(&text, ","))) {
        if (action->n_params == HIST_PARAMS_MAX)
            return hist_err(hist, HIST_ERR_TOO_MANY_PARAMS, NULL);
        param = strstrip(param);
        if (strlen(param) < 2)
            return hist_err(hist, HIST_ERR_INVALID_PARAM, param);
        if (first && action->use_trace_keyword)
            action->synth_name = param;
        else
            action->params[action->n_params++] = param;
        first = false;
    }
    return 0;
}

/* `.ACTION(PARAMS)` */
static int parse_action(struct hist_trigger_data *hist, struct hist_action *action, char *text)
{
    bool tracks = action->handler != HANDLER_ONMATCH;
    char *params;

    strsep(&text, ".");
    action->name = text ? strsep(&text, "(") : NULL;
    if (!action->name || !text)
        return hist_err(hist, HIST_ERR_ACTION_NOT_FOUND, NULL);
    params = strsep(&text, ")");
    if (!strncmp(action->name, "save", 4)) {
        int err = parse_params(hist, action, params);

        action->id = ACTION_SAVE;
        return err || tracks ? err : hist_err(hist, HIST_ERR_ACTION_MISMATCH, action->name);
    }
    if (!strncmp(action->name, "snapshot", 8)) {
        action->id = ACTION_SNAPSHOT;
        if (!text)
            return hist_err(hist, HIST_ERR_NO_CLOSING_PAREN, params);
        return tracks ? 0 : hist_err(hist, HIST_ERR_ACTION_MISMATCH, action->name);
    }
    action->id = ACTION_TRACE;
    action->use_trace_keyword = !strncmp(action->name, "trace", 5);
    return parse_params(hist, action, params);
}

static int parse_onmatch(struct hist_trigger_data *hist, struct hist_action *action, char *text)
{
    char *event = strsep(&text, ")"), *system;

    if (!text)
        return hist_err(hist, HIST_ERR_NO_CLOSING_PAREN, event);
    system = strsep(&event, ".");
    if (!event)
        return hist_err(hist, HIST_ERR_SUBSYS_NOT_FOUND, system);
    if (!__find_event_file(hist->tr, system, event))
        return hist_err(hist, HIST_ERR_INVALID_SUBSYS_EVENT, event);
    action->system = system;
    action->event = event;
    return parse_action(hist, action, text);
}

static int parse_tracking(struct hist_trigger_data *hist, struct hist_action *action, char *text)
{
    action->var_str = strsep(&text, ")");
    return text ? parse_action(hist, action, text) : -EINVAL;
}

int hist_parse_actions(struct hist_trigger_data *hist)
{
    unsigned int i;
    int err = 0;

    for (i = 0; !err && i < hist->n_action_strs; i++) {
        struct hist_action *action = hist_alloc(hist, sizeof(*action));
        char *text = hist_strdup(hist, hist->action_strs[i]), *handler;

        if (!action || !text)
            return -ENOMEM;
        handler = strsep(&text, "(");
        action->handler = !strcmp(handler, "onmatch") ? HANDLER_ONMATCH
                          : !strcmp(handler, "onmax") ? HANDLER_ONMAX
                                                      : HANDLER_ONCHANGE;
        err = action->handler == HANDLER_ONMATCH ? parse_onmatch(hist, action, text)
                                                 : parse_tracking(hist, action, text);
        if (!err)
            hist->actions[hist->n_actions++] = action;
    }
    return err;
}

/* ---- variables for parameters ---- */

static struct hist_field *create_var(struct hist_trigger_data *hist, const char *name,
                                     const struct hist_field *val)
{
    struct hist_field *var;

    if (hist_find_var(hist, name) && !hist->remove)
        return NULL;
    if (hist->map.n_vars == TRACING_MAP_VARS_MAX)
        return NULL;
    var = hist_new_field(hist, HIST_FN_CONST, HIST_FL_VAR);
    if (!var)
        return NULL;
    if (val) {
        var->type = val->type;
        var->size = val->size;
        var->is_signed = val->is_signed;
        var->flags |= val->flags & HIST_FL_STRING;
    }
    var->var_name = name;
    var->var = hist->map.n_vars++;
    hist_give_slot(hist, var);
    return var;
}

static int create_field_var(struct hist_trigger_data *hist, const char *name,
                            struct hist_copy *copy)
{
    char *text = hist_strdup(hist, name), *var_name = hist_strdup(hist, name);

    if (!text || !var_name)
        return -ENOMEM;
    if (hist->n_field_vars == HIST_PARAMS_MAX)
        return hist_err(hist, HIST_ERR_TOO_MANY_FIELD_VARS, name);
    copy->val = hist_parse_atom(hist, text, HIST_FL_VAR, NULL);
    if (!copy->val) {
        int err = hist->err;

        hist_err(hist, HIST_ERR_FIELD_VAR_PARSE_FAIL, name);
        return err;
    }
    copy->var = create_var(hist, var_name, copy->val);
    return copy->var ? 0 : hist_err(hist, HIST_ERR_VAR_CREATE_FIND_FAIL, name);
}

static bool is_event(const struct hist_trigger_data *hist, const char *system, const char *event)
{
    const struct trace_event_call *call = hist->file->event_call;

    return !strcmp(system, call->class->system) && !strcmp(event, trace_event_name(call));
}

/* ---- a trigger of another event, for a field of it ---- */

static bool has_same_keys(const struct hist_trigger_data *a, const struct hist_trigger_data *b)
{
    unsigned int i, n = a->n_fields - a->n_vals;

    if (b->n_fields - b->n_vals != n)
        return false;
    for (i = 0; i < n; i++) {
        const struct hist_field *x = a->fields[a->n_vals + i], *y = b->fields[b->n_vals + i];

        if (strcmp(x->type, y->type) || x->size != y->size || x->is_signed != y->is_signed)
            return false;
    }
    return true;
}

static const struct event_trigger_data *find_compatible(const struct hist_trigger_data *hist,
                                                        const struct trace_event_file *file)
{
    const struct event_trigger_data *data;

    list_for_each_entry(data, &file->triggers, list) {
        if (data->hist && has_same_keys(hist, data->hist))
            return data;
    }
    return NULL;
}

/* `keys=KEYS:synthetic_FIELD=FIELD[ if FILTER]` */
static char *make_command(struct hist_trigger_data *hist, const struct event_trigger_data *like,
                          const char *field_name)
{
    enum { SIZE = 1024 };
    char *cmd = hist_alloc(hist, SIZE);
    const struct hist_field *key;
    unsigned int i;
    size_t len = 0;

    if (!cmd)
        return NULL;
    for_each_hist_key(key, i, like->hist)
        len += scnprintf(cmd + len, SIZE - len, "%s%s", len ? "," : "keys=", hist_field_name(key));
    len += scnprintf(cmd + len, SIZE - len, ":synthetic_%s=%s", field_name, field_name);
    if (like->filter_str)
        scnprintf(cmd + len, SIZE - len, " if %s", like->filter_str);
    return cmd;
}

static struct hist_field *create_field_trigger(struct hist_trigger_data *hist, const char *system,
                                               const char *event, const char *field_name)
{
    struct trace_event_file *file = __find_event_file(hist->tr, system, event);
    const struct event_trigger_data *like = file ? find_compatible(hist, file) : NULL;
    char name[HIST_STR_MAX], *cmd, *text;
    struct hist_field *var;
    int err = 0;

    if (hist->n_field_triggers == HIST_PARAMS_MAX)
        err = hist_err(hist, HIST_ERR_TOO_MANY_FIELD_VARS, field_name);
    else if (!file)
        err = hist_err(hist, HIST_ERR_EVENT_FILE_NOT_FOUND, field_name);
    else if (!like)
        err = hist_err(hist, HIST_ERR_HIST_NOT_FOUND, field_name);
    if (err)
        return NULL;
    snprintf(name, sizeof(name), "synthetic_%s", field_name);
    var = hist_find_event_var(hist, system, event, name);
    if (var)
        return var;
    cmd = make_command(hist, like, field_name);
    text = cmd ? hist_strdup(hist, cmd) : NULL;
    if (!text)
        return NULL;
    if (hist_trigger_command(file, false, text)) {
        hist_err(hist, HIST_ERR_HIST_CREATE_FAIL, field_name);
        return NULL;
    }
    hist->field_triggers[hist->n_field_triggers++] =
        (struct hist_field_trigger){hist_strdup(hist, system), hist_strdup(hist, event), cmd};
    var = hist_find_event_var(hist, system, event, name);
    if (!var)
        hist_err(hist, HIST_ERR_SYNTH_VAR_NOT_FOUND, field_name);
    return var;
}

static void remove_field_triggers(struct hist_trigger_data *hist)
{
    unsigned int i;

    for (i = 0; i < hist->n_field_triggers; i++) {
        const struct hist_field_trigger *made = &hist->field_triggers[i];
        struct trace_event_file *file = made->system && made->event
                                            ? __find_event_file(hist->tr, made->system, made->event)
                                            : NULL;
        char *text = hist_strdup(hist, made->cmd);

        if (file && text)
            (void)hist_trigger_command(file, true, text);
    }
    hist->n_field_triggers = 0;
}

/* ---- creating ---- */

static struct hist_field *find_param_var(struct hist_trigger_data *hist,
                                         const struct hist_action *action, const char *system,
                                         const char *event, const char *name)
{
    struct hist_field *var = NULL;

    if (!system || is_event(hist, system, event))
        var = hist_find_own_var(hist, name);
    if (!var) {
        if (!system && action->handler == HANDLER_ONMATCH) {
            system = action->system;
            event = action->event;
        }
        var = hist_find_event_var(hist, system, event, name);
    }
    if (!var)
        hist_err(hist, HIST_ERR_PARAM_NOT_FOUND, name);
    return var;
}

/* Of the trigger's own event, if it has the field, or else of that of onmatch(). */
static struct hist_field *create_param_var(struct hist_trigger_data *hist,
                                           const struct hist_action *action, const char *system,
                                           const char *event, const char *name)
{
    struct hist_copy *copy = &hist->field_vars[hist->n_field_vars];

    if ((!system || is_event(hist, system, event)) && !create_field_var(hist, name, copy)) {
        hist->n_field_vars++;
        return copy->var;
    }
    if (!system && action->handler == HANDLER_ONMATCH) {
        system = action->system;
        event = action->event;
    }
    return event ? create_field_trigger(hist, system, event, name) : NULL;
}

/* A string without a size takes any; another one takes those of its size. */
static bool fits(const struct synth_field *to, const struct hist_field *from)
{
    if (strstr(from->type, "char[") && to->is_string && to->is_dynamic)
        return true;
    if (to->is_string != !!strstr(from->type, "char["))
        return false;
    return !strcmp(to->type, from->type) ||
           (to->size == from->size && (to->is_string || to->is_signed == from->is_signed));
}

/* `[SYSTEM.EVENT.]$VAR`, `[SYSTEM.EVENT.]FIELD` */
static int create_param(struct hist_trigger_data *hist, struct hist_action *action, unsigned int i)
{
    char *text = hist_strdup(hist, action->params[i]), *system = NULL, *event = NULL;
    struct hist_field *var, *ref;

    if (!text)
        return -ENOMEM;
    if (strchr(text, '.')) {
        system = strsep(&text, ".");
        event = strsep(&text, ".");
        if (!text)
            return -EINVAL;
    }
    var = *text == '$' ? find_param_var(hist, action, system, event, text + 1)
                       : create_param_var(hist, action, system, event, text);
    if (!var)
        return -EINVAL;
    if (i >= action->synth->n_fields || !fits(&action->synth->fields[i], var))
        return hist_err(hist, HIST_ERR_SYNTH_TYPE_MISMATCH, text);
    ref = hist_make_ref(hist, var, system, event);
    if (!ref)
        return -ENOMEM;
    action->refs[i] = ref->ref;
    return 0;
}

static int create_trace(struct hist_trigger_data *hist, struct hist_action *action)
{
    const char *name = action->use_trace_keyword ? action->synth_name : action->name;
    struct synth_event *event = name ? find_synth_event(name) : NULL;
    unsigned int i;
    int err = 0;

    if (!event)
        return hist_err(hist, HIST_ERR_SYNTH_EVENT_NOT_FOUND, name);
    trace_event_try_get_ref(&event->call);
    action->synth = event;
    for (i = 0; !err && i < action->n_params; i++)
        err = create_param(hist, action, i);
    if (!err && i != event->n_fields)
        err = hist_err(hist, HIST_ERR_SYNTH_COUNT_MISMATCH, event->name);
    return err;
}

static int create_save(struct hist_trigger_data *hist, const struct hist_action *action)
{
    unsigned int i;
    int err;

    if (hist->n_save_vars) {
        hist_err(hist, HIST_ERR_TOO_MANY_SAVE_ACTIONS, NULL);
        return -EEXIST;
    }
    for (i = 0; i < action->n_params; i++) {
        err = create_field_var(hist, action->params[i], &hist->save_vars[hist->n_save_vars]);
        if (err) {
            hist_err(hist, HIST_ERR_FIELD_VAR_CREATE_FAIL, action->params[i]);
            return err;
        }
        hist->n_save_vars++;
    }
    return 0;
}

static int create_snapshot(struct hist_trigger_data *hist, struct hist_action *action)
{
    int err;

    if (snapshot_owner)
        return -EBUSY;
    mutex_lock(&trace_types_lock);
    err = tracing_alloc_snapshot_instance(hist->tr);
    mutex_unlock(&trace_types_lock);
    if (err)
        return err;
    hist->snapshot = hist_alloc(hist, sizeof(*hist->snapshot));
    if (!hist->snapshot)
        return -ENOMEM;
    hist->snapshot->action = action;
    snapshot_owner = hist;
    return 0;
}

/* The variable is one of the trigger's own; another one has the value that it had. */
static int create_tracking(struct hist_trigger_data *hist, struct hist_action *action)
{
    struct hist_field *var;

    if (action->var_str[0] != '$')
        return hist_err(hist, HIST_ERR_ONX_NOT_VAR, action->var_str);
    var = hist_find_own_var(hist, action->var_str + 1);
    if (!var)
        return hist_err(hist, HIST_ERR_ONX_VAR_NOT_FOUND, action->var_str + 1);
    action->var_ref = hist_make_ref(hist, var, NULL, NULL);
    if (!action->var_ref)
        return -ENOMEM;
    action->track_var =
        create_var(hist, action->handler == HANDLER_ONMAX ? "__max" : "__change", NULL);
    return action->track_var ? 0 : hist_err(hist, HIST_ERR_ONX_VAR_CREATE_FAIL, NULL);
}

static int create_action(struct hist_trigger_data *hist, struct hist_action *action)
{
    int err = action->handler == HANDLER_ONMATCH ? 0 : create_tracking(hist, action);

    if (err)
        return err;
    switch (action->id) {
    case ACTION_TRACE: return create_trace(hist, action);
    case ACTION_SAVE: return create_save(hist, action);
    default: return create_snapshot(hist, action);
    }
}

int hist_create_actions(struct hist_trigger_data *hist)
{
    unsigned int i;
    int err = 0;

    for (i = 0; !err && i < hist->n_actions; i++)
        err = create_action(hist, hist->actions[i]);
    return err;
}

void hist_destroy_actions(struct hist_trigger_data *hist)
{
    unsigned int i;

    for (i = 0; i < hist->n_actions; i++)
        if (hist->actions[i]->synth)
            trace_event_put_ref(&hist->actions[i]->synth->call);
    if (snapshot_owner == hist)
        snapshot_owner = NULL;
    remove_field_triggers(hist);
}

/* ---- comparing ---- */

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool action_matches(const struct hist_action *a, const struct hist_action *b)
{
    unsigned int i;

    if (a->handler != b->handler || a->id != b->id || a->n_params != b->n_params ||
        !is_same(a->system, b->system) || !is_same(a->event, b->event) ||
        !is_same(a->var_str, b->var_str) ||
        !is_same(a->use_trace_keyword ? a->synth_name : a->name,
                 b->use_trace_keyword ? b->synth_name : b->name))
        return false;
    for (i = 0; i < a->n_params; i++)
        if (strcmp(a->params[i], b->params[i]))
            return false;
    return true;
}

bool hist_actions_match(const struct hist_trigger_data *a, const struct hist_trigger_data *b)
{
    unsigned int i;

    if (a->n_actions != b->n_actions)
        return false;
    for (i = 0; i < a->n_actions; i++)
        if (!action_matches(a->actions[i], b->actions[i]))
            return false;
    return true;
}

/* ---- acting ---- */

static void save(const struct hist_ctx *ctx)
{
    unsigned int i;

    for (i = 0; i < ctx->hist->n_save_vars; i++)
        hist_set_var(ctx, ctx->hist->save_vars[i].var, hist_eval(ctx->hist->save_vars[i].val, ctx));
}

static bool has_news(const struct hist_action *action, u64 old, u64 value)
{
    return action->handler == HANDLER_ONMAX ? value > old : value != old;
}

/* True: the snapshot is to be taken. */
static bool note_snapshot(const struct hist_ctx *ctx, const struct hist_action *action,
                          const u64 *key, u64 value)
{
    struct hist_snapshot *snapshot = ctx->hist->snapshot;

    if (!has_news(action, snapshot->value, value))
        return false;
    snapshot->value = value;
    memcpy(snapshot->key, key, ctx->hist->key_size);
    if (ctx->hist->has_execname)
        memcpy(snapshot->comm, hist_elt_comm(ctx->hist, ctx->elt), TASK_COMM_LEN);
    WRITE_ONCE(snapshot->updated, true);
    return true;
}

/* The value and what is saved with it change together. True: there is something else to do. */
static bool track(const struct hist_ctx *ctx, const struct hist_action *action, const u64 *key)
{
    struct hist_trigger_data *hist = ctx->hist;
    u64 value = ctx->refs[action->var_ref->ref], *old;
    unsigned long flags;
    bool news;

    old = tracing_map_var(&hist->map, ctx->elt, action->track_var->var);
    raw_local_irq_save(flags);
    arch_spin_lock(&hist->track_lock);
    news = has_news(action, *old, value);
    if (news) {
        tracing_map_set_var(&hist->map, ctx->elt, action->track_var->var, value);
        if (action->id == ACTION_SAVE)
            save(ctx);
        if (action->id == ACTION_SNAPSHOT)
            news = note_snapshot(ctx, action, key, value);
    }
    arch_spin_unlock(&hist->track_lock);
    raw_local_irq_restore(flags);
    return news;
}

void hist_run_actions(const struct hist_ctx *ctx, const u64 *key)
{
    unsigned int i;

    for (i = 0; i < ctx->hist->n_actions; i++) {
        const struct hist_action *action = ctx->hist->actions[i];

        if (action->handler != HANDLER_ONMATCH && !track(ctx, action, key))
            continue;
        if (action->id == ACTION_TRACE)
            trace_synth(action->synth, ctx->refs, action->refs);
        else if (action->id == ACTION_SNAPSHOT)
            tracing_snapshot_instance(ctx->hist->tr);
    }
}

/* ---- printing ---- */

static void print_params(struct seq_file *m, const struct hist_trigger_data *hist,
                         const struct hist_action *action)
{
    const char *comma = "";
    unsigned int i;

    if (action->use_trace_keyword) {
        seq_puts(m, action->synth_name);
        comma = ",";
    }
    for (i = 0; action->id == ACTION_TRACE && i < action->n_params; i++, comma = ",")
        seq_printf(m, "%s%s", comma, action->params[i]);
    for (i = 0; action->id == ACTION_SAVE && i < hist->n_save_vars; i++, comma = ",")
        seq_printf(m, "%s%s", comma, hist->save_vars[i].var->var_name);
}

void hist_print_action_specs(struct seq_file *m, const struct hist_trigger_data *hist)
{
    unsigned int i;

    for (i = 0; i < hist->n_actions; i++) {
        const struct hist_action *action = hist->actions[i];

        if (action->handler == HANDLER_ONMATCH)
            seq_printf(m, ":onmatch(%s.%s).%s(", action->system, action->event, action->name);
        else
            seq_printf(m, ":%s(%s).%s(", action->handler == HANDLER_ONMAX ? "onmax" : "onchange",
                       action->var_str, action->name);
        print_params(m, hist, action);
        seq_puts(m, ")");
    }
}

static void print_saved(struct seq_file *m, const struct hist_trigger_data *hist,
                        struct tracing_map_elt *elt, const struct hist_field *var)
{
    if (var->flags & HIST_FL_STRING)
        seq_printf(m, "  %s: %-32s", var->var_name, hist_elt_string(hist, elt, var->slot));
    else
        seq_printf(m, "  %s: %10llu", var->var_name, *tracing_map_var(&hist->map, elt, var->var));
}

/* The lock is not held for more than a copy: what is printed is of one moment. */
void hist_print_tracked(struct seq_file *m, struct hist_trigger_data *hist,
                        struct tracing_map_elt *elt)
{
    struct tracing_map_elt *copy = kmalloc(hist->map.elt_size);
    unsigned long flags;
    unsigned int i, j;

    if (!copy)
        return;
    raw_local_irq_save(flags);
    arch_spin_lock(&hist->track_lock);
    memcpy(copy, elt, hist->map.elt_size);
    arch_spin_unlock(&hist->track_lock);
    raw_local_irq_restore(flags);
    for (i = 0; i < hist->n_actions; i++) {
        const struct hist_action *action = hist->actions[i];

        if (action->handler == HANDLER_ONMATCH || action->id == ACTION_SNAPSHOT)
            continue;
        seq_printf(m, "\n\t%s: %10llu", action->handler == HANDLER_ONMAX ? "max" : "changed",
                   *tracing_map_var(&hist->map, copy, action->track_var->var));
        for (j = 0; j < hist->n_save_vars; j++)
            print_saved(m, hist, copy, hist->save_vars[j].var);
    }
    kfree(copy);
}

void hist_print_snapshot(struct seq_file *m, struct hist_trigger_data *hist)
{
    struct hist_snapshot *copy;
    unsigned long flags;

    if (!hist->snapshot || !READ_ONCE(hist->snapshot->updated))
        return;
    copy = kmalloc(sizeof(*copy));
    if (!copy)
        return;
    raw_local_irq_save(flags);
    arch_spin_lock(&hist->track_lock);
    *copy = *hist->snapshot;
    arch_spin_unlock(&hist->track_lock);
    raw_local_irq_restore(flags);
    seq_puts(m, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
    seq_printf(m, "\ttriggering value { %s(%s) }: %10llu",
               copy->action->handler == HANDLER_ONMAX ? "onmax" : "onchange", copy->action->var_str,
               copy->value);
    seq_puts(m, "\ttriggered by event with key: ");
    hist_print_key(m, hist, copy->key, copy->comm);
    seq_puts(m, "\n");
    kfree(copy);
}
