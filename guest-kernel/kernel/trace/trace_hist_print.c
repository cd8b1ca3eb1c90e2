/*
 * trace_hist_print.c - the text of hist triggers: their line in the file `trigger`, and the file
 * `hist`.
 *
 * Not instrumented.
 */
#include "trace_hist.h"
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>

/* ---- the trigger's line ---- */

static void print_field(struct seq_file *m, const struct hist_field *field)
{
    const char *modifier = NULL;

    if (field->var_name)
        seq_printf(m, "%s=", field->var_name);
    if (field->flags & HIST_FL_CPU)
        seq_puts(m, "common_cpu");
    else if (field->flags & HIST_FL_CONST)
        seq_printf(m, "%llu", field->constant);
    else
        seq_printf(m, "%s%s", field->flags & (HIST_FL_VAR_REF | HIST_FL_ALIAS) ? "$" : "",
                   hist_field_name(field));
    if (!(field->flags & (HIST_FL_VAR_REF | HIST_FL_EXPR)))
        modifier = hist_modifier_name(field);
    if (modifier)
        seq_printf(m, ".%s", modifier);
    if (field->buckets)
        seq_printf(m, "=%lu", field->buckets);
}

/* Of the fields that are no variables the i-th. */
static const struct hist_field *plain_field(const struct hist_trigger_data *hist, unsigned int i)
{
    return hist->fields[i < hist->n_vals - hist->n_vars ? i : i + hist->n_vars];
}

static void print_vals(struct seq_file *m, const struct hist_trigger_data *hist)
{
    const char *before = ":";
    unsigned int i;

    seq_puts(m, ":vals=hitcount");
    for (i = 1; i < hist->n_vals - hist->n_vars; i++) {
        seq_puts(m, ",");
        print_field(m, hist->fields[i]);
    }
    for (; i < hist->n_vals; i++, before = ",") {
        seq_puts(m, before);
        print_field(m, hist->fields[i]);
    }
}

static void print_sort(struct seq_file *m, const struct hist_trigger_data *hist)
{
    unsigned int i;

    for (i = 0; i < hist->n_sort_keys; i++) {
        const struct hist_sort_key *key = &hist->sort_keys[i];

        seq_puts(m, i ? "," : ":sort=");
        if (key->index == HITCOUNT_IDX)
            seq_puts(m, "hitcount");
        else
            print_field(m, plain_field(hist, key->index));
        if (key->descending)
            seq_puts(m, ".descending");
    }
}

void hist_trigger_print(struct seq_file *m, const struct event_trigger_data *data)
{
    const struct hist_trigger_data *hist = data->hist;
    const struct hist_field *field;
    unsigned int i;

    seq_puts(m, "hist:");
    if (hist->name)
        seq_printf(m, "%s:", hist->name);
    for_each_hist_key(field, i, hist) {
        seq_puts(m, i > hist->n_vals ? "," : "keys=");
        if (field->flags & HIST_FL_STACKTRACE)
            seq_puts(m, "stacktrace");
        else
            print_field(m, field);
    }
    print_vals(m, hist);
    print_sort(m, hist);
    seq_printf(m, ":size=%u", 1u << hist->map.bits);
    if (hist->uses_timestamps)
        seq_printf(m, ":clock=%s", hist->clock);
    hist_print_action_specs(m, hist);
    if (data->filter_str)
        seq_printf(m, " if %s", data->filter_str);
    seq_printf(m, " [%s]\n", READ_ONCE(data->paused) ? "paused" : "active");
}

/* ---- an element ---- */

static void print_stack(struct seq_file *m, const u64 *entries)
{
    unsigned int i;

    seq_puts(m, "stacktrace:\n");
    for (i = 0; i < HIST_STACKTRACE_DEPTH && entries[i]; i++)
        seq_printf(m, "         %pS\n", (void *)(unsigned long)entries[i]);
}

