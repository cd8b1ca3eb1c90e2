/* systest.c - system calls: files, directories, time, and the errors of each. */
#include "libc.h"

static bool directory_has(const char *path, const char *name)
{
    char buf[256];
    int fd = open(path, O_RDONLY, 0), at;
    bool found = false;
    long n;

    while ((n = syscall(__NR_getdents64, fd, buf, sizeof(buf))) > 0)
        for (at = 0; at < n; at += ((struct dirent *)(buf + at))->reclen)
            found |= !strcmp(((struct dirent *)(buf + at))->name, name);
    close(fd);
    return found;
}

static void test_files(void)
{
    struct iovec iov[] = {{"abc", 3}, {"", 0}, {"defgh", 5}};
    struct stat st;
    char buf[16];
    int fd, copy;

    syscall(__NR_mkdirat, AT_FDCWD, "/tmp", 0755);
    fd = open("/tmp/file", O_RDWR | O_CREAT | O_EXCL, 0644);
    check("a file can be created", fd >= 0);
    check("O_EXCL does not create a file twice",
          open("/tmp/file", O_RDWR | O_CREAT | O_EXCL, 0644) == -EEXIST);
    check("writev writes all parts", syscall(__NR_writev, fd, iov, 3) == 8);
    check("lseek moves the position", syscall(__NR_lseek, fd, 2, SEEK_SET) == 2);
    check("read continues at the new position",
          read(fd, buf, sizeof(buf)) == 6 && !memcmp(buf, "cdefgh", 6));
    check("pread does not move the position", syscall(__NR_pread64, fd, buf, 2, 1) == 2 &&
                                                  !memcmp(buf, "bc", 2) && read(fd, buf, 1) == 0);
    check("fstat reports size and type", syscall(__NR_fstat, fd, &st) == 0 && st.st_size == 8 &&
                                             (st.st_mode & 0170000) == 0100000);
    copy = syscall(__NR_dup, fd);
    syscall(__NR_lseek, fd, 5, SEEK_SET);
    check("a duplicated descriptor shares the position", read(copy, buf, 1) == 1 && buf[0] == 'f');
    check("ftruncate shortens a file",
          syscall(__NR_ftruncate, fd, 3) == 0 && syscall(__NR_lseek, fd, 0, SEEK_END) == 3);
    close(copy);
    close(fd);
    check("a closed descriptor is EBADF", read(fd, buf, 1) == -EBADF);
    check("the directory lists the new file", directory_has("/tmp", "file"));
    check("the file can be removed", syscall(__NR_unlinkat, AT_FDCWD, "/tmp/file", 0) == 0);
    check("a removed file is not found any more",
          open("/tmp/file", O_RDONLY, 0) == -ENOENT && !directory_has("/tmp", "file"));
}

static void test_big_file(void)
{
    static unsigned char out[3 * PAGE_SIZE + 77], in[sizeof(out)];
    int fd = open("/tmp/big", O_RDWR | O_CREAT | O_TRUNC, 0644);
    size_t i;

    for (i = 0; i < sizeof(out); i++)
        out[i] = i * 7 + i / 256;
    check("one write can write several pages", write(fd, out, sizeof(out)) == sizeof(out));
    syscall(__NR_lseek, fd, 0, SEEK_SET);
    check("the pages read back are the same",
          read(fd, in, sizeof(in)) == sizeof(in) && !memcmp(in, out, sizeof(in)));
    close(fd);
    syscall(__NR_unlinkat, AT_FDCWD, "/tmp/big", 0);
}

static void test_directories(void)
{
    char buf[32];

    check("chdir changes the directory", syscall(__NR_chdir, "/tmp") == 0);
    check("getcwd returns the new directory",
          syscall(__NR_getcwd, buf, sizeof(buf)) == 5 && !strcmp(buf, "/tmp"));
    check("a relative path starts at the new directory",
          syscall(__NR_mkdirat, AT_FDCWD, "sub", 0755) == 0 && directory_has("/tmp", "sub"));
    check("unlink of a directory is EISDIR", syscall(__NR_unlinkat, AT_FDCWD, "sub", 0) == -EISDIR);
    check("AT_REMOVEDIR removes a directory",
          syscall(__NR_unlinkat, AT_FDCWD, "sub", AT_REMOVEDIR) == 0);
    check("chdir to a file is ENOTDIR", syscall(__NR_chdir, "/bin/systest") == -ENOTDIR);
    check("getcwd with a small buffer is ERANGE", syscall(__NR_getcwd, buf, 2) == -34);
    syscall(__NR_chdir, "/");
}

