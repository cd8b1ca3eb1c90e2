/*
 * vectest.c - each program has its own vector registers, across interrupts, faults, switches and
 * signals. On a machine without vectors their first instruction is illegal.
 */
#include "libc.h"

extern char **environ;

enum { AT_NULL = 0, AT_HWCAP = 16, CHILDREN = 4, DISTURBERS = 3, VLENB_MAX = 128 };

#define VECTOR(insns) ".option push\n.option arch, +v\n" insns ".option pop\n"
static bool machine_has_vectors(void)
{
    unsigned long *word = (unsigned long *)environ;

    while (*word++)
        ;
    for (; word[0] != AT_NULL; word += 2)
        if (word[0] == AT_HWCAP)
            return word[1] >> ('v' - 'a') & 1;
    return false;
}

/* What the unit has: all registers, and its CSRs. */
struct vectors {
    unsigned char v[32 * VLENB_MAX];
    unsigned long bytes; /* of v that are there */
    unsigned long vl, vtype, vcsr;
};

/* Writes a pattern to all registers and chooses vl, vtype and vxrm, all different by n. */
static void fill(struct vectors *expected, unsigned n)
{
    static const unsigned long vtypes[] = {0xc0, 0xc8, 0xd1, 0xda, 0xc3, 0xc7};
    unsigned long vlenb;
    unsigned i;

    __asm__ volatile(VECTOR("csrr %0, vlenb\n") : "=r"(vlenb));
    expected->bytes = 32 * vlenb;
    for (i = 0; i < expected->bytes; i++)
        expected->v[i] = (unsigned char)(i * 7 + n * 41 + (i >> 8));
    __asm__ volatile(VECTOR("vl8re8.v v0, (%0)\n vl8re8.v v8, (%1)\n"
                            "vl8re8.v v16, (%2)\n vl8re8.v v24, (%3)\n"
                            "csrw vxrm, %6\n vsetvl zero, %4, %5\n")::"r"(expected->v),
                     "r"(expected->v + 8 * vlenb), "r"(expected->v + 16 * vlenb),
                     "r"(expected->v + 24 * vlenb), "r"(1 + (unsigned long)n),
                     "r"(vtypes[n % ARRAY_SIZE(vtypes)]), "r"((unsigned long)n & 3)
                     : "memory");
    __asm__ volatile(VECTOR("csrr %0, vl\n csrr %1, vtype\n csrr %2, vcsr\n")
                     : "=r"(expected->vl), "=r"(expected->vtype), "=r"(expected->vcsr));
}

static bool are(const struct vectors *expected)
{
    static struct vectors now; /* of each program */
    unsigned long vlenb = expected->bytes / 32;

    __asm__ volatile(VECTOR("csrr %0, vl\n csrr %1, vtype\n csrr %2, vcsr\n")
                     : "=&r"(now.vl), "=&r"(now.vtype), "=&r"(now.vcsr));
    __asm__ volatile(VECTOR("vs8r.v v0, (%0)\n vs8r.v v8, (%1)\n"
                            "vs8r.v v16, (%2)\n vs8r.v v24, (%3)\n")::"r"(now.v),
                     "r"(now.v + 8 * vlenb), "r"(now.v + 16 * vlenb), "r"(now.v + 24 * vlenb)
                     : "memory");
    return !memcmp(now.v, expected->v, expected->bytes) && now.vl == expected->vl &&
           now.vtype == expected->vtype && now.vcsr == expected->vcsr;
}

/* The loop has no system call, and no memory: only interrupts and switches come in between. */
static bool registers_survive(unsigned n, unsigned rounds)
{
    static struct vectors expected;

    fill(&expected, n);
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b\n" : "+r"(rounds));
    return are(&expected);
}

/* Goes first as soon as it can run: so it interrupts the other programs of its hart. */
static void go_first(void)
{
    enum { SCHED_FIFO = 1 };
    const int priority = 1;

    syscall(__NR_sched_setscheduler, 0, SCHED_FIFO, &priority);
}

/* Wakes up often, and uses vectors or not, until it is killed. */
static pid_t start_disturber(bool with_vectors, unsigned n)
{
    static struct vectors expected;
    const struct timespec sleep = {0, 500000 + 100000 * n};
    pid_t pid = fork();

    if (pid)
        return pid;
    go_first();
    for (;;) {
        syscall(__NR_nanosleep, &sleep, NULL);
        if (with_vectors)
            fill(&expected, n);
    }
}

