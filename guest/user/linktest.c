/* linktest.c - links, modes, times, the root directory, scripts, and transfers between files. */
#include "libc.h"

static int mksymlink(const char *target, const char *name)
{
    return syscall(__NR_symlinkat, target, AT_FDCWD, name);
}

static void put_file(const char *path, const char *text, unsigned int mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

    write(fd, text, strlen(text));
    close(fd);
}

/* Whether the file has this text. */
static bool has_text(const char *path, const char *text)
{
    char buf[128] = "";
    int fd = open(path, O_RDONLY, 0);

    if (fd >= 0)
        read(fd, buf, sizeof(buf) - 1);
    close(fd);
    return fd >= 0 && !strcmp(buf, text);
}

static void test_symlinks(void)
{
    struct stat st;
    char buf[16] = "";
    long n;

    mkdir("/l", 0755);
    mkdir("/l/dir", 0755);
    put_file("/l/dir/file", "text", 0644);
    check("a symbolic link can be made", mksymlink("dir/file", "/l/to-file") == 0);
    check("opening it opens its target", has_text("/l/to-file", "text"));
    n = syscall(__NR_readlinkat, AT_FDCWD, "/l/to-file", buf, 4);
    check("readlink returns as much as there is room for", n == 4 && !memcmp(buf, "dir/\0", 5));
    check("stat follows it, lstat does not", stat("/l/to-file", &st) == 0 && S_ISREG(st.st_mode) &&
                                                 lstat("/l/to-file", &st) == 0 &&
                                                 S_ISLNK(st.st_mode) && st.st_size == 8);
    check("a link can stand in the middle of a path",
          mksymlink("/l/dir", "/l/to-dir") == 0 && has_text("/l/to-dir/../to-file", "text"));
    check("a slash after a link leads to its target",
          lstat("/l/to-dir/", &st) == 0 && S_ISDIR(st.st_mode));
    check("a link may lead to a link",
          mksymlink("to-dir//file", "/l/two") == 0 && has_text("/l/two", "text"));
    mksymlink("loop", "/l/loop");
    check("links in a circle are ELOOP", open("/l/loop", O_RDONLY, 0) == -ELOOP);
    check("O_NOFOLLOW does not follow the last one",
          open("/l/to-file", O_RDONLY | O_NOFOLLOW, 0) == -ELOOP &&
              (n = open("/l/to-dir/file", O_RDONLY | O_NOFOLLOW, 0)) >= 0);
    close(n);
    check("a name that exists is EEXIST", mksymlink("x", "/l/dir") == -EEXIST);
    check("what is no link has no target",
          syscall(__NR_readlinkat, AT_FDCWD, "/l/dir", buf, 16) == -EINVAL);
}

static void test_links_to_nothing(void)
{
    struct stat st;

    mksymlink("dir/new", "/l/dangling");
    check("a link to nothing is ENOENT", open("/l/dangling", O_RDONLY, 0) == -ENOENT);
    check("O_CREAT creates the target",
          (put_file("/l/dangling", "made", 0644), true) && has_text("/l/dir/new", "made"));
    check("O_EXCL does not", open("/l/dangling", O_WRONLY | O_CREAT | O_EXCL, 0600) == -EEXIST);
    check("unlink removes the link", unlink("/l/dangling") == 0 && stat("/l/dir/new", &st) == 0);
    check("rename moves it", rename("/l/to-file", "/l/moved") == 0 && has_text("/l/moved", "text"));
    check("/proc/self is the process", has_text("/proc/self/comm", "linktest\n"));
}

