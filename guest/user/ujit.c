/*
 * ujit.c - a program that writes code, rewrites one instruction of it, and runs both versions: what
 * a compiler at run time does. The first six do so as it should; each of the others makes one
 * mistake.
 *
 *   ujit             rewrites it, asks the kernel for the fence, then lets another thread run it
 *   ujit protect     writes it while it cannot be run, and has it run when it cannot be written
 *   ujit move        runs it itself, on one hart after the other
 *   ujit live        replaces one instruction while another thread runs it, and is right with both
 *   ujit part        the same, of one that crosses a boundary of eight bytes, in whose second half
 *                    alone the two versions differ
 *   ujit jump        replaces one that crosses a boundary of eight bytes while another thread runs
 *                    it: a jump to itself is its first half until the second one is written
 *   ujit noflush     no fence at all
 *   ujit here        a fence.i of its own, which is none of the other thread's hart
 *   ujit early       asks for the fence before the store
 *   ujit late        lets the other thread run it before it asks for the fence
 *   ujit own         runs it itself, with no fence
 *   ujit pair        replaces two that belong together, one by one, while another thread runs them
 *   ujit both        the same by one store of eight bytes
 *   ujit tail        as jump, but does not ask for the fence between the second half and the first
 *   ujit halves      replaces one that crosses a boundary of eight bytes, by two stores
 *   ujit misaligned  the same by one store, which is not aligned
 *   ujit merge       makes one of two short ones, between which the other thread may be
 */
#include "libc.h"

enum { STACK_BYTES = 4 * PAGE_SIZE, RET = 0x00008067, ROUNDS = 10, CALLS = 20000 };

typedef int code_fn(void);

static uint32_t *code;
static int go, done, result;

static uint32_t load_a0(int value)
{
    return 0x00000513 | (uint32_t)value << 20;
}

static int call(void)
{
    return ((code_fn *)(uintptr_t)code)();
}

static void flush(void)
{
    syscall(__NR_riscv_flush_icache, code, code + 2, 0);
}

static void *new_stack(void)
{
    const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

    return (char *)mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, anonymous, -1, 0) + STACK_BYTES;
}

/* The other thread: runs the code each time that `go` is set. */
static void run_code(void *unused)
{
    int round;

    (void)unused;
    for (round = 1; round <= ROUNDS; round++) {
        while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) != round)
            ;
        result = call();
        __atomic_store_n(&done, round, __ATOMIC_RELEASE);
    }
    _exit(0);
}

/* lui and addiw: a0 = upper << 12 | lower. */
static uint32_t load_upper(int upper)
{
    return 0x00000537 | (uint32_t)upper << 12;
}

static uint32_t add_lower(int lower)
{
    return 0x0005051b | (uint32_t)lower << 20;
}

/* Whether no version of the code below has that result. */
static bool is_torn(int got)
{
    static const int whole[] = {0x1001, 0x1002, 0x2002, 0x1000, 0x22000, 0x101, 0x202};
    unsigned i;

    for (i = 0; i < sizeof(whole) / sizeof(*whole); i++)
        if (got == whole[i])
            return false;
    return true;
}

/* The other thread: calls the code all the time. */
static void run_always(void *unused)
{
    int i, torn = 0;

    (void)unused;
    for (i = 0; i < CALLS; i++)
        torn += is_torn(call());
    result = torn;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    _exit(0);
}

/*
 * Changes the code while it is run: the upper part of the value, too, if both are; with two stores,
 * or one of eight bytes.
 */
static void change_always(const char *mode)
{
    const bool both = !strcmp(mode, "pair"), at_once = !strcmp(mode, "both");
    int n;

    code[0] = load_upper(1);
    code[1] = add_lower(1);
    code[2] = RET;
    flush();
    spawn(run_always, NULL, new_stack());
    for (n = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); n++) {
        if (at_once) {
            *(volatile uint64_t *)code =
                (uint64_t)add_lower(n & 1 ? 1 : 2) << 32 | load_upper(n & 1 ? 1 : 2);
            flush();
            continue;
        }
        if (both) {
            ((volatile uint32_t *)code)[0] = load_upper(n & 1 ? 1 : 2);
            flush();
        }
        ((volatile uint32_t *)code)[1] = add_lower(n & 1 ? 1 : 2);
        flush();
    }
    printf("ujit %s: %s\n", mode, result ? "torn" : "never torn");
}

/* The first half is a jump to itself, at which the other thread waits. */
static void change_under_jump(volatile uint16_t *half, uint32_t new, bool is_fenced)
{
    enum { C_J_TO_ITSELF = 0xa001 };

    half[0] = C_J_TO_ITSELF;
    flush();
    half[1] = (uint16_t)(new >> 16);
    if (is_fenced)
        flush();
    half[0] = (uint16_t) new;
}

