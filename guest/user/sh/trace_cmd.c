/*
 * trace_cmd.c - the command trace-cmd: records a trace in a trace.dat file (version 6), which the
 * host's `trace-cmd report` reads.
 *
 * The file may be a port (/dev/vport0p1), so it is written from its begin to its end. Its table of
 * the harts' pages comes before them, so these are collected in files of their own first.
 */
#include "applet.h"
#include "shell.h"

#define TRACING  "/sys/kernel/tracing/"
#define CPU_FILE "/tmp/trace.dat.cpu"

enum { CPUS_MAX = 64, ARGS_MAX = 32, POLL_US = 1000, SPLICE_F_NONBLOCK = 2 };

/* Options of trace.dat. */
enum { OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_TRACECLOCK = 4, OPTION_UNAME = 5 };

struct recording {
    const char *output, *tracer, *clock, *buffer_kb;
    const char *events[ARGS_MAX], *filters[ARGS_MAX], *graph[ARGS_MAX], *options[ARGS_MAX];
    unsigned int nr_events, nr_filters, nr_graph, nr_options;
    unsigned int cpus;
    int pages[CPUS_MAX]; /* descriptors of the harts' files */
    pid_t reader[CPUS_MAX];
};

static int failure(const char *path, int err)
{
    return complain("trace-cmd", path, err);
}

/* ---- files of tracefs ---- */

static char *tracing_path(const char *name)
{
    return path_below(TRACING, name);
}

static int write_tracing(const char *name, const char *text, bool append)
{
    char *path = tracing_path(name);
    int fd = open(path, O_WRONLY | (append ? O_APPEND : O_TRUNC), 0), err = fd;

    if (fd >= 0) {
        err = write_all(fd, text, strlen(text));
        close(fd);
    }
    err = err < 0 ? failure(path, err) : 0;
    free(path);
    return err;
}

/* The contents; NULL after a message. */
static char *read_tracing(const char *name, size_t *size)
{
    char *path = tracing_path(name);
    char *text = read_whole_file(path, size);

    if (is_error(text)) {
        failure(path, PTR_ERR(text));
        text = NULL;
    }
    free(path);
    return text;
}

static char *cpu_file(const char *format, unsigned int cpu)
{
    char name[64];

    snprintf(name, sizeof(name), format, cpu);
    return shell_strdup(name);
}

static unsigned int count_cpus(void)
{
    unsigned int cpu = 0;
    bool there = true;

    while (cpu < CPUS_MAX && there) {
        char *path = cpu_file(TRACING "per_cpu/cpu%u", cpu);

        there = is_directory(path);
        cpu += there;
        free(path);
    }
    return cpu;
}

/* ---- collecting pages ---- */

static volatile bool finished;

static void finish(int sig)
{
    (void)sig;
    finished = true;
}

/* Copies the pages that are there, which are read whole. Returns how many, or an error. */
static int copy_pages(int raw, int to)
{
    static char page[PAGE_SIZE];
    int pages = 0;
    ssize_t n;

    while ((n = read(raw, page, PAGE_SIZE)) == PAGE_SIZE) {
        int err = write_all(to, page, PAGE_SIZE);

        if (err)
            return err;
        pages++;
    }
    return n < 0 && n != -EAGAIN && n != -EINTR ? (int)n : pages;
}

static int open_raw(unsigned int cpu)
{
    char *path = cpu_file(TRACING "per_cpu/cpu%u/trace_pipe_raw", cpu);
    int raw = open(path, O_RDONLY | O_NONBLOCK, 0);

    if (raw < 0)
        failure(path, raw);
    free(path);
    return raw;
}

/* Moves full pages by splice(), through a pipe. 0 or an error. */
static int splice_pages(int raw, int to, const int pipe[2])
{
    ssize_t n, done;

    while ((n = syscall(__NR_splice, raw, NULL, pipe[1], NULL, PAGE_SIZE, SPLICE_F_NONBLOCK)) > 0)
        for (; n > 0; n -= done) {
            done = syscall(__NR_splice, pipe[0], NULL, to, NULL, n, 0);
            if (done <= 0)
                return done ? (int)done : -EIO;
        }
    return n == -EAGAIN || n == -EINTR ? 0 : (int)n;
}

/* What the ring has, at the end. */
static int drain(struct recording *r, unsigned int cpu)
{
    int raw = open_raw(cpu), n = raw;

    if (raw >= 0) {
        n = copy_pages(raw, r->pages[cpu]);
        close(raw);
    }
    return n < 0 ? STATUS_ERROR : 0;
}

