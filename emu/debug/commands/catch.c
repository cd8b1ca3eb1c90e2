/*
 * catch.c - the command `catch': the events that each of its words means, and their text at a stop.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/installed.h"
#include "base/nearest.h"
#include "cpu/cluster.h"
#include "cpu/isa/isa.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"
#include "ftrace/audit/rules.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

enum { ANY = UINT32_MAX };

/* The event that a catchpoint waits for. */
struct wanted {
    const struct debugger *d;
    uint64_t number;         /* a cause, a CSR, an SBI extension, a rule; ANY: all */
    char glob[NAME_MAX_LEN]; /* of sites */
};

/* ---- tests of events ---- */

static bool is_number(const struct wanted *w, uint64_t number)
{
    return w->number == ANY || w->number == number;
}

static bool is_exception(void *ctx, const struct event *e)
{
    return !e->trap.interrupt && is_number(ctx, e->trap.cause);
}

static bool is_interrupt(void *ctx, const struct event *e)
{
    return e->trap.interrupt && is_number(ctx, e->trap.cause);
}

static bool is_mode_change(void *ctx, const struct event *e)
{
    (void)ctx;
    return e->kind == EVENT_TRAP ? e->trap.from != e->trap.to
                                 : e->trap_return.from != e->trap_return.to;
}

static bool is_sbi_call(void *ctx, const struct event *e)
{
    return is_number(ctx, e->sbi.extension);
}

static bool is_csr(void *ctx, const struct event *e)
{
    return is_number(ctx, e->csr_write.number);
}

static bool is_rule(void *ctx, const struct ftrace_event *e)
{
    return is_number(ctx, e->finding.rule);
}

/* Whether the event is the first store of a patch. The patch log has recorded the store already. */
static bool is_patch(void *ctx, const struct event *e)
{
    const struct wanted *w = ctx;
    const struct site_table *sites = watch_sites(w->d->config.ftrace);
    uint32_t site = site_find(sites, e->code_write.pa, e->code_write.size);
    const struct patch *p;

    if (site == NO_SITE || !name_matches(w->glob, site_get(sites, site)->function))
        return false;
    p = patch_log_last(watch_patches(w->d->config.ftrace), site);
    return p && p->stores == 1;
}

/* ---- the words ---- */

/* Reads "RFNC" or a number. */
static bool read_extension(struct debugger *d, const char **at, uint64_t *number)
{
    size_t len = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

    if (!len || len > 4)
        return arg_value(d, at, "an SBI extension", number);
    for (*number = 0; len; len--)
        *number = *number << 8 | (uint8_t) * (*at)++;
    *at += strspn(*at, " \t");
    return true;
}

static bool read_csr(struct debugger *d, const char **at, uint64_t *number)
{
    char name[NAME_MAX_LEN];
    int found = -1;

    if (arg_word(at, name, sizeof name))
        found = target_find_register(d->target, name + (name[0] == '$'));
    if (found < TARGET_REG_CSR || found >= TARGET_REG_PRIV) {
        complain(d, "catch csr: expected the name of a CSR");
        return false;
    }
    *number = (uint64_t)(found - TARGET_REG_CSR);
    return true;
}

static bool read_cause(struct debugger *d, const char **at, uint64_t *number)
{
    return arg_value(d, at, "a cause", number);
}

static bool read_rule(struct debugger *d, const char **at, uint64_t *number)
{
    char name[NAME_MAX_LEN] = "", document[DOCUMENT_NAME];
    struct nearest near = nearest_to(name);

    if (arg_word(at, name, sizeof name))
        for (*number = 0; *number < RULE_COUNT; ++*number) {
            if (!strcmp(rule_name((enum rule) * number), name))
                return true;
            nearest_offer(&near, rule_name((enum rule) * number));
        }
    complain(d, "catch finding: expected the name of a rule (%s)%s%s%s",
             installed_document("rules.md", document), near.found ? "; did you mean `" : "",
             near.found ? near.found : "", near.found ? "'?" : "");
    return false;
}

/* A word of `catch' and the events that it means. */
struct catch_word {
    const char *word;
    uint32_t kinds;
    bool (*wants)(void *ctx, const struct event *e);
    /* Reads an argument that limits the events, as the cause of a trap; NULL: the word has none. */
    bool (*read)(struct debugger *d, const char **at, uint64_t *number);
    bool must_limit;
    uint32_t ftrace_kinds; /* of ftrace's events */
    bool (*wants_ftrace)(void *ctx, const struct ftrace_event *e);
};

