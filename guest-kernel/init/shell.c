/* shell.c - where commands come from: the boot line, or the terminal. */
#include "shell.h"
#include "applet.h"
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/reboot.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tty.h>

/* From the boot line: commands to run instead of asking for them. */
static char *boot_script;

static int set_boot_script(char *value)
{
    boot_script = value;
    return 0;
}
__setup("script=", set_boot_script);

bool shell_stack_low(void)
{
    unsigned long here = (unsigned long)__builtin_frame_address(0);

    return here - (unsigned long)current->stack < THREAD_SIZE / 2;
}

static void run_program_tree(struct shell *sh, struct program *prog)
{
    sh->prog = prog;
    if (prog->root)
        run_node(sh, prog->root);
    sh->prog = NULL;
    program_put(prog);
}

/*
 * The text of a command without the blanks around it and the `;` behind, in one piece: other tasks
 * write to the console as well.
 */
static void show_command(const char *from, const char *to)
{
    struct strbuf line = {NULL, 0, 0};

    while (from < to && strchr(" \t\r\n;", *from))
        from++;
    while (to > from && strchr(" \t\r\n;", to[-1]))
        to--;
    if (from < to) {
        strbuf_addn(&line, "# ", 2);
        strbuf_addn(&line, from, to - from);
        strbuf_addc(&line, '\n');
        put(line.s, line.len);
        kfree(line.s);
    }
}

/* Shows each command behind a prompt, as if somebody had typed it. */
static void run_boot_script(struct shell *sh, const char *text)
{
    enum parse_status parsed;
    struct program *prog;
    const char *from = text;

    while (!sh->leaving && (parsed = shell_parse(&text, &prog)) != PARSE_END) {
        if (parsed == PARSE_OK) {
            if (prog->root)
                show_command(from, text);
            run_program_tree(sh, prog);
        } else {
            if (parsed == PARSE_INCOMPLETE)
                shell_error("syntax error: unexpected end of file");
            sh->status = STATUS_USAGE;
            sh->leaving = LEAVE_EXIT;
        }
        from = text;
    }
    wait_for_jobs(sh);
}

/* ---- at the terminal ---- */

enum { READ_CHUNK = 256 };

/* Adds a line; an interrupt drops what was typed so far, the end of the input goes unheard. */
static void read_line(struct strbuf *input, const char *prompt)
{
    char chunk[READ_CHUNK];
    struct file *in = fget(0);
    ssize_t n;

    put(prompt, 2);
    do {
        n = in ? file_read(in, chunk, sizeof(chunk)) : -EBADF;
        if (n > 0)
            strbuf_addn(input, chunk, n);
    } while (n == sizeof(chunk) && chunk[n - 1] != '\n');
    if (in)
        fput(in);
    if (n != -EINTR)
        return;
    dequeue_signal();
    input->len = 0;
}

/* Runs what is whole of the input; true: the rest wants another line. */
static bool run_input(struct shell *sh, struct strbuf *input)
{
    const char *text = input->len ? input->s : "";
    enum parse_status parsed = PARSE_OK;
    const char *whole = text;
    struct program *prog;

    while (!sh->leaving && (parsed = shell_parse(&text, &prog)) == PARSE_OK) {
        whole = text;
        run_program_tree(sh, prog);
    }
    if (parsed == PARSE_INCOMPLETE && !sh->leaving) {
        memmove(input->s, whole, strlen(whole) + 1);
        input->len = strlen(input->s);
        return true;
    }
    input->len = 0;
    return false;
}

static void interact(struct shell *sh)
{
    struct strbuf input = {NULL, 0, 0};
    bool more = false;

    sh->interactive = true;
    current->pgrp = current->pid;
    tty_set_pgrp(current->pgrp);
    allow_signal(SIGINT);
    while (sh->leaving != LEAVE_EXIT) {
        reap_jobs(sh);
        sh->leaving = LEAVE_NOT;
        read_line(&input, more ? "> " : "# ");
        more = run_input(sh, &input);
    }
}

static void open_console(void)
{
    struct file *console;
    unsigned int fd;

    if (unshare_files())
        panic("no memory for file descriptors");
    console = filp_open("/dev/console", O_RDWR, 0);
    if (IS_ERR(console))
        panic("cannot open /dev/console: %s", strerror(-PTR_ERR(console)));
    for (fd = 0; fd < 3; fd++)
        replace_fd(fd, console, 0);
    fput(console);
}

int run_init_process(void)
{
    struct shell *sh;

    open_console();
    set_task_comm(current, "sh");
    sh = shell_new("sh", NULL);
    if (boot_script)
        run_boot_script(sh, boot_script);
    else
        interact(sh);
    machine_exit(sh->leaving == LEAVE_EXIT ? sh->status : 0);
}
