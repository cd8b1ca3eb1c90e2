/*
 * varied.c - writes a large log whose events do not repeat: what the viewer takes for a log of a
 * workload in a loop, it need not take for this one.
 *
 *     varied FILE EVENTS
 *
 * Eight harts, 400 tasks, 20,000 functions of which a few are called most, calls up to 30 deep,
 * traps, tasks that change, idle harts, updates of code with their stores and fences, stale
 * fetches, findings and lines of the console. The same numbers give the same file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "log/log_write.h"

enum { HARTS = 8, TASKS = 400, FUNCTIONS = 20000, DEEPEST = 30, SITE_STEP = 64 };

struct maker {
    struct log_writer *w;
    struct rng rng;
    uint64_t cycle[HARTS], insns[HARTS];
    unsigned
        running[HARTS]; /* a task: those of a hart are its number, and each HARTS-th after it */
    bool idle[HARTS];
    uint32_t task[TASKS];
    unsigned depth[TASKS];
    uint8_t state[FUNCTIONS];
};

static uint64_t site_va(unsigned function)
{
    return UINT64_C(0xffffffff80000000) + (uint64_t)function * SITE_STEP;
}

static void name_call(void *ctx, struct log_call *c)
{
    const struct maker *m = ctx;
    char text[32];

    snprintf(text, sizeof text, "function_%u", c->site);
    c->name = log_write_string(m->w, text);
    c->caller = c->tail_name = LOG_NONE;
}

/* Most calls are of few functions: those of the kernel have about such frequencies. */
static unsigned choose_function(struct maker *m)
{
    uint64_t limit = FUNCTIONS;

    for (unsigned i = 0; i < 3; i++)
        limit = 1 + rng_below(&m->rng, limit);
    return (unsigned)limit - 1;
}

static void put_call(struct maker *m, struct log_event *e, unsigned task)
{
    const unsigned function = choose_function(m);
    const bool is_trap = !rng_below(&m->rng, 200);
    const struct clocks now = log_clocks(e);
    const struct log_call c = {
        .kind = is_trap ? LOG_TRAP_HANDLER : LOG_FUNCTION,
        .state = is_trap ? 0 : m->state[function],
        .site = is_trap ? LOG_NONE : function,
        .pc = site_va(function),
        .back = site_va(choose_function(m)) + 20,
        .sp = ((uint64_t)task + 1) * 0x4000 + 0x3ff0 - m->depth[task] * 48,
        .name = LOG_NONE,
        .caller = LOG_NONE,
        .tail_name = LOG_NONE,
        .cause = is_trap ? rng_below(&m->rng, 2) << 63 | (5 + rng_below(&m->rng, 8)) : 0,
    };

    log_write_call(m->w, e->hart, &now, task + 1, &c);
    m->depth[task]++;
}

static void put_switch(struct maker *m, struct log_event *e)
{
    unsigned *running = &m->running[e->hart];

    e->kind = LOG_SWITCH;
    e->switched.from = m->task[*running];
    *running = e->hart + HARTS * (unsigned)rng_below(&m->rng, TASKS / HARTS);
    e->switched.to = m->task[*running];
    log_write_event(m->w, e);
}

static void put_store(struct maker *m, struct log_event *e)
{
    const unsigned function = choose_function(m);
    const uint8_t after = m->state[function] == LOG_ON ? LOG_OFF : LOG_ON;

    e->kind = LOG_STORE;
    e->store = (struct log_store){.pc = site_va(7),
                                  .pa = site_va(function) & 0xfffffff,
                                  .va = site_va(function),
                                  .size = 4,
                                  .old_bytes = {0x13},
                                  .new_bytes = {0x97, 0x02},
                                  .site = function,
                                  .before = m->state[function],
                                  .after = after};
    m->state[function] = after;
    log_write_event(m->w, e);
}

static void put_rare(struct maker *m, struct log_event *e)
{
    struct log_update_hart hart[HARTS] = {{0}};
    char text[80];

    switch (rng_below(&m->rng, 4)) {
    case 0:
        e->kind = LOG_UPDATE;
        e->update.writer = e->hart;
        e->update.end = (uint8_t)rng_below(&m->rng, 4);
        e->update.first = e->cycle - rng_below(&m->rng, e->cycle / 1000 + 1);
        e->update.last = e->cycle;
        e->update.stores = 1 + rng_below(&m->rng, 50);
        e->update.hart = hart;
        break;
    case 1:
        e->kind = LOG_STALE;
        e->stale.pc = site_va(choose_function(m));
        e->stale.size = 4;
        e->stale.site = choose_function(m);
        break;
    case 2:
        e->kind = LOG_FINDING;
        e->finding.number = 1;
        e->finding.rule = log_write_string(m->w, "missing-remote-fence");
        e->finding.severity = log_write_string(m->w, "error");
        e->finding.text = LOG_NONE;
        e->finding.site = choose_function(m);
        break;
    default:
        snprintf(text, sizeof text, "line at cycle %" PRIu64 "\n", e->cycle);
        e->kind = LOG_CONSOLE;
        e->console.bytes = (const uint8_t *)text;
        e->console.len = strlen(text);
        break;
    }
    log_write_event(m->w, e);
}

