/*
 * trace_dat.c - a log as trace.dat, for trace-cmd and KernelShark: the entries of the tracers
 * function or function_graph as if these cost nothing, task switches, and the events of the machine
 * as lines of text. Versions 6 and 7 of the format; times are cycles, so a nanosecond is one.
 *
 * A file has the formats of the events, the kernel's symbols, the tasks' names, and for each hart
 * the pages of its ring buffer, as the kernel would have them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "export/dat_bytes.h"
#include "export/export.h"
#include "log/log_state.h"

/* Bytes of a ring buffer's page, of its head, and of the longest text in an entry. */
enum { PAGE = DAT_PAGE, PAGE_HEAD = 16, TEXT_MAX = 512 };

/* Numbers of events: the first three are the kernel's own. */
enum { ID_FUNCTION = 1, ID_EXIT = 10, ID_ENTRY = 11, ID_SWITCH = 300, ID_MACHINE = 301 };

/* Types of entries (type_len); lower ones are the size in words. */
enum { WORDS_MAX = 28, TYPE_EXTEND = 30, DELTA_BITS = 27 };

/* Sections and options of version 7. */
enum {
    OPTION_BUFFER = 3,
    OPTION_CPUS = 8,
    OPTION_STRINGS = 15,
    OPTION_HEADERS = 16,
    OPTION_FTRACE = 17,
    OPTION_EVENTS = 18,
    OPTION_SYMBOLS = 19,
    OPTION_PRINTK = 20,
    OPTION_TASKS = 21,
};

#define COMMON                                                                      \
    "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"          \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"  \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct format {
    const char *system, *text;
} formats[] = {
    {"ftrace",
     "name: function\nID: 1\n" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
     "print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n"},
    {"ftrace", "name: funcgraph_exit\nID: 10\n" COMMON
               "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
               "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
               "\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
               "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
               "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n\n"
               "print fmt: \"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, "
               "REC->depth, REC->calltime, REC->rettime, REC->depth\n"},
    {"ftrace", "name: funcgraph_entry\nID: 11\n" COMMON
               "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
               "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
               "print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n"},
    {"sched", "name: sched_switch\nID: 300\n" COMMON
              "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
              "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
              "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
              "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
              "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
              "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
              "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
              "print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d ==> next_comm=%s next_pid=%d "
              "next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->next_comm, "
              "REC->next_pid, REC->next_prio\n"},
    {"rvftrace", "name: machine\nID: 301\n" COMMON
                 "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
                 "print fmt: \"%s\", __get_str(text)\n"},
};

/* The pages of a hart; all but the last are full. */
struct cpu {
    struct log_bytes pages;
    size_t page; /* offset of the last one */
    uint64_t time;
    bool begun;
};

struct dat {
    struct export_job *job;
    bool graph; /* calls and returns; else calls only */
    struct cpu cpu[LOG_HARTS_MAX];
    struct log_bytes entry;
};

/* ---- ring buffers ---- */

static void set_commit(struct cpu *c)
{
    uint64_t commit = c->pages.len - c->page - PAGE_HEAD;

    for (unsigned i = 0; i < 8; i++)
        c->pages.at[c->page + 8 + i] = (uint8_t)(commit >> 8 * i);
}

static void end_page(struct cpu *c)
{
    set_commit(c);
    dat_put_zeroes(&c->pages, c->page + PAGE - c->pages.len);
}

static void begin_page(struct cpu *c, uint64_t time)
{
    if (c->begun)
        end_page(c);
    c->begun = true;
    c->page = c->pages.len;
    dat_put(&c->pages, time, 8);
    dat_put(&c->pages, 0, 8);
    c->time = time;
}

/* Puts an entry with the collected bytes. */
static void put_entry(struct dat *d, unsigned hart, uint64_t time)
{
    struct cpu *c = &d->cpu[hart];
    size_t words, need;
    uint64_t delta;

    dat_put_zeroes(&d->entry, -d->entry.len % 4);
    words = d->entry.len / 4;
    need = 8 + 8 + d->entry.len;
    if (!c->begun || c->pages.len + need > c->page + PAGE)
        begin_page(c, time);
    delta = time > c->time ? time - c->time : 0;
    c->time += delta;
    if (delta >> DELTA_BITS) {
        dat_put(&c->pages, TYPE_EXTEND | (delta & ((UINT64_C(1) << DELTA_BITS) - 1)) << 5, 4);
        dat_put(&c->pages, delta >> DELTA_BITS, 4);
        delta = 0;
    }
    dat_put(&c->pages, (words <= WORDS_MAX ? words : 0) | delta << 5, 4);
    if (words > WORDS_MAX)
        dat_put(&c->pages, d->entry.len + 4, 4);
    log_put_bytes(&c->pages, d->entry.at, d->entry.len);
}

