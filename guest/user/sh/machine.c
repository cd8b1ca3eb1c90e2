/* machine.c - the commands work, selftest, uname, dmesg, clear, poweroff and reboot. */
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

int list_workloads(int to)
{
    int fd = open("/proc/workload", O_RDWR, 0);
    int status = fd < 0 ? complain("work", "/proc/workload", fd) : copy_answer(fd, to);

    close(fd);
    return status;
}

int do_work(int argc, char **argv)
{
    unsigned long iterations = 0; /* the kernel's default */
    bool bad =
        argc < 2 || argc > 3 || (argc == 3 && (kstrtoul(argv[2], 10, &iterations) || !iterations));
    int fd, err, status;
    char command[64];

    if (bad) {
        usage_error(argv);
        list_workloads(2);
        return STATUS_USAGE;
    }
    fd = open("/proc/workload", O_RDWR, 0);
    if (fd < 0)
        return complain("work", "/proc/workload", fd);
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

/* ---- uname, dmesg, clear ---- */

int do_uname(int argc, char **argv)
{
    static const char letters[] = "snrvm";
    char names[6][65]; /* as struct new_utsname */
    struct options o = {.argv = argv + 1};
    unsigned int show = 0, i;
    struct strbuf line = {NULL, 0, 0};
    int c;

    (void)argc;
    while ((c = next_option(&o, "asnrvm"))) {
        if (c == '?')
            return usage_error(argv);
        show |= c == 'a' ? 31 : 1u << (strchr(letters, c) - letters);
    }
    syscall(__NR_uname, names);
    for (i = 0; i < 5; i++) {
        if (!((show ? show : 1) >> i & 1))
            continue;
        if (line.len)
            strbuf_addc(&line, ' ');
        strbuf_adds(&line, names[i]);
    }
    c = put_line(line.s);
    free(line.s);
    return c;
}

enum { SYSLOG_READ_ALL = 3, SYSLOG_SIZE = 10 };

int do_dmesg(int argc, char **argv)
{
    long size = syscall(__NR_syslog, SYSLOG_SIZE, NULL, 0);
    char *text = shell_alloc(max(size, 1l));
    long n = syscall(__NR_syslog, SYSLOG_READ_ALL, text, size);
    int status = n < 0 ? complain(argv[0], "syslog", n) : put(text, n);

    (void)argc;
    free(text);
    return status;
}

int do_clear(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return put("\033[H\033[J", 6);
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
