/*
 * job_control.c - the jobs of a shell: jobs, fg, bg, and the terminal's foreground group.
 *
 * A job is one process group. Only an interactive shell stops and continues jobs.
 */
#include "applet.h"
#include "shell.h"

struct job {
    int number;  /* 0: not in the list */
    pid_t *pids; /* members that have not ended; the first one has the group's number */
    int count;
    pid_t group, last; /* the last member's status is the job's */
    int status;
    bool stopped;
    char *text;
    struct job *next;
};

/* Has no effect without a terminal. */
void set_foreground(pid_t pgrp)
{
    ioctl(0, TIOCSPGRP, &pgrp);
}

int exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_SIGNAL + WTERMSIG(status);
}

static struct job *new_job(const struct shell *sh, const pid_t *pids, int count)
{
    struct job *job = shell_alloc(sizeof(*job));

    job->pids = shell_alloc(count * sizeof(*pids));
    memcpy(job->pids, pids, count * sizeof(*pids));
    job->count = count;
    job->group = pids[0];
    job->last = pids[count - 1];
    job->text = shell_strdup(sh->command ? sh->command : "");
    return job;
}

static void free_job(struct job *job)
{
    free(job->pids);
    free(job->text);
    free(job);
}

/* The newest is first: it is the current job. */
static void add_job(struct shell *sh, struct job *job)
{
    const struct job *other;

    for (other = sh->jobs; other; other = other->next)
        job->number = max(job->number, other->number);
    job->number++;
    job->next = sh->jobs;
    sh->jobs = job;
}

static void remove_job(struct shell *sh, const struct job *job)
{
    struct job **link = &sh->jobs;

    while (*link && *link != job)
        link = &(*link)->next;
    if (*link)
        *link = job->next;
}

static void show_job(const struct job *job)
{
    putf("[%d] %s  ", job->number, job->stopped ? "Stopped" : job->count ? "Running" : "Done");
    put_line(job->text);
}

/* Waits until the job has ended or, with WUNTRACED, stops. Returns 0, or -EINTR. */
static int wait_job(struct job *job, int options)
{
    while (job->count) {
        int status = 0, pid = waitpid(job->pids[0], &status, options);

        if (pid == -EINTR)
            return pid;
        job->stopped = pid > 0 ? WIFSTOPPED(status) : pid == 0 && job->stopped;
        if (job->stopped && pid)
            job->status = STATUS_SIGNAL + WSTOPSIG(status);
        if (!pid || job->stopped)
            return 0;
        if (WIFCONTINUED(status))
            continue;
        if (job->pids[0] == job->last)
            job->status = pid < 0 ? STATUS_NOT_FOUND : exit_status(status);
        job->count--;
        memmove(job->pids, job->pids + 1, job->count * sizeof(*job->pids));
    }
    return 0;
}

/*
 * Waits for a job that has the terminal until it ends or stops. If it was stopped or interrupted,
 * the whole command line ends. An interrupt of the shell itself does not end the wait.
 */
static int wait_in_foreground(struct shell *sh, struct job *job)
{
    int status;

    while (wait_job(job, sh->interactive ? WUNTRACED : 0))
        ;
    status = job->status;
    if (sh->interactive) {
        set_foreground(sh->own_pgrp);
        if (status > STATUS_SIGNAL)
            restore_terminal();
        if (status == STATUS_SIGNAL + SIGINT || job->stopped) {
            put("\n", 1);
            sh->leaving = sh->leaving ? sh->leaving : LEAVE_INTERRUPT;
        }
    }
    if (job->stopped) {
        if (!job->number)
            add_job(sh, job);
        show_job(job);
    } else {
        remove_job(sh, job);
        free_job(job);
    }
    return status;
}

int finish_foreground(struct shell *sh, const pid_t *pids, int count)
{
    if (count <= 0 || pids[0] < 0)
        return STATUS_ERROR;
    if (sh->interactive)
        set_foreground(pids[0]);
    return wait_in_foreground(sh, new_job(sh, pids, count));
}

void add_background(struct shell *sh, pid_t pid)
{
    struct job *job = new_job(sh, &pid, 1);

    add_job(sh, job);
    sh->last_background = pid;
    if (sh->interactive)
        putf("[%d] %d\n", job->number, pid);
}

/* ---- waiting ---- */

/* Waits for a job and removes it from the list. Returns its status, or -EINTR and keeps it. */
static int wait_in_list(struct shell *sh, struct job *job)
{
    int status = wait_job(job, 0);

    if (status)
        return status;
    status = job->status;
    remove_job(sh, job);
    free_job(job);
    return status;
}

int wait_for_job(struct shell *sh, pid_t pid)
{
    struct job *job;

    for (job = sh->jobs; job; job = job->next)
        if (job->last == pid)
            return wait_in_list(sh, job);
    return STATUS_NOT_FOUND;
}

void wait_for_jobs(struct shell *sh)
{
    while (sh->jobs && wait_in_list(sh, sh->jobs) != -EINTR)
        ;
}

void reap_jobs(struct shell *sh)
{
    struct job *job, *next;

    for (job = sh->jobs; job; job = next) {
        bool stopped = job->stopped;

        next = job->next;
        wait_job(job, WNOHANG | WUNTRACED | WCONTINUED);
        if (sh->interactive && (!job->count || stopped != job->stopped))
            show_job(job);
        if (!job->count) {
            remove_job(sh, job);
            free_job(job);
        }
    }
}

void shell_forget_jobs(struct shell *sh)
{
    struct job *job;

    while ((job = sh->jobs)) {
        sh->jobs = job->next;
        free_job(job);
    }
}

/* ---- commands ---- */

/* %N, N or nothing: the current job. NULL after a message. */
static struct job *find_job(struct shell *sh, const char *word)
{
    struct job *job = sh->jobs;
    unsigned long number;

    word = word && *word == '%' ? word + 1 : word;
    if (word && !kstrtoul(word, 10, &number))
        while (job && (unsigned long)job->number != number)
            job = job->next;
    if (!job)
        shell_error("no such job");
    return job;
}

pid_t job_group(struct shell *sh, const char *word)
{
    const struct job *job = find_job(sh, word);

    return job ? job->group : 0;
}

int do_jobs(struct shell *sh, int argc, char **argv)
{
    const struct job *job;

    (void)argc;
    (void)argv;
    for (job = sh->jobs; job; job = job->next)
        show_job(job);
    return 0;
}

static struct job *continue_job(struct shell *sh, char **argv, bool foreground)
{
    struct job *job = find_job(sh, argv[1]);

    if (!job)
        return NULL;
    put_line(job->text);
    if (foreground)
        set_foreground(job->group);
    job->stopped = false;
    kill(-job->group, SIGCONT);
    return job;
}

int do_fg(struct shell *sh, int argc, char **argv)
{
    struct job *job = continue_job(sh, argv, sh->interactive);

    (void)argc;
    return job ? wait_in_foreground(sh, job) : STATUS_ERROR;
}

int do_bg(struct shell *sh, int argc, char **argv)
{
    (void)argc;
    return continue_job(sh, argv, false) ? 0 : STATUS_ERROR;
}