static int32_t pid_of(const struct log *log, uint32_t task)
{
    const struct log_task *t = log_task(log, task);

    return t && t->pid >= 0 ? t->pid : 0;
}

static void begin_entry(struct dat *d, unsigned id, uint32_t task)
{
    d->entry.len = 0;
    dat_put(&d->entry, id, 2);
    dat_put(&d->entry, 0, 2);
    dat_put(&d->entry, (uint32_t)pid_of(d->job->log, task), 4);
}

/* ---- events ---- */

/* Functions around the call: tracers and traps are none. */
static uint32_t depth_of(const struct dat *d, const struct log_event *e)
{
    const struct log_state *state = log_cursor_state(d->job->source->cursor);
    const struct log_stack *stack = &state->stacks.at[e->call.stack - 1];
    uint32_t depth = 0;

    for (uint32_t i = 0; i < e->call.depth && i < stack->open.len; i++)
        depth += stack->open.at[i].kind == LOG_FUNCTION;
    return depth;
}

static void put_call(struct dat *d, const struct log_event *e)
{
    const struct log_call *c = e->call.call;

    if (c->kind != LOG_FUNCTION)
        return;
    begin_entry(d, d->graph ? ID_ENTRY : ID_FUNCTION, e->task);
    dat_put(&d->entry, c->pc, 8);
    if (d->graph)
        dat_put(&d->entry, depth_of(d, e), 4);
    else
        dat_put(&d->entry, c->back, 8);
    put_entry(d, e->hart, e->cycle);
}

static void put_return(struct dat *d, const struct log_event *e)
{
    const struct log_call *c = e->call.call;

    if (c->kind != LOG_FUNCTION || !d->graph || e->call.end == LOG_OPEN)
        return;
    begin_entry(d, ID_EXIT, e->task);
    dat_put(&d->entry, c->pc, 8);
    dat_put(&d->entry, depth_of(d, e), 4);
    dat_put(&d->entry, 0, 4);
    dat_put(&d->entry, c->when, 8);
    dat_put(&d->entry, e->call.when, 8);
    put_entry(d, e->hart, e->cycle);
}

static void put_comm(struct dat *d, uint32_t task)
{
    const struct log_task *t = log_task(d->job->log, task);
    const char *name = t ? log_string(d->job->log, t->name) : NULL;
    char comm[16] = {0};

    if (name)
        snprintf(comm, sizeof comm, "%s", name);
    log_put_bytes(&d->entry, comm, sizeof comm);
}

static void put_switch(struct dat *d, const struct log_event *e)
{
    begin_entry(d, ID_SWITCH, e->switched.from);
    put_comm(d, e->switched.from);
    dat_put(&d->entry, (uint32_t)pid_of(d->job->log, e->switched.from), 4);
    dat_put(&d->entry, 120, 4);
    dat_put(&d->entry, 0, 8);
    put_comm(d, e->switched.to);
    dat_put(&d->entry, (uint32_t)pid_of(d->job->log, e->switched.to), 4);
    dat_put(&d->entry, 120, 4);
    put_entry(d, e->hart, e->cycle);
}

/* Puts the line of the event, without the parts that each entry has anyway. */
static void put_line(struct dat *d, const struct log_event *e)
{
    char *line = NULL, *text;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);

    if (!out)
        return;
    export_line(d->job->log, e, out);
    if (log_has_steps(d->job->log))
        fprintf(out, ", step %" PRIu64, e->step);
    (void)fclose(out);
    text = strstr(line, log_kind_name(e->kind));
    text = text ? text : line;
    size = strnlen(text, TEXT_MAX);
    begin_entry(d, ID_MACHINE, e->task);
    dat_put(&d->entry, 12 | (uint64_t)(size + 1) << 16, 4);
    log_put_bytes(&d->entry, text, size);
    dat_put_zeroes(&d->entry, 1);
    put_entry(d, e->hart, e->cycle);
    free(line);
}

static void put_event(struct dat *d, const struct log_event *e)
{
    switch (e->kind) {
    case LOG_CALL: put_call(d, e); break;
    case LOG_RETURN: put_return(d, e); break;
    case LOG_SWITCH: put_switch(d, e); break;
    case LOG_SFENCE_VMA:
    case LOG_IDLE:
    case LOG_WOKEN: break;
    default: put_line(d, e); break;
    }
}

