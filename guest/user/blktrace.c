/*
 * blktrace.c - records what a block device does while a command runs, for the host's blkparse.
 *
 *     blktrace DEVICE NAME COMMAND
 *
 * writes the records of each hart to NAME.blktrace.N as they come; NAME should not be on the
 * device. The kernel's files are in debugfs, which is mounted.
 */
#include "libc.h"
#include <uapi/linux/blktrace_api.h>

enum { HARTS_MAX = 8, POLLIN = 1, POLL_NS = 10000000 };

struct pollfd {
    int fd;
    short events, revents;
};

/* The records of each hart. */
static struct pollfd in[HARTS_MAX];
static int out[HARTS_MAX], harts;
static long bytes[HARTS_MAX];

static pid_t start(const char *command)
{
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    pid_t pid = fork();

    if (pid)
        return pid;
    execve("/bin/sh", argv, environ);
    _exit(127);
}

static void open_files(const struct blk_user_trace_setup *setup, const char *name)
{
    char path[80];

    for (harts = 0; harts < HARTS_MAX; harts++) {
        snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/trace%d", setup->name, harts);
        in[harts] = (struct pollfd){open(path, O_RDONLY, 0), POLLIN, 0};
        if (in[harts].fd < 0)
            break;
        snprintf(path, sizeof(path), "%s.blktrace.%d", name, harts);
        out[harts] = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    }
}

/* Copies what there is; false: nothing. */
static bool copy(int hart)
{
    static char buf[4096];
    long before = bytes[hart], n;

    while ((n = read(in[hart].fd, buf, sizeof(buf))) > 0 && write(out[hart], buf, n) == n)
        bytes[hart] += n;
    return bytes[hart] != before;
}

/* Copies records until the command ends; returns its status. */
static int copy_while_running(pid_t pid)
{
    const struct timespec wait = {0, POLL_NS};
    int wake_ups = 0, early = 0, status = 0, i;

    while (!waitpid(pid, &status, WNOHANG)) {
        if (syscall(__NR_ppoll, in, harts, &wait, NULL, 0) > 0)
            wake_ups++;
        for (i = 0; i < harts; i++)
            early += in[i].revents & POLLIN && !copy(i);
    }
    printf("blktrace: woken %d times, %d times without a record\n", wake_ups, early);
    return WEXITSTATUS(status);
}

static void finish_files(const char *name)
{
    int i;

    for (i = 0; i < harts; i++) {
        copy(i);
        printf("%s.blktrace.%d: %ld bytes\n", name, i, bytes[i]);
        close(in[i].fd);
        close(out[i]);
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
    if (err >= 0) {
        open_files(&setup, argv[2]);
        err = ioctl(fd, BLKTRACESTART, NULL);
    }
    if (err < 0) {
        printf("blktrace: %s: error %d\n", argv[1], -err);
        return 1;
    }
    status = copy_while_running(start(argv[3]));
    ioctl(fd, BLKTRACESTOP, NULL);
    finish_files(argv[2]);
    ioctl(fd, BLKTRACETEARDOWN, NULL);
    return status;
}
