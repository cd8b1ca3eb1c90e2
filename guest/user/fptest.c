/* fptest.c - each program has its own floating-point registers, across switches, fork and exec. */
#include "libc.h"

static double sum_of_roots(int n, double seed)
{
    double x = seed, sum = 0;
    int i;

    for (i = 1; i <= n; i++) {
        x = x * 0.75 + 1.0 / i;
        sum += x;
    }
    return sum;
}

/* Keeps a value in a register across system calls, without the compiler's knowledge. */
static bool register_survives(double value)
{
    double after;
    int i;

    __asm__ __volatile__("fmv.d fs5, %0" ::"f"(value) : "fs5");
    for (i = 0; i < 20; i++)
        sched_yield();
    __asm__ __volatile__("fmv.d %0, fs5" : "=f"(after)::"fs5");
    return after == value;
}

static pid_t start_child(int n)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(register_survives(n + 0.5) && sum_of_roots(20000, n) == sum_of_roots(20000, n) ? 0
                                                                                             : 1);
    return pid;
}

static bool rounding_is_inherited(void)
{
    int status = -1;
    pid_t pid;

    __asm__ __volatile__("fsrmi 2");
    pid = fork();
    if (pid == 0) {
        long mode;

        __asm__ __volatile__("frrm %0" : "=r"(mode));
        _exit(mode);
    }
    waitpid(pid, &status, 0);
    __asm__ __volatile__("fsrmi 0");
    return status == 2 << 8;
}

static int registers_are_zero(void)
{
    double a, b;
    long fcsr;

    __asm__ __volatile__("fmv.d %0, fs7\n\tfmv.d %1, ft3\n\tfrcsr %2"
                         : "=f"(a), "=f"(b), "=r"(fcsr));
    return a == 0 && b == 0 && fcsr == 0;
}

static bool exec_gives_zeros(void)
{
    char *argv[] = {"fptest", "zeros", NULL}, *envp[] = {NULL};
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        __asm__ __volatile__(
            "fmv.d.x fs7, %0\n\tfmv.d.x ft3, %0\n\tfsrmi 2" ::"r"(0x3ff0000000000000));
        _exit(-execve("/bin/fptest", argv, envp));
    }
    waitpid(pid, &status, 0);
    return status == 1 << 8;
}

int main(int argc, char **argv)
{
    enum { CHILDREN = 6 };
    pid_t pid[CHILDREN];
    int i, status, bad = 0;

    (void)argv;
    if (argc > 1)
        return registers_are_zero();
    for (i = 0; i < CHILDREN; i++)
        pid[i] = start_child(i);
    check("a register survives system calls", register_survives(1234.5));
    for (i = 0; i < CHILDREN; i++)
        bad += waitpid(pid[i], &status, 0) != pid[i] || status;
    check("programs that run at the same time have their own registers", bad == 0);
    check("a child inherits the rounding mode", rounding_is_inherited());
    check("a new program starts with zeroed registers", exec_gives_zeros());
    return check_result();
}
