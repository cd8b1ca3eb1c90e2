/*
 * main.c - start of the shell, and input from the command line, a file or the terminal.
 *
 * As init (pid 1) the shell mounts debugfs and runs the commands in the variable `script`, which
 * the kernel's command line sets; without it, it reads commands from the terminal. When it ends,
 * the machine ends with its status.
 */
#include "applet.h"
#include "shell.h"

enum { STACK_ROOM = 1 << 20 }; /* bytes of the 8 MiB stack that may be used */

static char *stack_base; /* set by main() */

bool shell_stack_low(void)
{
    return stack_base - (char *)__builtin_frame_address(0) > STACK_ROOM;
}

static void run_program_tree(struct shell *sh, struct program *prog)
{
    sh->prog = prog;
    if (prog->root)
        run_node(sh, prog->root);
    sh->prog = NULL;
    program_put(prog);
}

/* Returns a command without surrounding blanks and the `;` after it, to be freed. */
static char *without_ends(const char *from, const char *to)
{
    while (from < to && strchr(" \t\r\n;", *from))
        from++;
    while (to > from && strchr(" \t\r\n;", to[-1]))
        to--;
    return shell_strndup(from, to - from);
}

/* Prints a command in one write, since other tasks write to the console, too. */
static void show_command(const char *from, const char *to)
{
    char *command = without_ends(from, to);

    struct strbuf line = {NULL, 0, 0};

    if (*command) {
        strbuf_adds(&line, "# ");
        strbuf_adds(&line, command);
        strbuf_addc(&line, '\n');
        put(line.s, line.len);
        free(line.s);
    }
    free(command);
}

/* Prints each command after a prompt, as if it had been typed. */
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

/* Adds a line to the input; an interrupt drops all input. Returns false at end of file. */
static bool read_line(struct strbuf *input, const char *prompt)
{
    char chunk[READ_CHUNK];
    ssize_t n;

    if (prompt)
        n = edit_line(prompt, input);
    else
        do {
            n = read(0, chunk, sizeof(chunk));
            if (n > 0)
                strbuf_addn(input, chunk, n);
        } while (n == sizeof(chunk) && chunk[n - 1] != '\n');
    if (shell_was_interrupted())
        input->len = 0;
    return n > 0 || n == -EINTR;
}

/* Runs the complete commands of the input; returns true if the rest is incomplete. */
static bool run_input(struct shell *sh, struct strbuf *input)
{
    const char *text = input->len ? input->s : "";
    enum parse_status parsed = PARSE_OK;
    const char *whole = text;
    struct program *prog;

    while (!sh->leaving && (parsed = shell_parse(&text, &prog)) == PARSE_OK) {
        free(sh->command);
        sh->command = without_ends(whole, text);
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

/* Reads and runs commands, with a prompt on a terminal. `endless`: continues after end of file. */
static void run_standard_input(struct shell *sh, bool endless)
{
    struct strbuf input = {NULL, 0, 0};
    bool more = false;

    while (sh->leaving != LEAVE_EXIT) {
        const char *prompt = more ? "> " : "# ";

        reap_jobs(sh);
        sh->leaving = LEAVE_NOT;
        if (!read_line(&input, sh->interactive ? prompt : NULL) && !endless)
            break;
        more = run_input(sh, &input);
    }
}

/*
 * The session of an interactive shell has the terminal, for ^C and jobs. If it has none, this
 * process or, because it leads a group, a child becomes the leader of a new session.
 */
static void take_terminal(void)
{
    int pgrp, status = 0;
    pid_t pid;

    if (!ioctl(0, TIOCGPGRP, &pgrp))
        return;
    if (syscall(__NR_setsid) < 0) {
        pid = fork();
        if (pid > 0) {
            while (waitpid(pid, &status, 0) == -EINTR)
                ;
            _exit(exit_status(status));
        }
        syscall(__NR_setsid);
    }
    ioctl(0, TIOCSCTTY, NULL);
}

static void become_interactive(struct shell *sh)
{
    take_terminal();
    setpgid(0, 0);
    sh->interactive = true;
    sh->own_pgrp = getpid();
    ioctl(0, TIOCSPGRP, &sh->own_pgrp);
    shell_catch_interrupts();
}

static bool is_terminal(int fd)
{
    struct termios settings;

    return !ioctl(fd, TCGETS, &settings);
}

static void interact(struct shell *sh, bool endless)
{
    sh->pgrp = 0;
    if (is_terminal(0))
        become_interactive(sh);
    run_standard_input(sh, endless);
}

int run_input_to_end(struct shell *sh, const char *unused)
{
    (void)unused;
    interact(sh, false);
    return sh->status;
}

/* ---- start ---- */

/* As the init of distributions does: most articles on ftrace use /sys/kernel/debug/tracing. */
static void mount_debugfs(void)
{
    mount("debugfs", "/sys/kernel/debug", "debugfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static void show_banner(void)
{
    put_line("This is rvftrace's guest kernel: ftrace as in Linux, in /sys/kernel/tracing.");
    put_line("`help' lists the commands, `help work' the workloads that can be traced.");
    put_line("TAB completes, arrows recall; `poweroff' or Ctrl-A x ends the machine.");
}

static void run_init(struct shell *sh)
{
    const char *value = shell_getvar(sh, "script");
    char *script = value ? shell_strdup(value) : NULL;

    mount_debugfs();
    shell_unsetvar(sh, "script"); /* for this shell only */
    if (script) {
        run_boot_script(sh, script);
    } else {
        show_banner();
        interact(sh, true);
    }
}

static void run_arguments(struct shell *sh, int argc, char **argv)
{
    sh->pgrp = syscall(__NR_getpgid, 0);
    if (argc < 2)
        interact(sh, false);
    else if (!strcmp(argv[1], "-c") && argc > 2)
        run_text(sh, argv[2]);
    else
        run_script_file(sh, argv[1]);
}

/* Returns the arguments from $0 on: of `sh -c COMMAND NAME WORDS`, or of `sh FILE WORDS`. */
static char **script_arguments(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "-c"))
        return argc > 3 ? argv + 3 : argv;
    return argc > 1 ? argv + 1 : argv;
}

static const char *last_component(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

/* If the program's name is an applet, runs that. */
int main(int argc, char **argv)
{
    bool is_init = getpid() == 1;
    const struct applet *applet = is_init ? NULL : find_applet(last_component(argv[0]));
    char **args;
    struct shell *sh;

    stack_base = __builtin_frame_address(0);
    if (applet && applet->run)
        return applet->run(argc, argv);
    args = is_init ? argv + argc - 1 : script_arguments(argc, argv);
    sh = shell_new(is_init ? "sh" : args[0], args + 1);
    sh->pid = getpid();
    shell_import(sh, environ);
    shell_set_default_path(sh);
    if (is_init)
        run_init(sh);
    else
        run_arguments(sh, argc, argv);
    return sh->status;
}
