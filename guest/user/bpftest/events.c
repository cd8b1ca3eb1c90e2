/* events.c - programs at tracepoints and at events of perf. */
#include "bpftest.h"
#include <uapi/linux/perf_event.h>

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/"

/* ---- at events ---- */

void test_raw_tracepoint(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), pid = getpid();
    int prog = load_counter(map, pid), link, other;
    unsigned int key = 0;
    uint64_t count = 0;

    check("a program that counts is accepted", prog >= 0);
    check("an event that does not exist is ENOENT",
          raw_tracepoint_open(prog, "sys_nothing") == -ENOENT);
    check("an event with fewer arguments than are read is EINVAL",
          raw_tracepoint_open(prog, "rcu_utilization") == -EINVAL);
    link = raw_tracepoint_open(prog, "sys_enter");
    check("a program is attached to an event", link >= 0);
    check("but not twice", raw_tracepoint_open(prog, "sys_enter") == -EEXIST);
    call_getpid(100);
    check("it counts each call", lookup(map, &key, &count) == 0 && count == 100);
    close(prog);
    call_getpid(10);
    check("the link keeps the program", lookup(map, &key, &count) == 0 && count == 110);
    other = load_counter(map, pid);
    close(raw_tracepoint_open(other, "sys_enter"));
    call_getpid(10);
    check("a closed link runs no program", lookup(map, &key, &count) == 0 && count == 120);
    close(link);
    call_getpid(10);
    check("without links nothing is counted", lookup(map, &key, &count) == 0 && count == 120);
    close(other);
    close(map);
}

static bool trace_has(const char *text)
{
    static char buf[65536];
    int fd = open("/sys/kernel/tracing/trace", O_RDONLY, 0);
    long n, used = 0;

    while (used < (long)sizeof(buf) - 1 && (n = read(fd, buf + used, sizeof(buf) - 1 - used)) > 0)
        used += n;
    close(fd);
    buf[used] = 0;
    return strstr(buf, text);
}

void test_trace_printk(void)
{
    /* "%d s= %s" */
    const struct bpf_insn insns[] = {
        LD_IMM64(R1, 0x7325203d73206425),
        STX_MEM(BPF_DW, R10, R1, -16),
        MOV64_IMM(R1, 0),
        STX_MEM(BPF_DW, R10, R1, -8),
        LD_IMM64(R1, 0x636261),
        STX_MEM(BPF_DW, R10, R1, -24),
        MOV64_REG(R1, R10),
        ALU64_IMM(BPF_ADD, R1, -16),
        MOV64_IMM(R2, 16),
        MOV64_IMM(R3, 42),
        MOV64_REG(R4, R10),
        ALU64_IMM(BPF_ADD, R4, -24),
        CALL(BPF_FUNC_trace_printk),
        EXIT(),
    };
    int prog = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
    int other = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns)), link;
    unsigned int result = 0;

    check("a program that prints is accepted", prog >= 0);
    link = raw_tracepoint_open(other, "bpf_trace_printk");
    run(prog, NULL, 0, &result);
    check("also while another one prints at that event", link >= 0 && result == 9);
    close(link);
    close(other);
    result = 0;
    run(prog, NULL, 0, &result);
    check("its message has a length", result == 9);
    check("and is in the trace", trace_has("bpf_trace_printk: 42 s= abc"));
    close(prog);
}

/* ---- at events of perf ---- */

static long read_number(const char *path)
{
    char buf[32] = "";
    int fd = open(path, O_RDONLY, 0);

    read(fd, buf, sizeof(buf) - 1);
    close(fd);
    return strtoul(buf);
}

/* Adds the number at this offset of the context to element 0 of a map; the event is not recorded.
 */
static int load_adder(unsigned int type, int map, int off)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, off),
        ST_MEM(BPF_W, R10, -4, 0),
        MOV64_REG(R2, R10),
        ALU64_IMM(BPF_ADD, R2, -4),
        LD_MAP_FD(R1, map),
        CALL(BPF_FUNC_map_lookup_elem),
        JMP_IMM(BPF_JEQ, R0, 0, 1),
        ATOMIC_OP(BPF_DW, BPF_ADD, R0, R6, 0),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(type, insns, ARRAY_SIZE(insns));
}

