/*
 * shell_jobs.c - commands in threads of their own.
 *
 * Each member of a pipeline, a subshell, a command behind `&`; and at the
 * terminal every command that may take its time, so that ^C can reach it.  A
 * thread has its own copy of the shell, of the descriptors and of the place
 * in the tree.
 */
#include "applet.h"
#include "shell.h"
#include <linux/binfmts.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tty.h>

enum { PIPE_CHUNK = 1024, SUBSTITUTION_MAX = 1 << 18 };

/* Runs something in a shell that is the thread's own. */
typedef int (*job_fn)(struct shell *sh, const void *data);

struct job {
    struct list_head list; /* its starter's only */
    atomic_t refs;         /* its starter and its thread */
    struct completion done;
    int status; /* valid when done */
    pid_t pid;

    job_fn run; /* the rest is the thread's only, once it runs */
    const void *data;
    struct shell *sh;
    struct file *in, *out; /* referenced; NULL: as its starter has it */
};

static void job_put(struct job *job)
{
    if (atomic_dec_and_test(&job->refs))
        kfree(job);
}

static void put_at(unsigned int fd, struct file *file)
{
    if (!file)
        return;
    replace_fd(fd, file, 0);
    fput(file);
}

/* Files are closed before the starter hears of it: a reader has then seen the end. */
static int job_thread(void *data)
{
    struct job *job = data;
    int sig;

    do_close_on_exec(current->files);
    put_at(0, job->in);
    put_at(1, job->out);
    job->status = job->run(job->sh, job->data);
    sig = dequeue_signal();
    if (sig)
        job->status = STATUS_SIGNAL + sig;
    shell_free(job->sh);
    exit_files(current);
    exit_fs(current);
    complete(&job->done);
    job_put(job);
    return 0;
}

static struct job *new_job(const struct shell *sh, job_fn run, const void *data, struct file *in,
                           struct file *out)
{
    struct job *job = shell_alloc(sizeof(*job));

    INIT_LIST_HEAD(&job->list);
    atomic_set(&job->refs, 2);
    init_completion(&job->done);
    job->run = run;
    job->data = data;
    job->sh = shell_fork(sh);
    job->in = in ? get_file(in) : NULL;
    job->out = out ? get_file(out) : NULL;
    return job;
}

static void free_unstarted(struct job *job)
{
    if (job->in)
        fput(job->in);
    if (job->out)
        fput(job->out);
    shell_free(job->sh);
    kfree(job);
}

/* Its descriptors and its place in the tree are copies of ours; signals may come from now on. */
static struct task_struct *create_thread(struct job *job, const char *comm)
{
    struct files_struct *files = dup_fd(current->files);
    struct fs_struct *fs = copy_fs_struct(current->fs);
    struct task_struct *p = ERR_PTR(-ENOMEM);

    if (files && fs)
        p = kthread_create(job_thread, job, "%s", comm);
    if (IS_ERR(p)) {
        if (files)
            put_files_struct(files);
        if (fs)
            put_fs_struct(fs);
        return p;
    }
    put_files_struct(p->files);
    put_fs_struct(p->fs);
    p->files = files;
    p->fs = fs;
    p->sig_allowed = sigmask(SIGINT) | sigmask(SIGTERM) | sigmask(SIGKILL) | sigmask(SIGPIPE);
    return p;
}

/* pgrp 0: the job is a group of its own.  NULL: the message is out. */
static struct job *start_job(struct shell *sh, const char *comm, job_fn run, const void *data,
                             struct file *in, struct file *out, pid_t pgrp)
{
    struct job *job = new_job(sh, run, data, in, out);
    struct task_struct *p = create_thread(job, comm);

    if (IS_ERR(p)) {
        shell_error("cannot fork: %s", strerror(-PTR_ERR(p)));
        free_unstarted(job);
        return NULL;
    }
    job->pid = p->pid;
    p->pgrp = sh->pgrp ? sh->pgrp : pgrp ? pgrp : p->pid;
    job->sh->pgrp = p->pgrp;
    wake_up_new_task(p);
    return job;
}

static int take_status(struct job *job)
{
    int status = job->status;

    list_del_init(&job->list);
    job_put(job);
    return status;
}

/*
 * What the job was given is ours, so we stay until it is done: a signal to us
 * goes on to the job, and is ours again when the job has ended.
 */
static int finish_job(struct job *job)
{
    int sig = 0;

    while (wait_for_completion_interruptible(&job->done)) {
        sig = dequeue_signal();
        kill_pid(job->pid, sig);
    }
    if (sig)
        send_sig(sig, current, 0);
    return take_status(job);
}

/* While a job is in the foreground, ^C is meant for it. */
static int finish_foreground(const struct shell *sh, struct job *job)
{
    int status;

    if (!job)
        return STATUS_ERROR;
    if (!sh->interactive)
        return finish_job(job);
    tty_set_pgrp(job->pid);
    status = finish_job(job);
    tty_set_pgrp(current->pgrp);
    return status;
}

