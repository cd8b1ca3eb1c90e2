/*
 * log_record.c - see log_record.h.
 *
 * Code that reads the machine runs on the machine's thread, and sends messages to the reader of the
 * feed (cpu/feed.h), which owns the writer and the names ("the reader's", below). State that both
 * use, and definitions of sites and findings, are changed while the reader has nothing to read.
 */
#include "log/log_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/feed.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit.h"
#include "ftrace/cost/account.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/patch/updates.h"
#include "ftrace/report/describe.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/image.h"
#include "load/symbols.h"
#include "log/log_lines.h"
#include "log/log_state.h"
#include "log/log_write.h"
#include "mem/bus.h"

_Static_assert((int)LOG_FUNCTION == (int)CALL_FUNCTION && (int)LOG_TRACER == (int)CALL_TRACER &&
                   (int)LOG_RETURN_HANDLER == (int)CALL_RETURN &&
                   (int)LOG_TRAP_HANDLER == (int)CALL_TRAP,
               "the log has the numbers of enum call_kind");
_Static_assert((int)LOG_INIT == (int)SITE_INIT && (int)LOG_OFF == (int)SITE_OFF &&
                   (int)LOG_ON == (int)SITE_ON && (int)LOG_SITE_STATES == (int)SITE_STATES,
               "the log has the numbers of enum site_state");
_Static_assert((int)LOG_STACK_BYTES == (int)TASK_STACK_BYTES,
               "the log divides addresses into stacks");
_Static_assert((uint32_t)LOG_NONE == (uint32_t)NO_SITE, "the log has the numbers of sites");

/* The task that a hart had when it was last read, and the place of its name in memory. */
struct running {
    uint64_t tp;
    const uint8_t *name; /* in the host's memory; NULL: not in one page */
    uint8_t was[TASK_NAME_MAX];
    uint32_t looks;
    bool looked, known; /* known: name, pid and stack are */
};

/* A task as it was last read. */
struct seen_task {
    uint64_t tp, stack;
    int32_t pid;
    char name[TASK_NAME_MAX + 1]; /* empty: not known */
};

/* A name that symbols do not have: of an address, with the address's offset in the function. */
struct named {
    uint32_t string;
    uint64_t offset;
};

/* How many times each hart reads a task again, because its stack is not known. */
enum { LOOKS_MAX = 10000 };

/* Console output is an event for each line, or for this many bytes. */
enum { CONSOLE_BYTES = 256 };

struct log_record {
    struct log_record_config config;
    struct feed *feed;
    struct log_lines *lines; /* NULL: none are looked up */
    struct watch *watch;
    struct running running[LOG_HARTS_MAX];
    VEC_OF(uint8_t) states;    /* of the sites in memory */
    struct log_counts *before; /* the counts of the first `counted' sites before the log began */
    uint32_t counted;
    struct kernel_probes *at_switch; /* NULL: switches are not recorded */
    uint8_t printed[CONSOLE_BYTES];
    size_t printed_len;
    unsigned printing; /* the hart */
    bool begun, told;  /* told: config.lost was called */
    uint64_t shown_at; /* host's time, for log_record_show */
    struct map met;    /* addresses whose name is in `named' or in the symbols */
    /* the reader's */
    struct log_writer *writer;
    VEC_OF(struct named) named;
    struct map named_at;         /* address -> index */
    VEC_OF(uint32_t) site_names; /* strings; LOG_NONE: the site has none */
    struct log_call
        call;  /* the call to be written; a member, as most of its members are always the same */
    bool lost; /* the machine's thread reads it, too */
};

/* ---- events ---- */

/* Called when the file cannot be written; the machine's thread will see it (tell_loss). */
static void on_lost(void *ctx)
{
    struct log_record *r = ctx;

    __atomic_store_n(&r->lost, true, __ATOMIC_RELAXED);
}

static void tell_loss(struct log_record *r)
{
    if (r->told || !__atomic_load_n(&r->lost, __ATOMIC_RELAXED))
        return;
    r->told = true;
    r->config.lost(r->config.ctx);
}

enum { EVENT_MORE_MAX = sizeof(struct log_update_hart) * LOG_HARTS_MAX };

_Static_assert((int)CONSOLE_BYTES <= (int)EVENT_MORE_MAX, "what an event points to");

/* An event, with the data that it points to. */
struct sent {
    struct log_event event;
    uint8_t more[EVENT_MORE_MAX];
};

static void write_event(void *ctx, const void *sent, size_t size)
{
    struct log_record *r = ctx;
    struct sent s;

    memcpy(&s, sent, size);
    if (s.event.kind == LOG_CONSOLE)
        s.event.console.bytes = s.more;
    if (s.event.kind == LOG_UPDATE)
        s.event.update.hart = (void *)s.more;
    log_write_event(r->writer, &s.event);
}