void test_perf_events(void)
{
    long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_close/id");
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    int prog = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 16);
    int far = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 24);
    int event = open_event(PERF_TYPE_TRACEPOINT, id, getpid(), -1);
    unsigned int key = 0;
    uint64_t sum = 0;

    check("the event of a system call is opened", event >= 0 && prog >= 0 && far >= 0);
    check("a program that reads beyond its entry is EACCES",
          syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, far) == -EACCES);
    check("a program is attached to the event",
          syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, prog) == 0);
    check("only one", syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, prog) == -EEXIST);
    close(1000);
    close(2000);
    check("it gets the arguments of the call", lookup(map, &key, &sum) == 0 && sum == 3000);
    sum = 0;
    close(event);
    update(map, &key, &sum, 0);
    close(5000);
    check("a closed event runs no program", lookup(map, &key, &sum) == 0 && sum == 0);
    close(far);
    close(prog);
    close(map);
}

/* ---- at the overflow of a counter ---- */

enum { PERIOD = 5000, SPINS = 100000 };

static int open_counter(bool inherit)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof(attr)};

    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.sample_period = PERIOD;
    attr.sample_type = PERF_SAMPLE_IP;
    attr.exclude_kernel = 1;
    attr.disabled = 1;
    attr.inherit = inherit;
    return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}

/* More than SPINS instructions. */
static void spin(void)
{
    volatile unsigned int n = SPINS;

    while (n)
        n--;
}

static uint64_t count(int fd)
{
    uint64_t value = 0;

    read(fd, &value, sizeof(value));
    return value;
}

void test_overflow(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), fd = open_counter(true), status;
    int wrong = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 16);
    int prog = load_adder(BPF_PROG_TYPE_PERF_EVENT, map,
                          offsetof(struct bpf_perf_event_data, sample_period));
    uint64_t sum = 0, both = 0;
    unsigned int key = 0;
    pid_t child;

    check("a program of a tracepoint is none of a counter",
          ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)wrong) == -EINVAL);
    check("one of type perf_event is", ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog) == 0);
    check("a counter has one program",
          ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog) == -EEXIST);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    spin();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    check("it runs at each overflow, and gets the period",
          lookup(map, &key, &sum) == 0 && sum >= SPINS && sum == count(fd) / PERIOD * PERIOD);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    child = fork();
    if (!child) {
        spin();
        _exit(0);
    }
    waitpid(child, &status, 0);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    check("and in children, whose counters are inherited",
          lookup(map, &key, &both) == 0 && both - sum >= SPINS && !(both % PERIOD));
    close(prog);
    close(fd);
    close(wrong);
    close(map);
}

/* A program that returns 0 or 1 at each overflow: how many bytes of samples are there? */
static uint64_t recorded(int result, uint64_t *overflows)
{
    const struct bpf_insn insns[] = {MOV64_IMM(R0, result), EXIT()};
    int prog = prog_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns));
    int fd = open_counter(false);
    struct perf_event_mmap_page *page =
        mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t bytes;

    ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog);
    close(prog);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    spin();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    bytes = page->data_head;
    *overflows = count(fd) / PERIOD;
    munmap(page, 2 * PAGE_SIZE);
    close(fd);
    return bytes;
}

void test_decision(void)
{
    enum { SAMPLE_BYTES = sizeof(struct perf_event_header) + 8 };
    uint64_t overflows = 0;

    check("a sample is not recorded if the program returns 0",
          recorded(0, &overflows) == 0 && overflows >= SPINS / PERIOD);
    check("and is if it returns 1", recorded(1, &overflows) == overflows * SAMPLE_BYTES);
}

/* ---- at a kprobe of perf's own ---- */

