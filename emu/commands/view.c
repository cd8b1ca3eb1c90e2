/*
 * view.c - see view.h.
 */
#include "commands/view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

/* Places relative to this program: of a build, of an installation, and of packages. */
static const char *const places[] = {"rvftrace-view", "../libexec/rvftrace/rvftrace-view",
                                     "../lib/rvftrace/rvftrace-view"};

/* Finds the viewer's path; NULL: there is none, and a message was given. */
static char *find_viewer(const struct diag *d)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

    if (len <= 0) {
        diag_error(d, "/proc/self/exe: %s", strerror(errno));
        return NULL;
    }
    program[len] = '\0';
    *strrchr(program, '/') = '\0';
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        char *path = xasprintf("%s/%s", program, places[i]);

        if (!access(path, F_OK))
            return path;
        free(path);
    }
    diag_error(d, "the viewer is not there: install the package rvftrace-view; or, in a checkout, "
                  "libsdl2-dev, libsdl2-ttf-dev and libpng-dev, and build it with `make view'");
    return NULL;
}

enum exit_status viewer_command(char **argv, const struct diag *d)
{
    char *path = find_viewer(d);

    if (!path)
        return EXIT_NO_FILE;
    execv(path, argv + 1);
    diag_error(d, "%s: %s", path, strerror(errno));
    free(path);
    return EXIT_IO;
}

/* Becomes the viewer, in a process without the terminal and its signals. */
static void become_follower(char *path, char *log)
{
    char live[] = "--live", end[] = "--";
    char *const arguments[] = {path, live, end, log, NULL};
    int null = open("/dev/null", O_RDWR);
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    execv(path, arguments);
    _exit(EXIT_INTERNAL);
}

enum exit_status viewer_follow(const char *log, const struct diag *d)
{
    char *path = find_viewer(d), *name;
    pid_t pid;

    if (!path)
        return EXIT_NO_FILE;
    name = xstrdup(log);
    /* The viewer is the child of a process that ends at once, so that it does not become a zombie.
     */
    pid = fork();
    if (!pid) {
        if (!fork())
            become_follower(path, name);
        _exit(0);
    }
    if (pid < 0)
        diag_error(d, "fork: %s", strerror(errno));
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(name);
    free(path);
    return pid < 0 ? EXIT_INTERNAL : EXIT_PASS;
}
