/*
 * jobs.c - commands in child processes.
 *
 * A child is created for each member of a pipeline, for a subshell, a command started by `&`,
 * the command of $(...), and every command that is not built in. It has a copy of the shell's
 * state, descriptors and working directory.
 */
#include "applet.h"
#include "shell.h"

enum { PIPE_CHUNK = 1024, SUBSTITUTION_MAX = 1 << 18 };

/* ---- interrupts ---- */

static volatile bool interrupted;

static void note_interrupt(int sig)
{
    (void)sig;
    interrupted = true;
}

static void set_actions(unsigned long interrupt, unsigned long stop)
{
    static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    struct sigaction act = {.handler = interrupt};
    unsigned int i;

    sigaction(SIGINT, &act, NULL);
    act.handler = stop;
    for (i = 0; i < ARRAY_SIZE(stops); i++)
        sigaction(stops[i], &act, NULL);
}

void shell_catch_interrupts(void)
{
    set_actions((unsigned long)note_interrupt, SIG_IGN);
}

bool shell_was_interrupted(void)
{
    bool was = interrupted;

    interrupted = false;
    return was;
}

void shell_check_interrupt(struct shell *sh)
{
    if (!sh->interactive || !shell_was_interrupted() || sh->leaving)
        return;
    put("\n", 1);
    sh->status = STATUS_SIGNAL + SIGINT;
    sh->leaving = LEAVE_INTERRUPT;
}

/* ---- children ---- */

static void enter_child(struct shell *sh, pid_t pgrp, bool foreground)
{
    setpgid(0, pgrp);
    sh->pgrp = syscall(__NR_getpgid, 0);
    if (sh->interactive && foreground)
        set_foreground(sh->pgrp); /* while SIGTTOU is ignored; the shell does the same */
    if (sh->interactive)
        set_actions(SIG_DFL, SIG_DFL);
    sh->interactive = sh->last = false;
    shell_forget_jobs(sh);
    close_saved_fds();
}

/*
 * Forks. Returns 0 in the child, its pid in the shell, or -1 after a message. The child joins
 * the group pgrp; 0: its own group, unless the shell has one for all children. foreground: the
 * shell waits for it.
 */
static pid_t start_child(struct shell *sh, pid_t pgrp, bool foreground)
{
    pid_t pid = fork();

    if (pid < 0) {
        shell_error("cannot fork: %s", strerror(-pid));
        return -1;
    }
    pgrp = sh->pgrp ? sh->pgrp : pgrp;
    if (!pid)
        enter_child(sh, pgrp, foreground);
    else
        setpgid(pid, pgrp ? pgrp : pid); /* both set it, since either may run first */
    return pid;
}

/* Runs the node in a child and exits. A simple command needs no further child. */
static _Noreturn void exit_with_node(struct shell *sh, const struct node *node)
{
    sh->last = node->type == NODE_SIMPLE;
    run_node(sh, node);
    _exit(sh->status);
}

int run_subshell(struct shell *sh, const struct node *node)
{
    pid_t pid = start_child(sh, 0, true);

    if (!pid)
        exit_with_node(sh, node);
    return finish_foreground(sh, &pid, 1);
}

int run_background(struct shell *sh, const struct node *node)
{
    pid_t pid = start_child(sh, 0, false);

    if (!pid) {
        int null = open("/dev/null", O_RDONLY, 0);

        dup2(null, 0);
        close(null);
        exit_with_node(sh, node);
    }
    if (pid < 0)
        return STATUS_ERROR;
    add_background(sh, pid);
    return 0;
}

/* ---- applets, scripts and programs ---- */

static int count(char **argv)
{
    int n = 0;

    while (argv[n])
        n++;
    return n;
}

static void set_name(const char *name)
{
    enum { PR_SET_NAME = 15 };

    syscall(__NR_prctl, PR_SET_NAME, name);
}

int run_applet(struct shell *sh, const struct applet *applet, char **argv, bool last)
{
    pid_t pid = 0;

    if (applet->builtin)
        return applet->builtin(sh, count(argv), argv);
    if (!last)
        pid = start_child(sh, 0, true);
    if (pid)
        return finish_foreground(sh, &pid, 1);
    set_name(applet->name);
    if (last) /* the caller still has to close redirections, and reports errors of that */
        return applet->run(count(argv), argv);
    _exit(applet->run(count(argv), argv));
}

/* Creates a shell that inherits exported variables only. */
static struct shell *new_script(const struct shell *sh, char **argv)
{
    struct shell *script = shell_new(argv[0] ? argv[0] : "sh", argv[0] ? argv + 1 : argv);
    struct strings env = {NULL, 0, 0};

    shell_environ(sh, &env);
    shell_import(script, env.v);
    shell_set_default_path(script);
    strings_free(&env);
    script->pid = getpid();
    script->pgrp = sh->pgrp;
    return script;
}

typedef int (*script_fn)(struct shell *sh, const char *text);

static int run_in_script(struct shell *sh, script_fn run, const char *text, char **argv)
{
    pid_t pid = start_child(sh, 0, true);

    if (!pid) {
        set_name("sh");
        _exit(run(new_script(sh, argv), text));
    }
    return finish_foreground(sh, &pid, 1);
}

int run_shell_script(struct shell *sh, const char *path, char **argv)
{
    return run_in_script(sh, run_script_file, path, argv);
}

int run_shell_command(struct shell *sh, const char *command, char **argv)
{
    return run_in_script(sh, run_text, command, argv);
}