/*
 * Changes the instruction at the end of eight bytes while it is run: lui, which loads a part of its
 * value by each of its halves, or li, which loads all of it by the second one.
 */
static void change_across(const char *mode)
{
    enum { AT = 3, C_NOP = 0x0001, C_RET = 0x8082 };
    volatile uint16_t *half = (volatile uint16_t *)code;
    const bool is_part = !strcmp(mode, "part"), is_whole = !strcmp(mode, "misaligned"),
               under_jump = !strcmp(mode, "jump") || !strcmp(mode, "tail");
    const uint32_t versions[] = {is_part ? load_a0(0x101) : load_upper(0x1),
                                 is_part ? load_a0(0x202) : load_upper(0x22)};
    int n;

    for (n = 0; n < AT; n++)
        half[n] = C_NOP;
    half[AT] = (uint16_t)versions[0];
    half[AT + 1] = (uint16_t)(versions[0] >> 16);
    half[AT + 2] = C_RET;
    flush();
    spawn(run_always, NULL, new_stack());
    for (n = 1; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); n++) {
        if (is_whole) {
            *(volatile uint32_t *)(half + AT) = versions[n & 1];
        } else if (under_jump) {
            change_under_jump(half + AT, versions[n & 1], *mode == 'j');
        } else {
            half[AT] = (uint16_t)versions[n & 1];
            half[AT + 1] = (uint16_t)(versions[n & 1] >> 16);
        }
        flush();
    }
    printf("ujit %s: %s\n", mode, result ? "torn" : "never torn");
}

static void change_two_into_one(const char *mode)
{
    const uint32_t twice_c_addi_2 = 0x05090509, addi_2 = 0x00250513;
    int n;

    code[0] = load_a0(0);
    code[1] = twice_c_addi_2;
    code[2] = RET;
    flush();
    spawn(run_always, NULL, new_stack());
    for (n = 1; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); n++) {
        ((volatile uint32_t *)code)[1] = n & 1 ? addi_2 : twice_c_addi_2;
        flush();
    }
    printf("ujit %s: another thread ran it\n", mode);
}

static void await(int round)
{
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != round)
        sched_yield();
}

static void rewrite(const char *mode, int value)
{
    if (!strcmp(mode, "early"))
        flush();
    if (!strcmp(mode, "protect"))
        mprotect(code, PAGE_SIZE, PROT_READ | PROT_WRITE);
    *(volatile uint32_t *)code = load_a0(value);
    if (!strcmp(mode, "protect"))
        mprotect(code, PAGE_SIZE, PROT_READ | PROT_EXEC);
    if (!strcmp(mode, "here"))
        __asm__ volatile("fence rw, rw\n\tfence.i" ::: "memory");
    if (!*mode || !strcmp(mode, "move"))
        flush();
}

static int run_by_other(const char *mode)
{
    int round, right = 0;

    spawn(run_code, NULL, new_stack());
    for (round = 1; round <= ROUNDS; round++) {
        if (round > 1)
            rewrite(mode, round);
        __atomic_store_n(&go, round, __ATOMIC_RELEASE);
        await(round);
        if (!strcmp(mode, "late"))
            flush();
        right += result == round;
    }
    return right;
}

/* A process of its own, which takes a hart from this one from time to time. */
static pid_t start_spinner(void)
{
    pid_t pid = fork();

    while (!pid)
        ;
    return pid;
}

static int run_by_itself(const char *mode)
{
    bool moves = !strcmp(mode, "move");
    pid_t spinners[] = {moves ? start_spinner() : 0, moves ? start_spinner() : 0};
    const struct timespec a_while = {.tv_nsec = 3000000};
    int round, right = 0;

    for (round = 1; round <= ROUNDS; round++) {
        if (round > 1)
            rewrite(mode, round);
        if (moves)
            nanosleep(&a_while, NULL);
        right += call() == round;
    }
    for (round = 0; moves && round < 2; round++)
        kill(spinners[round], SIGKILL);
    return right;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int right;

    code = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    if (!strcmp(mode, "live") || !strcmp(mode, "pair") || !strcmp(mode, "both")) {
        change_always(mode);
        return 0;
    }
    if (!strcmp(mode, "part") || !strcmp(mode, "halves") || !strcmp(mode, "misaligned") ||
        !strcmp(mode, "jump") || !strcmp(mode, "tail")) {
        change_across(mode);
        return 0;
    }
    if (!strcmp(mode, "merge")) {
        change_two_into_one(mode);
        return 0;
    }
    code[0] = load_a0(1);
    code[1] = RET;
    flush();
    right =
        !strcmp(mode, "own") || !strcmp(mode, "move") ? run_by_itself(mode) : run_by_other(mode);
    printf("ujit %s: %d of %d calls ran the new code\n", mode, right, ROUNDS);
    return 0;
}
