/*
 * perfcheck.c - perf_event_open(2): counts, groups, inheritance, rings, and the errors.
 *
 * What is counted is known from what the program does; instructions are compared with instret.
 */
#include "bpf_insn.h"
#include "bpf_syscall.h"
#include "libc.h"
#include <uapi/linux/perf_event.h>

enum { RING_PAGES = 8, EXITED = 0 };

static long perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
    if (!attr->size)
        attr->size = sizeof(*attr);
    return syscall(__NR_perf_event_open, attr, pid, cpu, group, 0);
}

static unsigned long number_in(const char *path)
{
    char text[16] = "";
    int fd = open(path, O_RDONLY, 0);

    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        printf("no %s\n", path);
    close(fd);
    return strtoul(text);
}

/* The number of an event, by its file in tracefs. */
static unsigned long tracepoint(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
    return number_in(path);
}

static uint64_t count(int fd)
{
    uint64_t value = ~0ull;

    return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ull;
}

static void getpids(int n)
{
    while (n--)
        syscall(__NR_getpid);
}

static int wait_for(pid_t pid)
{
    int status = -1;

    waitpid(pid, &status, 0);
    return status;
}

/* ---- errors ---- */

static void test_errors(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    int fd;

    attr.size = 60;
    check("a size that is too small is E2BIG, and answered by the right one",
          perf_open(&attr, 0, -1, -1) == -E2BIG && attr.size == 128);
    attr.size = 8192;
    check("so is one that is too large", perf_open(&attr, 0, -1, -1) == -E2BIG);
    check("no task and no hart is EINVAL", perf_open(&attr, -1, -1, -1) == -EINVAL);
    check("a hart that is not there is EINVAL", perf_open(&attr, 0, 99, -1) == -EINVAL);
    check("a task that is not there is ESRCH", perf_open(&attr, 99999, -1, -1) == -ESRCH);
    check("a group that is no event is EBADF", perf_open(&attr, 0, -1, 1) == -EBADF);
    attr.type = 77;
    check("an unknown type is ENOENT", perf_open(&attr, 0, -1, -1) == -ENOENT);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = 60000;
    check("an unknown tracepoint is EINVAL", perf_open(&attr, 0, -1, -1) == -EINVAL);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_MAX;
    check("an unknown software event is ENOENT", perf_open(&attr, 0, -1, -1) == -ENOENT);
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.freq = 1;
    attr.sample_freq = 10000000;
    check("a frequency above the limit is EINVAL", perf_open(&attr, 0, -1, -1) == -EINVAL);
    attr.freq = 0;
    attr.sample_freq = 0;
    attr.sample_type = PERF_SAMPLE_MAX;
    check("an unknown sample type is EINVAL", perf_open(&attr, 0, -1, -1) == -EINVAL);
    attr.sample_type = 0;
    fd = perf_open(&attr, 0, -1, -1);
    check("a dummy event can be opened", fd >= 0);
    check("an unknown ioctl is ENOTTY", ioctl(fd, 0x2499, NULL) == -ENOTTY);
    check("a filter of no tracepoint is EINVAL",
          ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (void *)"a == 1") == -EINVAL);
    check("a period of what does not sample is EINVAL",
          ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){5}) == -EINVAL);
    check("a read into too little is ENOSPC", read(fd, &attr, 4) == -ENOSPC);
    check("a mapping of three pages is EINVAL",
          is_error(mmap(NULL, 4 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)));
    close(fd);
}

/* ---- counting ---- */

static void test_tracepoint(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .disabled = 1};
    uint64_t id = 0, other = 0;
    int fd;

    attr.config = tracepoint("raw_syscalls/sys_enter");
    fd = perf_open(&attr, 0, -1, -1);
    check("an event that is off counts nothing", (getpids(3), count(fd)) == 0);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    getpids(10);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    /* The two ioctls: of the first only the return is after the event is on. */
    check("raw_syscalls/sys_enter counts each call", count(fd) == 11);
    ioctl(fd, PERF_EVENT_IOC_RESET, NULL);
    check("reset sets it to 0", count(fd) == 0);
    ioctl(fd, PERF_EVENT_IOC_ID, &id);
    close(fd);
    attr.config = tracepoint("syscalls/sys_enter_getpid");
    fd = perf_open(&attr, 0, -1, -1);
    ioctl(fd, PERF_EVENT_IOC_ID, &other);
    check("each event has a number of its own", id && other && id != other);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    getpids(7);
    syscall(__NR_gettid);
    check("syscalls/sys_enter_getpid counts that call", count(fd) == 7);
    close(fd);
    attr.disabled = 0;
    attr.config = tracepoint("raw_syscalls/sys_enter");
    fd = perf_open(&attr, 0, -1, -1);
    check("a filter that is wrong is EINVAL",
          ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (void *)"nothing == 1") == -EINVAL);
    check("a filter can be set", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (void *)"id == 178") == 0);
    ioctl(fd, PERF_EVENT_IOC_RESET, NULL);
    getpids(5);
    syscall(__NR_gettid);
    check("a filter leaves the others out", count(fd) == 1);
    close(fd);
}

