/* machine.c - the commands work, selftest, poweroff and reboot. */
#include "applet.h"
#include "shell.h"

/* ---- workloads ---- */

/* Copies the contents of an open /proc/workload. */
static int copy_answer(int fd, int to)
{
    char buf[1024];
    ssize_t n;

    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, buf, sizeof(buf))) > 0)
        if (write_all(to, buf, n))
            return STATUS_ERROR;
    return n ? STATUS_ERROR : 0;
}

int do_work(int argc, char **argv)
{
    unsigned long iterations = 0;
    bool bad = argc < 2 || argc > 3 || (argc == 3 && kstrtoul(argv[2], 10, &iterations));
    int fd = open("/proc/workload", O_RDWR, 0), err, status;
    char command[64];

    if (fd < 0)
        return complain("work", "/proc/workload", fd);
    if (bad) {
        usage_error(argv);
        copy_answer(fd, 2);
        close(fd);
        return STATUS_USAGE;
    }
    snprintf(command, sizeof(command), "%s %lu\n", argv[1], iterations);
    err = write(fd, command, strlen(command));
    if (err < 0)
        shell_error("work: unknown workload %s", argv[1]);
    status = err < 0 ? STATUS_ERROR : copy_answer(fd, 1);
    close(fd);
    return status;
}

/* ---- tests of the kernel ---- */

static int run_suite(const char *name)
{
    int fd = open("/proc/kunit", O_WRONLY, 0), err;
    char *line;

    if (fd < 0)
        return complain("selftest", "/proc/kunit", fd);
    line = path_below(name, "");
    line[strlen(name)] = '\n';
    err = write(fd, line, strlen(name) + 1);
    if (err < 0)
        shell_error("selftest: unknown suite %s", name);
    free(line);
    close(fd);
    return err < 0 ? STATUS_ERROR : 0;
}

/* Without arguments: all suites that are not slow. A failed suite ends the machine. */
int do_selftest(int argc, char **argv)
{
    int i, status = argc > 1 ? 0 : run_suite("");

    for (i = 1; i < argc; i++)
        status = run_suite(argv[i]) ? STATUS_ERROR : status;
    return status;
}

/* ---- poweroff and reboot ---- */

#define REBOOT_MAGIC1    0xfee1dead
#define REBOOT_MAGIC2    672274793
#define REBOOT_RESTART   0x01234567
#define REBOOT_POWER_OFF 0x4321fedc

static int end_machine(const char *how, unsigned int command)
{
    return complain(how, "reboot", syscall(__NR_reboot, REBOOT_MAGIC1, REBOOT_MAGIC2, command));
}

int do_poweroff(int argc, char **argv)
{
    (void)argc;
    return end_machine(argv[0], REBOOT_POWER_OFF);
}

int do_reboot(int argc, char **argv)
{
    (void)argc;
    return end_machine(argv[0], REBOOT_RESTART);
}