static void test_errors(void)
{
    static char *const argv[] = {"x", NULL};
    int fd[2], file;
    char c;

    check("an unknown system call is ENOSYS", syscall(1000) == -ENOSYS && syscall(5) == -ENOSYS);
    check("the largest number is ENOSYS, too", syscall(-1) == -ENOSYS);
    check("an unknown ioctl is ENOTTY",
          syscall(__NR_ioctl, open("/bin/systest", O_RDONLY, 0), 0x5401, 0) == -ENOTTY);
    pipe(fd);
    check("lseek on a pipe is ESPIPE", syscall(__NR_lseek, fd[0], 0, SEEK_SET) == -ESPIPE);
    check("writing to the read end of a pipe is EBADF", write(fd[0], "x", 1) == -EBADF);
    check("reading from the write end of a pipe is EBADF", read(fd[1], &c, 1) == -EBADF);
    check("descriptor 1000 is EBADF", close(1000) == -EBADF && dup2(1, 1000) == -EBADF);
    file = open("/tmp/noelf", O_WRONLY | O_CREAT, 0755);
    write(file, "no program\n", 11);
    close(file);
    check("exec of a file that is not ELF is ENOEXEC",
          execve("/tmp/noelf", argv, argv + 1) == -ENOEXEC);
    file = open("/tmp/data", O_WRONLY | O_CREAT, 0644);
    close(file);
    check("exec of a file without execute permission is EACCES",
          execve("/tmp/data", argv, argv + 1) == -EACCES);
    syscall(__NR_unlinkat, AT_FDCWD, "/tmp/noelf", 0);
    syscall(__NR_unlinkat, AT_FDCWD, "/tmp/data", 0);
}

static void test_time(void)
{
    static const struct timespec ms20 = {0, 20000000}, bad = {0, 1000000000};
    uint64_t before = clock_ns(), after;

    check("nanosleep succeeds", nanosleep(&ms20, NULL) == 0);
    after = clock_ns();
    check("nanosleep does not end early", after - before >= 20000000);
    check("nanosleep does not end much too late", after - before < 5000000000);
    check("nanosleep with tv_nsec of a second is EINVAL", nanosleep(&bad, NULL) == -EINVAL);
    check("clock 99 is EINVAL", syscall(__NR_clock_gettime, 99, &before) == -EINVAL);
}

static void test_identity(void)
{
    static char uts[6][65];
    unsigned long cpus = 0, a[4] = {0}, b[4] = {0}, info[14] = {0}, limit[2] = {0};
    unsigned int ids[3] = {9, 9, 9};
    int copy = -1;

    check("gettid returns the pid", getpid() == syscall(__NR_gettid));
    check("uname says riscv64", syscall(__NR_uname, uts) == 0 && !strcmp(uts[4], "riscv64"));
    check("sched_getaffinity returns a mask that is not empty",
          syscall(__NR_sched_getaffinity, 0, sizeof(cpus), &cpus) == sizeof(cpus) && cpus);
    check("there is no other user",
          syscall(__NR_getresuid, &ids[0], &ids[1], &ids[2]) == 0 && !ids[0] && !ids[1] &&
              !ids[2] && syscall(__NR_setuid, 0) == 0 && syscall(__NR_setuid, 1) == -EINVAL &&
              syscall(__NR_setresgid, -1, -1, 5) == -EINVAL);
    check("sysinfo counts pages and tasks", syscall(__NR_sysinfo, info) == 0 && info[4] > info[5] &&
                                                info[5] && (info[10] & 0xffff) > 1);
    check("the limit of open files is where dup ends",
          syscall(__NR_prlimit64, 0, 7, NULL, limit) == 0 && limit[0] &&
              syscall(__NR_fcntl, 0, F_DUPFD, limit[0]) == -EINVAL &&
              (copy = syscall(__NR_fcntl, 0, F_DUPFD, limit[0] - 1)) == (long)limit[0] - 1);
    close(copy);
    check("getrandom returns the requested bytes",
          syscall(__NR_getrandom, a, sizeof(a), 0) == sizeof(a) &&
              syscall(__NR_getrandom, b, sizeof(b), 0) == sizeof(b));
    check("getrandom returns different bytes each time", memcmp(a, b, sizeof(a)) != 0);
}