static void test_software(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE};
    volatile char *pages;
    uint64_t before, clock;
    int fd, i;

    attr.config = PERF_COUNT_SW_PAGE_FAULTS;
    fd = perf_open(&attr, 0, -1, -1);
    pages = mmap(NULL, 16 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    before = count(fd);
    for (i = 0; i < 16; i++)
        pages[i * PAGE_SIZE] = 1;
    check("page-faults counts each new page", count(fd) - before == 16);
    close(fd);
    attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    fd = perf_open(&attr, 0, -1, -1);
    before = count(fd);
    for (i = 0; i < 4; i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    check("context-switches counts sleeps", count(fd) - before >= 4);
    close(fd);
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    fd = perf_open(&attr, 0, -1, -1);
    before = count(fd);
    clock = clock_ns();
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    clock = clock_ns() - clock;
    check("task-clock stands still while the task sleeps",
          count(fd) - before < clock / 4 && count(fd) > before);
    close(fd);
}

/* What the event counts while two instructions are executed n times. */
static uint64_t count_of_loop(int fd, unsigned long n)
{
    uint64_t before = count(fd);

    __asm__ __volatile__("1: addi %0, %0, -1\n"
                         "bnez %0, 1b"
                         : "+r"(n));
    return count(fd) - before;
}

static void test_hardware(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1};
    int fd = perf_open(&attr, 0, -1, -1);
    uint64_t one = count_of_loop(fd, 1000000), two = count_of_loop(fd, 2000000);

    check("instructions of the program are counted exactly, and none of the kernel",
          two - one == 2000000);
    check("the same instructions are counted the same", count_of_loop(fd, 1000000) == one);
    close(fd);
    attr.config = PERF_COUNT_HW_MAX;
    check("an unknown hardware event is EINVAL", perf_open(&attr, 0, -1, -1) == -EINVAL);
}

static unsigned long read_cycle(void)
{
    unsigned long value;

    __asm__ __volatile__("rdcycle %0" : "=r"(value));
    return value;
}

/* With any firmware: there may be no filters, so the kernel's ticks are counted, too. */
static void test_counters(void)
{
    enum { LOOPS = 1000000 };
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS};
    int fd = perf_open(&attr, 0, -1, -1), cycles, more;
    uint64_t insns = count_of_loop(fd, LOOPS), passed;
    unsigned long before;

    check("a counter counts the instructions of a loop",
          insns >= 2ul * LOOPS && insns < 2ul * LOOPS + LOOPS / 5);
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    cycles = perf_open(&attr, 0, -1, -1);
    more = perf_open(&attr, 0, -1, -1);
    before = read_cycle();
    passed = count_of_loop(cycles, LOOPS);
    check("another its cycles", passed >= LOOPS && passed <= read_cycle() - before);
    check("so does a second one of the same event", count(more) >= passed);
    close(more);
    close(cycles);
    close(fd);
    before = read_cycle();
    check("without events the register goes on", read_cycle() > before);
}

