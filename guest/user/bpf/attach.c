/*
 * attach.c - attaches programs where the names of their sections say.
 *
 *   tracepoint/SYSTEM/EVENT   by an event of perf
 *   raw_tracepoint/EVENT
 *   kprobe/FUNCTION, kretprobe/FUNCTION   by an event of perf, of a probe made in kprobe_events
 *   perf_event                at each millisecond of each hart's clock
 */
#include "bpf.h"
#include <uapi/linux/perf_event.h>

enum { SAMPLE_NS = 1000000 };

static int links[LINKS_MAX], nr_links;
static char probes[LINKS_MAX][TEXT_MAX];
static unsigned int nr_probes;

static void keep(int fd, const char *what)
{
    if (fd < 0)
        fail_err(what, fd);
    if (nr_links == ARRAY_SIZE(links))
        fail(what, "too much is attached");
    links[nr_links++] = fd;
}

static void attach_raw(const struct program *prog, const char *name)
{
    union bpf_attr attr = {.raw_tracepoint = {.name = (unsigned long)name, .prog_fd = prog->fd}};

    keep(bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), prog->section);
}

static void attach_to_event(const struct program *prog, struct perf_event_attr *event, int cpu)
{
    int fd, err;

    event->size = sizeof(*event);
    fd = syscall(__NR_perf_event_open, event, -1, cpu, -1, 8 /* close it in programs */);
    keep(fd, prog->section);
    err = syscall(__NR_ioctl, fd, PERF_EVENT_IOC_SET_BPF, prog->fd);
    if (err)
        fail_err(prog->section, err);
    syscall(__NR_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* A program at a tracepoint runs on all harts, whatever the event's own is. */
static void attach_to_tracepoint(const struct program *prog, const char *name)
{
    struct perf_event_attr event = {.type = PERF_TYPE_TRACEPOINT, .disabled = 1};
    char path[2 * TEXT_MAX + sizeof(TRACING)];
    struct bytes id;

    snprintf(path, sizeof(path), TRACING "events/%s/id", name);
    id = contents(path);
    if (!id.at || !id.size)
        fail(name, "there is no such event");
    event.config = strtoul(id.at);
    event.sample_period = 1;
    free(id.at);
    attach_to_event(prog, &event, 0);
}

static long append(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND, 0);
    long n = fd < 0 ? fd : write(fd, text, strlen(text));

    if (fd >= 0)
        close(fd);
    return n;
}

static void attach_to_function(const struct program *prog, const char *function, char kind)
{
    char line[2 * TEXT_MAX];
    char *probe = probes[nr_probes];
    long err;

    if (nr_probes == LINKS_MAX)
        fail(function, "too much is attached");
    snprintf(probe, TEXT_MAX, "bpf_%d/%s", getpid(), prog->name);
    snprintf(line, sizeof(line), "%c:%s %s", kind, probe, function);
    err = append(TRACING "kprobe_events", line);
    if (err < 0)
        fail_err(function, err);
    nr_probes++;
    attach_to_tracepoint(prog, probe);
}

static void attach_to_clocks(const struct program *prog)
{
    unsigned int cpu, cpus = count_cpus();

    for (cpu = 0; cpu < cpus; cpu++) {
        struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                        .config = PERF_COUNT_SW_CPU_CLOCK,
                                        .disabled = 1,
                                        .sample_period = SAMPLE_NS};

        attach_to_event(prog, &event, cpu);
    }
}

void attach(const struct program *prog)
{
    const char *name = strchr(prog->section, '/');

    name = name ? name + 1 : "";
    if (prog->type == BPF_PROG_TYPE_RAW_TRACEPOINT)
        attach_raw(prog, name);
    else if (prog->type == BPF_PROG_TYPE_TRACEPOINT)
        attach_to_tracepoint(prog, name);
    else if (prog->type == BPF_PROG_TYPE_KPROBE)
        attach_to_function(prog, name, !strncmp(prog->section, "kret", 4) ? 'r' : 'p');
    else
        attach_to_clocks(prog);
}

void detach_all(void)
{
    char line[TEXT_MAX + 2];

    while (nr_links)
        close(links[--nr_links]);
    while (nr_probes) {
        snprintf(line, sizeof(line), "-:%s", probes[--nr_probes]);
        append(TRACING "kprobe_events", line);
    }
}
