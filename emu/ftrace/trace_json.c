/*
 * trace_json.c - see trace_json.h.
 */
#include "ftrace/trace_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "ftrace/tasks.h"
#include "load/symbols.h"

/*
 * The process number in the file. Cycles in a microsecond, the format's unit, at the board's clock
 * rate of 1 GHz.
 */
enum { PROCESS = 1, CYCLES_PER_US = 1000 };

/* Names longer than NAME_MAX_BYTES are cut, so that a line always fits in LINE_MAX_BYTES. */
enum { NAME_MAX_BYTES = 256, LINE_MAX_BYTES = 8192, BUFFER_BYTES = 64 << 10 };

/* Linux's THREAD_SIZE. */
enum { STACK_BYTES = 16 << 10 };

/* The name of a stack that is in the file. */
struct track {
    uint32_t number;
    int32_t pid;
    char task[TASK_NAME_MAX]; /* "": the stack is no task's */
    bool used;                /* it has a name */
    uint32_t open;            /* calls that have begun and not ended */
};

struct trace_json {
    struct trace_json_config config;
    char buffer[BUFFER_BYTES];
    size_t used;
    uint64_t events;
    VEC_OF(struct track) tracks; /* of the stacks 1, 2, 3, ... */
    uint64_t return_to_handler;  /* 0: the kernel has none */
    int failed;                  /* errno of the first write error; 0: none */
};

/* ---- lines ---- */

