/*
 * perf.c - a log as perf.data, for `perf report`: samples of the harts with their calls, as if a
 * counter of cycles had overflowed, and the names of the kernel's functions as /proc/kallsyms has
 * them.
 *
 * A sample is taken at the first event after PERIOD cycles of a hart that were not idle, and its
 * weight is all cycles since the last one: the weights add up to the harts' cycles.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export/export.h"
#include "log/log_io.h"

enum { PERIOD = 1000, CHAIN_MAX = 120 };

/* Sizes and bits of struct perf_event_attr and of samples, as far as the file has them. */
enum { ATTR_BYTES = 112, HEAD_BYTES = 104 };
enum {
    SAMPLE_IP = 1,
    SAMPLE_TID = 2,
    SAMPLE_TIME = 4,
    SAMPLE_CHAIN = 32,
    SAMPLE_CPU = 128,
    SAMPLE_PERIOD = 256
};
enum { RECORD_MMAP = 1, RECORD_COMM = 3, RECORD_SAMPLE = 9 };
enum { MISC_KERNEL = 1, MISC_USER = 2 };
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)

struct perf {
    struct export_job *job;
    struct log_bytes data;
    struct log_bytes named;          /* for each task: whether its name was written */
    uint64_t waiting[LOG_HARTS_MAX]; /* cycles since the last sample */
};

static void put32(struct log_bytes *b, uint32_t value)
{
    uint8_t bytes[4];

    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    log_put_bytes(b, bytes, sizeof bytes);
}

static void put64(struct log_bytes *b, uint64_t value)
{
    put32(b, (uint32_t)value);
    put32(b, (uint32_t)(value >> 32));
}

/* Puts text and at least one zero, up to a multiple of eight bytes. */
static void put_padded(struct log_bytes *b, const char *text)
{
    size_t len = strlen(text);

    log_put_bytes(b, text, len);
    log_put_bytes(b, "\0\0\0\0\0\0\0", 8 - len % 8);
}

static size_t begin_record(struct log_bytes *b, uint32_t type, unsigned misc)
{
    size_t at = b->len;

    put32(b, type);
    put32(b, misc); /* 16 bits, and the size, which comes later */
    return at;
}

static void end_record(struct log_bytes *b, size_t at)
{
    size_t size = b->len - at;

    b->at[at + 6] = (uint8_t)size;
    b->at[at + 7] = (uint8_t)(size >> 8);
}

/* The range of the kernel's code, from its first function to its last. */
struct code {
    uint64_t first, last;
};

static struct code find_code(const struct log *log)
{
    struct code code = {0};

    for (size_t i = 0; i < log_symbol_count(log); i++) {
        const struct log_symbol *s = log_symbol(log, i);

        if (!s->function)
            continue;
        code.first = code.first ? code.first : s->start;
        code.last = s->end;
    }
    return code;
}

/*
 * Writes the mapping of the kernel. perf names addresses in it by kallsyms, which it compares by
 * the address of this symbol.
 */
static const char reference[] = "_stext";

static void put_kernel(struct perf *p)
{
    struct code code = find_code(p->job->log);
    uint64_t start = code.first;
    size_t at = begin_record(&p->data, RECORD_MMAP, MISC_KERNEL);

    for (size_t i = 0; i < log_symbol_count(p->job->log); i++)
        if (!strcmp(log_symbol(p->job->log, i)->name, reference))
            start = log_symbol(p->job->log, i)->start;
    put32(&p->data, UINT32_MAX); /* pid: the kernel */
    put32(&p->data, 0);
    put64(&p->data, code.first);
    put64(&p->data, code.last - code.first);
    put64(&p->data, start);
    put_padded(&p->data, "[kernel.kallsyms]_stext");
    end_record(&p->data, at);
}

static uint32_t pid_of(const struct log_task *t)
{
    return t && t->pid > 0 ? (uint32_t)t->pid : 0;
}

static void name_task(struct perf *p, uint32_t id)
{
    const struct log_task *t = log_task(p->job->log, id);
    const char *name = t ? log_string(p->job->log, t->name) : NULL;
    size_t at;

    if (!name)
        return;
    while (p->named.len <= id)
        VEC_PUSH(&p->named, 0);
    if (p->named.at[id])
        return;
    p->named.at[id] = 1;
    at = begin_record(&p->data, RECORD_COMM, 0);
    put32(&p->data, pid_of(t));
    put32(&p->data, pid_of(t));
    put_padded(&p->data, name);
    end_record(&p->data, at);
}

