/*
 * walk_answers.c - see walk_answers.h.
 *
 * A walk goes from the innermost frame outward, and counts how many replaced addresses it has met:
 * the n-th question is about the n-th of them. A kernel may also ask by the place of the address in
 * the frame, and begin at an outer frame; then the answer must be one of those on this stack. While
 * a tracer or return handler is at work, the kernel may have its address on the return stack, or
 * not, or not yet in the entry that it has taken: then all answers are right.
 */
#include "ftrace/audit/detours/walk_answers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/calls/calls.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/tasks.h"
#include "load/symbols.h"

/* Of a stack: more return addresses than any has that are replaced. */
enum { REPLACED_MAX = 256 };

/* After each release of ftrace's lock the first questions are judged, and then one of as many. */
enum { JUDGED_FIRST = 256 };

enum { ASK_GRAPH, ASK_RETHOOK, ASKED };
static const char *const asked_names[ASKED] = {"ftrace_graph_ret_addr", "rethook_find_ret_addr"};

/* Where the arguments of both are: the task, and what says how many were asked before. */
enum { ARG_TASK = REG_A0, ARG_BEFORE = REG_A1, ARG_RET = REG_A2, ARG_PLACE = REG_A2 + 1 };

/* A question of a hart that is not answered yet. */
struct question {
    bool open, by_place;
    unsigned which;
    uint64_t ret;    /* the address in the frame */
    uint64_t before; /* where the number of answers is kept; 0: nowhere */
    int32_t number;  /* of answers before */
};

/* A return address that was replaced, or may be. */
struct replaced {
    uint64_t back;
    bool sure;
    unsigned most; /* entries of the kernel that it may stand for */
};

/* Those of one stack, the outermost first. */
struct replaced_list {
    const struct walk_answers *walk;
    unsigned which;
    uint64_t low, high; /* of the stack */
    unsigned count;
    struct replaced at[REPLACED_MAX];
};

struct walk_answers {
    struct audit *audit;
    struct kernel_probes *probes;
    uint64_t handlers[ASKED]; /* the return handler that is asked about; 0: none */
    struct question *harts;
    uint64_t asked; /* since ftrace's lock was released */
};

static void on_question(void *ctx, unsigned which, struct hart *h);
static void on_answer(void *ctx, unsigned which, struct hart *h);

struct walk_answers *walk_answers_new(struct audit *a)
{
    static const char *const handlers[ASKED] = {"return_to_handler", "arch_rethook_trampoline"};
    const struct audit_config *config = &a->config;
    struct walk_answers *w = xcalloc(1, sizeof *w);

    w->audit = a;
    w->harts = xcalloc(cluster_hart_count(config->cluster), sizeof *w->harts);
    if (!config->symbols || !config->image || !config->calls || !config->tasks)
        return w;
    for (unsigned i = 0; i < ASKED; i++)
        if (!symbols_find(config->symbols, handlers[i], &w->handlers[i]))
            w->handlers[i] = 0;
    w->probes = kernel_probes_new(config->cluster, config->image, config->symbols, asked_names,
                                  ASKED, on_question, w);
    kernel_probes_on_return(w->probes, on_answer);
    return w;
}

void walk_answers_free(struct walk_answers *w)
{
    if (!w)
        return;
    kernel_probes_free(w->probes);
    free(w->harts);
    free(w);
}

void walk_answers_changed(struct walk_answers *w)
{
    w->asked = 0;
}

/* ---- questions ---- */

/* Whether the word at `va' in the kernel's memory is `value'. */
static bool holds(struct hart *h, uint64_t va, uint64_t value)
{
    uint64_t word;

    return va % sizeof word == 0 && hart_peek(h, va, &word, sizeof word) && word == value;
}

static void on_question(void *ctx, unsigned which, struct hart *h)
{
    struct walk_answers *w = ctx;
    struct question *q = &w->harts[hart_id(h)];
    bool judged = w->asked < JUDGED_FIRST || w->asked % JUDGED_FIRST == 0;

    q->open = false;
    if (!w->handlers[which] || hart_reg(h, ARG_RET) != w->handlers[which] ||
        hart_reg(h, ARG_TASK) != hart_reg(h, REG_TP))
        return;
    w->asked++;
    *q = (struct question){.open = judged, .which = which, .ret = hart_reg(h, ARG_RET)};
    if (!judged)
        return;
    if (which == ASK_GRAPH) {
        q->by_place = holds(h, hart_reg(h, ARG_PLACE), q->ret);
        q->before = hart_reg(h, ARG_BEFORE);
        if (!hart_peek(h, q->before, &q->number, sizeof q->number))
            q->before = 0;
    } else {
        q->by_place = !holds(h, hart_reg(h, ARG_BEFORE), 0); /* the first one has none before */
    }
    kernel_probes_await(w->probes, which, h);
}

/* ---- what is replaced ---- */

/* Whether the call's return address was replaced by the handler that is asked about, or may be. */
static bool may_be_asked(const struct replaced_list *l, const struct call *c, bool *sure)
{
    *sure = false;
    switch (c->kind) {
    /* The handler may have taken its entry off already, or not; there are several after a tail
     * call. */
    case CALL_RETURN: return true;
    case CALL_FUNCTION:
    case CALL_HOOK: break;
    default: return false;
    }
    if (c->hook == HOOK_UNKNOWN)
        return true;
    *sure = l->which == ASK_GRAPH ? c->hook == HOOK_HANDLER : c->hook == HOOK_OTHER;
    return is_hooked(c->hook) && c->hook != HOOK_CALLED;
}