/* `more': the data that the event points to. */
static void send_event(struct log_record *r, const struct log_event *e, const void *more,
                       size_t size)
{
    struct sent *s;

    tell_loss(r);
    s = feed_message(r->feed, write_event, r, offsetof(struct sent, more) + size);
    s->event = *e;
    if (size)
        memcpy(s->more, more, size);
}

static struct log_event event_of(struct hart *h, enum log_kind kind)
{
    struct log_event e = {.kind = kind, .hart = (uint8_t)hart_id(h)};

    hart_clocks(h, &e.cycle, &e.insns, &e.time);
    return e;
}

/* ---- tasks ---- */

/* Sets *known if the task's stack is known, too. */
static struct seen_task read_task(struct log_record *r, struct hart *h, uint64_t tp, bool *known)
{
    struct seen_task seen = {.tp = tp, .pid = -1};
    struct task task;

    if (r->config.tasks && tasks_read(r->config.tasks, h, tp, &task)) {
        seen.pid = task.pid;
        seen.stack = task.stack;
        snprintf(seen.name, sizeof seen.name, "%s", task.name);
    }
    *known = seen.stack != 0;
    return seen;
}

/* Runs on the reader's thread. */
static uint32_t define_task(struct log_record *r, const struct seen_task *seen)
{
    const struct log_task defined = {.tp = seen->tp,
                                     .pid = seen->pid,
                                     .name = seen->name[0] ? log_write_string(r->writer, seen->name)
                                                           : LOG_NONE,
                                     .stack = seen->stack};

    return log_write_task(r->writer, &defined);
}

/* The place of the task's name; NULL: it is not known, or the bytes are not in one page. */
static const uint8_t *find_name(const struct log_record *r, struct hart *h, uint64_t tp)
{
    struct ram *ram;
    uint64_t va, pa;

    if (!r->config.tasks || !tasks_name_address(r->config.tasks, tp, &va) ||
        !hart_translate(h, va, ACCESS_LOAD, &pa) || pa % PAGE_BYTES > PAGE_BYTES - TASK_NAME_MAX)
        return NULL;
    ram = bus_ram_at(cluster_bus(r->config.cluster), pa);
    return ram ? ram_host(ram, pa) : NULL;
}

struct hart_task {
    unsigned hart;
    struct seen_task task;
};

static void write_task(void *ctx, const void *hart_task, size_t size)
{
    const struct hart_task *h = hart_task;
    struct log_record *r = ctx;

    (void)size;
    log_write_has_task(r->writer, h->hart, define_task(r, &h->task));
}

/* Sends the hart's task, if it or its name has changed. False: not all of it is known. */
static bool look_at_task(void *ctx, struct hart *h)
{
    struct log_record *r = ctx;
    struct running *now = &r->running[hart_id(h)];
    uint64_t tp = hart_reg(h, REG_TP);
    struct hart_task seen;

    tell_loss(r);
    if (LIKELY(now->looked && now->known && now->tp == tp && now->name))
        return true;
    now->looked = true;
    now->tp = tp;
    now->name = find_name(r, h, tp);
    if (now->name)
        memcpy(now->was, now->name, sizeof now->was);
    seen = (struct hart_task){hart_id(h), read_task(r, h, tp, &now->known)};
    feed_put(r->feed, write_task, r, &seen, sizeof seen);
    /* The first task gets its stack while the kernel boots; in some kernels it is never found. */
    now->known |= ++now->looks > LOOKS_MAX;
    return now->known;
}

/*
 * Makes the next call read the task again: a name changes within a system call, which ends with a
 * trap return.
 */
static void look_at_name(struct log_record *r, const struct hart *h)
{
    const struct running *now = &r->running[hart_id(h)];
    uint64_t tp = now->tp;

    if (!now->looked || !now->name || !memcmp(now->name, now->was, sizeof now->was))
        return;
    for (unsigned i = 0; i < LOG_HARTS_MAX; i++) /* other harts may have read this task */
        r->running[i].looked &= r->running[i].tp != tp;
    feed_interrupt(r->feed);
}

struct task_switch {
    struct log_event event;
    struct seen_task from, to;
};

static void write_switch(void *ctx, const void *task_switch, size_t size)
{
    const struct task_switch *s = task_switch;
    struct log_record *r = ctx;
    struct log_event e = s->event;

    (void)size;
    e.switched.from = define_task(r, &s->from);
    e.switched.to = define_task(r, &s->to);
    log_write_event(r->writer, &e);
}

