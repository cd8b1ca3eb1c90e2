/* sigtest.c - signals: handlers, masks, interrupted calls, process groups. */
#include "libc.h"

static volatile int caught, times;

static void handler(int sig)
{
    caught = sig;
    times++;
}

static void on_signal(int sig, void (*fn)(int), unsigned long flags)
{
    struct sigaction act = {.handler = (unsigned long)fn, .flags = flags};

    sigaction(sig, &act, NULL);
}

static uint64_t mask_of(int sig)
{
    return 1ull << (sig - 1);
}

static void test_handler(void)
{
    struct sigaction old;

    on_signal(SIGUSR1, handler, 0);
    caught = times = 0;
    check("a handler runs before kill returns", kill(getpid(), SIGUSR1) == 0 && caught == SIGUSR1);
    kill(getpid(), SIGUSR1);
    check("a handler runs again for the next signal", times == 2);
    check("sigaction returns the current handler",
          sigaction(SIGUSR1, NULL, &old) == 0 && old.handler == (unsigned long)handler);
    on_signal(SIGUSR2, handler, SA_RESETHAND);
    kill(getpid(), SIGUSR2);
    check("SA_RESETHAND removes the handler when it runs",
          caught == SIGUSR2 && sigaction(SIGUSR2, NULL, &old) == 0 && old.handler == SIG_DFL);
    on_signal(SIGUSR1, (void (*)(int))SIG_IGN, 0);
    caught = 0;
    kill(getpid(), SIGUSR1);
    check("an ignored signal does nothing", caught == 0);
    check("SIGKILL cannot be caught", sigaction(SIGKILL, &old, NULL) == -EINVAL);
}

/* Overwrites caller-saved registers, floating-point ones too. */
static void scribble(int sig)
{
    caught = sig;
    __asm__ volatile("li t0, -1\n li t1, -1\n li t2, -1\n li t3, -1\n li t4, -1\n li t5, -1\n"
                     "li t6, -1\n li a1, -1\n li a7, -1\n fcvt.d.w ft0, t0\n fcvt.d.w fa0, t0\n"
                     "fcvt.d.w ft11, t0" ::
                         : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a7", "ft0", "fa0",
                           "ft11");
}

/* The signal arrives at the ecall in the middle. */
static bool registers_survive(void)
{
    long sum;

    __asm__ volatile("li t0, 1\n li t1, 2\n li t2, 3\n li t3, 4\n li t4, 5\n li t5, 6\n li t6, 7\n"
                     "fcvt.d.w ft0, t0\n fcvt.d.w fa0, t1\n fcvt.d.w ft11, t2\n"
                     "mv a0, %1\n li a1, %2\n li a7, 129\n ecall\n"
                     "add %0, t0, t1\n add %0, %0, t2\n add %0, %0, t3\n add %0, %0, t4\n"
                     "add %0, %0, t5\n add %0, %0, t6\n add %0, %0, a0\n"
                     "fadd.d ft0, ft0, fa0\n fadd.d ft0, ft0, ft11\n fcvt.w.d t0, ft0\n"
                     "add %0, %0, t0"
                     : "=&r"(sum)
                     : "r"(getpid()), "i"(SIGUSR1)
                     : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a7", "ft0", "fa0",
                       "ft11", "memory");
    return sum == 28 + 6;
}

static void test_registers(void)
{
    caught = 0;
    on_signal(SIGUSR1, scribble, 0);
    check("a handler does not change registers of the interrupted code",
          registers_survive() && caught == SIGUSR1);
}

static uint64_t mask_inside;

static void look_at_mask(int sig)
{
    (void)sig;
    sigprocmask(SIG_BLOCK, NULL, &mask_inside);
}