static void add_call(void *ctx, const struct call *c)
{
    struct replaced_list *l = ctx;
    bool sure;

    if (c->sp <= l->low || c->sp > l->high)
        return;
    if (c->kind == CALL_TRACER && l->count && l->count <= REPLACED_MAX)
        l->at[l->count - 1].sure = false; /* its function, which may return to a handler anyway */
    if (!may_be_asked(l, c, &sure))
        return;
    if (l->count < REPLACED_MAX)
        l->at[l->count] =
            (struct replaced){c->back, sure, c->kind == CALL_RETURN ? REPLACED_MAX : 1};
    l->count++;
}

/* Lists what is replaced on the stack of the hart's task. False: it is not known. */
static bool list_replaced(const struct walk_answers *w, unsigned which, struct hart *h,
                          struct replaced_list *l)
{
    const struct audit_config *config = &w->audit->config;
    struct task task;
    uint64_t sp = hart_reg(h, REG_SP);

    if (calls_open_left_out(config->calls) || calls_returns_left_out(config->calls) ||
        !tasks_read(config->tasks, h, hart_reg(h, REG_TP), &task) || !task.stack ||
        sp < task.stack || sp - task.stack > tasks_stack_bytes(config->tasks))
        return false;
    *l = (struct replaced_list){.walk = w,
                                .which = which,
                                .low = sp,
                                .high = task.stack + tasks_stack_bytes(config->tasks)};
    calls_each(config->calls, add_call, l);
    return l->count <= REPLACED_MAX;
}

/* ---- answers ---- */

/*
 * Whether the answer to a question, with as many before it, is right. Between the addresses that
 * are replaced for certain there may be some that are perhaps replaced; their entries may still
 * have old contents. *expected: the right answer, if this one is wrong; 0: nothing is replaced.
 */
static bool is_right(const struct replaced_list *l, const struct question *q, uint64_t answer,
                     uint64_t *expected)
{
    unsigned number = (unsigned)q->number, sure = 0, passed = 0;

    *expected = 0;
    for (unsigned i = l->count; i-- > 0;) {
        const struct replaced *r = &l->at[i];
        bool meant = q->by_place || (sure <= number && number < passed + r->most);

        if (meant && (r->back == answer || !r->sure))
            return true;
        passed += r->most;
        if (r->sure && sure++ == number)
            *expected = r->back;
    }
    return answer == q->ret && (q->by_place || sure <= number);
}

/* Whether the next question is about the next address. */
static bool is_counted(const struct question *q, struct hart *h)
{
    int32_t number;

    return q->by_place || !q->before || !hart_peek(h, q->before, &number, sizeof number) ||
           number > q->number;
}

static void report(const struct walk_answers *w, unsigned which, struct hart *h,
                   const struct question *q, uint64_t answer, uint64_t expected)
{
    struct audit *a = w->audit;
    const struct breach b = {.rule = RULE_wrong_backtrace,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_wrong_backtrace, which)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_moment(f, LABEL_RETURNED, h, hart_pc(h));
    audit_fact_text(f, LABEL_WRONG, "the answer of %s(), by which a walk of the stack goes on%s",
                    asked_names[which], is_counted(q, h) ? "" : "; and the answer is not counted");
    audit_fact(f, LABEL_RETURNS, FACT_PLACE)->va = answer;
    if (expected)
        audit_fact(f, LABEL_EXPECTED, FACT_PLACE)->va = expected;
    audit_fact_task(a, f, h);
    audit_fact_order(f);
}

/* An address that the other handler has replaced before is asked for next. */
static bool is_handler(const struct walk_answers *w, unsigned which, uint64_t address)
{
    return address == w->handlers[which == ASK_GRAPH ? ASK_RETHOOK : ASK_GRAPH];
}

static void on_answer(void *ctx, unsigned which, struct hart *h)
{
    struct walk_answers *w = ctx;
    struct question *q = &w->harts[hart_id(h)];
    uint64_t answer = hart_reg(h, REG_A0), expected;
    struct replaced_list list;

    if (!q->open || q->which != which)
        return;
    q->open = false;
    if (!answer || is_handler(w, which, answer) || !list_replaced(w, which, h, &list))
        return;
    if (!is_right(&list, q, answer, &expected) || (answer != q->ret && !is_counted(q, h)))
        report(w, which, h, q, answer, expected);
}

/* ---- state ---- */

void walk_answers_state_io(struct state_io *io, struct walk_answers *w)
{
    for (unsigned i = 0; i < cluster_hart_count(w->audit->config.cluster); i++) {
        struct question *q = &w->harts[i];

        STATE_IO(io, q->open);
        STATE_IO(io, q->by_place);
        STATE_IO_BELOW(io, q->which, ASKED);
        STATE_IO(io, q->ret);
        STATE_IO(io, q->before);
        STATE_IO(io, q->number);
    }
    STATE_IO(io, w->asked);
    if (w->probes)
        kernel_probes_state_io(io, w->probes);
}