static void test_group(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
                                   .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
                                                  PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING,
                                   .disabled = 1};
    uint64_t v[16] = {0}, id = 0;
    int leader, other;

    attr.config = tracepoint("syscalls/sys_enter_getpid");
    leader = perf_open(&attr, 0, -1, -1);
    attr.disabled = 0;
    attr.config = tracepoint("syscalls/sys_exit_gettid");
    other = perf_open(&attr, 0, -1, leader);
    check("a member of a group can be opened", other >= 0);
    check("it cannot lead another", perf_open(&attr, 0, -1, other) == -EINVAL);
    syscall(__NR_gettid);
    ioctl(leader, PERF_EVENT_IOC_ENABLE, NULL);
    getpids(6);
    syscall(__NR_gettid);
    ioctl(leader, PERF_EVENT_IOC_DISABLE, NULL);
    syscall(__NR_gettid);
    ioctl(other, PERF_EVENT_IOC_ID, &id);
    check("a group is read at once", read(leader, v, sizeof(v)) == 7 * 8 && v[0] == 2);
    check("its members are on while the leader is", v[3] == 6 && v[5] == 1 && v[6] == id);
    check("it has run as long as it was on", v[1] && v[1] == v[2]);
    close(leader);
    close(other);
}

static void test_inherit(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .inherit = 1};
    int fd, alone;
    pid_t pid;

    attr.config = tracepoint("syscalls/sys_enter_getpid");
    fd = perf_open(&attr, 0, -1, -1);
    attr.inherit = 0;
    alone = perf_open(&attr, 0, -1, -1);
    pid = fork();
    if (!pid) {
        getpids(20);
        pid = fork();
        if (!pid)
            getpids(300);
        else
            wait_for(pid);
        _exit(EXITED);
    }
    wait_for(pid);
    getpids(1);
    check("an event that is inherited counts children and theirs", count(fd) == 321);
    check("one that is not does not", count(alone) == 1);
    close(fd);
    close(alone);
}

/* Another task, which is in the kernel when the event comes. */
static void test_other_task(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT};
    int go[2], fd;
    pid_t pid;
    char c;

    pipe(go);
    pid = fork();
    if (!pid) {
        read(go[0], &c, 1);
        getpids(50);
        _exit(EXITED);
    }
    attr.config = tracepoint("syscalls/sys_enter_getpid");
    fd = perf_open(&attr, pid, -1, -1);
    write(go[1], "", 1);
    wait_for(pid);
    check("an event counts another task, and can be read after its end", count(fd) == 50);
    close(fd);
    fd = perf_open(&attr, -1, 0, -1);
    check("an event of a hart can be opened", fd >= 0 && count(fd) == 0);
    close(fd);
    close(go[0]);
    close(go[1]);
}

/* ---- rings ---- */

struct ring {
    struct perf_event_mmap_page *page;
    const char *data;
    uint64_t size;
};

static struct ring map_ring(int fd, int pages)
{
    void *at = mmap(NULL, (1 + pages) * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (is_error(at))
        return (struct ring){NULL, NULL, 0};
    return (struct ring){at, (const char *)at + PAGE_SIZE, (uint64_t)pages * PAGE_SIZE};
}

static void unmap_ring(struct ring *ring)
{
    munmap(ring->page, PAGE_SIZE + ring->size);
}

/* The next record, into buf; 0: there is none. */
static unsigned int next_record(struct ring *ring, void *buf)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail;
    struct perf_event_header *header = buf;
    unsigned int i;

    if (head == tail)
        return 0;
    for (i = 0; i < sizeof(*header) || i < header->size; i++)
        ((char *)buf)[i] = ring->data[(tail + i) % ring->size];
    __atomic_store_n(&ring->page->data_tail, tail + header->size, __ATOMIC_RELEASE);
    return header->size;
}

static uint64_t record[512];

static const struct perf_event_header *next_of(struct ring *ring, unsigned int type)
{
    const struct perf_event_header *header = (void *)record;

    while (next_record(ring, record))
        if (header->type == type)
            return header;
    return NULL;
}