static void test_masks(void)
{
    struct sigaction act = {.handler = (unsigned long)look_at_mask, .mask = mask_of(SIGUSR2)};
    uint64_t usr1 = mask_of(SIGUSR1), after = ~0ull;

    sigaction(SIGUSR1, &act, NULL);
    kill(getpid(), SIGUSR1);
    sigprocmask(SIG_BLOCK, NULL, &after);
    check("in a handler its signal and those of its mask are blocked",
          mask_inside == (mask_of(SIGUSR1) | mask_of(SIGUSR2)));
    check("after the handler they are not blocked", after == 0);
    on_signal(SIGUSR1, look_at_mask, SA_NODEFER);
    kill(getpid(), SIGUSR1);
    check("SA_NODEFER does not block the handler's signal", mask_inside == 0);
    on_signal(SIGUSR1, handler, 0);
    caught = 0;
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    kill(getpid(), SIGUSR1);
    check("a blocked signal stays pending", caught == 0);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    check("a pending signal is delivered when it is unblocked", caught == SIGUSR1);
}

/* Starts a child that sends sig to its parent after 20 ms, and writes a byte to fd 20 ms later. */
static pid_t interrupter(int sig, int fd)
{
    static const struct timespec ms20 = {0, 20000000};
    pid_t parent = getpid(), pid = fork();

    if (pid == 0) {
        nanosleep(&ms20, NULL);
        kill(parent, sig);
        nanosleep(&ms20, NULL);
        write(fd, "x", 1);
        _exit(0);
    }
    return pid;
}

static void test_interrupted_calls(void)
{
    static const struct timespec second = {1, 0};
    struct timespec rest = {0, 0};
    int fd[2], status;
    pid_t pid;
    char c;

    pipe(fd);
    caught = 0;
    on_signal(SIGUSR1, handler, 0);
    pid = interrupter(SIGUSR1, fd[1]);
    check("a handler ends a read with EINTR", read(fd[0], &c, 1) == -EINTR && caught == SIGUSR1);
    check("the read can be repeated", read(fd[0], &c, 1) == 1);
    waitpid(pid, &status, 0);
    on_signal(SIGUSR1, handler, SA_RESTART);
    caught = 0;
    pid = interrupter(SIGUSR1, fd[1]);
    check("with SA_RESTART the read continues", read(fd[0], &c, 1) == 1 && caught == SIGUSR1);
    waitpid(pid, &status, 0);
    pid = interrupter(SIGUSR1, fd[1]);
    check("nanosleep is not restarted, and returns the remaining time",
          nanosleep(&second, &rest) == -EINTR && rest.tv_sec == 0 && rest.tv_nsec > 0);
    waitpid(pid, &status, 0);
    close(fd[0]);
    close(fd[1]);
}

