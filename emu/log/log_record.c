/*
 * log_record.c - see log_record.h. Here: the begin and the end of a log, and going back.
 */
#include "log/log_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/observer.h"
#include "ftrace/cost/account.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/image.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "log/log_lines.h"
#include "log/log_record_priv.h"
#include "log/log_state.h"
#include "mem/bus.h"

/* Called when the file cannot be written; the machine's thread will see it (tell_loss). */
static void on_lost(void *ctx)
{
    struct log_record *r = ctx;

    __atomic_store_n(&r->lost, true, __ATOMIC_RELAXED);
}

/* ---- begin and end ---- */

struct log_record *log_record_new(const struct log_record_config *config)
{
    struct log_record *r = xcalloc(1, sizeof *r);
    struct listener listener = {.ctx = r,
                                .kinds =
                                    EVENT_BIT(EVENT_CODE_WRITE) | EVENT_BIT(EVENT_STALE_FETCH) |
                                    EVENT_BIT(EVENT_STALE_TRANSLATION) | EVENT_BIT(EVENT_FENCE_I) |
                                    EVENT_BIT(EVENT_SFENCE_VMA) | EVENT_BIT(EVENT_TRAP) |
                                    EVENT_BIT(EVENT_TRAP_RETURN) | EVENT_BIT(EVENT_IPI_SENT) |
                                    EVENT_BIT(EVENT_IPI_TAKEN) | EVENT_BIT(EVENT_SBI_CALL) |
                                    EVENT_BIT(EVENT_HART_STARTED) | EVENT_BIT(EVENT_HART_STOPPED) |
                                    EVENT_BIT(EVENT_HART_WAITS) | EVENT_BIT(EVENT_HART_WOKEN),
                                .on_event = log_record_on_event};
    struct ftrace_listener ftrace = {.ctx = r,
                                     .kinds = FTRACE_BIT(FTRACE_UPDATE_ENDED) |
                                              FTRACE_BIT(FTRACE_SITE_CHANGED) |
                                              FTRACE_BIT(FTRACE_FINDING),
                                     .on_event = log_record_on_ftrace_event};

    r->config = *config;
    r->call.name = r->call.caller = r->call.tail_name = LOG_NONE;
    r->feed = feed_new(config->cluster);
    if (config->calls_only) {
        listener.kinds = EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN) |
                         EVENT_BIT(EVENT_CODE_WRITE) | EVENT_BIT(EVENT_STALE_FETCH) |
                         EVENT_BIT(EVENT_FENCE_I);
        ftrace.kinds = FTRACE_BIT(FTRACE_SITE_CHANGED);
    }
    cluster_listen(config->cluster, &listener);
    ftrace_listen(config->stream, &ftrace);
    return r;
}

/* ---- what is counted of sites ---- */

/* The counts of a site; only with accounting. */
static struct log_counts count_site(const struct log_record *r, uint32_t site)
{
    struct log_counts counts;

    for (unsigned state = 0; state < LOG_COUNTED; state++) {
        struct state_account now =
            account_get(watch_account(r->watch), site, (enum site_state)state);

        counts.of[state] = (struct log_count){now.entries, now.cycles};
    }
    return counts;
}

static bool is_counted(const struct log_counts *c)
{
    for (unsigned state = 0; state < LOG_COUNTED; state++)
        if (c->of[state].entries || c->of[state].cycles)
            return true;
    return false;
}

/*
 * Remembers what sites have counted already: those of a restored run. The host has no memory for
 * the pages of the array to which nothing is written.
 */
static void count_before(struct log_record *r)
{
    free(r->before);
    r->before = NULL;
    r->counted = watch_account(r->watch) ? (uint32_t)site_count(watch_sites(r->watch)) : 0;
    for (uint32_t i = 0; i < r->counted; i++) {
        const struct log_counts counts = count_site(r, i);

        if (!is_counted(&counts))
            continue;
        if (!r->before)
            r->before = xcalloc(r->counted, sizeof *r->before);
        r->before[i] = counts;
    }
}

static struct log_counts counts_since(const void *log_record, uint32_t site)
{
    const struct log_record *r = log_record;
    struct log_counts counts = count_site(r, site);

