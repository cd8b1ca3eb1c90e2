/*
 * perf.c - counts events of commands, and records samples of them in a perf.data, which the host's
 * `perf report` and `perf script` read.
 *
 *   perf stat [-e EVENTS] [-a] CMD [ARGS...]
 *   perf record [-e EVENTS] [-c PERIOD | -F FREQUENCY] [-g] [-a] [-o FILE] CMD [ARGS...]
 *   perf list
 *
 * EVENTS are names separated by commas, each with :u or :k for one mode only; SYSTEM:EVENT is a
 * tracepoint. FILE may be a port (/dev/vport0p1), which is written from its begin to its end: so
 * the records are collected in a file of their own first.
 */
#include "libc.h"
#include <uapi/linux/perf_event.h>

#define TRACING   "/sys/kernel/tracing/"
#define COLLECTED "/tmp/perf.records"

enum { EVENTS_MAX = 16, CPUS_MAX = 8, RING_PAGES = 64, COMMAND_MAX = 256, FREQUENCY = 4000 };
enum { POLL_NS = 10000000 };

struct event {
    const char *name;
    struct perf_event_attr attr;
    int fd[CPUS_MAX];
};

static struct event events[EVENTS_MAX];
static unsigned int nr_events, nr_cpus;

struct options {
    bool all, chains;
    unsigned long period, frequency;
    const char *output;
    char *const *command;
};

#define CACHE(cache, op, result)                                      \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct known {
    const char *name;
    uint32_t type;
    uint64_t config;
} known_events[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS)},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS)},
    {"L1-dcache-stores", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS)},
    {"L1-dcache-store-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, MISS)},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS)},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)},
    {"dTLB-store-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, WRITE, MISS)},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS)},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
};

static _Noreturn void __attribute__((noinline)) fail(const char *what, long err)
{
    printf("perf: %s: %s\n", what, strerror(-err));
    _exit(1);
}

static char *copy_of(const char *text, size_t len)
{
    char *copy = malloc(len + 1);

    if (!copy)
        fail(text, -ENOMEM);
    memcpy(copy, text, len);
    copy[len] = 0;
    return copy;
}

/* ---- files ---- */

struct blob {
    char *at;
    size_t size;
};

static void append(struct blob *b, const void *data, size_t size)
{
    char *bigger = malloc(b->size + size + 1);

    if (!bigger)
        fail("memory", -ENOMEM);
    memcpy(bigger, b->at, b->size);
    memcpy(bigger + b->size, data, size);
    free(b->at);
    b->at = bigger;
    b->size += size;
    b->at[b->size] = 0;
}

/* The whole file; empty if it cannot be read. */
static struct blob contents(const char *path)
{
    static char buf[PAGE_SIZE];
    struct blob b = {NULL, 0};
    int fd = open(path, O_RDONLY, 0);
    ssize_t n;

    append(&b, "", 0);
    while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
        append(&b, buf, n);
    if (fd >= 0)
        close(fd);
    return b;
}

static void write_all(int fd, const void *data, size_t size)
{
    ssize_t n;

    for (; size; data = (const char *)data + n, size -= n) {
        n = write(fd, data, size);
        if (n <= 0)
            fail("write", n);
    }
}

/* ---- events ---- */

static void set_modes(struct perf_event_attr *attr, const char *modes)
{
    bool user = strchr(modes, 'u'), kernel = strchr(modes, 'k');

    attr->exclude_kernel = user && !kernel;
    attr->exclude_user = kernel && !user;
}

static bool set_known(struct perf_event_attr *attr, const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(known_events); i++) {
        if (strcmp(known_events[i].name, name))
            continue;
        attr->type = known_events[i].type;
        attr->config = known_events[i].config;
        return true;
    }
    return false;
}

static bool set_raw(struct perf_event_attr *attr, const char *name)
{
    unsigned long config;

    if (*name != 'r' || kstrtoul(name + 1, 16, &config))
        return false;
    attr->type = PERF_TYPE_RAW;
    attr->config = config;
    return true;
}

static bool set_tracepoint(struct perf_event_attr *attr, const char *name, const char *colon)
{
    char path[160];
    struct blob id;

    snprintf(path, sizeof(path), TRACING "events/%.*s/%s/id", (int)(colon - name), name, colon + 1);
    id = contents(path);
    if (!id.size)
        return false;
    attr->type = PERF_TYPE_TRACEPOINT;
    attr->config = strtoul(id.at);
    free(id.at);
    return true;
}