static void print_key_field(struct seq_file *m, const struct hist_field *field, const u64 *at,
                            const char *comm)
{
    const char *name = hist_field_name(field);
    const char *call = NULL;

    if (field->flags & HIST_FL_HEX) {
        seq_printf(m, "%s: %llx", name, *at);
    } else if (field->flags & HIST_FL_SYM) {
        seq_printf(m, "%s: [%llx] %-45ps", name, *at, (void *)(unsigned long)*at);
    } else if (field->flags & HIST_FL_SYM_OFFSET) {
        seq_printf(m, "%s: [%llx] %-55pS", name, *at, (void *)(unsigned long)*at);
    } else if (field->flags & HIST_FL_EXECNAME) {
        seq_printf(m, "%s: %-16s[%10llu]", name, comm, *at);
    } else if (field->flags & HIST_FL_SYSCALL) {
        call = trace_syscall_name(*at);
        seq_printf(m, "%s: %-30s[%3llu]", name, call ? call : "unknown_syscall", *at);
    } else if (field->flags & HIST_FL_STACKTRACE) {
        print_stack(m, at);
    } else if (field->flags & HIST_FL_LOG2) {
        seq_printf(m, "%s: ~ 2^%-2llu", name, *at);
    } else if (field->flags & HIST_FL_BUCKET) {
        seq_printf(m, "%s: ~ %llu-%llu", name, *at, *at + field->buckets - 1);
    } else if (field->flags & HIST_FL_STRING) {
        seq_printf(m, "%s: %-50s", name, (const char *)at);
    } else {
        seq_printf(m, "%s: %10llu", name, *at);
    }
}

void hist_print_key(struct seq_file *m, const struct hist_trigger_data *hist, const u64 *key,
                    const char *comm)
{
    const struct hist_field *field;
    bool has_stack = false;
    unsigned int i;

    seq_puts(m, "{ ");
    for_each_hist_key(field, i, hist) {
        if (i > hist->n_vals)
            seq_puts(m, ", ");
        print_key_field(m, field, key + field->offset / sizeof(u64), comm);
        has_stack |= !!(field->flags & HIST_FL_STACKTRACE);
    }
    seq_puts(m, has_stack ? "}" : " }");
}

/* Of all elements, for .percent and .graph. */
struct hist_stats {
    u64 max, total;
};

static unsigned int percent_of(u64 val, u64 total)
{
    if (total && val >= ~0ULL / 10000)
        total /= 10000;
    else
        val *= 10000;
    return total ? val / total : (val ? ~0U : 0);
}

static void print_bar(struct seq_file *m, const char *name, u64 val, u64 max)
{
    enum { WIDTH = 20 };
    unsigned int share = percent_of(val, max);
    char bar[WIDTH + 1];

    memset(bar, ' ', WIDTH);
    bar[WIDTH] = 0;
    if (share == ~0U)
        strscpy(bar, "[ERROR]", sizeof(bar));
    else
        memset(bar, '#', min(share * WIDTH / 10000, (unsigned int)WIDTH));
    seq_printf(m, " %s: %20s", name, bar);
}

static void print_val(struct seq_file *m, const char *name, unsigned int flags, u64 val,
                      const struct hist_stats *stats)
{
    unsigned int percent;

    if (flags & HIST_FL_PERCENT) {
        percent = percent_of(val, stats->total);
        if (percent == ~0U)
            seq_printf(m, " %s (%%):[ERROR]", name);
        else
            seq_printf(m, " %s (%%): %3u.%02u", name, percent / 100, percent % 100);
    } else if (flags & HIST_FL_GRAPH) {
        print_bar(m, name, val, stats->max);
    } else {
        seq_printf(m, flags & HIST_FL_HEX ? " %s: %10llx" : " %s: %10llu", name, val);
    }
}

static u64 sum_of(struct tracing_map_elt *elt, unsigned int i)
{
    return __atomic_load_n(tracing_map_sum(elt, i), __ATOMIC_RELAXED);
}

static void print_elt(struct seq_file *m, struct hist_trigger_data *hist,
                      struct tracing_map_elt *elt, const struct hist_stats *stats)
{
    unsigned int i;

    hist_print_key(m, hist, tracing_map_key(&hist->map, elt), hist_elt_comm(hist, elt));
    print_val(m, "hitcount", 0, sum_of(elt, HITCOUNT_IDX), stats);
    for (i = 1; i < hist->map.n_sums; i++) {
        const struct hist_field *field = hist->fields[i];

        if (field->flags & HIST_FL_EXPR)
            continue;
        seq_puts(m, " ");
        print_val(m, hist_field_name(field), field->flags, sum_of(elt, i), &stats[i]);
    }
    hist_print_tracked(m, hist, elt);
    seq_puts(m, "\n");
}

