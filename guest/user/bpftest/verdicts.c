/* verdicts.c - what the verifier accepts, the log, and errors of loading. */
#include "../bpf_cases.h"
#include "bpftest.h"

/* ---- verdicts, and results ---- */

static int load_case(const struct bpf_case *c)
{
    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, c->insns, c->len);
}

static int run_case(int fd, unsigned int *result)
{
    static uint64_t ctx[12] = {11, 22, 33};

    return run(fd, ctx, sizeof(ctx), result);
}

static bool case_holds(const struct bpf_case *c)
{
    unsigned int result = ~0u;
    int fd = load_case(c), err;

    if (c->message)
        return fd < 0 && strstr(log_text, c->message);
    if (fd < 0)
        return false;
    err = run_case(fd, &result);
    close(fd);
    return !err && result == c->result;
}

static void make_case_maps(void)
{
    map_at(BPF_CASE_MAP, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
    map_at(BPF_CASE_HASH, BPF_MAP_TYPE_HASH, 8, 64, 4);
}

void test_cases(void)
{
    unsigned int i, bad = 0;

    make_case_maps();
    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++) {
        if (case_holds(&bpf_cases[i]))
            continue;
        bad++;
        printf("# %s: %s\n", bpf_cases[i].name, log_text);
    }
    printf("# %u programs\n", i);
    check("the verifier and the interpreter treat each program as expected", !bad);
}

static void show_verdict(const struct bpf_case *c)
{
    unsigned int result = 0;
    int fd = load_case(c);

    if (fd < 0)
        printf("verdict %s: rejected\n", c->name);
    else if (run_case(fd, &result))
        printf("verdict %s: accepted, but not run\n", c->name);
    else
        printf("verdict %s: accepted, returns %u\n", c->name, result);
    close(fd);
}

void show_verdicts(void)
{
    unsigned int i;

    make_case_maps();
    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++)
        show_verdict(&bpf_cases[i]);
    printf("verdicts: %u\n", i);
}

void test_load_errors(void)
{
    static const struct bpf_insn ok[] = {MOV64_IMM(R0, 0), EXIT()};
    static const struct bpf_insn gpl[] = {CALL(BPF_FUNC_get_current_task), EXIT()};
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT};

    attr.insns = (unsigned long)ok;
    attr.insn_cnt = 2;
    attr.license = (unsigned long)"Proprietary";
    check("a program without a log", close(bpf(BPF_PROG_LOAD, &attr)) == 0);
    attr.insn_cnt = 0;
    check("no instructions are E2BIG", bpf(BPF_PROG_LOAD, &attr) == -E2BIG);
    attr.insn_cnt = 2;
    attr.prog_type = 3;
    check("an unknown type is EINVAL", bpf(BPF_PROG_LOAD, &attr) == -EINVAL);
    attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attr.log_size = 64;
    attr.log_level = 1;
    attr.log_buf = (unsigned long)log_text;
    check("a log of less than 128 bytes is EINVAL", bpf(BPF_PROG_LOAD, &attr) == -EINVAL);
    attr.log_size = sizeof(log_text);
    attr.log_level = 1;
    attr.log_buf = (unsigned long)log_text;
    attr.insns = (unsigned long)gpl;
    check("some helpers are for GPL programs only",
          bpf(BPF_PROG_LOAD, &attr) == -EINVAL && strstr(log_text, "GPL-restricted"));
    ((char *)&attr)[143] = 1;
    check("what is unknown must be zero", bpf(BPF_PROG_LOAD, &attr) == -EINVAL);
    check("an unknown command is EINVAL", bpf(77, &attr) == -EINVAL);
}