static void add_event(char *name)
{
    struct event *e = &events[nr_events];
    char *shown = copy_of(name, strlen(name));
    char *colon = strchr(name, ':');

    if (nr_events == EVENTS_MAX)
        fail(name, -E2BIG);
    e->name = shown;
    e->attr.size = sizeof(e->attr);
    nr_events++;
    if (colon && set_tracepoint(&e->attr, name, colon))
        return;
    if (colon) {
        *colon = 0;
        set_modes(&e->attr, colon + 1);
    }
    if (!set_known(&e->attr, name) && !set_raw(&e->attr, name))
        fail(shown, -ENOENT);
}

static void add_events(const char *list)
{
    while (*list) {
        const char *end = strchr(list, ',');
        size_t len = end ? (size_t)(end - list) : strlen(list);

        add_event(copy_of(list, len));
        list += len + (end != NULL);
    }
}

static int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
    enum { FD_CLOEXEC_FLAG = 8 };

    return syscall(__NR_perf_event_open, attr, pid, cpu, -1, FD_CLOEXEC_FLAG);
}

static unsigned int count_cpus(void)
{
    char path[64];
    struct stat st;
    unsigned int n = 0;

    do
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", n);
    while (!stat(path, &st) && n++ < CPUS_MAX);
    return n;
}

/* ---- the command ---- */

static int go[2];

/* A child that waits for a byte of the pipe before it becomes the command. */
static pid_t prepare_command(char *const *command)
{
    char path[PATH_MAX], c;
    pid_t pid;

    pipe(go);
    pid = fork();
    if (pid)
        return pid;
    close(go[1]);
    read(go[0], &c, 1);
    close(go[0]);
    if (strchr(command[0], '/'))
        execve(command[0], command, environ);
    snprintf(path, sizeof(path), "/bin/%s", command[0]);
    execve(path, command, environ);
    execve("/bin/sh", command, environ); /* a command of the shell */
    _exit(127);
}

static void start_command(void)
{
    close(go[0]);
    write(go[1], "", 1);
    close(go[1]);
}

static const char *command_line(char *const *command, char *buf, size_t size)
{
    size_t at = 0;

    buf[0] = 0;
    for (; *command && at < size; command++)
        at += snprintf(buf + at, size - at, "%s%s", at ? " " : "", *command);
    return buf;
}

/* ---- perf stat ---- */

static void open_counters(const struct options *o, pid_t pid)
{
    unsigned int i, cpu;

    for (i = 0; i < nr_events; i++) {
        struct perf_event_attr *attr = &events[i].attr;

        attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        attr->inherit = 1;
        attr->disabled = !o->all;
        attr->enable_on_exec = !o->all;
        for (cpu = 0; cpu < (o->all ? nr_cpus : 1); cpu++)
            events[i].fd[cpu] = perf_open(attr, o->all ? -1 : pid, o->all ? (int)cpu : -1);
    }
}

/* Counts that had no counter all the time are what they would have been. */
static void print_count(const struct event *e, unsigned int cpus)
{
    uint64_t sum[3] = {0}, v[3];
    unsigned int cpu, i;

    for (cpu = 0; cpu < cpus; cpu++) {
        if (e->fd[cpu] < 0 || read(e->fd[cpu], v, sizeof(v)) != sizeof(v)) {
            printf("%20s      %s\n", "<not supported>", e->name);
            return;
        }
        for (i = 0; i < 3; i++)
            sum[i] += v[i];
    }
    if (!sum[2]) {
        printf("%20s      %s\n", "<not counted>", e->name);
        return;
    }
    printf("%20lu      %s", (unsigned long)sum[0], e->name);
    if (sum[1] != sum[2])
        printf("  (%lu%% of the time)", (unsigned long)(sum[2] * 100 / sum[1]));
    printf("\n");
}