void test_kprobe(void)
{
    struct perf_event_attr attr = {.type = read_number(KPROBE_PMU "type"), .size = sizeof(attr)};
    enum { A0 = 10 * 8 }; /* of pt_regs */
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    int prog = load_adder(BPF_PROG_TYPE_KPROBE, map, A0), fd;
    unsigned int key = 0;
    uint64_t sum = 0;

    attr.kprobe_func = (unsigned long)"close_fd";
    attr.sample_period = 1;
    fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
    check("a program is attached to a probe that is in no file",
          ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog) == 0);
    close(1000);
    close(2000);
    check("it gets the registers", lookup(map, &key, &sum) == 0 && sum == 3000);
    close(fd);
    close(prog);
    close(map);
}

/* ---- probes ---- */

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND, 0);

    write(fd, text, strlen(text));
    close(fd);
}

/* The sum of this word of the registers over a number of calls, added by a program. */
static uint64_t probe_getpid(const char *event, int off, int calls)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    int prog = load_adder(BPF_PROG_TYPE_KPROBE, map, off), fd;
    unsigned int key = 0;
    uint64_t sum = 0;
    char path[80];

    snprintf(path, sizeof(path), "/sys/kernel/tracing/events/kprobes/%s/id", event);
    fd = open_event(PERF_TYPE_TRACEPOINT, read_number(path), getpid(), -1);
    if (syscall(__NR_ioctl, fd, PERF_EVENT_IOC_SET_BPF, prog) == 0)
        call_getpid(calls);
    close(fd);
    call_getpid(3);
    lookup(map, &key, &sum);
    close(prog);
    close(map);
    return sum;
}

void test_kprobes(void)
{
    enum { PC = 0, A0 = 80 };
    uint64_t pc;

    write_text("/sys/kernel/tracing/kprobe_events", "p:bpf_in __riscv_sys_getpid");
    write_text("/sys/kernel/tracing/kprobe_events", "r:bpf_out __riscv_sys_getpid");
    pc = probe_getpid("bpf_in", PC, 1);
    check("a program at a probe gets the registers there",
          0 - pc < 0x80000000 && probe_getpid("bpf_in", PC, 10) == 10 * pc);
    check("one at a function's end gets the result",
          probe_getpid("bpf_out", A0, 10) == 10u * getpid());
    write_text("/sys/kernel/tracing/kprobe_events", "-:bpf_in");
    write_text("/sys/kernel/tracing/kprobe_events", "-:bpf_out");
}

/* ---- the limit of programs at an event ---- */

/* A program of its own for each: one cannot be there twice. */
static int add_program(long id)
{
    static const struct bpf_insn insns[] = {MOV64_IMM(R0, 1), EXIT()};
    int prog = prog_load(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
    int fd = open_event(PERF_TYPE_TRACEPOINT, id, getpid(), -1);
    int err = syscall(__NR_ioctl, fd, PERF_EVENT_IOC_SET_BPF, prog);

    close(prog);
    if (err)
        close(fd);
    return err ? err : fd;
}

/* Two processes share the descriptors that it takes. */
void test_limit(void)
{
    enum { LIMIT = 64, THEIRS = 40 };
    long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_getpid/id");
    int ready[2], done[2], i, fd = 0, status;
    char c = 1;
    pid_t pid;

    pipe(ready);
    pipe(done);
    pid = fork();
    if (pid == 0) {
        close(done[1]);
        for (i = 0; i < THEIRS && fd >= 0; i++)
            fd = add_program(id);
        c = fd >= 0;
        write(ready[1], &c, 1);
        read(done[0], &c, 1);
        _exit(0);
    }
    close(done[0]);
    read(ready[0], &c, 1);
    for (i = 0; fd >= 0 && i <= LIMIT - THEIRS; i++)
        fd = add_program(id);
    check("an event has 64 programs, and the next one is E2BIG",
          c && fd == -E2BIG && i == LIMIT - THEIRS + 1);
    close(done[1]);
    waitpid(pid, &status, 0);
    check("when others are gone there is room", add_program(id) >= 0);
    close(ready[0]);
    close(ready[1]);
}