static void test_hard_links(void)
{
    struct stat st;

    check("a file can get a second name",
          syscall(__NR_linkat, AT_FDCWD, "/l/dir/file", AT_FDCWD, "/l/second", 0) == 0 &&
              stat("/l/second", &st) == 0 && st.st_nlink == 2);
    check("a directory cannot",
          syscall(__NR_linkat, AT_FDCWD, "/l/dir", AT_FDCWD, "/l/third", 0) == -EPERM);
    check("and not on another file system",
          syscall(__NR_linkat, AT_FDCWD, "/l/dir/file", AT_FDCWD, "/dev/third", 0) == -EXDEV);
    check("it stays when the first is removed",
          unlink("/l/dir/file") == 0 && has_text("/l/second", "text") &&
              stat("/l/second", &st) == 0 && st.st_nlink == 1);
}

static unsigned int mode_of(const char *path)
{
    struct stat st = {0};

    stat(path, &st);
    return st.st_mode & 07777;
}

static void test_attributes(void)
{
    struct timespec times[2] = {{100, 0}, {200, 0}}, bad[2] = {{0, -1}, {0, 0}};
    struct stat st;
    int fd;

    syscall(__NR_umask, 027);
    put_file("/l/masked", "", 0666);
    check("umask takes permissions away", mode_of("/l/masked") == 0640);
    check("umask returns the old one", syscall(__NR_umask, 022) == 027);
    check("chmod sets a mode",
          syscall(__NR_fchmodat, AT_FDCWD, "/l/masked", 0600) == 0 && mode_of("/l/masked") == 0600);
    fd = open("/l/masked", O_RDWR, 0);
    check("fchmod, too", syscall(__NR_fchmod, fd, 0444) == 0 && mode_of("/l/masked") == 0444);
    check("a file without permission to write is EACCES",
          open("/l/masked", O_WRONLY, 0) == -EACCES);
    check("utimensat sets the times",
          syscall(__NR_utimensat, AT_FDCWD, "/l/masked", times, 0) == 0 && fstat(fd, &st) == 0 &&
              st.st_atime == 100 && st.st_mtime == 200);
    check("of an open file, too", syscall(__NR_utimensat, fd, NULL, NULL, 0) == 0 &&
                                      fstat(fd, &st) == 0 && st.st_mtime != 200);
    check("a wrong time is EINVAL",
          syscall(__NR_utimensat, AT_FDCWD, "/l/masked", bad, 0) == -EINVAL);
    check("root is the only owner",
          syscall(__NR_fchown, fd, 0, -1) == 0 && syscall(__NR_fchown, fd, 1, 1) == -EINVAL &&
              syscall(__NR_fchownat, AT_FDCWD, "/l/x", 0, 0, 0) == -ENOENT);
    close(fd);
    check("truncate needs a regular file", syscall(__NR_truncate, "/l/dir", 0) == -EISDIR &&
                                               syscall(__NR_truncate, "/l/second", 2) == 0 &&
                                               has_text("/l/second", "te"));
}

/* In a child: what it does not leave behind is not undone. */
static bool chroot_holds(void)
{
    char buf[32];
    int fd = open("/l", O_RDONLY | O_DIRECTORY, 0);

    if (syscall(__NR_fchdir, fd) || syscall(__NR_chroot, "/l/dir") || chdir("/") ||
        syscall(__NR_getcwd, buf, sizeof(buf)) != 2)
        return false;
    if (!has_text("/new", "made") || !has_text("/../../new", "made") || !has_text("../new", "made"))
        return false;
    mksymlink("/new", "/absolute");
    return has_text("/absolute", "made") && syscall(__NR_fchdir, fd) == 0 &&
           has_text("second", "te") && syscall(__NR_getcwd, buf, sizeof(buf)) > 0 &&
           !memcmp(buf, "(unreach", 8);
}

static void test_chroot(void)
{
    int status = 0;
    pid_t pid;

    put_file("/l/dir/file", "", 0644);
    pid = fork();
    if (!pid)
        _exit(chroot_holds());
    waitpid(pid, &status, 0);
    check("chroot changes what / is, also for .. and for links", WEXITSTATUS(status) == 1);
    check("and only for the caller", has_text("/l/dir/new", "made"));
}