static int perf_stat(const struct options *o)
{
    char line[COMMAND_MAX];
    pid_t pid = prepare_command(o->command);
    uint64_t start;
    unsigned int i;
    int status;

    if (!nr_events)
        add_events(
            "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,"
            "branch-misses");
    open_counters(o, pid);
    start = clock_ns();
    start_command();
    waitpid(pid, &status, 0);
    start = clock_ns() - start;
    printf("\n Performance counter stats for '%s':\n\n",
           command_line(o->command, line, sizeof(line)));
    for (i = 0; i < nr_events; i++)
        print_count(&events[i], o->all ? nr_cpus : 1);
    printf("\n%14lu.%09lu seconds time elapsed\n\n", (unsigned long)(start / 1000000000),
           (unsigned long)(start % 1000000000));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- perf record ---- */

static struct perf_event_mmap_page *rings[CPUS_MAX];
static int collected; /* the file of records */
static uint64_t collected_size;

static void put_record(const void *record, size_t size)
{
    write_all(collected, record, size);
    collected_size += size;
}

static void set_sampling(struct perf_event_attr *attr, const struct options *o)
{
    bool tracepoint = attr->type == PERF_TYPE_TRACEPOINT;

    attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                        PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
    if (o->chains)
        attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr->read_format = PERF_FORMAT_ID;
    attr->sample_id_all = 1;
    attr->inherit = !o->all;
    attr->disabled = !o->all;
    attr->enable_on_exec = !o->all;
    attr->freq = !o->period && !tracepoint;
    attr->sample_period = o->period ? o->period : tracepoint ? 1 : o->frequency;
}

static void map_ring(unsigned int cpu, int fd)
{
    rings[cpu] =
        mmap(NULL, (1 + RING_PAGES) * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (is_error(rings[cpu]))
        fail("mmap", PTR_ERR(rings[cpu]));
}

/* Every event of a hart writes to the ring of the first. */
static void open_samplers(const struct options *o, pid_t pid)
{
    unsigned int i, cpu;

    events[0].attr.mmap = events[0].attr.mmap2 = events[0].attr.comm = 1;
    events[0].attr.comm_exec = events[0].attr.task = 1;
    events[0].attr.ksymbol = 1;
    for (i = 0; i < nr_events; i++) {
        set_sampling(&events[i].attr, o);
        for (cpu = 0; cpu < nr_cpus; cpu++) {
            int fd = perf_open(&events[i].attr, o->all ? -1 : pid, cpu);

            if (fd < 0)
                fail(events[i].name, fd);
            events[i].fd[cpu] = fd;
            if (!i)
                map_ring(cpu, fd);
            else
                ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)events[0].fd[cpu]);
        }
    }
}

static void drain(struct perf_event_mmap_page *ring)
{
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
    const char *data = (const char *)ring + ring->data_offset;

    while (tail != head) {
        uint64_t at = tail % ring->data_size, n = min(head - tail, ring->data_size - at);

        put_record(data + at, n);
        tail += n;
    }
    __atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

static void drain_all(void)
{
    unsigned int cpu;

    for (cpu = 0; cpu < nr_cpus; cpu++)
        drain(rings[cpu]);
}

/* ---- records that the kernel does not write ---- */

static uint64_t hex(const char *text)
{
    uint64_t value = 0;

    for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
        value = value << 4 | (unsigned int)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return value;
}

/* The kernel's text, from the first function in the upper half to the last; its name refers to the
 * first. */
static void put_kernel(void)
{
    static const char first_name[] = "_start_kernel";
    struct {
        struct perf_event_header header;
        uint32_t pid, tid;
        uint64_t addr, len, pgoff;
        char name[40];
        uint64_t id[4];
    } r = {{PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, sizeof(r)}, ~0u, 0, 0, 0, 0, "", {0}};
    struct blob symbols = contents("/proc/kallsyms");
    const char *line, *end;

    for (line = symbols.at; *line && (end = strchr(line, '\n')); line = end + 1) {
        uint64_t at = hex(line);
        const char *name = line + 19;

        if (!strncmp(name, first_name, sizeof(first_name) - 1))
            r.addr = r.pgoff = at;
        if (r.addr && at >= r.addr && end[-1] != ']') /* not of a module */
            r.len = at - r.addr + PAGE_SIZE;
    }
    free(symbols.at);
    snprintf(r.name, sizeof(r.name), "[kernel.kallsyms]%s", first_name);
    put_record(&r, sizeof(r));
}

static void put_name(pid_t pid)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, tid;
        char name[16];
        uint64_t id[4];
    } r = {{PERF_RECORD_COMM, 0, sizeof(r)}, pid, pid, "", {0}};
    char path[64];
    struct blob name;

    snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    name = contents(path);
    if (name.size > 1)
        memcpy(r.name, name.at, min(name.size - 1, sizeof(r.name) - 1));
    free(name.at);
    put_record(&r, sizeof(r));
}