int run_shell_input(struct shell *sh, char **argv)
{
    return run_in_script(sh, run_input_to_end, NULL, argv);
}

static _Noreturn void exec_program(const struct shell *sh, const char *path, char **argv)
{
    struct strings env = {NULL, 0, 0};
    int err;

    shell_environ(sh, &env);
    err = execve(path, argv, env.v);
    shell_error("%s: %s", path, strerror(-err));
    _exit(STATUS_NOT_EXECUTABLE);
}

/* Returns whether the file is ELF, or a negative error. */
static int is_elf(const char *path)
{
    int fd = open(path, O_RDONLY, 0), err;
    struct stat st;
    char magic[4];
    ssize_t n;

    if (fd < 0)
        return fd;
    err = fstat(fd, &st);
    if (!err && (!S_ISREG(st.st_mode) || !(st.st_mode & S_IXUGO)))
        err = -EACCES;
    n = err ? 0 : read(fd, magic, sizeof(magic));
    close(fd);
    return err ? err : n == sizeof(magic) && !memcmp(magic, "\177ELF", sizeof(magic));
}

int run_file(struct shell *sh, const char *path, char **argv, bool last)
{
    int elf = is_elf(path);
    pid_t pid = 0;

    if (elf < 0) {
        if (elf == -ENOENT)
            shell_error("%s: not found", path);
        else
            shell_error("%s: %s", path, strerror(-elf));
        return elf == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
    }
    if (!elf)
        return run_shell_script(sh, path, argv);
    if (!last)
        pid = start_child(sh, 0, true);
    if (!pid)
        exec_program(sh, path, argv);
    return finish_foreground(sh, &pid, 1);
}

/* ---- pipelines ---- */

/* Runs a member of a pipeline with the pipe ends in and out (-1: none), and exits. */
static _Noreturn void exit_with_member(struct shell *sh, const struct node *member, int in, int out)
{
    if (in >= 0) {
        dup2(in, 0);
        close(in);
    }
    if (out >= 0) {
        dup2(out, 1);
        close(out);
    }
    exit_with_node(sh, member);
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* Starts all members. Returns the number of pids. */
static int start_members(struct shell *sh, const struct node *n, pid_t *pids)
{
    int in = -1, count = 0;

    while (n) {
        const struct node *member = n->type == NODE_PIPE ? n->first : n;
        int ends[2] = {-1, -1};
        pid_t pid = -1;

        n = n->type == NODE_PIPE ? n->second : NULL;
        if (n && pipe(ends))
            shell_error("cannot make a pipe");
        else
            pid = start_child(sh, count ? pids[0] : 0, true);
        if (!pid) {
            close_if_open(ends[0]);
            exit_with_member(sh, member, in, ends[1]);
        }
        close_if_open(in);
        close_if_open(ends[1]);
        in = ends[0];
        if (pid < 0)
            break;
        pids[count++] = pid;
    }
    close_if_open(in);
    return count;
}

int run_pipeline(struct shell *sh, const struct node *node)
{
    int members = 1, status;
    const struct node *n;
    pid_t *pids;

    for (n = node; n->type == NODE_PIPE; n = n->second)
        members++;
    pids = shell_alloc(members * sizeof(*pids));
    members = start_members(sh, node, pids);
    status = finish_foreground(sh, pids, members);
    free(pids);
    return status;
}

/* ---- $(...) ---- */

static int read_to_end(int fd, struct strbuf *b)
{
    char *chunk = shell_alloc(PIPE_CHUNK);
    ssize_t n = 1;

    while (b->len < SUBSTITUTION_MAX && n) {
        n = read(fd, chunk, PIPE_CHUNK);
        if (n > 0)
            strbuf_addn(b, chunk, n);
        else if (n < 0 && n != -EINTR)
            break;
    }
    free(chunk);
    if (b->len >= SUBSTITUTION_MAX) {
        shell_error("the output of a substituted command is too long");
        return -E2BIG;
    }
    return n;
}

static _Noreturn void exit_with_output(struct shell *sh, const char *command, const int ends[2])
{
    close(ends[0]);
    if (ends[1] != 1) {
        dup2(ends[1], 1);
        close(ends[1]);
    }
    _exit(run_last_text(sh, command));
}

/* An interrupt of the shell is noted and does not end the wait. */
static int wait_for_child(pid_t pid)
{
    int status = 0, err;

    do
        err = waitpid(pid, &status, 0);
    while (err == -EINTR);
    return err < 0 ? STATUS_ERROR : exit_status(status);
}

/* The child stays in the shell's group: an interrupt ends both. */
char *run_substitution(struct shell *sh, const char *command)
{
    struct strbuf output = {NULL, 0, 0};
    int ends[2], err = pipe(ends);
    pid_t pid;

    if (err) {
        shell_error("cannot make a pipe: %s", strerror(-err));
        return NULL;
    }
    pid = start_child(sh, syscall(__NR_getpgid, 0), false);
    if (!pid)
        exit_with_output(sh, command, ends);
    close(ends[1]);
    err = pid > 0 ? read_to_end(ends[0], &output) : -ENOMEM;
    close(ends[0]);
    if (pid > 0)
        sh->status = sh->substitution_status = wait_for_child(pid);
    if (err) {
        free(output.s);
        return NULL;
    }
    while (output.len && output.s[output.len - 1] == '\n')
        output.s[--output.len] = 0;
    return strbuf_detach(&output);
}