static int open_pages(struct recording *r)
{
    unsigned int cpu;

    mkdir("/tmp", 0755);
    for (cpu = 0; cpu < r->cpus; cpu++) {
        char *path = cpu_file(CPU_FILE "%u", cpu);

        r->pages[cpu] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (r->pages[cpu] < 0)
            return failure(path, r->pages[cpu]);
        unlink(path);
        free(path);
    }
    return 0;
}

/* ---- the file ---- */

static void put_number(struct strbuf *b, uint64_t value, size_t size)
{
    strbuf_addn(b, (const char *)&value, size);
}

/* A text with its size before it. */
static void put_sized(struct strbuf *b, const char *text, size_t len, size_t size)
{
    put_number(b, len, size);
    strbuf_addn(b, text, len);
}

/* A file of tracefs with its size before it; what cannot be read is empty. */
static int put_file(struct strbuf *b, const char *name, size_t size)
{
    size_t len = 0;
    char *text = read_tracing(name, &len);

    put_sized(b, text ? text : "", len, size);
    free(text);
    return text ? 0 : STATUS_ERROR;
}

static void put_name(struct strbuf *b, const char *name)
{
    strbuf_addn(b, name, strlen(name) + 1);
}

/* The directories of one that have a file format: events of a system. */
static int put_formats(struct strbuf *b, const char *system)
{
    struct strings names = {NULL, 0, 0};
    struct strbuf formats = {NULL, 0, 0};
    char *dir = path_below(TRACING "events", system);
    int err = read_names(dir, false, &names), i, count = 0;

    for (i = 0; !err && i < names.n; i++) {
        char *event = path_below(dir, names.v[i]);

        if (is_directory(event)) {
            char *format = path_below(event + strlen(TRACING), "format");

            err = put_file(&formats, format, 8);
            count++;
            free(format);
        }
        free(event);
    }
    put_number(b, count, 4);
    if (formats.len)
        strbuf_addn(b, formats.s, formats.len);
    free(formats.s);
    strings_free(&names);
    free(dir);
    return err ? STATUS_ERROR : 0;
}

/* Whether the system has an event that is on. */
static bool is_recorded(const char *system)
{
    char *path = path_below(TRACING "events", system), *enable = path_below(path, "enable");
    size_t size;
    char *text = is_directory(path) ? read_whole_file(enable, &size) : NULL;
    bool recorded = text && !is_error(text) && *text != '0' && strcmp(system, "ftrace") != 0;

    if (!is_error(text))
        free(text);
    free(enable);
    free(path);
    return recorded;
}

/* The tracers' formats, and those of the systems that have an event on. */
static int put_systems(struct strbuf *b)
{
    struct strings names = {NULL, 0, 0};
    int err = put_formats(b, "ftrace"), i, count = 0;

    if (!err)
        err = read_names(TRACING "events", false, &names);
    if (names.n)
        sort_strings(names.v, names.n);
    for (i = 0; i < names.n; i++)
        count += is_recorded(names.v[i]);
    put_number(b, count, 4);
    for (i = 0; i < names.n && !err; i++)
        if (is_recorded(names.v[i])) {
            put_name(b, names.v[i]);
            err = put_formats(b, names.v[i]);
        }
    strings_free(&names);
    return err;
}

static void put_option(struct strbuf *b, unsigned int option, const char *text)
{
    put_number(b, option, 2);
    put_sized(b, text, strlen(text) + 1, 4);
}

static int put_options(struct strbuf *b, const struct recording *r)
{
    char *clock = read_tracing("trace_clock", &(size_t){0});
    unsigned int cpu;

    put_name(b, "options  ");
    if (clock)
        put_option(b, OPTION_TRACECLOCK, clock);
    put_option(b, OPTION_UNAME, "Linux riscv64");
    for (cpu = 0; cpu < r->cpus; cpu++) {
        char *name = cpu_file("per_cpu/cpu%u/stats", cpu);
        char *stats = read_tracing(name, &(size_t){0});
        struct strbuf text = {NULL, 0, 0};
        char head[16];

        snprintf(head, sizeof(head), "CPU: %u\n", cpu);
        strbuf_adds(&text, head);
        strbuf_adds(&text, stats ? stats : "");
        put_option(b, OPTION_CPUSTAT, text.s);
        free(text.s);
        free(stats);
        free(name);
    }
    put_number(b, OPTION_DONE, 2);
    return clock ? 0 : STATUS_ERROR;
}

static int put_symbols(struct strbuf *b)
{
    size_t len = 0;
    char *text = read_whole_file("/proc/kallsyms", &len);

    if (is_error(text))
        return failure("/proc/kallsyms", PTR_ERR(text));
    put_sized(b, text, len, 4);
    free(text);
    return 0;
}

