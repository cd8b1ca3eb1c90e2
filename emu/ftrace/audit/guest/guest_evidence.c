/*
 * guest_evidence.c - see guest_evidence.h.
 */
#include "ftrace/audit/guest/guest_evidence.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/store_stacks.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/patch/updates.h"

static const char *cause_name(uint64_t cause)
{
    static const char *const names[] = {
        [EXC_FETCH_MISALIGNED] = "misaligned fetch", [EXC_FETCH_ACCESS] = "fetch access fault",
        [EXC_ILLEGAL] = "illegal instruction",       [EXC_BREAKPOINT] = "breakpoint",
        [EXC_LOAD_MISALIGNED] = "misaligned load",   [EXC_LOAD_ACCESS] = "load access fault",
        [EXC_STORE_MISALIGNED] = "misaligned store", [EXC_STORE_ACCESS] = "store access fault",
        [EXC_FETCH_PAGE] = "fetch page fault",       [EXC_LOAD_PAGE] = "load page fault",
        [EXC_STORE_PAGE] = "store page fault",       [EXC_SOFTWARE_CHECK] = "software check",
    };

    return cause < ARRAY_LEN(names) && names[cause] ? names[cause] : "exception";
}

void guest_evidence_exception(struct finding *f, const struct hart *h, const struct taken *e)
{
    struct fact *fact = audit_fact(f, LABEL_EXCEPTION, FACT_MOMENT);

    fact->hart = hart_id(h);
    fact->pc = e->pc;
    fact->cycle = e->cycle;
    fact->step = e->step;
    audit_fact_text(f, LABEL_CAUSE, "%s on 0x%" PRIx64, cause_name(e->cause), e->value);
}

const struct text_store *guest_evidence_last_patch(const struct audit *a, uint32_t *hart)
{
    const struct text_store *last = NULL;

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        const struct text_store *one = &a->harts[i].text;

        if (one->stamp && (!last || one->stamp > last->stamp)) {
            last = one;
            *hart = i;
        }
    }
    return last;
}

static void add_stack_of_patch(const struct audit *a, struct finding *f, const struct writer *who)
{
    const struct store_stack *store = store_stacks_of(a->stores, who);

    if (store && store->stack.count > 1)
        audit_fact(f, LABEL_STACK, FACT_STACK)->stack = store->stack;
}

static void add_last_patch(const struct audit *a, struct finding *f)
{
    uint32_t hart;
    const struct text_store *last = guest_evidence_last_patch(a, &hart);
    struct writer who;
    struct fact *fact;

    if (!last)
        return;
    if (last->site != NO_SITE) {
        fact = audit_fact(f, LABEL_PATCHED, FACT_SITE);
        fact->site = last->site;
    } else {
        fact = audit_fact(f, LABEL_PATCHED, FACT_PLACE);
        fact->va = last->va;
    }
    fact = audit_fact(f, LABEL_WRITTEN, FACT_MOMENT);
    fact->hart = hart;
    fact->pc = last->pc;
    fact->cycle = last->cycle;
    fact->step = last->step;
    who = text_store_writer(last, hart);
    add_stack_of_patch(a, f, &who);
}

/* The updates that no fence and no announcement has ended yet. */
static void add_updates(const struct audit *a, struct finding *f)
{
    char text[FACT_WORDS_MAX];
    size_t used = 0;

    for (unsigned i = 0; i < cluster_hart_count(a->config.cluster); i++) {
        const struct update *u = updates_open(a->config.updates, i);

        if (u && used < sizeof text)
            used += (size_t)snprintf(
                text + used, sizeof text - used,
                "%sby hart %u, open since cycle %" PRIu64 ": %" PRIu64 " store%s", used ? "; " : "",
                i, u->writer.cycle, u->stores, u->stores == 1 ? "" : "s");
    }
    if (used)
        audit_fact_text(f, LABEL_UPDATE, "%s", text);
}

/* The functions whose return addresses are those of return_to_handler now. */
struct hooked {
    uint64_t stack;        /* of the task, or 0 */
    unsigned here, all;    /* on that stack; on all stacks */
    const char *innermost; /* of those on the stack */
};

static void count_hooked(void *ctx, const struct call *call)
{
    struct hooked *h = ctx;

    if (call->kind != CALL_FUNCTION || call->hook != HOOK_HANDLER)
        return;
    h->all++;
    if (!h->stack || call->sp - h->stack > TASK_STACK_BYTES)
        return;
    h->here++;
    h->innermost = call->function;
}

static void add_returns(const struct audit *a, struct finding *f, struct hart *h)
{
    struct hooked hooked = {0};
    struct task task;

    if (a->config.tasks && tasks_read(a->config.tasks, h, call_stack_task(h), &task))
        hooked.stack = task.stack;
    calls_each(a->config.calls, count_hooked, &hooked);
    if (hooked.all)
        audit_fact_text(f, LABEL_RETURNS,
                        "%u return address%s replaced, %u of them of this task%s%.60s", hooked.all,
                        hooked.all == 1 ? " is" : "es are", hooked.here,
                        hooked.innermost ? ", the innermost of " : "",
                        hooked.innermost ? hooked.innermost : "");
}

void guest_evidence_state(const struct audit *a, struct finding *f, struct hart *h)
{
    add_last_patch(a, f);
    add_updates(a, f);
    add_returns(a, f, h);
}

void guest_evidence_end(const struct audit *a, struct finding *f, struct hart *h)
{
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact_task(a, f, h);
    guest_evidence_state(a, f, h);
    audit_fact_order(f);
}

struct finding *guest_evidence_begin(struct audit *a, const struct hart *h, uint64_t pc,
                                     uint64_t cause)
{
    const struct breach b = {.rule = RULE_guest_noticed,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = pc,
                             .cycle = hart_cycles(h),
                             .cause = cause};

    return audit_add(a, &b);
}
