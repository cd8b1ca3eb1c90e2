/*
 * evidence.c - see evidence.h; the functions audit_fact* are described in audit_priv.h.
 */
#include "ftrace/audit/evidence.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/causes.h"
#include "ftrace/audit/store_stacks.h"
#include "ftrace/kernel/tasks.h"

struct fact *audit_fact(struct finding *f, enum fact_label label, enum fact_kind kind)
{
    struct fact *fact = &f->facts[f->fact_count];

    assert(f->fact_count < FACTS_MAX);
    f->fact_count++;
    *fact = (struct fact){.label = label, .kind = kind, .site = NO_SITE};
    return fact;
}

void audit_fact_message(struct finding *f, enum fact_label label, enum message message)
{
    audit_fact(f, label, FACT_MESSAGE)->message = message;
}

void audit_fact_moment(struct finding *f, enum fact_label label, const struct hart *h, uint64_t pc)
{
    struct fact *fact = audit_fact(f, label, FACT_MOMENT);

    fact->hart = hart_id(h);
    fact->pc = pc;
    fact->cycle = hart_cycles(h);
    fact->step = cluster_steps(hart_cluster(h));
}

void audit_fact_site(struct finding *f, uint32_t site)
{
    if (site != NO_SITE)
        audit_fact(f, LABEL_SITE, FACT_SITE)->site = site;
}

void audit_fact_register(struct finding *f, enum fact_label label, unsigned reg, uint64_t value)
{
    struct fact *fact = audit_fact(f, label, FACT_REGISTER);

    fact->va = value;
    fact->size = (uint8_t)reg;
}

static struct fact task_fact(const struct task *task)
{
    struct fact fact = {.label = LABEL_TASK, .kind = FACT_TASK, .site = NO_SITE, .pid = task->pid};

    _Static_assert(sizeof fact.bytes >= sizeof task->name, "the name has room");
    memcpy(fact.bytes, task->name, sizeof task->name);
    return fact;
}

static bool read_task(const struct audit *a, struct hart *h, struct task *task)
{
    return a->config.tasks && tasks_read(a->config.tasks, h, call_stack_task(h), task);
}

void audit_fact_text(struct finding *f, enum fact_label label, const char *format, ...)
{
    struct fact *fact = audit_fact(f, label, FACT_TEXT);
    va_list values;

    va_start(values, format);
    vsnprintf(fact->text, sizeof fact->text, format, values);
    va_end(values);
}

void audit_fact_task(const struct audit *a, struct finding *f, struct hart *h)
{
    struct task task;

    if (read_task(a, h, &task))
        *audit_fact(f, LABEL_TASK, FACT_TASK) = task_fact(&task);
}

static struct fact stack_fact(enum fact_label label, const struct call_stack *stack)
{
    return (struct fact){.label = label, .kind = FACT_STACK, .site = NO_SITE, .stack = *stack};
}

void audit_fact_stack_at(const struct audit *a, struct finding *f, enum fact_label label,
                         struct hart *h, uint64_t pc)
{
    struct call_stack stack;
    uint64_t slots[STACK_FRAMES];

    call_stack_take(a, h, pc, &stack, slots);
    if (stack.count > 1)
        *audit_fact(f, label, FACT_STACK) = stack_fact(label, &stack);
}

void audit_fact_stack(const struct audit *a, struct finding *f, enum fact_label label,
                      struct hart *h)
{
    audit_fact_stack_at(a, f, label, h, hart_pc(h));
}

static bool has_kind(const struct finding *f, unsigned at, enum fact_kind kind)
{
    return at < f->fact_count && f->facts[at].kind == kind;
}

static void insert_fact(struct finding *f, unsigned at, const struct fact *fact)
{
    if (f->fact_count == FACTS_MAX)
        return;
    memmove(&f->facts[at + 1], &f->facts[at], (f->fact_count - at) * sizeof *fact);
    f->facts[at] = *fact;
    f->fact_count++;
}

static bool has_stack(const struct finding *f, const struct call_stack *stack)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_STACK &&
            !memcmp(f->facts[i].stack.at, stack->at, sizeof stack->at))
            return true;
    return false;
}

/* Inserts stack and task, so far as they are known and not there already. */
static void insert_stack(struct finding *f, unsigned at, const struct call_stack *stack,
                         const struct task *task)
{
    const struct fact facts[] = {stack_fact(LABEL_STACK, stack), task_fact(task)};
    bool stack_there = has_kind(f, at, FACT_STACK);
    bool task_there = has_kind(f, at, FACT_TASK) || has_kind(f, at + 1, FACT_TASK);

    if (task->name[0] && !task_there)
        insert_fact(f, at + stack_there, &facts[1]);
    if (!stack_there && stack->count > 1)
        insert_fact(f, at, &facts[0]);
}