static void put_other(struct maker *m, struct log_event *e, unsigned what)
{
    if (what < 3000) {
        e->kind = LOG_TRAP;
        e->trap.cause = 8 + rng_below(&m->rng, 8);
        e->trap.epc = site_va(choose_function(m));
    } else if (what < 6000) {
        e->kind = LOG_TRAP_RETURN;
        e->trap_return.pc = site_va(choose_function(m));
    } else if (what < 6100) {
        e->kind = LOG_IDLE;
        m->idle[e->hart] = true;
    } else if (what < 6200) {
        e->kind = LOG_FENCE_I;
        e->fence.pc = site_va(9);
    } else if (what < 6300) {
        put_store(m, e);
        return;
    } else if (what < 6302) {
        put_rare(m, e);
        return;
    } else {
        put_switch(m, e);
        return;
    }
    log_write_event(m->w, e);
}

static void put_event(struct maker *m)
{
    const unsigned hart = (unsigned)rng_below(&m->rng, HARTS), task = m->running[hart];
    const unsigned what = (unsigned)rng_below(&m->rng, 200000);
    const unsigned cycles = (unsigned)rng_below(&m->rng, what % 100 ? 60 : 6000);
    struct log_event e = {.hart = (uint8_t)hart};
    struct clocks now;

    m->cycle[hart] += cycles;
    m->insns[hart] += cycles / 2;
    e.cycle = m->cycle[hart];
    e.insns = m->insns[hart];
    e.time = clocks_ticks(e.cycle);
    now = log_clocks(&e);
    if (m->idle[hart]) {
        e.kind = LOG_WOKEN;
        m->idle[hart] = false;
        log_write_event(m->w, &e);
    } else if (what < 7300) {
        put_other(m, &e, what);
    } else if (m->depth[task] < DEEPEST && (!m->depth[task] || what % 2)) {
        put_call(m, &e, task);
    } else if (log_write_return(m->w, hart, &now, task + 1, LOG_RETURNED)) {
        m->depth[task]--;
    }
}

static void define(struct maker *m)
{
    for (unsigned i = 0; i < TASKS; i++) {
        char text[32];

        snprintf(text, sizeof text, "task_%u", i);
        m->task[i] = log_write_task(m->w, &(struct log_task){.tp = 0x9000 + (uint64_t)i * 64,
                                                             .pid = (int32_t)i + 1,
                                                             .name = log_write_string(m->w, text),
                                                             .stack = ((uint64_t)i + 1) * 0x4000});
    }
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        char text[32];

        snprintf(text, sizeof text, "function_%u", i);
        m->state[i] = LOG_OFF;
        log_write_site(m->w, &(struct log_site){.va = site_va(i),
                                                .pa = site_va(i) & 0xfffffff,
                                                .function = log_write_string(m->w, text),
                                                .module = LOG_NONE,
                                                .file = LOG_NONE,
                                                .size = 8,
                                                .state = LOG_OFF});
    }
    for (unsigned i = 0; i < HARTS; i++) {
        m->running[i] = i;
        log_write_has_task(m->w, i, m->task[i]);
    }
}

int main(int argc, char **argv)
{
    static struct maker m = {.rng = {1}};
    const uint64_t events = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    const struct log_ending ending = {"exit", 0, 1, 1};
    struct log_writer_config config = {
        .run = {.version = "1", .image = "varied", .harts = HARTS}, .name = name_call, .ctx = &m};
    int failed;

    if (!events) {
        fprintf(stderr, "usage: varied FILE EVENTS\n");
        return 64;
    }
    config.fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (config.fd < 0) {
        perror(argv[1]);
        return 74;
    }
    m.w = log_writer_new(&config);
    define(&m);
    for (uint64_t i = 0; i < events; i++)
        put_event(&m);
    failed = log_writer_end(m.w, &ending);
    log_writer_free(m.w);
    return close(config.fd) || failed ? 74 : 0;
}