static void on_switch(void *ctx, unsigned which, struct hart *h)
{
    struct log_record *r = ctx;
    struct task_switch s = {.event = event_of(h, LOG_SWITCH)};
    bool known;

    (void)which;
    s.from = read_task(r, h, hart_reg(h, REG_A0), &known);
    s.to = read_task(r, h, hart_reg(h, REG_A1), &known);
    feed_put(r->feed, write_switch, r, &s, sizeof s);
}

/* ---- calls ---- */

struct met {
    uint64_t address, offset;
    char name[MODULE_NAME_MAX + MODULE_FUNCTION_MAX + 1]; /* empty: not known */
};

static void keep_name(void *ctx, const void *met, size_t size)
{
    const struct met *m = met;
    struct log_record *r = ctx;
    struct named named = {LOG_NONE, m->offset};
    uint64_t index;

    (void)size;
    if (m->name[0])
        named.string = log_write_string(r->writer, m->name);
    if (!map_get(&r->named_at, m->address, &index)) {
        index = r->named.len;
        map_put(&r->named_at, m->address, index);
        VEC_PUSH(&r->named, named);
    }
    r->named.at[index] = named;
}

/* Reads a name that the symbols do not have from the guest's memory, where it must be read now. */
static void meet(void *ctx, uint64_t address)
{
    struct log_record *r = ctx;
    struct met m = {.address = address};
    const char *name;
    uint64_t known;

    if (address == UINT64_MAX || symbols_at(r->config.symbols, address, NULL) ||
        map_get(&r->met, address, &known))
        return;
    map_put(&r->met, address, 0);
    name = symbols_name_at(r->config.symbols, address, &m.offset);
    snprintf(m.name, sizeof m.name, "%s", name ? name : "");
    feed_put(r->feed, keep_name, r, &m, sizeof m);
}

/* Names the function with an address, by all names that are known. */
static uint32_t name_at(const struct log_record *r, uint64_t address, uint64_t *offset)
{
    const char *name = symbols_at(r->config.symbols, address, offset);
    uint64_t index;

    if (name)
        return log_write_string(r->writer, name);
    if (address == UINT64_MAX || !map_get(&r->named_at, address, &index))
        return LOG_NONE;
    *offset = r->named.at[index].offset;
    return r->named.at[index].string;
}

/*
 * Names the caller by the address just before the return address: after the call of a function that
 * does not return, the next function may begin.
 */
static void name_call(void *ctx, struct log_call *c)
{
    struct log_record *r = ctx;
    const struct symbol *symbol = NULL;
    uint64_t offset = 0;

    if (c->site != LOG_NONE && r->site_names.at[c->site] != LOG_NONE)
        c->name = r->site_names.at[c->site];
    else if (c->site == LOG_NONE && (symbol = symbols_function_at(r->config.symbols, c->pc)))
        c->name = log_write_string(r->writer, symbol->name);
    else
        c->name = name_at(r, c->pc, &offset);
    c->caller = name_at(r, c->back - 1, &offset);
    c->caller_offset = offset + 1;
    if (c->tail_of)
        c->tail_name = name_at(r, c->tail_of, &offset);
}

static void on_enter(void *ctx, const struct call *c, const struct call_moment *at)
{
    struct log_record *r = ctx;

    r->call.kind = (uint8_t)c->kind;
    r->call.state = (uint8_t)c->state;
    r->call.site = c->site;
    r->call.pc = c->pc;
    r->call.back = c->back;
    r->call.sp = c->sp;
    r->call.tail_of = c->tail_of;
    r->call.cause = c->cause;
    log_write_call(r->writer, at->hart, &at->clocks, at->stack, &r->call);
}

static void on_leave(void *ctx, const struct call *c, const struct call_moment *at,
                     enum call_end how)
{
    static const uint8_t ends[] = {
        [CALL_CAME_BACK] = LOG_RETURNED, [CALL_ABANDONED] = LOG_ABANDONED,
        [CALL_STRAYED] = LOG_STRAYED,    [CALL_UNBALANCED] = LOG_UNBALANCED,
        [CALL_LOST] = LOG_LOST,          [CALL_UNWOUND] = LOG_ABANDONED,
        [CALL_UNSENT] = LOG_ABANDONED,   [CALL_DROPPED] = LOG_DROPPED,
        [CALL_OPEN] = LOG_OPEN};
    const struct log_record *r = ctx;

    (void)c;
    /* There is no event for a call that began before the log. */
    (void)log_write_return(r->writer, at->hart, &at->clocks, at->stack,
                           (enum log_call_end)ends[how]);
}

struct calls_listener log_record_calls(struct log_record *r, bool on_only)
{
    return (struct calls_listener){.ctx = r,
                                   .on_only = on_only,
                                   .feed = r->feed,
                                   .look = look_at_task,
                                   .meet = meet,
                                   .enter = on_enter,
                                   .leave = on_leave};
}