static long splice(int in, int64_t *in_pos, int out, int64_t *out_pos, size_t len)
{
    enum { SPLICE_F_NONBLOCK = 2 };

    return syscall(__NR_splice, in, in_pos, out, out_pos, len, SPLICE_F_NONBLOCK);
}

static void test_splice(void)
{
    enum { SIZE = 10000 };
    static char from[SIZE], to[SIZE];
    int file = open("/tmp-splice", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int copy = open("/tmp-splice2", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int one[2] = {-1, -1}, two[2] = {-1, -1}, i;
    int64_t at = 1000, zero = 0;

    for (i = 0; i < SIZE; i++)
        from[i] = i * 7 + i / 256;
    write(file, from, SIZE);
    pipe(one);
    pipe(two);
    check("splice fills a pipe from a place in a file",
          splice(file, &at, one[1], NULL, SIZE) == SIZE - 1000 && at == SIZE);
    check("tee copies what is in a pipe", syscall(__NR_tee, one[0], two[1], 100, 0) == 100 &&
                                              read(two[0], to, SIZE) == 100 &&
                                              !memcmp(to, from + 1000, 100));
    check("splice empties the pipe into another file",
          splice(one[0], NULL, copy, &zero, SIZE) == SIZE - 1000 && zero == SIZE - 1000 &&
              syscall(__NR_pread64, copy, to, SIZE, 0) == SIZE - 1000 &&
              !memcmp(to, from + 1000, SIZE - 1000));
    check("splice of an empty pipe is EAGAIN", splice(one[0], NULL, copy, NULL, 1) == -EAGAIN);
    write(one[1], "abc", 3);
    check("splice moves bytes from pipe to pipe",
          splice(one[0], NULL, two[1], NULL, 2) == 2 && read(two[0], to, SIZE) == 2 &&
              read(one[0], to + 2, SIZE) == 1 && !memcmp(to, "abc", 3));
    check("splice without a pipe is EINVAL", splice(file, NULL, copy, NULL, 1) == -EINVAL);
    check("splice of a pipe into itself is EINVAL",
          splice(one[0], NULL, one[1], NULL, 1) == -EINVAL);
    check("splice at a place in a pipe is ESPIPE", splice(one[0], &zero, copy, NULL, 1) == -ESPIPE);
    check("splice of no bytes is 0", splice(one[0], NULL, copy, NULL, 0) == 0);
    close(one[1]);
    check("splice of a pipe without a writer is 0", splice(one[0], NULL, copy, NULL, 1) == 0);
    close(two[0]);
    sigaction(SIGPIPE, &(struct sigaction){.handler = SIG_IGN}, NULL);
    check("splice into a pipe without a reader is EPIPE",
          (zero = 0, splice(file, &zero, two[1], NULL, 1)) == -EPIPE);
    close(one[0]);
    close(two[1]);
    close(file);
    close(copy);
    unlink("/tmp-splice");
    unlink("/tmp-splice2");
}

static int child_priority(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(syscall(__NR_getpriority, 0, 0));
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

/* The first version of struct sched_attr. */
struct attr {
    unsigned int size, policy;
    unsigned long flags;
    int nice;
    unsigned int priority;
    unsigned long runtime, deadline, period;
};

static void test_deadline(void)
{
    enum { SCHED_NORMAL = 0, SCHED_DEADLINE = 6 };
    struct attr attr = {.size = sizeof(attr),
                        .policy = SCHED_DEADLINE,
                        .runtime = 2000000,
                        .deadline = 10000000,
                        .period = 20000000},
                now = {0};

    check("a program can set a deadline",
          syscall(__NR_sched_setattr, 0, &attr, 0) == 0 &&
              syscall(__NR_sched_getattr, 0, &now, sizeof(now), 0) == 0 &&
              now.policy == SCHED_DEADLINE && now.runtime == 2000000 && now.period == 20000000);
    check("which its children cannot inherit", fork() == -EAGAIN);
    attr.runtime = attr.period;
    check("a deadline that cannot be met is EINVAL",
          syscall(__NR_sched_setattr, 0, &attr, 0) == -EINVAL);
    attr.size = 8;
    check("a struct of another size is E2BIG, and the kernel's size is told",
          syscall(__NR_sched_setattr, 0, &attr, 0) == -E2BIG && attr.size == 56);
    attr = (struct attr){.size = sizeof(attr), .policy = SCHED_NORMAL};
    check("it can be an ordinary task again", syscall(__NR_sched_setattr, 0, &attr, 0) == 0);
}

static void test_scheduling(void)
{
    enum { SCHED_NORMAL = 0, SCHED_FIFO = 1 };
    unsigned long all = 0, one = 1, now = 0;
    int zero = 0, ten = 10, prio = 0;

    syscall(__NR_sched_getaffinity, 0, sizeof(all), &all);
    check("a program can be bound to one hart",
          syscall(__NR_sched_setaffinity, 0, sizeof(one), &one) == 0 &&
              syscall(__NR_sched_getaffinity, 0, sizeof(now), &now) == sizeof(now) && now == 1);
    one = 0;
    check("an empty affinity mask is EINVAL",
          syscall(__NR_sched_setaffinity, 0, sizeof(one), &one) == -EINVAL);
    syscall(__NR_sched_setaffinity, 0, sizeof(all), &all);
    check("nice is inherited", syscall(__NR_setpriority, 0, 0, 5) == 0 && child_priority() == 15);
    syscall(__NR_setpriority, 0, 0, 0);
    check("a program can set a real-time policy",
          syscall(__NR_sched_setscheduler, 0, SCHED_FIFO, &ten) == 0 &&
              syscall(__NR_sched_getscheduler, 0) == SCHED_FIFO &&
              syscall(__NR_sched_getparam, 0, &prio) == 0 && prio == 10);
    check("a real-time policy without priority is EINVAL",
          syscall(__NR_sched_setscheduler, 0, SCHED_FIFO, &zero) == -EINVAL);
    syscall(__NR_sched_setscheduler, 0, SCHED_NORMAL, &zero);
    test_deadline();
    check("sched_getscheduler of a missing process is ESRCH",
          syscall(__NR_sched_getscheduler, 30000) == -ESRCH);
    check("setpriority of a kernel thread is EPERM", syscall(__NR_setpriority, 0, 2, 3) == -1);
}

static size_t read_file(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY, 0);
    ssize_t n = read(fd, buf, size - 1);

    close(fd);
    buf[n > 0 ? n : 0] = 0;
    return n > 0 ? n : 0;
}

static void test_names(void)
{
    char name[16] = "", path[32], stat_line[512], expected[64];

    check("PR_SET_NAME truncates a long name",
          syscall(__NR_prctl, 15, "a-very-long-name-indeed") == 0 &&
              syscall(__NR_prctl, 16, name) == 0 && !strcmp(name, "a-very-long-nam"));
    syscall(__NR_prctl, 15, "systest");
    snprintf(path, sizeof(path), "/proc/%d/comm", getpid());
    check("/proc/PID/comm has the name",
          read_file(path, stat_line, sizeof(stat_line)) && !strcmp(stat_line, "systest\n"));
    snprintf(expected, sizeof(expected), "%d (systest) R ", getpid());
    check("/proc/self/stat begins with pid, name and state",
          read_file("/proc/self/stat", stat_line, sizeof(stat_line)) &&
              !strncmp(stat_line, expected, strlen(expected)));
    snprintf(path, sizeof(path), "%d", getpid());
    check("/proc lists this process", directory_has("/proc", path));
    check("the /proc directory of a missing process is ENOENT",
          open("/proc/30000/stat", O_RDONLY, 0) == -ENOENT);
    check("the /proc directory of a process can be listed", directory_has("/proc/self", "stat"));
}

static void test_memfd(void)
{
    char buf[8];
    int fd = syscall(__NR_memfd_create, "test", 1);

    check("memfd_create creates a file without a name",
          fd >= 0 && write(fd, "hidden", 6) == 6 && lseek(fd, 1, SEEK_SET) == 1 &&
              read(fd, buf, sizeof(buf)) == 5 && !memcmp(buf, "idden", 5));
    check("MFD_CLOEXEC sets close-on-exec", fcntl(fd, F_GETFD, 0) == FD_CLOEXEC);
    close(fd);
    check("memfd_create with an unknown flag is EINVAL",
          syscall(__NR_memfd_create, "test", 0x8000) == -EINVAL);
}

static void test_kernel_calls(void)
{
    int junk = open("/tmp/junk", O_RDWR | O_CREAT, 0644), tty, pgrp = -1;

    write(junk, "no module", 9);
    check("init_module of other data is ENOEXEC",
          syscall(__NR_init_module, "no module", 9, "") == -ENOEXEC &&
              syscall(__NR_init_module, "", 0, "") == -ENOEXEC);
    check("finit_module of another file is ENOEXEC",
          syscall(__NR_finit_module, junk, "", 0) == -ENOEXEC);
    check("finit_module of a closed descriptor is EBADF",
          syscall(__NR_finit_module, 77, "", 0) == -EBADF);
    check("delete_module of a missing module is ENOENT",
          syscall(__NR_delete_module, "nosuchmodule", O_NONBLOCK) == -ENOENT);
    check("reboot without its magic numbers is EINVAL", syscall(__NR_reboot, 1, 2, 3) == -EINVAL);
    tty = open("/dev/tty", O_RDONLY, 0);
    check("the session's terminal has a foreground group; without a terminal /dev/tty is ENXIO",
          tty == -ENXIO || (ioctl(tty, TIOCGPGRP, &pgrp) == 0 && pgrp > 0));
    close(junk);
    unlink("/tmp/junk");
}

static void test_child_tid(void)
{
    static volatile int tid;
    int status = -1;
    pid_t pid = syscall(__NR_clone, 0x1000000 | SIGCHLD, 0, 0, 0, &tid);

    if (pid == 0)
        _exit(tid == getpid() ? 0 : 1);
    waitpid(pid, &status, 0);
    check("CLONE_CHILD_SETTID writes to the child's memory only", status == 0 && tid == 0);
}

static void test_close_on_exec(void)
{
    char *argv[] = {"systest", "fds", NULL}, *envp[] = {NULL};
    int status = -1, kept, closed;
    pid_t pid = fork();

    if (pid == 0) {
        kept = open("/bin/systest", O_RDONLY, 0);
        closed = open("/bin/systest", O_RDONLY | O_CLOEXEC, 0);
        dup2(kept, 20);
        syscall(__NR_dup3, closed, 21, O_CLOEXEC);
        _exit(-execve("/bin/systest", argv, envp));
    }
    waitpid(pid, &status, 0);
    check("exec closes exactly the close-on-exec descriptors", status == 1 << 8);
}

int main(int argc, char **argv)
{
    struct stat st;

    (void)argv;
    if (argc > 1)
        return syscall(__NR_fstat, 20, &st) == 0 && syscall(__NR_fstat, 21, &st) == -EBADF;
    test_files();
    test_big_file();
    test_directories();
    test_errors();
    test_time();
    test_identity();
    test_splice();
    test_scheduling();
    test_names();
    test_memfd();
    test_kernel_calls();
    test_child_tid();
    test_close_on_exec();
    return check_result();
}