/* ---- what runs there ---- */

static int run_node_job(struct shell *sh, const void *node)
{
    return run_node(sh, node);
}

int run_subshell(struct shell *sh, const struct node *node)
{
    return finish_foreground(sh, start_job(sh, "sh", run_node_job, node, NULL, NULL, 0));
}

int run_background(struct shell *sh, const struct node *node)
{
    struct file *null = filp_open("/dev/null", O_RDONLY, 0);
    struct job *job;

    if (IS_ERR(null))
        null = NULL;
    job = start_job(sh, "sh", run_node_job, node, null, NULL, 0);
    if (null)
        fput(null);
    if (!job)
        return STATUS_ERROR;
    sh->last_background = job->pid;
    list_add_tail(&job->list, &sh->jobs);
    return 0;
}

struct applet_call {
    const struct applet *applet;
    char **argv;
};

static int count(char **argv)
{
    int n = 0;

    while (argv[n])
        n++;
    return n;
}

static int run_applet_job(struct shell *sh, const void *data)
{
    const struct applet_call *call = data;

    (void)sh;
    return call->applet->run(count(call->argv), call->argv);
}

int run_applet(struct shell *sh, const struct applet *applet, char **argv)
{
    struct applet_call call = {applet, argv};
    int status;

    if (applet->builtin)
        return applet->builtin(sh, count(argv), argv);
    if (sh->interactive)
        return finish_foreground(sh,
                                 start_job(sh, applet->name, run_applet_job, &call, NULL, NULL, 0));
    if (!sh->pgrp)
        return applet->run(count(argv), argv);
    set_task_comm(current, applet->name); /* in a thread of the shell's the command shows */
    status = applet->run(count(argv), argv);
    set_task_comm(current, "sh");
    return status;
}

struct file_call {
    const char *path; /* or the command, for run_command_job() */
    char **argv;      /* its name and arguments */
};

/* A shell that knows nothing of its starter but what was exported. */
static struct shell *new_script(const struct shell *sh, char **argv)
{
    struct shell *script = shell_new(argv[0] ? argv[0] : "sh", argv[0] ? argv + 1 : argv);
    struct strings env = {NULL, 0, 0};
    int i;

    shell_environ(sh, &env);
    for (i = 0; i < env.n; i++) {
        char *value = strchr(env.v[i], '=');

        *value++ = 0;
        shell_setvar(script, env.v[i], value);
        shell_export(script, env.v[i]);
    }
    strings_free(&env);
    script->pgrp = sh->pgrp;
    return script;
}

static int run_script_job(struct shell *sh, const void *data)
{
    const struct file_call *call = data;
    struct shell *script = new_script(sh, call->argv);
    int status = run_script_file(script, call->path);

    shell_free(script);
    return status;
}

static int run_command_job(struct shell *sh, const void *data)
{
    const struct file_call *call = data;
    struct shell *script = new_script(sh, call->argv);
    int status = run_text(script, call->path);

    shell_free(script);
    return status;
}

static int run_in_script(struct shell *sh, job_fn run, const char *text, char **argv)
{
    struct file_call call = {text, argv};

    return finish_foreground(sh, start_job(sh, "sh", run, &call, NULL, NULL, 0));
}

int run_shell_script(struct shell *sh, const char *path, char **argv)
{
    return run_in_script(sh, run_script_job, path, argv);
}

int run_shell_command(struct shell *sh, const char *command, char **argv)
{
    return run_in_script(sh, run_command_job, command, argv);
}

static int run_program_job(struct shell *sh, const void *data)
{
    const struct file_call *call = data;
    struct strings env = {NULL, 0, 0};
    int status;

    shell_environ(sh, &env);
    set_task_comm(current, call->argv[0]);
    status = run_program(call->path, call->argv, env.v);
    strings_free(&env);
    if (status >= 0)
        return status;
    shell_error("%s: %s", call->path, strerror(-status));
    return STATUS_NOT_EXECUTABLE;
}

/* Is it an ELF file?  Or why it cannot be told. */
static int is_elf(const char *path)
{
    struct file *file = filp_open(path, O_RDONLY, 0);
    char magic[4];
    ssize_t n;
    int err = 0;

    if (IS_ERR(file))
        return PTR_ERR(file);
    if (!S_ISREG(file->f_inode->i_mode) || !(file->f_inode->i_mode & S_IXUGO))
        err = -EACCES;
    n = err ? 0 : file_read(file, magic, sizeof(magic));
    fput(file);
    return err ? err : n == sizeof(magic) && !memcmp(magic, "\177ELF", sizeof(magic));
}