/* ---- code ---- */

static enum site_state state_in_memory(const struct log_record *r, uint32_t id)
{
    const struct site *s = site_get(watch_sites(r->watch), id);
    uint8_t bytes[SITE_BYTES_MAX] = {0};

    if (s->gone || !bus_read(cluster_bus(r->config.cluster), s->pa, bytes, s->size))
        return SITE_OTHER;
    return site_state(watch_sites(r->watch), s, bytes, NULL);
}

static uint64_t text_va(const struct log_record *r, uint64_t pa)
{
    for (size_t i = 0; i < r->config.image->text_count; i++) {
        const struct image_text *text = &r->config.image->texts[i];

        if (pa - text->pa < text->size)
            return text->va + (pa - text->pa);
    }
    return 0;
}

/* The hart that a writer is or works for; hart 0 for a device. */
static struct hart *hart_of(const struct log_record *r, const struct writer *who)
{
    bool is_hart = who->kind == WRITER_HART || who->kind == WRITER_FIRMWARE;

    return cluster_hart(r->config.cluster, is_hart ? who->hart : 0);
}

static void on_store(struct log_record *r, const struct code_write *w)
{
    struct log_event e = event_of(hart_of(r, &w->who), LOG_STORE);
    uint32_t site = site_find(watch_sites(r->watch), w->pa, w->size);

    e.store = (struct log_store){.writer = (uint8_t)w->who.kind,
                                 .pc = w->who.pc,
                                 .pa = w->pa,
                                 .va = text_va(r, w->pa),
                                 .size = (uint8_t)w->size,
                                 .site = site,
                                 .before = SITE_OTHER,
                                 .after = SITE_OTHER};
    memcpy(e.store.old_bytes, w->old_bytes, sizeof e.store.old_bytes);
    memcpy(e.store.new_bytes, w->new_bytes, sizeof e.store.new_bytes);
    if (site != NO_SITE && site < r->states.len) {
        e.store.before = r->states.at[site];
        e.store.after = r->states.at[site] = (uint8_t)state_in_memory(r, site);
    }
    send_event(r, &e, NULL, 0);
}

static void on_fence(struct log_record *r, const struct fence_event *f, enum log_kind kind)
{
    struct log_event e = event_of(f->hart, kind);

    e.fence.remote = f->origin == FENCE_REMOTE;
    e.fence.requester = f->requester;
    e.fence.pc = f->pc;
    e.fence.one_address = f->one_address;
    e.fence.va = f->va;
    send_event(r, &e, NULL, 0);
}

static void on_stale(struct log_record *r, const struct stale_fetch *s)
{
    struct log_event e = event_of(s->hart, LOG_STALE);

    e.stale.pc = s->pc;
    e.stale.pa = s->pa;
    e.stale.size = (uint8_t)s->size;
    memcpy(e.stale.old_bytes, s->old_bytes, sizeof e.stale.old_bytes);
    memcpy(e.stale.new_bytes, s->new_bytes, sizeof e.stale.new_bytes);
    e.stale.old_known = s->old_known;
    e.stale.ran_old = s->chosen == FETCHED_OLD;
    e.stale.writer_known = s->writer_known;
    e.stale.writer_hart = (uint8_t)s->who.hart;
    e.stale.writer_pc = s->who.pc;
    e.stale.site = site_find(watch_sites(r->watch), s->pa, s->size);
    send_event(r, &e, NULL, 0);
}

static void on_update(struct log_record *r, const struct update_event *u)
{
    const struct updates *updates = watch_updates(r->watch);
    size_t last = updates_count(updates);
    struct log_event e = event_of(cluster_hart(r->config.cluster, u->writer), LOG_UPDATE);
    struct log_update_hart harts[LOG_HARTS_MAX] = {0};
    const struct update *update = last ? updates_get(updates, last - 1) : NULL;

    if (!update || update->last_stamp != u->stamp)
        return; /* there were too many, and it was not kept */
    e.update.writer = u->writer;
    e.update.end = (uint8_t)update->end;
    e.update.first = update->writer.cycle;
    e.update.last = update->last_cycle;
    e.update.stores = update->stores;
    e.update.patches = update->patches;
    e.update.rounds = update->rounds;
    e.update.ipis = update->ipis;
    for (unsigned i = 0; i < r->config.run.harts; i++) {
        const struct update_hart *h = updates_hart(updates, last - 1, i);

        harts[i] = (struct log_update_hart){(uint8_t)h->role, h->fences, h->stale_cycles};
    }
    send_event(r, &e, harts, r->config.run.harts * sizeof *harts);
}

/* Linux's KSYM_NAME_LEN. */
enum { SYMBOL_NAME_MAX = 512 };