/* ---- all elements ---- */

static const struct hist_trigger_data *sorted; /* under event_mutex */

static int compare_keys(const struct hist_field *field, const u64 *a, const u64 *b)
{
    a += field->offset / sizeof(u64);
    b += field->offset / sizeof(u64);
    if (field->flags & HIST_FL_STACKTRACE)
        return 0;
    if (field->fn == HIST_FN_STRING)
        return strncmp((const char *)a, (const char *)b, HIST_STR_MAX);
    if (field->field && !(field->flags & HIST_FL_CPU) ? field->field->is_signed : field->is_signed)
        return ((s64)*a > (s64)*b) - ((s64)*a < (s64)*b);
    return (*a > *b) - (*a < *b);
}

static int compare_by(const struct hist_sort_key *key, struct tracing_map_elt *a,
                      struct tracing_map_elt *b)
{
    const struct tracing_map *map = &sorted->map;
    u64 x, y;
    int ret;

    if (key->index >= map->n_sums) {
        ret = compare_keys(plain_field(sorted, key->index), tracing_map_key(map, a),
                           tracing_map_key(map, b));
    } else {
        x = sum_of(a, key->index);
        y = sum_of(b, key->index);
        ret = (x > y) - (x < y);
    }
    return key->descending ? -ret : ret;
}

/* What is the same is in the order of its key. */
static int compare(const void *pa, const void *pb)
{
    struct tracing_map_elt *a = *(struct tracing_map_elt *const *)pa;
    struct tracing_map_elt *b = *(struct tracing_map_elt *const *)pb;
    const struct tracing_map *map = &sorted->map;
    const struct hist_field *field;
    unsigned int i;
    int ret = 0;

    for (i = 0; !ret && i < sorted->n_sort_keys; i++)
        ret = compare_by(&sorted->sort_keys[i], a, b);
    for (i = sorted->n_vals; !ret && i < sorted->n_fields; i++) {
        field = sorted->fields[i];
        ret = compare_keys(field, tracing_map_key(map, a), tracing_map_key(map, b));
    }
    return ret ? ret : memcmp(tracing_map_key(map, a), tracing_map_key(map, b), map->key_size);
}

/* Returns how many there are. */
static unsigned int print_elts(struct seq_file *m, struct hist_trigger_data *hist)
{
    struct hist_stats stats[TRACING_MAP_VALS_MAX] = {{0, 0}};
    unsigned int max = tracing_map_elements(&hist->map, NULL, ~0U), n, i, j;
    struct tracing_map_elt **elts = kmalloc((max + 1) * sizeof(*elts));

    if (!elts)
        return 0;
    n = tracing_map_elements(&hist->map, elts, max);
    sorted = hist;
    sort(elts, n, sizeof(*elts), compare);
    for (i = 0; i < n; i++)
        for (j = 0; j < hist->map.n_sums; j++) {
            u64 val = sum_of(elts[i], j);

            stats[j].total += val;
            stats[j].max = max(stats[j].max, val);
        }
    for (i = 0; i < n; i++)
        print_elt(m, hist, elts[i], stats);
    kfree(elts);
    return n;
}

static void show_trigger(struct seq_file *m, const struct event_trigger_data *data)
{
    struct hist_trigger_data *hist = data->hist;
    unsigned int n;

    seq_puts(m, "# event histogram\n#\n# trigger info: ");
    hist_trigger_print(m, data);
    seq_puts(m, "#\n\n");
    n = print_elts(m, hist);
    hist_print_snapshot(m, hist);
    seq_printf(m, "\nTotals:\n    Hits: %llu\n    Entries: %u\n    Dropped: %llu\n",
               __atomic_load_n(&hist->map.hits, __ATOMIC_RELAXED), n,
               __atomic_load_n(&hist->map.drops, __ATOMIC_RELAXED));
}

int event_hist_show(struct seq_file *m, void *data)
{
    const struct trace_event_file *file = data;
    const struct event_trigger_data *trigger;
    bool first = true;

    list_for_each_entry(trigger, &file->triggers, list) {
        if (!trigger->hist)
            continue;
        if (!first)
            seq_puts(m, "\n\n");
        show_trigger(m, trigger);
        first = false;
    }
    return 0;
}
