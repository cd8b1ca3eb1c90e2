/*
 * hook_owners.c - see hook_owners.h.
 *
 * The nodes of a task are noted when a hart leaves it, so that those that sleep in hooked functions
 * are known; from the first of them on, what is freed is compared with what they need.
 */
#include "ftrace/audit/hook_owners.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/kernel_members.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "load/lines.h"
#include "load/symbols.h"

/* Addresses that are noted at one time; nodes of a task: more than functions can be nested. */
enum { NEEDED_MAX = 1 << 12, NODES_MAX = 256 };

struct hook_owners {
    struct audit *audit;
    bool searched, known;
    uint64_t link, owner; /* offsets in a node: of its link in the list, of its rethook's address */
    struct kernel_probes *at_free; /* NULL: no return was hooked yet */
    struct map needed;             /* address of a node or rethook -> the task that needs it */
};

struct hook_owners *hook_owners_new(struct audit *a)
{
    struct hook_owners *o = xcalloc(1, sizeof *o);

    o->audit = a;
    return o;
}

void hook_owners_free(struct hook_owners *o)
{
    if (!o)
        return;
    kernel_probes_free(o->at_free);
    map_free(&o->needed);
    free(o);
}

/* ---- nodes ---- */

/* In Linux a node is linked by its member `llist', in the guest kernel by its `next'. */
static bool find_members(struct hook_owners *o)
{
    const struct audit_config *c = &o->audit->config;
    uint64_t user;

    if (c->lines && c->symbols && symbols_find(c->symbols, "rethook_recycle", &user))
        lines_read_structs(c->lines, user);
    return kernel_member(c->image, c->lines, "rethook_node", "rethook", &o->owner) &&
           (kernel_member(c->image, c->lines, "rethook_node", "llist", &o->link) ||
            kernel_member(c->image, c->lines, "rethook_node", "next", &o->link));
}

static bool read_word(struct hart *h, uint64_t va, uint64_t *value)
{
    return hart_peek(h, va, value, sizeof *value);
}

/* Calls use() for the address of each node of a task and of its rethook, until it returns true. */
static bool each_needed(const struct hook_owners *o, struct hart *h, uint64_t tp,
                        bool (*use)(void *ctx, uint64_t va), void *ctx)
{
    uint64_t link, owner;

    if (!tasks_hooks(o->audit->config.tasks, h, tp, &link))
        return false;
    for (unsigned n = 0; link && n < NODES_MAX; n++) {
        uint64_t node = link - o->link;

        if (!read_word(h, node + o->owner, &owner) || !read_word(h, link, &link))
            return false;
        if (use(ctx, node) || use(ctx, owner))
            return true;
    }
    return false;
}

/* ---- what is freed ---- */

static bool is_same(void *ctx, uint64_t va)
{
    const uint64_t *freed = ctx;

    return va == *freed;
}

static void report(const struct hook_owners *o, struct hart *h, uint64_t va, uint64_t tp)
{
    struct audit *a = o->audit;
    const struct breach b = {.rule = RULE_lost_return,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_lost_return, MESSAGE_HOOK_FREED)};
    struct finding *f = audit_add(a, &b);
    struct task task;

    if (!f)
        return;
    audit_fact_moment(f, LABEL_FREED, h, hart_pc(h));
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact(f, LABEL_DATA, FACT_PLACE)->va = va;
    audit_fact_message(f, LABEL_MISSING, MESSAGE_HOOK_FREED);
    if (tasks_read(a->config.tasks, h, tp, &task))
        audit_fact_text(f, LABEL_WHY, "of the task %s, pid %d", task.name, task.pid);
    audit_fact_order(f);
}

/* kfree(address) is called. */
static void on_free(void *ctx, unsigned which, struct hart *h)
{
    struct hook_owners *o = ctx;
    uint64_t va = hart_reg(h, REG_A0), tp;

    (void)which;
    if (!map_get(&o->needed, va, &tp))
        return;
    if (each_needed(o, h, tp, is_same, &va))
        report(o, h, va, tp);
    map_remove(&o->needed, va);
}

static void look_at_frees(struct hook_owners *o)
{
    static const char *const names[] = {"kfree"};
    const struct audit_config *c = &o->audit->config;

    if (!o->at_free)
        o->at_free = kernel_probes_new(c->cluster, c->image, c->symbols, names, ARRAY_LEN(names),
                                       on_free, o);
}

/* ---- tasks ---- */

struct noting {
    struct map *needed;
    uint64_t tp;
};

static bool note(void *ctx, uint64_t va)
{
    struct noting *n = ctx;

    if (va == UINT64_MAX)
        return false;
    if (n->needed->len == NEEDED_MAX)
        map_clear(n->needed);
    map_put(n->needed, va, n->tp);
    return false;
}

void hook_owners_switch(struct hook_owners *o, struct hart *h)
{
    const struct audit_config *c = &o->audit->config;
    struct noting n = {&o->needed, hart_reg(h, REG_A0)};
    uint64_t first;

    if (!c->tasks || !c->symbols || !c->image || !tasks_hooks(c->tasks, h, n.tp, &first) || !first)
        return;
    if (!o->searched)
        o->known = find_members(o);
    o->searched = true;
    if (!o->known)
        return;
    look_at_frees(o);
    (void)each_needed(o, h, n.tp, note, &n);
}

void hook_owners_state_io(struct state_io *io, struct hook_owners *o)
{
    bool any = o->at_free;

    state_io_section(io, "hook owners", 1);
    STATE_IO(io, any);
    state_io_map(io, &o->needed);
    if (io->loading && any && o->audit->config.image && o->audit->config.symbols)
        look_at_frees(o);
}