static void flush(struct trace_json *t)
{
    size_t done = 0;

    while (!t->failed && done < t->used) {
        ssize_t n = write(t->config.file->fd, t->buffer + done, t->used - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            t->failed = errno;
    }
    t->used = 0;
}

static void put(struct trace_json *t, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends to the buffer, which had room for the whole line when the line was begun. */
static void put(struct trace_json *t, const char *format, ...)
{
    size_t room = sizeof t->buffer - t->used;
    va_list args;

    va_start(args, format);
    t->used += (size_t)vsnprintf(t->buffer + t->used, room, format, args);
    va_end(args);
}

static void begin_line(struct trace_json *t)
{
    if (t->used + LINE_MAX_BYTES > sizeof t->buffer) {
        flush(t);
        if (t->failed && t->config.lost) {
            t->config.lost(t->config.ctx);
            t->config.lost = NULL;
        }
    }
    put(t, t->events++ ? ",\n" : "[\n");
}

/* Symbol names may be any bytes; bytes that are not printable ASCII become question marks. */
static void put_string(struct trace_json *t, const char *name, const char *s)
{
    put(t, "\"%s\":\"", name);
    for (unsigned i = 0; s[i] && i < NAME_MAX_BYTES;
         i++) { /* one by one would be slow with put() */
        if (s[i] == '"' || s[i] == '\\')
            t->buffer[t->used++] = '\\';
        t->buffer[t->used++] = s[i] < ' ' || s[i] > '~' ? '?' : s[i];
    }
    t->buffer[t->used++] = '"';
}

/* ---- tracks ---- */

static void name_track(struct trace_json *t, const char *what, uint32_t number, const char *name)
{
    begin_line(t);
    put(t, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32 ",\"args\":{", what, PROCESS,
        number);
    put_string(t, "name", name);
    put(t, "}}");
}

static void name_stack(struct trace_json *t, const struct call *c, const struct track *track)
{
    char name[48];

    if (!track->task[0])
        snprintf(name, sizeof name, "stack of 0x%" PRIx64, c->sp);
    else if (track->pid < 0)
        snprintf(name, sizeof name, "%s", track->task);
    else
        snprintf(name, sizeof name, "%s-%" PRId32, track->task, track->pid);
    name_track(t, "thread_name", track->number, name);
}

static bool is_on_its_own(const struct task *task, const struct call *c)
{
    return task && task->stack && c->sp - task->stack <= STACK_BYTES;
}

/*
 * Names the stack when it is used for the first time, and again if it is another task's then or the
 * task has another name. A stack of interrupts belongs to no task and keeps its name.
 */
static void follow_stack(struct trace_json *t, const struct call *c, uint32_t number,
                         const struct task *task)
{
    struct track now = {.number = number, .pid = -1, .used = true};
    struct track *track;

    while (number > t->tracks.len)
        VEC_PUSH(&t->tracks, ((struct track){.number = (uint32_t)t->tracks.len + 1, .pid = -1}));
    track = &t->tracks.at[number - 1];
    if (is_on_its_own(task, c)) {
        now.pid = task->pid;
        memcpy(now.task, task->name, sizeof now.task);
    }
    now.open = track->open;
    if (track->used && (!now.task[0] || (now.pid == track->pid && !strcmp(now.task, track->task))))
        return;
    *track = now;
    name_stack(t, c, track);
}

/* ---- events ---- */

static const char *const kind_names[] = {[CALL_FUNCTION] = "function",
                                         [CALL_TRACER] = "tracer",
                                         [CALL_RETURN] = "return",
                                         [CALL_TRAP] = "trap"};

/* The name of the function with a site; of a module's the site is a few bytes into it. */
static void put_function(struct trace_json *t, const char *key, uint64_t pc)
{
    char text[32];
    uint64_t offset;
    const char *name = symbols_name_at(t->config.symbols, pc, &offset);

    snprintf(text, sizeof text, "0x%" PRIx64, pc);
    put_string(t, key, name ? name : text);
}

static void put_name(struct trace_json *t, const struct call *c)
{
    char text[32];

    switch (c->kind) {
    case CALL_TRACER: put_string(t, "name", "ftrace_caller"); return;
    case CALL_RETURN: put_string(t, "name", "return_to_handler"); return;
    case CALL_TRAP:
        snprintf(text, sizeof text, "%s %" PRIu64, c->cause >> 63 ? "interrupt" : "exception",
                 c->cause << 1 >> 1);
        break;
    case CALL_FUNCTION:
        if (c->function) {
            put_string(t, "name", c->function);
            return;
        }
        put_function(t, "name", c->pc);
        return;
    }
    put_string(t, "name", text);
}

static void begin_event(struct trace_json *t, char phase, const struct call_moment *at)
{
    begin_line(t);
    put(t, "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03u,", phase, PROCESS,
        at->stack, at->when / CYCLES_PER_US, (unsigned)(at->when % CYCLES_PER_US));
}

/*
 * The caller is the function at the call, just before the return address: after the call of a
 * function that does not return, the next function may begin.
 */
static void put_caller(struct trace_json *t, const struct call *c)
{
    char caller[NAME_MAX_BYTES];
    uint64_t offset;
    const char *name = symbols_name_at(t->config.symbols, c->back - 1, &offset);

    snprintf(caller, sizeof caller, name ? "%.200s+0x%" PRIx64 : "%s0x%" PRIx64, name ? name : "",
             name ? offset + 1 : c->back);
    put_string(t, "caller", caller);
}

static void put_calling(struct trace_json *t, const struct call *c)
{
    put(t, ",");
    /* Its return address was replaced before the tail call. */
    if (c->tail_of && t->return_to_handler && c->back == t->return_to_handler)
        put_function(t, "caller", c->tail_of);
    else
        put_caller(t, c);
    if (c->tail_of) {
        put(t, ",");
        put_function(t, "tail_call_of", c->tail_of);
    }
    put(t, ",\"state\":\"%s\"", site_state_name(c->state));
}

static void put_task(struct trace_json *t, const struct task *task)
{
    put(t, ",");
    put_string(t, "comm", task->name);
    if (task->pid >= 0)
        put(t, ",\"pid\":%" PRId32, task->pid);
}

static void on_enter(void *ctx, const struct call *c, const struct call_moment *at)
{
    struct trace_json *t = ctx;
    struct task task;
    bool known = t->config.tasks && tasks_read(t->config.tasks, at->on, at->task, &task);

    follow_stack(t, c, at->stack, known ? &task : NULL);
    t->tracks.at[at->stack - 1].open++;
    begin_event(t, 'B', at);
    put_name(t, c);
    put(t,
        ",\"cat\":\"%s\",\"args\":{\"hart\":%u,\"cycle\":%" PRIu64 ",\"instret\":%" PRIu64
        ",\"time\":%" PRIu64 ",\"task\":\"0x%" PRIx64 "\",\"pc\":\"0x%" PRIx64
        "\",\"back\":\"0x%" PRIx64 "\",\"sp\":\"0x%" PRIx64 "\"",
        kind_names[c->kind], at->hart, at->cycle, at->insns, at->time, at->task, c->pc, c->back,
        c->sp);
    if (known)
        put_task(t, &task);
    if (c->kind == CALL_FUNCTION)
        put_calling(t, c);
    put(t, "}}");
}

/* Viewers merge the arguments of begin and end, so their names differ. */
static void on_leave(void *ctx, const struct call *c, const struct call_moment *at,
                     enum call_end how)
{
    static const char *const ends[] = {[CALL_CAME_BACK] = "returned",
                                       [CALL_ABANDONED] = "abandoned",
                                       [CALL_DROPPED] = "abandoned",
                                       [CALL_STRAYED] = "abandoned",
                                       [CALL_UNWOUND] = "abandoned",
                                       [CALL_UNSENT] = "abandoned",
                                       [CALL_UNBALANCED] = "returned",
                                       [CALL_LOST] = "abandoned",
                                       [CALL_OPEN] = "open"};
    struct trace_json *t = ctx;

    (void)c;
    /* Not of a call that had begun before the trace did (trace_json_restart). */
    if (at->stack > t->tracks.len || !t->tracks.at[at->stack - 1].open)
        return;
    t->tracks.at[at->stack - 1].open--;
    begin_event(t, 'E', at);
    put(t,
        "\"args\":{\"end\":\"%s\",\"end_hart\":%u,\"end_cycle\":%" PRIu64
        ",\"end_instret\":%" PRIu64 ",\"end_time\":%" PRIu64 "}}",
        ends[how], at->hart, at->cycle, at->insns, at->time);
}

/* While restoring: truncates the file to its state then, which is not possible for a pipe. */
static void cut_file(struct trace_json *t, off_t end)
{
    t->used = 0;
    if (end < 0 || ftruncate(t->config.file->fd, end) ||
        lseek(t->config.file->fd, end, SEEK_SET) < 0)
        t->failed = end < 0 ? ESPIPE : errno;
}

static void track_io(struct state_io *io, struct track *track)
{
    STATE_IO(io, track->number);
    STATE_IO(io, track->pid);
    state_io_bytes(io, track->task, sizeof track->task);
    track->task[TASK_NAME_MAX - 1] = '\0';
    STATE_IO(io, track->used);
    STATE_IO(io, track->open);
}

static void trace_state_io(void *ctx, struct state_io *io)
{
    struct trace_json *t = ctx;
    off_t end = -1;

    if (io->in_file)
        return;
    if (!io->loading) {
        flush(t);
        end = lseek(t->config.file->fd, 0, SEEK_CUR);
    }
    state_io_section(io, "trace", 3);
    STATE_IO(io, end);
    STATE_IO(io, t->events);
    STATE_IO_VEC(io, &t->tracks, UINT32_MAX, track_io);
    if (io->loading && !io->error)
        cut_file(t, end);
}

struct calls_listener trace_json_listener(struct trace_json *t, bool on_only)
{
    return (struct calls_listener){t, on_only, on_enter, on_leave, trace_state_io};
}

/* ---- creation and end ---- */

static void begin(struct trace_json *t)
{
    t->events = 0;
    name_track(t, "process_name", 0, t->config.image);
}

void trace_json_restart(struct trace_json *t)
{
    if (lseek(t->config.file->fd, 0, SEEK_CUR) > 0)
        cut_file(t, 0);
    t->used = 0;
    t->tracks.len = 0;
    begin(t);
}

struct trace_json *trace_json_new(const struct trace_json_config *config)
{
    struct trace_json *t = xcalloc(1, sizeof *t);

    t->config = *config;
    if (!symbols_find(config->symbols, "return_to_handler", &t->return_to_handler))
        t->return_to_handler = 0;
    begin(t);
    return t;
}

enum exit_status trace_json_end(struct trace_json *t, const struct diag *d)
{
    put(t, "\n]\n");
    flush(t);
    if (!t->failed)
        return new_file_commit(t->config.file, d) ? EXIT_PASS : EXIT_IO;
    diag_error(d, "%s: %s; the trace ends before the run did", new_file_name(t->config.file),
               strerror(t->failed));
    new_file_leave(t->config.file);
    return EXIT_IO;
}

void trace_json_free(struct trace_json *t)
{
    if (t)
        VEC_FREE(&t->tracks);
    free(t);
}