/* Returns the status of a child that runs fn. */
static int child_status(void (*fn)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        fn();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void die_of_usr1(void)
{
    kill(getpid(), SIGUSR1);
}

static void exec_and_die(void)
{
    char *argv[] = {"sigtest", "die", NULL};

    execve("/bin/sigtest", argv, argv + 2);
}

static void lose_stack(void)
{
    on_signal(SIGUSR1, handler, 0);
    __asm__ volatile("li sp, 16\n mv a0, %0\n li a1, %1\n li a7, 129\n ecall" ::"r"(getpid()),
                     "i"(SIGUSR1)
                     : "a0", "a1", "a7", "memory");
    for (;;)
        ;
}

static void fault(void)
{
    __asm__ volatile("sw zero, 0(zero)");
}

static void leave(int sig)
{
    _exit(sig);
}

static void fault_with_handler(void)
{
    on_signal(SIGSEGV, leave, 0);
    fault();
}

static void test_children(void)
{
    on_signal(SIGUSR1, leave, 0);
    check("fork copies the handlers", child_status(die_of_usr1) == SIGUSR1 << 8);
    check("exec resets the handlers", child_status(exec_and_die) == SIGUSR1);
    check("a handler without a valid stack ends in SIGSEGV", child_status(lose_stack) == SIGSEGV);
    check("a fault ends a program even if it has a handler",
          child_status(fault_with_handler) == SIGSEGV);
}

static void test_groups(void)
{
    pid_t me = getpid(), group = syscall(__NR_getpgid, 0), pid;
    int fd[2], status = 0;
    char c;

    pipe(fd);
    pid = fork();
    if (pid == 0) {
        close(fd[1]);
        read(fd[0], &c, 1);
        _exit(0);
    }
    check("a child is in its parent's group", syscall(__NR_getpgid, pid) == group);
    check("a parent can put a child into its own group",
          setpgid(pid, pid) == 0 && syscall(__NR_getpgid, pid) == pid);
    check("a child cannot change the group of its parent", setpgid(1, me) == -ESRCH);
    check("a signal to a group reaches its members", kill(-pid, SIGTERM) == 0 &&
                                                         waitpid(pid, &status, 0) == pid &&
                                                         WTERMSIG(status) == SIGTERM);
    check("a group without members is ESRCH", kill(-pid, SIGTERM) == -ESRCH);
    check("init ignores signals without a handler",
          kill(1, SIGKILL) == 0 && syscall(__NR_getpgid, 1) >= 0);
    close(fd[0]);
    close(fd[1]);
}

static uint64_t blocked(void)
{
    uint64_t mask = 0;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    return mask;
}

static void test_waiting(void)
{
    uint64_t none = 0, usr1 = mask_of(SIGUSR1), pending = 0;
    struct timespec soon = {0, 1000000};
    int info[32];
    pid_t pid;

    on_signal(SIGUSR1, handler, 0);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    kill(getpid(), SIGUSR1);
    check("rt_sigpending shows a blocked signal",
          syscall(__NR_rt_sigpending, &pending, 8) == 0 && pending == usr1);
    caught = 0;
    check("rt_sigsuspend runs its handler",
          syscall(__NR_rt_sigsuspend, &none, 8) == -EINTR && caught == SIGUSR1);
    check("and restores the mask", blocked() == usr1);
    check("rt_sigtimedwait waits for the time",
          syscall(__NR_rt_sigtimedwait, &usr1, NULL, &soon, 8) == -EAGAIN);
    pid = fork();
    if (!pid)
        _exit(kill(syscall(__NR_getppid), SIGUSR1));
    caught = 0;
    check("and takes a signal without its handler",
          syscall(__NR_rt_sigtimedwait, &usr1, info, NULL, 8) == SIGUSR1 && info[0] == SIGUSR1 &&
              !caught && blocked() == usr1);
    waitpid(pid, NULL, 0);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    check("signals above 31 are signals, too",
          (on_signal(40, handler, 0), syscall(__NR_tkill, getpid(), 40)) == 0 && caught == 40);
    check("tgkill wants a thread of the process",
          syscall(__NR_tgkill, getpid() + 1, getpid(), 40) == -ESRCH);
}

/* In a child, which may lead a session. */
static bool sessions_hold(void)
{
    pid_t pid = getpid();

    return syscall(__NR_getsid, 0) != pid && syscall(__NR_setsid) == pid &&
           syscall(__NR_getsid, 0) == pid && syscall(__NR_getpgid, 0) == pid &&
           syscall(__NR_setsid) == -EPERM && syscall(__NR_getsid, 99999) == -ESRCH;
}

static void test_sessions(void)
{
    uint64_t usage[18] = {0}, children[18] = {0};
    int status = 0;
    pid_t pid = fork();

    if (!pid)
        _exit(sessions_hold());
    check("a process can lead a session, once",
          waitpid(pid, &status, 0) == pid && status == 1 << 8);
    pid = fork();
    if (!pid) {
        setpgid(0, 0);
        for (volatile int i = 0; i < 300000; i++)
            ;
        _exit(0);
    }
    setpgid(pid, pid);
    check("wait4 can wait for a group", syscall(__NR_wait4, 0, NULL, WNOHANG, NULL) == -ECHILD &&
                                            syscall(__NR_wait4, -pid, &status, 0, usage) == pid);
    check("and says how long the child ran", usage[0] || usage[1]);
    check("which getrusage adds up",
          syscall(__NR_getrusage, -1, children) == 0 &&
              children[0] * 1000000 + children[1] >= usage[0] * 1000000 + usage[1]);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        die_of_usr1();
    test_handler();
    test_registers();
    test_masks();
    test_interrupted_calls();
    test_children();
    test_groups();
    test_waiting();
    test_sessions();
    return check_result();
}
