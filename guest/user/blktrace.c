/*
 * blktrace.c - records what a block device does while a command runs, for the host's blkparse.
 *
 *     blktrace DEVICE NAME COMMAND
 *
 * writes the records of each hart to NAME.blktrace.N; NAME should not be on the device. The
 * kernel's files are in debugfs, which is mounted.
 */
#include "libc.h"
#include <uapi/linux/blktrace_api.h>

static int run(const char *command)
{
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    int status = 0;
    pid_t pid = fork();

    if (!pid) {
        execve("/bin/sh", argv, environ);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

/* Copies a file; returns the number of bytes, or a negative error. */
static long copy(const char *from, const char *to)
{
    static char buf[4096];
    int in = open(from, O_RDONLY, 0), out;
    long n, bytes = 0;

    if (in < 0)
        return in;
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    while (out >= 0 && (n = read(in, buf, sizeof(buf))) > 0) {
        if (write(out, buf, n) != n)
            return -EIO;
        bytes += n;
    }
    close(in);
    close(out);
    return out < 0 ? out : bytes;
}

static void save(const struct blk_user_trace_setup *setup, const char *name)
{
    char from[80], to[80];
    int cpu;

    for (cpu = 0;; cpu++) {
        long bytes;

        snprintf(from, sizeof(from), "/sys/kernel/debug/block/%s/trace%d", setup->name, cpu);
        snprintf(to, sizeof(to), "%s.blktrace.%d", name, cpu);
        bytes = copy(from, to);
        if (bytes < 0)
            break;
        printf("%s: %ld bytes\n", to, bytes);
    }
}

int main(int argc, char **argv)
{
    struct blk_user_trace_setup setup = {.buf_size = 64 * 1024, .buf_nr = 4};
    int fd, err, status;

    if (argc != 4) {
        printf("usage: blktrace DEVICE NAME COMMAND\n");
        return 2;
    }
    fd = open(argv[1], O_RDONLY, 0);
    err = fd < 0 ? fd : ioctl(fd, BLKTRACESETUP, &setup);
    if (err >= 0)
        err = ioctl(fd, BLKTRACESTART, NULL);
    if (err < 0) {
        printf("blktrace: %s: error %d\n", argv[1], -err);
        return 1;
    }
    status = run(argv[3]);
    ioctl(fd, BLKTRACESTOP, NULL);
    save(&setup, argv[2]);
    ioctl(fd, BLKTRACETEARDOWN, NULL);
    return status;
}
