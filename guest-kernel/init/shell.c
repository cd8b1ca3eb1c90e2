/*
 * shell.c - reading commands, from the boot line or the console.
 *
 * A command is words, split at blanks, with 'quotes' keeping blanks and
 * patterns whole; `;`, `&` and newline end it, `#` starts a comment, `> FILE`
 * and `>> FILE` send its output elsewhere.  After `&` the shell does not wait:
 * the command runs in a thread of its own, and `wait` waits for all of those.
 */
#include "shell.h"
#include <linux/console.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>

/* From the boot line: commands to run instead of asking for them. */
static char *boot_script;

static int set_boot_script(char *value)
{
    boot_script = value;
    return 0;
}
__setup("script=", set_boot_script);

void shell_error(const char *fmt, ...)
{
    char buf[200];
    va_list args;
    int n;

    n = scnprintf(buf, sizeof(buf), "sh: ");
    va_start(args, fmt);
    vsnprintf(buf + n, sizeof(buf) - n, fmt, args);
    va_end(args);
    console_write(buf, strlen(buf));
    console_write("\n", 1);
}

int shell_write(struct command *cmd, const char *buf, size_t n)
{
    while (n) {
        ssize_t done = file_write(cmd->out, buf, n);

        if (done <= 0) {
            shell_error("write error: %s", strerror(done ? -done : EIO));
            return done ? done : -EIO;
        }
        buf += done;
        n -= done;
    }
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts one word off *p, quotes removed in place. NULL: an unclosed quote. */
static char *cut_word(char **p)
{
    char *from = *p, *to = *p, *word = *p;
    char quote = 0;

    for (; *from && (quote || (!is_blank(*from) && *from != '>')); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else
            *to++ = *from;
    }
    if (quote)
        return NULL;
    *p = is_blank(*from) ? from + 1 : from;
    /* A '>' right behind the word must survive the end mark. */
    if (*from == '>' && to == from)
        return word;
    *to = 0;
    return word;
}

static char *skip_blanks(char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/* Opens what follows a '>'; p points behind the first one. */
static int open_redirection(struct command *cmd, char **p)
{
    unsigned int flags = O_WRONLY | O_CREAT | O_TRUNC;
    char *path;

    if (**p == '>') {
        flags = O_WRONLY | O_CREAT | O_APPEND;
        (*p)++;
    }
    *p = skip_blanks(*p);
    path = **p ? cut_word(p) : NULL;
    if (!path) {
        shell_error("syntax error in redirection");
        return -EINVAL;
    }
    if (cmd->redirected)
        filp_close(cmd->out);
    cmd->redirected = false;
    cmd->out = filp_open(path, flags, 0644);
    if (IS_ERR(cmd->out)) {
        shell_error("cannot open %s: %s", path, strerror(-PTR_ERR(cmd->out)));
        return PTR_ERR(cmd->out);
    }
    cmd->redirected = true;
    return 0;
}

static int add_word(struct command *cmd, char **p)
{
    char *word = cut_word(p);

    if (!word || cmd->argc == MAX_WORDS) {
        shell_error(word ? "too many words" : "unclosed quote");
        return -EINVAL;
    }
    cmd->argv[cmd->argc++] = word;
    return 0;
}

static int parse_command(struct command *cmd, char *line)
{
    char *p = line;
    int err = 0;

    while (!err && *(p = skip_blanks(p))) {
        if (*p == '>') {
            *p++ = 0; /* ends a word that stands right before it */
            err = open_redirection(cmd, &p);
        } else {
            err = add_word(cmd, &p);
        }
    }
    return err;
}

static void report_close(int err)
{
    if (err)
        shell_error("write error: %s", strerror(-err));
}

static void run_command(char *line)
{
    struct command cmd = {.out = filp_open("/dev/console", O_RDWR, 0)};
    struct file *console = cmd.out;

    if (!parse_command(&cmd, line) && cmd.argc && run_builtin(&cmd) == -ENOENT)
        shell_error("%s: not found", cmd.argv[0]);
    if (cmd.redirected)
        report_close(filp_close(cmd.out));
    filp_close(console);
}

/* Commands behind `&` that still run. */
static DEFINE_SPINLOCK(jobs_lock);
static unsigned int jobs_running;      /* under jobs_lock */
static struct wait_queue_head jobs_wq; /* its lock is unused: jobs_lock guards it */

static int job_thread(void *line)
{
    unsigned long flags;

    run_command(line);
    kfree(line);
    spin_lock_irqsave(&jobs_lock, flags);
    if (!--jobs_running)
        wake_up_locked(&jobs_wq);
    spin_unlock_irqrestore(&jobs_lock, flags);
    return 0;
}

static void run_in_background(const char *line)
{
    char *copy = kmalloc(strlen(line) + 1);
    struct task_struct *p = ERR_PTR(-ENOMEM);
    unsigned long flags;

    if (copy) {
        strscpy(copy, line, strlen(line) + 1);
        p = kthread_create(job_thread, copy, "sh");
    }
    if (IS_ERR(p)) {
        shell_error("cannot fork: %s", strerror(-PTR_ERR(p)));
        kfree(copy);
        return;
    }
    spin_lock_irqsave(&jobs_lock, flags);
    jobs_running++;
    spin_unlock_irqrestore(&jobs_lock, flags);
    wake_up_new_task(p);
}

/* Only the shell itself waits, so one waiter is all there can be. */
void shell_wait_for_jobs(void)
{
    struct wait_queue_entry self = {.task = current};
    unsigned long flags;

    spin_lock_irqsave(&jobs_lock, flags);
    while (jobs_running) {
        list_add_tail(&self.entry, &jobs_wq.head);
        set_current_state(TASK_UNINTERRUPTIBLE);
        spin_unlock_irqrestore(&jobs_lock, flags);
        schedule();
        spin_lock_irqsave(&jobs_lock, flags);
        if (!list_empty(&self.entry))
            list_del_init(&self.entry);
    }
    spin_unlock_irqrestore(&jobs_lock, flags);
}

static void run_line(char *line, bool background)
{
    if (background)
        run_in_background(line);
    else
        run_command(line);
}

/* Cuts at the next end of command outside quotes, comment dropped; answers the rest or NULL. */
static char *cut_command(char *line, bool *background)
{
    char quote = 0, last = ' ';

    *background = false;

    for (; *line; last = *line++) {
        if (quote ? *line == quote : *line == '\'' || *line == '"')
            quote = quote ? 0 : *line;
        if (quote)
            continue;
        if (*line == ';' || *line == '\n' || *line == '&') {
            *background = *line == '&';
            *line = 0;
            return line + 1;
        }
        if (*line == '#' && is_blank(last)) {
            *line++ = 0;
            line += strnlen(line, (size_t)-1);
            return NULL;
        }
    }
    return NULL;
}

static void show_command(const char *line, bool background)
{
    char text[600];
    int n = scnprintf(text, sizeof(text), "# %s%s\n", line, background ? " &" : "");

    console_write(text, n);
}

/* Shows each command behind a prompt, as if somebody had typed it. */
static void run_script(char *script)
{
    while (script) {
        char *line = script;
        bool background;

        script = cut_command(line, &background);
        line = strstrip(line);
        if (!*line)
            continue;
        show_command(line, background);
        run_line(line, background);
    }
    shell_wait_for_jobs();
}

static void read_line(struct file *in, char *buf, size_t size)
{
    ssize_t n = file_read(in, buf, size - 1);

    buf[n > 0 ? n : 0] = 0;
}

static void interact(void)
{
    static char line[1024]; /* the shell's thread only */
    struct file *in = filp_open("/dev/console", O_RDWR, 0);

    for (;;) {
        char *next = line;

        console_write("# ", 2);
        read_line(in, line, sizeof(line));
        while (next) {
            char *command = next;
            bool background;

            next = cut_command(command, &background);
            run_line(command, background);
        }
    }
}

int run_init_process(void)
{
    init_waitqueue_head(&jobs_wq);
    set_task_comm(current, "sh");
    if (!boot_script)
        interact();
    run_script(boot_script);
    machine_power_off();
}