/* All that is before the table of the harts' pages. */
static int put_head(struct strbuf *b, const struct recording *r)
{
    static const char magic[] = "\x17\x08\x44tracing6";
    int status;

    put_name(b, magic);
    put_number(b, 0, 1); /* little-endian */
    put_number(b, sizeof(long), 1);
    put_number(b, PAGE_SIZE, 4);
    put_name(b, "header_page");
    status = put_file(b, "events/header_page", 8);
    put_name(b, "header_event");
    if (!status)
        status = put_file(b, "events/header_event", 8);
    if (!status)
        status = put_systems(b);
    if (!status)
        status = put_symbols(b);
    put_number(b, 0, 4); /* no formats of trace_printk(): its entries have the text */
    if (!status)
        status = put_file(b, "saved_cmdlines", 8);
    put_number(b, r->cpus, 4);
    if (!status)
        status = put_options(b, r);
    put_name(b, "flyrecord");
    return status;
}

/* Pads the head to whole pages, with the table at its end. */
static void put_table(struct strbuf *b, const struct recording *r)
{
    size_t at = b->len + r->cpus * 16;
    unsigned int cpu;

    at = (at + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
    for (cpu = 0; cpu < r->cpus; cpu++) {
        long size = lseek(r->pages[cpu], 0, SEEK_END);

        put_number(b, at, 8);
        put_number(b, size, 8);
        at += size;
    }
    while (b->len % PAGE_SIZE)
        strbuf_addc(b, 0);
}

static int copy_file(int from, int to)
{
    char *buf = shell_alloc(8 * PAGE_SIZE);
    ssize_t n;
    int err = 0;

    lseek(from, 0, SEEK_SET);
    while (!err && (n = read(from, buf, 8 * PAGE_SIZE)) > 0)
        err = write_all(to, buf, n);
    free(buf);
    return err;
}

static int write_file(const struct recording *r)
{
    struct strbuf head = {NULL, 0, 0};
    int status = put_head(&head, r), err = 0, out;
    unsigned int cpu;

    if (status)
        return status;
    put_table(&head, r);
    out = open(r->output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (out < 0)
        return failure(r->output, out);
    err = write_all(out, head.s, head.len);
    for (cpu = 0; cpu < r->cpus && !err; cpu++)
        err = copy_file(r->pages[cpu], out);
    close(out);
    free(head.s);
    return err ? failure(r->output, err) : 0;
}

/* ---- recording ---- */

/* Runs in a process of its own: copies pages until it is told that recording ends. */
static int read_pages(struct recording *r, unsigned int cpu)
{
    struct timespec pause = {0, POLL_US * 1000};
    int ends[2], n = pipe(ends), raw = open_raw(cpu);

    while (raw >= 0 && !finished && n >= 0) {
        n = splice_pages(raw, r->pages[cpu], ends);
        if (!finished)
            nanosleep(&pause, NULL);
    }
    return raw < 0 || n < 0;
}

static void start_readers(struct recording *r)
{
    struct sigaction act = {.handler = (unsigned long)finish};
    unsigned int cpu;

    sigaction(SIGTERM, &act, NULL);
    for (cpu = 0; cpu < r->cpus; cpu++) {
        r->reader[cpu] = fork();
        if (!r->reader[cpu])
            _exit(read_pages(r, cpu));
    }
}

static int stop_readers(struct recording *r)
{
    int status = 0, result;
    unsigned int cpu;

    for (cpu = 0; cpu < r->cpus; cpu++)
        if (r->reader[cpu] > 0)
            kill(r->reader[cpu], SIGTERM);
    for (cpu = 0; cpu < r->cpus; cpu++)
        if (r->reader[cpu] > 0 && (waitpid(r->reader[cpu], &result, 0) < 0 || result))
            status = STATUS_ERROR;
    return status;
}

static int write_each(const char *file, const char *const list[], unsigned int nr, char between)
{
    unsigned int i;
    int status = 0;

    for (i = 0; i < nr && !status; i++) {
        char *text = shell_strdup(list[i]), *p;

        for (p = text; *p; p++)
            if (*p == ',')
                *p = between;
        status = write_tracing(file, text, true);
        free(text);
    }
    return status;
}

/* Everything off and empty. */
static int reset(void)
{
    int status = write_tracing("tracing_on", "0", false);

    if (!status)
        status = write_tracing("current_tracer", "nop", false);
    if (!status)
        status = write_tracing("events/enable", "0", false);
    if (!status)
        status = write_tracing("set_ftrace_filter", "", false);
    if (!status)
        status = write_tracing("set_graph_function", "", false);
    if (!status)
        status = write_tracing("trace", "", false);
    return status;
}

static int set_up(const struct recording *r)
{
    int status = reset();

    if (!status && r->buffer_kb)
        status = write_tracing("buffer_size_kb", r->buffer_kb, false);
    if (!status && r->clock)
        status = write_tracing("trace_clock", r->clock, false);
    if (!status)
        status = write_each("set_ftrace_filter", r->filters, r->nr_filters, ' ');
    if (!status)
        status = write_each("set_graph_function", r->graph, r->nr_graph, ' ');
    if (!status)
        status = write_each("set_event", r->events, r->nr_events, ' ');
    if (!status)
        status = write_each("trace_options", r->options, r->nr_options, ' ');
    if (!status && r->tracer)
        status = write_tracing("current_tracer", r->tracer, false);
    return status;
}

/* Runs a command in a shell, and returns its status. */
static int run(char **argv)
{
    struct strbuf text = {NULL, 0, 0};
    char *args[] = {(char *)"sh", (char *)"-c", NULL, NULL};
    pid_t pid;
    int result = 0, err;

    for (; *argv; argv++) {
        strbuf_adds(&text, *argv);
        strbuf_addc(&text, ' ');
    }
    args[2] = strbuf_detach(&text);
    pid = fork();
    if (!pid) {
        err = execve("/bin/sh", args, environ);
        _exit(failure("/bin/sh", err));
    }
    err = pid < 0 ? pid : waitpid(pid, &result, 0);
    free(args[2]);
    if (err < 0)
        return failure("sh", err);
    return WIFEXITED(result) ? WEXITSTATUS(result) : STATUS_SIGNAL + WTERMSIG(result);
}

static int collect(struct recording *r)
{
    unsigned int cpu;
    int status = 0;

    for (cpu = 0; cpu < r->cpus && !status; cpu++)
        status = drain(r, cpu);
    return status ? status : write_file(r);
}

static int record(struct recording *r, char **command)
{
    int status = set_up(r), of_command = 0;

    if (!status)
        status = open_pages(r);
    if (!status) {
        start_readers(r);
        status = write_tracing("tracing_on", "1", false);
        of_command = run(command);
        if (write_tracing("tracing_on", "0", false) || stop_readers(r))
            status = STATUS_ERROR;
    }
    if (!status)
        status = collect(r);
    if (reset() || write_tracing("tracing_on", "1", false))
        status = STATUS_ERROR;
    return status ? status : of_command;
}

/* What the rings have now; tracing is as before afterwards. */
static int extract(struct recording *r)
{
    size_t size;
    char *on = read_tracing("tracing_on", &size);
    int status = on ? write_tracing("tracing_on", "0", false) : STATUS_ERROR;

    if (!status)
        status = open_pages(r);
    if (!status)
        status = collect(r);
    if (on && write_tracing("tracing_on", on, false))
        status = STATUS_ERROR;
    free(on);
    return status;
}

/* ---- the command ---- */

static bool add(const char *list[], unsigned int *nr, const char *value)
{
    if (*nr == ARGS_MAX)
        return false;
    list[(*nr)++] = value;
    return true;
}

static bool take_option(struct recording *r, int letter, const char *value)
{
    switch (letter) {
    case 'o': r->output = value; return true;
    case 'p': r->tracer = value; return true;
    case 'C': r->clock = value; return true;
    case 'b': r->buffer_kb = value; return true;
    case 'e': return add(r->events, &r->nr_events, value);
    case 'l': return add(r->filters, &r->nr_filters, value);
    case 'g': return add(r->graph, &r->nr_graph, value);
    case 'O': return add(r->options, &r->nr_options, value);
    default: return false;
    }
}

int do_trace_cmd(int argc, char **argv)
{
    struct recording r = {.output = "trace.dat"};
    struct options o = {.argv = argv + 2};
    bool is_record = argc > 1 && !strcmp(argv[1], "record");
    int letter;

    if (!is_record && (argc < 2 || strcmp(argv[1], "extract") != 0))
        return usage_error(argv);
    while ((letter = next_option(&o, is_record ? "o:p:C:b:e:l:g:O:" : "o:")))
        if (!take_option(&r, letter, o.value))
            return usage_error(argv);
    if (is_record ? !*o.argv : *o.argv != NULL)
        return usage_error(argv);
    r.cpus = count_cpus();
    if (!r.cpus)
        return failure(TRACING, -ENOENT);
    return is_record ? record(&r, o.argv) : extract(&r);
}
