/* output.c - what programs hand over: records of rings, stacks, output by events of perf. */
#include "bpftest.h"
#include <uapi/linux/perf_event.h>

/* ---- rings ---- */

/* Writes the first number of the context as a record of 12 bytes. */
static int load_writer(int ring)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, 0),
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 12),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        JMP_IMM(BPF_JEQ, R0, 0, 4),
        STX_MEM(BPF_DW, R0, R6, 0),
        MOV64_REG(R1, R0),
        MOV64_IMM(R2, 0),
        CALL(BPF_FUNC_ringbuf_submit),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* Reserves two records at once, which are larger than the ring. Returns whether it got both. */
static int load_greedy(int ring)
{
    const struct bpf_insn insns[] = {
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 4080),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        MOV64_IMM(R7, 0),
        JMP_IMM(BPF_JEQ, R0, 0, 15),
        MOV64_REG(R6, R0),
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 1992),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        JMP_IMM(BPF_JEQ, R0, 0, 5),
        ST_MEM(BPF_DW, R0, 0, -1), /* would be in the header of the first one */
        MOV64_REG(R1, R0),
        MOV64_IMM(R2, 0),
        CALL(BPF_FUNC_ringbuf_submit),
        MOV64_IMM(R7, 1),
        MOV64_REG(R1, R6),
        MOV64_IMM(R2, 0),
        CALL(BPF_FUNC_ringbuf_discard),
        MOV64_REG(R0, R7),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* A reader that says that it has read what is not written yet. */
void test_lying_reader(void)
{
    int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), prog = load_greedy(ring);
    uint64_t *consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
    uint64_t ctx[1] = {0};
    unsigned int result = 2;

    check("a program with two records", prog >= 0 && !is_error(consumer));
    *consumer = 2000;
    run(prog, ctx, 8, &result);
    check("no record is where another one is not finished, whatever the reader says", !result);
    munmap(consumer, 4096);
    close(prog);
    close(ring);
}

void test_ring(void)
{
    int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), prog = load_writer(ring), i;
    uint64_t *consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
    char *rest = mmap(NULL, 3 * 4096, PROT_READ, MAP_SHARED, ring, 4096);
    const uint64_t *producer = (const uint64_t *)rest;
    uint64_t value, sum = 0, full = 0, ctx[1];
    unsigned int result;

    check("the reader's page and the others are mapped", !is_error(consumer) && !is_error(rest));
    check("only the reader's page for writing",
          is_error(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 4096)));
    check("nor the others later",
          syscall(__NR_mprotect, rest, 3 * 4096, PROT_READ | PROT_WRITE) == -EACCES);
    for (i = 1; i <= 400; i++) {
        const char *record = rest + 4096 + *consumer % 4096;

        ctx[0] = i;
        run(prog, ctx, 8, &result);
        if (*producer == *consumer)
            full++;
        if (((const unsigned int *)record)[0] == 12) {
            memcpy(&value, record + 8, 8);
            sum += value;
        }
        *consumer += 24;
    }
    check("each record is read, also where the ring begins anew", sum == 400 * 401 / 2 && !full);
    for (i = 0; i < 300; i++)
        run(prog, ctx, 8, &result);
    check("a full ring takes no more",
          *producer - *consumer <= 4096 - 1 && *producer - *consumer > 4096 - 48);
    munmap(consumer, 4096);
    munmap(rest, 3 * 4096);
    close(prog);
    close(ring);
}

/* ---- stacks ---- */