/*
 * Who had asked for the store, if that task still has the lock: it waits, or runs since to end the
 * change.
 */
static void insert_asker(const struct audit *a, struct finding *f, unsigned at, uint64_t asker)
{
    struct call_stack stack = {0};
    uint64_t slots[STACK_FRAMES];
    struct hart *runs = NULL, *reads = NULL;
    struct task task;
    struct fact fact;

    for (uint32_t i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        struct hart *h = cluster_hart(a->config.cluster, i);

        reads = hart_mode(h) == PRIV_S ? h : reads;
        runs = call_stack_task(h) == asker ? h : runs;
    }
    if (!reads || !a->config.tasks || !tasks_read(a->config.tasks, reads, asker, &task))
        return;
    if (runs)
        call_stack_take(a, runs, hart_pc(runs), &stack, slots);
    else if (!call_stack_of_sleeper(a, reads, asker, &stack))
        return;
    while (has_kind(f, at, FACT_STACK) || has_kind(f, at, FACT_TASK))
        at++;
    fact = stack_fact(LABEL_ASKED, &stack);
    insert_fact(f, at, &fact);
    fact = task_fact(&task);
    insert_fact(f, at + 1, &fact);
}

static void complete_stores(const struct audit *a, struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++) {
        const struct store_stack *store =
            has_kind(f, i, FACT_STORE) ? store_stacks_of(a->stores, &f->facts[i].writer) : NULL;

        if (!store)
            continue;
        f->facts[i].size = store->stack.user & 1;
        insert_stack(f, i + 1, &store->stack, &store->task);
        if (store->asker && store->asker == store_stacks_owner(a))
            insert_asker(a, f, i + 1, store->asker);
    }
}

/*
 * The place for what is known of a hart: after its last moment; otherwise in the end. False: the
 * evidence does not say when the hart was anywhere, but has the stack of a store, which is enough.
 */
static bool place_for_hart(const struct finding *f, uint32_t hart, unsigned *place)
{
    bool stack = false;

    for (unsigned i = f->fact_count; i-- > 0;) {
        *place = i + 1;
        if (has_kind(f, i, FACT_MOMENT) && f->facts[i].hart == hart)
            return true;
        stack |= has_kind(f, i, FACT_STACK);
    }
    *place = f->fact_count;
    while (*place && f->facts[*place - 1].label == LABEL_ORDER)
        --*place;
    return !stack;
}

static bool has_task(const struct finding *f, const struct task *task)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_TASK && f->facts[i].pid == task->pid &&
            !strcmp((const char *)f->facts[i].bytes, task->name))
            return true;
    return false;
}

/* Where the hart is: by the fact before that place, as after a return from a trap; or its pc. */
static uint64_t pc_of(const struct finding *f, unsigned place, const struct hart *h)
{
    const struct fact *moment = place ? &f->facts[place - 1] : NULL;

    if (moment && moment->kind == FACT_MOMENT && moment->label != LABEL_FETCHED &&
        moment->cycle == hart_cycles(h))
        return moment->pc;
    return hart_pc(h); /* a hart that fetches may not have come to the instruction yet */
}

void evidence_complete(struct audit *a, struct finding *f, uint32_t hart)
{
    struct hart *h = cluster_hart(a->config.cluster, hart);
    struct call_stack stack;
    struct task task = {0};
    uint64_t slots[STACK_FRAMES];
    unsigned place;
    bool wanted;

    complete_stores(a, f);
    wanted = place_for_hart(f, hart, &place);
    call_stack_take(a, h, pc_of(f, place, h), &stack, slots);
    if (!read_task(a, h, &task) || has_task(f, &task))
        task.name[0] = '\0';
    if (place && f->facts[place - 1].label == LABEL_JUDGED)
        stack.patcher = (uint8_t)store_stacks_ender(a, &stack);
    if (wanted && !has_stack(f, &stack))
        insert_stack(f, place, &stack, &task);
    cause_find(a, f);
}

/* The hart whose cycles the fact has; false: it has none. */
static bool clock_of(const struct fact *fact, uint32_t *hart)
{
    switch (fact->kind) {
    case FACT_FENCE: *hart = fact->requester; return true;
    case FACT_MOMENT: *hart = fact->hart; return true;
    case FACT_STORE: *hart = fact->writer.hart; return fact->writer.kind == WRITER_HART;
    default: return false;
    }
}

static bool has_several_clocks(const struct finding *f)
{
    uint32_t first = 0, hart;
    bool any = false;

    for (unsigned i = 0; i < f->fact_count; i++) {
        if (!clock_of(&f->facts[i], &hart))
            continue;
        if (any && hart != first)
            return true;
        first = hart;
        any = true;
    }
    return false;
}

void audit_fact_order(struct finding *f)
{
    if (has_several_clocks(f))
        audit_fact_message(f, LABEL_ORDER, MESSAGE_CLOCKS);
}