/* A site, without the numbers of its strings. */
struct seen_site {
    struct log_site site;
    bool has_module;
    char module[MODULE_NAME_MAX];
    char function[SYMBOL_NAME_MAX]; /* only the used part is sent */
};

static void write_site(void *ctx, const void *seen_site, size_t size)
{
    const struct seen_site *s = seen_site;
    struct log_record *r = ctx;
    struct log_site site = s->site;

    (void)size;
    site.function = log_write_string(r->writer, s->function);
    site.module = log_write_string(r->writer, s->has_module ? s->module : NULL);
    VEC_PUSH(&r->site_names, s->function[0] ? site.function : LOG_NONE);
    log_write_site(r->writer, &site);
}

static void define_site(struct log_record *r, uint32_t id)
{
    const struct site *s = site_get(watch_sites(r->watch), id);
    struct seen_site seen = {.site = {.va = s->va,
                                      .pa = s->pa,
                                      .kind = (uint8_t)s->kind,
                                      .size = s->size,
                                      .state = (uint8_t)state_in_memory(r, id)},
                             .has_module = s->module != NULL};

    snprintf(seen.function, sizeof seen.function, "%s", s->function);
    snprintf(seen.module, sizeof seen.module, "%s", s->module ? s->module : "");
    VEC_PUSH(&r->states, seen.site.state);
    feed_put(r->feed, write_site, r, &seen,
             offsetof(struct seen_site, function) + strlen(seen.function) + 1);
}

static void forget_names(void *ctx, const void *nothing, size_t size)
{
    const struct log_record *r = ctx;

    (void)nothing;
    (void)size;
    log_write_forget_names(r->writer);
}

static void on_site(struct log_record *r, uint32_t id)
{
    struct log_event e = event_of(cluster_hart(r->config.cluster, 0), LOG_SITE);

    feed_put(r->feed, forget_names, r, "", 0);
    map_clear(&r->met);
    while (r->states.len <= id)
        define_site(r, (uint32_t)r->states.len);
    e.site.site = id;
    e.site.gone = site_get(watch_sites(r->watch), id)->gone;
    send_event(r, &e, NULL, 0);
}

/* ---- findings ---- */

/* Writes the evidence as text, a line for each fact; the caller frees it. */
static char *evidence(const struct log_record *r, const struct finding *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (unsigned i = 0; out && i < f->fact_count; i++) {
        char fact[FACT_TEXT_MAX];

        describe_fact(fact, watch_sites(r->watch), r->config.symbols, r->config.lines,
                      &f->facts[i]);
        fprintf(out, "%s %s\n", fact_label_name(f->facts[i].label), fact);
    }
    if (out)
        (void)fclose(out);
    return text ? text : xstrdup("");
}

static void on_finding(struct log_record *r, const struct finding_event *found)
{
    const struct finding *f;
    struct log_event e;
    char *text;

    if (found->finding == NO_FINDING)
        return;
    f = audit_get(watch_audit(r->watch), found->finding);
    feed_settle(r->feed);
    text = evidence(r, f);
    e = event_of(cluster_hart(r->config.cluster, f->examples[0].hart), LOG_FINDING);
    e.finding.number = found->finding + 1;
    e.finding.rule = log_write_string(r->writer, rule_name(f->rule));
    e.finding.severity = log_write_string(r->writer, severity_name(rule_severity(f->rule)));
    e.finding.text = log_write_string(r->writer, text);
    e.finding.site = f->examples[0].site;
    e.finding.pc = f->examples[0].pc;
    log_write_event(r->writer, &e);
    free(text);
}

/* ---- other events ---- */

static void on_trap(struct log_record *r, const struct trap_event *t)
{
    struct log_event e = event_of(t->hart, LOG_TRAP);

    look_at_name(r, t->hart);
    if (r->config.calls_only)
        return;
    e.trap.interrupt = t->interrupt;
    e.trap.cause = t->cause;
    e.trap.epc = t->epc;
    e.trap.tval = t->tval;
    e.trap.from = (uint8_t)t->from;
    e.trap.to = (uint8_t)t->to;
    send_event(r, &e, NULL, 0);
}

static void on_trap_return(struct log_record *r, const struct trap_return_event *t)
{
    struct log_event e = event_of(t->hart, LOG_TRAP_RETURN);

    look_at_name(r, t->hart);
    if (r->config.calls_only)
        return;
    e.trap_return.pc = t->pc;
    e.trap_return.from = (uint8_t)t->from;
    e.trap_return.to = (uint8_t)t->to;
    send_event(r, &e, NULL, 0);
}

