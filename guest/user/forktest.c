/* forktest.c - fork, exec, wait, pipes and signals. */
#include "libc.h"

static int status_of(pid_t pid)
{
    int status = -1;

    return waitpid(pid, &status, 0) == pid ? status : -1;
}

static pid_t child_that_exits(int code)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(code);
    return pid;
}

static void test_wait(void)
{
    pid_t a = child_that_exits(3), b = child_that_exits(200);
    int status = 0;

    check("the second child's status can be had first", status_of(b) == 200 << 8);
    check("the first child's status can be had after that", status_of(a) == 3 << 8);
    check("a child can be waited for only once", waitpid(a, &status, 0) == -ECHILD);
    check("waiting without children is ECHILD", waitpid(-1, &status, 0) == -ECHILD);
}

static void test_nohang(void)
{
    pid_t pid;
    int fd[2], status = 0;
    char c;

    pipe(fd);
    pid = fork();
    if (pid == 0) {
        read(fd[0], &c, 1);
        _exit(0);
    }
    check("WNOHANG does not wait", waitpid(pid, &status, WNOHANG) == 0);
    write(fd[1], "x", 1);
    check("the child ends after its pipe is written to", status_of(pid) == 0);
    close(fd[0]);
    close(fd[1]);
}

static int private_word = 1;

static void test_memory_is_copied(void)
{
    int local = 10;
    pid_t pid = fork();

    if (pid == 0) {
        private_word = 2;
        local = 20;
        _exit(private_word + local);
    }
    private_word = 3;
    check("the child changes its own memory", status_of(pid) == 22 << 8);
    check("the parent keeps its memory", private_word == 3 && local == 10);
}

/* Sends a string through a pipe to a child, which reverses it and sends it back. */
static void test_pipe(void)
{
    int to[2], from[2], i, n;
    char buf[16];
    pid_t pid;

    pipe(to);
    pipe(from);
    pid = fork();
    if (pid == 0) {
        char in[16], out[16];

        close(to[1]);
        n = read(to[0], in, sizeof(in));
        for (i = 0; i < n; i++)
            out[i] = in[n - 1 - i];
        write(from[1], out, n);
        _exit(n);
    }
    close(to[0]);
    close(from[1]);
    write(to[1], "pipes", 5);
    n = read(from[0], buf, sizeof(buf));
    check("a pipe delivers what was written to it", n == 5 && !memcmp(buf, "sepip", 5));
    check("a pipe ends when its last writer has closed it", read(from[0], buf, 1) == 0);
    check("the child's status is the length", status_of(pid) == 5 << 8);
    close(to[1]);
    close(from[0]);
}

static void test_exec(void)
{
    char *argv[] = {"forktest", "exec", "two words", NULL}, *envp[] = {"A=1", NULL};
    char *bad[] = {"nothing", NULL};
    int fd[2];
    char buf[64];
    pid_t pid;
    ssize_t n;

    pipe(fd);
    pid = fork();
    if (pid == 0) {
        dup2(fd[1], 1);
        close(fd[0]);
        close(fd[1]);
        _exit(-execve("/bin/forktest", argv, envp));
    }
    close(fd[1]);
    n = read(fd[0], buf, sizeof(buf));
    check("exec passes arguments, environment and descriptors",
          n == 16 && !memcmp(buf, "3 two words A=1\n", 16));
    check("the new program's status is the child's", status_of(pid) == 42 << 8);
    close(fd[0]);
    check("exec of a missing file is ENOENT", execve("/bin/nothing", bad, envp) == -ENOENT);
    check("exec of a directory is EACCES", execve("/bin", bad, envp) == -EACCES);
}

static int exec_child(int argc, char **argv)
{
    printf("%d %s %s\n", argc, argv[2], environ[0]);
    return 42;
}

static pid_t child_that_spins(void)
{
    pid_t pid = fork();

    while (pid == 0)
        ;
    return pid;
}

static pid_t child_that_sleeps(void)
{
    static const struct timespec hour = {3600, 0};
    int fd[2];
    char c;
    pid_t pid;

    pipe(fd);
    pid = fork();
    if (pid == 0) {
        read(fd[0], &c, 1);
        nanosleep(&hour, NULL);
        _exit(0);
    }
    return pid;
}

static void test_kill(void)
{
    pid_t pid = child_that_spins();

    kill(pid, SIGTERM);
    check("a signal ends a child that runs in U-mode", WTERMSIG(status_of(pid)) == SIGTERM);
    pid = child_that_sleeps();
    kill(pid, SIGKILL);
    check("a signal ends a child that waits for a pipe", WTERMSIG(status_of(pid)) == SIGKILL);
    check("a signal to a missing process is ESRCH", kill(pid, SIGKILL) == -ESRCH);
    check("signal 65 is EINVAL", kill(getpid(), 65) == -EINVAL);
}

static void test_ignored_signals(void)
{
    struct sigaction ignore = {.handler = SIG_IGN};
    int fd[2];
    pid_t pid = fork();

    if (pid == 0) {
        pipe(fd);
        close(fd[0]);
        write(fd[1], "x", 1);
        _exit(0);
    }
    check("writing to a pipe without readers ends a program", WTERMSIG(status_of(pid)) == SIGPIPE);
    syscall(__NR_rt_sigaction, SIGPIPE, &ignore, NULL, 8);
    pipe(fd);
    close(fd[0]);
    check("a program that ignores SIGPIPE gets EPIPE", write(fd[1], "x", 1) == -EPIPE);
    close(fd[1]);
}

static int shared_word;

/* The child runs on the parent's stack, so it must not change what the parent uses. */
static void test_vfork(void)
{
    pid_t pid = syscall(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0) {
        shared_word = 7;
        _exit(0);
    }
    check("a vfork child writes to its parent's memory before the parent continues",
          shared_word == 7);
    check("the vfork child ends with status 0", status_of(pid) == 0);
}

static void test_orphans(void)
{
    int fd[2];
    char c = 0;
    pid_t pid;

    pipe(fd);
    pid = fork();
    if (pid == 0) {
        if (fork() == 0) { /* outlives its parent, then checks that init is its parent */
            while (syscall(__NR_getppid) != 1)
                sched_yield();
            write(fd[1], "1", 1);
        }
        _exit(0);
    }
    check("a child that has a child itself can end", status_of(pid) == 0);
    read(fd[0], &c, 1);
    check("the grandchild becomes a child of init", c == '1');
    close(fd[0]);
    close(fd[1]);
}

static void test_many(void)
{
    enum { CHILDREN = 20 };
    int i, status, sum = 0;

    for (i = 1; i <= CHILDREN; i++)
        child_that_exits(i);
    for (i = 1; i <= CHILDREN; i++)
        if (waitpid(-1, &status, 0) > 0)
            sum += WEXITSTATUS(status);
    check("each of twenty children is waited for once", sum == CHILDREN * (CHILDREN + 1) / 2);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return exec_child(argc, argv);
    test_wait();
    test_nohang();
    test_memory_is_copied();
    test_pipe();
    test_exec();
    test_kill();
    test_ignored_signals();
    test_vfork();
    test_orphans();
    test_many();
    return check_result();
}
