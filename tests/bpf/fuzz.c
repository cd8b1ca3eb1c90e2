/*
 * fuzz.c - random programs of BPF: no program that the verifier accepts may do what it may not, nor
 * have a value in a register that the verifier has not expected.
 *
 *     bpf_fuzz COUNT [SEED]    random programs
 *     bpf_fuzz write COUNT     writes those that are accepted and compiled, for guest/user/bpfjit.c
 *     bpf_fuzz cases           the programs of guest/user/bpf_cases.h, with messages and results
 */
#include "host.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#define BPF_LONG_CASES
#include "../../guest/user/bpf_cases.h"
#include "../../guest/user/bpf_insn.h"
#include "../../guest/user/bpf_random.h"

int printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
long write(int fd, const void *buf, size_t count);
unsigned long long strtoull(const char *s, char **end, int base);
void bpf_disasm(const struct bpf_insn *insn, char *buf, size_t size);

static void show(const char *why, u64 n)
{
    char text[100];
    unsigned int i;

    printf("not ok - program %llu: %s\n", n, why);
    for (i = 0; i < len; i++) {
        bpf_disasm(&insns[i], text, sizeof(text));
        printf("# %u: (%02x) %s\n", i, insns[i].code, text);
    }
}

static struct host_prog prog;
static char text[1 << 16];

static u64 runs;

/* The program as the kernel verifies it; and with all numbers compared, so that they are checked.
 */
static const char *run_some(bool exact)
{
    u64 ctx[MAX_BPF_FUNC_ARGS], result;
    const char *why = NULL;
    unsigned int i, r;

    for (r = 0; r < 4 && !why; r++, runs++) {
        for (i = 0; i < MAX_BPF_FUNC_ARGS; i++)
            ctx[i] = random_number();
        bpf_check_exact = exact;
        why = host_run(&prog, ctx, &result);
    }
    return why;
}

/*
 * Where the bounds of a number contradict each other, as on a way that no run takes, a pointer to
 * which it is added becomes a number. Such a way is rejected, unless an earlier state covers it.
 */
static bool is_never_taken(u32 flags)
{
    bpf_check_exact = true;
    host_load(&prog, insns, len, flags, 1, text, sizeof(text));
    bpf_check_exact = false;
    return host_load(&prog, insns, len, flags, 0, NULL, 0) == 0 &&
           strstr(text, "invalid mem access 'scalar'");
}

static int fuzz(u64 count, u64 seed)
{
    u64 accepted = 0, only_imprecise = 0, n;

    bpf_check_limit = 1000;
    for (n = 0; n < count; n++) {
        const char *why;
        u32 flags;
        int exact;

        random_program(seed + n);
        flags = random_flags();
        host_seed(random_bits());
        bpf_check_exact = true;
        exact = host_load(&prog, insns, len, flags, 0, NULL, 0);
        why = exact ? NULL : run_some(true);
        bpf_check_exact = false;
        if (host_load(&prog, insns, len, flags, 0, NULL, 0)) {
            if (!exact && !why)
                why = "it is rejected only if numbers that do not matter are not compared";
        } else {
            accepted++;
            only_imprecise += exact != 0;
            if (exact && exact != -E2BIG && !is_never_taken(flags))
                why = "it is accepted only if numbers that do not matter are not compared";
            if (!why)
                why = run_some(false);
        }
        if (why) {
            show(why, seed + n);
            bpf_check_exact = false;
            host_load(&prog, insns, len, BPF_F_ANY_ALIGNMENT, 2, text, sizeof(text));
            printf("%s\n", text);
            return 1;
        }
    }
    printf("ok - %llu random programs, of which %llu were accepted (%llu only as numbers that do "
           "not matter are not compared) and did nothing wrong in %llu runs\n",
           count, accepted, only_imprecise, runs);
    return !accepted;
}

/* Of each program: how many instructions, flags, the instructions. */
static int write_programs(u64 count)
{
    u64 n;

    bpf_check_limit = 1000;
    for (n = 1; n <= count; n++) {
        u32 head[2];

        random_program(n);
        head[0] = len;
        head[1] = random_flags();
        if (host_load(&prog, insns, len, head[1], 0, NULL, 0) || prog.prog.has_callbacks)
            continue;
        if (write(1, head, sizeof(head)) < 0 || write(1, insns, len * sizeof(insns[0])) < 0)
            return 1;
    }
    return 0;
}

/* With the flag a state is kept wherever ways meet: more of them end there. */
static int run_case(const struct bpf_case *c, u32 flags)
{
    static const u64 ctx[MAX_BPF_FUNC_ARGS] = {11, 22, 33};
    int err = host_load(&prog, c->insns, c->len, flags, 4, text, sizeof(text));
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
        failed |= run_case(&bpf_cases[i], 0) | run_case(&bpf_cases[i], BPF_F_TEST_STATE_FREQ);
    if (!failed)
        printf("ok - %u programs have the verdict, the message and the result expected\n", i);
    return failed;
}
