/*
 * hook_owners.c - see hook_owners.h.
 *
 * The nodes of a task are noted when a hart leaves it, so that those that sleep in hooked functions
 * are known; from the first of them on, what is freed is compared with what they need. A rethook
 * that rethook_free() has ended stays until its last function has returned, but its handler must
 * not be called any more: what that uses may be gone.
 */
#include "ftrace/audit/detours/hook_owners.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/kernel_members.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "load/lines.h"
#include "load/symbols.h"

/* Addresses that are noted at one time; nodes of a task: more than functions can be nested. */
enum { NEEDED_MAX = 1 << 12, NODES_MAX = 256 };

/* Calls of rethook_free that have not returned; addresses that have a probe. */
enum { ENDING_MAX = 64, PLACES_MAX = 256 };

/* A call of rethook_free, by its stack pointer. */
struct ending {
    uint64_t sp, rethook;
};

struct hook_owners {
    struct audit *audit;
    const struct detour *(*running)(void *ctx, const struct hart *h);
    void *ctx;
    bool searched, known;
    bool is_restored;     /* the probes at `returns' and `handlers' are to be planted */
    uint64_t link, owner; /* offsets in a node: of its link in the list, of its rethook's address */
    uint64_t kept;        /* the same of the return address that was replaced */
    uint64_t handler;     /* offset in a rethook */
    struct probe_owner at_ended, at_handler;
    VEC_OF(uint64_t) returns;  /* addresses to which rethook_free returns, with a probe each */
    VEC_OF(uint64_t) handlers; /* the same of handlers of rethooks that were ended */
    VEC_OF(uint32_t) probes;
    VEC_OF(struct ending) ending;
    struct map ended;              /* address of a rethook -> the step when it was ended */
    struct kernel_probes *at_free; /* NULL: no return was hooked yet */
    struct map needed;             /* address of a node or rethook -> the task that needs it */
};

static enum probe_verdict hit_ended(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                    uint64_t pc);
static enum probe_verdict hit_handler(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                      uint64_t pc);

struct hook_owners *
hook_owners_new(struct audit *a, const struct detour *(*running)(void *ctx, const struct hart *h),
                void *ctx)
{
    struct hook_owners *o = xcalloc(1, sizeof *o);

    o->audit = a;
    o->running = running;
    o->ctx = ctx;
    o->at_ended = (struct probe_owner){o, NULL, hit_ended};
    o->at_handler = (struct probe_owner){o, NULL, hit_handler};
    return o;
}

static void uproot_all(struct hook_owners *o)
{
    for (size_t i = 0; i < o->probes.len; i++)
        cluster_uproot(o->audit->config.cluster, o->probes.at[i]);
    o->probes.len = 0;
}

void hook_owners_free(struct hook_owners *o)
{
    if (!o)
        return;
    kernel_probes_free(o->at_free);
    uproot_all(o);
    VEC_FREE(&o->probes);
    VEC_FREE(&o->returns);
    VEC_FREE(&o->handlers);
    VEC_FREE(&o->ending);
    map_free(&o->needed);
    map_free(&o->ended);
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
           kernel_member(c->image, c->lines, "rethook_node", "ret_addr", &o->kept) &&
           kernel_member(c->image, c->lines, "rethook", "handler", &o->handler) &&
           (kernel_member(c->image, c->lines, "rethook_node", "llist", &o->link) ||
            kernel_member(c->image, c->lines, "rethook_node", "next", &o->link));
}

