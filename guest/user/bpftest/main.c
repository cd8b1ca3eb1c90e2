/*
 * main.c - bpf(2): maps, the verifier's verdicts, running programs, and programs at events.
 *
 *     bpftest [verdicts]    verdicts: only prints what the kernel does with each program of
 * bpf_cases.h
 *
 * Uses nothing but Linux's system calls, so that Linux can be asked, too.
 */
#include "bpftest.h"
#include <uapi/linux/perf_event.h>

char log_text[16384];

int prog_load(unsigned int type, const struct bpf_insn *insns, unsigned int len)
{
    union bpf_attr attr = {.prog_type = type};

    attr.insns = (unsigned long)insns;
    attr.insn_cnt = len;
    attr.license = (unsigned long)"GPL";
    attr.log_level = 1;
    attr.log_size = sizeof(log_text);
    attr.log_buf = (unsigned long)log_text;
    memcpy(attr.prog_name, "test", 5);
    log_text[0] = 0;
    return bpf(BPF_PROG_LOAD, &attr);
}

int run(int fd, uint64_t *ctx, unsigned int size, unsigned int *result)
{
    union bpf_attr attr = {.test = {.prog_fd = fd, .ctx_size_in = size}};
    int err;

    attr.test.ctx_in = (unsigned long)ctx;
    err = bpf(BPF_PROG_TEST_RUN, &attr);
    *result = attr.test.retval;
    return err;
}

/* Counts in element 0 of a map the calls of getpid() by this task. */
int load_counter(int map, int pid)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, 8),
        JMP_IMM(BPF_JNE, R6, __NR_getpid, 12),
        CALL(BPF_FUNC_get_current_pid_tgid),
        ALU64_IMM(BPF_RSH, R0, 32),
        JMP_IMM(BPF_JNE, R0, pid, 9),
        COUNT_IN(map),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

void call_getpid(int n)
{
    while (n-- > 0)
        getpid();
}

int open_event(unsigned int type, uint64_t config, pid_t pid, int cpu)
{
    struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config};

    attr.sample_period = 1;
    attr.sample_type = PERF_SAMPLE_RAW;
    attr.wakeup_events = 1;
    return syscall(__NR_perf_event_open, &attr, pid, cpu, -1, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "verdicts")) {
        show_verdicts();
        return 0;
    }
    test_array();
    test_hash();
    test_load_errors();
    test_cases();
    test_raw_tracepoint();
    test_trace_printk();
    test_perf_events();
    test_overflow();
    test_decision();
    test_kprobe();
    test_kprobes();
    test_perf_output();
    test_limit();
    return check_result();
}
