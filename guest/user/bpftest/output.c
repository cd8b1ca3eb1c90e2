/* output.c - what programs hand over by events of perf. */
#include "bpftest.h"
#include <uapi/linux/perf_event.h>

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
