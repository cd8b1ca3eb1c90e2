/*
 * main.c - the command line: which command it is, and its exit status. A run is a session
 * (commands/session.h); `rvftrace report', `log' and `view' have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "commands/check_trace.h"
#include "commands/cores.h"
#include "commands/litmus.h"
#include "commands/log.h"
#include "commands/report.h"
#include "commands/session.h"
#include "commands/view.h"
#include "ftrace/report/report_files.h"
#include "host/end_watch.h"

static unsigned finish_run(struct session *s)
{
    struct stop stop = session_run(s);
    unsigned status;

    session_save_at_end(s, stop);
    status = session_finish(s, stop);
    return s->save_missing && !status ? EXIT_IO : status;
}

/* After the session was opened. */
static unsigned run_command(struct session *s)
{
    switch (s->options.command) {
    case COMMAND_EXPLORE: return session_explore(s);
    case COMMAND_DEBUG:
        return session_finish(s, s->gdb_port ? session_serve_gdb(s) : session_debug(s));
    default: return finish_run(s);
    }
}

/*
 * `help', `help COMMAND', and -h as the first or second word, become the words with --help that say
 * the same.
 */
static void say_help_plainly(int argc, char **argv)
{
    static char help[] = "--help";

    if (argc > 1 && !strcmp(argv[1], "help")) {
        argv[1] = argc > 2 ? argv[2] : help;
        if (argc > 2)
            argv[2] = help;
    }
    for (int i = 1; i < argc && i <= 2; i++)
        if (!strcmp(argv[i], "-h"))
            argv[i] = help;
}

/* Beyond the limit of a file's size (ulimit -f) writing fails, with a message, as on a full disk.
 */
static void ignore_file_limit(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
}

/*
 * A file that is opened later must not get the number of a standard descriptor that was closed.
 * Reading from these finds the end of file, writing fails with a message.
 */
static void hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
}

static bool output_was_written(const struct diag *d)
{
    if (!fflush(stdout) && !ferror(stdout))
        return true;
    diag_error(d, "standard output: %s", strerror(errno));
    return false;
}

static int list_cores(const struct session *s)
{
    enum exit_status status = cores_list(s->options.machine.image, &s->diag);

    return output_was_written(&s->diag) ? (int)status : EXIT_IO;
}

int main(int argc, char **argv)
{
    struct session s = {.diag = {.out = stderr, .program = "rvftrace"},
                        .trace.fd = -1,
                        .log_file.fd = -1,
                        .device_log.fd = -1,
                        .itrace_file.fd = -1,
                        .rings.fd = -1,
                        .page.fd = -1,
                        .files = report_files_none()};
    struct end_watch end_watch = {0};
    unsigned status;
    bool done;

    hold_standard_files();
    ignore_file_limit();
    end_watch_begin(&end_watch);
    s.end_watch = &end_watch;
    say_help_plainly(argc, argv);
    s.diag.colour = diag_may_colour(STDERR_FILENO);
    if (argc > 1 && !strcmp(argv[1], "report"))
        return (int)report_command(argc, argv, &s.diag);
    if (argc > 1 && !strcmp(argv[1], "log"))
        return (int)log_command(argc, argv, &s.diag);
    if (argc > 1 && !strcmp(argv[1], "litmus"))
        return (int)litmus_command(argc, argv, &s.diag);
    if (argc > 1 && !strcmp(argv[1], "check-trace"))
        return (int)check_trace_command(argc, argv, &s.diag);
    if (argc > 1 && !strcmp(argv[1], "view"))
        return (int)viewer_command(argv, &s.diag);
    status = options_parse(argc, argv, &s.diag, &s.options, &done);
    if (done && !output_was_written(&s.diag))
        return EXIT_IO;
    if (status != EXIT_PASS || done) {
        options_free(&s.options);
        return (int)status;
    }
    if (s.options.command == COMMAND_CORES)
        return list_cores(&s);
    s.diag.quiet = s.options.quiet;
    status = session_open(&s);
    if (status == EXIT_PASS)
        status = run_command(&s);
    session_close(&s);
    return (int)status;
}