/* Returns the number of the stack. */
static int load_stackid(int map, uint64_t flags)
{
    const struct bpf_insn insns[] = {
        LD_MAP_FD(R2, map),
        LD_IMM64(R3, flags),
        CALL(BPF_FUNC_get_stackid),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

void test_stacks(void)
{
    int map = map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 8, 64, 0);
    int kernel = load_stackid(map, 0),
        user = load_stackid(map, BPF_F_USER_STACK | BPF_F_REUSE_STACKID), i;
    unsigned int id[2], user_id; /* the map may have one place for both stacks */
    uint64_t ips[8] = {0};

    for (i = 0; i < 2; i++)
        run(kernel, NULL, 0, &id[i]);
    check("a stack has one number", id[0] < 64 && id[0] == id[1]);
    check("and addresses of the kernel",
          lookup(map, id, ips) == 0 && 0 - ips[0] < 0x80000000 && 0 - ips[1] < 0x80000000);
    run(user, NULL, 0, &user_id);
    check("the program's stack begins at its system call",
          lookup(map, &user_id, ips) == 0 && ips[0] - (unsigned long)syscall < 64);
    check("a stack is deleted once",
          delete (map, id) == 0 && delete (map, id) == -ENOENT && lookup(map, id, ips) == -ENOENT);
    check("a stack cannot be stored", update(map, id, ips, 0) == -EINVAL);
    close(kernel);
    close(user);
    close(map);
}

/* ---- output by events of perf ---- */

enum { RING_SIZE = 2 * PAGE_SIZE };

/* Hands over the first number of the context, with 4 bytes after it. */
static int load_output(int map)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, 0),       STX_MEM(BPF_DW, R10, R6, -16),
        ST_MEM(BPF_DW, R10, -8, 0),       LD_MAP_FD(R2, map),
        LD_IMM64(R3, BPF_F_CURRENT_CPU),  MOV64_REG(R4, R10),
        ALU64_IMM(BPF_ADD, R4, -16),      MOV64_IMM(R5, 12),
        CALL(BPF_FUNC_perf_event_output), EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* Reads all records of a ring of perf; the sum of their numbers. */
static uint64_t drain(struct perf_event_mmap_page *page)
{
    const char *data = (const char *)page + PAGE_SIZE;
    uint64_t sum = 0, value, i;

    while (page->data_tail != page->data_head) {
        struct perf_event_header header;
        char raw[32] = "";

        memcpy(&header, data + page->data_tail % RING_SIZE, sizeof(header));
        for (i = 0; i < header.size && i < sizeof(raw); i++)
            raw[i] = data[(page->data_tail + i) % RING_SIZE];
        memcpy(&value, raw + sizeof(header) + 4, sizeof(value));
        if (header.type == PERF_RECORD_SAMPLE && header.size == sizeof(header) + 16 &&
            raw[sizeof(header)] == 12)
            sum += value;
        page->data_tail += header.size;
    }
    return sum;
}

void test_perf_output(void)
{
    enum { HARTS = 8, RUNS = 300 };
    struct perf_event_mmap_page *page[HARTS];
    int map = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, HARTS, 0), prog = load_output(map);
    int fd[HARTS];
    unsigned int cpu, harts, i, result = 0, bad = 0;
    uint64_t ctx[1] = {1}, sum = 0;

    check("without an event there is ENOENT",
          run(prog, ctx, 8, &result) == 0 && (int)result == -ENOENT);
    for (harts = 0; harts < HARTS; harts++) {
        cpu = harts;
        fd[cpu] = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, -1, cpu);
        if (fd[cpu] < 0)
            break;
        page[cpu] =
            mmap(NULL, PAGE_SIZE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd[cpu], 0);
        bad += is_error(page[cpu]) || update(map, &cpu, &fd[cpu], 0);
    }
    check("a map holds an event of each hart", harts && !bad);
    for (i = 1; !bad && i <= RUNS; i++) {
        ctx[0] = i;
        run(prog, ctx, 8, &result);
        bad += result != 0;
        for (cpu = 0; i % 50 == 0 && cpu < harts; cpu++)
            sum += drain(page[cpu]);
    }
    check("what a program hands over is in the ring of its hart",
          !bad && sum == RUNS * (RUNS + 1) / 2);
    for (cpu = 0; cpu < harts; cpu++) {
        munmap(page[cpu], PAGE_SIZE + RING_SIZE);
        close(fd[cpu]);
    }
    close(prog);
    close(map);
}