/* The place of a call in its function: of a trap handler there is none, and the interrupted
 * function is below it. */
static bool has_place(const struct log_call *c)
{
    return c->kind != LOG_TRAP_HANDLER;
}

static void put_sample(struct perf *p, const struct log_event *e, const struct flow *f)
{
    uint64_t chain[CHAIN_MAX];
    unsigned count = 0;
    const struct log_task *t = log_task(p->job->log, f->task);
    bool user = f->kind == FLOW_USER;
    size_t at;

    name_task(p, f->task);
    if (f->last && has_place(f->last))
        chain[count++] = f->last->pc;
    for (size_t i = f->count; i-- > 0 && count < CHAIN_MAX;)
        if (has_place(&f->open[i]))
            chain[count++] = f->open[i].pc;
    at = begin_record(&p->data, RECORD_SAMPLE, user ? MISC_USER : MISC_KERNEL);
    put64(&p->data, count ? chain[0] : 0);
    put32(&p->data, pid_of(t));
    put32(&p->data, pid_of(t));
    put64(&p->data, e->cycle);
    put32(&p->data, e->hart);
    put32(&p->data, 0);
    put64(&p->data, p->waiting[e->hart]);
    put64(&p->data, count + 1);
    put64(&p->data, user ? CONTEXT_USER : CONTEXT_KERNEL);
    for (unsigned i = 0; i < count; i++)
        put64(&p->data, chain[i]);
    end_record(&p->data, at);
    p->waiting[e->hart] = 0;
}

static void put_attr(struct log_bytes *b)
{
    put32(b, 0); /* a counter of the hardware */
    put32(b, ATTR_BYTES);
    put64(b, 0); /* cycles */
    put64(b, PERIOD);
    put64(b, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CHAIN | SAMPLE_CPU | SAMPLE_PERIOD);
    for (unsigned i = 32 + 8; i <= ATTR_BYTES; i += 8)
        put64(b, 0);
}

static void put_head(struct log_bytes *b, uint64_t data)
{
    log_put_bytes(b, "PERFILE2", 8);
    put64(b, HEAD_BYTES);
    put64(b, ATTR_BYTES + 16);
    put64(b, HEAD_BYTES); /* attributes: one, without ids */
    put64(b, ATTR_BYTES + 16);
    put64(b, HEAD_BYTES + ATTR_BYTES + 16); /* records */
    put64(b, data);
    for (unsigned i = 0; i < 6; i++) /* no event types, no features */
        put64(b, 0);
    put_attr(b);
    put64(b, 0);
    put64(b, 0);
}

void export_perf(struct export_job *job)
{
    struct perf p = {.job = job};
    struct log_bytes head = {0};
    struct log_event e;

    put_kernel(&p);
    while (source_next_any(job->source, &e)) {
        const struct flow f = source_flow(job->source, &e);

        if (f.kind == FLOW_IDLE || !source_wants(job->source, &e))
            continue;
        p.waiting[e.hart] += f.cycles;
        if (p.waiting[e.hart] >= PERIOD)
            put_sample(&p, &e, &f);
    }
    put_head(&head, p.data.len);
    fwrite(head.at, 1, head.len, job->out);
    if (p.data.len)
        fwrite(p.data.at, 1, p.data.len, job->out);
    VEC_FREE(&head);
    VEC_FREE(&p.data);
    VEC_FREE(&p.named);
}

/*
 * Writes the symbols in the form of /proc/kallsyms, for perf report --kallsyms. Labels among
 * functions count as code.
 */
void export_kallsyms(struct export_job *job)
{
    struct code code = find_code(job->log);

    for (size_t i = 0; i < log_symbol_count(job->log); i++) {
        const struct log_symbol *s = log_symbol(job->log, i);
        bool is_code = s->function || (s->start >= code.first && s->start < code.last);

        fprintf(job->out, "%016" PRIx64 " %c %s\n", s->start, is_code ? 't' : 'd', s->name);
    }
}