static const struct catch_word words[] = {
    {.word = "trap", EVENT_BIT(EVENT_TRAP), is_exception, read_cause},
    {.word = "interrupt", EVENT_BIT(EVENT_TRAP), is_interrupt, read_cause},
    {.word = "mode", EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN), is_mode_change},
    {.word = "sbi", EVENT_BIT(EVENT_SBI_CALL), is_sbi_call, read_extension},
    {.word = "fence.i", EVENT_BIT(EVENT_FENCE_I)},
    {.word = "csr", EVENT_BIT(EVENT_CSR_WRITE), is_csr, read_csr, .must_limit = true},
    {.word = "patch", EVENT_BIT(EVENT_CODE_WRITE), is_patch},
    {.word = "stale", EVENT_BIT(EVENT_STALE_FETCH)},
    {.word = "finding",
     .read = read_rule,
     .ftrace_kinds = FTRACE_BIT(FTRACE_FINDING),
     .wants_ftrace = is_rule},
    {.word = "hart-start", EVENT_BIT(EVENT_HART_STARTED)},
};

static const struct catch_word *find_word(const char **at)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (arg_keyword(at, words[i].word))
            return &words[i];
    return NULL;
}

void catch_for_each(void (*found)(void *ctx, const char *word), void *ctx)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        found(ctx, words[i].word);
    found(ctx, TASK_SWITCH);
}

static bool read_limit(struct debugger *d, const struct catch_word *c, const char **at,
                       struct wanted *w)
{
    if (c->wants == is_patch && !is_limit(*at))
        return arg_word(at, w->glob, sizeof w->glob);
    return !c->read || (is_limit(*at) && !c->must_limit) || c->read(d, at, &w->number);
}

static void release(void *ctx)
{
    free(ctx);
}

/* ---- the command ---- */

static void catch_event(struct debugger *d, const char *args, bool temporary)
{
    struct target_point p = {.kind = TARGET_CATCH, .temporary = temporary};
    struct wanted w = {.d = d, .number = ANY, .glob = "*"};
    const char *start = args;
    const struct catch_word *c = find_word(&args);
    char what[NAME_MAX_LEN];

    if (!c) {
        complain(d, "catch: expected trap, interrupt, mode, sbi, fence.i, csr, patch, stale, "
                    "finding, hart-start or task-switch");
        return;
    }
    if (!read_limit(d, c, &args, &w))
        return;
    words_before(what, start, args);
    if (!arg_limits(d, &args, &p))
        return;
    p.catch.kinds = c->kinds;
    p.catch.wants = c->wants;
    p.catch.ftrace_kinds = c->ftrace_kinds;
    p.catch.wants_ftrace = c->wants_ftrace;
    p.catch.ctx = xmalloc(sizeof w);
    memcpy(p.catch.ctx, &w, sizeof w);
    p.catch.release = release;
    add_point(d, &p, NULL, 0, what);
}

/* Sets a breakpoint at __switch_to, whose arguments are the two tasks. */
static void catch_switch(struct debugger *d, const char *args, bool temporary)
{
    struct target_point p = {.space = TARGET_BY_ANY, .temporary = temporary};

    if (!symbols_find(d->config.symbols, "__switch_to", &p.address))
        complain(d, "the image has no symbol __switch_to, at which tasks are switched");
    else if (arg_limits(d, &args, &p))
        add_point(d, &p, NULL, 0, TASK_SWITCH);
}

static void add_catch(struct debugger *d, const char *args, bool temporary)
{
    if (arg_keyword(&args, TASK_SWITCH))
        catch_switch(d, args, temporary);
    else
        catch_event(d, args, temporary);
}

void do_catch(struct debugger *d, const char *args)
{
    add_catch(d, args, false);
}

void do_tcatch(struct debugger *d, const char *args)
{
    add_catch(d, args, true);
}

/* ---- text of events ---- */

static const char *interrupt_name(uint64_t cause)
{
    switch (cause) {
    case IRQ_SSI: return "supervisor software interrupt";
    case IRQ_MSI: return "machine software interrupt";
    case IRQ_STI: return "supervisor timer interrupt";
    case IRQ_LCOFI: return "counter overflow interrupt";
    case IRQ_MTI: return "machine timer interrupt";
    case IRQ_SEI: return "supervisor external interrupt";
    case IRQ_MEI: return "machine external interrupt";
    default: return "interrupt";
    }
}