static void test_samples(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
                                   .sample_period = 1,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                  PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                                                  PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
                                   .wakeup_events = 1};
    struct {
        int fd;
        short events, revents;
    } wait;
    uint64_t last = 0;
    struct ring ring;
    bool good = true;
    int fd, n = 0;

    attr.config = tracepoint("syscalls/sys_enter_getpid");
    fd = perf_open(&attr, 0, -1, -1);
    ring = map_ring(fd, RING_PAGES);
    check("a ring can be mapped", ring.page != NULL);
    if (!ring.page)
        return;
    check("its first page says where the data is",
          ring.page->data_offset == PAGE_SIZE && ring.page->data_size == ring.size);
    getpids(5);
    while (next_of(&ring, PERF_RECORD_SAMPLE)) {
        const uint32_t *pair = (const uint32_t *)&record[2];
        const uint32_t *raw = (const uint32_t *)&record[6];

        good &= pair[0] == (uint32_t)getpid() && record[3] > last && record[5] == 1;
        good &= *raw >= 12 && ((const uint16_t *)(raw + 1))[0] == attr.config;
        last = record[3];
        if (++n == 5)
            break;
    }
    check("each event is a sample, in order of time", n == 5 && good);
    wait.fd = fd;
    wait.events = 1;
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    check("poll says that there is something to read",
          syscall(__NR_ppoll, &wait, 1, &(struct timespec){0, 0}, NULL, 0) == 1 &&
              wait.revents == 1);
    while (next_of(&ring, PERF_RECORD_SAMPLE)) {
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    ioctl(fd, PERF_EVENT_IOC_REFRESH, (void *)3);
    getpids(10);
    for (n = 0; next_of(&ring, PERF_RECORD_SAMPLE);)
        n++;
    check("after REFRESH it samples so often", n == 3);
    unmap_ring(&ring);
    close(fd);
}

static void test_hardware_samples(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1,
                                   .sample_period = 10000,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD};
    const struct perf_event_header *header;
    volatile unsigned int sum = 0;
    struct ring ring;
    bool good = true;
    unsigned int i;
    int fd = perf_open(&attr, 0, -1, -1), n = 0;
    uint64_t counted;

    ring = map_ring(fd, RING_PAGES);
    for (i = 0; i < 100000; i++)
        sum += i;
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    counted = count(fd);
    for (; (header = next_of(&ring, PERF_RECORD_SAMPLE)); n++)
        good &= header->misc == PERF_RECORD_MISC_USER && record[1] < 1ull << 38 &&
                record[2] == attr.sample_period;
    check("a counter samples once each period", n && n == (int)(counted / attr.sample_period));
    check("what it samples is the program", good);
    unmap_ring(&ring);
    close(fd);
}

/* The registers and the stack of the program, at a call that it makes. */
static void test_lost(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
                                   .sample_period = 1,
                                   .sample_type = PERF_SAMPLE_TIME,
                                   .read_format = PERF_FORMAT_LOST};
    uint64_t v[2] = {0};
    struct ring ring;
    int fd, n = 0;

    attr.config = tracepoint("syscalls/sys_enter_getpid");
    fd = perf_open(&attr, 0, -1, -1);
    ring = map_ring(fd, 1);
    getpids(1000);
    while (next_of(&ring, PERF_RECORD_SAMPLE))
        n++;
    check("a full ring keeps what it has", n == PAGE_SIZE / 16 - 1);
    getpids(1);
    check("the next record says how many were lost",
          next_of(&ring, PERF_RECORD_LOST) && record[2] == 1000u - n);
    check("so does read()", read(fd, v, sizeof(v)) == 16 && v[0] == 1001 && v[1] == 1000u - n);
    unmap_ring(&ring);
    close(fd);
}

static void test_output(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT, .sample_period = 1, .sample_type = PERF_SAMPLE_TIME};
    struct ring ring;
    int first, second, n = 0;

    attr.config = tracepoint("syscalls/sys_enter_getpid");
    first = perf_open(&attr, 0, -1, -1);
    second = perf_open(&attr, 0, -1, -1);
    check("a ring of an event that has none is EINVAL",
          ioctl(second, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)first) == -EINVAL);
    ring = map_ring(first, 1);
    check("an event can write to another's ring",
          ioctl(second, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)first) == 0);
    getpids(4);
    while (next_of(&ring, PERF_RECORD_SAMPLE))
        n++;
    check("both do", n == 8);
    unmap_ring(&ring);
    getpids(4);
    ring = map_ring(second, 1);
    check("without a mapping neither has a ring, and each can have one of its own",
          ring.page && !next_of(&ring, PERF_RECORD_SAMPLE));
    getpids(4);
    for (n = 0; next_of(&ring, PERF_RECORD_SAMPLE);)
        n++;
    check("to which only it writes", n == 4);
    unmap_ring(&ring);
    close(first);
    close(second);
}

