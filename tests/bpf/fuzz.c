/*
 * fuzz.c - random programs of BPF: no program that the verifier accepts may do what it may not, nor
 * have a value in a register, or on its stack, that the verifier has not expected.
 *
 *     bpf_fuzz COUNT [SEED]    random programs
 *     bpf_fuzz write COUNT     writes those that are accepted, for guest/user/bpfjit.c
 *     bpf_fuzz cases           the programs of guest/user/bpf_cases.h, with messages and results
 */
#include "../../guest/user/bpf_cases.h"
#include "../../guest/user/bpf_insn.h"
#include "../../guest/user/bpf_random.h"
#include "host.h"
#include <linux/kernel.h>
#include <linux/string.h>

int printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
long write(int fd, const void *buf, size_t count);
unsigned long long strtoull(const char *s, char **end, int base);

static void show(const char *why, u64 n)
{
    unsigned int i;

    printf("not ok - program %llu: %s\n", n, why);
    for (i = 0; i < len; i++)
        printf("# %u: %02x R%u R%u %d %d\n", i, insns[i].code, insns[i].dst_reg, insns[i].src_reg,
               insns[i].off, insns[i].imm);
}

static struct host_prog prog;
static char text[1 << 12];

static const char *run_some(u64 *runs)
{
    u64 ctx[MAX_BPF_FUNC_ARGS], result;
    const char *why = NULL;
    unsigned int i, r;

    for (r = 0; r < 4 && !why; r++, ++*runs) {
        for (i = 0; i < MAX_BPF_FUNC_ARGS; i++)
            ctx[i] = random_number();
        why = host_run(&prog, ctx, &result);
    }
    return why;
}

static int fuzz(u64 count, u64 seed)
{
    u64 accepted = 0, runs = 0, n;

    for (n = 0; n < count; n++) {
        const char *why;

        random_program(seed + n);
        host_seed(random_bits());
        if (host_load(&prog, insns, len, NULL, 0))
            continue;
        accepted++;
        why = run_some(&runs);
        if (why) {
            show(why, seed + n);
            return 1;
        }
    }
    printf("ok - %llu random programs, of which %llu were accepted and did nothing wrong in %llu "
           "runs\n",
           count, accepted, runs);
    return accepted * 20 < count; /* else there is little in what is accepted */
}

/* Of each program: how many instructions, and these. */
static int write_programs(u64 count)
{
    u64 n;

    for (n = 1; n <= count; n++) {
        random_program(n);
        if (host_load(&prog, insns, len, NULL, 0))
            continue;
        if (write(1, &len, sizeof(len)) < 0 || write(1, insns, len * sizeof(insns[0])) < 0)
            return 1;
    }
    return 0;
}

static int run_case(const struct bpf_case *c)
{
    static const u64 ctx[MAX_BPF_FUNC_ARGS] = {11, 22, 33};
    int err = host_load(&prog, c->insns, c->len, text, sizeof(text));
    const char *why;
    u64 result;

    if (c->message) {
        if (err && strstr(text, c->message))
            return 0;
    } else if (!err) {
        why = host_run(&prog, ctx, &result);
        if (!why && (u32)result == c->result)
            return 0;
        printf("# %s, result %u\n", why ? why : "", (u32)result);
    }
    printf("not ok - %s: %s\n", c->name, text);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned int i;
    int failed = 0;

    if (argc < 2)
        return 2;
    if (!strcmp(argv[1], "write"))
        return argc < 3 ? 2 : write_programs(strtoull(argv[2], NULL, 10));
    if (strcmp(argv[1], "cases"))
        return fuzz(strtoull(argv[1], NULL, 10), argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++)
        failed |= run_case(&bpf_cases[i]);
    if (!failed)
        printf("ok - %u programs have the verdict, the message and the result expected\n", i);
    return failed;
}
