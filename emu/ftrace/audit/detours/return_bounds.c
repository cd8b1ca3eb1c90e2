/*
 * return_bounds.c - see return_bounds.h.
 *
 * The size is what the kernel has asked its allocator for: what that gives beyond it belongs to no
 * one, and may be the next object in another build. While the graph tracer is active, allocations
 * are noted as they return; those that are tasks' return stacks say how deep they may be.
 */
#include "ftrace/audit/detours/return_bounds.h"

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/kernel/kernel_members.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"

/* Allocations that are noted; smaller ones than this are no return stacks. */
enum { SIZES_MAX = 1 << 12, STACK_BYTES_MIN = 256, WORD_BYTES = 8 };

/* Calls of the allocator that have not returned. */
enum { ASKED_MAX = 64 };

void return_bounds_begin(struct return_bounds *b, struct audit *a)
{
    *b = (struct return_bounds){.audit = a, .deepest = INT32_MAX};
}

void return_bounds_end(struct return_bounds *b)
{
    kernel_probes_free(b->at_allocations);
    map_free(&b->asked);
    map_free(&b->sizes);
}

/* ---- allocations ---- */

static void put(struct map *m, size_t most, uint64_t key, uint64_t value)
{
    if (m->len == most)
        map_clear(m);
    map_put(m, key, value);
}

/* The allocator is called with a size. */
static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct return_bounds *b = ctx;
    uint64_t size = hart_reg(h, REG_A0);

    if (size < STACK_BYTES_MIN || size > INT32_MAX)
        return;
    put(&b->asked, ASKED_MAX, hart_reg(h, REG_SP), size);
    kernel_probes_await(b->at_allocations, which, h);
}

static void on_return(void *ctx, unsigned which, struct hart *h)
{
    struct return_bounds *b = ctx;
    uint64_t size, va = hart_reg(h, REG_A0), sp = hart_reg(h, REG_SP);

    (void)which;
    if (!map_get(&b->asked, sp, &size))
        return;
    map_remove(&b->asked, sp);
    if (va && va != UINT64_MAX)
        put(&b->sizes, SIZES_MAX, va, size);
}

static void follow_allocations(struct return_bounds *b)
{
    static const char *const names[] = {"__kmalloc", "__kmalloc_noprof"};
    const struct audit_config *c = &b->audit->config;

    if (b->at_allocations || !c->image || !c->symbols || !c->tasks)
        return;
    b->at_allocations =
        kernel_probes_new(c->cluster, c->image, c->symbols, names, ARRAY_LEN(names), on_call, b);
    kernel_probes_on_return(b->at_allocations, on_return);
}

/* ---- how deep a return stack may be ---- */

static bool find_size(const struct return_bounds *b, struct hart *h, uint64_t tp, uint64_t *stack,
                      uint64_t *size)
{
    return tasks_return_stack(b->audit->config.tasks, h, tp, stack) && *stack &&
           *stack != UINT64_MAX && map_get(&b->sizes, *stack, size);
}

/* The depth at which a return stack of so many bytes is full. */
static int32_t deepest_of(const struct return_bounds *b, uint64_t size)
{
    return b->in_words ? (int32_t)(size / WORD_BYTES) : (int32_t)(size / b->entry_bytes) - 1;
}

void return_bounds_task_runs(struct return_bounds *b, struct hart *h, uint64_t tp)
{
    uint64_t stack, size;

    if (b->at_allocations && b->entry_bytes && find_size(b, h, tp, &stack, &size) &&
        deepest_of(b, size) < b->deepest)
        b->deepest = deepest_of(b, size);
}

struct all_tasks {
    struct return_bounds *bounds;
    struct hart *hart;
};

static void on_task(void *ctx, uint64_t tp)
{
    const struct all_tasks *all = ctx;

    return_bounds_task_runs(all->bounds, all->hart, tp);
}

void return_bounds_changed(struct return_bounds *b, struct hart *h, bool active)
{
    const struct audit_config *c = &b->audit->config;
    struct all_tasks all = {b, h};

    if (!active) {
        kernel_probes_free(b->at_allocations);
        b->at_allocations = NULL;
        return;
    }
    if (!b->entry_bytes && c->image &&
        !kernel_struct_size(c->image, c->lines, "ftrace_ret_stack", &b->entry_bytes))
        b->entry_bytes = 0;
    follow_allocations(b);
    if (b->sizes.len)
        tasks_each_live(c->tasks, h, on_task, &all);
}

/* ---- the judgement ---- */

static void report(const struct return_bounds *b, struct hart *h, const struct detour *d,
                   int32_t depth, uint64_t stack, uint64_t size)
{
    struct finding *f = detour_report(b->audit, RULE_lost_return, MESSAGE_STACK_PASSED, d, h);

    if (!f)
        return;
    audit_fact(f, LABEL_DATA, FACT_PLACE)->va = stack;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_STACK_PASSED);
    audit_fact_text(f, LABEL_WHY,
                    "the index is %d; the task's return stack was allocated with %llu bytes, which "
                    "are enough for an index of %d",
                    depth, (unsigned long long)size, deepest_of(b, size));
    audit_fact_task(b->audit, f, h);
    audit_fact_order(f);
}

void return_bounds_judge(struct return_bounds *b, struct hart *h, const struct detour *d,
                         int32_t depth)
{
    uint64_t stack, size;

    if (depth - d->depth > 1 && !b->in_words) {
        b->in_words = true;
        b->deepest = INT32_MAX; /* found again when tasks run */
    }
    if (depth > d->depth && find_size(b, h, hart_reg(h, REG_TP), &stack, &size) &&
        depth > deepest_of(b, size))
        report(b, h, d, depth, stack, size);
}

void return_bounds_state_io(struct state_io *io, struct return_bounds *b)
{
    bool followed = b->at_allocations;

    state_io_section(io, "return bounds", 1);
    STATE_IO(io, followed);
    STATE_IO(io, b->entry_bytes);
    STATE_IO(io, b->deepest);
    STATE_IO(io, b->in_words);
    state_io_map(io, &b->asked);
    state_io_map(io, &b->sizes);
    if (io->loading) {
        kernel_probes_free(b->at_allocations);
        b->at_allocations = NULL;
        if (followed)
            follow_allocations(b);
    }
    if (b->at_allocations)
        kernel_probes_state_io(io, b->at_allocations);
}