static void test_clock_samples(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .freq = 1,
                                   .sample_freq = 1000,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN};
    uint64_t start = clock_ns();
    struct ring ring;
    int fd = perf_open(&attr, 0, -1, -1), n = 0, chains = 0;

    ring = map_ring(fd, RING_PAGES);
    while (clock_ns() - start < 40000000) {
    }
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    while (next_of(&ring, PERF_RECORD_SAMPLE)) {
        n++;
        chains +=
            record[2] >= 2 && (record[3] == PERF_CONTEXT_USER || record[3] == PERF_CONTEXT_KERNEL);
    }
    check("a clock samples about as often as asked for", n > 20 && n <= 42);
    check("each sample has its callers", chains == n);
    unmap_ring(&ring);
    close(fd);
}

static void test_records(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
                                   .sample_id_all = 1,
                                   .mmap = 1,
                                   .mmap2 = 1,
                                   .comm = 1,
                                   .task = 1,
                                   .comm_exec = 1,
                                   .inherit = 1};
    bool forked = false, named = false, mapped = false, ended = false;
    const struct perf_event_header *header = (void *)record;
    const uint32_t *who = (const uint32_t *)&record[1];
    struct ring ring;
    pid_t pid;
    int fd;

    fd = perf_open(&attr, 0, 0, -1);
    ring = map_ring(fd, RING_PAGES);
    syscall(__NR_sched_setaffinity, 0, 8, &(unsigned long){1});
    pid = fork();
    if (!pid) {
        execve("/bin/hello", (char *[]){"hello", NULL}, (char *[]){NULL});
        _exit(1);
    }
    wait_for(pid);
    while (next_record(&ring, record)) {
        if (who[0] != (uint32_t)pid)
            continue;
        forked |= header->type == PERF_RECORD_FORK && who[1] == (uint32_t)getpid();
        named |= header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC &&
                 !strcmp((const char *)&record[2], "hello");
        mapped |=
            header->type == PERF_RECORD_MMAP2 && !strcmp((const char *)&record[9], "/bin/hello");
        ended |= header->type == PERF_RECORD_EXIT;
    }
    check("fork, exec and exit of a child are recorded", forked && named && ended);
    check("and what it maps, with the file's name", mapped);
    unmap_ring(&ring);
    close(fd);
    syscall(__NR_sched_setaffinity, 0, 8, &(unsigned long){~0ul});
}

/* ---- the text of programs in BPF ---- */

static int load_bpf(const char *jit)
{
    static const struct bpf_insn insns[] = {MOV64_IMM(R0, 3), EXIT()};
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT};
    int fd = open("/proc/sys/net/core/bpf_jit_enable", O_WRONLY, 0);

    write(fd, jit, 1);
    close(fd);
    attr.insns = (unsigned long)insns;
    attr.insn_cnt = ARRAY_SIZE(insns);
    attr.license = (unsigned long)"GPL";
    memcpy(attr.prog_name, "three", 6);
    return bpf(BPF_PROG_LOAD, &attr);
}

/* What the program is, and where its text. */
static struct bpf_prog_info info_of(int fd, uint64_t *address)
{
    struct bpf_prog_info info = {.nr_jited_ksyms = 1};
    union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = sizeof(info)}};

    info.jited_ksyms = (unsigned long)address;
    attr.info.info = (unsigned long)&info;
    bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
    return info;
}

/* The next record is a function's, which comes or goes. */
static bool next_is_ksymbol(struct ring *ring, uint64_t address, uint32_t len, bool goes)
{
    const struct perf_event_header *header = next_of(ring, PERF_RECORD_KSYMBOL);

    return header && record[1] == address && (uint32_t)record[2] == len &&
           record[2] >> 32 == (PERF_RECORD_KSYMBOL_TYPE_BPF | (uint64_t)goes << 16);
}