static void read_events(struct dat *d)
{
    struct log_event e;

    while (source_next(d->job->source, &e))
        put_event(d, &e);
    for (unsigned i = 0; i < log_run(d->job->log)->harts; i++)
        if (d->cpu[i].begun)
            end_page(&d->cpu[i]);
}

/* ---- what comes before the pages ---- */

static void put_formats_of(struct log_bytes *b, const char *system)
{
    unsigned count = 0;

    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        count += !strcmp(formats[i].system, system);
    dat_put(b, count, 4);
    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        if (!strcmp(formats[i].system, system))
            dat_put_sized(b, formats[i].text, strlen(formats[i].text), 8);
}

static void put_systems(struct log_bytes *b)
{
    static const char *const systems[] = {"sched", "rvftrace"};

    dat_put(b, ARRAY_LEN(systems), 4);
    for (size_t i = 0; i < ARRAY_LEN(systems); i++) {
        log_put_bytes(b, systems[i], strlen(systems[i]) + 1);
        put_formats_of(b, systems[i]);
    }
}

static void put_symbols(struct log_bytes *b, const struct log *log)
{
    struct log_bytes text = {0};
    char line[LOG_PLACE_MAX + 32];

    for (size_t i = 0; i < log_symbol_count(log); i++) {
        const struct log_symbol *s = log_symbol(log, i);
        int len = snprintf(line, sizeof line, "%016" PRIx64 " %c %.180s\n", s->start,
                           s->function ? 't' : 'd', s->name);

        if (s->function)
            log_put_bytes(&text, line, (size_t)len);
    }
    dat_put_sized(b, text.at, text.len, 4);
    VEC_FREE(&text);
}

/* The newest name of each pid: readers look it up, and would find any of several. */
static void put_tasks(struct log_bytes *b, const struct log *log)
{
    struct map newest = {0};
    struct log_bytes text = {0};
    char line[64];

    for (uint32_t i = 0; i < log_task_count(log); i++)
        if (log_string(log, log_task(log, i)->name) && log_task(log, i)->pid > 0)
            map_put(&newest, (uint64_t)log_task(log, i)->pid, i);
    for (uint32_t i = 0; i < log_task_count(log); i++) {
        const struct log_task *t = log_task(log, i);
        uint64_t last;

        if (t->pid > 0 && map_get(&newest, (uint64_t)t->pid, &last) && last == i)
            log_put_bytes(&text, line,
                          (size_t)snprintf(line, sizeof line, "%" PRId32 " %.40s\n", t->pid,
                                           log_string(log, t->name)));
    }
    dat_put_sized(b, text.at, text.len, 8);
    VEC_FREE(&text);
    map_free(&newest);
}

/* Fills up to a page, and puts the pages of each hart. */
static void put_pages(struct dat *d, struct log_bytes *b)
{
    fwrite(b->at, 1, b->len, d->job->out);
    for (unsigned i = 0; i < log_run(d->job->log)->harts; i++)
        if (d->cpu[i].pages.len)
            fwrite(d->cpu[i].pages.at, 1, d->cpu[i].pages.len, d->job->out);
}

static void put_version_6(struct dat *d)
{
    unsigned harts = log_run(d->job->log)->harts;
    struct log_bytes b = {0};
    uint64_t at;

    dat_put_begin(&b, "6");
    dat_put_headers(&b);
    put_formats_of(&b, "ftrace");
    put_systems(&b);
    put_symbols(&b, d->job->log);
    dat_put(&b, 0, 4); /* formats of trace_printk */
    put_tasks(&b, d->job->log);
    dat_put(&b, harts, 4);
    log_put_bytes(&b, "options  ", 10);
    dat_put(&b, 0, 2);
    log_put_bytes(&b, "flyrecord", 10);
    at = (b.len + 16 * harts + PAGE - 1) / PAGE * PAGE;
    for (unsigned i = 0; i < harts; i++) {
        dat_put(&b, at, 8);
        dat_put(&b, d->cpu[i].pages.len, 8);
        at += d->cpu[i].pages.len;
    }
    dat_put_zeroes(&b, -b.len % PAGE);
    put_pages(d, &b);
    VEC_FREE(&b);
}

/* ---- version 7: sections, which a list of options points to ---- */

static void put_section(struct log_bytes *b, struct log_bytes *options, unsigned id,
                        struct log_bytes *contents)
{
    dat_put(options, id, 2);
    dat_put(options, 8, 4);
    dat_put(options, b->len, 8);
    dat_put(b, id, 2);
    dat_put(b, 0, 2); /* not compressed */
    dat_put(b, 0, 4); /* its description: the first string, which is empty */
    dat_put(b, contents->len, 8);
    log_put_bytes(b, contents->at, contents->len);
    contents->len = 0;
}