static void on_ipi(struct log_record *r, const struct ipi_event *i, bool sent)
{
    struct log_event e =
        event_of(sent && i->sender ? i->sender : i->hart, sent ? LOG_IPI_SENT : LOG_IPI_TAKEN);

    e.ipi.hart = hart_id(i->hart);
    e.ipi.interrupt = i->interrupt;
    send_event(r, &e, NULL, 0);
}

static void on_sbi(struct log_record *r, const struct sbi_event *s)
{
    struct log_event e = event_of(s->hart, LOG_SBI);

    e.sbi.extension = s->extension;
    e.sbi.function = s->function;
    send_event(r, &e, NULL, 0);
}

static void on_hart(struct log_record *r, struct hart *h, enum log_kind kind)
{
    struct log_event e = event_of(h, kind);

    send_event(r, &e, NULL, 0);
}

static void on_event(void *ctx, const struct event *e)
{
    struct log_record *r = ctx;

    if (!r->begun)
        return;
    switch (e->kind) {
    case EVENT_CODE_WRITE: on_store(r, &e->code_write); break;
    case EVENT_STALE_FETCH: on_stale(r, &e->stale_fetch); break;
    case EVENT_FENCE_I: on_fence(r, &e->fence, LOG_FENCE_I); break;
    case EVENT_SFENCE_VMA: on_fence(r, &e->fence, LOG_SFENCE_VMA); break;
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    case EVENT_TRAP_RETURN: on_trap_return(r, &e->trap_return); break;
    case EVENT_IPI_SENT: on_ipi(r, &e->ipi, true); break;
    case EVENT_IPI_TAKEN: on_ipi(r, &e->ipi, false); break;
    case EVENT_SBI_CALL: on_sbi(r, &e->sbi); break;
    case EVENT_HART_STARTED: on_hart(r, e->started.hart, LOG_HART_STARTED); break;
    case EVENT_HART_STOPPED: on_hart(r, e->started.hart, LOG_HART_STOPPED); break;
    case EVENT_HART_WAITS: on_hart(r, e->started.hart, LOG_IDLE); break;
    case EVENT_HART_WOKEN: on_hart(r, e->started.hart, LOG_WOKEN); break;
    default: break;
    }
}

static void on_ftrace_event(void *ctx, const struct ftrace_event *e)
{
    struct log_record *r = ctx;

    if (!r->begun)
        return;
    switch (e->kind) {
    case FTRACE_UPDATE_ENDED: on_update(r, &e->update); break;
    case FTRACE_SITE_CHANGED: on_site(r, e->site.id); break;
    case FTRACE_FINDING: on_finding(r, &e->finding); break;
    default: break;
    }
}

static void flush_console(struct log_record *r)
{
    struct log_event e;

    if (!r->printed_len)
        return;
    e = event_of(cluster_hart(r->config.cluster, r->printing), LOG_CONSOLE);
    e.console.len = r->printed_len;
    send_event(r, &e, r->printed, r->printed_len);
    r->printed_len = 0;
}

void log_record_console(struct log_record *r, unsigned hart, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; r->begun && i < len; i++) {
        if (hart != r->printing)
            flush_console(r);
        r->printing = hart;
        r->printed[r->printed_len++] = bytes[i];
        if (bytes[i] == '\n' || r->printed_len == CONSOLE_BYTES)
            flush_console(r);
    }
}

/* ---- begin and end ---- */

struct log_record *log_record_new(const struct log_record_config *config)
{
    struct log_record *r = xcalloc(1, sizeof *r);
    struct listener listener = {
        .ctx = r,
        .kinds = EVENT_BIT(EVENT_CODE_WRITE) | EVENT_BIT(EVENT_STALE_FETCH) |
                 EVENT_BIT(EVENT_FENCE_I) | EVENT_BIT(EVENT_SFENCE_VMA) | EVENT_BIT(EVENT_TRAP) |
                 EVENT_BIT(EVENT_TRAP_RETURN) | EVENT_BIT(EVENT_IPI_SENT) |
                 EVENT_BIT(EVENT_IPI_TAKEN) | EVENT_BIT(EVENT_SBI_CALL) |
                 EVENT_BIT(EVENT_HART_STARTED) | EVENT_BIT(EVENT_HART_STOPPED) |
                 EVENT_BIT(EVENT_HART_WAITS) | EVENT_BIT(EVENT_HART_WOKEN),
        .on_event = on_event};
    struct ftrace_listener ftrace = {.ctx = r,
                                     .kinds = FTRACE_BIT(FTRACE_UPDATE_ENDED) |
                                              FTRACE_BIT(FTRACE_SITE_CHANGED) |
                                              FTRACE_BIT(FTRACE_FINDING),
                                     .on_event = on_ftrace_event};