static int run(const char *path, char *argument)
{
    char *argv[] = {"name", argument, NULL}, *envp[] = {NULL};
    int status = 0;
    pid_t pid = fork();

    if (!pid)
        _exit(-execve(path, argv, envp));
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void test_scripts(void)
{
    put_file("/l/script", "#! /bin/linktest  one argument \nrest\n", 0755);
    check("a script is run by its interpreter", run("/l/script", "end") == 55);
    put_file("/l/script2", "#!/l/script\n", 0755);
    check("which may be a script", run("/l/script2", "end") == 66);
    put_file("/l/none", "#!/l/nothing\n", 0755);
    check("an interpreter that is missing is ENOENT", run("/l/none", "") == ENOENT);
    put_file("/l/empty", "#! \n", 0755);
    check("one that is not named is ENOEXEC", run("/l/empty", "") == ENOEXEC);
    put_file("/l/self", "#!/l/self\n", 0755);
    check("a script that is its own interpreter is ELOOP", run("/l/self", "") == ELOOP);
}

/* Started by test_scripts(): says by the status how. */
static int started_by_script(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[0], "/bin/linktest") && !strcmp(argv[1], "one argument") &&
        !strcmp(argv[2], "/l/script") && !strcmp(argv[3], "end"))
        return 55;
    if (argc == 5 && !strcmp(argv[2], "/l/script") && !strcmp(argv[3], "/l/script2"))
        return 66;
    return 1;
}

static void test_sendfile(void)
{
    int from, to = open("/l/copy", O_WRONLY | O_CREAT, 0644);
    int64_t at = 1;

    put_file("/l/source", "abcdef", 0644);
    from = open("/l/source", O_RDONLY, 0);
    check("sendfile copies from a place, and moves it",
          syscall(__NR_sendfile, to, from, &at, 2) == 2 && at == 3 &&
              lseek(from, 0, SEEK_CUR) == 0);
    check("without one from the file's position",
          syscall(__NR_sendfile, to, from, NULL, 100) == 6 && has_text("/l/copy", "bcabcdef"));
    check("at the end nothing is left", syscall(__NR_sendfile, to, from, NULL, 100) == 0);
    check("it needs permission to write", syscall(__NR_sendfile, from, from, NULL, 1) == -EBADF);
    close(from);
    close(to);
}

struct pollfd {
    int fd;
    short events, revents;
};

static int poll_for(struct pollfd *fds, int n, long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};

    return syscall(__NR_ppoll, fds, n, &time, NULL, 8);
}

static void test_poll(void)
{
    enum { POLLIN = 1, POLLOUT = 4, POLLHUP = 16, POLLNVAL = 32 };
    struct pollfd fds[2];
    uint64_t before = clock_ns();
    int fd[2];
    pid_t pid;

    pipe(fd);
    fds[0] = (struct pollfd){fd[0], POLLIN, 0};
    fds[1] = (struct pollfd){fd[1], POLLIN | POLLOUT, 0};
    check("ppoll waits for the time", poll_for(fds, 1, 20) == 0 && clock_ns() - before >= 20000000);
    check("a pipe with room can be written",
          poll_for(fds, 2, 20) == 1 && fds[1].revents == POLLOUT);
    pid = fork();
    if (!pid) {
        sched_yield();
        write(fd[1], "x", 1);
        _exit(0);
    }
    check("a write wakes it", poll_for(fds, 1, 10000) == 1 && fds[0].revents == POLLIN);
    waitpid(pid, NULL, 0);
    close(fd[1]);
    check("the end of the writers is POLLHUP, a closed descriptor POLLNVAL",
          poll_for(fds, 2, 0) == 2 && fds[0].revents == (POLLIN | POLLHUP) &&
              fds[1].revents == POLLNVAL);
    close(fd[0]);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return started_by_script(argc, argv);
    test_symlinks();
    test_links_to_nothing();
    test_hard_links();
    test_attributes();
    test_chroot();
    test_scripts();
    test_sendfile();
    test_poll();
    return check_result();
}