int run_file(struct shell *sh, const char *path, char **argv)
{
    struct file_call call = {path, argv};
    int elf = is_elf(path);

    if (elf < 0) {
        if (elf == -ENOENT)
            shell_error("%s: not found", path);
        else
            shell_error("%s: %s", path, strerror(-elf));
        return elf == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
    }
    if (!elf)
        return run_shell_script(sh, path, argv);
    return finish_foreground(sh, start_job(sh, argv[0], run_program_job, &call, NULL, NULL, 0));
}

/* ---- pipelines ---- */

/* All members start before the first is waited for. */
static void start_members(struct shell *sh, const struct node *n, struct list_head *members)
{
    struct file *in = NULL;
    pid_t pgrp = 0;

    while (n) {
        const struct node *member = n->type == NODE_PIPE ? n->first : n;
        struct file *ends[2] = {NULL, NULL};
        struct job *job = NULL;

        n = n->type == NODE_PIPE ? n->second : NULL;
        if (n && create_pipe_files(ends, 0))
            shell_error("cannot make a pipe");
        else
            job = start_job(sh, "sh", run_node_job, member, in, ends[1], pgrp);
        if (in)
            fput(in);
        if (ends[1])
            fput(ends[1]);
        in = ends[0];
        if (!job)
            break;
        pgrp = pgrp ? pgrp : job->pid;
        list_add_tail(&job->list, members);
    }
    if (in)
        fput(in);
}

int run_pipeline(struct shell *sh, const struct node *node)
{
    LIST_HEAD(members);
    struct job *job, *next;
    int status = STATUS_ERROR;

    start_members(sh, node, &members);
    if (sh->interactive && !list_empty(&members))
        tty_set_pgrp(list_first_entry(&members, struct job, list)->pid);
    list_for_each_entry_safe(job, next, &members, list) status = finish_job(job);
    if (sh->interactive)
        tty_set_pgrp(current->pgrp);
    return status;
}

/* ---- $(...) ---- */

static int run_text_job(struct shell *sh, const void *text)
{
    return run_text(sh, text);
}

static int read_to_end(struct file *file, struct strbuf *b)
{
    char *chunk = shell_alloc(PIPE_CHUNK);
    ssize_t n = 0;

    while (b->len < SUBSTITUTION_MAX && (n = file_read(file, chunk, PIPE_CHUNK)) > 0)
        strbuf_addn(b, chunk, n);
    kfree(chunk);
    if (b->len >= SUBSTITUTION_MAX) {
        shell_error("the output of a substituted command is too long");
        return -E2BIG;
    }
    return n;
}

char *run_substitution(struct shell *sh, const char *command)
{
    struct strbuf output = {NULL, 0, 0};
    struct file *ends[2];
    struct job *job;
    int err = create_pipe_files(ends, 0);

    if (err) {
        shell_error("cannot make a pipe: %s", strerror(-err));
        return NULL;
    }
    job = start_job(sh, "sh", run_text_job, command, NULL, ends[1], current->pgrp);
    fput(ends[1]);
    err = job ? read_to_end(ends[0], &output) : -ENOMEM;
    fput(ends[0]);
    if (job)
        sh->status = sh->substitution_status = finish_job(job);
    if (err) {
        kfree(output.s);
        return NULL;
    }
    while (output.len && output.s[output.len - 1] == '\n')
        output.s[--output.len] = 0;
    return strbuf_detach(&output);
}

/* ---- the background ---- */

/* A signal ends the waiting, and leaves the job alone. */
static int wait_in_list(struct job *job)
{
    if (wait_for_completion_interruptible(&job->done))
        return -EINTR;
    return take_status(job);
}

int wait_for_job(struct shell *sh, pid_t pid)
{
    struct job *job;

    list_for_each_entry(job, &sh->jobs, list)
    {
        if (job->pid == pid)
            return wait_in_list(job);
    }
    return STATUS_NOT_FOUND;
}

void wait_for_jobs(struct shell *sh)
{
    int status = 0;

    while (status >= 0 && !list_empty(&sh->jobs))
        status = wait_in_list(list_first_entry(&sh->jobs, struct job, list));
}

void reap_jobs(struct shell *sh)
{
    struct job *job, *next;

    list_for_each_entry_safe(job, next, &sh->jobs, list)
    {
        if (try_wait_for_completion(&job->done))
            take_status(job);
    }
}

/* The shell goes without waiting: its threads end on their own. */
void shell_forget_jobs(struct shell *sh)
{
    struct job *job, *next;

    list_for_each_entry_safe(job, next, &sh->jobs, list)
    {
        list_del_init(&job->list);
        job_put(job);
    }
}

void shell_check_signals(struct shell *sh)
{
    int sig;

    if (!signal_pending(current))
        return;
    sig = dequeue_signal();
    if (!sig || sh->leaving)
        return;
    sh->status = STATUS_SIGNAL + sig;
    sh->leaving = sh->interactive ? LEAVE_INTERRUPT : LEAVE_EXIT;
}