static pid_t start_child(unsigned n)
{
    enum { ROUNDS = 10 };
    pid_t pid = fork();
    unsigned i;

    if (pid)
        return pid;
    for (i = 0; i < ROUNDS; i++)
        if (!registers_survive(n, 400000))
            _exit(1);
    _exit(0);
}

static bool programs_have_their_own(void)
{
    int status, bad = 0;
    pid_t pid[CHILDREN], disturbers[DISTURBERS];
    unsigned i;

    for (i = 0; i < DISTURBERS; i++)
        disturbers[i] = start_disturber(i > 0, i);
    for (i = 0; i < CHILDREN; i++)
        pid[i] = start_child(i);
    for (i = 0; i < CHILDREN; i++)
        bad += waitpid(pid[i], &status, 0) != pid[i] || status;
    for (i = 0; i < DISTURBERS; i++) {
        kill(disturbers[i], SIGKILL);
        waitpid(disturbers[i], &status, 0);
    }
    return bad == 0;
}

/* A program that has never used them finds zeros, whatever ran before. */
static bool a_new_program_has_zeros(void)
{
    static struct vectors ours, zeros;
    int status = -1;
    pid_t pid;

    fill(&ours, 3);
    pid = fork();
    if (pid == 0) {
        zeros.bytes = ours.bytes;
        _exit(are(&zeros) ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    return status == 0;
}

/* ---- signals ---- */

static volatile int handled;

static void use_all(int sig)
{
    static struct vectors others;

    (void)sig;
    fill(&others, 5);
    handled = 1;
}

/* The signal comes in the middle of a loop without system calls. */
static int interrupted_child(int ready)
{
    static struct vectors expected;
    struct sigaction act = {.handler = (unsigned long)use_all};

    sigaction(SIGUSR1, &act, NULL);
    write(ready, "x", 1);
    fill(&expected, 1);
    while (!handled)
        ;
    return are(&expected) ? 0 : 1;
}

static bool a_handler_changes_none(void)
{
    int ends[2], status = -1;
    char byte;
    pid_t pid;

    pipe(ends);
    pid = fork();
    if (pid == 0)
        _exit(interrupted_child(ends[1]));
    read(ends[0], &byte, 1);
    kill(pid, SIGUSR1);
    waitpid(pid, &status, 0);
    close(ends[0]);
    close(ends[1]);
    return status == 0;
}

/* ---- faults ---- */

/* The second half of the bytes is in a page that nobody has touched: a load faults in its middle.
 */
static bool a_fault_goes_on_at_its_element(void)
{
    unsigned char *page =
        mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned long vstart, sum = 0;
    unsigned char *middle = page + PAGE_SIZE;
    unsigned i;

    for (i = 0; i < 8; i++)
        middle[(int)i - 8] = (unsigned char)(i + 1);
    __asm__ volatile(VECTOR("vsetivli zero, 16, e8, m1, ta, ma\n"
                            "vmv.v.i v4, 9\n"
                            "vle8.v v4, (%2)\n"
                            "csrr %0, vstart\n"
                            "vmv.s.x v5, zero\n"
                            "vredsum.vs v5, v4, v5\n"
                            "vmv.x.s %1, v5\n")
                     : "=&r"(vstart), "=&r"(sum)
                     : "r"(middle - 8)
                     : "memory");
    munmap(page, 2 * PAGE_SIZE);
    return vstart == 0 && sum == 36;
}

int main(void)
{
    static struct vectors first;
    int status = -1;
    pid_t pid;

    if (!machine_has_vectors()) {
        pid = fork();
        if (pid == 0)
            fill(&first, 0);
        waitpid(pid, &status, 0);
        check("without vectors they are illegal instructions", WTERMSIG(status) == SIGILL);
        return check_result();
    }
    check("registers survive interrupts", registers_survive(2, 100000));
    check("programs that run at the same time have their own", programs_have_their_own());
    check("a new program starts with zeros", a_new_program_has_zeros());
    check("a handler's use of them changes none", a_handler_changes_none());
    check("a load that faulted goes on at its element", a_fault_goes_on_at_its_element());
    return check_result();
}