static void put_names(void)
{
    static char buf[PAGE_SIZE];
    int fd = open("/proc", O_RDONLY | O_DIRECTORY, 0);
    ssize_t n, at;

    while (fd >= 0 && (n = getdents(fd, buf, sizeof(buf))) > 0)
        for (at = 0; at < n; at += ((struct dirent *)(buf + at))->reclen) {
            const char *name = ((struct dirent *)(buf + at))->name;

            if (*name >= '1' && *name <= '9')
                put_name(strtoul(name));
        }
    close(fd);
}

/* ---- the file ---- */

enum { HEADER_TRACING_DATA = 1, HEADER_ARCH = 6, HEADER_NRCPUS = 7, HEADER_EVENT_DESC = 12 };

struct section {
    uint64_t offset, size;
};

struct perf_header {
    char magic[8];
    uint64_t size, attr_size;
    struct section attrs, data, event_types;
    uint64_t features[4];
};

static void append_u32(struct blob *b, uint32_t value)
{
    append(b, &value, sizeof(value));
}

static void append_u64(struct blob *b, uint64_t value)
{
    append(b, &value, sizeof(value));
}

/* A file with its size before it. */
static void append_file(struct blob *b, const char *path)
{
    struct blob file = contents(path);

    append_u64(b, file.size);
    append(b, file.at, file.size);
    free(file.at);
}

static void append_format(struct blob *b, const struct event *e)
{
    const char *colon = strchr(e->name, ':');
    char path[160];

    append(b, e->name, colon - e->name);
    append(b, "", 1);
    append_u32(b, 1);
    snprintf(path, sizeof(path), TRACING "events/%.*s/%s/format", (int)(colon - e->name), e->name,
             colon + 1);
    append_file(b, path);
}

/* What perf needs to print the entries of tracepoints: a part of the formats of tracefs. */
static struct blob tracing_data(void)
{
    static const char magic[] = "\x17\x08\x44tracing0.6";
    struct blob b = {NULL, 0}, strings;
    unsigned int i, n = 0;

    append(&b, magic, sizeof(magic));
    append(&b, "\0\x08", 2); /* little-endian, longs of 8 bytes */
    append_u32(&b, PAGE_SIZE);
    append(&b, "header_page", 12);
    append_file(&b, TRACING "events/header_page");
    append(&b, "header_event", 13);
    append_file(&b, TRACING "events/header_event");
    append_u32(&b, 0); /* formats of ftrace's own entries */
    for (i = 0; i < nr_events; i++)
        n += events[i].attr.type == PERF_TYPE_TRACEPOINT;
    append_u32(&b, n);
    for (i = 0; i < nr_events; i++)
        if (events[i].attr.type == PERF_TYPE_TRACEPOINT)
            append_format(&b, &events[i]);
    append_u32(&b, 0); /* kallsyms: the reader has them */
    strings = contents(TRACING "printk_formats");
    append_u32(&b, strings.size);
    append(&b, strings.at, strings.size);
    append_file(&b, TRACING "saved_cmdlines");
    return b;
}