    for (unsigned state = 0; r->before && site < r->counted && state < LOG_COUNTED; state++) {
        counts.of[state].entries -= r->before[site].of[state].entries;
        counts.of[state].cycles -= r->before[site].of[state].cycles;
    }
    return counts;
}

/* Writes the counts since the log began. */
static void put_counts(const struct log_record *r)
{
    if (watch_account(r->watch))
        log_write_counts(r->writer, counts_since, r, (uint32_t)site_count(watch_sites(r->watch)),
                         !cluster_has_core(r->config.cluster));
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

/* Gives the log the symbols that have a size. */
static void each_symbol(void *ctx, void (*put)(void *frame, const struct log_symbol *s),
                        void *frame)
{
    const struct log_record *r = ctx;

    for (size_t i = 0; i < symbols_count(r->config.symbols); i++) {
        const struct symbol *s = symbols_get(r->config.symbols, i);
        const struct log_symbol symbol = {s->addr, s->end, s->name, s->kind == SYMBOL_FUNC};

        if (s->kind != SYMBOL_ABSOLUTE && s->end > s->addr)
            put(frame, &symbol);
    }
}

/*
 * Begins to look up the lines of the present sites. Those of modules have none. NULL: there is no
 * debug information.
 */
static struct log_lines *find_lines(const struct log_record *r)
{
    size_t count = r->states.len;
    struct log_lines_site *sites;
    struct lines *lines = lines_new(r->config.named);

    if (!lines_known(lines)) {
        lines_free(lines);
        return NULL;
    }
    sites = xcalloc(count + 1, sizeof *sites);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t va = site_get(watch_sites(r->watch), i)->va;
        const struct symbol *symbol = symbols_function_at(r->config.symbols, va);

        sites[i] = (struct log_lines_site){va, va + SITE_BYTES_MAX + 1};
        if (symbol && symbol->end < sites[i].before)
            sites[i].before = symbol->end;
    }
    return log_lines_new(lines, sites, count);
}

/*
 * Begins the file, on the reader's thread. The config's strings belong to the caller of
 * log_record_new.
 */
static void begin_file(void *ctx, const void *config, size_t size)
{
    struct log_writer_config c;
    struct log_record *r = ctx;

    memcpy(&c, config, size);
    c.run.image_digest = image_digest(r->config.image);
    r->writer = log_writer_new(&c);
}

void log_record_begin(struct log_record *r, struct watch *watch)
{
    struct log_writer_config config = {.fd = r->config.file->fd,
                                       .run = r->config.run,
                                       .symbols = each_symbol,
                                       .name = log_record_name_call,
                                       .lost = on_lost,
                                       .ctx = r};

    config.values = r->config.values;
    r->watch = watch;
    r->begun = true;
    r->config.run.harts = config.run.harts = cluster_hart_count(r->config.cluster);
    config.run.layout = site_traits(watch_sites(watch))->name;
    if (!symbols_find(r->config.symbols, "return_to_handler", &config.run.return_to_handler))
        config.run.return_to_handler = 0;
    feed_put(r->feed, begin_file, r, &config, sizeof config);
    if (!r->config.calls_only)
        put_text(r);
    count_before(r);
    for (uint32_t i = 0; i < site_count(watch_sites(watch)); i++)
        log_record_define_site(r, i);
    if (r->config.values)
        log_record_define_prototypes(r);
    if (!r->config.calls_only) {
        r->lines = find_lines(r);
        r->at_switch = kernel_probes_at_switch(r->config.cluster, r->config.image,
                                               r->config.symbols, log_record_on_switch, r);
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
    log_record_flush_console(r);
    feed_settle(r->feed);
    log_writer_show(r->writer);
}

enum exit_status log_record_end(struct log_record *r, const struct log_ending *ending,
                                const struct diag *d)
{
    int failure;

    log_record_flush_console(r);
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
    count_before(r);
    for (uint32_t i = 0; i < r->states.len; i++)
        r->states.at[i] =
            i < site_count(watch_sites(r->watch)) ? log_record_site_state(r, i) : SITE_OTHER;
    for (uint32_t i = (uint32_t)r->states.len; i < site_count(watch_sites(r->watch)); i++)
        log_record_define_site(r, i);
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
    VEC_FREE(&r->wanted);
    free(r->shapes);
    free(r->before);
    free(r);
}
