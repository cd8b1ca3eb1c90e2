/*
 * bpffuzz.c - random programs of BPF in this kernel: those that its verifier accepts are run with
 * random numbers, and at each system call of this process. None may do any harm, which the kernel,
 * and the machine's auditor, would tell.
 *
 *     bpffuzz COUNT [SEED]    the programs of tests/bpf/fuzz.c; each second one is interpreted
 */
#include "bpf_random.h"
#include "libc.h"

static int bpf(int cmd, union bpf_attr *attr)
{
    return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static bool make_map(int at, unsigned int type, unsigned int key, unsigned int value,
                     unsigned int entries)
{
    union bpf_attr attr = {.map_type = type};
    int fd;

    attr.key_size = key;
    attr.value_size = value;
    attr.max_entries = entries;
    fd = bpf(BPF_MAP_CREATE, &attr);
    dup2(fd, at);
    close(fd);
    return fd >= 0;
}

static void set_jit(bool on)
{
    static int fd = -1;

    if (fd < 0)
        fd = open("/proc/sys/net/core/bpf_jit_enable", O_WRONLY, 0);
    write(fd, on ? "1" : "0", 1);
}

static int load(unsigned int flags)
{
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT};

    attr.insns = (unsigned long)insns;
    attr.insn_cnt = len;
    attr.license = (unsigned long)"GPL";
    attr.prog_flags = flags;
    return bpf(BPF_PROG_LOAD, &attr);
}

static bool run(int fd)
{
    union bpf_attr attr = {.test = {.prog_fd = fd, .ctx_size_in = 12 * 8}};
    uint64_t ctx[12];
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(ctx); i++)
        ctx[i] = random_number();
    attr.test.ctx_in = (unsigned long)ctx;
    return !bpf(BPF_PROG_TEST_RUN, &attr);
}

/* The event has two numbers, so only programs that read no others can be attached. */
static bool attach(int fd)
{
    union bpf_attr attr = {.raw_tracepoint = {.prog_fd = fd}};
    int link;

    attr.raw_tracepoint.name = (unsigned long)"sys_enter";
    link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
    if (link < 0)
        return false;
    getpid();
    getpid();
    close(link);
    return true;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1]) : 0, n;
    unsigned long seed = argc > 2 ? strtoul(argv[2]) : 1;
    unsigned long accepted = 0, runs = 0, attached = 0;
    int fd, i;

    if (!count || !make_map(RANDOM_MAP, BPF_MAP_TYPE_ARRAY, 4, 64, 1) ||
        !make_map(RANDOM_MAP + 1, BPF_MAP_TYPE_HASH, 8, 64, 4) ||
        !make_map(RANDOM_MAP + 2, BPF_MAP_TYPE_RINGBUF, 0, 0, 4096)) {
        printf("bpffuzz: COUNT is missing, or there are no maps\n");
        return 1;
    }
    for (n = 0; n < count; n++) {
        random_program(seed + n);
        set_jit(n & 1);
        fd = load(random_flags());
        if (fd < 0)
            continue;
        accepted++;
        for (i = 0; i < 4; i++)
            runs += run(fd);
        attached += attach(fd);
        close(fd);
    }
    set_jit(true);
    printf("bpffuzz: of %lu random programs %lu were accepted; %lu runs, %lu attached\n", n,
           accepted, runs, attached);
    return accepted && runs == 4 * accepted ? 0 : 1;
}