static void append_string(struct blob *b, const char *text)
{
    enum { ALIGNMENT = 64 };
    uint32_t len = (strlen(text) + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    static const char zeroes[ALIGNMENT];

    append_u32(b, len);
    append(b, text, strlen(text));
    append(b, zeroes, len - strlen(text));
}

static void append_ids(struct blob *b, const struct event *e)
{
    unsigned int cpu;

    for (cpu = 0; cpu < nr_cpus; cpu++) {
        uint64_t id = 0;

        ioctl(e->fd[cpu], PERF_EVENT_IOC_ID, &id);
        append_u64(b, id);
    }
}

static struct blob event_desc(void)
{
    struct blob b = {NULL, 0};
    unsigned int i;

    append_u32(&b, nr_events);
    append_u32(&b, sizeof(struct perf_event_attr));
    for (i = 0; i < nr_events; i++) {
        append(&b, &events[i].attr, sizeof(events[i].attr));
        append_u32(&b, nr_cpus);
        append_string(&b, events[i].name);
        append_ids(&b, &events[i]);
    }
    return b;
}

/* Header, numbers of the events, their attributes, records, features. */
static void write_file(const char *path)
{
    const uint64_t attr_size = sizeof(struct perf_event_attr) + sizeof(struct section);
    uint64_t ids_at = sizeof(struct perf_header), ids_size = 8ull * nr_cpus, at;
    struct perf_header h = {"PERFILE2", sizeof(h), attr_size, {0}, {0}, {0}, {0}};
    struct blob head = {NULL, 0}, feature[4] = {{NULL, 0}};
    const unsigned int bits[] = {HEADER_TRACING_DATA, HEADER_ARCH, HEADER_NRCPUS,
                                 HEADER_EVENT_DESC};
    static char buf[PAGE_SIZE];
    unsigned int i;
    ssize_t n;
    int fd;

    h.attrs = (struct section){ids_at + nr_events * ids_size, nr_events * attr_size};
    h.data = (struct section){h.attrs.offset + h.attrs.size, collected_size};
    for (i = 0; i < ARRAY_SIZE(bits); i++)
        h.features[0] |= 1ull << bits[i];
    append(&head, &h, sizeof(h));
    for (i = 0; i < nr_events; i++)
        append_ids(&head, &events[i]);
    for (i = 0; i < nr_events; i++) {
        append(&head, &events[i].attr, sizeof(events[i].attr));
        append(&head, &(struct section){ids_at + i * ids_size, ids_size}, sizeof(struct section));
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        fail(path, fd);
    write_all(fd, head.at, head.size);
    lseek(collected, 0, SEEK_SET);
    while ((n = read(collected, buf, sizeof(buf))) > 0)
        write_all(fd, buf, n);
    feature[0] = tracing_data();
    append_string(&feature[1], "riscv64");
    append_u32(&feature[2], nr_cpus);
    append_u32(&feature[2], nr_cpus);
    feature[3] = event_desc();
    at = h.data.offset + h.data.size + ARRAY_SIZE(bits) * sizeof(struct section);
    for (i = 0; i < ARRAY_SIZE(bits); i++) {
        write_all(fd, &(struct section){at, feature[i].size}, sizeof(struct section));
        at += feature[i].size;
    }
    for (i = 0; i < ARRAY_SIZE(bits); i++)
        write_all(fd, feature[i].at, feature[i].size);
    close(fd);
}

static int perf_record(const struct options *o)
{
    pid_t pid = prepare_command(o->command), done;
    int status = 0;

    if (!nr_events)
        add_events("cycles");
    mkdir("/tmp", 0755);
    collected = open(COLLECTED, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (collected < 0)
        fail(COLLECTED, collected);
    open_samplers(o, pid);
    put_kernel();
    if (o->all)
        put_names();
    put_name(pid);
    start_command();
    do {
        nanosleep(&(struct timespec){0, POLL_NS}, NULL);
        done = waitpid(pid, &status, WNOHANG);
        drain_all();
    } while (!done);
    write_file(o->output);
    unlink(COLLECTED);
    printf("[ perf record: %lu bytes of records in %s ]\n", (unsigned long)collected_size,
           o->output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static unsigned long number(const char *text)
{
    unsigned long value;

    if (!text || kstrtoul(text, 10, &value) || !value)
        fail(text ? text : "number", -EINVAL);
    return value;
}

static int usage(void)
{
    printf(
        "usage: perf stat [-e EVENTS] [-a] CMD | perf record [-e EVENTS] [-c N | -F HZ] [-g] [-a] "
        "[-o FILE] CMD\n");
    return 1;
}

/* Returns whether the options make sense; the command follows them. */
static bool parse_options(char **argv, struct options *o)
{
    for (; *argv && **argv == '-'; argv++) {
        char letter = (*argv)[1];

        if (letter == 'a')
            o->all = true;
        else if (letter == 'g')
            o->chains = true;
        else if (!argv[1])
            return false;
        else if (letter == 'e')
            add_events(*++argv);
        else if (letter == 'c')
            o->period = number(*++argv);
        else if (letter == 'F')
            o->frequency = number(*++argv);
        else if (letter == 'o')
            o->output = *++argv;
        else
            return false;
    }
    o->command = argv;
    return *argv;
}

int main(int argc, char **argv)
{
    struct options o = {.frequency = FREQUENCY, .output = "perf.data"};

    nr_cpus = count_cpus();
    if (argc < 3 || !parse_options(argv + 2, &o))
        return usage();
    if (!strcmp(argv[1], "stat"))
        return perf_stat(&o);
    return strcmp(argv[1], "record") ? usage() : perf_record(&o);
}
