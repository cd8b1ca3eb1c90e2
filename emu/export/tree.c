/*
 * tree.c - see tree.h.
 */
#include "export/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "log/log_state.h"

/* Keys of children that are not functions, above all keys of names. */
#define KEY_TASK    (UINT64_C(1) << 33)
#define KEY_USER    (UINT64_C(1) << 34)
#define KEY_IDLE    (UINT64_C(1) << 35)
#define KEY_TRACER  (UINT64_C(1) << 36)
#define KEY_HANDLER (UINT64_C(1) << 37)
#define KEY_TRAP    (UINT64_C(1) << 38)
#define KEY_PLACE   (UINT64_C(1) << 63)

static uint64_t hash_of(uint32_t parent, uint64_t key)
{
    uint64_t hash =
        (parent + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ key * UINT64_C(0xc2b2ae3d27d4eb4f);

    hash ^= hash >> 29;
    return hash - (hash == UINT64_MAX);
}

/*
 * Finds the child with this key, or makes it. Parent and name distinguish children with the same
 * hash.
 */
static uint32_t child(struct tree *t, uint32_t parent, uint64_t key, const char *name)
{
    uint64_t hash = hash_of(parent, key), index;

    for (; map_get(&t->children, hash, &index); hash = hash + 1 == UINT64_MAX ? 0 : hash + 1)
        if (t->nodes.at[index].parent == parent && !strcmp(t->nodes.at[index].name, name))
            return (uint32_t)index;
    map_put(&t->children, hash, t->nodes.len);
    VEC_PUSH(&t->nodes, ((struct tree_node){.parent = parent, .name = xstrdup(name)}));
    return (uint32_t)t->nodes.len - 1;
}

/* Names are compared by their text: the log may have one twice. */
static uint64_t key_of(const struct log_call *c, const char *name)
{
    switch (c->kind) {
    case LOG_TRACER: return KEY_TRACER;
    case LOG_RETURN_HANDLER: return KEY_HANDLER;
    case LOG_TRAP_HANDLER: return KEY_TRAP + (c->cause << 1 >> 1) * 2 + (c->cause >> 63);
    default:
        return c->name == LOG_NONE
                   ? KEY_PLACE | c->pc
                   : (uint32_t)fnv1a(FNV1A_START, (const uint8_t *)name, strlen(name));
    }
}

static uint32_t call_child(struct tree *t, const struct log *log, uint32_t parent,
                           const struct log_call *c)
{
    char text[LOG_PLACE_MAX];

    const char *name = log_call_name(log, c, text);

    return child(t, parent, key_of(c, name), name);
}

static void add(struct tree *t, const struct log *log, const struct flow *f)
{
    char text[LOG_PLACE_MAX];
    uint32_t node = 0;

    if (f->kind == FLOW_IDLE) {
        node = child(t, 0, KEY_IDLE, "[idle]");
        t->nodes.at[node].cycles += f->cycles;
        return;
    }
    node = child(t, 0, KEY_TASK + f->task, log_task_name(log, f->task, text));
    if (f->kind == FLOW_USER)
        node = child(t, node, KEY_USER, "[user]");
    for (size_t i = 0; i < f->count; i++)
        node = call_child(t, log, node, &f->open[i]);
    if (f->last)
        node = call_child(t, log, node, f->last);
    t->nodes.at[node].cycles += f->cycles;
}

static void sum_up(struct tree *t)
{
    for (size_t i = t->nodes.len; i-- > 0;) {
        struct tree_node *n = &t->nodes.at[i];

        n->all += n->cycles;
        if (i)
            t->nodes.at[n->parent].all += n->all;
    }
}

void tree_read(struct tree *t, struct export_job *job)
{
    struct log_event e;

    *t = (struct tree){0};
    VEC_PUSH(&t->nodes, ((struct tree_node){.name = xstrdup("all")}));
    while (source_next_any(job->source, &e)) {
        const struct flow f = source_flow(job->source, &e);

        if (f.cycles && source_wants(job->source, &e))
            add(t, job->log, &f);
    }
    sum_up(t);
}

/*
 * The cost attributed to the n-th entry of a site that is off; n from 0. With a core model entries
 * differ, and only their sum was counted: the parts add up to it.
 */
static uint64_t cost_of_entry(struct log_count all, uint64_t n)
{
    return all.cycles / all.entries + ((n + 1) * (all.cycles % all.entries) / all.entries -
                                       n * (all.cycles % all.entries) / all.entries);
}

static void add_call(struct tree *t, struct export_job *job, const struct log_event *e,
                     uint64_t cycles)
{
    const struct log_state *state = log_cursor_state(job->source->cursor);
    const struct log_stack *stack = &state->stacks.at[e->call.stack - 1];
    char text[LOG_PLACE_MAX];
    uint32_t node = child(t, 0, KEY_TASK + e->task, log_task_name(job->log, e->task, text));

    for (size_t i = 0; i < stack->open.len; i++)
        node = call_child(t, job->log, node, &stack->open.at[i]);
    t->nodes.at[node].cycles += cycles;
}

void tree_read_disabled(struct tree *t, struct export_job *job)
{
    uint32_t sites = log_site_count(job->log);
    uint64_t *seen = xcalloc((size_t)sites + 1, sizeof *seen);
    struct log_event e;

    *t = (struct tree){0};
    VEC_PUSH(&t->nodes, ((struct tree_node){.name = xstrdup("all")}));
    while (source_next_any(job->source, &e)) {
        const struct log_call *c = e.kind == LOG_CALL ? e.call.call : NULL;
        struct log_count all;

        if (!c || c->kind != LOG_FUNCTION || c->state != LOG_OFF || c->site >= sites)
            continue;
        all = log_count(job->log, c->site, LOG_OFF);
        if (seen[c->site] < all.entries && source_wants(job->source, &e))
            add_call(t, job, &e, cost_of_entry(all, seen[c->site]));
        seen[c->site]++;
    }
    sum_up(t);
    free(seen);
}

void tree_free(struct tree *t)
{
    for (size_t i = 0; i < t->nodes.len; i++)
        free(t->nodes.at[i].name);
    VEC_FREE(&t->nodes);
    map_free(&t->children);
}