static bool knows_members(struct hook_owners *o)
{
    if (!o->searched)
        o->known = o->audit->config.image && find_members(o);
    o->searched = true;
    return o->known;
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

/* Several hooks of one function replace each other's address: the last one has the caller's. */
bool hook_owners_keep(struct hook_owners *o, struct hart *h, uint64_t first, uint64_t handler,
                      uint64_t back)
{
    uint64_t kept = handler, link = first;

    if (!knows_members(o))
        return true;
    for (unsigned n = 0; link && kept == handler && n < NODES_MAX; n++)
        if (!read_word(h, link - o->link + o->kept, &kept) || !read_word(h, link, &link))
            return true;
    return kept == back;
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

/* ---- rethooks that were ended ---- */

static void plant(struct hook_owners *o, struct hart *h, uint64_t va, struct probe_owner *owner)
{
    uint64_t pa;

    if (hart_translate(h, va, ACCESS_FETCH, &pa))
        VEC_PUSH(&o->probes, cluster_plant(o->audit->config.cluster, pa, owner, 0));
}

/* Plants a probe at an address, unless it has one. */
static void plant_return(struct hook_owners *o, struct hart *h, uint64_t va)
{
    for (size_t i = 0; i < o->returns.len; i++)
        if (o->returns.at[i] == va)
            return;
    if (o->returns.len == PLACES_MAX)
        return;
    VEC_PUSH(&o->returns, va);
    plant(o, h, va, &o->at_ended);
}

static void plant_handler(struct hook_owners *o, struct hart *h, uint64_t va)
{
    for (size_t i = 0; i < o->handlers.len; i++)
        if (o->handlers.at[i] == va)
            return;
    if (o->handlers.len == PLACES_MAX)
        return;
    VEC_PUSH(&o->handlers, va);
    plant(o, h, va, &o->at_handler);
}

/* rethook_free(rethook) is called. */
static void begin_end(struct hook_owners *o, struct hart *h)
{
    uint64_t rethook = hart_reg(h, REG_A0), handler;

    if (o->ending.len == ENDING_MAX || !read_word(h, rethook + o->handler, &handler) || !handler)
        return;
    VEC_PUSH(&o->ending, ((struct ending){hart_reg(h, REG_SP), rethook}));
    plant_return(o, h, hart_reg(h, REG_RA));
    plant_handler(o, h, handler);
}

/* It has returned. */
static enum probe_verdict hit_ended(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                    uint64_t pc)
{
    struct hook_owners *o = ctx;

    (void)id;
    (void)cookie;
    (void)pc;
    for (size_t i = o->ending.len; i-- > 0;) {
        struct ending *e = &o->ending.at[i];

        if (e->sp != hart_reg(h, REG_SP))
            continue;
        if (o->ended.len == NEEDED_MAX)
            map_clear(&o->ended);
        if (e->rethook != UINT64_MAX && map_get(&o->needed, e->rethook, &(uint64_t){0}))
            map_put(&o->ended, e->rethook, cluster_steps(o->audit->config.cluster));
        *e = o->ending.at[--o->ending.len];
        break;
    }
    return PROBE_GO_ON;
}

/* A handler is called: (node, data, return address, registers). */
static enum probe_verdict hit_handler(void *ctx, uint32_t id, uint8_t cookie, struct hart *h,
                                      uint64_t pc)
{
    struct hook_owners *o = ctx;
    const struct detour *d = o->running(o->ctx, h);
    uint64_t rethook, since;
    struct finding *f;

    (void)id;
    (void)cookie;
    if (!d || d->kind != CALL_RETURN || !read_word(h, hart_reg(h, REG_A0) + o->owner, &rethook) ||
        !map_get(&o->ended, rethook, &since) || d->step <= since)
        return PROBE_GO_ON;
    f = detour_report(o->audit, RULE_lost_return, MESSAGE_HOOK_ENDED, d, h);
    if (!f)
        return PROBE_GO_ON;
    audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = pc;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_HOOK_ENDED);
    audit_fact_task(o->audit, f, h);
    audit_fact_order(f);
    return PROBE_GO_ON;
}

/* ---- the functions that are looked at ---- */

enum { CALLED_KFREE, CALLED_END, CALLED };

static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct hook_owners *o = ctx;
    uint64_t va = hart_reg(h, REG_A0), tp;

    if (which == CALLED_END) {
        begin_end(o, h);
        return;
    }
    map_remove(&o->ended, va);
    if (!map_get(&o->needed, va, &tp))
        return;
    if (each_needed(o, h, tp, is_same, &va))
        report(o, h, va, tp);
    map_remove(&o->needed, va);
}

static void look_at_frees(struct hook_owners *o)
{
    static const char *const names[CALLED] = {
        [CALLED_KFREE] = "kfree", [CALLED_END] = "rethook_free"};
    const struct audit_config *c = &o->audit->config;

    if (!o->at_free)
        o->at_free = kernel_probes_new(c->cluster, c->image, c->symbols, names, ARRAY_LEN(names),
                                       on_call, o);
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

static void plant_again(struct hook_owners *o, struct hart *h)
{
    for (size_t i = 0; i < o->returns.len; i++)
        plant(o, h, o->returns.at[i], &o->at_ended);
    for (size_t i = 0; i < o->handlers.len; i++)
        plant(o, h, o->handlers.at[i], &o->at_handler);
    o->is_restored = false;
}

void hook_owners_switch(struct hook_owners *o, struct hart *h)
{
    const struct audit_config *c = &o->audit->config;
    struct noting n = {&o->needed, hart_reg(h, REG_A0)};
    uint64_t first;

    if (o->is_restored)
        plant_again(o, h);
    if (!c->tasks || !c->symbols || !c->image || !tasks_hooks(c->tasks, h, n.tp, &first) || !first)
        return;
    if (!knows_members(o))
        return;
    look_at_frees(o);
    (void)each_needed(o, h, n.tp, note, &n);
}

static void ending_io(struct state_io *io, struct ending *e)
{
    STATE_IO(io, e->sp);
    STATE_IO(io, e->rethook);
}

static void place_io(struct state_io *io, uint64_t *va)
{
    STATE_IO(io, *va);
}

/* Probes at the places are planted again at the next switch. */
void hook_owners_state_io(struct state_io *io, struct hook_owners *o)
{
    bool any = o->at_free;

    state_io_section(io, "hook owners", 2);
    STATE_IO(io, any);
    state_io_map(io, &o->needed);
    state_io_map(io, &o->ended);
    STATE_IO_VEC(io, &o->ending, ENDING_MAX, ending_io);
    STATE_IO_VEC(io, &o->returns, PLACES_MAX, place_io);
    STATE_IO_VEC(io, &o->handlers, PLACES_MAX, place_io);
    if (!io->loading)
        return;
    uproot_all(o);
    o->is_restored = o->returns.len + o->handlers.len;
    if (any && o->audit->config.image && o->audit->config.symbols)
        look_at_frees(o);
}