static const char *mode_name(unsigned mode)
{
    return mode == PRIV_M ? "M" : mode == PRIV_S ? "S" : "U";
}

static void print_trap(struct debugger *d, const struct trap_event *t)
{
    fprintf(d->out, "%s at ",
            t->interrupt ? interrupt_name(t->cause) : machine_exception_name(t->cause));
    print_place(d, t->epc);
    if (!t->interrupt && t->tval)
        fprintf(d->out, ", tval 0x%" PRIx64, t->tval);
    fprintf(d->out, "; mode %s -> %s", mode_name(t->from), mode_name(t->to));
}

static void print_sbi(struct debugger *d, const struct sbi_event *s)
{
    char name[5] = "";
    int shift = 24;

    for (unsigned len = 0; shift >= 0; shift -= 8) {
        char c = (char)(s->extension >> shift & 0xff);

        if (c >= 'A' && c <= 'z')
            name[len++] = c;
    }
    fprintf(d->out, "SBI call: extension 0x%" PRIx64 "%s%s%s, function %" PRIu64, s->extension,
            name[0] ? " (" : "", name, name[0] ? ")" : "", s->function);
}

static void print_csr(struct debugger *d, const struct csr_write_event *w)
{
    struct target_register r = {.name = "a CSR"};

    (void)!target_register(d->target, TARGET_REG_CSR + w->number, &r);
    fprintf(d->out, "write to %s\n\nOld value = 0x%" PRIx64 "\nNew value = 0x%" PRIx64, r.name,
            w->old_value, w->new_value);
}

static void print_fence(struct debugger *d, const struct fence_event *f)
{
    if (f->origin == FENCE_REMOTE)
        fprintf(d->out, "fence.i of hart %u, requested by hart %u at ", hart_id(f->hart),
                f->requester);
    else
        fprintf(d->out, "fence.i at ");
    print_place(d, f->pc);
}

static void print_stale(struct debugger *d, const struct stale_fetch *s)
{
    fprintf(d->out, "stale fetch at ");
    print_place(d, s->pc);
    fprintf(d->out, ", executes the %s bytes", s->chosen == FETCHED_OLD ? "old" : "new");
    if (s->writer_known) {
        fprintf(d->out, "\n    by:  ");
        print_writer(d, &s->who);
    }
}

static void print_event(struct debugger *d, const struct event *e)
{
    switch (e->kind) {
    case EVENT_TRAP: print_trap(d, &e->trap); break;
    case EVENT_TRAP_RETURN:
        fprintf(d->out, "return from a trap; mode %s -> %s", mode_name(e->trap_return.from),
                mode_name(e->trap_return.to));
        break;
    case EVENT_SBI_CALL: print_sbi(d, &e->sbi); break;
    case EVENT_FENCE_I: print_fence(d, &e->fence); break;
    case EVENT_CSR_WRITE: print_csr(d, &e->csr_write); break;
    case EVENT_CODE_WRITE: print_patch_store(d, &e->code_write); break;
    case EVENT_STALE_FETCH: print_stale(d, &e->stale_fetch); break;
    case EVENT_HART_STARTED:
        fprintf(d->out, "hart %u is started at ", hart_id(e->started.hart));
        print_place(d, hart_pc(e->started.hart));
        break;
    default: break;
    }
    if (e->kind != EVENT_CODE_WRITE)
        fprintf(d->out, "\n");
}

void print_catch_stop(struct debugger *d, const struct target_stop *s)
{
    fprintf(d->out, "catchpoint %u, hart %u: ", s->point, s->hart);
    if (s->event)
        print_event(d, s->event);
    else
        fprintf(d->out, "finding %s\n", rule_name((enum rule)s->ftrace_event->finding.rule));
}

static void print_task(struct debugger *d, uint64_t tp)
{
    struct hart *h = cluster_hart(machine_cluster(d->config.machine), d->selected);
    struct task task;

    if (d->config.tasks && tasks_read(d->config.tasks, h, tp, &task))
        fprintf(d->out, "%s (%d)", task.name, task.pid);
    else
        fprintf(d->out, "0x%" PRIx64, tp);
}

void print_switch(struct debugger *d)
{
    fprintf(d->out, "    from ");
    print_task(d, selected_register(d, REG_A0));
    fprintf(d->out, " to ");
    print_task(d, selected_register(d, REG_A1));
    fprintf(d->out, "\n");
}