    r->config = *config;
    r->call.name = r->call.caller = r->call.tail_name = LOG_NONE;
    r->feed = feed_new(config->cluster);
    if (config->calls_only) {
        listener.kinds = EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN);
        ftrace.kinds = FTRACE_BIT(FTRACE_SITE_CHANGED);
    }
    cluster_listen(config->cluster, &listener);
    ftrace_listen(config->stream, &ftrace);
    return r;
}

/* ---- what is counted of sites ---- */

/* The counts of all sites; the caller frees them. NULL: they are not accounted for. */
static struct log_counts *count_sites(const struct log_record *r, uint32_t *sites)
{
    const struct account *a = watch_account(r->watch);
    struct log_counts *counts;

    *sites = a ? (uint32_t)site_count(watch_sites(r->watch)) : 0;
    if (!a)
        return NULL;
    counts = xcalloc((size_t)*sites + 1, sizeof *counts);
    for (uint32_t i = 0; i < *sites; i++)
        for (unsigned state = 0; state < LOG_COUNTED; state++) {
            struct state_account now = account_get(a, i, (enum site_state)state);

            counts[i].of[state] = (struct log_count){now.entries, now.cycles};
        }
    return counts;
}

/* Writes the counts since the log began: a restored run has counted sites before. */
static void put_counts(const struct log_record *r)
{
    uint32_t sites;
    struct log_counts *counts = count_sites(r, &sites);

    for (uint32_t i = 0; i < r->counted && i < sites; i++)
        for (unsigned state = 0; state < LOG_COUNTED; state++) {
            counts[i].of[state].entries -= r->before[i].of[state].entries;
            counts[i].of[state].cycles -= r->before[i].of[state].cycles;
        }
    if (counts)
        log_write_counts(r->writer, counts, sites, !cluster_has_core(r->config.cluster));
    free(counts);
}

/* A stretch of code: its address, and its bytes. */
static void write_text(void *ctx, const void *text, size_t size)
{
    const struct log_record *r = ctx;
    uint64_t va;

    memcpy(&va, text, sizeof va);
    log_write_text(r->writer, va, (const uint8_t *)text + sizeof va, size - sizeof va);
}

/* Reads the code in memory, unless it is too large for a log. */
static void put_text(const struct log_record *r)
{
    const struct image *im = r->config.image;
    uint64_t sum = 0;

    for (size_t i = 0; i < im->text_count; i++)
        sum += im->texts[i].size;
    for (size_t i = 0; i < im->text_count && sum <= LOG_TEXT_MAX; i++) {
        const struct image_text *text = &im->texts[i];
        uint8_t *bytes = xmalloc(sizeof text->va + text->size);

        memcpy(bytes, &text->va, sizeof text->va);
        if (bus_read(cluster_bus(r->config.cluster), text->pa, bytes + sizeof text->va, text->size))
            feed_put(r->feed, write_text, (void *)(uintptr_t)r, bytes,
                     sizeof text->va + text->size);
        free(bytes);
    }
}

/* The symbols that have a size; the caller frees the array. */
static struct log_symbol *list_symbols(const struct symbols *symbols, size_t *count)
{
    size_t all = symbols_count(symbols);
    struct log_symbol *list = xcalloc(all + 1, sizeof *list);

    *count = 0;
    for (size_t i = 0; i < all; i++) {
        const struct symbol *s = symbols_get(symbols, i);

        if (s->kind == SYMBOL_ABSOLUTE || s->end <= s->addr)
            continue;
        list[(*count)++] = (struct log_symbol){s->addr, s->end, s->name, s->kind == SYMBOL_FUNC};
    }
    return list;
}

/* Begins to look up the lines of the present sites. Those of modules have none. */
static struct log_lines *find_lines(const struct log_record *r)
{
    size_t count = r->states.len;
    struct log_lines_site *sites = xcalloc(count + 1, sizeof *sites);
    struct log_lines *lines;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t va = site_get(watch_sites(r->watch), i)->va;
        const struct symbol *symbol = symbols_function_at(r->config.symbols, va);

        sites[i] = (struct log_lines_site){va, va + SITE_BYTES_MAX + 1};
        if (symbol && symbol->end < sites[i].before)
            sites[i].before = symbol->end;
    }
    lines = log_lines_new(r->config.named, sites, count);
    free(sites);
    return lines;
}

/*
 * Begins the file, on the reader's thread. The config's strings belong to the caller of
 * log_record_new; this frees the symbols.
 */
static void begin_file(void *ctx, const void *config, size_t size)
{
    struct log_writer_config c;
    struct log_record *r = ctx;

    memcpy(&c, config, size);
    c.run.image_digest = image_digest(r->config.image);
    r->writer = log_writer_new(&c);
    free((void *)(uintptr_t)c.symbols);
}