static void test_bpf_records(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
                                   .sample_id_all = 1,
                                   .ksymbol = 1};
    int fd = perf_open(&attr, 0, -1, -1), prog = load_bpf("1");
    struct ring ring = map_ring(fd, RING_PAGES);
    struct bpf_prog_info info;
    uint64_t address = 0;
    char name[64];
    unsigned int i, n;

    close(prog);
    prog = load_bpf("1");
    info = info_of(prog, &address);
    n = snprintf(name, sizeof(name), "bpf_prog_");
    for (i = 0; i < sizeof(info.tag); i++)
        n += snprintf(name + n, sizeof(name) - n, "%02x", info.tag[i]);
    snprintf(name + n, sizeof(name) - n, "_three");
    /* That of the first was lost: there was no ring. Its end was recorded. */
    check("the end of a compiled program is recorded",
          next_of(&ring, PERF_RECORD_KSYMBOL) && record[2] >> 48 == 1);
    check("so is the text of one that is loaded",
          next_is_ksymbol(&ring, address, info.jited_prog_len, false) && address);
    check("with its name", !strcmp((const char *)&record[3], name));
    close(prog);
    check("when it is closed, its text goes",
          next_is_ksymbol(&ring, address, info.jited_prog_len, true) &&
              !strcmp((const char *)&record[3], name));
    close(fd);
    unmap_ring(&ring);
    fd = perf_open(&attr, 0, -1, -1);
    ring = map_ring(fd, RING_PAGES);
    prog = load_bpf("0");
    close(prog);
    check("an interpreted one has a record without a length",
          next_of(&ring, PERF_RECORD_KSYMBOL) && !(uint32_t)record[2] &&
              next_of(&ring, PERF_RECORD_KSYMBOL));
    unmap_ring(&ring);
    close(fd);
}

/* ---- kprobes that are in no file ---- */

/* The address of a function of the kernel; 0: it is not there. */
static unsigned long address_of(const char *name)
{
    static char text[PAGE_SIZE + 1];
    unsigned long address = 0, len = strlen(name);
    int fd = open("/proc/kallsyms", O_RDONLY, 0);
    ssize_t rest = 0, n;

    while (!address && (n = read(fd, text + rest, PAGE_SIZE - rest)) > 0) {
        char *line = text, *end;

        text[rest + n] = 0;
        for (; !address && (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (!strncmp(line + 19, name, len) && (!line[19 + len] || line[19 + len] == '\t')) {
                line[16] = 0;
                (void)!kstrtoul(line, 16, &address);
            }
        }
        rest = strlen(line);
        memmove(text, line, rest);
    }
    close(fd);
    return address;
}

static void test_kprobes(void)
{
    struct perf_event_attr attr = {.inherit = 1};
    int fd, back, by_address;
    pid_t child;

    attr.type = number_in("/sys/bus/event_source/devices/kprobe/type");
    check("a probe without a place is EINVAL", perf_open(&attr, 0, -1, -1) == -EINVAL);
    attr.kprobe_func = 8;
    check("a name that cannot be read is EFAULT", perf_open(&attr, 0, -1, -1) == -EFAULT);
    attr.kprobe_func = (unsigned long)"no_such_function";
    check("an unknown function is ENOENT", perf_open(&attr, 0, -1, -1) == -ENOENT);
    attr.kprobe_func = (unsigned long)"__riscv_sys_getpid";
    fd = perf_open(&attr, 0, -1, -1);
    attr.config = 1;
    attr.probe_offset = 4;
    check("a return is of a whole function", perf_open(&attr, 0, -1, -1) == -EINVAL);
    attr.probe_offset = 0;
    back = perf_open(&attr, 0, -1, -1);
    getpids(7);
    check("a kprobe counts calls", count(fd) == 7);
    attr.config = 0;
    attr.kprobe_func = 0;
    attr.kprobe_addr = address_of("__riscv_sys_getpid");
    by_address = perf_open(&attr, 0, -1, -1);
    getpids(3);
    check("a kprobe at an address counts them, too", count(by_address) == 3);
    close(by_address);
    attr.kprobe_addr = 64;
    check("an address of no function is ENOENT", perf_open(&attr, 0, -1, -1) == -ENOENT);
    check("and a kretprobe returns", count(back) == 10);
    child = fork();
    if (!child) {
        getpids(4);
        _exit(0);
    }
    wait_for(child);
    check("those of children, too", count(fd) == 14 && count(back) == 14);
    close(fd);
    getpids(1);
    check("each is a probe of its own", count(back) == 15);
    close(back);
}

/* `hardware`: with counters that know modes and interrupt; `counters`: with others, too. */
int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "hardware")) {
        test_hardware();
        test_hardware_samples();
        return check_result();
    }
    if (argc > 1 && !strcmp(argv[1], "counters")) {
        test_counters();
        return check_result();
    }
    test_errors();
    test_tracepoint();
    test_software();
    test_group();
    test_inherit();
    test_other_task();
    test_samples();
    test_lost();
    test_output();
    test_clock_samples();
    test_records();
    test_bpf_records();
    test_kprobes();
    return check_result();
}
