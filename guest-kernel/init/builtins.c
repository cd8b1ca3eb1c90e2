/* builtins.c - the commands of the shell. */
#include "shell.h"
#include <asm/page.h>
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workload.h>

enum { COPY_CHUNK = 2048 };

struct builtin {
    const char *name, *usage;
    int (*run)(struct command *cmd);
};

static int usage_error(const struct command *cmd, const char *usage)
{
    shell_error("usage: %s %s", cmd->argv[0], usage);
    return -EINVAL;
}

/* One write for the whole line: that is what a file takes as one command. */
static int do_echo(struct command *cmd)
{
    char line[512];
    int i, n = 0;

    for (i = 1; i < cmd->argc; i++)
        n += scnprintf(line + n, sizeof(line) - 1 - n, "%s%s", i > 1 ? " " : "", cmd->argv[i]);
    line[n++] = '\n';
    return shell_write(cmd, line, n);
}

/* Bytes of buf up to and with the end of the n-th line; counts *lines down. */
static size_t lines_in(const char *buf, size_t n, unsigned long *lines)
{
    size_t i;

    for (i = 0; i < n && *lines; i++)
        *lines -= buf[i] == '\n';
    return i;
}

static int copy_lines(struct command *cmd, const char *path, unsigned long lines)
{
    struct file *in = filp_open(path, O_RDONLY, 0);
    char *buf;
    ssize_t n = 0;
    int err = 0;

    if (!IS_ERR(in) && S_ISDIR(in->f_inode->i_mode)) {
        filp_close(in);
        in = ERR_PTR(-EISDIR);
    }
    if (IS_ERR(in)) {
        shell_error("cannot open %s: %s", path, strerror(-PTR_ERR(in)));
        return PTR_ERR(in);
    }
    buf = kmalloc(COPY_CHUNK);
    while (buf && lines && !err && (n = file_read(in, buf, COPY_CHUNK)) > 0)
        err = shell_write(cmd, buf, lines_in(buf, n, &lines));
    if (!buf || n < 0) {
        err = buf ? n : -ENOMEM;
        shell_error("read error: %s", strerror(-err));
    }
    kfree(buf);
    filp_close(in);
    return err;
}

static int do_cat(struct command *cmd)
{
    int i, err = 0;

    if (cmd->argc < 2)
        return usage_error(cmd, "FILE...");
    for (i = 1; i < cmd->argc && !err; i++)
        err = copy_lines(cmd, cmd->argv[i], ~0UL);
    return err;
}

static int do_head(struct command *cmd)
{
    unsigned long lines = 10;
    int file = 1;

    if (cmd->argc == 4 && !strcmp(cmd->argv[1], "-n")) {
        if (kstrtoul(cmd->argv[2], 10, &lines))
            return usage_error(cmd, "[-n LINES] FILE");
        file = 3;
    }
    if (cmd->argc != file + 1)
        return usage_error(cmd, "[-n LINES] FILE");
    return copy_lines(cmd, cmd->argv[file], lines);
}

static void print_workload(const char *name)
{
    shell_error("  %s", name);
}

static int do_work(struct command *cmd)
{
    unsigned long iterations = 0;

    if (cmd->argc < 2 || cmd->argc > 3 ||
        (cmd->argc == 3 && kstrtoul(cmd->argv[2], 10, &iterations))) {
        usage_error(cmd, "NAME [N]");
        workload_list(print_workload);
        return -EINVAL;
    }
    if (workload_command(cmd->argv[1], iterations)) {
        shell_error("work: no workload called %s", cmd->argv[1]);
        return -EINVAL;
    }
    return 0;
}

/* What fails here is this kernel: nothing it does afterwards would be worth much. */
static int do_selftest(struct command *cmd)
{
    int i = 1, err;

    do {
        err = kunit_run(i < cmd->argc ? cmd->argv[i] : NULL);
        if (err == -EINVAL)
            shell_error("selftest: no suite called %s", cmd->argv[i]);
        else if (err)
            machine_fail();
    } while (++i < cmd->argc);
    return err;
}

/* Seconds with up to three decimals. */
static int do_sleep(struct command *cmd)
{
    unsigned long seconds, millis = 0, scale = 100;
    char *point;

    if (cmd->argc != 2)
        return usage_error(cmd, "SECONDS");
    point = strchr(cmd->argv[1], '.');
    if (point)
        *point++ = 0;
    for (; point && *point >= '0' && *point <= '9'; point++, scale /= 10)
        millis += (*point - '0') * scale;
    if (kstrtoul(cmd->argv[1], 10, &seconds) || (point && *point))
        return usage_error(cmd, "SECONDS");
    msleep(seconds * 1000 + millis);
    return 0;
}

static char state_char(const struct task_struct *p)
{
    if (p->on_cpu)
        return 'R';
    switch (p->state) {
    case TASK_INTERRUPTIBLE: return 'S';
    case TASK_UNINTERRUPTIBLE: return 'D';
    case TASK_DEAD: return 'X';
    default: return 'R';
    }
}

/* Collected under the lock, written without it: the console may take its time. */
static int do_ps(struct command *cmd)
{
    char *text = kmalloc(PAGE_SIZE);
    struct task_struct *p;
    unsigned long flags;
    int n, err;

    if (!text)
        return -ENOMEM;
    n = scnprintf(text, PAGE_SIZE, "  PID CPU STAT COMMAND\n");
    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(p, &task_list, tasks) n += scnprintf(
        text + n, PAGE_SIZE - n, "%5d %3d %c    %s\n", p->pid, p->cpu, state_char(p), p->comm);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    err = shell_write(cmd, text, n);
    kfree(text);
    return err;
}

static int do_wait(struct command *cmd)
{
    (void)cmd;
    shell_wait_for_jobs();
    return 0;
}

static int do_poweroff(struct command *cmd)
{
    (void)cmd;
    machine_power_off();
}

static int do_help(struct command *cmd);

static const struct builtin builtins[] = {
    {"echo", "WORDS... [> FILE | >> FILE]", do_echo},
    {"cat", "FILE...", do_cat},
    {"head", "[-n LINES] FILE", do_head},
    {"work", "NAME [N]", do_work},
    {"sleep", "SECONDS", do_sleep},
    {"selftest", "[SUITE...]", do_selftest},
    {"ps", "", do_ps},
    {"wait", "", do_wait},
    {"help", "", do_help},
    {"poweroff", "", do_poweroff},
};

static int do_help(struct command *cmd)
{
    char line[100];
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(builtins); i++) {
        int n = scnprintf(line, sizeof(line), "%s %s\n", builtins[i].name, builtins[i].usage);

        if (shell_write(cmd, line, n))
            return -EIO;
    }
    return 0;
}

int run_builtin(struct command *cmd)
{
    unsigned int i;
    int err;

    for (i = 0; i < ARRAY_SIZE(builtins); i++) {
        if (strcmp(cmd->argv[0], builtins[i].name))
            continue;
        err = builtins[i].run(cmd);
        return err == -ENOENT ? -EIO : err; /* -ENOENT is ours to give */
    }
    return -ENOENT;
}
