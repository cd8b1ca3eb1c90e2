/*
 * bpfverdicts.c - what bpf(2) says of each program of bpf_cases.h, a line each: `verdict NAME:
 * rejected`, or `accepted` and the result. Uses nothing but Linux's system calls, so that Linux can
 * be asked, too: as init it turns the machine off at the end.
 *
 *     bpfverdicts [log]    log: with the verifier's log, its states, too
 */
#define BPF_LINUX_CASES
#include "bpf_cases.h"
#include "bpf_syscall.h"
#include "libc.h"

enum { NR_PRCTL = 167, PR_SET_NAME = 15 };

static bool with_log;
static char log_text[1 << 16];

static void show_verdict(const struct bpf_case *c)
{
    static uint64_t ctx[12] = {11, 22, 33};
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT}, test = {.test = {0}};
    int fd;

    attr.insns = (unsigned long)c->insns;
    attr.insn_cnt = c->len;
    attr.license = (unsigned long)"GPL";
    if (with_log) {
        attr.log_level = 2;
        attr.log_size = sizeof(log_text);
        attr.log_buf = (unsigned long)log_text;
        log_text[0] = 0;
    }
    fd = bpf(BPF_PROG_LOAD, &attr);
    if (with_log)
        printf("log %s:\n", c->name);
    if (with_log)
        write(1, log_text, strlen(log_text));
    if (fd < 0) {
        printf("verdict %s: rejected\n", c->name);
        return;
    }
    test.test.prog_fd = fd;
    test.test.ctx_in = (unsigned long)ctx;
    test.test.ctx_size_in = sizeof(ctx);
    if (bpf(BPF_PROG_TEST_RUN, &test))
        printf("verdict %s: accepted, but not run\n", c->name);
    else
        printf("verdict %s: accepted %u\n", c->name, test.test.retval);
    close(fd);
}

int main(int argc, char **argv)
{
    unsigned int i;

    with_log = argc > 1 && !strcmp(argv[1], "log");
    syscall(NR_PRCTL, PR_SET_NAME, "bpfverdicts");
    map_at(BPF_CASE_MAP, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
    map_at(BPF_CASE_HASH, BPF_MAP_TYPE_HASH, 8, 64, 4);
    map_at(BPF_CASE_RING, BPF_MAP_TYPE_RINGBUF, 0, 0, 4096);
    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++)
        show_verdict(&bpf_cases[i]);
    printf("verdicts: %u\n", i);
    if (getpid() == 1)
        syscall(__NR_reboot, 0xfee1dead, 0x28121969, 0x4321fedc, NULL);
    return 0;
}