enum { SECTION_HEAD = 16 };

/* Puts the option about the pages, which are at the end of the file. */
static void put_buffer(const struct dat *d, struct log_bytes *options, uint64_t section)
{
    unsigned harts = log_run(d->job->log)->harts;
    struct log_bytes b = {0};
    uint64_t at = (section + SECTION_HEAD + PAGE - 1) / PAGE * PAGE;

    dat_put(&b, section, 8);
    dat_put(&b, 0, 1); /* the name of the instance */
    log_put_bytes(&b, "local", 6);
    dat_put(&b, PAGE, 4);
    dat_put(&b, harts, 4);
    for (unsigned i = 0; i < harts; i++) {
        dat_put(&b, i, 4);
        dat_put(&b, at, 8);
        dat_put(&b, d->cpu[i].pages.len, 8);
        at += d->cpu[i].pages.len;
    }
    dat_put(options, OPTION_BUFFER, 2);
    dat_put_sized(options, b.at, b.len, 4);
    VEC_FREE(&b);
}

static uint64_t size_of_pages(const struct dat *d)
{
    uint64_t size = 0;

    for (unsigned i = 0; i < log_run(d->job->log)->harts; i++)
        size += d->cpu[i].pages.len;
    return size;
}

static void set64(struct log_bytes *b, size_t at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        b->at[at + i] = (uint8_t)(value >> 8 * i);
}

/* The options are a section, too: head, the options so far, that of the pages, and the end. */
static void put_options(struct dat *d, struct log_bytes *b, struct log_bytes *options)
{
    unsigned harts = log_run(d->job->log)->harts;
    size_t at = b->len, buffer = 2 + 4 + 8 + 1 + 6 + 4 + 4 + 20 * (size_t)harts;
    uint64_t end;

    dat_put(options, OPTION_CPUS, 2);
    dat_put(options, 4, 4);
    dat_put(options, harts, 4);
    end = at + SECTION_HEAD + options->len + buffer + 14;
    put_buffer(d, options, end);
    dat_put(options, 0, 2);
    dat_put(options, 8, 4);
    dat_put(options, 0, 8); /* there are no more options */
    dat_put(b, 0, 2);
    dat_put(b, 0, 2);
    dat_put(b, 0, 4);
    dat_put_sized(b, options->at, options->len, 8);
}

static void put_version_7(struct dat *d)
{
    struct log_bytes b = {0}, options = {0}, part = {0};
    size_t where;

    dat_put_begin(&b, "7");
    log_put_bytes(&b, "none", 5); /* compression, and its version */
    dat_put(&b, 0, 1);
    where = b.len;
    dat_put(&b, 0, 8);
    dat_put_headers(&part);
    put_section(&b, &options, OPTION_HEADERS, &part);
    put_formats_of(&part, "ftrace");
    put_section(&b, &options, OPTION_FTRACE, &part);
    put_systems(&part);
    put_section(&b, &options, OPTION_EVENTS, &part);
    put_symbols(&part, d->job->log);
    put_section(&b, &options, OPTION_SYMBOLS, &part);
    dat_put(&part, 0, 4);
    put_section(&b, &options, OPTION_PRINTK, &part);
    put_tasks(&part, d->job->log);
    put_section(&b, &options, OPTION_TASKS, &part);
    dat_put(&part, 0, 1);
    put_section(&b, &options, OPTION_STRINGS, &part);
    set64(&b, where, b.len);
    put_options(d, &b, &options);
    dat_put(&b, OPTION_BUFFER, 2);
    dat_put(&b, 0, 2);
    dat_put(&b, 0, 4);
    dat_put(&b, -(b.len + 8) % PAGE + size_of_pages(d), 8);
    dat_put_zeroes(&b, -b.len % PAGE);
    put_pages(d, &b);
    VEC_FREE(&b);
    VEC_FREE(&options);
    VEC_FREE(&part);
}

static void convert(struct export_job *job, bool graph, void (*write)(struct dat *d))
{
    struct dat d = {.job = job, .graph = graph};

    read_events(&d);
    write(&d);
    for (unsigned i = 0; i < LOG_HARTS_MAX; i++)
        VEC_FREE(&d.cpu[i].pages);
    VEC_FREE(&d.entry);
}

void export_trace_dat(struct export_job *job)
{
    convert(job, true, put_version_6);
}

void export_trace_dat_7(struct export_job *job)
{
    convert(job, true, put_version_7);
}

void export_trace_dat_function(struct export_job *job)
{
    convert(job, false, put_version_6);
}