void log_record_begin(struct log_record *r, struct watch *watch)
{
    struct log_writer_config config = {.fd = r->config.file->fd,
                                       .run = r->config.run,
                                       .name = name_call,
                                       .lost = on_lost,
                                       .ctx = r};

    config.symbols = list_symbols(r->config.symbols, &config.symbol_count);
    r->watch = watch;
    r->begun = true;
    r->config.run.harts = config.run.harts = cluster_hart_count(r->config.cluster);
    config.run.layout = site_traits(watch_sites(watch))->name;
    if (!symbols_find(r->config.symbols, "return_to_handler", &config.run.return_to_handler))
        config.run.return_to_handler = 0;
    feed_put(r->feed, begin_file, r, &config, sizeof config);
    if (!r->config.calls_only)
        put_text(r);
    r->before = count_sites(r, &r->counted);
    for (uint32_t i = 0; i < site_count(watch_sites(watch)); i++)
        define_site(r, i);
    if (!r->config.calls_only) {
        r->lines = find_lines(r);
        r->at_switch = kernel_probes_at_switch(r->config.cluster, r->config.image,
                                               r->config.symbols, on_switch, r);
    }
}

static void put_line(void *ctx, uint32_t site, const char *file, uint32_t line)
{
    const struct log_record *r = ctx;

    log_write_line(r->writer, site, file, line);
}

void log_record_show(struct log_record *r, bool waits)
{
    enum { QUARTER_NS = 250 * 1000 * 1000 };
    struct timespec t;
    uint64_t now;

    if (!r->begun)
        return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    if (!waits && now - r->shown_at < QUARTER_NS)
        return;
    r->shown_at = now;
    flush_console(r);
    feed_settle(r->feed);
    log_writer_show(r->writer);
}

enum exit_status log_record_end(struct log_record *r, const struct log_ending *ending,
                                const struct diag *d)
{
    int failure;

    flush_console(r);
    feed_settle(r->feed);
    if (r->lines)
        log_lines_each(r->lines, put_line, r);
    if (!r->config.calls_only)
        put_counts(r);
    failure = log_writer_end(r->writer, ending);
    if (!failure)
        return EXIT_PASS;
    diag_error(d, "%s: %s; the log ends before the run did", new_file_name(r->config.file),
               strerror(failure));
    return EXIT_IO;
}

/* ---- going back ---- */

/* Makes the harts' tasks be read again. */
static void forget_tasks(struct log_record *r)
{
    for (unsigned i = 0; i < LOG_HARTS_MAX; i++)
        r->running[i].looked = false;
}

void log_record_state_io(void *log_record, struct state_io *io)
{
    struct log_record *r = log_record;
    size_t sites = r->states.len, count;

    if (io->in_file)
        return;
    feed_settle(r->feed);
    state_io_section(io, "log", 2);
    count = state_io_count(io, sites, LOG_SITES_MAX);
    if (io->loading && !io->error && count > sites)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    if (io->error)
        return;
    state_io_bytes(io, r->states.at, count);
    for (size_t i = count; i < sites; i++)
        r->states.at[i] = SITE_OTHER; /* the site was not added yet */
    STATE_IO_BELOW(io, r->printing, LOG_HARTS_MAX);
    STATE_IO_BELOW(io, r->printed_len, CONSOLE_BYTES);
    state_io_bytes(io, r->printed, sizeof r->printed);
    if (r->begun)
        log_writer_state_io(r->writer, io);
    if (io->loading) {
        forget_tasks(r);
        map_clear(&r->met);
    }
}

/* Reads the costs and states of sites of the restored run. */
static void look_again(struct log_record *r)
{
    free(r->before);
    r->before = count_sites(r, &r->counted);
    for (uint32_t i = 0; i < r->states.len; i++)
        r->states.at[i] =
            (uint8_t)(i < site_count(watch_sites(r->watch)) ? state_in_memory(r, i) : SITE_OTHER);
    for (uint32_t i = (uint32_t)r->states.len; i < site_count(watch_sites(r->watch)); i++)
        define_site(r, i);
}

void log_record_restart(struct log_record *r)
{
    r->printed_len = 0;
    feed_settle(r->feed);
    map_clear(&r->met);
    log_write_forget_names(r->writer);
    look_again(r);
    feed_settle(r->feed); /* sites may have been added */
    log_writer_restart(r->writer, r->states.at, r->states.len);
    forget_tasks(r);
}

void log_record_free(struct log_record *r)
{
    if (!r)
        return;
    kernel_probes_free(r->at_switch);
    feed_free(r->feed);
    log_writer_free(r->writer);
    VEC_FREE(&r->named);
    VEC_FREE(&r->site_names);
    map_free(&r->named_at);
    map_free(&r->met);
    log_lines_free(r->lines);
    VEC_FREE(&r->states);
    free(r->before);
    free(r);
}
